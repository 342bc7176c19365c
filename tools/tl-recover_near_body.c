#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Bodies: of the periods at which words recur the one that explains most at
 * the least cost, again and again in what is left.  Where few iterations have
 * voted, the body is held against its own loops too.
 */

enum {
	NEAR_TRY = 6,     /* periods looked at for each */
	NEAR_ROUNDS = 8,  /* votes for each */
	NEAR_FEW = 64,    /* iterations */
	NEAR_SURE = 24 << 16 /* bits more than what chance and choice explain */
};

int64_t
rec_near_cost(const struct rec_tree *tree)
{
	int64_t cost = tree->n_tok;
	uint32_t i;

	for (i = 0; i < tree->n_body; i++)
		cost += tree->body[i].n_item;
	return cost;
}

int64_t
rec_near_dev_cost(const struct rec_dev *dev, size_t n)
{
	int64_t cost = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct rec_dev *d = &dev[i], *p = d - 1;
		uint32_t at = d->kind != REC_NEAR_MISSING;
		uint32_t col = d->kind != REC_NEAR_EXTRA;

		if (i == 0 || d->kind != p->kind || d->at != p->at + at ||
		    d->col != p->col + col)
			cost += REC_NEAR_COST;
		else
			cost += at;
	}
	return cost;
}

/* What the body costs once its own loops are found. */
static int64_t
body_cost(const struct rec_near_state *st, const struct rec_fit *fit)
{
	struct rec_seq seq = { .n = fit->p, .sym = fit->body,
		.n_sym = st->n_sym, .is_body = 1 };
	struct rec_tree tree;
	int64_t cost;

	rec_recover_loops(&tree, &seq, 0);
	cost = rec_near_cost(&tree);
	rec_tree_free(&tree);
	return cost;
}

static uint64_t
rarity(const struct rec_near_state *st, uint32_t sym)
{
	uint32_t n = st->count[sym] > 0 ? st->count[sym] : 1;

	return rec_chance_log(&st->log, st->n) - rec_chance_log(&st->log, n);
}

/* Whether the stretches say more than the body and its deviations cost to
 * write down, by far. */
static int
is_sure(const struct rec_near_state *st, const struct rec_fit *fit)
{
	uint64_t said = 0, cost = 0, place;
	size_t i;
	uint32_t x, c;

	place = rec_chance_log(&st->log, fit->p) + (4 << 16);
	for (i = 0; i < fit->n_str; i++)
		for (x = fit->str[i].from; x < fit->str[i].to; x++)
			said += rarity(st, st->s[x]);
	for (c = 0; c < fit->p; c++)
		cost += rarity(st, fit->body[c]);
	for (i = 0; i < fit->n_str; i++) {
		const struct rec_stretch *s = &fit->str[i];
		uint32_t k;

		cost += 2 * (uint64_t)rec_chance_log(&st->log, st->n);
		for (k = s->dev; k < s->dev + s->n_dev; k++) {
			const struct rec_dev *d = &fit->dev[k];

			cost += place + rarity(st, d->sym);
			if (d->kind == REC_NEAR_REPLACED)
				cost += rarity(st, st->s[d->at]);
		}
	}
	return said >= cost + NEAR_SURE +
	    3 * (uint64_t)rec_chance_log(&st->log, st->n);
}

int
rec_near_allowed(const struct rec_near_state *st, uint64_t devs, uint64_t cols)
{
	return 100 * devs <= st->percent * cols;
}

/* Sums up what the stretches explain; 0 if that is no loop. */
static int
judge(const struct rec_near_state *st, struct rec_fit *fit)
{
	uint64_t cols = 0, items = 0, devs = 0;
	int64_t cost = 0;
	size_t i;

	for (i = 0; i < fit->n_str; i++) {
		cols += fit->str[i].n_col;
		items += fit->str[i].to - fit->str[i].from;
		devs += fit->str[i].n_dev;
		cost += rec_near_dev_cost(fit->dev + fit->str[i].dev,
		    fit->str[i].n_dev);
	}
	if (fit->p < 3 || cols < 3 * (uint64_t)fit->p ||
	    !rec_near_allowed(st, devs, cols) || !is_sure(st, fit))
		return 0;
	fit->score = (int64_t)items - 2 * (int64_t)fit->n_str - cost -
	    body_cost(st, fit);
	return fit->score > 0;
}

/* The stretch between two places of the anchor that looks least damaged. */
static int
first_body(const struct rec_near_state *st, const struct rec_near_word *w,
    const struct rec_period *period, struct rec_fit *fit)
{
	const uint32_t *at = w->at + period->first;
	uint32_t *good = tl_xcalloc((size_t)st->n + 2, sizeof(*good));
	uint32_t i, lo, hi, gap, best = 0, best_gap = 0, sum, most = 0;

	lo = period->gap - period->gap / 25;
	hi = period->gap + period->gap / 25 + 1;
	for (i = 0; i < st->n; i++)
		good[i + 1] = good[i] + (w->of[i] != REC_NONE &&
		    2 * (w->first[w->of[i] + 1] - w->first[w->of[i]]) >=
		    period->n);
	for (i = 0; i + 1 < period->n; i++) {
		gap = at[i + 1] - at[i];
		if (gap < lo || gap > hi)
			continue;
		sum = good[at[i + 1]] - good[at[i]];
		if (best_gap == 0 ||
		    (uint64_t)sum * best_gap > (uint64_t)most * gap) {
			best = at[i];
			best_gap = gap;
			most = sum;
		}
	}
	free(good);
	if (best_gap == 0)
		return 0;
	fit->p = best_gap;
	fit->body = tl_xreallocarray(NULL, best_gap, sizeof(*fit->body));
	memcpy(fit->body, st->s + best, best_gap * sizeof(*fit->body));
	return 1;
}

static void
free_fit(struct rec_fit *fit)
{
	free(fit->body);
	free(fit->str);
	free(fit->dev);
	memset(fit, 0, sizeof(*fit));
}

/* How many passes over the column say what an edit of the body says: of an
 * extra one that it is missing, of a missing one that it is there. */
static uint32_t
support(const struct rec_near_state *st, const struct rec_fit *fit,
    const struct rec_dev *edit, uint32_t sym)
{
	uint32_t want = edit->kind == REC_NEAR_EXTRA ? REC_NEAR_MISSING :
	    edit->kind == REC_NEAR_MISSING ? REC_NEAR_EXTRA : edit->kind;
	uint32_t n = 0, k;
	size_t i;

	for (i = 0; i < fit->n_str; i++) {
		const struct rec_stretch *s = &fit->str[i];

		for (k = s->dev; k < s->dev + s->n_dev; k++) {
			const struct rec_dev *d = &fit->dev[k];

			n += d->kind == want && (s->col + d->col) % fit->p ==
			    edit->at && (want == REC_NEAR_MISSING ||
			    st->s[d->at] == sym);
		}
	}
	return n;
}

/* Makes of the body what its own loops say, where iterations agree. */
static uint32_t
refine(const struct rec_near_state *st, struct rec_fit *fit, uint32_t passes,
    uint32_t *col)
{
	struct rec_near_answer a;
	uint32_t *body, x = 0, n = 0, changed = 0, k, anchor = 0;
	size_t i, n_dev = 0;

	rec_near_find(&a, fit->body, fit->p, st->n_sym, st->percent, 1);
	for (i = 0; i < a.n_fit; i++)
		n_dev += a.fit[i].n_dev;
	body = tl_xreallocarray(NULL, fit->p + n_dev + 1, sizeof(*body));
	for (i = 0; i < a.n_str; i++)
		for (k = 0; k < a.str[i].n_dev; k++) {
			const struct rec_dev *d =
			    &a.fit[a.str[i].body].dev[a.str[i].dev + k];

			if (5 * support(st, fit, d, d->sym) < passes)
				continue;
			for (; x < d->at; x++) {
				if (x == *col)
					anchor = n;
				body[n++] = fit->body[x];
			}
			if (x == *col)
				anchor = n;
			if (d->kind != REC_NEAR_EXTRA)
				body[n++] = d->sym;
			x += d->kind != REC_NEAR_MISSING;
			changed++;
		}
	for (; x < fit->p; x++) {
		if (x == *col)
			anchor = n;
		body[n++] = fit->body[x];
	}
	rec_near_answer_free(&a);
	free(fit->body);
	fit->body = body;
	fit->p = n;
	*col = n > 0 ? anchor % n : 0;
	return changed;
}

/* A body of about the period, with what it explains. */
static int
try_period(const struct rec_near_state *st, const struct rec_near_word *w,
    const struct rec_period *period, struct rec_fit *fit)
{
	uint32_t col = 0, i;
	uint64_t cols = 0;

	memset(fit, 0, sizeof(*fit));
	w += period->len == 2;
	if (!first_body(st, w, period, fit))
		return 0;
	for (i = 0; i < NEAR_ROUNDS; i++) {
		rec_near_align(st, fit, w->at + period->first, period->n, col);
		if (fit->n_str == 0)
			return 0;
		if (i + 1 == NEAR_ROUNDS || rec_near_vote(st, fit, &col) == 0)
			break;
		if (fit->p < 3)
			return 0;
	}
	for (i = 0; i < fit->n_str; i++)
		cols += fit->str[i].n_col;
	if (!st->is_body && fit->n_dev > 0 &&
	    cols < NEAR_FEW * (uint64_t)fit->p &&
	    refine(st, fit, (uint32_t)(cols / fit->p), &col) > 0)
		rec_near_align(st, fit, w->at + period->first, period->n, col);
	return judge(st, fit);
}

/* The best body for what is left. */
static int
find_body(const struct rec_near_state *st, struct rec_fit *best)
{
	struct rec_near_word w[2];
	struct rec_period period[NEAR_TRY];
	struct rec_fit fit;
	size_t n, i;
	int any = 0;

	rec_near_words(st, &w[0], 3);
	rec_near_words(st, &w[1], 2);
	n = rec_near_periods(st, w, period, NEAR_TRY);
	for (i = 0; i < n; i++) {
		if (try_period(st, w, &period[i], &fit) &&
		    (!any || fit.score > best->score)) {
			if (any)
				free_fit(best);
			*best = fit;
			any = 1;
		} else {
			free_fit(&fit);
		}
	}
	rec_near_words_free(&w[0]);
	rec_near_words_free(&w[1]);
	return any;
}

int
rec_near_by_place(const void *a, const void *b)
{
	const struct rec_stretch *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Gathers the stretches of all bodies. */
static void
gather(struct rec_near_answer *a)
{
	size_t i, k, n = 0;

	for (i = 0; i < a->n_fit; i++)
		n += a->fit[i].n_str;
	a->str = tl_xreallocarray(NULL, n, sizeof(*a->str));
	for (i = 0; i < a->n_fit; i++)
		for (k = 0; k < a->fit[i].n_str; k++)
			a->str[a->n_str++] = a->fit[i].str[k];
	if (n > 1)
		qsort(a->str, n, sizeof(*a->str), rec_near_by_place);
}

void
rec_near_start(struct rec_near_answer *a, const uint32_t *s, uint32_t n,
    uint32_t n_sym, uint32_t percent, int is_body)
{
	struct rec_near_state *st = &a->st;
	struct rec_text t = { .s = s, .n = n };
	size_t i;

	memset(a, 0, sizeof(*a));
	st->s = s;
	st->n = n;
	st->n_sym = n_sym;
	st->percent = percent;
	st->is_body = is_body;
	st->back = tl_xreallocarray(NULL, n, sizeof(*st->back));
	for (i = 0; i < n; i++)
		st->back[i] = s[n - 1 - i];
	st->taken = tl_xcalloc(n / 64 + 1, sizeof(*st->taken));
	st->count = tl_xcalloc(n_sym, sizeof(*st->count));
	for (i = 0; i < n; i++)
		st->count[s[i]]++;
	rec_chance_init(&st->log, &t, 0);
}

void
rec_near_take(struct rec_near_answer *a)
{
	struct rec_fit *fit = &a->fit[a->n_fit];
	size_t i;

	for (i = 0; i < fit->n_str; i++) {
		fit->str[i].body = (uint32_t)a->n_fit;
		rec_set_bits(a->st.taken, fit->str[i].from, fit->str[i].to);
	}
	a->n_fit++;
}

void
rec_near_rest(struct rec_near_answer *a)
{
	while (a->n_fit < REC_NEAR_BODIES &&
	    find_body(&a->st, &a->fit[a->n_fit]))
		rec_near_take(a);
	gather(a);
}

void
rec_near_find(struct rec_near_answer *a, const uint32_t *s, uint32_t n,
    uint32_t n_sym, uint32_t percent, int is_body)
{
	rec_near_start(a, s, n, n_sym, percent, is_body);
	rec_near_rest(a);
}

void
rec_near_answer_free(struct rec_near_answer *a)
{
	size_t i;

	for (i = 0; i < a->n_fit; i++)
		free_fit(&a->fit[i]);
	free(a->str);
	free(a->st.back);
	free(a->st.taken);
	free(a->st.count);
	rec_chance_free(&a->st.log);
}

