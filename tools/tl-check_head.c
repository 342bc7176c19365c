/* The header and the events: tl-ev(5), HEADER and EVENTS. */
#include "tl-check.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

/* Header lines in their order. cols: columns before the keys; keys: whether
 * key=value columns follow. */
static const struct line_form {
	const char *word;
	bool once, keys;
	size_t cols;
	const char *form;
} forms[] = {
	{ "source", true, true, 0, "key=value ... must follow" },
	{ "process", false, true, 1, "process key=value ... must follow" },
	{ "device", false, true, 2,
	    "process device key=value ... must follow" },
	{ "place", true, true, 0, "tag=meaning ... must follow" },
	{ "rules", false, false, 3, "stage digest origin must follow" },
	{ "order", true, false, 1, "start must follow, nothing else" },
	{ "prog", false, false, 2, "name version argument ... must follow" },
};
#define N_FORMS (sizeof forms / sizeof *forms)

/* Enters kind and text into the set of what was seen; false if it was there
 * already. */
static bool
first_time(struct check *c, char kind, struct tl_str text)
{
	size_t n = c->seen.n;
	char *s = tl_xmalloc(text.n + 1);

	s[0] = kind;
	memcpy(s + 1, text.p, text.n);
	tl_xintern(&c->seen, (struct tl_str){ s, text.n + 1 });
	free(s);
	return c->seen.n > n;
}

static void
enter_tags(struct check *c, struct tl_str fields)
{
	const char *p = fields.p, *end = fields.p + fields.n;

	c->has_places = true;
	while (p < end) {
		const char *eq = memchr(p, '=', (size_t)(end - p));
		const char *tab = memchr(p, '\t', (size_t)(end - p));

		tl_xintern(&c->tags, (struct tl_str){ p, (size_t)(eq - p) });
		p = tab != NULL ? tab + 1 : end;
	}
}

/* Keys whose values are numbers, in the lines that have them. */
static void
check_numbers(struct check *c, struct tl_str fields)
{
	static const char *const integers[] = { "base_ns" };
	static const char *const numbers[] = { "size", "pid" };
	struct tl_str s;
	int64_t i;
	uint64_t u;

	for (size_t k = 0; k < sizeof integers / sizeof *integers; k++) {
		s = tl_key(fields, integers[k]);
		if (s.p != NULL && !tl_num_str_i64(s, &i))
			check_fault_here(c, integers[k], s,
			    "must be an integer of 64 bits");
	}
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
		s = tl_key(fields, numbers[k]);
		if (s.p != NULL && !tl_num_str_u64(s, &u))
			check_fault_here(c, numbers[k], s,
			    "must be a number");
	}
}

/* The columns of a line whose form is known. */
static void
check_form(struct check *c, const struct line_form *form, struct tl_str line)
{
	struct tl_str f[4], fields = { line.p + line.n, 0 };
	size_t n = tl_fields(f, 4, line.p, line.n);

	if (n < form->cols + 1 || (form->once && form->cols > 0 &&
	    n > form->cols + 1)) {
		check_fault_here(c, "header line", line, form->form);
		return;
	}
	if (n > form->cols + 1 && form->cols + 1 < 4)
		fields = (struct tl_str){ f[form->cols + 1].p,
			(size_t)(line.p + line.n - f[form->cols + 1].p) };
	if (strcmp(form->word, "order") == 0 && !tl_str_is(f[1], "start"))
		check_fault_here(c, "order", f[1], "must be start");
	if (!form->keys || !check_keys(c, fields, false))
		return;
	if (strcmp(form->word, "place") == 0) {
		enter_tags(c, fields);
		return;
	}
	check_numbers(c, fields);
	if (form->cols > 0) {
		struct tl_str id = { f[1].p,
			(size_t)(f[form->cols].p + f[form->cols].n - f[1].p) };

		if (!first_time(c, form->cols == 1 ? 'P' : 'D', id))
			check_fault_here(c, form->word, id, "twice");
	}
}

void
check_header(struct check *c, struct tl_str line)
{
	struct tl_str word;

	tl_fields(&word, 1, line.p, line.n);
	word.p++;
	word.n--;
	if (tl_str_is(word, "tl-ev") && c->in.in.line > 1)
		check_fault_here(c, "header line", word, "twice");
	for (size_t i = 0; i < N_FORMS; i++) {
		if (!tl_str_is(word, forms[i].word))
			continue;
		if ((int)i + 1 == c->rank && forms[i].once)
			check_fault_here(c, "header line", word, "twice");
		else if ((int)i + 1 < c->rank)
			check_fault_here(c, "header line", word,
			    "out of order");
		else
			check_form(c, &forms[i], line);
		c->rank = (int)i + 1 > c->rank ? (int)i + 1 : c->rank;
		return;
	}
}

bool
check_ids_have(const struct check_ids *ids, uint64_t id)
{
	size_t lo = 0, hi = ids->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ids->range[mid].last < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ids->n && ids->range[lo].first <= id;
}

/* The id must be past all before it. */
static void
take_id(struct check *c, uint64_t id, struct tl_str text)
{
	struct check_ids *ids = &c->ids;
	struct check_range *r = ids->n > 0 ? &ids->range[ids->n - 1] : NULL;

	if (r != NULL && id <= r->last) {
		check_fault_here(c, "id", text, "ids ascend");
		return;
	}
	if (r != NULL && id == r->last + 1) {
		r->last = id;
		return;
	}
	ids->range = tl_xgrow(ids->range, ids->n, &ids->cap,
	    sizeof *ids->range);
	ids->range[ids->n++] = (struct check_range){ id, id };
}

/* Remembers what the order of the next event depends on. */
static void
remember(struct check *c, const struct tl_ev *ev)
{
	if (c->last_place_cap < ev->place.n) {
		c->last_place_cap = ev->place.n * 2;
		c->last_place = tl_xreallocarray(c->last_place,
		    c->last_place_cap, 1);
	}
	memcpy(c->last_place, ev->place.p, ev->place.n);
	c->last = *ev;
	c->last.place.p = c->last_place;
}

/* Columns that hosts' events don't have, or that an instant doesn't. */
static void
check_kind(struct check *c, const struct tl_ev *ev)
{
	bool instant = ev->kind == TL_MARK || ev->kind == TL_COUNTER;

	if (instant && ev->dur_ns != TL_NONE)
		check_fault_here(c, "dur", TL_LIT("0"),
		    "marks and counters have none");
	if (tl_kind_on_device(ev->kind) ||
	    (ev->kind == TL_RANGE && !tl_str_none(ev->device)))
		return;
	if (!tl_str_none(ev->device))
		check_fault_here(c, "device", ev->device,
		    "an event on the host has none");
	if (!tl_str_none(ev->context))
		check_fault_here(c, "context", ev->context,
		    "an event on the host has none");
}

static void
check_event_keys(struct check *c, const struct tl_ev *ev)
{
	struct tl_str s;

	if (ev->keys.n == 0 || !check_keys(c, ev->keys, true))
		return;
	s = tl_key(ev->keys, "sym");
	if (s.p != NULL && tl_str_eq(s, ev->name))
		check_fault_here(c, "sym", s, "is the name");
	s = tl_key(ev->keys, "role");
	if (s.p != NULL && !tl_str_is(s, "aux"))
		check_fault_here(c, "role", s, "must be aux");
	s = tl_key(ev->keys, "detail");
	if (s.p != NULL && !tl_str_is(s, "1"))
		check_fault_here(c, "detail", s, "must be 1");
}

/* The tag must be named where a #place line names any. */
static void
check_place(struct check *c, const struct tl_ev *ev)
{
	struct tl_str tag;
	uint64_t number;

	if (!tl_place_split(ev->place, &tag, &number))
		check_fault_here(c, "place", ev->place, "must be TAG:NUMBER");
	else if (c->has_places &&
	    tl_intern_find(&c->tags, tag) == UINT32_MAX)
		check_fault_here(c, "place", ev->place,
		    "its tag is not in the #place line");
}

void
check_event(struct check *c, const struct tl_rec *rec)
{
	struct tl_str f[3];

	tl_fields(f, 3, rec->line.p, rec->line.n);
	check_place(c, &rec->ev);
	if (c->ids.n > 0 && tl_ev_cmp(&c->last, &rec->ev) > 0)
		check_fault_here(c, "start", f[2],
		    "out of order: by start, longer first, then place");
	take_id(c, rec->ev.id, f[1]);
	check_kind(c, &rec->ev);
	check_event_keys(c, &rec->ev);
	remember(c, &rec->ev);
}
