#!/usr/bin/env python3
"""Holds the whole pipeline against answers found by other means.

usage: truth.py loops|replays|totals BUILD CAPTURES FACTS [CAPTURE]

FACTS/loops.tsv lists, for each device of a capture, the maximal repetitions
that a brute-force search finds in launch order (start, period, coverage in
kernels). The first must come out as a loop directly below the root, the next
one that lies inside one of its iterations as a loop inside it: same kernels
an iteration, same whole number of iterations. With replays, the whole pipeline
has tl-replay in it: a graph launch is then one member of the sequence, so a
loop may lie within a replay, and one that spans replays and kernels of calls
that were cut off may lose two iterations at its edges.

FACTS/totals.tsv has the exact times of each device; the root row must be equal
to the nanosecond.
"""
import os
import subprocess
import sys


def rows(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f
                if not line.startswith("#")]


def tree(build, captures, name, replay):
    """Positions of a capture as dictionaries."""
    if name.endswith(".sqlite"):
        path, tool = os.path.join(captures, "nsys", name), "tl-nsys2ev"
    else:
        path, tool = os.path.join(captures, "kineto", name), "tl-kineto2ev"
    pipe = '"$0/%s" "$1" | %s "$0/tl-recover" | "$0/tl-tree" -q -F tsv' % (
        tool, '"$0/tl-replay" |' if replay else "")
    out = subprocess.run(["bash", "-c", "set -o pipefail; " + pipe, build,
                          path], check=True, stdout=subprocess.PIPE)
    lines = out.stdout.decode().split("\n")
    head = lines[0].lstrip("#").split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:] if line]


def loop_rows(found, scope, below):
    """Loops of a scope below a position, itself left out."""
    inside = {below}
    for row in found:
        if row["scope"] == scope and row["parent"] in inside:
            inside.add(row["pos"])
            if row["kind"] == "loop":
                yield row


def fits(row, period, coverage, slack):
    lost = coverage // period - int(row["iterations"].split(".")[0])
    return int(row["body_events"]) == period and 0 <= lost <= slack


def check_loops(found, device, wanted, replay):
    root = next(r for r in found if r["kind"] == "root" and
                r["scope"].endswith(":" + device))
    scope = root["scope"]
    start, period, coverage = wanted[0]
    outer = [r for r in loop_rows(found, scope, root["pos"])
             if fits(r, period, coverage, 2 if replay else 0) and
             (replay or r["parent"] == root["pos"])]
    if not outer:
        return "no loop %d x %d at the top" % (coverage // period, period)
    for s, p, c in wanted[1:]:
        if s >= start and s + c <= start + coverage and p < period and c < period:
            if not any(fits(r, p, c, 0)
                       for r in loop_rows(found, scope, outer[0]["pos"])):
                return "no loop %d x %d inside" % (c // p, p)
            break
    return None


def check_totals(found, device, wanted):
    root = [r for r in found if r["kind"] == "root" and
            r["scope"].endswith(":" + device)]
    if len(root) != 1:
        return "%d root rows" % len(root)
    for key in ("span", "busy", "compute", "comm", "idle"):
        got = root[0][key + "_ns"]
        if wanted[key] != "-1" and got != wanted[key]:
            return "%s is %s, not %s" % (key, got, wanted[key])
    return None


def main():
    what, build, captures, facts = sys.argv[1:5]
    only = sys.argv[5] if len(sys.argv) > 5 else None
    bad = 0
    table = "totals" if what == "totals" else "loops"
    for row in rows(os.path.join(facts, table + ".tsv")):
        name, device = row[:2]
        if only not in (None, name):
            continue
        found = tree(build, captures, name, what == "replays")
        if what != "totals":
            if len(row) < 4 or not row[3]:
                continue
            why = check_loops(found, device, [
                tuple(map(int, w.split(","))) for w in row[3].split()],
                what == "replays")
        else:
            why = check_totals(found, device,
                               dict(w.split("=") for w in row[2:]))
        if why:
            print("%s device %s: %s" % (name, device, why))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
