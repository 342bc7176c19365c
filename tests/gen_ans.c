/*
 * The known answer. Costs come from the plain method: sort all intervals by
 * start, walk them once for each union. Loops come from what the program did,
 * not from a search.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { CLS_COMPUTE = 1, CLS_COMM = 2, CLS_COPY = 4, CLS_GRAPH = 8 };

struct iv {
	int64_t start;
	uint64_t dur_cls; /* dur << 4 | class */
};

struct scope {
	struct iv *v;
	size_t n, cap;
	int64_t kernels, copies, fills, graphs;
	bool lane[GEN_MAX_LANES];
};

struct step {
	int64_t start, events;
	uint32_t kind;
	bool whole;
};

struct run {
	int64_t count, first;
};

struct replay {
	int64_t whole, partial;
	uint32_t members, lanes;
};

struct edit {
	int64_t at;
	uint32_t sym;
	char what;
};

struct process {
	struct scope scope[GEN_MAX_DEVS];
	struct step *step;
	size_t nstep, capstep;
	struct edit *edit;
	size_t nedit, capedit;
	struct run run[2 * GEN_MAX_KINDS][2];
	struct replay replay[GEN_MAX_KINDS];
	int64_t n;
};

struct gen_ans {
	const struct gen_opt *o;
	const struct gen_prog *g;
	struct process *p;
	struct gen_out w;
};

struct gen_ans *
gen_ans_new(const struct gen_opt *o, const struct gen_prog *g)
{
	struct gen_ans *a = gen_xrealloc(NULL, 1, sizeof *a);

	memset(a, 0, sizeof *a);
	a->o = o;
	a->g = g;
	a->p = gen_xrealloc(NULL, o->procs, sizeof *a->p);
	memset(a->p, 0, o->procs * sizeof *a->p);
	return a;
}

void
gen_ans_ev(struct gen_ans *a, const struct gen_ev *e)
{
	struct scope *s = &a->p[e->proc].scope[e->dev];
	unsigned cls;

	if (e->kind == EV_KERNEL) {
		cls = a->g->sym[e->sym].comm ? CLS_COMM : CLS_COMPUTE;
		s->kernels++;
	} else if (e->kind == EV_COPY || e->kind == EV_FILL) {
		cls = CLS_COPY;
		s->copies += e->kind == EV_COPY;
		s->fills += e->kind == EV_FILL;
	} else if (e->kind == EV_GRAPH && gen_prog_token(a->o)) {
		cls = CLS_GRAPH;
		s->graphs++;
	} else {
		return;
	}
	s->lane[e->lane] = true;
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 1024;
		s->v = gen_xrealloc(s->v, s->cap, sizeof *s->v);
	}
	s->v[s->n].start = e->start;
	s->v[s->n++].dur_cls = (uint64_t)e->dur << 4 | cls;
}

void
gen_ans_step(struct gen_ans *a, uint32_t proc, uint32_t kind, int64_t start,
    int64_t events, bool whole)
{
	struct process *p = &a->p[proc];

	if (p->nstep == p->capstep) {
		p->capstep = p->capstep ? p->capstep * 2 : 256;
		p->step = gen_xrealloc(p->step, p->capstep, sizeof *p->step);
	}
	p->step[p->nstep].start = start;
	p->step[p->nstep].events = events;
	p->step[p->nstep].kind = kind;
	p->step[p->nstep++].whole = whole;
}

void
gen_ans_run(
    struct gen_ans *a, uint32_t proc, uint32_t kind, int level, int64_t start)
{
	struct run *r = &a->p[proc].run[kind][level];

	if (r->count++ == 0)
		r->first = start;
}

void
gen_ans_replay(struct gen_ans *a, uint32_t proc, uint32_t unit,
    uint32_t members, uint32_t lanes, bool whole)
{
	struct replay *r = &a->p[proc].replay[unit];

	r->whole += whole;
	r->partial += !whole;
	r->members = members;
	if (lanes > r->lanes)
		r->lanes = lanes;
}

void
gen_ans_edit(
    struct gen_ans *a, uint32_t proc, char what, int64_t at, uint32_t sym)
{
	struct process *p = &a->p[proc];

	if (p->nedit == p->capedit) {
		p->capedit = p->capedit ? p->capedit * 2 : 256;
		p->edit = gen_xrealloc(p->edit, p->capedit, sizeof *p->edit);
	}
	p->edit[p->nedit].at = at;
	p->edit[p->nedit].sym = sym;
	p->edit[p->nedit++].what = what;
}

void
gen_ans_count(struct gen_ans *a, uint32_t proc, int64_t kernels)
{
	a->p[proc].n = kernels;
}

static int
by_start(const void *x, const void *y)
{
	const struct iv *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Total length of the union of the intervals of the classes in the mask. */
static int64_t
union_len(const struct scope *s, unsigned mask)
{
	int64_t total = 0, end = INT64_MIN;

	for (size_t i = 0; i < s->n; i++) {
		int64_t a = s->v[i].start;
		int64_t b = a + (int64_t)(s->v[i].dur_cls >> 4);

		if (!(s->v[i].dur_cls & mask) || b <= end)
			continue;
		total += b - (a > end ? a : end);
		end = b;
	}
	return total;
}

static void
text(struct gen_ans *a, const char *s)
{
	gen_puts(&a->w, s);
}

static void
col(struct gen_ans *a, int64_t v)
{
	gen_put(&a->w, "\t", 1);
	gen_puti(&a->w, v);
}

static void
none(struct gen_ans *a)
{
	text(a, "\t.");
}

static void
col_scope(struct gen_ans *a, const char *tag, uint32_t proc, uint32_t dev)
{
	text(a, tag);
	col(a, gen_pid(proc));
	col(a, gen_dev_id(a->o, proc, dev));
}

static void
col_kind(struct gen_ans *a, uint32_t kind)
{
	char s[4] = {'\t', a->o->letter[kind / 2], kind % 2 ? '+' : '\0'};

	text(a, s);
}

static void
write_scope(struct gen_ans *a, uint32_t proc, uint32_t dev)
{
	struct scope *s = &a->p[proc].scope[dev];
	int64_t first, last, busy, lanes = 0;

	if (s->n == 0)
		return;
	qsort(s->v, s->n, sizeof *s->v, by_start);
	first = last = s->v[0].start;
	for (size_t i = 0; i < s->n; i++) {
		int64_t e = s->v[i].start + (int64_t)(s->v[i].dur_cls >> 4);

		if (e > last)
			last = e;
	}
	for (int l = 0; l < GEN_MAX_LANES; l++)
		lanes += s->lane[l];
	busy = union_len(s, 15);
	col_scope(a, "scope", proc, dev);
	col(a, (int64_t)gen_global_pid(proc));
	col(a, s->kernels);
	col(a, s->copies);
	col(a, s->fills);
	col(a, s->graphs);
	col(a, lanes);
	col(a, first);
	col(a, last - first);
	col(a, busy);
	if (s->graphs) {
		text(a, "\t.\t.\t.\t.\t.");
	} else {
		int64_t compute = union_len(s, CLS_COMPUTE);
		int64_t both = union_len(s, CLS_COMPUTE | CLS_COMM);

		col(a, compute);
		col(a, union_len(s, CLS_COMM));
		col(a, both - compute);
		col(a, union_len(s, CLS_COPY));
		col(a, busy - both);
	}
	col(a, last - first - busy);
	text(a, "\n");
}

/* Can the loops be had exactly from the order (correlation, start)? */
static bool
exact(const struct gen_ans *a, const struct process *p)
{
	const struct gen_opt *o = a->o;
	bool one_lane = o->streams == 1 && o->comm_layer + o->comm_step == 0;

	if (p->nedit)
		return false;
	if (o->corr != CORR_OK)
		return one_lane;
	return one_lane || o->graph == GRAPH_NONE || o->gmode == GMODE_TRACE;
}

struct row {
	const char *level;
	int kind; /* -1: all */
	int64_t iterations, period, start, occurrences;
	int64_t run_start, run_events; /* -1: unknown */
	int64_t head, tail;
};

static void
write_loop(struct gen_ans *a, uint32_t proc, uint32_t dev, const struct row *r)
{
	col_scope(a, "loop", proc, dev);
	text(a, "\t");
	text(a, r->level);
	if (r->kind < 0)
		none(a);
	else
		col_kind(a, (uint32_t)r->kind);
	col(a, r->iterations);
	col(a, r->period);
	col(a, r->start);
	col(a, r->occurrences);
	if (r->run_start < 0) {
		text(a, "\t.\t.");
	} else {
		col(a, r->run_start);
		col(a, r->run_events);
	}
	col(a, r->head);
	col(a, r->tail);
	col(a, exact(a, &a->p[proc]));
	text(a, "\n");
}

/* Groups of c whole steps, from a step whose number is a multiple of c. */
static void
write_cycle(struct gen_ans *a, uint32_t proc, uint32_t dev, size_t c)
{
	const struct process *p = &a->p[proc];
	struct row r = {.level = c > 1 ? "cycle" : "step", .kind = -1};
	int64_t end = 0;

	for (size_t i = 0; i < c; i++)
		r.period += gen_prog_step_len(a->g, a->o,
		    gen_prog_kind(a->g, a->o, (int64_t)i));
	for (size_t i = 0; i + c <= p->nstep; i += c) {
		size_t k = 0;

		while (k < c && p->step[i + k].whole)
			k++;
		if (k < c)
			continue;
		if (r.iterations++ == 0)
			r.start = p->step[i].start;
		end = p->step[i + c - 1].start + p->step[i + c - 1].events;
	}
	r.occurrences = 1;
	r.run_events = p->n;
	r.head = r.iterations ? r.start : p->n;
	r.tail = r.iterations ? p->n - end : 0;
	if (p->n > 0 && r.period > 0)
		write_loop(a, proc, dev, &r);
}

/* Runs of one kind of step within a cycle: (kind, length) with its count. */
static void
write_step_runs(struct gen_ans *a, uint32_t proc, uint32_t dev)
{
	enum { MAX = 512 };
	const struct process *p = &a->p[proc];
	struct row row[MAX];
	int n = 0;

	for (size_t i = 0, k; i < p->nstep; i = k) {
		const struct step *s = &p->step[i];
		int j = 0;

		k = i + 1;
		if (!s->whole)
			continue;
		while (k < p->nstep && p->step[k].whole &&
		    p->step[k].kind == s->kind)
			k++;
		if (k - i < 2)
			continue;
		while (j < n && (row[j].kind != (int)s->kind ||
		    row[j].iterations != (int64_t)(k - i)))
			j++;
		if (j == n) {
			if (n == MAX)
				continue;
			row[n++] = (struct row){.level = "step",
			    .kind = (int)s->kind,
			    .iterations = (int64_t)(k - i),
			    .period = gen_prog_step_len(a->g, a->o, s->kind),
			    .start = s->start, .run_start = -1};
		}
		row[j].occurrences++;
	}
	for (int j = 0; j < n; j++)
		write_loop(a, proc, dev, &row[j]);
}

static void
write_inner(struct gen_ans *a, uint32_t proc, uint32_t dev, uint32_t kind)
{
	const struct gen_opt *o = a->o;
	const struct gen_step *k = &a->g->kind[kind / 2];
	const struct run *r = a->p[proc].run[kind];
	bool ends = k->pro.n + k->epi.n > 0;
	struct row row = {.kind = (int)kind};

	if (o->micro > 1 && r[1].count) {
		row.level = "micro";
		row.iterations = o->micro;
		row.period = gen_prog_micro_len(a->g, o, kind);
		row.start = r[1].first;
		row.occurrences = r[1].count;
		row.run_start = ends ? row.start : -1;
		row.run_events = row.iterations * row.period;
		if (row.period > 0)
			write_loop(a, proc, dev, &row);
	}
	if (o->layers > 1 && r[0].count &&
	    !(o->graph == GRAPH_STEP && o->gmode == GMODE_TRACE)) {
		row.level = "layer";
		row.iterations = o->layers;
		row.period = gen_prog_layer_len(a->g, o, kind);
		row.start = r[0].first;
		row.occurrences = r[0].count;
		row.run_start = ends || k->sep.n ? row.start : -1;
		row.run_events = row.iterations * row.period;
		if (row.period > 0)
			write_loop(a, proc, dev, &row);
	}
}

/* Steps that nothing tells from their layers: one run of layers. */
static void
write_merged(struct gen_ans *a, uint32_t proc, uint32_t dev)
{
	int64_t n = a->p[proc].n;
	int64_t k = a->o->shape == SHAPE_EQUAL ? 1
	    : a->o->gmode == GMODE_TRACE && a->o->graph == GRAPH_STEP
	    ? gen_prog_token(a->o)
	    : gen_prog_layer_len(a->g, a->o, 0);
	struct row r = {.kind = -1};

	if (n == 0 || k == 0)
		return;
	r.level = a->o->shape == SHAPE_EQUAL ? "run" : "layer";
	r.period = k;
	r.head = r.start = a->o->shape == SHAPE_EQUAL ? 0
	    : (k - a->o->head % k) % k;
	if (r.start > n)
		r.head = r.start = n;
	r.iterations = (n - r.start) / k;
	r.tail = (n - r.start) % k;
	r.occurrences = 1;
	r.run_events = n;
	write_loop(a, proc, dev, &r);
}

static void
write_loops(struct gen_ans *a, uint32_t proc, uint32_t dev)
{
	const struct gen_prog *g = a->g;

	if (a->o->shape == SHAPE_RANDOM)
		return;
	if (a->o->shape == SHAPE_EQUAL || g->merged) {
		write_merged(a, proc, dev);
		return;
	}
	if (g->cycle > 0)
		write_cycle(a, proc, dev, g->cycle);
	if (g->cycle != 1)
		write_step_runs(a, proc, dev);
	for (uint32_t k = 0; k < 2 * g->nkinds; k++)
		write_inner(a, proc, dev, k);
}

static void
write_kinds(struct gen_ans *a, uint32_t proc, uint32_t dev)
{
	const struct process *p = &a->p[proc];
	const struct gen_opt *o = a->o;

	if (o->shape != SHAPE_LOOP || a->g->merged)
		return;
	for (uint32_t k = 0; k < 2 * a->g->nkinds; k++) {
		int64_t whole = 0, part = 0;

		for (size_t i = 0; i < p->nstep; i++) {
			if (p->step[i].kind != k)
				continue;
			whole += p->step[i].whole;
			part += !p->step[i].whole && p->step[i].events > 0;
		}
		if (whole + part == 0)
			continue;
		col_scope(a, "kind", proc, dev);
		col_kind(a, k);
		col(a, whole);
		col(a, part);
		col(a, gen_prog_step_len(a->g, o, k));
		col(a, o->micro);
		col(a, o->layers);
		col(a, gen_prog_layer_len(a->g, o, k));
		text(a, "\n");
	}
}

static void
write_rest(struct gen_ans *a, uint32_t proc, uint32_t dev)
{
	const struct process *p = &a->p[proc];
	static const char *const mode[] = {"noid", "id", "trace"};

	for (uint32_t u = 0; u < GEN_MAX_KINDS; u++) {
		const struct replay *r = &p->replay[u];

		if (r->whole + r->partial == 0)
			continue;
		col_scope(a, "replay", proc, dev);
		col(a, u + 1);
		text(a, "\t");
		text(a, mode[a->o->gmode]);
		col(a, r->whole);
		col(a, r->partial);
		col(a, r->members);
		col(a, r->lanes);
		text(a, "\n");
	}
	for (size_t i = 0; a->o->iters && i < p->nstep; i++) {
		if (p->step[i].events == 0)
			continue;
		col_scope(a, "iter", proc, dev);
		col(a, (int64_t)i);
		col_kind(a, p->step[i].kind);
		col(a, p->step[i].start);
		col(a, p->step[i].events);
		col(a, p->step[i].whole);
		text(a, "\n");
	}
	for (size_t i = 0; i < p->nedit; i++) {
		char what[4] = {'\t', p->edit[i].what, '\0'};

		col_scope(a, "edit", proc, dev);
		text(a, what);
		col(a, p->edit[i].at);
		col(a, p->edit[i].sym);
		text(a, "\n");
	}
}

static const char head[] = "# gen answer 1\n"
    "# scope\tpid\tdevice\tglobal_pid\tkernels\tcopies\tfills\tgraphs\tstreams"
    "\tstart\tspan\tbusy\tcompute\tcomm\tcomm_exposed\tcopy\tcopy_exposed"
    "\tidle\n"
    "# loop\tpid\tdevice\tlevel\tkind\titerations\tperiod\tstart\toccurrences"
    "\trun_start\trun_events\thead\ttail\texact\n"
    "# kind\tpid\tdevice\tkind\twhole\tpartial\tevents\tmicro\tlayers\tbody\n"
    "# replay\tpid\tdevice\tunit\tmode\twhole\tpartial\tmembers\tstreams\n"
    "# iter\tpid\tdevice\tstep\tkind\tstart\tevents\twhole\n"
    "# edit\tpid\tdevice\twhat\tat\tsymbol\n";

void
gen_ans_write(struct gen_ans *a, const char *path)
{
	gen_out_open(&a->w, path, false, 0);
	text(a, head);
	text(a, "base");
	if (a->o->base_ns)
		col(a, a->o->base_ns);
	else
		none(a);
	text(a, "\n");
	for (uint32_t p = 0; p < a->o->procs; p++) {
		for (uint32_t d = 0; d < a->o->devs; d++) {
			write_scope(a, p, d);
			write_loops(a, p, d);
			write_kinds(a, p, d);
			write_rest(a, p, d);
			free(a->p[p].scope[d].v);
		}
		free(a->p[p].step);
		free(a->p[p].edit);
	}
	gen_out_close(&a->w);
	free(a->p);
	free(a);
}
