#ifndef TL_CHECK_H
#define TL_CHECK_H

/* Private to tl-check: the state of the check of one stream. Each part checks
 * one group of lines and reports by check_fault. */

#include "evin.h"
#include "intern.h"

/* Ids of the events so far, as ranges without a gap. */
struct check_ids {
	struct check_range {
		uint64_t first, last;
	} *range;
	size_t n, cap;
};

/* A position of a scope; number N001 is at index 0. */
struct check_pos {
	uint32_t parent; /* index, UINT32_MAX for a root */
	uint32_t depth, n_children;
	bool is_leaf;
	uint64_t n_occ, n_variants;  /* records so far */
	uint64_t max_ref, ref_line;  /* greatest n that was named, and where */
};

struct check_scope {
	struct check_pos *pos;
	size_t n, cap;
};

/* A launch or unit, by number in the set of ids. */
struct check_thing {
	bool defined;
	uint64_t ref_line; /* where it was first named, 0: not yet */
};

struct check_things {
	struct tl_intern ids;
	struct check_thing *thing;
	size_t n, cap;
};

struct check {
	struct tl_evin in;
	bool all;              /* -k */
	bool quiet;            /* -q */
	uint64_t n_faults;
	uint64_t fault_line;   /* line of the last fault */

	/* header */
	int rank;              /* of the last header line with a rank */
	bool has_places;       /* there was a #place line */
	struct tl_intern seen; /* processes and devices */
	struct tl_intern tags; /* of places */

	/* events */
	struct check_ids ids;
	struct tl_ev last;     /* only what tl_ev_cmp looks at */
	char *last_place;
	size_t last_place_cap;

	/* findings */
	struct tl_intern scopes;
	struct check_scope *scope;
	size_t n_scopes, scope_cap;
	struct check_things launches, units;
};

/* Reports a fault of a line, "FILE:LINE: what 'subject': why". Only the first
 * one of a line, and without -k of a stream, is shown. */
void check_fault(struct check *c, uint64_t line, const char *what,
    struct tl_str subject, const char *why);

/* The same for the line being read. */
void check_fault_here(struct check *c, const char *what,
    struct tl_str subject, const char *why);

/* Bytes and columns of any line. */
void check_columns(struct check *c, struct tl_str line);

/* True if the fields, key=value each, are in ascending order, none twice; a
 * fault is reported otherwise. Keys of events are of [a-z0-9_]. */
bool check_keys(struct check *c, struct tl_str fields, bool of_event);

void check_header(struct check *c, struct tl_str line);
void check_event(struct check *c, const struct tl_rec *rec);
bool check_ids_have(const struct check_ids *ids, uint64_t id);

/* A record that is no event: a finding, a note, or one of another kind. */
void check_finding(struct check *c, enum tl_kind kind, struct tl_str line);

/* What only the end can tell: names of things that never came. */
void check_findings_end(struct check *c);
void check_findings_free(struct check *c);

#endif
