#include "tl-import.h"

#include <stdlib.h>

#include "num.h"
#include "version.h"

#define PRODUCER "stormlog.trace.kineto"

/* What a process and a device have in common in all their records. */
struct place {
	struct tl_str context_id, uuid;
	const char *from;
};

struct writer {
	struct imp_opt *o;
	struct imp_artifact *a;
	struct imp_trace *t;
	struct imp_work *w;
	size_t which;
	struct tl_out *out;
	struct imp_buf b;
	struct tl_str *name;    /* as JSON, by number */
	struct imp_map place_of; /* device, pid */
	struct place *place;
	size_t places_cap;
	struct tl_str id;       /* the attachment id as JSON, no quotes */
	struct tl_str base[IMP_N_KEYS]; /* context without pid and UUID */
	uint64_t n_graph;
	int64_t *stream;        /* of the record that is being written */
	size_t streams_cap;
};

static struct tl_str
keep(struct imp_trace *t, struct imp_buf *b)
{
	struct tl_str s = { tl_xarena_copy(&t->arena, b->p, b->n), b->n };

	b->n = 0;
	return s;
}

static struct tl_str
quoted(struct imp_trace *t, struct tl_str raw)
{
	struct imp_buf b = { 0 };
	struct tl_str s;

	imp_xtext(&b, raw);
	s = keep(t, &b);
	free(b.p);
	return s;
}

static struct tl_str
number(struct imp_trace *t, int64_t v)
{
	struct imp_buf b = { 0 };
	struct tl_str s = TL_LIT("null");

	if (v >= 0) {
		imp_xi64(&b, v);
		s = keep(t, &b);
		free(b.p);
	}
	return s;
}

/* The parts of a context that are the same for the whole capture. */
static void
base_context(struct writer *w)
{
	struct imp_trace *t = w->t;
	struct tl_str *v = w->base, source = t->nsys ? TL_LIT("nsys") :
	    TL_LIT("kineto");
	struct imp_buf b = { 0 };

	imp_xputstr(&b, source);
	imp_xputs(&b, ":");
	imp_xputstr(&b, t->host.n > 0 ? t->host : TL_LIT("unknown-host"));
	imp_xputs(&b, ":");
	imp_xputstr(&b, t->id);
	v[IMP_C_CLOCK_DOMAIN] = quoted(t, imp_view(&b));
	free(b.p);
	v[IMP_C_BACKEND] = TL_LIT("\"cupti\"");
	v[IMP_C_BACKEND_VERSION] = quoted(t, t->cupti);
	v[IMP_C_CLOCK_KIND] = TL_LIT("\"device\"");
	v[IMP_C_MODE] = TL_LIT("\"imported\"");
	v[IMP_C_ENGINE] = t->vllm.n > 0 ? TL_LIT("\"vllm\"") :
	    TL_LIT("null");
	v[IMP_C_ENGINE_VERSION] = quoted(t, t->vllm);
	v[IMP_C_HOST] = quoted(t, t->host);
	v[IMP_C_PRODUCER] = TL_LIT("\"" PRODUCER "\"");
	v[IMP_C_PROVENANCE] = TL_LIT("\"observed\"");
	v[IMP_C_RANK] = number(t, t->rank);
	v[IMP_C_RUN] = quoted(t, w->a->run);
	v[IMP_C_SESSION] = quoted(t, w->a->session);
	v[IMP_C_SOURCE] = quoted(t, source);
	v[IMP_C_SOURCE_VERSION] = TL_LIT("\"tl-import " TL_VERSION "\"");
	v[IMP_C_WORLD_SIZE] = number(t, t->world_size);
}

/* The context of a device and a process; its line goes to w->b if it is new. */
static const struct place *
place_of(struct writer *w, uint32_t dev, int64_t pid)
{
	bool known;
	uint32_t i = imp_xmap(&w->place_of, dev, (uint64_t)pid, 0, &known);
	struct tl_str v[IMP_N_KEYS];
	struct place *p;

	if (known)
		return &w->place[i];
	w->place = tl_xgrow(w->place, i, &w->places_cap, sizeof *w->place);
	p = &w->place[i];
	p->uuid = imp_xuuid(w->o, w->t, w->which, &w->w->dev[dev], pid,
	    &p->from);
	memcpy(v, w->base, sizeof v);
	v[IMP_C_PID] = number(w->t, pid);
	v[IMP_C_UUID] = quoted(w->t, p->uuid);
	p->context_id = quoted(w->t, imp_xcontext(w->a, v, &w->b));
	return p;
}

static struct tl_str
name_json(struct writer *w, uint32_t name)
{
	struct tl_str *s = &w->name[name];

	if (s->p == NULL) {
		struct tl_str raw = imp_xraw(&w->t->arena,
		    tl_intern_str(&w->w->names, name));
		struct imp_buf b = { 0 };

		imp_xstr(&b, raw);
		*s = keep(w->t, &b);
		free(b.p);
	}
	return *s;
}

/* A lane as the number that it is, -1 if it is none. */
static int64_t
lane_number(const struct writer *w, uint32_t lane)
{
	int64_t v;

	return tl_num_str_i64(tl_intern_str(&w->w->lanes, lane), &v) ? v : -1;
}

/* ---- metadata ---- */

static void
pair(struct imp_buf *b, int64_t base, int64_t start, int64_t end)
{
	imp_xputs(b, "[");
	imp_xu64(b, (uint64_t)start - (uint64_t)base);
	imp_xputs(b, ", ");
	imp_xu64(b, (uint64_t)end - (uint64_t)start);
	imp_xputs(b, "]");
}

static void
intervals(struct writer *w, const struct imp_group *g)
{
	imp_xputs(&w->b, ", \"intervals\": [");
	for (uint32_t i = g->first_iv; i != IMP_NONE; i = w->w->iv[i].next) {
		pair(&w->b, g->start, w->w->iv[i].start, w->w->iv[i].end);
		imp_xputs(&w->b, ", ");
	}
	pair(&w->b, g->start, g->cur_start, g->cur_end);
	imp_xputs(&w->b, "]");
}

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void
add_stream(struct writer *w, size_t *n, uint32_t lane)
{
	int64_t v = lane_number(w, lane);

	if (v < 0)
		return;
	w->stream = tl_xgrow(w->stream, *n, &w->streams_cap,
	    sizeof *w->stream);
	w->stream[(*n)++] = v;
}

static void
streams(struct writer *w, const struct imp_group *g)
{
	size_t n = 0;

	if (g->streams == IMP_NONE)
		return;
	add_stream(w, &n, g->stream);
	for (uint32_t i = g->streams; i != IMP_NONE; i = w->w->node[i].next)
		add_stream(w, &n, w->w->node[i].stream);
	qsort(w->stream, n, sizeof *w->stream, by_number);
	imp_xputs(&w->b, ", \"streams\": [");
	for (size_t i = 0; i < n; i++) {
		imp_xputs(&w->b, i == 0 ? "" : ", ");
		imp_xi64(&w->b, w->stream[i]);
	}
	imp_xputs(&w->b, "]");
}

static void
metadata(struct writer *w, const struct imp_group *g, struct imp_link l)
{
	const struct imp_dev *d = &w->w->dev[g->dev];
	struct imp_buf *b = &w->b;

	imp_xputs(b, ", \"metadata\": {");
	if (g->events > 1) {
		imp_xputs(b, "\"busy_ns\": ");
		imp_xu64(b, g->busy + ((uint64_t)g->cur_end -
		    (uint64_t)g->cur_start));
		imp_xputs(b, ", ");
	}
	imp_xputs(b, "\"device_index\": ");
	if (d->has_index)
		imp_xi64(b, d->index);
	else
		imp_xputs(b, "null");
	imp_xputs(b, ", \"event_count\": ");
	imp_xu64(b, g->events);
	imp_xputs(b, ", \"first_name\": ");
	imp_xputstr(b, name_json(w, g->name));
	if (g->events > 1)
		intervals(w, g);
	if (l.call != IMP_NONE) {
		imp_xputs(b, ", \"launch_api\": ");
		imp_xputstr(b, name_json(w, w->w->call[l.call].name));
	}
	streams(w, g);
	imp_xputs(b, ", \"summed_duration_ns\": ");
	imp_xu64(b, g->sum);
	if (l.reason != IMP_LINKED) {
		imp_xputs(b, ", \"unresolved_reason\": \"");
		imp_xputs(b, imp_reasons[l.reason]);
		imp_xputs(b, "\"");
	}
	imp_xputs(b, "}");
}

/* ---- records ---- */

static void
id(struct writer *w, uint64_t n)
{
	imp_xputs(&w->b, "\"");
	imp_xputstr(&w->b, w->id);
	imp_xputs(&w->b, "/");
	imp_xu64(&w->b, n);
	imp_xputs(&w->b, "\"");
}

static void
iteration(struct writer *w, struct imp_link l)
{
	struct tl_str both;
	const char *nul;

	imp_xputs(&w->b, ", \"iteration_ref\": ");
	if (l.pair == IMP_NONE) {
		imp_xputs(&w->b, "null");
		return;
	}
	both = tl_intern_str(&w->w->pairs, l.pair);
	nul = memchr(both.p, '\0', both.n);
	imp_xputs(&w->b, "{\"id\": ");
	imp_xstr(&w->b, (struct tl_str){ nul + 1,
	    both.n - (size_t)(nul + 1 - both.p) });
	imp_xputs(&w->b, ", \"producer_id\": ");
	imp_xstr(&w->b, (struct tl_str){ both.p, (size_t)(nul - both.p) });
	imp_xputs(&w->b, "}");
}

/* Null for what is less than least. */
static void
nullable(struct imp_buf *b, const char *key, int64_t v)
{
	imp_xputs(b, key);
	if (v < 0)
		imp_xputs(b, "null");
	else
		imp_xi64(b, v);
}

static void
record(struct writer *w, const struct imp_group *g, uint64_t n,
    struct imp_link l, const struct place *p)
{
	static const char *const kinds[] = { "gpu_kernel", "gpu_memcpy",
		"gpu_memset" };
	struct imp_buf *b = &w->b;

	imp_xputs(b, "{\"activity_domain\": \"gpu\", \"activity_kind\": \"");
	imp_xputs(b, kinds[g->kind]);
	imp_xputs(b, "\", \"activity_ref\": {\"id\": ");
	id(w, n);
	imp_xputs(b, ", \"producer_id\": \"" PRODUCER "\"}, "
	    "\"attribution_status\": \"");
	imp_xputs(b, l.reason == IMP_LINKED ? "linked" : "unresolved");
	imp_xputs(b, "\", \"context_id\": ");
	imp_xputstr(b, p->context_id);
	imp_xputs(b, ", \"correlation_scope\": null, "
	    "\"cuda_correlation_id\": ");
	if (g->corr == 0)
		imp_xputs(b, "null");
	else
		imp_xu64(b, g->corr);
	imp_xputs(b, ", \"end_ns\": ");
	imp_xi64(b, w->t->base_ns + g->end);
	imp_xputs(b, ", \"event_id\": ");
	id(w, n);
	imp_xputs(b, ", \"event_type\": \"infer.activity_ref\"");
	nullable(b, ", \"graph_id\": ", g->graph);
	iteration(w, l);
	metadata(w, g, l);
	imp_xputs(b, ", \"runtime_correlation_id\": null, "
	    "\"schema_version\": 4, \"start_ns\": ");
	imp_xi64(b, w->t->base_ns + g->start);
	nullable(b, ", \"stream_id\": ", g->streams != IMP_NONE ? -1 :
	    lane_number(w, g->stream));
	imp_xputs(b, ", \"trace_attachment_id\": \"");
	imp_xputstr(b, w->id);
	imp_xputs(b, "\"}\n");
}

/* ---- sums ---- */

/* Time that the records of a device span: they come in order of start. */
static void
span(struct imp_dev *d, const struct imp_group *g)
{
	int64_t from = g->start > d->span_end ? g->start : d->span_end;

	if (g->end <= from)
		return;
	d->span += (uint64_t)g->end - (uint64_t)from;
	d->span_end = g->end;
}

static void
first_uuid(struct imp_dev *d, const struct imp_group *g,
    const struct place *p)
{
	if (p->uuid.n == 0 || (d->has_uuid && (d->uuid_rank < g->rank ||
	    (d->uuid_rank == g->rank && d->uuid_n < g->n))))
		return;
	d->has_uuid = true;
	d->uuid_rank = g->rank;
	d->uuid_n = g->n;
	d->found_uuid = p->uuid;
	d->found_from = p->from;
}

static void
count(struct writer *w, const struct imp_group *g, struct imp_link l)
{
	bool graph = l.call != IMP_NONE && imp_graph_call(tl_intern_str(
	    &w->w->names, w->w->call[l.call].name));

	w->n_graph += graph ? g->events : g->graph_events;
	if (l.reason == IMP_LINKED)
		w->t->n_linked += g->events;
	else
		w->t->n_unresolved[l.reason] += g->events;
}

/* ---- all ---- */

struct place_in_file {
	uint64_t n;
	uint32_t group;
	uint8_t rank;
};

static int
by_place(const void *a, const void *b)
{
	const struct place_in_file *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static struct place_in_file *
file_order(const struct imp_work *w)
{
	struct place_in_file *p = tl_xreallocarray(NULL, w->n_groups,
	    sizeof *p);
	bool sorted = true;

	for (size_t i = 0; i < w->n_groups; i++) {
		p[i] = (struct place_in_file){ w->group[i].n, (uint32_t)i,
			w->group[i].rank };
		sorted &= i == 0 || by_place(&p[i - 1], &p[i]) < 0;
	}
	if (!sorted)
		qsort(p, w->n_groups, sizeof *p, by_place);
	return p;
}

static void
write_all(struct writer *w)
{
	struct place_in_file *order = file_order(w->w);

	for (size_t i = 0; i < w->w->n_groups; i++) {
		const struct imp_group *g = &w->w->group[order[i].group];
		struct imp_link l = imp_link(w->w, g);
		int64_t pid = l.call != IMP_NONE ?
		    w->t->pid[w->w->call[l.call].proc] : w->t->nsys ?
		    w->t->pid[g->proc] : -1;
		const struct place *p = place_of(w, g->dev, pid);

		record(w, g, i + 1, l, p);
		count(w, g, l);
		first_uuid(&w->w->dev[g->dev], g, p);
		tl_xout_write(w->out, w->b.p, w->b.n);
		w->b.n = 0;
	}
	free(order);
}

void
imp_xrecords(struct imp_opt *o, struct imp_artifact *a, struct imp_trace *t,
    size_t which, struct tl_out *out)
{
	struct writer w = { .o = o, .a = a, .t = t, .w = t->work,
		.which = which, .out = out };
	struct imp_buf b = { 0 };

	w.name = tl_xcalloc(w.w->names.n, sizeof *w.name);
	imp_xstr(&b, t->id);
	b.n--;
	w.id = keep(t, &b);
	w.id.p++;
	w.id.n--;
	free(b.p);
	base_context(&w);
	imp_xsegments(w.w);
	imp_xhello_bind(t);
	for (size_t i = 0; i < w.w->n_devs; i++)
		w.w->dev[i].span_end = INT64_MIN;
	for (size_t i = 0; i < w.w->n_groups; i++)
		span(&w.w->dev[w.w->group[i].dev], &w.w->group[i]);
	write_all(&w);
	imp_xuuid_used(t, which);
	t->n_groups = w.w->n_groups;
	t->found[0] = t->n_events > 0;
	t->found[1] = w.w->any_corr;
	t->found[2] = w.w->n_ranges > 0;
	t->found[3] = w.w->any_graph;
	t->found[4] = w.w->any_stream;
	imp_xsummary(t, o, w.n_graph);
	free(w.name);
	free(w.place);
	free(w.stream);
	free(w.b.p);
	imp_map_free(&w.place_of);
}
