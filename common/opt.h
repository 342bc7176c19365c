#ifndef TL_OPT_H
#define TL_OPT_H

#include <stdint.h>

#include "err.h"

/* What a tool says about itself. */
struct tl_tool {
	const char *name;
	const char *optstring; /* for getopt(3); has "hV", begins with ":" */
	const char *usage;     /* one line, without the name */
	const char *help;      /* lines of "  -x  meaning\n", for -h */
};

/* First act of main: SIGPIPE's default action, no standard descriptor free for
 * the next file, the C locale stays, the name for messages. */
void tl_xstart(const struct tl_tool *tool);

/* getopt(3) that has dealt with -h, -V, --help, --version (exit 0) and with
 * unknown options and missing arguments (exit 2). Answers the option's letter,
 * or -1 when optind is the first operand. */
int tl_xgetopt(const struct tl_tool *tool, int argc, char *const *argv);

/* Wrong usage: message, usage line, exit 2. */
TL_NORETURN void tl_die_opt(const struct tl_tool *tool, const char *fmt, ...)
    TL_PRINTF(2, 3);

/* Default of -S, the memory budget in bytes. */
#define TL_BUDGET ((uint64_t)512 << 20)

/* Argument of -S: digits with K, M or G behind, at least 1M; exits 2. */
uint64_t tl_xopt_budget(const struct tl_tool *tool, const char *arg);

/* Argument that is a whole number within [min, max]; exits 2. */
uint64_t tl_xopt_u64(const struct tl_tool *tool, char letter, const char *arg,
    uint64_t min, uint64_t max);

#endif
