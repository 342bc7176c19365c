#ifndef TL_RECOVER_CORE_H
#define TL_RECOVER_CORE_H

#include "tl-recover.h"

#include <stddef.h>
#include <stdint.h>

/* What the parts of rec_recover() share.  Positions are indices into the
 * whole sequence; a slice is n events from position at. */

/* The sequence with prefix hashes: any two stretches compare in O(1).  The
 * hash is a polynomial modulo 2^61 - 1; whatever becomes part of the result
 * is compared again, event by event. */
struct rec_text {
	const uint32_t *s; /* the caller's */
	size_t n;
	uint64_t *h;    /* [n + 1] hash of the first i symbols */
	uint64_t *low;  /* powers of the base, by the low bits of the length */
	uint64_t *high; /* and by the rest of it */
};

void rec_text_init(struct rec_text *t, const uint32_t *s, size_t n);
void rec_text_free(struct rec_text *t);

/* The hash of s[at .. at + len): equal stretches, equal hashes. */
uint64_t rec_text_hash(const struct rec_text *t, size_t at, size_t len);

/* Whether s[a .. a + len) and s[b .. b + len) are equal, by their hashes. */
int rec_text_same(const struct rec_text *t, size_t a, size_t b, size_t len);

/* How many symbols from a on and from b on are equal, a < b, at most up to
 * position end; and the same backwards from a - 1 and b - 1 down to from. */
size_t rec_text_lce(const struct rec_text *t, size_t a, size_t b, size_t end);
size_t rec_text_lcs(const struct rec_text *t, size_t a, size_t b, size_t from);

/* A maximal repetition: s[x] == s[x + period] for at <= x < at + len - period
 * and for no x next to them; len >= 2 * period; period is the least one. */
struct rec_run {
	uint32_t at;
	uint32_t period;
	uint32_t len;
};

/* All maximal repetitions of a slice, ordered by (at, period), fewer than n.
 * Near-linear time, 16 bytes an event.  *run is the caller's to free. */
size_t rec_runs(const struct rec_text *t, size_t at, size_t n,
    struct rec_run **run);

/* Stable sorts: by period, shortest first; by length, longest first. */
void rec_sort_period(struct rec_run *run, size_t n);
void rec_sort_longest(struct rec_run *run, size_t n);

/*
 * Is a repetition more than chance?  Judge it by the number of runs at least
 * as unlikely that the same events would have in random order.  For a run of
 * period p at a given place, that is the probability that its later events
 * copy its first p, drawn without putting back from what is left,
 *
 *	P = product over the copies of (equal events left) / (events left).
 *
 * Among n events a run of period p can start at n - 2p + 1 places.  The
 * periods share the limit as 1/p, which over all of them adds up to at most
 * H = 1 + ln(n/2).  So if a run is claimed when
 *
 *	(n - 2p + 1) p H P <= limit
 *
 * then at most `limit` claims are expected in a random order, whatever the
 * frequencies of the events.
 *	limit = 1/100 at the top: one false loop in 100 random sequences;
 *	limit = 1     within a body, which the loop around it has shown not to
 *	              be random.
 * Claimed in any case: what covers the whole slice, and in a slice of at
 * most REC_TINY events everything, as a person sees at a glance what is
 * there.  In a longer one, one event twice in a row is no loop.
 */
enum { REC_TINY = 16 };

struct rec_chance {
	const struct rec_text *t;
	size_t at, n; /* the slice */
	int top;
	uint32_t *count; /* [n_sym] of each symbol in the slice */
	uint32_t *used;  /* [n_sym] scratch, 0 between calls */
	uint64_t *bits;  /* [n + 1] sums of -log2(frequency) / 2^-16 */
	const uint32_t *table; /* log2 of 1 + i / 4096 */
};

void rec_chance_init(struct rec_chance *c, const struct rec_text *t,
    uint32_t n_sym);
void rec_chance_free(struct rec_chance *c);

/* Starts and ends the work on one slice. */
void rec_chance_open(struct rec_chance *c, size_t at, size_t n, int top);
void rec_chance_close(struct rec_chance *c);

/* Whether the run, found in the slice, is claimed.  And whether the slice's
 * loop of period n would claim it in its body, about. */
int rec_chance_claims(const struct rec_chance *c, const struct rec_run *r);
int rec_chance_inner(const struct rec_chance *c, const struct rec_run *r,
    size_t n);

/* log2(x) * 2^16, rounded down, exact to 2^-11; x > 0. */
uint32_t rec_chance_log(const struct rec_chance *c, uint64_t x);

/*
 * A level: the whole sequence (level 0) or a body, of which one copy is the
 * slice at, n.  Two bodies with the same events are one level.
 */
struct rec_level {
	uint32_t at, n;
	uint32_t turn;   /* the body starts that much after the least rotation */
	uint32_t sister; /* next level that is another turn of it, or 0 */
	uint8_t phase;
	/* [n] or NULL.  Evidence: the caller's for level 0, else the median
	 * over iterations, freed when the level is folded. */
	const int64_t *gap;
	const uint8_t *mark;
	int64_t *own_gap; /* what of it is the level's, or NULL */
	uint8_t *own_mark;
	struct rec_tok *tok;
	size_t n_tok;
};

/* A definition in the making: an id from n_sym on is an index into this. */
struct rec_made {
	uint32_t level;
	uint32_t count; /* 1: a block */
};

/* A run that is claimed, with the runs of its level that are a turn of it. */
struct rec_claim {
	struct rec_run run;
	uint32_t least; /* where the least rotation starts first */
	uint32_t class; /* index into rec_state.class */
	uint32_t next;  /* claim of the same class that comes next, or none */
};
#define REC_NONE UINT32_MAX

/* All turns of one body. */
struct rec_class {
	uint32_t level;      /* first level, or 0 */
	uint32_t head, tail; /* claims of the level that is being folded */
};

/* A map from pairs of numbers to numbers. */
struct rec_map {
	struct rec_pair {
		uint64_t a;
		uint32_t b, value; /* value 0: the slot is free */
	} *slot;
	size_t n_slot, n;
};

/* The value at (a, b), 0 if there is none. */
uint32_t rec_map_get(const struct rec_map *m, uint64_t a, uint32_t b);

/* The same to be written, 0 if new; the caller makes it something else at once.
 * Good until the next call. */
uint32_t *rec_map_at(struct rec_map *m, uint64_t a, uint32_t b);

struct rec_state {
	struct rec_text t;
	const struct rec_seq *seq;
	struct rec_chance chance;
	struct rec_level *level;
	size_t n_level, cap_level;
	struct rec_made *made;
	size_t n_made, cap_made;
	struct rec_map made_at; /* (level, count) to index + 1 */
	struct rec_class *class;
	size_t n_class, cap_class;
	struct rec_map class_at; /* (hash, period) to index + 1 */
	uint8_t budget;
	uint32_t refused; /* loops, by markers */
};

/* rec_recover(), without blocks unless share is 1. */
void rec_recover_loops(struct rec_tree *tree, const struct rec_seq *seq,
    int share);

/* A step of the sequence, of a kind 0, 1, 2 ... or, REC_NONE, of none. */
struct rec_piece {
	uint32_t at, n, kind;
};

/* rec_recover() where the top level is known: pieces that follow each other and
 * cover everything, those of a kind being equal.  Each kind is a block; what
 * lies within is recovered. */
void rec_recover_pieces(struct rec_tree *tree, const struct rec_seq *seq,
    const struct rec_piece *piece, size_t n_piece);

/* The id of the definition (level, count). */
uint32_t rec_make(struct rec_state *st, uint32_t level, uint32_t count);

/* Makes the tokens of one level, and new levels for the bodies met. */
void rec_fold_level(struct rec_state *st, uint32_t level);

/* The first position from `from` on, below end, with the given bit; or end. */
uint32_t rec_next_bit(const uint64_t *bits, uint32_t from, uint32_t end,
    unsigned bit);
void rec_set_bits(uint64_t *bits, uint32_t from, uint32_t end);

/* What is known while one level is folded. */
struct rec_fold {
	struct rec_state *st;
	uint32_t level;
	struct rec_run *run; /* all, by position */
	size_t n_run;
	struct rec_claim *claim; /* most events first */
	size_t n_claim;
	/* [period] 1: the body of the piece at hand may start so many events
	 * behind start_at; NULL: anywhere */
	uint8_t *start;
	uint32_t start_at;
};

/* Where a body of p events, which s has twice in a row, may start: 1 for each
 * of p rotations that markers allow for a loop of count; NULL if none occurs
 * in it. The caller frees it. */
uint8_t *rec_macro_starts(const struct rec_macro *macro, const uint32_t *s,
    uint32_t p, uint32_t count);

/* Whether markers allow a loop in the piece, which is cut at its front if it
 * has to be; fills f->start. */
int rec_macro_fit(struct rec_fold *f, struct rec_run *piece);

/* Whether markers allow a body of these events. */
int rec_macro_allows(const struct rec_macro *macro, const uint32_t *s,
    uint32_t n);

/* Whether the piece's body may start at its event o. */
static inline int
rec_start_ok(const struct rec_fold *f, const struct rec_run *piece, uint32_t o)
{
	return f->start == NULL ||
	    f->start[(f->start_at + o) % piece->period];
}

/* The number of events of the piece, a free part of the claim's run, that
 * its first iteration is to leave out; fewer than its remainder allows. */
uint32_t rec_phase_choose(const struct rec_fold *f,
    const struct rec_claim *claim, const struct rec_run *piece,
    uint8_t *phase);

/* Gives a level, whose first iterations are those of a piece of another one,
 * the median of their gaps and marks. */
void rec_phase_inherit(const struct rec_fold *f, struct rec_level *to,
    uint32_t at, uint32_t count);

/*
 * Levels in use, from the top down to what their tokens hold, shortest
 * first; their number in *n.  The caller frees it.
 */
uint32_t *rec_used(const struct rec_state *st, size_t *n);

/* Replaces stretches of the level's tokens: put[k] is the id of a definition
 * that takes the place of the tokens k .. k + width[k] - 1, or REC_NONE for
 * a token that stays.  What is left of neighbours with one body becomes one
 * loop. */
void rec_replace(struct rec_state *st, uint32_t level, const uint32_t *put,
    const uint32_t *width);

/* Blocks for what occurs once elsewhere: bodies of loops, of 3 events or
 * more, that stand anywhere among the tokens of a level. */
void rec_share_bodies(struct rec_state *st);

/* Whether a part of that many events is most of the whole. */
static inline int
rec_mostly(uint32_t part, uint32_t whole)
{
	return part > whole / 3 * 2;
}

/* Blocks for what recurs apart. */
void rec_share_repeats(struct rec_state *st);

/* Undoes the blocks whose body has no second place in the end. */
void rec_unfold_single(struct rec_state *st);

/* The suffix array of s[0 .. n), symbols 0 .. top, and lcp[i], the length of
 * what suffixes sa[i - 1] and sa[i] have in common; lcp[0] = 0. */
void rec_suffixes(const uint32_t *s, size_t n, uint32_t top, uint32_t *sa,
    uint32_t *lcp);

#endif
