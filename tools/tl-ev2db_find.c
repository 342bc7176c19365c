/* Findings and notes: tl-ev(5), FINDINGS. */
#include "tl-ev2db.h"

#include <stdio.h>

#include "mem.h"
#include "num.h"

#define MAX_COLS 24
#define MAX_DEPTH 1000 /* as in tl-tree */

/* What a column is and what becomes of it: I own id, i integer, v integer that
 * is left out where there is none, x text, k token, h number with two decimals,
 * E event, P process, l launch, u unit, C context, T step, X exec, s scope (no
 * column of the table), S scope, Q own position, q position the record is of, p
 * another position, n own number, o occurrence, f full or partial, L label. All
 * but I, s, S, Q, q and n may be '.'. */
static const struct form {
	const char *word;
	enum db_table table;
	size_t min; /* columns that must be there */
	const char *cols;
	const char *names[MAX_COLS];
} forms[] = {
	{ "real", DB_REAL, 5, "Esqoi", { "event", "scope", "position",
	    "parent", "iteration" } },
	{ "occ", DB_OCCURRENCE, 18, "sqnoifEiiiiiiiiiiiv", { "scope",
	    "position", "n", "parent", "iteration", "completeness",
	    "first_event", "start", "span", "period", "busy", "compute",
	    "comm", "comm_exposed", "copy", "copy_exposed", "idle", "sum",
	    "variant" } },
	{ "pos", DB_POSITION, 23, "SQpiixhiiEiiiiiiiiiiiiL", { "scope",
	    "position", "parent", "ordinal", "depth", "kind", "iterations",
	    "body_events", "occurrences", "first_event", "start", "span",
	    "busy", "compute", "comm", "comm_exposed", "copy", "copy_exposed",
	    "idle", "iter_min", "iter_median", "iter_max", "label" } },
	{ "variant", DB_VARIANT, 12, "sqiioiiiiiii", { "scope", "position",
	    "variant", "count", "first", "extra", "missing", "replaced",
	    "period", "span", "busy", "idle" } },
	{ "dev", DB_DEVIATION, 6, "SoixpE", { "scope", "parent", "iteration",
	    "kind", "position", "event" } },
	{ "member", DB_MEMBER, 5, "lukiE", { "launch", "unit", "stream",
	    "index", "event" } },
	{ "launch", DB_LAUNCH, 13, "IEPkkiiuxiiExEEi", { "id", "call",
	    "process", "device", "context", "start", "dur", "unit", "status",
	    "members", "missing", "opaque", "reason", "first", "last",
	    "gap" } },
	{ "unit", DB_UNIT, 5, "Ixiii", { "id", "symbol", "streams", "members",
	    "launches" } },
	{ "link", DB_LINK, 7, "ETXxxEl", { "event", "step", "exec", "state",
	    "basis", "call", "launch" } },
	{ "work", DB_WORK, 7, "TPkiEii", { "step", "process", "device",
	    "events", "first", "start", "span" } },
	{ "exec", DB_EXEC, 18, "ICixxTxxxxiixxiEii", { "id", "context",
	    "line", "run", "execution", "step", "step_id", "phase", "status",
	    "marker_state", "rank", "pid", "marker", "state", "ranges",
	    "range", "calls", "events" } },
	{ "request", DB_REQUEST, 5, "Tixix", { "step", "n", "request",
	    "tokens", "json" } },
	{ "step", DB_STEP, 15, "ICixxxiiiiiiiix", { "id", "context", "line",
	    "run", "step", "producer", "ordinal", "tokens", "requests",
	    "free_blocks", "pool_blocks", "execs", "markers", "events",
	    "cache" } },
	{ "json", DB_JSON, 4, "Ciix", { "context", "line", "part", "text" } },
	{ "context", DB_CONTEXT, 9, "Ixxxiiixx", { "id", "state", "run",
	    "producer", "written", "dropped", "size", "sha256", "path" } },
	{ "note", DB_NOTE, 4, "xxix", { "severity", "code", "count", "text" } },
};

/* Letters of what is referred to by id, in the order of enum db_thing. */
static const char things[] = "luCTX";

/* A finding on its way into its table. */
struct finding {
	struct db *d;
	const struct form *form;
	sqlite3_stmt *s;
	struct tl_str line;
	struct tl_str column; /* at hand, and its name */
	const char *name;
	int at;               /* parameter to bind */
	bool odd;             /* its spelling must be kept */
	bool lost;            /* refers to what has no row: kept only */
	uint32_t scope, pos;  /* where the record is */
	uint32_t later_pos, later_n; /* 0: no occurrence that is to come */
};

TL_NORETURN static void
bad(const struct finding *f, const char *why)
{
	db_die_at(f->d, f->name, f->column, why);
}

/* Something it refers to is not there. In a cut stream that is no fault, nor
 * where an event has no row: then the record is kept as it came only. */
static void
missing(struct finding *f, const char *why)
{
	if (!f->d->tolerate && f->d->large.n == 0)
		bad(f, why);
	f->lost = true;
}

static void
put(struct finding *f, int64_t v)
{
	sqlite3_bind_int64(f->s, f->at, v);
}

static int64_t
integer(const struct finding *f)
{
	int64_t v;

	if (!tl_num_str_i64(f->column, &v))
		bad(f, "must be an integer of 64 bits, or '.'");
	return v;
}

static void
put_event(struct finding *f)
{
	uint64_t id;

	if (!tl_num_str_u64(f->column, &id))
		bad(f, "must be an event's id");
	if (tl_evids_find(&f->d->large, id) != TL_NO_EVENT)
		f->lost = true;
	else if (tl_evids_find(&f->d->ids, id) == TL_NO_EVENT)
		missing(f, "no event before has this id");
	else
		put(f, (int64_t)id);
}

/* Id of a launch or unit. A word is no key: the record is only kept. */
static bool
put_id(struct finding *f, int64_t *id)
{
	f->lost = !tl_num_str_i64(f->column, id);
	if (!f->lost)
		put(f, *id);
	return !f->lost;
}

/* A launch or the like may come later, but in a cut stream must have come. */
static void
put_thing(struct finding *f, enum db_thing t)
{
	static const char *const sql[DB_N_THINGS] = {
		"SELECT 1 FROM tl_launch WHERE launch = ?",
		"SELECT 1 FROM tl_unit WHERE unit = ?",
		"SELECT 1 FROM tl_context WHERE context = ?",
		"SELECT 1 FROM tl_step WHERE step = ?",
		"SELECT 1 FROM tl_exec WHERE exec = ?",
	};
	sqlite3_stmt **s = &f->d->there[t];
	int64_t id;
	bool there;

	if (!put_id(f, &id))
		return;
	if (!f->d->tolerate) {
		f->d->refers[t] = true;
		return;
	}
	if (*s == NULL && sqlite3_prepare_v2(f->d->file.db, sql[t], -1, s,
	    NULL) != SQLITE_OK)
		db_die(&f->d->file);
	sqlite3_bind_int64(*s, 1, id);
	there = sqlite3_step(*s) == SQLITE_ROW;
	sqlite3_reset(*s);
	if (!there)
		missing(f, "there is no record of it");
}

/* Two decimals, as hundredths. */
static void
put_hundredths(struct finding *f)
{
	struct tl_str s = f->column;
	size_t n = s.n;
	int64_t v;

	if (n < 4 || s.p[n - 3] != '.' || s.p[n - 2] < '0' ||
	    s.p[n - 2] > '9' || s.p[n - 1] < '0' || s.p[n - 1] > '9' ||
	    !tl_num_str_i64((struct tl_str){ s.p, n - 3 }, &v) || v < 0 ||
	    v > INT64_MAX / 100 - 1)
		bad(f, "must be a number with two decimals");
	put(f, v * 100 + (s.p[n - 2] - '0') * 10 + (s.p[n - 1] - '0'));
}

static void
put_scope(struct finding *f, bool column)
{
	struct db *d = f->d;
	int64_t key = db_xscope(d, f->column, &f->odd);

	f->scope = (uint32_t)key - 1;
	while (f->scope >= d->n_scopes) {
		d->scope = tl_xgrow(d->scope, d->n_scopes, &d->cap_scopes,
		    sizeof *d->scope);
		d->scope[d->n_scopes++] = (struct db_scope){ .n = 0 };
	}
	if (column)
		put(f, key);
}

/* Where a position is in its scope, from 1; 0 where it is not there. */
static uint32_t
position(const struct finding *f, uint32_t number)
{
	return number <= f->d->scope[f->scope].n ? number : 0;
}

/* That of the record's own position, or its parent. */
static void
put_position(struct finding *f, bool own)
{
	uint32_t number;

	if (!tl_pos_parse(f->column, &number))
		bad(f, "must be N and a number of three digits or more");
	number = position(f, number);
	if (number == 0) {
		missing(f, "no pos record before has it");
		return;
	}
	put(f, f->d->scope[f->scope].pos[number - 1].key);
	if (own)
		f->pos = number;
}

static void
put_own_position(struct finding *f)
{
	struct db_scope *s = &f->d->scope[f->scope];
	uint32_t number;

	if (!tl_pos_parse(f->column, &number))
		bad(f, "must be N and a number of three digits or more");
	if (number != s->n + 1) {
		missing(f, "positions of a scope are numbered N001, N002 ...");
		return;
	}
	put(f, number);
	f->pos = number;
}

static void
put_occurrence(struct finding *f)
{
	const struct db_pos *p;
	uint32_t number, n;

	if (!tl_occ_parse(f->column, &number, &n))
		bad(f, "must be POSITION#NUMBER");
	number = position(f, number);
	if (number == 0) {
		missing(f, "names no position before");
		return;
	}
	p = &f->d->scope[f->scope].pos[number - 1];
	if (n <= p->n_occ) {
		put(f, p->occ[n - 1]);
		return;
	}
	sqlite3_bind_null(f->s, f->at);
	f->later_pos = number;
	f->later_n = n;
}

static void
put_own_number(struct finding *f)
{
	int64_t v = integer(f);

	put(f, v);
	if (v != (int64_t)f->d->scope[f->scope].pos[f->pos - 1].n_occ + 1)
		missing(f, "occurrences of a position are counted 1, 2, 3 ...");
}

static void
put_completeness(struct finding *f)
{
	bool full = tl_str_is(f->column, "full");

	if (full || tl_str_is(f->column, "partial")) {
		put(f, full);
		return;
	}
	/* a word of a later version */
	sqlite3_bind_null(f->s, f->at);
	f->odd = true;
}

static void
put_column(struct finding *f, char type)
{
	struct db *d = f->d;
	int64_t id;

	switch (type) {
	case 'I':
		put_id(f, &id);
		break;
	case 'i':
	case 'v':
		put(f, integer(f));
		break;
	case 'x':
		f->odd |= db_bind_text(d, f->s, f->at, f->column);
		break;
	case 'k':
		f->odd |= db_bind_token(d, f->s, f->at, f->column);
		break;
	case 'h':
		put_hundredths(f);
		break;
	case 'E':
		put_event(f);
		break;
	case 'P':
		put(f, db_xprocess(d, f->column, &f->odd));
		break;
	case 's':
	case 'S':
		put_scope(f, type == 'S');
		break;
	case 'Q':
		put_own_position(f);
		break;
	case 'q':
	case 'p':
		put_position(f, type == 'q');
		break;
	case 'n':
		put_own_number(f);
		break;
	case 'o':
		put_occurrence(f);
		break;
	case 'f':
		put_completeness(f);
		break;
	case 'L':
		put(f, db_xname(d, f->column, &f->odd));
		break;
	default:
		put_thing(f, (enum db_thing)(strchr(things, type) - things));
		break;
	}
}

static void
put_columns(struct finding *f, const struct tl_str *field, size_t n)
{
	for (size_t i = 0; f->form->cols[i] != '\0' && !f->lost; i++) {
		char type = f->form->cols[i];

		f->name = f->form->names[i];
		if (i + 1 < n && field[i + 1].n > 0) {
			f->column = field[i + 1];
			f->odd |= type == 'v' && tl_str_none(f->column);
		} else {
			f->column = TL_LIT(".");
			f->odd |= type != 'v' || i + 1 < n;
		}
		if (!tl_str_none(f->column))
			put_column(f, type);
		else if (strchr("IsSQqn", type) != NULL)
			bad(f, "must not be '.'");
		else
			sqlite3_bind_null(f->s, f->at);
		f->at += type != 's';
		/* the key is the id, the line comes behind it */
		if (type == 'I')
			sqlite3_bind_int64(f->s, f->at++, f->d->line);
	}
}

/* The text of a position's path, which views have, is as long as it is deep. */
static void
check_depth(const struct db *d, struct tl_str depth)
{
	uint64_t v;

	if (tl_num_str_u64(depth, &v) && v > MAX_DEPTH)
		db_die_at(d, "depth", depth, "more than 1000");
}

/* What later records refer to. */
static void
remember(struct finding *f)
{
	struct db *d = f->d;

	if (f->form->table == DB_POSITION) {
		struct db_scope *s = &d->scope[f->scope];

		s->pos = tl_xgrow(s->pos, s->n, &s->cap, sizeof *s->pos);
		s->pos[s->n++] = (struct db_pos){ .key = d->line };
	} else if (f->form->table == DB_OCCURRENCE) {
		struct db_pos *p = &d->scope[f->scope].pos[f->pos - 1];

		p->occ = tl_xgrow(p->occ, p->n_occ, &p->cap_occ,
		    sizeof *p->occ);
		p->occ[p->n_occ++] = d->line;
	}
	if (f->later_pos == 0)
		return;
	d->later = tl_xgrow(d->later, d->n_later, &d->cap_later,
	    sizeof *d->later);
	d->later[d->n_later++] = (struct db_later){
		.table = f->form->table, .row = d->line, .scope = f->scope,
		.pos = f->later_pos, .n = f->later_n, .line = d->in.in.line,
	};
	f->odd |= d->tolerate;
}

static void
insert(struct finding *f)
{
	struct db *d = f->d;

	sqlite3_step(f->s);
	if (sqlite3_reset(f->s) == SQLITE_OK)
		return;
	if (sqlite3_errcode(d->file.db) == SQLITE_CONSTRAINT)
		db_die_at(d, "record", f->line, "its id is there already");
	db_die(&d->file);
}

/* Neighbours are mostly of one kind. */
static const struct form *
form_of(struct db *d, struct tl_str line)
{
	struct tl_str word;

	tl_fields(&word, 1, line.p, line.n);
	if (d->last_form != NULL && tl_str_is(word, d->last_form->word))
		return d->last_form;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (tl_str_is(word, forms[i].word))
			return d->last_form = &forms[i];
	return NULL;
}

void
db_xfinding(struct db *d, struct tl_str line)
{
	const struct form *form = form_of(d, line);
	struct tl_str field[MAX_COLS];
	struct finding f = { .d = d, .form = form, .line = line, .at = 1 };
	size_t n;

	if (form == NULL) {
		db_xkeep(d, line);
		return;
	}
	n = tl_fields(field, MAX_COLS, line.p, line.n);
	if (n < form->min + 1) {
		char why[40];

		snprintf(why, sizeof why, "%zu columns are needed",
		    form->min + 1);
		db_die_at(d, "record", line, why);
	}
	f.odd = n > strlen(form->cols) + 1;
	f.s = d->file.insert[form->table];
	if (form->cols[0] != 'I')
		sqlite3_bind_int64(f.s, f.at++, d->line);
	put_columns(&f, field, n);
	if (form->table == DB_POSITION)
		check_depth(d, field[5]);
	if (!f.lost) {
		insert(&f);
		remember(&f);
	}
	if (f.odd || f.lost)
		db_xkeep(d, line);
	d->n_only += f.lost;
}
