/* The name of a kernel's function within what profilers record: demangled C++
 * ("void ns::f<int>(int)"), mangled C++ (some ROCm captures), or a bare word
 * (Triton, C, Ascend). */

#include "rules_set.h"

#include <string.h>

/* Writes components joined by "::". */
struct path {
	char *out;
	size_t len;
	size_t *at;
	size_t n, max;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
begin(struct path *p)
{
	if (p->len > 0) {
		memcpy(p->out + p->len, "::", 2);
		p->len += 2;
	}
	if (p->n < p->max)
		p->n++;
	p->at[p->n - 1] = p->len;
}

static void
component(struct path *p, const char *s, size_t n)
{
	begin(p);
	memcpy(p->out + p->len, s, n);
	p->len += n;
}

/* Index behind the bracket that closes the one at i; s.n if none does. Within
 * parentheses < and > may be operators and count for nothing. */
static size_t
close_bracket(struct tl_str s, size_t i)
{
	size_t round = 0, angle = 0;

	for (; i < s.n; i++) {
		char c = s.p[i];

		if (c == '(')
			round++;
		else if (c == ')' && round > 0)
			round--;
		else if (c == '<' && round == 0)
			angle++;
		else if (c == '>' && round == 0 && angle > 0 &&
		    s.p[i - 1] != '-')
			angle--;
		else
			continue;
		if (round == 0 && angle == 0)
			return i + 1;
	}
	return s.n;
}

static bool
colons(struct tl_str s, size_t i)
{
	return i + 1 < s.n && s.p[i] == ':' && s.p[i + 1] == ':';
}

static void
demangled(struct path *p, struct tl_str s)
{
	size_t from = 0, i = 0; /* the component begins at from */
	bool cut = false;       /* its template arguments were skipped */
	size_t end = 0;         /* and it ends there */

	while (i < s.n) {
		char c = s.p[i];
		bool open = c == '(' || c == '<';

		if (open && i == from && colons(s, close_bracket(s, i))) {
			/* (anonymous namespace):: or <unnamed>:: */
			i = close_bracket(s, i);
		} else if (c == '<' && i > from) {
			end = cut ? end : i;
			cut = true;
			i = close_bracket(s, i);
		} else if (open || (c == ' ' && i + 1 < s.n &&
		    s.p[i + 1] == '[')) {
			break; /* parameters, or " [clone ...]" */
		} else if (c == ' ') {
			p->len = p->n = 0; /* it was the return type */
			from = ++i;
			cut = false;
		} else if (colons(s, i)) {
			component(p, s.p + from, (cut ? end : i) - from);
			from = i += 2;
			cut = false;
		} else {
			i++;
		}
	}
	component(p, s.p + from, (cut ? end : i) - from);
}

/* Itanium C++ ABI, 5.1.2: _Z, N for a nested name, then names as LENGTH NAME.
 * Stops at template arguments and all else. False where that gives nothing. */
static bool
mangled(struct path *p, struct tl_str s)
{
	size_t i = 2;
	bool nested = i < s.n && s.p[i] == 'N';

	for (i += nested; i < s.n; ) {
		size_t n = 0;

		if (i + 1 < s.n && s.p[i] == 'S' && s.p[i + 1] == 't') {
			component(p, "std", 3);
			i += 2;
			continue;
		}
		if (s.p[i] == 'L') /* internal linkage */
			i++;
		while (i < s.n && is_digit(s.p[i]) && n <= s.n)
			n = n * 10 + (size_t)(s.p[i++] - '0');
		if (n == 0 || n > s.n - i)
			break;
		if (n >= 10 && memcmp(s.p + i, "_GLOBAL__N", 10) == 0)
			component(p, "(anonymous namespace)", 21);
		else
			component(p, s.p + i, n);
		i += n;
		if (!nested)
			break;
	}
	return p->n > 0;
}

size_t
tl_rules_function(char *out, size_t *len, size_t *at, size_t max,
    struct tl_str name)
{
	struct path p = { .out = out, .at = at, .max = max };
	bool is_mangled = name.n > 2 && name.p[0] == '_' && name.p[1] == 'Z';

	if (!is_mangled || !mangled(&p, name)) {
		p.len = p.n = 0;
		demangled(&p, name);
	}
	tl_rules_lower(out, (struct tl_str){ out, p.len });
	*len = p.len;
	return p.n;
}
