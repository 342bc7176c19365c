/* Checks of the stages that are applied elsewhere: reconciliation
 * rules, macro matching, structure. */

#include "rules_doc.h"

#include <stdlib.h>
#include <string.h>

#include "intern.h"

#define N(keys) (sizeof(keys) / sizeof *(keys))

/* A decimal fraction of [0, 1]: digits with at most one point. */
static bool
is_fraction(struct tl_str s)
{
	size_t i = 0, digits = 0;
	bool one;

	while (i < s.n && s.p[i] == '0')
		i++, digits++;
	one = i < s.n && s.p[i] == '1';
	if (one)
		i++, digits++;
	if (i < s.n && s.p[i] == '.')
		for (i++; i < s.n && (s.p[i] == '0' ||
		    (!one && s.p[i] > '0' && s.p[i] <= '9')); i++)
			digits++;
	return i == s.n && digits > 0;
}

enum tl_status
tl_rules_rule_reconcile(struct tl_rules_check *c, const struct tl_rules_map *m,
    struct tl_rule *r)
{
	const struct tl_node *frac = tl_rules_get(m, "min_contained_fraction");
	int64_t generic, concrete = -2, top = 999999999999999999;
	bool any = tl_str_is(tl_rules_text(m, "concrete_context_id"), "*");
	unsigned prov, domain, i;
	bool type = tl_rules_text(m, "task_type").n > 0;
	bool op = tl_rules_text(m, "task_op_type").n > 0;
	bool prefix = tl_rules_text(m, "communication_op_name_prefix").n > 0;

	if (tl_rules_choice(c, m, "provider_scope", "any|ascend", 0, &prov) !=
	    TL_OK ||
	    tl_rules_choice(c, m, "source_domain", "task|task+communication_op",
	    0, &domain) != TL_OK ||
	    tl_rules_int(c, m, "generic_context_id", -1, top, &generic) !=
	    TL_OK ||
	    (!any && tl_rules_int(c, m, "concrete_context_id", -1, top,
	    &concrete) != TL_OK) ||
	    tl_rules_choice(c, m, "identity_policy", domain == 0 ?
	    "same_source_ref,device,stream,raw_task_id,raw_connection_id" :
	    "same_input,device,unique_containment|"
	    "same_input,device,raw_connection_id,unique_containment", 0, &i) !=
	    TL_OK)
		return TL_ERR;
	if (!is_fraction(frac->text))
		return tl_rules_bad(c, frac, "min_contained_fraction",
		    "must be a decimal number from 0 to 1");
	if (domain == 0 && (!type || op || prefix || generic == concrete))
		return tl_rules_bad_as(c, m->node, "rule",
		    tl_rules_text(m, "rule_id"), "source_domain task needs "
		    "task_type and two context ids that differ, and neither "
		    "task_op_type nor communication_op_name_prefix");
	if (domain == 1 && (type || !op || !prefix))
		return tl_rules_bad_as(c, m->node, "rule",
		    tl_rules_text(m, "rule_id"), "source_domain "
		    "task+communication_op needs task_op_type and "
		    "communication_op_name_prefix, and no task_type");
	r->provider = prov == 0 ? TL_RP_ANY : TL_RP_ASCEND;
	r->communication = domain == 1;
	return TL_OK;
}

static enum tl_status
unique(struct tl_rules_check *c, const struct tl_rules_map *m, const char *key,
    struct tl_intern *seen)
{
	size_t before = seen->n;

	tl_xintern(seen, tl_rules_text(m, key));
	if (seen->n == before)
		return tl_rules_bad(c, tl_rules_get(m, key), key,
		    "given twice");
	return TL_OK;
}

static enum tl_status
markers(struct tl_rules_check *c, const struct tl_rules_map *m,
    struct tl_intern *ids)
{
	static const struct tl_rules_key ordered[] = {
		{ "id", TL_SCALAR, true, false },
		{ "before", TL_SCALAR, true, false },
		{ "after", TL_SCALAR, true, false },
	};
	static const struct tl_rules_key suffix[] = {
		{ "id", TL_SCALAR, true, false },
		{ "marker", TL_SCALAR, true, false },
	};
	const struct tl_node *list = tl_rules_get(m, "ordered_markers");
	struct tl_rules_map one;

	for (const struct tl_node *i = list != NULL ? list->child : NULL;
	    i != NULL; i = i->next) {
		if (tl_rules_check_map(c, &one, i, "an ordered marker",
		    ordered, N(ordered)) != TL_OK ||
		    unique(c, &one, "id", ids) != TL_OK)
			return TL_ERR;
		if (tl_str_eq(tl_rules_text(&one, "before"),
		    tl_rules_text(&one, "after")))
			return tl_rules_bad(c, tl_rules_get(&one, "after"),
			    "after", "must differ from before");
	}
	list = tl_rules_get(m, "suffix_markers");
	for (const struct tl_node *i = list != NULL ? list->child : NULL;
	    i != NULL; i = i->next)
		if (tl_rules_check_map(c, &one, i, "a suffix marker", suffix,
		    N(suffix)) != TL_OK ||
		    unique(c, &one, "id", ids) != TL_OK)
			return TL_ERR;
	return TL_OK;
}

enum tl_status
tl_rules_check_macro(struct tl_rules_check *c)
{
	static const struct tl_rules_key keys[] = {
		{ "ordered_markers", TL_SEQUENCE, false, false },
		{ "suffix_markers", TL_SEQUENCE, false, false },
		{ "partition_by", TL_SCALAR, false, false },
	};
	struct tl_intern ids = { 0 };
	struct tl_rules_map m;
	enum tl_status st;
	unsigned i;

	if (tl_rules_check_map(c, &m, c->doc->stage[TL_RULES_MACRO].node,
	    "macro_matching", keys, N(keys)) != TL_OK ||
	    tl_rules_choice(c, &m, "partition_by", "scheduler_step", 0, &i) !=
	    TL_OK)
		return TL_ERR;
	st = markers(c, &m, &ids);
	tl_intern_free(&ids);
	return st;
}

static enum tl_status
labels(struct tl_rules_check *c, const struct tl_node *list,
    struct tl_intern *seen)
{
	static const struct tl_rules_key keys[] = {
		{ "label", TL_SCALAR, true, false },
		{ "contains_any", TL_SEQUENCE, true, false },
	};
	struct tl_rules_map m;

	if (list->child == NULL)
		return tl_yaml_err(c->err, c->name, list->line, list->col,
		    "key 'labels': must not be empty");
	for (const struct tl_node *i = list->child; i != NULL; i = i->next) {
		const struct tl_node *any;
		struct tl_str label;

		if (tl_rules_check_map(c, &m, i, "a label", keys, N(keys)) !=
		    TL_OK)
			return TL_ERR;
		label = tl_rules_text(&m, "label");
		if (tl_str_is(label, "unclassified") ||
		    tl_str_is(label, "ambiguous"))
			return tl_rules_bad(c, tl_rules_get(&m, "label"),
			    "label", "has a meaning of its own");
		if (unique(c, &m, "label", seen) != TL_OK)
			return TL_ERR;
		any = tl_rules_get(&m, "contains_any");
		if (any->child == NULL)
			return tl_yaml_err(c->err, c->name, any->line,
			    any->col, "key 'contains_any': must not be empty");
		for (const struct tl_node *s = any->child; s != NULL;
		    s = s->next)
			if (tl_rules_check_text(c, s, "contains_any") != TL_OK)
				return TL_ERR;
	}
	return TL_OK;
}

/* The labels of a composition: two or more that units have. Joined by line
 * feeds in *joined, which the caller frees. */
static enum tl_status
sequence(struct tl_rules_check *c, const struct tl_node *list,
    const struct tl_intern *units, struct tl_str *joined)
{
	size_t n = 0, len = 0;
	char *p;

	for (const struct tl_node *i = list->child; i != NULL; i = i->next) {
		if (tl_rules_check_text(c, i, "sequence") != TL_OK)
			return TL_ERR;
		if (tl_intern_find(units, i->text) == UINT32_MAX)
			return tl_rules_bad(c, i, "sequence",
			    "is no label of a unit");
		n++;
		len += i->text.n + 1;
	}
	if (n < 2)
		return tl_yaml_err(c->err, c->name, list->line, list->col,
		    "key 'sequence': must have two labels or more");
	p = tl_xarena_alloc(&c->doc->arena, len);
	*joined = (struct tl_str){ p, len };
	for (const struct tl_node *i = list->child; i != NULL; i = i->next) {
		memcpy(p, i->text.p, i->text.n);
		p[i->text.n] = '\n';
		p += i->text.n + 1;
	}
	return TL_OK;
}

static enum tl_status
compositions(struct tl_rules_check *c, const struct tl_node *list,
    const struct tl_intern *units, struct tl_intern *seen)
{
	static const struct tl_rules_key keys[] = {
		{ "label", TL_SCALAR, true, false },
		{ "sequence", TL_SEQUENCE, true, false },
	};
	struct tl_rules_map m;
	struct tl_str s = { "", 0 };
	size_t before;

	for (const struct tl_node *i = list != NULL ? list->child : NULL;
	    i != NULL; i = i->next) {
		if (tl_rules_check_map(c, &m, i, "a composition", keys,
		    N(keys)) != TL_OK)
			return TL_ERR;
		if (tl_intern_find(units, tl_rules_text(&m, "label")) !=
		    UINT32_MAX)
			return tl_rules_bad(c, tl_rules_get(&m, "label"),
			    "label", "is the label of a unit");
		if (unique(c, &m, "label", seen) != TL_OK ||
		    sequence(c, tl_rules_get(&m, "sequence"), units, &s) !=
		    TL_OK)
			return TL_ERR;
		/* a text of labels with line feeds behind is no label */
		before = seen->n;
		tl_xintern(seen, s);
		if (seen->n == before)
			return tl_rules_bad_as(c, tl_rules_get(&m, "sequence"),
			    "composition", tl_rules_text(&m, "label"),
			    "same sequence as one before");
	}
	return TL_OK;
}

enum tl_status
tl_rules_check_structure(struct tl_rules_check *c)
{
	static const struct tl_rules_key keys[] = {
		{ "unit", TL_MAPPING, true, false },
		{ "compositions", TL_SEQUENCE, false, false },
	};
	static const struct tl_rules_key unit_keys[] = {
		{ "id", TL_SCALAR, true, false },
		{ "begin", TL_SCALAR, true, false },
		{ "end", TL_SCALAR, true, false },
		{ "labels", TL_SEQUENCE, true, false },
	};
	struct tl_intern units = { 0 }, seen = { 0 };
	struct tl_rules_map m, unit;
	enum tl_status st;

	if (tl_rules_check_map(c, &m, c->doc->stage[TL_RULES_STRUCTURE].node,
	    "structure", keys, N(keys)) != TL_OK ||
	    tl_rules_check_map(c, &unit, tl_rules_get(&m, "unit"), "a unit",
	    unit_keys, N(unit_keys)) != TL_OK)
		return TL_ERR;
	if (tl_str_eq(tl_rules_text(&unit, "begin"),
	    tl_rules_text(&unit, "end")))
		return tl_rules_bad(c, tl_rules_get(&unit, "end"), "end",
		    "must differ from begin");
	st = labels(c, tl_rules_get(&unit, "labels"), &units);
	if (st == TL_OK)
		st = compositions(c, tl_rules_get(&m, "compositions"), &units,
		    &seen);
	tl_intern_free(&units);
	tl_intern_free(&seen);
	return st;
}
