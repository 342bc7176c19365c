#include "tl-nsys2ev.h"

#include <stdio.h>

#include "num.h"

/* eventClass of calls with a backtrace: these repeat a call's row. */
#define CLASS_BACKTRACE 67
#define CLASS_BACKTRACE_LAST 69
/* eventClass of rows that say that tracing began or ended. */
#define CLASS_OSRT_START 31
#define CLASS_OSRT_FINISH 32

/* The text of F_TEXT, or of a name that is given as itself and not as an id,
 * up to its first NUL byte. */
static void
read_text(struct row *r, sqlite3_value *v)
{
	struct tl_str s = { (const char *)sqlite3_value_text(v), 0 };
	const char *nul;

	s.n = (size_t)sqlite3_value_bytes(v);
	if (s.p == NULL || s.n == 0)
		return;
	nul = memchr(s.p, '\0', s.n);
	if (nul != NULL)
		s.n = (size_t)(nul - s.p);
	s = tl_text_cut(s, &r->t->long_text);
	if (r->buf_cap < s.n) {
		r->buf_cap = s.n * 2;
		r->buf = tl_xreallocarray(r->buf, r->buf_cap, 1);
	}
	if (s.n > 0)
		memcpy(r->buf, s.p, s.n);
	r->text = (struct tl_str){ r->buf, s.n };
}

/* A value that is neither an integer nor NULL. */
static void
read_other(struct row *r, enum field f, sqlite3_value *v, int type)
{
	int64_t num;

	if (f == F_TEXT) {
		if (type == SQLITE_TEXT)
			read_text(r, v);
		else
			r->t->odd++;
		return;
	}
	switch (tl_db_int(v, &num)) {
	case TL_DB_INT:
		r->v[f] = num;
		r->has |= 1U << f;
		break;
	case TL_DB_ODD:
		if (f == F_NAME && type == SQLITE_TEXT)
			read_text(r, v);
		else
			r->t->odd++;
		break;
	case TL_DB_NONE:
		break;
	}
}

/* tl_row(_rowid_, columns ...): the columns of a row into nsys.reader's row.
 * A function gets its arguments as they lie in SQLite's registers, which is
 * cheaper than to ask for each column of a result. */
static void
row_step(sqlite3_context *ctx, int argc, sqlite3_value **v)
{
	struct reader *rd = ((struct nsys *)sqlite3_user_data(ctx))->reader;
	struct row *r = rd->row;

	r->rowid = (uint64_t)sqlite3_value_int64(v[0]);
	for (int i = 1; i < argc; i++) {
		enum field f = rd->t->field[i - 1];
		int type = sqlite3_value_type(v[i]);

		if (type == SQLITE_INTEGER && f != F_TEXT) {
			r->v[f] = sqlite3_value_int64(v[i]);
			r->has |= 1U << f;
		} else if (type != SQLITE_NULL) {
			read_other(r, f, v[i], type);
		}
	}
}

void
xreader_setup(struct nsys *n)
{
	if (sqlite3_create_function_v2(n->db.file.db, "tl_row", -1, SQLITE_UTF8, n,
	    row_step, NULL, NULL, NULL) != SQLITE_OK)
		tl_die("%s: %s", n->db.file.path, sqlite3_errmsg(n->db.file.db));
}

void
xreader_open(struct nsys *n, struct reader *rd, struct table *t,
    const struct run *run)
{
	char where[96] = "";

	if (run->from != INT64_MIN || run->to != INT64_MAX)
		snprintf(where, sizeof where, "where _rowid_ >= %lld and "
		    "_rowid_ <= %lld", (long long)run->from,
		    (long long)run->to);
	*rd = (struct reader){ .t = t, .last_row = INT64_MIN,
		.last_start = INT64_MIN };
	rd->st = xprepare(n, "select tl_row(%s) from \"%w\" not indexed %s "
	    "order by _rowid_", t->columns, t->name, where);
}

void
reader_close(struct reader *rd)
{
	sqlite3_finalize(rd->st);
	rd->st = NULL;
}

/* Sets the duration. False where the row has none that can be, and needs one:
 * counted here. CUPTI writes 0 to both times of device work that it could not
 * measure; exports of before 2022 write 0 for an end that is not known. */
static bool
set_dur(struct table *t, struct row *r)
{
	bool end = row_has(r, F_END);
	int64_t end_ns = end ? r->v[F_END] : 0;

	if (!row_has(r, F_START) || (!end && t->spec->device)) {
		t->no_time++;
		return false;
	}
	r->start = r->v[F_START];
	if (t->spec->device && r->start == 0 && end_ns == 0) {
		t->zero_time++;
		return false;
	}
	r->dur = TL_NONE;
	if (!end || (!t->spec->device && end_ns == 0 && r->start > 0))
		return true;
	if (end_ns < r->start ||
	    (r->start < 0 && end_ns > INT64_MAX + r->start)) {
		t->end_first++;
		return false;
	}
	r->dur = end_ns - r->start;
	return true;
}

/* What a row of NVTX_EVENTS is, by ENUM_NSYS_EVENT_TYPE; TL_OTHER if it is no
 * event. 65 to 71 are those that nsys import makes of a text file. */
enum tl_kind
nvtx_kind(const struct row *r)
{
	if (!row_has(r, F_KIND))
		return row_has(r, F_END) ? TL_RANGE : TL_MARK;
	switch (r->v[F_KIND]) {
	case NVTX_MARK:
	case NVTXT_MARK:
		return TL_MARK;
	case NVTX_PUSH_POP:
	case NVTX_START_END:
	case NVTXT_PUSH_POP:
	case NVTXT_START_END:
		return TL_RANGE;
	default:
		return TL_OTHER;
	}
}

/* Is the row an event that is wanted? Counted where it is none. */
static bool
is_event(struct nsys *n, struct table *t, const struct row *r)
{
	int64_t class = row_or0(r, F_KIND);
	enum tl_kind kind;

	switch ((enum table_id)(t->spec - specs)) {
	case T_DRIVER:
	case T_RUNTIME:
		if (class < CLASS_BACKTRACE || class > CLASS_BACKTRACE_LAST)
			return true;
		t->backtraces++;
		return false;
	case T_OSRT:
		if (class != CLASS_OSRT_START && class != CLASS_OSRT_FINISH)
			return true;
		break;
	case T_NVTX:
		kind = nvtx_kind(r);
		if (kind != TL_OTHER)
			return (n->kinds >> kind & 1) != 0;
		break;
	default:
		return true;
	}
	t->other_kind++;
	return false;
}

/* In a damaged file a page can be in two places, and the second pass need not
 * meet what the first one met. */
static bool
in_order(struct nsys *n, struct reader *rd, const struct row *r)
{
	bool ok = (rd->last_row < (int64_t)r->rowid ||
	    rd->last_row == INT64_MIN) &&
	    (rd->t->disordered || r->start >= rd->last_start);

	if (!ok)
		xdamaged(n, rd->t->name, "its rows are in no order");
	rd->last_row = (int64_t)r->rowid;
	rd->last_start = r->start;
	return ok;
}

bool
xreader_next(struct nsys *n, struct reader *rd, struct row *r)
{
	n->reader = rd;
	rd->row = r;
	r->t = rd->t;
	do {
		r->has = 0;
		r->text.n = 0;
		if (!xstep(n, rd->st, rd->t->name))
			return false;
	} while (!is_event(n, rd->t, r) || !set_dur(rd->t, r));
	return in_order(n, rd, r);
}
