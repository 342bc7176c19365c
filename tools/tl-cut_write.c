#include "num.h"
#include "tl-cut.h"

enum {
	O_SCOPE = 1, O_POS, O_N, O_PARENT, O_ITERATION, O_COMPLETE, O_FIRST,
	O_START, O_SPAN, O_PERIOD, O_BUSY, O_SUM = 18, O_MAX
};
enum { R_EVENT = 1, R_SCOPE, R_POS, R_PARENT, R_ITERATION, R_MAX };
enum { CTX_MAX = 20 }; /* columns of records of scheduler context */
enum { M_EVENT = 5 };
enum { D_SCOPE = 1, D_PARENT, D_ITERATION, D_MAX };

static struct tl_str
word_of(struct tl_str line)
{
	const char *tab = memchr(line.p, '\t', line.n);

	return (struct tl_str){ line.p, tab == NULL ? line.n :
		(size_t)(tab - line.p) };
}

/* The event whose id is a line's column i. */
static bool
column_kept(const struct cut *c, struct tl_str line, size_t i)
{
	struct tl_str f[CTX_MAX];
	uint64_t id;
	uint32_t ev;

	if (tl_fields(f, CTX_MAX, line.p, line.n) <= i)
		return false;
	ev = cut_xevent(c, f[i], &id);
	return ev != CUT_NO && c->ev[ev].kept;
}

/* The first n columns of a line, of those of events only what is kept, those
 * in blank as unknown. */
static void
put_columns(struct cut *c, enum tl_kind kind, struct tl_str line, size_t n,
    uint32_t events, uint32_t blank)
{
	struct tl_str f[CTX_MAX];
	const char *end;

	tl_fields(f, CTX_MAX, line.p, line.n);
	tl_xevout_rec(&c->out, kind);
	for (size_t i = 1; i < n; i++) {
		if ((blank >> i & 1) || ((events >> i & 1) &&
		    !tl_str_none(f[i]) && !column_kept(c, line, i)))
			tl_xevout_none(&c->out);
		else
			tl_xevout_raw(&c->out, f[i]);
	}
	end = f[n - 1].p + f[n - 1].n;
	tl_xout_write(&c->out.out, end, (size_t)(line.p + line.n - end));
	tl_xevout_eol(&c->out);
}

/* Counts of what was linked are those of the whole. */
void
cut_xcontext_write(struct cut *c, enum tl_kind kind, struct tl_str line)
{
	struct tl_str f[CTX_MAX];
	size_t n = tl_fields(f, CTX_MAX, line.p, line.n);

	if (!c->opt.any)
		tl_xevout_line(&c->out, line);
	else if (kind == TL_STEP && n > 14)
		put_columns(c, kind, line, 15, 0, 1U << 14);
	else if (kind == TL_EXEC && n > 18)
		put_columns(c, kind, line, 19, 1U << 16, 3U << 17);
	else if (kind == TL_LINK && n > 7 && column_kept(c, line, 1))
		put_columns(c, kind, line, 8, 1U << 6, 0);
	else if (kind != TL_LINK && kind != TL_WORK)
		tl_xevout_line(&c->out, line);
}

void
cut_xput_pos(struct cut *c, uint32_t number)
{
	tl_xout_printf(&c->out.out, "\tN%03u", number);
}

void
cut_xput_occ(struct cut *c, const struct cut_occ *o)
{
	cut_xput_pos(c, c->pos[o->pos].number);
	tl_xout_c(&c->out.out, '#');
	tl_xout_u64(&c->out.out, o->new_n);
}

/* The columns of an occurrence that change where some of it was cut. */
static void
put_rest(struct cut *c, const struct cut_occ *o)
{
	tl_xevout_i64(&c->out, o->start_ns);
	tl_xevout_ns(&c->out, o->cost[CUT_SPAN]);
	tl_xevout_none(&c->out);
	for (int i = CUT_BUSY; i < CUT_N_COSTS; i++)
		tl_xevout_ns(&c->out, o->cost[i]);
	tl_xevout_ns(&c->out, o->sum_ns);
}

static void
put_occ(struct cut *c, const struct cut_occ *o, struct tl_str line)
{
	struct tl_str f[O_MAX];
	const char *end;

	if (!o->kept || !c->scope[c->pos[o->pos].scope].kept)
		return;
	tl_fields(f, O_MAX, line.p, line.n);
	tl_xevout_rec(&c->out, TL_OCC);
	tl_xevout_raw(&c->out, f[O_SCOPE]);
	tl_xevout_raw(&c->out, f[O_POS]);
	tl_xevout_u64(&c->out, o->new_n);
	if (o->parent == CUT_NO)
		tl_xevout_raw(&c->out, f[O_PARENT]);
	else
		cut_xput_occ(c, &c->occ[o->parent]);
	tl_xevout_raw(&c->out, f[O_ITERATION]);
	end = f[O_SUM].p + f[O_SUM].n;
	tl_xevout_raw(&c->out, o->cut ? TL_LIT("partial") : f[O_COMPLETE]);
	if (o->first_event == 0)
		tl_xevout_none(&c->out);
	else
		tl_xevout_u64(&c->out, o->first_event);
	if (o->cut)
		put_rest(c, o);
	else
		tl_xevout_raw(&c->out, (struct tl_str){ f[O_START].p,
		    (size_t)(end - f[O_START].p) });
	/* the variant, where variants stay, and columns that later versions
	 * add, with their tab */
	if (c->n_kept == c->n_ev)
		tl_xout_write(&c->out.out, end,
		    (size_t)(line.p + line.n - end));
	tl_xevout_eol(&c->out);
}

static void
put_real(struct cut *c, const struct cut_real *r, struct tl_str line)
{
	struct tl_str f[R_MAX];

	if (r->event == CUT_NO ? c->n_kept < c->n_ev : !c->ev[r->event].kept)
		return;
	if (r->occ == CUT_NO) {
		tl_xevout_line(&c->out, line);
		return;
	}
	tl_fields(f, R_MAX, line.p, line.n);
	tl_xevout_rec(&c->out, TL_REAL);
	for (int i = R_EVENT; i < R_PARENT; i++)
		tl_xevout_raw(&c->out, f[i]);
	cut_xput_occ(c, &c->occ[r->occ]);
	tl_xevout_raw(&c->out, (struct tl_str){ f[R_ITERATION].p,
	    (size_t)(line.p + line.n - f[R_ITERATION].p) });
	tl_xevout_eol(&c->out);
}

/* A deviation goes with its event; one that is missing, with what it is
 * missing from. */
static void
put_dev(struct cut *c, struct tl_str line)
{
	struct cut_real r = cut_xdev(c, line);
	struct tl_str f[D_MAX];

	if (r.event != CUT_NO && !c->ev[r.event].kept)
		return;
	if (r.occ == CUT_NO || !c->occ[r.occ].kept)
		return;
	tl_fields(f, D_MAX, line.p, line.n);
	tl_xevout_rec(&c->out, TL_DEV);
	tl_xevout_raw(&c->out, f[D_SCOPE]);
	cut_xput_occ(c, &c->occ[r.occ]);
	tl_xevout_raw(&c->out, (struct tl_str){ f[D_ITERATION].p,
	    (size_t)(line.p + line.n - f[D_ITERATION].p) });
	tl_xevout_eol(&c->out);
}

static void
put_held(struct cut *c)
{
	uint32_t pos = 0, occ = 0, real = 0, launch = 0;
	struct tl_str line;

	tl_xspool_rewind(c->lines);
	while (tl_xspool_next(c->lines, &line)) {
		enum tl_kind kind = tl_kind_of(word_of(line));

		if (kind == TL_POS)
			cut_xpos_write(c, pos++, line);
		else if (kind == TL_OCC)
			put_occ(c, &c->occ[occ++], line);
		else if (kind == TL_REAL)
			put_real(c, &c->real[real++], line);
		else if (kind == TL_DEV)
			put_dev(c, line);
		else if (kind == TL_VARIANT && c->n_kept < c->n_ev)
			continue; /* counts what is not there any more */
		else if (kind == TL_LAUNCH)
			cut_xlaunch_write(c, launch++, line);
		else if (kind == TL_UNIT)
			cut_xunit_write(c, line);
		else if (tl_kind_is_event(kind) ? column_kept(c, line, 1) :
		    kind != TL_MEMBER || column_kept(c, line, M_EVENT))
			cut_xcontext_write(c, kind, line);
	}
}

static void
put_notes(struct cut *c)
{
	if (!c->opt.any)
		return;
	tl_xevout_note(&c->out, TL_INFO, "cut", (int64_t)c->n_kept,
	    "events were taken, of %zu; notes of other programs are of all",
	    c->n_ev);
	if (c->n_cut_occ > 0)
		tl_xevout_note(&c->out, TL_INFO, "cut_structure",
		    (int64_t)c->n_cut_occ, "occurrences are left out, or "
		    "partial, since events that take part in them are cut");
	if (c->n_cut_launches > 0)
		tl_xevout_note(&c->out, TL_INFO, "cut_launches",
		    (int64_t)c->n_cut_launches, "graph launches lost members "
		    "to the cut and are called partial");
}

void
cut_xwrite(struct cut *c)
{
	if (c->held)
		put_held(c);
	put_notes(c);
}
