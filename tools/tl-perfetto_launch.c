#include <stdlib.h>

#include "mem.h"
#include "num.h"
#include "tl-perfetto.h"

/* Columns of launch and member records, from 0. */
enum {
	L_ID = 1, L_CALL, L_PROCESS, L_DEVICE, L_CONTEXT, L_START, L_DUR,
	L_UNIT, L_STATUS, L_MEMBERS, L_MISSING, L_OPAQUE, L_REASON, L_N
};
enum { M_LAUNCH = 1, M_UNIT, M_STREAM, M_INDEX, M_EVENT, M_N };

static uint64_t
event_id(const struct tl_evin *in, struct tl_str s)
{
	return tl_str_none(s) ? 0 :
	    (uint64_t)pf_xnumber_of(in, "event", s, 1, INT64_MAX);
}

void
pf_xlaunch(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[L_N], lane4;
	struct pf_launch l = { .start_ns = 0, .dur_ns = TL_NONE,
		.n_stated = -1 };
	char *s;

	if (tl_fields(c, L_N, line.p, line.n) < L_N)
		pf_die_at(in, "record", line, "14 columns are needed");
	l.id = (uint32_t)pf_xnumber_of(in, "launch", c[L_ID], 1, PF_NO - 1);
	if (p->n_launches > 0 && p->launch[p->n_launches - 1].id >= l.id)
		pf_die_at(in, "launch", c[L_ID], "must be more than the last");
	l.call = event_id(in, c[L_CALL]);
	l.opaque = event_id(in, c[L_OPAQUE]);
	if (!tl_str_none(c[L_START]) && !tl_str_none(c[L_DUR])) {
		l.start_ns = pf_xnumber_of(in, "start", c[L_START], INT64_MIN,
		    INT64_MAX);
		l.dur_ns = pf_xnumber_of(in, "dur", c[L_DUR], 0,
		    l.start_ns > 0 ? INT64_MAX - l.start_ns : INT64_MAX);
	}
	if (!tl_str_none(c[L_MEMBERS]))
		l.n_stated = pf_xnumber_of(in, "members", c[L_MEMBERS], 0,
		    INT64_MAX);
	l.none_missing = tl_str_is(c[L_MISSING], "0");
	l.unit = tl_xintern(&p->text, c[L_UNIT]);
	l.status = tl_xintern(&p->text, c[L_STATUS]);
	l.members = tl_xintern(&p->text, c[L_MEMBERS]);
	l.missing = tl_xintern(&p->text, c[L_MISSING]);
	l.reason = tl_xintern(&p->text, c[L_REASON]);
	s = tl_xmalloc(c[L_PROCESS].n + c[L_DEVICE].n + 5);
	memcpy(s, c[L_PROCESS].p, c[L_PROCESS].n + c[L_DEVICE].n + 1);
	memcpy(s + c[L_PROCESS].n + c[L_DEVICE].n + 1, "\t.\t.", 4);
	lane4 = (struct tl_str){ s, c[L_PROCESS].n + c[L_DEVICE].n + 5 };
	l.group = pf_xgroup(p, PF_LAUNCHES, 0, lane4);
	free(s);
	p->launch = tl_xgrow(p->launch, p->n_launches, &p->cap_launches,
	    sizeof *p->launch);
	p->launch[p->n_launches++] = l;
}

void
pf_xmember(struct pf *p, const struct tl_evin *in, struct tl_str line)
{
	struct tl_str c[M_N];
	struct pf_member m;
	uint32_t ev;

	if (tl_fields(c, M_N, line.p, line.n) < M_N)
		pf_die_at(in, "record", line, "six columns are needed");
	m.launch = (uint32_t)pf_xnumber_of(in, "launch", c[M_LAUNCH], 1,
	    PF_NO - 1);
	m.unit = tl_xintern(&p->text, c[M_UNIT]);
	m.stream = tl_xintern(&p->text, c[M_STREAM]);
	m.index = tl_str_none(c[M_INDEX]) ? PF_NO :
	    (uint32_t)pf_xnumber_of(in, "index", c[M_INDEX], 0, PF_NO - 1);
	ev = pf_event_of(p, event_id(in, c[M_EVENT]));
	if (ev == PF_NO)
		return;
	if (ev >= p->cap_member) {
		p->member = tl_xreallocarray(p->member, p->n_ev,
		    sizeof *p->member);
		memset(p->member + p->cap_member, 0,
		    (p->n_ev - p->cap_member) * sizeof *p->member);
		p->cap_member = p->n_ev;
	}
	p->member[ev] = m;
	p->ev[ev].flags |= PF_REPLAYED;
}

static struct pf_launch *
launch_of(struct pf *p, uint32_t id)
{
	size_t lo = 0, hi = p->n_launches;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->launch[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n_launches && p->launch[lo].id == id ? &p->launch[lo] :
	    NULL;
}

/* "process TAB device TAB context TAB lane" of a group of streams. */
static struct tl_str
lane4_of(const struct pf *p, uint32_t group)
{
	struct tl_str key = tl_intern_str(&p->group_key, group);

	return (struct tl_str){ key.p + 5, key.n - 5 };
}

/* The interval of a launch: its members stand for it if all are there, and
 * beside it if only some are. */
static void
settle_interval(struct pf *p, const struct pf_launch *l)
{
	uint32_t ev = l->opaque == 0 ? PF_NO : pf_event_of(p, l->opaque);
	struct pf_event *e;
	char *copy;
	struct tl_str lane4;

	if (ev == PF_NO || l->n_members == 0)
		return;
	e = &p->ev[ev];
	if (l->none_missing && l->n_stated == (int64_t)l->n_members) {
		p->n_replaced += !(e->flags & PF_HIDDEN);
		e->flags |= PF_HIDDEN;
		return;
	}
	lane4 = lane4_of(p, e->group);
	copy = tl_xmemdup0(lane4.p, lane4.n);
	e->group = pf_xgroup(p, PF_GRAPHS, 0,
	    (struct tl_str){ copy, lane4.n });
	free(copy);
}

void
pf_xpack_members(struct pf *p)
{
	for (size_t i = 0; i < p->n_ev; i++) {
		struct pf_event *e = &p->ev[i];
		struct tl_str f[2], lane4;
		char *s;

		if (!(e->flags & PF_REPLAYED) || e->kind == TL_GRAPH ||
		    p->group[e->group].kind != PF_WORK)
			continue;
		f[0] = p->plane[p->group[e->group].plane].process;
		f[1] = p->plane[p->group[e->group].plane].device;
		s = tl_xmalloc(f[0].n + f[1].n + 5);
		memcpy(s, f[0].p, f[0].n);
		s[f[0].n] = '\t';
		memcpy(s + f[0].n + 1, f[1].p, f[1].n);
		memcpy(s + f[0].n + 1 + f[1].n, "\t.\t.", 4);
		lane4 = (struct tl_str){ s, f[0].n + f[1].n + 5 };
		e->group = pf_xgroup(p, PF_PACKED, e->cls, lane4);
		free(s);
	}
}

void
pf_xlaunches(struct pf *p)
{
	for (size_t i = 0; i < p->cap_member; i++) {
		struct pf_launch *l = p->member[i].launch == 0 ? NULL :
		    launch_of(p, p->member[i].launch);

		if (l != NULL)
			l->n_members++;
	}
	for (size_t i = 0; i < p->n_launches; i++)
		settle_interval(p, &p->launch[i]);
}
