#ifndef TL_QUERY_H
#define TL_QUERY_H

/* Private to tl-query. Data flow: the text of the statement is found (_text,
 * _recipe), the database opened and locked against all but reading (_guard),
 * values are given to the parameters (_param), those of recipes looked up
 * (_place), and the rows go through a
 * writer (_write), which keeps them until all are there, in the form that
 * _cell gives values; _table lays them out for a person. */

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "io.h"
#include "opt.h"
#include "spool.h"
#include "str.h"

extern const struct tl_tool query_tool;

enum format { F_TSV, F_CSV, F_JSONL, F_TABLE };

/* ---- the statement ---- */

/* Longest statement, and longest value. */
#define SQL_MAX ((size_t)1 << 20)
#define VALUE_MAX (64 << 20)

struct sql {
	const char *place; /* for messages: "sql", "<stdin>", "@loops" */
	struct tl_str text; /* with a NUL behind */
};

/* Reads the statement from standard input; the caller frees text.p. */
struct sql sql_xread(void);

/* Exits with what SQLite, or the guard, says of the statement, and where. */
TL_NORETURN void sql_die(const struct sql *s, sqlite3 *db);

/* Compiles the one statement of s; exits where there is none, or more. */
sqlite3_stmt *sql_xprepare(const struct sql *s, sqlite3 *db);

/* ---- the guard ---- */

/* Makes db, which is open to be read, safe against every statement. */
void guard_xset(sqlite3 *db);

/* What was refused last and why, NULL if nothing was. */
const char *guard_refused(void);

/* From now on db has so many seconds; the name of the statement is for the
 * message. guard_time_up says whether they are over, guard_xrelax ends it. */
void guard_xtime(sqlite3 *db, unsigned seconds, const char *place);
bool guard_time_up(void);
void guard_relax(void);

/* ---- recipes ---- */

struct recipe_param {
	struct tl_str name;
	struct tl_str type;   /* what it names; the name, if nothing else */
	struct tl_str preset; /* p is NULL if a value must be given */
	struct tl_str meaning;
};

#define RECIPE_PARAMS 8

/* tools/tl-query.sql, made a C file by the build. */
extern const char recipe_text[];
extern const size_t recipe_text_len;

struct recipe {
	struct tl_str name; /* without the @ */
	struct tl_str answer;
	struct recipe_param param[RECIPE_PARAMS];
	size_t n_params;
	struct tl_str sql;
	struct tl_str whole; /* as it stands in the file */
};

/* The recipe of that name (without the @); exits 2 if there is none. */
struct recipe recipe_xfind(const char *name);

/* The next recipe behind *at, which begins at 0; false at the end. */
bool recipe_next(size_t *at, struct recipe *r);

/* Prints the names of all; the text of one. */
void recipe_xlist(enum format format);
void recipe_xprint(const char *name);

/* Exits 1 unless db is of tl-ev2db, and of a version that is known. */
void recipe_xcheck(sqlite3 *db, const char *path, const char *name);

/* ---- parameters ---- */

/* Binds the arguments of -p, then presets of the recipe (or NULL); exits 2
 * where they do not fit the statement. */
void param_xbind(sqlite3_stmt *st, char **arg, size_t n,
    const struct recipe *r);

/* Binds parameter i to what the text stands for. */
void param_xvalue(sqlite3_stmt *st, int i, struct tl_str s);

/* A recipe's parameter, and others of the same call that say where it is. */
struct place_param {
	sqlite3 *db;
	const char *recipe; /* with the @ */
	struct tl_str name, type;
	struct tl_str kind;  /* of position that it must be; empty: any */
	const struct tl_str *scope, *position;
};

/* Exits 1 where the value names nothing in the database, and brings it into
 * the form that statements compare with: value may then be in text. */
#define PLACE_TEXT 32
void place_xcheck(const struct place_param *p, struct tl_str *value,
    char *text);

/* ---- rows ---- */

struct column {
	char *name;
	size_t width;  /* of the table, in characters */
	bool text;     /* has texts or blobs: to the left */
};

struct writer {
	enum format format;
	struct column *col;
	size_t n_cols;
	size_t at;     /* cells of this row so far */
	/* private: where it goes, and what has not gone there yet */
	struct tl_out out;
	struct tl_spool *keep; /* NULL: rows are printed as they come */
	char *buf;
	size_t len, cap;
};

/* keep: rows are printed by writer_xclose, all together. */
void writer_xopen(struct writer *w, enum format format, bool keep,
    const char *const *name, size_t n_cols);
/* One cell after the other, then the end of the row. */
void writer_xnull(struct writer *w);
void writer_xint(struct writer *w, int64_t v);
void writer_xreal(struct writer *w, double v);
void writer_xtext(struct writer *w, struct tl_str s);
void writer_xblob(struct writer *w, struct tl_str s);
void writer_xrow(struct writer *w);
void writer_xclose(struct writer *w);

/* Adds bytes to the row; a row of a table stays in one piece, those of the
 * other formats may go in several. */
void put(struct writer *w, const char *p, size_t n);
void put_s(struct writer *w, const char *s);

/* A cell of a table: what is shown as it is, a text, a blob; then all rows. */
void table_plain(struct writer *w, struct tl_str s);
void table_text(struct writer *w, struct tl_str s);
void table_blob(struct writer *w, struct tl_str s);
void table_xprint(struct writer *w);

#endif
