#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

static void
add_step(struct pf_step **v, size_t *n, size_t *cap, int64_t at_ns,
    uint32_t plane, int32_t by)
{
	*v = tl_xgrow(*v, *n, cap, sizeof **v);
	(*v)[(*n)++] = (struct pf_step){ at_ns, plane, by };
}

/* What was launched and had not begun. */
static void
find_queue(struct pf *p)
{
	for (size_t i = 0; i < p->n_work; i++) {
		const struct pf_work *w = &p->work[i];
		const struct pf_event *e = &p->ev[w->event];
		const struct pf_group *g = &p->group[e->group];
		int64_t call_ns;

		if (w->call == PF_NO || g->kind != PF_WORK ||
		    (e->flags & PF_HIDDEN))
			continue;
		call_ns = p->call[w->call].start_ns;
		if (e->start_ns < call_ns) {
			p->n_early++;
			continue;
		}
		add_step(&p->queue, &p->n_queue, &p->cap_queue, call_ns,
		    g->plane, 1);
		add_step(&p->queue, &p->n_queue, &p->cap_queue, e->start_ns,
		    g->plane, -1);
	}
}

/* A time in which a stream is never idle. */
struct busy {
	int64_t from, to;
};

static void
add_busy(struct pf *p, uint32_t group, const struct busy *b)
{
	if (b->from == b->to)
		return;
	add_step(&p->active, &p->n_active, &p->cap_active, b->from,
	    p->group[group].plane, 1);
	add_step(&p->active, &p->n_active, &p->cap_active, b->to,
	    p->group[group].plane, -1);
}

static void
find_active(struct pf *p)
{
	size_t n = p->n_groups;
	struct busy *busy = tl_xcalloc(n, sizeof *busy);

	for (size_t i = 0; i < p->n_ev; i++) {
		const struct pf_event *e = &p->ev[i];
		struct busy *b = &busy[e->group];

		if (p->group[e->group].kind != PF_WORK ||
		    (e->flags & PF_HIDDEN) || e->dur_ns == 0)
			continue;
		if (b->from == b->to || e->start_ns > b->to) {
			add_busy(p, e->group, b);
			*b = (struct busy){ e->start_ns, e->start_ns };
		}
		if (e->start_ns + e->dur_ns > b->to)
			b->to = e->start_ns + e->dur_ns;
	}
	for (size_t i = 0; i < n; i++)
		add_busy(p, (uint32_t)i, &busy[i]);
	free(busy);
}

static int
step_cmp(const void *a, const void *b)
{
	const struct pf_step *x = a, *y = b;

	if (x->plane != y->plane)
		return x->plane < y->plane ? -1 : 1;
	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

/* Turns steps into values, one where it changes; returns how many. */
static size_t
points(struct pf_step *v, size_t n)
{
	size_t out = 0;
	int32_t value = 0;

	if (n > 1)
		qsort(v, n, sizeof *v, step_cmp);
	for (size_t i = 0, k; i < n; i = k) {
		struct pf_step s = v[i];

		for (k = i + 1; k < n && step_cmp(&v[k], &s) == 0; k++)
			s.by += v[k].by;
		if (s.by == 0)
			continue;
		value += s.by;
		s.by = value;
		v[out++] = s;
	}
	return out;
}

void
pf_xcount(struct pf *p)
{
	find_queue(p);
	find_active(p);
	p->n_queue = points(p->queue, p->n_queue);
	p->n_active = points(p->active, p->n_active);
	p->n_points += p->n_queue + p->n_active;
}

static void
write_points(const struct pf *p, struct tl_json *j, const struct pf_step *v,
    size_t n, struct tl_str name, struct tl_str series)
{
	for (size_t i = 0; i < n; i++) {
		const struct pf_plane *q = &p->plane[v[i].plane];

		pf_xbegin(j, 'C', q->pid, q->tid);
		pf_xat(p, j, v[i].at_ns);
		TL_XJSON_KEY(j, "name");
		tl_xjson_text(j, name);
		TL_XJSON_KEY(j, "args");
		tl_xjson_begin(j, '{');
		tl_xjson_key(j, series);
		tl_xjson_i64(j, v[i].by);
		tl_xjson_end(j, '}');
		tl_xjson_end(j, '}');
	}
}

void
pf_xcount_write(const struct pf *p, struct tl_json *j)
{
	write_points(p, j, p->queue, p->n_queue, TL_LIT("queue"),
	    TL_LIT("depth"));
	write_points(p, j, p->active, p->n_active, TL_LIT("active"),
	    TL_LIT("streams"));
}
