#include "tl-tree.h"

static void
put_row(const struct tree_row *r, int pos_width, struct tl_out *out)
{
	tl_xout_printf(out, "%-*s %6s %8s %7s %6s %6s %6s  ", pos_width,
	    r->pos, r->share, r->one, r->compute, r->comm, r->copy, r->idle);
	if (r->has_steps)
		tl_xout_printf(out, "%6s  ", r->steps);
	for (uint32_t i = 0; i < r->depth; i++)
		tl_xout_puts(out, "  ");
	tl_xout_puts(out, r->before);
	tl_xout_str(out, r->name);
	tl_xout_puts(out, r->after);
	tl_xout_c(out, '\n');
}

static void
put_heads(const struct tree *t, int width, const char *what,
    struct tl_out *out)
{
	struct tree_row head = { .pos = "pos", .share = "share", .one = "one",
		.compute = "compute", .comm = "+comm", .copy = "+copy",
		.idle = "idle", .steps = "steps",
		.has_steps = t->steps != NULL };

	strcpy(head.before, what);
	put_row(&head, width, out);
}

/* What matters most, then all rows of a scope; answers how many positions the
 * tree shows, and whether it shows an estimate of an iteration. */
static uint32_t
put_rows(const struct tree *t, const struct tree_opt *opt, size_t scope,
    struct tl_out *out, bool *few)
{
	uint32_t last = t->pos[t->scope[scope].end - 1].number;
	char buf[TREE_CELL];
	int width = (int)strlen(tree_pos_text(buf, last));
	struct tree_walk w;

	tree_walk_start(&w, t, opt, scope);
	for (size_t i = 0; tree_walk_main(&w, i); i++) {
		if (i == 0)
			put_heads(t, width, "main loops", out);
		put_row(&w.row, width, out);
	}
	if (w.scope.n_main > 0)
		tl_xout_c(out, '\n');
	for (size_t i = 0; tree_walk_worst(&w, i); i++) {
		if (i == 0)
			put_heads(t, width, "most exposed communication", out);
		put_row(&w.row, width, out);
	}
	if (w.scope.n_worst > 0)
		tl_xout_c(out, '\n');
	put_heads(t, width, "structure", out);
	while (tree_walk_next(&w))
		put_row(&w.row, width, out);
	tree_walk_end(&w);
	*few = w.few;
	return w.n_shown;
}

static void
put_foot(const struct tree *t, const struct tree_opt *opt, size_t scope,
    uint32_t shown, bool few, const struct tree_put *put)
{
	uint32_t n = t->scope[scope].end - t->scope[scope].first;
	char a[TREE_CELL], b[TREE_CELL];

	if (shown < n)
		tl_xout_printf(put->out, "  %s of %s positions are shown; -a "
		    "shows all\n", tree_count(a, shown), tree_count(b, n));
	if (t->scope[scope].n_absent > 0)
		tl_xout_printf(put->out, "  %s positions of which nothing is "
		    "left in this part are left out; -a shows them\n",
		    tree_count(a, t->scope[scope].n_absent));
	if (tree_overlaps(t, scope))
		tl_xout_puts(put->out, "  shares need not add up: work on "
		    "several streams overlaps, and ~ is an estimate\n");
	tl_xout_puts(put->out, "  one: an iteration, or an occurrence; "
	    "compute, idle, exposed +comm and +copy: of the time of an "
	    "occurrence, of a loop with all its iterations\n");
	if (few)
		tl_xout_puts(put->out, "  ~ in one: fewer than three "
		    "iterations; their time by their number\n");
	if (tree_xput_notes(t, opt, scope, TREE_FOOT, "  ", "\n  ", put) > 0)
		tl_xout_c(put->out, '\n');
}

static void
put_scope(const struct tree *t, const struct tree_opt *opt, size_t scope,
    struct tl_out *out)
{
	struct tree_put put = { out, tl_xout_str };
	uint32_t shown;
	bool few;

	tl_xout_c(out, '\n');
	tree_xput_scope(t, scope, &put);
	tl_xout_puts(out, "\n  ");
	tree_xput_times(t, scope, out, "\n  ");
	tree_xput_notes(t, opt, scope, TREE_TOP, "\n  ", "\n  ", &put);
	tl_xout_puts(out, "\n\n");
	shown = put_rows(t, opt, scope, out, &few);
	if (!opt->quiet)
		put_foot(t, opt, scope, shown, few, &put);
}

static void
put_notes(const struct tree *t, const struct tree_opt *opt,
    struct tl_out *out)
{
	struct tree_put put = { out, tl_xout_str };
	size_t n = tree_xput_notes(t, opt, TREE_NO_SCOPE,
	    TREE_ANYWHERE, "\nnotes\n  ", "\n  ", &put);

	if (t->cut)
		tl_xout_printf(out, "%swarn: the stream ended without a right "
		    "end record; some of it may be missing\n",
		    n++ == 0 ? "\nnotes\n  " : "\n  ");
	else if (n > 0)
		tl_xout_c(out, '\n');
}

void
tree_xtext(const struct tree *t, const struct tree_opt *opt,
    struct tl_out *out)
{
	tree_xput_source(t, &(struct tree_put){ out, tl_xout_str });
	tl_xout_c(out, '\n');
	for (size_t s = 0; s < t->n_scopes; s++)
		put_scope(t, opt, s, out);
	put_notes(t, opt, out);
}
