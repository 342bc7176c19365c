#include "tl-import.h"

#include <stdlib.h>

#include "esc.h"
#include "num.h"

static char *
room(struct imp_buf *b, size_t more)
{
	if (b->cap - b->n < more) {
		b->cap = (b->n + more) * 2;
		b->p = tl_xreallocarray(b->p, b->cap, 1);
	}
	return b->p + b->n;
}

void
imp_xput(struct imp_buf *b, const char *p, size_t n)
{
	if (n == 0)
		return;
	memcpy(room(b, n), p, n);
	b->n += n;
}

void
imp_xputstr(struct imp_buf *b, struct tl_str s)
{
	imp_xput(b, s.p, s.n);
}

void
imp_xu64(struct imp_buf *b, uint64_t v)
{
	char *p = room(b, 20);

	b->n += tl_num_put_u64(p, v);
}

void
imp_xi64(struct imp_buf *b, int64_t v)
{
	char *p = room(b, 20);

	b->n += tl_num_put_i64(p, v);
}

static char *
hex(char *p, unsigned v, int digits, const char *set)
{
	while (digits-- > 0)
		*p++ = set[v >> (4 * digits) & 15];
	return p;
}

static char *
unicode(char *p, unsigned v)
{
	static const char set[] = "0123456789abcdef";

	*p++ = '\\';
	*p++ = 'u';
	return hex(p, v, 4, set);
}

static unsigned
decode(const unsigned char *s, size_t n)
{
	unsigned v = n == 2 ? s[0] & 31U : n == 3 ? s[0] & 15U : s[0] & 7U;

	for (size_t i = 1; i < n; i++)
		v = v << 6 | (s[i] & 63U);
	return v;
}

/* One character that is not plain, n bytes of UTF-8, 0 if it is none. */
static char *
special(char *p, const unsigned char *s, size_t n)
{
	static const char from[] = "\n\r\t\b\f\"\\", to[] = "nrtbf\"\\";
	const char *at = n == 1 ? memchr(from, *s, 7) : NULL;
	unsigned v;

	if (n == 0) {
		memcpy(p, "\\\\x", 3);
		return hex(p + 3, *s, 2, "0123456789ABCDEF");
	}
	if (at != NULL) {
		*p++ = '\\';
		*p++ = to[at - from];
		return p;
	}
	v = n == 1 ? *s : decode(s, n);
	if (v < 0x10000)
		return unicode(p, v);
	v -= 0x10000;
	p = unicode(p, 0xd800 + (v >> 10));
	return unicode(p, 0xdc00 + (v & 0x3ff));
}

void
imp_xstr(struct imp_buf *b, struct tl_str raw)
{
	const unsigned char *s = (const unsigned char *)raw.p;
	char *begin = room(b, 6 * raw.n + 2), *p = begin;

	*p++ = '"';
	for (size_t i = 0; i < raw.n;) {
		size_t n;

		if (s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' &&
		    s[i] != '\\') {
			*p++ = (char)s[i++];
			continue;
		}
		n = tl_utf8_len(raw.p + i, raw.n - i);
		p = special(p, s + i, n);
		i += n == 0 ? 1 : n;
	}
	*p++ = '"';
	b->n += (size_t)(p - begin);
}

void
imp_xtext(struct imp_buf *b, struct tl_str raw)
{
	if (raw.n == 0)
		imp_xputs(b, "null");
	else
		imp_xstr(b, raw);
}

struct tl_str
imp_xraw(struct tl_arena *a, struct tl_str esc)
{
	char *p;

	if (esc.p == NULL || esc.n == 0 || tl_str_none(esc))
		return (struct tl_str){ "", 0 };
	p = tl_xarena_copy(a, esc.p, esc.n);
	esc.n = tl_unesc(p, esc.p, esc.n);
	p[esc.n] = '\0';
	return (struct tl_str){ p, esc.n };
}
