#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "esc.h"

const char *tl_prog = "tl";

void
tl_err_set(struct tl_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
}

char *
tl_quote(char *buf, size_t size, const char *s, size_t len)
{
	size_t max = size - 4 < 80 ? size - 4 : 80;
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		size_t u = tl_utf8_len(s + i, len - i);
		unsigned char c = (unsigned char)s[i];
		size_t need = u == 0 || c < 0x20 || c == 0x7f || c == '\\' ?
		    4 : u;

		if (n + need > max) {
			memcpy(buf + n, "...", 4);
			return buf;
		}
		if (need == 4 && (u == 0 || u == 1)) {
			snprintf(buf + n, size - n, "\\x%02X", c);
			i++;
		} else {
			memcpy(buf + n, s + i, need);
			i += need;
		}
		n += need;
	}
	buf[n] = '\0';
	return buf;
}

TL_PRINTF(1, 0) static void
vmsg(const char *fmt, va_list ap)
{
	char line[1024];
	int n = snprintf(line, sizeof line, "%s: ", tl_prog);
	size_t len = n < 0 ? 0 : (size_t)n;

	n = vsnprintf(line + len, sizeof line - len - 1, fmt, ap);
	if (n > 0)
		len += (size_t)n;
	if (len > sizeof line - 2)
		len = sizeof line - 2;
	/* a file's name may hold anything, and a message is one line */
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* there is nowhere left to say it */
}

void
tl_msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmsg(fmt, ap);
	va_end(ap);
}

void
tl_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmsg(fmt, ap);
	va_end(ap);
	exit(1);
}

void
tl_die_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmsg(fmt, ap);
	va_end(ap);
	exit(2);
}
