/* Reading the stream. Events go into their table by one statement, INSERT with
 * a SELECT from a virtual table whose rows they are: a statement that is run
 * for each costs half as much again. Whatever comes between them is put into
 * its table by statements of its own. */
#include "tl-ev2db.h"

#include <stdlib.h>

#include "mem.h"

/* What SQLite wants of a virtual table. There is one row at hand, d->event. */
struct feed {
	sqlite3_vtab base;
	struct db *d;
};

struct feed_cursor {
	sqlite3_vtab_cursor base;
	struct db *d;
	bool more;
	sqlite3_int64 row;
};

/* Goes on to the next event that has a row; false at the end. */
static bool
next_event(struct db *d)
{
	struct tl_rec rec;
	struct tl_err err;
	enum tl_status st;

	while ((st = tl_evin_next(&d->in, &rec, &err)) == TL_OK) {
		d->scratch_used = 0;
		if (rec.kind == TL_HEADER) {
			db_xheader(d, rec.line);
			continue;
		}
		d->line++;
		if (!tl_kind_is_event(rec.kind))
			db_xfinding(d, rec.line);
		else if (db_xevent(d, &rec))
			return true;
	}
	if (st == TL_ERR)
		tl_die("%s", err.msg);
	return false;
}

static int
feed_connect(sqlite3 *db, void *d, int argc, const char *const *argv,
    sqlite3_vtab **out, char **message)
{
	struct feed *f;

	(void)argc;
	(void)argv;
	(void)message;
	f = tl_xcalloc(1, sizeof *f);
	f->d = d;
	*out = &f->base;
	return sqlite3_declare_vtab(db,
	    "CREATE TABLE x (a, b, c, d, e, f, g, h, i, j, k, l)");
}

static int
feed_disconnect(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

static int
feed_plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedRows = 1000000;
	return SQLITE_OK;
}

static int
feed_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct feed_cursor *c = tl_xcalloc(1, sizeof *c);

	c->d = ((struct feed *)t)->d;
	*out = &c->base;
	return SQLITE_OK;
}

static int
feed_close(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int
feed_next(sqlite3_vtab_cursor *cursor)
{
	struct feed_cursor *c = (struct feed_cursor *)cursor;

	c->more = next_event(c->d);
	c->row++;
	return SQLITE_OK;
}

static int
feed_start(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
    sqlite3_value **argv)
{
	(void)plan;
	(void)name;
	(void)argc;
	(void)argv;
	return feed_next(cursor);
}

static int
feed_at_end(sqlite3_vtab_cursor *cursor)
{
	return !((const struct feed_cursor *)cursor)->more;
}

static int
feed_row(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
	*row = ((const struct feed_cursor *)cursor)->row;
	return SQLITE_OK;
}

static int
feed_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int at)
{
	const struct db_value *v =
	    &((const struct feed_cursor *)cursor)->d->event[at];

	if (v->type == DB_INT)
		sqlite3_result_int64(out, v->i);
	else if (v->type == DB_TEXT)
		sqlite3_result_text64(out, v->s.p, v->s.n, SQLITE_STATIC,
		    SQLITE_UTF8);
	else if (v->type == DB_BLOB)
		sqlite3_result_blob64(out, v->s.p, v->s.n, SQLITE_STATIC);
	return SQLITE_OK;
}

void
db_xread(struct db *d)
{
	static const sqlite3_module feed = {
		.xConnect = feed_connect, .xDisconnect = feed_disconnect,
		.xBestIndex = feed_plan, .xOpen = feed_open,
		.xClose = feed_close, .xFilter = feed_start,
		.xNext = feed_next, .xEof = feed_at_end,
		.xColumn = feed_column, .xRowid = feed_row,
	};

	if (sqlite3_create_module(d->file.db, "feed", &feed, d) != SQLITE_OK)
		db_die(&d->file);
	/* ids ascend, so that nothing can fail that would have to be undone */
	db_xrun(&d->file, "INSERT OR FAIL INTO tl_event SELECT * FROM feed");
}
