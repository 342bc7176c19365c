#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Kinds of steps as bodies: each is held against the whole text, cut to whole
 * steps, and gives up what deviates too much; the rest is searched as usual.
 */

enum { NEAR_BETWEEN = 2 }; /* events between two steps */

/* The shortest kind of two steps or more that is not done, REC_NONE if there is
 * none: what looks like a kind may be two steps, of which one is damaged where
 * it begins. */
static uint32_t
next_kind(const struct rec_piece *piece, size_t n, uint8_t *done)
{
	uint32_t *count = tl_xcalloc(n + 1, sizeof(*count)), k;
	uint32_t best = REC_NONE;
	uint32_t len = UINT32_MAX;
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		all += piece[i].n;
		if (piece[i].kind != REC_NONE)
			count[piece[i].kind]++;
	}
	for (i = 0; i < n; i++) {
		k = piece[i].kind;
		/* a twentieth of all; what is less is a piece of a step */
		if (k != REC_NONE && count[k] > 1 && !done[k] &&
		    piece[i].n < len &&
		    20 * (uint64_t)count[k] * piece[i].n >= all) {
			len = piece[i].n;
			best = k;
		}
	}
	free(count);
	if (best != REC_NONE)
		done[best] = 1;
	return best;
}

/* The item at which a stretch's column begins, and its first deviation from
 * there on; what is extra before the column is not of it. */
static uint32_t
place_of(const struct rec_fit *fit, const struct rec_stretch *s, uint32_t col,
    uint32_t *dev)
{
	uint32_t x = s->from + col, k;

	for (k = s->dev; k < s->dev + s->n_dev; k++) {
		const struct rec_dev *d = &fit->dev[k];

		if (d->col > col ||
		    (d->col == col && d->kind != REC_NEAR_EXTRA))
			break;
		x += d->kind == REC_NEAR_EXTRA;
		x -= d->kind == REC_NEAR_MISSING;
	}
	*dev = k;
	return x;
}

/* Cuts a stretch to whole steps, which are from column 0 to column 0; what
 * lacks little at an end lacks it. */
static void
trim(const struct rec_near_state *st, struct rec_fit *fit,
    struct rec_stretch *s)
{
	uint32_t p = fit->p, drop, keep, first, end, i, to;

	rec_near_complete(st, fit, s, 1);
	rec_near_complete(st, fit, s, 0);
	drop = (p - s->col) % p;
	if (drop + p > s->n_col) {
		s->n_col = 0;
		return;
	}
	keep = (s->n_col - drop) / p * p;
	to = place_of(fit, s, drop + keep, &end);
	while (end > s->dev && fit->dev[end - 1].col == drop + keep) {
		end--; /* extra, behind the last step */
		to--;
	}
	s->from = place_of(fit, s, drop, &first);
	s->to = to;
	s->dev = first;
	s->n_dev = end > first ? end - first : 0;
	s->n_col = keep;
	s->col = 0;
	for (i = first; i < end; i++)
		fit->dev[i].col -= drop;
}

static void
trim_all(const struct rec_near_state *st, struct rec_fit *fit)
{
	size_t i, n = 0;

	for (i = 0; i < fit->n_str; i++) {
		trim(st, fit, &fit->str[i]);
		if (fit->str[i].n_col > 0 && fit->str[i].from < fit->str[i].to)
			fit->str[n++] = fit->str[i];
	}
	fit->n_str = n;
}

/* How many columns the stretches of a body have, and deviations. */
static uint64_t
cols_of(const struct rec_fit *fit, uint64_t *devs)
{
	uint64_t cols = 0;
	size_t i;

	*devs = 0;
	for (i = 0; i < fit->n_str; i++) {
		cols += fit->str[i].n_col;
		*devs += fit->str[i].n_dev;
	}
	return cols;
}

static int
by_share(const void *a, const void *b)
{
	const struct rec_stretch *x = a, *y = b;
	uint64_t d = (uint64_t)x->n_dev * y->n_col;
	uint64_t e = (uint64_t)y->n_dev * x->n_col;

	return d != e ? (d < e ? -1 : 1) : rec_near_by_place(a, b);
}

/* Gives up stretches, those that deviate most first, until what is left is
 * within what may deviate. */
static void
give_up(const struct rec_near_state *st, struct rec_fit *fit)
{
	uint64_t devs, cols = cols_of(fit, &devs);

	if (rec_near_allowed(st, devs, cols))
		return;
	qsort(fit->str, fit->n_str, sizeof(*fit->str), by_share);
	while (fit->n_str > 0 && !rec_near_allowed(st, devs, cols)) {
		fit->n_str--;
		devs -= fit->str[fit->n_str].n_dev;
		cols -= fit->str[fit->n_str].n_col;
	}
	if (fit->n_str > 1)
		qsort(fit->str, fit->n_str, sizeof(*fit->str), rec_near_by_place);
}

/* What little stands between two steps is extra, at the end of the first, if
 * so much may deviate. */
static void
close_gaps(struct rec_near_answer *a, size_t n_kinds)
{
	uint64_t cols[REC_NEAR_BODIES], devs[REC_NEAR_BODIES];
	size_t i;
	uint32_t k, x;

	for (i = 0; i < a->n_fit; i++)
		cols[i] = cols_of(&a->fit[i], &devs[i]);

	for (i = 0; i + 1 < a->n_str; i++) {
		struct rec_stretch *s = &a->str[i];
		const struct rec_stretch *next = &a->str[i + 1];
		struct rec_fit *fit = &a->fit[s->body];
		uint32_t first = (uint32_t)fit->n_dev;

		if (s->body >= n_kinds || next->body >= n_kinds ||
		    next->from == s->to || next->from - s->to > NEAR_BETWEEN ||
		    !rec_near_allowed(&a->st, devs[s->body] + next->from - s->to,
		    cols[s->body]))
			continue;
		devs[s->body] += next->from - s->to;
		for (k = s->dev; k < s->dev + s->n_dev; k++) {
			struct rec_dev d = fit->dev[k];

			rec_near_add_dev(fit, d);
		}
		for (x = s->to; x < next->from; x++)
			rec_near_add_dev(fit, (struct rec_dev){ .at = x,
			    .col = s->n_col, .sym = a->st.s[x],
			    .kind = REC_NEAR_EXTRA });
		s->dev = first;
		s->n_dev = (uint32_t)fit->n_dev - first;
		s->to = next->from;
	}
}

void
rec_near_kinds(struct rec_near_answer *a, const struct rec_near *near,
    const struct rec_seq *seq, const struct rec_piece *piece, size_t n,
    uint32_t percent)
{
	uint32_t *place = tl_xcalloc(n + 1, sizeof(*place)), kind;
	uint8_t *done = tl_xcalloc(n + 1, 1);
	size_t i, from, n_kinds;

	rec_near_start(a, seq->sym, (uint32_t)seq->n, seq->n_sym, percent, 0);
	while (a->n_fit < REC_NEAR_BODIES / 2 &&
	    (kind = next_kind(piece, n, done)) != REC_NONE) {
		struct rec_fit *fit = &a->fit[a->n_fit];

		for (from = 0; piece[from].kind != kind; from++)
			;
		fit->p = piece[from].n;
		fit->body = tl_xreallocarray(NULL, fit->p, sizeof(*fit->body));
		memcpy(fit->body, near->sym + piece[from].at,
		    fit->p * sizeof(*fit->body));
		for (i = 0; i < n; i++)
			place[i] = near->at[piece[i].at];
		rec_near_align(&a->st, fit, place, (uint32_t)n, 0);
		trim_all(&a->st, fit);
		give_up(&a->st, fit);
		rec_near_take(a);
	}
	n_kinds = a->n_fit;
	rec_near_rest(a);
	close_gaps(a, n_kinds);
	free(place);
	free(done);
}
