#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Suffix arrays by induced sorting (Nong, Zhang, Chan 2009): linear time;
 * the recursion halves the text, so it is at most log2(n) deep.
 */

struct induce {
	const uint32_t *s;
	uint32_t n, top;       /* symbols are 0 .. top */
	uint8_t *small;        /* [n] suffix i is smaller than suffix i + 1 */
	uint32_t *begin, *mid; /* [top + 2] of each bucket: all, the small */
	uint32_t *fill;        /* [top + 2] scratch */
	uint32_t *sa;
};

static void
buckets(struct induce *d)
{
	uint32_t i;

	for (i = d->n - 1, d->small[i] = 0; i-- > 0;)
		d->small[i] = d->s[i] == d->s[i + 1] ? d->small[i + 1] :
		    d->s[i] < d->s[i + 1];
	for (i = 0; i < d->n; i++) {
		if (d->small[i])
			d->begin[d->s[i] + 1]++;
		else
			d->mid[d->s[i]]++;
	}
	/* of a bucket the not small suffixes come first */
	for (i = 0; i <= d->top; i++) {
		d->mid[i] += d->begin[i];
		d->begin[i + 1] += d->mid[i];
	}
}

static void
induce(struct induce *d, const uint32_t *lms, uint32_t m)
{
	size_t size = ((size_t)d->top + 2) * sizeof(*d->fill);
	uint32_t i, v;

	memset(d->sa, 0xff, d->n * sizeof(*d->sa));
	memcpy(d->fill, d->mid, size);
	for (i = 0; i < m; i++)
		d->sa[d->fill[d->s[lms[i]]]++] = lms[i];
	memcpy(d->fill, d->begin, size);
	d->sa[d->fill[d->s[d->n - 1]]++] = d->n - 1;
	for (i = 0; i < d->n; i++) {
		v = d->sa[i];
		if (v != REC_NONE && v > 0 && !d->small[v - 1])
			d->sa[d->fill[d->s[v - 1]]++] = v - 1;
	}
	memcpy(d->fill, d->begin, size);
	for (i = d->n; i-- > 0;) {
		v = d->sa[i];
		if (v != REC_NONE && v > 0 && d->small[v - 1])
			d->sa[--d->fill[d->s[v - 1] + 1]] = v - 1;
	}
}

/* Whether the stretches from a and from b up to the next LMS suffix, that
 * included, are equal; end_a and end_b are where these begin, or n. */
static int
same_stretch(const struct induce *d, uint32_t a, uint32_t end_a, uint32_t b,
    uint32_t end_b)
{
	if (end_a - a != end_b - b)
		return 0;
	for (; a < end_a; a++, b++)
		if (d->s[a] != d->s[b])
			return 0;
	return a < d->n && b < d->n && d->s[a] == d->s[b];
}

static void sort_suffixes(const uint32_t *s, uint32_t n, uint32_t top,
    uint32_t *sa);

/* Puts the m leftmost small suffixes in order, those before which stands one
 * that is not: by their names if these differ, else by recursion. */
static void
sort_lms(struct induce *d, uint32_t *lms, uint32_t m)
{
	uint32_t *rank, *name, *sub, i, k, a, b, top = 0;

	rank = tl_xreallocarray(NULL, d->n, sizeof(*rank));
	name = tl_xreallocarray(NULL, m, sizeof(*name));
	sub = tl_xreallocarray(NULL, m, sizeof(*sub));
	memset(rank, 0xff, d->n * sizeof(*rank));
	for (i = 0; i < m; i++)
		rank[lms[i]] = i;
	for (i = k = 0; i < d->n; i++)
		if (rank[d->sa[i]] != REC_NONE)
			sub[k++] = d->sa[i];
	name[rank[sub[0]]] = 0;
	for (i = 1; i < m; i++) {
		a = rank[sub[i - 1]];
		b = rank[sub[i]];
		if (!same_stretch(d, lms[a], a + 1 < m ? lms[a + 1] : d->n,
		    lms[b], b + 1 < m ? lms[b + 1] : d->n))
			top++;
		name[b] = top;
	}
	free(rank);
	sort_suffixes(name, m, top, sub);
	for (i = 0; i < m; i++)
		name[i] = lms[sub[i]];
	memcpy(lms, name, m * sizeof(*lms));
	free(name);
	free(sub);
}

static void
sort_suffixes(const uint32_t *s, uint32_t n, uint32_t top, uint32_t *sa)
{
	struct induce d = {.s = s, .n = n, .top = top, .sa = sa};
	uint32_t *lms, i, m = 0;

	if (n == 0)
		return;
	d.small = tl_xreallocarray(NULL, n, sizeof(*d.small));
	d.begin = tl_xcalloc((size_t)top + 2, sizeof(*d.begin));
	d.mid = tl_xcalloc((size_t)top + 2, sizeof(*d.mid));
	d.fill = tl_xcalloc((size_t)top + 2, sizeof(*d.fill));
	lms = tl_xreallocarray(NULL, n / 2 + 1, sizeof(*lms));
	buckets(&d);
	for (i = 1; i < n; i++)
		if (!d.small[i - 1] && d.small[i])
			lms[m++] = i;
	induce(&d, lms, m);
	if (m > 0) {
		sort_lms(&d, lms, m);
		induce(&d, lms, m);
	}
	free(lms);
	free(d.small);
	free(d.begin);
	free(d.mid);
	free(d.fill);
}

void
rec_suffixes(const uint32_t *s, size_t n, uint32_t top, uint32_t *sa,
    uint32_t *lcp)
{
	uint32_t *rank, i, k, before;

	sort_suffixes(s, (uint32_t)n, top, sa);
	rank = tl_xreallocarray(NULL, n, sizeof(*rank));
	for (i = 0; i < n; i++)
		rank[sa[i]] = i;
	for (i = k = 0; i < n; i++) {
		if (rank[i] == 0) {
			lcp[0] = k = 0;
			continue;
		}
		before = sa[rank[i] - 1];
		while (i + k < n && before + k < n &&
		    s[i + k] == s[before + k])
			k++;
		lcp[rank[i]] = k;
		if (k > 0)
			k--;
	}
	free(rank);
}
