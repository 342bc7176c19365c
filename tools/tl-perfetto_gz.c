#include <stdlib.h>

#include <zlib.h>

#include "io.h"
#include "mem.h"
#include "tl-perfetto.h"

#define CAP ((size_t)TL_BUFSZ)

struct pf_gz {
	z_stream z;
	struct tl_out *out;
	unsigned char in[CAP], buf[CAP];
};

struct pf_gz *
pf_xgz_new(struct tl_out *out)
{
	struct pf_gz *gz = tl_xcalloc(1, sizeof *gz);

	gz->out = out;
	/* 15 + 16: the largest window, in gzip's format, one member */
	if (deflateInit2(&gz->z, 1, Z_DEFLATED, 15 + 16, 8,
	    Z_DEFAULT_STRATEGY) != Z_OK)
		tl_die("%s: compress: out of memory", out->name);
	gz->z.next_out = gz->buf;
	gz->z.avail_out = CAP;
	return gz;
}

static int
step(struct pf_gz *gz, int flush)
{
	int rc = deflate(&gz->z, flush);

	if (gz->z.avail_out == 0 || flush == Z_FINISH) {
		tl_xout_write(gz->out, (const char *)gz->buf,
		    CAP - gz->z.avail_out);
		gz->z.next_out = gz->buf;
		gz->z.avail_out = CAP;
	}
	return rc;
}

void
pf_xgz_put(void *ctx, const char *s, size_t n)
{
	struct pf_gz *gz = ctx;

	while (n > 0) {
		size_t k = n < CAP ? n : CAP;

		memcpy(gz->in, s, k);
		s += k;
		n -= k;
		gz->z.next_in = gz->in;
		gz->z.avail_in = (uInt)k;
		while (gz->z.avail_in > 0)
			if (step(gz, Z_NO_FLUSH) != Z_OK)
				tl_die("%s: compress: %s", gz->out->name,
				    gz->z.msg != NULL ? gz->z.msg : "failed");
	}
}

void
pf_xgz_end(struct pf_gz *gz)
{
	while (step(gz, Z_FINISH) == Z_OK)
		;
	deflateEnd(&gz->z);
	free(gz);
}
