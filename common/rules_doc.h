#ifndef TL_RULES_DOC_H
#define TL_RULES_DOC_H

/* One rules document, checked, its rules ready to be applied. Private to
 * rules*.c. */

#include "rules.h"
#include "rules_yaml.h"
#include "sha256.h"

enum tl_rule_provider { TL_RP_ANY, TL_RP_ASCEND, TL_RP_CUDA, TL_RP_HIP };

/* Fields of classification, then those of symbol_normalization. */
enum tl_rule_field { TL_RF_TASK_TYPE, TL_RF_BLOB, TL_RF_OPERATOR };
enum tl_rule_text {
	TL_RT_SELECTED, TL_RT_ANY_IDENTITY, TL_RT_OP_NAME, TL_RT_OP_TYPE,
	TL_RT_TASK_TYPE, TL_RT_COMPUTE_TASK_TYPE, TL_RT_COMM_NAME,
	TL_RT_LINKED_TASK_NAME, TL_RT_LINKED_TASK_TYPE
};

/* Kinds of match of classification, then those of symbol_normalization. */
enum tl_rule_match { TL_RM_EXACT, TL_RM_CONTAINS, TL_RM_FUNCTION };
enum tl_rule_symbol_match {
	TL_RS_EXACT, TL_RS_EXACT_ANY, TL_RS_CONTAINS_CI, TL_RS_CONTAINS_ANY_CI,
	TL_RS_OPAQUE_NUMERIC, TL_RS_KERNEL_BASE, TL_RS_DECORATED_KERNEL
};

/* No role, where an enum tl_rules_role is wanted. */
#define TL_ROLE_NONE 3

struct tl_rule {
	const char *id, *origin;
	const struct tl_node *node; /* all of it, as read */
	uint32_t line, col;         /* of the id */
	uint32_t seq;               /* order of declaration over all files */
	int32_t priority;
	uint8_t provider; /* enum tl_rule_provider */
	uint8_t field;    /* enum tl_rule_field or tl_rule_text */
	uint8_t match;    /* enum tl_rule_match or tl_rule_symbol_match */
	uint8_t role;     /* enum tl_rules_role or TL_ROLE_NONE */
	uint8_t cls;      /* enum tl_class, TL_N_CLASSES for none */
	uint8_t required; /* 1 << enum tl_rule_field */
	bool communication, defers;
	struct tl_str *alt; /* patterns in the form they are compared in */
	size_t n_alt;
	struct tl_str symbol;
	uint64_t hits;
};

enum tl_rules_mode { TL_RULES_EXTEND, TL_RULES_OVERRIDE, TL_RULES_REPLACE };

struct tl_rules_doc_stage {
	const struct tl_node *node; /* NULL where the document lacks it */
	enum tl_rules_mode mode;
	struct tl_rule *rule; /* in the arena */
	size_t n;
	bool live; /* not replaced by a later document */
};

struct tl_rules_doc {
	struct tl_rules_doc *next; /* the document read after it */
	struct tl_arena arena;
	const char *origin;
	char digest[TL_SHA256_HEX];
	struct tl_str text; /* as read */
	struct tl_rules_doc_stage stage[TL_RULES_N_STAGES];
};

/* Parses and checks a document into d, which is zero but for the arena.
 * d->arena is the caller's to free, also on TL_ERR. */
enum tl_status tl_rules_doc_read(struct tl_rules_doc *d, const char *name,
    const char *text, size_t len, struct tl_err *err) TL_MUST_USE;

/* Text in ASCII lower case. */
void tl_rules_lower(char *out, struct tl_str s);

/* Checks of single stages (rules_stages.c, rules_policy.c), used by
 * tl_rules_doc_read. */

/* A document under check. */
struct tl_rules_check {
	struct tl_rules_doc *doc;
	const char *name;
	struct tl_err *err;
};

/* A key that a mapping may have. */
struct tl_rules_key {
	const char *name;
	enum tl_node_type type;
	bool required, may_be_empty;
};

/* A mapping whose keys were checked: the value of keys[i] is val[i], NULL
 * where it is not given. */
#define TL_RULES_KEYS 20
struct tl_rules_map {
	const struct tl_rules_key *keys;
	size_t n_keys;
	const struct tl_node *node;
	const struct tl_node *val[TL_RULES_KEYS];
};

/* Checks keys, types, and that texts are one line of text. what is for
 * messages: "a classification rule". */
enum tl_status tl_rules_check_map(struct tl_rules_check *c,
    struct tl_rules_map *m, const struct tl_node *node, const char *what,
    const struct tl_rules_key *keys, size_t n_keys) TL_MUST_USE;

/* A text item of a sequence. */
enum tl_status tl_rules_check_text(struct tl_rules_check *c,
    const struct tl_node *node, const char *key) TL_MUST_USE;

/* Value of a key, NULL where it is not given; its text, "" then. */
const struct tl_node *tl_rules_get(const struct tl_rules_map *m,
    const char *key);
struct tl_str tl_rules_text(const struct tl_rules_map *m, const char *key);

/* Index in choices ("a|b|c") of a key's text, dflt where it is not given. */
enum tl_status tl_rules_choice(struct tl_rules_check *c,
    const struct tl_rules_map *m, const char *key, const char *choices,
    unsigned dflt, unsigned *out) TL_MUST_USE;

/* A whole number of at most 18 digits, leading zeros not counted. */
enum tl_status tl_rules_int(struct tl_rules_check *c,
    const struct tl_rules_map *m, const char *key, int64_t min, int64_t max,
    int64_t *out) TL_MUST_USE;

/* Error at a node: "what 'text of node': cause", and one with a text of its
 * own. */
enum tl_status tl_rules_bad(struct tl_rules_check *c,
    const struct tl_node *node, const char *what, const char *fmt, ...)
    TL_PRINTF(4, 5);
enum tl_status tl_rules_bad_as(struct tl_rules_check *c,
    const struct tl_node *at, const char *what, struct tl_str subject,
    const char *fmt, ...) TL_PRINTF(5, 6);

enum tl_status tl_rules_check_policy(struct tl_rules_check *c,
    enum tl_rules_stage stage) TL_MUST_USE;
enum tl_status tl_rules_check_macro(struct tl_rules_check *c) TL_MUST_USE;
enum tl_status tl_rules_check_structure(struct tl_rules_check *c) TL_MUST_USE;

/* Fills a rule from its mapping, which has been checked for keys. scopes is
 * the metadata's list of providers, NULL where it has none. */
enum tl_status tl_rules_rule_class(struct tl_rules_check *c,
    const struct tl_rules_map *m, const struct tl_node *scopes,
    struct tl_rule *rule) TL_MUST_USE;
enum tl_status tl_rules_rule_symbol(struct tl_rules_check *c,
    const struct tl_rules_map *m, struct tl_rule *rule) TL_MUST_USE;
enum tl_status tl_rules_rule_reconcile(struct tl_rules_check *c,
    const struct tl_rules_map *m, struct tl_rule *rule) TL_MUST_USE;

#endif
