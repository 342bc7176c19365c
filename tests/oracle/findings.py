#!/usr/bin/env python3
"""Checks the pos, occ, real, variant and dev records of a recovered stream
(standard input) against the rules of tl-ev(5) and tl-recover(1), restated here
in brute force: order, membership, windows, union costs, medians, variants.
Which loops there should be
is not asked (runs.py). Prints each contradiction; status 1 if there is one.
"""
import sys
from collections import defaultdict

COSTS = "busy compute comm comm_exposed copy copy_exposed idle".split()


def union(spans):
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        elif a < b:
            out.append([a, b])
    return out


def length(spans):
    return sum(b - a for a, b in union(spans))


def window_costs(events, lo, hi):
    """Costs of a window: len(A or B) - len(B) is what of A B leaves open."""
    cut = defaultdict(list)
    opaque = False
    for e in events:
        a, b = max(e["start"], lo), min(e["end"], hi)
        if a < b:
            cut["graph" if e["kind"] == "graph" else e["class"]].append((a, b))
            opaque |= e["kind"] == "graph"
    every = [s for c in cut.values() for s in c]
    comp, comm, copy = cut["compute"], cut["comm"], cut["copy"]
    busy = length(every)
    out = dict(busy=busy, idle=hi - lo - busy, compute=length(comp),
               comm=length(comm), copy=length(copy),
               comm_exposed=length(comp + comm) - length(comp),
               copy_exposed=length(comp + comm + copy) - length(comp + comm))
    if opaque:
        for k in COSTS[1:-1]:
            out[k] = None
    return out


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def number(text):
    return None if text == "." else int(text)


def lower_medians(choices):
    """What the lower median can be of one value from each set: v, if so many
    are less (l) and so many equal (e) that the middle one is."""
    out, middle = set(), (len(choices) - 1) // 2
    for v in set().union(*choices):
        seen = {(0, 0)}
        for c in choices:
            step = {(w < v, w == v) for w in c}
            seen = {(l + a, e + b) for l, e in seen for a, b in step
                    if l + a <= middle}
        if any(l <= middle < l + e for l, e in seen):
            out.add(v)
    return out


class Stream:
    def __init__(self, lines):
        self.events, self.order = {}, defaultdict(list)
        self.pos, self.occ, self.real = {}, {}, defaultdict(list)
        self.dev, self.both = defaultdict(list), defaultdict(list)
        self.variant = defaultdict(list)
        self.launch = {}  # of an event: (launch, stream, index)
        for line in lines:
            f = line.rstrip("\n").split("\t")
            if f[0] in ("kernel", "memcpy", "memset", "task", "graph"):
                self.event(f)
            elif f[0] == "pos":
                self.pos[f[1], f[2]] = f
            elif f[0] == "occ":
                self.occ[f[1], f[2] + "#" + f[3]] = f
            elif f[0] == "real":
                self.real[f[2]].append(f)
                self.both[f[2]].append((int(f[1]), f[4], f[3]))
            elif f[0] == "dev":
                self.dev[f[1]].append(f)
                self.both[f[1]].append((number(f[6]), f[2],
                                        (f[4], f[5])))
            elif f[0] == "variant":
                self.variant[f[1], f[2]].append(f)
            elif f[0] == "member":
                self.launch[int(f[5])] = (int(f[1]), int(f[3]), int(f[4]))

    def event(self, f):
        keys = dict(k.split("=", 1) for k in f[12:])
        if "detail" in keys:
            return
        e = dict(kind=f[0], id=int(f[1]), start=int(f[2]),
                 end=int(f[2]) + int(f[3]), corr=number(f[8]), lane=f[7],
                 sym=keys.get("sym", f[10]), scope=f[4] + ":" + f[5])
        e["class"] = f[9]
        e["part"] = (f[0] in ("kernel", "task", "graph") and
                     f[9] in ("compute", "comm") and "role" not in keys)
        self.events[e["id"]] = e
        self.order[e["scope"]].append(e)


def launch_order(events, launch, by_start):
    """(correlation, start); one without goes behind the last that started.
    A replay stands where its first member does, stream by stream."""
    keyed, last = [], 0
    for i, e in enumerate(events):
        if not e["part"] and e["id"] not in launch:
            continue
        if e["corr"] is not None:
            last = e["corr"]
        keyed.append((0, 0, i, e) if by_start else
                     (last, e["corr"] is None, i, e))
    out, done = [], set()
    keyed.sort(key=lambda k: k[:3])
    for _, _, _, e in keyed:
        if e["id"] not in launch:
            out.append(e["id"])
        elif launch[e["id"]][0] not in done:
            done.add(launch[e["id"]][0])
            out += sorted((m["id"] for _, _, _, m in keyed if m["part"] and
                           launch.get(m["id"], [0])[0] == launch[e["id"]][0]),
                          key=lambda m: launch[m][1:])
    return out


def without_described(events):
    """A graph interval some member of which is there counts nowhere."""
    known = {e["corr"] for e in events
             if e["kind"] != "graph" and e["corr"] is not None}
    return [e for e in events if e["kind"] != "graph" or
            e["corr"] not in known]


def check(st, say, by_start):
    for scope, events in st.order.items():
        events = without_described(events)
        order = [b[0] for b in st.both[scope] if b[0] is not None]
        if order != launch_order(events, st.launch, by_start):
            say("%s: order of real records" % scope)
        check_scope(st, scope, events, order, say)


def members_of(st, scope, say):
    """Events below each occurrence, by the parents of real and occ. Members of
    a launch that take no part belong to its replay, if that has others."""
    members, replay = defaultdict(list), {}
    for f in st.real[scope]:
        up = f[4]
        while int(f[1]) in st.launch and up != ".":
            if st.pos[scope, up.split("#")[0]][6] == "replay":
                replay[st.launch[int(f[1])][0]] = up
                break
            up = st.occ[scope, up][4]
    for f in st.dev[scope]:
        if f[6] != "." and int(f[6]) in st.launch:
            replay[st.launch[int(f[6])][0]] = f[2]
    real = [b[:2] for b in st.both[scope] if b[0] is not None]
    real += [(e["id"], replay.get(st.launch[e["id"]][0], "N001#1"))
             for e in st.order[scope]
             if not e["part"] and e["id"] in st.launch]
    for event, up in real:
        while up != ".":
            members[up].append(event)
            if (scope, up) not in st.occ:
                say("%s: no occurrence %s" % (scope, up))
                break
            up = st.occ[scope, up][4]
    return members


def check_scope(st, scope, events, order, say):
    members = members_of(st, scope, say)
    rank = {e: i for i, e in enumerate(order)}
    by_pos = defaultdict(list)
    for (s, name), f in st.occ.items():
        if s == scope:
            by_pos[f[2]].append((int(f[3]), name, f))
    leaves = defaultdict(list)
    for f in st.real[scope]:
        leaves[f[3]].append(st.events[int(f[1])])
        owner = st.occ[scope, f[4]]
        it = owner[5] if owner[4].split("#")[0] == owner[2] else "."
        if f[5] != it:
            say("%s: iteration of event %s" % (scope, f[1]))
    check_devs(st, scope, say)
    for (s, pos), p in st.pos.items():
        if s != scope:
            continue
        if p[6] == "event":
            check_leaf(st, p, leaves[pos], events, say)
            continue
        check_occs(st, scope, p, sorted(by_pos[pos]), members, rank, events,
                   say)


def above(st, scope, up):
    while up != ".":
        yield up
        up = st.occ[scope, up][4]


def check_devs(st, scope, say):
    """What deviates differs from what its place says; and counts for all
    occurrences it lies in: st.off has extra and replaced events, and how many
    stood in the place of these and of missing ones."""
    st.off = defaultdict(lambda: [0, 0, 0])
    st.trail = defaultdict(list)  # what an occurrence is made of
    seen = set()
    for event, up, what in st.both[scope]:
        if isinstance(what, tuple) and event is not None:
            what += (st.events[event]["sym"],)
        ups = list(above(st, scope, up))
        for k, o in enumerate(ups):
            if st.pos[scope, o.split("#")[0]][6] == "replay":
                # whatever it has of its members, it is one
                what, ups = o.split("#")[0], ups[k + 1:]
                ups = [] if o in seen else ups
                seen.add(o)
                break
        for o in ups:
            st.trail[o].append(what)
    for f in st.dev[scope]:
        owner = st.occ[scope, f[2]]
        it = owner[5] if owner[4].split("#")[0] == owner[2] else "."
        if f[3] != it:
            say("%s: iteration of a deviation at %s" % (scope, f[2]))
        pos = st.pos[scope, f[5]] if f[5] != "." else None
        if (f[4] == "missing") != (f[6] == "."):
            say("%s: %s with event %s" % (scope, f[4], f[6]))
        if f[4] == "replaced" and pos and pos[6] == "event" and \
                pos[23] == st.events[int(f[6])]["sym"]:
            say("%s: event %s is what it replaces" % (scope, f[6]))
        k = ["extra", "replaced", "missing"].index(f[4])
        for o in above(st, scope, f[2]):
            st.off[o][k] += f[4] != "missing"
            if f[4] != "extra":
                st.off[o][2] += int(pos[8]) if pos else 1
        if not any(st.pos[scope, o.split("#")[0]][6] in ("loop", "seq")
                   for o in above(st, scope, f[2])):
            say("%s: a deviation from no body, at %s" % (scope, f[2]))


def check_variants(st, scope, p, its, say):
    """Iterations (rows of occ, measured) in groups of the same make."""
    whole = [r for r in its if r["whole"]]
    groups = defaultdict(list)
    for r in whole:
        groups[tuple(st.trail[r["name"]])].append(r)
    got = st.variant[scope, p[2]]
    if not any(sum(st.off[r["name"]]) for r in whole):
        if got or any(len(r["f"]) > 19 for r in its):
            say("%s %s: variants of what does not differ" % (scope, p[2]))
        return
    want = sorted(groups.values(),
                  key=lambda g: (-len(g), int(g[0]["f"][3])))
    if len(want) != len(got):
        say("%s %s: %d variants, not %d" %
            (scope, p[2], len(got), len(want)))
        return
    for i, (g, v) in enumerate(zip(want, got)):
        kinds = [f[0] for f in st.trail[g[0]["name"]] if isinstance(f, tuple)]
        row = [str(i + 1), str(len(g)), g[0]["name"]]
        row += [str(kinds.count(k)) for k in
                ("extra", "missing", "replaced")]
        full = [r for r in g if r["full"]] or g
        with_period = [r for r in g if r["full"] and r["f"][10] != "."] or \
            [r for r in g if r["f"][10] != "."]
        row.append(str(lower_median([int(r["f"][10]) for r in with_period]))
                   if with_period else ".")
        row += [str(lower_median([r[c] for r in full]))
                for c in ("span", "busy", "idle")]
        if v[3:] != row:
            say("%s %s: variant %s, not %s" % (scope, p[2], v[3:], row))
        if any(r["f"][19:] != [str(i + 1)] for r in g):
            say("%s %s: iterations of variant %d" % (scope, p[2], i + 1))


def check_columns(p, first, rows, say, where):
    """Medians of the columns behind first: span, busy ... idle."""
    for k, name in enumerate(["span"] + COSTS):
        values = [r[name] for r in rows]
        want = None if None in values else lower_median(values)
        if number(p[first + k]) != want:
            say("%s %s: %s is %s, not %s" % (where, p[2], name, p[first + k],
                                             want))


def check_leaf(st, p, evs, events, say):
    if len({e["sym"] for e in evs}) != 1 or p[23] != evs[0]["sym"]:
        say("%s: several symbols or wrong label" % p[2])
    rows = [dict(window_costs(events, e["start"], e["end"]),
                 span=e["end"] - e["start"]) for e in evs]
    if int(p[9]) != len(evs) or int(p[8]) != 1:
        say("%s: occurrences" % p[2])
    if int(p[10]) != evs[0]["id"] or int(p[11]) != min(e["start"] for e in evs):
        say("%s: first event or start" % p[2])
    check_columns(p, 12, rows, say, p[1])


def check_occs(st, scope, p, occs, members, rank, events, say):
    where = "%s %s" % (scope, p[2])
    if [o[0] for o in occs] != list(range(1, len(occs) + 1)):
        say("%s: numbers of occurrences" % where)
    rows, whole, iters, skipped = {}, [], defaultdict(list), 0
    for _, name, f in occs:
        ids = members[name]
        if not ids and p[3] != ".":
            skipped += 1  # replays of fills alone: nothing tells which
            continue
        if p[3] == ".":
            lo = min(e["start"] for e in events)
            hi = max(e["end"] for e in events)
        else:
            lo = min(st.events[i]["start"] for i in ids)
            hi = max(st.events[i]["end"] for i in ids)
        part = [i for i in ids if i in rank]
        extra, replaced, stood = st.off[name]
        r = dict(window_costs(events, lo, hi), span=hi - lo,
                 n=len(part) - extra - replaced,
                 expected=len(part) - extra - replaced + stood,
                 full=f[6] == "full", start=lo, name=name, f=f)
        if part and sorted(rank[i] for i in part) != list(
                range(rank[part[0]], rank[part[0]] + len(part))):
            say("%s %s: members are not contiguous" % (where, name))
        got = [number(v) for v in [f[8], f[9]] + f[11:18]]
        want = [lo, hi - lo] + [r[c] for c in COSTS]
        if got != want:
            say("%s %s: costs %s, not %s" % (where, name, got, want))
        if int(f[18]) != sum(st.events[i]["end"] - st.events[i]["start"]
                             for i in ids):
            say("%s %s: sum" % (where, name))
        if len(part) == len(ids) > 0 and int(f[7]) != ids[0]:
            say("%s %s: first event" % (where, name))
        rows[name] = r
        (iters[f[4]] if f[4].split("#")[0] == p[2] else whole).append(r)
    if not skipped:
        check_pos(st, scope, p, whole, iters, say, where)


def hundredths(its, body, replays):
    """Whole iterations and the fraction of those cut at an end. Within, and
    where replays may lack members, one that is not full need not be cut."""
    out = {0}
    for i, r in enumerate(its):
        cut = not r["full"] and i in (0, len(its) - 1)
        add = set() if cut and not replays else {100}
        if cut:
            add.add(r["n"] * 100 // body)
        out = {a + b for a in out for b in add}
    return out


def check_pos(st, scope, p, whole, iters, say, where):
    body, periods = int(p[8]), []
    for up, its in iters.items():
        if [int(r["f"][5]) for r in its] != list(range(1, len(its) + 1)):
            say("%s %s: iteration numbers" % (where, up))
        for i, r in enumerate(its):
            nxt = its[i + 1]["start"] - r["start"] if i + 1 < len(its) else None
            if number(r["f"][10]) != nxt:
                say("%s %s: period" % (where, r["name"]))
            if r["full"] and nxt is not None:
                periods.append(nxt)
            if r["full"] != (r["expected"] == body):
                say("%s %s: full, with %d of %d events" %
                    (where, r["name"], r["expected"], body))
            # one that lacks members of a replay may be whole, or cut
            r["whole"] = r["full"] or (bool(st.launch) and
                                       len(r["f"]) > 19)
    check_variants(st, scope, p, [r for v in iters.values() for r in v],
                   say)
    full = [r for r in whole if r["full"]] or whole
    if not full:
        return  # replays of fills alone
    check_columns(p, 12, full, say, where)
    if int(p[9]) != len(whole) or int(p[11]) != min(r["start"] for r in whole):
        say("%s: occurrences or start" % where)
    want = {"."}
    if p[6] == "loop":
        want = {"%d.%02d" % divmod(v, 100) for v in lower_medians(
            [hundredths(iters[r["name"]], body, bool(st.launch))
             for r in full])}
    if p[7] not in want:
        say("%s: iterations %s, not %s" % (where, p[7], want))
    want = [min(periods), lower_median(periods), max(periods)] if periods \
        else [None] * 3
    if [number(v) for v in p[20:23]] != want:
        say("%s: iter columns %s, not %s" % (where, p[20:23], want))


def main():
    bad = []

    def say(text):
        bad.append(text)
        if len(bad) <= 20:
            print(text)

    st = Stream(sys.stdin)
    if not st.pos:
        say("no pos records")
    check(st, say, "-s" in sys.argv[1:])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
