#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "tl-perfetto.h"

/* So many notes get a bar of their own; all are in the metadata. */
#define MAX_BARS 50

enum { N_SEVERITY = 1, N_CODE, N_COUNT, N_TEXT, N_N };

struct own_note {
	uint64_t n; /* things it speaks of; 0: nothing to say */
	const char *severity, *code, *text;
};

static void
add(struct pf *p, const struct own_note *o)
{
	char buf[400];
	int n = snprintf(buf, sizeof buf, "note\t%s\tperfetto_%s\t%llu\t%s",
	    o->severity, o->code, (unsigned long long)o->n, o->text);

	p->note = tl_xgrow(p->note, p->n_notes, &p->cap_notes, sizeof *p->note);
	p->note[p->n_notes++] = (struct tl_str){
		tl_xarena_copy(&p->arena, buf, (size_t)n), (size_t)n };
}

static void
add_own(struct pf *p)
{
	const struct own_note own[] = {
		{ p->n_folded, "info", "folded", "iterations are drawn as "
		    "one bar, without what lies in them" },
		{ p->n_open, "info", "open", "ranges were open when the "
		    "capture ended and are drawn to its end" },
		{ p->n_replaced, "info", "replaced", "intervals of graphs "
		    "are not drawn, since all their members are" },
		{ p->n_no_time, "warn", "no_time", "graph launches have no "
		    "time on a device and are not drawn" },
		{ p->n_no_number, "warn", "counter", "values of counters "
		    "are no numbers and are not drawn" },
		{ p->n_early, "warn", "queue", "device events begin before "
		    "their call and are not counted in the queue" },
		{ p->n_covered, "info", "covered", "arrows are not drawn, "
		    "since another slice begins with their call" },
		{ p->cut, "warn", "no_end", "the stream ended without a right "
		    "end record; events may be missing" },
	};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (own[i].n > 0)
			add(p, &own[i]);
}

static struct tl_str
column(struct tl_str note, int which)
{
	struct tl_str c[N_N];

	tl_fields(c, N_N, note.p, note.n);
	return c[which];
}

/* Errors, then warnings, then the rest, each in the order of the stream. Only
 * the first two get bars. */
static void
sort_notes(struct pf *p)
{
	p->shown = tl_xreallocarray(NULL, p->n_notes, sizeof *p->shown);
	for (int rank = 0; rank < 3; rank++) {
		for (size_t i = 0; i < p->n_notes; i++) {
			struct tl_str s = column(p->note[i], N_SEVERITY);
			int r = tl_str_is(s, "error") ? 0 :
			    tl_str_is(s, "warn") ? 1 : 2;

			if (r == rank && (r < 2 || !p->opt.quiet))
				p->shown[p->n_shown++] = (uint32_t)i;
		}
		if (rank == 1)
			p->n_serious = p->n_shown;
	}
}

static size_t
n_bars(const struct pf *p)
{
	return p->n_serious < MAX_BARS ? p->n_serious : MAX_BARS;
}

void
pf_xnotes(struct pf *p)
{
	struct pf_pack *k;
	size_t bars;

	add_own(p);
	sort_notes(p);
	p->notes_group = pf_xgroup(p, PF_NOTES, 0, TL_LIT(".\t.\t.\t."));
	k = p->group[p->notes_group].pack;
	bars = 1 + n_bars(p) + (n_bars(p) < p->n_serious);
	for (size_t i = 0; i < bars; i++)
		pf_xpack(k, p->origin_ns, p->end_ns - p->origin_ns);
	p->n_slices += bars;
}

static void
open_bar(const struct pf *p, struct tl_json *j)
{
	pf_xslice(p, j, p->notes_group, 0, p->origin_ns,
	    p->end_ns - p->origin_ns, "note");
	TL_XJSON_KEY(j, "name");
	tl_xjson_str(j);
}

/* Perfetto shows arguments of a slice, but no metadata of its own. */
static void
capture_bar(const struct pf *p, struct tl_json *j, int argc, char *const *argv)
{
	struct tl_str path = pf_source(p, "path");
	struct tl_str kind = pf_source(p, "kind");

	open_bar(p, j);
	tl_xjson_str_puts(j, "capture");
	if (path.p != NULL) {
		tl_xjson_str_puts(j, " ");
		tl_xjson_str_text(j, path);
	}
	if (kind.p != NULL) {
		tl_xjson_str_puts(j, " (");
		tl_xjson_str_text(j, kind);
		tl_xjson_str_puts(j, ")");
	}
	tl_xjson_str_end(j);
	TL_XJSON_KEY(j, "args");
	pf_xmetadata(p, j, argc, argv);
	tl_xjson_end(j, '}');
}

void
pf_xnote_text(struct tl_json *j, struct tl_str note)
{
	struct tl_str c[N_N];

	tl_fields(c, N_N, note.p, note.n);
	tl_xjson_str_text(j, c[N_SEVERITY]);
	tl_xjson_str_puts(j, " ");
	tl_xjson_str_text(j, c[N_CODE]);
	if (!tl_str_none(c[N_COUNT])) {
		tl_xjson_str_puts(j, " ");
		tl_xjson_str_text(j, c[N_COUNT]);
	}
	tl_xjson_str_puts(j, ": ");
	tl_xjson_str_text(j, c[N_TEXT]);
}

static void
note_bar(const struct pf *p, struct tl_json *j, struct tl_str note)
{
	struct tl_str c[N_N];

	tl_fields(c, N_N, note.p, note.n);
	open_bar(p, j);
	pf_xnote_text(j, note);
	tl_xjson_str_end(j);
	TL_XJSON_KEY(j, "args");
	tl_xjson_begin(j, '{');
	TL_XJSON_KEY(j, "severity");
	tl_xjson_text(j, c[N_SEVERITY]);
	TL_XJSON_KEY(j, "code");
	tl_xjson_text(j, c[N_CODE]);
	if (!tl_str_none(c[N_COUNT])) {
		TL_XJSON_KEY(j, "count");
		tl_xjson_token(j, c[N_COUNT]);
	}
	tl_xjson_end(j, '}');
	tl_xjson_end(j, '}');
}

void
pf_xnotes_write(const struct pf *p, struct tl_json *j, int argc,
    char *const *argv)
{
	capture_bar(p, j, argc, argv);
	for (size_t i = 0; i < n_bars(p); i++)
		note_bar(p, j, p->note[p->shown[i]]);
	if (n_bars(p) == p->n_serious)
		return;
	open_bar(p, j);
	tl_xjson_str_u64(j, p->n_serious - n_bars(p));
	tl_xjson_str_puts(j, " more notes: see the arguments of the capture");
	tl_xjson_str_end(j);
	tl_xjson_end(j, '}');
}
