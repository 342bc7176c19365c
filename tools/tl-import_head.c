#include "tl-import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "num.h"
#include "sha256.h"

struct tl_str
imp_base(struct tl_str path)
{
	size_t i = path.n;

	while (i > 0 && path.p[i - 1] != '/')
		i--;
	return (struct tl_str){ path.p + i, path.n - i };
}

struct tl_str
imp_xattachment(struct tl_arena *a, struct tl_str path, bool nsys)
{
	char hex[TL_SHA256_HEX];
	struct tl_str file = imp_base(path);
	struct imp_buf b = { 0 };
	char *p;

	tl_sha256_hex(path.p, path.n, hex);
	imp_xputs(&b, nsys ? "nsys:" : "kineto:");
	imp_xputstr(&b, file);
	imp_xputs(&b, ":");
	imp_xput(&b, hex, 12);
	p = tl_xarena_copy(a, b.p, b.n);
	free(b.p);
	return (struct tl_str){ p, b.n };
}

/* The path absolute and without links where it leads somewhere; a relative one
 * that does not, seen from the current folder. */
static struct tl_str
absolute(struct tl_arena *a, struct tl_str path)
{
	char *p = tl_xarena_copy(a, path.p, path.n);
	char *real = realpath(p, NULL), cwd[4096];
	struct tl_str s;

	if (real != NULL) {
		s = (struct tl_str){ tl_xarena_copy(a, real, strlen(real)),
			strlen(real) };
		free(real);
		return s;
	}
	if (path.n > 0 && path.p[0] != '/' && getcwd(cwd, sizeof cwd)) {
		struct imp_buf b = { 0 };

		imp_xputs(&b, cwd);
		imp_xputs(&b, "/");
		imp_xputstr(&b, path);
		p = tl_xarena_copy(a, b.p, b.n);
		path.n = b.n;
		free(b.p);
	}
	return (struct tl_str){ p, path.n };
}

static bool
ends_in(struct tl_str s, const char *end)
{
	size_t n = strlen(end);

	return s.n >= n && memcmp(s.p + s.n - n, end, n) == 0;
}

static void
named(struct imp_trace *t, struct tl_str path)
{
	t->path = absolute(&t->arena, path);
	t->file = imp_base(t->path);
	t->id = imp_xattachment(&t->arena, t->path, t->nsys);
}

enum tl_status
imp_file(struct imp_trace *t)
{
	struct stat st;
	struct tl_str path = imp_str(t->operand);

	if (stat(t->operand, &st) != 0 || !S_ISREG(st.st_mode)) {
		tl_err_set(&t->err, "%s: register: %s", t->operand,
		    errno != 0 && access(t->operand, F_OK) != 0 ?
		    strerror(errno) : "is no plain file");
		return TL_ERR;
	}
	t->nsys = ends_in(path, ".nsys-rep") || ends_in(path, ".qdrep") ||
	    ends_in(path, ".sqlite");
	t->size = (uint64_t)st.st_size;
	t->has_size = true;
	t->only_register = true;
	/* the reference's word for what its own tools must convert first */
	t->skipped = ends_in(path, ".nsys-rep") ? "not_exported" : "not_read";
	named(t, path);
	return TL_OK;
}

static struct tl_str
value(struct imp_trace *t, struct tl_str line, const char *key)
{
	return imp_xraw(&t->arena, tl_key(line, key));
}

/* A number of the header, -1 if there is none that is not negative. */
static int64_t
number(struct tl_str line, const char *key)
{
	struct tl_str s = tl_key(line, key);
	int64_t v;

	return s.p != NULL && tl_num_str_i64(s, &v) && v >= 0 ? v : -1;
}

static enum tl_status
source(struct imp_trace *t, struct tl_str line)
{
	struct tl_str kind = tl_key(line, "kind"), base = tl_key(line,
	    "base_ns"), path = value(t, line, "path");
	struct stat st;
	int64_t v;

	t->nsys = kind.p != NULL && tl_str_is(kind, "nsys");
	if (kind.p == NULL || !(t->nsys || tl_str_is(kind, "kineto"))) {
		char q[TL_QUOTE_SIZE];

		tl_err_set(&t->err, "%s: source '%s': an artifact takes "
		    "captures of kineto and nsys only", t->in.in.name,
		    kind.p == NULL ? "" : tl_quote(q, sizeof q, kind.p,
		    kind.n));
		return TL_ERR;
	}
	if (path.n == 0) {
		tl_err_set(&t->err, "%s: the stream does not name its capture "
		    "(tl-kineto2ev -s names that of a pipe)", t->in.in.name);
		return TL_ERR;
	}
	named(t, path);
	if (base.p != NULL && (!tl_num_str_i64(base, &t->base_ns) ||
	    t->base_ns == INT64_MIN))
		t->base_ns = 0;
	v = number(line, "size");
	if (v < 0 && stat(t->path.p, &st) == 0 && S_ISREG(st.st_mode))
		v = st.st_size; /* of a capture that came over a pipe */
	t->has_size = v >= 0;
	t->size = v < 0 ? 0 : (uint64_t)v;
	t->host = value(t, line, t->nsys ? "capture_host" : "host");
	t->trace_id = t->nsys ? t->file : value(t, line, "trace_id");
	if (!t->nsys) {
		t->rank = number(line, "rank");
		t->world_size = number(line, "world_size");
		t->world_size = t->world_size == 0 ? -1 : t->world_size;
		t->vllm = value(t, line, "vllm");
		t->cupti = value(t, line, "cupti");
	}
	v = number(line, "gpus");
	t->gpus = v < 0 ? 0 : (uint64_t)v;
	t->has_map = tl_key(line, "cuda_devices").p != NULL;
	v = number(line, "graph_rows");
	t->has_graph_rows = v >= 0;
	t->graph_rows = v < 0 ? 0 : (uint64_t)v;
	return TL_OK;
}

uint32_t
imp_xprocess(struct imp_trace *t, struct tl_str token)
{
	uint32_t i = tl_xintern(&t->procs, token);
	int64_t v;

	if (i + 1 == t->procs.n) {
		t->pid = tl_xreallocarray(t->pid, t->procs.n, sizeof *t->pid);
		t->pid[i] = tl_num_str_i64(token, &v) && v >= 0 ? v : -1;
	}
	return i;
}

static void
device(struct imp_trace *t, struct tl_str line)
{
	struct tl_str f[3];

	if (tl_fields(f, 3, line.p, line.n) < 3)
		return;
	t->device = tl_xgrow(t->device, t->n_devices, &t->devices_cap,
	    sizeof *t->device);
	for (int i = 1; i < 3; i++)
		f[i].p = tl_xarena_copy(&t->arena, f[i].p, f[i].n);
	t->device[t->n_devices++] = (struct imp_device){ f[1], f[2],
		value(t, line, "name"), value(t, line, "uuid") };
}

static enum tl_status
head_line(struct imp_trace *t, struct tl_str line, bool *has_source)
{
	struct tl_str f[3];
	size_t n = tl_fields(f, 3, line.p, line.n);
	int64_t pid;

	if (tl_str_is(f[0], "#source")) {
		*has_source = true;
		return source(t, line);
	}
	if (tl_str_is(f[0], "#process") && n > 1) {
		uint32_t i = imp_xprocess(t, f[1]);

		pid = number(line, "pid");
		if (pid >= 0)
			t->pid[i] = pid;
	} else if (tl_str_is(f[0], "#device")) {
		device(t, line);
	} else if (tl_str_is(f[0], "#prog") && n > 1 &&
	    tl_str_is(f[1], "tl-cut")) {
		t->was_cut = true;
	}
	return TL_OK;
}

enum tl_status
imp_head(struct imp_trace *t, bool tolerate)
{
	bool has_source = false;
	enum tl_status st;

	t->rank = t->world_size = -1;
	if (tl_evin_open(&t->in, t->operand, tolerate, &t->err) != TL_OK)
		return TL_ERR;
	t->open = true;
	t->in.want = 1U << TL_KERNEL | 1U << TL_MEMCPY | 1U << TL_MEMSET |
	    1U << TL_API | 1U << TL_RANGE | 1U << TL_GRAPH;
	while ((st = tl_evin_next(&t->in, &t->rec, &t->err)) == TL_OK &&
	    t->rec.kind == TL_HEADER)
		if (head_line(t, t->rec.line, &has_source) != TL_OK)
			return TL_ERR;
	if (st == TL_ERR)
		return TL_ERR;
	t->has_rec = st == TL_OK;
	if (!has_source) {
		tl_err_set(&t->err, "%s: the stream does not name its capture: "
		    "no #source line", t->in.in.name);
		return TL_ERR;
	}
	return TL_OK;
}

void
imp_trace_close(struct imp_trace *t)
{
	if (t->open)
		tl_evin_close(&t->in);
	t->open = false;
}
