#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* How far resync and the search for a key look around a place. */
enum { BEHIND = 64, AHEAD = 256 };

enum tl_status
k_scan_open(struct k_scan *s, const char *path, struct tl_err *err)
{
	*s = (struct k_scan){ .eof = false };
	return tl_in_open(&s->in, path, err);
}

void
k_scan_close(struct k_scan *s)
{
	tl_in_close(&s->in);
	free(s->buf);
	s->buf = NULL;
}

uint64_t
k_scan_off(const struct k_scan *s)
{
	return s->base + s->pos;
}

/* More bytes behind end; those before pos may go. False at the end of the
 * input, also where it is damaged. */
static bool
fill(struct k_scan *s)
{
	const char *p;
	size_t n;
	enum tl_status st;

	if (s->eof)
		return false;
	st = tl_in_chunk(&s->in, &p, &n, &s->err);
	s->eof = st != TL_OK;
	s->damaged = st == TL_ERR;
	if (s->eof)
		return false;
	if (s->cap < s->end + n + 8 && s->pos > 0) {
		memmove(s->buf, s->buf + s->pos, s->end - s->pos);
		s->base += s->pos;
		s->end -= s->pos;
		s->pos = 0;
	}
	if (s->cap < s->end + n + 8) {
		s->cap = (s->end + n + 8) * 2;
		s->buf = tl_xreallocarray(s->buf, s->cap, 1);
	}
	memcpy(s->buf + s->end, p, n);
	s->end += n;
	memset(s->buf + s->end, 0, 8);
	return true;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

int
k_scan_peek(struct k_scan *s)
{
	do {
		for (; s->pos < s->end; s->pos++)
			if (!is_space(s->buf[s->pos]))
				return (unsigned char)s->buf[s->pos];
	} while (fill(s));
	return -1;
}

size_t
k_scan_ahead(struct k_scan *s, size_t n)
{
	while (s->end - s->pos < n && fill(s))
		continue;
	return s->end - s->pos;
}

/*
 * The nest: strings and brackets from the first bracket to the one that closes
 * it. Eight bytes at a time, as a 64-bit word in which byte i of the text is
 * bits 8i to 8i+7; a mask has one bit a byte.
 *
 * Where a quote is missing or too many, strings and the rest change places.
 * That is seen at once: letters that cannot stand outside a string, and
 * brackets where no value may begin, make the nest bad.
 */
struct nest {
	uint64_t objects; /* of the open brackets, the last in bit 0: braces */
	unsigned depth;
	unsigned in;      /* all bits within a string, else 0 */
	bool esc;         /* the next byte is escaped */
	bool bad, done;
	bool lax;         /* what stands before is gone */
	size_t list_at;   /* of the list that is open in an object */
	struct k_lists *lists;
};

/* Depth of what is in args. */
enum { ARGS_DEPTH = 2 };

#define ONES 0x0101010101010101U

static inline uint64_t
load8(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
	    (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
	    (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
	    (uint64_t)p[7] << 56;
}

/* The high bits of bytes as a mask. */
static inline unsigned
gather(uint64_t w)
{
	return (unsigned)(((w >> 7 & ONES) * 0x0102040810204080U) >> 56);
}

/* High bit of each byte that is zero. */
static inline uint64_t
zero_bytes(uint64_t w)
{
	const uint64_t low = ONES * 0x7f;

	return ~(((w & low) + low) | w | low);
}

static inline unsigned
lowest_bit(unsigned m)
{
	static const unsigned char at[8] = { 0, 1, 6, 2, 7, 5, 4, 3 };

	return at[((m & (0U - m)) * 0x1d >> 5) & 7];
}

/* True for a byte from 0x40 up that is no bracket and in none of true, false,
 * null, 1E5, nan, inf, Infinity, -nan(ind). */
static bool
is_stray(char c)
{
	return (unsigned char)c >= 0x40 &&
	    strchr("truefalsnEINyid", c) == NULL;
}

static void
close_bracket(struct nest *n, const char *start, const char *p)
{
	struct k_lists *l = n->lists;

	n->bad = (n->objects & 1) != (*p == '}');
	n->objects >>= 1;
	n->done = --n->depth == 0;
	if (n->depth == ARGS_DEPTH && *p == ']' && l->n < K_LISTS) {
		l->list[l->n].at = n->list_at;
		l->list[l->n++].end = (size_t)(p + 1 - start);
	}
}

static void
bracket(struct nest *n, const char *start, const char *p)
{
	const char *q = p - 1;

	if (*p == '}' || *p == ']') {
		close_bracket(n, start, p);
		return;
	}
	if (n->depth == ARGS_DEPTH)
		n->list_at = (size_t)(p - start);
	if (n->depth > 0 && (n->objects & 1) && !n->lax) {
		while (q > start && is_space(*q))
			q--;
		n->bad = *q != ':';
	}
	if (n->depth == 64)
		n->bad = true;
	n->depth++;
	n->objects = n->objects << 1 | (*p == '{');
}

/* One byte. */
static void
step(struct nest *n, const char *start, const char *p)
{
	char c = *p;

	if (n->in) {
		if (n->esc)
			n->esc = false;
		else if (c == '\\')
			n->esc = true;
		else if (c == '"')
			n->in = 0;
	} else if (c == '"') {
		n->in = ~0U;
	} else if (c == '{' || c == '[' || c == '}' || c == ']') {
		bracket(n, start, p);
	} else if (is_stray(c)) {
		n->bad = true;
	}
}

/* Brackets and stray bytes of a word, in order. True when the nest is over. */
static bool
look_at(struct nest *n, const char *start, const char *p, unsigned m,
    const char **at)
{
	for (; m != 0; m &= m - 1) {
		const char *q = p + lowest_bit(m);

		if (*q == '{' || *q == '[' || *q == '}' || *q == ']')
			bracket(n, start, q);
		else
			n->bad = is_stray(*q);
		if (n->bad || n->done) {
			*at = q + 1;
			return true;
		}
	}
	return false;
}

/* From p, which is not the first bracket itself, until the nest is done or
 * bad, or end is reached; returns the place behind the last byte seen. Eight
 * bytes behind end can be read. */
static const char *
run_nest(struct nest *n, const char *start, const char *p, const char *end)
{
	unsigned in = n->in;

	while (p < end) {
		uint64_t w = load8(p), quote = zero_bytes(w ^ ONES * '"');
		const char *at;
		unsigned str, m;

		if (n->esc || zero_bytes(w ^ ONES * '\\') || end - p < 8) {
			n->in = in;
			for (unsigned i = 0; i < 8 && p < end; i++, p++) {
				step(n, start, p);
				if (n->bad || n->done)
					return p + 1;
			}
			in = n->in;
			continue;
		}
		/* a quote turns all that follows it */
		str = gather(quote);
		str ^= str << 1;
		str ^= str << 2;
		str ^= str << 4;
		str ^= in;
		m = gather(w | w << 1) & ~str;
		if (m != 0 && look_at(n, start, p, m, &at))
			return at;
		in = 0U - (str >> 7 & 1);
		p += 8;
	}
	n->in = in;
	return p;
}

/* An object or an array at pos. */
static enum k_found
scan_nest(struct k_scan *s, struct tl_str *v)
{
	struct nest n = { .depth = 1, .objects = s->buf[s->pos] == '{',
		.lists = &s->lists };
	size_t at = 1; /* behind pos */

	s->lists.n = 0;
	for (;;) {
		const char *start = s->buf + s->pos;

		at = (size_t)(run_nest(&n, start, start + at, s->buf + s->end) -
		    start);
		if (n.bad) {
			/* what is past the limit is gone */
			s->pos += n.lax ? at : 0;
			return K_BROKEN;
		}
		if (n.done)
			break;
		if (at > K_ELEMENT_MAX || n.lax) {
			n.lax = true;
			s->pos += at;
			at = 0;
		}
		if (!fill(s)) {
			s->pos = s->end;
			return K_CUT;
		}
	}
	*v = (struct tl_str){ s->buf + s->pos, at };
	s->pos += at;
	return n.lax || at > K_ELEMENT_MAX ? K_LONG : K_OK;
}

/* A string, a number or a word at pos. */
static enum k_found
scan_scalar(struct k_scan *s, struct tl_str *v)
{
	bool str = s->buf[s->pos] == '"', esc = false, lax = false;
	size_t at = 1;

	for (;; at++) {
		char c;

		if (at > K_ELEMENT_MAX) {
			lax = true;
			s->pos += at;
			at = 0;
		}
		if (s->pos + at == s->end && !fill(s)) {
			*v = (struct tl_str){ s->buf + s->pos, at };
			s->pos = s->end;
			return str ? K_CUT : lax ? K_LONG : K_OK;
		}
		c = s->buf[s->pos + at];
		if (!str && (is_space(c) || strchr(",:{}[]\"", c) != NULL))
			break;
		if (!str)
			continue;
		if (!esc && c == '"') {
			at++;
			break;
		}
		esc = !esc && c == '\\';
	}
	*v = (struct tl_str){ s->buf + s->pos, at };
	s->pos += at;
	return lax ? K_LONG : K_OK;
}

enum k_found
k_scan_value(struct k_scan *s, struct tl_str *v)
{
	char c = s->buf[s->pos];

	return c == '{' || c == '[' ? scan_nest(s, v) : scan_scalar(s, v);
}

/* Place behind white space, at most BEHIND of it. */
static size_t
behind_space(const struct k_scan *s, size_t i)
{
	size_t stop = i + BEHIND;

	while (i < stop && i < s->end && is_space(s->buf[i]))
		i++;
	return i;
}

/* The byte before place i, white space left out; 0 if there is none near. */
static char
before(const struct k_scan *s, size_t i)
{
	for (size_t k = 0; k < BEHIND && i > k; k++)
		if (!is_space(s->buf[i - k - 1]))
			return s->buf[i - k - 1];
	return '\0';
}

/* `"key" :` at i: the key, n is 0 if there is none. */
static struct tl_str
key_at(const struct k_scan *s, size_t i)
{
	size_t from = i + 1, stop = from + BEHIND;

	if (i >= s->end || s->buf[i] != '"')
		return (struct tl_str){ NULL, 0 };
	for (i = from; i < s->end && i < stop && s->buf[i] != '"'; i++)
		if (s->buf[i] == '\\' || (unsigned char)s->buf[i] < 0x20)
			return (struct tl_str){ NULL, 0 };
	stop = behind_space(s, i + 1);
	if (i >= s->end || stop >= s->end || s->buf[stop] != ':')
		return (struct tl_str){ NULL, 0 };
	return (struct tl_str){ s->buf + from, i - from };
}

/* A brace that opens an event: a member of events follows. */
static bool
begins_event(const struct k_scan *s, size_t i)
{
	static const char *const members[] = { "ph", "name", "cat", "pid",
		"tid", "ts", "dur", "args", "id", "s", "bp", "tts", "tdur",
		"cname", "attr" };
	struct tl_str key = key_at(s, behind_space(s, i + 1));
	char c = before(s, i);

	if (c != ',' && c != '[' && c != '}' && c != '\0')
		return false;
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		if (tl_str_is(key, members[k]))
			return true;
	return false;
}

/* A bracket that ends the event array: the end of the input, another key of
 * the top level, or another array of events follows. */
static bool
ends_events(const struct k_scan *s, size_t i)
{
	char c = before(s, i);
	size_t k = behind_space(s, i + 1);

	if (c != '}' && c != ',' && c != '[')
		return false;
	if (k < s->end && s->buf[k] == '[') {
		k = behind_space(s, k + 1);
		return k < s->end && s->buf[k] == '{' && begins_event(s, k);
	}
	if (k < s->end && s->buf[k] == ',')
		return key_at(s, behind_space(s, k + 1)).n > 0;
	if (k < s->end && s->buf[k] == '}')
		k = behind_space(s, k + 1);
	return k == s->end && s->eof;
}

/* Makes AHEAD bytes behind place i readable where there are as many, and keeps
 * BEHIND before it. Returns the place, which may have moved. */
static size_t
look_around(struct k_scan *s, size_t i)
{
	while (s->end - i < AHEAD && !s->eof) {
		if (i > s->pos + BEHIND)
			s->pos = i - BEHIND;
		i -= s->pos;
		fill(s);
		i += s->pos;
	}
	return i;
}

bool
k_scan_resync(struct k_scan *s)
{
	for (size_t i = s->pos + 1;; i++) {
		i = look_around(s, i);
		if (i >= s->end) {
			s->pos = s->end;
			return false;
		}
		if ((s->buf[i] == '{' && begins_event(s, i)) ||
		    (s->buf[i] == ']' && ends_events(s, i))) {
			s->pos = i;
			return true;
		}
	}
}

bool
k_scan_find_key(struct k_scan *s, const char *key)
{
	for (size_t i = s->pos;; i++) {
		i = look_around(s, i);
		if (i >= s->end) {
			s->pos = s->end;
			return false;
		}
		if (s->buf[i] == '"' && tl_str_is(key_at(s, i), key)) {
			i = behind_space(s, i + strlen(key) + 2);
			s->pos = i + 1;
			return true;
		}
	}
}
