#!/usr/bin/env python3
"""usage: reference.py OURS.db THEIRS.db

Compares two analysis databases of one Nsight Systems export: ours, and that of
the program whose relations it offers. Rows of the export are known by table
and rowid in both. Prints counts, and what differs that should not; what may
differ, and why, is in tl-db(5).
"""
import collections
import sqlite3
import sys

wrong = 0


def load(path, sql):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    return [tuple(r) for r in db.execute(sql)]


def report(what, n, bad, examples):
    global wrong
    print(f"  {what}: {n} compared, {bad} differ"
          + (f", such as {examples[:2]}" if bad else ""))
    wrong += bad > 0


def compare(what, ours, theirs, both=False):
    """Values by key; keys that only one has count if both is set."""
    keys = set(ours) & set(theirs)
    bad = [(k, ours[k], theirs[k]) for k in sorted(keys)
           if ours[k] != theirs[k]]
    lost = [(k, "only one has it") for k in set(ours) ^ set(theirs)]
    if both:
        bad += lost
    report(what, len(keys), len(bad), bad)
    if lost and not both:
        print(f"    {len(set(ours) - set(theirs))} only ours, "
              f"{len(set(theirs) - set(ours))} only theirs")


def main():
    ours, theirs = sys.argv[1:3]
    events = ("select source_table, source_key, start_ns, end_ns, "
              "round(dur_us, 3) from traceloom_event "
              "where source_table like 'CUPTI%' and end_ns > start_ns + 1")
    of = lambda path, sql, n: {r[:n]: r[n:] for r in load(path, sql)}
    compare("events", of(ours, events, 2), of(theirs, events, 2))
    kernels = ("select source_key, device_id, stream_id from traceloom_event "
               "where source_table like '%KERNEL' and end_ns > start_ns")
    compare("kernels", of(ours, kernels, 1), of(theirs, kernels, 1), True)
    calls = ("select source_key, start_ns, end_ns, api_name, correlation_id "
             "from traceloom_runtime_call where end_ns > start_ns + 1 and "
             "source_table like '%RUNTIME'")
    compare("calls", of(ours, calls, 1), of(theirs, calls, 1))
    relation = ("select device_source_table, device_source_key, "
                "runtime_source_key from traceloom_v_runtime_device where "
                "support_state = 'supported_exact' and event_id is not null")
    compare("calls of device work", of(ours, relation, 2),
            of(theirs, relation, 2))
    sync = ("select device_source_key, runtime_source_key from "
            "traceloom_v_sync_runtime_call where support_state = "
            "'supported_exact'")
    compare("calls of synchronisations", of(ours, sync, 1),
            of(theirs, sync, 1))
    anchors = ("select e.source_key, a.dur_us from traceloom_anchor a join "
               "traceloom_event e on e.event_id = a.event_id "
               "where e.source_table like '%KERNEL'")
    mine, other = of(ours, anchors, 1), of(theirs, anchors, 1)
    compare("anchors that are kernels", mine, other)
    if not load(theirs, "select 1 from traceloom_graph_launch limit 1"):
        report("their anchors among ours", len(other),
               len(set(other) - set(mine)), sorted(set(other) - set(mine)))
    members = ("select launch_id, source_table, source_row_id from "
               "traceloom_graph_body_member")
    sets = []
    for path in (ours, theirs):
        by = collections.defaultdict(set)
        for launch, *rest in load(path, members):
            by[launch].add(tuple(rest))
        sets.append({frozenset(v) for v in by.values()})
    report("launches by their members", len(sets[1]),
           len(sets[1] - sets[0]), [sorted(x)[:2] for x in sets[1] - sets[0]])
    print(f"    {len(sets[0] - sets[1])} only ours")
    costs = ("select l.start_ns, l.end_ns, c.member_count, c.task_sum_ns, "
             "c.busy_union_ns, c.envelope_ns, c.compute_ns, "
             "c.communication_ns, c.data_move_ns from traceloom_graph_launch l "
             "join traceloom_replay_cost_launch c on "
             "c.launch_id = l.launch_id")
    compare("costs of launches", of(ours, costs, 2), of(theirs, costs, 2))
    sys.exit(wrong > 0)


main()
