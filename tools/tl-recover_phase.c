#include "tl-recover_core.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Where a body starts.  A run of k iterations and a remainder of r events can
 * start at r + 1 places without losing an iteration.  Among them:
 *
 *  1. the one with most marks just before its iterations, if at least half
 *     of them have one;
 *  2. those that cut the shortest inner run, best none, and that between two
 *     of its iterations; a run that is less than an eighth of the body, or of
 *     one event, does not count here, as a body can end as it begins;
 *  3. of these, those that most runs of the same body at this level allow;
 *  4. of these, the one before which the median host gap is largest;
 *  5. the first that cuts the shortest inner run, now of any length.
 *
 * Marks and gaps are looked at in the first LOOK iterations: those of the run
 * itself, then those of the other runs of the body, longest first.
 */

enum { LOOK = 25, SHARE = 8 };

struct look {
	uint32_t n, marks, known;
	int64_t gap[LOOK]; /* [known] ascending */
};

static void
look_at(struct look *l, const struct rec_level *lv, uint32_t x)
{
	uint32_t i;
	int64_t gap;

	x -= lv->at;
	l->n++;
	l->marks += lv->mark != NULL && lv->mark[x];
	gap = lv->gap != NULL ? lv->gap[x] : REC_GAP_NONE;
	if (gap == REC_GAP_NONE)
		return;
	for (i = l->known++; i > 0 && l->gap[i - 1] > gap; i--)
		l->gap[i] = l->gap[i - 1];
	l->gap[i] = gap;
}

/* The lower median of the gaps; unknown if more than half of them are. */
static int64_t
median(const struct look *l)
{
	return l->known == 0 || 2 * l->known < l->n ? REC_GAP_NONE :
	    l->gap[(l->known - 1) / 2];
}

/* a - b modulo p, all below 2^31. */
static uint32_t
apart(uint32_t a, uint32_t b, uint32_t p)
{
	return a >= b ? (a - b) % p : (p - (b - a) % p) % p;
}

/* The iterations of the body that starts at x, in the piece and in the other
 * runs of its class. */
static void
look_around(struct look *l, const struct rec_fold *f,
    const struct rec_claim *claim, const struct rec_run *piece, uint32_t x)
{
	const struct rec_level *lv = &f->st->level[f->level];
	const struct rec_claim *m;
	uint32_t p = piece->period, turn = apart(x, claim->least, p), i, end;

	memset(l, 0, offsetof(struct look, gap));
	for (; l->n < LOOK && x + p <= piece->at + piece->len; x += p)
		look_at(l, lv, x);
	i = f->st->class[claim->class].head;
	for (; l->n < LOOK && i != REC_NONE; i = m->next) {
		m = &f->claim[i];
		if (m == claim)
			continue;
		x = m->run.at + apart(m->least + turn, m->run.at, p);
		end = m->run.at + m->run.len;
		for (; l->n < LOOK && x + p <= end; x += p)
			look_at(l, lv, x);
	}
}

/* The offset that most marks speak for, REC_NONE if too few do. */
static uint32_t
by_mark(const struct rec_fold *f, const struct rec_claim *claim,
    const struct rec_run *piece)
{
	uint32_t o, best = REC_NONE, most = 0;
	struct look l;

	for (o = 0; o <= piece->len % piece->period; o++) {
		if (!rec_start_ok(f, piece, o))
			continue;
		look_around(&l, f, claim, piece, piece->at + o);
		if (l.marks > most && 2 * l.marks >= l.n) {
			most = l.marks;
			best = o;
		}
	}
	return best;
}

/* cut[o]: twice the events of the longest inner run that a start at o cuts so
 * that neither part has all its iterations, and 1 more if one of these is
 * lost; of all inner runs, or of large ones only.  One boundary stands for
 * all, that between the first and the second iteration. */
static void
find_cuts(const struct rec_fold *f, const struct rec_run *piece, int all,
    uint32_t *cut)
{
	uint32_t p = piece->period, r = piece->len % p, mid = piece->at + p;
	uint32_t first = piece->at > p / 2 ? piece->at - p / 2 : 0;
	const struct rec_run *in;
	uint32_t rest, x, end, lost;
	size_t lo = 0, hi = f->n_run, i;

	memset(cut, 0, (r + 1) * sizeof(*cut));
	while (lo < hi) {
		i = lo + (hi - lo) / 2;
		if (f->run[i].at < first)
			lo = i + 1;
		else
			hi = i;
	}
	for (; lo < f->n_run && f->run[lo].at < mid + r; lo++) {
		in = &f->run[lo];
		rest = in->len % in->period;
		if (in->at + in->len <= mid || 2 * in->period > p ||
		    (!all && (in->period == 1 || in->len < p / SHARE)) ||
		    !rec_chance_inner(&f->st->chance, in, p))
			continue;
		end = in->at + in->len - rest;
		x = in->at + rest + 1;
		for (x = x < mid ? mid : x; x < end && x <= mid + r; x++) {
			lost = (x - in->at) % in->period > rest;
			if (cut[x - mid] < 2 * in->len + lost)
				cut[x - mid] = 2 * in->len + lost;
		}
	}
}

/* Of the offsets with the least cut, those that most runs of the class allow:
 * writes 1 to allowed[o] for them, else 0, and returns their number. */
static uint32_t
restrict_to(const struct rec_fold *f, const struct rec_claim *claim,
    const struct rec_run *piece, const uint32_t *cut, uint32_t *allowed)
{
	uint32_t p = piece->period, r = piece->len % p, rest, o, i, from;
	uint32_t least = REC_NONE, most = 0, n = 0, now = 0;
	const struct rec_claim *m;

	/* allowed[] as differences: the offsets from .. from + rest, cyclic */
	memset(allowed, 0, (r + 2) * sizeof(*allowed));
	i = f->st->class[claim->class].head;
	for (; i != REC_NONE; i = m->next) {
		m = &f->claim[i];
		rest = m->run.len % p;
		from = apart(m->run.at + apart(claim->least, m->least, p),
		    piece->at, p);
		if (from <= r) {
			allowed[from]++;
			allowed[from + rest < r ? from + rest + 1 : r + 1]--;
		}
		if (from + rest >= p) {
			allowed[0]++;
			rest = from + rest - p;
			allowed[rest < r ? rest + 1 : r + 1]--;
		}
	}
	for (o = 0; o <= r; o++) {
		now += allowed[o];
		allowed[o] = now;
		if (cut[o] < least) {
			least = cut[o];
			most = 0;
		}
		if (cut[o] == least && now > most)
			most = now;
	}
	for (o = 0; o <= r; o++) {
		allowed[o] = cut[o] == least && allowed[o] == most;
		n += allowed[o];
	}
	return n;
}

/* The allowed offset with the largest median gap, the first of equals;
 * REC_NONE if the gaps do not tell. */
static uint32_t
by_gap(const struct rec_fold *f, const struct rec_claim *claim,
    const struct rec_run *piece, const uint32_t *allowed)
{
	uint32_t o, best = REC_NONE;
	int64_t gap, most = REC_GAP_NONE, least = INT64_MAX;
	struct look l;

	for (o = 0; o <= piece->len % piece->period; o++) {
		if (!allowed[o])
			continue;
		look_around(&l, f, claim, piece, piece->at + o);
		gap = median(&l);
		if (gap > most) {
			most = gap;
			best = o;
		}
		if (gap < least)
			least = gap;
	}
	return most > least ? best : REC_NONE;
}

static uint32_t
first_of_least(const uint32_t *allowed, const uint32_t *cut, uint32_t r)
{
	uint32_t o, best = REC_NONE;

	for (o = 0; o <= r; o++)
		if (allowed[o] && (best == REC_NONE || cut[o] < cut[best]))
			best = o;
	return best;
}

uint32_t
rec_phase_choose(const struct rec_fold *f, const struct rec_claim *claim,
    const struct rec_run *piece, uint8_t *phase)
{
	const struct rec_level *lv = &f->st->level[f->level];
	uint32_t r = piece->len % piece->period, o, n;
	uint32_t *cut, *allowed;

	*phase = REC_PHASE_NONE;
	if (r == 0)
		return 0;
	o = lv->mark != NULL ? by_mark(f, claim, piece) : REC_NONE;
	if (o != REC_NONE) {
		*phase = REC_PHASE_MARK;
		return o;
	}
	cut = tl_xreallocarray(NULL, (size_t)r + 1, sizeof(*cut));
	allowed = tl_xreallocarray(NULL, (size_t)r + 2, sizeof(*allowed));
	find_cuts(f, piece, 0, cut);
	for (n = 0; n <= r; n++)
		if (!rec_start_ok(f, piece, n))
			cut[n] = REC_NONE;
	n = restrict_to(f, claim, piece, cut, allowed);
	if (n > 1) {
		if (lv->gap != NULL)
			o = by_gap(f, claim, piece, allowed);
		*phase = o != REC_NONE ? REC_PHASE_GAP : REC_PHASE_LEFT;
	}
	if (o == REC_NONE) {
		find_cuts(f, piece, 1, cut);
		o = first_of_least(allowed, cut, r);
	}
	free(cut);
	free(allowed);
	return o;
}

void
rec_phase_inherit(const struct rec_fold *f, struct rec_level *to, uint32_t at,
    uint32_t count)
{
	const struct rec_level *lv = &f->st->level[f->level];
	uint32_t i, k;
	struct look l;

	if (count > LOOK)
		count = LOOK;
	if (lv->gap == NULL && lv->mark == NULL)
		return;
	to->own_gap = tl_xreallocarray(NULL, to->n, sizeof(*to->own_gap));
	to->own_mark = tl_xreallocarray(NULL, to->n, sizeof(*to->own_mark));
	for (i = 0; i < to->n; i++) {
		memset(&l, 0, offsetof(struct look, gap));
		for (k = 0; k < count; k++)
			look_at(&l, lv, at + i + k * to->n);
		to->own_gap[i] = median(&l);
		to->own_mark[i] = 2 * l.marks >= l.n;
	}
	to->gap = lv->gap != NULL ? to->own_gap : NULL;
	to->mark = lv->mark != NULL ? to->own_mark : NULL;
}
