#ifndef TL_SHA256_H
#define TL_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256, FIPS 180-4. */
#define TL_SHA256_SIZE 32
#define TL_SHA256_HEX (2 * TL_SHA256_SIZE + 1)

struct tl_sha256 {
	uint32_t h[8];
	uint64_t n; /* bytes so far */
	unsigned char block[64];
};

void tl_sha256_init(struct tl_sha256 *s);
void tl_sha256_add(struct tl_sha256 *s, const void *p, size_t len);
void tl_sha256_end(struct tl_sha256 *s, unsigned char out[TL_SHA256_SIZE]);

/* Digest of p[0..len) as lower-case hexadecimal digits and a NUL. */
void tl_sha256_hex(const void *p, size_t len, char out[TL_SHA256_HEX]);

#endif
