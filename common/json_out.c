#include "json_out.h"

#include <stdlib.h>

#include "esc.h"
#include "io.h"
#include "mem.h"
#include "num.h"

/* Room for the longest thing written at once: a number with what goes before
 * it. */
#define ROOM ((size_t)64)
#define CAP ((size_t)TL_BUFSZ + ROOM)

/* Integers above this are not exact in a double. */
#define EXACT ((uint64_t)1 << 53)

void
tl_xjson_open(struct tl_json *j,
    void (*put)(void *ctx, const char *p, size_t n), void *ctx)
{
	*j = (struct tl_json){ .put = put, .ctx = ctx };
	j->buf = tl_xmalloc(CAP);
}

static void
flush(struct tl_json *j)
{
	if (j->len > 0)
		j->put(j->ctx, j->buf, j->len);
	j->len = 0;
}

void
tl_xjson_close(struct tl_json *j)
{
	flush(j);
	free(j->buf);
	j->buf = NULL;
}

/* Makes sure that ROOM bytes fit. */
static inline char *
room(struct tl_json *j)
{
	if (j->len >= TL_BUFSZ)
		flush(j);
	return j->buf + j->len;
}

static inline void
byte(struct tl_json *j, char c)
{
	*room(j) = c;
	j->len++;
}

static void
bytes(struct tl_json *j, const char *p, size_t n)
{
	while (n > 0) {
		char *to = room(j);
		size_t k = CAP - j->len;

		if (k > n)
			k = n;
		memcpy(to, p, k);
		j->len += k;
		p += k;
		n -= k;
	}
}

static inline void
comma(struct tl_json *j)
{
	if (j->comma)
		byte(j, ',');
	j->comma = true;
}

void
tl_xjson_begin(struct tl_json *j, char bracket)
{
	comma(j);
	byte(j, bracket);
	j->comma = false;
}

void
tl_xjson_end(struct tl_json *j, char bracket)
{
	byte(j, bracket);
	j->comma = true;
}

void
tl_xjson_line(struct tl_json *j)
{
	if (j->comma)
		byte(j, ',');
	byte(j, '\n');
	j->comma = false;
}

void
tl_xjson_key(struct tl_json *j, struct tl_str key)
{
	comma(j);
	byte(j, '"');
	bytes(j, key.p, key.n);
	bytes(j, "\":", 2);
	j->comma = false;
}

void
tl_xjson_key_text(struct tl_json *j, const char *before, struct tl_str text)
{
	tl_xjson_str(j);
	tl_xjson_str_puts(j, before);
	tl_xjson_str_text(j, text);
	tl_xjson_str_end(j);
	byte(j, ':');
	j->comma = false;
}

void
tl_xjson_u64(struct tl_json *j, uint64_t v)
{
	comma(j);
	j->len += tl_num_put_u64(room(j), v);
}

void
tl_xjson_i64(struct tl_json *j, int64_t v)
{
	comma(j);
	j->len += tl_num_put_i64(room(j), v);
}

void
tl_xjson_exact(struct tl_json *j, int64_t v)
{
	if (v > -(int64_t)EXACT && v < (int64_t)EXACT) {
		tl_xjson_i64(j, v);
		return;
	}
	tl_xjson_str(j);
	j->len += tl_num_put_i64(room(j), v);
	tl_xjson_str_end(j);
}

void
tl_xjson_us(struct tl_json *j, uint64_t ns)
{
	unsigned below = (unsigned)(ns % 1000);
	char *p;

	comma(j);
	p = room(j);
	p += tl_num_put_u64(p, ns / 1000);
	*p++ = '.';
	*p++ = (char)('0' + below / 100);
	*p++ = (char)('0' + below / 10 % 10);
	*p++ = (char)('0' + below % 10);
	j->len = (size_t)(p - j->buf);
}

void
tl_xjson_number(struct tl_json *j, struct tl_str s)
{
	comma(j);
	bytes(j, s.p, s.n);
}

static size_t
digits(struct tl_str s, size_t i)
{
	size_t from = i;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i - from;
}

bool
tl_json_is_number(struct tl_str s)
{
	size_t i = s.n > 0 && s.p[0] == '-', n = digits(s, i);

	if (n == 0 || (n > 1 && s.p[i] == '0'))
		return false;
	i += n;
	if (i < s.n && s.p[i] == '.') {
		n = digits(s, ++i);
		if (n == 0)
			return false;
		i += n;
	}
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i++;
		if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
			i++;
		n = digits(s, i);
		if (n == 0)
			return false;
		i += n;
	}
	return i == s.n;
}

void
tl_xjson_str(struct tl_json *j)
{
	comma(j);
	byte(j, '"');
}

void
tl_xjson_str_end(struct tl_json *j)
{
	byte(j, '"');
}

void
tl_xjson_str_puts(struct tl_json *j, const char *s)
{
	bytes(j, s, strlen(s));
}

void
tl_xjson_str_u64(struct tl_json *j, uint64_t v)
{
	j->len += tl_num_put_u64(room(j), v);
}

/* Every byte of w, set to 0x80 where the byte is below n (at most 0x80). */
#define ONES (UINT64_MAX / 255)
#define BELOW(w, n) (((w) - ONES * (n)) & ~(w) & ONES * 0x80)

/* Length of the part of s that can be written as it is: printable ASCII
 * without quote and backslash. */
static size_t
plain_len(const char *s, size_t n)
{
	size_t i = 0;

	/* eight at a time: the tests can err only on the safe side */
	for (; n - i >= 8; i += 8) {
		uint64_t w;

		memcpy(&w, s + i, 8);
		if ((BELOW(w, 0x20) | BELOW(w ^ ONES * '"', 1) |
		    BELOW(w ^ ONES * '\\', 1) | BELOW(w ^ ONES * 0x7f, 1) |
		    (w & ONES * 0x80)) != 0)
			break;
	}
	for (; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			break;
	}
	return i;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

static void
hex_byte(struct tl_json *j, unsigned char c)
{
	static const char hex[] = "0123456789ABCDEF";

	bytes(j, "\\\\x", 3);
	byte(j, hex[c >> 4]);
	byte(j, hex[c & 15]);
}

/* Writes what stands at s[0..n) and can't be written as it is; returns how
 * many bytes that was. */
static size_t
odd(struct tl_json *j, const char *s, size_t n)
{
	size_t u;

	if (*s == '"') {
		bytes(j, "\\\"", 2);
		return 1;
	}
	if (*s == '\\') {
		if (n > 1 && (s[1] == 't' || s[1] == 'n' || s[1] == '\\')) {
			bytes(j, s, 2);
			return 2;
		}
		bytes(j, "\\\\", 2);
		if (n < 4 || s[1] != 'x' || !is_hex(s[2]) || !is_hex(s[3]))
			return 1;
		bytes(j, s + 1, 3);
		return 4;
	}
	u = tl_utf8_len(s, n);
	if (u < 2) {
		hex_byte(j, (unsigned char)*s);
		return 1;
	}
	bytes(j, s, u);
	return u;
}

void
tl_xjson_str_text(struct tl_json *j, struct tl_str text)
{
	if (tl_str_is(text, "\\x2E"))
		text = TL_LIT(".");
	while (text.n > 0) {
		size_t n = plain_len(text.p, text.n);

		bytes(j, text.p, n);
		if (n < text.n)
			n += odd(j, text.p + n, text.n - n);
		text.p += n;
		text.n -= n;
	}
}

void
tl_xjson_text(struct tl_json *j, struct tl_str text)
{
	tl_xjson_str(j);
	tl_xjson_str_text(j, text);
	tl_xjson_str_end(j);
}

void
tl_xjson_token(struct tl_json *j, struct tl_str text)
{
	uint64_t v;

	if (text.n <= 16 && tl_num_str_u64(text, &v) && v < EXACT)
		tl_xjson_number(j, text);
	else
		tl_xjson_text(j, text);
}
