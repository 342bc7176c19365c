#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * What a body explains of the text.  From each place of the anchor that lies
 * in no stretch yet, backward and forward, until more differs than agrees.
 * Stretches with little between them, a foreign section or a layer that is
 * missing, are joined; those that differ too much are cut.
 */

enum {
	ALIGN_COST = 3, /* of a deviation, in equal items */
	EDGE = 6,       /* what may be lost where the text ends */
	LONG = 3,       /* deviations: look for a section instead */
	LOOK_FAR = 4096, /* items, to tell which is right */
	LOOK_MORE = 64,
	SEARCH = 4      /* steps for each item of the text */
};

struct align {
	const struct rec_near_state *st;
	struct rec_fit *fit;
	struct rec_wave_text ahead, back;
	struct rec_wave *wave, *section, *probe;
	struct rec_dev *dev; /* of one direction */
	size_t n_dev, dev_cap;
	uint32_t bound;
	uint64_t budget; /* steps left in search of sections */
};

/* The body, and again, to p + REC_PAD columns. */
static uint32_t *
repeat_body(const struct rec_fit *fit, int backward)
{
	uint32_t *b, i, p = fit->p;

	b = tl_xreallocarray(NULL, (size_t)p + REC_PAD, sizeof(*b));
	for (i = 0; i < p; i++)
		b[i] = fit->body[backward ? p - 1 - i : i];
	for (; i < p + REC_PAD; i++)
		b[i] = b[i - p];
	return b;
}

/* What a crossing brings, in eighths of an item: what is equal, less its
 * sections. In a run of extra or of missing ones all but the first are an
 * eighth of one. */
static int64_t
brings(const struct rec_wave *w)
{
	uint32_t i, n = 1;

	if (w->is_block)
		return -8 * ALIGN_COST - (int64_t)w->n_dev + 1;
	for (i = 1; i < w->n_dev; i++) {
		const struct rec_dev *d = &w->dev[i], *p = d - 1;

		n += d->kind != p->kind || d->kind == REC_NEAR_REPLACED ||
		    (d->kind == REC_NEAR_EXTRA ? d->col != p->col :
		    d->at != p->at);
	}
	return 4 * ((int64_t)w->dx + w->dc - w->n_dev) -
	    8 * ALIGN_COST * (int64_t)n - (int64_t)(w->n_dev - n);
}

/* What the next items bring after crossing a difference at text x, column c
 * as *w says. */
static int64_t
look_behind(const struct align *al, const struct rec_wave_text *t,
    const struct rec_wave *w, uint32_t x, uint32_t c)
{
	int64_t score = 0, best = INT64_MIN;
	uint32_t from, far = t->p < LOOK_FAR ? t->p + LOOK_MORE : LOOK_FAR;
	uint32_t end = t->n - x < far ? t->n : x + far;

	for (;;) {
		score += brings(w);
		x += w->dx;
		c = (c + w->dc) % t->p;
		for (from = x; x < end && t->s[x] == t->b[c]; x++)
			if (++c == t->p)
				c = 0;
		score += 8 * (int64_t)(x - from);
		if (x > end)
			score -= 8 * (int64_t)(x - end);
		best = score > best ? score : best;
		if (x >= end || score < best - 8 * (int64_t)ALIGN_COST *
		    (al->bound + 1) || !rec_wave_cross(al->probe, t, x, c))
			return best;
		w = al->probe;
	}
}

/* The best way on from a difference into al->wave; 0 if there is none. */
static int
cross(struct align *al, const struct rec_wave_text *t, uint32_t x, uint32_t c)
{
	int any = rec_wave_cross(al->wave, t, x, c), extra;
	struct rec_wave *other = al->section;
	int64_t best = INT64_MIN, now;

	if ((any && al->wave->n_dev < LONG) || al->budget < al->bound)
		return any;
	al->budget -= al->bound;
	if (any)
		best = look_behind(al, t, al->wave, x, c);
	for (extra = 0; extra < 2; extra++) {
		if (!rec_wave_block(other, t, x, c, extra))
			continue;
		now = look_behind(al, t, other, x, c);
		if (now > best) {
			best = now;
			al->section = al->wave;
			al->wave = other;
			other = al->section;
			any = 1;
		}
	}
	return any;
}

/* Aligns from text x, column c on, up to end; what was reached in *to and, in
 * columns from the start, *n_col. */
static void
run_along(struct align *al, struct rec_wave_text *t, uint32_t x, uint32_t c,
    uint32_t *to, uint32_t *n_col)
{
	uint32_t from = x, cols = 0, i;
	int64_t score = 0, best = 0;
	size_t keep = 0;

	*to = x;
	*n_col = 0;
	al->n_dev = 0;
	while (x < t->n) {
		for (from = x; x < t->n && t->s[x] == t->b[c]; x++)
			if (++c == t->p)
				c = 0;
		score += x - from;
		cols += x - from;
		if (score > best) {
			best = score;
			*to = x;
			*n_col = cols;
			keep = al->n_dev;
		}
		if (x == t->n || !cross(al, t, x, c))
			break;
		for (i = 0; i < al->wave->n_dev; i++) {
			al->dev = tl_xgrow(al->dev, al->n_dev, &al->dev_cap,
			    sizeof(*al->dev));
			al->dev[al->n_dev] =
			    *rec_wave_dev(al->wave, t, x, c, i);
			al->dev[al->n_dev++].col += cols;
		}
		score -= (int64_t)ALIGN_COST * al->wave->n_dev;
		if (score < best - (int64_t)ALIGN_COST * (al->bound + 1))
			break;
		score += al->wave->dx;
		x += al->wave->dx;
		cols += al->wave->dc;
		c = (c + al->wave->dc) % t->p;
	}
	if (score > best || (x == t->n && score + EDGE >= best)) {
		*to = x;
		*n_col = cols;
		keep = al->n_dev;
	}
	al->n_dev = keep;
}

void
rec_near_add_dev(struct rec_fit *fit, struct rec_dev dev)
{
	fit->dev = tl_xgrow(fit->dev, fit->n_dev, &fit->dev_cap,
	    sizeof(*fit->dev));
	fit->dev[fit->n_dev++] = dev;
}

/* The stretch around a place of column c, no further than least and end. */
static struct rec_stretch
stretch_at(struct align *al, uint32_t x, uint32_t c, uint32_t least,
    uint32_t end)
{
	uint32_t n = al->st->n, p = al->fit->p, to, cols, more;
	struct rec_stretch s;
	size_t i;

	s.dev = (uint32_t)al->fit->n_dev;
	s.body = 0;
	al->back.n = n - least;
	run_along(al, &al->back, n - x, (p - c) % p, &to, &cols);
	s.from = n - to;
	s.col = (uint32_t)((c + (uint64_t)p * (cols / p + 1) - cols) % p);
	for (i = al->n_dev; i-- > 0;) {
		struct rec_dev d = al->dev[i];
		uint32_t whole = d.kind == REC_NEAR_MISSING;

		/* seen from the other end: between instead of at */
		d.at = whole ? n - d.at : n - 1 - d.at;
		d.col = d.kind == REC_NEAR_EXTRA ? cols - d.col :
		    cols - 1 - d.col;
		rec_near_add_dev(al->fit, d);
	}
	al->ahead.n = end;
	run_along(al, &al->ahead, x, c, &s.to, &more);
	for (i = 0; i < al->n_dev; i++) {
		al->dev[i].col += cols;
		rec_near_add_dev(al->fit, al->dev[i]);
	}
	s.n_col = cols + more;
	s.n_dev = (uint32_t)al->fit->n_dev - s.dev;
	return s;
}

/* Bridges what is between the last stretch and one behind it, whose deviations
 * are the last, if that is little enough. */
static int
bridge(const struct align *al, struct rec_stretch *a,
    const struct rec_stretch *b)
{
	struct rec_fit *fit = al->fit;
	uint32_t p = fit->p, extra = b->from - a->to, i, x = a->to;
	uint32_t end = (a->col + a->n_col) % p, miss = (b->col + p - end) % p;
	uint32_t n = extra > miss ? extra : miss;
	struct rec_dev *d;

	if (n > rec_near_bound(p))
		return 0;
	for (i = 0; i < n; i++)
		rec_near_add_dev(fit, (struct rec_dev){ .at = 0 });
	if (n + b->n_dev == 0) {
		a->n_col += b->n_col;
		a->to = b->to;
		return 1;
	}
	d = fit->dev + b->dev;
	memmove(d + n, d, b->n_dev * sizeof(*d));
	for (i = 0; i < n; i++, d++) {
		d->at = x;
		d->col = a->n_col + (i < miss ? i : miss);
		d->sym = i < miss ? fit->body[(end + i) % p] : al->st->s[x];
		d->kind = i >= miss ? REC_NEAR_EXTRA :
		    i < extra ? REC_NEAR_REPLACED : REC_NEAR_MISSING;
		x += d->kind != REC_NEAR_MISSING;
	}
	for (i = 0; i < b->n_dev; i++)
		d[i].col += a->n_col + miss;
	a->n_dev += n + b->n_dev;
	a->n_col += miss + b->n_col;
	a->to = b->to;
	return 1;
}

/* Among equal alignments the leftmost: moves each block of extra or missing
 * ones left while what is before it is what it ends with. */
static void
move_left(const struct align *al, const struct rec_stretch *s)
{
	struct rec_dev *dev = al->fit->dev + s->dev, *d;
	const uint32_t *body = al->fit->body, *text = al->st->s;
	uint32_t i, n, k, p = al->fit->p, from = s->from, col = 0;

	for (i = 0; i < s->n_dev; i += n) {
		d = &dev[i];
		n = 1;
		if (d->kind == REC_NEAR_REPLACED) {
			from = d->at + 1;
			col = d->col + 1;
			continue;
		}
		while (i + n < s->n_dev && d[n].kind == d->kind &&
		    (d->kind == REC_NEAR_MISSING ?
		    d[n].at == d->at : d[n].col == d->col))
			n++;
		while (d->at > from && d->col > col) {
			if (d->kind == REC_NEAR_MISSING ?
			    body[(s->col + d->col - 1) % p] !=
			    body[(s->col + d->col + n - 1) % p] :
			    text[d->at - 1] != text[d->at + n - 1])
				break;
			for (k = 0; k < n; k++) {
				d[k].at--;
				d[k].col--;
			}
		}
		for (k = 0; k < n; k++)
			d[k].sym = d->kind == REC_NEAR_EXTRA ?
			    text[d[k].at] : body[(s->col + d[k].col) % p];
		from = d[n - 1].at + (d->kind == REC_NEAR_EXTRA);
		col = d[n - 1].col + (d->kind == REC_NEAR_MISSING);
	}
}

/* Adds what is between two places of a stretch, with deviations first .. end,
 * if it is long enough. */
static void
add_piece(struct rec_fit *fit, const struct rec_stretch *s, size_t first,
    size_t end, uint32_t from, uint32_t col, uint32_t to, uint32_t end_col)
{
	struct rec_stretch one = { .from = from, .to = to };
	size_t i;

	/* what is extra before its first item is not of it */
	while (first < end && fit->dev[s->dev + first].kind ==
	    REC_NEAR_EXTRA && fit->dev[s->dev + first].at == one.from) {
		one.from++;
		first++;
	}
	one.n_col = end_col - col;
	if (one.n_col < fit->p - fit->p / 8)
		return;
	one.col = (s->col + col) % fit->p;
	one.dev = s->dev + (uint32_t)first;
	one.n_dev = (uint32_t)(end - first);
	for (i = first; i < end; i++)
		fit->dev[s->dev + i].col -= col;
	fit->str = tl_xgrow(fit->str, fit->n_str, &fit->str_cap,
	    sizeof(*fit->str));
	fit->str[fit->n_str++] = one;
}

/* Keeps the pieces of a stretch in which no iteration, wherever it is cut, has
 * more deviations than it may. */
static void
add_pieces(struct rec_fit *fit, const struct rec_stretch *s)
{
	uint32_t most = rec_near_bound(fit->p), n = s->n_dev, i, first = 0;
	uint32_t from = s->from, col = 0, bad_to = 0;
	struct rec_dev *d = fit->dev + s->dev, last;
	uint8_t *bad = tl_xcalloc((size_t)n + 1, 1);

	for (i = most; i < n; i++)
		if (d[i].col - d[i - most].col < fit->p) {
			if (bad_to < i - most)
				bad_to = i - most;
			while (bad_to <= i)
				bad[bad_to++] = 1;
		}
	for (i = 0; i < n; i++) {
		if (!bad[i])
			continue;
		last = d[i];
		add_piece(fit, s, first, i, from, col, last.at, last.col);
		first = i + 1;
		from = last.at + (last.kind != REC_NEAR_MISSING);
		col = last.col + (last.kind != REC_NEAR_EXTRA);
	}
	add_piece(fit, s, first, n, from, col, s->to, s->n_col);
	free(bad);
}

/* Puts missing columns before or behind a stretch; its deviations move to the
 * end of all. */
static void
put_missing(struct rec_fit *fit, struct rec_stretch *s, uint32_t miss,
    int at_end)
{
	struct rec_dev d = { .kind = REC_NEAR_MISSING };
	uint32_t i, first = (uint32_t)fit->n_dev;

	if (!at_end)
		s->col = (s->col + fit->p - miss) % fit->p;
	for (i = 0; i < s->n_dev + miss; i++) {
		uint32_t k = at_end ? i : i - miss;

		if (k < s->n_dev) {
			struct rec_dev old = fit->dev[s->dev + k];

			old.col += at_end ? 0 : miss;
			rec_near_add_dev(fit, old);
			continue;
		}
		d.at = at_end ? s->to : s->from;
		d.col = at_end ? s->n_col + i - s->n_dev : i;
		d.sym = fit->body[(s->col + d.col) % fit->p];
		rec_near_add_dev(fit, d);
	}
	s->dev = first;
	s->n_col += miss;
	s->n_dev += miss;
}

void
rec_near_complete(const struct rec_near_state *st, struct rec_fit *fit,
    struct rec_stretch *s, int at_end)
{
	uint32_t p = fit->p, end = (s->col + s->n_col) % p;
	uint32_t miss = at_end ? (p - end) % p : s->col;
	uint32_t most = (uint32_t)((uint64_t)p * st->percent / 200);

	if (miss > 0 && miss <= (most > 1 ? most : 1))
		put_missing(fit, s, miss, at_end);
}

/* Where the text ends, an iteration that lacks little is one that differs, if
 * others do. */
static void
complete(const struct rec_near_state *st, struct rec_fit *fit,
    struct rec_stretch *s)
{
	uint32_t p = fit->p, miss = (p - s->n_col % p) % p;
	uint32_t most = (uint32_t)((uint64_t)p * st->percent / 200);
	int at_end = s->to == st->n;

	if (miss > 0 && miss <= (most > 1 ? most : 1) && s->n_dev > 0 &&
	    (at_end || s->from == 0))
		put_missing(fit, s, miss, at_end);
}

void
rec_near_align(const struct rec_near_state *st, struct rec_fit *fit,
    const uint32_t *place, uint32_t n_place, uint32_t anchor_col)
{
	struct align al = { .st = st, .fit = fit, .bound =
	    rec_near_bound(fit->p) };
	struct rec_stretch *raw = NULL, s;
	struct rec_wave *waves;
	size_t n_raw = 0, raw_cap = 0, k;
	uint32_t i, least = 0, end = 0;

	al.wave = tl_xcalloc(3, sizeof(*al.wave));
	al.section = al.wave + 1;
	al.probe = al.wave + 2;
	waves = al.wave;
	al.budget = SEARCH * (uint64_t)st->n + 1000000;
	al.ahead = (struct rec_wave_text){ st->s, st->n, repeat_body(fit, 0),
	    fit->p, al.bound < REC_WAVE ? al.bound : REC_WAVE, al.bound };
	al.back = al.ahead;
	al.back.s = st->back;
	al.back.b = repeat_body(fit, 1);
	fit->n_str = fit->n_dev = 0;
	for (i = 0; i < n_place; i++) {
		if (place[i] < least)
			continue;
		if (place[i] >= end) {
			uint32_t free_from = place[i];

			while (free_from > least && !(st->taken[
			    (free_from - 1) / 64] >> (free_from - 1) % 64 & 1))
				free_from--;
			least = free_from;
			end = rec_next_bit(st->taken, place[i], st->n, 1);
		}
		s = stretch_at(&al, place[i], anchor_col, least, end);
		if (n_raw > 0 && raw[n_raw - 1].to >= least &&
		    bridge(&al, &raw[n_raw - 1], &s)) {
			least = raw[n_raw - 1].to;
			continue;
		}
		if (s.to == s.from)
			continue;
		raw = tl_xgrow(raw, n_raw, &raw_cap, sizeof(*raw));
		raw[n_raw++] = s;
		least = s.to;
	}
	if (n_raw > 0) {
		/* the last one: its deviations are the last */
		complete(st, fit, &raw[n_raw - 1]);
	}
	for (k = 0; k < n_raw; k++) {
		move_left(&al, &raw[k]);
		add_pieces(fit, &raw[k]);
	}
	free(raw);
	free(waves);
	free(al.ahead.b);
	free(al.back.b);
	free(al.dev);
}
