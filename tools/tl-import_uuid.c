#include "tl-import.h"

#include <stdlib.h>

#include "num.h"
#include "opt.h"

/* ---- the argument ---- */

/* Decimal digits; leading zeros are fine. -1 if it is something else. */
static int64_t
index_of(const char *p, size_t n)
{
	int64_t v = 0;

	if (n == 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9' || v > INT64_MAX / 10 - 9)
			return -1;
		v = 10 * v + (p[i] - '0');
	}
	return v;
}

void
imp_xuuid_parse(const struct tl_tool *tool, struct imp_opt *o,
    const char *arg)
{
	struct imp_uuid u = { .arg = arg, .bound = SIZE_MAX };
	const char *eq = strchr(arg, '='), *colon = NULL, *from = arg;
	char q[TL_QUOTE_SIZE];

	u.uuid = imp_str(eq == NULL ? arg : eq + 1);
	for (const char *p = arg; eq != NULL && p < eq; p++)
		colon = *p == ':' ? p : colon;
	if (colon != NULL) {
		u.trace = (struct tl_str){ arg, (size_t)(colon - arg) };
		from = colon + 1;
	}
	if (eq != NULL)
		u.index = index_of(from, (size_t)(eq - from));
	if (u.index < 0 || u.uuid.n == 0 || (colon != NULL && u.trace.n == 0))
		tl_die_opt(tool, "option '-u': bad device '%s': must be "
		    "[TRACE:]INDEX=UUID, or a UUID", tl_quote(q, sizeof q,
		    arg, strlen(arg)));
	for (size_t i = 0; i < o->n_uuids; i++) {
		struct imp_uuid *v = &o->uuid[i];

		if (v->index != u.index || !tl_str_eq(v->trace, u.trace))
			continue;
		if (tl_str_eq(v->uuid, u.uuid))
			return;
		tl_die_opt(tool, "option '-u': '%s': another UUID was given "
		    "for the device", tl_quote(q, sizeof q, arg,
		    strlen(arg)));
	}
	o->uuid = tl_xgrow(o->uuid, o->n_uuids, &o->uuids_cap,
	    sizeof *o->uuid);
	o->uuid[o->n_uuids++] = u;
}

/* ---- which capture ---- */

enum match { BY_PATH, BY_NAME };

/* Captures that the text names; *which is the last of them. Equal paths count
 * once. */
static size_t
matches(struct tl_str text, enum match how, const struct imp_trace *t,
    size_t n, size_t *which)
{
	char *p = tl_xmemdup0(text.p, text.n), *real = realpath(p, NULL);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		bool is = how == BY_NAME ? tl_str_eq(t[i].file, text) :
		    tl_str_eq(t[i].path, text) || (real != NULL &&
		    tl_str_is(t[i].path, real));

		if (!is || (found > 0 &&
		    tl_str_eq(t[i].path, t[*which].path)))
			continue;
		*which = i;
		found++;
	}
	free(real);
	free(p);
	return found;
}

void
imp_xuuid_bind(struct imp_opt *o, const struct imp_trace *t, size_t n)
{
	char q[TL_QUOTE_SIZE];

	for (size_t i = 0; i < o->n_uuids; i++) {
		struct imp_uuid *u = &o->uuid[i];
		size_t found;

		if (u->trace.n == 0)
			continue;
		found = matches(u->trace, BY_PATH, t, n, &u->bound);
		if (found == 0)
			found = matches(u->trace, BY_NAME, t, n, &u->bound);
		if (found != 1)
			tl_die_usage("option '-u': '%s': %s", tl_quote(q,
			    sizeof q, u->arg, strlen(u->arg)), found == 0 ?
			    "names none of the captures" :
			    "names several of the captures");
		for (size_t k = 0; k < i; k++)
			if (o->uuid[k].bound == u->bound &&
			    o->uuid[k].index == u->index &&
			    !tl_str_eq(o->uuid[k].uuid, u->uuid))
				tl_die_usage("option '-u': '%s': another UUID "
				    "was given for the device", tl_quote(q,
				    sizeof q, u->arg, strlen(u->arg)));
	}
}

/* ---- which device ---- */

static struct imp_uuid *
option_for(struct imp_opt *o, size_t which, int64_t index)
{
	struct imp_uuid *shared = NULL;

	for (size_t i = 0; i < o->n_uuids; i++) {
		if (o->uuid[i].index != index)
			continue;
		if (o->uuid[i].bound == which)
			return &o->uuid[i];
		if (o->uuid[i].bound == SIZE_MAX)
			shared = &o->uuid[i];
	}
	return shared;
}

struct tl_str
imp_xuuid(struct imp_opt *o, const struct imp_trace *t, size_t which,
    const struct imp_dev *d, int64_t pid, const char **from)
{
	struct imp_uuid *u = d->has_index ?
	    option_for(o, which, d->index) : NULL;
	char q[TL_QUOTE_SIZE];
	struct tl_str s;

	*from = NULL;
	if (d->uuid.n > 0) {
		if (u != NULL && !tl_str_eq(u->uuid, d->uuid))
			tl_die_usage("option '-u': '%s': the capture %.*s "
			    "names its device %.*s %.*s", tl_quote(q, sizeof q,
			    u->arg, strlen(u->arg)), (int)t->file.n,
			    t->file.p, (int)d->key.n, d->key.p,
			    (int)d->uuid.n, d->uuid.p);
		*from = "trace";
		return d->uuid;
	}
	if (u != NULL) {
		u->applied = true;
		*from = "option";
		return u->uuid;
	}
	s = d->has_index ? imp_hello_uuid(t, pid, d->index) :
	    (struct tl_str){ "", 0 };
	if (s.n > 0)
		*from = "execution_log";
	return s;
}

/* ---- devices that several processes call by one index ---- */

/* For each use of an index: the capture, and who used it, as text. */
static struct use {
	size_t which;
	int64_t index;
	uint32_t who;
} *use;
static size_t n_uses, uses_cap;
static struct tl_intern users;

void
imp_xuuid_used(const struct imp_trace *t, size_t which)
{
	size_t n;
	int64_t *pid = imp_xpids(t, false, &n);
	struct imp_buf b = { 0 };
	size_t len;

	imp_xputstr(&b, t->host);
	imp_xputs(&b, "\n");
	imp_xi64(&b, t->rank);
	len = b.n;
	for (size_t i = 0; !t->nsys && i < n; i++) {
		imp_xputs(&b, "\n");
		imp_xi64(&b, pid[i]);
	}
	for (size_t i = 0; i < t->work->n_devs; i++) {
		const struct imp_dev *d = &t->work->dev[i];

		if (!d->has_index)
			continue;
		if (t->nsys) {
			b.n = len;
			imp_xputs(&b, "\n");
			imp_xputstr(&b, tl_intern_str(&t->procs, d->proc));
		}
		use = tl_xgrow(use, n_uses, &uses_cap, sizeof *use);
		use[n_uses++] = (struct use){ which, d->index,
			tl_xintern(&users, imp_view(&b)) };
	}
	free(b.p);
	free(pid);
}

void
imp_xuuid_check(const struct imp_opt *o)
{
	char q[TL_QUOTE_SIZE];

	for (size_t i = 0; i < o->n_uuids; i++) {
		const struct imp_uuid *u = &o->uuid[i];
		uint32_t who = IMP_NONE;

		for (size_t k = 0; u->applied && k < n_uses; k++) {
			if (use[k].index != u->index || (u->bound != SIZE_MAX &&
			    u->bound != use[k].which))
				continue;
			if (who != IMP_NONE && who != use[k].who)
				tl_die_usage("option '-u': '%s': several "
				    "processes have a device %lld, which may "
				    "not be the same: name it for each capture",
				    tl_quote(q, sizeof q, u->arg,
				    strlen(u->arg)), (long long)u->index);
			who = use[k].who;
		}
	}
}
