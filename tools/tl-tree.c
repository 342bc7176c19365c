/*
 * tl-tree: prints the tree that tl-recover found.
 *
 * In: a stream. Out: text, Markdown, TSV or folded stacks. Kept: the pos
 * records (about 160 bytes each), sums over the occ records, notes, labels
 * once; the events of positions in a spool, for the steps that may follow; for
 * folded stacks times of device events. All else is skipped unparsed.
 * Nothing is written before the end record was seen.
 */
#include "tl-tree.h"

#include <unistd.h>

#include "opt.h"

static const struct tl_tool tool = {
	.name = "tl-tree",
	.optstring = ":ad:F:ho:qtVvw",
	.usage = "[-aqtvw] [-d depth] [-F text|md|tsv|folded] [-o file] [stream]",
	.help =
	    "  -a         show all positions, nothing folded\n"
	    "  -d depth   show positions down to this depth; the root has 0\n"
	    "  -F format  text (default), md, tsv, or folded stacks\n"
	    "  -h         this help\n"
	    "  -o file    write to file, whole or not at all\n"
	    "  -q         no info notes, no explanations\n"
	    "  -t         take a stream without its end record\n"
	    "  -V         version\n"
	    "  -v         say how much was read\n"
	    "  -w         print names whole\n",
};

enum format { TEXT, MD, TSV, FOLDED };

static struct tree_opt opt = { .depth = UINT32_MAX };
static enum format format;
static const char *out_path;
static bool tolerate;

static enum format
format_of(const char *arg)
{
	static const char *const names[] = { "text", "md", "tsv", "folded" };
	char q[TL_QUOTE_SIZE];

	for (int i = 0; i < 4; i++)
		if (strcmp(arg, names[i]) == 0)
			return (enum format)i;
	tl_die_opt(&tool, "option '-F': bad format '%s': must be text, md, "
	    "tsv or folded", tl_quote(q, sizeof q, arg, strlen(arg)));
}

static void
options(int argc, char **argv)
{
	int c;

	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'a':
			opt.all = true;
			break;
		case 'd':
			opt.depth = (uint32_t)tl_xopt_u64(&tool, 'd', optarg,
			    0, UINT32_MAX - 1);
			break;
		case 'F':
			format = format_of(optarg);
			break;
		case 'o':
			out_path = optarg;
			break;
		case 'q':
			opt.quiet = true;
			break;
		case 't':
			tolerate = true;
			break;
		case 'v':
			opt.verbose = true;
			break;
		case 'w':
			opt.whole = true;
			break;
		}
	}
	if (argc - optind > 1)
		tl_die_opt(&tool, "one stream at a time");
	if ((format == TSV || format == FOLDED) && opt.depth != UINT32_MAX)
		tl_die_opt(&tool, "option '-d': does not go with -F %s, which "
		    "is always complete", format == TSV ? "tsv" : "folded");
}

/* Notes beside a table for programs. */
static void
warn_notes(const struct tree *t)
{
	for (size_t i = 0; i < t->n_notes; i++) {
		const struct tree_note *n = &t->note[i];

		if (!tree_note_is_info(n))
			tl_msg("note: %.*s: %.*s: %.*s", (int)n->severity.n,
			    n->severity.p, (int)n->code.n, n->code.p,
			    (int)n->text.n, n->text.p);
	}
	if (t->cut)
		tl_msg("note: the stream ended without a right end record");
}

int
main(int argc, char **argv)
{
	struct tree t = { 0 };
	struct tl_out out;
	const char *in_path;

	tl_xstart(&tool);
	options(argc, argv);
	in_path = argv[optind];
	tl_xout_not_input(out_path, in_path);
	if (format == FOLDED)
		t.own = tree_xown_new();
	tree_xread(&t, in_path, tolerate);
	if (opt.verbose)
		tl_msg("%llu lines, %zu positions in %zu scopes",
		    (unsigned long long)t.n_lines, t.n_pos, t.n_scopes);
	if (!opt.all && (format == TEXT || format == MD))
		tree_xdrop_absent(&t);
	tree_xselect(&t, &opt);
	tl_xout_open(&out, out_path);
	switch (format) {
	case TEXT:
		tree_xtext(&t, &opt, &out);
		break;
	case MD:
		tree_xmd(&t, &opt, &out);
		break;
	case TSV:
		tree_xtsv(&t, &out);
		warn_notes(&t);
		break;
	case FOLDED:
		tree_xfolded(&t, &opt, &out);
		warn_notes(&t);
		break;
	}
	tl_xout_close(&out);
	tree_free(&t);
	return 0;
}
