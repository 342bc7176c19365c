#ifndef TL_CONV_PAIR_H
#define TL_CONV_PAIR_H

#include "conv.h"

/* Two records of one execution become one event, by the rules of
 * event_reconciliation; private to conv*.c. Events go in in the order of a
 * stream, are held while one of them may still meet its partner, and are
 * written in that order, one of a pair as evidence of the other.
 *
 * Held are the events that start within the longest record that a rule may be
 * about, and at most about 64 MiB of them; a record that would have to wait
 * for longer stays as it is, and is counted. */
struct tl_conv_pairs;

/* NULL where no rule is for the provider. */
struct tl_conv_pairs *tl_xconv_pairs_new(const struct tl_rules *rules,
    const char *provider);
void tl_conv_pairs_free(struct tl_conv_pairs *p);

/* The next event, sorted by tl_ev_cmp; writes what need not wait any more. */
void tl_xconv_pairs_add(struct tl_conv *c, const struct tl_ev *ev,
    const struct tl_conv_name *nm);

/* Writes the rest. */
void tl_xconv_pairs_end(struct tl_conv *c);

/* Tells the rules what was reconciled. */
void tl_conv_pairs_count(const struct tl_conv_pairs *p, struct tl_rules *rules);

/* What each rule met: as notes, or on standard error where out is NULL. */
void tl_xconv_pairs_say(const struct tl_conv_pairs *p, struct tl_evout *out);

/* Writes an event with more keys than its own: "key=value", escaped, in byte
 * order (conv.c). */
bool tl_xconv_put(struct tl_conv *c, struct tl_ev *ev,
    const struct tl_conv_name *nm, const struct tl_str *more, size_t n);

#endif
