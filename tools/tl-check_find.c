/* Records that are no events: tl-ev(5), FINDINGS. */
#include "tl-check.h"

#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "num.h"

#define MAX_COLS 24

/* Forms of columns: t text, n number, N number or '.', s integer or '.' (a
 * start), d nanoseconds or '.', i iterations, e event or '.', E event, L U ids
 * of this launch or unit, l u m names of one, u m or '.', v severity, c
 * code. */
static const struct {
	const char *cols;
	const char *names[MAX_COLS];
} forms[TL_N_KINDS] = {
	[TL_LAUNCH] = { "LetttsdutNNet", { "id", "call", "process", "device",
	    "context", "start", "dur", "unit", "status", "members", "missing",
	    "opaque", "reason" } },
	[TL_UNIT] = { "UtNNN", { "id", "symbol", "streams", "members",
	    "launches" } },
	[TL_MEMBER] = { "lutnE", { "launch", "unit", "stream", "index",
	    "event" } },
	[TL_POS] = { "tttnntiNNesddddddddssst", { "scope", "position",
	    "parent", "ordinal", "depth", "kind", "iterations", "body_events",
	    "occurrences", "first_event", "start", "span", "busy", "compute",
	    "comm", "comm_exposed", "copy", "copy_exposed", "idle",
	    "iter_min", "iter_median", "iter_max", "label" } },
	[TL_OCC] = { "ttntNtesdsdddddddd", { "scope", "position", "n",
	    "parent", "iteration", "completeness", "first_event", "start",
	    "span", "period", "busy", "compute", "comm", "comm_exposed",
	    "copy", "copy_exposed", "idle", "sum" } },
	[TL_REAL] = { "EtttN", { "event", "scope", "position", "parent",
	    "iteration" } },
	[TL_CONTEXT] = { "ntttnNntt", { "id", "state", "run", "producer",
	    "written", "dropped", "size", "sha256", "path" } },
	[TL_JSON] = { "nnnt", { "context", "line", "part", "text" } },
	[TL_STEP] = { "nnntttnnnNNnnNt", { "id", "context", "line", "run",
	    "step", "producer", "ordinal", "tokens", "requests",
	    "free_blocks", "pool_blocks", "execs", "markers", "events",
	    "cache" } },
	[TL_REQUEST] = { "nntnt", { "step", "n", "request", "tokens",
	    "json" } },
	[TL_EXEC] = { "nnnttNttttNNttneNN", { "id", "context", "line", "run",
	    "execution", "step", "step_id", "phase", "status",
	    "marker_state", "rank", "pid", "marker", "state", "ranges",
	    "range", "calls", "events" } },
	[TL_WORK] = { "nttnEsd", { "step", "process", "device", "events",
	    "first", "start", "span" } },
	[TL_LINK] = { "ENNttem", { "event", "step", "exec", "state", "basis",
	    "call", "launch" } },
	[TL_VARIANT] = { "ttnntnnnsddd", { "scope", "position", "variant",
	    "count", "first", "extra", "missing", "replaced", "period", "span",
	    "busy", "idle" } },
	[TL_DEV] = { "ttNtte", { "scope", "parent", "iteration", "kind",
	    "position", "event" } },
	[TL_NOTE] = { "vcNt", { "severity", "code", "count", "text" } },
};

static bool
in_list(struct tl_str s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tl_str_is(s, list[i]))
			return true;
	return false;
}

/* Digits, two decimals: 5.66. */
static bool
is_iterations(struct tl_str s)
{
	uint64_t v;

	return s.n > 3 && s.p[s.n - 3] == '.' &&
	    s.p[s.n - 2] >= '0' && s.p[s.n - 2] <= '9' &&
	    s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9' &&
	    tl_num_str_u64((struct tl_str){ s.p, s.n - 3 }, &v);
}

static bool
is_code(struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || s.p[i] == '_' ||
		    (s.p[i] >= '0' && s.p[i] <= '9')))
			return false;
	return s.n > 0;
}

static struct check_thing *
thing_of(struct check_things *t, struct tl_str id)
{
	size_t i = tl_xintern(&t->ids, id);

	if (i == t->n) {
		t->thing = tl_xgrow(t->thing, t->n, &t->cap,
		    sizeof *t->thing);
		t->thing[t->n++] = (struct check_thing){ .ref_line = 0 };
	}
	return &t->thing[i];
}

static const char *
define(struct check_things *t, struct tl_str id)
{
	struct check_thing *thing = thing_of(t, id);

	if (thing->defined)
		return "twice";
	thing->defined = true;
	return NULL;
}

static const char *
refer(struct check *c, struct check_things *t, struct tl_str id)
{
	struct check_thing *thing = thing_of(t, id);

	if (thing->ref_line == 0)
		thing->ref_line = c->in.in.line;
	return NULL;
}

/* What is wrong with a column of the given type, NULL if nothing. */
static const char *
check_type(struct check *c, char type, struct tl_str s)
{
	static const char *const severities[] = { "info", "warn", "error" };
	bool none = tl_str_none(s);
	uint64_t u;
	int64_t i;

	switch (type) {
	case 'N':
	case 'n':
		return (type == 'N' && none) || tl_num_str_u64(s, &u) ? NULL :
		    "must be a number";
	case 's':
		return none || tl_num_str_i64(s, &i) ? NULL :
		    "must be an integer of 64 bits";
	case 'd':
		return none || (tl_num_str_i64(s, &i) && i >= 0) ? NULL :
		    "must be 0 or more, or '.'";
	case 'i':
		return none || is_iterations(s) ? NULL :
		    "must be a number with two decimals";
	case 'e':
	case 'E':
		if (type == 'e' && none)
			return NULL;
		return !tl_num_str_u64(s, &u) ? "must be an event's id" :
		    check_ids_have(&c->ids, u) ? NULL :
		    "no event before has this id";
	case 'L':
		return define(&c->launches, s);
	case 'U':
		return define(&c->units, s);
	case 'l':
		return refer(c, &c->launches, s);
	case 'm':
		return none ? NULL : refer(c, &c->launches, s);
	case 'u':
		return none ? NULL : refer(c, &c->units, s);
	case 'v':
		return in_list(s, severities, 3) ? NULL :
		    "must be info, warn or error";
	case 'c':
		return is_code(s) ? NULL : "must be of a to z, 0 to 9, '_'";
	}
	return NULL;
}

/* The scope's positions; a new scope has none. */
static struct check_scope *
scope_of(struct check *c, struct tl_str name)
{
	size_t i = tl_xintern(&c->scopes, name);

	if (i == c->n_scopes) {
		c->scope = tl_xgrow(c->scope, c->n_scopes, &c->scope_cap,
		    sizeof *c->scope);
		c->scope[c->n_scopes++] = (struct check_scope){ .n = 0 };
	}
	return &c->scope[i];
}

/* The position that "N012" names, NULL where it is not there (yet). */
static struct check_pos *
position(const struct check_scope *s, struct tl_str name)
{
	char text[24];
	uint64_t v;
	struct tl_str digits = { name.p + 1, name.n - 1 };

	while (digits.n > 1 && digits.p[0] == '0') {
		digits.p++;
		digits.n--;
	}
	if (name.p[0] != 'N' || !tl_num_str_u64(digits, &v) || v == 0 ||
	    v > s->n)
		return NULL;
	snprintf(text, sizeof text, "N%03llu", (unsigned long long)v);
	return tl_str_is(name, text) ? &s->pos[v - 1] : NULL;
}

/* In pre-order a position comes behind its parent or what is below that. */
static bool
on_path(const struct check_scope *s, uint32_t parent)
{
	uint32_t at = (uint32_t)s->n - 1;

	while (at != UINT32_MAX && at != parent)
		at = s->pos[at].parent;
	return at == parent;
}

static void
check_pos(struct check *c, const struct tl_str *f)
{
	static const char *const kinds[] = { "root", "seq", "loop", "replay",
		"event" };
	struct check_scope *s = scope_of(c, f[1]);
	struct check_pos *parent = NULL, pos = { .parent = UINT32_MAX };
	char want[24];
	uint64_t v = 0;

	snprintf(want, sizeof want, "N%03zu", s->n + 1);
	if (!tl_str_is(f[2], want)) {
		check_fault_here(c, "position", f[2],
		    "positions of a scope are numbered N001, N002 ...");
		return;
	}
	if (!in_list(f[6], kinds, 5))
		check_fault_here(c, "kind", f[6],
		    "must be root, seq, loop, replay or event");
	if (tl_str_none(f[3]) != tl_str_is(f[6], "root"))
		check_fault_here(c, "parent", f[3],
		    "a root has none, all others have one");
	if (!tl_str_none(f[3])) {
		parent = position(s, f[3]);
		pos.parent = parent == NULL ? UINT32_MAX :
		    (uint32_t)(parent - s->pos);
		if (parent == NULL || !on_path(s, pos.parent))
			check_fault_here(c, "parent", f[3],
			    "positions come in pre-order");
	}
	if (parent != NULL) {
		parent->n_children++;
		pos.depth = parent->depth + 1;
		if (!tl_num_str_u64(f[4], &v) || v != parent->n_children)
			check_fault_here(c, "ordinal", f[4],
			    "children are counted 1, 2, 3 ...");
	}
	if (!tl_num_str_u64(f[5], &v) || v != pos.depth)
		check_fault_here(c, "depth", f[5],
		    "must be the parent's and 1, of a root 0");
	pos.is_leaf = tl_str_is(f[6], "event");
	if (s->n >= UINT32_MAX - 1)
		return;
	s->pos = tl_xgrow(s->pos, s->n, &s->cap, sizeof *s->pos);
	s->pos[s->n++] = pos;
}

/* "N002#7": an occurrence, which may still come. */
static void
refer_occurrence(struct check *c, struct check_scope *s, struct tl_str name)
{
	const char *hash = memchr(name.p, '#', name.n);
	size_t n = hash != NULL ? (size_t)(hash - name.p) : 0;
	struct check_pos *pos = n > 0 ?
	    position(s, (struct tl_str){ name.p, n }) : NULL;
	uint64_t v = 0;

	if (pos == NULL) {
		check_fault_here(c, "parent", name,
		    "names no position before");
		return;
	}
	if (!tl_num_str_u64((struct tl_str){ hash + 1, name.n - n - 1 }, &v) ||
	    v == 0) {
		check_fault_here(c, "parent", name,
		    "must be POSITION#NUMBER");
		return;
	}
	if (v > pos->max_ref) {
		pos->max_ref = v;
		pos->ref_line = c->in.in.line;
	}
}

static void
check_occ(struct check *c, const struct tl_str *f)
{
	struct check_scope *s = scope_of(c, f[1]);
	struct check_pos *pos = position(s, f[2]);
	uint64_t v = 0;

	if (pos == NULL) {
		check_fault_here(c, "position", f[2],
		    "no pos record before has it");
		return;
	}
	if (pos->is_leaf)
		check_fault_here(c, "position", f[2],
		    "an event position has no occurrences");
	if (!tl_num_str_u64(f[3], &v) || v != pos->n_occ + 1)
		check_fault_here(c, "n", f[3],
		    "occurrences of a position are counted 1, 2, 3 ...");
	pos->n_occ++;
	if (!tl_str_none(f[4]))
		refer_occurrence(c, s, f[4]);
	if (!tl_str_is(f[6], "full") && !tl_str_is(f[6], "partial"))
		check_fault_here(c, "completeness", f[6],
		    "must be full or partial");
}

static void
check_real(struct check *c, const struct tl_str *f)
{
	struct check_scope *s = scope_of(c, f[2]);
	const struct check_pos *pos = position(s, f[3]);

	if (pos == NULL)
		check_fault_here(c, "position", f[3],
		    "no pos record before has it");
	else if (!pos->is_leaf)
		check_fault_here(c, "position", f[3],
		    "is no event position");
	refer_occurrence(c, s, f[4]);
}

static void
check_variant(struct check *c, const struct tl_str *f)
{
	struct check_scope *s = scope_of(c, f[1]);
	struct check_pos *pos = position(s, f[2]);
	uint64_t v = 0;

	if (pos == NULL) {
		check_fault_here(c, "position", f[2],
		    "no pos record before has it");
		return;
	}
	if (!tl_num_str_u64(f[3], &v) || v != ++pos->n_variants)
		check_fault_here(c, "variant", f[3],
		    "variants of a position are counted 1, 2, 3 ...");
	refer_occurrence(c, s, f[5]);
}

static void
check_dev(struct check *c, const struct tl_str *f)
{
	static const char *const kinds[] = { "extra", "missing", "replaced" };
	struct check_scope *s = scope_of(c, f[1]);

	refer_occurrence(c, s, f[2]);
	if (!in_list(f[4], kinds, 3))
		check_fault_here(c, "kind", f[4],
		    "must be extra, missing or replaced");
	if (!tl_str_none(f[5]) && position(s, f[5]) == NULL)
		check_fault_here(c, "position", f[5],
		    "no pos record before has it");
	if (tl_str_is(f[4], "missing") != tl_str_none(f[6]))
		check_fault_here(c, "event", f[6],
		    "one that is missing has none, all others have one");
}

void
check_finding(struct check *c, enum tl_kind kind, struct tl_str line)
{
	struct tl_str f[MAX_COLS];
	size_t n, want;

	if (kind >= TL_N_KINDS || forms[kind].cols == NULL)
		return;
	n = tl_fields(f, MAX_COLS, line.p, line.n);
	want = strlen(forms[kind].cols);
	if (n < want + 1) {
		char why[40];

		snprintf(why, sizeof why, "%zu columns are needed", want + 1);
		check_fault_here(c, "record", line, why);
		return;
	}
	for (size_t i = 0; i < want; i++) {
		const char *why = check_type(c, forms[kind].cols[i],
		    f[i + 1]);

		if (why != NULL)
			check_fault_here(c, forms[kind].names[i], f[i + 1],
			    why);
	}
	if (c->fault_line == c->in.in.line)
		return;
	if (kind == TL_POS)
		check_pos(c, f);
	else if (kind == TL_OCC)
		check_occ(c, f);
	else if (kind == TL_REAL)
		check_real(c, f);
	else if (kind == TL_VARIANT)
		check_variant(c, f);
	else if (kind == TL_DEV)
		check_dev(c, f);
}

static void
check_things_end(struct check *c, const struct check_things *t,
    const char *what, const char *why)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->thing[i].defined)
			check_fault(c, t->thing[i].ref_line, what,
			    tl_intern_str(&t->ids, (uint32_t)i), why);
}

void
check_findings_end(struct check *c)
{
	char name[48];

	check_things_end(c, &c->launches, "launch",
	    "there is no record of it");
	check_things_end(c, &c->units, "unit", "there is no record of it");
	for (size_t k = 0; k < c->n_scopes; k++) {
		for (size_t i = 0; i < c->scope[k].n; i++) {
			const struct check_pos *p = &c->scope[k].pos[i];

			if (p->max_ref <= p->n_occ)
				continue;
			snprintf(name, sizeof name, "N%03zu#%llu", i + 1,
			    (unsigned long long)p->max_ref);
			check_fault(c, p->ref_line, "parent",
			    (struct tl_str){ name, strlen(name) },
			    "there is no such occurrence");
		}
	}
}

void
check_findings_free(struct check *c)
{
	for (size_t i = 0; i < c->n_scopes; i++)
		free(c->scope[i].pos);
	free(c->scope);
	tl_intern_free(&c->scopes);
	free(c->launches.thing);
	tl_intern_free(&c->launches.ids);
	free(c->units.thing);
	tl_intern_free(&c->units.ids);
}
