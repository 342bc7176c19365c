#include "cost.h"

#include <stdlib.h>

#include "mem.h"
#include "str.h"

/* Which classes run at a time, as bits. */
#define IN_COMPUTE 1U
#define IN_COMM 2U
#define IN_COPY 4U
#define IN_REST 8U
#define N_SETS 4

/* Every CHUNK-th breakpoint has the sums up to it. */
#define CHUNK 64

struct span {
	int64_t from, to;
};

struct spans {
	struct span *at;
	size_t n, cap;
};

struct tl_costs {
	int64_t *time;     /* breakpoints: here the mask changes */
	uint8_t *mask;     /* what runs from time[i] to time[i + 1] */
	size_t n, cap, mask_cap;
	struct tl_cost *sum; /* up to time[i * CHUNK] */
	struct spans opaque;
	struct spans set[N_SETS]; /* by class, until they are put together */
	size_t hint;
};

/* Adds an interval to a union; intervals come by start. */
static void
add(struct spans *s, int64_t from, int64_t to)
{
	if (from == to)
		return;
	if (s->n > 0 && s->at[s->n - 1].to >= from) {
		if (s->at[s->n - 1].to < to)
			s->at[s->n - 1].to = to;
		return;
	}
	s->at = tl_xgrow(s->at, s->n, &s->cap, sizeof *s->at);
	s->at[s->n++] = (struct span){ from, to };
}

static unsigned
set_of(enum tl_class cls)
{
	switch (cls) {
	case TL_COMPUTE:
		return 0;
	case TL_COMM:
		return 1;
	case TL_COPY:
		return 2;
	default:
		return 3;
	}
}

static void
push(struct tl_costs *c, int64_t time, unsigned mask)
{
	if (c->n > 0 && c->time[c->n - 1] == time)
		c->n--;
	if (c->n > 0 && c->mask[c->n - 1] == mask)
		return;
	c->time = tl_xgrow(c->time, c->n, &c->cap, sizeof *c->time);
	c->mask = tl_xgrow(c->mask, c->n, &c->mask_cap, sizeof *c->mask);
	c->time[c->n] = time;
	c->mask[c->n] = (uint8_t)mask;
	c->n++;
}

/* Merges the borders of the unions into breakpoints. */
static void
sweep(struct tl_costs *c, const struct spans *set)
{
	size_t at[N_SETS] = { 0 };
	unsigned mask = 0;

	for (;;) {
		int64_t next = INT64_MAX;
		bool any = false;

		for (unsigned k = 0; k < N_SETS; k++) {
			int64_t t;

			if (at[k] == set[k].n)
				continue;
			t = mask >> k & 1 ? set[k].at[at[k]].to :
			    set[k].at[at[k]].from;
			if (!any || t < next)
				next = t;
			any = true;
		}
		if (!any)
			return;
		for (unsigned k = 0; k < N_SETS; k++) {
			if (at[k] == set[k].n)
				continue;
			if ((mask >> k & 1) != 0 &&
			    set[k].at[at[k]].to == next) {
				mask &= ~(1U << k);
				at[k]++;
			} else if ((mask >> k & 1) == 0 &&
			    set[k].at[at[k]].from == next) {
				mask |= 1U << k;
			}
		}
		push(c, next, mask);
	}
}

static void
advance(struct tl_cost *sum, unsigned mask, int64_t ns)
{
	if (mask == 0)
		return;
	sum->busy += ns;
	if (mask & IN_COMPUTE)
		sum->compute += ns;
	if (mask & IN_COMM) {
		sum->comm += ns;
		if (!(mask & IN_COMPUTE))
			sum->comm_exposed += ns;
	}
	if (mask & IN_COPY) {
		sum->copy += ns;
		if (!(mask & (IN_COMPUTE | IN_COMM)))
			sum->copy_exposed += ns;
	}
}

static void
sum_up(struct tl_costs *c)
{
	struct tl_cost sum = { 0 };

	c->sum = tl_xreallocarray(NULL, c->n / CHUNK + 1, sizeof *c->sum);
	for (size_t i = 0; i < c->n; i++) {
		if (i > 0)
			advance(&sum, c->mask[i - 1],
			    c->time[i] - c->time[i - 1]);
		if (i % CHUNK == 0)
			c->sum[i / CHUNK] = sum;
	}
}

struct tl_costs *
tl_xcosts_new(void)
{
	return tl_xcalloc(1, sizeof(struct tl_costs));
}

void
tl_xcosts_add(struct tl_costs *c, int64_t from_ns, int64_t to_ns,
    enum tl_class cls, bool opaque)
{
	if (opaque)
		add(&c->opaque, from_ns, to_ns);
	add(&c->set[opaque ? 3 : set_of(cls)], from_ns, to_ns);
}

void
tl_xcosts_ready(struct tl_costs *c)
{
	sweep(c, c->set);
	for (unsigned k = 0; k < N_SETS; k++) {
		free(c->set[k].at);
		c->set[k] = (struct spans){ NULL, 0, 0 };
	}
	sum_up(c);
}

void
tl_costs_free(struct tl_costs *c)
{
	if (c == NULL)
		return;
	for (unsigned k = 0; k < N_SETS; k++)
		free(c->set[k].at);
	free(c->time);
	free(c->mask);
	free(c->sum);
	free(c->opaque.at);
	free(c);
}

/* Index of the last breakpoint at or before t, c->n if there is none: gallops
 * from where the last question ended. */
static size_t
locate(struct tl_costs *c, int64_t t)
{
	size_t lo, hi, step = 1;

	if (c->n == 0 || t < c->time[0])
		return c->n;
	lo = c->hint < c->n ? c->hint : 0;
	if (c->time[lo] <= t) {
		for (hi = lo + 1; hi < c->n && c->time[hi] <= t; step *= 2) {
			lo = hi;
			hi = c->n - lo > step ? lo + step : c->n;
		}
	} else {
		hi = lo;
		for (lo = hi - 1; c->time[lo] > t; step *= 2) {
			hi = lo;
			lo = lo > step ? lo - step : 0;
		}
	}
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->time[mid] <= t)
			lo = mid;
		else
			hi = mid;
	}
	c->hint = lo;
	return lo;
}

/* Sums up to time t. */
static struct tl_cost
sums_at(struct tl_costs *c, int64_t t)
{
	size_t i = locate(c, t), k;
	struct tl_cost sum = { 0 };

	if (i == c->n)
		return sum;
	sum = c->sum[i / CHUNK];
	for (k = i / CHUNK * CHUNK; k < i; k++)
		advance(&sum, c->mask[k], c->time[k + 1] - c->time[k]);
	advance(&sum, c->mask[i], t - c->time[i]);
	return sum;
}

static bool
holds_opaque(const struct spans *s, int64_t from, int64_t to)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->at[mid].to <= from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return from < to && lo < s->n && s->at[lo].from < to;
}

struct tl_cost
tl_cost_of(struct tl_costs *c, int64_t from_ns, int64_t to_ns)
{
	struct tl_cost a = sums_at(c, from_ns), b = sums_at(c, to_ns);

	b.busy -= a.busy;
	if (holds_opaque(&c->opaque, from_ns, to_ns)) {
		b.compute = b.comm = b.comm_exposed = TL_NONE;
		b.copy = b.copy_exposed = TL_NONE;
		return b;
	}
	b.compute -= a.compute;
	b.comm -= a.comm;
	b.comm_exposed -= a.comm_exposed;
	b.copy -= a.copy;
	b.copy_exposed -= a.copy_exposed;
	return b;
}
