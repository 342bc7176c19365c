#include "tl-import.h"

#include <stdlib.h>

#include "num.h"

#define RANGE "stormlog.iteration/"

/* Numbers that do not fit cost the capture: a sum that wraps is none. */
static bool
add(uint64_t *sum, uint64_t v)
{
	if (UINT64_MAX - *sum < v)
		return false;
	*sum += v;
	return true;
}

static enum tl_status
fail(struct imp_trace *t, const char *why)
{
	tl_err_set(&t->err, "%s:%llu: %s", t->in.in.name,
	    (unsigned long long)t->in.in.line, why);
	return TL_ERR;
}

static void
window(struct imp_work *w, int64_t start, int64_t end)
{
	if (!w->any_window || start < w->first)
		w->first = start;
	if (!w->any_window || end > w->last)
		w->last = end;
	w->any_window = true;
}

/* The number of a token; most come many times in a row. */
static uint32_t
token(struct tl_intern *set, struct imp_last *last, struct tl_str s)
{
	if (s.n == last->n && s.n > 0 && memcmp(s.p, last->text, s.n) == 0)
		return last->id;
	last->id = tl_xintern(set, s);
	last->n = s.n <= sizeof last->text ? s.n : 0;
	memcpy(last->text, s.p, last->n);
	return last->id;
}

static uint32_t
process(struct imp_trace *t, struct tl_str s)
{
	struct imp_last *last = &t->work->last_process;

	/* one that is new gets a pid, too */
	if (last->n != s.n || memcmp(s.p, last->text, s.n) != 0)
		imp_xprocess(t, s);
	return token(&t->procs, last, s);
}

/* ---- devices ---- */

static void
name_device(struct imp_trace *t, struct imp_dev *d, struct tl_str owner,
    struct tl_str text)
{
	for (size_t i = 0; i < t->n_devices; i++) {
		struct imp_device *h = &t->device[i];

		if (tl_str_eq(h->device, text) && (!t->nsys ||
		    tl_str_eq(h->process, owner))) {
			d->declared = !t->nsys;
			d->name = h->name;
			d->uuid = h->uuid;
			break;
		}
	}
	/* the prefix is left out by the list of GPUs of Nsight Systems */
	if (d->uuid.n > 0 && strncmp(d->uuid.p, "GPU-", 4) != 0 &&
	    strncmp(d->uuid.p, "MIG-", 4) != 0) {
		char *p = tl_xarena_alloc(&t->arena, d->uuid.n + 5);

		memcpy(p, "GPU-", 4);
		memcpy(p + 4, d->uuid.p, d->uuid.n);
		p[d->uuid.n + 4] = '\0';
		d->uuid = (struct tl_str){ p, d->uuid.n + 4 };
	}
}

static void
make_device(struct imp_trace *t, struct imp_dev *d, uint32_t proc,
    struct tl_str text)
{
	struct tl_str owner = tl_intern_str(&t->procs, proc);
	struct imp_buf b = { 0 };

	*d = (struct imp_dev){ .proc = t->nsys ? proc : IMP_NONE };
	d->has_index = tl_num_str_i64(text, &d->index);
	if (t->nsys) {
		if (tl_str_none(owner))
			imp_xputs(&b, "None");
		else
			imp_xputstr(&b, imp_xraw(&t->arena, owner));
		imp_xputs(&b, "/");
	}
	if (d->has_index)
		imp_xi64(&b, d->index);
	else
		imp_xputs(&b, "None");
	d->key = (struct tl_str){ tl_xarena_copy(&t->arena, b.p, b.n), b.n };
	free(b.p);
	name_device(t, d, owner, text);
}

static uint32_t
device_of(struct imp_trace *t, uint32_t proc, struct tl_str text)
{
	struct imp_work *w = t->work;
	int64_t index;
	bool known;
	uint32_t i, lane;

	if (!tl_num_str_i64(text, &index))
		text = TL_LIT(".");
	lane = token(&w->lanes, &w->last_device, text);
	i = imp_xmap(&w->dev_of, t->nsys ? proc : 0, lane, 0, &known);
	if (!known) {
		w->dev = tl_xgrow(w->dev, w->n_devs, &w->devs_cap,
		    sizeof *w->dev);
		make_device(t, &w->dev[w->n_devs++], proc, text);
	}
	return i;
}

/* Time that the device was busy: starts come in ascending order. */
static bool
device_busy(struct imp_dev *d, int64_t start, int64_t end)
{
	if (!d->any || start > d->cur_end) {
		if (d->any && !add(&d->busy, (uint64_t)d->cur_end -
		    (uint64_t)d->cur_start))
			return false;
		d->cur_start = start;
		d->cur_end = end;
		d->any = true;
	} else if (end > d->cur_end) {
		d->cur_end = end;
	}
	return add(&d->sum, (uint64_t)end - (uint64_t)start);
}

/* ---- device events ---- */

struct event {
	uint64_t n, corr;
	int64_t start, end, graph;
	uint32_t dev, proc, stream, name;
	bool in_graph;
	uint8_t kind, rank;
};

static void
push_iv(struct imp_work *w, struct imp_group *g)
{
	w->iv = tl_xgrow(w->iv, w->n_ivs, &w->ivs_cap, sizeof *w->iv);
	w->iv[w->n_ivs] = (struct imp_iv){ g->cur_start, g->cur_end,
		IMP_NONE };
	if (g->first_iv == IMP_NONE)
		g->first_iv = (uint32_t)w->n_ivs;
	else
		w->iv[g->last_iv].next = (uint32_t)w->n_ivs;
	g->last_iv = (uint32_t)w->n_ivs++;
}

static void
push_stream(struct imp_work *w, uint32_t group, uint32_t stream)
{
	bool known;

	imp_xmap(&w->stream_of, group, stream, 0, &known);
	if (known)
		return;
	w->node = tl_xgrow(w->node, w->n_nodes, &w->nodes_cap,
	    sizeof *w->node);
	w->node[w->n_nodes] = (struct imp_node){ stream,
		w->group[group].streams };
	w->group[group].streams = (uint32_t)w->n_nodes++;
}

static bool
join(struct imp_work *w, uint32_t i, const struct event *e)
{
	struct imp_group *g = &w->group[i];

	if (e->rank < g->rank || (e->rank == g->rank && e->n < g->n)) {
		g->n = e->n;
		g->name = e->name;
	}
	if (e->start > g->cur_end) {
		if (!add(&g->busy, (uint64_t)g->cur_end -
		    (uint64_t)g->cur_start))
			return false;
		push_iv(w, g);
		g->cur_start = e->start;
		g->cur_end = e->end;
	} else if (e->end > g->cur_end) {
		g->cur_end = e->end;
	}
	if (e->end > g->end)
		g->end = e->end;
	if (e->graph != g->graph)
		g->graph = IMP_GRAPH_MIXED;
	if (e->stream != g->stream)
		push_stream(w, i, e->stream);
	g->events++;
	g->graph_events += e->in_graph;
	return add(&g->sum, (uint64_t)e->end - (uint64_t)e->start);
}

static bool
put(struct imp_work *w, const struct event *e, bool alone)
{
	bool known = false;

	if (!alone) {
		uint32_t i = imp_xmap(&w->group_of, (uint64_t)e->dev << 2 |
		    e->kind, e->proc, e->corr, &known);

		if (known)
			return join(w, w->group_at[i], e);
		w->group_at = tl_xgrow(w->group_at, i, &w->group_at_cap,
		    sizeof *w->group_at);
		w->group_at[i] = (uint32_t)w->n_groups;
	}
	w->group = tl_xgrow(w->group, w->n_groups, &w->groups_cap,
	    sizeof *w->group);
	w->group[w->n_groups++] = (struct imp_group){
		.n = e->n, .start = e->start, .end = e->end,
		.cur_start = e->start, .cur_end = e->end,
		.sum = (uint64_t)e->end - (uint64_t)e->start,
		.corr = e->corr, .graph = e->graph, .name = e->name,
		.dev = e->dev, .proc = e->proc, .stream = e->stream,
		.events = 1, .graph_events = e->in_graph,
		.first_iv = IMP_NONE, .last_iv = IMP_NONE,
		.streams = IMP_NONE, .kind = e->kind, .rank = e->rank,
	};
	return true;
}

/* The label that tl-nsys2ev gives a kernel whose name is not in the file. */
static bool
is_label(struct tl_str s)
{
	uint64_t id;

	return s.n > 7 && memcmp(s.p, "kernel#", 7) == 0 &&
	    tl_num_str_u64((struct tl_str){ s.p + 7, s.n - 7 }, &id);
}

static struct tl_str
event_name(const struct imp_trace *t, const struct tl_ev *ev)
{
	struct tl_str s;

	if (!t->nsys)
		return ev->name;
	if (ev->kind != TL_KERNEL)
		return ev->kind == TL_MEMCPY ? TL_LIT("gpu_memcpy") :
		    TL_LIT("gpu_memset");
	s = tl_key(ev->keys, "short");
	if (s.p == NULL)
		s = ev->name;
	return tl_str_none(s) || is_label(s) ? TL_LIT("gpu_kernel") : s;
}

static enum tl_status
device_event(struct imp_trace *t, const struct tl_ev *ev, bool kernel)
{
	struct imp_work *w = t->work;
	struct event e = { .start = ev->start_ns, .graph = IMP_GRAPH_NONE };
	struct tl_str tag, graph = tl_key(ev->keys, "graph");
	int64_t v;

	if (ev->dur_ns == TL_NONE || !tl_place_split(ev->place, &tag, &e.n))
		return fail(t, "device event without a duration or place");
	e.end = ev->start_ns + ev->dur_ns;
	/* an artifact has no times before 1970 */
	if (t->base_ns >= 0 ? e.start < -t->base_ns ||
	    e.end > INT64_MAX - t->base_ns : e.start < -t->base_ns) {
		w->n_negative++;
		return TL_OK;
	}
	e.kind = ev->kind == TL_KERNEL ? IMP_KERNEL : ev->kind == TL_MEMCPY ?
	    IMP_MEMCPY : IMP_MEMSET;
	e.rank = t->nsys ? e.kind : 0;
	e.proc = process(t, ev->process);
	e.dev = device_of(t, e.proc, ev->device);
	e.stream = token(&w->lanes, &w->last_lane, tl_num_str_i64(ev->lane,
	    &v) && v >= 0 ? ev->lane : TL_LIT("."));
	e.name = tl_xintern(&w->names, event_name(t, ev));
	if (!tl_num_str_u64(ev->correlation, &e.corr))
		e.corr = 0;
	if (graph.p != NULL && tl_num_str_i64(graph, &v) && v > 0)
		e.graph = v;
	e.in_graph = graph.p != NULL || tl_key(ev->keys, "node").p != NULL;
	w->any_corr |= e.corr != 0;
	w->any_graph |= e.graph != IMP_GRAPH_NONE;
	w->any_stream |= !tl_str_none(tl_intern_str(&w->lanes, e.stream));
	window(w, e.start, e.end);
	t->n_events++;
	if (!device_busy(&w->dev[e.dev], e.start, e.end) ||
	    !put(w, &e, kernel || e.corr == 0))
		return fail(t, "the sum of durations does not fit");
	return TL_OK;
}

/* ---- calls and ranges ---- */

static enum tl_status
call(struct imp_trace *t, const struct tl_ev *ev)
{
	struct imp_work *w = t->work;
	struct imp_call c = { .start = ev->start_ns, .next = IMP_NONE };
	struct tl_str tag;
	uint32_t key, i;
	bool known;

	if (!tl_num_str_u64(ev->correlation, &c.corr) || c.corr == 0)
		return TL_OK;
	if (!tl_place_split(ev->place, &tag, &c.n) || tag.n == 0)
		return fail(t, "call without a place");
	c.tag = (uint8_t)tag.p[0];
	c.proc = process(t, ev->process);
	c.thread = tl_xintern(&w->lanes, ev->lane);
	c.name = tl_xintern(&w->names, ev->name);
	window(w, c.start, c.start);
	key = imp_xmap(&w->call_of, c.corr, 0, 0, &known);
	if (!known) {
		w->call_first = tl_xgrow(w->call_first, key,
		    &w->call_first_cap, sizeof *w->call_first);
		w->call_first[key] = IMP_NONE;
	}
	for (i = w->call_first[key]; i != IMP_NONE; i = w->call[i].next)
		if (w->call[i].proc == c.proc)
			break;
	if (i != IMP_NONE) {
		/* the last in the file counts */
		struct imp_call *old = &w->call[i];

		if (c.tag > old->tag || (c.tag == old->tag && c.n > old->n)) {
			c.next = old->next;
			*old = c;
		}
		return TL_OK;
	}
	c.next = w->call_first[key];
	w->call_first[key] = (uint32_t)w->n_calls;
	w->call = tl_xgrow(w->call, w->n_calls, &w->calls_cap,
	    sizeof *w->call);
	w->call[w->n_calls++] = c;
	return TL_OK;
}

/* An annotation that names an iteration; others are passed over. */
static void
range(struct imp_trace *t, const struct tl_ev *ev)
{
	struct imp_work *w = t->work;
	size_t n = sizeof RANGE - 1;
	struct tl_str raw;
	char *slash;

	if (ev->name.n <= n || memcmp(ev->name.p, RANGE, n) != 0 ||
	    !tl_str_none(ev->device) || ev->dur_ns == TL_NONE ||
	    tl_key(ev->keys, "cat").p != NULL)
		return;
	raw = imp_xraw(&t->arena, (struct tl_str){ ev->name.p + n,
	    ev->name.n - n });
	slash = memchr(raw.p, '/', raw.n);
	if (slash == NULL || slash == raw.p || slash == raw.p + raw.n - 1)
		return;
	*slash = '\0';
	w->range = tl_xgrow(w->range, w->n_ranges, &w->ranges_cap,
	    sizeof *w->range);
	w->range[w->n_ranges++] = (struct imp_range){
		.start = ev->start_ns, .end = ev->start_ns + ev->dur_ns,
		.proc = imp_xprocess(t, ev->process),
		.thread = tl_xintern(&w->lanes, ev->lane),
		.pair = tl_xintern(&w->pairs, raw),
	};
}

/* ---- the stream ---- */

/* A note that people should see. */
static void
note(struct imp_trace *t, struct tl_str line)
{
	struct tl_str f[5];
	struct imp_buf b = { 0 };

	if (tl_fields(f, 5, line.p, line.n) < 5 || tl_str_is(f[1], "info"))
		return;
	imp_xputstr(&b, imp_xraw(&t->arena, f[2]));
	imp_xputs(&b, ": ");
	imp_xputstr(&b, imp_xraw(&t->arena, f[4]));
	t->note = tl_xgrow(t->note, t->n_notes, &t->notes_cap,
	    sizeof *t->note);
	t->note[t->n_notes++] = (struct tl_str){ tl_xarena_copy(&t->arena,
	    b.p, b.n), b.n };
	free(b.p);
}

static enum tl_status
record(struct imp_trace *t, const struct tl_rec *r, bool kernel)
{
	if (tl_kind_is_event(r->kind) && (t->in.want >> r->kind & 1)) {
		if (t->work->any && r->ev.start_ns < t->work->last_start)
			return fail(t, "event is earlier than the one before "
			    "it");
		t->work->any = true;
		t->work->last_start = r->ev.start_ns;
	}
	switch (r->kind) {
	case TL_KERNEL:
	case TL_MEMCPY:
	case TL_MEMSET:
		return device_event(t, &r->ev, kernel);
	case TL_API:
		return call(t, &r->ev);
	case TL_RANGE:
		range(t, &r->ev);
		break;
	case TL_GRAPH:
		t->work->n_graphs++;
		break;
	case TL_TASK:
		t->work->n_tasks++;
		break;
	case TL_NOTE:
		note(t, r->line);
		break;
	default:
		break;
	}
	return TL_OK;
}

enum tl_status
imp_gather(struct imp_trace *t, bool kernel)
{
	enum tl_status st = TL_EOF;

	t->work = tl_xcalloc(1, sizeof *t->work);
	if (t->has_rec)
		st = TL_OK;
	while (st == TL_OK) {
		if (record(t, &t->rec, kernel) != TL_OK)
			return TL_ERR;
		st = tl_evin_next(&t->in, &t->rec, &t->err);
	}
	if (st == TL_ERR)
		return TL_ERR;
	if (!t->has_graph_rows && t->nsys)
		t->graph_rows = t->work->n_graphs;
	for (size_t i = 0; i < t->work->n_devs; i++) {
		struct imp_dev *d = &t->work->dev[i];

		if (d->any && !add(&d->busy, (uint64_t)d->cur_end -
		    (uint64_t)d->cur_start))
			return fail(t, "the sum of durations does not fit");
	}
	imp_trace_close(t);
	return TL_OK;
}

void
imp_drain(struct imp_trace *t)
{
	struct tl_err err;

	t->in.want = 0;
	while (t->open && t->has_rec && tl_evin_next(&t->in, &t->rec, &err) == TL_OK)
		continue;
	imp_trace_close(t);
}

void
imp_work_free(struct imp_work *w)
{
	if (w == NULL)
		return;
	free(w->group);
	imp_map_free(&w->group_of);
	free(w->group_at);
	free(w->iv);
	free(w->node);
	imp_map_free(&w->stream_of);
	free(w->call);
	imp_map_free(&w->call_of);
	free(w->call_first);
	free(w->range);
	tl_intern_free(&w->pairs);
	tl_intern_free(&w->lanes);
	tl_intern_free(&w->names);
	free(w->dev);
	imp_map_free(&w->dev_of);
	free(w->segment);
	free(w);
}
