#include "tl-tree.h"

/* A character that Markdown may take for markup. */
static bool
is_markup(char c)
{
	return c != '\0' && strchr("\\`*_{}[]<>#|&~$", c) != NULL;
}

static void
plain(struct tl_out *out, struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (is_markup(s.p[i]))
			tl_xout_c(out, '\\');
		tl_xout_c(out, s.p[i]);
	}
}

/* Text in code style; within a table a bar needs a backslash even there. The
 * fence is longer than any run of backticks in the text. */
static void
code(struct tl_out *out, struct tl_str s)
{
	size_t run = 0, most = 0;

	for (size_t i = 0; i < s.n; i++) {
		run = s.p[i] == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	for (size_t i = 0; i <= most; i++)
		tl_xout_c(out, '`');
	if (most > 0)
		tl_xout_c(out, ' ');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '|')
			tl_xout_c(out, '\\');
		tl_xout_c(out, s.p[i]);
	}
	if (most > 0)
		tl_xout_c(out, ' ');
	for (size_t i = 0; i <= most; i++)
		tl_xout_c(out, '`');
}

static void
put_row(const struct tree_row *r, struct tl_out *out)
{
	tl_xout_printf(out, "| %s | %s | %s | %s | %s | %s | %s | ", r->pos,
	    r->share, r->one, r->compute, r->comm, r->copy, r->idle);
	if (r->has_steps)
		tl_xout_printf(out, "%s | ", r->steps);
	for (uint32_t i = 0; i < r->depth; i++)
		tl_xout_puts(out, "&emsp;");
	plain(out, (struct tl_str){ r->before, strlen(r->before) });
	if (r->name.n > 0)
		code(out, r->name);
	plain(out, (struct tl_str){ r->after, strlen(r->after) });
	tl_xout_puts(out, " |\n");
}

static void
put_heads(const struct tree *t, const char *what, struct tl_out *out)
{
	tl_xout_printf(out, "| pos | share | one | compute | +comm | +copy | "
	    "idle | %s%s |\n|:--|--:|--:|--:|--:|--:|--:|%s:--|\n",
	    t->steps != NULL ? "steps | " : "", what,
	    t->steps != NULL ? "--:|" : "");
}

static void
put_rows(const struct tree *t, const struct tree_opt *opt, size_t scope,
    struct tl_out *out)
{
	uint32_t n = t->scope[scope].end - t->scope[scope].first;
	char a[TREE_CELL], b[TREE_CELL];
	struct tree_walk w;

	tree_walk_start(&w, t, opt, scope);
	for (size_t i = 0; tree_walk_main(&w, i); i++) {
		if (i == 0)
			put_heads(t, "main loops", out);
		put_row(&w.row, out);
	}
	if (w.scope.n_main > 0)
		tl_xout_c(out, '\n');
	for (size_t i = 0; tree_walk_worst(&w, i); i++) {
		if (i == 0)
			put_heads(t, "most exposed communication", out);
		put_row(&w.row, out);
	}
	if (w.scope.n_worst > 0)
		tl_xout_c(out, '\n');
	put_heads(t, "structure", out);
	while (tree_walk_next(&w))
		put_row(&w.row, out);
	tree_walk_end(&w);
	if (!opt->quiet && w.n_shown < n)
		tl_xout_printf(out, "\n%s of %s positions are shown.\n",
		    tree_count(a, w.n_shown), tree_count(b, n));
	if (!opt->quiet && t->scope[scope].n_absent > 0)
		tl_xout_printf(out, "\n%s positions of which nothing is left "
		    "in this part are left out.\n",
		    tree_count(a, t->scope[scope].n_absent));
	if (!opt->quiet && w.few)
		tl_xout_puts(out, "\n~ in one: fewer than three iterations; "
		    "their time by their number.\n");
	if (!opt->quiet && tree_overlaps(t, scope))
		tl_xout_puts(out, "\nShares need not add up: work on several "
		    "streams overlaps, and ~ is an estimate.\n");
}

static void
put_scope(const struct tree *t, const struct tree_opt *opt, size_t scope,
    const struct tree_put *put)
{
	tl_xout_puts(put->out, "\n## ");
	tree_xput_scope(t, scope, put);
	tl_xout_puts(put->out, "\n\n- ");
	tree_xput_times(t, scope, put->out, "\n- ");
	tree_xput_notes(t, opt, scope, TREE_TOP, "\n- ", "\n- ", put);
	tl_xout_puts(put->out, "\n\n");
	put_rows(t, opt, scope, put->out);
	if (tree_xput_notes(t, opt, scope, TREE_FOOT, "\n- ", "\n- ", put) > 0)
		tl_xout_c(put->out, '\n');
}

void
tree_xmd(const struct tree *t, const struct tree_opt *opt, struct tl_out *out)
{
	const struct tree_put put = { out, plain };
	static const char head[] = "\n## Notes\n\n- ";
	size_t n;

	tl_xout_puts(out, "# Loops of ");
	tree_xput_source(t, &put);
	tl_xout_c(out, '\n');
	for (size_t s = 0; s < t->n_scopes; s++)
		put_scope(t, opt, s, &put);
	n = tree_xput_notes(t, opt, TREE_NO_SCOPE, TREE_ANYWHERE, head, "\n- ",
	    &put);
	if (t->cut)
		tl_xout_printf(out, "%swarn: the stream ended without a right "
		    "end record; some of it may be missing\n",
		    n++ == 0 ? head : "\n- ");
	else if (n > 0)
		tl_xout_c(out, '\n');
}
