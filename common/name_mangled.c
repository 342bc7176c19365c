#include "name.h"

#include <stdbool.h>

/* Names that the profiler left as the linker has them: Itanium C++ ABI, 5.1,
 * as far as a short form needs it. */

/* A <source-name>: its length in decimal, then the name. Moves *p behind it. */
static bool
source_name(const char **p, const char *end, struct tl_str *name)
{
	const char *s = *p;
	size_t n = 0;

	while (s < end && *s >= '0' && *s <= '9' && n < 100000)
		n = n * 10 + (size_t)(*s++ - '0');
	if (s == *p || n == 0 || n > (size_t)(end - s))
		return false;
	*name = (struct tl_str){ s, n };
	*p = s + n;
	return true;
}

/* The last of source names that follow each other. */
static bool
last_name(const char **p, const char *end, struct tl_str *name)
{
	bool any = false;

	while (source_name(p, end, name))
		any = true;
	return any;
}

/* The first class among template arguments, which begin at p. Numbers (L...E),
 * and the floating types DF16_, DF16b hold digits that are no lengths. */
static bool
first_class(const char *p, const char *end, struct tl_str *name)
{
	while (p < end && *p != 'E') {
		if (*p >= '0' && *p <= '9')
			return last_name(&p, end, name);
		if (*p == 'L') {
			while (p < end && *p != 'E')
				p++;
		} else if (end - p > 2 && p[0] == 'D' && p[1] == 'F') {
			for (p += 2; p < end && *p >= '0' && *p <= '9';)
				p++;
		}
		p += p < end;
	}
	return false;
}

size_t
tl_name_mangled(char *buf, struct tl_str s)
{
	const char *p = s.p + 2, *end = s.p + s.n;
	struct tl_str name, class;
	size_t n;

	if (s.n < 4 || s.p[0] != '_' || s.p[1] != 'Z')
		return 0;
	if (*p == 'N')
		p++;
	if (!last_name(&p, end, &name))
		return 0;
	memcpy(buf, name.p, name.n);
	n = name.n;
	if (p < end && *p == 'I' && first_class(p + 1, end, &class)) {
		buf[n++] = '<';
		memcpy(buf + n, class.p, class.n);
		n += class.n;
		buf[n++] = '>';
	}
	return n;
}
