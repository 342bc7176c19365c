#include "tl-kineto2ev.h"

#include "num.h"

/* Microseconds that are surely within 64 bits as nanoseconds. Those since the
 * epoch have 16 digits. */
enum { MAX_DIGITS = 16 };
#define MAX_WHOLE INT64_C(9000000000000000)

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The usual form: digits, and up to three behind a point. False for others. */
static bool
short_form(struct k_run *r, struct tl_str s, int64_t *ns)
{
	static const int64_t scale[] = { 0, 100, 10, 1 };
	const char *p = s.p, *end = s.p + s.n, *from;
	bool neg = p < end && *p == '-';
	int64_t whole = 0, part = 0;

	p += neg;
	from = p;
	while (p < end && is_digit(*p) && p - from < MAX_DIGITS)
		whole = whole * 10 + (*p++ - '0');
	if (p == from || whole > MAX_WHOLE)
		return false;
	if (p < end) {
		size_t n;

		if (*p++ != '.' || p == end || end - p > 3)
			return false;
		for (from = p; p < end && is_digit(*p); p++)
			part = part * 10 + (*p - '0');
		if (p < end)
			return false;
		n = (size_t)(end - from);
		r->n_frac3 += n == 3;
		if (n == 2 && end[-1] == '0')
			k_note(&r->notes, K_SHORT_FRACTION, K_NOWHERE);
		if (!r->frac_is_ns)
			part *= scale[n];
	}
	*ns = whole * 1000 + part;
	if (neg)
		*ns = -*ns;
	return true;
}

bool
k_time(struct k_run *r, struct tl_str text, uint64_t off, int64_t *ns)
{
	if (short_form(r, text, ns))
		return true;
	switch (tl_num_us_ns(text, ns)) {
	case TL_NUM_EXACT:
		return true;
	case TL_NUM_CUT:
		k_note(&r->notes, K_TIME_CUT, off);
		return true;
	default:
		return false;
	}
}
