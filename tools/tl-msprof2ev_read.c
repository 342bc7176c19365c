#include "tl-msprof2ev.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "num.h"

/* ---- numbers ---- */

/* Text of a decimal number, maybe with a fraction and an exponent, as whole
 * nanoseconds; what is below is cut off. *rounded: it has an exponent, which
 * is how SQLite writes a real number, with 15 digits. */
static bool
text_ns(struct tl_str s, int64_t *ns, bool *rounded)
{
	char buf[80];

	*rounded = false;
	if (tl_num_str_i64(s, ns))
		return true;
	if (s.n == 0 || s.n > sizeof buf - 8)
		return false;
	/* a number of microseconds to nanoseconds, a thousandth of it */
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == 'e' || s.p[i] == 'E') {
			int64_t exp;
			struct tl_str e = { s.p + i + 1, s.n - i - 1 };

			if (e.n > 0 && e.p[0] == '+') {
				e.p++;
				e.n--;
			}
			while (e.n > 1 && e.p[0] == '0') {
				e.p++;
				e.n--;
			}
			if (!tl_num_str_i64(e, &exp) || exp < -99 || exp > 99)
				return false;
			*rounded = true;
			snprintf(buf, sizeof buf, "%.*se%ld", (int)i, s.p,
			    (long)exp - 3);
			s = (struct tl_str){ buf, strlen(buf) };
			return tl_num_us_ns(s, ns) < TL_NUM_BAD;
		}
	snprintf(buf, sizeof buf, "%.*se-3", (int)s.n, s.p);
	return tl_num_us_ns((struct tl_str){ buf, strlen(buf) }, ns) <
	    TL_NUM_BAD;
}

/* A real number is exact up to 2^53. */
static bool
real_ns(double d, int64_t *ns, bool *rounded)
{
	if (!(d >= -9.2e18 && d <= 9.2e18))
		return false;
	*rounded = fabs(d) > 9007199254740992.0;
	*ns = (int64_t)d;
	return true;
}

static void
read_time(struct msprof *m, struct row *r, enum field f, sqlite3_value *v)
{
	bool ok = true, rounded = false;
	int64_t ns = 0;
	struct tl_str s;

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		ns = sqlite3_value_int64(v);
		break;
	case SQLITE_FLOAT:
		ok = real_ns(sqlite3_value_double(v), &ns, &rounded);
		break;
	case SQLITE_TEXT:
		s.p = (const char *)sqlite3_value_text(v);
		s.n = (size_t)sqlite3_value_bytes(v);
		ok = s.p != NULL && text_ns(s, &ns, &rounded);
		break;
	case SQLITE_NULL:
		return;
	default:
		ok = false;
	}
	m->count.odd += !ok;
	m->count.rounded += ok && rounded;
	if (ok)
		row_set(r, f, ns);
}

static bool
says_none(struct tl_str s)
{
	return s.n == 0 || tl_str_is(s, "N/A");
}

/* A name: its number among STRING_IDS, or itself, as always in the split
 * layout. */
static void
read_text(struct msprof *m, struct row *r, enum field f, sqlite3_stmt *st,
    int i, sqlite3_value *v)
{
	struct tl_str s;
	uint32_t t;
	int64_t id;

	switch (m->split && sqlite3_value_type(v) == SQLITE_INTEGER ?
	    SQLITE_TEXT : sqlite3_value_type(v)) {
	case SQLITE_NULL:
		return;
	case SQLITE_TEXT:
		s = tl_db_text(st, i);
		if (f != F_GROUP && says_none(s))
			return;
		row_set(r, f, xtext(m, tl_text_cut(s, &m->count.long_text)));
		return;
	default:
		if (tl_db_int(v, &id) != TL_DB_INT) {
			m->count.odd++;
			return;
		}
		t = xtext_of_id(m, id, f == F_TYPE ? "type" : "name");
		if (f == F_GROUP || !says_none(text_of(m, t)))
			row_set(r, f, t);
	}
}

/* Numbers that msprof writes for none. */
static bool
none_is_max(enum field f)
{
	return f >= F_DEVICE && f <= F_CONN;
}

static void
read_number(struct msprof *m, struct row *r, enum field f, sqlite3_value *v)
{
	int64_t num;

	switch (tl_db_int(v, &num)) {
	case TL_DB_INT:
		if (none_is_max(f) && (num < 0 || num == NONE_ID))
			return;
		row_set(r, f, num);
		break;
	case TL_DB_ODD:
		m->count.odd++;
		break;
	case TL_DB_NONE:
		break;
	}
}

/* ---- tables ---- */

/* A column by its name or its earlier one; NULL if it is not there. */
static const char *
name_in(struct tl_db *db, const char *table, const struct column *c)
{
	if (tl_xdb_has_column(db, table, c->name))
		return c->name;
	if (c->old != NULL && tl_xdb_has_column(db, table, c->old))
		return c->old;
	return NULL;
}

/* The columns that are there, for select. NULL, with the reason, if one that
 * is needed is not. */
static char *
select_list(struct reader *rd, const struct column *columns, char *why,
    size_t size)
{
	char *list = sqlite3_mprintf("_rowid_");

	for (const struct column *c = columns; c->name != NULL; c++) {
		const char *name = name_in(rd->db, rd->table, c);

		if (name == NULL && c->required) {
			snprintf(why, size, "%s: table %s: column '%s' is "
			    "missing, which a row of it cannot be used "
			    "without", rd->db->file.path, rd->table, c->name);
			sqlite3_free(list);
			return NULL;
		}
		if (name == NULL)
			continue;
		list = sqlite3_mprintf("%z,\"%w\"", list, name);
		rd->field[rd->n++] = c->field;
	}
	if (list == NULL)
		tl_die("out of memory: columns of %s", rd->table);
	return list;
}

bool
xreader_open(struct msprof *m, struct reader *rd, struct tl_db *db,
    const char *table, const struct column *columns, const char *where,
    char *why, size_t size)
{
	char *list;

	(void)m;
	*rd = (struct reader){ .db = db };
	if (!tl_xdb_is_table(db, table)) {
		snprintf(why, size, "%s: no table %s", db->file.path, table);
		return false;
	}
	rd->table = tl_xstrdup(table);
	list = select_list(rd, columns, why, size);
	if (list == NULL)
		return false;
	rd->st = tl_xdb_prepare(db, "select %s from \"%w\" not indexed %s",
	    list, table, where != NULL ? where : "");
	sqlite3_free(list);
	return true;
}

bool
xreader_next(struct msprof *m, struct reader *rd, struct row *r)
{
	if (!tl_xdb_step(rd->db, rd->st, rd->table))
		return false;
	r->has = 0;
	r->rowid = (uint64_t)sqlite3_column_int64(rd->st, 0);
	for (int i = 1; i <= rd->n; i++) {
		enum field f = rd->field[i - 1];
		sqlite3_value *v = sqlite3_column_value(rd->st, i);

		if (f >= F_START)
			read_time(m, r, f, v);
		else if (f < N_TEXTS)
			read_text(m, r, f, rd->st, i, v);
		else
			read_number(m, r, f, v);
	}
	rd->rows++;
	return true;
}

void
reader_close(struct reader *rd)
{
	sqlite3_finalize(rd->st);
	free(rd->table);
	*rd = (struct reader){ .st = NULL };
}

bool
row_times(struct msprof *m, struct row *r, bool on_device)
{
	int64_t end;

	if (!row_has(r, F_START) || (on_device && !row_has(r, F_END) &&
	    !row_has(r, F_DUR))) {
		m->count.no_time++;
		return false;
	}
	r->start = r->v[F_START];
	r->dur = TL_NONE;
	if (row_has(r, F_DUR)) {
		r->dur = r->v[F_DUR];
	} else if (row_has(r, F_END)) {
		end = r->v[F_END];
		if (r->start < 0 && end > INT64_MAX + r->start)
			r->dur = -2;
		else
			r->dur = end < r->start ? -2 : end - r->start;
	} else {
		return true;
	}
	if (r->dur < 0 || r->start > INT64_MAX - r->dur) {
		m->count.end_first++;
		return false;
	}
	return true;
}
