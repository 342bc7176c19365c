#ifndef TL_RECOVER_SCOPE_H
#define TL_RECOVER_SCOPE_H

/* What tl-recover keeps of a stream, scope by scope: read by _gather, put in
 * order by _order, measured by _cost, turned into positions by _tree, written
 * by _write. */

#include "filter.h"
#include "intern.h"

/* Flags of a device event. */
#define REC_PART 1U  /* takes part in the structure */
#define REC_CORR 2U  /* has a correlation that is a number */
#define REC_GRAPH 4U /* a replayed graph as one interval */
#define REC_GONE 8U  /* counted nowhere after all */

struct rec_event {
	int64_t start_ns, end_ns;
	uint64_t corr; /* its id, past 2^32 counted on */
	uint32_t id;
	uint32_t sym; /* interned: sym= or the name */
	uint8_t cls;  /* enum tl_class */
	uint8_t flags;
};

/* What a member record says of an event. */
struct rec_member {
	uint32_t launch; /* index into cap->launch; REC_NO_LAUNCH: is none */
	uint32_t lane, index;
};
#define REC_NO_LAUNCH UINT32_MAX

/* One device of one process. Events are in stream order, that is by start. */
struct rec_scope {
	uint32_t process, device; /* interned */
	struct rec_event *ev;
	struct rec_member *member; /* [n], NULL if there is none */
	size_t n, cap;
	int64_t from_ns, to_ns; /* least start, greatest end */
	/* from rec_order: the sequence. An item is an event or a replay. */
	size_t n_items;
	uint32_t *item_sym;    /* [n_items] the event's, or a unit's */
	uint32_t *item_first;  /* [n_items + 1] in order */
	uint32_t *item_launch; /* [n_items] or NULL: index, REC_NO_LAUNCH */
	int64_t *gap_ns;       /* [n_items] host gap before it, REC_GAP_NONE */
	uint8_t *mark;         /* [n_items] a step begins before it */
	/* Events of the items. Those of a replay are lane by lane, by index;
	 * behind them the members that take no part (copies, fills). */
	uint32_t *order;
	size_t n_order, n_part;
	size_t n_placed;  /* participating without a usable correlation */
	size_t n_marks;
};

/* A call that may have launched something. */
struct rec_call {
	uint64_t corr;
	int64_t start_ns, end_ns;
	uint32_t process;
	uint32_t id;
};

struct rec_step {
	int64_t at_ns;
	uint32_t process;
};

/* Correlation ids seen last, made unique (see unwrap); 0 before the first. */
struct rec_last {
	uint32_t process;
	uint64_t device, call;
};

/* How a launch stands among other events: by its call's correlation, by its
 * members' (nobody knows the call), by its time (they have others). */
enum rec_by { REC_BY_CALL, REC_BY_MEMBERS, REC_BY_TIME };

/* A graph launch with members. */
struct rec_launch {
	uint64_t id;
	uint64_t corr; /* of its call, as that has it */
	uint32_t unit; /* index into cap->unit */
	enum rec_by by;
};

/* A stream of a unit: what a replay of it runs there, in order. Symbols of
 * members that take part; at has each one's place among all members. */
struct rec_lane {
	uint32_t *sym, *at;
	size_t n, cap, at_cap;
	struct rec_tree *tree; /* its structure, recovered once */
};

/* Number of the lane's participating members before the member with an
 * index. */
size_t rec_lane_find(const struct rec_lane *l, uint32_t index);

struct rec_unit {
	uint64_t id;
	struct rec_lane *lane;
	size_t n_lanes, lanes_cap;
	uint32_t n_part; /* participating members in all */
	uint32_t n_launches;
};

struct rec_capture {
	struct tl_intern text; /* names, tokens */
	struct rec_scope *scope;
	size_t n_scopes, scopes_cap;
	struct rec_call *call;
	size_t n_calls, calls_cap;
	struct rec_last *last;
	size_t n_lasts, lasts_cap;
	struct rec_step *step;
	size_t n_steps, steps_cap;
	struct rec_launch *launch; /* by id, ascending */
	size_t n_launches, launches_cap;
	struct rec_unit *unit;     /* by id, ascending */
	size_t n_units, units_cap;
	uint32_t sym_replay;       /* symbol of unit[u] is this plus u */
	uint64_t n_launch_calls; /* by their names */
	struct rec_rules *rules; /* what is read of them in the stream */
};

/* Reads the stream to its end through the filter and keeps what recovery
 * needs; sorts scopes by process and device. */
void rec_gather(struct rec_capture *cap, struct tl_filter *f);

/* Records of tl-replay: unit, launch and member, in the order of the stream.
 * Exits 1 where one does not fit what came before it. */
void rec_add_replay(struct rec_capture *cap, const struct tl_filter *f,
    const struct tl_rec *rec);

/* After the last record: symbols of units, and the structure of each lane. */
void rec_end_replay(struct rec_capture *cap);
void rec_replay_free(struct rec_capture *cap);
void rec_capture_free(struct rec_capture *cap);

/* "process:device"; the caller frees it. */
char *rec_scope_name(const struct rec_capture *cap, const struct rec_scope *s);

/* Fills the scope's items, order and what hangs on them: launch order, or
 * device start order where by_start, in which a replay is where its first
 * member is. Calls must have been sorted by rec_sort_calls. */
void rec_sort_calls(struct rec_capture *cap);
void rec_order(const struct rec_capture *cap, struct rec_scope *s,
    bool by_start);
void rec_order_free(struct rec_scope *s);

/* Union costs of a window, nanoseconds. TL_NONE in the columns of a class
 * where an opaque graph lies in the window. */
struct rec_cost {
	int64_t busy, compute, comm, comm_exposed, copy, copy_exposed;
};

/* Prefix sums over the scope's device events. */
struct rec_costs;
struct rec_costs *rec_costs_new(const struct rec_scope *s);
void rec_costs_free(struct rec_costs *c);

/* Costs of [from, to). Fastest when windows come in order of time. */
struct rec_cost rec_cost_of(struct rec_costs *c, int64_t from_ns,
    int64_t to_ns);

#endif
