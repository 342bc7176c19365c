/* Header lines, events, and records kept as they came. */
#include "tl-ev2db.h"

#include "num.h"

void
db_xmeta_text(struct db *d, const char *key, struct tl_str raw)
{
	sqlite3_stmt *s = d->file.insert[DB_META];

	sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
	db_bind_raw(s, 2, raw);
	db_xinsert(&d->file, DB_META);
}

void
db_xmeta_u64(struct db *d, const char *key, uint64_t v)
{
	sqlite3_stmt *s = d->file.insert[DB_META];

	sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, (int64_t)v);
	db_xinsert(&d->file, DB_META);
}

/* The next of the fields of a line, from *p on; false at the end. */
static bool
next_field(struct tl_str *rest, struct tl_str *field)
{
	const char *tab;

	if (rest->p == NULL)
		return false;
	tab = memchr(rest->p, '\t', rest->n);
	field->p = rest->p;
	field->n = tab == NULL ? rest->n : (size_t)(tab - rest->p);
	rest->p = tab == NULL ? NULL : tab + 1;
	rest->n = tab == NULL ? 0 : rest->n - field->n - 1;
	return true;
}

static bool
split_key(struct tl_str field, struct tl_str *key, struct tl_str *value)
{
	const char *eq = memchr(field.p, '=', field.n);

	if (eq == NULL || eq == field.p)
		return false;
	*key = (struct tl_str){ field.p, (size_t)(eq - field.p) };
	*value = (struct tl_str){ eq + 1, field.n - key->n - 1 };
	return value->n > 0;
}

/* #source: a row of tl_meta for each key; of a key given twice the first. */
static void
take_source(struct db *d, struct tl_str rest)
{
	sqlite3_stmt *s = d->file.insert[DB_META];
	struct tl_str field, key, value;
	char name[200] = "source.";

	while (next_field(&rest, &field)) {
		if (!split_key(field, &key, &value) ||
		    key.n > sizeof name - 7)
			continue;
		memcpy(name + 7, key.p, key.n);
		db_bind_raw(s, 1, (struct tl_str){ name, key.n + 7 });
		d->scratch_used = 0;
		db_bind_token(d, s, 2, value);
		db_xinsert(&d->file, DB_META);
	}
}

/* #place: the meanings of tags. */
static void
take_place(struct db *d, struct tl_str rest)
{
	sqlite3_stmt *s = d->file.insert[DB_TAG];
	struct tl_str field, key, value;

	while (next_field(&rest, &field)) {
		uint32_t i;

		if (!split_key(field, &key, &value) ||
		    tl_intern_find(&d->tag.text, key) != UINT32_MAX)
			continue;
		d->scratch_used = 0;
		i = tl_xintern(&d->tag.text, key);
		sqlite3_bind_int64(s, 1, (int64_t)i + 1);
		d->tag.odd = tl_xgrow(d->tag.odd, i, &d->tag.cap, 1);
		d->tag.odd[i] = db_bind_text(d, s, 2, key);
		db_bind_text(d, s, 3, value);
		db_xinsert(&d->file, DB_TAG);
	}
}

static void
bind_key(struct db *d, sqlite3_stmt *s, int at, struct tl_str keys,
    const char *key)
{
	struct tl_str v = tl_key(keys, key);

	if (v.p == NULL)
		sqlite3_bind_null(s, at);
	else
		db_bind_text(d, s, at, v);
}

static void
take_process(struct db *d, struct tl_str rest)
{
	sqlite3_stmt *s = d->file.insert[DB_PROCESS];
	struct tl_str token, pid;
	uint32_t i;
	int64_t v;

	if (!next_field(&rest, &token) || token.n == 0 ||
	    tl_intern_find(&d->process.text, token) != UINT32_MAX)
		return;
	i = tl_xintern(&d->process.text, token);
	d->process.odd = tl_xgrow(d->process.odd, i, &d->process.cap, 1);
	sqlite3_bind_int64(s, 1, (int64_t)i + 1);
	d->process.odd[i] = db_bind_token(d, s, 2, token);
	bind_key(d, s, 3, rest, "name");
	pid = tl_key(rest, "pid");
	if (pid.p != NULL && tl_num_str_i64(pid, &v))
		sqlite3_bind_int64(s, 4, v);
	else
		sqlite3_bind_null(s, 4);
	db_xinsert(&d->file, DB_PROCESS);
}

static void
take_device(struct db *d, struct tl_str rest)
{
	sqlite3_stmt *s = d->file.insert[DB_DEVICE];
	struct tl_str process, token;
	bool odd = false;

	if (!next_field(&rest, &process) || !next_field(&rest, &token) ||
	    token.n == 0)
		return;
	sqlite3_bind_null(s, 1); /* the next number */
	if (tl_str_none(process) || process.n == 0)
		sqlite3_bind_null(s, 2);
	else
		sqlite3_bind_int64(s, 2, db_xprocess(d, process, &odd));
	db_bind_token(d, s, 3, token);
	bind_key(d, s, 4, rest, "name");
	if (rest.n > 0)
		db_bind_raw(s, 5, rest);
	else
		sqlite3_bind_null(s, 5);
	db_xinsert(&d->file, DB_DEVICE);
}

void
db_xheader(struct db *d, struct tl_str line)
{
	sqlite3_stmt *s = d->file.insert[DB_HEADER];
	struct tl_str rest = line, word;

	sqlite3_bind_int64(s, 1, (int64_t)++d->n_header);
	db_bind_raw(s, 2, line);
	db_xinsert(&d->file, DB_HEADER);
	next_field(&rest, &word);
	if (tl_str_is(word, "#source"))
		take_source(d, rest);
	else if (tl_str_is(word, "#process"))
		take_process(d, rest);
	else if (tl_str_is(word, "#device"))
		take_device(d, rest);
	else if (tl_str_is(word, "#place"))
		take_place(d, rest);
	else if (tl_str_is(word, "#tl-ev") && rest.p != NULL)
		db_xmeta_text(d, "stream_version", rest);
}

void
db_xkeep(struct db *d, struct tl_str line)
{
	sqlite3_stmt *s = d->file.insert[DB_OTHER];
	struct tl_str word, rest = line;

	next_field(&rest, &word);
	sqlite3_bind_int64(s, 1, d->line);
	db_bind_raw(s, 2, word);
	db_bind_raw(s, 3, line);
	db_xinsert(&d->file, DB_OTHER);
	d->n_kept++;
}

static void
set(struct db *d, int at, int64_t v)
{
	d->event[at].type = DB_INT;
	d->event[at].i = v;
}

static bool
set_place(struct db *d, struct tl_str place)
{
	struct tl_str tag;
	uint64_t number;
	bool odd = false;

	if (tl_place_split(place, &tag, &number) && number <= INT64_MAX) {
		set(d, 9, db_xtag(d, tag, &odd));
		set(d, 10, (int64_t)number);
		return odd;
	}
	d->event[9].type = DB_NULL;
	return db_text(d, place, &d->event[10]);
}

/* False for an id that is no key, having more than 63 bits. */
static bool
take_id(struct db *d, const struct tl_ev *ev)
{
	char id[24];

	if (ev->id <= d->last_id)
		db_die_at(d, "id", (struct tl_str){ id,
		    tl_num_put_u64(id, ev->id) },
		    "must be more than that of the event above");
	d->last_id = ev->id;
	d->n_events++;
	tl_xevids_add(ev->id > INT64_MAX ? &d->large : &d->ids, ev->id);
	return ev->id <= INT64_MAX;
}

bool
db_xevent(struct db *d, const struct tl_rec *rec)
{
	const struct tl_ev *ev = &rec->ev;
	bool odd = rec->line.p[rec->line.n - 1] == '\t';

	if (!take_id(d, ev)) {
		db_xkeep(d, rec->line);
		d->n_only++;
		return false;
	}
	set(d, 0, (int64_t)ev->id);
	set(d, 1, d->line - (int64_t)ev->id);
	set(d, 2, (int64_t)ev->kind);
	set(d, 3, (int64_t)ev->cls);
	set(d, 4, ev->start_ns);
	set(d, 5, ev->dur_ns);
	if (ev->dur_ns == TL_NONE)
		d->event[5].type = DB_NULL;
	set(d, 6, db_xlane(d, ev, &odd));
	odd |= db_token(d, ev->correlation, &d->event[7]);
	d->event[8].type = DB_NULL;
	if (!tl_str_none(ev->name))
		set(d, 8, db_xname(d, ev->name, &odd));
	odd |= set_place(d, ev->place);
	d->event[11].type = DB_NULL;
	if (ev->keys.n > 0)
		set(d, 11, db_xkeys(d, ev->keys));
	if (odd)
		db_xkeep(d, rec->line);
	return true;
}
