#include "tl-recover_near.h"

/*
 * Where text and body differ, the deviations after which they agree again for
 * long enough: for e = 1, 2 ... the furthest place that e of them reach on each
 * diagonal (columns less items).  What is enough grows with e, so that chance
 * does not bridge what has nothing to do with the body.
 *
 * The fewest need not be right: where a layer is missing, to take the end of
 * the step for a foreign section is shorter, but agrees for one layer only.  So
 * what agrees behind a difference counts against what it costs, and sections
 * of any length that are extra or missing are looked at too.
 */

enum {
	WAVE_FAR = 64, /* items looked at behind a difference at first */
	WAVE_COST = 3, /* of a deviation, in equal items */
	WAVE_BLOCK = 8 /* equal items behind a long section, at least */
};

static uint32_t
enough(const struct rec_wave_text *t, uint32_t e)
{
	uint32_t len = 4 + e / 2, most = t->p > 4 ? t->p - 1 : 3;

	return len < most ? len : most;
}

/* Equal items from text x and column c on. */
static uint32_t
run_on(const struct rec_wave_text *t, uint32_t x, uint32_t c)
{
	uint32_t n = 0, most = t->n - x < WAVE_FAR ? t->n - x : WAVE_FAR;

	while (n < most && t->s[x + n] == t->b[c + n])
		n++;
	return n;
}

/* The same, up to one iteration. */
static uint32_t
run_far(const struct rec_wave_text *t, uint32_t x, uint32_t c)
{
	uint32_t n = 0, most = t->n - x < t->p ? t->n - x : t->p;

	for (c %= t->p; n < most && t->s[x + n] == t->b[c]; n++)
		if (++c == t->p)
			c = 0;
	return n;
}

/* What e deviations are worth that reach dx items and dc columns further. */
static int64_t
worth(uint32_t dx, uint32_t dc, uint32_t e)
{
	return ((int64_t)dx + dc - e) / 2 - (int64_t)WAVE_COST * e;
}

static void
trace(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c, uint32_t e, int d)
{
	uint32_t i;

	w->n_dev = e;
	for (; e > 0; e--) {
		const int32_t *row = w->reach[e - 1] + REC_WAVE + 3;
		int32_t same = row[d] + 1, extra = row[d + 1] + 1;
		int32_t miss = row[d - 1];
		struct rec_dev *dev = &w->dev[e - 1];

		if (miss >= same && miss >= extra) {
			d--;
			i = (uint32_t)miss;
			dev->kind = REC_NEAR_MISSING;
			dev->sym = t->b[c + i + (uint32_t)d];
		} else if (extra >= same) {
			d++;
			i = (uint32_t)extra - 1;
			dev->kind = REC_NEAR_EXTRA;
			dev->sym = t->s[x + i];
		} else {
			i = (uint32_t)same - 1;
			dev->kind = REC_NEAR_REPLACED;
			dev->sym = t->b[c + i + (uint32_t)d];
		}
		dev->at = x + i;
		dev->col = i + (uint32_t)d;
	}
}

/* One more deviation on each diagonal; of those that agree for long enough
 * behind it the one that reaches furthest: its diagonal in *at, what it is worth
 * in *best; returns how many items agree, 0 if none does. */
static uint32_t
advance(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c, uint32_t e, int *at, int64_t *best)
{
	const int32_t none = -4 * REC_PAD;
	int32_t *row = w->reach[e] + REC_WAVE + 3, r;
	const int32_t *old = w->reach[e - 1] + REC_WAVE + 3;
	uint32_t n, far = 0;
	int64_t now;
	int d;

	*at = 0;
	for (d = -(int)e - 2; d <= (int)e + 2; d++)
		row[d] = none;
	for (d = -(int)e; d <= (int)e; d++) {
		r = old[d] + 1;
		if (old[d + 1] + 1 > r)
			r = old[d + 1] + 1;
		if (old[d - 1] > r)
			r = old[d - 1];
		if (r < 0 || (uint32_t)r > t->n - x || r + d < 0)
			continue;
		n = run_on(t, x + (uint32_t)r, c + (uint32_t)(r + d));
		row[d] = r + (int32_t)n;
		if (x + (uint32_t)row[d] == t->n && e <= 2 && n > 0)
			n = t->p > WAVE_FAR ? t->p : WAVE_FAR; /* the end */
		else if (n == WAVE_FAR)
			n = run_far(t, x + (uint32_t)r, c + (uint32_t)(r + d));
		if (n < enough(t, e))
			continue;
		now = worth((uint32_t)r + n, (uint32_t)(r + d) + n, e);
		if (far == 0 || now > *best || (now == *best &&
		    (d < 0 ? -d : d) < (*at < 0 ? -*at : *at))) {
			far = n;
			*best = now;
			*at = d;
		}
	}
	return far;
}

int
rec_wave_block(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c, int extra)
{
	uint32_t j, n, far = 0;

	for (j = 1; j <= t->bound && far < t->p; j++) {
		uint32_t tx = extra ? x + j : x, tc = extra ? c : c + j;

		if (tx >= t->n)
			break;
		if (t->s[tx] != t->b[tc % t->p])
			continue;
		n = run_far(t, tx, tc);
		if (n < WAVE_BLOCK || n <= far)
			continue;
		far = n;
		w->n_dev = j;
		w->dx = extra ? j : 0;
		w->dc = extra ? 0 : j;
		w->is_block = 1;
	}
	return far > 0;
}

static void
put_block(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c, uint32_t i)
{
	w->dev[0] = w->dx > 0 ?
	    (struct rec_dev){ .at = x + i, .col = 0, .sym = t->s[x + i],
	    .kind = REC_NEAR_EXTRA } :
	    (struct rec_dev){ .at = x, .col = i, .sym = t->b[(c + i) % t->p],
	    .kind = REC_NEAR_MISSING };
}

const struct rec_dev *
rec_wave_dev(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c, uint32_t i)
{
	if (!w->is_block)
		return &w->dev[i];
	put_block(w, t, x, c, i);
	return &w->dev[0];
}

int
rec_wave_cross(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c)
{
	int64_t best = 0;
	uint32_t e, of = 0;
	int d, at = 0;

	for (d = -2; d <= 2; d++)
		w->reach[0][REC_WAVE + 3 + d] = -4 * REC_PAD;
	w->reach[0][REC_WAVE + 3] = 0;
	w->is_block = 0;
	for (e = 1; e <= t->most && of == 0; e++) {
		if (advance(w, t, x, c, e, &at, &best) > 0)
			of = e;
	}
	if (of == 0)
		return 0;
	w->dx = (uint32_t)w->reach[of][REC_WAVE + 3 + at];
	w->dc = (uint32_t)((int)w->dx + at);
	trace(w, t, x, c, of, at);
	return 1;
}
