#include "conv.h"

#include <stdlib.h>

#include "conv_pair.h"
#include "esc.h"
#include "rules_out.h"

/* Past this the cache of names starts anew. */
#define CACHE_MAX ((size_t)64 << 20)

void
tl_xconv_rules(struct tl_conv *c, const char *const *files, size_t n_files)
{
	c->rules = tl_xrules_open(files, n_files);
}

static struct tl_str
escaped(struct tl_arena *a, const char *prefix, struct tl_str raw)
{
	size_t n = strlen(prefix);
	char *p = tl_xarena_alloc(a, n + 4 * raw.n + 1);

	memcpy(p, prefix, n);
	return (struct tl_str){ p, n + tl_esc(p + n, raw.p, raw.n) };
}

void
tl_xconv_subject(struct tl_conv *c, struct tl_arena *a,
    const struct tl_rules_subject *subject, struct tl_conv_name *nm)
{
	struct tl_str raw = subject->name;

	tl_rules_apply(c->rules, subject, &nm->res);
	nm->cls = nm->res.cls;
	nm->communication = subject->communication;
	nm->aux = nm->res.role != TL_ROLE_ANCHOR;
	nm->esc = raw.n == 0 ? TL_LIT(".") : escaped(a, "", raw);
	nm->sym = (struct tl_str){ "", 0 };
	if (nm->res.symbol.n > 0 && !tl_str_eq(nm->res.symbol, raw))
		nm->sym = escaped(a, "sym=", nm->res.symbol);
}

static void
fill_name(struct tl_conv *c, struct tl_conv_name *nm, enum tl_kind kind,
    struct tl_str raw)
{
	struct tl_rules_subject subject = {
		.provider = c->provider, .kind = kind, .name = raw
	};

	tl_xconv_subject(c, &c->arena, &subject, nm);
}

static void
drop_cache(struct tl_conv *c)
{
	tl_arena_free(&c->arena);
	tl_intern_free(&c->key);
}

const struct tl_conv_name *
tl_xconv_name(struct tl_conv *c, enum tl_kind kind, struct tl_str raw)
{
	char small[512], *key = small;
	uint32_t id;
	size_t known;

	if (c->arena.bytes + tl_intern_bytes(&c->key) >
	    (c->cache_max > 0 ? c->cache_max : CACHE_MAX)) {
		drop_cache(c);
		c->drops++;
	}
	known = c->key.n;
	if (raw.n + 1 > sizeof small)
		key = tl_xmalloc(raw.n + 1);
	key[0] = (char)('A' + kind);
	if (raw.n > 0)
		memcpy(key + 1, raw.p, raw.n);
	id = tl_xintern(&c->key, (struct tl_str){ key, raw.n + 1 });
	if (key != small)
		free(key);
	if (id == known) {
		c->name = tl_xgrow(c->name, known, &c->names_cap,
		    sizeof *c->name);
		/* the set's copy lives as long as the entry */
		raw.p = tl_intern_str(&c->key, id).p + 1;
		fill_name(c, &c->name[id], kind, raw);
	}
	return &c->name[id];
}

/* Keys beside an event's own, at most: role, sym, and tl_xconv_put's. */
enum { N_MORE = 8 };

/* Puts the event's keys and others together, which both are sorted. */
static void
put_keys(struct tl_evout *o, struct tl_str keys, const struct tl_str *extra,
    size_t n)
{
	size_t i = 0;
	const char *p = keys.p, *end = keys.p + keys.n;

	while (keys.n > 0 && p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		struct tl_str one = { p, (size_t)((tab ? tab : end) - p) };

		for (; i < n && tl_str_cmp(extra[i], one) < 0; i++)
			tl_xevout_raw(o, extra[i]);
		tl_xevout_raw(o, one);
		p += one.n + 1;
	}
	for (; i < n; i++)
		tl_xevout_raw(o, extra[i]);
}

bool
tl_xconv_put(struct tl_conv *c, struct tl_ev *ev,
    const struct tl_conv_name *nm, const struct tl_str *more, size_t n_more)
{
	struct tl_str extra[N_MORE], keys = ev->keys;
	size_t n = 0, i = 0, bytes = keys.n + (keys.n > 0);

	ev->cls = nm->cls;
	ev->name = nm->esc;
	if (!nm->aux && nm->sym.n == 0 && n_more == 0)
		return tl_xevout_event(&c->out, ev);
	if (nm->aux) {
		for (; i < n_more && tl_str_cmp(more[i],
		    TL_LIT("role=")) < 0; i++)
			extra[n++] = more[i];
		extra[n++] = TL_LIT("role=aux");
	}
	for (; i < n_more; i++)
		extra[n++] = more[i];
	if (nm->sym.n > 0)
		extra[n++] = nm->sym;
	for (i = 0; i < n; i++)
		bytes += extra[i].n + 1;
	if (!tl_xevout_event_open(&c->out, ev, bytes))
		return false;
	put_keys(&c->out, keys, extra, n);
	tl_xevout_eol(&c->out);
	return true;
}

bool
tl_xconv_event(struct tl_conv *c, struct tl_ev *ev,
    const struct tl_conv_name *nm)
{
	tl_rules_hit(c->rules, &nm->res, 1);
	if (c->pairs == NULL)
		return tl_xconv_put(c, ev, nm, NULL, 0);
	tl_xconv_pairs_add(c, ev, nm);
	return true;
}

void
tl_xconv_events_end(struct tl_conv *c)
{
	if (c->pairs != NULL) {
		tl_xconv_pairs_end(c);
		tl_conv_pairs_count(c->pairs, c->rules);
		tl_xconv_pairs_say(c->pairs, &c->out);
	}
	tl_xrules_put(c->rules, &c->out);
}

void
tl_conv_msg_rules(const struct tl_conv *c)
{
	tl_rules_msg_hits(c->rules);
	if (c->pairs != NULL)
		tl_xconv_pairs_say(c->pairs, NULL);
}

static void
sort_kv(struct tl_conv_kv *kv, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tl_conv_kv one = kv[i];
		size_t j = i;

		for (; j > 0 && strcmp(one.key, kv[j - 1].key) < 0; j--)
			kv[j] = kv[j - 1];
		kv[j] = one;
	}
}

void
tl_xconv_header(struct tl_conv *c, const char *word,
    const struct tl_str *columns, size_t n_columns,
    struct tl_conv_kv *kv, size_t n_kv)
{
	sort_kv(kv, n_kv);
	tl_xevout_head(&c->out, word);
	for (size_t i = 0; i < n_columns; i++)
		tl_xevout_text(&c->out, columns[i]);
	for (size_t i = 0; i < n_kv; i++)
		tl_xevout_kv(&c->out, kv[i].key, kv[i].value);
	tl_xevout_eol(&c->out);
}

static void
rules_line(struct tl_conv *c, const struct tl_rules_source *src)
{
	const char *stage = tl_rules_stage_name(src->stage);

	tl_xevout_head(&c->out, "rules");
	tl_xevout_raw(&c->out, (struct tl_str){ stage, strlen(stage) });
	tl_xevout_raw(&c->out, (struct tl_str){ src->digest,
	    strlen(src->digest) });
	tl_xevout_text(&c->out, (struct tl_str){ src->origin,
	    strlen(src->origin) });
	tl_xevout_eol(&c->out);
}

void
tl_xconv_header_end(struct tl_conv *c, int argc, char *const *argv)
{
	struct tl_rules_source src;

	c->pairs = tl_xconv_pairs_new(c->rules, c->provider);
	for (size_t i = 0; tl_rules_source(c->rules, i, &src); i++)
		if ((src.stage == TL_RULES_RECONCILIATION && (c->pairs !=
		    NULL || strcmp(src.origin, "default") != 0)) ||
		    src.stage == TL_RULES_CLASSIFICATION ||
		    src.stage == TL_RULES_SYMBOL)
			rules_line(c, &src);
	tl_xevout_head(&c->out, "order");
	tl_xevout_raw(&c->out, TL_LIT("start"));
	tl_xevout_eol(&c->out);
	if (!c->no_prog)
		tl_xevout_prog(&c->out, argc, argv);
}

char *
tl_xconv_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real != NULL ? real : tl_xstrdup(path);
}

void
tl_conv_free(struct tl_conv *c)
{
	drop_cache(c);
	free(c->name);
	tl_conv_pairs_free(c->pairs);
	tl_rules_free(c->rules);
	*c = (struct tl_conv){ .rules = NULL };
}
