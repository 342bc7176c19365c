#ifndef TL_EVIDS_H
#define TL_EVIDS_H

#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Ids of events in the order of a stream, which is ascending. They cost memory
 * only from the first gap on. Zero-initialise, free with tl_evids_free. */
struct tl_evids {
	uint64_t first;
	uint64_t *id; /* NULL while they are first, first + 1 ... */
	size_t n, cap;
};

#define TL_NO_EVENT SIZE_MAX

void tl_xevids_add(struct tl_evids *ids, uint64_t id);

/* Place of an id, from 0; TL_NO_EVENT if it is not there. */
size_t tl_evids_find(const struct tl_evids *ids, uint64_t id);

void tl_evids_free(struct tl_evids *ids);

/* A position, "N003", as its number; an occurrence, "N003#7", with its number
 * within the position. False if the text is none. */
bool tl_pos_parse(struct tl_str s, uint32_t *number);
bool tl_occ_parse(struct tl_str s, uint32_t *number, uint32_t *n);

#endif
