#ifndef TL_DB_H
#define TL_DB_H

#include "sqlite_ro.h"

/* Questions to an SQLite file that somebody else wrote: tables and columns are
 * looked for by name, values have any type. */
struct tl_db {
	struct tl_sqlite_ro file;
	bool keep_going; /* damage is no end (-k) */
	bool damaged;    /* it was met */
};

/* Statement of a text as of sqlite3_mprintf; exits 1 on failure. */
sqlite3_stmt *tl_xdb_prepare(struct tl_db *d, const char *fmt, ...);

/* A part of the file cannot be read: exits 1, or with keep_going notes it. */
void tl_xdb_damaged(struct tl_db *d, const char *table, const char *what);

/* Row or no row; damage as above, exits 1 on any other failure. */
bool tl_xdb_step(struct tl_db *d, sqlite3_stmt *st, const char *table);

bool tl_xdb_is_table(struct tl_db *d, const char *name);
bool tl_xdb_has_column(struct tl_db *d, const char *table,
    const char *column);

/* Text of a column up to its first NUL byte, n is 0 for none: what is behind
 * it is not part of the text (Nsight lets names run on into the environment
 * of a process). Valid until the next step. */
struct tl_str tl_db_text(sqlite3_stmt *st, int i);

enum tl_db_value { TL_DB_NONE, TL_DB_INT, TL_DB_ODD };

/* A value as an integer: text in digits is one, so is a real number without a
 * fraction up to 2^53. NULL and an empty text are none. */
enum tl_db_value tl_db_int(sqlite3_value *v, int64_t *out);

/* Longest text that is passed on, so that no line passes the stream's limit
 * when all of it must be escaped. */
#define TL_TEXT_MAX ((size_t)48 << 10)

/* Text as it can be passed on; *cut counts those that were longer. */
struct tl_str tl_text_cut(struct tl_str s, uint64_t *cut);

#endif
