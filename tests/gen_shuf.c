#include "gen.h"

#include <stdlib.h>

struct gen_shuf {
	struct gen_ev *v;
	size_t n, cap, window; /* window 0: pass through, SIZE_MAX: all */
	struct gen_rng rng;
	gen_sink *sink;
	void *ctx;
};

struct gen_shuf *
gen_shuf_new(const struct gen_opt *o, gen_sink *sink, void *c)
{
	struct gen_shuf *s = gen_xrealloc(NULL, 1, sizeof *s);

	*s = (struct gen_shuf){.sink = sink, .ctx = c};
	s->window = o->shuffle < 0 ? SIZE_MAX : (size_t)o->shuffle;
	gen_seed(&s->rng, o->seed, 400);
	return s;
}

void
gen_shuffle(struct gen_rng *r, struct gen_ev *v, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = gen_below(r, (uint32_t)i);
		struct gen_ev t = v[k];

		v[k] = v[i - 1];
		v[i - 1] = t;
	}
}

static void
flush(struct gen_shuf *s)
{
	gen_shuffle(&s->rng, s->v, s->n);
	for (size_t i = 0; i < s->n; i++)
		s->sink(s->ctx, &s->v[i]);
	s->n = 0;
}

void
gen_shuf_ev(void *ctx, const struct gen_ev *e)
{
	struct gen_shuf *s = ctx;

	if (s->window == 0) {
		s->sink(s->ctx, e);
		return;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 1024;
		s->v = gen_xrealloc(s->v, s->cap, sizeof *s->v);
	}
	s->v[s->n++] = *e;
	if (s->n >= s->window)
		flush(s);
}

void
gen_shuf_end(struct gen_shuf *s)
{
	flush(s);
	free(s->v);
	free(s);
}
