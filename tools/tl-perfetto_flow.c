#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

/* Calls are kept in order of their ids; this is their order by correlation. */
struct key {
	uint64_t corr;
	uint32_t process, call;
};

static int
key_cmp(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->corr != y->corr)
		return x->corr < y->corr ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static struct key *
sort_calls(const struct pf *p)
{
	struct key *k = tl_xreallocarray(NULL, p->n_calls, sizeof *k);
	bool sorted = true;

	for (size_t i = 0; i < p->n_calls; i++) {
		k[i] = (struct key){ p->call[i].corr, p->call[i].process,
			(uint32_t)i };
		if (i > 0 && key_cmp(&k[i - 1], &k[i]) > 0)
			sorted = false;
	}
	if (!sorted)
		qsort(k, p->n_calls, sizeof *k, key_cmp);
	return k;
}

/* The first call of a correlation: that of the runtime, where the driver has
 * one of its own within. */
static uint32_t
find_call(const struct key *k, size_t n, const struct pf_work *w)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k[mid].process < w->process ||
		    (k[mid].process == w->process && k[mid].corr < w->corr))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && k[lo].process == w->process && k[lo].corr == w->corr ?
	    k[lo].call : PF_NO;
}

static uint32_t
call_of_id(const struct pf *p, uint64_t id)
{
	size_t lo = 0, hi = p->n_calls;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->call[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n_calls && p->call[lo].id == id ? (uint32_t)lo : PF_NO;
}

/* The call that launched the graph an event belongs to. */
static uint32_t
call_of_launch(const struct pf *p, uint32_t event)
{
	size_t lo = 0, hi = p->n_launches;
	uint32_t id = event < p->cap_member ? p->member[event].launch : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->launch[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return id != 0 && lo < p->n_launches && p->launch[lo].id == id ?
	    call_of_id(p, p->launch[lo].call) : PF_NO;
}

/* Perfetto binds an end of an arrow to the innermost slice that has begun by
 * then. Marks the calls with which something else begins that is not; a call
 * within the call (of the driver) is the same launch. */
static void
find_covered(struct pf *p)
{
	size_t *base = tl_xreallocarray(NULL, p->n_groups, sizeof *base);
	size_t n = 0;
	int64_t *begins; /* by lane: the start of the last such slice */

	for (size_t i = 0; i < p->n_groups; i++) {
		base[i] = n;
		n += pf_pack_lanes(p->group[i].pack);
	}
	begins = tl_xreallocarray(NULL, n, sizeof *begins);
	for (size_t i = 0; i < n; i++)
		begins[i] = INT64_MAX;
	for (size_t i = p->n_ev; i-- > 0;) {
		struct pf_event *e = &p->ev[i];
		int64_t *b = &begins[base[e->group] + e->lane];

		if (e->flags & PF_HIDDEN)
			continue;
		if (e->kind != TL_API && e->dur_ns > 0)
			*b = e->start_ns;
		else if (e->kind == TL_API && *b == e->start_ns)
			e->flags |= PF_COVERED;
	}
	free(begins);
	free(base);
}

void
pf_xarrows(struct pf *p)
{
	find_covered(p);
	p->first_arrow = tl_xreallocarray(NULL, p->n_ev,
	    sizeof *p->first_arrow);
	p->arrow_in = tl_xreallocarray(NULL, p->n_ev, sizeof *p->arrow_in);
	p->next_arrow = tl_xreallocarray(NULL, p->n_work,
	    sizeof *p->next_arrow);
	for (size_t i = 0; i < p->n_ev; i++)
		p->first_arrow[i] = p->arrow_in[i] = PF_NO;
	for (size_t i = p->n_work; i-- > 0;) {
		const struct pf_work *w = &p->work[i];
		uint32_t from = w->call == PF_NO ? PF_NO :
		    p->call[w->call].event;

		if (from == PF_NO || (p->ev[w->event].flags & PF_HIDDEN))
			continue;
		if (p->ev[from].flags & PF_COVERED) {
			p->n_covered++;
			continue;
		}
		p->next_arrow[i] = p->first_arrow[from];
		p->first_arrow[from] = (uint32_t)i;
		p->arrow_in[w->event] = (uint32_t)i;
		p->n_arrows++;
	}
}

void
pf_xflow(struct pf *p)
{
	struct key *k;

	if (!p->opt.arrows && !p->opt.counters)
		return;
	k = sort_calls(p);
	for (size_t i = 0; i < p->n_work; i++) {
		struct pf_work *w = &p->work[i];

		if (w->corr != PF_NO_CORR)
			w->call = find_call(k, p->n_calls, w);
		if (w->call == PF_NO)
			w->call = call_of_launch(p, w->event);
	}
	free(k);
}
