#include "tl-kineto2ev.h"

#include <string.h>

static const char *
space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' ||
	    *p == '\r'))
		p++;
	return p;
}

/* Place behind the string that begins at p; NULL where it has no end. */
static const char *
behind_string(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p == '"')
			return p + 1;
		if (*p == '\\')
			p++;
	}
	return NULL;
}

/* Place behind the value at p: the comma or bracket that follows it. */
static const char *
behind_value(const char *p, const char *end)
{
	unsigned depth = 0;

	while (p != NULL && p < end) {
		char c = *p;

		if (c == '"') {
			p = behind_string(p, end);
			continue;
		}
		if (depth == 0 && (c == ',' || c == '}' || c == ']'))
			return p;
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
		p++;
	}
	return NULL;
}

/* Phases of which the category does not matter. */
static bool
phase_decides(char ph)
{
	return ph != 0 && strchr("stfMiIRC", ph) != NULL;
}

void
k_json_glance(struct tl_str text, struct k_glance *g)
{
	const char *p = text.p + 1, *end = text.p + text.n;

	*g = (struct k_glance){ .cat = { "", 0 } };
	for (;;) {
		struct tl_str key, value;
		const char *q;

		p = space(p, end);
		if (p == end || *p != '"' ||
		    (q = behind_string(p, end)) == NULL)
			break;
		key = (struct tl_str){ p + 1, (size_t)(q - p) - 2 };
		p = space(q, end);
		if (p == end || *p++ != ':')
			return;
		p = space(p, end);
		q = behind_value(p, end);
		if (q == NULL || memchr(key.p, '\\', key.n) != NULL)
			return;
		if (*p == '"') {
			value = (struct tl_str){ p + 1, 0 };
			p = behind_string(p, end);
			value.n = p == NULL ? 0 : (size_t)(p - value.p) - 1;
			if (g->ph == 0 && value.n == 1 && tl_str_is(key, "ph"))
				g->ph = *value.p;
			else if (g->cat.n == 0 && tl_str_is(key, "cat"))
				g->cat = value;
			if (g->cat.n > 0 &&
			    memchr(g->cat.p, '\\', g->cat.n) != NULL) {
				g->cat.n = 0;
				return;
			}
			if (g->ph != 0 && (g->cat.n > 0 ||
			    phase_decides(g->ph)))
				return;
		}
		if (*q != ',')
			break;
		p = q + 1;
	}
	g->no_cat = p != NULL && p < end && g->cat.n == 0 && *p == '}';
}
