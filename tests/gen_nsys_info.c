#include "gen_nsys.h"

#include <sqlite3.h>
#include <stdio.h>

static void
execf(struct nsys *n, const char *fmt, int64_t a, int64_t b, int64_t c)
{
	char *sql = sqlite3_mprintf(fmt, a, b, c);

	if (!sql)
		gen_die("memory", "out of memory");
	ns_exec(n, sql);
	sqlite3_free(sql);
}

void
ns_processes(struct nsys *n)
{
	const struct gen_opt *o = n->o;
	int64_t id = ns_string(n, "python3");

	ns_exec(n, "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, "
	    "name TEXT)");
	ns_exec(n, "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, "
	    "priority INTEGER, globalTid INTEGER)");
	for (uint32_t p = 0; p < o->procs; p++) {
		execf(n, "INSERT INTO PROCESSES VALUES (%lld, %lld, "
		    "'python3')", (int64_t)gen_global_pid(p), gen_pid(p), 0);
		for (uint32_t t = 0; t < o->threads; t++)
			execf(n, "INSERT INTO ThreadNames VALUES (%lld, 20, "
			    "%lld)", id, (int64_t)gen_global_pid(p) +
			    gen_tid(p, t), 0);
	}
}

void
ns_gpus(struct nsys *n)
{
	const struct gen_opt *o = n->o;
	uint32_t devs = o->share_dev ? o->devs : o->devs * o->procs;

	if (o->schema < 209)
		ns_exec(n, "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT "
		    "NULL, deviceId INTEGER NOT NULL, name TEXT NOT NULL, "
		    "busLocation TEXT NOT NULL, isDiscrete INTEGER NOT NULL)");
	else
		ns_exec(n, "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT "
		    "NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, "
		    "isDiscrete INTEGER, totalMemory INTEGER, smCount INTEGER, "
		    "uuid TEXT, chipName TEXT, cuDevice INTEGER, "
		    "computeMajor INTEGER, computeMinor INTEGER)");
	for (uint32_t d = 0; d < devs; d++) {
		if (o->schema < 209)
			execf(n, "INSERT INTO TARGET_INFO_GPU VALUES "
			    "(281474976710656, %lld, 'NVIDIA H100 80GB HBM3', "
			    "'0000:%02llx:00.0', 1)", d, 3 + d, 0);
		else
			execf(n, "INSERT INTO TARGET_INFO_GPU VALUES "
			    "(281474976710656, %lld, 'NVIDIA H100 80GB HBM3', "
			    "'0000:%02llx:00.0', 1, 85029158912, 132, "
			    "'00000000-0000-0000-0000-%012llx', 'GH100', "
			    "NULL, 9, 0)", d, 3 + d, d + 1);
	}
	if (o->schema < 323)
		return;
	ns_exec(n, "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, "
	    "cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT, "
	    "numMultiprocessors INTEGER)");
	for (uint32_t p = 0; p < o->procs; p++)
		execf(n, "INSERT INTO TARGET_INFO_CUDA_DEVICE SELECT id, id, "
		    "%lld, uuid, 132 FROM TARGET_INFO_GPU", gen_pid(p), 0, 0);
}

void
ns_meta(struct nsys *n)
{
	static const char *const version[][3] = {
	    {"2026.2.1.210", "3.25.0", "25"}, {"2026.1.1.204", "3.24.14", "24"},
	    {"2024.6.2.225", "3.16.1", "16"}, {"2022.2.1.31", "2.9.1", "9"}};
	int v = n->o->schema >= 325 ? 0 : n->o->schema >= 324 ? 1
	    : n->o->schema >= 316 ? 2 : 3;
	const char *tab = v == 3 ? "EXPORT_META_DATA" : "META_DATA_EXPORT";
	char sql[1024];

	if (n->o->schema < 209)
		return;
	snprintf(sql, sizeof sql, "CREATE TABLE %s (name TEXT NOT NULL, value "
	    "TEXT); INSERT INTO %s VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA "
	    "Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '%s'), "
	    "('EXPORT_SCHEMA_VERSION', '%s'), ('EXPORT_SCHEMA_VERSION_MAJOR', "
	    "'%c'), ('EXPORT_SCHEMA_VERSION_MINOR', '%s'), "
	    "('EXPORT_PARAM_EXPORT_TYPE', 'SQLite'), ('EXPORT_PARAM_LAZY', "
	    "'true'), ('EXPORT_PARAM_TIME_NORMALIZE', 'false'), "
	    "('EXPORT_PARAM_TIME_SHIFT', '0')", tab, tab, version[v][0],
	    version[v][1], version[v][1][0], version[v][2]);
	ns_exec(n, sql);
	if (v == 3)
		return;
	ns_exec(n, "CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value "
	    "TEXT); INSERT INTO META_DATA_CAPTURE VALUES ('DEVICE_ID', "
	    "'Local (CLI)'), ('CAPTURE_EVENT_TYPE', 'NvtxEvents'), "
	    "('CAPTURE_EVENT_TYPE', 'Cuda')");
	ns_exec(n, n->o->gmode == GMODE_TRACE || n->o->graph == GRAPH_NONE
	    ? "INSERT INTO META_DATA_CAPTURE VALUES "
	    "('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Graph')"
	    : "INSERT INTO META_DATA_CAPTURE VALUES "
	    "('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Node')");
}

void
ns_session(struct nsys *n)
{
	ns_exec(n, "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs "
	    "INTEGER, utcTime TEXT, localTime TEXT, systemClockNs INTEGER)");
	execf(n, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (%lld, "
	    "'2026-01-12T09:02:12', '2026-01-12T09:02:12', %lld)",
	    n->o->base_ns, 35255823190, 0);
	ns_exec(n, "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, "
	    "duration INTEGER NOT NULL, startTime INTEGER NOT NULL, "
	    "stopTime INTEGER NOT NULL)");
	execf(n, "INSERT INTO ANALYSIS_DETAILS VALUES (281474976710656, "
	    "%lld, 0, %lld)", n->end, n->end, 0);
	if (n->o->schema < 316)
		return;
	ns_exec(n, "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId "
	    "INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
	    "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId "
	    "INTEGER NOT NULL, parentContextId INTEGER, isGreenContext "
	    "INTEGER)");
	for (uint32_t p = 0; p < n->o->procs; p++)
		for (uint32_t d = 0; d < n->o->devs; d++)
			execf(n, "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO "
			    "VALUES (7, 0, 1, %lld, %lld, 1, %lld, 0)",
			    gen_pid(p), gen_dev_id(n->o, p, d), 0);
}

void
ns_enums(struct nsys *n)
{
	ns_exec(n, "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL "
	    "PRIMARY KEY, name TEXT, label TEXT); INSERT INTO "
	    "ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', "
	    "'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', "
	    "'Device-to-Host'), (8, 'CUDA_MEMCPY_KIND_DTOD', "
	    "'Device-to-Device')");
	ns_exec(n, "CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL "
	    "PRIMARY KEY, name TEXT, label TEXT); INSERT INTO "
	    "ENUM_CUPTI_SYNC_TYPE VALUES "
	    "(1, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE', "
	    "'Event synchronize'), "
	    "(3, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE', "
	    "'Stream synchronize')");
	ns_exec(n, "CREATE TABLE ENUM_CUDA_KERNEL_LAUNCH_TYPE (id INTEGER NOT "
	    "NULL PRIMARY KEY, name TEXT, label TEXT); INSERT INTO "
	    "ENUM_CUDA_KERNEL_LAUNCH_TYPE VALUES "
	    "(1, 'CUDA_KERNEL_LAUNCH_TYPE_REGULAR', 'Regular')");
}
