#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

#define BLOCK ((size_t)64 * 1024)

struct tl_arena_block {
	struct tl_arena_block *prev;
	size_t used, cap;
	max_align_t data[];
};

static void *
check(void *p, size_t size)
{
	if (p == NULL)
		tl_die("out of memory: %zu bytes", size);
	return p;
}

void *
tl_xmalloc(size_t size)
{
	return check(malloc(size ? size : 1), size);
}

void *
tl_xcalloc(size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size)
		tl_die("out of memory: %zu times %zu bytes", n, size);
	return check(calloc(n ? n : 1, size ? size : 1), n * size);
}

void *
tl_xreallocarray(void *p, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size)
		tl_die("out of memory: %zu times %zu bytes", n, size);
	return check(realloc(p, n * size > 0 ? n * size : 1), n * size);
}

char *
tl_xmemdup0(const char *s, size_t len)
{
	char *p = tl_xmalloc(len + 1);

	if (len > 0)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *
tl_xstrdup(const char *s)
{
	return tl_xmemdup0(s, strlen(s));
}

void *
tl_xgrow(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = n < 16 ? 16 : n + n / 2;
	return tl_xreallocarray(p, *cap, size);
}

void *
tl_xarena_alloc(struct tl_arena *a, size_t size)
{
	struct tl_arena_block *b = a->last;
	char *p;

	if (size > SIZE_MAX / 2)
		tl_die("out of memory: %zu bytes", size);
	size = (size + 7) & ~(size_t)7;
	if (b == NULL || b->cap - b->used < size) {
		size_t cap = size > BLOCK ? size : BLOCK;

		b = tl_xmalloc(sizeof *b + cap);
		b->prev = a->last;
		b->used = 0;
		b->cap = cap;
		a->last = b;
		a->bytes += sizeof *b + cap;
	}
	p = (char *)b->data + b->used;
	b->used += size;
	return p;
}

char *
tl_xarena_copy(struct tl_arena *a, const char *s, size_t len)
{
	char *p = tl_xarena_alloc(a, len + 1);

	if (len > 0)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void
tl_arena_free(struct tl_arena *a)
{
	while (a->last != NULL) {
		struct tl_arena_block *prev = a->last->prev;

		free(a->last);
		a->last = prev;
	}
	a->bytes = 0;
}
