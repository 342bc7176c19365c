#include "tl-kineto2ev.h"

#include <string.h>

#include "esc.h"
#include "mem.h"

bool
k_begins(struct tl_str s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && memcmp(s.p, word, n) == 0;
}

void
k_set(struct k_event *ev, enum k_arg a, struct tl_str v)
{
	ev->have &= ~(UINT64_C(1) << a);
	if (v.n == 0)
		return;
	ev->arg[a] = v;
	ev->have |= UINT64_C(1) << a;
}

static bool
all_digits(struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

/* ---- the record ---- */

static char *
room(struct k_run *r, size_t n)
{
	if (r->rec_cap - r->rec_len < n) {
		r->rec_cap = (r->rec_len + n) * 2;
		r->rec = tl_xreallocarray(r->rec, r->rec_cap, 1);
	}
	return r->rec + r->rec_len;
}

static void
put(struct k_run *r, const char *p, size_t n)
{
	memcpy(room(r, n), p, n);
	r->rec_len += n;
}

/* A token, escaped; "." for none. False if it is too long. */
static bool
put_token(struct k_run *r, struct tl_str s)
{
	char *p;

	if (s.n > K_TOKEN_MAX)
		return false;
	p = room(r, 4 * s.n + 1);
	if (s.n == 0) {
		*p = '.';
		r->rec_len++;
	} else if (all_digits(s)) {
		memcpy(p, s.p, s.n);
		r->rec_len += s.n;
	} else {
		r->rec_len += tl_esc(p, s.p, s.n);
	}
	return true;
}

/* ---- names, lanes, processes ---- */

unsigned
k_name_flags(struct tl_str name)
{
	unsigned f = 0;

	for (size_t i = 0; i < name.n;) {
		size_t n = (unsigned char)name.p[i] < 0x80 ? 1 :
		    tl_utf8_len(name.p + i, name.n - i);

		if (n == 0) {
			f |= K_NAME_BAD_BYTES;
			break;
		}
		i += n;
	}
	if (k_begins(name, "cudaStreamBeginCapture") ||
	    k_begins(name, "cuStreamBeginCapture") ||
	    k_begins(name, "hipStreamBeginCapture"))
		f |= K_NAME_CAPTURE;
	if (k_begins(name, "cudaGraphLaunch") || k_begins(name, "cuGraphLaunch") ||
	    k_begins(name, "hipGraphLaunch"))
		f |= K_NAME_LAUNCH;
	if (k_begins(name, "hip"))
		f |= K_NAME_HIP;
	if (k_begins(name, "cu"))
		f |= K_NAME_CUDA;
	return f;
}

static bool
fits(const struct k_run *r, const struct tl_intern *t)
{
	return tl_intern_bytes(t) < r->share;
}

/* Number of the name, or K_INLINE when the table has no more room. */
static uint32_t
name_id(struct k_run *r, const struct k_what *w, struct tl_str name)
{
	size_t known = r->names.n;
	uint32_t id = fits(r, &r->names) ? tl_xintern(&r->names, name) :
	    tl_intern_find(&r->names, name);
	unsigned f;

	if (id == UINT32_MAX) {
		f = k_name_flags(name);
	} else if (id == known) {
		r->name_flags = tl_xgrow(r->name_flags, known,
		    &r->name_flags_cap, 1);
		r->name_flags[id] = (unsigned char)(f = k_name_flags(name));
	} else {
		f = r->name_flags[id];
	}
	if (f & K_NAME_BAD_BYTES)
		k_note(&r->notes, K_BAD_BYTES, w->off);
	if (w->kind == TL_API)
		r->names_of_calls |= f;
	return id == UINT32_MAX ? K_INLINE : id;
}

uint32_t
k_xprocess(struct k_run *r, struct tl_str token)
{
	size_t known = r->procs.n;
	uint32_t id = known < K_PROCESSES_MAX ? tl_xintern(&r->procs, token) :
	    tl_intern_find(&r->procs, token);

	if (id != UINT32_MAX && id == known) {
		r->proc = tl_xgrow(r->proc, known, &r->proc_cap,
		    sizeof *r->proc);
		r->proc[id] = (struct k_proc){ .used = false };
	}
	return id;
}

/* The stream of a device event: 2020's text "stream 7" is 7. */
static struct tl_str
stream_of(const struct k_event *ev, enum tl_kind kind)
{
	struct tl_str s = k_arg(ev, K_STREAM);

	/* tid of a synchronisation is the stream plus 1000000 in 2026, and
	 * what it waits for may be all streams */
	if (!k_has(ev, K_STREAM) && kind != TL_SYNC)
		s = k_member(ev, K_M_TID);
	if (k_begins(s, "stream ")) {
		s.p += 7;
		s.n -= 7;
	}
	return tl_str_is(s, "-1") ? (struct tl_str){ "", 0 } : s;
}

static struct tl_str
device_of(const struct k_event *ev, const struct k_what *w)
{
	struct tl_str s = k_arg(ev, K_DEVICE);

	/* Ascend's process stands for the device: k_xascend_device */
	if (w->ascend != 0 || (!k_has(ev, K_DEVICE) &&
	    all_digits(k_member(ev, K_M_PID))))
		s = k_member(ev, K_M_PID);
	return tl_str_is(s, "-1") ? (struct tl_str){ "", 0 } : s;
}

struct tl_str
k_process(const struct k_event *ev)
{
	struct tl_str s = k_member(ev, K_M_PID);

	return tl_str_is(s, "-1") ? (struct tl_str){ "", 0 } : s;
}

/* Puts process, device, context and lane behind the record; they are taken
 * away again by lane_id. False if one is too long. */
static bool
put_lane(struct k_run *r, const struct k_event *ev, const struct k_what *w)
{
	const struct tl_str none = { "", 0 };

	if (w->on_device) {
		put(r, ".\t", 2);
		if (!put_token(r, device_of(ev, w)))
			return false;
		put(r, "\t", 1);
		if (!put_token(r, k_arg(ev, K_CONTEXT)))
			return false;
		put(r, "\t", 1);
		return put_token(r, w->ascend & K_ASCEND_COLL ? none :
		    stream_of(ev, w->kind));
	}
	if (!put_token(r, k_process(ev)))
		return false;
	put(r, "\t.\t.\t", 5);
	return put_token(r, w->kind == TL_COUNTER &&
	    !(ev->members >> K_M_TID & 1) ? none : k_member(ev, K_M_TID));
}

/* Number of the four columns, or K_INLINE when the table has no more room.
 * The process of a host event gets its line in the header. */
static uint32_t
lane_id(struct k_run *r, struct tl_str lane, bool has_process)
{
	size_t known = r->lanes.n;
	uint32_t id = fits(r, &r->lanes) ? tl_xintern(&r->lanes, lane) :
	    tl_intern_find(&r->lanes, lane), proc;
	const char *tab = memchr(lane.p, '\t', lane.n);

	if (has_process && (id == UINT32_MAX || id == known)) {
		lane.n = (size_t)(tab - lane.p);
		proc = tl_str_none(lane) ? UINT32_MAX : k_xprocess(r, lane);
		if (proc != UINT32_MAX)
			r->proc[proc].used = true;
	}
	return id == UINT32_MAX ? K_INLINE : id;
}

struct tl_str
k_correlation(const struct k_event *ev, const struct k_what *w)
{
	struct tl_str s = k_arg(ev, K_CORRELATION);

	if (w->ascend != 0)
		return k_ascend_correlation(ev);
	if ((!w->on_device && w->kind != TL_API) || tl_str_is(s, "0") ||
	    tl_str_is(s, "-1"))
		s.n = 0;
	return s;
}

/* ---- keys ---- */

static bool
is_none(enum k_arg a, struct tl_str v)
{
	if (v.n == 1 && v.p[0] == '0')
		return a == K_EXT || a == K_GRAPH || a == K_NODE ||
		    a == K_FWD;
	if (v.n == 2 && v.p[0] == '-' && v.p[1] == '1')
		return a == K_EXT || a == K_WAIT_CORR || a == K_WAIT_STREAM ||
		    a == K_EVENT || a == K_DEV || a == K_SEQ ||
		    a == K_PY_PARENT;
	return v.n == 0;
}

static void
put_keys(struct k_run *r, const struct k_event *ev, uint64_t off)
{
	uint64_t left = ev->have & ((UINT64_C(1) << K_N_KEYS) - 1);
	size_t from = r->rec_len;

	for (unsigned a = 0; left != 0; a++, left >>= 1) {
		struct tl_str v, key;
		char *p;

		if ((left & 1) == 0)
			continue;
		v = ev->arg[a];
		if (is_none((enum k_arg)a, v))
			continue;
		if (v.n > K_TEXT_MAX) {
			k_note(&r->notes, K_TEXT_CUT, off);
			v.n = K_TEXT_MAX;
		}
		key = k_arg_key((enum k_arg)a);
		p = room(r, key.n + 2 + 4 * v.n);
		if (r->rec_len > from)
			*p++ = '\t';
		memcpy(p, key.p, key.n);
		p += key.n;
		*p++ = '=';
		if (v.n <= 20 && all_digits(v))
			for (size_t i = 0; i < v.n; i++)
				*p++ = v.p[i];
		else
			p += tl_esc(p, v.p, v.n);
		r->rec_len = (size_t)(p - r->rec);
	}
	r->head.keys_len = (uint32_t)(r->rec_len - from);
}

/* Direction of a copy: "Memcpy HtoD (Pinned -> Device)", AMD's
 * "CopyHostToDevice"; else what its kind says, if it looks like one. */
static struct tl_str
direction(struct tl_str name, struct tl_str kind)
{
	static const struct {
		const char *text;
		struct tl_str copy;
	} spelled[] = {
		{ "HostToDevice", { "HtoD", 4 } },
		{ "DeviceToHost", { "DtoH", 4 } },
		{ "DeviceToDevice", { "DtoD", 4 } },
		{ "HostToHost", { "HtoH", 4 } },
		{ "PeerToPeer", { "PtoP", 4 } },
	};
	const struct tl_str in[] = { name, kind };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i + 4 <= in[k].n; i++)
			if (memcmp(in[k].p + i + 1, "to", 2) == 0 &&
			    strchr("HDPA", in[k].p[i]) != NULL &&
			    strchr("HDPA", in[k].p[i + 3]) != NULL)
				return (struct tl_str){ in[k].p + i, 4 };
	for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++)
		for (size_t k = 0, n = strlen(spelled[i].text); k + n <=
		    name.n; k++)
			if (memcmp(name.p + k, spelled[i].text, n) == 0)
				return spelled[i].copy;
	return (struct tl_str){ "", 0 };
}

bool
k_xrecord(struct k_run *r, struct k_event *ev, const struct k_what *w)
{
	struct tl_str name = k_member(ev, K_M_NAME), corr, lane;
	size_t at;

	if (name.n > K_NAME_MAX) {
		k_note(&r->notes, K_TEXT_CUT, w->off);
		name.n = K_NAME_MAX;
	}
	r->head = (struct k_rec){ .kind = (uint8_t)w->kind,
		.on_device = w->on_device, .ascend = w->ascend };
	r->rec_len = 0;
	room(r, sizeof r->head);
	r->rec_len = sizeof r->head;
	corr = k_correlation(ev, w);
	if (corr.n > 0) {
		if (!put_token(r, corr))
			return false;
		r->head.corr_len = (uint16_t)(r->rec_len - sizeof r->head);
	}
	if (!w->cat->plain)
		k_set(ev, K_CAT, k_member(ev, K_M_CAT));
	if (w->kind == TL_MEMCPY)
		k_set(ev, K_COPY, direction(name, k_arg(ev, K_KIND)));
	put_keys(r, ev, w->off);
	at = r->rec_len;
	if (!put_lane(r, ev, w))
		return false;
	lane = (struct tl_str){ r->rec + at, r->rec_len - at };
	r->head.lane = lane_id(r, lane, !w->on_device);
	if (r->head.lane == K_INLINE)
		r->head.lane_len = (uint32_t)lane.n;
	else
		r->rec_len = at;
	r->head.name = name_id(r, w, name);
	if (r->head.name == K_INLINE)
		put(r, name.p, name.n);
	memcpy(r->rec, &r->head, sizeof r->head);
	return true;
}
