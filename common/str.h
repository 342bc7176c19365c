#ifndef TL_STR_H
#define TL_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A piece of text that somebody else owns: length-carrying, not terminated. */
struct tl_str {
	const char *p;
	size_t n;
};

#define TL_LIT(s) ((struct tl_str){ "" s, sizeof(s) - 1 })

static inline bool
tl_str_eq(struct tl_str a, struct tl_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
tl_str_is(struct tl_str a, const char *s)
{
	size_t n = strlen(s);

	return a.n == n && memcmp(a.p, s, n) == 0;
}

/* Whether the word occurs in a. */
static inline bool
tl_str_has(struct tl_str a, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= a.n; i++)
		if (memcmp(a.p + i, word, n) == 0)
			return true;
	return false;
}

/* Byte order, a prefix before what it begins. */
static inline int
tl_str_cmp(struct tl_str a, struct tl_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : a.n < b.n ? -1 : a.n > b.n;
}

/* The placeholder for "unknown or none" of the stream. */
static inline bool
tl_str_none(struct tl_str a)
{
	return a.n == 1 && a.p[0] == '.';
}

#endif
