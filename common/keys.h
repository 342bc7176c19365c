#ifndef TL_KEYS_H
#define TL_KEYS_H

#include <stdint.h>

#include "str.h"

/* Builds the last columns of an event, key=value with a TAB between, in byte
 * order of the keys, values escaped. Zero-initialise; reuse for every event
 * by tl_keys_reset. */
struct tl_keys {
	char *buf;   /* texts "key=value" one after the other */
	size_t len, cap;
	size_t n;
	struct { size_t at, len, key_len; } item[64];
	char *out;
	size_t out_cap;
};

void tl_keys_reset(struct tl_keys *k);

/* Adds a key; the value is raw and escaped here. An empty value is left out.
 * A key that is there already keeps its first value. At most 64 keys: more
 * are left out (no converter has them). */
void tl_xkeys_add(struct tl_keys *k, const char *key, struct tl_str raw);
void tl_xkeys_add_i64(struct tl_keys *k, const char *key, int64_t v);

/* The columns without a leading TAB; valid until the next reset. n is 0 if
 * there are none. */
struct tl_str tl_xkeys_done(struct tl_keys *k);

void tl_keys_free(struct tl_keys *k);

#endif
