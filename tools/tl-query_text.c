/* The text of the statement: where it is from, that it is one, and where in it
 * SQLite has found something. */
#include "tl-query.h"

#include <stdio.h>
#include <string.h>

#include "esc.h"
#include "mem.h"

struct sql
sql_xread(void)
{
	struct tl_err err;
	struct tl_in in;
	struct sql s = { .place = "<stdin>" };
	enum tl_status status;
	char *text = tl_xmalloc(SQL_MAX + 1);
	const char *p;
	size_t n;

	if (tl_in_open(&in, NULL, &err) != TL_OK)
		tl_die("%s", err.msg);
	while ((status = tl_in_chunk(&in, &p, &n, &err)) == TL_OK) {
		if (n > SQL_MAX - s.text.n)
			tl_die("%s: statement is longer than 1 MiB", s.place);
		memcpy(text + s.text.n, p, n);
		s.text.n += n;
	}
	if (status == TL_ERR)
		tl_die("%s", err.msg);
	tl_in_close(&in);
	text[s.text.n] = '\0';
	s.text.p = text;
	return s;
}

/* What SQLite says, which may hold anything that stands in the statement: as
 * text of a stream, cut where it is too long for a message. */
static const char *
words_of(sqlite3 *db)
{
	static char buf[400 + 4];
	const char *s = sqlite3_errmsg(db);
	size_t n = strlen(s), len = 0;

	for (size_t i = 0, k; i < n && len < sizeof buf - 8; i += k) {
		k = tl_utf8_len(s + i, n - i);
		if (k == 0 || !tl_esc_clean(s + i, k)) {
			len += tl_esc(buf + len, s + i, 1);
			k = 1;
		} else {
			memcpy(buf + len, s + i, k);
			len += k;
		}
	}
	buf[len] = '\0';
	return buf;
}

/* "PLACE:LINE:COLUMN", both from 1, the column in characters. */
static void
place_of(char *buf, size_t size, const struct sql *s, size_t at)
{
	unsigned long line = 1, col = 1;

	for (size_t i = 0; i < at && i < s->text.n; i++) {
		if (s->text.p[i] == '\n') {
			line++;
			col = 1;
		} else if (((unsigned char)s->text.p[i] & 0xc0) != 0x80) {
			col++;
		}
	}
	snprintf(buf, size, "%s:%lu:%lu", s->place, line, col);
}

/* Offset in the text of what db complains about, SIZE_MAX if it is not
 * known. */
static size_t
offset_of(const struct sql *s, sqlite3 *db, size_t begin)
{
	if (strcmp(sqlite3_errmsg(db), "incomplete input") == 0)
		return s->text.n;
#if SQLITE_VERSION_NUMBER >= 3038000
	int at = sqlite3_error_offset(db);

	if (at >= 0)
		return begin + (size_t)at;
#endif
	return SIZE_MAX;
}

TL_NORETURN static void
die_at(const struct sql *s, size_t at, const char *what)
{
	char place[512];

	if (at == SIZE_MAX)
		tl_die("%s: %s", s->place, what);
	place_of(place, sizeof place, s, at);
	tl_die("%s: %s", place, what);
}

/* Where the first thing begins that is no white space, comment or semicolon;
 * the text's length if there is none. */
static size_t
skip_blank(const struct sql *s, size_t at)
{
	const char *p = s->text.p, *end;

	while (at < s->text.n) {
		if (strchr(" \t\n\f\r;", p[at]) != NULL) {
			at++;
		} else if (strncmp(p + at, "--", 2) == 0) {
			end = strchr(p + at, '\n');
			at = end == NULL ? s->text.n : (size_t)(end - p);
		} else if (strncmp(p + at, "/*", 2) == 0) {
			end = strstr(p + at + 2, "*/");
			at = end == NULL ? s->text.n : (size_t)(end - p) + 2;
		} else {
			break;
		}
	}
	return at;
}

sqlite3_stmt *
sql_xprepare(const struct sql *s, sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	const char *tail;
	const char *nul = memchr(s->text.p, '\0', s->text.n);
	size_t begin, rest;

	if (nul != NULL)
		die_at(s, (size_t)(nul - s->text.p), "NUL byte");
	begin = skip_blank(s, 0);
	if (begin == s->text.n)
		tl_die("%s: no statement", s->place);
	if (s->text.n > SQL_MAX)
		tl_die("%s: statement is longer than 1 MiB", s->place);
	if (sqlite3_prepare_v2(db, s->text.p + begin, -1, &st, &tail) !=
	    SQLITE_OK) {
		if (guard_refused() != NULL)
			sql_die(s, db);
		die_at(s, offset_of(s, db, begin), words_of(db));
	}
	rest = skip_blank(s, (size_t)(tail - s->text.p));
	if (rest < s->text.n)
		die_at(s, rest, "a second statement begins: only one is run");
	if (!sqlite3_stmt_readonly(st) || sqlite3_column_count(st) == 0)
		tl_die("%s: refused: the statement would write, or gives no "
		    "rows", s->place);
	return st;
}

void
sql_die(const struct sql *s, sqlite3 *db)
{
	switch (sqlite3_errcode(db)) {
	case SQLITE_NOMEM:
		tl_die("%s: out of memory: the statement takes more than "
		    "512 MiB", s->place);
	case SQLITE_TOOBIG:
		tl_die("%s: %s: more than %d MiB", s->place,
		    words_of(db), VALUE_MAX >> 20);
	case SQLITE_INTERRUPT:
		if (guard_time_up())
			tl_die("%s: time is up: stopped, see -T", s->place);
	}
	if (guard_refused() != NULL)
		tl_die("%s: refused: %s", s->place, guard_refused());
	tl_die("%s: %s", s->place, words_of(db));
}
