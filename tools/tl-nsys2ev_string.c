#include "tl-nsys2ev.h"

#include <stdlib.h>

#include "esc.h"

/* Meanings of strings that are kept beside them; others are asked for each
 * time. */
#define MAX_NAMES ((size_t)1 << 16)

struct name {
	enum tl_kind kind;
	struct tl_conv_name conv;
	struct name *next;
};

/* An array from id to index where ids are dense, as they are in exports that
 * nobody cut. */
static void
make_direct(struct strings *s)
{
	uint64_t range;

	if (s->n == 0)
		return;
	range = (uint64_t)s->s[s->n - 1].id - (uint64_t)s->s[0].id;
	if (range / 4 > s->n + 1024)
		return;
	s->n_direct = (size_t)range + 1;
	s->direct = tl_xcalloc(s->n_direct, sizeof *s->direct);
	for (size_t i = s->n; i-- > 0;)
		s->direct[s->s[i].id - s->s[0].id] = (uint32_t)i + 1;
}

static struct tl_str
keep(struct strings *s, struct tl_str text)
{
	return (struct tl_str){ tl_xarena_copy(&s->arena, text.p, text.n),
		text.n };
}

/* False, with nothing loaded, if ids don't come in ascending order. Of two
 * rows with one id the first counts. */
static bool
load(struct nsys *n, const char *order)
{
	struct strings *s = &n->strings;
	sqlite3_stmt *st = xprepare(n, "select id, value from StringIds "
	    "order by %s", order);
	size_t cap = s->n;

	while (xstep(n, st, "StringIds")) {
		struct tl_str text;
		int64_t id;

		if (tl_db_int(sqlite3_column_value(st, 0), &id) != TL_DB_INT ||
		    (s->n > 0 && id == s->s[s->n - 1].id))
			continue;
		if (s->n > 0 && id < s->s[s->n - 1].id) {
			s->n = 0;
			break;
		}
		if (s->n == UINT32_MAX - 1)
			tl_die("%s: more than %zu strings", n->db.file.path, s->n);
		text = tl_text_cut(tl_db_text(st, 1), &s->cut);
		s->s = tl_xgrow(s->s, s->n, &cap, sizeof *s->s);
		s->s[s->n++] = (struct string){ .id = id,
		    .text = keep(s, text) };
	}
	sqlite3_finalize(st);
	return s->n > 0;
}

void
xstrings_load(struct nsys *n)
{
	if (!is_table(n, "StringIds") || !has_column(n, "StringIds", "id") ||
	    !has_column(n, "StringIds", "value"))
		return;
	if (!load(n, "id"))
		load(n, "cast(id as integer), _rowid_");
	make_direct(&n->strings);
}

struct string *
string_find(const struct strings *s, int64_t id)
{
	size_t lo = 0, hi = s->n;

	if (s->direct != NULL) {
		uint64_t i = (uint64_t)id - (uint64_t)s->s[0].id;

		return i >= s->n_direct || s->direct[i] == 0 ? NULL :
		    &s->s[s->direct[i] - 1];
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->s[mid].id == id)
			return &s->s[mid];
		if (s->s[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

struct tl_str
xstring_esc(struct nsys *n, struct string *s)
{
	char *p;

	if (s->esc != NULL)
		return (struct tl_str){ s->esc, s->esc_len };
	if (s->text.n == 0) {
		s->esc = ".";
		s->esc_len = 1;
	} else if (tl_esc_clean(s->text.p, s->text.n) &&
	    !tl_str_none(s->text)) {
		s->esc = s->text.p;
		s->esc_len = s->text.n;
	} else {
		p = tl_xarena_alloc(&n->strings.arena, 4 * s->text.n);
		s->esc_len = tl_esc(p, s->text.p, s->text.n);
		s->esc = p;
	}
	return (struct tl_str){ s->esc, s->esc_len };
}

const struct tl_conv_name *
xstring_name(struct nsys *n, struct string *s, enum tl_kind kind)
{
	struct name *nm;
	const struct tl_conv_name *conv;

	for (nm = s->names; nm != NULL; nm = nm->next)
		if (nm->kind == kind)
			return &nm->conv;
	conv = tl_xconv_name(&n->conv, kind, s->text);
	if (n->strings.n_names >= MAX_NAMES)
		return conv;
	n->strings.n_names++;
	nm = tl_xarena_alloc(&n->strings.arena, sizeof *nm);
	*nm = (struct name){ kind, *conv, s->names };
	nm->conv.esc = xstring_esc(n, s);
	nm->conv.sym = keep(&n->strings, conv->sym);
	nm->conv.res.symbol = (struct tl_str){ "", 0 };
	s->names = nm;
	return &nm->conv;
}
