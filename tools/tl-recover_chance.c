#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Logarithms are integers (1/65536 bit), so that every machine draws the
 * same line.  The frequency of an event stands for drawing without putting
 * back in runs of more than EXACT events, where both are the same in effect.
 */

enum {
	MANTISSA = 12, /* bits of the table of logarithms */
	EXACT = 64,
	TOP_LIMIT = 435412, /* log2(100) * 65536 */
	BODY_LIMIT = 0,     /* log2(1) * 65536 */
	LN_2 = 45426        /* ln(2) * 65536 */
};

/* The table of logarithms, made once in a run: log2 of 1 + i / 4096. */
static const uint32_t *
logarithms(void)
{
	static uint32_t table[1 << MANTISSA];
	uint64_t x;
	uint32_t i, log;
	int bit;

	if (table[1] != 0)
		return table;
	for (i = 0; i < 1 << MANTISSA; i++) {
		/* squaring doubles the logarithm: one bit of it a step */
		x = ((UINT64_C(1) << MANTISSA) + i) << (31 - MANTISSA);
		for (bit = 0, log = 0; bit < 16; bit++) {
			x = x * x >> 31;
			log <<= 1;
			if (x >> 32) {
				log |= 1;
				x >>= 1;
			}
		}
		table[i] = log;
	}
	return table;
}

void
rec_chance_init(struct rec_chance *c, const struct rec_text *t, uint32_t n_sym)
{
	memset(c, 0, sizeof(*c));
	c->t = t;
	c->count = tl_xcalloc(n_sym, sizeof(*c->count));
	c->used = tl_xcalloc(n_sym, sizeof(*c->used));
	c->table = logarithms();
}

void
rec_chance_free(struct rec_chance *c)
{
	free(c->count);
	free(c->used);
}

uint32_t
rec_chance_log(const struct rec_chance *c, uint64_t x)
{
	unsigned e = 0, half;

	for (half = 32; half > 0; half /= 2)
		if (x >> e >> half)
			e += half;
	x = e > MANTISSA ? x >> (e - MANTISSA) : x << (MANTISSA - e);
	return (uint32_t)(e << 16) + c->table[x & ((1 << MANTISSA) - 1)];
}

void
rec_chance_open(struct rec_chance *c, size_t at, size_t n, int top)
{
	const uint32_t *s = c->t->s + at;
	uint32_t all = rec_chance_log(c, n);
	size_t i;

	c->at = at;
	c->n = n;
	c->top = top;
	c->bits = tl_xreallocarray(NULL, n + 1, sizeof(*c->bits));
	for (i = 0; i < n; i++)
		c->count[s[i]]++;
	c->bits[0] = 0;
	for (i = 0; i < n; i++)
		c->bits[i + 1] = c->bits[i] + all -
		    rec_chance_log(c, c->count[s[i]]);
}

void
rec_chance_close(struct rec_chance *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		c->count[c->t->s[c->at + i]] = 0;
	free(c->bits);
	c->bits = NULL;
}

/* -log2 of the probability P of the run. */
static uint64_t
surprise(const struct rec_chance *c, const struct rec_run *r)
{
	const uint32_t *s = c->t->s + r->at;
	size_t from = r->at - c->at;
	uint64_t bits = 0;
	uint32_t i;

	if (r->len > EXACT)
		return c->bits[from + r->len] - c->bits[from + r->period];
	for (i = 0; i < r->len; i++) {
		if (i >= r->period)
			bits += rec_chance_log(c, c->n - i) -
			    rec_chance_log(c, c->count[s[i]] - c->used[s[i]]);
		c->used[s[i]]++;
	}
	for (i = 0; i < r->len; i++)
		c->used[s[i]] = 0;
	return bits;
}

static int
unlikely(const struct rec_chance *c, const struct rec_run *r, size_t n,
    uint32_t limit)
{
	uint64_t places = n - 2 * (size_t)r->period + 1;
	uint64_t h = ((uint64_t)rec_chance_log(c, n / 2) * LN_2 >> 16) + 65536;

	return surprise(c, r) + (16 << 16) >= (uint64_t)limit +
	    rec_chance_log(c, places) + rec_chance_log(c, r->period) +
	    rec_chance_log(c, h);
}

int
rec_chance_claims(const struct rec_chance *c, const struct rec_run *r)
{
	return c->n <= REC_TINY || r->len == c->n ||
	    unlikely(c, r, c->n, c->top ? TOP_LIMIT : BODY_LIMIT);
}

int
rec_chance_inner(const struct rec_chance *c, const struct rec_run *r, size_t n)
{
	if (n <= REC_TINY)
		return 1;
	if (r->period == 1 && r->len < 3)
		return 0;
	return unlikely(c, r, n, BODY_LIMIT);
}
