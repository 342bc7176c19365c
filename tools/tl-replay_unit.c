#include <stdlib.h>

#include "tl-replay.h"

/* On a stream one event ends before the next begins: of two that start
 * together the shorter was first. */
static int
lane_cmp(const void *pa, const void *pb)
{
	const struct rep_event *a = pa, *b = pb;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

size_t
rep_lane_len(const struct rep_capture *cap, const struct rep_launch *l,
    size_t i)
{
	const struct rep_event *e = cap->event + l->first;
	size_t j = i;

	while (j < l->n && e[i].lane == e[j].lane)
		j++;
	return j - i;
}

/* A lane for sorting. */
struct lane {
	const struct rep_event *at;
	const struct tl_intern *text;
	size_t n;
	uint32_t device, rank; /* its device, and that device's rank */
};

/* The longer first, then by the symbols in their order, which is the same in
 * every capture. */
static int
content_cmp(const struct lane *a, const struct lane *b)
{
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i].sym != b->at[i].sym)
			return tl_str_cmp(tl_intern_str(a->text, a->at[i].sym),
			    tl_intern_str(a->text, b->at[i].sym));
	return 0;
}

/* Lanes of equal content are in the order of their devices, then as the stream
 * has them. */
static int
canonical_cmp(const void *pa, const void *pb)
{
	const struct lane *a = pa, *b = pb;
	int c = content_cmp(a, b);

	if (c != 0)
		return c;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->at->lane < b->at->lane ? -1 : a->at->lane > b->at->lane;
}

static int
device_lane_cmp(const void *pa, const void *pb)
{
	const struct lane *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return content_cmp(a, b);
}

/* A device: its lanes, sorted. */
struct device {
	struct lane *lane;
	size_t n;
};

/* By what is on their lanes, so that the order of devices of equal launches
 * is the same. */
static int
device_cmp(const void *pa, const void *pb)
{
	const struct device *a = pa, *b = pb;

	for (size_t i = 0; i < a->n && i < b->n; i++) {
		int c = content_cmp(&a->lane[i], &b->lane[i]);

		if (c != 0)
			return c;
	}
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->lane->device < b->lane->device ? -1 :
	    a->lane->device > b->lane->device;
}

static void
rank_devices(struct lane *lane, size_t n)
{
	struct device *dev = tl_xreallocarray(NULL, n, sizeof *dev);
	size_t m = 0;

	qsort(lane, n, sizeof *lane, device_lane_cmp);
	for (size_t i = 0; i < n; i += dev[m++].n) {
		dev[m] = (struct device){ lane + i, 0 };
		while (i + dev[m].n < n &&
		    lane[i + dev[m].n].device == lane[i].device)
			dev[m].n++;
	}
	qsort(dev, m, sizeof *dev, device_cmp);
	for (size_t d = 0; d < m; d++)
		for (size_t i = 0; i < dev[d].n; i++)
			dev[d].lane[i].rank = (uint32_t)d;
	free(dev);
}

/* Puts a launch's members into canonical order: lane by lane. */
static void
sort_members(struct rep_capture *cap, struct rep_launch *l)
{
	struct rep_event *e = cap->event + l->first, *sorted;
	struct lane *lane;
	size_t n = 0, m = 0;

	qsort(e, l->n, sizeof *e, lane_cmp);
	for (size_t i = 0; i < l->n; i += rep_lane_len(cap, l, i))
		l->n_lanes++;
	if (l->n_lanes == 1)
		return;
	lane = tl_xreallocarray(NULL, l->n_lanes, sizeof *lane);
	for (size_t i = 0; i < l->n; i += lane[n++].n) {
		lane[n] = (struct lane){ e + i, &cap->text,
			rep_lane_len(cap, l, i),
			cap->lane[e[i].lane].device_no, 0 };
		l->several |= lane[n].device != lane[0].device;
	}
	if (l->several)
		rank_devices(lane, n);
	qsort(lane, n, sizeof *lane, canonical_cmp);
	sorted = tl_xreallocarray(NULL, l->n, sizeof *sorted);
	for (size_t k = 0; k < n; k++) {
		memcpy(sorted + m, lane[k].at, lane[k].n * sizeof *sorted);
		m += lane[k].n;
	}
	memcpy(e, sorted, l->n * sizeof *e);
	free(sorted);
	free(lane);
}

static uint64_t
hash_members(const struct rep_capture *cap, const struct rep_launch *l)
{
	const struct rep_event *e = cap->event + l->first;
	uint64_t h = (l->n * 2 + l->several) * 0x9e3779b97f4a7c15U;

	for (size_t i = 0; i < l->n; i++) {
		h ^= e[i].sym + (i > 0 && e[i - 1].lane != e[i].lane ?
		    (uint64_t)1 << 40 : 0);
		h *= 0xff51afd7ed558ccdU;
		h ^= h >> 32;
	}
	return h;
}

/* Which device of a launch is which of another, while they are compared. */
struct pairing {
	uint32_t *to, *from; /* device_no + 1 of the partner, 0 if none */
};

static bool
pair_devices(const struct rep_capture *cap, struct pairing *p,
    const struct rep_event *x, const struct rep_event *y)
{
	uint32_t a = cap->lane[x->lane].device_no;
	uint32_t b = cap->lane[y->lane].device_no;

	if (p->to[a] == 0 && p->from[b] == 0) {
		p->to[a] = b + 1;
		p->from[b] = a + 1;
	}
	return p->to[a] == b + 1 && p->from[b] == a + 1;
}

static bool
equal_devices(const struct rep_capture *cap, struct pairing *p,
    const struct rep_launch *a, const struct rep_launch *b)
{
	const struct rep_event *x = cap->event + a->first;
	const struct rep_event *y = cap->event + b->first;
	bool equal = true;

	for (size_t i = 0; i < a->n && equal; i++)
		if (i == 0 || x[i - 1].lane != x[i].lane)
			equal = pair_devices(cap, p, &x[i], &y[i]);
	for (size_t i = 0; i < a->n; i++) {
		p->to[cap->lane[x[i].lane].device_no] = 0;
		p->from[cap->lane[y[i].lane].device_no] = 0;
	}
	return equal;
}

static bool
equal_members(const struct rep_capture *cap, struct pairing *p,
    const struct rep_launch *a, const struct rep_launch *b)
{
	const struct rep_event *x = cap->event + a->first;
	const struct rep_event *y = cap->event + b->first;

	if (a->n != b->n || a->n_lanes != b->n_lanes ||
	    a->several != b->several)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (x[i].sym != y[i].sym || (i > 0 &&
		    (x[i - 1].lane == x[i].lane) !=
		    (y[i - 1].lane == y[i].lane)))
			return false;
	return !a->several || equal_devices(cap, p, a, b);
}

/* Slots of units by their hash; unit + 1, 0 if free. */
struct table {
	uint32_t *slot;
	size_t n; /* a power of two */
};

/* The unit of a launch, made if there is none. */
static uint32_t
unit_of(struct rep_capture *cap, struct table *t, struct pairing *p,
    uint32_t launch)
{
	const struct rep_launch *l = &cap->launch[launch];
	uint64_t h = hash_members(cap, l);
	size_t s;

	for (s = (size_t)h & (t->n - 1); t->slot[s] != 0;
	    s = (s + 1) & (t->n - 1)) {
		const struct rep_unit *u = &cap->unit[t->slot[s] - 1];

		if (u->hash == h &&
		    equal_members(cap, p, &cap->launch[u->launch], l))
			return t->slot[s] - 1;
	}
	cap->unit = tl_xgrow(cap->unit, cap->n_units, &cap->units_cap,
	    sizeof *cap->unit);
	cap->unit[cap->n_units++] = (struct rep_unit){
		.launch = launch, .hash = h
	};
	t->slot[s] = (uint32_t)cap->n_units;
	return t->slot[s] - 1;
}

void
rep_units(struct rep_capture *cap)
{
	struct table t = { .n = 64 };
	struct pairing p;

	while (t.n < cap->n_launches * 2)
		t.n *= 2;
	t.slot = tl_xcalloc(t.n, sizeof *t.slot);
	p.to = tl_xcalloc(cap->devices.n, sizeof *p.to);
	p.from = tl_xcalloc(cap->devices.n, sizeof *p.from);
	for (size_t i = 0; i < cap->n_launches; i++) {
		struct rep_launch *l = &cap->launch[i];

		if (l->n == 0)
			continue;
		sort_members(cap, l);
		l->unit = unit_of(cap, &t, &p, (uint32_t)i);
		cap->unit[l->unit].realised++;
		cap->unit[l->unit].launches++;
	}
	free(t.slot);
	free(p.to);
	free(p.from);
}
