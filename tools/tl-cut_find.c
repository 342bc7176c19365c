#include "mem.h"
#include "num.h"
#include "tl-cut.h"

/* Columns of records, from 0. */
enum {
	P_SCOPE = 1, P_POS, P_PARENT, P_KIND = 6, P_BODY = 8, P_FIRST = 10,
	P_N = 24
};
enum {
	O_SCOPE = 1, O_POS, O_N, O_PARENT, O_ITERATION, O_COMPLETE, O_FIRST,
	O_START, O_SPAN, O_PERIOD, O_BUSY, O_LAST = 19
};
enum { R_EVENT = 1, R_SCOPE, R_POS, R_PARENT, R_N = 6 };
enum {
	L_ID = 1, L_CALL, L_UNIT = 8, L_MEMBERS = 10, L_MISSING, L_OPAQUE,
	L_N = 14
};
enum { M_LAUNCH = 1, M_UNIT, M_EVENT = 5, M_N };

uint32_t
cut_scope_of(const struct cut *c, struct tl_str name)
{
	for (size_t i = c->n_scopes; i-- > 0;)
		if (tl_str_eq(c->scope[i].name, name))
			return (uint32_t)i;
	return CUT_NO;
}

uint32_t
cut_pos_of(const struct cut *c, uint32_t scope, uint32_t number)
{
	uint32_t lo = c->scope[scope].first, end = c->scope[scope].end;
	uint32_t hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->pos[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && c->pos[lo].number == number ? lo : CUT_NO;
}

uint32_t
cut_occ_of(const struct cut *c, uint32_t pos, uint32_t n)
{
	uint32_t lo = c->pos[pos].first_occ, end = lo + c->pos[pos].n_occ;
	uint32_t hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->occ[mid].n < n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && c->occ[lo].n == n ? lo : CUT_NO;
}

uint32_t
cut_launch_of(const struct cut *c, uint32_t id)
{
	size_t lo = 0, hi = c->n_launches;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->launch[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_launches && c->launch[lo].id == id ? (uint32_t)lo :
	    CUT_NO;
}

static int64_t
integer(const struct cut *c, const char *what, struct tl_str s, int64_t min,
    int64_t none)
{
	int64_t v;

	if (tl_str_none(s))
		return none;
	if (!tl_num_str_i64(s, &v) || v < min)
		cut_die_at(c, what, s, "is no number, or out of range");
	return v;
}

static uint32_t
small(const struct cut *c, const char *what, struct tl_str s)
{
	uint64_t v;

	if (!tl_num_str_u64(s, &v) || v == 0 || v >= CUT_NO)
		cut_die_at(c, what, s, "is no number, or out of range");
	return (uint32_t)v;
}

uint32_t
cut_xevent(const struct cut *c, struct tl_str s, uint64_t *id)
{
	size_t i;

	*id = (uint64_t)integer(c, "event", s, 1, 0);
	i = *id == 0 ? TL_NO_EVENT : tl_evids_find(&c->ids, *id);
	return i == TL_NO_EVENT ? CUT_NO : (uint32_t)i;
}

static uint32_t
position(const struct cut *c, struct tl_str s)
{
	uint32_t number = 0;

	if (!tl_pos_parse(s, &number))
		cut_die_at(c, "position", s,
		    "must be N and a number, like N003");
	return number;
}

/* Fields of a line, which must have n. */
static void
fields(const struct cut *c, struct tl_str *f, size_t n, struct tl_str line)
{
	if (tl_fields(f, n, line.p, line.n) < n)
		cut_die_at(c, "record", line, "has too few columns");
}

static enum cut_pos_kind
kind_of(struct tl_str s)
{
	static const char *const names[] = { "root", "seq", "loop", "replay" };

	for (int i = 0; i < CUT_LEAF; i++)
		if (tl_str_is(s, names[i]))
			return (enum cut_pos_kind)i;
	return tl_str_is(s, "event") ? CUT_LEAF : CUT_SEQ;
}

void
cut_xpos(struct cut *c, struct tl_str line)
{
	struct tl_str f[P_N];
	struct cut_pos q = { .parent = CUT_NO };
	struct cut_scope *s;

	fields(c, f, P_N, line);
	if (c->n_scopes == 0 || !tl_str_eq(f[P_SCOPE],
	    c->scope[c->n_scopes - 1].name)) {
		if (cut_scope_of(c, f[P_SCOPE]) != CUT_NO)
			cut_die_at(c, "scope", f[P_SCOPE],
			    "its positions stand apart");
		c->scope = tl_xgrow(c->scope, c->n_scopes, &c->cap_scopes,
		    sizeof *c->scope);
		c->scope[c->n_scopes++] = (struct cut_scope){
			.name = { tl_xarena_copy(&c->arena, f[P_SCOPE].p,
			    f[P_SCOPE].n), f[P_SCOPE].n },
			.first = (uint32_t)c->n_pos,
			.end = (uint32_t)c->n_pos,
		};
	}
	s = &c->scope[c->n_scopes - 1];
	q.scope = (uint32_t)c->n_scopes - 1;
	q.number = position(c, f[P_POS]);
	if (s->end > s->first && c->pos[s->end - 1].number >= q.number)
		cut_die_at(c, "position", f[P_POS],
		    "must be more than the last");
	if (!tl_str_none(f[P_PARENT])) {
		q.parent = cut_pos_of(c, q.scope, position(c, f[P_PARENT]));
		if (q.parent == CUT_NO)
			cut_die_at(c, "parent", f[P_PARENT],
			    "is no position above");
	}
	q.kind = (uint8_t)kind_of(f[P_KIND]);
	(void)cut_xevent(c, f[P_FIRST], &q.first_event);
	q.body_events = (uint64_t)integer(c, "body_events", f[P_BODY], 0, 0);
	if (c->n_pos >= CUT_NO - 1)
		cut_die_at(c, "record", line, "too many positions");
	c->pos = tl_xgrow(c->pos, c->n_pos, &c->cap_pos, sizeof *c->pos);
	c->pos[c->n_pos++] = q;
	s->end++;
}

static void
read_costs(const struct cut *c, struct cut_occ *o, const struct tl_str *f)
{
	o->cost[CUT_SPAN] = integer(c, "span", f[O_SPAN], 0, TL_NONE);
	if (o->start_ns > 0 && o->cost[CUT_SPAN] > INT64_MAX - o->start_ns)
		cut_die_at(c, "span", f[O_SPAN],
		    "the end does not fit into 64 bits");
	for (int i = CUT_BUSY; i < CUT_N_COSTS; i++)
		o->cost[i] = integer(c, "cost", f[O_BUSY + i - CUT_BUSY], 0,
		    TL_NONE);
}

/* The occurrences of a position stand together and are numbered upward, so
 * that they are found by halving; the one above comes before. */
void
cut_xocc(struct cut *c, struct tl_str line)
{
	struct tl_str f[O_LAST];
	struct cut_occ o = { .parent = CUT_NO, .first_real = CUT_NO,
		.from_ns = INT64_MAX, .to_ns = INT64_MIN };
	struct cut_pos *q;
	uint32_t scope, number = 0, n = 0;

	fields(c, f, O_LAST, line);
	scope = cut_scope_of(c, f[O_SCOPE]);
	o.pos = scope == CUT_NO ? CUT_NO :
	    cut_pos_of(c, scope, position(c, f[O_POS]));
	if (o.pos == CUT_NO)
		cut_die_at(c, "position", f[O_POS], "has no record above");
	q = &c->pos[o.pos];
	o.n = small(c, "occurrence", f[O_N]);
	if (q->n_occ > 0 && (q->first_occ + q->n_occ != c->n_occ ||
	    c->occ[c->n_occ - 1].n >= o.n))
		cut_die_at(c, "occurrence", f[O_N], "is out of order");
	if (!tl_str_none(f[O_PARENT]) &&
	    !tl_occ_parse(f[O_PARENT], &number, &n))
		cut_die_at(c, "occurrence", f[O_PARENT],
		    "must be like N003#7");
	if (number != 0) {
		uint32_t at = cut_pos_of(c, scope, number);

		o.parent = at == CUT_NO ? CUT_NO : cut_occ_of(c, at, n);
	}
	if (!tl_str_none(f[O_ITERATION]))
		o.iteration = small(c, "iteration", f[O_ITERATION]);
	o.is_iteration = q->kind == CUT_LOOP && (number == 0 ?
	    o.iteration != 0 : number == q->number);
	o.full = tl_str_is(f[O_COMPLETE], "full");
	(void)cut_xevent(c, f[O_FIRST], &o.first_event);
	o.start_ns = integer(c, "start", f[O_START], INT64_MIN, INT64_MIN);
	o.period_ns = integer(c, "period", f[O_PERIOD], INT64_MIN, INT64_MIN);
	read_costs(c, &o, f);
	if (q->n_occ++ == 0)
		q->first_occ = (uint32_t)c->n_occ;
	c->occ = tl_xgrow(c->occ, c->n_occ, &c->cap_occ, sizeof *c->occ);
	c->occ[c->n_occ++] = o;
}

void
cut_xreal(struct cut *c, struct tl_str line)
{
	struct tl_str f[R_N];
	struct cut_real r = { .occ = CUT_NO };
	uint64_t id;
	uint32_t scope, number, n, at;

	fields(c, f, R_N, line);
	r.event = cut_xevent(c, f[R_EVENT], &id);
	if (id == 0)
		cut_die_at(c, "event", f[R_EVENT], "must be the id of one");
	scope = cut_scope_of(c, f[R_SCOPE]);
	r.pos = scope == CUT_NO ? CUT_NO :
	    cut_pos_of(c, scope, position(c, f[R_POS]));
	if (r.pos == CUT_NO)
		cut_die_at(c, "position", f[R_POS], "has no record above");
	if (!tl_str_none(f[R_PARENT])) {
		if (!tl_occ_parse(f[R_PARENT], &number, &n))
			cut_die_at(c, "occurrence", f[R_PARENT],
			    "must be like N003#7");
		at = cut_pos_of(c, scope, number);
		r.occ = at == CUT_NO ? CUT_NO : cut_occ_of(c, at, n);
	}
	c->pos[r.pos].n_real++;
	if (c->opt.iterations && r.event != CUT_NO)
		c->more[r.event].occ = r.occ;
	c->real = tl_xgrow(c->real, c->n_real, &c->cap_real, sizeof *c->real);
	c->real[c->n_real++] = r;
}

enum { D_SCOPE = 1, D_PARENT, D_EVENT = 6, D_N };

struct cut_real
cut_xdev(struct cut *c, struct tl_str line)
{
	struct tl_str f[D_N];
	struct cut_real r = { .occ = CUT_NO, .pos = CUT_NO };
	uint32_t scope, number, n, at;
	uint64_t id;

	fields(c, f, D_N, line);
	r.event = cut_xevent(c, f[D_EVENT], &id);
	scope = cut_scope_of(c, f[D_SCOPE]);
	if (!tl_occ_parse(f[D_PARENT], &number, &n))
		cut_die_at(c, "occurrence", f[D_PARENT], "must be like N003#7");
	at = scope == CUT_NO ? CUT_NO : cut_pos_of(c, scope, number);
	if (at != CUT_NO)
		r.occ = cut_occ_of(c, at, n);
	if (c->opt.iterations && r.event != CUT_NO)
		c->more[r.event].occ = r.occ;
	return r;
}

void
cut_xlaunch(struct cut *c, struct tl_str line)
{
	struct tl_str f[L_N];
	struct cut_launch l = { .first = CUT_NO, .last = CUT_NO };

	fields(c, f, L_N, line);
	l.id = small(c, "launch", f[L_ID]);
	if (c->n_launches > 0 && c->launch[c->n_launches - 1].id >= l.id)
		cut_die_at(c, "launch", f[L_ID], "must be more than the last");
	l.unit = tl_xintern(&c->text, f[L_UNIT]);
	(void)cut_xevent(c, f[L_CALL], &l.call);
	(void)cut_xevent(c, f[L_OPAQUE], &l.opaque);
	l.counted = !tl_str_none(f[L_UNIT]) && tl_str_is(f[L_MISSING], "0");
	c->launch = tl_xgrow(c->launch, c->n_launches, &c->cap_launches,
	    sizeof *c->launch);
	c->launch[c->n_launches++] = l;
}

void
cut_xmember(struct cut *c, struct tl_str line)
{
	struct tl_str f[M_N];
	struct cut_member m;
	uint64_t id;

	fields(c, f, M_N, line);
	m.launch = small(c, "launch", f[M_LAUNCH]);
	m.unit = tl_xintern(&c->text, f[M_UNIT]);
	m.event = cut_xevent(c, f[M_EVENT], &id);
	if (id == 0)
		cut_die_at(c, "event", f[M_EVENT], "must be the id of one");
	c->member = tl_xgrow(c->member, c->n_members, &c->cap_members,
	    sizeof *c->member);
	c->member[c->n_members++] = m;
}
