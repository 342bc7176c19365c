#include "evin.h"

#include <stdio.h>

#include "num.h"
#include "what.h"

enum tl_status
tl_evin_open(struct tl_evin *in, const char *path, bool tolerate,
    struct tl_err *err)
{
	*in = (struct tl_evin){ .want = UINT32_MAX, .tolerate = tolerate };
	return tl_in_open(&in->in, path, err);
}

void
tl_evin_close(struct tl_evin *in)
{
	tl_in_close(&in->in);
}

static enum tl_status
fail(const struct tl_evin *in, struct tl_err *err, const char *what,
    struct tl_str subject, const char *why)
{
	char q[TL_QUOTE_SIZE];

	err->line = in->in.line;
	tl_err_set(err, "%s:%llu: %s '%s': %s", in->in.name,
	    (unsigned long long)in->in.line, what,
	    tl_quote(q, sizeof q, subject.p, subject.n), why);
	return TL_ERR;
}

/* What else it is than a stream, by its first line with something in it. */
static const char *
what_else(struct tl_str s, const char *path)
{
	return s.n > 0 && s.p[0] == '#' ? NULL : tl_what(s, path);
}

/* The line at which reading failed, or what there is of it. */
static struct tl_str
rest_of(const struct tl_evin *in, const char *line, size_t len)
{
	if (line != NULL)
		return (struct tl_str){ line, len };
	return (struct tl_str){ in->in.buf + in->in.pos,
		in->in.end - in->in.pos };
}

/* Why the first line is none of a stream. JSON may have empty lines first. */
static enum tl_status
not_a_stream(struct tl_evin *in, struct tl_str line, struct tl_err *err)
{
	struct tl_str next = line;
	char copy[40], why[200];
	const char *what;

	line.n = line.n > sizeof copy ? sizeof copy : line.n;
	memcpy(copy, line.p, line.n);
	line.p = copy;
	for (int i = 0; i < 8 && next.n == 0; i++) {
		struct tl_err skip = { .line = 0 };
		char *p = NULL;
		size_t len = 0;

		if (tl_in_line(&in->in, &p, &len, &skip) == TL_OK)
			next = (struct tl_str){ p, len };
		else
			next = rest_of(in, p, len);
	}
	in->in.line = 1;
	what = what_else(next, in->in.fd == 0 ? NULL : in->in.name);
	if (what == NULL)
		return fail(in, err, "first line", line, "not a stream: "
		    "'#tl-ev' and a version are expected");
	snprintf(why, sizeof why, "not a stream, but %s", what);
	return fail(in, err, "first line", line, why);
}

/* The first line: "#tl-ev", TAB, version. */
static enum tl_status
check_version(struct tl_evin *in, struct tl_str line, struct tl_err *err)
{
	static const char magic[] = "#tl-ev\t";
	uint64_t v = 0;
	char why[80];

	if (line.n < sizeof magic || memcmp(line.p, magic, sizeof magic - 1))
		return not_a_stream(in, line, err);
	line.p += sizeof magic - 1;
	line.n -= sizeof magic - 1;
	if (!tl_num_str_u64(line, &v) || v < TL_EV_VERSION_MIN)
		return fail(in, err, "stream version", line,
		    "must be an integer from 1 up");
	if (v > TL_EV_VERSION) {
		snprintf(why, sizeof why, "newer than this tool reads (%d)",
		    TL_EV_VERSION);
		return fail(in, err, "stream version", line, why);
	}
	return TL_OK;
}

static enum tl_status
missing_end(struct tl_evin *in, struct tl_err *err)
{
	in->cut = true;
	if (in->tolerate && in->started)
		return TL_EOF;
	err->line = in->in.line;
	if (in->started)
		tl_err_set(err, "%s:%llu: stream ended without an end record: "
		    "did its producer fail?", in->in.name,
		    (unsigned long long)in->in.line);
	else
		tl_err_set(err, "%s: empty input, not a stream", in->in.name);
	return TL_ERR;
}

/* The end record: its count must be that of the records, and it is the last
 * line. */
static enum tl_status
check_end(struct tl_evin *in, struct tl_str line, struct tl_err *err)
{
	struct tl_str f[2];
	uint64_t n = 0;
	char why[80], *next;
	size_t len;

	if (tl_fields(f, 2, line.p, line.n) != 2 ||
	    !tl_num_str_u64(f[1], &n))
		return fail(in, err, "end record", line,
		    "must have one column, a count");
	if (n != in->n_records) {
		in->cut = true;
		snprintf(why, sizeof why, "%llu lines came after the header",
		    (unsigned long long)in->n_records);
		if (!in->tolerate)
			return fail(in, err, "end record", f[1], why);
	}
	switch (tl_in_line(&in->in, &next, &len, err)) {
	case TL_EOF:
		return TL_EOF;
	case TL_OK:
		return fail(in, err, "line", (struct tl_str){ next, len },
		    "comes after the end record: were streams concatenated?");
	case TL_ERR:
		break;
	}
	return TL_ERR;
}

static enum tl_kind
kind_of(struct tl_evin *in, struct tl_str line)
{
	const char *tab = memchr(line.p, '\t', line.n);
	struct tl_str word = { line.p, tab ? (size_t)(tab - line.p) : line.n };
	const char *last = in->last_kind < TL_N_KINDS ?
	    tl_kind_name(in->last_kind) : "";

	/* neighbours are mostly of one kind */
	if (!tl_str_is(word, last))
		in->last_kind = tl_kind_of(word);
	return in->last_kind;
}

static enum tl_status
take_record(struct tl_evin *in, struct tl_rec *rec, struct tl_err *err)
{
	struct tl_err cause = { .line = 0 };

	rec->kind = kind_of(in, rec->line);
	if (rec->kind == TL_OTHER) {
		struct tl_str word;

		tl_fields(&word, 1, rec->line.p, rec->line.n);
		if (word.n == 0)
			return fail(in, err, "record", rec->line,
			    "has no kind");
		if (tl_str_is(word, "end"))
			return check_end(in, rec->line, err);
	}
	in->n_records++;
	if (tl_kind_is_event(rec->kind) && (in->want >> rec->kind & 1) &&
	    tl_ev_parse(&rec->ev, rec->kind, rec->line.p, rec->line.n,
	    &cause) != TL_OK) {
		err->line = in->in.line;
		tl_err_set(err, "%s:%llu: %.300s", in->in.name,
		    (unsigned long long)in->in.line, cause.msg);
		return TL_ERR;
	}
	return TL_OK;
}

enum tl_status
tl_evin_next(struct tl_evin *in, struct tl_rec *rec, struct tl_err *err)
{
	char *line = NULL;
	size_t len = 0;
	enum tl_status st = tl_in_line(&in->in, &line, &len, err);

	if (st == TL_EOF)
		return missing_end(in, err);
	if (st == TL_ERR) {
		/* a cut stream: what is whole can still be used on demand */
		if (in->tolerate && in->started && in->in.eof) {
			in->cut = true;
			return TL_EOF;
		}
		if (!in->started && in->in.buf != NULL &&
		    what_else(rest_of(in, line, len), NULL) != NULL)
			return not_a_stream(in, rest_of(in, line, len), err);
		return TL_ERR;
	}
	rec->line = (struct tl_str){ line, len };
	if (!in->started) {
		if (check_version(in, rec->line, err) != TL_OK)
			return TL_ERR;
		in->started = true;
		rec->kind = TL_HEADER;
		return TL_OK;
	}
	if (len > 0 && line[0] == '#') {
		if (in->in_records)
			return fail(in, err, "header line", rec->line,
			    "comes after a record: were streams concatenated?");
		rec->kind = TL_HEADER;
		return TL_OK;
	}
	in->in_records = true;
	return take_record(in, rec, err);
}
