/* Private to gen_sim.c (what the program does), gen_run.c (how it runs). */
#ifndef GEN_SIM_H
#define GEN_SIM_H

#include "gen.h"

enum { QUEUE = 1024 };

struct member {
	uint32_t sym, node;
	uint8_t lane;
};

struct proc {
	struct gen_rng time, noise, aux;
	int64_t host;	/* the host's clock */
	int64_t idle0;	/* end of the last call: frames fit in here */
	int64_t dev[GEN_MAX_DEVS][GEN_MAX_LANES];  /* end of the last event */
	int64_t last[GEN_MAX_DEVS][GEN_MAX_LANES]; /* its start */
	int64_t queue[QUEUE];
	uint64_t nqueue, corr;
	int64_t seen;	/* kernels of the program so far */
	int64_t n;	/* of them recorded */
	int64_t cut, calls_cut;
	int64_t mark0, mark1, pyid;
	int64_t exec0, exec; /* the open execution, -1: none */
	bool hidden;         /* the call of what runs now is not recorded */
	uint32_t ext, thread, fills, kernels_left;
	int64_t burst_in; /* kernels before the foreign section, -1: none */
	int64_t skip;     /* layer that is left out, -1: none */
	uint64_t py_acc, osrt_acc;
	bool done;
};

struct sim {
	const struct gen_opt *o;
	const struct gen_prog *g;
	struct gen_ans *a;
	gen_sink *sink;
	void *ctx;
	int passes;
	bool counting;
	int64_t limit[GEN_MAX_PROCS];
	struct proc *procs;
	/* the graph launch that is being put together */
	struct member *mem;
	uint32_t nmem, capmem;
	struct gen_ev *launch;
	bool in_graph;
	uint32_t node;
};

uint32_t run_proc(const struct sim *s, const struct proc *p);
void run_emit(struct sim *s, struct proc *p, struct gen_ev *e);
/* Up to a multiple of the clock's step. */
int64_t run_quant(const struct sim *s, int64_t ns);
/* A random time from lo to hi. */
int64_t run_span(struct sim *s, struct proc *p, int64_t lo, int64_t hi);
/* A call of the host that takes dur; returns its correlation. */
uint64_t run_call(
    struct sim *s, struct proc *p, uint32_t call, int64_t dur, bool show);
/* Host time up to a launch: frames, other calls, the operators around it. */
void run_before(struct sim *s, struct proc *p, struct gen_ev *ops);
void run_after(
    struct sim *s, struct proc *p, struct gen_ev *ops, uint32_t sym);
/* Length of a call that may have to wait for a place in the launch queue. */
int64_t run_wait(struct sim *s, struct proc *p);
void run_copy(struct sim *s, struct proc *p, uint8_t kind, uint32_t what);
void run_kernel(
    struct sim *s, struct proc *p, uint32_t sym, uint32_t lane);
/* Runs the members on device d; they come out by start. */
void run_graph(struct sim *s, struct proc *p, uint32_t unit, uint32_t d,
    int64_t at, uint64_t corr);
void run_sync(struct sim *s, struct proc *p);

#endif
