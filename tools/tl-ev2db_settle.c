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
check_forward(struct db *d, const char *what, const char *sql)
{
	sqlite3_stmt *s = statement(d, sql);
	char id[24];
	int rc = sqlite3_step(s);

	if (rc == SQLITE_ROW) {
		d->in.in.line = d->n_header +
		    (uint64_t)sqlite3_column_int64(s, 0);
		db_die_at(d, what, (struct tl_str){ id,
		    tl_num_put_i64(id, sqlite3_column_int64(s, 1)) },
		    "there is no record of it");
	}
	sqlite3_finalize(s);
	if (rc != SQLITE_DONE)
		db_die(&d->file);
}

void
db_xsettle(struct db *d)
{
	sqlite3_stmt *occ = statement(d,
	    "UPDATE tl_occurrence SET parent = ? WHERE occurrence = ?");
	sqlite3_stmt *real = statement(d,
	    "UPDATE tl_real SET occurrence = ? WHERE line = ?");

	for (size_t i = 0; i < d->n_later; i++)
		settle_occurrence(d, &d->later[i],
		    d->later[i].table == DB_REAL ? real : occ);
	sqlite3_finalize(occ);
	sqlite3_finalize(real);
	if (!d->forward)
		return;
	check_forward(d, "launch", "SELECT line, launch FROM tl_member m "
	    "WHERE launch IS NOT NULL AND NOT EXISTS "
	    "(SELECT 1 FROM tl_launch l WHERE l.launch = m.launch) LIMIT 1");
	check_forward(d, "unit", "SELECT line, unit FROM tl_member m "
	    "WHERE unit IS NOT NULL AND NOT EXISTS "
	    "(SELECT 1 FROM tl_unit u WHERE u.unit = m.unit) LIMIT 1");
	check_forward(d, "unit", "SELECT line, unit FROM tl_launch l "
	    "WHERE unit IS NOT NULL AND NOT EXISTS "
	    "(SELECT 1 FROM tl_unit u WHERE u.unit = l.unit) "
	    "ORDER BY line LIMIT 1");
}
