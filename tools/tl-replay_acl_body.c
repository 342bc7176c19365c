#include <stdlib.h>

#include "tl-replay_acl.h"

/* ---- windows: from when to when a graph ran ---- */

/* For sorting. */
struct window {
	uint32_t graph, device;
	int64_t start_ns;
	size_t launch;
};

static int
window_cmp(const void *pa, const void *pb)
{
	const struct window *a = pa, *b = pb;

	if (a->graph != b->graph)
		return a->graph < b->graph ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* A graph runs on its streams, and so not twice at a time: if two launches of
 * it do one of them is told wrong. */
static void
refuse_overlaps(struct rep_acl *acl, const struct window *w, size_t n)
{
	size_t longest = 0;

	for (size_t i = 1; i < n; i++) {
		struct rep_acl_launch *a, *b = &acl->launch[w[i].launch];

		if (w[i].graph != w[longest].graph ||
		    w[i].device != w[longest].device) {
			longest = i;
			continue;
		}
		a = &acl->launch[w[longest].launch];
		if (b->start_ns < a->busy_ns)
			a->refusal = b->refusal = REP_ACL_OVERLAP;
		if (b->busy_ns > a->busy_ns)
			longest = i;
	}
}

/* The end of a wait or a record may be told some time after the graph's: what
 * begins from the next launch on is that one's. */
static void
cut_tail(struct rep_acl *acl, const struct window *w, size_t n, size_t at)
{
	struct rep_acl_launch *a = &acl->launch[w[at].launch];
	const struct window key = { w[at].graph, w[at].device, a->busy_ns, 0 };
	size_t lo = at + 1, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (window_cmp(&w[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < n && w[lo].graph == key.graph && w[lo].device == key.device &&
	    w[lo].start_ns < a->end_ns)
		a->end_ns = w[lo].start_ns;
}

static void
make_windows(struct rep_capture *cap)
{
	struct rep_acl *acl = cap->acl;
	struct window *w = tl_xreallocarray(NULL, acl->execute.n, sizeof *w);
	size_t n = 0, i = 0;

	for (size_t k = 0; k < acl->execute.n; k++) {
		const struct rep_acl_launch *l = &acl->launch[k];

		if (l->refusal == REP_ACL_WHOLE)
			w[n++] = (struct window){ l->graph,
				cap->lane[l->lane].device_no, l->start_ns, k };
	}
	if (n > 0)
		qsort(w, n, sizeof *w, window_cmp);
	refuse_overlaps(acl, w, n);
	for (size_t k = 0; k < n; k++)
		cut_tail(acl, w, n, k);
	acl->n_windows = n;
	acl->window = tl_xreallocarray(NULL, n, sizeof *acl->window);
	acl->first_window = tl_xreallocarray(NULL, acl->graphs.n + 1,
	    sizeof *acl->first_window);
	for (size_t g = 0; g <= acl->graphs.n; g++) {
		while (i < n && w[i].graph < g)
			i++;
		acl->first_window[g] = i;
	}
	for (size_t k = 0; k < n; k++)
		acl->window[k] = w[k].launch;
	free(w);
}

/* ---- what lies in them ---- */

/* Work on a stream: a member or not. */
struct item {
	int64_t start_ns, end_ns;
	uint32_t lane, model;
};

static bool
holds(const struct rep_capture *cap, size_t window, uint32_t device,
    const struct item *t)
{
	const struct rep_acl_launch *l =
	    &cap->acl->launch[cap->acl->window[window]];

	return cap->lane[l->lane].device_no == device &&
	    l->start_ns <= t->start_ns && l->end_ns >= t->end_ns;
}

/* The launch of a graph that t lies in, or SIZE_MAX. Of two of which one ends
 * where the other begins it is the first. */
static size_t
window_of(const struct rep_capture *cap, uint32_t graph, const struct item *t)
{
	const struct rep_acl *acl = cap->acl;
	uint32_t device = cap->lane[t->lane].device_no;
	size_t first = acl->first_window[graph], lo = first;
	size_t hi = acl->first_window[graph + 1];

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct rep_acl_launch *l =
		    &acl->launch[acl->window[mid]];
		uint32_t d = cap->lane[l->lane].device_no;

		if (d < device || (d == device && l->start_ns <= t->start_ns))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > first + 1 && holds(cap, lo - 2, device, t))
		return acl->window[lo - 2];
	if (lo > first && holds(cap, lo - 1, device, t))
		return acl->window[lo - 1];
	return SIZE_MAX;
}

/* The launch that t lies in, or SIZE_MAX. If it lies in several, nothing tells
 * whose it is, and none of them is told. */
static size_t
launch_of(const struct rep_capture *cap, const struct item *t)
{
	struct rep_acl *acl = cap->acl;
	uint32_t stream = cap->lane[t->lane].stream;
	size_t from = acl->first_owner[stream];
	size_t to = acl->first_owner[stream + 1], found = SIZE_MAX;

	if (t->model == ACL_OTHER_MODEL)
		return SIZE_MAX;
	if (t->model != ACL_NO_MODEL)
		return acl_is_owner(acl, stream, t->model) ?
		    window_of(cap, t->model, t) : SIZE_MAX;
	if (to - from > ACL_OWNERS) {
		acl->crowded[stream] = true;
		return SIZE_MAX;
	}
	for (size_t i = from; i < to; i++) {
		size_t at = window_of(cap, acl->owner[i].graph, t);

		if (at != SIZE_MAX && found != SIZE_MAX)
			acl->launch[at].refusal = acl->launch[found].refusal =
			    REP_ACL_SHARED;
		if (at != SIZE_MAX)
			found = at;
	}
	return found;
}

/* Members of launches that are not refused get a correlation of their own, by
 * which they come together, and the id of their graph. */
static void
mark_members(struct rep_capture *cap, const uint32_t *at)
{
	struct rep_acl *acl = cap->acl;

	for (size_t i = 0; i < cap->n_events; i++) {
		struct rep_acl_launch *l;
		struct rep_event *e = &cap->event[i];

		if (at[i] == REP_NONE)
			continue;
		l = &acl->launch[at[i]];
		if (l->refusal != REP_ACL_WHOLE)
			continue;
		if (l->graph_text == 0)
			l->graph_text = 1 + tl_xintern(&cap->text,
			    tl_intern_str(&acl->graphs, l->graph));
		l->n_members++;
		e->corr = REP_CORR_ACL | at[i];
		e->graph = l->graph_text - 1;
	}
}

/* Which launch each event lies in: by event, REP_NONE if in none. */
static uint32_t *
look_at_members(struct rep_capture *cap)
{
	uint32_t *at = tl_xreallocarray(NULL, cap->n_events, sizeof *at);

	for (size_t i = 0; i < cap->n_events; i++) {
		const struct rep_event *e = &cap->event[i];
		struct item t = { e->start_ns, e->end_ns, e->lane, e->model };
		size_t l = e->is_body ? launch_of(cap, &t) : SIZE_MAX;

		at[i] = l == SIZE_MAX ? REP_NONE : (uint32_t)l;
	}
	return at;
}

/* Graphs with a stream on which it was not looked whose work is whose. */
static void
refuse_crowded(struct rep_acl *acl)
{
	bool *graph = tl_xcalloc(acl->graphs.n, sizeof *graph);

	for (size_t i = 0; i < acl->n_owners; i++)
		graph[acl->owner[i].graph] |=
		    acl->crowded[acl->owner[i].stream];
	for (size_t i = 0; i < acl->n_windows; i++) {
		struct rep_acl_launch *l = &acl->launch[acl->window[i]];

		if (graph[l->graph])
			l->refusal = REP_ACL_SHARED;
	}
	free(graph);
}

/* Work that is not known for what it is may be a member. */
static void
look_at_work(struct rep_capture *cap)
{
	struct rep_acl *acl = cap->acl;

	for (size_t i = 0; i < acl->n_work; i++) {
		const struct acl_work *w = &acl->work[i];
		struct item t = { w->start_ns, w->end_ns, w->lane, w->model };
		size_t l;

		if (w->record != REP_NONE && acl->record.v[w->record].taken)
			continue;
		l = launch_of(cap, &t);
		if (l != SIZE_MAX && acl->launch[l].refusal == REP_ACL_WHOLE)
			acl->launch[l].refusal = REP_ACL_NO_NAMES;
	}
}

void
acl_bodies(struct rep_capture *cap)
{
	struct rep_acl *acl = cap->acl;
	uint32_t *at;

	make_windows(cap);
	acl->crowded = tl_xcalloc(acl->streams.n, sizeof *acl->crowded);
	at = look_at_members(cap);
	look_at_work(cap);
	refuse_crowded(acl);
	mark_members(cap, at);
	free(at);
	for (size_t i = 0; i < acl->execute.n; i++)
		if (acl->launch[i].refusal == REP_ACL_WHOLE &&
		    acl->launch[i].n_members == 0)
			acl->launch[i].refusal = REP_ACL_NO_BODY;
}
