#include "tl-msprof2ev.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "io.h"
#include "num.h"
#include "what.h"

/* What SQLite keeps beside a database is a part of it, there or not. */
static void
refuse_part(const char *out, const char *path, const char *end)
{
	size_t n = strlen(path);
	char *part = tl_xmalloc(n + strlen(end) + 1);

	memcpy(part, path, n);
	memcpy(part + n, end, strlen(end) + 1);
	if (strcmp(out, part) == 0)
		tl_die("%s: output: is a part of the input", out);
	tl_xout_not_input(out, part);
	free(part);
}

static void
refuse_output(const char *out, const char *path)
{
	if (out == NULL)
		return;
	tl_xout_not_input(out, path);
	refuse_part(out, path, "-wal");
	refuse_part(out, path, "-journal");
	refuse_part(out, path, "-shm");
}

struct base *
xbase_open(struct msprof *m, const char *path, int64_t device)
{
	struct base *b;
	struct tl_err err;

	m->base = tl_xgrow(m->base, m->n_bases, &m->bases_cap,
	    sizeof *m->base);
	b = &m->base[m->n_bases++];
	*b = (struct base){ .path = tl_xstrdup(path), .device = device,
		.db.keep_going = m->keep_going };
	if (tl_sqlite_ro_open(&b->db.file, b->path, m->keep_going, &err) ==
	    TL_OK) {
		refuse_output(m->out, path);
		return b;
	}
	if (!m->keep_going || !m->split)
		tl_die("%s", err.msg);
	if (!m->quiet)
		tl_msg("%s: passed over", err.msg);
	free(b->path);
	m->n_bases--;
	m->damaged = true;
	return NULL;
}

struct base *
base_with(struct msprof *m, int64_t device, const char *table)
{
	for (size_t i = 0; i < m->n_bases; i++)
		if (m->base[i].device == device &&
		    tl_xdb_is_table(&m->base[i].db, table))
			return &m->base[i];
	return NULL;
}

/* ---- split ---- */

static void
open_folder(struct msprof *m, const char *dir, int64_t device)
{
	char *sql = path_join(dir, "sqlite");
	size_t n;
	char **list = folder_list(sql, "", ".db", &n);

	for (size_t i = 0; i < n; i++) {
		char *p = path_join(sql, list[i]);
		struct stat st;

		/* SQLite leaves an empty file where nothing was written */
		if (stat(p, &st) != 0 || st.st_size > 0)
			xbase_open(m, p, device);
		free(p);
	}
	list_free(list, n);
	free(sql);
}

static int
number_cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Byte order of their digits. */
static int
digits_cmp(int64_t a, int64_t b)
{
	char x[20], y[20];
	struct tl_str s = { x, tl_num_put_i64(x, a) };
	struct tl_str t = { y, tl_num_put_i64(y, b) };

	return tl_str_cmp(s, t);
}

/* Numbers of the folders device_N, ascending. */
static void
find_devices(struct msprof *m, const char *dir)
{
	size_t n, max = sizeof m->devices / sizeof *m->devices;
	char **list = folder_list(dir, "device_", "", &n);

	for (size_t i = 0; i < n; i++) {
		struct tl_str s = { list[i] + 7, strlen(list[i]) - 7 };
		uint64_t v;

		if (!tl_num_str_u64(s, &v) || v > INT32_MAX)
			continue;
		if (m->n_devices == max)
			tl_die("%s: more than %zu devices", dir, max);
		m->devices[m->n_devices++] = (int64_t)v;
	}
	list_free(list, n);
	qsort(m->devices, m->n_devices, sizeof *m->devices, number_cmp);
	for (size_t i = 0; i < m->n_devices; i++)
		for (size_t j = 0; j < m->n_devices; j++)
			m->rank[i] += digits_cmp(m->devices[j],
			    m->devices[i]) < 0;
}

static void
open_split(struct msprof *m, const char *dir)
{
	char *host = path_join(dir, "host"), name[32], *d;

	find_devices(m, dir);
	open_folder(m, host, -1);
	free(host);
	for (size_t i = 0; i < m->n_devices; i++) {
		memcpy(name, "device_", 8);
		name[7 + tl_num_put_i64(name + 7, m->devices[i])] = '\0';
		d = path_join(dir, name);
		open_folder(m, d, m->devices[i]);
		free(d);
	}
	for (size_t i = 0; i < m->n_devices; i++)
		if (base_with(m, m->devices[i], "AscendTask") != NULL)
			return;
	tl_die("%s: no table AscendTask in device_*/sqlite: nothing of the "
	    "work on a device is there", dir);
}

/* ---- one file ---- */

/* What a file is that is no capture. */
static void
refuse_file(struct msprof *m, struct tl_db *db)
{
	sqlite3_stmt *st = tl_xdb_prepare(db, "select count(*) from "
	    "sqlite_master where type = 'table' and name not like "
	    "'sqlite_%%'");
	const char *what = tl_what_file(db->file.path);
	bool empty = tl_xdb_step(db, st, "sqlite_master") &&
	    sqlite3_column_int(st, 0) == 0;

	sqlite3_finalize(st);
	(void)m;
	if (empty)
		tl_die("%s: SQLite database without a table: no capture of an "
		    "Ascend device", db->file.path);
	if (what != NULL)
		tl_die("%s: no capture of an Ascend device, but %s",
		    db->file.path, what);
	tl_die("%s: SQLite database without a table TASK: no capture of an "
	    "Ascend device", db->file.path);
}

void
xopen_capture(struct msprof *m)
{
	char why[400];
	struct reader rd;
	struct base *b;

	m->split = m->cap->split != NULL;
	if (m->split) {
		open_split(m, m->cap->split);
		return;
	}
	b = xbase_open(m, m->cap->one, -1);
	if (!tl_xdb_is_table(&b->db, "TASK"))
		refuse_file(m, &b->db);
	if (!xreader_open(m, &rd, &b->db, "TASK", task_columns, NULL, why,
	    sizeof why))
		tl_die("%s", why);
	reader_close(&rd);
}
