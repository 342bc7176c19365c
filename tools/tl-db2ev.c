/*
 * tl-db2ev: an analysis database back into the stream it was made from.
 *
 * In: one SQLite file, tl-db(5). Out: the stream, byte for byte but for a #prog
 * line of its own. Nothing is kept but texts used last and SQLite's pages.
 */
#include "tl-db2ev.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis_db.h"
#include "opt.h"
#include "what.h"

static const struct tl_tool tool = {
	.name = "tl-db2ev",
	.optstring = ":ho:PqVv",
	.usage = "[-Pqv] [-o file] database",
	.help =
	    "  -h       this help\n"
	    "  -o file  write to file, whole or not at all\n"
	    "  -P       no #prog line of its own\n"
	    "  -q       say nothing but errors\n"
	    "  -V       version\n"
	    "  -v       say how much was read\n",
};

void
back_die(const struct back *b, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tl_die("%s: %s", b->in.path, text);
}

void
back_die_sql(const struct back *b)
{
	int rc = sqlite3_errcode(b->in.db);

	back_die(b, "%s: %s", rc == SQLITE_NOMEM ? "read" :
	    rc == SQLITE_ERROR || rc == SQLITE_TOOBIG ?
	    "damaged analysis database" :
	    "damaged SQLite database", sqlite3_errmsg(b->in.db));
}

sqlite3_stmt *
back_xprepare(const struct back *b, const char *sql)
{
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(b->in.db, sql, -1, &s, NULL) != SQLITE_OK)
		back_die_sql(b);
	return s;
}

bool
back_xstep(const struct back *b, sqlite3_stmt *s)
{
	int rc = sqlite3_step(s);

	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		back_die_sql(b);
	return rc == SQLITE_ROW;
}

int64_t
back_xint(const struct back *b, sqlite3_stmt *s, int at)
{
	int type = sqlite3_column_type(s, at);

	if (type != SQLITE_INTEGER)
		back_die(b, "damaged analysis database: %s where an integer "
		    "must be", type == SQLITE_FLOAT ?
		    "a number with a fraction" : "something else");
	return sqlite3_column_int64(s, at);
}

int64_t
back_xcount(const struct back *b, sqlite3_stmt *s, int at)
{
	int64_t v = back_xint(b, s, at);

	if (v < 0)
		back_die(b, "damaged analysis database: '%lld' where no "
		    "negative number can be", (long long)v);
	return v;
}

struct tl_str
back_bytes(sqlite3_stmt *s, int at)
{
	const void *p = sqlite3_column_type(s, at) == SQLITE_BLOB ?
	    sqlite3_column_blob(s, at) :
	    (const void *)sqlite3_column_text(s, at);

	return (struct tl_str){ p != NULL ? p : "",
		p != NULL ? (size_t)sqlite3_column_bytes(s, at) : 0 };
}

static int64_t
pragma(const struct back *b, const char *sql)
{
	sqlite3_stmt *s = back_xprepare(b, sql);
	int64_t v = back_xstep(b, s) ? sqlite3_column_int64(s, 0) : 0;

	sqlite3_finalize(s);
	return v;
}

static void
check(const struct back *b)
{
	const char *what = tl_what_file(b->in.path);
	int64_t app = pragma(b, "PRAGMA application_id");
	int64_t version = pragma(b, "PRAGMA user_version");

	if (app == TL_DB_UNFINISHED)
		back_die(b, "unfinished analysis database: tl-ev2db was "
		    "killed while it wrote it");
	if (app != TL_DB_APPLICATION && what != NULL)
		back_die(b, "not an analysis database, but %s", what);
	if (app != TL_DB_APPLICATION)
		back_die(b, "not an analysis database: tl-ev2db makes them");
	if (version > TL_DB_VERSION)
		back_die(b, "schema version '%lld': newer than this tool "
		    "reads (%d)", (long long)version, TL_DB_VERSION);
	if (version < TL_DB_VERSION_MIN)
		back_die(b, "damaged analysis database: schema version "
		    "'%lld'", (long long)version);
}

int
main(int argc, char **argv)
{
	const char *out = NULL;
	bool no_prog = false, verbose = false;
	struct back b = { .in = { .db = NULL } };
	struct tl_err err;
	int c;

	tl_xstart(&tool);
	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'o':
			out = optarg;
			break;
		case 'P':
			no_prog = true;
			break;
		case 'v':
			verbose = true;
			break;
		}
	}
	if (argc - optind != 1)
		tl_die_opt(&tool, argc == optind ? "a database is needed" :
		    "one database at a time");
	tl_xout_not_input(out, argv[optind]);
	if (tl_sqlite_ro_open(&b.in, argv[optind], false, &err) != TL_OK)
		tl_die("%s", err.msg);
	/* of a row: what comes from one line, some of it twice */
	sqlite3_limit(b.in.db, SQLITE_LIMIT_LENGTH, (int)(4 * TL_LINE_MAX));
	check(&b);
	tl_xevout_open(&b.out, out);
	back_xheader(&b, argc, no_prog ? NULL : argv);
	back_xrecords(&b);
	if (tl_sqlite_ro_same(&b.in, &err) != TL_OK)
		tl_die("%s", err.msg);
	if (verbose)
		tl_msg("%llu records", (unsigned long long)b.out.n_records);
	tl_xevout_end(&b.out);
	tl_sqlite_ro_close(&b.in);
	return 0;
}
