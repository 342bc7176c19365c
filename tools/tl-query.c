/* tl-query: one SQL statement on a database that is only read; see tl-query.h
 * for what flows where. */
#include "tl-query.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "sqlite_ro.h"

#define ROWS 1000
#define SECONDS_MAX 1000000000

const struct tl_tool query_tool = {
	.name = "tl-query",
	.optstring = ":F:hl:p:T:V",
	.usage = "[-F tsv|csv|jsonl|table] [-l limit] [-p value|name=value] "
	    "[-T seconds] database [sql|@recipe]",
	.help = "Runs one SQL statement on a database, which is only read. "
	    "The statement is read\n"
	    "from standard input if it is not given. '@' lists recipes, "
	    "which are statements\n"
	    "for databases of tl-ev2db.\n"
	    "  -F format   of the rows: tsv (default), csv, jsonl, table\n"
	    "  -l limit    fail where there are more rows: 1000 unless told, "
	    "0 for no limit\n"
	    "  -p value    for the next parameter, or name=value; "
	    "repeatable\n"
	    "  -T seconds  stop after so long\n"
	    "  -h          this text\n"
	    "  -V          version\n",
};

struct query {
	enum format format;
	uint64_t limit; /* 0: none */
	unsigned seconds; /* 0: no end */
	char **param;
	size_t n_params;
};

static enum format
format_of(const char *arg)
{
	static const char *const name[] = { "tsv", "csv", "jsonl", "table" };
	char q[TL_QUOTE_SIZE];

	for (int i = F_TSV; i <= F_TABLE; i++)
		if (strcmp(arg, name[i]) == 0)
			return (enum format)i;
	tl_die_opt(&query_tool, "option '-F': bad format '%s': must be tsv, "
	    "csv, jsonl or table", tl_quote(q, sizeof q, arg, strlen(arg)));
}

static void
options(struct query *q, int argc, char *argv[])
{
	int c;

	while ((c = tl_xgetopt(&query_tool, argc, argv)) != -1) {
		switch (c) {
		case 'F':
			q->format = format_of(optarg);
			break;
		case 'l':
			q->limit = tl_xopt_u64(&query_tool, 'l', optarg, 0,
			    INT64_MAX);
			break;
		case 'p':
			q->param[q->n_params++] = optarg;
			break;
		case 'T':
			q->seconds = (unsigned)tl_xopt_u64(&query_tool, 'T',
			    optarg, 1, SECONDS_MAX);
			break;
		}
	}
}

static void
cell(struct writer *w, sqlite3_stmt *st, int i, const struct sql *sql)
{
	struct tl_str s;
	int type = sqlite3_column_type(st, i);

	switch (type) {
	case SQLITE_NULL:
		writer_xnull(w);
		return;
	case SQLITE_INTEGER:
		writer_xint(w, sqlite3_column_int64(st, i));
		return;
	case SQLITE_FLOAT:
		writer_xreal(w, sqlite3_column_double(st, i));
		return;
	}
	s.p = type == SQLITE_TEXT ?
	    (const char *)sqlite3_column_text(st, i) :
	    sqlite3_column_blob(st, i);
	s.n = (size_t)sqlite3_column_bytes(st, i);
	if (s.p == NULL) {
		if (s.n > 0 || type == SQLITE_TEXT)
			sql_die(sql, sqlite3_db_handle(st));
		s.p = "";
	}
	if (type == SQLITE_TEXT)
		writer_xtext(w, s);
	else
		writer_xblob(w, s);
}

static void
open_rows(struct writer *w, const struct query *q, sqlite3_stmt *st)
{
	int n = sqlite3_column_count(st);
	const char **name = tl_xcalloc((size_t)n, sizeof *name);

	for (int i = 0; i < n; i++) {
		name[i] = sqlite3_column_name(st, i);
		if (name[i] == NULL)
			tl_die("out of memory");
	}
	writer_xopen(w, q->format, q->limit > 0, name, (size_t)n);
	free(name);
}

static void
run(const struct query *q, struct tl_sqlite_ro *ro, sqlite3_stmt *st,
    const struct sql *sql)
{
	int n = sqlite3_column_count(st), rc;
	uint64_t rows = 0;
	struct writer w;
	struct tl_err err;

	open_rows(&w, q, st);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (q->limit > 0 && ++rows > q->limit)
			tl_die("%s: more than %llu rows: narrow the "
			    "statement, or raise the limit with -l",
			    sql->place, (unsigned long long)q->limit);
		for (int i = 0; i < n; i++)
			cell(&w, st, i, sql);
		writer_xrow(&w);
	}
	if (rc != SQLITE_DONE)
		sql_die(sql, ro->db);
	guard_relax();
	if (tl_sqlite_ro_same(ro, &err) != TL_OK)
		tl_die("%s", err.msg);
	writer_xclose(&w);
}

/* What is not meant as it stands: a recipe's name without its @, or before the
 * database. */
static void
check_operands(const char *path, const char *text)
{
	struct recipe r;
	size_t at = 0;

	if (path[0] == '@' && text != NULL && access(path, F_OK) != 0)
		tl_die_opt(&query_tool, "no database '%.80s': it comes before "
		    "the recipe", path);
	while (text != NULL && recipe_next(&at, &r))
		if (tl_str_is(r.name, text))
			tl_die_opt(&query_tool, "statement '%s': no SQL: the "
			    "recipe is '@%s'", text, text);
}

static void
ask(const struct query *q, const char *path, const char *text)
{
	struct sql sql = { .place = text };
	struct recipe r;
	bool recipe = text != NULL && text[0] == '@';
	struct tl_sqlite_ro ro;
	struct tl_err err;
	sqlite3_stmt *st;
	char *read = NULL;

	check_operands(path, text);
	if (recipe)
		r = recipe_xfind(text + 1);
	if (tl_sqlite_ro_open(&ro, path, false, &err) != TL_OK)
		tl_die("%s", err.msg);
	if (recipe) {
		recipe_xcheck(ro.db, path, text + 1);
		sql.text.p = read = tl_xmemdup0(r.sql.p, r.sql.n);
		sql.text.n = r.sql.n;
	} else if (text == NULL || strcmp(text, "-") == 0) {
		sql = sql_xread();
		read = (char *)(uintptr_t)sql.text.p;
	} else {
		sql = (struct sql){ "sql", { text, strlen(text) } };
	}
	guard_xset(ro.db);
	if (q->seconds > 0)
		guard_xtime(ro.db, q->seconds, sql.place);
	st = sql_xprepare(&sql, ro.db);
	param_xbind(st, q->param, q->n_params, recipe ? &r : NULL);
	run(q, &ro, st, &sql);
	sqlite3_finalize(st);
	tl_sqlite_ro_close(&ro);
	free(read);
}

int
main(int argc, char *argv[])
{
	struct query q = { .limit = ROWS };
	const char *path;

	tl_xstart(&query_tool);
	q.param = tl_xcalloc((size_t)argc + 1, sizeof *q.param);
	options(&q, argc, argv);
	if (optind == argc)
		tl_die_opt(&query_tool, "no database named");
	if (argc - optind > 2)
		tl_die_opt(&query_tool, "more than a database and a "
		    "statement");
	path = argv[optind];
	if (path[0] == '@' && argc - optind == 1) {
		if (path[1] == '\0')
			recipe_xlist(q.format);
		else
			recipe_xprint(path + 1);
	} else if (argc - optind == 2 && strcmp(argv[optind + 1], "@") == 0) {
		recipe_xlist(q.format);
	} else {
		ask(&q, path, argv[optind + 1]);
	}
	free(q.param);
	return 0;
}
