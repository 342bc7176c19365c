#include "tl-import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME "stormlog_run.json"
#define FORMAT "stormlog.run_envelope"

/* Deepest nesting that is printed again. */
enum { DEEPEST = 500 };

/* ---- paths ---- */

/* Absolute, without "." and ".." and double slashes, by its text alone. Owned
 * by the caller. */
static char *
normal(const char *path)
{
	struct imp_buf b = { 0 };
	char cwd[4096], *full;
	size_t n = 0;

	if (*path != '/' && getcwd(cwd, sizeof cwd) != NULL)
		imp_xputs(&b, cwd);
	imp_xputs(&b, "/");
	imp_xput(&b, path, strlen(path) + 1);
	full = b.p;
	for (const char *p = full; *p != '\0';) {
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len == 2 && memcmp(p, "..", 2) == 0) {
			while (n > 0 && full[--n] != '/')
				continue;
		} else if (len > 0 && !(len == 1 && *p == '.')) {
			full[n++] = '/';
			memmove(full + n, p, len);
			n += len;
		}
		p += len;
	}
	if (n == 0)
		full[n++] = '/';
	full[n] = '\0';
	return full;
}

/* The way from a folder to a file, both absolute and normal. */
static void
relative(struct imp_buf *b, const char *folder, struct tl_str file)
{
	size_t same = 0, n = strlen(folder);

	if (n == 1)
		n = 0;
	/* the longest common beginning that ends at a slash of both */
	for (size_t i = 0; i <= n && i < file.n; i++) {
		bool end = i == n;

		if ((end || folder[i] == '/') && file.p[i] == '/')
			same = i;
		if (end || folder[i] != file.p[i])
			break;
	}
	for (size_t i = same; i < n; i++)
		if (folder[i] == '/')
			imp_xputs(b, "../");
	imp_xput(b, file.p + same + 1, file.n - same - 1);
}

static char *
folder_of(const char *path)
{
	struct tl_str base = imp_base(imp_str(path));
	size_t n = (size_t)(base.p - path);

	return n == 0 ? tl_xstrdup(".") : tl_xmemdup0(path, n);
}

static char *
beside(const char *path)
{
	struct tl_str base = imp_base(imp_str(path));
	struct imp_buf b = { 0 };

	imp_xput(&b, path, (size_t)(base.p - path));
	imp_xput(&b, NAME, sizeof NAME);
	return b.p;
}

static void
make_folders(const char *folder)
{
	char *p = tl_xstrdup(folder);

	for (size_t i = 1; p[i - 1] != '\0'; i++) {
		char c = p[i];

		if (c != '/' && c != '\0')
			continue;
		p[i] = '\0';
		if (mkdir(p, 0777) != 0 && errno != EEXIST)
			tl_die("%s: make folder: %s", p, strerror(errno));
		p[i] = c;
	}
	free(p);
}

/* ---- values ---- */

/* Members of an object, to be sorted. */
struct node {
	const struct imp_val *v;
	size_t n;
};

static int
by_key(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	int c = tl_str_cmp(x->v->key, y->v->key);

	return c != 0 ? c : x->n < y->n ? -1 : x->n > y->n;
}

static void
indent(struct imp_buf *b, int depth)
{
	if (depth < 0)
		return;
	imp_xputs(b, "\n");
	for (int i = 0; i < depth; i++)
		imp_xputs(b, "  ");
}

static void print(struct imp_buf *b, const struct imp_val *v, int depth,
    int nesting);

static bool
is_null(const struct imp_val *v)
{
	return v->type == IMP_PLAIN && tl_str_is(v->text, "null");
}

/* Members sorted, of equal keys the last. depth is -1 for one line, in which
 * null is left out. */
static void
print_object(struct imp_buf *b, const struct imp_val *v, int depth,
    int nesting)
{
	size_t n = 0, shown = 0;
	struct node *m = tl_xreallocarray(NULL, v->n, sizeof *m);

	for (const struct imp_val *c = v->child; c != NULL; c = c->next, n++)
		m[n] = (struct node){ c, n };
	if (n > 1)
		qsort(m, n, sizeof *m, by_key);
	imp_xputs(b, "{");
	for (size_t i = 0; i < n; i++) {
		if ((i + 1 < n && tl_str_eq(m[i].v->key, m[i + 1].v->key)) ||
		    (depth < 0 && is_null(m[i].v)))
			continue;
		imp_xputs(b, shown++ == 0 ? "" : ",");
		indent(b, depth < 0 ? -1 : depth + 1);
		imp_xstr(b, m[i].v->key);
		imp_xputs(b, ": ");
		print(b, m[i].v, depth < 0 ? -1 : depth + 1, nesting + 1);
	}
	if (shown > 0)
		indent(b, depth);
	imp_xputs(b, "}");
	free(m);
}

static void
print_array(struct imp_buf *b, const struct imp_val *v, int depth,
    int nesting)
{
	imp_xputs(b, "[");
	for (const struct imp_val *c = v->child; c != NULL; c = c->next) {
		imp_xputs(b, c == v->child ? "" : ",");
		indent(b, depth < 0 ? -1 : depth + 1);
		print(b, c, depth < 0 ? -1 : depth + 1, nesting + 1);
	}
	if (v->n > 0)
		indent(b, depth);
	imp_xputs(b, "]");
}

static void
print(struct imp_buf *b, const struct imp_val *v, int depth, int nesting)
{
	if (nesting > DEEPEST)
		tl_die("envelope: is nested deeper than %d levels", DEEPEST);
	if (v->type == IMP_OBJECT)
		print_object(b, v, depth, nesting);
	else if (v->type == IMP_ARRAY)
		print_array(b, v, depth, nesting);
	else if (v->type == IMP_STRING)
		imp_xstr(b, v->text);
	else
		imp_xputstr(b, v->text);
}

static bool
is_text(const struct imp_val *v, const char *key, struct tl_str text)
{
	const struct imp_val *s = imp_get(v, key);

	return s != NULL && s->type == IMP_STRING && tl_str_eq(s->text, text);
}

static bool
is_object(const struct imp_val *v)
{
	return v != NULL && v->type == IMP_OBJECT;
}

/* ---- the envelope ---- */

struct work {
	struct imp_envelope *e;
	struct tl_arena arena;
	struct imp_val *old;    /* NULL: there is none yet */
	char *folder;           /* its own, for lexical paths ... */
	char *real_folder;      /* ... and without links */
	struct imp_buf session; /* the new row, empty if it is there */
	struct imp_buf *row;    /* new attachments, as text */
	size_t n_rows, rows_cap;
	size_t n_moved;         /* old ones that were given another path */
};

static const char *const known_keys[] = {
	"attachments", "created_at_utc", "description", "ended_at_ns",
	"format", "job_id", "metadata", "run_id", "schema_version",
	"sessions", "source_namespace", "source_ref", "started_at_ns", "tags",
	"title", "updated_at_utc",
};

TL_NORETURN static void
refuse(const struct work *w, const char *what, const char *why)
{
	char q[TL_QUOTE_SIZE];

	tl_die("%s: envelope '%s': %s", w->e->path, tl_quote(q, sizeof q,
	    what, strlen(what)), why);
}

static void
check_rows(const struct work *w, const char *key)
{
	const struct imp_val *v = imp_get(w->old, key);

	if (v == NULL)
		return;
	if (v->type != IMP_ARRAY)
		refuse(w, key, "is no list");
	for (v = v->child; v != NULL; v = v->next)
		if (!is_object(v))
			refuse(w, key, "has a row that is no object");
}

static void
check_keys(const struct work *w)
{
	for (struct imp_val *v = w->old->child; v != NULL; v = v->next) {
		size_t k = 0, n = sizeof known_keys / sizeof *known_keys;

		while (k < n && !tl_str_is(v->key, known_keys[k]))
			k++;
		if (k == n)
			refuse(w, tl_xmemdup0(v->key.p, v->key.n),
			    "is no key of a run envelope");
	}
}

static void
check(const struct work *w, const struct imp_artifact *a)
{
	const struct imp_val *v = imp_get(w->old, "schema_version");

	if (!is_object(w->old))
		tl_die("%s: envelope: is no object of JSON", w->e->path);
	check_keys(w);
	if (v == NULL || v->type != IMP_NUMBER || !tl_str_is(v->text, "1"))
		refuse(w, "schema_version", "is not 1");
	if (!is_text(w->old, "format", TL_LIT(FORMAT)))
		refuse(w, "format", "is not " FORMAT);
	if (!is_object(imp_get(w->old, "metadata")))
		refuse(w, "metadata", "is no object");
	if (!is_text(w->old, "run_id", a->run))
		refuse(w, "run_id", "is not the artifact's run");
	check_rows(w, "sessions");
	check_rows(w, "attachments");
}

/* The whole file; false if there is none. */
static bool
slurp(const char *path, struct imp_buf *b)
{
	FILE *f = fopen(path, "r");
	char buf[16384];
	size_t n;

	if (f == NULL && errno == ENOENT)
		return false;
	if (f == NULL)
		tl_die("%s: open: %s", path, strerror(errno));
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		imp_xput(b, buf, n);
	if (ferror(f))
		tl_die("%s: read: %s", path, strerror(errno));
	fclose(f);
	return true;
}

static void
read_old(struct work *w, const struct imp_artifact *a)
{
	struct imp_buf b = { 0 };
	char why[IMP_WHY];

	if (!slurp(w->e->path, &b))
		return;
	w->old = imp_xparse(&w->arena, imp_view(&b), why);
	if (w->old == NULL)
		tl_die("%s: envelope: %s", w->e->path, why);
	check(w, a);
	free(b.p);
}

static const struct imp_val *
rows_of(const struct work *w, const char *key)
{
	const struct imp_val *v = imp_get(w->old, key);

	return v == NULL ? NULL : v->child;
}

static void
session(struct work *w, const struct imp_artifact *a)
{
	const struct imp_val *v = rows_of(w, "sessions");

	for (; v != NULL; v = v->next)
		if (is_text(v, "session_id", a->session))
			return;
	imp_xputs(&w->session, "{\"job_id\": null, \"local_rank\": 0, "
	    "\"metadata\": {}, \"rank\": 0, \"role\": "
	    "\"inference_capture\", \"session_id\": ");
	imp_xstr(&w->session, a->session);
	imp_xputs(&w->session, ", \"world_size\": 1}");
}

/* Whether two rows are the same, but perhaps for their path. */
static bool
same_row(const struct imp_val *a, const struct imp_val *b, bool *same_path)
{
	struct imp_buf x = { 0 }, y = { 0 };
	struct imp_val *p = imp_get(a, "path");
	const struct imp_val *q = imp_get(b, "path");
	bool same;

	*same_path = p != NULL && q != NULL && p->type == IMP_STRING &&
	    tl_str_eq(p->text, q->text);
	if (p != NULL && q != NULL && p->type == IMP_STRING)
		p->text = q->text;
	print(&x, a, -1, 0);
	print(&y, b, -1, 0);
	same = tl_str_eq(imp_view(&x), imp_view(&y));
	free(x.p);
	free(y.p);
	return same;
}

/* Adds a row unless it is there. The id of a capture has a digest of where it
 * lies, so one that is there under another path was reached from elsewhere. */
static void
attach(struct work *w, struct tl_str id, struct imp_buf *row, bool movable)
{
	const struct imp_val *old = rows_of(w, "attachments");
	const struct imp_val *new = imp_xparse(&w->arena, imp_view(row),
	    NULL);
	bool same_path = false;

	for (; old != NULL; old = old->next) {
		if (!is_text(old, "attachment_id", id))
			continue;
		if (!same_row(old, new, &same_path) ||
		    (!same_path && !movable))
			refuse(w, tl_xmemdup0(id.p, id.n),
			    "is other evidence already");
		/* same_row has given it the new path */
		w->n_moved += !same_path;
		free(row->p);
		return;
	}
	w->row = tl_xgrow(w->row, w->n_rows, &w->rows_cap, sizeof *w->row);
	w->row[w->n_rows++] = *row;
}

static void
attach_artifact(struct work *w, const struct imp_artifact *a,
    const char *path)
{
	struct imp_buf id = { 0 }, row = { 0 }, rel = { 0 };
	char *full = normal(path);

	imp_xputs(&id, "infer-jsonl:");
	imp_xputstr(&id, a->session);
	imp_xputs(&id, ":");
	imp_xputstr(&id, imp_base(imp_str(path)));
	relative(&rel, w->folder, imp_str(full));
	imp_xputs(&row, "{\"attachment_id\": ");
	imp_xstr(&row, imp_view(&id));
	imp_xputs(&row, ", \"kind\": \"inference_jsonl\", \"metadata\": "
	    "{\"format\": \"jsonl\"}, \"path\": ");
	imp_xstr(&row, imp_view(&rel));
	imp_xputs(&row, ", \"session_id\": ");
	imp_xstr(&row, a->session);
	imp_xputs(&row, ", \"storage\": \"reference\", \"title\": "
	    "\"Inference JSONL\"}");
	attach(w, imp_view(&id), &row, false);
	free(full);
	free(rel.p);
	free(id.p);
}

static void
attach_trace(struct work *w, const struct imp_artifact *a,
    const struct imp_trace *t)
{
	struct imp_buf row = { 0 }, rel = { 0 }, title = { 0 };
	bool export = t->nsys && (t->file.n < 7 || memcmp(t->file.p +
	    t->file.n - 7, ".sqlite", 7) == 0 || !t->only_register);

	imp_xputs(&title, !t->nsys ? "Kineto trace " : export ?
	    "Nsight Systems SQLite export " : "Nsight Systems report ");
	imp_xputstr(&title, t->file);
	relative(&rel, w->real_folder, t->path);
	imp_xputs(&row, "{\"attachment_id\": ");
	imp_xstr(&row, t->id);
	imp_xputs(&row, ", \"kind\": \"profiler_trace\", \"metadata\": "
	    "{\"format\": \"");
	imp_xputs(&row, !t->nsys ? "kineto-chrome-trace" : export ?
	    "nsys-sqlite" : "nsys-rep");
	imp_xputs(&row, "\"}, \"path\": ");
	imp_xstr(&row, imp_view(&rel));
	imp_xputs(&row, ", \"session_id\": ");
	imp_xstr(&row, a->session);
	imp_xputs(&row, ", \"storage\": \"reference\", \"title\": ");
	imp_xstr(&row, imp_view(&title));
	imp_xputs(&row, "}");
	attach(w, t->id, &row, true);
	free(rel.p);
	free(title.p);
}

/* ---- writing ---- */

static void
print_rows(struct work *w, struct imp_buf *b, const char *key,
    const struct imp_buf *row, size_t n)
{
	const struct imp_val *old = rows_of(w, key);
	size_t shown = 0;

	imp_xputs(b, "[");
	for (; old != NULL; old = old->next) {
		imp_xputs(b, shown++ == 0 ? "\n    " : ",\n    ");
		print(b, old, 2, 0);
	}
	for (size_t i = 0; i < n; i++) {
		imp_xputs(b, shown++ == 0 ? "\n    " : ",\n    ");
		print(b, imp_xparse(&w->arena, imp_view(&row[i]), NULL), 2,
		    0);
	}
	imp_xputs(b, shown > 0 ? "\n  ]" : "]");
}

static void
print_all(struct work *w, const struct imp_artifact *a, struct imp_buf *b)
{
	bool first = true;

	imp_xputs(b, "{");
	for (size_t i = 0; i < sizeof known_keys / sizeof *known_keys; i++) {
		const char *key = known_keys[i];
		const struct imp_val *v = imp_get(w->old, key);
		bool rows = strcmp(key, "attachments") == 0 ||
		    strcmp(key, "sessions") == 0;
		const char *fresh = strcmp(key, "format") == 0 ?
		    "\"" FORMAT "\"" : strcmp(key, "metadata") == 0 ? "{}" :
		    strcmp(key, "schema_version") == 0 ? "1" : NULL;

		if (v == NULL && !rows && (w->old != NULL || (fresh == NULL &&
		    strcmp(key, "run_id") != 0)))
			continue;
		imp_xputs(b, first ? "\n  \"" : ",\n  \"");
		first = false;
		imp_xputs(b, key);
		imp_xputs(b, "\": ");
		if (strcmp(key, "sessions") == 0)
			print_rows(w, b, key, &w->session,
			    w->session.n > 0);
		else if (rows)
			print_rows(w, b, key, w->row, w->n_rows);
		else if (v != NULL)
			print(b, v, 1, 0);
		else if (fresh != NULL)
			imp_xputs(b, fresh);
		else
			imp_xstr(b, a->run);
	}
	imp_xputs(b, "\n}\n");
}

/* Path of the envelope, and that by which it knows the artifact. */
static const char *
choose(struct imp_envelope *e, const struct imp_opt *o, char **real)
{
	char *other;

	*real = realpath(o->artifact, NULL);
	if (o->envelope != NULL) {
		e->path = tl_xstrdup(o->envelope);
		return o->artifact;
	}
	e->path = beside(o->artifact);
	if (*real == NULL || access(e->path, F_OK) == 0)
		return o->artifact;
	other = beside(*real);
	if (access(other, F_OK) != 0) {
		free(other);
		return o->artifact;
	}
	free(e->path);
	e->path = other;
	return *real;
}

void
imp_xenvelope(struct imp_envelope *e, const struct imp_opt *o,
    const struct imp_artifact *a, const struct imp_trace *t, size_t n)
{
	struct work w = { .e = e };
	struct imp_buf b = { 0 };
	char *real, *folder;
	const char *artifact = choose(e, o, &real);

	folder = folder_of(e->path);
	if (!o->dry)
		make_folders(folder);
	w.folder = normal(folder);
	w.real_folder = realpath(folder, NULL);
	if (w.real_folder == NULL)
		w.real_folder = tl_xstrdup(w.folder);
	read_old(&w, a);
	session(&w, a);
	attach_artifact(&w, a, artifact);
	for (size_t i = 0; i < n; i++)
		if (t[i].state == IMP_ADDED || t[i].state == IMP_REGISTERED)
			attach_trace(&w, a, &t[i]);
	e->changed = w.session.n > 0 || w.n_rows > 0 || w.n_moved > 0;
	if (e->changed && !o->dry) {
		print_all(&w, a, &b);
		tl_xout_open(&e->out, e->path);
		tl_xout_write(&e->out, b.p, b.n);
	}
	for (size_t i = 0; i < w.n_rows; i++)
		free(w.row[i].p);
	free(w.row);
	free(w.session.p);
	tl_arena_free(&w.arena);
	free(w.folder);
	free(w.real_folder);
	free(folder);
	free(real);
	free(b.p);
}
