#ifndef TL_IMPORT_H
#define TL_IMPORT_H

/* Private to tl-import. Data flow: the header of every stream is read (_head),
 * UUIDs are bound to captures (_uuid, _hello), the artifact is locked and read
 * (_artifact, _line), then one stream after the other is gathered into groups
 * (_gather), groups are tied to calls and iterations (_link) and written as
 * records (_record, _summary) behind a copy of the artifact, and at last the
 * envelope (_envelope) and the artifact are put in place.
 *
 * Facts about the artifact, the envelope and worker logs are those of stormlog
 * 0.4.3: its public schema, and what its importer writes. */

#include <sys/stat.h>

#include <yajl/yajl_parse.h>

#include "evin.h"
#include "intern.h"
#include "io.h"
#include "mem.h"

/* ---- _json: JSON as the artifact has it, ASCII only ---- */

struct imp_buf {
	char *p;
	size_t n, cap;
};

void imp_xput(struct imp_buf *b, const char *p, size_t n);
void imp_xputstr(struct imp_buf *b, struct tl_str s);
void imp_xu64(struct imp_buf *b, uint64_t v);
void imp_xi64(struct imp_buf *b, int64_t v);

/* A string of raw text; bytes that are not UTF-8 become the four characters
 * \xHH. */
void imp_xstr(struct imp_buf *b, struct tl_str raw);

/* The same, null for an empty text. */
void imp_xtext(struct imp_buf *b, struct tl_str raw);

static inline void
imp_xputs(struct imp_buf *b, const char *s)
{
	imp_xput(b, s, strlen(s));
}

static inline struct tl_str
imp_str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static inline struct tl_str
imp_view(const struct imp_buf *b)
{
	return (struct tl_str){ b->p != NULL ? b->p : "", b->n };
}

/* Raw text of a column or value of a stream, in the arena; empty for "." */
struct tl_str imp_xraw(struct tl_arena *a, struct tl_str esc);

/* ---- _tree: JSON, read ---- */

enum imp_type { IMP_PLAIN, IMP_NUMBER, IMP_STRING, IMP_OBJECT, IMP_ARRAY };

/* A value; numbers keep their digits, PLAIN is true, false or null. */
struct imp_val {
	enum imp_type type;
	struct tl_str key, text; /* raw */
	struct imp_val *child, *next;
	size_t n;                /* children */
};

enum { IMP_WHY = 256 };

/* One document; NULL and a reason in why (IMP_WHY bytes, or NULL) where it is
 * none. All lives in the arena. */
struct imp_val *imp_xparse(struct tl_arena *a, struct tl_str text, char *why);

/* Member of an object, of equal ones the last; NULL if there is none. */
struct imp_val *imp_get(const struct imp_val *v, const char *key);

/* Text of a string, empty for anything else. */
struct tl_str imp_text(const struct imp_val *v);

/* Runs yajl over a document with memory that does not fail; *handle, if not
 * NULL, is there for the callbacks. */
bool imp_xyajl(const yajl_callbacks *callbacks, void *ctx,
    yajl_handle *handle, struct tl_str text, char *why);

/* ---- _map: three numbers to a small one ---- */

struct imp_map {
	uint64_t (*key)[3]; /* by number */
	uint32_t *slot;
	size_t n, cap, n_slots;
	uint32_t last; /* asked for before: it often comes again */
};

/* Number of the key, new ones counted up; *known says whether it was there. */
uint32_t imp_xmap(struct imp_map *m, uint64_t a, uint64_t b, uint64_t c,
    bool *known);
/* UINT32_MAX if it is not there. */
uint32_t imp_map_find(const struct imp_map *m, uint64_t a, uint64_t b,
    uint64_t c);
void imp_map_free(struct imp_map *m);

#define IMP_NONE UINT32_MAX

/* ---- options ---- */

struct imp_uuid { /* one -u */
	struct tl_str trace; /* n is 0: of all captures */
	int64_t index;
	struct tl_str uuid;
	const char *arg;
	size_t bound;        /* the capture it is of, SIZE_MAX for all */
	bool applied;
};

struct imp_opt {
	const char *artifact, *envelope, *hooks;
	bool kernel, redo, json, keep_going, dry, quiet, tolerate, verbose;
	bool has_max;
	uint64_t max;
	struct imp_uuid *uuid;
	size_t n_uuids, uuids_cap;
};

/* ---- a capture ---- */

enum imp_state {
	IMP_NEW,
	IMP_ADDED,
	IMP_REGISTERED,
	IMP_BEFORE,     /* imported by an earlier run */
	IMP_REGISTERED_BEFORE,
	IMP_TWICE,      /* named twice */
	IMP_FAILED
};

struct imp_device { /* of the header */
	struct tl_str process, device; /* escaped */
	struct tl_str name, uuid;      /* raw */
};

struct imp_worker; /* _hello */
struct imp_work;   /* _gather */

/* What binding to workers found for a process. */
struct imp_binding {
	int64_t pid;
	size_t n;                       /* workers that fit */
	const struct imp_worker *first; /* of them */
};

struct imp_trace {
	const char *operand;  /* a stream, "-", or the file of -R */
	bool only_register;   /* -R, or past -m */
	const char *skipped;  /* why, in the artifact's word */
	enum imp_state state;
	struct tl_err err;
	struct tl_evin in;
	struct tl_rec rec;    /* the first record */
	bool open, has_rec;
	/* header; raw text, n is 0 where not known */
	struct tl_arena arena;
	bool nsys, was_cut;
	struct tl_str path, file, id;
	struct tl_str host, trace_id, vllm, cupti;
	int64_t base_ns, rank, world_size; /* the last two -1 if unknown */
	uint64_t size, gpus, graph_rows;
	bool has_size, has_map, has_graph_rows;
	struct tl_intern procs;  /* escaped tokens */
	int64_t *pid;            /* by process, -1 if it has none */
	size_t pids_cap;
	struct imp_device *device;
	size_t n_devices, devices_cap;
	/* warnings and errors of the stream's notes, raw: "code: text" */
	struct tl_str *note;
	size_t n_notes, notes_cap;
	/* what was found */
	struct imp_work *work;
	struct imp_binding *binding;
	size_t n_bindings;
	const char *bind_status;
	uint64_t n_events, n_groups, n_linked;
	uint64_t n_unresolved[3];
	bool found[5];           /* what a collector may have collected */
	struct imp_buf summary;  /* its object of JSON */
	struct imp_buf said;     /* lines about it, for people */
};

/* _head: opens the stream and reads its header. TL_ERR: t->err. */
enum tl_status imp_head(struct imp_trace *t, bool tolerate) TL_MUST_USE;
/* A file of -R. */
enum tl_status imp_file(struct imp_trace *t) TL_MUST_USE;
void imp_trace_close(struct imp_trace *t);

/* Number of a process by its escaped token. */
uint32_t imp_xprocess(struct imp_trace *t, struct tl_str token);

/* Attachment id of a path, owned by the arena. */
struct tl_str imp_xattachment(struct tl_arena *a, struct tl_str path,
    bool nsys);

/* File name of a path. */
struct tl_str imp_base(struct tl_str path);

/* ---- _gather: a stream's events ---- */

enum imp_kind { IMP_KERNEL, IMP_MEMCPY, IMP_MEMSET };

#define IMP_GRAPH_NONE (-1)
#define IMP_GRAPH_MIXED (-2)

/* Events of one record. */
struct imp_group {
	uint64_t n;              /* place of the first in the file: ... */
	int64_t start, end;      /* on the capture's clock */
	int64_t cur_start, cur_end; /* the interval that still grows */
	uint64_t busy, sum;      /* busy: of the intervals before it */
	uint64_t corr;           /* 0: none */
	int64_t graph;
	uint32_t name, dev, proc, stream;
	uint32_t events, graph_events;
	uint32_t first_iv, last_iv, streams;
	uint8_t kind, rank;      /* ... rank before n */
};

struct imp_iv {
	int64_t start, end;
	uint32_t next;
};

struct imp_node {
	uint32_t stream, next;
};

struct imp_call {
	uint64_t n;
	int64_t start;
	uint64_t corr;
	uint32_t proc, thread, name;
	uint32_t next;           /* call of another process with the id */
	uint8_t tag;
};

struct imp_range {
	int64_t start, end;
	uint32_t proc, thread, pair;
};

struct imp_dev {
	struct tl_str key;       /* of the summary, raw */
	uint32_t proc;           /* of Nsight Systems, else IMP_NONE */
	bool has_index;
	int64_t index;
	struct tl_str name, uuid; /* as the capture names it */
	bool declared;            /* of Kineto, with or without a name */
	uint64_t busy, sum;
	int64_t cur_start, cur_end;
	uint64_t span;           /* of its records */
	int64_t span_end;
	bool any;
	/* of its first event that has a UUID */
	bool has_uuid;
	uint64_t uuid_n;
	uint8_t uuid_rank;
	struct tl_str found_uuid;
	const char *found_from;
};

struct imp_segment;

/* The text that was asked for before, with its number in a set. */
struct imp_last {
	char text[32];
	size_t n;
	uint32_t id;
};

struct imp_work {
	struct imp_group *group; /* in order of time */
	size_t n_groups, groups_cap;
	struct imp_map group_of; /* device and kind, process, correlation */
	uint32_t *group_at;      /* by number in group_of */
	size_t group_at_cap;
	struct imp_iv *iv;
	size_t n_ivs, ivs_cap;
	struct imp_node *node;
	size_t n_nodes, nodes_cap;
	struct imp_map stream_of; /* group, stream */
	struct imp_call *call;
	size_t n_calls, calls_cap;
	struct imp_map call_of;  /* correlation -> first of its calls */
	uint32_t *call_first;
	size_t call_first_cap;
	struct imp_range *range;
	size_t n_ranges, ranges_cap;
	struct tl_intern pairs;  /* producer NUL id, raw */
	struct tl_intern lanes;  /* streams and threads, escaped */
	struct imp_last last_device, last_lane, last_process;
	struct tl_intern names;  /* escaped */
	struct imp_dev *dev;
	size_t n_devs, devs_cap;
	struct imp_map dev_of;   /* process, lane token of the device */
	struct imp_segment *segment;
	size_t n_segments;
	int64_t last_start;
	bool any, any_corr, any_graph, any_stream;
	int64_t first, last;     /* of device work and calls */
	bool any_window;
	uint64_t n_graph_events; /* with a graph or a node */
	uint64_t n_graphs, n_tasks, n_negative;
};

/* Reads the rest of the stream. TL_ERR: t->err. */
enum tl_status imp_gather(struct imp_trace *t, bool kernel) TL_MUST_USE;

/* Reads the rest and forgets it. */
void imp_drain(struct imp_trace *t);
void imp_work_free(struct imp_work *w);

/* ---- _link ---- */

enum imp_reason { IMP_NO_LAUNCH, IMP_OUTSIDE, IMP_AMBIGUOUS, IMP_LINKED };
extern const char *const imp_reasons[3];

struct imp_link {
	enum imp_reason reason;
	uint32_t call, pair;     /* IMP_NONE where there is none */
};

void imp_xsegments(struct imp_work *w);
struct imp_link imp_link(const struct imp_work *w, const struct imp_group *g);
bool imp_graph_call(struct tl_str name);

/* Pids of all calls, ascending; with events those of device work, too. Owned
 * by the caller. */
int64_t *imp_xpids(const struct imp_trace *t, bool events, size_t *n);

/* ---- _uuid: which device it is ---- */

/* Argument of -u; exits 2. */
struct tl_tool;
void imp_xuuid_parse(const struct tl_tool *tool, struct imp_opt *o,
    const char *arg);

/* Binds -u to captures; exits 2. */
void imp_xuuid_bind(struct imp_opt *o, const struct imp_trace *t, size_t n);

/* UUID of a device for a process (pid -1: unknown) of capture number which;
 * n is 0 where it is not known. *from says whence. Exits 2 on contradiction. */
struct tl_str imp_xuuid(struct imp_opt *o, const struct imp_trace *t,
    size_t which, const struct imp_dev *d, int64_t pid, const char **from);

/* Notes the processes that use a device, for the check at the end. */
void imp_xuuid_used(const struct imp_trace *t, size_t which);

/* Exits 2 if a -u that was applied covers devices of several processes. */
void imp_xuuid_check(const struct imp_opt *o);

/* ---- _hello: logs of workers ---- */

/* Reads a folder; exits 1. */
void imp_xhello_read(const char *folder, bool quiet);

/* Binds the capture's processes. */
void imp_xhello_bind(struct imp_trace *t);

/* What a worker says of an index: n is 0 if nothing. */
struct tl_str imp_hello_uuid(const struct imp_trace *t, int64_t pid,
    int64_t index);
void imp_xhello_summary(const struct imp_trace *t, struct imp_buf *b);

/* ---- _line: one line of the artifact ---- */

enum { IMP_N_KEYS = 19 };
extern const char *const imp_context_keys[IMP_N_KEYS]; /* sorted */
enum {
	IMP_C_BACKEND, IMP_C_BACKEND_VERSION, IMP_C_CLOCK_DOMAIN,
	IMP_C_CLOCK_KIND, IMP_C_MODE, IMP_C_UUID, IMP_C_ENGINE,
	IMP_C_ENGINE_VERSION, IMP_C_HOST, IMP_C_LOCAL_RANK, IMP_C_PID,
	IMP_C_PRODUCER, IMP_C_PROVENANCE, IMP_C_RANK, IMP_C_RUN,
	IMP_C_SESSION, IMP_C_SOURCE, IMP_C_SOURCE_VERSION, IMP_C_WORLD_SIZE
};

struct imp_entry { /* of metadata.summary.traces */
	struct tl_str path;
	bool skipped;
	size_t at, end;    /* its bytes in the line */
};

struct imp_line {
	struct tl_arena arena; /* of the texts, dropped by the next line */
	int64_t version;
	bool has_context, has_context_id;
	struct tl_str event_type, event_id, context_id, session, attachment;
	struct tl_str component;
	struct tl_str context[IMP_N_KEYS]; /* JSON; n is 0 if not there */
	struct tl_str run_raw, session_raw; /* of the context */
	struct imp_entry *entry;
	size_t n_entries, entries_cap;
};

/* Parses a line; *why says what is wrong with it. */
bool imp_line(struct imp_line *l, struct tl_str text, char *why);
void imp_line_free(struct imp_line *l);

/* ---- _artifact ---- */

struct imp_artifact {
	const char *path;
	int fd;
	struct stat st;
	uint64_t n_lines;
	bool needs_newline;
	struct tl_str run, session;
	struct tl_intern contexts;   /* content as compact JSON */
	struct tl_str *context_id;   /* the first id of it */
	size_t context_id_cap;
	struct tl_intern ids;        /* of contexts */
	uint32_t *content_of;        /* by id */
	size_t content_of_cap;
	struct tl_intern imported, registered; /* paths */
	struct tl_intern attachments; /* of activities */
	struct tl_arena arena;
};

/* Opens, locks (unless dry) and reads it; exits 1. */
void imp_xartifact_open(struct imp_artifact *a, const char *path, bool dry);

/* Copies it to out without what belongs to the captures to be redone. */
void imp_xartifact_copy(struct imp_artifact *a, struct tl_out *out,
    const struct imp_trace *t, size_t n);

/* Exits 1 if it has changed since it was opened. */
void imp_xartifact_same(const struct imp_artifact *a);

/* Id of a context, whose values are JSON; a line for it goes to b if the
 * artifact does not have it. Exits 1 where the id is taken. */
struct tl_str imp_xcontext(struct imp_artifact *a,
    const struct tl_str value[IMP_N_KEYS], struct imp_buf *b);

/* ---- _record, _summary ---- */

/* Writes the records of a capture that was gathered, and its summary. */
void imp_xrecords(struct imp_opt *o, struct imp_artifact *a,
    struct imp_trace *t, size_t which, struct tl_out *out);

/* The object of JSON that tells of a capture; n_graph: events of graphs. */
void imp_xsummary(struct imp_trace *t, const struct imp_opt *o,
    uint64_t n_graph);
void imp_xsummary_registered(struct imp_trace *t);

/* The two capability records. */
void imp_xcapabilities(struct imp_artifact *a, const struct imp_trace *t,
    size_t n, const char *salt, struct tl_out *out);

/* Says what was done. */
void imp_report(const struct imp_opt *o, const struct imp_trace *t, size_t n);

/* ---- _envelope ---- */

struct imp_envelope {
	char *path;
	struct tl_out out;
	bool changed;
};

/* Reads the envelope, or begins one, and writes the new one beside it. Exits 1
 * where it is not to be changed. With dry it is only checked. */
void imp_xenvelope(struct imp_envelope *e, const struct imp_opt *o,
    const struct imp_artifact *a, const struct imp_trace *t, size_t n);

#endif
