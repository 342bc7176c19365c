/* Recipes: statements with a name, from tools/tl-query.sql, which the build
 * makes a text of. tl-query(1) has its form. */
#include "tl-query.h"

#include <stdlib.h>
#include <string.h>

#include "analysis_db.h"
#include "mem.h"

static struct tl_str
line_at(size_t at)
{
	const char *p = recipe_text + at;
	const char *nl = memchr(p, '\n', recipe_text_len - at);

	return (struct tl_str){ p, nl == NULL ? recipe_text_len - at :
	    (size_t)(nl - p) };
}

/* Whether s begins with it; then s goes on behind. */
static bool
take(struct tl_str *s, const char *it)
{
	size_t n = strlen(it);

	if (s->n < n || memcmp(s->p, it, n) != 0)
		return false;
	s->p += n;
	s->n -= n;
	return true;
}

/* Up to the next space, which is taken as well. */
static struct tl_str
word(struct tl_str *s)
{
	struct tl_str w = { s->p, 0 };

	while (w.n < s->n && s->p[w.n] != ' ')
		w.n++;
	s->p += w.n;
	s->n -= w.n;
	while (take(s, " "))
		;
	return w;
}

static void
add_param(struct recipe *r, struct tl_str line)
{
	struct recipe_param *p = &r->param[r->n_params++];
	const char *eq, *colon;

	*p = (struct recipe_param){ .name = word(&line), .meaning = line };
	eq = memchr(p->name.p, '=', p->name.n);
	if (eq != NULL) {
		p->preset.p = eq + 1;
		p->preset.n = p->name.n - (size_t)(eq - p->name.p) - 1;
		p->name.n = (size_t)(eq - p->name.p);
	}
	p->type = p->name;
	colon = memchr(p->name.p, ':', p->name.n);
	if (colon != NULL) {
		p->type.p = colon + 1;
		p->type.n = p->name.n - (size_t)(colon - p->name.p) - 1;
		p->name.n = (size_t)(colon - p->name.p);
	}
}

bool
recipe_next(size_t *at, struct recipe *r)
{
	struct tl_str line;
	size_t i = *at;

	*r = (struct recipe){ .n_params = 0 };
	for (; i < recipe_text_len; i += line_at(i).n + 1) {
		line = line_at(i);
		if (take(&line, "-- @"))
			break;
	}
	if (i >= recipe_text_len)
		return false;
	r->whole.p = line_at(i).p;
	r->name = word(&line);
	r->answer = line;
	for (i += line_at(i).n + 1; i < recipe_text_len;
	    i += line_at(i).n + 1) {
		line = line_at(i);
		if (!take(&line, "-- -p ") || r->n_params == RECIPE_PARAMS)
			break;
		add_param(r, line);
	}
	r->sql.p = recipe_text + i;
	for (; i < recipe_text_len; i += line_at(i).n + 1) {
		line = line_at(i);
		if (take(&line, "-- @"))
			break;
		r->sql.n += line_at(i).n + 1;
	}
	while (r->sql.n > 0 && r->sql.p[r->sql.n - 1] == '\n')
		r->sql.n--;
	r->whole.n = (size_t)(r->sql.p - r->whole.p) + r->sql.n;
	*at = i;
	return true;
}

struct recipe
recipe_xfind(const char *name)
{
	char q[TL_QUOTE_SIZE];
	struct recipe r;
	size_t at = 0;

	while (recipe_next(&at, &r))
		if (tl_str_is(r.name, name))
			return r;
	tl_die_opt(&query_tool, "recipe '@%s': unknown: '%s @' lists them",
	    tl_quote(q, sizeof q, name, strlen(name)), tl_prog);
}

static int
number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	int v = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		tl_die("SQLite: %s", sqlite3_errmsg(db));
	if (sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return v;
}

void
recipe_xcheck(sqlite3 *db, const char *path, const char *name)
{
	int version;

	if (number(db, "pragma application_id") != TL_DB_APPLICATION)
		tl_die("%s: no database of tl-ev2db: recipe '@%s' has nothing "
		    "to ask", path, name);
	version = number(db, "pragma user_version");
	if (version < TL_DB_VERSION_MIN)
		tl_die("%s: damaged analysis database: schema version '%d'",
		    path, version);
	if (version > TL_DB_VERSION)
		tl_die("%s: database version '%d': newer than recipe '@%s', "
		    "which knows %d", path, version, name, TL_DB_VERSION);
}

static char *
add(char *p, struct tl_str s)
{
	memcpy(p, s.p, s.n);
	return p + s.n;
}

/* "NAME=PRESET", and so on; the caller frees it. */
static struct tl_str
param_list(const struct recipe *r)
{
	size_t n = 1;
	char *list, *p;

	for (size_t i = 0; i < r->n_params; i++)
		n += r->param[i].name.n + r->param[i].preset.n + 2;
	list = p = tl_xmalloc(n);
	for (size_t i = 0; i < r->n_params; i++) {
		if (i > 0)
			*p++ = ' ';
		p = add(p, r->param[i].name);
		if (r->param[i].preset.p != NULL) {
			*p++ = '=';
			p = add(p, r->param[i].preset);
		}
	}
	return (struct tl_str){ list, (size_t)(p - list) };
}

void
recipe_xlist(enum format format)
{
	const char *name[] = { "recipe", "parameters", "answers" };
	struct writer w;
	struct recipe r;
	size_t at = 0;

	writer_xopen(&w, format, true, name, 3);
	while (recipe_next(&at, &r)) {
		struct tl_str params = param_list(&r);

		/* the @ stands before the name in the file */
		writer_xtext(&w, (struct tl_str){ r.name.p - 1,
		    r.name.n + 1 });
		writer_xtext(&w, params);
		writer_xtext(&w, r.answer);
		writer_xrow(&w);
		free((char *)(uintptr_t)params.p);
	}
	writer_xclose(&w);
}

void
recipe_xprint(const char *name)
{
	struct recipe r = recipe_xfind(name);
	struct tl_out out;

	tl_xout_open(&out, NULL);
	tl_xout_str(&out, r.whole);
	tl_xout_c(&out, '\n');
	tl_xout_close(&out);
}
