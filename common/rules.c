#include "rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intern.h"
#include "rules_set.h"

struct tl_rules *
tl_xrules_new(void)
{
	struct tl_rules *r = tl_xcalloc(1, sizeof *r);
	struct tl_err err = { 0 };

	if (tl_rules_parse(r, "default", tl_default_rules,
	    tl_default_rules_len, &err) != TL_OK)
		tl_die_usage("%s", err.msg);
	return r;
}

static void
doc_free(struct tl_rules_doc *d)
{
	tl_arena_free(&d->arena);
	free(d);
}

void
tl_rules_free(struct tl_rules *r)
{
	if (r == NULL)
		return;
	for (struct tl_rules_doc *d = r->doc, *next; d != NULL; d = next) {
		next = d->next;
		doc_free(d);
	}
	for (size_t s = 0; s < TL_RULES_N_STAGES; s++)
		free(r->set[s].rule);
	free(r);
}

/* Rules by name while a stage is put together. */
struct merge {
	struct tl_rule_set set; /* in order of declaration */
	struct tl_intern ids;   /* numbers are indices in set */
	const struct tl_rules_doc *doc;
	struct tl_err *err;
};

static enum tl_status
bad_rule(struct merge *m, const struct tl_rule *r, const char *what,
    const struct tl_rule *other)
{
	char q[2][TL_QUOTE_SIZE];

	tl_quote(q[0], sizeof q[0], r->id, strlen(r->id));
	if (other == NULL)
		return tl_yaml_err(m->err, m->doc->origin, r->line, r->col,
		    "rule '%s': %s", q[0], what);
	return tl_yaml_err(m->err, m->doc->origin, r->line, r->col,
	    "rule '%s': %s '%s' at %s:%u", q[0], what,
	    tl_quote(q[1], sizeof q[1], other->id, strlen(other->id)),
	    tl_yaml_name(other->origin), (unsigned)other->line);
}

static enum tl_status
merge_rule(struct merge *m, const struct tl_rule *r, enum tl_rules_mode mode,
    uint32_t *seq)
{
	struct tl_str id = { r->id, strlen(r->id) };
	uint32_t at = tl_intern_find(&m->ids, id);
	struct tl_rule *old = at != UINT32_MAX ? &m->set.rule[at] : NULL;

	if (old != NULL && old->origin == m->doc->origin)
		return bad_rule(m, r, "given twice, also as", old);
	if (old != NULL && mode == TL_RULES_EXTEND)
		return bad_rule(m, r, "mode extend takes new ids, this is",
		    old);
	if (old == NULL && mode == TL_RULES_OVERRIDE)
		return bad_rule(m, r, "mode override takes ids that exist",
		    NULL);
	if (old != NULL) {
		uint32_t keep = old->seq;

		*old = *r;
		old->seq = keep;
		return TL_OK;
	}
	tl_xintern(&m->ids, id);
	m->set.rule[m->set.n] = *r;
	m->set.rule[m->set.n++].seq = (*seq)++;
	return TL_OK;
}

static int
cmp_key(const struct tl_rule *a, const struct tl_rule *b)
{
	int c = (a->priority > b->priority) - (a->priority < b->priority);

	if (c == 0)
		c = (a->provider > b->provider) - (a->provider < b->provider);
	if (c == 0)
		c = a->communication - b->communication;
	if (c == 0)
		c = (a->field > b->field) - (a->field < b->field);
	if (c == 0)
		c = (a->match > b->match) - (a->match < b->match);
	for (size_t i = 0; c == 0 && i < a->n_alt && i < b->n_alt; i++)
		c = tl_str_cmp(a->alt[i], b->alt[i]);
	return c != 0 ? c : (a->n_alt > b->n_alt) - (a->n_alt < b->n_alt);
}

static int
by_key(const void *a, const void *b)
{
	const struct tl_rule *x = a, *y = b;
	int c = cmp_key(x, y);

	return c != 0 ? c : (x->seq > y->seq) - (x->seq < y->seq);
}

static int
by_priority(const void *a, const void *b)
{
	const struct tl_rule *x = a, *y = b;
	int c = (x->priority < y->priority) - (x->priority > y->priority);

	return c != 0 ? c : (x->seq > y->seq) - (x->seq < y->seq);
}

/* Two rules that match the same at the same priority: of classification, the
 * second would never count; of symbols, neither would. */
static enum tl_status
no_equal_keys(struct merge *m)
{
	struct tl_rule *r = m->set.rule;

	qsort(r, m->set.n, sizeof *r, by_key);
	for (size_t i = 1; i < m->set.n; i++)
		if (cmp_key(&r[i - 1], &r[i]) == 0) {
			bool later = r[i].origin == m->doc->origin;

			return bad_rule(m, later ? &r[i] : &r[i - 1],
			    "equal in priority, scope, domain, field, match "
			    "and pattern to", later ? &r[i - 1] : &r[i]);
		}
	return TL_OK;
}

static int
by_seq(const void *a, const void *b)
{
	const struct tl_rule *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* The rules of a stage with those of a document put over them, in m->set,
 * by priority. */
static enum tl_status
merge(struct merge *m, const struct tl_rule_set *base,
    enum tl_rules_stage stage, uint32_t *seq)
{
	const struct tl_rules_doc_stage *st = &m->doc->stage[stage];
	size_t n = st->mode == TL_RULES_REPLACE ? 0 : base->n;

	m->set.rule = tl_xreallocarray(NULL, n + st->n, sizeof *m->set.rule);
	if (n > 0)
		memcpy(m->set.rule, base->rule, n * sizeof *m->set.rule);
	m->set.n = n;
	qsort(m->set.rule, n, sizeof *m->set.rule, by_seq);
	for (size_t i = 0; i < n; i++)
		tl_xintern(&m->ids, (struct tl_str){ m->set.rule[i].id,
		    strlen(m->set.rule[i].id) });
	for (size_t i = 0; i < st->n; i++)
		if (merge_rule(m, &st->rule[i], st->mode, seq) != TL_OK)
			return TL_ERR;
	if (stage != TL_RULES_RECONCILIATION && no_equal_keys(m) != TL_OK)
		return TL_ERR;
	qsort(m->set.rule, m->set.n, sizeof *m->set.rule, by_priority);
	return TL_OK;
}

/* From here on nothing can fail: takes over what was merged. */
static void
commit(struct tl_rules *r, struct tl_rules_doc *d, struct merge *m)
{
	struct tl_rules_doc **tail = &r->doc;

	for (size_t s = 0; s < TL_RULES_N_STAGES; s++) {
		/* the stages without a mode are one thing: the last counts */
		bool replace = d->stage[s].node != NULL &&
		    (s >= TL_RULES_MACRO ||
		    d->stage[s].mode == TL_RULES_REPLACE);

		for (struct tl_rules_doc *o = r->doc; o != NULL; o = o->next)
			if (replace)
				o->stage[s].live = false;
		if (m[s].set.rule != NULL) {
			free(r->set[s].rule);
			r->set[s] = m[s].set;
			m[s].set.rule = NULL;
		}
	}
	while (*tail != NULL)
		tail = &(*tail)->next;
	*tail = d;
}

enum tl_status
tl_rules_parse(struct tl_rules *r, const char *name, const char *text,
    size_t len, struct tl_err *err)
{
	struct tl_rules_doc *d = tl_xcalloc(1, sizeof *d);
	struct merge m[TL_RULES_N_STAGES] = { 0 };
	uint32_t seq = r->seq;
	enum tl_status st = tl_rules_doc_read(d, name, text, len, err);

	for (unsigned s = 0; st == TL_OK && s < TL_RULES_MACRO; s++) {
		m[s].doc = d;
		m[s].err = err;
		if (d->stage[s].node != NULL)
			st = merge(&m[s], &r->set[s], s, &seq);
	}
	if (st == TL_OK) {
		commit(r, d, m);
		r->seq = seq;
	} else {
		doc_free(d);
	}
	for (size_t s = 0; s < TL_RULES_N_STAGES; s++) {
		free(m[s].set.rule);
		tl_intern_free(&m[s].ids);
	}
	return st;
}

/* All of fd, at most one byte more than is allowed. */
static enum tl_status
slurp(int fd, const char *path, char *buf, size_t size, size_t *len,
    struct tl_err *err)
{
	struct stat st;
	ssize_t n;

	*len = 0;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		tl_err_set(err, "%s: open: is a directory",
		    tl_yaml_name(path));
		return TL_ERR;
	}
	while (*len < size) {
		do
			n = read(fd, buf + *len, size - *len);
		while (n < 0 && errno == EINTR);
		if (n < 0) {
			tl_err_set(err, "%s: read: %s", tl_yaml_name(path),
			    strerror(errno));
			return TL_ERR;
		}
		if (n == 0)
			break;
		*len += (size_t)n;
	}
	return TL_OK;
}

enum tl_status
tl_rules_load(struct tl_rules *r, const char *path, struct tl_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum tl_status st;
	size_t len;
	char *buf;

	if (fd < 0) {
		tl_err_set(err, "%s: open: %s", tl_yaml_name(path),
		    strerror(errno));
		return TL_ERR;
	}
	buf = tl_xmalloc(TL_RULES_MAX + 1);
	st = slurp(fd, path, buf, TL_RULES_MAX + 1, &len, err);
	close(fd);
	if (st == TL_OK)
		st = tl_rules_parse(r, path, buf, len, err);
	free(buf);
	return st;
}

struct tl_rules *
tl_xrules_open(const char *const *paths, size_t n)
{
	const char *env = getenv("TL_RULES");
	struct tl_rules *r = tl_xrules_new();
	struct tl_err err = { 0 };

	if (env != NULL && *env != '\0' &&
	    tl_rules_load(r, env, &err) != TL_OK)
		tl_die_usage("%s", err.msg);
	for (size_t i = 0; i < n; i++)
		if (tl_rules_load(r, paths[i], &err) != TL_OK)
			tl_die_usage("%s", err.msg);
	return r;
}

/* The rule of a number, NULL past the last. */
static struct tl_rule *
rule(const struct tl_rules *r, uint32_t i, enum tl_rules_stage *stage)
{
	size_t n = r->set[TL_RULES_CLASSIFICATION].n;

	*stage = i < n ? TL_RULES_CLASSIFICATION : TL_RULES_SYMBOL;
	if (i < n)
		return &r->set[*stage].rule[i];
	return i - n < r->set[*stage].n ? &r->set[*stage].rule[i - n] : NULL;
}

static void
hit(struct tl_rules *r, uint32_t i, uint64_t n)
{
	enum tl_rules_stage stage;
	struct tl_rule *x = i != TL_RULES_NONE ? rule(r, i, &stage) : NULL;

	if (x != NULL)
		x->hits += n;
}

void
tl_rules_hit(struct tl_rules *r, const struct tl_rules_result *res, uint64_t n)
{
	hit(r, res->class_rule, n);
	if (res->role_rule != res->class_rule)
		hit(r, res->role_rule, n);
	hit(r, res->symbol_rule, n);
}

bool
tl_rules_info(const struct tl_rules *r, uint32_t i, struct tl_rules_info *info)
{
	enum tl_rules_stage stage;
	const struct tl_rule *x = rule(r, i, &stage);

	if (x == NULL)
		return false;
	*info = (struct tl_rules_info){ .stage = stage, .id = x->id,
		.origin = x->origin, .line = x->line, .hits = x->hits };
	return true;
}

void
tl_rules_msg_hits(const struct tl_rules *r)
{
	struct tl_rules_info info;
	char q[TL_QUOTE_SIZE];
	uint32_t unused = 0;

	for (uint32_t i = 0; tl_rules_info(r, i, &info); i++) {
		if (info.hits > 0)
			tl_msg("%s:%u: rule '%s': %llu events",
			    tl_yaml_name(info.origin), (unsigned)info.line,
			    tl_quote(q, sizeof q, info.id, strlen(info.id)),
			    (unsigned long long)info.hits);
		else
			unused++;
	}
	if (unused > 0)
		tl_msg("%u rules without a hit", (unsigned)unused);
}

bool
tl_rules_source(const struct tl_rules *r, size_t i,
    struct tl_rules_source *src)
{
	for (unsigned s = 0; s < TL_RULES_N_STAGES; s++)
		for (const struct tl_rules_doc *d = r->doc; d != NULL;
		    d = d->next)
			if (d->stage[s].live && i-- == 0) {
				*src = (struct tl_rules_source){ .stage = s,
					.digest = d->digest,
					.origin = d->origin,
					.text = d->text };
				return true;
			}
	return false;
}
