#include "tl-import.h"

#include <stdio.h>
#include <stdlib.h>

#include "num.h"

const char *const imp_context_keys[IMP_N_KEYS] = {
	"backend", "backend_version", "clock_domain", "clock_kind",
	"collection_mode", "device_uuid", "engine", "engine_version", "host",
	"local_rank", "pid", "producer_id", "provenance", "rank", "run_id",
	"session_id", "source", "source_version", "world_size",
};

/* Where a value stands. */
enum where {
	W_OTHER, W_TOP, W_CONTEXT, W_METADATA, W_SUMMARY, W_TRACES, W_TRACE
};

/* Keys that are looked at. */
enum key {
	K_OTHER, K_VERSION, K_TYPE, K_EVENT_ID, K_CONTEXT_ID, K_SESSION,
	K_ATTACHMENT, K_COMPONENT, K_PATH, K_SKIPPED, K_CONTEXT, K_METADATA,
	K_SUMMARY, K_TRACES, K_CONTEXT_KEY /* and the keys behind it */
};

static const struct {
	enum where in;
	const char *name;
	enum key key;
} keys[] = {
	{ W_TOP, "event_type", K_TYPE }, { W_TOP, "event_id", K_EVENT_ID },
	{ W_TOP, "context_id", K_CONTEXT_ID },
	{ W_TOP, "schema_version", K_VERSION },
	{ W_TOP, "trace_attachment_id", K_ATTACHMENT },
	{ W_TOP, "session_id", K_SESSION },
	{ W_TOP, "component", K_COMPONENT }, { W_TOP, "context", K_CONTEXT },
	{ W_TOP, "metadata", K_METADATA },
	{ W_METADATA, "summary", K_SUMMARY },
	{ W_SUMMARY, "traces", K_TRACES },
	{ W_TRACE, "path", K_PATH }, { W_TRACE, "skipped", K_SKIPPED },
};

enum { DEEP = 8, VERSION_BAD = -1, VERSION_NONE = -2 };

struct parse {
	struct imp_line *l;
	yajl_handle y;
	size_t depth;
	enum where where[DEEP];
	int key[DEEP];       /* last one at each depth */
	struct imp_buf buf;
	bool no_object;
};

static enum where
here(const struct parse *s)
{
	return s->depth == 0 || s->depth >= DEEP ? W_OTHER :
	    s->where[s->depth];
}

static int
key_here(const struct parse *s)
{
	return here(s) == W_OTHER ? K_OTHER : s->key[s->depth];
}

static struct tl_str
keep(struct imp_line *l, const char *p, size_t n)
{
	return (struct tl_str){ tl_xarena_copy(&l->arena, p, n), n };
}

/* A value of the context as the artifact would have it written. */
static void
take_context(struct parse *s, struct tl_str raw, bool is_string)
{
	int i = key_here(s) - K_CONTEXT_KEY;

	s->buf.n = 0;
	if (is_string)
		imp_xstr(&s->buf, raw);
	else
		imp_xputstr(&s->buf, raw);
	s->l->context[i] = keep(s->l, s->buf.p, s->buf.n);
	if (i == IMP_C_RUN)
		s->l->run_raw = keep(s->l, raw.p, raw.n);
	else if (i == IMP_C_SESSION)
		s->l->session_raw = keep(s->l, raw.p, raw.n);
}

static void
scalar(struct parse *s, const char *p, size_t n, bool is_string)
{
	struct imp_line *l = s->l;
	struct tl_str raw = { p, n };
	const struct {
		enum key key;
		struct tl_str *to;
	} of[] = {
		{ K_TYPE, &l->event_type }, { K_EVENT_ID, &l->event_id },
		{ K_CONTEXT_ID, &l->context_id }, { K_SESSION, &l->session },
		{ K_ATTACHMENT, &l->attachment },
		{ K_COMPONENT, &l->component },
	};
	int key = key_here(s);

	s->no_object |= s->depth == 0;
	if (key == K_OTHER)
		return;
	if (key >= K_CONTEXT_KEY) {
		take_context(s, raw, is_string);
	} else if (key == K_VERSION) {
		l->version = !is_string && tl_num_str_i64(raw, &l->version) ?
		    l->version : VERSION_BAD;
	} else if (key == K_PATH && is_string) {
		l->entry[l->n_entries - 1].path = keep(l, p, n);
	} else if (key == K_SKIPPED) {
		l->entry[l->n_entries - 1].skipped =
		    is_string || !tl_str_is(raw, "null");
	} else if (is_string) {
		for (size_t i = 0; i < sizeof of / sizeof *of; i++)
			if (of[i].key == (enum key)key)
				*of[i].to = keep(l, p, n);
		l->has_context_id |= key == K_CONTEXT_ID;
	}
}

static int
on_string(void *ctx, const unsigned char *p, size_t n)
{
	scalar(ctx, (const char *)p, n, true);
	return 1;
}

static int
on_number(void *ctx, const char *p, size_t n)
{
	scalar(ctx, p, n, false);
	return 1;
}

static int
on_null(void *ctx)
{
	scalar(ctx, "null", 4, false);
	return 1;
}

static int
on_boolean(void *ctx, int v)
{
	scalar(ctx, v ? "true" : "false", v ? 4 : 5, false);
	return 1;
}

static int
on_key(void *ctx, const unsigned char *p, size_t n)
{
	struct parse *s = ctx;
	struct tl_str k = { (const char *)p, n };
	enum where w = here(s);

	if (w == W_OTHER)
		return 1;
	s->key[s->depth] = K_OTHER;
	for (int i = 0; w == W_CONTEXT && i < IMP_N_KEYS; i++)
		if (tl_str_is(k, imp_context_keys[i]))
			s->key[s->depth] = K_CONTEXT_KEY + i;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].in == w && tl_str_is(k, keys[i].name))
			s->key[s->depth] = (int)keys[i].key;
	return 1;
}

static void
open_at(struct parse *s, enum where w)
{
	s->depth++;
	if (s->depth < DEEP) {
		s->where[s->depth] = w;
		s->key[s->depth] = K_OTHER;
	}
}

static int
on_map(void *ctx)
{
	struct parse *s = ctx;
	struct imp_line *l = s->l;
	int key = key_here(s);
	enum where w = s->depth == 0 ? W_TOP : key == K_CONTEXT ? W_CONTEXT :
	    key == K_METADATA ? W_METADATA : key == K_SUMMARY ? W_SUMMARY :
	    here(s) == W_TRACES ? W_TRACE : W_OTHER;

	if (w == W_CONTEXT) {
		l->has_context = true;
		memset(l->context, 0, sizeof l->context);
	}
	if (w == W_TRACE) {
		l->entry = tl_xgrow(l->entry, l->n_entries, &l->entries_cap,
		    sizeof *l->entry);
		l->entry[l->n_entries++] = (struct imp_entry){
			.at = yajl_get_bytes_consumed(s->y) - 1 };
	}
	open_at(s, w);
	return 1;
}

static int
on_map_end(void *ctx)
{
	struct parse *s = ctx;

	if (here(s) == W_TRACE)
		s->l->entry[s->l->n_entries - 1].end =
		    yajl_get_bytes_consumed(s->y);
	s->depth--;
	return 1;
}

static int
on_array(void *ctx)
{
	struct parse *s = ctx;

	s->no_object |= s->depth == 0;
	if (key_here(s) == K_TRACES)
		s->l->n_entries = 0;
	open_at(s, key_here(s) == K_TRACES ? W_TRACES : W_OTHER);
	return 1;
}

static int
on_array_end(void *ctx)
{
	((struct parse *)ctx)->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	on_null, on_boolean, NULL, NULL, on_number, on_string, on_map, on_key,
	on_map_end, on_array, on_array_end,
};

static bool
parse(struct imp_line *l, struct tl_str text, char *why)
{
	struct parse s = { .l = l };
	bool ok;

	tl_arena_free(&l->arena);
	l->arena = (struct tl_arena){ .last = NULL };
	l->version = VERSION_NONE;
	l->has_context = l->has_context_id = false;
	l->event_type = l->event_id = l->context_id = l->session =
	    l->attachment = l->component = l->run_raw = l->session_raw =
	    (struct tl_str){ "", 0 };
	memset(l->context, 0, sizeof l->context);
	l->n_entries = 0;
	ok = imp_xyajl(&callbacks, &s, &s.y, text, why);
	if (ok && s.no_object)
		snprintf(why, IMP_WHY, "no object of JSON");
	free(s.buf.p);
	return ok && !s.no_object;
}

/* A copy in which NaN and the infinities, which Python writes outside of
 * strings, are numbers of the same length; NULL if there are none. */
static char *
without_nan(struct tl_str text)
{
	static const char *const words[] = { "NaN", "Infinity" };
	char *p = tl_xmemdup0(text.p, text.n);
	bool in_string = false, found = false;

	for (size_t i = 0; i < text.n; i++) {
		if (in_string && p[i] == '\\')
			i++;
		else if (p[i] == '"')
			in_string = !in_string;
		for (int k = 0; !in_string && i < text.n && k < 2; k++) {
			size_t n = strlen(words[k]);

			if (text.n - i < n || memcmp(p + i, words[k], n) != 0)
				continue;
			memset(p + i, '1', n);
			found = true;
		}
	}
	if (found)
		return p;
	free(p);
	return NULL;
}

bool
imp_line(struct imp_line *l, struct tl_str text, char *why)
{
	char *p;

	if (!parse(l, text, why)) {
		bool ok;

		p = without_nan(text);
		if (p == NULL)
			return false;
		ok = parse(l, (struct tl_str){ p, text.n }, why);
		free(p);
		if (!ok)
			return false;
	}
	if (l->version == VERSION_NONE)
		l->version = 1;
	if (l->version < 1 || l->version > 4)
		snprintf(why, IMP_WHY, "schema_version: must be 1, 2, 3 or 4");
	else if (l->event_type.n < 7 || memcmp(l->event_type.p, "infer.",
	    6) != 0)
		snprintf(why, IMP_WHY, "event_type: does not begin with "
		    "'infer.'");
	else if (l->version == 4 && !l->has_context_id)
		snprintf(why, IMP_WHY, "context_id: is missing");
	else if (l->version > 1 && l->version < 4 && !l->has_context)
		snprintf(why, IMP_WHY, "context: is missing");
	else
		return true;
	return false;
}

void
imp_line_free(struct imp_line *l)
{
	tl_arena_free(&l->arena);
	free(l->entry);
}
