#include "tl-kineto2ev.h"

#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "mem.h"
#include "yajl_mem.h"

/* Top-level keys with a plain value. */
static const struct {
	const char *text;
	enum k_meta_key key;
} plain[] = {
	{ "schemaVersion", K_SCHEMA }, { "baseTimeNanoseconds", K_BASE },
	{ "trace_id", K_TRACE_ID }, { "traceName", K_TRACE_NAME },
	{ "host_name", K_HOST_NAME }, { "cupti_version", K_CUPTI },
	{ "cuda_runtime_version", K_CUDA_RUNTIME },
	{ "cuda_driver_version", K_CUDA_DRIVER },
	{ "roctracer_version", K_ROCTRACER },
	{ "hip_runtime_version", K_HIP_RUNTIME },
	{ "hip_driver_version", K_HIP_DRIVER },
	{ "vllm_version", K_VLLM },
};

/* Members of distributedInfo. */
static const struct {
	const char *text;
	enum k_meta_key key;
} members[] = {
	{ "rank", K_RANK }, { "world_size", K_WORLD_SIZE },
	{ "backend", K_BACKEND }, { "nccl_version", K_NCCL },
};

/* Devices that are declared; a limit for broken files. */
enum { MAX_DEVICES = 4096 };

enum part { NOTHING, PLAIN, DISTRIBUTED, DEVICES };

static enum part
part_of(struct tl_str key, enum k_meta_key *which)
{
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		if (tl_str_is(key, plain[i].text)) {
			*which = plain[i].key;
			return PLAIN;
		}
	}
	if (tl_str_is(key, "distributedInfo"))
		return DISTRIBUTED;
	/* the second name was that of May 2021 */
	if (tl_str_is(key, "deviceProperties") ||
	    tl_str_is(key, "computeProperties"))
		return DEVICES;
	return NOTHING;
}

bool
k_meta_wants(struct tl_str key)
{
	enum k_meta_key which;

	return part_of(key, &which) != NOTHING;
}

struct parse {
	struct k_meta *m;
	enum part part;
	enum k_meta_key which;
	unsigned depth;
	struct tl_str key;   /* at the depth where members are looked at */
	char key_text[64];
	struct k_device dev;
};

static struct tl_str
copy(struct k_meta *m, const char *p, size_t n)
{
	/* texts of a header line; a line of them stays far from 1 MiB */
	n = n > 4096 ? 4096 : n;
	return (struct tl_str){ tl_xarena_copy(&m->arena, p, n), n };
}

static void
take_device(struct parse *s, const char *p, size_t n)
{
	struct k_device *d = &s->dev;
	const struct {
		const char *text;
		struct tl_str *to;
	} of[] = {
		{ "id", &d->id }, { "name", &d->name },
		{ "totalGlobalMem", &d->memory },
		{ "computeMajor", &d->major }, { "computeMinor", &d->minor },
		{ "major", &d->major }, { "minor", &d->minor },
		{ "numSms", &d->sms }, { "warpSize", &d->warp },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (tl_str_is(s->key, of[i].text) && of[i].to->n == 0)
			*of[i].to = copy(s->m, p, n);
}

static int
on_scalar(void *ctx, const char *p, size_t n)
{
	struct parse *s = ctx;

	if (s->part == PLAIN && s->depth == 0) {
		s->m->value[s->which] = copy(s->m, p, n);
	} else if (s->part == DISTRIBUTED && s->depth == 1) {
		for (size_t i = 0; i < sizeof members / sizeof *members; i++)
			if (tl_str_is(s->key, members[i].text))
				s->m->value[members[i].key] = copy(s->m, p, n);
	} else if (s->part == DEVICES && s->depth == 2) {
		take_device(s, p, n);
	}
	return 1;
}

static int
on_string(void *ctx, const unsigned char *p, size_t n)
{
	return on_scalar(ctx, (const char *)p, n);
}

static int
on_none(void *ctx)
{
	(void)ctx;
	return 1;
}

static int
on_boolean(void *ctx, int v)
{
	(void)v;
	return on_none(ctx);
}

static int
on_open(void *ctx)
{
	struct parse *s = ctx;

	s->depth++;
	if (s->part == DEVICES && s->depth == 2)
		s->dev = (struct k_device){ .id = { NULL, 0 } };
	return 1;
}

static int
on_key(void *ctx, const unsigned char *p, size_t n)
{
	struct parse *s = ctx;

	n = n > sizeof s->key_text ? sizeof s->key_text : n;
	memcpy(s->key_text, p, n);
	s->key = (struct tl_str){ s->key_text, n };
	return 1;
}

static bool
is_declared(const struct k_meta *m, struct tl_str id)
{
	for (size_t i = 0; i < m->n_devices; i++)
		if (tl_str_eq(m->device[i].id, id))
			return true;
	return false;
}

static int
on_close(void *ctx)
{
	struct parse *s = ctx;
	struct k_meta *m = s->m;

	/* of a device that is declared twice the first counts */
	if (s->part == DEVICES && s->depth == 2 && s->dev.id.n > 0 &&
	    m->n_devices < MAX_DEVICES && !is_declared(m, s->dev.id)) {
		m->device = tl_xgrow(m->device, m->n_devices, &m->devices_cap,
		    sizeof *m->device);
		m->device[m->n_devices++] = s->dev;
	}
	s->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	on_none, on_boolean, NULL, NULL, on_scalar, on_string,
	on_open, on_key, on_close, on_open, on_close,
};

static bool
parse(struct parse *s, struct tl_str value)
{
	yajl_handle h = yajl_alloc(&callbacks, &tl_yajl_mem, s);
	bool ok;

	yajl_config(h, yajl_dont_validate_strings, 1);
	ok = yajl_parse(h, (const unsigned char *)value.p, value.n) ==
	    yajl_status_ok && yajl_complete_parse(h) == yajl_status_ok;
	yajl_free(h);
	return ok;
}

bool
k_xmeta_take(struct k_meta *m, struct tl_str key, struct tl_str value,
    unsigned *fixed)
{
	struct parse s = { .m = m };
	size_t devices = m->n_devices, cap = 0;
	char *buf = NULL;
	bool ok;

	*fixed = 0;
	s.part = part_of(key, &s.which);
	if (s.part == NOTHING || parse(&s, value))
		return true;
	value = k_xfix(value, &buf, &cap, fixed);
	m->n_devices = devices;
	s.depth = 0;
	ok = *fixed != 0 && parse(&s, value);
	free(buf);
	return ok;
}
