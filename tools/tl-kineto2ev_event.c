#include "tl-kineto2ev.h"

#include <string.h>

#include "esc.h"
#include "mem.h"
#include "num.h"

void
k_xrec_add(struct k_run *r, int64_t start, int64_t dur, uint64_t row,
    const void *rec, size_t len)
{
	struct k_rec h;
	int64_t end = dur == TL_NONE ? start : start + dur;

	memcpy(&h, rec, sizeof h);
	if (h.kind <= TL_TASK) {
		if (!r->any_dev || start < r->dev_min)
			r->dev_min = start;
		if (!r->any_dev || end > r->dev_max)
			r->dev_max = end;
		r->any_dev = true;
	}
	if (start == 0) {
		r->n_zero++;
	} else {
		if (!r->any_start || start < r->min_start)
			r->min_start = start;
		r->any_start = true;
	}
	tl_xsort_add(r->sort, &(struct tl_sort_rec){ start, dur, 0,
	    (uint32_t)len, row, rec });
}

static void
bad_token(struct k_run *r, const struct k_what *w)
{
	k_note(&r->notes, K_BAD_TOKEN, w->off);
}

/* Ascend writes times as text, in the digits of a number. */
static bool
is_text(const struct k_event *ev, enum k_member m)
{
	struct tl_str s = k_member(ev, m);
	int64_t ns;

	return (ev->texts >> m & 1) && tl_num_us_ns(s, &ns) == TL_NUM_BAD;
}

/* Time and duration. False if the event is dropped. */
static bool
times(struct k_run *r, const struct k_event *ev, const struct k_what *w,
    bool wants_dur, int64_t *start, int64_t *dur)
{
	*dur = TL_NONE;
	if (is_text(ev, K_M_TS) || (wants_dur && is_text(ev, K_M_DUR))) {
		k_note(&r->notes, K_TEXT_TIME, w->off);
		return false;
	}
	if (!(ev->members >> K_M_TS & 1)) {
		k_note(&r->notes, K_NO_TIME, w->off);
		return false;
	}
	if (!k_time(r, ev->member[K_M_TS], w->off, start) ||
	    (wants_dur && (ev->members >> K_M_DUR & 1) &&
	    !k_time(r, ev->member[K_M_DUR], w->off, dur)) ||
	    (*dur > 0 && *start > INT64_MAX - *dur)) {
		k_note(&r->notes, K_TIME_RANGE, w->off);
		return false;
	}
	if (!wants_dur)
		return true;
	if (!(ev->members >> K_M_DUR & 1)) {
		if (tl_kind_on_device(w->kind))
			k_note(&r->notes, K_NO_DUR, w->off);
		return !tl_kind_on_device(w->kind);
	}
	if (*dur < 0) {
		k_note(&r->notes, K_NEGATIVE_DUR, w->off);
		*dur = tl_kind_on_device(w->kind) ? 0 : TL_NONE;
	}
	return true;
}

/* Tells the table of calls of one. */
static void
note_call(struct k_run *r, const struct k_event *ev, const struct k_what *w,
    int64_t start)
{
	struct tl_str corr = k_correlation(ev, w), pid = k_process(ev);
	char token[4 * K_TOKEN_MAX];
	uint64_t id = 0;
	uint32_t proc;

	if (!(r->kinds >> TL_API & 1))
		r->names_of_calls |= k_name_flags(k_member(ev, K_M_NAME));
	if (pid.n == 0 || pid.n > K_TOKEN_MAX)
		return;
	proc = k_xprocess(r, (struct tl_str){ token,
	    tl_esc(token, pid.p, pid.n) });
	if (corr.n > 0 && !tl_num_str_u64(corr, &id))
		id = 0;
	if (proc != UINT32_MAX)
		k_calls_add(r->calls, proc, id, start);
}

/* ph X: a whole slice. */
static void
slice(struct k_run *r, struct k_event *ev, const struct k_what *w)
{
	int64_t start, dur;

	if (!times(r, ev, w, true, &start, &dur))
		return;
	if (w->kind == TL_API)
		note_call(r, ev, w, start);
	else if (tl_kind_on_device(w->kind) && w->kind != TL_SYNC)
		r->n_device++;
	if (!(r->kinds >> w->kind & 1))
		return;
	if (!k_xrecord(r, ev, w)) {
		bad_token(r, w);
		return;
	}
	if (w->kind <= TL_MEMSET && r->head.corr_len == 0)
		k_note(&r->notes, K_NO_CORRELATION, K_NOWHERE);
	k_xrec_add(r, start, dur, w->index, r->rec, r->rec_len);
}

static void
instant(struct k_run *r, struct k_event *ev, const struct k_what *w)
{
	int64_t start, dur;

	if (!times(r, ev, w, false, &start, &dur))
		return;
	if (k_xrecord(r, ev, w))
		k_xrec_add(r, start, TL_NONE, w->index, r->rec, r->rec_len);
	else
		bad_token(r, w);
}

/* ph C: an event for each number in args. */
static void
counter(struct k_run *r, struct k_event *ev, const struct k_what *w)
{
	int64_t start, dur;

	if (!times(r, ev, w, false, &start, &dur))
		return;
	if (ev->n_series == 0)
		k_note(&r->notes, K_BAD_COUNTER, w->off);
	ev->have = 0;
	for (size_t i = 0; i < ev->n_series; i++) {
		k_set(ev, K_ID, k_member(ev, K_M_ID));
		k_set(ev, K_SERIES, ev->series[i].name);
		k_set(ev, K_VALUE, ev->series[i].value);
		if (k_xrecord(r, ev, w))
			k_xrec_add(r, start, TL_NONE, w->index, r->rec,
			    r->rec_len);
		else
			bad_token(r, w);
	}
}

/* ph B, E, b, e: half of a slice. */
static void
half(struct k_run *r, struct k_event *ev, const struct k_what *w, char ph)
{
	bool async = ph == 'b' || ph == 'e', begin = ph == 'B' || ph == 'b';
	const enum k_member parts[] = { K_M_PID, async ? K_M_CAT : K_M_TID,
		K_M_ID, K_M_SCOPE };
	char key[1 + 4 * (K_TOKEN_MAX + 1)];
	size_t n = 0;
	int64_t start, dur;

	if (!times(r, ev, w, false, &start, &dur))
		return;
	key[n++] = async ? 'a' : 's';
	for (size_t i = 0; i < (async ? 4U : 2U); i++) {
		struct tl_str s = k_member(ev, parts[i]);

		if (s.n > K_TOKEN_MAX) {
			bad_token(r, w);
			return;
		}
		memcpy(key + n, s.p, s.n);
		n += s.n;
		key[n++] = '\0';
	}
	if (async)
		k_set(ev, K_ID, k_member(ev, K_M_ID));
	if (begin && !k_xrecord(r, ev, w)) {
		bad_token(r, w);
		return;
	}
	if (r->pairs == NULL)
		r->pairs = k_xpairs_new(r->share);
	k_xpairs_add(r->pairs, start, w->index, (struct tl_str){ key, n },
	    begin ? r->rec : NULL, begin ? r->rec_len : 0);
}

/* ph M: names of processes. */
static void
metadata(struct k_run *r, const struct k_event *ev)
{
	struct tl_str pid = k_process(ev), name = k_arg(ev, K_NAME);
	bool sort = tl_str_is(k_member(ev, K_M_NAME), "process_sort_index");
	char token[4 * K_TOKEN_MAX];
	uint32_t proc;

	if (pid.n == 0 || pid.n > K_TOKEN_MAX)
		return;
	if (!sort && (name.n == 0 ||
	    !tl_str_is(k_member(ev, K_M_NAME), "process_name")))
		return;
	name.n = name.n > K_TEXT_MAX ? K_TEXT_MAX : name.n;
	proc = k_xprocess(r, (struct tl_str){ token,
	    tl_esc(token, pid.p, pid.n) });
	if (proc == UINT32_MAX)
		return;
	if (sort) {
		r->proc[proc].sorted = tl_num_str_u64(k_arg(ev, K_SORT),
		    &r->proc[proc].sort);
		return;
	}
	if (r->proc[proc].name.n > 0)
		return;
	r->proc[proc].name = (struct tl_str){ tl_xarena_copy(&r->meta.arena,
	    name.p, name.n), name.n };
}

static bool
parse(struct k_run *r, struct tl_str text, uint64_t off, bool series,
    struct k_event *ev)
{
	unsigned done;

	if (!k_half_pair(text) && k_json_event(r->json,
	    k_xjson_trim(r->json, text, &r->scan.lists), series, ev))
		return true;
	text = k_xfix(text, &r->fixed, &r->fixed_cap, &done);
	if (done == 0 || !k_json_event(r->json, text, series, ev)) {
		k_note(&r->notes, K_BAD_JSON, off);
		return false;
	}
	k_note_fixed(&r->notes, done, off);
	return true;
}

/* The kind of an event by its phase and category. */
static void
classify(struct k_what *w, char ph, struct tl_str cat, struct tl_str name)
{
	w->cat = k_cat_find(cat);
	w->kind = w->cat->kind;
	w->on_device = w->cat->place == K_ON_DEVICE;
	if (ph == 'C')
		w->kind = TL_COUNTER;
	else if (ph != 'X' && strchr("iIRn", ph) != NULL)
		w->kind = TL_MARK;
	else if (w->kind == TL_MARK)
		w->kind = TL_RANGE;
	if (w->kind == TL_COUNTER || w->kind == TL_MARK)
		w->on_device = false;
	/* until 2021 steps had the category of operators */
	if (w->kind == TL_OP && k_begins(name, "ProfilerStep#"))
		w->kind = TL_RANGE;
}

/* True if nothing of a slice of this category is wanted. Calls tell the process
 * of device events, device events are to be counted, and until 2021 steps were
 * among the operators. */
static bool
is_idle(const struct k_run *r, const struct k_what *w, struct tl_str cat)
{
	return !(r->kinds >> w->kind & 1) && w->kind != TL_API &&
	    !tl_kind_on_device(w->kind) && !tl_str_is(cat, "Operator");
}

void
k_xelement(struct k_run *r, struct tl_str text, uint64_t off, uint64_t index)
{
	struct k_glance g;
	struct k_event ev;
	struct k_what w = { .off = off, .index = index };
	struct tl_str ph;

	k_json_glance(text, &g);
	if (g.ph == 's' || g.ph == 't' || g.ph == 'f')
		return;
	if (g.ph != 0 && (g.cat.n > 0 || g.no_cat)) {
		classify(&w, g.ph, g.cat, (struct tl_str){ "", 0 });
		if (g.ph == 'X' && g.cat.n > 0 && is_idle(r, &w, g.cat)) {
			r->n_real++;
			return;
		}
	}
	if (!parse(r, text, off, g.ph == 'C' || g.ph == 0, &ev))
		return;
	ph = k_member(&ev, K_M_PH);
	if (ph.n != 1) {
		k_note(&r->notes, K_NO_PHASE, off);
		return;
	}
	if (ph.p[0] == 'M') {
		r->n_meta++;
		metadata(r, &ev);
		return;
	}
	if (strchr("stf", ph.p[0]) != NULL)
		return;
	if (strchr("XBEbeiIRnC", ph.p[0]) == NULL) {
		k_note(&r->notes, K_OTHER_PHASE, off);
		return;
	}
	r->n_real++;
	classify(&w, ph.p[0], k_member(&ev, K_M_CAT), k_member(&ev, K_M_NAME));
	if (ph.p[0] == 'X' && k_member(&ev, K_M_CAT).n == 0 &&
	    !k_ascend(r, &ev, &w))
		return;
	if (ph.p[0] == 'X')
		slice(r, &ev, &w);
	else if (strchr("BEbe", ph.p[0]) != NULL)
		half(r, &ev, &w, ph.p[0]);
	else if (!(r->kinds >> w.kind & 1))
		return;
	else if (ph.p[0] == 'C')
		counter(r, &ev, &w);
	else
		instant(r, &ev, &w);
}
