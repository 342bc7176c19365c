#ifndef TAP_H
#define TAP_H

/* Test Anything Protocol for unit programs: tap(condition, "what") for each
 * point, return tap_done() from main. */

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_n, tap_failed;

__attribute__((format(printf, 2, 3))) static inline bool
tap(bool ok, const char *fmt, ...)
{
	va_list ap;

	tap_failed += !ok;
	printf("%sok %d - ", ok ? "" : "not ", ++tap_n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return ok;
}

static inline int
tap_done(void)
{
	printf("1..%d\n", tap_n);
	return tap_failed == 0 && fflush(stdout) == 0 ? 0 : 1;
}

#endif
