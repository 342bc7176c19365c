#include "tl-perfetto.h"

/* Names of arguments that are no keys of the event. */
static const struct tl_str own[] = {
	{ "class", 5 }, { "stream", 6 }, { "thread", 6 }, { "source", 6 },
	{ "context", 7 }, { "event_id", 8 }, { "iteration", 9 },
	{ "launch_id", 9 }, { "full_name", 9 }, { "occurrence", 10 },
	{ "unfinished", 10 }, { "correlation", 11 }, { "position_id", 11 },
	{ "member_index", 12 }, { "member_stream", 13 },
	{ "replay_unit_id", 14 },
};

static bool
is_own(struct tl_str key)
{
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (tl_str_eq(own[i], key))
			return true;
	return false;
}

static void
token(struct tl_json *j, struct tl_str key, struct tl_str value)
{
	if (tl_str_none(value))
		return;
	tl_xjson_key(j, key);
	tl_xjson_token(j, value);
}

static bool
is_key(struct tl_str key)
{
	for (size_t i = 0; i < key.n; i++)
		if (!((key.p[i] >= 'a' && key.p[i] <= 'z') ||
		    (key.p[i] >= '0' && key.p[i] <= '9') || key.p[i] == '_'))
			return false;
	return key.n > 0;
}

/* The event's keys are in ascending order, so that one that comes twice is
 * next to itself; it is written once. */
static void
keys(struct tl_json *j, struct tl_str fields)
{
	const char *p = fields.p, *end = fields.p + fields.n;
	struct tl_str last = { "", 0 };

	while (p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		const char *stop = tab != NULL ? tab : end;
		const char *eq = memchr(p, '=', (size_t)(stop - p));
		struct tl_str key, value;

		if (eq != NULL) {
			key = (struct tl_str){ p, (size_t)(eq - p) };
			value = (struct tl_str){ eq + 1,
				(size_t)(stop - eq - 1) };
			if (is_key(key) && tl_str_cmp(last, key) < 0) {
				if (is_own(key))
					tl_xjson_key_text(j, "key.", key);
				else
					tl_xjson_key(j, key);
				tl_xjson_token(j, value);
				last = key;
			}
		}
		p = stop + 1;
	}
}

void
pf_xoccurrence(struct tl_json *j, uint32_t number, uint32_t n)
{
	tl_xjson_str(j);
	tl_xjson_str_puts(j, number < 10 ? "N00" : number < 100 ? "N0" : "N");
	tl_xjson_str_u64(j, number);
	if (n != 0) {
		tl_xjson_str_puts(j, "#");
		tl_xjson_str_u64(j, n);
	}
	tl_xjson_str_end(j);
}

static void
structure(const struct pf *p, struct tl_json *j, uint32_t event)
{
	const struct pf_real *r = &p->real[event];

	if (event >= p->cap_real || r->leaf == 0)
		return;
	TL_XJSON_KEY(j, "position_id");
	pf_xoccurrence(j, r->leaf, 0);
	if (r->parent != 0) {
		TL_XJSON_KEY(j, "occurrence");
		pf_xoccurrence(j, r->parent, r->n);
	}
	if (r->iteration != 0) {
		TL_XJSON_KEY(j, "iteration");
		tl_xjson_u64(j, r->iteration);
	}
}

static void
member(const struct pf *p, struct tl_json *j, uint32_t event)
{
	const struct pf_member *m = &p->member[event];

	if (event >= p->cap_member || m->launch == 0)
		return;
	TL_XJSON_KEY(j, "launch_id");
	tl_xjson_u64(j, m->launch);
	token(j, TL_LIT("replay_unit_id"), tl_intern_str(&p->text, m->unit));
	token(j, TL_LIT("member_stream"), tl_intern_str(&p->text, m->stream));
	if (m->index != PF_NO) {
		TL_XJSON_KEY(j, "member_index");
		tl_xjson_u64(j, m->index);
	}
}

void
pf_xargs(const struct pf *p, struct tl_json *j, uint32_t event,
    const struct tl_ev *ev, bool with_name)
{
	bool device = !tl_str_none(ev->device) || tl_kind_on_device(ev->kind);
	const char *cls = tl_class_name(ev->cls);

	TL_XJSON_KEY(j, "args");
	tl_xjson_begin(j, '{');
	TL_XJSON_KEY(j, "event_id");
	tl_xjson_u64(j, ev->id);
	if (with_name) {
		TL_XJSON_KEY(j, "full_name");
		tl_xjson_text(j, ev->name);
	}
	if (device || ev->cls != TL_HOST) {
		TL_XJSON_KEY(j, "class");
		tl_xjson_text(j, (struct tl_str){ cls, strlen(cls) });
	}
	token(j, TL_LIT("correlation"), ev->correlation);
	token(j, TL_LIT("context"), ev->context);
	token(j, device ? TL_LIT("stream") : TL_LIT("thread"), ev->lane);
	token(j, TL_LIT("source"), ev->place);
	structure(p, j, event);
	member(p, j, event);
	if (p->ev[event].flags & PF_OPEN) {
		TL_XJSON_KEY(j, "unfinished");
		tl_xjson_u64(j, 1);
	}
	keys(j, ev->keys);
	tl_xjson_end(j, '}');
}
