#include "tl-msprof2ev.h"

#include <stdlib.h>

const struct column task_columns[] = {
	{ "startNs", "start", F_START, true }, { "endNs", "end", F_END, true },
	{ "deviceId", NULL, F_DEVICE, true },
	{ "streamId", NULL, F_STREAM, true },
	{ "taskId", NULL, F_TASK, true },
	{ "globalTaskId", "correlationId", F_ID, true },
	{ "connectionId", NULL, F_CONN, true },
	{ "taskType", NULL, F_TYPE, true },
	{ "contextId", NULL, F_CONTEXT, false },
	{ "modelId", NULL, F_MODEL, false },
	{ "globalPid", NULL, F_PID, false }, { NULL, NULL, 0, false },
};

static const struct column ascend_columns[] = {
	{ "start_time", NULL, F_START, true },
	{ "duration", NULL, F_DUR, true },
	{ "stream_id", NULL, F_STREAM, true },
	{ "task_id", NULL, F_TASK, true },
	{ "context_id", NULL, F_CONTEXT, true },
	{ "connection_id", NULL, F_CONN, true },
	{ "host_task_type", NULL, F_TYPE, true },
	{ "device_task_type", NULL, F_TYPE_DEVICE, true },
	{ "batch_id", NULL, F_BATCH, false },
	{ "model_id", NULL, F_MODEL, false }, { NULL, NULL, 0, false },
};

/* ---- rows in the sorter ---- */

static size_t
pack(char *buf, const struct row *r)
{
	uint32_t table = (uint32_t)r->table;
	char *p = buf;

	memcpy(p, &table, sizeof table);
	p += sizeof table;
	memcpy(p, &r->has, sizeof r->has);
	p += sizeof r->has;
	for (int f = 0; f < F_START; f++) {
		if (!row_has(r, (enum field)f))
			continue;
		memcpy(p, &r->v[f], sizeof r->v[f]);
		p += sizeof r->v[f];
	}
	return (size_t)(p - buf);
}

void
unpack_row(const struct tl_sort_rec *rec, struct row *r)
{
	const char *p = rec->data;
	uint32_t table;

	memcpy(&table, p, sizeof table);
	p += sizeof table;
	r->table = (enum table)table;
	r->start = rec->start_ns;
	r->dur = rec->dur_ns;
	r->rowid = rec->row;
	r->tag = rec->tag;
	memcpy(&r->has, p, sizeof r->has);
	p += sizeof r->has;
	for (int f = 0; f < F_START; f++) {
		if (!row_has(r, (enum field)f))
			continue;
		memcpy(&r->v[f], p, sizeof r->v[f]);
		p += sizeof r->v[f];
	}
}

void
xsort_row(struct msprof *m, struct row *r)
{
	char buf[sizeof r->v + 16];
	struct tl_sort_rec rec = { .start_ns = r->start, .dur_ns = r->dur,
		.tag = r->tag, .row = r->rowid, .data = buf };

	rec.len = (uint32_t)pack(buf, r);
	tl_xsort_add(m->sort, &rec);
}

/* ---- tasks ---- */

enum tl_kind
task_kind(struct msprof *m, const struct row *r)
{
	switch (type_kind(m, row_text(r, F_TYPE))) {
	case TL_ASCEND_SYNC:
		return TL_SYNC;
	case TL_ASCEND_COPY:
		return TL_MEMCPY;
	case TL_ASCEND_COMPUTE:
		return TL_KERNEL;
	default:
		return row_has(r, F_NAME) ? TL_KERNEL : TL_TASK;
	}
}

static void
place_seen(struct msprof *m, const struct row *r)
{
	tl_xmap_add(&m->places, (struct tl_map_key){
	    { row_get(r, F_DEVICE), row_get(r, F_PID) } });
	if (row_has(r, F_PID))
		tl_xmap_add(&m->processes, (struct tl_map_key){
		    { r->v[F_PID] } });
	if (m->first_ns > m->last_ns || r->start < m->first_ns)
		m->first_ns = r->start;
	if (r->start > m->last_ns)
		m->last_ns = r->start;
}

/* A task whose times and identity are known. */
static void
task(struct msprof *m, struct row *r)
{
	enum tl_ascend_type type = type_kind(m, row_text(r, F_TYPE));

	if (type == TL_ASCEND_PROFILER) {
		m->count.profiler++;
		return;
	}
	if (row_has(r, F_PID) && r->v[F_PID] == 0)
		row_clear(r, F_PID);
	r->table = T_TASK;
	r->tag = tag_of(m, T_TASK, m->split ? row_get(r, F_DEVICE) : -1);
	place_seen(m, r);
	m->count.tasks++;
	m->count.unnamed += !row_has(r, F_NAME) && !row_has(r, F_COMM);
	m->count.executes += type == TL_ASCEND_EXECUTE;
	xcoll_task(m, r);
	if ((m->kinds >> task_kind(m, r) & 1) == 0)
		return;
	m->count.parts += row_has(r, F_DETAIL);
	xsort_row(m, r);
}

/* ---- one file ---- */

void
xtasks_one(struct msprof *m)
{
	struct tl_db *db = &m->base[0].db;
	struct reader rd;
	struct row r;
	char why[400];

	m->table_there[T_TASK] = true;
	if (!xreader_open(m, &rd, db, "TASK", task_columns, NULL, why,
	    sizeof why))
		tl_die("%s", why);
	while (xreader_next(m, &rd, &r)) {
		if (!row_times(m, &r, true))
			continue;
		identify(m, &r);
		task(m, &r);
	}
	if (m->verbose)
		tl_msg("%s: table TASK: %llu rows", db->file.path,
		    (unsigned long long)rd.rows);
	reader_close(&rd);
}

/* ---- split ---- */

struct host_types {
	struct tl_map conn;
	uint32_t *type;
	size_t cap;
};

static const struct column host_columns[] = {
	{ "connection_id", NULL, F_CONN, true },
	{ "task_type", NULL, F_TYPE, true }, { NULL, NULL, 0, false },
};

/* Types of tasks by connection, for those that have none. */
static void
load_host_types(struct msprof *m, struct host_types *h)
{
	struct base *b = base_with(m, -1, "HostTask");
	struct reader rd;
	struct row r;
	char why[400];

	*h = (struct host_types){ .cap = 0 };
	if (b == NULL)
		return;
	if (!xreader_open(m, &rd, &b->db, "HostTask", host_columns, NULL, why,
	    sizeof why)) {
		xnote_early(m, "unusable_table", why);
		reader_close(&rd);
		return;
	}
	while (xreader_next(m, &rd, &r)) {
		size_t known = h->conn.n;
		uint32_t i;

		if (!row_has(&r, F_CONN) || !row_has(&r, F_TYPE))
			continue;
		i = tl_xmap_add(&h->conn, (struct tl_map_key){
		    { r.v[F_CONN] } });
		if (i < known)
			continue;
		h->type = tl_xgrow(h->type, known, &h->cap, sizeof *h->type);
		h->type[i] = row_text(&r, F_TYPE);
	}
	reader_close(&rd);
}

static void
drop_unknown(struct msprof *m, struct row *r, enum field f)
{
	if (row_has(r, f) && tl_str_is(text_of(m, row_text(r, f)), "UNKNOWN"))
		row_clear(r, f);
}

/* The type the host meant, else the one of its call, else the device's; of a
 * part of a collective the device's. */
static void
settle_type(struct msprof *m, const struct host_types *h, struct row *r)
{
	uint32_t i;

	drop_unknown(m, r, F_TYPE);
	drop_unknown(m, r, F_TYPE_DEVICE);
	if (row_has(r, F_TYPE_DEVICE) && (row_has(r, F_COMM) ||
	    !row_has(r, F_TYPE))) {
		i = row_has(r, F_COMM) || !row_has(r, F_CONN) ? UINT32_MAX :
		    tl_map_find(&h->conn, (struct tl_map_key){
		    { r->v[F_CONN] } });
		row_set(r, F_TYPE, i == UINT32_MAX ? r->v[F_TYPE_DEVICE] :
		    h->type[i]);
	} else if (!row_has(r, F_TYPE) && row_has(r, F_CONN)) {
		i = tl_map_find(&h->conn, (struct tl_map_key){
		    { r->v[F_CONN] } });
		if (i != UINT32_MAX)
			row_set(r, F_TYPE, h->type[i]);
	}
	row_clear(r, F_TYPE_DEVICE);
}

/* msprof writes -1 for times that it does not know. */
static bool
ascend_times(struct msprof *m, struct row *r)
{
	if (row_has(r, F_START) && r->v[F_START] < 0)
		row_clear(r, F_START);
	if (row_has(r, F_DUR) && r->v[F_DUR] < 0)
		row_clear(r, F_DUR);
	if (row_has(r, F_START) && r->v[F_START] > INT64_MAX / 2)
		row_clear(r, F_START);
	if (!row_times(m, r, true))
		return false;
	if (r->dur > INT64_MAX / 4) {
		m->count.no_time++;
		return false;
	}
	r->start += m->info.shift_ns;
	return true;
}

static void
each_of(struct msprof *m, const struct host_types *h, int64_t device,
    void (*each)(struct msprof *, struct row *))
{
	struct base *b = base_with(m, device, "AscendTask");
	struct reader rd;
	struct row r;
	char why[400];

	if (b == NULL)
		return;
	if (!xreader_open(m, &rd, &b->db, "AscendTask", ascend_columns, NULL,
	    why, sizeof why))
		tl_die("%s", why);
	while (xreader_next(m, &rd, &r)) {
		if (!ascend_times(m, &r))
			continue;
		row_set(&r, F_DEVICE, device);
		if (m->info.pid > 0)
			row_set(&r, F_PID, m->info.pid);
		identify(m, &r);
		settle_type(m, h, &r);
		each(m, &r);
	}
	if (m->verbose)
		tl_msg("%s: table AscendTask: %llu rows", b->path,
		    (unsigned long long)rd.rows);
	reader_close(&rd);
}

void
xascend_each(struct msprof *m, void (*each)(struct msprof *, struct row *))
{
	struct host_types h;

	load_host_types(m, &h);
	for (size_t i = 0; i < m->n_devices; i++)
		each_of(m, &h, m->devices[i], each);
	tl_map_free(&h.conn);
	free(h.type);
}

void
xtasks_split(struct msprof *m)
{
	m->table_there[T_TASK] = true;
	xascend_each(m, task);
}
