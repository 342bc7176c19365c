#include <stdlib.h>

#include "mem.h"
#include "tl-cut.h"

/* -i: which events. */

struct span {
	int64_t from, to;
};

struct picker {
	struct cut *c;
	uint32_t scope, pos;  /* indexes */
	uint32_t scope_text;  /* as in struct cut_more */
	struct span *span;    /* of the iterations, apart and in order */
	size_t n_spans, cap_spans;
};

TL_NORETURN static void
die_scopes(const struct cut *c)
{
	char list[200], q[TL_QUOTE_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < c->n_scopes; i++) {
		struct tl_str s = c->scope[i].name;

		if (n + s.n + 8 > sizeof list) {
			memcpy(list + n, " ...", 4);
			n += 4;
			break;
		}
		if (i > 0)
			list[n++] = ' ';
		memcpy(list + n, s.p, s.n);
		n += s.n;
	}
	if (c->opt.scope.n > 0)
		tl_die("%s: scope '%s': there is none, but %.*s", c->name,
		    tl_quote(q, sizeof q, c->opt.scope.p, c->opt.scope.n),
		    (int)n, list);
	tl_die("%s: position 'N%03u': name a scope before it, of %.*s",
	    c->name, c->opt.pos, (int)n, list);
}

static void
find_loop(struct picker *k)
{
	struct cut *c = k->c;
	const struct cut_opt *o = &c->opt;

	if (c->n_scopes == 0)
		tl_die("%s: no recovered structure: run tl-recover", c->name);
	k->scope = o->scope.n > 0 ? cut_scope_of(c, o->scope) : 0;
	if (k->scope == CUT_NO || (o->scope.n == 0 && c->n_scopes > 1))
		die_scopes(c);
	k->pos = cut_pos_of(c, k->scope, o->pos);
	if (k->pos == CUT_NO)
		tl_die("%s: position 'N%03u': there is none; the last is "
		    "N%03u", c->name, o->pos,
		    c->pos[c->scope[k->scope].end - 1].number);
	if (c->pos[k->pos].kind == CUT_LEAF)
		tl_die("%s: position 'N%03u': is an event, which has no "
		    "iterations and no occurrences", c->name, o->pos);
	if (!o->by_occurrence && c->pos[k->pos].kind != CUT_LOOP)
		tl_die("%s: position 'N%03u': is no loop; name an occurrence, "
		    "like N%03u#1", c->name, o->pos, o->pos);
	k->scope_text = tl_xintern(&c->text, c->scope[k->scope].name);
}

static bool
is_asked(const struct cut *c, const struct cut_occ *o)
{
	uint32_t n = c->opt.by_occurrence ? o->n : o->iteration;

	return (c->opt.by_occurrence || o->is_iteration) &&
	    n >= c->opt.first && n <= c->opt.last;
}

static void
choose(struct picker *k)
{
	struct cut *c = k->c;
	const struct cut_pos *q = &c->pos[k->pos];
	uint32_t most = 0;

	for (uint32_t i = q->first_occ; i < q->first_occ + q->n_occ; i++) {
		struct cut_occ *o = &c->occ[i];
		uint32_t n = c->opt.by_occurrence ? o->n :
		    o->is_iteration ? o->iteration : 0;

		most = n > most ? n : most;
		o->chosen = is_asked(c, o);
		if (!o->chosen)
			continue;
		k->span = tl_xgrow(k->span, k->n_spans, &k->cap_spans,
		    sizeof *k->span);
		k->span[k->n_spans++] = (struct span){ o->start_ns,
			o->start_ns + (o->cost[CUT_SPAN] == TL_NONE ? 0 :
			o->cost[CUT_SPAN]) };
	}
	if (c->opt.last > most)
		tl_die("%s: %s '%u': N%03u has 1..%u", c->name,
		    c->opt.by_occurrence ? "occurrence" : "iteration",
		    c->opt.last > most && c->opt.first <= most ? c->opt.last :
		    c->opt.first, c->opt.pos, most);
	if (k->n_spans == 0)
		tl_die("%s: nothing is left", c->name);
	/* what lies in a chosen occurrence comes behind it */
	for (size_t i = 0; i < c->n_occ; i++)
		if (c->occ[i].parent != CUT_NO &&
		    c->occ[c->occ[i].parent].chosen)
			c->occ[i].chosen = true;
}

static int
span_cmp(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->from != y->from ? (x->from < y->from ? -1 : 1) :
	    x->to < y->to ? -1 : x->to > y->to;
}

/* Joins those that overlap. */
static void
join_spans(struct picker *k)
{
	size_t n = 0;

	qsort(k->span, k->n_spans, sizeof *k->span, span_cmp);
	for (size_t i = 0; i < k->n_spans; i++) {
		struct span s = k->span[i];

		if (n > 0 && s.from <= k->span[n - 1].to) {
			if (s.to > k->span[n - 1].to)
				k->span[n - 1].to = s.to;
		} else {
			k->span[n++] = s;
		}
	}
	k->n_spans = n;
}

static bool
in_spans(const struct picker *k, const struct cut_event *e)
{
	size_t lo = 0, hi = k->n_spans;
	bool open = e->dur_ns == TL_NONE && e->kind != TL_MARK &&
	    e->kind != TL_COUNTER;
	int64_t end = open ? INT64_MAX : e->dur_ns == TL_NONE ? e->start_ns :
	    e->start_ns + e->dur_ns;

	/* the first that ends behind the event's start */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->span[mid].to <= e->start_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->n_spans && (end > k->span[lo].from ||
	    e->start_ns >= k->span[lo].from);
}

/* A launch: its process and correlation. */
struct key {
	uint64_t corr;
	uint32_t process;
};

static int
key_cmp(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->corr < y->corr ? -1 : x->corr > y->corr;
}

/* Keeps the calls that launched what is kept of the scope, of those that the
 * other options allow. */
static void
keep_calls(struct picker *k, const bool *allowed)
{
	struct cut *c = k->c;
	struct key *key = tl_xreallocarray(NULL, c->n_ev, sizeof *key);
	size_t n = 0;

	for (size_t i = 0; i < c->n_ev; i++) {
		const struct cut_more *m = &c->more[i];

		if (c->ev[i].kept && c->ev[i].scope == k->scope_text &&
		    m->corr != CUT_NO_CORR &&
		    tl_kind_on_device((enum tl_kind)c->ev[i].kind))
			key[n++] = (struct key){ m->corr, m->process };
	}
	if (n > 1)
		qsort(key, n, sizeof *key, key_cmp);
	for (size_t i = 0; i < c->n_ev && n > 0; i++) {
		struct key want = { c->more[i].corr, c->more[i].process };

		if (allowed[i] && c->ev[i].kind == TL_API &&
		    want.corr != CUT_NO_CORR &&
		    bsearch(&want, key, n, sizeof *key, key_cmp) != NULL)
			c->ev[i].kept = true;
	}
	free(key);
}

void
cut_xpick(struct cut *c)
{
	struct picker k = { .c = c };
	bool *allowed = tl_xcalloc(c->n_ev, sizeof *allowed);

	find_loop(&k);
	choose(&k);
	join_spans(&k);
	for (size_t i = 0; i < c->n_ev; i++) {
		struct cut_event *e = &c->ev[i];
		const struct cut_more *m = &c->more[i];

		allowed[i] = e->kept;
		if (e->scope == k.scope_text && m->occ != CUT_NO)
			e->kept = e->kept && c->occ[m->occ].chosen;
		else
			e->kept = e->kept && in_spans(&k, e);
	}
	keep_calls(&k, allowed);
	c->n_kept = 0;
	for (size_t i = 0; i < c->n_ev; i++)
		c->n_kept += c->ev[i].kept;
	free(allowed);
	free(k.span);
}
