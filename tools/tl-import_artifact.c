#include "tl-import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sha256.h"

#define CHUNK ((size_t)256 << 10)

/* Lines of the artifact, of any length. */
struct lines {
	const struct imp_artifact *a;
	char *buf;
	size_t pos, end, cap;
	bool eof;
	uint64_t n;
	off_t left; /* bytes that are still to be read */
};

static void
begin(struct lines *s, const struct imp_artifact *a)
{
	*s = (struct lines){ .a = a, .left = a->st.st_size,
		.cap = 2 * CHUNK };
	s->buf = tl_xmalloc(s->cap);
	if (lseek(a->fd, 0, SEEK_SET) < 0)
		tl_die("%s: read: %s", a->path, strerror(errno));
}

static void
more(struct lines *s)
{
	size_t want = CHUNK;
	ssize_t n;

	memmove(s->buf, s->buf + s->pos, s->end - s->pos);
	s->end -= s->pos;
	s->pos = 0;
	if (s->cap - s->end < CHUNK) {
		s->cap *= 2;
		s->buf = tl_xreallocarray(s->buf, s->cap, 1);
	}
	if ((off_t)want > s->left)
		want = (size_t)s->left;
	do
		n = want == 0 ? 0 : read(s->a->fd, s->buf + s->end, want);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		tl_die("%s: read: %s", s->a->path, strerror(errno));
	s->eof = n == 0;
	s->left -= n;
	s->end += (size_t)n;
}

/* The next line with its LF, which the last one may lack. False at the end. */
static bool
next(struct lines *s, struct tl_str *line)
{
	size_t seen = 0;

	for (;;) {
		char *p = s->buf + s->pos;
		char *nl = s->end - s->pos == seen ? NULL :
		    memchr(p + seen, '\n', s->end - s->pos - seen);

		if (nl != NULL || (s->eof && s->end > s->pos)) {
			line->p = p;
			line->n = nl != NULL ? (size_t)(nl - p) + 1 :
			    s->end - s->pos;
			s->pos += line->n;
			s->n++;
			return true;
		}
		if (s->eof) {
			free(s->buf);
			return false;
		}
		seen = s->end - s->pos;
		more(s);
	}
}

static bool
is_blank(struct tl_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\r\n", s.p[i]) == NULL || s.p[i] == '\0')
			return false;
	return true;
}

/* ---- reading ---- */

/* Runs and sessions are checked once the first infer.artifact record has told
 * which are right; until then each is kept with the line that has it first. */
struct seen {
	struct tl_intern text;
	uint64_t *line;
	size_t cap;
};

struct reading {
	struct imp_artifact *a;
	struct lines lines;
	struct imp_line l;
	struct seen runs, sessions;
	struct { struct tl_str run, session; } *of; /* by context id */
	size_t of_cap;
	bool has_identity;
};

TL_NORETURN static void
bad(const struct reading *r, const char *why)
{
	tl_die("%s:%llu: %s", r->a->path, (unsigned long long)r->lines.n, why);
}

static void
see(struct reading *r, struct seen *s, struct tl_str text)
{
	size_t n = s->text.n;

	if (tl_xintern(&s->text, text) < n)
		return;
	s->line = tl_xgrow(s->line, n, &s->cap, sizeof *s->line);
	s->line[n] = r->lines.n;
}

/* The content of a context in the form that its id is made of. */
static void
compact(struct imp_buf *b, const struct tl_str v[IMP_N_KEYS])
{
	b->n = 0;
	for (int i = 0; i < IMP_N_KEYS; i++) {
		imp_xputs(b, i == 0 ? "{\"" : ",\"");
		imp_xputs(b, imp_context_keys[i]);
		imp_xputs(b, "\":");
		imp_xputstr(b, v[i].n == 0 ? TL_LIT("null") : v[i]);
	}
	imp_xputs(b, "}");
}

/* Notes a context under an id; false if the id is another context. */
static bool
add_context(struct imp_artifact *a, struct tl_str id, struct tl_str content)
{
	size_t n_ids = a->ids.n, known = a->contexts.n;
	uint32_t i = tl_xintern(&a->ids, id), c;

	if (i < n_ids)
		return tl_str_eq(tl_intern_str(&a->contexts,
		    a->content_of[i]), content);
	c = tl_xintern(&a->contexts, content);
	a->content_of = tl_xgrow(a->content_of, i, &a->content_of_cap,
	    sizeof *a->content_of);
	a->content_of[i] = c;
	if (c == known) {
		a->context_id = tl_xgrow(a->context_id, known,
		    &a->context_id_cap, sizeof *a->context_id);
		a->context_id[c] = tl_intern_str(&a->ids, i);
	}
	return true;
}

static struct tl_str
kept(struct imp_artifact *a, struct tl_str s)
{
	return (struct tl_str){ tl_xarena_copy(&a->arena, s.p, s.n), s.n };
}

static void
context_line(struct reading *r)
{
	struct imp_artifact *a = r->a;
	struct imp_buf b = { 0 };
	size_t n = a->ids.n;

	if (r->l.version != 4 || !r->l.has_context)
		bad(r, "context: a context must have schema_version 4");
	compact(&b, r->l.context);
	if (!add_context(a, r->l.context_id, imp_view(&b)))
		bad(r, "context_id: is another context already");
	free(b.p);
	if (a->ids.n == n)
		return;
	r->of = tl_xgrow(r->of, n, &r->of_cap, sizeof *r->of);
	r->of[n].run = kept(a, r->l.run_raw);
	r->of[n].session = kept(a, r->l.session_raw);
}

/* Run and session of a record, empty where it has none. */
static void
identity(struct reading *r, struct tl_str *run, struct tl_str *session)
{
	*run = r->l.run_raw;
	*session = r->l.session_raw;
	if (r->l.version == 4) {
		uint32_t i = tl_intern_find(&r->a->ids, r->l.context_id);

		if (i == UINT32_MAX)
			bad(r, "context_id: no context with this id before");
		*run = r->of[i].run;
		*session = r->of[i].session;
	} else if (r->l.version == 1 && session->n == 0) {
		*session = r->l.session;
	}
}

static void
capability(struct imp_artifact *a, const struct imp_line *l)
{
	for (size_t i = 0; i < l->n_entries; i++)
		tl_xintern(l->entry[i].skipped ? &a->registered :
		    &a->imported, l->entry[i].path);
}

static void
take(struct reading *r)
{
	struct imp_artifact *a = r->a;
	struct tl_str run, session;

	if (tl_str_is(r->l.event_type, "infer.context")) {
		context_line(r);
		return;
	}
	identity(r, &run, &session);
	if (tl_str_is(r->l.event_type, "infer.artifact") && !r->has_identity) {
		if (run.n == 0 || session.n == 0)
			bad(r, "infer.artifact: without run_id or session_id");
		r->has_identity = true;
		a->run = kept(a, run);
		a->session = kept(a, session);
	}
	if (run.n > 0)
		see(r, &r->runs, run);
	if (session.n > 0)
		see(r, &r->sessions, session);
	if (tl_str_is(r->l.event_type, "infer.activity_ref") &&
	    r->l.attachment.n > 0)
		tl_xintern(&a->attachments, r->l.attachment);
	if (tl_str_is(r->l.event_type, "infer.capabilities") &&
	    tl_str_is(r->l.component, "trace_collector"))
		capability(a, &r->l);
}

static void
check_one(const struct imp_artifact *a, const struct seen *s,
    struct tl_str right, const char *what)
{
	for (uint32_t i = 0; i < s->text.n; i++) {
		struct tl_str t = tl_intern_str(&s->text, i);
		char q[TL_QUOTE_SIZE], q2[TL_QUOTE_SIZE];

		if (!tl_str_eq(t, right))
			tl_die("%s:%llu: %s '%s': the artifact is of '%s'",
			    a->path, (unsigned long long)s->line[i], what,
			    tl_quote(q, sizeof q, t.p, t.n), tl_quote(q2,
			    sizeof q2, right.p, right.n));
	}
}

static void
read_all(struct imp_artifact *a)
{
	struct reading r = { .a = a };
	struct tl_str line;
	char why[IMP_WHY];

	begin(&r.lines, a);
	while (next(&r.lines, &line)) {
		a->needs_newline = line.p[line.n - 1] != '\n';
		if (is_blank(line))
			continue;
		if (!imp_line(&r.l, line, why)) {
			if (a->needs_newline)
				tl_die("%s:%llu: last line: was cut off, or "
				    "is being written", a->path,
				    (unsigned long long)r.lines.n);
			bad(&r, why);
		}
		take(&r);
	}
	a->n_lines = r.lines.n;
	if (!r.has_identity)
		tl_die("%s: no infer.artifact record, which names run and "
		    "session", a->path);
	check_one(a, &r.runs, a->run, "run_id");
	check_one(a, &r.sessions, a->session, "session_id");
	imp_line_free(&r.l);
	tl_intern_free(&r.runs.text);
	tl_intern_free(&r.sessions.text);
	free(r.runs.line);
	free(r.sessions.line);
	free(r.of);
}

/* ---- opening ---- */

static bool
is_current(const struct imp_artifact *a)
{
	struct stat st;

	return stat(a->path, &st) == 0 && st.st_dev == a->st.st_dev &&
	    st.st_ino == a->st.st_ino;
}

/* Another import may have put a new file in place while this one waited. */
static void
lock(struct imp_artifact *a)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int rc;

	do
		rc = fcntl(a->fd, F_SETLKW, &l);
	while (rc != 0 && errno == EINTR);
	if (rc != 0)
		tl_die("%s: lock: %s", a->path, strerror(errno));
	if (fstat(a->fd, &a->st) != 0)
		tl_die("%s: open: %s", a->path, strerror(errno));
}

void
imp_xartifact_open(struct imp_artifact *a, const char *path, bool dry)
{
	*a = (struct imp_artifact){ .path = path };
	for (;;) {
		a->fd = open(path, (dry ? O_RDONLY : O_RDWR) | O_NONBLOCK |
		    O_CLOEXEC);
		if (a->fd < 0 || fstat(a->fd, &a->st) != 0)
			tl_die("%s: open: %s", path, strerror(errno));
		if (!S_ISREG(a->st.st_mode))
			tl_die("%s: open: is a %s", path,
			    S_ISDIR(a->st.st_mode) ? "directory" :
			    "device or pipe");
		if (dry)
			break;
		/* root may write what nobody should */
		if ((a->st.st_mode & 0222) == 0)
			tl_die("%s: open: is read-only", path);
		lock(a);
		if (is_current(a))
			break;
		close(a->fd);
	}
	read_all(a);
}

void
imp_xartifact_same(const struct imp_artifact *a)
{
	struct stat st;

	if (fstat(a->fd, &st) != 0 || !is_current(a) ||
	    st.st_size != a->st.st_size ||
	    st.st_mtim.tv_sec != a->st.st_mtim.tv_sec ||
	    st.st_mtim.tv_nsec != a->st.st_mtim.tv_nsec)
		tl_die("%s: it was changed while it was read", a->path);
}

/* ---- copying ---- */

/* Whether records of a path, or of an attachment, are to go. */
static bool
redone(const struct imp_trace *t, size_t n, struct tl_str path,
    struct tl_str id)
{
	for (size_t i = 0; i < n; i++)
		if (t[i].state == IMP_NEW && (tl_str_eq(t[i].path, path) ||
		    tl_str_eq(t[i].id, id)))
			return true;
	return false;
}

/* Of a line that tells of imported captures, those that are done again are
 * taken out; it goes when none is left. */
static void
copy_capability(const struct imp_line *l, struct tl_str line,
    struct tl_out *out, const struct imp_trace *t, size_t n)
{
	size_t at = 0, left = l->n_entries;
	struct imp_buf b = { 0 };
	bool first = true;

	for (size_t i = 0; i < l->n_entries; i++)
		left -= redone(t, n, l->entry[i].path, TL_LIT(""));
	if (left == 0)
		return;
	for (size_t i = 0; i < l->n_entries; i++) {
		const struct imp_entry *e = &l->entry[i];

		if (i == 0)
			imp_xput(&b, line.p, e->at);
		if (!redone(t, n, e->path, TL_LIT(""))) {
			imp_xputs(&b, first ? "" : ", ");
			imp_xput(&b, line.p + e->at, e->end - e->at);
			first = false;
		}
		at = e->end;
	}
	imp_xput(&b, line.p + at, line.n - at);
	tl_xout_write(out, b.p, b.n);
	free(b.p);
}

static void
copy_without(struct imp_artifact *a, struct tl_out *out,
    const struct imp_trace *t, size_t n)
{
	struct lines s;
	struct imp_line l = { .version = 0 };
	struct tl_str line;
	char why[IMP_WHY];

	begin(&s, a);
	while (next(&s, &line)) {
		if (is_blank(line) || !imp_line(&l, line, why)) {
			tl_xout_str(out, line);
			continue;
		}
		if (tl_str_is(l.event_type, "infer.activity_ref") &&
		    l.attachment.n > 0 && redone(t, n, TL_LIT(""),
		    l.attachment))
			continue;
		if (tl_str_is(l.event_type, "infer.capabilities") &&
		    tl_str_is(l.component, "trace_collector") &&
		    l.n_entries > 0)
			copy_capability(&l, line, out, t, n);
		else
			tl_xout_str(out, line);
	}
	imp_line_free(&l);
}

static void
copy_all(struct imp_artifact *a, struct tl_out *out)
{
	struct lines s;

	begin(&s, a);
	do {
		s.pos = s.end;
		more(&s);
		tl_xout_write(out, s.buf, s.end);
	} while (!s.eof);
	free(s.buf);
	if (s.left != 0)
		tl_die("%s: it was changed while it was read", a->path);
}

void
imp_xartifact_copy(struct imp_artifact *a, struct tl_out *out,
    const struct imp_trace *t, size_t n)
{
	bool redo = false;

	for (size_t i = 0; i < n; i++)
		redo |= t[i].state == IMP_NEW && (tl_intern_find(&a->imported,
		    t[i].path) != UINT32_MAX || tl_intern_find(&a->attachments,
		    t[i].id) != UINT32_MAX);
	if (redo)
		copy_without(a, out, t, n);
	else
		copy_all(a, out);
	if (a->needs_newline)
		tl_xout_c(out, '\n');
}

/* ---- contexts ---- */

struct tl_str
imp_xcontext(struct imp_artifact *a, const struct tl_str value[IMP_N_KEYS],
    struct imp_buf *b)
{
	struct imp_buf c = { 0 };
	char id[4 + TL_SHA256_HEX] = "ctx-";
	uint32_t i;

	compact(&c, value);
	i = tl_intern_find(&a->contexts, imp_view(&c));
	if (i == UINT32_MAX) {
		tl_sha256_hex(c.p, c.n, id + 4);
		id[20] = '\0';
		if (!add_context(a, imp_str(id), imp_view(&c)))
			tl_die("%s: context_id '%s': is another context "
			    "already", a->path, id);
		i = (uint32_t)a->contexts.n - 1;
		for (int k = 0; k < IMP_N_KEYS; k++) {
			imp_xputs(b, k == 0 ? "{\"context\": {\"" : ", \"");
			imp_xputs(b, imp_context_keys[k]);
			imp_xputs(b, "\": ");
			imp_xputstr(b, value[k].n == 0 ? TL_LIT("null") :
			    value[k]);
		}
		imp_xputs(b, "}, \"context_id\": \"");
		imp_xputs(b, id);
		imp_xputs(b, "\", \"event_type\": \"infer.context\", "
		    "\"schema_version\": 4}\n");
	}
	free(c.p);
	return a->context_id[i];
}
