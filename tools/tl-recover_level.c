#include "tl-recover_core.h"

#include <stdlib.h>

#include "mem.h"

/* The tokens of levels: which levels are in use, and changes to them. */

uint32_t *
rec_used(const struct rec_state *st, size_t *n)
{
	const struct rec_level *lv;
	struct rec_run *order;
	uint32_t *used, id;
	uint8_t *is = tl_xcalloc(st->n_level, 1);
	size_t i, k, l;

	order = tl_xcalloc(st->n_level, sizeof(*order));
	for (i = 0; i < st->n_level; i++) {
		order[i].at = (uint32_t)i;
		order[i].period = st->level[i].n;
	}
	rec_sort_period(order, st->n_level);
	is[0] = 1;
	for (i = st->n_level; i-- > 0;) {
		l = order[i].at;
		lv = &st->level[l];
		for (k = 0; is[l] && k < lv->n_tok; k++) {
			id = lv->tok[k].def;
			if (id >= st->seq->n_sym)
				is[st->made[id - st->seq->n_sym].level] = 1;
		}
	}
	used = tl_xreallocarray(NULL, st->n_level, sizeof(*used));
	for (i = *n = 0; i < st->n_level; i++)
		if (is[order[i].at])
			used[(*n)++] = order[i].at;
	free(order);
	free(is);
	return used;
}

/* Whether two neighbours are iterations of one body; then a takes b in.  Only
 * the first token has a head and only the last a tail, so none is lost. */
static int
join(struct rec_state *st, struct rec_tok *a, const struct rec_tok *b)
{
	struct rec_made x, y;

	if (a->def < st->seq->n_sym || b->def < st->seq->n_sym)
		return 0;
	x = st->made[a->def - st->seq->n_sym];
	y = st->made[b->def - st->seq->n_sym];
	if (x.level != y.level)
		return 0;
	a->def = rec_make(st, x.level, x.count + y.count);
	a->n += b->n;
	a->tail = b->tail;
	return 1;
}

void
rec_replace(struct rec_state *st, uint32_t level, const uint32_t *put,
    const uint32_t *width)
{
	struct rec_level *lv = &st->level[level];
	struct rec_tok tok;
	size_t k, end, n = 0;

	for (k = 0; k < lv->n_tok; k = end) {
		tok = lv->tok[k];
		end = k + 1;
		if (put[k] != REC_NONE) {
			tok.def = put[k];
			end = k + width[k];
			tok.n = lv->tok[end - 1].first +
			    lv->tok[end - 1].n - tok.first;
		}
		if (n == 0 || !join(st, &lv->tok[n - 1], &tok))
			lv->tok[n++] = tok;
	}
	lv->n_tok = n;
}

/* The body of a block that has no other place, NULL for other tokens. */
static const struct rec_level *
single(const struct rec_state *st, const uint32_t *places, uint32_t id)
{
	const struct rec_made *made;

	if (id < st->seq->n_sym)
		return NULL;
	made = &st->made[id - st->seq->n_sym];
	return made->count == 1 && places[made->level] == 1 ?
	    &st->level[made->level] : NULL;
}

/* Puts the tokens of single blocks in their place. */
static void
unfold(struct rec_state *st, struct rec_level *lv, const uint32_t *places)
{
	size_t k, i, n = lv->n_tok, end;
	const struct rec_level *in;
	struct rec_tok *tok, one;

	for (k = 0; k < lv->n_tok; k++) {
		in = single(st, places, lv->tok[k].def);
		n += in != NULL ? in->n_tok : 0;
	}
	if (n == lv->n_tok)
		return;
	tok = tl_xreallocarray(NULL, n, sizeof(*tok));
	for (k = n = 0; k < lv->n_tok; k++) {
		in = single(st, places, lv->tok[k].def);
		end = in != NULL ? in->n_tok : 1;
		for (i = 0; i < end; i++) {
			one = in != NULL ? in->tok[i] : lv->tok[k];
			if (in != NULL)
				one.first += lv->tok[k].first - in->at;
			if (n == 0 || !join(st, &tok[n - 1], &one))
				tok[n++] = one;
		}
	}
	free(lv->tok);
	lv->tok = tok;
	lv->n_tok = n;
}

void
rec_unfold_single(struct rec_state *st)
{
	uint32_t *places = tl_xcalloc(st->n_level, sizeof(*places)), *used, id;
	const struct rec_level *lv;
	size_t n_used, i, k;

	used = rec_used(st, &n_used);
	for (i = 0; i < n_used; i++) {
		lv = &st->level[used[i]];
		for (k = 0; k < lv->n_tok; k++) {
			id = lv->tok[k].def;
			if (id >= st->seq->n_sym)
				places[st->made[id - st->seq->n_sym].level]++;
		}
	}
	for (i = 0; i < n_used; i++)
		unfold(st, &st->level[used[i]], places);
	free(used);
	free(places);
}
