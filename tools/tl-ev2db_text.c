/* Texts of the stream as values of the database, and those that have a row of
 * their own. */
#include "tl-ev2db.h"

#include <stdlib.h>

#include "esc.h"
#include "mem.h"
#include "num.h"

void
db_die_at(const struct db *d, const char *what, struct tl_str subject,
    const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die("%s:%llu: %s '%s': %s", d->in.in.name,
	    (unsigned long long)d->in.in.line, what,
	    tl_quote(q, sizeof q, subject.p, subject.n), why);
}

/* UTF-8 without NUL is text, all else bytes. */
static struct db_value
value_of(const char *p, size_t n)
{
	bool text = true;

	for (size_t i = 0; text && i < n;) {
		size_t u = p[i] == '\0' ? 0 : tl_utf8_len(p + i, n - i);

		text = u > 0;
		i += u;
	}
	return (struct db_value){ text ? DB_TEXT : DB_BLOB, 0, { p, n } };
}

static void
bind(sqlite3_stmt *s, int at, const struct db_value *v)
{
	if (v->type == DB_NULL)
		sqlite3_bind_null(s, at);
	else if (v->type == DB_INT)
		sqlite3_bind_int64(s, at, v->i);
	else if (v->type == DB_TEXT)
		sqlite3_bind_text64(s, at, v->s.p, v->s.n, SQLITE_STATIC,
		    SQLITE_UTF8);
	else
		sqlite3_bind_blob64(s, at, v->s.p, v->s.n, SQLITE_STATIC);
}

void
db_bind_raw(sqlite3_stmt *s, int at, struct tl_str text)
{
	struct db_value v = value_of(text.p, text.n);

	bind(s, at, &v);
}

bool
db_text(struct db *d, struct tl_str text, struct db_value *v)
{
	struct tl_err err;
	char *raw;
	size_t n;

	if (tl_str_none(text) || text.n == 0) {
		v->type = DB_NULL;
		return text.n == 0;
	}
	if (memchr(text.p, '\\', text.n) == NULL) {
		*v = value_of(text.p, text.n);
		return !tl_esc_clean(text.p, text.n);
	}
	if (tl_esc_check(text.p, text.n, &err) != TL_OK) {
		*v = value_of(text.p, text.n);
		return true;
	}
	raw = d->scratch + d->scratch_used;
	n = tl_unesc(raw, text.p, text.n);
	d->scratch_used += n;
	*v = value_of(raw, n);
	return false;
}

bool
db_token(struct db *d, struct tl_str text, struct db_value *v)
{
	v->type = DB_INT;
	return !tl_num_str_i64(text, &v->i) && db_text(d, text, v);
}

bool
db_bind_text(struct db *d, sqlite3_stmt *s, int at, struct tl_str text)
{
	struct db_value v;
	bool odd = db_text(d, text, &v);

	bind(s, at, &v);
	return odd;
}

bool
db_bind_token(struct db *d, sqlite3_stmt *s, int at, struct tl_str text)
{
	struct db_value v;
	bool odd = db_token(d, text, &v);

	bind(s, at, &v);
	return odd;
}

/* Number of a text in its set; *fresh where it has no row yet. */
static uint32_t
find(struct db_set *set, struct tl_str text, uint64_t budget, bool *fresh)
{
	uint32_t i;
	size_t n = set->text.n;

	if (budget > 0 && tl_intern_bytes(&set->text) > budget &&
	    tl_intern_find(&set->text, text) == UINT32_MAX) {
		set->base += (int64_t)n;
		tl_intern_free(&set->text);
		n = 0;
	}
	i = tl_xintern(&set->text, text);
	*fresh = i == n;
	if (*fresh) {
		set->odd = tl_xgrow(set->odd, n, &set->cap, 1);
		set->odd[i] = 0;
	}
	return i;
}

/* Inserts a row of a text; what was decoded for it is not needed any more. */
static void
insert(struct db *d, enum db_table table, size_t used)
{
	db_xinsert(&d->file, table);
	d->scratch_used = used;
}

static int64_t
key_of(const struct db_set *set, uint32_t i)
{
	return set->base + i + 1;
}

int64_t
db_xname(struct db *d, struct tl_str text, bool *odd)
{
	sqlite3_stmt *s = d->file.insert[DB_NAME];
	size_t used = d->scratch_used;
	bool fresh;
	uint32_t i = find(&d->name, text, d->budget, &fresh);

	if (fresh) {
		sqlite3_bind_int64(s, 1, key_of(&d->name, i));
		d->name.odd[i] = db_bind_text(d, s, 2, text);
		insert(d, DB_NAME, used);
	}
	*odd |= d->name.odd[i];
	return key_of(&d->name, i);
}

/* The columns of tl_keys behind the text. */
static void
bind_known_keys(struct db *d, sqlite3_stmt *s, struct tl_str keys)
{
	static const char *const tokens[] = { "copy", "graph", "node",
		"domain", "short" };
	struct tl_str v = tl_key(keys, "sym");
	bool odd = false;
	int64_t n;

	if (v.p != NULL)
		sqlite3_bind_int64(s, 3, db_xname(d, v, &odd));
	else
		sqlite3_bind_null(s, 3);
	if (tl_str_is(tl_key(keys, "role"), "aux"))
		sqlite3_bind_int(s, 4, 1);
	else
		sqlite3_bind_null(s, 4);
	if (tl_str_is(tl_key(keys, "detail"), "1"))
		sqlite3_bind_int(s, 5, 1);
	else
		sqlite3_bind_null(s, 5);
	v = tl_key(keys, "bytes");
	if (v.p != NULL && tl_num_str_i64(v, &n))
		sqlite3_bind_int64(s, 6, n);
	else
		sqlite3_bind_null(s, 6);
	for (int i = 0; i < 5; i++) {
		v = tl_key(keys, tokens[i]);
		if (v.p == NULL)
			sqlite3_bind_null(s, 7 + i);
		else if (i == 1 || i == 2)
			db_bind_token(d, s, 7 + i, v);
		else
			db_bind_text(d, s, 7 + i, v);
	}
}

int64_t
db_xkeys(struct db *d, struct tl_str keys)
{
	sqlite3_stmt *s = d->file.insert[DB_KEYS];
	size_t used = d->scratch_used;
	bool fresh;
	uint32_t i = find(&d->keys, keys, d->budget, &fresh);

	if (fresh) {
		sqlite3_bind_int64(s, 1, key_of(&d->keys, i));
		db_bind_raw(s, 2, keys);
		bind_known_keys(d, s, keys);
		insert(d, DB_KEYS, used);
	}
	return key_of(&d->keys, i);
}

int64_t
db_xprocess(struct db *d, struct tl_str token, bool *odd)
{
	sqlite3_stmt *s = d->file.insert[DB_PROCESS];
	size_t used = d->scratch_used;
	bool fresh;
	uint32_t i = find(&d->process, token, 0, &fresh);

	if (fresh) {
		sqlite3_bind_int64(s, 1, key_of(&d->process, i));
		d->process.odd[i] = db_bind_token(d, s, 2, token);
		sqlite3_bind_null(s, 3);
		sqlite3_bind_null(s, 4);
		insert(d, DB_PROCESS, used);
	}
	*odd |= d->process.odd[i];
	return key_of(&d->process, i);
}

int64_t
db_xtag(struct db *d, struct tl_str token, bool *odd)
{
	sqlite3_stmt *s = d->file.insert[DB_TAG];
	size_t used = d->scratch_used;
	bool fresh;
	uint32_t i = find(&d->tag, token, 0, &fresh);

	if (fresh) {
		sqlite3_bind_int64(s, 1, key_of(&d->tag, i));
		d->tag.odd[i] = db_bind_text(d, s, 2, token);
		sqlite3_bind_null(s, 3);
		insert(d, DB_TAG, used);
	}
	*odd |= d->tag.odd[i];
	return key_of(&d->tag, i);
}

/* "process:device"; the device is what follows the last colon. */
int64_t
db_xscope(struct db *d, struct tl_str name, bool *odd)
{
	sqlite3_stmt *s = d->file.insert[DB_SCOPE];
	size_t used = d->scratch_used;
	struct tl_str process = name, device = { name.p, name.n };
	bool fresh, part_odd = false;
	uint32_t i = find(&d->scopes, name, 0, &fresh);

	if (fresh) {
		while (process.n > 0 && process.p[process.n - 1] != ':')
			process.n--;
		device.p += process.n;
		device.n -= process.n;
		process.n -= process.n > 0;
		sqlite3_bind_int64(s, 1, key_of(&d->scopes, i));
		if (process.n == 0 || tl_str_none(process))
			sqlite3_bind_null(s, 2);
		else
			sqlite3_bind_int64(s, 2, db_xprocess(d, process,
			    &part_odd));
		db_bind_token(d, s, 3, device);
		d->scopes.odd[i] = db_bind_text(d, s, 4, name);
		insert(d, DB_SCOPE, used);
	}
	*odd |= d->scopes.odd[i];
	return key_of(&d->scopes, i);
}

/* Scope of a device event's lane; its name is no text of the stream. */
static int64_t
scope_of(struct db *d, const struct tl_ev *ev)
{
	size_t n = ev->process.n + 1 + ev->device.n;
	char *name = tl_xmalloc(n);
	bool odd = false;
	int64_t key;

	memcpy(name, ev->process.p, ev->process.n);
	name[ev->process.n] = ':';
	memcpy(name + ev->process.n + 1, ev->device.p, ev->device.n);
	key = db_xscope(d, (struct tl_str){ name, n }, &odd);
	free(name);
	return key;
}

static bool
insert_lane(struct db *d, const struct tl_ev *ev, int64_t key)
{
	sqlite3_stmt *s = d->file.insert[DB_LANE];
	size_t used = d->scratch_used;
	bool odd = false;

	sqlite3_bind_int64(s, 1, key);
	if (tl_str_none(ev->process))
		sqlite3_bind_null(s, 2);
	else
		sqlite3_bind_int64(s, 2, db_xprocess(d, ev->process, &odd));
	if (tl_str_none(ev->device))
		sqlite3_bind_null(s, 3);
	else
		sqlite3_bind_int64(s, 3, scope_of(d, ev));
	odd |= db_bind_token(d, s, 4, ev->device);
	odd |= db_bind_token(d, s, 5, ev->context);
	odd |= db_bind_token(d, s, 6, ev->lane);
	insert(d, DB_LANE, used);
	return odd;
}

/* Neighbours are mostly on few lanes. */
int64_t
db_xlane(struct db *d, const struct tl_ev *ev, bool *odd)
{
	struct tl_str four = { ev->process.p,
		(size_t)(ev->lane.p + ev->lane.n - ev->process.p) };
	bool fresh = false;
	uint32_t i = d->last_lane;

	if (i >= d->lane.text.n ||
	    !tl_str_eq(tl_intern_str(&d->lane.text, i), four))
		i = find(&d->lane, four, 0, &fresh);
	if (fresh)
		d->lane.odd[i] = insert_lane(d, ev, key_of(&d->lane, i));
	d->last_lane = i;
	*odd |= d->lane.odd[i];
	return key_of(&d->lane, i);
}
