#include "tl-msprof2ev.h"

#include <stdio.h>
#include <stdlib.h>

static const struct column op_columns[] = {
	{ "globalTaskId", "correlationId", F_ID, true },
	{ "name", NULL, F_NAME, true }, { "opType", NULL, F_OP_TYPE, true },
	{ "taskType", NULL, F_CORE, true }, { NULL, NULL, 0, false },
};

static const struct column part_columns[] = {
	{ "globalTaskId", "correlationId", F_ID, true },
	{ "name", NULL, F_NAME, true },
	{ "taskType", NULL, F_OP_TYPE, false },
	{ "opId", NULL, F_OP, false }, { NULL, NULL, 0, false },
};

static const struct column split_op_columns[] = {
	{ "device_id", NULL, F_DEVICE, true },
	{ "stream_id", NULL, F_STREAM, true },
	{ "task_id", NULL, F_TASK, true },
	{ "context_id", NULL, F_CONTEXT, true },
	{ "op_name", NULL, F_NAME, true }, { "op_type", NULL, F_OP_TYPE, true },
	{ "task_type", NULL, F_CORE, true },
	{ "batch_id", NULL, F_BATCH, false }, { NULL, NULL, 0, false },
};

static const struct column split_part_columns[] = {
	{ "stream_id", NULL, F_STREAM, true },
	{ "task_id", NULL, F_TASK, true },
	{ "context_id", NULL, F_CONTEXT, true },
	{ "op_name", NULL, F_NAME, true },
	{ "hccl_name", NULL, F_OP_TYPE, true },
	{ "batch_id", NULL, F_BATCH, false }, { NULL, NULL, 0, false },
};

static const struct column copy_columns[] = {
	{ "globalTaskId", NULL, F_ID, true }, { "size", NULL, F_BYTES, true },
	{ "memcpyOperation", NULL, F_COPY, false }, { NULL, NULL, 0, false },
};

static void
add(struct idents *t, int64_t id, const struct row *r)
{
	if (t->n >= UINT32_MAX - 1)
		tl_die("out of memory: more than %zu operators", t->n);
	t->a = tl_xgrow(t->a, t->n, &t->cap, sizeof *t->a);
	t->a[t->n++] = (struct ident){ .id = id,
		.name = row_text(r, F_NAME), .type = row_text(r, F_OP_TYPE),
		.core = row_text(r, F_CORE), .op = row_get(r, F_OP) };
}

/* By id, the first row of each; rows are added in order, so that it is enough
 * to keep that order: merge sort of what is mostly sorted. */
static void
merge(struct ident *a, struct ident *tmp, size_t n)
{
	size_t h = n / 2, i = 0, j = h, k = 0;

	if (n < 2)
		return;
	merge(a, tmp, h);
	merge(a + h, tmp, n - h);
	if (a[h - 1].id <= a[h].id)
		return;
	memcpy(tmp, a, h * sizeof *a);
	while (i < h && j < n)
		a[k++] = a[j].id < tmp[i].id ? a[j++] : tmp[i++];
	memcpy(a + k, tmp + i, (h - i) * sizeof *a);
}

static void
settle(struct idents *t)
{
	struct ident *tmp = tl_xreallocarray(NULL, t->n / 2 + 1, sizeof *tmp);
	size_t k = 0;
	uint64_t range;

	merge(t->a, tmp, t->n);
	free(tmp);
	for (size_t i = 0; i < t->n; i++)
		if (k == 0 || t->a[i].id != t->a[k - 1].id)
			t->a[k++] = t->a[i];
	t->n = k;
	if (k == 0)
		return;
	range = (uint64_t)t->a[k - 1].id - (uint64_t)t->a[0].id;
	if (range / 4 > k + 1024)
		return;
	t->n_direct = (size_t)range + 1;
	t->direct = tl_xcalloc(t->n_direct, sizeof *t->direct);
	for (size_t i = 0; i < k; i++)
		t->direct[t->a[i].id - t->a[0].id] = (uint32_t)i + 1;
}

static const struct ident *
find(const struct idents *t, int64_t id)
{
	size_t lo = 0, hi = t->n;

	if (t->direct != NULL) {
		uint64_t i = (uint64_t)id - (uint64_t)t->a[0].id;

		return i >= t->n_direct || t->direct[i] == 0 ? NULL :
		    &t->a[t->direct[i] - 1];
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->a[mid].id == id)
			return &t->a[mid];
		if (t->a[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* ---- one file ---- */

static void
load_one(struct msprof *m, struct idents *t, const char *table,
    const struct column *columns)
{
	struct reader rd;
	struct row r;
	char why[400];

	if (!xreader_open(m, &rd, &m->base[0].db, table, columns, NULL, why,
	    sizeof why)) {
		if (rd.table != NULL)
			xnote_early(m, "unusable_table", why);
		reader_close(&rd);
		return;
	}
	t->usable = true;
	while (xreader_next(m, &rd, &r))
		if (row_has(&r, F_ID) && row_has(&r, F_NAME))
			add(t, r.v[F_ID], &r);
	reader_close(&rd);
	settle(t);
}

void
xidents_one(struct msprof *m)
{
	load_one(m, &m->ops, "COMPUTE_TASK_INFO", op_columns);
	load_one(m, &m->parts, "COMMUNICATION_TASK_INFO", part_columns);
}

static void
add_copy(struct msprof *m, const struct row *r)
{
	size_t known = m->copies.n;
	uint32_t i = tl_xmap_add(&m->copies, (struct tl_map_key){
	    { r->v[F_ID] } });

	if (i < known)
		return;
	m->copy = tl_xgrow(m->copy, known, &m->copies_cap, sizeof *m->copy);
	m->copy[i][0] = row_get(r, F_BYTES);
	m->copy[i][1] = row_get(r, F_COPY);
}

void
xcopies_load(struct msprof *m)
{
	struct reader rd;
	struct row r;
	char why[400];

	if (xreader_open(m, &rd, &m->base[0].db, "MEMCPY_INFO", copy_columns,
	    NULL, why, sizeof why))
		while (xreader_next(m, &rd, &r))
			if (row_has(&r, F_ID))
				add_copy(m, &r);
	reader_close(&rd);
}

/* ---- split ---- */

/* False where there is none that is a number of a task. */
static bool
split_key(const struct idents *t, const struct row *r, struct tl_map_key *key)
{
	int64_t context = row_get(r, F_CONTEXT);
	int64_t batch = t->batches ? row_get(r, F_BATCH) : 0;

	if (context >= INT32_MAX || batch >= INT32_MAX)
		return false;
	*key = (struct tl_map_key){ { row_get(r, F_DEVICE),
		row_get(r, F_STREAM), row_get(r, F_TASK),
		(int64_t)((uint64_t)(context + 1) << 32 |
		(uint64_t)(batch + 1)) } };
	return true;
}

static bool
has_field(const struct reader *rd, enum field f)
{
	for (int i = 0; i < rd->n; i++)
		if (rd->field[i] == f)
			return true;
	return false;
}

static bool
tasks_have_batch(struct msprof *m)
{
	for (size_t i = 0; i < m->n_devices; i++) {
		struct base *b = base_with(m, m->devices[i], "AscendTask");

		if (b != NULL && !tl_xdb_has_column(&b->db, "AscendTask",
		    "batch_id"))
			return false;
	}
	return true;
}

/* One id for each key: rows of one are the same task's. */
static void
load_split(struct msprof *m, struct idents *t, struct reader *rd,
    int64_t device)
{
	struct tl_map_key key;
	struct row r;

	while (xreader_next(m, rd, &r)) {
		size_t known = t->key.n;
		uint32_t i;

		if (device >= 0)
			row_set(&r, F_DEVICE, device);
		if (!row_has(&r, F_NAME) || !split_key(t, &r, &key))
			continue;
		i = tl_xmap_add(&t->key, key);
		if (i == known)
			add(t, (int64_t)i, &r);
	}
}

static void
split_ops(struct msprof *m)
{
	struct base *b = base_with(m, -1, "TaskInfo");
	struct reader rd;
	char why[400];

	if (b == NULL)
		return;
	if (!xreader_open(m, &rd, &b->db, "TaskInfo", split_op_columns, NULL,
	    why, sizeof why)) {
		xnote_early(m, "unusable_table", why);
		reader_close(&rd);
		return;
	}
	m->ops.usable = true;
	m->ops.batches = has_field(&rd, F_BATCH) && tasks_have_batch(m);
	load_split(m, &m->ops, &rd, -1);
	reader_close(&rd);
	settle(&m->ops);
}

/* Usable only where it is so for all devices that have it. */
static void
split_parts(struct msprof *m)
{
	size_t seen = 0;
	bool ok = true;
	char why[400];

	for (size_t i = 0; i < m->n_devices; i++) {
		struct base *b = base_with(m, m->devices[i],
		    "HCCLTaskSingleDevice");
		struct reader rd;

		if (b == NULL)
			continue;
		seen++;
		if (xreader_open(m, &rd, &b->db, "HCCLTaskSingleDevice",
		    split_part_columns, NULL, why, sizeof why)) {
			m->parts.batches = has_field(&rd, F_BATCH) &&
			    tasks_have_batch(m);
			load_split(m, &m->parts, &rd, m->devices[i]);
		} else {
			xnote_early(m, "unusable_table", why);
			ok = false;
		}
		reader_close(&rd);
	}
	m->parts.usable = seen > 0 && ok;
	settle(&m->parts);
}

void
xidents_split(struct msprof *m)
{
	split_ops(m);
	split_parts(m);
}

/* ---- a task ---- */

static const struct ident *
ident_of(const struct msprof *m, const struct idents *t, const struct row *r)
{
	struct tl_map_key key;
	uint32_t i;

	if (!t->usable || t->n == 0)
		return NULL;
	if (!m->split)
		return row_has(r, F_ID) ? find(t, r->v[F_ID]) : NULL;
	i = split_key(t, r, &key) ? tl_map_find(&t->key, key) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : find(t, (int64_t)i);
}

static void
set_text(struct row *r, enum field f, uint32_t text)
{
	if (text != NO_TEXT)
		row_set(r, f, text);
}

void
identify(struct msprof *m, struct row *r)
{
	const struct ident *op = ident_of(m, &m->ops, r);
	const struct ident *part = ident_of(m, &m->parts, r);
	uint32_t i;

	if (op != NULL) {
		row_set(r, F_NAME, op->name);
		set_text(r, F_OP_TYPE, op->type);
		set_text(r, F_CORE, op->core);
	}
	if (part != NULL) {
		row_set(r, F_COMM, part->name);
		set_text(r, F_COMM_TYPE, part->type);
		if (part->op >= 0)
			row_set(r, F_OP, part->op);
	}
	if (m->copies.n == 0 || !row_has(r, F_ID))
		return;
	i = tl_map_find(&m->copies, (struct tl_map_key){ { r->v[F_ID] } });
	if (i == UINT32_MAX)
		return;
	if (m->copy[i][0] >= 0)
		row_set(r, F_BYTES, m->copy[i][0]);
	if (m->copy[i][1] >= 0)
		row_set(r, F_COPY, m->copy[i][1]);
}
