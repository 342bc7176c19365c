#ifndef TL_MSPROF2EV_H
#define TL_MSPROF2EV_H

/* Private to tl-msprof2ev. Data flow: what a path holds is found out (_find),
 * its databases are opened (_open), operators and collectives are loaded
 * (_ident, _comm), rows of all tables are read (_read, by _one or _split),
 * tied to these and sorted (_task, _host), the header is written (_meta),
 * each row becomes a line (_event, _name), and what was dropped or guessed a
 * note (_note).
 *
 * Facts about the format are from the description of tables that comes with
 * msprof, from how it makes them, and from captures of 2023 to 2025. */

#include "ascend.h"
#include "conv.h"
#include "db.h"
#include "keys.h"
#include "map.h"
#include "sort.h"

/* What msprof writes for "none" in columns of unsigned numbers. */
#define NONE_ID ((int64_t)UINT32_MAX)
/* No text. */
#define NO_TEXT UINT32_MAX

/* ---- rows ---- */

/* Kinds of row, in byte order of their tags' letters. */
enum table {
	T_API,     /* A */
	T_COMM,    /* C: a collective */
	T_MSTX,    /* M */
	T_PYTORCH, /* P */
	T_TASK,    /* T */
	N_TABLES
};

/* What a column means, whatever its name in a layout. */
enum field {
	/* texts: a number of a text */
	F_NAME, F_OP_TYPE, F_TYPE, F_TYPE_DEVICE, F_CORE, F_COMM, F_COMM_TYPE,
	F_GROUP, F_ALG, F_LEVEL_NAME, F_DOMAIN, F_CONNECTIONS, F_DATA_NAME,
	N_TEXTS,
	/* numbers */
	F_DEVICE = N_TEXTS, F_STREAM, F_TASK, F_CONTEXT, F_BATCH, F_MODEL,
	F_PID, F_CONN, F_ID, F_TID, F_LEVEL, F_OP, F_COUNT, F_DATA_TYPE,
	F_RELAY, F_RETRY, F_SEQUENCE, F_FORWARD, F_BYTES, F_COPY, F_PARTS,
	F_DETAIL, F_ORIGINAL, F_STATUS,
	F_KIND, /* of an event on the host: enum tl_kind */
	/* times */
	F_START, F_END, F_DUR,
	N_FIELDS
};

struct row {
	int64_t start, dur; /* ns; dur may be TL_NONE */
	uint64_t rowid;
	enum table table;
	uint32_t tag;       /* number in order of the tags' texts */
	uint64_t has;       /* bit for each field */
	int64_t v[N_FIELDS];
};

static inline bool
row_has(const struct row *r, enum field f)
{
	return (r->has >> f & 1) != 0;
}

static inline void
row_set(struct row *r, enum field f, int64_t v)
{
	r->v[f] = v;
	r->has |= (uint64_t)1 << f;
}

static inline void
row_clear(struct row *r, enum field f)
{
	r->has &= ~((uint64_t)1 << f);
}

/* The value, or -1. */
static inline int64_t
row_get(const struct row *r, enum field f)
{
	return row_has(r, f) ? r->v[f] : -1;
}

static inline uint32_t
row_text(const struct row *r, enum field f)
{
	return row_has(r, f) ? (uint32_t)r->v[f] : NO_TEXT;
}

/* ---- reading a table ---- */

struct column {
	const char *name, *old; /* old: an earlier name, or NULL */
	enum field field;
	bool required;
};

struct reader {
	struct tl_db *db;
	char *table;         /* as in the file */
	sqlite3_stmt *st;
	enum field field[N_FIELDS];
	int n;
	uint64_t rows;
};

/* ---- intervals with a key ---- */

struct span {
	uint32_t key;  /* number in spans.keys */
	uint32_t what; /* the caller's number */
	int64_t start, end;
};

struct spans {
	struct tl_map keys;
	struct span *s; /* by key, then start, once it is done */
	size_t n, cap;
	size_t *first;  /* by key, and one more */
};

/* ---- identities ---- */

/* An operator, or the collective that a task is a part of. */
struct ident {
	int64_t id; /* globalTaskId, or number of a key */
	uint32_t name, type, core;
	int64_t op; /* of a part: opId, -1 if not known */
};

struct idents {
	bool usable;       /* the table is there with what it needs */
	struct ident *a;   /* by ascending id */
	size_t n, cap;
	uint32_t *direct;  /* id - a[0].id to index + 1; NULL where sparse */
	size_t n_direct;
	struct tl_map key; /* split: device and stream, task, context, batch */
	bool batches;      /* split: the batch is a part of the key */
};

/* ---- collectives ---- */

struct coll {
	struct row row;
	int64_t end;
	bool unset;       /* split: no part was seen */
	bool twice;       /* split: another has its connection id */
	uint32_t n_parts;
	int64_t device, stream, longest; /* of its parts; -1: none */
};

/* ---- a capture ---- */

struct capture {
	char *name;      /* path below the folder that was given */
	char *one;       /* database of one file, or NULL */
	char *split;     /* folder with host and device_*, or NULL */
	char *why;       /* why the split layout is read */
	char *error;     /* why it cannot be read, or NULL */
	uint32_t others; /* databases beside the one that were not taken */
};

struct captures {
	struct capture *c;
	size_t n, cap;
};

/* An open database of the capture. */
struct base {
	struct tl_db db;
	char *path;
	int64_t device;  /* of its folder, -1 for the host's */
};

enum map_state { MAP_NO, MAP_YES, MAP_AMBIGUOUS };

struct map_row {
	int64_t device, model, stream, original, time, batch, status;
};

struct counts {
	uint64_t no_time, end_first, rounded, odd, unknown_name, profiler,
	    parts, no_device, inferred, long_text, split_twice;
	uint64_t tasks, unnamed;
	uint64_t executes;   /* launches of graphs */
};

struct msprof {
	const char *out;      /* -o */
	struct tl_conv conv;
	uint32_t kinds;       /* bit for each kind that is wanted */
	bool keep_going, quiet, verbose;
	bool damaged;
	uint64_t budget;

	struct capture *cap;
	struct base *base;
	size_t n_bases, bases_cap;
	bool split;
	int64_t devices[256]; /* split: numbers of device folders */
	uint32_t rank[256];   /* of these in byte order of their digits */
	size_t n_devices;

	/* texts */
	struct tl_intern text;
	uint8_t *type_kind;   /* by text number: enum tl_ascend_type + 1, or 0 */
	size_t type_kind_cap;
	uint32_t *string_text; /* by index in string_id: text number */
	int64_t *string_id;   /* ascending */
	size_t n_strings, strings_cap;
	struct tl_map names;  /* what a name is made of -> */
	struct tl_conv_name *name;
	size_t names_cap;
	struct tl_arena arena;

	struct idents ops, parts;
	struct tl_map copies; /* globalTaskId -> bytes, kind */
	int64_t (*copy)[2];
	size_t copies_cap;
	struct tl_map levels; /* of calls: number -> */
	uint32_t *level;
	size_t levels_cap;

	struct coll *coll;
	size_t n_colls, colls_cap;
	struct tl_map coll_op; /* opId, or split device and connection -> */
	uint32_t *op_coll;     /* the collective */
	size_t op_coll_cap;
	struct spans coll_at;  /* device or -1, connection */
	struct tl_map lanes;   /* collective, device, stream -> */
	int64_t *lane_ns;      /* time of its parts there */
	size_t lanes_cap;

	struct tl_sort *sort;
	struct tl_map processes; /* pid */
	struct tl_map places;    /* device, pid or -1, of tasks */
	int64_t sole;            /* the only pid, -1 if none or several */
	int64_t first_ns, last_ns; /* of tasks' starts; first > last: none */
	bool table_there[N_TABLES];

	enum map_state map_state;
	struct map_row *map;
	size_t n_map, map_cap;
	char map_why[1024];

	/* split: clocks and what info.json tells */
	struct info {
		int64_t pid, rank, khz, host_cnt, host_ns, shift_ns;
		bool shifted;
		char host[256], name[256];
		int64_t ticks; /* ns of a tick, where khz does not tell */
		bool ticks_told; /* by tasks and their calls */
	} info;

	struct counts count;
	struct early {        /* notes of before the stream was open */
		const char *code;
		char *text;
	} *early;
	size_t n_early, early_cap;
	struct tl_keys keys;
};

/* _find.c */
void xfind(struct captures *cs, const char *path);
void captures_free(struct captures *cs);
/* Whether the file has a TASK table that can be used; why not, else. */
bool one_usable(const char *path, char *why, size_t size);
char *path_join(const char *dir, const char *name);
bool is_folder(const char *path);
/* Names in a folder that match a glob of one "*", sorted; owned. */
char **folder_list(const char *dir, const char *prefix, const char *suffix,
    size_t *n);
void list_free(char **list, size_t n);

/* _open.c */
/* Exits 1 if it cannot be opened; of the split layout with -k answers NULL. */
struct base *xbase_open(struct msprof *m, const char *path, int64_t device);
void xopen_capture(struct msprof *m);
/* The database that has the table, NULL if none; of the folder of a device,
 * or with -1 of the host. */
struct base *base_with(struct msprof *m, int64_t device, const char *table);

/* _read.c */
/* False, with a message in why, if the table is not there or lacks a column it
 * needs. where may be NULL. */
bool xreader_open(struct msprof *m, struct reader *rd, struct tl_db *db,
    const char *table, const struct column *columns, const char *where,
    char *why, size_t size);
bool xreader_next(struct msprof *m, struct reader *rd, struct row *r);
void reader_close(struct reader *rd);
/* Sets start and dur of F_START and F_END or F_DUR; false, counted, if these
 * are no times. */
bool row_times(struct msprof *m, struct row *r, bool on_device);

/* _text.c */
void xtexts_load(struct msprof *m);
uint32_t xtext(struct msprof *m, struct tl_str s);
struct tl_str text_of(const struct msprof *m, uint32_t text);
/* Text of STRING_IDS; a label with the number where that is not there. */
uint32_t xtext_of_id(struct msprof *m, int64_t id, const char *what);

enum tl_ascend_type type_kind(struct msprof *m, uint32_t text);

/* _ident.c */
void xidents_one(struct msprof *m);
void xidents_split(struct msprof *m);
/* Sets what is known of a task's operator and collective; the part's opId is
 * in F_OP. */
void identify(struct msprof *m, struct row *r);
void xcopies_load(struct msprof *m);

/* _span.c */
uint32_t xspan_add(struct spans *s, struct tl_map_key key, int64_t start,
    int64_t end);
void xspans_done(struct spans *s);
/* What of the last span with the key that begins at or before end, if it
 * overlaps or touches; UINT32_MAX if there is none. */
uint32_t span_over(const struct spans *s, struct tl_map_key key,
    int64_t start, int64_t end);
void spans_free(struct spans *s);

/* _comm.c */
void xcolls_one(struct msprof *m);
void xcolls_split(struct msprof *m);
void xcolls_index(struct msprof *m);
/* Ties a task to the collective it is a part of. */
void xcoll_task(struct msprof *m, struct row *r);
void xcolls_write(struct msprof *m);

/* _task.c */
extern const struct column task_columns[];
void xtasks_one(struct msprof *m);
void xtasks_split(struct msprof *m);
enum tl_kind task_kind(struct msprof *m, const struct row *r);
/* Rows of AscendTask, one after the other: calls each for every usable one,
 * with its identity. */
void xascend_each(struct msprof *m,
    void (*each)(struct msprof *, struct row *));
void xsort_row(struct msprof *m, struct row *r);
void unpack_row(const struct tl_sort_rec *rec, struct row *r);

/* _host.c */
void xhost_one(struct msprof *m);
void xhost_split(struct msprof *m);

/* _map.c */
void xmap_load(struct msprof *m);

/* _meta.c */
void xinfo_load(struct msprof *m);
void xheader(struct msprof *m, int argc, char *const *argv);
uint32_t tag_of(struct msprof *m, enum table t, int64_t device);

/* _name.c */
const struct tl_conv_name *xname_of(struct msprof *m, const struct row *r,
    enum tl_kind kind);

/* _event.c */
void xevents(struct msprof *m);

/* _note.c */
void xnote_early(struct msprof *m, const char *code, const char *text);
void xnotes(struct msprof *m);

#endif
