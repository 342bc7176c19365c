/*
 * The program as it runs: host clock and device clocks of every process, one
 * device clock a stream. The host launches in program order; the streams run
 * on their own between the joins at a step's start and before its end.
 */
#include "gen_sim.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1000 };

/* Counts a kernel; false: it lies outside what is recorded. */
static bool
take(struct sim *s, struct proc *p)
{
	int64_t i = p->seen++;

	if (i < s->o->head || p->n >= s->limit[run_proc(s, p)]) {
		p->cut++;
		p->done = i >= s->o->head;
		return false;
	}
	p->n++;
	return true;
}

static void
kernel(
    struct sim *s, struct proc *p, uint32_t sym, uint32_t lane, uint32_t node)
{
	if (s->in_graph && s->o->gmode != GMODE_TRACE && !take(s, p))
		return;
	if (s->in_graph) {
		if (s->nmem == s->capmem) {
			s->capmem = s->capmem ? 2 * s->capmem : 256;
			s->mem = gen_xrealloc(
			    s->mem, s->capmem, sizeof *s->mem);
		}
		s->mem[s->nmem].sym = sym;
		s->mem[s->nmem].node = node;
		s->mem[s->nmem++].lane = (uint8_t)lane;
		return;
	}
	if (take(s, p) && !s->counting)
		run_kernel(s, p, sym, lane);
}

static void
edit(struct sim *s, struct proc *p, char what, uint32_t sym)
{
	if (s->a && !s->counting && p->seen >= s->o->head && !p->done)
		gen_ans_edit(s->a, run_proc(s, p), what, p->n, sym);
}

static void
foreign_section(struct sim *s, struct proc *p)
{
	int64_t n = gen_range(&p->noise, 5, 40);

	while (n-- > 0 && !p->done) {
		uint32_t sym = s->g->foreign0 + gen_below(&p->noise, 50);

		edit(s, p, '+', sym);
		kernel(s, p, sym, 0, 0);
	}
}

static void
missing_layer(struct sim *s, struct proc *p, const struct gen_seg *body)
{
	for (uint32_t i = 0; i < body->n; i++)
		edit(s, p, '-', body->sym[i]);
}

/* A kernel of the program, with noise before it or in its place. */
static void
program_kernel(struct sim *s, struct proc *p, uint32_t sym, uint32_t lane)
{
	const struct gen_opt *o = s->o;
	uint32_t node = ++s->node, other;

	if (!s->in_graph && p->burst_in-- == 0)
		foreign_section(s, p);
	if (!s->in_graph && gen_chance(&p->noise, o->ins_ppm)) {
		other = s->g->foreign0 + gen_below(&p->noise, 50);
		edit(s, p, '+', other);
		kernel(s, p, other, 0, 0);
	}
	if (!s->in_graph && gen_chance(&p->noise, o->same_ppm)) {
		other = gen_below(&p->noise, s->g->extra_sym);
		edit(s, p, '+', other);
		kernel(s, p, other, 0, 0);
	}
	if (gen_chance(&p->noise, o->miss_ppm)) {
		edit(s, p, '-', sym);
		return;
	}
	if (gen_chance(&p->noise, o->repl_ppm)) {
		sym = s->g->foreign0 + gen_below(&p->noise, 50);
		edit(s, p, '=', sym);
	}
	kernel(s, p, sym, lane, node);
}

static void
segment(struct sim *s, struct proc *p, const struct gen_seg *g)
{
	for (uint32_t i = 0; i < g->n && !p->done; i++)
		program_kernel(s, p, g->sym[i], g->lane[i]);
}

static void
graph_begin(struct sim *s)
{
	s->in_graph = true;
	s->nmem = 0;
	s->node = 0;
}

static uint32_t
lanes_used(const struct sim *s)
{
	bool used[GEN_MAX_LANES] = {false};
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nmem; i++) {
		n += !used[s->mem[i].lane];
		used[s->mem[i].lane] = true;
	}
	return n;
}

/* Unit: which body this is; nominal: the members it has when undamaged. */
static void
graph_end(struct sim *s, struct proc *p, uint32_t unit, uint32_t nominal)
{
	const struct gen_opt *o = s->o;
	bool first_cut;

	s->in_graph = false;
	if (s->nmem == 0)
		return;
	if (o->gmode == GMODE_TRACE && gen_prog_token(o) && !take(s, p))
		return;
	if (s->counting)
		return;
	first_cut = s->mem[0].node != 1 && o->miss_ppm == 0;
	s->launch = gen_xrealloc(s->launch, s->nmem, sizeof *s->launch);
	for (uint32_t d = 0; d < o->devs; d++) {
		struct gen_ev ops[GEN_MAX_OPS];
		bool show = !first_cut && p->calls_cut >= o->no_api;
		uint64_t corr;
		int64_t at;

		run_before(s, p, ops);
		at = p->host;
		corr = run_call(s, p, CALL_GRAPH, run_wait(s, p), show);
		p->calls_cut += !show && !first_cut;
		run_after(s, p, ops, 4);
		p->hidden = !show;
		run_graph(s, p, unit, d, at, corr);
		p->hidden = false;
	}
	if (s->a)
		gen_ans_replay(s->a, run_proc(s, p), unit, nominal,
		    lanes_used(s), s->nmem == nominal);
}

static void
layers(struct sim *s, struct proc *p, uint32_t kind)
{
	const struct gen_opt *o = s->o;
	const struct gen_seg *body = &s->g->kind[kind / 2].body;
	int64_t cut = p->cut, start = p->n;

	if (o->graph == GRAPH_STEP)
		graph_begin(s);
	for (int64_t l = 0; l < o->layers && !p->done; l++) {
		if (l == p->skip && o->graph == GRAPH_NONE) {
			missing_layer(s, p, body);
			continue;
		}
		if (o->graph == GRAPH_LAYER)
			graph_begin(s);
		if (o->threads > 1)
			p->thread = l >= o->layers / 2;
		segment(s, p, body);
		if (o->graph == GRAPH_LAYER)
			graph_end(s, p, kind / 2, body->n);
	}
	if (o->graph == GRAPH_STEP)
		graph_end(s, p, kind / 2, (uint32_t)o->layers * body->n);
	p->thread = 0;
	if (s->a && !s->counting && cut == p->cut)
		gen_ans_run(s->a, run_proc(s, p), kind, 0, start);
}

/* All streams wait for all: what a step does before it begins and ends. */
static void
join(struct sim *s, struct proc *p)
{
	for (uint32_t d = 0; d < s->o->devs; d++) {
		int64_t t = 0;

		for (uint32_t l = 0; l < GEN_MAX_LANES; l++)
			if (t < p->dev[d][l])
				t = p->dev[d][l];
		for (uint32_t l = 0; l < GEN_MAX_LANES; l++)
			p->dev[d][l] = t;
	}
}

static void
step_end(struct sim *s, struct proc *p, int64_t step, int64_t host0)
{
	struct gen_ev e = {.kind = EV_MARK};

	join(s, p);
	if (s->o->copy_hi)
		run_copy(s, p, EV_COPY, 2);
	if (s->o->step_sync)
		run_sync(s, p);
	if (s->o->mark < 0)
		return;
	p->host += run_span(s, p, 1000, 2000);
	e.start = host0;
	e.dur = p->host - host0;
	e.arg = (uint64_t)(s->o->mark + step);
	e.ext = ++p->ext;
	run_emit(s, p, &e);
	if (s->o->gpu_mark && p->mark0 >= 0) {
		e.kind = EV_GMARK;
		e.start = p->mark0;
		e.dur = p->mark1 - p->mark0;
		run_emit(s, p, &e);
	}
}

static void
step_begin(struct sim *s, struct proc *p, uint32_t kind)
{
	const struct gen_opt *o = s->o;
	uint32_t n = (uint32_t)gen_range(&p->aux, o->copy_lo, o->copy_hi);

	join(s, p);
	p->mark0 = -1;
	p->mark1 = 0;
	p->fills = (uint32_t)gen_range(&p->aux, o->fill_lo, o->fill_hi);
	p->kernels_left = (uint32_t)gen_prog_step_len(s->g, o, kind);
	for (uint32_t i = 0; i < n; i++)
		run_copy(s, p, EV_COPY, 1);
}

/* An execution: the model (x 0), or what follows it (x 1). One that is not
 * recorded is said to have been all the same. */
static void
exec_begin(struct sim *s, struct proc *p, int64_t step, int x)
{
	if (!s->o->ctx)
		return;
	p->host += run_span(s, p, 200, 500);
	p->exec0 = p->host;
	p->exec = 2 * step + x;
	if (s->passes & PASS_DEV)
		gen_ctx_step(s->o->ctx, step);
}

static void
exec_end(struct sim *s, struct proc *p, bool run)
{
	struct gen_ev e = {.kind = EV_EXEC};

	if (!s->o->ctx)
		return;
	p->host += run_span(s, p, 200, 500);
	e.start = p->exec0;
	e.dur = p->host - p->exec0;
	e.arg = (uint64_t)p->exec;
	e.ext = ++p->ext;
	if (run)
		run_emit(s, p, &e);
	if (s->passes & PASS_DEV)
		gen_ctx_exec(s->o->ctx, run_proc(s, p), p->exec);
	p->exec = -1;
	p->host += run_span(s, p, 200, 500);
}

static void
loop_step(struct sim *s, struct proc *p, int64_t step)
{
	const struct gen_opt *o = s->o;
	uint32_t kind = gen_prog_kind(s->g, o, step);
	const struct gen_step *k = &s->g->kind[kind / 2];
	int64_t cut = p->cut, start = p->n, host0, mcut, mstart;
	bool run = !s->counting && p->seen + gen_prog_step_len(s->g, o, kind) >
	    o->head;

	p->burst_in = p->skip = -1;
	if (o->burst && gen_below(&p->noise, (uint32_t)o->burst) == 0)
		p->burst_in = gen_range(&p->noise, 0,
		    gen_prog_step_len(s->g, o, kind) - 1);
	if (o->skip && gen_below(&p->noise, (uint32_t)o->skip) == 0)
		p->skip = gen_range(&p->noise, 0, o->layers - 1);
	p->host += run_span(s, p, 60000, 120000);
	host0 = p->host;
	p->host += run_span(s, p, 5000, 9000);
	exec_begin(s, p, step, 0);
	if (run)
		step_begin(s, p, kind);
	segment(s, p, &k->pro);
	mcut = p->cut;
	mstart = p->n;
	for (int64_t m = 0; m < o->micro && !p->done; m++) {
		segment(s, p, &k->sep);
		if (!p->done)
			layers(s, p, kind);
	}
	if (s->a && !s->counting && mcut == p->cut && !p->done)
		gen_ans_run(s->a, run_proc(s, p), kind, 1, mstart);
	if (run)
		join(s, p);
	exec_end(s, p, run);
	if (kind % 2 && !p->done)
		program_kernel(s, p, s->g->extra_sym, 0);
	exec_begin(s, p, step, 1);
	segment(s, p, &k->epi);
	exec_end(s, p, run);
	if (run)
		step_end(s, p, step, host0);
	if (s->a && !s->counting)
		gen_ans_step(s->a, run_proc(s, p), kind, start, p->n - start,
		    cut == p->cut);
}

/* No structure: all equal, or symbols at random. */
static void
chunk(struct sim *s, struct proc *p)
{
	p->host += run_span(s, p, 60000, 120000);
	for (int i = 0; i < CHUNK && !p->done; i++) {
		uint32_t sym = gen_below(&p->noise, s->g->extra_sym);

		kernel(s, p, sym, gen_below(&p->aux, s->o->streams), 0);
	}
}

static void
run_steps(struct sim *s)
{
	const struct gen_opt *o = s->o;
	uint32_t left = o->procs;

	for (int64_t step = 0; left && step < o->steps; step++) {
		left = 0;
		for (uint32_t i = 0; i < o->procs; i++) {
			struct proc *p = &s->procs[i];

			if (p->n >= s->limit[i])
				p->done = true;
			if (p->done)
				continue;
			if (o->shape == SHAPE_LOOP)
				loop_step(s, p, step);
			else
				chunk(s, p);
			left += !p->done;
		}
	}
}

static void
start(struct sim *s)
{
	const struct gen_opt *o = s->o;

	memset(s->procs, 0, o->procs * sizeof *s->procs);
	for (uint32_t i = 0; i < o->procs; i++) {
		struct proc *p = &s->procs[i];

		gen_seed(&p->time, o->seed, 100 + i);
		gen_seed(&p->noise, o->seed, 200 + i);
		gen_seed(&p->aux, o->seed, 300 + i);
		p->host = o->clock0 + run_quant(s, (int64_t)i * 31415);
		p->idle0 = p->host;
		p->corr = o->corr0;
		p->exec = -1;
		if (o->fmt != FMT_NSYS)
			p->corr += (uint64_t)i * 100000000;
		for (uint32_t d = 0; d < GEN_MAX_DEVS; d++)
			for (uint32_t l = 0; l < GEN_MAX_LANES; l++)
				p->dev[d][l] = p->last[d][l] = o->clock0;
	}
}

void
gen_sim(const struct gen_opt *o, const struct gen_prog *g, int passes,
    gen_sink *sink, void *ctx, struct gen_ans *a)
{
	struct sim s = {.o = o, .g = g, .sink = sink, .ctx = ctx, .a = a};

	s.procs = gen_xrealloc(NULL, o->procs, sizeof *s.procs);
	for (uint32_t i = 0; i < o->procs; i++)
		s.limit[i] = o->limit < 0 ? INT64_MAX : o->limit;
	if (o->tail) {
		s.counting = true;
		start(&s);
		run_steps(&s);
		for (uint32_t i = 0; i < o->procs; i++) {
			int64_t n = s.procs[i].n - o->tail;

			s.limit[i] = n > 0 ? n : 0;
		}
		s.counting = false;
	}
	s.passes = passes;
	start(&s);
	run_steps(&s);
	for (uint32_t i = 0; a && i < o->procs; i++)
		gen_ans_count(a, i, s.procs[i].n);
	free(s.procs);
	free(s.mem);
	free(s.launch);
}
