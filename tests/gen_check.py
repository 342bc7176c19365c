#!/usr/bin/env python3
"""Checks the trace generator: reads what it wrote with other code, sums up
and searches by brute force, and compares with its answer file.

usage: gen_check.py GEN [FOLDER]      (TAP on stdout, exit 1 on any failure)
"""
import gc
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from decimal import Decimal

COMM = re.compile(r"nccl", re.I)
# name, options; every set is written as kineto and, unless it says a form
# of its own, as nsys, with the same options
SETS = [
    ("plain", ""),
    ("one step", "-n 1 -l 6 -k 5"),
    ("recurring", "-n 7 -l 5 -k 12 -u 40 -e 4,4"),
    ("head and tail", "-n 6 -l 5 -k 7 -H 23 -T 11"),
    ("streams", "-n 6 -l 5 -k 9 -s 4 -j 60 -C 1,4 -Z 0,6"),
    ("collectives", "-n 5 -l 6 -k 6 -c 2,1 -s 3 -j 40 -C 0,3 -i 7 -O 2"),
    ("kinds in cycles", "-n 17 -l 4 -k 6 -K DDP"),
    ("cycle with runs", "-n 20 -l 3 -k 5 -K AABBB -e 2,2"),
    ("random kinds", "-n 25 -l 4 -k 6 -K random:3 -x ends=shared"),
    ("extra kernel", "-n 21 -l 3 -k 4 -E 5"),
    ("all equal", "-M equal -N 300 -s 2"),
    ("no structure", "-M random:40 -N 600"),
    ("two symbols", "-M random:2 -N 300"),
    ("devices", "-n 4 -l 4 -k 5 -D 3 -c 1 -t 2"),
    ("processes", "-n 4 -l 4 -k 5 -P 2 -D 2 -C 1,2"),
    ("one device shared", "-n 4 -l 4 -k 5 -P 2s -C 1,2"),
    ("micro-batches", "-n 5 -l 4 -k 5 -m 3,2"),
    ("micro-batches merged", "-n 5 -l 4 -k 5 -m 3"),
    ("layers only", "-n 5 -l 4 -k 5 -e 0,0 -H 7 -T 3"),
    ("graph of a step", "-n 9 -l 4 -k 6 -g step:id -H 12 -T 9"),
    ("graph of a layer", "-n 5 -l 4 -k 6 -g layer"),
    ("graph on streams", "-n 5 -l 4 -k 6 -g layer:id -s 3 -c 1"),
    ("graph rows", "-n 6 -l 4 -k 6 -g layer:trace"),
    ("graph rows of a step", "-n 6 -l 4 -k 6 -g step:trace -C 1"),
    ("calls cut off", "-n 5 -l 4 -k 5 -A 33"),
    ("zero durations", "-n 5 -l 4 -k 5 -z 30"),
    ("overlap", "-n 5 -l 4 -k 5 -x overlap=30"),
    ("limit", "-N 333 -l 4 -k 5 -C 1,2"),
    ("nothing", "-N 0"),
    ("one kernel", "-N 1"),
    ("noise", "-n 20 -l 5 -k 9 -b ins=1,same=1,miss=1,repl=1 -x iters"),
    ("shuffled", "-n 6 -l 4 -k 6 -c 1 -C 1,2 -x shuffle=all"),
    ("window", "-n 6 -l 4 -k 6 -c 1 -C 1,2 -x shuffle=50,copylane"),
    ("lone kernels", "-n 6 -l 3 -k 1 -e 1,0"),
    ("demo, small", "-p demo -n 3 -l 5"),
    ("train, small", "-p train -n 3 -l 4 -k 6"),
]
FORMS = [  # of kineto only
    "-y 2020", "-y 2021", "-y 2022 -x rank=1/4", "-y 2023 -x gzip",
    "-y 2024", "-y 2025 -x ts=int", "-x ts=epoch3", "-x amd", "-x base=none",
    "-x style=line,amd", "-x style=tight", "-x style=keys,rank=0/2",
    "-x array", "-w 90 -O 1", "-L 150", "-x plain,noflow", "-x api=120,sync",
    "-x corr0=9007199254740993",
]
SCHEMAS = ["3.25", "3.24", "3.16", "2.9", "old"]


class Ev:
    def __init__(self, kind, start, dur, proc, dev, lane, corr, name, place):
        self.kind, self.start, self.dur = kind, start, dur
        self.proc, self.dev, self.lane = proc, dev, lane
        self.corr, self.name, self.place = corr, name, place


def ns(x):
    """Microseconds, integer or decimal text, to nanoseconds, exactly."""
    v = Decimal(x) * 1000
    assert v == int(v), x
    return int(v)


def read_kineto(path):
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    doc = json.loads(raw, parse_float=Decimal)
    evs = doc if isinstance(doc, list) else doc["traceEvents"]
    base = None if isinstance(doc, list) else doc.get("baseTimeNanoseconds")
    kinds = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "fill"}
    old = {"Kernel": "kernel", "Memcpy": "copy", "Memset": "fill"}
    kinds.update(old)
    caller = {}
    for e in evs:
        if e.get("cat") in ("cuda_runtime", "Runtime"):
            caller[e["args"]["correlation"]] = e["pid"]
    pids = set(caller.values())
    out = []
    for place, e in enumerate(evs):
        kind = kinds.get(e.get("cat"))
        if not kind or e["ph"] != "X":
            continue
        a = e["args"]
        assert e["pid"] == a["device"]
        tid = e["tid"]
        assert tid == (f"stream {a['stream']}" if e["cat"] in old
                       else a["stream"]), tid
        proc = caller.get(a["correlation"])
        if proc is None and len(pids) == 1:
            proc = next(iter(pids))
        out.append(Ev(kind, ns(e["ts"]), ns(e["dur"]), proc, a["device"],
                      a["stream"], a["correlation"], e["name"], place))
    return out, base, evs


def read_nsys(path):
    db = sqlite3.connect(path)
    assert db.execute("pragma integrity_check").fetchone()[0] == "ok"
    have = {r[0] for r in db.execute("select name from sqlite_master")}
    out = []
    place = 0
    for kind, table, name in (
            ("kernel", "KERNEL", "(select value from StringIds where "
             "id = demangledName)"),
            ("copy", "MEMCPY", "copyKind"), ("fill", "MEMSET", "0"),
            ("graph", "GRAPH_TRACE", "'graph ' || graphId")):
        table = "CUPTI_ACTIVITY_KIND_" + table
        if table not in have:
            continue
        for r in db.execute(
                f'select start, "end", deviceId, streamId, correlationId, '
                f"globalPid, {name} from {table} order by rowid"):
            out.append(Ev(kind, r[0], r[1] - r[0], (r[5] >> 24) & 0xFFFFFF,
                          r[2], r[3], r[4], r[6], place))
            place += 1
    return out, None, db


def union(iv):
    """Length of the union, by counting open intervals at every edge."""
    edges = Counter()
    for a, b in iv:
        edges[a] += 1
        edges[b] -= 1
    total = depth = 0
    last = None
    for t in sorted(edges):
        if depth > 0:
            total += t - last
        depth += edges[t]
        last = t
    assert depth == 0
    return total


def totals(evs):
    def iv(test):
        return [(e.start, e.start + e.dur) for e in evs if test(e)]

    def comm(e):
        return e.kind == "kernel" and COMM.search(e.name) is not None

    def compute(e):
        return e.kind == "kernel" and not comm(e)

    n = Counter(e.kind for e in evs)
    start = min(e.start for e in evs)
    span = max(e.start + e.dur for e in evs) - start
    busy = union(iv(lambda e: True))
    r = {"kernels": n["kernel"], "copies": n["copy"], "fills": n["fill"],
         "graphs": n["graph"], "streams": len({e.lane for e in evs}),
         "start": start, "span": span, "busy": busy, "idle": span - busy}
    if n["graph"]:
        for k in ("compute", "comm", "comm_exposed", "copy", "copy_exposed"):
            r[k] = "."
        return r
    r["compute"] = union(iv(compute))
    r["comm"] = union(iv(comm))
    r["comm_exposed"] = union(iv(lambda e: e.kind == "kernel")) - r["compute"]
    r["copy"] = union(iv(lambda e: e.kind in ("copy", "fill")))
    r["copy_exposed"] = busy - union(iv(lambda e: e.kind == "kernel"))
    return r


def runs(seq, p):
    """Maximal repetitions with period p, at least twice: (start, length)."""
    out = []
    i, n = 0, len(seq) - p
    same = [a == b for a, b in zip(seq, seq[p:])]
    while i < n:
        if not same[i]:
            i += 1
            continue
        k = i
        while k < n and same[k]:
            k += 1
        if k - i >= p:
            out.append((i, k - i + p))
        i = k
    return out


def longest(seq):
    """(start, period, length) of the longest repetition, by trying all."""
    best = None
    for p in range(1, len(seq) // 2 + 1):
        for start, length in runs(seq, p):
            if best is None or length > best[2]:
                best = (start, p, length)
    return best


def read_answer(path):
    cols, rows = {}, defaultdict(list)
    for line in open(path):
        f = line.rstrip("\n").split("\t")
        if f[0].startswith("# ") and len(f) > 1:
            cols[f[0][2:]] = f[1:]
        elif f[0] == "base":
            rows["base"] = f[1]
        elif not f[0].startswith("#"):
            assert len(f) - 1 == len(cols[f[0]]), line
            d = dict(zip(cols[f[0]], f[1:]))
            rows[f[0]].append({
                k: int(v) if re.fullmatch(r"-?\d+", v) else v
                for k, v in d.items()})
    return rows


class Bad(Exception):
    pass


def need(ok, *what):
    if not ok:
        raise Bad(" ".join(map(str, what)))


def scope_rows(ans, tag, pid, dev):
    return [r for r in ans[tag] if r["pid"] == pid and r["device"] == dev]


def check_loops(ans, pid, dev, seq):
    rows = scope_rows(ans, "loop", pid, dev)
    n = len(seq)
    edits = scope_rows(ans, "edit", pid, dev)
    best = longest(seq) if n <= 1600 else None
    outer = [r for r in rows if r["level"] in ("run", "step", "cycle") and
             r["kind"] == "."] or \
        [r for r in rows if r["level"] == "layer" and r["kind"] == "."]
    for r in rows:
        if not edits and r["kind"] == ".":
            need(r["head"] + r["iterations"] * r["period"] + r["tail"] == n,
                 "head, iterations and tail don't add up", r, n)
        if not r["exact"]:
            continue
        s, p, it = r["start"], r["period"], r["iterations"]
        need(s + it * p <= n, "outside", r)
        need(all(seq[i] == seq[i + p] for i in range(s, s + (it - 1) * p)),
             "no repetition", r)
        if it < 2 or r["run_start"] == ".":
            continue
        whole = (r["run_start"], r["run_events"])
        found = runs(seq, p)
        need(whole in found, "run not maximal", r, found[:5])
        if r["kind"] != ".":
            body = seq[s:s + p]
            k = sum(length == whole[1] and seq[i:i + p] == body
                    for i, length in found)
            said = sum(q["occurrences"] for q in rows
                       if q["run_events"] == whole[1] and
                       seq[q["start"]:q["start"] + q["period"]] == body)
            need(k == said, "occurrences", r, k, said)
    for r in outer:
        if r["exact"] and best and r["run_events"] >= 2 * r["period"]:
            mine = (r["run_start"], r["period"], r["run_events"])
            need(mine == best, "longest repetition", best, "not", mine)
    for r in rows:  # the layer loop leads inside one iteration of its step
        if r["level"] not in ("layer", "micro") or not r["exact"]:
            continue
        kind = [k for k in scope_rows(ans, "kind", pid, dev)
                if k["kind"] == r["kind"]]
        micro = [k for k in rows if k["level"] == "micro"]
        if not kind or r["iterations"] < 2 or r["run_start"] == ".":
            continue
        if r["level"] == "layer" and micro:
            continue
        part = seq[r["start"]:r["start"] + r["iterations"] * r["period"]]
        need(longest(part)[1:] == (r["period"], len(part)), "inner", r)


def check_edits(ans, pid, dev, seq, noisy):
    edits = scope_rows(ans, "edit", pid, dev)
    need(bool(edits) == noisy, "edits", len(edits))
    for r in edits:
        if r["what"] == "+" or r["what"] == "=":
            need(seq[r["at"]] == r["symbol"], "edit", r)
    iters = scope_rows(ans, "iter", pid, dev)
    at = 0
    for r in iters:
        need(r["start"] == at, "iteration", r, at)
        at += r["events"]
    need(not iters or at == len(seq), "iterations", at, len(seq))


def check(evs, ans, opts, seq):
    scopes = defaultdict(list)
    for e in evs:
        scopes[e.proc, e.dev].append(e)
    need(set(scopes) == {(r["pid"], r["device"]) for r in ans["scope"]},
         "scopes", sorted(scopes))
    for (pid, dev), sub in sorted(scopes.items()):
        row = scope_rows(ans, "scope", pid, dev)[0]
        for k, v in totals(sub).items():
            need(row[k] == v, pid, dev, k, "is", v, "not", row[k])
        mine = sorted((e for e in sub if e.kind in ("kernel", "graph")),
                      key=lambda e: (e.corr, e.start, -e.dur, e.place))
        names = [e.name for e in mine]
        check_loops(ans, pid, dev, names)
        if (pid, dev) == (4242, 0) and seq is not None:
            need(len(seq) == len(names), "seq", len(seq), len(names))
            if "ts=int" not in " ".join(opts):  # equal starts in a graph
                need(len(set(zip(seq, names))) == len(set(seq)) ==
                     len(set(names)), "symbols and names")
            check_edits(ans, pid, dev, seq, "-b" in opts)


def check_kineto(evs, raw, opts):
    calls = {e["args"]["correlation"]: e for e in raw
             if e.get("cat") in ("cuda_runtime", "Runtime")}
    orphans = sum(e.corr not in calls for e in evs)
    graph = "-g" in opts
    cut = int(opts[opts.index("-A") + 1]) if "-A" in opts else 0
    need(orphans == cut or (graph and "-H" in opts) or "decode" in opts,
         "orphans", orphans, cut)
    for e in evs:
        if e.corr in calls:
            need(ns(calls[e.corr]["ts"]) <= e.start, "starts before its call")
    if "-w" in opts:
        x = [e for e in raw if e["ph"] in "Xsf"]
        py = sum(e.get("cat") == "python_function" for e in x)
        want = int(opts[opts.index("-w") + 1])
        need(abs(100 * py / len(x) - want) < 3, "python share",
             100 * py / len(x))
    if "-L" in opts:
        need(all(len(e.name) >= int(opts[opts.index("-L") + 1])
                 for e in evs if e.kind == "kernel"), "name length")
    if "noflow" not in " ".join(opts):
        start = {e["id"] for e in raw if e["ph"] == "s"}
        end = {e["id"] for e in raw if e["ph"] == "f"}
        need({e.corr for e in evs} <= end, "flow ends")
        need(start <= set(calls), "flow starts")
        need({e.corr for e in evs} & set(calls) <= start, "flows")


def check_nsys(db, opts):
    shuffled = "shuffle" in " ".join(opts)
    have = {r[0] for r in db.execute("select name from sqlite_master")}
    for t in ("KERNEL", "MEMCPY", "GRAPH_TRACE"):
        t = "CUPTI_ACTIVITY_KIND_" + t
        if t not in have:
            continue
        s = [r[0] for r in db.execute(f"select start from {t} order by rowid")]
        if not shuffled or len(s) > 20:
            need((s == sorted(s)) != shuffled, "row order", t)
    if "CUPTI_ACTIVITY_KIND_KERNEL" not in have:
        return
    bad = db.execute(
        "select count(*) from CUPTI_ACTIVITY_KIND_KERNEL k where not exists "
        "(select 1 from CUPTI_ACTIVITY_KIND_RUNTIME r where r.correlationId ="
        " k.correlationId and r.globalTid >> 24 = k.globalPid >> 24 and "
        "r.start <= k.start)").fetchone()[0]
    cut = int(opts[opts.index("-A") + 1]) if "-A" in opts else 0
    need(bad == cut or ("-g" in opts and "-H" in opts), "orphans", bad)
    if "-P" in opts:
        both = db.execute(
            "select count(*) from CUPTI_ACTIVITY_KIND_RUNTIME a join "
            "CUPTI_ACTIVITY_KIND_RUNTIME b using (correlationId) where "
            "a.globalTid < b.globalTid").fetchone()[0]
        need(both > 0, "no correlation ids that collide")
    if "-g" in opts and ":id" in opts[opts.index("-g") + 1]:
        need(db.execute(
            "select count(*) from CUPTI_ACTIVITY_KIND_KERNEL where "
            "graphNodeId != 0 and graphNodeId not in (select graphNodeId "
            "from CUDA_GRAPH_NODE_EVENTS)").fetchone()[0] == 0, "node ids")


def run(gen, *args):
    r = subprocess.run([gen, *args], capture_output=True)
    need(r.returncode == 0, args, r.stderr.decode()[:200])
    return r.stdout


class Tap:
    n = bad = 0

    def test(self, name, fn):
        self.n += 1
        try:
            fn()
            print(f"ok {self.n} - {name}", flush=True)
        except (Bad, AssertionError, KeyError, ValueError) as e:
            self.bad += 1
            print(f"not ok {self.n} - {name}\n# {type(e).__name__} {e}",
                  flush=True)


def main():
    gc.disable()  # many objects, few in circles
    gen = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    tmp = tempfile.mkdtemp(prefix="gen-check-", dir=folder)
    out = {"kineto": os.path.join(tmp, "t.json"),
           "nsys": os.path.join(tmp, "t.sqlite")}
    ansfile = os.path.join(tmp, "t.tsv")
    tap = Tap()

    def one(fmt, text):
        opts = text.split()
        run(gen, "-f", fmt, *opts, "-o", out[fmt], "-a", ansfile)
        first = open(out[fmt], "rb").read(), open(ansfile).read()
        run(gen, "-f", fmt, *opts, "-o", out[fmt], "-a", ansfile)
        need(first == (open(out[fmt], "rb").read(), open(ansfile).read()),
             "two runs differ")
        ans = read_answer(ansfile)
        seq = None
        if not (fmt == "kineto" and ":trace" in text):
            seq = [int(x) for x in run(gen, "-f", "seq", *opts).split()]
        if fmt == "kineto":
            evs, base, raw = read_kineto(out[fmt])
            need(str(base or ".") == ans["base"], "base", base)
            check_kineto(evs, raw, opts)
        else:
            evs, _, db = read_nsys(out[fmt])
            check_nsys(db, opts)
            db.close()
        check(evs, ans, opts, seq)

    def seeds():
        a = run(gen, "-R", "1")
        need(a == run(gen) and a != run(gen, "-R", "2"), "seed")

    def refused():
        for args in (["-q"], ["-s", "97"], ["-n", "x"], ["-f", "nsys"], ["x"],
                     ["-p", "none"], ["-x", "none"], ["-j", "1.x"]):
            r = subprocess.run([gen, *args], capture_output=True)
            need(r.returncode == 2 and r.stderr and not r.stdout, args)
        with open("/dev/full", "wb") as f:
            r = subprocess.run([gen], stdout=f, stderr=subprocess.PIPE)
        need(r.returncode == 1 and r.stderr, "/dev/full")
        r = subprocess.run([gen, "-o", "/none/x"], capture_output=True)
        need(r.returncode == 1 and r.stderr, "no folder")

    for name, text in SETS:
        for fmt in ("kineto", "nsys"):
            tap.test(f"{fmt}: {name}", lambda f=fmt, t=text: one(f, t))
    for text in FORMS:
        tap.test(f"kineto: {text}", lambda t=text: one(
            "kineto", "-n 5 -l 4 -k 5 -c 1 -C 1,2 -Z 0,3 -i 1 " + t))
    for text in SCHEMAS:
        tap.test(f"nsys: {text}", lambda t=text: one(
            "nsys", "-n 4 -l 4 -k 5 -C 1 -Z 1 -O 1 -g layer:id -x "
            f"api=50,osrt=50,sync,nvtx=id,schema={t}"))
    tap.test("seeds", seeds)
    tap.test("refused", refused)
    print(f"1..{tap.n}")
    left = [f for f in os.listdir(tmp) if f.endswith(".tmp")]
    for f in os.listdir(tmp):
        os.remove(os.path.join(tmp, f))
    os.rmdir(tmp)
    if left:
        print("# left behind", left)
    sys.exit(1 if tap.bad or left else 0)



if __name__ == "__main__":
    main()
