#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

/* Perfetto drops what nests deeper than 512. */
#define MAX_NEST 500

/* So many lanes are looked at for the tightest fit; of more, the first that
 * fits is taken. */
#define MAX_LOOK 64

/* A lane is a stack of open slices, of which their ends are kept. */
struct lane {
	int64_t *end;
	uint32_t n, cap;
	bool top_zero; /* the innermost has no length */
};

/* An open slice, in a heap by end. */
struct open {
	int64_t end_ns;
	uint32_t lane;
	bool zero;
};

struct pf_pack {
	bool nested;
	struct lane *lane;
	size_t n_lanes, cap_lanes;
	struct open *heap;
	size_t n_open, cap_open;
	/* For each lane the latest end it takes now, and above them the
	 * maxima of pairs: a tree with root 1 and leaves from n_leaves. */
	int64_t *takes;
	size_t n_leaves;
};

struct pf_pack *
pf_xpack_new(bool nested)
{
	struct pf_pack *k = tl_xcalloc(1, sizeof *k);

	k->nested = nested;
	return k;
}

uint32_t
pf_pack_lanes(const struct pf_pack *k)
{
	return (uint32_t)k->n_lanes;
}

void
pf_pack_free(struct pf_pack *k)
{
	if (k == NULL)
		return;
	for (size_t i = 0; i < k->n_lanes; i++)
		free(k->lane[i].end);
	free(k->lane);
	free(k->heap);
	free(k->takes);
	free(k);
}

static bool
before(const struct open *a, const struct open *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns :
	    !a->zero && b->zero;
}

static void
heap_push(struct pf_pack *k, struct open o)
{
	size_t i = k->n_open;

	k->heap = tl_xgrow(k->heap, k->n_open, &k->cap_open, sizeof *k->heap);
	k->n_open++;
	for (; i > 0 && before(&o, &k->heap[(i - 1) / 2]); i = (i - 1) / 2)
		k->heap[i] = k->heap[(i - 1) / 2];
	k->heap[i] = o;
}

static struct open
heap_pop(struct pf_pack *k)
{
	struct open top = k->heap[0], last = k->heap[--k->n_open];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < k->n_open; i = child) {
		if (child + 1 < k->n_open &&
		    before(&k->heap[child + 1], &k->heap[child]))
			child++;
		if (!before(&k->heap[child], &last))
			break;
		k->heap[i] = k->heap[child];
	}
	if (k->n_open > 0)
		k->heap[i] = last;
	return top;
}

/* Slices without length lie on each other at one instant, as Perfetto draws
 * them. */
static int64_t
takes_now(const struct pf_pack *k, const struct lane *l)
{
	if (l->n == 0)
		return INT64_MAX;
	if (l->n < MAX_NEST && (k->nested || l->top_zero))
		return l->end[l->n - 1];
	return INT64_MIN;
}

static void
update(struct pf_pack *k, size_t lane)
{
	size_t i = k->n_leaves + lane;

	k->takes[i] = takes_now(k, &k->lane[lane]);
	for (i /= 2; i >= 1; i /= 2) {
		int64_t a = k->takes[2 * i], b = k->takes[2 * i + 1];

		k->takes[i] = a > b ? a : b;
	}
}

static uint32_t
add_lane(struct pf_pack *k)
{
	size_t lane = k->n_lanes;

	k->lane = tl_xgrow(k->lane, k->n_lanes, &k->cap_lanes, sizeof *k->lane);
	k->lane[k->n_lanes++] = (struct lane){ .n = 0 };
	if (k->n_lanes > k->n_leaves) {
		k->n_leaves = k->n_leaves == 0 ? 4 : 2 * k->n_leaves;
		k->takes = tl_xreallocarray(k->takes, 2 * k->n_leaves,
		    sizeof *k->takes);
		for (size_t i = 0; i < 2 * k->n_leaves; i++)
			k->takes[i] = INT64_MIN;
		for (size_t i = 0; i < k->n_lanes; i++)
			update(k, i);
	}
	return (uint32_t)lane;
}

/* The lane, n_lanes if there is none. */
static size_t
find(const struct pf_pack *k, int64_t end_ns)
{
	size_t best = k->n_lanes, i = 1;
	size_t n = k->n_lanes < MAX_LOOK ? k->n_lanes : MAX_LOOK;

	if (k->n_leaves == 0 || k->takes[1] < end_ns)
		return k->n_lanes;
	for (size_t l = 0; k->nested && l < n; l++) {
		int64_t t = k->takes[k->n_leaves + l];

		if (t >= end_ns && (best == k->n_lanes ||
		    t < k->takes[k->n_leaves + best]))
			best = l;
	}
	if (best < k->n_lanes)
		return best;
	while (i < k->n_leaves)
		i = 2 * i + (k->takes[2 * i] < end_ns);
	return i - k->n_leaves;
}

/* Closes what has ended. */
static void
close_until(struct pf_pack *k, int64_t start_ns, bool zero)
{
	while (k->n_open > 0) {
		const struct open *o = &k->heap[0];
		struct lane *l = &k->lane[o->lane];

		if (o->end_ns > start_ns || (o->end_ns == start_ns &&
		    o->zero && zero))
			break;
		l->n--;
		l->top_zero = false;
		update(k, o->lane);
		heap_pop(k);
	}
}

uint32_t
pf_xpack(struct pf_pack *k, int64_t start_ns, int64_t dur_ns)
{
	int64_t end = start_ns + dur_ns;
	bool zero = dur_ns == 0;
	size_t lane;
	struct lane *l;

	close_until(k, start_ns, zero);
	/* INT64_MIN means that a lane takes nothing */
	lane = find(k, end == INT64_MIN ? end + 1 : end);
	if (lane == k->n_lanes)
		lane = add_lane(k);
	l = &k->lane[lane];
	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 4 : 2 * l->cap;
		l->end = tl_xreallocarray(l->end, l->cap, sizeof *l->end);
	}
	l->end[l->n++] = end;
	l->top_zero = zero;
	update(k, lane);
	heap_push(k, (struct open){ end, (uint32_t)lane, zero });
	return (uint32_t)lane;
}
