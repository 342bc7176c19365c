/*
 * tl-ev2db: a stream into the analysis database.
 *
 * In: a stream. Out: one SQLite file, tl-db(5), which appears whole or not at
 * all. Kept in memory: texts that recur, within -S; eight bytes an occurrence,
 * and an event where ids have gaps; SQLite's pages, 16 MiB.
 */
#include "tl-ev2db.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mem.h"
#include "opt.h"
#include "version.h"

static const struct tl_tool tool = {
	.name = "tl-ev2db",
	.optstring = ":fhIo:PqS:tVv",
	.usage = "[-fIPqtv] [-S size] -o file [stream]",
	.help =
	    "  -f       replace a file that is no analysis database, too\n"
	    "  -h       this help\n"
	    "  -I       more indexes\n"
	    "  -o file  the database, which appears whole or not at all\n"
	    "  -P       leave this program out of tl_meta\n"
	    "  -q       say nothing but errors\n"
	    "  -S size  memory for names before they are stored again (128M)\n"
	    "  -t       take a stream without its end record\n"
	    "  -V       version\n"
	    "  -v       say how much was stored\n",
};

#define BUDGET ((uint64_t)128 << 20)

struct options {
	const char *out;
	bool replace, index, no_prog, quiet, verbose;
};

static void
options(struct options *o, struct db *d, int argc, char **argv)
{
	int c;

	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'f':
			o->replace = true;
			break;
		case 'I':
			o->index = true;
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'P':
			o->no_prog = true;
			break;
		case 'q':
			o->quiet = true;
			break;
		case 'S':
			d->budget = tl_xopt_budget(&tool, optarg) / 2;
			break;
		case 't':
			d->tolerate = true;
			break;
		case 'v':
			o->verbose = true;
			break;
		}
	}
	if (argc - optind > 1)
		tl_die_opt(&tool, "one stream at a time");
	if (o->out == NULL || strcmp(o->out, "-") == 0)
		tl_die_opt(&tool, "option '-o': needed: a database cannot go "
		    "to standard output");
}

/* As filters do: what is missing travels with the data. */
static void
note_cut(struct db *d)
{
	sqlite3_stmt *s = d->file.insert[DB_NOTE];

	sqlite3_bind_int64(s, 1, ++d->line);
	sqlite3_bind_text(s, 2, "warn", -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, "no_end_record", -1, SQLITE_STATIC);
	sqlite3_bind_null(s, 4);
	sqlite3_bind_text(s, 5, "tl-ev2db: the stream ended without a right "
	    "end record; events may be missing", -1, SQLITE_STATIC);
	db_xinsert(&d->file, DB_NOTE);
}

/* This program, its version and arguments, as a #prog line has them. */
static void
put_program(struct db *d, int argc, char **argv)
{
	size_t n = 0, cap = 64;
	char *text;

	for (int i = 1; i < argc; i++)
		cap += strlen(argv[i]) + 1;
	text = tl_xmalloc(cap);
	n = (size_t)snprintf(text, cap, "%s\t%s", tool.name, TL_VERSION);
	for (int i = 1; i < argc; i++) {
		text[n++] = '\t';
		memcpy(text + n, argv[i], strlen(argv[i]));
		n += strlen(argv[i]);
	}
	db_xmeta_text(d, "program", (struct tl_str){ text, n });
	free(text);
}

static void
free_all(struct db *d)
{
	struct db_set *set[] = { &d->process, &d->lane, &d->tag, &d->name,
		&d->keys, &d->scopes };

	for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
		tl_intern_free(&set[i]->text);
		free(set[i]->odd);
	}
	for (size_t i = 0; i < d->n_scopes; i++) {
		for (size_t k = 0; k < d->scope[i].n; k++)
			free(d->scope[i].pos[k].occ);
		free(d->scope[i].pos);
	}
	free(d->scope);
	free(d->later);
	free(d->scratch);
	tl_evids_free(&d->ids);
	tl_evids_free(&d->large);
}

int
main(int argc, char **argv)
{
	struct options o = { .out = NULL };
	struct db d = { .budget = BUDGET / 2 };
	struct tl_err err;

	tl_xstart(&tool);
	options(&o, &d, argc, argv);
	tl_xout_not_input(o.out, argv[optind]);
	if (tl_evin_open(&d.in, argv[optind], d.tolerate, &err) != TL_OK)
		tl_die("%s", err.msg);
	d.in.want = UINT32_MAX;
	d.scratch = tl_xmalloc(DB_SCRATCH);
	db_xopen(&d.file, o.out, o.replace);
	db_xmeta_u64(&d, "schema_version", 1);
	if (!o.no_prog)
		put_program(&d, argc, argv);
	db_xread(&d);
	db_xsettle(&d);
	if (d.in.cut)
		note_cut(&d);
	db_xmeta_u64(&d, "records", (uint64_t)d.line);
	db_xmeta_u64(&d, "events", d.n_events);
	db_xmeta_u64(&d, "header_lines", d.n_header);
	db_xmeta_u64(&d, "kept_records", d.n_kept);
	db_xmeta_u64(&d, "kept_only", d.n_only);
	tl_evin_close(&d.in);
	db_xpublish(&d.file, o.index);
	if (d.n_only > 0 && !o.quiet)
		tl_msg("%s: %llu records of known kinds could not be put into "
		    "their tables and are in tl_other only", o.out,
		    (unsigned long long)d.n_only);
	if (o.verbose)
		tl_msg("%llu records, %llu events; %llu kept as they came",
		    (unsigned long long)d.line, (unsigned long long)d.n_events,
		    (unsigned long long)d.n_kept);
	free_all(&d);
	return 0;
}
