#include "tl-tree.h"

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

static bool
is_line(struct tl_str line, const char *word)
{
	struct tl_str first;

	tl_fields(&first, 1, line.p, line.n);
	return tl_str_is(first, word);
}

/* The keys of the header line "#process PROCESS ...". */
static struct tl_str
process_keys(const struct tree *t, struct tl_str process)
{
	struct tl_str c[2];

	for (size_t i = 0; i < t->n_head; i++)
		if (is_line(t->head[i], "#process") &&
		    tl_fields(c, 2, t->head[i].p, t->head[i].n) >= 2 &&
		    tl_str_eq(c[1], process))
			return behind(t->head[i], 2);
	return (struct tl_str){ "", 0 };
}

/* The keys of "#device PROCESS DEVICE ...", else of "#device . DEVICE ...". */
static struct tl_str
device_keys(const struct tree *t, struct tl_str process, struct tl_str device)
{
	struct tl_str c[3], keys = { "", 0 };

	for (size_t i = 0; i < t->n_head; i++) {
		if (!is_line(t->head[i], "#device") ||
		    tl_fields(c, 3, t->head[i].p, t->head[i].n) < 3 ||
		    !tl_str_eq(c[2], device))
			continue;
		if (tl_str_eq(c[1], process))
			return behind(t->head[i], 3);
		if (tl_str_none(c[1]))
			keys = behind(t->head[i], 3);
	}
	return keys;
}

/* before, the value of the key, after; nothing where the key is not there. */
static void
put_key(const struct tree_put *put, const char *before, struct tl_str keys,
    const char *key, const char *after)
{
	struct tl_str v = tl_key(keys, key);

	if (v.p == NULL || v.n == 0)
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
	for (size_t i = 0; i < t->n_head; i++) {
		struct tl_str keys;

		if (!is_line(t->head[i], "#source"))
			continue;
		keys = behind(t->head[i], 1);
		put_key(put, "", keys, "path", "");
		put_key(put, " (", keys, "kind", ")");
		put_key(put, ", rank ", keys, "rank", "");
		put_key(put, " of ", keys, "world_size", "");
		return;
	}
	tl_xout_puts(put->out, "capture unknown");
}

/* True if the note speaks of one scope, "SCOPE: TEXT"; *text is the rest. */
static bool
note_of(const struct tree *t, size_t note, size_t scope,
    struct tl_str *text)
{
	struct tl_str s = t->note[note].text, name = t->scope[scope].name;

	if (s.n < name.n + 2 || memcmp(s.p, name.p, name.n) != 0 ||
	    s.p[name.n] != ':' || s.p[name.n + 1] != ' ')
		return false;
	*text = (struct tl_str){ s.p + name.n + 2, s.n - name.n - 2 };
	return true;
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

/* The note's text, without the scope it names. */
static bool
is_shown(const struct tree *t, const struct tree_opt *opt, size_t note,
    size_t scope, enum tree_where where, struct tl_str *text)
{
	const struct tree_note *n = &t->note[note];

	*text = n->text;
	if (opt->quiet && tree_note_is_info(n))
		return false;
	if (!opt->verbose && tl_str_is(n->code, "replay_none"))
		return false;
	if (where != TREE_ANYWHERE && is_grave(n) != (where == TREE_TOP))
		return false;
	if (scope != TREE_NO_SCOPE)
		return note_of(t, note, scope, text);
	for (size_t s = 0; s < t->n_scopes; s++)
		if (note_of(t, note, s, text))
			return false;
	return true;
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
	struct tl_str stem = { NULL, 0 }, text;
	size_t lines = 0;

	for (size_t i = 0; i < t->n_notes; i++) {
		const struct tree_note *n = &t->note[i];

		if (!is_shown(t, opt, i, scope, where, &text))
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
