#ifndef RECOVER_H
#define RECOVER_H

/* Loop recovery in one piece, for the programs that test it, and what makes a
 * tree right. */

#include "tl-recover_block.c"
#include "tl-recover_chance.c"
#include "tl-recover_core.c"
#include "tl-recover_fold.c"
#include "tl-recover_level.c"
#include "tl-recover_macro.c"
#include "tl-recover_phase.c"
#include "tl-recover_repeat.c"
#include "tl-recover_runs.c"
#include "tl-recover_suffix.c"
#include "tl-recover_word.c"

/* Writes the events of the definition to out, n of them; false if they are
 * another number, or an item does not come before what holds it. */
static inline int
recover_expand(const struct rec_tree *tree, uint32_t id, uint32_t *out,
    uint32_t n)
{
	const struct rec_body *body = rec_body_of(tree, id);
	uint32_t i, at = 0, len;

	if (n != rec_len_of(tree, id))
		return 0;
	if (body == NULL) {
		*out = id;
		return 1;
	}
	for (i = 0; i < body->n_item; i++, at += len) {
		len = rec_len_of(tree, body->item[i]);
		if (body->item[i] >= id || len > body->len - at ||
		    !recover_expand(tree, body->item[i], out + at, len))
			return 0;
	}
	if (at != body->len)
		return 0;
	for (; at < n; at++)
		out[at] = out[at - body->len];
	return 1;
}

/* A token: its place, its events, and its partial iterations. */
static inline const char *
recover_wrong_token(const struct rec_tree *tree, uint32_t i, uint32_t at,
    uint32_t *out, size_t n)
{
	const struct rec_tok *t = &tree->tok[i];
	uint32_t len = rec_len_of(tree, t->def), k, b;

	if (t->first != at || t->n != t->head + len + t->tail ||
	    t->n > n - at)
		return "a token is not where it should be";
	out += at;
	if (!recover_expand(tree, t->def, out + t->head, len))
		return "a definition does not add up";
	if (t->head + t->tail == 0)
		return NULL;
	b = rec_body_of(tree, t->def)->len;
	if (rec_kind_of(tree, t->def) != REC_LOOP || t->head >= b ||
	    t->tail >= b || (t->head > 0 && i > 0) ||
	    (t->tail > 0 && i + 1 < tree->n_tok))
		return "a partial iteration is where none can be";
	for (k = t->head; k-- > 0;)
		out[k] = out[k + b];
	for (k = t->n - t->tail; k < t->n; k++)
		out[k] = out[k - b];
	return NULL;
}

/* NULL if the tree is the sequence, else what is wrong. */
static inline const char *
recover_wrong(const struct rec_tree *tree, const struct rec_seq *seq)
{
	uint32_t *out = tl_xcalloc(seq->n, sizeof(*out)), at = 0, i;
	const char *why = NULL;

	for (i = 0; i < tree->n_tok && why == NULL; i++) {
		why = recover_wrong_token(tree, i, at, out, seq->n);
		at += tree->tok[i].n;
	}
	if (why == NULL && (at != seq->n || (seq->n > 0 &&
	    memcmp(out, seq->sym, seq->n * sizeof(*out)) != 0)))
		why = "the tree is another sequence";
	free(out);
	return why;
}

#endif
