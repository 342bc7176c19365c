#include "tl-nsys2ev.h"

#include <stdio.h>
#include <stdlib.h>

#include "esc.h"
#include "num.h"

/* What a profiler writes for "no device", "no stream". */
static bool
is_none(int64_t v)
{
	return v < 0 || v == INT32_MAX || v == UINT32_MAX;
}

/* ---- the columns process to lane, rendered once for each lane ---- */

static struct tl_str
number(struct nsys *n, int64_t v)
{
	char digits[20];
	size_t len = tl_num_put_i64(digits, v);

	return (struct tl_str){ tl_xarena_copy(&n->arena, digits, len), len };
}

static struct tl_str
token(struct nsys *n, const struct row *r, enum field f)
{
	return !row_has(r, f) || is_none(r->v[f]) ? TL_LIT(".") :
	    number(n, r->v[f]);
}

static void
make_lane(struct nsys *n, struct lane *l, const struct row *r, int64_t owner)
{
	*l = (struct lane){ TL_LIT("."), TL_LIT("."), TL_LIT("."),
		TL_LIT(".") };
	if (OWNER_PROCESS(owner) != 0)
		l->process = n->process[xprocess_add(n, owner)].token;
	if (r->t->spec->device) {
		l->device = token(n, r, F_DEVICE);
		l->context = token(n, r, F_CONTEXT);
		l->stream = token(n, r, F_STREAM);
		if (tl_str_none(l->device)) /* it began on the host */
			l->context = l->stream = l->device;
	} else if (owner != 0) {
		l->stream = number(n, OWNER_TID(owner));
	}
}

static const struct lane *
lane_of(struct nsys *n, const struct row *r, int64_t owner)
{
	struct tl_map_key key = { { owner, -1, -1, -1 } };
	size_t known = n->lane_of.n;
	uint32_t i;

	if (r->t->spec->device) {
		key.k[1] = row_has(r, F_DEVICE) ? r->v[F_DEVICE] : -1;
		key.k[2] = row_has(r, F_CONTEXT) ? r->v[F_CONTEXT] : -1;
		key.k[3] = row_has(r, F_STREAM) ? r->v[F_STREAM] : -1;
	} else {
		key.k[1] = INT64_MIN; /* apart from all lanes of devices */
	}
	i = r->t->last_lane;
	if (i < known && memcmp(&n->lane_of.key[i], &key, sizeof key) == 0)
		return &n->lane[i];
	i = tl_xmap_add(&n->lane_of, key);
	if (i == known) {
		n->lane = tl_xgrow(n->lane, known, &n->lane_cap,
		    sizeof *n->lane);
		make_lane(n, &n->lane[i], r, owner);
	}
	r->t->last_lane = i;
	return &n->lane[i];
}

/* ---- the columns behind the place ---- */

static char *
room(struct nsys *n, size_t used, size_t more)
{
	if (n->keys_cap - used < more) {
		n->keys_cap = (used + more) * 2;
		n->keys = tl_xreallocarray(n->keys, n->keys_cap, 1);
	}
	return n->keys + used;
}

/* Each of these adds a key behind used bytes and returns how many there are
 * then; the callers keep them in byte order. */
static size_t
put_esc(struct nsys *n, size_t used, const char *key, struct tl_str esc)
{
	size_t len = strlen(key);
	char *p = room(n, used, len + esc.n + 2), *from = p;

	if (used > 0)
		*p++ = '\t';
	memcpy(p, key, len);
	p += len;
	*p++ = '=';
	memcpy(p, esc.p, esc.n);
	return used + (size_t)(p - from) + esc.n;
}

static size_t
put_num(struct nsys *n, size_t used, const char *key, int64_t v)
{
	char digits[20];
	size_t len = tl_num_put_i64(digits, v);

	return put_esc(n, used, key, (struct tl_str){ digits, len });
}

static size_t
put_field(struct nsys *n, size_t used, const char *key, const struct row *r,
    enum field f)
{
	return row_has(r, f) ? put_num(n, used, key, r->v[f]) : used;
}

/* The same where 0 is how exports write that there is none. */
static size_t
put_id(struct nsys *n, size_t used, const char *key, const struct row *r,
    enum field f)
{
	return row_or0(r, f) == 0 ? used : put_num(n, used, key, r->v[f]);
}

static size_t
put_xyz(struct nsys *n, size_t used, const char *key, const struct row *r,
    enum field x)
{
	char buf[64], *p = buf;

	if ((r->has >> x & 7) != 7)
		return used;
	for (enum field f = x; f < x + 3; f++) {
		p += tl_num_put_i64(p, r->v[f]);
		*p++ = ',';
	}
	return put_esc(n, used, key, (struct tl_str){ buf,
	    (size_t)(p - buf) - 1 });
}

/* ---- names ---- */

/* The label of what has an id for a name that is not among the strings. */
static const struct tl_conv_name *
label(struct nsys *n, enum tl_kind kind, const char *what, int64_t id)
{
	char buf[64];
	int len = snprintf(buf, sizeof buf, "%s#%lld", what, (long long)id);

	return tl_xconv_name(&n->conv, kind, (struct tl_str){ buf,
	    (size_t)len });
}

static const struct tl_conv_name *
name_of(struct nsys *n, const struct row *r, enum field f, enum tl_kind kind,
    const char *what)
{
	struct string *s;

	if (r->text.n > 0)
		return tl_xconv_name(&n->conv, kind, r->text);
	if (!row_has(r, f)) {
		r->t->no_name++;
		return tl_xconv_name(&n->conv, kind, r->text);
	}
	s = string_find(&n->strings, r->v[f]);
	if (s != NULL)
		return xstring_name(n, s, kind);
	r->t->bad_name++;
	return label(n, kind, what, r->v[f]);
}

/* ---- the kinds ---- */

/* ENUM_CUDA_MEMCPY_OPER, which is CUpti_ActivityMemcpyKind with the three
 * kinds of unified memory behind it. */
static const struct {
	const char *key, *name;
} copy_kinds[] = {
	{ "", "[CUDA memcpy]" },
	{ "HtoD", "[CUDA memcpy Host-to-Device]" },
	{ "DtoH", "[CUDA memcpy Device-to-Host]" },
	{ "HtoA", "[CUDA memcpy Host-to-Array]" },
	{ "AtoH", "[CUDA memcpy Array-to-Host]" },
	{ "AtoA", "[CUDA memcpy Array-to-Array]" },
	{ "AtoD", "[CUDA memcpy Array-to-Device]" },
	{ "DtoA", "[CUDA memcpy Device-to-Array]" },
	{ "DtoD", "[CUDA memcpy Device-to-Device]" },
	{ "HtoH", "[CUDA memcpy Host-to-Host]" },
	{ "PtoP", "[CUDA memcpy Peer-to-Peer]" },
	{ "HtoD", "[CUDA memcpy Unified Host-to-Device]" },
	{ "DtoH", "[CUDA memcpy Unified Device-to-Host]" },
	{ "DtoD", "[CUDA memcpy Unified Device-to-Device]" },
};
#define N_COPY_KINDS ((int64_t)(sizeof copy_kinds / sizeof *copy_kinds))

/* ENUM_CUDA_MEM_KIND of exports, which is not CUPTI's numbering. */
static const char *const mem_kinds[] = {
	"pageable", "pinned", "device", "array", "managed", "device_static",
	"managed_static",
};

/* ENUM_CUPTI_SYNC_TYPE */
static const struct {
	const char *key, *name;
} sync_types[] = {
	{ "", "[CUDA synchronization]" },
	{ "event", "Event sync" },
	{ "stream_wait_event", "Stream wait sync" },
	{ "stream", "Stream sync" },
	{ "context", "Context sync" },
};
#define N_SYNC_TYPES ((int64_t)(sizeof sync_types / sizeof *sync_types))

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static size_t
put_mem(struct nsys *n, size_t used, const char *key, const struct row *r,
    enum field f)
{
	int64_t v = r->v[f];

	if (!row_has(r, f) || v < 0 ||
	    v >= (int64_t)(sizeof mem_kinds / sizeof *mem_kinds))
		return used;
	return put_esc(n, used, key, str(mem_kinds[v]));
}

static const struct tl_conv_name *
kernel(struct nsys *n, const struct row *r, size_t *keys)
{
	const struct tl_conv_name *nm;
	struct string *s = NULL;
	size_t k = 0;

	k = put_xyz(n, k, "block", r, F_BLOCK_X);
	k = put_id(n, k, "graph", r, F_GRAPH);
	k = put_xyz(n, k, "grid", r, F_GRID_X);
	k = put_id(n, k, "node", r, F_NODE);
	if (!row_has(r, F_NAME) && r->text.n == 0) {
		*keys = k;
		return name_of(n, r, F_SHORT, TL_KERNEL, "kernel");
	}
	if (row_has(r, F_SHORT) &&
	    (!row_has(r, F_NAME) || r->v[F_SHORT] != r->v[F_NAME]))
		s = string_find(&n->strings, r->v[F_SHORT]);
	if (s != NULL && s->text.n > 0) {
		struct tl_str esc = xstring_esc(n, s);

		nm = name_of(n, r, F_NAME, TL_KERNEL, "kernel");
		if (!tl_str_eq(nm->esc, esc))
			k = put_esc(n, k, "short", esc);
	} else {
		nm = name_of(n, r, F_NAME, TL_KERNEL, "kernel");
	}
	*keys = k;
	return nm;
}

static const struct tl_conv_name *
copy(struct nsys *n, const struct row *r, size_t *keys)
{
	int64_t kind = row_or0(r, F_KIND);
	bool known = kind >= 0 && kind < N_COPY_KINDS;
	size_t k = put_field(n, 0, "bytes", r, F_BYTES);

	if (!known)
		k = put_num(n, k, "copy", kind);
	else if (*copy_kinds[kind].key != '\0')
		k = put_esc(n, k, "copy", str(copy_kinds[kind].key));
	if (kind == 10 && row_has(r, F_DEV_TO) && !is_none(r->v[F_DEV_TO]))
		k = put_num(n, k, "dst_device", r->v[F_DEV_TO]);
	k = put_mem(n, k, "dst_mem", r, F_MEM_TO);
	k = put_id(n, k, "graph", r, F_GRAPH);
	k = put_id(n, k, "node", r, F_NODE);
	if (kind == 10 && row_has(r, F_DEV_FROM) && !is_none(r->v[F_DEV_FROM]))
		k = put_num(n, k, "src_device", r->v[F_DEV_FROM]);
	*keys = put_mem(n, k, "src_mem", r, F_MEM_FROM);
	if (!known)
		return label(n, TL_MEMCPY, "[CUDA memcpy]", kind);
	return tl_xconv_name(&n->conv, TL_MEMCPY, str(copy_kinds[kind].name));
}

static const struct tl_conv_name *
fill(struct nsys *n, const struct row *r, size_t *keys)
{
	size_t k = put_field(n, 0, "bytes", r, F_BYTES);

	k = put_mem(n, k, "dst_mem", r, F_MEM_TO);
	k = put_id(n, k, "graph", r, F_GRAPH);
	k = put_id(n, k, "node", r, F_NODE);
	*keys = put_field(n, k, "value", r, F_VALUE);
	return tl_xconv_name(&n->conv, TL_MEMSET, TL_LIT("[CUDA memset]"));
}

static const struct tl_conv_name *
sync_row(struct nsys *n, const struct row *r, size_t *keys)
{
	int64_t type = row_or0(r, F_KIND);
	size_t k = 0;

	if ((type == 1 || type == 2) && row_has(r, F_VALUE) &&
	    !is_none(r->v[F_VALUE]))
		k = put_num(n, k, "event", r->v[F_VALUE]);
	if (type < 0 || type >= N_SYNC_TYPES) {
		*keys = put_num(n, k, "sync", type);
		return label(n, TL_SYNC, sync_types[0].name, type);
	}
	if (type > 0)
		k = put_esc(n, k, "sync", str(sync_types[type].key));
	*keys = k;
	return tl_xconv_name(&n->conv, TL_SYNC, str(sync_types[type].name));
}

static const struct tl_conv_name *
graph(struct nsys *n, const struct row *r, int64_t owner, size_t *keys)
{
	uint32_t i = tl_map_find(&n->launches, (struct tl_map_key){
	    { OWNER_PROCESS(owner), row_or0(r, F_CORR) } });
	size_t k = 0;

	if (i != UINT32_MAX && n->launch_detailed[i]) {
		n->graphs_detailed++;
		k = put_esc(n, k, "detail", TL_LIT("1"));
	}
	k = put_id(n, k, "graph", r, F_GRAPH);
	*keys = put_id(n, k, "graph_exec", r, F_EXEC);
	if (row_or0(r, F_GRAPH) != 0)
		return label(n, TL_GRAPH, "graph", r->v[F_GRAPH]);
	if (row_or0(r, F_EXEC) != 0)
		return label(n, TL_GRAPH, "graph_exec", r->v[F_EXEC]);
	return tl_xconv_name(&n->conv, TL_GRAPH, TL_LIT("graph"));
}

static const struct tl_conv_name *
call(struct nsys *n, const struct row *r, size_t *keys)
{
	size_t k = 0;

	if (r->t->spec - specs == T_OSRT)
		k = put_esc(n, k, "api", TL_LIT("osrt"));
	*keys = put_id(n, k, "result", r, F_RESULT);
	return name_of(n, r, F_NAME, TL_API, "api");
}

static const struct tl_conv_name *
nvtx(struct nsys *n, struct row *r, enum tl_kind *kind, size_t *keys)
{
	int64_t owner = row_or0(r, F_OWNER), domain = row_or0(r, F_DOMAIN);
	int64_t type = row_or0(r, F_KIND), to = row_or0(r, F_END_OWNER);
	struct tl_map_key key = { { OWNER_PROCESS(owner), domain,
		row_or0(r, F_CATEGORY) } };
	size_t k = 0;
	uint32_t i;

	*kind = nvtx_kind(r);
	if (*kind == TL_MARK)
		r->dur = TL_NONE;
	if (key.k[2] != 0) {
		i = tl_map_find(&n->categories, key);
		k = i == UINT32_MAX ? put_num(n, k, "category", key.k[2]) :
		    put_esc(n, k, "category", n->category[i]);
	}
	if (domain != 0) {
		key.k[2] = 0;
		i = tl_map_find(&n->domains, key);
		k = i == UINT32_MAX ? put_num(n, k, "domain", domain) :
		    put_esc(n, k, "domain", n->domain[i]);
	}
	if (to != 0 && to != owner)
		k = put_num(n, k, "end_thread", OWNER_TID(to));
	if (type == NVTX_START_END || type == NVTXT_START_END)
		k = put_esc(n, k, "style", TL_LIT("start_end"));
	*keys = k;
	return name_of(n, r, F_NAME, *kind, "nvtx");
}

/* Name and keys of a row, by its table; may change its duration. */
static const struct tl_conv_name *
describe(struct nsys *n, struct row *r, int64_t owner, enum tl_kind *kind,
    size_t *keys)
{
	switch ((enum table_id)(r->t->spec - specs)) {
	case T_KERNEL:
		*kind = TL_KERNEL;
		return kernel(n, r, keys);
	case T_COPY:
		*kind = TL_MEMCPY;
		return copy(n, r, keys);
	case T_FILL:
		*kind = TL_MEMSET;
		return fill(n, r, keys);
	case T_SYNC:
		*kind = TL_SYNC;
		return sync_row(n, r, keys);
	case T_GRAPH:
		*kind = TL_GRAPH;
		return graph(n, r, owner, keys);
	case T_NVTX:
		return nvtx(n, r, kind, keys);
	default:
		*kind = TL_API;
		return call(n, r, keys);
	}
}

/* Work on a device with the same times, lane and correlation id as other work
 * of its table is most likely that work recorded twice. Rows of one time come
 * one after the other. */
static void
count_twice(struct nsys *n, const struct row *r, const struct lane *l)
{
	struct tl_map_key key = { { l - n->lane, row_or0(r, F_CORR) } };
	size_t known;

	if (r->start != n->tie_start || r->dur != n->tie_dur ||
	    r->t != n->tie_table) {
		n->tie_start = r->start;
		n->tie_dur = r->dur;
		n->tie_table = r->t;
		n->tie_first = key;
		tl_map_reset(&n->ties);
		return;
	}
	if (n->ties.n == 0)
		tl_xmap_add(&n->ties, n->tie_first);
	known = n->ties.n;
	if (tl_xmap_add(&n->ties, key) < known)
		r->t->duplicates++;
}

void
xevent(struct nsys *n, struct row *r)
{
	int64_t owner = owner_of(n, r), corr = row_or0(r, F_CORR);
	const struct lane *l = lane_of(n, r, owner);
	const struct tl_conv_name *nm;
	struct tl_ev ev = { .start_ns = r->start };
	char corr_buf[20], place[24];
	size_t keys = 0;

	nm = describe(n, r, owner, &ev.kind, &keys);
	if (r->t->spec->device) {
		count_twice(n, r, l);
		r->t->no_owner += owner == 0;
		n->inferred += owner != 0 &&
		    OWNER_PROCESS(row_or0(r, F_OWNER)) == 0;
	}
	ev.dur_ns = r->dur;
	ev.process = l->process;
	ev.device = l->device;
	ev.context = l->context;
	ev.lane = l->stream;
	ev.correlation = corr == 0 || corr == -1 || corr == UINT32_MAX ?
	    TL_LIT(".") : (struct tl_str){ corr_buf,
	    tl_num_put_i64(corr_buf, corr) };
	place[0] = r->t->spec->tag;
	place[1] = ':';
	ev.place = (struct tl_str){ place,
	    2 + tl_num_put_u64(place + 2, r->rowid) };
	ev.keys = (struct tl_str){ n->keys, keys };
	r->t->events += tl_xconv_event(&n->conv, &ev, nm);
}
