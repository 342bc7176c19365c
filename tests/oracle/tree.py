#!/usr/bin/env python3
"""tree.py SEED...: makes a random tree of positions, has tl-tree print it, and
compares what it prints with numbers found in another way: exact fractions.
Prints nothing if all is well."""

import random
import subprocess
import sys
from fractions import Fraction

NONE = "."


def time(ns):
    """Four digits, half rounded up, in the smallest unit that holds them."""
    if ns is None:
        return NONE
    if ns < 1000:
        return "%d ns" % ns
    for unit, name in ((10**3, "us"), (10**6, "ms"), (10**9, "s")):
        for decimals in (3, 2, 1):
            digits = int(Fraction(ns * 10**decimals, unit) + Fraction(1, 2))
            if digits < 10000:
                return "%d.%0*d %s" % (digits // 10**decimals, decimals,
                                       digits % 10**decimals, name)
    return "{:,} s".format(int(Fraction(ns, 10**9) + Fraction(1, 2)))


def about(ns):
    """Three digits, half rounded up, and a mark."""
    if ns is None:
        return NONE
    digits = len(str(ns))
    if digits > 3:
        step = 10**(digits - 3)
        ns = int(Fraction(ns, step) + Fraction(1, 2)) * step
    number, unit = time(ns).split(" ")
    if "." in number:
        number = number[:-1].rstrip(".")
    return "~%s %s" % (number, unit)


def union(spans):
    """How much of the line intervals (start, length) cover."""
    total, end = 0, None
    for a, n in sorted(spans):
        if end is None or a > end:
            end = a
        if a + n > end:
            total += a + n - end
            end = a + n
    return total


def part(ns, whole):
    if ns is None or not whole:
        return NONE
    if ns == 0:
        return "0%"
    if ns == whole:
        return "100%"
    tenths = int(Fraction(ns * 1000, whole) + Fraction(1, 2))
    if tenths == 0:
        return "<0.1%"
    if tenths == 1000:
        return ">99.9%" if ns < whole else "100.1%"
    return "%d.%d%%" % divmod(tenths, 10)


class Pos:
    def __init__(self, parent, depth, kind):
        self.parent, self.depth, self.kind = parent, depth, kind
        self.children, self.costs = [], []
        self.occurrences = 1
        self.spans = []
        self.total = self.approx = None


def maybe(rnd, v):
    return None if rnd.random() < 0.05 else v


def grow(rnd, pos, p):
    """Members of a body; more than 16 now and then, so that it folds."""
    if p.kind == "event":
        return
    n = rnd.choice((1, 2, 3, 5, 30)) if p.depth < 3 else rnd.randint(1, 3)
    for _ in range(n):
        kind = "event" if p.depth > 4 else rnd.choice(
            ("event",) * 4 + ("loop", "seq"))
        q = Pos(p, p.depth + 1, kind)
        p.children.append(q)
        pos.append(q)
        grow(rnd, pos, q)


def cost(rnd, p, root_span):
    top = min(10 ** rnd.randint(1, 12), root_span)
    span = rnd.randint(0, top) if p.parent else root_span
    p.span = maybe(rnd, span) if p.parent else span
    p.parts = [maybe(rnd, rnd.choice((0, span, rnd.randint(0, span))))
               for _ in range(7)]
    p.occurrences = rnd.choice((1, 1, 2, 7, 1000)) if p.parent else 1
    p.median = maybe(rnd, rnd.randint(0, 10**rnd.randint(0, 13)))
    if p.kind == "event" or not p.parent:
        p.total = None if p.span is None else p.span * p.occurrences
        p.approx = p.occurrences > 1
    else:
        p.spans = [(rnd.randint(0, top), rnd.randint(0, top))
                   for _ in range(p.occurrences)]
        if rnd.random() < 0.8:
            p.spans.sort(key=lambda s: s[0])
        starts = [a for a, _ in p.spans]
        p.approx = starts != sorted(starts)
        p.total = sum(n for _, n in p.spans) if p.approx else union(p.spans)
    p.iterations = rnd.randint(1, 5)


def num(v):
    return NONE if v is None else str(v)


def records(pos):
    for i, p in enumerate(pos):
        p.id = "N%03d" % (i + 1)
        above = p.parent.id if p.parent else NONE
        busy, compute, comm, xcomm, copy, xcopy, idle = map(num, p.parts)
        loop = p.kind == "loop"
        yield ["pos", "1:0", p.id, above, "1", str(p.depth), p.kind,
               "%d.00" % p.iterations if loop else NONE, "3", num(p.occurrences), "1", "0",
               num(p.span), busy, compute, comm, xcomm, copy, xcopy, idle,
               NONE, num(p.median) if loop else NONE, NONE,
               "k%d" % (i + 1) if p.kind == "event" else p.kind]
        for n, (start, span) in enumerate(p.spans):
            yield ["occ", "1:0", p.id, str(n + 1), above + "#1", NONE, "full",
                   "1", str(start), str(span), NONE] + ["0"] * 8


def cells(p, root):
    if p.kind != "loop":
        cell = [time(p.span)]
    elif p.iterations >= 3:
        cell = [time(p.median)]
    else:
        cell = [about(p.median if p.span is None else p.span // p.iterations)]
    for v in (p.parts[1], p.parts[3], p.parts[5], p.parts[6]):
        cell.append("" if p.kind == "event" and v == 0 else part(v, p.span))
    share = part(p.total, root.span)
    return ["~" + share if p.approx and share != NONE else share] + cell


def columns(line):
    c = [x.strip() for x in line.strip("|").split("|")]
    return c[0], c[1:7], c[7].count("&emsp;"), c[7].replace("&emsp;", "")


def run(text, *options):
    """Rows of the tables, by what the last column's head says."""
    r = subprocess.run(["tl-tree", "-q", "-F", "md", *options],
                       input=text.encode(), stdout=subprocess.PIPE, check=True)
    table, rows = {}, None
    for x in r.stdout.decode().split("\n"):
        if x.startswith("| pos |"):
            rows = table.setdefault(columns(x)[3], [])
        elif x.startswith("| "):
            rows.append(columns(x))
    return table


def exposed(p):
    return None if p.parts[3] is None else p.parts[3] * p.occurrences


def loops_above(p):
    n = 0
    while p.parent:
        p = p.parent
        n += p.kind == "loop"
    return n


def is_single(p):
    return p.kind == "loop" and [c.kind for c in p.children] == ["event"]


def main_loops(pos, wall):
    """Outermost first, then those within them, by time; five at most."""
    rank = [p for p in pos if p.kind == "loop" and p.total
            and Fraction(p.total, wall) >= Fraction(1, 100)]
    rank.sort(key=lambda p: -p.total)
    pick = [p for p in rank if not loops_above(p)]
    pick += [p for p in rank if loops_above(p) and not is_single(p)]
    pick, order = pick[:5], []
    for p in pick:
        if not loops_above(p):
            order += [q for q in [p, *all_below(p)] if q in pick]
    return order


def worst(pos, wall):
    """Of the leaves, what is a five-hundredth of the wall or makes up nine
    tenths."""
    rank = [p for p in pos if not p.children and p.parent and exposed(p)]
    rank.sort(key=lambda p: -exposed(p))
    need, left = [], sum(map(exposed, rank))
    tenth = left // 10
    for p in rank:
        if Fraction(exposed(p), wall) < Fraction(1, 500) and left <= tenth:
            break
        need.append(p)
        left -= exposed(p)
    return need


def check_blocks(seed, pos, table, wall):
    got = [(r[0], r[1], r[2]) for r in table.get("main loops", [])]
    main = main_loops(pos, wall)
    want = [(p.id, cells(p, pos[0]),
             sum(p in all_below(q) for q in main)) for p in main]
    assert got == want, (seed, got, want)
    need = worst(pos, wall)
    seen = {r[0] for r in table["structure"]}
    for p in need + main:
        ids = {p.id} | ({p.parent.id} if is_single(p.parent) else set())
        assert ids & seen, (seed, "folded away", p.id)
    rows = table.get("most exposed communication", [])
    assert len(rows) == min(3, len(need)), (seed, rows)
    for r, p in zip(rows, need):
        text = "(%s%s exposed, %s of wall)" % (
            "\\~" if p.occurrences > 1 else "", time(exposed(p)),
            part(exposed(p), wall))
        assert r[1] == cells(p, pos[0]) and text.replace("<", "\\<").replace(
            ">", "\\>") in r[3], (seed, r, text)


def all_below(p):
    for c in p.children:
        yield c
        yield from all_below(c)


def check(seed):
    rnd = random.Random(seed)
    root = Pos(None, 0, "root")
    pos = [root]
    grow(rnd, pos, root)
    span = rnd.choice((1, 999, 10**6, 10**10, 3 * 10**12))
    for p in pos:
        cost(rnd, p, span)
    recs = ["\t".join(r) for r in records(pos)]
    text = "\n".join(["#tl-ev\t1"] + recs + ["end\t%d" % len(recs)]) + "\n"
    by_id = {p.id: p for p in pos}

    got = run(text, "-a")["structure"]
    assert len(got) == len(pos), (seed, len(got), len(pos))
    for row, p in zip(got, pos):
        want = (p.id, cells(p, root), p.depth)
        assert row[:3] == want, (seed, row, want)

    # what is not shown is counted: members of open bodies, shown and folded
    shown, folded = {}, {}
    above = root
    table = run(text)
    check_blocks(seed, pos, table, span)
    for name, cell, depth, what in table["structure"]:
        if name:
            above = by_id[name]
            assert cell == cells(above, root), (seed, name, cell)
            shown.setdefault(above.parent, []).append(above)
            continue
        while above.depth >= depth:
            above = above.parent
        n = sum(int(w) for w in what.replace(",", " ").split() if w.isdigit())
        folded[above] = folded.get(above, 0) + n
    for p in shown:
        if p is None:
            continue
        n = len(shown[p]) + folded.get(p, 0)
        assert n == len(p.children), (seed, p.id, n)
    for p in folded:
        if p not in shown:
            assert folded[p] == len(p.children), (seed, p.id)


for s in sys.argv[1:]:
    check(int(s))
