#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

/* What of the structure is drawn: equal bodies, depths, iterations in full. */

/* Children of positions, in order. */
struct children {
	uint32_t *first, *next, *count;
};

static void
link_children(const struct pf *p, struct children *c)
{
	c->first = tl_xreallocarray(NULL, p->n_pos, sizeof *c->first);
	c->next = tl_xreallocarray(NULL, p->n_pos, sizeof *c->next);
	c->count = tl_xcalloc(p->n_pos, sizeof *c->count);
	for (size_t i = 0; i < p->n_pos; i++)
		c->first[i] = PF_NO;
	for (uint32_t i = (uint32_t)p->n_pos; i-- > 0;) {
		uint32_t parent = p->pos[i].parent;

		if (parent == PF_NO)
			continue;
		c->next[i] = c->first[parent];
		c->first[parent] = i;
		c->count[parent]++;
	}
}

static void
free_children(struct children *c)
{
	free(c->first);
	free(c->next);
	free(c->count);
}

/* Two bodies are equal if their members are, in order: events by label, loops
 * by body. The number of a body is that of its members' numbers as text. */
static void
find_bodies(struct pf *p, const struct children *c)
{
	struct tl_intern set = { .n = 0 };
	uint32_t *number = tl_xreallocarray(NULL, p->n_pos, sizeof *number);
	uint32_t *list = NULL, *letter, n_letters = 0;
	size_t cap = 0;

	for (size_t i = p->n_pos; i-- > 0;) {
		size_t n = 0;

		if (c->count[i] + (size_t)2 > cap) {
			cap = c->count[i] + (size_t)2;
			list = tl_xreallocarray(list, cap, sizeof *list);
		}
		for (uint32_t k = c->first[i]; k != PF_NO; k = c->next[k])
			list[n++] = number[k];
		p->pos[i].body = tl_xintern(&set, (struct tl_str){
		    (const char *)list, n * sizeof *list });
		/* what it is to its parent */
		list[0] = p->pos[i].kind;
		list[1] = p->pos[i].kind == PF_LEAF ? p->pos[i].label :
		    p->pos[i].body;
		number[i] = tl_xintern(&set, (struct tl_str){
		    (const char *)list, 2 * sizeof *list });
	}
	letter = tl_xreallocarray(NULL, set.n, sizeof *letter);
	memset(letter, 0xff, set.n * sizeof *letter);
	for (size_t i = 0; i < p->n_pos; i++) {
		struct pf_pos *q = &p->pos[i];

		if (q->hidden || q->kind == PF_ROOT) {
			q->body = PF_NO;
			continue;
		}
		if (letter[q->body] == PF_NO)
			letter[q->body] = n_letters++;
		q->body = letter[q->body];
	}
	free(letter);
	free(list);
	free(number);
	tl_intern_free(&set);
}

/* A container of one other container and nothing else is packaging. */
static void
find_depths(struct pf *p, const struct children *c)
{
	for (size_t i = 0; i < p->n_pos; i++) {
		struct pf_pos *q = &p->pos[i];
		const struct pf_pos *up = q->parent == PF_NO ? NULL :
		    &p->pos[q->parent];

		q->hidden = q->kind == PF_LEAF || (c->count[i] == 1 &&
		    (q->kind == PF_SEQ || q->kind == PF_REPLAY) &&
		    p->pos[c->first[i]].kind != PF_LEAF);
		q->depth = up == NULL ? 0 : up->depth + (up->hidden ? 0U :
		    up->kind == PF_LOOP ? 2U : 1U);
	}
}

/* The iteration that took longest: by period, of those not cut by the
 * capture's edge if there are any; by length where no period is known. */
static uint32_t
slowest(const struct pf *p, const uint32_t *it, size_t n)
{
	uint32_t best = it[0];
	int best_rank = -1;

	for (size_t i = 0; i < n; i++) {
		const struct pf_occ *o = &p->occ[it[i]], *b = &p->occ[best];
		int rank = (o->flags & PF_FULL ? 2 : 0) +
		    (o->period_ns != INT64_MIN);
		bool longer = rank & 1 ? o->period_ns > b->period_ns :
		    o->span_ns > b->span_ns;

		if (rank > best_rank || (rank == best_rank && longer)) {
			best = it[i];
			best_rank = rank;
		}
	}
	return best;
}

/* Marks those of it[0..n) that are drawn in full. */
static void
choose(struct pf *p, const uint32_t *it, size_t n)
{
	uint32_t left = p->opt.full, slow, pick[3];

	if (n <= left) {
		for (size_t i = 0; i < n; i++)
			p->occ[it[i]].flags |= PF_WHOLE;
		return;
	}
	slow = slowest(p, it, n);
	pick[0] = it[0];
	pick[1] = slow;
	pick[2] = it[n - 1];
	for (int i = 0; i < 3 && left > 0; i++) {
		left -= !(p->occ[pick[i]].flags & PF_WHOLE);
		p->occ[pick[i]].flags |= PF_WHOLE;
	}
	for (size_t i = 1; i < n && left > 0; i++) {
		left -= !(p->occ[it[i]].flags & PF_WHOLE);
		p->occ[it[i]].flags |= PF_WHOLE;
	}
}

/* The iterations of one position, it[0..n), in order of occurrence: loop by
 * loop. */
static void
choose_all(struct pf *p, const uint32_t *it, size_t n)
{
	for (size_t from = 0, to; from < n; from = to) {
		uint32_t loop = p->occ[it[from]].parent, n_full = 0;

		for (to = from; to < n && p->occ[it[to]].parent == loop; to++)
			n_full += (p->occ[it[to]].flags & PF_FULL) != 0;
		if (loop != PF_NO) {
			p->occ[loop].n_full = n_full;
			p->occ[loop].n_cut = (uint32_t)(to - from) - n_full;
		}
		choose(p, it + from, to - from);
	}
}

static void
choose_iterations(struct pf *p)
{
	uint32_t *it = tl_xreallocarray(NULL, p->n_occ, sizeof *it);

	for (size_t i = 0; i < p->n_pos; i++) {
		const struct pf_pos *q = &p->pos[i];
		size_t n = 0;

		for (uint32_t o = q->first_occ; o < q->first_occ + q->n_occ;
		    o++) {
			if (p->occ[o].flags & PF_ITERATION)
				it[n++] = o;
			else
				p->occ[o].flags |= PF_WHOLE;
		}
		choose_all(p, it, n);
	}
	free(it);
}

/* Parents come first. */
static void
decide(struct pf *p)
{
	for (size_t i = 0; i < p->n_occ; i++) {
		struct pf_occ *o = &p->occ[i];
		struct pf_occ *up = o->parent == PF_NO ? NULL :
		    &p->occ[o->parent];

		if (up == NULL || (up->flags & PF_DRAWN &&
		    up->flags & PF_WHOLE)) {
			o->flags |= PF_DRAWN;
		} else if (up->flags & PF_DRAWN &&
		    !(up->flags & PF_FOLDED)) {
			up->flags |= PF_FOLDED;
			p->n_folded++;
		}
	}
}

void
pf_xtree(struct pf *p)
{
	struct children c;

	if (p->n_pos == 0)
		return;
	link_children(p, &c);
	find_depths(p, &c);
	find_bodies(p, &c);
	free_children(&c);
	choose_iterations(p);
	decide(p);
}
