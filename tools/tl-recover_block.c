#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * A body of a loop that stands once somewhere else, in whole tokens, becomes
 * a block of the same body; longer bodies first, so that nothing is cut that
 * is already found.  A short body of common events can be there by chance:
 * over all tokens that are left, at most a quarter of the places at which it
 * is found may be expected from a random order.
 *
 * Bodies that differ in a few events at their ends would make a chain of
 * blocks, each little more than the next.  So at most CHAIN blocks in a row
 * may be most of the body that holds them.
 */

enum {
	SHORTEST = 3,        /* events of a body */
	MANY = 16,           /* bodies tried for each token, at most */
	CHAIN = 2,
	QUARTER = 2 << 16    /* log2(4) * 65536 */
};

struct share {
	struct rec_state *st;
	uint32_t *used; /* levels, shortest first */
	size_t n_used;
	/* (hash of the first 2^k events of a body, k) to the first of the
	 * bodies of fewer than 2^(k + 1) events that begin so, REC_NONE if
	 * only longer ones do; the others by level */
	struct rec_map head;
	uint32_t *next;
	uint8_t *chain; /* [n_level] of such blocks, from each body on */
	uint32_t *places;  /* [n_level] where each body was found */
	uint32_t *count;   /* [n_sym + n_made] of each token */
	size_t n_tok;
	struct rec_run *found; /* at token, body level, events */
	size_t n_found, cap_found;
	size_t *first; /* [n_used + 1] into found */
};

static void
index_bodies(struct share *sh)
{
	const struct rec_level *lv;
	uint32_t *at, l, k;
	size_t i;

	for (i = 0; i < sh->n_used; i++) {
		l = sh->used[i];
		lv = &sh->st->level[l];
		if (l == 0 || lv->n < SHORTEST)
			continue;
		for (k = 1; lv->n >> k > 0; k++) {
			at = rec_map_at(&sh->head, rec_text_hash(&sh->st->t,
			    lv->at, (size_t)1 << k), k);
			if (*at == 0)
				*at = REC_NONE;
		}
		at = rec_map_at(&sh->head, rec_text_hash(&sh->st->t, lv->at,
		    (size_t)1 << (k - 1)), k - 1);
		sh->next[l] = *at;
		*at = l;
	}
}

/* The number of the token that starts at event x, n_tok at the level's end;
 * REC_NONE if x is within one. */
static uint32_t
token_at(const struct rec_level *lv, uint32_t x)
{
	size_t lo = 0, hi = lv->n_tok, mid;

	if (x == lv->at + lv->n)
		return (uint32_t)hi;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (lv->tok[mid].first < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < lv->n_tok && lv->tok[lo].first == x ? (uint32_t)lo :
	    REC_NONE;
}

/* The tokens of a level between those that an iteration was cut off. */
static void
whole_tokens(const struct rec_level *lv, size_t *from, size_t *to)
{
	*from = 0;
	*to = lv->n_tok;
	if (*to > 0 && lv->tok[0].head + lv->tok[0].tail > 0)
		++*from;
	if (*to > *from && lv->tok[*to - 1].tail > 0)
		--*to;
}

/* Notes the body if it stands at a token, in whole tokens. */
static void
try_body(struct share *sh, const struct rec_level *lv, uint32_t k, uint32_t b)
{
	const struct rec_level *body = &sh->st->level[b];
	uint32_t x = lv->tok[k].first, end;
	struct rec_run *r;

	if (body->n > lv->at + lv->n - x || body->n >= lv->n ||
	    !rec_text_same(&sh->st->t, x, body->at, body->n))
		return;
	end = token_at(lv, x + body->n);
	if (end == REC_NONE || end - k < 2)
		return;
	sh->found = tl_xgrow(sh->found, sh->n_found, &sh->cap_found,
	    sizeof(*sh->found));
	r = &sh->found[sh->n_found++];
	r->at = k;
	r->period = b;
	r->len = body->n;
	sh->places[b]++;
}

static void
find_in(struct share *sh, uint32_t level)
{
	const struct rec_level *lv = &sh->st->level[level];
	size_t from, to, n = 0, i;
	uint32_t x, end, b, k;

	whole_tokens(lv, &from, &to);
	end = from < to ? lv->tok[to - 1].first + lv->tok[to - 1].n : 0;
	for (i = from; i < to; i++) {
		x = lv->tok[i].first;
		for (k = 1; (end - x) >> k > 0; k++) {
			b = rec_map_get(&sh->head, rec_text_hash(&sh->st->t, x,
			    (size_t)1 << k), k);
			if (b == 0)
				break;
			for (; b != REC_NONE; b = sh->next[b]) {
				if (++n > MANY * (lv->n_tok + 1000)) {
					sh->st->budget = 1;
					return;
				}
				try_body(sh, lv, (uint32_t)i, b);
			}
		}
	}
}

static void
count_tokens(struct share *sh)
{
	const struct rec_level *lv;
	size_t i, k;

	for (i = 0; i < sh->n_used; i++) {
		lv = &sh->st->level[sh->used[i]];
		sh->n_tok += lv->n_tok;
		for (k = 0; k < lv->n_tok; k++)
			sh->count[lv->tok[k].def]++;
	}
}

/* Whether the places of a body at tokens k .. end - 1 are more than chance. */
static int
meant(const struct share *sh, const struct rec_level *lv, size_t k, size_t end,
    uint32_t places)
{
	const struct rec_chance *c = &sh->st->chance;
	uint64_t bits = rec_chance_log(c, places);
	uint64_t all = rec_chance_log(c, sh->n_tok), need = all + QUARTER;

	for (; k < end && bits < need; k++)
		bits += all - rec_chance_log(c, sh->count[lv->tok[k].def]);
	return bits >= need;
}

/* Chooses among what was found in a level, and puts the blocks in. */
static void
place(struct share *sh, uint32_t level, struct rec_run *found, size_t n)
{
	struct rec_state *st = sh->st;
	const struct rec_level *lv = &st->level[level], *body;
	uint32_t *put, *width, k, end;
	uint8_t *taken;
	int mostly;
	size_t i;

	put = tl_xreallocarray(NULL, lv->n_tok, sizeof(*put));
	width = tl_xreallocarray(NULL, lv->n_tok, sizeof(*width));
	taken = tl_xcalloc(lv->n_tok, 1);
	memset(put, 0xff, lv->n_tok * sizeof(*put));
	rec_sort_longest(found, n);
	for (i = 0; i < n; i++) {
		k = found[i].at;
		body = &st->level[found[i].period];
		end = token_at(lv, lv->tok[k].first + body->n);
		mostly = rec_mostly(body->n, lv->n);
		/* what is taken is at least as long, so it shows at an end */
		if (taken[k] || taken[end - 1] ||
		    (mostly && sh->chain[found[i].period] == CHAIN) ||
		    !meant(sh, lv, k, end, sh->places[found[i].period]) ||
		    memcmp(st->t.s + lv->tok[k].first, st->t.s + body->at,
		    body->n * sizeof(*st->t.s)) != 0)
			continue;
		put[k] = rec_make(st, found[i].period, 1);
		width[k] = end - k;
		memset(taken + k, 1, end - k);
		if (mostly)
			sh->chain[level] =
			    (uint8_t)(sh->chain[found[i].period] + 1);
	}
	rec_replace(st, level, put, width);
	free(put);
	free(width);
	free(taken);
}

void
rec_share_bodies(struct rec_state *st)
{
	struct share sh = {.st = st};
	size_t i;

	sh.used = rec_used(st, &sh.n_used);
	if (sh.n_used > 1) {
		sh.next = tl_xcalloc(st->n_level, sizeof(*sh.next));
		sh.chain = tl_xcalloc(st->n_level, 1);
		sh.places = tl_xcalloc(st->n_level, sizeof(*sh.places));
		sh.first = tl_xcalloc(sh.n_used + 1, sizeof(*sh.first));
		sh.count = tl_xcalloc(st->seq->n_sym + st->n_made,
		    sizeof(*sh.count));
		index_bodies(&sh);
		count_tokens(&sh);
		for (i = 0; i < sh.n_used; i++) {
			find_in(&sh, sh.used[i]);
			sh.first[i + 1] = sh.n_found;
		}
		for (i = 0; i < sh.n_used; i++)
			if (sh.first[i] < sh.first[i + 1])
				place(&sh, sh.used[i],
				    sh.found + sh.first[i],
				    sh.first[i + 1] - sh.first[i]);
	}
	free(sh.used);
	free(sh.head.slot);
	free(sh.next);
	free(sh.chain);
	free(sh.places);
	free(sh.count);
	free(sh.found);
	free(sh.first);
}
