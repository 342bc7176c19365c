/*
 * tl-nsys2ev: Nsight Systems' SQLite export to an event stream.
 *
 * In: one SQLite file. Out: a stream, tl-ev(5). In memory: the file's strings,
 * the tokens of processes and lanes, a few rows of each table; a table that is
 * not in order of time is sorted within a budget (-S). Ends with exit 0 when
 * all of the file was read, 1 when it is damaged or no export.
 */
#include "tl-nsys2ev.h"

#include <stdlib.h>
#include <unistd.h>

#include "io.h"
#include "opt.h"
#include "what.h"

static const struct tl_tool tool = {
	.name = "tl-nsys2ev",
	.optstring = ":hVqvPko:r:S:c:",
	.usage = "[-kPqv] [-c kinds] [-o file] [-r rules] [-S size] "
	    "export.sqlite",
	.help = "  -c kinds  which kinds of event: +osrt,-range, or a list\n"
	    "  -k        keep going: read what is left of a damaged file\n"
	    "  -o file   write to file, not standard output\n"
	    "  -P        no #prog line in the header\n"
	    "  -q        quiet: only errors on standard error\n"
	    "  -r rules  rules file over the compiled-in ones, repeatable\n"
	    "  -S size   memory for tables that must be sorted (512M)\n"
	    "  -v        say what was found in the file\n"
	    "  -h, -V    this text; the version\n",
};

#define KINDS_DEFAULT ((1U << TL_N_EVENTS) - 1)

struct options {
	const char *out;
	const char **rules;
	size_t n_rules;
};

static void
parse_kinds(struct nsys *n, const char *list)
{
	char q[TL_QUOTE_SIZE];
	struct tl_str bad;

	if (!tl_kinds_change(list, &n->kinds, "osrt", &n->osrt, &bad))
		tl_die_opt(&tool, "option '-c': bad kind '%s': must be a kind "
		    "of event, or osrt", tl_quote(q, sizeof q, bad.p, bad.n));
}

static void
parse_options(struct nsys *n, struct options *o, int argc, char *const *argv)
{
	int c;

	while ((c = tl_xgetopt(&tool, argc, argv)) != -1)
		switch (c) {
		case 'c':
			parse_kinds(n, optarg);
			break;
		case 'k':
			n->db.keep_going = true;
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'P':
			n->conv.no_prog = true;
			break;
		case 'q':
			n->quiet = true;
			break;
		case 'r':
			o->rules[o->n_rules++] = optarg;
			break;
		case 'S':
			n->budget = tl_xopt_budget(&tool, optarg);
			break;
		case 'v':
			n->verbose = true;
			break;
		}
	if (argc - optind != 1)
		tl_die_opt(&tool, argc == optind ? "no file given" :
		    "more than one file given");
}

static bool
ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

/* A report of the profiler is what people have at hand; the export is made of
 * it. */
static void
xopen_file(struct nsys *n, const char *path)
{
	static const char how[] = "make an export of the report with "
	    "'nsys export --type sqlite'";
	struct tl_err err;

	if (strcmp(path, "-") == 0)
		tl_die("<stdin>: SQLite cannot read from a pipe: give the "
		    "export as a file");
	if (tl_sqlite_ro_open(&n->db.file, path, n->db.keep_going,
	    &err) == TL_OK)
		return;
	if (ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep") ||
	    ends_with(path, ".qdstrm"))
		tl_die("%s (a report of Nsight Systems): %s", err.msg, how);
	if (access(path, R_OK) == 0 && tl_what_file(path) == NULL)
		tl_die("%s: %s", err.msg, how);
	tl_die("%s", err.msg);
}

/* Is it an export of Nsight Systems at all, be it an empty one? */
static void
xcheck_export(struct nsys *n)
{
	sqlite3_stmt *st;
	const char *what;
	bool yes = is_table(n, "META_DATA_EXPORT") ||
	    is_table(n, "META_DATA_CAPTURE") ||
	    is_table(n, "EXPORT_META_DATA") ||
	    (is_table(n, "StringIds") && is_table(n, "ProcessStreams"));

	for (size_t i = 0; i < N_TABLES; i++)
		yes |= n->table[i].name != NULL;
	if (yes)
		return;
	st = xprepare(n, "select count(*) from sqlite_master where "
	    "type = 'table'");
	if (xstep(n, st, "sqlite_master") && sqlite3_column_int(st, 0) == 0)
		tl_die("%s: SQLite database without a table: no export of "
		    "Nsight Systems", n->db.file.path);
	sqlite3_finalize(st);
	what = tl_what_file(n->db.file.path);
	if (what != NULL)
		tl_die("%s: no export of Nsight Systems, but %s",
		    n->db.file.path, what);
	tl_die("%s: SQLite database of another program: none of the tables of "
	    "an export of Nsight Systems (StringIds, META_DATA_EXPORT, "
	    "CUPTI_ACTIVITY_KIND_..., NVTX_EVENTS) is there", n->db.file.path);
}

static void
free_all(struct nsys *n)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		free(n->table[i].name);
		free(n->table[i].columns);
	}
	tl_map_free(&n->process_of);
	tl_map_free(&n->device_of);
	tl_map_free(&n->lane_of);
	tl_map_free(&n->launches);
	tl_map_free(&n->callers);
	tl_map_free(&n->domains);
	tl_map_free(&n->categories);
	tl_map_free(&n->ties);
	free(n->process);
	free(n->lane);
	free(n->launch_detailed);
	free(n->caller);
	free(n->domain);
	free(n->category);
	free(n->keys);
	free(n->strings.s);
	free(n->strings.direct);
	tl_arena_free(&n->strings.arena);
	tl_arena_free(&n->arena);
	tl_conv_free(&n->conv);
	tl_sqlite_ro_close(&n->db.file);
}

/* What SQLite keeps beside a database is a part of it, there or not. */
static void
refuse_part(const char *out, const char *path, const char *end)
{
	size_t n = strlen(path);
	char *part;

	if (out == NULL)
		return;
	part = tl_xmalloc(n + strlen(end) + 1);
	memcpy(part, path, n);
	memcpy(part + n, end, strlen(end) + 1);
	if (strcmp(out, part) == 0)
		tl_die("%s: output: is a part of the input", out);
	tl_xout_not_input(out, part);
	free(part);
}

static void
convert(struct nsys *n, const struct options *o, int argc, char *const *argv)
{
	const char *path = argv[optind];
	struct tl_err err;

	tl_xconv_rules(&n->conv, o->rules, o->n_rules);
	xopen_file(n, path);
	tl_xout_not_input(o->out, path);
	refuse_part(o->out, path, "-wal");
	refuse_part(o->out, path, "-journal");
	refuse_part(o->out, path, "-shm");
	xtables_find(n);
	xcheck_export(n);
	xstrings_load(n);
	xscan_tables(n);
	xnvtx_names(n);
	tl_xevout_open(&n->conv.out, o->out);
	xheader(n, argc, argv);
	xmerge(n);
	tl_xconv_events_end(&n->conv);
	if (tl_sqlite_ro_same(&n->db.file, &err) != TL_OK)
		tl_die("%s", err.msg);
	xnotes(n);
	tl_xevout_end(&n->conv.out);
	if (n->verbose)
		tl_conv_msg_rules(&n->conv);
}

int
main(int argc, char **argv)
{
	struct nsys n = { .budget = TL_BUDGET, .kinds = KINDS_DEFAULT };
	struct options o = { .out = NULL };
	bool damaged;

	tl_xstart(&tool);
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	o.rules = tl_xcalloc((size_t)argc, sizeof *o.rules);
	n.conv.provider = "cuda";
	parse_options(&n, &o, argc, argv);
	convert(&n, &o, argc, argv);
	damaged = n.db.damaged;
	if (damaged)
		tl_msg("%s: parts of it could not be read, and are missing",
		    argv[optind]);
	free(o.rules);
	free_all(&n);
	return damaged;
}
