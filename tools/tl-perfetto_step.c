#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "tl-perfetto.h"

/* Steps of a scheduler: a lane for each device, with a bar from a step's first
 * event there to its last. */

/* Columns of step and work records, from 0. */
enum {
	S_ID = 1, S_RUN = 4, S_STEP, S_PRODUCER, S_ORDINAL, S_TOKENS,
	S_REQUESTS, S_N
};
enum { W_STEP = 1, W_PROCESS, W_DEVICE, W_EVENTS, W_FIRST, W_START, W_SPAN,
	W_N };

void
pf_xsched(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[S_N];
	struct pf_sched *s;

	if (tl_fields(c, S_N, line.p, line.n) < S_N)
		pf_die_at(in, "record", line, "ten columns are needed");
	if (pf_xnumber_of(in, "step", c[S_ID], 1, PF_NO - 1) !=
	    (int64_t)p->n_scheds + 1)
		pf_die_at(in, "step", c[S_ID], "must be 1 more than the last");
	p->sched = tl_xgrow(p->sched, p->n_scheds, &p->cap_scheds,
	    sizeof *p->sched);
	s = &p->sched[p->n_scheds++];
	s->name = tl_xintern(&p->text, c[S_STEP]);
	s->run = tl_xintern(&p->text, c[S_RUN]);
	s->ordinal = tl_xintern(&p->text, c[S_ORDINAL]);
	s->tokens = tl_xintern(&p->text, c[S_TOKENS]);
	s->requests = tl_xintern(&p->text, c[S_REQUESTS]);
}

void
pf_xsched_work(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[W_N], lane4;
	struct pf_sched_work w = { .dur_ns = 0 };
	char *s;

	if (tl_fields(c, W_N, line.p, line.n) < W_N)
		pf_die_at(in, "record", line, "eight columns are needed");
	if (tl_str_none(c[W_START]) || tl_str_none(c[W_SPAN]))
		return;
	w.step = (uint32_t)pf_xnumber_of(in, "step", c[W_STEP], 1,
	    (int64_t)p->n_scheds) - 1;
	w.events = tl_xintern(&p->text, c[W_EVENTS]);
	w.start_ns = pf_xnumber_of(in, "start", c[W_START], INT64_MIN,
	    INT64_MAX);
	w.dur_ns = pf_xnumber_of(in, "span", c[W_SPAN], 0, w.start_ns > 0 ?
	    INT64_MAX - w.start_ns : INT64_MAX);
	s = tl_xmalloc(c[W_PROCESS].n + c[W_DEVICE].n + 5);
	memcpy(s, c[W_PROCESS].p, c[W_PROCESS].n + c[W_DEVICE].n + 1);
	memcpy(s + c[W_PROCESS].n + c[W_DEVICE].n + 1, "\t.\t.", 4);
	lane4 = (struct tl_str){ s, c[W_PROCESS].n + c[W_DEVICE].n + 5 };
	w.group = pf_xgroup(p, PF_STEPS, 0, lane4);
	free(s);
	p->sched_work = tl_xgrow(p->sched_work, p->n_sched_works,
	    &p->cap_sched_works, sizeof *p->sched_work);
	p->sched_work[p->n_sched_works++] = w;
}

static int
work_cmp(const void *a, const void *b)
{
	const struct pf_sched_work *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns > y->dur_ns ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

void
pf_xsched_pack(struct pf *p)
{
	if (p->n_sched_works > 1)
		qsort(p->sched_work, p->n_sched_works, sizeof *p->sched_work,
		    work_cmp);
	for (size_t i = 0; i < p->n_sched_works; i++) {
		struct pf_sched_work *w = &p->sched_work[i];

		w->lane = pf_xpack(p->group[w->group].pack, w->start_ns,
		    w->dur_ns);
	}
	p->n_slices += p->n_sched_works;
}

static void
put(const struct pf *p, struct tl_json *j, const char *key, uint32_t text)
{
	tl_xjson_key(j, (struct tl_str){ key, strlen(key) });
	tl_xjson_token(j, tl_intern_str(&p->text, text));
}

void
pf_xsched_write(const struct pf *p, struct tl_json *j)
{
	for (size_t i = 0; i < p->n_sched_works; i++) {
		const struct pf_sched_work *w = &p->sched_work[i];
		const struct pf_sched *s = &p->sched[w->step];

		pf_xslice(p, j, w->group, w->lane, w->start_ns, w->dur_ns,
		    "step");
		TL_XJSON_KEY(j, "name");
		tl_xjson_str(j);
		tl_xjson_str_puts(j, "step ");
		tl_xjson_str_text(j, tl_intern_str(&p->text, s->ordinal));
		tl_xjson_str_end(j);
		TL_XJSON_KEY(j, "args");
		tl_xjson_begin(j, '{');
		put(p, j, "step_id", s->name);
		put(p, j, "run_id", s->run);
		put(p, j, "scheduled_tokens", s->tokens);
		put(p, j, "requests", s->requests);
		put(p, j, "device_events", w->events);
		tl_xjson_end(j, '}');
		tl_xjson_end(j, '}');
	}
}
