#ifndef TL_TREE_H
#define TL_TREE_H

/* What tl-tree keeps of a stream, and its parts: read by _read, what does not
 * occur taken out by _absent, what matters most found by _top, what is shown by
 * _select, rows made by _row, printed by _text, _md and _tsv; whose the time is
 * found by _own, printed by _folded. */

#include "evin.h"
#include "intern.h"
#include "io.h"

/* Columns of a pos record that are nanoseconds; TREE_NONE where unknown. The
 * last three can be negative: with work on several streams the first member of
 * an iteration may start behind one of the next. */
enum tree_ns {
	TREE_SPAN, TREE_BUSY, TREE_COMPUTE, TREE_COMM, TREE_COMM_EXPOSED,
	TREE_COPY, TREE_COPY_EXPOSED, TREE_IDLE, TREE_ITER_MIN,
	TREE_ITER_MEDIAN, TREE_ITER_MAX,
	TREE_N_NS
};

enum tree_kind {
	TREE_ROOT, TREE_SEQ, TREE_LOOP, TREE_REPLAY, TREE_EVENT, TREE_KIND_OTHER
};

#define TREE_NO UINT32_MAX   /* no position, no text */
#define TREE_NONE INT64_MIN  /* an unknown number */

/* Flags of a position. */
#define TREE_VISIBLE 1U
#define TREE_OPEN 2U   /* its members are looked at */
#define TREE_MERGED 4U /* a loop that shows its only event itself */
#define TREE_APPROX 8U /* total_ns is an estimate */
#define TREE_NEEDED 16U /* to be shown, or above one that is */
#define TREE_THINNED 32U /* members of it were taken out */

/* A position. They are kept in pre-order, so the subtree of i is [i, end). */
struct tree_pos {
	int64_t ns[TREE_N_NS];
	int64_t total_ns;    /* of all occurrences */
	int64_t start_ns;
	int64_t body_events;
	int64_t occurrences;
	int64_t first_event;
	int64_t steps;       /* of a scheduler, in which it is */
	uint32_t number;     /* 3 of N003 */
	uint32_t parent;     /* index, TREE_NO for a root */
	uint32_t end;
	uint32_t depth, ordinal;
	uint32_t label, iterations, kind_text; /* in tree.text */
	uint32_t occ;        /* index into tree.occ, TREE_NO if none */
	uint32_t vary;       /* index into tree.vary, TREE_NO if none */
	uint32_t body;       /* equal ones are equal; TREE_NO: none */
	uint32_t like;       /* index of the position that shows this body */
	uint8_t kind;        /* enum tree_kind */
	uint8_t flags;
};

/* What the occ records of one position add up to. */
struct tree_occ {
	/* of the occurrences that are no iterations */
	int64_t total_ns;      /* their spans added up */
	int64_t union_ns;      /* the same, what overlaps once */
	int64_t last_start_ns, last_end_ns;
	bool unordered;        /* union_ns is not known */
	int64_t n_whole;       /* how many those are */
	int64_t n_full, n_cut; /* iterations */
	int64_t longest_ns;    /* longest period of a full iteration */
	uint64_t longest_n, longest_iteration; /* which one; 0 unknown */
	uint64_t longest_outer; /* iteration of the loop around it, 0 unknown */
	uint64_t cut_n;         /* the last iteration that is cut */
	uint64_t outer, whole_n; /* while reading: of the last whole one */
};

/* What the variant records of one position add up to. */
#define TREE_VARIANTS 3
struct tree_vary {
	int64_t n;                    /* variants */
	int64_t count[TREE_VARIANTS]; /* iterations of the first ones */
	int64_t same;       /* iterations that do not deviate */
	int64_t deviating;  /* that do */
	int64_t deviations; /* in all of them */
	int64_t same_ns;    /* median span of the former; TREE_NONE */
	int64_t deviating_ns; /* medians of the latter, added up; TREE_NONE */
};

/* One scope: its positions are [first, end) of tree.pos. */
#define TREE_MAIN 5
#define TREE_WORST 3
struct tree_scope {
	struct tl_str name; /* process:device */
	uint32_t first, end;
	uint32_t main[TREE_MAIN];   /* loops that take most, in order */
	uint32_t worst[TREE_WORST]; /* most exposed communication first */
	size_t n_main, n_worst;
	uint32_t first_note; /* of those that speak of it; TREE_NO: none */
	uint32_t n_absent;   /* positions left out, since they do not occur */
};

struct tree_note {
	struct tl_str severity, code, count, text;
	struct tl_str rest;   /* text without the scope */
	uint32_t scope, next; /* index of the scope, of the next note; TREE_NO */
};

struct tree {
	struct tree_pos *pos;
	struct tree_scope *scope;
	struct tree_note *note;
	struct tree_occ *occ;   /* by id in occ_key */
	struct tree_vary *vary;
	struct tl_str *head;    /* keys of header lines, by head_key */
	struct tl_intern head_key; /* #source #process #device, as they begin */
	uint32_t first_note;    /* of those that speak of no scope */
	size_t n_pos, n_scopes, n_notes, n_occ, n_head, n_units, n_vary;
	size_t cap_pos, cap_scopes, cap_notes, cap_occ, cap_head, cap_units;
	size_t cap_vary;
	struct tl_intern text;
	struct tl_intern occ_key; /* "scope TAB position" */
	struct tl_intern scope_key; /* names, by index of scope */
	struct tl_intern bodies;
	struct tl_intern unit_key; /* a unit's id, as text */
	int64_t *unit;          /* how many members it has, by unit_key */
	struct tl_arena arena;
	uint32_t *path;         /* while reading: positions above, by depth */
	size_t path_cap, path_n;
	struct tree_own *own;   /* whose the time is; NULL if not asked */
	struct tree_steps *steps; /* NULL: no event is linked to one */
	uint64_t n_lines;
	bool cut;               /* no right end record, and -t */
};

static inline const struct tree_occ *
tree_occ_of(const struct tree *t, const struct tree_pos *p)
{
	return p->occ == TREE_NO ? NULL : &t->occ[p->occ];
}

/* Deeper trees than this are refused; recovery nests with the logarithm of
 * the number of events. */
#define TREE_MAX_DEPTH 1000

static inline const struct tree_vary *
tree_vary_of(const struct tree *t, const struct tree_pos *p)
{
	return p->vary == TREE_NO ? NULL : &t->vary[p->vary];
}

/* Reads a whole stream; exits 1 on bad input or where there is no pos record.
 * path is NULL for standard input. Device events go to t->own if there is
 * one. */
void tree_xread(struct tree *t, const char *path, bool tolerate);
void tree_free(struct tree *t);

/* Steps of a scheduler: a link and a real record; steps of all positions, when
 * all is read. */
void tree_xstep_link(struct tree *t, struct tl_str line);
void tree_xstep_real(struct tree *t, struct tl_str line);
void tree_step_count(struct tree *t);
void tree_steps_free(struct tree_steps *s);

struct tree_opt {
	bool all, whole, quiet, verbose;
	uint32_t depth; /* UINT32_MAX: no limit */
};

/* Takes positions out of which nothing occurs; sets n_absent. */
void tree_xdrop_absent(struct tree *t);

/* Sets flags, total_ns, body and like of all positions. */
void tree_xselect(struct tree *t, const struct tree_opt *opt);

/* Finds main loops and worst exposed communication of all scopes; total_ns must
 * be set. */
void tree_xtop(struct tree *t);

/* Exposed communication of all occurrences, an estimate: the median times how
 * many there are. TREE_NONE if unknown. */
int64_t tree_exposed(const struct tree_pos *p);

/* The least time that is one part in n of the whole or more; 0 where that is
 * unknown. */
static inline int64_t
tree_least(int64_t whole_ns, int64_t n)
{
	return whole_ns == TREE_NONE ? 0 :
	    whole_ns / n + (whole_ns % n != 0);
}

/* True for a loop whose body is one event. */
bool tree_is_single(const struct tree *t, uint32_t pos);

/* The three outputs; they exit 1 if a write fails. */
void tree_xtext(const struct tree *t, const struct tree_opt *opt,
    struct tl_out *out);
void tree_xmd(const struct tree *t, const struct tree_opt *opt,
    struct tl_out *out);
void tree_xtsv(const struct tree *t, struct tl_out *out);
void tree_xfolded(struct tree *t, const struct tree_opt *opt,
    struct tl_out *out);

/* Whose each instant of a device is. Events are added as they come, then tied
 * to positions (false if there is no such event). */
struct tree_own; /* opaque */
struct tree_own *tree_xown_new(void);
void tree_own_free(struct tree_own *o);
void tree_xown_event(struct tree_own *o, const struct tl_evin *in,
    const struct tl_ev *ev);
bool tree_own_place(struct tree_own *o, uint64_t id, uint32_t pos);

/* Calls fn for each event that owns time, scope by scope in the order of their
 * first events, and end behind each scope; pos is TREE_NO where the event has
 * none. tree_own_name gives the name's text. */
typedef void tree_own_fn(void *arg, uint32_t pos, uint32_t name, uint64_t ns);
typedef void tree_own_end_fn(void *arg, struct tl_str process,
    struct tl_str device);
void tree_xown_each(struct tree_own *o, tree_own_fn *fn, tree_own_end_fn *end,
    void *arg);
struct tl_str tree_own_name(const struct tree_own *o, uint32_t name);

/* Columns of a row as text. The last one is before, name, after; the name may
 * be empty and is valid until the next row. */
#define TREE_CELL 32
#define TREE_WHAT 256
struct tree_row {
	char pos[TREE_CELL], share[TREE_CELL], one[TREE_CELL];
	char compute[TREE_CELL], comm[TREE_CELL], copy[TREE_CELL];
	char idle[TREE_CELL];
	char steps[TREE_CELL];
	bool has_steps;        /* there is such a column */
	char before[TREE_WHAT];
	struct tl_str name;
	char after[TREE_WHAT];
	uint32_t depth;
};

/* Goes through the rows of a scope in order. */
struct tree_walk {
	const struct tree *t;
	const struct tree_opt *opt;
	struct tree_scope scope;
	struct tree_row row;
	uint32_t at;      /* next position */
	uint32_t n_shown; /* positions */
	bool few;         /* a cell "one" is an estimate */
	/* private */
	char *name;
	size_t name_cap;
};

void tree_walk_start(struct tree_walk *w, const struct tree *t,
    const struct tree_opt *opt, size_t scope);
bool tree_walk_next(struct tree_walk *w); /* false at the end */
void tree_walk_end(struct tree_walk *w);

/* Rows of the blocks before the tree, into w->row: main loop k of the scope,
 * indented by the main loops around it; exposed communication k. False if there
 * is none. */
bool tree_walk_main(struct tree_walk *w, size_t k);
bool tree_walk_worst(struct tree_walk *w, size_t k);

/* True if in some body the shares add up to more than the body's own. */
bool tree_overlaps(const struct tree *t, size_t scope);

/* Where text and Markdown go, and how text of the stream gets there. */
struct tree_put {
	struct tl_out *out;
	void (*text)(struct tl_out *out, struct tl_str s);
};

/* What both say alike: "PATH (kineto), rank 0 of 16"; "device 0 of process 4242
 * (python): NAME"; the root's times, several lines. */
void tree_xput_source(const struct tree *t, const struct tree_put *put);
void tree_xput_scope(const struct tree *t, size_t scope,
    const struct tree_put *put);
void tree_xput_times(const struct tree *t, size_t scope, struct tl_out *out,
    const char *between);

/* The notes that speak of the scope, or of none, a line each: first before the
 * first one, between before the others. Notes of a scope that differ in the end
 * only share a line. Those on top say how far the rest can be trusted, those at
 * the foot how it was done. Answers how many lines there are. */
#define TREE_NO_SCOPE SIZE_MAX
enum tree_where { TREE_TOP, TREE_FOOT, TREE_ANYWHERE };
size_t tree_xput_notes(const struct tree *t, const struct tree_opt *opt,
    size_t scope, enum tree_where where, const char *first,
    const char *between, const struct tree_put *put);

/* Keeps what is needed of a header line; ties notes to scopes, when all is
 * read. */
void tree_xhead(struct tree *t, struct tl_str line);
void tree_tie_notes(struct tree *t);

/* Numbers as a person reads them; buf has TREE_CELL bytes and is returned.
 * "1.231 s", four digits; "." if unknown. */
const char *tree_time(char *buf, int64_t ns);
/* "12.3%" of whole; "." if unknown. */
const char *tree_part(char *buf, int64_t ns, int64_t whole_ns);
/* The same, three digits and "~" in front. */
const char *tree_about(char *buf, int64_t ns);
/* "1,075"; "." if unknown. */
const char *tree_count(char *buf, int64_t n);

/* Text of a position, "N003". */
const char *tree_pos_text(char *buf, uint32_t number);

/* True if the note is one that -q leaves out. */
bool tree_note_is_info(const struct tree_note *n);

#endif
