#ifndef TL_CONTEXT_H
#define TL_CONTEXT_H

/* What tl-context keeps, and the way it goes: _json takes a line of context
 * apart, _file checks it, _gather reads the stream, _scope finds which calls
 * lie in which markers, _link ties events to steps, _write adds the records. */

#include "filter.h"
#include "intern.h"
#include "sha256.h"
#include "spool.h"

#define CTX_NONE UINT32_MAX

/* Limits of the wire contract. */
#define CTX_FILE_MAX ((uint64_t)256 << 20)
#define CTX_ID_MAX 128
#define CTX_REQUESTS_MAX 4096
#define CTX_MARKER "traceloom.execution."

/* Longest piece of a context file in a record, before escaping. */
#define CTX_PIECE 100000

/* ---- _json ---- */

enum ctx_key {
	K_SCHEMA, K_TYPE, K_RUN, K_PRODUCER,
	K_METADATA,
	K_STEP, K_ORDINAL, K_TOTAL, K_REQUESTS, K_CACHE,
	K_EXECUTION, K_MARKER, K_PHASE, K_STATUS, K_MARKER_STATE, K_RANK,
	K_PID,
	K_WRITTEN, K_DROPPED,
	K_N_TOP,
	K_REQ_ID = K_N_TOP, K_REQ_TOKENS,
	K_CACHE_PHASE, K_CACHE_FREE, K_CACHE_POOL,
	K_N_KEYS
};

enum ctx_type {
	V_ABSENT, V_NULL, V_BOOL, V_NUMBER, V_TEXT, V_OBJECT, V_LIST
};

/* A value: text is raw, a number as it is written, an object as it stands. */
struct ctx_value {
	enum ctx_type type;
	struct tl_str s;
};

struct ctx_request {
	struct ctx_value id, tokens;
	struct tl_str json;
};

/* A line. Text lives until the next one. */
struct ctx_line {
	struct ctx_value v[K_N_KEYS];
	struct ctx_request *request;
	size_t n_requests, requests_cap;
	char *scratch; /* decoded strings */
	size_t scratch_n, scratch_cap;
};

/* The key as it is written. */
const char *ctx_key_name(enum ctx_key k);

/* Takes a line apart. TL_ERR where it is no JSON object, a key of interest is
 * there twice, or requests is a list of something else; err->msg without a
 * place. The caller zero-initialises *l once and frees it in the end. */
enum tl_status ctx_parse(struct ctx_line *l, struct tl_str text,
    struct tl_err *err) TL_MUST_USE;
void ctx_line_free(struct ctx_line *l);

/* ---- _file ---- */

/* Where a name was seen first. */
struct ctx_seen {
	uint32_t file;
	uint64_t line;
};

struct ctx_names {
	struct tl_intern text;
	struct ctx_seen *seen; /* by number */
	size_t cap;
};

enum ctx_state {
	EX_SUPPORTED, EX_MISSING_STEP, EX_UNAVAILABLE, EX_NOT_FOUND,
	EX_AMBIGUOUS, EX_OPEN, EX_N
};

struct ctx_step {
	uint32_t file;
	uint32_t name; /* among step names */
	uint64_t line;
	uint32_t n_execs, n_markers;
	uint64_t n_events;
};

struct ctx_exec {
	uint32_t file;
	uint32_t name;      /* among execution names */
	uint32_t step_name; /* of its step, among texts */
	uint32_t step;      /* index, CTX_NONE: in no file */
	uint64_t line;
	bool unavailable;
	enum ctx_state state;
	/* from the stream */
	uint64_t n_ranges, range;
	int64_t start_ns, end_ns;
	uint32_t lane;
	bool open;
	uint64_t n_calls, n_events;
};

struct ctx_file {
	const char *path;
	char *run, *producer;
	struct tl_spool *lines;
	uint64_t n_lines, size, written, dropped;
	bool has_summary;
	char sha256[TL_SHA256_HEX];
	size_t first_step, n_steps, first_exec, n_execs;
};

/* ---- of the stream ---- */

/* The steps and executions whose markers hold something: least and greatest
 * index, CTX_NONE and 0 if there are none. */
struct ctx_scope {
	uint32_t min_step, max_step, min_exec, max_exec;
	bool direct; /* one of them on the thread itself */
};

struct ctx_call {
	int64_t start_ns, end_ns;
	uint64_t corr;
	uint32_t id;
	uint32_t process, lane;
	bool has_corr;
	bool open; /* its end is not known, so it lies in nothing */
	struct ctx_scope in;
};

/* A task handed to another thread: Enqueue@... and Dequeue@... */
struct ctx_task {
	int64_t start_ns, end_ns;
	uint32_t lane, process, id;
	bool dequeue;
	struct ctx_scope in;
};

enum ctx_basis {
	B_CALL, B_REPLAY,                      /* linked */
	B_STEPS, B_CALLS, B_CONFLICT,          /* ambiguous */
	B_OUTSIDE, B_NO_CALL, B_NO_CORRELATION,/* unlinked */
	B_N
};

struct ctx_event {
	int64_t start_ns, end_ns;
	uint64_t corr;
	uint32_t id;
	uint32_t process, device;
	uint32_t launch; /* index, or CTX_NONE */
	uint32_t call;   /* index, or CTX_NONE */
	uint32_t step, exec;
	bool has_corr;
	uint8_t basis;
};

struct ctx_launch {
	uint64_t id, call; /* call: 0 if unknown */
};

/* Calls and events are in the order of the stream, so by id. */
struct ctx {
	struct ctx_file *file; /* by run, then producer */
	size_t n_files;
	struct ctx_names producers, steps, execs;
	struct ctx_step *step;
	size_t n_steps, steps_cap;
	struct ctx_exec *exec;
	size_t n_execs, execs_cap;
	uint32_t *exec_at; /* index by name */

	struct tl_intern text; /* processes, devices, correlations, tasks */
	struct tl_intern lanes;
	struct ctx_call *call;
	size_t n_calls, calls_cap;
	struct ctx_task *task;
	size_t n_tasks, tasks_cap;
	struct ctx_event *event;
	size_t n_events, events_cap;
	struct ctx_launch *launch; /* by id, ascending */
	size_t n_launches, launches_cap;
};

/* Reads and checks the files; exits 1 with the first thing that is wrong. */
void ctx_read(struct ctx *c, const char *const *paths, size_t n);

/* The next line of a file, parsed; false at its end. ctx_rewind begins anew. */
void ctx_rewind(struct ctx_file *f);
bool ctx_next(struct ctx_file *f, struct ctx_line *l, struct tl_str *text);

void ctx_gather(struct ctx *c, struct tl_filter *f);

/* Fills call[].in, and the state of executions. */
void ctx_scopes(struct ctx *c);

/* Holds nothing. Makes *s hold t, too. */
extern const struct ctx_scope ctx_nothing;
void ctx_scope_add(struct ctx_scope *s, const struct ctx_scope *t);

/* Fills event[].basis, step, exec, call, and the counts. */
void ctx_link(struct ctx *c);

void ctx_write(struct ctx *c, struct tl_evout *out);
void ctx_free(struct ctx *c);

#endif
