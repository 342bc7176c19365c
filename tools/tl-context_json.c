#include <stdlib.h>

#include <yajl/yajl_parse.h>

#include "tl-context.h"
#include "yajl_mem.h"

static const char *const key_names[K_N_KEYS] = {
	"schema", "type", "run_id", "producer_id",
	"metadata",
	"step_id", "ordinal", "total_scheduled_tokens", "requests", "cache",
	"execution_id", "marker", "phase", "status", "marker_state",
	"worker_rank", "process_id",
	"written_records", "dropped_records",
	"request_id", "scheduled_tokens",
	"observation_phase", "free_blocks", "pool_blocks",
};

const char *
ctx_key_name(enum ctx_key k)
{
	return key_names[k];
}

/* Where the parser is. Objects that are looked into: the line, the elements
 * of requests, cache. */
struct at {
	struct ctx_line *l;
	struct tl_str text;
	struct tl_err *err;
	yajl_handle h;
	unsigned depth;
	int top;               /* key of the line that a value is of, or -1 */
	int sub;               /* key of a request or cache, or -1 */
	struct ctx_value extra; /* takes what nobody wants */
	size_t from;           /* of the object looked into */
	bool bad;
};

static int
fault(struct at *a, const char *what, struct tl_str subject, const char *why)
{
	char quoted[TL_QUOTE_SIZE];

	tl_err_set(a->err, "%s '%s': %s", what,
	    tl_quote(quoted, sizeof quoted, subject.p, subject.n), why);
	a->bad = true;
	return 0;
}

static bool
in_request(const struct at *a)
{
	return a->depth == 3 && a->top == K_REQUESTS;
}

/* Where the value to come is to be put, NULL where nobody wants it. */
static struct ctx_value *
wanted(struct at *a)
{
	struct ctx_request *r;

	if (a->depth == 1 && a->top >= 0)
		return &a->l->v[a->top];
	if (a->sub < 0)
		return NULL;
	if (a->depth == 2 && a->top == K_CACHE)
		return &a->l->v[a->sub];
	if (!in_request(a))
		return NULL;
	r = &a->l->request[a->l->n_requests - 1];
	return a->sub == K_REQ_ID ? &r->id : &r->tokens;
}

/* yajl's own copy of a string with escapes is overwritten by the next. */
static struct tl_str
keep(struct at *a, const char *p, size_t n)
{
	char *copy = a->l->scratch + a->l->scratch_n;

	if (p >= a->text.p && p < a->text.p + a->text.n)
		return (struct tl_str){ p, n };
	memcpy(copy, p, n);
	a->l->scratch_n += n;
	return (struct tl_str){ copy, n };
}

static int
put(struct at *a, enum ctx_type type, const char *p, size_t n)
{
	struct ctx_value *v;

	if (a->depth == 0)
		return fault(a, "line", a->text, "is no JSON object");
	if (a->depth == 2 && a->top == K_REQUESTS && type != V_OBJECT)
		return fault(a, "requests", (struct tl_str){ p, n },
		    "must be a list of objects");
	v = wanted(a);
	if (v != NULL)
		*v = (struct ctx_value){ type, n > 0 ? keep(a, p, n) :
			TL_LIT("") };
	return 1;
}

static int
on_null(void *ctx)
{
	return put(ctx, V_NULL, "null", 4);
}

static int
on_boolean(void *ctx, int v)
{
	return put(ctx, V_BOOL, v ? "true" : "false", v ? 4 : 5);
}

static int
on_number(void *ctx, const char *p, size_t n)
{
	return put(ctx, V_NUMBER, p, n);
}

static int
on_string(void *ctx, const unsigned char *p, size_t n)
{
	return put(ctx, V_TEXT, (const char *)p, n);
}

static int
find_key(struct tl_str s, int from, int to)
{
	for (int k = from; k < to; k++)
		if (tl_str_is(s, key_names[k]))
			return k;
	return -1;
}

static int
on_key(void *ctx, const unsigned char *p, size_t n)
{
	struct at *a = ctx;
	struct tl_str s = { (const char *)p, n };
	const struct ctx_value *v;

	if (a->depth == 1)
		a->top = find_key(s, 0, K_N_TOP);
	else if (a->depth == 2 && a->top == K_CACHE)
		a->sub = find_key(s, K_CACHE_PHASE, K_N_KEYS);
	else if (in_request(a))
		a->sub = find_key(s, K_REQ_ID, K_CACHE_PHASE);
	v = wanted(a);
	if (v != NULL && v->type != V_ABSENT)
		return fault(a, "key", s, "is there twice");
	return 1;
}

static int
on_start_map(void *ctx)
{
	struct at *a = ctx;
	struct ctx_line *l = a->l;
	size_t here = yajl_get_bytes_consumed(a->h) - 1;

	if (a->depth > 0 && !put(a, V_OBJECT, "{", 1))
		return 0;
	if (a->depth == 1 && a->top == K_CACHE)
		a->from = here;
	if (a->depth == 2 && a->top == K_REQUESTS) {
		l->request = tl_xgrow(l->request, l->n_requests,
		    &l->requests_cap, sizeof *l->request);
		l->request[l->n_requests++] = (struct ctx_request){
			.id.type = V_ABSENT };
		a->from = here;
	}
	a->depth++;
	a->sub = -1;
	return 1;
}

static int
on_end_map(void *ctx)
{
	struct at *a = ctx;
	struct tl_str object = { a->text.p + a->from,
		yajl_get_bytes_consumed(a->h) - a->from };

	a->depth--;
	if (a->depth == 1 && a->top == K_CACHE)
		a->l->v[K_CACHE].s = object;
	if (a->depth == 2 && a->top == K_REQUESTS)
		a->l->request[a->l->n_requests - 1].json = object;
	return 1;
}

static int
on_start_array(void *ctx)
{
	struct at *a = ctx;

	if (!put(a, V_LIST, "[", 1))
		return 0;
	a->depth++;
	a->sub = -1;
	return 1;
}

static int
on_end_array(void *ctx)
{
	struct at *a = ctx;

	a->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	on_null, on_boolean, NULL, NULL, on_number, on_string,
	on_start_map, on_key, on_end_map, on_start_array, on_end_array,
};

enum tl_status
ctx_parse(struct ctx_line *l, struct tl_str text, struct tl_err *err)
{
	struct at a = { .l = l, .text = text, .err = err, .top = -1,
		.sub = -1 };
	yajl_status st;
	char quoted[TL_QUOTE_SIZE];

	if (l->scratch_cap < text.n + 1) {
		l->scratch_cap = 2 * text.n + 1;
		l->scratch = tl_xreallocarray(l->scratch, l->scratch_cap, 1);
	}
	l->scratch_n = l->n_requests = 0;
	memset(l->v, 0, sizeof l->v);
	a.h = yajl_alloc(&callbacks, &tl_yajl_mem, &a);
	st = yajl_parse(a.h, (const unsigned char *)text.p, text.n);
	if (st == yajl_status_ok)
		st = yajl_complete_parse(a.h);
	if (st != yajl_status_ok && !a.bad)
		tl_err_set(err, "line '%s': is no JSON at byte %zu",
		    tl_quote(quoted, sizeof quoted, text.p, text.n),
		    yajl_get_bytes_consumed(a.h) + 1);
	yajl_free(a.h);
	return st == yajl_status_ok ? TL_OK : TL_ERR;
}

void
ctx_line_free(struct ctx_line *l)
{
	free(l->request);
	free(l->scratch);
}
