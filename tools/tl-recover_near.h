#ifndef TL_RECOVER_NEAR_H
#define TL_RECOVER_NEAR_H

#include "tl-recover_core.h"

/*
 * Loops whose iterations differ.  A body is voted among the iterations, each
 * iteration is aligned to it, and the sequence is written anew as if none had
 * differed: what was extra is left out, what was missing is put in, what was
 * replaced is put back.  The structure of that text is recovered as that of
 * any other; what was changed are its deviations.
 *
 *	tl-recover_near.c        the text they give, and whether it is better
 *	tl-recover_near_body.c   the bodies
 *	tl-recover_near_word.c   periods, from the distances of short words
 *	tl-recover_near_align.c  the stretches of text that a body explains
 *	tl-recover_near_wave.c   one alignment, from a place on
 *	tl-recover_near_vote.c   a better body from the stretches
 *	tl-recover_near_mix.c    steps of several kinds in any order
 */

enum rec_near_kind {
	REC_NEAR_SAME,    /* an item is what the body says */
	REC_NEAR_EXTRA,   /* an item that the body does not have */
	REC_NEAR_MISSING, /* none where the body has one */
	REC_NEAR_REPLACED /* another one */
};

/* One deviation.  An extra stands before item `to` of the corrected text, the
 * other two are at it. */
struct rec_near_edit {
	uint32_t at;  /* item of the sequence; of a missing one, the next */
	uint32_t to;
	uint32_t sym; /* of an extra its own, else what the body has */
	uint8_t kind;
};

/* The corrected text. */
struct rec_near {
	uint32_t n;
	uint32_t *sym; /* [n] */
	uint32_t *at;  /* [n + 1] item of the sequence that stands here; of a
	                * missing one, the next */
	uint8_t *kind; /* [n] REC_NEAR_SAME, _MISSING or _REPLACED */
	int64_t *gap_ns; /* [n] or NULL, as in struct rec_seq */
	uint8_t *mark;   /* [n] or NULL */
	struct rec_near_edit *edit; /* [n_edit] in order of at, then of to */
	size_t n_edit;
};

/* The share of a loop's events that may deviate, in percent: by default, and
 * at most. */
enum { REC_NEAR_DEFAULT = 10, REC_NEAR_MOST = 30 };

/*
 * As rec_recover(), with deviations of up to `percent` of a loop's events; 0
 * is exact.  Where tolerance gives no better tree, the result is exact, *near
 * is empty (n_edit 0, no arrays) and the tree is of the sequence itself; else
 * the tree is that of the corrected text.  The caller frees both.
 */
void rec_near_recover(struct rec_tree *tree, struct rec_near *near,
    const struct rec_seq *seq, uint32_t percent);
void rec_near_free(struct rec_near *near);

/* ---- within tl-recover_near*.c ---- */

/* A period that words recur at. */
struct rec_period {
	uint32_t gap;      /* items */
	uint32_t evidence; /* conforming distances, all words together */
	uint32_t first, n; /* the anchor's places: word.at[first ..] */
	uint32_t len;      /* of the anchor, items */
};

/* Short words of the text that is not taken yet, and their places. */
struct rec_near_word {
	uint32_t *at;     /* places, by word, ascending */
	uint32_t *first;  /* [n_word + 1] */
	uint32_t *of;     /* [n] word at each place, REC_NONE: rare or taken */
	uint32_t n_word;
};

/* What stands in the text and differs from the body; columns are counted from
 * the stretch's first one on. */
struct rec_dev {
	uint32_t at, col, sym;
	uint8_t kind;
};

/* A stretch of text that a body explains, cyclically. */
struct rec_stretch {
	uint32_t from, to;  /* items of the text */
	uint32_t col, n_col; /* first column, columns in all */
	uint32_t dev, n_dev; /* index into rec_fit.dev */
	uint32_t body;       /* of the final answer */
};

/* A body with what it explains. */
struct rec_fit {
	uint32_t *body; /* [p] */
	uint32_t p;
	struct rec_stretch *str;
	size_t n_str, str_cap;
	struct rec_dev *dev;
	size_t n_dev, dev_cap;
	int64_t score;
};

struct rec_near_state {
	const uint32_t *s;
	uint32_t *back; /* [n] the text from its end */
	uint32_t n, n_sym;
	uint32_t percent;
	int is_body;         /* a body, whose iterations vote */
	uint64_t *taken;     /* by bit */
	uint32_t *count;     /* [n_sym] */
	struct rec_chance log; /* for logarithms only */
};

/* The bodies that explain a text, and what they explain of it. */
enum { REC_NEAR_BODIES = 8, REC_NEAR_COST = 2 };

struct rec_near_answer {
	struct rec_near_state st;
	struct rec_fit fit[REC_NEAR_BODIES];
	size_t n_fit;
	struct rec_stretch *str; /* of all bodies, by place */
	size_t n_str;
};

/* Finds the bodies of s[0 .. n).  is_body: of a body, whose iterations vote. */
void rec_near_find(struct rec_near_answer *a, const uint32_t *s, uint32_t n,
    uint32_t n_sym, uint32_t percent, int is_body);
void rec_near_answer_free(struct rec_near_answer *a);

/* What deviations cost, in items: a block of them 2, and 1 for each event more
 * that is there. */
int64_t rec_near_dev_cost(const struct rec_dev *dev, size_t n);

/* What a person has to read of a tree: items of bodies, and what is different
 * at the top. */
int64_t rec_near_reading(const struct rec_tree *tree);

/* Steps of a few kinds in any order: replaces the tree, if there is less to read
 * then, by one whose top level is a block for each step, equal for those of a
 * kind. */
void rec_near_mix(struct rec_tree *tree, const struct rec_seq *seq);

/* The *n steps of a few kinds, the caller's to free; NULL if there are none. */
struct rec_piece *rec_near_steps(const struct rec_seq *seq, size_t *n);

/* The same in parts: sets up the search, takes the text that fit[n_fit]
 * explains, searches bodies in what is left. */
void rec_near_start(struct rec_near_answer *a, const uint32_t *s, uint32_t n,
    uint32_t n_sym, uint32_t percent, int is_body);
void rec_near_take(struct rec_near_answer *a);
void rec_near_rest(struct rec_near_answer *a);

/* Whether so many deviations are allowed among so many columns. */
int rec_near_allowed(const struct rec_near_state *st, uint64_t devs,
    uint64_t cols);

/* Order of stretches, for qsort. */
int rec_near_by_place(const void *a, const void *b);

/* Given the steps of a corrected text: all steps of its sequence held against
 * the kinds that two steps or more have. */
void rec_near_kinds(struct rec_near_answer *a, const struct rec_near *near,
    const struct rec_seq *seq, const struct rec_piece *piece, size_t n,
    uint32_t percent);

void rec_near_add_dev(struct rec_fit *fit, struct rec_dev dev);

/* What a stretch lacks at an end that is one of the body's, if that is little. */
void rec_near_complete(const struct rec_near_state *st, struct rec_fit *fit,
    struct rec_stretch *s, int at_end);

/* Tokens and items of bodies in a tree: what it takes to write it down. */
int64_t rec_near_cost(const struct rec_tree *tree);

/* Words of k items. */
void rec_near_words(const struct rec_near_state *st, struct rec_near_word *w,
    uint32_t k);
void rec_near_words_free(struct rec_near_word *w);

/* Periods, best first, at most max.  w[0] has words of 3 items, w[1] of 2;
 * *of says which one the anchor is from. */
size_t rec_near_periods(const struct rec_near_state *st,
    const struct rec_near_word *w, struct rec_period *period, size_t max);

/* Finds the stretches that a body explains, from places of its column 0 on. */
void rec_near_align(const struct rec_near_state *st, struct rec_fit *fit,
    const uint32_t *place, uint32_t n_place, uint32_t anchor_col);

/* Changes the body to what most passes over it say.  Returns the number of
 * columns that changed; *col moves along. */
uint32_t rec_near_vote(const struct rec_near_state *st, struct rec_fit *fit,
    uint32_t *col);

/* Deviations that a stretch of len columns may have. */
static inline uint32_t
rec_near_bound(uint32_t len)
{
	uint32_t part = (uint32_t)((uint64_t)len * 3 / 10);

	return part > 2 ? part : 2;
}

/* One alignment. */
enum { REC_WAVE = 32, REC_PAD = 2048 };

struct rec_wave_text {
	const uint32_t *s;  /* text */
	uint32_t n;
	uint32_t *b;        /* [p + REC_PAD] the body, repeated */
	uint32_t p;
	uint32_t most;      /* deviations at one place */
	uint32_t bound;     /* of one section */
};

struct rec_wave {
	int32_t reach[REC_WAVE + 1][2 * REC_WAVE + 7];
	struct rec_dev dev[REC_WAVE]; /* relative to the start */
	uint32_t n_dev, dx, dc;
	int is_block; /* all are one section */
};

/* From a difference at text x, column c on: the deviations that explain it
 * best.  0: none do. */
int rec_wave_cross(struct rec_wave *w, const struct rec_wave_text *t,
    uint32_t x, uint32_t c);

/* The section of at most t->bound items that is extra, or missing, behind which
 * most agrees.  0: there is none. */
int rec_wave_block(struct rec_wave *w, const struct rec_wave_text *t,
    uint32_t x, uint32_t c, int extra);

/* Deviation i of n_dev, its column counted from c. */
const struct rec_dev *rec_wave_dev(struct rec_wave *w,
    const struct rec_wave_text *t, uint32_t x, uint32_t c, uint32_t i);

#endif
