#include "tl-replay.h"

static void
note_statuses(const struct rep_capture *cap, struct tl_evout *out)
{
	static const struct {
		const char *code;
		enum tl_severity severity;
		const char *text;
	} kinds[REP_N_STATUS] = {
		{ "replay_exact", TL_INFO, "graph launches whose members "
		    "equal those of another launch" },
		{ "replay_single", TL_INFO, "graph launches without a second "
		    "one to compare with" },
		{ "replay_partial", TL_WARN, "graph launches with a part of "
		    "their unit's members" },
		{ "replay_variant", TL_WARN, "graph launches that differ from "
		    "those they resemble" },
		{ "replay_opaque", TL_WARN, "graph launches of which only the "
		    "interval was recorded: trace graph nodes to see inside "
		    "(nsys profile --cuda-graph-trace=node)" },
		{ "replay_empty", TL_WARN, "graph launches without any device "
		    "record" },
		{ "replay_orphan", TL_WARN, "graph launches whose call is not "
		    "in the capture" },
	};
	int64_t n[REP_N_STATUS] = { 0 };

	for (size_t i = 0; i < cap->n_launches; i++)
		n[cap->launch[i].status]++;
	for (int k = 0; k < REP_N_STATUS; k++)
		if (n[k] > 0)
			tl_xevout_note(out, kinds[k].severity, kinds[k].code,
			    n[k], "%s", kinds[k].text);
}

/* Launches that have a member before their call. */
static int64_t
count_early(const struct rep_capture *cap)
{
	int64_t early = 0;

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

static void
note_doubts(const struct rep_capture *cap, struct tl_evout *out)
{
	const struct rep_counts *n = &cap->counts;
	int64_t early = count_early(cap);

	if (n->untied_calls > 0)
		tl_xevout_note(out, TL_WARN, "replay_untied_calls",
		    (int64_t)n->untied_calls, "calls that launch a graph have "
		    "no correlation id: which device events they caused is "
		    "not known");
	if (n->untied > 0)
		tl_xevout_note(out, TL_WARN, "replay_untied",
		    (int64_t)n->untied, "device events of graphs have no "
		    "correlation id: which launch they belong to is not "
		    "known");
	if (n->reused > 0)
		tl_xevout_note(out, TL_WARN, "replay_reused",
		    (int64_t)n->reused, "correlation ids of graph launches "
		    "that later calls have again: an event is taken for the "
		    "last call's before it");
	if (n->scattered > 0)
		tl_xevout_note(out, TL_WARN, "replay_scattered",
		    (int64_t)n->scattered, "graph launches with other work "
		    "between their members on one stream: correlation ids "
		    "may be wrong, or two launches have the same");
	if (early > 0)
		tl_xevout_note(out, TL_WARN, "replay_early", early,
		    "graph launches with a member that starts before the "
		    "call: clocks of host and device differ, or correlation "
		    "ids are wrong");
}

void
rep_notes(const struct rep_capture *cap, struct tl_evout *out)
{
	const struct rep_counts *n = &cap->counts;

	note_statuses(cap, out);
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
