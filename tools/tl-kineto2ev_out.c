#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mem.h"
#include "num.h"

#define HOUR INT64_C(3600000000000)

/* 1e12 microseconds: stamps above are no times since the start of anything. */
#define STAMP_NS INT64_C(1000000000000000)

/* Unix times from 2001 to 2286, in nanoseconds: no clock that counts from
 * elsewhere shows such values. */
#define EPOCH_NS INT64_C(1000000000000000000)

/* What is done with records on their way out. */
struct writer {
	struct k_run *r;
	struct tl_conv *c;
	bool drop_zero, check_far;
	int64_t median;
	uint64_t n_out[TL_N_EVENTS], n_dropped_device;
	struct lane *lane;     /* by number */
	struct known *known;   /* by name */
};

struct lane {
	struct tl_str col[4];
};

/* What the rules say of a name, at hand without a search. */
struct known {
	struct tl_conv_name nm;
	uint64_t drops; /* of the cache that it is a copy from, plus one */
	uint8_t kind;
};

/* known.drops of a collective, which no cache holds. */
#define DROPS_COLL UINT64_MAX

/* A record of the sorter, taken apart. */
struct view {
	struct k_rec h;
	int64_t start, dur;
	uint64_t row;
	struct tl_str corr, keys, name;
	const struct tl_str *lane;
	struct tl_str inline_lane[4];
};

static void
split_lane(struct tl_str s, struct tl_str *col)
{
	for (size_t i = 0; i < 3; i++) {
		const char *tab = memchr(s.p, '\t', s.n);

		col[i] = (struct tl_str){ s.p, (size_t)(tab - s.p) };
		s.p = tab + 1;
		s.n -= col[i].n + 1;
	}
	col[3] = s;
}

static void
view(const struct writer *w, const struct tl_sort_rec *s, struct view *v)
{
	const char *p = s->data, *end = p + s->len;

	v->start = s->start_ns;
	v->dur = s->dur_ns;
	v->row = s->row;
	memcpy(&v->h, p, sizeof v->h);
	p += sizeof v->h;
	v->corr = (struct tl_str){ p, v->h.corr_len };
	p += v->corr.n;
	v->keys = (struct tl_str){ p, v->h.keys_len };
	p += v->keys.n;
	if (v->h.lane == K_INLINE) {
		split_lane((struct tl_str){ p, v->h.lane_len },
		    v->inline_lane);
		v->lane = v->inline_lane;
		p += v->h.lane_len;
	} else {
		v->lane = w->lane[v->h.lane].col;
	}
	v->name = v->h.name == K_INLINE ?
	    (struct tl_str){ p, (size_t)(end - p) } :
	    tl_intern_str(&w->r->names, v->h.name);
}

static uint64_t
correlation(const struct view *v)
{
	uint64_t id;

	return v->corr.n > 0 && tl_num_str_u64(v->corr, &id) ? id : 0;
}

/* True if more than an hour lies between the event and the span of starts. */
static bool
is_far(const struct view *v, int64_t first, int64_t last)
{
	int64_t end = v->start + v->dur;

	/* in unsigned, for times at the ends of 64 bits */
	return (v->start < first &&
	    (uint64_t)first - (uint64_t)v->start > (uint64_t)HOUR) ||
	    (end > last && (uint64_t)end - (uint64_t)last > (uint64_t)HOUR);
}

static bool
is_device_event(const struct k_rec *h)
{
	return tl_kind_on_device((enum tl_kind)h->kind);
}

/* True if the event's time cannot be right. */
static bool
is_lost(struct writer *w, const struct view *v)
{
	struct k_notes *n = &w->r->notes;
	uint32_t proc;
	int64_t first, last;

	if (w->drop_zero && v->start == 0) {
		k_note(n, K_ZERO_TIME, K_NOWHERE);
		w->n_dropped_device += is_device_event(&v->h);
		return true;
	}
	if (!w->check_far || !is_device_event(&v->h))
		return false;
	if (k_calls_find(w->r->calls, correlation(v), &proc, &first, &last) ==
	    K_CALLER_NONE)
		first = last = w->median;
	if (!is_far(v, first, last))
		return false;
	k_note(n, K_FAR_TIME, K_NOWHERE);
	w->n_dropped_device += v->h.kind != TL_SYNC;
	return true;
}

/* The calling process of a device event. */
static struct tl_str
process_of(struct writer *w, const struct view *v)
{
	struct k_run *r = w->r;
	uint32_t proc = 0;
	int64_t first, last;
	unsigned n = k_calls_only(r->calls, &proc);

	if (n > 1 && k_calls_find(r->calls, correlation(v), &proc, &first,
	    &last) == K_CALLER_ONE)
		n = 1;
	if (n == 1)
		return tl_intern_str(&r->procs, proc);
	if (is_device_event(&v->h))
		k_note(&r->notes, K_NO_PROCESS, K_NOWHERE);
	return TL_LIT(".");
}

/* A collective as rules see it: its type is its name up to the "_" behind
 * which instances are told apart. */
static struct tl_conv_name
collective_name(struct writer *w, const struct view *v)
{
	struct tl_rules_subject s = { .provider = w->c->provider,
		.kind = TL_TASK, .communication = true, .name = v->name,
		.op_name = v->name };
	struct tl_conv_name nm;

	for (size_t i = 1; i + 1 < v->name.n && s.op_type.n == 0; i++)
		if (v->name.p[i] == '_' && v->name.p[i + 1] == '_')
			s.op_type = (struct tl_str){ v->name.p, i + 1 };
	tl_xconv_subject(w->c, &w->r->meta.arena, &s, &nm);
	return nm;
}

static const struct tl_conv_name *
name_of(struct writer *w, const struct view *v)
{
	enum tl_kind kind = (enum tl_kind)v->h.kind;
	struct known *k;

	if (v->h.name == K_INLINE)
		return tl_xconv_name(w->c, kind, v->name);
	k = &w->known[v->h.name];
	if (v->h.ascend & K_ASCEND_COLL) {
		if (k->drops != DROPS_COLL)
			k->nm = collective_name(w, v);
		k->drops = DROPS_COLL;
	} else if (k->drops != w->c->drops + 1 || k->kind != kind) {
		k->nm = *tl_xconv_name(w->c, kind, v->name);
		k->drops = w->c->drops + 1;
		k->kind = v->h.kind;
	}
	return &k->nm;
}

static void
write_event(struct writer *w, const struct view *v)
{
	const struct tl_conv_name *nm = name_of(w, v);
	char place[32] = "E:";
	struct tl_ev ev = {
		.kind = (enum tl_kind)v->h.kind, .start_ns = v->start,
		.dur_ns = v->dur, .process = v->lane[0], .device = v->lane[1],
		.context = v->lane[2], .lane = v->lane[3],
		.correlation = v->corr, .keys = v->keys,
	};

	if (v->h.on_device)
		ev.process = process_of(w, v);
	if (v->h.ascend & (K_ASCEND_TASK | K_ASCEND_COLL)) {
		ev.device = k_xascend_device(w->r, ev.device);
		if (k_ascend_detail(w->r, &v->h, v->corr))
			ev.keys = k_xascend_keys(w->r, ev.keys);
	}
	if (ev.correlation.n == 0)
		ev.correlation = TL_LIT(".");
	ev.place = (struct tl_str){ place, 2 + tl_num_put_u64(place + 2,
	    v->row) };
	if (tl_xconv_event(w->c, &ev, nm))
		w->n_out[v->h.kind]++;
}

static enum tl_status
next(struct writer *w, struct view *v)
{
	struct tl_sort_rec s;
	struct tl_err err;

	switch (tl_sort_next(w->r->sort, &s, &err)) {
	case TL_OK:
		view(w, &s, v);
		return TL_OK;
	case TL_EOF:
		return TL_EOF;
	case TL_ERR:
		break;
	}
	tl_die("%s", err.msg);
}

/* The lower median start of device events, in a pass of its own. */
static int64_t
median(struct writer *w)
{
	struct view v;
	uint64_t n = 0, half;
	int64_t m = 0;

	while (next(w, &v) == TL_OK)
		n += is_device_event(&v.h) && !(w->drop_zero && v.start == 0);
	half = (n + 1) / 2;
	tl_xsort_rewind(w->r->sort);
	while (half > 0 && next(w, &v) == TL_OK) {
		if (!is_device_event(&v.h) || (w->drop_zero && v.start == 0))
			continue;
		m = v.start;
		half--;
	}
	tl_xsort_rewind(w->r->sort);
	return m;
}

/* True unless all device events and calls are within one hour. */
static bool
wants_far_check(const struct k_run *r)
{
	int64_t lo = r->dev_min, hi = r->dev_max, first, last;

	if (!r->any_dev)
		return false;
	if (k_calls_span(r->calls, &first, &last)) {
		lo = first < lo ? first : lo;
		hi = last > hi ? last : hi;
	}
	return (uint64_t)hi - (uint64_t)lo > (uint64_t)HOUR;
}

/* ---- the header ---- */

static void
source_line(struct k_run *r, struct tl_conv *c, const char *path,
    const char *size)
{
	const struct tl_str *m = r->meta.value;
	const struct tl_str one = { "0", 1 };
	struct tl_str base = m[K_BASE];
	struct tl_conv_kv kv[] = {
		{ "kind", TL_LIT("kineto") },
		{ "path", { path, strlen(path) } },
		{ "size", { size, strlen(size) } },
		{ "base_ns", base },
		{ "host", m[K_HOST_NAME] }, { "rank", m[K_RANK] },
		{ "world_size", m[K_WORLD_SIZE] },
		{ "trace_id", m[K_TRACE_ID] },
		{ "trace_name", m[K_TRACE_NAME] },
		{ "schema", m[K_SCHEMA] }, { "backend", m[K_BACKEND] },
		{ "nccl", m[K_NCCL] }, { "cupti", m[K_CUPTI] },
		{ "cuda_runtime", m[K_CUDA_RUNTIME] },
		{ "cuda_driver", m[K_CUDA_DRIVER] },
		{ "roctracer", m[K_ROCTRACER] },
		{ "hip_runtime", m[K_HIP_RUNTIME] },
		{ "hip_driver", m[K_HIP_DRIVER] },
		{ "vllm", m[K_VLLM] },
	};
	int64_t v;

	/* a base is a number or it is none; stamps that are Unix times
	 * already need none */
	if (base.n > 0 && !tl_num_str_i64(base, &v))
		kv[3].value.n = 0;
	if (base.n == 0 && r->any_start && r->min_start >= EPOCH_NS)
		kv[3].value = one;
	tl_xconv_header(c, "source", NULL, 0, kv, sizeof kv / sizeof *kv);
}

static int
by_token(const void *a, const void *b)
{
	return tl_str_cmp(*(const struct tl_str *)a,
	    *(const struct tl_str *)b);
}

static void
process_lines(struct k_run *r, struct tl_conv *c)
{
	struct tl_str *t = tl_xreallocarray(NULL, r->procs.n, sizeof *t);
	size_t n = 0;

	for (uint32_t i = 0; i < r->procs.n; i++)
		if (r->proc[i].used || k_calls_has(r->calls, i))
			t[n++] = tl_intern_str(&r->procs, i);
	if (n > 1)
		qsort(t, n, sizeof *t, by_token);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = tl_intern_find(&r->procs, t[i]);
		struct tl_str none = { "", 0 };
		uint64_t pid;
		struct tl_conv_kv kv[] = {
			{ "name", r->proc[id].name },
			{ "pid", tl_num_str_u64(t[i], &pid) ? t[i] : none },
		};

		tl_xevout_head(&c->out, "process");
		tl_xevout_raw(&c->out, t[i]);
		for (size_t k = 0; k < 2; k++)
			tl_xevout_kv(&c->out, kv[k].key, kv[k].value);
		tl_xevout_eol(&c->out);
	}
	free(t);
}

static void
device_lines(const struct k_meta *m, struct tl_conv *c)
{
	for (size_t i = 0; i < m->n_devices; i++) {
		const struct k_device *d = &m->device[i];
		char compute[80];
		size_t n = 0;
		struct tl_str col[] = { { "", 0 }, d->id };
		struct tl_conv_kv kv[5];

		if (d->major.n > 0 && d->major.n + d->minor.n < 70) {
			memcpy(compute, d->major.p, d->major.n);
			n = d->major.n;
			compute[n++] = '.';
			memcpy(compute + n, d->minor.n ? d->minor.p : "0",
			    d->minor.n ? d->minor.n : 1);
			n += d->minor.n ? d->minor.n : 1;
		}
		kv[0] = (struct tl_conv_kv){ "name", d->name };
		kv[1] = (struct tl_conv_kv){ "memory", d->memory };
		kv[2] = (struct tl_conv_kv){ "compute", { compute, n } };
		kv[3] = (struct tl_conv_kv){ "sms", d->sms };
		kv[4] = (struct tl_conv_kv){ "warp", d->warp };
		tl_xconv_header(c, "device", col, 2, kv, 5);
	}
}

static void
header(struct k_run *r, struct tl_conv *c, int argc, char *const *argv)
{
	char size[24] = "";
	char *path = tl_xstrdup(r->source_path ? r->source_path : "");
	struct tl_conv_kv place = { "E", TL_LIT("traceEvents") };
	struct stat st;

	if (r->in_path != NULL) {
		free(path);
		path = tl_xconv_path(r->source_path ? r->source_path :
		    r->in_path);
	}
	if (fstat(r->scan.in.fd, &st) == 0 && S_ISREG(st.st_mode))
		size[tl_num_put_u64(size, (uint64_t)st.st_size)] = '\0';
	tl_xevout_version(&c->out);
	source_line(r, c, path, size);
	process_lines(r, c);
	device_lines(&r->meta, c);
	tl_xconv_header(c, "place", NULL, 0, &place, 1);
	tl_xconv_header_end(c, argc, argv);
	free(path);
}

static const char *
provider(const struct k_run *r)
{
	const struct tl_str *m = r->meta.value;

	if (r->ascend)
		return "ascend";
	if (m[K_HIP_RUNTIME].n > 0 || m[K_HIP_DRIVER].n > 0 ||
	    m[K_ROCTRACER].n > 0 || (r->names_of_calls & K_NAME_HIP))
		return "hip";
	if (m[K_CUDA_RUNTIME].n > 0 || m[K_CUDA_DRIVER].n > 0 ||
	    m[K_CUPTI].n > 0 || (r->names_of_calls & K_NAME_CUDA))
		return "cuda";
	return NULL;
}

/* Notes on the whole. */
static void
last_notes(struct k_run *r, const struct writer *w)
{
	uint32_t proc;

	if (r->notes.n[K_SHORT_FRACTION] > 0 &&
	    (r->n_frac3 == 0 || r->frac_is_ns))
		r->notes.n[K_SHORT_FRACTION] = 0;
	if (k_calls_full(r->calls) && (w->check_far ||
	    k_calls_only(r->calls, &proc) > 1))
		k_note(&r->notes, K_CALLS_FULL, K_NOWHERE);
	if ((r->names_of_calls & K_NAME_CAPTURE) &&
	    !(r->names_of_calls & K_NAME_LAUNCH))
		k_note(&r->notes, K_CAPTURE_PHASE, K_NOWHERE);
	if (r->n_device == w->n_dropped_device)
		k_note(&r->notes, K_NO_DEVICE, K_NOWHERE);
}

void
k_xwrite(struct k_run *r, struct tl_conv *c, int argc, char *const *argv)
{
	struct writer w = { .r = r, .c = c };
	struct view v;

	w.lane = tl_xreallocarray(NULL, r->lanes.n, sizeof *w.lane);
	for (uint32_t i = 0; i < r->lanes.n; i++)
		split_lane(tl_intern_str(&r->lanes, i), w.lane[i].col);
	w.known = tl_xcalloc(r->names.n, sizeof *w.known);
	w.drop_zero = r->any_start && r->min_start > STAMP_NS;
	w.check_far = wants_far_check(r);
	if (w.check_far)
		w.median = median(&w);
	c->provider = provider(r);
	header(r, c, argc, argv);
	while (next(&w, &v) == TL_OK)
		if (!is_lost(&w, &v))
			write_event(&w, &v);
	tl_xconv_events_end(c);
	last_notes(r, &w);
	k_notes_write(&r->notes, &c->out);
	tl_xevout_end(&c->out);
	free(w.lane);
	free(w.known);
}
