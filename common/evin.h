#ifndef TL_EVIN_H
#define TL_EVIN_H

#include "ev.h"
#include "io.h"

/* A line of a stream. */
struct tl_rec {
	enum tl_kind kind;
	struct tl_str line; /* without LF; valid until the next call */
	struct tl_ev ev;    /* filled where kind is an event and wanted */
};

/* Reader of a stream. Checks the version, that header lines come first, and
 * that the end record is there, counts right and is the last line. */
struct tl_evin {
	struct tl_in in;
	uint32_t want;   /* kinds of event to parse, 1U << kind; default all */
	bool tolerate;   /* a missing or wrong end record is no error ... */
	bool cut;        /* ... but seen here after TL_EOF */
	/* private */
	bool started, in_records;
	uint64_t n_records;
	enum tl_kind last_kind;
};

/* Opens path (NULL or "-" for standard input). */
enum tl_status tl_evin_open(struct tl_evin *in, const char *path,
    bool tolerate, struct tl_err *err) TL_MUST_USE;

/* Next line. TL_EOF after a good end record, which is not given out itself
 * (with tolerate also without one). Messages have the form
 * "file:line: what 'subject': cause". */
enum tl_status tl_evin_next(struct tl_evin *in, struct tl_rec *rec,
    struct tl_err *err) TL_MUST_USE;

void tl_evin_close(struct tl_evin *in);

#endif
