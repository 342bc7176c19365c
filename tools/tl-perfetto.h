#ifndef TL_PERFETTO_H
#define TL_PERFETTO_H

/* What tl-perfetto keeps of a stream, and its parts. The stream is read once:
 * the lines of what is drawn go to a spool, tens of bytes an event stay here.
 * When all is known, lanes are given out and the spool is read again to write
 * the timeline. */

#include "evids.h"
#include "evin.h"
#include "intern.h"
#include "json_out.h"
#include "spool.h"

#define PF_NO UINT32_MAX /* no event, position, occurrence, text */

struct pf_opt {
	bool arrows, counters, no_host, pack, quiet, object, no_prog;
	bool short_names;
	uint32_t full;   /* iterations of a loop in full; PF_NO: all */
	uint64_t budget; /* of the spool */
};

/* Planes in the order they are shown in; structure and events of a scope
 * stand together. */
enum pf_plane_kind { PF_CAPTURE, PF_STRUCTURE, PF_EVENTS, PF_HOST };

struct pf_plane {
	struct tl_str process, device; /* tokens, "." for none */
	uint32_t pid, tid; /* tid: of its first lane, 0 if it has none */
	uint8_t kind;
	bool contexts;    /* has streams of several contexts */
	uint32_t context; /* of its first stream: text */
};

/* Kinds of lanes, in the order they are shown in within a stream or plane. */
enum pf_group_kind {
	PF_NOTES,    /* nested */
	PF_STEPS,    /* of a scheduler */
	PF_DEPTH,    /* of the tree: number is the depth shown */
	PF_LAUNCHES, /* of graphs */
	PF_RANGES,   /* shadows of ranges on a stream; nested */
	PF_GRAPHS,   /* intervals of graphs whose members are incomplete */
	PF_WORK,     /* what a stream does */
	PF_SYNC,
	PF_DETAILS,
	PF_PACKED,   /* members of graphs: number is the class */
	PF_THREAD,   /* nested */
	PF_COUNTER,  /* of the host */
};

/* Lanes of one name: the first and those for what overlaps. */
struct pf_group {
	struct tl_str context, lane; /* tokens */
	uint32_t plane, number;
	uint32_t first_tid, n_lanes;
	uint8_t kind;
	struct pf_pack *pack;
};

#define PF_HIDDEN 1U   /* not drawn: its members are, or a counter's value
	                * has not changed */
#define PF_OPEN 2U     /* no end was recorded */
#define PF_REPLAYED 4U /* a member of a graph launch */
#define PF_COVERED 8U  /* a call: no arrow can begin at it */

struct pf_event {
	int64_t start_ns;
	int64_t dur_ns; /* 0 for an instant */
	uint32_t group, lane;
	uint8_t kind, cls, flags;
};

/* Place in the structure. */
struct pf_real {
	uint32_t leaf;   /* number of the position; 0: none */
	uint32_t parent; /* number, 0: none */
	uint32_t n;      /* its occurrence */
	uint32_t iteration;
};

/* Place in a launch. */
struct pf_member {
	uint32_t launch; /* id; 0: none */
	uint32_t unit, stream; /* text */
	uint32_t index;
};

struct pf_launch {
	uint64_t call;   /* event id, 0 unknown */
	uint64_t opaque;
	uint32_t id, unit, status, reason, members, missing; /* text but id */
	int64_t start_ns, dur_ns; /* TL_NONE: not drawn */
	uint32_t n_members;       /* that are in the stream */
	uint32_t group, lane;
	bool none_missing;
	int64_t n_stated;         /* members, -1 unknown */
};

enum pf_pos_kind { PF_ROOT, PF_SEQ, PF_LOOP, PF_REPLAY, PF_LEAF };

struct pf_pos {
	uint32_t number, parent;  /* parent: index */
	uint32_t scope;
	uint32_t label, kind_text, iterations, body_events; /* text */
	uint32_t depth, body;     /* depth shown; which letter, PF_NO none */
	uint32_t first_occ, n_occ;
	uint8_t kind;
	bool hidden;
};

#define PF_FULL 1U      /* no iteration that the capture's edge cut */
#define PF_ITERATION 2U
#define PF_WHOLE 4U     /* what lies in it is drawn, too */
#define PF_DRAWN 8U
#define PF_FOLDED 16U   /* lies in it and is not drawn */

struct pf_occ {
	int64_t start_ns, span_ns;
	int64_t period_ns;        /* INT64_MIN unknown */
	uint32_t pos, n;
	uint32_t parent;          /* index */
	uint32_t iteration;       /* 0 none */
	uint32_t n_full, n_cut;   /* of a loop: its iterations */
	uint32_t group, lane;
	uint8_t flags;
};

struct pf_scope {
	struct tl_str name;
	uint32_t first, end; /* positions */
	struct tl_str lane4; /* "process TAB device TAB . TAB ." */
};

/* A call that may have launched something. */
struct pf_call {
	int64_t start_ns;
	uint64_t id, corr;
	uint32_t process;
	uint32_t event; /* PF_NO: not drawn */
};

/* A device event with a correlation. */
struct pf_work {
	uint64_t corr;
	uint32_t process, event;
	uint32_t call; /* index; PF_NO: none */
};

#define PF_NO_CORR UINT64_MAX

/* So many lanes are remembered while reading, of devices and of hosts. */
#define PF_RECENT 4

/* A step of a scheduler: text. What of it ran on a device. */
struct pf_sched {
	uint32_t name, run, ordinal, tokens, requests;
};
struct pf_sched_work {
	int64_t start_ns, dur_ns;
	uint32_t step; /* index */
	uint32_t events;
	uint32_t group, lane;
};

/* A step of a counter. */
struct pf_step {
	int64_t at_ns;
	uint32_t plane;
	int32_t by; /* later: the value from here on */
};

struct pf {
	struct pf_opt opt;
	const char *name; /* of the input */
	struct tl_spool *lines;
	struct tl_arena arena;
	struct tl_intern text;

	struct pf_plane *plane;
	struct pf_group *group;
	struct pf_event *ev;
	struct tl_evids ids;
	struct pf_real *real;      /* by event; NULL if there are none */
	struct pf_member *member;  /* likewise */
	struct pf_launch *launch;  /* by id */
	struct pf_pos *pos;
	struct pf_occ *occ;
	struct pf_scope *scope;
	struct pf_call *call;
	struct pf_work *work;
	struct pf_sched *sched;
	struct pf_sched_work *sched_work;
	size_t n_scheds, n_sched_works, cap_scheds, cap_sched_works;
	struct tl_str *head, *note;
	size_t n_planes, n_groups, n_ev, n_launches, n_pos, n_occ, n_scopes;
	size_t n_calls, n_work, n_head, n_notes;
	size_t cap_planes, cap_groups, cap_ev, cap_launches, cap_pos;
	size_t cap_real, cap_member; /* events they have room for */
	size_t cap_occ, cap_scopes, cap_calls, cap_work, cap_head, cap_notes;
	struct tl_intern plane_key, group_key, scope_key;
	struct tl_intern head_key; /* "#process TAB 7": the line begins so */
	uint32_t *head_of;         /* by head_key: index into head */
	size_t cap_head_of;
	uint64_t last_id; /* while reading */
	int64_t last_ns;
	uint32_t recent[2][PF_RECENT];
	struct tl_intern series; /* of counters of the capture */
	uint32_t *last_value;    /* of each, as text */
	size_t n_series, cap_series;
	uint32_t *order; /* of groups, as shown */
	uint32_t *at;    /* planes by pid - 1 */
	size_t n_at;

	uint32_t *first_arrow; /* by event: work index of the first arrow out */
	uint32_t *next_arrow;  /* by work */
	uint32_t *arrow_in;    /* by event: work index, PF_NO none */
	struct pf_step *queue, *active;
	size_t n_queue, n_active, cap_queue, cap_active;

	int64_t origin_ns, end_ns;
	uint32_t *shown; /* notes, by severity */
	size_t n_shown, n_serious;
	uint32_t notes_group;
	uint64_t n_slices, n_instants, n_arrows, n_points; /* drawn */
	uint64_t n_seen;                                   /* in the stream */
	uint64_t n_open, n_folded, n_replaced, n_no_time, n_no_number, n_early;
	uint64_t n_covered;
	char *name_buf; /* of the last name that was shortened */
	size_t name_cap;
	bool cut;
};

/* _read: reads the whole stream; exits 1 on bad input. */
void pf_xread(struct pf *p, struct tl_evin *in);

/* Index of the event with an id, PF_NO if it is not drawn. */
uint32_t pf_event_of(const struct pf *p, uint64_t id);

/* _group: the lanes that hold lane4, "process TAB device TAB context TAB
 * lane", for one kind. */
uint32_t pf_xgroup(struct pf *p, enum pf_group_kind kind, uint32_t number,
    struct tl_str lane4);

/* True if the device has lanes of events. */
bool pf_xis_device(const struct pf *p, struct tl_str process,
    struct tl_str device);

/* Sorts planes and groups and numbers them, when all groups have their
 * lanes. */
void pf_xnumber(struct pf *p);

/* _pack: gives a lane to each slice of a group. Slices come in order of start,
 * longer first. Nested: a slice may lie in another. Answers the lane, counted
 * from 0: the one whose innermost slice holds it most tightly, else the first
 * that is free. */
struct pf_pack *pf_xpack_new(bool nested);
uint32_t pf_xpack(struct pf_pack *k, int64_t start_ns, int64_t dur_ns);
uint32_t pf_pack_lanes(const struct pf_pack *k);
void pf_pack_free(struct pf_pack *k);

/* _tree: findings. A record is one line; exits 1 if it is bad. */
void pf_xpos(struct pf *p, const struct tl_evin *in, struct tl_str line);
void pf_xocc(struct pf *p, const struct tl_evin *in, struct tl_str line);
void pf_xreal(struct pf *p, const struct tl_evin *in, struct tl_str line);

/* Decides what of the structure is drawn, and how deep. */
void pf_xtree(struct pf *p);

/* _launch: likewise for launches and members. */
void pf_xlaunch(struct pf *p, const struct tl_evin *in, struct tl_str line);
void pf_xmember(struct pf *p, const struct tl_evin *in, struct tl_str line);

/* Decides which intervals of graphs are drawn. */
void pf_xlaunches(struct pf *p);

/* Members of graphs go to lanes by class instead of by stream. */
void pf_xpack_members(struct pf *p);

/* _step: steps of a scheduler. */
void pf_xsched(struct pf *p, const struct tl_evin *in, struct tl_str line);
void pf_xsched_work(struct pf *p, const struct tl_evin *in,
    struct tl_str line);
void pf_xsched_pack(struct pf *p);
void pf_xsched_write(const struct pf *p, struct tl_json *j);

/* _plan: gives everything that is drawn its lane, and counts it. */
void pf_xplan(struct pf *p);

/* _flow: joins calls and device events; when these have lanes, chooses the
 * arrows. */
void pf_xflow(struct pf *p);
void pf_xarrows(struct pf *p);

/* _count: counters of devices. */
void pf_xcount(struct pf *p);
void pf_xcount_write(const struct pf *p, struct tl_json *j);

/* _note: adds this program's notes, and gives those that are shown a lane. */
void pf_xnotes(struct pf *p);
void pf_xnotes_write(const struct pf *p, struct tl_json *j, int argc,
    char *const *argv);
void pf_xnote_text(struct tl_json *j, struct tl_str note); /* in a string */

/* _head: metadata, as an object, and as an event; names. argc is 0 with -P. */
void pf_xmetadata(const struct pf *p, struct tl_json *j, int argc,
    char *const *argv);
void pf_xhead(const struct pf *p, struct tl_json *j, int argc,
    char *const *argv);

/* Keeps a header line. */
void pf_xhead_line(struct pf *p, struct tl_str line);

/* The value of a key in the first #source line, in the first #process line of
 * a process; p is NULL if there is none. */
struct tl_str pf_source(const struct pf *p, const char *key);
struct tl_str pf_xprocess(const struct pf *p, struct tl_str process,
    const char *key);

/* _write: events and structure. */
void pf_xwrite(struct pf *p, struct tl_json *j);

/* Begins an object of the timeline: phase, process, thread, time. */
void pf_xbegin(struct tl_json *j, char phase, uint32_t pid, uint32_t tid);
void pf_xat(const struct pf *p, struct tl_json *j, int64_t at_ns);

void pf_xslice(const struct pf *p, struct tl_json *j, uint32_t group,
    uint32_t lane, int64_t start_ns, int64_t dur_ns, const char *cat);

/* _struct: structure. line is the record of the occurrence. */
void pf_xocc_write(const struct pf *p, struct tl_json *j, uint32_t occ,
    struct tl_str line);
void pf_xlaunches_write(const struct pf *p, struct tl_json *j);

/* _args: "N003", with n not 0 "N003#7"; the arguments of an event,
 * the whole name among them where it is not shown. */
void pf_xoccurrence(struct tl_json *j, uint32_t number, uint32_t n);
void pf_xargs(const struct pf *p, struct tl_json *j, uint32_t event,
    const struct tl_ev *ev, bool with_name);

/* _gz: a sink that compresses into out. */
struct tl_out;
struct pf_gz; /* opaque */
struct pf_gz *pf_xgz_new(struct tl_out *out);
void pf_xgz_put(void *gz, const char *s, size_t n);
void pf_xgz_end(struct pf_gz *gz);

/* Errors in findings: place, what, subject, cause; exit 1. */
TL_NORETURN void pf_die_at(const struct tl_evin *in, const char *what,
    struct tl_str subject, const char *why);
int64_t pf_xnumber_of(const struct tl_evin *in, const char *what,
    struct tl_str s, int64_t min, int64_t max);

static inline uint64_t
pf_since(const struct pf *p, int64_t ns)
{
	return (uint64_t)ns - (uint64_t)p->origin_ns;
}

static inline uint32_t
pf_tid(const struct pf_group *g, uint32_t lane)
{
	return g->first_tid + lane;
}

#endif
