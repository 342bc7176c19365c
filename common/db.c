#include "db.h"

#include <stdarg.h>

#include "num.h"

sqlite3_stmt *
tl_xdb_prepare(struct tl_db *d, const char *fmt, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	char *sql;

	va_start(ap, fmt);
	sql = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (sql == NULL)
		tl_die("out of memory: %s", fmt);
	if (sqlite3_prepare_v2(d->file.db, sql, -1, &st, NULL) != SQLITE_OK)
		tl_die("%s: query '%.80s': %s", d->file.path, sql,
		    sqlite3_errmsg(d->file.db));
	sqlite3_free(sql);
	return st;
}

void
tl_xdb_damaged(struct tl_db *d, const char *table, const char *what)
{
	if (!d->keep_going)
		tl_die("%s: table %s: damaged SQLite database: %s",
		    d->file.path, table, what);
	d->damaged = true;
}

bool
tl_xdb_step(struct tl_db *d, sqlite3_stmt *st, const char *table)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return true;
	if (rc == SQLITE_DONE)
		return false;
	if (rc != SQLITE_CORRUPT)
		tl_die("%s: table %s: read: %s", d->file.path, table,
		    sqlite3_errmsg(d->file.db));
	tl_xdb_damaged(d, table, sqlite3_errmsg(d->file.db));
	return false;
}

struct tl_str
tl_db_text(sqlite3_stmt *st, int i)
{
	const char *p = (const char *)sqlite3_column_text(st, i);
	size_t len = (size_t)sqlite3_column_bytes(st, i);
	const char *nul = p == NULL ? NULL : memchr(p, '\0', len);

	if (p == NULL)
		return (struct tl_str){ "", 0 };
	return (struct tl_str){ p, nul != NULL ? (size_t)(nul - p) : len };
}

bool
tl_xdb_is_table(struct tl_db *d, const char *name)
{
	sqlite3_stmt *st = tl_xdb_prepare(d, "select 1 from sqlite_master "
	    "where type = 'table' and name = %Q collate nocase", name);
	bool yes = tl_xdb_step(d, st, "sqlite_master");

	sqlite3_finalize(st);
	return yes;
}

bool
tl_xdb_has_column(struct tl_db *d, const char *table, const char *column)
{
	sqlite3_stmt *st = tl_xdb_prepare(d, "select 1 from "
	    "pragma_table_info(%Q) where name = %Q collate nocase", table,
	    column);
	bool yes = tl_xdb_step(d, st, table);

	sqlite3_finalize(st);
	return yes;
}

enum tl_db_value
tl_db_int(sqlite3_value *v, int64_t *out)
{
	int type = sqlite3_value_type(v);
	struct tl_str s;
	double d;

	switch (type) {
	case SQLITE_INTEGER:
		*out = sqlite3_value_int64(v);
		return TL_DB_INT;
	case SQLITE_NULL:
		return TL_DB_NONE;
	case SQLITE_TEXT:
		s.p = (const char *)sqlite3_value_text(v);
		s.n = (size_t)sqlite3_value_bytes(v);
		if (s.p == NULL || s.n == 0)
			return TL_DB_NONE;
		return tl_num_str_i64(s, out) ? TL_DB_INT : TL_DB_ODD;
	case SQLITE_FLOAT:
		/* exact up to 2^53, past which it is not known what it was */
		d = sqlite3_value_double(v);
		if (!(d >= -9007199254740992.0 && d <= 9007199254740992.0))
			return TL_DB_ODD;
		*out = sqlite3_value_int64(v);
		return (double)*out == d ? TL_DB_INT : TL_DB_ODD;
	default:
		return TL_DB_ODD;
	}
}

struct tl_str
tl_text_cut(struct tl_str s, uint64_t *cut)
{
	if (s.n <= TL_TEXT_MAX)
		return s;
	s.n = TL_TEXT_MAX;
	while (((unsigned char)s.p[s.n] & 0xc0) == 0x80 &&
	    s.n > TL_TEXT_MAX - 4)
		s.n--;
	++*cut;
	return s;
}
