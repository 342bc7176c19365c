/* Private to gen_nsys*.c. */
#ifndef GEN_NSYS_H
#define GEN_NSYS_H

#include "gen.h"

#include <sqlite3.h>

/* Short names looked for again: enough for all that carry no number. */
enum { MAX_SHORT = 64 };

enum table {
	T_KERNEL,
	T_MEMCPY,
	T_MEMSET,
	T_SYNC,
	T_GRAPH,
	T_NODE,
	T_RUNTIME,
	T_NVTX,
	T_OSRT,
	T_COUNT
};

struct nsys {
	const struct gen_opt *o;
	const struct gen_prog *g;
	const char *path;
	sqlite3 *db;
	sqlite3_stmt *ins[T_COUNT], *str;
	struct gen_ev *dev;
	size_t ndev, capdev;
	int64_t nstr, end, grid;
	int64_t (*sym)[3];	/* string ids: demangled, short, mangled */
	int64_t call[CALL_EXTRA + GEN_EXTRA_CALLS], osrt[3], op[12];
	char short_name[MAX_SHORT][128];
	int64_t short_id[MAX_SHORT];
	int nshort;
};

void ns_exec(struct nsys *n, const char *sql);
/* Id of a new row of StringIds. */
int64_t ns_string(struct nsys *n, const char *s);

/* The tables that describe the capture. */
void ns_processes(struct nsys *n);
void ns_gpus(struct nsys *n);
void ns_session(struct nsys *n);
void ns_enums(struct nsys *n);
void ns_meta(struct nsys *n);

#endif
