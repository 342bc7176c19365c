#ifndef TL_CONV_H
#define TL_CONV_H

#include <stdint.h>

#include "evout.h"
#include "intern.h"
#include "rules.h"

/* What converters share: the rules applied once per distinct name, the header
 * of a stream, and events written with what the rules say of them. */

/* What a name means for an event. Lives until the cache is dropped, which
 * happens between two calls of tl_xconv_name at the earliest. */
struct tl_conv_name {
	struct tl_str esc;   /* the name as the stream has it, "." if empty */
	struct tl_str sym;   /* "sym=...", or empty: the symbol is the name */
	bool aux;            /* "role=aux" */
	bool communication;  /* stands for a whole collective */
	enum tl_class cls;
	struct tl_rules_result res;
};

struct tl_conv {
	struct tl_evout out;
	struct tl_rules *rules;
	const char *provider; /* cuda, hip, ascend; NULL: not known */
	bool no_prog;         /* -P */
	size_t cache_max;     /* bytes for the cache of names, 0: 64 MiB */
	uint64_t drops;       /* times the cache started anew; entries from
	                         before are gone, copies of them too */
	/* private */
	struct tl_arena arena;
	struct tl_intern key; /* kind and raw name */
	struct tl_conv_name *name; /* by number of the key */
	size_t names_cap;
	struct tl_conv_pairs *pairs; /* NULL: nothing to reconcile */
};

/* Loads the compiled-in rules, $TL_RULES, then n_files of -r in order. A rules
 * file that is wrong ends the program with status 2. The rest of *c is the
 * caller's to set. */
void tl_xconv_rules(struct tl_conv *c, const char *const *files,
    size_t n_files);

/* Meaning of a raw name for a kind. Cheap for a name seen before; the cache is
 * bounded and starts anew when full. */
const struct tl_conv_name *tl_xconv_name(struct tl_conv *c, enum tl_kind kind,
    struct tl_str raw);

/* Meaning of a subject of which more is known than a name; for once per
 * distinct subject. Its text is in the arena, out->res may point into the
 * subject's. */
void tl_xconv_subject(struct tl_conv *c, struct tl_arena *a,
    const struct tl_rules_subject *subject, struct tl_conv_name *out);

/* Writes an event. ev->name and ev->cls are ignored, nm has them; ev->keys are
 * sorted and escaped (keys.h), and role= and sym= are put in their place among
 * them. ev->id is given here. All other text is escaped already. Events come
 * in the order of the stream; where rules reconcile them they may be written
 * later, with more keys. False if the line would be too long: see
 * tl_xevout_event. */
bool tl_xconv_event(struct tl_conv *c, struct tl_ev *ev,
    const struct tl_conv_name *nm);

/* Behind the last event: writes those that were held back, and notes on what
 * was reconciled. */
void tl_xconv_events_end(struct tl_conv *c);

/* Says on standard error what each rule was used for, for -v. */
void tl_conv_msg_rules(const struct tl_conv *c);

/* The last lines of the header: #rules for each stage that was applied, #order
 * and #prog. The lines before it are the converter's. */
void tl_xconv_header_end(struct tl_conv *c, int argc, char *const *argv);

/* A header line: "#word", columns (raw, "." if empty), then key=value pairs,
 * which are sorted here. */
struct tl_conv_kv {
	const char *key;
	struct tl_str value; /* raw; empty ones are left out */
};
void tl_xconv_header(struct tl_conv *c, const char *word,
    const struct tl_str *columns, size_t n_columns,
    struct tl_conv_kv *kv, size_t n_kv);

/* Absolute path without links of a file that exists, as owned text; the path
 * itself where it cannot be resolved. */
char *tl_xconv_path(const char *path);

void tl_conv_free(struct tl_conv *c);

#endif
