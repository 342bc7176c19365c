#ifndef TL_DB2EV_H
#define TL_DB2EV_H

/* tl-db2ev's own: the tables of tl-db(5) back into the stream they hold. */

#include "evout.h"
#include "sqlite_ro.h"

/* Texts of a table by key, as they are printed: those used last. A key has one
 * place. */
struct back_texts {
	const char *sql;     /* SELECT ... WHERE key = ? */
	sqlite3_stmt *s;
	int64_t *key;        /* by place, 0: free */
	struct tl_str *text;
	size_t *cap;
};

/* A table whose rows are records, in order of their lines. */
struct back_source {
	const char *sql;     /* line, then the columns of the record */
	const char *kind;
	const char *columns; /* what they are: tl-db2ev_record.c */
	sqlite3_stmt *s;
	int64_t line;        /* of the row at hand, INT64_MAX: at the end */
};

struct back {
	struct tl_sqlite_ro in;
	struct tl_evout out;
	struct back_texts lanes, tags, names, keys;
};

/* Exit 1: what SQLite said, or that the content is not what it must be. */
TL_NORETURN void back_die_sql(const struct back *b);
TL_NORETURN void back_die(const struct back *b, const char *fmt, ...)
    TL_PRINTF(2, 3);

sqlite3_stmt *back_xprepare(const struct back *b, const char *sql);

/* Next row; false at the end. */
bool back_xstep(const struct back *b, sqlite3_stmt *s);

/* An integer of a row. Exit 1 where it is none: SQLite's tables take any type,
 * and would give 0 for it. */
int64_t back_xint(const struct back *b, sqlite3_stmt *s, int at);

/* The same of one that is never negative. */
int64_t back_xcount(const struct back *b, sqlite3_stmt *s, int at);

/* A text or bytes of a row as it is, "" for NULL. */
struct tl_str back_bytes(sqlite3_stmt *s, int at);

/* All lines but the end record. */
void back_xheader(struct back *b, int argc, char *const *argv);
void back_xrecords(struct back *b);

/* The columns of an event record whose row is at hand. */
void back_xevent(struct back *b, sqlite3_stmt *s);
void back_xevent_start(struct back *b);
void back_event_free(struct back *b);

/* A value as a column: "." for NULL, numbers, text escaped. */
void back_xvalue(struct back *b, sqlite3_stmt *s, int at);

#endif
