#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "mem.h"
#include "yajl_mem.h"

static const struct tl_str arg_keys[K_N_KEYS] = {
#define KEY(s) { s, sizeof s - 1 }
	KEY("addr"), KEY("alg"), KEY("alloc"), KEY("block"), KEY("bytes"),
	KEY("cat"), KEY("collective"), KEY("comm_type"), KEY("context"),
	KEY("copy"), KEY("count"), KEY("dev"), KEY("dev_type"),
	KEY("dtype"), KEY("event"), KEY("ext"), KEY("fwd"), KEY("graph"),
	KEY("grid"), KEY("group_size"), KEY("id"), KEY("in_nelems"),
	KEY("level"), KEY("model"), KEY("node"), KEY("out_nelems"), KEY("pg"),
	KEY("pg_desc"), KEY("pg_ranks"), KEY("py_id"), KEY("py_parent"),
	KEY("regs"), KEY("seq"), KEY("series"), KEY("shared"), KEY("task"),
	KEY("total_allocated"), KEY("total_reserved"), KEY("type"),
	KEY("value"), KEY("wait_corr"), KEY("wait_stream"),
#undef KEY
};

struct tl_str
k_arg_key(enum k_arg a)
{
	return arg_keys[a];
}

/* Spellings of arguments, as Kineto's writers have had them since 2020
 * (output_json.cpp, CuptiActivity.cpp, RoctracerActivity.cpp) and PyTorch's
 * (profiler_kineto.cpp, collective metadata); by length. */
static const struct spelling {
	const char *text;
	enum k_arg arg;
} spellings[] = {
	{ "Addr", K_ADDR }, { "grid", K_GRID }, { "kind", K_KIND },
	{ "name", K_NAME }, { "size", K_BYTES },
	{ "Bytes", K_ALLOC }, { "block", K_BLOCK }, { "bytes", K_BYTES },
	{ "count", K_COUNT }, { "dtype", K_DTYPE }, { "level", K_LEVEL },
	{ "device", K_DEVICE }, { "stream", K_STREAM },
	{ "Task Id", K_TASK }, { "context", K_CONTEXT }, { "task id", K_TASK },
	{ "Model Id", K_MODEL }, { "alg_type", K_ALG }, { "graph id", K_GRAPH },
	{ "model id", K_MODEL },
	{ "Device Id", K_DEV }, { "Python id", K_PY_ID },
	{ "Stream Id", K_STREAM }, { "Task Type", K_TYPE },
	{ "data_type", K_DTYPE }, { "notify id", K_NOTIFY },
	{ "notify_id", K_NOTIFY }, { "stream id", K_STREAM },
	{ "stream_id", K_STREAM }, { "task type", K_COMM_TYPE },
	{ "Group size", K_GROUP_SIZE }, { "Subtask Id", K_CONTEXT_ID },
	{ "context id", K_CONTEXT_ID }, { "size(Byte)", K_BYTES },
	{ "sort_index", K_SORT },
	{ "Device Type", K_DEV_TYPE }, { "External id", K_EXT },
	{ "correlation", K_CORRELATION }, { "external id", K_EXT },
	{ "connection_id", K_CORRELATION }, { "graph node id", K_NODE },
	{ "In msg nelems", K_IN_NELEMS }, { "shared memory", K_SHARED },
	{ "Fwd thread id", K_FWD },
	{ "Out msg nelems", K_OUT_NELEMS }, { "Total Reserved",
	    K_TOTAL_RESERVED }, { "transport type", K_TRANSPORT },
	{ "wait_on_stream", K_WAIT_STREAM },
	{ "Collective name", K_COLLECTIVE }, { "Sequence number", K_SEQ },
	{ "Total Allocated", K_TOTAL_ALLOCATED },
	{ "Physic Stream Id", K_STREAM },
	{ "Python parent id", K_PY_PARENT },
	{ "Process Group Name", K_PG },
	{ "Process Group Ranks", K_PG_RANKS },
	{ "registers per thread", K_REGS },
	{ "wait_on_cuda_event_id", K_EVENT },
	{ "Process Group Description", K_PG_DESC },
	{ "wait_on_cuda_event_record_corr_id", K_WAIT_CORR },
};

enum { N_SPELLINGS = sizeof spellings / sizeof *spellings, MAX_KEY = 33 };

/* First spelling of each length, and what all spellings begin with. */
struct k_words {
	unsigned char first[MAX_KEY + 2];
	uint64_t head[N_SPELLINGS];
};

/* The first eight bytes of a text as a number, fewer if it is shorter. */
static inline uint64_t
head_of(const char *p, size_t n)
{
	uint32_t a = 0, b = 0;
	uint64_t w;

	if (n >= 8) {
		memcpy(&w, p, 8);
		return w;
	}
	if (n >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + n - 4, 4);
	} else if (n > 0) {
		a = (unsigned char)p[0] | (uint32_t)(unsigned char)p[n / 2] << 8;
		b = (unsigned char)p[n - 1];
	}
	return (uint64_t)b << 32 | a;
}

static void
index_spellings(struct k_words *w)
{
	for (size_t n = 0, i = 0; n < sizeof w->first; n++) {
		while (i < N_SPELLINGS && strlen(spellings[i].text) < n)
			i++;
		w->first[n] = (unsigned char)i;
	}
	for (size_t i = 0; i < N_SPELLINGS; i++)
		w->head[i] = head_of(spellings[i].text,
		    strlen(spellings[i].text));
}

static int
find_arg(const struct k_words *w, const char *p, size_t n)
{
	uint64_t head;

	if (n > MAX_KEY || w->first[n] == w->first[n + 1])
		return -1;
	head = head_of(p, n);
	for (unsigned i = w->first[n]; i < w->first[n + 1]; i++)
		if (w->head[i] == head &&
		    (n <= 8 || memcmp(p, spellings[i].text, n) == 0))
			return (int)spellings[i].arg;
	return -1;
}

static int
find_member(const char *p, size_t n)
{
	switch (n) {
	case 1:
		return p[0] == 's' ? K_M_SCOPE : -1;
	case 2:
		return p[0] == 'p' && p[1] == 'h' ? K_M_PH :
		    p[0] == 't' && p[1] == 's' ? K_M_TS :
		    p[0] == 'i' && p[1] == 'd' ? K_M_ID : -1;
	case 3:
		return p[1] == 'i' && p[2] == 'd' ?
		    (p[0] == 'p' ? K_M_PID : p[0] == 't' ? K_M_TID : -1) :
		    memcmp(p, "dur", 3) == 0 ? K_M_DUR :
		    memcmp(p, "cat", 3) == 0 ? K_M_CAT : -1;
	case 4:
		return memcmp(p, "args", 4) == 0 ? K_M_ARGS :
		    memcmp(p, "name", 4) == 0 ? K_M_NAME : -1;
	default:
		return -1;
	}
}

struct k_json {
	yajl_handle h;
	struct k_event *ev;
	struct tl_str text;       /* what is parsed */
	bool series;
	unsigned depth;
	unsigned args_depth;      /* 2 within args, which is never deeper */
	int member, arg;          /* the value to come is theirs; -1: nobody's */
	struct tl_str key;        /* of an argument, for series */
	bool in_list;             /* a list that is an argument of interest */
	struct tl_str item[3];
	size_t n_items;
	char *scratch;            /* decoded strings and lists of this event */
	size_t scratch_n, scratch_cap;
	struct k_words words;
	struct k_series *rows;
	size_t rows_cap;
	char *trimmed;
	size_t trimmed_cap;
};

/* Text that lives until the next parse: yajl's own copy of a string with
 * escapes does not. */
static struct tl_str
keep(struct k_json *j, const char *p, size_t n)
{
	if (n > 0 && (p < j->text.p || p >= j->text.p + j->text.n)) {
		char *copy = j->scratch + j->scratch_n;

		memcpy(copy, p, n);
		j->scratch_n += n;
		p = copy;
	}
	return (struct tl_str){ p, n };
}

static void
set_arg(struct k_json *j, int arg, struct tl_str v)
{
	if (arg < 0 || (j->ev->have >> arg & 1))
		return;
	j->ev->arg[arg] = v;
	j->ev->have |= UINT64_C(1) << arg;
}

/* A string or a number. */
static void
take(struct k_json *j, const char *p, size_t n, bool is_text)
{
	struct k_event *ev = j->ev;

	if (j->depth == 1) {
		if (j->member < 0 || (ev->members >> j->member & 1))
			return;
		ev->member[j->member] = keep(j, p, n);
		ev->members |= 1U << j->member;
		ev->texts |= (unsigned)is_text << j->member;
	} else if (j->depth == 2 && j->args_depth == 2) {
		/* a list is wanted here, not what Triton says of one */
		if (j->arg >= 0 && j->arg != K_GRID && j->arg != K_BLOCK)
			set_arg(j, j->arg, keep(j, p, n));
		if (j->series && !is_text) {
			j->rows = tl_xgrow(j->rows, ev->n_series, &j->rows_cap,
			    sizeof *j->rows);
			j->rows[ev->n_series++] = (struct k_series){ j->key,
				keep(j, p, n) };
		}
	} else if (j->in_list && j->depth == 3) {
		if (j->n_items < 3)
			j->item[j->n_items] = keep(j, p, n);
		j->n_items++;
	}
}

static int
on_null(void *ctx)
{
	(void)ctx;
	return 1;
}

static int
on_boolean(void *ctx, int v)
{
	(void)ctx;
	(void)v;
	return 1;
}

static int
on_number(void *ctx, const char *p, size_t n)
{
	take(ctx, p, n, false);
	return 1;
}

static int
on_string(void *ctx, const unsigned char *p, size_t n)
{
	take(ctx, (const char *)p, n, true);
	return 1;
}

static int
on_start_map(void *ctx)
{
	struct k_json *j = ctx;

	if (j->depth == 1 && j->member == K_M_ARGS)
		j->args_depth = 2;
	j->depth++;
	return 1;
}

static int
on_key(void *ctx, const unsigned char *key, size_t n)
{
	struct k_json *j = ctx;
	const char *p = (const char *)key;

	if (j->depth == 1) {
		j->member = find_member(p, n);
	} else if (j->depth == 2 && j->args_depth == 2) {
		j->arg = find_arg(&j->words, p, n);
		if (j->series)
			j->key = keep(j, p, n);
	}
	return 1;
}

static int
on_end_map(void *ctx)
{
	struct k_json *j = ctx;

	if (--j->depth == 1)
		j->args_depth = 0;
	return 1;
}

static int
on_start_array(void *ctx)
{
	struct k_json *j = ctx;

	if (++j->depth == 3 && j->args_depth == 2 &&
	    (j->arg == K_GRID || j->arg == K_BLOCK)) {
		j->in_list = true;
		j->n_items = 0;
	}
	return 1;
}

/* "x,y,z" of a list of three. */
static int
on_end_array(void *ctx)
{
	struct k_json *j = ctx;
	const struct tl_str *v = j->item;

	if (j->depth-- == 3 && j->in_list) {
		j->in_list = false;
		if (j->n_items == 3) {
			size_t n = v[0].n + v[1].n + v[2].n + 2;
			char *p = j->scratch + j->scratch_n, *q = p;

			j->scratch_n += n;
			memcpy(q, v[0].p, v[0].n);
			q += v[0].n;
			*q++ = ',';
			memcpy(q, v[1].p, v[1].n);
			q += v[1].n;
			*q++ = ',';
			memcpy(q, v[2].p, v[2].n);
			set_arg(j, j->arg, (struct tl_str){ p, n });
		}
	}
	return 1;
}

static const yajl_callbacks callbacks = {
	on_null, on_boolean, NULL, NULL, on_number, on_string,
	on_start_map, on_key, on_end_map, on_start_array, on_end_array,
};

static void
new_handle(struct k_json *j)
{
	j->h = yajl_alloc(&callbacks, &tl_yajl_mem, j);
	/* one handle for all events: they are values in a row to it */
	yajl_config(j->h, yajl_allow_multiple_values, 1);
	yajl_config(j->h, yajl_dont_validate_strings, 1);
}

struct k_json *
k_xjson_new(void)
{
	struct k_json *j = tl_xcalloc(1, sizeof *j);

	index_spellings(&j->words);
	new_handle(j);
	return j;
}

void
k_json_free(struct k_json *j)
{
	yajl_free(j->h);
	free(j->scratch);
	free(j->trimmed);
	free(j->rows);
	free(j);
}

/* True for the list behind "grid" or "block". */
static bool
is_wanted(const char *start, const char *p)
{
	do
		p--;
	while (p > start && (*p == ':' || *p == ' ' || *p == '\n' ||
	    *p == '\t' || *p == '\r'));
	return (p - start > 5 && memcmp(p - 5, "\"grid\"", 6) == 0) ||
	    (p - start > 6 && memcmp(p - 6, "\"block\"", 7) == 0);
}

struct tl_str
k_xjson_trim(struct k_json *j, struct tl_str text,
    const struct k_lists *lists)
{
	size_t from = 0;
	char *out;

	if (lists->n == 0)
		return text;
	if (j->trimmed_cap < text.n) {
		j->trimmed_cap = 2 * text.n;
		j->trimmed = tl_xreallocarray(j->trimmed, j->trimmed_cap, 1);
	}
	out = j->trimmed;
	for (size_t i = 0; i < lists->n; i++) {
		size_t n = lists->list[i].at + 1 - from;

		if (is_wanted(text.p, text.p + lists->list[i].at))
			continue;
		memcpy(out, text.p + from, n);
		out += n;
		from = lists->list[i].end - 1;
	}
	memcpy(out, text.p + from, text.n - from);
	out += text.n - from;
	return (struct tl_str){ j->trimmed, (size_t)(out - j->trimmed) };
}

static void
begin(struct k_json *j, struct tl_str text, bool series, struct k_event *ev)
{
	j->scratch_n = 0;
	ev->have = 0;
	ev->members = ev->texts = 0;
	ev->n_series = 0;
	j->ev = ev;
	j->text = text;
	j->series = series;
	j->depth = j->args_depth = 0;
	j->member = j->arg = -1;
	j->in_list = false;
}

bool
k_json_event(struct k_json *j, struct tl_str text, bool series,
    struct k_event *ev)
{
	/* what is decoded, and what is put together from it, is not longer */
	if (j->scratch_cap < 2 * text.n + 8) {
		j->scratch_cap = 4 * text.n + 8;
		j->scratch = tl_xreallocarray(j->scratch, j->scratch_cap, 1);
	}
	begin(j, text, series, ev);
	if (k_json_plain(text, &callbacks, j)) {
		ev->series = j->rows;
		return true;
	}
	begin(j, text, series, ev);
	if (yajl_parse(j->h, (const unsigned char *)text.p, text.n) !=
	    yajl_status_ok || j->depth != 0) {
		/* an error sticks to a handle */
		yajl_free(j->h);
		new_handle(j);
		return false;
	}
	ev->series = j->rows;
	return true;
}
