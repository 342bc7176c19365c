#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Periods under noise.  A word that an iteration has once recurs at about the
 * period; where one of its places is damaged, at twice that.  Distances that
 * agree within a window speak for it; those of all words are added up in
 * buckets of 4 % and their neighbours.
 */

enum {
	WORD_STEP = 3708,  /* log2(1.04) * 65536 */
	WORD_BUCKETS = 32 * 65536 / WORD_STEP + 2
};

struct bucket {
	uint32_t evidence, best; /* all words, the word with most */
	struct rec_period anchor;
};

static int
is_taken(const struct rec_near_state *st, uint32_t i)
{
	return (int)(st->taken[i / 64] >> i % 64 & 1);
}

static size_t
slot_of(const struct rec_near_state *st, uint32_t i, uint32_t k, size_t mask)
{
	uint64_t h = 0;

	while (k-- > 0)
		h = (h + st->s[i++] + 1) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h >> 20) & mask;
}

/* Numbers the words that occur three times and more, in the order of their
 * first places. */
static void
number_words(const struct rec_near_state *st, struct rec_near_word *w,
    uint32_t k)
{
	struct rec_map map = { NULL, 0, 0 };
	uint8_t *count;
	size_t size = 64;
	uint32_t i, free_to = 0;

	while (size < 2 * (size_t)st->n)
		size *= 2;
	count = tl_xcalloc(size, 1);
	memset(w->of, 0xff, ((size_t)st->n + 1) * sizeof(*w->of));
	for (i = 0; i + k <= st->n; i++) {
		while (free_to < i + k && !is_taken(st, free_to))
			free_to++;
		if (free_to < i + k) {
			i = free_to++;
			continue;
		}
		uint8_t *c = &count[slot_of(st, i, k, size - 1)];

		*c = (uint8_t)(*c < 3 ? *c + 1 : 3);
		w->of[i] = 0;
	}
	for (i = 0; i + k <= st->n; i++) {
		uint32_t *v;

		if (w->of[i] == REC_NONE)
			continue;
		w->of[i] = REC_NONE;
		if (count[slot_of(st, i, k, size - 1)] < 3)
			continue;
		v = rec_map_at(&map, (uint64_t)st->s[i] << 32 | st->s[i + 1],
		    k > 2 ? st->s[i + 2] : 0);
		if (*v == 0)
			*v = ++w->n_word;
		w->of[i] = *v - 1;
	}
	free(map.slot);
	free(count);
}

void
rec_near_words(const struct rec_near_state *st, struct rec_near_word *w,
    uint32_t k)
{
	uint32_t i, *next;

	w->n_word = 0;
	w->of = tl_xreallocarray(NULL, (size_t)st->n + 1, sizeof(*w->of));
	number_words(st, w, k);
	w->first = tl_xcalloc((size_t)w->n_word + 2, sizeof(*w->first));
	next = w->first + 1;
	for (i = 0; i < st->n; i++)
		if (w->of[i] != REC_NONE)
			next[w->of[i] + 1]++;
	for (i = 1; i <= w->n_word; i++)
		next[i] += next[i - 1];
	w->at = tl_xreallocarray(NULL, (size_t)next[w->n_word] + 1,
	    sizeof(*w->at));
	for (i = 0; i < st->n; i++)
		if (w->of[i] != REC_NONE)
			w->at[next[w->of[i]]++] = i;
}

void
rec_near_words_free(struct rec_near_word *w)
{
	free(w->at);
	free(w->first);
	free(w->of);
}

static uint32_t
root(uint32_t x)
{
	uint32_t r = 0, bit = 1U << 15;

	for (; bit > 0; bit >>= 1)
		if ((uint64_t)(r | bit) * (r | bit) <= x)
			r |= bit;
	return r;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The fullest window of the n sorted gaps: how many lie in it, and in one of
 * twice the gap; *gap its lower median. */
static uint32_t
fullest(const uint32_t *gap, uint32_t n, uint32_t *median)
{
	uint32_t i, j = 0, best = 0, from = 0, lo, hi, top;

	for (i = 0; i < n; i++) {
		if (i > 0 && gap[i] == gap[i - 1])
			continue;
		top = gap[i] + 1 + gap[i] / 25 + root(gap[i]) * 3 / 10;
		while (j < n && gap[j] <= top)
			j++;
		if (j - i > best) {
			best = j - i;
			from = i;
		}
	}
	*median = gap[from + (best - 1) / 2];
	lo = 2 * gap[from];
	hi = 2 * gap[from + best - 1];
	for (i = from + best; i < n && gap[i] <= hi; i++)
		best += gap[i] >= lo;
	return best;
}

static void
weigh_word(const struct rec_near_state *st, const struct rec_near_word *w,
    uint32_t word, uint32_t k, uint32_t *gap, struct bucket *bucket)
{
	const uint32_t *at = w->at + w->first[word];
	uint32_t n = w->first[word + 1] - w->first[word], i, most, g;
	uint32_t weight;
	struct bucket *b;

	if (n < 3)
		return;
	for (i = 0; i + 1 < n; i++)
		gap[i] = at[i + 1] - at[i];
	qsort(gap, n - 1, sizeof(*gap), by_number);
	most = fullest(gap, n - 1, &g);
	if (most < 2 || 4 * most < n - 1)
		return;
	weight = 2 * most >= n - 1 ? most - 1 : (most - 1) / 2;
	b = &bucket[rec_chance_log(&st->log, g) / WORD_STEP];
	b->evidence += weight;
	if (most > b->best) {
		b->best = most;
		b->anchor.gap = g;
		b->anchor.first = w->first[word];
		b->anchor.n = n;
		b->anchor.len = k;
	}
}

static uint32_t
around(const struct bucket *b, size_t i)
{
	return b[i].evidence + (i > 0 ? b[i - 1].evidence : 0) +
	    (i + 1 < WORD_BUCKETS ? b[i + 1].evidence : 0);
}

/* Puts one that is better than the last into the list. */
static size_t
keep_best(struct rec_period *list, size_t n, size_t max, struct rec_period p)
{
	uint64_t worth = (uint64_t)p.evidence * p.gap;
	size_t i = n < max ? n : max;

	while (i > 0 && (uint64_t)list[i - 1].evidence * list[i - 1].gap <
	    worth) {
		if (i < max)
			list[i] = list[i - 1];
		i--;
	}
	if (i < max)
		list[i] = p;
	return n < max ? n + 1 : max;
}

size_t
rec_near_periods(const struct rec_near_state *st,
    const struct rec_near_word *w, struct rec_period *period, size_t max)
{
	struct bucket *b = tl_xcalloc(WORD_BUCKETS, sizeof(*b));
	uint32_t *gap = tl_xreallocarray(NULL, (size_t)st->n + 1,
	    sizeof(*gap));
	uint32_t need = 5 + (rec_chance_log(&st->log, st->n + 1) >> 16) / 3;
	size_t i, k, n = 0;
	uint32_t word;

	for (k = 0; k < 2; k++)
		for (word = 0; word < w[k].n_word; word++)
			weigh_word(st, &w[k], word, k == 0 ? 3 : 2, gap, b);
	for (i = 0; i < WORD_BUCKETS; i++) {
		struct rec_period p;
		size_t best = i;
		uint32_t all = around(b, i);

		if (all < need || (i > 0 && around(b, i - 1) > all) ||
		    (i + 1 < WORD_BUCKETS && around(b, i + 1) >= all))
			continue;
		if (i > 0 && b[i - 1].best > b[best].best)
			best = i - 1;
		if (i + 1 < WORD_BUCKETS && b[i + 1].best > b[best].best)
			best = i + 1;
		p = b[best].anchor;
		p.evidence = all;
		n = keep_best(period, n, max, p);
	}
	free(b);
	free(gap);
	return n;
}
