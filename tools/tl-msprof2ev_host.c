#include "tl-msprof2ev.h"

#include <stdio.h>
#include <stdlib.h>

#include "num.h"

static const struct column api_columns[] = {
	{ "startNs", "start", F_START, true }, { "endNs", "end", F_END, true },
	{ "name", NULL, F_NAME, true }, { "globalTid", NULL, F_TID, false },
	{ "connectionId", NULL, F_CONN, false },
	{ "type", "level", F_LEVEL, false }, { NULL, NULL, 0, false },
};

static const struct column pytorch_columns[] = {
	{ "startNs", NULL, F_START, true }, { "endNs", NULL, F_END, true },
	{ "name", NULL, F_NAME, true }, { "globalTid", NULL, F_TID, false },
	{ "connectionId", NULL, F_CONN, false },
	{ "sequenceNumber", NULL, F_SEQUENCE, false },
	{ "fwdThreadId", NULL, F_FORWARD, false },
	{ "type", NULL, F_LEVEL, false }, { NULL, NULL, 0, false },
};

static const struct column mstx_columns[] = {
	{ "startNs", NULL, F_START, true }, { "endNs", NULL, F_END, true },
	{ "message", NULL, F_NAME, true }, { "globalTid", NULL, F_TID, false },
	{ "eventType", NULL, F_LEVEL, false },
	{ "domainId", NULL, F_DOMAIN, false },
	{ "connectionId", NULL, F_CONN, false }, { NULL, NULL, 0, false },
};

static const struct column data_columns[] = {
	{ "start", NULL, F_START, true }, { "end", NULL, F_END, true },
	{ "id", NULL, F_NAME, true }, { "connection_id", NULL, F_CONN, true },
	{ "thread_id", NULL, F_TID, false },
	{ "process_id", NULL, F_PID, false },
	{ "level", NULL, F_LEVEL_NAME, false }, { NULL, NULL, 0, false },
};

/* globalTid: process in the upper 32 bits, thread in the lower ones. */
static void
split_tid(struct msprof *m, struct row *r)
{
	uint64_t id;

	if (row_has(r, F_TID)) {
		id = (uint64_t)r->v[F_TID];
		if (id >> 32 != 0 && id >> 32 != UINT32_MAX)
			row_set(r, F_PID, (int64_t)(id >> 32));
		row_set(r, F_TID, (int64_t)(id & UINT32_MAX));
		if ((id & UINT32_MAX) == UINT32_MAX)
			row_clear(r, F_TID);
	}
	if (row_has(r, F_PID) && r->v[F_PID] == 0)
		row_clear(r, F_PID);
	if (row_has(r, F_PID))
		tl_xmap_add(&m->processes, (struct tl_map_key){
		    { r->v[F_PID] } });
}

/* ---- ids of connections of PyTorch's operators ---- */

struct connections {
	struct tl_map id;
	uint32_t *list; /* text of the ids, with commas between */
	size_t cap;
};

static void
flush_list(struct msprof *m, struct connections *c, int64_t id, char *buf,
    size_t n)
{
	uint32_t i = tl_xmap_add(&c->id, (struct tl_map_key){ { id } });

	c->list = tl_xgrow(c->list, i, &c->cap, sizeof *c->list);
	c->list[i] = xtext(m, (struct tl_str){ buf, n - 1 });
}

static void
load_connections(struct msprof *m, struct connections *c)
{
	struct tl_db *db = &m->base[0].db;
	char buf[4096];
	size_t n = 0;
	int64_t last = 0, id, to;
	sqlite3_stmt *st;

	*c = (struct connections){ .cap = 0 };
	if (!tl_xdb_has_column(db, "CONNECTION_IDS", "id") ||
	    !tl_xdb_has_column(db, "CONNECTION_IDS", "connectionId"))
		return;
	st = tl_xdb_prepare(db, "select distinct id, connectionId from "
	    "CONNECTION_IDS where typeof(id) = 'integer' and "
	    "typeof(connectionId) = 'integer' order by 1, 2");
	while (tl_xdb_step(db, st, "CONNECTION_IDS")) {
		id = sqlite3_column_int64(st, 0);
		to = sqlite3_column_int64(st, 1);
		if (n > 0 && id != last) {
			flush_list(m, c, last, buf, n);
			n = 0;
		}
		last = id;
		if (to < 0 || to == NONE_ID || n > sizeof buf - 24)
			continue;
		n += tl_num_put_i64(buf + n, to);
		buf[n++] = ',';
	}
	if (n > 0)
		flush_list(m, c, last, buf, n);
	sqlite3_finalize(st);
}

static void
set_connections(const struct connections *c, struct row *r)
{
	uint32_t i;

	if (!row_has(r, F_CONN))
		return;
	i = tl_map_find(&c->id, (struct tl_map_key){ { r->v[F_CONN] } });
	row_clear(r, F_CONN);
	if (i != UINT32_MAX)
		row_set(r, F_CONNECTIONS, c->list[i]);
}

/* ---- one file ---- */

static bool
open_table(struct msprof *m, struct reader *rd, struct tl_db *db,
    enum table t, const char *name, const struct column *columns)
{
	char why[400];

	if (xreader_open(m, rd, db, name, columns, NULL, why, sizeof why)) {
		m->table_there[t] = true;
		return true;
	}
	if (rd->table != NULL)
		xnote_early(m, "unusable_table", why);
	reader_close(rd);
	return false;
}

static void
close_table(struct msprof *m, struct reader *rd)
{
	if (m->verbose)
		tl_msg("%s: table %s: %llu rows", rd->db->file.path,
		    rd->table, (unsigned long long)rd->rows);
	reader_close(rd);
}

static void
read_calls(struct msprof *m, struct tl_db *db)
{
	const char *name = tl_xdb_is_table(db, "CANN_API") ? "CANN_API" :
	    "API";
	struct reader rd;
	struct row r;

	if (!open_table(m, &rd, db, T_API, name, api_columns))
		return;
	while (xreader_next(m, &rd, &r)) {
		if (!row_times(m, &r, false))
			continue;
		split_tid(m, &r);
		r.table = T_API;
		r.tag = tag_of(m, T_API, -1);
		xsort_row(m, &r);
	}
	close_table(m, &rd);
}

/* Of ENUM_API_TYPE */
enum { PT_OP = 50001, PT_QUEUE = 50002, PT_PYTHON = 50003, PT_MSTX = 50004 };

static bool
begins(struct tl_str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

static enum tl_kind
pytorch_kind(struct msprof *m, const struct row *r)
{
	switch (row_get(r, F_LEVEL)) {
	case PT_PYTHON:
		return TL_PYTHON;
	case PT_MSTX:
		return TL_RANGE;
	default:
		return begins(text_of(m, row_text(r, F_NAME)),
		    "ProfilerStep#") ? TL_RANGE : TL_OP;
	}
}

static void
read_pytorch(struct msprof *m, struct tl_db *db)
{
	struct connections c;
	struct reader rd;
	struct row r;
	enum tl_kind kind;

	if (!open_table(m, &rd, db, T_PYTORCH, "PYTORCH_API",
	    pytorch_columns))
		return;
	load_connections(m, &c);
	while (xreader_next(m, &rd, &r)) {
		kind = pytorch_kind(m, &r);
		if ((m->kinds >> kind & 1) == 0 || !row_times(m, &r, false))
			continue;
		split_tid(m, &r);
		set_connections(&c, &r);
		if (row_get(&r, F_LEVEL) != PT_QUEUE)
			row_clear(&r, F_LEVEL);
		row_set(&r, F_KIND, kind);
		r.table = T_PYTORCH;
		r.tag = tag_of(m, T_PYTORCH, -1);
		xsort_row(m, &r);
	}
	close_table(m, &rd);
	tl_map_free(&c.id);
	free(c.list);
}

/* Of ENUM_MSTX_EVENT_TYPE */
enum { MSTX_MARKER = 0, MSTX_START_END = 2, MSTX_MARKER_EX = 3 };

static void
read_mstx(struct msprof *m, struct tl_db *db)
{
	struct reader rd;
	struct row r;

	if (!open_table(m, &rd, db, T_MSTX, "MSTX_EVENTS", mstx_columns))
		return;
	while (xreader_next(m, &rd, &r)) {
		int64_t type = row_get(&r, F_LEVEL);
		enum tl_kind kind = !row_has(&r, F_END) ||
		    (type == MSTX_MARKER && row_has(&r, F_LEVEL)) ||
		    type == MSTX_MARKER_EX ? TL_MARK : TL_RANGE;

		if ((m->kinds >> kind & 1) == 0 || !row_times(m, &r, false))
			continue;
		if (kind == TL_MARK)
			r.dur = TL_NONE;
		split_tid(m, &r);
		row_set(&r, F_KIND, kind);
		r.table = T_MSTX;
		r.tag = tag_of(m, T_MSTX, -1);
		xsort_row(m, &r);
	}
	close_table(m, &rd);
}

static void
load_levels(struct msprof *m, struct tl_db *db)
{
	static const char *const tables[] = { "ENUM_API_TYPE",
		"ENUM_API_LEVEL" };
	sqlite3_stmt *st;

	for (size_t t = 0; t < 2; t++) {
		if (!tl_xdb_has_column(db, tables[t], "id") ||
		    !tl_xdb_has_column(db, tables[t], "name"))
			continue;
		st = tl_xdb_prepare(db, "select id, name from \"%w\" "
		    "order by id", tables[t]);
		while (tl_xdb_step(db, st, tables[t])) {
			size_t known = m->levels.n;
			uint32_t i = tl_xmap_add(&m->levels,
			    (struct tl_map_key){
			    { sqlite3_column_int64(st, 0) } });

			if (i < known)
				continue;
			m->level = tl_xgrow(m->level, known, &m->levels_cap,
			    sizeof *m->level);
			m->level[i] = xtext(m, tl_text_cut(tl_db_text(st, 1),
			    &m->count.long_text));
		}
		sqlite3_finalize(st);
	}
}

void
xhost_one(struct msprof *m)
{
	struct tl_db *db = &m->base[0].db;

	load_levels(m, db);
	if ((m->kinds >> TL_API & 1) != 0)
		read_calls(m, db);
	read_pytorch(m, db);
	read_mstx(m, db);
}

/* ---- split ---- */

/* A count of the host's clock to nanoseconds; a row without the time where
 * that does not fit. */
static void
to_ns(struct msprof *m, struct row *r, enum field f)
{
	int64_t khz = m->info.khz, d, max = INT64_MAX / 8;

	if (!row_has(r, f))
		return;
	d = r->v[f] - (khz > 0 ? m->info.host_cnt : 0);
	if (r->v[f] < 0 || (khz > 0 ? d / khz > max / 1000000 ||
	    d / khz < -max / 1000000 : d > max / 10))
		row_clear(r, f);
	else if (khz > 0)
		r->v[f] = d / khz * 1000000 + d % khz * 1000000 / khz +
		    m->info.host_ns + m->info.shift_ns;
	else
		r->v[f] = d * m->info.ticks + m->info.shift_ns;
}

/* Calls looked at to find out what a tick is. */
#define LOOK 1000

static struct look {
	struct tl_map conn;
	int64_t start[LOOK];
	uint64_t least[2]; /* between a call and its task, of ticks 1 and 10 */
} look;

static void
compare(struct msprof *m, struct row *r)
{
	uint32_t i;

	if (!row_has(r, F_CONN))
		return;
	i = tl_map_find(&look.conn, (struct tl_map_key){ { r->v[F_CONN] } });
	for (int k = 0; i != UINT32_MAX && k < 2; k++) {
		int64_t at = look.start[i] * (k == 0 ? 1 : 10) +
		    m->info.shift_ns;
		uint64_t d = at < r->start ? (uint64_t)r->start -
		    (uint64_t)at : (uint64_t)at - (uint64_t)r->start;

		if (d < look.least[k])
			look.least[k] = d;
	}
}

static void
guess_ticks(struct msprof *m, struct base *b)
{
	struct counts before = m->count;
	struct reader rd;
	struct row r;
	char why[400];

	m->info.ticks = 1;
	if (m->info.khz > 0 || !xreader_open(m, &rd, &b->db, "ApiData",
	    data_columns, NULL, why, sizeof why))
		return;
	look = (struct look){ .least = { UINT64_MAX, UINT64_MAX } };
	while (look.conn.n < LOOK && xreader_next(m, &rd, &r)) {
		size_t known = look.conn.n;

		if (row_has(&r, F_CONN) && row_has(&r, F_START) &&
		    r.v[F_START] >= 0 && r.v[F_START] < INT64_MAX / 20 &&
		    tl_xmap_add(&look.conn, (struct tl_map_key){
		    { r.v[F_CONN] } }) == known)
			look.start[known] = r.v[F_START];
	}
	reader_close(&rd);
	xascend_each(m, compare);
	m->count = before;
	m->info.ticks_told = look.least[0] != UINT64_MAX;
	if (look.least[1] < look.least[0])
		m->info.ticks = 10;
	tl_map_free(&look.conn);
}

void
xhost_split(struct msprof *m)
{
	struct base *b = base_with(m, -1, "ApiData");
	struct reader rd;
	struct row r;

	if (b == NULL || (m->kinds >> TL_API & 1) == 0)
		return;
	guess_ticks(m, b);
	if (!open_table(m, &rd, &b->db, T_API, "ApiData", data_columns))
		return;
	while (xreader_next(m, &rd, &r)) {
		to_ns(m, &r, F_START);
		to_ns(m, &r, F_END);
		if (!row_times(m, &r, false))
			continue;
		if (m->info.pid > 0 && !row_has(&r, F_PID))
			row_set(&r, F_PID, m->info.pid);
		split_tid(m, &r);
		r.table = T_API;
		r.tag = tag_of(m, T_API, -1);
		xsort_row(m, &r);
	}
	close_table(m, &rd);
}
