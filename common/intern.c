#include "intern.h"

#include <stdlib.h>

#include "err.h"

/* Words of eight bytes, multiplied and folded; nothing here depends on the
 * machine's byte order for equality, and order of output never depends on a
 * hash. */
uint64_t
tl_hash(const char *p, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15U ^ (uint64_t)n;

	while (n > 0) {
		uint64_t w = 0;
		size_t k = n < 8 ? n : 8;

		memcpy(&w, p, k);
		h = (h ^ w) * 0xff51afd7ed558ccdU;
		h ^= h >> 32;
		p += k;
		n -= k;
	}
	return h ^ h >> 29;
}

/* Slot of the text, or the free one where it belongs. */
static size_t
probe(const struct tl_intern *t, struct tl_str s, uint64_t h)
{
	size_t i = (size_t)h & (t->n_slots - 1);

	while (t->slot[i] != 0) {
		uint32_t id = t->slot[i] - 1;

		if (t->hash[id] == h && tl_str_eq(t->str[id], s))
			break;
		i = (i + 1) & (t->n_slots - 1);
	}
	return i;
}

static void
grow(struct tl_intern *t)
{
	t->n_slots = t->n_slots == 0 ? 64 : t->n_slots * 2;
	free(t->slot);
	t->slot = tl_xcalloc(t->n_slots, sizeof *t->slot);
	for (size_t id = 0; id < t->n; id++) {
		size_t i = (size_t)t->hash[id] & (t->n_slots - 1);

		while (t->slot[i] != 0)
			i = (i + 1) & (t->n_slots - 1);
		t->slot[i] = (uint32_t)id + 1;
	}
}

uint32_t
tl_xintern(struct tl_intern *t, struct tl_str s)
{
	uint64_t h = tl_hash(s.p, s.n);
	size_t i;

	if (t->n * 2 >= t->n_slots)
		grow(t);
	i = probe(t, s, h);
	if (t->slot[i] != 0)
		return t->slot[i] - 1;
	if (t->n >= UINT32_MAX - 1)
		tl_die("out of memory: more than %zu distinct names", t->n);
	if (t->n == t->cap) {
		t->cap = t->cap == 0 ? 64 : t->cap * 2;
		t->str = tl_xreallocarray(t->str, t->cap, sizeof *t->str);
		t->hash = tl_xreallocarray(t->hash, t->cap, sizeof *t->hash);
	}
	t->str[t->n] = (struct tl_str){
		tl_xarena_copy(&t->arena, s.p, s.n), s.n
	};
	t->hash[t->n] = h;
	t->slot[i] = (uint32_t)++t->n;
	return (uint32_t)t->n - 1;
}

uint32_t
tl_intern_find(const struct tl_intern *t, struct tl_str s)
{
	if (t->n_slots == 0)
		return UINT32_MAX;
	return t->slot[probe(t, s, tl_hash(s.p, s.n))] - 1;
}

struct tl_str
tl_intern_str(const struct tl_intern *t, uint32_t id)
{
	return t->str[id];
}

size_t
tl_intern_bytes(const struct tl_intern *t)
{
	return t->arena.bytes + t->n_slots * sizeof *t->slot +
	    t->cap * (sizeof *t->str + sizeof *t->hash);
}

void
tl_intern_free(struct tl_intern *t)
{
	tl_arena_free(&t->arena);
	free(t->str);
	free(t->slot);
	free(t->hash);
	*t = (struct tl_intern){ 0 };
}
