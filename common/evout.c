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
tl_xevout_word(struct tl_evout *o, const char *kind)
{
	tl_xout_puts(&o->out, kind);
	o->n_records++;
}

void
tl_xevout_rec(struct tl_evout *o, enum tl_kind kind)
{
	tl_xevout_word(o, tl_kind_name(kind));
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

static size_t
digits(int64_t v)
{
	char buf[20];

	return tl_num_put_i64(buf, v);
}

/* Length of the line up to column 12. */
static size_t
event_len(const struct tl_evout *o, const struct tl_ev *ev)
{
	const struct tl_str column[] = { ev->process, ev->device, ev->context,
		ev->lane, ev->correlation, ev->name, ev->place };
	size_t n = strlen(tl_kind_name(ev->kind)) + 1 +
	    digits((int64_t)o->n_events + 1) + 1 + digits(ev->start_ns) + 1 +
	    (ev->dur_ns == TL_NONE ? 1 : digits(ev->dur_ns)) + 1 +
	    strlen(tl_class_name(ev->cls));

	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		n += 1 + (column[i].n == 0 ? 1 : column[i].n);
	return n;
}

/* Column by column, whatever their length. */
static void
put_long(struct tl_evout *o, const struct tl_ev *ev)
{
	const char *cls = tl_class_name(ev->cls);

	tl_xout_puts(&o->out, tl_kind_name(ev->kind));
	tl_xevout_u64(o, o->n_events);
	tl_xevout_i64(o, ev->start_ns);
	tl_xevout_ns(o, ev->dur_ns);
	tl_xevout_raw(o, ev->process);
	tl_xevout_raw(o, ev->device);
	tl_xevout_raw(o, ev->context);
	tl_xevout_raw(o, ev->lane);
	tl_xevout_raw(o, ev->correlation);
	tl_xevout_raw(o, (struct tl_str){ cls, strlen(cls) });
	tl_xevout_raw(o, ev->name);
	tl_xevout_raw(o, ev->place);
}

bool
tl_xevout_event_open(struct tl_evout *o, const struct tl_ev *ev, size_t more)
{
	struct tl_str kind = { tl_kind_name(ev->kind), 0 };
	struct tl_str cls = { tl_class_name(ev->cls), 0 };
	size_t most = ev->process.n + ev->device.n + ev->context.n +
	    ev->lane.n + ev->correlation.n + ev->name.n + ev->place.n + 128;
	char *p, *from;

	if (most + more > TL_LINE_MAX && event_len(o, ev) + more > TL_LINE_MAX) {
		o->n_too_long++;
		return false;
	}
	o->n_records++;
	o->n_events++;
	if (most > TL_OUT_ROOM) {
		put_long(o, ev);
		return true;
	}
	kind.n = strlen(kind.p);
	cls.n = strlen(cls.p);
	from = p = tl_xout_room(&o->out, most);
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
	p = put(p, ev->name);
	p = put(p, ev->place);
	tl_out_used(&o->out, (size_t)(p - from));
	return true;
}

bool
tl_xevout_event(struct tl_evout *o, const struct tl_ev *ev)
{
	char *p;

	if (!tl_xevout_event_open(o, ev, ev->keys.n + (ev->keys.n > 0)))
		return false;
	if (ev->keys.n > 0 && ev->keys.n + 2 <= TL_OUT_ROOM) {
		p = put(tl_xout_room(&o->out, ev->keys.n + 2), ev->keys);
		*p = '\n';
		tl_out_used(&o->out, ev->keys.n + 2);
		return true;
	}
	if (ev->keys.n > 0)
		tl_xevout_raw(o, ev->keys);
	tl_xevout_eol(o);
	return true;
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
	if (o->n_too_long > 0)
		tl_xevout_note(o, TL_WARN, "dropped_long_line",
		    (int64_t)o->n_too_long, "events whose line would be longer "
		    "than 1 MiB were dropped");
	tl_xout_puts(&o->out, "end");
	tl_xevout_u64(o, o->n_records);
	tl_xevout_eol(o);
	tl_xout_close(&o->out);
}
