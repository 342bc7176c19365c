#include "tl-msprof2ev.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Folders below the one that is given are looked into this deep. */
#define MAX_DEPTH 8

char *
path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir), m = strlen(name);
	char *p = tl_xmalloc(n + m + 2);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	memcpy(p, dir, n);
	p[n] = '/';
	memcpy(p + n + 1, name, m + 1);
	return p;
}

bool
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
holds_folder(const char *dir, const char *name)
{
	char *p = path_join(dir, name);
	bool yes = is_folder(p);

	free(p);
	return yes;
}

static bool
fits(const char *s, const char *prefix, const char *suffix)
{
	size_t n = strlen(s), a = strlen(prefix), b = strlen(suffix);

	return n >= a + b && memcmp(s, prefix, a) == 0 &&
	    strcmp(s + n - b, suffix) == 0;
}

static int
str_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **
folder_list(const char *dir, const char *prefix, const char *suffix, size_t *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **list = NULL;
	size_t cap = 0;

	*n = 0;
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || !fits(e->d_name, prefix, suffix))
			continue;
		list = tl_xgrow(list, *n, &cap, sizeof *list);
		list[(*n)++] = tl_xstrdup(e->d_name);
	}
	if (d != NULL)
		closedir(d);
	if (*n > 0)
		qsort(list, *n, sizeof *list, str_cmp);
	return list;
}

void
list_free(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

static bool
holds(const char *dir, const char *prefix, const char *suffix)
{
	size_t n;
	char **list = folder_list(dir, prefix, suffix, &n);

	list_free(list, n);
	return n > 0;
}

/* ---- a database of one file ---- */

bool
one_usable(const char *path, char *why, size_t size)
{
	struct msprof probe = { .verbose = false };
	struct reader rd;
	struct tl_db db = { .keep_going = true };
	struct tl_err err;
	bool yes;

	if (tl_sqlite_ro_open(&db.file, path, true, &err) != TL_OK) {
		snprintf(why, size, "%s", err.msg);
		return false;
	}
	yes = xreader_open(&probe, &rd, &db, "TASK", task_columns, NULL, why,
	    size);
	if (yes && !tl_xdb_step(&db, rd.st, "TASK")) {
		snprintf(why, size, "%s: table TASK has no rows", path);
		yes = false;
	}
	reader_close(&rd);
	tl_sqlite_ro_close(&db.file);
	return yes;
}

/* The last usable one of a folder's databases that fit, the rest are counted;
 * NULL if none is, with the reason for the last one. */
static char *
pick(const char *dir, const char *prefix, uint32_t *others, char *why,
    size_t size)
{
	size_t n;
	char **list = folder_list(dir, prefix, ".db", &n), *found = NULL;

	for (size_t i = n; i-- > 0 && found == NULL;) {
		char *path = path_join(dir, list[i]);

		if (one_usable(path, why, size))
			found = path;
		else
			free(path);
	}
	*others = n > 0 ? (uint32_t)n - 1 : 0;
	list_free(list, n);
	return found;
}

/* ---- folders ---- */

/* Whether a folder has databases of the split layout with tasks. */
static bool
is_split(const char *dir)
{
	size_t n;
	char **list = folder_list(dir, "device_", "", &n);
	bool yes = false;

	for (size_t i = 0; i < n && !yes; i++) {
		char *d = path_join(dir, list[i]), *s = path_join(d, "sqlite");

		yes = holds(s, "", ".db");
		free(d);
		free(s);
	}
	list_free(list, n);
	return yes;
}

static bool
is_prof(const char *dir)
{
	return holds_folder(dir, "host/sqlite") ||
	    holds_folder(dir, "host/data") || holds(dir, "device_", "");
}

static struct capture *
add(struct captures *cs, const char *name)
{
	struct capture *c;

	cs->c = tl_xgrow(cs->c, cs->n, &cs->cap, sizeof *cs->c);
	c = &cs->c[cs->n++];
	*c = (struct capture){ .name = tl_xstrdup(name) };
	return c;
}

static void
set_split(struct capture *c, const char *dir, const char *why)
{
	c->split = tl_xstrdup(dir);
	c->why = tl_xstrdup(*why != '\0' ? why : "there is none");
}

/* What a capture cannot be read for; said when its turn comes, so that others
 * beside it are. */
static void TL_PRINTF(2, 3)
set_error(struct capture *c, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	c->error = tl_xstrdup(buf);
}

/* A PROF_* folder. */
static void
add_prof(struct captures *cs, const char *dir, const char *name)
{
	struct capture *c = add(cs, name);
	char why[400] = "";
	uint32_t others = 0;

	c->one = pick(dir, "msprof_", &others, why, sizeof why);
	if (c->one != NULL)
		c->others = others;
	else if (is_split(dir))
		set_split(c, dir, why);
	else if (*why != '\0')
		set_error(c, "%s, and there are no databases in host/sqlite "
		    "and device_*/sqlite", why);
	else
		set_error(c, "%s: its data was not parsed yet: run 'msprof "
		    "--export=on --output=%s', or for a capture of torch_npu "
		    "torch_npu.profiler.profiler.analyse() on the folder "
		    "above", dir, dir);
}

/* A rank's folder: ASCEND_PROFILER_OUTPUT beside PROF_*. False if neither has
 * anything. */
static bool
add_rank(struct captures *cs, const char *dir, const char *name)
{
	char *out = path_join(dir, "ASCEND_PROFILER_OUTPUT"), *one, *p;
	char why[400] = "", **prof;
	uint32_t others = 0;
	size_t n;
	struct capture *c;

	one = pick(out, "ascend_pytorch_profiler", &others, why, sizeof why);
	if (one == NULL)
		one = pick(out, "msprof_", &others, why, sizeof why);
	free(out);
	if (one != NULL) {
		c = add(cs, name);
		c->one = one;
		c->others = others;
		return true;
	}
	prof = folder_list(dir, "PROF_", "", &n);
	if (n > 1) {
		set_error(add(cs, name), "%s: %zu folders PROF_* and no "
		    "usable database in ASCEND_PROFILER_OUTPUT: give one of "
		    "them", dir, n);
	} else if (n == 1) {
		p = path_join(dir, prof[0]);
		add_prof(cs, p, name);
		free(p);
	} else if (*why != '\0') {
		set_error(add(cs, name), "%s", why);
	}
	list_free(prof, n);
	return n > 0 || *why != '\0';
}

static char *
below(const char *name, const char *entry)
{
	return *name == '\0' ? tl_xstrdup(entry) : path_join(name, entry);
}

static void walk(struct captures *, const char *, const char *,
    int);

/* Databases that lie in a folder by themselves, each a capture. */
static bool
add_files(struct captures *cs, const char *dir, const char *name,
    const char *prefix)
{
	size_t n;
	char **list = folder_list(dir, prefix, ".db", &n);

	for (size_t i = 0; i < n; i++) {
		char *sub = below(name, list[i]);

		sub[strlen(sub) - 3] = '\0';
		add(cs, sub)->one = path_join(dir, list[i]);
		free(sub);
	}
	list_free(list, n);
	return n > 0;
}

static void
walk_below(struct captures *cs, const char *dir,
    const char *name, int depth)
{
	size_t n;
	char **list = folder_list(dir, "", "", &n);

	for (size_t i = 0; i < n; i++) {
		char *p = path_join(dir, list[i]);
		struct stat st;

		if (lstat(p, &st) == 0 && S_ISDIR(st.st_mode)) {
			char *sub = below(name, list[i]);

			walk(cs, p, sub, depth + 1);
			free(sub);
		}
		free(p);
	}
	list_free(list, n);
}

static void
walk(struct captures *cs, const char *dir, const char *name,
    int depth)
{
	bool found;

	if (holds_folder(dir, "ASCEND_PROFILER_OUTPUT")) {
		if (add_rank(cs, dir, name))
			return;
	} else if (is_prof(dir)) {
		add_prof(cs, dir, name);
		return;
	}
	found = add_files(cs, dir, name, "ascend_pytorch_profiler");
	found |= add_files(cs, dir, name, "msprof_");
	if (!found && depth < MAX_DEPTH)
		walk_below(cs, dir, name, depth);
}

/* ---- what was given ---- */

static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return tl_xstrdup(".");
	return slash == path ? tl_xstrdup("/") :
	    tl_xmemdup0(path, (size_t)(slash - path));
}

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* A file: if it is no use, but lies in a folder with split databases, these
 * are its capture. */
static void
find_file(struct captures *cs, const char *path)
{
	char *dir = folder_of(path), why[400] = "";
	struct capture *c = add(cs, "");

	if (fits(last_part(path), "msprof_", ".db") && is_split(dir) &&
	    !one_usable(path, why, sizeof why)) {
		set_split(c, dir, why);
	} else {
		c->one = tl_xstrdup(path);
	}
	free(dir);
}

/* ASCEND_PROFILER_OUTPUT by itself stands for the folder around it. */
static void
find_folder(struct captures *cs, const char *path)
{
	char *real = tl_xconv_path(path), *up = folder_of(real);
	bool output = strcmp(last_part(real), "ASCEND_PROFILER_OUTPUT") == 0;

	if (!output || !add_rank(cs, up, ""))
		walk(cs, path, "", 0);
	free(real);
	free(up);
}

void
xfind(struct captures *cs, const char *path)
{
	*cs = (struct captures){ .c = NULL };
	if (!is_folder(path)) {
		find_file(cs, path);
		return;
	}
	find_folder(cs, path);
	if (cs->n > 0)
		return;
	tl_die("%s: is a folder without a capture of an Ascend device: no "
	    "PROF_*, ASCEND_PROFILER_OUTPUT, msprof_*.db or "
	    "ascend_pytorch_profiler_*.db is in it", path);
}

void
captures_free(struct captures *cs)
{
	for (size_t i = 0; i < cs->n; i++) {
		free(cs->c[i].name);
		free(cs->c[i].one);
		free(cs->c[i].split);
		free(cs->c[i].why);
		free(cs->c[i].error);
	}
	free(cs->c);
}
