/* Rows on their way out: kept until all are there, or printed as they come. */
#include "tl-query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define KEEP ((uint64_t)16 << 20)

static void
flush(struct writer *w)
{
	if (w->len == 0)
		return;
	if (w->keep != NULL)
		tl_xspool_add(w->keep, (struct tl_str){ w->buf, w->len });
	else
		tl_xout_write(&w->out, w->buf, w->len);
	w->len = 0;
}

void
put(struct writer *w, const char *p, size_t n)
{
	if (w->format == F_TABLE && w->cap - w->len < n) {
		w->cap = 2 * (w->cap + n);
		w->buf = tl_xreallocarray(w->buf, w->cap, 1);
	}
	while (n > 0) {
		size_t k = w->cap - w->len < n ? w->cap - w->len : n;

		memcpy(w->buf + w->len, p, k);
		w->len += k;
		p += k;
		n -= k;
		if (w->len == w->cap && w->format != F_TABLE)
			flush(w);
	}
}

void
put_s(struct writer *w, const char *s)
{
	put(w, s, strlen(s));
}

static char *
numbered(const char *name, size_t number)
{
	size_t n = strlen(name) + 24;
	char *s = tl_xmalloc(n);

	snprintf(s, n, "%s:%zu", name, number);
	return s;
}

static bool
taken(const struct writer *w, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(w->col[i].name, name) == 0)
			return true;
	return false;
}

/* An object has no two members of one name: the second is NAME:2, the next
 * NAME:3, and so on, past names that are there. */
static void
tell_apart(struct writer *w, const char *const *name)
{
	size_t *number = tl_xcalloc(w->n_cols, sizeof *number);

	for (size_t i = 0; i < w->n_cols; i++) {
		number[i] = 1;
		for (size_t j = 0; j < i; j++)
			if (strcmp(name[j], name[i]) == 0)
				number[i] = number[j] + 1;
		if (number[i] == 1 && !taken(w, i, name[i]))
			continue;
		number[i] += number[i] == 1;
		for (;; number[i]++) {
			free(w->col[i].name);
			w->col[i].name = numbered(name[i], number[i]);
			if (!taken(w, i, w->col[i].name))
				break;
		}
	}
	free(number);
}

void
writer_xopen(struct writer *w, enum format format, bool keep,
    const char *const *name, size_t n_cols)
{
	*w = (struct writer){ .format = format, .n_cols = n_cols };
	w->col = tl_xcalloc(n_cols, sizeof *w->col);
	for (size_t i = 0; i < n_cols; i++)
		w->col[i].name = tl_xstrdup(name[i]);
	w->cap = TL_BUFSZ;
	w->buf = tl_xmalloc(w->cap);
	tl_xout_open(&w->out, NULL);
	if (keep || format == F_TABLE)
		w->keep = tl_xspool_new(KEEP);
	if (format == F_JSONL) {
		tell_apart(w, name);
		return;
	}
	for (size_t i = 0; i < n_cols; i++)
		writer_xtext(w, (struct tl_str){ name[i], strlen(name[i]) });
	writer_xrow(w);
	for (size_t i = 0; i < n_cols; i++)
		w->col[i].text = false; /* the name is none of the values */
}

void
writer_xrow(struct writer *w)
{
	switch (w->format) {
	case F_TSV:
		put_s(w, "\n");
		break;
	case F_CSV:
		put_s(w, "\r\n");
		break;
	case F_JSONL:
		put_s(w, "}\n");
		break;
	case F_TABLE:
		flush(w);
		break;
	}
	w->at = 0;
}

void
writer_xclose(struct writer *w)
{
	struct tl_str s;

	flush(w);
	if (w->format == F_TABLE)
		table_xprint(w);
	else
		while (w->keep != NULL && tl_xspool_next(w->keep, &s))
			tl_xout_write(&w->out, s.p, s.n);
	tl_xout_close(&w->out);
	for (size_t i = 0; i < w->n_cols; i++)
		free(w->col[i].name);
	free(w->col);
	free(w->buf);
	if (w->keep != NULL)
		tl_spool_free(w->keep);
}
