#include "tl-tree.h"

#include <stdlib.h>

#include "mem.h"

/* What takes less than the least share is folded, and a body that takes less
 * than CLOSED times as much stays closed. Of a body of more members than
 * FOLD_AT the SHOWN costliest are shown. The least is a part in SMALL of the
 * wall, or one in SMALL_BUSY of the busy time where that is less; where more
 * rows than ROWS come of it, a multiple. */
#define SMALL 1000
#define SMALL_BUSY 200
#define CLOSED 10
#define FOLD_AT 16
#define SHOWN 10
#define ROWS 40
static const int multiple[] = { 1, 2, 3, 5, 7, 10, 15, 20, 30, 50 };
#define N_MULTIPLES (sizeof multiple / sizeof *multiple)

/* Time of all occurrences: the union over occ records, or, where their order
 * is not that of time, the sum; else the median times how many there are. */
static void
set_total(const struct tree *t, struct tree_pos *p)
{
	const struct tree_occ *o = tree_occ_of(t, p);
	int64_t span = p->ns[TREE_SPAN];

	if (p->kind != TREE_ROOT && o != NULL && o->n_whole > 0) {
		p->total_ns = o->unordered ? o->total_ns : o->union_ns;
		if (o->unordered)
			p->flags |= TREE_APPROX;
		return;
	}
	if (p->occurrences == 0)
		p->total_ns = 0;
	if (span == TREE_NONE || p->occurrences == TREE_NONE)
		return;
	if (p->occurrences > 0 && span > INT64_MAX / p->occurrences)
		return;
	p->total_ns = span * p->occurrences;
	if (p->occurrences > 1)
		p->flags |= TREE_APPROX;
}

/* The SHOWN costliest members of a body become visible. */
static void
show_costliest(struct tree *t, uint32_t body, int64_t least_ns)
{
	uint32_t best[SHOWN], n = 0, end = t->pos[body].end;

	for (uint32_t i = body + 1; i < end; i = t->pos[i].end) {
		uint32_t k = n;

		if (t->pos[i].total_ns < least_ns)
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
}

/* Who is alone between two that are shown is shown too. */
static void
show_alone(struct tree *t, uint32_t body)
{
	uint32_t end = t->pos[body].end;
	bool last = true;

	for (uint32_t i = body + 1; i < end; i = t->pos[i].end) {
		uint32_t next = t->pos[i].end;
		bool shown = t->pos[i].flags & TREE_VISIBLE;

		if (!shown && last && (next == end ||
		    (t->pos[next].flags & TREE_VISIBLE)))
			t->pos[i].flags |= TREE_VISIBLE;
		last = shown;
	}
}

/* How much of a body is shown: what is needed, what costs most, or all. */
enum amount { NEEDED, COSTLY, ALL };

static void
open_body(struct tree *t, uint32_t body, enum amount how, int64_t least_ns)
{
	uint32_t end = t->pos[body].end;
	size_t n = 0;

	t->pos[body].flags |= TREE_OPEN;
	for (uint32_t i = body + 1; i < end; i = t->pos[i].end)
		n++;
	if (how == COSTLY && n > FOLD_AT)
		show_costliest(t, body, least_ns);
	for (uint32_t i = body + 1; i < end; i = t->pos[i].end) {
		struct tree_pos *p = &t->pos[i];

		if (how == ALL || (p->flags & TREE_NEEDED) ||
		    (how == COSTLY && n <= FOLD_AT &&
		    (p->total_ns == TREE_NONE || p->total_ns >= least_ns)))
			p->flags |= TREE_VISIBLE;
	}
	show_alone(t, body);
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

bool
tree_is_single(const struct tree *t, uint32_t i)
{
	return t->pos[i].kind == TREE_LOOP && t->pos[i].end == i + 2 &&
	    t->pos[i + 1].kind == TREE_EVENT &&
	    !(t->pos[i].flags & TREE_THINNED);
}

/* Decides whether a visible position's body is shown: not below the depth
 * asked for; where it takes too little or an equal one is shown, only what is
 * needed of it. seen has the position that shows a body, by its number. */
static void
decide(struct tree *t, uint32_t i, const struct tree_opt *opt,
    int64_t least_ns, uint32_t *seen)
{
	struct tree_pos *p = &t->pos[i];
	uint32_t *like = &seen[p->body];
	bool needed = false;

	if (!opt->all && tree_is_single(t, i)) {
		p->flags |= TREE_MERGED;
		return;
	}
	if (p->depth >= opt->depth)
		return;
	for (uint32_t k = i + 1; k < p->end && !needed; k = t->pos[k].end)
		needed = t->pos[k].flags & TREE_NEEDED;
	if (opt->all) {
		open_body(t, i, ALL, least_ns);
	} else if (*like != TREE_NO) {
		if (needed)
			open_body(t, i, NEEDED, least_ns);
		else
			p->like = *like;
	} else if (p->depth == 0 || p->total_ns / CLOSED >= least_ns) {
		open_body(t, i, COSTLY, least_ns);
		*like = i;
	} else if (needed) {
		open_body(t, i, NEEDED, least_ns);
	}
}

static void
select_scope(struct tree *t, const struct tree_scope *s,
    const struct tree_opt *opt, int64_t least_ns, uint32_t *seen)
{
	for (uint32_t i = s->first; i < s->end; i++) {
		t->pos[i].flags &= TREE_NEEDED | TREE_APPROX | TREE_THINNED;
		t->pos[i].like = TREE_NO;
		if (t->pos[i].body != TREE_NO)
			seen[t->pos[i].body] = TREE_NO;
	}
	t->pos[s->first].flags |= TREE_VISIBLE;
	for (uint32_t i = s->first; i < s->end; i++)
		if ((t->pos[i].flags & TREE_VISIBLE) && t->pos[i].end > i + 1)
			decide(t, i, opt, least_ns, seen);
}

/* Rows of the scope as it is selected. */
static size_t
count_rows(const struct tree *t, const struct tree_scope *s)
{
	size_t n = 0;

	for (uint32_t i = s->first; i < s->end; n++) {
		uint32_t parent = t->pos[i].parent;

		if (t->pos[i].flags & TREE_VISIBLE) {
			i = t->pos[i].flags & TREE_OPEN ? i + 1 : t->pos[i].end;
			continue;
		}
		while (i < s->end && t->pos[i].parent == parent &&
		    !(t->pos[i].flags & TREE_VISIBLE))
			i = t->pos[i].end;
	}
	return n;
}

static int64_t
least_share(const struct tree_pos *root)
{
	int64_t of_wall = tree_least(root->ns[TREE_SPAN], SMALL);
	int64_t of_busy = tree_least(root->ns[TREE_BUSY], SMALL_BUSY);

	return root->ns[TREE_BUSY] != TREE_NONE && of_busy < of_wall ?
	    of_busy : of_wall;
}

void
tree_xselect(struct tree *t, const struct tree_opt *opt)
{
	uint32_t *seen;

	for (uint32_t i = 0; i < t->n_pos; i++)
		set_total(t, &t->pos[i]);
	number_bodies(t);
	tree_xtop(t);
	seen = tl_xreallocarray(NULL, t->bodies.n, sizeof *seen);
	for (size_t k = 0; k < t->n_scopes; k++) {
		const struct tree_scope *s = &t->scope[k];
		int64_t least_ns = least_share(&t->pos[s->first]);

		for (size_t m = 0; m < N_MULTIPLES; m++) {
			select_scope(t, s, opt, least_ns * multiple[m], seen);
			if (opt->all || count_rows(t, s) <= ROWS)
				break;
		}
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
