/* What keeps a statement from doing anything but reading: settings, limits,
 * an authorizer, and a clock. */
#include "tl-query.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HEAP_MAX ((sqlite3_int64)512 << 20)
#define STEPS 2000 /* of SQLite's machine between two looks at the clock */

static char refused[256];

static struct {
	struct timespec end;
	bool up;
	char msg[256]; /* for the signal */
	size_t msg_len;
} clock_;

const char *
guard_refused(void)
{
	return refused[0] == '\0' ? NULL : refused;
}

static int
refuse(const char *what, const char *subject)
{
	char q[TL_QUOTE_SIZE];

	if (refused[0] != '\0')
		return SQLITE_DENY;
	if (subject == NULL)
		snprintf(refused, sizeof refused, "%s", what);
	else
		snprintf(refused, sizeof refused, "%s '%s'", what,
		    tl_quote(q, sizeof q, subject, strlen(subject)));
	return SQLITE_DENY;
}

static bool
one_of(const char *const *list, const char *name)
{
	for (; *list != NULL; list++)
		if (sqlite3_stricmp(*list, name) == 0)
			return true;
	return false;
}

/* Pragmas that only read; with an argument, those that take one for what they
 * look at and not for what they set. */
static int
pragma(const char *name, const char *arg)
{
	static const char *const look[] = { "foreign_key_check",
	    "foreign_key_list", "index_info", "index_list", "index_xinfo",
	    "integrity_check", "quick_check", "table_info", "table_list",
	    "table_xinfo", NULL };
	static const char *const tell[] = { "application_id",
	    "collation_list", "compile_options", "data_version",
	    "database_list", "encoding", "freelist_count", "function_list",
	    "module_list", "page_count", "page_size", "pragma_list",
	    "schema_version", "user_version", NULL };

	if (one_of(look, name) || (arg == NULL && one_of(tell, name)))
		return SQLITE_OK;
	return refuse(one_of(tell, name) ? "it would set pragma" : "pragma",
	    name);
}

static int
function(const char *name)
{
	static const char *const out[] = { "load_extension", "readfile",
	    "writefile", "edit", "fts3_tokenizer", NULL };

	return one_of(out, name) ? refuse("function", name) : SQLITE_OK;
}

static bool
is_schema(const char *table)
{
	return strcmp(table, "sqlite_master") == 0 ||
	    strcmp(table, "sqlite_temp_master") == 0;
}

static int
authorize(void *ctx, int action, const char *a, const char *b,
    const char *db, const char *inner)
{
	(void)ctx;
	(void)db;
	(void)inner;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return function(b);
	case SQLITE_PRAGMA:
		return pragma(a, b);
	case SQLITE_ATTACH:
		return refuse("it would attach", a);
	case SQLITE_DETACH:
		return refuse("it would detach", a);
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT:
		return refuse("it is a transaction", NULL);
	case SQLITE_UPDATE:
		/* asked for a virtual table that is only looked at, too; a
		 * statement that says so is refused by SQLite itself */
		if (is_schema(a))
			return SQLITE_OK;
		return refuse("it would write to", a);
	case SQLITE_INSERT:
	case SQLITE_DELETE:
		if (is_schema(a))
			return refuse("it would change the schema", NULL);
		return refuse("it would write to", a);
	default:
		return refuse("it would change the database", NULL);
	}
}

void
guard_xset(sqlite3 *db)
{
	int rc;

	/* Views are what the database is for. They may call what a statement
	 * may: the authorizer is asked for both, and SQLite itself takes some
	 * functions, those of JSON, for unsafe in views. */
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	/* a misspelt "name" is an error, not a text */
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, (int)SQL_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_hard_heap_limit64(HEAP_MAX);
	rc = sqlite3_exec(db, "pragma query_only=1; pragma temp_store=file; "
	    "pragma cache_size=-32768", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_set_authorizer(db, authorize, NULL);
	if (rc != SQLITE_OK)
		tl_die("SQLite: %s", sqlite3_errmsg(db));
}

static int
look_at_clock(void *ctx)
{
	struct timespec now;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_.up = now.tv_sec > clock_.end.tv_sec ||
	    (now.tv_sec == clock_.end.tv_sec &&
	    now.tv_nsec >= clock_.end.tv_nsec);
	return clock_.up;
}

/* One step of SQLite's machine can last for ever, so a second later this ends
 * the program; what lies in temporary files has no name. */
static void
too_late(int sig)
{
	(void)sig;
	if (write(STDERR_FILENO, clock_.msg, clock_.msg_len) < 0)
		_exit(1);
	_exit(1);
}

void
guard_xtime(sqlite3 *db, unsigned seconds, const char *place)
{
	struct sigaction act = { .sa_handler = too_late };
	int n = snprintf(clock_.msg, sizeof clock_.msg,
	    "%s: %.60s: time is up: stopped, see -T\n", tl_prog, place);

	clock_.msg_len = (size_t)n;
	clock_gettime(CLOCK_MONOTONIC, &clock_.end);
	clock_.end.tv_sec += (time_t)seconds;
	sqlite3_progress_handler(db, STEPS, look_at_clock, NULL);
	sigemptyset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	alarm(seconds + 1);
}

bool
guard_time_up(void)
{
	return clock_.up;
}

void
guard_relax(void)
{
	alarm(0);
}
