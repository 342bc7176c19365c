/*
 * tl-perfetto: draws a stream as a timeline for Perfetto.
 *
 * In: a stream. Out: Chrome JSON, plain or gzip. Kept: 32 bytes an event, 16
 * for its place in the structure, 56 an occurrence; the lines themselves in a
 * spool, which goes to a file past -S. Nothing is written before the end record
 * was seen.
 */
#include "tl-perfetto.h"

#include <stdlib.h>
#include <unistd.h>

#include "opt.h"

#define BUDGET ((uint64_t)128 << 20)

static const struct tl_tool tool = {
	.name = "tl-perfetto",
	.optstring = ":ACF:Hhi:o:PpqS:stVvz",
	.usage = "[-ACHPpqstvz] [-F array|object] [-i number|all] [-o file] "
	    "[-S size] [stream]",
	.help =
	    "  -A         arrows from calls to what they launched\n"
	    "  -C         counters: queue depth, active streams\n"
	    "  -F format  array (default), or object\n"
	    "  -H         leave out the host\n"
	    "  -h         this help\n"
	    "  -i number  iterations of a loop drawn in full, or all; default\n"
	    "             3: the first, the slowest, the last\n"
	    "  -o file    write to file, whole or not at all; .gz: compressed\n"
	    "  -P         leave this program out of the metadata\n"
	    "  -p         pack members of graphs by class, not by stream\n"
	    "  -q         no info notes\n"
	    "  -S size    memory for text before a file is used (128M)\n"
	    "  -s         short names of what runs on devices\n"
	    "  -t         take a stream without its end record\n"
	    "  -V         version\n"
	    "  -v         say how much was drawn\n"
	    "  -z         compress with gzip\n",
};

static const char *out_path;
static bool tolerate, verbose, compress;

static void
set_format(struct pf_opt *opt, const char *arg)
{
	char q[TL_QUOTE_SIZE];

	opt->object = strcmp(arg, "object") == 0;
	if (!opt->object && strcmp(arg, "array") != 0)
		tl_die_opt(&tool, "option '-F': bad format '%s': must be array "
		    "or object", tl_quote(q, sizeof q, arg, strlen(arg)));
}

static void
options(struct pf_opt *opt, int argc, char **argv)
{
	int c;

	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'A':
			opt->arrows = true;
			break;
		case 'C':
			opt->counters = true;
			break;
		case 'F':
			set_format(opt, optarg);
			break;
		case 'H':
			opt->no_host = true;
			break;
		case 'i':
			opt->full = strcmp(optarg, "all") == 0 ? PF_NO :
			    (uint32_t)tl_xopt_u64(&tool, 'i', optarg, 0,
			    PF_NO - 1);
			break;
		case 'o':
			out_path = optarg;
			break;
		case 'P':
			opt->no_prog = true;
			break;
		case 'p':
			opt->pack = true;
			break;
		case 'q':
			opt->quiet = true;
			break;
		case 'S':
			opt->budget = tl_xopt_budget(&tool, optarg);
			break;
		case 's':
			opt->short_names = true;
			break;
		case 't':
			tolerate = true;
			break;
		case 'v':
			verbose = true;
			break;
		case 'z':
			compress = true;
			break;
		}
	}
	if (argc - optind > 1)
		tl_die_opt(&tool, "one stream at a time");
}

static bool
ends_in_gz(const char *path)
{
	size_t n = path == NULL ? 0 : strlen(path);

	return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static void
put_plain(void *out, const char *s, size_t n)
{
	tl_xout_write(out, s, n);
}

static void
write_all(struct pf *p, struct tl_json *j, int argc, char **argv)
{
	if (p->opt.object) {
		tl_xjson_begin(j, '{');
		TL_XJSON_KEY(j, "traceEvents");
	}
	tl_xjson_begin(j, '[');
	pf_xhead(p, j, argc, argv);
	pf_xnotes_write(p, j, argc, argv);
	pf_xwrite(p, j);
	j->comma = false;
	tl_xjson_line(j);
	tl_xjson_end(j, ']');
	if (p->opt.object) {
		tl_xjson_line(j);
		TL_XJSON_KEY(j, "metadata");
		pf_xmetadata(p, j, argc, argv);
		tl_xjson_end(j, '}');
	}
	j->comma = false;
	tl_xjson_line(j);
}

static void
write_out(struct pf *p, int argc, char **argv)
{
	struct tl_json j;
	struct tl_out out;
	struct pf_gz *gz = NULL;

	tl_xout_open(&out, out_path);
	if (compress || ends_in_gz(out_path))
		gz = pf_xgz_new(&out);
	if (gz != NULL)
		tl_xjson_open(&j, pf_xgz_put, gz);
	else
		tl_xjson_open(&j, put_plain, &out);
	write_all(p, &j, argc, argv);
	tl_xjson_close(&j);
	if (gz != NULL)
		pf_xgz_end(gz);
	tl_xout_close(&out);
}

static void
free_all(struct pf *p)
{
	void *own[] = { p->plane, p->group, p->ev, p->real, p->member,
		p->launch, p->pos, p->occ, p->scope, p->call, p->work, p->head,
		p->sched, p->sched_work,
		p->note, p->order, p->at, p->first_arrow, p->next_arrow,
		p->arrow_in, p->queue, p->active, p->shown, p->last_value };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		free(own[i]);
	tl_evids_free(&p->ids);
	tl_intern_free(&p->text);
	tl_intern_free(&p->series);
	tl_intern_free(&p->plane_key);
	tl_intern_free(&p->group_key);
	tl_intern_free(&p->scope_key);
	tl_intern_free(&p->head_key);
	free(p->head_of);
	free(p->name_buf);
	tl_arena_free(&p->arena);
	tl_spool_free(p->lines);
}

int
main(int argc, char **argv)
{
	struct pf p = { .opt = { .full = 3, .budget = BUDGET } };
	struct tl_evin in;
	struct tl_err err;
	const char *in_path;

	tl_xstart(&tool);
	options(&p.opt, argc, argv);
	in_path = argv[optind];
	tl_xout_not_input(out_path, in_path);
	if ((out_path == NULL || strcmp(out_path, "-") == 0) && compress &&
	    isatty(STDOUT_FILENO))
		tl_die_opt(&tool, "option '-z': no compressed data to a "
		    "terminal: use -o");
	if (tl_evin_open(&in, in_path, tolerate, &err) != TL_OK)
		tl_die("%s", err.msg);
	p.name = in.in.name;
	pf_xread(&p, &in);
	tl_evin_close(&in);
	if (p.n_ev == 0)
		tl_die("%s: no events%s", p.name, p.n_seen > 0 ?
		    " on a device, and -H leaves out the host" : "");
	pf_xplan(&p);
	write_out(&p, p.opt.no_prog ? 0 : argc, argv);
	if (verbose)
		tl_msg("%llu events; %llu slices, %llu instants, %llu arrows, "
		    "%llu points", (unsigned long long)p.n_seen,
		    (unsigned long long)p.n_slices,
		    (unsigned long long)p.n_instants,
		    (unsigned long long)p.n_arrows,
		    (unsigned long long)p.n_points);
	free_all(&p);
	return 0;
}
