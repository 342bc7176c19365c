/* Ascend's trace_view.json and msprof_*.json: slices without a category, which
 * are told apart by their arguments. A task of a device has "Task Type"; a
 * collective "alg_type", or "data_type" and "count"; a part of one "transport
 * type" or "notify_id"; a call of CANN "connection_id" and "level". */
#include "tl-kineto2ev.h"

#include <string.h>

#include "ascend.h"
#include "mem.h"
#include "num.h"

#define NONE_ID "4294967295"

static enum tl_kind
kind_of(enum tl_ascend_type type, bool named)
{
	switch (type) {
	case TL_ASCEND_COMPUTE:
		return TL_KERNEL;
	case TL_ASCEND_COPY:
		return TL_MEMCPY;
	case TL_ASCEND_SYNC:
		return TL_SYNC;
	default:
		return named ? TL_KERNEL : TL_TASK;
	}
}

/* The type in its one spelling; in the run's buffer. */
static struct tl_str
spell(struct k_run *r, struct tl_str type)
{
	return (struct tl_str){ r->ascend_type, tl_ascend_spell(r->ascend_type,
	    sizeof r->ascend_type, type) };
}

static bool
same_spelling(struct tl_str a, struct tl_str b)
{
	char x[128], y[128];
	size_t n = tl_ascend_spell(x, sizeof x, a);

	return n == tl_ascend_spell(y, sizeof y, b) && memcmp(x, y, n) == 0;
}

static void
drop_none(struct k_event *ev, enum k_arg a)
{
	struct tl_str none = { "", 0 }, v = k_arg(ev, a);

	if (tl_str_is(v, NONE_ID) || (v.n > 0 && v.p[0] == '-'))
		k_set(ev, a, none);
}

/* A task: one without an operator is called by its type. */
static bool
task(struct k_run *r, struct k_event *ev, struct k_what *w)
{
	struct tl_str type = k_arg(ev, K_TYPE), name;
	enum tl_ascend_type t = tl_ascend_type(type);
	bool named;

	name = k_member(ev, K_M_NAME);
	named = !same_spelling(name, type) && name.n > 0;
	if (t == TL_ASCEND_PROFILER) {
		k_note(&r->notes, K_PROFILER_TASK, K_NOWHERE);
		return false;
	}
	w->ascend = K_ASCEND_TASK | (named ? 0 : K_ASCEND_NAMELESS);
	w->kind = kind_of(t, named);
	k_set(ev, K_TYPE, spell(r, type));
	return true;
}

static void
collective(struct k_run *r, struct k_event *ev, struct k_what *w)
{
	w->ascend = K_ASCEND_COLL;
	w->kind = TL_TASK;
	k_set(ev, K_STREAM, (struct tl_str){ "", 0 });
	if (k_has(ev, K_CORRELATION) && tl_intern_bytes(&r->ascend_conn) <
	    r->share)
		tl_xintern(&r->ascend_conn, k_arg(ev, K_CORRELATION));
}

static void
part(struct k_event *ev, struct k_what *w)
{
	struct tl_str type = k_has(ev, K_COMM_TYPE) ? k_arg(ev, K_COMM_TYPE) :
	    k_member(ev, K_M_NAME);

	w->ascend = K_ASCEND_TASK | K_ASCEND_PART;
	w->kind = kind_of(tl_ascend_type(type), false);
}

bool
k_ascend(struct k_run *r, struct k_event *ev, struct k_what *w)
{
	drop_none(ev, K_MODEL);
	drop_none(ev, K_CONTEXT_ID);
	if (k_has(ev, K_TYPE)) {
		if (!task(r, ev, w))
			return false;
	} else if (k_has(ev, K_TRANSPORT) || k_has(ev, K_NOTIFY)) {
		part(ev, w);
	} else if (k_has(ev, K_ALG) || (k_has(ev, K_DTYPE) &&
	    k_has(ev, K_COUNT) && k_has(ev, K_CORRELATION))) {
		collective(r, ev, w);
	} else if (k_has(ev, K_CORRELATION) && k_has(ev, K_LEVEL)) {
		w->ascend = K_ASCEND_CALL;
		w->kind = TL_API;
		return true;
	} else {
		return true;
	}
	r->ascend = true;
	w->on_device = true;
	return true;
}

struct tl_str
k_ascend_correlation(const struct k_event *ev)
{
	struct tl_str s = k_arg(ev, K_CORRELATION);

	if (tl_str_is(s, NONE_ID) || (s.n > 0 && s.p[0] == '-'))
		s.n = 0;
	return s;
}

/* msprof makes process ids of (process << 10 | place in the view << 5 |
 * device), and tells the place in a process_sort_index. Where these agree the
 * device is known. */
struct tl_str
k_xascend_device(struct k_run *r, struct tl_str token)
{
	uint32_t i = tl_intern_find(&r->procs, token);
	uint64_t pid;
	char digits[20];
	struct k_proc *p;

	if (i == UINT32_MAX)
		return TL_LIT(".");
	p = &r->proc[i];
	if (p->device.n > 0)
		return p->device;
	p->device = TL_LIT(".");
	if (tl_num_str_u64(token, &pid) && pid >= 1024 && p->sorted &&
	    (pid >> 5 & 31) == p->sort) {
		size_t n = tl_num_put_u64(digits, pid & 31);

		p->device = (struct tl_str){ tl_xarena_copy(&r->meta.arena,
		    digits, n), n };
	}
	return p->device;
}

bool
k_ascend_detail(const struct k_run *r, const struct k_rec *h,
    struct tl_str corr)
{
	if (h->ascend & K_ASCEND_PART)
		return true;
	return (h->ascend & K_ASCEND_NAMELESS) != 0 && corr.n > 0 &&
	    tl_intern_find(&r->ascend_conn, corr) != UINT32_MAX;
}

struct tl_str
k_xascend_keys(struct k_run *r, struct tl_str keys)
{
	static const char word[] = "detail=1";
	size_t n = sizeof word - 1, at = 0;
	char *p;

	/* behind the keys that come before it in byte order */
	while (at < keys.n) {
		const char *tab = memchr(keys.p + at, '\t', keys.n - at);
		struct tl_str one = { keys.p + at, (size_t)((tab != NULL ?
		    tab : keys.p + keys.n) - (keys.p + at)) };

		if (tl_str_cmp(one, (struct tl_str){ word, n }) > 0)
			break;
		at += one.n + (tab != NULL);
	}
	if (r->rec_cap < keys.n + n + 1) {
		r->rec_cap = (keys.n + n + 1) * 2;
		r->rec = tl_xreallocarray(r->rec, r->rec_cap, 1);
	}
	p = r->rec;
	memcpy(p, keys.p, at);
	p += at;
	if (at == keys.n && at > 0)
		*p++ = '\t';
	memcpy(p, word, n);
	p += n;
	if (at < keys.n) {
		*p++ = '\t';
		memcpy(p, keys.p + at, keys.n - at);
		p += keys.n - at;
	}
	return (struct tl_str){ r->rec, (size_t)(p - r->rec) };
}
