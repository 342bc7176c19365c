#!/usr/bin/env python3
"""Launches of ACL graphs by brute force; prints each contradiction, status 1
if there is one.

    acl.py check STREAM...
        The rules of tl-replay(1), ACL GRAPHS, restated over all pairs of
        launches, waits and records and all launches and tasks, against the
        records in the stream.
    acl.py random FIRST LAST
        Writes SEED.ev for each seed, a small random stream of what makes it
        hard: waits, records, models, correlations, calls and lines of the
        capture map that are missing, doubled or wrong, launches that overlap,
        streams of several graphs, tasks without names.
"""
import itertools
import random
import sys
from collections import Counter, defaultdict

NEAR, OWNERS = 10000, 16
IDLE = ("CAPTURE_", "EVENT_", "MODEL_MAINT", "PROFILING_", "TASK_TIMEOUT_SET")
bad, seen = [], Counter()


class Ev:
    def __init__(self, f, i):
        self.kind, self.id, self.i = f[0], int(f[1]), i
        self.start = int(f[2])
        self.end = self.start + (0 if f[3] == "." else int(f[3]))
        self.process, self.device, self.lane, self.corr = f[4], f[5], f[7], f[8]
        self.name = f[10]
        self.key = dict(k.split("=", 1) for k in f[12:])
        self.type = self.key.get("type", "")
        self.named = "identity" in self.key or "tasks" in self.key
        self.sym = self.key.get("sym") or {
            "memcpy": "\tmemcpy " + self.key.get("copy", ""),
            "memset": "\tmemset"}.get(self.kind, self.name)


class Capture:
    def __init__(self, path):
        self.owners = defaultdict(set)
        self.graphs, self.ev, self.calls = set(), [], []
        self.launch, self.member = [], defaultdict(list)
        self.no_names, self.units = False, {}
        for f in (x.rstrip("\n").split("\t") for x in open(path)):
            if f[0] == "#capture":
                self.owners[f[1], f[3]].add((f[1], f[2]))
                self.graphs.add((f[1], f[2]))
            elif f[0] == "#source":
                self.no_names |= "compute_names=no" in f
                self.no_names |= "comm_names=no" in f
            elif f[0] == "api":
                self.calls.append(Ev(f, len(self.calls)))
            elif f[0] in ("kernel", "memcpy", "memset", "sync", "task"):
                self.ev.append(Ev(f, len(self.ev)))
            elif f[0] == "launch":
                self.launch.append(f[1:])
            elif f[0] == "unit":
                self.units[f[1]] = f
            elif f[0] == "member":
                self.member[f[1]].append((int(f[3]), int(f[4]), int(f[5])))

    def model(self, e):
        """A graph, None if it tells none, "other"."""
        if "model" not in e.key:
            return None
        g = (e.device, e.key["model"])
        return g if g in self.graphs else "other"


def place(e):
    return e.process, e.device


class Launch:
    def __init__(self, c, e):
        self.e, self.model = e, c.model(e)
        if self.model == "other":
            self.model = None
        self.wait = self.rec = self.graph = self.call = self.how = None
        self.by = self.why = self.next = None
        self.start, self.end, self.members = e.start, e.end, []


def idle(t):
    return t.startswith(IDLE) or t == "NOP" or (
        t.startswith("MEM_") and t.endswith("_VALUE"))


def graph_of_record(c, r):
    m, on = c.model(r), c.owners.get((r.device, r.lane), set())
    if m == "other" or (m and m not in on):
        return None
    return m or (next(iter(on)) if len(on) == 1 else None)


def find_waits(c, launches, waits):
    for ln in launches:
        e = ln.e
        if e.corr == ".":
            continue
        same = [x.e for x in launches if x.e.i > e.i and x.e.corr == e.corr and
                x.e.lane == e.lane and place(x.e) == place(e)]
        until = min((x.start for x in same), default=None)
        mine = [w for w in waits if not w.taken and w.corr == e.corr and
                w.lane == e.lane and place(w) == place(e) and
                w.start >= e.end and (until is None or w.start < until)]
        if mine:
            ln.wait = min(mine, key=lambda w: (w.start, w.i))
            ln.wait.taken = True


def pair(launches, records, near):
    """One group."""
    out = []
    if near:
        pairs = sorted((abs(a.wait.end - r.end), a.e.i, r.i, a, r)
                       for a in launches for r in records
                       if abs(a.wait.end - r.end) <= NEAR)
        used = set()
        for _, i, k, a, r in pairs:
            if ("a", i) not in used and ("r", k) not in used:
                used |= {("a", i), ("r", k)}
                out.append((a, r))
        out = [p for p in out if fits(*p)]
    elif len(launches) == len(records):
        out = list(zip(sorted(launches, key=lambda a: a.e.i),
                       sorted(records, key=lambda r: r.i)))
        if not all(fits(*p) for p in out):
            out = []
    for a, r in out:
        a.rec, r.taken = r, True
        a.how = "notify_completion_adjacent" if near else \
            "notify_ordered_fallback"


def fits(a, r):
    return r.end >= a.e.start and (not a.model or not r.graph or
                                   a.model == r.graph)


def pair_all(c, launches, records):
    for by_graph, lk, rk, near in ((1, 1, 1, 1), (0, 0, None, 1), (0, 1, 0, 1),
                                   (1, 1, 1, 0), (0, None, None, 0)):
        ls, rs = defaultdict(list), defaultdict(list)
        for a in launches:
            if a.wait and not a.rec and lk in (None, a.model is not None):
                ls[place(a.e), a.model if by_graph else None].append(a)
        for r in records:
            if not r.taken and rk in (None, r.graph is not None):
                rs[place(r), r.graph if by_graph else None].append(r)
        for key in ls:
            pair(ls[key], rs.get(key, []), near)


def identify(c, a):
    on = c.owners.get((a.rec.device, a.rec.lane), set())
    told = c.model(a.rec)
    if a.rec.graph:
        a.graph = a.rec.graph
        a.by = "record_model_id" if told else "record_model_stream"
    elif told is None and a.model in on:
        a.graph, a.by = a.model, "execute_model_id"
    else:
        a.why = "missing_body_capability: graph unknown"
    a.busy = max(a.end, min(a.wait.end, a.rec.end))
    a.end = max(a.end, a.wait.end)
    if a.how == "notify_completion_adjacent":
        a.end = max(a.end, a.rec.end)


def holders(c, whole, t):
    """Launches whose graph t is of, and that t lies in; the earliest of each
    graph."""
    on, m = c.owners[t.device, t.lane], c.model(t)
    if m == "other":
        return []
    if m is None and len(on) > OWNERS:
        return [a for a in whole if a.graph in on] * 2
    first = {}
    for a in whole:
        if a.graph in on and m in (None, a.graph) and place(a.e) == place(t) \
                and a.start <= t.start and t.end <= a.end:
            first.setdefault(a.graph, a)
    return list(first.values())


def bodies(c, launches, records):
    whole = [a for a in launches if a.graph]
    for a, b in itertools.combinations(
            sorted(whole, key=lambda x: (x.start, x.e.i)), 2):
        if a.graph != b.graph or place(a.e) != place(b.e):
            continue
        if b.start < a.busy:
            a.why = b.why = "ambiguous_launch_evidence: overlaps another " \
                "launch of its graph"
        elif a.next is None:
            a.end, a.next = min(a.end, b.start), b
    shared = "ambiguous_launch_evidence: tasks may be of another graph"
    plain = [e for e in c.ev if "detail" not in e.key and
             (e.device, e.lane) in c.owners and e.type != "MODEL_EXECUTE"]
    for t in plain:
        if not t.named or t.kind == "sync":
            continue
        of = holders(c, whole, t)
        if len(of) > 1:
            for a in of:
                a.why = shared
        elif of:
            of[0].members.append(t)
    for t in plain:
        if t.named or not c.no_names or not t.type or idle(t.type) or \
                (t in records and t.taken):
            continue
        of = holders(c, whole, t)
        if len(of) > 1:
            for a in of:
                a.why = shared
        elif of and not of[0].why:
            of[0].why = "missing_body_capability: tasks without names"
    for a in whole:
        if not a.why and not a.members:
            a.why = "missing_body_evidence"


def merged(calls):
    """Calls of which one goes on while the next begins are the first one."""
    out = []
    for x in sorted(calls, key=lambda x: (x.process, x.corr, x.start, -x.end,
                                          x.id)):
        last = out[-1] if out else None
        if last and x.corr != "." and (last.process, last.corr) == (
                x.process, x.corr) and x.start <= last.end:
            last.end = max(last.end, x.end)
            last.name += x.name
        else:
            out.append(x)
    return out


def calls(c, launches):
    used = set()
    c.calls = merged(c.calls)
    for a in launches:
        e = a.e
        mine = [x for x in c.calls if e.corr != "." and x.corr == e.corr and
                x.process == e.process and x.start <= e.start and
                x.id not in used]
        best = [x for x in mine if "execute" in x.name.lower()] or mine
        if best:
            a.call = max(best, key=lambda x: (x.start, -x.end, x.id))
            used.add(a.call.id)


def expected(c):
    control = [e for e in c.ev if "detail" not in e.key and not e.named]
    launches = [Launch(c, e) for e in control if e.type == "MODEL_EXECUTE"]
    waits = [e for e in control if e.type == "NOTIFY_WAIT"]
    records = [e for e in control if e.type == "NOTIFY_RECORD" and (
        not c.graphs or (e.device, e.lane) in c.owners or
        c.model(e) not in (None, "other"))]
    for e in waits + records:
        e.taken = False
    for r in records:
        r.graph = graph_of_record(c, r)
    calls(c, launches)
    find_waits(c, launches, waits)
    pair_all(c, launches, records)
    for a in launches:
        if a.rec:
            identify(c, a)
        else:
            a.why = "missing_completion_evidence: no " + (
                "record" if a.wait else "wait")
    bodies(c, launches, records)
    return launches


def body_of(a):
    lanes = defaultdict(list)
    for t in sorted(a.members, key=lambda t: (t.start, t.end, t.i)):
        lanes[t.lane].append(t.sym)
    return tuple(sorted(map(tuple, lanes.values())))


def is_sub(x, y):
    it = iter(y)
    return all(s in it for s in x)


def is_part(x, y):
    return sum(map(len, x)) < sum(map(len, y)) and any(
        all(is_sub(p, q) for p, q in zip(x, perm))
        for perm in itertools.permutations(y, len(x)))


def statuses(whole):
    for a in whole:
        a.body = body_of(a)
    times = Counter(a.body for a in whole)
    part = set()
    for a in sorted(whole, key=lambda a: -len(a.members)):
        a.part = [b for b in whole if b.graph == a.graph and
                  b not in part and place(b.e) == place(a.e) and
                  times[b.body] >= times[a.body] and is_part(a.body, b.body)]
        if a.part:
            part.add(a)
    alone = Counter(a.body for a in whole if not a.part)
    for a in whole:
        if a.part:
            a.status = "partial"
        elif alone[a.body] > 1:
            a.status = "exact"
        else:
            a.status = "variant" if any(
                b.graph == a.graph and b.body != a.body and alone[b.body] and
                place(b.e) == place(a.e) for b in whole) else "single"


def check(path):
    c = Capture(path)
    launches = expected(c)
    whole = [a for a in launches if not a.why]
    statuses(whole)
    told = {}
    for f in c.launch:
        ids = sorted(m[2] for m in c.member[f[0]])
        told[tuple(ids) if ids else f[11]] = f
    for a in launches:
        ids = tuple(sorted(t.id for t in a.members))
        f = told.pop(str(a.e.id) if a.why else ids, None)
        seen[a.why or a.status] += 1
        seen[a.how] += 1
        seen[a.by] += 1
        if f is None:
            bad.append("%s: no launch for event %d (%s)" %
                       (path, a.e.id, a.why or a.status))
            continue
        want = [a.why, a.how, a.by,
                "body_mismatch" if not a.why and a.status == "variant" else 0]
        compare(path, a, f, "; ".join(w for w in want if w), c)
    for f in told.values():
        bad.append("%s: launch %s is none" % (path, f[0]))


def compare(path, a, f, reason, c):
    if a.why:
        status = "empty" if a.why == "missing_body_evidence" else "opaque"
        time = [str(a.start), str(a.end - a.start) if a.rec else "."]
    else:
        status = a.status
        start = min(t.start for t in a.members)
        time = [str(start), str(max(t.end for t in a.members) - start)]
    got = [f[8], f[12].split("; missing")[0].split("; %d in" % 0)[0], f[1],
           f[5:7]]
    want = [status, reason, str(a.call.id) if a.call else ".", time]
    if got != want:
        bad.append("%s: launch %s: %s, not %s" % (path, f[0], got, want))
    if not a.why and status != "partial":
        at = {t.id: t for t in a.members}
        lanes = defaultdict(dict)
        for lane, index, event in c.member[f[0]]:
            lanes[lane][index] = at[event].sym
        order = [tuple(lanes[k][i] for i in sorted(lanes[k]))
                 for k in sorted(lanes)]
        if order != sorted(a.body, key=lambda x: (-len(x), [
                s.encode() for s in x])):
            bad.append("%s: launch %s: members %s" % (path, f[0], order))


# ---- random streams ----

class Random:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.rows, self.head, self.corr = [], [], 0
        self.devices = ["0"] if r.random() < .8 else ["0", "1"]
        self.no_names = r.random() < .3
        self.gap = r.choice([20, 3000, 30000])
        self.p = {k: r.choice([0, 0, 0, .1, .3]) for k in (
            "nowait", "norec", "stray", "nomodel", "norecmodel", "odd", "nomap",
            "share", "nocorr", "nocall", "unnamed", "overlap", "late", "reuse",
            "tasknomodel", "change", "drop", "comm", "idle", "twice")}

    def yes(self, what):
        return self.r.random() < self.p[what]

    def put(self, kind, start, dur, device, lane, corr, name, **keys):
        cls = {"sync": "sync", "api": "host", "memcpy": "copy"}.get(
            kind, "compute")
        self.rows.append((start, -dur, len(self.rows), [
            kind, 0, start, dur, 1, device, ".", lane, corr, cls, name,
            "T:%d" % (len(self.rows) + 1)] +
            sorted("%s=%s" % kv for kv in keys.items() if kv[1] is not None)))

    def graph(self, n):
        r, streams = self.r, []
        for i in range(r.randint(1, 3)):
            streams.append(str(10 + r.randrange(6) if self.yes("share")
                               else 100 + n * 10 + i))
        body = [(r.randrange(len(streams)), "Op" + r.choice("abc"))
                for _ in range(r.randint(1, 5))]
        if n and r.random() < .3:
            body = [b for b in self.graphs[0][2] if b[0] < len(streams)]
        for device in self.devices:
            for s in streams:
                if not self.yes("nomap"):
                    self.head.append((device, str(n), s))
        return str(n), streams, body

    def launch(self, now, device, graph):
        r, (model, streams, body) = self.r, graph
        if not self.yes("reuse"):
            self.corr += 1
        corr = "." if self.yes("nocorr") else self.corr
        lane = r.choice("333334")
        if not self.yes("nocall"):
            for _ in range(2 if self.yes("twice") else 1):
                self.put("api", now - r.randint(0, 30), 2, ".", 7, corr,
                         r.choice(["aclmdlRIExecuteAsync"] * 3 + ["launch"]))
        m = None if self.yes("nomodel") else "99" if self.yes("odd") else model
        self.put("task", now, 2, device, lane, corr, "MODEL_EXECUTE",
                 type="MODEL_EXECUTE", model=m)
        end = now + 3
        for k, (s, name) in enumerate(body):
            if self.yes("drop"):
                continue
            dur = r.choice([0, 1, 3])
            self.work(end, dur, device, streams[s],
                      "Opd" if self.yes("change") else name, model, k)
            end += dur + r.choice([0, 1])
        if self.yes("idle"):
            self.put("sync", end, 0, device, streams[0], ".", "Event",
                     type=r.choice(["EVENT_RECORD", "NOP", "MEM_WAIT_VALUE",
                                    "NOTIFY_WAIT", "MEM_VALUE_X"]))
        rec = end + r.randint(0, 3)
        if not self.yes("norec"):
            m = None if self.yes("norecmodel") else \
                "99" if self.yes("odd") else model
            self.put("sync", rec, 1, device, r.choice(streams), 9000,
                     "NOTIFY_RECORD", type="NOTIFY_RECORD", model=m)
        if self.yes("stray"):
            self.put("sync", rec + r.choice([-30, 40, 9000, 50000]), 1, device,
                     r.choice(streams + ["3"]), 9000, "NOTIFY_RECORD",
                     type="NOTIFY_RECORD")
        wait = rec + 1 + r.randint(-1, 3) + (
            r.choice([9990, 10010, 40000]) if self.yes("late") else 0)
        if not self.yes("nowait"):
            at = now + r.randint(2, 4)
            self.put("sync", at, max(wait - at, 0), device, lane, corr,
                     "NOTIFY_WAIT", type="NOTIFY_WAIT", model=None)
        return now + 1 if self.yes("overlap") else \
            max(wait, end) + r.randint(0, self.gap)

    def work(self, at, dur, device, lane, name, model, k):
        m = None if self.yes("tasknomodel") else model
        if self.yes("odd"):
            m = "98"
        keys = {"model": m, "type": "KERNEL_AIVEC", "identity": "op"}
        kind = "kernel"
        if self.yes("unnamed"):
            del keys["identity"]
            name = "KERNEL_AIVEC"
        elif self.yes("comm"):
            kind = self.r.choice(["kernel", "sync", "memcpy", "task"])
            keys["identity"], keys["sym"] = "comm", "hcom/" + name
            keys["type"] = self.r.choice(["NOTIFY_WAIT", "NOTIFY_RECORD",
                                          "SDMA"])
            if self.r.random() < .3:
                keys["detail"] = "1"
            elif kind == "task":
                del keys["identity"]
                keys["tasks"] = "2"
        self.put(kind, at, dur, device, lane, 400 + k, name, **keys)

    def write(self, path):
        r, self.graphs = self.r, []
        for n in range(r.randint(1, 4)):
            self.graphs.append(self.graph(n))
        now = dict.fromkeys(self.devices, 1000)
        for i in range(r.randint(1, 14)):
            device = r.choice(self.devices)
            graph = self.graphs[i % len(self.graphs)] if r.random() < .8 \
                else r.choice(self.graphs)
            now[device] = self.launch(now[device], device, graph)
        with open(path, "w") as f:
            print("#tl-ev\t1", file=f)
            print("#source", "comm_names=" + ("no" if self.no_names else "yes"),
                  "compute_names=yes", sep="\t", file=f)
            for line in sorted(set(self.head)):
                print("#capture", *line, "original=3", sep="\t", file=f)
            for i, row in enumerate(sorted(self.rows), 1):
                row[3][1] = i
                print(*row[3], sep="\t", file=f)
            print("end\t%d" % len(self.rows), file=f)


def main():
    if sys.argv[1] == "random":
        for seed in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
            Random(seed).write("%d.ev" % seed)
        return 0
    for path in sys.argv[2:]:
        check(path)
    for what, n in sorted(seen.items(), key=str):
        print("%s=%d" % (what, n))
    for line in bad[:20]:
        print(line)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
