#include "tl-tree.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

/* Columns of a pos record, from 0. */
enum {
	P_SCOPE = 1, P_POS, P_PARENT, P_ORDINAL, P_DEPTH, P_KIND, P_ITERATIONS,
	P_BODY, P_OCCURRENCES, P_FIRST, P_START, P_SPAN, P_LABEL = 23, P_N
};

/* And of an occ record. */
enum {
	O_SCOPE = 1, O_POS, O_N, O_PARENT, O_ITERATION, O_COMPLETE,
	O_START = 8, O_SPAN,
	O_PERIOD, O_N_COLUMNS = 19
};

/* And of a variant record. */
enum {
	V_SCOPE = 1, V_POS, V_NUMBER, V_COUNT, V_FIRST, V_EXTRA, V_MISSING,
	V_REPLACED, V_PERIOD, V_SPAN, V_N
};

static void
die_at(const struct tl_evin *in, const char *what, struct tl_str subject,
    const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die("%s:%llu: %s '%s': %s", in->in.name,
	    (unsigned long long)in->in.line, what,
	    tl_quote(q, sizeof q, subject.p, subject.n), why);
}

static int64_t
signed_number(const struct tl_evin *in, const char *what, struct tl_str s)
{
	int64_t v;

	if (tl_str_none(s))
		return TREE_NONE;
	if (!tl_num_str_i64(s, &v) || v == TREE_NONE)
		die_at(in, what, s, "must be an integer of 64 bits");
	return v;
}

/* A count, an id, or nanoseconds that are never negative. */
static int64_t
number(const struct tl_evin *in, const char *what, struct tl_str s)
{
	int64_t v = signed_number(in, what, s);

	if (v < 0 && v != TREE_NONE)
		die_at(in, what, s, "must be 0 or more");
	return v;
}

static uint32_t
small(const struct tl_evin *in, const char *what, struct tl_str s)
{
	int64_t v = number(in, what, s);

	if (v == TREE_NONE || v >= TREE_NO)
		die_at(in, what, s, "must be an integer below 4294967295");
	return (uint32_t)v;
}

/* N and at least three digits. */
static uint32_t
position(const struct tl_evin *in, struct tl_str s)
{
	const char *p = s.p + 1, *end = s.p + s.n;
	uint64_t v = 0;

	while (p < end && *p == '0' && end - p > 1)
		p++;
	if (s.n < 4 || s.p[0] != 'N' || (s.n > 4 && s.p[1] == '0') ||
	    !tl_num_u64(&p, end, &v) || p != end || v == 0 || v >= TREE_NO)
		die_at(in, "position", s, "must be N and a number, like N003");
	return (uint32_t)v;
}

static enum tree_kind
kind_of(struct tl_str s)
{
	static const char *const names[] = {
		"root", "seq", "loop", "replay", "event"
	};

	for (int i = 0; i < TREE_KIND_OTHER; i++)
		if (tl_str_is(s, names[i]))
			return (enum tree_kind)i;
	return TREE_KIND_OTHER;
}

/* Ends the subtrees of all positions from depth up. */
static void
close_path(struct tree *t, size_t depth)
{
	while (t->path_n > depth)
		t->pos[t->path[--t->path_n]].end = (uint32_t)t->n_pos;
	if (t->n_scopes > 0)
		t->scope[t->n_scopes - 1].end = (uint32_t)t->n_pos;
}

static void
begin_scope(struct tree *t, const struct tl_evin *in, struct tl_str name)
{
	uint32_t i = tl_xintern(&t->scope_key, name);

	if (i != t->n_scopes)
		die_at(in, "scope", name, "has a root already");
	t->scope = tl_xgrow(t->scope, t->n_scopes, &t->cap_scopes,
	    sizeof *t->scope);
	t->scope[t->n_scopes++] = (struct tree_scope){
		.name = tl_intern_str(&t->scope_key, i),
		.first = (uint32_t)t->n_pos,
	};
}

/* Where a position belongs: the records come parents first, each subtree
 * together, so its parent is the last position one level up. */
static void
place(struct tree *t, const struct tl_evin *in, const struct tl_str *c,
    struct tree_pos *p)
{
	p->depth = small(in, "depth", c[P_DEPTH]);
	p->parent = TREE_NO;
	if (p->depth > TREE_MAX_DEPTH)
		die_at(in, "depth", c[P_DEPTH], "more than 1000");
	if ((p->depth == 0) != tl_str_none(c[P_PARENT]))
		die_at(in, "parent", c[P_PARENT],
		    "depth 0 has none, all others have one");
	if (p->depth == 0) {
		close_path(t, 0);
		begin_scope(t, in, c[P_SCOPE]);
	} else {
		uint32_t parent = position(in, c[P_PARENT]);

		if (t->path_n < p->depth ||
		    t->pos[t->path[p->depth - 1]].number != parent ||
		    !tl_str_eq(t->scope[t->n_scopes - 1].name, c[P_SCOPE]))
			die_at(in, "parent", c[P_PARENT],
			    "is not the last position one level up");
		close_path(t, p->depth);
		p->parent = t->path[p->depth - 1];
	}
	if (t->path_n > 0 && t->pos[t->n_pos - 1].number >= p->number)
		die_at(in, "position", c[P_POS], "must be more than the last");
	t->path = tl_xgrow(t->path, t->path_n, &t->path_cap, sizeof *t->path);
	t->path[t->path_n++] = (uint32_t)t->n_pos;
}

static void
take_pos(struct tree *t, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[P_N];
	struct tree_pos p = { .total_ns = TREE_NONE, .occ = TREE_NO,
		.vary = TREE_NO,
		.body = TREE_NO, .like = TREE_NO };

	if (tl_fields(c, P_N, line.p, line.n) < P_N)
		die_at(in, "record", line, "24 columns are needed");
	if (t->n_pos >= TREE_NO - 1)
		die_at(in, "record", line, "too many positions");
	p.number = position(in, c[P_POS]);
	place(t, in, c, &p);
	p.ordinal = small(in, "ordinal", c[P_ORDINAL]);
	p.kind = (uint8_t)kind_of(c[P_KIND]);
	p.kind_text = tl_xintern(&t->text, c[P_KIND]);
	p.iterations = tl_xintern(&t->text, c[P_ITERATIONS]);
	p.body_events = number(in, "body_events", c[P_BODY]);
	p.occurrences = number(in, "occurrences", c[P_OCCURRENCES]);
	p.first_event = number(in, "first_event", c[P_FIRST]);
	p.start_ns = signed_number(in, "start", c[P_START]);
	for (int i = 0; i < TREE_N_NS; i++)
		p.ns[i] = (i < TREE_ITER_MIN ? number : signed_number)(in,
		    "nanoseconds", c[P_SPAN + i]);
	p.label = tl_xintern(&t->text, c[P_LABEL]);
	t->pos = tl_xgrow(t->pos, t->n_pos, &t->cap_pos, sizeof *t->pos);
	t->pos[t->n_pos++] = p;
}

/* Sum of two times or counts, which stay within 64 bits in any real stream. */
static int64_t
sum(const struct tl_evin *in, int64_t a, int64_t b)
{
	if (a > INT64_MAX - b)
		tl_die("%s:%llu: times do not fit into 64 bits", in->in.name,
		    (unsigned long long)in->in.line);
	return a + b;
}

/* True if the occurrence's parent is number n of its own position. */
static bool
is_of(const struct tl_str *c, uint64_t n)
{
	struct tl_str parent = c[O_PARENT];
	uint64_t v;

	parent.p += c[O_POS].n + 1;
	parent.n -= c[O_POS].n + 1;
	return n > 0 && tl_num_str_u64(parent, &v) && v == n;
}

/* An iteration of a loop: its parent is of the loop's own position. */
static void
take_iteration(struct tree_occ *o, const struct tl_evin *in,
    const struct tl_str *c)
{
	int64_t period = signed_number(in, "period", c[O_PERIOD]);
	int64_t n = number(in, "n", c[O_N]);
	int64_t iteration = number(in, "iteration", c[O_ITERATION]);

	if (!tl_str_is(c[O_COMPLETE], "full")) {
		o->n_cut++;
		o->cut_n = iteration > 0 ? (uint64_t)iteration : 0;
		return;
	}
	o->n_full++;
	if (period > o->longest_ns) {
		o->longest_ns = period;
		o->longest_n = n > 0 ? (uint64_t)n : 0;
		o->longest_iteration = iteration > 0 ? (uint64_t)iteration : 0;
		o->longest_outer = is_of(c, o->whole_n) ? o->outer : 0;
	}
}

/* Adds a span, which starts no earlier than those before it if the order of
 * the records is that of time. */
static void
unite(struct tree_occ *o, int64_t start, int64_t span)
{
	int64_t from = start, end;

	if (start == TREE_NONE || start > INT64_MAX - span ||
	    (o->n_whole > 0 && start < o->last_start_ns)) {
		o->unordered = true;
		return;
	}
	end = start + span;
	if (o->n_whole > 0 && from < o->last_end_ns)
		from = o->last_end_ns;
	if (end > from)
		o->union_ns += end - from;
	if (o->n_whole == 0 || end > o->last_end_ns)
		o->last_end_ns = end;
	o->last_start_ns = start;
}

/* The position as a whole. */
static void
take_whole(struct tree_occ *o, const struct tl_evin *in,
    const struct tl_str *c)
{
	int64_t span = number(in, "span", c[O_SPAN]);
	int64_t n = number(in, "n", c[O_N]);
	int64_t iteration = number(in, "iteration", c[O_ITERATION]);

	if (span == TREE_NONE)
		die_at(in, "span", c[O_SPAN], "is unknown");
	o->total_ns = sum(in, o->total_ns, span);
	unite(o, signed_number(in, "start", c[O_START]), span);
	o->n_whole++;
	o->whole_n = n > 0 ? (uint64_t)n : 0;
	o->outer = iteration > 0 ? (uint64_t)iteration : 0;
}

static void
take_occ(struct tree *t, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[O_N_COLUMNS], key;
	struct tree_occ *o;
	uint32_t id;

	if (tl_fields(c, O_N_COLUMNS, line.p, line.n) < O_N_COLUMNS)
		die_at(in, "record", line, "19 columns are needed");
	if (!tl_str_is(c[O_COMPLETE], "full") &&
	    !tl_str_is(c[O_COMPLETE], "partial"))
		die_at(in, "completeness", c[O_COMPLETE],
		    "must be full or partial");
	key.p = c[O_SCOPE].p;
	key.n = (size_t)(c[O_POS].p + c[O_POS].n - key.p);
	id = tl_xintern(&t->occ_key, key);
	if (id == t->n_occ) {
		t->occ = tl_xgrow(t->occ, t->n_occ, &t->cap_occ,
		    sizeof *t->occ);
		t->occ[t->n_occ++] =
		    (struct tree_occ){ .longest_ns = TREE_NONE };
	}
	o = &t->occ[id];
	if (c[O_PARENT].n > c[O_POS].n && c[O_PARENT].p[c[O_POS].n] == '#' &&
	    memcmp(c[O_PARENT].p, c[O_POS].p, c[O_POS].n) == 0) {
		take_iteration(o, in, c);
	} else {
		take_whole(o, in, c);
	}
}

/* Index of a position of a scope that was read before; TREE_NO if it is not
 * there. Numbers ascend, and mostly count on. */
static uint32_t
find_pos(const struct tree *t, struct tl_str scope, uint32_t number)
{
	uint32_t s = tl_intern_find(&t->scope_key, scope), lo, hi;

	if (s == TREE_NO)
		return TREE_NO;
	lo = t->scope[s].first;
	hi = s + 1 == t->n_scopes ? (uint32_t)t->n_pos : t->scope[s].end;
	if (number <= hi - lo && t->pos[lo + number - 1].number == number)
		return lo + number - 1;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->pos[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n_pos && t->pos[lo].number == number ? lo : TREE_NO;
}

static void
take_real(struct tree *t, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[4];
	uint32_t pos;
	uint64_t id;

	if (tl_fields(c, 4, line.p, line.n) < 4)
		die_at(in, "record", line, "4 columns are needed");
	pos = find_pos(t, c[2], position(in, c[3]));
	if (pos == TREE_NO)
		die_at(in, "position", c[3], "has no record above");
	if (!tl_num_str_u64(c[1], &id) || !tree_own_place(t->own, id, pos))
		die_at(in, "event", c[1], "is no device event above");
}

static void
take_unit(struct tree *t, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[5];

	if (tl_fields(c, 5, line.p, line.n) < 5)
		die_at(in, "record", line, "5 columns are needed");
	if (tl_xintern(&t->unit_key, c[1]) != t->n_units)
		die_at(in, "unit", c[1], "is there already");
	t->unit = tl_xgrow(t->unit, t->n_units, &t->cap_units,
	    sizeof *t->unit);
	t->unit[t->n_units++] = number(in, "members", c[4]);
}

static void
take_note(struct tree *t, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[5], *col[4];
	struct tree_note n;

	if (tl_fields(c, 5, line.p, line.n) < 5)
		die_at(in, "record", line, "5 columns are needed");
	col[0] = &n.severity;
	col[1] = &n.code;
	col[2] = &n.count;
	col[3] = &n.text;
	for (int i = 0; i < 4; i++)
		*col[i] = (struct tl_str){
			tl_xarena_copy(&t->arena, c[i + 1].p, c[i + 1].n),
			c[i + 1].n
		};
	t->note = tl_xgrow(t->note, t->n_notes, &t->cap_notes,
	    sizeof *t->note);
	t->note[t->n_notes++] = n;
}

/* Ties the sums over occ records to their positions. */
static void
tie_occs(struct tree *t, const struct tl_evin *in)
{
	char *key = NULL, num[TREE_CELL];
	size_t used = 0;

	for (size_t s = 0; s < t->n_scopes; s++) {
		const struct tree_scope *sc = &t->scope[s];

		key = tl_xreallocarray(key, sc->name.n + TREE_CELL + 1, 1);
		memcpy(key, sc->name.p, sc->name.n);
		key[sc->name.n] = '\t';
		for (uint32_t i = sc->first; i < sc->end; i++) {
			const char *text = tree_pos_text(num, t->pos[i].number);
			size_t n = strlen(text);
			uint32_t id;

			memcpy(key + sc->name.n + 1, text, n);
			id = tl_intern_find(&t->occ_key,
			    (struct tl_str){ key, sc->name.n + 1 + n });
			t->pos[i].occ = id;
			used += id != TREE_NO;
		}
	}
	free(key);
	if (used < t->n_occ)
		tl_die("%s: %zu positions have occ records but no pos record",
		    in->in.name, t->n_occ - used);
}

/* A variant follows the pos record of its position, which is the last. */
static void
take_variant(struct tree *t, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[V_N];
	struct tree_pos *p;
	struct tree_vary *v;
	int64_t count, span, n = 0;

	if (tl_fields(c, V_N, line.p, line.n) < V_N)
		die_at(in, "record", line, "13 columns are needed");
	p = t->n_pos > 0 ? &t->pos[t->n_pos - 1] : NULL;
	if (p == NULL || p->number != position(in, c[V_POS]) ||
	    !tl_str_eq(t->scope[t->n_scopes - 1].name, c[V_SCOPE]))
		die_at(in, "position", c[V_POS], "is not the last position");
	if (p->vary == TREE_NO) {
		t->vary = tl_xgrow(t->vary, t->n_vary, &t->cap_vary,
		    sizeof *t->vary);
		t->vary[t->n_vary] = (struct tree_vary){
			.same_ns = TREE_NONE };
		p->vary = (uint32_t)t->n_vary++;
	}
	v = &t->vary[p->vary];
	count = small(in, "count", c[V_COUNT]);
	span = number(in, "nanoseconds", c[V_SPAN]);
	for (int i = V_EXTRA; i <= V_REPLACED; i++)
		n += small(in, "count", c[i]);
	if (v->n < TREE_VARIANTS)
		v->count[v->n] = count;
	v->n++;
	if (n == 0) {
		v->same = sum(in, v->same, count);
		v->same_ns = span;
		return;
	}
	v->deviating = sum(in, v->deviating, count);
	if (count > 0 && n > INT64_MAX / count)
		die_at(in, "count", c[V_COUNT], "does not fit into 64 bits");
	v->deviations = sum(in, v->deviations, n * count);
	if (span == TREE_NONE || v->deviating_ns == TREE_NONE ||
	    (count > 0 && span > INT64_MAX / count) ||
	    span * count > INT64_MAX - v->deviating_ns)
		v->deviating_ns = TREE_NONE;
	else
		v->deviating_ns += span * count;
}

static bool
has_note(const struct tree *t, const char *code)
{
	for (size_t i = 0; i < t->n_notes; i++)
		if (tl_str_is(t->note[i].code, code))
			return true;
	return false;
}

static void
take(struct tree *t, const struct tl_evin *in, const struct tl_rec *rec)
{
	t->n_lines++;
	switch (rec->kind) {
	case TL_HEADER:
		tree_xhead(t, rec->line);
		break;
	case TL_POS:
		take_pos(t, in, rec->line);
		break;
	case TL_OCC:
		take_occ(t, in, rec->line);
		break;
	case TL_REAL:
		if (t->own != NULL)
			take_real(t, in, rec->line);
		tree_xstep_real(t, rec->line);
		break;
	case TL_VARIANT:
		take_variant(t, in, rec->line);
		break;
	case TL_UNIT:
		take_unit(t, in, rec->line);
		break;
	case TL_LINK:
		tree_xstep_link(t, rec->line);
		break;
	case TL_NOTE:
		take_note(t, in, rec->line);
		break;
	default:
		if (t->own != NULL && tl_kind_on_device(rec->kind))
			tree_xown_event(t->own, in, &rec->ev);
		break;
	}
}

void
tree_xread(struct tree *t, const char *path, bool tolerate)
{
	struct tl_evin in;
	struct tl_rec rec;
	struct tl_err err;
	enum tl_status st;

	if (tl_evin_open(&in, path, tolerate, &err) != TL_OK)
		tl_die("%s", err.msg);
	in.want = t->own == NULL ? 0 : 1U << TL_KERNEL | 1U << TL_MEMCPY |
	    1U << TL_MEMSET | 1U << TL_SYNC | 1U << TL_GRAPH | 1U << TL_TASK;
	while ((st = tl_evin_next(&in, &rec, &err)) == TL_OK)
		take(t, &in, &rec);
	if (st == TL_ERR)
		tl_die("%s", err.msg);
	close_path(t, 0);
	t->cut = in.cut;
	if (t->n_pos == 0)
		tl_die("%s: %s", in.in.name, has_note(t, "no_device_events") ?
		    "no device events" :
		    "no recovered structure: run tl-recover");
	tie_occs(t, &in);
	tree_tie_notes(t);
	tree_step_count(t);
	tl_evin_close(&in);
}

void
tree_free(struct tree *t)
{
	free(t->pos);
	free(t->scope);
	free(t->note);
	free(t->occ);
	free(t->vary);
	free(t->head);
	free(t->unit);
	tree_steps_free(t->steps);
	tl_intern_free(&t->unit_key);
	free(t->path);
	tree_own_free(t->own);
	tl_intern_free(&t->text);
	tl_intern_free(&t->occ_key);
	tl_intern_free(&t->scope_key);
	tl_intern_free(&t->head_key);
	tl_intern_free(&t->bodies);
	tl_arena_free(&t->arena);
}
