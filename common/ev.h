#ifndef TL_EV_H
#define TL_EV_H

/* Records of the stream, tl-ev(5): their kinds and columns. This header and
 * ev.c are the one place that knows the columns of an event line. */

#include "err.h"
#include "str.h"

/* Version written, and the oldest one read. */
#define TL_EV_VERSION 1
#define TL_EV_VERSION_MIN 1

/* "Unknown" where the stream has "." in a column of nanoseconds that are never
 * negative (dur and all cost columns). */
#define TL_NONE ((int64_t)-1)

enum tl_kind {
	/* events on a device */
	TL_KERNEL, TL_MEMCPY, TL_MEMSET, TL_SYNC, TL_GRAPH, TL_TASK,
	/* events on the host */
	TL_API, TL_OP, TL_RANGE, TL_PYTHON, TL_MARK, TL_COUNTER,
	TL_N_EVENTS,
	/* findings */
	TL_LAUNCH = TL_N_EVENTS, TL_UNIT, TL_MEMBER, TL_POS, TL_OCC, TL_REAL,
	TL_STEP, TL_EXEC, TL_LINK, TL_CONTEXT, TL_JSON, TL_REQUEST, TL_WORK,
	TL_NOTE, TL_VARIANT, TL_DEV,
	TL_N_KINDS,
	/* what the reader answers beside them */
	TL_HEADER = TL_N_KINDS, /* a line that begins with # */
	TL_OTHER,               /* a record this version does not know */
};

enum tl_class {
	TL_COMPUTE, TL_COMM, TL_COPY, TL_CLASS_SYNC, TL_HOST, TL_CLASS_OTHER,
	TL_N_CLASSES
};

/* Kinds that occupy a device. */
static inline bool
tl_kind_on_device(enum tl_kind k)
{
	return k <= TL_TASK;
}

static inline bool
tl_kind_is_event(enum tl_kind k)
{
	return k < TL_N_EVENTS;
}

/* Name of a kind below TL_N_KINDS, of a class; and the way back: TL_OTHER and
 * TL_N_CLASSES where the text is none. */
const char *tl_kind_name(enum tl_kind k);
enum tl_kind tl_kind_of(struct tl_str s);

/* A list of kinds of events with commas between: one that begins with a sign
 * changes *kinds, bits by number, any other replaces it. other is one more word
 * that may stand in it, with its answer in *other_on; NULL: there is none. False
 * where a word is wrong: *bad, without its sign, is a part of the list. */
bool tl_kinds_change(const char *list, uint32_t *kinds, const char *other,
    bool *other_on, struct tl_str *bad);
const char *tl_class_name(enum tl_class c);
enum tl_class tl_class_of(struct tl_str s);

/* Class of a kind that no rule speaks of. */
enum tl_class tl_kind_class(enum tl_kind k);

/* One event. Text columns are as in the stream: escaped, "." for none. All
 * tl_str point into the line and live as long as it. */
struct tl_ev {
	enum tl_kind kind;
	enum tl_class cls;
	uint64_t id;
	int64_t start_ns; /* on the capture's clock */
	int64_t dur_ns;   /* TL_NONE if unknown or an instant */
	struct tl_str process, device, context, lane, correlation;
	struct tl_str name;
	struct tl_str place;
	struct tl_str keys; /* key=value, TAB between; n is 0 if none */
};

/* Parses an event line s[0..len), of which a kind of event is known to be the
 * first column, in one pass. TL_ERR with cause in err->msg ("bad dur '-3':
 * ..."), without a place. Escapes within text are not checked; tl-check does. */
enum tl_status tl_ev_parse(struct tl_ev *ev, enum tl_kind kind, const char *s,
    size_t len, struct tl_err *err) TL_MUST_USE;

/* Value of "key=" among tab-separated fields (ev.keys, a header line),
 * escaped; p is NULL where it is not there. */
struct tl_str tl_key(struct tl_str fields, const char *key);

/* Splits a line at its tabs into at most max fields (fields[0] is the kind)
 * and returns how many there are, also when that is more than max. */
size_t tl_fields(struct tl_str *fields, size_t max, const char *s, size_t len);

/* Splits a place "TAG:NUMBER"; false if it is none. */
bool tl_place_split(struct tl_str place, struct tl_str *tag, uint64_t *number);

/* Order in which tokens are shown: numbers by value, then others by bytes. */
int tl_token_cmp(struct tl_str a, struct tl_str b);

/* Order of events in a stream: start, then longer first (unknown last), then
 * tag in byte order, then number. Less than, equal to or greater than 0. */
int tl_ev_cmp(const struct tl_ev *a, const struct tl_ev *b);

#endif
