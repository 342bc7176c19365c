/* spool.h: pieces come back as they were, from memory and from a file. */
#include "spool.h"

#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "tap.h"

/* Piece i: its length and bytes follow from i; some are long. */
static size_t
make(char *buf, unsigned i)
{
	size_t n = i % 1000 == 999 ? 300000 : i * 7919U % 200;

	for (size_t k = 0; k < n; k++)
		buf[k] = (char)(i + k);
	return n;
}

static bool
same(struct tl_spool *s, unsigned count)
{
	char *buf = tl_xmalloc(300000);
	struct tl_str piece;
	bool ok = true;

	for (unsigned i = 0; i < count && ok; i++) {
		size_t n = make(buf, i);

		ok = tl_xspool_next(s, &piece) && piece.n == n &&
		    memcmp(piece.p, buf, n) == 0;
	}
	ok = ok && !tl_xspool_next(s, &piece) && !tl_xspool_next(s, &piece);
	free(buf);
	return ok;
}

static void
test(uint64_t budget, unsigned count)
{
	struct tl_spool *s = tl_xspool_new(budget);
	char *buf = tl_xmalloc(300000);
	struct tl_str piece;

	for (unsigned i = 0; i < count; i++)
		tl_xspool_add(s, (struct tl_str){ buf, make(buf, i) });
	tap(same(s, count), "%u pieces, budget %llu", count,
	    (unsigned long long)budget);
	tl_xspool_rewind(s);
	tap(same(s, count), "once more");
	tl_xspool_rewind(s);
	for (unsigned i = 0; i < count / 3; i++)
		(void)tl_xspool_next(s, &piece);
	tl_xspool_rewind(s);
	tap(same(s, count), "after a third of them");
	tl_spool_free(s);
	free(buf);
}

int
main(void)
{
	test(1 << 20, 0);
	test(1 << 20, 1);
	test(UINT64_MAX, 20000);
	test(1 << 20, 20000);
	test(1, 3000);
	return tap_done();
}
