#include <stdlib.h>

#include "tl-replay.h"

/* By start, those before that enclose others, then in the order of a stream. */
static int
time_cmp(const struct rep_call *a, const struct rep_call *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* By owner and correlation, then by time. */
static int
call_cmp(const void *pa, const void *pb)
{
	const struct rep_call *a = pa, *b = pb;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return time_cmp(a, b);
}

/* Calls with one correlation of which one goes on while the next begins (the
 * runtime's and the driver's, a call recorded twice) become the first of them:
 * what one of them is by its name, they all are. Calls apart are others. */
static void
merge_calls(struct rep_capture *cap)
{
	size_t n = 0;

	for (size_t i = 0; i < cap->n_calls; i++) {
		struct rep_call *c = &cap->call[i];
		struct rep_call *last = n > 0 ? &cap->call[n - 1] : NULL;

		if (last == NULL || c->untied || last->owner != c->owner ||
		    last->corr != c->corr || c->start_ns > last->end_ns) {
			cap->call[n++] = *c;
			continue;
		}
		last->is_launch |= c->is_launch;
		last->is_graph |= c->is_graph;
		last->is_capture |= c->is_capture;
		last->is_execute |= c->is_execute;
		last->failed |= c->failed;
		if (last->lane == REP_NONE)
			last->lane = c->lane;
		if (last->end_ns < c->end_ns)
			last->end_ns = c->end_ns;
	}
	cap->n_calls = n;
}

/* By thread, then by time. */
static int
nest_cmp(const void *pa, const void *pb)
{
	const struct rep_call *a = *(const struct rep_call *const *)pa;
	const struct rep_call *b = *(const struct rep_call *const *)pb;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return time_cmp(a, b);
}

/* A launch that is called within a launch, on its thread: the driver's within
 * the runtime's, where each has a correlation of its own. */
static void
nest_calls(struct rep_capture *cap)
{
	struct rep_call **launch, *outer = NULL;
	size_t n = 0;

	launch = tl_xreallocarray(NULL, cap->n_calls, sizeof *launch);
	for (size_t i = 0; i < cap->n_calls; i++)
		if (cap->call[i].is_launch)
			launch[n++] = &cap->call[i];
	if (n > 0)
		qsort(launch, n, sizeof *launch, nest_cmp);
	for (size_t i = 0; i < n; i++) {
		struct rep_call *c = launch[i];

		if (outer != NULL && outer->lane == c->lane &&
		    c->end_ns <= outer->end_ns && c->start_ns < outer->end_ns)
			c->outer = (uint32_t)(outer - cap->call);
		else
			outer = c;
	}
	free(launch);
}

/* Correlations that several calls had, one after the other. */
static uint64_t
count_reused(const struct rep_capture *cap)
{
	uint64_t reused = 0;

	for (size_t i = 0, j; i < cap->n_calls; i = j) {
		const struct rep_call *c = &cap->call[i];
		bool launch = false;

		for (j = i; j < cap->n_calls && cap->call[j].owner ==
		    c->owner && cap->call[j].corr == c->corr; j++)
			launch |= cap->call[j].is_launch != 0;
		reused += j - i > 1 && launch && !c->untied;
	}
	return reused;
}

void
rep_calls(struct rep_capture *cap)
{
	if (cap->n_calls > 0)
		qsort(cap->call, cap->n_calls, sizeof *cap->call, call_cmp);
	merge_calls(cap);
	nest_calls(cap);
	cap->counts.reused = count_reused(cap);
	for (size_t i = 0; i < cap->n_calls; i++) {
		cap->counts.captures += cap->call[i].is_capture;
		cap->counts.untied_calls += cap->call[i].untied &&
		    cap->call[i].is_launch;
	}
}
