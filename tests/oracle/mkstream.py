#!/usr/bin/env python3
"""Writes a small random stream, the same for the same seed: nested loops of
kernels on a few lanes with jitter, calls that launch some of them, copies and
collectives that overlap, several scopes, replayed graphs some of which lack
members.

usage: mkstream.py SEED
"""
import random
import sys


def program(rng, depth):
    """A random nested program as a list of symbols."""
    out = []
    for _ in range(rng.randint(1, 3)):
        if depth > 0 and rng.random() < 0.6:
            out += program(rng, depth - 1) * rng.randint(1, 4)
        else:
            out.append(rng.choice(["k%d" % rng.randint(0, 7)] * 5 + ["g0", "g1"]))
    return out


def graph(rng):
    """A graph: on each of some streams, kernels and fills."""
    return [program(rng, 1)[:rng.randint(1, 9)] + ["fill"] * rng.randint(0, 1)
            for _ in range(rng.randint(1, 3))]


def replay(rng, body, process, device, corr, start):
    """Events of one launch; their call is the caller's."""
    out = []
    for lane, syms in enumerate(body):
        t = start + rng.randint(0, 9)
        for sym in syms:
            kind, cls = ("memset", "copy") if sym == "fill" else \
                ("kernel", "compute")
            dur = rng.randint(0, 30)
            if rng.random() > 0.02:
                out.append([kind, t, dur, process, device, "1", "2%d" % lane,
                            str(corr), cls, "n" + sym, []])
            t += dur + rng.randint(0, 3)
    return out


def scope_events(rng, process, device, corr):
    """Events of one device with their calls, each a list of columns."""
    seq = program(rng, rng.randint(0, 3))
    seq = seq[rng.randint(0, len(seq) // 3):]
    lanes = rng.randint(1, 3)
    lose, host, free = rng.choice([0, 0, 0.1, 1]), 1000, [0] * lanes
    graphs = {"g0": graph(rng), "g1": graph(rng)}
    out = []
    for sym in seq:
        lane = rng.randrange(lanes)
        corr += 1
        host += rng.randint(1, 60)
        start = max(host, free[lane]) + rng.randint(0, 20)
        if sym in graphs:
            more = replay(rng, graphs[sym], process, device, corr, start)
            out += more
            free = [max([e[1] + e[2] for e in more] + [f]) for f in free]
            if rng.random() < 0.9:
                out.append(["api", host, 5, process, ".", ".", "t1",
                            str(corr), "host", "cudaGraphLaunch", []])
            continue
        dur = rng.choice([0, 1, rng.randint(1, 80)])
        free[lane] = start + dur
        kind = rng.random()
        cls, name, keys = "compute", sym, []
        if kind < 0.1:
            cls, name = "comm", "nccl" + sym
        elif kind < 0.15:
            keys = ["sym=S" + sym]
        elif kind < 0.18:
            keys = ["role=aux"]
        elif kind < 0.2:
            keys = ["detail=1"]
        c = "." if rng.random() < lose else str(corr)
        out.append(["kernel", start, dur, process, device, "1", str(lane), c,
                    cls, name] + [keys])
        if rng.random() < 0.8:
            out.append(["api", host, rng.randint(1, 20), process, ".", ".",
                        "t1", str(corr), "host", "launch", []])
        if rng.random() < 0.2:
            out.append([rng.choice(["memcpy", "memset"]), host + 5,
                        rng.randint(0, 100), process, device, "1", "9", ".",
                        "copy", "copy", ["bytes=8"]])
        if rng.random() < 0.03:
            out.append(["graph", host + 3, rng.randint(0, 50), process, device,
                        "1", "8", str(corr + rng.choice([0, 1000000])),
                        "compute", "graph", []])
        if rng.random() < 0.1:
            out.append(["range", host, ".", process, ".", ".", "t1", ".",
                        "host", "step %d" % host, []])
    return out, corr


def main():
    rng = random.Random(int(sys.argv[1]))
    events, corr = [], rng.randint(0, 5)
    for process in ("100", "7")[:rng.randint(1, 2)]:
        for device in ("0", "1")[:rng.randint(1, 2)]:
            more, corr = scope_events(rng, process, device, corr)
            events += more
    rng.shuffle(events)
    for i, e in enumerate(events):
        e.append(i)
    events.sort(key=lambda e: (e[1], -(-1 if e[2] == "." else e[2]), e[-1]))
    print("#tl-ev\t1")
    for i, e in enumerate(events):
        cols = [e[0], i + 1] + e[1:10] + ["E:%d" % e[-1]] + e[10]
        print("\t".join(map(str, cols)))
    print("end\t%d" % len(events))


if __name__ == "__main__":
    main()
