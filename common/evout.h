#ifndef TL_EVOUT_H
#define TL_EVOUT_H

#include "ev.h"
#include "io.h"

/* Writer of a stream. All functions exit 1 when a write fails (io.h). A line
 * is begun by _head or _rec, gets its columns one by one, and is ended by
 * _eol; columns bring their TAB with them. */
struct tl_evout {
	struct tl_out out;
	uint64_t n_records; /* lines after the header */
	uint64_t n_events;  /* the last id given */
	uint64_t n_too_long; /* events dropped: the end has a note of them */
};

/* Opens path (NULL or "-": standard output); writes nothing yet. */
void tl_xevout_open(struct tl_evout *o, const char *path);

/* The first line of a stream. */
void tl_xevout_version(struct tl_evout *o);

void tl_xevout_head(struct tl_evout *o, const char *word); /* "#word" */
void tl_xevout_rec(struct tl_evout *o, enum tl_kind kind);
void tl_xevout_word(struct tl_evout *o, const char *kind); /* of no enum */
void tl_xevout_eol(struct tl_evout *o);

void tl_xevout_raw(struct tl_evout *o, struct tl_str s);  /* as it is, "." if
                                                             empty */
void tl_xevout_text(struct tl_evout *o, struct tl_str s); /* escaped here */
void tl_xevout_u64(struct tl_evout *o, uint64_t v);
void tl_xevout_i64(struct tl_evout *o, int64_t v);
void tl_xevout_ns(struct tl_evout *o, int64_t v);         /* TL_NONE: "." */
void tl_xevout_none(struct tl_evout *o);                  /* "." */

/* key=value; a value that is empty is left out altogether. The caller keeps
 * keys in byte order. */
void tl_xevout_kv(struct tl_evout *o, const char *key, struct tl_str raw);

/* #prog line: this program, its version and arguments. */
void tl_xevout_prog(struct tl_evout *o, int argc, char *const *argv);

/* An event; text columns are in their escaped form. Its id is the next one,
 * whatever ev->id says. False if its line would be longer than TL_LINE_MAX:
 * then nothing is written, and the event counts as dropped. */
bool tl_xevout_event(struct tl_evout *o, const struct tl_ev *ev);

/* The same up to column 12: keys (ev->keys is ignored), more bytes with their
 * TABs, and _eol follow. */
bool tl_xevout_event_open(struct tl_evout *o, const struct tl_ev *ev,
    size_t more);

enum tl_severity { TL_INFO, TL_WARN, TL_ERROR };

/* A note. count is how many things it speaks of, TL_NONE if that is no
 * question. The text is a printf format and may hold anything. */
void tl_xevout_note(struct tl_evout *o, enum tl_severity severity,
    const char *code, int64_t count, const char *fmt, ...) TL_PRINTF(5, 6);

/* A line that another program wrote, byte for byte. */
void tl_xevout_line(struct tl_evout *o, struct tl_str line);

/* The end record; closes and publishes. Only after success. */
void tl_xevout_end(struct tl_evout *o);

#endif
