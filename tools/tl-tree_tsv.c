#include "tl-tree.h"

static void
column(struct tl_out *out, int64_t v)
{
	tl_xout_c(out, '\t');
	if (v == TREE_NONE)
		tl_xout_c(out, '.');
	else
		tl_xout_i64(out, v);
}

static void
text(struct tl_out *out, struct tl_str s)
{
	tl_xout_c(out, '\t');
	tl_xout_str(out, s);
}

static void
line(const struct tree *t, const struct tree_scope *s,
    const struct tree_pos *p, struct tl_out *out)
{
	char buf[TREE_CELL];

	tl_xout_str(out, s->name);
	tl_xout_printf(out, "\t%s", tree_pos_text(buf, p->number));
	tl_xout_printf(out, "\t%s", p->parent == TREE_NO ? "." :
	    tree_pos_text(buf, t->pos[p->parent].number));
	column(out, p->depth);
	text(out, tl_intern_str(&t->text, p->kind_text));
	text(out, tl_intern_str(&t->text, p->iterations));
	column(out, p->body_events);
	column(out, p->occurrences);
	column(out, p->first_event);
	column(out, p->start_ns);
	for (int i = TREE_SPAN; i <= TREE_ITER_MAX; i++)
		if (i != TREE_COPY_EXPOSED)
			column(out, p->ns[i]);
	text(out, tl_intern_str(&t->text, p->label));
	column(out, p->ns[TREE_COPY_EXPOSED]);
	column(out, p->ordinal);
	if (t->steps != NULL)
		column(out, p->steps);
	tl_xout_c(out, '\n');
}

void
tree_xtsv(const struct tree *t, struct tl_out *out)
{
	tl_xout_puts(out, "#scope\tpos\tparent\tdepth\tkind\titerations\t"
	    "body_events\toccurrences\tfirst_event\tstart_ns\tspan_ns\t"
	    "busy_ns\tcompute_ns\tcomm_ns\tcomm_exposed_ns\tcopy_ns\tidle_ns\t"
	    "iter_min_ns\titer_median_ns\titer_max_ns\tlabel\t"
	    "copy_exposed_ns\tordinal");
	tl_xout_puts(out, t->steps != NULL ? "\tsteps\n" : "\n");
	for (size_t s = 0; s < t->n_scopes; s++)
		for (uint32_t i = t->scope[s].first; i < t->scope[s].end; i++)
			line(t, &t->scope[s], &t->pos[i], out);
}
