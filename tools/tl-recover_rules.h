#ifndef TL_RECOVER_RULES_H
#define TL_RECOVER_RULES_H

/* Recovery under rules: markers that loops keep, units of a model, steps of a
 * scheduler that nothing is folded across. */

#include "rules.h"
#include "tl-recover.h"
#include "tl-recover_scope.h"

/* What the records of tl-context say. */
struct rec_context;

struct rec_rules {
	struct tl_rules *rules;
	struct tl_rules_model model;
	struct rec_context *context; /* NULL unless steps are asked for */
	struct tl_intern made_with;  /* "stage digest" of the stream's rules */
	struct tl_intern kept;       /* digests of documents in the stream */
	/* what was met, over all scopes */
	uint64_t *before, *after;    /* [n_markers] events */
	uint64_t *label;             /* [n_labels + 2] units; then those of no
	                                label, of several */
	uint64_t *composition;       /* [n_compositions] */
	uint64_t nested, begins, ends; /* pairs, markers that make no unit */
	uint64_t crossing;           /* units across steps */
	uint64_t steps;              /* stretches of one step */
	uint64_t refused;            /* loops, by markers */
};

/* Reads the compiled-in rules, $TL_RULES and the files; exits 2 if one is
 * wrong. */
void rec_rules_open(struct rec_rules *r, const char *const *paths, size_t n);
void rec_rules_free(struct rec_rules *r);

/* Whether anything in the rules is for tl-recover. */
bool rec_rules_any(const struct rec_rules *r);

/* Takes a line of the stream: what rules it was made with, its context. */
void rec_rules_take(struct rec_rules *r, const struct tl_filter *f,
    const struct tl_rec *rec);

/* The #rules lines of what is applied. */
void rec_rules_header(struct tl_evout *out, void *rules);

/* The structure of a scope, as of rec_recover, under the rules. Exits 1 where
 * steps are asked for and an event's is not known. */
void rec_rules_recover(struct rec_tree *tree, struct rec_rules *r,
    const struct rec_capture *cap, const struct rec_scope *s,
    const struct rec_seq *seq);

/* Writes documents of rules that the stream does not have yet. */
void rec_rules_documents(struct rec_rules *r, struct tl_evout *out);

/* What each rule met: as notes, on standard error. */
void rec_rules_notes(const struct rec_rules *r, struct tl_evout *out);
void rec_rules_msg(const struct rec_rules *r);

/* ---- _step ---- */

struct rec_context *rec_context_new(void);
void rec_context_free(struct rec_context *c);

/* A record of tl-context, and the end of them; exit 1 where one is bad, or
 * where steps cannot be told. file is the stream's name. */
void rec_context_add(struct rec_context *c, const struct tl_filter *f,
    const struct tl_rec *rec);
void rec_context_end(struct rec_context *c, const char *file);

/* Fills part[i] for the scope's items: 1 and the step's index, or 0 for what
 * is known to be in none. Exits 1 where the evidence is not enough. */
void rec_context_split(struct rec_context *c, const struct rec_capture *cap,
    const struct rec_scope *s, uint32_t *part);

/* ---- _model ---- */

/* Recovers a sequence in which units are one item and parts are kept apart.
 * part is NULL where there are none. */
void rec_model_recover(struct rec_tree *tree, struct rec_rules *r,
    const struct rec_capture *cap, const struct rec_seq *seq,
    const uint32_t *part);

#endif
