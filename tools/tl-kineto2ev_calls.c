#include "tl-kineto2ev.h"

#include <stdlib.h>

#include "mem.h"

/* Calls of 64 ids in a row. Ids are given in order of time, so that a block
 * costs little more than a bit a call, and its calls are close together. */
struct block {
	uint64_t ids;         /* id / 64 */
	uint64_t there;       /* bit id % 64; 0: the slot is free */
	uint32_t caller;
	int64_t first, last;
};

/* Processes that make calls, in order of first sight. */
enum { MAX_CALLERS = 256 };

struct k_calls {
	uint64_t budget;
	struct block *slot;   /* open addressing */
	size_t n, n_slots;
	size_t recent;        /* slot of the last call */
	uint32_t caller[MAX_CALLERS];
	uint32_t n_callers, last_caller;
	bool full, any;
	int64_t first, last;
};

struct k_calls *
k_xcalls_new(uint64_t budget)
{
	struct k_calls *c = tl_xcalloc(1, sizeof *c);

	c->budget = budget;
	return c;
}

void
k_calls_free(struct k_calls *c)
{
	free(c->slot);
	free(c);
}

static size_t
probe(const struct k_calls *c, uint64_t ids, uint32_t caller)
{
	size_t mask = c->n_slots - 1;
	uint64_t h = (ids * 0x9e3779b97f4a7c15U) ^
	    (caller * UINT64_C(0xff51afd7ed558ccd));
	size_t i = (size_t)(h >> 20) & mask;

	while (c->slot[i].there != 0 && (c->slot[i].ids != ids ||
	    c->slot[i].caller != caller))
		i = (i + 1) & mask;
	return i;
}

/* Twice the slots; false where the budget forbids it. */
static bool
grow(struct k_calls *c)
{
	struct block *old = c->slot;
	size_t n = c->n_slots;

	/* old and new table live together for a moment */
	if (n > 0 && (uint64_t)n * 3 * sizeof *old > c->budget)
		return false;
	c->n_slots = n == 0 ? 256 : n * 2;
	c->slot = tl_xcalloc(c->n_slots, sizeof *c->slot);
	for (size_t i = 0; i < n; i++)
		if (old[i].there != 0)
			c->slot[probe(c, old[i].ids, old[i].caller)] = old[i];
	free(old);
	return true;
}

/* Number of a calling process; MAX_CALLERS where there are too many. */
static uint32_t
number_of(struct k_calls *c, uint32_t process)
{
	uint32_t i = c->last_caller;

	if (i < c->n_callers && c->caller[i] == process)
		return i;
	for (i = 0; i < c->n_callers && c->caller[i] != process; i++)
		continue;
	if (i == MAX_CALLERS) {
		c->full = true;
		return i;
	}
	if (i == c->n_callers)
		c->caller[c->n_callers++] = process;
	c->last_caller = i;
	return i;
}

void
k_calls_add(struct k_calls *c, uint32_t process, uint64_t id, int64_t start)
{
	uint64_t ids = id / 64;
	uint32_t caller = number_of(c, process);
	struct block *b;

	if (!c->any || start < c->first)
		c->first = start;
	if (!c->any || start > c->last)
		c->last = start;
	c->any = true;
	if (id == 0 || caller == MAX_CALLERS)
		return;
	b = c->n_slots == 0 ? NULL : &c->slot[c->recent];
	if (b == NULL || b->there == 0 || b->ids != ids ||
	    b->caller != caller) {
		if (c->n * 4 >= c->n_slots * 3 && !grow(c)) {
			c->full = true;
			return;
		}
		c->recent = probe(c, ids, caller);
		b = &c->slot[c->recent];
	}
	if (b->there == 0) {
		c->n++;
		*b = (struct block){ ids, 0, caller, start, start };
	}
	b->there |= UINT64_C(1) << id % 64;
	if (start < b->first)
		b->first = start;
	if (start > b->last)
		b->last = start;
}

enum k_caller
k_calls_find(const struct k_calls *c, uint64_t id, uint32_t *process,
    int64_t *first, int64_t *last)
{
	enum k_caller found = K_CALLER_NONE;

	if (id == 0 || c->n == 0)
		return K_CALLER_NONE;
	for (uint32_t k = 0; k < c->n_callers; k++) {
		const struct block *b = &c->slot[probe(c, id / 64, k)];

		if ((b->there >> id % 64 & 1) == 0)
			continue;
		if (found == K_CALLER_NONE) {
			*first = b->first;
			*last = b->last;
		}
		if (b->first < *first)
			*first = b->first;
		if (b->last > *last)
			*last = b->last;
		*process = c->caller[k];
		found = found == K_CALLER_NONE ? K_CALLER_ONE : K_CALLER_MANY;
	}
	return found;
}

unsigned
k_calls_only(const struct k_calls *c, uint32_t *process)
{
	if (c->n_callers > 0)
		*process = c->caller[0];
	return c->n_callers > 1 ? 2 : c->n_callers;
}

bool
k_calls_has(const struct k_calls *c, uint32_t process)
{
	for (uint32_t k = 0; k < c->n_callers; k++)
		if (c->caller[k] == process)
			return true;
	return false;
}

bool
k_calls_full(const struct k_calls *c)
{
	return c->full;
}

bool
k_calls_span(const struct k_calls *c, int64_t *first, int64_t *last)
{
	*first = c->first;
	*last = c->last;
	return c->any;
}
