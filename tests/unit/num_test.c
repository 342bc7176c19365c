/* num.h: integers and decimal microseconds. */
#include "num.h"

#include "tap.h"

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static void
test_u64(void)
{
	static const struct {
		const char *text;
		uint64_t v;
	} good[] = {
		{ "0", 0 }, { "1", 1 }, { "9", 9 }, { "10", 10 },
		{ "1234567890123456789", 1234567890123456789U },
		{ "9999999999999999999", 9999999999999999999U },
		{ "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "01", "00", "a", "1a", "0x1",
		"18446744073709551616", "18446744073709551620",
		"99999999999999999999", "100000000000000000000", "1.0", "-0",
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		tap(tl_num_str_u64(str(good[i].text), &v) && v == good[i].v,
		    "u64 '%s'", good[i].text);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap(!tl_num_str_u64(str(bad[i]), &v), "no u64 '%s'", bad[i]);
}

static void
test_i64(void)
{
	static const struct {
		const char *text;
		int64_t v;
	} good[] = {
		{ "0", 0 }, { "-1", -1 }, { "42", 42 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
	};
	static const char *const bad[] = {
		"", "-", "-0", "--1", "+1", "01", "-01",
		"9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "1e3", ".",
	};
	int64_t v;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		tap(tl_num_str_i64(str(good[i].text), &v) && v == good[i].v,
		    "i64 '%s'", good[i].text);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap(!tl_num_str_i64(str(bad[i]), &v), "no i64 '%s'", bad[i]);
}

/* The pointer stops behind the last digit, and stays where a number fails. */
static void
test_pointer(void)
{
	const char s[] = "120\t7", *p = s;
	uint64_t v;

	tap(tl_num_u64(&p, s + 5, &v) && v == 120 && p == s + 3,
	    "stops at the tab");
	p = s + 1;
	tap(tl_num_u64(&p, s + 2, &v) && v == 2 && p == s + 2,
	    "stops at the end given, not at the text's");
	p = s + 3;
	tap(!tl_num_u64(&p, s + 5, &v) && p == s + 3, "stays on failure");
	p = s;
	tap(!tl_num_u64(&p, s, &v), "nothing is no number");
}

/* Expected values are written out by hand: microseconds times 1000. */
static void
test_us(void)
{
	static const struct {
		const char *text;
		enum tl_num_us how;
		int64_t ns;
	} t[] = {
		{ "1712195495519689.047", TL_NUM_EXACT, 1712195495519689047 },
		{ "0", TL_NUM_EXACT, 0 },
		{ "-0", TL_NUM_EXACT, 0 },
		{ "1", TL_NUM_EXACT, 1000 },
		{ "0.001", TL_NUM_EXACT, 1 },
		{ "-0.001", TL_NUM_EXACT, -1 },
		{ "12.5", TL_NUM_EXACT, 12500 },
		{ "12.50000", TL_NUM_EXACT, 12500 },
		{ "12.", TL_NUM_EXACT, 12000 },
		{ ".5", TL_NUM_EXACT, 500 },
		{ "007", TL_NUM_EXACT, 7000 },
		{ "+7", TL_NUM_EXACT, 7000 },
		{ "1e3", TL_NUM_EXACT, 1000000 },
		{ "1E+3", TL_NUM_EXACT, 1000000 },
		{ "1.5e-3", TL_NUM_CUT, 1 },
		{ "1e-3", TL_NUM_EXACT, 1 },
		{ "1e-4", TL_NUM_CUT, 0 },
		{ "-1e-4", TL_NUM_CUT, 0 },
		{ "123456e-6", TL_NUM_CUT, 123 },
		{ "123000e-6", TL_NUM_EXACT, 123 },
		{ "0e9999999999", TL_NUM_EXACT, 0 },
		{ "1e9999999999", TL_NUM_OVERFLOW, 0 },
		{ "1e-9999999999", TL_NUM_CUT, 0 },
		{ "0.0001", TL_NUM_CUT, 0 },
		{ "0.9999", TL_NUM_CUT, 999 },
		{ "-0.9999", TL_NUM_CUT, -999 },
		{ "9223372036854775.807", TL_NUM_EXACT, INT64_MAX },
		{ "9223372036854775.808", TL_NUM_OVERFLOW, 0 },
		{ "-9223372036854775.808", TL_NUM_EXACT, INT64_MIN },
		{ "-9223372036854775.809", TL_NUM_OVERFLOW, 0 },
		{ "9223372036854775.8079", TL_NUM_CUT, INT64_MAX },
		{ "18446744073709551.616", TL_NUM_OVERFLOW, 0 },
		{ "", TL_NUM_BAD, 0 },
		{ ".", TL_NUM_BAD, 0 },
		{ "-", TL_NUM_BAD, 0 },
		{ "-.", TL_NUM_BAD, 0 },
		{ "1e", TL_NUM_BAD, 0 },
		{ "1e+", TL_NUM_BAD, 0 },
		{ "e3", TL_NUM_BAD, 0 },
		{ "1.2.3", TL_NUM_BAD, 0 },
		{ "0x10", TL_NUM_BAD, 0 },
		{ "nan", TL_NUM_BAD, 0 },
		{ "inf", TL_NUM_BAD, 0 },
		{ " 1", TL_NUM_BAD, 0 },
		{ "1 ", TL_NUM_BAD, 0 },
		{ "1,5", TL_NUM_BAD, 0 },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		int64_t ns = -42;
		enum tl_num_us how = tl_num_us_ns(str(t[i].text), &ns);

		tap(how == t[i].how && (how == TL_NUM_BAD ||
		    how == TL_NUM_OVERFLOW || ns == t[i].ns),
		    "us '%s' is %" PRId64 " ns (%d: %" PRId64 ")", t[i].text,
		    t[i].ns, (int)how, ns);
	}
}

static void
test_size(void)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t v;
	} t[] = {
		{ "0", true, 0 }, { "1", true, 1 }, { "64M", true, 67108864 },
		{ "1K", true, 1024 }, { "2G", true, 2147483648U },
		{ "17179869183G", true, 17179869183U << 30 },
		{ "17179869184G", false, 0 }, { "1T", false, 0 },
		{ "M", false, 0 }, { "", false, 0 }, { "1MM", false, 0 },
		{ "-1", false, 0 }, { "1.5M", false, 0 }, { "1m", false, 0 },
		{ " 1", false, 0 },
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		tap(tl_num_size(t[i].text, &v) == t[i].ok &&
		    (!t[i].ok || v == t[i].v), "size '%s'", t[i].text);
}

/* The C library prints the same. */
static void
test_put(void)
{
	char a[32], b[32];
	bool same = true;
	uint64_t v = 1;

	for (int i = 0; i < 2000; i++) {
		uint64_t u = i < 1100 ? (uint64_t)i : v >> (i % 64);

		snprintf(a, sizeof a, "%" PRIu64, u);
		b[tl_num_put_u64(b, u)] = '\0';
		same &= strcmp(a, b) == 0;
		snprintf(a, sizeof a, "%" PRId64, (int64_t)u);
		b[tl_num_put_i64(b, (int64_t)u)] = '\0';
		same &= strcmp(a, b) == 0;
		v = v * 6364136223846793005U + 1442695040888963407U;
	}
	tap(same, "put is what printf prints");
	b[tl_num_put_i64(b, INT64_MIN)] = '\0';
	tap(strcmp(b, "-9223372036854775808") == 0, "put INT64_MIN");
	b[tl_num_put_u64(b, UINT64_MAX)] = '\0';
	tap(strcmp(b, "18446744073709551615") == 0, "put UINT64_MAX");
}

int
main(void)
{
	test_u64();
	test_i64();
	test_pointer();
	test_us();
	test_size();
	test_put();
	return tap_done();
}
