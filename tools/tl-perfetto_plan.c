#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

/* The earliest and the latest of what is drawn. */
static void
find_span(struct pf *p)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < p->n_ev; i++) {
		const struct pf_event *e = &p->ev[i];

		if (e->start_ns < from)
			from = e->start_ns;
		if (e->start_ns + e->dur_ns > to)
			to = e->start_ns + e->dur_ns;
	}
	for (size_t i = 0; i < p->n_occ; i++) {
		const struct pf_occ *o = &p->occ[i];

		if (!(o->flags & PF_DRAWN) || o->span_ns == TL_NONE)
			continue;
		if (o->start_ns < from)
			from = o->start_ns;
		if (o->start_ns + o->span_ns > to)
			to = o->start_ns + o->span_ns;
	}
	for (size_t i = 0; i < p->n_launches; i++) {
		const struct pf_launch *l = &p->launch[i];

		if (l->dur_ns == TL_NONE)
			continue;
		if (l->start_ns < from)
			from = l->start_ns;
		if (l->start_ns + l->dur_ns > to)
			to = l->start_ns + l->dur_ns;
	}
	for (size_t i = 0; i < p->n_sched_works; i++) {
		const struct pf_sched_work *w = &p->sched_work[i];

		if (w->start_ns < from)
			from = w->start_ns;
		if (w->start_ns + w->dur_ns > to)
			to = w->start_ns + w->dur_ns;
	}
	/* the queue begins with the calls, drawn or not */
	for (size_t i = 0; p->opt.counters && i < p->n_work; i++)
		if (p->work[i].call != PF_NO &&
		    p->call[p->work[i].call].start_ns < from)
			from = p->call[p->work[i].call].start_ns;
	if ((uint64_t)to - (uint64_t)from > INT64_MAX)
		tl_die("%s: it spans more than 292 years", p->name);
	p->origin_ns = from;
	p->end_ns = to;
}

static void
pack_events(struct pf *p)
{
	for (size_t i = 0; i < p->n_ev; i++) {
		struct pf_event *e = &p->ev[i];

		if (e->flags & PF_HIDDEN)
			continue;
		if (e->flags & PF_OPEN) {
			e->dur_ns = p->end_ns - e->start_ns;
			p->n_open++;
		}
		e->lane = pf_xpack(p->group[e->group].pack, e->start_ns,
		    e->dur_ns);
		if (e->kind == TL_MARK)
			p->n_instants++;
		else if (e->kind == TL_COUNTER)
			p->n_points++;
		else
			p->n_slices++;
	}
}

/* An occurrence or launch to be packed. */
struct piece {
	int64_t start_ns, dur_ns;
	uint32_t at;
};

static int
piece_cmp(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns > y->dur_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
pack_occs(struct pf *p)
{
	struct piece *v = tl_xreallocarray(NULL, p->n_occ, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < p->n_occ; i++) {
		struct pf_occ *o = &p->occ[i];

		if (p->pos[o->pos].hidden || o->span_ns == TL_NONE)
			o->flags = (uint8_t)(o->flags & ~PF_DRAWN);
		if (o->flags & PF_DRAWN)
			v[n++] = (struct piece){ o->start_ns, o->span_ns,
				(uint32_t)i };
	}
	if (n > 1)
		qsort(v, n, sizeof *v, piece_cmp);
	for (size_t i = 0; i < n; i++) {
		struct pf_occ *o = &p->occ[v[i].at];

		o->group = pf_xgroup(p, PF_DEPTH, p->pos[o->pos].depth +
		    (o->flags & PF_ITERATION ? 1U : 0U),
		    p->scope[p->pos[o->pos].scope].lane4);
		o->lane = pf_xpack(p->group[o->group].pack, o->start_ns,
		    o->span_ns);
	}
	p->n_slices += n;
	free(v);
}

static void
pack_launches(struct pf *p)
{
	struct piece *v = tl_xreallocarray(NULL, p->n_launches, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < p->n_launches; i++) {
		const struct pf_launch *l = &p->launch[i];

		if (l->dur_ns != TL_NONE)
			v[n++] = (struct piece){ l->start_ns, l->dur_ns,
				(uint32_t)i };
		else
			p->n_no_time++;
	}
	if (n > 1)
		qsort(v, n, sizeof *v, piece_cmp);
	for (size_t i = 0; i < n; i++) {
		struct pf_launch *l = &p->launch[v[i].at];

		l->lane = pf_xpack(p->group[l->group].pack, l->start_ns,
		    l->dur_ns);
	}
	p->n_slices += n;
	free(v);
}

void
pf_xplan(struct pf *p)
{
	pf_xtree(p);
	pf_xlaunches(p);
	pf_xflow(p);
	if (p->opt.counters)
		pf_xcount(p);
	if (p->opt.pack)
		pf_xpack_members(p);
	find_span(p);
	pack_events(p);
	if (p->opt.arrows)
		pf_xarrows(p);
	pack_occs(p);
	pack_launches(p);
	pf_xsched_pack(p);
	pf_xnotes(p);
	pf_xnumber(p);
}
