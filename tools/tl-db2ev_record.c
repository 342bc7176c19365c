/* The records of all tables, merged by their lines. */
#include "tl-db2ev.h"

#include "num.h"

/* Columns: v a value, N a position's number, o an occurrence (number and n), h
 * hundredths, f full or partial, ? a value that is left out where there is none,
 * r a line as it is; e an event, which has a function of its own. */
#define OCC(p, o) p ".number, " o ".n"
static const struct back_source sources[] = {
	{ "SELECT event + shift, event, kind, class, start_ns, dur_ns, lane, "
	    "correlation, name, tag, place, keys FROM tl_event ORDER BY event",
	    NULL, "e", NULL, 0 },
	{ "SELECT line, unit, symbol, streams, members, launches FROM tl_unit "
	    "ORDER BY line", "unit", "vvvvv", NULL, 0 },
	{ "SELECT line, launch, call, p.token, device, context, start_ns, "
	    "dur_ns, unit, status, members, missing, opaque, reason, "
	    "first_event, last_event, gap_ns FROM tl_launch LEFT JOIN "
	    "tl_process p USING (process) ORDER BY line", "launch",
	    "vvvvvvvvvvvvvvvv", NULL, 0 },
	{ "SELECT line, launch, unit, stream, idx, event FROM tl_member "
	    "ORDER BY line", "member", "vvvvv", NULL, 0 },
	{ "SELECT p.position, s.name, p.number, q.number, p.ordinal, p.depth, "
	    "p.kind, p.iterations, p.body_events, p.occurrences, "
	    "p.first_event, p.start_ns, p.span_ns, p.busy_ns, p.compute_ns, "
	    "p.comm_ns, p.comm_exposed_ns, p.copy_ns, p.copy_exposed_ns, "
	    "p.idle_ns, p.iter_min_ns, p.iter_median_ns, p.iter_max_ns, "
	    "n.text FROM tl_position p LEFT JOIN tl_scope s USING (scope) "
	    "LEFT JOIN tl_position q ON q.position = p.parent "
	    "LEFT JOIN tl_name n ON n.name = p.label ORDER BY p.position",
	    "pos", "vNNvvvhvvvvvvvvvvvvvvvv", NULL, 0 },
	{ "SELECT o.occurrence, s.name, p.number, o.n, q.number, u.n, "
	    "o.iteration, o.complete, o.first_event, o.start_ns, o.span_ns, "
	    "o.period_ns, o.busy_ns, o.compute_ns, o.comm_ns, "
	    "o.comm_exposed_ns, o.copy_ns, o.copy_exposed_ns, o.idle_ns, "
	    "o.sum_ns, o.variant FROM tl_occurrence o "
	    "LEFT JOIN tl_position p USING (position) "
	    "LEFT JOIN tl_scope s USING (scope) "
	    "LEFT JOIN tl_occurrence u ON u.occurrence = o.parent "
	    "LEFT JOIN tl_position q ON q.position = u.position "
	    "ORDER BY o.occurrence", "occ", "vNvovfvvvvvvvvvvvv?", NULL, 0 },
	{ "SELECT r.line, r.event, s.name, p.number, q.number, u.n, "
	    "r.iteration FROM tl_real r "
	    "LEFT JOIN tl_position p ON p.position = r.position "
	    "LEFT JOIN tl_scope s USING (scope) "
	    "LEFT JOIN tl_occurrence u ON u.occurrence = r.occurrence "
	    "LEFT JOIN tl_position q ON q.position = u.position "
	    "ORDER BY r.line", "real", "vvNov", NULL, 0 },
	{ "SELECT v.line, s.name, p.number, v.number, v.count, q.number, o.n, "
	    "v.extra, v.missing, v.replaced, v.period_ns, v.span_ns, "
	    "v.busy_ns, v.idle_ns FROM tl_variant v "
	    "LEFT JOIN tl_position p ON p.position = v.position "
	    "LEFT JOIN tl_scope s USING (scope) "
	    "LEFT JOIN tl_occurrence o ON o.occurrence = v.first "
	    "LEFT JOIN tl_position q ON q.position = o.position "
	    "ORDER BY v.line", "variant", "vNvvovvvvvvv", NULL, 0 },
	{ "SELECT d.line, s.name, q.number, o.n, d.iteration, d.kind, "
	    "p.number, d.event FROM tl_deviation d "
	    "LEFT JOIN tl_scope s ON s.scope = d.scope "
	    "LEFT JOIN tl_position p ON p.position = d.position "
	    "LEFT JOIN tl_occurrence o ON o.occurrence = d.occurrence "
	    "LEFT JOIN tl_position q ON q.position = o.position "
	    "ORDER BY d.line", "dev", "vovvNv", NULL, 0 },
	{ "SELECT line, context, state, run, producer, written, dropped, "
	    "size, sha256, path FROM tl_context ORDER BY line", "context",
	    "vvvvvvvvv", NULL, 0 },
	{ "SELECT line, context, file_line, part, text FROM tl_json "
	    "ORDER BY line", "json", "vvvv", NULL, 0 },
	{ "SELECT line, step, context, file_line, run, step_id, producer, "
	    "ordinal, tokens, requests, free_blocks, pool_blocks, execs, "
	    "markers, events, cache FROM tl_step ORDER BY line", "step",
	    "vvvvvvvvvvvvvvv", NULL, 0 },
	{ "SELECT line, step, n, request, tokens, json FROM tl_request "
	    "ORDER BY line", "request", "vvvvv", NULL, 0 },
	{ "SELECT line, exec, context, file_line, run, execution, step, "
	    "step_id, phase, status, marker_state, rank, pid, marker, state, "
	    "ranges, range, calls, events FROM tl_exec ORDER BY line", "exec",
	    "vvvvvvvvvvvvvvvvvv", NULL, 0 },
	{ "SELECT line, step, p.token, device, events, first_event, start_ns, "
	    "span_ns FROM tl_work LEFT JOIN tl_process p USING (process) "
	    "ORDER BY line", "work", "vvvvvvv", NULL, 0 },
	{ "SELECT line, event, step, exec, state, basis, call, launch "
	    "FROM tl_link ORDER BY line", "link", "vvvvvvv", NULL, 0 },
	{ "SELECT line, severity, code, count, text FROM tl_note "
	    "ORDER BY line", "note", "vvvv", NULL, 0 },
	{ "SELECT line, text FROM tl_other ORDER BY line", NULL, "r", NULL,
	    0 },
};
#define N_SOURCES (sizeof sources / sizeof *sources)
#define OTHER (N_SOURCES - 1)

void
back_xvalue(struct back *b, sqlite3_stmt *s, int at)
{
	switch (sqlite3_column_type(s, at)) {
	case SQLITE_NULL:
		tl_xevout_none(&b->out);
		break;
	case SQLITE_INTEGER:
		tl_xevout_i64(&b->out, sqlite3_column_int64(s, at));
		break;
	case SQLITE_FLOAT:
		back_die(b, "damaged analysis database: a number with a "
		    "fraction");
	default:
		tl_xevout_text(&b->out, back_bytes(s, at));
		break;
	}
}

/* N003, of an occurrence N003#7; the number of columns it is made from. */
static int
put_position(struct back *b, sqlite3_stmt *s, int at, bool occurrence)
{
	int n = occurrence ? 2 : 1;

	if (sqlite3_column_type(s, at) == SQLITE_NULL) {
		tl_xevout_none(&b->out);
		return n;
	}
	tl_xout_printf(&b->out.out, "\tN%03lld",
	    (long long)back_xcount(b, s, at));
	if (occurrence)
		tl_xout_printf(&b->out.out, "#%lld",
		    (long long)back_xcount(b, s, at + 1));
	return n;
}

static void
put_hundredths(struct back *b, sqlite3_stmt *s, int at)
{
	long long v;

	if (sqlite3_column_type(s, at) == SQLITE_NULL) {
		tl_xevout_none(&b->out);
		return;
	}
	v = (long long)back_xcount(b, s, at);
	tl_xout_printf(&b->out.out, "\t%lld.%02lld", v / 100, v % 100);
}

static void
put_completeness(struct back *b, sqlite3_stmt *s, int at)
{
	if (sqlite3_column_type(s, at) == SQLITE_NULL)
		tl_xevout_none(&b->out);
	else
		tl_xevout_raw(&b->out, back_xcount(b, s, at) != 0 ?
		    TL_LIT("full") : TL_LIT("partial"));
}

static void
put_record(struct back *b, const struct back_source *src)
{
	int at = 1;

	tl_xout_puts(&b->out.out, src->kind);
	b->out.n_records++;
	for (const char *c = src->columns; *c != '\0'; c++) {
		switch (*c) {
		case 'N':
		case 'o':
			at += put_position(b, src->s, at, *c == 'o');
			break;
		case 'h':
			put_hundredths(b, src->s, at++);
			break;
		case 'f':
			put_completeness(b, src->s, at++);
			break;
		case '?':
			if (sqlite3_column_type(src->s, at) != SQLITE_NULL)
				back_xvalue(b, src->s, at);
			at++;
			break;
		default:
			back_xvalue(b, src->s, at++);
			break;
		}
	}
	tl_xevout_eol(&b->out);
}

/* A line that is kept as it came, without its LF. */
static struct tl_str
whole_line(const struct back *b, sqlite3_stmt *s, int at)
{
	struct tl_str line = back_bytes(s, at);

	if (line.n == 0 || memchr(line.p, '\n', line.n) != NULL ||
	    memchr(line.p, '\0', line.n) != NULL)
		back_die(b, "damaged analysis database: a line that is none");
	return line;
}

static void
advance(const struct back *b, struct back_source *src)
{
	int64_t last = src->line;

	if (!back_xstep(b, src->s)) {
		src->line = INT64_MAX;
		return;
	}
	src->line = back_xcount(b, src->s, 0);
	if (src->line <= last)
		back_die(b, "damaged analysis database: record %lld is not "
		    "in order", (long long)src->line);
}

static void
put(struct back *b, const struct back_source *src)
{
	switch (*src->columns) {
	case 'e':
		back_xevent(b, src->s);
		break;
	case 'r':
		tl_xevout_line(&b->out, whole_line(b, src->s, 1));
		break;
	default:
		put_record(b, src);
		break;
	}
}

/* Source of the next line; of a line that is kept as it came, that one. */
static struct back_source *
next_source(struct back_source *src)
{
	struct back_source *least = &src[OTHER];

	for (size_t i = 0; i < OTHER; i++)
		if (src[i].line < least->line)
			least = &src[i];
	return least;
}

static int64_t
records_of(const struct back *b)
{
	sqlite3_stmt *s = back_xprepare(b,
	    "SELECT value FROM tl_meta WHERE key = 'records'");
	int64_t n;

	if (!back_xstep(b, s))
		back_die(b, "damaged analysis database: tl_meta has no "
		    "'records'");
	n = back_xcount(b, s, 0);
	sqlite3_finalize(s);
	return n;
}

void
back_xrecords(struct back *b)
{
	struct back_source src[N_SOURCES];
	int64_t n = records_of(b);

	memcpy(src, sources, sizeof src);
	back_xevent_start(b);
	for (size_t i = 0; i < N_SOURCES; i++) {
		src[i].s = back_xprepare(b, src[i].sql);
		advance(b, &src[i]);
	}
	for (int64_t line = 1; line <= n; line++) {
		struct back_source *next = next_source(src);

		if (next->line != line)
			back_die(b, "damaged analysis database: record %lld "
			    "of %lld is %s", (long long)line, (long long)n,
			    next->line < line ? "there twice" : "missing");
		put(b, next);
		/* a kept line stands for what is in its table, too */
		for (size_t i = 0; i < OTHER; i++)
			if (next == &src[OTHER] && src[i].line == line)
				advance(b, &src[i]);
		advance(b, next);
	}
	for (size_t i = 0; i < N_SOURCES; i++) {
		if (src[i].line != INT64_MAX)
			back_die(b, "damaged analysis database: more than %lld "
			    "records", (long long)n);
		sqlite3_finalize(src[i].s);
	}
	back_event_free(b);
}

void
back_xheader(struct back *b, int argc, char *const *argv)
{
	sqlite3_stmt *s = back_xprepare(b,
	    "SELECT text FROM tl_header ORDER BY n");
	bool any = false;

	for (; back_xstep(b, s); any = true) {
		struct tl_str line = whole_line(b, s, 0);

		if (any ? line.p[0] != '#' :
		    strncmp(line.p, "#tl-ev\t", line.n < 7 ? line.n : 7) != 0)
			back_die(b, "damaged analysis database: a header line "
			    "that is none");
		tl_xevout_line(&b->out, line);
	}
	sqlite3_finalize(s);
	if (!any)
		back_die(b, "damaged analysis database: no header");
	if (argv != NULL)
		tl_xevout_prog(&b->out, argc, argv);
}
