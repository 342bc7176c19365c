/*
 * gen_ascend: writes synthetic Ascend captures with a known answer, in both
 * layouts. Depends on nothing of the project. Same options, same rows.
 *
 * The program serves tokens: a step launches graphs 0 .. G-1 in turn, each a
 * MODEL_EXECUTE on stream 3 with its wait, the graph's tasks on streams of its
 * own and the record that ends it; behind them come eager operators and a
 * collective on stream 4, of parts. Times are multiples of 10 ns.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONE 4294967295LL
#define PID 4242LL
#define TID 4250LL
/* The clock of the device at the moment START of Unix time. */
#define START 1767225600000000000LL
#define RAW 5000000000000LL
#define CNT 123450000LL
#define MAX_GRAPHS 512

struct opt {
	const char *out, *answer;
	int split;
	long long steps, graphs, streams, body, eager, rows, launches;
	long long parts;
};

static struct opt o = { .steps = 10, .graphs = 3, .streams = 2, .body = 6,
	.eager = 4, .parts = 5 };

static sqlite3 *task_db, *info_db, *api_db, *comm_db, *part_db;
static sqlite3_stmt *put_task, *put_info, *put_api, *put_op, *put_part,
    *put_string;
static long long conn = 1, global = 1, n_ops, n_calls, n_rows, strings;
static long long count[4], sum[4], comm_ns, n_parts, launches[MAX_GRAPHS];

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "gen_ascend: %s: %s\n", what, why);
	exit(1);
}

static void
usage(void)
{
	fputs("usage: gen_ascend [-s] [-a answer] [-p large] [-n steps] "
	    "[-g graphs]\n           [-m streams] [-b body] [-e eager] "
	    "[-c parts] [-r rows] [-l launches] -o folder\n", stderr);
	exit(2);
}

static void
folder(const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", o.out,
	    strcmp(name, ".") == 0 ? "" : name);
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		die(path, strerror(errno));
}

static void
text(const char *name, const char *content)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", o.out, name);
	f = fopen(path, "w");
	if (f == NULL || fputs(content, f) < 0 || fclose(f) != 0)
		die(path, strerror(errno));
}

static void
run(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		die(sql, sqlite3_errmsg(db));
}

static sqlite3 *
database(const char *name, const char *schema)
{
	char path[4096];
	sqlite3 *db;

	snprintf(path, sizeof path, "%s/%s", o.out, name);
	remove(path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		die(path, "cannot be made");
	run(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
	run(db, schema);
	return db;
}

static sqlite3_stmt *
prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		die(sql, sqlite3_errmsg(db));
	return st;
}

/* Binds and inserts: d a number, s a text, n NULL. */
static void
insert(sqlite3_stmt *st, int n, const long long *v, const char *const *s)
{
	for (int i = 0; i < n; i++) {
		if (s != NULL && s[i] != NULL)
			sqlite3_bind_text(st, i + 1, s[i], -1,
			    SQLITE_TRANSIENT);
		else
			sqlite3_bind_int64(st, i + 1, v[i]);
	}
	if (sqlite3_step(st) != SQLITE_DONE)
		die("insert", sqlite3_errmsg(sqlite3_db_handle(st)));
	sqlite3_reset(st);
}

/* ---- strings of the one file ---- */

static struct {
	char text[96];
	long long id;
} known[4096];

static long long
string(const char *s)
{
	unsigned h = 5381;
	long long v[2] = { 0, 0 };
	const char *t[2] = { NULL, s };

	for (const char *p = s; *p != '\0'; p++)
		h = h * 33 + (unsigned char)*p;
	h %= 4096;
	while (known[h].id != 0 && strcmp(known[h].text, s) != 0)
		h = (h + 1) % 4096;
	if (known[h].id == 0) {
		known[h].id = ++strings;
		snprintf(known[h].text, sizeof known[h].text, "%s", s);
		v[0] = known[h].id;
		insert(put_string, 2, v, t);
	}
	return known[h].id;
}

/* ---- rows ---- */

struct task {
	long long start, dur, stream, task, context, model, conn, id;
	const char *type, *device_type;
	int kind; /* 0 kernel, 1 sync, 2 memcpy, 3 task */
};

static void
task(const struct task *t)
{
	const char *types[11] = { NULL };

	n_rows++;
	if (t->kind >= 0) {
		count[t->kind]++;
		sum[t->kind] += t->dur;
	}
	if (o.split) {
		long long v[11] = { t->model, -1, t->stream,
			t->task % 65536, t->context, t->task / 65536,
			RAW + t->start, t->dur, 0, 0, t->conn };

		types[8] = t->type;
		types[9] = t->device_type;
		insert(put_task, 11, v, types);
	} else {
		long long v[11] = { START + t->start,
			START + t->start + t->dur, 0, t->conn, t->id, PID,
			string(t->device_type != NULL &&
			    strcmp(t->type, "FFTS_PLUS") == 0 ?
			    t->device_type : t->type), t->context, t->stream,
			t->task % 65536, t->model };

		insert(put_task, 11, v, NULL);
	}
}

/* The operator of a task. */
static void
operator_row(const struct task *t, const char *name, const char *type,
    const char *core)
{
	if (o.split) {
		long long v[9] = { t->model, 0, t->stream, t->task % 65536, 0,
			0, t->task / 65536, 0, t->context };
		const char *s[9] = { NULL, name, NULL, NULL, core, type };

		insert(put_info, 9, v, s);
	} else {
		long long v[4] = { string(name), t->id, string(core),
			string(type) };

		insert(put_info, 4, v, NULL);
	}
}

static void
call(const char *name, long long start, long long end, long long c)
{
	n_calls++;
	if (o.split) {
		long long v[8] = { 0, 0, 0, TID, n_calls,
			CNT + start / 10, CNT + end / 10, c };
		const char *s[8] = { "api", name, "node" };

		insert(put_api, 8, v, s);
	} else {
		long long v[6] = { START + start, START + end, 10000,
			PID << 32 | TID, c, string(name) };

		insert(put_api, 6, v, NULL);
	}
}

/* ---- the program ---- */

static long long now, host, eager_task = 1;

static void
launch(long long g)
{
	static long long seq = 1;
	long long c = conn++, end, at = now;
	struct task t = { .stream = 3, .context = NONE, .model = 100 + g,
		.conn = c, .type = "MODEL_EXECUTE", .kind = 3 };
	int first = launches[g]++ == 0;
	char name[64], type[64];

	call("aclmdlRIExecuteAsync", host, host + 1000, c);
	t.start = at;
	t.dur = 500;
	t.task = seq++;
	t.id = global++;
	task(&t);
	end = at + 500;
	for (long long i = 0; i < o.body; i++) {
		long long s = i % o.streams;
		struct task b = { .start = at + 600 + i / o.streams * 2000,
			.dur = 1000 + 10 * ((i * 7 + g * 3) % 50),
			.stream = 1000 + g * o.streams + s, .task = i + 1,
			.context = NONE, .model = 100 + g,
			.conn = 1000000000 + g * 1000 + i,
			.id = 1000000000 + g * 1000 + i,
			.type = "KERNEL_AICORE" };

		task(&b);
		if (first) {
			snprintf(name, sizeof name, "Op%lld_%lld", g, i);
			snprintf(type, sizeof type, "Op%lld", (g + i) % 5);
			operator_row(&b, name, type, "AI_CORE");
		}
		if (b.start + b.dur > end)
			end = b.start + b.dur;
	}
	t = (struct task){ .start = at + 550, .dur = end + 300 - (at + 550),
		.stream = 3, .context = NONE, .model = 100 + g, .conn = c,
		.task = seq++, .id = global++, .type = "NOTIFY_WAIT",
		.kind = 1 };
	task(&t);
	t = (struct task){ .start = end + 100, .dur = 200,
		.stream = 1000 + g * o.streams, .context = NONE,
		.model = 100 + g, .conn = 2000000000 + g, .id = global++,
		.task = o.body + 1, .type = "NOTIFY_RECORD", .kind = 1 };
	task(&t);
	now = end + 400;
	host += 2000;
}

static void
eager(long long i)
{
	struct task t = { .start = now, .dur = 800 + 10 * (i % 20),
		.stream = 2, .context = NONE, .model = NONE, .conn = conn++,
		.task = eager_task++, .id = global++,
		.type = "KERNEL_AIVEC" };
	char name[64];

	call("launch", host, host + 500, t.conn);
	task(&t);
	snprintf(name, sizeof name, "Eager%lld", i % 9);
	operator_row(&t, name, name, "AI_VECTOR_CORE");
	now += 1000;
	host += 600;
}

/* Its time is that of its parts. */
static void
collective(void)
{
	static long long seq = 1;
	long long c = conn++, from = now, to = now;
	char name[96];

	snprintf(name, sizeof name, "hcom_allReduce__7_%lld_1", n_ops);
	n_ops++;
	call("HcclAllreduce", host, host + 700, c);
	for (long long i = 0; i < o.parts; i++) {
		static const char *const device[] = { "Notify Wait", "SDMA" };
		static const char *const what[] = { "Notify_Wait", "Memcpy" };
		int k = (int)(i % 2);
		struct task t = { .start = now + i * 700, .dur = 600 + 10 * i,
			.stream = 4, .context = i, .model = NONE, .conn = c,
			.task = seq, .id = global++, .type = "FFTS_PLUS",
			.device_type = device[k], .kind = 1 + k };

		task(&t);
		n_parts++;
		to = t.start + t.dur;
		if (o.split) {
			long long v[6] = { 4, seq % 65536, i, 0, 0,
				seq / 65536 };
			const char *s[6] = { NULL, NULL, NULL, name, what[k] };

			insert(put_part, 6, v, s);
		} else {
			long long v[4] = { string(name), t.id,
				string(what[k]), n_ops };

			insert(put_part, 4, v, NULL);
		}
	}
	seq++;
	if (o.split) {
		long long v[7] = { 0, n_ops, 0, 0, 0, 0, c };
		const char *s[7] = { NULL, NULL, name, "hcom_allReduce_" };

		insert(put_op, 7, v, s);
	} else {
		long long v[6] = { string(name), START + from, START + to, c,
			n_ops, string("hcom_allReduce_") };

		insert(put_op, 6, v, NULL);
	}
	comm_ns += to - from;
	now = to + 300;
	host += 900;
}

static void
profiler(const char *type)
{
	struct task t = { .start = now, .stream = 0, .context = NONE,
		.model = NONE, .conn = conn++, .task = eager_task++,
		.id = global++, .type = type, .kind = -1 };

	task(&t);
	now += 100;
}

static void
program(void)
{
	long long done = 0, want = o.launches > 0 ? o.launches :
	    o.steps * o.graphs, e = 0, last;

	host = 1000;
	now = 20000;
	profiler("PROFILING_ENABLE");
	for (long long step = 0; done < want; step++) {
		for (long long g = 0; g < o.graphs && done < want; g++, done++)
			launch(g);
		for (long long i = 0; i < o.eager; i++)
			eager(i);
		if (o.parts > 0)
			collective();
		if (now < host + 5000)
			now = host + 5000;
	}
	for (last = n_rows + 1; o.rows > 0 && last < o.rows; last++)
		eager(e++);
	profiler("PROFILING_DISABLE");
}

/* ---- files ---- */

static void
open_one(void)
{
	sqlite3 *db = database("msprof_20260101000000.db",
	    "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);"
	    "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, "
	    "deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, "
	    "globalPid INTEGER, taskType INTEGER, contextId INTEGER, "
	    "streamId INTEGER, taskId INTEGER, modelId INTEGER);"
	    "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, "
	    "globalTaskId INTEGER PRIMARY KEY, taskType INTEGER, "
	    "opType INTEGER);"
	    "CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, "
	    "globalTaskId INTEGER, taskType INTEGER, opId INTEGER);"
	    "CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, "
	    "endNs INTEGER, connectionId INTEGER, opId INTEGER PRIMARY KEY, "
	    "opType INTEGER);"
	    "CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, "
	    "type INTEGER, globalTid INTEGER, connectionId INTEGER, "
	    "name INTEGER);"
	    "CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);"
	    "INSERT INTO ENUM_API_TYPE VALUES (10000, 'node');"
	    "CREATE TABLE HOST_INFO (hostUid TEXT, hostName TEXT);"
	    "INSERT INTO HOST_INFO VALUES ('1', 'node7');"
	    "CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, "
	    "endTimeNs INTEGER);"
	    "INSERT INTO SESSION_TIME_INFO VALUES (1767225600000000000, "
	    "1777225600000000000)");

	task_db = info_db = api_db = comm_db = part_db = db;
	put_string = prepare(db, "INSERT INTO STRING_IDS VALUES (?, ?)");
	put_task = prepare(db, "INSERT INTO TASK VALUES "
	    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	put_info = prepare(db,
	    "INSERT INTO COMPUTE_TASK_INFO VALUES (?, ?, ?, ?)");
	put_part = prepare(db,
	    "INSERT INTO COMMUNICATION_TASK_INFO VALUES (?, ?, ?, ?)");
	put_op = prepare(db,
	    "INSERT INTO COMMUNICATION_OP VALUES (?, ?, ?, ?, ?, ?)");
	put_api = prepare(db,
	    "INSERT INTO CANN_API VALUES (?, ?, ?, ?, ?, ?)");
}

static void
open_split(void)
{
	char buf[256];

	folder("device_0");
	folder("device_0/sqlite");
	text("host/info.json", "{\"hostname\": \"node7\", \"pid\": \"4242\", "
	    "\"pid_name\": \"\", \"rank_id\": -1, \"CPU\": [{\"Id\": \"0\", "
	    "\"Frequency\": \"100.000000\"}], \"DeviceInfo\": []}\n");
	snprintf(buf, sizeof buf, "[Host]\nclock_monotonic_raw = %lld\n"
	    "cntvct = %lld\n", RAW, CNT);
	text("host/host_start.log", buf);
	snprintf(buf, sizeof buf, "{\"collectionTimeBegin\": \"%lld\", "
	    "\"clockMonotonicRaw\": \"%lld\"}\n", START / 1000, RAW);
	text("host/start_info", buf);
	task_db = database("device_0/sqlite/ascend_task.db",
	    "CREATE TABLE AscendTask (model_id INT, index_id INT, "
	    "stream_id INT, task_id INT, context_id INT, batch_id INT, "
	    "start_time INT, duration INT, host_task_type TEXT, "
	    "device_task_type TEXT, connection_id INT)");
	part_db = database("device_0/sqlite/hccl_single_device.db",
	    "CREATE TABLE HCCLTaskSingleDevice (stream_id INT, task_id INT, "
	    "context_id INT, op_name TEXT, hccl_name TEXT, batch_id INT)");
	info_db = database("host/sqlite/ge_info.db",
	    "CREATE TABLE TaskInfo (model_id INT, op_name TEXT, "
	    "stream_id INT, task_id INT, task_type TEXT, op_type TEXT, "
	    "batch_id INT, device_id INT, context_id INT)");
	api_db = database("host/sqlite/api_event.db",
	    "CREATE TABLE ApiData (struct_type TEXT, id TEXT, level TEXT, "
	    "thread_id INT, item_id TEXT, start INT, \"end\" INT, "
	    "connection_id INT)");
	comm_db = database("host/sqlite/hccl.db",
	    "CREATE TABLE HCCLOP (device_id INT, index_id INT, op_name TEXT, "
	    "op_type TEXT, begin REAL, \"end\" REAL, connection_id INT)");
	put_task = prepare(task_db, "INSERT INTO AscendTask VALUES "
	    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	put_part = prepare(part_db, "INSERT INTO HCCLTaskSingleDevice VALUES "
	    "(?, ?, ?, ?, ?, ?)");
	put_info = prepare(info_db, "INSERT INTO TaskInfo VALUES "
	    "(?, ?, ?, ?, ?, ?, ?, ?, ?)");
	put_api = prepare(api_db, "INSERT INTO ApiData VALUES "
	    "(?, ?, ?, ?, ?, ?, ?, ?)");
	put_op = prepare(comm_db, "INSERT INTO HCCLOP VALUES "
	    "(?, ?, ?, ?, ?, ?, ?)");
}

static void
shut(sqlite3 *db)
{
	sqlite3_stmt *st;

	while ((st = sqlite3_next_stmt(db, NULL)) != NULL)
		sqlite3_finalize(st);
	run(db, "COMMIT");
	if (sqlite3_close(db) != SQLITE_OK)
		die("close", sqlite3_errmsg(db));
}

static void
captures(void)
{
	sqlite3 *db = database("host/sqlite/stream_info.db",
	    "CREATE TABLE CaptureStreamInfo (device_id INT, model_id INT, "
	    "original_stream_id INT, stream_id INT, timestamp NUM)");
	sqlite3_stmt *st = prepare(db,
	    "INSERT INTO CaptureStreamInfo VALUES (?, ?, ?, ?, ?)");

	for (long long g = 0; g < o.graphs; g++)
		for (long long s = 0; s < o.streams; s++) {
			long long v[5] = { 0, 100 + g, 3 + s,
				1000 + g * o.streams + s, g + 1 };

			insert(st, 5, v, NULL);
		}
	shut(db);
}

static void
answer(void)
{
	static const char *const kinds[] = { "kernel", "sync", "memcpy",
		"task" };
	FILE *f = fopen(o.answer, "w");

	if (f == NULL)
		die(o.answer, strerror(errno));
	fprintf(f, "rows\t%lld\ncalls\t%lld\n", n_rows, n_calls);
	for (int k = 0; k < 4; k++)
		fprintf(f, "kind\t%s\t%lld\t%lld\n", kinds[k], count[k],
		    sum[k]);
	fprintf(f, "comm\t%lld\t%lld\t%lld\n", n_ops, comm_ns, n_parts);
	fprintf(f, "capture\t%lld\n", o.graphs * o.streams);
	for (long long g = 0; g < o.graphs; g++)
		fprintf(f, "graph\t%lld\t%lld\t%lld\t%lld\n", 100 + g,
		    launches[g], o.body, o.streams < o.body ? o.streams :
		    o.body);
	if (fclose(f) != 0)
		die(o.answer, strerror(errno));
}

static long long
number(const char *s)
{
	char *end;
	long long v = strtoll(s, &end, 10);

	if (end == s || *end != '\0' || v < 0 || v > 1000000000)
		usage();
	return v;
}

static void
options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "sa:p:n:g:m:b:e:c:r:l:o:")) != -1)
		switch (c) {
		case 's': o.split = 1; break;
		case 'a': o.answer = optarg; break;
		case 'o': o.out = optarg; break;
		case 'n': o.steps = number(optarg); break;
		case 'g': o.graphs = number(optarg); break;
		case 'm': o.streams = number(optarg); break;
		case 'b': o.body = number(optarg); break;
		case 'e': o.eager = number(optarg); break;
		case 'c': o.parts = number(optarg); break;
		case 'r': o.rows = number(optarg); break;
		case 'l': o.launches = number(optarg); break;
		case 'p':
			if (strcmp(optarg, "large") != 0)
				usage();
			o.graphs = 29;
			o.streams = 3;
			o.body = 19;
			o.launches = 92000;
			o.rows = 2100000;
			break;
		default: usage();
		}
	if (optind < argc || o.out == NULL || o.graphs < 1 ||
	    o.graphs > MAX_GRAPHS || o.streams < 1 || o.body > 900)
		usage();
}

int
main(int argc, char **argv)
{
	options(argc, argv);
	folder(".");
	folder("host");
	folder("host/sqlite");
	if (o.split)
		open_split();
	else
		open_one();
	program();
	captures();
	if (o.split) {
		shut(part_db);
		shut(info_db);
		shut(api_db);
		shut(comm_db);
	}
	shut(task_db);
	if (o.answer != NULL)
		answer();
	return 0;
}
