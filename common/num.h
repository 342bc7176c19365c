#ifndef TL_NUM_H
#define TL_NUM_H

#include <stdint.h>

#include "err.h"
#include "str.h"

/* Reads a decimal integer at *p, which ends before end: an optional minus,
 * no plus sign, no leading zeros, no "-0". On success moves *p behind the last
 * digit and answers true; false where there is none or it does not fit. */
bool tl_num_i64(const char **p, const char *end, int64_t *v);
bool tl_num_u64(const char **p, const char *end, uint64_t *v);

/* The same for a text that must be used up. */
bool tl_num_str_i64(struct tl_str s, int64_t *v);
bool tl_num_str_u64(struct tl_str s, uint64_t *v);

/* How tl_num_us_ns came out. */
enum tl_num_us {
	TL_NUM_EXACT,
	TL_NUM_CUT,      /* digits below a nanosecond that are not 0: cut off */
	TL_NUM_BAD,      /* no decimal number */
	TL_NUM_OVERFLOW, /* does not fit into int64 nanoseconds */
};

/* A decimal number of microseconds, as JSON writes numbers (exponent allowed),
 * to nanoseconds, without a detour over binary fractions:
 * 1712195495519689.047 is 1712195495519689047. Digits below a nanosecond are
 * cut off towards zero. Leading zeros are taken as they come. */
enum tl_num_us tl_num_us_ns(struct tl_str s, int64_t *ns);

/* A size as options take it: digits, then nothing, K, M or G (powers of 1024).
 * False where it is something else or does not fit. */
bool tl_num_size(const char *s, uint64_t *v);

/* Writes v in decimal at out (room for 20 bytes) and returns the length. No
 * NUL is added. */
size_t tl_num_put_u64(char *out, uint64_t v);
size_t tl_num_put_i64(char *out, int64_t v);

#endif
