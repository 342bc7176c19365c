/*
 * gen: writes synthetic captures with a known answer. Shared by gen*.c, which
 * depend on nothing else of the project. All times are int64 nanoseconds, all
 * shares parts per million; same options and seed give the same bytes.
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEN_MAX_STREAMS = 96, GEN_MAX_LANES = 98, GEN_MAX_DEVS = 16 };
enum { GEN_MAX_PROCS = 16, GEN_MAX_KINDS = 16, GEN_MAX_OPS = 8 };
#define GEN_PPM 1000000u

enum gen_fmt { FMT_KINETO, FMT_NSYS, FMT_SEQ };
enum gen_shape { SHAPE_LOOP, SHAPE_EQUAL, SHAPE_RANDOM };
enum gen_graph { GRAPH_NONE, GRAPH_STEP, GRAPH_LAYER };
enum gen_gmode { GMODE_NOID, GMODE_ID, GMODE_TRACE };
enum gen_ts { TS_AUTO, TS_US3, TS_INT, TS_EPOCH3 };
enum gen_base { BASE_AUTO, BASE_BEFORE, BASE_AFTER, BASE_NONE };
enum gen_style { STYLE_PRETTY, STYLE_LINE, STYLE_TIGHT, STYLE_KEYS };
enum gen_corr { CORR_OK, CORR_ZERO, CORR_NONE };

struct gen_opt {
	enum gen_fmt fmt;
	const char *out, *ans, *context;
	uint64_t seed;
	/* shape of the program */
	enum gen_shape shape;
	uint32_t alphabet;
	int64_t steps, layers, kernels, pro, epi, micro, sep;
	int64_t limit; /* kernels a scope, -1: no limit */
	int64_t head, tail, no_api, extra;
	uint32_t comm_layer, comm_step;
	uint32_t share_ppm;
	char pattern[65];		/* of 'A' + kind */
	char letter[GEN_MAX_KINDS];	/* what the user calls them */
	uint32_t rand_kinds;
	bool shared_ends;
	enum gen_graph graph;
	enum gen_gmode gmode;
	/* where it runs, and how evenly */
	uint32_t devs, procs, threads, streams;
	bool share_dev, copy_lane, step_sync;
	uint32_t jitter_ppm, zero_ppm, overlap_ppm;
	uint32_t ins_ppm, same_ppm, miss_ppm, repl_ppm;
	int64_t burst, skip; /* in one of n steps, by chance; 0: none */
	uint32_t copy_lo, copy_hi, fill_lo, fill_hi;
	/* what is recorded beside the kernels */
	int64_t mark; /* number of the first step mark, -1: none */
	uint32_t py_ppm, ops, api_ppm, osrt_ppm;
	bool gpu_mark, sync_rows;
	/* how it is written */
	uint32_t name_len;
	bool plain_names;
	int year;
	bool amd, array, gzip, flows, iters, nvtx_ids;
	int gzip_level, schema;
	enum gen_ts ts;
	enum gen_base base;
	enum gen_style style;
	enum gen_corr corr;
	uint64_t corr0;
	int64_t shuffle; /* rows in the window, 0: none, -1: all */
	uint32_t rank, world;
	/* derived */
	int64_t quantum, clock0, base_ns;
	struct gen_ctx *ctx; /* NULL: no context is asked for */
};

/* Options; a wrong one ends the program with 2. */
extern const char gen_usage[], gen_optstring[];
void gen_defaults(struct gen_opt *o);
void gen_set_options(struct gen_opt *o, int argc, char **argv);
void gen_die_usage(const char *what, const char *subject);

/* splitmix64: one 64-bit word of state, good enough and easy to rewrite. */
struct gen_rng {
	uint64_t s;
};

void gen_seed(struct gen_rng *r, uint64_t seed, uint64_t purpose);
uint64_t gen_rand(struct gen_rng *r);
/* Uniform in 0 .. n-1; 0 when n is 0. */
uint32_t gen_below(struct gen_rng *r, uint32_t n);
/* Uniform in lo .. hi. */
int64_t gen_range(struct gen_rng *r, int64_t lo, int64_t hi);
bool gen_chance(struct gen_rng *r, uint32_t ppm);

enum gen_kind {
	EV_KERNEL,
	EV_COPY,
	EV_FILL,
	EV_SYNC,
	EV_GRAPH,
	EV_GMARK,
	EV_API,
	EV_OP,
	EV_PY,
	EV_MARK,
	EV_OSRT,
	EV_EXEC /* arg: 2 * step, and 1 where it samples */
};

enum gen_call {
	CALL_LAUNCH,
	CALL_COPY,
	CALL_FILL,
	CALL_GRAPH,
	CALL_SYNC,
	CALL_EXTRA /* CALL_EXTRA + n: calls that launch nothing */
};
enum { GEN_EXTRA_CALLS = 4 };

struct gen_ev {
	int64_t start, dur;
	uint64_t corr;	/* 0: none */
	uint64_t arg;	/* bytes; step; unit << 32 | node; frame */
	uint32_t sym;	/* symbol, call, name; copies: 1 HtoD, 2 DtoH */
	uint32_t ext;	/* number of the operator around it, 0: none */
	uint16_t lane;	/* stream or thread, from 0 */
	uint8_t kind, proc, dev;
};

struct gen_symbol {
	bool comm;
	uint16_t pat;
	uint32_t num;
	int64_t dur;
	uint32_t grid, block, regs, smem;
};

struct gen_seg {
	uint32_t *sym;
	uint8_t *lane;
	uint32_t n;
};

/* One kind of step: prologue, micro-batches of separator and layers, rest. */
struct gen_step {
	struct gen_seg pro, sep, body, epi;
};

struct gen_prog {
	struct gen_symbol *sym;
	uint32_t nsym, cap;
	struct gen_step kind[GEN_MAX_KINDS];
	uint32_t nkinds;
	uint32_t extra_sym, foreign0, unit0;
	uint32_t cycle; /* steps after which the kinds recur, 0: never */
	bool merged;	/* nothing tells steps from layers */
};

void gen_prog_make(struct gen_prog *g, const struct gen_opt *o);
void gen_prog_free(struct gen_prog *g);
/* Kind of a step without (2k) or with (2k+1) the extra kernel. */
uint32_t gen_prog_kind(
    const struct gen_prog *g, const struct gen_opt *o, int64_t step);
/* What a replay without recorded members counts: 1, where it has a row. */
int64_t gen_prog_token(const struct gen_opt *o);
/* Kernels (graph tokens where members are not recorded) of a layer, a step. */
int64_t gen_prog_layer_len(
    const struct gen_prog *g, const struct gen_opt *o, uint32_t kind);
int64_t gen_prog_micro_len(
    const struct gen_prog *g, const struct gen_opt *o, uint32_t kind);
int64_t gen_prog_step_len(
    const struct gen_prog *g, const struct gen_opt *o, uint32_t kind);

/* Names; buf is always terminated. */
enum { GEN_NAME = 8192, GEN_PATS = 32 };
size_t gen_name_kernel(char *buf, size_t cap, const struct gen_prog *g,
    const struct gen_opt *o, uint32_t sym);
size_t gen_name_short(char *buf, size_t cap, const char *name);
const char *gen_name_call(const struct gen_opt *o, uint32_t call);
int gen_name_cbid(const struct gen_opt *o, uint32_t call);
const char *gen_name_op(uint32_t n);
size_t gen_name_py(char *buf, size_t cap, uint32_t n);
/* First pattern of a role and how many follow: 'b'ody, 'p'ro, 'e'pi, ... */
uint32_t gen_name_role(char role, uint32_t i);

uint32_t gen_lane_id(const struct gen_opt *o, uint32_t lane);
uint32_t gen_comm_lane(const struct gen_opt *o);
uint32_t gen_dev_id(const struct gen_opt *o, uint32_t proc, uint32_t dev);
uint32_t gen_pid(uint32_t proc);
uint32_t gen_tid(uint32_t proc, uint32_t thread);
uint64_t gen_global_pid(uint32_t proc);

/* The answer: filled during the simulation, written at the end. */
struct gen_ans;
struct gen_ans *gen_ans_new(const struct gen_opt *o, const struct gen_prog *g);
void gen_ans_ev(struct gen_ans *a, const struct gen_ev *e);
void gen_ans_step(struct gen_ans *a, uint32_t proc, uint32_t kind,
    int64_t start, int64_t events, bool whole);
/* A whole run of layers (level 0) or micro-batches (level 1) from start. */
void gen_ans_run(struct gen_ans *a, uint32_t proc, uint32_t kind, int level,
    int64_t start);
void gen_ans_replay(struct gen_ans *a, uint32_t proc, uint32_t unit,
    uint32_t members, uint32_t lanes, bool whole);
void gen_ans_edit(
    struct gen_ans *a, uint32_t proc, char what, int64_t at, uint32_t sym);
void gen_ans_count(struct gen_ans *a, uint32_t proc, int64_t kernels);
void gen_ans_write(struct gen_ans *a, const char *path);

/* Context: a step, once; an execution (see EV_EXEC); a device event, with the
 * execution it was launched in, -1: none. */
struct gen_ctx;
struct gen_ctx *gen_ctx_new(const struct gen_opt *o);
void gen_ctx_step(struct gen_ctx *c, int64_t step);
void gen_ctx_exec(struct gen_ctx *c, uint32_t proc, int64_t exec);
void gen_ctx_ev(struct gen_ctx *c, const struct gen_opt *o,
    const struct gen_ev *e, int64_t exec, bool has_call);
void gen_ctx_end(struct gen_ctx *c, const struct gen_opt *o);
int gen_name_exec(char *buf, size_t n, uint32_t proc, int64_t exec);

typedef void gen_sink(void *ctx, const struct gen_ev *e);
enum { PASS_HOST = 1, PASS_DEV = 2 };

/*
 * Runs the program. Events of the passes asked for go to the sink in launch
 * order (a replay's members in start order); a may be NULL. A process's
 * kernels are counted first where the tail is to be cut.
 */
void gen_sim(const struct gen_opt *o, const struct gen_prog *g, int passes,
    gen_sink *sink, void *ctx, struct gen_ans *a);

/* Window shuffle before a sink; see gen_opt.shuffle. */
struct gen_shuf;
struct gen_shuf *gen_shuf_new(const struct gen_opt *o, gen_sink *sink, void *c);
gen_sink gen_shuf_ev;
void gen_shuf_end(struct gen_shuf *s);
void gen_shuffle(struct gen_rng *r, struct gen_ev *v, size_t n);

/* Buffered output; whole or not at all where the target is a plain file. */
struct gen_out {
	int fd;
	void *gz;
	char *buf;
	size_t n, cap;
	const char *path;
	char *tmp;
};

void gen_out_open(struct gen_out *w, const char *path, bool gz, int level);
void gen_out_flush(struct gen_out *w);
void gen_out_close(struct gen_out *w);
void gen_put(struct gen_out *w, const char *s, size_t n);
void gen_puts(struct gen_out *w, const char *s);
void gen_puti(struct gen_out *w, int64_t v);
/* Decimal text of v at p; returns the place behind it. */
char *gen_itoa(char *p, int64_t v);
/* The name to write to so that gen_rename can put it in place. NULL: direct. */
char *gen_tmpname(const char *path);
void gen_rename(char *tmp, const char *path);
/* Removes the temporary files when the program fails. */
void gen_die(const char *place, const char *what);
void *gen_xrealloc(void *p, size_t n, size_t size);

void gen_write_kineto(const struct gen_opt *o, const struct gen_prog *g,
    struct gen_ans *a);
void gen_write_nsys(const struct gen_opt *o, const struct gen_prog *g,
    struct gen_ans *a);

#endif
