#ifndef TL_MAP_H
#define TL_MAP_H

#include <stdint.h>

#include "mem.h"

/* Up to four integers to a small number: keys are numbered 0, 1, 2 ... in order
 * of first sight. What belongs to a key is in an array of the caller's, by that
 * number. */
struct tl_map_key {
	int64_t k[4]; /* those that are not used are 0 */
};

/* Zero-initialise, free with tl_map_free. */
struct tl_map {
	struct tl_map_key *key; /* by number */
	uint32_t *slot;
	size_t n, cap, n_slots;
};

/* Number of the key; added if it is new, which is when the answer is the old
 * map->n. */
uint32_t tl_xmap_add(struct tl_map *m, struct tl_map_key key);

/* UINT32_MAX if it is not there. */
uint32_t tl_map_find(const struct tl_map *m, struct tl_map_key key);

/* Forgets the keys, keeps the memory. */
void tl_map_reset(struct tl_map *m);
void tl_map_free(struct tl_map *m);

#endif
