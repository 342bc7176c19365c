/* Filter. Reads what a program wrote of its scheduler, then a stream; ties
 * calls and device events to steps by markers and launch identity (context,
 * json, step, request, exec, work, link). Keeps some 60 bytes a device event
 * and 90 a call. */

#include <unistd.h>

#include "opt.h"
#include "tl-context.h"

#define OPTS ":hVqvi:o:Ptf"

static const struct tl_tool tool = {
	.name = "tl-context",
	.optstring = OPTS,
	.usage = "[-hVqvPtf] [-i STREAM] [-o FILE] CONTEXT...",
	.help =
	    "Adds the steps of a scheduler to a stream, from files of JSON "
	    "lines, and\n"
	    "ties device events to them: records context to link.\n"
	    "  -f         drop what an earlier run added and do it again\n"
	    "  -i STREAM  read this stream, not standard input\n"
	    "  -o FILE    write to FILE, not to standard output\n"
	    "  -P         leave out the #prog line\n"
	    "  -t         accept a stream without an end record\n"
	    "  -q, -v     say less, say more on standard error\n"
	    "  -h, -V     this help, the version\n",
};

int
main(int argc, char **argv)
{
	struct tl_filter f = {
		.own = 1U << TL_CONTEXT | 1U << TL_JSON | 1U << TL_STEP |
		    1U << TL_REQUEST | 1U << TL_EXEC | 1U << TL_WORK |
		    1U << TL_LINK,
		.done_word = "with context", .note_prefix = "context_",
		.argc = argc, .argv = argv,
		.in.want = 1U << TL_KERNEL | 1U << TL_MEMCPY | 1U << TL_MEMSET |
		    1U << TL_SYNC | 1U << TL_GRAPH | 1U << TL_TASK |
		    1U << TL_API | 1U << TL_OP | 1U << TL_RANGE,
	};
	const char *in = NULL, *out = NULL;
	bool tolerate = false, verbose = false;
	struct ctx ctx = { .n_files = 0 };
	int c;

	tl_xstart(&tool);
	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'v':
			verbose = true;
			break;
		case 'i':
			in = optarg;
			break;
		case 'o':
			out = optarg;
			break;
		case 'P':
			f.no_prog = true;
			break;
		case 't':
			tolerate = true;
			break;
		case 'f':
			f.redo = true;
			break;
		default: /* -q: there is nothing to say less of */
			break;
		}
	}
	if (optind == argc)
		tl_die_opt(&tool, "no operand: one file of context at least");
	for (int i = optind; i < argc; i++) {
		if (strcmp(argv[i], "-") == 0)
			tl_die_opt(&tool, "operand '-': standard input is the "
			    "stream");
		tl_xout_not_input(out, argv[i]);
	}
	ctx_read(&ctx, (const char *const *)(argv + optind),
	    (size_t)(argc - optind));
	tl_xfilter_open(&f, in, out, tolerate);
	ctx_gather(&ctx, &f);
	ctx_scopes(&ctx);
	ctx_link(&ctx);
	ctx_write(&ctx, &f.out);
	if (verbose)
		tl_msg("%zu steps, %zu executions, %zu device events",
		    ctx.n_steps, ctx.n_execs, ctx.n_events);
	ctx_free(&ctx);
	tl_xfilter_end(&f);
	return 0;
}
