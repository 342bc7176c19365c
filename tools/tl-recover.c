/* Filter. Reads a stream, finds in each scope what repeats, and adds the tree
 * of positions (pos), its measured realisations (occ) and the place of every
 * event in it (real). Keeps some 40 bytes a device event and 32 a call; the
 * lines themselves are passed on and forgotten. */

#include <stdlib.h>
#include <unistd.h>

#include "opt.h"
#include "tl-recover_rules.h"
#include "tl-recover_tree.h"

#define OPTS ":hVqvo:Ptfm:r:O:"

#define MAX_RULES 64

static const struct tl_tool tool = {
	.name = "tl-recover",
	.optstring = OPTS,
	.usage = "[-hVqvPtf] [-m PERCENT] [-r FILE]... [-O launch|start] "
	    "[-o FILE] "
	    "[STREAM]",
	.help =
	    "Adds the loops of a stream: records pos, occ, real, variant, dev."
	    "\n"
	    "  -m PERCENT  of a loop's events may deviate (10), 0: none\n"
	    "  -O ORDER  launch (default), or start: by device start time\n"
	    "  -f        drop what an earlier run added and do it again\n"
	    "  -o FILE   write to FILE, not to standard output\n"
	    "  -r FILE   rules, see tl-rules(5); may be given several times\n"
	    "  -P        leave out the #prog line\n"
	    "  -t        accept a stream without an end record\n"
	    "  -q, -v    say less, say more on standard error\n"
	    "  -h, -V    this help, the version\n",
};

static struct {
	const char *out;
	uint32_t percent;
	bool by_start, tolerate, verbose, quiet;
	const char *rules[MAX_RULES];
	size_t n_rules;
} opt = { .percent = REC_NEAR_DEFAULT };

static void
parse_options(struct tl_filter *f, int argc, char **argv)
{
	int c;

	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'q':
			opt.quiet = true;
			break;
		case 'v':
			opt.verbose = true;
			break;
		case 'o':
			opt.out = optarg;
			break;
		case 'P':
			f->no_prog = true;
			break;
		case 't':
			opt.tolerate = true;
			break;
		case 'f':
			f->redo = true;
			break;
		case 'r':
			if (opt.n_rules == MAX_RULES)
				tl_die_opt(&tool, "option '-r': %d files at "
				    "most", MAX_RULES);
			opt.rules[opt.n_rules++] = optarg;
			break;
		case 'm':
			opt.percent = (uint32_t)tl_xopt_u64(&tool, 'm',
			    optarg, 0, REC_NEAR_MOST);
			break;
		case 'O':
			opt.by_start = strcmp(optarg, "start") == 0;
			if (!opt.by_start && strcmp(optarg, "launch") != 0)
				tl_die_opt(&tool, "option '-O': bad order "
				    "'%s': must be launch or start", optarg);
			break;
		}
	}
	if (argc - optind > 1)
		tl_die_opt(&tool, "operand '%s': one stream at most",
		    argv[optind + 1]);
	f->argc = argc;
	f->argv = argv;
}

/* What the recovered order is, scope by scope. */
static void
note_order(struct tl_evout *out, struct tl_str name, const struct rec_scope *s)
{
	if (s->n_part == 0) {
		tl_xevout_note(out, TL_WARN, "recover_no_kernels", 0,
		    "%.*s: no kernel takes part in the structure",
		    (int)name.n, name.p);
		return;
	}
	if (opt.by_start || s->n_placed == s->n_part) {
		tl_xevout_note(out, opt.by_start ? TL_INFO : TL_WARN,
		    "recover_order_start", (int64_t)s->n_part,
		    "%.*s: events are in order of device start%s",
		    (int)name.n, name.p, opt.by_start ? " (-O start)" :
		    ", since none has a usable correlation id");
		return;
	}
	tl_xevout_note(out, TL_INFO, "recover_order_launch",
	    (int64_t)s->n_part, "%.*s: events are in launch order "
	    "(correlation, then start)", (int)name.n, name.p);
	if (s->n_placed > 0)
		tl_xevout_note(out, TL_WARN, "recover_placed",
		    (int64_t)s->n_placed, "%.*s: events without a usable "
		    "correlation id were placed by their start",
		    (int)name.n, name.p);
}

static void
note_structure(struct tl_evout *out, struct tl_str name,
    const struct rec_place *place, const struct rec_tree *tree)
{
	static const char *const evidence[REC_N_PHASE] = {
		"no other start possible", "step marks", "host gaps",
		"nothing, so the first possible event",
	};

	bool any = place->n_pos == 1;

	for (size_t i = 0; i < place->n_pos && !any; i++)
		any = place->pos[i].kind == REC_POS_LOOP;
	if (!any)
		tl_xevout_note(out, TL_INFO, "recover_no_loops", TL_NONE,
		    "%.*s: nothing repeats beyond chance", (int)name.n,
		    name.p);
	for (int i = 0; i < REC_N_PHASE; i++)
		if (tree->stat.phase[i] > 0)
			tl_xevout_note(out, TL_INFO, "recover_phase",
			    tree->stat.phase[i], "%.*s: loop bodies whose "
			    "first event was chosen by: %s", (int)name.n,
			    name.p, evidence[i]);
	if (tree->stat.budget)
		tl_xevout_note(out, TL_WARN, "recover_budget", TL_NONE,
		    "%.*s: the search for sequences that recur apart was cut "
		    "short; some may be missing", (int)name.n, name.p);
}

static void
note_deviations(struct tl_evout *out, struct tl_str name,
    const struct rec_place *place)
{
	static const char *const kinds[] = { "", "extra", "missing",
		"replaced" };
	int64_t n[4] = { 0 };

	for (size_t i = 0; i < place->n_dev; i++)
		n[place->dev[i].kind]++;
	for (int i = REC_NEAR_EXTRA; i <= REC_NEAR_REPLACED; i++)
		if (n[i] > 0)
			tl_xevout_note(out, TL_INFO, "recover_near", n[i],
			    "%.*s: deviations from the bodies of loops: %s",
			    (int)name.n, name.p, kinds[i]);
}

static struct tl_costs *
costs_of(const struct rec_scope *s)
{
	struct tl_costs *c = tl_xcosts_new();

	for (size_t i = 0; i < s->n; i++) {
		const struct rec_event *e = &s->ev[i];

		if (!(e->flags & REC_GONE))
			tl_xcosts_add(c, e->start_ns, e->end_ns,
			    (enum tl_class)e->cls, e->flags & REC_GRAPH);
	}
	tl_xcosts_ready(c);
	return c;
}

static void
recover_scope(struct tl_evout *out, const struct rec_capture *cap,
    struct rec_scope *s, struct rec_rules *rules)
{
	char *text = rec_scope_name(cap, s);
	struct tl_str name = { text, strlen(text) };
	struct rec_tree tree;
	struct rec_place place;
	struct rec_near near;
	struct tl_costs *costs;
	struct rec_seq seq;

	rec_order(cap, s, opt.by_start);
	seq = (struct rec_seq){ .n = s->n_items,
	    .sym = s->item_sym,
	    .n_sym = cap->sym_replay + (uint32_t)cap->n_units,
	    .gap_ns = s->gap_ns, .mark = s->n_marks > 0 ? s->mark : NULL };
	if (rec_rules_any(rules)) {
		near = (struct rec_near){ .n_edit = 0 };
		rec_rules_recover(&tree, rules, cap, s, &seq);
	} else {
		rec_near_recover(&tree, &near, &seq, opt.percent);
	}
	costs = costs_of(s);
	rec_place_new(&place, &tree, &near, cap, s);
	note_order(out, name, s);
	note_structure(out, name, &place, &tree);
	note_deviations(out, name, &place);
	rec_write(out, name, cap, s, &tree, &place, costs);
	if (opt.verbose)
		tl_msg("%s: %zu events in order, %zu positions, %zu "
		    "occurrences", text, s->n_order, place.n_pos, place.n_occ);
	rec_place_free(&place);
	tl_costs_free(costs);
	rec_tree_free(&tree);
	rec_near_free(&near);
	rec_order_free(s);
	free(text);
}

/* Whether steps are known is found out before anything is written. */
static void
check_steps(struct rec_rules *rules, const struct rec_capture *cap,
    struct rec_scope *s)
{
	uint32_t *part;

	rec_order(cap, s, opt.by_start);
	part = tl_xcalloc(s->n_items, sizeof *part);
	rec_context_split(rules->context, cap, s, part);
	free(part);
	rec_order_free(s);
}

int
main(int argc, char **argv)
{
	struct tl_filter f = {
		.own = 1U << TL_POS | 1U << TL_OCC | 1U << TL_REAL |
		    1U << TL_VARIANT | 1U << TL_DEV,
		.done_word = "recovered", .note_prefix = "recover_",
		.in.want = 1U << TL_KERNEL | 1U << TL_MEMCPY | 1U << TL_MEMSET |
		    1U << TL_SYNC | 1U << TL_GRAPH | 1U << TL_TASK |
		    1U << TL_API | 1U << TL_OP | 1U << TL_RANGE,
	};
	struct rec_capture cap = { .n_scopes = 0 };
	struct rec_rules rules;

	tl_xstart(&tool);
	parse_options(&f, argc, argv);
	rec_rules_open(&rules, opt.rules, opt.n_rules);
	cap.rules = &rules;
	f.hold = rules.context != NULL;
	f.put_header = rec_rules_header;
	f.put_header_of = &rules;
	tl_xfilter_open(&f, optind < argc ? argv[optind] : NULL, opt.out,
	    opt.tolerate);
	rec_gather(&cap, &f);
	if (cap.n_scopes == 0 && cap.n_launch_calls > 0)
		tl_die("%s: no device events: %llu calls launch something, "
		    "but nothing was recorded on a device", f.in.in.name,
		    (unsigned long long)cap.n_launch_calls);
	if (cap.n_scopes == 0)
		tl_die("%s: no device events", f.in.in.name);
	if (rules.context != NULL)
		rec_context_end(rules.context, f.in.in.name);
	rec_sort_calls(&cap);
	if (rules.context != NULL)
		for (size_t i = 0; i < cap.n_scopes; i++)
			check_steps(&rules, &cap, &cap.scope[i]);
	tl_xfilter_release(&f);
	rec_rules_documents(&rules, &f.out);
	for (size_t i = 0; i < cap.n_scopes; i++)
		recover_scope(&f.out, &cap, &cap.scope[i], &rules);
	rec_rules_notes(&rules, &f.out);
	if (opt.verbose)
		rec_rules_msg(&rules);
	rec_rules_free(&rules);
	rec_capture_free(&cap);
	tl_xfilter_end(&f);
	return 0;
}
