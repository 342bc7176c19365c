#!/usr/bin/env python3
"""Checks the views of an analysis database, tl-db(5).

usage: views.py columns DB LIST     columns and declared types, LIST: tests/
                                    views.columns, or a page of contract (.md)
       views.py tree DB TREE.tsv    the numbers of tl-tree -F tsv
       views.py stream DB STREAM    what the views say, computed from the stream
       views.py queries DB [MODULE] every query of the catalogue, and with
                                    MODULE also by its AnalysisDatabase

Prints what differs; exit 1 if anything does.
"""
import bisect
import collections
import re
import sqlite3
import sys

DEVICE = ("kernel", "memcpy", "memset", "sync", "graph", "task")
wrong = []


def differ(text):
    wrong.append(text)
    if len(wrong) <= 20:
        print(text)


def same(what, got, want):
    if got == want:
        return
    if isinstance(got, (list, set)) and len(got) + len(want) > 6:
        a, b = collections.Counter(got), collections.Counter(want)
        got, want = list((a - b).items())[:2], list((b - a).items())[:2]
    differ(f"{what}: {got!r}, not {want!r}")


# Columns

def contract(path):
    """Rank A, from the page; what rank B shows of its columns as well."""
    types = {"i": "INTEGER", "r": "REAL", "-": ""}
    text = open(path, encoding="utf-8").read()

    def split(columns):
        out = []
        for c in columns.strip().split(", "):
            name, _, kind = c.partition(":")
            out.append((name, types.get(kind, "TEXT")))
        return out

    for name, columns in re.findall(
            r"\*\*`(traceloom_\w+)`\*\*[^\n]*\ncolumns: ([^\n]*)", text):
        yield name, split(columns), True
    for name, rank, columns in re.findall(
            r"^\| `(traceloom_\w+)` \| (A|B|\([TV]\)) \| ([^|]*) \|$", text,
            re.M):
        if "db_idx:1" not in columns:
            yield name, split(columns), rank == "A"
    for name, columns in re.findall(
            r"^\| `(traceloom_\w+)` \([TV]\) \| [^|]* \| ([^|]*) \|$", text,
            re.M):
        if "…" not in columns and "db_idx:1" not in columns:
            yield name, split(columns), False


def listed(path):
    for line in open(path, encoding="utf-8"):
        if line[0] != "#":
            name, columns = line.rstrip("\n").split("\t")
            yield name, [tuple(c.split("=")) for c in columns.split(" ")], True


def columns(db, path):
    n = 0
    for name, want, must in (contract if path.endswith(".md") else
                             listed)(path):
        got = [(r[1], r[2]) for r in db.execute(
            f"pragma table_info({name})")]
        if not got and not must:
            continue
        n += 1
        for a, b in zip(got, want):
            if a != b:
                differ(f"{name}: column {a}, not {b}")
        if len(got) != len(want):
            differ(f"{name}: {len(got)} columns, not {len(want)}")
    if n < 40:
        differ(f"{path}: only {n} relations in it")


# The tree

def tree(db, path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    head = ["scope"] + lines[0][1:]
    rows = db.execute("select * from positions").fetchall()
    names = [d[0] for d in db.execute("select * from positions").description]
    if len(rows) != len(lines) - 1 or not rows:
        differ(f"{len(rows)} positions, not {len(lines) - 1}")
    for row, line in zip(rows, lines[1:]):
        got = dict(zip(names, row))
        for key, want in zip(head, line):
            value = got[key]
            if key == "iterations" and value is not None:
                value = "%.2f" % value
            if key == "label":
                value = value.replace("\\", "\\\\").replace("\t", "\\t")
            if str("." if value is None else value) != want:
                differ(f"{line[0]} {line[1]} {key}: {value}, not {want}")
    loops = [r[:2] for r in db.execute("select scope, pos from loops")]
    same("loops", sorted(loops),
         sorted((x[0], x[1]) for x in lines[1:] if x[4] == "loop"))


# The stream

Event = collections.namedtuple("Event", "kind id start dur process device "
                               "context lane correlation cls name keys")


def number(text):
    return None if text == "." else int(text)


class Stream:
    def __init__(self, path):
        self.events, self.pos, self.occ, self.real = {}, {}, {}, []
        self.launch, self.member, self.line = {}, [], {}
        with open(path, encoding="utf-8") as f:
            body = [x.rstrip("\n").split("\t") for x in f if x[0] != "#"]
        for at, c in enumerate(body, 1):
            if c[0] == "pos":
                self.pos[c[1], c[2]] = c
            elif c[0] == "occ":
                self.occ[c[1], c[2] + "#" + c[3]] = c
            elif c[0] == "real":
                self.real.append(c)
            elif c[0] == "launch":
                self.launch[c[1]] = c
            elif c[0] == "member":
                self.member.append((at, c))
            elif len(c) > 11 and ":" in c[11]:
                e = Event(c[0], int(c[1]), int(c[2]), number(c[3]), *c[4:11],
                          c[12:])
                self.events[e.id] = e
        scopes = []
        for scope, _ in self.pos:
            if scope not in scopes:
                scopes.append(scope)
        self.scopes = scopes
        devices = [s.rpartition(":")[2] for s in scopes]
        order = []
        for c in body:
            if len(c) > 11 and ":" in c[11] and c[4] not in order:
                order.append(c[4])
        head = [x.split("\t")[1] for x in open(path, encoding="utf-8")
                if x.startswith("#process\t")]
        order = head + [p for p in order if p not in head and p != "."]
        self.mark = {}
        for s in scopes:
            process, _, device = s.rpartition(":")
            self.mark[s] = "" if len(scopes) == 1 else f"d{device}-" \
                if devices.count(device) == 1 else \
                f"p{order.index(process) + 1}-d{device}-"

    def node(self, scope, pos):
        return "node-" + self.mark[scope] + pos

    def is_turn(self, scope, name):
        """An iteration, and no occurrence of its own."""
        c = self.occ[scope, name]
        return c[4].partition("#")[0] == c[2]

    def up(self, scope, name):
        """The occurrences above, without iterations: (name, iteration)."""
        out = []
        while name != ".":
            c = self.occ[scope, name]
            if self.is_turn(scope, name):
                out.append((c[4], int(c[5])))
                name = self.occ[scope, c[4]][4]
            else:
                out.append((name, None))
                name = c[4]
        return out


def spans(s):
    """Every realisation of a position, and the anchors."""
    count, whole, first = collections.Counter(), {}, []
    for (scope, name), c in s.occ.items():
        if not s.is_turn(scope, name):
            count[scope, c[2]] += 1
            whole[scope, name] = count[scope, c[2]]
    below = collections.defaultdict(list)
    for at, c in enumerate(s.real):
        scope = c[2]
        count[scope, c[3]] += 1
        chain = s.up(scope, c[4])
        first.append((c, count[scope, c[3]], chain))
        for name, _ in chain:
            below[scope, name].append(at)
    return whole, first, below


def context(chain):
    return "/".join(f"{n.partition('#')[0]}#{i}" for n, i in reversed(chain)
                    if i is not None)


def stream(db, path):
    s = Stream(path)
    whole, first, below = spans(s)
    rows = lambda sql: [tuple(r) for r in db.execute(sql)]

    want = []
    for (scope, name), c in s.occ.items():
        if (scope, name) in whole:
            at = below.get((scope, name))
            us = lambda v: None if v == "." else int(v) / 1000
            want.append((s.node(scope, c[2]), whole[scope, name],
                         context(s.up(scope, c[4])),
                         at and at[0] + 1, at and at[-1] + 1,
                         at and len(at), int(c[8]), int(c[8]) + int(c[9]),
                         us(c[9]), us(c[12]), us(c[17])))
    for at, (c, n, chain) in enumerate(first, 1):
        e = s.events[int(c[1])]
        want.append((s.node(c[2], c[3]), n, context(chain), at, at, 1, e.start,
                     e.start + e.dur, e.dur / 1000,
                     e.dur / 1000 if e.cls == "compute" else 0.0, 0.0))
    same("tree_node_occurrence", sorted(rows(
        "select node_id, occurrence_idx, repeat_context, anchor_start_idx, "
        "anchor_end_idx, anchor_count, start_ns, end_ns, total_us, compute_us, "
        "idle_us from traceloom_tree_node_occurrence"), key=repr),
        sorted(want, key=repr))

    anchors, cover, paths, members = [], [], [], []
    for at, (c, n, chain) in enumerate(first):
        e, scope = s.events[int(c[1])], c[2]
        anchors.append((f"anchor-{at}", at + 1, f"event-{e.id}", e.start,
                        e.start + e.dur, e.dur / 1000))
        me = s.node(scope, c[3])
        cover.append((me, n, f"anchor-{at}", 1, "self", e.dur / 1000))
        for name, _ in chain:
            cover.append((s.node(scope, name.partition("#")[0]),
                          whole[scope, name], f"anchor-{at}",
                          at - below[scope, name][0] + 1, "body",
                          e.dur / 1000))
        path = ""
        for (name, turn), lower in zip(
                reversed(chain), [x for x, _ in reversed(chain)][1:] + [None]):
            pos = name.partition("#")[0]
            child = c[3] if lower is None else lower.partition("#")[0]
            path += (f"{s.node(scope, pos)}-occurrence-{whole[scope, name]}"
                     f"/s{s.pos[scope, child][4]}/r{turn or 1}/")
        paths.append((f"{me}-occurrence-{n}", path + f"{me}-occurrence-{n}"))
        members.append((f"{me}-occurrence-{n}", "terminal_token", None,
                        f"anchor-{at}"))
        members.append((s.node(scope, chain[0][0].partition("#")[0]) +
                        f"-occurrence-{whole[scope, chain[0][0]]}",
                        "child_occurrence", f"{me}-occurrence-{n}", None))
    for (scope, name), n in whole.items():
        chain = s.up(scope, s.occ[scope, name][4])
        if chain:
            members.append(
                (s.node(scope, chain[0][0].partition("#")[0]) +
                 f"-occurrence-{whole[scope, chain[0][0]]}",
                 "child_occurrence", s.node(scope, name.partition("#")[0]) +
                 f"-occurrence-{n}", None))
    same("anchor", rows("select anchor_id, anchor_idx, event_id, start_ns, "
                        "end_ns, dur_us from traceloom_anchor order by anchor_idx"),
         anchors)
    same("viz_node_anchor", sorted(rows(
        "select node_id, occurrence_idx, anchor_id, anchor_order, "
        "coverage_kind, total_us from traceloom_viz_node_anchor")),
        sorted(cover))
    same("occurrence_path", sorted(rows(
        "select occurrence_id, occurrence_path from "
        "traceloom_v_position_occurrence where node_type = 'Atom'")),
        sorted(paths))
    same("v_position_member", sorted(rows(
        "select parent_occurrence_id, member_kind, child_occurrence_id, "
        "terminal_anchor_id from traceloom_v_position_member"), key=repr),
        sorted(members, key=repr))
    same("occurrence counts", sorted(rows(
        "select node_id, occurrence_count from traceloom_v_tree_node")),
        sorted((s.node(*k), int(c[9])) for k, c in s.pos.items()))
    same("event", [r[0] for r in rows("select event_id from traceloom_event")],
         [f"event-{e.id}" for e in s.events.values()
          if e.kind in DEVICE + ("api",)])
    host(s, rows, first)
    bubbles(s, rows, first)
    graphs(s, rows)
    people(s, rows, first)


def call_of(s):
    calls = collections.defaultdict(list)
    for e in s.events.values():
        if e.kind == "api" and e.correlation != ".":
            calls[e.process, e.correlation].append(e.id)
    return lambda e: min(calls.get((e.process, e.correlation), [0])) or None


def host(s, rows, first):
    call = call_of(s)
    same("v_anchor_runtime_call", rows(
        "select anchor_id, event_id, runtime_call_id from "
        "traceloom_v_anchor_runtime_call order by anchor_idx"),
        [(f"anchor-{at}", f"event-{c[1]}",
          f"runtime-call-{call(s.events[int(c[1])])}")
         for at, (c, _, _) in enumerate(first)
         if call(s.events[int(c[1])])])
    apis = sorted((e.start, e.id) for e in s.events.values()
                  if e.kind == "api")
    want, seen = [], []
    for at in range(len(first) - 1):
        a, b = first[at][0], first[at + 1][0]
        if a[2] != b[2]:
            continue
        left = s.events.get(call(s.events[int(a[1])]))
        right = s.events.get(call(s.events[int(b[1])]))
        name = f"anchor-host-interval-anchor-{at}-anchor-{at + 1}"
        if not left or not right:
            want.append((name, "missing_endpoint"))
            continue
        begin = left.start + (left.dur or 0)
        if left.dur is None:
            continue
        want.append((name, "nonmonotonic_host_order" if begin > right.start
                     else "supported_ordered"))
        for t, i in apis[bisect.bisect_left(apis, (begin, 0)):
                         bisect.bisect_left(apis, (right.start, right.id))]:
            e = s.events[i]
            thread = lambda x: (x.process, x.device, x.context, x.lane)
            if thread(left) != thread(right) or thread(e) == thread(left):
                if i != left.id:
                    seen.append((name, f"runtime-call-{i}"))
    same("anchor_host_interval", rows(
        "select interval_id, support_state from "
        "traceloom_anchor_host_interval order by cast(substr(left_anchor_id, "
        "8) as integer)"), want)
    same("node_host_activity", sorted(rows(
        "select interval_id, observed_runtime_call_id from "
        "traceloom_v_node_host_activity where coverage_kind = 'self'")),
        sorted(seen))


def busy_events(s):
    for e in s.events.values():
        if e.kind in DEVICE and e.kind != "sync" and "detail=1" not in e.keys:
            yield e


def bubbles(s, rows, first):
    anchor = {int(c[1]): at for at, (c, _, _) in enumerate(first)}
    want, end, gap = {}, {}, collections.Counter()
    for e in busy_events(s):
        scope = (e.process, e.device)
        if scope in end:
            gap[scope] += max(0, e.start - end[scope])
        end[scope] = max(end.get(scope, e.start), e.start + e.dur)
        if e.id in anchor:
            if gap[scope]:
                want[anchor[e.id]] = gap[scope]
            gap[scope] = 0
    same("structure_bubble_occurrence", sorted(rows(
        "select bubble_id, bubble_us from "
        "traceloom_v_structure_bubble_occurrence")),
        sorted((f"bubble-anchor-{k}", v / 1000) for k, v in want.items()))
    same("structure_bubble_position", rows(
        "select sum(bubble_occurrence_count), round(sum(total_bubble_us), 3) "
        "from traceloom_v_structure_bubble_position"),
        [(len(want) or None, round(sum(want.values()) / 1000, 3)
          if want else None)])


def union(intervals):
    total, end = 0, None
    for a, b in sorted(intervals):
        if end is None or b > end:
            total += b - (a if end is None else max(a, end))
            end = b
    return total


def graphs(s, rows):
    by, where = collections.defaultdict(list), collections.defaultdict(list)
    exact = {k for k, c in s.launch.items() if c[10 - 1] == "exact"}
    for at, c in s.member:
        if c[1] in exact:
            e = s.events[int(c[5])]
            by[c[1]].append((e.start, e.start + e.dur))
            sym = [k[4:] for k in e.keys if k.startswith("sym=")]
            where[c[2], e.device, c[3], c[4], (sym or [e.name])[0]].append(
                (e.dur, at))
    same("replay_cost_launch", sorted(rows(
        "select launch_id, member_count, task_sum_ns, busy_union_ns from "
        "traceloom_replay_cost_launch")), sorted(
        (f"graph-launch-{k}", len(v), sum(b - a for a, b in v), union(v))
        for k, v in by.items()))
    want = []
    for v in where.values():
        at, v = min(x for _, x in v), sorted(d for d, _ in v)
        n = len(v)
        quart = lambda q: v[((n - 1) * q + 2) // 4]
        want.append((f"replay-cost-aggregate-{at}", n, quart(1),
                     (v[(n - 1) // 2] + v[n // 2]) // 2, quart(3)))
    same("replay_cost_aggregate", sorted(rows(
        "select aggregate_id, member_occurrence_count, duration_p25_ns, "
        "duration_median_ns, duration_p75_ns from "
        "traceloom_replay_cost_aggregate")), sorted(want))
    same("graph_launch", rows("select launch_id from traceloom_graph_launch"),
         [(f"graph-launch-{k}",) for k in s.launch if k in exact])
    same("regions", rows("select count(*), sum(status = "
                         "'recognized_complete_pattern') from "
                         "traceloom_aclgraph_reconstruction_region"),
         [(len(s.launch), len(exact) if s.launch else None)])
    same("realization members", sorted(rows(
        "select launch_id, observed_order, event_id from "
        "traceloom_v_replay_position_realization_member")), sorted(
        (f"graph-launch-{k}", i, f"event-{e}") for k in exact
        for i, (_, _, e) in enumerate(sorted(
            (s.events[int(c[5])].start, at, int(c[5]))
            for at, c in s.member if c[1] == k))))


def people(s, rows, first):
    call, delays = call_of(s), collections.defaultdict(list)
    for c, _, _ in first:
        e = s.events[int(c[1])]
        if call(e):
            delays[c[2], c[3]].append(e.start - s.events[call(e)].start)
    same("launch_delay_by_position", sorted(rows(
        "select scope, pos, known, least_ns, median_ns, greatest_ns from "
        "launch_delay_by_position where known > 0")), sorted(
        k + (len(v), min(v), sorted(v)[(len(v) - 1) // 2], max(v))
        for k, v in delays.items()))
    lanes = collections.defaultdict(list)
    for e in busy_events(s):
        lanes[f"{e.process}:{e.device}", e.context, e.lane].append(
            (e.start, e.start + e.dur))
    text = lambda v: "." if v is None else str(v)
    same("streams", sorted(
        (r[0], text(r[1]), text(r[2])) + r[3:] for r in rows(
            "select scope, context, stream, events, busy_ns, span_ns "
            "from streams")), sorted(
        k + (len(v), union(v), max(b for _, b in v) - min(v)[0])
        for k, v in lanes.items()))
    turns = sorted((c[1], f"{c[2]}#{c[3]}", number(c[10]),
                    None if c[10] == "." else int(c[10]) - int(c[9]))
                   for (scope, name), c in s.occ.items()
                   if s.is_turn(scope, name))
    same("iterations", sorted(rows("select scope, name, period_ns, gap_ns "
                                   "from iterations"), key=repr),
         sorted(turns, key=repr))
    slow = collections.defaultdict(int)
    for c, _, _ in first:
        slow[c[2], c[3]] = max(slow[c[2], c[3]], s.events[int(c[1])].dur)
    same("slowest_events", sorted(rows(
        "select scope, pos, dur_ns from slowest_events where place = 1")),
        sorted(k + (v,) for k, v in slow.items()))


# The queries of the catalogue

README = (
    ("SELECT * FROM traceloom_v_position_occurrence WHERE position_id = ?",
     ("node-N003",)),
    ("SELECT * FROM traceloom_v_context_replay_launch", ()),
    ("SELECT * FROM traceloom_v_context_replay_member WHERE launch_id=?",
     ("graph-launch-1",)),
    ("SELECT * FROM traceloom_projection_recipe ORDER BY display_order;", ()),
    ("SELECT * FROM traceloom_analysis_surface;", ()))


def bindings(db, name):
    """The parameters of a query: one set of values with those that may be NULL
    set, one with NULL."""
    full = {}
    for parameter, relation, column, nullable in db.execute(
            "select parameter_name, selection_relation, selection_column, "
            "is_nullable from traceloom_projection_parameter where "
            "projection_name = ? order by parameter_order", (name,)):
        row = db.execute(f"select {column} from {relation} where {column} is "
                         "not null limit 1").fetchone()
        full[parameter] = row[0] if row else None, nullable
    yield {k: v for k, (v, _) in full.items()}
    yield {k: None if nullable else v for k, (v, nullable) in full.items()}


def queries(db, module=None):
    run = lambda sql, values=(): db.execute(sql, values)
    names = lambda cursor: [d[0] for d in cursor.description]
    n = rows = 0
    for name, sql in db.execute("select projection_name, example_sql from "
                                "traceloom_projection_recipe").fetchall():
        for values in bindings(db, name):
            cursor = run(sql, values)
            rows += len(cursor.fetchmany(1000))
            n += 1
        lost = {r[0] for r in db.execute(
            "select result_column from traceloom_projection_coordinate "
            "where projection_name = ?", (name,))} - set(names(cursor))
        if lost:
            differ(f"{name}: no column {sorted(lost)}")
    for name, relation, sql in db.execute(
            "select surface_name, relation_name, example_sql "
            "from traceloom_analysis_surface").fetchall():
        if run("select count(*) from pragma_table_info(?)",
               (relation,)).fetchone()[0] == 0:
            differ(f"{name}: no relation {relation}")
        run(sql).fetchmany(1000)
        n += 1
    if n < 100 or rows < 100:
        differ(f"only {n} queries with {rows} rows")
    empty = run("select value from traceloom_metadata where key = "
                "'relations_empty_by_design'").fetchone()[0].split(",")
    for name in empty:
        if run(f"select count(*) from {name}").fetchone()[0] != 0:
            differ(f"{name}: not empty")
    for (name,) in db.execute("select name from sqlite_master where type = "
                              "'view'").fetchall():
        run(f"select * from {name} limit 3").fetchall()
    if module:
        by_module(db, module)


def by_module(db, module):
    path = db.execute("pragma database_list").fetchone()[2]
    existing = __import__(module).AnalysisDatabase(path)
    for sql, values in README:
        existing.query(sql, values)
    try:
        existing.query("SELECT * FROM traceloom_event", limit=1)
        differ("more rows than the limit, and no error")
    except ValueError:
        pass
    for row in existing.query("SELECT * FROM traceloom_projection_recipe"):
        for values in bindings(db, row["projection_name"]):
            existing.query(row["example_sql"], values, limit=10 ** 6)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    db = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
    for pragma in ("integrity_check", "foreign_key_check"):
        got = [r[0] for r in db.execute(f"pragma {pragma}")]
        if got not in ([], ["ok"]):
            differ(f"{pragma}: {got[:3]}")
    {"columns": columns, "tree": tree, "stream": stream,
     "queries": queries}[sys.argv[1]](db, *sys.argv[3:])
    sys.exit(bool(wrong))


main()
