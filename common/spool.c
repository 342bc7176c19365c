#include "spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io.h"
#include "mem.h"
#include "tmp.h"

/* Memory is taken in blocks; a piece with its length lies within one. Reading
 * back from the file uses one block as its buffer. */
#define BLOCK ((size_t)TL_BUFSZ * 16)

struct block {
	char *p;
	size_t len, cap;
};

struct tl_spool {
	struct block *block;
	size_t n, cap;     /* blocks */
	uint64_t bytes;    /* of all blocks */
	uint64_t budget;
	int fd;            /* -1: all in memory */
	uint64_t file_len, file_pos;
	struct block buf;  /* for reading the file: buf.p[at..buf.len) */
	size_t at;         /* in buf, or in block[from] */
	size_t from;
};

struct tl_spool *
tl_xspool_new(uint64_t budget)
{
	struct tl_spool *s = tl_xcalloc(1, sizeof *s);

	s->budget = budget;
	s->fd = -1;
	return s;
}

static void
die(const char *what)
{
	tl_die("temporary file: %s: %s", what, strerror(errno));
}

/* Moves all blocks to the file, keeping one for what comes. */
static void
spill(struct tl_spool *s)
{
	struct tl_err err;

	if (s->fd < 0) {
		s->fd = tl_tmp_spool(&err);
		if (s->fd < 0)
			tl_die("%s", err.msg);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (!tl_write_all(s->fd, s->block[i].p, s->block[i].len))
			die("write");
		s->file_len += s->block[i].len;
		if (i > 0)
			free(s->block[i].p);
	}
	if (s->n > 0) {
		s->n = 1;
		s->block[0].len = 0;
		s->bytes = s->block[0].cap;
	}
}

/* A block with room for len bytes. */
static struct block *
block_for(struct tl_spool *s, size_t len)
{
	struct block *b = s->n > 0 ? &s->block[s->n - 1] : NULL;
	size_t cap = len > BLOCK ? len : BLOCK;

	if (b != NULL && b->cap - b->len >= len)
		return b;
	if (s->n > 0 && s->bytes + cap > s->budget) {
		spill(s);
		if (s->block[0].cap >= len)
			return &s->block[0];
	}
	s->block = tl_xgrow(s->block, s->n, &s->cap, sizeof *s->block);
	s->block[s->n] = (struct block){ tl_xmalloc(cap), 0, cap };
	s->bytes += cap;
	return &s->block[s->n++];
}

void
tl_xspool_add(struct tl_spool *s, struct tl_str piece)
{
	uint32_t n = (uint32_t)piece.n;
	struct block *b;

	if (piece.n > UINT32_MAX - sizeof n)
		tl_die("a text of %zu bytes is too long", piece.n);
	b = block_for(s, sizeof n + piece.n);
	memcpy(b->p + b->len, &n, sizeof n);
	memcpy(b->p + b->len + sizeof n, piece.p, piece.n);
	b->len += sizeof n + piece.n;
}

void
tl_xspool_rewind(struct tl_spool *s)
{
	s->file_pos = 0;
	s->buf.len = s->at = s->from = 0;
}

/* Makes buf hold at least want bytes from at on; they are in the file. */
static void
fill(struct tl_spool *s, size_t want)
{
	size_t have = s->buf.len - s->at;

	if (have >= want)
		return;
	if (s->buf.cap < want || s->buf.cap == 0) {
		s->buf.cap = want > BLOCK ? want : BLOCK;
		s->buf.p = tl_xreallocarray(s->buf.p, s->buf.cap, 1);
	}
	memmove(s->buf.p, s->buf.p + s->at, have);
	s->at = 0;
	s->buf.len = have;
	while (s->buf.len < want) {
		ssize_t n = pread(s->fd, s->buf.p + s->buf.len,
		    s->buf.cap - s->buf.len, (off_t)s->file_pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			die("read");
		s->buf.len += (size_t)n;
		s->file_pos += (uint64_t)n;
	}
}

/* What was spilled, first. */
static bool
next_of_file(struct tl_spool *s, struct tl_str *piece)
{
	uint32_t n;

	if (s->at == s->buf.len && s->file_pos == s->file_len)
		return false;
	fill(s, sizeof n);
	memcpy(&n, s->buf.p + s->at, sizeof n);
	fill(s, sizeof n + n);
	*piece = (struct tl_str){ s->buf.p + s->at + sizeof n, n };
	s->at += sizeof n + n;
	if (s->at == s->buf.len && s->file_pos == s->file_len)
		s->buf.len = s->at = 0;
	return true;
}

bool
tl_xspool_next(struct tl_spool *s, struct tl_str *piece)
{
	uint32_t n;

	if ((s->file_pos < s->file_len || s->buf.len > 0) &&
	    next_of_file(s, piece))
		return true;
	while (s->from < s->n && s->at == s->block[s->from].len) {
		s->from++;
		s->at = 0;
	}
	if (s->from == s->n)
		return false;
	memcpy(&n, s->block[s->from].p + s->at, sizeof n);
	*piece = (struct tl_str){ s->block[s->from].p + s->at + sizeof n, n };
	s->at += sizeof n + n;
	return true;
}

void
tl_spool_free(struct tl_spool *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->block[i].p);
	free(s->block);
	free(s->buf.p);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}
