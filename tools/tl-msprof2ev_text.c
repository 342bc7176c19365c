#include "tl-msprof2ev.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t
xtext(struct msprof *m, struct tl_str s)
{
	return tl_xintern(&m->text, s);
}

struct tl_str
text_of(const struct msprof *m, uint32_t text)
{
	return text == NO_TEXT ? (struct tl_str){ "", 0 } :
	    tl_intern_str(&m->text, text);
}

/* STRING_IDS by ascending id; of two rows with one the first counts. */
static void
load(struct msprof *m, struct tl_db *db)
{
	sqlite3_stmt *st = tl_xdb_prepare(db, "select id, value from STRING_IDS "
	    "order by id, _rowid_");
	size_t cap = 0;
	int64_t id;

	while (tl_xdb_step(db, st, "STRING_IDS")) {
		struct tl_str s;

		if (tl_db_int(sqlite3_column_value(st, 0), &id) != TL_DB_INT ||
		    (m->n_strings > 0 &&
		    id <= m->string_id[m->n_strings - 1]))
			continue;
		m->string_id = tl_xgrow(m->string_id, m->n_strings,
		    &m->strings_cap, sizeof *m->string_id);
		m->string_text = tl_xgrow(m->string_text, m->n_strings, &cap,
		    sizeof *m->string_text);
		s = tl_text_cut(tl_db_text(st, 1), &m->count.long_text);
		m->string_id[m->n_strings] = id;
		m->string_text[m->n_strings++] = xtext(m, s);
	}
	sqlite3_finalize(st);
}

void
xtexts_load(struct msprof *m)
{
	struct base *b = base_with(m, -1, "STRING_IDS");

	if (b != NULL && tl_xdb_has_column(&b->db, "STRING_IDS", "id") &&
	    tl_xdb_has_column(&b->db, "STRING_IDS", "value"))
		load(m, &b->db);
}

static size_t
find_id(const struct msprof *m, int64_t id)
{
	size_t lo = 0, hi = m->n_strings;

	/* they are dense but for a few */
	if (id >= 0 && (uint64_t)id < hi && m->string_id[id] == id)
		return (size_t)id;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->string_id[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->n_strings && m->string_id[lo] == id ? lo : SIZE_MAX;
}

uint32_t
xtext_of_id(struct msprof *m, int64_t id, const char *what)
{
	size_t i = find_id(m, id);
	char buf[64];
	int n;

	if (i != SIZE_MAX)
		return m->string_text[i];
	m->count.unknown_name++;
	n = snprintf(buf, sizeof buf, "%s#%lld", what, (long long)id);
	return xtext(m, (struct tl_str){ buf, (size_t)n });
}

/* ---- types of tasks ---- */

enum tl_ascend_type
type_kind(struct msprof *m, uint32_t text)
{
	size_t cap = m->type_kind_cap;

	if (text == NO_TEXT)
		return TL_ASCEND_OTHER;
	if (text >= cap) {
		m->type_kind_cap = ((size_t)text + 64) * 2;
		m->type_kind = tl_xreallocarray(m->type_kind,
		    m->type_kind_cap, 1);
		memset(m->type_kind + cap, 0, m->type_kind_cap - cap);
	}
	if (m->type_kind[text] == 0)
		m->type_kind[text] = (uint8_t)(tl_ascend_type(text_of(m, text)) + 1);
	return (enum tl_ascend_type)(m->type_kind[text] - 1);
}
