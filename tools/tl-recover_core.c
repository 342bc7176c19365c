#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * From events to the tree: fold all levels, share what recurs, then number
 * what is in use.
 */

static size_t
mix(uint64_t a, uint32_t b)
{
	a = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) *
	    UINT64_C(0xd6e8feb86659fd93);
	a = (a ^ a >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (size_t)(a ^ a >> 32);
}

static struct rec_pair *
find(const struct rec_map *m, uint64_t a, uint32_t b)
{
	size_t i = mix(a, b), mask = m->n_slot - 1;
	struct rec_pair *pair;

	for (;; i++) {
		pair = &m->slot[i & mask];
		if (pair->value == 0 || (pair->a == a && pair->b == b))
			return pair;
	}
}

static void
enlarge(struct rec_map *m)
{
	struct rec_map old = *m;
	size_t i;

	m->n_slot = old.n_slot ? 2 * old.n_slot : 64;
	m->slot = tl_xcalloc(m->n_slot, sizeof(*m->slot));
	for (i = 0; i < old.n_slot; i++)
		if (old.slot[i].value != 0)
			*find(m, old.slot[i].a, old.slot[i].b) = old.slot[i];
	free(old.slot);
}

uint32_t
rec_map_get(const struct rec_map *m, uint64_t a, uint32_t b)
{
	return m->n > 0 ? find(m, a, b)->value : 0;
}

uint32_t *
rec_map_at(struct rec_map *m, uint64_t a, uint32_t b)
{
	struct rec_pair *pair;

	if (2 * m->n >= m->n_slot)
		enlarge(m);
	pair = find(m, a, b);
	if (pair->value == 0) {
		pair->a = a;
		pair->b = b;
		m->n++;
	}
	return &pair->value;
}

uint32_t
rec_make(struct rec_state *st, uint32_t level, uint32_t count)
{
	uint32_t *at = rec_map_at(&st->made_at, level, count);

	if (*at == 0) {
		st->made = tl_xgrow(st->made, st->n_made, &st->cap_made,
		    sizeof(*st->made));
		st->made[st->n_made].level = level;
		st->made[st->n_made].count = count;
		*at = (uint32_t)++st->n_made;
	}
	return st->seq->n_sym + *at - 1;
}

/* Numbers for what is in use: levels in order of length, definitions in order
 * of their bodies, so that items come before what holds them. */
struct numbers {
	uint32_t *used; /* [n_used] levels, shortest first, the top last */
	size_t n_used;
	uint32_t *body; /* [n_level] body id */
	uint32_t *def;  /* [n_made] definition id, REC_NONE: not in use */
};

static void
number(const struct rec_state *st, struct numbers *nr)
{
	const struct rec_level *lv;
	size_t i, k;

	nr->used = rec_used(st, &nr->n_used);
	nr->body = tl_xcalloc(st->n_level, sizeof(*nr->body));
	nr->def = tl_xreallocarray(NULL, st->n_made, sizeof(*nr->def));
	memset(nr->def, 0xff, st->n_made * sizeof(*nr->def));
	for (i = 0; i < nr->n_used; i++) {
		nr->body[nr->used[i]] = (uint32_t)i;
		lv = &st->level[nr->used[i]];
		for (k = 0; k < lv->n_tok; k++)
			if (lv->tok[k].def >= st->seq->n_sym)
				nr->def[lv->tok[k].def - st->seq->n_sym] = 0;
	}
}

static void
number_defs(const struct rec_state *st, struct rec_tree *tree,
    struct numbers *nr)
{
	struct rec_run *order;
	struct rec_def *d;
	size_t i, n = 0;
	uint32_t id;

	order = tl_xcalloc(st->n_made, sizeof(*order));
	for (i = 0; i < st->n_made; i++) {
		if (nr->def[i] == REC_NONE)
			continue;
		order[n].at = (uint32_t)i;
		order[n++].period = st->made[i].count;
	}
	rec_sort_period(order, n);
	for (i = 0; i < n; i++)
		order[i].period = nr->body[st->made[order[i].at].level];
	rec_sort_period(order, n);
	tree->n_def = (uint32_t)n;
	tree->def = tl_xcalloc(n, sizeof(*tree->def));
	for (i = 0; i < n; i++) {
		id = order[i].at;
		nr->def[id] = st->seq->n_sym + (uint32_t)i;
		d = &tree->def[i];
		d->count = st->made[id].count;
		d->kind = d->count > 1 ? REC_LOOP : REC_BLOCK;
		d->body = order[i].period;
		d->len = d->count * st->level[st->made[id].level].n;
		if (d->kind == REC_LOOP)
			tree->stat.n_loop++;
		else
			tree->stat.n_block++;
	}
	free(order);
}

static void
renumber(const struct rec_state *st, const struct numbers *nr,
    struct rec_level *lv)
{
	size_t i;

	for (i = 0; i < lv->n_tok; i++)
		if (lv->tok[i].def >= st->seq->n_sym)
			lv->tok[i].def =
			    nr->def[lv->tok[i].def - st->seq->n_sym];
}

static void
fill_bodies(struct rec_state *st, struct rec_tree *tree,
    const struct numbers *nr)
{
	const struct rec_body *in;
	struct rec_level *lv;
	struct rec_body *b;
	size_t i, k, n = 0;

	/* the last level is the top, which is no body */
	for (i = 0; i + 1 < nr->n_used; i++)
		n += st->level[nr->used[i]].n_tok;
	tree->item = tl_xreallocarray(NULL, n, sizeof(*tree->item));
	tree->n_body = (uint32_t)nr->n_used - 1;
	tree->body = tl_xcalloc(tree->n_body, sizeof(*tree->body));
	for (i = n = 0; i + 1 < nr->n_used; i++) {
		lv = &st->level[nr->used[i]];
		renumber(st, nr, lv);
		b = &tree->body[i];
		b->item = tree->item + n;
		b->n_item = (uint32_t)lv->n_tok;
		b->len = lv->n;
		b->depth = 1;
		b->phase = lv->phase;
		for (k = 0; k < lv->n_tok; k++) {
			tree->item[n++] = lv->tok[k].def;
			in = rec_body_of(tree, lv->tok[k].def);
			if (in != NULL && in->depth >= b->depth)
				b->depth = in->depth + 1;
		}
	}
}

static void
fill_stat(struct rec_tree *tree)
{
	uint8_t *loops = tl_xcalloc(tree->n_body, 1);
	uint32_t i;

	for (i = 0; i < tree->n_def; i++)
		if (tree->def[i].kind == REC_LOOP)
			loops[tree->def[i].body] = 1;
	for (i = 0; i < tree->n_body; i++) {
		if (loops[i])
			tree->stat.phase[tree->body[i].phase]++;
		if (tree->body[i].depth > tree->stat.depth)
			tree->stat.depth = tree->body[i].depth;
	}
	for (i = 0; i < tree->n_tok; i++)
		if (rec_kind_of(tree, tree->tok[i].def) == REC_LOOP)
			tree->stat.n_top++;
	free(loops);
}

static void
build(struct rec_state *st, struct rec_tree *tree)
{
	struct numbers nr;

	number(st, &nr);
	number_defs(st, tree, &nr);
	fill_bodies(st, tree, &nr);
	renumber(st, &nr, &st->level[0]);
	tree->tok = st->level[0].tok;
	tree->n_tok = (uint32_t)st->level[0].n_tok;
	st->level[0].tok = NULL;
	tree->stat.budget = st->budget;
	tree->stat.refused = st->refused;
	fill_stat(tree);
	free(nr.used);
	free(nr.body);
	free(nr.def);
}

static void
start(struct rec_state *st, struct rec_tree *tree, const struct rec_seq *seq)
{
	memset(tree, 0, sizeof(*tree));
	tree->n_sym = seq->n_sym;
	memset(st, 0, sizeof(*st));
	st->seq = seq;
	rec_text_init(&st->t, seq->sym, seq->n);
	rec_chance_init(&st->chance, &st->t, seq->n_sym);
	st->level = tl_xgrow(NULL, 0, &st->cap_level, sizeof(*st->level));
	memset(st->level, 0, sizeof(*st->level));
	st->level[0].n = (uint32_t)seq->n;
	st->level[0].gap = seq->gap_ns;
	st->level[0].mark = seq->mark;
	st->n_level = 1;
}

static void
finish(struct rec_state *st, struct rec_tree *tree)
{
	size_t i;

	build(st, tree);
	for (i = 0; i < st->n_level; i++)
		free(st->level[i].tok);
	free(st->level);
	free(st->made);
	free(st->made_at.slot);
	free(st->class);
	free(st->class_at.slot);
	rec_chance_free(&st->chance);
	rec_text_free(&st->t);
}

void
rec_recover_loops(struct rec_tree *tree, const struct rec_seq *seq, int share)
{
	struct rec_state st;
	size_t i;

	start(&st, tree, seq);
	for (i = 0; i < st.n_level; i++)
		rec_fold_level(&st, (uint32_t)i);
	if (share) {
		rec_share_bodies(&st);
		rec_share_repeats(&st);
		rec_unfold_single(&st);
	}
	finish(&st, tree);
}

/* The level of a piece's kind; it begins where the kind is met first. */
static uint32_t
level_of(struct rec_state *st, const struct rec_piece *p, uint32_t *level)
{
	struct rec_level *lv;

	if (level[p->kind] != 0)
		return level[p->kind];
	st->level = tl_xgrow(st->level, st->n_level, &st->cap_level,
	    sizeof(*st->level));
	lv = &st->level[st->n_level];
	memset(lv, 0, sizeof(*lv));
	lv->at = p->at;
	lv->n = p->n;
	lv->gap = st->seq->gap_ns != NULL ? st->seq->gap_ns + p->at : NULL;
	lv->mark = st->seq->mark != NULL ? st->seq->mark + p->at : NULL;
	level[p->kind] = (uint32_t)st->n_level++;
	return level[p->kind];
}

static int
is_plain(const struct rec_piece *p)
{
	return p->kind == REC_NONE || p->n == 1;
}

void
rec_recover_pieces(struct rec_tree *tree, const struct rec_seq *seq,
    const struct rec_piece *piece, size_t n_piece)
{
	uint32_t *level = tl_xcalloc(n_piece, sizeof(*level)), k, l;
	struct rec_state st;
	struct rec_tok *tok;
	size_t i, n = 0;

	start(&st, tree, seq);
	for (i = 0; i < n_piece; i++)
		n += is_plain(&piece[i]) ? piece[i].n : 1;
	tok = tl_xcalloc(n, sizeof(*tok));
	for (i = n = 0; i < n_piece; i++) {
		const struct rec_piece *p = &piece[i];

		for (k = 0; k < (is_plain(p) ? p->n : 1); k++, n++) {
			tok[n].def = seq->sym[p->at + k];
			tok[n].first = p->at + k;
			tok[n].n = 1;
		}
		if (is_plain(p))
			continue;
		l = level_of(&st, p, level);
		tok[n - 1].def = rec_make(&st, l, 1);
		tok[n - 1].n = p->n;
	}
	st.level[0].tok = tok;
	st.level[0].n_tok = n;
	for (i = 1; i < st.n_level; i++)
		rec_fold_level(&st, (uint32_t)i);
	free(level);
	finish(&st, tree);
}

void
rec_recover(struct rec_tree *tree, const struct rec_seq *seq)
{
	rec_recover_loops(tree, seq, 1);
}

void
rec_tree_free(struct rec_tree *tree)
{
	free(tree->def);
	free(tree->body);
	free(tree->tok);
	free(tree->item);
	free(tree->label);
	memset(tree, 0, sizeof(*tree));
}
