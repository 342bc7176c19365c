#include "mem.h"
#include "name.h"
#include "tl-perfetto.h"

void
pf_xbegin(struct tl_json *j, char phase, uint32_t pid, uint32_t tid)
{
	tl_xjson_line(j);
	tl_xjson_begin(j, '{');
	TL_XJSON_KEY(j, "ph");
	tl_xjson_text(j, (struct tl_str){ &phase, 1 });
	TL_XJSON_KEY(j, "pid");
	tl_xjson_u64(j, pid);
	TL_XJSON_KEY(j, "tid");
	tl_xjson_u64(j, tid);
}

void
pf_xat(const struct pf *p, struct tl_json *j, int64_t at_ns)
{
	TL_XJSON_KEY(j, "ts");
	tl_xjson_us(j, pf_since(p, at_ns));
}

static void
put_text(struct tl_json *j, const char *s)
{
	tl_xjson_text(j, (struct tl_str){ s, strlen(s) });
}

static void
put_name(struct tl_json *j, enum tl_kind kind, struct tl_str name)
{
	TL_XJSON_KEY(j, "name");
	if (tl_str_none(name))
		put_text(j, tl_kind_name(kind));
	else
		tl_xjson_text(j, name);
}

/* What is shown of a name, valid until the next call. */
static struct tl_str
shown_name(struct pf *p, const struct tl_ev *ev)
{
	if (!p->opt.short_names || !tl_kind_on_device(ev->kind))
		return ev->name;
	if (p->name_cap < ev->name.n + 1) {
		p->name_cap = ev->name.n + 1;
		p->name_buf = tl_xreallocarray(p->name_buf, p->name_cap, 1);
	}
	return (struct tl_str){ p->name_buf,
		tl_name_short(p->name_buf, ev->name) };
}

/* Half an arrow, at the start of a slice that was just written. */
static void
put_arrow(const struct pf *p, struct tl_json *j, char phase, uint32_t id,
    uint32_t event)
{
	const struct pf_event *e = &p->ev[event];
	const struct pf_group *g = &p->group[e->group];

	pf_xbegin(j, phase, p->plane[g->plane].pid, pf_tid(g, e->lane));
	pf_xat(p, j, e->start_ns);
	TL_XJSON_KEY(j, "cat");
	put_text(j, "launch");
	TL_XJSON_KEY(j, "name");
	put_text(j, "launch");
	TL_XJSON_KEY(j, "id");
	tl_xjson_u64(j, (uint64_t)id + 1);
	if (phase == 'f') {
		TL_XJSON_KEY(j, "bp");
		put_text(j, "e");
	}
	tl_xjson_end(j, '}');
}

/* Arrows have the number of the device event they end at. */
static void
put_arrows(const struct pf *p, struct tl_json *j, uint32_t event)
{
	for (uint32_t w = p->first_arrow[event]; w != PF_NO;
	    w = p->next_arrow[w])
		put_arrow(p, j, 's', w, event);
	if (p->arrow_in[event] != PF_NO)
		put_arrow(p, j, 'f', p->arrow_in[event], event);
}

/* A counter of the capture: its number is the value of key "value", its
 * series the value of "series". */
static void
put_counter(const struct pf *p, struct tl_json *j, uint32_t event,
    const struct tl_ev *ev)
{
	const struct pf_event *e = &p->ev[event];
	const struct pf_group *g = &p->group[e->group];
	struct tl_str value = tl_key(ev->keys, "value");
	struct tl_str series = tl_key(ev->keys, "series");

	pf_xbegin(j, 'C', p->plane[g->plane].pid, pf_tid(g, e->lane));
	pf_xat(p, j, e->start_ns);
	put_name(j, ev->kind, ev->name);
	TL_XJSON_KEY(j, "args");
	tl_xjson_begin(j, '{');
	tl_xjson_key_text(j, "", series.p != NULL ? series : TL_LIT("value"));
	tl_xjson_number(j, value);
	tl_xjson_end(j, '}');
	tl_xjson_end(j, '}');
}

static void
put_event(struct pf *p, struct tl_json *j, uint32_t event,
    const struct tl_ev *ev)
{
	const struct pf_event *e = &p->ev[event];
	const struct pf_group *g = &p->group[e->group];
	bool instant = ev->kind == TL_MARK;
	struct tl_str name;

	if (e->flags & PF_HIDDEN)
		return;
	if (ev->kind == TL_COUNTER) {
		put_counter(p, j, event, ev);
		return;
	}
	pf_xbegin(j, instant ? 'i' : 'X', p->plane[g->plane].pid,
	    pf_tid(g, e->lane));
	pf_xat(p, j, e->start_ns);
	if (instant) {
		TL_XJSON_KEY(j, "s");
		put_text(j, "t");
	} else {
		TL_XJSON_KEY(j, "dur");
		tl_xjson_us(j, (uint64_t)e->dur_ns);
	}
	TL_XJSON_KEY(j, "cat");
	put_text(j, tl_kind_name(ev->kind));
	name = shown_name(p, ev);
	put_name(j, ev->kind, name);
	pf_xargs(p, j, event, ev, !tl_str_eq(name, ev->name));
	tl_xjson_end(j, '}');
	if (p->opt.arrows)
		put_arrows(p, j, event);
}

void
pf_xslice(const struct pf *p, struct tl_json *j, uint32_t group, uint32_t lane,
    int64_t start_ns, int64_t dur_ns, const char *cat)
{
	const struct pf_group *g = &p->group[group];

	pf_xbegin(j, 'X', p->plane[g->plane].pid, pf_tid(g, lane));
	pf_xat(p, j, start_ns);
	TL_XJSON_KEY(j, "dur");
	tl_xjson_us(j, (uint64_t)dur_ns);
	TL_XJSON_KEY(j, "cat");
	put_text(j, cat);
}

/* The lines of events and occurrences stand in the spool as they came. */
void
pf_xwrite(struct pf *p, struct tl_json *j)
{
	uint32_t event = 0, occ = 0;
	struct tl_str line;

	tl_xspool_rewind(p->lines);
	while (tl_xspool_next(p->lines, &line)) {
		const char *tab = memchr(line.p, '\t', line.n);
		struct tl_str word = { line.p, (size_t)(tab - line.p) };
		enum tl_kind kind = tl_kind_of(word);
		struct tl_err err;
		struct tl_ev ev;

		if (kind == TL_OCC)
			pf_xocc_write(p, j, occ++, line);
		else if (tl_ev_parse(&ev, kind, line.p, line.n, &err) == TL_OK)
			put_event(p, j, event++, &ev);
		else
			tl_die("temporary file: %s", err.msg);
	}
	pf_xlaunches_write(p, j);
	pf_xsched_write(p, j);
	pf_xcount_write(p, j);
}
