#!/usr/bin/env python3
"""Streams for rules, and what is recovered of them under rules.

  rules_check.py model SEED STEPS LAYERS BAD    a DeepSeek-like stream; the
      answer in counts.tsv: what the rules should meet
  rules_check.py random SEED                    symbols at random, with markers
  rules_check.py counts FILE                    notes on rules against counts.tsv
  rules_check.py layers FILE LAYERS             layers that were recovered
  rules_check.py markers FILE                   no body breaks a marker's rule
  rules_check.py steps FILE                     nothing is in two steps
  rules_check.py records SEED                   tasks with two records, and
      counts.tsv, real.tsv: what rules/pairs.yaml should make of them
  rules_check.py real FILE                      what takes part against real.tsv
"""
import collections
import random
import sys


def out(symbols):
    print("#tl-ev\t1\n#source\tkind=msprof\n#order\tstart")
    for i, s in enumerate(symbols):
        print(f"task\t{i + 1}\t{i * 10}\t8\t7\t0\t0\t3\t{i + 1}\tcompute\t"
              f"{s}\tT:{i + 1}")
    print(f"end\t{len(symbols)}")


def model(seed, steps, layers, bad):
    """Of the sublayers about `bad` in a hundred have no operator of a label,
    both labels, another unit in them, or no end."""
    rnd = random.Random(seed)
    n = collections.Counter()
    symbols = []

    def sublayer(kind):
        inner = {"attention": ["RmsNorm", "MatMul", "SparseAttnSharedkv",
                               "MatMul"],
                 "moe": ["RmsNorm", "MoeInitRoutingV3", "GroupedMatmul",
                         "SwiGlu", "GroupedMatmul"]}[kind]
        fault = rnd.choice(["none", "both", "nested", "open"]) \
            if rnd.random() * 100 < bad else ""
        if fault == "none":
            inner = ["RmsNorm", "MatMul"]
        elif fault == "both":
            inner = inner + ["SparseAttnSharedkv", "MoeInitRoutingV3"]
        elif fault == "nested":
            inner = ["HcPre", "RmsNorm", "HcPost"] + inner
        symbols.extend(["HcPre"] + inner)
        if fault == "open":
            n["begins"] += 1
            return "open"
        symbols.append("HcPost")
        if fault == "nested":
            n["nested"] += 2
            return "nested"
        label = {"none": "unclassified", "both": "ambiguous"}.get(fault, kind)
        n["units"] += 1
        n[label] += 1
        return label

    for _ in range(steps):
        symbols += ["Embedding", "Cast"]
        last = ""
        for _ in range(layers):
            for kind in "attention", "moe":
                label = sublayer(kind)
                if (last, label) == ("attention", "moe"):
                    n["layer"] += 1
                last = label
        symbols += ["RmsNorm", "LmHead", "_compute_slot_mapping_kernel"]
    n["HcPre"] = symbols.count("HcPre")
    n["HcPost"] = symbols.count("HcPost")
    n["slot"] = symbols.count("_compute_slot_mapping_kernel")
    with open("counts.tsv", "w", encoding="utf-8") as f:
        for what, key in (
                ("events are its before", "HcPre"),
                ("events are its after", "HcPost"),
                ("'slot_mapping': events are it", "slot"),
                ("'sublayer': units", "units"),
                ("units have no label", "unclassified"),
                ("units have several labels", "ambiguous"),
                ("begins have no end", "begins"),
                ("pairs lie in or around another and are no units", "nested"),
                ("'attention': units", "attention"),
                ("'moe': units", "moe"), ("made of units", "layer")):
            if n[key] or key in ("attention", "moe", "layer"):
                f.write(f"{n[key]}\t{what}\n")
    out(symbols)


def lines(path, *kinds):
    with open(path, encoding="utf-8") as f:
        for line in f:
            c = line.rstrip("\n").split("\t")
            if c[0] in kinds:
                yield c


def counts(path):
    notes = [c for c in lines(path, "note") if c[2] == "recover_rule"]
    with open("counts.tsv", encoding="utf-8") as f:
        want = [line.rstrip("\n").split("\t") for line in f]
    for n, what in want:
        got = [c[3] for c in notes if c[4].endswith(what)]
        if got != [n]:
            sys.exit(f"{what}: {got}, not {n}")
    if len(notes) != len(want):
        sys.exit(f"{len(notes)} notes, not {len(want)}")


def layers(path, want):
    """All layers are in loops of as many as a step has."""
    pos = {c[2]: c for c in lines(path, "pos")}
    for c in pos.values():
        if c[23] == "layer" and (c[6] != "seq" or
                                 pos[c[3]][7] != f"{want}.00"):
            sys.exit(f"{c[2]}: in {pos[c[3]][6:8]}")


def bodies(path):
    """Symbols of each iteration of each loop, of each recurring sequence, and
    of each loop as a whole, in the recovered order."""
    names, above, tree = {}, {}, {}
    kind = {}
    for c in lines(path, "kernel", "task", "pos", "occ", "real"):
        if c[0] in ("kernel", "task"):
            names[c[1]] = c[10]
        elif c[0] == "pos":
            kind[c[2]] = c[6]
        elif c[0] == "occ":
            above[f"{c[2]}#{c[3]}"] = c[4]
        else:
            at = c[4]
            while at != ".":
                tree.setdefault(at, []).append(c[1])
                at = above[at]
    for occ, events in tree.items():
        if kind[occ.split("#")[0]] != "root":
            yield occ, [names[e] for e in events]


def markers(path):
    """A loop as a whole may go on behind a suffix marker, with its next
    iteration; all others may not."""
    loops = {c[2] for c in lines(path, "pos") if c[6] == "loop"}
    wholes = {f"{o[2]}#{o[3]}" for o in lines(path, "occ") if o[2] in loops
              and not o[4].startswith(o[2] + "#")}
    n = 0
    for occ, symbols in bodies(path):
        n += 1
        total = 0
        for i, s in enumerate(symbols):
            if s == "Pre" and total < 0:
                sys.exit(f"{occ}: {symbols}: Pre too late")
            total += (s == "Pre") - (s == "Post")
        rest = symbols[symbols.index("End"):] if "End" in symbols else []
        if occ not in wholes and set(rest) - {"End"}:
            sys.exit(f"{occ}: {symbols}: goes on behind End")
    print(n)



def random_symbols(seed):
    rnd = random.Random(seed)
    letters = ["Pre", "Post", "End", "a", "b"][:rnd.randrange(3, 6)]
    symbols = []
    while len(symbols) < 60:
        body = [rnd.choice(letters) for _ in range(rnd.randrange(1, 6))]
        symbols += body * rnd.randrange(1, 6)
    out(symbols)


def steps(path):
    """No occurrence but a root's has events of two steps; each stretch of a
    step's events is an occurrence labelled step."""
    step = {c[1]: c[2] for c in lines(path, "link")}
    kind, label, above, events = {}, {}, {}, {}
    stretches, last = collections.Counter(), {}
    for c in lines(path, "pos"):
        kind[c[1], c[2]] = c[6]
        label[c[1], c[2]] = c[23]
    for c in lines(path, "occ"):
        above[c[1], f"{c[2]}#{c[3]}"] = c[4]
    for c in lines(path, "real"):
        at = c[4]
        if last.get(c[2]) != step[c[1]]:
            last[c[2]] = step[c[1]]
            stretches[c[2]] += step[c[1]] != "."
        while at != ".":
            if kind[c[2], at.split("#")[0]] != "root":
                events.setdefault((c[2], at), set()).add(step[c[1]])
            at = above[c[2], at]
    found = collections.Counter()
    for (scope, occ), of in events.items():
        if len(of) > 1:
            sys.exit(f"{scope} {occ}: steps {sorted(of)}")
        found[scope] += label[scope, occ.split("#")[0]] == "step"
    if found != stretches or not stretches:
        sys.exit(f"{dict(found)} steps, not {dict(stretches)}")


def records(seed):
    """Envelopes and their kernels, alone, nested, too far out; collectives in
    operators. Whatever is asked is answered by looking at all others."""
    rnd = random.Random(seed)
    rows, at = [], 0
    for _ in range(80):
        lane, corr = rnd.randrange(3), rnd.randrange(12)
        length = rnd.randrange(50, 300)
        at += rnd.randrange(0, 200)
        what = rnd.choice(["pair", "pair", "pair", "outer", "inner", "comm",
                           "comm", "other"])
        if what == "comm":
            rows.append((at, length, lane, corr,
                         "identity=op\top_type=FusedReduce",
                         "Fused"))
            for _ in range(rnd.choice([0, 1, 1, 1, 2])):
                rows.append((at + rnd.randrange(-5, 30), rnd.randrange(20, 90),
                             4, 99, "group=x", f"FusedReduceKernel_{at}"))
            continue
        if what in ("pair", "outer"):
            rows.append((at, length, lane, corr, "", "MIX"))
        for _ in range(rnd.choice([1, 1, 1, 2]) if what == "pair" else
                       what in ("inner", "other")):
            rows.append((at + rnd.randrange(-2, 40),
                         max(1, length - rnd.randrange(0, 60)), lane, corr,
                         "context=0\tidentity=op" if what != "other"
                         else "context=1\tidentity=op", f"Op{corr}"))
    rows.sort(key=lambda r: (r[0], -r[1]))
    print("#tl-ev\t1\n#source\tkind=msprof\n#order\tstart")
    ev = []
    for i, (start, dur, lane, corr, keys, name) in enumerate(rows, 1):
        ev.append((start, start + dur, (lane, corr), keys, name, i))
        print(f"task\t{i}\t{start}\t{dur}\t7\t0\t0\t{lane}\t{corr}\tcompute\t"
              f"{name}\tT:{i}" + (f"\t{keys}" if keys else "") +
              "\ttask=5\ttype=Kernel mix")
    print(f"end\t{len(rows)}")
    n, gone, window = collections.Counter(), set(), {}

    def inside(a, b, part):
        lap = min(a[1], b[1]) - max(a[0], b[0])
        return lap >= 0 and lap * 100 >= part * (a[1] - a[0])

    def judge(inner, outer, part, same, rule):
        for a in inner:
            into = [b for b in outer if same(a, b) and inside(a, b, part)]
            if not into:
                n[rule, "records have no partner"] += 1
            elif len(into) > 1 or sum(
                    same(x, into[0]) and inside(x, into[0], part)
                    for x in inner) > 1:
                n[rule, "records have several that could be their partner"] += 1
            else:
                n[rule, "pairs of records became one event"] += 1
                yield a, into[0]

    for a, b in judge([e for e in ev if e[3].startswith("context=0")],
                      [e for e in ev if e[4] == "MIX"], 90,
                      lambda a, b: a[2] == b[2], "mix"):
        gone.add(b[5])
        window[a[5]] = b[:2]
    for a, _ in judge([e for e in ev if e[4].startswith("FusedReduceK")],
                      [e for e in ev if e[4] == "Fused"], 100,
                      lambda a, b: True, "fused"):
        gone.add(a[5])
    with open("counts.tsv", "w", encoding="utf-8") as f:
        for (rule, what), k in n.items():
            f.write(f"{k}\trule '{rule}': {what}\n")
    busy, last = 0, None
    for s, t in sorted(window.get(e[5], e[:2]) for e in ev
                       if e[5] not in gone):
        busy += max(0, t - (s if last is None else max(s, last)))
        last = t if last is None else max(t, last)
    with open("real.tsv", "w", encoding="utf-8") as f:
        f.write(f"busy {busy}\n")
        f.writelines(f"{e[5]} {e[4]}\n" for e in ev if e[5] not in gone)


def real(path):
    label = {c[2]: c[23] for c in lines(path, "pos")}
    busy = [c[13] for c in lines(path, "pos") if c[6] == "root"][0]
    got = sorted((int(c[1]), label[c[3]]) for c in lines(path, "real"))
    with open("real.tsv", encoding="utf-8") as f:
        want = f.read().splitlines()
    if [f"busy {busy}"] + [f"{i} {name}" for i, name in got] != want:
        sys.exit(f"{path}: other events, or busy {busy}, not {want[0]}")


def main():
    what, *args = sys.argv[1:]
    if what == "model":
        model(*map(int, args))
    elif what == "random":
        random_symbols(int(args[0]))
    elif what == "layers":
        layers(args[0], int(args[1]))
    elif what == "records":
        records(int(args[0]))
    else:
        {"counts": counts, "steps": steps, "markers": markers,
         "real": real}[what](args[0])


main()
