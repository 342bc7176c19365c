#ifndef TL_IO_H
#define TL_IO_H

#include <stdbool.h>

#include "err.h"
#include "str.h"

/* Buffer size of input and output: the capacity of a pipe, so that writer and
 * reader overlap. Builds for tests make it tiny, so that every line crosses a
 * refill. */
#ifndef TL_BUFSZ
#define TL_BUFSZ 65536
#endif

/* Longest line of a stream, its newline not counted. */
#define TL_LINE_MAX ((size_t)1 << 20)

/* A file, a pipe or standard input, read as bytes or as lines. Content that
 * begins with the gzip magic is decompressed on the way, whatever its name:
 * several members, zero padding behind the last. */
struct tl_in {
	const char *name; /* for messages: the path, or "<stdin>" */
	int fd;
	char *buf;
	size_t cap, pos, end;
	uint64_t line;   /* number of the line last given out, from 1 */
	uint64_t off;    /* offset of buf[pos] in the decompressed content */
	bool eof, gz, sniffed;
	struct tl_gz *z; /* NULL while plain */
};

/* Opens path, or standard input for NULL and "-". The name is kept, not
 * copied. A directory or a terminal is refused. */
enum tl_status tl_in_open(struct tl_in *in, const char *path,
    struct tl_err *err) TL_MUST_USE;

/* Next line without its LF; *line is valid until the next call, writable, and
 * has a NUL behind it. A last line without LF, a line past TL_LINE_MAX, a CR
 * before the LF and a NUL byte within a line are errors ("place: what: cause"
 * with file and line). */
enum tl_status tl_in_line(struct tl_in *in, char **line, size_t *len,
    struct tl_err *err) TL_MUST_USE;

/* Next piece of content, at most TL_BUFSZ bytes, valid until the next call.
 * in->off is its offset plus *len. A gzip member that is cut short or damaged
 * is TL_ERR after all bytes before the damage were given out. Do not mix with
 * tl_in_line. */
enum tl_status tl_in_chunk(struct tl_in *in, const char **p, size_t *len,
    struct tl_err *err) TL_MUST_USE;

void tl_in_close(struct tl_in *in);

/* An output: standard output, or a file that appears whole or not at all.
 * The tl_xout_ functions exit 1 with a message when a write fails; a reader
 * that went away ends the program by SIGPIPE, or silently with status 1 where
 * a parent ignores that signal. */
struct tl_out {
	const char *name; /* path, or "<stdout>" */
	char *tmp;        /* temporary name, NULL where there is none */
	int fd;
	size_t len;
	char *buf;
};

/* Opens path, or standard output for NULL and "-". Where path is a link, what
 * it points to is replaced; a device or a FIFO is written to as it is. */
void tl_xout_open(struct tl_out *out, const char *path);
void tl_xout_write(struct tl_out *out, const char *p, size_t len);
void tl_xout_flush(struct tl_out *out);

/* Flushes, syncs, closes and publishes. Standard output is closed as well, so
 * that its last error is seen. */
void tl_xout_close(struct tl_out *out);

/* Room for len (at most TL_OUT_ROOM) bytes at the returned place; say how many
 * were used by tl_out_used. */
#define TL_OUT_ROOM ((size_t)4096)
char *tl_xout_room(struct tl_out *out, size_t len);

static inline void
tl_out_used(struct tl_out *out, size_t n)
{
	out->len += n;
}

void tl_xout_c(struct tl_out *out, char c);
void tl_xout_str(struct tl_out *out, struct tl_str s);
void tl_xout_puts(struct tl_out *out, const char *s);
void tl_xout_u64(struct tl_out *out, uint64_t v);
void tl_xout_i64(struct tl_out *out, int64_t v);
void tl_xout_esc(struct tl_out *out, struct tl_str raw); /* escaped text */

/* printf into the output, for text off the hot path; at most 4,000 bytes. */
void tl_xout_printf(struct tl_out *out, const char *fmt, ...) TL_PRINTF(2, 3);

/* Writes all of p[0..len) to fd, retrying short writes and EINTR. false with
 * errno set on failure. */
bool tl_write_all(int fd, const void *p, size_t len);

/* Exits 1 if out_path (NULL: none) is the file that is read: in_path, or
 * standard input for NULL and "-". Links lead to what they name. */
void tl_xout_not_input(const char *out_path, const char *in_path);

#endif
