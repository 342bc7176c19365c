#include "rules_yaml.h"

#include <stdio.h>
#include <string.h>

#include <yaml.h>


struct reader {
	yaml_parser_t y;
	struct tl_arena *arena;
	const char *name;
	const char *text;
	size_t len;
	struct tl_err *err;
};

const char *
tl_yaml_name(const char *name)
{
	size_t n = strlen(name);

	return n > 200 ? name + n - 200 : name;
}

enum tl_status
tl_yaml_verr(struct tl_err *err, const char *name, uint32_t line, uint32_t col,
    const char *fmt, va_list ap)
{
	int n = snprintf(err->msg, sizeof err->msg, "%s:%u:%u: ",
	    tl_yaml_name(name), (unsigned)line, (unsigned)col);

	if (n > 0 && (size_t)n < sizeof err->msg)
		vsnprintf(err->msg + n, sizeof err->msg - (size_t)n, fmt, ap);
	err->line = line;
	err->off = 0;
	return TL_ERR;
}

enum tl_status
tl_yaml_err(struct tl_err *err, const char *name, uint32_t line, uint32_t col,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tl_yaml_verr(err, name, line, col, fmt, ap);
	va_end(ap);
	return TL_ERR;
}

static enum tl_status
fail(struct reader *r, yaml_mark_t m, const char *what, const char *s,
    const char *why)
{
	char q[TL_QUOTE_SIZE];

	return tl_yaml_err(r->err, r->name, (uint32_t)m.line + 1,
	    (uint32_t)m.column + 1, "%s '%s': %s", what,
	    tl_quote(q, sizeof q, s, strlen(s)), why);
}

/* The library counts in bytes what it can't decode. */
static enum tl_status
fail_bytes(struct reader *r)
{
	size_t off = r->y.problem_offset;
	uint32_t line = 1, col = 1;
	char q[TL_QUOTE_SIZE];

	if (off > r->len)
		off = r->len;
	for (size_t i = 0; i < off; i++) {
		unsigned char c = (unsigned char)r->text[i];

		if (c == '\n' || (c == '\r' && i + 1 < r->len &&
		    r->text[i + 1] != '\n')) {
			line++;
			col = 1;
		} else if ((c & 0xc0) != 0x80) {
			col++;
		}
	}
	return tl_yaml_err(r->err, r->name, line, col, "byte '%s': %s",
	    tl_quote(q, sizeof q, r->text + off, off < r->len ? 1 : 0),
	    r->y.problem);
}

static enum tl_status
fail_syntax(struct reader *r)
{
	const yaml_parser_t *y = &r->y;
	uint32_t line = (uint32_t)y->problem_mark.line + 1;
	uint32_t col = (uint32_t)y->problem_mark.column + 1;
	const char *why = y->problem != NULL ? y->problem : "not readable";

	if (y->error == YAML_READER_ERROR)
		return fail_bytes(r);
	if (y->error == YAML_MEMORY_ERROR)
		tl_die("out of memory: %s", r->name);
	if (y->context != NULL)
		return tl_yaml_err(r->err, r->name, line, col,
		    "yaml: %s %s that begins at %u:%u", why, y->context,
		    (unsigned)y->context_mark.line + 1,
		    (unsigned)y->context_mark.column + 1);
	return tl_yaml_err(r->err, r->name, line, col, "yaml: %s", why);
}

static enum tl_status
next(struct reader *r, yaml_event_t *e)
{
	return yaml_parser_parse(&r->y, e) ? TL_OK : fail_syntax(r);
}

/* Events carry their tag and anchor in a member of their own kind. */
static void
tag_and_anchor(const yaml_event_t *e, const char **tag, const char **anchor)
{
	yaml_char_t *t = NULL, *a = NULL;

	if (e->type == YAML_SCALAR_EVENT) {
		t = e->data.scalar.tag;
		a = e->data.scalar.anchor;
	} else if (e->type == YAML_SEQUENCE_START_EVENT) {
		t = e->data.sequence_start.tag;
		a = e->data.sequence_start.anchor;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		t = e->data.mapping_start.tag;
		a = e->data.mapping_start.anchor;
	}
	*tag = (const char *)t;
	*anchor = (const char *)a;
}

static bool
core_tag(const char *tag, yaml_event_type_t type)
{
	static const char pre[] = "tag:yaml.org,2002:";
	const char *t = tag + sizeof pre - 1;

	if (strncmp(tag, pre, sizeof pre - 1) != 0)
		return false;
	if (type == YAML_SEQUENCE_START_EVENT)
		return strcmp(t, "seq") == 0;
	if (type == YAML_MAPPING_START_EVENT)
		return strcmp(t, "map") == 0;
	return strcmp(t, "str") == 0 || strcmp(t, "int") == 0 ||
	    strcmp(t, "float") == 0 || strcmp(t, "bool") == 0;
}

static enum tl_status
check_event(struct reader *r, const yaml_event_t *e)
{
	const char *tag, *anchor;

	if (e->type == YAML_ALIAS_EVENT)
		return fail(r, e->start_mark, "alias",
		    (const char *)e->data.alias.anchor, "not allowed in rules");
	tag_and_anchor(e, &tag, &anchor);
	if (anchor != NULL)
		return fail(r, e->start_mark, "anchor", anchor,
		    "not allowed in rules");
	if (tag != NULL && !core_tag(tag, e->type))
		return fail(r, e->start_mark, "tag", tag,
		    "not allowed in rules");
	return TL_OK;
}

static enum tl_status node(struct reader *r, yaml_event_t *e,
    unsigned depth, struct tl_node **out);

/* The children of n, to the event that ends it. */
static enum tl_status
children(struct reader *r, struct tl_node *n, unsigned depth)
{
	yaml_event_type_t stop = n->type == TL_SEQUENCE ?
	    YAML_SEQUENCE_END_EVENT : YAML_MAPPING_END_EVENT;
	struct tl_node **tail = &n->child;
	bool key = n->type == TL_MAPPING;
	enum tl_status st;

	for (;;) {
		yaml_event_t e;
		bool end;

		if (next(r, &e) != TL_OK)
			return TL_ERR;
		end = e.type == stop;
		if (end)
			st = TL_OK;
		else if (key && e.type != YAML_SCALAR_EVENT &&
		    e.type != YAML_ALIAS_EVENT)
			st = tl_yaml_err(r->err, r->name,
			    (uint32_t)e.start_mark.line + 1,
			    (uint32_t)e.start_mark.column + 1,
			    "key: must be a scalar");
		else
			st = node(r, &e, depth, tail);
		yaml_event_delete(&e);
		if (st != TL_OK || end)
			return st;
		tail = &(*tail)->next;
		key = n->type == TL_MAPPING && !key;
	}
}

static enum tl_status
node(struct reader *r, yaml_event_t *e, unsigned depth, struct tl_node **out)
{
	struct tl_node *n;

	if (check_event(r, e) != TL_OK)
		return TL_ERR;
	n = tl_xarena_alloc(r->arena, sizeof *n);
	*n = (struct tl_node){ .line = (uint32_t)e->start_mark.line + 1,
		.col = (uint32_t)e->start_mark.column + 1 };
	*out = n;
	if (e->type == YAML_SCALAR_EVENT) {
		n->text.n = e->data.scalar.length;
		n->text.p = tl_xarena_copy(r->arena,
		    (const char *)e->data.scalar.value, n->text.n);
		return TL_OK;
	}
	n->type = e->type == YAML_SEQUENCE_START_EVENT ? TL_SEQUENCE :
	    TL_MAPPING;
	if (depth == TL_YAML_DEPTH)
		return tl_yaml_err(r->err, r->name, n->line, n->col,
		    "nesting: deeper than %d levels", TL_YAML_DEPTH);
	return children(r, n, depth + 1);
}

/* From the start of the stream to its end. */
static enum tl_status
document(struct reader *r, struct tl_node **root)
{
	enum tl_status st = TL_OK;

	*root = NULL;
	for (bool end = false; st == TL_OK && !end;) {
		yaml_event_t e;

		if (next(r, &e) != TL_OK)
			return TL_ERR;
		end = e.type == YAML_STREAM_END_EVENT;
		if (end && *root == NULL)
			st = tl_yaml_err(r->err, r->name, 1, 1,
			    "rules: no document");
		else if (e.type == YAML_DOCUMENT_START_EVENT && *root != NULL)
			st = tl_yaml_err(r->err, r->name,
			    (uint32_t)e.start_mark.line + 1,
			    (uint32_t)e.start_mark.column + 1,
			    "rules: more than one document");
		else if (e.type == YAML_ALIAS_EVENT ||
		    e.type == YAML_SCALAR_EVENT ||
		    e.type == YAML_SEQUENCE_START_EVENT ||
		    e.type == YAML_MAPPING_START_EVENT)
			st = node(r, &e, 0, root);
		yaml_event_delete(&e);
	}
	return st;
}

enum tl_status
tl_yaml_read(struct tl_arena *a, const char *name, const char *text, size_t len,
    struct tl_node **root, struct tl_err *err)
{
	struct reader r = { .arena = a, .name = name, .err = err };
	enum tl_status st;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	r.text = text;
	r.len = len;
	if (!yaml_parser_initialize(&r.y))
		tl_die("out of memory: %s", name);
	yaml_parser_set_encoding(&r.y, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.y, (const unsigned char *)text, len);
	st = document(&r, root);
	yaml_parser_delete(&r.y);
	return st;
}
