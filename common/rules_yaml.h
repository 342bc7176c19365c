#ifndef TL_RULES_YAML_H
#define TL_RULES_YAML_H

/* One YAML document as a tree with places. Private to rules*.c. */

#include <stdarg.h>

#include "err.h"
#include "mem.h"
#include "str.h"

enum tl_node_type { TL_SCALAR, TL_SEQUENCE, TL_MAPPING };

/* Children hang on each other by next; those of a mapping are key, value,
 * key, value ... Keys are scalars. */
struct tl_node {
	enum tl_node_type type;
	uint32_t line, col; /* where it begins, from 1; columns in characters */
	struct tl_str text; /* of a scalar; NUL behind */
	struct tl_node *child, *next;
};

/* Deepest nesting of sequences and mappings. */
#define TL_YAML_DEPTH 16

/* The one document of text[0..len) (UTF-8, a byte order mark is skipped) in
 * *root. Nodes and text live in the arena. Refused are anchors, aliases, tags
 * other than those of the core schema, a second document, keys that are not
 * scalars. TL_ERR: err as of tl_yaml_err. */
enum tl_status tl_yaml_read(struct tl_arena *a, const char *name,
    const char *text, size_t len, struct tl_node **root, struct tl_err *err)
    TL_MUST_USE;

/* Sets err to "NAME:LINE:COL: ..." and err->line; answers TL_ERR. A name
 * that is too long is cut at its front. */
enum tl_status tl_yaml_err(struct tl_err *err, const char *name, uint32_t line,
    uint32_t col, const char *fmt, ...) TL_PRINTF(5, 6);
enum tl_status tl_yaml_verr(struct tl_err *err, const char *name,
    uint32_t line, uint32_t col, const char *fmt, va_list ap) TL_PRINTF(5, 0);

/* The name as messages show it: its last 200 bytes. */
const char *tl_yaml_name(const char *name);

#endif
