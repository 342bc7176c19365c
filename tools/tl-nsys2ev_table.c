#include "tl-nsys2ev.h"

#include <stdio.h>
#include <stdlib.h>

#include "num.h"

#define DEVICE_COLUMNS \
	{ "start", F_START, true }, { "end", F_END, true }, \
	{ "deviceId", F_DEVICE, true }, { "contextId", F_CONTEXT, false }, \
	{ "streamId", F_STREAM, true }, { "correlationId", F_CORR, false }, \
	{ "globalPid", F_OWNER, false }

#define CALL_COLUMNS \
	{ "start", F_START, true }, { "end", F_END, true }, \
	{ "globalTid", F_OWNER, false }, { "nameId", F_NAME, true }, \
	{ "eventClass", F_KIND, false }, { "returnValue", F_RESULT, false }

static const struct column call_columns[] = {
	CALL_COLUMNS, { "correlationId", F_CORR, false }, { NULL, 0, false },
};

static const struct column osrt_columns[] = {
	CALL_COLUMNS, { NULL, 0, false },
};

static const struct column fill_columns[] = {
	DEVICE_COLUMNS, { "bytes", F_BYTES, false },
	{ "value", F_VALUE, false }, { "memKind", F_MEM_TO, false },
	{ "graphId", F_GRAPH, false }, { "graphNodeId", F_NODE, false },
	{ NULL, 0, false },
};

static const struct column graph_columns[] = {
	DEVICE_COLUMNS, { "graphId", F_GRAPH, false },
	{ "graphExecId", F_EXEC, false }, { NULL, 0, false },
};

static const struct column kernel_columns[] = {
	DEVICE_COLUMNS, { "demangledName", F_NAME, false },
	{ "shortName", F_SHORT, false }, { "gridX", F_GRID_X, false },
	{ "gridY", F_GRID_Y, false }, { "gridZ", F_GRID_Z, false },
	{ "blockX", F_BLOCK_X, false }, { "blockY", F_BLOCK_Y, false },
	{ "blockZ", F_BLOCK_Z, false }, { "graphId", F_GRAPH, false },
	{ "graphNodeId", F_NODE, false }, { NULL, 0, false },
};

static const struct column copy_columns[] = {
	DEVICE_COLUMNS, { "bytes", F_BYTES, false },
	{ "copyKind", F_KIND, false }, { "srcKind", F_MEM_FROM, false },
	{ "dstKind", F_MEM_TO, false }, { "srcDeviceId", F_DEV_FROM, false },
	{ "dstDeviceId", F_DEV_TO, false }, { "graphId", F_GRAPH, false },
	{ "graphNodeId", F_NODE, false }, { NULL, 0, false },
};

static const struct column nvtx_columns[] = {
	{ "start", F_START, true }, { "end", F_END, false },
	{ "globalTid", F_OWNER, false }, { "eventType", F_KIND, false },
	{ "text", F_TEXT, false }, { "textId", F_NAME, false },
	{ "domainId", F_DOMAIN, false }, { "category", F_CATEGORY, false },
	{ "endGlobalTid", F_END_OWNER, false }, { NULL, 0, false },
};

static const struct column sync_columns[] = {
	DEVICE_COLUMNS, { "syncType", F_KIND, false },
	{ "eventId", F_VALUE, false }, { NULL, 0, false },
};

const struct spec specs[N_TABLES] = {
	{ "CUPTI_ACTIVITY_KIND_DRIVER", TL_API, 'D', false,
	    call_columns },
	{ "CUPTI_ACTIVITY_KIND_MEMSET", TL_MEMSET, 'F', true,
	    fill_columns },
	{ "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", TL_GRAPH, 'G', true,
	    graph_columns },
	{ "CUPTI_ACTIVITY_KIND_KERNEL", TL_KERNEL, 'K', true,
	    kernel_columns },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY", TL_MEMCPY, 'M', true,
	    copy_columns },
	{ "NVTX_EVENTS", TL_RANGE, 'N', false, nvtx_columns },
	{ "OSRT_API", TL_API, 'O', false, osrt_columns },
	{ "CUPTI_ACTIVITY_KIND_RUNTIME", TL_API, 'R', false,
	    call_columns },
	{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", TL_SYNC, 'S', true,
	    sync_columns },
};

/* The number N of a name BASE_VN; false if it is none. */
static bool
version_of(const char *name, const char *base, uint64_t *v)
{
	size_t len = strlen(base);
	const char *p = name + len, *end = name + strlen(name);

	if (sqlite3_strnicmp(name, base, (int)len) != 0 ||
	    end - p < 3 || *p++ != '_' || (*p != 'V' && *p != 'v'))
		return false;
	p++;
	while (end - p > 1 && *p == '0')
		p++;
	return tl_num_u64(&p, end, v) && p == end;
}

/* Name of the table: the exact one, else the one with the highest version
 * behind it. */
static char *
find_name(struct nsys *n, const char *base)
{
	sqlite3_stmt *st = xprepare(n, "select name from sqlite_master where "
	    "type = 'table' and name like '%q%%' order by name", base);
	uint64_t best = 0, v;
	char *found = NULL;

	while (xstep(n, st, "sqlite_master")) {
		const char *name = (const char *)sqlite3_column_text(st, 0);

		if (name == NULL)
			continue;
		if (sqlite3_stricmp(name, base) == 0) {
			free(found);
			found = tl_xstrdup(name);
			break;
		}
		if (version_of(name, base, &v) && (found == NULL || v > best)) {
			free(found);
			found = tl_xstrdup(name);
			best = v;
		}
	}
	sqlite3_finalize(st);
	return found;
}

static void
missing_column(struct nsys *n, struct table *t, const char *column)
{
	const char *why = "which a row of it cannot be used without";

	if (!n->db.keep_going)
		tl_die("%s: table %s: column '%s' is missing, %s",
		    n->db.file.path, t->name, column, why);
	if (!n->quiet)
		tl_msg("%s: table %s: passed over: column '%s' is missing, %s",
		    n->db.file.path, t->name, column, why);
	n->db.damaged = true;
	t->wanted = false;
}

/* What is selected: _rowid_ and all columns of the spec that are there. */
static void
find_columns(struct nsys *n, struct table *t)
{
	char *list = sqlite3_mprintf("_rowid_");

	for (const struct column *c = t->spec->columns; c->name != NULL; c++) {
		if (!has_column(n, t->name, c->name)) {
			if (c->required)
				missing_column(n, t, c->name);
			continue;
		}
		list = sqlite3_mprintf("%z,\"%w\"", list, c->name);
		t->field[t->n_columns++] = c->field;
		t->has[c->field] = true;
	}
	if (list == NULL)
		tl_die("out of memory: columns of %s", t->name);
	if (t->spec - specs == T_KERNEL && !t->has[F_NAME] && !t->has[F_SHORT])
		missing_column(n, t, "demangledName");
	t->columns = tl_xstrdup(list);
	sqlite3_free(list);
}

static bool
kind_on(const struct nsys *n, const struct spec *s)
{
	uint32_t kinds = 1U << s->kind;

	if (s - specs == T_OSRT)
		return n->osrt;
	if (s - specs == T_NVTX)
		kinds |= 1U << TL_MARK;
	return (n->kinds & kinds) != 0;
}

void
xtables_find(struct nsys *n)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		struct table *t = &n->table[i];

		t->spec = &specs[i];
		t->name = find_name(n, specs[i].base);
		if (t->name == NULL)
			continue;
		t->wanted = kind_on(n, t->spec);
		if (t->wanted)
			find_columns(n, t);
	}
}
