#include <stdlib.h>

#include "tl-replay_acl.h"

static struct rep_acl *
acl_of(struct rep_capture *cap)
{
	if (cap->acl == NULL)
		cap->acl = tl_xcalloc(1, sizeof *cap->acl);
	return cap->acl;
}

/* "A TAB B" in buf or, where that is too small, in *big, which the caller
 * frees. */
static struct tl_str
pair(char *buf, size_t size, char **big, struct tl_str a, struct tl_str b)
{
	size_t n = a.n + b.n + 1;
	char *p = buf;

	*big = NULL;
	if (n > size)
		p = *big = tl_xmalloc(n);
	memcpy(p, a.p, a.n);
	p[a.n] = '\t';
	memcpy(p + a.n + 1, b.p, b.n);
	return (struct tl_str){ p, n };
}

static uint32_t
find_pair(const struct tl_intern *t, struct tl_str a, struct tl_str b)
{
	char buf[128], *big;
	uint32_t i = tl_intern_find(t, pair(buf, sizeof buf, &big, a, b));

	free(big);
	return i;
}

static uint32_t
add_pair(struct tl_intern *t, struct tl_str a, struct tl_str b)
{
	char buf[128], *big;
	uint32_t i = tl_xintern(t, pair(buf, sizeof buf, &big, a, b));

	free(big);
	return i;
}

/* ---- the header ---- */

static void
add_capture(struct rep_capture *cap, struct tl_str line)
{
	struct rep_acl *acl = acl_of(cap);
	struct tl_str c[4];

	if (tl_fields(c, 4, line.p, line.n) < 4)
		return;
	acl->owner = tl_xgrow(acl->owner, acl->n_owners, &acl->owners_cap,
	    sizeof *acl->owner);
	acl->owner[acl->n_owners++] = (struct acl_owner){
		.stream = add_pair(&acl->streams, c[1], c[3]),
		.graph = add_pair(&acl->graphs, c[1], c[2]),
	};
}

static bool
begins(struct tl_str s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && memcmp(s.p, word, n) == 0;
}

void
rep_acl_header(struct rep_capture *cap, struct tl_str line)
{
	if (begins(line, "#capture\t"))
		add_capture(cap, line);
	else if (begins(line, "#source\t") &&
	    (tl_str_is(tl_key(line, "compute_names"), "no") ||
	    tl_str_is(tl_key(line, "comm_names"), "no")))
		acl_of(cap)->no_names = true;
}

/* ---- events ---- */

uint32_t
rep_acl_stream(const struct rep_capture *cap, struct tl_str device,
    struct tl_str lane)
{
	return cap->acl == NULL ? REP_NONE :
	    find_pair(&cap->acl->streams, device, lane);
}

uint32_t
rep_acl_model(const struct rep_capture *cap, struct tl_str device,
    struct tl_str model)
{
	uint32_t graph;

	if (model.p == NULL)
		return ACL_NO_MODEL;
	graph = cap->acl == NULL ? REP_NONE :
	    find_pair(&cap->acl->graphs, device, model);
	return graph == REP_NONE ? ACL_OTHER_MODEL : graph;
}

/* Types of tasks that do no work, whatever they are called. */
static bool
is_infrastructure(struct tl_str type)
{
	static const char *const words[] = { "CAPTURE_", "EVENT_",
		"MODEL_MAINT", "PROFILING_", "TASK_TIMEOUT_SET" };
	static const char value[] = "_VALUE";
	size_t n = sizeof value - 1;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (begins(type, words[i]))
			return true;
	return tl_str_is(type, "NOP") || (begins(type, "MEM_") &&
	    type.n > n && memcmp(type.p + type.n - n, value, n) == 0);
}

static void
add_task(struct acl_tasks *t, const struct tl_ev *ev, uint32_t lane,
    uint64_t corr, uint32_t model)
{
	t->v = tl_xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n++] = (struct acl_task){
		.start_ns = ev->start_ns,
		.end_ns = ev->start_ns + ev->dur_ns,
		.corr = corr,
		.lane = lane,
		.id = (uint32_t)ev->id,
		.model = model,
		.untied = tl_str_none(ev->correlation),
	};
}

bool
rep_acl_event(struct rep_capture *cap, const struct tl_ev *ev, uint32_t lane,
    uint64_t corr, struct tl_str type, uint32_t model)
{
	struct rep_acl *acl;
	uint32_t record = REP_NONE;

	if (tl_str_is(type, "MODEL_EXECUTE")) {
		add_task(&acl_of(cap)->execute, ev, lane, corr, model);
		return true;
	}
	if (tl_str_is(type, "NOTIFY_WAIT")) {
		add_task(&acl_of(cap)->wait, ev, lane, corr, model);
	} else if (tl_str_is(type, "NOTIFY_RECORD")) {
		record = (uint32_t)acl_of(cap)->record.n;
		add_task(&acl_of(cap)->record, ev, lane, corr, model);
	}
	acl = cap->acl;
	if (acl == NULL || !acl->no_names || is_infrastructure(type) ||
	    cap->lane[lane].stream == REP_NONE)
		return false;
	acl->work = tl_xgrow(acl->work, acl->n_work, &acl->work_cap,
	    sizeof *acl->work);
	acl->work[acl->n_work++] = (struct acl_work){ ev->start_ns,
		ev->start_ns + ev->dur_ns, lane, model, record };
	return false;
}

/* ---- owners of streams ---- */

static int
owner_cmp(const void *pa, const void *pb)
{
	const struct acl_owner *a = pa, *b = pb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->graph < b->graph ? -1 : a->graph > b->graph;
}

static void
settle_owners(struct rep_acl *acl)
{
	struct acl_owner *o = acl->owner;
	size_t n = 0, i = 0;

	if (acl->n_owners > 0)
		qsort(o, acl->n_owners, sizeof *o, owner_cmp);
	for (size_t k = 0; k < acl->n_owners; k++)
		if (n == 0 || owner_cmp(&o[n - 1], &o[k]) != 0)
			o[n++] = o[k];
	acl->n_owners = n;
	acl->first_owner = tl_xreallocarray(NULL, acl->streams.n + 1,
	    sizeof *acl->first_owner);
	for (size_t s = 0; s <= acl->streams.n; s++) {
		while (i < n && o[i].stream < s)
			i++;
		acl->first_owner[s] = i;
	}
}

uint32_t
acl_only_owner(const struct rep_acl *acl, uint32_t stream)
{
	if (stream == REP_NONE ||
	    acl->first_owner[stream + 1] - acl->first_owner[stream] != 1)
		return REP_NONE;
	return acl->owner[acl->first_owner[stream]].graph;
}

bool
acl_is_owner(const struct rep_acl *acl, uint32_t stream, uint32_t graph)
{
	struct acl_owner key = { stream, graph };

	return stream != REP_NONE && acl->n_owners > 0 &&
	    bsearch(&key, acl->owner, acl->n_owners, sizeof key,
	    owner_cmp) != NULL;
}

/* ---- calls ---- */

/* An execution, by what calls are sorted by. */
struct asked {
	uint64_t corr;
	uint32_t owner, i;
};

static int
asked_cmp(const void *pa, const void *pb)
{
	const struct asked *a = pa, *b = pb;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->corr != b->corr)
		return a->corr < b->corr ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* Calls with one correlation that are nobody's yet and began already, the last
 * on top: those that execute, and others. */
struct stack {
	uint32_t *executes, *others;
	size_t n_executes, n_others;
};

static struct rep_call *
pop_call(struct rep_capture *cap, struct stack *s)
{
	if (s->n_executes > 0)
		return &cap->call[s->executes[--s->n_executes]];
	return s->n_others > 0 ? &cap->call[s->others[--s->n_others]] : NULL;
}

/* The calls of n executions with one correlation; *at is the first call that
 * may have it. */
static void
find_calls(struct rep_capture *cap, const struct asked *x, size_t n,
    size_t *at, struct stack *s)
{
	const struct rep_call *c = cap->call;

	s->n_executes = s->n_others = 0;
	while (*at < cap->n_calls && (c[*at].owner < x->owner ||
	    (c[*at].owner == x->owner && c[*at].corr < x->corr)))
		(*at)++;
	for (size_t k = 0; k < n; k++) {
		struct rep_acl_launch *l = &cap->acl->launch[x[k].i];
		struct rep_call *call;

		for (; *at < cap->n_calls && c[*at].owner == x->owner &&
		    c[*at].corr == x->corr &&
		    c[*at].start_ns <= l->start_ns; (*at)++) {
			if (c[*at].is_execute)
				s->executes[s->n_executes++] = (uint32_t)*at;
			else
				s->others[s->n_others++] = (uint32_t)*at;
		}
		call = pop_call(cap, s);
		if (call != NULL)
			call->has_events = 1;
		l->call = call;
	}
}

static void
find_all_calls(struct rep_capture *cap)
{
	const struct acl_tasks *t = &cap->acl->execute;
	struct asked *x = tl_xreallocarray(NULL, t->n, sizeof *x);
	struct stack s = {
		tl_xreallocarray(NULL, cap->n_calls, sizeof *s.executes),
		tl_xreallocarray(NULL, cap->n_calls, sizeof *s.others), 0, 0
	};
	size_t n = 0, at = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].untied)
			x[n++] = (struct asked){ t->v[i].corr,
				cap->lane[t->v[i].lane].process, (uint32_t)i };
	if (n > 0)
		qsort(x, n, sizeof *x, asked_cmp);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && x[j].owner == x[i].owner &&
		    x[j].corr == x[i].corr; j++)
			continue;
		find_calls(cap, &x[i], j - i, &at, &s);
	}
	free(s.executes);
	free(s.others);
	free(x);
}

static void
make_launches(struct rep_capture *cap)
{
	struct rep_acl *acl = cap->acl;

	acl->launch = tl_xcalloc(acl->execute.n, sizeof *acl->launch);
	for (size_t i = 0; i < acl->execute.n; i++) {
		const struct acl_task *t = &acl->execute.v[i];

		acl->launch[i] = (struct rep_acl_launch){
			.start_ns = t->start_ns, .end_ns = t->end_ns,
			.lane = t->lane, .execute = t->id, .graph = REP_NONE,
		};
	}
	find_all_calls(cap);
}

void
rep_acl(struct rep_capture *cap)
{
	if (cap->acl == NULL || cap->acl->execute.n == 0)
		return;
	settle_owners(cap->acl);
	make_launches(cap);
	acl_match(cap);
	acl_bodies(cap);
}

size_t
rep_acl_launches(const struct rep_capture *cap,
    const struct rep_acl_launch **launch)
{
	*launch = cap->acl == NULL ? NULL : cap->acl->launch;
	return cap->acl == NULL ? 0 : cap->acl->execute.n;
}

void
rep_acl_free(struct rep_acl *acl)
{
	if (acl == NULL)
		return;
	tl_intern_free(&acl->graphs);
	tl_intern_free(&acl->streams);
	free(acl->owner);
	free(acl->first_owner);
	free(acl->execute.v);
	free(acl->wait.v);
	free(acl->record.v);
	free(acl->work);
	free(acl->launch);
	free(acl->window);
	free(acl->crowded);
	free(acl->first_window);
	free(acl);
}
