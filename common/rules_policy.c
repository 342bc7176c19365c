/* The stages that are lists of rules: mode, metadata, rules. */

#include "rules_doc.h"

#include <string.h>

#define N(keys) (sizeof(keys) / sizeof *(keys))

#define PROVIDERS "any|ascend|cuda|hip|hygon|provider-neutral"

static uint8_t
provider(unsigned choice)
{
	static const uint8_t p[] = { TL_RP_ANY, TL_RP_ASCEND, TL_RP_CUDA,
		TL_RP_HIP, TL_RP_HIP, TL_RP_ANY };

	return p[choice];
}

/* Next item of a list "a, b" at *p; false at its end. Empty items are
 * skipped. */
static bool
item(struct tl_str *list, char sep, struct tl_str *out)
{
	while (list->n > 0 && (*list->p == sep || *list->p == ' ')) {
		list->p++;
		list->n--;
	}
	*out = (struct tl_str){ list->p, 0 };
	while (out->n < list->n && list->p[out->n] != sep)
		out->n++;
	list->p += out->n;
	list->n -= out->n;
	while (out->n > 0 && out->p[out->n - 1] == ' ')
		out->n--;
	return out->n > 0;
}

/* The patterns of a rule, cut at '|' where the kind of match takes several.
 * An empty one would match everything, which nobody means. */
static enum tl_status
patterns(struct tl_rules_check *c, const struct tl_rules_map *m, bool several,
    struct tl_rule *r)
{
	const struct tl_node *n = tl_rules_get(m, "pattern");
	size_t max = 1;

	for (size_t i = 0; several && i < n->text.n; i++)
		max += n->text.p[i] == '|';
	r->alt = tl_xarena_alloc(&c->doc->arena, max * sizeof *r->alt);
	for (struct tl_str s = n->text;;) {
		struct tl_str *a = &r->alt[r->n_alt++];
		const char *bar = several && s.n > 0 ?
		    memchr(s.p, '|', s.n) : NULL;
		size_t len = bar != NULL ? (size_t)(bar - s.p) : s.n;

		*a = (struct tl_str){ s.p, len };
		while (a->n > 0 && a->p[a->n - 1] == ' ')
			a->n--;
		for (; a->n > 0 && *a->p == ' '; a->n--)
			a->p++;
		if (a->n == 0)
			return tl_rules_bad(c, n, "pattern",
			    "an alternative is empty");
		if (bar == NULL)
			return TL_OK;
		s = (struct tl_str){ bar + 1, s.n - len - 1 };
	}
}

static void
lower(struct tl_rules_check *c, struct tl_rule *r)
{
	for (size_t i = 0; i < r->n_alt; i++) {
		char *p = tl_xarena_alloc(&c->doc->arena, r->alt[i].n + 1);

		tl_rules_lower(p, r->alt[i]);
		p[r->alt[i].n] = '\0';
		r->alt[i].p = p;
	}
}

static enum tl_status
class_pattern(struct tl_rules_check *c, const struct tl_rules_map *m,
    struct tl_rule *r)
{
	char *p;

	if (patterns(c, m, r->match == TL_RM_FUNCTION, r) != TL_OK)
		return TL_ERR;
	if (r->field != TL_RF_TASK_TYPE) {
		lower(c, r);
		return TL_OK;
	}
	p = tl_xarena_alloc(&c->doc->arena, r->alt[0].n + 1);
	r->alt[0].n = tl_rules_type(p, r->alt[0]);
	r->alt[0].p = p;
	if (r->alt[0].n == 0)
		return tl_rules_bad(c, tl_rules_get(m, "pattern"), "pattern",
		    "a task type has letters or digits");
	return TL_OK;
}

static enum tl_status
required_fields(struct tl_rules_check *c, const struct tl_rules_map *m,
    struct tl_rule *r)
{
	const struct tl_node *n = tl_rules_get(m, "required_fields");
	struct tl_str rest, one;

	r->required = (uint8_t)(1 << r->field);
	if (n == NULL)
		return TL_OK;
	r->required = 0;
	for (rest = n->text; item(&rest, ',', &one);) {
		if (tl_str_is(one, "task_type"))
			r->required |= 1 << TL_RF_TASK_TYPE;
		else if (tl_str_is(one, "blob"))
			r->required |= 1 << TL_RF_BLOB;
		else if (tl_str_is(one, "operator"))
			r->required |= 1 << TL_RF_OPERATOR;
		else if (!tl_str_is(one, "provider_scope") &&
		    !tl_str_is(one, "source_domain"))
			return tl_rules_bad_as(c, n, "required_fields", one,
			    "must be task_type, blob or operator");
	}
	if ((r->required >> r->field & 1) == 0)
		return tl_rules_bad(c, n, "required_fields",
		    "must name the rule's field");
	return TL_OK;
}

static enum tl_status
role_and_class(struct tl_rules_check *c, const struct tl_rules_map *m,
    struct tl_rule *r)
{
	const struct tl_node *part = tl_rules_get(m,
	    "structural_participation");
	const struct tl_node *cls = tl_rules_get(m, "class");
	unsigned role, class_i, p;

	if (tl_rules_choice(c, m, "role", "anchor|auxiliary|transparent",
	    TL_ROLE_NONE, &role) != TL_OK ||
	    tl_rules_choice(c, m, "class",
	    "compute|comm|copy|sync|host|other", 0, &class_i) != TL_OK ||
	    tl_rules_choice(c, m, "structural_participation",
	    "identity|excluded", 0, &p) != TL_OK)
		return TL_ERR;
	r->role = (uint8_t)role;
	r->cls = (uint8_t)(cls != NULL ? tl_class_of(cls->text) :
	    TL_N_CLASSES);
	if (role == TL_ROLE_NONE && cls == NULL)
		return tl_yaml_err(c->err, c->name, m->node->line,
		    m->node->col, "key 'role': missing in a classification "
		    "rule without class");
	if (part != NULL && (role == TL_ROLE_NONE ||
	    (p == 0) != (role == TL_ROLE_ANCHOR)))
		return tl_rules_bad(c, part, "structural_participation",
		    "goes with role %s", p == 0 ? "anchor" :
		    "auxiliary or transparent");
	return TL_OK;
}

enum tl_status
tl_rules_rule_class(struct tl_rules_check *c, const struct tl_rules_map *m,
    const struct tl_node *scopes, struct tl_rule *r)
{
	unsigned prov, field, match, defers, i;
	struct tl_str rest, one, scope = tl_rules_text(m, "provider_scope");
	bool declared = scopes == NULL || scope.n == 0;

	if (tl_rules_choice(c, m, "provider_scope",
	    "any|ascend|cuda|hip|hygon", 0, &prov) != TL_OK ||
	    tl_rules_choice(c, m, "source_domain", "task", 0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "field", "task_type|blob|operator", 0,
	    &field) != TL_OK ||
	    tl_rules_choice(c, m, "match", "exact|contains|function", 0,
	    &match) != TL_OK ||
	    tl_rules_choice(c, m, "cost_treatment",
	    "retained_for_attribution|retained_as_evidence", 0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "context_treatment", "retained", 0, &i) !=
	    TL_OK ||
	    tl_rules_choice(c, m, "provenance_treatment", "retained", 0, &i) !=
	    TL_OK ||
	    tl_rules_choice(c, m, "missing_evidence_behavior",
	    "continue_or_fallback", 0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "concrete_identity_behavior",
	    "apply|defer_to_identity_rules", 0, &defers) != TL_OK)
		return TL_ERR;
	r->provider = provider(prov);
	r->field = (uint8_t)field;
	r->match = (uint8_t)match;
	r->defers = defers == 1;
	if (match == TL_RM_FUNCTION && field != TL_RF_OPERATOR)
		return tl_rules_bad(c, tl_rules_get(m, "match"), "match",
		    "goes with field operator");
	for (rest = scopes != NULL ? scopes->text : scope;
	    !declared && item(&rest, ',', &one);)
		declared = tl_str_is(one, "any") || tl_str_eq(one, scope) ||
		    tl_str_is(scope, "any");
	if (!declared)
		return tl_rules_bad(c, tl_rules_get(m, "provider_scope"),
		    "provider_scope", "not among the metadata's "
		    "provider_scopes");
	if (role_and_class(c, m, r) != TL_OK ||
	    required_fields(c, m, r) != TL_OK)
		return TL_ERR;
	return class_pattern(c, m, r);
}

enum tl_status
tl_rules_rule_symbol(struct tl_rules_check *c, const struct tl_rules_map *m,
    struct tl_rule *r)
{
	unsigned prov, domain, field, match;
	bool decorated, several;

	if (tl_rules_choice(c, m, "provider_scope", PROVIDERS, 0, &prov) !=
	    TL_OK ||
	    tl_rules_choice(c, m, "source_domain", "task|communication", 0,
	    &domain) != TL_OK ||
	    tl_rules_choice(c, m, "field",
	    "selected|any_identity|op_name|op_type|task_type|compute_task_type|"
	    "comm_name|linked_task_name|linked_task_type", 0, &field) !=
	    TL_OK ||
	    tl_rules_choice(c, m, "match",
	    "exact|exact_any|contains_ci|contains_any_ci|"
	    "opaque_numeric_instance|ascend_kernel_base_exact_any|"
	    "ascend_decorated_kernel", 0, &match) != TL_OK)
		return TL_ERR;
	r->provider = provider(prov);
	r->communication = domain == 1;
	r->field = (uint8_t)field;
	r->match = (uint8_t)match;
	r->symbol = tl_rules_text(m, "structural_symbol");
	decorated = match == TL_RS_DECORATED_KERNEL;
	if (decorated && (r->provider != TL_RP_ASCEND || r->communication ||
	    !tl_str_is(tl_rules_text(m, "pattern"), "*") ||
	    !tl_str_is(r->symbol, "{kernel_base}")))
		return tl_rules_bad(c, tl_rules_get(m, "match"), "match",
		    "goes with provider_scope ascend, source_domain task, "
		    "pattern * and structural_symbol {kernel_base}");
	several = match == TL_RS_EXACT_ANY || match == TL_RS_CONTAINS_ANY_CI ||
	    match == TL_RS_KERNEL_BASE;
	if (patterns(c, m, several, r) != TL_OK)
		return TL_ERR;
	if (match == TL_RS_CONTAINS_CI || match == TL_RS_CONTAINS_ANY_CI)
		lower(c, r);
	return TL_OK;
}

static const struct tl_rules_key class_keys[] = {
	{ "rule_id", TL_SCALAR, true, false },
	{ "priority", TL_SCALAR, true, false },
	{ "provider_scope", TL_SCALAR, false, false },
	{ "source_domain", TL_SCALAR, false, false },
	{ "field", TL_SCALAR, true, false },
	{ "match", TL_SCALAR, true, false },
	{ "pattern", TL_SCALAR, true, false },
	{ "class", TL_SCALAR, false, false },
	{ "role", TL_SCALAR, false, false },
	{ "required_fields", TL_SCALAR, false, false },
	{ "structural_participation", TL_SCALAR, false, false },
	{ "cost_treatment", TL_SCALAR, false, false },
	{ "context_treatment", TL_SCALAR, false, false },
	{ "provenance_treatment", TL_SCALAR, false, false },
	{ "missing_evidence_behavior", TL_SCALAR, false, false },
	{ "concrete_identity_behavior", TL_SCALAR, false, false },
	{ "note", TL_SCALAR, false, true },
};

static const struct tl_rules_key symbol_keys[] = {
	{ "rule_id", TL_SCALAR, true, false },
	{ "priority", TL_SCALAR, true, false },
	{ "provider_scope", TL_SCALAR, true, false },
	{ "source_domain", TL_SCALAR, true, false },
	{ "field", TL_SCALAR, true, false },
	{ "match", TL_SCALAR, true, false },
	{ "pattern", TL_SCALAR, true, false },
	{ "structural_symbol", TL_SCALAR, true, false },
	{ "note", TL_SCALAR, false, true },
};

static const struct tl_rules_key reconcile_keys[] = {
	{ "rule_id", TL_SCALAR, true, false },
	{ "priority", TL_SCALAR, true, false },
	{ "provider_scope", TL_SCALAR, true, false },
	{ "source_domain", TL_SCALAR, true, false },
	{ "task_type", TL_SCALAR, false, true },
	{ "generic_context_id", TL_SCALAR, true, false },
	{ "concrete_context_id", TL_SCALAR, true, false },
	{ "min_contained_fraction", TL_SCALAR, true, false },
	{ "task_op_type", TL_SCALAR, false, true },
	{ "communication_op_name_prefix", TL_SCALAR, false, true },
	{ "identity_policy", TL_SCALAR, true, false },
	{ "note", TL_SCALAR, false, true },
};

static const struct tl_rules_key metadata_keys[] = {
	{ "policy_id", TL_SCALAR, false, false },
	{ "policy_version", TL_SCALAR, false, false },
	{ "manifest_schema", TL_SCALAR, false, false },
	{ "provider_scopes", TL_SCALAR, false, false },
	{ "fallback_identity_role", TL_SCALAR, false, false },
	{ "fallback_cost_treatment", TL_SCALAR, false, false },
	{ "fallback_context_treatment", TL_SCALAR, false, false },
	{ "fallback_provenance_treatment", TL_SCALAR, false, false },
	{ "missing_evidence_behavior", TL_SCALAR, false, false },
};

static const struct tl_rules_key reconcile_metadata_keys[] = {
	{ "policy_id", TL_SCALAR, false, false },
	{ "policy_version", TL_SCALAR, false, false },
	{ "manifest_schema", TL_SCALAR, false, false },
	{ "unmatched_behavior", TL_SCALAR, false, false },
};

/* Lists of providers in the metadata. */
static enum tl_status
provider_scopes(struct tl_rules_check *c, const struct tl_node *n)
{
	struct tl_str rest = n->text, one;
	size_t count = 0;

	for (; item(&rest, ',', &one); count++)
		if (!tl_str_is(one, "any") && !tl_str_is(one, "ascend") &&
		    !tl_str_is(one, "cuda") && !tl_str_is(one, "hip") &&
		    !tl_str_is(one, "hygon"))
			return tl_rules_bad_as(c, n, "provider_scopes", one,
			    "must be any, ascend, cuda, hip or hygon");
	if (count == 0)
		return tl_rules_bad(c, n, "provider_scopes",
		    "must name a provider");
	return TL_OK;
}

static enum tl_status
metadata(struct tl_rules_check *c, enum tl_rules_stage stage,
    const struct tl_node *node, struct tl_rules_map *m)
{
	unsigned i;

	if (stage == TL_RULES_RECONCILIATION) {
		if (tl_rules_check_map(c, m, node, "metadata of "
		    "event_reconciliation", reconcile_metadata_keys,
		    N(reconcile_metadata_keys)) != TL_OK ||
		    tl_rules_choice(c, m, "manifest_schema",
		    "traceloom.event-reconciliation-policy/v2", 0, &i) !=
		    TL_OK)
			return TL_ERR;
		return tl_rules_choice(c, m, "unmatched_behavior",
		    "independent", 0, &i);
	}
	if (stage == TL_RULES_SYMBOL)
		return tl_rules_check_map(c, m, node, "metadata of "
		    "symbol_normalization", metadata_keys, 2);
	if (tl_rules_check_map(c, m, node, "metadata of classification",
	    metadata_keys, N(metadata_keys)) != TL_OK ||
	    tl_rules_choice(c, m, "manifest_schema",
	    "traceloom.evidence-role-policy/v1", 0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "fallback_identity_role", "unknown_anchor",
	    0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "fallback_cost_treatment",
	    "retained_for_attribution|retained_as_evidence", 0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "fallback_context_treatment", "retained", 0,
	    &i) != TL_OK ||
	    tl_rules_choice(c, m, "fallback_provenance_treatment", "retained",
	    0, &i) != TL_OK ||
	    tl_rules_choice(c, m, "missing_evidence_behavior",
	    "continue_or_fallback", 0, &i) != TL_OK)
		return TL_ERR;
	if (tl_rules_get(m, "provider_scopes") != NULL)
		return provider_scopes(c, tl_rules_get(m, "provider_scopes"));
	return TL_OK;
}

static enum tl_status
rule(struct tl_rules_check *c, enum tl_rules_stage stage,
    const struct tl_node *node, const struct tl_node *scopes,
    struct tl_rule *r)
{
	static const struct {
		const char *what;
		const struct tl_rules_key *keys;
		size_t n;
	} kind[] = {
		{ "an event_reconciliation rule", reconcile_keys,
		    N(reconcile_keys) },
		{ "a classification rule", class_keys, N(class_keys) },
		{ "a symbol_normalization rule", symbol_keys,
		    N(symbol_keys) },
	};
	const struct tl_node *id;
	struct tl_rules_map m;
	int64_t prio;

	*r = (struct tl_rule){ .node = node, .origin = c->doc->origin,
		.role = TL_ROLE_NONE, .cls = TL_N_CLASSES };
	if (tl_rules_check_map(c, &m, node, kind[stage].what, kind[stage].keys,
	    kind[stage].n) != TL_OK ||
	    tl_rules_int(c, &m, "priority", INT32_MIN, INT32_MAX, &prio) !=
	    TL_OK)
		return TL_ERR;
	id = tl_rules_get(&m, "rule_id");
	r->id = id->text.p;
	r->line = id->line;
	r->col = id->col;
	r->priority = (int32_t)prio;
	if (stage == TL_RULES_CLASSIFICATION)
		return tl_rules_rule_class(c, &m, scopes, r);
	if (stage == TL_RULES_SYMBOL)
		return tl_rules_rule_symbol(c, &m, r);
	return tl_rules_rule_reconcile(c, &m, r);
}

enum tl_status
tl_rules_check_policy(struct tl_rules_check *c, enum tl_rules_stage stage)
{
	static const struct tl_rules_key keys[] = {
		{ "mode", TL_SCALAR, true, false },
		{ "metadata", TL_MAPPING, false, false },
		{ "rules", TL_SEQUENCE, true, false },
	};
	struct tl_rules_doc_stage *st = &c->doc->stage[stage];
	const struct tl_node *scopes = NULL;
	struct tl_rules_map m, meta;
	unsigned mode;
	size_t n = 0;

	if (tl_rules_check_map(c, &m, st->node, tl_rules_stage_name(stage),
	    keys, N(keys)) != TL_OK ||
	    tl_rules_choice(c, &m, "mode", "extend|override|replace", 0,
	    &mode) != TL_OK)
		return TL_ERR;
	st->mode = mode;
	if (tl_rules_get(&m, "metadata") != NULL) {
		if (metadata(c, stage, tl_rules_get(&m, "metadata"), &meta) !=
		    TL_OK)
			return TL_ERR;
		scopes = tl_rules_get(&meta, "provider_scopes");
	}
	for (const struct tl_node *i = tl_rules_get(&m, "rules")->child;
	    i != NULL; i = i->next)
		n++;
	st->rule = tl_xarena_alloc(&c->doc->arena, n * sizeof *st->rule);
	for (const struct tl_node *i = tl_rules_get(&m, "rules")->child;
	    i != NULL; i = i->next)
		if (rule(c, stage, i, scopes, &st->rule[st->n++]) != TL_OK)
			return TL_ERR;
	return TL_OK;
}
