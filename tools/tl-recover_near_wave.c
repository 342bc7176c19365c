#include "tl-recover_near.h"

/*
 * Where text and body differ, the fewest deviations after which they agree
 * again for long enough: for e = 1, 2 ... the furthest place that e of them
 * reach on each diagonal (columns less items).  What is enough grows with e,
 * so that chance does not bridge what has nothing to do with the body.
 */

enum { WAVE_FAR = 64 }; /* items looked at behind a difference, at most */

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

static void
trace(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c, uint32_t e, int d)
{
	uint32_t i;

	w->n_dev = e;
	for (; e > 0; e--) {
		const int32_t *row = w->reach[e - 1] + REC_WAVE + 1;
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

int
rec_wave_cross(struct rec_wave *w, const struct rec_wave_text *t, uint32_t x,
    uint32_t c)
{
	const int32_t none = -4 * REC_PAD;
	uint32_t e, n, best;
	int d, at = 0;

	for (d = 0; d < 2 * REC_WAVE + 3; d++)
		w->reach[0][d] = none;
	w->reach[0][REC_WAVE + 1] = 0;
	for (e = 1; e <= t->most; e++) {
		int32_t *row = w->reach[e] + REC_WAVE + 1;
		const int32_t *old = w->reach[e - 1] + REC_WAVE + 1;

		for (d = 0; d < 2 * REC_WAVE + 3; d++)
			w->reach[e][d] = none;
		best = 0;
		for (d = -(int)e; d <= (int)e; d++) {
			int32_t r = old[d] + 1, dx;

			if (old[d + 1] + 1 > r)
				r = old[d + 1] + 1;
			if (old[d - 1] > r)
				r = old[d - 1];
			if (r < 0 || (uint32_t)r > t->n - x || r + d < 0)
				continue;
			dx = r;
			n = run_on(t, x + (uint32_t)dx,
			    c + (uint32_t)(dx + d));
			row[d] = dx + (int32_t)n;
			if (x + (uint32_t)row[d] == t->n && e <= 2 && n > 0)
				n = WAVE_FAR; /* the end of the text */
			if (n > best || (n == best && n > 0 &&
			    (d < 0 ? -d : d) < (at < 0 ? -at : at))) {
				best = n;
				at = d;
			}
		}
		if (best >= enough(t, e)) {
			w->dx = (uint32_t)row[at];
			w->dc = (uint32_t)(row[at] + at);
			trace(w, t, x, c, e, at);
			return 1;
		}
	}
	return 0;
}
