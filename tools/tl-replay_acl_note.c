#include "tl-replay_acl.h"

/* Words that others use for the same, too. */
static const char *const refusals[REP_ACL_N_REFUSALS] = {
	[REP_ACL_NO_WAIT] = "missing_completion_evidence: no wait",
	[REP_ACL_NO_RECORD] = "missing_completion_evidence: no record",
	[REP_ACL_NO_GRAPH] = "missing_body_capability: graph unknown",
	[REP_ACL_NO_NAMES] = "missing_body_capability: tasks without names",
	[REP_ACL_OVERLAP] = "ambiguous_launch_evidence: overlaps another "
	    "launch of its graph",
	[REP_ACL_SHARED] = "ambiguous_launch_evidence: tasks may be of "
	    "another graph",
	[REP_ACL_NO_BODY] = "missing_body_evidence",
};

size_t
rep_acl_codes(const struct rep_launch *l, const char *code[4])
{
	static const char *const by[] = {
		[REP_ACL_RECORD_MODEL] = "record_model_id",
		[REP_ACL_RECORD_STREAM] = "record_model_stream",
		[REP_ACL_EXECUTE_MODEL] = "execute_model_id",
	};
	const struct rep_acl_launch *a = l->acl;
	size_t n = 0;

	if (a->refusal != REP_ACL_WHOLE)
		code[n++] = refusals[a->refusal];
	if (a->match != REP_ACL_ALONE)
		code[n++] = a->match == REP_ACL_NEAR ?
		    "notify_completion_adjacent" : "notify_ordered_fallback";
	if (a->graph != REP_NONE)
		code[n++] = by[a->by];
	if (l->n > 0 && l->status == REP_VARIANT)
		code[n++] = "body_mismatch";
	return n;
}

/* Notes on launches whose members are not told, and on those whose record is
 * the one that was left. */
void
rep_acl_notes(const struct rep_capture *cap, struct tl_evout *out)
{
	static const struct {
		const char *code, *text;
	} kinds[REP_ACL_N_REFUSALS] = {
		[REP_ACL_NO_RECORD] = { "replay_no_completion", "launches of "
		    "ACL graphs of which no record tells the end: it is not "
		    "known what they ran" },
		[REP_ACL_NO_GRAPH] = { "replay_no_graph", "launches of ACL "
		    "graphs of which it is not known which graph they ran: "
		    "the map of capture streams is not there, or does not "
		    "tell" },
		[REP_ACL_NO_NAMES] = { "replay_no_names", "launches of ACL "
		    "graphs with tasks of which it is not known what they "
		    "are: a table of names is not there, or incomplete" },
		[REP_ACL_OVERLAP] = { "replay_ambiguous", "launches of ACL "
		    "graphs that overlap so that it is not known whose tasks "
		    "are whose" },
		[REP_ACL_NO_BODY] = { "replay_no_body", "launches of ACL "
		    "graphs without any named task of their graph" },
	};
	int64_t n[REP_ACL_N_REFUSALS] = { 0 }, ordered = 0;
	const struct rep_acl_launch *l;
	size_t n_launches = rep_acl_launches(cap, &l);

	for (size_t i = 0; i < n_launches; i++) {
		n[l[i].refusal]++;
		ordered += l[i].match == REP_ACL_ORDER;
	}
	n[REP_ACL_NO_RECORD] += n[REP_ACL_NO_WAIT];
	n[REP_ACL_OVERLAP] += n[REP_ACL_SHARED];
	for (int k = 0; k < REP_ACL_N_REFUSALS; k++)
		if (n[k] > 0 && kinds[k].code != NULL)
			tl_xevout_note(out, TL_WARN, kinds[k].code, n[k],
			    "%s", kinds[k].text);
	if (ordered > 0)
		tl_xevout_note(out, TL_INFO, "replay_ordered", ordered,
		    "launches of ACL graphs whose wait has no record within "
		    "10 us: as many launches as records were left, and the "
		    "first was taken for the first's");
}
