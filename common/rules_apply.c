#include "rules_set.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* A subject as rules see it. */
struct subject {
	uint8_t provider;
	struct tl_str op;         /* the operator, as recorded */
	struct tl_str field[3];   /* by enum tl_rule_field, ready to compare */
	bool concrete;            /* it names an operator of its own */
	struct tl_str function;
	size_t at[16], n_at;      /* where components of function begin */
	char *buf;
};

bool
tl_rules_find(struct tl_str hay, struct tl_str needle)
{
	const char *p = hay.p, *end = hay.p + hay.n;

	while ((size_t)(end - p) >= needle.n) {
		p = memchr(p, needle.p[0], (size_t)(end - p) - needle.n + 1);
		if (p == NULL)
			return false;
		if (memcmp(p, needle.p, needle.n) == 0)
			return true;
		p++;
	}
	return false;
}

uint8_t
tl_rules_provider(const char *s)
{
	if (s == NULL)
		return TL_RP_ANY;
	if (strcmp(s, "ascend") == 0)
		return TL_RP_ASCEND;
	if (strcmp(s, "cuda") == 0)
		return TL_RP_CUDA;
	if (strcmp(s, "hip") == 0 || strcmp(s, "hygon") == 0)
		return TL_RP_HIP;
	return TL_RP_ANY;
}

bool
tl_rules_provider_fits(const struct tl_rule *r, uint8_t provider)
{
	return r->provider == TL_RP_ANY || r->provider == provider;
}

/* Task type of an event whose capture has none. */
static struct tl_str
type_of_kind(uint8_t provider, enum tl_kind kind)
{
	static const char *const cuda[] = { "CUDA_KERNEL", "CUDA_MEMCPY_AUX",
		"CUDA_MEMSET_AUX", "CUDA_SYNC_AUX", "CUDA_GRAPH" };
	static const char *const hip[] = { "HIP_KERNEL", "HIP_MEMCPY_AUX",
		"HIP_MEMSET_AUX", "HIP_SYNC_AUX", "HIP_GRAPH" };
	const char *s = "";

	if (kind <= TL_GRAPH && provider == TL_RP_CUDA)
		s = cuda[kind];
	else if (kind <= TL_GRAPH && provider == TL_RP_HIP)
		s = hip[kind];
	return (struct tl_str){ s, strlen(s) };
}

struct tl_str
tl_rules_first(const struct tl_str *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].n > 0)
			return s[i];
	return (struct tl_str){ "", 0 };
}

static size_t
add_word(char *out, size_t n, struct tl_str s)
{
	if (s.n == 0)
		return n;
	if (n > 0)
		out[n++] = ' ';
	tl_rules_lower(out + n, s);
	return n + s.n;
}

/* Fills what classification rules compare with. */
static void
prepare(struct subject *x, const struct tl_rules_subject *s)
{
	const struct tl_str names[] = { s->op_type, s->op_name, s->comm_name,
		s->name, s->task_type };
	struct tl_str type = s->task_type;
	size_t n = 0, blob;
	char *p;

	*x = (struct subject){ .provider = tl_rules_provider(s->provider) };
	if (type.n == 0)
		type = type_of_kind(x->provider, s->kind);
	x->op = tl_rules_first(names, 5);
	x->concrete = s->op_type.n > 0 || s->op_name.n > 0 ||
	    s->comm_name.n > 0;
	blob = x->op.n + s->op_name.n + s->op_type.n + s->compute_type.n +
	    type.n + 4;
	p = x->buf = tl_xmalloc(type.n + 4 * x->op.n + blob);
	x->field[TL_RF_TASK_TYPE] = (struct tl_str){ p,
		tl_rules_type(p, type) };
	p += type.n;
	tl_rules_lower(p, x->op);
	x->field[TL_RF_OPERATOR] = (struct tl_str){ p, x->op.n };
	p += x->op.n;
	n = add_word(p, n, x->op);
	n = add_word(p, n, s->op_name);
	n = add_word(p, n, s->op_type);
	n = add_word(p, n, s->compute_type);
	n = add_word(p, n, type);
	x->field[TL_RF_BLOB] = (struct tl_str){ p, n };
	p += blob;
	x->function.p = p;
	x->n_at = tl_rules_function(p, &x->function.n, x->at,
	    sizeof x->at / sizeof *x->at, x->op);
}

/* The pattern begins where a component of the name begins and reaches the
 * last component, so that a namespace alone is no hit; one that ends in "::"
 * asks for a namespace. */
static bool
function_matches(const struct subject *x, struct tl_str pat)
{
	bool space = pat.n >= 2 && memcmp(pat.p + pat.n - 2, "::", 2) == 0;

	for (size_t i = 0; i < x->n_at; i++) {
		size_t at = x->at[i];

		if (x->function.n - at >= pat.n &&
		    memcmp(x->function.p + at, pat.p, pat.n) == 0 &&
		    (space || at + pat.n > x->at[x->n_at - 1]))
			return true;
	}
	return false;
}

static bool
class_matches(const struct tl_rule *r, const struct subject *x)
{
	struct tl_str f = x->field[r->field];

	if (!tl_rules_provider_fits(r, x->provider) ||
	    (r->defers && x->concrete))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if ((r->required >> i & 1) != 0 && x->field[i].n == 0)
			return false;
	switch ((enum tl_rule_match)r->match) {
	case TL_RM_EXACT:
		return tl_str_eq(f, r->alt[0]);
	case TL_RM_CONTAINS:
		return tl_rules_find(f, r->alt[0]);
	case TL_RM_FUNCTION:
		break;
	}
	for (size_t i = 0; i < r->n_alt; i++)
		if (function_matches(x, r->alt[i]))
			return true;
	return false;
}

static void
classify(const struct tl_rule_set *set, const struct tl_rules_subject *s,
    struct tl_rules_result *out)
{
	bool role = false, cls = false;
	struct subject x;

	prepare(&x, s);
	for (size_t i = 0; i < set->n && !(role && cls); i++) {
		const struct tl_rule *r = &set->rule[i];
		bool gives_role = !role && r->role != TL_ROLE_NONE;
		bool gives_class = !cls && r->cls != TL_N_CLASSES;

		if ((!gives_role && !gives_class) || !class_matches(r, &x))
			continue;
		if (gives_role) {
			role = true;
			out->role = (enum tl_rules_role)r->role;
			out->role_rule = (uint32_t)i;
		}
		if (gives_class) {
			cls = true;
			out->cls = (enum tl_class)r->cls;
			out->class_rule = (uint32_t)i;
		}
	}
	free(x.buf);
}

void
tl_rules_apply(const struct tl_rules *r, const struct tl_rules_subject *s,
    struct tl_rules_result *out)
{
	const struct tl_rule_set *cls = &r->set[TL_RULES_CLASSIFICATION];
	bool work = s->kind == TL_KERNEL || s->kind == TL_TASK ||
	    s->kind == TL_GRAPH;

	*out = (struct tl_rules_result){ .cls = tl_kind_class(s->kind),
		.role = work || !tl_kind_on_device(s->kind) ? TL_ROLE_ANCHOR :
		    TL_ROLE_AUXILIARY,
		.symbol = { "", 0 }, .class_rule = TL_RULES_NONE,
		.role_rule = TL_RULES_NONE, .symbol_rule = TL_RULES_NONE };
	if (!tl_kind_on_device(s->kind))
		return;
	if (s->communication)
		out->cls = TL_COMM;
	else
		classify(cls, s, out);
	tl_rules_normalize(&r->set[TL_RULES_SYMBOL], cls->n, s, out);
}
