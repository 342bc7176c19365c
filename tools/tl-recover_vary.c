#include "tl-recover_tree.h"

#include <stdlib.h>

/* Which replays lack members; and variants: iterations of a position whose deviations are the same, at the
 * same places of the body. */

uint32_t *
rec_find_lacks(const struct rec_near *near, const struct rec_capture *cap,
    const struct rec_scope *s)
{
	uint32_t *lacks = tl_xcalloc((size_t)near->n + 1, sizeof *lacks);

	for (uint32_t i = 0; i < near->n; i++) {
		uint32_t at = near->at[i], n = 0;

		lacks[i + 1] = lacks[i];
		if (near->kind[i] != REC_NEAR_SAME ||
		    near->sym[i] < cap->sym_replay)
			continue;
		for (uint32_t k = s->item_first[at]; k <
		    s->item_first[at + 1]; k++)
			n += (s->ev[s->order[k]].flags & REC_PART) != 0;
		lacks[i + 1] += n <
		    cap->unit[near->sym[i] - cap->sym_replay].n_part;
	}
	return lacks;
}

struct grouper {
	struct rec_place *p;
	const struct rec_scope *s;
	struct rec_map seen; /* (hash, deviations) to variant + 1 */
};

/* What one deviation is, counted from the iteration's first item. */
static uint64_t
key_of(const struct grouper *g, const struct rec_occ *o, uint32_t i)
{
	const struct rec_deviation *d = &g->p->dev[o->dev + i];
	uint32_t sym = d->kind == REC_NEAR_MISSING ? 0 :
	    g->s->ev[g->s->order[d->at]].sym + 1;

	return (uint64_t)(d->item - o->item) << 34 ^ (uint64_t)sym << 2 ^
	    d->kind;
}

static uint64_t
hash_of(const struct grouper *g, const struct rec_occ *o)
{
	uint64_t h = o->pos;

	for (uint32_t i = 0; i < o->n_dev; i++) {
		h = (h ^ key_of(g, o, i)) * UINT64_C(0xd6e8feb86659fd93);
		h ^= h >> 32;
	}
	return h;
}

static bool
is_same(const struct grouper *g, const struct rec_occ *a,
    const struct rec_occ *b)
{
	if (a->pos != b->pos || a->n_dev != b->n_dev)
		return false;
	for (uint32_t i = 0; i < a->n_dev; i++)
		if (key_of(g, a, i) != key_of(g, b, i))
			return false;
	return true;
}

static void
join_variant(struct grouper *g, uint32_t occ)
{
	struct rec_place *p = g->p;
	struct rec_occ *o = &p->occ[occ];
	uint64_t h = hash_of(g, o);
	struct rec_variant *v;
	uint32_t *at;

	for (;; h++) {
		at = rec_map_at(&g->seen, h, o->n_dev);
		if (*at == 0 ||
		    is_same(g, o, &p->occ[p->variant[*at - 1].first]))
			break;
	}
	if (*at == 0) {
		p->variant = tl_xgrow(p->variant, p->n_variant,
		    &p->variant_cap, sizeof *p->variant);
		v = &p->variant[p->n_variant++];
		*v = (struct rec_variant){ .pos = o->pos, .first = occ };
		for (uint32_t i = 0; i < o->n_dev; i++)
			v->n[p->dev[o->dev + i].kind]++;
		*at = (uint32_t)p->n_variant;
	}
	p->variant[*at - 1].count++;
	o->variant = *at; /* for now */
}

/* By position, then most frequent first, then by the first occurrence. */
static int
by_count(const void *a, const void *b)
{
	const struct rec_variant *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the variants and numbers them within their position. */
static void
number_variants(struct rec_place *p)
{
	uint32_t *number, n = 0;

	if (p->n_variant == 0)
		return;
	qsort(p->variant, p->n_variant, sizeof *p->variant, by_count);
	number = tl_xcalloc(p->n_variant + 1, sizeof *number);
	for (size_t i = 0; i < p->n_variant; i++) {
		const struct rec_variant *v = &p->variant[i];

		n = i > 0 && v->pos == v[-1].pos ? n + 1 : 1;
		number[p->occ[v->first].variant] = n;
	}
	for (size_t i = 0; i < p->n_occ; i++)
		p->occ[i].variant = number[p->occ[i].variant];
	free(number);
}

void
rec_vary(struct rec_place *p, const struct rec_scope *s)
{
	struct grouper g = { .p = p, .s = s };
	uint8_t *varies;

	if (p->n_dev == 0)
		return;
	varies = tl_xcalloc(p->n_pos, 1);
	for (size_t i = 0; i < p->n_occ; i++)
		if (p->occ[i].is_iteration && !p->occ[i].cut &&
		    p->occ[i].n_dev > 0)
			varies[p->occ[i].pos] = 1;
	for (size_t i = 0; i < p->n_occ; i++)
		if (p->occ[i].is_iteration && !p->occ[i].cut &&
		    varies[p->occ[i].pos])
			join_variant(&g, (uint32_t)i);
	number_variants(p);
	free(varies);
	free(g.seen.slot);
}
