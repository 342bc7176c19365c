#include "tl-import.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "num.h"

/* A heartbeat comes every second: who was heard of within this time before the
 * end of a capture was alive then. */
#define SILENCE_NS INT64_C(30000000000)

#define FORMAT "stormlog.vllm_hook/1"

/* One life of a worker process. */
struct imp_worker {
	struct tl_str epoch, host, uuid;
	int64_t pid, ordinal;     /* ordinal -1: unknown */
	int64_t start, last_seen; /* INT64_MIN: unknown */
	bool ended;
	struct tl_intern seqs;    /* numbers of the records that were read */
};

static struct imp_worker *worker;
static size_t n_workers, workers_cap;
static struct tl_arena arena;
static uint64_t n_odd; /* lines that are no records */
static bool in_use;

static struct tl_str
keep(struct tl_str s)
{
	return (struct tl_str){ tl_xarena_copy(&arena, s.p, s.n), s.n };
}

static bool
integer(const struct imp_val *v, const char *key, int64_t *out)
{
	const struct imp_val *n = imp_get(v, key);

	return n != NULL && n->type == IMP_NUMBER &&
	    tl_num_str_i64(n->text, out);
}

static struct tl_str
text(const struct imp_val *v, const char *key)
{
	return imp_text(imp_get(v, key));
}

static void
seen_at(struct imp_worker *w, const struct imp_val *v)
{
	int64_t at;

	if (integer(v, "wall_ns", &at) && at > w->last_seen)
		w->last_seen = at;
}

static void
hello(struct imp_worker *w, const struct imp_val *v)
{
	const struct imp_val *clock = imp_get(v, "clock");

	w->ordinal = -1;
	w->uuid = keep(text(v, "device_uuid"));
	if (text(v, "host").n > 0)
		w->host = keep(text(v, "host"));
	if (!integer(v, "cuda_ordinal", &w->ordinal))
		w->ordinal = -1;
	if (!integer(clock, "wall_ns", &w->start))
		w->start = INT64_MIN;
	seen_at(w, clock);
}

static bool
record(struct imp_worker *w, const struct imp_val *v)
{
	struct tl_str kind = text(v, "kind");
	char digits[24];
	int64_t seq;
	size_t n;

	if (!tl_str_is(text(v, "format"), FORMAT) || kind.n == 0 ||
	    !tl_str_eq(w->epoch, text(v, "epoch")) ||
	    !integer(v, "seq", &seq) || seq < 0)
		return false;
	n = w->seqs.n;
	if (tl_xintern(&w->seqs, (struct tl_str){ digits,
	    tl_num_put_i64(digits, seq) }) < n)
		return true;
	if (tl_str_is(kind, "hello"))
		hello(w, v);
	else if (tl_str_is(kind, "heartbeat"))
		seen_at(w, v);
	else if (tl_str_is(kind, "goodbye")) {
		seen_at(w, v);
		w->ended = true;
	}
	return true;
}

static void
segment(struct imp_worker *w, const char *path)
{
	struct tl_in in;
	struct tl_err err;
	char *line;
	size_t n;
	enum tl_status st;

	if (tl_in_open(&in, path, &err) != TL_OK) {
		n_odd++;
		return;
	}
	while ((st = tl_in_line(&in, &line, &n, &err)) == TL_OK) {
		struct tl_arena a = { .last = NULL };
		const struct imp_val *v = n == 0 ? NULL : imp_xparse(&a,
		    (struct tl_str){ line, n }, NULL);

		n_odd += n > 0 && (v == NULL || !record(w, v));
		tl_arena_free(&a);
	}
	/* the writer of an open one may be within a line */
	n_odd += st == TL_ERR && path[strlen(path) - 1] == 'l';
	tl_in_close(&in);
}

static void
status(struct imp_worker *w, const char *path)
{
	char buf[65536];
	FILE *f = fopen(path, "r");
	size_t n = f == NULL ? 0 : fread(buf, 1, sizeof buf, f);
	struct tl_arena a = { .last = NULL };

	if (f == NULL)
		return;
	fclose(f);
	seen_at(w, imp_xparse(&a, (struct tl_str){ buf, n }, NULL));
	tl_arena_free(&a);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *
join(const char *folder, const char *name)
{
	struct imp_buf b = { 0 };

	imp_xputs(&b, folder);
	imp_xputs(&b, "/");
	imp_xput(&b, name, strlen(name) + 1);
	return b.p;
}

/* Names in a folder, sorted; NULL if it cannot be read. */
static char **
names_in(const char *folder, size_t *n)
{
	DIR *d = opendir(folder);
	char **name = NULL;
	size_t cap = 0;
	const struct dirent *e;

	*n = 0;
	if (d == NULL)
		return NULL;
	name = tl_xgrow(name, 0, &cap, sizeof *name);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		name = tl_xgrow(name, *n, &cap, sizeof *name);
		name[(*n)++] = tl_xstrdup(e->d_name);
	}
	closedir(d);
	if (*n > 1)
		qsort(name, *n, sizeof *name, by_name);
	return name;
}

static void
free_names(char **name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(name[i]);
	free(name);
}

/* NNNNNN.jsonl, with .part behind while it is written. */
static bool
is_segment(const char *name)
{
	return strspn(name, "0123456789") == 6 && (strcmp(name + 6,
	    ".jsonl") == 0 || strcmp(name + 6, ".jsonl.part") == 0);
}

/* "worker-PID-START" */
static bool
worker_name(const char *name, int64_t *pid)
{
	const char *p = name + 7;
	size_t n;

	if (strncmp(name, "worker-", 7) != 0)
		return false;
	n = strspn(p, "0123456789");
	if (n == 0 || p[n] != '-' || p[n + 1] == '\0' ||
	    p[n + 1 + strspn(p + n + 1, "0123456789")] != '\0')
		return false;
	return tl_num_str_i64((struct tl_str){ p, n }, pid);
}

static void
life(const char *folder, const char *host, const char *name)
{
	struct imp_worker w = { .ordinal = -1, .start = INT64_MIN,
		.last_seen = INT64_MIN };
	char **file, *path;
	size_t n;

	if (!worker_name(name, &w.pid))
		return;
	file = names_in(folder, &n);
	if (file == NULL)
		return;
	w.epoch = keep(imp_str(name));
	w.host = keep(imp_str(host));
	for (size_t i = 0; i < n; i++) {
		path = join(folder, file[i]);
		if (is_segment(file[i]))
			segment(&w, path);
		else if (strcmp(file[i], "status.json") == 0)
			status(&w, path);
		free(path);
	}
	free_names(file, n);
	tl_intern_free(&w.seqs);
	worker = tl_xgrow(worker, n_workers, &workers_cap, sizeof *worker);
	worker[n_workers++] = w;
}

void
imp_xhello_read(const char *folder, bool quiet)
{
	size_t n, m;
	char **host = names_in(folder, &n);

	if (host == NULL)
		tl_die("%s: option '-x': %s", folder, strerror(errno));
	in_use = true;
	for (size_t i = 0; i < n; i++) {
		char *path = join(folder, host[i]);
		char **name = names_in(path, &m);

		for (size_t k = 0; k < m; k++) {
			char *deep = join(path, name[k]);

			life(deep, host[i], name[k]);
			free(deep);
		}
		free_names(name, m);
		free(path);
	}
	free_names(host, n);
	if (n_odd > 0 && !quiet)
		tl_msg("%s: %llu lines are no records of a worker", folder,
		    (unsigned long long)n_odd);
}

/* ---- captures ---- */

static bool
fits(const struct imp_worker *w, const struct imp_trace *t, int64_t pid)
{
	int64_t from = t->base_ns + t->work->first;
	int64_t to = t->base_ns + t->work->last;
	int64_t slack = w->ended ? 0 : SILENCE_NS;

	if (w->pid != pid || !tl_str_eq(w->host, t->host) ||
	    (w->start != INT64_MIN && w->start > from))
		return false;
	if (w->last_seen == INT64_MIN)
		return !w->ended;
	return w->last_seen >= to - slack;
}

void
imp_xhello_bind(struct imp_trace *t)
{
	int64_t *pid;
	size_t bound = 0;

	if (!in_use)
		return;
	pid = imp_xpids(t, true, &t->n_bindings);
	t->binding = tl_xcalloc(t->n_bindings, sizeof *t->binding);
	for (size_t i = 0; i < t->n_bindings; i++) {
		struct imp_binding *b = &t->binding[i];

		b->pid = pid[i];
		for (size_t k = 0; t->work->any_window && t->host.n > 0 &&
		    k < n_workers; k++)
			if (fits(&worker[k], t, pid[i]) && b->n++ == 0)
				b->first = &worker[k];
		bound += b->n == 1;
	}
	t->bind_status = !t->work->any_window ? "no_window" :
	    t->host.n == 0 ? "no_host" : bound == 0 ? "none" :
	    bound == t->n_bindings ? "bound" : "partial";
	free(pid);
}

struct tl_str
imp_hello_uuid(const struct imp_trace *t, int64_t pid, int64_t index)
{
	/* an event without process is of the only one there is */
	if (pid < 0 && t->n_bindings == 1)
		pid = t->binding[0].pid;
	for (size_t i = 0; i < t->n_bindings; i++) {
		const struct imp_binding *b = &t->binding[i];

		if (b->pid == pid && b->n == 1 && b->first->ordinal == index)
			return b->first->uuid;
	}
	return (struct tl_str){ "", 0 };
}

/* Bindings as a summary has them: by the text of the pid. */
static int
by_text(const void *a, const void *b)
{
	char x[24], y[24];
	const struct imp_binding *p = a, *q = b;

	return tl_str_cmp((struct tl_str){ x, tl_num_put_i64(x, p->pid) },
	    (struct tl_str){ y, tl_num_put_i64(y, q->pid) });
}

static void
key(struct imp_buf *b, bool *comma, int64_t v)
{
	imp_xputs(b, *comma ? ", \"" : "\"");
	imp_xi64(b, v);
	imp_xputs(b, "\": ");
	*comma = true;
}

static void
ambiguous(const struct imp_trace *t, const struct imp_binding *one,
    struct imp_buf *b)
{
	bool comma = false;

	imp_xputs(b, "[");
	for (size_t k = 0; k < n_workers; k++) {
		if (!fits(&worker[k], t, one->pid))
			continue;
		imp_xputs(b, comma ? ", " : "");
		imp_xstr(b, worker[k].epoch);
		comma = true;
	}
	imp_xputs(b, "]");
}

void
imp_xhello_summary(const struct imp_trace *t, struct imp_buf *b)
{
	struct imp_binding *s;
	size_t n = t->n_bindings;
	bool comma = false;

	if (!in_use)
		return;
	s = tl_xcalloc(n, sizeof *s);
	for (size_t i = 0; i < n; i++)
		s[i] = t->binding[i];
	if (n > 1)
		qsort(s, n, sizeof *s, by_text);
	imp_xputs(b, "\"execution_log\": {\"ambiguous\": {");
	for (size_t i = 0; i < n; i++) {
		if (s[i].n < 2)
			continue;
		key(b, &comma, s[i].pid);
		ambiguous(t, &s[i], b);
	}
	imp_xputs(b, "}, \"device_uuids\": {");
	comma = false;
	for (size_t i = 0; i < n; i++) {
		bool none = false;

		if (s[i].n != 1 || s[i].first->uuid.n == 0 ||
		    s[i].first->ordinal < 0)
			continue;
		key(b, &comma, s[i].pid);
		imp_xputs(b, "{");
		key(b, &none, s[i].first->ordinal);
		imp_xstr(b, s[i].first->uuid);
		imp_xputs(b, "}");
	}
	imp_xputs(b, "}, \"status\": \"");
	imp_xputs(b, t->bind_status);
	imp_xputs(b, "\", \"unmatched\": [");
	comma = false;
	for (size_t i = 0; i < n; i++) {
		if (t->binding[i].n != 0)
			continue;
		imp_xputs(b, comma ? ", " : "");
		imp_xi64(b, t->binding[i].pid);
		comma = true;
	}
	imp_xputs(b, "], \"workers\": {");
	comma = false;
	for (size_t i = 0; i < n; i++) {
		if (s[i].n != 1)
			continue;
		key(b, &comma, s[i].pid);
		imp_xstr(b, s[i].first->epoch);
	}
	imp_xputs(b, "}}, ");
	free(s);
}
