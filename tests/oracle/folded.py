#!/usr/bin/env python3
"""folded.py [FILE]: what tl-tree -wF folded has to print of a recovered
stream, by trying each instant between two borders; and that the sums are
those of the roots' records. With -n, without the check of the sums, for
streams of which a part was cut out."""

import fileinput
import sys

DEVICE = ("kernel", "memcpy", "memset", "graph", "task")
RANK = {"compute": 0, "comm": 1, "copy": 2}


class Event:
    def __init__(self, c, order):
        self.order, self.graph = order, c[0] == "graph"
        self.start, self.end = int(c[2]), int(c[2]) + int(c[3])
        self.scope, self.corr, self.name = c[4] + ":" + c[5], c[8], c[10]
        self.cls = "graph" if self.graph else c[9]
        self.pos, self.own = None, 0

    def key(self):
        return RANK.get(self.cls, 3), self.order


def read(lines):
    events, scopes, pos = {}, {}, {}
    for order, line in enumerate(lines):
        c = line.rstrip("\n").split("\t")
        if c[0] in DEVICE and not any(k.startswith("detail=") for k in c[12:]):
            events[c[1]] = Event(c, order)
        elif c[0] == "pos":
            scopes.setdefault(c[1], []).append(c)
        elif c[0] == "real":
            events[c[1]].pos = (c[2], c[3])
    return events.values(), scopes


def whole(events):
    """Those that count: no interval of a graph whose members are there."""
    members = {e.corr for e in events if not e.graph and e.corr.isdigit()}
    return [e for e in events if not (e.graph and e.corr in members)]


def share_out(events):
    """Each stretch between two borders goes to one event."""
    borders = sorted({t for e in events for t in (e.start, e.end)})
    begin = sorted(events, key=lambda e: e.start)
    running, k = [], 0
    for a, b in zip(borders, borders[1:]):
        running = [e for e in running if e.end > a]
        while k < len(begin) and begin[k].start <= a:
            if begin[k].end > a:
                running.append(begin[k])
            k += 1
        if running:
            min(running, key=Event.key).own += b - a


def frame(c):
    kind, iterations, body, label = c[6], c[7], c[8], c[23]
    if kind == "event":
        return (label if label != "." else "event").replace(";", "\\x3B")
    text = c[2] + " "
    if kind == "loop" and iterations != ".":
        text += iterations.replace(".00", "") + " x "
    if kind == "replay":
        text += "replay "
    if label not in (".", kind):
        return text + label.replace(";", "\\x3B")
    n = "." if body == "." else "{:,}".format(int(body))
    return text + n + (" event" if body == "1" else " events")


def stacks(scope, records, events):
    above = {}
    for c in records:
        above[c[2]] = scope.replace(";", "\\x3B") if c[3] == "." else \
            above[c[3]] + ";" + frame(c)
        own = sum(e.own for e in events if e.pos == (scope, c[2]))
        if own:
            yield "%s %d" % (above[c[2]], own)
    loose = {}
    for e in events:
        if e.pos is None and e.own:
            loose[e.name] = loose.get(e.name, 0) + e.own
    for name in sorted(loose, key=lambda s: s.encode()):
        yield "%s;(no position);%s %d" % (scope.replace(";", "\\x3B"),
                                          name.replace(";", "\\x3B"),
                                          loose[name])


def check_sums(root, events):
    """Columns busy, compute, comm_exposed and copy_exposed of the root."""
    for column, cls in ((13, None), (14, "compute"), (16, "comm"),
                        (18, "copy")):
        own = sum(e.own for e in events if cls in (None, e.cls))
        assert root[column] in (".", str(own)), (root[1], column, own)
    assert root[13] != "."


def main():
    args = sys.argv[1:]
    sums = "-n" not in args
    with fileinput.input([a for a in args if a != "-n"],
                         encoding="utf-8") as f:
        events, scopes = read(f)
    for name in list(scopes) + list(dict.fromkeys(
            e.scope for e in events if e.scope not in scopes)):
        mine = whole([e for e in events if e.scope == name])
        share_out(mine)
        if sums and name in scopes:
            check_sums(scopes[name][0], mine)
        for line in stacks(name, scopes.get(name, []), mine):
            print(line)


if __name__ == "__main__":
    main()
