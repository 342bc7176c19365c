#include <stdlib.h>

#include "tl-replay.h"

/* ---- order ---- */

struct key {
	uint64_t corr;
	uint32_t owner, at;
};

static int
key_cmp(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Events whose process is not known may be of several, which have devices of
 * their own mostly. */
static void
find_owners(struct rep_capture *cap)
{
	uint32_t dot = tl_intern_find(&cap->text, TL_LIT("."));
	size_t n = cap->lanes.n;
	bool calls = false;

	for (size_t i = 0; i < cap->n_calls && !calls; i++)
		calls = cap->call[i].owner == dot;
	for (size_t i = 0; i < n && !calls; i++) {
		struct rep_lane *l = &cap->lane[i];
		struct tl_str device = tl_intern_str(&cap->text, l->device);
		char *name;

		if (l->process != dot)
			continue;
		name = tl_xmalloc(device.n + 1);
		name[0] = '\t';
		memcpy(name + 1, device.p, device.n);
		l->owner = tl_xintern(&cap->text,
		    (struct tl_str){ name, device.n + 1 });
		free(name);
	}
}

/* By owner, correlation and place in the stream. */
static void
sort_events(struct rep_capture *cap)
{
	struct rep_event *e = cap->event;
	struct key *key = tl_xreallocarray(NULL, cap->n_events, sizeof *key);

	for (size_t i = 0; i < cap->n_events; i++)
		key[i] = (struct key){ e[i].corr, cap->lane[e[i].lane].owner,
			e[i].at };
	if (cap->n_events > 0)
		qsort(key, cap->n_events, sizeof *key, key_cmp);
	for (size_t i = 0; i < cap->n_events; i++) {
		struct rep_event first = e[i];
		size_t j = i, from;

		/* key[j].at is where what belongs at j stands */
		while ((from = key[j].at) != i) {
			e[j] = e[from];
			key[j].at = (uint32_t)j;
			j = from;
		}
		e[j] = first;
		key[j].at = (uint32_t)j;
	}
	free(key);
}

/* ---- groups ---- */

/* Events with one correlation, of one call where there were several. */
struct group {
	size_t first, end;
	size_t n_kernels, n_intervals;
	struct rep_call *call;
	bool has_id, untied;
};

struct walk {
	size_t at;    /* next event */
	size_t call, call_end; /* calls with its owner and correlation */
	size_t end;   /* of the events with its owner and correlation */
	uint64_t none; /* correlation of those that have none */
};

static bool
before(const struct rep_call *c, uint32_t owner, uint64_t corr)
{
	return c->owner < owner || (c->owner == owner && c->corr < corr);
}

static bool
is_of(const struct rep_call *c, uint32_t owner, uint64_t corr)
{
	return c->owner == owner && c->corr == corr;
}

/* The next correlation: its events and its calls. */
static void
next_corr(const struct rep_capture *cap, struct walk *w)
{
	const struct rep_event *e = &cap->event[w->at];
	uint32_t owner = cap->lane[e->lane].owner;

	for (w->end = w->at; w->end < cap->n_events &&
	    cap->event[w->end].corr == e->corr &&
	    cap->lane[cap->event[w->end].lane].owner == owner; w->end++)
		continue;
	w->call = w->call_end;
	while (w->call < cap->n_calls &&
	    before(&cap->call[w->call], owner, e->corr))
		w->call++;
	w->call_end = w->call;
	while (w->call_end < cap->n_calls &&
	    is_of(&cap->call[w->call_end], owner, e->corr))
		w->call_end++;
}

static bool
next_group(struct rep_capture *cap, struct walk *w, struct group *g)
{
	if (w->at == cap->n_events)
		return false;
	if (w->at == w->end)
		next_corr(cap, w);
	*g = (struct group){ .first = w->at,
		.untied = cap->event[w->at].corr == w->none };
	/* an event is of the last call that began before it */
	while (w->call + 1 < w->call_end && !g->untied &&
	    cap->call[w->call + 1].start_ns <= cap->event[w->at].start_ns)
		w->call++;
	if (w->call < w->call_end && !g->untied)
		g->call = &cap->call[w->call];
	for (; w->at < w->end; w->at++) {
		const struct rep_event *e = &cap->event[w->at];

		if (g->untied ? w->at > g->first : w->call + 1 < w->call_end &&
		    cap->call[w->call + 1].start_ns <= e->start_ns)
			break;
		g->n_kernels += e->is_kernel;
		g->n_intervals += e->is_graph;
		g->has_id |= !e->is_graph &&
		    (e->graph != REP_NONE || e->node != REP_NONE);
	}
	g->end = w->at;
	return true;
}

/* How a group's events lie on their streams. */
struct lie {
	bool scattered; /* other work is between them */
	bool late;      /* right behind work that was launched later */
};

static struct lie
lie_of(struct rep_capture *cap, const struct group *g)
{
	struct lie lie = { .scattered = false };
	size_t round = ++cap->round;

	for (size_t i = g->first; i < g->end; i++) {
		const struct rep_event *e = &cap->event[i];
		struct rep_lane *l = &cap->lane[e->lane];

		if (e->is_graph || e->follows == REP_FOLLOWS)
			continue;
		/* on each stream they should begin once */
		lie.scattered |= l->round == round;
		lie.late |= e->follows == REP_GOES_BACK;
		l->round = round;
	}
	return lie;
}

/* Whether it is the members of a launch on an Ascend device. */
static bool
is_acl(const struct rep_capture *cap, const struct group *g)
{
	return cap->event[g->first].corr >= REP_CORR_ACL;
}

/* How a group is known to be a launch; false if it is none. known: the capture
 * has a launch with members that is known without this. */
static bool
judge(struct rep_capture *cap, const struct group *g, bool known,
    enum rep_evidence *by)
{
	size_t n = g->end - g->first - g->n_intervals;
	struct lie lie;

	*by = REP_BY_ID;
	if (g->has_id)
		return true;
	if (g->call != NULL) {
		*by = REP_BY_CALL;
		if (g->call->is_launch && n > 0)
			return true;
		if (g->call->is_graph && g->n_kernels > 0)
			return true;
	}
	*by = REP_BY_INTERVAL;
	if (g->n_intervals > 0)
		return n > 0;
	*by = REP_BY_SHARE;
	if (!known || g->call != NULL || g->n_kernels < 2)
		return false;
	lie = lie_of(cap, g);
	return !lie.scattered && !lie.late;
}

static struct walk
begin(const struct rep_capture *cap)
{
	uint32_t dot = tl_intern_find(&cap->text, TL_LIT("."));

	return (struct walk){ .none = REP_CORR_TEXT | dot };
}

/* Whether some launch has members for sure; and which calls have events. */
static bool
look(struct rep_capture *cap)
{
	struct walk w = begin(cap);
	struct group g;
	enum rep_evidence by;
	bool known = false;

	while (next_group(cap, &w, &g)) {
		known |= !is_acl(cap, &g) && judge(cap, &g, false, &by);
		if (g.call != NULL)
			g.call->has_events = 1;
	}
	return known;
}

/* ---- launches ---- */

static struct rep_launch *
add_launch(struct rep_capture *cap)
{
	cap->launch = tl_xgrow(cap->launch, cap->n_launches,
	    &cap->launches_cap, sizeof *cap->launch);
	cap->launch[cap->n_launches] = (struct rep_launch){
		.unit = REP_NONE
	};
	return &cap->launch[cap->n_launches++];
}

/* Intervals move to the end of the group; all keep their order. */
static void
part_intervals(struct rep_event *e, size_t n, size_t n_intervals)
{
	struct rep_event *last = tl_xreallocarray(NULL, n_intervals,
	    sizeof *last);
	size_t m = 0, k = 0;

	for (size_t i = 0; i < n; i++) {
		if (e[i].is_graph)
			last[k++] = e[i];
		else
			e[m++] = e[i];
	}
	memcpy(e + m, last, k * sizeof *last);
	free(last);
}

/* The launch a call is part of; only[] has how many with events each holds. */
static const struct rep_call *
outermost(const struct rep_capture *cap, const struct rep_call *c,
    const uint32_t *only)
{
	if (c == NULL || c->outer == REP_NONE ||
	    cap->call[c->outer].has_events || only[c->outer] != 1)
		return c;
	return &cap->call[c->outer];
}

static void
leave_alone(struct rep_capture *cap, const struct group *g, size_t *most)
{
	if (g->n_kernels < 2)
		return;
	cap->counts.shared++;
	if (g->n_kernels > *most && g->call != NULL) {
		*most = g->n_kernels;
		cap->counts.shared_call = g->call->id;
	}
}

/* A launch on an Ascend device, with its members if it has some. */
static void
add_acl(struct rep_capture *cap, const struct rep_acl_launch *acl,
    const struct group *g)
{
	struct rep_launch *l = add_launch(cap);

	l->acl = acl;
	l->call = acl->call;
	if (g != NULL) {
		l->first = g->first;
		l->n = g->end - g->first;
		l->evidence = REP_BY_ID;
	} else {
		l->status = acl->refusal == REP_ACL_NO_BODY ? REP_EMPTY :
		    REP_OPAQUE;
	}
}

static void
take_groups(struct rep_capture *cap, bool known, const uint32_t *only)
{
	struct walk w = begin(cap);
	struct group g;
	enum rep_evidence by;
	const struct rep_acl_launch *acl;
	size_t most = 0;

	(void)rep_acl_launches(cap, &acl);
	while (next_group(cap, &w, &g)) {
		bool members = judge(cap, &g, known, &by);
		size_t n = g.end - g.first - g.n_intervals;
		struct rep_launch *l;

		if (is_acl(cap, &g)) {
			add_acl(cap, &acl[cap->event[g.first].corr &
			    UINT32_MAX], &g);
			continue;
		}
		if (!members && g.n_intervals == 0) {
			leave_alone(cap, &g, &most);
			continue;
		}
		cap->counts.scattered += members &&
		    lie_of(cap, &g).scattered;
		if (g.n_intervals > 0)
			part_intervals(cap->event + g.first, g.end - g.first,
			    g.n_intervals);
		l = add_launch(cap);
		l->call = outermost(cap, g.call, only);
		l->evidence = by;
		l->n_intervals = (uint32_t)g.n_intervals;
		if (g.n_intervals > 0)
			l->interval = &cap->event[g.first + n];
		if (members) {
			l->first = g.first;
			l->n = n;
		} else {
			l->status = REP_OPAQUE;
		}
	}
}

static void
add_acl_without(struct rep_capture *cap)
{
	const struct rep_acl_launch *acl;
	size_t n = rep_acl_launches(cap, &acl);

	for (size_t i = 0; i < n; i++)
		if (acl[i].n_members == 0)
			add_acl(cap, &acl[i], NULL);
}

/* Calls that launch a graph and have no event at all, nor has one within. */
static void
add_empty(struct rep_capture *cap, const uint32_t *only)
{
	for (size_t i = 0; i < cap->n_calls; i++) {
		const struct rep_call *c = &cap->call[i];
		struct rep_launch *l;

		if (!c->is_launch || c->has_events || c->outer != REP_NONE ||
		    only[i] > 0)
			continue;
		l = add_launch(cap);
		l->call = c;
		l->status = REP_EMPTY;
		l->evidence = REP_BY_NOTHING;
	}
}

/* By the call's start, or the first event's; then by the call's or event's
 * place in the stream, which no two launches share. */
struct timed {
	struct rep_launch launch;
	int64_t time;
	uint32_t id;
};

static int
timed_cmp(const void *pa, const void *pb)
{
	const struct timed *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static struct timed
timed(const struct rep_capture *cap, const struct rep_launch *l)
{
	const struct rep_event *e = l->n > 0 ? &cap->event[l->first] :
	    l->interval;

	if (l->call != NULL)
		return (struct timed){ *l, l->call->start_ns, l->call->id };
	if (l->acl != NULL)
		return (struct timed){ *l, l->acl->start_ns, l->acl->execute };
	return (struct timed){ *l, e->start_ns, e->id };
}

static void
sort_launches(struct rep_capture *cap)
{
	struct timed *t = tl_xreallocarray(NULL, cap->n_launches, sizeof *t);

	for (size_t i = 0; i < cap->n_launches; i++)
		t[i] = timed(cap, &cap->launch[i]);
	if (cap->n_launches > 0)
		qsort(t, cap->n_launches, sizeof *t, timed_cmp);
	for (size_t i = 0; i < cap->n_launches; i++)
		cap->launch[i] = t[i].launch;
	free(t);
}

void
rep_group(struct rep_capture *cap)
{
	uint32_t *only;
	bool known;

	find_owners(cap);
	sort_events(cap);
	known = look(cap);
	only = tl_xcalloc(cap->n_calls, sizeof *only);
	for (size_t i = 0; i < cap->n_calls; i++)
		if (cap->call[i].outer != REP_NONE && cap->call[i].has_events)
			only[cap->call[i].outer]++;
	take_groups(cap, known, only);
	add_acl_without(cap);
	add_empty(cap, only);
	sort_launches(cap);
	free(only);
}
