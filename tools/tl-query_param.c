/* Parameters: which one a -p is for, and what kind of value it is. */
#include "tl-query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "num.h"

static bool
is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* Digits, with a point among or an exponent behind them: what SQL would take
 * for a real. */
static bool
real_of(const char *s, double *v)
{
	size_t i = *s == '-', digits = 0;
	bool real = false;

	for (; s[i] >= '0' && s[i] <= '9'; i++)
		digits++;
	if (s[i] == '.') {
		real = true;
		for (i++; s[i] >= '0' && s[i] <= '9'; i++)
			digits++;
	}
	if (digits == 0)
		return false;
	if (s[i] == 'e' || s[i] == 'E') {
		real = true;
		i++;
		i += s[i] == '-' || s[i] == '+';
		if (s[i] == '\0')
			return false;
		i += strspn(s + i, "0123456789");
	}
	if (!real || s[i] != '\0')
		return false;
	*v = strtod(s, NULL);
	return isfinite(*v);
}

/* The inside of 'text', with '' for one quotation mark; NULL if it is not in
 * this form. The caller frees it. */
static char *
unquoted(struct tl_str s, size_t *len)
{
	char *out;
	size_t n = 0;

	if (s.n < 2 || s.p[0] != '\'' || s.p[s.n - 1] != '\'')
		return NULL;
	out = tl_xmalloc(s.n);
	for (size_t i = 1; i < s.n - 1; i++) {
		if (s.p[i] == '\'' && (++i == s.n - 1 || s.p[i] != '\'')) {
			free(out);
			return NULL;
		}
		out[n++] = s.p[i];
	}
	*len = n;
	return out;
}

static int
nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ?
	    c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The bytes of x'HEX', NULL if it is not in this form. The caller frees it. */
static char *
bytes_of(struct tl_str s, size_t *len)
{
	char *out;
	size_t n = 0;

	if (s.n < 3 || s.n % 2 == 0 || (s.p[0] != 'x' && s.p[0] != 'X') ||
	    s.p[1] != '\'' || s.p[s.n - 1] != '\'')
		return NULL;
	out = tl_xmalloc(s.n);
	for (size_t i = 2; i < s.n - 1; i += 2) {
		int hi = nibble(s.p[i]), lo = nibble(s.p[i + 1]);

		if (hi < 0 || lo < 0) {
			free(out);
			return NULL;
		}
		out[n++] = (char)(hi << 4 | lo);
	}
	*len = n;
	return out;
}

void
param_xvalue(sqlite3_stmt *st, int i, struct tl_str s)
{
	char *text = tl_xmemdup0(s.p, s.n), *p;
	int64_t v;
	double r;
	size_t n;
	int rc;

	if (tl_str_is(s, "NULL")) {
		rc = sqlite3_bind_null(st, i);
	} else if (tl_num_str_i64(s, &v)) {
		rc = sqlite3_bind_int64(st, i, v);
	} else if (real_of(text, &r)) {
		rc = sqlite3_bind_double(st, i, r);
	} else if ((p = unquoted(s, &n)) != NULL) {
		rc = sqlite3_bind_text64(st, i, p, n, free, SQLITE_UTF8);
	} else if ((p = bytes_of(s, &n)) != NULL) {
		rc = sqlite3_bind_blob64(st, i, p, n, free);
	} else {
		rc = sqlite3_bind_text64(st, i, text, s.n, free, SQLITE_UTF8);
		text = NULL;
	}
	free(text);
	if (rc != SQLITE_OK)
		tl_die("parameter %d: %s", i,
		    sqlite3_errmsg(sqlite3_db_handle(st)));
}

/* Length of the name in "NAME=VALUE", 0 if there is none. */
static size_t
name_of(const char *arg)
{
	size_t n = 0;

	while (is_word(arg[n]))
		n++;
	return arg[n] == '=' ? n : 0;
}

/* Gives a value to every parameter of that name that has none yet. */
static void
give_name(sqlite3_stmt *st, struct tl_str name, struct tl_str value,
    struct tl_str *given)
{
	int n = sqlite3_bind_parameter_count(st), found = 0;
	char q[TL_QUOTE_SIZE];
	uint64_t number;

	if (!tl_num_str_u64(name, &number))
		number = 0;
	tl_quote(q, sizeof q, name.p, name.n);
	for (int i = 1; i <= n; i++) {
		const char *is = sqlite3_bind_parameter_name(st, i);

		if ((uint64_t)i != number &&
		    (is == NULL || !tl_str_is(name, is + 1)))
			continue;
		if (given[i].p != NULL)
			tl_die_opt(&query_tool, "parameter '%s': two values "
			    "for it", q);
		given[i] = value;
		found++;
	}
	if (found == 0)
		tl_die_opt(&query_tool, "parameter '%s': the statement has "
		    "none of that name", q);
}

static const struct recipe_param *
param_of(const struct recipe *r, const char *name)
{
	for (size_t i = 0; r != NULL && name != NULL && i < r->n_params; i++)
		if (tl_str_is(r->param[i].name, name + 1))
			return &r->param[i];
	return NULL;
}

/* Parameters that are left take what the recipe has for them. */
static void
give_rest(sqlite3_stmt *st, const struct recipe *r, struct tl_str *given)
{
	int n = sqlite3_bind_parameter_count(st);

	for (int i = 1; i <= n; i++) {
		const char *name = sqlite3_bind_parameter_name(st, i);
		const struct recipe_param *p = param_of(r, name);

		if (given[i].p != NULL)
			continue;
		if (p != NULL && p->preset.p != NULL)
			given[i] = p->preset;
		else if (name == NULL || name[0] == '?')
			tl_die_opt(&query_tool, "parameter %d: no value: give "
			    "-p %d=VALUE", i, i);
		else
			tl_die_opt(&query_tool, "parameter '%.80s': no value: "
			    "give -p %.80s=VALUE", name, name + 1);
	}
}

/* What else a place is looked up by: "scope" or "pos". */
static const struct tl_str *
value_of(sqlite3_stmt *st, const char *name, const struct tl_str *given)
{
	static const struct tl_str null = { "NULL", 4 };
	int i = sqlite3_bind_parameter_index(st, name);

	return i == 0 ? &null : &given[i];
}

/* Looks up what the recipe's values name, those of this type or, if it is NULL,
 * all. text has room for what takes the place of each. */
static void
look_up(sqlite3_stmt *st, const struct recipe *r, const char *type,
    struct tl_str *given, char (*text)[PLACE_TEXT])
{
	int n = sqlite3_bind_parameter_count(st);
	char recipe[TL_QUOTE_SIZE];

	snprintf(recipe, sizeof recipe, "@%.*s", (int)r->name.n, r->name.p);
	for (size_t k = 0; k < r->n_params; k++)
		for (int i = 1; i <= n; i++) {
			const struct recipe_param *p = &r->param[k];
			struct place_param place = {
				sqlite3_db_handle(st), recipe, p->name,
				p->type, { "", 0 },
				value_of(st, ":scope", given),
				value_of(st, ":pos", given)
			};

			if ((type != NULL && !tl_str_is(p->type, type)) ||
			    param_of(r, sqlite3_bind_parameter_name(st, i)) !=
			    p)
				continue;
			if (tl_str_is(p->type, "loop") ||
			    tl_str_is(p->type, "event")) {
				place.kind = p->type;
				place.type = TL_LIT("pos");
			}
			place_xcheck(&place, &given[i], text[i]);
		}
}

void
param_xbind(sqlite3_stmt *st, char **arg, size_t n, const struct recipe *r)
{
	size_t count = (size_t)sqlite3_bind_parameter_count(st), turn = 0;
	struct tl_str *given = tl_xcalloc(count + 1, sizeof *given);
	char (*text)[PLACE_TEXT] = tl_xcalloc(count + 1, sizeof *text);
	char number[24];

	for (size_t i = 0; i < n; i++) {
		size_t len = name_of(arg[i]);
		struct tl_str name = { arg[i], len };
		struct tl_str value = { arg[i], strlen(arg[i]) };

		if (len > 0) {
			value.p += len + 1;
			value.n -= len + 1;
		} else {
			name.p = number;
			name.n = tl_num_put_u64(number, ++turn);
			if (turn > (r == NULL ? count : r->n_params))
				tl_die_opt(&query_tool, "more values of -p "
				    "than the statement has parameters: %zu",
				    r == NULL ? count : r->n_params);
			if (r != NULL)
				name = r->param[turn - 1].name;
		}
		give_name(st, name, value, given);
	}
	give_rest(st, r, given);
	if (r != NULL) {
		look_up(st, r, "scope", given, text);
		look_up(st, r, NULL, given, text);
	}
	for (size_t i = 1; i <= count; i++)
		param_xvalue(st, (int)i, given[i]);
	free(text);
	free(given);
}
