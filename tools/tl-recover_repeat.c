#include "tl-recover_repeat.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * What recurs apart: steps of several kinds in any order, a group of kernels
 * used in three places of a layer.  All levels make one text of tokens, in
 * which a loop is one token.  Its maximal repeats (words that one more token
 * on either side would make rarer) become blocks, those first that save most
 * tokens times log2 of their places (A B A C B A: two A more and two B A save
 * the same, but A is the unit), round by round, as words of the text that the
 * round before has left.
 *
 * A word has to be more than chance.  For m tokens in random order at most
 * m m P / 2 pairs of places with equal words of the same length that are as
 * rare are expected, P being the word's probability; lengths l share the limit
 * of 1/200 as 1 / (l (l + 1)).  Words do not reach over marks.  No block is
 * most of another one.
 */

enum {
	ROUNDS = 24,
	LIMIT = 500948 /* log2(200) * 65536 */
};

static void
add_token(struct rec_words *x, struct rec_tok *tok)
{
	x->id[x->m] = tok != NULL && tok->head + tok->tail == 0 ? tok->def :
	    x->n_ids + x->m;
	x->tok[x->m++] = tok;
}

static void
make_text(struct rec_words *x)
{
	const struct rec_state *st = x->st;
	const struct rec_level *lv;
	const uint8_t *mark;
	size_t i, k, m = st->level[0].n_tok;

	for (i = 0; i < x->n_used; i++)
		m += st->level[x->used[i]].n_tok + 1;
	x->n_ids = st->seq->n_sym + (uint32_t)st->n_made;
	x->id = tl_xreallocarray(NULL, m, sizeof(*x->id));
	x->tok = tl_xreallocarray(NULL, m, sizeof(*x->tok));
	x->start = tl_xreallocarray(NULL, x->n_used + 1, sizeof(*x->start));
	for (i = 0; i < x->n_used; i++) {
		x->start[i] = x->m;
		lv = &st->level[x->used[i]];
		mark = x->used[i] == 0 ? st->seq->mark : NULL;
		for (k = 0; k < lv->n_tok; k++) {
			if (mark != NULL && mark[lv->tok[k].first])
				add_token(x, NULL);
			add_token(x, &lv->tok[k]);
		}
		x->n_tok += (uint32_t)lv->n_tok;
		add_token(x, NULL);
	}
}

/* Twice log2 of the number of tokens and the weight of a length. */
uint64_t
rec_bits_needed(const struct rec_words *x, uint32_t len)
{
	const struct rec_chance *c = &x->st->chance;

	return 2 * (uint64_t)rec_chance_log(c, x->n_tok) +
	    rec_chance_log(c, len) + rec_chance_log(c, (uint64_t)len + 1) +
	    LIMIT - (1 << 16);
}

static void
weigh(struct rec_words *x)
{
	const struct rec_chance *c = &x->st->chance;
	uint32_t *count = tl_xcalloc(x->n_ids, sizeof(*count)), i;
	uint64_t all = rec_chance_log(c, x->n_tok), one;

	for (i = 0; i < x->m; i++)
		if (x->id[i] < x->n_ids)
			count[x->id[i]]++;
	x->bits = tl_xreallocarray(NULL, (size_t)x->m + 1, sizeof(*x->bits));
	x->bits[0] = 0;
	for (i = 0; i < x->m; i++) {
		one = x->id[i] < x->n_ids ?
		    all - rec_chance_log(c, count[x->id[i]]) : 0;
		x->bits[i + 1] = x->bits[i] + one;
	}
	free(count);
	x->need = rec_bits_needed(x, 2);
}

/* The end of the shortest word at i that is rare enough, 0 if a wall comes
 * first.  *wall, *end: where the search at i - 1 stood, else 0. */
static uint32_t
rare_word(const struct rec_words *x, uint32_t i, uint32_t *wall, uint32_t *end)
{
	if (*wall < i)
		*wall = i;
	while (x->id[*wall] < x->n_ids)
		++*wall;
	if (*end < i + 2)
		*end = i + 2;
	while (*end <= *wall && x->bits[*end] - x->bits[i] < x->need)
		++*end;
	return *end <= *wall ? *end : 0;
}

/* Every repeat that counts starts with a word just rare enough that occurs
 * again.  Keeps the stretches that such words cover; a table of counters by
 * hash lets through a few that are not. */
static void
keep_recurring(struct rec_words *x)
{
	struct rec_text t;
	uint32_t i, wall, end, e, until = 0, walls = 0;
	uint8_t *count;
	size_t size = 64;

	while (size < 4 * (size_t)x->m)
		size *= 2;
	count = tl_xcalloc(size, 1);
	rec_text_init(&t, x->id, x->m);
	for (i = wall = end = 0; i < x->m; i++) {
		e = rare_word(x, i, &wall, &end);
		if (e != 0) {
			uint8_t *n = &count[rec_text_hash(&t, i, e - i) &
			    (size - 1)];
			*n = (uint8_t)(*n < 2 ? *n + 1 : 2);
		}
	}
	/* a stretch has two tokens and one wall at least */
	x->part = tl_xreallocarray(NULL, (size_t)x->m + x->m / 2 + 1,
	    sizeof(*x->part));
	x->place = tl_xreallocarray(NULL, (size_t)x->m + x->m / 2 + 1,
	    sizeof(*x->place));
	for (i = wall = end = 0; i < x->m; i++) {
		e = rare_word(x, i, &wall, &end);
		if (e > until &&
		    count[rec_text_hash(&t, i, e - i) & (size - 1)] > 1)
			until = e;
		if (i < until) {
			x->part[x->n] = x->id[i];
			x->place[x->n++] = i;
		}
		if (i + 1 == until || (i < until && i + 1 == x->m)) {
			x->part[x->n] = x->n_ids + walls++;
			x->place[x->n++] = REC_NONE;
		}
	}
	rec_text_free(&t);
	free(count);
}

/* Renumbers the ids of the part without holes, in their order. */
static void
close_holes(struct rec_words *x)
{
	uint32_t *rank = tl_xcalloc(x->n_ids, sizeof(*rank)), i, n = 0;

	for (i = 0; i < x->n; i++)
		if (x->part[i] < x->n_ids)
			rank[x->part[i]] = 1;
	for (i = 0; i < x->n_ids; i++)
		if (rank[i])
			rank[i] = n++;
	for (i = 0; i < x->n; i++) {
		x->part[i] = x->part[i] < x->n_ids ? rank[x->part[i]] :
		    x->part[i] - x->n_ids + n;
		if (x->part[i] > x->top)
			x->top = x->part[i];
	}
	free(rank);
}

/* Hands the answer to the levels. */
static void
apply(struct rec_words *x)
{
	size_t i = 0, k, to, end, l;

	for (l = 0; l < x->n_used; l++) {
		end = i + x->st->level[x->used[l]].n_tok;
		for (k = to = i; to < end; i++) {
			if (x->tok[i] == NULL)
				continue;
			x->put[to] = x->put[i];
			x->width[to++] = x->width[i];
		}
		rec_replace(x->st, x->used[l], x->put + k, x->width + k);
	}
}

static void
free_text(struct rec_words *x)
{
	free(x->used);
	free(x->start);
	free(x->id);
	free(x->tok);
	free(x->bits);
	free(x->part);
	free(x->place);
	free(x->sa);
	free(x->lcp);
	free(x->word);
	free(x->put);
	free(x->width);
	free(x->taken);
}

/* Returns how many blocks were put in. */
static uint32_t
share_round(struct rec_state *st, struct rec_map *content)
{
	struct rec_words x = {.st = st, .content = content};
	uint32_t taken = 0;

	x.used = rec_used(st, &x.n_used);
	make_text(&x);
	weigh(&x);
	keep_recurring(&x);
	if (x.n > 0) {
		close_holes(&x);
		taken = rec_place_words(&x);
		if (taken > 0)
			apply(&x);
	}
	free_text(&x);
	return taken;
}

void
rec_share_repeats(struct rec_state *st)
{
	struct rec_map content = {NULL, 0, 0};
	const struct rec_level *lv;
	size_t i;

	for (i = 1; i < st->n_level; i++) {
		lv = &st->level[i];
		*rec_map_at(&content, rec_text_hash(&st->t, lv->at, lv->n),
		    lv->n) = (uint32_t)i;
	}
	for (i = 0; i < ROUNDS && share_round(st, &content) > 0; i++)
		;
	free(content.slot);
}
