/* io.h: lines and chunks from files, pipes and gzip; outputs that appear
 * whole. */
#include "io.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "mem.h"

#include "tap.h"

static char path[512]; /* of the file that a test reads */

static const char *
in_tmp(char *buf, size_t size, const char *name)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(buf, size, "%s/%s", tmp != NULL ? tmp : "/tmp", name);
	return buf;
}

static void
put_file(const char *name, const void *p, size_t n)
{
	FILE *f = fopen(in_tmp(path, sizeof path, name), "w");

	if (f == NULL || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

/* What p is as one gzip member; returns its length. */
static size_t
gz(unsigned char *out, size_t room, const void *p, size_t n)
{
	z_stream z = { .next_out = out, .avail_out = (unsigned)room };

	z.next_in = tl_xmalloc(n);
	memcpy(z.next_in, p, n);
	z.avail_in = (unsigned)n;
	if (deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
	    Z_DEFAULT_STRATEGY) != Z_OK || deflate(&z, Z_FINISH) !=
	    Z_STREAM_END)
		abort();
	free(z.next_in - n);
	deflateEnd(&z);
	return room - z.avail_out;
}

/* Reads the file's lines into out, '|' between, then what ended it: '.' or the
 * message behind "!". */
static const char *
lines_of(char *out, size_t size)
{
	struct tl_in in;
	struct tl_err err = { .line = 0 };
	char *line;
	size_t len, n = 0;
	enum tl_status st;

	if (tl_in_open(&in, path, &err) != TL_OK)
		return "cannot open";
	while ((st = tl_in_line(&in, &line, &len, &err)) == TL_OK)
		n += (size_t)snprintf(out + n, size - n, "%.*s|",
		    len > 20 ? 20 : (int)len, line);
	snprintf(out + n, size - n, "%s", st == TL_EOF ? "." :
	    strchr(err.msg + strlen(path), ':'));
	tl_in_close(&in);
	return out;
}

static void
is(const char *got, const char *want, const char *what)
{
	tap(strcmp(got, want) == 0, "%s", what);
	if (strcmp(got, want) != 0)
		printf("# got '%s'\n# not '%s'\n", got, want);
}

static void
lines(const char *text, size_t n, const char *want, const char *what)
{
	char out[1024];

	put_file("lines", text, n);
	is(lines_of(out, sizeof out), want, what);
}
#define LINES(text, want, what) lines(text, sizeof(text) - 1, want, what)

static void
test_lines(void)
{
	LINES("", ".", "no byte, no line");
	LINES("a\n", "a|.", "one line");
	LINES("\n", "|.", "one empty line");
	LINES("a\n\nb\n", "a||b|.", "an empty line between");
	LINES("a\nb", "a|:2: last line has no newline: the stream was cut",
	    "a last line without newline");
	LINES("x", ":1: last line has no newline: the stream was cut",
	    "one byte");
	LINES("a\r\nb\n", ":1: line ends in CR LF, not LF", "CR LF");
	LINES("a\rb\n", "a\rb|.", "CR within a line is a byte");
	LINES("a\n\0b\n", "a|:2: NUL byte in line", "NUL");
	LINES("\x1f\n", "\x1f|.", "half of the gzip magic is no gzip");
	LINES("\x1f", ":1: last line has no newline: the stream was cut",
	    "half of the gzip magic alone");
}

/* Lines about as long as buffers, and as the limit. */
static void
test_lengths(void)
{
	static const size_t around[] = { 60, 64, 128, 65536, 131072,
		TL_LINE_MAX };
	char *text = tl_xmalloc(TL_LINE_MAX + 16), out[256];

	memset(text, 'a', TL_LINE_MAX + 16);
	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		for (int d = -2; d <= 2; d++) {
			size_t n = around[i] + (size_t)d;

			text[n] = '\n';
			text[n + 1] = 'z';
			text[n + 2] = '\n';
			put_file("lengths", text, n + 3);
			text[n] = text[n + 1] = text[n + 2] = 'a';
			is(lines_of(out, sizeof out), n > TL_LINE_MAX ?
			    ":1: line is longer than 1 MiB" :
			    "aaaaaaaaaaaaaaaaaaaa|z|.", n > TL_LINE_MAX ?
			    "a line past the limit" : "a long line");
		}
	}
	put_file("lengths", text, TL_LINE_MAX + 16);
	is(lines_of(out, sizeof out), ":1: line is longer than 1 MiB",
	    "a line past the limit that does not end");
	free(text);
}

static void
test_gzip(void)
{
	unsigned char b[4096];
	char out[1024];
	size_t n, m;

	n = gz(b, sizeof b, "one\ntwo\n", 8);
	put_file("gz", b, n);
	is(lines_of(out, sizeof out), "one|two|.", "gzip");
	for (size_t cut = 2; cut < n; cut++) {
		const char *got;

		put_file("gz", b, cut);
		got = lines_of(out, sizeof out);
		if (strstr(got, "gzip: data ends within a member") == NULL)
			is(got, "data ends within a member", "cut gzip");
	}
	tap(true, "gzip cut anywhere is an error");
	m = gz(b + n, sizeof b - n, "three\n", 6);
	put_file("gz", b, n + m);
	is(lines_of(out, sizeof out), "one|two|three|.", "two members");
	put_file("gz", b, n + m - 9);
	tap(strstr(lines_of(out, sizeof out), "data ends within a member") !=
	    NULL, "the second member cut");
	memset(b + n + m, 0, 600);
	put_file("gz", b, n + m + 600);
	is(lines_of(out, sizeof out), "one|two|three|.",
	    "zeros behind the last member");
	b[n + m + 599] = 'x';
	put_file("gz", b, n + m + 600);
	is(lines_of(out, sizeof out),
	    "one|two|three|: byte 14: gzip: no gzip member where one should "
	    "begin", "other bytes behind the last member");
	n = gz(b, sizeof b, "", 0);
	put_file("gz", b, n);
	is(lines_of(out, sizeof out), ".", "gzip of nothing");
	n = gz(b, sizeof b, "one\ntwo\n", 8);
	b[n - 8] ^= 1;
	put_file("gz", b, n);
	tap(strstr(lines_of(out, sizeof out), "incorrect data check") != NULL,
	    "a wrong checksum");
	b[2] = 9;
	put_file("gz", b, n);
	tap(strstr(lines_of(out, sizeof out), "gzip: ") != NULL,
	    "the magic alone");
}

/* A pipe that hands out single bytes. */
static void
slow(const void *p, size_t n, const char *want, const char *what)
{
	char out[1024];
	int fd[2], saved = dup(STDIN_FILENO);
	pid_t pid;

	if (pipe(fd) != 0)
		abort();
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < n; i++) {
			struct timespec t = { 0, 200000 };

			if (write(fd[1], (const char *)p + i, 1) != 1)
				_exit(1);
			nanosleep(&t, NULL);
		}
		_exit(0);
	}
	close(fd[1]);
	dup2(fd[0], STDIN_FILENO);
	snprintf(path, sizeof path, "-");
	is(lines_of(out, sizeof out), want, what);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd[0]);
	waitpid(pid, NULL, 0);
}

static void
test_pipe(void)
{
	unsigned char b[256];
	size_t n = gz(b, sizeof b, "one\ntwo\n", 8);

	slow("a\nbc\n", 5, "a|bc|.", "a pipe, byte by byte");
	slow(b, n, "one|two|.", "gzip from a pipe, byte by byte");
}

static void
test_chunks(void)
{
	struct tl_in in;
	struct tl_err err;
	const char *p;
	size_t len, n = 300000, got = 0;
	char *text = tl_xmalloc(n);
	bool same = true, off = true, small = true;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)(i * 31 >> 3);
	put_file("chunks", text, n);
	if (tl_in_open(&in, path, &err) != TL_OK)
		abort();
	while (tl_in_chunk(&in, &p, &len, &err) == TL_OK) {
		same &= got + len <= n && memcmp(p, text + got, len) == 0;
		got += len;
		off &= in.off == got;
		small &= len <= TL_BUFSZ;
	}
	tl_in_close(&in);
	tap(same && got == n, "chunks are the content");
	tap(off && small, "their offset and size");
	free(text);
}

static void
test_open(void)
{
	struct tl_in in;
	struct tl_err err;

	tap(tl_in_open(&in, "/nonexistent/x", &err) == TL_ERR &&
	    strcmp(err.msg, "/nonexistent/x: open: No such file or directory")
	    == 0, "a file that is not there");
	tap(tl_in_open(&in, "/", &err) == TL_ERR &&
	    strcmp(err.msg, "/: open: is a directory") == 0, "a directory");
}

/* Runs a function in a child; its status. */
static int
in_child(void (*f)(const char *), const char *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		f(arg);
		exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void
write_and_close(const char *to)
{
	struct tl_out out;

	tl_xout_open(&out, to);
	tl_xout_puts(&out, "new");
	tl_xout_close(&out);
}

static void
write_and_exit(const char *to)
{
	struct tl_out out;

	tl_xout_open(&out, to);
	tl_xout_puts(&out, "new");
	tl_xout_flush(&out);
	exit(3);
}

static void
write_and_hang_up(const char *to)
{
	struct tl_out out;

	tl_xout_open(&out, to);
	raise(SIGTERM);
}

static const char *onto; /* the output of refuse */

static void
refuse(const char *input)
{
	if (freopen("/dev/null", "w", stderr) == NULL)
		abort();
	tl_xout_not_input(onto, input);
}

static const char *
content(const char *name)
{
	static char text[64];
	FILE *f = fopen(name, "r");
	size_t n = f == NULL ? 0 : fread(text, 1, sizeof text - 1, f);

	text[n] = '\0';
	if (f != NULL)
		fclose(f);
	return text;
}

static void
test_whole(void)
{
	char to[512], link[512];
	struct stat st;

	put_file("out", "old", 3);
	memcpy(to, path, sizeof to);
	chmod(to, 0640);
	tap(in_child(write_and_exit, to) == 3 &&
	    strcmp(content(to), "old") == 0, "exit leaves what was there");
	tap(in_child(write_and_hang_up, to) == 128 &&
	    strcmp(content(to), "old") == 0, "so does a signal");
	tap(in_child(write_and_close, to) == 0 &&
	    strcmp(content(to), "new") == 0, "close puts it in place");
	tap(stat(to, &st) == 0 && (st.st_mode & 0777) == 0640,
	    "with the mode of what was there");
	put_file("out", "old", 3);
	unlink(in_tmp(link, sizeof link, "link"));
	tap(symlink("out", link) == 0 && in_child(write_and_close, link) == 0 &&
	    strcmp(content(to), "new") == 0 && lstat(link, &st) == 0 &&
	    S_ISLNK(st.st_mode), "a link stays one");
	tap(in_child(write_and_close, "/dev/null") == 0 &&
	    stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode),
	    "a device stays one");
	onto = link;
	tap(in_child(refuse, to) == 1, "a link to the input is the input");
	onto = "/dev/null";
	tap(in_child(refuse, to) == 0 && in_child(refuse, onto) == 0,
	    "another file is not, nor is a device");
	onto = NULL;
	tap(in_child(refuse, to) == 0, "nor is standard output");
}

static void
test_written(void)
{
	struct tl_out out;
	char to[512], *text = tl_xmalloc(200000), *want = tl_xmalloc(900000);
	size_t n = 0, m;
	FILE *f;

	tl_xout_open(&out, in_tmp(to, sizeof to, "written"));
	for (int i = 0; i < 3000; i++) {
		tl_xout_c(&out, 'c');
		tl_xout_i64(&out, -i);
		tl_xout_u64(&out, (uint64_t)i << 40);
		tl_xout_printf(&out, "%05d", i);
		n += (size_t)sprintf(want + n, "c%d%" PRIu64 "%05d", -i,
		    (uint64_t)i << 40, i);
	}
	/* long texts of characters of 1 to 4 bytes, cut at every byte of one */
	for (size_t k = 0; k < 10; k++) {
		memset(text, 'y', k);
		for (m = 0; m < 4000; m++)
			text[k + m] = "x\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9"
			    [m % 10];
		text[k + m] = '\t';
		tl_xout_esc(&out, (struct tl_str){ text, k + m + 1 });
		memcpy(want + n, text, k + m);
		n += k + m;
		want[n++] = '\\';
		want[n++] = 't';
	}
	tl_xout_esc(&out, TL_LIT("."));
	memcpy(want + n, "\\x2E", 4);
	n += 4;
	tl_xout_close(&out);
	f = fopen(to, "r");
	m = f == NULL ? 0 : fread(text, 1, 200000, f);
	tap(m == n && memcmp(text, want, n) == 0,
	    "what was written is there (%zu, %zu)", m, n);
	if (f != NULL)
		fclose(f);
	free(text);
	free(want);
}

int
main(void)
{
	test_lines();
	test_lengths();
	test_gzip();
	test_pipe();
	test_chunks();
	test_open();
	test_whole();
	test_written();
	return tap_done();
}
