#include <stdlib.h>

#include "tl-recover_model.h"

/*
 * The tree of a sequence of units and steps.  Each part of it is recovered by
 * itself, so that nothing folds across; equal parts once.  Units become blocks,
 * and so does what a step has.
 */

/* A tree in the making: definitions and bodies, in order of id. Equal ones are
 * one. */
struct build {
	const struct model *m;
	struct rec_tree *tree;
	size_t def_cap, body_cap, label_cap, item_cap, n_item, tok_cap;
	struct tl_intern bodies, defs;
	uint32_t *made;  /* definition of each unit and composition */
	uint32_t *local; /* [n_sym + n_made] scratch, NO_LABEL between uses */
	struct tl_intern parts;
	struct rec_tok *part_tok; /* tokens of parts by their content */
	size_t n_part_tok, part_tok_cap;
	size_t *part_at;          /* of part number i: from i to i + 1 */
	size_t part_cap;
};

static uint32_t
events_of(const struct build *b, uint32_t id)
{
	return id < b->tree->n_sym ? 1 :
	    b->tree->def[id - b->tree->n_sym].len;
}

static uint32_t
add_body(struct build *b, const uint32_t *item, uint32_t n, uint8_t phase)
{
	struct rec_tree *t = b->tree;
	struct rec_body *body;
	uint32_t known = t->n_body, i = tl_xintern(&b->bodies,
	    (struct tl_str){ (const char *)item, n * sizeof *item });

	if (i < known)
		return i;
	t->body = tl_xgrow(t->body, t->n_body, &b->body_cap, sizeof *t->body);
	body = &t->body[t->n_body];
	/* items get their place when all are there */
	*body = (struct rec_body){ .n_item = n, .depth = 1, .phase = phase };
	for (i = 0; i < n; i++) {
		t->item = tl_xgrow(t->item, b->n_item, &b->item_cap,
		    sizeof *t->item);
		t->item[b->n_item++] = item[i];
		body->len += events_of(b, item[i]);
		if (item[i] >= t->n_sym && t->body[t->def[item[i] -
		    t->n_sym].body].depth >= body->depth)
			body->depth = t->body[t->def[item[i] -
			    t->n_sym].body].depth + 1;
	}
	return t->n_body++;
}

static uint32_t
add_def(struct build *b, enum rec_kind kind, uint32_t body, uint32_t count,
    uint32_t label_no, struct tl_str label)
{
	struct rec_tree *t = b->tree;
	uint32_t key[4] = { kind, body, count, label_no };
	uint32_t known = t->n_def, i = tl_xintern(&b->defs, (struct tl_str){
	    (const char *)key, sizeof key });

	if (i < known)
		return t->n_sym + i;
	t->def = tl_xgrow(t->def, t->n_def, &b->def_cap, sizeof *t->def);
	t->label = tl_xgrow(t->label, t->n_def, &b->label_cap,
	    sizeof *t->label);
	t->def[t->n_def] = (struct rec_def){ .kind = (uint8_t)kind,
		.body = body, .count = count,
		.len = count * t->body[body].len };
	t->label[t->n_def] = label;
	return t->n_sym + t->n_def++;
}

static struct tl_str
label_text(const struct tl_rules_model *rules, uint32_t label)
{
	size_t n = rules->n_labels;

	return label < n ? rules->label[label].label :
	    label == n ? TL_LIT("unclassified") :
	    label == n + 1 ? TL_LIT("ambiguous") :
	    rules->composition[label - n - 2].label;
}

/* Definition of a token of the model. */
static uint32_t
def_of(const struct build *b, uint32_t sym)
{
	return sym < b->tree->n_sym ? sym : b->made[sym - b->tree->n_sym];
}

/* Units, then compositions: in the order they were made. */
static void
add_made(struct build *b)
{
	const struct tl_rules_model *rules = &b->m->r->model;

	b->made = tl_xreallocarray(NULL, b->m->n_made, sizeof *b->made);
	for (size_t i = 0; i < b->m->n_made; i++) {
		struct made *u = &b->m->made[i];

		for (uint32_t k = 0; k < u->n; k++)
			u->item[k] = def_of(b, u->item[k]);
		b->made[i] = add_def(b, REC_BLOCK, add_body(b, u->item, u->n,
		    REC_PHASE_NONE), 1, u->label,
		    label_text(rules, u->label));
	}
}

/* What a recovered part's ids are in the tree: below n_sym symbols by back[],
 * behind them map[]. */
struct names {
	uint32_t n_sym, *back, *map;
};

static uint32_t
map_id(const struct names *nm, uint32_t id)
{
	return id < nm->n_sym ? nm->back[id] : nm->map[id - nm->n_sym];
}

static void
add_found(struct build *b, const struct rec_tree *old, struct names *nm)
{
	uint32_t *item = NULL;

	nm->map = tl_xreallocarray(NULL, old->n_def, sizeof *nm->map);
	for (uint32_t i = 0; i < old->n_def; i++) {
		const struct rec_def *d = &old->def[i];
		const struct rec_body *in = &old->body[d->body];

		item = tl_xreallocarray(item, in->n_item, sizeof *item);
		for (uint32_t k = 0; k < in->n_item; k++)
			item[k] = map_id(nm, in->item[k]);
		nm->map[i] = add_def(b, d->kind, add_body(b, item,
		    in->n_item, in->phase), d->count, NO_LABEL, TL_LIT(""));
	}
	free(item);
}

/* Events of tokens [at, at + n) of the model. */
static uint32_t
width(const struct model *m, size_t at, uint32_t n)
{
	return n == 0 ? 0 : m->tok[at + n - 1].first + m->tok[at + n - 1].n -
	    m->tok[at].first;
}

static void
add_part_tok(struct build *b, struct rec_tok t)
{
	b->part_tok = tl_xgrow(b->part_tok, b->n_part_tok, &b->part_tok_cap,
	    sizeof *b->part_tok);
	b->part_tok[b->n_part_tok++] = t;
}

/* The tokens of a part that is recovered: of a step one block. */
static void
take_part(struct build *b, const struct rec_tree *old, const struct names *nm,
    size_t from, bool step)
{
	const struct model *m = b->m;
	uint32_t *item = tl_xreallocarray(NULL, old->n_tok, sizeof *item);

	for (uint32_t i = 0; i < old->n_tok; i++) {
		const struct rec_tok *t = &old->tok[i];

		item[i] = map_id(nm, t->def);
		if (!step)
			add_part_tok(b, (struct rec_tok){ .def = item[i],
			    .n = width(m, from + t->first, t->n),
			    .head = width(m, from + t->first, t->head),
			    .tail = width(m, from + t->first + t->n - t->tail,
			    t->tail) });
	}
	if (step) {
		uint32_t def = add_def(b, REC_BLOCK, add_body(b, item,
		    old->n_tok, REC_PHASE_NONE), 1, NO_LABEL - 1,
		    TL_LIT("step"));

		add_part_tok(b, (struct rec_tok){ .def = def,
		    .n = events_of(b, def) });
	}
	free(item);
}

static void
add_stat(struct rec_stat *to, const struct rec_stat *s)
{
	to->budget |= s->budget;
	to->refused += s->refused;
}

/* Recovers tokens [from, end) of the model. Symbols are numbered anew, so that
 * what a small part takes does not grow with the capture. */
static void
recover_part(struct build *b, size_t from, size_t end, bool step)
{
	const struct model *m = b->m;
	const struct rec_seq *q = m->seq;
	size_t n = end - from;
	bool whole = m->part != NULL;
	struct names nm = { .n_sym = 0 };
	uint32_t *sym = tl_xreallocarray(NULL, n, sizeof *sym);
	int64_t *gap = tl_xreallocarray(NULL, n, sizeof *gap);
	uint8_t *mark = tl_xcalloc(n, 1);
	struct rec_macro macro = { .n = 0 };
	struct rec_tree old;

	nm.back = tl_xreallocarray(NULL, n, sizeof *nm.back);
	for (size_t i = 0; i < n; i++) {
		const struct part_tok *t = &m->tok[from + i];

		if (b->local[t->sym] == NO_LABEL) {
			nm.back[nm.n_sym] = t->sym;
			b->local[t->sym] = nm.n_sym++;
		}
		sym[i] = b->local[t->sym];
		gap[i] = q->gap_ns != NULL ? q->gap_ns[t->first] :
		    REC_GAP_NONE;
		mark[i] = q->mark != NULL && q->mark[t->first];
	}
	if (q->macro != NULL)
		macro.marker = tl_xcalloc(q->macro->n, sizeof *macro.marker);
	for (size_t i = 0; q->macro != NULL && i < q->macro->n; i++) {
		const struct rec_marker *k = &q->macro->marker[i];
		uint32_t before = k->before == NO_LABEL ? NO_LABEL :
		    b->local[k->before], after = b->local[k->after];

		/* without a before an ordered marker forbids nothing */
		if (after != NO_LABEL && (before == NO_LABEL) ==
		    (k->before == NO_LABEL))
			macro.marker[macro.n++] = (struct rec_marker){
				before, after };
	}
	for (uint32_t i = 0; i < nm.n_sym; i++) {
		b->local[nm.back[i]] = NO_LABEL;
		nm.back[i] = def_of(b, nm.back[i]);
	}
	rec_recover(&old, &(struct rec_seq){ .n = n, .sym = sym,
	    .n_sym = nm.n_sym, .gap_ns = q->gap_ns != NULL ? gap : NULL,
	    .mark = q->mark != NULL ? mark : NULL, .is_body = step,
	    .is_whole = whole, .macro = macro.n > 0 ? &macro : NULL });
	add_stat(&b->tree->stat, &old.stat);
	add_found(b, &old, &nm);
	take_part(b, &old, &nm, from, step);
	rec_tree_free(&old);
	free(macro.marker);
	free(nm.back);
	free(nm.map);
	free(sym);
	free(gap);
	free(mark);
}

/* The number of a part's content, which is recovered if it is new. */
static uint32_t
part_number(struct build *b, size_t from, size_t end, bool step)
{
	const struct model *m = b->m;
	uint32_t *key = tl_xreallocarray(NULL, end - from + 1, sizeof *key);
	size_t known = b->parts.n;
	uint32_t i;

	key[0] = step;
	for (size_t k = from; k < end; k++)
		key[k - from + 1] = m->tok[k].sym;
	i = tl_xintern(&b->parts, (struct tl_str){ (const char *)key,
	    (end - from + 1) * sizeof *key });
	free(key);
	if (i < known)
		return i;
	b->part_at = tl_xgrow(b->part_at, known + 1, &b->part_cap,
	    sizeof *b->part_at);
	b->part_at[i] = b->n_part_tok;
	recover_part(b, from, end, step);
	b->part_at[i + 1] = b->n_part_tok;
	return i;
}

static uint32_t
part_of(const struct model *m, size_t tok)
{
	return m->part == NULL ? 0 : m->part[m->tok[tok].first];
}

/* The top, part by part. */
static void
add_tokens(struct build *b)
{
	const struct model *m = b->m;
	struct rec_tree *t = b->tree;
	size_t end;

	for (size_t from = 0; from < m->n_tok; from = end) {
		uint32_t first = m->tok[from].first, part = part_of(m, from);
		uint32_t no;

		for (end = from + 1; end < m->n_tok &&
		    part_of(m, end) == part; end++)
			;
		no = part_number(b, from, end, part > 0);
		for (size_t i = b->part_at[no]; i < b->part_at[no + 1]; i++) {
			t->tok = tl_xgrow(t->tok, t->n_tok, &b->tok_cap,
			    sizeof *t->tok);
			t->tok[t->n_tok] = b->part_tok[i];
			t->tok[t->n_tok++].first = first;
			first += b->part_tok[i].n;
		}
	}
}

/* Items in their place, and counts. */
static void
finish(struct build *b)
{
	struct rec_tree *t = b->tree;
	uint8_t *loops = tl_xcalloc(t->n_body, 1);
	uint32_t at = 0;

	for (uint32_t i = 0; i < t->n_def; i++) {
		bool loop = t->def[i].kind == REC_LOOP;

		t->stat.n_loop += loop;
		t->stat.n_block += !loop;
		loops[t->def[i].body] |= loop;
	}
	for (uint32_t i = 0; i < t->n_body; i++) {
		struct rec_body *body = &t->body[i];

		body->item = t->item + at;
		at += body->n_item;
		t->stat.phase[body->phase] += loops[i];
		if (t->stat.depth < body->depth)
			t->stat.depth = body->depth;
	}
	for (uint32_t i = 0; i < t->n_tok; i++)
		t->stat.n_top += rec_kind_of(t, t->tok[i].def) == REC_LOOP;
	free(loops);
}

void
rec_model_tree(const struct model *m, struct rec_tree *tree)
{
	struct build b = { .m = m, .tree = tree };
	size_t n = m->seq->n_sym + m->n_made;

	*tree = (struct rec_tree){ .n_sym = m->seq->n_sym };
	b.local = tl_xreallocarray(NULL, n, sizeof *b.local);
	memset(b.local, 0xff, n * sizeof *b.local);
	add_made(&b);
	add_tokens(&b);
	finish(&b);
	tl_intern_free(&b.bodies);
	tl_intern_free(&b.defs);
	tl_intern_free(&b.parts);
	free(b.made);
	free(b.local);
	free(b.part_tok);
	free(b.part_at);
}
