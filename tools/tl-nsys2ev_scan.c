#include "tl-nsys2ev.h"

#include <stdlib.h>

/* The first pass over a table, by an aggregate function: its calls cost half
 * of what a step for each row costs. It learns whether the rows are in order
 * of time (and where they are not: the table is then read in a few runs, or
 * sorted), and which processes and devices there are, which the header says
 * before the first event. */

struct scan {
	struct nsys *n;
	struct table *t;
	int64_t last_start, last_row, last_owner, last_device;
	uint64_t ties;
	bool damaged; /* rows are not in order of their numbers */
};

uint32_t
xprocess_add(struct nsys *n, int64_t owner)
{
	struct tl_map_key key = { { OWNER_PROCESS(owner) } };
	size_t known = n->process_of.n;
	uint32_t i = tl_xmap_add(&n->process_of, key);

	if (i == known) {
		n->process = tl_xgrow(n->process, known, &n->process_cap,
		    sizeof *n->process);
		n->process[i] = (struct process){ .id = key.k[0] };
	}
	return i;
}

static void
scan_order(struct scan *s, int64_t row, int64_t start)
{
	struct table *t = s->t;

	if (t->n_runs == 0 || start < s->last_start) {
		if (t->n_runs == MAX_RUNS) {
			t->disordered = true;
			return;
		}
		if (t->n_runs > 0)
			t->run[t->n_runs - 1].to = s->last_row;
		t->run[t->n_runs++].from = row;
	}
	if (start != s->last_start || t->rows == 0)
		s->ties = 0;
	else if (++s->ties >= MAX_TIES)
		t->disordered = true;
	s->last_start = start;
}

static void
scan_owner(struct scan *s, bool known, int64_t owner)
{
	if (!known || OWNER_PROCESS(owner) == 0)
		s->n->no_owners |= s->t->spec->device;
	else if (owner != s->last_owner)
		xprocess_add(s->n, owner);
}

static void
scan_nvtx(struct table *t, int64_t row, int64_t type)
{
	if (type != NVTX_CATEGORY && type != NVTX_DOMAIN)
		return;
	if (t->n_names++ == 0)
		t->names.from = row;
	t->names.to = row;
}

/* tl_scan(_rowid_, start, owner, deviceId or eventType or NULL) */
static void
scan_step(sqlite3_context *ctx, int argc, sqlite3_value **v)
{
	struct scan *s = sqlite3_user_data(ctx);
	int64_t row = sqlite3_value_int64(v[0]), start, owner = 0, more;
	bool known;

	(void)argc;
	s->damaged |= s->t->rows > 0 && row <= s->last_row;
	if (s->damaged)
		return;
	if (tl_db_int(v[1], &start) == TL_DB_INT)
		scan_order(s, row, start);
	known = tl_db_int(v[2], &owner) == TL_DB_INT;
	owner = known ? owner : 0;
	scan_owner(s, known, owner);
	if (tl_db_int(v[3], &more) == TL_DB_INT) {
		if (!s->t->spec->device)
			scan_nvtx(s->t, row, more);
		else if (more != s->last_device || owner != s->last_owner ||
		    s->t->rows == 0)
			tl_xmap_add(&s->n->device_of, (struct tl_map_key){
			    { OWNER_PROCESS(owner), more } });
		s->last_device = more;
	} else {
		s->last_device = INT64_MIN; /* of no device */
	}
	s->last_owner = owner;
	s->last_row = row;
	s->t->rows++;
}

static void
scan_done(sqlite3_context *ctx)
{
	sqlite3_result_null(ctx);
}

static void
make_function(struct nsys *n, const char *name, int argc, void *data,
    void (*step)(sqlite3_context *, int, sqlite3_value **))
{
	if (sqlite3_create_function_v2(n->db.file.db, name, argc, SQLITE_UTF8,
	    data, NULL, step, scan_done, NULL) != SQLITE_OK)
		tl_die("%s: %s", n->db.file.path, sqlite3_errmsg(n->db.file.db));
}

static const char *
owner_column(const struct table *t)
{
	if (!t->has[F_OWNER])
		return "NULL";
	return t->spec->device ? "globalPid" : "globalTid";
}

/* "not indexed" keeps SQLite from reading an index that somebody added, in
 * its order. */
static void
scan_table(struct nsys *n, struct table *t)
{
	struct scan s = { .n = n, .t = t };
	const char *owner = owner_column(t);
	sqlite3_stmt *st;
	bool before = n->db.damaged;

	n->db.damaged = false;
	make_function(n, "tl_scan", 4, &s, scan_step);
	st = xprepare(n, "select tl_scan(_rowid_, start, %s, %s) from \"%w\" "
	    "not indexed", owner, t->spec->device ? "deviceId" :
	    t->spec - specs == T_NVTX && t->has[F_KIND] ? "eventType" : "NULL",
	    t->name);
	while (xstep(n, st, t->name))
		continue;
	sqlite3_finalize(st);
	if (s.damaged)
		xdamaged(n, t->name, "its rows are in no order");
	t->cut = n->db.damaged;
	n->db.damaged |= before;
	t->all = (struct run){ INT64_MIN, t->cut ? s.last_row : INT64_MAX };
	if (t->rows > 0 && t->n_runs == 0)
		t->n_runs = 1; /* of rows without a time */
	if (t->n_runs > 0) {
		t->run[0].from = t->all.from;
		t->run[t->n_runs - 1].to = t->all.to;
	}
	if (n->verbose)
		tl_msg("%s: table %s: %llu rows, %s", n->db.file.path, t->name,
		    (unsigned long long)t->rows, t->disordered ?
		    "sorted" : t->n_runs > 1 ? "in a few runs" : "in order");
}

static void
callers_step(sqlite3_context *ctx, int argc, sqlite3_value **v)
{
	struct nsys *n = sqlite3_user_data(ctx);
	int64_t corr, owner;
	size_t known = n->callers.n;
	uint32_t i;

	(void)argc;
	if (tl_db_int(v[0], &corr) != TL_DB_INT || corr == 0 ||
	    tl_db_int(v[1], &owner) != TL_DB_INT || owner == 0)
		return;
	owner = OWNER_PROCESS(owner);
	i = tl_xmap_add(&n->callers, (struct tl_map_key){ { corr } });
	if (i == known) {
		n->caller = tl_xgrow(n->caller, known, &n->callers_cap,
		    sizeof *n->caller);
		n->caller[i] = owner;
	} else if (n->caller[i] != owner) {
		n->caller[i] = 0;
	}
}

/* Calls an aggregate function on correlation id and process of all rows. */
static void
pairs(struct nsys *n, struct table *t, const char *function,
    const char *owner)
{
	sqlite3_stmt *st;

	if (t->name == NULL || !has_column(n, t->name, "correlationId"))
		return;
	st = xprepare(n, "select %s(correlationId, %s) from \"%w\" "
	    "not indexed", function,
	    has_column(n, t->name, owner) ? owner : "NULL", t->name);
	while (xstep(n, st, t->name))
		continue;
	sqlite3_finalize(st);
}

/* The processes with calls; answers how many there are so far. */
static size_t
find_calling(struct nsys *n, struct table *t, struct tl_map *calling)
{
	sqlite3_stmt *st;

	if (t->name == NULL || !has_column(n, t->name, "globalTid"))
		return calling->n;
	st = xprepare(n, "select distinct globalTid & ~16777215 from \"%w\" "
	    "not indexed where globalTid != 0", t->name);
	while (xstep(n, st, t->name))
		tl_xmap_add(calling, (struct tl_map_key){
		    { sqlite3_column_int64(st, 0) } });
	sqlite3_finalize(st);
	return calling->n;
}

/* Device rows without a process have that of the only process with calls, or
 * that of the call with their correlation id. */
static void
find_callers(struct nsys *n)
{
	struct tl_map calling = { .n = 0 };

	find_calling(n, &n->table[T_RUNTIME], &calling);
	if (find_calling(n, &n->table[T_DRIVER], &calling) == 1)
		n->sole_caller = calling.key[0].k[0];
	tl_map_free(&calling);
	if (n->sole_caller != 0)
		return;
	make_function(n, "tl_callers", 2, n, callers_step);
	pairs(n, &n->table[T_RUNTIME], "tl_callers", "globalTid");
	pairs(n, &n->table[T_DRIVER], "tl_callers", "globalTid");
}

int64_t
owner_of(struct nsys *n, const struct row *r)
{
	int64_t owner = row_or0(r, F_OWNER);
	uint32_t i;

	if (!r->t->spec->device)
		return owner;
	owner = OWNER_PROCESS(owner);
	if (owner != 0)
		return owner;
	if (n->sole_caller != 0)
		return n->sole_caller;
	i = tl_map_find(&n->callers, (struct tl_map_key){
	    { row_or0(r, F_CORR) } });
	return i == UINT32_MAX ? 0 : n->caller[i];
}

static void
launches_step(sqlite3_context *ctx, int argc, sqlite3_value **v)
{
	struct nsys *n = sqlite3_user_data(ctx);
	struct row r = { .t = &n->table[T_GRAPH] };
	size_t known = n->launches.n;
	uint32_t i;

	(void)argc;
	if (tl_db_int(v[0], &r.v[F_CORR]) != TL_DB_INT || r.v[F_CORR] == 0)
		return;
	r.has = 1U << F_CORR;
	if (tl_db_int(v[1], &r.v[F_OWNER]) == TL_DB_INT)
		r.has |= 1U << F_OWNER;
	i = tl_xmap_add(&n->launches, (struct tl_map_key){
	    { OWNER_PROCESS(owner_of(n, &r)), r.v[F_CORR] } });
	if (i == known) {
		n->launch_detailed = tl_xgrow(n->launch_detailed, known,
		    &n->launches_cap, sizeof *n->launch_detailed);
		n->launch_detailed[i] = false;
	}
}

static void
details_step(sqlite3_context *ctx, int argc, sqlite3_value **v)
{
	struct nsys *n = sqlite3_user_data(ctx);
	struct row r = { .t = &n->table[T_KERNEL] };
	uint32_t i;

	(void)argc;
	if (tl_db_int(v[0], &r.v[F_CORR]) != TL_DB_INT)
		return;
	r.has = 1U << F_CORR;
	if (tl_db_int(v[1], &r.v[F_OWNER]) == TL_DB_INT)
		r.has |= 1U << F_OWNER;
	i = tl_map_find(&n->launches, (struct tl_map_key){
	    { OWNER_PROCESS(owner_of(n, &r)), r.v[F_CORR] } });
	if (i != UINT32_MAX)
		n->launch_detailed[i] = true;
}

/* Launches of graphs that are recorded whole and node by node, of which only
 * the nodes may count. */
static void
find_detailed(struct nsys *n)
{
	static const enum table_id nodes[] = { T_KERNEL, T_COPY, T_FILL };

	make_function(n, "tl_launches", 2, n, launches_step);
	pairs(n, &n->table[T_GRAPH], "tl_launches", "globalPid");
	if (n->launches.n == 0)
		return;
	make_function(n, "tl_details", 2, n, details_step);
	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
		if (n->table[nodes[i]].wanted)
			pairs(n, &n->table[nodes[i]], "tl_details",
			    "globalPid");
}

void
xscan_tables(struct nsys *n)
{
	for (size_t i = 0; i < N_TABLES; i++)
		if (n->table[i].wanted)
			scan_table(n, &n->table[i]);
	if (n->no_owners)
		find_callers(n);
	if (n->table[T_GRAPH].rows > 0)
		find_detailed(n);
}
