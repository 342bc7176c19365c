#!/usr/bin/env python3
"""Says what a timeline must hold, from the stream it was drawn from, by the
plainest way, and compares. Prints the differences; exits 1 if there are any.

usage: timeline.py STREAM TIMELINE [-A] [-C] [-H] [-p] [-i NUMBER|all]
"""
import gc
import os
import re
import sys
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import perfetto_check  # noqa: E402

DEVICE = perfetto_check.DEVICE
EVENTS = DEVICE | perfetto_check.HOST | {"range", "counter"}
COSTS = ("span_ns period_ns busy_ns compute_ns comm_ns comm_exposed_ns copy_ns "
         "copy_exposed_ns idle_ns sum_ns").split()


def shown(text):
    """Text of the stream as the timeline shows it."""
    if text == "\\x2E":
        return "."
    return re.sub(r"\\([tn\\])", lambda m: {"t": "\t", "n": "\n", "\\": "\\"}[
        m[1]], text)


def value(text):
    """As an argument: a number if a double holds it."""
    if re.fullmatch(r"0|[1-9][0-9]{0,15}", text) and int(text) < 2 ** 53:
        return int(text)
    return shown(text)


class Stream:
    def __init__(self, path):
        self.head, self.events, self.notes = [], [], []
        self.launch, self.member, self.real = {}, {}, {}
        self.pos, self.occ = {}, {}
        with open(path, encoding="utf-8") as f:
            for line in f:
                self.take(line.rstrip("\n").split("\t"))

    def take(self, c):
        if c[0].startswith("#"):
            self.head.append(c)
        elif c[0] in EVENTS:
            e = dict(zip("kind id start dur process device context lane corr cls"
                         " name place".split(), c))
            e["keys"] = dict(k.split("=", 1) for k in c[12:])
            e["id"], e["start"] = int(e["id"]), int(e["start"])
            e["open"] = e["dur"] == "." and e["kind"] not in ("mark", "counter")
            e["dur"] = 0 if e["dur"] == "." else int(e["dur"])
            self.events.append(e)
        elif c[0] == "launch":
            self.launch[int(c[1])] = c
        elif c[0] == "member":
            self.member[int(c[5])] = c
        elif c[0] == "real":
            self.real[int(c[1])] = c
        elif c[0] == "pos":
            self.pos[c[1], c[2]] = c
        elif c[0] == "occ":
            self.occ[c[1], c[2] + "#" + c[3]] = c
        elif c[0] == "note":
            self.notes.append(c)

    def header(self, word, *columns):
        for c in self.head:
            if c[0] == word and tuple(c[1:1 + len(columns)]) == columns:
                return dict(k.split("=", 1) for k in c[1 + len(columns):])
        return {}


class Truth:
    def __init__(self, stream, opts):
        self.s, self.o = stream, opts
        self.hide()
        self.ids = {e["id"]: e for e in stream.events}
        self.contexts = defaultdict(set)
        for e in self.s.events:
            if e["kind"] in DEVICE or e["device"] != ".":
                self.contexts[e["process"], e["device"]].add(e["context"])
        self.slices, self.flat = [], defaultdict(list)
        self.structure()
        self.end()
        for e in self.drawn:
            self.draw(e)
        self.draw_occs()
        self.draw_launches()

    # -- what is drawn ---------------------------------------------------------

    def hide(self):
        s = self.s
        n = Counter(c[1] for c in s.member.values())
        self.gone, self.beside = set(), set()
        for i, c in s.launch.items():
            if c[12] == "." or n[str(i)] == 0:
                continue
            whole = c[11] == "0" and c[10] == str(n[str(i)])
            (self.gone if whole else self.beside).add(int(c[12]))
        self.drawn = []
        last = {}
        for e in s.events:
            if e["id"] in self.gone:
                continue
            device = e["kind"] in DEVICE or e["device"] != "."
            if self.o["H"] and not device:
                continue
            if e["kind"] == "counter":
                v = e["keys"].get("value", "")
                if not re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?",
                                    v):
                    continue
                key = (e["process"], e["name"], e["keys"].get("series"))
                if last.get(key) == v:
                    continue
                last[key] = v
            self.drawn.append(e)

    def end(self):
        ends = [(e["start"], e["start"] + e["dur"]) for e in self.s.events
                if not self.o["H"] or e["kind"] in DEVICE or e["device"] != "."]
        for c in self.drawn_occs:
            ends.append((int(c[8]), int(c[8]) + int(c[9])))
        for c in self.s.launch.values():
            if c[6] != "." and c[7] != ".":
                ends.append((int(c[6]), int(c[6]) + int(c[7])))
        self.origin = min(a for a, _ in ends)
        self.last = max(b for _, b in ends)
        if self.o["C"]:
            for e in self.s.events:
                c = self.call(e)
                if self.queued(e) or (c and e["kind"] == "sync"):
                    self.origin = min(self.origin, c["start"])

    # -- planes and lanes ----------------------------------------------------

    def process(self, p):
        if p == ".":
            return "unknown"
        name = self.s.header("#process", p).get("name")
        return shown(p) + (" (%s)" % shown(name) if name else "")

    def plane(self, what, process, device):
        return "device %s %s, process %s" % (
            "unknown" if device == "." else shown(device), what,
            self.process(process))

    def replayed(self, e):
        return e["id"] in self.s.member or "graph" in e["keys"]

    def lane(self, e):
        """Plane, lane, and whether slices nest there."""
        k, p, d = e["kind"], e["process"], e["device"]
        if k not in DEVICE and d == ".":
            host = "host process " + self.process(p)
            return (host, "counters" if k == "counter" else "thread " + (
                "unknown" if e["lane"] == "." else shown(e["lane"])), True)
        plane = self.plane("events", p, d)
        what = " ranges" if k not in DEVICE else " sync" if k == "sync" else \
            " details" if e["keys"].get("detail") == "1" else \
            " graphs" if e["id"] in self.beside else ""
        if self.o["p"] and what == "" and k != "graph" and self.replayed(e):
            return plane, "replay " + e["cls"], False
        name = ("device" if k == "sync" else "unknown stream") \
            if e["lane"] == "." else "stream " + shown(e["lane"])
        if len(self.contexts[p, d]) > 1:
            name += " of context " + ("unknown" if e["context"] == "." else
                                      shown(e["context"]))
        return plane, name + what, k not in DEVICE

    def put(self, plane, lane, nested, cat, name, start, dur, args):
        self.slices.append((plane, lane, cat, name, start, dur,
                            tuple(sorted(args.items()))))
        if not nested:
            self.flat[plane, lane].append((start, start + dur))

    def draw(self, e):
        if e["kind"] == "counter":
            return
        plane, lane, nested = self.lane(e)
        device = e["kind"] in DEVICE or e["device"] != "."
        dur = self.last - e["start"] if e["open"] else e["dur"]
        args = {"event_id": e["id"]}
        if device or e["cls"] != "host":
            args["class"] = e["cls"]
        for key, col in (("correlation", "corr"), ("context", "context"),
                         ("stream" if device else "thread", "lane"),
                         ("source", "place")):
            if e[col] != ".":
                args[key] = value(e[col])
        r = self.s.real.get(e["id"])
        if r:
            args["position_id"] = r[3]
            if r[4] != ".":
                args["occurrence"] = r[4]
            if r[5] != ".":
                args["iteration"] = int(r[5])
        m = self.s.member.get(e["id"])
        if m:
            args["launch_id"] = int(m[1])
            for key, i in (("replay_unit_id", 2), ("member_stream", 3),
                           ("member_index", 4)):
                if m[i] != ".":
                    args[key] = value(m[i])
        if e["open"]:
            args["unfinished"] = 1
        own = set(args) | {"class", "correlation", "context", "stream",
                           "thread", "source", "position_id", "occurrence",
                           "iteration", "launch_id", "replay_unit_id",
                           "member_stream", "member_index", "unfinished"}
        for k, v in e["keys"].items():
            args["key." + k if k in own else k] = value(v)
        self.put(plane, lane, nested, e["kind"],
                 e["kind"] if e["name"] == "." else shown(e["name"]),
                 e["start"], dur, args)

    # -- structure -------------------------------------------------------------

    def children(self, key):
        return [k for k, c in self.s.pos.items()
                if k[0] == key[0] and c[3] == key[1]]

    def body(self, key):
        """A body as a nested tuple."""
        out = []
        for k in self.kids[key]:
            kind, label = self.s.pos[k][6], self.s.pos[k][23]
            out.append((kind, label) if kind == "event" else
                       (kind, self.body(k)))
        return tuple(out)

    def structure(self):
        s = self.s
        self.kids = defaultdict(list)
        for k, c in s.pos.items():
            if c[3] != ".":
                self.kids[k[0], c[3]].append(k)
        letters = {}
        self.letter, self.depth, self.hidden = {}, {}, set()
        for k, c in s.pos.items():
            kids = self.kids[k]
            if c[6] in ("seq", "replay") and len(kids) == 1 and \
                    s.pos[kids[0]][6] != "event":
                self.hidden.add(k)
            elif c[6] not in ("event", "root"):
                b = self.body(k)
                n = letters.setdefault(b, len(letters)) + 1
                text = ""
                while n > 0:
                    text = chr(65 + (n - 1) % 26) + text
                    n = (n - 1) // 26
                self.letter[k] = c[23] if c[23] not in (".", c[6]) else text
            up = (k[0], c[3])
            self.depth[k] = 0 if c[3] == "." else self.depth[up] + (
                0 if up in self.hidden else 2 if s.pos[up][6] == "loop" else 1)
        self.iterations = defaultdict(list)
        for k, c in s.occ.items():
            if self.is_iteration(c):
                self.iterations[k[0], c[4]].append(c)
        self.whole = {}
        for its in self.iterations.values():
            self.choose(its)
        self.drawn_occs = [c for c in s.occ.values() if self.occ_drawn(c) and
                           (c[1], c[2]) not in self.hidden]

    def is_iteration(self, c):
        return self.s.pos[c[1], c[2]][6] == "loop" and \
            c[4].split("#")[0] == c[2]

    def choose(self, its):
        n = len(its) if self.o["i"] == "all" else int(self.o["i"])
        its.sort(key=lambda c: int(c[3]))
        full = [c for c in its if c[6] == "full"] or its
        timed = [c for c in full if c[10] != "."]
        slow = max(timed, key=lambda c: int(c[10])) if timed else \
            max(full, key=lambda c: int(c[9]))
        order = [its[0], slow, its[-1]] + its if len(its) > n else its
        chosen = []
        for c in order:
            if c not in chosen and len(chosen) < n:
                chosen.append(c)
        for c in its:
            self.whole[c[1], c[2], c[3]] = c in chosen

    def occ_drawn(self, c):
        while c[4] != ".":
            c = self.s.occ.get((c[1], c[4]))
            if c is None:
                return True
            if not self.whole.get((c[1], c[2], c[3]), True):
                return False
        return True

    def draw_occs(self):
        for c in self.drawn_occs:
            key = (c[1], c[2])
            pos = self.s.pos[key]
            depth, n = self.depth[key], pos[8]
            it = self.is_iteration(c)
            of = "(%s%s event%s)" % ("" if c[6] == "full" or pos[6] == "root"
                                     else "part of ", n, "s" * (n != "1"))
            inner = self.iterations[c[1], c[2] + "#" + c[3]]
            full = sum(x[6] == "full" for x in inner)
            if pos[6] == "root":
                name = "%s %s" % (c[2], of)
            elif pos[6] == "loop" and not it:
                name = "%s %d x %s" % (c[2], full, self.letter[key])
                if full < len(inner):
                    name += " + %d cut" % (len(inner) - full)
            else:
                name = "%s%s %s" % ("replay " * (pos[6] == "replay"),
                                    self.letter[key], of)
            args = {"position_id": c[2], "occurrence": c[2] + "#" + c[3]}
            cols = [pos[6], c[4], c[5], c[6], c[7], n] + c[9:19]
            for k, v in zip(["kind", "parent", "iteration", "completeness",
                             "first_event", "body_events"] + COSTS, cols):
                if v != ".":
                    args[k] = value(v)
            if pos[6] == "loop" and not it:
                args["iterations"] = len(inner)
            if not self.whole.get((c[1], c[2], c[3]), True) and any(
                    x[4] == c[2] + "#" + c[3] and x[1] == c[1]
                    for x in self.s.occ.values()):
                args["folded"] = 1
            process, device = c[1].rsplit(":", 1)
            self.put(self.plane("structure", process, device),
                     "depth %d" % (depth + it), False, "structure", name,
                     int(c[8]), int(c[9]), args)

    def draw_launches(self):
        for i, c in self.s.launch.items():
            if c[6] == "." or c[7] == ".":
                continue
            name = "replay" + ("" if c[8] == "." else " U" + shown(c[8]))
            if c[9] not in ("exact", "single"):
                name += ", " + c[9]
            args = {"launch_id": i}
            for k, v in (("replay_unit_id", c[8]), ("status", c[9]),
                         ("members", c[10]), ("missing", c[11]),
                         ("reason", c[13]), ("call_event_id", c[2]),
                         ("opaque_event_id", c[12])):
                if v != ".":
                    args[k] = value(v)
            self.put(self.plane("structure", c[3], c[4]), "graph launches",
                     False, "launch", name, int(c[6]), int(c[7]), args)

    # -- arrows and counters ---------------------------------------------------

    def call(self, e):
        if not hasattr(self, "calls"):
            self.calls = {}
            for x in self.s.events:
                if x["kind"] == "api" and x["corr"] != ".":
                    self.calls.setdefault((x["process"], x["corr"]), x)
        if e["kind"] not in DEVICE or (e["keys"].get("detail") == "1" and
                                       e["kind"] != "sync"):
            return None
        c = self.calls.get((e["process"], e["corr"]))
        if c is None and e["id"] in self.s.member:
            i = self.s.launch.get(int(self.s.member[e["id"]][1]), [0, 0, "."])[2]
            c = self.ids.get(int(i)) if i != "." else None
            if c is not None and (c["kind"] != "api" or c["corr"] == "."):
                c = None
        return c

    def arrows(self):
        out = set()
        if self.o["A"] and not self.o["H"]:
            for e in self.drawn:
                c = self.call(e)
                if c is not None:
                    out.add((c["id"], e["id"]))
        return out

    def same_arrows(self, got, out):
        """An arrow may start at a call that begins with the call, within it;
        there is none if something else does, which is on its lane."""
        twins = defaultdict(list)
        for e in self.drawn:
            if e["kind"] not in DEVICE and e["kind"] not in ("counter", "mark"):
                twins[e["process"], e["lane"], e["start"]].append(e)
        for call, event in self.arrows():
            c = self.ids[call]
            rest = [e for e in twins[c["process"], c["lane"], c["start"]]
                    if e["id"] > call]
            calls = {call} | {e["id"] for e in rest if e["kind"] == "api"}
            others = [e for e in rest if e["kind"] != "api" and
                      (e["dur"] > 0 or e["open"])]
            found = {a for a in got if a[1] == event}
            if len(found) > 1 or not {a[0] for a in found} <= calls or \
                    (not found and not others):
                out.append("arrow %s: got %s" % ((call, event), found))
            got = got - found
        for a in got:
            out.append("arrow extra: %s" % (a,))

    def queued(self, e):
        c = self.call(e)
        return c is not None and e["id"] not in self.gone | self.beside and \
            e["kind"] != "sync" and c["start"] <= e["start"]

    def counters(self):
        """Values from each time on, as one point where they change."""
        by = defaultdict(Counter)
        for e in self.s.events if self.o["C"] else []:
            plane = self.plane("events", e["process"], e["device"])
            if self.queued(e):
                by[plane, "queue", "depth"][self.call(e)["start"]] += 1
                by[plane, "queue", "depth"][e["start"]] -= 1
        streams = defaultdict(list)
        for e in self.s.events if self.o["C"] else []:
            if e["kind"] in DEVICE - {"sync"} and e["dur"] > 0 and \
                    e["keys"].get("detail") != "1" and \
                    e["id"] not in self.gone | self.beside:
                plane = self.plane("events", e["process"], e["device"])
                streams[plane, e["context"], e["lane"]].append(
                    (e["start"], e["start"] + e["dur"]))
        for (plane, _, _), spans in streams.items():
            for t in {t for s in spans for t in s}:
                now = any(a <= t < b for a, b in spans)
                was = any(a < t <= b for a, b in spans)
                by[plane, "active", "streams"][t] += now - was
        out = {}
        for key, steps in by.items():
            v, points = 0, []
            for t in sorted(steps):
                if steps[t]:
                    v += steps[t]
                    points.append((t, str(v)))
            if points:
                out[key] = points
        for e in self.drawn:
            if e["kind"] == "counter":
                key = (self.lane(e)[0], shown(e["name"]),
                       shown(e["keys"].get("series", "value")))
                out.setdefault(key, []).append((e["start"],
                                                e["keys"]["value"]))
        return out


class Timeline:
    def __init__(self, path):
        c = perfetto_check.Checker()
        with open(path, "rb") as f:
            events = c.run(f.read())
        self.faults = c.lines
        self.planes, self.lanes = {}, {}
        self.slices, self.arrows, self.counters = [], set(), defaultdict(list)
        self.width = Counter()
        self.meta = c.metadata
        ends = defaultdict(dict)
        for e in events:
            if e["ph"] == "M":
                self.take_name(e)
        self.origin = int(self.meta["origin_ns"])
        for e in events:
            if e["ph"] in "Xi":
                self.take_slice(e)
            elif e["ph"] in "sf" and e["slice"]:
                ends[e["id"]][e["ph"]] = e["slice"]["args"]["event_id"]
            elif e["ph"] == "C":
                for k, v in e["args"].items():
                    self.counters[self.planes[e["pid"]], e["name"], k].append(
                        (e["at"] + self.origin, getattr(v, "text", str(v))))
        self.arrows = {(e.get("s"), e.get("f")) for e in ends.values()}

    def take_name(self, e):
        if e["name"] == "process_name":
            self.planes[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            name = e["args"]["name"]
            m = re.fullmatch(r"(.*) \((\d+)\)", name, re.S)
            self.lanes[e["pid"], e["tid"]] = (m[1], int(m[2])) if m else \
                (name, 1)
        elif e["name"] == "metadata":
            self.meta = e["args"]

    def take_slice(self, e):
        plane = self.planes[e["pid"]]
        lane, n = self.lanes[e["pid"], e["tid"]]
        if plane == "capture":
            return
        self.slices.append((plane, lane, e["cat"], e["name"],
                            e["at"] + self.origin, e["len"],
                            tuple(sorted(e["args"].items()))))
        self.width[plane, lane] = max(self.width[plane, lane], n)


def most_at_once(spans):
    """Lanes that a set of spans needs; those without length at one time share
    one."""
    best = 0
    for t in {a for a, _ in spans}:
        long = sum(a <= t < b for a, b in spans)
        zero = any(a == b == t for a, b in spans)
        best = max(best, long + zero)
    return best


def compare(what, want, got, out):
    want, got = Counter(want), Counter(got)
    for sign, diff in (("missing", want - got), ("extra", got - want)):
        for x in list(diff)[:4]:
            out.append("%s %s: %s" % (what, sign, x))


def main():
    gc.disable()
    args = sys.argv[1:]
    opts = {"A": False, "C": False, "H": False, "p": False, "i": "3"}
    files = []
    while args:
        a = args.pop(0)
        if a == "-i":
            opts["i"] = args.pop(0)
        elif a.startswith("-"):
            opts[a[1]] = True
        else:
            files.append(a)
    truth = Truth(Stream(files[0]), opts)
    got = Timeline(files[1])
    out = list(got.faults)
    if got.origin != truth.origin:
        out.append("origin %d, not %d" % (got.origin, truth.origin))
    compare("slice", truth.slices, got.slices, out)
    truth.same_arrows(got.arrows, out)
    compare("counter", [(k, tuple(v)) for k, v in truth.counters().items()],
            [(k, tuple(v)) for k, v in got.counters.items()], out)
    for key, spans in truth.flat.items():
        n = most_at_once(spans)
        if got.width[key] != n:
            out.append("%s has %d lanes, needs %d" % (key, got.width[key], n))
    notes = [v for k, v in got.meta.items() if k.startswith("note.")]
    for c in truth.s.notes:
        text = "%s %s%s: %s" % (c[1], c[2], "" if c[3] == "." else " " + c[3],
                                shown(c[4]))
        if text not in notes:
            out.append("note missing: " + text)
    for line in out[:20]:
        print(line)
    return 1 if out else 0


if __name__ == "__main__":
    sys.exit(main())
