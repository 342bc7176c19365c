#include "tl-tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "name.h"
#include "num.h"

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

/* "at 3 places: " where a position stands in its parent's body more than
 * once. */
static void
add_times(const struct tree *t, const struct tree_pos *p, char *buf)
{
	char n[TREE_CELL];
	int64_t above = turns(t, &t->pos[p->parent]), k = p->occurrences;

	if (above == TREE_NONE || above == 0 || k <= above)
		return;
	if (k % above == 0)
		add(buf, "at %s places: ", tree_count(n, k / above));
	else
		add(buf, "at %s places in all: ", tree_count(n, k));
}

/* The whole number of iterations of a pos record; -1 if it is none. */
static int64_t
whole_iterations(const struct tree *t, const struct tree_pos *p)
{
	struct tl_str s = tl_intern_str(&t->text, p->iterations);
	const char *q = s.p;
	uint64_t n;

	if (!tl_num_u64(&q, s.p + s.n, &n) || n > INT64_MAX ||
	    (*q != '\0' && strcmp(q, ".00") != 0))
		return -1;
	return (int64_t)n;
}

/* Iterations: counted where the loop occurs once, else as the pos record has
 * them, ".00" cut off. */
static void
add_iterations(const struct tree *t, const struct tree_pos *p, char *buf)
{
	const struct tree_occ *o = tree_occ_of(t, p);
	int64_t whole = whole_iterations(t, p);
	char n[TREE_CELL];

	if (o != NULL && o->n_whole == 1)
		add(buf, "%s x ", tree_count(n, o->n_full));
	else if (whole >= 0)
		add(buf, "%s x ", tree_count(n, whole));
	else
		add(buf, "%.40s x ", tl_intern_str(&t->text,
		    p->iterations).p);
}

/* Events of iterations that the capture's edge cut: what all leaves of the
 * loop have, less what its whole iterations have. */
static int64_t
cut_events(const struct tree *t, uint32_t loop, int64_t full)
{
	const struct tree_pos *p = &t->pos[loop];
	int64_t n = 0;

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

/* True if the loop occurs once and its edges cut one iteration, the first. */
static bool
is_cut_first(const struct tree_occ *o)
{
	return o->n_whole == 1 && o->n_cut == 1 && o->cut_n == 1;
}

/* "705 of 1,075 + ", of a loop whose first iteration is cut. */
static void
add_cut_first(const struct tree *t, uint32_t i, char *buf)
{
	const struct tree_occ *o = tree_occ_of(t, &t->pos[i]);
	char n[TREE_CELL], of[TREE_CELL];

	if (o != NULL && is_cut_first(o))
		add(buf, "%s of %s + ", tree_count(n, cut_events(t, i,
		    o->n_full)), tree_count(of, t->pos[i].body_events));
}

/* " + 705 of 1,075", of a loop that occurs once, for other iterations. */
static void
add_cut(const struct tree *t, uint32_t i, char *buf)
{
	const struct tree_pos *p = &t->pos[i];
	const struct tree_occ *o = tree_occ_of(t, p);
	char n[TREE_CELL], of[TREE_CELL];

	if (o == NULL || o->n_whole != 1 || o->n_cut == 0 || is_cut_first(o))
		return;
	tree_count(n, cut_events(t, i, o->n_full));
	tree_count(of, p->body_events);
	if (o->n_cut > 1)
		add(buf, " + %s of %lld x %s", n, (long long)o->n_cut, of);
	else
		add(buf, " + %s of %s%s", n, of, o->cut_n != 0 &&
		    o->cut_n <= (uint64_t)o->n_full ? " in between" : "");
}

/* ", longest: 8 in N002/5 = N007#208", of a loop that recurs. */
static void
add_longest(const struct tree *t, const struct tree_pos *p,
    const struct tree_occ *o, char *buf)
{
	char a[TREE_CELL];

	add(buf, ", longest: ");
	if (o->longest_outer > 0 && p->parent != TREE_NO &&
	    t->pos[p->parent].kind == TREE_LOOP)
		add(buf, "%llu in %s/%llu = ",
		    (unsigned long long)o->longest_iteration,
		    tree_pos_text(a, t->pos[p->parent].number),
		    (unsigned long long)o->longest_outer);
	add(buf, "%s#%llu", tree_pos_text(a, p->number),
	    (unsigned long long)o->longest_n);
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
		add_longest(t, p, o, buf);
	add(buf, ")");
}

/* ", 3 variants: 19 / 5 / 1, 6 deviations, ~+1.20 ms where it deviates": the
 * medians of deviating iterations against that of those that do not. */
static void
add_variants(const struct tree *t, const struct tree_pos *p, char *buf)
{
	const struct tree_vary *v = tree_vary_of(t, p);
	char n[TREE_CELL];
	int64_t more;

	if (v == NULL)
		return;
	add(buf, ", %s variant%s: ", tree_count(n, v->n),
	    v->n == 1 ? "" : "s");
	for (int i = 0; i < TREE_VARIANTS && i < v->n; i++)
		add(buf, "%s%s", i > 0 ? " / " : "",
		    tree_count(n, v->count[i]));
	add(buf, "%s, %s deviation%s", v->n > TREE_VARIANTS ? " / .." : "",
	    tree_count(n, v->deviations), v->deviations == 1 ? "" : "s");
	if (v->deviating == 0 || v->same_ns == TREE_NONE ||
	    v->deviating_ns == TREE_NONE)
		return;
	more = v->deviating_ns / v->deviating - v->same_ns;
	add(buf, ", ~%c%s where it deviates", more < 0 ? '-' : '+',
	    tree_time(n, more < 0 ? -more : more));
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
		tl_name_short(w->name, s) };
}

/* ": 34 events", and what else a replayed graph has: its unit counts all
 * members, the tree those that take part. */
static void
add_replayed(const struct tree *t, const struct tree_pos *p, char *buf)
{
	struct tl_str s = tl_intern_str(&t->text, p->label);
	int64_t more = TREE_NONE;
	uint32_t unit;
	char n[TREE_CELL];

	add(buf, ": %s event%s", tree_count(n, p->body_events),
	    p->body_events == 1 ? "" : "s");
	if (s.n < 2 || s.p[0] != 'U')
		return;
	unit = tl_intern_find(&t->unit_key,
	    (struct tl_str){ s.p + 1, s.n - 1 });
	if (unit != TREE_NO && t->unit[unit] != TREE_NONE &&
	    p->body_events != TREE_NONE)
		more = t->unit[unit] - p->body_events;
	if (more > 0)
		add(buf, " and %s copies, fills or the like",
		    tree_count(n, more));
}

/* "3 x 4 events + 1 of 4: " */
static void
add_body(const struct tree *t, uint32_t i, struct tree_row *r)
{
	const struct tree_pos *p = &t->pos[i];
	char n[TREE_CELL];

	add(r->before, "%s event%s", tree_count(n, p->body_events),
	    p->body_events == 1 ? "" : "s");
	if (p->kind == TREE_LOOP)
		add_cut(t, i, r->before);
	if (r->name.n > 0)
		add(r->before, ": ");
}

static void
set_what(struct tree_walk *w, uint32_t i)
{
	const struct tree *t = w->t;
	const struct tree_pos *p = &t->pos[i];
	struct tree_row *r = &w->row;
	bool single = !w->opt->all && tree_is_single(t, i);

	set_name(w, single ? p + 1 : p);
	if (r->name.n == 0 && (single || p->kind == TREE_EVENT))
		r->name = TL_LIT("event");
	if (p->kind == TREE_EVENT)
		return;
	if (p->parent != TREE_NO)
		add_times(t, p, r->before);
	if (p->kind == TREE_LOOP) {
		if (!single)
			add_cut_first(t, i, r->before);
		add_iterations(t, p, r->before);
	}
	if (p->kind == TREE_REPLAY) {
		add(r->before, r->name.n > 0 ? "replay " : "replay");
		add_replayed(t, p, r->after);
	} else if (single) {
		add_cut(t, i, r->after);
	} else {
		add_body(t, i, r);
	}
	if (p->kind == TREE_LOOP) {
		add_variants(t, p, r->after);
		add_range(t, p, r->after);
	}
}

/* What stands for a body that is not shown. */
static void
add_closed(const struct tree *t, uint32_t i, char *buf)
{
	const struct tree_pos *p = &t->pos[i];
	char n[TREE_CELL];

	if (p->like != TREE_NO)
		add(buf, "  as in %s", tree_pos_text(n,
		    t->pos[p->like].number));
	else if (!(p->flags & (TREE_MERGED | TREE_OPEN)) && p->end > i + 1)
		add(buf, " ...");
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

/* An iteration. The last one has no period, so that of two the median is the
 * first one's alone: of fewer than FEW it is the time of all by their number,
 * or, where that is not known, the median marked. */
#define FEW 3
static void
set_iteration(struct tree_walk *w, const struct tree_pos *p)
{
	const struct tree_occ *o = tree_occ_of(w->t, p);
	int64_t ns = p->ns[TREE_ITER_MEDIAN], n;

	if (o != NULL && o->n_whole > 0 && o->n_full + o->n_cut > 0) {
		if (o->n_full / FEW >= o->n_whole) {
			tree_time(w->row.one, ns);
			return;
		}
		if (o->n_cut == 0 && o->n_full > 0)
			ns = o->total_ns / o->n_full;
	} else {
		n = whole_iterations(w->t, p);
		if (n <= 0 || n >= FEW) {
			tree_time(w->row.one, ns);
			return;
		}
		if (p->ns[TREE_SPAN] != TREE_NONE)
			ns = p->ns[TREE_SPAN] / n;
	}
	tree_about(w->row.one, ns);
	w->few |= ns != TREE_NONE;
}

static void
set_cells(struct tree_walk *w, uint32_t i)
{
	const struct tree_pos *p = &w->t->pos[i];
	struct tree_row *r = &w->row;

	tree_pos_text(r->pos, p->number);
	set_share(w, p->total_ns, p->flags & TREE_APPROX);
	if (p->kind == TREE_LOOP)
		set_iteration(w, p);
	else
		tree_time(r->one, p->ns[TREE_SPAN]);
	set_part(r->compute, p, TREE_COMPUTE);
	set_part(r->comm, p, TREE_COMM_EXPOSED);
	set_part(r->copy, p, TREE_COPY_EXPOSED);
	set_part(r->idle, p, TREE_IDLE);
	if (r->has_steps)
		tree_count(r->steps, p->steps);
	set_what(w, i);
}

static void
position_row(struct tree_walk *w, uint32_t i)
{
	const struct tree_pos *p = &w->t->pos[i];

	set_cells(w, i);
	add_closed(w->t, i, w->row.after);
	w->n_shown += p->flags & TREE_MERGED ? 2 : 1;
	w->at = p->flags & TREE_OPEN ? i + 1 : p->end;
}

/* What folds into one row. */
struct folded {
	int64_t total_ns, exposed_ns;
	int64_t n[TREE_KIND_OTHER + 1];
	bool approx;
};

static void
fold_in(struct folded *f, const struct tree *t, uint32_t i)
{
	const struct tree_pos *p = &t->pos[i];

	f->approx |= (p->flags & TREE_APPROX) != 0;
	f->n[p->kind]++;
	if (f->total_ns != TREE_NONE)
		f->total_ns = p->total_ns == TREE_NONE ||
		    p->total_ns > INT64_MAX - f->total_ns ? TREE_NONE :
		    f->total_ns + p->total_ns;
	for (; i < p->end; i++) {
		int64_t ns = tree_exposed(&t->pos[i]);

		if (t->pos[i].end == i + 1 && ns != TREE_NONE &&
		    ns <= INT64_MAX - f->exposed_ns)
			f->exposed_ns += ns;
	}
}

/* "31 events, 4 loops" */
static void
add_folded(const struct folded *f, char *buf)
{
	static const char *const names[] = {
		[TREE_EVENT] = "event", [TREE_LOOP] = "loop",
		[TREE_SEQ] = "sequence", [TREE_REPLAY] = "replay",
		[TREE_ROOT] = "other", [TREE_KIND_OTHER] = "other"
	};
	static const enum tree_kind order[] = {
		TREE_EVENT, TREE_LOOP, TREE_SEQ, TREE_REPLAY, TREE_KIND_OTHER
	};
	const char *before = "... ";
	char n[TREE_CELL];

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		int64_t k = f->n[order[i]];

		if (k == 0)
			continue;
		add(buf, "%s%s %s%s", before, tree_count(n, k),
		    names[order[i]], k == 1 ? "" : "s");
		before = ", ";
	}
}

/* One row for neighbours that are not shown. */
static void
folded_row(struct tree_walk *w, uint32_t i)
{
	const struct tree *t = w->t;
	uint32_t parent = t->pos[i].parent;
	int64_t wall = t->pos[w->scope.first].ns[TREE_SPAN];
	struct folded f = { 0 };
	char part[TREE_CELL];

	for (; i < w->scope.end && t->pos[i].parent == parent &&
	    !(t->pos[i].flags & TREE_VISIBLE); i = t->pos[i].end)
		fold_in(&f, t, i);
	set_share(w, f.total_ns, f.approx);
	add_folded(&f, w->row.before);
	if (f.exposed_ns > 0 && f.exposed_ns >= tree_least(wall, 1000))
		add(w->row.before, "; exposed communication ~%s of wall",
		    tree_part(part, f.exposed_ns, wall));
	w->at = i;
}

bool
tree_walk_main(struct tree_walk *w, size_t k)
{
	const struct tree_scope *s = &w->scope;

	if (k >= s->n_main)
		return false;
	w->row = (struct tree_row){ .has_steps = w->t->steps != NULL };
	for (size_t i = 0; i < k; i++)
		w->row.depth += s->main[i] < s->main[k] &&
		    s->main[k] < w->t->pos[s->main[i]].end;
	set_cells(w, s->main[k]);
	return true;
}

bool
tree_walk_worst(struct tree_walk *w, size_t k)
{
	const struct tree_scope *s = &w->scope;
	const struct tree *t = w->t;
	const struct tree_pos *p;
	int64_t ns;
	char a[TREE_CELL], b[TREE_CELL];

	if (k >= s->n_worst)
		return false;
	w->row = (struct tree_row){ .has_steps = w->t->steps != NULL };
	p = &t->pos[s->worst[k]];
	ns = tree_exposed(p);
	set_cells(w, s->worst[k]);
	if (p->parent != TREE_NO && !w->opt->all &&
	    tree_is_single(t, p->parent))
		tree_pos_text(w->row.pos, t->pos[p->parent].number);
	add(w->row.after, "  (%s%s exposed, %s of wall)",
	    p->occurrences > 1 ? "~" : "", tree_time(a, ns),
	    tree_part(b, ns, t->pos[s->first].ns[TREE_SPAN]));
	return true;
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
	w->row = (struct tree_row){ .depth = p->depth,
		.has_steps = w->t->steps != NULL };
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
