/* Fault injection, to be named in LD_PRELOAD: the call number TL_FAIL_AT (from
 * 1) of the function TL_FAIL_CALL fails in the program TL_FAIL_PROG, and where
 * TL_FAIL_LOG names a file, a byte is added to it when that happened. Later
 * calls work again, unless TL_FAIL_ON is set.
 *
 * TL_FAIL_CALL: read (EIO), short (read gives one byte), eintr (read and write
 * are interrupted), write (ENOSPC), fsync, close (EIO), rename (EACCES),
 * malloc (malloc, calloc and realloc: no memory), mkstemp (EMFILE; also an
 * open(2) that must make a new file). */
/* Both names of a function are defined here: no header may rename one. */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
ssize_t __read(int, void *, size_t);
ssize_t __write(int, const void *, size_t);

int mkstemp(char *name);
int mkstemp64(char *name);

static unsigned long n_calls;
static bool armed;
static char what[16];
static unsigned long fail_at;

__attribute__((constructor)) static void
start(void)
{
	const char *call = getenv("TL_FAIL_CALL"), *at = getenv("TL_FAIL_AT");
	const char *prog = getenv("TL_FAIL_PROG");

	if (call == NULL || at == NULL || prog == NULL ||
	    strcmp(prog, program_invocation_short_name) != 0)
		return;
	snprintf(what, sizeof what, "%s", call);
	fail_at = strtoul(at, NULL, 10);
	n_calls = 0;
	armed = true;
}

/* True if this call of the function is the one that fails. */
static bool
fails(const char *call)
{
	const char *log;
	int fd;

	if (!armed || strcmp(call, what) != 0 || ++n_calls < fail_at)
		return false;
	if (n_calls > fail_at && getenv("TL_FAIL_ON") == NULL)
		return false;
	log = getenv("TL_FAIL_LOG");
	fd = log == NULL ? -1 : open(log, O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (fd >= 0) {
		if (__write(fd, "x", 1) != 1)
			abort();
		armed = false;
		close(fd);
		armed = true;
	}
	return true;
}

static int
failure(int error)
{
	errno = error;
	return -1;
}

ssize_t
read(int fd, void *p, size_t len)
{
	if (fails("read"))
		return failure(EIO);
	if (fails("eintr"))
		return failure(EINTR);
	return __read(fd, p, len > 1 && fails("short") ? 1 : len);
}

ssize_t
write(int fd, const void *p, size_t len)
{
	if (fd == STDERR_FILENO)
		return __write(fd, p, len);
	if (fails("write"))
		return failure(ENOSPC);
	if (fails("eintr"))
		return failure(EINTR);
	return __write(fd, p, len);
}

void *
malloc(size_t size)
{
	return fails("malloc") ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails("malloc") ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return fails("malloc") ? NULL : __libc_realloc(p, size);
}

/* The function that the library would have answered the name with. */
static void *
next(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (p == NULL)
		abort();
	return p;
}

int
fsync(int fd)
{
	int (*f)(int);

	*(void **)&f = next("fsync");
	return fails("fsync") ? failure(EIO) : f(fd);
}

int
close(int fd)
{
	int (*f)(int);

	*(void **)&f = next("close");
	return fails("close") ? failure(EIO) : f(fd);
}

int
rename(const char *from, const char *to)
{
	int (*f)(const char *, const char *);

	*(void **)&f = next("rename");
	return fails("rename") ? failure(EACCES) : f(from, to);
}

/* glibc has two names for each of these, and headers choose. */
int
mkstemp(char *name)
{
	int (*f)(char *);

	*(void **)&f = next("mkstemp");
	return fails("mkstemp") ? failure(EMFILE) : f(name);
}

int
mkstemp64(char *name)
{
	return mkstemp(name);
}

static int
open_as(const char *name, const char *path, int flags, va_list ap)
{
	int (*f)(const char *, int, ...);
	mode_t mode = 0;

	if ((flags & O_CREAT) != 0)
		mode = va_arg(ap, mode_t);
	*(void **)&f = next(name);
	if ((flags & O_EXCL) != 0 && fails("mkstemp"))
		return failure(EMFILE);
	return f(path, flags, mode);
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_as("open", path, flags, ap);
	va_end(ap);
	return fd;
}

int
open64(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_as("open64", path, flags, ap);
	va_end(ap);
	return fd;
}

ssize_t
pwrite64(int fd, const void *p, size_t len, off64_t at)
{
	ssize_t (*f)(int, const void *, size_t, off64_t);

	*(void **)&f = next("pwrite64");
	if (fails("write"))
		return failure(ENOSPC);
	if (fails("eintr"))
		return failure(EINTR);
	return f(fd, p, len, at);
}

ssize_t
pread64(int fd, void *p, size_t len, off64_t at)
{
	ssize_t (*f)(int, void *, size_t, off64_t);

	*(void **)&f = next("pread64");
	return fails("read") ? failure(EIO) : f(fd, p, len, at);
}
