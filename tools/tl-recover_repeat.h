#ifndef TL_RECOVER_REPEAT_H
#define TL_RECOVER_REPEAT_H

#include "tl-recover_core.h"

/* What the search for repeats shares: tl-recover_repeat.c makes the text,
 * tl-recover_word.c finds words in it and makes blocks of them. */

/* A word that occurs at places sa[at .. at + count). */
struct rec_word {
	uint32_t at, count, len;
	uint32_t first; /* its leftmost place */
	int64_t saved;  /* tokens */
	int64_t score;
};

struct rec_words {
	struct rec_state *st;
	uint32_t *used; /* levels, each followed by a wall */
	size_t n_used;
	uint32_t *start; /* [n_used + 1] where they start in the text */
	uint32_t m, n_tok;
	uint32_t n_ids; /* ids of tokens are below that, walls from there on */
	uint32_t *id;   /* [m] */
	struct rec_tok **tok; /* [m] NULL: only a wall */
	uint64_t *bits; /* [m + 1] sums of -log2(frequency) */
	uint64_t need;  /* of them, for two tokens to be more than chance */
	/* the part of it in which anything recurs */
	uint32_t n, top;
	uint32_t *part;  /* [n] ids from 0 to top, without holes */
	uint32_t *place; /* [n] in the text, REC_NONE: a wall */
	uint32_t *sa, *lcp;
	struct rec_word *word; /* best first */
	size_t n_word, cap_word;
	/* the answer */
	uint32_t *put, *width; /* [m] for rec_replace() */
	uint64_t *taken;       /* by bit */
	struct rec_map *content; /* (hash, events) to level */
};

/* -log2 of the probability that a word has to have, in 1/65536 bit. */
uint64_t rec_bits_needed(const struct rec_words *x, uint32_t len);

/* Finds the words of x->part and puts blocks in x->put; returns how many. */
uint32_t rec_place_words(struct rec_words *x);

#endif
