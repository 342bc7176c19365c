/*
 * Chrome JSON as Kineto writes it: which keys, in which order, with which
 * line breaks, for the year asked for. Operators and frames first, then the
 * device's events, each with its call behind it, then the names, as in real
 * files; the simulation runs twice for that, so that nothing is kept.
 */
#include "gen_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
add(struct rec *r, bool arg, const char *key, const char *val, size_t len,
    enum brk brk)
{
	struct field *f = arg ? &r->a[r->na++] : &r->f[r->nf++];

	f->key = key;
	f->val = val;
	f->len = (uint32_t)len;
	f->brk = brk;
}

/* A value that is JSON as it stands. */
void
js_raw(struct rec *r, bool arg, const char *key, const char *val, enum brk brk)
{
	add(r, arg, key, val, strlen(val), brk);
}

void
js_int(struct rec *r, bool arg, const char *key, int64_t v, enum brk brk)
{
	char *p = r->p;

	r->p = gen_itoa(p, v);
	add(r, arg, key, p, (size_t)(r->p - p), brk);
	r->p++;
}

/* v / 10^6 with six decimals. */
static void
add_micro(struct rec *r, const char *key, int64_t v, enum brk brk)
{
	char *p = r->p;

	r->p += snprintf(p, 40, "%lld.%06lld", (long long)(v / 1000000),
	    (long long)(v % 1000000));
	add(r, true, key, p, (size_t)(r->p - p), brk);
	r->p++;
}

void
js_time(struct js *j, const char *key, int64_t ns, enum brk brk)
{
	struct rec *r = &j->r;
	char *p = r->p;
	int64_t frac = ns % 1000;

	r->p = gen_itoa(p, ns / 1000);
	if (j->o->ts != TS_INT) {
		*r->p++ = '.';
		*r->p++ = (char)('0' + frac / 100);
		*r->p++ = (char)('0' + frac / 10 % 10);
		*r->p++ = (char)('0' + frac % 10);
		if (j->o->style != STYLE_PRETTY)
			while (r->p[-1] == '0' && r->p[-2] != '.')
				r->p--;
		*r->p = '\0';
	}
	add(r, false, key, p, (size_t)(r->p - p), brk);
	r->p++;
}

void
js_quoted(struct rec *r, bool arg, const char *key, const char *s,
    enum brk brk)
{
	char *p = r->p;

	r->p += snprintf(p, 300, "\"%.256s\"", s);
	add(r, arg, key, p, (size_t)(r->p - p), brk);
	r->p++;
}

void
js_start(struct js *j)
{
	j->r.nf = j->r.na = 0;
	j->r.has_args = j->r.gap = false;
	j->r.p = j->r.num;
}

static void
put_field(struct js *j, const struct field *f)
{
	gen_put(&j->w, "\"", 1);
	gen_puts(&j->w, f->key);
	gen_puts(&j->w, j->o->style == STYLE_TIGHT ? "\":" : "\": ");
	gen_put(&j->w, f->val, f->len);
}

static void
put_pretty(struct js *j)
{
	static const char *const sep[] = {", ", ",\n    ", ", \n    ", ","};
	const char *brk = j->o->year >= 2024 ? ",      " : ",\n      ";
	struct rec *r = &j->r;

	gen_puts(&j->w, j->first ? "  {\n    " : ",\n  {\n    ");
	for (int i = 0; i < r->nf; i++) {
		if (i)
			gen_puts(&j->w, sep[r->f[i].brk]);
		put_field(j, &r->f[i]);
	}
	if (r->has_args) {
		gen_puts(&j->w, ",\n    \"args\": {\n      ");
		if (r->gap && j->o->year >= 2024)
			gen_puts(&j->w, "      ");
		for (int i = 0; i < r->na; i++) {
			if (i)
				gen_puts(&j->w, r->a[i].brk == BRK_LINE ? brk
				    : sep[r->a[i].brk]);
			put_field(j, &r->a[i]);
		}
		gen_puts(&j->w, "\n    }");
	}
	gen_puts(&j->w, "\n  }");
}

/* One line; STYLE_KEYS also turns the order of all keys round. */
static void
put_line(struct js *j)
{
	struct rec *r = &j->r;
	bool back = j->o->style == STYLE_KEYS;
	const char *sep = j->o->style == STYLE_TIGHT ? "," : ", ";
	const struct field args = {"args", "{", 1, BRK_NO};

	if (!j->first)
		gen_puts(&j->w, sep);
	gen_puts(&j->w, "{");
	for (int i = 0; i < r->nf + r->has_args; i++) {
		int k = back ? r->nf + r->has_args - 1 - i : i;

		if (i)
			gen_puts(&j->w, sep);
		if (k < r->nf) {
			put_field(j, &r->f[k]);
			continue;
		}
		put_field(j, &args);
		for (int m = 0; m < r->na; m++) {
			if (m)
				gen_puts(&j->w, sep);
			put_field(j, &r->a[back ? r->na - 1 - m : m]);
		}
		gen_puts(&j->w, "}");
	}
	gen_puts(&j->w, "}");
}

void
js_end(struct js *j)
{
	if (j->o->style == STYLE_PRETTY)
		put_pretty(j);
	else
		put_line(j);
	j->first = false;
}

bool
js_old(const struct js *j)
{
	return j->o->year < 2022;
}

static void
add_tid(struct js *j, const struct gen_ev *e, bool as_int)
{
	struct rec *r = &j->r;
	bool dev = e->kind < EV_API;
	int64_t id = dev ? gen_lane_id(j->o, e->lane)
	    : gen_tid(e->proc, e->lane);
	char s[32];

	if (!js_old(j) || (as_int && !dev)) {
		js_int(r, false, "tid", id, BRK_NO);
		return;
	}
	snprintf(s, sizeof s, "%s%lld", dev ? "stream " : "", (long long)id);
	js_quoted(r, false, "tid", s, BRK_NO);
}

static void
add_pid(struct js *j, const struct gen_ev *e)
{
	js_int(&j->r, false, "pid", e->kind < EV_API
	    ? gen_dev_id(j->o, e->proc, e->dev) : gen_pid(e->proc), BRK_NO);
}

/* What all "X" events share. Returns the record, its args to be filled. */
static struct rec *
begin_x(struct js *j, const struct gen_ev *e, const char *cat, const char *name)
{
	struct rec *r = &j->r;

	js_start(j);
	js_raw(r, false, "ph", "\"X\"", BRK_NO);
	js_raw(r, false, "cat", cat, BRK_NO);
	js_raw(r, false, "name", name, js_old(j) ? BRK_SPACE_LINE : BRK_NO);
	add_pid(j, e);
	add_tid(j, e, false);
	js_time(j, "ts", e->start, BRK_LINE);
	js_time(j, "dur", e->dur, BRK_NO);
	r->has_args = true;
	if (e->start + e->dur > j->end)
		j->end = e->start + e->dur;
	return r;
}

static void
put_flow(struct js *j, const struct gen_ev *e, const char *ph)
{
	const char *cat = js_old(j) ? "\"async\"" : j->o->year == 2022
	    ? "\"async_cpu_to_gpu\"" : "\"ac2g\"";
	struct rec *r = &j->r;

	if (!j->o->flows || j->o->corr != CORR_OK)
		return;
	js_start(j);
	js_raw(r, false, "ph", ph, BRK_NO);
	js_int(r, false, "id", (int64_t)e->corr, BRK_NO);
	add_pid(j, e);
	add_tid(j, e, true);
	js_time(j, "ts", e->start, BRK_NO);
	js_raw(r, false, "cat", cat, BRK_LINE);
	js_raw(r, false, "name", js_old(j) ? "\"launch\"" : cat, BRK_NO);
	if (ph[1] == 'f')
		js_raw(r, false, "bp", "\"e\"", BRK_NO);
	js_end(j);
}

static void
add_corr(struct js *j, const struct gen_ev *e)
{
	if (j->o->corr != CORR_NONE)
		js_int(&j->r, true, "correlation",
		    j->o->corr == CORR_ZERO ? 0 : (int64_t)e->corr, BRK_NO);
}

/* External id where recent files have it: first, and absent if none. */
static void
add_ext(struct js *j, const struct gen_ev *e)
{
	if (js_old(j))
		return;
	if (e->ext)
		js_int(&j->r, true, "External id", e->ext, BRK_NO);
	else
		j->r.gap = true;
}

static void
add_stream(struct js *j, const struct gen_ev *e)
{
	struct rec *r = &j->r;

	if (!j->o->amd)
		js_int(r, true, "context", 1, BRK_NO);
	js_int(r, true, "stream", gen_lane_id(j->o, e->lane), BRK_LINE);
	add_corr(j, e);
	if (js_old(j))
		js_int(r, true, "external id", e->ext, BRK_NO);
}

static void
add_dims(struct rec *r, const char *key, uint32_t x)
{
	char *p = r->p;

	*p = '[';
	r->p = gen_itoa(p + 1, x);
	memcpy(r->p, ", 1, 1]", 8);
	r->p += 7;
	add(r, true, key, p, (size_t)(r->p - p), BRK_LINE);
	r->p++;
}

static void
kernel_args_cuda(struct js *j, const struct gen_symbol *s)
{
	struct rec *r = &j->r;
	int64_t warps = (int64_t)s->grid * ((s->block + 31) / 32);

	js_int(r, true, "registers per thread", s->regs, BRK_LINE);
	js_int(r, true, "shared memory", s->smem, BRK_LINE);
	if (j->o->year > 2020)
		add_micro(r, "blocks per SM", (int64_t)s->grid * 1000000 / 108,
		    BRK_LINE);
	add_micro(r, "warps per SM", warps * 1000000 / 108, BRK_LINE);
	add_dims(r, "grid", s->grid);
	add_dims(r, "block", s->block);
	if (j->o->year > 2020)
		js_int(r, true, "est. achieved occupancy %",
		    warps > 6400 ? 100 : warps / 64, BRK_LINE);
}

static const char *
collective(const char *name)
{
	static const char *const words[][2] = {
	    {"AllGather", "\"_allgather_base\""},
	    {"ReduceScatter", "\"_reduce_scatter_base\""},
	    {"SendRecv", "\"send\""}, {"Broadcast", "\"broadcast\""}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strstr(name, words[i][0]))
			return words[i][1];
	return "\"allreduce\"";
}

static void
put_kernel(struct js *j, const struct gen_ev *e)
{
	const struct gen_symbol *s = &j->g->sym[e->sym];
	struct rec *r = begin_x(j, e, js_old(j) ? "\"Kernel\"" : "\"kernel\"",
	    j->name[e->sym]);

	add_ext(j, e);
	if (!j->o->amd)
		js_int(r, true, "queued", 0, BRK_LINE);
	js_int(r, true, "device", gen_dev_id(j->o, e->proc, e->dev),
	    j->o->amd ? BRK_LINE : BRK_NO);
	add_stream(j, e);
	if (j->o->amd) {
		js_raw(r, true, "kind", "\"Dispatch Kernel\"", BRK_NO);
		if (e->arg == 0) {
			add_dims(r, "grid", s->grid);
			add_dims(r, "block", s->block);
		}
	} else {
		kernel_args_cuda(j, s);
	}
	if (e->arg) {
		js_int(r, true, "graph id", (int64_t)(e->arg >> 32), BRK_LINE);
		js_int(r, true, "graph node id",
		    (int64_t)(e->arg & UINT32_MAX), BRK_NO);
	}
	if (s->comm && j->o->year >= 2024) {
		js_raw(r, true, "Collective name", collective(j->name[e->sym]),
		    BRK_LINE);
		js_int(r, true, "In msg nelems", (int64_t)s->grid * 4096,
		    BRK_NO);
		js_int(r, true, "Group size", j->o->world ? j->o->world : 1,
		    BRK_NO);
		js_raw(r, true, "dtype", "\"Float\"", BRK_NO);
	}
	js_end(j);
	put_flow(j, e, "\"f\"");
}

static void
put_copy(struct js *j, const struct gen_ev *e)
{
	const char *name = e->kind == EV_FILL ? "\"Memset (Device)\""
	    : e->sym == 1 ? "\"Memcpy HtoD (Pinned -> Device)\""
	    : "\"Memcpy DtoH (Device -> Pageable)\"";
	const char *cat = e->kind == EV_FILL
	    ? (js_old(j) ? "\"Memset\"" : "\"gpu_memset\"")
	    : (js_old(j) ? "\"Memcpy\"" : "\"gpu_memcpy\"");
	struct rec *r = begin_x(j, e, cat, name);

	add_ext(j, e);
	js_int(r, true, "device", gen_dev_id(j->o, e->proc, e->dev), BRK_LINE);
	add_stream(j, e);
	if (j->o->amd)
		js_raw(r, true, "kind", e->kind == EV_FILL ? "\"Memset\""
		    : e->sym == 1 ? "\"HtoD\"" : "\"DtoH\"", BRK_NO);
	js_int(r, true, "bytes", (int64_t)e->arg, BRK_LINE);
	add_micro(r, "memory bandwidth (GB/s)", e->dur
	    ? (int64_t)e->arg * 1000000 / e->dur : 0, BRK_NO);
	js_end(j);
	put_flow(j, e, "\"f\"");
}

static void
put_sync(struct js *j, const struct gen_ev *e)
{
	struct rec *r = begin_x(j, e, "\"cuda_sync\"", "\"Stream Sync\"");

	add_ext(j, e);
	js_raw(r, true, "cuda_sync_kind", "\"Stream Sync\"", BRK_LINE);
	js_int(r, true, "stream", gen_lane_id(j->o, e->lane), BRK_LINE);
	add_corr(j, e);
	js_int(r, true, "device", gen_dev_id(j->o, e->proc, e->dev), BRK_LINE);
	js_int(r, true, "context", 1, BRK_NO);
	js_end(j);
}

static void
put_call(struct js *j, const struct gen_ev *e)
{
	char name[80];
	struct rec *r;
	bool launches = e->sym < CALL_SYNC;

	snprintf(name, sizeof name, "\"%s\"", gen_name_call(j->o, e->sym));
	r = begin_x(j, e, js_old(j) ? "\"Runtime\"" : "\"cuda_runtime\"", name);
	add_ext(j, e);
	js_int(r, true, j->o->amd ? "cid" : "cbid",
	    gen_name_cbid(j->o, e->sym), BRK_LINE);
	add_corr(j, e);
	if (js_old(j)) {
		js_int(r, true, "external id", e->ext, BRK_LINE);
		js_time(j, "external ts", e->start, BRK_NO);
		r->a[r->na++] = r->f[--r->nf];
	}
	js_end(j);
	if (launches || j->o->year >= 2022)
		put_flow(j, e, launches ? "\"s\"" : "\"f\"");
}

static void
put_op(struct js *j, const struct gen_ev *e)
{
	struct rec *r = &j->r;
	char name[80], id[40];

	if (e->kind == EV_EXEC) {
		gen_name_exec(id, sizeof id, e->proc, (int64_t)e->arg);
		snprintf(name, sizeof name, "\"traceloom.execution.%s\"", id);
	} else if (e->kind == EV_OP)
		snprintf(name, sizeof name, "\"%s\"", gen_name_op(e->sym));
	else
		snprintf(name, sizeof name, "\"ProfilerStep#%lld\"",
		    (long long)e->arg);
	begin_x(j, e, js_old(j) ? "\"Operator\"" : e->kind == EV_OP
	    ? "\"cpu_op\"" : "\"user_annotation\"", name);
	if (js_old(j)) {
		js_int(r, true, "Device", gen_pid(e->proc), BRK_NO);
		js_int(r, true, "External id", e->ext, BRK_NO);
		js_raw(r, true, "Trace name", "\"PyTorch Profiler\"",
		    BRK_LINE);
		js_int(r, true, "Trace iteration", 0, BRK_NO);
		js_end(j);
		return;
	}
	js_int(r, true, "External id", e->ext, BRK_NO);
	if (j->o->year >= 2024)
		js_int(r, true, "Record function id", 0, BRK_TIGHT);
	if (j->o->year >= 2024 && e->kind == EV_OP) {
		js_raw(r, true, "Concrete Inputs", "[\"\", \"1\"]", BRK_NO);
		js_raw(r, true, "Input type", "[\"float\", \"Scalar\"]",
		    BRK_NO);
		js_raw(r, true, "Input Dims", "[[640, 256], []]", BRK_NO);
	}
	js_int(r, true, "Ev Idx", j->evidx++, r->na == 1 ? BRK_TIGHT : BRK_NO);
	js_end(j);
}

static void
put_python(struct js *j, const struct gen_ev *e)
{
	struct rec *r;
	char **name = &j->py[e->sym % PY_NAMES];

	if (!*name) {
		char buf[256];
		size_t n = gen_name_py(buf, sizeof buf, e->sym % PY_NAMES);

		*name = gen_xrealloc(NULL, n + 3, 1);
		snprintf(*name, n + 3, "\"%s\"", buf);
	}
	r = begin_x(j, e, "\"python_function\"", *name);
	if (e->ext)
		js_int(r, true, "Python parent id", e->ext, BRK_NO);
	else
		js_raw(r, true, "Python parent id", "null", BRK_NO);
	js_int(r, true, "Python id", (int64_t)e->arg, BRK_NO);
	js_int(r, true, "Ev Idx", j->evidx++, BRK_NO);
	js_end(j);
}

static void
put_gpu_mark(struct js *j, const struct gen_ev *e)
{
	char name[48];

	snprintf(name, sizeof name, "\"ProfilerStep#%lld\"", (long long)e->arg);
	begin_x(j, e, "\"gpu_user_annotation\"", name);
	js_int(&j->r, true, "External id", e->ext, BRK_NO);
	js_end(j);
}

static void
put_one(struct js *j, const struct gen_ev *e)
{
	switch (e->kind) {
	case EV_KERNEL:
		put_kernel(j, e);
		break;
	case EV_COPY:
	case EV_FILL:
		put_copy(j, e);
		break;
	case EV_SYNC:
		put_sync(j, e);
		break;
	case EV_API:
		put_call(j, e);
		break;
	case EV_OP:
	case EV_MARK:
	case EV_EXEC:
		put_op(j, e);
		break;
	case EV_GMARK:
		put_gpu_mark(j, e);
		break;
	case EV_PY:
		put_python(j, e);
		break;
	default:
		break;
	}
}

/* A call comes behind the first event that it launched, as in real files. */
static void
put_ev(void *ctx, const struct gen_ev *e)
{
	struct js *j = ctx;
	bool mine = j->held && e->kind < EV_API && e->corr == j->call.corr;

	if (mine)
		put_one(j, e);
	if (j->held)
		put_one(j, &j->call);
	j->held = e->kind == EV_API && j->o->shuffle == 0;
	if (j->held)
		j->call = *e;
	else if (!mine)
		put_one(j, e);
}

static void
make_names(struct js *j)
{
	char buf[GEN_NAME];

	j->py = gen_xrealloc(NULL, PY_NAMES, sizeof *j->py);
	memset(j->py, 0, PY_NAMES * sizeof *j->py);
	j->name = gen_xrealloc(NULL, j->g->nsym, sizeof *j->name);
	for (uint32_t i = 0; i < j->g->nsym; i++) {
		size_t n = gen_name_kernel(buf, sizeof buf, j->g, j->o, i);

		j->name[i] = gen_xrealloc(NULL, n + 3, 1);
		j->name[i][0] = '"';
		memcpy(j->name[i] + 1, buf, n);
		memcpy(j->name[i] + 1 + n, "\"", 2);
	}
}

void
gen_write_kineto(const struct gen_opt *o, const struct gen_prog *g,
    struct gen_ans *a)
{
	struct js j = {.o = o, .g = g, .first = true};
	struct gen_shuf *s;

	gen_out_open(&j.w, o->out, o->gzip, o->gzip_level);
	make_names(&j);
	js_head(&j);
	s = gen_shuf_new(o, put_ev, &j);
	gen_sim(o, g, PASS_HOST, gen_shuf_ev, s, NULL);
	gen_shuf_end(s);
	s = gen_shuf_new(o, put_ev, &j);
	gen_sim(o, g, PASS_DEV, gen_shuf_ev, s, a);
	gen_shuf_end(s);
	if (j.held)
		put_one(&j, &j.call);
	js_names(&j);
	js_window(&j);
	js_tail(&j);
	gen_out_close(&j.w);
	for (uint32_t i = 0; i < g->nsym; i++)
		free(j.name[i]);
	for (uint32_t i = 0; i < PY_NAMES; i++)
		free(j.py[i]);
	free(j.name);
	free(j.py);
}
