/* json_out.h: numbers, text of a stream, commas. */
#include "json_out.h"

#include <stdio.h>

#include "tap.h"

static char got[1 << 16];
static size_t n_got;

static void
take(void *ctx, const char *p, size_t n)
{
	(void)ctx;
	memcpy(got + n_got, p, n);
	n_got += n;
}

static void
start(struct tl_json *j)
{
	n_got = 0;
	tl_xjson_open(j, take, NULL);
}

static bool
is(struct tl_json *j, const char *want)
{
	tl_xjson_close(j);
	got[n_got] = '\0';
	if (strcmp(got, want) == 0)
		return true;
	printf("# got %s, not %s\n", got, want);
	return false;
}

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

static void
test_text(void)
{
	static const struct {
		const char *text, *json;
	} v[] = {
		{ "abc", "\"abc\"" },
		{ "a\"b", "\"a\\\"b\"" },
		{ "a\\\\b", "\"a\\\\b\"" },
		{ "a\\tb\\n", "\"a\\tb\\n\"" },
		{ "\\x1B[0m", "\"\\\\x1B[0m\"" },
		{ "\\x2E", "\".\"" },
		{ "a\\x2E", "\"a\\\\x2E\"" },
		{ "gr\xc3\xb6\xc3\x9f" "e \xf0\x9f\x98\x80",
		    "\"gr\xc3\xb6\xc3\x9f" "e \xf0\x9f\x98\x80\"" },
		/* what no stream should have */
		{ "a\xff", "\"a\\\\xFF\"" },
		{ "\xed\xa0\x80", "\"\\\\xED\\\\xA0\\\\x80\"" },
		{ "a\001b\177", "\"a\\\\x01b\\\\x7F\"" },
		{ "a\tb", "\"a\\\\x09b\"" },
		{ "end\\", "\"end\\\\\"" },
		{ "\\q", "\"\\\\q\"" },
		{ "\\x1", "\"\\\\x1\"" },
		{ "\\x1g", "\"\\\\x1g\"" },
		{ "/<>&", "\"/<>&\"" },
	};
	struct tl_json j;

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		start(&j);
		tl_xjson_text(&j, str(v[i].text));
		tap(is(&j, v[i].json), "text %s", v[i].json);
	}
}

/* A byte that needs something done, at each place of a text of each length up
 * to three words. */
static void
test_places(void)
{
	static const char odd[] = "\"\\\001\037\177\x80\xff";
	struct tl_json j;
	size_t bad = 0;

	for (size_t n = 1; n <= 24; n++) {
		for (size_t at = 0; at < n; at++) {
			for (size_t k = 0; k < sizeof odd - 1; k++) {
				char text[24], want[40];
				size_t m = 0;

				memset(text, '~', n);
				text[at] = odd[k];
				want[m++] = '"';
				memset(want + m, '~', at);
				m += at;
				m += (size_t)(k < 2 ?
				    sprintf(want + m, "\\%c", odd[k]) :
				    sprintf(want + m, "\\\\x%02X",
				    (unsigned char)odd[k]));
				memset(want + m, '~', n - at - 1);
				m += n - at - 1;
				strcpy(want + m, "\"");
				start(&j);
				tl_xjson_text(&j, (struct tl_str){ text, n });
				bad += !is(&j, want);
			}
		}
	}
	tap(bad == 0, "one odd byte at each place: %zu bad", bad);
}

static void
test_numbers(void)
{
	static const struct {
		uint64_t ns;
		const char *us;
	} us[] = {
		{ 0, "0.000" }, { 1, "0.001" }, { 999, "0.999" },
		{ 1000, "1.000" }, { 20250, "20.250" },
		{ 1712195495519689047U, "1712195495519689.047" },
		{ UINT64_MAX, "18446744073709551.615" },
	};
	static const char *const good[] = { "0", "-0", "1", "-1.5", "0.5",
		"1e5", "1E+5", "1.25e-3", "123456789012345678901234567890" };
	static const char *const bad[] = { "", "-", "01", "1.", ".5", "1e",
		"+1", "nan", "inf", "1 ", "0x1", "--1", "1e+", "1.5.5" };
	static const struct {
		const char *text, *json;
	} token[] = {
		{ "7", "7" }, { "0", "0" }, { "007", "\"007\"" },
		{ "9007199254740991", "9007199254740991" },
		{ "9007199254740992", "\"9007199254740992\"" },
		{ "-1", "\"-1\"" }, { "1.5", "\"1.5\"" }, { ".", "\".\"" },
	};
	struct tl_json j;

	for (size_t i = 0; i < sizeof us / sizeof *us; i++) {
		start(&j);
		tl_xjson_us(&j, us[i].ns);
		tap(is(&j, us[i].us), "%s us", us[i].us);
	}
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		tap(tl_json_is_number(str(good[i])), "number %s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap(!tl_json_is_number(str(bad[i])), "no number '%s'", bad[i]);
	for (size_t i = 0; i < sizeof token / sizeof *token; i++) {
		start(&j);
		tl_xjson_token(&j, str(token[i].text));
		tap(is(&j, token[i].json), "token %s", token[i].text);
	}
	start(&j);
	tl_xjson_begin(&j, '[');
	tl_xjson_exact(&j, INT64_MIN);
	tl_xjson_exact(&j, -9007199254740991);
	tl_xjson_i64(&j, -1);
	tl_xjson_u64(&j, UINT64_MAX);
	tl_xjson_end(&j, ']');
	tap(is(&j, "[\"-9223372036854775808\",-9007199254740991,-1,"
	    "18446744073709551615]"), "integers");
}

static void
test_form(void)
{
	struct tl_json j;

	start(&j);
	tl_xjson_begin(&j, '[');
	tl_xjson_line(&j);
	tl_xjson_begin(&j, '{');
	TL_XJSON_KEY(&j, "a");
	tl_xjson_begin(&j, '{');
	tl_xjson_end(&j, '}');
	tl_xjson_key_text(&j, "key.", str("b\\t"));
	tl_xjson_str(&j);
	tl_xjson_str_puts(&j, "x");
	tl_xjson_str_u64(&j, 7);
	tl_xjson_str_end(&j);
	TL_XJSON_KEY(&j, "c");
	tl_xjson_number(&j, str("-1e5"));
	tl_xjson_end(&j, '}');
	tl_xjson_line(&j);
	tl_xjson_begin(&j, '{');
	tl_xjson_end(&j, '}');
	tl_xjson_end(&j, ']');
	tap(is(&j, "[\n{\"a\":{},\"key.b\\t\":\"x7\",\"c\":-1e5},\n{}]"),
	    "objects, arrays, lines");
}

int
main(void)
{
	test_text();
	test_places();
	test_numbers();
	test_form();
	return tap_done();
}
