#include <stdlib.h>

#include "mem.h"
#include "tl-cut.h"

enum {
	P_ITERATIONS = 7, P_BODY, P_OCCURRENCES, P_FIRST, P_START, P_SPAN,
	P_ITER_MIN = 20, P_LABEL = 23, P_N
};

/* What is counted and measured of what is left of a position. */
struct left {
	uint64_t occurrences;
	uint64_t first_event;      /* 0 unknown */
	int64_t start_ns;          /* INT64_MAX unknown */
	int64_t cost[CUT_N_COSTS]; /* TL_NONE unknown */
	int64_t hundredths;        /* of iterations; TL_NONE: of no loop */
	int64_t iter[3];           /* least, median, most */
	bool has_iter;
};

static int
value_cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The lower median of value[0..n), n not 0; sorts them. */
static int64_t
median(struct cut *c, size_t n)
{
	qsort(c->value, n, sizeof *c->value, value_cmp);
	return c->value[(n - 1) / 2];
}

static void
need(struct cut *c, size_t n)
{
	if (n > c->cap_value) {
		c->cap_value = n;
		c->value = tl_xreallocarray(c->value, n, sizeof *c->value);
	}
}

/* An event's length is known; what ran beside it is not looked up again. */
static void
measure_events(struct cut *c, uint32_t pos, struct left *l)
{
	size_t from = c->real_first[pos], to = c->real_first[pos + 1], n = 0;

	need(c, to - from);
	for (size_t i = from; i < to; i++) {
		const struct cut_real *r = &c->real[c->real_at[i]];
		const struct cut_event *e = r->event == CUT_NO ? NULL :
		    &c->ev[r->event];

		if (e == NULL || !e->kept)
			continue;
		if (n == 0)
			l->first_event = cut_id(c, r->event);
		if (e->start_ns < l->start_ns)
			l->start_ns = e->start_ns;
		c->value[n++] = e->dur_ns;
	}
	l->occurrences = n;
	if (n > 0)
		l->cost[CUT_SPAN] = l->cost[CUT_BUSY] = median(c, n);
	if (n > 0)
		l->cost[CUT_IDLE] = 0;
}

/* True for an occurrence that the medians are over: kept, no iteration, and
 * full if any such is. */
static bool
counts(const struct cut_occ *o, bool any_full)
{
	return o->kept && !o->is_iteration && (o->full || !any_full);
}

static void
measure_costs(struct cut *c, const struct cut_pos *q, bool any_full,
    struct left *l)
{
	const struct cut_occ *o = &c->occ[q->first_occ];

	for (int k = 0; k < CUT_N_COSTS; k++) {
		size_t n = 0;
		bool known = true;

		for (uint32_t i = 0; i < q->n_occ; i++) {
			if (!counts(&o[i], any_full))
				continue;
			known = known && o[i].cost[k] != TL_NONE;
			c->value[n++] = o[i].cost[k];
		}
		if (n > 0 && known)
			l->cost[k] = median(c, n);
	}
}

/* Whole iterations and the fraction of cut ones, in hundredths: of loops as a
 * whole the median, else the sum of the iterations that are left. */
static void
measure_iterations(struct cut *c, const struct cut_pos *q, bool any_full,
    struct left *l)
{
	const struct cut_occ *o = &c->occ[q->first_occ];
	size_t n = 0;
	uint64_t events = 0;

	for (uint32_t i = 0; i < q->n_occ; i++) {
		if (o[i].kept && o[i].is_iteration)
			events += o[i].n_kept;
		if (counts(&o[i], any_full) && q->body_events > 0)
			c->value[n++] = (int64_t)(o[i].n_kept * 100 /
			    q->body_events);
	}
	l->hundredths = q->body_events == 0 ? 0 : n > 0 ? median(c, n) :
	    (int64_t)(events * 100 / q->body_events);
	n = 0;
	for (uint32_t i = 0; i < q->n_occ; i++)
		if (o[i].kept && o[i].is_iteration && o[i].full &&
		    o[i].period_ns != INT64_MIN)
			c->value[n++] = o[i].period_ns;
	l->has_iter = n > 0;
	if (n == 0)
		return;
	l->iter[1] = median(c, n);
	l->iter[0] = c->value[0];
	l->iter[2] = c->value[n - 1];
}

static void
measure(struct cut *c, uint32_t pos, struct left *l)
{
	const struct cut_pos *q = &c->pos[pos];
	bool any_full = false, first = true;

	*l = (struct left){ .start_ns = INT64_MAX, .hundredths = TL_NONE };
	for (int k = 0; k < CUT_N_COSTS; k++)
		l->cost[k] = TL_NONE;
	if (q->kind == CUT_LEAF) {
		measure_events(c, pos, l);
		return;
	}
	need(c, q->n_occ);
	for (uint32_t i = q->first_occ; i < q->first_occ + q->n_occ; i++) {
		const struct cut_occ *o = &c->occ[i];

		if (!o->kept)
			continue;
		if (first)
			l->first_event = o->first_event;
		first = false;
		if (o->start_ns < l->start_ns && o->start_ns != INT64_MIN)
			l->start_ns = o->start_ns;
		l->occurrences += !o->is_iteration;
		any_full |= o->full && !o->is_iteration;
	}
	measure_costs(c, q, any_full, l);
	if (q->kind == CUT_LOOP)
		measure_iterations(c, q, any_full, l);
}

/* Events that take part in a root, of which there is one occurrence. */
static uint64_t
root_events(const struct cut *c, const struct cut_pos *q)
{
	uint64_t n = 0;

	for (uint32_t i = q->first_occ; i < q->first_occ + q->n_occ; i++)
		if (c->occ[i].kept && c->occ[i].first_real != CUT_NO)
			n += c->occ[i].n_kept;
	return n;
}

static void
put_signed(struct tl_evout *o, int64_t v, bool known)
{
	if (known)
		tl_xevout_i64(o, v);
	else
		tl_xevout_none(o);
}

static void
put_left(struct tl_evout *o, const struct left *l)
{
	tl_xevout_u64(o, l->occurrences);
	if (l->first_event == 0)
		tl_xevout_none(o);
	else
		tl_xevout_u64(o, l->first_event);
	put_signed(o, l->start_ns, l->start_ns != INT64_MAX);
	for (int k = 0; k < CUT_N_COSTS; k++)
		tl_xevout_ns(o, l->cost[k]);
	for (int k = 0; k < 3; k++)
		put_signed(o, l->iter[k], l->has_iter);
}

void
cut_xpos_write(struct cut *c, uint32_t pos, struct tl_str line)
{
	const struct cut_pos *q = &c->pos[pos];
	struct tl_evout *o = &c->out;
	struct tl_str f[P_N];
	struct left l;

	if (!c->scope[q->scope].kept)
		return;
	if (q->whole) {
		tl_xevout_line(o, line);
		return;
	}
	tl_fields(f, P_N, line.p, line.n);
	measure(c, pos, &l);
	tl_xevout_rec(o, TL_POS);
	for (int i = 1; i < P_ITERATIONS; i++)
		tl_xevout_raw(o, f[i]);
	if (l.hundredths == TL_NONE)
		tl_xevout_none(o);
	else
		tl_xout_printf(&o->out, "\t%lld.%02d",
		    (long long)(l.hundredths / 100),
		    (int)(l.hundredths % 100));
	if (q->kind == CUT_ROOT && q->body_events > 0)
		tl_xevout_u64(o, root_events(c, q));
	else
		tl_xevout_raw(o, f[P_BODY]);
	put_left(o, &l);
	/* the label, and columns that later versions add */
	tl_xevout_raw(o, (struct tl_str){ f[P_LABEL].p,
	    (size_t)(line.p + line.n - f[P_LABEL].p) });
	tl_xevout_eol(o);
}
