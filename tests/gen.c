#include "gen.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char gen_usage[] =
    "usage: gen [-f kineto|nsys|seq] [-p preset] [-o file] [-a answer] "
    "[-R seed]\n"
    "           [option ...]\n";

static const char help[] =
    "  -f FORMAT   kineto, nsys or seq (symbols in launch order)\n"
    "  -o FILE     output; gzip if it ends in .gz; default standard output\n"
    "  -a FILE     the known answer\n"
    "  -p PRESET   demo, train, decode, mixed, million, nsys-large;\n"
    "              options behind it change it\n"
    "  -R SEED     random seed (1)\n"
    "program:\n"
    "  -n STEPS    (10)             -l LAYERS a step (4)\n"
    "  -k KERNELS  a layer (8)      -e PRO[,EPI] kernels around (3,2)\n"
    "  -m M[,SEP]  micro-batches a step, separator kernels (1,0)\n"
    "  -N COUNT    stop after COUNT kernels a scope\n"
    "  -u PCT      share of a body's kernels that recur in it (0)\n"
    "  -c N[,M]    collectives a layer, a step (0,0)\n"
    "  -K KINDS    step kinds, such as DDP, or random:K\n"
    "  -E N        an extra kernel in every Nth step\n"
    "  -M SHAPE    loop, equal, random:ALPHABET (with -N)\n"
    "  -H N -T N   cut N kernels off the head, the tail\n"
    "  -A N        no call recorded for the first N kernels\n"
    "  -b LIST     noise: ins=PCT,same=PCT,miss=PCT,repl=PCT\n"
    "  -g step|layer[:noid|id|trace]  replay a step's layers or each layer\n"
    "machine:\n"
    "  -s N  streams (1)            -j PCT   jitter of durations (5)\n"
    "  -D N  devices a process (1)  -P N[s]  processes (1), s: share devices\n"
    "  -t N  launching threads      -z PCT   kernels of duration 0\n"
    "  -C LO,HI    copies a step    -Z LO,HI fills a step\n"
    "recorded beside kernels:\n"
    "  -i N        step marks from ProfilerStep#N\n"
    "  -O N        operators around a call (0 .. 8)\n"
    "  -w PCT      share of python_function events\n"
    "  -J PREFIX   executions of steps, and PREFIX.*.jsonl, PREFIX.tsv\n"
    "form:\n"
    "  -y YEAR     2020 .. 2026 (2026)   -L N  pad names to N bytes\n"
    "  -x KEY[=V],...  amd plain names=plain ends=shared nosync sync gpumark\n"
    "              copylane noflow iters array object gzip[=LEVEL]\n"
    "              ts=us3|int|epoch3 base=before|after|none\n"
    "              style=pretty|line|tight|keys shuffle=N|all rank=R/W\n"
    "              api=PCT osrt=PCT overlap=PCT corr=zero|none corr0=N\n"
    "              schema=3.25|3.24|3.16|2.9|old nvtx=id\n"
    "  -h          this text\n";

static void
preset(struct gen_opt *o, const char *s)
{
	static const struct {
		const char *name, *args;
	} sets[] = {
	    {"demo", "-n 10 -l 24 -k 12 -e 4,12 -c 1,1 -C 1,3 -Z 0,4 -i 3 "
		     "-O 1 -s 2 -j 8 -x sync,gpumark,rank=0/8"},
	    {"train", "-n 20 -l 32 -k 30 -e 10,40 -m 2,2 -c 2,1 -C 2,6 -Z 0,20 "
		      "-i 5 -O 2 -w 40 -t 2 -x sync,gpumark,rank=0/8"},
	    {"decode", "-n 60 -l 32 -k 14 -e 6,4 -g step -C 1,3 -O 1 "
		       "-H 200 -T 100 -A 20"},
	    {"mixed", "-n 80 -l 16 -k 12 -e 4,3 -K random:2 -C 1,2 -O 1 "
		      "-x ends=shared"},
	    {"million", "-N 1000000 -l 32 -k 14 -e 6,6 -C 0,3 -L 120"},
	    {"nsys-large", "-f nsys -N 344000 -l 32 -k 24 -e 20,40 -c 2,1 "
			   "-C 1,4 -Z 0,16 -i 0 -O 3 -s 2 -t 2 "
			   "-x api=180,osrt=100,sync"},
	};
	char buf[256];
	char *argv[64];
	int argc = 0;
	size_t i = 0;

	while (i < sizeof sets / sizeof sets[0] && strcmp(sets[i].name, s))
		i++;
	if (i == sizeof sets / sizeof sets[0])
		gen_die_usage("unknown preset", s);
	snprintf(buf, sizeof buf, "gen %s", sets[i].args);
	for (char *p = strtok(buf, " "); p && argc < 63; p = strtok(NULL, " "))
		argv[argc++] = p;
	argv[argc] = NULL;
	gen_set_options(o, argc, argv);
}

/* What the year and the format mean for the form of times. */
static void
derive_clock(struct gen_opt *o)
{
	if (o->year == 2020)
		o->array = true;
	if (o->ts == TS_AUTO)
		o->ts = o->year < 2024 ? TS_INT : TS_US3;
	if (o->base == BASE_AUTO)
		o->base = o->year < 2024 || o->ts != TS_US3 ? BASE_NONE
		    : o->year < 2026 ? BASE_AFTER : BASE_BEFORE;
	if (o->array)
		o->base = BASE_NONE;
	if (o->style == STYLE_KEYS && o->base == BASE_BEFORE)
		o->base = BASE_AFTER;
	o->quantum = o->fmt == FMT_KINETO && o->ts == TS_INT ? 1000 : 1;
	if (o->fmt == FMT_NSYS) {
		o->clock0 = 1250000000;
		o->base_ns = 1768208532000000000;
		return;
	}
	o->clock0 = 919761102186287000;
	o->base_ns = o->year < 2026 ? 1711964646000000000
	    : 1767189312000000000;
	if (o->base == BASE_NONE) {
		o->clock0 = 1683564901540885000 +
		    (o->ts == TS_INT ? 0 : 123);
		o->base_ns = 0;
	}
}

/* Levels that nothing tells apart become one, so that the answer is one. */
static void
merge_levels(struct gen_opt *o)
{
	bool ends = o->pro + o->epi + o->comm_step > 0;

	if (o->shape != SHAPE_LOOP)
		return;
	if (o->kernels == 0)
		o->layers = 0;
	if (o->layers == 0) {
		o->shared_ends = false;
		o->graph = GRAPH_NONE;
	}
	if (!ends && (o->pattern[0] || o->rand_kinds || o->extra))
		gen_die_usage("kinds and extra kernels need", "-e");
	if (o->micro > 1 && o->sep == 0) {
		o->layers *= o->micro;
		o->micro = 1;
	} else if (o->micro > 1 && !ends) {
		if (o->steps > 0)
			o->steps *= o->micro;
		o->micro = 1;
		o->pro = o->sep;
		o->sep = 0;
	}
}

static void
check(struct gen_opt *o)
{
	int64_t body, len;

	merge_levels(o);
	body = o->kernels + o->comm_layer;
	if (o->fmt == FMT_KINETO && o->graph && o->gmode == GMODE_TRACE)
		body = 0;
	len = o->pro + o->epi + o->comm_step +
	    o->micro * (o->sep + o->layers * body);
	if (o->shape == SHAPE_LOOP && len == 0 && o->steps < 0)
		o->steps = 10;
	if (len > INT32_MAX / 2)
		gen_die_usage("a step is too long", "-l");
	if (o->shape != SHAPE_LOOP && o->limit < 0)
		o->limit = 1000;
	if (o->shape != SHAPE_LOOP || (o->limit >= 0 && o->steps < 0))
		o->steps = INT64_MAX;
	if (o->steps < 0)
		o->steps = 10;
	if (o->tail && (o->steps == INT64_MAX || o->limit >= 0))
		gen_die_usage("not both -N and", "-T");
	if (o->fmt == FMT_NSYS && !o->out)
		gen_die_usage("a database needs", "-o");
	if (o->fmt == FMT_NSYS && o->amd)
		gen_die_usage("no export of", "amd");
	if (!o->share_dev && o->devs * o->procs > 250)
		gen_die_usage("too many devices", "-D");
	if (o->out && o->fmt == FMT_KINETO) {
		size_t n = strlen(o->out);

		if (n > 3 && !strcmp(o->out + n - 3, ".gz"))
			o->gzip = true;
	}
	derive_clock(o);
}

struct seq {
	struct gen_out w;
};

/* The first scope's symbols only. */
static void
put_symbol(void *ctx, const struct gen_ev *e)
{
	struct seq *s = ctx;

	if ((e->kind != EV_KERNEL && e->kind != EV_GRAPH) || e->proc || e->dev)
		return;
	gen_puti(&s->w, e->sym);
	gen_put(&s->w, "\n", 1);
}

static void
write_seq(const struct gen_opt *o, const struct gen_prog *g, struct gen_ans *a)
{
	struct seq s;

	gen_out_open(&s.w, o->out, false, 0);
	gen_sim(o, g, PASS_DEV, put_symbol, &s, a);
	gen_out_close(&s.w);
}

int
main(int argc, char **argv)
{
	struct gen_opt o;
	struct gen_prog g;
	struct gen_ans *a = NULL;
	int c;

	signal(SIGPIPE, SIG_DFL);
	gen_defaults(&o);
	while ((c = getopt(argc, argv, gen_optstring)) != -1) {
		if (c == 'h') {
			fputs(gen_usage, stdout);
			fputs(help, stdout);
			return fflush(stdout) == 0 ? 0 : 1;
		}
		if (c == '?') {
			fputs(gen_usage, stderr);
			return 2;
		}
		if (c == 'p') {
			int next = optind;

			preset(&o, optarg);
			optind = next;
		}
	}
	gen_set_options(&o, argc, argv);
	check(&o);
	gen_prog_make(&g, &o);
	if (o.context)
		o.ctx = gen_ctx_new(&o);
	if (o.ans)
		a = gen_ans_new(&o, &g);
	if (o.fmt == FMT_KINETO)
		gen_write_kineto(&o, &g, a);
	else if (o.fmt == FMT_NSYS)
		gen_write_nsys(&o, &g, a);
	else
		write_seq(&o, &g, a);
	if (a)
		gen_ans_write(a, o.ans);
	if (o.ctx)
		gen_ctx_end(o.ctx, &o);
	gen_prog_free(&g);
	return 0;
}
