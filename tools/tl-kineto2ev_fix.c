#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	    (c >= 'A' && c <= 'F');
}

/* Whether \\uXXXX at p, of which six bytes are there, is half a surrogate pair:
 * of the first half ('8') or the second ('c'). */
static bool
is_surrogate(const char *p, char half)
{
	char c = (char)(p[3] | 0x20);

	return (p[2] | 0x20) == 'd' && (half == '8' ?
	    p[3] == '8' || p[3] == '9' || c == 'a' || c == 'b' :
	    c >= 'c' && c <= 'f');
}

static bool
is_unicode(const char *p, const char *end)
{
	return end - p >= 6 && p[0] == '\\' && p[1] == 'u' && is_hex(p[2]) &&
	    is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]);
}

/* How many bytes the escape at p (a backslash) takes, a pair of surrogates
 * together; 0 if JSON has none such (RFC 8259, section 7) or it is half a
 * pair, which stands for no character. */
static size_t
escape_len(const char *p, const char *end)
{
	if (end - p < 2)
		return 0;
	if (p[1] != 'u')
		return p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) != NULL ? 2 : 0;
	if (!is_unicode(p, end) || is_surrogate(p, 'c'))
		return 0;
	if (!is_surrogate(p, '8'))
		return 6;
	return is_unicode(p + 6, end) && is_surrogate(p + 6, 'c') ? 12 : 0;
}

bool
k_half_pair(struct tl_str text)
{
	const char *p = text.p, *end = text.p + text.n;

	while ((p = memchr(p, '\\', (size_t)(end - p))) != NULL) {
		size_t n = escape_len(p, end);

		if (n == 0 && is_unicode(p, end))
			return true;
		p += n == 0 ? 1 : n;
	}
	return false;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Length of the word that C or C++ prints for a number that is none, with its
 * sign; 0 if there is none at p. */
static size_t
no_number_len(const char *p, const char *end)
{
	static const char *const words[] = { "nan(snan)", "nan(ind)", "nan",
		"NaN", "infinity", "Infinity", "inf", "Inf", "INF", "NAN" };
	size_t sign = *p == '-' || *p == '+', left = (size_t)(end - p) - sign;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (n < left && memcmp(p + sign, words[i], n) == 0 &&
		    (is_space(p[sign + n]) ||
		    strchr(",]}", p[sign + n]) != NULL))
			return sign + n;
	}
	return 0;
}

struct fix {
	const char *p, *end;
	char *out;
	unsigned done;
	bool in;
};

static void
in_string(struct fix *f)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char c = (unsigned char)*f->p;

	if (c == '\\') {
		size_t n = escape_len(f->p, f->end);

		if (n == 0) {
			f->done |= K_FIX_ESCAPE;
			*f->out++ = '\\';
			n = 1;
		}
		memcpy(f->out, f->p, n);
		f->out += n;
		f->p += n;
	} else if (c < 0x20) {
		f->done |= K_FIX_CONTROL;
		memcpy(f->out, "\\u00", 4);
		f->out[4] = hex[c >> 4];
		f->out[5] = hex[c & 15];
		f->out += 6;
		f->p++;
	} else {
		f->in = c != '"';
		*f->out++ = (char)c;
		f->p++;
	}
}

/* A comma is one too many before another, before a closing bracket, and
 * behind an opening one. */
static bool
comma_is_wrong(const struct fix *f, const char *from)
{
	const char *q = f->p + 1, *o = f->out;

	while (q < f->end && is_space(*q))
		q++;
	while (o > from && is_space(o[-1]))
		o--;
	return (q < f->end && (*q == ',' || *q == '}' || *q == ']')) ||
	    (o > from && (o[-1] == '{' || o[-1] == '['));
}

static void
outside(struct fix *f, const char *from)
{
	char c = *f->p;
	size_t n;

	if (c == ',' && comma_is_wrong(f, from)) {
		f->done |= K_FIX_COMMA;
		f->p++;
		return;
	}
	if (strchr("-+nNiI", c) != NULL && c != '\0' &&
	    (n = no_number_len(f->p, f->end)) > 0) {
		f->done |= K_FIX_NUMBER;
		memcpy(f->out, "null", 4);
		f->out += 4;
		f->p += n;
		return;
	}
	f->in = c == '"';
	*f->out++ = c;
	f->p++;
}

struct tl_str
k_xfix(struct tl_str text, char **buf, size_t *cap, unsigned *done)
{
	struct fix f = { .p = text.p, .end = text.p + text.n };

	/* a control byte becomes six, the word inf four */
	if (*cap < 6 * text.n + 8) {
		*cap = 6 * text.n + 8;
		free(*buf);
		*buf = tl_xmalloc(*cap);
	}
	f.out = *buf;
	while (f.p < f.end) {
		if (f.in)
			in_string(&f);
		else
			outside(&f, *buf);
	}
	*done = f.done;
	return (struct tl_str){ *buf, (size_t)(f.out - *buf) };
}
