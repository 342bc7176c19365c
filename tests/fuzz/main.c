/* A main for the fuzzers' entry points where there is no fuzzer:
 *
 *	main [-n COUNT] FILE...
 *
 * gives each file to the entry point, then COUNT changed copies of each: bytes
 * flipped, pieces cut out, doubled or taken from elsewhere. The changes are the
 * same in every run. */
#include <unistd.h>

#include "fuzz.h"

static uint64_t state = 88172645463325252U;

static size_t
below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n == 0 ? 0 : (size_t)(state % n);
}

/* Changes p[0..n), which has room for 2 * n + 16 bytes; the new length. */
static size_t
change(uint8_t *p, size_t n)
{
	static const char *const bits[] = { "\t", "\n", "\\", "\"", "{", "}",
		"[", "]", ",", ":", "#", ".", "-", "0", "9", "\\x", "\xff",
		"\xc3\xa9", "end", "e9", "\r", "=", "null", "  - " };
	size_t room = 2 * n + 16, times = 1 + below(4);

	while (times-- > 0 && n > 0) {
		size_t at = below(n), len = 1 + below(n - at < 20 ? n - at :
		    20), k;
		const char *bit = bits[below(sizeof bits / sizeof *bits)];

		switch (below(5)) {
		case 0:
			p[at] = (uint8_t)(p[at] ^ 1U << below(8));
			break;
		case 1: /* out */
			memmove(p + at, p + at + len, n - at - len);
			n -= len;
			break;
		case 2: /* a bit in */
			k = strlen(bit);
			if (n + k > room)
				break;
			memmove(p + at + k, p + at, n - at);
			memcpy(p + at, bit, k);
			n += k;
			break;
		case 3: /* a piece from elsewhere over it */
			memmove(p + at, p + below(n - len + 1), len);
			break;
		default: /* twice */
			if (n + len > room)
				break;
			memmove(p + at + len, p + at, n - at);
			n += len;
			break;
		}
	}
	return below(50) == 0 ? below(n) : n;
}

static void
run(const char *path, int count)
{
	FILE *f = fopen(path, "rb");
	size_t cap = (size_t)1 << 21, n;
	uint8_t *data = malloc(cap), *copy;

	PROMISE(f != NULL && data != NULL);
	n = fread(data, 1, cap, f);
	fclose(f);
	copy = malloc(2 * n + 16);
	PROMISE(copy != NULL);
	/* a block of its own size shows reads past the end */
	memcpy(copy, data, n);
	LLVMFuzzerTestOneInput(copy, n);
	for (int i = 0; i < count; i++) {
		uint8_t *exact;
		size_t m;

		memcpy(copy, data, n);
		m = change(copy, n);
		exact = malloc(m > 0 ? m : 1);
		PROMISE(exact != NULL);
		memcpy(exact, copy, m);
		LLVMFuzzerTestOneInput(exact, m);
		free(exact);
	}
	free(copy);
	free(data);
}

int
main(int argc, char *argv[])
{
	int c, count = 0;

	while ((c = getopt(argc, argv, "n:")) != -1)
		if (c == 'n')
			count = atoi(optarg);
	for (int i = optind; i < argc; i++)
		run(argv[i], count);
	return 0;
}
