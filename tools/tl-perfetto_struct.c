#include "tl-perfetto.h"

/* Columns of an occ record, from 0, that go into arguments as they are. */
enum { O_PARENT = 4, O_ITERATION, O_COMPLETE, O_FIRST, O_SPAN = 9, O_VARIANT = 19,
	O_N };

static const struct tl_str cost_names[] = {
	{ "span_ns", 7 }, { "period_ns", 9 }, { "busy_ns", 7 },
	{ "compute_ns", 10 }, { "comm_ns", 7 }, { "comm_exposed_ns", 15 },
	{ "copy_ns", 7 }, { "copy_exposed_ns", 15 }, { "idle_ns", 7 },
	{ "sum_ns", 6 },
};

static void
put_token(struct tl_json *j, struct tl_str key, struct tl_str value)
{
	if (tl_str_none(value))
		return;
	tl_xjson_key(j, key);
	tl_xjson_token(j, value);
}

/* A, B ... Z, AA, AB ... */
static void
put_letter(struct tl_json *j, uint32_t body)
{
	char buf[8], *p = buf + sizeof buf - 1;

	*p = '\0';
	for (uint32_t n = body + 1; n > 0; n = (n - 1) / 26)
		*--p = (char)('A' + (n - 1) % 26);
	tl_xjson_str_puts(j, p);
}

/* What equal bodies share: the label that rules gave, else a letter. */
static void
put_body(const struct pf *p, struct tl_json *j, const struct pf_pos *q)
{
	struct tl_str label = tl_intern_str(&p->text, q->label);

	if (!tl_str_none(label) && q->label != q->kind_text)
		tl_xjson_str_text(j, label);
	else
		put_letter(j, q->body);
}

static void
put_events(const struct pf *p, struct tl_json *j, const struct pf_pos *q,
    bool whole)
{
	struct tl_str n = tl_intern_str(&p->text, q->body_events);

	tl_xjson_str_puts(j, whole ? " (" : " (part of ");
	tl_xjson_str_text(j, tl_str_none(n) ? TL_LIT("?") : n);
	tl_xjson_str_puts(j, tl_str_is(n, "1") ? " event)" : " events)");
}

static void
put_pos_number(struct tl_json *j, uint32_t number)
{
	tl_xjson_str_puts(j, number < 10 ? "N00" : number < 100 ? "N0" : "N");
	tl_xjson_str_u64(j, number);
}

/* The column behind those that every occ record has; its p is NULL where there
 * is none. */
static struct tl_str
variant_of(struct tl_str line)
{
	struct tl_str c[O_N];

	return tl_fields(c, O_N, line.p, line.n) == O_N ? c[O_VARIANT] :
	    (struct tl_str){ NULL, 0 };
}

static void
put_occ_name(const struct pf *p, struct tl_json *j, const struct pf_occ *o,
    struct tl_str variant)
{
	const struct pf_pos *q = &p->pos[o->pos];
	bool full = o->flags & PF_FULL;

	tl_xjson_str(j);
	if (q->kind == PF_ROOT) {
		put_pos_number(j, q->number);
		put_events(p, j, q, true);
	} else if (q->kind == PF_LOOP && !(o->flags & PF_ITERATION)) {
		put_pos_number(j, q->number);
		tl_xjson_str_puts(j, " ");
		tl_xjson_str_u64(j, o->n_full);
		tl_xjson_str_puts(j, " x ");
		put_body(p, j, q);
		if (o->n_cut > 0) {
			tl_xjson_str_puts(j, " + ");
			tl_xjson_str_u64(j, o->n_cut);
			tl_xjson_str_puts(j, " cut");
		}
	} else {
		if (q->kind == PF_REPLAY)
			tl_xjson_str_puts(j, "replay ");
		put_body(p, j, q);
		put_events(p, j, q, full);
	}
	if (variant.p != NULL) {
		tl_xjson_str_puts(j, ", variant ");
		tl_xjson_str_text(j, variant);
	}
	tl_xjson_str_end(j);
}

static void
put_occ_args(const struct pf *p, struct tl_json *j, const struct pf_occ *o,
    struct tl_str line)
{
	const struct pf_pos *q = &p->pos[o->pos];
	struct tl_str c[O_N];
	size_t n = tl_fields(c, O_N, line.p, line.n);

	TL_XJSON_KEY(j, "args");
	tl_xjson_begin(j, '{');
	TL_XJSON_KEY(j, "position_id");
	pf_xoccurrence(j, q->number, 0);
	TL_XJSON_KEY(j, "occurrence");
	pf_xoccurrence(j, q->number, o->n);
	put_token(j, TL_LIT("kind"), tl_intern_str(&p->text, q->kind_text));
	put_token(j, TL_LIT("parent"), c[O_PARENT]);
	put_token(j, TL_LIT("iteration"), c[O_ITERATION]);
	put_token(j, TL_LIT("completeness"), c[O_COMPLETE]);
	put_token(j, TL_LIT("first_event"), c[O_FIRST]);
	put_token(j, TL_LIT("body_events"),
	    tl_intern_str(&p->text, q->body_events));
	if (q->kind == PF_LOOP && !(o->flags & PF_ITERATION)) {
		TL_XJSON_KEY(j, "iterations");
		tl_xjson_u64(j, (uint64_t)o->n_full + o->n_cut);
	}
	if (o->flags & PF_FOLDED) {
		TL_XJSON_KEY(j, "folded");
		tl_xjson_u64(j, 1);
	}
	for (size_t i = 0; i < sizeof cost_names / sizeof *cost_names &&
	    O_SPAN + i < n; i++)
		put_token(j, cost_names[i], c[O_SPAN + i]);
	if (n == O_N)
		put_token(j, TL_LIT("variant"), c[O_VARIANT]);
	tl_xjson_end(j, '}');
}

void
pf_xocc_write(const struct pf *p, struct tl_json *j, uint32_t occ,
    struct tl_str line)
{
	const struct pf_occ *o = &p->occ[occ];

	if (!(o->flags & PF_DRAWN))
		return;
	pf_xslice(p, j, o->group, o->lane, o->start_ns, o->span_ns,
	    "structure");
	TL_XJSON_KEY(j, "name");
	put_occ_name(p, j, o, variant_of(line));
	put_occ_args(p, j, o, line);
	tl_xjson_end(j, '}');
}

static void
put_launch(const struct pf *p, struct tl_json *j, const struct pf_launch *l)
{
	struct tl_str unit = tl_intern_str(&p->text, l->unit);
	struct tl_str status = tl_intern_str(&p->text, l->status);

	pf_xslice(p, j, l->group, l->lane, l->start_ns, l->dur_ns, "launch");
	TL_XJSON_KEY(j, "name");
	tl_xjson_str(j);
	tl_xjson_str_puts(j, tl_str_none(unit) ? "replay" : "replay U");
	if (!tl_str_none(unit))
		tl_xjson_str_text(j, unit);
	if (!tl_str_is(status, "exact") && !tl_str_is(status, "single")) {
		tl_xjson_str_puts(j, ", ");
		tl_xjson_str_text(j, status);
	}
	tl_xjson_str_end(j);
	TL_XJSON_KEY(j, "args");
	tl_xjson_begin(j, '{');
	TL_XJSON_KEY(j, "launch_id");
	tl_xjson_u64(j, l->id);
	put_token(j, TL_LIT("replay_unit_id"), unit);
	put_token(j, TL_LIT("status"), status);
	put_token(j, TL_LIT("members"), tl_intern_str(&p->text, l->members));
	put_token(j, TL_LIT("missing"), tl_intern_str(&p->text, l->missing));
	put_token(j, TL_LIT("reason"), tl_intern_str(&p->text, l->reason));
	if (l->call != 0) {
		TL_XJSON_KEY(j, "call_event_id");
		tl_xjson_u64(j, l->call);
	}
	if (l->opaque != 0) {
		TL_XJSON_KEY(j, "opaque_event_id");
		tl_xjson_u64(j, l->opaque);
	}
	tl_xjson_end(j, '}');
	tl_xjson_end(j, '}');
}

void
pf_xlaunches_write(const struct pf *p, struct tl_json *j)
{
	for (size_t i = 0; i < p->n_launches; i++)
		if (p->launch[i].dur_ns != TL_NONE)
			put_launch(p, j, &p->launch[i]);
}
