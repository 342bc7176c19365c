#ifndef TL_KINETO2EV_H
#define TL_KINETO2EV_H

/* Private to tl-kineto2ev: from bytes to elements (_scan), from an element to
 * an event (_json, _fix), from events to sorted records (_event, _pair), and
 * out (_out). */

#include <yajl/yajl_parse.h>

#include "conv.h"
#include "intern.h"
#include "io.h"
#include "sort.h"

/* ---- _scan: the capture as elements, whatever the chunks it comes in ---- */

/* Longest element of the event array, and longest value of another key. */
#define K_ELEMENT_MAX ((size_t)16 << 20)

/* Lists that are members of an object in the element last read, args above all:
 * their places in it, from the bracket to behind the other. */
enum { K_LISTS = 16 };

struct k_lists {
	size_t n;
	struct {
		size_t at, end;
	} list[K_LISTS];
};

/* A window over the content: pos is where reading stands, bytes before it may
 * go at the next call. Eight readable bytes follow end. */
struct k_scan {
	struct tl_in in;
	char *buf;
	size_t pos, end, cap;
	uint64_t base;      /* offset of buf[0] in the content */
	bool eof;
	bool damaged;       /* the input failed: err says how */
	struct tl_err err;
	struct k_lists lists;
};

enum k_found {
	K_OK,     /* a whole value */
	K_BROKEN, /* not JSON for sure: bytes that cannot be where they are */
	K_LONG,   /* a whole value past the limit; its bytes are gone */
	K_CUT,    /* the input ends within it */
};

enum tl_status k_scan_open(struct k_scan *s, const char *path,
    struct tl_err *err) TL_MUST_USE;
void k_scan_close(struct k_scan *s);

/* Offset of the reading position in the content. */
uint64_t k_scan_off(const struct k_scan *s);

/* Skips white space; the byte at pos, or -1 at the end. */
int k_scan_peek(struct k_scan *s);

/* Makes n bytes readable at pos where there are as many; says how many are. */
size_t k_scan_ahead(struct k_scan *s, size_t n);

/* A value of any kind that begins at pos, its strings and its depth looked at
 * only. K_OK, K_LONG: pos is behind it. K_BROKEN: pos is where it was,
 * or behind where it is broken where that is past the limit. K_CUT: all input
 * is used up. *v points into the window. */
enum k_found k_scan_value(struct k_scan *s, struct tl_str *v);

/* From a broken element at pos to the next place where an event begins, the
 * array ends, or the input does. True if that is an event or the end of the
 * array. */
bool k_scan_resync(struct k_scan *s);

/* To behind the next `"key":`, wherever it is. False at the end. */
bool k_scan_find_key(struct k_scan *s, const char *key);

/* ---- _json: one element, parsed ---- */

/* Arguments that are looked at. Those before K_N_KEYS become keys of the
 * stream under the names of k_arg_key, in whose byte order they stand. */
enum k_arg {
	K_ADDR, K_ALG, K_ALLOC, K_BLOCK, K_BYTES, K_CAT, K_COLLECTIVE,
	K_COMM_TYPE, K_CONTEXT_ID, K_COPY, K_COUNT, K_DEV, K_DEV_TYPE, K_DTYPE,
	K_EVENT, K_EXT, K_FWD, K_GRAPH, K_GRID, K_GROUP_SIZE, K_ID,
	K_IN_NELEMS, K_LEVEL, K_MODEL, K_NODE, K_OUT_NELEMS, K_PG, K_PG_DESC,
	K_PG_RANKS, K_PY_ID, K_PY_PARENT, K_REGS, K_SEQ, K_SERIES, K_SHARED,
	K_TASK, K_TOTAL_ALLOCATED, K_TOTAL_RESERVED, K_TYPE, K_VALUE,
	K_WAIT_CORR, K_WAIT_STREAM,
	K_N_KEYS,
	K_DEVICE = K_N_KEYS, K_CONTEXT, K_STREAM, K_CORRELATION, K_KIND,
	K_NAME, K_TRANSPORT, K_NOTIFY, K_SORT,
	K_N_ARGS
};

struct tl_str k_arg_key(enum k_arg a);

/* Members of the event object itself. */
enum k_member {
	K_M_PH, K_M_CAT, K_M_NAME, K_M_PID, K_M_TID, K_M_TS, K_M_DUR, K_M_ID,
	K_M_SCOPE, K_M_ARGS,
	K_N_MEMBERS
};

struct k_series {
	struct tl_str name, value;
};

/* Text is raw and lives until the next parse. */
struct k_event {
	struct tl_str member[K_N_MEMBERS];
	struct tl_str arg[K_N_ARGS];
	uint64_t have;        /* 1 << argument */
	uint32_t members;     /* 1 << member */
	uint32_t texts;       /* members that are strings, not numbers */
	struct k_series *series; /* numbers of args, only where asked for */
	size_t n_series;
};

/* Text of a member or an argument, empty where it has none. */
static inline struct tl_str
k_member(const struct k_event *ev, enum k_member m)
{
	return ev->members >> m & 1 ? ev->member[m] :
	    (struct tl_str){ "", 0 };
}

static inline bool
k_has(const struct k_event *ev, enum k_arg a)
{
	return ev->have >> a & 1;
}

static inline struct tl_str
k_arg(const struct k_event *ev, enum k_arg a)
{
	return k_has(ev, a) ? ev->arg[a] : (struct tl_str){ "", 0 };
}

struct k_json; /* the parser: a yajl handle kept from event to event */

struct k_json *k_xjson_new(void);
void k_json_free(struct k_json *j);

/* The text with nothing in its lists but in those that are wanted (grid and
 * block): most of an operator is shapes and types of its inputs, which nobody
 * asks for. Valid until the next call. */
struct tl_str k_xjson_trim(struct k_json *j, struct tl_str text,
    const struct k_lists *lists);

/* Parses one object. False where it is no JSON. */
bool k_json_event(struct k_json *j, struct tl_str text, bool series,
    struct k_event *ev);

/* The same of a value that is spelled plainly, by the callbacks that yajl would
 * call, all of which go on. False where it is not, of which some may have been
 * called: start again with yajl. */
bool k_json_plain(struct tl_str text, const yajl_callbacks *cb, void *ctx);

/* A glance at an element without a parse: phase and category, 0 and empty
 * where they are not found in plain sight. */
struct k_glance {
	char ph;
	bool no_cat;  /* there is certainly none */
	struct tl_str cat;
};
void k_json_glance(struct tl_str text, struct k_glance *g);

/* ---- _fix: the known defects of writers ---- */

enum k_defect {
	K_FIX_ESCAPE = 1,  /* \c, \_, \U, \u without hexadecimal digits, half a
	                      surrogate pair */
	K_FIX_CONTROL = 2, /* raw control byte in a string */
	K_FIX_NUMBER = 4,  /* inf, nan and their like */
	K_FIX_COMMA = 8,   /* trailing or doubled comma */
};

/* A repaired copy of text in *buf (grown as needed); *done says what was
 * repaired, 0 if there was nothing to repair. */
struct tl_str k_xfix(struct tl_str text, char **buf, size_t *cap,
    unsigned *done);

/* Whether the text has half a surrogate pair, which yajl takes and makes
 * another text of. */
bool k_half_pair(struct tl_str text);

/* ---- _cat: categories ---- */

enum k_place { K_HOST, K_ON_DEVICE };

struct k_cat {
	const char *name;
	enum tl_kind kind;
	enum k_place place;
	bool plain; /* the kind says it all: no cat= is written */
};

/* What a category is; the entry of a range on the host for one that is not
 * known. n is 0 for an event without a category. */
const struct k_cat *k_cat_find(struct tl_str cat);

/* Kinds chosen by -c, as bits; false where the list is wrong (*bad: where). */
bool k_cat_select(const char *list, uint32_t *kinds, struct tl_str *bad);
#define K_KINDS_DEFAULT \
    (((1U << TL_N_EVENTS) - 1) & ~(1U << TL_PYTHON))

/* ---- _note: what was dropped, repaired, guessed ---- */

enum k_note {
	K_TRUNCATED, K_BAD_JSON, K_TOO_LONG, K_NOT_OBJECT, K_NO_PHASE,
	K_OTHER_PHASE, K_NO_TIME, K_TEXT_TIME, K_TIME_RANGE, K_NO_DUR,
	K_BAD_TOKEN, K_BAD_COUNTER, K_ZERO_TIME, K_FAR_TIME, K_FIXED,
	K_SEPARATOR, K_BAD_BYTES, K_TEXT_CUT, K_NEGATIVE_DUR, K_SHORT_FRACTION,
	K_TIME_CUT, K_BEGIN_OPEN, K_END_ALONE, K_BAD_METADATA, K_TAIL,
	K_NO_CORRELATION, K_NO_PROCESS, K_CALLS_FULL, K_CAPTURE_PHASE,
	K_PROFILER_TASK, K_NO_DEVICE,
	K_N_NOTES
};

enum { K_NOTE_PLACES = 3 };
#define K_NOWHERE UINT64_MAX

struct k_notes {
	uint64_t n[K_N_NOTES];
	uint64_t at[K_N_NOTES][K_NOTE_PLACES]; /* offsets of the first ... */
	unsigned n_at[K_N_NOTES];              /* ... that have one */
	unsigned fixes;                        /* kinds of K_FIXED */
	struct tl_err truncated, tail;
};

/* Counts one; off is its place in the content, or K_NOWHERE. */
void k_note(struct k_notes *n, enum k_note what, uint64_t off);
void k_note_fixed(struct k_notes *n, unsigned done, uint64_t off);
void k_notes_write(const struct k_notes *n, struct tl_evout *out);

/* ---- _calls: who called, and when ---- */

/* Correlation ids of calls, by calling process: for each block of 64 ids
 * which there are, and the first and last start among them. */
struct k_calls;

struct k_calls *k_xcalls_new(uint64_t budget);
void k_calls_free(struct k_calls *c);

/* A call of process (an interned token) with id (0: none). */
void k_calls_add(struct k_calls *c, uint32_t process, uint64_t id,
    int64_t start_ns);

enum k_caller {
	K_CALLER_NONE,  /* no call has the id */
	K_CALLER_ONE,
	K_CALLER_MANY,  /* calls of several processes have it */
};

/* Process of the call with the id, and the span of starts of its block. */
enum k_caller k_calls_find(const struct k_calls *c, uint64_t id,
    uint32_t *process, int64_t *first, int64_t *last);

/* The only process that calls: 1 and *process; 0 if none does, 2 if several
 * do. */
unsigned k_calls_only(const struct k_calls *c, uint32_t *process);

/* True if the process makes calls. */
bool k_calls_has(const struct k_calls *c, uint32_t process);

/* True once ids were left out for want of memory. */
bool k_calls_full(const struct k_calls *c);

/* Span of the starts of all calls; false if there is none. */
bool k_calls_span(const struct k_calls *c, int64_t *first, int64_t *last);

/* ---- _meta: the other top-level keys ---- */

struct k_device {
	struct tl_str id, name, memory, major, minor, sms, warp;
};

enum k_meta_key {
	K_SCHEMA, K_BASE, K_TRACE_ID, K_TRACE_NAME, K_HOST_NAME, K_RANK,
	K_WORLD_SIZE, K_BACKEND, K_NCCL, K_CUPTI, K_CUDA_RUNTIME,
	K_CUDA_DRIVER, K_ROCTRACER, K_HIP_RUNTIME, K_HIP_DRIVER, K_VLLM,
	K_N_META
};

struct k_meta {
	struct tl_arena arena;
	struct tl_str value[K_N_META]; /* n is 0 where unknown */
	struct k_device *device;
	size_t n_devices, devices_cap;
	const char *foreign;           /* what it is instead of a trace */
};

/* True if the value of a key is wanted. */
bool k_meta_wants(struct tl_str key);

/* Takes the value of a top-level key. False where it is no JSON; *fixed says
 * what was repaired. */
bool k_xmeta_take(struct k_meta *m, struct tl_str key, struct tl_str value,
    unsigned *fixed);

/* ---- the run ---- */

struct k_proc {
	struct tl_str name; /* process_name, raw, in meta.arena */
	bool used;          /* stands in a process column */
	bool sorted;        /* has a process_sort_index */
	uint64_t sort;      /* that */
	struct tl_str device; /* of an Ascend device's process, once asked */
};

/* A record of the sorter: this, then its texts: correlation, keys, and where
 * they are not interned lane and name. */
struct k_rec {
	uint32_t name, lane;  /* K_INLINE: at the end of the record */
	uint32_t keys_len;
	uint32_t lane_len;    /* of an inline lane */
	uint16_t corr_len;    /* 0: "." */
	uint8_t kind;
	uint8_t on_device;    /* the process is yet to be found */
	uint8_t ascend;       /* K_ASCEND_ */
};

/* What an event of an Ascend trace is; 0 for all others. */
enum {
	K_ASCEND_TASK = 1,
	K_ASCEND_COLL = 2,     /* a collective as a whole */
	K_ASCEND_PART = 4,     /* of a collective */
	K_ASCEND_NAMELESS = 8, /* a task without an operator */
	K_ASCEND_CALL = 16,
};
#define K_INLINE UINT32_MAX

/* What there is to know of a name. */
enum {
	K_NAME_BAD_BYTES = 1,   /* not UTF-8 */
	K_NAME_CAPTURE = 2,     /* begins the capture of a graph */
	K_NAME_LAUNCH = 4,      /* launches a graph */
	K_NAME_HIP = 8,
	K_NAME_CUDA = 16,
};

struct k_run {
	/* options */
	const char *in_path;     /* NULL: standard input */
	const char *source_path; /* -s, or NULL */
	const char *out_path;
	const char *name;        /* for messages */
	uint32_t kinds;
	bool keep_going, frac_is_ns;
	uint64_t budget;
	/* input */
	struct k_scan scan;
	struct k_json *json;
	struct k_meta meta;
	struct k_notes notes;
	bool is_array;       /* no top-level object */
	bool has_events;     /* an event array was there */
	uint64_t n_keys;     /* of the top-level object */
	uint64_t n_elements; /* of the event array, so far */
	uint64_t n_real;     /* events proper, also of kinds not chosen */
	uint64_t n_meta;     /* ph M */
	char *fixed;         /* the repaired element */
	size_t fixed_cap;
	/* what is kept */
	struct tl_sort *sort;
	struct k_pairs *pairs;  /* NULL until needed */
	struct k_calls *calls;
	struct tl_intern names; /* raw */
	unsigned char *name_flags;
	size_t name_flags_cap;
	unsigned names_of_calls;    /* flags of all names of calls */
	struct tl_intern lanes; /* four columns, escaped, TAB between */
	struct tl_intern procs; /* process tokens, escaped */
	struct k_proc *proc;    /* by process */
	size_t proc_cap;
	uint64_t share;         /* budget of each of these tables */
	struct k_rec head;      /* of the record that is being made ... */
	char *rec;              /* ... and its bytes */
	size_t rec_len, rec_cap;
	uint64_t n_device;      /* kernels, copies, fills, graphs, tasks */
	uint64_t n_zero;        /* kept events at time 0 */
	bool any_start, any_dev;
	int64_t min_start;      /* least that is not 0 */
	int64_t dev_min, dev_max; /* first start, last end on devices */
	uint64_t n_frac3;       /* times with three decimals */
	bool ascend;            /* a task of an Ascend device was met */
	char ascend_type[128];  /* its type, in its one spelling */
	struct tl_intern ascend_conn; /* connection ids of collectives */
};

/* _read: the whole capture. False where it ends early or is damaged;
 * notes.truncated says how. Exits 1 on what is no Chrome trace. */
bool k_xread(struct k_run *r);

/* _event: one element of the array, at an offset in the content. */
void k_xelement(struct k_run *r, struct tl_str text, uint64_t off,
    uint64_t index);

/* Adds a record to the sorter. */
void k_xrec_add(struct k_run *r, int64_t start_ns, int64_t dur_ns,
    uint64_t row, const void *rec, size_t len);

/* Limits that keep a line of the stream below TL_LINE_MAX: of a token, a name
 * and other texts; and of processes that are told apart, for broken files. */
enum { K_TOKEN_MAX = 160, K_NAME_MAX = 65536, K_TEXT_MAX = 4096 };
enum { K_PROCESSES_MAX = 65536 };

/* What is known of an event beside its texts. */
struct k_what {
	const struct k_cat *cat;
	enum tl_kind kind;
	bool on_device;
	uint8_t ascend; /* K_ASCEND_ */
	uint64_t off, index;
};

/* _rec: makes the record of an event in r->rec. False where an id is too
 * long. */
bool k_xrecord(struct k_run *r, struct k_event *ev, const struct k_what *w);

/* Number of a process by its escaped token; UINT32_MAX when there are too
 * many. */
uint32_t k_xprocess(struct k_run *r, struct tl_str token);

/* What there is to know of a raw name: K_NAME_ flags. */
unsigned k_name_flags(struct tl_str name);

/* Process and correlation of an event, raw; n is 0 for none. */
struct tl_str k_process(const struct k_event *ev);
struct tl_str k_correlation(const struct k_event *ev,
    const struct k_what *w);

/* Replaces an argument; an empty text takes it away. */
void k_set(struct k_event *ev, enum k_arg a, struct tl_str v);

bool k_begins(struct tl_str s, const char *word);

/* _time: "ts" or "dur", microseconds in decimal, to nanoseconds; notes what is
 * odd about it. False where it does not fit. */
bool k_time(struct k_run *r, struct tl_str text, uint64_t off, int64_t *ns);

/* _ascend: what a slice without a category is, by its arguments. False where
 * it is no event. */
bool k_ascend(struct k_run *r, struct k_event *ev, struct k_what *w);

/* Connection id of such an event; 0 is one like others. */
struct tl_str k_ascend_correlation(const struct k_event *ev);

/* The device that a process of the trace stands for, "." if not known. */
struct tl_str k_xascend_device(struct k_run *r, struct tl_str token);

/* Whether it is a part of a collective; the keys with detail=1 among them,
 * valid until the next call. */
bool k_ascend_detail(const struct k_run *r, const struct k_rec *h,
    struct tl_str corr);
struct tl_str k_xascend_keys(struct k_run *r, struct tl_str keys);

/* _pair: begins and ends become ranges. budget is of the begins that are open
 * at once, and of the sorter, each. */
struct k_pairs *k_xpairs_new(uint64_t budget);
void k_pairs_free(struct k_pairs *p);

/* A begin with its record, or an end (len is 0). key says what belongs
 * together: process and thread, or process, category and id. */
void k_xpairs_add(struct k_pairs *p, int64_t ts, uint64_t row,
    struct tl_str key, const void *rec, size_t len);

/* Pairs all; the ranges go to r->sort. */
void k_xpairs_finish(struct k_pairs *p, struct k_run *r);

/* _out: header, events, notes, end. */
void k_xwrite(struct k_run *r, struct tl_conv *c, int argc,
    char *const *argv);

#endif
