#ifndef TL_REPLAY_H
#define TL_REPLAY_H

/* What tl-replay keeps of a stream, and the way it goes: _gather reads, _call
 * makes one of the calls of one launch, _acl finds launches on Ascend devices,
 * _group others, _unit which are equal, _place what the rest are, _write adds
 * the records. */

#include "filter.h"
#include "intern.h"

#define REP_NONE UINT32_MAX

/* A correlation id as a number: the token's value, or for a token that is no
 * number below 2^63 that bit and its number among the texts. */
#define REP_CORR_TEXT ((uint64_t)1 << 63)

/* Given to members of a launch on an Ascend device, with its number. */
#define REP_CORR_ACL ((uint64_t)3 << 62)

/* One of the events of a lane that start together. */
struct rep_tie {
	int64_t end_ns;
	uint64_t corr;
	size_t event; /* SIZE_MAX: not kept */
};

/* A stream of a device. */
struct rep_lane {
	uint32_t process, device, context; /* text numbers */
	uint32_t owner;             /* text: what correlation ids belong to */
	uint32_t device_no;         /* of the process's devices, from 0 */
	uint32_t stream;            /* of graphs of Ascend, or REP_NONE */
	uint64_t first_id, last_id; /* of its events, with or without
	                               correlation */
	uint64_t corr;              /* of the last event, but for those that
	                               start together last: */
	struct rep_tie *tie;
	size_t n_ties, ties_cap;
	int64_t start_ns;
	size_t round;               /* scratch of _group */
};

/* How an event follows the one before on its lane: the correlation is
 * another, a smaller number, the same. */
enum rep_follows { REP_BEGINS, REP_GOES_BACK, REP_FOLLOWS };

/* A device event with a correlation, or an interval of a graph. */
struct rep_event {
	int64_t start_ns, end_ns;
	uint64_t corr;
	uint32_t lane;
	uint32_t sym;
	uint32_t graph, node; /* text numbers, REP_NONE if it has none */
	uint32_t id;
	uint32_t at;          /* rank in the stream */
	uint32_t model;       /* of Ascend, rep_acl_model */
	uint8_t is_kernel;    /* a kernel or task */
	uint8_t is_graph;     /* kind graph */
	uint8_t follows;      /* enum rep_follows */
	uint8_t is_body;      /* on a stream of graphs of Ascend, and named */
};

/* A call with a correlation, or one that launches a graph. */
struct rep_call {
	int64_t start_ns, end_ns;
	uint64_t corr;
	uint32_t owner;
	uint32_t lane;     /* process and thread */
	uint32_t id;
	uint32_t outer;    /* index of the launch it lies in, or REP_NONE */
	uint8_t is_launch; /* by its name a launch of a graph */
	uint8_t is_graph;  /* by its name to do with graphs */
	uint8_t is_capture;
	uint8_t is_execute; /* by its name executes something */
	uint8_t has_events;
	uint8_t untied;    /* has no correlation */
	uint8_t failed;
};

enum rep_status {
	REP_EXACT, REP_SINGLE, REP_PARTIAL, REP_VARIANT, REP_OPAQUE,
	REP_EMPTY, REP_ORPHAN, REP_N_STATUS
};

enum rep_evidence {
	REP_BY_ID, REP_BY_CALL, REP_BY_SHARE, REP_BY_INTERVAL, REP_BY_NOTHING
};

/* How an ACL launch and the record of its end were found to belong together;
 * what tells its graph; why its members are not told. */
enum rep_acl_match { REP_ACL_ALONE, REP_ACL_NEAR, REP_ACL_ORDER };
enum rep_acl_by {
	REP_ACL_RECORD_MODEL, REP_ACL_RECORD_STREAM, REP_ACL_EXECUTE_MODEL
};
enum rep_acl_refusal {
	REP_ACL_WHOLE, /* they are */
	REP_ACL_NO_WAIT, REP_ACL_NO_RECORD, REP_ACL_NO_GRAPH, REP_ACL_NO_NAMES,
	REP_ACL_OVERLAP, REP_ACL_SHARED, REP_ACL_NO_BODY, REP_ACL_N_REFUSALS
};

/* An execution of a graph on an Ascend device. */
struct rep_acl_launch {
	int64_t start_ns, end_ns;
	int64_t busy_ns; /* until when it ran for sure */
	const struct rep_call *call; /* NULL if unknown */
	uint32_t lane;               /* on which it was executed */
	uint32_t execute;            /* event */
	uint32_t graph;              /* of the capture map, or REP_NONE */
	uint32_t graph_text;         /* text and 1, or 0 */
	uint32_t n_members;
	enum rep_acl_match match;
	enum rep_acl_by by;
	enum rep_acl_refusal refusal;
};

/* Places of a launch's members in another's. */
struct rep_fit {
	uint32_t *lane, *index; /* [n]; NULL: it is its own template */
	uint32_t n_unsure;      /* members that could be in other places */
};

/* A launch. Its members are event[first] to event[first + n), lanes in
 * canonical order one after the other. */
struct rep_launch {
	size_t first, n;
	const struct rep_call *call;      /* NULL if unknown */
	const struct rep_event *interval; /* kind graph; NULL if none */
	const struct rep_acl_launch *acl; /* NULL if it is none */
	uint32_t n_intervals;             /* in a row, of an opaque one */
	uint32_t n_lanes;
	bool several;                     /* devices */
	uint32_t unit;
	uint32_t n_missing;
	struct rep_fit fit;
	enum rep_status status;
	enum rep_evidence evidence;
};

/* A graph body. Its template is a launch's members. */
struct rep_unit {
	uint32_t launch;   /* index of the launch that is the template */
	uint32_t realised; /* launches with exactly these members */
	uint32_t launches; /* the same without those that are parts of others */
	uint32_t number;   /* in the output, from 1; 0: not used */
	uint64_t hash;
};

/* What is told but is no launch. */
struct rep_counts {
	uint64_t captures;    /* calls that begin the capture of a graph */
	uint64_t shared;      /* correlations of several kernels, left alone */
	uint32_t shared_call; /* the call with most of them, or REP_NONE */
	uint64_t untied;      /* nodes of graphs without a correlation */
	uint64_t untied_calls;
	uint64_t reused;      /* correlations of several calls apart */
	uint64_t scattered;   /* launches with other work between members */
};

struct rep_capture {
	const char *const *words; /* of names that launch graphs too (-c) */
	size_t n_words;
	struct tl_intern text;
	uint32_t *scratch;        /* by text number, 0 between uses */
	size_t round;             /* of looking at lanes */
	struct tl_intern lanes;   /* process, device, context, lane */
	struct tl_intern devices; /* process, device */
	struct rep_lane *lane;
	size_t lanes_cap;
	struct rep_event *event;
	size_t n_events, events_cap;
	struct rep_call *call;
	size_t n_calls, calls_cap;
	struct rep_launch *launch;
	size_t n_launches, launches_cap;
	struct rep_unit *unit;
	size_t n_units, units_cap;
	struct rep_counts counts;
	struct rep_acl *acl;      /* NULL where there is nothing of Ascend */
};

void rep_gather(struct rep_capture *cap, struct tl_filter *f);

/* Sorts calls by owner, correlation and time, makes one of those that are one
 * launch and counts them; finds which lie in another. */
void rep_calls(struct rep_capture *cap);

/* Sorts events by owner, correlation and time; fills launch, in order of time,
 * status set where there are no members. */
void rep_group(struct rep_capture *cap);

/* Puts members into canonical order and finds which launches are equal. */
void rep_units(struct rep_capture *cap);

/* Status of launches with members; what is part of which. */
void rep_place(struct rep_capture *cap);

void rep_write(struct rep_capture *cap, struct tl_evout *out);
void rep_notes(const struct rep_capture *cap, struct tl_evout *out);
void rep_capture_free(struct rep_capture *cap);

/* Length of the lane that begins with member i of a launch, i < n. */
size_t rep_lane_len(const struct rep_capture *cap, const struct rep_launch *l,
    size_t i);

/* ---- _acl: launches on Ascend devices ---- */

/* A header line. */
void rep_acl_header(struct rep_capture *cap, struct tl_str line);

/* Number of a lane among streams that graphs were captured to, of a task's
 * model among the graphs; what an event has that tells none is REP_NONE, and
 * what is none of them REP_NONE or, a model, one less. */
uint32_t rep_acl_stream(const struct rep_capture *cap, struct tl_str device,
    struct tl_str lane);
uint32_t rep_acl_model(const struct rep_capture *cap, struct tl_str device,
    struct tl_str model);

/* Takes in a device event without a name of its own that tells its type. True
 * if it executes a graph. */
bool rep_acl_event(struct rep_capture *cap, const struct tl_ev *ev,
    uint32_t lane, uint64_t corr, struct tl_str type, uint32_t model);

/* After rep_calls: finds launches, and gives their members their correlation
 * and their graph's id. */
void rep_acl(struct rep_capture *cap);
size_t rep_acl_launches(const struct rep_capture *cap,
    const struct rep_acl_launch **launch);
/* The words for how a launch is known, or why not; at most 4. */
size_t rep_acl_codes(const struct rep_launch *l, const char *code[4]);
void rep_acl_notes(const struct rep_capture *cap, struct tl_evout *out);
void rep_acl_free(struct rep_acl *acl);

/* ---- _part: a launch as a part of another ---- */

/* How lanes must fit: as the end or the beginning of the other's lanes, or as
 * any part in its order. */
enum rep_cut { REP_CUT_HEAD, REP_CUT_TAIL, REP_CUT_ANY };

/* Whether the members of l are fewer and each lane fits a lane of t of its
 * own. Fills *fit if so; the caller frees its arrays. */
bool rep_part(const struct rep_capture *cap, const struct rep_launch *l,
    const struct rep_launch *t, enum rep_cut cut, struct rep_fit *fit);

/* The same by node ids. REP_NODES_OTHER: they say it is no part, or a node ran
 * several times; REP_NODES_NONE: not all have one. */
enum rep_nodes { REP_NODES_PART, REP_NODES_OTHER, REP_NODES_NONE };
enum rep_nodes rep_part_nodes(struct rep_capture *cap,
    const struct rep_launch *l, const struct rep_launch *t,
    struct rep_fit *fit);

/* ---- _index: which units a launch may have to do with ---- */

struct rep_index;

/* of all launches that have a unit now */
struct rep_index *rep_xindex_new(const struct rep_capture *cap);
void rep_index_free(struct rep_index *x);

/* Most answers to one question; of those that are like a launch the first are
 * the likeliest. */
#define REP_CANDIDATES 64
#define REP_LIKE 16

struct rep_candidate {
	uint32_t unit;
	uint32_t launch; /* one of the unit's */
};

/* Other units that ran graphs or nodes with l's ids. Those with most launches,
 * then members are first, here and below. */
size_t rep_same_ids(const struct rep_index *x, const struct rep_launch *l,
    struct rep_candidate *out);

/* Other units that have most members in common with l, whose unit is that of
 * rep_units; only those launched twice or more with repeated. */
size_t rep_like(const struct rep_index *x, const struct rep_launch *l,
    bool repeated, struct rep_candidate *out);

/* Other units a lane of which begins (ends, with REP_CUT_HEAD) like the first
 * lane of l. */
size_t rep_same_edge(const struct rep_index *x, const struct rep_launch *l,
    enum rep_cut cut, struct rep_candidate *out);

#endif
