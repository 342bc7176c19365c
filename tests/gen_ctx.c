/*
 * What the program says of itself: steps of a scheduler and executions of its
 * workers, as JSON lines, and which device event belongs to which.
 */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gen_ctx {
	FILE *sched, *worker[GEN_MAX_PROCS], *ans;
	int64_t last, nsteps, nexecs[GEN_MAX_PROCS];
};

static FILE *
open_file(const char *prefix, const char *suffix)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s%s", prefix, suffix);
	f = fopen(path, "w");
	if (!f)
		gen_die(path, "can't be written");
	return f;
}

/* Every line begins with these. */
static void
head(FILE *f, const char *type, const char *who)
{
	fprintf(f, "{\"schema\":\"traceloom.scheduler.v1\",\"type\":\"%s\","
	    "\"run_id\":\"gen\",\"producer_id\":\"%s\"", type, who);
}

static const char *
worker(uint32_t proc, char *buf, size_t n)
{
	snprintf(buf, n, "worker-%u", proc);
	return buf;
}

struct gen_ctx *
gen_ctx_new(const struct gen_opt *o)
{
	struct gen_ctx *c = gen_xrealloc(NULL, 1, sizeof *c);
	char who[32], name[48];

	memset(c, 0, sizeof *c);
	c->last = -1;
	c->sched = open_file(o->context, ".sched.jsonl");
	head(c->sched, "session", "scheduler");
	fputs(",\"metadata\":{\"role\":\"scheduler\"}}\n", c->sched);
	for (uint32_t i = 0; i < o->procs; i++) {
		snprintf(name, sizeof name, ".worker%u.jsonl", i);
		c->worker[i] = open_file(o->context, name);
		head(c->worker[i], "session", worker(i, who, sizeof who));
		fputs(",\"metadata\":{\"role\":\"worker\"}}\n", c->worker[i]);
	}
	c->ans = open_file(o->context, ".tsv");
	fputs("#link\tpid\tdevice\tkind\tstart\tstate\tordinal\texecution\n",
	    c->ans);
	return c;
}

void
gen_ctx_step(struct gen_ctx *c, int64_t step)
{
	int64_t n = step % 3 + 1;

	if (step <= c->last)
		return;
	c->last = step;
	c->nsteps++;
	head(c->sched, "step", "scheduler");
	fprintf(c->sched, ",\"step_id\":\"step-%lld\",\"ordinal\":%lld,"
	    "\"total_scheduled_tokens\":%lld,\"requests\":[",
	    (long long)step, (long long)step, (long long)(n * 4 + step));
	for (int64_t i = 0; i < n; i++)
		fprintf(c->sched, "%s{\"request_id\":\"r%lld\","
		    "\"scheduled_tokens\":%lld}", i ? "," : "",
		    (long long)(step / 3 + i),
		    (long long)(4 + (i ? 0 : step)));
	fprintf(c->sched, "],\"cache\":{\"observation_phase\":"
	    "\"after_schedule\",\"free_blocks\":%lld,\"pool_blocks\":1000}}\n",
	    (long long)(900 - step % 900));
}

/* What executions are called. */
int
gen_name_exec(char *buf, size_t n, uint32_t proc, int64_t exec)
{
	return snprintf(buf, n, "p%us%lldx%d", proc, (long long)(exec / 2),
	    (int)(exec % 2));
}

void
gen_ctx_exec(struct gen_ctx *c, uint32_t proc, int64_t exec)
{
	FILE *f = c->worker[proc];
	char who[32], id[64];

	gen_name_exec(id, sizeof id, proc, exec);
	head(f, "execution", worker(proc, who, sizeof who));
	fprintf(f, ",\"execution_id\":\"%s\",\"step_id\":\"step-%lld\","
	    "\"marker\":\"traceloom.execution.%s\",\"phase\":\"%s\","
	    "\"worker_rank\":%u,\"process_id\":%u,\"status\":\"returned\","
	    "\"marker_state\":\"emitted\"}\n", id, (long long)(exec / 2), id,
	    exec % 2 ? "sample_tokens" : "execute_model", proc,
	    gen_pid(proc));
	c->nexecs[proc]++;
}

void
gen_ctx_ev(struct gen_ctx *c, const struct gen_opt *o, const struct gen_ev *e,
    int64_t exec, bool has_call)
{
	static const char *const kinds[] = {"kernel", "memcpy", "memset",
	    "sync", "graph"};
	char id[64] = ".";
	bool linked = exec >= 0 && has_call && o->corr == CORR_OK;

	if (e->kind > EV_GRAPH)
		return;
	if (linked)
		gen_name_exec(id, sizeof id, e->proc, exec);
	fprintf(c->ans, "link\t%u\t%u\t%s\t%lld\t%s\t", gen_pid(e->proc),
	    gen_dev_id(o, e->proc, e->dev), kinds[e->kind],
	    (long long)e->start, linked ? "linked" : o->corr != CORR_OK ?
	    "no_correlation" : has_call ? "outside" : "no_call");
	if (linked)
		fprintf(c->ans, "%lld\t%s\n", (long long)(exec / 2), id);
	else
		fputs(".\t.\n", c->ans);
}

static void
summary(FILE *f, const char *who, int64_t n)
{
	head(f, "summary", who);
	fprintf(f, ",\"written_records\":%lld,\"dropped_records\":0}\n",
	    (long long)n);
	if (fclose(f) != 0)
		gen_die("context", "can't be written");
}

void
gen_ctx_end(struct gen_ctx *c, const struct gen_opt *o)
{
	char who[32];

	summary(c->sched, "scheduler", c->nsteps);
	for (uint32_t i = 0; i < o->procs; i++)
		summary(c->worker[i], worker(i, who, sizeof who),
		    c->nexecs[i]);
	if (fclose(c->ans) != 0)
		gen_die("context", "can't be written");
	free(c);
}
