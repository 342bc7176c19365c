#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* The corrected text, and whether its tree is better than that of the sequence
 * itself. */

enum { NEAR_TURNS = 4 };

/* Copies an item, or puts in one that is missing. */
static void
put_item(struct rec_near *near, uint32_t at, uint32_t sym, uint8_t kind)
{
	near->kind[near->n] = kind;
	near->at[near->n] = at;
	near->sym[near->n++] = sym;
}

/* *keep: for each deviation in turn whether it is corrected. */
static void
put_stretch(struct rec_near *near, const struct rec_near_answer *a,
    const struct rec_stretch *s, const uint8_t *keep)
{
	const struct rec_fit *fit = &a->fit[s->body];
	uint32_t x = s->from, k;

	for (k = s->dev; k < s->dev + s->n_dev; k++) {
		const struct rec_dev *d = &fit->dev[k];

		for (; x < d->at; x++)
			put_item(near, x, a->st.s[x], REC_NEAR_SAME);
		if (!*keep++)
			continue;
		near->edit[near->n_edit++] = (struct rec_near_edit){
		    .at = x, .to = near->n, .sym = d->sym, .kind = d->kind };
		if (d->kind != REC_NEAR_EXTRA)
			put_item(near, x, d->sym, d->kind);
		x += d->kind != REC_NEAR_MISSING;
	}
	for (; x < s->to; x++)
		put_item(near, x, a->st.s[x], REC_NEAR_SAME);
}

/* The text as if nothing that is kept had deviated. */
static void
correct(struct rec_near *near, const struct rec_near_answer *a,
    const uint8_t *keep, size_t n_dev)
{
	size_t n = a->st.n, i;
	uint32_t x = 0;

	near->sym = tl_xreallocarray(NULL, n + n_dev, sizeof(*near->sym));
	near->kind = tl_xreallocarray(NULL, n + n_dev, 1);
	near->at = tl_xreallocarray(NULL, n + n_dev + 1, sizeof(*near->at));
	near->edit = tl_xreallocarray(NULL, n_dev, sizeof(*near->edit));
	for (i = 0; i < a->n_str; i++) {
		for (; x < a->str[i].from; x++)
			put_item(near, x, a->st.s[x], REC_NEAR_SAME);
		put_stretch(near, a, &a->str[i], keep);
		keep += a->str[i].n_dev;
		x = a->str[i].to;
	}
	for (; x < a->st.n; x++)
		put_item(near, x, a->st.s[x], REC_NEAR_SAME);
	near->at[near->n] = a->st.n;
}

/* Evidence of the corrected text: an item that is missing has no gap, and a
 * mark before an extra one is before the next. */
static void
carry_evidence(struct rec_near *near, const struct rec_seq *seq)
{
	uint32_t i, x, last = 0;

	if (seq->gap_ns != NULL) {
		near->gap_ns = tl_xreallocarray(NULL, near->n,
		    sizeof(*near->gap_ns));
		for (i = 0; i < near->n; i++)
			near->gap_ns[i] = near->at[i + 1] > near->at[i] ?
			    seq->gap_ns[near->at[i]] : REC_GAP_NONE;
	}
	if (seq->mark == NULL)
		return;
	near->mark = tl_xcalloc(near->n, 1);
	for (i = 0; i < near->n; i++)
		for (x = last; x < near->at[i + 1]; x++, last = x)
			near->mark[i] |= seq->mark[x] && x == near->at[i];
	for (i = 0, x = 0; i < near->n; i++, x = near->at[i])
		for (x = i > 0 ? near->at[i - 1] + 1 : 0; x < near->at[i]; x++)
			near->mark[i] |= seq->mark[x];
}

static struct rec_seq
corrected_seq(const struct rec_near *near, const struct rec_seq *seq)
{
	struct rec_seq new = *seq;

	new.n = near->n;
	new.sym = near->sym;
	new.gap_ns = near->gap_ns;
	new.mark = near->mark;
	return new;
}

void
rec_near_free(struct rec_near *near)
{
	free(near->sym);
	free(near->at);
	free(near->kind);
	free(near->gap_ns);
	free(near->mark);
	free(near->edit);
	memset(near, 0, sizeof(*near));
}

/* Unmarks what lies in no loop and no block of the tree, so deviates from
 * nothing; returns how many there are. */
static size_t
unmark_loose(const struct rec_near *near, const struct rec_tree *tree,
    uint8_t *keep, size_t n_dev)
{
	size_t i, k = 0, loose = 0;
	uint32_t t = 0, to;

	for (i = 0; i < n_dev; i++) {
		if (!keep[i])
			continue;
		to = near->edit[k].to;
		/* an extra one is behind the item before it */
		if (near->edit[k].kind == REC_NEAR_EXTRA && to > 0)
			to--;
		while (tree->tok[t].first + tree->tok[t].n <= to)
			t++;
		if (rec_kind_of(tree, tree->tok[t].def) == REC_EVENT) {
			keep[i] = 0;
			loose++;
		}
		k++;
	}
	return loose;
}

/* The tree of the corrected text; 0 if nothing is left to correct. */
static int
recover_corrected(struct rec_tree *tree, struct rec_near *near,
    const struct rec_near_answer *a, const struct rec_seq *seq)
{
	struct rec_seq new;
	size_t n_dev = 0, i;
	uint8_t *keep;
	int turn;

	for (i = 0; i < a->n_str; i++)
		n_dev += a->str[i].n_dev;
	keep = tl_xmalloc(n_dev);
	memset(keep, 1, n_dev);
	for (turn = 0; turn < NEAR_TURNS; turn++) {
		correct(near, a, keep, n_dev);
		if (near->n_edit == 0)
			break;
		carry_evidence(near, seq);
		new = corrected_seq(near, seq);
		rec_recover(tree, &new);
		rec_near_mix(tree, &new);
		if (unmark_loose(near, tree, keep, n_dev) == 0) {
			free(keep);
			return 1;
		}
		rec_tree_free(tree);
		rec_near_free(near);
	}
	rec_near_free(near);
	free(keep);
	return 0;
}

/* What the deviations of an answer cost. */
static int64_t
cost_of(const struct rec_near_answer *a)
{
	int64_t cost = 0;
	size_t i;

	for (i = 0; i < a->n_str; i++)
		cost += rec_near_dev_cost(a->fit[a->str[i].body].dev +
		    a->str[i].dev, a->str[i].n_dev);
	return cost;
}

/* Takes the answer, and returns 1, if its tree and deviations cost less. */
static int
try_answer(struct rec_tree *tree, struct rec_near *near, int64_t cost,
    int64_t (*measure)(const struct rec_tree *),
    const struct rec_near_answer *a, const struct rec_seq *seq)
{
	struct rec_tree other;
	struct rec_near text;

	memset(&text, 0, sizeof(text));
	if (!recover_corrected(&other, &text, a, seq))
		return 0;
	if (measure(&other) + cost_of(a) >= cost) {
		rec_tree_free(&other);
		rec_near_free(&text);
		return 0;
	}
	rec_tree_free(tree);
	rec_near_free(near);
	*tree = other;
	*near = text;
	return 1;
}

void
rec_near_recover(struct rec_tree *tree, struct rec_near *near,
    const struct rec_seq *seq, uint32_t percent)
{
	struct rec_near_answer a;
	struct rec_piece *piece;
	struct rec_seq new;
	size_t n_piece;
	int64_t cost;
	int turn, better;

	memset(near, 0, sizeof(*near));
	rec_recover(tree, seq);
	if (percent == 0 || seq->n <= REC_TINY ||
	    (tree->n_tok == 1 && tree->stat.n_top == 1))
		return;
	cost = rec_near_cost(tree);
	rec_near_mix(tree, seq);
	rec_near_find(&a, seq->sym, (uint32_t)seq->n, seq->n_sym, percent, 0);
	try_answer(tree, near, cost, rec_near_cost, &a, seq);
	cost = rec_near_reading(tree) + cost_of(&a);
	rec_near_answer_free(&a);
	for (turn = 0; turn < NEAR_TURNS && near->n_edit > 0 &&
	    tree->n_tok > 1; turn++) {
		new = corrected_seq(near, seq);
		piece = rec_near_steps(&new, &n_piece);
		if (piece == NULL)
			break;
		/* kinds are known now: hold every step against them */
		rec_near_kinds(&a, near, seq, piece, n_piece, percent);
		better = try_answer(tree, near, cost, rec_near_reading, &a,
		    seq);
		cost = rec_near_reading(tree) + cost_of(&a);
		rec_near_answer_free(&a);
		free(piece);
		if (!better)
			break;
	}
}
