/* esc.h: UTF-8 and the one spelling of text. */
#include "esc.h"

#include <stdint.h>
#include <stdlib.h>

#include "tap.h"


/* RFC 3629, the other way round: from code point to bytes. */
static size_t
encode(unsigned char *s, uint32_t c)
{
	if (c < 0x80) {
		s[0] = (unsigned char)c;
		return 1;
	}
	if (c < 0x800) {
		s[0] = (unsigned char)(0xc0 | c >> 6);
		s[1] = (unsigned char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		s[0] = (unsigned char)(0xe0 | c >> 12);
		s[1] = (unsigned char)(0x80 | (c >> 6 & 63));
		s[2] = (unsigned char)(0x80 | (c & 63));
		return 3;
	}
	s[0] = (unsigned char)(0xf0 | c >> 18);
	s[1] = (unsigned char)(0x80 | (c >> 12 & 63));
	s[2] = (unsigned char)(0x80 | (c >> 6 & 63));
	s[3] = (unsigned char)(0x80 | (c & 63));
	return 4;
}

static size_t
utf8(const unsigned char *s, size_t n)
{
	return tl_utf8_len((const char *)s, n);
}

static void
test_utf8(void)
{
	unsigned char s[4];
	size_t n2 = 0, n3 = 0, n4 = 0;
	bool all = true, cut = true;

	for (uint32_t c = 0; c < 0x110000; c++) {
		size_t n = encode(s, c);

		all &= utf8(s, n) == (c >= 0xd800 && c < 0xe000 ? 0 : n);
		if (n > 1)
			cut &= utf8(s, n - 1) == 0;
	}
	tap(all, "every code point but surrogates is UTF-8");
	tap(cut, "a sequence without its last byte is none");
	for (uint32_t v = 0; v < 1U << 24; v++) {
		s[0] = (unsigned char)(v >> 16);
		s[1] = (unsigned char)(v >> 8);
		s[2] = (unsigned char)v;
		s[3] = 0x80;
		if (s[2] == 0)
			n2 += utf8(s, 2) == 2;
		n3 += utf8(s, 3) == 3;
		n4 += utf8(s, 4) == 4;
	}
	/* U+0080 to U+07FF; U+0800 to U+FFFF without 2048 surrogates; of
	 * U+10000 to U+10FFFF every 64th */
	tap(n2 == 1920, "1920 sequences of two bytes (%zu)", n2);
	tap(n3 == 61440, "61440 of three (%zu)", n3);
	tap(n4 == 16384, "16384 of four that end in 80 (%zu)", n4);
}

static void
test_forms(void)
{
	static const struct {
		const char *raw;
		const char *text;
	} t[] = {
		{ "plain text", "plain text" }, { "a\tb", "a\\tb" },
		{ "a\nb", "a\\nb" }, { "a\\b", "a\\\\b" },
		{ "a\rb", "a\\x0Db" }, { "\x01\x1f\x7f", "\\x01\\x1F\\x7F" },
		{ ".", "\\x2E" }, { "..", ".." }, { ".a", ".a" },
		{ "\xc3\xa9", "\xc3\xa9" }, { "\xc3", "\\xC3" },
		{ "\xc3(", "\\xC3(" }, { "\xff\xfe", "\\xFF\\xFE" },
		{ "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xe2\x82", "\\xE2\\x82" },
		{ "\xe2\xc3\xa9", "\\xE2\xc3\xa9" },
		{ "\xed\xa0\x80", "\\xED\\xA0\\x80" },
		{ "\"'=#", "\"'=#" },
	};
	char out[64];
	struct tl_err err = { .off = 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		size_t n = tl_esc(out, t[i].raw, strlen(t[i].raw));
		struct tl_str got = { out, n };

		tap(tl_str_is(got, t[i].text), "'%s' is written so",
		    t[i].text);
		tap(tl_esc_check(out, n, &err) == TL_OK, "... and is right");
		tap(tl_unesc(out, out, n) == strlen(t[i].raw) &&
		    memcmp(out, t[i].raw, strlen(t[i].raw)) == 0,
		    "... and comes back, in place");
		tap(tl_esc_clean(t[i].raw, strlen(t[i].raw)) ==
		    (strcmp(t[i].raw, t[i].text) == 0 ||
		    strcmp(t[i].raw, ".") == 0), "... and is clean or not");
	}
	out[0] = '\0';
	tap(tl_esc(out + 1, out, 1) == 4 && memcmp(out + 1, "\\x00", 4) == 0,
	    "NUL is \\x00");
}

static void
test_wrong(void)
{
	static const struct {
		const char *text;
		size_t off;
	} t[] = {
		{ "a\\", 1 }, { "\\r", 0 }, { "ab\\x1", 2 }, { "\\x1f", 0 },
		{ "\\x09", 0 }, { "\\x0A", 0 }, { "\\x5C", 0 },
		{ "\\x41", 0 }, { "a\\x2E", 1 }, { "\\x2Ea", 0 },
		{ "\\xC3\\xA9", 0 }, { "x\\xE2\\x82\\xAC", 1 },
		{ "\\xE2\\xC3\\xA9", 4 }, { "\xff", 0 }, { "a\xc3", 1 },
		{ "a\tb", 1 }, { "\x7f", 0 }, { "\\\\\\", 2 },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct tl_err err = { .off = 99 };

		tap(tl_esc_check(t[i].text, strlen(t[i].text), &err) ==
		    TL_ERR && err.off == t[i].off, "wrong: '%s' at %zu (%zu)",
		    t[i].text, t[i].off, (size_t)err.off);
	}
}

/* Any bytes come back, their form is right, and no other form of them is. */
static void
test_random(void)
{
	static const char alphabet[] = "\\\\\\xxtn0123456789ABCDEFCA.\xc3\xa9"
	    "\xe2\x82\xac\xf0\x9f\xed\x80\x01\x7f a";
	uint64_t seed = 12345;
	bool back = true, right = true, one = true;

	for (int i = 0; i < 300000; i++) {
		char raw[16], text[64], again[64], copy[64];
		size_t n, m, k;
		struct tl_err err = { .off = 0 };

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		n = 1 + (size_t)(seed >> 60);
		for (size_t j = 0; j < n; j++) {
			seed = seed * 6364136223846793005U +
			    1442695040888963407U;
			raw[j] = i % 2 ? (char)(seed >> 40) :
			    alphabet[(seed >> 40) % (sizeof alphabet - 1)];
		}
		m = tl_esc(text, raw, n);
		memcpy(copy, text, m);
		k = tl_unesc(copy, copy, m);
		back &= k == n && memcmp(copy, raw, n) == 0;
		right &= tl_esc_check(text, m, &err) == TL_OK;
		/* raw taken for a text */
		if (tl_esc_check(raw, n, &err) == TL_OK &&
		    !tl_str_none((struct tl_str){ raw, n })) {
			k = tl_unesc(copy, raw, n);
			m = tl_esc(again, copy, k);
			one &= m == n && memcmp(again, raw, n) == 0;
		}
	}
	tap(back, "random bytes come back");
	tap(right, "the form of random bytes is right");
	tap(one, "a right text is the form of what it stands for");
}

static void
test_quote(void)
{
	char buf[TL_QUOTE_SIZE], small[8];
	char many[200];

	memset(many, 'a', sizeof many);
	tap(strcmp(tl_quote(buf, sizeof buf, "a\tb\n\\", 5),
	    "a\\x09b\\x0A\\x5C") == 0, "quote shows control bytes");
	tap(strcmp(tl_quote(buf, sizeof buf, "\xc3\xa9\xff", 3),
	    "\xc3\xa9\\xFF") == 0, "quote keeps UTF-8, shows other bytes");
	tl_quote(buf, sizeof buf, many, sizeof many);
	tap(strlen(buf) == 83 && strcmp(buf + 80, "...") == 0,
	    "quote cuts at 80 bytes");
	tap(strlen(tl_quote(buf, sizeof buf, many, 80)) == 80,
	    "quote does not cut 80 bytes");
	memcpy(many + 78, "\xe2\x82\xac", 3);
	tl_quote(buf, sizeof buf, many, sizeof many);
	tap(strlen(buf) == 81 && strcmp(buf + 78, "...") == 0,
	    "quote does not cut within a character");
	tap(strlen(tl_quote(small, sizeof small, many, sizeof many)) < 8,
	    "quote in a small buffer");
	tap(*tl_quote(buf, sizeof buf, "", 0) == '\0', "quote of nothing");
}

int
main(void)
{
	test_utf8();
	test_forms();
	test_wrong();
	test_random();
	test_quote();
	return tap_done();
}
