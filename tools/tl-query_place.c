/* Parameters of recipes that name something in the database: what is not there
 * would give no rows, as if there were nothing to say. See tl-query(1),
 * RECIPES, for the forms. */
#include "tl-query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A position, N003, and perhaps what of it: N003#5, N003/2. */
struct place {
	int64_t number; /* 0: none is named */
	int64_t of;     /* behind the mark */
	char mark;      /* # or /, 0 for none */
};

/* Digits of a number from 1 on. */
static bool
take_number(struct tl_str *s, int64_t *v)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++) {
		if (n > 99999999999)
			return false;
		n = n * 10 + (uint64_t)(s->p[i] - '0');
	}
	s->p += i;
	s->n -= i;
	*v = (int64_t)n;
	return n > 0;
}

static bool
place_of(struct tl_str s, bool bare_is_of, struct place *p)
{
	*p = (struct place){ .number = 0 };
	if (s.n >= 2 && s.p[0] == '\'' && s.p[s.n - 1] == '\'')
		s = (struct tl_str){ s.p + 1, s.n - 2 };
	if (s.n > 0 && (s.p[0] == 'N' || s.p[0] == 'n')) {
		s.p++;
		s.n--;
		bare_is_of = false;
	}
	if (s.n > 0 && (s.p[0] != '#' && s.p[0] != '/')) {
		if (!take_number(&s, bare_is_of ? &p->of : &p->number))
			return false;
		if (bare_is_of)
			p->mark = '#';
	}
	if (s.n > 0 && p->mark == 0 && (*s.p == '#' || *s.p == '/')) {
		p->mark = *s.p++;
		s.n--;
		if (!take_number(&s, &p->of))
			return false;
	}
	return s.n == 0 && (p->number > 0 || p->mark != 0);
}

/* A question of the program's own; its first row is at. False if none is. */
static sqlite3_stmt *
ask(sqlite3 *db, const char *sql, const int64_t *arg, int n,
    const struct tl_str *scope, bool *at)
{
	sqlite3_stmt *st;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		tl_die("SQLite: %s", sqlite3_errmsg(db));
	for (int i = 0; i < n; i++)
		sqlite3_bind_int64(st, i + 1, arg[i]);
	if (scope != NULL)
		param_xvalue(st, n + 1, *scope);
	rc = sqlite3_step(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		tl_die("SQLite: %s", sqlite3_errmsg(db));
	*at = rc == SQLITE_ROW;
	return st;
}

/* "the last is N193", or of an occurrence of that position "N193#5", in buf. */
static const char *
last_of(sqlite3 *db, const char *sql, const int64_t *of,
    const struct tl_str *scope, char *buf, size_t size)
{
	bool at;
	sqlite3_stmt *st = ask(db, sql, of, of != NULL, scope, &at);
	int64_t last = at ? sqlite3_column_int64(st, 0) : 0;

	if (last == 0)
		snprintf(buf, size, "there is none");
	else if (of == NULL)
		snprintf(buf, size, "the last is N%03lld", (long long)last);
	else
		snprintf(buf, size, "the last is N%03lld#%lld",
		    (long long)*of, (long long)last);
	sqlite3_finalize(st);
	return buf;
}

#define SCOPED "from tl_position p join tl_scope s using (scope) "
#define OCCURS "from tl_occurrence o join tl_position p using (position) " \
	"join tl_scope s using (scope) "

TL_PRINTF(3, 4) TL_NORETURN static void
refuse(const struct place_param *p, const struct tl_str *value,
    const char *fmt, ...)
{
	char q[TL_QUOTE_SIZE], why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	tl_die("%s: parameter '%.*s': '%s': %s", p->recipe, (int)p->name.n,
	    p->name.p, tl_quote(q, sizeof q, value->p, value->n), why);
}

/* The position, in the form that statements compare with. */
static void
check_position(const struct place_param *p, struct tl_str *value,
    char *text)
{
	struct place at;
	char why[64], sql[160];
	bool found;
	sqlite3_stmt *st;

	if (!place_of(*value, false, &at) || at.number == 0)
		refuse(p, value, "is no position, such as N002");
	if (at.mark != 0)
		refuse(p, value, "is one %s: give the position alone, N%03lld",
		    at.mark == '#' ? "occurrence" : "iteration",
		    (long long)at.number);
	snprintf(sql, sizeof sql, "select p.kind " SCOPED "where p.number = "
	    "?1 and (?2 is null or s.name = ?2) order by p.kind <> '%.*s'",
	    (int)p->kind.n, p->kind.p);
	st = ask(p->db, sql, &at.number, 1, p->scope, &found);
	if (!found)
		refuse(p, value, "is no position of this database%s: %s",
		    tl_str_is(*p->scope, "NULL") ? "" : " in this scope",
		    last_of(p->db, "select max(p.number) " SCOPED
		    "where ?1 is null or s.name = ?1", NULL, p->scope, why,
		    sizeof why));
	if (p->kind.n > 0 && !tl_str_is(p->kind,
	    (const char *)sqlite3_column_text(st, 0)))
		refuse(p, value, "is of kind %.20s, and not %.*s",
		    sqlite3_column_text(st, 0), (int)p->kind.n, p->kind.p);
	sqlite3_finalize(st);
	snprintf(text, PLACE_TEXT, "N%03lld", (long long)at.number);
	*value = (struct tl_str){ text, strlen(text) };
}

/* The number behind # of an occurrence of the position. */
static void
check_occurrence(const struct place_param *p, struct tl_str *value,
    char *text)
{
	struct place at, of;
	char why[64];
	int64_t arg[2], n;
	sqlite3_stmt *st;
	bool found;

	if (!place_of(*value, true, &at) || at.mark == 0)
		refuse(p, value, "is no occurrence, such as 5, N002#5 or "
		    "N002/5");
	place_of(*p->position, false, &of);
	if (at.number != 0 && at.number != of.number)
		refuse(p, value, "is not of the position asked for, N%03lld",
		    (long long)of.number);
	arg[0] = of.number;
	arg[1] = at.of;
	st = ask(p->db, at.mark == '#' ?
	    "select o.n " OCCURS "where p.number = ?1 and o.n = ?2 and "
	    "(?3 is null or s.name = ?3)" :
	    "select min(o.n) " OCCURS "join tl_occurrence u on "
	    "u.occurrence = o.parent and u.position = o.position "
	    "where p.number = ?1 and o.iteration = ?2 and "
	    "(?3 is null or s.name = ?3) having count(distinct o.n) = 1",
	    arg, 2, p->scope, &found);
	n = found ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	if (!found && at.mark == '#')
		refuse(p, value, "is no occurrence: %s", last_of(p->db,
		    "select max(o.n) " OCCURS "where p.number = ?1 and "
		    "(?2 is null or s.name = ?2)", arg, p->scope, why,
		    sizeof why));
	if (!found)
		refuse(p, value, "is no iteration, or one of several loops: "
		    "name it by N%03lld#, as @iterations does",
		    (long long)of.number);
	snprintf(text, PLACE_TEXT, "%lld", (long long)n);
	*value = (struct tl_str){ text, strlen(text) };
}

/* A name out of a list in the database. */
static void
check_name(const struct place_param *p, struct tl_str *value,
    const char *from)
{
	char sql[128], first[TL_QUOTE_SIZE + 32] = "";
	sqlite3_stmt *st;
	bool found;

	snprintf(sql, sizeof sql, "select 1 from %.80s = ?1", from);
	st = ask(p->db, sql, NULL, 0, value, &found);
	sqlite3_finalize(st);
	if (found)
		return;
	snprintf(sql, sizeof sql, "select %s from %.*s",
	    strrchr(from, ' ') + 1, (int)(strchr(from, ' ') - from), from);
	st = ask(p->db, sql, NULL, 0, NULL, &found);
	if (found && sqlite3_column_text(st, 0) != NULL) {
		char q[TL_QUOTE_SIZE];
		const char *s = (const char *)sqlite3_column_text(st, 0);

		snprintf(first, sizeof first, ", but for example '%s'",
		    tl_quote(q, sizeof q, s, strlen(s)));
	}
	sqlite3_finalize(st);
	refuse(p, value, "is not in this database%s", first);
}

void
place_xcheck(const struct place_param *p, struct tl_str *value, char *text)
{
	static const struct {
		const char *type, *from;
	} list[] = {
		{ "scope", "tl_scope where name" },
		{ "class", "tl_class where name" },
		{ "kind", "tl_kind where name" },
		{ "run", "tl_step where run" },
	};

	if (tl_str_is(*value, "NULL"))
		return;
	if (tl_str_is(p->type, "pos"))
		check_position(p, value, text);
	else if (tl_str_is(p->type, "occurrence"))
		check_occurrence(p, value, text);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (tl_str_is(p->type, list[i].type))
			check_name(p, value, list[i].from);
}
