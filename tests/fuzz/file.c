#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static char path[512];
static int fd = -1;

static void
forget(void)
{
	unlink(path);
}

const char *
fuzz_file(const uint8_t *data, size_t size)
{
	const char *dir = getenv("TMPDIR");

	if (fd < 0) {
		snprintf(path, sizeof path, "%s/fuzz.XXXXXX",
		    dir != NULL ? dir : "/tmp");
		fd = mkstemp(path);
		atexit(forget);
	}
	PROMISE(fd >= 0 && ftruncate(fd, 0) == 0 &&
	    pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}
