#include "filter.h"

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
}

static void
put_prog(struct tl_filter *f)
{
	if (!f->prog_done && !f->no_prog)
		tl_xevout_prog(&f->out, f->argc, f->argv);
	f->prog_done = true;
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

bool
tl_xfilter_next(struct tl_filter *f, struct tl_rec *rec)
{
	struct tl_err err;

	for (;;) {
		switch (tl_evin_next(&f->in, rec, &err)) {
		case TL_ERR:
			tl_die("%s", err.msg);
		case TL_EOF:
			put_prog(f);
			return false;
		case TL_OK:
			break;
		}
		if (rec->kind == TL_HEADER) {
			tl_xevout_line(&f->out, rec->line);
			return true;
		}
		put_prog(f);
		if (!is_own(f, rec)) {
			tl_xevout_line(&f->out, rec->line);
			return true;
		}
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
