#include <stdlib.h>

#include "tl-replay.h"

static bool
has_ids(const struct rep_capture *cap, const struct rep_launch *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct rep_event *e = &cap->event[l->first + i];

		if (e->graph != REP_NONE || e->node != REP_NONE)
			return true;
	}
	return false;
}

/* Whether the capture begins (HEAD) or ends (TAIL) with the launch on each of
 * its lanes. */
static bool
at_edge(const struct rep_capture *cap, const struct rep_launch *l,
    enum rep_cut cut)
{
	const struct rep_event *e = cap->event + l->first;

	for (size_t i = 0, len; i < l->n; i += len) {
		const struct rep_lane *lane = &cap->lane[e[i].lane];
		uint64_t first, last;

		len = rep_lane_len(cap, l, i);
		first = last = e[i].id;
		for (size_t j = i; j < i + len; j++) {
			first = e[j].id < first ? e[j].id : first;
			last = e[j].id > last ? e[j].id : last;
		}
		if (cut == REP_CUT_HEAD ? first != lane->first_id :
		    last != lane->last_id)
			return false;
	}
	return true;
}

/* At least half of the members of one are those of the other, order aside. */
static bool
alike(struct rep_capture *cap, const struct rep_launch *a,
    const struct rep_launch *b)
{
	const struct rep_event *x = cap->event + a->first;
	const struct rep_event *y = cap->event + b->first;
	size_t both = 0;

	if (a->n * 2 < b->n || b->n * 2 < a->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		cap->scratch[x[i].sym]++;
	for (size_t i = 0; i < b->n; i++) {
		if (cap->scratch[y[i].sym] > 0) {
			cap->scratch[y[i].sym]--;
			both++;
		}
	}
	for (size_t i = 0; i < a->n; i++)
		cap->scratch[x[i].sym] = 0;
	return both * 2 >= a->n && both * 2 >= b->n;
}

/* What a launch is a part of, while it is looked for. */
struct search {
	struct rep_capture *cap;
	const struct rep_index *x;
	struct rep_launch *l;
	uint32_t unit;       /* the best so far, or REP_NONE */
	uint32_t n_missing;
	struct rep_fit fit;
};

/* Less missing is better, then more launches, then the earlier unit. */
static bool
is_better(const struct search *s, uint32_t unit, uint32_t n_missing)
{
	const struct rep_unit *u = s->cap->unit;

	if (s->unit == REP_NONE || n_missing != s->n_missing)
		return s->unit == REP_NONE || n_missing < s->n_missing;
	if (u[unit].realised != u[s->unit].realised)
		return u[unit].realised > u[s->unit].realised;
	return unit < s->unit;
}

/* Takes a unit if the launch fits into it as told and it is better. */
static void
consider(struct search *s, struct rep_candidate c, enum rep_cut cut,
    bool by_nodes)
{
	const struct rep_launch *t = &s->cap->launch[c.launch];
	const struct rep_unit *u = s->cap->unit;
	struct rep_fit fit;
	enum rep_nodes nodes = REP_NODES_NONE;

	/* a launch that is a part itself is no measure */
	if (t->unit != c.unit || t->n <= s->l->n ||
	    u[c.unit].realised < u[s->l->unit].realised ||
	    !is_better(s, c.unit, (uint32_t)(t->n - s->l->n)))
		return;
	if (by_nodes)
		nodes = rep_part_nodes(s->cap, s->l, t, &fit);
	if (nodes == REP_NODES_OTHER || (nodes == REP_NODES_NONE &&
	    !rep_part(s->cap, s->l, t, cut, &fit)))
		return;
	free(s->fit.lane);
	free(s->fit.index);
	s->fit = fit;
	s->unit = c.unit;
	s->n_missing = (uint32_t)(t->n - s->l->n);
}

static void
consider_edge(struct search *s, enum rep_cut cut)
{
	struct rep_candidate c[REP_CANDIDATES];
	size_t n;

	if (!at_edge(s->cap, s->l, cut))
		return;
	n = rep_same_edge(s->x, s->l, cut, c);
	for (size_t i = 0; i < n; i++)
		consider(s, c[i], cut, false);
}

/* Without ids the capture's edge explains what is missing, or at least half is
 * there and the unit is known from several launches. */
static void
search_by_symbols(struct search *s)
{
	struct rep_candidate c[REP_CANDIDATES];
	size_t n;

	consider_edge(s, REP_CUT_HEAD);
	consider_edge(s, REP_CUT_TAIL);
	if (s->unit != REP_NONE)
		return;
	n = rep_like(s->x, s->l, true, c);
	for (size_t i = 0; i < n; i++)
		if (s->l->n * 2 >= s->cap->launch[c[i].launch].n)
			consider(s, c[i], REP_CUT_ANY, false);
}

static void
search_by_ids(struct search *s)
{
	struct rep_candidate c[REP_CANDIDATES];
	size_t n = rep_same_ids(s->x, s->l, c);

	for (size_t i = 0; i < n; i++)
		consider(s, c[i], REP_CUT_ANY, true);
}

/* Makes a launch a part of another, if it is one. */
static void
place_part(struct rep_capture *cap, const struct rep_index *x,
    struct rep_launch *l)
{
	struct search s = { .cap = cap, .x = x, .l = l, .unit = REP_NONE };

	if (has_ids(cap, l))
		search_by_ids(&s);
	else if (cap->unit[l->unit].realised == 1)
		search_by_symbols(&s);
	if (s.unit == REP_NONE)
		return;
	cap->unit[l->unit].launches--;
	l->unit = s.unit;
	l->n_missing = s.n_missing;
	l->fit = s.fit;
	l->status = REP_PARTIAL;
}

/* Whether another launch that is no part of one is of the same graph, or has
 * half of its members in common. */
static bool
is_related(struct rep_capture *cap, const struct rep_index *x,
    const struct rep_launch *l)
{
	struct rep_candidate c[REP_CANDIDATES];
	size_t n = rep_same_ids(x, l, c);

	for (size_t i = 0; i < n; i++)
		if (cap->unit[c[i].unit].launches > 0)
			return true;
	if (l->acl != NULL)
		return false; /* likeness is no sign: its graph is known */
	n = rep_like(x, l, false, c);
	for (size_t i = 0; i < n; i++)
		if (cap->unit[c[i].unit].launches > 0 &&
		    alike(cap, l, &cap->launch[c[i].launch]))
			return true;
	return false;
}

/* The longer first, so that nothing is a part of what is one itself. */
struct suspect {
	size_t n;
	uint32_t launch;
};

static int
suspect_cmp(const void *pa, const void *pb)
{
	const struct suspect *a = pa, *b = pb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* Launches that may be parts: those that no other equals, and those with ids,
 * by which two can be damaged alike. *n is how many. */
static struct suspect *
suspects(const struct rep_capture *cap, size_t *n)
{
	struct suspect *v = tl_xreallocarray(NULL, cap->n_launches,
	    sizeof *v);

	*n = 0;
	for (size_t i = 0; i < cap->n_launches; i++) {
		const struct rep_launch *l = &cap->launch[i];

		if (l->n > 0 && (cap->unit[l->unit].realised == 1 ||
		    (cap->n_units > 1 && has_ids(cap, l))))
			v[(*n)++] = (struct suspect){ l->n, (uint32_t)i };
	}
	if (*n > 0)
		qsort(v, *n, sizeof *v, suspect_cmp);
	return v;
}

/* Finds parts among the suspects, then what those are that are left alone. */
static void
place_suspects(struct rep_capture *cap, const struct suspect *v, size_t n)
{
	struct rep_index *x;

	if (n == 0)
		return;
	x = rep_xindex_new(cap);
	cap->scratch = tl_xcalloc(cap->text.n, sizeof *cap->scratch);
	for (size_t i = 0; i < n; i++)
		place_part(cap, x, &cap->launch[v[i].launch]);
	for (size_t i = 0; i < cap->n_launches; i++) {
		struct rep_launch *l = &cap->launch[i];

		if (l->n > 0 && l->status != REP_PARTIAL &&
		    cap->unit[l->unit].launches == 1)
			l->status = is_related(cap, x, l) ? REP_VARIANT :
			    REP_SINGLE;
	}
	free(cap->scratch);
	rep_index_free(x);
}

void
rep_place(struct rep_capture *cap)
{
	size_t n;
	struct suspect *v = suspects(cap, &n);

	for (size_t i = 0; i < cap->n_launches; i++)
		if (cap->launch[i].n > 0)
			cap->launch[i].status = REP_EXACT;
	place_suspects(cap, v, n);
	for (size_t i = 0; i < cap->n_launches; i++)
		if (cap->launch[i].n > 0 && cap->launch[i].call == NULL &&
		    cap->launch[i].acl == NULL)
			cap->launch[i].status = REP_ORPHAN;
	free(v);
}
