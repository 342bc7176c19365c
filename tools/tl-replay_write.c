#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sha256.h"
#include "tl-replay.h"

/* Units are numbered by their first launch. */
static void
number_units(struct rep_capture *cap)
{
	uint32_t n = 0;

	for (size_t i = 0; i < cap->n_launches; i++) {
		struct rep_unit *u;

		if (cap->launch[i].unit == REP_NONE)
			continue;
		u = &cap->unit[cap->launch[i].unit];
		if (u->number == 0)
			u->number = ++n;
	}
}

/* Digest of a lane, and the device it is on. */
struct digest {
	unsigned char b[TL_SHA256_SIZE];
	uint32_t device;
};

static int
digest_cmp(const void *pa, const void *pb)
{
	const struct digest *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return memcmp(a->b, b->b, sizeof a->b);
}

static struct digest
lane_digest(const struct rep_capture *cap, const struct rep_event *e, size_t n)
{
	struct tl_sha256 s;
	struct digest d = { .device = cap->lane[e->lane].device_no };

	tl_sha256_init(&s);
	for (size_t i = 0; i < n; i++) {
		struct tl_str sym = tl_intern_str(&cap->text, e[i].sym);

		tl_sha256_add(&s, sym.p, sym.n);
		tl_sha256_add(&s, "\n", 1);
	}
	tl_sha256_end(&s, d.b);
	return d;
}

/* Makes of digests sorted by device one for each device, and sorts those. */
static size_t
device_digests(struct digest *d, size_t n)
{
	size_t m = 0;

	for (size_t i = 0, j; i < n; i = j) {
		struct tl_sha256 s;

		tl_sha256_init(&s);
		for (j = i; j < n && d[j].device == d[i].device; j++)
			tl_sha256_add(&s, d[j].b, sizeof d[j].b);
		d[m].device = 0;
		tl_sha256_end(&s, d[m++].b);
	}
	qsort(d, m, sizeof *d, digest_cmp);
	return m;
}

/* "graph:" and 16 digits made from the names, lane by lane; lanes and devices
 * in the order of their digests, so that nothing depends on the capture. */
static void
unit_symbol(const struct rep_capture *cap, const struct rep_launch *t,
    char out[32])
{
	struct digest *d = tl_xreallocarray(NULL, t->n_lanes, sizeof *d);
	size_t n = 0;
	struct tl_sha256 s;
	unsigned char all[TL_SHA256_SIZE];
	char hex[17];

	for (size_t i = 0, len; i < t->n; i += len) {
		len = rep_lane_len(cap, t, i);
		d[n++] = lane_digest(cap, cap->event + t->first + i, len);
	}
	qsort(d, n, sizeof *d, digest_cmp);
	n = device_digests(d, n);
	tl_sha256_init(&s);
	for (size_t i = 0; i < n; i++)
		tl_sha256_add(&s, d[i].b, sizeof d[i].b);
	tl_sha256_end(&s, all);
	free(d);
	for (int i = 0; i < 8; i++)
		snprintf(hex + 2 * i, 3, "%02x", all[i]);
	snprintf(out, 32, "graph:%s", hex);
}

static void
write_units(struct rep_capture *cap, struct tl_evout *out)
{
	uint32_t number = 0;

	for (size_t i = 0; i < cap->n_launches; i++) {
		const struct rep_launch *l = &cap->launch[i], *t;
		const struct rep_unit *u;
		char symbol[32];

		if (l->unit == REP_NONE || cap->unit[l->unit].number <= number)
			continue;
		u = &cap->unit[l->unit];
		t = &cap->launch[u->launch];
		number = u->number;
		unit_symbol(cap, t, symbol);
		tl_xevout_rec(out, TL_UNIT);
		tl_xevout_u64(out, u->number);
		tl_xevout_raw(out, (struct tl_str){ symbol, strlen(symbol) });
		tl_xevout_u64(out, t->n_lanes);
		tl_xevout_u64(out, t->n);
		tl_xevout_u64(out, u->launches);
		tl_xevout_eol(out);
	}
}

/* What is known of a launch's time on the device. */
struct extent {
	const struct rep_event *first, *last; /* members by start */
	int64_t from, to;
	bool one_device, one_context;
};

static void
measure(const struct rep_capture *cap, const struct rep_launch *l,
    struct extent *x)
{
	const struct rep_event *e = l->n > 0 ? cap->event + l->first :
	    l->interval;
	size_t n = l->n > 0 ? l->n : l->n_intervals;

	*x = (struct extent){ .one_device = true, .one_context = true };
	for (size_t i = 0; i < n; i++, e++) {
		const struct rep_lane *lane = &cap->lane[e->lane], *one;

		if (i == 0) {
			x->first = x->last = e;
			x->from = e->start_ns;
			x->to = e->end_ns;
			continue;
		}
		one = &cap->lane[x->first->lane];
		x->one_device &= lane->device == one->device;
		x->one_context &= lane->context == one->context;
		if (e->at < x->first->at)
			x->first = e;
		if (e->at > x->last->at)
			x->last = e;
		if (e->end_ns > x->to)
			x->to = e->end_ns;
		if (e->start_ns < x->from)
			x->from = e->start_ns;
	}
}

/* Column of a difference of two times; "." where it is no 64-bit number. */
static void
put_diff(struct tl_evout *out, int64_t from, int64_t to)
{
	if ((from < 0 && to > INT64_MAX + from) ||
	    (from > 0 && to < INT64_MIN + from))
		tl_xevout_none(out);
	else
		tl_xevout_i64(out, to - from);
}

/* How many ranges of missing members are told. */
#define MAX_RANGES 8

/* Text of a bounded length. */
struct text {
	char b[512];
	size_t n;
};

static void
put(struct text *t, const char *fmt, ...) TL_PRINTF(2, 3);

static void
put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->b + t->n, sizeof t->b - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (size_t)n;
	if (t->n >= sizeof t->b)
		t->n = sizeof t->b - 1;
}

/* For each member of the template, lane by lane, whether the launch has it. */
static bool *
present(const struct rep_capture *cap, const struct rep_launch *l,
    const struct rep_launch *t)
{
	size_t *begin = tl_xreallocarray(NULL, t->n_lanes, sizeof *begin);
	bool *there = tl_xcalloc(t->n, sizeof *there);
	size_t k = 0;

	for (size_t j = 0; j < t->n; j += rep_lane_len(cap, t, j))
		begin[k++] = j;
	for (size_t i = 0; i < l->n; i++)
		there[begin[l->fit.lane[i]] + l->fit.index[i]] = true;
	free(begin);
	return there;
}

/* Members of the unit that a launch lacks, as "stream:index" and
 * "stream:first-last", the first few. */
static void
put_missing(const struct rep_capture *cap, const struct rep_launch *l,
    struct text *text)
{
	const struct rep_launch *t = &cap->launch[cap->unit[l->unit].launch];
	bool *there = present(cap, l, t);
	size_t told = 0, at = 0;

	put(text, "; missing");
	for (size_t k = 0; k < t->n_lanes && told <= MAX_RANGES; k++) {
		size_t len = rep_lane_len(cap, t, at), i = 0, from;

		while (i < len && told <= MAX_RANGES) {
			if (there[at + i++])
				continue;
			from = i - 1;
			while (i < len && !there[at + i])
				i++;
			if (told++ == MAX_RANGES)
				put(text, " ...");
			else if (i - from == 1)
				put(text, " %zu:%zu", k, from);
			else
				put(text, " %zu:%zu-%zu", k, from, i - 1);
		}
		at += len;
	}
	free(there);
	if (l->fit.n_unsure > 0)
		put(text, "; %lu in the first of several places",
		    (unsigned long)l->fit.n_unsure);
}

/* The codes of what is known of a launch on an Ascend device. */
static void
put_acl(const struct rep_launch *l, struct text *text)
{
	const char *code[4];
	size_t n = rep_acl_codes(l, code);

	for (size_t i = 0; i < n; i++)
		put(text, "%s%s", i > 0 ? "; " : "", code[i]);
}

static void
put_reason(const struct rep_capture *cap, const struct rep_launch *l,
    struct tl_evout *out)
{
	static const char *const evidence[] = {
		"node ids", "correlation with the call",
		"shared correlation", "interval only",
		"no device record has its correlation",
	};
	struct text text = { .n = 0 };

	if (l->acl != NULL)
		put_acl(l, &text);
	else if (l->evidence == REP_BY_INTERVAL && l->n > 0)
		put(&text, "correlation with the interval");
	else if (l->evidence == REP_BY_NOTHING && l->call->untied)
		put(&text, "the call has no correlation");
	else
		put(&text, "%s", evidence[l->evidence]);
	if (l->call != NULL && l->call->failed)
		put(&text, "; the call failed");
	if (l->n_intervals > 1)
		put(&text, "; %lu intervals", (unsigned long)l->n_intervals);
	if (l->n_missing > 0)
		put_missing(cap, l, &text);
	tl_xevout_text(out, (struct tl_str){ text.b, text.n });
}

/* Number of a text, "." if it is not one for all. */
static void
put_one(const struct rep_capture *cap, struct tl_evout *out, bool one,
    uint32_t token)
{
	tl_xevout_raw(out, one ? tl_intern_str(&cap->text, token) :
	    TL_LIT("."));
}

static void
put_id(struct tl_evout *out, bool known, uint64_t id)
{
	if (known)
		tl_xevout_u64(out, id);
	else
		tl_xevout_none(out);
}

/* The same of a launch on an Ascend device without members: from when to when
 * its graph ran, if it is known when that ended. */
static void
put_window(const struct rep_capture *cap, const struct rep_acl_launch *l,
    struct tl_evout *out)
{
	const struct rep_lane *lane = &cap->lane[l->lane];

	put_one(cap, out, true, lane->process);
	put_one(cap, out, true, lane->device);
	put_one(cap, out, true, lane->context);
	tl_xevout_i64(out, l->start_ns);
	if (l->match == REP_ACL_ALONE)
		tl_xevout_none(out);
	else
		put_diff(out, l->start_ns, l->end_ns);
}

/* Columns process to dur. */
static void
put_extent(const struct rep_capture *cap, const struct rep_launch *l,
    const struct extent *x, struct tl_evout *out)
{
	const struct rep_lane *lane;

	if (x->first == NULL && l->acl != NULL) {
		put_window(cap, l->acl, out);
		return;
	}
	if (x->first == NULL) {
		put_one(cap, out, true, l->call->owner);
		for (int i = 0; i < 4; i++)
			tl_xevout_none(out);
		return;
	}
	lane = &cap->lane[x->first->lane];
	put_one(cap, out, true, lane->process);
	put_one(cap, out, x->one_device, lane->device);
	put_one(cap, out, x->one_context, lane->context);
	tl_xevout_i64(out, x->from);
	put_diff(out, x->from, x->to);
}

static void
write_launch(const struct rep_capture *cap, size_t number,
    struct tl_evout *out)
{
	static const char *const statuses[REP_N_STATUS] = {
		"exact", "single", "partial", "variant", "opaque", "empty",
		"orphan",
	};
	const struct rep_launch *l = &cap->launch[number];
	const char *status = statuses[l->status];
	bool members = l->n > 0;
	struct extent x;

	measure(cap, l, &x);
	tl_xevout_rec(out, TL_LAUNCH);
	tl_xevout_u64(out, number + 1);
	put_id(out, l->call != NULL, l->call != NULL ? l->call->id : 0);
	put_extent(cap, l, &x, out);
	put_id(out, members, members ? cap->unit[l->unit].number : 0);
	tl_xevout_raw(out, (struct tl_str){ status, strlen(status) });
	/* how many members an opaque or empty launch has is not known */
	put_id(out, members, l->n);
	put_id(out, members, l->n_missing);
	if (l->acl != NULL)
		put_id(out, !members, l->acl->execute);
	else
		put_id(out, l->interval != NULL,
		    l->interval != NULL ? l->interval->id : 0);
	put_reason(cap, l, out);
	put_id(out, members, members ? x.first->id : 0);
	put_id(out, members, members ? x.last->id : 0);
	if (l->call != NULL && x.first != NULL)
		put_diff(out, l->call->start_ns, x.first->start_ns);
	else
		tl_xevout_none(out);
	tl_xevout_eol(out);
}

static void
write_members(const struct rep_capture *cap, size_t number,
    struct tl_evout *out)
{
	const struct rep_launch *l = &cap->launch[number];
	uint32_t lane = 0;

	for (size_t i = 0, len; i < l->n; i += len, lane++) {
		len = rep_lane_len(cap, l, i);
		for (size_t j = i; j < i + len; j++) {
			tl_xevout_rec(out, TL_MEMBER);
			tl_xevout_u64(out, number + 1);
			tl_xevout_u64(out, cap->unit[l->unit].number);
			tl_xevout_u64(out, l->fit.lane ? l->fit.lane[j] :
			    lane);
			tl_xevout_u64(out, l->fit.index ?
			    l->fit.index[j] : j - i);
			tl_xevout_u64(out, cap->event[l->first + j].id);
			tl_xevout_eol(out);
		}
	}
}

void
rep_write(struct rep_capture *cap, struct tl_evout *out)
{
	number_units(cap);
	write_units(cap, out);
	for (size_t i = 0; i < cap->n_launches; i++) {
		write_launch(cap, i, out);
		write_members(cap, i, out);
	}
	rep_notes(cap, out);
}
