#include "tl-msprof2ev.h"

#include <stdlib.h>

static const struct column coll_columns[] = {
	{ "opName", NULL, F_NAME, true }, { "startNs", "start", F_START, true },
	{ "endNs", "end", F_END, true }, { "connectionId", NULL, F_CONN, true },
	{ "opId", NULL, F_OP, false }, { "opType", NULL, F_OP_TYPE, false },
	{ "deviceId", NULL, F_DEVICE, false },
	{ "groupName", NULL, F_GROUP, false },
	{ "dataType", NULL, F_DATA_TYPE, false },
	{ "algType", NULL, F_ALG, false }, { "count", NULL, F_COUNT, false },
	{ "relay", NULL, F_RELAY, false }, { "retry", NULL, F_RETRY, false },
	{ NULL, NULL, 0, false },
};

#define SPLIT_COLUMNS \
	{ "op_name", NULL, F_NAME, true }, \
	{ "op_type", NULL, F_OP_TYPE, true }, \
	{ "connection_id", NULL, F_CONN, true }, \
	{ "group_name", NULL, F_GROUP, false }, \
	{ "data_type", NULL, F_DATA_NAME, false }, \
	{ "alg_type", NULL, F_ALG, false }, \
	{ "count", NULL, F_COUNT, false }, \
	{ "relay", NULL, F_RELAY, false }, { "retry", NULL, F_RETRY, false }

static const struct column host_columns[] = {
	SPLIT_COLUMNS, { "device_id", NULL, F_DEVICE, true },
	{ "index_id", NULL, F_OP, false }, { NULL, NULL, 0, false },
};

static const struct column device_columns[] = {
	SPLIT_COLUMNS, { "index_id", NULL, F_OP, false },
	{ NULL, NULL, 0, false },
};

static struct coll *
add(struct msprof *m, const struct row *r)
{
	struct coll *c;

	if (m->n_colls >= UINT32_MAX - 1)
		tl_die("out of memory: more than %zu collectives", m->n_colls);
	m->coll = tl_xgrow(m->coll, m->n_colls, &m->colls_cap,
	    sizeof *m->coll);
	c = &m->coll[m->n_colls++];
	*c = (struct coll){ .row = *r, .device = -1, .stream = -1,
		.longest = -1 };
	c->row.table = T_COMM;
	return c;
}

/* Ties a key to a collective, unless it is tied to an earlier one; that of the
 * key. */
static uint32_t
enter(struct msprof *m, struct tl_map_key key, uint32_t coll)
{
	size_t known = m->coll_op.n;
	uint32_t i = tl_xmap_add(&m->coll_op, key);

	if (i == known) {
		m->op_coll = tl_xgrow(m->op_coll, known, &m->op_coll_cap,
		    sizeof *m->op_coll);
		m->op_coll[i] = coll;
	}
	return m->op_coll[i];
}

static uint32_t
look_up(const struct msprof *m, struct tl_map_key key)
{
	uint32_t i = tl_map_find(&m->coll_op, key);

	return i == UINT32_MAX ? i : m->op_coll[i];
}

/* Older tables do not tell the type: a name is that, and from "__" on what
 * tells one instance from another. */
static void
type_from_name(struct msprof *m, struct row *r)
{
	struct tl_str s = text_of(m, row_text(r, F_NAME));

	if (row_has(r, F_OP_TYPE))
		return;
	for (size_t i = 1; i + 1 < s.n; i++)
		if (s.p[i] == '_' && s.p[i + 1] == '_') {
			row_set(r, F_OP_TYPE, xtext(m,
			    (struct tl_str){ s.p, i + 1 }));
			return;
		}
}

void
xcolls_one(struct msprof *m)
{
	struct reader rd;
	struct row r;
	char why[400];

	if (!xreader_open(m, &rd, &m->base[0].db, "COMMUNICATION_OP",
	    coll_columns, NULL, why, sizeof why)) {
		if (rd.table != NULL)
			xnote_early(m, "unusable_table", why);
		reader_close(&rd);
		return;
	}
	m->table_there[T_COMM] = true;
	while (xreader_next(m, &rd, &r)) {
		if (!row_times(m, &r, true))
			continue;
		type_from_name(m, &r);
		add(m, &r)->end = r.start + r.dur;
	}
	reader_close(&rd);
}

/* ---- split ---- */

static void
load_split(struct msprof *m, struct base *b, const char *table,
    const struct column *columns)
{
	struct reader rd;
	struct row r;
	char why[400];

	if (!xreader_open(m, &rd, &b->db, table, columns, NULL, why,
	    sizeof why)) {
		xnote_early(m, "unusable_table", why);
		reader_close(&rd);
		return;
	}
	m->table_there[T_COMM] = true;
	while (xreader_next(m, &rd, &r)) {
		if (!row_has(&r, F_CONN))
			continue;
		if (b->device >= 0)
			row_set(&r, F_DEVICE, b->device);
		r.tag = tag_of(m, T_COMM, b->device);
		type_from_name(m, &r);
		add(m, &r)->unset = true;
	}
	reader_close(&rd);
}

/* The time of a collective is that of its parts; names of all parts must be
 * one. */
static void
part(struct msprof *m, struct row *r)
{
	uint32_t i;
	struct coll *c;

	if (!row_has(r, F_COMM) || !row_has(r, F_CONN))
		return;
	i = look_up(m, (struct tl_map_key){
	    { row_get(r, F_DEVICE), r->v[F_CONN] } });
	if (i == UINT32_MAX)
		return;
	c = &m->coll[i];
	if (c->unset) {
		c->row.start = r->start;
		c->end = r->start + r->dur;
		c->unset = false;
		row_set(&c->row, F_COMM, r->v[F_COMM]);
	}
	c->twice |= row_get(&c->row, F_COMM) != r->v[F_COMM];
	if (r->start < c->row.start)
		c->row.start = r->start;
	if (r->start + r->dur > c->end)
		c->end = r->start + r->dur;
}

/* Those with parts of their own. */
static void
drop_unset(struct msprof *m)
{
	size_t k = 0;

	for (size_t i = 0; i < m->n_colls; i++) {
		struct coll *c = &m->coll[i];

		if (c->twice || c->unset) {
			m->count.split_twice++;
			continue;
		}
		c->row.dur = c->end - c->row.start;
		row_clear(&c->row, F_COMM);
		m->coll[k++] = *c;
	}
	m->n_colls = k;
}

void
xcolls_split(struct msprof *m)
{
	struct base *b = base_with(m, -1, "HCCLOP");
	struct counts before;

	if (b != NULL)
		load_split(m, b, "HCCLOP", host_columns);
	for (size_t i = 0; b == NULL && i < m->n_devices; i++) {
		struct base *d = base_with(m, m->devices[i],
		    "HCCLOpSingleDevice");

		if (d != NULL)
			load_split(m, d, "HCCLOpSingleDevice", device_columns);
	}
	if (m->n_colls == 0)
		return;
	for (uint32_t i = 0; i < m->n_colls; i++) {
		const struct row *r = &m->coll[i].row;
		uint32_t k = enter(m, (struct tl_map_key){
		    { row_get(r, F_DEVICE), row_get(r, F_CONN) } }, i);

		if (k != i)
			m->coll[k].twice = m->coll[i].twice = true;
	}
	before = m->count;
	xascend_each(m, part);
	m->count = before;
	tl_map_reset(&m->coll_op);
	drop_unset(m);
}

/* ---- tasks of collectives ---- */

void
xcolls_index(struct msprof *m)
{
	for (uint32_t i = 0; i < m->n_colls; i++) {
		struct coll *c = &m->coll[i];

		xspan_add(&m->coll_at, (struct tl_map_key){
		    { row_get(&c->row, F_CONN),
		    row_get(&c->row, F_DEVICE) } }, c->row.start, c->end);
		if (!m->split && row_has(&c->row, F_OP))
			enter(m, (struct tl_map_key){ { c->row.v[F_OP] } }, i);
	}
	xspans_done(&m->coll_at);
}

static struct coll *
coll_of(struct msprof *m, const struct row *r)
{
	uint32_t i = UINT32_MAX;
	int64_t device = row_get(r, F_DEVICE), end = r->start + r->dur;

	if (!m->split && row_has(r, F_OP) && row_has(r, F_COMM)) {
		i = look_up(m, (struct tl_map_key){ { r->v[F_OP] } });
		if (i != UINT32_MAX && row_has(&m->coll[i].row, F_DEVICE) &&
		    m->coll[i].row.v[F_DEVICE] != device)
			i = UINT32_MAX;
	}
	if (i == UINT32_MAX && row_has(r, F_CONN)) {
		struct tl_map_key key = { { r->v[F_CONN], device } };

		i = span_over(&m->coll_at, key, r->start, end);
		if (i == UINT32_MAX) {
			key.k[1] = -1;
			i = span_over(&m->coll_at, key, r->start, end);
		}
	}
	return i == UINT32_MAX ? NULL : &m->coll[i];
}

/* Time of a part within its collective, by device and stream. */
static void
add_time(struct msprof *m, struct coll *c, const struct row *r)
{
	int64_t from = r->start > c->row.start ? r->start : c->row.start;
	int64_t end = r->start + r->dur, to = end < c->end ? end : c->end;
	int64_t device = row_get(r, F_DEVICE), stream = row_get(r, F_STREAM);
	size_t known = m->lanes.n;
	uint32_t i = tl_xmap_add(&m->lanes, (struct tl_map_key){
	    { c - m->coll, device, stream } });

	if (i == known) {
		m->lane_ns = tl_xgrow(m->lane_ns, known, &m->lanes_cap,
		    sizeof *m->lane_ns);
		m->lane_ns[i] = 0;
	}
	if (to > from)
		m->lane_ns[i] += to - from;
}

void
xcoll_task(struct msprof *m, struct row *r)
{
	struct coll *c = m->n_colls == 0 ? NULL : coll_of(m, r);

	row_clear(r, F_OP);
	if (c == NULL || (row_has(r, F_NAME) &&
	    xname_of(m, r, task_kind(m, r))->cls != TL_COMM))
		return;
	row_set(r, F_DETAIL, 1);
	c->n_parts++;
	add_time(m, c, r);
}

/* ---- the collectives themselves ---- */

/* Where its parts ran longest; of equal ones the lowest numbers. */
static void
find_lanes(struct msprof *m)
{
	for (size_t i = 0; i < m->lanes.n; i++) {
		const int64_t *k = m->lanes.key[i].k;
		struct coll *c = &m->coll[k[0]];

		if (m->lane_ns[i] < c->longest || (m->lane_ns[i] ==
		    c->longest && (k[1] > c->device ||
		    (k[1] == c->device && k[2] > c->stream))))
			continue;
		c->longest = m->lane_ns[i];
		c->device = k[1];
		c->stream = k[2];
	}
}

static int64_t
only_device(const struct msprof *m)
{
	for (size_t i = 1; i < m->places.n; i++)
		if (m->places.key[i].k[0] != m->places.key[0].k[0])
			return -1;
	return m->places.n > 0 ? m->places.key[0].k[0] : -1;
}

void
xcolls_write(struct msprof *m)
{
	int64_t only = only_device(m);

	find_lanes(m);
	for (size_t i = 0; i < m->n_colls; i++) {
		struct coll *c = &m->coll[i];
		struct row *r = &c->row;

		if (!row_has(r, F_DEVICE) && (c->device >= 0 || only >= 0))
			row_set(r, F_DEVICE, c->device >= 0 ? c->device :
			    only);
		if (!row_has(r, F_DEVICE)) {
			m->count.no_device++;
			continue;
		}
		if (c->stream >= 0)
			row_set(r, F_STREAM, c->stream);
		row_set(r, F_PARTS, c->n_parts);
		if (m->split && m->info.pid > 0)
			row_set(r, F_PID, m->info.pid);
		else if (!m->split)
			r->tag = tag_of(m, T_COMM, -1);
		if ((m->kinds >> TL_TASK & 1) != 0)
			xsort_row(m, r);
	}
}
