#include "evout.h"

#include <stdarg.h>
#include <stdio.h>

#include "num.h"
#include "version.h"

void
tl_xevout_open(struct tl_evout *o, const char *path)
{
	*o = (struct tl_evout){ .n_records = 0 };
	tl_xout_open(&o->out, path);
}

void
tl_xevout_version(struct tl_evout *o)
{
	tl_xout_printf(&o->out, "#tl-ev\t%d\n", TL_EV_VERSION);
}

void
tl_xevout_head(struct tl_evout *o, const char *word)
{
	tl_xout_c(&o->out, '#');
	tl_xout_puts(&o->out, word);
}

void
tl_xevout_rec(struct tl_evout *o, enum tl_kind kind)
{
	tl_xout_puts(&o->out, tl_kind_name(kind));
	o->n_records++;
}

void
tl_xevout_eol(struct tl_evout *o)
{
	tl_xout_c(&o->out, '\n');
}

void
tl_xevout_none(struct tl_evout *o)
{
	tl_xout_write(&o->out, "\t.", 2);
}

void
tl_xevout_raw(struct tl_evout *o, struct tl_str s)
{
	tl_xout_c(&o->out, '\t');
	tl_xout_str(&o->out, s.n == 0 ? TL_LIT(".") : s);
}

void
tl_xevout_text(struct tl_evout *o, struct tl_str s)
{
	if (s.n == 0) {
		tl_xevout_none(o);
		return;
	}
	tl_xout_c(&o->out, '\t');
	tl_xout_esc(&o->out, s);
}

void
tl_xevout_u64(struct tl_evout *o, uint64_t v)
{
	tl_xout_c(&o->out, '\t');
	tl_xout_u64(&o->out, v);
}

void
tl_xevout_i64(struct tl_evout *o, int64_t v)
{
	tl_xout_c(&o->out, '\t');
	tl_xout_i64(&o->out, v);
}

void
tl_xevout_ns(struct tl_evout *o, int64_t v)
{
	if (v == TL_NONE)
		tl_xevout_none(o);
	else
		tl_xevout_i64(o, v);
}

void
tl_xevout_kv(struct tl_evout *o, const char *key, struct tl_str raw)
{
	if (raw.n == 0)
		return;
	tl_xout_c(&o->out, '\t');
	tl_xout_puts(&o->out, key);
	tl_xout_c(&o->out, '=');
	tl_xout_esc(&o->out, raw);
}

void
tl_xevout_prog(struct tl_evout *o, int argc, char *const *argv)
{
	tl_xevout_head(o, "prog");
	tl_xevout_text(o, (struct tl_str){ tl_prog, strlen(tl_prog) });
	tl_xevout_raw(o, TL_LIT(TL_VERSION));
	for (int i = 1; i < argc; i++)
		tl_xevout_text(o, (struct tl_str){ argv[i], strlen(argv[i]) });
	tl_xevout_eol(o);
}

/* TAB and text at p; returns the place behind. */
static char *
put(char *p, struct tl_str s)
{
	*p++ = '\t';
	if (s.n == 0)
		*p++ = '.';
	else
		memcpy(p, s.p, s.n);
	return p + s.n;
}

void
tl_xevout_event_open(struct tl_evout *o, const struct tl_ev *ev)
{
	struct tl_str kind = { tl_kind_name(ev->kind), 0 };
	struct tl_str cls = { tl_class_name(ev->cls), 0 };
	size_t fixed, whole;
	bool fits;
	char *p, *from;

	kind.n = strlen(kind.p);
	cls.n = strlen(cls.p);
	fixed = ev->process.n + ev->device.n + ev->context.n + ev->lane.n +
	    ev->correlation.n + 128;
	whole = fixed + ev->name.n + ev->place.n;
	fits = whole <= TL_OUT_ROOM;
	o->n_records++;
	o->n_events++;
	if (fixed > TL_OUT_ROOM)
		tl_die("%s: event %llu: a token is longer than 4000 bytes",
		    o->out.name, (unsigned long long)o->n_events);
	from = p = tl_xout_room(&o->out, fits ? whole : fixed);
	memcpy(p, kind.p, kind.n);
	p += kind.n;
	*p++ = '\t';
	p += tl_num_put_u64(p, o->n_events);
	*p++ = '\t';
	p += tl_num_put_i64(p, ev->start_ns);
	*p++ = '\t';
	if (ev->dur_ns == TL_NONE)
		*p++ = '.';
	else
		p += tl_num_put_i64(p, ev->dur_ns);
	p = put(p, ev->process);
	p = put(p, ev->device);
	p = put(p, ev->context);
	p = put(p, ev->lane);
	p = put(p, ev->correlation);
	p = put(p, cls);
	if (fits) {
		p = put(p, ev->name);
		p = put(p, ev->place);
	}
	tl_out_used(&o->out, (size_t)(p - from));
	if (!fits) {
		tl_xevout_raw(o, ev->name);
		tl_xevout_raw(o, ev->place);
	}
}

void
tl_xevout_event(struct tl_evout *o, const struct tl_ev *ev)
{
	char *p;

	tl_xevout_event_open(o, ev);
	if (ev->keys.n > 0 && ev->keys.n + 2 <= TL_OUT_ROOM) {
		p = put(tl_xout_room(&o->out, ev->keys.n + 2), ev->keys);
		*p = '\n';
		tl_out_used(&o->out, ev->keys.n + 2);
		return;
	}
	if (ev->keys.n > 0)
		tl_xevout_raw(o, ev->keys);
	tl_xevout_eol(o);
}

void
tl_xevout_note(struct tl_evout *o, enum tl_severity severity, const char *code,
    int64_t count, const char *fmt, ...)
{
	static const char *const names[] = { "info", "warn", "error" };
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tl_xevout_rec(o, TL_NOTE);
	tl_xout_printf(&o->out, "\t%s\t%s", names[severity], code);
	tl_xevout_ns(o, count);
	tl_xevout_text(o, (struct tl_str){ text, n < 0 ? 0 :
	    (size_t)n < sizeof text ? (size_t)n : sizeof text - 1 });
	tl_xevout_eol(o);
}

void
tl_xevout_line(struct tl_evout *o, struct tl_str line)
{
	o->n_records += line.n == 0 || line.p[0] != '#';
	tl_xout_str(&o->out, line);
	tl_xout_c(&o->out, '\n');
}

void
tl_xevout_end(struct tl_evout *o)
{
	tl_xout_puts(&o->out, "end");
	tl_xevout_u64(o, o->n_records);
	tl_xevout_eol(o);
	tl_xout_close(&o->out);
}
