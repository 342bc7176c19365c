#include <stdlib.h>

#include "tl-recover_rules.h"

#include "num.h"

static struct rec_scope *
scope_of(struct rec_capture *cap, const struct tl_ev *ev)
{
	uint32_t process = tl_xintern(&cap->text, ev->process);
	uint32_t device = tl_xintern(&cap->text, ev->device);
	struct rec_scope *s;

	/* captures have a handful of scopes; the last one is at hand */
	for (size_t i = cap->n_scopes; i-- > 0;)
		if (cap->scope[i].process == process &&
		    cap->scope[i].device == device)
			return &cap->scope[i];
	cap->scope = tl_xgrow(cap->scope, cap->n_scopes, &cap->scopes_cap,
	    sizeof *cap->scope);
	s = &cap->scope[cap->n_scopes++];
	*s = (struct rec_scope){ .process = process, .device = device };
	return s;
}

static bool
takes_part(const struct tl_ev *ev)
{
	return (ev->kind == TL_KERNEL || ev->kind == TL_TASK ||
	    ev->kind == TL_GRAPH) &&
	    (ev->cls == TL_COMPUTE || ev->cls == TL_COMM) &&
	    !tl_str_is(tl_key(ev->keys, "role"), "aux");
}

/* Windows are differences of times: they must fit, too. */
static void
widen(struct rec_scope *s, const struct tl_ev *ev)
{
	int64_t end = ev->start_ns + ev->dur_ns;

	if (s->n == 0) {
		s->from_ns = ev->start_ns;
		s->to_ns = end;
	}
	if (s->from_ns > ev->start_ns)
		s->from_ns = ev->start_ns;
	if (s->to_ns < end)
		s->to_ns = end;
	if ((uint64_t)s->to_ns - (uint64_t)s->from_ns > INT64_MAX)
		tl_die("event %llu: times of a device are more than 64 bits "
		    "of nanoseconds apart", (unsigned long long)ev->id);
}

/* Correlation ids of 32 bits begin anew when they are used up. An id is taken
 * as the value nearest to the last one of its process, of all that are equal
 * to it modulo 2^32; wider ids stay what they are. Values are moved up, so
 * that the first may have smaller ones before it. */
#define CORR_BASE ((uint64_t)1 << 40)

static uint64_t
unwrap(uint64_t *last, uint64_t corr)
{
	uint32_t ahead;

	if (corr > UINT32_MAX)
		return CORR_BASE + corr;
	if (*last == 0) {
		*last = CORR_BASE + corr;
		return *last;
	}
	ahead = (uint32_t)corr - (uint32_t)*last;
	*last += ahead;
	if (ahead > (uint32_t)1 << 31)
		*last -= (uint64_t)1 << 32;
	return *last;
}

/* The last ids of a process: of its device events, of its calls. */
static struct rec_last *
last_of(struct rec_capture *cap, uint32_t process)
{
	for (size_t i = cap->n_lasts; i-- > 0;)
		if (cap->last[i].process == process)
			return &cap->last[i];
	cap->last = tl_xgrow(cap->last, cap->n_lasts, &cap->lasts_cap,
	    sizeof *cap->last);
	cap->last[cap->n_lasts] = (struct rec_last){ .process = process };
	return &cap->last[cap->n_lasts++];
}

static void
add_device_event(struct rec_capture *cap, const struct tl_ev *ev)
{
	struct tl_str sym = tl_key(ev->keys, "sym");
	struct rec_scope *s;
	struct rec_event *e;

	if (cap->n_launches > 0)
		tl_die("event %llu: comes after the records of tl-replay",
		    (unsigned long long)ev->id);
	if (ev->kind == TL_SYNC || tl_key(ev->keys, "detail").p != NULL)
		return;
	if (ev->id > UINT32_MAX)
		tl_die("event id '%llu': more events than tl-recover takes",
		    (unsigned long long)ev->id);
	s = scope_of(cap, ev);
	widen(s, ev);
	s->ev = tl_xgrow(s->ev, s->n, &s->cap, sizeof *s->ev);
	e = &s->ev[s->n++];
	*e = (struct rec_event){
		.start_ns = ev->start_ns,
		.end_ns = ev->start_ns + ev->dur_ns,
		.id = (uint32_t)ev->id,
		.cls = (uint8_t)ev->cls,
	};
	/* a task of an ACL graph has an id, but of the graph's capture */
	if (tl_num_str_u64(ev->correlation, &e->corr) &&
	    tl_key(ev->keys, "model").p == NULL) {
		e->flags |= REC_CORR;
		e->corr = unwrap(&last_of(cap, s->process)->device, e->corr);
	}
	if (ev->kind == TL_GRAPH)
		e->flags |= REC_GRAPH;
	if (takes_part(ev)) {
		e->flags |= REC_PART;
		e->sym = tl_xintern(&cap->text, sym.p ? sym : ev->name);
	}
}

static void
add_call(struct rec_capture *cap, const struct tl_ev *ev)
{
	uint32_t process;
	uint64_t corr;

	cap->n_launch_calls += tl_str_has(ev->name, "Launch");
	if (!tl_num_str_u64(ev->correlation, &corr))
		return;
	process = tl_xintern(&cap->text, ev->process);
	corr = unwrap(&last_of(cap, process)->call, corr);
	cap->call = tl_xgrow(cap->call, cap->n_calls, &cap->calls_cap,
	    sizeof *cap->call);
	cap->call[cap->n_calls++] = (struct rec_call){
		.corr = corr,
		.start_ns = ev->start_ns,
		.end_ns = ev->dur_ns == TL_NONE ? ev->start_ns :
		    ev->start_ns + ev->dur_ns,
		.process = process,
		.id = (uint32_t)ev->id,
	};
}

/* True if s is the word, then digits only (at least one), blanks and
 * punctuation allowed between. */
static bool
word_number(struct tl_str s, const char *word)
{
	size_t n = strlen(word), i;

	if (s.n <= n)
		return false;
	for (i = 0; i < n; i++)
		if ((s.p[i] | 0x20) != word[i])
			return false;
	while (i < s.n && strchr(" _#:-=[(", s.p[i]) != NULL)
		i++;
	if (i == s.n)
		return false;
	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		;
	return i == s.n || (i + 1 == s.n && (s.p[i] == ']' || s.p[i] == ')'));
}

/* Names by which frameworks mark a step: PyTorch's ProfilerStep#7, vLLM's and
 * SGLang's execute_..., step[DECODE bs=8], and plain "step 7". Whole names,
 * since other ranges often contain such a word. */
static bool
is_step_name(struct tl_str s)
{
	static const char *const words[] = { "step", "iteration", "iter",
		"train_step", "batch" };

	if (s.n > 13 && memcmp(s.p, "ProfilerStep#", 13) == 0)
		return word_number((struct tl_str){ s.p + 8, s.n - 8 }, "step");
	if (s.n > 8 && memcmp(s.p, "execute_", 8) == 0)
		return true;
	if (s.n > 6 && memcmp(s.p, "step[", 5) == 0 && s.p[s.n - 1] == ']')
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (word_number(s, words[i]))
			return true;
	return false;
}

static void
add_step(struct rec_capture *cap, const struct tl_ev *ev)
{
	/* a range's shadow on the device is no evidence of the host */
	if (!tl_str_none(ev->device) || !is_step_name(ev->name))
		return;
	cap->step = tl_xgrow(cap->step, cap->n_steps, &cap->steps_cap,
	    sizeof *cap->step);
	cap->step[cap->n_steps++] = (struct rec_step){
		.at_ns = ev->start_ns,
		.process = tl_xintern(&cap->text, ev->process),
	};
}

static int
scope_cmp(const struct rec_capture *cap, const struct rec_scope *a,
    const struct rec_scope *b)
{
	int c = tl_token_cmp(tl_intern_str(&cap->text, a->process),
	    tl_intern_str(&cap->text, b->process));

	return c != 0 ? c : tl_token_cmp(tl_intern_str(&cap->text, a->device),
	    tl_intern_str(&cap->text, b->device));
}

static bool
has_colon(const struct rec_capture *cap, uint32_t token)
{
	struct tl_str s = tl_intern_str(&cap->text, token);

	return memchr(s.p, ':', s.n) != NULL;
}

/* A scope is named process:device. Tokens with a colon in them can give one
 * name to two. */
static void
check_names(const struct rec_capture *cap)
{
	struct tl_intern names = { .n = 0 };
	bool any = false;

	for (size_t i = 0; i < cap->n_scopes && !any; i++)
		any = has_colon(cap, cap->scope[i].process) ||
		    has_colon(cap, cap->scope[i].device);
	for (size_t i = 0; any && i < cap->n_scopes; i++) {
		char *name = rec_scope_name(cap, &cap->scope[i]);
		struct tl_str s = { name, strlen(name) };

		if (tl_intern_find(&names, s) != UINT32_MAX)
			tl_die("scope '%s': two processes and devices have "
			    "this name", name);
		tl_xintern(&names, s);
		free(name);
	}
	tl_intern_free(&names);
}

char *
rec_scope_name(const struct rec_capture *cap, const struct rec_scope *s)
{
	struct tl_str process = tl_intern_str(&cap->text, s->process);
	struct tl_str device = tl_intern_str(&cap->text, s->device);
	char *name = tl_xmalloc(process.n + device.n + 2);

	memcpy(name, process.p, process.n);
	name[process.n] = ':';
	memcpy(name + process.n + 1, device.p, device.n);
	name[process.n + 1 + device.n] = '\0';
	return name;
}

static void
sort_scopes(struct rec_capture *cap)
{
	for (size_t i = 1; i < cap->n_scopes; i++) {
		struct rec_scope s = cap->scope[i];
		size_t j = i;

		for (; j > 0 && scope_cmp(cap, &s, &cap->scope[j - 1]) < 0; j--)
			cap->scope[j] = cap->scope[j - 1];
		cap->scope[j] = s;
	}
}

void
rec_gather(struct rec_capture *cap, struct tl_filter *f)
{
	struct tl_rec rec;

	while (tl_xfilter_next(f, &rec)) {
		if (rec.kind == TL_LAUNCH || rec.kind == TL_UNIT ||
		    rec.kind == TL_MEMBER)
			rec_add_replay(cap, f, &rec);
		rec_rules_take(cap->rules, f, &rec);
		if (!tl_kind_is_event(rec.kind))
			continue;
		if (tl_kind_on_device(rec.kind))
			add_device_event(cap, &rec.ev);
		else if (rec.kind == TL_API)
			add_call(cap, &rec.ev);
		else if (rec.kind == TL_RANGE || rec.kind == TL_OP)
			add_step(cap, &rec.ev);
	}
	sort_scopes(cap);
	check_names(cap);
	rec_end_replay(cap);
}

void
rec_capture_free(struct rec_capture *cap)
{
	for (size_t i = 0; i < cap->n_scopes; i++) {
		free(cap->scope[i].ev);
		free(cap->scope[i].member);
	}
	free(cap->scope);
	rec_replay_free(cap);
	free(cap->call);
	free(cap->step);
	free(cap->last);
	tl_intern_free(&cap->text);
}
