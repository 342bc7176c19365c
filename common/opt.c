#include "opt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ev.h"
#include "io.h"
#include "num.h"
#include "version.h"

/* A standard descriptor that is closed must not go to the next file that is
 * opened: messages or records would land in it. What is put there fails like
 * a closed one. */
static void
hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
		    O_RDONLY) < 0)
			exit(1);
}

void
tl_xstart(const struct tl_tool *tool)
{
	signal(SIGPIPE, SIG_DFL);
	/* a file past the limit is a failed write, with a message */
	signal(SIGXFSZ, SIG_IGN);
	hold_standard();
	tl_prog = tool->name;
}

/* What -h and -V print: checked like any output. */
TL_NORETURN static void
say(const char *text)
{
	struct tl_out out;

	tl_xout_open(&out, NULL);
	tl_xout_puts(&out, text);
	tl_xout_close(&out);
	exit(0);
}

TL_NORETURN static void
help(const struct tl_tool *tool)
{
	char text[8192];

	snprintf(text, sizeof text, "usage: %s %s\n%s", tool->name,
	    tool->usage, tool->help);
	say(text);
}

TL_NORETURN static void
version(const struct tl_tool *tool)
{
	char text[256];

	snprintf(text, sizeof text, "%s %s (stream %d)\n", tool->name,
	    TL_VERSION, TL_EV_VERSION);
	say(text);
}

void
tl_die_opt(const struct tl_tool *tool, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tl_msg("%s", text);
	fprintf(stderr, "usage: %s %s\n", tool->name, tool->usage);
	exit(2);
}

int
tl_xgetopt(const struct tl_tool *tool, int argc, char *const *argv)
{
	char q[TL_QUOTE_SIZE], letter;
	int c;

	if (optind < argc && strcmp(argv[optind], "--help") == 0)
		help(tool);
	if (optind < argc && strcmp(argv[optind], "--version") == 0)
		version(tool);
	c = getopt(argc, argv, tool->optstring);
	letter = (char)optopt;
	switch (c) {
	case 'h':
		help(tool);
	case 'V':
		version(tool);
	case ':':
		tl_die_opt(tool, "option '-%c': needs an argument", letter);
	case '?':
		tl_die_opt(tool, "option '-%s': unknown",
		    tl_quote(q, sizeof q, &letter, 1));
	case 'o':
		if (*optarg == '\0')
			tl_die_opt(tool, "option '-o': is empty");
		return c;
	default:
		return c;
	}
}

uint64_t
tl_xopt_budget(const struct tl_tool *tool, const char *arg)
{
	char q[TL_QUOTE_SIZE];
	uint64_t v;

	if (!tl_num_size(arg, &v) || v < (uint64_t)1 << 20 || v > SIZE_MAX / 2)
		tl_die_opt(tool, "option '-S': bad size '%s': must be 1M or "
		    "more, in bytes or with K, M or G behind",
		    tl_quote(q, sizeof q, arg, strlen(arg)));
	return v;
}

uint64_t
tl_xopt_u64(const struct tl_tool *tool, char letter, const char *arg,
    uint64_t min, uint64_t max)
{
	char q[TL_QUOTE_SIZE];
	uint64_t v;

	if (!tl_num_str_u64((struct tl_str){ arg, strlen(arg) }, &v) ||
	    v < min || v > max)
		tl_die_opt(tool, "option '-%c': bad number '%s': must be %llu "
		    "to %llu", letter, tl_quote(q, sizeof q, arg, strlen(arg)),
		    (unsigned long long)min, (unsigned long long)max);
	return v;
}
