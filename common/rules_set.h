#ifndef TL_RULES_SET_H
#define TL_RULES_SET_H

/* All rules that are loaded. Private to rules*.c. */

#include "rules_doc.h"

struct tl_rule_set {
	struct tl_rule *rule; /* by priority, then as declared */
	size_t n;
};

struct tl_rules {
	struct tl_rules_doc *doc; /* in order of reading */
	struct tl_rule_set set[TL_RULES_N_STAGES]; /* first three only */
	uint32_t seq;
};

/* Qualified name of the function that a kernel is: return type, template
 * arguments and parameters cut away, decoded if mangled, in lower case. out
 * has room for 3 * name.n bytes. at[] gets where its components begin (the
 * first max - 1 and the last); how many is returned. */
size_t tl_rules_function(char *out, size_t *len, size_t *at, size_t max,
    struct tl_str name);

/* Applies symbol_normalization: outcome, symbol and symbol_rule of out, the
 * number of the set's first rule being first. */
void tl_rules_normalize(const struct tl_rule_set *set, size_t first,
    const struct tl_rules_subject *s, struct tl_rules_result *out);

/* Whether hay has needle, which is not empty. */
bool tl_rules_find(struct tl_str hay, struct tl_str needle);

/* The first that is not empty, else "". */
struct tl_str tl_rules_first(const struct tl_str *s, size_t n);

/* A subject's provider; unknown ones are TL_RP_ANY, which only rules for any
 * provider fit. */
uint8_t tl_rules_provider(const char *s);
bool tl_rules_provider_fits(const struct tl_rule *r, uint8_t provider);

#endif
