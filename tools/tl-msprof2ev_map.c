#include "tl-msprof2ev.h"

#include <stdio.h>
#include <stdlib.h>

/* CaptureStreamInfo: which streams are a captured graph's. */

static const struct column columns[] = {
	{ "device_id", NULL, F_DEVICE, true },
	{ "model_id", NULL, F_MODEL, true },
	{ "stream_id", "model_stream_id", F_STREAM, true },
	{ "original_stream_id", NULL, F_ORIGINAL, false },
	{ "timestamp", NULL, F_START, false },
	{ "batch_id", NULL, F_BATCH, false },
	{ "capture_status", NULL, F_STATUS, false },
	{ NULL, NULL, 0, false },
};

static int
num_cmp(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
map_cmp(const void *a, const void *b)
{
	const struct map_row *x = a, *y = b;
	int c = num_cmp(x->device, y->device);

	c = c != 0 ? c : num_cmp(x->model, y->model);
	c = c != 0 ? c : num_cmp(x->stream, y->stream);
	c = c != 0 ? c : num_cmp(x->original, y->original);
	c = c != 0 ? c : num_cmp(x->time, y->time);
	c = c != 0 ? c : num_cmp(x->batch, y->batch);
	return c != 0 ? c : num_cmp(x->status, y->status);
}

static void
load(struct msprof *m, struct base *b)
{
	struct reader rd;
	struct row r;
	size_t k = 0;
	char why[400];

	if (!xreader_open(m, &rd, &b->db, "CaptureStreamInfo", columns, NULL,
	    why, sizeof why)) {
		snprintf(m->map_why, sizeof m->map_why, "%s", why);
		reader_close(&rd);
		return;
	}
	while (xreader_next(m, &rd, &r)) {
		if (!row_has(&r, F_DEVICE) || !row_has(&r, F_MODEL) ||
		    !row_has(&r, F_STREAM))
			continue;
		m->map = tl_xgrow(m->map, m->n_map, &m->map_cap,
		    sizeof *m->map);
		m->map[m->n_map++] = (struct map_row){ r.v[F_DEVICE],
			r.v[F_MODEL], r.v[F_STREAM], row_get(&r, F_ORIGINAL),
			row_get(&r, F_START), row_get(&r, F_BATCH),
			row_get(&r, F_STATUS) };
	}
	reader_close(&rd);
	if (m->n_map == 0) {
		snprintf(m->map_why, sizeof m->map_why, "%s: table "
		    "CaptureStreamInfo has no rows", b->path);
		return;
	}
	qsort(m->map, m->n_map, sizeof *m->map, map_cmp);
	for (size_t i = 0; i < m->n_map; i++)
		if (k == 0 || map_cmp(&m->map[k - 1], &m->map[i]) != 0)
			m->map[k++] = m->map[i];
	m->n_map = k;
	m->map_state = MAP_YES;
}

/* host/sqlite/stream_info.db below a folder, NULL if it is not there. */
static char *
below(const char *dir)
{
	char *host = path_join(dir, "host"), *sql = path_join(host, "sqlite");
	size_t n;
	char **list = folder_list(sql, "stream_info", ".db", &n), *p = NULL;

	for (size_t i = 0; i < n && p == NULL; i++)
		if (strcmp(list[i], "stream_info.db") == 0)
			p = path_join(sql, list[i]);
	list_free(list, n);
	free(host);
	free(sql);
	return p;
}

static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? tl_xstrdup(".") :
	    tl_xmemdup0(path, slash == path ? 1 : (size_t)(slash - path));
}

/* That of the only PROF_* beside ASCEND_PROFILER_OUTPUT. */
static char *
beside(struct msprof *m, const char *dir)
{
	size_t n;
	char **list = folder_list(dir, "PROF_", "", &n), *p = NULL, *prof;

	if (n > 1) {
		m->map_state = MAP_AMBIGUOUS;
		snprintf(m->map_why, sizeof m->map_why, "%zu folders are "
		    "beside ASCEND_PROFILER_OUTPUT, '%.80s' and '%.80s'%s, "
		    "and none was chosen", n, list[0], list[1],
		    n > 2 ? " among them" : "");
	} else if (n == 1) {
		prof = path_join(dir, list[0]);
		p = below(prof);
		free(prof);
	}
	list_free(list, n);
	return p;
}

static char *
find_one(struct msprof *m)
{
	char *dir = folder_of(m->cap->one), *p = below(dir);
	char *real = tl_xconv_path(dir), *up;
	const char *slash = strrchr(real, '/');

	if (p == NULL && slash != NULL &&
	    strcmp(slash + 1, "ASCEND_PROFILER_OUTPUT") == 0) {
		up = folder_of(real);
		p = beside(m, up);
		free(up);
	}
	free(dir);
	free(real);
	return p;
}

void
xmap_load(struct msprof *m)
{
	struct base *b;
	char *path;

	if (m->split) {
		b = base_with(m, -1, "CaptureStreamInfo");
		if (b != NULL)
			load(m, b);
		return;
	}
	path = find_one(m);
	if (path != NULL)
		load(m, xbase_open(m, path, -2));
	free(path);
}
