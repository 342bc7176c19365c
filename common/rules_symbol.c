/* symbol_normalization. */

#include "rules_set.h"

#include <string.h>

static bool
find_ci(struct tl_str hay, struct tl_str lower)
{
	for (size_t i = 0; i + lower.n <= hay.n; i++) {
		size_t j = 0;

		while (j < lower.n) {
			char c = hay.p[i + j];

			if (c >= 'A' && c <= 'Z')
				c = (char)(c - 'A' + 'a');
			if (c != lower.p[j])
				break;
			j++;
		}
		if (j == lower.n)
			return true;
	}
	return false;
}

/* Part before the first "_". */
static struct tl_str
base_of(struct tl_str s)
{
	const char *bar = s.n > 0 ? memchr(s.p, '_', s.n) : NULL;

	return (struct tl_str){ s.p, bar != NULL ? (size_t)(bar - s.p) : s.n };
}

/* The matrix products whose layout follows the name, as in MatMulV2_ND_... */
static bool
is_matmul(struct tl_str base)
{
	static const char name[] = "BatchMatMulV";
	size_t skip = base.n > 0 && base.p[0] == 'B' ? 0 : 5;
	size_t n = sizeof name - 1 - skip;

	return base.n == n + 1 && memcmp(base.p, name + skip, n) == 0 &&
	    base.p[n] >= '1' && base.p[n] <= '9';
}

/* Names of compiled CANN kernels: OpType_FINGERPRINT..., OpType_..._
 * high_performance_..., MatMulV2_ND_...: an operator with what the compiler
 * chose behind it. */
static bool
is_decorated(struct tl_str s)
{
	struct tl_str base = base_of(s), second;
	bool word = true;

	if (base.n == 0 || base.n == s.n)
		return false;
	second = base_of((struct tl_str){ s.p + base.n + 1, s.n - base.n - 1 });
	for (size_t i = 0; i < second.n; i++) {
		char c = second.p[i];

		word = word && ((c >= '0' && c <= '9') ||
		    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
	}
	if (word && second.n == 32)
		return true;
	if (tl_rules_find(s, TL_LIT("_high_performance_")) ||
	    tl_rules_find(s, TL_LIT("_high_precision_")) ||
	    tl_rules_find(s, TL_LIT("_optional_")))
		return true;
	return is_matmul(base) &&
	    (tl_str_is(second, "ND") || tl_str_is(second, "NZ"));
}

/* 12_3: digits and "_", a digit first, at least one "_". */
static bool
is_opaque(struct tl_str s)
{
	bool bar = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '_' && i > 0)
			bar = true;
		else if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return bar;
}

/* Whether text matches; *base gets what {kernel_base} stands for. */
static bool
text_matches(const struct tl_rule *r, struct tl_str s, struct tl_str *base)
{
	enum tl_rule_symbol_match match = (enum tl_rule_symbol_match)r->match;

	if (s.n == 0)
		return false;
	*base = base_of(s);
	if (match == TL_RS_OPAQUE_NUMERIC)
		return is_opaque(s);
	if (match == TL_RS_DECORATED_KERNEL)
		return is_decorated(s);
	if (match == TL_RS_KERNEL_BASE && is_decorated(s))
		s = *base;
	for (size_t i = 0; i < r->n_alt; i++) {
		struct tl_str a = r->alt[i];

		if (match == TL_RS_CONTAINS_CI ||
		    match == TL_RS_CONTAINS_ANY_CI ? find_ci(s, a) :
		    tl_str_eq(s, a))
			return true;
	}
	return false;
}

/* Texts of a subject that may be its identity: in the order in which the first
 * that is not empty is the symbol it has without rules, and in the order in
 * which any_identity looks. */
struct texts {
	struct tl_str selected[5], any[7];
};

static struct texts
texts_of(const struct tl_rules_subject *s)
{
	if (s->communication)
		return (struct texts){ { s->op_type, s->linked_type,
			s->linked_name, s->op_name, s->name },
			{ s->op_name, s->op_type, s->linked_name,
			s->linked_type, s->name } };
	return (struct texts){ { s->op_type, s->op_name, s->comm_name, s->name,
		s->task_type }, { s->op_name, s->op_type, s->compute_type,
		s->comm_name, s->name, s->task_type } };
}

static bool
symbol_matches(const struct tl_rule *r, const struct tl_rules_subject *s,
    const struct texts *t, struct tl_str *base)
{
	bool c = s->communication;
	struct tl_str none = { "", 0 }, text = none;

	switch ((enum tl_rule_text)r->field) {
	case TL_RT_SELECTED:
		text = tl_rules_first(t->selected, 5);
		break;
	case TL_RT_ANY_IDENTITY:
		for (size_t i = 0; i < 7; i++)
			if (text_matches(r, t->any[i], base))
				return true;
		return false;
	case TL_RT_OP_NAME:
		text = s->op_name;
		break;
	case TL_RT_OP_TYPE:
		text = s->op_type;
		break;
	case TL_RT_TASK_TYPE:
		text = c ? none : s->task_type;
		break;
	case TL_RT_COMPUTE_TASK_TYPE:
		text = c ? none : s->compute_type;
		break;
	case TL_RT_COMM_NAME:
		text = c ? none : s->comm_name;
		break;
	case TL_RT_LINKED_TASK_NAME:
		text = c ? s->linked_name : none;
		break;
	case TL_RT_LINKED_TASK_TYPE:
		text = c ? s->linked_type : none;
		break;
	}
	return text_matches(r, text, base);
}

/* Only rules of the highest priority that matches count; two of them agree on
 * nothing, and the symbol stays. */
void
tl_rules_normalize(const struct tl_rule_set *set, size_t first,
    const struct tl_rules_subject *s, struct tl_rules_result *out)
{
	const struct tl_rule *hit = NULL;
	uint8_t provider = tl_rules_provider(s->provider);
	struct texts t = texts_of(s);
	struct tl_str base;

	out->symbol = tl_rules_first(t.selected, 5);
	for (size_t i = 0; i < set->n; i++) {
		const struct tl_rule *r = &set->rule[i];

		if (hit != NULL && r->priority < hit->priority)
			break;
		if (r->communication != s->communication ||
		    !tl_rules_provider_fits(r, provider) ||
		    !symbol_matches(r, s, &t, &base))
			continue;
		if (hit != NULL) {
			out->outcome = TL_SYMBOL_CONFLICT;
			out->symbol = tl_rules_first(t.selected, 5);
			out->symbol_rule = TL_RULES_NONE;
			break;
		}
		hit = r;
		out->outcome = TL_SYMBOL_CANONICALIZED;
		out->symbol = tl_str_is(r->symbol, "{kernel_base}") ? base :
		    r->symbol;
		out->symbol_rule = (uint32_t)(first + i);
	}
	if (tl_str_eq(out->symbol, s->name))
		out->symbol = (struct tl_str){ "", 0 };
}
