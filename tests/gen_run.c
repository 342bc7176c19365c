#include "gen_sim.h"

#include <stdlib.h>

uint32_t
run_proc(const struct sim *s, const struct proc *p)
{
	return (uint32_t)(p - s->procs);
}

void
run_emit(struct sim *s, struct proc *p, struct gen_ev *e)
{
	int pass = e->kind >= EV_OP ? PASS_HOST : PASS_DEV;

	e->proc = (uint8_t)run_proc(s, p);
	if (e->kind != EV_PY && s->o->py_ppm)
		p->py_acc += s->o->py_ppm *
		    (uint64_t)(1 + (pass == PASS_DEV && s->o->flows));
	if (!(s->passes & pass))
		return;
	if (s->a && pass == PASS_DEV)
		gen_ans_ev(s->a, e);
	if (s->o->ctx && pass == PASS_DEV)
		gen_ctx_ev(s->o->ctx, s->o, e, p->thread ? -1 : p->exec,
		    !p->hidden);
	s->sink(s->ctx, e);
}

int64_t
run_quant(const struct sim *s, int64_t ns)
{
	return (ns + s->o->quantum - 1) / s->o->quantum * s->o->quantum;
}

int64_t
run_span(struct sim *s, struct proc *p, int64_t lo, int64_t hi)
{
	return run_quant(s, gen_range(&p->time, lo, hi));
}

/* Frames inside the host's time between two calls, nested, outermost first. */
static void
emit_python(struct sim *s, struct proc *p, int64_t a, int64_t b)
{
	uint64_t unit = GEN_PPM - s->o->py_ppm;
	int64_t n = (int64_t)(p->py_acc / unit), step = (b - a) / (2 * n + 2);

	p->py_acc %= unit;
	for (int64_t i = 0; i < n; i++) {
		struct gen_ev e = {.kind = EV_PY};

		e.start = (a + i * step) / s->o->quantum * s->o->quantum;
		e.dur = (b - i * step) / s->o->quantum * s->o->quantum;
		e.dur -= e.start;
		e.lane = (uint16_t)p->thread;
		e.arg = (uint64_t)++p->pyid;
		e.ext = i ? (uint32_t)p->pyid - 1 : 0;
		e.sym = (uint32_t)gen_rand(&p->aux);
		run_emit(s, p, &e);
	}
}

static void
emit_osrt(struct sim *s, struct proc *p, int64_t a, int64_t b)
{
	int64_t n, step;

	p->osrt_acc += s->o->osrt_ppm;
	n = (int64_t)(p->osrt_acc / GEN_PPM);
	p->osrt_acc %= GEN_PPM;
	step = (b - a) / (n + 1);
	for (int64_t i = 0; i < n; i++) {
		struct gen_ev e = {.kind = EV_OSRT};

		e.start = a + i * step;
		e.dur = step / 2;
		e.lane = (uint16_t)p->thread;
		e.sym = (uint32_t)i % 3;
		run_emit(s, p, &e);
	}
}

uint64_t
run_call(struct sim *s, struct proc *p, uint32_t call, int64_t dur, bool show)
{
	struct gen_ev e = {.kind = EV_API, .sym = call};

	e.corr = ++p->corr;
	e.start = p->host;
	e.dur = dur;
	e.ext = p->ext;
	e.lane = (uint16_t)p->thread;
	p->host += dur;
	p->idle0 = p->host;
	if (show)
		run_emit(s, p, &e);
	return e.corr;
}

void
run_before(struct sim *s, struct proc *p, struct gen_ev *ops)
{
	const struct gen_opt *o = s->o;
	uint32_t n = o->api_ppm / GEN_PPM +
	    gen_chance(&p->aux, o->api_ppm % GEN_PPM);

	for (uint32_t i = 0; i < n; i++) {
		p->ext = 0;
		p->host += run_span(s, p, 200, 800);
		run_call(s, p, CALL_EXTRA + gen_below(&p->aux,
		    GEN_EXTRA_CALLS), run_span(s, p, 300, 1500), true);
	}
	p->host += run_span(s, p, 1000, 3000);
	if (o->py_ppm)
		emit_python(s, p, p->idle0, p->host);
	if (o->osrt_ppm)
		emit_osrt(s, p, p->idle0, p->host);
	for (uint32_t i = 0; i < o->ops; i++) {
		ops[i] = (struct gen_ev){.kind = EV_OP};
		ops[i].start = p->host;
		ops[i].lane = (uint16_t)p->thread;
		ops[i].ext = ++p->ext;
		p->host += run_span(s, p, 300, 900);
	}
}

void
run_after(struct sim *s, struct proc *p, struct gen_ev *ops, uint32_t sym)
{
	for (uint32_t i = s->o->ops; i-- > 0;) {
		p->host += run_span(s, p, 100, 400);
		ops[i].dur = p->host - ops[i].start;
		ops[i].sym = sym + i;
	}
	for (uint32_t i = 0; i < s->o->ops; i++)
		run_emit(s, p, &ops[i]);
}

int64_t
run_wait(struct sim *s, struct proc *p)
{
	int64_t d = run_span(s, p, 2000, 6000);
	int64_t free_at = p->queue[p->nqueue % QUEUE];

	return p->host + d < free_at ? free_at - p->host : d;
}

/* Puts an event on a device's stream, no earlier than ready. */
static void
place(struct sim *s, struct proc *p, struct gen_ev *e, int64_t ready)
{
	const struct gen_opt *o = s->o;
	int64_t *end = &p->dev[e->dev][e->lane];
	int64_t *last = &p->last[e->dev][e->lane];
	int64_t t = *end + run_span(s, p, 500, 1500);

	if (gen_chance(&p->aux, o->overlap_ppm))
		t = *end - run_quant(s, (*end - *last) / 4);
	if (t < ready)
		t = ready;
	if (t < *last + o->quantum)
		t = *last + o->quantum;
	e->start = t;
	*last = t;
	if (t + e->dur > *end)
		*end = t + e->dur;
	if (p->mark0 < 0 || t < p->mark0)
		p->mark0 = t;
	if (t + e->dur > p->mark1)
		p->mark1 = t + e->dur;
}

static int64_t
kernel_dur(struct sim *s, struct proc *p, uint32_t sym)
{
	int64_t base = s->g->sym[sym].dur;
	int64_t j = base / 1000 * s->o->jitter_ppm / 1000;
	int64_t d = run_quant(s, gen_range(&p->time, base - j, base + j));

	if (gen_chance(&p->aux, s->o->zero_ppm))
		return 0;
	return d < s->o->quantum ? s->o->quantum : d;
}

void
run_copy(struct sim *s, struct proc *p, uint8_t kind, uint32_t what)
{
	const struct gen_opt *o = s->o;

	for (uint32_t d = 0; d < o->devs; d++) {
		struct gen_ev ops[GEN_MAX_OPS], e = {.kind = kind, .sym = what};
		int64_t at;

		run_before(s, p, ops);
		at = p->host;
		e.corr = run_call(s, p, kind == EV_COPY ? CALL_COPY
		    : CALL_FILL, run_wait(s, p), true);
		e.ext = p->ext;
		e.dev = (uint8_t)d;
		e.lane = kind == EV_COPY && o->copy_lane
		    ? (uint16_t)(o->streams + 1) : 0;
		e.arg = (uint64_t)4 << gen_below(&p->aux, 21);
		e.dur = run_quant(s, 800 + (int64_t)e.arg / 20);
		place(s, p, &e, at + run_span(s, p, 2000, 6000));
		run_after(s, p, ops, 6);
		run_emit(s, p, &e);
	}
}

/* Spreads the fills of a step over its kernels. */
static void
maybe_fill(struct sim *s, struct proc *p)
{
	if (p->fills &&
	    gen_below(&p->aux, p->kernels_left ? p->kernels_left : 1) <
	    p->fills) {
		p->fills--;
		run_copy(s, p, EV_FILL, 0);
	}
	if (p->kernels_left)
		p->kernels_left--;
}

void
run_kernel(struct sim *s, struct proc *p, uint32_t sym, uint32_t lane)
{
	const struct gen_opt *o = s->o;

	maybe_fill(s, p);
	for (uint32_t d = 0; d < o->devs; d++) {
		struct gen_ev ops[GEN_MAX_OPS], e = {.kind = EV_KERNEL};
		bool show = p->calls_cut >= o->no_api;
		int64_t at;

		run_before(s, p, ops);
		at = p->host;
		e.corr = run_call(s, p, CALL_LAUNCH, run_wait(s, p), show);
		p->calls_cut += !show;
		p->hidden = !show;
		e.sym = sym;
		e.ext = p->ext;
		e.dev = (uint8_t)d;
		e.lane = (uint16_t)lane;
		e.dur = kernel_dur(s, p, sym);
		if (s->g->sym[sym].comm && at < p->dev[d][0])
			at = p->dev[d][0];
		place(s, p, &e, at + run_span(s, p, 2000, 6000));
		p->queue[p->nqueue++ % QUEUE] = e.start;
		run_after(s, p, ops, sym);
		run_emit(s, p, &e);
		p->hidden = false;
	}
}

static int
by_start(const void *a, const void *b)
{
	const struct gen_ev *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur > y->dur ? -1 : 1;
	return x->corr < y->corr ? -1 : x->corr > y->corr;
}

void
run_graph(struct sim *s, struct proc *p, uint32_t unit, uint32_t d, int64_t at,
    uint64_t corr)
{
	const struct gen_opt *o = s->o;
	struct gen_ev *v = s->launch;
	struct gen_ev whole = {.kind = EV_GRAPH};
	int64_t end = 0, ready = at + run_span(s, p, 4000, 9000);

	for (uint32_t l = 0; l < GEN_MAX_LANES; l++)
		if (ready < p->dev[d][l])
			ready = p->dev[d][l];
	for (uint32_t i = 0; i < s->nmem; i++) {
		v[i] = (struct gen_ev){.kind = EV_KERNEL};
		v[i].sym = s->mem[i].sym;
		v[i].lane = s->mem[i].lane;
		v[i].dev = (uint8_t)d;
		v[i].dur = kernel_dur(s, p, v[i].sym);
		v[i].corr = i;
		if (o->gmode != GMODE_NOID && s->mem[i].node)
			v[i].arg = (uint64_t)(unit + 1) << 32 | s->mem[i].node;
		place(s, p, &v[i], s->g->sym[v[i].sym].comm
		    ? p->dev[d][0] + o->quantum : ready);
		if (v[i].start + v[i].dur > end)
			end = v[i].start + v[i].dur;
	}
	qsort(v, s->nmem, sizeof *v, by_start);
	for (uint32_t i = 0; i < s->nmem && o->gmode != GMODE_TRACE; i++) {
		v[i].corr = corr;
		run_emit(s, p, &v[i]);
	}
	if (o->gmode == GMODE_TRACE && s->nmem) {
		whole.start = v[0].start;
		whole.dur = end - v[0].start;
		whole.corr = corr;
		whole.dev = (uint8_t)d;
		whole.sym = s->g->unit0 + unit;
		whole.arg = (uint64_t)(unit + 1) << 32;
		run_emit(s, p, &whole);
	}
	p->queue[p->nqueue++ % QUEUE] = ready;
}

void
run_sync(struct sim *s, struct proc *p)
{
	for (uint32_t d = 0; d < s->o->devs; d++) {
		struct gen_ev e = {.kind = EV_SYNC};
		int64_t t = p->dev[d][0], at;

		p->ext = 0;
		p->host += run_span(s, p, 500, 1000);
		at = p->host;
		e.corr = run_call(s, p, CALL_SYNC,
		    run_quant(s, (t > at ? t - at : 0) + 1000), true);
		e.start = at;
		e.dur = p->host - at;
		e.dev = (uint8_t)d;
		if (s->o->sync_rows)
			run_emit(s, p, &e);
	}
}
