/* The database file: made beside its final name, published by renaming. */
#include "tl-ev2db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis_db.h"
#include "mem.h"
#include "tmp.h"

/* Table and number of its columns. */
static const struct {
	const char *name;
	int n_columns;
} tables[DB_N_TABLES] = {
	[DB_META] = { "tl_meta", 2 },
	[DB_HEADER] = { "tl_header", 2 },
	[DB_PROCESS] = { "tl_process", 4 },
	[DB_DEVICE] = { "tl_device", 5 },
	[DB_SCOPE] = { "tl_scope", 4 },
	[DB_LANE] = { "tl_lane", 6 },
	[DB_TAG] = { "tl_tag", 3 },
	[DB_NAME] = { "tl_name", 2 },
	[DB_KEYS] = { "tl_keys", 11 },
	[DB_EVENT] = { "tl_event", DB_EVENT_COLUMNS },
	[DB_UNIT] = { "tl_unit", 6 },
	[DB_LAUNCH] = { "tl_launch", 17 },
	[DB_MEMBER] = { "tl_member", 6 },
	[DB_POSITION] = { "tl_position", 24 },
	[DB_OCCURRENCE] = { "tl_occurrence", 19 },
	[DB_REAL] = { "tl_real", 5 },
	[DB_VARIANT] = { "tl_variant", 12 },
	[DB_DEVIATION] = { "tl_deviation", 7 },
	[DB_CONTEXT] = { "tl_context", 10 },
	[DB_JSON] = { "tl_json", 5 },
	[DB_STEP] = { "tl_step", 16 },
	[DB_REQUEST] = { "tl_request", 6 },
	[DB_EXEC] = { "tl_exec", 19 },
	[DB_WORK] = { "tl_work", 8 },
	[DB_LINK] = { "tl_link", 8 },
	[DB_NOTE] = { "tl_note", 5 },
	[DB_OTHER] = { "tl_other", 3 },
};

#define HEADER 100
#define APPLICATION_AT 68

void
db_die(const struct db_file *f)
{
	int last = errno, rc = sqlite3_errcode(f->db);
	int sys = sqlite3_system_errno(f->db);
	const char *why = sqlite3_errmsg(f->db);

	/* SQLite does not always keep the system's reason */
	if (rc == SQLITE_IOERR && sys == 0)
		sys = last;
	if (rc == SQLITE_FULL)
		why = strerror(ENOSPC);
	else if ((rc == SQLITE_IOERR || rc == SQLITE_CANTOPEN) && sys != 0)
		why = strerror(sys);
	tl_die("%s: write: %s", f->path, why);
}

void
db_xrun(struct db_file *f, const char *sql)
{
	if (sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		db_die(f);
}

/* Application id of an SQLite file, 0 where it is none. */
static uint32_t
application_of(int fd)
{
	unsigned char h[HEADER];
	const unsigned char *p = h + APPLICATION_AT;

	if (pread(fd, h, sizeof h, 0) != (ssize_t)sizeof h ||
	    memcmp(h, "SQLite format 3", 16) != 0)
		return 0;
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

/* A file that is not ours is not replaced; an empty one holds nothing. */
static void
check_old(const char *path, bool replace)
{
	struct stat st;
	int fd;
	bool ours = false;

	if (stat(path, &st) != 0)
		return;
	if (S_ISDIR(st.st_mode))
		tl_die("%s: output: is a directory", path);
	if (!S_ISREG(st.st_mode))
		tl_die("%s: output: not a plain file: a database cannot be "
		    "written to a pipe or a device", path);
	if (replace || st.st_size == 0)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ours = application_of(fd) == TL_DB_APPLICATION;
		close(fd);
	} else {
		tl_die("%s: open: %s", path, strerror(errno));
	}
	if (!ours)
		tl_die("%s: output: is there and no analysis database: -f "
		    "replaces it", path);
}

/* What SQLite finds beside a database it applies to it, whatever file that is:
 * the changes of another would end up in ours. A journal that begins with a zero
 * byte is a finished one, an empty file holds nothing. */
static void
check_beside(const char *path, const char *tmp)
{
	static const char *const suffixes[] = { "-wal", "-journal" };
	char *target = tl_tmp_target(tmp);
	size_t n = strlen(target);
	char *name = tl_xreallocarray(target, n + sizeof "-journal", 1);

	for (size_t i = 0; i < 2; i++) {
		unsigned char first = 0;
		int fd;
		bool any;

		memcpy(name + n, suffixes[i], strlen(suffixes[i]) + 1);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		any = pread(fd, &first, 1, 0) == 1;
		close(fd);
		if (any && first != 0)
			tl_die("%s: output: '%s%s' is there: another program "
			    "has this database open, or died", path, path,
			    suffixes[i]);
	}
	free(name);
}

static void
prepare(struct db_file *f, enum db_table t)
{
	char sql[200];
	int n = snprintf(sql, sizeof sql, "INSERT%s INTO %s VALUES (?",
	    t == DB_META ? " OR IGNORE" : "", tables[t].name);

	for (int i = 1; i < tables[t].n_columns; i++)
		n += snprintf(sql + n, sizeof sql - (size_t)n, ",?");
	snprintf(sql + n, sizeof sql - (size_t)n, ")");
	if (sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
	    &f->insert[t], NULL) != SQLITE_OK)
		db_die(f);
}

void
db_xopen(struct db_file *f, const char *path, bool replace)
{
	struct tl_err err;
	char sql[80];

	*f = (struct db_file){ .path = path };
	check_old(path, replace);
	f->fd = tl_tmp_create(path, &f->tmp, &err);
	if (f->fd < 0)
		tl_die("%s", err.msg);
	check_beside(path, f->tmp);
	/* one thread, and no counting of memory: a twentieth of the time */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* nobody else knows the file: no journal, no locks, one sync at the
	 * end */
	if (sqlite3_open_v2(f->tmp, &f->db, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_NOMUTEX, "unix-none") != SQLITE_OK)
		db_die(f);
	db_xrun(f, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF;"
	    "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
	    "PRAGMA cache_size=-16384; PRAGMA foreign_keys=OFF");
	snprintf(sql, sizeof sql, "PRAGMA application_id=%d; BEGIN",
	    TL_DB_UNFINISHED);
	db_xrun(f, sql);
	db_xrun(f, db_sql[0]);
	for (int t = 0; t < DB_N_TABLES; t++)
		prepare(f, (enum db_table)t);
}

void
db_xinsert(struct db_file *f, enum db_table table)
{
	sqlite3_step(f->insert[table]);
	if (sqlite3_reset(f->insert[table]) != SQLITE_OK)
		db_die(f);
}

void
db_xpublish(struct db_file *f, bool more)
{
	struct tl_err err;
	char sql[120];

	for (int t = 0; t < DB_N_TABLES; t++)
		sqlite3_finalize(f->insert[t]);
	db_xfunctions(f);
	for (size_t i = 1; i < db_n_sql; i++)
		db_xrun(f, db_sql[i]);
	if (more)
		db_xrun(f, db_sql_more);
	db_xrun(f, "PRAGMA analysis_limit=1000; ANALYZE");
	db_xrun(f, "COMMIT");
	/* the last write makes it a finished one */
	snprintf(sql, sizeof sql, "PRAGMA user_version=%d;"
	    "PRAGMA application_id=%d", TL_DB_VERSION, TL_DB_APPLICATION);
	db_xrun(f, sql);
	if (sqlite3_close(f->db) != SQLITE_OK)
		db_die(f);
	if (tl_tmp_publish(f->fd, f->tmp, f->path, &err) != TL_OK)
		tl_die("%s", err.msg);
	if (close(f->fd) != 0)
		tl_die("%s: write: %s", f->path, strerror(errno));
}
