#ifndef TL_SPOOL_H
#define TL_SPOOL_H

#include <stdint.h>

#include "str.h"

/* Pieces of text kept in order, to be read again from the start: in memory up
 * to a budget, past it in a file without a name in $TMPDIR. */
struct tl_spool; /* opaque */

struct tl_spool *tl_xspool_new(uint64_t budget);

/* Adds a copy. Exits 1 if it can't be kept. */
void tl_xspool_add(struct tl_spool *s, struct tl_str piece);

/* The next piece, valid until the next call; false at the end. The first call
 * ends the adding. Exits 1 on a failed read. */
bool tl_xspool_next(struct tl_spool *s, struct tl_str *piece);

void tl_xspool_rewind(struct tl_spool *s);
void tl_spool_free(struct tl_spool *s);

#endif
