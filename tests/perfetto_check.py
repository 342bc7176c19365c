#!/usr/bin/env python3
"""Checks a timeline for Perfetto: that its reader takes every object as it is
meant. Says "RULE: what" for each fault, at most five a rule, and exits 1.

usage: perfetto_check.py FILE          plain or gzip
       perfetto_check.py -l            the rules, one a line
"""
import gc
import gzip
import json
import re
import sys
import zlib
from collections import defaultdict

RULES = {
    "P01": "slices of a lane follow each other or lie whole in one another",
    "P02": "a parent stands before its child that begins with it",
    "P03": "times are decimals with three digits",
    "P04": "an arrow ends with bp e; both halves have one cat, name and id",
    "P05": "an id is used by one arrow",
    "P06": "both ends of an arrow lie in the slice they belong to",
    "P07": "tid is there and at least 1",
    "P08": "pid is there, from 1 to 2^32 - 1, dense",
    "P09": "tid is below 2^31 and dense",
    "P10": "a tid is in one process and not its pid",
    "P11": "ts is a number",
    "P12": "dur is a number of 0 or more",
    "P13": "X has a dur",
    "P14": "strict JSON without empty objects",
    "P15": "UTF-8 without \\u escapes of surrogates",
    "P16": "text that ends in a backslash is read to its end",
    "P17": "no control characters, no \\u escapes, no inf and nan",
    "P18": "counters have arguments, all of them numbers",
    "P19": "an instant has scope t",
    "P20": "processes and lanes have a name and a sort index, once",
    "P21": "args is an object of numbers and text",
    "P22": "there is metadata of numbers and text",
    "P23": "a displayTimeUnit is ns or ms",
    "P24": "nesting is at most 512 deep",
    "P25": "the metadata says how much there is",
    "P26": "gzip has one member",
    "P27": "times are relative: the first is 0, none is 2^63 ns",
    "P29": "host and device are apart",
    "P30": "counters have a point only where they change",
}

DEVICE = {"kernel", "memcpy", "memset", "sync", "graph", "task"}
HOST = {"api", "op", "python", "mark"}
PHASES = {"M", "X", "i", "C", "s", "f"}
US = re.compile(r"^(0|[1-9][0-9]*)\.[0-9]{3}$")


class Number:
    """A JSON number with the text it was written as."""

    def __init__(self, text):
        self.text = text

    def ns(self):
        whole, frac = self.text.split(".")
        return int(whole) * 1000 + int(frac)


SCALARS = {str, int, Number}


class Duplicate(Exception):
    pass


def pairs(items):
    out = dict(items)
    if len(out) != len(items):
        raise Duplicate("key twice in an object: %s" % [k for k, _ in items])
    return out


def constant(text):
    raise ValueError("%s is no JSON" % text)


class Checker:
    def __init__(self):
        self.faults = defaultdict(int)
        self.lines = []

    def fault(self, rule, what):
        self.faults[rule] += 1
        if self.faults[rule] <= 5:
            self.lines.append("%s: %s" % (rule, what))

    def need(self, ok, rule, what):
        if not ok:
            self.fault(rule, what)
        return ok

    # -- bytes ---------------------------------------------------------------

    def unpack(self, data):
        if data[:2] != b"\x1f\x8b":
            return data
        z = zlib.decompressobj(31)
        try:
            out = z.decompress(data) + z.flush()
        except zlib.error as e:
            self.fault("P26", str(e))
            return b""
        self.need(z.eof, "P26", "the member is cut")
        if self.need(not z.unused_data, "P26", "more than one member"):
            return out
        return gzip.decompress(data)

    def parse(self, data):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as e:
            self.fault("P15", str(e))
            return None
        escapes = re.findall(r"\\(?:u[0-9a-fA-F]{4}|.)", text)
        for e in escapes:
            if e[1] == "u":
                surrogate = e[2] in "dD" and e[3] in "89abABcdefCDEF"
                self.fault("P15" if surrogate else "P17", "escape " + e)
        try:
            return json.loads(text, parse_float=Number, parse_constant=constant,
                              object_pairs_hook=pairs)
        except Duplicate as e:
            self.fault("P21", str(e))
        except ValueError as e:
            what = str(e)
            rule = "P17" if "control character" in what or \
                "is no JSON" in what else "P16" if "Unterminated" in what \
                else "P14"
            self.fault(rule, what)
        return None

    # -- form ----------------------------------------------------------------

    def events_of(self, doc):
        self.metadata = None
        if isinstance(doc, dict):
            unit = doc.get("displayTimeUnit", "ns")
            self.need(unit in ("ns", "ms"), "P23", repr(unit))
            self.metadata = doc.get("metadata")
            doc = doc.get("traceEvents")
        if not self.need(isinstance(doc, list), "P14", "no array of events"):
            return []
        out = []
        for i, e in enumerate(doc):
            if self.need(isinstance(e, dict) and e, "P14",
                         "event %d is empty or no object" % i) and \
                    self.need(e.get("ph") in PHASES, "P14",
                              "event %d: ph %r" % (i, e.get("ph"))):
                e["#"] = i
                out.append(e)
        return out

    def scalars(self, args, rule, where):
        if not self.need(isinstance(args, dict), rule,
                         where + "is no object"):
            return
        if all(type(v) in SCALARS for v in args.values()):
            return
        for k, v in args.items():
            self.need(isinstance(v, (str, int, Number)) and
                      not isinstance(v, bool), rule,
                      "%s%s is neither number nor text" % (where, k))

    def ids(self, e):
        """Process and thread; True if both are good."""
        pid, tid = e.get("pid"), e.get("tid")
        if type(pid) is type(tid) is int and 1 <= pid < 2 ** 32 and \
                1 <= tid < 2 ** 31:
            return True
        ok = self.need(type(pid) is int and 1 <= pid < 2 ** 32, "P08",
                       "event %d: pid %r" % (e["#"], pid))
        ok &= self.need(type(tid) is int and tid >= 1, "P07",
                        "event %d: tid %r" % (e["#"], tid))
        if ok and not self.need(tid < 2 ** 31, "P09",
                                "event %d: tid %d" % (e["#"], tid)):
            return False
        return ok

    def good_times(self, e, ts, dur):
        """The usual case of times(), without what a message needs."""
        if type(ts) is not Number or not US.match(ts.text):
            return False
        e["at"], e["len"] = ts.ns(), 0
        if e["ph"] == "X":
            if type(dur) is not Number or not US.match(dur.text):
                return False
            e["len"] = dur.ns()
        return e["at"] + e["len"] < 2 ** 63

    def times(self, e):
        """Sets e["at"] and e["len"], in nanoseconds; True if good."""
        ts, dur = e.get("ts"), e.get("dur")
        if self.good_times(e, ts, dur):
            return True
        where = "event %d: " % e["#"]
        if not self.need(isinstance(ts, (int, Number)), "P11",
                         where + "ts %r" % ts):
            return False
        if not self.need(isinstance(ts, Number) and US.match(ts.text), "P03",
                         where + "ts %s" % getattr(ts, "text", ts)):
            return False
        e["at"], e["len"] = ts.ns(), 0
        if e["ph"] != "X":
            return True
        if not self.need("dur" in e, "P13", where + "no dur"):
            return False
        text = getattr(dur, "text", str(dur))
        if not self.need(isinstance(dur, (int, Number)) and
                         not text.startswith("-"), "P12",
                         where + "dur %r" % text):
            return False
        if not self.need(US.match(text), "P03", where + "dur " + text):
            return False
        e["len"] = dur.ns()
        return self.need(e["at"] + e["len"] < 2 ** 63, "P27",
                         where + "beyond 2^63 ns")

    def form(self, events):
        out = []
        for e in events:
            if "args" in e and e.get("name") != "metadata":
                self.scalars(e["args"], "P21", "event %d: args " % e["#"])
                if not isinstance(e["args"], dict):
                    continue
            if self.ids(e) and (e["ph"] == "M" or self.times(e)):
                out.append(e)
        return out

    # -- names ---------------------------------------------------------------

    def dense(self, events):
        pids = {e["pid"] for e in events}
        tids = {(e["tid"], e["pid"]) for e in events}
        self.need(max(pids, default=0) == len(pids), "P08",
                  "%d processes, pid up to %d" % (len(pids),
                                                  max(pids, default=0)))
        self.need(max((t for t, _ in tids), default=0) <=
                  len(tids) + len(pids), "P09", "%d lanes, tid up to %d" % (
                      len(tids), max((t for t, _ in tids), default=0)))
        of = {}
        for t, p in sorted(tids):
            self.need(t not in of, "P10", "tid %d in processes %d and %s" % (
                t, p, of.get(t)))
            self.need(t != p, "P10", "tid %d is the pid" % t)
            of[t] = p

    def names(self, events):
        got = defaultdict(list)
        for e in events:
            if e["ph"] != "M":
                continue
            what, key = e.get("name"), (e["pid"], e["tid"])
            if what in ("process_name", "process_sort_index"):
                key = e["pid"]
            value = e.get("args", {}).get(
                "name" if what in ("process_name", "thread_name")
                else "sort_index")
            got[what, key].append(value)
        for (what, key), values in got.items():
            where = "%s of %s: " % (what, key)
            if what in ("process_name", "thread_name"):
                self.need(all(isinstance(v, str) and v for v in values), "P20",
                          where + repr(values))
            elif what in ("process_sort_index", "thread_sort_index"):
                self.need(all(type(v) is int and abs(v) < 2 ** 31
                              for v in values), "P20", where + repr(values))
            self.need(len(values) == 1, "P20", where + "more than one")
        for e in events:
            if e["ph"] == "M":
                continue
            for what, key in (("process_name", e["pid"]),
                              ("process_sort_index", e["pid"]),
                              ("thread_name", (e["pid"], e["tid"])),
                              ("thread_sort_index", (e["pid"], e["tid"]))):
                if (what, key) not in got:
                    self.fault("P20", "no %s of %s" % (what, key))
                    got[what, key] = [None]
        seen = set()
        for (what, key), values in got.items():
            if what == "thread_name":
                name = (key[0], values[0])
                self.need(name not in seen, "P20", "two lanes %s" % (name,))
                seen.add(name)

    # -- slices --------------------------------------------------------------

    def lanes(self, events):
        """Stacks up the slices of each lane as Perfetto does, arrows
        included. Sets e["slice"] of each end of an arrow."""
        by = defaultdict(list)
        for e in events:
            if e["ph"] in "Xisf":
                by[e["pid"], e["tid"]].append(e)
        for key, lane in by.items():
            last = {}
            for e in lane:
                if e["ph"] == "X" and e["len"] > 0:
                    self.need(last.get(e["at"], e["len"]) >= e["len"], "P02",
                              "event %d begins with a shorter one above it"
                              % e["#"])
                    last[e["at"]] = e["len"]
            # at one time the longer first, then as they stand in the file
            lane.sort(key=lambda e: (e["at"], -e["len"]))
            self.stack(key, lane)

    def stack(self, key, lane):
        open_ = []
        for e in lane:
            if e["ph"] in "sf":
                e["slice"] = next((s for s in reversed(open_) if
                                   s["at"] <= e["at"] <= s["at"] + s["len"]),
                                  None)
                continue
            while open_:
                end = open_[-1]["at"] + open_[-1]["len"]
                if end > e["at"] or (end == e["at"] and
                                     open_[-1]["len"] == 0 == e["len"]):
                    break
                open_.pop()
            if open_:
                end = open_[-1]["at"] + open_[-1]["len"]
                self.need(e["at"] + e["len"] <= end, "P01",
                          "event %d on lane %s ends behind event %d, in which "
                          "it begins" % (e["#"], key, open_[-1]["#"]))
            open_.append(e)
            self.need(len(open_) <= 512, "P24", "event %d on lane %s is %d "
                      "deep" % (e["#"], key, len(open_)))

    def apart(self, events):
        kinds = defaultdict(set)
        for e in events:
            if e["ph"] in "Xi":
                cat = e.get("cat")
                kinds[e["pid"]].add("device" if cat in DEVICE else
                                    "host" if cat in HOST else "")
        for pid, k in kinds.items():
            self.need(not {"device", "host"} <= k, "P29",
                      "process %d has both" % pid)

    # -- arrows, counters, metadata --------------------------------------------

    def arrows(self, events):
        by = defaultdict(list)
        for e in events:
            if e["ph"] not in "sf":
                continue
            i = e.get("id")
            if self.need(type(i) is int and 0 <= i < 2 ** 53, "P05",
                         "event %d: id %r" % (e["#"], i)):
                by[i].append(e)
            if e["ph"] == "f":
                self.need(e.get("bp") == "e", "P04",
                          "event %d: no bp e" % e["#"])
            if not self.need(e["slice"] is not None, "P06",
                             "event %d lies in no slice" % e["#"]):
                continue
        for i, ends in by.items():
            phases = sorted(e["ph"] for e in ends)
            if not self.need(phases == ["f", "s"], "P05",
                             "id %s has ends %s" % (i, phases)):
                continue
            ends.sort(key=lambda e: e["ph"] == "f")
            self.need((ends[0].get("cat"), ends[0].get("name")) ==
                      (ends[1].get("cat"), ends[1].get("name")), "P04",
                      "id %s: cat or name differ" % i)
            a, b = ends[0]["slice"], ends[1]["slice"]
            if a is not None and b is not None:
                self.need(a.get("cat") == "api" and b.get("cat") in DEVICE,
                          "P06", "id %s goes from %s to %s" % (
                              i, a.get("cat"), b.get("cat")))

    def counters(self, events):
        by = defaultdict(list)
        for e in events:
            if e["ph"] != "C":
                continue
            args = e.get("args", {})
            self.need(args, "P18", "event %d: no args" % e["#"])
            for k, v in args.items():
                if self.need(isinstance(v, (int, Number)) and
                             not isinstance(v, bool), "P18",
                             "event %d: %s is %r" % (e["#"], k, v)):
                    by[e["pid"], e.get("name"), k].append(
                        (e["at"], getattr(v, "text", str(v)), e["#"]))
        for key, points in by.items():
            for a, b in zip(points, points[1:]):
                self.need(b[0] >= a[0] and a[1] != b[1], "P30",
                          "counter %s: event %d does not change it" % (
                              key, b[2]))

    def instants(self, events):
        for e in events:
            if e["ph"] == "i":
                self.need(e.get("s") == "t", "P19", "event %d: s %r" % (
                    e["#"], e.get("s")))

    def meta(self, events):
        m = self.metadata
        for e in events:
            if e["ph"] == "M" and e.get("name") == "metadata":
                m = e.get("args")
        if not self.need(isinstance(m, dict) and m, "P22", "none"):
            return
        self.scalars(m, "P22", "metadata ")
        self.need("origin_ns" in m, "P22", "no origin_ns")
        n = defaultdict(int)
        for e in events:
            n[e["ph"]] += 1
        for key, ph in (("n_slices", "X"), ("n_instants", "i"),
                        ("n_arrows", "s"), ("n_points", "C")):
            self.need(m.get(key) == n[ph], "P25", "%s is %r, there are %d" % (
                key, m.get(key), n[ph]))

    def relative(self, events):
        at = [e["at"] for e in events if "at" in e]
        self.need(min(at, default=0) == 0, "P27", "the first time is %s ns" %
                  min(at, default=0))

    def run(self, data):
        doc = self.parse(self.unpack(data))
        if doc is None:
            return []
        events = self.form(self.events_of(doc))
        if self.faults:
            return events
        for check in (self.dense, self.names, self.lanes, self.apart,
                      self.arrows, self.counters, self.instants, self.meta,
                      self.relative):
            check(events)
        return events


def main():
    gc.disable()  # millions of objects, none in a circle
    if sys.argv[1:] == ["-l"]:
        for rule in RULES.items():
            print("%s\t%s" % rule)
        return 0
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__)
        return 2
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    c = Checker()
    c.run(data)
    for line in c.lines:
        print(line)
    return 1 if c.faults else 0


if __name__ == "__main__":
    sys.exit(main())
