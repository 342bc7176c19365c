/* Columns one below the other. A row is kept as one piece, its cells with a
 * TAB between them; their widths are known when all rows are there. */
#include "tl-query.h"

#include <stdio.h>
#include <string.h>

#include "esc.h"

#define SHOWN 60 /* characters */
#define CUT "..."
#define HEAD 38 /* of what is cut: names differ at their ends, too */

/* One character or escape. */
struct unit {
	char text[4];
	uint8_t len, chars;
};

/* A cell: the first HEAD characters, and the last ones of the rest. */
struct cell {
	char head[4 * HEAD];
	size_t len, chars;    /* of the head */
	bool full;            /* nothing more goes into it */
	struct unit tail[SHOWN]; /* a ring */
	size_t first, n_tail, tail_chars;
	bool cut;
};

/* What the tail may have, and no more. */
static void
shorten(struct cell *c, size_t chars)
{
	while (c->tail_chars > chars) {
		c->tail_chars -= c->tail[c->first].chars;
		c->first = (c->first + 1) % SHOWN;
		c->n_tail--;
	}
}

/* Adds what has so many characters. */
static void
add(struct cell *c, const char *p, size_t n, size_t chars)
{
	struct unit *u;

	c->full = c->full || c->chars + chars > HEAD;
	if (!c->full) {
		memcpy(c->head + c->len, p, n);
		c->len += n;
		c->chars += chars;
		return;
	}
	if (c->chars + c->tail_chars + chars > SHOWN) {
		c->cut = true;
		shorten(c, SHOWN - c->chars - chars);
	}
	u = &c->tail[(c->first + c->n_tail++) % SHOWN];
	memcpy(u->text, p, n);
	u->len = (uint8_t)n;
	u->chars = (uint8_t)chars;
	c->tail_chars += chars;
}

/* The cell as it is shown, at most SHOWN characters of four bytes. */
static struct tl_str
shown(struct cell *c, char *text)
{
	size_t len = c->len;

	memcpy(text, c->head, len);
	if (c->cut) {
		shorten(c, SHOWN - c->chars - (sizeof CUT - 1));
		memcpy(text + len, CUT, sizeof CUT - 1);
		len += sizeof CUT - 1;
	}
	for (size_t i = 0; i < c->n_tail; i++) {
		const struct unit *u = &c->tail[(c->first + i) % SHOWN];

		memcpy(text + len, u->text, u->len);
		len += u->len;
	}
	return (struct tl_str){ text, len };
}

static size_t
chars_of(struct tl_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

static void
cell(struct writer *w, struct tl_str s, bool text)
{
	struct column *c = &w->col[w->at - 1];
	size_t width = chars_of(s);

	if (w->at > 1)
		put_s(w, "\t");
	put(w, s.p, s.n);
	c->text |= text;
	if (c->width < width)
		c->width = width;
}

void
table_plain(struct writer *w, struct tl_str s)
{
	cell(w, s, false);
}

void
table_text(struct writer *w, struct tl_str s)
{
	struct cell c = { .len = 0 };
	char esc[4], buf[4 * SHOWN];

	if (tl_str_is(s, "."))
		add(&c, "\\x2E", 4, 4);
	else
		for (size_t i = 0, n; i < s.n; i += n) {
			n = tl_utf8_len(s.p + i, s.n - i);
			if (n > 0 && tl_esc_clean(s.p + i, n)) {
				add(&c, s.p + i, n, 1);
			} else {
				size_t k = tl_esc(esc, s.p + i, 1);

				n = 1;
				add(&c, esc, k, k);
			}
		}
	cell(w, shown(&c, buf), true);
}

void
table_blob(struct writer *w, struct tl_str s)
{
	struct cell c = { .len = 0 };
	char hex[3], buf[4 * SHOWN];

	add(&c, "\\b", 2, 2);
	for (size_t i = 0; i < s.n; i++) {
		snprintf(hex, sizeof hex, "%02X", (unsigned char)s.p[i]);
		add(&c, hex, 2, 2);
	}
	cell(w, shown(&c, buf), true);
}

static void
spaces(struct tl_out *out, size_t n)
{
	while (n-- > 0)
		tl_xout_c(out, ' ');
}

void
table_xprint(struct writer *w)
{
	struct tl_str row;

	while (tl_xspool_next(w->keep, &row)) {
		size_t gap = 0;

		for (size_t i = 0; i < w->n_cols; i++) {
			const char *tab = row.n == 0 ? NULL :
			    memchr(row.p, '\t', row.n);
			struct tl_str s = { row.p, tab == NULL ? row.n :
			    (size_t)(tab - row.p) };
			size_t pad = w->col[i].width - chars_of(s);

			/* nothing at the end of a line */
			if (s.n > 0) {
				spaces(&w->out, gap);
				gap = 0;
				if (!w->col[i].text)
					spaces(&w->out, pad);
				tl_xout_str(&w->out, s);
				pad = w->col[i].text ? pad : 0;
			}
			gap += pad + 2;
			row.p += s.n + (tab != NULL);
			row.n -= s.n + (tab != NULL);
		}
		tl_xout_c(&w->out, '\n');
	}
}
