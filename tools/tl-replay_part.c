#include <stdlib.h>

#include "tl-replay.h"

/* Launches with more lanes than this are matched by the lanes' names alone. */
#define MAX_LANES 512

/* A lane of a launch. */
struct lane {
	const struct rep_event *e;
	size_t n;
};

static struct lane *
lanes_of(const struct rep_capture *cap, const struct rep_launch *l)
{
	struct lane *lane = tl_xreallocarray(NULL, l->n_lanes, sizeof *lane);
	size_t k = 0;

	for (size_t i = 0; i < l->n; i += lane[k++].n)
		lane[k] = (struct lane){ cap->event + l->first + i,
			rep_lane_len(cap, l, i) };
	return lane;
}

static bool
equal_at(const struct lane *a, const struct lane *b, size_t shift)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->e[i].sym != b->e[i + shift].sym)
			return false;
	return true;
}

/* Whether lane a is a part of lane b. */
static bool
fits(const struct lane *a, const struct lane *b, enum rep_cut cut)
{
	size_t j = 0;

	if (a->n > b->n)
		return false;
	if (cut != REP_CUT_ANY)
		return equal_at(a, b, cut == REP_CUT_HEAD ? b->n - a->n : 0);
	for (size_t i = 0; i < a->n; i++, j++) {
		while (j < b->n && b->e[j].sym != a->e[i].sym)
			j++;
		if (j == b->n)
			return false;
	}
	return true;
}

/* Fills index with the places in b of a, which is a part of it: the least ones
 * in order. Answers how many could be greater ones. */
static uint32_t
places(const struct lane *a, const struct lane *b, enum rep_cut cut,
    uint32_t *index)
{
	size_t j = cut == REP_CUT_HEAD ? b->n - a->n : 0;
	uint32_t unsure = 0;

	for (size_t i = 0; i < a->n; i++, j++) {
		while (b->e[j].sym != a->e[i].sym)
			j++;
		index[i] = (uint32_t)j;
	}
	if (cut != REP_CUT_ANY)
		return 0;
	j = b->n;
	for (size_t i = a->n; i-- > 0;) {
		do
			j--;
		while (b->e[j].sym != a->e[i].sym);
		unsure += index[i] != j;
	}
	return unsure;
}

/* Which lane of the other each lane becomes. */
struct match {
	const struct lane *a, *b;
	size_t na, nb;
	enum rep_cut cut;
	uint32_t *to, *from; /* partner + 1, 0 if none */
	uint32_t *seen;      /* of b's lanes: round in which they were tried */
};

/* A lane's name and its number in the launch. */
struct name {
	uint32_t lane, k;
};

static int
name_cmp(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	return a->lane < b->lane ? -1 : a->lane > b->lane;
}

/* Lanes of one name are the same lane. */
static void
match_names(struct match *m)
{
	struct name *name = tl_xreallocarray(NULL, m->nb, sizeof *name);

	for (size_t k = 0; k < m->nb; k++)
		name[k] = (struct name){ m->b[k].e->lane, (uint32_t)k };
	qsort(name, m->nb, sizeof *name, name_cmp);
	for (size_t i = 0; i < m->na; i++) {
		struct name key = { .lane = m->a[i].e->lane };
		const struct name *at = bsearch(&key, name, m->nb,
		    sizeof *name, name_cmp);

		if (at != NULL && fits(&m->a[i], &m->b[at->k], m->cut)) {
			m->to[i] = at->k + 1;
			m->from[at->k] = (uint32_t)i + 1;
		}
	}
	free(name);
}

/* Finds a lane for a's lane i, if need be by moving others. */
static bool
augment(struct match *m, size_t i, uint32_t round)
{
	for (size_t k = 0; k < m->nb; k++) {
		if (m->seen[k] == round || !fits(&m->a[i], &m->b[k], m->cut))
			continue;
		m->seen[k] = round;
		if (m->from[k] == 0 || augment(m, m->from[k] - 1, round)) {
			m->to[i] = (uint32_t)k + 1;
			m->from[k] = (uint32_t)i + 1;
			return true;
		}
	}
	return false;
}

static bool
match_lanes(struct match *m)
{
	uint32_t round = 0;

	match_names(m);
	for (size_t i = 0; i < m->na; i++) {
		if (m->to[i] != 0)
			continue;
		if (m->nb > MAX_LANES || !augment(m, i, ++round))
			return false;
	}
	return true;
}

static bool
same_content(const struct lane *a, const struct lane *b)
{
	return a->n == b->n && equal_at(a, b, 0);
}

/* A lane that was found by its content could be another one that is different
 * and free. */
static bool
could_differ(const struct match *m, size_t i)
{
	const struct lane *at = &m->b[m->to[i] - 1];

	if (at->e->lane == m->a[i].e->lane)
		return false;
	for (size_t k = 0; k < m->nb; k++)
		if (m->from[k] == 0 && !same_content(&m->b[k], at) &&
		    fits(&m->a[i], &m->b[k], m->cut))
			return true;
	return false;
}

static void
fill(const struct match *m, struct rep_fit *fit, size_t n)
{
	size_t at = 0;

	fit->lane = tl_xreallocarray(NULL, n, sizeof *fit->lane);
	fit->index = tl_xreallocarray(NULL, n, sizeof *fit->index);
	fit->n_unsure = 0;
	for (size_t i = 0; i < m->na; at += m->a[i].n, i++) {
		uint32_t unsure = places(&m->a[i], &m->b[m->to[i] - 1],
		    m->cut, fit->index + at);

		if (could_differ(m, i))
			unsure = (uint32_t)m->a[i].n;
		fit->n_unsure += unsure;
		for (size_t x = 0; x < m->a[i].n; x++)
			fit->lane[at + x] = m->to[i] - 1;
	}
}

bool
rep_part(const struct rep_capture *cap, const struct rep_launch *l,
    const struct rep_launch *t, enum rep_cut cut, struct rep_fit *fit)
{
	struct match m = { .na = l->n_lanes, .nb = t->n_lanes, .cut = cut };
	struct lane *a, *b;
	bool ok;

	if (l->n >= t->n || l->n_lanes > t->n_lanes)
		return false;
	m.a = a = lanes_of(cap, l);
	m.b = b = lanes_of(cap, t);
	m.to = tl_xcalloc(m.na, sizeof *m.to);
	m.from = tl_xcalloc(m.nb, sizeof *m.from);
	m.seen = tl_xcalloc(m.nb, sizeof *m.seen);
	ok = match_lanes(&m);
	if (ok)
		fill(&m, fit, l->n);
	free(a);
	free(b);
	free(m.to);
	free(m.from);
	free(m.seen);
	return ok;
}

/* ---- by node ids ---- */

/* Whether all members have a node id, and whether none has that of another. */
static bool
all_nodes(struct rep_capture *cap, const struct rep_launch *l, bool *once)
{
	const struct rep_event *e = cap->event + l->first;

	for (size_t i = 0; i < l->n; i++)
		if (e[i].node == REP_NONE)
			return false;
	*once = true;
	for (size_t i = 0; i < l->n; i++)
		*once &= cap->scratch[e[i].node]++ == 0;
	for (size_t i = 0; i < l->n; i++)
		cap->scratch[e[i].node] = 0;
	return true;
}

/* Looks for l's nodes in t. */
static bool
place_nodes(struct rep_capture *cap, const struct rep_launch *l,
    const struct rep_launch *t, struct rep_fit *fit)
{
	const struct rep_event *e = cap->event + l->first;
	const struct rep_event *f = cap->event + t->first;
	uint32_t *lane = tl_xreallocarray(NULL, t->n, sizeof *lane);
	uint32_t *index = tl_xreallocarray(NULL, t->n, sizeof *index);
	bool found = true;

	for (size_t i = 0; i < t->n; i++) {
		bool next = i > 0 && f[i - 1].lane == f[i].lane;

		lane[i] = i == 0 ? 0 : lane[i - 1] + !next;
		index[i] = next ? index[i - 1] + 1 : 0;
		cap->scratch[f[i].node] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < l->n && found; i++) {
		size_t at = cap->scratch[e[i].node];

		found = at > 0 && f[at - 1].sym == e[i].sym;
		if (found) {
			fit->lane[i] = lane[at - 1];
			fit->index[i] = index[at - 1];
		}
	}
	for (size_t i = 0; i < t->n; i++)
		cap->scratch[f[i].node] = 0;
	free(lane);
	free(index);
	return found;
}

enum rep_nodes
rep_part_nodes(struct rep_capture *cap, const struct rep_launch *l,
    const struct rep_launch *t, struct rep_fit *fit)
{
	bool once_l = false, once_t = false;

	if (!all_nodes(cap, l, &once_l) || !all_nodes(cap, t, &once_t))
		return REP_NODES_NONE;
	if (!once_l || !once_t || l->n >= t->n)
		return REP_NODES_OTHER;
	*fit = (struct rep_fit){
		.lane = tl_xreallocarray(NULL, l->n, sizeof *fit->lane),
		.index = tl_xreallocarray(NULL, l->n, sizeof *fit->index),
	};
	if (place_nodes(cap, l, t, fit))
		return REP_NODES_PART;
	free(fit->lane);
	free(fit->index);
	return REP_NODES_OTHER;
}
