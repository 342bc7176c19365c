#include "tl-recover_repeat.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* The maximal repeats of the text, from its suffix array, and the choice. */

enum {
	EVENTS = 4, /* of the shortest block */
	SAVED = 4,  /* tokens that a block has to save */
	LOOKS = 32  /* at places for each token, at most, in a round */
};

static int64_t
saving(uint32_t count, uint32_t len)
{
	return (int64_t)count * (len - 1) - len - 1;
}

static uint32_t
events_of(const struct rec_words *x, uint32_t at, uint32_t len)
{
	const struct rec_tok *end = x->tok[at + len - 1];

	return end->first + end->n - x->tok[at]->first;
}

/* Takes note of a maximal repeat. */
static void
add_word(struct rec_words *x, const struct rec_word *w)
{
	struct rec_word *to;
	uint32_t at = x->place[w->first];

	if (w->len < 2 || saving(w->count, w->len) < SAVED ||
	    events_of(x, at, w->len) < EVENTS ||
	    x->bits[at + w->len] - x->bits[at] < rec_bits_needed(x, w->len))
		return;
	x->word = tl_xgrow(x->word, x->n_word, &x->cap_word,
	    sizeof(*x->word));
	to = &x->word[x->n_word++];
	*to = *w;
	to->saved = saving(w->count, w->len);
	to->score = to->saved * rec_chance_log(&x->st->chance, w->count);
}

/* An interval of the suffix array, open to the right. */
struct open {
	struct rec_word word;
	uint32_t left; /* the token before all of it, or MANY_LEFT */
};
#define MANY_LEFT UINT32_MAX

static void
merge(struct open *into, const struct open *o)
{
	if (into->left != o->left)
		into->left = MANY_LEFT;
	if (o->word.first < into->word.first)
		into->word.first = o->word.first;
}

/* All maximal repeats: intervals of equal prefixes, deepest first, whose
 * places differ in the token before them. */
static void
find_words(struct rec_words *x)
{
	struct open *stack, now;
	size_t depth = 0, cap = 0;
	uint32_t i, lcp, at;

	stack = tl_xgrow(NULL, 0, &cap, sizeof(*stack));
	for (i = 1; i <= x->n; i++) {
		at = x->sa[i - 1];
		lcp = i < x->n ? x->lcp[i] : 0;
		memset(&now, 0, sizeof(now));
		now.word.at = i - 1;
		now.word.first = at;
		now.left = at > 0 ? x->part[at - 1] : MANY_LEFT;
		while (depth > 0 && stack[depth - 1].word.len > lcp) {
			merge(&stack[depth - 1], &now);
			now = stack[--depth];
			now.word.count = i - now.word.at;
			if (now.left == MANY_LEFT)
				add_word(x, &now.word);
		}
		if (depth > 0 && stack[depth - 1].word.len == lcp) {
			merge(&stack[depth - 1], &now);
		} else if (lcp > 0) {
			stack = tl_xgrow(stack, depth, &cap, sizeof(*stack));
			now.word.len = lcp;
			stack[depth++] = now;
		}
	}
	free(stack);
}

static int
by_score(const void *a, const void *b)
{
	const struct rec_word *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* A new level for the word at a place of the text. */
static uint32_t
new_level(struct rec_words *x, uint32_t at, uint32_t len)
{
	struct rec_state *st = x->st;
	struct rec_level *lv;
	uint32_t i;

	st->level = tl_xgrow(st->level, st->n_level, &st->cap_level,
	    sizeof(*st->level));
	lv = &st->level[st->n_level];
	memset(lv, 0, sizeof(*lv));
	lv->at = x->tok[at]->first;
	lv->n = events_of(x, at, len);
	lv->n_tok = len;
	lv->tok = tl_xreallocarray(NULL, len, sizeof(*lv->tok));
	for (i = 0; i < len; i++)
		lv->tok[i] = *x->tok[at + i];
	return (uint32_t)st->n_level++;
}

/* Whether the word at a place is most of a block's body, or all of the body of
 * the given level. */
static int
fills_body(const struct rec_words *x, uint32_t at, uint32_t events, uint32_t level)
{
	const struct rec_state *st = x->st;
	size_t lo = 0, hi = x->n_used, mid;
	uint32_t l;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (x->start[mid] <= at)
			lo = mid;
		else
			hi = mid;
	}
	l = x->used[lo];
	return l > 0 && (l == level || (rec_mostly(events, st->level[l].n) &&
	    rec_map_get(&st->made_at, l, 1) > 0));
}

/* Whether a block is most of the word: it would have to cover its middle. */
static int
mostly_block(const struct rec_words *x, uint32_t at, uint32_t len, uint32_t events)
{
	uint32_t middle = x->tok[at]->first + events / 2, end = at + len, mid;
	uint32_t id;

	while (end - at > 1) {
		mid = at + (end - at) / 2;
		if (x->tok[mid]->first <= middle)
			at = mid;
		else
			end = mid;
	}
	id = x->id[at];
	return id >= x->st->seq->n_sym && rec_mostly(x->tok[at]->n, events) &&
	    x->st->made[id - x->st->seq->n_sym].count == 1;
}

/* The places of the word that are free, in order, without overlap; returns
 * their number. */
static uint32_t
free_places(const struct rec_words *x, const struct rec_word *w, uint32_t events,
    uint32_t level, uint32_t *at)
{
	uint32_t i, n = 0, end = 0;

	for (i = 0; i < w->count; i++)
		at[i] = x->place[x->sa[w->at + i]];
	qsort(at, w->count, sizeof(*at), by_number);
	for (i = 0; i < w->count; i++) {
		if (at[i] < end || rec_next_bit(x->taken, at[i],
		    at[i] + w->len, 1) < at[i] + w->len ||
		    fills_body(x, at[i], events, level))
			continue;
		at[n++] = at[i];
		end = at[i] + w->len;
	}
	return n;
}

/* Puts a block at the places of the word that are still free, if it is still
 * worth at least half. */
static uint32_t
take_word(struct rec_words *x, const struct rec_word *w, uint32_t *at)
{
	struct rec_state *st = x->st;
	uint32_t first = x->tok[x->place[w->first]]->first, i, n, id, level;
	uint32_t events = events_of(x, x->place[w->first], w->len);
	uint64_t hash = rec_text_hash(&st->t, first, events);

	if (mostly_block(x, x->place[w->first], w->len, events) ||
	    !rec_macro_allows(st->seq->macro, st->t.s + first, events))
		return 0;
	level = rec_map_get(x->content, hash, events);
	n = free_places(x, w, events, level, at);
	i = n + (level > 0);
	if (i < 2 || saving(i, w->len) < SAVED ||
	    saving(i, w->len) < w->saved / 2)
		return 0;
	if (level == 0) {
		level = new_level(x, at[0], w->len);
		*rec_map_at(x->content, hash, events) = level;
	} else if (memcmp(st->t.s + st->level[level].at, st->t.s + first,
	    events * sizeof(*st->t.s)) != 0) {
		return 0; /* two hashes met */
	}
	id = rec_make(st, level, 1);
	for (i = 0; i < n; i++) {
		x->put[at[i]] = id;
		x->width[at[i]] = w->len;
		rec_set_bits(x->taken, at[i], at[i] + w->len);
	}
	return n;
}

static uint32_t
take_words(struct rec_words *x)
{
	size_t bits = (size_t)x->m / 64 + 1, i, looks = 0;
	uint32_t taken = 0, most = 0, *at;

	if (x->n_word > 1)
		qsort(x->word, x->n_word, sizeof(*x->word), by_score);
	for (i = 0; i < x->n_word; i++)
		if (x->word[i].count > most)
			most = x->word[i].count;
	at = tl_xreallocarray(NULL, most, sizeof(*at));
	x->taken = tl_xcalloc(bits, sizeof(*x->taken));
	x->put = tl_xreallocarray(NULL, x->m, sizeof(*x->put));
	x->width = tl_xreallocarray(NULL, x->m, sizeof(*x->width));
	memset(x->put, 0xff, x->m * sizeof(*x->put));
	for (i = 0; i < x->n_word; i++) {
		looks += x->word[i].count;
		if (looks > LOOKS * (size_t)x->m) {
			x->st->budget = 1;
			break;
		}
		taken += take_word(x, &x->word[i], at);
	}
	free(at);
	return taken;
}

uint32_t
rec_place_words(struct rec_words *x)
{
	x->sa = tl_xreallocarray(NULL, x->n, sizeof(*x->sa));
	x->lcp = tl_xreallocarray(NULL, x->n, sizeof(*x->lcp));
	rec_suffixes(x->part, x->n, x->top, x->sa, x->lcp);
	find_words(x);
	return take_words(x);
}
