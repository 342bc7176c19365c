#!/usr/bin/env python3
"""Answers of tl-replay by other ways; prints each contradiction, status 1 if
there is one.

    replay.py capture FILE STREAM
        FILE is the capture (Chrome JSON, or SQLite of Nsight Systems) that
        STREAM was made of. Launch calls and what they launched are counted in
        the capture itself, without a look at the stream, and compared by the
        places of events. Prints what was counted.
    replay.py answer ANSWER STREAM
        ANSWER is what tests/gen says of the capture it made: whole and partial
        launches of each body on each device.
    replay.py stream STREAM...
        The rules of tl-replay(1) restated over the events of the stream, all
        pairs of launches compared, against its unit, launch and member
        records.
"""
import gc
import gzip
import itertools
import json
import sqlite3
import sys
from collections import Counter, defaultdict

DEVICE = ("kernel", "memcpy", "memset", "task")
bad = []
seen = Counter()  # launches by status


def wrong(*what):
    bad.append(" ".join(str(w) for w in what))


def read(path):
    opener = gzip.open if open(path, "rb").read(2) == b"\x1f\x8b" else open
    with opener(path, "rt", errors="surrogateescape", newline="\n") as f:
        return [line.rstrip("\n").split("\t") for line in f]


# ---- from the capture ----

def load_json(path):
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    text = raw.decode("utf-8", "replace")
    try:
        doc = json.loads(text)
    except ValueError:
        return None
    return doc["traceEvents"] if isinstance(doc, dict) else doc


def from_json(path):
    """Calls and device events: (process or None, correlation, place, name or
    kind, start, device, stream, has a graph id)."""
    calls, work = [], []
    events = load_json(path)
    if events is None:
        return None
    for i, e in enumerate(events):
        if e.get("ph") != "X" or not isinstance(e.get("args"), dict):
            continue
        cat, args = str(e.get("cat", "")).lower(), e["args"]
        corr = args.get("correlation")
        if corr in (None, 0, -1):
            continue
        if cat in ("cuda_runtime", "cuda_driver", "runtime", "driver"):
            calls.append((e["pid"], corr, "E:%d" % i, e["name"],
                          float(e["ts"])))
        elif cat in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy",
                     "memset"):
            node = args.get("graph id", 0) or args.get("graph node id", 0)
            work.append((None, corr, "E:%d" % i, cat, float(e["ts"]),
                         args.get("device"), args.get("stream"), node))
    return calls, work, set()


def from_sqlite(path):
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    have = {r[0]: [c[1] for c in db.execute("pragma table_info(%s)" % r[0])]
            for r in db.execute("select name from sqlite_master "
                                "where type = 'table'")}

    def rows(table, wanted):
        cols = [c if c in have[table] else "NULL" for c in wanted]
        return db.execute("select rowid, %s from %s" % (
            ", ".join('"%s"' % c if c != "NULL" else c for c in cols), table))

    calls, work, whole = [], [], set()
    prefix = "CUPTI_ACTIVITY_KIND_"
    for tag, name in (("R", "RUNTIME"), ("D", "DRIVER")):
        if prefix + name not in have:
            continue
        names = dict(db.execute("select id, value from StringIds"))
        for r in rows(prefix + name, ("start", "correlationId", "nameId",
                                      "globalTid", "eventClass")):
            if r[2] and r[5] != 67:
                calls.append(((r[4] or 0) >> 24 & 0xffffff, r[2],
                              "%s:%d" % (tag, r[0]),
                              names.get(r[3], ""), r[1]))
    for tag, name in (("K", "KERNEL"), ("M", "MEMCPY"), ("F", "MEMSET")):
        if prefix + name not in have:
            continue
        for r in rows(prefix + name, ("start", "correlationId", "globalPid",
                                      "deviceId", "streamId", "graphNodeId",
                                      "graphId")):
            if r[2]:
                work.append(((r[3] or 0) >> 24 & 0xffffff, r[2],
                             "%s:%d" % (tag, r[0]), name.lower(), r[1], r[4],
                             r[5], r[6] or r[7] or 0))
    if prefix + "GRAPH_TRACE" in have:
        for r in rows(prefix + "GRAPH_TRACE", ("correlationId", "globalPid")):
            whole.add(((r[2] or 0) >> 24 & 0xffffff, r[1]))
    return calls, work, whole


def in_order(call, work):
    """No other event of its streams lies between these."""
    for lane in {w[5:7] for w in call}:
        mine = [w[4] for w in call if w[5:7] == lane]
        n = sum(1 for w in work if w[5:7] == lane and
                min(mine) < w[4] < max(mine))
        if n > max(0, len(mine) - 2):
            return False
    return True


def count_capture(path):
    """{place of the call or None, ...: places of members}"""
    sqlite = open(path, "rb").read(15) == b"SQLite format 3"
    both = from_sqlite(path) if sqlite else from_json(path)
    if both is None:
        return None
    calls, work, whole = both
    pids = {c[0] for c in calls}
    by_call = defaultdict(list)
    for c in calls:
        by_call[c[0], c[1]].append(c)
    groups = defaultdict(list)
    for w in work:
        owners = [p for p in pids if (p, w[1]) in by_call]
        pid = w[0] if sqlite else owners[0] if len(owners) == 1 else \
            next(iter(pids)) if len(pids) == 1 else None
        groups[pid, w[1]].append(w)
    launches, shared = {}, []
    for key, members in groups.items():
        named = [c for c in by_call.get(key, ()) if "graphlaunch" in
                 c[3].lower()]
        places = frozenset(m[2] for m in members)
        if named:
            launches[places] = min(named, key=lambda c: c[4])[2]
        elif any(m[7] for m in members):
            launches[places] = None
        elif key not in by_call and sum(
                m[3] == "kernel" for m in members) > 1:
            shared.append(members)
    if launches:
        for members in shared:
            if in_order(members, work):
                launches[frozenset(m[2] for m in members)] = None
    empty = sum(1 for key, cs in by_call.items() if key not in groups and
                key not in whole and
                any("graphlaunch" in c[3].lower() for c in cs))
    return launches, empty


def check_capture(capture, stream):
    counted = count_capture(capture)
    if counted is None:
        print("%s: no JSON for this reader" % capture)
        return
    want, empty = counted
    place, members, call, status = {}, defaultdict(set), {}, {}
    for f in read(stream):
        if f[0] in DEVICE or f[0] == "api":
            place[f[1]] = f[11]
        elif f[0] == "member":
            members[f[1]].add(place[f[5]])
        elif f[0] == "launch":
            call[f[1]], status[f[1]] = f[2], f[9]
    got = {frozenset(m): place.get(call[k]) for k, m in members.items()}
    for m in want:
        if m not in got:
            wrong("launch of", len(m), "events not found:", sorted(m)[:3])
        elif got[m] != want[m]:
            wrong("call of", sorted(m)[:3], "is", want[m], "not", got[m])
    for m in got:
        if m not in want:
            wrong("no launch in the capture:", sorted(m)[:3])
    if empty != sum(s == "empty" for s in status.values()):
        wrong(empty, "launches without events in the capture")
    called = {m: c for m, c in want.items() if c is not None}
    print("%d launches, %d members; %d without a call, %d members; %d empty" %
          (len(called), sum(map(len, called)), len(want) - len(called),
           sum(len(m) for m in want if m not in called), empty))


# ---- from the generator ----

def check_answer(answer, stream):
    units, got = {}, defaultdict(Counter)
    for f in read(stream):
        if f[0] == "unit":
            units[f[1]] = f
        elif f[0] == "launch":
            u = units.get(f[8])
            body = (u[4], u[3]) if u else None
            what = "whole" if f[11] == "0" else "partial"
            if u is None:
                what = f[9]
            elif f[2] == "." and f[9] != "orphan" or \
                    f[2] != "." and f[9] == "orphan":
                wrong("launch", f[1], "is", f[9], "with call", f[2])
            elif what == "partial" and f[9] not in ("partial", "orphan") or \
                    what == "whole" and f[9] not in ("exact", "orphan"):
                wrong("launch", f[1], "is", f[9], "and", what)
            got[f[3], f[4]][body, what] += 1
    total, inside = 0, Counter()
    for f in read(answer):
        if f[0] != "replay":
            continue
        mine = got[f[1], f[2]]
        if f[4] == "trace":
            inside[f[1]] += int(f[5]) + int(f[6])
            continue
        n = [mine.pop(((f[7], f[8]), w), 0) for w in ("whole", "partial")]
        if n != [int(f[5]), int(f[6])]:
            wrong(f, "whole and partial are", n, "others", dict(mine))
        total += sum(n)
        got[f[1], f[2]] = mine
    for process, want in inside.items():
        n = sum(c[None, w] for k, c in got.items() if k[0] == process
                for w in ("opaque", "empty"))
        if n != want:
            wrong(process, "launches without members:", n, "not", want)
        total += n
    left = sum(sum(c.values()) for c in got.values())
    if left and not total:
        wrong("launches of nothing:", dict(got))
    print("%d launches" % total)


# ---- from the stream ----

class Event:
    def __init__(self, f, at):
        keys = dict(k.split("=", 1) for k in f[12:])
        self.kind, self.id, self.at = f[0], int(f[1]), at
        self.start, self.dur = int(f[2]), None if f[3] == "." else int(f[3])
        self.end = self.start + (self.dur or 0)
        self.process, self.device, self.lane = f[4], f[5], tuple(f[4:8])
        self.thread, self.corr, self.name = (f[4], f[7]), f[8], f[10]
        self.detail = "detail" in keys
        self.graph, self.node = (keys.get(k) for k in ("graph", "node"))
        self.graph = None if self.graph == "0" else self.graph
        self.node = None if self.node == "0" else self.node
        self.failed = "result" in keys
        self.sym = keys.get("sym") or self.name
        if "sym" not in keys and f[0] == "memset":
            self.sym = ("fill",)
        if "sym" not in keys and f[0] == "memcpy":
            self.sym = ("copy", keys.get("copy"))


class Launch:
    def __init__(self, owner, call, members, intervals):
        self.call, self.members = call, members
        self.intervals = intervals
        lanes = defaultdict(list)
        for e in sorted(members, key=lambda e: (e.start, e.end, e.at)):
            lanes[e.lane].append(e)
        self.lanes = dict(lanes)
        self.syms = {k: tuple(e.sym for e in v) for k, v in lanes.items()}
        self.ids = {(owner, "g", e.graph) if e.graph else
                    (owner, "n", e.node)
                    for e in members if e.graph or e.node}

    def key(self):
        """Equal for launches that are equal but for names of streams and
        devices: what each device has on its streams."""
        devices = defaultdict(list)
        for lane, syms in self.syms.items():
            devices[lane[1]].append(repr(syms))
        return tuple(sorted(tuple(sorted(v)) for v in devices.values()))


def is_launch_name(name):
    name = name.lower()
    return "graph" in name and "launch" in name


def find_calls(calls):
    """[(first call, names, end)] by (process, correlation)."""
    out = defaultdict(list)
    for c in sorted(calls, key=lambda e: (e.start, -e.end, e.at)):
        runs = out[c.process, c.corr]
        if runs and c.start <= runs[-1]["end"]:
            runs[-1]["names"].append(c.name)
            runs[-1]["end"] = max(runs[-1]["end"], c.end)
            runs[-1]["failed"] |= c.failed
        else:
            runs.append({"first": c, "names": [c.name], "end": c.end,
                         "failed": c.failed, "events": []})
    return out


def find_launches(calls, work, graphs):
    runs = find_calls([c for c in calls if c.corr != "."])
    dots = any(c.process == "." for c in calls)
    groups = defaultdict(list)
    for e in work + graphs:
        owner = e.process if e.process != "." or dots else \
            (".", e.device)
        if e.corr == ".":
            groups[owner, e.corr, e.id].append(e)
            continue
        mine = runs.get((e.process, e.corr), []) if owner == e.process \
            else []
        before = [r for r in mine if r["first"].start <= e.start] or mine[:1]
        groups[owner, e.corr, before[-1]["first"].id if before else 0].append(
            e)
        if before:
            before[-1]["events"].append(e)
    every = [r for rs in runs.values() for r in rs]
    every += [{"first": c, "names": [c.name], "end": c.end, "events": []}
              for c in calls if c.corr == "."]
    by_first = {r["first"].id: r for r in every if r["first"].corr != "."}
    sure, maybe = [], []
    for (owner, corr, first), events in groups.items():
        run = by_first.get(first) if corr != "." else None
        members = [e for e in events if e.kind != "graph"]
        intervals = [e for e in events if e.kind == "graph"]
        kernels = sum(e.kind in ("kernel", "task") for e in members)
        names = run["names"] if run else []
        if corr == "." and not intervals:
            continue
        if any(e.graph or e.node for e in members) or (members and (
                any(map(is_launch_name, names)) or intervals)) or (
                kernels and any("graph" in n.lower() for n in names)):
            sure.append((owner, run, members, intervals))
        elif intervals:
            sure.append((owner, run, [], intervals))
        elif run is None and kernels > 1:
            maybe.append((owner, run, members, intervals))
    if any(s[2] for s in sure):
        sure += [s for s in maybe if undisturbed(s[2], work)]
    return nest(sure, every)


def on_lanes(members, work):
    """For each lane the places of the members among its events, the shorter
    first of those that start together, and the event before the first."""
    for lane in {e.lane for e in members}:
        order = sorted((e for e in work if e.lane == lane),
                       key=lambda e: (e.start, e.end, e.at))
        at = [i for i, e in enumerate(order) if e in members]
        yield at, order[at[0] - 1] if at[0] else None


def is_scattered(members, work):
    return any(at[-1] - at[0] != len(at) - 1
               for at, _ in on_lanes(members, work))


def undisturbed(members, work):
    return not is_scattered(members, work) and not any(
        last and last.corr.isdigit() and
        int(last.corr) > int(members[0].corr)
        for _, last in on_lanes(members, work))


def nest(sure, every):
    """Launches of calls; a call within a launch on its thread is the same
    launch if only one of them has events."""
    named = [r for r in every if any(map(is_launch_name, r["names"]))]

    def inside(a, b):
        return a is not b and a["first"].thread == b["first"].thread and \
            b["first"].start <= a["first"].start < b["end"] and \
            a["end"] <= b["end"] and \
            (a["first"].start, -a["end"], a["first"].at) > \
            (b["first"].start, -b["end"], b["first"].at)

    outer = {}
    for r in named:
        tops = [o for o in named if inside(r, o)]
        if tops:
            outer[r["first"].id] = min(
                tops, key=lambda o: (o["first"].start, -o["end"]))
    launches = []
    for owner, run, members, intervals in sure:
        call = run["first"] if run else None
        top = outer.get(call.id) if call else None
        if top and not top["events"] and sum(
                1 for r in named if r["events"] and
                outer.get(r["first"].id) is top) == 1:
            call = top["first"]
        launches.append(Launch(owner, call, members, intervals))
    for r in named:
        if r["events"] or r["first"].id in outer or any(
                outer.get(i["first"].id) is r and i["events"]
                for i in named):
            continue
        launches.append(Launch(None, r["first"], [], []))
    return launches


def embeds(a, b, cut):
    """Places in b of the least embedding of a, or None."""
    if len(a) > len(b):
        return None
    if cut == "head":
        return range(len(b) - len(a), len(b)) if b[len(b) - len(a):] == a \
            else None
    if cut == "tail":
        return range(len(a)) if b[:len(a)] == a else None
    at, out = 0, []
    for s in a:
        while at < len(b) and b[at] != s:
            at += 1
        if at == len(b):
            return None
        out.append(at)
        at += 1
    return out


def is_part(l, t, cut):
    """Each lane of l has one of t of its own that it fits into."""
    if len(l.members) >= len(t.members) or len(l.lanes) > len(t.lanes):
        return False
    taken = {}

    def find(a, seen):
        for b in t.lanes:
            if b in seen or embeds(l.syms[a], t.syms[b], cut) is None:
                continue
            seen.add(b)
            if b not in taken or find(taken[b], seen):
                taken[b] = a
                return True
        return False

    return all(find(a, set()) for a in l.lanes)


def node_part(l, t):
    """True, False, or None where not all have node ids."""
    if not all(e.node for e in l.members + t.members):
        return None
    a, b = ({e.node: e.sym for e in x.members} for x in (l, t))
    if len(a) < len(l.members) or len(b) < len(t.members):
        return False
    return len(a) < len(b) and all(b.get(n) == s for n, s in a.items())


def half_alike(a, b):
    x, y = (Counter(e.sym for e in v.members) for v in (a, b))
    both = sum((x & y).values())
    return both * 2 >= len(a.members) and both * 2 >= len(b.members)


def part_of(l, t, repeated, edges):
    if l.ids:
        if not (l.ids & t.ids):
            return False
        by_node = node_part(l, t)
        return is_part(l, t, "any") if by_node is None else by_node
    return (l in edges["head"] and is_part(l, t, "head")) or \
        (l in edges["tail"] and is_part(l, t, "tail")) or \
        (repeated and 2 * len(l.members) >= len(t.members) and
         is_part(l, t, "any"))


def classify(launches, work):
    """Sets status, unit (a list of launches) and missing of each."""
    units = defaultdict(list)
    for l in launches:
        if l.members:
            units[l.key()].append(l)
    ends = defaultdict(list)
    for e in work:
        ends[e.lane].append(e.at)
    edges = {w: {l for l in launches if l.members and all(
        f(ends[k]) == f(e.at for e in v) for k, v in l.lanes.items())}
        for w, f in (("head", min), ("tail", max))}
    for l in launches:
        l.unit, l.missing = None, 0
        l.status = "exact" if l.members else \
            "opaque" if l.intervals else "empty"
    # as they were realised, and as is left of them without parts
    realised = {}
    for n, u in enumerate(units.values()):
        realised[n] = tuple(u)
        for l in u:
            l.home, l.unit, l.left = n, u, u
    for l in sorted((l for l in launches if l.members),
                    key=lambda l: -len(l.members)):
        alone = len(realised[l.home]) == 1
        if not alone and not l.ids:
            continue
        found = [u for u in realised if u != l.home and
                 len(realised[u]) >= len(realised[l.home]) and any(
                     t in t.left and
                     part_of(l, t, len(realised[u]) > 1, edges)
                     for t in realised[u])]
        if not found:
            continue
        # edges come before halves
        cut = [u for u in found if l.ids or any(
            part_of(l, t, False, edges) for t in realised[u])]
        u = min(cut or found, key=lambda u: (
            len(realised[u][0].members), -len(realised[u]),
            min(t.rank for t in realised[u])))
        l.status = "partial"
        l.missing = len(realised[u][0].members) - len(l.members)
        l.left.remove(l)
        l.unit = realised[u][0].left
    for l in launches:
        if l.status == "exact" and len(l.left) == 1:
            l.status = "variant" if any(
                t.left and t.home != l.home and
                (l.ids & t.ids or half_alike(l, t))
                for t in launches if t.members) else "single"
    for l in launches:
        if l.members and not l.call:
            l.status = "orphan"


def load(lines):
    calls, work, graphs, found = [], [], [], defaultdict(list)
    for at, f in enumerate(lines):
        if f[0] == "api":
            calls.append(Event(f, at))
        elif f[0] in DEVICE or f[0] == "graph":
            e = Event(f, at)
            if e.kind == "graph":
                graphs.append(e)
            elif not e.detail:
                work.append(e)
        elif f[0] in ("launch", "unit", "member", "note"):
            found[f[0]].append(f)
    return calls, work, graphs, found


def untied(calls):
    return [c for c in calls if c.corr == "." and is_launch_name(c.name)]


def text(v):
    return "." if v is None else str(v)


def check_stream(path):
    calls, work, graphs, found = load(read(path))
    launches = find_launches(calls, work, graphs)
    launches.sort(key=lambda l: (
        (l.call.start, l.call.id) if l.call else min(
            (e.start, e.at, e.id) for e in l.members or l.intervals)[::2]))
    for rank, l in enumerate(launches):
        l.rank = rank
    classify(launches, work)
    event = {e.id: e for e in work + graphs}
    rows = found["launch"]
    if any(int(m[5]) not in event for m in found["member"]):
        wrong("members that are no device events")
        return
    if len(rows) != len(launches):
        wrong(len(launches), "launches, not", len(rows))
        return
    members = defaultdict(list)
    for m in found["member"]:
        members[m[1]].append(m)
    units = {u[1]: u for u in found["unit"]}
    names = {}
    for n, (f, l) in enumerate(zip(rows, launches), 1):
        check_launch(n, f, l, event)
        got = members.pop(f[1], [])
        if {int(m[5]) for m in got} != {e.id for e in l.members} or \
                len(got) != len(l.members):
            wrong("launch", n, "members differ")
        if l.members:
            u = units.get(f[8])
            if u is None or any(m[2] != f[8] for m in got):
                wrong("launch", n, "unit differs from its members'")
                continue
            if names.setdefault(id(l.unit), f[8]) != f[8]:
                wrong("launch", n, "unit", f[8], "is another's")
    if len(set(names.values())) != len(names):
        wrong("two units are one")
    if members:
        wrong("members of no launch:", sorted(members))
    check_units(launches, rows, found, names, event)
    check_notes(launches, calls, work, found["note"])
    seen.update(l.status for l in launches)


def check_launch(n, f, l, event):
    if int(f[1]) != n:
        wrong("launch", n, "has id", f[1])
    span = l.members or l.intervals
    devices = {e.device for e in span}
    contexts = {e.lane[2] for e in span}
    first = min(span, key=lambda e: e.at) if span else None
    last = max(span, key=lambda e: e.at) if span else None
    want = [
        text(l.call and l.call.id),
        span[0].process if span else l.call.process,
        devices.pop() if len(devices) == 1 else ".",
        contexts.pop() if len(contexts) == 1 else ".",
        text(min(e.start for e in span) if span else None),
        text(max(e.end for e in span) - min(e.start for e in span)
             if span else None)]
    if f[2:8] != want:
        wrong("launch", n, f[2:8], "must be", want)
    want = [l.status, text(len(l.members) or None),
            text(l.missing if l.members else None),
            text(min(l.intervals, key=lambda e: e.at).id
                 if l.intervals else None)]
    if f[9:13] != want:
        wrong("launch", n, f[9:13], "must be", want)
    want = [text(first.id if l.members else None),
            text(last.id if l.members else None),
            text(first.start - l.call.start if l.call and span else None)]
    if f[14:17] != want:
        wrong("launch", n, f[14:17], "must be", want)


def check_units(launches, rows, found, names, event):
    """Stream and index: one symbol for each place of a unit, in the order of
    each stream; whole launches have all places."""
    count = Counter()
    sym, node = {}, {}
    lanes = defaultdict(lambda: defaultdict(int))
    for m in found["member"]:
        l = launches[int(m[1]) - 1]
        if l.missing == 0:
            k = (m[2], int(m[3]), int(m[4]))
            if sym.setdefault(k, event[int(m[5])].sym) != \
                    event[int(m[5])].sym:
                wrong("unit", k, "has several symbols")
            lanes[m[2]][int(m[3])] = max(lanes[m[2]][int(m[3])],
                                         int(m[4]) + 1)
    for u in found["unit"]:
        n = sum(lanes[u[1]].values())
        if int(u[3]) != len(lanes[u[1]]) or int(u[4]) != n or \
                n != sum(1 for k in sym if k[0] == u[1]):
            wrong("unit", u[1], "streams or members differ")
        sizes = [lanes[u[1]][i] for i in range(len(lanes[u[1]]))]
        if sizes != sorted(sizes, reverse=True):
            wrong("unit", u[1], "longer streams must come first")
    for f, l in zip(rows, launches):
        if l.members and l.missing == 0:
            count[f[8]] += 1
    for u in found["unit"]:
        if count[u[1]] != int(u[5]):
            wrong("unit", u[1], "launches:", count[u[1]], "not", u[5])
    for n, g in itertools.groupby(found["member"], key=lambda m: m[1]):
        check_places(launches[int(n) - 1], list(g), sym, event, rows)


def check_places(l, rows, sym, event, launch_rows):
    used, lane_of = set(), {}
    by_lane = defaultdict(list)
    for m in rows:
        e, k = event[int(m[5])], (m[2], int(m[3]), int(m[4]))
        if sym.get(k) != e.sym:
            wrong("launch", m[1], "event", m[5], "is not at", k)
        if k in used:
            wrong("launch", m[1], "place", k, "twice")
        used.add(k)
        by_lane[e.lane].append((e.start, e.end, e.at, int(m[3]), int(m[4])))
    nodes = all(e.node for e in l.members) and l.missing
    for lane, v in by_lane.items():
        v.sort()
        if not nodes and (len({x[3] for x in v}) != 1 or
                          [x[4] for x in v] != sorted(x[4] for x in v)):
            wrong("launch", rows[0][1], "stream", lane, "is not in order")
        if not nodes and lane_of.setdefault(v[0][3], lane) != lane:
            wrong("launch", rows[0][1], "two streams are one")
    if l.missing:
        missing = [k for k in sym if k[0] == rows[0][2] and k not in used]
        reason = launch_rows[int(rows[0][1]) - 1][13]
        if "missing " not in reason:
            wrong("launch", rows[0][1], "does not say what is missing")
            return
        told = reason.split("missing ")[1].split(";")[0].split()
        want = set(k[1:] for k in missing)
        for w in told:
            if w == "...":
                return
            s, r = w.split(":")
            a, _, b = r.partition("-")
            for i in range(int(a), int(b or a) + 1):
                if (int(s), i) not in want:
                    wrong("launch", rows[0][1], "is said to lack", w)
                want.discard((int(s), i))
        if want:
            wrong("launch", rows[0][1], "lacks", want, "too")


def check_notes(launches, calls, work, notes):
    got = {n[2]: n[3] for n in notes if n[2].startswith("replay_")}
    want = {"replay_" + k: str(v)
            for k, v in Counter(l.status for l in launches).items()}
    captures = find_calls([c for c in calls if c.corr != "."])
    n = sum(1 for rs in captures.values() for r in rs if any(
        "begin" in x.lower() and "capture" in x.lower() for x in r["names"]))
    n += sum(1 for c in calls if c.corr == "." and
             "begin" in c.name.lower() and "capture" in c.name.lower())
    if not launches:
        want["replay_capture_phase" if n else "replay_none"] = str(n)
    early = sum(1 for l in launches if l.call and any(
        e.start < l.call.start for e in l.members))
    lost = sum(1 for e in work if e.corr == "." and (e.graph or e.node))
    scattered = sum(1 for l in launches if is_scattered(l.members, work))
    if "replay_reused" in got:
        # what the calls before had is taken for theirs
        want.update(n for n in got.items() if n[0] == "replay_scattered")
    elif scattered:
        want["replay_scattered"] = str(scattered)
    if early:
        want["replay_early"] = str(early)
    if lost:
        want["replay_untied"] = str(lost)
    if untied(calls):
        want["replay_untied_calls"] = str(len(untied(calls)))
    for code in ("replay_shared", "replay_reused"):
        if code in got:
            want[code] = got[code]
    if got != want:
        wrong("notes", got, "must be", want)


def main():
    gc.disable()  # many objects, few in circles
    if len(sys.argv) == 4 and sys.argv[1] == "capture":
        check_capture(*sys.argv[2:])
    elif len(sys.argv) == 4 and sys.argv[1] == "answer":
        check_answer(*sys.argv[2:])
    elif len(sys.argv) > 2 and sys.argv[1] == "stream":
        for path in sys.argv[2:]:
            n = len(bad)
            check_stream(path)
            bad[n:] = [path + ": " + b for b in bad[n:]]
        print(" ".join("%s=%d" % k for k in sorted(seen.items())) or "none")
    else:
        sys.exit(__doc__)
    for b in bad:
        print(b)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
