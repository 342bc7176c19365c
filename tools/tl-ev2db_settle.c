/* References to records that came later. */
#include "tl-ev2db.h"

#include <stdio.h>

#include "num.h"

static sqlite3_stmt *
statement(struct db *d, const char *sql)
{
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(d->file.db, sql, -1, &s, NULL) != SQLITE_OK)
		db_die(&d->file);
	return s;
}

static void
settle_occurrence(struct db *d, const struct db_later *l, sqlite3_stmt *s)
{
	const struct db_pos *p = &d->scope[l->scope].pos[l->pos - 1];
	char name[48];

	if (l->n <= p->n_occ) {
		sqlite3_bind_int64(s, 1, p->occ[l->n - 1]);
		sqlite3_bind_int64(s, 2, l->row);
		sqlite3_step(s);
		if (sqlite3_reset(s) != SQLITE_OK)
			db_die(&d->file);
		return;
	}
	if (d->tolerate)
		return;
	d->in.in.line = l->line;
	snprintf(name, sizeof name, "N%03u#%u", l->pos, l->n);
	db_die_at(d, "parent", (struct tl_str){ name, strlen(name) },
	    "there is no such occurrence");
}

/* The first record that refers to what never came. */
static void
check_forward(struct db *d, const char *table, const char *column)
{
	char sql[240], id[24];
	sqlite3_stmt *s;
	int rc;

	snprintf(sql, sizeof sql, "SELECT line, %s FROM tl_%s a WHERE %s IS NOT "
	    "NULL AND NOT EXISTS (SELECT 1 FROM tl_%s b WHERE b.%s = a.%s) "
	    "ORDER BY line LIMIT 1", column, table, column, column, column,
	    column);
	s = statement(d, sql);
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW) {
		d->in.in.line = d->n_header +
		    (uint64_t)sqlite3_column_int64(s, 0);
		db_die_at(d, column, (struct tl_str){ id,
		    tl_num_put_i64(id, sqlite3_column_int64(s, 1)) },
		    "there is no record of it");
	}
	sqlite3_finalize(s);
	if (rc != SQLITE_DONE)
		db_die(&d->file);
}

static void
settle_occurrences(struct db *d)
{
	sqlite3_stmt *s[DB_N_TABLES] = { NULL };

	s[DB_OCCURRENCE] = statement(d,
	    "UPDATE tl_occurrence SET parent = ? WHERE occurrence = ?");
	s[DB_REAL] = statement(d,
	    "UPDATE tl_real SET occurrence = ? WHERE line = ?");
	s[DB_VARIANT] = statement(d,
	    "UPDATE tl_variant SET first = ? WHERE line = ?");
	s[DB_DEVIATION] = statement(d,
	    "UPDATE tl_deviation SET occurrence = ? WHERE line = ?");
	for (size_t i = 0; i < d->n_later; i++)
		settle_occurrence(d, &d->later[i], s[d->later[i].table]);
	for (int t = 0; t < DB_N_TABLES; t++)
		sqlite3_finalize(s[t]);
}

void
db_xsettle(struct db *d)
{
	static const struct {
		enum db_thing thing;
		const char *table, *column;
	} refs[] = {
		{ DB_LAUNCHES, "member", "launch" },
		{ DB_UNITS, "member", "unit" },
		{ DB_UNITS, "launch", "unit" },
		{ DB_CONTEXTS, "json", "context" },
		{ DB_CONTEXTS, "step", "context" },
		{ DB_CONTEXTS, "exec", "context" },
		{ DB_STEPS, "request", "step" },
		{ DB_STEPS, "exec", "step" },
		{ DB_STEPS, "work", "step" },
		{ DB_STEPS, "link", "step" },
		{ DB_EXECS, "link", "exec" },
		{ DB_LAUNCHES, "link", "launch" },
	};

	if (d->n_later > 0)
		settle_occurrences(d);
	for (size_t i = 0; i < sizeof refs / sizeof *refs; i++)
		if (d->refers[refs[i].thing])
			check_forward(d, refs[i].table, refs[i].column);
	for (int t = 0; t < DB_N_THINGS; t++)
		sqlite3_finalize(d->there[t]);
}
