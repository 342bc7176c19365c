#define _XOPEN_SOURCE 700 /* realpath */
#include "tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"

#define MAX_TMP 8
#define SUFFIX ".XXXXXX"

/* The registry is per process by nature: signals and exit are. */
static char *volatile registry[MAX_TMP];
static bool installed;

static void
remove_all(void)
{
	for (size_t i = 0; i < MAX_TMP; i++)
		if (registry[i] != NULL)
			unlink(registry[i]);
}

static void
on_signal(int sig)
{
	remove_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
install(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
		SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU };
	struct sigaction old, sa = { .sa_handler = on_signal };

	if (installed)
		return;
	installed = true;
	atexit(remove_all);
	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++)
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(sigs[i], &sa, NULL);
}

static bool
enroll(char *name)
{
	for (size_t i = 0; i < MAX_TMP; i++) {
		if (registry[i] == NULL) {
			registry[i] = name;
			return true;
		}
	}
	return false;
}

static void
forget(const char *name)
{
	for (size_t i = 0; i < MAX_TMP; i++)
		if (registry[i] == name)
			registry[i] = NULL;
}

/* The mark of a temporary file is the bit S_ISVTX, which means nothing for plain
 * files, and which copies do not have. It is there from the first moment until
 * the file has its name. The other bits are what open(2) gives, or what the
 * file that is replaced has. */
static void
set_mode(int fd, const char *path, mode_t mark)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0) {
		fchmod(fd, (st.st_mode & 0777) | mark);
		return;
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, (0666 & ~mask) | mark);
}

/* path, or what it points to, with the suffix behind; owned. */
static char *
template_for(const char *path)
{
	char *real = realpath(path, NULL);
	const char *target = real != NULL ? real : path;
	size_t len = strlen(target);
	char *tmp = tl_xmalloc(len + sizeof SUFFIX);

	memcpy(tmp, target, len);
	memcpy(tmp + len, SUFFIX, sizeof SUFFIX);
	free(real);
	return tmp;
}

/* The lock that tells a temporary file at work from one that was left. Not one
 * of fcntl(2), which goes when the program closes the file anywhere. */
static bool
lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void
unmark(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0)
		fchmod(fd, st.st_mode & 0777);
}

/* A new file, marked, of a name that ends in SUFFIX; as mkstemp(3), which
 * cannot mark. */
static int
create(char *tmp)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	char *x = tmp + strlen(tmp) - strlen(SUFFIX) + 1;
	int fd = -1;

	for (int i = 0; i < 1000; i++) {
		struct timespec now;
		uint64_t v;

		clock_gettime(CLOCK_REALTIME, &now);
		v = ((uint64_t)now.tv_sec * 1000000000 +
		    (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 20;
		v *= 0x9e3779b97f4a7c15; /* spreads what differs little */
		for (char *p = x; *p != '\0'; p++, v /= sizeof letters - 1)
			*p = letters[v % (sizeof letters - 1)];
		fd = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		    S_ISVTX | S_IRUSR | S_IWUSR);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* The same, locked; *locked is false where the file system has no locks. A run
 * that cleans up may take the file away before it is. */
static int
create_locked(char *tmp, bool *locked)
{
	struct stat st;
	int fd;

	while ((fd = create(tmp)) >= 0) {
		*locked = lock(fd);
		if (fstat(fd, &st) != 0 || st.st_nlink > 0)
			break;
		close(fd);
	}
	return fd;
}

/* Removes what a run that was killed has left beside the output: named like a
 * temporary file of it, marked, and in nobody's hands. */
static void
clean_one(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & S_ISVTX) != 0 && lock(fd))
		unlink(name);
	close(fd);
}

static void
clean(const char *tmp)
{
	const char *slash = strrchr(tmp, '/');
	size_t n_dir = slash == NULL ? 0 : (size_t)(slash - tmp) + 1;
	const char *base = tmp + n_dir;
	size_t n = strlen(base), n_stem = n - strlen(SUFFIX) + 1;
	char *dir = tl_xmemdup0(n_dir == 0 ? "." : tmp, n_dir == 0 ? 1 : n_dir);
	char *name = tl_xmemdup0(tmp, n_dir + n);
	DIR *d = opendir(dir);
	const struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strlen(e->d_name) != n ||
		    memcmp(e->d_name, base, n_stem) != 0 ||
		    strcmp(e->d_name, base) == 0)
			continue;
		memcpy(name + n_dir, e->d_name, n);
		clean_one(name);
	}
	if (d != NULL)
		closedir(d);
	free(dir);
	free(name);
}

int
tl_tmp_create(const char *path, char **name, struct tl_err *err)
{
	char *tmp = template_for(path);
	bool locked;
	int fd;

	install();
	fd = create_locked(tmp, &locked);
	if (fd < 0 || !enroll(tmp)) {
		tl_err_set(err, "%s: create: %s", path,
		    fd < 0 ? strerror(errno) : "too many outputs");
		if (fd >= 0) {
			close(fd);
			unlink(tmp);
		}
		free(tmp);
		return -1;
	}
	set_mode(fd, path, locked ? S_ISVTX : 0);
	clean(tmp);
	*name = tmp;
	return fd;
}

char *
tl_tmp_target(const char *name)
{
	return tl_xmemdup0(name, strlen(name) - strlen(SUFFIX));
}

enum tl_status
tl_tmp_publish(int fd, char *name, const char *path, struct tl_err *err)
{
	char *target = tl_tmp_target(name);
	bool ok = fsync(fd) == 0 && rename(name, target) == 0;

	if (ok)
		unmark(fd);
	else
		tl_err_set(err, "%s: write: %s", path, strerror(errno));
	free(target);
	if (!ok) {
		tl_tmp_remove(name);
		return TL_ERR;
	}
	forget(name);
	free(name);
	return TL_OK;
}

void
tl_tmp_remove(char *name)
{
	unlink(name);
	forget(name);
	free(name);
}

int
tl_tmp_spool(struct tl_err *err)
{
	const char *dir = getenv("TMPDIR");
	char *path;
	size_t len;
	int fd;

	if (dir == NULL || *dir == '\0')
		dir = "/tmp";
	len = strlen(dir);
	path = tl_xmalloc(len + sizeof "/tl.XXXXXX");
	memcpy(path, dir, len);
	memcpy(path + len, "/tl.XXXXXX", sizeof "/tl.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		tl_err_set(err, "%s: create temporary file: %s", dir,
		    strerror(errno));
	else
		unlink(path);
	free(path);
	return fd;
}
