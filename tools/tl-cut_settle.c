#include <stdlib.h>

#include "mem.h"
#include "tl-cut.h"

static bool
is_kept(const struct cut *c, uint32_t event)
{
	return event != CUT_NO && c->ev[event].kept;
}

static bool
id_kept(const struct cut *c, uint64_t id)
{
	size_t i = id == 0 ? TL_NO_EVENT : tl_evids_find(&c->ids, id);

	return i != TL_NO_EVENT && c->ev[i].kept;
}

/* Adds an event that is left to what is left of an occurrence. */
static void
add_left(struct cut_occ *o, const struct cut_event *e, uint32_t real)
{
	int64_t dur = e->dur_ns == TL_NONE ? 0 : e->dur_ns;

	o->n_kept++;
	o->sum_ns = cut_sum(o->sum_ns, dur);
	if (e->start_ns < o->from_ns)
		o->from_ns = e->start_ns;
	if (e->start_ns + dur > o->to_ns)
		o->to_ns = e->start_ns + dur;
	if (real < o->first_real)
		o->first_real = real;
}

/* Occurrences come behind the one they lie in. */
static void
add_up(struct cut *c)
{
	for (size_t i = c->n_occ; i-- > 0;) {
		const struct cut_occ *o = &c->occ[i];
		struct cut_occ *up = o->parent == CUT_NO ? NULL :
		    &c->occ[o->parent];

		if (up == NULL)
			continue;
		up->n_all += o->n_all;
		up->n_kept += o->n_kept;
		up->sum_ns = cut_sum(up->sum_ns, o->sum_ns);
		if (o->from_ns < up->from_ns)
			up->from_ns = o->from_ns;
		if (o->to_ns > up->to_ns)
			up->to_ns = o->to_ns;
		if (o->first_real < up->first_real)
			up->first_real = o->first_real;
	}
}

/* The window of a root is that of all events of its scope that have costs.
 * Where no event takes part in the structure, they alone decide. */
static void
settle_root(struct cut *c, struct cut_occ *root)
{
	uint32_t text = tl_intern_find(&c->text,
	    c->scope[c->pos[root->pos].scope].name);
	uint64_t all = 0, kept = 0;

	for (size_t i = 0; i < c->n_ev; i++) {
		const struct cut_event *e = &c->ev[i];

		if (e->scope != text || !e->costs)
			continue;
		all++;
		kept += e->kept;
		if (!e->kept)
			continue;
		if (e->start_ns < root->from_ns)
			root->from_ns = e->start_ns;
		if (e->start_ns + e->dur_ns > root->to_ns)
			root->to_ns = e->start_ns + e->dur_ns;
	}
	if (root->n_all == 0) {
		root->n_all = all;
		root->n_kept = kept;
	}
}

/* What an occurrence that was cut still tells: how long what is left of it
 * takes. */
static void
cut_costs(struct cut *c, struct cut_occ *o)
{
	for (int i = 0; i < CUT_N_COSTS; i++)
		o->cost[i] = TL_NONE;
	o->cost[CUT_SPAN] = cut_length(o->from_ns, o->to_ns);
	o->start_ns = o->from_ns;
	o->period_ns = INT64_MIN;
	o->full = false;
	o->first_event = o->first_real == CUT_NO ? 0 :
	    cut_id(c, c->real[o->first_real].event);
}

static void
settle_occs(struct cut *c)
{
	for (size_t i = 0; i < c->n_real; i++) {
		const struct cut_real *r = &c->real[i];

		c->pos[r->pos].n_real_kept += is_kept(c, r->event);
		if (r->occ == CUT_NO)
			continue;
		c->occ[r->occ].n_all++;
		if (is_kept(c, r->event))
			add_left(&c->occ[r->occ], &c->ev[r->event],
			    (uint32_t)i);
	}
	add_up(c);
	for (size_t i = 0; i < c->n_occ; i++) {
		struct cut_occ *o = &c->occ[i];

		if (c->pos[o->pos].kind == CUT_ROOT) {
			settle_root(c, o);
		} else if (o->n_all == 0 && o->first_event != 0) {
			/* a replay of fills alone, in which nothing takes
			 * part: its first event stands for it */
			o->n_all = 1;
			o->n_kept = id_kept(c, o->first_event);
		}
		o->kept = (o->n_kept > 0 || o->n_all == 0) &&
		    (o->parent == CUT_NO || c->occ[o->parent].kept);
		o->cut = o->n_kept < o->n_all;
		c->n_cut_occ += o->cut;
		if (o->kept && o->cut)
			cut_costs(c, o);
		else if (c->n_kept < c->n_ev && !id_kept(c, o->first_event))
			o->first_event = 0;
	}
}

/* Positions of a scope stay together, so that their numbers do; occurrences
 * are counted anew. */
static void
settle_positions(struct cut *c)
{
	for (size_t i = 0; i < c->n_pos; i++) {
		struct cut_pos *q = &c->pos[i];
		uint32_t n = 0;

		q->whole = q->n_real_kept == q->n_real &&
		    (q->first_event == 0 || c->n_kept == c->n_ev ||
		    id_kept(c, q->first_event));
		for (uint32_t k = q->first_occ; k < q->first_occ + q->n_occ;
		    k++) {
			struct cut_occ *o = &c->occ[k];

			o->new_n = o->kept ? ++n : 0;
			q->whole = q->whole && !o->cut;
		}
		if (n > 0 || q->n_real_kept > 0)
			c->scope[q->scope].kept = true;
	}
	for (size_t i = 0; i < c->n_scopes && c->n_kept == c->n_ev; i++)
		c->scope[i].kept = true;
}

/* The real records of each position, together. */
static void
group_reals(struct cut *c)
{
	c->real_first = tl_xcalloc(c->n_pos + 2, sizeof *c->real_first);
	c->real_at = tl_xreallocarray(NULL, c->n_real, sizeof *c->real_at);
	for (size_t i = 0; i < c->n_real; i++)
		c->real_first[c->real[i].pos + 2]++;
	for (size_t i = 2; i < c->n_pos + 2; i++)
		c->real_first[i] += c->real_first[i - 1];
	for (size_t i = 0; i < c->n_real; i++)
		c->real_at[c->real_first[c->real[i].pos + 1]++] = (uint32_t)i;
}

static void
add_member(struct cut *c, struct cut_launch *l, uint32_t event)
{
	const struct cut_event *e;
	int64_t end;

	l->n_all++;
	if (!is_kept(c, event))
		return;
	e = &c->ev[event];
	end = e->start_ns + (e->dur_ns == TL_NONE ? 0 : e->dur_ns);
	if (l->n_kept++ == 0) {
		l->first = l->last = event;
		l->start_ns = e->start_ns;
		l->end_ns = end;
		return;
	}
	if (event < l->first)
		l->first = event;
	if (event > l->last)
		l->last = event;
	if (e->start_ns < l->start_ns)
		l->start_ns = e->start_ns;
	if (end > l->end_ns)
		l->end_ns = end;
}

static void
settle_launches(struct cut *c)
{
	c->unit_less = tl_xcalloc(c->text.n, sizeof *c->unit_less);
	c->unit_kept = tl_xcalloc(c->text.n, sizeof *c->unit_kept);
	for (size_t i = 0; i < c->n_members; i++) {
		uint32_t l = cut_launch_of(c, c->member[i].launch);

		if (is_kept(c, c->member[i].event))
			c->unit_kept[c->member[i].unit] = true;
		if (l != CUT_NO)
			add_member(c, &c->launch[l], c->member[i].event);
	}
	for (size_t i = 0; i < c->n_launches; i++) {
		struct cut_launch *l = &c->launch[i];

		l->kept = l->n_kept > 0 || id_kept(c, l->opaque) ||
		    (l->n_all == 0 && l->opaque == 0 &&
		    (l->call == 0 || id_kept(c, l->call))) ||
		    c->n_kept == c->n_ev;
		c->n_cut_launches += l->kept && l->n_kept < l->n_all;
		if (l->counted && (!l->kept || l->n_kept < l->n_all))
			c->unit_less[l->unit]++;
		if (l->kept)
			c->unit_kept[l->unit] = true;
	}
}

void
cut_settle(struct cut *c)
{
	settle_occs(c);
	settle_positions(c);
	group_reals(c);
	settle_launches(c);
}
