#!/usr/bin/env python3
"""Streams for rules, and what is recovered of them under rules.

  rules_check.py model SEED STEPS LAYERS BAD    a DeepSeek-like stream; the
      answer in counts.tsv: what the rules should meet
  rules_check.py random SEED                    symbols at random, with markers
  rules_check.py counts FILE                    notes on rules against counts.tsv
  rules_check.py layers FILE LAYERS             layers that were recovered
  rules_check.py markers FILE                   no body breaks a marker's rule
  rules_check.py steps FILE                     nothing is in two steps
  rules_check.py records SEED                   SQL of tasks with two records,
      and counts.tsv, events.tsv: what rules/pairs.yaml should make of them
  rules_check.py events FILE TREE               a stream against events.tsv, and
      the time that is busy in what tl-recover makes of it
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
    notes = [c for c in lines(path, "note")
             if c[2] in ("recover_rule", "reconcile_rule")]
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
    tasks, colls, at = [], [], 1000
    for _ in range(80):
        lane, conn = rnd.randrange(3), rnd.randrange(12)
        length = rnd.randrange(50, 300)
        at += rnd.randrange(0, 200)
        what = rnd.choice(["pair", "pair", "pair", "outer", "inner", "comm",
                           "comm", "other"])
        if what == "comm":
            tasks.append((at, length, lane, conn, 4294967295, 51))
            for _ in range(rnd.choice([0, 1, 1, 1, 2])):
                colls.append((at + rnd.randrange(-5, 30), rnd.randrange(20, 90)))
            continue
        if what in ("pair", "outer"):
            tasks.append((at, length, lane, conn, 4294967295, 0))
        for _ in range(rnd.choice([1, 1, 1, 2]) if what == "pair" else
                       what in ("inner", "other")):
            tasks.append((at + rnd.randrange(-2, 40),
                          max(1, length - rnd.randrange(0, 60)), lane, conn,
                          0 if what != "other" else 1, 52))
    rnd.shuffle(tasks)
    ev = []
    print("INSERT INTO STRING_IDS VALUES (50, 'Kernel mix'), "
          "(51, 'FusedReduce'), (52, 'Op'), (53, 'FusedReduceKernel_1');")
    for i, (start, dur, lane, conn, context, op) in enumerate(tasks, 1):
        ev.append((start, start + dur, (lane, conn), (context, op), f"T:{i}"))
        print(f"INSERT INTO TASK VALUES ({start}, {start + dur}, 0, {conn}, "
              f"{i}, 7, 50, {context}, {lane}, 5, 4294967295);")
        if op:
            print(f"INSERT INTO COMPUTE_TASK_INFO VALUES ({op}, {i}, 8, 12, "
                  f"{op});")
    for i, (start, dur) in enumerate(colls, 1):
        ev.append((start, start + dur, None, "coll", f"C:{i}"))
        print(f"INSERT INTO COMMUNICATION_OP VALUES (53, {start}, "
              f"{start + dur}, 99, 24, {i}, 4, 1, 23);")
    n, of, window = collections.Counter(), {}, {}

    def inside(a, b, part):
        lap = min(a[1], b[1]) - max(a[0], b[0])
        return lap >= 0 and lap * 100 >= part * (a[1] - a[0])

    def judge(inner, outer, part, same, rule):
        n[rule, "records are evidence of others that tell of the same "
          "work"] = 0
        for a in inner:
            into = [b for b in outer if same(a, b) and inside(a, b, part)]
            if not into:
                n[rule, "records have no partner"] += 1
            elif len(into) > 1 or sum(
                    same(x, into[0]) and inside(x, into[0], part)
                    for x in inner) > 1:
                n[rule, "records could be of several others and stay as they "
                  "are"] += 1
            else:
                n[rule, "records are evidence of others that tell of the same "
                  "work"] += 1
                yield a, into[0]

    for a, b in judge([e for e in ev if e[3] in ((0, 52), (0, 51))],
                      [e for e in ev if e[3] == (4294967295, 0)], 90,
                      lambda a, b: a[2] == b[2], "mix"):
        of[b[4]] = a[4]
        window[a[4]] = b[:2]
    for a, b in judge([e for e in ev if e[3] == "coll"],
                      [e for e in ev if e[3] == (4294967295, 51)], 100,
                      lambda a, b: True, "fused"):
        of[a[4]] = b[4]
    with open("counts.tsv", "w", encoding="utf-8") as f:
        for (rule, what), k in n.items():
            f.write(f"{k}\trule '{rule}': {what}\n")
    busy, last = 0, None
    for s, t in sorted(window.get(e[4], e[:2]) for e in ev
                       if e[4] not in of):
        busy += max(0, t - (s if last is None else max(s, last)))
        last = t if last is None else max(t, last)
    with open("events.tsv", "w", encoding="utf-8") as f:
        f.write(f"busy {busy}\n")
        for e in sorted(ev, key=lambda e: e[4]):
            s, t = window.get(e[4], e[:2])
            own = f"{e[0]} {e[1] - e[0]}" if (s, t) != e[:2] else ". ."
            f.write(f"{e[4]} {s} {t - s} {of.get(e[4], '.')} {own}\n")


def events(path, tree):
    busy = [c[13] for c in lines(tree, "pos") if c[6] == "root"][0]
    got = []
    for c in lines(path, "kernel", "task"):
        k = dict(f.split("=", 1) for f in c[12:])
        if ("of" in k) != ("detail" in k) or ("of" in k) != ("rule" in k):
            sys.exit(f"{c[11]}: {k}")
        got.append(f"{c[11]} {c[2]} {c[3]} {k.get('of', '.')} "
                   f"{k.get('own_start', '.')} {k.get('own_dur', '.')}")
    with open("events.tsv", encoding="utf-8") as f:
        want = f.read().splitlines()
    for g, w in zip([f"busy {busy}"] + sorted(got), want):
        if g != w:
            sys.exit(f"{path}: {g}, not {w}")
    if len(got) + 1 != len(want):
        sys.exit(f"{path}: {len(got)} events, not {len(want) - 1}")


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
         "events": events}[what](*args)


main()
