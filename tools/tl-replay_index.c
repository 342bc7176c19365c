#include <stdlib.h>

#include "tl-replay.h"

/* A unit under a key, by its rank, and one of its launches that has it. */
struct post {
	uint64_t key;
	uint32_t rank, launch;
};

struct posts {
	struct post *v;
	size_t n, cap;
};

/* How many hashes stand for a unit: bodies of which half is common share about
 * a third of them. */
#define N_HASHES 32

/* How many units under one key are looked at, in order of rank. */
#define MAX_POSTS 128

struct rep_index {
	const struct rep_capture *cap;
	uint32_t *unit;              /* by rank */
	uint32_t *rank;              /* by unit */
	uint64_t *hash;              /* of all units */
	size_t n_hashes, hashes_cap;
	size_t *first_hash;          /* by unit, and the end */
	uint32_t *count;             /* by symbol, 0 between uses */
	uint32_t *times;             /* by rank, 0 between uses */
	struct posts ids;            /* owner and graph or node id */
	struct posts heads, tails;   /* first, last symbol of a lane */
	struct posts like, repeated; /* hashes */
};

static void
add(struct posts *p, uint64_t key, uint32_t rank, uint32_t launch)
{
	p->v = tl_xgrow(p->v, p->n, &p->cap, sizeof *p->v);
	p->v[p->n++] = (struct post){ key, rank, launch };
}

static int
post_cmp(const void *pa, const void *pb)
{
	const struct post *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* Sorts, and keeps the first launch of each unit. */
static void
settle(struct posts *p)
{
	size_t n = 0;

	if (p->n > 0)
		qsort(p->v, p->n, sizeof *p->v, post_cmp);
	for (size_t i = 0; i < p->n; i++)
		if (n == 0 || p->v[n - 1].key != p->v[i].key ||
		    p->v[n - 1].rank != p->v[i].rank)
			p->v[n++] = p->v[i];
	p->n = n;
}

/* First of those with the key; *end is behind the last, at most MAX_POSTS. */
static size_t
find(const struct posts *p, uint64_t key, size_t *end)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->v[mid].key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < p->n && p->v[hi].key == key &&
	    hi - lo < MAX_POSTS;)
		hi++;
	*end = hi;
	return lo;
}

/* ---- ranks: the unit with most launches, then members, is first ---- */

struct ranked {
	size_t launches, members;
	uint32_t unit;
};

static int
ranked_cmp(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->launches != b->launches)
		return a->launches > b->launches ? -1 : 1;
	if (a->members != b->members)
		return a->members > b->members ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void
rank_units(struct rep_index *x)
{
	const struct rep_capture *cap = x->cap;
	struct ranked *r = tl_xreallocarray(NULL, cap->n_units, sizeof *r);

	for (uint32_t u = 0; u < cap->n_units; u++)
		r[u] = (struct ranked){ cap->unit[u].realised,
			cap->launch[cap->unit[u].launch].n, u };
	if (cap->n_units > 0)
		qsort(r, cap->n_units, sizeof *r, ranked_cmp);
	x->unit = tl_xreallocarray(NULL, cap->n_units, sizeof *x->unit);
	x->rank = tl_xreallocarray(NULL, cap->n_units, sizeof *x->rank);
	for (uint32_t i = 0; i < cap->n_units; i++) {
		x->unit[i] = r[i].unit;
		x->rank[r[i].unit] = i;
	}
	free(r);
}

/* ---- keys ---- */

/* Graph id of a member; node id where no graph's is there; REP_NONE. */
static uint32_t
id_of(const struct rep_event *e)
{
	return e->graph != REP_NONE ? e->graph : e->node;
}

static uint64_t
id_key(const struct rep_capture *cap, const struct rep_event *e)
{
	return (uint64_t)cap->lane[e->lane].owner << 32 | id_of(e);
}

static uint64_t
mix(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccdU;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53U;
	return h ^ h >> 33;
}

/* Keeps v[0..n) the least N_HASHES so far, in order. */
static size_t
keep_least(uint64_t *v, size_t n, uint64_t h)
{
	size_t i;

	if (n == N_HASHES && h >= v[n - 1])
		return n;
	if (n < N_HASHES)
		n++;
	for (i = n - 1; i > 0 && v[i - 1] > h; i--)
		v[i] = v[i - 1];
	v[i] = h;
	return n;
}

/* The least hashes of the members, where the second kernel of a name is
 * another than the first. */
static size_t
hash_members(struct rep_index *x, const struct rep_launch *l, uint64_t *v)
{
	const struct rep_event *e = x->cap->event + l->first;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n = keep_least(v, n, mix((uint64_t)x->count[e[i].sym]++ << 32 |
		    e[i].sym));
	for (size_t i = 0; i < l->n; i++)
		x->count[e[i].sym] = 0;
	return n;
}

static void
add_hashes(struct rep_index *x, uint32_t u)
{
	const struct rep_unit *unit = &x->cap->unit[u];
	uint64_t v[N_HASHES];
	size_t n = hash_members(x, &x->cap->launch[unit->launch], v);

	x->first_hash[u] = x->n_hashes;
	for (size_t i = 0; i < n; i++) {
		x->hash = tl_xgrow(x->hash, x->n_hashes, &x->hashes_cap,
		    sizeof *x->hash);
		x->hash[x->n_hashes++] = v[i];
		add(&x->like, v[i], x->rank[u], unit->launch);
		if (unit->realised > 1)
			add(&x->repeated, v[i], x->rank[u], unit->launch);
	}
}

static void
add_edges(struct rep_index *x, uint32_t u)
{
	uint32_t launch = x->cap->unit[u].launch;
	const struct rep_launch *t = &x->cap->launch[launch];
	const struct rep_event *e = x->cap->event + t->first;

	for (size_t i = 0; i < t->n; i++) {
		if (i == 0 || e[i - 1].lane != e[i].lane)
			add(&x->heads, e[i].sym, x->rank[u], launch);
		if (i + 1 == t->n || e[i + 1].lane != e[i].lane)
			add(&x->tails, e[i].sym, x->rank[u], launch);
	}
}

static void
add_ids(struct rep_index *x, uint32_t launch)
{
	const struct rep_launch *l = &x->cap->launch[launch];
	const struct rep_event *e = x->cap->event + l->first;
	uint32_t last = REP_NONE;

	for (size_t i = 0; i < l->n; last = id_of(&e[i++]))
		if (id_of(&e[i]) != REP_NONE && id_of(&e[i]) != last)
			add(&x->ids, id_key(x->cap, &e[i]), x->rank[l->unit],
			    launch);
}

struct rep_index *
rep_xindex_new(const struct rep_capture *cap)
{
	struct rep_index *x = tl_xcalloc(1, sizeof *x);

	x->cap = cap;
	rank_units(x);
	x->count = tl_xcalloc(cap->text.n, sizeof *x->count);
	x->times = tl_xcalloc(cap->n_units, sizeof *x->times);
	x->first_hash = tl_xreallocarray(NULL, cap->n_units + 1,
	    sizeof *x->first_hash);
	for (uint32_t i = 0; i < cap->n_launches; i++)
		add_ids(x, i);
	for (uint32_t u = 0; u < cap->n_units; u++) {
		add_hashes(x, u);
		add_edges(x, u);
	}
	x->first_hash[cap->n_units] = x->n_hashes;
	settle(&x->ids);
	settle(&x->heads);
	settle(&x->tails);
	settle(&x->like);
	settle(&x->repeated);
	return x;
}

void
rep_index_free(struct rep_index *x)
{
	if (x == NULL)
		return;
	free(x->unit);
	free(x->rank);
	free(x->hash);
	free(x->first_hash);
	free(x->count);
	free(x->times);
	free(x->ids.v);
	free(x->heads.v);
	free(x->tails.v);
	free(x->like.v);
	free(x->repeated.v);
	free(x);
}

/* ---- questions ---- */

/* A unit that came up. */
struct hit {
	uint32_t rank, launch;
};

/* What some keys give, each unit once. */
struct hits {
	struct hit v[N_HASHES * MAX_POSTS];
	size_t n;
};

static void
look_up(const struct rep_index *x, struct hits *h, const struct posts *p,
    uint64_t key, uint32_t own)
{
	size_t end, i = find(p, key, &end);

	for (; i < end; i++)
		if (p->v[i].rank != own && x->times[p->v[i].rank]++ == 0)
			h->v[h->n++] = (struct hit){ p->v[i].rank,
				p->v[i].launch };
}

static bool
goes_before(const struct rep_index *x, const struct hit *a,
    const struct hit *b, bool by_times)
{
	if (by_times && x->times[a->rank] != x->times[b->rank])
		return x->times[a->rank] > x->times[b->rank];
	return a->rank < b->rank;
}

/* The first max by rank, or those that came up most. */
static size_t
best(const struct rep_index *x, const struct hits *h, bool by_times,
    size_t max, struct rep_candidate *out)
{
	struct hit top[REP_CANDIDATES];
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		size_t k;

		if (n == max && !goes_before(x, &h->v[i], &top[n - 1],
		    by_times))
			continue;
		n += n < max;
		for (k = n - 1; k > 0 && goes_before(x, &h->v[i],
		    &top[k - 1], by_times); k--)
			top[k] = top[k - 1];
		top[k] = h->v[i];
	}
	for (size_t i = 0; i < h->n; i++)
		x->times[h->v[i].rank] = 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct rep_candidate){ x->unit[top[i].rank],
			top[i].launch };
	return n;
}

size_t
rep_same_ids(const struct rep_index *x, const struct rep_launch *l,
    struct rep_candidate *out)
{
	const struct rep_event *e = x->cap->event + l->first;
	struct hits h;
	uint32_t last = REP_NONE, keys = 0;

	h.n = 0;
	/* any of a body's ids leads to it */
	for (size_t i = 0; i < l->n && keys < N_HASHES; last = id_of(&e[i++])) {
		if (id_of(&e[i]) == REP_NONE || id_of(&e[i]) == last)
			continue;
		look_up(x, &h, &x->ids, id_key(x->cap, &e[i]),
		    x->rank[l->unit]);
		keys++;
	}
	return best(x, &h, false, REP_CANDIDATES, out);
}

size_t
rep_like(const struct rep_index *x, const struct rep_launch *l, bool repeated,
    struct rep_candidate *out)
{
	struct hits h;

	h.n = 0;
	for (size_t i = x->first_hash[l->unit];
	    i < x->first_hash[l->unit + 1]; i++)
		look_up(x, &h, repeated ? &x->repeated : &x->like, x->hash[i],
		    x->rank[l->unit]);
	return best(x, &h, true, REP_LIKE, out);
}

size_t
rep_same_edge(const struct rep_index *x, const struct rep_launch *l,
    enum rep_cut cut, struct rep_candidate *out)
{
	const struct rep_event *e = x->cap->event + l->first;
	const struct posts *p = cut == REP_CUT_HEAD ? &x->tails : &x->heads;
	size_t at = cut == REP_CUT_HEAD ? rep_lane_len(x->cap, l, 0) - 1 : 0;
	struct hits h;

	h.n = 0;
	look_up(x, &h, p, e[at].sym, x->rank[l->unit]);
	return best(x, &h, false, REP_CANDIDATES, out);
}
