#include "ev.h"

#include "num.h"

static const char *const kind_names[TL_N_KINDS] = {
	"kernel", "memcpy", "memset", "sync", "graph", "task",
	"api", "op", "range", "python", "mark", "counter",
	"launch", "unit", "member", "pos", "occ", "real",
	"step", "exec", "link", "context", "json", "request", "work",
	"note", "variant", "dev",
};

static const char *const class_names[TL_N_CLASSES] = {
	"compute", "comm", "copy", "sync", "host", "other",
};

const char *
tl_kind_name(enum tl_kind k)
{
	return kind_names[k];
}

enum tl_kind
tl_kind_of(struct tl_str s)
{
	for (int k = 0; k < TL_N_KINDS; k++)
		if (tl_str_is(s, kind_names[k]))
			return (enum tl_kind)k;
	return TL_OTHER;
}

bool
tl_kinds_change(const char *list, uint32_t *kinds, const char *other,
    bool *other_on, struct tl_str *bad)
{
	const char *p = list;

	if (*p != '+' && *p != '-') {
		*kinds = 0;
		if (other != NULL)
			*other_on = false;
	}
	for (;; p++) {
		bool on = *p != '-';
		struct tl_str word;
		enum tl_kind k;

		p += *p == '+' || *p == '-';
		word = (struct tl_str){ p, strcspn(p, ",") };
		k = tl_kind_of(word);
		if (other != NULL && tl_str_is(word, other)) {
			*other_on = on;
		} else if (!tl_kind_is_event(k)) {
			*bad = word;
			return false;
		} else if (on) {
			*kinds |= 1U << k;
		} else {
			*kinds &= ~(1U << k);
		}
		p += word.n;
		if (*p == '\0')
			return true;
	}
}

const char *
tl_class_name(enum tl_class c)
{
	return class_names[c];
}

enum tl_class
tl_class_of(struct tl_str s)
{
	for (int c = 0; c < TL_N_CLASSES; c++)
		if (tl_str_is(s, class_names[c]))
			return (enum tl_class)c;
	return TL_N_CLASSES;
}

enum tl_class
tl_kind_class(enum tl_kind k)
{
	switch (k) {
	case TL_KERNEL:
	case TL_GRAPH:
		return TL_COMPUTE;
	case TL_MEMCPY:
	case TL_MEMSET:
		return TL_COPY;
	case TL_SYNC:
		return TL_CLASS_SYNC;
	case TL_TASK:
		return TL_CLASS_OTHER;
	default:
		return TL_HOST;
	}
}

static enum tl_status
bad(struct tl_err *err, const char *col, struct tl_str s, const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_err_set(err, "bad %s '%s': %s", col,
	    tl_quote(q, sizeof q, s.p, s.n), why);
	return TL_ERR;
}

/* The text from *p to the next tab or the end; *p moves behind the tab, or to
 * NULL at the end of the line. */
static struct tl_str
column(const char **p, const char *end)
{
	struct tl_str s = { *p, 0 };
	const char *q = *p;

	while (q < end && *q != '\t')
		q++;
	s.n = (size_t)(q - s.p);
	*p = q < end ? q + 1 : NULL;
	return s;
}

static const char *const text_columns[] = {
	"process", "device", "context", "lane", "correlation", "class", "name",
	"place",
};

/* Columns 3 and 4, at *p, which is behind the tab of column 2. */
static enum tl_status
parse_times(struct tl_ev *ev, const char **p, const char *end,
    struct tl_err *err)
{
	const char *from = *p;

	if (!tl_num_i64(p, end, &ev->start_ns) || *p == end || **p != '\t') {
		*p = from;
		return bad(err, "start", column(p, end),
		    "must be an integer of 64 bits");
	}
	from = ++*p;
	if (end - *p >= 2 && (*p)[0] == '.' && (*p)[1] == '\t') {
		if (tl_kind_on_device(ev->kind))
			return bad(err, "dur", TL_LIT("."),
			    "an event on a device has one");
		ev->dur_ns = TL_NONE;
		*p += 2;
		return TL_OK;
	}
	if (!tl_num_i64(p, end, &ev->dur_ns) || ev->dur_ns < 0 || *p == end ||
	    **p != '\t') {
		*p = from;
		return bad(err, "dur", column(p, end), "must be 0 or more");
	}
	++*p;
	if (ev->start_ns > INT64_MAX - ev->dur_ns) {
		*p = from;
		return bad(err, "dur", column(p, end),
		    "the end does not fit into 64 bits");
	}
	return TL_OK;
}

enum tl_status
tl_ev_parse(struct tl_ev *ev, enum tl_kind kind, const char *s, size_t len,
    struct tl_err *err)
{
	const char *p = s, *end = s + len, *from;
	struct tl_str cls = { s, 0 }, *text[] = { &ev->process, &ev->device,
		&ev->context, &ev->lane, &ev->correlation, &cls, &ev->name,
		&ev->place };

	ev->kind = kind;
	column(&p, end);
	from = p;
	if (p == NULL || !tl_num_u64(&p, end, &ev->id) || ev->id == 0 ||
	    p == end || *p != '\t') {
		p = from == NULL ? end : from;
		return bad(err, "id", column(&p, end), "must be 1 or more");
	}
	p++;
	if (parse_times(ev, &p, end, err) != TL_OK)
		return TL_ERR;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		if (p == NULL)
			return bad(err, "event", (struct tl_str){ s, len },
			    "12 columns are needed");
		*text[i] = column(&p, end);
		if (text[i]->n == 0)
			return bad(err, text_columns[i], *text[i],
			    "'.' stands for none");
	}
	ev->cls = tl_class_of(cls);
	if (ev->cls == TL_N_CLASSES)
		return bad(err, "class", cls, "no such class");
	ev->keys = p == NULL ? (struct tl_str){ end, 0 } :
	    (struct tl_str){ p, (size_t)(end - p) };
	return TL_OK;
}

struct tl_str
tl_key(struct tl_str fields, const char *key)
{
	size_t n = strlen(key);
	const char *p = fields.p, *end = fields.p + fields.n;

	while (p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		size_t len = (size_t)((tab ? tab : end) - p);

		if (len > n && p[n] == '=' && memcmp(p, key, n) == 0)
			return (struct tl_str){ p + n + 1, len - n - 1 };
		p += len + 1;
	}
	return (struct tl_str){ NULL, 0 };
}

size_t
tl_fields(struct tl_str *fields, size_t max, const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	size_t n = 0;

	while (p != NULL) {
		struct tl_str f = column(&p, end);

		if (n < max)
			fields[n] = f;
		n++;
	}
	return n;
}

bool
tl_place_split(struct tl_str place, struct tl_str *tag, uint64_t *number)
{
	const char *colon = memchr(place.p, ':', place.n);

	if (colon == NULL || colon == place.p)
		return false;
	*tag = (struct tl_str){ place.p, (size_t)(colon - place.p) };
	return tl_num_str_u64((struct tl_str){ colon + 1,
	    place.n - tag->n - 1 }, number);
}

int
tl_token_cmp(struct tl_str a, struct tl_str b)
{
	uint64_t x, y;
	bool nx = tl_num_str_u64(a, &x), ny = tl_num_str_u64(b, &y);

	if (nx && ny)
		return x < y ? -1 : x > y;
	return nx != ny ? (nx ? -1 : 1) : tl_str_cmp(a, b);
}

int
tl_ev_cmp(const struct tl_ev *a, const struct tl_ev *b)
{
	struct tl_str ta, tb;
	uint64_t na, nb;
	int c;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns ? -1 : 1;
	if (!tl_place_split(a->place, &ta, &na) ||
	    !tl_place_split(b->place, &tb, &nb))
		return tl_str_cmp(a->place, b->place);
	c = tl_str_cmp(ta, tb);
	return c != 0 ? c : na < nb ? -1 : na > nb;
}
