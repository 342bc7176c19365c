#ifndef TL_RULES_OUT_H
#define TL_RULES_OUT_H

#include "evout.h"
#include "rules.h"

/* Writes a document as records rules. */
void tl_xrules_put_document(struct tl_evout *o,
    const struct tl_rules_source *src);

/* Writes what a converter was given beside the compiled-in rules, as records
 * rules, and a record rule for each of its rules; and for each of the compiled-
 * in ones that was used, where there is something beside them, else only where
 * it reconciled events. */
void tl_xrules_put(const struct tl_rules *r, struct tl_evout *o);

#endif
