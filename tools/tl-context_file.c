#include <stdio.h>
#include <stdlib.h>

#include "num.h"
#include "tl-context.h"

/* Bytes of a file's lines that stay in memory. */
#define BUDGET ((uint64_t)4 << 20)

/* A file that is being read. */
struct reader {
	struct ctx *c;
	uint32_t no;
	struct tl_in in;
	struct ctx_line l;
	struct tl_sha256 sha;
	struct tl_intern ordinals; /* as they are written */
	uint64_t *ordinal_line;
	size_t ordinals_cap;
};

TL_NORETURN static void
die(const struct reader *r, const char *what, struct tl_str subject,
    const char *why)
{
	char quoted[TL_QUOTE_SIZE];

	tl_die("%s:%llu: %s '%s': %s", r->in.name,
	    (unsigned long long)r->in.line, what,
	    tl_quote(quoted, sizeof quoted, subject.p, subject.n), why);
}

/* Another place has the same. */
TL_NORETURN static void
die_twice(const struct reader *r, enum ctx_key k, struct tl_str subject,
    uint32_t file, uint64_t line)
{
	char why[128];

	if (file == r->no)
		snprintf(why, sizeof why, "is that of line %llu, too",
		    (unsigned long long)line);
	else
		snprintf(why, sizeof why, "is that of %.80s:%llu, too",
		    r->c->file[file].path, (unsigned long long)line);
	die(r, ctx_key_name(k), subject, why);
}

/* ---- values ---- */

TL_NORETURN static void
die_missing(const struct reader *r, enum ctx_key k)
{
	die(r, "key", (struct tl_str){ ctx_key_name(k),
	    strlen(ctx_key_name(k)) }, "is missing");
}

static struct ctx_value
have(const struct reader *r, enum ctx_key k)
{
	if (r->l.v[k].type == V_ABSENT)
		die_missing(r, k);
	return r->l.v[k];
}

/* A text of 1 to 128 bytes. */
static struct tl_str
id_of(const struct reader *r, enum ctx_key k, struct ctx_value v)
{
	if (v.type == V_ABSENT)
		die_missing(r, k);
	if (v.type != V_TEXT || v.s.n == 0 || v.s.n > CTX_ID_MAX)
		die(r, ctx_key_name(k), v.s, "must be a text of 1 to 128 "
		    "bytes");
	if (memchr(v.s.p, '\0', v.s.n) != NULL)
		die(r, ctx_key_name(k), v.s, "has a NUL");
	return v.s;
}

static struct tl_str
identity(const struct reader *r, enum ctx_key k)
{
	struct tl_str s = id_of(r, k, have(r, k));

	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];

		if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
		    (ch >= '0' && ch <= '9') || ch == '_' || ch == '.' ||
		    ch == '-'))
			die(r, ctx_key_name(k), s, "must be of letters, "
			    "digits, _, . and -");
	}
	return s;
}

static uint64_t
number(const struct reader *r, enum ctx_key k, struct ctx_value v)
{
	uint64_t n;

	if (v.type == V_ABSENT)
		die_missing(r, k);
	if (v.type != V_NUMBER || !tl_num_str_u64(v.s, &n) || n > INT64_MAX)
		die(r, ctx_key_name(k), v.s, "must be a whole number from 0 "
		    "to 2^63 - 1");
	return n;
}

static void
number_or_null(const struct reader *r, enum ctx_key k)
{
	if (r->l.v[k].type != V_ABSENT && r->l.v[k].type != V_NULL)
		number(r, k, r->l.v[k]);
}

/* A text that is a or b. */
static bool
either(const struct reader *r, enum ctx_key k, const char *a, const char *b)
{
	struct ctx_value v = have(r, k);
	char why[80];

	if (v.type == V_TEXT && tl_str_is(v.s, a))
		return true;
	if (v.type == V_TEXT && tl_str_is(v.s, b))
		return false;
	snprintf(why, sizeof why, "must be \"%s\" or \"%s\"", a, b);
	die(r, ctx_key_name(k), v.s, why);
}

/* The name's number; *known tells whether it was there. */
static uint32_t
name_of(struct reader *r, struct ctx_names *names, struct tl_str s,
    bool *known)
{
	size_t n = names->text.n;
	uint32_t i = tl_xintern(&names->text, s);

	*known = i < n;
	if (!*known) {
		names->seen = tl_xgrow(names->seen, n, &names->cap,
		    sizeof *names->seen);
		names->seen[i] = (struct ctx_seen){ r->no, r->in.line };
	}
	return i;
}

/* A name that nobody has yet. */
static uint32_t
new_name(struct reader *r, struct ctx_names *names, enum ctx_key k,
    struct tl_str s, struct tl_str shown)
{
	bool known;
	uint32_t i = name_of(r, names, s, &known);

	if (known)
		die_twice(r, k, shown, names->seen[i].file,
		    names->seen[i].line);
	return i;
}

/* Steps are named within their run: "run step". buf has room for both. */
#define STEP_NAME (2 * CTX_ID_MAX + 1)

static struct tl_str
step_name(const struct ctx_file *f, struct tl_str step, char *buf)
{
	size_t n = strlen(f->run);

	memcpy(buf, f->run, n);
	buf[n] = ' ';
	memcpy(buf + n + 1, step.p, step.n);
	return (struct tl_str){ buf, n + 1 + step.n };
}

/* ---- records ---- */

static void
session(struct reader *r)
{
	struct ctx_value v = have(r, K_METADATA);

	if (r->in.line > 1)
		die(r, "type", TL_LIT("session"), "is the first line's, and no "
		    "other's");
	if (v.type != V_OBJECT)
		die(r, ctx_key_name(K_METADATA), v.s, "must be an object");
}

static int
request_cmp(const void *pa, const void *pb)
{
	const struct ctx_request *a = pa, *b = pb;

	return tl_str_cmp(a->id.s, b->id.s);
}

static uint64_t
requests(struct reader *r)
{
	struct ctx_line *l = &r->l;
	struct ctx_value v = have(r, K_REQUESTS);
	uint64_t sum = 0, n;

	if (v.type != V_LIST)
		die(r, ctx_key_name(K_REQUESTS), v.s, "must be a list of "
		    "objects");
	if (l->n_requests > CTX_REQUESTS_MAX)
		die(r, ctx_key_name(K_REQUESTS), TL_LIT("[...]"),
		    "has more than 4096 objects");
	for (size_t i = 0; i < l->n_requests; i++) {
		id_of(r, K_REQ_ID, l->request[i].id);
		n = number(r, K_REQ_TOKENS, l->request[i].tokens);
		if (n > INT64_MAX - sum)
			die(r, ctx_key_name(K_REQ_TOKENS),
			    l->request[i].tokens.s, "the sum is too large");
		sum += n;
	}
	if (l->n_requests > 1)
		qsort(l->request, l->n_requests, sizeof *l->request,
		    request_cmp);
	for (size_t i = 1; i < l->n_requests; i++)
		if (request_cmp(&l->request[i - 1], &l->request[i]) == 0)
			die(r, ctx_key_name(K_REQ_ID), l->request[i].id.s,
			    "is in the step twice");
	return sum;
}

static void
step(struct reader *r)
{
	struct ctx *c = r->c;
	struct ctx_file *f = &c->file[r->no];
	struct ctx_value total = have(r, K_TOTAL), cache;
	struct ctx_value ordinal = have(r, K_ORDINAL);
	struct tl_str id = id_of(r, K_STEP, have(r, K_STEP));
	char buf[STEP_NAME];
	size_t known = r->ordinals.n;
	uint32_t i;

	number(r, K_ORDINAL, ordinal);
	i = tl_xintern(&r->ordinals, ordinal.s);
	if (i < known)
		die_twice(r, K_ORDINAL, ordinal.s, r->no, r->ordinal_line[i]);
	r->ordinal_line = tl_xgrow(r->ordinal_line, known, &r->ordinals_cap,
	    sizeof *r->ordinal_line);
	r->ordinal_line[i] = r->in.line;
	if (number(r, K_TOTAL, total) != requests(r))
		die(r, ctx_key_name(K_TOTAL), total.s, "is not the sum of the "
		    "requests");
	cache = have(r, K_CACHE);
	if (cache.type != V_OBJECT)
		die(r, ctx_key_name(K_CACHE), cache.s, "must be an object");
	if (!tl_str_is(have(r, K_CACHE_PHASE).s, "after_schedule"))
		die(r, ctx_key_name(K_CACHE_PHASE), r->l.v[K_CACHE_PHASE].s,
		    "must be \"after_schedule\"");
	number_or_null(r, K_CACHE_FREE);
	number_or_null(r, K_CACHE_POOL);
	c->step = tl_xgrow(c->step, c->n_steps, &c->steps_cap,
	    sizeof *c->step);
	c->step[c->n_steps++] = (struct ctx_step){ .file = r->no,
		.line = r->in.line,
		.name = new_name(r, &c->steps, K_STEP,
		    step_name(f, id, buf), id) };
	f->n_steps++;
}

static void
execution(struct reader *r)
{
	struct ctx *c = r->c;
	struct ctx_file *f = &c->file[r->no];
	struct tl_str id = id_of(r, K_EXECUTION, have(r, K_EXECUTION));
	struct tl_str of = id_of(r, K_STEP, have(r, K_STEP));
	struct ctx_value marker = have(r, K_MARKER);
	size_t n = strlen(CTX_MARKER);
	char buf[STEP_NAME];
	struct ctx_exec *e;

	if (marker.type != V_TEXT || marker.s.n != n + id.n ||
	    memcmp(marker.s.p, CTX_MARKER, n) != 0 ||
	    memcmp(marker.s.p + n, id.p, id.n) != 0)
		die(r, ctx_key_name(K_MARKER), marker.s, "must be "
		    CTX_MARKER " and the execution_id");
	if (r->l.v[K_PHASE].type != V_ABSENT)
		either(r, K_PHASE, "execute_model", "sample_tokens");
	either(r, K_STATUS, "returned", "raised");
	number_or_null(r, K_RANK);
	number_or_null(r, K_PID);
	c->exec = tl_xgrow(c->exec, c->n_execs, &c->execs_cap,
	    sizeof *c->exec);
	e = &c->exec[c->n_execs++];
	*e = (struct ctx_exec){ .file = r->no, .line = r->in.line };
	e->name = new_name(r, &c->execs, K_EXECUTION, id, id);
	e->unavailable = !either(r, K_MARKER_STATE, "emitted", "unavailable");
	/* a text for now: all steps are not known yet */
	e->step_name = tl_xintern(&c->text, step_name(f, of, buf));
	f->n_execs++;
}

static void
summary(struct reader *r)
{
	struct ctx_file *f = &r->c->file[r->no];
	struct ctx_value v = have(r, K_WRITTEN);
	char why[64];

	f->dropped = number(r, K_DROPPED, have(r, K_DROPPED));
	f->has_summary = true;
	if (number(r, K_WRITTEN, v) == f->n_steps + f->n_execs)
		return;
	snprintf(why, sizeof why, "the file has %zu",
	    f->n_steps + f->n_execs);
	die(r, ctx_key_name(K_WRITTEN), v.s, why);
}

/* What all lines have. */
static void
common_keys(struct reader *r)
{
	struct ctx_file *f = &r->c->file[r->no];
	struct ctx_value schema = have(r, K_SCHEMA);
	struct tl_str run, producer;

	if (schema.type != V_TEXT ||
	    !tl_str_is(schema.s, "traceloom.scheduler.v1"))
		die(r, ctx_key_name(K_SCHEMA), schema.s,
		    "must be \"traceloom.scheduler.v1\"");
	run = identity(r, K_RUN);
	producer = identity(r, K_PRODUCER);
	if (r->in.line == 1) {
		f->run = tl_xmemdup0(run.p, run.n);
		f->producer = tl_xmemdup0(producer.p, producer.n);
		new_name(r, &r->c->producers, K_PRODUCER, producer, producer);
	}
	if (!tl_str_is(run, f->run))
		die(r, ctx_key_name(K_RUN), run, "is not that of line 1");
	if (!tl_str_is(producer, f->producer))
		die(r, ctx_key_name(K_PRODUCER), producer,
		    "is not that of line 1");
}

static void
check_line(struct reader *r)
{
	struct ctx_file *f = &r->c->file[r->no];
	struct ctx_value type;

	common_keys(r);
	type = have(r, K_TYPE);
	if (f->has_summary)
		die(r, "line", type.s, "comes after the summary");
	if (r->in.line == 1 && !tl_str_is(type.s, "session"))
		die(r, ctx_key_name(K_TYPE), type.s,
		    "the first line must be a session");
	if (type.type == V_TEXT && tl_str_is(type.s, "session"))
		session(r);
	else if (type.type == V_TEXT && tl_str_is(type.s, "step"))
		step(r);
	else if (type.type == V_TEXT && tl_str_is(type.s, "execution"))
		execution(r);
	else if (type.type == V_TEXT && tl_str_is(type.s, "summary"))
		summary(r);
	else
		die(r, ctx_key_name(K_TYPE), type.s, "must be session, step, "
		    "execution or summary");
}

static void
read_file(struct ctx *c, uint32_t no)
{
	struct reader r = { .c = c, .no = no };
	struct ctx_file *f = &c->file[no];
	unsigned char digest[TL_SHA256_SIZE];
	struct tl_err err;
	enum tl_status st;
	char *line;
	size_t n;

	if (tl_in_open(&r.in, f->path, &err) != TL_OK)
		tl_die("%s", err.msg);
	f->lines = tl_xspool_new(BUDGET);
	f->first_step = c->n_steps;
	f->first_exec = c->n_execs;
	tl_sha256_init(&r.sha);
	while ((st = tl_in_line(&r.in, &line, &n, &err)) == TL_OK) {
		f->size += n + 1;
		if (f->size > CTX_FILE_MAX)
			tl_die("%s:%llu: file: is longer than 256 MiB",
			    r.in.name, (unsigned long long)r.in.line);
		if (ctx_parse(&r.l, (struct tl_str){ line, n }, &err) != TL_OK)
			tl_die("%s:%llu: %s", r.in.name,
			    (unsigned long long)r.in.line, err.msg);
		check_line(&r);
		tl_sha256_add(&r.sha, line, n);
		tl_sha256_add(&r.sha, "\n", 1);
		tl_xspool_add(f->lines, (struct tl_str){ line, n });
	}
	if (st == TL_ERR)
		tl_die("%s", err.msg);
	if (r.in.line == 0)
		tl_die("%s: file: is empty", r.in.name);
	f->n_lines = r.in.line;
	tl_sha256_end(&r.sha, digest);
	for (size_t i = 0; i < TL_SHA256_SIZE; i++)
		snprintf(f->sha256 + 2 * i, 3, "%02x", digest[i]);
	tl_in_close(&r.in);
	ctx_line_free(&r.l);
	tl_intern_free(&r.ordinals);
	free(r.ordinal_line);
}

static int
file_cmp(const void *pa, const void *pb)
{
	const struct ctx_file *a = pa, *b = pb;
	int c = strcmp(a->run, b->run);

	return c != 0 ? c : strcmp(a->producer, b->producer);
}

/* Puts files, and with them steps and executions, into order. */
static void
sort_files(struct ctx *c)
{
	struct ctx_step *step = tl_xcalloc(c->n_steps, sizeof *step);
	struct ctx_exec *exec = tl_xcalloc(c->n_execs, sizeof *exec);
	size_t n_steps = 0, n_execs = 0;

	if (c->n_files > 1)
		qsort(c->file, c->n_files, sizeof *c->file, file_cmp);
	for (size_t i = 0; i < c->n_files; i++) {
		struct ctx_file *f = &c->file[i];
		size_t s = n_steps, e = n_execs;

		for (size_t k = 0; k < f->n_steps; k++) {
			step[n_steps] = c->step[f->first_step + k];
			step[n_steps++].file = (uint32_t)i;
		}
		for (size_t k = 0; k < f->n_execs; k++) {
			exec[n_execs] = c->exec[f->first_exec + k];
			exec[n_execs++].file = (uint32_t)i;
		}
		f->first_step = s;
		f->first_exec = e;
	}
	free(c->step);
	free(c->exec);
	c->step = step;
	c->exec = exec;
}

/* Ties executions to their steps. */
static void
find_steps(struct ctx *c)
{
	uint32_t *at = tl_xcalloc(c->steps.text.n, sizeof *at);

	for (size_t i = 0; i < c->n_steps; i++)
		at[c->step[i].name] = (uint32_t)i;
	c->exec_at = tl_xcalloc(c->execs.text.n, sizeof *c->exec_at);
	for (size_t i = 0; i < c->n_execs; i++) {
		struct ctx_exec *e = &c->exec[i];
		uint32_t name = tl_intern_find(&c->steps.text,
		    tl_intern_str(&c->text, e->step_name));

		c->exec_at[e->name] = (uint32_t)i;
		e->step = name == UINT32_MAX ? CTX_NONE : at[name];
		if (e->step != CTX_NONE)
			c->step[e->step].n_execs++;
	}
	free(at);
}

void
ctx_read(struct ctx *c, const char *const *paths, size_t n)
{
	c->file = tl_xcalloc(n, sizeof *c->file);
	c->n_files = n;
	for (size_t i = 0; i < n; i++) {
		c->file[i].path = paths[i];
		read_file(c, (uint32_t)i);
	}
	sort_files(c);
	find_steps(c);
}

void
ctx_rewind(struct ctx_file *f)
{
	tl_xspool_rewind(f->lines);
}

bool
ctx_next(struct ctx_file *f, struct ctx_line *l, struct tl_str *text)
{
	struct tl_err err;

	if (!tl_xspool_next(f->lines, text))
		return false;
	if (ctx_parse(l, *text, &err) != TL_OK)
		tl_die("%s: %s", f->path, err.msg);
	return true;
}
