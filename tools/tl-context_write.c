#include <stdlib.h>

#include "tl-context.h"

static const char *const exec_states[EX_N] = {
	"supported_marker", "missing_step", "marker_unavailable",
	"marker_not_found", "ambiguous_marker", "open_marker",
};

static const struct {
	const char *state, *basis, *note;
} bases[B_N] = {
	{ "linked", "call", NULL },
	{ "linked", "replay", NULL },
	{ "ambiguous", "steps", "their calls are in markers of several steps" },
	{ "ambiguous", "calls", "several calls have their correlation, and not "
	    "all are in the same step" },
	{ "ambiguous", "replay", "their launch says another step than their "
	    "own call" },
	{ "unlinked", "outside", "their calls are in no marker" },
	{ "unlinked", "no_call", "their calls are not in the capture" },
	{ "unlinked", "no_correlation", "they have no correlation" },
};

/* ---- columns ---- */

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

/* Ids count from 1. */
static void
put_id(struct tl_evout *o, uint32_t index)
{
	if (index == CTX_NONE)
		tl_xevout_none(o);
	else
		tl_xevout_u64(o, (uint64_t)index + 1);
}

static void
put_number(struct tl_evout *o, struct ctx_value v)
{
	if (v.type == V_NUMBER)
		tl_xevout_raw(o, v.s);
	else
		tl_xevout_none(o);
}

static void
put_json(struct tl_evout *o, struct tl_str json)
{
	if (json.n > CTX_PIECE)
		tl_xevout_none(o);
	else
		tl_xevout_text(o, json);
}

/* ---- context, json, step, request, exec ---- */

static void
write_file(struct tl_evout *o, const struct ctx_file *f, uint32_t no)
{
	tl_xevout_rec(o, TL_CONTEXT);
	put_id(o, no);
	tl_xevout_raw(o, str(!f->has_summary ? "unclosed" : f->dropped > 0 ?
	    "dropped_records" : "closed"));
	tl_xevout_raw(o, str(f->run));
	tl_xevout_raw(o, str(f->producer));
	tl_xevout_u64(o, f->n_steps + f->n_execs);
	if (f->has_summary)
		tl_xevout_u64(o, f->dropped);
	else
		tl_xevout_none(o);
	tl_xevout_u64(o, f->size);
	tl_xevout_raw(o, str(f->sha256));
	tl_xevout_text(o, str(f->path));
	tl_xevout_eol(o);
}

/* Length of a piece of text that ends between characters. */
static size_t
piece(struct tl_str s)
{
	size_t n = CTX_PIECE;

	if (s.n <= n)
		return s.n;
	while (((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void
write_line(struct tl_evout *o, uint32_t file, uint64_t line, struct tl_str s)
{
	uint64_t part = 1;

	do {
		size_t n = piece(s);

		tl_xevout_rec(o, TL_JSON);
		put_id(o, file);
		tl_xevout_u64(o, line);
		tl_xevout_u64(o, part++);
		tl_xevout_text(o, (struct tl_str){ s.p, n });
		tl_xevout_eol(o);
		s.p += n;
		s.n -= n;
	} while (s.n > 0);
}

static void
write_requests(struct tl_evout *o, uint32_t step, const struct ctx_line *l)
{
	for (size_t i = 0; i < l->n_requests; i++) {
		const struct ctx_request *r = &l->request[i];

		tl_xevout_rec(o, TL_REQUEST);
		put_id(o, step);
		tl_xevout_u64(o, i + 1);
		tl_xevout_text(o, r->id.s);
		tl_xevout_raw(o, r->tokens.s);
		put_json(o, r->json);
		tl_xevout_eol(o);
	}
}

static void
write_step(const struct ctx *c, struct tl_evout *o, uint32_t no,
    const struct ctx_line *l)
{
	const struct ctx_step *s = &c->step[no];
	const struct ctx_file *f = &c->file[s->file];

	tl_xevout_rec(o, TL_STEP);
	put_id(o, no);
	put_id(o, s->file);
	tl_xevout_u64(o, s->line);
	tl_xevout_raw(o, str(f->run));
	tl_xevout_text(o, l->v[K_STEP].s);
	tl_xevout_raw(o, str(f->producer));
	tl_xevout_raw(o, l->v[K_ORDINAL].s);
	tl_xevout_raw(o, l->v[K_TOTAL].s);
	tl_xevout_u64(o, l->n_requests);
	put_number(o, l->v[K_CACHE_FREE]);
	put_number(o, l->v[K_CACHE_POOL]);
	tl_xevout_u64(o, s->n_execs);
	tl_xevout_u64(o, s->n_markers);
	tl_xevout_u64(o, s->n_events);
	put_json(o, l->v[K_CACHE].s);
	tl_xevout_eol(o);
	write_requests(o, no, l);
}

static void
write_exec(const struct ctx *c, struct tl_evout *o, uint32_t no,
    const struct ctx_line *l)
{
	const struct ctx_exec *e = &c->exec[no];
	struct tl_str phase = l->v[K_PHASE].s;

	tl_xevout_rec(o, TL_EXEC);
	put_id(o, no);
	put_id(o, e->file);
	tl_xevout_u64(o, e->line);
	tl_xevout_raw(o, str(c->file[e->file].run));
	tl_xevout_text(o, l->v[K_EXECUTION].s);
	put_id(o, e->step);
	tl_xevout_text(o, l->v[K_STEP].s);
	tl_xevout_raw(o, l->v[K_PHASE].type == V_ABSENT ?
	    TL_LIT("execute_model") : phase);
	tl_xevout_raw(o, l->v[K_STATUS].s);
	tl_xevout_raw(o, l->v[K_MARKER_STATE].s);
	put_number(o, l->v[K_RANK]);
	put_number(o, l->v[K_PID]);
	tl_xevout_text(o, l->v[K_MARKER].s);
	tl_xevout_raw(o, str(exec_states[e->state]));
	tl_xevout_u64(o, e->n_ranges);
	if (e->n_ranges == 1)
		tl_xevout_u64(o, e->range);
	else
		tl_xevout_none(o);
	tl_xevout_u64(o, e->n_calls);
	tl_xevout_u64(o, e->n_events);
	tl_xevout_eol(o);
}

/* One pass over a file's lines: all as they stand, or steps, or executions. */
static void
pass(struct ctx *c, struct tl_evout *o, uint32_t file, enum tl_kind kind)
{
	struct ctx_file *f = &c->file[file];
	uint32_t step = (uint32_t)f->first_step;
	uint32_t exec = (uint32_t)f->first_exec;
	struct ctx_line l = { .n_requests = 0 };
	struct tl_str text;

	ctx_rewind(f);
	for (uint64_t line = 1; ctx_next(f, &l, &text); line++) {
		struct tl_str type = l.v[K_TYPE].s;

		if (kind == TL_JSON)
			write_line(o, file, line, text);
		else if (kind == TL_STEP && tl_str_is(type, "step"))
			write_step(c, o, step++, &l);
		else if (kind == TL_EXEC && tl_str_is(type, "execution"))
			write_exec(c, o, exec++, &l);
	}
	ctx_line_free(&l);
}

/* ---- work, link ---- */

/* What of a step is on a device, in the order of devices. */
struct work {
	uint32_t step, first;
	struct tl_str process, device;
	int64_t start_ns, end_ns;
	uint64_t n;
};

struct works {
	struct work *w;
	size_t n, cap;
	struct tl_intern at; /* step, process, device */
};

static void
add_work(const struct ctx *c, struct works *ws, const struct ctx_event *e)
{
	uint32_t key[3] = { e->step, e->process, e->device };
	size_t known = ws->n;
	uint32_t i = tl_xintern(&ws->at, (struct tl_str){ (char *)key,
	    sizeof key });
	struct work *w;

	if (i == known) {
		ws->w = tl_xgrow(ws->w, ws->n, &ws->cap, sizeof *ws->w);
		ws->w[ws->n++] = (struct work){ e->step, e->id,
			tl_intern_str(&c->text, e->process),
			tl_intern_str(&c->text, e->device),
			e->start_ns, e->end_ns, 0 };
	}
	w = &ws->w[i];
	w->n++;
	if (w->end_ns < e->end_ns)
		w->end_ns = e->end_ns;
}

static int
work_cmp(const void *pa, const void *pb)
{
	const struct work *a = pa, *b = pb;
	int c;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	c = tl_token_cmp(a->process, b->process);
	return c != 0 ? c : tl_token_cmp(a->device, b->device);
}

static void
write_work(const struct ctx *c, struct tl_evout *o)
{
	struct works ws = { .n = 0 };

	for (size_t i = 0; i < c->n_events; i++)
		if (c->event[i].step != CTX_NONE)
			add_work(c, &ws, &c->event[i]);
	if (ws.n > 1)
		qsort(ws.w, ws.n, sizeof *ws.w, work_cmp);
	for (size_t i = 0; i < ws.n; i++) {
		const struct work *w = &ws.w[i];
		uint64_t span = (uint64_t)w->end_ns - (uint64_t)w->start_ns;

		tl_xevout_rec(o, TL_WORK);
		put_id(o, w->step);
		tl_xevout_raw(o, w->process);
		tl_xevout_raw(o, w->device);
		tl_xevout_u64(o, w->n);
		tl_xevout_u64(o, w->first);
		tl_xevout_i64(o, w->start_ns);
		tl_xevout_ns(o, span > INT64_MAX ? TL_NONE : (int64_t)span);
		tl_xevout_eol(o);
	}
	free(ws.w);
	tl_intern_free(&ws.at);
}

static void
write_event_link(const struct ctx *c, struct tl_evout *o,
    const struct ctx_event *e)
{
	tl_xevout_rec(o, TL_LINK);
	tl_xevout_u64(o, e->id);
	put_id(o, e->step);
	put_id(o, e->exec);
	tl_xevout_raw(o, str(bases[e->basis].state));
	tl_xevout_raw(o, str(bases[e->basis].basis));
	if (e->call == CTX_NONE)
		tl_xevout_none(o);
	else
		tl_xevout_u64(o, c->call[e->call].id);
	if (e->launch == CTX_NONE)
		tl_xevout_none(o);
	else
		tl_xevout_u64(o, c->launch[e->launch].id);
	tl_xevout_eol(o);
}

static void
write_call_link(struct tl_evout *o, const struct ctx_call *call)
{
	const struct ctx_scope *in = &call->in;
	bool one = in->min_step == in->max_step;

	if (in->min_step == CTX_NONE)
		return;
	tl_xevout_rec(o, TL_LINK);
	tl_xevout_u64(o, call->id);
	put_id(o, one ? in->min_step : CTX_NONE);
	put_id(o, one && in->min_exec == in->max_exec ? in->min_exec :
	    CTX_NONE);
	tl_xevout_raw(o, str(one ? "linked" : "ambiguous"));
	tl_xevout_raw(o, str(!one ? "steps" : in->direct ? "thread" :
	    "queue"));
	tl_xevout_none(o);
	tl_xevout_none(o);
	tl_xevout_eol(o);
}

/* Calls and device events, in the order of the stream. */
static void
write_links(const struct ctx *c, struct tl_evout *o)
{
	size_t call = 0, event = 0;

	while (call < c->n_calls || event < c->n_events) {
		if (event == c->n_events || (call < c->n_calls &&
		    c->call[call].id < c->event[event].id))
			write_call_link(o, &c->call[call++]);
		else
			write_event_link(c, o, &c->event[event++]);
	}
}

/* ---- notes ---- */

static void
note_files(const struct ctx *c, struct tl_evout *o)
{
	for (size_t i = 0; i < c->n_files; i++) {
		const struct ctx_file *f = &c->file[i];

		if (!f->has_summary)
			tl_xevout_note(o, TL_WARN, "context_unclosed", 1,
			    "%s: has no summary: its producer did not end "
			    "well, or still runs", f->path);
		if (f->dropped > 0)
			tl_xevout_note(o, TL_WARN, "context_dropped",
			    (int64_t)f->dropped, "%s: records that the "
			    "producer could not write", f->path);
	}
}

static void
note_execs(const struct ctx *c, struct tl_evout *o)
{
	uint64_t n[EX_N] = { 0 };

	for (size_t i = 0; i < c->n_execs; i++)
		n[c->exec[i].state]++;
	tl_xevout_note(o, TL_INFO, "context_steps", (int64_t)c->n_steps,
	    "steps of a scheduler, in %zu files of context", c->n_files);
	tl_xevout_note(o, TL_INFO, "context_execs", (int64_t)c->n_execs,
	    "executions of steps; %llu have a marker here",
	    (unsigned long long)n[EX_SUPPORTED]);
	for (int i = EX_SUPPORTED + 1; i < EX_N; i++)
		if (n[i] > 0)
			tl_xevout_note(o, i == EX_UNAVAILABLE ||
			    i == EX_NOT_FOUND ? TL_INFO : TL_WARN,
			    "context_exec_state", (int64_t)n[i],
			    "executions: %s", exec_states[i]);
	if (c->n_steps > 0 && c->n_execs == 0)
		tl_xevout_note(o, TL_WARN, "context_scheduler_only",
		    (int64_t)c->n_steps, "steps, but no executions: a "
		    "scheduler alone does not say what ran for it");
}

static void
note_links(const struct ctx *c, struct tl_evout *o)
{
	uint64_t n[B_N] = { 0 };

	for (size_t i = 0; i < c->n_events; i++)
		n[c->event[i].basis]++;
	tl_xevout_note(o, TL_INFO, "context_linked",
	    (int64_t)(n[B_CALL] + n[B_REPLAY]), "of %zu device events are "
	    "linked to a step", c->n_events);
	for (int i = B_STEPS; i < B_N; i++)
		if (n[i] > 0)
			tl_xevout_note(o, i < B_OUTSIDE ? TL_WARN : TL_INFO,
			    i < B_OUTSIDE ? "context_ambiguous" :
			    "context_unlinked", (int64_t)n[i],
			    "device events: %s", bases[i].note);
}

void
ctx_write(struct ctx *c, struct tl_evout *out)
{
	static const enum tl_kind kinds[] = { TL_JSON, TL_STEP, TL_EXEC };

	for (size_t i = 0; i < c->n_files; i++)
		write_file(out, &c->file[i], (uint32_t)i);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t i = 0; i < c->n_files; i++)
			pass(c, out, (uint32_t)i, kinds[k]);
	write_work(c, out);
	write_links(c, out);
	note_files(c, out);
	note_execs(c, out);
	note_links(c, out);
}

static void
names_free(struct ctx_names *n)
{
	tl_intern_free(&n->text);
	free(n->seen);
}

void
ctx_free(struct ctx *c)
{
	for (size_t i = 0; i < c->n_files; i++) {
		free(c->file[i].run);
		free(c->file[i].producer);
		tl_spool_free(c->file[i].lines);
	}
	free(c->file);
	names_free(&c->producers);
	names_free(&c->steps);
	names_free(&c->execs);
	free(c->step);
	free(c->exec);
	free(c->exec_at);
	free(c->call);
	free(c->task);
	free(c->event);
	free(c->launch);
	tl_intern_free(&c->text);
	tl_intern_free(&c->lanes);
}
