#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "esc.h"
#include "mem.h"
#include "num.h"
#include "tmp.h"

/* A test build has a tiny flush size, yet room for what is written at once. */
#define CAP ((size_t)TL_BUFSZ + TL_OUT_ROOM)

bool
tl_write_all(int fd, const void *p, size_t len)
{
	const char *s = p;

	while (len > 0) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		s += n;
		len -= (size_t)n;
	}
	return true;
}

/* The descriptor that a path names as such, -1 where it does not. What was
 * redirected into a plain file goes on there: that is not replaced, and has
 * perhaps something in it already. */
static int
descriptor(const char *path)
{
	static const char *const dir[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t n;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof dir / sizeof *dir; i++) {
		size_t len = strlen(dir[i]);

		if (strncmp(path, dir[i], len) == 0 &&
		    tl_num_str_u64((struct tl_str){ path + len,
		    strlen(path + len) }, &n) && n <= INT_MAX)
			return (int)n;
	}
	return -1;
}

void
tl_xout_open(struct tl_out *out, const char *path)
{
	struct tl_err err;
	struct stat st;

	*out = (struct tl_out){ .name = "<stdout>", .fd = STDOUT_FILENO };
	out->buf = tl_xmalloc(CAP);
	if (path == NULL || strcmp(path, "-") == 0)
		return;
	out->name = path;
	if (descriptor(path) >= 0) {
		out->fd = fcntl(descriptor(path), F_DUPFD_CLOEXEC, 3);
		if (out->fd < 0)
			tl_die("%s: open: %s", path, strerror(errno));
		return;
	}
	/* a device or FIFO is written to, not replaced by a file */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (out->fd < 0)
			tl_die("%s: open: %s", path, strerror(errno));
		return;
	}
	out->fd = tl_tmp_create(path, &out->tmp, &err);
	if (out->fd < 0)
		tl_die("%s", err.msg);
}

static void
die_write(const struct tl_out *out)
{
	if (errno == EPIPE)
		exit(1);
	tl_die("%s: write: %s", out->name, strerror(errno));
}

void
tl_xout_flush(struct tl_out *out)
{
	size_t len = out->len;

	out->len = 0;
	if (!tl_write_all(out->fd, out->buf, len))
		die_write(out);
}

void
tl_xout_close(struct tl_out *out)
{
	struct tl_err err;

	tl_xout_flush(out);
	free(out->buf);
	out->buf = NULL;
	if (out->tmp != NULL &&
	    tl_tmp_publish(out->fd, out->tmp, out->name, &err) != TL_OK)
		tl_die("%s", err.msg);
	if (close(out->fd) != 0)
		die_write(out);
	out->fd = -1;
}

char *
tl_xout_room(struct tl_out *out, size_t len)
{
	if (out->len >= TL_BUFSZ || CAP - out->len < len)
		tl_xout_flush(out);
	return out->buf + out->len;
}

void
tl_xout_write(struct tl_out *out, const char *p, size_t len)
{
	while (len > 0) {
		size_t n = len < TL_OUT_ROOM ? len : TL_OUT_ROOM;

		memcpy(tl_xout_room(out, n), p, n);
		out->len += n;
		p += n;
		len -= n;
	}
}

void
tl_xout_c(struct tl_out *out, char c)
{
	*tl_xout_room(out, 1) = c;
	out->len++;
}

void
tl_xout_str(struct tl_out *out, struct tl_str s)
{
	tl_xout_write(out, s.p, s.n);
}

void
tl_xout_puts(struct tl_out *out, const char *s)
{
	tl_xout_write(out, s, strlen(s));
}

void
tl_xout_u64(struct tl_out *out, uint64_t v)
{
	size_t n = tl_num_put_u64(tl_xout_room(out, 20), v);

	out->len += n;
}

void
tl_xout_i64(struct tl_out *out, int64_t v)
{
	size_t n = tl_num_put_i64(tl_xout_room(out, 20), v);

	out->len += n;
}

void
tl_xout_esc(struct tl_out *out, struct tl_str raw)
{
	if (tl_esc_clean(raw.p, raw.n) && !tl_str_none(raw)) {
		tl_xout_write(out, raw.p, raw.n);
		return;
	}
	if (tl_str_none(raw)) {
		tl_xout_puts(out, "\\x2E");
		return;
	}
	while (raw.n > 0) {
		size_t max = TL_OUT_ROOM / 4 - 4;
		size_t n = raw.n <= max ? raw.n : max;
		char *p = tl_xout_room(out, TL_OUT_ROOM);

		/* never cut within a UTF-8 sequence */
		while (n < raw.n && n > max - 4 &&
		    ((unsigned char)raw.p[n] & 0xc0) == 0x80)
			n--;
		if (n == 1 && raw.p[0] == '.') {
			*p = '.';
			out->len++;
		} else {
			size_t m = tl_esc(p, raw.p, n);

			out->len += m;
		}
		raw.p += n;
		raw.n -= n;
	}
}

void
tl_xout_printf(struct tl_out *out, const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p = tl_xout_room(out, TL_OUT_ROOM);

	va_start(ap, fmt);
	n = vsnprintf(p, TL_OUT_ROOM, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= TL_OUT_ROOM)
		tl_die("%s: write: text of %d bytes is too long", out->name, n);
	out->len += (size_t)n;
}

void
tl_xout_not_input(const char *out_path, const char *in_path)
{
	bool is_std = in_path == NULL || strcmp(in_path, "-") == 0;
	struct stat in, out;

	if (out_path == NULL || stat(out_path, &out) != 0 ||
	    (is_std ? fstat(STDIN_FILENO, &in) : stat(in_path, &in)) != 0)
		return;
	if (S_ISREG(in.st_mode) && in.st_dev == out.st_dev &&
	    in.st_ino == out.st_ino)
		tl_die("%s: output: is the input", out_path);
}
