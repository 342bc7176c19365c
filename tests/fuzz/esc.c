/* Escapes: any bytes come back, and right text has one spelling. */
#include "esc.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	char *text = malloc(4 * size + 1), *back = malloc(4 * size + 1);
	char quoted[TL_QUOTE_SIZE];
	struct tl_err err = { .off = 0 };
	size_t n, m;

	PROMISE(text != NULL && back != NULL);
	PROMISE(strlen(tl_quote(quoted, sizeof quoted, s, size)) <
	    sizeof quoted);
	n = tl_esc(text, s, size);
	PROMISE(tl_esc_check(text, n, &err) == TL_OK);
	PROMISE(tl_unesc(back, text, n) == size &&
	    memcmp(back, s, size) == 0);
	PROMISE(!tl_esc_clean(s, size) || n == size ||
	    tl_str_none((struct tl_str){ s, size }));
	if (tl_esc_check(s, size, &err) == TL_OK &&
	    !tl_str_none((struct tl_str){ s, size })) {
		m = tl_unesc(back, s, size);
		n = tl_esc(text, back, m);
		PROMISE(n == size && memcmp(text, s, size) == 0);
	} else {
		PROMISE(err.off < size || tl_str_none((struct tl_str){ s,
		    size }));
	}
	free(text);
	free(back);
	return 0;
}
