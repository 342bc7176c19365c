#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"

/* Columns of pos, occ and real records, from 0. */
enum {
	P_SCOPE = 1, P_POS, P_PARENT, P_KIND = 6, P_ITERATIONS, P_BODY,
	P_LABEL = 23, P_N
};
enum {
	O_SCOPE = 1, O_POS, O_N, O_PARENT, O_ITERATION, O_COMPLETE, O_START = 8,
	O_SPAN, O_PERIOD, O_LAST
};
enum { R_EVENT = 1, R_SCOPE, R_POS, R_PARENT, R_ITERATION, R_N };

static uint32_t
position(const struct tl_evin *in, struct tl_str s)
{
	uint32_t number = 0;

	if (!tl_pos_parse(s, &number))
		pf_die_at(in, "position", s,
		    "must be N and a number, like N003");
	return number;
}

/* "." gives 0, 0. */
static void
occurrence(const struct tl_evin *in, struct tl_str s, uint32_t *number,
    uint32_t *n)
{
	*number = *n = 0;
	if (!tl_str_none(s) && !tl_occ_parse(s, number, n))
		pf_die_at(in, "occurrence", s, "must be like N003#7");
}

static uint32_t
iteration(const struct tl_evin *in, struct tl_str s)
{
	return tl_str_none(s) ? 0 :
	    (uint32_t)pf_xnumber_of(in, "iteration", s, 1, PF_NO - 1);
}

static enum pf_pos_kind
kind_of(struct tl_str s)
{
	static const char *const names[] = { "root", "seq", "loop", "replay" };

	for (int i = 0; i < PF_LEAF; i++)
		if (tl_str_is(s, names[i]))
			return (enum pf_pos_kind)i;
	return tl_str_is(s, "event") ? PF_LEAF : PF_SEQ;
}

/* Length of the process in "process:device": that of a known device, else up
 * to the last colon. */
static size_t
process_len(const struct pf *p, struct tl_str name)
{
	size_t last = name.n;

	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] != ':')
			continue;
		last = i;
		if (pf_xis_device(p, (struct tl_str){ name.p, i },
		    (struct tl_str){ name.p + i + 1, name.n - i - 1 }))
			break;
	}
	return last;
}

/* The lane of the structure of a scope. */
static struct tl_str
scope_lane(struct pf *p, struct tl_str name)
{
	size_t n = process_len(p, name), at = 0;
	char *s = tl_xarena_alloc(&p->arena, name.n + 8);

	memcpy(s, name.p, n);
	at = n;
	if (n == 0)
		s[at++] = '.';
	s[at++] = '\t';
	if (n + 1 < name.n) {
		memcpy(s + at, name.p + n + 1, name.n - n - 1);
		at += name.n - n - 1;
	} else {
		s[at++] = '.';
	}
	memcpy(s + at, "\t.\t.", 4);
	return (struct tl_str){ s, at + 4 };
}

/* Index of a position, PF_NO if there is none of that number. */
static uint32_t
pos_of(const struct pf *p, uint32_t scope, uint32_t number)
{
	uint32_t lo = p->scope[scope].first, end = p->scope[scope].end;
	uint32_t hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->pos[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && p->pos[lo].number == number ? lo : PF_NO;
}

static uint32_t
occ_of(const struct pf *p, uint32_t pos, uint32_t n)
{
	uint32_t lo = p->pos[pos].first_occ, end = lo + p->pos[pos].n_occ;
	uint32_t hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->occ[mid].n < n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && p->occ[lo].n == n ? lo : PF_NO;
}

static void
add_scope(struct pf *p, const struct tl_evin *in, struct tl_str name)
{
	uint32_t i = tl_xintern(&p->scope_key, name);

	if (i != p->n_scopes)
		pf_die_at(in, "scope", name, "its positions stand apart");
	p->scope = tl_xgrow(p->scope, p->n_scopes, &p->cap_scopes,
	    sizeof *p->scope);
	p->scope[p->n_scopes++] = (struct pf_scope){
		.name = tl_intern_str(&p->scope_key, i),
		.first = (uint32_t)p->n_pos, .end = (uint32_t)p->n_pos,
		.lane4 = scope_lane(p, name),
	};
}

void
pf_xpos(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[P_N];
	struct pf_pos q = { .parent = PF_NO, .body = PF_NO };
	struct pf_scope *s;

	if (tl_fields(c, P_N, line.p, line.n) < P_N)
		pf_die_at(in, "record", line, "24 columns are needed");
	if (p->n_scopes == 0 || !tl_str_eq(c[P_SCOPE],
	    p->scope[p->n_scopes - 1].name))
		add_scope(p, in, c[P_SCOPE]);
	s = &p->scope[p->n_scopes - 1];
	q.scope = (uint32_t)p->n_scopes - 1;
	q.number = position(in, c[P_POS]);
	if (s->end > s->first && p->pos[s->end - 1].number >= q.number)
		pf_die_at(in, "position", c[P_POS],
		    "must be more than the last");
	if (!tl_str_none(c[P_PARENT])) {
		q.parent = pos_of(p, q.scope, position(in, c[P_PARENT]));
		if (q.parent == PF_NO)
			pf_die_at(in, "parent", c[P_PARENT],
			    "is no position above");
	}
	q.kind = (uint8_t)kind_of(c[P_KIND]);
	q.kind_text = tl_xintern(&p->text, c[P_KIND]);
	q.iterations = tl_xintern(&p->text, c[P_ITERATIONS]);
	q.body_events = tl_xintern(&p->text, c[P_BODY]);
	q.label = tl_xintern(&p->text, c[P_LABEL]);
	if (p->n_pos >= PF_NO - 1)
		pf_die_at(in, "record", line, "too many positions");
	p->pos = tl_xgrow(p->pos, p->n_pos, &p->cap_pos, sizeof *p->pos);
	p->pos[p->n_pos++] = q;
	s->end++;
}

/* The occurrences of a position stand together and are numbered upward, so
 * that they are found by halving. */
static void
place_occ(struct pf *p, const struct tl_evin *in, struct tl_str number,
    const struct pf_occ *o)
{
	struct pf_pos *q = &p->pos[o->pos];

	if (q->n_occ == 0)
		q->first_occ = (uint32_t)p->n_occ;
	else if (q->first_occ + q->n_occ != p->n_occ ||
	    p->occ[p->n_occ - 1].n >= o->n)
		pf_die_at(in, "occurrence", number, "is out of order");
	q->n_occ++;
}

void
pf_xocc(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[O_LAST];
	struct pf_occ o = { .parent = PF_NO, .span_ns = TL_NONE,
		.period_ns = INT64_MIN };
	uint32_t scope, parent, n;

	if (tl_fields(c, O_LAST, line.p, line.n) < O_LAST)
		pf_die_at(in, "record", line, "19 columns are needed");
	scope = tl_intern_find(&p->scope_key, c[O_SCOPE]);
	o.pos = scope == PF_NO ? PF_NO :
	    pos_of(p, scope, position(in, c[O_POS]));
	if (o.pos == PF_NO)
		pf_die_at(in, "position", c[O_POS], "has no record above");
	o.n = (uint32_t)pf_xnumber_of(in, "occurrence", c[O_N], 1, PF_NO - 1);
	o.iteration = iteration(in, c[O_ITERATION]);
	occurrence(in, c[O_PARENT], &parent, &n);
	if (parent != 0) {
		uint32_t at = pos_of(p, scope, parent);

		o.parent = at == PF_NO ? PF_NO : occ_of(p, at, n);
	}
	place_occ(p, in, c[O_N], &o);
	if (tl_str_is(c[O_COMPLETE], "full"))
		o.flags |= PF_FULL;
	if (p->pos[o.pos].kind == PF_LOOP && (o.parent != PF_NO ?
	    p->occ[o.parent].pos == o.pos : parent != 0 ?
	    parent == p->pos[o.pos].number : o.iteration != 0))
		o.flags |= PF_ITERATION;
	o.start_ns = pf_xnumber_of(in, "start", c[O_START], INT64_MIN,
	    INT64_MAX);
	if (!tl_str_none(c[O_SPAN]))
		o.span_ns = pf_xnumber_of(in, "span", c[O_SPAN], 0,
		    o.start_ns > 0 ? INT64_MAX - o.start_ns : INT64_MAX);
	if (!tl_str_none(c[O_PERIOD]))
		o.period_ns = pf_xnumber_of(in, "period", c[O_PERIOD],
		    INT64_MIN, INT64_MAX);
	p->occ = tl_xgrow(p->occ, p->n_occ, &p->cap_occ, sizeof *p->occ);
	p->occ[p->n_occ++] = o;
}

void
pf_xreal(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[R_N];
	struct pf_real r;
	uint32_t ev;

	if (tl_fields(c, R_N, line.p, line.n) < R_N)
		pf_die_at(in, "record", line, "six columns are needed");
	ev = pf_event_of(p, (uint64_t)pf_xnumber_of(in, "event", c[R_EVENT], 1,
	    INT64_MAX));
	r.leaf = position(in, c[R_POS]);
	occurrence(in, c[R_PARENT], &r.parent, &r.n);
	r.iteration = iteration(in, c[R_ITERATION]);
	if (ev == PF_NO)
		return;
	if (ev >= p->cap_real) {
		p->real = tl_xreallocarray(p->real, p->n_ev, sizeof *p->real);
		memset(p->real + p->cap_real, 0,
		    (p->n_ev - p->cap_real) * sizeof *p->real);
		p->cap_real = p->n_ev;
	}
	p->real[ev] = r;
}
