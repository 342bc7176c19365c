/*
 * tl-kineto2ev: a Kineto or Chrome JSON trace becomes a sorted event stream.
 *
 * The file is read once, in pieces. Only what becomes an event is kept, as
 * small records that are sorted, outside of memory past the budget; names,
 * lanes and processes are kept once each. Nothing is written before the whole
 * file was read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "opt.h"
#include "tl-kineto2ev.h"

static const struct tl_tool tool = {
	.name = "tl-kineto2ev",
	.optstring = ":hVqvo:Pkr:S:s:c:z",
	.usage = "[-kPqvz] [-c kinds] [-o output] [-r rules] [-S size] "
	    "[-s path] [file]",
	.help = "  -c kinds   which kinds of event: +python,-op, or a list\n"
	    "  -k         keep going: use what is whole of a broken file\n"
	    "  -o output  write there instead of standard output\n"
	    "  -P         no provenance line\n"
	    "  -q         say nothing but errors\n"
	    "  -r rules   rules file; may be given more than once\n"
	    "  -S size    memory budget (512M)\n"
	    "  -s path    name of the file, where a pipe is read\n"
	    "  -v         say what was read and which rules were used\n"
	    "  -z         fractions of times count nanoseconds (5.7 is 5.007)\n"
	    "  -h, -V     this help; the version\n",
};

/* Of each table, however small the budget is. */
#define MIN_SHARE ((uint64_t)1 << 20)

struct options {
	const char **rules;
	size_t n_rules;
	bool verbose, quiet;
};

static void
choose_kinds(struct k_run *r, const char *list)
{
	char q[TL_QUOTE_SIZE];
	struct tl_str bad;

	if (!k_cat_select(list, &r->kinds, &bad))
		tl_die_opt(&tool, "option '-c': bad kind '%s': must be a kind "
		    "of event, + or - before it",
		    tl_quote(q, sizeof q, bad.p, bad.n));
}

static void
options(int argc, char *const *argv, struct k_run *r, struct tl_conv *c,
    struct options *o)
{
	int opt;

	o->rules = tl_xcalloc((size_t)argc, sizeof *o->rules);
	while ((opt = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (opt) {
		case 'c':
			choose_kinds(r, optarg);
			break;
		case 'k':
			r->keep_going = true;
			break;
		case 'o':
			r->out_path = optarg;
			break;
		case 'P':
			c->no_prog = true;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'r':
			o->rules[o->n_rules++] = optarg;
			break;
		case 'S':
			r->budget = tl_xopt_budget(&tool, optarg);
			break;
		case 's':
			r->source_path = optarg;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'z':
			r->frac_is_ns = true;
			break;
		default:
			break;
		}
	}
	if (argc - optind > 1)
		tl_die_opt(&tool, "operand '%s': one file at a time",
		    argv[optind + 1]);
	if (optind < argc && strcmp(argv[optind], "-") != 0)
		r->in_path = argv[optind];
}

static void
open_all(struct k_run *r, struct tl_conv *c)
{
	struct tl_err err;

	tl_xout_not_input(r->out_path, r->in_path);
	if (k_scan_open(&r->scan, r->in_path, &err) != TL_OK)
		tl_die("%s", err.msg);
	r->name = r->source_path != NULL ? r->source_path : r->scan.in.name;
	r->scan.in.name = r->name;
	r->json = k_xjson_new();
	r->share = r->budget / 16 < MIN_SHARE ? MIN_SHARE : r->budget / 16;
	c->cache_max = (size_t)(2 * r->share);
	r->sort = tl_xsort_new(r->budget / 2);
	r->calls = k_xcalls_new(r->share);
}

static void
close_all(struct k_run *r)
{
	k_scan_close(&r->scan);
	k_json_free(r->json);
	tl_sort_free(r->sort);
	k_pairs_free(r->pairs);
	k_calls_free(r->calls);
	tl_intern_free(&r->names);
	tl_intern_free(&r->lanes);
	tl_intern_free(&r->procs);
	tl_intern_free(&r->ascend_conn);
	tl_arena_free(&r->meta.arena);
	free(r->meta.device);
	free(r->name_flags);
	free(r->proc);
	free(r->fixed);
	free(r->rec);
}

/* A file without an event is no trace, whatever else it holds. */
static void
check_events(const struct k_run *r)
{
	unsigned long long n = r->n_elements;

	if (!r->has_events && r->meta.foreign != NULL)
		tl_die("%s: is %s, not a Chrome trace", r->name,
		    r->meta.foreign);
	if (!r->has_events && r->n_keys == 0)
		tl_die("%s: no events: the top-level object is empty",
		    r->name);
	if (!r->has_events)
		tl_die("%s: no 'traceEvents' in the top-level object: not a "
		    "Chrome trace", r->name);
	if (n == 0)
		tl_die("%s: no events: %s is empty", r->name,
		    r->is_array ? "the array" : "'traceEvents'");
	if (r->n_real == 0 && r->n_meta > 0)
		tl_die("%s: no events: nothing but metadata (%llu records)",
		    r->name, (unsigned long long)r->n_meta);
	if (r->n_real == 0)
		tl_die("%s: no events among %llu elements of the array",
		    r->name, n);
}

static void
report(const struct k_run *r)
{
	tl_msg("%s: %llu elements, %llu events, %llu kept, %zu runs spilled",
	    r->name, (unsigned long long)r->n_elements,
	    (unsigned long long)r->n_real,
	    (unsigned long long)tl_sort_count(r->sort),
	    tl_sort_runs(r->sort));
}

int
main(int argc, char **argv)
{
	struct k_run r = { .kinds = K_KINDS_DEFAULT, .budget = TL_BUDGET };
	struct tl_conv c = { .no_prog = false };
	struct options o = { .n_rules = 0 };
	bool whole;

	tl_xstart(&tool);
	options(argc, argv, &r, &c, &o);
	tl_xconv_rules(&c, o.rules, o.n_rules);
	free(o.rules);
	open_all(&r, &c);
	whole = k_xread(&r);
	if (!whole && (!r.keep_going || r.n_real == 0))
		tl_die("%s", r.notes.truncated.msg);
	if (r.pairs != NULL)
		k_xpairs_finish(r.pairs, &r);
	check_events(&r);
	tl_xevout_open(&c.out, r.out_path);
	k_xwrite(&r, &c, argc, argv);
	if (o.verbose && !o.quiet) {
		report(&r);
		tl_conv_msg_rules(&c);
	}
	if (!whole)
		tl_msg("%s", r.notes.truncated.msg);
	tl_conv_free(&c);
	close_all(&r);
	return whole ? 0 : 1;
}
