/* sort.h: the order of events, in memory and past the budget. The oracle is an
 * insertion sort over the order as tl-ev(5) words it. */
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include "ev.h"
#include "tap.h"

struct item {
	int64_t start, dur;
	uint32_t tag;
	uint64_t row;
	uint32_t len;
	uint32_t seed; /* of the payload */
	size_t added;
};

static uint64_t state = 42;

static uint64_t
rnd(uint64_t n)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (state >> 33) % n;
}

static unsigned char
byte_of(const struct item *it, uint32_t i)
{
	return (unsigned char)(it->seed * 31 + i * 7);
}

/* "by start; longer first, unknown last; then tag; then number"; what is equal
 * stays as it was added. */
static bool
before(const struct item *a, const struct item *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->dur != b->dur) {
		if (a->dur == TL_NONE || b->dur == TL_NONE)
			return b->dur == TL_NONE;
		return a->dur > b->dur;
	}
	if (a->tag != b->tag)
		return a->tag < b->tag;
	if (a->row != b->row)
		return a->row < b->row;
	return a->added < b->added;
}

static int
by_order(const void *a, const void *b)
{
	return before(a, b) ? -1 : 1;
}

static void
add(struct tl_sort *s, const struct item *it)
{
	unsigned char *p = malloc(it->len + 1);

	if (p == NULL)
		exit(1);
	for (uint32_t i = 0; i < it->len; i++)
		p[i] = byte_of(it, i);
	tl_xsort_add(s, &(struct tl_sort_rec){ it->start, it->dur, it->tag,
	    it->len, it->row, p });
	free(p);
}

static bool
same(const struct item *it, const struct tl_sort_rec *rec)
{
	const unsigned char *p = rec->data;

	if (rec->start_ns != it->start || rec->dur_ns != it->dur ||
	    rec->tag != it->tag || rec->row != it->row || rec->len != it->len)
		return false;
	for (uint32_t i = 0; i < it->len; i++)
		if (p[i] != byte_of(it, i))
			return false;
	return true;
}

/* Reads all; the number of the first record that is wrong, n + 1 if more come
 * than should, -1 if all is well. */
static long
read_all(struct tl_sort *s, const struct item *it, size_t n)
{
	struct tl_sort_rec rec;
	struct tl_err err;
	size_t i = 0;

	for (;;) {
		switch (tl_sort_next(s, &rec, &err)) {
		case TL_OK:
			if (i == n || !same(&it[i], &rec))
				return (long)i + 1;
			i++;
			break;
		case TL_EOF:
			return i == n ? -1 : (long)i + 1;
		case TL_ERR:
			return (long)i + 1;
		}
	}
}

enum shape { RANDOM, UP, DOWN, RUNS, TIES, SHAPES };

static struct item *
make(size_t n, enum shape shape, uint32_t max_len)
{
	struct item *it = calloc(n + 1, sizeof *it);

	if (it == NULL)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		it[i].start = shape == RANDOM ? (int64_t)rnd(1000) - 500 :
		    shape == UP ? (int64_t)i : shape == DOWN ? -(int64_t)i :
		    shape == RUNS ? (int64_t)(i % 100) : 7;
		it[i].dur = (int64_t)rnd(4) - 1;
		it[i].tag = (uint32_t)rnd(2);
		it[i].row = rnd(5);
		it[i].len = (uint32_t)rnd(max_len + 1);
		it[i].seed = (uint32_t)rnd(1000);
		it[i].added = i;
	}
	return it;
}

static void
one(size_t n, enum shape shape, uint32_t max_len, uint64_t budget,
    bool spills)
{
	static const char *const names[] = { "random", "ascending",
		"descending", "runs", "ties" };
	struct item *it = make(n, shape, max_len);
	struct tl_sort *s = tl_xsort_new(budget);
	long wrong;

	for (size_t i = 0; i < n; i++)
		add(s, &it[i]);
	qsort(it, n, sizeof *it, by_order);
	wrong = read_all(s, it, n);
	tap(wrong == -1 && tl_sort_count(s) == n, "%s, %zu records of up to "
	    "%" PRIu32 " bytes, budget %" PRIu64 " (record %ld)",
	    names[shape], n, max_len, budget, wrong);
	tap((tl_sort_runs(s) > 0) == spills, "... %zu runs", tl_sort_runs(s));
	tl_xsort_rewind(s);
	tap(read_all(s, it, n) == -1, "... and once more");
	tl_sort_free(s);
	free(it);
}

static void
test_edges(void)
{
	struct item it[] = {
		{ INT64_MIN, 0, 0, 0, 0, 1, 0 },
		{ 0, INT64_MAX, 0, UINT64_MAX, 3, 2, 1 },
		{ 0, TL_NONE, 0, 0, 8, 3, 2 },
		{ INT64_MAX, 0, 0, 0, 9, 4, 3 },
	};
	struct tl_sort *s = tl_xsort_new(1 << 20);
	struct tl_sort_rec rec;
	struct tl_err err;

	for (size_t i = 4; i-- > 0;)
		add(s, &it[i]);
	tap(read_all(s, it, 4) == -1, "times at the ends of 64 bits");
	tap(tl_sort_next(s, &rec, &err) == TL_EOF, "the end stays the end");
	tl_sort_free(s);
	s = tl_xsort_new(1 << 20);
	tap(tl_sort_next(s, &rec, &err) == TL_EOF && tl_sort_count(s) == 0,
	    "nothing gives nothing");
	tl_xsort_rewind(s);
	tap(tl_sort_next(s, &rec, &err) == TL_EOF, "... again");
	tl_sort_free(s);
	tl_sort_free(NULL);
}

/* One record that is larger than the budget, among small ones. */
static void
test_large(void)
{
	struct item it[3] = {
		{ 1, 0, 0, 0, 10, 1, 0 }, { 2, 0, 0, 0, 3000000, 2, 1 },
		{ 3, 0, 0, 0, 10, 3, 2 },
	};
	struct tl_sort *s = tl_xsort_new(100000);

	add(s, &it[2]);
	add(s, &it[1]);
	add(s, &it[0]);
	tap(read_all(s, it, 3) == -1, "a record of 30 times the budget");
	tl_sort_free(s);
}

int
main(void)
{
	test_edges();
	test_large();
	for (int shape = 0; shape < SHAPES; shape++) {
		one(1, (enum shape)shape, 10, 1 << 20, false);
		one(17, (enum shape)shape, 10, 1 << 20, false);
		one(1000, (enum shape)shape, 40, 1 << 20, false);
		one(3000, (enum shape)shape, 40, 40000, true);
	}
	/* more runs than are merged at once, twice over */
	one(300000, RANDOM, 20, 4096, true);
	return tap_done();
}
