#!/usr/bin/env python3
"""near_bound.py BUILD [PROGRAMS]: -m holds over what was found by itself.

Steps of layers with noise that is above -m, from a seed each. In all loops of
a tree together no more than -m percent of the events deviate, each event stands
once, in a real or a dev record, in order, and what a variant counts is what its
iterations have.
"""
import random
import subprocess
import sys
from collections import Counter, defaultdict


def program(rng):
    body = ["k%d" % rng.randrange(5) for _ in range(rng.randint(3, 8))]
    layers, rate = rng.randint(3, 8), rng.choice((.02, .05, .1))
    for _ in range(rng.randint(5, 12)):
        yield "head"
        for _ in range(layers):
            for k in body:
                x = rng.random()
                if x < rate / 3:
                    continue
                if x < rate * 2 / 3:
                    yield from ["f"] * rng.choice((1, 1, 5))
                yield "z" if x > 1 - rate / 3 else k
            if rng.random() < rate / 8:
                yield from ("burst%d" % i for i in range(rng.randint(2, 20)))
        yield "tail"


def recover(build, names, percent):
    text = "#tl-ev\t1\n" + "".join(
        "kernel\t%d\t%d\t3\t1\t0\t1\t7\t%d\tcompute\t%s\tE:%d\n"
        % (i, 10 * i, i, k, i) for i, k in enumerate(names, 1))
    out = subprocess.run(
        [build + "/tl-recover", "-P", "-m", str(percent)],
        input=text + "end\t%d\n" % len(names), capture_output=True, text=True,
        check=True).stdout
    return [x.split("\t") for x in out.splitlines()]


def judge(rows, n, percent):
    """What is wrong, or None."""
    up, variant, count, own = {}, {}, {}, defaultdict(Counter)
    order = []
    for f in rows:
        if f[0] == "occ":
            up[f[2] + "#" + f[3]] = f[4]
            if len(f) > 19:
                variant[f[2] + "#" + f[3]] = f[2], f[19]
        elif f[0] == "variant":
            count[f[2], f[3]] = f[4:9]
        elif f[0] == "real":
            order.append(int(f[1]))
        elif f[0] == "dev":
            if f[6] != ".":
                order.append(int(f[6]))
            at = f[2]
            while at != ".":
                own[at][f[4]] += 1
                at = up[at]
    if order != list(range(1, n + 1)):
        return "events are not there once, in order"
    devs = sum(own["N001#1"].values())
    if 100 * devs > percent * n:
        return "%d of %d events deviate" % (devs, n)
    if dict(Counter(variant.values())) != {
            v: int(c[0]) for v, c in count.items()}:
        return "iterations of the variants"
    for at, v in variant.items():
        have = [str(own[at][k]) for k in ("extra", "missing", "replaced")]
        if have != count[v][2:]:
            return "%s is of variant %s, and has %s" % (at, v[1], have)
    return None


def main():
    bad = devs = 0
    for seed in range(int(sys.argv[2]) if len(sys.argv) > 2 else 60):
        rng = random.Random(seed)
        names = list(program(rng))
        for percent in (1, 3, 10):
            rows = recover(sys.argv[1], names, percent)
            devs += sum(f[0] == "dev" for f in rows)
            why = judge(rows, len(names), percent)
            if why:
                print("seed %d, -m %d: %s" % (seed, percent, why))
                bad += 1
    if devs == 0:
        print("nothing deviates")
    return 1 if bad or devs == 0 else 0


sys.exit(main())
