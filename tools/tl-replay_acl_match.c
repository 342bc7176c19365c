#include <stdlib.h>

#include "tl-replay_acl.h"

/* ---- waits ---- */

/* An execution or a wait, by lane and correlation. */
struct tied {
	uint32_t lane, i;
	uint64_t corr;
};

static int
tied_cmp(const void *pa, const void *pb)
{
	const struct tied *a = pa, *b = pb;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* Those with a correlation. */
static struct tied *
tie(const struct acl_tasks *t, size_t *n)
{
	struct tied *v = tl_xreallocarray(NULL, t->n, sizeof *v);

	*n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].untied)
			v[(*n)++] = (struct tied){ t->v[i].lane, (uint32_t)i,
				t->v[i].corr };
	if (*n > 0)
		qsort(v, *n, sizeof *v, tied_cmp);
	return v;
}

static int
same_tie(const struct tied *a, const struct tied *b)
{
	struct tied x = *a;

	x.i = b->i;
	return tied_cmp(&x, b);
}

/* The wait of each execution: the first behind it with its correlation on its
 * lane that comes before the next such execution. wait[] is by execution,
 * REP_NONE for none. */
static void
find_waits(const struct rep_acl *acl, uint32_t *wait)
{
	size_t nx, nw, w = 0;
	struct tied *x = tie(&acl->execute, &nx), *y = tie(&acl->wait, &nw);

	for (size_t i = 0; i < acl->execute.n; i++)
		wait[i] = REP_NONE;
	for (size_t i = 0; i < nx; i++) {
		const struct acl_task *e = &acl->execute.v[x[i].i];
		const struct acl_task *next = i + 1 < nx &&
		    same_tie(&x[i], &x[i + 1]) == 0 ?
		    &acl->execute.v[x[i + 1].i] : NULL;

		while (w < nw && (same_tie(&y[w], &x[i]) < 0 ||
		    (same_tie(&y[w], &x[i]) == 0 &&
		    acl->wait.v[y[w].i].start_ns < e->end_ns)))
			w++;
		if (w == nw || same_tie(&y[w], &x[i]) != 0 || (next != NULL &&
		    acl->wait.v[y[w].i].start_ns >= next->start_ns))
			continue;
		wait[x[i].i] = y[w++].i;
	}
	free(x);
	free(y);
}

/* ---- records ---- */

/* A graph of a launch or a record, as far as it is known. */
enum known { KNOWN, UNKNOWN, ANY };

/* Launches and records are paired in this order. */
static const struct round {
	bool by_graph; /* else by device */
	enum known launch, record;
	enum rep_acl_match how;
} rounds[] = {
	{ true, KNOWN, KNOWN, REP_ACL_NEAR },
	{ false, UNKNOWN, ANY, REP_ACL_NEAR },
	{ false, KNOWN, UNKNOWN, REP_ACL_NEAR },
	{ true, KNOWN, KNOWN, REP_ACL_ORDER },
	{ false, ANY, ANY, REP_ACL_ORDER },
};

/* A launch that waits or a record, under what it is paired by. */
struct side {
	uint64_t key;
	struct acl_point point;
};

struct sides {
	struct side *v;
	size_t n;
};

/* What pairing goes through. */
struct match {
	struct rep_capture *cap;
	struct rep_acl *acl;
	const uint32_t *wait;    /* by launch */
	uint32_t *record;        /* by launch; REP_NONE */
	uint32_t *graph;         /* by record; REP_NONE */
	struct acl_point *a, *b; /* scratch */
	size_t *mate;
};

static int
side_cmp(const void *pa, const void *pb)
{
	const struct side *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->point.i < b->point.i ? -1 : a->point.i > b->point.i;
}

static bool
fits(enum known want, bool known)
{
	return want == ANY || (want == KNOWN) == known;
}

static uint64_t
key_of(const struct match *m, const struct round *r, uint32_t lane,
    uint32_t graph)
{
	return (uint64_t)m->cap->lane[lane].device_no << 32 |
	    (r->by_graph ? graph : 0);
}

/* The graph that the execution says it runs. */
static uint32_t
asked(const struct acl_task *t)
{
	return t->model == ACL_OTHER_MODEL ? REP_NONE : t->model;
}

static struct sides
launches_of(const struct match *m, const struct round *r)
{
	const struct acl_tasks *t = &m->acl->execute;
	struct sides s = { tl_xreallocarray(NULL, t->n, sizeof *s.v), 0 };

	for (size_t i = 0; i < t->n; i++) {
		uint32_t graph = asked(&t->v[i]);

		if (m->wait[i] != REP_NONE && m->record[i] == REP_NONE &&
		    fits(r->launch, graph != REP_NONE))
			s.v[s.n++] = (struct side){
				key_of(m, r, t->v[i].lane, graph),
				{ m->acl->wait.v[m->wait[i]].end_ns,
				    (uint32_t)i }
			};
	}
	if (s.n > 0)
		qsort(s.v, s.n, sizeof *s.v, side_cmp);
	return s;
}

/* Where it is known which streams are graphs', a record on another one, and of
 * a model that is none of them, ends no graph. */
static bool
is_candidate(const struct match *m, const struct acl_task *t)
{
	return m->acl->n_owners == 0 ||
	    m->cap->lane[t->lane].stream != REP_NONE ||
	    (t->model != ACL_NO_MODEL && t->model != ACL_OTHER_MODEL);
}

static struct sides
records_of(const struct match *m, const struct round *r)
{
	const struct acl_tasks *t = &m->acl->record;
	struct sides s = { tl_xreallocarray(NULL, t->n, sizeof *s.v), 0 };

	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].taken && is_candidate(m, &t->v[i]) &&
		    fits(r->record, m->graph[i] != REP_NONE))
			s.v[s.n++] = (struct side){
				key_of(m, r, t->v[i].lane, m->graph[i]),
				{ t->v[i].end_ns, (uint32_t)i }
			};
	if (s.n > 0)
		qsort(s.v, s.n, sizeof *s.v, side_cmp);
	return s;
}

/* A graph does not end before it began, and not as another. */
static bool
can_be(const struct match *m, uint32_t launch, uint32_t record)
{
	const struct acl_task *e = &m->acl->execute.v[launch];
	uint32_t graph = asked(e);

	return m->acl->record.v[record].end_ns >= e->start_ns &&
	    (graph == REP_NONE || m->graph[record] == REP_NONE ||
	    graph == m->graph[record]);
}

static void
join(struct match *m, uint32_t launch, uint32_t record, enum rep_acl_match how)
{
	m->record[launch] = record;
	m->acl->record.v[record].taken = true;
	m->acl->launch[launch].match = how;
}

static void
pair_near(struct match *m, size_t na, size_t nb)
{
	acl_near(m->a, na, m->b, nb, m->mate);
	for (size_t i = 0; i < na; i++)
		if (m->mate[i] != SIZE_MAX &&
		    can_be(m, m->a[i].i, m->b[m->mate[i]].i))
			join(m, m->a[i].i, m->b[m->mate[i]].i, REP_ACL_NEAR);
}

/* As many launches as records: the first is the first's. */
static void
pair_in_order(struct match *m, size_t na, size_t nb)
{
	bool ok = na == nb;

	for (size_t i = 0; i < na && ok; i++)
		ok = can_be(m, m->a[i].i, m->b[i].i);
	for (size_t i = 0; i < na && ok; i++)
		join(m, m->a[i].i, m->b[i].i, REP_ACL_ORDER);
}

static size_t
fill(struct acl_point *p, const struct sides *s, size_t *at, uint64_t key)
{
	size_t n = 0;

	while (*at < s->n && s->v[*at].key < key)
		(*at)++;
	for (; *at < s->n && s->v[*at].key == key; (*at)++)
		p[n++] = s->v[*at].point;
	return n;
}

static void
run_round(struct match *m, const struct round *r)
{
	struct sides x = launches_of(m, r), y = records_of(m, r);
	size_t i = 0, j = 0;

	while (i < x.n) {
		uint64_t key = x.v[i].key;
		size_t na = fill(m->a, &x, &i, key);
		size_t nb = fill(m->b, &y, &j, key);

		if (nb > 0 && r->how == REP_ACL_NEAR)
			pair_near(m, na, nb);
		else if (nb > 0)
			pair_in_order(m, na, nb);
	}
	free(x.v);
	free(y.v);
}

/* The graph that a record is of: that of its model; of its stream, if there is
 * one and it tells no model. */
static uint32_t
graph_of(const struct match *m, const struct acl_task *t)
{
	uint32_t stream = m->cap->lane[t->lane].stream;

	if (t->model == ACL_OTHER_MODEL)
		return REP_NONE;
	if (t->model != ACL_NO_MODEL)
		return acl_is_owner(m->acl, stream, t->model) ? t->model :
		    REP_NONE;
	return acl_only_owner(m->acl, stream);
}

/* ---- what comes of it ---- */

/* By what the graph of a launch with a record is known. */
static void
identify(const struct match *m, size_t i, struct rep_acl_launch *l)
{
	const struct acl_task *r = &m->acl->record.v[m->record[i]];
	const struct acl_task *e = &m->acl->execute.v[i];
	uint32_t stream = m->cap->lane[r->lane].stream;

	l->graph = m->graph[m->record[i]];
	l->by = r->model == ACL_NO_MODEL ? REP_ACL_RECORD_STREAM :
	    REP_ACL_RECORD_MODEL;
	if (l->graph == REP_NONE && r->model == ACL_NO_MODEL &&
	    asked(e) != REP_NONE && acl_is_owner(m->acl, stream, asked(e))) {
		l->graph = asked(e);
		l->by = REP_ACL_EXECUTE_MODEL;
	}
	if (l->graph == REP_NONE)
		l->refusal = REP_ACL_NO_GRAPH;
}

/* A launch goes from its execution to the end of its wait, and of its record
 * if that is near: one that is not tells which graph ended, not when. What
 * ends first is when the graph did, or later. */
static void
measure(const struct match *m, size_t i, struct rep_acl_launch *l)
{
	const struct acl_task *w = &m->acl->wait.v[m->wait[i]];
	const struct acl_task *r = &m->acl->record.v[m->record[i]];

	l->busy_ns = w->end_ns < r->end_ns ? w->end_ns : r->end_ns;
	if (l->busy_ns < l->end_ns)
		l->busy_ns = l->end_ns;
	if (l->end_ns < w->end_ns)
		l->end_ns = w->end_ns;
	if (l->match == REP_ACL_NEAR && l->end_ns < r->end_ns)
		l->end_ns = r->end_ns;
}

void
acl_match(struct rep_capture *cap)
{
	struct rep_acl *acl = cap->acl;
	size_t n = acl->execute.n, nr = acl->record.n;
	uint32_t *wait = tl_xreallocarray(NULL, n, sizeof *wait);
	struct match m = { .cap = cap, .acl = acl, .wait = wait };

	find_waits(acl, wait);
	m.record = tl_xreallocarray(NULL, n, sizeof *m.record);
	m.graph = tl_xreallocarray(NULL, nr, sizeof *m.graph);
	m.a = tl_xreallocarray(NULL, n, sizeof *m.a);
	m.b = tl_xreallocarray(NULL, nr, sizeof *m.b);
	m.mate = tl_xreallocarray(NULL, n, sizeof *m.mate);
	for (size_t i = 0; i < n; i++)
		m.record[i] = REP_NONE;
	for (size_t i = 0; i < nr; i++)
		m.graph[i] = graph_of(&m, &acl->record.v[i]);
	for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
		run_round(&m, &rounds[i]);
	for (size_t i = 0; i < n; i++) {
		struct rep_acl_launch *l = &acl->launch[i];

		if (m.record[i] == REP_NONE) {
			l->refusal = wait[i] == REP_NONE ? REP_ACL_NO_WAIT :
			    REP_ACL_NO_RECORD;
			continue;
		}
		identify(&m, i, l);
		measure(&m, i, l);
	}
	free(wait);
	free(m.record);
	free(m.graph);
	free(m.a);
	free(m.b);
	free(m.mate);
}
