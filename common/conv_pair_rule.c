#include "conv_pair_rule.h"

#include "ascend.h"
#include "esc.h"
#include "num.h"

/* No context, as captures write it. */
#define NO_CONTEXT INT64_C(4294967295)

static struct tl_str
escaped(struct tl_arena *a, const char *before, struct tl_str raw)
{
	size_t n = strlen(before);
	char *p = tl_xarena_alloc(a, n + 4 * raw.n + 1);

	memcpy(p, before, n);
	return (struct tl_str){ p, n + tl_esc(p + n, raw.p, raw.n) };
}

void
tl_xconv_pair_rule(struct pair_rule *x, const struct tl_rules_pair *r,
    size_t number, struct tl_arena *a)
{
	char *type = tl_xarena_alloc(a, r->task_type.n + 1);

	x->r = *r;
	x->number = number;
	x->type = (struct tl_str){ type, tl_rules_type(type, r->task_type) };
	x->op = escaped(a, "", r->op_type);
	x->prefix = escaped(a, "", r->name_prefix);
	x->key = escaped(a, "rule=", (struct tl_str){ r->id,
	    strlen(r->id) });
}

/* What rules ask about an event. */
struct facts {
	char type_buf[256];
	struct tl_str type, op, task;
	bool has_op, collective;
	int64_t context;
};

static void
know(struct facts *f, const struct tl_ev *ev, const struct tl_conv_name *nm)
{
	struct tl_str type = tl_key(ev->keys, "type");
	struct tl_str op = tl_key(ev->keys, "op_type");
	struct tl_str context = tl_key(ev->keys, "context");
	struct tl_str identity = tl_key(ev->keys, "identity");
	char name[sizeof f->type_buf];

	if (type.p == NULL || type.n > sizeof f->type_buf)
		type.n = 0;
	f->collective = nm->communication;
	f->type = (struct tl_str){ f->type_buf,
		tl_rules_type(f->type_buf, type) };
	/* a task without an operator is called by its type */
	f->has_op = identity.p != NULL ? tl_str_is(identity, "op") :
	    nm->esc.n > sizeof name || f->type.n == 0 ||
	    !tl_str_eq(f->type, (struct tl_str){ name,
	    tl_rules_type(name, nm->esc) });
	f->op = op.p != NULL ? op : nm->esc;
	f->task = tl_key(ev->keys, "task");
	f->context = NO_CONTEXT;
	if (context.p != NULL)
		tl_num_str_i64(context, &f->context);
}

static bool
has_prefix(struct tl_str s, struct tl_str prefix)
{
	return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

static void
hash_text(uint64_t *h, struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++)
		*h = (*h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
	*h = (*h ^ 256) * UINT64_C(1099511628211);
}

/* Which side of a rule it is; false if neither. */
static bool
side_of(const struct pair_rule *x, const struct facts *f,
    const struct tl_ev *ev, const struct tl_conv_name *nm, bool *inner)
{
	const struct tl_rules_pair *r = &x->r;

	if (r->communication) {
		*inner = f->collective;
		if (r->same_connection && tl_str_none(ev->correlation))
			return false;
		if (f->collective)
			return r->any_name || has_prefix(nm->esc, x->prefix);
		return f->has_op && (r->any_op ? nm->cls != TL_COMM :
		    tl_str_eq(f->op, x->op));
	}
	*inner = f->has_op;
	if (f->collective || f->type.n == 0)
		return false;
	if (!r->any_type && !tl_str_eq(f->type, x->type))
		return false;
	if (f->has_op)
		return r->any_context ? f->context != r->generic_context :
		    f->context == r->concrete_context;
	return f->context == r->generic_context && (!r->any_type ||
	    tl_ascend_type(f->type) == TL_ASCEND_COMPUTE);
}

uint32_t
tl_conv_pair_fit(const struct pair_rule *rule, size_t n_rules,
    const struct tl_ev *ev, const struct tl_conv_name *nm,
    struct pair_fit *fit)
{
	struct facts f;
	uint32_t n = 0;

	if (!tl_kind_on_device(ev->kind) || ev->dur_ns == TL_NONE ||
	    tl_key(ev->keys, "detail").p != NULL)
		return 0;
	know(&f, ev, nm);
	for (uint32_t i = 0; i < n_rules; i++) {
		const struct tl_rules_pair *r = &rule[i].r;
		uint64_t h = UINT64_C(14695981039346656037) ^ i;
		bool inner;

		if (!side_of(&rule[i], &f, ev, nm, &inner))
			continue;
		hash_text(&h, ev->process);
		hash_text(&h, ev->device);
		if (!r->communication) {
			hash_text(&h, ev->lane);
			hash_text(&h, f.task);
		}
		if (!r->communication || r->same_connection)
			hash_text(&h, ev->correlation);
		fit[n++] = (struct pair_fit){ .rule = i, .inner = inner,
			.hash = h };
	}
	return n;
}

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

bool
tl_conv_pair_contained(const struct tl_rules_pair *r, int64_t in_start,
    int64_t in_end, int64_t out_start, int64_t out_end)
{
	int64_t from = in_start > out_start ? in_start : out_start;
	int64_t to = in_end < out_end ? in_end : out_end;
	uint64_t h, l, high, low;

	if (to < from)
		return false;
	multiply((uint64_t)(to - from), r->whole, &h, &l);
	multiply((uint64_t)(in_end - in_start), r->part, &high, &low);
	return h > high || (h == high && l >= low);
}
