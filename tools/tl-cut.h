#ifndef TL_CUT_H
#define TL_CUT_H

/* What tl-cut keeps of a stream, and its parts. Findings are held back as text
 * until it is known which events are left; so are events with -i. */

#include "evids.h"
#include "evin.h"
#include "evout.h"
#include "intern.h"
#include "spool.h"

#define CUT_NO UINT32_MAX

struct cut_opt {
	bool window;
	int64_t from_ns, to_ns;   /* -w, from the first event; to: INT64_MAX */
	const char *window_text;
	bool iterations;          /* -i */
	struct tl_str scope;      /* n is 0 if none was named */
	uint32_t pos, first, last;
	bool by_occurrence;       /* #18, not /17 */
	uint32_t kinds;           /* 1U << kind */
	const char **device;
	bool *device_there;       /* by device: an event is on it */
	size_t n_devices;
	bool any;                 /* something is asked for */
};

/* An event. */
struct cut_event {
	int64_t start_ns, dur_ns; /* TL_NONE: open or an instant */
	uint32_t scope;           /* text "process:device", CUT_NO: host */
	uint8_t kind, cls;        /* enum tl_kind, enum tl_class */
	bool costs;               /* counts in the time of its scope */
	bool kept;
};

/* What -i needs beside that. */
struct cut_more {
	uint64_t corr;    /* CUT_NO_CORR: none */
	uint32_t process; /* text */
	uint32_t occ;     /* in which it takes part, CUT_NO none */
};

#define CUT_NO_CORR UINT64_MAX

/* Columns of costs of an occ record. */
enum cut_cost {
	CUT_SPAN, CUT_BUSY, CUT_COMPUTE, CUT_COMM, CUT_COMM_EXPOSED, CUT_COPY,
	CUT_COPY_EXPOSED, CUT_IDLE,
	CUT_N_COSTS
};

struct cut_occ {
	int64_t start_ns, period_ns;   /* INT64_MIN: unknown */
	int64_t cost[CUT_N_COSTS];     /* TL_NONE: unknown */
	uint64_t first_event;          /* 0 unknown */
	uint64_t n_all, n_kept;        /* events that take part */
	/* of those kept: least start, greatest end, plain sum; index of the
	 * first real record, CUT_NO none */
	int64_t from_ns, to_ns, sum_ns;
	uint32_t first_real;
	uint32_t pos, parent;          /* indexes; parent CUT_NO: none */
	uint32_t n, new_n;             /* number in its position */
	uint32_t iteration;            /* 0 none */
	bool full, is_iteration, chosen;
	bool kept;                     /* something of it is left */
	bool cut;                      /* but not all */
};

enum cut_pos_kind { CUT_ROOT, CUT_SEQ, CUT_LOOP, CUT_REPLAY, CUT_LEAF };

struct cut_pos {
	uint32_t number, scope, parent;
	uint32_t first_occ, n_occ;     /* of occ */
	uint64_t n_real, n_real_kept;  /* of a leaf: events */
	uint64_t body_events;          /* 0 unknown */
	uint64_t first_event;          /* likewise */
	uint8_t kind;
	bool whole;                    /* nothing of it was cut */
};

struct cut_scope {
	struct tl_str name;
	uint32_t first, end;           /* positions */
	bool kept;                     /* something of it is left */
};

/* A real record. */
struct cut_real {
	uint32_t event, pos, occ;      /* indexes; event CUT_NO: not there */
};

struct cut_member {
	uint32_t launch;               /* id */
	uint32_t unit;                 /* text */
	uint32_t event;                /* index, CUT_NO: not there */
};

struct cut_launch {
	uint32_t id, unit;             /* id of the stream; unit: text */
	uint32_t n_all, n_kept;        /* members */
	uint64_t call, opaque;         /* event ids, 0 none */
	int64_t start_ns, end_ns;      /* of the members kept */
	uint32_t first, last;          /* indexes of events: by start */
	bool counted, kept;            /* counted: in its unit's launches */
};

struct cut {
	struct cut_opt opt;
	const char *name;
	struct tl_evin in;
	struct tl_evout out;
	struct tl_spool *lines;
	struct tl_arena arena;
	struct tl_intern text;
	struct tl_evids ids;
	struct cut_event *ev;
	struct cut_more *more;
	struct cut_occ *occ;
	struct cut_pos *pos;
	struct cut_scope *scope;
	struct cut_real *real;
	struct cut_launch *launch;
	struct cut_member *member;
	size_t n_ev, n_more, n_occ, n_pos, n_scopes, n_real, n_launches;
	size_t n_members, cap_members;
	size_t cap_ev, cap_more, cap_occ, cap_pos, cap_scopes, cap_real;
	size_t cap_launches;
	int64_t first_ns, last_ns, end_ns; /* of the capture; last: a start */
	uint64_t last_id;
	uint64_t n_kept;
	uint64_t n_cut_occ, n_cut_launches;
	uint32_t *real_first, *real_at;    /* by position: its real records */
	uint32_t *unit_less;               /* by text: launches it lost */
	bool *unit_kept;
	int64_t *value;                    /* for medians */
	size_t cap_value;
	bool held; /* lines are held back */
	bool was_cut; /* the stream is a part already */
	bool prog_done, no_prog;
	int argc;
	char *const *argv;
};

/* _opt: the arguments of -w, -i, -d, -e and -x; false if they are bad. */
bool cut_window(struct cut_opt *o, const char *arg);
bool cut_iterations(struct cut_opt *o, const char *arg);
bool cut_kinds(const char *arg, uint32_t *kinds);

/* _read: reads the stream, and writes what can be written at once. */
void cut_xread(struct cut *c);

/* _find: findings. Exits 1 if a record is bad. The lookups answer CUT_NO where
 * there is none. */
void cut_xpos(struct cut *c, struct tl_str line);
void cut_xocc(struct cut *c, struct tl_str line);
void cut_xreal(struct cut *c, struct tl_str line);

/* Reads a dev record: its event (CUT_NO: none, or not there) and the occurrence
 * it lies in. */
struct cut_real cut_xdev(struct cut *c, struct tl_str line);
void cut_xlaunch(struct cut *c, struct tl_str line);
void cut_xmember(struct cut *c, struct tl_str line);
uint32_t cut_scope_of(const struct cut *c, struct tl_str name);
uint32_t cut_pos_of(const struct cut *c, uint32_t scope, uint32_t number);
uint32_t cut_occ_of(const struct cut *c, uint32_t pos, uint32_t n);
uint32_t cut_launch_of(const struct cut *c, uint32_t id);

/* Index of an event's id in a column, "." gives CUT_NO, as does one that is not
 * in the stream; the id itself goes to *id, 0 for ".". */
uint32_t cut_xevent(const struct cut *c, struct tl_str s, uint64_t *id);

/* _pick: takes the events that -i asks for. */
void cut_xpick(struct cut *c);

/* _settle: which findings are kept. */
void cut_settle(struct cut *c);

/* _pos: a position, changed if something of it was cut. */
void cut_xpos_write(struct cut *c, uint32_t pos, struct tl_str line);

/* _launch: likewise. */
void cut_xlaunch_write(struct cut *c, uint32_t launch, struct tl_str line);
void cut_xunit_write(struct cut *c, struct tl_str line);

/* _write: what was held back, and the notes. */
void cut_xwrite(struct cut *c);

/* A line that is no event, structure or launch: with records of scheduler
 * context, only what is about kept events. */
void cut_xcontext_write(struct cut *c, enum tl_kind kind, struct tl_str line);

/* Column "TAB N003" or "TAB N003#7". */
void cut_xput_pos(struct cut *c, uint32_t number);
void cut_xput_occ(struct cut *c, const struct cut_occ *o);

/* Sum and difference of nanoseconds; TL_NONE, which means unknown, where they
 * do not fit. */
static inline int64_t
cut_sum(int64_t a, int64_t b)
{
	return a == TL_NONE || b == TL_NONE || a > INT64_MAX - b ? TL_NONE :
	    a + b;
}

static inline int64_t
cut_length(int64_t from, int64_t to)
{
	uint64_t n = (uint64_t)to - (uint64_t)from;

	return n > INT64_MAX ? TL_NONE : (int64_t)n;
}

/* Id of an event by its index. */
static inline uint64_t
cut_id(const struct cut *c, uint32_t event)
{
	return c->ids.id != NULL ? c->ids.id[event] : c->ids.first + event;
}

TL_NORETURN void cut_die_at(const struct cut *c, const char *what,
    struct tl_str subject, const char *why);

#endif
