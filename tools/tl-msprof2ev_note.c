#include "tl-msprof2ev.h"

#include <stdlib.h>

void
xnote_early(struct msprof *m, const char *code, const char *text)
{
	m->early = tl_xgrow(m->early, m->n_early, &m->early_cap,
	    sizeof *m->early);
	m->early[m->n_early++] = (struct early){ code, tl_xstrdup(text) };
}

static void
counted(struct msprof *m, enum tl_severity severity, const char *code,
    uint64_t n, const char *text)
{
	if (n > 0)
		tl_xevout_note(&m->conv.out, severity, code, (int64_t)n, "%s",
		    text);
}

static void
layout_notes(struct msprof *m)
{
	struct tl_evout *o = &m->conv.out;

	if (m->split)
		tl_xevout_note(o, TL_WARN, "split_layout", TL_NONE,
		    "no usable database of one file (%s): the databases in "
		    "host/sqlite and device_*/sqlite were read", m->cap->why);
	for (size_t i = 0; i < m->n_early; i++)
		tl_xevout_note(o, TL_WARN, m->early[i].code, TL_NONE,
		    "not read: %s", m->early[i].text);
	if (m->cap->others > 0)
		tl_xevout_note(o, TL_WARN, "several_databases",
		    m->cap->others, "databases beside %s, which was taken, "
		    "were not read", m->cap->one);
	if (m->split && m->table_there[T_API] && m->info.khz <= 0)
		tl_xevout_note(o, TL_WARN, "call_ticks", TL_NONE,
		    "host/info.json and host_start.log do not tell the clock "
		    "of calls: a tick was taken for %lld ns%s",
		    (long long)m->info.ticks, m->info.ticks_told ?
		    ", which brings calls nearest to the tasks they launched" :
		    "; there is no call with a task to compare");
}

/* Only where there is something that it would tell. */
static void
map_notes(struct msprof *m)
{
	static const char how[] = "parse the capture offline, by 'msprof "
	    "--export=on --output=PROF_...', or with torch_npu by "
	    "torch_npu.profiler.profiler.analyse()";
	int64_t n = (int64_t)m->count.executes;

	if (m->map_state == MAP_AMBIGUOUS)
		tl_xevout_note(&m->conv.out, TL_ERROR,
		    "capture_map_ambiguous", n, "launches of graphs: which "
		    "streams are theirs is not known: %s", m->map_why);
	else if (m->map_state == MAP_NO && n > 0)
		tl_xevout_note(&m->conv.out, TL_WARN, "capture_map_missing", n,
		    "launches of graphs: which streams are theirs is not "
		    "known: %s; %s", *m->map_why != '\0' ? m->map_why :
		    "host/sqlite/stream_info.db is not there", how);
}

static void
task_notes(struct msprof *m)
{
	const struct counts *c = &m->count;

	if (c->tasks == 0)
		tl_xevout_note(&m->conv.out, TL_WARN, "no_device_events",
		    TL_NONE, "there are no tasks");
	else if (m->ops.n == 0)
		tl_xevout_note(&m->conv.out, TL_WARN, "no_op_names",
		    (int64_t)c->unnamed, "tasks are called by their types: "
		    "there are no names of operators, which the profiler "
		    "records from level 1 on");
	counted(m, TL_INFO, "profiler_tasks", c->profiler, "tasks are the "
	    "profiler's own (PROFILING_ENABLE and the like), and no events");
	counted(m, TL_INFO, "comm_parts", c->parts, "tasks are parts of "
	    "collectives, and details of these");
	counted(m, TL_WARN, "comm_no_device", c->no_device, "collectives do "
	    "not tell their device, nor do their tasks; left out");
	counted(m, TL_WARN, "comm_no_time", c->split_twice, "collectives "
	    "cannot be told from each other, or have no tasks; their tasks "
	    "stand for them");
}

static void
value_notes(struct msprof *m)
{
	const struct counts *c = &m->count;

	counted(m, TL_WARN, "dropped_no_time", c->no_time,
	    "rows have no time, and were dropped");
	counted(m, TL_WARN, "dropped_negative_dur", c->end_first,
	    "rows end before they start, and were dropped");
	counted(m, TL_WARN, "rounded_times", c->rounded, "times were rounded "
	    "by the program that wrote them: they have an exponent, or are "
	    "real numbers past 2^53");
	counted(m, TL_WARN, "odd_values", c->odd, "values should be numbers "
	    "and are not");
	counted(m, TL_WARN, "unknown_name", c->unknown_name, "names have a "
	    "number that STRING_IDS does not have");
	counted(m, TL_INFO, "process_inferred", c->inferred, "events do not "
	    "tell their process; they got the only one that is told");
	counted(m, TL_WARN, "text_cut", c->long_text, "texts are longer than "
	    "48 KiB; the rest was cut off");
}

void
xnotes(struct msprof *m)
{
	if (m->damaged)
		tl_xevout_note(&m->conv.out, TL_ERROR, "truncated", TL_NONE,
		    "parts of a database could not be read, and are missing");
	layout_notes(m);
	map_notes(m);
	task_notes(m);
	value_notes(m);
}
