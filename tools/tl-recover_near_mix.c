#include "tl-recover_near.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/*
 * Steps of a few kinds in any order.  Nothing is repeated as a whole there, and
 * the longest repetitions are accidents (three steps that happen to come twice
 * in a row).  So first only the innermost repetitions, the layers, become one
 * token each.  Tokens that always follow each other are chains.  Either every
 * chain is a kind of step (each has ends of its own), or one chain, the hub,
 * is where all steps begin (they share their ends), and what lies from one hub
 * to the next are the kinds.
 */

enum {
	MIX_MOST = 8,    /* kinds */
	MIX_STEPS = 6,   /* steps, at least */
	MIX_HUBS = 40,   /* chains tried as one */
	MIX_TOKENS = 20000, /* of the tree that is there */
	MIX_LONG = 200000,  /* tokens to look at */
	MIX_TOP = 3,     /* reading of a loop or block at the top */
	MIX_LESS = 4,    /* less to read, at least */
	MIX_AGREE = 70   /* percent that follow each other, in a chain */
};

struct mix {
	const struct rec_seq *seq;
	struct rec_text t;
	struct rec_chance chance;
	/* tokens */
	uint32_t *at, *id; /* [n + 1] first event; [n] */
	uint32_t n, n_id;
	uint32_t *chain;   /* [n_id] its chain */
	uint32_t *next;    /* [n_id] what follows in it, REC_NONE */
	uint8_t *starts;   /* [n] a chain begins at the token */
	uint32_t *cut;     /* [n + 1] tokens at which steps begin, the best */
	uint32_t n_cut;
	int64_t cost;
};

/* Marks the runs that are layers: at least three times, and mostly not made of
 * shorter ones. layer[x] is the period of the one that starts at event x. */
static void
find_layers(struct mix *m, uint32_t *layer, uint32_t *len)
{
	uint32_t n = (uint32_t)m->seq->n, x, in;
	uint64_t *taken = tl_xcalloc((size_t)n / 64 + 1, sizeof(*taken));
	struct rec_run *run;
	size_t n_run, i;

	n_run = rec_runs(&m->t, 0, n, &run);
	rec_sort_period(run, n_run);
	rec_chance_open(&m->chance, 0, n, 1);
	for (i = 0; i < n_run; i++) {
		const struct rec_run *r = &run[i];
		uint32_t end = r->at + r->len / r->period * r->period;

		if (r->len / r->period < 3 || r->len == n ||
		    !rec_chance_claims(&m->chance, r))
			continue;
		for (in = 0, x = r->at; x < end; x++)
			in += (uint32_t)(taken[x / 64] >> x % 64 & 1);
		if (2 * in > end - r->at)
			continue;
		/* what reaches over the edge stays, and ends this one */
		if (r->at > 0 && len[r->at] == 0 &&
		    (taken[r->at / 64] >> r->at % 64 & 1))
			continue;
		if (end < n && (taken[end / 64] >> end % 64 & 1) &&
		    len[end] == 0)
			continue;
		for (x = r->at; x < end; x++)
			len[x] = layer[x] = 0;
		layer[r->at] = r->period;
		len[r->at] = end - r->at;
		rec_set_bits(taken, r->at, end);
	}
	rec_chance_close(&m->chance);
	free(run);
	free(taken);
}

static void
make_tokens(struct mix *m)
{
	uint32_t n = (uint32_t)m->seq->n, x, step, *v;
	uint32_t *layer = tl_xcalloc((size_t)n + 1, sizeof(*layer));
	uint32_t *len = tl_xcalloc((size_t)n + 1, sizeof(*len));
	struct rec_map ids = { NULL, 0, 0 };

	find_layers(m, layer, len);
	for (x = 0; x < n; x += step) {
		step = len[x] > 0 ? len[x] : 1;
		m->at[m->n] = x;
		v = len[x] > 0 ?
		    rec_map_at(&ids, rec_text_hash(&m->t, x, len[x]), len[x]) :
		    rec_map_at(&ids, m->seq->sym[x], 0);
		if (*v == 0)
			*v = ++m->n_id;
		m->id[m->n++] = *v - 1;
	}
	m->at[m->n] = n;
	free(ids.slot);
	free(layer);
	free(len);
}

/* A kind that mostly follows itself makes a ring: opens it where it holds
 * least, the first of equals. */
static void
open_rings(struct mix *m, const struct rec_map *pairs, const uint32_t *count,
    uint8_t *has_prev)
{
	uint8_t *seen = tl_xcalloc(m->n_id, 1);
	uint32_t i, x, least, now;
	uint32_t at;

	for (i = 0; i < m->n_id; i++)
		for (x = has_prev[i] ? REC_NONE : i; x != REC_NONE;
		    x = m->next[x])
			seen[x] = 1;
	for (i = 0; i < m->n_id; i++) {
		if (seen[i])
			continue;
		least = UINT32_MAX;
		at = x = i;
		do {
			now = (uint32_t)(1000 * (uint64_t)rec_map_get(pairs, x,
			    m->next[x]) / count[x]);
			if (now < least) {
				least = now;
				at = x;
			}
			seen[x] = 1;
			x = m->next[x];
		} while (x != i);
		has_prev[m->next[at]] = 0;
		m->next[at] = REC_NONE;
	}
	free(seen);
}

/* next[x] = y where nearly each x is followed by y, and each y by x preceded. */
static void
link_chains(struct mix *m)
{
	struct rec_map pairs = { NULL, 0, 0 };
	uint32_t *count = tl_xcalloc(m->n_id, sizeof(*count)), i, x, y;
	uint8_t *has_prev = tl_xcalloc(m->n_id, 1);

	for (i = 0; i < m->n; i++)
		count[m->id[i]]++;
	memset(m->next, 0xff, m->n_id * sizeof(*m->next));
	for (i = 0; i + 1 < m->n; i++)
		++*rec_map_at(&pairs, m->id[i], m->id[i + 1]);
	for (i = 0; i + 1 < m->n; i++) {
		uint64_t both;

		x = m->id[i];
		y = m->id[i + 1];
		both = 100 * (uint64_t)rec_map_get(&pairs, x, y);
		/* more than half of each: there is no second one */
		if (x == y || both < MIX_AGREE * (uint64_t)count[x] ||
		    both < MIX_AGREE * (uint64_t)count[y] || count[x] < 2)
			continue;
		m->next[x] = y;
		has_prev[y] = 1;
	}
	open_rings(m, &pairs, count, has_prev);
	/* numbers from the heads on */
	memset(m->chain, 0xff, m->n_id * sizeof(*m->chain));
	for (i = 0; i < m->n_id; i++)
		for (x = has_prev[i] ? REC_NONE : i; x != REC_NONE;
		    x = m->next[x])
			m->chain[x] = i;
	for (i = 0; i < m->n; i++)
		m->starts[i] = m->chain[m->id[i]] != REC_NONE && (i == 0 ||
		    m->next[m->id[i - 1]] != m->id[i]);
	free(pairs.slot);
	free(count);
	free(has_prev);
}

/* Kinds of the steps that begin at the given tokens: piece.kind for each, in
 * the order in which they are met; the rest is of none.  What it costs; the
 * number of kinds with two steps and more in *kinds, events in them in *in. */
static int64_t
name_kinds(struct mix *m, const uint32_t *cut, uint32_t n_cut,
    struct rec_piece *piece, uint32_t *kinds, uint64_t *in)
{
	struct rec_map map = { NULL, 0, 0 };
	uint32_t i, *v, n = 0, *count, *length;
	int64_t cost = 0;

	count = tl_xcalloc((size_t)n_cut + 1, sizeof(*count));
	length = tl_xcalloc((size_t)n_cut + 1, sizeof(*length));
	for (i = 0; i < n_cut; i++) {
		uint32_t from = cut[i], to = i + 1 < n_cut ? cut[i + 1] : m->n;

		piece[i].at = m->at[from];
		piece[i].n = m->at[to] - m->at[from];
		v = rec_map_at(&map, rec_text_hash(&m->t, piece[i].at,
		    piece[i].n), piece[i].n);
		if (*v == 0) {
			*v = ++n;
			length[n - 1] = to - from;
		}
		piece[i].kind = *v - 1;
		count[*v - 1]++;
	}
	*kinds = 0;
	*in = 0;
	for (i = 0; i < n; i++) {
		*kinds += count[i] > 1;
		cost += length[i];
	}
	for (i = 0; i < n_cut; i++)
		if (count[piece[i].kind] > 1)
			*in += piece[i].n;
	free(map.slot);
	free(count);
	free(length);
	return cost + n_cut;
}

/* Keeps the cuts if they are the best so far. */
static void
consider(struct mix *m, const uint32_t *cut, uint32_t n_cut,
    struct rec_piece *piece)
{
	uint32_t kinds;
	uint64_t in;
	int64_t cost;

	if (n_cut < MIX_STEPS)
		return;
	cost = name_kinds(m, cut, n_cut, piece, &kinds, &in);
	if (kinds < 2 || kinds > MIX_MOST || 10 * in < 7 * m->seq->n ||
	    (m->n_cut > 0 && cost >= m->cost))
		return;
	memcpy(m->cut, cut, n_cut * sizeof(*cut));
	m->n_cut = n_cut;
	m->cost = cost;
}

static int
by_most(const void *a, const void *b)
{
	const struct rec_run *x = a, *y = b;

	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
find_cuts_of_steps(struct mix *m)
{
	uint32_t *cut = tl_xcalloc((size_t)m->n + 1, sizeof(*cut)), i, k, n;
	struct rec_piece *piece = tl_xcalloc((size_t)m->n + 1, sizeof(*piece));
	struct rec_run *hub = tl_xcalloc(m->n_id, sizeof(*hub));

	/* every chain of its own */
	for (i = n = 0; i < m->n; i++)
		if (m->starts[i] || i == 0)
			cut[n++] = i;
	consider(m, cut, n, piece);
	/* at each token of a chain that all steps may share */
	for (i = 0; i < m->n_id; i++)
		hub[i] = (struct rec_run){ .at = i };
	for (i = 0; i < m->n; i++)
		hub[m->id[i]].len++;
	qsort(hub, m->n_id, sizeof(*hub), by_most);
	for (k = 0; k < m->n_id && k < MIX_HUBS; k++) {
		if (hub[k].len < MIX_STEPS)
			break;
		cut[0] = 0;
		n = m->id[0] == hub[k].at ? 0 : 1;
		for (i = 0; i < m->n; i++)
			if (m->id[i] == hub[k].at)
				cut[n++] = i;
		consider(m, cut, n, piece);
	}
	free(cut);
	free(piece);
	free(hub);
}

/* A step whose hash is another one's by chance is of no kind. */
static void
compare(const struct mix *m, struct rec_piece *piece, uint32_t n)
{
	uint32_t *first = tl_xcalloc((size_t)n + 1, sizeof(*first)), i, k;
	const uint32_t *s = m->seq->sym;

	for (i = 0; i < n; i++) {
		k = piece[i].kind;
		if (first[k] == 0)
			first[k] = i + 1;
		if (memcmp(s + piece[first[k] - 1].at, s + piece[i].at,
		    piece[i].n * sizeof(*s)) != 0)
			piece[i].kind = REC_NONE;
	}
	free(first);
}

int64_t
rec_near_reading(const struct rec_tree *tree)
{
	uint8_t *seen = tl_xcalloc((size_t)tree->n_def + 1, 1);
	int64_t n = 0;
	uint32_t i, def;

	for (i = 0; i < tree->n_tok; i++) {
		def = tree->tok[i].def;
		if (def < tree->n_sym) {
			n++;
		} else if (!seen[def - tree->n_sym]) {
			seen[def - tree->n_sym] = 1;
			n += MIX_TOP;
		}
	}
	for (i = 0; i < tree->n_body; i++)
		n += tree->body[i].n_item;
	free(seen);
	return n;
}

struct rec_piece *
rec_near_steps(const struct rec_seq *seq, size_t *n)
{
	struct mix m = { .seq = seq };
	struct rec_piece *piece = NULL;
	uint32_t kinds;
	uint64_t in;

	rec_text_init(&m.t, seq->sym, seq->n);
	rec_chance_init(&m.chance, &m.t, seq->n_sym);
	m.at = tl_xcalloc(seq->n + 1, sizeof(*m.at));
	m.id = tl_xcalloc(seq->n + 1, sizeof(*m.id));
	make_tokens(&m);
	m.chain = tl_xcalloc(m.n_id, sizeof(*m.chain));
	m.next = tl_xcalloc(m.n_id, sizeof(*m.next));
	m.starts = tl_xcalloc(m.n, 1);
	m.cut = tl_xcalloc((size_t)m.n + 1, sizeof(*m.cut));
	if (m.n <= MIX_LONG && m.n >= MIX_STEPS) {
		link_chains(&m);
		find_cuts_of_steps(&m);
	}
	if (m.n_cut > 0) {
		piece = tl_xcalloc(m.n_cut, sizeof(*piece));
		name_kinds(&m, m.cut, m.n_cut, piece, &kinds, &in);
		compare(&m, piece, m.n_cut);
	}
	*n = m.n_cut;
	rec_chance_free(&m.chance);
	rec_text_free(&m.t);
	free(m.at);
	free(m.id);
	free(m.chain);
	free(m.next);
	free(m.starts);
	free(m.cut);
	return piece;
}

void
rec_near_mix(struct rec_tree *tree, const struct rec_seq *seq)
{
	struct rec_piece *piece;
	struct rec_tree other;
	size_t n;

	if (tree->n_tok < MIX_STEPS || tree->n_tok > MIX_TOKENS)
		return;
	piece = rec_near_steps(seq, &n);
	if (piece == NULL)
		return;
	rec_recover_pieces(&other, seq, piece, n);
	if (rec_near_reading(&other) + MIX_LESS <= rec_near_reading(tree)) {
		rec_tree_free(tree);
		*tree = other;
	} else {
		rec_tree_free(&other);
	}
	free(piece);
}
