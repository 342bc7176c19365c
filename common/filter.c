#include "filter.h"

/* Bytes of lines that are kept in memory. */
#define HOLD_BUDGET ((uint64_t)64 << 20)

void
tl_xfilter_open(struct tl_filter *f, const char *in_path,
    const char *out_path, bool tolerate)
{
	struct tl_err err;
	uint32_t want = f->in.want;

	tl_xout_not_input(out_path, in_path);
	if (tl_evin_open(&f->in, in_path, tolerate, &err) != TL_OK)
		tl_die("%s", err.msg);
	if (want != 0)
		f->in.want = want;
	tl_xevout_open(&f->out, out_path);
	if (f->hold)
		f->held = tl_xspool_new(HOLD_BUDGET);
}

static void
put_header(struct tl_filter *f)
{
	if (!f->header_done && f->put_header != NULL)
		f->put_header(&f->out, f->put_header_of);
	f->header_done = true;
}

static void
put_prog(struct tl_filter *f)
{
	put_header(f);
	if (!f->prog_done && !f->no_prog)
		tl_xevout_prog(&f->out, f->argc, f->argv);
	f->prog_done = true;
}

static bool
begins(struct tl_str line, const char *word)
{
	size_t n = strlen(word);

	return line.n >= n && memcmp(line.p, word, n) == 0;
}

/* Passes a line on. */
static void
pass_on(struct tl_filter *f, struct tl_str line)
{
	if (line.n == 0 || line.p[0] != '#')
		put_prog(f);
	else if (begins(line, "#order") || begins(line, "#prog"))
		put_header(f);
	tl_xevout_line(&f->out, line);
}

static void
take_line(struct tl_filter *f, struct tl_str line)
{
	if (f->held != NULL)
		tl_xspool_add(f->held, line);
	else
		pass_on(f, line);
}

void
tl_xfilter_release(struct tl_filter *f)
{
	struct tl_str line;

	if (f->held == NULL)
		return;
	while (tl_xspool_next(f->held, &line))
		pass_on(f, line);
	put_prog(f);
	tl_spool_free(f->held);
	f->held = NULL;
}

/* A record this tool itself wrote in an earlier run. */
static bool
is_own(const struct tl_filter *f, const struct tl_rec *rec)
{
	struct tl_str c[3];
	size_t n = strlen(f->note_prefix);

	if (rec->kind < TL_N_KINDS && (f->own >> rec->kind & 1))
		return true;
	return rec->kind == TL_NOTE && f->redo &&
	    tl_fields(c, 3, rec->line.p, rec->line.n) >= 3 && c[2].n > n &&
	    memcmp(c[2].p, f->note_prefix, n) == 0;
}

/* A line of rules that an earlier run added. */
static bool
is_own_header(const struct tl_filter *f, struct tl_str line)
{
	return f->redo && f->put_header != NULL &&
	    (begins(line, "#rules\tmacro_matching\t") ||
	    begins(line, "#rules\tstructure\t"));
}

bool
tl_xfilter_next(struct tl_filter *f, struct tl_rec *rec)
{
	struct tl_err err;

	for (;;) {
		switch (tl_evin_next(&f->in, rec, &err)) {
		case TL_ERR:
			tl_die("%s", err.msg);
		case TL_EOF:
			if (f->held == NULL)
				put_prog(f);
			return false;
		case TL_OK:
			break;
		}
		if (rec->kind == TL_HEADER ? !is_own_header(f, rec->line) :
		    !is_own(f, rec)) {
			take_line(f, rec->line);
			return true;
		}
		if (rec->kind == TL_HEADER)
			continue;
		if (!f->redo)
			tl_die("%s:%llu: record '%s': already %s (-f does it "
			    "again)", f->in.in.name,
			    (unsigned long long)f->in.in.line,
			    tl_kind_name(rec->kind), f->done_word);
	}
}

void
tl_xfilter_end(struct tl_filter *f)
{
	if (f->in.cut)
		tl_xevout_note(&f->out, TL_WARN, "no_end_record", TL_NONE,
		    "%s: the stream ended without a right end record; events "
		    "may be missing", tl_prog);
	tl_evin_close(&f->in);
	tl_xevout_end(&f->out);
}
