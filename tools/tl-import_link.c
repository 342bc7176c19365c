#include "tl-import.h"

#include <stdlib.h>

const char *const imp_reasons[3] = {
	"no_launch_record", "launch_outside_iteration_range",
	"ambiguous_iteration_range",
};

/* Iterations of a thread from a time on, up to the next of the thread. */
struct imp_segment {
	int64_t from;
	uint32_t proc, thread;
	uint32_t pair; /* IMP_NONE: none, MANY: more than one */
};

#define MANY (UINT32_MAX - 1)

/* A range begins or ends. */
struct bound {
	int64_t at;
	uint32_t proc, thread, pair;
	bool begins;
};

static int
cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_thread_and_time(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;
	int c = cmp(x->proc, y->proc);

	c = c != 0 ? c : cmp(x->thread, y->thread);
	return c != 0 ? c : x->at < y->at ? -1 : x->at > y->at;
}

/* What is active of a thread: how often each pair, and of how many different
 * ones the sum of numbers, which is the number where there is one. */
struct active {
	uint32_t *count;
	uint64_t sum;
	uint32_t n;
};

static void
step(struct active *a, const struct bound *b)
{
	if (b->begins && a->count[b->pair]++ == 0) {
		a->sum += b->pair;
		a->n++;
	} else if (!b->begins && --a->count[b->pair] == 0) {
		a->sum -= b->pair;
		a->n--;
	}
}

static struct bound *
bounds(const struct imp_work *w)
{
	struct bound *b = tl_xreallocarray(NULL, 2 * w->n_ranges, sizeof *b);

	for (size_t i = 0; i < w->n_ranges; i++) {
		const struct imp_range *r = &w->range[i];

		b[2 * i] = (struct bound){ r->start, r->proc, r->thread,
			r->pair, true };
		b[2 * i + 1] = (struct bound){ r->end, r->proc, r->thread,
			r->pair, false };
	}
	return b;
}

void
imp_xsegments(struct imp_work *w)
{
	struct bound *b;
	struct active a = { .sum = 0 };
	size_t n = 2 * w->n_ranges;

	if (n == 0)
		return;
	b = bounds(w);
	/* a range without length has its end sorted before its begin at
	 * times; all of one time are taken together, in wrapping counts */
	qsort(b, n, sizeof *b, by_thread_and_time);
	a.count = tl_xcalloc(w->pairs.n, sizeof *a.count);
	w->segment = tl_xreallocarray(NULL, n, sizeof *w->segment);
	for (size_t i = 0; i < n;) {
		size_t j = i;

		for (; j < n && by_thread_and_time(&b[i], &b[j]) == 0; j++)
			if (b[j].begins)
				step(&a, &b[j]);
		for (size_t k = i; k < j; k++)
			if (!b[k].begins)
				step(&a, &b[k]);
		w->segment[w->n_segments++] = (struct imp_segment){ b[i].at,
			b[i].proc, b[i].thread, a.n == 0 ? IMP_NONE :
			a.n > 1 ? MANY : (uint32_t)a.sum };
		i = j;
	}
	free(a.count);
	free(b);
}

/* The iterations in which a call began. */
static uint32_t
pair_at(const struct imp_work *w, const struct imp_call *c)
{
	size_t lo = 0, hi = w->n_segments;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct imp_segment *s = &w->segment[mid];
		int d = cmp(s->proc, c->proc);

		d = d != 0 ? d : cmp(s->thread, c->thread);
		if (d < 0 || (d == 0 && s->from <= c->start))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || w->segment[lo - 1].proc != c->proc ||
	    w->segment[lo - 1].thread != c->thread)
		return IMP_NONE;
	return w->segment[lo - 1].pair;
}

struct imp_link
imp_link(const struct imp_work *w, const struct imp_group *g)
{
	struct imp_link l = { IMP_NO_LAUNCH, IMP_NONE, IMP_NONE };
	uint32_t key = g->corr == 0 ? IMP_NONE :
	    imp_map_find(&w->call_of, g->corr, 0, 0);

	if (key == IMP_NONE)
		return l;
	for (l.call = w->call_first[key]; l.call != IMP_NONE;
	    l.call = w->call[l.call].next)
		if (w->call[l.call].proc == g->proc)
			break;
	if (l.call == IMP_NONE)
		return l;
	l.pair = pair_at(w, &w->call[l.call]);
	l.reason = l.pair == IMP_NONE ? IMP_OUTSIDE : l.pair == MANY ?
	    IMP_AMBIGUOUS : IMP_LINKED;
	if (l.reason != IMP_LINKED)
		l.pair = IMP_NONE;
	return l;
}

bool
imp_graph_call(struct tl_str name)
{
	static const char *const words[] = { "cudaGraphLaunch",
		"cuGraphLaunch", "hipGraphLaunch" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (name.n >= n && memcmp(name.p, words[i], n) == 0)
			return true;
	}
	return false;
}

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

int64_t *
imp_xpids(const struct imp_trace *t, bool events, size_t *n)
{
	const struct imp_work *w = t->work;
	bool *seen = tl_xcalloc(t->procs.n, sizeof *seen);
	int64_t *pid = tl_xreallocarray(NULL, t->procs.n, sizeof *pid);
	size_t k = 0, m = 0;

	for (size_t i = 0; i < w->n_calls; i++)
		seen[w->call[i].proc] = true;
	for (size_t i = 0; events && t->nsys && i < w->n_groups; i++)
		seen[w->group[i].proc] = true;
	for (size_t i = 0; i < t->procs.n; i++)
		if (seen[i] && t->pid[i] >= 0)
			pid[k++] = t->pid[i];
	if (k > 1)
		qsort(pid, k, sizeof *pid, by_number);
	for (size_t i = 0; i < k; i++)
		if (m == 0 || pid[m - 1] != pid[i])
			pid[m++] = pid[i];
	free(seen);
	*n = m;
	return pid;
}
