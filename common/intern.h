#ifndef TL_INTERN_H
#define TL_INTERN_H

#include <stdint.h>

#include "mem.h"
#include "str.h"

/* A set of strings: equal text gives the same small number, 0, 1, 2 ... in
 * order of first sight. Zero-initialise, free with tl_intern_free. */
struct tl_intern {
	struct tl_arena arena;
	struct tl_str *str; /* by id */
	uint32_t *slot;     /* open addressing; id + 1, 0 free */
	uint64_t *hash;     /* by id */
	size_t n, cap, n_slots;
};

/* Number of the text, copied into the set if it is new. */
uint32_t tl_xintern(struct tl_intern *t, struct tl_str s);

/* Number of the text, UINT32_MAX if it is not there. */
uint32_t tl_intern_find(const struct tl_intern *t, struct tl_str s);

/* Text of a number; NUL-terminated, valid as long as the set. */
struct tl_str tl_intern_str(const struct tl_intern *t, uint32_t id);

/* Bytes held, for memory budgets. */
size_t tl_intern_bytes(const struct tl_intern *t);

void tl_intern_free(struct tl_intern *t);

/* 64-bit hash of bytes, the same on every machine and in every run. */
uint64_t tl_hash(const char *p, size_t n);

#endif
