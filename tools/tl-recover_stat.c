#include "tl-recover_tree.h"

#include <stdlib.h>

/* Medians, and things in groups. */

/* Quickselect with the middle as pivot: what it answers does not depend on the
 * order of v. */
int64_t
rec_lower_median(int64_t *v, size_t n)
{
	size_t k = (n - 1) / 2, lo = 0, hi = n - 1;

	while (lo < hi) {
		int64_t pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			int64_t t;

			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		/* all up to j are <= pivot, all behind are >= pivot */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return v[k];
}

void
rec_group(struct rec_groups *g, size_t n_groups, size_t n, const uint32_t *of,
    size_t stride)
{
	const char *base = (const char *)of;

	g->first = tl_xcalloc(n_groups + 2, sizeof *g->first);
	g->at = tl_xreallocarray(NULL, n, sizeof *g->at);
	for (size_t i = 0; i < n; i++)
		g->first[*(const uint32_t *)(const void *)(base + i * stride) +
		    2]++;
	for (size_t k = 2; k < n_groups + 2; k++)
		g->first[k] += g->first[k - 1];
	for (size_t i = 0; i < n; i++)
		g->at[g->first[*(const uint32_t *)(const void *)
		    (base + i * stride) + 1]++] = (uint32_t)i;
}
