#!/usr/bin/env python3
"""replay_random.py FIRST LAST: writes SEED.ev for each seed, a small random
stream full of what makes graph launches hard: cut and dropped members, calls
that are missing, nested, doubled or reused, ids of graphs and nodes on some,
foreign kernels that share correlations, several processes, devices and
threads, equal starts."""
import random
import sys


def build(rng):
    """Bodies: a list of (lane, symbol, kind) each."""
    bodies = []
    syms = "abcdef"[:rng.randint(1, 6)]
    for _ in range(rng.randint(1, 4)):
        if bodies and rng.random() < .4:
            # like another: a part of it, or with one symbol changed
            body = [m for m in rng.choice(bodies) if rng.random() < .8]
            if body and rng.random() < .5:
                i = rng.randrange(len(body))
                body[i] = (body[i][0], rng.choice(syms), "kernel")
        else:
            body = []
            lanes = rng.randint(1, 4)
            for _ in range(rng.randint(1, 9)):
                kind = rng.choice(["kernel"] * 6 + ["memcpy", "memset"])
                body.append((rng.randrange(lanes), rng.choice(syms), kind))
            if rng.random() < .3:
                body *= rng.randint(2, 3)
        if body:
            bodies.append(body)
    return bodies


class Stream:
    def __init__(self, rng):
        self.rng, self.rows, self.now = rng, [], 1000
        self.corr = {}
        self.step = rng.choice([1, 1, 10])

    def add(self, kind, start, dur, proc, dev, ctx, lane, corr, name, keys):
        cls = {"api": "host", "memcpy": "copy", "memset": "copy"}.get(
            kind, "compute")
        if dev == ".":
            ctx = "."
        self.rows.append((start, -1 if dur == "." else dur, len(self.rows), [
            kind, None, start, dur, proc, dev, ctx, lane, corr, cls, name,
            None] + sorted(k for k in keys if k)))

    def next_corr(self, proc):
        self.corr[proc] = self.corr.get(proc, 0) + 1
        return self.corr[proc]


def launch(s, proc, body, graph, ids, opt, wide, lanes):
    rng = s.rng
    corr = s.next_corr(proc)
    if opt["wrap"] and rng.random() < .1:
        corr = rng.randint(1, max(1, corr - 1))
    if opt["nocorr"] and rng.random() < .1:
        corr = "."
    call = s.now
    thread = rng.choice("12")
    dur = rng.randint(2, 6) * s.step
    name = rng.choice(["cudaGraphLaunch_v10000", "cuGraphLaunch",
                       "hipGraphLaunch", "GRAPH_do_launch"])
    if rng.random() > opt["cut"]:
        fail = "result=700" if rng.random() < .1 else ""
        s.add("api", call, dur, proc, ".", ".", thread, corr, name, [fail])
        if rng.random() < .2:
            s.add("api", call + 1, dur - 1, proc, ".", ".", thread, corr,
                  "cuInner", [])
        if rng.random() < .15:
            s.add("api", call + 1, dur - 1, proc, ".", ".", thread,
                  s.next_corr(proc), "cuGraphLaunch", [])
    s.now += dur + rng.randint(0, 3)
    ends, t = {}, call + rng.randint(-1 if opt["skew"] else 1, 9) * s.step
    shift = 0 if rng.random() < .8 else rng.randint(1, 2)
    owner = "." if opt["noproc"] and rng.random() < .5 else proc
    lost = rng.choice([0, 0, 0, .15, .6])
    lo, hi = 0, len(body)
    if rng.random() < .15:
        lo, hi = sorted((rng.randint(0, hi), rng.randint(0, hi)))
    span = []
    for i, (lane, sym, kind) in enumerate(body):
        start = max(t, ends.get(lane, 0)) + rng.randint(0, 2)
        d = rng.randint(0, 3) * s.step
        ends[lane] = start + d
        span += [start, start + d]
        if not lo <= i < hi or rng.random() < lost:
            continue
        keys, dev = [], 0
        if ids == "graph" and rng.random() < .95:
            keys.append("graph=%s" % graph)
        if ids == "node":
            node = body.index(body[i]) if opt["loop"] else i
            keys.append("node=%s.%d" % (graph, node))
        if ids == "zero":
            keys += ["graph=0", "node=0"]
        if kind == "memcpy":
            keys.append("copy=DtoD")
        if wide:
            dev = lane % 2
        if rng.random() < .02:
            keys.append("sym=x")
        s.add(kind, start, d, owner, dev, 1, lanes[(lane + shift) % 6], corr,
              sym if kind == "kernel" else rng.choice(["[m]", "[n]"]), keys)
    if span and rng.random() < opt["trace"]:
        for _ in range(rng.choice([1, 1, 2])):
            s.add("graph", min(span), max(span) - min(span), owner, 0, 1,
                  lanes[0], corr, "graph#1",
                  ["detail=1" if rng.random() < .5 else ""])
    s.now = max(s.now, max(ends.values(), default=0) -
                rng.choice([0, 0, 0, 20]))


def other(s, proc, lanes):
    """What is no graph launch."""
    rng, corr, t = s.rng, s.next_corr(proc), s.now
    name = rng.choice(["cudaLaunchKernel", "hipMemcpyAsync", "cudaFree",
                       "hipLaunchCooperativeKernelMultiDevice",
                       "cudaStreamBeginCapture_v10000", "myGraphRun"])
    if rng.random() < .9:
        s.add("api", t, 2, proc, ".", ".", "1", corr, name, [])
    for i in range(rng.choice([0, 1, 1, 1, 2, 3])):
        s.add(rng.choice(["kernel"] * 3 + ["memcpy", "sync"]), t + 3 + 2 * i,
              1, proc, 0, 1, rng.choice(lanes),
              rng.choice([corr] * 4 + ["."]), rng.choice("abxyz"),
              ["node=7"] if rng.random() < .02 else [])
    s.now += 10


def write(seed, out):
    rng = random.Random(seed)
    s = Stream(rng)
    procs = rng.choice([["7"], ["7"], ["7", "8"], ["."]])
    bodies = build(rng)
    lanes = [str(x) for x in rng.sample(range(20), 6)]
    opt = {k: rng.random() < .2 for k in ("wrap", "nocorr", "skew", "noproc")}
    opt["cut"] = rng.choice([0, 0, .3])
    opt["trace"] = rng.choice([0, 0, 0, .5])
    opt["loop"] = rng.random() < .3
    ids = rng.choice(["", "", "graph", "node", "zero", "mixed"])
    wide = rng.random() < .2
    for _ in range(rng.randint(0, 14)):
        proc = rng.choice(procs)
        if rng.random() < .2:
            other(s, proc, lanes)
            continue
        b = rng.randrange(len(bodies)) if bodies else None
        if b is None:
            continue
        mode = rng.choice(["graph", "node", ""]) if ids == "mixed" else ids
        launch(s, proc, bodies[b], rng.choice([b + 1, b + 1, b + 11]), mode,
               opt, wide, lanes)
    print("#tl-ev\t1", file=out)
    s.rows.sort(key=lambda r: (r[0], -r[1] if r[1] >= 0 else 1, r[2]))
    for n, (_, _, row, f) in enumerate(s.rows, 1):
        f[1], f[11] = n, "E:%d" % row
        print(*f, sep="\t", file=out)
    print("end\t%d" % len(s.rows), file=out)


for seed in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
    with open("%d.ev" % seed, "w") as out:
        write(seed, out)
