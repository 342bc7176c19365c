#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "mem.h"

/* State of decompression. The compressed bytes live here, the content in
 * in->buf. */
struct tl_gz {
	z_stream z;
	bool in_member;  /* inside a member: its end is still to come */
	bool failed;     /* damaged behind what was given out */
	bool raw_eof;
	unsigned char raw[TL_BUFSZ < 512 ? 512 : TL_BUFSZ];
};

enum tl_status
tl_in_open(struct tl_in *in, const char *path, struct tl_err *err)
{
	struct stat st;
	bool is_std = path == NULL || (path[0] == '-' && path[1] == '\0');

	*in = (struct tl_in){ .name = is_std ? "<stdin>" : path };
	in->fd = is_std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) != 0) {
		tl_err_set(err, "%s: open: %s", in->name, strerror(errno));
		tl_in_close(in);
		return TL_ERR;
	}
	if (S_ISDIR(st.st_mode) || isatty(in->fd)) {
		tl_err_set(err, "%s: open: is a %s", in->name,
		    S_ISDIR(st.st_mode) ? "directory" : "terminal");
		tl_in_close(in);
		return TL_ERR;
	}
	in->cap = TL_BUFSZ;
	in->buf = tl_xmalloc(in->cap + 1);
	return TL_OK;
}

void
tl_in_close(struct tl_in *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
	if (in->z != NULL)
		inflateEnd(&in->z->z);
	free(in->z);
	in->z = NULL;
	free(in->buf);
	in->buf = NULL;
}

/* read(2) with EINTR retried; -1 with err set. */
static ssize_t
read_fd(struct tl_in *in, void *p, size_t len, struct tl_err *err)
{
	ssize_t n;

	do
		n = read(in->fd, p, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		tl_err_set(err, "%s: read: %s", in->name, strerror(errno));
	return n;
}

static enum tl_status
gz_error(struct tl_in *in, const char *why, struct tl_err *err)
{
	tl_err_set(err, "%s: byte %llu: gzip: %s", in->name,
	    (unsigned long long)(in->off + (in->end - in->pos)), why);
	return TL_ERR;
}

/* Begins the next member, or finds the end: padding of zeros is skipped, other
 * bytes behind a member are an error. TL_EOF at the end. */
static enum tl_status
gz_next_member(struct tl_in *in, struct tl_err *err)
{
	struct tl_gz *g = in->z;

	while (g->z.avail_in > 0 && *g->z.next_in == 0) {
		g->z.next_in++;
		g->z.avail_in--;
	}
	if (g->z.avail_in == 0)
		return g->raw_eof ? TL_EOF : TL_OK;
	if (*g->z.next_in != 0x1f)
		return gz_error(in, "no gzip member where one should begin",
		    err);
	inflateReset(&g->z);
	g->in_member = true;
	return TL_OK;
}

/* Decompresses up to room bytes to p. TL_EOF at the end of the content. */
static enum tl_status
gz_read(struct tl_in *in, char *p, size_t room, size_t *got,
    struct tl_err *err)
{
	struct tl_gz *g = in->z;

	g->z.next_out = (unsigned char *)p;
	g->z.avail_out = (unsigned)room;
	*got = 0;
	while (*got == 0) {
		int rc;

		if (g->z.avail_in == 0 && !g->raw_eof) {
			ssize_t n = read_fd(in, g->raw, sizeof g->raw, err);

			if (n < 0)
				return TL_ERR;
			g->raw_eof = n == 0;
			g->z.next_in = g->raw;
			g->z.avail_in = (unsigned)n;
		}
		if (!g->in_member) {
			enum tl_status st = gz_next_member(in, err);

			if (st != TL_OK)
				return st;
			if (!g->in_member)
				continue;
		}
		if (g->z.avail_in == 0 && !g->failed)
			return gz_error(in, "data ends within a member", err);
		rc = inflate(&g->z, Z_NO_FLUSH);
		*got = room - g->z.avail_out;
		g->failed = rc != Z_OK && rc != Z_STREAM_END;
		if (rc == Z_STREAM_END)
			g->in_member = false;
		else if (g->failed && *got == 0)
			return gz_error(in, g->z.msg ? g->z.msg :
			    "damaged data", err);
	}
	return TL_OK;
}

/* Looks at the first two bytes, which are in buf, and turns to decompression
 * where they are the gzip magic. */
static void
sniff(struct tl_in *in)
{
	const unsigned char *b = (const unsigned char *)in->buf;

	in->sniffed = true;
	if (in->end < 2 || b[0] != 0x1f || b[1] != 0x8b)
		return;
	in->gz = true;
	in->z = tl_xcalloc(1, sizeof *in->z);
	if (inflateInit2(&in->z->z, 16 + MAX_WBITS) != Z_OK)
		tl_die("%s: out of memory", in->name);
	memcpy(in->z->raw, in->buf, in->end);
	in->z->z.next_in = in->z->raw;
	in->z->z.avail_in = (unsigned)in->end;
	in->end = 0;
}

/* Adds bytes behind in->end, at least one unless it is the end (in->eof). */
static enum tl_status
fill(struct tl_in *in, struct tl_err *err)
{
	size_t room = in->cap - in->end;
	ssize_t n;

	if (!in->sniffed) {
		/* two bytes decide; a pipe may hand them out singly */
		while (in->end < 2) {
			n = read_fd(in, in->buf + in->end,
			    (TL_BUFSZ < 512 ? TL_BUFSZ : 512) - in->end, err);
			if (n < 0)
				return TL_ERR;
			if (n == 0)
				break;
			in->end += (size_t)n;
		}
		sniff(in);
		if (in->end > 0)
			return TL_OK;
		if (!in->gz) {
			in->eof = true;
			return TL_OK;
		}
		room = in->cap;
	}
	if (in->gz) {
		size_t got = 0;
		enum tl_status st = gz_read(in, in->buf + in->end, room, &got,
		    err);

		in->eof = st == TL_EOF;
		in->end += got;
		return st == TL_ERR ? TL_ERR : TL_OK;
	}
	n = read_fd(in, in->buf + in->end, room, err);
	if (n < 0)
		return TL_ERR;
	in->eof = n == 0;
	in->end += (size_t)n;
	return TL_OK;
}

enum tl_status
tl_in_chunk(struct tl_in *in, const char **p, size_t *len, struct tl_err *err)
{
	in->pos = in->end = 0;
	if (in->eof)
		return TL_EOF;
	if (fill(in, err) != TL_OK)
		return TL_ERR;
	if (in->end == 0)
		return TL_EOF;
	*p = in->buf;
	*len = in->end;
	in->off += in->end;
	return TL_OK;
}

static enum tl_status
line_error(struct tl_in *in, const char *why, struct tl_err *err)
{
	in->line++;
	err->line = in->line;
	tl_err_set(err, "%s:%llu: %s", in->name, (unsigned long long)in->line,
	    why);
	return TL_ERR;
}

/* The unfinished line moves to the front, the buffer doubles when it is full. */
static void
make_room(struct tl_in *in)
{
	if (in->pos > 0) {
		memmove(in->buf, in->buf + in->pos, in->end - in->pos);
		in->end -= in->pos;
		in->pos = 0;
	}
	if (in->end == in->cap) {
		in->cap *= 2;
		in->buf = tl_xreallocarray(in->buf, in->cap + 1, 1);
	}
}

enum tl_status
tl_in_line(struct tl_in *in, char **line, size_t *len, struct tl_err *err)
{
	size_t seen = 0;

	for (;;) {
		char *s = in->buf + in->pos;
		char *nl = in->end - in->pos == seen ? NULL :
		    memchr(s + seen, '\n', in->end - in->pos - seen);
		size_t n = nl == NULL ? in->end - in->pos : (size_t)(nl - s);

		if (n > TL_LINE_MAX)
			return line_error(in, "line is longer than 1 MiB", err);
		if (nl != NULL) {
			in->pos += n + 1;
			in->off += n + 1;
			*nl = '\0';
			*line = s;
			*len = n;
			if (n > 0 && s[n - 1] == '\r')
				return line_error(in, "line ends in CR LF, "
				    "not LF", err);
			if (strlen(s) != n)
				return line_error(in, "NUL byte in line", err);
			in->line++;
			return TL_OK;
		}
		if (in->eof && n == 0)
			return TL_EOF;
		if (in->eof)
			return line_error(in, "last line has no newline: the "
			    "stream was cut", err);
		seen = n;
		make_room(in);
		if (fill(in, err) != TL_OK)
			return TL_ERR;
	}
}
