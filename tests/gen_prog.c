#include "gen.h"

#include <stdlib.h>
#include <string.h>

void
gen_seed(struct gen_rng *r, uint64_t seed, uint64_t purpose)
{
	r->s = seed * 0x9e3779b97f4a7c15u + purpose * 0xd1342543de82ef95u;
	(void)gen_rand(r);
}

uint64_t
gen_rand(struct gen_rng *r)
{
	uint64_t z = (r->s += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t
gen_below(struct gen_rng *r, uint32_t n)
{
	return (uint32_t)(((gen_rand(r) >> 32) * n) >> 32);
}

int64_t
gen_range(struct gen_rng *r, int64_t lo, int64_t hi)
{
	return hi <= lo ? lo : lo + gen_below(r, (uint32_t)(hi - lo + 1));
}

bool
gen_chance(struct gen_rng *r, uint32_t ppm)
{
	return ppm > 0 && gen_below(r, GEN_PPM) < ppm;
}

static uint32_t
sym_new(struct gen_prog *g, struct gen_rng *r, uint32_t pat, bool comm)
{
	struct gen_symbol *s;

	if (g->nsym == g->cap) {
		g->cap = g->cap ? g->cap * 2 : 256;
		g->sym = gen_xrealloc(g->sym, g->cap, sizeof *g->sym);
	}
	s = &g->sym[g->nsym];
	s->comm = comm;
	s->pat = (uint16_t)pat;
	s->num = g->nsym;
	s->dur = (int64_t)1500 << gen_below(r, comm ? 4 : 7);
	s->dur += gen_range(r, 0, s->dur);
	if (comm)
		s->dur *= 20;
	s->grid = 1 + gen_below(r, 2048);
	s->block = 32u << gen_below(r, 6);
	s->regs = 16 + 2 * gen_below(r, 112);
	s->smem = gen_below(r, 3) ? 0 : 1024 * gen_below(r, 96);
	return g->nsym++;
}

static void
seg_add(struct gen_seg *s, uint32_t sym, uint32_t lane)
{
	s->sym = gen_xrealloc(s->sym, s->n + 1, sizeof *s->sym);
	s->lane = gen_xrealloc(s->lane, s->n + 1, sizeof *s->lane);
	s->sym[s->n] = sym;
	s->lane[s->n] = (uint8_t)lane;
	s->n++;
}

static void
seg_fill(struct gen_prog *g, struct gen_rng *r, struct gen_seg *s, int64_t n,
    char role)
{
	for (int64_t i = 0; i < n; i++)
		seg_add(s,
		    sym_new(g, r, gen_name_role(role, (uint32_t)i), false), 0);
}

/* The first kernel of a body occurs once in it: no body is a repetition. */
static void
seg_body(struct gen_prog *g, struct gen_rng *r, const struct gen_opt *o,
    struct gen_seg *s)
{
	for (int64_t i = 0; i < o->kernels; i++) {
		uint32_t lane = i ? gen_below(r, o->streams) : 0;
		uint32_t sym;

		if (i > 1 && gen_chance(r, o->share_ppm))
			sym = s->sym[1 + gen_below(r, (uint32_t)i - 1)];
		else
			sym = sym_new(
			    g, r, gen_name_role('b', (uint32_t)i), false);
		seg_add(s, sym, lane);
	}
}

static void
seg_comm(struct gen_prog *g, struct gen_rng *r, const struct gen_opt *o,
    struct gen_seg *s, uint32_t n, char role)
{
	for (uint32_t i = 0; i < n; i++)
		seg_add(s, sym_new(g, r, gen_name_role(role, i), true),
		    gen_comm_lane(o));
}

/* Kind k of a step differs from kind 0 in a third of the body, its length. */
static void
kind_make(struct gen_prog *g, struct gen_rng *r, const struct gen_opt *o,
    uint32_t k)
{
	struct gen_step *s = &g->kind[k];
	const struct gen_step *z = &g->kind[0];

	if (o->shared_ends) {
		s->pro = z->pro;
		s->epi = z->epi;
		s->sep = z->sep;
	} else {
		seg_fill(g, r, &s->pro, o->pro, 'p');
		seg_fill(g, r, &s->sep, o->sep, 's');
		seg_fill(g, r, &s->epi, o->epi, 'e');
		seg_comm(g, r, o, &s->epi, o->comm_step, 'R');
	}
	for (uint32_t i = 0; i < z->body.n; i++) {
		uint32_t sym = z->body.sym[i];

		if (i % 3 == 0)
			sym = sym_new(
			    g, r, g->sym[sym].pat, g->sym[sym].comm);
		seg_add(&s->body, sym, z->body.lane[i]);
	}
	for (uint32_t i = 0; i < 2 * k; i++)
		seg_add(&s->body,
		    sym_new(g, r, gen_name_role('b', i + 3), false), 0);
}

static uint32_t
count_kinds(const struct gen_opt *o)
{
	uint32_t n = 1;

	if (o->rand_kinds)
		return o->rand_kinds;
	for (const char *p = o->pattern; *p; p++)
		if ((uint32_t)(*p - 'A') >= n)
			n = (uint32_t)(*p - 'A') + 1;
	return n;
}

/* Least n so that the kinds of steps, extra kernels included, recur. */
static uint32_t
find_cycle(const struct gen_opt *o)
{
	uint32_t len = (uint32_t)strlen(o->pattern), n, a, b;

	if (o->rand_kinds)
		return 0;
	for (n = 1; n < len; n++)
		if (len % n == 0 &&
		    memcmp(o->pattern, o->pattern + n, len - n) == 0)
			break;
	if (n > len)
		n = 1;
	if (!o->extra)
		return n;
	a = n;
	b = (uint32_t)o->extra;
	while (b) {
		uint32_t t = a % b;

		a = b;
		b = t;
	}
	return n / a * (uint32_t)o->extra;
}

void
gen_prog_make(struct gen_prog *g, const struct gen_opt *o)
{
	struct gen_rng r;

	memset(g, 0, sizeof *g);
	gen_seed(&r, o->seed, 1);
	if (o->shape != SHAPE_LOOP) {
		uint32_t n = o->shape == SHAPE_EQUAL ? 1 : o->alphabet;

		for (uint32_t i = 0; i < n; i++)
			sym_new(g, &r, gen_name_role('b', i), false);
	} else {
		struct gen_step *z = &g->kind[0];

		seg_fill(g, &r, &z->pro, o->pro, 'p');
		seg_fill(g, &r, &z->sep, o->sep, 's');
		seg_body(g, &r, o, &z->body);
		seg_comm(g, &r, o, &z->body, o->comm_layer, 'r');
		seg_fill(g, &r, &z->epi, o->epi, 'e');
		seg_comm(g, &r, o, &z->epi, o->comm_step, 'R');
		g->nkinds = count_kinds(o);
		for (uint32_t k = 1; k < g->nkinds; k++)
			kind_make(g, &r, o, k);
		g->cycle = find_cycle(o);
		g->merged = g->nkinds == 1 && !o->extra && o->micro == 1 &&
		    z->pro.n + z->sep.n + z->epi.n == 0;
	}
	g->extra_sym = sym_new(g, &r, gen_name_role('x', 0), false);
	g->foreign0 = g->nsym;
	for (uint32_t i = 0; i < 50; i++)
		sym_new(g, &r, gen_name_role('f', i), false);
	g->unit0 = g->nsym;
}

static void
seg_free(struct gen_seg *s, const struct gen_seg *shared)
{
	if (s->sym == shared->sym)
		return;
	free(s->sym);
	free(s->lane);
}

void
gen_prog_free(struct gen_prog *g)
{
	static const struct gen_step none;

	for (uint32_t k = GEN_MAX_KINDS; k-- > 0;) {
		const struct gen_step *z = k ? &g->kind[0] : &none;

		seg_free(&g->kind[k].pro, &z->pro);
		seg_free(&g->kind[k].sep, &z->sep);
		seg_free(&g->kind[k].body, &z->body);
		seg_free(&g->kind[k].epi, &z->epi);
	}
	free(g->sym);
}

uint32_t
gen_prog_kind(
    const struct gen_prog *g, const struct gen_opt *o, int64_t step)
{
	size_t len = strlen(o->pattern);
	bool extra = o->extra && step % o->extra == o->extra - 1;
	uint32_t k = 0;

	if (o->rand_kinds) {
		struct gen_rng r;

		gen_seed(&r, o->seed + (uint64_t)step * 77, 2);
		k = gen_below(&r, g->nkinds);
	} else if (len > 0) {
		k = (uint32_t)(o->pattern[(size_t)step % len] - 'A');
	}
	return 2 * k + extra;
}

int64_t
gen_prog_token(const struct gen_opt *o)
{
	return o->fmt != FMT_KINETO;
}

int64_t
gen_prog_layer_len(
    const struct gen_prog *g, const struct gen_opt *o, uint32_t kind)
{
	if (o->gmode == GMODE_TRACE && o->graph == GRAPH_LAYER)
		return gen_prog_token(o);
	return g->kind[kind / 2].body.n;
}

int64_t
gen_prog_micro_len(
    const struct gen_prog *g, const struct gen_opt *o, uint32_t kind)
{
	int64_t n = g->kind[kind / 2].sep.n;

	if (o->gmode == GMODE_TRACE && o->graph == GRAPH_STEP)
		return n + gen_prog_token(o);
	return n + o->layers * gen_prog_layer_len(g, o, kind);
}

int64_t
gen_prog_step_len(
    const struct gen_prog *g, const struct gen_opt *o, uint32_t kind)
{
	const struct gen_step *s = &g->kind[kind / 2];

	return s->pro.n + o->micro * gen_prog_micro_len(g, o, kind) +
	    s->epi.n + kind % 2;
}
