#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "what.h"

/* The input ends here, or is damaged. */
static bool
cut(struct k_run *r, const char *where)
{
	struct tl_err *e = &r->notes.truncated;

	if (r->notes.n[K_TRUNCATED] > 0)
		return false;
	k_note(&r->notes, K_TRUNCATED, K_NOWHERE);
	if (r->scan.damaged)
		*e = r->scan.err;
	else
		tl_err_set(e, "%s: byte %llu: the file ends within %s: cut "
		    "off, or not finished by its writer", r->name,
		    (unsigned long long)k_scan_off(&r->scan), where);
	return false;
}

/* What stands behind the event array is not as it should be. */
static void
bad_tail(struct k_run *r, uint64_t off, const char *what)
{
	if (r->notes.n[K_TAIL] == 0)
		tl_err_set(&r->notes.tail, "what follows the events is no "
		    "JSON, at byte %llu (%s); all events were read, other "
		    "keys may be missing", (unsigned long long)off, what);
	k_note(&r->notes, K_TAIL, off);
}

/* What stood before the reading position in an array. */
enum before { ELEMENT, COMMA, BRACKET, BROKEN };

/* One element at the reading position. False at the end of the input. */
static bool
element(struct k_run *r, int c, enum before *before)
{
	uint64_t off = k_scan_off(&r->scan);
	struct tl_str v;

	*before = ELEMENT;
	switch (c == '}' || c == ':' ? K_BROKEN :
	    k_scan_value(&r->scan, &v)) {
	case K_OK:
		if (c == '{')
			k_xelement(r, v, off, r->n_elements);
		else
			k_note(&r->notes, K_NOT_OBJECT, off);
		break;
	case K_LONG:
		k_note(&r->notes, K_TOO_LONG, off);
		break;
	case K_BROKEN:
		*before = BROKEN;
		k_note(&r->notes, K_BAD_JSON, off);
		if (!k_scan_resync(&r->scan))
			return cut(r, "the event array");
		break;
	case K_CUT:
		return cut(r, "an event");
	}
	r->n_elements++;
	return true;
}

/* The event array, behind its bracket. False if it does not end. */
static bool
events(struct k_run *r)
{
	enum before before = BRACKET;

	r->has_events = true;
	for (;;) {
		int c = k_scan_peek(&r->scan);
		uint64_t off = k_scan_off(&r->scan);
		bool closes = c == ']';

		if (c < 0)
			return cut(r, "the event array");
		if (c == ',' || closes) {
			/* one comma between two elements, and no other */
			if (before == COMMA || (before == BRACKET && !closes))
				k_note(&r->notes, K_SEPARATOR, off);
			r->scan.pos++;
			if (closes)
				return true;
			before = COMMA;
			continue;
		}
		if (before == ELEMENT)
			k_note(&r->notes, K_SEPARATOR, off);
		if (!element(r, c, &before))
			return false;
	}
}

/* Arrays of events, one behind the other: files put together that way. */
static bool
arrays(struct k_run *r)
{
	for (;;) {
		r->scan.pos++;
		if (!events(r))
			return false;
		if (k_scan_peek(&r->scan) != '[')
			return true;
		k_note(&r->notes, K_SEPARATOR, k_scan_off(&r->scan));
	}
}

/* Formats whose top-level keys give them away. */
static const struct {
	const char *key, *what;
} foreign[] = {
	{ "rocprofiler-sdk-tool", "a rocprofiler-sdk trace" },
	{ "resourceSpans", "an OpenTelemetry trace" },
	{ "resource_spans", "an OpenTelemetry trace" },
};

static void
look_foreign(struct k_run *r, struct tl_str key)
{
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		if (r->meta.foreign == NULL && tl_str_is(key, foreign[i].key))
			r->meta.foreign = foreign[i].what;
}

/* Something that is no JSON between the top-level keys, or a value of theirs.
 * Before the events the search goes on for these; behind them this is the end.
 * True if it went on and all is well, up to behind the events. */
static bool
lost(struct k_run *r, uint64_t off, const char *what)
{
	if (r->has_events) {
		bad_tail(r, off, what);
		return false;
	}
	k_note(&r->notes, K_BAD_METADATA, off);
	if (!k_scan_find_key(&r->scan, "traceEvents")) {
		if (r->scan.damaged)
			return cut(r, "");
		tl_die("%s: byte %llu: not JSON (%s), and no 'traceEvents' "
		    "follows", r->name, (unsigned long long)off, what);
	}
	if (k_scan_peek(&r->scan) != '[')
		tl_die("%s: 'traceEvents': is no array", r->name);
	return arrays(r);
}

/* The input ends outside of the events. */
static bool
ends(struct k_run *r)
{
	if (!r->has_events)
		return cut(r, "the top-level object");
	bad_tail(r, k_scan_off(&r->scan), "the file ends");
	return false;
}

/* The value of a top-level key. False at the end of what can be read. */
static bool
value(struct k_run *r, struct tl_str key)
{
	int c = k_scan_peek(&r->scan);
	uint64_t off = k_scan_off(&r->scan);
	unsigned fixed;
	struct tl_str v;

	if (c < 0)
		return ends(r);
	if (tl_str_is(key, "traceEvents")) {
		if (c != '[')
			tl_die("%s: 'traceEvents': is no array", r->name);
		return arrays(r);
	}
	look_foreign(r, key);
	if (strchr(",:]}", c) != NULL)
		return lost(r, off, "no value");
	switch (k_scan_value(&r->scan, &v)) {
	case K_OK:
		if (!k_xmeta_take(&r->meta, key, v, &fixed))
			k_note(&r->notes, K_BAD_METADATA, off);
		else if (fixed != 0)
			k_note_fixed(&r->notes, fixed, off);
		break;
	case K_LONG:
		if (k_meta_wants(key))
			k_note(&r->notes, K_BAD_METADATA, off);
		break;
	case K_BROKEN:
		return lost(r, off, "a value");
	case K_CUT:
		return ends(r);
	}
	return true;
}

/* A top-level key with its colon, copied to buf; longer ones are of no
 * interest. False if there is none. */
static bool
key(struct k_run *r, char *buf, size_t size, struct tl_str *k)
{
	struct tl_str v;

	if (k_scan_value(&r->scan, &v) != K_OK)
		return false;
	*k = (struct tl_str){ buf, v.n - 2 < size ? v.n - 2 : size };
	memcpy(buf, v.p + 1, k->n);
	if (k_scan_peek(&r->scan) != ':')
		return false;
	r->scan.pos++;
	return true;
}

/* The object form, behind its brace. False where the events end early. */
static bool
object(struct k_run *r)
{
	bool comma = true, ok;

	for (;; comma = false) {
		int c = k_scan_peek(&r->scan);
		uint64_t off = k_scan_off(&r->scan);
		char buf[64];
		struct tl_str k;

		if (c == '}') {
			r->scan.pos++;
			return true;
		}
		if (c == ',' && !comma) {
			r->scan.pos++;
			c = k_scan_peek(&r->scan);
			comma = true;
		}
		r->n_keys++;
		if (c < 0)
			ok = ends(r);
		else if (c == '}')
			continue;
		else if (c != '"' || !comma || !key(r, buf, sizeof buf, &k))
			ok = lost(r, off, "a key");
		else
			ok = value(r, k);
		if (!ok)
			return r->notes.n[K_TRUNCATED] == 0;
	}
}

/* No JSON at all: what else is it? */
TL_NORETURN static void
die_no_json(struct k_run *r)
{
	static const struct {
		const char *magic, *what;
	} known[] = {
		{ "version https://git-lfs", "is a Git LFS pointer, not the "
		    "file itself" },
		{ "PK\003\004", "is a zip archive" },
		{ "\x28\xb5\x2f\xfd", "is zstd-compressed" },
	};
	struct tl_str v;
	const char *what;
	char q[TL_QUOTE_SIZE];

	k_scan_ahead(&r->scan, 32);
	v = (struct tl_str){ r->scan.buf + r->scan.pos,
		r->scan.end - r->scan.pos };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t n = strlen(known[i].magic);

		if (k_scan_off(&r->scan) == 0 && v.n >= n &&
		    memcmp(v.p, known[i].magic, n) == 0)
			tl_die("%s: %s", r->name, known[i].what);
	}
	what = k_scan_off(&r->scan) == 0 ? tl_what(v, r->name) : NULL;
	if (what != NULL)
		tl_die("%s: is %s", r->name, what);
	tl_die("%s: byte %llu: not JSON: begins with '%s'", r->name,
	    (unsigned long long)k_scan_off(&r->scan),
	    tl_quote(q, sizeof q, v.p, v.n > 16 ? 16 : v.n));
}

/* Reads on to the end, so that damage there is seen. */
static void
rest(struct k_run *r)
{
	if (k_scan_peek(&r->scan) >= 0)
		bad_tail(r, k_scan_off(&r->scan), "more follows");
	do
		r->scan.pos = r->scan.end;
	while (k_scan_peek(&r->scan) >= 0);
}

bool
k_xread(struct k_run *r)
{
	int c;
	bool whole;

	if (k_scan_ahead(&r->scan, 3) >= 3 &&
	    memcmp(r->scan.buf, "\xef\xbb\xbf", 3) == 0)
		r->scan.pos = 3;
	c = k_scan_peek(&r->scan);
	if (c < 0 && r->scan.damaged)
		tl_die("%s", r->scan.err.msg);
	if (c < 0)
		tl_die("%s: %s", r->name, k_scan_off(&r->scan) == 0 ?
		    "empty file" : "nothing but white space");
	if (c == '[') {
		r->is_array = true;
		whole = arrays(r);
	} else if (c == '{') {
		r->scan.pos++;
		whole = object(r);
	} else {
		die_no_json(r);
	}
	if (whole)
		rest(r);
	if (r->scan.damaged)
		cut(r, "");
	return whole && !r->scan.damaged;
}
