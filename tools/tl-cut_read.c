#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "tl-cut.h"

void
cut_die_at(const struct cut *c, const char *what, struct tl_str subject,
    const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die("%s:%llu: %s '%s': %s", c->name,
	    (unsigned long long)c->in.in.line, what,
	    tl_quote(q, sizeof q, subject.p, subject.n), why);
}

/* "process:device" of an event, in buf or allocated (*own). */
static struct tl_str
scope_name(const struct tl_ev *ev, char *buf, size_t size, char **own)
{
	size_t n = ev->process.n + 1 + ev->device.n;
	char *s = n <= size ? buf : tl_xmalloc(n);

	*own = s == buf ? NULL : s;
	memcpy(s, ev->process.p, ev->process.n);
	s[ev->process.n] = ':';
	memcpy(s + ev->process.n + 1, ev->device.p, ev->device.n);
	return (struct tl_str){ s, n };
}

static bool
on_asked_device(const struct cut *c, const struct tl_ev *ev)
{
	char buf[256], *own;
	struct tl_str scope;
	bool found = false;

	if (c->opt.n_devices == 0 || (tl_str_none(ev->device) &&
	    !tl_kind_on_device(ev->kind)))
		return true;
	scope = scope_name(ev, buf, sizeof buf, &own);
	for (size_t i = 0; i < c->opt.n_devices; i++) {
		bool is = tl_str_is(ev->device, c->opt.device[i]) ||
		    tl_str_is(scope, c->opt.device[i]);

		c->opt.device_there[i] |= is;
		found |= is;
	}
	free(own);
	return found;
}

/* An instant lies in the window if its time does; what is open goes on. */
static bool
in_window(const struct cut *c, const struct tl_ev *ev)
{
	const struct cut_opt *o = &c->opt;
	uint64_t at = (uint64_t)ev->start_ns - (uint64_t)c->first_ns;
	bool open = ev->dur_ns == TL_NONE && ev->kind != TL_MARK &&
	    ev->kind != TL_COUNTER;

	if (!o->window)
		return true;
	if (at >= (uint64_t)o->to_ns && o->to_ns != INT64_MAX)
		return false;
	return open || at >= (uint64_t)o->from_ns || (ev->dur_ns > 0 &&
	    at + (uint64_t)ev->dur_ns > (uint64_t)o->from_ns);
}

/* The scope a device event belongs to. */
static uint32_t
scope_text(struct cut *c, const struct tl_ev *ev)
{
	char buf[256], *own;
	struct tl_str s;
	uint32_t t;

	if (tl_str_none(ev->device) && !tl_kind_on_device(ev->kind))
		return CUT_NO;
	s = scope_name(ev, buf, sizeof buf, &own);
	t = tl_xintern(&c->text, s);
	free(own);
	return t;
}

static void
keep_more(struct cut *c, const struct tl_ev *ev)
{
	struct cut_more m = { .corr = CUT_NO_CORR, .occ = CUT_NO };
	uint64_t v;

	if (!tl_str_none(ev->correlation)) {
		m.process = tl_xintern(&c->text, ev->process);
		m.corr = tl_num_str_u64(ev->correlation, &v) &&
		    v < (uint64_t)1 << 63 ? v : (uint64_t)1 << 63 |
		    tl_xintern(&c->text, ev->correlation);
	}
	c->more = tl_xgrow(c->more, c->n_more, &c->cap_more, sizeof *c->more);
	c->more[c->n_more++] = m;
}

static void
put_prog(struct cut *c)
{
	if (!c->prog_done && !c->no_prog)
		tl_xevout_prog(&c->out, c->argc, c->argv);
	c->prog_done = true;
}

/* The order is what a window and all that comes later rely on. */
static void
check_order(struct cut *c, const struct tl_ev *ev)
{
	char id[24];
	struct tl_str s = { id, tl_num_put_u64(id, ev->id) };

	if (c->n_ev > 0 && ev->start_ns < c->last_ns)
		cut_die_at(c, "event", s, "starts before the one above");
	if (c->n_ev > 0 && ev->id <= c->last_id)
		cut_die_at(c, "event", s, "its id is not more than the last");
	if (c->n_ev == 0)
		c->first_ns = c->end_ns = ev->start_ns;
	c->last_ns = ev->start_ns;
	c->last_id = ev->id;
	if (ev->dur_ns != TL_NONE && ev->start_ns + ev->dur_ns > c->end_ns)
		c->end_ns = ev->start_ns + ev->dur_ns;
	else if (ev->start_ns > c->end_ns)
		c->end_ns = ev->start_ns;
}

/* From the first line that is held back on, all are, to keep their order. */
static void
hold(struct cut *c, struct tl_str line)
{
	c->held = true;
	tl_xspool_add(c->lines, line);
}

static void
take_event(struct cut *c, const struct tl_rec *rec)
{
	const struct tl_ev *ev = &rec->ev;
	struct cut_event e = { .start_ns = ev->start_ns, .dur_ns = ev->dur_ns,
		.kind = (uint8_t)ev->kind, .cls = (uint8_t)ev->cls };

	check_order(c, ev);
	if (c->n_ev >= CUT_NO - 1)
		tl_die("%s: too many events", c->name);
	e.scope = scope_text(c, ev);
	e.costs = tl_kind_on_device(ev->kind) && ev->kind != TL_SYNC &&
	    !tl_str_is(tl_key(ev->keys, "detail"), "1");
	e.kept = on_asked_device(c, ev) && (c->opt.kinds >> ev->kind & 1) &&
	    in_window(c, ev);
	tl_xevids_add(&c->ids, ev->id);
	c->ev = tl_xgrow(c->ev, c->n_ev, &c->cap_ev, sizeof *c->ev);
	c->ev[c->n_ev++] = e;
	if (c->opt.iterations)
		keep_more(c, ev);
	c->n_kept += e.kept;
	if (c->held || c->opt.iterations)
		hold(c, rec->line);
	else if (e.kept)
		tl_xevout_line(&c->out, rec->line);
}

/* What an earlier run left says so. */
static void
take_note(struct cut *c, struct tl_str line)
{
	struct tl_str f[3];

	c->was_cut |= tl_fields(f, 3, line.p, line.n) > 2 &&
	    tl_str_is(f[2], "cut");
}

static void
take(struct cut *c, const struct tl_rec *rec)
{
	if (rec->kind == TL_HEADER) {
		tl_xevout_line(&c->out, rec->line);
		return;
	}
	put_prog(c);
	if (tl_kind_is_event(rec->kind)) {
		take_event(c, rec);
		return;
	}
	if (rec->kind == TL_NOTE)
		take_note(c, rec->line);
	switch (rec->kind) {
	case TL_POS:
		cut_xpos(c, rec->line);
		break;
	case TL_OCC:
		cut_xocc(c, rec->line);
		break;
	case TL_REAL:
		cut_xreal(c, rec->line);
		break;
	case TL_DEV:
		(void)cut_xdev(c, rec->line);
		break;
	case TL_LAUNCH:
		cut_xlaunch(c, rec->line);
		break;
	case TL_MEMBER:
		cut_xmember(c, rec->line);
		break;
	case TL_UNIT:
		break;
	default:
		if (!c->held) {
			cut_xcontext_write(c, rec->kind, rec->line);
			return;
		}
		break;
	}
	hold(c, rec->line);
}

void
cut_xread(struct cut *c)
{
	struct tl_rec rec;
	struct tl_err err;
	enum tl_status st;

	while ((st = tl_evin_next(&c->in, &rec, &err)) == TL_OK)
		take(c, &rec);
	if (st == TL_ERR)
		tl_die("%s", err.msg);
	put_prog(c);
}
