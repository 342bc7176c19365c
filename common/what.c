#include "what.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis_db.h"
#include "err.h"
#include "mem.h"

#define LOOK ((size_t)1 << 20)
#define MAGIC "SQLite format 3"

static bool
begins(struct tl_str s, const char *word)
{
	return s.n >= strlen(word) && memcmp(s.p, word, strlen(word)) == 0;
}

static bool
has(struct tl_str s, const char *word)
{
	size_t n = strlen(word);
	const char *p = s.p, *end = s.p + s.n, *at;

	while ((size_t)(end - p) >= n && (at = memchr(p, word[0],
	    (size_t)(end - p) - n + 1)) != NULL) {
		if (memcmp(at, word, n) == 0)
			return true;
		p = at + 1;
	}
	return false;
}

/* What is behind blanks and a byte order mark. */
static struct tl_str
skip_blank(struct tl_str s)
{
	if (begins(s, "\xef\xbb\xbf")) {
		s.p += 3;
		s.n -= 3;
	}
	while (s.n > 0 && (*s.p == ' ' || *s.p == '\t' || *s.p == '\r' ||
	    *s.p == '\n')) {
		s.p++;
		s.n--;
	}
	return s;
}

static const char *
what_database(struct tl_str s)
{
	static const char nsys[] = "an export of Nsight Systems: tl-nsys2ev "
	    "reads it";
	static const char ascend[] = "an Ascend capture: tl-msprof2ev reads "
	    "it";
	static const struct {
		const char *word, *what;
	} table[] = {
		{ "CUPTI_ACTIVITY_KIND_", nsys },
		{ "TARGET_INFO_", nsys },
		{ "META_DATA_EXPORT", nsys },
		{ "CREATE TABLE TASK ", ascend },
		{ "CREATE TABLE TASK(", ascend },
		{ "CREATE TABLE \"TASK\"", ascend },
		{ "CREATE TABLE AscendTask", ascend },
	};

	if (s.n >= 72 && (begins((struct tl_str){ s.p + 68, 4 }, "tlDB") ||
	    begins((struct tl_str){ s.p + 68, 4 }, "tlDb")))
		return "an analysis database: tl-db2ev makes a stream of it, "
		    "tl-query asks it";
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (has(s, table[i].word))
			return table[i].what;
	return "an SQLite database: tl-nsys2ev reads exports of Nsight "
	    "Systems, tl-msprof2ev Ascend captures, tl-db2ev databases of "
	    "tl-ev2db";
}

/* The beginning of a plain file, in buf; nothing of another. */
static struct tl_str
beginning(const char *path, char *buf)
{
	struct tl_str s = { buf, 0 };
	struct stat st;
	FILE *f;

	if (path == NULL || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (f = fopen(path, "rb")) == NULL)
		return s;
	s.n = fread(buf, 1, LOOK, f);
	fclose(f);
	return s;
}

static const char *
for_others(const char *what)
{
	return what != NULL && tl_prog != NULL && strstr(what, tl_prog) ?
	    NULL : what;
}

const char *
tl_what(struct tl_str head, const char *path)
{
	const char *what = NULL;
	struct tl_str s;
	char *buf;

	if (begins(head, MAGIC)) {
		buf = tl_xmalloc(LOOK);
		s = beginning(path, buf);
		what = what_database(begins(s, MAGIC) ? s : head);
		free(buf);
	} else if (begins(head, "#tl-ev\t")) {
		what = "a stream already";
	} else {
		s = skip_blank(head);
		if (begins(s, "{") || begins(s, "["))
			what = "a trace in JSON: tl-kineto2ev reads it";
	}
	return for_others(what);
}

const char *
tl_what_file(const char *path)
{
	char *buf = tl_xmalloc(LOOK);
	const char *what = tl_what(beginning(path, buf), path);

	free(buf);
	return what;
}
