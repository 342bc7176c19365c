/* Filter. Reads a stream, finds graph launches, and adds which events each one
 * caused (launch, member) and which of them ran the same graph (unit). Keeps
 * some 64 bytes a device event and a call, of those with a correlation. */

#include <unistd.h>

#include "opt.h"
#include "tl-replay.h"

#define OPTS ":hVqvc:o:Ptf"

#define MAX_WORDS 32

static const struct tl_tool tool = {
	.name = "tl-replay",
	.optstring = OPTS,
	.usage = "[-hVqvPtf] [-c WORD] [-o FILE] [STREAM]",
	.help =
	    "Adds the graph launches of a stream: records unit, launch, "
	    "member.\n"
	    "  -c WORD   calls with WORD in their name launch graphs, too\n"
	    "  -f        drop what an earlier run added and do it again\n"
	    "  -o FILE   write to FILE, not to standard output\n"
	    "  -P        leave out the #prog line\n"
	    "  -t        accept a stream without an end record\n"
	    "  -q, -v    say less, say more on standard error\n"
	    "  -h, -V    this help, the version\n",
};

int
main(int argc, char **argv)
{
	struct tl_filter f = {
		.own = 1U << TL_LAUNCH | 1U << TL_UNIT | 1U << TL_MEMBER,
		.done_word = "replayed", .note_prefix = "replay_",
		.argc = argc, .argv = argv,
		.in.want = 1U << TL_KERNEL | 1U << TL_MEMCPY | 1U << TL_MEMSET |
		    1U << TL_SYNC | 1U << TL_GRAPH | 1U << TL_TASK |
		    1U << TL_API,
	};
	const char *word[MAX_WORDS], *out = NULL;
	struct rep_capture cap = { .words = word };
	bool tolerate = false, verbose = false;
	int c;

	tl_xstart(&tool);
	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'v':
			verbose = true;
			break;
		case 'c':
			if (*optarg == '\0' || cap.n_words == MAX_WORDS)
				tl_die_opt(&tool, "option '-c': needs a word, "
				    "%d at most", MAX_WORDS);
			word[cap.n_words++] = optarg;
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
	if (argc - optind > 1)
		tl_die_opt(&tool, "operand '%s': one stream at most",
		    argv[optind + 1]);
	tl_xfilter_open(&f, optind < argc ? argv[optind] : NULL, out,
	    tolerate);
	rep_gather(&cap, &f);
	rep_calls(&cap);
	rep_acl(&cap);
	rep_group(&cap);
	rep_units(&cap);
	rep_place(&cap);
	rep_write(&cap, &f.out);
	if (verbose)
		tl_msg("%zu launches, %zu units", cap.n_launches, cap.n_units);
	rep_capture_free(&cap);
	tl_xfilter_end(&f);
	return 0;
}
