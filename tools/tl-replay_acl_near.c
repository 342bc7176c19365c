#include <stdlib.h>

#include "tl-replay_acl.h"

#define NONE UINT32_MAX

/* Points of one side at one time, those with the least index first. Nodes are
 * in a list by time; the nearest pair is always in nodes side by side. */
struct node {
	int64_t at_ns;
	bool is_b;
	size_t head, end;
	uint32_t prev, next;
};

/* Two nodes side by side, by their first points. */
struct couple {
	uint64_t apart;
	uint32_t a, b;       /* indexes of the points */
	size_t a_at, b_at;   /* where they stand */
	uint32_t left;       /* node */
};

struct near {
	struct acl_point *a, *b;
	struct node *node;
	size_t n_nodes;
	struct couple *heap;
	size_t n_heap, heap_cap;
};

static int
point_cmp(const void *pa, const void *pb)
{
	const struct acl_point *a = pa, *b = pb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static bool
goes_first(const struct couple *x, const struct couple *y)
{
	if (x->apart != y->apart)
		return x->apart < y->apart;
	return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void
push(struct near *m, struct couple c)
{
	size_t i = m->n_heap++;

	m->heap = tl_xgrow(m->heap, i, &m->heap_cap, sizeof *m->heap);
	for (; i > 0 && goes_first(&c, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
		m->heap[i] = m->heap[(i - 1) / 2];
	m->heap[i] = c;
}

static struct couple
pop(struct near *m)
{
	struct couple first = m->heap[0], last = m->heap[--m->n_heap];
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < m->n_heap; i = k) {
		if (k + 1 < m->n_heap &&
		    goes_first(&m->heap[k + 1], &m->heap[k]))
			k++;
		if (!goes_first(&m->heap[k], &last))
			break;
		m->heap[i] = m->heap[k];
	}
	m->heap[i] = last;
	return first;
}

/* The pair of a node and the next one, if they are near. */
static void
offer(struct near *m, uint32_t left)
{
	const struct node *x, *y, *a, *b;
	uint64_t apart;

	if (left == NONE || m->node[left].next == NONE)
		return;
	x = &m->node[left];
	y = &m->node[x->next];
	apart = (uint64_t)y->at_ns - (uint64_t)x->at_ns;
	if (x->is_b == y->is_b || apart > ACL_NEAR_NS)
		return;
	a = x->is_b ? y : x;
	b = x->is_b ? x : y;
	push(m, (struct couple){ apart, m->a[a->head].i, m->b[b->head].i,
		a->head, b->head, left });
}

static void
leave(struct near *m, uint32_t i)
{
	struct node *x = &m->node[i];

	if (x->prev != NONE)
		m->node[x->prev].next = x->next;
	if (x->next != NONE)
		m->node[x->next].prev = x->prev;
}

/* Takes the first points of a couple, if they are still the first ones of two
 * nodes side by side. */
static void
take(struct near *m, const struct couple *c, size_t *mate)
{
	struct node *x = &m->node[c->left], *y;
	uint32_t right = x->next, prev = x->prev;

	if (right == NONE || x->head == x->end)
		return;
	y = &m->node[right];
	if (x->is_b == y->is_b || (x->is_b ? y : x)->head != c->a_at ||
	    (x->is_b ? x : y)->head != c->b_at)
		return;
	mate[c->a_at] = c->b_at;
	x->head++;
	y->head++;
	if (y->head == y->end)
		leave(m, right);
	if (x->head == x->end)
		leave(m, c->left);
	offer(m, prev);
	if (x->head < x->end)
		offer(m, c->left);
	if (y->head < y->end)
		offer(m, right);
}

static void
make_nodes(struct near *m, size_t na, size_t nb)
{
	size_t i = 0, j = 0;

	while (i < na || j < nb) {
		bool is_b = i == na ||
		    (j < nb && m->b[j].at_ns < m->a[i].at_ns);
		const struct acl_point *p = is_b ? m->b : m->a;
		size_t *at = is_b ? &j : &i, n = is_b ? nb : na;
		struct node *x = &m->node[m->n_nodes];

		*x = (struct node){ p[*at].at_ns, is_b, *at, *at,
			m->n_nodes == 0 ? NONE : (uint32_t)m->n_nodes - 1,
			(uint32_t)m->n_nodes + 1 };
		while (*at < n && p[*at].at_ns == x->at_ns)
			(*at)++;
		x->end = *at;
		m->n_nodes++;
	}
	m->node[m->n_nodes - 1].next = NONE;
}

void
acl_near(struct acl_point *a, size_t na, struct acl_point *b, size_t nb,
    size_t *mate)
{
	struct near m = { .a = a, .b = b };

	for (size_t i = 0; i < na; i++)
		mate[i] = SIZE_MAX;
	if (na == 0 || nb == 0)
		return;
	qsort(a, na, sizeof *a, point_cmp);
	qsort(b, nb, sizeof *b, point_cmp);
	m.node = tl_xreallocarray(NULL, na + nb, sizeof *m.node);
	make_nodes(&m, na, nb);
	for (size_t i = 0; i < m.n_nodes; i++)
		offer(&m, (uint32_t)i);
	while (m.n_heap > 0) {
		struct couple c = pop(&m);

		take(&m, &c, mate);
	}
	free(m.node);
	free(m.heap);
}
