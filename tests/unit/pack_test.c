/* Lanes of tl-perfetto: no overlap, and no more lanes than needed. */
#include "tl-perfetto_pack.c"

#include "tap.h"

struct slice {
	int64_t start, dur;
	uint32_t lane;
};

#define N 400

static uint64_t seed = 1;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(seed >> 33) % n;
}

static int
slice_cmp(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->dur > y->dur ? -1 : x->dur < y->dur;
}

/* Whether two slices of a lane, x not behind y, are drawn right: apart, or
 * both without length at one time, or, where that is allowed, y within x. */
static bool
fits(const struct slice *x, const struct slice *y, bool nested)
{
	return y->start >= x->start + x->dur ||
	    (nested && y->start + y->dur <= x->start + x->dur);
}

static uint32_t
at_once(const struct slice *v, size_t n)
{
	uint32_t best = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t k = 0, zero = 0;

		for (size_t j = 0; j < n; j++) {
			k += v[j].start <= v[i].start &&
			    v[i].start < v[j].start + v[j].dur;
			if (v[j].dur == 0 && v[j].start == v[i].start)
				zero = 1;
		}
		if (k + zero > best)
			best = k + zero;
	}
	return best;
}

static void
test(bool nested, uint32_t span, uint32_t longest)
{
	struct pf_pack *k = pf_xpack_new(nested);
	static struct slice v[N];
	size_t bad = 0;
	uint32_t lanes = 0;

	for (size_t i = 0; i < N; i++)
		v[i] = (struct slice){ rnd(span),
			rnd(4) == 0 ? 0 : rnd(longest), 0 };
	qsort(v, N, sizeof *v, slice_cmp);
	for (size_t i = 0; i < N; i++) {
		v[i].lane = pf_xpack(k, v[i].start, v[i].dur);
		if (v[i].lane + 1 > lanes)
			lanes = v[i].lane + 1;
		for (size_t j = 0; j < i; j++)
			bad += v[j].lane == v[i].lane &&
			    !fits(&v[j], &v[i], nested);
	}
	tap(bad == 0, "%u %u: %zu overlaps", span, longest, bad);
	tap(lanes == pf_pack_lanes(k), "%u lanes are counted", lanes);
	if (!nested)
		tap(lanes == at_once(v, N), "%u lanes are needed",
		    at_once(v, N));
	pf_pack_free(k);
}

int
main(void)
{
	struct pf_pack *k = pf_xpack_new(true);

	for (uint32_t i = 0; i < 30; i++) {
		uint32_t span = 1 + rnd(2000), longest = 1 + rnd(200);

		test(false, span, longest);
		test(true, span, longest);
	}
	/* a child goes to its parent, not into what happens to be open */
	tap(pf_xpack(k, 0, 1000) == 0, "long");
	tap(pf_xpack(k, 10, 2000) == 1, "crosses it");
	tap(pf_xpack(k, 20, 1500) == 1, "lies in that");
	tap(pf_xpack(k, 30, 100) == 0, "fits the first most tightly");
	pf_pack_free(k);
	k = pf_xpack_new(false);
	tap(pf_xpack(k, INT64_MIN, 0) == 0, "the earliest time");
	tap(pf_xpack(k, INT64_MAX, 0) == 0, "the latest");
	pf_pack_free(k);
	k = pf_xpack_new(true);
	for (uint32_t i = 0; i < 501; i++)
		(void)pf_xpack(k, i, 2000 - 2 * (int64_t)i);
	tap(pf_pack_lanes(k) == 2, "no deeper than 500");
	pf_pack_free(k);
	return tap_done();
}
