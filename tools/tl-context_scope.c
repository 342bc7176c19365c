#include <stdlib.h>

#include "tl-context.h"

/* Which calls lie in which markers. On a thread, markers are put in by their
 * start; a call that starts later is in those that end at its end or behind. So
 * a tree over the ends, by which the least and the greatest of all that end
 * late enough are found in a few steps, however markers lie. */

const struct ctx_scope ctx_nothing = { CTX_NONE, 0, CTX_NONE, 0, false };

struct range {
	int64_t start_ns, end_ns;
	uint32_t lane;
	struct ctx_scope in;
};

struct lane {
	size_t first, n;         /* ranges, by start */
	size_t next;             /* the next to be put in */
	size_t tree, n_ends;     /* of end[] and node[], ends ascending */
};

struct sweep {
	struct range *range;
	size_t n, cap;
	struct lane *lane;
	int64_t *end;
	struct ctx_scope *node;
};

void
ctx_scope_add(struct ctx_scope *s, const struct ctx_scope *t)
{
	if (t->min_step < s->min_step)
		s->min_step = t->min_step;
	if (t->max_step > s->max_step)
		s->max_step = t->max_step;
	if (t->min_exec < s->min_exec)
		s->min_exec = t->min_exec;
	if (t->max_exec > s->max_exec)
		s->max_exec = t->max_exec;
	s->direct |= t->direct;
}

static int
range_cmp(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static int
ns_cmp(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return a < b ? -1 : a > b;
}

/* Number of the lane's ends before ns. */
static size_t
ends_before(const struct sweep *s, const struct lane *l, int64_t ns)
{
	size_t lo = 0, hi = l->n_ends;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->end[l->tree + mid] < ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void
sweep_begin(struct sweep *s, size_t n_lanes)
{
	s->lane = tl_xcalloc(n_lanes, sizeof *s->lane);
	s->end = tl_xcalloc(s->n, sizeof *s->end);
	s->node = tl_xcalloc(s->n, sizeof *s->node);
	if (s->n > 1)
		qsort(s->range, s->n, sizeof *s->range, range_cmp);
	for (size_t i = 0; i < s->n; i++) {
		struct lane *l = &s->lane[s->range[i].lane];

		if (l->n++ == 0)
			l->first = l->next = l->tree = i;
		s->end[i] = s->range[i].end_ns;
		s->node[i] = ctx_nothing;
	}
	for (size_t i = 0; i < n_lanes; i++) {
		struct lane *l = &s->lane[i];

		l->n_ends = l->n;
		if (l->n > 1)
			qsort(s->end + l->tree, l->n, sizeof *s->end, ns_cmp);
	}
}

static void
sweep_end(struct sweep *s)
{
	free(s->lane);
	free(s->end);
	free(s->node);
}

/* A node i, from 1 with the last end first, has those of the i & -i ends up to
 * its own. */
static void
put_in(struct sweep *s, struct lane *l, const struct range *r)
{
	size_t i = l->n_ends - ends_before(s, l, r->end_ns);

	for (; i <= l->n_ends; i += i & (~i + 1))
		ctx_scope_add(&s->node[l->tree + i - 1], &r->in);
}

/* What holds an interval; those asked about of a lane come by start. */
static struct ctx_scope
holds(struct sweep *s, uint32_t lane, int64_t start_ns, int64_t end_ns)
{
	struct lane *l = &s->lane[lane];
	struct ctx_scope in = ctx_nothing;

	for (; l->next < l->first + l->n &&
	    s->range[l->next].start_ns <= start_ns; l->next++)
		put_in(s, l, &s->range[l->next]);
	for (size_t i = l->n_ends - ends_before(s, l, end_ns); i > 0;
	    i -= i & (~i + 1))
		ctx_scope_add(&in, &s->node[l->tree + i - 1]);
	return in;
}

static void
add_range(struct sweep *s, const struct range *r)
{
	s->range = tl_xgrow(s->range, s->n, &s->cap, sizeof *s->range);
	s->range[s->n++] = *r;
}

static void
judge(struct ctx *c, struct ctx_exec *e)
{
	if (e->step == CTX_NONE)
		e->state = EX_MISSING_STEP;
	else if (e->unavailable)
		e->state = EX_UNAVAILABLE;
	else if (e->n_ranges == 0)
		e->state = EX_NOT_FOUND;
	else if (e->n_ranges > 1)
		e->state = EX_AMBIGUOUS;
	else if (e->open)
		e->state = EX_OPEN;
	else
		e->state = EX_SUPPORTED;
	if (e->state == EX_SUPPORTED)
		c->step[e->step].n_markers++;
}

/* Ranges of markers. */
static void
add_markers(struct ctx *c, struct sweep *s)
{
	for (size_t i = 0; i < c->n_execs; i++) {
		struct ctx_exec *e = &c->exec[i];
		uint32_t no = (uint32_t)i;

		judge(c, e);
		if (e->state == EX_SUPPORTED)
			add_range(s, &(struct range){ e->start_ns, e->end_ns,
			    e->lane, { e->step, e->step, no, no, true } });
	}
}

/* ---- tasks handed to another thread ---- */

static int
task_cmp(const void *pa, const void *pb)
{
	const struct ctx_task *a = pa, *b = pb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->dequeue - b->dequeue;
}

/* Ranges of dequeues whose enqueue lies in a marker. */
static void
add_tasks(struct ctx *c, struct sweep *s)
{
	size_t n = c->n_tasks, end;

	sweep_begin(s, c->lanes.n);
	for (size_t i = 0; i < n; i++) {
		struct ctx_task *t = &c->task[i];

		if (!t->dequeue)
			t->in = holds(s, t->lane, t->start_ns, t->end_ns);
	}
	sweep_end(s);
	qsort(c->task, n, sizeof *c->task, task_cmp);
	for (size_t i = 0; i < n; i = end) {
		const struct ctx_task *t = &c->task[i];

		for (end = i + 1; end < n && c->task[end].id == t->id &&
		    c->task[end].process == t->process; end++)
			;
		if (end - i != 2 || t->dequeue || !t[1].dequeue ||
		    t->in.min_step == CTX_NONE)
			continue;
		add_range(s, &(struct range){ t[1].start_ns, t[1].end_ns,
		    t[1].lane, t->in });
		s->range[s->n - 1].in.direct = false;
	}
}

void
ctx_scopes(struct ctx *c)
{
	struct sweep s = { .n = 0 };

	add_markers(c, &s);
	if (c->n_tasks > 0)
		add_tasks(c, &s);
	sweep_begin(&s, c->lanes.n);
	for (size_t i = 0; i < c->n_calls; i++) {
		struct ctx_call *call = &c->call[i];

		call->in = call->open ? ctx_nothing : holds(&s, call->lane,
		    call->start_ns, call->end_ns);
	}
	sweep_end(&s);
	free(s.range);
}
