#include "tl-recover_core.h"

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
 * round before has left.  A word has
 * to be more than chance: for m tokens in random order, the expected number
 * of pairs of places with a word of its length that is as rare is at most
 * m m / 2 times its probability; weighted over lengths it must be at most
 * 1/200.  Words do not reach over marks.
 */

enum {
	ROUNDS = 24,
	EVENTS = 4,          /* of the shortest block */
	SAVED = 4,           /* tokens that a block has to save */
	LIMIT = 500948,      /* log2(200) * 65536 */
	LOOKS = 32           /* at places for each token, at most, in a round */
};

/* A word that occurs at places sa[at .. at + count). */
struct word {
	uint32_t at, count, len;
	uint32_t first; /* its leftmost place */
	int64_t saved;  /* tokens */
	int64_t score;
};

struct text {
	struct rec_state *st;
	uint32_t *used; /* levels, each followed by a wall */
	size_t n_used;
	uint32_t m, n_tok;
	uint32_t n_ids; /* ids of tokens are below that, walls from there on */
	uint32_t *id;   /* [m] */
	struct rec_tok **tok; /* [m] NULL: only a wall */
	uint64_t *bits; /* [m + 1] sums of -log2(frequency) */
	uint64_t need;  /* of them, for two tokens to be more than chance */
	/* the part of it in which anything recurs */
	uint32_t n, top;
	uint32_t *part;  /* [n] ids from 0 to top, without holes */
	uint32_t *place; /* [n] in the text, REC_NONE: a wall */
	uint32_t *sa, *lcp;
	struct word *word; /* best first */
	size_t n_word, cap_word;
	/* the answer */
	uint32_t *put, *width; /* [m] for rec_replace() */
	uint64_t *taken;       /* by bit */
	struct rec_map *content; /* (hash, events) to level */
};

static void
add_token(struct text *x, struct rec_tok *tok)
{
	x->id[x->m] = tok != NULL && tok->head + tok->tail == 0 ? tok->def :
	    x->n_ids + x->m;
	x->tok[x->m++] = tok;
}

static void
make_text(struct text *x)
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
	for (i = 0; i < x->n_used; i++) {
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
static uint64_t
bits_needed(const struct text *x, uint32_t len)
{
	const struct rec_chance *c = &x->st->chance;

	return 2 * (uint64_t)rec_chance_log(c, x->n_tok) +
	    rec_chance_log(c, len) + rec_chance_log(c, (uint64_t)len + 1) +
	    LIMIT - (1 << 16);
}

static void
weigh(struct text *x)
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
	x->need = bits_needed(x, 2);
}

/* The end of the shortest word at i that is rare enough, 0 if a wall comes
 * first.  *wall, *end: where the search at i - 1 stood, else 0. */
static uint32_t
rare_word(const struct text *x, uint32_t i, uint32_t *wall, uint32_t *end)
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
keep_recurring(struct text *x)
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
close_holes(struct text *x)
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

static int64_t
saving(uint32_t count, uint32_t len)
{
	return (int64_t)count * (len - 1) - len - 1;
}

static uint32_t
events_of(const struct text *x, uint32_t at, uint32_t len)
{
	const struct rec_tok *end = x->tok[at + len - 1];

	return end->first + end->n - x->tok[at]->first;
}

/* Takes note of a maximal repeat. */
static void
add_word(struct text *x, const struct word *w)
{
	struct word *to;
	uint32_t at = x->place[w->first];

	if (w->len < 2 || saving(w->count, w->len) < SAVED ||
	    events_of(x, at, w->len) < EVENTS ||
	    x->bits[at + w->len] - x->bits[at] < bits_needed(x, w->len))
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
	struct word word;
	uint32_t left; /* the token before all of it, or one of these */
};
#define LEFT_NONE (UINT32_MAX - 1) /* no place yet */
#define LEFT_MANY UINT32_MAX

static void
merge(struct open *into, const struct open *o)
{
	if (into->left == LEFT_NONE)
		into->left = o->left;
	else if (into->left != o->left)
		into->left = LEFT_MANY;
	if (o->word.first < into->word.first)
		into->word.first = o->word.first;
}

/* All maximal repeats: intervals of equal prefixes, deepest first, whose
 * places differ in the token before them. */
static void
find_words(struct text *x)
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
		now.left = at > 0 ? x->part[at - 1] : LEFT_MANY;
		while (depth > 0 && stack[depth - 1].word.len > lcp) {
			merge(&stack[depth - 1], &now);
			now = stack[--depth];
			now.word.count = i - now.word.at;
			if (now.left == LEFT_MANY)
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
	const struct word *x = a, *y = b;

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
new_level(struct text *x, uint32_t at, uint32_t len)
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

/* The places of the word that are free, in order, without overlap, and other
 * than the level that has the word for its body; returns their number. */
static uint32_t
free_places(const struct text *x, const struct word *w, uint32_t level,
    uint32_t *at)
{
	uint32_t i, n = 0, end = 0;

	for (i = 0; i < w->count; i++)
		at[i] = x->place[x->sa[w->at + i]];
	qsort(at, w->count, sizeof(*at), by_number);
	for (i = 0; i < w->count; i++) {
		if (at[i] < end || rec_next_bit(x->taken, at[i],
		    at[i] + w->len, 1) < at[i] + w->len ||
		    (level > 0 && x->tok[at[i]] == x->st->level[level].tok))
			continue;
		at[n++] = at[i];
		end = at[i] + w->len;
	}
	return n;
}

/* Puts a block at the places of the word that are still free, if it is still
 * worth at least half. */
static uint32_t
take_word(struct text *x, const struct word *w, uint32_t *at)
{
	struct rec_state *st = x->st;
	uint32_t first = x->tok[x->place[w->first]]->first, i, n, id, level;
	uint32_t events = events_of(x, x->place[w->first], w->len);
	uint64_t hash = rec_text_hash(&st->t, first, events);

	level = rec_map_get(x->content, hash, events);
	n = free_places(x, w, level, at);
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
take_words(struct text *x)
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

/* Hands the answer to the levels. */
static void
apply(struct text *x)
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
free_text(struct text *x)
{
	free(x->used);
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
	struct text x = {.st = st, .content = content};
	uint32_t taken = 0;

	x.used = rec_used(st, &x.n_used);
	make_text(&x);
	if (x.n_tok >= 2 * EVENTS) {
		weigh(&x);
		keep_recurring(&x);
	}
	if (x.n > 0) {
		close_holes(&x);
		x.sa = tl_xreallocarray(NULL, x.n, sizeof(*x.sa));
		x.lcp = tl_xreallocarray(NULL, x.n, sizeof(*x.lcp));
		rec_suffixes(x.part, x.n, x.top, x.sa, x.lcp);
		find_words(&x);
		taken = take_words(&x);
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
