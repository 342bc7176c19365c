/* tl-check: streams in, nothing out but what is wrong with them.
 *
 * One pass; tl-check_line.c looks at the bytes of each line, _head.c at the
 * header and events, _find.c at findings. In memory: ranges of event ids,
 * positions, launches and units. */
#include "tl-check.h"

#include <stdlib.h>
#include <unistd.h>

#include "mem.h"
#include "opt.h"

#define MAX_FAULTS 100

static const struct tl_tool tool = {
	.name = "tl-check",
	.optstring = ":hkqtV",
	.usage = "[-kqt] [file ...]",
	.help = "Says whether event streams are whole and right.\n"
	    "  -k  name all faults, not only the first of a stream\n"
	    "  -q  quiet: only the exit status tells\n"
	    "  -t  tolerate a missing end record\n"
	    "  -h  this text\n"
	    "  -V  version\n",
};

void
check_fault(struct check *c, uint64_t line, const char *what,
    struct tl_str subject, const char *why)
{
	char q[TL_QUOTE_SIZE];

	if (c->n_faults > 0 && (!c->all || line == c->fault_line))
		return;
	c->n_faults++;
	c->fault_line = line;
	if (!c->quiet && c->n_faults <= MAX_FAULTS)
		tl_msg("%s:%llu: %s '%s': %s", c->in.in.name,
		    (unsigned long long)line, what,
		    tl_quote(q, sizeof q, subject.p, subject.n), why);
}

void
check_fault_here(struct check *c, const char *what, struct tl_str subject,
    const char *why)
{
	check_fault(c, c->in.in.line, what, subject, why);
}

/* A fault that the reader found; it has made the message. */
static void
reader_fault(struct check *c, const struct tl_err *err)
{
	if (c->n_faults > 0 && !c->all)
		return;
	c->n_faults++;
	c->fault_line = c->in.in.line;
	if (!c->quiet && c->n_faults <= MAX_FAULTS)
		tl_msg("%s", err->msg);
}

static void
check_record(struct check *c, const struct tl_rec *rec)
{
	check_columns(c, rec->line);
	if (rec->kind == TL_HEADER)
		check_header(c, rec->line);
	else if (tl_kind_is_event(rec->kind))
		check_event(c, rec);
	else
		check_finding(c, rec->kind, rec->line);
}

/* Reads the stream to its end, or to where going on makes no sense. */
static void
check_lines(struct check *c)
{
	struct tl_rec rec;
	struct tl_err err = { .line = 0 };

	while (c->n_faults == 0 || (c->all && c->n_faults < MAX_FAULTS)) {
		uint64_t off = c->in.in.off;

		switch (tl_evin_next(&c->in, &rec, &err)) {
		case TL_OK:
			check_record(c, &rec);
			break;
		case TL_EOF:
			check_findings_end(c);
			return;
		case TL_ERR:
			reader_fault(c, &err);
			/* the reader stays where it can't get past a fault */
			if (!c->in.started || c->in.in.off == off ||
			    c->in.in.eof)
				return;
		}
	}
}

static void
check_free(struct check *c)
{
	tl_evin_close(&c->in);
	tl_intern_free(&c->seen);
	tl_intern_free(&c->tags);
	free(c->ids.range);
	free(c->last_place);
	check_findings_free(c);
}

/* True if the stream is good. */
static bool
check_file(const char *path, bool all, bool quiet, bool tolerate)
{
	struct check c = { .all = all, .quiet = quiet };
	struct tl_err err = { .line = 0 };

	if (tl_evin_open(&c.in, path, tolerate, &err) != TL_OK) {
		if (!quiet)
			tl_msg("%s", err.msg);
		return false;
	}
	check_lines(&c);
	if (c.n_faults == 0 && c.in.cut && !quiet)
		tl_msg("%s:%llu: warning: no end record, or a wrong count",
		    c.in.in.name, (unsigned long long)c.in.in.line);
	if (c.n_faults >= MAX_FAULTS && !quiet)
		tl_msg("%s:%llu: %d faults: given up", c.in.in.name,
		    (unsigned long long)c.in.in.line, MAX_FAULTS);
	check_free(&c);
	return c.n_faults == 0;
}

int
main(int argc, char *argv[])
{
	bool all = false, quiet = false, tolerate = false, good = true;
	int c;

	tl_xstart(&tool);
	while ((c = tl_xgetopt(&tool, argc, argv)) != -1) {
		switch (c) {
		case 'k':
			all = true;
			break;
		case 'q':
			quiet = true;
			break;
		case 't':
			tolerate = true;
			break;
		}
	}
	if (optind == argc)
		return !check_file(NULL, all, quiet, tolerate);
	for (; optind < argc; optind++)
		good &= check_file(argv[optind], all, quiet, tolerate);
	return !good;
}
