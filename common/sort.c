#include "sort.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "mem.h"
#include "tmp.h"

/* What stands before a payload, in memory and in a run. */
struct head {
	int64_t start, dur;
	uint64_t row;
	uint32_t tag, len;
};

struct entry {
	int64_t start; /* of the head, at hand for comparing */
	const struct head *rec;
};

struct block {
	struct block *prev;
	size_t used, cap;
	uint64_t data[];
};

/* A sorted run: bytes [off, end) of its level's file. */
struct run {
	uint64_t off, end;
};

/* FAN_IN runs of one level are merged into one of the next. Runs of a higher
 * level are older than those of a lower one. */
enum { FAN_IN = 64, MAX_LEVELS = 10 };

struct level {
	int fd;
	size_t n;
	struct run run[FAN_IN];
};

/* A run that is being read. */
struct cursor {
	int fd;
	struct run left;     /* still in the file */
	char *buf;
	size_t pos, end, cap;
	const struct head *rec;
	size_t order;        /* older runs first, for equal records */
};

struct merge {
	struct cursor *cur;
	struct cursor **heap;
	size_t n_cur, n_heap;
	bool started;        /* heap[0] was given out */
};

struct tl_sort {
	uint64_t budget;
	size_t block_size;
	struct block *last;
	uint64_t bytes;      /* in blocks */
	struct entry *e, *spare;
	size_t n, cap;
	struct level level[MAX_LEVELS];
	size_t n_levels, n_runs;
	uint64_t count;
	bool reading;
	size_t at;           /* next entry, where nothing was spilled */
	struct merge m;
};

struct tl_sort *
tl_xsort_new(uint64_t budget)
{
	struct tl_sort *s = tl_xcalloc(1, sizeof *s);

	s->budget = budget;
	s->block_size = budget / 16 < 4096 ? 4096 :
	    budget / 16 > (1 << 20) ? 1 << 20 : (size_t)(budget / 16);
	return s;
}

static int
cmp_rest(const struct head *a, const struct head *b)
{
	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int
cmp_head(const struct head *a, const struct head *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return cmp_rest(a, b);
}

/* True if b must stand before a. */
static inline bool
after(const struct entry *a, const struct entry *b)
{
	if (a->start != b->start)
		return a->start > b->start;
	return cmp_rest(a->rec, b->rec) > 0;
}

/* End of the natural run that begins at i: what ascends, or what descends
 * strictly, which is turned round; short ones are made MIN_RUN long. */
enum { MIN_RUN = 16 };

static size_t
natural_run(struct entry *e, size_t i, size_t n)
{
	size_t j = i + 1, end;

	if (j < n && after(e + i, e + j)) {
		while (j + 1 < n && after(e + j, e + j + 1))
			j++;
		for (size_t a = i, b = j++; a < b; a++, b--) {
			struct entry t = e[a];

			e[a] = e[b];
			e[b] = t;
		}
	}
	while (j < n && !after(e + j - 1, e + j))
		j++;
	end = n - i < MIN_RUN ? n : i + MIN_RUN;
	for (; j < end; j++) {
		struct entry t = e[j];
		size_t k = j;

		for (; k > i && after(e + k - 1, &t); k--)
			e[k] = e[k - 1];
		e[k] = t;
	}
	return j;
}

static void
merge_two(struct entry *out, const struct entry *a, const struct entry *b,
    const struct entry *end)
{
	const struct entry *p = a, *q = b;

	if (q < end && after(q - 1, q)) {
		while (p < b && q < end)
			*out++ = after(p, q) ? *q++ : *p++;
	}
	memcpy(out, p, (size_t)(b - p) * sizeof *p);
	out += b - p;
	memcpy(out, q, (size_t)(end - q) * sizeof *q);
}

/* Merge sort that uses the runs it finds: captures are written a thread or a
 * stream after the other, each nearly in order. */
static void
sort_entries(struct tl_sort *s)
{
	size_t n_cut = 0, cap = 0, *cut = NULL;

	for (size_t i = 0; i < s->n;) {
		cut = tl_xgrow(cut, n_cut + 1, &cap, sizeof *cut);
		cut[n_cut++] = i;
		i = natural_run(s->e, i, s->n);
	}
	if (n_cut > 1)
		s->spare = tl_xreallocarray(NULL, s->cap, sizeof *s->spare);
	while (n_cut > 1) {
		struct entry *t = s->e;
		size_t k = 0;

		cut[n_cut] = s->n;
		for (size_t i = 0; i < n_cut; i += 2) {
			size_t mid = cut[i + 1];
			size_t end = i + 2 <= n_cut ? cut[i + 2] : s->n;

			merge_two(s->spare + cut[i], s->e + cut[i],
			    s->e + mid, s->e + end);
			cut[k++] = cut[i];
		}
		n_cut = k;
		s->e = s->spare;
		s->spare = t;
	}
	free(s->spare);
	s->spare = NULL;
	free(cut);
}

static size_t
padded(uint32_t len)
{
	return sizeof(struct head) + (((size_t)len + 7) & ~(size_t)7);
}

/* Buffered writing of one run behind those of its level. */
struct writer {
	struct tl_sort *s;
	struct level *l;
	char *buf;
	size_t len, cap;
};

TL_NORETURN static void
die_spool(const char *what)
{
	tl_die("temporary file: %s: %s", what, strerror(errno));
}

static void
flush_run(struct writer *w)
{
	if (!tl_write_all(w->l->fd, w->buf, w->len))
		die_spool("write");
	w->l->run[w->l->n].end += w->len;
	w->len = 0;
}

static void
open_run(struct writer *w, struct tl_sort *s, size_t level, size_t cap)
{
	struct level *l;
	struct tl_err err;

	if (level == MAX_LEVELS)
		tl_die("temporary file: more than %d levels of runs",
		    MAX_LEVELS);
	l = &s->level[level];
	while (s->n_levels <= level)
		s->level[s->n_levels++].fd = -1;
	if (l->fd < 0) {
		l->fd = tl_tmp_spool(&err);
		if (l->fd < 0)
			tl_die("%s", err.msg);
	}
	l->run[l->n].off = l->n == 0 ? 0 : l->run[l->n - 1].end;
	l->run[l->n].end = l->run[l->n].off;
	*w = (struct writer){ s, l, tl_xmalloc(cap), 0, cap };
}

static void
put_run(struct writer *w, const struct head *rec)
{
	size_t n = padded(rec->len), done = 0;

	while (done < n) {
		size_t k = w->cap - w->len < n - done ? w->cap - w->len :
		    n - done;

		memcpy(w->buf + w->len, (const char *)rec + done, k);
		w->len += k;
		done += k;
		if (w->len == w->cap)
			flush_run(w);
	}
}

static void
close_run(struct writer *w)
{
	flush_run(w);
	free(w->buf);
	w->l->n++;
}

/* Reads on; false with errno set on failure. */
static bool
cursor_fill(struct cursor *c, size_t need)
{
	memmove(c->buf, c->buf + c->pos, c->end - c->pos);
	c->end -= c->pos;
	c->pos = 0;
	if (need > c->cap) {
		c->cap = need;
		c->buf = tl_xreallocarray(c->buf, c->cap, 1);
	}
	while (c->end < need) {
		uint64_t left = c->left.end - c->left.off;
		size_t room = c->cap - c->end;
		ssize_t n = pread(c->fd, c->buf + c->end,
		    left < room ? (size_t)left : room, (off_t)c->left.off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return false;
		}
		c->end += (size_t)n;
		c->left.off += (uint64_t)n;
	}
	return true;
}

/* Next record of a run into c->rec, NULL at its end. */
static bool
cursor_next(struct cursor *c)
{
	const struct head *h;
	size_t n;

	if (c->end == c->pos && c->left.off == c->left.end) {
		c->rec = NULL;
		return true;
	}
	if (c->end - c->pos < sizeof *h && !cursor_fill(c, sizeof *h))
		return false;
	h = (const void *)(c->buf + c->pos);
	n = padded(h->len);
	if (c->end - c->pos < n && !cursor_fill(c, n))
		return false;
	c->rec = (const void *)(c->buf + c->pos);
	c->pos += n;
	return true;
}

static bool
cursor_less(const struct cursor *a, const struct cursor *b)
{
	int c = cmp_head(a->rec, b->rec);

	return c != 0 ? c < 0 : a->order < b->order;
}

static void
sift_down(struct merge *m, size_t i)
{
	struct cursor *c = m->heap[i];

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= m->n_heap)
			break;
		if (k + 1 < m->n_heap &&
		    cursor_less(m->heap[k + 1], m->heap[k]))
			k++;
		if (!cursor_less(m->heap[k], c))
			break;
		m->heap[i] = m->heap[k];
		i = k;
	}
	m->heap[i] = c;
}

/* Opens the runs of levels from..to, the oldest first. */
static bool
merge_open(struct tl_sort *s, size_t from, size_t to)
{
	struct merge *m = &s->m;
	size_t n = 0, cap;

	for (size_t l = from; l <= to; l++)
		n += s->level[l].n;
	m->cur = tl_xcalloc(n, sizeof *m->cur);
	m->heap = tl_xcalloc(n, sizeof(struct cursor *));
	cap = (size_t)(s->budget / 2 / (n + 1)) & ~(size_t)7;
	cap = cap < 4096 ? 4096 : cap > (1 << 18) ? 1 << 18 : cap;
	m->n_cur = m->n_heap = 0;
	m->started = false;
	for (size_t l = to + 1; l-- > from;) {
		for (size_t i = 0; i < s->level[l].n; i++) {
			struct cursor *c = &m->cur[m->n_cur];

			c->fd = s->level[l].fd;
			c->left = s->level[l].run[i];
			c->cap = cap;
			c->buf = tl_xmalloc(cap);
			c->order = m->n_cur++;
			if (!cursor_next(c))
				return false;
			if (c->rec != NULL)
				m->heap[m->n_heap++] = c;
		}
	}
	for (size_t i = m->n_heap / 2; i-- > 0;)
		sift_down(m, i);
	return true;
}

static void
merge_close(struct merge *m)
{
	for (size_t i = 0; i < m->n_cur; i++)
		free(m->cur[i].buf);
	free(m->cur);
	free(m->heap);
	*m = (struct merge){ 0 };
}

/* Next record of all into *rec, NULL at the end. */
static bool
merge_next(struct merge *m, const struct head **rec)
{
	if (m->started && m->n_heap > 0) {
		if (!cursor_next(m->heap[0]))
			return false;
		if (m->heap[0]->rec == NULL)
			m->heap[0] = m->heap[--m->n_heap];
		if (m->n_heap > 0)
			sift_down(m, 0);
	}
	m->started = true;
	*rec = m->n_heap > 0 ? m->heap[0]->rec : NULL;
	return true;
}

static void
level_up(struct tl_sort *s, size_t level)
{
	struct writer w;
	const struct head *rec;

	if (level + 1 < MAX_LEVELS && s->n_levels > level + 1 &&
	    s->level[level + 1].n == FAN_IN)
		level_up(s, level + 1);
	open_run(&w, s, level + 1, 1 << 16);
	if (!merge_open(s, level, level))
		die_spool("read");
	for (;;) {
		if (!merge_next(&s->m, &rec))
			die_spool("read");
		if (rec == NULL)
			break;
		put_run(&w, rec);
	}
	merge_close(&s->m);
	close_run(&w);
	s->level[level].n = 0;
	if (ftruncate(s->level[level].fd, 0) != 0 ||
	    lseek(s->level[level].fd, 0, SEEK_SET) != 0)
		die_spool("truncate");
}

static void
drop_records(struct tl_sort *s)
{
	while (s->last != NULL) {
		struct block *b = s->last;

		s->last = b->prev;
		free(b);
	}
	free(s->e);
	s->e = NULL;
	s->n = s->cap = 0;
	s->bytes = 0;
}

static void
spill(struct tl_sort *s)
{
	struct writer w;

	sort_entries(s);
	open_run(&w, s, 0, 1 << 16);
	for (size_t i = 0; i < s->n; i++)
		put_run(&w, s->e[i].rec);
	close_run(&w);
	s->n_runs++;
	drop_records(s);
	/* now there is room for the buffers of a merge */
	if (s->level[0].n == FAN_IN && !s->reading)
		level_up(s, 0);
}

/* Room for one more entry: the table, and as much again for sorting. */
static void
grow_entries(struct tl_sort *s)
{
	size_t cap = s->cap < 64 ? 64 : s->cap + s->cap / 2;

	s->e = tl_xreallocarray(s->e, cap, sizeof *s->e);
	s->cap = cap;
}

void
tl_xsort_add(struct tl_sort *s, const struct tl_sort_rec *rec)
{
	size_t n = padded(rec->len);
	struct block *b = s->last;
	struct head *h;

	if (s->n > 0 && s->bytes + n + 2 * sizeof *s->e *
	    (s->n < s->cap ? s->cap : s->cap + s->cap / 2) > s->budget) {
		spill(s);
		b = NULL;
	}
	if (b == NULL || b->cap - b->used < n) {
		size_t cap = n > s->block_size ? n : s->block_size;

		b = tl_xmalloc(sizeof *b + cap);
		b->prev = s->last;
		b->used = 0;
		b->cap = cap;
		s->last = b;
		s->bytes += sizeof *b + cap;
	}
	if (s->n == s->cap)
		grow_entries(s);
	h = (void *)((char *)b->data + b->used);
	b->used += n;
	*h = (struct head){ rec->start_ns, rec->dur_ns, rec->row, rec->tag,
		rec->len };
	if (rec->len > 0) {
		/* the padding is written to a run: give it a value */
		memset((char *)h + n - 8, 0, 8);
		memcpy(h + 1, rec->data, rec->len);
	}
	s->e[s->n++] = (struct entry){ rec->start_ns, h };
	s->count++;
}

static void
finish(struct tl_sort *s)
{
	s->reading = true;
	if (s->n_runs == 0)
		sort_entries(s);
	else if (s->n > 0)
		spill(s);
}

void
tl_xsort_rewind(struct tl_sort *s)
{
	if (!s->reading)
		finish(s);
	merge_close(&s->m);
	s->at = 0;
}

enum tl_status
tl_sort_next(struct tl_sort *s, struct tl_sort_rec *rec, struct tl_err *err)
{
	const struct head *h = NULL;

	if (!s->reading)
		finish(s);
	if (s->n_runs == 0) {
		if (s->at < s->n)
			h = s->e[s->at++].rec;
	} else if ((s->m.cur == NULL &&
	    !merge_open(s, 0, s->n_levels - 1)) || !merge_next(&s->m, &h)) {
		tl_err_set(err, "temporary file: read: %s", strerror(errno));
		return TL_ERR;
	}
	if (h == NULL)
		return TL_EOF;
	*rec = (struct tl_sort_rec){ h->start, h->dur, h->tag, h->len, h->row,
		h + 1 };
	return TL_OK;
}

uint64_t
tl_sort_count(const struct tl_sort *s)
{
	return s->count;
}

size_t
tl_sort_runs(const struct tl_sort *s)
{
	return s->n_runs;
}

void
tl_sort_free(struct tl_sort *s)
{
	if (s == NULL)
		return;
	drop_records(s);
	merge_close(&s->m);
	for (size_t i = 0; i < s->n_levels; i++)
		if (s->level[i].fd >= 0)
			close(s->level[i].fd);
	free(s);
}
