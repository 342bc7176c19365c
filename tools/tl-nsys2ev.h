#ifndef TL_NSYS2EV_H
#define TL_NSYS2EV_H

/* Private to tl-nsys2ev. Data flow: the tables are found (_table), each is
 * scanned once for its order and for the processes and devices in it (_scan),
 * the header is written (_meta), then cursors over the tables are merged in
 * order of time (_read, _merge), each row becomes a line (_event), and what
 * was dropped or guessed a note (_note).
 *
 * Facts about the export's format are from NVIDIA's "SQLite Schema Reference"
 * of Nsight Systems, and from exports of schemas up to the one below. */

#include <sqlite3.h>

#include "conv.h"
#include "db.h"
#include "map.h"
#include "sort.h"

/* Newest schema that was looked at: EXPORT_SCHEMA_VERSION. */
#define SCHEMA_MAJOR 3
#define SCHEMA_MINOR 25

/* ---- tables ---- */

/* In byte order of their tags. */
enum table_id {
	T_DRIVER,  /* D */
	T_FILL,    /* F */
	T_GRAPH,   /* G */
	T_KERNEL,  /* K */
	T_COPY,    /* M */
	T_NVTX,    /* N */
	T_OSRT,    /* O */
	T_RUNTIME, /* R */
	T_SYNC,    /* S */
	N_TABLES
};

/* What a column means, whatever its name in a schema. */
enum field {
	F_OWNER,   /* globalPid or globalTid */
	F_CORR,
	F_NAME,    /* StringIds.id, or text */
	F_DEVICE, F_CONTEXT, F_STREAM,
	F_KIND,    /* copyKind, syncType, eventType, eventClass */
	F_GRAPH, F_NODE, F_EXEC,
	F_BYTES, F_VALUE, F_MEM_FROM, F_MEM_TO, F_DEV_FROM, F_DEV_TO,
	F_SHORT,
	F_GRID_X, F_GRID_Y, F_GRID_Z, F_BLOCK_X, F_BLOCK_Y, F_BLOCK_Z,
	F_DOMAIN, F_CATEGORY, F_END_OWNER, F_RESULT,
	F_START, F_END,
	F_TEXT,    /* text itself */
	N_FIELDS,
	N_VALUES = F_TEXT, /* fields that are numbers */
	N_PACKED = F_START /* those that an event is made of */
};

struct column {
	const char *name;
	enum field field;
	bool required;
};

struct spec {
	const char *base; /* name of the table */
	enum tl_kind kind; /* TL_RANGE: or TL_MARK */
	char tag;
	bool device;      /* its rows are work on a device */
	const struct column *columns; /* up to one without a name */
};

/* Rows in order of time that lie together: from and to, both included. */
struct run {
	int64_t from, to;
};

/* A table is read run by run where it has few of them; else it is sorted. */
#define MAX_RUNS 64
/* Rows that begin at the same time and are held at once. */
#define MAX_TIES 4096

struct table {
	const struct spec *spec;
	char *name;       /* as in the file, NULL where it is not there */
	bool wanted;      /* there, and its kind is on */
	char *columns;    /* for select: _rowid_ and what is below */
	enum field field[N_FIELDS];
	int n_columns;    /* behind _rowid_ */
	bool has[N_FIELDS];
	/* of the scan */
	uint64_t rows;
	struct run all, run[MAX_RUNS];
	size_t n_runs;
	uint64_t n_names; /* rows that name a domain or category of NVTX */
	struct run names; /* where these are */
	bool disordered;  /* must be sorted */
	bool cut;         /* -k: damaged behind the last run */
	uint32_t last_lane;
	/* counted while rows are read */
	uint64_t events, no_time, end_first, zero_time, odd, other_kind,
	    backtraces, no_name, bad_name, long_text, duplicates, no_owner;
};

/* ---- rows ---- */

struct row {
	int64_t start, dur; /* dur may be TL_NONE */
	uint64_t rowid;
	struct table *t;
	uint32_t has;       /* bit for each field below N_VALUES */
	int64_t v[N_VALUES];
	struct tl_str text; /* of F_TEXT, or of F_NAME where that is text */
	char *buf;          /* where the text is; to be freed */
	size_t buf_cap;
};

static inline bool
row_has(const struct row *r, enum field f)
{
	return (r->has >> f & 1) != 0;
}

/* Value of a field that profilers set to 0 where there is none. */
static inline int64_t
row_or0(const struct row *r, enum field f)
{
	return row_has(r, f) ? r->v[f] : 0;
}

/* ---- processes, devices, names ---- */

/* A process is known by its globalPid: hardware (8 bits), VM (8), pid (24),
 * 24 bits that are 0; a thread's globalTid has the tid in these. */
#define OWNER_PROCESS(id) ((int64_t)((uint64_t)(id) & ~(uint64_t)0xffffff))
#define OWNER_PID(id) ((uint32_t)((uint64_t)(id) >> 24 & 0xffffff))
#define OWNER_TID(id) ((uint32_t)((uint64_t)(id) & 0xffffff))

struct process {
	int64_t id;
	struct tl_str token;
};

/* Tokens of a lane, escaped. */
struct lane {
	struct tl_str process, device, context, stream;
};

struct string {
	int64_t id;
	struct tl_str text;
	const char *esc;    /* escaped, NULL until it is asked for */
	size_t esc_len;
	struct name *names; /* what the rules say, for each kind */
};

struct strings {
	struct string *s; /* by ascending id */
	size_t n;
	uint32_t *direct; /* id - s[0].id to index + 1; NULL where sparse */
	size_t n_direct;
	struct tl_arena arena;
	size_t n_names;
	uint64_t cut;     /* texts that were longer than TL_TEXT_MAX */
};

struct nsys {
	struct tl_db db;
	struct tl_conv conv;
	uint32_t kinds;        /* bit for each kind that is wanted */
	bool osrt;             /* calls of the OS runtime are */
	bool quiet, verbose;
	uint64_t budget;
	struct table table[N_TABLES];
	struct strings strings;
	struct tl_map process_of; /* globalPid -> process */
	struct process *process;
	size_t process_cap;
	struct tl_map device_of;  /* globalPid, deviceId */
	struct tl_map lane_of;    /* globalPid or globalTid, device, context,
	                          stream -> lane */
	struct lane *lane;
	size_t lane_cap;
	struct tl_map launches;   /* globalPid, correlation of GRAPH_TRACE rows */
	bool *launch_detailed; /* by number in launches */
	size_t launches_cap;
	uint64_t graphs_detailed;
	uint64_t gpu_conflicts; /* devices that two tables call another GPU */
	bool no_owners;        /* the scan met device rows without one */
	int64_t sole_caller;   /* the only process with calls, 0 if none */
	struct tl_map callers;    /* correlation -> */
	int64_t *caller;       /* its process, 0 where several have it */
	size_t callers_cap;
	uint64_t inferred;     /* events whose process is that of a call */
	struct tl_map domains;    /* globalPid, domainId -> */
	struct tl_str *domain;
	size_t domains_cap;
	struct tl_map categories; /* globalPid, domainId, category -> */
	struct tl_str *category;
	size_t categories_cap;
	struct tl_map ties;       /* lane, correlation of rows with one time */
	struct tl_map_key tie_first; /* the only one, while the map is empty */
	int64_t tie_start, tie_dur;
	const struct table *tie_table;
	char *keys;            /* the columns of an event behind its place */
	size_t keys_cap;
	struct reader *reader; /* that takes a step */
	struct tl_arena arena; /* tokens and names of the run */
};

/* _table.c */
extern const struct spec specs[N_TABLES];
void xtables_find(struct nsys *n);

/* The functions of db.h on the export. */
#define xprepare(n, ...) tl_xdb_prepare(&(n)->db, __VA_ARGS__)

static inline bool
xstep(struct nsys *n, sqlite3_stmt *st, const char *table)
{
	return tl_xdb_step(&n->db, st, table);
}

static inline void
xdamaged(struct nsys *n, const char *table, const char *what)
{
	tl_xdb_damaged(&n->db, table, what);
}

static inline bool
is_table(struct nsys *n, const char *name)
{
	return tl_xdb_is_table(&n->db, name);
}

static inline bool
has_column(struct nsys *n, const char *table, const char *column)
{
	return tl_xdb_has_column(&n->db, table, column);
}

/* _scan.c */
void xscan_tables(struct nsys *n);
uint32_t xprocess_add(struct nsys *n, int64_t owner);
/* The process of a row, 0 if it is not known. */
int64_t owner_of(struct nsys *n, const struct row *r);

/* _string.c */
void xstrings_load(struct nsys *n);
/* NULL if there is none. */
struct string *string_find(const struct strings *s, int64_t id);
/* Meaning of a string for a kind; valid until the next call. */
const struct tl_conv_name *xstring_name(struct nsys *n, struct string *s,
    enum tl_kind kind);
/* The string as text of the stream. */
struct tl_str xstring_esc(struct nsys *n, struct string *s);
/* _meta.c */
void xheader(struct nsys *n, int argc, char *const *argv);
void xnvtx_names(struct nsys *n);

/* _read.c */
/* ENUM_NSYS_EVENT_TYPE */
enum {
	NVTX_CATEGORY = 33, NVTX_MARK = 34, NVTX_PUSH_POP = 59,
	NVTX_START_END = 60, NVTXT_MARK = 65, NVTXT_PUSH_POP = 70,
	NVTXT_START_END = 71, NVTX_DOMAIN = 75
};
enum tl_kind nvtx_kind(const struct row *r);

/* Rows of a table in the order of its rows; stops at those that are events. */
struct reader {
	struct table *t;
	sqlite3_stmt *st;
	struct row *row;
	int64_t last_row, last_start;
};
void xreader_setup(struct nsys *n); /* once, before the first is opened */
void xreader_open(struct nsys *n, struct reader *rd, struct table *t,
    const struct run *run);
/* False at the end. The row owns its buffer, which is used again. */
bool xreader_next(struct nsys *n, struct reader *rd, struct row *r);
void reader_close(struct reader *rd);

/* _merge.c: all events in the order of the stream. */
void xmerge(struct nsys *n);

/* _event.c */
void xevent(struct nsys *n, struct row *r);

/* _note.c */
void xnotes(struct nsys *n);

#endif
