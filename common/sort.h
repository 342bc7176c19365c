#ifndef TL_SORT_H
#define TL_SORT_H

#include <stdint.h>

#include "err.h"

/* Sorts what a converter gathers, in bounded memory, like sort(1): records
 * are held compactly, past the budget a sorted run goes to a nameless file in
 * $TMPDIR, and the runs are merged when read back. The order is that of events
 * in a stream: start ascending, dur descending (unknown last), then tag, then
 * row; records equal in all of these keep the order they were added in. */

struct tl_sort_rec {
	int64_t start_ns;
	int64_t dur_ns;    /* TL_NONE if unknown */
	uint32_t tag;      /* number of a place tag; numbers are in the byte
	                      order of the tags' texts */
	uint32_t len;      /* of the payload */
	uint64_t row;
	const void *data;  /* the caller's bytes; aligned for any integer when
	                      read back */
};

struct tl_sort; /* opaque */

/* budget: bytes of memory that records may take, all tables and buffers
 * included. One record that is larger is held all the same. */
struct tl_sort *tl_xsort_new(uint64_t budget);

/* Adds a copy. Exits 1 if a run cannot be written. */
void tl_xsort_add(struct tl_sort *s, const struct tl_sort_rec *rec);

/* Next record in order; the first call ends the adding. rec->data is valid
 * until the next call. TL_EOF at the end, TL_ERR on a failed read. */
enum tl_status tl_sort_next(struct tl_sort *s, struct tl_sort_rec *rec,
    struct tl_err *err) TL_MUST_USE;

/* Begins again with the first record; ends the adding, too. */
void tl_xsort_rewind(struct tl_sort *s);

uint64_t tl_sort_count(const struct tl_sort *s); /* records added */
size_t tl_sort_runs(const struct tl_sort *s);    /* runs spilled */
void tl_sort_free(struct tl_sort *s);

#endif
