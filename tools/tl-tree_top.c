#include "tl-tree.h"

#include <stdlib.h>

#include "mem.h"

/* Exposed communication that takes a part in NOTABLE of the wall is shown, and
 * what makes up nine tenths of all there is. */
#define NOTABLE 500
/* A loop that takes less than one part in MAIN of the wall is no main one. */
#define MAIN 100

/* Position and its key in a ranking. */
struct ranked {
	int64_t ns;
	uint32_t pos;
};

/* More first, then in order of the tree. */
static int
by_ns(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

int64_t
tree_exposed(const struct tree_pos *p)
{
	int64_t ns = p->ns[TREE_COMM_EXPOSED], n = p->occurrences;

	if (p->kind == TREE_ROOT)
		return ns;
	if (ns == TREE_NONE || n == TREE_NONE || (n > 0 && ns > INT64_MAX / n))
		return TREE_NONE;
	return ns * n;
}

/* The position and those above it are shown. */
static void
need(struct tree *t, uint32_t i)
{
	while (i != TREE_NO && !(t->pos[i].flags & TREE_NEEDED)) {
		t->pos[i].flags |= TREE_NEEDED;
		i = t->pos[i].parent;
	}
}

/* The row that shows position i, an event, which a loop around it alone may
 * show. */
static uint32_t
shown_as(const struct tree *t, uint32_t i)
{
	uint32_t above = t->pos[i].parent;

	return above != TREE_NO && tree_is_single(t, above) ? above : i;
}

static void
rank_exposed(struct tree *t, struct tree_scope *s, struct ranked *r)
{
	int64_t wall = t->pos[s->first].ns[TREE_SPAN], all = 0, sum = 0;
	int64_t notable = wall > 0 ? tree_least(wall, NOTABLE) : INT64_MAX;
	size_t n = 0;

	for (uint32_t i = s->first; i < s->end; i++) {
		int64_t ns = tree_exposed(&t->pos[i]);

		if (t->pos[i].end != i + 1 || i == s->first || ns <= 0 ||
		    ns > INT64_MAX - all)
			continue;
		r[n++] = (struct ranked){ ns, i };
		all += ns;
	}
	if (n > 0)
		qsort(r, n, sizeof *r, by_ns);
	for (size_t k = 0; k < n; sum += r[k++].ns) {
		if (r[k].ns < notable && sum >= all - all / 10)
			break;
		need(t, shown_as(t, r[k].pos));
		if (k < TREE_WORST)
			s->worst[s->n_worst++] = r[k].pos;
	}
}

static bool
is_outermost(const struct tree *t, uint32_t i)
{
	while ((i = t->pos[i].parent) != TREE_NO)
		if (t->pos[i].kind == TREE_LOOP)
			return false;
	return true;
}

/* Each outermost loop, which come first, followed by the loops in it in order
 * of the tree. */
static void
put_inner_behind(const struct tree *t, struct tree_scope *s, size_t n_outer)
{
	uint32_t sorted[TREE_MAIN];
	size_t n = 0;

	for (size_t o = 0; o < n_outer; o++) {
		uint32_t end = t->pos[s->main[o]].end;
		size_t from = n;

		sorted[n++] = s->main[o];
		for (size_t k = n_outer; k < s->n_main; k++) {
			uint32_t i = s->main[k];
			size_t at = n;

			if (i < s->main[o] || i >= end)
				continue;
			for (; at > from && sorted[at - 1] > i; at--)
				sorted[at] = sorted[at - 1];
			sorted[at] = i;
			n++;
		}
	}
	s->n_main = n;
	memcpy(s->main, sorted, n * sizeof *sorted);
}

/* The outermost loops that take most, then loops in them; those around a single
 * event are not asked for. */
static void
rank_loops(struct tree *t, struct tree_scope *s, struct ranked *r)
{
	int64_t wall = t->pos[s->first].ns[TREE_SPAN];
	size_t n = 0, n_outer = 0;

	for (uint32_t i = s->first; i < s->end; i++)
		if (t->pos[i].kind == TREE_LOOP && t->pos[i].total_ns > 0 &&
		    t->pos[i].total_ns >= tree_least(wall, MAIN))
			r[n++] = (struct ranked){ t->pos[i].total_ns, i };
	if (n > 0)
		qsort(r, n, sizeof *r, by_ns);
	for (int inner = 0; inner < 2; inner++) {
		for (size_t k = 0; k < n && s->n_main < TREE_MAIN; k++)
			if (is_outermost(t, r[k].pos) == !inner &&
			    !(inner && tree_is_single(t, r[k].pos)))
				s->main[s->n_main++] = r[k].pos;
		n_outer = inner ? n_outer : s->n_main;
	}
	put_inner_behind(t, s, n_outer);
	for (size_t k = 0; k < s->n_main; k++)
		need(t, s->main[k]);
}

void
tree_xtop(struct tree *t)
{
	struct ranked *r = tl_xreallocarray(NULL, t->n_pos, sizeof *r);

	for (size_t k = 0; k < t->n_scopes; k++) {
		rank_loops(t, &t->scope[k], r);
		rank_exposed(t, &t->scope[k], r);
	}
	free(r);
}
