#include <stdio.h>
#include <stdlib.h>

#include "rules_out.h"
#include "tl-recover_rules.h"

void
rec_rules_open(struct rec_rules *r, const char *const *paths, size_t n)
{
	*r = (struct rec_rules){ .rules = tl_xrules_open(paths, n) };
	tl_xrules_model(r->rules, &r->model);
	r->before = tl_xcalloc(r->model.n_markers, sizeof *r->before);
	r->after = tl_xcalloc(r->model.n_markers, sizeof *r->after);
	r->label = tl_xcalloc(r->model.n_labels + 2, sizeof *r->label);
	r->composition = tl_xcalloc(r->model.n_compositions,
	    sizeof *r->composition);
	if (r->model.by_step)
		r->context = rec_context_new();
}

void
rec_rules_free(struct rec_rules *r)
{
	rec_context_free(r->context);
	tl_rules_model_free(&r->model);
	tl_rules_free(r->rules);
	tl_intern_free(&r->made_with);
	tl_intern_free(&r->kept);
	free(r->before);
	free(r->after);
	free(r->label);
	free(r->composition);
}

bool
rec_rules_any(const struct rec_rules *r)
{
	return r->model.by_step || r->model.n_markers > 0 ||
	    r->model.has_unit;
}

void
rec_rules_take(struct rec_rules *r, const struct tl_filter *f,
    const struct tl_rec *rec)
{
	struct tl_str col[4];

	if (rec->kind == TL_OTHER && tl_fields(col, 2, rec->line.p,
	    rec->line.n) > 1 && tl_str_is(col[0], "rules"))
		tl_xintern(&r->kept, col[1]);
	if (rec->kind == TL_HEADER && tl_fields(col, 4, rec->line.p,
	    rec->line.n) > 2 && tl_str_is(col[0], "#rules"))
		tl_xintern(&r->made_with, (struct tl_str){ col[1].p,
		    (size_t)(col[2].p + col[2].n - col[1].p) });
	if (r->context != NULL && (rec->kind == TL_CONTEXT ||
	    rec->kind == TL_STEP || rec->kind == TL_EXEC ||
	    rec->kind == TL_LINK))
		rec_context_add(r->context, f, rec);
}

/* A converter applies the other stages. If it was not given the same file, the
 * stream is not what the user thinks. */
static void
note_others(const struct rec_rules *r, struct tl_evout *out)
{
	struct tl_rules_source src;
	char key[128];

	for (size_t i = 0; tl_rules_source(r->rules, i, &src); i++) {
		if (src.stage == TL_RULES_MACRO ||
		    src.stage == TL_RULES_STRUCTURE ||
		    strcmp(src.origin, "default") == 0)
			continue;
		snprintf(key, sizeof key, "%s\t%s",
		    tl_rules_stage_name(src.stage), src.digest);
		if (tl_intern_find(&r->made_with, (struct tl_str){ key,
		    strlen(key) }) == UINT32_MAX)
			tl_xevout_note(out, TL_WARN, "recover_other_rules",
			    TL_NONE, "%s: its %s was not applied when the "
			    "stream was made, and is not here", src.origin,
			    tl_rules_stage_name(src.stage));
	}
}

void
rec_rules_header(struct tl_evout *out, void *rules)
{
	const struct rec_rules *r = rules;
	struct tl_rules_source src;

	for (size_t i = 0; tl_rules_source(r->rules, i, &src); i++) {
		const char *stage = tl_rules_stage_name(src.stage);

		if (src.stage != TL_RULES_MACRO &&
		    src.stage != TL_RULES_STRUCTURE)
			continue;
		tl_xevout_head(out, "rules");
		tl_xevout_raw(out, (struct tl_str){ stage, strlen(stage) });
		tl_xevout_raw(out, (struct tl_str){ src.digest,
		    strlen(src.digest) });
		tl_xevout_text(out, (struct tl_str){ src.origin,
		    strlen(src.origin) });
		tl_xevout_eol(out);
	}
}

static uint32_t
symbol(const struct rec_capture *cap, struct tl_str s)
{
	return s.n == 0 ? UINT32_MAX : tl_intern_find(&cap->text, s);
}

/* Counts the events that markers speak of. */
static void
count_markers(struct rec_rules *r, const struct rec_macro *macro,
    const struct rec_seq *seq)
{
	for (size_t k = 0; k < macro->n; k++) {
		for (size_t i = 0; i < seq->n; i++) {
			r->before[k] += seq->sym[i] == macro->marker[k].before;
			r->after[k] += seq->sym[i] == macro->marker[k].after;
		}
	}
}

/* Markers that are not there, and so cannot matter, are left out: an ordered
 * one needs a `before`. */
static void
take_markers(const struct rec_rules *r, const struct rec_capture *cap,
    struct rec_macro *macro)
{
	macro->n = r->model.n_markers;
	macro->marker = tl_xcalloc(macro->n, sizeof *macro->marker);
	for (size_t i = 0; i < macro->n; i++) {
		const struct tl_rules_marker *m = &r->model.marker[i];

		macro->marker[i].before = symbol(cap, m->before);
		macro->marker[i].after = symbol(cap, m->after);
	}
}

static void
drop_markers(const struct rec_rules *r, struct rec_macro *macro)
{
	size_t n = 0;

	for (size_t i = 0; i < macro->n; i++)
		if ((r->model.marker[i].before.n == 0 ||
		    macro->marker[i].before != UINT32_MAX) &&
		    macro->marker[i].after != UINT32_MAX)
			macro->marker[n++] = macro->marker[i];
	macro->n = n;
}

void
rec_rules_recover(struct rec_tree *tree, struct rec_rules *r,
    const struct rec_capture *cap, const struct rec_scope *s,
    const struct rec_seq *seq)
{
	struct rec_seq ruled = *seq;
	struct rec_macro macro;
	uint32_t *part = NULL;

	take_markers(r, cap, &macro);
	count_markers(r, &macro, seq);
	drop_markers(r, &macro);
	if (macro.n > 0)
		ruled.macro = &macro;
	if (r->model.by_step) {
		part = tl_xcalloc(seq->n, sizeof *part);
		rec_context_split(r->context, cap, s, part);
	}
	if (part != NULL || r->model.has_unit)
		rec_model_recover(tree, r, cap, &ruled, part);
	else
		rec_recover(tree, &ruled);
	r->refused += tree->stat.refused;
	free(part);
	free(macro.marker);
}

/* ---- what was met ---- */

/* One rule: where it stands, what it is, and what it met. */
struct line {
	struct tl_evout *out; /* NULL: standard error */
	const char *origin;
	uint32_t line;
};

static void
say(const struct line *at, uint64_t n, const char *what, struct tl_str id,
    const char *met)
{
	char quoted[TL_QUOTE_SIZE];

	tl_quote(quoted, sizeof quoted, id.p, id.n);
	if (at->out != NULL)
		tl_xevout_note(at->out, n == 0 ? TL_WARN : TL_INFO,
		    "recover_rule", (int64_t)n, "%s:%u: %s '%s': %s",
		    at->origin, (unsigned)at->line, what, quoted, met);
	else
		tl_msg("%s:%u: %s '%s': %llu %s", at->origin,
		    (unsigned)at->line, what, quoted, (unsigned long long)n,
		    met);
}

static void
say_macro(const struct rec_rules *r, struct tl_evout *out)
{
	struct line at = { out, r->model.macro_origin, 0 };

	for (size_t i = 0; i < r->model.n_markers; i++) {
		const struct tl_rules_marker *m = &r->model.marker[i];

		at.line = m->line;
		if (m->before.n > 0) {
			say(&at, r->before[i], "ordered marker", m->id,
			    "events are its before");
			say(&at, r->after[i], "ordered marker", m->id,
			    "events are its after");
		} else {
			say(&at, r->after[i], "suffix marker", m->id,
			    "events are it");
		}
	}
	at.line = r->model.by_step_line;
	if (r->model.by_step)
		say(&at, r->steps, "partition_by", TL_LIT("scheduler_step"),
		    "stretches of one step");
}

static void
say_structure(const struct rec_rules *r, struct tl_evout *out)
{
	const struct tl_rules_model *m = &r->model;
	struct line at = { out, m->structure_origin, m->unit_line };
	uint64_t n = r->label[m->n_labels] + r->label[m->n_labels + 1];

	for (size_t i = 0; i < m->n_labels; i++)
		n += r->label[i];
	say(&at, n, "unit", m->unit_id, "units");
	if (r->label[m->n_labels] > 0)
		say(&at, r->label[m->n_labels], "unit", m->unit_id,
		    "units have no label");
	if (r->label[m->n_labels + 1] > 0)
		say(&at, r->label[m->n_labels + 1], "unit", m->unit_id,
		    "units have several labels");
	if (r->begins > 0)
		say(&at, r->begins, "unit", m->unit_id,
		    "begins have no end");
	if (r->ends > 0)
		say(&at, r->ends, "unit", m->unit_id, "ends have no begin");
	if (r->nested > 0)
		say(&at, r->nested, "unit", m->unit_id,
		    "pairs lie in or around another and are no units");
	if (r->crossing > 0)
		say(&at, r->crossing, "unit", m->unit_id,
		    "pairs lie in several steps and are no units");
	for (size_t i = 0; i < m->n_labels; i++) {
		at.line = m->label[i].line;
		say(&at, r->label[i], "label", m->label[i].label, "units");
	}
	for (size_t i = 0; i < m->n_compositions; i++) {
		at.line = m->composition[i].line;
		say(&at, r->composition[i], "composition",
		    m->composition[i].label, "made of units");
	}
}

static void
say_all(const struct rec_rules *r, struct tl_evout *out)
{
	if (r->model.macro_origin != NULL)
		say_macro(r, out);
	if (r->model.has_unit)
		say_structure(r, out);
	if (r->refused > 0 && out != NULL)
		tl_xevout_note(out, TL_INFO, "recover_refused",
		    (int64_t)r->refused, "repetitions are no loops, since "
		    "markers forbid every place where a body could start");
}

void
rec_rules_documents(struct rec_rules *r, struct tl_evout *out)
{
	struct tl_rules_source src;

	for (size_t i = 0; tl_rules_source(r->rules, i, &src); i++) {
		struct tl_str digest = { src.digest, strlen(src.digest) };

		if ((src.stage != TL_RULES_MACRO &&
		    src.stage != TL_RULES_STRUCTURE) ||
		    tl_intern_find(&r->kept, digest) != UINT32_MAX)
			continue;
		tl_xintern(&r->kept, digest);
		tl_xrules_put_document(out, &src);
	}
}

void
rec_rules_notes(const struct rec_rules *r, struct tl_evout *out)
{
	say_all(r, out);
	note_others(r, out);
}

void
rec_rules_msg(const struct rec_rules *r)
{
	say_all(r, NULL);
}
