#ifndef TL_FILTER_H
#define TL_FILTER_H

#include "evin.h"
#include "evout.h"
#include "spool.h"

/* A program in the middle of a pipe: what it reads it passes on byte for byte,
 * then it adds records of its own. All functions exit 1 with a message on bad
 * input. Set what the tool wants, then open. */
struct tl_filter {
	struct tl_evin in;
	struct tl_evout out;
	uint32_t own;            /* kinds it adds, 1U << kind */
	const char *done_word;   /* "recovered": for "already ..." */
	const char *note_prefix; /* codes of its notes begin like this */
	bool redo;               /* -f: drop those records and notes */
	bool no_prog;            /* -P */
	int argc;
	char *const *argv;
	bool hold;               /* what is read is kept, and passed on only by
	                            tl_xfilter_release: nothing is written if
	                            the tool fails before */
	/* Adds header lines before #order, or NULL; gets put_header_of. */
	void (*put_header)(struct tl_evout *out, void *arg);
	void *put_header_of;
	/* private */
	bool prog_done, header_done;
	struct tl_spool *held;
};

void tl_xfilter_open(struct tl_filter *f, const char *in_path,
    const char *out_path, bool tolerate);

/* Next line, passed on already. The incoming end record is dropped. False at
 * the end; then the tool adds its records to f->out and calls
 * tl_xfilter_end. */
bool tl_xfilter_next(struct tl_filter *f, struct tl_rec *rec);

/* Passes on what was kept, with hold; does nothing without. */
void tl_xfilter_release(struct tl_filter *f);

/* Adds a note on a missing end record (-t), the end record, and closes. */
void tl_xfilter_end(struct tl_filter *f);

#endif
