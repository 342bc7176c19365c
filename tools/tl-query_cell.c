/* How a value looks in each format: tl-query(1), FORMATS. */
#include "tl-query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esc.h"
#include "mem.h"
#include "num.h"

#define REAL_SIZE 40

/* What stands before a cell. */
static void
begin(struct writer *w)
{
	size_t i = w->at++;

	switch (w->format) {
	case F_TSV:
		if (i > 0)
			put_s(w, "\t");
		break;
	case F_CSV:
		if (i > 0)
			put_s(w, ",");
		break;
	case F_JSONL:
		put_s(w, i == 0 ? "{" : ",");
		break;
	case F_TABLE:
		break;
	}
}

static void
put_hex(struct writer *w, struct tl_str s)
{
	static const char digit[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		char hex[2] = { digit[c >> 4], digit[c & 15] };

		put(w, hex, 2);
	}
}

static bool
is_utf8(struct tl_str s)
{
	for (size_t i = 0, n; i < s.n; i += n)
		if ((n = tl_utf8_len(s.p + i, s.n - i)) == 0)
			return false;
	return true;
}

/* Text in the stream's form, piece by piece. */
static void
put_escaped(struct writer *w, struct tl_str s)
{
	char esc[4];

	if (tl_str_is(s, ".")) {
		put_s(w, "\\x2E");
		return;
	}
	for (size_t i = 0, from = 0; i <= s.n;) {
		size_t n = i < s.n ? tl_utf8_len(s.p + i, s.n - i) : 0;

		if (n > 0 && tl_esc_clean(s.p + i, n)) {
			i += n;
			continue;
		}
		put(w, s.p + from, i - from);
		if (i < s.n)
			put(w, esc, tl_esc(esc, s.p + i, 1));
		from = ++i;
	}
}

/* Within quotation marks, each of which is written twice. */
static void
put_csv(struct writer *w, struct tl_str s)
{
	put_s(w, "\"");
	for (size_t i = 0; i < s.n;) {
		const char *q = memchr(s.p + i, '"', s.n - i);
		size_t n = q == NULL ? s.n - i : (size_t)(q - s.p) - i + 1;

		put(w, s.p + i, n);
		if (q != NULL)
			put_s(w, "\"");
		i += n;
	}
	put_s(w, "\"");
}

/* A string of JSON; s is UTF-8. */
static void
put_json(struct writer *w, struct tl_str s)
{
	char u[8];

	put_s(w, "\"");
	for (size_t i = 0, from = 0; i <= s.n; i++) {
		unsigned char c = i < s.n ? (unsigned char)s.p[i] : 0;

		if (c >= 0x20 && c != 0x7f && c != '"' && c != '\\')
			continue;
		put(w, s.p + from, i - from);
		from = i + 1;
		if (i == s.n)
			break;
		if (c == '"' || c == '\\')
			snprintf(u, sizeof u, "\\%c", c);
		else if (c == '\n' || c == '\t')
			snprintf(u, sizeof u, c == '\n' ? "\\n" : "\\t");
		else
			snprintf(u, sizeof u, "\\u%04X", c);
		put_s(w, u);
	}
	put_s(w, "\"");
}

static void
put_json_hex(struct writer *w, const char *kind, struct tl_str s)
{
	put_s(w, "{\"");
	put_s(w, kind);
	put_s(w, "\":\"");
	put_hex(w, s);
	put_s(w, "\"}");
}

/* The name before a member; bytes that are no UTF-8 in the stream's form. */
static void
put_key(struct writer *w)
{
	const char *name = w->col[w->at - 1].name;
	struct tl_str s = { name, strlen(name) };
	char *esc = NULL;

	if (!is_utf8(s)) {
		esc = tl_xmalloc(4 * s.n);
		s.n = tl_esc(esc, s.p, s.n);
		s.p = esc;
	}
	put_json(w, s);
	put_s(w, ":");
	free(esc);
}

/* A number, or what stands for NULL: no format has quotation marks here. */
static void
bare(struct writer *w, const char *text)
{
	begin(w);
	if (w->format == F_JSONL)
		put_key(w);
	if (w->format == F_TABLE)
		table_plain(w, (struct tl_str){ text, strlen(text) });
	else
		put_s(w, text);
}

void
writer_xnull(struct writer *w)
{
	bare(w, w->format == F_JSONL ? "null" : w->format == F_CSV ? "" : ".");
}

void
writer_xint(struct writer *w, int64_t v)
{
	char text[24];

	text[tl_num_put_i64(text, v)] = '\0';
	bare(w, text);
}

void
writer_xreal(struct writer *w, double v)
{
	char text[REAL_SIZE];

	if (isinf(v)) {
		if (w->format == F_JSONL)
			bare(w, v > 0 ? "9e999" : "-9e999");
		else
			bare(w, v > 0 ? "Inf" : "-Inf");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (!(strtod(text, NULL) < v) && !(strtod(text, NULL) > v))
			break;
	}
	if (strpbrk(text, ".e") == NULL)
		memcpy(text + strlen(text), ".0", 3);
	bare(w, text);
}

void
writer_xtext(struct writer *w, struct tl_str s)
{
	begin(w);
	switch (w->format) {
	case F_TSV:
		put_escaped(w, s);
		break;
	case F_CSV:
		put_csv(w, s);
		break;
	case F_JSONL:
		put_key(w);
		if (is_utf8(s))
			put_json(w, s);
		else
			put_json_hex(w, "text", s);
		break;
	case F_TABLE:
		table_text(w, s);
		break;
	}
}

void
writer_xblob(struct writer *w, struct tl_str s)
{
	begin(w);
	switch (w->format) {
	case F_TSV:
		put_s(w, "\\b");
		put_hex(w, s);
		break;
	case F_CSV:
		put_s(w, "x'");
		put_hex(w, s);
		put_s(w, "'");
		break;
	case F_JSONL:
		put_key(w);
		put_json_hex(w, "blob", s);
		break;
	case F_TABLE:
		table_blob(w, s);
		break;
	}
}
