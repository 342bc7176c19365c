#include "tl-nsys2ev.h"

#include <stdio.h>
#include <stdlib.h>

#include "num.h"

static struct tl_evout *
out(struct nsys *n)
{
	return &n->conv.out;
}

static void
count(struct nsys *n, const struct table *t, enum tl_severity severity,
    const char *code, uint64_t v, const char *what)
{
	if (v > 0)
		tl_xevout_note(out(n), severity, code, (int64_t)v,
		    "rows of %s %s", t->name, what);
}

static void
table_notes(struct nsys *n, const struct table *t)
{
	count(n, t, TL_WARN, "dropped_no_time", t->no_time,
	    "have no start or no end, and were dropped");
	count(n, t, TL_WARN, "dropped_zero_time", t->zero_time,
	    "have 0 for start and end, which means not measured, and were "
	    "dropped");
	count(n, t, TL_WARN, "dropped_negative_dur", t->end_first,
	    "end before they start, and were dropped");
	count(n, t, TL_INFO, "backtrace_rows", t->backtraces,
	    "repeat a call for its backtrace, and are no calls");
	count(n, t, TL_INFO, "not_events", t->other_kind,
	    "name things or mark the tracing itself, and are no events");
	if (t->odd > 0)
		tl_xevout_note(out(n), TL_WARN, "odd_values", (int64_t)t->odd,
		    "values in %s are no whole numbers, and were taken as "
		    "unknown", t->name);
	count(n, t, TL_WARN, "unknown_name", t->bad_name,
	    "have a name that is not in StringIds; they got a label with its "
	    "number");
	count(n, t, TL_INFO, "no_name", t->no_name, "have no name");
	count(n, t, TL_WARN, "text_cut", t->long_text,
	    "have a text longer than 48 KiB, of which the rest was cut off");
	count(n, t, TL_WARN, "no_process", t->no_owner,
	    "do not tell their process");
	count(n, t, TL_WARN, "duplicate_rows", t->duplicates,
	    "have the same times, lane and correlation as another one; they "
	    "were kept and count twice");
}

/* ---- what is not in the capture ---- */

static void
missing_notes(struct nsys *n)
{
	const struct table *kernels = &n->table[T_KERNEL];
	const struct table *graphs = &n->table[T_GRAPH];
	char list[512] = "";
	uint64_t device = 0, skipped = 0;
	size_t len = 0;

	for (size_t i = 0; i < N_TABLES; i++) {
		const struct table *t = &n->table[i];

		if (!specs[i].device || i == T_SYNC)
			continue;
		device += t->events;
		skipped += t->name != NULL && !t->wanted;
		len += (size_t)snprintf(list + len, sizeof list - len,
		    "%s%s %s", len > 0 ? ", " : "", specs[i].base,
		    t->name == NULL ? "is missing" : !t->wanted ?
		    "was not read" : t->events == 0 ? "is empty" : "has rows");
	}
	if (device == 0)
		tl_xevout_note(out(n), TL_WARN, "no_device_events", TL_NONE,
		    "the capture has no work on a device: %s", list);
	else if (kernels->events + graphs->events == 0 && skipped == 0)
		tl_xevout_note(out(n), TL_WARN, "no_kernels", TL_NONE,
		    "no kernels are recorded: table %s %s",
		    specs[T_KERNEL].base, kernels->name == NULL ?
		    "is missing" : "is empty");
	if (graphs->events > n->graphs_detailed)
		tl_xevout_note(out(n), TL_INFO, "graphs_whole",
		    (int64_t)(graphs->events - n->graphs_detailed),
		    "launches of graphs are recorded as a whole; their kernels "
		    "are not in the capture (nsys profile "
		    "--cuda-graph-trace=node records them)");
	if (n->graphs_detailed > 0)
		tl_xevout_note(out(n), TL_INFO, "graphs_detailed",
		    (int64_t)n->graphs_detailed, "launches of graphs are "
		    "recorded as a whole and node by node; the whole counts "
		    "nowhere (detail=1)");
}

/* Tables that may hold work that is missing here: those of device activity
 * and of nodes of graphs that this program does not know. Of a CUDA event
 * there is at most a point in time, and no work. */
static void
unread_notes(struct nsys *n)
{
	sqlite3_stmt *st = xprepare(n, "select m.name from sqlite_master m "
	    "where m.type = 'table' and m.name not like 'sqlite_%%' and "
	    "m.name != 'CUPTI_ACTIVITY_KIND_CUDA_EVENT' and exists (select 1 "
	    "from pragma_table_info(m.name) c where c.name = 'graphNodeId' or "
	    "(m.name like 'CUPTI_ACTIVITY_KIND_%%' and c.name = 'deviceId')) "
	    "order by m.name");

	while (xstep(n, st, "sqlite_master")) {
		char *name = tl_xstrdup(
		    (const char *)sqlite3_column_text(st, 0));
		bool known = false;
		sqlite3_stmt *rows;

		for (size_t i = 0; i < N_TABLES; i++)
			known |= n->table[i].name != NULL &&
			    strcmp(n->table[i].name, name) == 0;
		if (!known) {
			rows = xprepare(n, "select count(*) from \"%w\"", name);
			if (xstep(n, rows, name) &&
			    sqlite3_column_int64(rows, 0) > 0)
				tl_xevout_note(out(n), TL_INFO,
				    "unread_table",
				    sqlite3_column_int64(rows, 0),
				    "rows of %s, a table that is not read",
				    name);
			sqlite3_finalize(rows);
		}
		free(name);
	}
	sqlite3_finalize(st);
}

static void
schema_note(struct nsys *n)
{
	sqlite3_stmt *st;
	struct tl_str s;
	uint64_t major = 0, minor = 0;
	const char *p;

	if (!has_column(n, "META_DATA_EXPORT", "name") ||
	    !has_column(n, "META_DATA_EXPORT", "value"))
		return;
	st = xprepare(n, "select value from META_DATA_EXPORT where name = "
	    "'EXPORT_SCHEMA_VERSION'");
	if (xstep(n, st, "META_DATA_EXPORT")) {
		s = tl_db_text(st, 0);
		p = s.p;
		if (tl_num_u64(&p, s.p + s.n, &major) && p < s.p + s.n) {
			p++;
			if (!tl_num_u64(&p, s.p + s.n, &minor))
				minor = 0;
		}
		if (major > SCHEMA_MAJOR ||
		    (major == SCHEMA_MAJOR && minor > SCHEMA_MINOR))
			tl_xevout_note(out(n), TL_WARN, "newer_schema",
			    TL_NONE, "schema %.*s of the export is newer than "
			    "the newest that is known, %d.%d; tables and "
			    "columns were read by their names",
			    s.n > 40 ? 40 : (int)s.n, s.p, SCHEMA_MAJOR,
			    SCHEMA_MINOR);
	}
	sqlite3_finalize(st);
}

/* A message in one line: line breaks and what is around them are a blank. */
#define SAID 900
static int
one_line(char *buf, struct tl_str s)
{
	int n = 0;

	for (size_t i = 0; i < s.n && n < SAID; i++) {
		if (memchr(" \t\r\n", s.p[i], 4) == NULL)
			buf[n++] = s.p[i];
		else if (n > 0 && buf[n - 1] != ' ')
			buf[n++] = ' ';
	}
	while (n > 0 && buf[n - 1] == ' ')
		n--;
	return n;
}

/* What the profiler itself warned of while it recorded. */
static void
diagnostic_notes(struct nsys *n)
{
	sqlite3_stmt *st;
	const char *t = "DIAGNOSTIC_EVENT";

	if (!is_table(n, t) || !has_column(n, t, "severity") ||
	    !has_column(n, t, "text"))
		return;
	st = xprepare(n, "select severity, count(*), text from "
	    "DIAGNOSTIC_EVENT where severity in (2, 3) group by severity, text "
	    "order by severity desc, text");
	while (xstep(n, st, t)) {
		struct tl_str s = tl_db_text(st, 2);
		bool err = sqlite3_column_int(st, 0) == 3;
		char said[SAID];
		int len = one_line(said, s);

		tl_xevout_note(out(n), err ? TL_WARN : TL_INFO, err ?
		    "profiler_error" : "profiler_warning",
		    sqlite3_column_int64(st, 1), "Nsight Systems said: %.*s",
		    len, said);
	}
	sqlite3_finalize(st);
}

void
xnotes(struct nsys *n)
{
	if (n->db.damaged)
		tl_xevout_note(out(n), TL_ERROR, "truncated", TL_NONE,
		    "parts of the file could not be read, and are missing");
	missing_notes(n);
	for (size_t i = 0; i < N_TABLES; i++)
		if (n->table[i].wanted)
			table_notes(n, &n->table[i]);
	if (n->inferred > 0)
		tl_xevout_note(out(n), TL_INFO, "process_inferred",
		    (int64_t)n->inferred, "events on a device do not tell "
		    "their process; they got that of the call with their "
		    "correlation, or of the only process with calls");
	if (n->gpu_conflicts > 0)
		tl_xevout_note(out(n), TL_WARN, "gpu_conflict",
		    (int64_t)n->gpu_conflicts, "devices of processes are one "
		    "GPU by their UUID and another by their number; they have "
		    "no name here");
	if (n->strings.cut > 0)
		tl_xevout_note(out(n), TL_WARN, "text_cut",
		    (int64_t)n->strings.cut, "strings are longer than 48 KiB; "
		    "the rest was cut off");
	schema_note(n);
	unread_notes(n);
	diagnostic_notes(n);
}
