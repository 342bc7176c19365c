#include "tl-tree.h"

#include <stdlib.h>

#include "mem.h"

/* A body of more members than FOLD_AT shows the SHOWN costliest of them, if
 * they take a part in SMALL of the root's busy time. What takes less than one
 * in CLOSED stays closed. */
#define FOLD_AT 16
#define SHOWN 10
#define SMALL 1000
#define CLOSED 100

/* Time of all occurrences: the sum over occ records, else the median times
 * how many there are. */
static void
set_total(const struct tree *t, struct tree_pos *p)
{
	const struct tree_occ *o = tree_occ_of(t, p);
	int64_t span = p->ns[TREE_SPAN];

	if (p->kind != TREE_ROOT && o != NULL && o->n_whole > 0) {
		p->total_ns = o->total_ns;
		return;
	}
	if (span == TREE_NONE || p->occurrences == TREE_NONE)
		return;
	if (p->occurrences > 0 && span > INT64_MAX / p->occurrences)
		return;
	p->total_ns = span * p->occurrences;
	if (p->occurrences > 1)
		p->flags |= TREE_APPROX;
}

/* The SHOWN costliest members of a body, and whoever is alone between two of
 * them, become visible. */
static void
fold(struct tree *t, uint32_t body, int64_t busy_ns)
{
	uint32_t best[SHOWN], n = 0, end = t->pos[body].end;

	for (uint32_t i = body + 1; i < end; i = t->pos[i].end) {
		uint32_t k = n;

		if (t->pos[i].total_ns < busy_ns / SMALL)
			continue;
		while (k > 0 && t->pos[best[k - 1]].total_ns <
		    t->pos[i].total_ns)
			k--;
		if (k == SHOWN)
			continue;
		if (n < SHOWN)
			n++;
		for (uint32_t m = n - 1; m > k; m--)
			best[m] = best[m - 1];
		best[k] = i;
	}
	for (uint32_t k = 0; k < n; k++)
		t->pos[best[k]].flags |= TREE_VISIBLE;
	for (uint32_t i = body + 1, last = 1; i < end; i = t->pos[i].end) {
		uint32_t next = t->pos[i].end;
		bool shown = t->pos[i].flags & TREE_VISIBLE;

		if (!shown && last && (next == end ||
		    (t->pos[next].flags & TREE_VISIBLE)))
			t->pos[i].flags |= TREE_VISIBLE;
		last = shown;
	}
}

static void
open_body(struct tree *t, uint32_t body, bool all, int64_t busy_ns)
{
	size_t n = 0;

	t->pos[body].flags |= TREE_OPEN;
	for (uint32_t i = body + 1; i < t->pos[body].end; i = t->pos[i].end)
		n++;
	if (!all && n > FOLD_AT) {
		fold(t, body, busy_ns);
		return;
	}
	for (uint32_t i = body + 1; i < t->pos[body].end; i = t->pos[i].end)
		t->pos[i].flags |= TREE_VISIBLE;
}

/* Numbers bodies so that equal ones have equal numbers: members of equal kind,
 * label, iterations and body, in one order. Members come behind their body, so
 * the way back meets them first. */
static void
number_bodies(struct tree *t)
{
	uint32_t *key = NULL;
	size_t cap = 0;

	for (uint32_t i = (uint32_t)t->n_pos; i-- > 0;) {
		size_t n = 0;

		for (uint32_t k = i + 1; k < t->pos[i].end; k = t->pos[k].end) {
			const struct tree_pos *p = &t->pos[k];

			if (cap < n + 4) {
				cap = n + n / 2 + 64;
				key = tl_xreallocarray(key, cap, sizeof *key);
			}
			key[n++] = p->kind_text;
			key[n++] = p->label;
			key[n++] = p->iterations;
			key[n++] = p->body;
		}
		if (n > 0)
			t->pos[i].body = tl_xintern(&t->bodies, (struct tl_str){
			    (const char *)key, n * sizeof *key });
	}
	free(key);
}

static bool
is_single_event_loop(const struct tree *t, uint32_t i)
{
	return t->pos[i].kind == TREE_LOOP && t->pos[i].end == i + 2 &&
	    t->pos[i + 1].kind == TREE_EVENT;
}

/* Decides whether a visible position's body is shown: not below the depth
 * asked for, not where it takes too little, not where an equal one is shown.
 * seen has the position that shows a body, by its number. */
static void
decide(struct tree *t, uint32_t i, const struct tree_opt *opt,
    int64_t busy_ns, uint32_t first, uint32_t *seen)
{
	struct tree_pos *p = &t->pos[i];
	uint32_t *like = &seen[p->body];

	if (!opt->all && is_single_event_loop(t, i)) {
		p->flags |= TREE_MERGED;
		return;
	}
	if (p->depth >= opt->depth)
		return;
	if (!opt->all && *like != TREE_NO && *like >= first) {
		p->like = *like;
		return;
	}
	if (opt->all || p->depth == 0 || p->total_ns >= busy_ns / CLOSED) {
		open_body(t, i, opt->all, busy_ns);
		*like = i;
	}
}

void
tree_xselect(struct tree *t, const struct tree_opt *opt)
{
	uint32_t *seen, first = 0;
	int64_t busy_ns = 0;

	for (uint32_t i = 0; i < t->n_pos; i++)
		set_total(t, &t->pos[i]);
	number_bodies(t);
	seen = tl_xreallocarray(NULL, t->bodies.n, sizeof *seen);
	memset(seen, 0xff, t->bodies.n * sizeof *seen);
	for (uint32_t i = 0; i < t->n_pos; i++) {
		struct tree_pos *p = &t->pos[i];

		if (p->depth == 0) {
			p->flags |= TREE_VISIBLE;
			busy_ns = p->ns[TREE_BUSY] == TREE_NONE ? 0 :
			    p->ns[TREE_BUSY];
			first = i;
		}
		if ((p->flags & TREE_VISIBLE) && p->end > i + 1)
			decide(t, i, opt, busy_ns, first, seen);
	}
	free(seen);
}

bool
tree_overlaps(const struct tree *t, size_t scope)
{
	const struct tree_scope *s = &t->scope[scope];

	for (uint32_t i = s->first; i < s->end; i++) {
		int64_t left = t->pos[i].total_ns;

		for (uint32_t k = i + 1; k < t->pos[i].end && left != TREE_NONE;
		    k = t->pos[k].end) {
			if (t->pos[k].total_ns == TREE_NONE)
				break;
			left -= t->pos[k].total_ns;
			if (left < 0)
				return true;
		}
	}
	return false;
}
