#include "tl-import.h"

#include <stdio.h>
#include <stdlib.h>

#include <yajl/yajl_parse.h>

#include "yajl_mem.h"

bool
imp_xyajl(const yajl_callbacks *callbacks, void *ctx, yajl_handle *handle,
    struct tl_str text, char *why)
{
	const unsigned char *p = (const unsigned char *)text.p;
	yajl_handle y = yajl_alloc(callbacks, &tl_yajl_mem, ctx);
	unsigned char *msg;
	bool ok;

	if (handle != NULL)
		*handle = y;
	ok = yajl_parse(y, p, text.n) == yajl_status_ok &&
	    yajl_complete_parse(y) == yajl_status_ok;
	if (!ok && why != NULL) {
		msg = yajl_get_error(y, 0, p, text.n);
		snprintf(why, IMP_WHY, "no JSON: %s", (const char *)msg);
		why[strcspn(why, "\n")] = '\0';
		yajl_free_error(y, msg);
	}
	yajl_free(y);
	return ok;
}

/* ---- a document as a tree ---- */

struct build {
	struct tl_arena *a;
	struct imp_val *root;
	struct open { /* a container that is not closed yet */
		struct imp_val *v, *last;
	} *open;
	size_t n, cap;
	struct tl_str key;
};

static struct tl_str
keep(struct build *b, const char *p, size_t n)
{
	return (struct tl_str){ tl_xarena_copy(b->a, p, n), n };
}

static struct imp_val *
add(struct build *b, enum imp_type type, const char *p, size_t n)
{
	struct imp_val *v = tl_xarena_alloc(b->a, sizeof *v);
	struct open *o = b->n > 0 ? &b->open[b->n - 1] : NULL;

	*v = (struct imp_val){ .type = type, .key = b->key,
		.text = keep(b, p, n) };
	b->key = (struct tl_str){ "", 0 };
	if (o == NULL) {
		b->root = v;
		return v;
	}
	if (o->last == NULL)
		o->v->child = v;
	else
		o->last->next = v;
	o->last = v;
	o->v->n++;
	return v;
}

static int
on_null(void *ctx)
{
	add(ctx, IMP_PLAIN, "null", 4);
	return 1;
}

static int
on_boolean(void *ctx, int v)
{
	add(ctx, IMP_PLAIN, v ? "true" : "false", v ? 4 : 5);
	return 1;
}

static int
on_number(void *ctx, const char *p, size_t n)
{
	add(ctx, IMP_NUMBER, p, n);
	return 1;
}

static int
on_string(void *ctx, const unsigned char *p, size_t n)
{
	add(ctx, IMP_STRING, (const char *)p, n);
	return 1;
}

static int
open_one(struct build *b, enum imp_type type)
{
	struct imp_val *v = add(b, type, "", 0);

	b->open = tl_xgrow(b->open, b->n, &b->cap, sizeof *b->open);
	b->open[b->n++] = (struct open){ v, NULL };
	return 1;
}

static int
on_map(void *ctx)
{
	return open_one(ctx, IMP_OBJECT);
}

static int
on_array(void *ctx)
{
	return open_one(ctx, IMP_ARRAY);
}

static int
on_key(void *ctx, const unsigned char *p, size_t n)
{
	struct build *b = ctx;

	b->key = keep(b, (const char *)p, n);
	return 1;
}

static int
on_end(void *ctx)
{
	((struct build *)ctx)->n--;
	return 1;
}

static const yajl_callbacks callbacks = {
	on_null, on_boolean, NULL, NULL, on_number, on_string, on_map, on_key,
	on_end, on_array, on_end,
};

struct imp_val *
imp_xparse(struct tl_arena *a, struct tl_str text, char *why)
{
	struct build b = { .a = a, .key = { "", 0 } };
	bool ok = imp_xyajl(&callbacks, &b, NULL, text, why);

	free(b.open);
	return ok ? b.root : NULL;
}

struct imp_val *
imp_get(const struct imp_val *v, const char *key)
{
	struct imp_val *found = NULL;

	if (v == NULL || v->type != IMP_OBJECT)
		return NULL;
	for (struct imp_val *c = v->child; c != NULL; c = c->next)
		if (tl_str_is(c->key, key))
			found = c;
	return found;
}

struct tl_str
imp_text(const struct imp_val *v)
{
	return v != NULL && v->type == IMP_STRING ? v->text :
	    (struct tl_str){ "", 0 };
}
