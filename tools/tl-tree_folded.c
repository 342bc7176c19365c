#include <stdlib.h>

#include "mem.h"
#include "name.h"
#include "num.h"
#include "tl-tree.h"

/* Folded stacks: one line for each position that owns time. */

/* Time of events without a position. */
struct loose {
	struct tl_str name;
	uint64_t ns;
};

struct folded {
	const struct tree *t;
	const struct tree_opt *opt;
	struct tl_out *out;
	uint64_t *ns;          /* by position */
	struct tl_intern scope; /* those of the events, process:device */
	struct loose *loose;   /* by scope, then by name */
	size_t *loose_end;     /* by scope */
	size_t n_loose, cap_loose, cap_end;
	char *stack;           /* names with ";" between */
	size_t stack_cap;
	char *name;            /* scratch */
	size_t name_cap;
};

static char *
room(struct folded *f, size_t n, size_t more)
{
	if (f->stack_cap < n + more) {
		f->stack_cap = (n + more) + (n + more) / 2;
		f->stack = tl_xreallocarray(f->stack, f->stack_cap, 1);
	}
	return f->stack + n;
}

static size_t
push_between(struct folded *f, size_t n)
{
	*room(f, n, 1) = ';';
	return n + 1;
}

/* Adds text at the end of a stack of n bytes; what would end a name is
 * escaped. Answers the new length. */
static size_t
push(struct folded *f, size_t n, struct tl_str s)
{
	char *p = room(f, n, s.n * 4);

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == ';') {
			memcpy(p, "\\x3B", 4);
			p += 4;
		} else {
			*p++ = s.p[i];
		}
	}
	return (size_t)(p - f->stack);
}

static size_t
push_text(struct folded *f, size_t n, const char *s)
{
	return push(f, n, (struct tl_str){ s, strlen(s) });
}

/* The name that ends a stack: short, unless whole ones are asked for. */
static size_t
push_name(struct folded *f, size_t n, struct tl_str s)
{
	if (f->opt->whole)
		return push(f, n, s);
	if (f->name_cap < s.n + 1) {
		f->name_cap = s.n + 1;
		f->name = tl_xreallocarray(f->name, f->name_cap, 1);
	}
	return push(f, n, (struct tl_str){ f->name, tl_name_short(f->name,
	    s) });
}

/* "N002 10 x 329 events", and so on. */
static size_t
push_position(struct folded *f, size_t n, const struct tree_pos *p)
{
	const struct tl_intern *text = &f->t->text;
	struct tl_str label = tl_intern_str(text, p->label), turns;
	bool named = !tl_str_none(label) &&
	    !tl_str_eq(label, tl_intern_str(text, p->kind_text));
	char buf[TREE_CELL];

	if (p->kind == TREE_EVENT)
		return push_name(f, n, named ? label : TL_LIT("event"));
	n = push_text(f, n, tree_pos_text(buf, p->number));
	n = push_text(f, n, " ");
	turns = tl_intern_str(text, p->iterations);
	if (p->kind == TREE_LOOP && !tl_str_none(turns)) {
		if (turns.n > 3 &&
		    memcmp(turns.p + turns.n - 3, ".00", 3) == 0)
			turns.n -= 3;
		n = push(f, n, turns);
		n = push_text(f, n, " x ");
	} else if (p->kind == TREE_REPLAY) {
		n = push_text(f, n, "replay ");
	}
	if (named)
		return push(f, n, label);
	n = push_text(f, n, tree_count(buf, p->body_events));
	return push_text(f, n, p->body_events == 1 ? " event" : " events");
}

/* An event's time, as tree_xown_each tells it. */
static void
take(void *arg, uint32_t pos, uint32_t name, uint64_t ns)
{
	struct folded *f = arg;

	if (pos != TREE_NO) {
		f->ns[pos] += ns;
		return;
	}
	f->loose = tl_xgrow(f->loose, f->n_loose, &f->cap_loose,
	    sizeof *f->loose);
	f->loose[f->n_loose++] = (struct loose){
		.name = tree_own_name(f->t->own, name), .ns = ns
	};
}

static int
by_name(const void *a, const void *b)
{
	const struct loose *x = a, *y = b;

	return tl_str_cmp(x->name, y->name);
}

/* The end of a scope: what is without a position becomes one for a name. */
static void
end_scope(void *arg, struct tl_str process, struct tl_str device)
{
	struct folded *f = arg;
	size_t from = f->scope.n == 0 ? 0 : f->loose_end[f->scope.n - 1];
	size_t n = f->n_loose - from, k = 0, s = f->scope.n;
	struct loose *l = f->loose + from;
	size_t len = push(f, 0, process);

	*room(f, len, 1) = ':';
	len = push(f, len + 1, device);
	if (tl_xintern(&f->scope, (struct tl_str){ f->stack, len }) != s)
		tl_die("scope '%.*s': two processes and devices have this name",
		    (int)(len < 80 ? len : 80), f->stack);
	f->loose_end = tl_xgrow(f->loose_end, s, &f->cap_end,
	    sizeof *f->loose_end);
	if (n > 0) {
		qsort(l, n, sizeof *l, by_name);
		for (size_t i = 1; i < n; i++) {
			if (tl_str_eq(l[i].name, l[k].name))
				l[k].ns += l[i].ns;
			else
				l[++k] = l[i];
		}
		f->n_loose = from + k + 1;
	}
	f->loose_end[s] = f->n_loose;
}

static void
put_line(struct folded *f, size_t n, uint64_t ns)
{
	tl_xout_write(f->out, f->stack, n);
	tl_xout_c(f->out, ' ');
	tl_xout_u64(f->out, ns);
	tl_xout_c(f->out, '\n');
}

/* end[d] is where the name at depth d ends. */
static void
put_positions(struct folded *f, const struct tree_scope *s, size_t *end)
{
	for (uint32_t i = s->first; i < s->end; i++) {
		const struct tree_pos *p = &f->t->pos[i];

		end[p->depth] = p->depth == 0 ? push(f, 0, s->name) :
		    push_position(f, push_between(f, end[p->depth - 1]), p);
		if (f->ns[i] > 0)
			put_line(f, end[p->depth], f->ns[i]);
	}
}

static void
put_loose(struct folded *f, uint32_t scope)
{
	size_t above = push(f, 0, tl_intern_str(&f->scope, scope)), n;
	size_t i = scope == 0 ? 0 : f->loose_end[scope - 1];

	above = push_text(f, push_between(f, above), "(no position)");
	above = push_between(f, above);
	for (; i < f->loose_end[scope]; i++) {
		n = push_name(f, above, f->loose[i].name);
		put_line(f, n, f->loose[i].ns);
	}
}

void
tree_xfolded(struct tree *t, const struct tree_opt *opt, struct tl_out *out)
{
	struct folded f = { .t = t, .opt = opt, .out = out,
		.ns = tl_xcalloc(t->n_pos, sizeof *f.ns) };
	size_t *end = tl_xreallocarray(NULL, TREE_MAX_DEPTH + 1, sizeof *end);

	tree_xown_each(t->own, take, end_scope, &f);
	for (size_t i = 0; i < t->n_scopes; i++) {
		uint32_t scope = tl_intern_find(&f.scope, t->scope[i].name);

		put_positions(&f, &t->scope[i], end);
		if (scope != TREE_NO)
			put_loose(&f, scope);
	}
	for (uint32_t s = 0; s < f.scope.n; s++)
		if (tl_intern_find(&t->scope_key,
		    tl_intern_str(&f.scope, s)) == TREE_NO)
			put_loose(&f, s);
	free(end);
	free(f.ns);
	free(f.loose);
	free(f.loose_end);
	free(f.stack);
	free(f.name);
	tl_intern_free(&f.scope);
}
