#include <stdlib.h>

#include "tl-recover.h"
#include "tl-recover_scope.h"

static int
call_cmp(const void *pa, const void *pb)
{
	const struct rec_call *a = pa, *b = pb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Sorts calls by process and correlation; several calls with one correlation
 * (runtime and driver) become the one that encloses them. */
void
rec_sort_calls(struct rec_capture *cap)
{
	size_t n = 0;
	bool sorted = true;

	for (size_t i = 1; i < cap->n_calls && sorted; i++)
		sorted = call_cmp(&cap->call[i - 1], &cap->call[i]) <= 0;
	if (!sorted)
		qsort(cap->call, cap->n_calls, sizeof *cap->call, call_cmp);
	for (size_t i = 0; i < cap->n_calls; i++) {
		struct rec_call *last = n > 0 ? &cap->call[n - 1] : NULL;

		if (last != NULL && last->process == cap->call[i].process &&
		    last->corr == cap->call[i].corr) {
			if (last->end_ns < cap->call[i].end_ns)
				last->end_ns = cap->call[i].end_ns;
			continue;
		}
		cap->call[n++] = cap->call[i];
	}
	cap->n_calls = n;
}

/* What an event is sorted by: its correlation, or, where it has none, that of
 * the event which started last before it. Stream order (start, longer first,
 * place) decides between equals. */
struct key {
	uint64_t corr;
	uint32_t placed; /* 1: behind those that have the correlation */
	uint32_t at;     /* index into scope->ev */
};

static int
key_cmp(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;

	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	if (a->placed != b->placed)
		return a->placed < b->placed ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Number of the graphs with a lesser correlation; graphs are sorted by it. */
static size_t
first_graph(const struct key *graph, size_t n, uint64_t corr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (graph[mid].corr < corr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A graph interval some member of which is there is a description of them: it
 * is dropped from structure and costs. */
static void
drop_described_graphs(struct rec_scope *s)
{
	struct key *graph = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < s->n; i++) {
		if ((s->ev[i].flags & (REC_GRAPH | REC_CORR)) !=
		    (REC_GRAPH | REC_CORR))
			continue;
		graph = tl_xgrow(graph, n, &cap, sizeof *graph);
		graph[n++] = (struct key){ s->ev[i].corr, 0, (uint32_t)i };
	}
	if (n > 0)
		qsort(graph, n, sizeof *graph, key_cmp);
	for (size_t i = 0; n > 0 && i < s->n; i++) {
		const struct rec_event *e = &s->ev[i];
		size_t g;

		if ((e->flags & (REC_GRAPH | REC_CORR)) != REC_CORR)
			continue;
		for (g = first_graph(graph, n, e->corr);
		    g < n && graph[g].corr == e->corr; g++)
			s->ev[graph[g].at].flags |= REC_GONE;
	}
	free(graph);
}

static uint32_t
launch_of(const struct rec_scope *s, size_t at)
{
	return s->member == NULL ? REC_NO_LAUNCH : s->member[at].launch;
}

/* The correlation that an event is launched by; false if it has none. */
static bool
corr_of(const struct rec_capture *cap, const struct rec_scope *s, size_t at,
    uint64_t *corr)
{
	uint32_t launch = launch_of(s, at);
	const struct rec_launch *l;

	*corr = s->ev[at].corr;
	if (launch == REC_NO_LAUNCH)
		return (s->ev[at].flags & REC_CORR) != 0;
	l = &cap->launch[launch];
	if (l->by == REC_BY_CALL)
		*corr = l->corr;
	return l->by == REC_BY_CALL || (l->by == REC_BY_MEMBERS &&
	    (s->ev[at].flags & REC_CORR) != 0);
}

/* Keys of the events that take part and of those in a replay. */
static struct key *
sorted_keys(const struct rec_capture *cap, struct rec_scope *s, bool by_start,
    size_t *n_keys)
{
	struct key *key = tl_xreallocarray(NULL, s->n, sizeof *key);
	uint64_t last = 0;
	size_t n = 0;
	bool sorted = true;

	s->n_placed = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct rec_event *e = &s->ev[i];
		uint64_t corr;
		bool has = corr_of(cap, s, i, &corr);

		if ((e->flags & (REC_PART | REC_GONE)) != REC_PART &&
		    launch_of(s, i) == REC_NO_LAUNCH)
			continue;
		if (has)
			last = corr;
		else
			s->n_placed++;
		key[n] = (struct key){ last, !has, (uint32_t)i };
		sorted &= n == 0 || key_cmp(&key[n - 1], &key[n]) < 0;
		n++;
	}
	if (!sorted && !by_start)
		qsort(key, n, sizeof *key, key_cmp);
	*n_keys = n;
	return key;
}

static const struct rec_call *
find_call(const struct rec_capture *cap, uint32_t process, uint64_t corr)
{
	size_t lo = 0, hi = cap->n_calls;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct rec_call *c = &cap->call[mid];

		if (c->process == process && c->corr == corr)
			return c;
		if (c->process < process ||
		    (c->process == process && c->corr < corr))
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Members of launches, by launch; those that take part first, lane by lane. */
struct mem {
	uint32_t launch, lane, index, at;
};

static int
mem_cmp(const void *pa, const void *pb)
{
	const struct mem *a = pa, *b = pb;

	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static struct mem *
sorted_members(const struct rec_scope *s, size_t *n_mem)
{
	struct mem *m = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < s->n && s->member != NULL; i++) {
		const struct rec_member *r = &s->member[i];

		if (r->launch == REC_NO_LAUNCH)
			continue;
		m = tl_xgrow(m, n, &cap, sizeof *m);
		m[n++] = (struct mem){ r->launch,
			s->ev[i].flags & REC_PART ? r->lane : UINT32_MAX,
			r->index, (uint32_t)i };
	}
	if (n > 0)
		qsort(m, n, sizeof *m, mem_cmp);
	*n_mem = n;
	return m;
}

static size_t
first_member(const struct mem *m, size_t n, uint32_t launch)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m[mid].launch < launch)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Makes items of the keys: each event one, each launch one, at its first. */
static void
make_items(const struct rec_capture *cap, struct rec_scope *s,
    const struct key *key, size_t n)
{
	size_t n_mem, items = 0;
	struct mem *m = sorted_members(s, &n_mem);
	bool *done = tl_xcalloc(cap->n_launches, sizeof *done);

	for (size_t i = 0; i < n; i++) {
		uint32_t launch = launch_of(s, key[i].at);

		if (launch != REC_NO_LAUNCH && done[launch])
			continue;
		s->item_first[items] = (uint32_t)s->n_order;
		s->item_launch[items] = launch;
		if (launch == REC_NO_LAUNCH) {
			s->item_sym[items++] = s->ev[key[i].at].sym;
			s->order[s->n_order++] = key[i].at;
			s->n_part++;
			continue;
		}
		s->item_sym[items++] = cap->sym_replay +
		    cap->launch[launch].unit;
		done[launch] = true;
		for (size_t k = first_member(m, n_mem, launch);
		    k < n_mem && m[k].launch == launch; k++) {
			s->order[s->n_order++] = m[k].at;
			s->n_part += m[k].lane != UINT32_MAX;
		}
	}
	s->item_first[items] = (uint32_t)s->n_order;
	s->n_items = items;
	free(done);
	free(m);
}

/* End of one call to the start of the next; negative if they overlap. */
static int64_t
gap_between(const struct rec_call *prev, const struct rec_call *c)
{
	/* a difference past 64 bits is no gap that a program makes */
	if (prev->end_ns < 0 ? c->start_ns > INT64_MAX + prev->end_ns :
	    c->start_ns <= INT64_MIN + prev->end_ns)
		return REC_GAP_NONE;
	return c->start_ns - prev->end_ns;
}

/* Host gaps, and the items before which a step begins: the first whose call is
 * not before the step's start. Only between neighbours that both have a call
 * of their own: what lies next to an unknown call is unknown. */
static void
host_evidence(const struct rec_capture *cap, struct rec_scope *s)
{
	const struct rec_call *prev = NULL;
	size_t step = 0;

	for (size_t i = 0; i < s->n_items; i++) {
		uint64_t corr;
		const struct rec_call *c = corr_of(cap, s,
		    s->order[s->item_first[i]], &corr) ?
		    find_call(cap, s->process, corr) : NULL;

		s->gap_ns[i] = prev != NULL && c != NULL && c != prev ?
		    gap_between(prev, c) : REC_GAP_NONE;
		prev = c;
		if (c == NULL)
			continue;
		for (; step < cap->n_steps &&
		    (cap->step[step].process != s->process ||
		    cap->step[step].at_ns <= c->start_ns); step++)
			if (cap->step[step].process == s->process)
				s->mark[i] = 1;
		s->n_marks += s->mark[i];
	}
}

void
rec_order(const struct rec_capture *cap, struct rec_scope *s, bool by_start)
{
	struct key *key;
	size_t n;

	drop_described_graphs(s);
	key = sorted_keys(cap, s, by_start, &n);
	s->order = tl_xreallocarray(NULL, n, sizeof *s->order);
	s->item_sym = tl_xreallocarray(NULL, n, sizeof *s->item_sym);
	s->item_first = tl_xreallocarray(NULL, n + 1, sizeof *s->item_first);
	s->item_launch = tl_xreallocarray(NULL, n, sizeof *s->item_launch);
	s->n_order = s->n_part = 0;
	make_items(cap, s, key, n);
	free(key);
	s->gap_ns = tl_xreallocarray(NULL, s->n_items, sizeof *s->gap_ns);
	s->mark = tl_xcalloc(s->n_items, sizeof *s->mark);
	host_evidence(cap, s);
}

void
rec_order_free(struct rec_scope *s)
{
	free(s->order);
	free(s->item_sym);
	free(s->item_first);
	free(s->item_launch);
	free(s->gap_ns);
	free(s->mark);
	s->order = s->item_sym = s->item_first = s->item_launch = NULL;
	s->gap_ns = NULL;
	s->mark = NULL;
}
