#!/usr/bin/env python3
"""Holds a recovered tree against the generator's answer.

usage: answer.py ANSWER TREE.tsv

The root row of every scope must have the answer's times to the nanosecond.
Every level of loops that the answer calls exact must be there: kernels an
iteration and whole iterations. What lies within steps is not asked where the
program's own steps would give up a whole iteration, that is where head and tail
are together longer than one: recovery does not do that. Where steps of several
kinds are mixed at random, only times are asked. Where the answer has no loop, random kernels,
there must be none of two kernels or more.
"""
import sys


def table(path, first):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    return [line for line in lines if line[0] in first]


def tree_rows(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    return [dict(zip(["scope"] + lines[0][1:], line)) for line in lines[1:]]


SCOPE = ("pid device global_pid kernels copies fills graphs streams start span "
         "busy compute comm comm_exposed copy copy_exposed idle").split()
LOOP = ("pid device level kind iterations period start occurrences run_start "
        "run_events head tail exact").split()


def whole(row):
    return int(row["iterations"].split(".")[0])


def levels(loops, pid, device):
    """Loops to look for, None if none can be told."""
    mine = [x for x in loops if (x["pid"], x["device"]) == (pid, device)]
    if any(x["level"] == "step" and x["kind"] != "." for x in mine) and \
            not any(x["level"] == "cycle" for x in mine):
        return None
    if mine and int(mine[0]["head"]) + int(mine[0]["tail"]) >= \
            int(mine[0]["period"]):
        return mine[:1]
    return mine


def check_loop(want, found):
    period, count = int(want["period"]), int(want["iterations"])
    if want["run_events"] != "." and int(want["occurrences"]) == 1:
        count = int(want["run_events"]) // period
    if count < 2:
        return None
    fits = [r for r in found if int(r["body_events"]) == period]
    if any(whole(r) == count for r in fits):
        return None
    return "%s: no loop %d x %d; of that body: %s" % (
        want["level"], count, period, [r["iterations"] for r in fits])


def main():
    bad = []
    rows = tree_rows(sys.argv[2])
    loops = [dict(zip(LOOP, r[1:])) for r in table(sys.argv[1], ("loop",))]
    for r in table(sys.argv[1], ("scope",)):
        want = dict(zip(SCOPE, r[1:]))
        name = want["pid"] + ":" + want["device"]
        mine = [x for x in rows if x["scope"] == name]
        if int(want["kernels"]) + int(want["copies"]) + int(want["fills"]) + \
                int(want["graphs"]) == 0:
            continue
        if not mine:
            bad.append("%s: no rows" % name)
            continue
        for key in SCOPE[9:]:
            got = mine[0].get(key + "_ns")
            if got is not None and got != want[key]:
                bad.append("%s: %s is %s, not %s" % (name, key, got, want[key]))
        found = [x for x in mine if x["kind"] == "loop"]
        level = levels(loops, want["pid"], want["device"])
        for x in level or []:
            why = check_loop(x, found) if x["exact"] == "1" else None
            if why:
                bad.append("%s: %s" % (name, why))
        if level == []:
            for x in found:
                if int(x["body_events"]) >= 2 or whole(x) >= 8:
                    bad.append("%s: loop %s x %s by chance" %
                               (name, x["iterations"], x["body_events"]))
    print("\n".join(bad[:20]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
