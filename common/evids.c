#include "evids.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

void
tl_xevids_add(struct tl_evids *ids, uint64_t id)
{
	if (ids->n == 0)
		ids->first = id;
	if (ids->id == NULL && id != ids->first + ids->n) {
		ids->cap = ids->n + 1;
		ids->id = tl_xreallocarray(NULL, ids->cap, sizeof *ids->id);
		for (size_t i = 0; i < ids->n; i++)
			ids->id[i] = ids->first + i;
	}
	if (ids->id != NULL) {
		ids->id = tl_xgrow(ids->id, ids->n, &ids->cap,
		    sizeof *ids->id);
		ids->id[ids->n] = id;
	}
	ids->n++;
}

size_t
tl_evids_find(const struct tl_evids *ids, uint64_t id)
{
	size_t lo = 0, hi = ids->n;

	if (ids->id == NULL)
		return id >= ids->first && id - ids->first < ids->n ?
		    (size_t)(id - ids->first) : TL_NO_EVENT;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ids->id[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ids->n && ids->id[lo] == id ? lo : TL_NO_EVENT;
}

void
tl_evids_free(struct tl_evids *ids)
{
	free(ids->id);
	*ids = (struct tl_evids){ .n = 0 };
}

/* N and at least three digits; *p moves behind them. */
static bool
position(const char **p, const char *end, uint32_t *number)
{
	const char *from = *p + 1, *q = from;
	uint64_t v = 0;

	if (*p == end || **p != 'N')
		return false;
	while (q < end && *q >= '0' && *q <= '9')
		q++;
	if (q - from < 3 || (q - from > 3 && *from == '0'))
		return false;
	*p = q;
	while (from < q - 1 && *from == '0')
		from++;
	if (!tl_num_str_u64((struct tl_str){ from, (size_t)(q - from) }, &v) ||
	    v == 0 || v >= UINT32_MAX)
		return false;
	*number = (uint32_t)v;
	return true;
}

bool
tl_pos_parse(struct tl_str s, uint32_t *number)
{
	const char *p = s.p;

	return position(&p, s.p + s.n, number) && p == s.p + s.n;
}

bool
tl_occ_parse(struct tl_str s, uint32_t *number, uint32_t *n)
{
	const char *p = s.p, *end = s.p + s.n;
	uint64_t v;

	if (!position(&p, end, number) || p == end || *p != '#' ||
	    !tl_num_str_u64((struct tl_str){ p + 1, (size_t)(end - p - 1) },
	    &v) || v == 0 || v >= UINT32_MAX)
		return false;
	*n = (uint32_t)v;
	return true;
}
