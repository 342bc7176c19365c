#include "tl-msprof2ev.h"

#include <stdlib.h>

/* What the rules say, once for each combination of texts. */

/* A part of a collective: the collective's name without what tells instances
 * apart, and what the part does. */
static struct tl_str
part_symbol(struct msprof *m, const struct row *r)
{
	struct tl_str s = text_of(m, row_text(r, F_COMM));
	struct tl_str type = text_of(m, row_text(r, F_COMM_TYPE));
	size_t n = 1;
	char *p;

	while (n + 1 < s.n && (s.p[n] != '_' || s.p[n + 1] != '_'))
		n++;
	if (n + 1 >= s.n)
		n = s.n;
	if (type.n == 0)
		return (struct tl_str){ s.p, n };
	p = tl_xarena_alloc(&m->arena, n + type.n + 1);
	memcpy(p, s.p, n);
	p[n] = '/';
	memcpy(p + n + 1, type.p, type.n);
	return (struct tl_str){ p, n + type.n + 1 };
}

static void
make(struct msprof *m, const struct row *r, enum tl_kind kind,
    struct tl_conv_name *out)
{
	struct tl_str name = text_of(m, row_text(r, F_NAME));
	struct tl_str type = text_of(m, row_text(r, F_TYPE));
	struct tl_rules_subject s = { .provider = m->conv.provider,
		.kind = kind, .communication = r->table == T_COMM,
		.op_type = text_of(m, row_text(r, F_OP_TYPE)),
		.op_name = name, .task_type = type,
		.compute_type = text_of(m, row_text(r, F_CORE)) };

	s.name = name;
	if (!row_has(r, F_NAME) && row_has(r, F_COMM)) {
		s.name = text_of(m, row_text(r, F_COMM));
		s.comm_name = part_symbol(m, r);
	} else if (!row_has(r, F_NAME)) {
		s.name = type;
	}
	tl_xconv_subject(&m->conv, &m->arena, &s, out);
}

static int64_t
pair(const struct row *r, enum field a, enum field b)
{
	return (int64_t)((uint64_t)row_text(r, a) << 32 | row_text(r, b));
}

const struct tl_conv_name *
xname_of(struct msprof *m, const struct row *r, enum tl_kind kind)
{
	struct tl_map_key key = { { (int64_t)kind * 2 +
		(r->table == T_COMM), pair(r, F_NAME, F_OP_TYPE),
		pair(r, F_COMM, F_COMM_TYPE), pair(r, F_TYPE, F_CORE) } };
	size_t known = m->names.n;
	uint32_t i = tl_xmap_add(&m->names, key);

	if (i == known) {
		m->name = tl_xgrow(m->name, known, &m->names_cap,
		    sizeof *m->name);
		make(m, r, kind, &m->name[i]);
	}
	return &m->name[i];
}
