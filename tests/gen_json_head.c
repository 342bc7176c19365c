#include "gen_json.h"

#include <stdio.h>
#include <string.h>

static void
put_meta(struct js *j, const char *name, int64_t pid, int64_t tid, bool quote,
    const char *key, const char *val)
{
	struct rec *r = &j->r;
	char s[64];

	js_start(j);
	snprintf(s, sizeof s, "\"%s\"", name);
	js_raw(r, false, "name", s, BRK_NO);
	js_raw(r, false, "ph", "\"M\"", BRK_NO);
	js_time(j, "ts", j->o->clock0, BRK_NO);
	js_int(r, false, "pid", pid, BRK_NO);
	if (quote) {
		char t[24];

		gen_itoa(t, tid);
		js_quoted(r, false, "tid", t, BRK_NO);
	} else {
		js_int(r, false, "tid", tid, BRK_NO);
	}
	r->has_args = true;
	js_raw(r, true, key, val, BRK_NO);
	js_end(j);
}

static void
meta_process(struct js *j, int64_t pid, const char *label, int64_t sort)
{
	char s[48], n[24];

	put_meta(j, "process_name", pid, 0, false, "name", "\"python\"");
	snprintf(s, sizeof s, "\"%s\"", label);
	put_meta(j, "process_labels", pid, 0, false, "labels", s);
	gen_itoa(n, sort);
	put_meta(j, "process_sort_index", pid, 0, false, "sort_index", n);
}

static void
meta_thread(struct js *j, int64_t pid, int64_t tid, const char *name)
{
	char n[24];

	put_meta(j, "thread_name", pid, tid, js_old(j), "name", name);
	gen_itoa(n, tid);
	put_meta(j, "thread_sort_index", pid, tid, js_old(j), "sort_index", n);
}

static uint32_t
devices(const struct gen_opt *o)
{
	return o->share_dev ? o->devs : o->devs * o->procs;
}

void
js_names(struct js *j)
{
	const struct gen_opt *o = j->o;
	bool comm = o->comm_layer + o->comm_step > 0;
	char s[48];

	for (uint32_t p = 0; p < o->procs; p++)
		meta_process(j, gen_pid(p), "CPU", gen_pid(p));
	for (uint32_t d = 0; d < devices(o); d++) {
		snprintf(s, sizeof s, "GPU %u", d);
		meta_process(j, d, s, 5000000 + d);
	}
	for (uint32_t d = 0; d < devices(o); d++) {
		for (uint32_t l = 0; l < GEN_MAX_LANES; l++) {
			uint32_t id = gen_lane_id(o, l);

			if (l >= o->streams &&
			    !(l == o->streams && comm) &&
			    !(l == o->streams + 1 && o->copy_lane))
				continue;
			snprintf(s, sizeof s, "\"stream %u \"", id);
			meta_thread(j, d, id, s);
		}
	}
	for (uint32_t p = 0; p < o->procs; p++) {
		for (uint32_t t = 0; t < o->threads; t++) {
			uint32_t id = gen_tid(p, t);

			snprintf(s, sizeof s, "\"thread %u (python)\"", id);
			meta_thread(j, gen_pid(p), id, s);
		}
	}
}

static void
put_instant(struct js *j, const char *name, const char *pid, const char *tid,
    int64_t ts)
{
	struct rec *r = &j->r;

	js_start(j);
	js_raw(r, false, "name", name, BRK_NO);
	js_raw(r, false, "ph", "\"i\"", BRK_NO);
	js_raw(r, false, "s", "\"g\"", BRK_NO);
	js_raw(r, false, "pid", pid, BRK_LINE);
	js_raw(r, false, "tid", tid, BRK_NO);
	js_time(j, "ts", ts, BRK_NO);
	js_end(j);
}

void
js_window(struct js *j)
{
	struct rec *r = &j->r;
	int64_t t0 = j->o->clock0 - 76000, t1 = j->end > t0 ? j->end : t0;

	js_start(j);
	js_raw(r, false, "ph", "\"X\"", BRK_NO);
	js_raw(r, false, "cat", "\"Trace\"", BRK_NO);
	js_time(j, "ts", t0, BRK_NO);
	js_time(j, "dur", t1 - t0, BRK_NO);
	js_raw(r, false, "pid", js_old(j) ? "\"Traces\"" : "\"Spans\"",
	    BRK_LINE);
	js_raw(r, false, "tid", "\"PyTorch Profiler\"", BRK_NO);
	js_raw(r, false, "name", "\"PyTorch Profiler (0)\"", BRK_LINE);
	r->has_args = true;
	js_raw(r, true, "Op count", "0", BRK_NO);
	js_end(j);
	put_instant(j, "\"Iteration Start: PyTorch Profiler\"", "\"Traces\"",
	    "\"Trace PyTorch Profiler\"", t0);
	if (j->o->year > 2020)
		put_instant(j, "\"Record Window End\"", "\"\"", "\"\"",
		    t1 + 7000000);
}

/* Header text; in the one-line styles without its breaks and indents. */
static void
head(struct js *j, const char *s)
{
	if (j->o->style == STYLE_PRETTY) {
		gen_puts(&j->w, s);
		return;
	}
	for (; *s; s++) {
		if (*s == '\n' || (*s == ' ' && j->prev == '\n')) {
			j->prev = '\n';
			continue;
		}
		if (*s == ' ' && (j->sep == ',' || j->sep == ':'))
			continue;
		if ((j->sep == ',' || j->sep == ':') &&
		    j->o->style != STYLE_TIGHT)
			gen_put(&j->w, " ", 1);
		gen_put(&j->w, s, 1);
		j->prev = j->sep = *s;
	}
}

static void
head_devices(struct js *j)
{
	char s[512];

	head(j, "  \"deviceProperties\": [\n");
	for (uint32_t d = 0; d < devices(j->o); d++) {
		snprintf(s, sizeof s, "%s    {\n      \"id\": %u, \"name\": "
		    "\"%s\", \"totalGlobalMem\": %s,\n"
		    "      \"computeMajor\": %d, \"computeMinor\": %d,\n"
		    "      \"maxThreadsPerBlock\": 1024, "
		    "\"maxThreadsPerMultiprocessor\": 2048,\n"
		    "      \"regsPerBlock\": 65536, \"warpSize\": %d,\n"
		    "      \"sharedMemPerBlock\": %d, \"numSms\": %d\n    }",
		    d ? ",\n" : "", d, j->o->amd ? "AMD Instinct MI300X"
		    : "NVIDIA H100 80GB HBM3", j->o->amd ? "206141652992"
		    : "85029158912", 9, j->o->amd ? 4 : 0, j->o->amd ? 64 : 32,
		    j->o->amd ? 65536 : 49152, j->o->amd ? 304 : 132);
		head(j, s);
	}
	head(j, "\n  ],\n");
}

static void
head_base(struct js *j, bool last)
{
	char s[120];

	if (j->o->base_ns == 0 && j->o->ts != TS_EPOCH3)
		return;
	head(j, last ? ",\n" : "");
	if (j->o->base_ns == 0)
		head(j, "  \"displayTimeUnit\": \"ns\"");
	else {
		snprintf(s, sizeof s, "  \"displayTimeUnit\": \"ms\",\n"
		    "  \"baseTimeNanoseconds\": %lld",
		    (long long)j->o->base_ns);
		head(j, s);
	}
	head(j, last ? "" : ",\n");
}

static void
head_rank(struct js *j)
{
	char s[200];

	if (j->o->world == 0 || j->o->year < 2022)
		return;
	snprintf(s, sizeof s, "  \"distributedInfo\": {\"backend\": \"nccl\", "
	    "\"rank\": %u, \"world_size\": %u%s},\n", j->o->rank, j->o->world,
	    j->o->year < 2024 ? "" : ", \"pg_count\": 1, \"pg_config\": "
	    "[{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\"}], "
	    "\"nccl_version\": \"2.27.7\"");
	head(j, s);
}

void
js_head(struct js *j)
{
	const struct gen_opt *o = j->o;

	if (o->array) {
		head(j, "[\n\n");
		return;
	}
	head(j, o->style == STYLE_PRETTY && o->year != 2023 ? "\n{\n" : "{\n");
	if (o->style == STYLE_KEYS) {
		head(j, "  \"traceEvents\": [\n");
		return;
	}
	head(j, "  \"schemaVersion\": 1,\n");
	head_devices(j);
	head_rank(j);
	if (o->year >= 2024) {
		head(j, o->amd ? "  \"roctracer_version\": 4.1,\n"
		    "  \"hip_runtime_version\": 70253211,\n"
		    : "  \"cupti_version\": 26,\n"
		    "  \"cuda_runtime_version\": 12080,\n"
		    "  \"cuda_driver_version\": 12080,\n");
		head(j, "  \"with_stack\": 1,\n  \"trace_id\": "
		    "\"0123456789ABCDEF0123456789ABCDEF\",\n");
	}
	if (o->base == BASE_BEFORE)
		head_base(j, false);
	head(j, "  \"traceEvents\": [\n");
}

void
js_tail(struct js *j)
{
	const struct gen_opt *o = j->o;

	j->prev = j->sep = '}';
	if (o->array) {
		head(j, "\n]");
		return;
	}
	if (o->year < 2022) {
		head(j, "\n]}\n");
		return;
	}
	head(j, "\n  ]");
	if (o->style == STYLE_KEYS) {
		head(j, ",\n  \"schemaVersion\": 1,\n");
		head_devices(j);
		head_rank(j);
		head(j, "  \"traceName\": \"/tmp/trace.json\"");
		if (o->base != BASE_NONE)
			head_base(j, true);
		head(j, "}\n");
		return;
	}
	if (o->year >= 2023)
		head(j, ",\n  \"traceName\": \"/tmp/trace.json\"");
	if (o->base == BASE_AFTER || o->ts == TS_EPOCH3)
		head_base(j, true);
	head(j, "\n}\n");
}
