#include <stdlib.h>

#include "evids.h"
#include "num.h"
#include "tl-recover_rules.h"

/* Steps of a scheduler as parts that nothing is folded across. Evidence that
 * is missing or contradicts itself ends the program: a structure that only
 * looks as if it kept to steps would be worse than none. */

enum basis { LINKED, AMBIGUOUS, OUTSIDE, UNKNOWN };

struct link {
	uint32_t event;
	uint32_t step; /* index, or UINT32_MAX */
	uint32_t exec; /* the same */
	uint8_t basis;
};

struct step {
	uint32_t context; /* index */
	uint32_t name;    /* as messages show it */
	uint64_t ordinal;
};

/* An execution without a marker that counts: what it ran is in no step. */
struct lost {
	uint32_t context; /* of the execution */
	uint32_t of;      /* of its step; UINT32_MAX: not known */
	uint64_t ordinal; /* of its step */
	uint32_t name, state;
};

struct rec_context {
	const char *file;
	struct tl_intern text;
	uint32_t *state;       /* of contexts: text */
	uint32_t *path;
	size_t n_contexts, state_cap, path_cap;
	struct step *step;
	size_t n_steps, steps_cap;
	uint32_t *exec;        /* context of executions */
	size_t n_execs, execs_cap;
	uint64_t n_supported;
	struct lost *lost;     /* by context, of, ordinal */
	size_t n_lost, lost_cap;
	struct link *link;     /* by event, ascending */
	size_t n_links, links_cap;
};

TL_NORETURN static void
die_record(const struct tl_filter *f, const struct tl_rec *rec)
{
	char quoted[TL_QUOTE_SIZE];

	tl_die("%s:%llu: record '%s': is none of tl-context", f->in.in.name,
	    (unsigned long long)f->in.in.line,
	    tl_quote(quoted, sizeof quoted, rec->line.p, rec->line.n));
}

struct rec_context *
rec_context_new(void)
{
	return tl_xcalloc(1, sizeof(struct rec_context));
}

void
rec_context_free(struct rec_context *c)
{
	if (c == NULL)
		return;
	tl_intern_free(&c->text);
	free(c->state);
	free(c->path);
	free(c->step);
	free(c->exec);
	free(c->lost);
	free(c->link);
	free(c);
}

/* An id from 1 up to n as an index; UINT32_MAX for none, if that may be. */
static uint32_t
index_of(const struct tl_filter *f, const struct tl_rec *rec, struct tl_str s,
    size_t n, bool may_lack)
{
	uint64_t v;

	if (may_lack && tl_str_none(s))
		return UINT32_MAX;
	if (!tl_num_str_u64(s, &v) || v == 0 || v > n)
		die_record(f, rec);
	return (uint32_t)(v - 1);
}

static void
add_link(struct rec_context *c, const struct tl_filter *f,
    const struct tl_rec *rec, const struct tl_str *col)
{
	struct link l;
	uint64_t event;

	if (!tl_num_str_u64(col[1], &event) || event > UINT32_MAX ||
	    (c->n_links > 0 && c->link[c->n_links - 1].event >= event))
		die_record(f, rec);
	l.event = (uint32_t)event;
	l.step = index_of(f, rec, col[2], c->n_steps, true);
	l.exec = index_of(f, rec, col[3], c->n_execs, true);
	l.basis = tl_str_is(col[4], "linked") ? LINKED :
	    tl_str_is(col[4], "ambiguous") ? AMBIGUOUS :
	    tl_str_is(col[5], "outside") ? OUTSIDE : UNKNOWN;
	if ((l.basis == LINKED) != (l.step != UINT32_MAX))
		die_record(f, rec);
	c->link = tl_xgrow(c->link, c->n_links, &c->links_cap,
	    sizeof *c->link);
	c->link[c->n_links++] = l;
}

/* Ordinals are whole numbers; what is none is a bad record. */
static uint64_t
number_of(const struct tl_filter *f, const struct tl_rec *rec,
    struct tl_str s)
{
	uint64_t v;

	if (!tl_num_str_u64(s, &v))
		die_record(f, rec);
	return v;
}

static void
add_exec(struct rec_context *c, const struct tl_filter *f,
    const struct tl_rec *rec, const struct tl_str *col)
{
	uint32_t context = index_of(f, rec, col[2], c->n_contexts, false);
	uint32_t step = index_of(f, rec, col[6], c->n_steps, true);

	c->exec = tl_xgrow(c->exec, c->n_execs, &c->execs_cap,
	    sizeof *c->exec);
	c->exec[c->n_execs++] = context;
	if (tl_str_is(col[14], "supported_marker")) {
		c->n_supported++;
		return;
	}
	/* without a step and without a range it is of another time */
	if (step == UINT32_MAX && tl_str_is(col[15], "0"))
		return;
	c->lost = tl_xgrow(c->lost, c->n_lost, &c->lost_cap, sizeof *c->lost);
	c->lost[c->n_lost++] = (struct lost){ context,
		step == UINT32_MAX ? UINT32_MAX : c->step[step].context,
		step == UINT32_MAX ? 0 : c->step[step].ordinal,
		tl_xintern(&c->text, col[5]), tl_xintern(&c->text, col[14]) };
}

void
rec_context_add(struct rec_context *c, const struct tl_filter *f,
    const struct tl_rec *rec)
{
	struct tl_str col[16];
	size_t n = tl_fields(col, 16, rec->line.p, rec->line.n);

	if (rec->kind == TL_CONTEXT && n > 9) {
		c->state = tl_xgrow(c->state, c->n_contexts, &c->state_cap,
		    sizeof *c->state);
		c->path = tl_xgrow(c->path, c->n_contexts, &c->path_cap,
		    sizeof *c->path);
		c->state[c->n_contexts] = tl_xintern(&c->text, col[2]);
		c->path[c->n_contexts++] = tl_xintern(&c->text, col[9]);
	} else if (rec->kind == TL_STEP && n > 7) {
		c->step = tl_xgrow(c->step, c->n_steps, &c->steps_cap,
		    sizeof *c->step);
		c->step[c->n_steps++] = (struct step){
			.context = index_of(f, rec, col[2], c->n_contexts,
			    false),
			.name = tl_xintern(&c->text, col[5]),
			.ordinal = number_of(f, rec, col[7]),
		};
	} else if (rec->kind == TL_EXEC && n > 15) {
		add_exec(c, f, rec, col);
	} else if (rec->kind == TL_LINK && n > 5) {
		add_link(c, f, rec, col);
	} else {
		die_record(f, rec);
	}
}

static int
lost_cmp(const void *pa, const void *pb)
{
	const struct lost *a = pa, *b = pb;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

/* An execution of the context that was lost, of a step of the file `of` with an
 * ordinal from..to; NULL if there is none. */
static const struct lost *
find_lost(const struct rec_context *c, uint32_t context, uint32_t of,
    uint64_t from, uint64_t to)
{
	struct lost key = { .context = context, .of = of, .ordinal = from };
	size_t lo = 0, hi = c->n_lost;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (lost_cmp(&c->lost[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_lost && c->lost[lo].context == context &&
	    c->lost[lo].of == of && c->lost[lo].ordinal <= to ? &c->lost[lo] :
	    NULL;
}

void
rec_context_end(struct rec_context *c, const char *file)
{
	c->file = file;
	if (c->n_lost > 1)
		qsort(c->lost, c->n_lost, sizeof *c->lost, lost_cmp);
	if (c->n_steps == 0)
		tl_die("%s: partition_by 'scheduler_step': the stream has no "
		    "steps, which tl-context adds", file);
	if (c->n_supported == 0)
		tl_die("%s: partition_by 'scheduler_step': what a scheduler "
		    "alone says is not enough: none of %zu steps has an "
		    "execution with a marker", file, c->n_steps);
}

static const char *
name_of(const struct rec_context *c, uint32_t step, char *buf)
{
	struct tl_str s = TL_LIT("none");

	if (step != UINT32_MAX)
		s = tl_intern_str(&c->text, c->step[step].name);
	return tl_quote(buf, TL_QUOTE_SIZE, s.p, s.n);
}

/* A file that may lack records is no evidence. */
static void
check_closed(const struct rec_context *c, const struct link *l)
{
	uint32_t of[2] = { c->step[l->step].context,
		l->exec == UINT32_MAX ? c->step[l->step].context :
		c->exec[l->exec] };
	char step[TL_QUOTE_SIZE], path[TL_QUOTE_SIZE];

	for (int i = 0; i < 2; i++) {
		struct tl_str s = tl_intern_str(&c->text, c->state[of[i]]);
		struct tl_str p = tl_intern_str(&c->text, c->path[of[i]]);

		if (!tl_str_is(s, "closed"))
			tl_die("%s: event %u: step '%s': its context %s is "
			    "not whole (%.*s)", c->file, (unsigned)l->event,
			    name_of(c, l->step, step), tl_quote(path,
			    sizeof path, p.p, p.n), (int)s.n, s.p);
	}
}

static const struct link *
find_link(const struct rec_context *c, uint32_t event)
{
	size_t lo = 0, hi = c->n_links;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->link[mid].event < event)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_links && c->link[lo].event == event ? &c->link[lo] :
	    NULL;
}

/* What is known of an item of the sequence. */
struct item {
	uint8_t basis;
	uint32_t step, exec, event;
};

/* An event's link; last is the step of what came before it. */
static struct item
of_event(const struct rec_context *c, uint32_t event, uint32_t last)
{
	const struct link *l = find_link(c, event);
	char step[TL_QUOTE_SIZE];

	if (l == NULL)
		tl_die("%s: event %u: step '%s': behind it the event has no "
		    "link", c->file, (unsigned)event, name_of(c, last, step));
	if (l->basis == AMBIGUOUS)
		tl_die("%s: event %u: step '%s': behind it the event is "
		    "ambiguous between steps", c->file, (unsigned)event,
		    name_of(c, last, step));
	if (l->basis == LINKED)
		check_closed(c, l);
	return (struct item){ l->basis, l->step, l->exec, event };
}

/* The events of an item, which for a replay are several, must be of one
 * step. */
static struct item
of_item(const struct rec_context *c, const struct rec_capture *cap,
    const struct rec_scope *s, size_t i, uint32_t last)
{
	uint32_t launch = s->item_launch[i];
	char one[TL_QUOTE_SIZE], two[TL_QUOTE_SIZE];
	struct item it = { UNKNOWN, UINT32_MAX, UINT32_MAX, 0 };

	for (uint32_t k = s->item_first[i]; k < s->item_first[i + 1]; k++) {
		struct item e = of_event(c, s->ev[s->order[k]].id, last);

		if (k == s->item_first[i])
			it = e;
		else if (e.step != it.step)
			tl_die("%s: event %u: launch '%llu': is of step '%s' "
			    "and, with event %u, of step '%s'", c->file,
			    (unsigned)e.event, (unsigned long long)
			    cap->launch[launch].id, name_of(c, it.step, one),
			    (unsigned)it.event, name_of(c, e.step, two));
	}
	return it;
}

/* Between events of two steps are events outside of all markers. They are in
 * no step, unless an execution of these steps, or of one between them, by the
 * same worker has no marker. */
static void
check_outside(const struct rec_context *c, const struct item *a,
    const struct item *b, uint32_t event)
{
	const struct item *of[2] = { a, b };
	const struct step *x = &c->step[a->step], *y = &c->step[b->step];
	uint64_t from = x->ordinal, to = y->ordinal;
	char one[TL_QUOTE_SIZE], name[TL_QUOTE_SIZE];

	if (from > to) {
		from = y->ordinal;
		to = x->ordinal;
	}
	for (int i = 0; i < 2; i++) {
		uint32_t context = of[i]->exec == UINT32_MAX ? UINT32_MAX :
		    c->exec[of[i]->exec];
		const struct lost *l = find_lost(c, context, x->context, from,
		    to);
		struct tl_str s;

		if (l == NULL)
			l = find_lost(c, context, UINT32_MAX, 0, 0);
		if (l == NULL)
			continue;
		s = tl_intern_str(&c->text, l->name);
		tl_die("%s: event %u: step '%s': behind it the event may be of "
		    "execution '%s' (%s)", c->file, (unsigned)event,
		    name_of(c, a->step, one), tl_quote(name, sizeof name, s.p,
		    s.n), tl_intern_str(&c->text, l->state).p);
	}
}

void
rec_context_split(struct rec_context *c, const struct rec_capture *cap,
    const struct rec_scope *s, uint32_t *part)
{
	uint32_t last = UINT32_MAX, unknown = 0, outside = 0;
	struct item before = { .step = UINT32_MAX };
	char one[TL_QUOTE_SIZE], two[TL_QUOTE_SIZE];

	for (size_t i = 0; i < s->n_items; i++) {
		struct item it = of_item(c, cap, s, i, last);

		part[i] = it.basis == LINKED ? it.step + 1 : 0;
		/* before the first step and behind the last the capture may
		 * have cut calls off */
		if (it.basis == UNKNOWN && last != UINT32_MAX && unknown == 0)
			unknown = it.event;
		if (it.basis == OUTSIDE && last != UINT32_MAX && outside == 0)
			outside = it.event;
		if (it.basis != LINKED)
			continue;
		if (outside != 0)
			check_outside(c, &before, &it, outside);
		if (unknown != 0)
			tl_die("%s: event %u: step '%s': of an event between "
			    "it and step '%s' the call is not known", c->file,
			    (unsigned)unknown, name_of(c, last, one),
			    name_of(c, it.step, two));
		last = it.step;
		before = it;
		outside = 0;
	}
}
