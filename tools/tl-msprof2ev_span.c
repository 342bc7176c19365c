#include "tl-msprof2ev.h"

#include <stdlib.h>

uint32_t
xspan_add(struct spans *s, struct tl_map_key key, int64_t start, int64_t end)
{
	uint32_t k = tl_xmap_add(&s->keys, key);

	if (s->n >= UINT32_MAX - 1)
		tl_die("out of memory: more than %zu intervals", s->n);
	s->s = tl_xgrow(s->s, s->n, &s->cap, sizeof *s->s);
	s->s[s->n] = (struct span){ k, (uint32_t)s->n, start, end };
	return (uint32_t)s->n++;
}

static int
span_cmp(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->what < y->what ? -1 : x->what > y->what;
}

void
xspans_done(struct spans *s)
{
	size_t k = 0;

	if (s->n > 0)
		qsort(s->s, s->n, sizeof *s->s, span_cmp);
	s->first = tl_xcalloc(s->keys.n + 1, sizeof *s->first);
	for (size_t i = 0; i < s->n; i++)
		while (k <= s->s[i].key)
			s->first[k++] = i;
	while (k <= s->keys.n)
		s->first[k++] = s->n;
}

/* The last span with the key that begins at or before t; NULL if none. */
static const struct span *
find(const struct spans *s, struct tl_map_key key, int64_t t)
{
	uint32_t k = tl_map_find(&s->keys, key);
	size_t lo, hi;

	if (k == UINT32_MAX)
		return NULL;
	lo = s->first[k];
	hi = s->first[k + 1];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->s[mid].start <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == s->first[k] ? NULL : &s->s[lo - 1];
}

uint32_t
span_over(const struct spans *s, struct tl_map_key key, int64_t start,
    int64_t end)
{
	const struct span *x = find(s, key, end);

	return x != NULL && x->end >= start ? x->what : UINT32_MAX;
}

void
spans_free(struct spans *s)
{
	tl_map_free(&s->keys);
	free(s->s);
	free(s->first);
}
