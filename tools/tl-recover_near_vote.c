#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * A better body: what most of the passes over a column say of it.  A column
 * that most lack goes, one that most have between two columns comes, and what
 * stands for a column most often is its symbol.
 */

struct ballot {
	uint32_t col, kind, sym; /* kind: below, of extra ones the place */
};

enum { VOTE_MISSING = 1 << 30, VOTE_REPLACED };

static int
by_column(const void *a, const void *b)
{
	const struct ballot *x = a, *y = b;

	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

/* Votes of all stretches, sorted.  Extra ones between two columns vote each for
 * its place among them, a replacement with what it has. */
static struct ballot *
collect(const struct rec_near_state *st, const struct rec_fit *fit, size_t *n)
{
	struct ballot *v = tl_xreallocarray(NULL, fit->n_dev + 1, sizeof(*v));
	size_t i, k, at = 0;
	uint32_t place;

	for (i = 0; i < fit->n_str; i++) {
		const struct rec_stretch *s = &fit->str[i];
		const struct rec_dev *d = fit->dev + s->dev;

		for (k = place = 0; k < s->n_dev; k++) {
			if (k == 0 || d[k].kind != REC_NEAR_EXTRA ||
			    d[k].col != d[k - 1].col)
				place = 0;
			v[at].col = (s->col + d[k].col) % fit->p;
			v[at].kind = d[k].kind == REC_NEAR_EXTRA ? place++ :
			    d[k].kind == REC_NEAR_MISSING ? VOTE_MISSING :
			    VOTE_REPLACED;
			v[at++].sym = d[k].kind == REC_NEAR_MISSING ? 0 :
			    st->s[d[k].at];
		}
	}
	qsort(v, at, sizeof(*v), by_column);
	*n = at;
	return v;
}

/* How often each column is passed. */
static uint32_t *
passes(const struct rec_fit *fit)
{
	uint32_t *pass = tl_xcalloc((size_t)fit->p + 1, sizeof(*pass)), c, all;
	size_t i;

	for (i = 0, all = 0; i < fit->n_str; i++) {
		const struct rec_stretch *s = &fit->str[i];
		uint32_t rest = s->n_col % fit->p;

		all += s->n_col / fit->p;
		if (s->col + rest <= fit->p) {
			pass[s->col]++;
			pass[s->col + rest]--;
		} else {
			pass[s->col]++;
			pass[0]++;
			pass[s->col + rest - fit->p]--;
		}
	}
	for (c = 0; c < fit->p; c++)
		pass[c + 1] += pass[c];
	for (c = 0; c < fit->p; c++)
		pass[c] += all;
	return pass;
}

/* How many of the votes are that one. */
static uint32_t
tally(const struct ballot *v, size_t n, struct ballot one)
{
	size_t lo = 0, hi = n;
	uint32_t found = 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_column(&v[mid], &one) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo < n && by_column(&v[lo], &one) == 0) {
		lo++;
		found++;
	}
	return found;
}

/* Votes for a symbol between two columns: those of iterations that lack one of
 * these say that it stands in its place. */
static uint32_t
votes_between(const struct ballot *v, size_t n, struct ballot extra,
    uint32_t run, uint32_t p)
{
	if (extra.kind > 0)
		return run;
	extra.kind = VOTE_REPLACED;
	run += tally(v, n, extra);
	extra.col = (extra.col + p - 1) % p;
	return run + tally(v, n, extra);
}

/* What a column's votes say. */
struct verdict {
	uint32_t missing, replaced, most; /* most: of one symbol */
	uint32_t sym;
	int between; /* something comes before the column */
};

/* The votes of column c, from i on; writes what most want before it to
 * body[*n ..].  Returns where the next column's are. */
static size_t
count_column(const struct ballot *v, size_t n_vote, size_t i, uint32_t c,
    uint32_t pass, uint32_t p, struct verdict *out, uint32_t *body,
    uint32_t *n)
{
	size_t run;

	memset(out, 0, sizeof(*out));
	for (; i < n_vote && v[i].col == c; i += run) {
		for (run = 1; i + run < n_vote &&
		    by_column(&v[i], &v[i + run]) == 0; run++)
			;
		if (v[i].kind == VOTE_MISSING) {
			out->missing = (uint32_t)run;
		} else if (v[i].kind == VOTE_REPLACED) {
			out->replaced += (uint32_t)run;
			if (run > out->most) {
				out->most = (uint32_t)run;
				out->sym = v[i].sym;
			}
		} else if (4 * run > pass && 2 * votes_between(v, n_vote, v[i],
		    (uint32_t)run, p) > pass && (int)v[i].kind >=
		    out->between) {
			body[(*n)++] = v[i].sym;
			out->between = (int)v[i].kind + 1;
		}
	}
	return i;
}

uint32_t
rec_near_vote(const struct rec_near_state *st, struct rec_fit *fit,
    uint32_t *col)
{
	uint32_t *pass = passes(fit), *body, c, n = 0, changed = 0, same;
	uint32_t anchor = 0, had;
	struct verdict say;
	struct ballot *v;
	size_t n_vote, i = 0;

	v = collect(st, fit, &n_vote);
	body = tl_xreallocarray(NULL, fit->p + n_vote + 1, sizeof(*body));
	for (c = 0; c < fit->p; c++) {
		had = n;
		i = count_column(v, n_vote, i, c, pass[c], fit->p, &say, body,
		    &n);
		changed += n - had;
		if (c == *col)
			anchor = n;
		if (2 * (uint64_t)say.missing > pass[c]) {
			changed++;
			continue;
		}
		same = pass[c] - say.missing - say.replaced;
		changed += say.most > same;
		body[n++] = say.most > same ? say.sym : fit->body[c];
	}
	free(fit->body);
	fit->body = body;
	fit->p = n;
	*col = n > 0 ? anchor % n : 0;
	free(v);
	free(pass);
	return changed;
}
