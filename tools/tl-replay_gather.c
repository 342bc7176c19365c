#include <stdlib.h>

#include "tl-replay.h"

#include "num.h"

/* ---- names ---- */

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the word, in lower case, is in the text, in any case. */
static bool
contains(struct tl_str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++) {
		size_t k = 0;

		while (k < n && lower(s.p[i + k]) == word[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool
has_word(const struct rep_capture *cap, struct tl_str name)
{
	for (size_t w = 0; w < cap->n_words; w++) {
		size_t n = strlen(cap->words[w]);

		for (size_t i = 0; i + n <= name.n; i++)
			if (memcmp(name.p + i, cap->words[w], n) == 0)
				return true;
	}
	return false;
}

/* ---- columns ---- */

static uint32_t
small_id(uint64_t id)
{
	if (id >= REP_NONE)
		tl_die("event id '%llu': more events than tl-replay takes",
		    (unsigned long long)id);
	return (uint32_t)id;
}

static uint64_t
corr_of(struct rep_capture *cap, struct tl_str token)
{
	uint64_t v;

	if (tl_num_str_u64(token, &v) && v < REP_CORR_TEXT)
		return v;
	return REP_CORR_TEXT | tl_xintern(&cap->text, token);
}

/* The keys that matter here. */
struct keys {
	struct tl_str sym, graph, node, copy; /* p is NULL if not there */
	struct tl_str type, model;
	bool detail, failed;
	bool identity; /* of Ascend: a task's name is that of its work */
};

static bool
take(struct tl_str field, const char *key, struct tl_str *value)
{
	size_t n = strlen(key);

	if (field.n <= n || memcmp(field.p, key, n) != 0)
		return false;
	*value = (struct tl_str){ field.p + n, field.n - n };
	return true;
}

/* 0 is how some captures write that there is no graph. */
static void
take_id(struct tl_str field, const char *key, struct tl_str *id)
{
	struct tl_str value;

	if (take(field, key, &value) && !tl_str_is(value, "0"))
		*id = field;
}

static struct keys
keys_of(struct tl_str keys)
{
	const char *p = keys.p, *end = keys.p + keys.n;
	struct keys k = { .detail = false };
	struct tl_str any;

	while (p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		struct tl_str f = { p, (size_t)((tab ? tab : end) - p) };

		take(f, "sym=", &k.sym);
		take(f, "copy=", &k.copy);
		take_id(f, "graph=", &k.graph);
		take_id(f, "node=", &k.node);
		k.detail |= take(f, "detail=", &any);
		k.failed |= take(f, "result=", &any);
		take(f, "type=", &k.type);
		take(f, "model=", &k.model);
		k.identity |= take(f, "identity=", &any) ||
		    take(f, "tasks=", &any);
		p += f.n + 1;
	}
	return k;
}

/* ---- device events ---- */

static uint32_t
lane_of(struct rep_capture *cap, const struct tl_ev *ev)
{
	/* columns 5 to 8 stand side by side */
	struct tl_str key = { ev->process.p,
		(size_t)(ev->lane.p + ev->lane.n - ev->process.p) };
	struct tl_str device = { key.p,
		(size_t)(ev->device.p + ev->device.n - key.p) };
	size_t known = cap->lanes.n;
	uint32_t i = tl_xintern(&cap->lanes, key);

	if (i < known)
		return i;
	cap->lane = tl_xgrow(cap->lane, known, &cap->lanes_cap,
	    sizeof *cap->lane);
	cap->lane[i] = (struct rep_lane){
		.process = tl_xintern(&cap->text, ev->process),
		.device = tl_xintern(&cap->text, ev->device),
		.context = tl_xintern(&cap->text, ev->context),
		.device_no = tl_xintern(&cap->devices, device),
		.stream = rep_acl_stream(cap, ev->device, ev->lane),
	};
	cap->lane[i].owner = cap->lane[i].process;
	return i;
}

/* What takes part in a body's identity. Names of copies and fills tell what
 * the profiler knew of the memory, which differs between equal nodes. */
static uint32_t
sym_of(struct rep_capture *cap, const struct tl_ev *ev, const struct keys *k)
{
	char buf[64];

	if (k->sym.p != NULL)
		return tl_xintern(&cap->text, k->sym);
	if (ev->kind == TL_MEMSET)
		return tl_xintern(&cap->text, TL_LIT("\tmemset"));
	if (ev->kind == TL_MEMCPY && k->copy.n < sizeof buf - 8) {
		memcpy(buf, "\tmemcpy ", 8);
		if (k->copy.n > 0)
			memcpy(buf + 8, k->copy.p, k->copy.n);
		return tl_xintern(&cap->text,
		    (struct tl_str){ buf, 8 + k->copy.n });
	}
	return tl_xintern(&cap->text, ev->name);
}

static int
tie_cmp(const void *pa, const void *pb)
{
	const struct rep_tie *a = pa, *b = pb;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/* Tells how the events that start together last follow those before. The
 * shorter was first. */
static void
end_ties(struct rep_capture *cap, struct rep_lane *l)
{
	if (l->n_ties > 1)
		qsort(l->tie, l->n_ties, sizeof *l->tie, tie_cmp);
	for (size_t i = 0; i < l->n_ties; i++) {
		const struct rep_tie *t = &l->tie[i];

		if (t->event != SIZE_MAX)
			cap->event[t->event].follows = l->corr == t->corr ?
			    REP_FOLLOWS : l->corr < REP_CORR_TEXT &&
			    l->corr > t->corr ? REP_GOES_BACK : REP_BEGINS;
		l->corr = t->corr;
	}
	l->n_ties = 0;
}

/* The next event of a lane: in cap->event, or none that is kept. */
static void
add_to_lane(struct rep_capture *cap, struct rep_lane *l,
    const struct tl_ev *ev, uint64_t corr, size_t event)
{
	if (l->last_id == 0) {
		l->first_id = ev->id;
		l->corr = UINT64_MAX; /* nobody's */
	} else if (l->start_ns != ev->start_ns) {
		end_ties(cap, l);
	}
	l->last_id = ev->id;
	l->start_ns = ev->start_ns;
	l->tie = tl_xgrow(l->tie, l->n_ties, &l->ties_cap, sizeof *l->tie);
	l->tie[l->n_ties++] = (struct rep_tie){
		ev->start_ns + ev->dur_ns, corr, event
	};
}

static uint32_t
id_token(struct rep_capture *cap, struct tl_str field)
{
	return field.p == NULL ? REP_NONE : tl_xintern(&cap->text, field);
}

static void
add_event(struct rep_capture *cap, const struct tl_ev *ev)
{
	struct keys k = keys_of(ev->keys);
	bool is_graph = ev->kind == TL_GRAPH, is_body;
	bool keep = is_graph || !tl_str_none(ev->correlation);
	uint64_t corr;
	uint32_t lane, model;

	if ((!is_graph && k.detail) || (ev->kind == TL_SYNC && !k.type.p))
		return;
	lane = lane_of(cap, ev);
	corr = corr_of(cap, ev->correlation);
	model = rep_acl_model(cap, ev->device, k.model);
	if (k.type.p != NULL && !k.identity &&
	    rep_acl_event(cap, ev, lane, corr, k.type, model))
		keep = false;
	if (ev->kind == TL_SYNC)
		return;
	is_body = k.identity && cap->lane[lane].stream != REP_NONE;
	keep |= is_body;
	if (!is_graph)
		add_to_lane(cap, &cap->lane[lane], ev, corr,
		    keep ? cap->n_events : SIZE_MAX);
	if (!keep) {
		cap->counts.untied += k.graph.p != NULL || k.node.p != NULL;
		return;
	}
	cap->event = tl_xgrow(cap->event, cap->n_events, &cap->events_cap,
	    sizeof *cap->event);
	cap->event[cap->n_events] = (struct rep_event){
		.start_ns = ev->start_ns,
		.end_ns = ev->start_ns + ev->dur_ns,
		.corr = corr,
		.lane = lane,
		.sym = is_graph ? REP_NONE : sym_of(cap, ev, &k),
		.graph = id_token(cap, k.graph),
		.node = id_token(cap, k.node),
		.id = small_id(ev->id),
		.at = (uint32_t)cap->n_events,
		.is_kernel = ev->kind == TL_KERNEL || ev->kind == TL_TASK,
		.is_graph = is_graph,
		.model = model,
		.is_body = is_body,
	};
	cap->n_events++;
}

/* ---- calls ---- */

static void
add_call(struct rep_capture *cap, const struct tl_ev *ev)
{
	bool graph = contains(ev->name, "graph");
	bool launch = (graph && contains(ev->name, "launch")) ||
	    (cap->n_words > 0 && has_word(cap, ev->name));
	bool capture = contains(ev->name, "begin") &&
	    contains(ev->name, "capture");
	bool untied = tl_str_none(ev->correlation);
	struct tl_str lane = { ev->process.p,
		(size_t)(ev->lane.p + ev->lane.n - ev->process.p) };

	if (untied && !launch && !capture)
		return;
	cap->call = tl_xgrow(cap->call, cap->n_calls, &cap->calls_cap,
	    sizeof *cap->call);
	cap->call[cap->n_calls++] = (struct rep_call){
		.start_ns = ev->start_ns,
		.end_ns = ev->start_ns +
		    (ev->dur_ns == TL_NONE ? 0 : ev->dur_ns),
		.owner = tl_xintern(&cap->text, ev->process),
		.corr = corr_of(cap, ev->correlation),
		.lane = launch ? tl_xintern(&cap->text, lane) : REP_NONE,
		.id = small_id(ev->id),
		.outer = REP_NONE,
		.is_launch = launch,
		.is_graph = graph,
		.is_capture = capture,
		.is_execute = contains(ev->name, "execute"),
		.untied = untied,
		.failed = keys_of(ev->keys).failed,
	};
}

void
rep_gather(struct rep_capture *cap, struct tl_filter *f)
{
	struct tl_rec rec;

	cap->counts.shared_call = REP_NONE;
	while (tl_xfilter_next(f, &rec)) {
		if (rec.kind == TL_HEADER)
			rep_acl_header(cap, rec.line);
		else if (rec.kind == TL_API)
			add_call(cap, &rec.ev);
		else if (tl_kind_on_device(rec.kind))
			add_event(cap, &rec.ev);
	}
	for (size_t i = 0; i < cap->lanes.n; i++) {
		end_ties(cap, &cap->lane[i]);
		free(cap->lane[i].tie);
	}
}

void
rep_capture_free(struct rep_capture *cap)
{
	for (size_t i = 0; i < cap->n_launches; i++) {
		free(cap->launch[i].fit.index);
		free(cap->launch[i].fit.lane);
	}
	free(cap->launch);
	free(cap->unit);
	free(cap->event);
	free(cap->call);
	free(cap->lane);
	rep_acl_free(cap->acl);
	tl_intern_free(&cap->lanes);
	tl_intern_free(&cap->devices);
	tl_intern_free(&cap->text);
}
