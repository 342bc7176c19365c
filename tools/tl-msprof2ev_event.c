#include "tl-msprof2ev.h"

#include <stdlib.h>

#include "esc.h"
#include "num.h"

static void
put_text(struct msprof *m, const struct row *r, const char *key, enum field f)
{
	if (row_has(r, f))
		tl_xkeys_add(&m->keys, key, text_of(m, row_text(r, f)));
}

static void
put_num(struct msprof *m, const struct row *r, const char *key, enum field f)
{
	if (row_has(r, f))
		tl_xkeys_add_i64(&m->keys, key, r->v[f]);
}

static void
put_flag(struct msprof *m, const char *key)
{
	tl_xkeys_add(&m->keys, key, TL_LIT("1"));
}

/* ENUM_MEMCPY_OPERATION */
static const char *const copies[] = { "HtoH", "HtoD", "DtoH", "DtoD", "",
	"DtoD", "HtoD", "DtoH" };

static void
put_type(struct msprof *m, const struct row *r)
{
	char buf[128];

	tl_xkeys_add(&m->keys, "type", (struct tl_str){ buf,
	    tl_ascend_spell(buf, sizeof buf,
	    text_of(m, row_text(r, F_TYPE))) });
}

static void
task_keys(struct msprof *m, const struct row *r)
{
	int64_t copy = row_get(r, F_COPY);

	put_num(m, r, "bytes", F_BYTES);
	put_text(m, r, "comm", F_COMM);
	put_text(m, r, "comm_type", F_COMM_TYPE);
	put_num(m, r, "context", F_CONTEXT);
	if (copy >= 0 && copy < (int64_t)(sizeof copies / sizeof *copies))
		tl_xkeys_add(&m->keys, "copy", (struct tl_str){ copies[copy],
		    strlen(copies[copy]) });
	put_text(m, r, "core", F_CORE);
	if (row_has(r, F_NAME))
		tl_xkeys_add(&m->keys, "identity", TL_LIT("op"));
	else if (row_has(r, F_COMM))
		tl_xkeys_add(&m->keys, "identity", TL_LIT("comm"));
	put_num(m, r, "model", F_MODEL);
	if (row_text(r, F_OP_TYPE) != row_text(r, F_NAME))
		put_text(m, r, "op_type", F_OP_TYPE);
	put_num(m, r, "task", F_TASK);
	if (row_has(r, F_TYPE))
		put_type(m, r);
}

/* ENUM_HCCL_DATA_TYPE */
static const char *const data_types[] = { "INT8", "INT16", "INT32", "FP16",
	"FP32", "INT64", "UINT64", "UINT8", "UINT16", "UINT32", "FP64", "BFP16",
	"INT128" };

static void
comm_keys(struct msprof *m, const struct row *r)
{
	int64_t type = row_get(r, F_DATA_TYPE);

	put_text(m, r, "alg", F_ALG);
	put_num(m, r, "count", F_COUNT);
	put_text(m, r, "data_type", F_DATA_NAME);
	if (type >= 0 && type < (int64_t)(sizeof data_types /
	    sizeof *data_types))
		tl_xkeys_add(&m->keys, "data_type", (struct tl_str){
		    data_types[type], strlen(data_types[type]) });
	if (row_has(r, F_GROUP) && text_of(m, row_text(r, F_GROUP)).n == 0)
		tl_xkeys_add(&m->keys, "group", TL_LIT("\"\""));
	put_text(m, r, "group", F_GROUP);
	put_num(m, r, "op", F_OP);
	if (row_text(r, F_OP_TYPE) != row_text(r, F_NAME))
		put_text(m, r, "op_type", F_OP_TYPE);
	if (row_get(r, F_RELAY) > 0)
		put_num(m, r, "relay", F_RELAY);
	if (row_get(r, F_RETRY) > 0)
		put_num(m, r, "retry", F_RETRY);
	put_num(m, r, "tasks", F_PARTS);
}

/* ENUM_API_TYPE, for databases without it. */
static const struct {
	int64_t id;
	const char *name;
} levels[] = {
	{ 5000, "runtime" }, { 5500, "hccl" }, { 10000, "node" },
	{ 15000, "model" }, { 20000, "acl" },
};

static void
api_keys(struct msprof *m, const struct row *r)
{
	int64_t level = row_get(r, F_LEVEL);
	uint32_t i = tl_map_find(&m->levels, (struct tl_map_key){ { level } });

	put_text(m, r, "level", F_LEVEL_NAME);
	if (!row_has(r, F_LEVEL))
		return;
	if (i != UINT32_MAX)
		tl_xkeys_add(&m->keys, "level", text_of(m, m->level[i]));
	for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
		if (levels[k].id == level)
			tl_xkeys_add(&m->keys, "level", (struct tl_str){
			    levels[k].name, strlen(levels[k].name) });
	put_num(m, r, "level", F_LEVEL);
}

static void
host_keys(struct msprof *m, const struct row *r)
{
	if (r->table == T_MSTX) {
		put_text(m, r, "domain", F_DOMAIN);
		if (row_get(r, F_LEVEL) == 2 &&
		    row_get(r, F_KIND) == TL_RANGE)
			tl_xkeys_add(&m->keys, "style", TL_LIT("start_end"));
		return;
	}
	put_text(m, r, "connections", F_CONNECTIONS);
	put_num(m, r, "forward", F_FORWARD);
	if (row_has(r, F_LEVEL))
		put_flag(m, "queue");
	put_num(m, r, "sequence", F_SEQUENCE);
}

/* A number as a column; "." if there is none. */
static struct tl_str
column(const struct row *r, enum field f, char *buf)
{
	if (!row_has(r, f))
		return TL_LIT(".");
	return (struct tl_str){ buf, tl_num_put_i64(buf, r->v[f]) };
}

static enum tl_kind
kind_of(struct msprof *m, const struct row *r)
{
	switch (r->table) {
	case T_TASK:
		return task_kind(m, r);
	case T_COMM:
		return TL_TASK;
	case T_API:
		return TL_API;
	default:
		return (enum tl_kind)row_get(r, F_KIND);
	}
}

static const char *
place_of(struct msprof *m, const struct row *r, char *buf, size_t *n)
{
	char letter = "ACMPT"[r->table];
	int64_t dev = row_get(r, F_DEVICE);
	size_t k = 0;

	buf[k++] = letter;
	if (m->split && m->n_devices > 1 && (r->table == T_TASK ||
	    (r->table == T_COMM && r->tag != tag_of(m, T_COMM, -1))))
		k += tl_num_put_i64(buf + k, dev);
	buf[k++] = ':';
	k += tl_num_put_u64(buf + k, r->rowid);
	*n = k;
	return buf;
}

static void
event(struct msprof *m, struct row *r)
{
	char pid[20], dev[20], lane[20], corr[20], place[48];
	bool device = r->table == T_TASK || r->table == T_COMM;
	struct tl_ev ev = { .kind = kind_of(m, r), .start_ns = r->start,
		.dur_ns = r->dur, .context = TL_LIT(".") };
	const struct tl_conv_name *nm;

	if (!row_has(r, F_PID) && m->sole >= 0) {
		row_set(r, F_PID, m->sole);
		m->count.inferred += !device || !m->split;
	}
	ev.process = column(r, F_PID, pid);
	ev.device = device ? column(r, F_DEVICE, dev) : TL_LIT(".");
	ev.lane = column(r, device ? F_STREAM : F_TID, lane);
	ev.correlation = column(r, F_CONN, corr);
	ev.place.p = place_of(m, r, place, &ev.place.n);
	tl_keys_reset(&m->keys);
	if (row_has(r, F_DETAIL))
		put_flag(m, "detail");
	if (r->table == T_TASK)
		task_keys(m, r);
	else if (r->table == T_COMM)
		comm_keys(m, r);
	else if (r->table == T_API)
		api_keys(m, r);
	else
		host_keys(m, r);
	ev.keys = tl_xkeys_done(&m->keys);
	nm = device ? xname_of(m, r, ev.kind) : tl_xconv_name(&m->conv,
	    ev.kind, text_of(m, row_text(r, F_NAME)));
	tl_xconv_event(&m->conv, &ev, nm);
}

void
xevents(struct msprof *m)
{
	struct tl_sort_rec rec;
	struct tl_err err;
	struct row r;

	for (;;) {
		switch (tl_sort_next(m->sort, &rec, &err)) {
		case TL_OK:
			unpack_row(&rec, &r);
			event(m, &r);
			continue;
		case TL_EOF:
			return;
		case TL_ERR:
			tl_die("%s: sort: %s", m->base[0].path, err.msg);
		}
	}
}
