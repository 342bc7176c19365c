#ifndef TL_MEM_H
#define TL_MEM_H

#include <stddef.h>

/* Allocation that does not come back empty: on lack of memory or a size that
 * overflows the program says so and exits 1. The caller owns the result and
 * frees it with free(3). A size of 0 gives a pointer that may be freed. */
void *tl_xmalloc(size_t size);
void *tl_xcalloc(size_t n, size_t size);
void *tl_xreallocarray(void *p, size_t n, size_t size);
char *tl_xstrdup(const char *s);
char *tl_xmemdup0(const char *s, size_t len); /* copy with a NUL behind */

/* Room for one more element of the given size in an array of n elements with
 * capacity *cap: grows by half when full. Returns the (moved) array. */
void *tl_xgrow(void *p, size_t n, size_t *cap, size_t size);

/* Strings and small tables that live as long as the arena. */
struct tl_arena {
	struct tl_arena_block *last;
	size_t bytes; /* taken from the system, for memory budgets */
};

void *tl_xarena_alloc(struct tl_arena *a, size_t size); /* 8-byte aligned */
char *tl_xarena_copy(struct tl_arena *a, const char *s, size_t len); /* + NUL */
void tl_arena_free(struct tl_arena *a);

#endif
