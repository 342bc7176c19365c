#include <stdlib.h>

#include "esc.h"
#include "num.h"
#include "tl-context.h"

TL_NORETURN static void
die_record(const struct tl_filter *f, const struct tl_rec *rec,
    const char *why)
{
	char quoted[TL_QUOTE_SIZE];

	tl_die("%s:%llu: record '%s': %s", f->in.in.name,
	    (unsigned long long)f->in.in.line,
	    tl_quote(quoted, sizeof quoted, rec->line.p, rec->line.n), why);
}

static uint32_t
small_id(uint64_t id)
{
	if (id >= CTX_NONE)
		tl_die("event id '%llu': more events than tl-context takes",
		    (unsigned long long)id);
	return (uint32_t)id;
}

/* A correlation as a number: texts that are none have their number in the
 * table, past all others. */
static bool
corr_of(struct ctx *c, struct tl_str token, uint64_t *corr)
{
	const uint64_t text = (uint64_t)1 << 63;

	if (tl_str_none(token))
		return false;
	if (!tl_num_str_u64(token, corr) || *corr >= text)
		*corr = text | tl_xintern(&c->text, token);
	return true;
}

static int64_t
end_of(const struct tl_ev *ev)
{
	return ev->start_ns + (ev->dur_ns == TL_NONE ? 0 : ev->dur_ns);
}

/* Process and thread. */
static uint32_t
lane_of(struct ctx *c, const struct tl_ev *ev)
{
	/* columns 5 to 8 stand side by side */
	return tl_xintern(&c->lanes, (struct tl_str){ ev->process.p,
	    (size_t)(ev->lane.p + ev->lane.n - ev->process.p) });
}

static void
add_call(struct ctx *c, const struct tl_ev *ev)
{
	struct ctx_call *call;

	c->call = tl_xgrow(c->call, c->n_calls, &c->calls_cap,
	    sizeof *c->call);
	call = &c->call[c->n_calls++];
	*call = (struct ctx_call){
		.start_ns = ev->start_ns, .end_ns = end_of(ev),
		.id = small_id(ev->id),
		.process = tl_xintern(&c->text, ev->process),
		.lane = lane_of(c, ev), .open = ev->dur_ns == TL_NONE,
	};
	call->has_corr = corr_of(c, ev->correlation, &call->corr);
}

static void
add_device_event(struct ctx *c, const struct tl_ev *ev)
{
	struct ctx_event *e;

	if (tl_key(ev->keys, "detail").p != NULL)
		return;
	c->event = tl_xgrow(c->event, c->n_events, &c->events_cap,
	    sizeof *c->event);
	e = &c->event[c->n_events++];
	*e = (struct ctx_event){
		.start_ns = ev->start_ns, .end_ns = end_of(ev),
		.id = small_id(ev->id),
		.process = tl_xintern(&c->text, ev->process),
		.device = tl_xintern(&c->text, ev->device),
		.launch = CTX_NONE, .call = CTX_NONE,
		.step = CTX_NONE, .exec = CTX_NONE,
	};
	e->has_corr = corr_of(c, ev->correlation, &e->corr);
}

/* A host event that may be the marker of an execution. */
static void
add_marker(struct ctx *c, const struct tl_ev *ev)
{
	const size_t n = sizeof CTX_MARKER - 1;
	char raw[4 * CTX_ID_MAX];
	struct ctx_exec *e;
	struct tl_str id;
	uint32_t name;

	if (ev->name.n <= n || ev->name.n - n > sizeof raw ||
	    memcmp(ev->name.p, CTX_MARKER, n) != 0)
		return;
	id = (struct tl_str){ raw,
		tl_unesc(raw, ev->name.p + n, ev->name.n - n) };
	name = tl_intern_find(&c->execs.text, id);
	if (name == UINT32_MAX)
		return;
	e = &c->exec[c->exec_at[name]];
	if (e->n_ranges++ > 0)
		return;
	e->range = ev->id;
	e->start_ns = ev->start_ns;
	e->end_ns = end_of(ev);
	e->open = ev->dur_ns == TL_NONE;
	e->lane = lane_of(c, ev);
}

/* A task that is handed to another thread has an id there and here; an event
 * may have several, with commas between. */
static void
add_task(struct ctx *c, const struct tl_ev *ev)
{
	bool enqueue = ev->name.n > 8 && memcmp(ev->name.p, "Enqueue@", 8) == 0;
	bool dequeue = ev->name.n > 8 && memcmp(ev->name.p, "Dequeue@", 8) == 0;
	struct tl_str ids, id;
	const char *end;

	if (!enqueue && !dequeue)
		return;
	ids = tl_key(ev->keys, "connections");
	if (ids.p == NULL || ev->dur_ns == TL_NONE)
		return;
	for (end = ids.p + ids.n; ids.p < end; ids.p = id.p + id.n + 1) {
		const char *comma = memchr(ids.p, ',', (size_t)(end - ids.p));

		id = (struct tl_str){ ids.p,
			(size_t)((comma != NULL ? comma : end) - ids.p) };
		c->task = tl_xgrow(c->task, c->n_tasks, &c->tasks_cap,
		    sizeof *c->task);
		c->task[c->n_tasks++] = (struct ctx_task){
			.start_ns = ev->start_ns, .end_ns = end_of(ev),
			.lane = lane_of(c, ev), .dequeue = dequeue,
			.process = tl_xintern(&c->text, ev->process),
			.id = tl_xintern(&c->text, id),
		};
	}
}

static uint64_t
column(const struct tl_filter *f, const struct tl_rec *rec, struct tl_str s)
{
	uint64_t v = 0;

	if (!tl_str_none(s) && (!tl_num_str_u64(s, &v) || v == 0))
		die_record(f, rec, "a number is bad");
	return v;
}

static uint32_t
find_event(const struct ctx *c, uint64_t id)
{
	size_t lo = 0, hi = c->n_events;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->event[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_events && c->event[lo].id == id ? (uint32_t)lo :
	    CTX_NONE;
}

static void
add_launch(struct ctx *c, const struct tl_filter *f, const struct tl_rec *rec)
{
	struct tl_str col[13];
	uint64_t id, opaque;
	uint32_t event;

	if (tl_fields(col, 13, rec->line.p, rec->line.n) < 13)
		die_record(f, rec, "columns are missing");
	id = column(f, rec, col[1]);
	opaque = column(f, rec, col[12]);
	if (c->n_launches > 0 && c->launch[c->n_launches - 1].id >= id)
		die_record(f, rec, "launches must come by id");
	c->launch = tl_xgrow(c->launch, c->n_launches, &c->launches_cap,
	    sizeof *c->launch);
	c->launch[c->n_launches] = (struct ctx_launch){ id,
		column(f, rec, col[2]) };
	event = opaque == 0 ? CTX_NONE : find_event(c, opaque);
	if (event != CTX_NONE)
		c->event[event].launch = (uint32_t)c->n_launches;
	c->n_launches++;
}

static void
add_member(struct ctx *c, const struct tl_filter *f, const struct tl_rec *rec)
{
	struct tl_str col[6];
	size_t lo = 0, hi = c->n_launches;
	uint32_t event;
	uint64_t id;

	if (tl_fields(col, 6, rec->line.p, rec->line.n) < 6)
		die_record(f, rec, "columns are missing");
	id = column(f, rec, col[1]);
	event = find_event(c, column(f, rec, col[5]));
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->launch[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->n_launches || c->launch[lo].id != id)
		die_record(f, rec, "no such launch");
	if (event == CTX_NONE)
		die_record(f, rec, "no such device event");
	c->event[event].launch = (uint32_t)lo;
}

void
ctx_gather(struct ctx *c, struct tl_filter *f)
{
	struct tl_rec rec;

	while (tl_xfilter_next(f, &rec)) {
		if (rec.kind == TL_API) {
			add_call(c, &rec.ev);
		} else if (rec.kind == TL_RANGE || rec.kind == TL_OP) {
			/* with a device it is the shadow there */
			if (!tl_str_none(rec.ev.device))
				continue;
			add_marker(c, &rec.ev);
			add_task(c, &rec.ev);
		} else if (tl_kind_on_device(rec.kind)) {
			add_device_event(c, &rec.ev);
		} else if (rec.kind == TL_LAUNCH) {
			add_launch(c, f, &rec);
		} else if (rec.kind == TL_MEMBER) {
			add_member(c, f, &rec);
		}
	}
}
