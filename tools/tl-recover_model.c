#include <stdlib.h>

#include "tl-recover_model.h"

/*
 * Units of a model: the sequence is written anew, with a unit, or a composition
 * of units, as one symbol.
 */

static void
find_labels(struct model *m, const struct rec_capture *cap)
{
	const struct tl_rules_model *rules = &m->r->model;

	m->label_of = tl_xreallocarray(NULL, m->seq->n_sym,
	    sizeof *m->label_of);
	memset(m->label_of, 0xff, m->seq->n_sym * sizeof *m->label_of);
	m->begin = tl_intern_find(&cap->text, rules->begin);
	m->end = tl_intern_find(&cap->text, rules->end);
	for (size_t i = 0; i < rules->n_labels; i++) {
		for (size_t k = 0; k < rules->label[i].n; k++) {
			uint32_t sym = tl_intern_find(&cap->text,
			    rules->label[i].text[k]);

			if (sym == UINT32_MAX)
				continue;
			m->label_of[sym] = m->label_of[sym] == NO_LABEL ||
			    m->label_of[sym] == i ? (uint32_t)i :
			    (uint32_t)rules->n_labels + 1;
		}
	}
}

static bool
same_part(const struct model *m, uint32_t a, uint32_t b)
{
	for (; m->part != NULL && a < b; a++)
		if (m->part[a] != m->part[a + 1])
			return false;
	return true;
}

/* Pairs of markers: close[i] is the end of the unit that begins at item i, 0
 * where none does. Markers pair like brackets; a pair with a pair in it is no
 * unit, nor is that one. */
static uint32_t *
find_pairs(struct model *m)
{
	const struct rec_seq *q = m->seq;
	uint32_t *close = tl_xcalloc(q->n, sizeof *close);
	uint32_t *stack = NULL, outer = 0, outer_end = 0;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		if (q->sym[i] == m->begin) {
			stack = tl_xgrow(stack, n, &cap, sizeof *stack);
			stack[n++] = i;
		} else if (q->sym[i] == m->end && n > 0) {
			close[stack[--n]] = i;
		} else if (q->sym[i] == m->end) {
			m->r->ends++;
		}
	}
	m->r->begins += n;
	free(stack);
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t end = close[i];

		if (end == 0)
			continue;
		if (i < outer_end) {
			m->r->nested += close[outer] != 0;
			m->r->nested++;
			close[outer] = close[i] = 0;
		} else {
			outer = i;
			outer_end = end;
		}
		if (close[i] != 0 && !same_part(m, i, end)) {
			m->r->crossing++;
			close[i] = 0;
		}
	}
	return close;
}

static uint32_t
label_unit(const struct model *m, uint32_t from, uint32_t end)
{
	uint32_t none = (uint32_t)m->r->model.n_labels, label = none, l;

	for (uint32_t i = from; i <= end; i++) {
		l = m->label_of[m->seq->sym[i]];
		if (l == NO_LABEL || l == label)
			continue;
		if (label != none || l == none + 1)
			return none + 1;
		label = l;
	}
	return label;
}

/* The number of what is made so; items are copied if it is new. */
static uint32_t
make(struct model *m, uint32_t label, const uint32_t *item, uint32_t n)
{
	uint32_t *key = tl_xreallocarray(NULL, (size_t)n + 1, sizeof *key);
	size_t known = m->n_made;
	uint32_t i;

	key[0] = label;
	memcpy(key + 1, item, n * sizeof *item);
	i = tl_xintern(&m->made_at, (struct tl_str){ (char *)key,
	    ((size_t)n + 1) * sizeof *key });
	if (i < known) {
		free(key);
		return i;
	}
	m->made = tl_xgrow(m->made, m->n_made, &m->made_cap, sizeof *m->made);
	memmove(key, key + 1, n * sizeof *key);
	m->made[m->n_made++] = (struct made){ label, key, n };
	return i;
}

static void
add_tok(struct model *m, uint32_t sym, uint32_t first, uint32_t n)
{
	m->tok = tl_xgrow(m->tok, m->n_tok, &m->tok_cap, sizeof *m->tok);
	m->tok[m->n_tok++] = (struct part_tok){ sym, first, n };
}

static void
find_units(struct model *m)
{
	uint32_t *close = find_pairs(m);

	for (uint32_t i = 0; i < m->seq->n; i++) {
		uint32_t end = close[i], label;

		if (end == 0) {
			add_tok(m, m->seq->sym[i], i, 1);
			continue;
		}
		label = label_unit(m, i, end);
		m->r->label[label]++;
		add_tok(m, m->seq->n_sym + make(m, label, m->seq->sym + i,
		    end - i + 1), i, end - i + 1);
		i = end;
	}
	free(close);
}

/* ---- compositions ---- */

/* Label of a token that is a unit, NO_LABEL for others. */
static uint32_t
unit_label(const struct model *m, size_t at)
{
	return at < m->n_tok && m->tok[at].sym >= m->seq->n_sym ?
	    m->made[m->tok[at].sym - m->seq->n_sym].label : NO_LABEL;
}

static bool
fits(const struct model *m, size_t at, const struct tl_rules_label *c)
{
	const struct tl_rules_model *rules = &m->r->model;

	for (size_t k = 0; k < c->n; k++) {
		uint32_t l = unit_label(m, at + k);

		if (l >= rules->n_labels ||
		    !tl_str_eq(rules->label[l].label, c->text[k]))
			return false;
	}
	return same_part(m, m->tok[at].first, m->tok[at + c->n - 1].first);
}

/* Units in a row whose labels are those of just one composition become it. */
static void
compose(struct model *m)
{
	const struct tl_rules_model *rules = &m->r->model;
	size_t n = 0, w = 0;
	uint32_t *item = NULL;

	for (size_t i = 0; i < m->n_tok; i += w) {
		const struct tl_rules_label *c = NULL;
		size_t several = 0;
		struct part_tok t = m->tok[i];

		for (size_t k = 0; k < rules->n_compositions; k++) {
			if (!fits(m, i, &rules->composition[k]))
				continue;
			c = &rules->composition[k];
			several++;
		}
		w = several == 1 ? c->n : 1;
		if (several == 1) {
			size_t k = (size_t)(c - rules->composition);

			item = tl_xreallocarray(item, w, sizeof *item);
			for (size_t x = 0; x < w; x++)
				item[x] = m->tok[i + x].sym;
			t.n = m->tok[i + w - 1].first +
			    m->tok[i + w - 1].n - t.first;
			t.sym = m->seq->n_sym + make(m, (uint32_t)
			    (rules->n_labels + 2 + k), item, (uint32_t)w);
			m->r->composition[k]++;
		}
		m->tok[n++] = t;
	}
	m->n_tok = n;
	free(item);
}

void
rec_model_recover(struct rec_tree *tree, struct rec_rules *r,
    const struct rec_capture *cap, const struct rec_seq *seq,
    const uint32_t *part)
{
	struct model m = { .r = r, .seq = seq, .part = part };

	if (r->model.has_unit) {
		find_labels(&m, cap);
		find_units(&m);
		compose(&m);
	} else {
		for (uint32_t i = 0; i < seq->n; i++)
			add_tok(&m, seq->sym[i], i, 1);
	}
	for (size_t i = 1; part != NULL && i <= seq->n; i++)
		r->steps += part[i - 1] != 0 &&
		    (i == seq->n || part[i] != part[i - 1]);
	rec_model_tree(&m, tree);
	for (size_t i = 0; i < m.n_made; i++)
		free(m.made[i].item);
	free(m.made);
	free(m.tok);
	free(m.label_of);
	tl_intern_free(&m.made_at);
}
