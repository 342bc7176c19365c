#ifndef TL_RULES_H
#define TL_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "ev.h"
#include "mem.h"

/* Rules files, tl-rules(5): what class an event has, whether it takes part in
 * the structure, and under which symbol. */

/* rules/default.yaml, compiled in. Not NUL-terminated. */
extern const char tl_default_rules[];
extern const size_t tl_default_rules_len;

/* Longest rules file. */
#define TL_RULES_MAX ((size_t)1 << 20)

/* Stages of a document, in the order in which they are applied. */
enum tl_rules_stage {
	TL_RULES_RECONCILIATION,
	TL_RULES_CLASSIFICATION,
	TL_RULES_SYMBOL,
	TL_RULES_MACRO,
	TL_RULES_STRUCTURE,
	TL_RULES_N_STAGES
};

/* Key of the stage in a document: "classification" ... */
const char *tl_rules_stage_name(enum tl_rules_stage stage);

struct tl_rules;

/* The compiled-in rules. Exits 2 if they don't parse (a build that is wrong);
 * the unit test sees to it that they do. Freed by tl_rules_free. */
struct tl_rules *tl_xrules_new(void);
void tl_rules_free(struct tl_rules *r);

/* Reads a document and puts it over what is loaded already. On TL_ERR nothing
 * has changed, err->msg is "FILE:LINE:COL: what 'subject': cause" ("FILE:
 * open: cause" where it can't be read), err->line the line. Columns count
 * characters, from 1. */
enum tl_status tl_rules_load(struct tl_rules *r, const char *path,
    struct tl_err *err) TL_MUST_USE;

/* The same for a text in memory; name stands for the file in messages and is
 * the document's origin. */
enum tl_status tl_rules_parse(struct tl_rules *r, const char *name,
    const char *text, size_t len, struct tl_err *err) TL_MUST_USE;

/* The compiled-in rules, then the file that TL_RULES names, then paths in
 * order. A file that is wrong ends the program with status 2. */
struct tl_rules *tl_xrules_open(const char *const *paths, size_t n);

/* What is known of an event. Text is raw (not escaped); n is 0 where the
 * capture has none. */
struct tl_rules_subject {
	const char *provider; /* cuda, hip (or hygon), ascend; NULL: unknown */
	enum tl_kind kind;
	bool communication; /* stands for a whole collective, not for a task */
	struct tl_str name; /* as in the stream's name column */
	struct tl_str op_type, op_name, comm_name, task_type, compute_type;
	struct tl_str linked_name, linked_type; /* tasks of a collective */
};

enum tl_rules_role {
	TL_ROLE_ANCHOR,     /* takes part in the structure */
	TL_ROLE_AUXILIARY,  /* kept out: supports other work */
	TL_ROLE_TRANSPARENT /* kept out: stands for work told elsewhere */
};

enum tl_rules_outcome {
	TL_SYMBOL_IDENTITY,      /* no rule matched */
	TL_SYMBOL_CANONICALIZED, /* one rule gave the symbol */
	TL_SYMBOL_CONFLICT       /* several of one priority: none was used */
};

#define TL_RULES_NONE UINT32_MAX

/* What the rules say of an event. Rules are given as numbers for
 * tl_rules_info, TL_RULES_NONE where none matched. */
struct tl_rules_result {
	enum tl_class cls;
	enum tl_rules_role role; /* TL_ROLE_ANCHOR for host events */
	enum tl_rules_outcome outcome;
	struct tl_str symbol; /* n is 0 where it is the name; points into the
	                         subject's text or the rules */
	uint32_t class_rule, role_rule, symbol_rule;
};

/* Applies classification and symbol_normalization. For once per distinct
 * subject: equal subjects give equal results. */
void tl_rules_apply(const struct tl_rules *r,
    const struct tl_rules_subject *subject, struct tl_rules_result *out);

/* Counts n events with this result; each rule counts once an event. */
void tl_rules_hit(struct tl_rules *r, const struct tl_rules_result *res,
    uint64_t n);

/* A rule that is loaded. */
struct tl_rules_info {
	enum tl_rules_stage stage;
	const char *id;     /* rule_id */
	const char *origin; /* "default" or the file's name as it was given */
	uint32_t line;      /* where in the file */
	uint64_t hits;
};

/* Rules that tl_rules_apply uses are numbered from 0, classification first,
 * then by priority, then in file order. False when i is past the last. */
bool tl_rules_info(const struct tl_rules *r, uint32_t i,
    struct tl_rules_info *info);

/* Says the rules that were used, with their hits, and how many were not, on
 * standard error, for -v. */
void tl_rules_msg_hits(const struct tl_rules *r);

/* A document that a stage is made of: what a #rules line holds. */
struct tl_rules_source {
	enum tl_rules_stage stage;
	const char *digest; /* SHA-256 of the document, hexadecimal */
	const char *origin; /* "default" or the file's name as it was given */
	struct tl_str text; /* the document */
};

/* The documents of all stages, in order of stage, then of reading, numbered
 * from 0. Documents that a later one replaced are left out. False when i is
 * past the last. */
bool tl_rules_source(const struct tl_rules *r, size_t i,
    struct tl_rules_source *src);

/* A marker of macro_matching. A suffix marker has no before; after is it. */
struct tl_rules_marker {
	struct tl_str id, before, after;
	uint32_t line;
};

/* A label of units, with the symbols any of which it needs; or a composition,
 * with the labels that it is made of. */
struct tl_rules_label {
	struct tl_str label;
	const struct tl_str *text;
	size_t n;
	uint32_t line;
};

/* macro_matching and structure, of the last document that has each; empty
 * where none has. Texts are the rules' and live as long as they. */
struct tl_rules_model {
	bool by_step; /* partition_by: scheduler_step */
	uint32_t by_step_line;
	struct tl_rules_marker *marker; /* ordered, then suffix */
	size_t n_markers;
	const char *macro_origin; /* NULL: no document has the stage */
	bool has_unit;
	uint32_t unit_line;
	struct tl_str unit_id, begin, end;
	struct tl_rules_label *label, *composition;
	size_t n_labels, n_compositions;
	const char *structure_origin;
	struct tl_arena arena;
};

/* A rule of event_reconciliation, by priority. A fraction is part / whole. */
struct tl_rules_pair {
	const char *id, *origin;
	uint32_t line;
	bool communication; /* a collective in a task, else two tasks */
	struct tl_str task_type; /* of two tasks */
	int64_t generic_context, concrete_context;
	struct tl_str op_type, name_prefix; /* of task and collective */
	bool ascend_only;
	bool any_type, any_context; /* "*": a task that launched others */
	bool any_op, any_name;      /* "*" */
	bool same_connection;       /* of task and collective */
	uint64_t part, whole;
};

/* All of them, in *pair, which the caller frees; their number. Texts are the
 * rules'. */
size_t tl_xrules_pairs(const struct tl_rules *r, struct tl_rules_pair **pair);

/* Counts n events that rule i of tl_xrules_pairs made evidence of others. */
void tl_rules_pair_hit(struct tl_rules *r, size_t i, uint64_t n);

/* Text as task types are compared: upper case, each run of bytes that are no
 * letter or digit one "_", none at the ends. out has room for s.n bytes;
 * returns the length. */
size_t tl_rules_type(char *out, struct tl_str s);

void tl_xrules_model(const struct tl_rules *r, struct tl_rules_model *m);
void tl_rules_model_free(struct tl_rules_model *m);

#endif
