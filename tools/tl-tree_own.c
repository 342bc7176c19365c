#include <stdlib.h>

#include "evids.h"
#include "mem.h"
#include "num.h"
#include "tl-tree.h"

/* Whose each instant is: events are gathered while reading, then swept scope
 * by scope. The rule is in tl-tree(1), Folded. */

#define RANKS 4 /* compute, comm, copy, else */

#define OWN_CORR 1U  /* has a correlation that is a number */
#define OWN_GRAPH 2U
#define OWN_GONE 4U  /* an interval whose members are there */

struct own_event {
	int64_t start_ns, end_ns;
	uint64_t corr;
	uint32_t pos;   /* index into tree.pos, TREE_NO */
	uint32_t name;  /* in tree_own.name */
	uint32_t scope; /* in tree_own.scope */
	uint8_t rank, flags;
};

struct tree_own {
	struct own_event *ev; /* in the order of the stream */
	size_t n, cap;
	struct tl_evids ids;
	struct tl_intern name;
	struct tl_intern scope; /* "process TAB device" */
};

struct span {
	int64_t from, to;
};

/* Disjoint, in order; what touches is one. */
struct spans {
	struct span *at;
	size_t n, cap;
};

static uint8_t
rank_of(const struct tl_ev *ev)
{
	if (ev->kind == TL_GRAPH)
		return 3;
	return ev->cls == TL_COMPUTE ? 0 : ev->cls == TL_COMM ? 1 :
	    ev->cls == TL_COPY ? 2 : 3;
}

struct tree_own *
tree_xown_new(void)
{
	return tl_xcalloc(1, sizeof(struct tree_own));
}

void
tree_own_free(struct tree_own *o)
{
	if (o == NULL)
		return;
	free(o->ev);
	tl_evids_free(&o->ids);
	tl_intern_free(&o->name);
	tl_intern_free(&o->scope);
	free(o);
}

void
tree_xown_event(struct tree_own *o, const struct tl_evin *in,
    const struct tl_ev *ev)
{
	struct own_event e = {
		.start_ns = ev->start_ns, .end_ns = ev->start_ns + ev->dur_ns,
		.pos = TREE_NO, .rank = rank_of(ev),
	};
	struct tl_str scope = { ev->process.p,
		(size_t)(ev->device.p + ev->device.n - ev->process.p) };

	if (ev->kind == TL_SYNC || tl_key(ev->keys, "detail").p != NULL)
		return;
	if (o->n > 0 && ev->start_ns < o->ev[o->n - 1].start_ns)
		tl_die("%s:%llu: event %llu: starts before the one above",
		    in->in.name, (unsigned long long)in->in.line,
		    (unsigned long long)ev->id);
	if (o->n >= TREE_NO - 1)
		tl_die("%s: too many events", in->in.name);
	if (tl_num_str_u64(ev->correlation, &e.corr))
		e.flags |= OWN_CORR;
	if (ev->kind == TL_GRAPH)
		e.flags |= OWN_GRAPH;
	e.name = tl_xintern(&o->name, ev->name);
	e.scope = tl_xintern(&o->scope, scope);
	o->ev = tl_xgrow(o->ev, o->n, &o->cap, sizeof *o->ev);
	o->ev[o->n++] = e;
	tl_xevids_add(&o->ids, ev->id);
}

bool
tree_own_place(struct tree_own *o, uint64_t id, uint32_t pos)
{
	size_t i = tl_evids_find(&o->ids, id);

	if (i == TL_NO_EVENT)
		return false;
	o->ev[i].pos = pos;
	return true;
}

static int
by_corr(const void *a, const void *b)
{
	const struct own_event *const *x = a, *const *y = b;

	return (*x)->corr < (*y)->corr ? -1 : (*x)->corr > (*y)->corr;
}

/* Intervals of graphs with whose correlation other events of the device are
 * recorded: those count, not the interval. */
static void
drop_graphs(struct own_event **ev, size_t n)
{
	struct own_event **graph = NULL;
	size_t k = 0, cap = 0;

	for (size_t i = 0; i < n; i++) {
		if (ev[i]->flags != (OWN_GRAPH | OWN_CORR))
			continue;
		graph = tl_xgrow(graph, k, &cap, sizeof *graph);
		graph[k++] = ev[i];
	}
	if (k > 0)
		qsort(graph, k, sizeof *graph, by_corr);
	for (size_t i = 0; k > 0 && i < n; i++) {
		size_t lo = 0, hi = k;

		if (ev[i]->flags != OWN_CORR)
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (graph[mid]->corr < ev[i]->corr)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < k && graph[lo]->corr == ev[i]->corr; lo++)
			graph[lo]->flags |= OWN_GONE;
	}
	free(graph);
}

/* Adds an interval, which starts no earlier than those before it. */
static void
add(struct spans *s, int64_t from, int64_t to)
{
	if (s->n > 0 && s->at[s->n - 1].to >= from) {
		if (s->at[s->n - 1].to < to)
			s->at[s->n - 1].to = to;
		return;
	}
	s->at = tl_xgrow(s->at, s->n, &s->cap, sizeof *s->at);
	s->at[s->n++] = (struct span){ from, to };
}

/* Length of the part of an interval that no span covers. *at is the first span
 * that ends behind the last interval's start, and moves on. */
static uint64_t
uncovered(const struct spans *s, size_t *at, int64_t from, int64_t to)
{
	uint64_t ns = 0;

	while (*at < s->n && s->at[*at].to <= from)
		++*at;
	for (size_t i = *at; i < s->n && s->at[i].from < to && from < to; i++) {
		if (s->at[i].from > from)
			ns += (uint64_t)s->at[i].from - (uint64_t)from;
		from = s->at[i].to;
	}
	return from < to ? ns + ((uint64_t)to - (uint64_t)from) : ns;
}

/* One rank: of its own events each instant is the first one's, and all instants
 * that are above's are not theirs. Answers what is taken with them. */
static struct spans
sweep(struct own_event **ev, size_t n, uint8_t rank, struct spans above,
    tree_own_fn *fn, void *arg)
{
	struct spans all = { NULL, 0, 0 };
	size_t at = 0, merged = 0;
	int64_t covered = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		int64_t from = ev[i]->start_ns, to = ev[i]->end_ns;
		uint64_t ns;

		if (ev[i]->rank != rank || (ev[i]->flags & OWN_GONE))
			continue;
		from = from < covered ? covered : from;
		if (from >= to)
			continue;
		covered = to;
		for (; merged < above.n && above.at[merged].from <= from;
		    merged++)
			add(&all, above.at[merged].from, above.at[merged].to);
		add(&all, from, to);
		ns = uncovered(&above, &at, from, to);
		if (ns > 0)
			fn(arg, ev[i]->pos, ev[i]->name, ns);
	}
	for (; merged < above.n; merged++)
		add(&all, above.at[merged].from, above.at[merged].to);
	free(above.at);
	return all;
}

/* Events by scope, each scope's in the order of the stream. */
static struct own_event **
by_scope(struct tree_own *o, size_t *first)
{
	struct own_event **ev = tl_xreallocarray(NULL, o->n, sizeof *ev);

	for (size_t i = 0; i < o->n; i++)
		first[o->ev[i].scope + 1]++;
	for (size_t s = 0; s < o->scope.n; s++)
		first[s + 1] += first[s];
	for (size_t i = 0; i < o->n; i++)
		ev[first[o->ev[i].scope]++] = &o->ev[i];
	for (size_t s = o->scope.n; s > 0; s--)
		first[s] = first[s - 1];
	first[0] = 0;
	return ev;
}

void
tree_xown_each(struct tree_own *o, tree_own_fn *fn, tree_own_end_fn *end,
    void *arg)
{
	size_t *first = tl_xcalloc(o->scope.n + 2, sizeof *first);
	struct own_event **ev = by_scope(o, first);

	for (uint32_t s = 0; s < o->scope.n; s++) {
		size_t n = first[s + 1] - first[s];
		struct spans taken = { NULL, 0, 0 };
		struct tl_str key;
		const char *tab;

		drop_graphs(ev + first[s], n);
		for (uint8_t r = 0; r < RANKS; r++)
			taken = sweep(ev + first[s], n, r, taken, fn, arg);
		free(taken.at);
		key = tl_intern_str(&o->scope, s);
		tab = memchr(key.p, '\t', key.n);
		end(arg, (struct tl_str){ key.p, (size_t)(tab - key.p) },
		    (struct tl_str){ tab + 1,
		    (size_t)(key.p + key.n - tab) - 1 });
	}
	free(ev);
	free(first);
}

struct tl_str
tree_own_name(const struct tree_own *o, uint32_t name)
{
	return tl_intern_str(&o->name, name);
}
