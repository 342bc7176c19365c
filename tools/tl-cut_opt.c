#include "num.h"
#include "tl-cut.h"

/* Milliseconds with at most six decimals at [p, end), 0 or more. */
static bool
milliseconds(const char *p, const char *end, int64_t *ns)
{
	const char *dot = memchr(p, '.', (size_t)(end - p));
	const char *stop = dot != NULL ? dot : end;
	uint64_t whole, below = 0, unit = 1000000;

	if (!tl_num_str_u64((struct tl_str){ p, (size_t)(stop - p) }, &whole))
		return false;
	if (dot != NULL && (end - dot == 1 || end - dot > 7))
		return false;
	for (p = stop + 1; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		unit /= 10;
		below += (uint64_t)(*p - '0') * unit;
	}
	if (whole > (INT64_MAX - below) / 1000000)
		return false;
	*ns = (int64_t)(whole * 1000000 + below);
	return true;
}

/* The last ".." of the text; NULL if there is none. */
static const char *
dots(const char *s)
{
	const char *found = NULL, *p = s;

	while ((p = strstr(p, "..")) != NULL)
		found = p++;
	return found;
}

bool
cut_window(struct cut_opt *o, const char *arg)
{
	const char *mid = strstr(arg, ".."), *end = arg + strlen(arg);

	if (mid == NULL)
		return false;
	o->from_ns = 0;
	o->to_ns = INT64_MAX;
	if (mid > arg && !milliseconds(arg, mid, &o->from_ns))
		return false;
	if (mid + 2 < end && !milliseconds(mid + 2, end, &o->to_ns))
		return false;
	o->window = true;
	o->window_text = arg;
	return o->from_ns < o->to_ns;
}

static bool
small(struct tl_str s, uint32_t *v)
{
	uint64_t n;

	if (!tl_num_str_u64(s, &n) || n == 0 || n >= CUT_NO)
		return false;
	*v = (uint32_t)n;
	return true;
}

/* "17" or "17..20". */
static bool
range(struct cut_opt *o, const char *p, const char *end)
{
	const char *mid = dots(p), *stop = mid != NULL ? mid : end;

	if (!small((struct tl_str){ p, (size_t)(stop - p) }, &o->first))
		return false;
	o->last = o->first;
	return mid == NULL || (small((struct tl_str){ mid + 2,
	    (size_t)(end - mid - 2) }, &o->last) && o->last >= o->first);
}

/* "N003/17..20", "N003#18", "4242:0/N003/17": the scope may hold anything, so
 * it is read from the end. */
bool
cut_iterations(struct cut_opt *o, const char *arg)
{
	const char *end = arg + strlen(arg), *mark = end, *pos;

	while (mark > arg && *mark != '/' && *mark != '#')
		mark--;
	if (mark == arg)
		return false;
	o->by_occurrence = *mark == '#';
	pos = mark;
	while (pos > arg && pos[-1] != '/')
		pos--;
	o->scope = (struct tl_str){ arg, pos > arg ? (size_t)(pos - arg) - 1 :
		0 };
	o->iterations = true;
	return (pos == arg || o->scope.n > 0) &&
	    tl_pos_parse((struct tl_str){ pos, (size_t)(mark - pos) },
	    &o->pos) && range(o, mark + 1, end);
}

bool
cut_kinds(const char *arg, uint32_t *kinds)
{
	*kinds = 0;
	for (const char *p = arg;; p++) {
		struct tl_str word = { p, strcspn(p, ",") };
		enum tl_kind k = tl_kind_of(word);

		if (tl_str_is(word, "device") || tl_str_is(word, "host")) {
			for (int i = 0; i < TL_N_EVENTS; i++)
				if (tl_kind_on_device((enum tl_kind)i) ==
				    tl_str_is(word, "device"))
					*kinds |= 1U << i;
		} else if (tl_kind_is_event(k)) {
			*kinds |= 1U << k;
		} else {
			return false;
		}
		p += word.n;
		if (*p == '\0')
			return true;
	}
}
