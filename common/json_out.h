#ifndef TL_JSON_OUT_H
#define TL_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/* Writer of JSON (RFC 8259). It keeps track of commas; the caller sees to it
 * that keys and values alternate within objects. All strings come out as raw
 * UTF-8 without \u escapes, which Perfetto's reader does not take everywhere.
 *
 * "Text" below is text of a stream, escaped as tl-ev(5) says: \t, \n and \\
 * come out as what they stand for, \xHH as these four characters, and bytes
 * that no stream should have in the same form. */
struct tl_json {
	/* Takes what was written, in pieces; exits on failure. */
	void (*put)(void *ctx, const char *p, size_t n);
	void *ctx;
	/* private */
	char *buf;
	size_t len;
	bool comma; /* the next key or value needs one before it */
};

void tl_xjson_open(struct tl_json *j,
    void (*put)(void *ctx, const char *p, size_t n), void *ctx);

/* Hands over what is left and frees the buffer. */
void tl_xjson_close(struct tl_json *j);

void tl_xjson_begin(struct tl_json *j, char bracket); /* '{' or '[' */
void tl_xjson_end(struct tl_json *j, char bracket);   /* '}' or ']' */

/* A newline; before the next key or value, behind the comma it needs. */
void tl_xjson_line(struct tl_json *j);

/* A key: letters that need no escape; text, with what stands before it. */
void tl_xjson_key(struct tl_json *j, struct tl_str key);
void tl_xjson_key_text(struct tl_json *j, const char *before,
    struct tl_str text);
#define TL_XJSON_KEY(j, s) tl_xjson_key(j, TL_LIT(s))

void tl_xjson_u64(struct tl_json *j, uint64_t v);
void tl_xjson_i64(struct tl_json *j, int64_t v);

/* A number if a double holds it exactly, else a string of its digits. */
void tl_xjson_exact(struct tl_json *j, int64_t v);

/* Nanoseconds as microseconds with three decimals. */
void tl_xjson_us(struct tl_json *j, uint64_t ns);

/* A number as it is; tl_json_is_number says whether a text is one. */
void tl_xjson_number(struct tl_json *j, struct tl_str s);
bool tl_json_is_number(struct tl_str s);

void tl_xjson_text(struct tl_json *j, struct tl_str text);

/* A number where the text is an integer that a double holds exactly, else a
 * string: ids, which are opaque. */
void tl_xjson_token(struct tl_json *j, struct tl_str text);

/* A string piece by piece. */
void tl_xjson_str(struct tl_json *j);
void tl_xjson_str_text(struct tl_json *j, struct tl_str text);
void tl_xjson_str_puts(struct tl_json *j, const char *s); /* needs no escape */
void tl_xjson_str_u64(struct tl_json *j, uint64_t v);
void tl_xjson_str_end(struct tl_json *j);

#endif
