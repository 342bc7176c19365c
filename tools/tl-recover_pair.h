#ifndef TL_RECOVER_PAIR_H
#define TL_RECOVER_PAIR_H

/* Two records of one piece of work, by rules of event_reconciliation. Private
 * to tl-recover. */

#include "rules.h"
#include "tl-recover_scope.h"

struct rec_pairs; /* NULL: there are no such rules */

struct rec_pairs *rec_pairs_new(const struct tl_rules *rules);
void rec_pairs_free(struct rec_pairs *p);

/* Keeps what rules ask about an event. */
void rec_pairs_add(struct rec_pairs *p, const struct tl_ev *ev);

/* Makes one event of each pair, when all is read: what takes part is the
 * concrete one, or the task, and the other is counted nowhere. */
void rec_pairs_join(struct rec_pairs *p, struct rec_capture *cap);

/* What each rule met, as a note; with out NULL on standard error. */
void rec_pairs_say(const struct rec_pairs *p, struct tl_evout *out);

#endif
