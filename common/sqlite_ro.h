#ifndef TL_SQLITE_RO_H
#define TL_SQLITE_RO_H

#include <sqlite3.h>
#include <sys/types.h>
#include <time.h>

#include "err.h"
#include "str.h"

/* An SQLite file that is only read: no journal, -wal or -shm file ever appears
 * beside it, it is never written, also in a folder that may not be written and
 * where the file is in WAL mode. Changes that are still in a -wal file are
 * seen. */
struct tl_sqlite_ro {
	sqlite3 *db;
	const char *path; /* the caller's */
	/* private: what the file and its -wal looked like when opened */
	struct tl_sqlite_stamp {
		off_t size;
		struct timespec mtime;
		bool there;
	} file, wal;
};

/* Opens path for one thread and reads its schema. TL_ERR, with nothing to
 * close and "path: what: cause" in err, where it is missing, no plain file,
 * empty, not SQLite, cut short, damaged, or in the middle of a transaction.
 * With damaged, a file that is cut short is opened all the same and gives the
 * rows that are left before SQLITE_CORRUPT. The file format is described at
 * https://www.sqlite.org/fileformat2.html section 1.3. */
enum tl_status tl_sqlite_ro_open(struct tl_sqlite_ro *s, const char *path,
    bool damaged, struct tl_err *err) TL_MUST_USE;

/* TL_ERR if the file or its -wal changed since it was opened: what was read
 * then is no consistent state. Ask when all is read. */
enum tl_status tl_sqlite_ro_same(const struct tl_sqlite_ro *s,
    struct tl_err *err) TL_MUST_USE;

void tl_sqlite_ro_close(struct tl_sqlite_ro *s);

#endif
