#ifndef TL_RECOVER_MODEL_H
#define TL_RECOVER_MODEL_H

/* A sequence written anew with the units of a model, and its tree. */

#include "tl-recover_core.h"
#include "tl-recover_rules.h"

#define NO_LABEL UINT32_MAX

/* A unit or composition: its label and what it is made of, symbols or units.
 * Equal ones are one. */
struct made {
	uint32_t label;   /* index into model: labels, then unclassified and
	                     ambiguous, then compositions */
	uint32_t *item;
	uint32_t n;
};

/* A piece of the new sequence. */
struct part_tok {
	uint32_t sym; /* a symbol, n_sym + unit */
	uint32_t first, n;
};

struct model {
	struct rec_rules *r;
	const struct rec_seq *seq;
	const uint32_t *part;
	uint32_t begin, end;     /* symbols */
	uint32_t *label_of;      /* [n_sym] label of units with it, else
	                            NO_LABEL; n_labels + 1: several */
	struct made *made;
	size_t n_made, made_cap;
	struct tl_intern made_at;
	struct part_tok *tok;
	size_t n_tok, tok_cap;
};

/* The tree of the sequence that m->tok is; the caller frees it. */
void rec_model_tree(const struct model *m, struct rec_tree *tree);

#endif
