#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Folding: level by level, outermost first, the runs that are more than
 * chance become loops, whose bodies are the next levels.  A body is at most
 * half of its level, so all levels together have fewer than two events for
 * each event of the sequence.  Within a level the run that covers most comes
 * first (then the shorter period, then the earlier); what it leaves free, its
 * remainder too, is there for the others.
 */

/* The events of the level that a loop has taken, by bit, and the loops. */
struct taken {
	uint64_t *bits;
	struct rec_tok *tok;
	size_t n, cap;
};

uint32_t
rec_next_bit(const uint64_t *bits, uint32_t from, uint32_t end, unsigned bit)
{
	uint64_t none = bit ? 0 : UINT64_MAX;

	while (from < end && (bits[from / 64] >> from % 64 & 1) != bit) {
		from++;
		while (from % 64 == 0 && from < end && bits[from / 64] == none)
			from += 64;
	}
	return from < end ? from : end;
}

void
rec_set_bits(uint64_t *bits, uint32_t from, uint32_t end)
{
	while (from < end) {
		if (from % 64 == 0 && end - from >= 64) {
			bits[from / 64] = UINT64_MAX;
			from += 64;
			continue;
		}
		bits[from / 64] |= UINT64_C(1) << from % 64;
		from++;
	}
}

/* Where the least rotation of s[0 .. p) starts; s goes on for p more. */
static uint32_t
least_rotation(const uint32_t *s, uint32_t p)
{
	uint32_t i = 0, j = 1, k = 0, *lose;

	while (i < p && j < p && k < p) {
		if (s[i + k] == s[j + k]) {
			k++;
			continue;
		}
		lose = s[i + k] > s[j + k] ? &i : &j;
		*lose += k + 1;
		if (i == j)
			j++;
		k = 0;
	}
	return i < j ? i : j;
}

/* The class of the claim, with the claim at its end. */
static void
classify(struct rec_fold *f, uint32_t index)
{
	struct rec_state *st = f->st;
	struct rec_claim *c = &f->claim[index];
	struct rec_class *class;
	uint32_t *at;

	c->least = c->run.at +
	    least_rotation(st->t.s + c->run.at, c->run.period);
	c->next = REC_NONE;
	at = rec_map_at(&st->class_at,
	    rec_text_hash(&st->t, c->least, c->run.period), c->run.period);
	if (*at == 0) {
		st->class = tl_xgrow(st->class, st->n_class, &st->cap_class,
		    sizeof(*st->class));
		class = &st->class[st->n_class++];
		class->level = 0;
		class->head = class->tail = REC_NONE;
		*at = (uint32_t)st->n_class;
	}
	c->class = *at - 1;
	class = &st->class[c->class];
	if (class->head == REC_NONE)
		class->head = index;
	else
		f->claim[class->tail].next = index;
	class->tail = index;
}

/* Keeps the runs that are more than chance, in the order of choice. */
static void
claim(struct rec_fold *f)
{
	struct rec_run *run;
	size_t i;

	run = tl_xreallocarray(NULL, f->n_run, sizeof(*run));
	for (i = 0; i < f->n_run; i++)
		if (rec_chance_claims(&f->st->chance, &f->run[i]))
			run[f->n_claim++] = f->run[i];
	rec_sort_period(run, f->n_claim);
	rec_sort_longest(run, f->n_claim);
	f->claim = tl_xreallocarray(NULL, f->n_claim, sizeof(*f->claim));
	for (i = 0; i < f->n_claim; i++) {
		f->claim[i].run = run[i];
		classify(f, (uint32_t)i);
	}
	free(run);
}

/* A level that has the body of the claim's class, at a turn that costs the
 * piece no iteration; 0 if there is none.  *skip: events before it. */
static uint32_t
known_turn(const struct rec_fold *f, const struct rec_claim *c,
    const struct rec_run *piece, uint32_t *skip)
{
	const struct rec_state *st = f->st;
	const struct rec_level *lv;
	uint32_t l, p = piece->period, from;

	for (l = st->class[c->class].level; l != 0; l = lv->sister) {
		lv = &st->level[l];
		from = c->least % p + lv->turn + p - piece->at % p;
		*skip = from % p;
		if (*skip <= piece->len % p && memcmp(st->t.s + lv->at,
		    st->t.s + piece->at + *skip, p * sizeof(*st->t.s)) == 0)
			return l;
	}
	return 0;
}

static uint32_t
new_turn(struct rec_fold *f, const struct rec_claim *c,
    const struct rec_run *piece, uint32_t *skip)
{
	struct rec_state *st = f->st;
	struct rec_level *lv;
	uint32_t *link, p = piece->period, l = (uint32_t)st->n_level;
	uint8_t phase;

	*skip = rec_phase_choose(f, c, piece, &phase);
	st->level = tl_xgrow(st->level, st->n_level, &st->cap_level,
	    sizeof(*st->level));
	lv = &st->level[st->n_level++];
	memset(lv, 0, sizeof(*lv));
	lv->at = piece->at + *skip;
	lv->n = p;
	lv->turn = (lv->at % p + p - c->least % p) % p;
	lv->phase = phase;
	rec_phase_inherit(f, lv, lv->at, piece->len / p);
	link = &st->class[c->class].level;
	while (*link != 0)
		link = &st->level[*link].sister;
	*link = l;
	return l;
}

/* Makes a loop of a free piece of the claim's run. */
static void
take(struct rec_fold *f, struct taken *tk, const struct rec_claim *c,
    struct rec_run *piece)
{
	struct rec_state *st = f->st;
	const uint32_t *s;
	uint32_t p = piece->period, level, skip;
	bool edge = f->level == 0 && !st->seq->is_whole;
	struct rec_tok *tok;

	if (!rec_macro_fit(f, piece))
		return;
	s = st->t.s + piece->at;
	if (memcmp(s, s + p, (piece->len - p) * sizeof(*s)) != 0)
		return; /* two hashes met */
	level = known_turn(f, c, piece, &skip);
	if (level == 0)
		level = new_turn(f, c, piece, &skip);
	tk->tok = tl_xgrow(tk->tok, tk->n, &tk->cap, sizeof(*tk->tok));
	tok = &tk->tok[tk->n++];
	tok->def = rec_make(st, level, piece->len / p);
	tok->first = piece->at + skip;
	tok->n = piece->len / p * p;
	tok->head = tok->tail = 0;
	if (edge && piece->at == 0) {
		tok->head = skip;
		tok->first = 0;
	}
	if (edge && piece->at + piece->len == st->t.n)
		tok->tail = piece->len % p - skip;
	tok->n += tok->head + tok->tail;
	rec_set_bits(tk->bits, tok->first - st->level[f->level].at,
	    tok->first - st->level[f->level].at + tok->n);
}

static void
take_all(struct rec_fold *f, struct taken *tk)
{
	uint32_t at = f->st->level[f->level].at, n = f->st->level[f->level].n;
	uint32_t from, to, end, least;
	const struct rec_claim *c;
	struct rec_run piece;
	size_t i;

	for (i = 0; i < f->n_claim; i++) {
		c = &f->claim[i];
		piece = c->run;
		least = piece.period == 1 && n > REC_TINY ? 3 :
		    2 * piece.period;
		end = c->run.at - at + c->run.len;
		for (from = c->run.at - at; from < end; from = to) {
			from = rec_next_bit(tk->bits, from, end, 0);
			to = rec_next_bit(tk->bits, from, end, 1);
			piece.at = at + from;
			piece.len = to - from;
			if (piece.len >= least)
				take(f, tk, c, &piece);
		}
	}
}

static int
by_first(const void *a, const void *b)
{
	const struct rec_tok *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* The level's tokens: the loops, and the events between them. */
static void
lay_out(struct rec_state *st, struct rec_level *lv, struct taken *tk)
{
	uint32_t x, end = lv->at + lv->n;
	size_t i, n = lv->n;
	struct rec_tok *tok;

	for (i = 0; i < tk->n; i++)
		n -= tk->tok[i].n - 1;
	if (tk->n > 1)
		qsort(tk->tok, tk->n, sizeof(*tk->tok), by_first);
	tok = tl_xreallocarray(NULL, n, sizeof(*tok));
	lv->tok = tok;
	lv->n_tok = n;
	for (i = 0, x = lv->at; x < end; x += tok->n, tok++) {
		if (i < tk->n && tk->tok[i].first == x) {
			*tok = tk->tok[i++];
			continue;
		}
		memset(tok, 0, sizeof(*tok));
		tok->def = st->t.s[x];
		tok->first = x;
		tok->n = 1;
	}
}

void
rec_fold_level(struct rec_state *st, uint32_t level)
{
	struct rec_fold f = {.st = st, .level = level};
	struct taken tk = {NULL, NULL, 0, 0};
	struct rec_level *lv = &st->level[level];
	uint32_t at = lv->at, n = lv->n;
	size_t i;

	f.n_run = rec_runs(&st->t, at, n, &f.run);
	if (f.n_run > 0) {
		rec_chance_open(&st->chance, at, n,
		    level == 0 && !st->seq->is_body);
		claim(&f);
		tk.bits = tl_xcalloc(n / 64 + 1, sizeof(*tk.bits));
		take_all(&f, &tk);
		rec_chance_close(&st->chance);
	}
	for (i = 0; i < f.n_claim; i++)
		st->class[f.claim[i].class].head = REC_NONE;
	free(f.run);
	free(f.claim);
	free(f.start);
	free(tk.bits);
	lv = &st->level[level];
	lay_out(st, lv, &tk);
	free(tk.tok);
	free(lv->own_gap);
	free(lv->own_mark);
	lv->gap = lv->own_gap = NULL;
	lv->mark = lv->own_mark = NULL;
}
