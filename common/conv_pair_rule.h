#ifndef TL_CONV_PAIR_RULE_H
#define TL_CONV_PAIR_RULE_H

#include "conv.h"

/* A rule of event_reconciliation as it is asked about events. Private to
 * conv_pair*.c. */

enum { JOINED, AMBIGUOUS, CONFLICT, LATE, ALONE, N_STATUS };

struct pair_rule {
	struct tl_rules_pair r;
	size_t number;             /* among all rules of the stage */
	struct tl_str type;        /* normalised */
	struct tl_str op, prefix;  /* escaped */
	struct tl_str key;         /* "rule=...", escaped */
	uint64_t count[N_STATUS];
};

/* A side of a rule that an event is. Events that can be partners have the same
 * hash. */
struct pair_fit {
	uint64_t hash;
	uint32_t rule;
	bool inner; /* the concrete task, the collective */
};

/* number is that of tl_xrules_pairs; texts are kept in the arena. */
void tl_xconv_pair_rule(struct pair_rule *x, const struct tl_rules_pair *r,
    size_t number, struct tl_arena *a);

/* Fills fit[n_rules] by rule; how many rules may be about the event. */
uint32_t tl_conv_pair_fit(const struct pair_rule *rule, size_t n_rules,
    const struct tl_ev *ev, const struct tl_conv_name *nm,
    struct pair_fit *fit);

/* Whether enough of in lies in out: overlap * whole >= duration * part. */
bool tl_conv_pair_contained(const struct tl_rules_pair *r, int64_t in_start,
    int64_t in_end, int64_t out_start, int64_t out_end);

#endif
