#include "esc.h"

#include <stdint.h>

size_t
tl_utf8_len(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n;
	uint32_t c, min;

	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	n = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (len < n)
		return 0;
	c = u[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	min = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
	if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

static bool
plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

bool
tl_esc_clean(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t u;

		if (plain((unsigned char)s[i])) {
			i++;
			continue;
		}
		if ((unsigned char)s[i] < 0x80)
			return false;
		u = tl_utf8_len(s + i, len - i);
		if (u == 0)
			return false;
		i += u;
	}
	return true;
}

static size_t
esc_byte(char *out, unsigned char c)
{
	static const char hex[] = "0123456789ABCDEF";

	out[0] = '\\';
	if (c == '\t' || c == '\n' || c == '\\') {
		out[1] = c == '\t' ? 't' : c == '\n' ? 'n' : '\\';
		return 2;
	}
	out[1] = 'x';
	out[2] = hex[c >> 4];
	out[3] = hex[c & 15];
	return 4;
}

size_t
tl_esc(char *out, const char *s, size_t len)
{
	size_t n = 0;

	if (len == 1 && s[0] == '.')
		return esc_byte(out, '.');
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)s[i];
		size_t u;

		if (plain(c)) {
			out[n++] = s[i++];
			continue;
		}
		u = c < 0x80 ? 0 : tl_utf8_len(s + i, len - i);
		if (u == 0) {
			n += esc_byte(out + n, c);
			i++;
			continue;
		}
		memcpy(out + n, s + i, u);
		n += u;
		i += u;
	}
	return n;
}

static unsigned
hex_value(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'A' + 10);
}

size_t
tl_unesc(char *out, const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		if (s[i] != '\\' || i + 1 == len) {
			out[n++] = s[i++];
			continue;
		}
		if (s[i + 1] == 'x' && len - i >= 4) {
			unsigned v = hex_value(s[i + 2]) << 4;

			out[n++] = (char)(v | hex_value(s[i + 3]));
			i += 4;
			continue;
		}
		out[n++] = s[i + 1] == 't' ? '\t' :
		    s[i + 1] == 'n' ? '\n' : '\\';
		i += 2;
	}
	return n;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

static enum tl_status
bad(struct tl_err *err, size_t off, const char *why)
{
	tl_err_set(err, "%s", why);
	err->off = off;
	return TL_ERR;
}

/* Bytes that were written as \xHH must be such that they need it: a run of
 * escaped high bytes that together are UTF-8 has the plain form too. */
static enum tl_status
check_hex(const char *s, size_t len, size_t i, struct tl_err *err)
{
	char raw[4];
	size_t n = 0;
	unsigned char c;

	if (len - i < 4 || !is_hex(s[i + 2]) || !is_hex(s[i + 3]))
		return bad(err, i, "\\x needs two capital hex digits");
	while (n < 4 && i + 4 * n + 4 <= len && s[i + 4 * n] == '\\' &&
	    s[i + 4 * n + 1] == 'x' && is_hex(s[i + 4 * n + 2]) &&
	    is_hex(s[i + 4 * n + 3])) {
		raw[n] = (char)(hex_value(s[i + 4 * n + 2]) << 4 |
		    hex_value(s[i + 4 * n + 3]));
		n++;
	}
	c = (unsigned char)raw[0];
	if (c == '\t' || c == '\n' || (plain(c) && !(c == '.' && len == 4)))
		return bad(err, i, "byte has a shorter form than \\xHH");
	if (c >= 0x80 && tl_utf8_len(raw, n) > 0)
		return bad(err, i, "UTF-8 written as \\xHH");
	if (c == '\\')
		return bad(err, i, "byte has a shorter form than \\xHH");
	return TL_OK;
}

enum tl_status
tl_esc_check(const char *s, size_t len, struct tl_err *err)
{
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)s[i];
		size_t u;

		if (plain(c)) {
			i++;
			continue;
		}
		if (c == '\\') {
			if (i + 1 == len)
				return bad(err, i, "lone backslash");
			if (s[i + 1] == 't' || s[i + 1] == 'n' ||
			    s[i + 1] == '\\') {
				i += 2;
				continue;
			}
			if (s[i + 1] != 'x')
				return bad(err, i, "unknown escape");
			if (check_hex(s, len, i, err) != TL_OK)
				return TL_ERR;
			i += 4;
			continue;
		}
		u = c < 0x80 ? 0 : tl_utf8_len(s + i, len - i);
		if (u == 0)
			return bad(err, i, c < 0x80 ? "control byte" :
			    "byte that is not UTF-8");
		i += u;
	}
	return TL_OK;
}
