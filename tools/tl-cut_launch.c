#include "num.h"
#include "tl-cut.h"

enum {
	L_ID = 1, L_CALL, L_START = 6, L_DUR, L_UNIT, L_STATUS, L_MEMBERS,
	L_MISSING, L_OPAQUE, L_REASON, L_FIRST, L_LAST, L_GAP, L_MAX
};
enum { U_ID = 1, U_LAUNCHES = 5, U_N };

/* A reference to an event. */
static void
put_ref(struct cut *c, struct tl_str s)
{
	uint64_t id;
	uint32_t ev = cut_xevent(c, s, &id);

	if (ev != CUT_NO && c->ev[ev].kept)
		tl_xevout_raw(&c->out, s);
	else
		tl_xevout_none(&c->out);
}

static void
put_id(struct cut *c, uint32_t event)
{
	if (event == CUT_NO)
		tl_xevout_none(&c->out);
	else
		tl_xevout_u64(&c->out, cut_id(c, event));
}

static void
put_missing(struct cut *c, const struct cut_launch *l, struct tl_str s)
{
	uint64_t n;

	if (tl_num_str_u64(s, &n) && n < UINT32_MAX)
		tl_xevout_u64(&c->out, n + l->n_all - l->n_kept);
	else
		tl_xevout_none(&c->out);
}

static void
put_reason(struct cut *c, const struct cut_launch *l, struct tl_str s)
{
	tl_xevout_raw(&c->out, tl_str_none(s) ? TL_LIT("members") : s);
	tl_xout_puts(&c->out.out, tl_str_none(s) ? " were cut: " :
	    "; members cut: ");
	tl_xout_u64(&c->out.out, l->n_all - l->n_kept);
}

static void
put_gap(struct cut *c, const struct cut_launch *l)
{
	size_t call = l->call == 0 ? TL_NO_EVENT :
	    tl_evids_find(&c->ids, l->call);
	uint64_t gap;

	if (call == TL_NO_EVENT) {
		tl_xevout_none(&c->out);
		return;
	}
	gap = (uint64_t)c->ev[l->first].start_ns -
	    (uint64_t)c->ev[call].start_ns;
	tl_xevout_i64(&c->out, (int64_t)gap);
}

/* One column of a launch that lost members. */
static void
put_changed(struct cut *c, const struct cut_launch *l, size_t i,
    struct tl_str s)
{
	switch (i) {
	case L_START:
		tl_xevout_i64(&c->out, l->start_ns);
		break;
	case L_DUR:
		tl_xevout_ns(&c->out, cut_length(l->start_ns, l->end_ns));
		break;
	case L_STATUS:
		tl_xevout_raw(&c->out, TL_LIT("partial"));
		break;
	case L_MEMBERS:
		tl_xevout_u64(&c->out, l->n_kept);
		break;
	case L_MISSING:
		put_missing(c, l, s);
		break;
	case L_REASON:
		put_reason(c, l, s);
		break;
	case L_FIRST:
	case L_LAST:
		put_id(c, i == L_FIRST ? l->first : l->last);
		break;
	case L_GAP:
		put_gap(c, l);
		break;
	default:
		tl_xevout_raw(&c->out, s);
		break;
	}
}

void
cut_xlaunch_write(struct cut *c, uint32_t launch, struct tl_str line)
{
	const struct cut_launch *l = &c->launch[launch];
	struct tl_str f[L_MAX];
	size_t n = tl_fields(f, L_MAX, line.p, line.n);
	bool changed = l->n_kept > 0 && l->n_kept < l->n_all;
	const char *end;

	if (!l->kept)
		return;
	n = n < L_MAX ? n : L_MAX;
	end = f[n - 1].p + f[n - 1].n;
	tl_xevout_rec(&c->out, TL_LAUNCH);
	for (size_t i = L_ID; i < n; i++) {
		if (i == L_CALL || i == L_OPAQUE ||
		    (!changed && (i == L_FIRST || i == L_LAST)))
			put_ref(c, f[i]);
		else if (changed)
			put_changed(c, l, i, f[i]);
		else
			tl_xevout_raw(&c->out, f[i]);
	}
	/* columns that later versions add, with their tab */
	tl_xout_write(&c->out.out, end, (size_t)(line.p + line.n - end));
	tl_xevout_eol(&c->out);
}

void
cut_xunit_write(struct cut *c, struct tl_str line)
{
	struct tl_str f[U_N];
	size_t n = tl_fields(f, U_N, line.p, line.n);
	uint32_t unit = n < U_N ? CUT_NO : tl_intern_find(&c->text, f[U_ID]);
	uint64_t launches;
	const char *end;

	if (unit == CUT_NO || !c->unit_kept[unit]) {
		if (c->n_kept == c->n_ev)
			tl_xevout_line(&c->out, line);
		return;
	}
	if (c->unit_less[unit] == 0 ||
	    !tl_num_str_u64(f[U_LAUNCHES], &launches)) {
		tl_xevout_line(&c->out, line);
		return;
	}
	end = f[U_LAUNCHES].p + f[U_LAUNCHES].n;
	tl_xevout_rec(&c->out, TL_UNIT);
	for (size_t i = U_ID; i < U_LAUNCHES; i++)
		tl_xevout_raw(&c->out, f[i]);
	tl_xevout_u64(&c->out, launches > c->unit_less[unit] ?
	    launches - c->unit_less[unit] : 0);
	tl_xout_write(&c->out.out, end, (size_t)(line.p + line.n - end));
	tl_xevout_eol(&c->out);
}
