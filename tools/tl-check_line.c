/* What holds for every line of a stream: tl-ev(5), BYTES and GRAMMAR. */
#include "tl-check.h"

#include <stdio.h>

#include "esc.h"

/* "word" of the grammar. */
static bool
is_word(struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    c == '_' || c == '-'))
			return false;
	}
	return s.n > 0;
}

/* A value that is just a dot is escaped, though its column is longer. */
static enum tl_status
check_escapes(struct tl_str s, struct tl_err *err)
{
	const char *eq = memchr(s.p, '=', s.n);
	size_t n;

	if (eq == NULL)
		return tl_esc_check(s.p, s.n, err);
	n = (size_t)(eq - s.p) + 1;
	if (tl_esc_check(s.p, n, err) != TL_OK)
		return TL_ERR;
	if (s.n > n && tl_esc_check(eq + 1, s.n - n, err) != TL_OK) {
		err->off += n;
		return TL_ERR;
	}
	return TL_OK;
}

static void
check_column(struct check *c, size_t number, struct tl_str s)
{
	struct tl_err err = { .line = 0 };
	char what[40];

	snprintf(what, sizeof what, "column %zu", number);
	if (s.n == 0) {
		check_fault_here(c, what, s, "empty, '.' stands for none");
		return;
	}
	if (check_escapes(s, &err) == TL_OK)
		return;
	s.p += err.off;
	s.n = s.n - err.off > 16 ? 16 : s.n - err.off;
	check_fault_here(c, what, s, err.msg);
}

/* True if no byte needs a closer look: printable ASCII and single tabs. */
static bool
is_simple(struct tl_str line)
{
	unsigned char last = '\t';

	for (size_t i = 0; i < line.n; i++) {
		unsigned char b = (unsigned char)line.p[i];

		if (b == '\t' ? last == '\t' : b < 0x20 || b > 0x7e ||
		    b == '\\')
			return false;
		last = b;
	}
	return last != '\t';
}

void
check_columns(struct check *c, struct tl_str line)
{
	const char *p = line.p, *end = line.p + line.n;
	const char *tab = memchr(p, '\t', line.n);
	size_t hash = line.n > 0 && *p == '#';
	struct tl_str word = { p + hash,
		(size_t)((tab != NULL ? tab : end) - p) - hash };

	if (!is_word(word))
		check_fault_here(c, "kind of line", word,
		    "must be of a to z, 0 to 9, '_' and '-'");
	if (is_simple(line))
		return;
	for (size_t number = 1; p != NULL; number++) {
		tab = memchr(p, '\t', (size_t)(end - p));
		check_column(c, number, (struct tl_str){ p,
		    (size_t)((tab != NULL ? tab : end) - p) });
		p = tab != NULL ? tab + 1 : NULL;
	}
}

static bool
is_key(struct tl_str s, bool of_event)
{
	for (size_t i = 0; i < s.n && of_event; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    c == '_'))
			return false;
	}
	return s.n > 0;
}

bool
check_keys(struct check *c, struct tl_str fields, bool of_event)
{
	struct tl_str last = { NULL, 0 };
	const char *p = fields.n > 0 ? fields.p : NULL;
	const char *end = fields.p + fields.n;

	while (p != NULL) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		struct tl_str f = { p,
			(size_t)((tab != NULL ? tab : end) - p) };
		const char *eq = memchr(f.p, '=', f.n);
		struct tl_str key = { p, eq != NULL ? (size_t)(eq - p) : 0 };

		if (!is_key(key, of_event) || key.n + 1 == f.n) {
			check_fault_here(c, "key", f, of_event ?
			    "must be key=value, keys of a to z, 0 to 9, '_'" :
			    "must be key=value");
			return false;
		}
		if (last.p != NULL && tl_str_cmp(last, key) >= 0) {
			check_fault_here(c, "key", key,
			    tl_str_eq(last, key) ? "twice" :
			    "out of order, keys ascend");
			return false;
		}
		last = key;
		p = tab != NULL ? tab + 1 : NULL;
	}
	return true;
}
