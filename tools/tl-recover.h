#ifndef TL_RECOVER_H
#define TL_RECOVER_H

#include <stddef.h>
#include <stdint.h>

#include "str.h"

/*
 * The structure of one scope: what repeats in a sequence of symbols.
 * Private to tl-recover.  In: struct rec_seq.  Out: struct rec_tree.
 */

#define REC_GAP_NONE INT64_MIN /* the host gap is not known */

/* A rule on what may be folded, by symbols: after none of a body's `after`
 * comes a `before` that is not its own; without a `before`, `after` is at the
 * end of a body. */
struct rec_marker {
	uint32_t before; /* UINT32_MAX: none */
	uint32_t after;  /* UINT32_MAX: a symbol that does not occur */
};

struct rec_macro {
	struct rec_marker *marker;
	size_t n;
};

/*
 * One scope's participating events in recovered (launch) order.  The caller
 * owns the arrays; they are read only during rec_recover().
 */
struct rec_seq {
	size_t n;            /* events, < 2^31 */
	const uint32_t *sym; /* [n], each < n_sym; equal events, equal symbols */
	uint32_t n_sym;      /* < 2^31 */
	/* [n] or NULL.  Host gap before event i: end of the previous launch
	 * call to start of this one, REC_GAP_NONE where unknown. */
	const int64_t *gap_ns;
	/* [n] or NULL.  1: a step boundary (marker or range start) falls
	 * between events i - 1 and i. */
	const uint8_t *mark;
	/* 1: what repeats as a whole, like a graph that was replayed, and so
	 * is judged as the body of a loop is. */
	uint8_t is_body;
	/* 1: its ends are no cuts, so no iteration there is a part of one. */
	uint8_t is_whole;
	const struct rec_macro *macro; /* NULL: no rules */
};

enum rec_kind {
	REC_EVENT, /* one event */
	REC_LOOP,  /* a body, count >= 2 times in a row */
	REC_BLOCK  /* a body, once; shared with a loop or with other blocks */
};

/* What decided where a body starts. */
enum rec_phase {
	REC_PHASE_NONE, /* no choice: any other start loses an iteration, or
	                 * cuts an inner loop that this one leaves whole */
	REC_PHASE_MARK, /* marks */
	REC_PHASE_GAP,  /* the largest median host gap */
	REC_PHASE_LEFT  /* no evidence: the first possible event */
};
#define REC_N_PHASE 4

/*
 * A body: definition ids in order.  Interned: equal events, equal body id.
 */
struct rec_body {
	const uint32_t *item; /* [n_item] definition ids */
	uint32_t n_item;
	uint32_t len;   /* events, everything expanded */
	uint32_t depth; /* 1: all items are events; else 1 + the deepest item's
	                 * body; at most some log2(n) */
	uint8_t phase;  /* enum rec_phase of the first loop with this body;
	                 * REC_PHASE_NONE for a body that only blocks have */
};

/*
 * A definition with a body: loop or block.  Interned: equal (kind, body,
 * count), equal definition id.
 */
struct rec_def {
	uint8_t kind;   /* REC_LOOP or REC_BLOCK */
	uint32_t body;  /* index into rec_tree.body; a loop of 3, a loop of 5
	                 * and a block can share it */
	uint32_t count; /* iterations; 1 for a block */
	uint32_t len;   /* events: count * body's len */
};

/*
 * A token of the top level.  The tokens cover all events, in order, without
 * overlap: token t + 1 starts where t ends.
 *
 *   n = head + len of def + tail
 *
 * head and tail are not 0 only for a loop at the first or last event of the
 * sequence: an iteration that the capture's edge cut.  The head is the last
 * `head` events of the expanded body, the tail its first `tail`; inner loops
 * are clipped with it.  Both are shorter than the body.
 */
struct rec_tok {
	uint32_t def;   /* definition id */
	uint32_t first; /* index of the first event (of the head, if any) */
	uint32_t n;     /* events */
	uint32_t head;
	uint32_t tail;
};

/* What may deserve a note. */
struct rec_stat {
	uint32_t n_loop;  /* loop definitions */
	uint32_t n_block; /* block definitions */
	uint32_t n_top;   /* loop tokens at the top level */
	uint32_t depth;   /* of the deepest body; 0: nothing repeats */
	/* loop bodies by what decided their start */
	uint32_t phase[REC_N_PHASE];
	uint32_t refused; /* times that markers forbade a loop */
	/* 1: the search for repeats that are not adjacent (blocks) was cut
	 * short by its budget; some may be missed.  Loops never are. */
	uint8_t budget;
};

/*
 * Definition ids: id < n_sym is the event with symbol id; n_sym <= id <
 * n_sym + n_def is def[id - n_sym].  Items of a body have smaller ids than
 * every definition with that body, so a pass in id order is bottom up.
 */
struct rec_tree {
	uint32_t n_sym;
	uint32_t n_def;
	uint32_t n_body;
	uint32_t n_tok;
	struct rec_def *def;   /* [n_def] */
	struct rec_body *body; /* [n_body] */
	struct rec_tok *tok;   /* [n_tok] */
	uint32_t *item;        /* the bodies' items */
	struct tl_str *label;  /* [n_def] of blocks, n is 0 where it has none;
	                        * NULL: no definition has one */
	struct rec_stat stat;
};

/*
 * Finds the structure of *seq and fills *tree, which the caller gives to
 * rec_tree_free() in the end.  An empty sequence gives no tokens.  Exits
 * when memory runs out.  The result depends on the sequence only.
 */
void rec_recover(struct rec_tree *tree, const struct rec_seq *seq);

/* Frees what rec_recover() put into *tree. */
void rec_tree_free(struct rec_tree *tree);

static inline enum rec_kind
rec_kind_of(const struct rec_tree *tree, uint32_t id)
{
	return id < tree->n_sym ? REC_EVENT :
	    (enum rec_kind)tree->def[id - tree->n_sym].kind;
}

/* Events of the definition: 1 for an event, all iterations of a loop. */
static inline uint32_t
rec_len_of(const struct rec_tree *tree, uint32_t id)
{
	return id < tree->n_sym ? 1 : tree->def[id - tree->n_sym].len;
}

/* The body of a loop or block; NULL for an event. */
static inline const struct rec_body *
rec_body_of(const struct rec_tree *tree, uint32_t id)
{
	return id < tree->n_sym ? NULL :
	    &tree->body[tree->def[id - tree->n_sym].body];
}

#endif
