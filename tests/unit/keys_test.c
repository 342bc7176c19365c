/* keys.h: the last columns of an event. */
#include "keys.h"

#include "tap.h"

int
main(void)
{
	struct tl_keys k = { .n = 0 };
	char key[16];
	size_t n = 0;
	struct tl_str all;

	tap(tl_xkeys_done(&k).n == 0, "no keys, no columns");
	tl_xkeys_add(&k, "sym", TL_LIT("x"));
	tl_xkeys_add(&k, "bytes", TL_LIT("5"));
	tl_xkeys_add(&k, "empty", (struct tl_str){ "", 0 });
	tl_xkeys_add_i64(&k, "grid", -7);
	tl_xkeys_add(&k, "bytes", TL_LIT("6"));
	tl_xkeys_add(&k, "byte", TL_LIT("a\tb"));
	tl_xkeys_add(&k, "dot", TL_LIT("."));
	tap(tl_str_is(tl_xkeys_done(&k),
	    "byte=a\\tb\tbytes=5\tdot=\\x2E\tgrid=-7\tsym=x"),
	    "sorted, escaped, the first of two, none empty");
	tl_keys_reset(&k);
	tap(tl_xkeys_done(&k).n == 0, "reset empties");
	for (int i = 99; i >= 0; i--) {
		snprintf(key, sizeof key, "k%02d", i);
		tl_xkeys_add(&k, key, TL_LIT("v"));
	}
	all = tl_xkeys_done(&k);
	for (size_t i = 0; i < all.n; i++)
		n += all.p[i] == '=';
	tap(n == 64 && memcmp(all.p, "k36=v\tk37=v\t", 12) == 0,
	    "the first 64 of more");
	tl_keys_free(&k);
	return tap_done();
}
