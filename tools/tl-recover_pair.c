#include "tl-recover_pair.h"

#include <stdlib.h>

#include "num.h"

/* No context, as captures write it. */
#define NO_CONTEXT INT64_C(4294967295)
#define NONE UINT32_MAX
/* So many intervals are looked at for one; more at a time are no pair. */
#define LOOK 64

enum { JOINED, AMBIGUOUS, CONFLICT, ALONE, N_STATUS };

/* A record that a rule may be about. */
struct seen {
	int64_t start_ns, end_ns, context;
	uint32_t event;
	uint32_t process, device, lane, corr, task; /* text */
	uint32_t type, op, name;                    /* text; NONE */
	bool has_op, used;
};

struct rec_pairs {
	struct tl_rules_pair *rule;
	size_t n_rules;
	uint64_t *count; /* [n_rules * N_STATUS] */
	struct tl_intern text;
	uint32_t *type, *op; /* of rules: text */
	struct seen *seen;
	size_t n, cap;
};

struct rec_pairs *
rec_pairs_new(const struct tl_rules *rules)
{
	struct rec_pairs *p = tl_xcalloc(1, sizeof *p);

	p->n_rules = tl_xrules_pairs(rules, &p->rule);
	if (p->n_rules == 0) {
		rec_pairs_free(p);
		return NULL;
	}
	p->count = tl_xcalloc(p->n_rules * N_STATUS, sizeof *p->count);
	p->type = tl_xcalloc(p->n_rules, sizeof *p->type);
	p->op = tl_xcalloc(p->n_rules, sizeof *p->op);
	for (size_t i = 0; i < p->n_rules; i++) {
		struct tl_str type = p->rule[i].task_type;
		char *buf = tl_xmalloc(type.n + 1);

		p->type[i] = tl_xintern(&p->text, (struct tl_str){ buf,
		    tl_rules_type(buf, type) });
		p->op[i] = tl_xintern(&p->text, p->rule[i].op_type);
		free(buf);
	}
	return p;
}

void
rec_pairs_free(struct rec_pairs *p)
{
	if (p == NULL)
		return;
	free(p->rule);
	free(p->count);
	free(p->type);
	free(p->op);
	free(p->seen);
	tl_intern_free(&p->text);
	free(p);
}

static bool
has_prefix(struct tl_str s, struct tl_str prefix)
{
	return prefix.n > 0 && s.n >= prefix.n &&
	    memcmp(s.p, prefix.p, prefix.n) == 0;
}

/* Whether a rule may be about it. */
static bool
is_asked_for(const struct rec_pairs *p, const struct seen *s,
    struct tl_str name)
{
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct tl_rules_pair *r = &p->rule[i];

		if (r->communication ? s->op == p->op[i] ||
		    has_prefix(name, r->name_prefix) : s->type == p->type[i])
			return true;
	}
	return false;
}

void
rec_pairs_add(struct rec_pairs *p, const struct tl_ev *ev)
{
	struct tl_str type = tl_key(ev->keys, "type");
	struct tl_str op = tl_key(ev->keys, "op_type");
	struct tl_str context = tl_key(ev->keys, "context");
	struct tl_str task = tl_key(ev->keys, "task");
	struct seen s = {
		.start_ns = ev->start_ns, .end_ns = ev->start_ns + ev->dur_ns,
		.context = NO_CONTEXT, .event = (uint32_t)ev->id,
		.has_op = tl_key(ev->keys, "identity").p != NULL,
		.name = NONE,
	};
	char buf[256];

	if (type.p == NULL || type.n > sizeof buf)
		type = TL_LIT("");
	s.type = tl_intern_find(&p->text, (struct tl_str){ buf,
	    tl_rules_type(buf, type) });
	s.op = tl_intern_find(&p->text, op.p != NULL ? op : ev->name);
	if (!is_asked_for(p, &s, ev->name))
		return;
	if (context.p != NULL)
		tl_num_str_i64(context, &s.context);
	s.process = tl_xintern(&p->text, ev->process);
	s.device = tl_xintern(&p->text, ev->device);
	s.lane = tl_xintern(&p->text, ev->lane);
	s.corr = tl_xintern(&p->text, ev->correlation);
	s.task = tl_xintern(&p->text, task.p != NULL ? task : TL_LIT("."));
	s.name = tl_xintern(&p->text, ev->name);
	p->seen = tl_xgrow(p->seen, p->n, &p->cap, sizeof *p->seen);
	p->seen[p->n++] = s;
}

/* ---- pairs ---- */

/* One of two sides of a rule, with its partner so far. */
struct side {
	struct seen *s;
	bool inner;        /* concrete, or the collective */
	struct side *with;
	uint32_t n;        /* partners */
};

/* a * b as high and low 64 bits. */
static void
multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32;
	uint64_t b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t mid = a1 * b0 + (a0 * b0 >> 32), more = a0 * b1 +
	    (uint32_t)mid;

	*high = a1 * b1 + (mid >> 32) + (more >> 32);
	*low = more << 32 | (uint32_t)(a0 * b0);
}

/* Whether enough of in lies in out: overlap * whole >= duration * part. */
static bool
lies_in(const struct tl_rules_pair *r, const struct seen *in,
    const struct seen *out)
{
	int64_t from = in->start_ns > out->start_ns ? in->start_ns :
	    out->start_ns;
	int64_t to = in->end_ns < out->end_ns ? in->end_ns : out->end_ns;
	uint64_t h, l, high, low;

	if (to < from)
		return false;
	multiply((uint64_t)(to - from), r->whole, &h, &l);
	multiply((uint64_t)(in->end_ns - in->start_ns), r->part, &high, &low);
	return h > high || (h == high && l >= low);
}

static int
key_cmp(const struct seen *a, const struct seen *b, bool communication)
{
	uint32_t x[5] = { a->process, a->device, a->lane, a->corr, a->task };
	uint32_t y[5] = { b->process, b->device, b->lane, b->corr, b->task };

	for (int i = 0; i < (communication ? 2 : 5); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int
start_cmp(const struct seen *a, const struct seen *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static int
task_cmp(const void *pa, const void *pb)
{
	const struct side *a = pa, *b = pb;
	int c = key_cmp(a->s, b->s, false);

	return c != 0 ? c : start_cmp(a->s, b->s);
}

static int
comm_cmp(const void *pa, const void *pb)
{
	const struct side *a = pa, *b = pb;
	int c = key_cmp(a->s, b->s, true);

	return c != 0 ? c : start_cmp(a->s, b->s);
}

/* Who lies in whom, in a group whose sides come by start. */
static void
match(const struct tl_rules_pair *r, struct side *side, size_t n)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		struct side *in = &side[i];
		uint32_t looked = 0;

		if (!in->inner)
			continue;
		/* an outer one may begin behind it */
		for (first = i; first + 1 < n &&
		    side[first + 1].s->start_ns <= in->s->end_ns &&
		    first < i + LOOK; first++)
			;
		for (size_t k = first + 1; k-- > 0 && looked < 2 * LOOK;
		    looked++) {
			struct side *out = &side[k];

			if (out->inner || !lies_in(r, in->s, out->s))
				continue;
			in->n++;
			out->n++;
			in->with = out;
			out->with = in;
		}
	}
}

static bool
find_event(struct rec_capture *cap, uint32_t id, struct rec_scope **scope,
    size_t *at)
{
	for (size_t i = 0; i < cap->n_scopes; i++) {
		struct rec_scope *s = &cap->scope[i];
		size_t lo = 0, hi = s->n;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (s->ev[mid].id < id)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < s->n && s->ev[lo].id == id) {
			*scope = s;
			*at = lo;
			return true;
		}
	}
	return false;
}

/* A pair to be joined: gone is counted nowhere. Of tasks, what is left has the
 * time of the one and all else of the other. */
struct join {
	struct rec_scope *scope;
	size_t left, gone;
	bool tasks;
};

static void
join(const struct join *j)
{
	struct rec_event *left = &j->scope->ev[j->left];
	struct rec_event *gone = &j->scope->ev[j->gone];
	uint32_t id = left->id;

	if (j->tasks) {
		left->id = gone->id;
		gone->id = id;
		left->sym = gone->sym;
		left->cls = gone->cls;
		left->corr = gone->corr;
		left->flags = gone->flags;
	}
	gone->flags = (uint8_t)((gone->flags & ~REC_PART) | REC_GONE);
}

struct joins {
	struct join *j;
	size_t n, cap;
};

static int
judge(struct rec_capture *cap, const struct tl_rules_pair *r,
    struct side *in, struct joins *joins)
{
	struct rec_scope *a, *b;
	size_t outer, inner;

	if (in->n == 0)
		return ALONE;
	if (in->n > 1 || in->with->n > 1)
		return AMBIGUOUS;
	if (!find_event(cap, in->s->event, &a, &inner) ||
	    !find_event(cap, in->with->s->event, &b, &outer) || a != b ||
	    (a->member != NULL && (a->member[inner].launch !=
	    REC_NO_LAUNCH || a->member[outer].launch != REC_NO_LAUNCH)))
		return CONFLICT; /* the bodies of replays are made already */
	joins->j = tl_xgrow(joins->j, joins->n, &joins->cap,
	    sizeof *joins->j);
	/* of tasks the outer record stays, as the inner one */
	joins->j[joins->n++] = (struct join){ a, outer, inner,
		!r->communication };
	in->s->used = in->with->s->used = true;
	return JOINED;
}

static void
apply(struct rec_pairs *p, size_t rule, struct rec_capture *cap,
    struct joins *joins)
{
	const struct tl_rules_pair *r = &p->rule[rule];
	struct side *side = tl_xcalloc(p->n, sizeof *side);
	size_t n = 0, end;

	for (size_t i = 0; i < p->n; i++) {
		struct seen *s = &p->seen[i];
		bool inner = r->communication ? has_prefix(tl_intern_str(
		    &p->text, s->name), r->name_prefix) :
		    s->type == p->type[rule] && s->has_op &&
		    s->context == r->concrete_context;
		bool outer = r->communication ? s->op == p->op[rule] :
		    s->type == p->type[rule] && !s->has_op &&
		    s->context == r->generic_context;

		if (!s->used && inner != outer)
			side[n++] = (struct side){ .s = s, .inner = inner };
	}
	if (n > 1)
		qsort(side, n, sizeof *side,
		    r->communication ? comm_cmp : task_cmp);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && key_cmp(side[i].s, side[end].s,
		    r->communication) == 0; end++)
			;
		match(r, side + i, end - i);
	}
	for (size_t i = 0; i < n; i++)
		if (side[i].inner)
			p->count[rule * N_STATUS + (size_t)judge(cap, r,
			    &side[i], joins)]++;
	free(side);
}

void
rec_pairs_join(struct rec_pairs *p, struct rec_capture *cap)
{
	struct joins joins = { .n = 0 };

	for (size_t i = 0; i < p->n_rules; i++)
		apply(p, i, cap, &joins);
	/* only now, since events are found by their ids */
	for (size_t i = 0; i < joins.n; i++)
		join(&joins.j[i]);
	free(joins.j);
}

void
rec_pairs_say(const struct rec_pairs *p, struct tl_evout *out)
{
	static const char *const words[N_STATUS] = {
		"pairs of records became one event",
		"records have several that could be their partner",
		"pairs are members of replays, or on two devices",
		"records have no partner",
	};
	char quoted[TL_QUOTE_SIZE];

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct tl_rules_pair *r = &p->rule[i];

		tl_quote(quoted, sizeof quoted, r->id, strlen(r->id));
		for (int k = 0; k < N_STATUS; k++) {
			uint64_t n = p->count[i * N_STATUS + (size_t)k];

			if (n == 0 && k != JOINED)
				continue;
			if (out != NULL)
				tl_xevout_note(out, n == 0 || k == AMBIGUOUS ||
				    k == CONFLICT ? TL_WARN : TL_INFO,
				    "recover_rule", (int64_t)n,
				    "%s:%u: rule '%s': %s", r->origin,
				    (unsigned)r->line, quoted, words[k]);
			else
				tl_msg("%s:%u: rule '%s': %llu %s", r->origin,
				    (unsigned)r->line, quoted,
				    (unsigned long long)n, words[k]);
		}
	}
}
