/* What a program that finds structure is told: macro_matching, structure. */

#include <stdlib.h>

#include "mem.h"
#include "rules_set.h"

/* The stage's node in the document that counts, NULL if none has it. */
static const struct tl_node *
stage_of(const struct tl_rules *r, enum tl_rules_stage stage,
    const char **origin)
{
	for (const struct tl_rules_doc *d = r->doc; d != NULL; d = d->next) {
		if (d->stage[stage].node != NULL && d->stage[stage].live) {
			*origin = d->origin;
			return d->stage[stage].node;
		}
	}
	return NULL;
}

/* Value of a key of a mapping that was checked, NULL if it is not there. */
static const struct tl_node *
get(const struct tl_node *map, const char *key)
{
	for (const struct tl_node *k = map != NULL ? map->child : NULL;
	    k != NULL; k = k->next->next)
		if (tl_str_is(k->text, key))
			return k->next;
	return NULL;
}

static struct tl_str
text(const struct tl_node *map, const char *key)
{
	const struct tl_node *v = get(map, key);

	return v != NULL ? v->text : TL_LIT("");
}

static size_t
length(const struct tl_node *list)
{
	size_t n = 0;

	for (const struct tl_node *i = list != NULL ? list->child : NULL;
	    i != NULL; i = i->next)
		n++;
	return n;
}

static void
take_markers(struct tl_rules_model *m, const struct tl_node *list,
    bool suffix)
{
	for (const struct tl_node *i = list != NULL ? list->child : NULL;
	    i != NULL; i = i->next)
		m->marker[m->n_markers++] = (struct tl_rules_marker){
			.id = text(i, "id"), .before = text(i, "before"),
			.after = text(i, suffix ? "marker" : "after"),
			.line = i->line,
		};
}

/* Texts of a list, in the arena. */
static const struct tl_str *
texts(struct tl_rules_model *m, const struct tl_node *list, size_t *n)
{
	struct tl_str *s = tl_xarena_alloc(&m->arena,
	    length(list) * sizeof *s);

	*n = 0;
	for (const struct tl_node *i = list->child; i != NULL; i = i->next)
		s[(*n)++] = i->text;
	return s;
}

static struct tl_rules_label *
take_labels(struct tl_rules_model *m, const struct tl_node *list,
    const char *key, size_t *n)
{
	struct tl_rules_label *l = tl_xarena_alloc(&m->arena,
	    (length(list) + 1) * sizeof *l);

	*n = 0;
	for (const struct tl_node *i = list != NULL ? list->child : NULL;
	    i != NULL; i = i->next) {
		l[*n].label = text(i, "label");
		l[*n].line = i->line;
		l[*n].text = texts(m, get(i, key), &l[*n].n);
		++*n;
	}
	return l;
}

void
tl_xrules_model(const struct tl_rules *r, struct tl_rules_model *m)
{
	const struct tl_node *macro, *structure, *unit;

	*m = (struct tl_rules_model){ .n_markers = 0 };
	macro = stage_of(r, TL_RULES_MACRO, &m->macro_origin);
	if (macro != NULL) {
		const struct tl_node *by = get(macro, "partition_by");
		const struct tl_node *ordered = get(macro, "ordered_markers");
		const struct tl_node *suffix = get(macro, "suffix_markers");

		m->by_step = by != NULL;
		m->by_step_line = by != NULL ? by->line : 0;
		m->marker = tl_xarena_alloc(&m->arena, (length(ordered) +
		    length(suffix) + 1) * sizeof *m->marker);
		take_markers(m, ordered, false);
		take_markers(m, suffix, true);
	}
	structure = stage_of(r, TL_RULES_STRUCTURE, &m->structure_origin);
	if (structure != NULL) {
		unit = get(structure, "unit");
		m->has_unit = true;
		m->unit_line = unit->line;
		m->unit_id = text(unit, "id");
		m->begin = text(unit, "begin");
		m->end = text(unit, "end");
		m->label = take_labels(m, get(unit, "labels"), "contains_any",
		    &m->n_labels);
		m->composition = take_labels(m, get(structure,
		    "compositions"), "sequence", &m->n_compositions);
	}
}

void
tl_rules_model_free(struct tl_rules_model *m)
{
	tl_arena_free(&m->arena);
}

/* A decimal fraction of at most 1, cut to 18 digits behind the point. */
static void
take_fraction(struct tl_rules_pair *p, struct tl_str s)
{
	bool point = false;

	p->part = 0;
	p->whole = 1;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.') {
			point = true;
			continue;
		}
		if (p->whole >= 1000000000000000000)
			break;
		p->part = 10 * p->part + (uint64_t)(s.p[i] - '0');
		if (point)
			p->whole *= 10;
	}
}

static int64_t
integer(struct tl_str s)
{
	const char *p = s.p, *end = s.p + s.n;
	int64_t v = 0;
	bool minus = s.n > 0 && *p == '-';

	/* it was checked to be a number of at most 18 digits */
	if (tl_str_is(s, "*"))
		return -1;
	for (p += minus; p < end; p++)
		v = 10 * v + (*p - '0');
	return minus ? -v : v;
}

void
tl_rules_pair_hit(struct tl_rules *r, size_t i, uint64_t n)
{
	r->set[TL_RULES_RECONCILIATION].rule[i].hits += n;
}

size_t
tl_xrules_pairs(const struct tl_rules *r, struct tl_rules_pair **pair)
{
	const struct tl_rule_set *set = &r->set[TL_RULES_RECONCILIATION];

	*pair = tl_xcalloc(set->n, sizeof **pair);
	for (size_t i = 0; i < set->n; i++) {
		const struct tl_rule *x = &set->rule[i];
		struct tl_rules_pair *p = &(*pair)[i];

		*p = (struct tl_rules_pair){
			.id = x->id, .origin = x->origin, .line = x->line,
			.communication = x->communication,
			.ascend_only = x->provider == TL_RP_ASCEND,
			.task_type = text(x->node, "task_type"),
			.generic_context = integer(text(x->node,
			    "generic_context_id")),
			.concrete_context = integer(text(x->node,
			    "concrete_context_id")),
			.op_type = text(x->node, "task_op_type"),
			.name_prefix = text(x->node,
			    "communication_op_name_prefix"),
		};
		p->any_type = tl_str_is(p->task_type, "*");
		p->any_context = tl_str_is(text(x->node,
		    "concrete_context_id"), "*");
		p->any_op = tl_str_is(p->op_type, "*");
		p->any_name = tl_str_is(p->name_prefix, "*");
		p->same_connection = tl_rules_find(text(x->node,
		    "identity_policy"), TL_LIT("raw_connection_id"));
		take_fraction(p, text(x->node, "min_contained_fraction"));
	}
	return set->n;
}
