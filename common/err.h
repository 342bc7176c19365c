#ifndef TL_ERR_H
#define TL_ERR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define TL_MUST_USE __attribute__((warn_unused_result))
#define TL_NORETURN __attribute__((noreturn))
#else
#define TL_PRINTF(f, a)
#define TL_MUST_USE
#define TL_NORETURN
#endif

/* What a parser answers. End of input and failure are different answers, so
 * that no caller can take one for the other by testing a sign. */
enum tl_status { TL_OK, TL_EOF, TL_ERR };

/* Why a parser answered TL_ERR. msg is the part of the message behind the
 * tool's name, "place: what 'subject': cause", without a newline. line and off
 * are where the fault is (1-based line, 0-based byte), 0 where that has no
 * meaning. */
struct tl_err {
	char msg[512];
	uint64_t line, off;
};

/* Sets err->msg; a longer text is cut. Leaves line and off alone. */
void tl_err_set(struct tl_err *err, const char *fmt, ...) TL_PRINTF(2, 3);

/* Writes s[0..len) as a message shows it into buf[0..size), NUL-terminated:
 * control bytes, backslash and bytes that are not UTF-8 as \xHH, cut at 80
 * bytes of output with "..." behind. Returns buf. size must be at least 8. */
char *tl_quote(char *buf, size_t size, const char *s, size_t len);
#define TL_QUOTE_SIZE 96

/* Program name that messages begin with. The one variable of common/ that is
 * set from outside (by tl_xgetopt, once). */
extern const char *tl_prog;

/* Writes "PROG: MESSAGE\n" to standard error with a single write(2), control
 * bytes as "?". */
void tl_msg(const char *fmt, ...) TL_PRINTF(1, 2);

/* tl_msg and exit. 1: bad or incomplete input, failed input or output; 2:
 * wrong usage. Temporary files are removed on the way (tmp.h). */
TL_NORETURN void tl_die(const char *fmt, ...) TL_PRINTF(1, 2);
TL_NORETURN void tl_die_usage(const char *fmt, ...) TL_PRINTF(1, 2);

#endif
