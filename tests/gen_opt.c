#include "gen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
gen_die_usage(const char *what, const char *subject)
{
	fprintf(stderr, "gen: %s '%.80s'\n%s", what, subject,
	    gen_usage);
	exit(2);
}

static int64_t
number(const char *s, int64_t lo, int64_t hi, const char *what)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (end == s || *end || errno || v < lo || v > hi)
		gen_die_usage(what, s);
	return v;
}

/* A percentage with up to four decimals, as parts per million. */
static uint32_t
percent(const char *s, uint32_t max, const char *what)
{
	uint64_t v = 0, unit = 10000;
	const char *p = s;

	if (*p < '0' || *p > '9')
		gen_die_usage(what, s);
	for (; *p >= '0' && *p <= '9' && v < 1000000; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	v *= unit;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++)
			v += (uint64_t)(*p - '0') * (unit /= 10);
	if (*p == '%')
		p++;
	if (*p || v > max)
		gen_die_usage(what, s);
	return (uint32_t)v;
}

/* "A" or "A,B"; B stays as it is when it is not there. */
static void
pair(const char *s, int64_t *a, int64_t *b, int64_t max, const char *what)
{
	char buf[64];
	char *comma;

	if (strlen(s) >= sizeof buf)
		gen_die_usage(what, s);
	strcpy(buf, s);
	comma = strchr(buf, ',');
	if (comma) {
		*comma = '\0';
		*b = number(comma + 1, 0, max, what);
	}
	*a = number(buf, 0, max, what);
}

static void
pair32(const char *s, uint32_t *a, uint32_t *b, const char *what)
{
	int64_t x, y = -1;

	pair(s, &x, &y, 1000, what);
	*a = (uint32_t)x;
	*b = (uint32_t)(y < 0 ? 0 : y);
}

/* "LO,HI" or one number for both. */
static void
range(const char *s, uint32_t *lo, uint32_t *hi, const char *what)
{
	int64_t x, y = -1;

	pair(s, &x, &y, 100000, what);
	if (y < 0)
		y = x;
	if (y < x)
		gen_die_usage(what, s);
	*lo = (uint32_t)x;
	*hi = (uint32_t)y;
}

static const char *
prefix(const char *s, const char *with)
{
	size_t n = strlen(with);

	return strncmp(s, with, n) == 0 ? s + n : NULL;
}

static void
set_kinds(struct gen_opt *o, const char *s)
{
	const char *v = prefix(s, "random:");
	size_t n = 0, kinds = 0;

	for (size_t i = 0; i < GEN_MAX_KINDS; i++)
		o->letter[i] = (char)('A' + i);
	o->rand_kinds = 0;
	o->pattern[0] = '\0';
	if (v) {
		o->rand_kinds = (uint32_t)number(
		    v, 1, GEN_MAX_KINDS, "bad number of kinds");
		return;
	}
	for (; s[n]; n++) {
		size_t k = 0;

		if (n + 1 >= sizeof o->pattern || s[n] <= ' ' || s[n] >= 127)
			gen_die_usage("bad pattern of kinds", s);
		while (k < kinds && o->letter[k] != s[n])
			k++;
		if (k == GEN_MAX_KINDS)
			gen_die_usage("too many kinds in", s);
		if (k == kinds)
			o->letter[kinds++] = s[n];
		o->pattern[n] = (char)('A' + k);
	}
	o->pattern[n] = '\0';
}

static void
set_shape(struct gen_opt *o, const char *s)
{
	const char *v = prefix(s, "random:");

	if (!strcmp(s, "loop"))
		o->shape = SHAPE_LOOP;
	else if (!strcmp(s, "equal"))
		o->shape = SHAPE_EQUAL;
	else if (v)
		o->shape = SHAPE_RANDOM;
	else
		gen_die_usage("bad shape", s);
	if (v)
		o->alphabet = (uint32_t)number(v, 1, 60000, "bad alphabet");
}

static void
set_graph(struct gen_opt *o, const char *s)
{
	const char *step = prefix(s, "step"), *layer = prefix(s, "layer");
	const char *v = step ? step : layer;

	if (!v)
		gen_die_usage("bad graph", s);
	o->graph = step ? GRAPH_STEP : GRAPH_LAYER;
	if (!*v || !strcmp(v, ":noid"))
		o->gmode = GMODE_NOID;
	else if (!strcmp(v, ":id"))
		o->gmode = GMODE_ID;
	else if (!strcmp(v, ":trace"))
		o->gmode = GMODE_TRACE;
	else
		gen_die_usage("bad graph", s);
}

static void
set_noise(struct gen_opt *o, const char *s)
{
	char buf[128];
	char *p;

	if (strlen(s) >= sizeof buf)
		gen_die_usage("bad noise", s);
	strcpy(buf, s);
	for (p = strtok(buf, ","); p; p = strtok(NULL, ",")) {
		const char *v;

		if ((v = prefix(p, "ins=")))
			o->ins_ppm = percent(v, GEN_PPM, "bad rate");
		else if ((v = prefix(p, "same=")))
			o->same_ppm = percent(v, GEN_PPM, "bad rate");
		else if ((v = prefix(p, "miss=")))
			o->miss_ppm = percent(v, 990000, "bad rate");
		else if ((v = prefix(p, "burst=")))
			o->burst = number(v, 1, 1000000, "bad step");
		else if ((v = prefix(p, "skip=")))
			o->skip = number(v, 1, 1000000, "bad step");
		else if ((v = prefix(p, "repl=")))
			o->repl_ppm = percent(v, GEN_PPM, "bad rate");
		else
			gen_die_usage("bad noise", p);
	}
}

struct word {
	const char *word;
	int value;
};

static int
choice(const struct word *w, const char *s, const char *what)
{
	for (; w->word; w++)
		if (!strcmp(w->word, s))
			return w->value;
	gen_die_usage(what, s);
	return 0;
}

static const struct word ts_words[] = {{"us3", TS_US3}, {"int", TS_INT},
    {"epoch3", TS_EPOCH3}, {NULL, 0}};
static const struct word base_words[] = {{"before", BASE_BEFORE},
    {"after", BASE_AFTER}, {"none", BASE_NONE}, {NULL, 0}};
static const struct word style_words[] = {{"pretty", STYLE_PRETTY},
    {"line", STYLE_LINE}, {"tight", STYLE_TIGHT}, {"keys", STYLE_KEYS},
    {NULL, 0}};
static const struct word corr_words[] = {{"zero", CORR_ZERO},
    {"none", CORR_NONE}, {NULL, 0}};
static const struct word schema_words[] = {{"3.25", 325}, {"3.24", 324},
    {"3.16", 316}, {"2.9", 209}, {"old", 200}, {NULL, 0}};

static bool
set_flag(struct gen_opt *o, const char *s)
{
	bool *const flag[] = {&o->amd, &o->plain_names, &o->plain_names,
	    &o->shared_ends, &o->sync_rows, &o->gpu_mark, &o->copy_lane,
	    &o->iters, &o->array, &o->gzip, &o->nvtx_ids};
	static const char *const name[] = {"amd", "plain", "names=plain",
	    "ends=shared", "sync", "gpumark", "copylane", "iters", "array",
	    "gzip", "nvtx=id"};

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		if (!strcmp(s, name[i])) {
			*flag[i] = true;
			return true;
		}
	}
	if (!strcmp(s, "nosync"))
		o->step_sync = false;
	else if (!strcmp(s, "noflow"))
		o->flows = false;
	else if (!strcmp(s, "object"))
		o->array = false;
	else
		return false;
	return true;
}

static void
set_rank(struct gen_opt *o, const char *v)
{
	const char *slash = strchr(v, '/');
	char r[16];

	if (!slash || (size_t)(slash - v) >= sizeof r)
		gen_die_usage("bad rank", v);
	memcpy(r, v, (size_t)(slash - v));
	r[slash - v] = '\0';
	o->world = (uint32_t)number(slash + 1, 1, 1000000, "bad rank");
	o->rank = (uint32_t)number(r, 0, o->world - 1, "bad rank");
}

static void
set_detail(struct gen_opt *o, const char *s)
{
	const char *v;

	if (set_flag(o, s))
		return;
	if ((v = prefix(s, "gzip="))) {
		o->gzip = true;
		o->gzip_level = (int)number(v, 1, 9, "bad gzip level");
	} else if ((v = prefix(s, "ts=")))
		o->ts = (enum gen_ts)choice(ts_words, v, "bad ts");
	else if ((v = prefix(s, "base=")))
		o->base = (enum gen_base)choice(base_words, v, "bad base");
	else if ((v = prefix(s, "style=")))
		o->style = (enum gen_style)choice(style_words, v, "bad style");
	else if ((v = prefix(s, "corr=")))
		o->corr = (enum gen_corr)choice(corr_words, v, "bad corr");
	else if ((v = prefix(s, "schema=")))
		o->schema = choice(schema_words, v, "bad schema");
	else if ((v = prefix(s, "shuffle=")))
		o->shuffle = !strcmp(v, "all") ? -1
		    : number(v, 0, INT32_MAX, "bad shuffle");
	else if ((v = prefix(s, "rank=")))
		set_rank(o, v);
	else if ((v = prefix(s, "corr0=")))
		o->corr0 = (uint64_t)number(
		    v, 0, INT64_MAX / 2, "bad correlation");
	else if ((v = prefix(s, "api=")))
		o->api_ppm = percent(v, 16 * GEN_PPM, "bad share");
	else if ((v = prefix(s, "osrt=")))
		o->osrt_ppm = percent(v, 16 * GEN_PPM, "bad share");
	else if ((v = prefix(s, "overlap=")))
		o->overlap_ppm = percent(v, GEN_PPM, "bad share");
	else
		gen_die_usage("unknown detail", s);
}

static void
set_details(struct gen_opt *o, const char *s)
{
	char buf[512];

	if (strlen(s) >= sizeof buf)
		gen_die_usage("bad details", s);
	strcpy(buf, s);
	for (char *p = strtok(buf, ","); p; p = strtok(NULL, ","))
		set_detail(o, p);
}

void
gen_defaults(struct gen_opt *o)
{
	memset(o, 0, sizeof *o);
	o->seed = 1;
	o->steps = -1;
	o->layers = 4;
	o->kernels = 8;
	o->pro = 3;
	o->epi = 2;
	o->micro = 1;
	o->limit = -1;
	o->devs = o->procs = o->threads = o->streams = 1;
	o->step_sync = o->flows = true;
	o->jitter_ppm = 50000;
	o->mark = -1;
	o->year = 2026;
	o->gzip_level = 1;
	o->schema = 325;
	o->corr0 = 1000;
	set_kinds(o, "");
}

/* Sets option c; false: it is none of the program's shape and machine. */
static bool
set_shape_opt(struct gen_opt *o, int c, const char *v)
{
	switch (c) {
	case 'n':
		o->steps = number(v, 0, INT32_MAX, "bad number of steps");
		break;
	case 'l':
		o->layers = number(v, 0, 1000000, "bad number of layers");
		break;
	case 'k':
		o->kernels = number(v, 0, 1000000, "bad number of kernels");
		break;
	case 'e':
		pair(v, &o->pro, &o->epi, 1000000, "bad prologue");
		break;
	case 'm':
		pair(v, &o->micro, &o->sep, 1000000, "bad micro-batches");
		break;
	case 'N':
		o->limit = number(v, 0, 100000000, "bad number of kernels");
		break;
	case 'u':
		o->share_ppm = percent(v, GEN_PPM, "bad share");
		break;
	case 'c':
		pair32(v, &o->comm_layer, &o->comm_step, "bad collectives");
		break;
	case 'K':
		set_kinds(o, v);
		break;
	case 'E':
		o->extra = number(v, 0, 100000, "bad interval");
		break;
	case 'M':
		set_shape(o, v);
		break;
	case 'H':
		o->head = number(v, 0, INT32_MAX, "bad head");
		break;
	case 'T':
		o->tail = number(v, 0, INT32_MAX, "bad tail");
		break;
	case 'A':
		o->no_api = number(v, 0, INT32_MAX, "bad number of calls");
		break;
	case 'b':
		set_noise(o, v);
		break;
	case 'g':
		set_graph(o, v);
		break;
	default:
		return false;
	}
	return true;
}

static void
set_procs(struct gen_opt *o, const char *v)
{
	char buf[16];
	size_t n = strlen(v);

	if (n == 0 || n >= sizeof buf)
		gen_die_usage("bad number of processes", v);
	strcpy(buf, v);
	o->share_dev = buf[n - 1] == 's';
	if (o->share_dev)
		buf[n - 1] = '\0';
	o->procs = (uint32_t)number(
	    buf, 1, GEN_MAX_PROCS, "bad number of processes");
}

static bool
set_machine_opt(struct gen_opt *o, int c, const char *v)
{
	switch (c) {
	case 's':
		o->streams = (uint32_t)number(
		    v, 1, GEN_MAX_STREAMS, "bad number of streams");
		break;
	case 'j':
		o->jitter_ppm = percent(v, GEN_PPM, "bad jitter");
		break;
	case 'D':
		o->devs = (uint32_t)number(
		    v, 1, GEN_MAX_DEVS, "bad number of devices");
		break;
	case 'P':
		set_procs(o, v);
		break;
	case 't':
		o->threads = (uint32_t)number(v, 1, 2, "bad number of threads");
		break;
	case 'z':
		o->zero_ppm = percent(v, GEN_PPM, "bad share");
		break;
	case 'C':
		range(v, &o->copy_lo, &o->copy_hi, "bad copies");
		break;
	case 'Z':
		range(v, &o->fill_lo, &o->fill_hi, "bad fills");
		break;
	default:
		return false;
	}
	return true;
}

static void
set_form_opt(struct gen_opt *o, int c, char *v)
{
	static const struct word formats[] = {{"kineto", FMT_KINETO},
	    {"nsys", FMT_NSYS}, {"seq", FMT_SEQ}, {NULL, 0}};

	switch (c) {
	case 'f':
		o->fmt = (enum gen_fmt)choice(formats, v, "bad format");
		break;
	case 'o':
		o->out = v;
		break;
	case 'a':
		o->ans = v;
		break;
	case 'J':
		o->context = v;
		break;
	case 'R':
		o->seed = (uint64_t)number(v, 0, INT64_MAX, "bad seed");
		break;
	case 'i':
		o->mark = number(v, 0, INT32_MAX, "bad step number");
		break;
	case 'O':
		o->ops = (uint32_t)number(
		    v, 0, GEN_MAX_OPS, "bad number of operators");
		break;
	case 'w':
		o->py_ppm = percent(v, 990000, "bad share");
		break;
	case 'y':
		o->year = (int)number(v, 2020, 2026, "bad year");
		break;
	case 'L':
		o->name_len = (uint32_t)number(v, 0, 8000, "bad length");
		break;
	case 'x':
		set_details(o, v);
		break;
	default:
		break;
	}
}

const char gen_optstring[] =
    "a:A:b:c:C:D:e:E:f:g:hH:i:j:J:k:K:l:L:m:M:n:N:o:O:p:P:R:s:t:T:u:w:x:y:z:Z:";

void
gen_set_options(struct gen_opt *o, int argc, char **argv)
{
	int c;

	optind = 1;
	while ((c = getopt(argc, argv, gen_optstring)) != -1) {
		if (c == '?') {
			fputs(gen_usage, stderr);
			exit(2);
		}
		if (!set_shape_opt(o, c, optarg) &&
		    !set_machine_opt(o, c, optarg))
			set_form_opt(o, c, optarg);
	}
	if (optind < argc)
		gen_die_usage("no operand expected", argv[optind]);
}
