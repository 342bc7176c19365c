/* Events: their rows hold keys of texts that many share. */
#include "tl-db2ev.h"

#include <stdlib.h>

#include "esc.h"
#include "mem.h"

/* Texts kept of each table, and how long one may be to be kept. */
#define MANY 8192
#define LONG 2048

static void
open_texts(const struct back *b, struct back_texts *t, const char *sql)
{
	*t = (struct back_texts){ .sql = sql };
	t->s = back_xprepare(b, sql);
	t->key = tl_xcalloc(MANY + 1, sizeof *t->key);
	t->text = tl_xcalloc(MANY + 1, sizeof *t->text);
	t->cap = tl_xcalloc(MANY + 1, sizeof *t->cap);
}

/* Appends a value in the stream's form. */
static size_t
add_value(const struct back *b, char *to, sqlite3_stmt *s, int at)
{
	struct tl_str raw = back_bytes(s, at);

	if (sqlite3_column_type(s, at) == SQLITE_FLOAT)
		back_die(b, "damaged analysis database: a number with a "
		    "fraction");
	if (raw.n == 0) {
		*to = '.';
		return 1;
	}
	return tl_esc(to, raw.p, raw.n);
}

/* Columns in the stream's form, TABs between. */
static void
check_raw(const struct back *b, struct tl_str s)
{
	const char *end = s.p + s.n;

	for (const char *p = s.p; ; p++) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		size_t n = (size_t)((tab != NULL ? tab : end) - p);
		struct tl_err err;

		if (n == 0 || tl_esc_check(p, n, &err) != TL_OK)
			back_die(b, "damaged analysis database: keys that are "
			    "not in the stream's form");
		if (tab == NULL)
			return;
		p = tab;
	}
}

/* Fills a place with the row that is at hand: its columns with TABs between,
 * escaped unless the texts are in the stream's form. Answers the place: a long
 * text goes to the last one. */
static size_t
fill(const struct back *b, struct back_texts *t, size_t i, bool raw)
{
	int n = sqlite3_column_count(t->s);
	size_t need = 0, len = 0;
	char *p;

	for (int k = 0; k < n; k++)
		need += 4 * back_bytes(t->s, k).n + 2;
	i = need > LONG ? MANY : i;
	if (need > t->cap[i]) {
		free((void *)(uintptr_t)t->text[i].p);
		t->text[i].p = tl_xmalloc(need);
		t->cap[i] = need;
	}
	p = (char *)(uintptr_t)t->text[i].p;
	for (int k = 0; k < n; k++) {
		if (k > 0)
			p[len++] = '\t';
		if (raw) {
			struct tl_str s = back_bytes(t->s, k);

			check_raw(b, s);
			memcpy(p + len, s.p, s.n);
			len += s.n;
		} else {
			len += add_value(b, p + len, t->s, k);
		}
	}
	t->text[i].n = len;
	return i;
}

static struct tl_str
text_of(const struct back *b, struct back_texts *t, int64_t key, bool raw)
{
	size_t i = (size_t)key & (MANY - 1);

	if (key != 0 && t->key[i] == key)
		return t->text[i];
	sqlite3_bind_int64(t->s, 1, key);
	if (!back_xstep(b, t->s))
		back_die(b, "damaged analysis database: key %lld of a text is "
		    "not there", (long long)key);
	i = fill(b, t, i, raw);
	t->key[i] = i < MANY ? key : 0;
	sqlite3_reset(t->s);
	return t->text[i];
}

void
back_xevent_start(struct back *b)
{
	open_texts(b, &b->lanes, "SELECT p.token, l.device, l.context, "
	    "l.token FROM tl_lane l LEFT JOIN tl_process p USING (process) "
	    "WHERE l.lane = ?");
	open_texts(b, &b->tags, "SELECT token FROM tl_tag WHERE tag = ?");
	open_texts(b, &b->names, "SELECT text FROM tl_name WHERE name = ?");
	open_texts(b, &b->keys, "SELECT text FROM tl_keys WHERE keys = ?");
}

static void
free_texts(struct back_texts *t)
{
	sqlite3_finalize(t->s);
	for (size_t i = 0; i <= MANY; i++)
		free((void *)(uintptr_t)t->text[i].p);
	free(t->key);
	free(t->text);
	free(t->cap);
}

void
back_event_free(struct back *b)
{
	free_texts(&b->lanes);
	free_texts(&b->tags);
	free_texts(&b->names);
	free_texts(&b->keys);
}

static void
put_text(struct back *b, struct back_texts *t, sqlite3_stmt *s, int at,
    bool raw)
{
	if (sqlite3_column_type(s, at) == SQLITE_NULL)
		tl_xevout_none(&b->out);
	else
		tl_xevout_raw(&b->out, text_of(b, t, back_xint(b, s, at),
		    raw));
}

/* Tag and number, or a text of another form. */
static void
put_place(struct back *b, sqlite3_stmt *s, int at)
{
	if (sqlite3_column_type(s, at) == SQLITE_NULL) {
		back_xvalue(b, s, at + 1);
		return;
	}
	put_text(b, &b->tags, s, at, false);
	tl_xout_c(&b->out.out, ':');
	tl_xout_i64(&b->out.out, back_xcount(b, s, at + 1));
}

void
back_xevent(struct back *b, sqlite3_stmt *s)
{
	int64_t kind = back_xint(b, s, 2), cls = back_xint(b, s, 3);
	const char *word;

	if (kind < 0 || kind >= TL_N_EVENTS || cls < 0 || cls >= TL_N_CLASSES)
		back_die(b, "damaged analysis database: event %lld: no such "
		    "kind or class", (long long)sqlite3_column_int64(s, 1));
	tl_xevout_rec(&b->out, (enum tl_kind)kind);
	tl_xevout_i64(&b->out, back_xint(b, s, 1));
	tl_xevout_i64(&b->out, back_xint(b, s, 4));
	if (sqlite3_column_type(s, 5) == SQLITE_NULL)
		tl_xevout_none(&b->out);
	else
		tl_xevout_i64(&b->out, back_xcount(b, s, 5));
	put_text(b, &b->lanes, s, 6, false);
	back_xvalue(b, s, 7);
	word = tl_class_name((enum tl_class)cls);
	tl_xevout_raw(&b->out, (struct tl_str){ word, strlen(word) });
	put_text(b, &b->names, s, 8, false);
	put_place(b, s, 9);
	if (sqlite3_column_type(s, 11) != SQLITE_NULL)
		put_text(b, &b->keys, s, 11, true);
	tl_xevout_eol(&b->out);
}
