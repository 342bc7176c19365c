#include <stdlib.h>

#include "mem.h"
#include "tl-perfetto.h"
#include "version.h"

/* The columns of a header line behind its word; false if it has another. */
static bool
header_rest(struct tl_str line, const char *word, struct tl_str *rest)
{
	size_t n = strlen(word);

	if (line.n <= n || memcmp(line.p, word, n) != 0 || line.p[n] != '\t')
		return false;
	*rest = (struct tl_str){ line.p + n + 1, line.n - n - 1 };
	return true;
}

/* A #process line is found by its first two columns, others by the first. */
void
pf_xhead_line(struct pf *p, struct tl_str line)
{
	struct tl_str c[2], key;
	size_t n = tl_fields(c, 2, line.p, line.n), known = p->head_key.n;
	uint32_t i;

	key = c[0];
	if (n >= 2 && tl_str_is(c[0], "#process"))
		key.n = (size_t)(c[1].p + c[1].n - key.p);
	i = tl_xintern(&p->head_key, key);
	if (i == known) {
		p->head_of = tl_xgrow(p->head_of, known, &p->cap_head_of,
		    sizeof *p->head_of);
		p->head_of[i] = (uint32_t)p->n_head;
	}
	p->head = tl_xgrow(p->head, p->n_head, &p->cap_head, sizeof *p->head);
	p->head[p->n_head++] = (struct tl_str){
		tl_xarena_copy(&p->arena, line.p, line.n), line.n
	};
}

static struct tl_str
key_of(const struct pf *p, struct tl_str begin, const char *key)
{
	uint32_t i = tl_intern_find(&p->head_key, begin);
	struct tl_str line;

	if (i == PF_NO)
		return (struct tl_str){ NULL, 0 };
	line = p->head[p->head_of[i]];
	if (line.n == begin.n)
		return (struct tl_str){ NULL, 0 };
	return tl_key((struct tl_str){ line.p + begin.n + 1,
	    line.n - begin.n - 1 }, key);
}

struct tl_str
pf_source(const struct pf *p, const char *key)
{
	return key_of(p, TL_LIT("#source"), key);
}

struct tl_str
pf_xprocess(const struct pf *p, struct tl_str process, const char *key)
{
	static const char word[] = "#process\t";
	size_t n = sizeof word - 1;
	char *begin = tl_xmalloc(n + process.n);
	struct tl_str value;

	memcpy(begin, word, n);
	memcpy(begin + n, process.p, process.n);
	value = key_of(p, (struct tl_str){ begin, n + process.n }, key);
	free(begin);
	return value;
}

static void
put_text(struct tl_json *j, const char *s)
{
	tl_xjson_text(j, (struct tl_str){ s, strlen(s) });
}

/* What a key of the first source line holds, each key once. */
static void
source(const struct pf *p, struct tl_json *j)
{
	struct tl_str rest = { NULL, 0 }, last = { "", 0 };

	for (size_t i = 0; i < p->n_head; i++)
		if (header_rest(p->head[i], "#source", &rest))
			break;
	while (rest.n > 0) {
		const char *tab = memchr(rest.p, '\t', rest.n), *eq;
		size_t n = tab == NULL ? rest.n : (size_t)(tab - rest.p);
		struct tl_str key;

		eq = memchr(rest.p, '=', n);
		key = (struct tl_str){ rest.p, eq == NULL ? 0 :
			(size_t)(eq - rest.p) };
		if (tl_str_cmp(last, key) < 0 && !tl_str_is(key, "base_ns")) {
			tl_xjson_key_text(j, "source.", key);
			tl_xjson_token(j, (struct tl_str){ eq + 1,
			    n - key.n - 1 });
			last = key;
		}
		n += tab != NULL;
		rest.p += n;
		rest.n -= n;
	}
}

/* Columns with blanks between, as one string. */
static void
joined(struct tl_json *j, struct tl_str rest)
{
	tl_xjson_str(j);
	while (rest.n > 0) {
		const char *tab = memchr(rest.p, '\t', rest.n);
		size_t n = tab == NULL ? rest.n : (size_t)(tab - rest.p);

		tl_xjson_str_text(j, (struct tl_str){ rest.p, n });
		if (tab != NULL)
			tl_xjson_str_puts(j, " ");
		n += tab != NULL;
		rest.p += n;
		rest.n -= n;
	}
	tl_xjson_str_end(j);
}

static void
numbered_key(struct tl_json *j, const char *word, uint64_t n)
{
	char key[24];
	size_t len = strlen(word);

	memcpy(key, word, len);
	key[len] = '.';
	len++;
	for (uint64_t v = n, d = 1;; d *= 10)
		if (v / d < 10) {
			for (; d > 0; d /= 10)
				key[len++] = (char)('0' + v / d % 10);
			break;
		}
	tl_xjson_key(j, (struct tl_str){ key, len });
}

/* All header lines of a name, numbered from 1; returns how many. */
static uint64_t
all(const struct pf *p, struct tl_json *j, const char *word, const char *key)
{
	struct tl_str rest;
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_head; i++) {
		if (!header_rest(p->head[i], word, &rest))
			continue;
		numbered_key(j, key, ++n);
		joined(j, rest);
	}
	return n;
}

/* An argument may hold any byte. */
static void
raw(struct tl_json *j, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\\')
			tl_xjson_str_text(j, TL_LIT("\\\\"));
		else
			tl_xjson_str_text(j, (struct tl_str){ s,
			    strcspn(s, "\\") });
		s += *s == '\\' ? 0 : strcspn(s, "\\") - 1;
	}
}

static void
programs(const struct pf *p, struct tl_json *j, int argc, char *const *argv)
{
	uint64_t n = all(p, j, "#prog", "program");

	if (argc == 0)
		return;
	numbered_key(j, "program", n + 1);
	tl_xjson_str(j);
	tl_xjson_str_puts(j, "tl-perfetto " TL_VERSION);
	for (int i = 1; i < argc; i++) {
		tl_xjson_str_puts(j, " ");
		raw(j, argv[i]);
	}
	tl_xjson_str_end(j);
}

static void
counts(const struct pf *p, struct tl_json *j)
{
	TL_XJSON_KEY(j, "n_events");
	tl_xjson_u64(j, p->n_seen);
	TL_XJSON_KEY(j, "n_slices");
	tl_xjson_u64(j, p->n_slices);
	TL_XJSON_KEY(j, "n_instants");
	tl_xjson_u64(j, p->n_instants);
	TL_XJSON_KEY(j, "n_arrows");
	tl_xjson_u64(j, p->n_arrows);
	TL_XJSON_KEY(j, "n_points");
	tl_xjson_u64(j, p->n_points);
}

void
pf_xmetadata(const struct pf *p, struct tl_json *j, int argc,
    char *const *argv)
{
	struct tl_str base = pf_source(p, "base_ns");

	tl_xjson_begin(j, '{');
	if (base.p != NULL) {
		TL_XJSON_KEY(j, "base_ns");
		tl_xjson_token(j, base);
	}
	TL_XJSON_KEY(j, "origin_ns");
	tl_xjson_exact(j, p->origin_ns);
	counts(p, j);
	source(p, j);
	all(p, j, "#process", "process");
	all(p, j, "#device", "device");
	all(p, j, "#place", "place");
	all(p, j, "#rules", "rules");
	programs(p, j, argc, argv);
	for (size_t i = 0; i < p->n_shown; i++) {
		numbered_key(j, "note", i + 1);
		tl_xjson_str(j);
		pf_xnote_text(j, p->note[p->shown[i]]);
		tl_xjson_str_end(j);
	}
	tl_xjson_end(j, '}');
}

/* " 111 (python3)", or nothing where the process is unknown. */
static void
put_process(const struct pf *p, struct tl_json *j, struct tl_str process)
{
	struct tl_str name = pf_xprocess(p, process, "name");

	if (tl_str_none(process)) {
		tl_xjson_str_puts(j, " unknown");
		return;
	}
	tl_xjson_str_puts(j, " ");
	tl_xjson_str_text(j, process);
	if (name.p != NULL) {
		tl_xjson_str_puts(j, " (");
		tl_xjson_str_text(j, name);
		tl_xjson_str_puts(j, ")");
	}
}

static void
plane_name(const struct pf *p, struct tl_json *j, const struct pf_plane *q)
{
	tl_xjson_str(j);
	switch (q->kind) {
	case PF_CAPTURE:
		tl_xjson_str_puts(j, "capture");
		break;
	case PF_HOST:
		tl_xjson_str_puts(j, "host process");
		put_process(p, j, q->process);
		break;
	default:
		tl_xjson_str_puts(j, "device ");
		tl_xjson_str_text(j, tl_str_none(q->device) ?
		    TL_LIT("unknown") : q->device);
		tl_xjson_str_puts(j, q->kind == PF_STRUCTURE ? " structure" :
		    " events");
		tl_xjson_str_puts(j, ", process");
		put_process(p, j, q->process);
		break;
	}
	tl_xjson_str_end(j);
}

static void
put_context(const struct pf *p, struct tl_json *j, const struct pf_group *g)
{
	if (!p->plane[g->plane].contexts)
		return;
	tl_xjson_str_puts(j, " of context ");
	tl_xjson_str_text(j, tl_str_none(g->context) ? TL_LIT("unknown") :
	    g->context);
}

static void
stream_name(const struct pf *p, struct tl_json *j, const struct pf_group *g)
{
	static const char *const what[] = {
		[PF_RANGES] = " ranges", [PF_GRAPHS] = " graphs",
		[PF_WORK] = "", [PF_SYNC] = " sync", [PF_DETAILS] = " details",
	};

	if (tl_str_none(g->lane)) {
		tl_xjson_str_puts(j, g->kind == PF_SYNC ? "device" :
		    "unknown stream");
	} else {
		tl_xjson_str_puts(j, "stream ");
		tl_xjson_str_text(j, g->lane);
	}
	put_context(p, j, g);
	tl_xjson_str_puts(j, what[g->kind]);
}

static void
lane_name(const struct pf *p, struct tl_json *j, const struct pf_group *g,
    uint32_t lane)
{
	tl_xjson_str(j);
	switch (g->kind) {
	case PF_NOTES:
		tl_xjson_str_puts(j, "notes");
		break;
	case PF_DEPTH:
		tl_xjson_str_puts(j, "depth ");
		tl_xjson_str_u64(j, g->number);
		break;
	case PF_STEPS:
		tl_xjson_str_puts(j, "scheduler steps");
		break;
	case PF_LAUNCHES:
		tl_xjson_str_puts(j, "graph launches");
		break;
	case PF_PACKED:
		tl_xjson_str_puts(j, "replay ");
		tl_xjson_str_puts(j, tl_class_name((enum tl_class)g->number));
		break;
	case PF_THREAD:
		tl_xjson_str_puts(j, "thread ");
		tl_xjson_str_text(j, tl_str_none(g->lane) ?
		    TL_LIT("unknown") : g->lane);
		put_context(p, j, g);
		break;
	case PF_COUNTER:
		tl_xjson_str_puts(j, "counters");
		break;
	default:
		stream_name(p, j, g);
		break;
	}
	if (lane > 0) {
		tl_xjson_str_puts(j, " (");
		tl_xjson_str_u64(j, (uint64_t)lane + 1);
		tl_xjson_str_puts(j, ")");
	}
	tl_xjson_str_end(j);
}

/* An object of phase M; its arguments are opened. */
static void
open_meta(struct tl_json *j, uint32_t pid, uint32_t tid, const char *name)
{
	pf_xbegin(j, 'M', pid, tid);
	TL_XJSON_KEY(j, "name");
	put_text(j, name);
	TL_XJSON_KEY(j, "args");
}

static void
put_sort(struct tl_json *j, uint32_t pid, uint32_t tid, const char *name,
    uint32_t at)
{
	open_meta(j, pid, tid, name);
	tl_xjson_begin(j, '{');
	TL_XJSON_KEY(j, "sort_index");
	tl_xjson_u64(j, at);
	tl_xjson_end(j, '}');
	tl_xjson_end(j, '}');
}

static void
names_of_lanes(const struct pf *p, struct tl_json *j, const struct pf_group *g)
{
	uint32_t pid = p->plane[g->plane].pid;

	for (uint32_t i = 0; i < g->n_lanes; i++) {
		open_meta(j, pid, pf_tid(g, i), "thread_name");
		tl_xjson_begin(j, '{');
		TL_XJSON_KEY(j, "name");
		lane_name(p, j, g, i);
		tl_xjson_end(j, '}');
		tl_xjson_end(j, '}');
		put_sort(j, pid, pf_tid(g, i), "thread_sort_index",
		    pf_tid(g, i));
	}
}

void
pf_xhead(const struct pf *p, struct tl_json *j, int argc, char *const *argv)
{
	for (size_t i = 0; i < p->n_at; i++) {
		const struct pf_plane *q = &p->plane[p->at[i]];

		if (q->kind == PF_CAPTURE && !p->opt.object) {
			open_meta(j, q->pid, q->tid, "metadata");
			pf_xmetadata(p, j, argc, argv);
			tl_xjson_end(j, '}');
		}
		open_meta(j, q->pid, q->tid, "process_name");
		tl_xjson_begin(j, '{');
		TL_XJSON_KEY(j, "name");
		plane_name(p, j, q);
		tl_xjson_end(j, '}');
		tl_xjson_end(j, '}');
		put_sort(j, q->pid, q->tid, "process_sort_index", q->pid);
	}
	for (size_t i = 0; i < p->n_groups; i++)
		names_of_lanes(p, j, &p->group[p->order[i]]);
}
