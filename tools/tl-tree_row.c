#include "tl-tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "num.h"

/* Names of ordinary kernels are shorter. */
#define NAME_MAX_LEN ((size_t)64)

/* Appends to buf[0..TREE_WHAT). */
TL_PRINTF(2, 3) static void
add(char *buf, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, TREE_WHAT - len, fmt, ap);
	va_end(ap);
}

/* How often a position's body ran: the occurrences its members have if they
 * stand in it once. */
static int64_t
turns(const struct tree *t, const struct tree_pos *p)
{
	const struct tree_occ *o = tree_occ_of(t, p);

	if (o == NULL)
		return TREE_NONE;
	return p->kind == TREE_LOOP ? o->n_full + o->n_cut : o->n_whole;
}

/* "3 times " where a position stands in its parent's body more than once. */
static void
add_times(const struct tree *t, const struct tree_pos *p, char *buf)
{
	char n[TREE_CELL];
	int64_t above = turns(t, &t->pos[p->parent]), k = p->occurrences;

	if (above == TREE_NONE || above == 0 || k <= above)
		return;
	if (k % above == 0)
		add(buf, "%s times: ", tree_count(n, k / above));
	else
		add(buf, "%s times in all: ", tree_count(n, k));
}

/* Iterations: counted where the loop occurs once, else as the pos record has
 * them, ".00" cut off. */
static void
add_iterations(const struct tree *t, const struct tree_pos *p, char *buf)
{
	const struct tree_occ *o = tree_occ_of(t, p);
	struct tl_str s = tl_intern_str(&t->text, p->iterations);
	const char *q = s.p;
	char n[TREE_CELL];
	uint64_t whole;

	if (o != NULL && o->n_whole == 1)
		add(buf, "%s x ", tree_count(n, o->n_full));
	else if (tl_num_u64(&q, s.p + s.n, &whole) && whole <= INT64_MAX &&
	    (*q == '\0' || strcmp(q, ".00") == 0))
		add(buf, "%s x ", tree_count(n, (int64_t)whole));
	else
		add(buf, "%.40s x ", s.p);
}

/* Events of iterations that the capture's edge cut: what all leaves of the
 * loop have, less what its whole iterations have. */
static int64_t
cut_events(const struct tree *t, uint32_t loop)
{
	const struct tree_pos *p = &t->pos[loop];
	int64_t n = 0, full = tree_occ_of(t, p)->n_full;

	for (uint32_t i = loop + 1; i < p->end; i++) {
		int64_t k = t->pos[i].occurrences;

		if (t->pos[i].kind != TREE_EVENT)
			continue;
		if (k == TREE_NONE || k > INT64_MAX - n)
			return TREE_NONE;
		n += k;
	}
	if (p->body_events <= 0 || full > n / p->body_events)
		return TREE_NONE;
	return n - full * p->body_events;
}

/* " + 705 of 1,075", of a loop that occurs once. */
static void
add_cut(const struct tree *t, uint32_t i, char *buf)
{
	const struct tree_pos *p = &t->pos[i];
	const struct tree_occ *o = tree_occ_of(t, p);
	char n[TREE_CELL], of[TREE_CELL];

	if (o == NULL || o->n_whole != 1 || o->n_cut == 0)
		return;
	tree_count(n, cut_events(t, i));
	tree_count(of, p->body_events);
	if (o->n_cut == 1)
		add(buf, " + %s of %s", n, of);
	else
		add(buf, " + %s of %lld x %s", n, (long long)o->n_cut, of);
}

/* "  (208.9 ms .. 214.3 ms, longest: 3)" */
static void
add_range(const struct tree *t, const struct tree_pos *p, char *buf)
{
	const struct tree_occ *o = tree_occ_of(t, p);
	int64_t min = p->ns[TREE_ITER_MIN], max = p->ns[TREE_ITER_MAX];
	char a[TREE_CELL], b[TREE_CELL];

	if (min == TREE_NONE || max == TREE_NONE || min == max)
		return;
	add(buf, "  (%s .. %s", tree_time(a, min), tree_time(b, max));
	if (o != NULL && o->longest_ns == max && o->n_whole == 1)
		add(buf, ", longest: %llu",
		    (unsigned long long)o->longest_iteration);
	else if (o != NULL && o->longest_ns == max)
		add(buf, ", longest: %s#%llu", tree_pos_text(a, p->number),
		    (unsigned long long)o->longest_n);
	add(buf, ")");
}

/* A long name ends in "..", never within a UTF-8 sequence. */
static size_t
cut(char *s, size_t n)
{
	if (n <= NAME_MAX_LEN)
		return n;
	n = NAME_MAX_LEN - 2;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	memcpy(s + n, "..", 2);
	return n + 2;
}

/* What a row shows of a name: of an event, of the event of a merged loop, of
 * anything whose label says more than its kind. */
static void
set_name(struct tree_walk *w, const struct tree_pos *p)
{
	const struct tree *t = w->t;
	struct tl_str s = tl_intern_str(&t->text, p->label);

	w->row.name = (struct tl_str){ "", 0 };
	if (p->kind == TREE_ROOT || tl_str_none(s) ||
	    tl_str_eq(s, tl_intern_str(&t->text, p->kind_text)))
		return;
	w->row.name = s;
	if (w->opt->whole)
		return;
	if (w->name_cap < s.n + 1) {
		w->name_cap = s.n + 1;
		w->name = tl_xreallocarray(w->name, w->name_cap, 1);
	}
	w->row.name = (struct tl_str){ w->name,
		cut(w->name, tree_name(w->name, s)) };
}

static void
set_what(struct tree_walk *w, uint32_t i)
{
	const struct tree *t = w->t;
	const struct tree_pos *p = &t->pos[i];
	struct tree_row *r = &w->row;
	bool merged = p->flags & TREE_MERGED;
	char n[TREE_CELL];

	set_name(w, merged ? p + 1 : p);
	if (r->name.n == 0 && (merged || p->kind == TREE_EVENT))
		r->name = TL_LIT("event");
	if (p->kind == TREE_EVENT)
		return;
	if (p->parent != TREE_NO)
		add_times(t, p, r->before);
	if (p->kind == TREE_LOOP)
		add_iterations(t, p, r->before);
	else if (p->kind == TREE_REPLAY)
		add(r->before, "graph replay of ");
	if (!merged) {
		add(r->before, "%s event%s", tree_count(n, p->body_events),
		    p->body_events == 1 ? "" : "s");
		if (p->kind == TREE_LOOP)
			add_cut(t, i, r->before);
		if (r->name.n > 0)
			add(r->before, ": ");
	} else {
		add_cut(t, i, r->after);
	}
	if (p->kind == TREE_LOOP)
		add_range(t, p, r->after);
	if (p->like != TREE_NO)
		add(r->after, "  as in %s", tree_pos_text(n,
		    t->pos[p->like].number));
	else if (!merged && !(p->flags & TREE_OPEN) && p->end > i + 1)
		add(r->after, " ...");
}

static void
set_share(struct tree_walk *w, int64_t total_ns, bool approx)
{
	const struct tree_pos *root = &w->t->pos[w->scope.first];
	char part[TREE_CELL];

	tree_part(part, total_ns, root->total_ns);
	snprintf(w->row.share, TREE_CELL, "%s%.30s",
	    approx && part[0] != '.' ? "~" : "", part);
}

/* A part of the position's time. In an event's row only what is not 0 says
 * something. */
static void
set_part(char *cell, const struct tree_pos *p, enum tree_ns which)
{
	if (p->kind != TREE_EVENT || p->ns[which] != 0)
		tree_part(cell, p->ns[which], p->ns[TREE_SPAN]);
}

static void
position_row(struct tree_walk *w, uint32_t i)
{
	const struct tree_pos *p = &w->t->pos[i];
	struct tree_row *r = &w->row;

	tree_pos_text(r->pos, p->number);
	set_share(w, p->total_ns, p->flags & TREE_APPROX);
	tree_time(r->one, p->ns[p->kind == TREE_LOOP ? TREE_ITER_MEDIAN :
	    TREE_SPAN]);
	set_part(r->compute, p, TREE_COMPUTE);
	set_part(r->comm, p, TREE_COMM_EXPOSED);
	set_part(r->copy, p, TREE_COPY_EXPOSED);
	set_part(r->idle, p, TREE_IDLE);
	set_what(w, i);
	w->n_shown += p->flags & TREE_MERGED ? 2 : 1;
	w->at = p->flags & TREE_OPEN ? i + 1 : p->end;
}

/* One row for neighbours that are not shown. */
static void
folded_row(struct tree_walk *w, uint32_t i)
{
	const struct tree *t = w->t;
	uint32_t parent = t->pos[i].parent;
	int64_t total = 0, n_events = 0, n_others = 0;
	bool approx = false;
	char n[TREE_CELL];

	for (; i < w->scope.end && t->pos[i].parent == parent &&
	    !(t->pos[i].flags & TREE_VISIBLE); i = t->pos[i].end) {
		const struct tree_pos *p = &t->pos[i];

		approx |= (p->flags & TREE_APPROX) != 0;
		if (p->kind == TREE_EVENT)
			n_events++;
		else
			n_others++;
		if (total != TREE_NONE)
			total = p->total_ns == TREE_NONE ||
			    p->total_ns > INT64_MAX - total ? TREE_NONE :
			    total + p->total_ns;
	}
	set_share(w, total, approx);
	add(w->row.before, "... %s event%s", tree_count(n, n_events),
	    n_events == 1 ? "" : "s");
	if (n_others > 0)
		add(w->row.before, ", %s loop%s or sequence%s",
		    tree_count(n, n_others), n_others == 1 ? "" : "s",
		    n_others == 1 ? "" : "s");
	w->at = i;
}

void
tree_walk_start(struct tree_walk *w, const struct tree *t,
    const struct tree_opt *opt, size_t scope)
{
	*w = (struct tree_walk){ .t = t, .opt = opt,
		.scope = t->scope[scope], .at = t->scope[scope].first };
}

bool
tree_walk_next(struct tree_walk *w)
{
	const struct tree_pos *p = &w->t->pos[w->at];

	if (w->at >= w->scope.end)
		return false;
	w->row = (struct tree_row){ .depth = p->depth };
	if (p->flags & TREE_VISIBLE)
		position_row(w, w->at);
	else
		folded_row(w, w->at);
	return true;
}

void
tree_walk_end(struct tree_walk *w)
{
	free(w->name);
	w->name = NULL;
}
