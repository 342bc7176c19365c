#ifndef TL_COST_H
#define TL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "ev.h"

/* Costs of windows of time, as tl-ev(5) defines them: unions of a scope's
 * device events, nanoseconds. Of the classes TL_NONE where an opaque graph lies
 * in the window. */
struct tl_cost {
	int64_t busy, compute, comm, comm_exposed, copy, copy_exposed;
};

struct tl_costs; /* opaque */

/* First all events are added, by start, then it is made ready, then asked. The
 * caller frees it; NULL is nothing. */
struct tl_costs *tl_xcosts_new(void);
void tl_xcosts_add(struct tl_costs *c, int64_t from_ns, int64_t to_ns,
    enum tl_class cls, bool opaque);
void tl_xcosts_ready(struct tl_costs *c);
void tl_costs_free(struct tl_costs *c);

/* Costs of [from, to). Fastest when windows come in order of time. */
struct tl_cost tl_cost_of(struct tl_costs *c, int64_t from_ns, int64_t to_ns);

#endif
