#include "tl-tree.h"

#include <stdio.h>

#include "num.h"

/* Digits with a comma between groups of three. */
const char *
tree_count(char *buf, int64_t n)
{
	char digits[TREE_CELL], *to = buf;
	size_t len;

	if (n == TREE_NONE)
		return strcpy(buf, ".");
	len = tl_num_put_i64(digits, n);
	for (size_t i = 0; i < len; i++) {
		*to++ = digits[i];
		if (digits[i] != '-' && i + 1 < len && (len - i - 1) % 3 == 0)
			*to++ = ',';
	}
	*to = '\0';
	return buf;
}

/* Four digits in the smallest unit that has room for them, rounded half up. */
const char *
tree_time(char *buf, int64_t ns)
{
	static const struct {
		uint64_t step;
		unsigned per_unit;
		int decimals;
		const char *unit;
	} form[] = {
		{ 1, 1000, 3, "us" }, { 10, 100, 2, "us" },
		{ 100, 10, 1, "us" }, { 1000, 1000, 3, "ms" },
		{ 10000, 100, 2, "ms" }, { 100000, 10, 1, "ms" },
		{ 1000000, 1000, 3, "s" }, { 10000000, 100, 2, "s" },
		{ 100000000, 10, 1, "s" }, { 1000000000, 1, 0, "s" },
	};
	uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, v;
	char whole[TREE_CELL], frac[] = ".\0\0\0";
	size_t i = 0, last = sizeof form / sizeof *form - 1;

	if (ns == TREE_NONE)
		return strcpy(buf, ".");
	if (abs < 1000) {
		snprintf(buf, TREE_CELL, "%d ns", (int)ns);
		return buf;
	}
	while ((v = (abs + form[i].step / 2) / form[i].step) >= 10000 &&
	    i < last)
		i++;
	tree_count(whole, (int64_t)(v / form[i].per_unit));
	v %= form[i].per_unit;
	for (int d = form[i].decimals; d > 0; d--, v /= 10)
		frac[d] = (char)('0' + v % 10);
	snprintf(buf, TREE_CELL, "%s%.16s%s %s", ns < 0 ? "-" : "", whole,
	    form[i].decimals > 0 ? frac : "", form[i].unit);
	return buf;
}

const char *
tree_about(char *buf, int64_t ns)
{
	int64_t step = 1;
	char time[TREE_CELL];
	size_t n;

	if (ns == TREE_NONE)
		return strcpy(buf, ".");
	while (ns / step >= 1000 || ns / step <= -1000)
		step *= 10;
	if (step > 1)
		ns = (ns + (ns < 0 ? -step : step) / 2) / step * step;
	tree_time(time, ns);
	/* the last of four digits, which is 0 now, goes, and a point alone */
	n = strcspn(time, " ");
	if (memchr(time, '.', n) != NULL) {
		size_t m = n - (time[n - 2] == '.' ? 2 : 1);

		memmove(time + m, time + n, strlen(time + n) + 1);
	}
	snprintf(buf, TREE_CELL, "~%.30s", time);
	return buf;
}

const char *
tree_part(char *buf, int64_t ns, int64_t whole_ns)
{
	int64_t tenths;

	if (ns == TREE_NONE || ns < 0 || whole_ns <= 0)
		return strcpy(buf, ".");
	while (ns > INT64_MAX / 1001 || whole_ns > INT64_MAX / 1001) {
		ns >>= 1;
		whole_ns >>= 1;
	}
	if (whole_ns == 0)
		return strcpy(buf, "."); /* a part far past its whole */
	tenths = (ns * 1000 + whole_ns / 2) / whole_ns;
	if (ns == 0)
		return strcpy(buf, "0%");
	if (ns == whole_ns)
		return strcpy(buf, "100%");
	if (tenths == 0)
		return strcpy(buf, "<0.1%");
	if (tenths == 1000)
		return strcpy(buf, ns < whole_ns ? ">99.9%" : "100.1%");
	snprintf(buf, TREE_CELL, "%lld.%d%%", (long long)(tenths / 10),
	    (int)(tenths % 10));
	return buf;
}

const char *
tree_pos_text(char *buf, uint32_t number)
{
	snprintf(buf, TREE_CELL, "N%03u", (unsigned)number);
	return buf;
}
