#ifndef TL_RECOVER_TREE_H
#define TL_RECOVER_TREE_H

#include "cost.h"
#include "tl-recover_near.h"
#include "tl-recover_scope.h"

#define REC_NO_POS UINT32_MAX

enum rec_pos_kind {
	REC_POS_ROOT, REC_POS_SEQ, REC_POS_LOOP, REC_POS_REPLAY, REC_POS_EVENT
};

/* A place in the tree. Positions are numbered in pre-order, the root is 0. */
struct rec_pos {
	enum rec_pos_kind kind;
	uint32_t parent;
	uint32_t depth;
	/* Where its body is described: the scope's tree or a lane's, and the
	 * definition in it. NULL for the root, for replays and their lanes,
	 * whose children are tokens of a tree. */
	const struct rec_tree *tree;
	uint32_t def;
	uint32_t unit, lane;  /* of a replay, and of a lane below it */
	uint32_t len;         /* items of its body, one iteration of a loop */
	uint32_t body_events; /* participating events of it, expanded */
	uint32_t child;       /* index in place.child of its first item's */
};

/* One realisation of a position that is no event, or one iteration of a loop.
 * Its members are events [first, first + n) of the scope's order. */
struct rec_occ {
	uint32_t pos;
	uint32_t parent;    /* occurrence above it; REC_NO_POS for the root */
	uint32_t n_in_pos;  /* number within the position, from 1 */
	uint32_t iteration; /* that it is or lies in directly, from 1; 0: none */
	uint32_t first, n;
	uint32_t whole;     /* of a loop: iterations that were not cut */
	uint32_t part;      /* of a loop: participating events of the others */
	uint32_t item;      /* where it begins in the corrected text */
	uint32_t dev, n_dev; /* deviations in it: index into place.dev */
	uint32_t variant;   /* of an iteration, from 1; 0: none */
	uint8_t full;       /* not cut, no replay in it lacks members */
	uint8_t is_iteration;
	uint8_t cut;        /* iteration: not whole */
	uint8_t last;       /* iteration: none follows */
};

/* A deviation, in the order of the walk. */
struct rec_deviation {
	uint32_t owner; /* occurrence it lies in directly */
	uint32_t pos;   /* position it is at, or behind */
	uint32_t at;    /* place in the order; of a missing one, the next */
	uint32_t item;  /* of the corrected text that it is at, or behind */
	uint8_t kind;   /* enum rec_near_kind */
};

/* Iterations of one position with the same deviations. */
struct rec_variant {
	uint32_t pos, count, first; /* first: an occurrence */
	uint32_t n[4];  /* deviations, by enum rec_near_kind */
};

/* The tree of positions and what realises them. */
struct rec_place {
	struct rec_pos *pos;
	size_t n_pos, pos_cap;
	uint32_t *child; /* for each item of each instantiated body: position */
	size_t n_child, child_cap;
	struct rec_occ *occ;
	size_t n_occ, occ_cap;
	uint32_t *leaf;  /* [n_order] leaf position; n_pos: takes no part */
	uint32_t *owner; /* [n_order] occurrence it lies in directly */
	struct rec_deviation *dev;
	size_t n_dev, dev_cap;
	struct rec_variant *variant; /* by position, most frequent first */
	size_t n_variant, variant_cap;
};

/* near: what the tree's text corrects, empty if nothing. */
void rec_place_new(struct rec_place *p, const struct rec_tree *tree,
    const struct rec_near *near, const struct rec_capture *cap,
    const struct rec_scope *s);
void rec_place_free(struct rec_place *p);

/* Groups iterations into variants, where any deviates. */
void rec_vary(struct rec_place *p, const struct rec_scope *s);

/* Things in groups: those of group g are at[first[g]] to at[first[g + 1]]. */
struct rec_groups {
	uint32_t *first, *at;
};

/* Thing i of n is of group of[i], a number below n_groups; the of[] are stride
 * bytes apart. The caller frees first and at. */
void rec_group(struct rec_groups *g, size_t n_groups, size_t n,
    const uint32_t *of, size_t stride);

/* The lower median of n > 0 values, which it reorders. */
int64_t rec_lower_median(int64_t *v, size_t n);

/* For each item of the corrected text and its end, how many replays before it
 * lack members; the caller frees it. */
uint32_t *rec_find_lacks(const struct rec_near *near,
    const struct rec_capture *cap, const struct rec_scope *s);

/* Writes the scope's pos, occ, real, variant and dev records. name is its "process:device".
 * costs may be shared by nobody else meanwhile. */
void rec_write(struct tl_evout *out, struct tl_str name,
    const struct rec_capture *cap, const struct rec_scope *s,
    const struct rec_tree *tree, const struct rec_place *p,
    struct tl_costs *costs);

#endif
