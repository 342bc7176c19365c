#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Markers: where a body may start so that it keeps the rules.
 *
 * Ordered ones are brackets: with +1 for a `before` and -1 for an `after`, no
 * `before` of a loop may come where the sum so far is negative.  Suffix ones
 * end a body: nothing else follows the first of them.
 */

/* Clears ok[o] for rotations o in which a `before` comes too late.  The least
 * sum at a `before` of each window of p events, by a queue of candidates. */
static void
keep_order(const struct rec_marker *m, const uint32_t *s, uint32_t p,
    uint32_t count, uint8_t *ok)
{
	int64_t *sum = tl_xreallocarray(NULL, 2 * (size_t)p + 1, sizeof(*sum));
	uint32_t *queue = tl_xreallocarray(NULL, 2 * (size_t)p,
	    sizeof(*queue));
	uint32_t head = 0, tail = 0, j;
	int64_t drift;

	sum[0] = 0;
	for (j = 0; j < 2 * p; j++)
		sum[j + 1] = sum[j] + (s[j] == m->before) -
		    (s[j] == m->after);
	drift = sum[p] < 0 ? sum[p] * (count - 1) : 0;
	for (j = 0; j < 2 * p; j++) {
		if (s[j] == m->before) {
			while (tail > head && sum[queue[tail - 1]] >= sum[j])
				tail--;
			queue[tail++] = j;
		}
		if (j + 1 < p)
			continue;
		/* the window of the rotation that ends with j */
		while (head < tail && queue[head] + p <= j)
			head++;
		if (j + 1 - p < p && head < tail &&
		    sum[queue[head]] - sum[j + 1 - p] + drift < 0)
			ok[j + 1 - p] = 0;
	}
	free(sum);
	free(queue);
}

/* Clears ok[o] for rotations o that do not end with all their markers. */
static void
keep_last(const struct rec_marker *m, const uint32_t *s, uint32_t p,
    uint8_t *ok)
{
	uint32_t j, n = 0, row = 0;

	for (j = 0; j < p; j++)
		n += s[j] == m->after;
	for (j = 0; n > 0 && j < 2 * p; j++) {
		row = s[j] == m->after ? row + 1 : 0;
		if (j + 1 >= p && j + 1 - p < p && row < n)
			ok[j + 1 - p] = 0;
	}
}

static int
occurs(const struct rec_marker *m, const uint32_t *s, uint32_t p)
{
	uint32_t i;

	for (i = 0; i < p; i++)
		if (s[i] == m->before || s[i] == m->after)
			return 1;
	return 0;
}

uint8_t *
rec_macro_starts(const struct rec_macro *macro, const uint32_t *s, uint32_t p,
    uint32_t count)
{
	uint8_t *ok = NULL;
	size_t i;

	for (i = 0; i < macro->n; i++) {
		const struct rec_marker *m = &macro->marker[i];

		if (!occurs(m, s, p))
			continue;
		if (ok == NULL) {
			ok = tl_xreallocarray(NULL, p, 1);
			memset(ok, 1, p);
		}
		if (m->before != REC_NONE)
			keep_order(m, s, p, count, ok);
		else
			keep_last(m, s, p, ok);
	}
	return ok;
}

int
rec_macro_fit(struct rec_fold *f, struct rec_run *piece)
{
	const struct rec_macro *macro = f->st->seq->macro;
	uint32_t p = piece->period, r = piece->len % p, o;

	free(f->start);
	f->start = NULL;
	f->start_at = 0;
	if (macro == NULL)
		return 1;
	f->start = rec_macro_starts(macro, f->st->t.s + piece->at, p,
	    piece->len / p);
	if (f->start == NULL)
		return 1;
	for (o = 0; o < p && !f->start[o]; o++)
		;
	if (o == p || (o > r && piece->len - o < 2 * p)) {
		f->st->refused++;
		return 0;
	}
	if (o > r) {
		/* an iteration is lost to the rule */
		piece->at += o;
		piece->len -= o;
		f->start_at = o;
	}
	return 1;
}

int
rec_macro_allows(const struct rec_macro *macro, const uint32_t *s, uint32_t n)
{
	int64_t sum;
	size_t i;
	uint32_t k;

	for (i = 0; macro != NULL && i < macro->n; i++) {
		const struct rec_marker *m = &macro->marker[i];
		int seen = 0;

		for (k = 0, sum = 0; k < n; k++) {
			if (m->before == REC_NONE) {
				if (seen && s[k] != m->after)
					return 0;
				seen |= s[k] == m->after;
			} else if (s[k] == m->before) {
				if (sum++ < 0)
					return 0;
			} else if (s[k] == m->after) {
				sum--;
			}
		}
	}
	return 1;
}
