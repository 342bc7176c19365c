#include "tl-msprof2ev.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "num.h"

/* Tags in byte order: A, C, the C of each device, M, P, T, the T of each. */
uint32_t
tag_of(struct msprof *m, enum table t, int64_t device)
{
	uint32_t n = m->n_devices > 1 ? (uint32_t)m->n_devices : 0, base = 0;
	size_t i = 0;

	switch (t) {
	case T_API:
		return 0;
	case T_COMM:
		base = 1;
		break;
	case T_MSTX:
		return n + 2;
	case T_PYTORCH:
		return n + 3;
	default:
		base = n + 4;
	}
	if (n == 0 || device < 0)
		return base;
	while (i + 1 < n && m->devices[i] != device)
		i++;
	return base + 1 + m->rank[i];
}

/* ---- info.json and its like ---- */

#define INFO_MAX 65536

/* Reads the first file of the folder that fits; NULL if there is none. */
static char *
slurp(const char *dir, const char *prefix)
{
	size_t n, len = 0;
	char **list = folder_list(dir, prefix, "", &n), *text = NULL, *p;
	FILE *f;

	for (size_t i = 0; i < n && text == NULL; i++) {
		size_t k = strlen(list[i]);

		if (k > 5 && strcmp(list[i] + k - 5, ".done") == 0)
			continue;
		p = path_join(dir, list[i]);
		f = fopen(p, "r");
		free(p);
		if (f == NULL)
			continue;
		text = tl_xmalloc(INFO_MAX + 1);
		len = fread(text, 1, INFO_MAX, f);
		text[len] = '\0';
		fclose(f);
	}
	list_free(list, n);
	return text;
}

/* Value of the first "key" of a JSON text, without its quotes; empty if there
 * is none. Escapes are not undone: no value that is asked for has any. */
static struct tl_str
json_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = text; (p = strchr(p, '"')) != NULL; p++) {
		if (strncmp(p + 1, key, n) != 0 || p[n + 1] != '"')
			continue;
		p += n + 2;
		p += strspn(p, " \t\r\n");
		if (*p != ':')
			continue;
		p++;
		p += strspn(p, " \t\r\n");
		if (*p == '"')
			return (struct tl_str){ p + 1, strcspn(p + 1, "\"") };
		return (struct tl_str){ p, strcspn(p, ",}] \t\r\n") };
	}
	return (struct tl_str){ "", 0 };
}

static int64_t
json_number(const char *text, const char *key)
{
	int64_t v;

	return tl_num_str_i64(json_value(text, key), &v) ? v : -1;
}

/* "100.000000" MHz in kHz; 0 if it is none. */
static int64_t
khz_of(struct tl_str s)
{
	int64_t v;
	char buf[64];

	/* a decimal number times 1000, as of microseconds to nanoseconds */
	if (s.n == 0 || s.n >= sizeof buf ||
	    tl_num_us_ns(s, &v) >= TL_NUM_BAD || v < 0 || v > 100000000)
		return 0;
	return v;
}

static void
copy_text(char *out, size_t size, struct tl_str s)
{
	if (s.n >= size)
		s.n = size - 1;
	memcpy(out, s.p, s.n);
	out[s.n] = '\0';
}

/* info.json of the host or a device. */
static void
read_info(struct msprof *m, const char *dir, bool host)
{
	struct info *f = &m->info;
	char *text = slurp(dir, "info.json");

	if (text == NULL)
		return;
	if (f->pid <= 0)
		f->pid = json_number(text, "pid");
	if (f->rank < 0)
		f->rank = json_number(text, "rank_id");
	if (*f->host == '\0')
		copy_text(f->host, sizeof f->host,
		    json_value(text, "hostname"));
	if (*f->name == '\0')
		copy_text(f->name, sizeof f->name,
		    json_value(text, "pid_name"));
	if (host)
		f->khz = khz_of(json_value(text, "Frequency"));
	free(text);
}

/* "key:value" or "key = value" of a line. */
static int64_t
log_number(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	struct tl_str s;
	int64_t v;

	if (p == NULL)
		return -1;
	p += strlen(key);
	p += strspn(p, " \t:=");
	s = (struct tl_str){ p, strspn(p, "0123456789") };
	return tl_num_str_i64(s, &v) ? v : -1;
}

/* Without where the count began, a frequency tells nothing. */
static void
read_start(struct msprof *m, const char *dir)
{
	struct info *f = &m->info;
	char *text = slurp(dir, "host_start.log");
	int64_t cnt = -1, ns = -1;

	if (text != NULL) {
		cnt = log_number(text, "cntvct");
		ns = log_number(text, "clock_monotonic_raw");
	}
	free(text);
	if (cnt < 0 || ns < 0 || ns > INT64_MAX / 8) {
		f->khz = 0;
		return;
	}
	f->host_cnt = cnt;
	f->host_ns = ns;
}

/* start_info: Unix time (us) and the monotonic clock (ns) at one moment. */
static void
read_shift(struct msprof *m, const char *dir)
{
	char *text = slurp(dir, "start_info");
	int64_t us, raw;

	if (text == NULL)
		return;
	us = json_number(text, "collectionTimeBegin");
	raw = json_number(text, "clockMonotonicRaw");
	if (us > 0 && us < INT64_MAX / 4000 && raw > 0) {
		m->info.shift_ns = us * 1000 - raw;
		m->info.shifted = true;
	}
	free(text);
}

void
xinfo_load(struct msprof *m)
{
	char name[32], *dir = path_join(m->cap->split, "host");

	m->info.pid = m->info.rank = -1;
	read_info(m, dir, true);
	read_start(m, dir);
	read_shift(m, dir);
	free(dir);
	for (size_t i = 0; i < m->n_devices; i++) {
		memcpy(name, "device_", 8);
		name[7 + tl_num_put_i64(name + 7, m->devices[i])] = '\0';
		dir = path_join(m->cap->split, name);
		read_info(m, dir, false);
		free(dir);
	}
}

/* ---- the header ---- */

static struct tl_str
keep(struct msprof *m, struct tl_str s)
{
	return (struct tl_str){ tl_xarena_copy(&m->arena, s.p, s.n), s.n };
}

static struct tl_str
keep_i64(struct msprof *m, int64_t v)
{
	char digits[20];

	return keep(m, (struct tl_str){ digits, tl_num_put_i64(digits, v) });
}

static struct tl_str
str(const char *s)
{
	return (struct tl_str){ s, strlen(s) };
}

/* First value of a query; empty where the table lacks the column. */
static struct tl_str
ask(struct msprof *m, const char *table, const char *column,
    const char *where)
{
	struct base *b = base_with(m, -1, table);
	struct tl_str s = { "", 0 };
	sqlite3_stmt *st;

	if (b == NULL || !tl_xdb_has_column(&b->db, table, column))
		return s;
	st = tl_xdb_prepare(&b->db, "select \"%w\" from \"%w\" %s", column,
	    table, where);
	if (tl_xdb_step(&b->db, st, table))
		s = keep(m, tl_text_cut(tl_db_text(st, 0),
		    &m->count.long_text));
	sqlite3_finalize(st);
	return s;
}

static bool
ask_num(struct msprof *m, const char *table, const char *column, int64_t *v)
{
	return tl_num_str_i64(ask(m, table, column, ""), v);
}

/* Unix time of the clock's zero: the session's times are Unix, the tasks' too
 * or counted from a base. Not known without the session. */
static struct tl_str
base_ns(struct msprof *m)
{
	static const char *const tables[] = { "SESSION_TIME_INFO",
		"TARGET_INFO_SESSION_TIME" };
	struct tl_str none = { "", 0 };
	int64_t from, to, base;
	const char *t = base_with(m, -1, tables[0]) != NULL ? tables[0] :
	    tables[1];

	if (m->split)
		return m->info.shifted ? TL_LIT("0") : none;
	if (m->first_ns > m->last_ns || !ask_num(m, t, "startTimeNs", &from) ||
	    !ask_num(m, t, "endTimeNs", &to))
		return none;
	if (m->first_ns >= from && m->first_ns <= to)
		return TL_LIT("0");
	if (!ask_num(m, t, "baseTimeNs", &base) || base < 0 ||
	    m->first_ns > INT64_MAX - base || m->first_ns + base < from ||
	    m->first_ns + base > to)
		return none;
	return keep_i64(m, base);
}

static struct tl_str
rank_of(struct msprof *m)
{
	const char *p;
	struct tl_str s;
	int64_t v;

	if (m->split)
		return m->info.rank >= 0 ? keep_i64(m, m->info.rank) :
		    (struct tl_str){ "", 0 };
	if (ask_num(m, "RANK_DEVICE_MAP", "rankId", &v) && v >= 0)
		return keep_i64(m, v);
	p = strrchr(m->cap->one, '/');
	p = p != NULL ? p + 1 : m->cap->one;
	if (strncmp(p, "ascend_pytorch_profiler_", 24) == 0) {
		s = (struct tl_str){ p + 24, strspn(p + 24, "0123456789") };
		if (s.n > 0 && strcmp(s.p + s.n, ".db") == 0)
			return s;
	}
	return (struct tl_str){ "", 0 };
}

static void
source_line(struct msprof *m)
{
	static const char *const maps[] = { "no", "yes", "ambiguous" };
	char *path = tl_xconv_path(m->split ? m->cap->split : m->cap->one);
	int64_t size = 0;
	struct stat st;
	struct tl_str host = m->split ? str(m->info.host) :
	    ask(m, "HOST_INFO", "hostName", "");

	for (size_t i = 0; i < m->n_bases; i++)
		if (stat(m->base[i].path, &st) == 0)
			size += st.st_size;
	struct tl_conv_kv kv[] = {
		{ "base_ns", base_ns(m) },
		{ "capture_map", str(maps[m->map_state]) },
		{ "comm_names", m->parts.usable ? TL_LIT("yes") :
		    TL_LIT("no") },
		{ "compute_names", m->ops.usable ? TL_LIT("yes") :
		    TL_LIT("no") },
		{ "host", host },
		{ "kind", TL_LIT("msprof") },
		{ "layout", m->split ? TL_LIT("split") : TL_LIT("one") },
		{ "path", { path, strlen(path) } },
		{ "producer", m->table_there[T_PYTORCH] ?
		    TL_LIT("torch_npu") : TL_LIT("msprof") },
		{ "rank", rank_of(m) },
		{ "schema", ask(m, "META_DATA", "value",
		    "where name = 'SCHEMA_VERSION'") },
		{ "size", keep_i64(m, size) },
	};
	tl_xconv_header(&m->conv, "source", NULL, 0, kv,
	    sizeof kv / sizeof *kv);
	free(path);
}

static int
pid_cmp(const void *a, const void *b)
{
	int64_t x = ((const struct tl_map_key *)a)->k[0];
	int64_t y = ((const struct tl_map_key *)b)->k[0];

	return x < y ? -1 : x > y;
}

static int
place_cmp(const void *a, const void *b)
{
	const struct tl_map_key *x = a, *y = b;

	if (x->k[1] != y->k[1])
		return x->k[1] < y->k[1] ? -1 : 1;
	return x->k[0] < y->k[0] ? -1 : x->k[0] > y->k[0];
}

static void
process_lines(struct msprof *m)
{
	size_t n = m->processes.n;
	struct tl_map_key *key = tl_xreallocarray(NULL, n + 1, sizeof *key);

	if (n > 0) {
		memcpy(key, m->processes.key, n * sizeof *key);
		qsort(key, n, sizeof *key, pid_cmp);
	}
	for (size_t i = 0; i < n; i++) {
		struct tl_str pid = keep_i64(m, key[i].k[0]);
		struct tl_conv_kv kv[] = {
			{ "name", n == 1 && m->split ? str(m->info.name) :
			    (struct tl_str){ "", 0 } },
			{ "pid", pid },
		};

		tl_xconv_header(&m->conv, "process", &pid, 1, kv, 2);
	}
	free(key);
}

static struct tl_str
device_name(struct msprof *m, int64_t id)
{
	char where[64];
	const char *t = base_with(m, -1, "NPU_INFO") != NULL ? "NPU_INFO" :
	    "TARGET_INFO_NPU";

	snprintf(where, sizeof where, "where id = %lld", (long long)id);
	return ask(m, t, "name", where);
}

static void
device_lines(struct msprof *m)
{
	size_t n = m->places.n;
	struct tl_map_key *key = tl_xreallocarray(NULL, n + 1, sizeof *key);

	for (size_t i = 0; i < n; i++) {
		key[i] = m->places.key[i];
		if (key[i].k[1] <= 0)
			key[i].k[1] = m->sole;
	}
	qsort(key, n, sizeof *key, place_cmp);
	for (size_t i = 0; i < n; i++) {
		struct tl_str columns[2] = { { "", 0 }, { "", 0 } };
		struct tl_conv_kv kv[] = {
			{ "name", device_name(m, key[i].k[0]) },
		};

		if (key[i].k[0] < 0 || (i > 0 &&
		    place_cmp(&key[i - 1], &key[i]) == 0))
			continue;
		if (key[i].k[1] >= 0)
			columns[0] = keep_i64(m, key[i].k[1]);
		columns[1] = keep_i64(m, key[i].k[0]);
		tl_xconv_header(&m->conv, "device", columns, 2, kv, 1);
	}
	free(key);
}

static void
capture_lines(struct msprof *m)
{
	for (size_t i = 0; i < m->n_map; i++) {
		const struct map_row *r = &m->map[i];
		struct tl_str none = { "", 0 };
		struct tl_str columns[] = { keep_i64(m, r->device),
			keep_i64(m, r->model), keep_i64(m, r->stream) };
		struct tl_conv_kv kv[] = {
			{ "batch", r->batch < 0 ? none :
			    keep_i64(m, r->batch) },
			{ "original", r->original < 0 ? none :
			    keep_i64(m, r->original) },
			{ "status", r->status < 0 ? none :
			    keep_i64(m, r->status) },
			{ "time", r->time < 0 ? none : keep_i64(m, r->time) },
		};

		tl_xconv_header(&m->conv, "capture", columns, 3, kv, 4);
	}
}

static const char *
table_name(const struct msprof *m, enum table t)
{
	switch (t) {
	case T_API:
		return m->split ? "ApiData" : "CANN_API";
	case T_COMM:
		return m->split ? "HCCLOP" : "COMMUNICATION_OP";
	case T_MSTX:
		return "MSTX_EVENTS";
	case T_PYTORCH:
		return "PYTORCH_API";
	default:
		return m->split ? "AscendTask" : "TASK";
	}
}

static void
place_line(struct msprof *m)
{
	struct tl_conv_kv *kv = tl_xcalloc(N_TABLES + 2 * m->n_devices,
	    sizeof *kv);
	size_t k = 0;

	for (int t = 0; t < N_TABLES; t++) {
		const char *name = table_name(m, (enum table)t);
		char tag[2] = { "ACMPT"[t], '\0' };
		bool several = m->n_devices > 1 && (t == T_TASK ||
		    t == T_COMM);

		if (!m->table_there[t])
			continue;
		if (t != T_TASK || !several)
			kv[k++] = (struct tl_conv_kv){ keep(m, str(tag)).p,
				str(name) };
		for (size_t i = 0; several && i < m->n_devices; i++) {
			char buf[32];

			buf[0] = tag[0];
			buf[1 + tl_num_put_i64(buf + 1, m->devices[i])] = '\0';
			kv[k++] = (struct tl_conv_kv){ keep(m, str(buf)).p,
				str(name) };
		}
	}
	if (k > 0)
		tl_xconv_header(&m->conv, "place", NULL, 0, kv, k);
	free(kv);
}

void
xheader(struct msprof *m, int argc, char *const *argv)
{
	tl_xevout_version(&m->conv.out);
	source_line(m);
	process_lines(m);
	device_lines(m);
	capture_lines(m);
	place_line(m);
	tl_xconv_header_end(&m->conv, argc, argv);
}
