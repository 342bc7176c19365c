#include "tl-nsys2ev.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "esc.h"
#include "num.h"

static struct tl_str
keep(struct nsys *n, struct tl_str s)
{
	return (struct tl_str){ tl_xarena_copy(&n->arena, s.p, s.n), s.n };
}

static struct tl_str
keep_u64(struct nsys *n, uint64_t v)
{
	char digits[20];
	size_t len = tl_num_put_u64(digits, v);

	return keep(n, (struct tl_str){ digits, len });
}

/* Value of a table (name, value) for a name; empty where there is none, or no
 * such table. */
static struct tl_str
ask(struct nsys *n, const char *table, const char *name)
{
	struct tl_str s = { "", 0 };
	sqlite3_stmt *st;

	if (!has_column(n, table, "name") || !has_column(n, table, "value"))
		return s;
	st = xprepare(n, "select value from \"%w\" where name = %Q", table,
	    name);
	if (xstep(n, st, table))
		s = keep(n, tl_text_cut(tl_db_text(st, 0), &n->strings.cut));
	sqlite3_finalize(st);
	return s;
}

/* Of the export; the table changed its name between 2023 and 2024. */
static struct tl_str
export_meta(struct nsys *n, const char *key)
{
	struct tl_str s = ask(n, "META_DATA_EXPORT", key);

	return s.n > 0 ? s : ask(n, "EXPORT_META_DATA", key);
}

static struct tl_str
system_meta(struct nsys *n, const char *key)
{
	return ask(n, "TARGET_INFO_SYSTEM_ENV", key);
}

/* node or graph: how launches of graphs were traced. The option is there for
 * the session or for each process; where these differ it is not known. */
static struct tl_str
graph_trace(struct nsys *n)
{
	struct tl_str mode = { "", 0 };
	sqlite3_stmt *st;

	if (!has_column(n, "META_DATA_CAPTURE", "name") ||
	    !has_column(n, "META_DATA_CAPTURE", "value"))
		return mode;
	st = xprepare(n, "select distinct lower(value) from META_DATA_CAPTURE "
	    "where name like '%%CUDA_GRAPH_TRACE_OPTIONS:MODE'");
	if (xstep(n, st, "META_DATA_CAPTURE"))
		mode = keep(n, tl_db_text(st, 0));
	if (xstep(n, st, "META_DATA_CAPTURE") || (!tl_str_is(mode, "graph") &&
	    !tl_str_is(mode, "node")))
		mode.n = 0;
	sqlite3_finalize(st);
	return mode;
}

/* Unix time of the clock's zero; not known where the export moved the clock. */
static struct tl_str
base_ns(struct nsys *n, struct tl_str shift, struct tl_str normalize)
{
	const char *table = "TARGET_INFO_SESSION_START_TIME";
	sqlite3_stmt *st;
	int64_t v = 0;

	if (shift.n > 0 || normalize.n > 0 ||
	    !has_column(n, table, "utcEpochNs"))
		return (struct tl_str){ "", 0 };
	st = xprepare(n, "select utcEpochNs from \"%w\"", table);
	if (xstep(n, st, table) &&
	    tl_db_int(sqlite3_column_value(st, 0), &v) != TL_DB_INT)
		v = 0;
	sqlite3_finalize(st);
	return v > 0 ? keep_u64(n, (uint64_t)v) : (struct tl_str){ "", 0 };
}

/* Rows of a table as text; empty where there is no such table, or with some
 * where it has no rows. */
static struct tl_str
row_count(struct nsys *n, const char *table, bool some)
{
	struct tl_str s = { "", 0 };
	sqlite3_stmt *st;

	if (!is_table(n, table))
		return s;
	st = xprepare(n, "select count(*) from \"%w\"", table);
	if (xstep(n, st, table) && sqlite3_column_int64(st, 0) >= some)
		s = keep_u64(n, (uint64_t)sqlite3_column_int64(st, 0));
	sqlite3_finalize(st);
	return s;
}

static void
source_line(struct nsys *n)
{
	struct tl_str shift = export_meta(n, "EXPORT_PARAM_TIME_SHIFT");
	struct tl_str norm = export_meta(n, "EXPORT_PARAM_TIME_NORMALIZE");
	struct tl_str version = export_meta(n, "EXPORT_PRODUCT_VERSION");
	char *path = tl_xconv_path(n->db.file.path);
	char producer[128] = "Nsight Systems";
	struct stat st;

	if (tl_str_is(shift, "0"))
		shift.n = 0;
	if (tl_str_is(norm, "false"))
		norm.n = 0;
	if (version.n > 0)
		snprintf(producer, sizeof producer, "Nsight Systems %.*s",
		    version.n > 100 ? 100 : (int)version.n, version.p);
	st.st_size = 0;
	if (stat(n->db.file.path, &st) != 0)
		tl_die("%s: it is gone", n->db.file.path);
	struct tl_conv_kv kv[] = {
		{ "base_ns", base_ns(n, shift, norm) },
		{ "capture_host", ask(n, "META_DATA_CAPTURE",
		    "DEVICE_DISPLAY_NAME") },
		{ "cuda_devices", row_count(n, "TARGET_INFO_CUDA_DEVICE",
		    false) },
		{ "driver", system_meta(n, "NvDriverVersion") },
		{ "gpus", row_count(n, "TARGET_INFO_GPU", true) },
		{ "graph_rows", row_count(n,
		    n->table[T_GRAPH].name != NULL ? n->table[T_GRAPH].name :
		    specs[T_GRAPH].base, true) },
		{ "graph_trace", graph_trace(n) },
		{ "host", system_meta(n, "Hostname") },
		{ "kind", TL_LIT("nsys") },
		{ "path", { path, strlen(path) } },
		{ "producer", { producer, strlen(producer) } },
		{ "schema", export_meta(n, "EXPORT_SCHEMA_VERSION") },
		{ "size", keep_u64(n, (uint64_t)st.st_size) },
		{ "time_normalize", norm },
		{ "time_shift", shift },
	};
	tl_xconv_header(&n->conv, "source", NULL, 0, kv,
	    sizeof kv / sizeof *kv);
	free(path);
}

/* ---- processes ---- */

static int
process_cmp(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a;
	const struct process *y = *(struct process *const *)b;
	uint32_t px = OWNER_PID(x->id), py = OWNER_PID(y->id);

	if (px != py)
		return px < py ? -1 : 1;
	return (uint64_t)x->id < (uint64_t)y->id ? -1 :
	    (uint64_t)x->id > (uint64_t)y->id;
}

/* The token is the pid; where two machines have a process of one pid, it is
 * pid@machine for both (the upper 16 bits of globalPid). */
static void
set_token(struct nsys *n, struct process *p, bool shared)
{
	char buf[64];
	int len = shared ?
	    snprintf(buf, sizeof buf, "%lu@%lu",
		(unsigned long)OWNER_PID(p->id),
		(unsigned long)((uint64_t)p->id >> 48)) :
	    snprintf(buf, sizeof buf, "%lu", (unsigned long)OWNER_PID(p->id));

	p->token = keep(n, (struct tl_str){ buf, (size_t)len });
}

static struct tl_str
process_name(struct nsys *n, const struct process *p)
{
	struct tl_str s = { "", 0 };
	sqlite3_stmt *st;

	if (!is_table(n, "PROCESSES") ||
	    !has_column(n, "PROCESSES", "globalPid") ||
	    !has_column(n, "PROCESSES", "name"))
		return s;
	st = xprepare(n, "select name from PROCESSES where globalPid = %lld "
	    "order by name", (long long)p->id);
	if (xstep(n, st, "PROCESSES"))
		s = keep(n, tl_text_cut(tl_db_text(st, 0), &n->strings.cut));
	sqlite3_finalize(st);
	return s;
}

static void
process_lines(struct nsys *n)
{
	size_t k = n->process_of.n;
	struct process **p = tl_xreallocarray(NULL, k, sizeof *p);

	for (size_t i = 0; i < k; i++)
		p[i] = &n->process[i];
	if (k > 0)
		qsort(p, k, sizeof *p, process_cmp);
	for (size_t i = 0; i < k; i++) {
		uint32_t pid = OWNER_PID(p[i]->id);

		set_token(n, p[i],
		    (i > 0 && OWNER_PID(p[i - 1]->id) == pid) ||
		    (i + 1 < k && OWNER_PID(p[i + 1]->id) == pid));
		struct tl_conv_kv kv[] = {
			{ "name", process_name(n, p[i]) },
			{ "pid", keep_u64(n, pid) },
		};
		tl_xconv_header(&n->conv, "process", &p[i]->token, 1, kv, 2);
	}
	free(p);
}

/* ---- devices ---- */

struct device {
	struct tl_str process, number, name, uuid;
	int64_t owner, id;
};

/* With or without the prefix that only one of two tables has. */
static bool
same_uuid(struct tl_str a, struct tl_str b)
{
	struct tl_str *s[] = { &a, &b };

	for (int i = 0; i < 2; i++) {
		if (s[i]->n > 4 && memcmp(s[i]->p, "GPU-", 4) == 0) {
			s[i]->p += 4;
			s[i]->n -= 4;
		}
	}
	return tl_str_eq(a, b);
}

/* Which GPU the process calls device id: by the table that says so (exports
 * of 2025 and later), by (pid, cudaId). */
static bool
device_mapped(struct nsys *n, struct device *d)
{
	bool gpus = is_table(n, "TARGET_INFO_GPU") &&
	    has_column(n, "TARGET_INFO_CUDA_DEVICE", "gpuId");
	bool uuids = has_column(n, "TARGET_INFO_CUDA_DEVICE", "uuid");
	sqlite3_stmt *st;
	bool found;

	if (!has_column(n, "TARGET_INFO_CUDA_DEVICE", "cudaId") ||
	    !has_column(n, "TARGET_INFO_CUDA_DEVICE", "pid"))
		return false;
	gpus &= has_column(n, "TARGET_INFO_GPU", "id") &&
	    has_column(n, "TARGET_INFO_GPU", "name");
	st = xprepare(n, "select %s, %s, %s from TARGET_INFO_CUDA_DEVICE d %s "
	    "where d.cudaId = %lld and d.pid = %ld order by 1, 2, 3",
	    gpus ? "g.name" : "NULL", uuids ? "d.uuid" : "NULL",
	    gpus && has_column(n, "TARGET_INFO_GPU", "uuid") ? "g.uuid" :
	    "NULL", gpus ?
	    "left join TARGET_INFO_GPU g on g.id = d.gpuId" : "",
	    (long long)d->id, (long)OWNER_PID(d->owner));
	found = xstep(n, st, "TARGET_INFO_CUDA_DEVICE");
	if (found) {
		struct tl_str own = tl_db_text(st, 1);
		struct tl_str listed = tl_db_text(st, 2);

		d->name = keep(n, tl_db_text(st, 0));
		d->uuid = keep(n, own.n > 0 ? own : listed);
		if (own.n > 0 && listed.n > 0 && !same_uuid(own, listed)) {
			d->name.n = d->uuid.n = 0;
			n->gpu_conflicts++;
		}
	}
	if (found && xstep(n, st, "TARGET_INFO_CUDA_DEVICE"))
		d->name.n = d->uuid.n = 0; /* two answers are none */
	sqlite3_finalize(st);
	return found;
}

/* Without that table: if there is just one GPU, it is device 0. The list may
 * hold GPUs that are not CUDA's: they have no compute capability. */
static void
device_single(struct nsys *n, struct device *d)
{
	sqlite3_stmt *st;

	if (d->id != 0 || !is_table(n, "TARGET_INFO_GPU") ||
	    !has_column(n, "TARGET_INFO_GPU", "name"))
		return;
	st = xprepare(n, "select name, %s from TARGET_INFO_GPU where %s "
	    "and name not like 'Intel%%'",
	    has_column(n, "TARGET_INFO_GPU", "uuid") ? "uuid" : "NULL",
	    has_column(n, "TARGET_INFO_GPU", "computeMajor") ?
	    "computeMajor > 0" : "1");
	if (xstep(n, st, "TARGET_INFO_GPU")) {
		d->name = keep(n, tl_db_text(st, 0));
		d->uuid = keep(n, tl_db_text(st, 1));
	}
	if (xstep(n, st, "TARGET_INFO_GPU"))
		d->name.n = d->uuid.n = 0;
	sqlite3_finalize(st);
}

static int
device_cmp(const void *a, const void *b)
{
	const struct device *x = a, *y = b;
	int c = tl_str_cmp(x->process, y->process);

	if (c != 0)
		return c;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void
device_lines(struct nsys *n)
{
	size_t k = n->device_of.n, shown = 0;
	struct device *d = tl_xcalloc(k, sizeof *d);

	for (size_t i = 0; i < k; i++) {
		const int64_t *key = n->device_of.key[i].k;
		struct device *one = &d[shown];

		one->id = key[1];
		one->owner = key[0] != 0 ? key[0] : n->sole_caller;
		one->process = one->owner == 0 ? TL_LIT(".") :
		    n->process[xprocess_add(n, one->owner)].token;
		shown += one->id >= 0 && one->id < INT32_MAX;
	}
	qsort(d, shown, sizeof *d, device_cmp);
	for (size_t i = 0; i < shown; i++) {
		if (i > 0 && device_cmp(&d[i - 1], &d[i]) == 0)
			continue;
		if (!is_table(n, "TARGET_INFO_CUDA_DEVICE") ||
		    !device_mapped(n, &d[i]))
			device_single(n, &d[i]);
		struct tl_str columns[] = { d[i].process,
			keep_u64(n, (uint64_t)d[i].id) };
		struct tl_conv_kv kv[] = {
			{ "name", d[i].name }, { "uuid", d[i].uuid },
		};
		if (tl_str_none(columns[0]))
			columns[0].n = 0; /* as text a dot would be escaped */
		tl_xconv_header(&n->conv, "device", columns, 2, kv, 2);
	}
	free(d);
}

static void
place_line(struct nsys *n)
{
	struct tl_conv_kv kv[N_TABLES];
	char tag[N_TABLES][2];
	size_t k = 0;

	for (size_t i = 0; i < N_TABLES; i++) {
		if (!n->table[i].wanted)
			continue;
		tag[k][0] = specs[i].tag;
		tag[k][1] = '\0';
		kv[k] = (struct tl_conv_kv){ tag[k], { n->table[i].name,
		    strlen(n->table[i].name) } };
		k++;
	}
	if (k > 0)
		tl_xconv_header(&n->conv, "place", NULL, 0, kv, k);
}

void
xheader(struct nsys *n, int argc, char *const *argv)
{
	tl_xevout_version(&n->conv.out);
	source_line(n);
	if (n->sole_caller != 0)
		xprocess_add(n, n->sole_caller);
	for (size_t i = 0; i < n->callers.n; i++)
		if (n->caller[i] != 0)
			xprocess_add(n, n->caller[i]);
	process_lines(n);
	device_lines(n);
	place_line(n);
	tl_xconv_header_end(&n->conv, argc, argv);
}

/* ---- names of NVTX domains and categories ---- */

static void
nvtx_name(struct nsys *n, sqlite3_stmt *st)
{
	int64_t owner = OWNER_PROCESS(sqlite3_column_int64(st, 1));
	int64_t domain = sqlite3_column_int64(st, 2);
	int64_t category = sqlite3_column_int64(st, 3);
	struct tl_str text = tl_db_text(st, 4);
	struct string *s = string_find(&n->strings,
	    sqlite3_column_int64(st, 5));
	bool is_domain = sqlite3_column_int(st, 0) == NVTX_DOMAIN;
	struct tl_map *map = is_domain ? &n->domains : &n->categories;
	struct tl_str **names = is_domain ? &n->domain : &n->category;
	size_t known = map->n;
	uint32_t i;
	char *esc;

	if (text.n == 0 && s != NULL &&
	    sqlite3_column_type(st, 5) == SQLITE_INTEGER)
		text = s->text;
	if (text.n == 0)
		return;
	i = tl_xmap_add(map, (struct tl_map_key){ { owner, domain,
	    is_domain ? 0 : category } });
	if (i < known)
		return; /* the first name holds */
	*names = tl_xgrow(*names, known, is_domain ? &n->domains_cap :
	    &n->categories_cap, sizeof **names);
	text = tl_text_cut(text, &n->strings.cut);
	esc = tl_xarena_alloc(&n->arena, 4 * text.n + 1);
	(*names)[i] = (struct tl_str){ esc, tl_esc(esc, text.p, text.n) };
}

void
xnvtx_names(struct nsys *n)
{
	struct table *t = &n->table[T_NVTX];
	sqlite3_stmt *st;

	if (!t->wanted || !t->has[F_KIND] || t->n_names == 0)
		return;
	st = xprepare(n, "select eventType, %s, %s, %s, %s, %s from \"%w\" "
	    "not indexed where eventType in (%d, %d) and _rowid_ >= %lld and "
	    "_rowid_ <= %lld order by start, _rowid_",
	    t->has[F_OWNER] ? "globalTid" : "0",
	    t->has[F_DOMAIN] ? "domainId" : "0",
	    t->has[F_CATEGORY] ? "category" : "0",
	    t->has[F_TEXT] ? "text" : "NULL",
	    t->has[F_NAME] ? "textId" : "NULL", t->name, NVTX_CATEGORY,
	    NVTX_DOMAIN, (long long)t->names.from, (long long)t->names.to);
	while (xstep(n, st, t->name))
		nvtx_name(n, st);
	sqlite3_finalize(st);
}
