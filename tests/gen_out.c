#include "gen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { OUT_BUF = 1 << 20, MAX_TMP = 4 };

static char *tmp_files[MAX_TMP];

void
gen_die(const char *place, const char *what)
{
	fprintf(stderr, "gen: %s: %s\n", place, what);
	for (int i = 0; i < MAX_TMP; i++)
		if (tmp_files[i])
			unlink(tmp_files[i]);
	exit(1);
}

void *
gen_xrealloc(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		gen_die("memory", "size too large");
	n *= size;
	p = realloc(p, n ? n : 1);
	if (!p)
		gen_die("memory", "out of memory");
	return p;
}

char *
gen_tmpname(const char *path)
{
	struct stat st;
	size_t n = strlen(path) + 32;
	char *tmp;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return NULL;
	tmp = gen_xrealloc(NULL, n, 1);
	snprintf(tmp, n, "%s.%ld.tmp", path, (long)getpid());
	for (int i = 0; i < MAX_TMP; i++) {
		if (!tmp_files[i]) {
			tmp_files[i] = tmp;
			break;
		}
	}
	return tmp;
}

void
gen_rename(char *tmp, const char *path)
{
	if (rename(tmp, path) != 0)
		gen_die(path, strerror(errno));
	for (int i = 0; i < MAX_TMP; i++)
		if (tmp_files[i] == tmp)
			tmp_files[i] = NULL;
	free(tmp);
}

void
gen_out_open(struct gen_out *w, const char *path, bool gz, int level)
{
	char mode[8];

	memset(w, 0, sizeof *w);
	w->path = path ? path : "<stdout>";
	w->fd = STDOUT_FILENO;
	if (path) {
		w->tmp = gen_tmpname(path);
		w->fd = open(w->tmp ? w->tmp : path,
		    O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (w->fd < 0)
			gen_die(path, strerror(errno));
	}
	if (gz) {
		snprintf(mode, sizeof mode, "wb%d", level);
		w->gz = gzdopen(w->fd, mode);
		if (!w->gz)
			gen_die(w->path, "can't start gzip");
		gzbuffer(w->gz, OUT_BUF);
	}
	w->cap = OUT_BUF;
	w->buf = gen_xrealloc(NULL, w->cap, 1);
}

void
gen_out_flush(struct gen_out *w)
{
	size_t done = 0;

	while (done < w->n) {
		if (w->gz) {
			int k = gzwrite(w->gz, w->buf + done,
			    (unsigned)(w->n - done));
			if (k <= 0)
				gen_die(w->path, "write failed");
			done += (size_t)k;
			continue;
		}
		ssize_t k = write(w->fd, w->buf + done, w->n - done);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			gen_die(w->path, strerror(errno));
		done += (size_t)k;
	}
	w->n = 0;
}

void
gen_out_close(struct gen_out *w)
{
	gen_out_flush(w);
	if (w->gz) {
		if (gzclose(w->gz) != Z_OK)
			gen_die(w->path, "write failed");
	} else if (close(w->fd) != 0) {
		gen_die(w->path, strerror(errno));
	}
	free(w->buf);
	if (w->tmp)
		gen_rename(w->tmp, w->path);
}

void
gen_put(struct gen_out *w, const char *s, size_t n)
{
	while (n > w->cap - w->n) {
		size_t k = w->cap - w->n;

		memcpy(w->buf + w->n, s, k);
		w->n += k;
		s += k;
		n -= k;
		gen_out_flush(w);
	}
	memcpy(w->buf + w->n, s, n);
	w->n += n;
}

void
gen_puts(struct gen_out *w, const char *s)
{
	gen_put(w, s, strlen(s));
}

char *
gen_itoa(char *p, int64_t v)
{
	char tmp[24];
	int n = 0;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	if (v < 0)
		*p++ = '-';
	do
		tmp[n++] = (char)('0' + u % 10);
	while ((u /= 10) != 0);
	while (n > 0)
		*p++ = tmp[--n];
	*p = '\0';
	return p;
}

void
gen_puti(struct gen_out *w, int64_t v)
{
	char tmp[24];
	char *end = gen_itoa(tmp, v);

	gen_put(w, tmp, (size_t)(end - tmp));
}
