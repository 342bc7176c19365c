#include <stdlib.h>

#include "tl-context.h"

/* The calls of a process with one correlation. Those that lie within each
 * other, or of which one goes on while the next begins, are one. */
struct group {
	uint64_t corr;
	uint32_t process;
	uint32_t call; /* the first; CTX_NONE if several lie apart */
	struct ctx_scope in;
	bool outside;  /* one is in no marker */
};

struct groups {
	struct group *g;
	size_t n;
};

struct key {
	uint64_t corr;
	uint32_t process, call;
};

static int
key_cmp(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return a->call < b->call ? -1 : a->call > b->call;
}

static struct key *
sorted_calls(const struct ctx *c, size_t *n_keys)
{
	struct key *key = tl_xreallocarray(NULL, c->n_calls, sizeof *key);
	bool sorted = true;
	size_t n = 0;

	for (size_t i = 0; i < c->n_calls; i++) {
		if (!c->call[i].has_corr)
			continue;
		key[n] = (struct key){ c->call[i].corr, c->call[i].process,
			(uint32_t)i };
		sorted &= n == 0 || key_cmp(&key[n - 1], &key[n]) < 0;
		n++;
	}
	if (!sorted)
		qsort(key, n, sizeof *key, key_cmp);
	*n_keys = n;
	return key;
}

/* Calls come by start, longer first, so that an outer one is before an inner
 * one. */
static struct groups
group_calls(const struct ctx *c)
{
	struct groups gs = { .n = 0 };
	size_t n, cap = 0;
	struct key *key = sorted_calls(c, &n);
	int64_t end_ns = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ctx_call *call = &c->call[key[i].call];
		struct group *g = gs.n > 0 ? &gs.g[gs.n - 1] : NULL;
		bool same = g != NULL && g->corr == key[i].corr &&
		    g->process == key[i].process;

		if (same && call->start_ns < end_ns) {
			if (end_ns < call->end_ns)
				end_ns = call->end_ns;
			continue;
		}
		end_ns = call->end_ns;
		if (!same) {
			gs.g = tl_xgrow(gs.g, gs.n, &cap, sizeof *gs.g);
			g = &gs.g[gs.n++];
			*g = (struct group){ key[i].corr, key[i].process,
				key[i].call, ctx_nothing, false };
		} else {
			g->call = CTX_NONE;
		}
		ctx_scope_add(&g->in, &call->in);
		g->outside |= call->in.min_step == CTX_NONE;
	}
	free(key);
	return gs;
}

static const struct group *
find_group(const struct groups *gs, uint32_t process, uint64_t corr)
{
	size_t lo = 0, hi = gs->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct group *g = &gs->g[mid];

		if (g->process == process && g->corr == corr)
			return g;
		if (g->process < process ||
		    (g->process == process && g->corr < corr))
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* What one source says of an event. */
struct answer {
	enum ctx_basis basis;
	uint32_t step, exec, call;
};

static struct answer
say(const struct ctx_scope *in, bool outside, uint32_t call)
{
	struct answer a = { B_CALL, CTX_NONE, CTX_NONE, call };

	if (in->min_step == CTX_NONE) {
		a.basis = B_OUTSIDE;
	} else if (in->min_step != in->max_step || outside) {
		a.basis = call == CTX_NONE ? B_CALLS : B_STEPS;
	} else {
		a.step = in->min_step;
		if (in->min_exec == in->max_exec)
			a.exec = in->min_exec;
	}
	return a;
}

static struct answer
by_correlation(const struct groups *gs, const struct ctx_event *e)
{
	struct answer none = { B_NO_CORRELATION, CTX_NONE, CTX_NONE, CTX_NONE };
	const struct group *g;

	if (!e->has_corr)
		return none;
	g = find_group(gs, e->process, e->corr);
	if (g == NULL) {
		none.basis = B_NO_CALL;
		return none;
	}
	return say(&g->in, g->outside, g->call);
}

static uint32_t
find_call(const struct ctx *c, uint64_t id)
{
	size_t lo = 0, hi = c->n_calls;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->call[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_calls && c->call[lo].id == id ? (uint32_t)lo :
	    CTX_NONE;
}

/* The call of a launch says where its members are; what their own correlation
 * says must not be something else. */
static struct answer
by_launch(const struct ctx *c, const struct ctx_event *e, struct answer own)
{
	uint64_t id = c->launch[e->launch].call;
	uint32_t call = id == 0 ? CTX_NONE : find_call(c, id);
	struct answer a;

	if (call == CTX_NONE)
		return own;
	a = say(&c->call[call].in, false, call);
	if (own.basis != B_NO_CALL && own.basis != B_NO_CORRELATION &&
	    (own.step != a.step || own.basis != a.basis)) {
		a.basis = B_CONFLICT;
		a.step = a.exec = CTX_NONE;
	}
	if (a.basis == B_CALL)
		a.basis = B_REPLAY;
	return a;
}

static void
count(struct ctx *c, const struct ctx_event *e)
{
	if (e->step != CTX_NONE)
		c->step[e->step].n_events++;
	if (e->exec != CTX_NONE)
		c->exec[e->exec].n_events++;
}

void
ctx_link(struct ctx *c)
{
	struct groups gs = group_calls(c);

	for (size_t i = 0; i < c->n_calls; i++) {
		const struct ctx_scope *in = &c->call[i].in;

		if (in->min_step != CTX_NONE && in->min_step == in->max_step &&
		    in->min_exec == in->max_exec)
			c->exec[in->min_exec].n_calls++;
	}
	for (size_t i = 0; i < c->n_events; i++) {
		struct ctx_event *e = &c->event[i];
		struct answer a = by_correlation(&gs, e);

		if (e->launch != CTX_NONE)
			a = by_launch(c, e, a);
		e->basis = (uint8_t)a.basis;
		e->step = a.step;
		e->exec = a.exec;
		e->call = a.call;
		count(c, e);
	}
	free(gs.g);
}
