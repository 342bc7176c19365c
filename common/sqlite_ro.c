#include "sqlite_ro.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"
#include "what.h"

#define HEADER 100

static enum tl_status
fail(struct tl_err *err, const char *path, const char *what)
{
	tl_err_set(err, "%s: %s", path, what);
	return TL_ERR;
}

static char *
beside(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);
	char *p = tl_xmalloc(n + m + 1);

	memcpy(p, path, n);
	memcpy(p + n, suffix, m + 1);
	return p;
}

static void
stamp(struct tl_sqlite_stamp *t, const char *path)
{
	struct stat st;

	*t = (struct tl_sqlite_stamp){ .there = stat(path, &st) == 0 };
	if (t->there) {
		t->size = st.st_size;
		t->mtime = st.st_mtim;
	}
}

/* First bytes of a file, fewer where it is shorter; -1 with errno set. */
static ssize_t
head_of(const char *path, unsigned char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), e;
	size_t n = 0;
	ssize_t k;

	if (fd < 0)
		return -1;
	do {
		k = read(fd, buf + n, len - n);
		if (k > 0)
			n += (size_t)k;
	} while (n < len && (k > 0 || (k < 0 && errno == EINTR)));
	e = errno;
	close(fd);
	errno = e;
	return k < 0 ? -1 : (ssize_t)n;
}

static uint32_t
be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

/* The page count in the header holds if the writer was recent enough to keep
 * the change counter and the "version-valid-for" number equal. */
static enum tl_status
check_length(const char *path, const unsigned char *h, off_t size,
    struct tl_err *err)
{
	uint32_t page = (uint32_t)h[16] << 8 | h[17];
	uint64_t want;

	if (page == 1)
		page = 65536;
	if (page < 512 || (page & (page - 1)) != 0)
		return fail(err, path, "damaged SQLite database: bad page size "
		    "in its header");
	want = (uint64_t)be32(h + 28) * page;
	if (be32(h + 24) != be32(h + 92) || (uint64_t)size >= want)
		return TL_OK;
	tl_err_set(err, "%s: SQLite database is cut short: %lld of %llu bytes",
	    path, (long long)size, (unsigned long long)want);
	return TL_ERR;
}

/* A rollback journal that begins with a zero byte is a finished one. */
static enum tl_status
check_journal(const char *path, struct tl_err *err)
{
	char *name = beside(path, "-journal");
	unsigned char c = 0;
	bool hot = head_of(name, &c, 1) == 1 && c != 0;

	if (hot)
		tl_err_set(err, "%s: SQLite database in the middle of a "
		    "transaction ('%s-journal' is there): its writer has not "
		    "finished, or died", path, path);
	free(name);
	return hot ? TL_ERR : TL_OK;
}

static enum tl_status
no_database(const char *path, struct tl_err *err)
{
	const char *what = tl_what_file(path);

	tl_err_set(err, "%s: not an SQLite database%s%s", path,
	    what == NULL ? "" : ", but ", what == NULL ? "" : what);
	return TL_ERR;
}

static enum tl_status
check_file(struct tl_sqlite_ro *s, bool damaged, struct tl_err *err)
{
	unsigned char h[HEADER];
	struct stat st;
	ssize_t n;

	if (stat(s->path, &st) != 0)
		return fail(err, s->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(err, s->path, "is a directory, not a file");
	if (!S_ISREG(st.st_mode))
		return fail(err, s->path, "not a plain file: SQLite cannot "
		    "read from a pipe or a device");
	n = head_of(s->path, h, sizeof h);
	if (n < 0)
		return fail(err, s->path, strerror(errno));
	if (n == 0)
		return fail(err, s->path, "empty file, no SQLite database");
	if (n < 16 || memcmp(h, "SQLite format 3", 16) != 0)
		return no_database(s->path, err);
	if (n < HEADER)
		return fail(err, s->path, "SQLite database is cut short "
		    "within its header");
	if (!s->wal.there && !damaged &&
	    check_length(s->path, h, st.st_size, err) != TL_OK)
		return TL_ERR;
	return check_journal(s->path, err);
}

/* Path as a URI filename of SQLite: bytes with a meaning there as %HH. */
static char *
uri_of(const char *path, const char *query)
{
	static const char hex[] = "0123456789ABCDEF";
	char *uri = tl_xmalloc(3 * strlen(path) + strlen(query) + 16), *p = uri;

	memcpy(p, "file:", 5);
	p += 5;
	if (*path == '/') {
		*p++ = '/';
		*p++ = '/';
	}
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;

		if (c < 0x21 || c > 0x7e || strchr("%?#&=+", c) != NULL) {
			*p++ = '%';
			*p++ = hex[c >> 4];
			*p++ = hex[c & 15];
		} else {
			*p++ = (char)c;
		}
	}
	memcpy(p, query, strlen(query) + 1);
	return uri;
}

/* No trigger, view or function of the file's schema runs, and closing never
 * moves a -wal into the file. */
static void
harden(sqlite3 *db, bool damaged)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (damaged) /* makes a page count beyond the end of file no error */
		sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
}

enum tl_status
tl_sqlite_ro_open(struct tl_sqlite_ro *s, const char *path, bool damaged,
    struct tl_err *err)
{
	const char *why;
	char *wal = beside(path, "-wal"), *uri;
	int rc;

	*s = (struct tl_sqlite_ro){ .path = path };
	stamp(&s->file, path);
	stamp(&s->wal, wal);
	free(wal);
	s->wal.there &= s->wal.size > 0;
	if (check_file(s, damaged, err) != TL_OK)
		return TL_ERR;
	/* An immutable file is read without locks, and a -wal is passed over.
	 * Where one is, SQLite must read it: without locks, and in exclusive
	 * mode it keeps the index of the -wal in memory, not in a -shm. */
	uri = uri_of(path, s->wal.there ? "?mode=ro&vfs=unix-none" :
	    "?mode=ro&immutable=1");
	rc = sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY |
	    SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (rc == SQLITE_OK) {
		harden(s->db, damaged);
		rc = sqlite3_exec(s->db, "pragma locking_mode=exclusive; "
		    "pragma temp_store=memory; pragma cell_size_check=1; "
		    "select count(*) from sqlite_master", NULL, NULL, NULL);
	}
	if (rc == SQLITE_OK)
		return TL_OK;
	why = s->db == NULL ? sqlite3_errstr(rc) : sqlite3_errmsg(s->db);
	tl_err_set(err, "%s: %s: %s", path, rc == SQLITE_CORRUPT ?
	    "damaged SQLite database" : "cannot open SQLite database", why);
	tl_sqlite_ro_close(s);
	return TL_ERR;
}

static bool
same(const struct tl_sqlite_stamp *a, const struct tl_sqlite_stamp *b)
{
	return a->there == b->there && a->size == b->size &&
	    a->mtime.tv_sec == b->mtime.tv_sec &&
	    a->mtime.tv_nsec == b->mtime.tv_nsec;
}

enum tl_status
tl_sqlite_ro_same(const struct tl_sqlite_ro *s, struct tl_err *err)
{
	struct tl_sqlite_stamp file, wal;
	char *name = beside(s->path, "-wal");

	stamp(&file, s->path);
	stamp(&wal, name);
	free(name);
	wal.there &= wal.size > 0;
	if (!wal.there)
		wal = s->wal.there ? wal : s->wal;
	if (same(&file, &s->file) && same(&wal, &s->wal))
		return TL_OK;
	return fail(err, s->path, "changed while it was read: what was read "
	    "does not belong together");
}

void
tl_sqlite_ro_close(struct tl_sqlite_ro *s)
{
	sqlite3_close(s->db);
	s->db = NULL;
}
