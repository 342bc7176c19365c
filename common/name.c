#include "name.h"

#include <stdbool.h>

/* The rules are in tl-tree(1). A name is walked once from the left; what does
 * not balance or has another form is left as it is. */

/* Nesting of template arguments that is kept. */
#define MAX_NEST 4
/* Names with brackets deeper than this are left alone. */
#define MAX_BRACKETS 64

/* One part of a qualified name, between two "::". */
struct part {
	struct tl_str name;
	struct tl_str args; /* between < and >; p is NULL if there are none */
};

static bool
begins(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

static char
closing(char open)
{
	return open == '(' ? ')' : open == '{' ? '}' : '>';
}

/* Behind the bracket that closes the one at p; NULL if none does. Within
 * round and curly brackets < and > are operators or do not matter. */
static const char *
skip(const char *p, const char *end)
{
	char want[MAX_BRACKETS];
	size_t n = 0;

	want[n++] = closing(*p++);
	while (p < end) {
		char c = *p, top = want[n - 1];

		if (c == top) {
			p++;
			if (--n == 0)
				return p;
		} else if (begins(p, end, "->")) {
			p += 2;
		} else if (c == '(' || c == '{' || (c == '<' && top == '>')) {
			if (n == MAX_BRACKETS)
				return NULL;
			want[n++] = closing(c);
			p++;
		} else {
			p++;
		}
	}
	return NULL;
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* Reads the part that begins at p: a word or something in brackets, then
 * perhaps template arguments. Answers where it stopped, NULL if the brackets do
 * not balance. */
static const char *
read_part(const char *p, const char *end, struct part *part)
{
	const char *from = p;

	*part = (struct part){ .args = { NULL, 0 } };
	if (p < end && (*p == '(' || *p == '{' || *p == '<')) {
		p = skip(p, end);
		part->name = (struct tl_str){ from, 0 };
		return p;
	}
	while (p < end && (is_word(*p) || *p == '~'))
		p++;
	if (p - from == 8 && memcmp(from, "operator", 8) == 0) {
		if (begins(p, end, "()"))
			p += 2;
		while (p < end && *p != '(' && *p != ':')
			p++;
		part->name = (struct tl_str){ from, 0 };
		return p;
	}
	part->name = (struct tl_str){ from, (size_t)(p - from) };
	if (p < end && *p == '<') {
		const char *close = skip(p, end);

		if (close == NULL)
			return NULL;
		part->args = (struct tl_str){ p + 1,
			(size_t)(close - p) - 2 };
		p = close;
	}
	return p;
}

/* The part of a qualified name that tells most: the last one that has a name
 * of its own, before the first argument list. At the top a space ends the
 * return type; within arguments it ends the type. False if the text has
 * another form. */
static bool
last_part(struct tl_str s, bool top, struct part *last)
{
	const char *p = s.p, *end = s.p + s.n;

	last->name.n = 0;
	for (;;) {
		struct part part;

		p = read_part(p, end, &part);
		if (p == NULL)
			return false;
		if (part.name.n > 0)
			*last = part;
		if (begins(p, end, "::")) {
			p += 2;
			continue;
		}
		if (!top || p == end || *p == '(' || begins(p, end, " ["))
			break;
		while (p < end && (*p == ' ' || *p == '*' || *p == '&'))
			p++;
		if (p == end || !(is_word(*p) || *p == '(' || *p == '<'))
			return false;
		last->name.n = 0;
	}
	return last->name.n > 0;
}

static struct tl_str
drop(struct tl_str s, size_t n)
{
	return (struct tl_str){ s.p + n, s.n - n };
}

/* An argument without what stands around its name: spaces, const, the void of
 * a function it is named after, the & and brackets of a function's address. */
static struct tl_str
trim(struct tl_str s)
{
	while (s.n > 0 && s.p[0] == ' ')
		s = drop(s, 1);
	while (s.n > 0 && s.p[s.n - 1] == ' ')
		s.n--;
	if (begins(s.p, s.p + s.n, "const "))
		s = drop(s, 6);
	if (begins(s.p, s.p + s.n, "void ") && s.n > 5 && s.p[5] != '(')
		s = drop(s, 5);
	if (s.n > 1 && s.p[0] == '&')
		s = drop(s, 1);
	if (s.n > 1 && s.p[0] == '(' && skip(s.p, s.p + s.n) == s.p + s.n) {
		s = drop(s, 1);
		s.n--;
	}
	return s;
}

/* Takes the first of a list of arguments off it. */
static bool
next_arg(struct tl_str *list, struct tl_str *arg)
{
	const char *p = list->p, *end = p + list->n;

	if (list->n == 0)
		return false;
	while (p != NULL && p < end && *p != ',')
		p = *p == '(' || *p == '{' || *p == '<' ? skip(p, end) : p + 1;
	if (p == NULL)
		p = end;
	*arg = trim((struct tl_str){ list->p, (size_t)(p - list->p) });
	p += p < end;
	*list = (struct tl_str){ p, (size_t)(end - p) };
	return true;
}

/* A number, a truth value, a cast, a function type. */
static bool
is_value(struct tl_str s)
{
	const char *end = s.p + s.n;

	if (s.n == 0)
		return true;
	if (s.p[0] == '(')
		return !begins(s.p, end, "(anonymous namespace)");
	return (s.p[0] >= '0' && s.p[0] <= '9') || s.p[0] == '-' ||
	    s.p[0] == '!' || s.p[0] == '\'' || begins(s.p, end, "void (") ||
	    tl_str_is(s, "true") || tl_str_is(s, "false") ||
	    tl_str_is(s, "nullptr");
}

/* A qualified name or a template, but not one of numbers alone. */
static bool
is_class(struct tl_str s)
{
	struct part last;
	struct tl_str arg;
	bool marked = false;

	for (size_t i = 0; i < s.n; i++)
		marked |= s.p[i] == '<' || s.p[i] == '(' ||
		    (s.p[i] == ':' && i > 0 && s.p[i - 1] == ':');
	if (!marked || is_value(s) || !last_part(s, false, &last))
		return false;
	if (last.args.p == NULL)
		return true;
	while (next_arg(&last.args, &arg))
		if (!is_value(arg))
			return true;
	return false;
}

/* The argument that is kept; p is NULL if there is none. */
static struct tl_str
choose(struct tl_str list, bool *class)
{
	struct tl_str arg, type = { NULL, 0 };

	while (next_arg(&list, &arg)) {
		*class = is_class(arg);
		if (*class)
			return arg;
		if (type.p == NULL && !is_value(arg))
			type = arg;
	}
	return type;
}

static size_t
put(char *buf, size_t at, struct tl_str s)
{
	memcpy(buf + at, s.p, s.n);
	return at + s.n;
}

static size_t
put_part(char *buf, size_t at, const struct part *part, int nest)
{
	struct tl_str arg = { NULL, 0 };
	struct part inner;
	bool class = false;

	at = put(buf, at, part->name);
	if (part->args.p != NULL && nest < MAX_NEST)
		arg = choose(part->args, &class);
	if (arg.p == NULL)
		return at;
	buf[at++] = '<';
	if (class && last_part(arg, false, &inner))
		at = put_part(buf, at, &inner, nest + 1);
	else if (!class && memchr(arg.p, '<', arg.n) != NULL &&
	    last_part(arg, false, &inner))
		at = put(buf, at, inner.name);
	else
		at = put(buf, at, arg);
	buf[at++] = '>';
	return at;
}

/* A function's name has a scope, template arguments, or an argument list right
 * behind a word. */
static bool
is_function(struct tl_str s)
{
	for (size_t i = 1; i < s.n; i++)
		if ((s.p[i] == ':' && s.p[i - 1] == ':') ||
		    ((s.p[i] == '<' || s.p[i] == '(') && is_word(s.p[i - 1])))
			return true;
	return false;
}

/* The short form; the name itself where it has none. */
static size_t
shorten(char *buf, struct tl_str s)
{
	struct tl_str rest = s;
	struct part last;
	size_t n = tl_name_mangled(buf, s);

	if (n > 0)
		return n;
	if (begins(s.p, s.p + s.n, "void ")) {
		rest.p += 5;
		rest.n -= 5;
	}
	if (!is_function(rest) || !last_part(rest, true, &last))
		return put(buf, 0, s);
	return put_part(buf, 0, &last, 0);
}

/* A long one ends in "..", never within a UTF-8 sequence. */
size_t
tl_name_short(char *buf, struct tl_str s)
{
	size_t n = shorten(buf, s);

	if (n <= TL_NAME_SHORT_MAX)
		return n;
	n = TL_NAME_SHORT_MAX - 2;
	while (n > 0 && ((unsigned char)buf[n] & 0xc0) == 0x80)
		n--;
	memcpy(buf + n, "..", 2);
	return n + 2;
}
