#include "tl-kineto2ev.h"

#include <stdio.h>

static const struct {
	const char *code;
	enum tl_severity severity;
	const char *text; /* the first places are put behind it */
} notes[K_N_NOTES] = {
	[K_TRUNCATED] = { "truncated", TL_ERROR, "" },
	[K_BAD_JSON] = { "dropped_bad_json", TL_WARN,
	    "elements that are no JSON were dropped" },
	[K_TOO_LONG] = { "dropped_too_long", TL_WARN,
	    "elements longer than 16 MiB were dropped" },
	[K_NOT_OBJECT] = { "dropped_no_object", TL_WARN,
	    "elements that are no objects were dropped" },
	[K_NO_PHASE] = { "dropped_no_phase", TL_WARN,
	    "events without a phase (ph) were dropped" },
	[K_OTHER_PHASE] = { "skipped_phase", TL_INFO,
	    "events of phases that are no slices, instants or counters were "
	    "skipped" },
	[K_NO_TIME] = { "dropped_no_time", TL_WARN,
	    "events without a time (ts) were dropped" },
	[K_TEXT_TIME] = { "dropped_text_time", TL_WARN,
	    "events whose time is a text and no number were dropped" },
	[K_TIME_RANGE] = { "dropped_time_range", TL_WARN,
	    "events whose time does not fit into 64 bits of nanoseconds were "
	    "dropped" },
	[K_NO_DUR] = { "dropped_no_duration", TL_WARN,
	    "events on a device without a duration were dropped" },
	[K_BAD_TOKEN] = { "dropped_long_id", TL_WARN,
	    "events with a process, thread or id longer than 160 bytes were "
	    "dropped" },
	[K_BAD_COUNTER] = { "dropped_no_value", TL_WARN,
	    "counters without a number were dropped" },
	[K_ZERO_TIME] = { "dropped_zero_time", TL_WARN,
	    "events at time 0, where all others have a stamp, were dropped" },
	[K_FAR_TIME] = { "dropped_far_time", TL_WARN,
	    "device events more than an hour from their call, or from the "
	    "median where they have none, were dropped" },
	[K_FIXED] = { "repaired_json", TL_WARN,
	    "events or other values that are no JSON were repaired" },
	[K_SEPARATOR] = { "bad_separator", TL_WARN,
	    "commas are missing or too many between events, or arrays of "
	    "events follow each other" },
	[K_BAD_BYTES] = { "bad_utf8", TL_WARN,
	    "events have names that are not UTF-8; the bytes are kept as "
	    "\\xHH" },
	[K_TEXT_CUT] = { "text_cut", TL_WARN,
	    "events have texts that were cut: names at 65536 bytes, other "
	    "texts at 4096" },
	[K_NEGATIVE_DUR] = { "negative_duration", TL_WARN,
	    "events have a negative duration; on a device it was set to 0, "
	    "elsewhere it is unknown" },
	[K_SHORT_FRACTION] = { "short_fraction", TL_WARN,
	    "times end in a fraction such as .70 where others have three "
	    "digits: a writer that does not pad it; -z reads it as a count "
	    "of nanoseconds" },
	[K_TIME_CUT] = { "time_cut", TL_WARN,
	    "times have digits below a nanosecond, which were cut off" },
	[K_BEGIN_OPEN] = { "open_begin", TL_WARN,
	    "begins have no end; the duration is unknown" },
	[K_END_ALONE] = { "dropped_end", TL_WARN,
	    "ends without a begin were dropped" },
	[K_BAD_METADATA] = { "dropped_bad_metadata", TL_WARN,
	    "values outside of the event array are no JSON or longer than "
	    "16 MiB, and were left out from the defect on" },
	[K_TAIL] = { "bad_tail", TL_WARN, "" },
	[K_NO_CORRELATION] = { "no_correlation", TL_INFO,
	    "kernels, copies and fills have no correlation id: their calls "
	    "are unknown" },
	[K_NO_PROCESS] = { "no_process", TL_INFO,
	    "device events have no process that is known" },
	[K_CALLS_FULL] = { "calls_full", TL_WARN,
	    "not all correlation ids of calls fit into the memory budget: "
	    "processes of device events may be unknown" },
	[K_CAPTURE_PHASE] = { "capture_phase", TL_WARN,
	    "graphs were captured but none was launched: this is a trace of "
	    "the capture, not of replays" },
	[K_PROFILER_TASK] = { "profiler_tasks", TL_INFO,
	    "tasks are the profiler's own (PROFILING_ENABLE and the like), "
	    "and no events" },
	[K_NO_DEVICE] = { "no_device_events", TL_WARN,
	    "no kernels, copies or fills were recorded" },
};

void
k_note(struct k_notes *n, enum k_note what, uint64_t off)
{
	if (off != K_NOWHERE && n->n_at[what] < K_NOTE_PLACES)
		n->at[what][n->n_at[what]++] = off;
	n->n[what]++;
}

void
k_note_fixed(struct k_notes *n, unsigned done, uint64_t off)
{
	n->fixes |= done;
	k_note(n, K_FIXED, off);
}

/* ", at byte 12, 345 and more", or nothing where places mean nothing. */
static void
places(const struct k_notes *n, enum k_note what, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < n->n_at[what]; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%llu",
		    i == 0 ? ", at byte " : ", ",
		    (unsigned long long)n->at[what][i]);
	if (len > 0 && n->n[what] > n->n_at[what])
		snprintf(buf + len, size - len, " and more");
}

static void
write_fixed(const struct k_notes *n, struct tl_evout *out, const char *at)
{
	static const char *const kinds[] = { "bad escapes", "control bytes",
		"numbers such as inf", "commas" };
	char text[128];
	size_t len = 0;

	for (unsigned i = 0; i < 4; i++)
		if (n->fixes >> i & 1)
			len += (size_t)snprintf(text + len, sizeof text - len,
			    "%s%s", len == 0 ? "" : ", ", kinds[i]);
	tl_xevout_note(out, TL_WARN, notes[K_FIXED].code,
	    (int64_t)n->n[K_FIXED], "%s (%s)%s", notes[K_FIXED].text, text,
	    at);
}

void
k_notes_write(const struct k_notes *n, struct tl_evout *out)
{
	for (unsigned i = 0; i < K_N_NOTES; i++) {
		char at[128];

		if (n->n[i] == 0)
			continue;
		places(n, (enum k_note)i, at, sizeof at);
		if (i == K_FIXED)
			write_fixed(n, out, at);
		else if (i == K_TRUNCATED || i == K_TAIL)
			tl_xevout_note(out, notes[i].severity, notes[i].code,
			    TL_NONE, "%s", i == K_TAIL ? n->tail.msg :
			    n->truncated.msg);
		else
			tl_xevout_note(out, notes[i].severity, notes[i].code,
			    i == K_NO_DEVICE ? TL_NONE : (int64_t)n->n[i],
			    "%s%s", notes[i].text, at);
	}
}
