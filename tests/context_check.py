#!/usr/bin/env python3
"""context_check.py STREAM ANSWER.tsv: compares the links of a stream with what
the generator put there, device event by device event, and the counts in step,
exec and work records with the links. Prints what differs; 1 if anything."""
import collections
import sys

DEVICE = {"kernel", "memcpy", "memset", "sync", "graph", "task"}


def lines(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            yield line.rstrip("\n").split("\t")


def answer(path, kineto):
    """(process, device, kind, start) -> answers. What has no call has no
    process that a reader could know where there are several."""
    want = collections.defaultdict(list)
    rows = [c for c in lines(path) if c[0] == "link"]
    several = len({c[1] for c in rows}) > 1
    for c in rows:
        if several and c[5] == "no_call" and kineto:
            c[1] = "."
        want[tuple(c[1:5])].append(tuple(c[5:8]))
    return want


def main():
    events, links, steps, execs, work = {}, {}, {}, {}, {}
    for c in lines(sys.argv[1]):
        if c[0] == "#source":
            kineto = "kind=kineto" in c
        elif c[0] in DEVICE:
            events[c[1]] = (c[4], c[5], c[0], c[2], int(c[3]))
        elif c[0] == "api":
            events[c[1]] = None
        elif c[0] == "step":
            steps[c[1]] = c
        elif c[0] == "exec":
            execs[c[1]] = c
        elif c[0] == "work":
            work[tuple(c[1:4])] = c
        elif c[0] == "link":
            if c[1] in links:
                sys.exit(f"event {c[1]} has two links")
            links[c[1]] = c
    want = answer(sys.argv[2], kineto)
    bad = []
    for i, e in events.items():
        if e is None:
            continue
        link = links.get(i)
        if link is None:
            bad.append(f"event {i} has no link")
            continue
        got = (link[4] if link[4] != "unlinked" else link[5],
               "." if link[2] == "." else steps[link[2]][7],
               "." if link[3] == "." else execs[link[3]][5])
        if got not in want.get(e[:4], []):
            bad.append(f"event {i} {e}: {got}, not {want.get(e[:4])}")
        else:
            want[e[:4]].remove(got)
    bad += [f"{k}: not there: {v}" for k, v in want.items() if v]
    on_device = [l for i, l in links.items() if events[i] is not None]
    for name, table, column, count in ("step", steps, 2, 14), \
            ("exec", execs, 3, 18):
        n = collections.Counter(l[column] for l in on_device)
        for i, c in table.items():
            if int(c[count]) != n[i]:
                bad.append(f"{name} {i}: {c[count]} events, not {n[i]}")
    calls = collections.Counter(
        l[3] for i, l in links.items() if events[i] is None)
    for i, c in execs.items():
        if int(c[17]) != calls[i]:
            bad.append(f"exec {i}: {c[17]} calls, not {calls[i]}")
    mine = {}
    for l in on_device:
        e = events[l[1]]
        if l[2] != ".":
            mine.setdefault((l[2], e[0], e[1]), []).append((e, l[1]))
    for key in mine.keys() | work.keys():
        ev = mine.get(key, [])
        start = min(int(e[3]) for e, _ in ev)
        end = max(int(e[3]) + e[4] for e, _ in ev)
        row = [str(len(ev)), str(start), str(end - start)]
        got = work.get(key)
        if got is None or [got[4], got[6], got[7]] != row:
            bad.append(f"work {key}: {got}, not {row}")
    print("\n".join(bad[:20]))
    if bad or not on_device:
        print(f"{len(bad)} differ, {len(on_device)} links")
        sys.exit(1)


main()
