/*
 * An Nsight Systems export. Tables are made by the recent or an older schema;
 * calls, ranges and OS calls are inserted as they come, the device's rows are
 * kept and sorted first, since exports have them in start order.
 */
#include "gen_nsys.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Columns: "name" is nullable, "name!" NOT NULL, "name=literal" is constant,
 * "name@schema" is there from that schema on. Schemas: 200 (2020/21), 209,
 * 316, 324, 325. What is not constant is bound in the order of appearance.
 */
static const char *const kernel_cols[] = {"start!", "end!", "deviceId!",
    "contextId!=1", "greenContextId@316=0", "streamId!", "correlationId",
    "globalPid", "demangledName!", "shortName!", "mangledName@209",
    "launchType=1", "cacheConfig=1", "registersPerThread!", "gridX!",
    "gridY!=1", "gridZ!=1", "blockX!", "blockY!=1", "blockZ!=1",
    "staticSharedMemory!=0", "dynamicSharedMemory!", "localMemoryPerThread!=0",
    "localMemoryTotal!=250871808", "gridId!", "sharedMemoryExecuted=32768",
    "graphNodeId", "sharedMemoryLimitConfig=0", "qmdBulkReleaseDone@323",
    "qmdPreexitDone@323", "qmdLastCtaDone@323", "graphId@323",
    "clusterX@323=0", "clusterY@323=0", "clusterZ@323=0",
    "clusterSchedulingPolicy@323=1", "maxPotentialClusterSize@323=0",
    "maxActiveClusters@323=0", "sharedMemoryRequestedPercentage@324=NULL",
    "tensorSizeMinusOneElements!T@325='[]'", NULL};
static const char *const memcpy_cols[] = {"start!", "end!", "deviceId!",
    "contextId!=1", "greenContextId@316=0", "streamId!", "correlationId",
    "globalPid", "bytes!", "copyKind!", "deprecatedSrcId=NULL", "srcKind",
    "dstKind", "srcDeviceId=NULL", "srcContextId=NULL", "dstDeviceId=NULL",
    "dstContextId=NULL", "migrationCause=NULL", "graphNodeId=NULL",
    "virtualAddress@209=NULL", "copyCount@324=1", NULL};
static const char *const memset_cols[] = {"start!", "end!", "deviceId!",
    "contextId!=1", "greenContextId@316=0", "streamId!", "correlationId",
    "globalPid", "value!=0", "bytes!", "graphNodeId=NULL", "memKind=2", NULL};
static const char *const sync_cols[] = {"start!", "end!", "deviceId!",
    "contextId!=1", "greenContextId@316=NULL", "streamId!", "correlationId",
    "globalPid", "deprecatedSyncType@325=NULL", "syncType!=3",
    "eventId!=4294967295", "eventSyncId@324=NULL", NULL};
static const char *const graph_cols[] = {"start!", "end!", "deviceId!",
    "contextId!=1", "greenContextId@316=0", "streamId!", "correlationId",
    "globalPid", "graphId", "graphExecId", NULL};
static const char *const node_cols[] = {"start!", "end!", "eventClass!=86",
    "globalTid", "nameId!", "graphNodeId!", "originalGraphNodeId", NULL};
static const char *const runtime_cols[] = {"start!", "end!", "eventClass!=0",
    "globalTid", "correlationId", "nameId!", "returnValue!=0",
    "callchainId=NULL", NULL};
static const char *const nvtx_cols[] = {"start!", "end", "eventType!=59",
    "rangeId=NULL", "category=NULL", "color=NULL", "textT", "globalTid",
    "endGlobalTid=NULL", "textId", "domainId=0", "uint64Value=NULL",
    "int64Value=NULL", "doubleValueR=NULL", "uint32Value=NULL",
    "int32Value=NULL", "floatValueR=NULL", "jsonTextId=NULL",
    "jsonTextT@209=NULL", "binaryDataT@325=NULL", NULL};
static const char *const osrt_cols[] = {"start!", "end!", "eventClass!=27",
    "globalTid", "nameId!", "returnValue!=0", "nestingLevel=0",
    "callchainId!=0", NULL};

static const struct {
	const char *name;
	const char *const *cols;
} tables[T_COUNT] = {
	{"CUPTI_ACTIVITY_KIND_KERNEL", kernel_cols},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", memcpy_cols},
	{"CUPTI_ACTIVITY_KIND_MEMSET", memset_cols},
	{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", sync_cols},
	{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_cols},
	{"CUDA_GRAPH_NODE_EVENTS", node_cols},
	{"CUPTI_ACTIVITY_KIND_RUNTIME", runtime_cols},
	{"NVTX_EVENTS", nvtx_cols},
	{"OSRT_API", osrt_cols},
};

static void
fail(struct nsys *n)
{
	gen_die(n->path, sqlite3_errmsg(n->db));
}

void
ns_exec(struct nsys *n, const char *sql)
{
	if (sqlite3_exec(n->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(n);
}

static void
insert(struct nsys *n, sqlite3_stmt *st)
{
	if (sqlite3_step(st) != SQLITE_DONE || sqlite3_reset(st) != SQLITE_OK)
		fail(n);
}

struct text {
	char s[4096];
	size_t n;
};

static void
sayn(struct text *t, const char *s, size_t n)
{
	if (n >= sizeof t->s - t->n)
		gen_die("schema", "statement too long");
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = '\0';
}

static void
say(struct text *t, const char *s)
{
	sayn(t, s, strlen(s));
}

/* CREATE and INSERT for a table out of its column list. */
static void
table_make(struct nsys *n, enum table t)
{
	const char *sep = " (", *vsep = " VALUES (";
	struct text create = {.n = 0}, values = {.n = 0};
	bool old = n->o->schema < 209 && t <= T_GRAPH;

	say(&create, "CREATE TABLE ");
	say(&create, tables[t].name);
	say(&values, "INSERT INTO ");
	say(&values, tables[t].name);
	for (const char *const *c = tables[t].cols; *c; c++) {
		const char *at = strchr(*c, '@'), *lit = strchr(*c, '=');
		size_t len = strcspn(*c, "!@=");
		char last = (*c)[len - 1];
		bool text = last == 'T' || strstr(*c, "!T");

		if (at && strtol(at + 1, NULL, 10) > n->o->schema)
			continue;
		if (last == 'T' || last == 'R')
			len--;
		say(&create, sep);
		say(&create, "\"");
		sayn(&create, *c, len);
		say(&create, text ? "\" TEXT" : last == 'R' ? "\" REAL"
		    : "\" INTEGER");
		if (strchr(*c, '!') || old)
			say(&create, " NOT NULL");
		say(&values, vsep);
		if (lit && old && !strcmp(lit, "=NULL"))
			lit = "=0";
		say(&values, lit ? lit + 1 : "?");
		sep = vsep = ", ";
	}
	say(&create, ")");
	say(&values, ")");
	ns_exec(n, create.s);
	if (sqlite3_prepare_v2(n->db, values.s, -1, &n->ins[t], NULL) !=
	    SQLITE_OK)
		fail(n);
}

/* Tables are made when the first row comes, as the exporter does. */
static sqlite3_stmt *
table(struct nsys *n, enum table t)
{
	if (!n->ins[t])
		table_make(n, t);
	return n->ins[t];
}

int64_t
ns_string(struct nsys *n, const char *s)
{
	sqlite3_bind_int64(n->str, 1, ++n->nstr);
	sqlite3_bind_text(n->str, 2, s, -1, SQLITE_TRANSIENT);
	insert(n, n->str);
	return n->nstr;
}

/* The short name of several symbols is one string, as in real exports. */
static int64_t
short_string(struct nsys *n, const char *name)
{
	char mine[GEN_NAME];
	int i = 0;

	gen_name_short(mine, sizeof mine, name);
	while (i < n->nshort && strcmp(n->short_name[i], mine))
		i++;
	if (i < n->nshort)
		return n->short_id[i];
	if (i < MAX_SHORT && strlen(mine) < sizeof n->short_name[i]) {
		strcpy(n->short_name[i], mine);
		n->short_id[i] = n->nstr + 1;
		n->nshort++;
	}
	return ns_string(n, mine);
}

static const int64_t *
symbol(struct nsys *n, uint32_t sym)
{
	char name[GEN_NAME], mangled[64];

	if (n->sym[sym][0])
		return n->sym[sym];
	gen_name_kernel(name, sizeof name, n->g, n->o, sym);
	n->sym[sym][0] = ns_string(n, name);
	if (!strpbrk(name, "<(: ")) {
		n->sym[sym][1] = n->sym[sym][2] = n->sym[sym][0];
		return n->sym[sym];
	}
	n->sym[sym][1] = short_string(n, name);
	snprintf(mangled, sizeof mangled, "_Z9kernel%03uv", sym);
	n->sym[sym][2] = ns_string(n, mangled);
	return n->sym[sym];
}

static int64_t
global_tid(const struct gen_ev *e)
{
	return (int64_t)gen_global_pid(e->proc) + gen_tid(e->proc, e->lane);
}

static void
bind_corr(struct nsys *n, sqlite3_stmt *st, int k, const struct gen_ev *e)
{
	if (n->o->corr == CORR_OK)
		sqlite3_bind_int64(st, k, (int64_t)e->corr);
	else if (n->o->corr == CORR_ZERO || n->o->schema < 209)
		sqlite3_bind_int64(st, k, 0);
	else
		sqlite3_bind_null(st, k);
}

static void
put_call(struct nsys *n, const struct gen_ev *e)
{
	sqlite3_stmt *st = table(n, T_RUNTIME);

	if (!n->call[e->sym])
		n->call[e->sym] = ns_string(n, gen_name_call(n->o, e->sym));
	sqlite3_bind_int64(st, 1, e->start);
	sqlite3_bind_int64(st, 2, e->start + e->dur);
	sqlite3_bind_int64(st, 3, global_tid(e));
	bind_corr(n, st, 4, e);
	sqlite3_bind_int64(st, 5, n->call[e->sym]);
	insert(n, st);
}

static void
put_range(struct nsys *n, const struct gen_ev *e)
{
	sqlite3_stmt *st = table(n, T_NVTX);
	char s[96], exec[40];

	sqlite3_bind_int64(st, 1, e->start);
	sqlite3_bind_int64(st, 2, e->start + e->dur);
	sqlite3_bind_null(st, 3);
	sqlite3_bind_int64(st, 4, global_tid(e));
	sqlite3_bind_null(st, 5);
	if (e->kind == EV_OP && n->o->nvtx_ids) {
		int64_t *id = &n->op[e->sym % 12];

		if (!*id)
			*id = ns_string(n, gen_name_op(e->sym));
		sqlite3_bind_int64(st, 5, *id);
	} else {
		if (e->kind == EV_OP)
			snprintf(s, sizeof s, "%s, op_id = %u",
			    gen_name_op(e->sym), e->ext);
		else if (e->kind == EV_EXEC && gen_name_exec(exec, sizeof exec,
		    e->proc, (int64_t)e->arg) > 0)
			snprintf(s, sizeof s, "traceloom.execution.%s", exec);
		else
			snprintf(s, sizeof s, "ProfilerStep#%lld",
			    (long long)e->arg);
		sqlite3_bind_text(st, 3, s, -1, SQLITE_TRANSIENT);
	}
	insert(n, st);
}

static void
put_osrt(struct nsys *n, const struct gen_ev *e)
{
	static const char *const name[] = {
	    "pthread_mutex_lock", "poll", "ioctl"};
	sqlite3_stmt *st = table(n, T_OSRT);

	if (!n->osrt[e->sym])
		n->osrt[e->sym] = ns_string(n, name[e->sym]);
	sqlite3_bind_int64(st, 1, e->start);
	sqlite3_bind_int64(st, 2, e->start + e->dur);
	sqlite3_bind_int64(st, 3, global_tid(e));
	sqlite3_bind_int64(st, 4, n->osrt[e->sym]);
	insert(n, st);
}

static void
put_host(void *ctx, const struct gen_ev *e)
{
	struct nsys *n = ctx;

	if (e->kind == EV_API)
		put_call(n, e);
	else if (e->kind == EV_OP || e->kind == EV_MARK ||
	    e->kind == EV_EXEC)
		put_range(n, e);
	else if (e->kind == EV_OSRT)
		put_osrt(n, e);
}

/* Shared by all device tables: start .. globalPid. Next parameter. */
static int
bind_dev(struct nsys *n, sqlite3_stmt *st, const struct gen_ev *e)
{
	sqlite3_bind_int64(st, 1, e->start);
	sqlite3_bind_int64(st, 2, e->start + e->dur);
	sqlite3_bind_int64(st, 3, gen_dev_id(n->o, e->proc, e->dev));
	sqlite3_bind_int64(st, 4, gen_lane_id(n->o, e->lane));
	bind_corr(n, st, 5, e);
	sqlite3_bind_int64(st, 6, (int64_t)gen_global_pid(e->proc));
	return 7;
}

/* Node id: the graph in the upper half, as in recent captures. */
static void
bind_node(struct nsys *n, sqlite3_stmt *st, int k, uint64_t node)
{
	if (node)
		sqlite3_bind_int64(st, k, (int64_t)node);
	else if (n->o->schema < 209)
		sqlite3_bind_int64(st, k, 0);
	else
		sqlite3_bind_null(st, k);
}

static void
put_kernel(struct nsys *n, const struct gen_ev *e)
{
	const struct gen_symbol *s = &n->g->sym[e->sym];
	const int64_t *id = symbol(n, e->sym);
	sqlite3_stmt *st = table(n, T_KERNEL);
	int k = bind_dev(n, st, e);

	sqlite3_bind_int64(st, k++, id[0]);
	sqlite3_bind_int64(st, k++, id[1]);
	if (n->o->schema >= 209)
		sqlite3_bind_int64(st, k++, id[2]);
	sqlite3_bind_int64(st, k++, s->regs);
	sqlite3_bind_int64(st, k++, s->grid);
	sqlite3_bind_int64(st, k++, s->block);
	sqlite3_bind_int64(st, k++, s->smem);
	sqlite3_bind_int64(st, k++, ++n->grid);
	bind_node(n, st, k++, e->arg);
	if (n->o->schema >= 323)
		bind_node(n, st, k + 3, e->arg >> 32);
	insert(n, st);
}

static void
put_copy(struct nsys *n, const struct gen_ev *e)
{
	sqlite3_stmt *st = table(n, e->kind == EV_COPY ? T_MEMCPY : T_MEMSET);
	int k = bind_dev(n, st, e);

	sqlite3_bind_int64(st, k++, (int64_t)e->arg);
	if (e->kind == EV_COPY) {
		sqlite3_bind_int64(st, k++, e->sym);
		sqlite3_bind_int64(st, k++, e->sym == 1 ? 1 : 2);
		sqlite3_bind_int64(st, k++, e->sym == 1 ? 2 : 0);
	}
	insert(n, st);
}

static void
put_dev(struct nsys *n, const struct gen_ev *e)
{
	sqlite3_stmt *st;
	int k;

	switch (e->kind) {
	case EV_KERNEL:
		put_kernel(n, e);
		break;
	case EV_COPY:
	case EV_FILL:
		put_copy(n, e);
		break;
	case EV_SYNC:
		st = table(n, T_SYNC);
		bind_dev(n, st, e);
		insert(n, st);
		break;
	case EV_GRAPH:
		st = table(n, T_GRAPH);
		k = bind_dev(n, st, e);
		sqlite3_bind_int64(st, k++, (int64_t)(e->arg >> 32));
		sqlite3_bind_int64(st, k++, (int64_t)(e->arg >> 32) + 1000);
		insert(n, st);
		break;
	default:
		break;
	}
}

static void
take_ev(void *ctx, const struct gen_ev *e)
{
	struct nsys *n = ctx;

	if (e->start + e->dur > n->end)
		n->end = e->start + e->dur;
	if (e->kind >= EV_API) {
		put_host(n, e);
		return;
	}
	if (n->ndev == n->capdev) {
		n->capdev = n->capdev ? n->capdev * 2 : 4096;
		n->dev = gen_xrealloc(n->dev, n->capdev, sizeof *n->dev);
	}
	n->dev[n->ndev++] = *e;
}

static int
by_start(const void *a, const void *b)
{
	const struct gen_ev *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur > y->dur ? -1 : 1;
	if (x->proc != y->proc)
		return x->proc < y->proc ? -1 : 1;
	if (x->corr != y->corr)
		return x->corr < y->corr ? -1 : 1;
	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

static void
put_devs(struct nsys *n)
{
	struct gen_rng r;
	size_t w = n->o->shuffle < 0 ? n->ndev : (size_t)n->o->shuffle;

	if (n->ndev)
		qsort(n->dev, n->ndev, sizeof *n->dev, by_start);
	gen_seed(&r, n->o->seed, 500);
	for (size_t i = 0; w && i < n->ndev; i += w)
		gen_shuffle(&r, n->dev + i, w < n->ndev - i ? w : n->ndev - i);
	for (size_t i = 0; i < n->ndev; i++)
		put_dev(n, &n->dev[i]);
	free(n->dev);
}

/* One row a node, created before the capture's first event. */
static void
put_nodes(struct nsys *n)
{
	const struct gen_opt *o = n->o;
	int64_t name = 0, t = o->clock0 - 900000000;

	for (uint32_t p = 0; p < o->procs; p++) {
		for (uint32_t u = 0; u < n->g->nkinds; u++) {
			uint64_t len = n->g->kind[u].body.n;

			if (o->graph == GRAPH_STEP)
				len *= (uint64_t)o->layers;
			for (uint64_t i = 1; i <= len; i++, t += 2000) {
				sqlite3_stmt *st = table(n, T_NODE);
				uint64_t id = (uint64_t)(u + 1) << 32 | i;

				if (!name)
					name = ns_string(n, "cudaGraphNode");
				sqlite3_bind_int64(st, 1, t);
				sqlite3_bind_int64(st, 2, t + 1000);
				sqlite3_bind_int64(st, 3,
				    (int64_t)gen_global_pid(p) + gen_pid(p));
				sqlite3_bind_int64(st, 4, name);
				sqlite3_bind_int64(st, 5, (int64_t)id);
				id += (uint64_t)100 << 32;
				sqlite3_bind_int64(st, 6, (int64_t)id);
				insert(n, st);
			}
		}
	}
}

void
gen_write_nsys(const struct gen_opt *o, const struct gen_prog *g,
    struct gen_ans *a)
{
	struct nsys n = {.o = o, .g = g, .path = o->out};
	char *tmp = gen_tmpname(o->out);
	struct gen_shuf *s;

	if (!tmp)
		gen_die(o->out, "a database must be a plain file");
	remove(tmp);
	if (sqlite3_open(tmp, &n.db) != SQLITE_OK)
		fail(&n);
	ns_exec(&n, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; "
	    "PRAGMA synchronous=OFF; PRAGMA cache_size=-32768; BEGIN");
	n.sym = gen_xrealloc(NULL, g->nsym, sizeof *n.sym);
	memset(n.sym, 0, g->nsym * sizeof *n.sym);
	ns_exec(&n, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, "
	    "value TEXT NOT NULL)");
	if (sqlite3_prepare_v2(n.db, "INSERT INTO StringIds VALUES (?, ?)", -1,
	    &n.str, NULL) != SQLITE_OK)
		fail(&n);
	ns_processes(&n);
	ns_gpus(&n);
	if (o->graph != GRAPH_NONE && o->gmode == GMODE_ID)
		put_nodes(&n);
	s = gen_shuf_new(o, take_ev, &n);
	gen_sim(o, g, PASS_HOST | PASS_DEV, gen_shuf_ev, s, a);
	gen_shuf_end(s);
	put_devs(&n);
	ns_session(&n);
	if (o->schema >= 300)
		ns_enums(&n);
	ns_meta(&n);
	for (int t = 0; t < T_COUNT; t++)
		sqlite3_finalize(n.ins[t]);
	sqlite3_finalize(n.str);
	ns_exec(&n, "COMMIT");
	if (sqlite3_close(n.db) != SQLITE_OK)
		fail(&n);
	gen_rename(tmp, o->out);
	free(n.sym);
}
