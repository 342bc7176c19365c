#!/usr/bin/env python3
"""Says what tl-cut must leave of a stream, by the plainest way, and compares.

usage: cut.py IN OUT [-w A..B] [-i LOOP] [-d DEVICE]... [-e KINDS] [-x KINDS]
"""
import re
import sys
from decimal import Decimal

DEVICE = "kernel memcpy memset sync graph task".split()
HOST = "api op range python mark counter".split()


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def options(args):
    o = {"d": []}
    while args:
        letter = args.pop(0)[1]
        if letter == "d":
            o["d"].append(args.pop(0))
        else:
            o[letter] = args.pop(0)
    return o


def kinds(text):
    out = []
    for k in text.split(","):
        out += DEVICE if k == "device" else HOST if k == "host" else [k]
    return out


class Cut:
    def __init__(self, lines, o):
        self.lines, self.o = lines, o
        self.events = [c for c in lines if c[0] in DEVICE + HOST]
        self.by_id = {c[1]: c for c in self.events}
        self.occ = {(c[1], c[2] + "#" + c[3]): c for c in lines
                    if c[0] == "occ"}
        self.pos = {(c[1], c[2]): c for c in lines if c[0] == "pos"}
        self.real = {c[1]: c for c in lines if c[0] == "real"}
        self.kept = {c[1] for c in self.events if self.plain(c)}
        if "i" in o:
            self.iterations()

    @staticmethod
    def span(c):
        a = int(c[2])
        if c[3] != ".":
            return a, a + int(c[3])
        return a, a if c[0] in ("mark", "counter") else 10 ** 30

    @staticmethod
    def overlap(span, a, b):
        """An instant lies where its time does."""
        s, e = span
        return s < b and (e > a or s >= a)

    def plain(self, c):
        o = self.o
        if "e" in o and c[0] not in kinds(o["e"]):
            return False
        if "x" in o and c[0] in kinds(o["x"]):
            return False
        if o["d"] and (c[0] in DEVICE or c[5] != ".") and \
                c[5] not in o["d"] and c[4] + ":" + c[5] not in o["d"]:
            return False
        if "w" not in o:
            return True
        a, b = (Decimal(x) * 10 ** 6 if x else None
                for x in o["w"].split("..", 1))
        t0 = int(self.events[0][2])
        return self.overlap(self.span(c), t0 + (a or 0),
                            10 ** 29 if b is None else t0 + b)

    def iterations(self):
        m = re.fullmatch(r"(?:(.*)/)?(N\d+)([/#])(\d+)(?:\.\.(\d+))?",
                         self.o["i"], re.S)
        scope = m[1] or next(iter(self.pos))[0]
        lo, hi = int(m[4]), int(m[5] or m[4])
        chosen = []
        for (s, name), c in self.occ.items():
            if s != scope or c[2] != m[2]:
                continue
            n = int(c[3]) if m[3] == "#" else \
                int(c[5]) if c[4].split("#")[0] == c[2] else 0
            if lo <= n <= hi:
                chosen.append(name)
        spans = [(int(self.occ[scope, k][8]), int(self.occ[scope, k][8]) +
                  int(self.occ[scope, k][9])) for k in chosen]
        keep = set()
        for c in self.events:
            r = self.real.get(c[1])
            if r is not None and r[2] == scope:
                if self.above(scope, r[4]) & set(chosen):
                    keep.add(c[1])
            elif any(self.overlap(self.span(c), a, b) for a, b in spans):
                keep.add(c[1])
        keep &= self.kept
        launched = {(c[4], c[8]) for c in self.events
                    if c[1] in keep and c[0] in DEVICE and
                    c[4] + ":" + c[5] == scope and c[8] != "."}
        self.kept = keep | {c[1] for c in self.events
                            if c[1] in self.kept and c[0] == "api" and
                            (c[4], c[8]) in launched}

    def above(self, scope, name):
        out = set()
        while name != "." and (scope, name) in self.occ:
            out.add(name)
            name = self.occ[scope, name][4]
        return out

    # -- findings ----------------------------------------------------------------

    def expect(self):
        members = {k: [] for k in self.occ}
        for r in self.real.values():
            for name in self.above(r[2], r[4]):
                members[r[2], name].append(r[1])
        self.new = {}
        self.number = {}
        for k, c in self.occ.items():
            have = members[k]
            left = [e for e in have if e in self.kept]
            if not have:
                have = [c2[1] for c2 in self.costs(k[0])] \
                    if self.pos[c[1], c[2]][6] == "root" else \
                    [c[7]] * (c[7] != ".")
                left = [e for e in have if e in self.kept]
            if left or not have:
                n = self.number.get((k[0], c[2]), 0) + 1
                self.number[k[0], c[2]] = n
                self.new[k] = [c[2] + "#" + str(n), have, left]
        scopes = {k[0] for k in self.new} | {
            r[2] for r in self.real.values() if r[1] in self.kept}
        out = []
        for c in self.lines:
            if c[0] == "occ" and (c[1], c[2] + "#" + c[3]) in self.new:
                out.append(self.occ_line(c))
            elif c[0] == "real" and c[1] in self.kept:
                up = self.new.get((c[2], c[4]))
                out.append(c[:4] + [up[0] if up else c[4]] + c[5:])
            elif c[0] == "pos" and c[1] in scopes:
                out.append(self.pos_line(c))
            elif c[0] == "member" and c[5] in self.kept:
                out.append(c)
            elif c[0] in self.by_id_kinds() and c[1] in self.kept:
                out.append(c)
        return out

    @staticmethod
    def by_id_kinds():
        return DEVICE + HOST

    def costs(self, scope):
        return [c for c in self.events if c[0] in DEVICE and c[0] != "sync" and
                "detail=1" not in c[12:] and c[4] + ":" + c[5] == scope]

    def ran(self, scope, a, b):
        """Columns busy to idle of a window, nanosecond by nanosecond between
        the borders of events."""
        ev = self.costs(scope)
        if any(c[0] == "note" and c[2] == "cut" for c in self.lines) or \
                any(c[0] == "graph" for c in ev):
            return ["."] * 7
        ev = [(max(s, a), min(e, b), c[9]) for c in ev
              for s, e in [self.span(c)] if s < b and e > a and s < e]
        edge = sorted({t for s, e, _ in ev for t in (s, e)})
        sums = [0] * 6
        for s, e in zip(edge, edge[1:]):
            on = {k for x, y, k in ev if x <= s and y >= e}
            comm, copy = "comm" in on, "copy" in on
            for i, yes in enumerate([
                    bool(on), "compute" in on, comm,
                    comm and "compute" not in on, copy,
                    copy and not on & {"compute", "comm"}]):
                sums[i] += (e - s) * yes
        return [str(n) for n in sums + [b - a - sums[0]]]

    def occ_line(self, c):
        name, have, left = self.new[c[1], c[2] + "#" + c[3]]
        out = list(c)
        if len(self.kept) < len(self.events):
            del out[19:]  # variants are not kept
        out[3] = name.split("#")[1]
        if c[4] != ".":
            out[4] = self.new[c[1], c[4]][0]
        if len(left) == len(have):
            return out
        ev = [self.by_id[e] for e in left]
        window = ev
        if self.pos[c[1], c[2]][6] == "root":
            window = [x for x in self.costs(c[1]) if x[1] in self.kept] + ev
        spans = [self.span(x) for x in window]
        a, b = min(s for s, _ in spans), max(e for _, e in spans)
        out[6] = "partial"
        # in the recovered order, which is that of the real records
        parts = [r[1] for r in self.real.values() if r[1] in left]
        out[7] = parts[0] if parts else "."
        out[8], out[9], out[10] = str(a), str(b - a), "."
        out[11:18] = self.ran(c[1], a, b)
        out[18] = str(sum(e - s for s, e in map(self.span, ev))
                      if parts else 0)
        return out

    @staticmethod
    def median(v):
        return sorted(v)[(len(v) - 1) // 2]

    def pos_line(self, c):
        k = (c[1], c[2])
        out = list(c)
        if c[6] == "event":
            have = [r for r in self.real.values() if (r[2], r[3]) == k]
            left = [r[1] for r in have if r[1] in self.kept]
            if len(left) == len(have):
                return out
            dur = [int(self.by_id[e][3]) for e in left]
            out[9] = str(len(left))
            out[10:23] = ["."] * 13
            if left:
                out[10] = left[0]
                out[11] = str(min(int(self.by_id[e][2]) for e in left))
                out[12] = out[13] = str(self.median(dur))
                out[19] = "0"
            return out
        mine = [x for x in self.occ.values() if (x[1], x[2]) == k]
        if all((x[1], x[2] + "#" + x[3]) in self.new and
               len(self.new[x[1], x[2] + "#" + x[3]][1]) ==
               len(self.new[x[1], x[2] + "#" + x[3]][2]) for x in mine):
            return out
        kept = [(self.occ_line(x), x[4].split("#")[0] == x[2] and
                 c[6] == "loop", self.new[x[1], x[2] + "#" + x[3]])
                for x in mine if (x[1], x[2] + "#" + x[3]) in self.new]
        whole = [(x, n) for x, it, n in kept if not it]
        full = [(x, n) for x, n in whole if x[6] == "full"] or whole
        if c[6] == "root" and c[8] not in (".", "0"):
            out[8] = str(sum(r[1] in self.kept and
                             k[1] in {a.split("#")[0] for a in
                                      self.above(r[2], r[4])}
                             for r in self.real.values() if r[2] == k[0]))
        out[9] = str(len(whole))
        out[10] = kept[0][0][7] if kept else "."
        out[11] = str(min(int(x[8]) for x, _, _ in kept)) if kept else "."
        for i, col in enumerate([9, 11, 12, 13, 14, 15, 16, 17]):
            v = [x[col] for x, _ in full]
            out[12 + i] = "." if not v or "." in v else \
                str(self.median([int(x) for x in v]))
        out[20:23] = ["."] * 3
        if c[6] == "loop":
            v = [len(n[2]) * 100 // int(c[8]) for _, n in full] or [
                sum(len(n[2]) for _, it, n in kept if it) * 100 // int(c[8])]
            out[7] = "%d.%02d" % divmod(self.median(v), 100)
            v = [int(x[10]) for x, it, _ in kept
                 if it and x[6] == "full" and x[10] != "."]
            if v:
                out[20:23] = [str(min(v)), str(self.median(v)), str(max(v))]
        return out


def launches(cut, got, out):
    """A launch refers to what is there, and counts it right."""
    members = {}
    for c in cut.lines:
        if c[0] == "member":
            members.setdefault(c[1], []).append(c[5])
    ids = {c[1] for c in got if c[0] in DEVICE + HOST}
    have = {c[1]: c for c in got if c[0] == "launch"}
    for c in cut.lines:
        if c[0] != "launch":
            continue
        all_ = members.get(c[1], [])
        left = [e for e in all_ if e in ids]
        alone = not all_ and c[12] == "."
        want = left or c[12] in ids or \
            (alone and (c[2] == "." or c[2] in ids))
        g = have.get(c[1])
        if bool(want) != (g is not None):
            out.append("launch %s: %s" % (c[1], g))
            continue
        if g is None:
            continue
        for i in (2, 12):
            if g[i] != (c[i] if c[i] in ids else "."):
                out.append("launch %s: column %d is %s" % (c[1], i, g[i]))
        if 0 < len(left) < len(all_):
            spans = [cut.span(cut.by_id[e]) for e in left]
            a, b = min(s for s, _ in spans), max(e for _, e in spans)
            missing = "." if c[11] == "." else \
                str(int(c[11]) + len(all_) - len(left))
            if g[6:8] + g[9:12] != [str(a), str(b - a), "partial",
                                    str(len(left)), missing]:
                out.append("launch %s: %s" % (c[1], g))
        elif g[3:12] != c[3:12]:
            out.append("launch %s was changed: %s" % (c[1], g))


def main():
    o = options(sys.argv[3:])
    cut = Cut(read(sys.argv[1]), o)
    got = read(sys.argv[2])
    out = []
    kinds_ = DEVICE + HOST + ["pos", "occ", "real", "member"]
    want = ["\t".join(c) for c in cut.expect()]
    have = ["\t".join(c) for c in got if c[0] in kinds_]
    if want != have:
        for w in [x for x in want if x not in set(have)][:3]:
            out.append("missing: " + w)
        for h in [x for x in have if x not in set(want)][:3]:
            out.append("extra: " + h)
        out.append("lines differ, or their order")
    launches(cut, got, out)
    left = [c for c in cut.lines if c[0] == "note"]
    notes = [c for c in got if c[0] == "note"]
    if notes[:len(left)] != left:
        out.append("notes changed")
    for line in out[:12]:
        print(line)
    return 1 if out else 0


if __name__ == "__main__":
    sys.exit(main())
