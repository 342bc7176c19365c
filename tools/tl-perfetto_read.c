#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "tl-perfetto.h"

void
pf_die_at(const struct tl_evin *in, const char *what, struct tl_str subject,
    const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die("%s:%llu: %s '%s': %s", in->in.name,
	    (unsigned long long)in->in.line, what,
	    tl_quote(q, sizeof q, subject.p, subject.n), why);
}

int64_t
pf_xnumber_of(const struct tl_evin *in, const char *what, struct tl_str s,
    int64_t min, int64_t max)
{
	int64_t v;

	if (!tl_num_str_i64(s, &v) || v < min || v > max)
		pf_die_at(in, what, s, "is no number, or out of range");
	return v;
}

uint32_t
pf_event_of(const struct pf *p, uint64_t id)
{
	size_t i = tl_evids_find(&p->ids, id);

	return i == TL_NO_EVENT ? PF_NO : (uint32_t)i;
}

static struct tl_str
keep(struct pf *p, struct tl_str s)
{
	return (struct tl_str){ tl_xarena_copy(&p->arena, s.p, s.n), s.n };
}

static void
take_id(const struct tl_evin *in, const struct tl_ev *ev, uint64_t *last)
{
	char id[24];

	if (*last != 0 && ev->id <= *last)
		pf_die_at(in, "id", (struct tl_str){ id,
		    tl_num_put_u64(id, ev->id) },
		    "must be more than that of the event above");
	*last = ev->id;
}

static enum pf_group_kind
group_kind(const struct tl_ev *ev, bool detail)
{
	if (!tl_kind_on_device(ev->kind))
		return !tl_str_none(ev->device) ? PF_RANGES :
		    ev->kind == TL_COUNTER ? PF_COUNTER : PF_THREAD;
	return ev->kind == TL_SYNC ? PF_SYNC : detail ? PF_DETAILS : PF_WORK;
}

/* Counters of a process are not told apart by thread. */
static uint32_t
counters_of(struct pf *p, struct tl_str process)
{
	char *s = tl_xmalloc(process.n + 6);
	uint32_t g;

	memcpy(s, process.p, process.n);
	memcpy(s + process.n, "\t.\t.\t.", 6);
	g = pf_xgroup(p, PF_COUNTER, 0, (struct tl_str){ s, process.n + 6 });
	free(s);
	return g;
}

/* The lanes an event belongs to. Neighbours often share them. */
static uint32_t
group_of(struct pf *p, const struct tl_ev *ev, enum pf_group_kind kind)
{
	struct tl_str lane4 = { ev->process.p,
		(size_t)(ev->lane.p + ev->lane.n - ev->process.p) };
	uint32_t *recent = p->recent[kind == PF_THREAD];

	for (int i = 0; i < PF_RECENT; i++) {
		uint32_t g = recent[i];
		struct tl_str key;

		if (g == PF_NO || p->group[g].kind != kind)
			continue;
		key = tl_intern_str(&p->group_key, g);
		if (key.n == lane4.n + 5 &&
		    memcmp(key.p + 5, lane4.p, lane4.n) == 0)
			return g;
	}
	if (kind == PF_COUNTER)
		return counters_of(p, ev->process);
	memmove(recent + 1, recent, (PF_RECENT - 1) * sizeof *recent);
	recent[0] = pf_xgroup(p, kind, 0, lane4);
	return recent[0];
}

/* Correlation ids are mostly small numbers. */
static uint64_t
corr_of(struct pf *p, struct tl_str s)
{
	uint64_t v;

	if (tl_num_str_u64(s, &v) && v < (uint64_t)1 << 63)
		return v;
	return (uint64_t)1 << 63 | tl_xintern(&p->text, s);
}

static void
add_call(struct pf *p, const struct tl_ev *ev, uint32_t event)
{
	p->call = tl_xgrow(p->call, p->n_calls, &p->cap_calls, sizeof *p->call);
	p->call[p->n_calls++] = (struct pf_call){
		.start_ns = ev->start_ns,
		.id = ev->id,
		.corr = corr_of(p, ev->correlation),
		.process = tl_xintern(&p->text, ev->process),
		.event = event,
	};
}

static void
add_work(struct pf *p, const struct tl_ev *ev, uint32_t event)
{
	p->work = tl_xgrow(p->work, p->n_work, &p->cap_work, sizeof *p->work);
	p->work[p->n_work++] = (struct pf_work){
		.corr = tl_str_none(ev->correlation) ? PF_NO_CORR :
		    corr_of(p, ev->correlation),
		.process = tl_xintern(&p->text, ev->process),
		.event = event,
		.call = PF_NO,
	};
}

/* Those whose launch is looked for: all on a device but what waits for or
 * details others. */
static void
take_join(struct pf *p, const struct tl_ev *ev, enum pf_group_kind kind,
    uint32_t event)
{
	if (!p->opt.arrows && !p->opt.counters)
		return;
	if (ev->kind == TL_API && !tl_str_none(ev->correlation))
		add_call(p, ev, event);
	else if (tl_kind_on_device(ev->kind) && (kind == PF_WORK ||
	    kind == PF_SYNC))
		add_work(p, ev, event);
}

/* A counter has its number in key "value", and in key "series" which of its
 * numbers it is. True if it is one and not that of the last point. */
static bool
is_point(struct pf *p, const struct tl_ev *ev)
{
	struct tl_str value = tl_key(ev->keys, "value");
	struct tl_str series = tl_key(ev->keys, "series");
	struct tl_str part[] = { ev->process, ev->name, series };
	size_t n = 0, i;
	uint32_t v;
	char *key;

	if (value.p == NULL || !tl_json_is_number(value)) {
		p->n_no_number++;
		return false;
	}
	key = tl_xmalloc(ev->process.n + ev->name.n + series.n + 3);
	for (i = 0; i < sizeof part / sizeof *part; i++) {
		if (part[i].n > 0)
			memcpy(key + n, part[i].p, part[i].n);
		n += part[i].n;
		key[n++] = '\t';
	}
	i = tl_xintern(&p->series, (struct tl_str){ key, n });
	free(key);
	v = tl_xintern(&p->text, value);
	if (i == p->n_series) {
		p->last_value = tl_xgrow(p->last_value, p->n_series,
		    &p->cap_series, sizeof *p->last_value);
		p->last_value[p->n_series++] = PF_NO;
	}
	if (p->last_value[i] == v)
		return false;
	p->last_value[i] = v;
	return true;
}

static void
take_event(struct pf *p, const struct tl_evin *in, const struct tl_rec *rec)
{
	const struct tl_ev *ev = &rec->ev;
	bool detail = tl_kind_on_device(ev->kind) && ev->keys.n > 0 &&
	    tl_str_is(tl_key(ev->keys, "detail"), "1");
	enum pf_group_kind kind = group_kind(ev, detail);
	struct pf_event e = {
		.start_ns = ev->start_ns, .dur_ns = ev->dur_ns,
		.kind = (uint8_t)ev->kind, .cls = (uint8_t)ev->cls,
	};

	if (p->n_seen++ > 0 && ev->start_ns < p->last_ns)
		tl_die("%s:%llu: event %llu: starts before the one above",
		    in->in.name, (unsigned long long)in->in.line,
		    (unsigned long long)ev->id);
	p->last_ns = ev->start_ns;
	take_id(in, ev, &p->last_id);
	if (p->opt.no_host && (kind == PF_THREAD || kind == PF_COUNTER)) {
		take_join(p, ev, kind, PF_NO);
		return;
	}
	if (p->n_ev >= PF_NO - 1)
		tl_die("%s: too many events", in->in.name);
	if (ev->dur_ns == TL_NONE) {
		e.dur_ns = 0;
		e.flags |= ev->kind == TL_MARK || ev->kind == TL_COUNTER ? 0 :
		    PF_OPEN;
	}
	if (ev->kind == TL_COUNTER && !is_point(p, ev))
		e.flags |= PF_HIDDEN;
	if (p->opt.pack && tl_key(ev->keys, "graph").p != NULL)
		e.flags |= PF_REPLAYED;
	e.group = group_of(p, ev, kind);
	tl_xevids_add(&p->ids, ev->id);
	take_join(p, ev, kind, (uint32_t)p->n_ev);
	p->ev = tl_xgrow(p->ev, p->n_ev, &p->cap_ev, sizeof *p->ev);
	p->ev[p->n_ev++] = e;
	tl_xspool_add(p->lines, rec->line);
}

static void
take_note(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str f[5];

	if (tl_fields(f, 5, line.p, line.n) < 5)
		pf_die_at(in, "note", line, "five columns are needed");
	p->note = tl_xgrow(p->note, p->n_notes, &p->cap_notes,
	    sizeof *p->note);
	p->note[p->n_notes++] = keep(p, line);
}

static void
take(struct pf *p, const struct tl_evin *in, const struct tl_rec *rec)
{
	switch (rec->kind) {
	case TL_HEADER:
		pf_xhead_line(p, rec->line);
		break;
	case TL_LAUNCH:
		pf_xlaunch(p, in, rec->line);
		break;
	case TL_MEMBER:
		pf_xmember(p, in, rec->line);
		break;
	case TL_STEP:
		pf_xsched(p, in, rec->line);
		break;
	case TL_WORK:
		pf_xsched_work(p, in, rec->line);
		break;
	case TL_POS:
		pf_xpos(p, in, rec->line);
		break;
	case TL_OCC:
		pf_xocc(p, in, rec->line);
		tl_xspool_add(p->lines, rec->line);
		break;
	case TL_REAL:
		pf_xreal(p, in, rec->line);
		break;
	case TL_NOTE:
		take_note(p, in, rec->line);
		break;
	default:
		if (tl_kind_is_event(rec->kind))
			take_event(p, in, rec);
		break;
	}
}

void
pf_xread(struct pf *p, struct tl_evin *in)
{
	struct tl_rec rec;
	struct tl_err err;
	enum tl_status st;

	p->lines = tl_xspool_new(p->opt.budget);
	memset(p->recent, 0xff, sizeof p->recent);
	while ((st = tl_evin_next(in, &rec, &err)) == TL_OK)
		take(p, in, &rec);
	if (st == TL_ERR)
		tl_die("%s", err.msg);
	p->cut = in->cut;
}
