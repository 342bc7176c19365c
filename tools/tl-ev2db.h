#ifndef TL_EV2DB_H
#define TL_EV2DB_H

/* tl-ev2db's own: a stream, tl-ev(5), into the tables of tl-db(5). */

#include <sqlite3.h>

#include "evids.h"
#include "evin.h"
#include "intern.h"

/* Tables, with a prepared INSERT each. */
enum db_table {
	DB_META, DB_HEADER, DB_PROCESS, DB_DEVICE, DB_SCOPE, DB_LANE, DB_TAG,
	DB_NAME, DB_KEYS, DB_EVENT, DB_UNIT, DB_LAUNCH, DB_MEMBER, DB_POSITION,
	DB_OCCURRENCE, DB_REAL, DB_VARIANT, DB_DEVIATION, DB_CONTEXT, DB_JSON,
	DB_STEP, DB_REQUEST, DB_EXEC, DB_WORK, DB_LINK, DB_NOTE, DB_OTHER,
	DB_N_TABLES
};

/* Tables whose rows other records refer to by ids of the stream. */
enum db_thing {
	DB_LAUNCHES, DB_UNITS, DB_CONTEXTS, DB_STEPS, DB_EXECS, DB_N_THINGS
};

/* SQL that is compiled in: tools/tl-ev2db*.sql, the tables first, then in the
 * order in which it is run when all rows are there. */
extern const char *const db_sql[];
extern const size_t db_n_sql;
extern const char *const db_sql_more; /* -I */

/* The file: written under a temporary name, then published. */
struct db_file {
	sqlite3 *db;
	const char *path; /* -o */
	char *tmp;
	int fd;           /* of the temporary file */
	sqlite3_stmt *insert[DB_N_TABLES];
};

/* A value on its way into a column; text as sqlite3_bind_text64(3) takes it. */
struct db_value {
	enum { DB_NULL, DB_INT, DB_TEXT, DB_BLOB } type;
	int64_t i;
	struct tl_str s;
};

#define DB_EVENT_COLUMNS 12

/* Texts that are rows of a table, with their keys: base + number + 1. Where
 * there are too many for memory the set begins anew, and texts seen before get
 * another row. */
struct db_set {
	struct tl_intern text;
	uint8_t *odd;     /* by number: its spelling is not the stream's */
	size_t cap;
	int64_t base;
};

/* Positions of a scope by number, from 1, with the keys of their rows, and of
 * the rows of their occurrences by n, from 1. */
struct db_pos {
	int64_t key;
	int64_t *occ;
	size_t n_occ, cap_occ;
};

struct db_scope {
	struct db_pos *pos;
	size_t n, cap;
};

/* A reference to an occurrence that is still to come. */
struct db_later {
	enum db_table table; /* whose row refers */
	int64_t row;
	uint32_t scope, pos, n;
	uint64_t line;       /* of the input */
};

/* A text of a line is decoded at most for the record, for a lane, for its scope
 * and for its process at once. */
#define DB_SCRATCH (4 * TL_LINE_MAX)

struct db {
	struct db_file file;
	struct tl_evin in;
	uint64_t budget;     /* for each of names and keys */
	bool tolerate;
	int64_t line;        /* of the record, from 1 */
	uint64_t n_header, n_events;
	uint64_t n_kept, n_only; /* rows of tl_other; those not elsewhere, of
	                            known kinds */
	uint64_t last_id;
	struct tl_evids ids, large; /* large: those that have no row */
	struct db_set process, lane, tag, name, keys, scopes;
	struct db_scope *scope; /* by number in scopes */
	size_t n_scopes, cap_scopes;
	struct db_later *later;
	size_t n_later, cap_later;
	struct db_value event[DB_EVENT_COLUMNS]; /* row of tl_event at hand */
	bool refers[DB_N_THINGS];  /* may have been before they came */
	sqlite3_stmt *there[DB_N_THINGS]; /* -t: is it there? */
	const struct form *last_form;
	uint32_t last_lane;
	char *scratch;       /* decoded texts of the record at hand */
	size_t scratch_used;
};

/* Exits 1: what SQLite last said about the file. */
TL_NORETURN void db_die(const struct db_file *f);

/* Opens the temporary file beside path and makes the tables. Exits 1 unless
 * path is free, or a database of ours, or replace is set. */
void db_xopen(struct db_file *f, const char *path, bool replace);
void db_xrun(struct db_file *f, const char *sql);

/* Functions that the scripts use: tl_nth. */
void db_xfunctions(struct db_file *f);

/* Runs an INSERT whose parameters are bound. */
void db_xinsert(struct db_file *f, enum db_table table);

/* Indexes and views; closes, syncs, renames. more: -I. */
void db_xpublish(struct db_file *f, bool more);

/* Exits 1: "file:line: what 'subject': why". */
TL_NORETURN void db_die_at(const struct db *d, const char *what,
    struct tl_str subject, const char *why);

/* Text of the stream's form as a value, decoded; NULL for ".". A token that is a
 * canonical number is one. Valid until the next record. True where the spelling
 * is not the one that the decoded text would get again. */
bool db_text(struct db *d, struct tl_str text, struct db_value *v);
bool db_token(struct db *d, struct tl_str text, struct db_value *v);

/* The same, bound. */
bool db_bind_text(struct db *d, sqlite3_stmt *s, int at, struct tl_str text);
bool db_bind_token(struct db *d, sqlite3_stmt *s, int at, struct tl_str text);
void db_bind_raw(sqlite3_stmt *s, int at, struct tl_str text);

/* Row of a text in its table, added where it is new; *odd is set, never
 * cleared, where its spelling is odd. */
int64_t db_xname(struct db *d, struct tl_str text, bool *odd);
int64_t db_xkeys(struct db *d, struct tl_str keys);
int64_t db_xprocess(struct db *d, struct tl_str token, bool *odd);
int64_t db_xtag(struct db *d, struct tl_str token, bool *odd);
int64_t db_xlane(struct db *d, const struct tl_ev *ev, bool *odd);
int64_t db_xscope(struct db *d, struct tl_str name, bool *odd);

/* A row of tl_meta. */
void db_xmeta_text(struct db *d, const char *key, struct tl_str raw);
void db_xmeta_u64(struct db *d, const char *key, uint64_t v);

/* A line of each kind. Of an event, the row goes to d->event; false where it
 * has none. */
void db_xheader(struct db *d, struct tl_str line);
bool db_xevent(struct db *d, const struct tl_rec *rec);
void db_xfinding(struct db *d, struct tl_str line);
void db_xkeep(struct db *d, struct tl_str line); /* into tl_other */

/* Reads the stream, every line of it. */
void db_xread(struct db *d);

/* When all is read: references to what came later. */
void db_xsettle(struct db *d);

#endif
