#include "tl-tree.h"

#include <stdlib.h>

#include "mem.h"
#include "num.h"

/* Fields behind the first n of a line. */
static struct tl_str
behind(struct tl_str line, size_t n)
{
	const char *p = line.p, *end = line.p + line.n;

	while (n > 0 && p < end)
		n -= *p++ == '\t';
	return (struct tl_str){ p, (size_t)(end - p) };
}

/* How many columns a kind of header line is found by, 0: not kept. */
static size_t
n_columns(struct tl_str word)
{
	return tl_str_is(word, "#source") ? 1 : tl_str_is(word, "#process") ?
	    2 : tl_str_is(word, "#device") ? 3 : 0;
}

void
tree_xhead(struct tree *t, struct tl_str line)
{
	struct tl_str c[3], key, keys;
	size_t n = tl_fields(c, 3, line.p, line.n), want = n_columns(c[0]);

	if (want == 0 || n < want)
		return;
	key = (struct tl_str){ line.p,
		(size_t)(c[want - 1].p + c[want - 1].n - line.p) };
	if (tl_xintern(&t->head_key, key) != t->n_head)
		return;
	keys = behind(line, want);
	t->head = tl_xgrow(t->head, t->n_head, &t->cap_head, sizeof *t->head);
	t->head[t->n_head++] = (struct tl_str){
		tl_xarena_copy(&t->arena, keys.p, keys.n), keys.n
	};
}

/* The keys of the first header line "WORD [PROCESS [DEVICE]] ..."; p is NULL
 * where there is none. An empty column is none. */
static struct tl_str
head_keys(const struct tree *t, struct tl_str word, struct tl_str process,
    struct tl_str device)
{
	const struct tl_str column[] = { word, process, device };
	char *key = tl_xmalloc(word.n + process.n + device.n + 2);
	size_t n = 0;
	uint32_t i;

	for (size_t k = 0; k < 3 && column[k].n > 0; k++) {
		if (k > 0)
			key[n++] = '\t';
		memcpy(key + n, column[k].p, column[k].n);
		n += column[k].n;
	}
	i = tl_intern_find(&t->head_key, (struct tl_str){ key, n });
	free(key);
	return i == TREE_NO ? (struct tl_str){ NULL, 0 } : t->head[i];
}

static const struct tl_str none = { "", 0 };

static struct tl_str
process_keys(const struct tree *t, struct tl_str process)
{
	return head_keys(t, TL_LIT("#process"), process, none);
}

/* Those of "#device PROCESS DEVICE ...", else of "#device . DEVICE ...". */
static struct tl_str
device_keys(const struct tree *t, struct tl_str process, struct tl_str device)
{
	struct tl_str keys = head_keys(t, TL_LIT("#device"), process, device);

	return keys.p != NULL ? keys :
	    head_keys(t, TL_LIT("#device"), TL_LIT("."), device);
}

/* before, the value of the key, after; nothing where the key is not there. */
static void
put_key(const struct tree_put *put, const char *before, struct tl_str keys,
    const char *key, const char *after)
{
	struct tl_str v = { NULL, 0 };

	if (keys.p != NULL)
		v = tl_key(keys, key);
	if (v.n == 0)
		return;
	tl_xout_puts(put->out, before);
	put->text(put->out, v);
	tl_xout_puts(put->out, after);
}

void
tree_xput_scope(const struct tree *t, size_t scope, const struct tree_put *put)
{
	struct tl_str name = t->scope[scope].name, process = name, device;
	size_t colon = name.n;

	while (colon > 0 && name.p[colon - 1] != ':')
		colon--;
	process.n = colon > 0 ? colon - 1 : 0;
	device = (struct tl_str){ name.p + colon, name.n - colon };
	tl_xout_puts(put->out, "device ");
	put->text(put->out, device);
	if (process.n > 0 && !tl_str_none(process)) {
		tl_xout_puts(put->out, " of process ");
		put->text(put->out, process);
		put_key(put, " (", process_keys(t, process), "name", ")");
	}
	put_key(put, ": ", device_keys(t, process, device), "name", "");
}

void
tree_xput_source(const struct tree *t, const struct tree_put *put)
{
	struct tl_str keys = head_keys(t, TL_LIT("#source"), none, none);

	if (keys.p == NULL) {
		tl_xout_puts(put->out, "capture unknown");
		return;
	}
	put_key(put, "", keys, "path", "");
	put_key(put, " (", keys, "kind", ")");
	put_key(put, ", rank ", keys, "rank", "");
	put_key(put, " of ", keys, "world_size", "");
}

/* A note that begins with "SCOPE: " speaks of that one. Sets its scope and how
 * much of the text is behind that. */
static void
tie_note(struct tree *t, struct tree_note *n)
{
	struct tl_str s = n->text;

	n->scope = TREE_NO;
	for (size_t i = 1; i + 1 < s.n && n->scope == TREE_NO; i++) {
		if (s.p[i] != ':' || s.p[i + 1] != ' ')
			continue;
		n->scope = tl_intern_find(&t->scope_key,
		    (struct tl_str){ s.p, i });
		n->rest = (struct tl_str){ s.p + i + 2, s.n - i - 2 };
	}
	if (n->scope == TREE_NO)
		n->rest = s;
}

void
tree_tie_notes(struct tree *t)
{
	t->first_note = TREE_NO;
	for (size_t s = 0; s < t->n_scopes; s++)
		t->scope[s].first_note = TREE_NO;
	for (uint32_t i = (uint32_t)t->n_notes; i-- > 0;) {
		struct tree_note *n = &t->note[i];
		uint32_t *first;

		tie_note(t, n);
		first = n->scope == TREE_NO ? &t->first_note :
		    &t->scope[n->scope].first_note;
		n->next = *first;
		*first = i;
	}
}

bool
tree_note_is_info(const struct tree_note *n)
{
	return tl_str_is(n->severity, "info");
}

/* "NAME 12.3 ms (4.5%)" */
static void
put_time(struct tl_out *out, const struct tree_pos *p, const char *name,
    enum tree_ns which)
{
	char a[TREE_CELL], b[TREE_CELL];

	tl_xout_printf(out, "%s%s", name, tree_time(a, p->ns[which]));
	if (p->ns[which] != TREE_NONE)
		tl_xout_printf(out, " (%s)", tree_part(b, p->ns[which],
		    p->ns[TREE_SPAN]));
}

static void
put_exposed(struct tl_out *out, const struct tree_pos *p, const char *name,
    enum tree_ns all, enum tree_ns exposed)
{
	put_time(out, p, name, all);
	if (p->ns[all] != 0)
		put_time(out, p, ", of it exposed ", exposed);
}

void
tree_xput_times(const struct tree *t, size_t scope, struct tl_out *out,
    const char *between)
{
	const struct tree_pos *p = &t->pos[t->scope[scope].first];
	char a[TREE_CELL];

	tl_xout_printf(out, "wall %s", tree_time(a, p->ns[TREE_SPAN]));
	put_time(out, p, ", busy ", TREE_BUSY);
	put_time(out, p, ", idle ", TREE_IDLE);
	tl_xout_puts(out, between);
	put_time(out, p, "compute ", TREE_COMPUTE);
	put_exposed(out, p, ", communication ", TREE_COMM, TREE_COMM_EXPOSED);
	tl_xout_puts(out, between);
	put_exposed(out, p, "copies and fills ", TREE_COPY, TREE_COPY_EXPOSED);
}

/* True if what the note says changes how far costs and order can be trusted. */
static bool
is_grave(const struct tree_note *n)
{
	return !tree_note_is_info(n) ||
	    tl_str_is(n->code, "recover_order_start") ||
	    tl_str_is(n->code, "recover_placed");
}

static bool
is_shown(const struct tree_note *n, const struct tree_opt *opt,
    enum tree_where where)
{
	if (opt->quiet && tree_note_is_info(n))
		return false;
	if (!opt->verbose && tl_str_is(n->code, "replay_none"))
		return false;
	return where == TREE_ANYWHERE || is_grave(n) == (where == TREE_TOP);
}

/* How long the text is before its last ": ", 0 if it has none. */
static size_t
stem_len(struct tl_str s)
{
	for (size_t i = s.n; i > 2; i--)
		if (s.p[i - 2] == ':' && s.p[i - 1] == ' ')
			return i;
	return 0;
}

/* A count behind its text, "(1,721)"; a count of none says nothing. */
static void
put_count(struct tl_out *out, struct tl_str count)
{
	char buf[TREE_CELL];
	int64_t n;

	if (tl_num_str_i64(count, &n) && n > 0)
		tl_xout_printf(out, " (%s)", tree_count(buf, n));
}

size_t
tree_xput_notes(const struct tree *t, const struct tree_opt *opt, size_t scope,
    enum tree_where where, const char *first, const char *between,
    const struct tree_put *put)
{
	const struct tree_note *last = NULL;
	struct tl_str stem = { NULL, 0 };
	size_t lines = 0;
	uint32_t i = scope == TREE_NO_SCOPE ? t->first_note :
	    t->scope[scope].first_note;

	for (; i != TREE_NO; i = t->note[i].next) {
		const struct tree_note *n = &t->note[i];
		struct tl_str text = n->rest;

		if (!is_shown(n, opt, where))
			continue;
		if (last != NULL && scope != TREE_NO_SCOPE &&
		    tl_str_eq(last->code, n->code) && stem.n > 0 &&
		    stem_len(text) == stem.n &&
		    memcmp(text.p, stem.p, stem.n) == 0) {
			tl_xout_puts(put->out, ", ");
			text = (struct tl_str){ text.p + stem.n,
				text.n - stem.n };
		} else {
			tl_xout_puts(put->out, lines++ == 0 ? first : between);
			if (!tree_note_is_info(n)) {
				put->text(put->out, n->severity);
				tl_xout_puts(put->out, ": ");
			}
			stem = (struct tl_str){ text.p, stem_len(text) };
		}
		put->text(put->out, text);
		put_count(put->out, n->count);
		last = n;
	}
	return lines;
}
