#include <stdlib.h>

#include "tl-recover_tree.h"

/* Columns of a position that are medians over its occurrences. */
enum {
	SPAN, BUSY, COMPUTE, COMM, COMM_EXPOSED, COPY, COPY_EXPOSED, IDLE,
	N_COLUMNS,
	PERIOD = N_COLUMNS /* of a variant only */
};

/* What is measured of one window. */
struct measure {
	int64_t start_ns;
	int64_t col[N_COLUMNS];
	int64_t sum_ns;
};

struct writer {
	struct tl_evout *out;
	struct tl_str name;
	const struct rec_capture *cap;
	const struct rec_scope *s;
	const struct rec_tree *tree;
	const struct rec_place *p;
	struct tl_costs *costs;
	struct rec_groups occs, leaves;
	uint32_t *number;  /* [n_pos] in the output, from 1 */
	uint32_t *ordinal; /* [n_pos] among the siblings that are there */
	int64_t *col[N_COLUMNS]; /* for medians: values of one position */
	int64_t *period, *hundredths;
	size_t cap_values;
};

static const struct rec_event *
event_at(const struct writer *w, size_t i)
{
	return &w->s->ev[w->s->order[i]];
}

static void
measure_window(struct writer *w, struct measure *m, int64_t from, int64_t to)
{
	struct tl_cost c = tl_cost_of(w->costs, from, to);

	m->start_ns = from;
	m->col[SPAN] = to - from;
	m->col[BUSY] = c.busy;
	m->col[COMPUTE] = c.compute;
	m->col[COMM] = c.comm;
	m->col[COMM_EXPOSED] = c.comm_exposed;
	m->col[COPY] = c.copy;
	m->col[COPY_EXPOSED] = c.copy_exposed;
	m->col[IDLE] = to - from - c.busy;
}

/* Adds a duration to a sum; a sum past 64 bits becomes TL_NONE. */
static void
add_up(int64_t *sum, const struct rec_event *e)
{
	int64_t dur = e->end_ns - e->start_ns;

	if (*sum != TL_NONE)
		*sum = *sum > INT64_MAX - dur ? TL_NONE : *sum + dur;
}

/* Window of events [first, first + n) of the order, n not 0. */
static void
measure_members(struct writer *w, struct measure *m, size_t first, size_t n)
{
	int64_t from = INT64_MAX, to = INT64_MIN, sum = 0;

	for (size_t i = first; i < first + n; i++) {
		const struct rec_event *e = event_at(w, i);

		if (e->start_ns < from)
			from = e->start_ns;
		if (e->end_ns > to)
			to = e->end_ns;
		add_up(&sum, e);
	}
	measure_window(w, m, from, to);
	m->sum_ns = sum;
}

/* The root's window is that of all device events of the scope. */
static void
measure_root(struct writer *w, struct measure *m)
{
	int64_t from = INT64_MAX, to = INT64_MIN, sum = 0;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct rec_event *e = &w->s->ev[i];

		if (e->flags & REC_GONE)
			continue;
		if (e->start_ns < from)
			from = e->start_ns;
		if (e->end_ns > to)
			to = e->end_ns;
	}
	for (size_t i = 0; i < w->s->n_order; i++)
		add_up(&sum, event_at(w, i));
	measure_window(w, m, from, to);
	m->sum_ns = sum;
}

static void
measure_occ(struct writer *w, struct measure *m, const struct rec_occ *o)
{
	if (o->pos == 0)
		measure_root(w, m);
	else
		measure_members(w, m, o->first, o->n);
}

static bool
is_there(const struct writer *w, uint32_t pos)
{
	const struct rec_groups *g = w->p->pos[pos].kind == REC_POS_EVENT ?
	    &w->leaves : &w->occs;

	return g->first[pos] < g->first[pos + 1];
}

/* Numbers the positions that occur. Places of a graph that only replays on
 * other devices have do not. */
static void
number_positions(struct writer *w)
{
	const struct rec_place *p = w->p;
	uint32_t n = 0, *children = tl_xcalloc(p->n_pos, sizeof *children);

	w->number = tl_xcalloc(p->n_pos, sizeof *w->number);
	w->ordinal = tl_xcalloc(p->n_pos, sizeof *w->ordinal);
	for (uint32_t pos = 0; pos < p->n_pos; pos++) {
		if (!is_there(w, pos))
			continue;
		w->number[pos] = ++n;
		w->ordinal[pos] = pos == 0 ? 1 :
		    ++children[p->pos[pos].parent];
	}
	free(children);
}

static void
need_values(struct writer *w, size_t n)
{
	if (n <= w->cap_values)
		return;
	w->cap_values = n;
	for (int c = 0; c < N_COLUMNS; c++)
		w->col[c] = tl_xreallocarray(w->col[c], n, sizeof *w->col[c]);
	w->period = tl_xreallocarray(w->period, n, sizeof *w->period);
	w->hundredths = tl_xreallocarray(w->hundredths, n,
	    sizeof *w->hundredths);
}

static void
put_position(struct writer *w, uint32_t pos)
{
	tl_xout_printf(&w->out->out, "\tN%03u", w->number[pos]);
}

/* "N002#7" for an occurrence, "." for none. */
static void
put_occurrence(struct writer *w, uint32_t occ)
{
	if (occ == REC_NO_POS) {
		tl_xevout_none(w->out);
		return;
	}
	put_position(w, w->p->occ[occ].pos);
	tl_xout_c(&w->out->out, '#');
	tl_xout_u64(&w->out->out, w->p->occ[occ].n_in_pos);
}

static void
put_count(struct writer *w, uint64_t n)
{
	if (n == 0)
		tl_xevout_none(w->out);
	else
		tl_xevout_u64(w->out, n);
}

/* What a pos record holds beside what struct rec_pos has. */
struct summary {
	int64_t hundredths; /* iterations * 100; TL_NONE for what is no loop */
	size_t occurrences;
	size_t first;       /* in the order */
	int64_t start_ns;
	int64_t col[N_COLUMNS];
	int64_t iter_min, iter_median, iter_max;
	bool has_iter;
};

static void
take_medians(struct writer *w, struct summary *sum, size_t n)
{
	for (int c = 0; c < N_COLUMNS; c++) {
		sum->col[c] = 0;
		for (size_t i = 0; i < n && sum->col[c] != TL_NONE; i++)
			if (w->col[c][i] == TL_NONE)
				sum->col[c] = TL_NONE;
		if (sum->col[c] != TL_NONE)
			sum->col[c] = rec_lower_median(w->col[c], n);
	}
}

static void
put_pos(struct writer *w, uint32_t pos, const struct summary *sum)
{
	static const char *const kinds[] = { "root", "seq", "loop", "replay",
		"event" };
	const struct rec_pos *q = &w->p->pos[pos];
	struct tl_evout *o = w->out;

	tl_xevout_rec(o, TL_POS);
	tl_xevout_raw(o, w->name);
	put_position(w, pos);
	if (q->parent == REC_NO_POS)
		tl_xevout_none(o);
	else
		put_position(w, q->parent);
	tl_xevout_u64(o, w->ordinal[pos]);
	tl_xevout_u64(o, q->depth);
	tl_xout_printf(&o->out, "\t%s", kinds[q->kind]);
	if (sum->hundredths == TL_NONE)
		tl_xevout_none(o);
	else
		tl_xout_printf(&o->out, "\t%lld.%02d",
		    (long long)(sum->hundredths / 100),
		    (int)(sum->hundredths % 100));
	tl_xevout_u64(o, q->body_events);
	tl_xevout_u64(o, sum->occurrences);
	if (w->s->n_order == 0)
		tl_xevout_none(o);
	else
		tl_xevout_u64(o, event_at(w, sum->first)->id);
	tl_xevout_i64(o, sum->start_ns);
	for (int c = 0; c < N_COLUMNS; c++)
		tl_xevout_ns(o, sum->col[c]);
	if (sum->has_iter) {
		tl_xevout_i64(o, sum->iter_min);
		tl_xevout_i64(o, sum->iter_median);
		tl_xevout_i64(o, sum->iter_max);
	} else {
		tl_xevout_none(o);
		tl_xevout_none(o);
		tl_xevout_none(o);
	}
	if (q->kind == REC_POS_ROOT)
		tl_xevout_raw(o, w->name);
	else if (q->kind == REC_POS_EVENT)
		tl_xevout_raw(o, tl_intern_str(&w->cap->text,
		    event_at(w, sum->first)->sym));
	else if (q->kind == REC_POS_REPLAY)
		tl_xout_printf(&o->out, "\tU%llu", (unsigned long long)
		    w->cap->unit[q->unit].id);
	else if (q->kind == REC_POS_SEQ && q->tree == NULL)
		tl_xout_printf(&o->out, "\tstream %u", q->lane);
	else if (q->tree != NULL && q->tree->label != NULL &&
	    q->tree->label[q->def - q->tree->n_sym].n > 0)
		tl_xevout_text(o, q->tree->label[q->def - q->tree->n_sym]);
	else
		tl_xevout_raw(o, (struct tl_str){ kinds[q->kind],
		    strlen(kinds[q->kind]) });
	tl_xevout_eol(o);
}

static void
put_occ(struct writer *w, uint32_t occ, const struct measure *m,
    int64_t period, bool has_period)
{
	const struct rec_occ *q = &w->p->occ[occ];
	struct tl_evout *o = w->out;

	tl_xevout_rec(o, TL_OCC);
	tl_xevout_raw(o, w->name);
	put_position(w, q->pos);
	tl_xevout_u64(o, q->n_in_pos);
	put_occurrence(w, q->parent);
	put_count(w, q->iteration);
	tl_xevout_raw(o, q->full ? TL_LIT("full") : TL_LIT("partial"));
	if (w->s->n_order == 0)
		tl_xevout_none(o);
	else
		tl_xevout_u64(o, event_at(w, q->first)->id);
	tl_xevout_i64(o, m->start_ns);
	tl_xevout_ns(o, m->col[SPAN]);
	if (has_period)
		tl_xevout_i64(o, period);
	else
		tl_xevout_none(o);
	for (int c = BUSY; c < N_COLUMNS; c++)
		tl_xevout_ns(o, m->col[c]);
	tl_xevout_ns(o, m->sum_ns);
	if (q->variant > 0)
		tl_xevout_u64(o, q->variant);
	tl_xevout_eol(o);
}

/* Leaf positions: their events are their measurements. */
static void
write_leaf(struct writer *w, uint32_t pos)
{
	const uint32_t *at = w->leaves.at + w->leaves.first[pos];
	size_t n = w->leaves.first[pos + 1] - w->leaves.first[pos];
	struct summary sum = { .hundredths = TL_NONE, .occurrences = n,
		.first = at[0], .start_ns = INT64_MAX };

	need_values(w, n);
	for (size_t i = 0; i < n; i++) {
		struct measure m;

		measure_members(w, &m, at[i], 1);
		for (int c = 0; c < N_COLUMNS; c++)
			w->col[c][i] = m.col[c];
		if (m.start_ns < sum.start_ns)
			sum.start_ns = m.start_ns;
	}
	take_medians(w, &sum, n);
	put_pos(w, pos, &sum);
}

/* Statistics over the periods of full iterations. */
static void
sum_periods(struct writer *w, struct summary *sum, size_t n)
{
	sum->has_iter = n > 0;
	if (n == 0)
		return;
	sum->iter_min = sum->iter_max = w->period[0];
	for (size_t i = 1; i < n; i++) {
		if (w->period[i] < sum->iter_min)
			sum->iter_min = w->period[i];
		if (w->period[i] > sum->iter_max)
			sum->iter_max = w->period[i];
	}
	sum->iter_median = rec_lower_median(w->period, n);
}

/* The lower median of a column over the n iterations of a variant, over full
 * ones where there are any; TL_NONE where none has it. */
static int64_t
variant_median(struct writer *w, const uint32_t *at, const struct measure *m,
    const uint32_t *of, size_t n, int column)
{
	size_t k = 0;

	for (int full = 1; full >= 0 && k == 0; full--)
		for (size_t i = 0; i < n; i++) {
			const struct rec_occ *o = &w->p->occ[at[of[i]]];

			if (o->full < full || (column == PERIOD && o->last))
				continue;
			w->period[k++] = column == PERIOD ?
			    m[of[i] + 1].start_ns - m[of[i]].start_ns :
			    m[of[i]].col[column];
		}
	return k == 0 ? TL_NONE : rec_lower_median(w->period, k);
}

static void
put_variant(struct writer *w, const struct rec_variant *v, uint32_t number,
    const uint32_t *at, const struct measure *m, const uint32_t *of)
{
	static const int columns[] = { PERIOD, SPAN, BUSY, IDLE };
	struct tl_evout *o = w->out;

	tl_xevout_rec(o, TL_VARIANT);
	tl_xevout_raw(o, w->name);
	put_position(w, v->pos);
	tl_xevout_u64(o, number);
	tl_xevout_u64(o, v->count);
	put_occurrence(w, v->first);
	for (int k = REC_NEAR_EXTRA; k <= REC_NEAR_REPLACED; k++)
		tl_xevout_u64(o, v->n[k]);
	for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
		int64_t t = variant_median(w, at, m, of, v->count,
		    columns[k]);

		if (t == TL_NONE)
			tl_xevout_none(o);
		else
			tl_xevout_i64(o, t);
	}
	tl_xevout_eol(o);
}

/* Variants of a position, whose n occurrences are at[], measured m[]. */
static void
write_variants(struct writer *w, uint32_t pos, const uint32_t *at,
    const struct measure *m, size_t n)
{
	const struct rec_place *p = w->p;
	size_t lo = 0, hi = p->n_variant;
	struct rec_groups g;
	uint32_t *of, number;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->variant[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < p->n_variant && p->variant[hi].pos == pos; hi++)
		;
	if (lo == hi)
		return;
	of = tl_xreallocarray(NULL, n, sizeof *of);
	for (size_t i = 0; i < n; i++)
		of[i] = p->occ[at[i]].variant;
	rec_group(&g, hi - lo + 1, n, of, sizeof *of);
	for (number = 1; lo < hi; lo++, number++)
		put_variant(w, &p->variant[lo], number, at, m,
		    g.at + g.first[number]);
	free(g.first);
	free(g.at);
	free(of);
}

/* A position and its occurrences. Columns are over full occurrences, over all
 * where there is none that is full. */
static void
write_inner(struct writer *w, uint32_t pos)
{
	const struct rec_pos *q = &w->p->pos[pos];
	const uint32_t *at = w->occs.at + w->occs.first[pos];
	size_t n = w->occs.first[pos + 1] - w->occs.first[pos];
	struct measure *m = tl_xreallocarray(NULL, n, sizeof *m);
	struct summary sum = { .hundredths = TL_NONE,
		.first = w->p->occ[at[0]].first, .start_ns = INT64_MAX };
	size_t n_values = 0, n_periods = 0;
	bool any_full = false;

	need_values(w, n);
	for (size_t i = 0; i < n; i++) {
		const struct rec_occ *o = &w->p->occ[at[i]];

		measure_occ(w, &m[i], o);
		if (m[i].start_ns < sum.start_ns)
			sum.start_ns = m[i].start_ns;
		any_full |= o->full && !o->is_iteration;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rec_occ *o = &w->p->occ[at[i]];

		if (o->is_iteration) {
			if (o->full && !o->last)
				w->period[n_periods++] =
				    m[i + 1].start_ns - m[i].start_ns;
			continue;
		}
		sum.occurrences++;
		if (any_full && !o->full)
			continue;
		for (int c = 0; c < N_COLUMNS; c++)
			w->col[c][n_values] = m[i].col[c];
		w->hundredths[n_values++] = (int64_t)o->whole * 100 +
		    (o->part == 0 ? 0 : (int64_t)o->part * 100 /
		    q->body_events);
	}
	take_medians(w, &sum, n_values);
	if (q->kind == REC_POS_LOOP)
		sum.hundredths = rec_lower_median(w->hundredths, n_values);
	sum_periods(w, &sum, n_periods);
	put_pos(w, pos, &sum);
	for (size_t i = 0; i < n; i++) {
		const struct rec_occ *o = &w->p->occ[at[i]];
		bool has = o->is_iteration && !o->last;

		put_occ(w, at[i], &m[i], has ? m[i + 1].start_ns -
		    m[i].start_ns : 0, has);
	}
	write_variants(w, pos, at, m, n);
	free(m);
}

static void
put_deviation(struct writer *w, const struct rec_deviation *d)
{
	static const char *const kinds[] = { "", "extra", "missing",
		"replaced" };
	const struct rec_occ *o = &w->p->occ[d->owner];

	tl_xevout_rec(w->out, TL_DEV);
	tl_xevout_raw(w->out, w->name);
	put_occurrence(w, d->owner);
	put_count(w, o->is_iteration ? o->iteration : 0);
	tl_xout_printf(&w->out->out, "\t%s", kinds[d->kind]);
	if (w->number[d->pos] == 0)
		tl_xevout_none(w->out);
	else
		put_position(w, d->pos);
	if (d->kind == REC_NEAR_MISSING)
		tl_xevout_none(w->out);
	else
		tl_xevout_u64(w->out, event_at(w, d->at)->id);
	tl_xevout_eol(w->out);
}

static void
write_members(struct writer *w)
{
	size_t d = 0;

	for (size_t i = 0; i <= w->s->n_order; i++) {
		while (d < w->p->n_dev && w->p->dev[d].at <= i)
			put_deviation(w, &w->p->dev[d++]);
		if (i == w->s->n_order)
			break;
		uint32_t owner = w->p->owner[i];
		const struct rec_occ *o;

		if (w->p->leaf[i] == w->p->n_pos)
			continue; /* takes no part: a replay's copy or fill */
		o = &w->p->occ[owner];
		tl_xevout_rec(w->out, TL_REAL);
		tl_xevout_u64(w->out, event_at(w, i)->id);
		tl_xevout_raw(w->out, w->name);
		put_position(w, w->p->leaf[i]);
		put_occurrence(w, owner);
		put_count(w, o->is_iteration ? o->iteration : 0);
		tl_xevout_eol(w->out);
	}
}

void
rec_write(struct tl_evout *out, struct tl_str name,
    const struct rec_capture *cap, const struct rec_scope *s,
    const struct rec_tree *tree, const struct rec_place *p,
    struct tl_costs *costs)
{
	struct writer w = { .out = out, .name = name, .cap = cap, .s = s,
		.tree = tree, .p = p, .costs = costs };

	rec_group(&w.occs, p->n_pos, p->n_occ, &p->occ[0].pos, sizeof *p->occ);
	rec_group(&w.leaves, p->n_pos + 1, s->n_order, p->leaf, sizeof *p->leaf);
	number_positions(&w);
	for (uint32_t pos = 0; pos < p->n_pos; pos++) {
		if (!is_there(&w, pos))
			continue;
		if (p->pos[pos].kind == REC_POS_EVENT)
			write_leaf(&w, pos);
		else
			write_inner(&w, pos);
	}
	write_members(&w);
	free(w.number);
	free(w.ordinal);
	free(w.occs.first);
	free(w.occs.at);
	free(w.leaves.first);
	free(w.leaves.at);
	for (int c = 0; c < N_COLUMNS; c++)
		free(w.col[c]);
	free(w.period);
	free(w.hundredths);
}
