#include "tl-import.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "num.h"
#include "sha256.h"
#include "version.h"

#define COLLECTOR "stormlog.infer.capture"

/* ---- the object of a capture ---- */

static void
text(struct imp_buf *b, const char *key, struct tl_str raw)
{
	imp_xputs(b, key);
	imp_xtext(b, raw);
}

static void
count(struct imp_buf *b, const char *key, uint64_t v)
{
	imp_xputs(b, key);
	imp_xu64(b, v);
}

static int
by_key(const void *a, const void *b)
{
	const struct imp_dev *const *x = a, *const *y = b;

	return tl_str_cmp((*x)->key, (*y)->key);
}

static void
devices(const struct imp_trace *t, struct imp_buf *b)
{
	size_t n = t->work->n_devs;
	const struct imp_dev **d = tl_xreallocarray(NULL, n, sizeof *d);

	for (size_t i = 0; i < n; i++)
		d[i] = &t->work->dev[i];
	if (n > 1)
		qsort(d, n, sizeof *d, by_key);
	imp_xputs(b, ", \"devices\": {");
	for (size_t i = 0; i < n; i++) {
		imp_xputs(b, i == 0 ? "" : ", ");
		imp_xstr(b, d[i]->key);
		count(b, ": {\"busy_ns\": ", d[i]->busy);
		text(b, ", \"device_uuid\": ", d[i]->found_uuid);
		text(b, ", \"device_uuid_source\": ", d[i]->has_uuid ?
		    imp_str(d[i]->found_from) : TL_LIT(""));
		count(b, ", \"launch_span_ns\": ", d[i]->span);
		imp_xputs(b, ", \"name\": ");
		if (d[i]->declared)
			imp_xstr(b, d[i]->name);
		else
			imp_xtext(b, d[i]->name);
		count(b, ", \"summed_ns\": ", d[i]->sum);
		imp_xputs(b, "}");
	}
	imp_xputs(b, "}");
	free(d);
}

static void
sentence(struct imp_trace *t, struct imp_buf *b, bool *comma, const char *s)
{
	imp_xputs(b, *comma ? ", " : "");
	imp_xstr(b, imp_str(s));
	*comma = true;
	imp_xputs(&t->said, "note: ");
	imp_xputs(&t->said, s);
	imp_xputs(&t->said, "\n");
}

/* Devices that the capture does not name, in the order in which they come in
 * the summary; five are listed. */
static void
unnamed(struct imp_trace *t, struct imp_buf *b, bool *comma)
{
	struct imp_work *w = t->work;
	const struct imp_dev **d = tl_xreallocarray(NULL, w->n_devs,
	    sizeof *d);
	struct imp_buf s = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < w->n_devs; i++)
		if (w->dev[i].uuid.n == 0 && w->dev[i].has_index)
			d[n++] = &w->dev[i];
	if (n > 1)
		qsort(d, n, sizeof *d, by_key);
	if (n > 0 && t->gpus > 1 && !t->has_map) {
		imp_xputs(&s, "this export does not say which GPU each "
		    "process's CUDA devices are; re-export the report with "
		    "nsys 2025.1 or later to name them");
	} else if (n > 0) {
		imp_xputs(&s, "the report does not name the GPU of ");
		for (size_t i = 0; i < n && i < 5; i++) {
			const char *slash = strchr(d[i]->key.p, '/');

			imp_xputs(&s, i == 0 ? "process " : ", process ");
			imp_xput(&s, d[i]->key.p, (size_t)(slash -
			    d[i]->key.p));
			imp_xputs(&s, " device ");
			imp_xputs(&s, slash + 1);
		}
		if (n > 5) {
			imp_xputs(&s, " and ");
			imp_xu64(&s, n - 5);
			imp_xputs(&s, " more");
		}
	}
	if (s.n > 0) {
		imp_xput(&s, "", 1);
		sentence(t, b, comma, s.p);
	}
	free(s.p);
	free(d);
}

static void
notes(struct imp_trace *t, struct imp_buf *b)
{
	char buf[256];
	bool comma = false;

	imp_xputs(b, ", \"notes\": [");
	if (t->nsys)
		unnamed(t, b, &comma);
	if (t->nsys && t->graph_rows > 0) {
		snprintf(buf, sizeof buf, "%llu CUDA graph launches were "
		    "recorded per graph, not per kernel, and are not "
		    "imported; record with --cuda-graph-trace=node",
		    (unsigned long long)t->graph_rows);
		sentence(t, b, &comma, buf);
	} else if (t->nsys && t->n_events == 0) {
		sentence(t, b, &comma, "the report records CUDA calls but no "
		    "GPU kernels, copies or memsets");
	}
	if (t->was_cut)
		sentence(t, b, &comma, "a part of the trace, cut by tl-cut");
	if (t->work->n_tasks > 0) {
		snprintf(buf, sizeof buf, "%llu tasks of an accelerator that "
		    "is no GPU are not imported",
		    (unsigned long long)t->work->n_tasks);
		sentence(t, b, &comma, buf);
	}
	if (t->work->n_negative > 0) {
		snprintf(buf, sizeof buf, "%llu events at times before 1970 "
		    "or past 2262 are not imported",
		    (unsigned long long)t->work->n_negative);
		sentence(t, b, &comma, buf);
	}
	imp_xputs(b, "]");
}

static void
pids(const struct imp_trace *t, struct imp_buf *b)
{
	size_t n;
	int64_t *pid = imp_xpids(t, false, &n);

	imp_xputs(b, ", \"processes\": [");
	for (size_t i = 0; i < n; i++) {
		imp_xputs(b, i == 0 ? "" : ", ");
		imp_xi64(b, pid[i]);
	}
	imp_xputs(b, "]");
	free(pid);
}

static void
unresolved(const struct imp_trace *t, struct imp_buf *b)
{
	/* in order of the words */
	static const enum imp_reason order[] = { IMP_AMBIGUOUS, IMP_OUTSIDE,
		IMP_NO_LAUNCH };
	bool comma = false;

	imp_xputs(b, ", \"unresolved_gpu_events\": {");
	for (size_t i = 0; i < 3; i++) {
		if (t->n_unresolved[order[i]] == 0)
			continue;
		imp_xputs(b, comma ? ", \"" : "\"");
		imp_xputs(b, imp_reasons[order[i]]);
		count(b, "\": ", t->n_unresolved[order[i]]);
		comma = true;
	}
	imp_xputs(b, "}");
}

/* Lines for people. */
static void
tell(struct imp_trace *t)
{
	struct imp_buf *s = &t->said;
	char ns[160];

	for (size_t i = 0; i < 3; i++) {
		if (t->n_unresolved[i] == 0)
			continue;
		count(s, "", t->n_unresolved[i]);
		imp_xputs(s, " unresolved: ");
		imp_xputs(s, imp_reasons[i]);
		imp_xputs(s, "\n");
	}
	for (size_t i = 0; i < t->work->n_devs; i++) {
		const struct imp_dev *d = &t->work->dev[i];

		imp_xputs(s, "device ");
		imp_xputstr(s, d->key);
		imp_xputs(s, ": ");
		imp_xputstr(s, d->has_uuid ? d->found_uuid :
		    TL_LIT("unknown UUID, not measured"));
		if (d->has_uuid) {
			imp_xputs(s, " (");
			imp_xputs(s, d->found_from);
			imp_xputs(s, ")");
		}
		snprintf(ns, sizeof ns, ", busy %llu ns, sum %llu ns\n",
		    (unsigned long long)d->busy, (unsigned long long)d->sum);
		imp_xputs(s, ns);
	}
	if (t->bind_status != NULL && strcmp(t->bind_status, "bound") != 0) {
		imp_xputs(s, "workers: ");
		imp_xputs(s, t->bind_status);
		imp_xputs(s, "\n");
	}
	if (t->n_events == 0)
		imp_xputs(s, "note: no GPU work: the capture has no kernels, "
		    "copies or fills\n");
}

void
imp_xsummary(struct imp_trace *t, const struct imp_opt *o, uint64_t n_graph)
{
	struct imp_buf *b = &t->summary;

	tell(t);
	count(b, "{\"activity_records\": ", t->n_groups);
	text(b, ", \"cupti_version\": ", t->cupti);
	imp_xputs(b, o->kernel ? ", \"detail\": \"kernel\"" :
	    ", \"detail\": \"launch\"");
	devices(t, b);
	text(b, ", \"engine_version\": ", t->vllm);
	imp_xputs(b, ", \"event_loss\": null, \"event_loss_note\": \"the "
	    "trace does not report dropped CUPTI records\", ");
	imp_xhello_summary(t, b);
	imp_xputs(b, t->nsys ? "\"format\": \"nsys\"" :
	    "\"format\": \"kineto\"");
	count(b, ", \"gpu_events\": ", t->n_events);
	count(b, ", \"graph_gpu_events\": ", n_graph);
	text(b, ", \"host\": ", t->host);
	count(b, ", \"linked_gpu_events\": ", t->n_linked);
	imp_xputs(b, ", \"not_imported\": {");
	if (t->graph_rows > 0)
		count(b, "\"graph_trace_rows\": ", t->graph_rows);
	imp_xputs(b, "}");
	notes(t, b);
	text(b, ", \"path\": ", t->path);
	pids(t, b);
	imp_xputs(b, ", \"rank\": ");
	if (t->rank < 0)
		imp_xputs(b, "null");
	else
		imp_xi64(b, t->rank);
	text(b, ", \"trace_id\": ", t->trace_id);
	unresolved(t, b);
	imp_xputs(b, "}");
}

void
imp_xsummary_registered(struct imp_trace *t)
{
	struct imp_buf *b = &t->summary;

	count(b, "{\"bytes\": ", t->size);
	text(b, ", \"file\": ", t->file);
	text(b, ", \"path\": ", t->path);
	text(b, ", \"skipped\": ", imp_str(t->skipped));
	imp_xputs(b, "}");
}

/* ---- the two capability records ---- */

/* A UUID from what it stands for: version 8, RFC 9562 section 5.8. */
static void
uuid(struct imp_buf *b, const char *what, const char *salt)
{
	char hex[TL_SHA256_HEX];
	struct imp_buf in = { 0 };

	imp_xputs(&in, what);
	imp_xputs(&in, "\n");
	imp_xputs(&in, salt);
	tl_sha256_hex(in.p, in.n, hex);
	free(in.p);
	hex[12] = '8';
	hex[16] = "89ab"[hex[16] & 3];
	for (int i = 0; i < 32; i++) {
		if (i == 8 || i == 12 || i == 16 || i == 20)
			imp_xputs(b, "-");
		imp_xput(b, hex + i, 1);
	}
}

/* Text of a file's first line, for the id of a boot. */
static void
first_line(const char *path, char *buf, int size)
{
	FILE *f = fopen(path, "r");

	*buf = '\0';
	if (f != NULL && fgets(buf, size, f) == NULL)
		*buf = '\0';
	if (f != NULL)
		fclose(f);
	buf[strcspn(buf, "\r\n")] = '\0';
}

static struct tl_str
collector_context(struct imp_artifact *a, struct imp_buf *line)
{
	static struct imp_buf q[6];
	struct tl_str v[IMP_N_KEYS];
	char host[256] = "", boot[64];
	struct imp_buf domain = { 0 };

	for (int i = 0; i < IMP_N_KEYS; i++)
		v[i] = TL_LIT("null");
	if (gethostname(host, sizeof host - 1) != 0)
		*host = '\0';
	first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	imp_xputs(&domain, *host != '\0' ? host : "unknown-host");
	imp_xputs(&domain, *boot != '\0' ? "/" : "");
	imp_xputs(&domain, boot);
	imp_xputs(&domain, "/unix_epoch_ns");
	imp_xstr(&q[0], imp_view(&domain));
	imp_xtext(&q[1], imp_str(host));
	imp_xi64(&q[2], getpid());
	imp_xstr(&q[3], a->run);
	imp_xstr(&q[4], a->session);
	v[IMP_C_CLOCK_DOMAIN] = imp_view(&q[0]);
	v[IMP_C_HOST] = imp_view(&q[1]);
	v[IMP_C_PID] = imp_view(&q[2]);
	v[IMP_C_RUN] = imp_view(&q[3]);
	v[IMP_C_SESSION] = imp_view(&q[4]);
	v[IMP_C_CLOCK_KIND] = TL_LIT("\"wall\"");
	v[IMP_C_MODE] = TL_LIT("\"active\"");
	v[IMP_C_PROVENANCE] = TL_LIT("\"observed\"");
	v[IMP_C_PRODUCER] = v[IMP_C_SOURCE] = TL_LIT("\"" COLLECTOR "\"");
	v[IMP_C_SOURCE_VERSION] = TL_LIT("\"tl-import " TL_VERSION "\"");
	v[IMP_C_RANK] = v[IMP_C_LOCAL_RANK] = TL_LIT("0");
	v[IMP_C_WORLD_SIZE] = TL_LIT("1");
	free(domain.p);
	return imp_xcontext(a, v, line);
}

#define ALL "[\"gpu_activity\", \"cuda_correlation\", " \
    "\"iteration_ranges\", \"cuda_graph_ids\", \"streams\"]"

enum { FOUND = 5 };

static void
collected(struct imp_buf *b, const bool found[FOUND])
{
	static const char *const words[FOUND] = { "\"gpu_activity\"",
		"\"cuda_correlation\"", "\"iteration_ranges\"",
		"\"cuda_graph_ids\"", "\"streams\"" };
	bool comma = false;

	imp_xputs(b, "[");
	for (int i = 0; i < FOUND; i++) {
		if (!found[i])
			continue;
		imp_xputs(b, comma ? ", " : "");
		imp_xputs(b, words[i]);
		comma = true;
	}
	imp_xputs(b, "]");
}

void
imp_xcapabilities(struct imp_artifact *a, const struct imp_trace *t, size_t n,
    const char *salt, struct tl_out *out)
{
	struct imp_buf b = { 0 };
	struct tl_str id = collector_context(a, &b);
	bool found[FOUND] = { false }, comma = false;

	imp_xputs(&b, "{\"available\": false, \"collected\": [], "
	    "\"component\": \"engine_adapter\", \"context_id\": ");
	imp_xstr(&b, id);
	imp_xputs(&b, ", \"enabled\": [], \"event_id\": \"engine_adapter:");
	uuid(&b, "engine_adapter", salt);
	imp_xputs(&b, "\", \"event_type\": \"infer.capabilities\", "
	    "\"metadata\": {}, \"schema_version\": 4, \"supported\": []}\n"
	    "{\"available\": true, \"collected\": ");
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; t[i].state == IMP_ADDED && k < FOUND; k++)
			found[k] |= t[i].found[k];
	}
	collected(&b, found);
	imp_xputs(&b, ", \"component\": \"trace_collector\", "
	    "\"context_id\": ");
	imp_xstr(&b, id);
	imp_xputs(&b, ", \"enabled\": " ALL ", \"event_id\": "
	    "\"trace_collector:");
	uuid(&b, "trace_collector", salt);
	imp_xputs(&b, "\", \"event_type\": \"infer.capabilities\", "
	    "\"metadata\": {\"summary\": {\"traces\": [");
	for (size_t i = 0; i < n; i++) {
		if (t[i].state != IMP_ADDED && t[i].state != IMP_REGISTERED)
			continue;
		imp_xputs(&b, comma ? ", " : "");
		imp_xputstr(&b, imp_view(&t[i].summary));
		comma = true;
	}
	imp_xputs(&b, "]}}, \"schema_version\": 4, \"supported\": " ALL
	    "}\n");
	tl_xout_write(out, b.p, b.n);
	free(b.p);
}
