#include "tl-nsys2ev.h"

#include <stdlib.h>

/* Rows of all tables in the order of the stream. A table in order of time, or
 * a run of one, is a source of its own; tables in no order share one source,
 * which sorts. A source holds the rows that begin at one time, sorted, and the
 * row after them. */

struct source {
	struct reader rd;
	struct tl_sort *sort; /* NULL where it reads a table */
	struct row **slot;
	size_t n, at, cap;    /* rows at one time: slot[at..n) */
	bool ahead;           /* slot[n] is the next one */
	struct row *row;      /* the next in order */
};

static int
row_cmp(const struct row *a, const struct row *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->dur != b->dur) /* TL_NONE is less than any other */
		return a->dur > b->dur ? -1 : 1;
	if (a->t != b->t) /* in order of their tags */
		return a->t < b->t ? -1 : 1;
	return a->rowid < b->rowid ? -1 : a->rowid > b->rowid;
}

static int
slot_cmp(const void *a, const void *b)
{
	return row_cmp(*(struct row *const *)a, *(struct row *const *)b);
}

static bool
read_slot(struct nsys *n, struct source *s, size_t i)
{
	if (i == s->cap) {
		s->slot = tl_xgrow(s->slot, i, &s->cap, sizeof *s->slot);
		for (size_t j = i; j < s->cap; j++)
			s->slot[j] = tl_xcalloc(1, sizeof **s->slot);
	}
	return xreader_next(n, &s->rd, s->slot[i]);
}

static void
next_tie(struct nsys *n, struct source *s)
{
	struct row *tmp;

	s->at = 0;
	if (s->ahead) {
		tmp = s->slot[0];
		s->slot[0] = s->slot[s->n];
		s->slot[s->n] = tmp;
	} else if (s->n > 0 || !read_slot(n, s, 0)) {
		s->n = 0;
		s->row = NULL;
		return;
	}
	s->n = 1;
	while ((s->ahead = read_slot(n, s, s->n)) &&
	    s->slot[s->n]->start == s->slot[0]->start)
		s->n++;
	if (s->n > 1)
		qsort(s->slot, s->n, sizeof *s->slot, slot_cmp);
}

/* ---- rows in a sorter ---- */

static void
pack(struct tl_sort *sort, const struct row *r)
{
	char buf[sizeof r->v + sizeof r->has + TL_TEXT_MAX], *p = buf;
	struct tl_sort_rec rec = { .start_ns = r->start, .dur_ns = r->dur,
		.row = r->rowid, .data = buf };

	rec.tag = (uint32_t)(r->t->spec - specs);
	memcpy(p, &r->has, sizeof r->has);
	p += sizeof r->has;
	for (int f = 0; f < N_PACKED; f++) {
		if (!row_has(r, (enum field)f))
			continue;
		memcpy(p, &r->v[f], sizeof r->v[f]);
		p += sizeof r->v[f];
	}
	if (r->text.n > 0)
		memcpy(p, r->text.p, r->text.n);
	p += r->text.n;
	rec.len = (uint32_t)(p - buf);
	tl_xsort_add(sort, &rec);
}

static void
unpack(struct nsys *n, const struct tl_sort_rec *rec, struct row *r)
{
	const char *p = rec->data, *end = p + rec->len;

	r->t = &n->table[rec->tag];
	r->start = rec->start_ns;
	r->dur = rec->dur_ns;
	r->rowid = rec->row;
	memcpy(&r->has, p, sizeof r->has);
	p += sizeof r->has;
	for (int f = 0; f < N_PACKED; f++) {
		if (!row_has(r, (enum field)f))
			continue;
		memcpy(&r->v[f], p, sizeof r->v[f]);
		p += sizeof r->v[f];
	}
	r->text = (struct tl_str){ p, (size_t)(end - p) };
}

static void
next_sorted(struct nsys *n, struct source *s)
{
	struct tl_sort_rec rec;
	struct tl_err err;

	switch (tl_sort_next(s->sort, &rec, &err)) {
	case TL_OK:
		unpack(n, &rec, s->slot[0]);
		s->row = s->slot[0];
		break;
	case TL_EOF:
		s->row = NULL;
		break;
	case TL_ERR:
		tl_die("%s: sort: %s", n->db.file.path, err.msg);
	}
}

static void
sort_table(struct nsys *n, struct tl_sort *sort, struct table *t)
{
	struct reader rd;
	struct row r = { .buf = NULL };

	xreader_open(n, &rd, t, &t->all);
	while (xreader_next(n, &rd, &r))
		pack(sort, &r);
	reader_close(&rd);
	free(r.buf);
}

/* ---- the merge ---- */

static void
advance(struct nsys *n, struct source *s)
{
	if (s->sort != NULL) {
		next_sorted(n, s);
		return;
	}
	if (s->at + 1 < s->n)
		s->at++;
	else
		next_tie(n, s);
	if (s->n > 0)
		s->row = s->slot[s->at];
}

static struct source *
new_source(struct source **src, size_t *n)
{
	struct source *s = tl_xcalloc(1, sizeof *s);

	src[(*n)++] = s;
	return s;
}

static size_t
open_sources(struct nsys *n, struct source **src)
{
	struct tl_sort *sort = NULL;
	struct source *s;
	size_t k = 0;

	for (size_t i = 0; i < N_TABLES; i++) {
		struct table *t = &n->table[i];

		if (t->wanted && t->disordered) {
			if (sort == NULL)
				sort = tl_xsort_new(n->budget);
			sort_table(n, sort, t);
			continue;
		}
		for (size_t r = 0; t->wanted && r < t->n_runs; r++) {
			s = new_source(src, &k);
			xreader_open(n, &s->rd, t, &t->run[r]);
		}
	}
	if (sort != NULL) {
		s = new_source(src, &k);
		s->sort = sort;
		s->slot = tl_xcalloc(1, sizeof *s->slot);
		s->slot[0] = tl_xcalloc(1, sizeof **s->slot);
		s->cap = 1;
	}
	return k;
}

static void
close_source(struct source *s)
{
	if (s->sort != NULL)
		tl_sort_free(s->sort);
	else
		reader_close(&s->rd);
	for (size_t i = 0; i < s->cap; i++) {
		free(s->slot[i]->buf);
		free(s->slot[i]);
	}
	free(s->slot);
	free(s);
}

/* Moves heap[i] down to where no source below it comes before it. */
static void
sift(struct source **heap, size_t n, size_t i)
{
	struct source *s = heap[i];

	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= n)
			break;
		if (c + 1 < n && row_cmp(heap[c + 1]->row, heap[c]->row) < 0)
			c++;
		if (row_cmp(s->row, heap[c]->row) <= 0)
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = s;
}

void
xmerge(struct nsys *n)
{
	struct source *src[N_TABLES * MAX_RUNS + 1], *heap[N_TABLES * MAX_RUNS
	    + 1];
	size_t n_src, k = 0;

	xreader_setup(n);
	n_src = open_sources(n, src);
	for (size_t i = 0; i < n_src; i++) {
		advance(n, src[i]);
		if (src[i]->row != NULL)
			heap[k++] = src[i];
	}
	for (size_t i = k / 2; i-- > 0;)
		sift(heap, k, i);
	while (k > 0) {
		xevent(n, heap[0]->row);
		advance(n, heap[0]);
		if (heap[0]->row == NULL)
			heap[0] = heap[--k];
		if (k > 0)
			sift(heap, k, 0);
	}
	for (size_t i = 0; i < n_src; i++)
		close_source(src[i]);
}
