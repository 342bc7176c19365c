#include <stdlib.h>

#include "tl-recover.h"
#include "tl-recover_scope.h"

#include "num.h"

TL_NORETURN static void
die_record(const struct tl_filter *f, const struct tl_rec *rec,
    const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die("%s:%llu: record '%s': %s", f->in.in.name,
	    (unsigned long long)f->in.in.line,
	    tl_quote(q, sizeof q, rec->line.p, rec->line.n), why);
}

static uint64_t
number(const struct tl_filter *f, const struct tl_rec *rec, struct tl_str s)
{
	uint64_t v;

	if (!tl_num_str_u64(s, &v) || v > UINT32_MAX)
		die_record(f, rec, "a number is expected where there is none");
	return v;
}

static struct rec_unit *
find_unit(struct rec_capture *cap, uint64_t id)
{
	size_t lo = 0, hi = cap->n_units;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cap->unit[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cap->n_units && cap->unit[lo].id == id ? &cap->unit[lo] :
	    NULL;
}

static uint32_t
find_launch(const struct rec_capture *cap, uint64_t id)
{
	size_t lo = 0, hi = cap->n_launches;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cap->launch[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cap->n_launches && cap->launch[lo].id == id ?
	    (uint32_t)lo : REC_NO_LAUNCH;
}

/* The event with an id: scope and index. Events are by id in each scope. */
static bool
find_event(struct rec_capture *cap, uint64_t id, struct rec_scope **scope,
    size_t *at)
{
	for (size_t i = 0; i < cap->n_scopes; i++) {
		struct rec_scope *s = &cap->scope[i];
		size_t lo = 0, hi = s->n;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (s->ev[mid].id < id)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < s->n && s->ev[lo].id == id) {
			*scope = s;
			*at = lo;
			return true;
		}
	}
	return false;
}

static void
add_unit(struct rec_capture *cap, const struct tl_filter *f,
    const struct tl_rec *rec)
{
	struct tl_str c[3];
	uint64_t id;

	if (tl_fields(c, 3, rec->line.p, rec->line.n) < 3)
		die_record(f, rec, "columns are missing");
	id = number(f, rec, c[1]);
	if (cap->n_units > 0 && cap->unit[cap->n_units - 1].id >= id)
		die_record(f, rec, "units must ascend");
	cap->unit = tl_xgrow(cap->unit, cap->n_units, &cap->units_cap,
	    sizeof *cap->unit);
	cap->unit[cap->n_units++] = (struct rec_unit){ .id = id };
}

/* The call with an id, which calls are in the order of; NULL if it has no
 * usable correlation. */
static const struct rec_call *
find_call(const struct rec_capture *cap, uint64_t id)
{
	size_t lo = 0, hi = cap->n_calls;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cap->call[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cap->n_calls && cap->call[lo].id == id ? &cap->call[lo] :
	    NULL;
}

/* Members of a launch have its call's correlation, but for those of ACL
 * graphs, which have that of their capture. */
static void
place_launch(const struct rec_capture *cap, const struct tl_filter *f,
    const struct tl_rec *rec, const struct tl_str *c, struct rec_launch *l)
{
	const struct rec_call *call;

	if (tl_str_none(c[2])) {
		l->by = tl_str_is(c[9], "orphan") ? REC_BY_MEMBERS :
		    REC_BY_TIME;
		return;
	}
	call = find_call(cap, number(f, rec, c[2]));
	l->by = call == NULL ? REC_BY_MEMBERS : REC_BY_CALL;
	l->corr = call == NULL ? 0 : call->corr;
}

static void
add_launch(struct rec_capture *cap, const struct tl_filter *f,
    const struct tl_rec *rec)
{
	struct tl_str c[10];
	struct rec_launch l = { .by = REC_BY_TIME };
	struct rec_unit *u;

	if (tl_fields(c, 10, rec->line.p, rec->line.n) < 10)
		die_record(f, rec, "columns are missing");
	if (tl_str_none(c[8]))
		return; /* opaque or empty: no members */
	l.id = number(f, rec, c[1]);
	u = find_unit(cap, number(f, rec, c[8]));
	if (u == NULL)
		die_record(f, rec, "no such unit");
	l.unit = (uint32_t)(u - cap->unit);
	place_launch(cap, f, rec, c, &l);
	if (cap->n_launches > 0 && cap->launch[cap->n_launches - 1].id >= l.id)
		die_record(f, rec, "launches must ascend");
	cap->launch = tl_xgrow(cap->launch, cap->n_launches,
	    &cap->launches_cap, sizeof *cap->launch);
	cap->launch[cap->n_launches++] = l;
	u->n_launches++;
}

static struct rec_lane *
lane_of(struct rec_unit *u, size_t lane)
{
	while (u->n_lanes <= lane) {
		u->lane = tl_xgrow(u->lane, u->n_lanes, &u->lanes_cap,
		    sizeof *u->lane);
		u->lane[u->n_lanes++] = (struct rec_lane){ .n = 0 };
	}
	return &u->lane[lane];
}

size_t
rec_lane_find(const struct rec_lane *l, uint32_t index)
{
	size_t lo = 0, hi = l->n;

	if (hi > 0 && l->at[hi - 1] < index)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->at[mid] < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Learns a place of the unit's template, if it is new. */
static void
learn(struct rec_unit *u, uint32_t lane, uint32_t index, uint32_t sym)
{
	struct rec_lane *l = lane_of(u, lane);
	size_t i = rec_lane_find(l, index);

	if (i < l->n && l->at[i] == index)
		return;
	l->sym = tl_xgrow(l->sym, l->n, &l->cap, sizeof *l->sym);
	l->at = tl_xgrow(l->at, l->n, &l->at_cap, sizeof *l->at);
	memmove(l->sym + i + 1, l->sym + i, (l->n - i) * sizeof *l->sym);
	memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof *l->at);
	l->sym[i] = sym;
	l->at[i] = index;
	l->n++;
	u->n_part++;
}

static void
add_member(struct rec_capture *cap, const struct tl_filter *f,
    const struct tl_rec *rec)
{
	struct tl_str c[6];
	struct rec_scope *s;
	uint64_t lane, index;
	uint32_t launch;
	size_t at;

	if (tl_fields(c, 6, rec->line.p, rec->line.n) < 6)
		die_record(f, rec, "columns are missing");
	launch = find_launch(cap, number(f, rec, c[1]));
	if (launch == REC_NO_LAUNCH)
		die_record(f, rec, "no such launch");
	lane = number(f, rec, c[3]);
	index = number(f, rec, c[4]);
	if (lane > UINT16_MAX)
		die_record(f, rec, "more streams than a graph can have");
	if (!find_event(cap, number(f, rec, c[5]), &s, &at))
		die_record(f, rec, "no such device event");
	if (s->member == NULL) {
		s->member = tl_xreallocarray(NULL, s->n, sizeof *s->member);
		memset(s->member, 0xff, s->n * sizeof *s->member);
	}
	if (s->member[at].launch != REC_NO_LAUNCH)
		die_record(f, rec, "the event is a member already");
	s->member[at] = (struct rec_member){ launch, (uint32_t)lane,
		(uint32_t)index };
	if (s->ev[at].flags & REC_PART)
		learn(&cap->unit[cap->launch[launch].unit], (uint32_t)lane,
		    (uint32_t)index, s->ev[at].sym);
}

void
rec_add_replay(struct rec_capture *cap, const struct tl_filter *f,
    const struct tl_rec *rec)
{
	if (rec->kind == TL_UNIT)
		add_unit(cap, f, rec);
	else if (rec->kind == TL_LAUNCH)
		add_launch(cap, f, rec);
	else
		add_member(cap, f, rec);
}

/* The lane's symbols numbered anew from 0, so that what a small graph takes
 * does not grow with the names of the capture. number[] is scratch by symbol,
 * REC_NO_LAUNCH on entry and on return. */
static uint32_t
renumber(const struct rec_lane *l, uint32_t *sym, uint32_t *number)
{
	uint32_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (number[l->sym[i]] == REC_NO_LAUNCH)
			number[l->sym[i]] = n++;
		sym[i] = number[l->sym[i]];
	}
	for (size_t i = 0; i < l->n; i++)
		number[l->sym[i]] = REC_NO_LAUNCH;
	return n;
}

static void
recover_lane(struct rec_lane *l, bool is_body, uint32_t *number)
{
	uint32_t *sym = tl_xreallocarray(NULL, l->n, sizeof *sym);
	uint32_t n_sym = renumber(l, sym, number);

	l->tree = tl_xcalloc(1, sizeof *l->tree);
	rec_recover(l->tree, &(struct rec_seq){ .n = l->n, .sym = sym,
	    .n_sym = n_sym, .is_body = is_body });
	free(sym);
}

void
rec_end_replay(struct rec_capture *cap)
{
	uint32_t *number;

	cap->sym_replay = (uint32_t)cap->text.n;
	number = tl_xreallocarray(NULL, cap->sym_replay, sizeof *number);
	memset(number, 0xff, cap->sym_replay * sizeof *number);
	for (size_t u = 0; u < cap->n_units; u++) {
		const struct rec_unit *unit = &cap->unit[u];

		for (size_t k = 0; k < unit->n_lanes; k++)
			recover_lane(&unit->lane[k], unit->n_launches >= 2,
			    number);
	}
	free(number);
}

void
rec_replay_free(struct rec_capture *cap)
{
	for (size_t u = 0; u < cap->n_units; u++) {
		for (size_t k = 0; k < cap->unit[u].n_lanes; k++) {
			struct rec_lane *l = &cap->unit[u].lane[k];

			rec_tree_free(l->tree);
			free(l->tree);
			free(l->sym);
			free(l->at);
		}
		free(cap->unit[u].lane);
	}
	free(cap->unit);
	free(cap->launch);
}
