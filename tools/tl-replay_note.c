#include "tl-replay.h"

/* Launches that have a member before their call. */
static uint64_t
count_early(const struct rep_capture *cap)
{
	uint64_t early = 0;

	for (size_t i = 0; i < cap->n_launches; i++) {
		const struct rep_launch *l = &cap->launch[i];
		bool is = false;

		for (size_t k = 0; k < l->n && l->call != NULL && !is; k++)
			is = cap->event[l->first + k].start_ns <
			    l->call->start_ns;
		early += is;
	}
	return early;
}

/* A note for each count that is not 0. */
struct note {
	uint64_t n;
	enum tl_severity severity;
	const char *code, *text;
};

static void
put_notes(struct tl_evout *out, const struct note *note, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (note[i].n > 0)
			tl_xevout_note(out, note[i].severity, note[i].code,
			    (int64_t)note[i].n, "%s", note[i].text);
}

static void
note_statuses(const struct rep_capture *cap, struct tl_evout *out)
{
	struct note note[REP_N_STATUS] = {
		[REP_EXACT] = { 0, TL_INFO, "replay_exact", "graph launches "
		    "whose members equal those of another launch" },
		[REP_SINGLE] = { 0, TL_INFO, "replay_single", "graph launches "
		    "without a second one to compare with" },
		[REP_PARTIAL] = { 0, TL_WARN, "replay_partial", "graph "
		    "launches with a part of their unit's members" },
		[REP_VARIANT] = { 0, TL_WARN, "replay_variant", "graph "
		    "launches that differ from those they resemble" },
		[REP_OPAQUE] = { 0, TL_WARN, "replay_opaque", "graph launches "
		    "of which only the interval was recorded: trace graph "
		    "nodes to see inside "
		    "(nsys profile --cuda-graph-trace=node)" },
		[REP_EMPTY] = { 0, TL_WARN, "replay_empty", "graph launches "
		    "without any device record" },
		[REP_ORPHAN] = { 0, TL_WARN, "replay_orphan", "graph launches "
		    "whose call is not in the capture" },
	};

	for (size_t i = 0; i < cap->n_launches; i++)
		if (cap->launch[i].acl == NULL || cap->launch[i].n > 0)
			note[cap->launch[i].status].n++;
	put_notes(out, note, REP_N_STATUS);
}

static void
note_doubts(const struct rep_capture *cap, struct tl_evout *out)
{
	const struct rep_counts *n = &cap->counts;
	const struct note note[] = {
		{ n->untied_calls, TL_WARN, "replay_untied_calls", "calls that "
		    "launch a graph have no correlation id: which device "
		    "events they caused is not known" },
		{ n->untied, TL_WARN, "replay_untied", "device events of "
		    "graphs have no correlation id: which launch they belong "
		    "to is not known" },
		{ n->reused, TL_WARN, "replay_reused", "correlation ids of "
		    "graph launches that later calls have again: an event is "
		    "taken for the last call's before it" },
		{ n->scattered, TL_WARN, "replay_scattered", "graph launches "
		    "with other work between their members on one stream: "
		    "correlation ids may be wrong, or two launches have the "
		    "same" },
		{ count_early(cap), TL_WARN, "replay_early", "graph launches "
		    "with a member that starts before the call: clocks of "
		    "host and device differ, or correlation ids are wrong" },
	};

	put_notes(out, note, sizeof note / sizeof *note);
}

void
rep_notes(const struct rep_capture *cap, struct tl_evout *out)
{
	const struct rep_counts *n = &cap->counts;

	note_statuses(cap, out);
	rep_acl_notes(cap, out);
	note_doubts(cap, out);
	if (cap->n_launches == 0 && n->captures > 0)
		tl_xevout_note(out, TL_WARN, "replay_capture_phase",
		    (int64_t)n->captures, "graphs were captured, none was "
		    "launched: this is a capture-phase trace");
	else if (cap->n_launches == 0)
		tl_xevout_note(out, TL_INFO, "replay_none", 0,
		    "no graph was launched: nothing to do");
	if (n->shared > 0 && n->shared_call != REP_NONE)
		tl_xevout_note(out, TL_INFO, "replay_shared",
		    (int64_t)n->shared, "correlation ids that several kernels "
		    "share without a sign of a graph, most of them by the "
		    "call that is event %lu (-c takes calls by their name "
		    "for graph launches)", (unsigned long)n->shared_call);
	else if (n->shared > 0)
		tl_xevout_note(out, TL_INFO, "replay_shared",
		    (int64_t)n->shared, "correlation ids that several kernels "
		    "share without a sign of a graph");
}
