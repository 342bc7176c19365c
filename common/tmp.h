#ifndef TL_TMP_H
#define TL_TMP_H

#include "err.h"

/* Files that must not outlive a failed run. A path registered here is removed
 * at exit(3) and on every signal that ends a program and can be caught short of
 * a crash, unless it is forgotten first. */

/* Creates path + ".XXXXXX" (for a link, what it points to) with the mode a
 * plain open(2) would give and the sticky bit, locks it by flock(2), registers
 * it and returns its file descriptor; the name goes to *name, owned by the
 * registry until tl_tmp_publish or tl_tmp_remove. Files of that form that have
 * the bit and no lock are removed: a run that was killed left them. -1 with err
 * set on failure. */
int tl_tmp_create(const char *path, char **name, struct tl_err *err);

/* The file that it is to replace, links followed; the caller's to free. */
char *tl_tmp_target(const char *name);

/* rename(2)s the temporary file over what it was created for, after fsync(2)
 * of fd, and takes the sticky bit from it. fd stays open; path is for messages.
 * TL_ERR with the temporary file removed on failure. */
enum tl_status tl_tmp_publish(int fd, char *name, const char *path,
    struct tl_err *err);

void tl_tmp_remove(char *name);

/* A file without a name in $TMPDIR (/tmp if unset) for data past a memory
 * budget; gone when closed, whatever kills the program. -1 with err set. */
int tl_tmp_spool(struct tl_err *err);

#endif
