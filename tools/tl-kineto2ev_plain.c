#include "tl-kineto2ev.h"

#include <string.h>

/*
 * Events as writers spell nearly all of them: strings without a backslash or a
 * control byte, numbers as RFC 8259 has them. yajl decides about all others,
 * so that nothing is taken here that it would not take, or take otherwise.
 */

enum { DEEPEST = 32 };

/* Where a string ends: its quote, or the first byte that is not plain; end if
 * there is none. Eight bytes at a time. */
static const char *
string_end(const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t tops = ones << 7;

	for (; end - p >= 8; p += 8) {
		uint64_t w, quote, slash;

		memcpy(&w, p, 8);
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		/* a byte below 0x20, or one that has become 0 */
		if ((((w - ones * 0x20) & ~w) | ((quote - ones) & ~quote) |
		    ((slash - ones) & ~slash)) & tops)
			break;
	}
	while (p < end && *p != '"' && *p != '\\' &&
	    (unsigned char)*p >= 0x20)
		p++;
	return p;
}

static const char *
digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Where a number ends; NULL where it is none. */
static const char *
number_end(const char *p, const char *end)
{
	const char *q;

	p += *p == '-';
	q = digits(p, end);
	if (q == p || (*p == '0' && q - p > 1))
		return NULL;
	p = q;
	if (p < end && *p == '.') {
		q = digits(p + 1, end);
		if (q == p + 1)
			return NULL;
		p = q;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		q = digits(p, end);
		if (q == p)
			return NULL;
		p = q;
	}
	return p;
}

static inline const char *
space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' ||
	    *p == '\r'))
		p++;
	return p;
}

/* A string or a number at p, or true, false or null; NULL if it is not plain.
 * A key where key is set. */
static const char *
scalar(const char *p, const char *end, bool key, const yajl_callbacks *cb,
    void *ctx)
{
	const char *q;

	if (*p == '"') {
		const unsigned char *s = (const unsigned char *)++p;

		q = string_end(p, end);
		if (q == end || *q != '"')
			return NULL;
		if (key)
			cb->yajl_map_key(ctx, s, (size_t)(q - p));
		else
			cb->yajl_string(ctx, s, (size_t)(q - p));
		return q + 1;
	}
	if (key)
		return NULL;
	if (*p == '-' || (*p >= '0' && *p <= '9')) {
		q = end - p > 1 || *p != '-' ? number_end(p, end) : NULL;
		if (q != NULL)
			cb->yajl_number(ctx, p, (size_t)(q - p));
		return q;
	}
	if (end - p >= 4 && memcmp(p, "null", 4) == 0)
		return cb->yajl_null(ctx) ? p + 4 : NULL;
	if (end - p >= 4 && memcmp(p, "true", 4) == 0)
		return cb->yajl_boolean(ctx, 1) ? p + 4 : NULL;
	if (end - p >= 5 && memcmp(p, "false", 5) == 0)
		return cb->yajl_boolean(ctx, 0) ? p + 5 : NULL;
	return NULL;
}

bool
k_json_plain(struct tl_str text, const yajl_callbacks *cb, void *ctx)
{
	const char *p = text.p, *end = p + text.n;
	bool map[DEEPEST]; /* by depth: an object, not a list */
	int depth = 0;
	bool first = true; /* in its container, of which nothing was read */

	for (;;) {
		p = space(p, end);
		if (p == end)
			return false;
		if (depth > 0 && *p == (map[depth - 1] ? '}' : ']')) {
			if (map[--depth])
				cb->yajl_end_map(ctx);
			else
				cb->yajl_end_array(ctx);
			first = false;
			p++;
			if (depth == 0)
				return space(p, end) == end;
			continue;
		}
		if (!first) {
			/* what follows a comma is no end */
			if (*p != ',' || (p = space(p + 1, end)) == end ||
			    *p == '}' || *p == ']')
				return false;
		}
		if (depth > 0 && map[depth - 1]) {
			p = scalar(p, end, true, cb, ctx);
			if (p == NULL || (p = space(p, end)) == end ||
			    *p != ':' || (p = space(p + 1, end)) == end)
				return false;
		}
		first = *p == '{' || *p == '[';
		if (!first) {
			p = depth == 0 ? NULL : scalar(p, end, false, cb,
			    ctx);
			if (p == NULL)
				return false;
			continue;
		}
		if (depth == DEEPEST)
			return false;
		map[depth++] = *p == '{';
		if (*p++ == '{')
			cb->yajl_start_map(ctx);
		else
			cb->yajl_start_array(ctx);
	}
}
