/*
 * recover_drive: prints the structure of a sequence read from standard input,
 * for tests/recover.py.  A line is an event: its symbol (any word), and if
 * there is more, the host gap before it (`.`: unknown) and 1 where a mark
 * falls before it.  A line `--` ends the sequence; another may follow.
 * `-l` leaves blocks out; `-r` prints all runs instead of the tree, each
 * `at,period,len`.
 *
 * The tree is one line: events by their symbols, loops L6[...], blocks B[...],
 * partial iterations before and after a loop (+2)L6[...](+3).  A line of
 * counts follows.  The tree is checked on the way: it must cover every event,
 * in order, and expand to the sequence.
 */
#include "recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **names; /* by symbol */
static uint32_t *sym;
static int64_t *gaps;
static uint8_t *marks;

/* A plain list: tests have few symbols. */
static uint32_t
symbol(const char *word, uint32_t *n)
{
	uint32_t i;

	for (i = 0; i < *n; i++)
		if (strcmp(names[i], word) == 0)
			return i;
	names = tl_xreallocarray(names, *n + 1, sizeof(*names));
	names[*n] = tl_xstrdup(word);
	return (*n)++;
}

/* Reads one sequence; 0: there is none left. */
static int
read_seq(struct rec_seq *seq)
{
	char line[256], word[128], gap[64];
	size_t cap[3] = {0, 0, 0};
	int n, mark, has_gap = 0, has_mark = 0, any = 0;

	memset(seq, 0, sizeof(*seq));
	names = NULL;
	sym = NULL;
	gaps = NULL;
	marks = NULL;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		any = 1;
		n = sscanf(line, "%127s %63s %d", word, gap, &mark);
		if (n > 0 && strcmp(word, "--") == 0)
			break;
		if (n < 1)
			continue;
		sym = tl_xgrow(sym, seq->n, &cap[0], sizeof(*sym));
		gaps = tl_xgrow(gaps, seq->n, &cap[1], sizeof(*gaps));
		marks = tl_xgrow(marks, seq->n, &cap[2], sizeof(*marks));
		sym[seq->n] = symbol(word, &seq->n_sym);
		gaps[seq->n] = n < 2 || gap[0] == '.' ? REC_GAP_NONE :
		    strtoll(gap, NULL, 10);
		marks[seq->n] = n > 2 && mark != 0;
		has_gap |= n > 1;
		has_mark |= n > 2;
		seq->n++;
	}
	seq->sym = sym;
	seq->gap_ns = has_gap ? gaps : NULL;
	seq->mark = has_mark ? marks : NULL;
	return any;
}

static void
drop_seq(struct rec_seq *seq)
{
	while (seq->n_sym > 0)
		free(names[--seq->n_sym]);
	free(names);
	free(sym);
	free(gaps);
	free(marks);
}

static void
put_def(const struct rec_tree *tree, uint32_t id)
{
	const struct rec_body *body = rec_body_of(tree, id);
	uint32_t i;

	if (body == NULL) {
		fputs(names[id], stdout);
		return;
	}
	if (rec_kind_of(tree, id) == REC_LOOP)
		printf("L%u[", tree->def[id - tree->n_sym].count);
	else
		printf("B[");
	for (i = 0; i < body->n_item; i++) {
		if (i > 0)
			putchar(' ');
		put_def(tree, body->item[i]);
	}
	putchar(']');
}

static void
put_tree(const struct rec_tree *tree)
{
	const struct rec_tok *t;
	uint32_t i;

	for (i = 0; i < tree->n_tok; i++) {
		t = &tree->tok[i];
		if (i > 0)
			putchar(' ');
		if (t->head > 0)
			printf("(+%u)", t->head);
		put_def(tree, t->def);
		if (t->tail > 0)
			printf("(+%u)", t->tail);
	}
	printf("\n");
	printf("loops %u blocks %u depth %u none %u mark %u gap %u left %u\n",
	    tree->stat.n_loop, tree->stat.n_block, tree->stat.depth,
	    tree->stat.phase[REC_PHASE_NONE], tree->stat.phase[REC_PHASE_MARK],
	    tree->stat.phase[REC_PHASE_GAP], tree->stat.phase[REC_PHASE_LEFT]);
}

static void
put_runs(const struct rec_seq *seq)
{
	struct rec_text t;
	struct rec_run *run;
	size_t i, n;

	rec_text_init(&t, seq->sym, seq->n);
	n = rec_runs(&t, 0, seq->n, &run);
	for (i = 0; i < n; i++)
		printf("%s%u,%u,%u", i > 0 ? " " : "", run[i].at,
		    run[i].period, run[i].len);
	putchar('\n');
	free(run);
	rec_text_free(&t);
}

int
main(int argc, char **argv)
{
	struct rec_seq seq;
	struct rec_tree tree;
	const char *why;

	while (read_seq(&seq)) {
		if (argc > 1 && strcmp(argv[1], "-r") == 0) {
			put_runs(&seq);
		} else {
			rec_recover_loops(&tree, &seq, argc == 1);
			why = recover_wrong(&tree, &seq);
			if (why != NULL) {
				fprintf(stderr, "recover_drive: %s\n", why);
				return 1;
			}
			put_tree(&tree);
			rec_tree_free(&tree);
		}
		drop_seq(&seq);
	}
	return 0;
}
