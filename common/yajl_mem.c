#include "yajl_mem.h"

#include <stdlib.h>

#include "mem.h"

static void *
y_malloc(void *ctx, size_t n)
{
	(void)ctx;
	return tl_xmalloc(n);
}

static void *
y_realloc(void *ctx, void *p, size_t n)
{
	(void)ctx;
	return tl_xreallocarray(p, n, 1);
}

static void
y_free(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

yajl_alloc_funcs tl_yajl_mem = { y_malloc, y_realloc, y_free, NULL };
