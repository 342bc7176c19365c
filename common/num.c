#include "num.h"

bool
tl_num_u64(const char **p, const char *end, uint64_t *v)
{
	const char *s = *p;
	uint64_t n = 0;

	if (s == end || *s < '0' || *s > '9')
		return false;
	if (*s == '0' && s + 1 < end && s[1] >= '0' && s[1] <= '9')
		return false;
	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		uint64_t d = (uint64_t)(*s - '0');

		if (s - *p >= 19 && (n > UINT64_MAX / 10 ||
		    n * 10 > UINT64_MAX - d))
			return false;
		n = n * 10 + d;
	}
	*v = n;
	*p = s;
	return true;
}

bool
tl_num_i64(const char **p, const char *end, int64_t *v)
{
	const char *s = *p;
	bool neg = s < end && *s == '-';
	uint64_t u;

	s += neg;
	if (!tl_num_u64(&s, end, &u) || (neg && u == 0) ||
	    u > (uint64_t)INT64_MAX + neg)
		return false;
	*v = neg ? (int64_t)(0 - u) : (int64_t)u;
	*p = s;
	return true;
}

bool
tl_num_str_i64(struct tl_str s, int64_t *v)
{
	const char *p = s.p;

	return tl_num_i64(&p, s.p + s.n, v) && p == s.p + s.n;
}

bool
tl_num_str_u64(struct tl_str s, uint64_t *v)
{
	const char *p = s.p;

	return tl_num_u64(&p, s.p + s.n, v) && p == s.p + s.n;
}

/* The parts of a JSON-like number. */
struct dec {
	bool neg;
	const char *digits; /* integer digits, then a '.' if any, then more */
	size_t n_int, n_frac;
	int exp10;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
dec_split(struct tl_str s, struct dec *d)
{
	size_t i = 0;

	*d = (struct dec){ 0 };
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		d->neg = s.p[i++] == '-';
	d->digits = s.p + i;
	for (; i < s.n && is_digit(s.p[i]); i++)
		d->n_int++;
	if (i < s.n && s.p[i] == '.')
		for (i++; i < s.n && is_digit(s.p[i]); i++)
			d->n_frac++;
	if (d->n_int + d->n_frac == 0)
		return false;
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		bool neg = ++i < s.n && s.p[i] == '-';
		size_t first;

		i += i < s.n && (s.p[i] == '-' || s.p[i] == '+');
		for (first = i; i < s.n && is_digit(s.p[i]); i++)
			if (d->exp10 < 10000)
				d->exp10 = d->exp10 * 10 + (s.p[i] - '0');
		if (i == first)
			return false;
		d->exp10 = neg ? -d->exp10 : d->exp10;
	}
	return i == s.n;
}

/* Digit number k of the number without its decimal point, 0 behind its end. */
static unsigned
dec_digit(const struct dec *d, size_t k)
{
	if (k < d->n_int)
		return (unsigned)(d->digits[k] - '0');
	if (k < d->n_int + d->n_frac)
		return (unsigned)(d->digits[k + 1] - '0');
	return 0;
}

enum tl_num_us
tl_num_us_ns(struct tl_str s, int64_t *ns)
{
	struct dec d;
	uint64_t n = 0, max;
	size_t all, whole = 0;
	long shift;
	bool cut = false;

	if (!dec_split(s, &d))
		return TL_NUM_BAD;
	max = (uint64_t)INT64_MAX + d.neg;
	all = d.n_int + d.n_frac;
	/* the number of digits that stand for whole nanoseconds */
	shift = (long)d.n_int + 3 + d.exp10;
	if (shift > 0)
		whole = (size_t)shift;
	for (size_t k = 0; k < whole && (k < all || n != 0); k++) {
		unsigned v = dec_digit(&d, k);

		if (n > max / 10 || n * 10 > max - v)
			return TL_NUM_OVERFLOW;
		n = n * 10 + v;
	}
	for (size_t k = whole; k < all; k++)
		cut |= dec_digit(&d, k) != 0;
	*ns = d.neg ? (int64_t)(0 - n) : (int64_t)n;
	return cut ? TL_NUM_CUT : TL_NUM_EXACT;
}

bool
tl_num_size(const char *s, uint64_t *v)
{
	const char *end = s + strlen(s);
	unsigned shift = 0;

	if (!tl_num_u64(&s, end, v))
		return false;
	if (end - s == 1)
		shift = *s == 'K' ? 10 : *s == 'M' ? 20 : *s == 'G' ? 30 : 0;
	if (s != end && shift == 0)
		return false;
	if (*v > UINT64_MAX >> shift)
		return false;
	*v <<= shift;
	return true;
}

size_t
tl_num_put_u64(char *out, uint64_t v)
{
	static const char pairs[] =
	    "00010203040506070809101112131415161718192021222324"
	    "25262728293031323334353637383940414243444546474849"
	    "50515253545556575859606162636465666768697071727374"
	    "75767778798081828384858687888990919293949596979899";
	char tmp[20];
	size_t at = sizeof tmp, n;

	while (v >= 100) {
		const char *two = pairs + v % 100 * 2;

		v /= 100;
		tmp[--at] = two[1];
		tmp[--at] = two[0];
	}
	if (v >= 10) {
		tmp[--at] = pairs[v * 2 + 1];
		tmp[--at] = pairs[v * 2];
	} else {
		tmp[--at] = (char)('0' + v);
	}
	n = sizeof tmp - at;
	memcpy(out, tmp + at, n);
	return n;
}

size_t
tl_num_put_i64(char *out, int64_t v)
{
	if (v >= 0)
		return tl_num_put_u64(out, (uint64_t)v);
	*out = '-';
	return 1 + tl_num_put_u64(out + 1, 0 - (uint64_t)v);
}
