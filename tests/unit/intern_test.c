/* intern.h: equal text, equal number. */
#include "intern.h"

#include "tap.h"

int
main(void)
{
	struct tl_intern t = { .n = 0 };
	char s[32];
	bool ok = true;
	const uint32_t n = 100000;

	tap(tl_intern_find(&t, TL_LIT("a")) == UINT32_MAX,
	    "an empty set has nothing");
	for (uint32_t i = 0; i < n; i++) {
		int len = snprintf(s, sizeof s, "%" PRIu32, i * 7919);

		ok &= tl_xintern(&t, (struct tl_str){ s, (size_t)len }) == i;
	}
	tap(ok, "numbers are given in order of first sight");
	ok = true;
	for (uint32_t i = 0; i < n; i++) {
		int len = snprintf(s, sizeof s, "%" PRIu32, i * 7919);
		struct tl_str text = { s, (size_t)len };

		ok &= tl_xintern(&t, text) == i &&
		    tl_intern_find(&t, text) == i &&
		    tl_str_eq(tl_intern_str(&t, i), text) &&
		    tl_intern_str(&t, i).p[len] == '\0';
	}
	tap(ok && t.n == n, "and found again");
	tap(tl_intern_find(&t, TL_LIT("1x")) == UINT32_MAX, "others are not");
	tap(tl_xintern(&t, (struct tl_str){ "", 0 }) == n &&
	    tl_xintern(&t, (struct tl_str){ "a\0b", 3 }) == n + 1 &&
	    tl_xintern(&t, (struct tl_str){ "a\0c", 3 }) == n + 2 &&
	    tl_xintern(&t, (struct tl_str){ "a", 1 }) == n + 3 &&
	    tl_xintern(&t, (struct tl_str){ "a\0b", 3 }) == n + 1 &&
	    tl_xintern(&t, (struct tl_str){ NULL, 0 }) == n,
	    "empty text and NUL bytes count");
	tl_intern_free(&t);
	tap(t.n == 0 && tl_xintern(&t, TL_LIT("z")) == 0, "free empties");
	tl_intern_free(&t);
	return tap_done();
}
