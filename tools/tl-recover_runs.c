#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * All maximal repetitions (runs) of a sequence, by the runs theorem of
 * Bannai, I, Inenaga, Nakashima, Takeda and Tsuruta (SIAM J. Comput. 46,
 * 2017): in one of the two orders of the alphabet, a period of the run is
 * the longest Lyndon word from its start.  So each position gives one
 * candidate period an order.  Lyndon words come from comparing suffixes, and
 * that takes the length of their common prefix: a few symbols by hand, then
 * doubling steps on hashes, and no work at all inside an agreement that is
 * known already.
 */

enum {
	LOW_BITS = 12, /* of the two-step table of powers */
	BY_HAND = 16,  /* symbols compared before hashes are */
	DIGIT = 11     /* bits a pass of the radix sort */
};

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(0x17e3a5c94d2b6f81)

static uint64_t
reduce(uint64_t x)
{
	x = (x >> 61) + (x & PRIME);
	return x >= PRIME ? x - PRIME : x;
}

/* a * b modulo 2^61 - 1, for a, b below it, within 64 bits. */
static uint64_t
mul(uint64_t a, uint64_t b)
{
	uint64_t au = a >> 31, al = a & 0x7fffffff;
	uint64_t bu = b >> 31, bl = b & 0x7fffffff;
	uint64_t mid = al * bu + au * bl;

	return reduce(au * bu * 2 + (mid >> 30) +
	    ((mid & 0x3fffffff) << 31) + al * bl);
}

static uint64_t
power(const struct rec_text *t, size_t len)
{
	uint64_t p = t->low[len & ((1 << LOW_BITS) - 1)];

	return len >> LOW_BITS ? mul(p, t->high[len >> LOW_BITS]) : p;
}

void
rec_text_init(struct rec_text *t, const uint32_t *s, size_t n)
{
	size_t i, n_low = (size_t)1 << LOW_BITS, n_high = (n >> LOW_BITS) + 1;
	uint64_t step;

	if (n_low > n + 1)
		n_low = n + 1; /* a short text has no longer stretches */
	t->s = s;
	t->n = n;
	t->h = tl_xreallocarray(NULL, n + 1, sizeof(*t->h));
	t->low = tl_xreallocarray(NULL, n_low, sizeof(*t->low));
	t->high = tl_xreallocarray(NULL, n_high, sizeof(*t->high));
	t->h[0] = 0;
	for (i = 0; i < n; i++)
		t->h[i + 1] = reduce(mul(t->h[i], BASE) + s[i] + 1);
	t->low[0] = t->high[0] = 1;
	for (i = 1; i < n_low; i++)
		t->low[i] = mul(t->low[i - 1], BASE);
	step = mul(t->low[n_low - 1], BASE);
	for (i = 1; i < n_high; i++)
		t->high[i] = mul(t->high[i - 1], step);
}

void
rec_text_free(struct rec_text *t)
{
	free(t->h);
	free(t->low);
	free(t->high);
}

uint64_t
rec_text_hash(const struct rec_text *t, size_t at, size_t len)
{
	uint64_t left = mul(t->h[at], power(t, len));

	return reduce(t->h[at + len] + PRIME - left);
}

int
rec_text_same(const struct rec_text *t, size_t a, size_t b, size_t len)
{
	uint64_t start = reduce(t->h[a] + PRIME - t->h[b]);
	uint64_t end = reduce(t->h[a + len] + PRIME - t->h[b + len]);

	return mul(start, power(t, len)) == end;
}

size_t
rec_text_lce(const struct rec_text *t, size_t a, size_t b, size_t end)
{
	size_t len = 0, max = end - b, step;

	while (len < max && len < BY_HAND) {
		if (t->s[a + len] != t->s[b + len])
			return len;
		len++;
	}
	for (step = BY_HAND; len + step <= max; step *= 2) {
		if (!rec_text_same(t, a + len, b + len, step))
			break;
		len += step;
	}
	/* here the answer is below len + step, step a power of two */
	for (step /= 2; step > 0; step /= 2) {
		while (len + step <= max &&
		    rec_text_same(t, a + len, b + len, step))
			len += step;
	}
	return len;
}

size_t
rec_text_lcs(const struct rec_text *t, size_t a, size_t b, size_t from)
{
	size_t len = 0, max = a - from, step;

	while (len < max && len < BY_HAND) {
		if (t->s[a - len - 1] != t->s[b - len - 1])
			return len;
		len++;
	}
	for (step = BY_HAND; len + step <= max; step *= 2) {
		if (!rec_text_same(t, a - len - step, b - len - step, step))
			break;
		len += step;
	}
	for (step /= 2; step > 0; step /= 2) {
		while (len + step <= max && rec_text_same(t,
		    a - len - step, b - len - step, step))
			len += step;
	}
	return len;
}

/* The search in one slice.  Positions are those of the whole sequence. */
struct finder {
	const struct rec_text *t;
	size_t at, end;
	/* [n] the end of the longest Lyndon word from each position */
	uint32_t *next;
	/* [n] by distance d: the last agreement met, s[x] == s[x + d] for
	 * from <= x < to and not at to.  Positions are scanned downwards, so
	 * a hit at or above from means that its run was looked for, too. */
	struct {
		uint32_t from, to;
	} *agree;
	struct rec_run *run;
	size_t n_run, cap;
};

/* The common prefix of the suffixes at i and j; *known: the agreement was
 * searched to the left already. */
static size_t
common(struct finder *f, size_t i, size_t j, int *known)
{
	const uint32_t *s = f->t->s;
	size_t d = j - i, len = 0;
	size_t from = f->agree[d].from, to = f->agree[d].to;

	*known = to > 0 && i >= from;
	if (*known)
		return to - i;
	if (to == 0)
		from = f->end;
	while (len < BY_HAND && i + len < from) {
		if (j + len == f->end || s[i + len] != s[j + len])
			return len;
		len++;
	}
	if (i + len == from || (from < f->end &&
	    rec_text_same(f->t, i + len, j + len, from - i - len)))
		len = to - i;
	else
		len += rec_text_lce(f->t, i + len, j + len, f->end);
	f->agree[d].from = (uint32_t)i;
	f->agree[d].to = (uint32_t)(i + len);
	return len;
}

/* Looks for the run with the period j - i around i, right symbols of it
 * agreeing from i on.  A run is kept in the order that is sure to meet it,
 * where what follows is smaller than what would continue it. */
static void
around(struct finder *f, size_t i, size_t j, size_t right, int down)
{
	const uint32_t *s = f->t->s;
	size_t p = j - i, left, need = right < p ? p - right : 0, e;
	struct rec_run *r;

	if (need > 0 && (i - f->at < need || s[i - 1] != s[j - 1] ||
	    !rec_text_same(f->t, i - need, j - need, need)))
		return;
	left = rec_text_lcs(f->t, i, j, f->at);
	f->agree[p].from = (uint32_t)(i - left);
	f->agree[p].to = (uint32_t)(i + right);
	e = j + right;
	if (e == f->end ? down : (s[e] < s[e - p]) == down)
		return;
	f->run = tl_xgrow(f->run, f->n_run, &f->cap, sizeof(*f->run));
	r = &f->run[f->n_run++];
	r->at = (uint32_t)(i - left);
	r->period = (uint32_t)p;
	r->len = (uint32_t)(left + p + right);
}

/* One order of the alphabet: up, or down. */
static void
scan(struct finder *f, int down)
{
	const uint32_t *s = f->t->s;
	size_t i, j, len = 0;
	int known = 0;

	memset(f->agree, 0, (f->end - f->at) * sizeof(*f->agree));
	for (i = f->end; i-- > f->at;) {
		for (j = i + 1; j < f->end; j = f->next[j - f->at]) {
			len = common(f, i, j, &known);
			if (j + len == f->end ||
			    (s[i + len] < s[j + len]) == down)
				break;
		}
		f->next[i - f->at] = (uint32_t)j;
		if (j < f->end && !known)
			around(f, i, j, len, down);
	}
}

/* One key of the radix sorts; longest first is the least complement first. */
enum key { KEY_AT, KEY_PERIOD, KEY_LONGEST };

static uint32_t
key_of(const struct rec_run *r, enum key key)
{
	return key == KEY_AT ? r->at :
	    key == KEY_PERIOD ? r->period : UINT32_MAX - r->len;
}

static void
sort(struct rec_run *run, size_t n, enum key key)
{
	struct rec_run *to, *from = run, *swap;
	size_t count[(1 << DIGIT) + 1], i;
	uint32_t all = 0, digit;
	unsigned shift;

	if (n < 2)
		return;
	to = tl_xreallocarray(NULL, n, sizeof(*to));
	for (i = 0; i < n; i++)
		all |= key_of(&run[i], key) ^ key_of(&run[0], key);
	for (shift = 0; shift < 32; shift += DIGIT) {
		if ((all >> shift & ((1 << DIGIT) - 1)) == 0)
			continue;
		memset(count, 0, sizeof(count));
		for (i = 0; i < n; i++) {
			digit = key_of(&from[i], key) >> shift;
			count[(digit & ((1 << DIGIT) - 1)) + 1]++;
		}
		for (i = 0; i < 1 << DIGIT; i++)
			count[i + 1] += count[i];
		for (i = 0; i < n; i++) {
			digit = key_of(&from[i], key) >> shift;
			to[count[digit & ((1 << DIGIT) - 1)]++] = from[i];
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != run) {
		memcpy(run, from, n * sizeof(*run));
		to = from;
	}
	free(to);
}

void
rec_sort_period(struct rec_run *run, size_t n)
{
	sort(run, n, KEY_PERIOD);
}

void
rec_sort_longest(struct rec_run *run, size_t n)
{
	sort(run, n, KEY_LONGEST);
}

size_t
rec_runs(const struct rec_text *t, size_t at, size_t n, struct rec_run **run)
{
	struct finder f = {.t = t, .at = at, .end = at + n};

	f.next = tl_xreallocarray(NULL, n, sizeof(*f.next));
	f.agree = tl_xreallocarray(NULL, n, sizeof(*f.agree));
	scan(&f, 0);
	scan(&f, 1);
	free(f.next);
	free(f.agree);
	sort(f.run, f.n_run, KEY_PERIOD);
	sort(f.run, f.n_run, KEY_AT);
	*run = f.run;
	return f.n_run;
}
