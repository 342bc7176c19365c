#!/usr/bin/env python3
"""compact.py FILE: a stream of lines "api START DUR PROCESS THREAD CORRELATION
NAME [KEY...]" and "KIND START DUR PROCESS DEVICE STREAM CORRELATION NAME
[KEY...]". A start A+S*N makes N lines at A, A+S ... with a number behind their
names. Header lines "#capture ..." and "#source ..." are passed on."""
import re
import sys

rows, head = [], []
for line in open(sys.argv[1]):
    f = line.split()
    if f and f[0] in ("#capture", "#source"):
        head.append(f)
    if not f or f[0][0] == "#":
        continue
    if f[0] == "api":
        f[4:5] = [".", f[4]]
    kind, start, dur, process, device, lane, corr, name = f[:8]
    a, step, n = re.fullmatch(r"(-?\d+)(?:\+(\d+)\*(\d+))?", start).groups()
    for i in range(int(n or 1)):
        at = int(a) + i * int(step or 0)
        rows.append((at, -int(dur), len(rows), [
            kind, "", at, dur, process, device,
            "." if device == "." else 1, lane, corr,
            "host" if kind == "api" else
            "copy" if kind[:3] == "mem" else
            "sync" if kind == "sync" else "compute",
            name + (str(i) if n else ""), "E:%d" % (len(rows) + 1)] + sorted(f[8:])))
print("#tl-ev\t1")
for f in head:
    print(*f, sep="\t")
for i, row in enumerate(sorted(rows), 1):
    row[3][1] = i
    print(*row[3], sep="\t")
print("end\t%d" % len(rows))
