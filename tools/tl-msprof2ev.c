/*
 * tl-msprof2ev: what msprof and torch_npu's profiler leave to event streams.
 *
 * In: SQLite files, alone or in the folders that the profilers make. Out: a
 * stream for each capture, tl-ev(5). In memory: the databases' strings, the
 * operators' and collectives' tables, and rows within a budget (-S). Ends with
 * exit 0 when all was read, 1 when something is damaged or no capture.
 */
#include "tl-msprof2ev.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"
#include "opt.h"

static const struct tl_tool tool = {
	.name = "tl-msprof2ev",
	.optstring = ":hVqvPko:r:S:c:",
	.usage = "[-kPqv] [-c kinds] [-o output] [-r rules] [-S size] capture",
	.help = "  -c kinds  which kinds of event: +python,-op, or a list\n"
	    "  -k        keep going: read what is left of a damaged file\n"
	    "  -o output write to this file, of several captures to this "
	    "folder\n"
	    "  -P        no #prog line in the header\n"
	    "  -q        quiet: only errors on standard error\n"
	    "  -r rules  rules file over the compiled-in ones, repeatable\n"
	    "  -S size   memory for rows (512M)\n"
	    "  -v        say what was found in the capture\n"
	    "  -h, -V    this text; the version\n",
};

#define KINDS_DEFAULT (((1U << TL_N_EVENTS) - 1) & ~(1U << TL_PYTHON))

struct options {
	struct msprof m;
	const char *out;
	const char **rules;
	size_t n_rules;
	int argc;
	char *const *argv;
};

static void
parse_kinds(struct msprof *m, const char *list)
{
	char q[TL_QUOTE_SIZE];
	struct tl_str bad;

	if (!tl_kinds_change(list, &m->kinds, NULL, NULL, &bad))
		tl_die_opt(&tool, "option '-c': bad kind '%s': must be a kind "
		    "of event", tl_quote(q, sizeof q, bad.p, bad.n));
}

static void
parse_options(struct options *o)
{
	struct msprof *m = &o->m;
	int c;

	while ((c = tl_xgetopt(&tool, o->argc, o->argv)) != -1)
		switch (c) {
		case 'c':
			parse_kinds(m, optarg);
			break;
		case 'k':
			m->keep_going = true;
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'P':
			m->conv.no_prog = true;
			break;
		case 'q':
			m->quiet = true;
			break;
		case 'r':
			o->rules[o->n_rules++] = optarg;
			break;
		case 'S':
			m->budget = tl_xopt_budget(&tool, optarg);
			break;
		case 'v':
			m->verbose = true;
			break;
		}
	if (o->argc - optind != 1)
		tl_die_opt(&tool, o->argc == optind ? "no capture given" :
		    "more than one capture given");
}

static void
free_all(struct msprof *m)
{
	for (size_t i = 0; i < m->n_bases; i++) {
		tl_sqlite_ro_close(&m->base[i].db.file);
		free(m->base[i].path);
	}
	for (size_t i = 0; i < m->n_early; i++)
		free(m->early[i].text);
	free(m->early);
	free(m->base);
	free(m->type_kind);
	free(m->string_text);
	free(m->string_id);
	free(m->name);
	free(m->ops.a);
	free(m->ops.direct);
	free(m->parts.a);
	free(m->parts.direct);
	free(m->copy);
	free(m->level);
	free(m->coll);
	free(m->op_coll);
	free(m->lane_ns);
	free(m->map);
	tl_map_free(&m->names);
	tl_map_free(&m->ops.key);
	tl_map_free(&m->parts.key);
	tl_map_free(&m->copies);
	tl_map_free(&m->levels);
	tl_map_free(&m->coll_op);
	tl_map_free(&m->lanes);
	tl_map_free(&m->processes);
	tl_map_free(&m->places);
	spans_free(&m->coll_at);
	tl_keys_free(&m->keys);
	tl_intern_free(&m->text);
	tl_arena_free(&m->arena);
	tl_conv_free(&m->conv);
}

/* Nothing changed meanwhile. */
static void
xstill_same(struct msprof *m)
{
	struct tl_err err;

	for (size_t i = 0; i < m->n_bases; i++) {
		if (tl_sqlite_ro_same(&m->base[i].db.file, &err) != TL_OK)
			tl_die("%s", err.msg);
		m->damaged |= m->base[i].db.damaged;
	}
}

static void
read_all(struct msprof *m)
{
	xmap_load(m);
	if (m->split) {
		xinfo_load(m);
		xidents_split(m);
		xcolls_split(m);
	} else {
		xtexts_load(m);
		xidents_one(m);
		xcopies_load(m);
		xcolls_one(m);
	}
	xcolls_index(m);
	if (m->split)
		xtasks_split(m);
	else
		xtasks_one(m);
	xcolls_write(m);
	if (m->split)
		xhost_split(m);
	else
		xhost_one(m);
}

/* One capture; answers whether parts of it are missing. */
static bool
convert(struct options *o, struct capture *c, const char *out)
{
	struct msprof *m = &o->m;
	bool damaged;

	if (c->error != NULL)
		tl_die("%s", c->error);
	m->cap = c;
	m->out = out;
	m->first_ns = 1;
	tl_xconv_rules(&m->conv, o->rules, o->n_rules);
	xopen_capture(m);
	m->sort = tl_xsort_new(m->budget);
	read_all(m);
	m->sole = m->processes.n == 1 ? m->processes.key[0].k[0] : -1;
	xstill_same(m);
	tl_xevout_open(&m->conv.out, out);
	xheader(m, o->argc, o->argv);
	xevents(m);
	tl_xconv_events_end(&m->conv);
	xstill_same(m);
	xnotes(m);
	tl_xevout_end(&m->conv.out);
	tl_sort_free(m->sort);
	if (m->verbose)
		tl_conv_msg_rules(&m->conv);
	damaged = m->damaged;
	if (damaged)
		tl_msg("%s: parts of it could not be read, and are missing",
		    c->one != NULL ? c->one : c->split);
	free_all(m);
	return damaged;
}

/* ---- several captures, each in a process of its own ---- */

static char *
out_of(const char *dir, const char *name)
{
	size_t n = strlen(name);
	char *file = tl_xmalloc(n + 4), *path;

	for (size_t i = 0; i < n; i++)
		file[i] = (char)(name[i] == '/' ? '_' : name[i]);
	memcpy(file + n, ".ev", 4);
	path = path_join(dir, file);
	free(file);
	return path;
}

static int
convert_apart(struct options *o, struct capture *c)
{
	char *out = out_of(o->out, c->name);
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		tl_die("%s: fork: %s", c->name, strerror(errno));
	if (pid == 0) {
		bool damaged = convert(o, c, out);

		exit(damaged);
	}
	free(out);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Names that differ only in "/" and "_" would meet in one file. */
static void
check_names(struct options *o, struct captures *cs)
{
	struct tl_intern outs = { .n = 0 };

	for (size_t i = 0; i < cs->n; i++) {
		char *out = out_of(o->out, cs->c[i].name);
		size_t known = outs.n;

		if (tl_xintern(&outs, (struct tl_str){ out, strlen(out) }) <
		    known)
			tl_die("%s: output: two captures would be written to "
			    "it", out);
		free(out);
	}
	tl_intern_free(&outs);
}

static int
convert_several(struct options *o, struct captures *cs, const char *path)
{
	int worst = 0;

	if (o->out == NULL || strcmp(o->out, "-") == 0)
		tl_die("%s: %zu captures are in it, '%s' and '%s' among them: "
		    "give one of them, or with -o a folder for their streams",
		    path, cs->n, cs->c[0].name, cs->c[1].name);
	check_names(o, cs);
	if (mkdir(o->out, 0777) != 0 && (errno != EEXIST ||
	    !is_folder(o->out)))
		tl_die("%s: output: %s", o->out, errno == EEXIST ?
		    "is no folder, and there are several captures" :
		    strerror(errno));
	for (size_t i = 0; i < cs->n; i++) {
		int status = convert_apart(o, &cs->c[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}

int
main(int argc, char **argv)
{
	struct options o = { .argc = argc, .argv = argv,
		.m = { .budget = TL_BUDGET, .kinds = KINDS_DEFAULT } };
	struct captures cs;
	const char *path;
	int status;

	tl_xstart(&tool);
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	o.rules = tl_xcalloc((size_t)argc, sizeof *o.rules);
	o.m.conv.provider = "ascend";
	parse_options(&o);
	path = argv[optind];
	if (strcmp(path, "-") == 0)
		tl_die("<stdin>: SQLite cannot read from a pipe: give the "
		    "database as a file, or a folder");
	xfind(&cs, path);
	status = cs.n > 1 ? convert_several(&o, &cs, path) :
	    convert(&o, &cs.c[0], o.out);
	captures_free(&cs);
	free(o.rules);
	return status;
}
