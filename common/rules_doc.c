#include "rules_doc.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA "traceloom-analysis-rules-v1"

const char *
tl_rules_stage_name(enum tl_rules_stage stage)
{
	static const char *const name[TL_RULES_N_STAGES] = {
		"event_reconciliation", "classification",
		"symbol_normalization", "macro_matching", "structure" };

	return name[stage];
}

size_t
tl_rules_type(char *out, struct tl_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c >= 'a' && c <= 'z')
			out[n++] = (char)(c - 'a' + 'A');
		else if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
			out[n++] = c;
		else if (n > 0 && out[n - 1] != '_')
			out[n++] = '_';
	}
	return n > 0 && out[n - 1] == '_' ? n - 1 : n;
}

void
tl_rules_lower(char *out, struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++)
		out[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ?
		    s.p[i] - 'A' + 'a' : s.p[i]);
}

static enum tl_status bad(struct tl_rules_check *c, const struct tl_node *at,
    const char *what, struct tl_str subject, const char *fmt, va_list ap)
    TL_PRINTF(5, 0);

static enum tl_status
bad(struct tl_rules_check *c, const struct tl_node *at, const char *what,
    struct tl_str subject, const char *fmt, va_list ap)
{
	char why[256], q[TL_QUOTE_SIZE];

	vsnprintf(why, sizeof why, fmt, ap);
	return tl_yaml_err(c->err, c->name, at->line, at->col, "%s '%s': %s",
	    what, tl_quote(q, sizeof q, subject.p, subject.n), why);
}

enum tl_status
tl_rules_bad(struct tl_rules_check *c, const struct tl_node *node,
    const char *what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	bad(c, node, what, node->text, fmt, ap);
	va_end(ap);
	return TL_ERR;
}

enum tl_status
tl_rules_bad_as(struct tl_rules_check *c, const struct tl_node *at,
    const char *what, struct tl_str subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	bad(c, at, what, subject, fmt, ap);
	va_end(ap);
	return TL_ERR;
}

/* A text must be one line: it ends up in streams and messages. */
static enum tl_status
one_line(struct tl_rules_check *c, const struct tl_node *n, const char *key)
{
	struct tl_str s = n->text;

	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return tl_rules_bad(c, n, key,
			    "must not hold control characters");
	if (s.n > 0 && (s.p[0] == ' ' || s.p[s.n - 1] == ' '))
		return tl_rules_bad(c, n, key,
		    "must not begin or end with a blank");
	return TL_OK;
}

enum tl_status
tl_rules_check_text(struct tl_rules_check *c, const struct tl_node *node,
    const char *key)
{
	struct tl_str k = { key, strlen(key) };

	if (node->type != TL_SCALAR)
		return tl_rules_bad_as(c, node, "key", k,
		    "items must be texts");
	if (node->text.n == 0)
		return tl_rules_bad_as(c, node, "key", k,
		    "items must not be empty");
	return one_line(c, node, key);
}

static enum tl_status
check_value(struct tl_rules_check *c, const struct tl_node *n,
    const struct tl_rules_key *key)
{
	static const char *const must[] = { "a text", "a sequence",
		"a mapping" };
	struct tl_str k = { key->name, strlen(key->name) };

	if (n->type != key->type)
		return tl_rules_bad_as(c, n, "key", k, "must be %s",
		    must[key->type]);
	if (n->type != TL_SCALAR)
		return TL_OK;
	if (n->text.n == 0 && !key->may_be_empty)
		return tl_rules_bad_as(c, n, "key", k, "must not be empty");
	return one_line(c, n, key->name);
}

enum tl_status
tl_rules_check_map(struct tl_rules_check *c, struct tl_rules_map *m,
    const struct tl_node *node, const char *what,
    const struct tl_rules_key *keys, size_t n_keys)
{
	*m = (struct tl_rules_map){ .keys = keys, .n_keys = n_keys,
		.node = node };
	if (node->type != TL_MAPPING)
		return tl_yaml_err(c->err, c->name, node->line, node->col,
		    "%s: must be a mapping", what);
	for (const struct tl_node *k = node->child; k != NULL;
	    k = k->next->next) {
		size_t i = 0;

		while (i < n_keys && !tl_str_is(k->text, keys[i].name))
			i++;
		if (i == n_keys)
			return tl_rules_bad(c, k, "key", "not known in %s",
			    what);
		if (m->val[i] != NULL)
			return tl_rules_bad(c, k, "key", "given twice in %s",
			    what);
		m->val[i] = k->next;
		if (check_value(c, k->next, &keys[i]) != TL_OK)
			return TL_ERR;
	}
	for (size_t i = 0; i < n_keys; i++)
		if (keys[i].required && m->val[i] == NULL)
			return tl_yaml_err(c->err, c->name, node->line,
			    node->col, "key '%s': missing in %s", keys[i].name,
			    what);
	return TL_OK;
}

const struct tl_node *
tl_rules_get(const struct tl_rules_map *m, const char *key)
{
	for (size_t i = 0; i < m->n_keys; i++)
		if (strcmp(m->keys[i].name, key) == 0)
			return m->val[i];
	return NULL;
}

struct tl_str
tl_rules_text(const struct tl_rules_map *m, const char *key)
{
	const struct tl_node *n = tl_rules_get(m, key);

	return n != NULL ? n->text : (struct tl_str){ "", 0 };
}

/* "a|b|c" as "a, b or c". */
static void
list(char *out, size_t size, const char *choices)
{
	size_t n = 0;
	const char *last = strrchr(choices, '|');

	for (const char *p = choices; *p != '\0' && n + 8 < size; p++) {
		const char *sep = *p != '|' ? NULL : p == last ? " or " : ", ";

		if (sep == NULL) {
			out[n++] = *p;
		} else {
			memcpy(out + n, sep, strlen(sep));
			n += strlen(sep);
		}
	}
	out[n] = '\0';
}

enum tl_status
tl_rules_choice(struct tl_rules_check *c, const struct tl_rules_map *m,
    const char *key, const char *choices, unsigned dflt, unsigned *out)
{
	const struct tl_node *n = tl_rules_get(m, key);
	char text[256];
	unsigned i = 0;

	*out = dflt;
	if (n == NULL)
		return TL_OK;
	for (const char *p = choices; p != NULL; i++) {
		const char *end = strchr(p, '|');
		size_t len = end != NULL ? (size_t)(end - p) : strlen(p);

		if (tl_str_eq(n->text, (struct tl_str){ p, len })) {
			*out = i;
			return TL_OK;
		}
		p = end != NULL ? end + 1 : NULL;
	}
	list(text, sizeof text, choices);
	return tl_rules_bad(c, n, key, "must be %s", text);
}

enum tl_status
tl_rules_int(struct tl_rules_check *c, const struct tl_rules_map *m,
    const char *key, int64_t min, int64_t max, int64_t *out)
{
	const struct tl_node *n = tl_rules_get(m, key);
	struct tl_str s = n != NULL ? n->text : (struct tl_str){ "", 0 };
	bool minus = s.n > 0 && s.p[0] == '-';
	size_t i = minus || (s.n > 0 && s.p[0] == '+') ? 1 : 0;
	size_t digits = s.n - i;
	int64_t v = 0;

	while (i < s.n && s.p[i] == '0')
		i++;
	for (size_t j = 0; j < 18 && i < s.n && s.p[i] >= '0' &&
	    s.p[i] <= '9'; i++, j++)
		v = v * 10 + (s.p[i] - '0');
	*out = minus ? -v : v;
	if (n == NULL || digits == 0 || i < s.n || *out < min || *out > max)
		return tl_rules_bad_as(c, n != NULL ? n : m->node, key, s,
		    "must be a whole number from %lld to %lld",
		    (long long)min, (long long)max);
	return TL_OK;
}

static enum tl_status
stages(struct tl_rules_check *c, const struct tl_rules_map *m)
{
	struct tl_rules_doc_stage *st = c->doc->stage;

	for (unsigned s = 0; s < TL_RULES_N_STAGES; s++) {
		st[s].node = tl_rules_get(m, tl_rules_stage_name(s));
		st[s].live = st[s].node != NULL;
	}
	/* in the order of the document, so that the first fault is told */
	for (const struct tl_node *k = m->node->child; k != NULL;
	    k = k->next->next) {
		enum tl_status res = TL_OK;

		if (k->next == st[TL_RULES_MACRO].node)
			res = tl_rules_check_macro(c);
		else if (k->next == st[TL_RULES_STRUCTURE].node)
			res = tl_rules_check_structure(c);
		for (unsigned s = 0; s <= TL_RULES_SYMBOL; s++)
			if (k->next == st[s].node)
				res = tl_rules_check_policy(c, s);
		if (res != TL_OK)
			return res;
	}
	return TL_OK;
}

enum tl_status
tl_rules_doc_read(struct tl_rules_doc *d, const char *name, const char *text,
    size_t len, struct tl_err *err)
{
	static const struct tl_rules_key keys[] = {
		{ "schema", TL_SCALAR, true, false },
		{ "event_reconciliation", TL_MAPPING, false, false },
		{ "classification", TL_MAPPING, false, false },
		{ "symbol_normalization", TL_MAPPING, false, false },
		{ "macro_matching", TL_MAPPING, false, false },
		{ "structure", TL_MAPPING, false, false },
	};
	struct tl_rules_check c = { d, name, err };
	struct tl_rules_map m;
	struct tl_node *root;
	unsigned i;

	if (len > TL_RULES_MAX) {
		tl_err_set(err, "%s: rules: longer than %zu bytes",
		    tl_yaml_name(name), TL_RULES_MAX);
		return TL_ERR;
	}
	if (tl_yaml_read(&d->arena, name, text, len, &root, err) != TL_OK)
		return TL_ERR;
	d->origin = tl_xarena_copy(&d->arena, name, strlen(name));
	tl_sha256_hex(text, len, d->digest);
	d->text = (struct tl_str){ tl_xarena_copy(&d->arena, text, len), len };
	if (tl_rules_check_map(&c, &m, root, "rules", keys,
	    sizeof keys / sizeof *keys) != TL_OK)
		return TL_ERR;
	if (tl_rules_choice(&c, &m, "schema", SCHEMA, 0, &i) != TL_OK)
		return TL_ERR;
	return stages(&c, &m);
}
