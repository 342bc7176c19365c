#ifndef TL_ESC_H
#define TL_ESC_H

#include "err.h"
#include "str.h"

/* Length of the UTF-8 sequence at s (1 to 4), 0 where s[0..len) does not begin
 * with one (overlong forms, surrogates and code points above U+10FFFF count as
 * none: RFC 3629). len must be at least 1. */
size_t tl_utf8_len(const char *s, size_t len);

/* True if text needs no escape: no byte below 0x20, no 0x7f, no backslash, all
 * UTF-8. */
bool tl_esc_clean(const char *s, size_t len);

/* Writes the stream's form of raw text into out, which has room for
 * 4 * len bytes, and returns its length: \t \n \\ by name, other control
 * bytes, 0x7f and bytes that are not UTF-8 as \xHH with capital digits. A
 * text that is just "." is written \x2E, so that it is not taken for the
 * placeholder. An empty text has no form: callers write the placeholder. */
size_t tl_esc(char *out, const char *s, size_t len);

/* The way back, in place or into another buffer of len bytes. Returns the raw
 * length. The text must be well-formed (tl_esc_check). */
size_t tl_unesc(char *out, const char *s, size_t len);

/* TL_ERR (with the byte's offset in err->off and a cause in err->msg) unless s
 * is text exactly as tl_esc writes it. */
enum tl_status tl_esc_check(const char *s, size_t len, struct tl_err *err);

#endif
