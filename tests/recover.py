#!/usr/bin/env python3
"""recover.py [DRIVER [SEED [COUNT]]]: the loops that recover_drive finds
against those of the brute force in oracle/runs.py, and against programs
whose structure is known.  TAP output; same seed, same sequences."""

import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'oracle'))
import runs  # noqa: E402

DRIVER = sys.argv[1] if len(sys.argv) > 1 else 'build/unit/recover_drive'
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 800


def drive(sequences, *options):
    """The driver's answers, one line each (for trees, two)."""
    text = []
    for seq in sequences:
        s, gap, mark = (seq + (None, None))[:3] if isinstance(seq, tuple) \
            else (seq, None, None)
        for i, sym in enumerate(s):
            g = '.' if not gap or gap[i] is None else gap[i]
            more = '' if not gap and not mark else '\t%s' % g
            text.append('%s%s%s' % (sym, more,
                                    '\t%d' % mark[i] if mark else ''))
        text.append('--')
    out = subprocess.run([DRIVER, *options], input='\n'.join(text) + '\n',
                         capture_output=True, text=True)
    if out.returncode:
        sys.exit('%s: exit %d: %s' % (DRIVER, out.returncode, out.stderr))
    return out.stdout.split('\n')[:-1]


def trees(sequences, *options):
    return drive(sequences, *options)[::2]


def noise(rng, n, k):
    return [rng.randrange(k) for _ in range(n)]


def periodic(rng, n, k):
    """Repeats itself, with a change now and then."""
    p = rng.randrange(1, max(2, n // 2))
    s = noise(rng, p, k)
    change = rng.choice([0, 0.01, 0.05])
    while len(s) < n:
        s.append(rng.randrange(k) if rng.random() < change else s[-p])
    return s


def nested(rng, n, k):
    """Loops in loops, cut at both ends."""
    s = noise(rng, rng.randrange(1, 6), k)
    while len(s) < 2 * n:
        s = noise(rng, rng.randrange(4), k) + s * rng.randrange(1, 5) + \
            noise(rng, rng.randrange(4), k)
    a = rng.randrange(len(s) - n + 1)
    return s[a:a + n]


def layers(rng):
    """Steps of layers and part of one, cut at both ends, with gaps that tell
    where they start, or an end that looks like the start."""
    k = rng.randrange(3, 40)
    seam = noise(rng, 2, k) if rng.random() < 0.5 else []
    layer = noise(rng, rng.randrange(2, 6), k)
    step = seam + noise(rng, rng.randrange(1, 20), k) + \
        layer * rng.randrange(2, 8) + layer[:rng.randrange(len(layer))] + \
        noise(rng, rng.randrange(1, 20), k) + seam
    s = step * 5
    gap = [rng.randrange(1, 9) for _ in s]
    for x in range(0, len(s), len(step)):
        gap[x] = rng.randrange(5, 20)
    a, b = rng.randrange(len(step)), len(s) - rng.randrange(len(step))
    return s[a:b], gap[a:b], None


def some(rng):
    if rng.random() < 0.25:
        return layers(rng)
    n, k = rng.randrange(1, 140), rng.randrange(1, 9)
    s = rng.choice([noise, periodic, nested, nested])(rng, n, k)
    gap = mark = None
    if rng.random() < 0.5:
        gap = [rng.choice([None, 1, 2, 3, 4]) for _ in s]
    if rng.random() < 0.3:
        mark = [int(rng.random() < 0.2) for _ in s]
    if mark and not gap:
        gap = [None] * n
    return s, gap, mark


FAILED = 0
TESTS = 0


def ok(good, what):
    global FAILED, TESTS
    TESTS += 1
    FAILED += not good
    print('%sok %d - %s' % ('' if good else 'not ', TESTS, what), flush=True)


def differ(what, s, want, got):
    print('# %s\n#   %r\n#   want %s\n#   got  %s' % (what, s, want, got))


def test_runs(rng):
    seqs = [some(rng)[0] for _ in range(COUNT)]
    bad = total = 0
    for s, got in zip(seqs, drive(seqs, '-r')):
        want = ' '.join('%d,%d,%d' % r for r in runs.runs(s))
        total += want.count(' ') + bool(want)
        if want != got:
            bad += 1
            differ('runs', s, want, got)
    ok(bad == 0, '%d maximal repetitions of %d sequences' % (total, COUNT))


def test_trees(rng):
    seqs = [some(rng) for _ in range(COUNT)]
    bad = close = 0
    for seq, got in zip(seqs, trees(seqs, '-l')):
        try:
            want = runs.Recovery(*seq).tree
        except runs.Close:
            close += 1
            continue
        if want != got:
            bad += 1
            differ('tree', seq, want, got)
    ok(bad == 0 and close < COUNT / 20,
       '%d trees (%d too close to a limit)' % (COUNT - close, close))


class Fresh:
    """Symbols that nothing else uses."""

    def __init__(self):
        self.n = 0

    def events(self, n):
        self.n += n
        return ['e%d' % i for i in range(self.n - n, self.n)]


def program(rng, fresh, depth, least):
    """A body: its events, and its text as recover_drive prints it.  A loop
    repeats at least `least` events, enough not to be chance."""
    events = fresh.events(rng.randrange(1, 6))
    text = list(events)
    for _ in range(rng.randrange(3) if depth else 0):
        body, inside = program(rng, fresh, depth - 1, 4)
        count = rng.randrange(2, 8)
        while len(body) * (count - 1) < least or len(body) == 1 > count - 3:
            count += 1
        events = events + body * count
        text.append('L%d[%s]' % (count, inside))
        after = fresh.events(rng.randrange(1, 4))
        events += after
        text += after
    return events, ' '.join(text)


def test_programs(rng):
    """Loops in loops of symbols that occur nowhere else: the tree has to be
    the program."""
    seqs, want = [], []
    while len(seqs) < COUNT:
        events, text = program(rng, Fresh(), rng.randrange(4), 8)
        if 16 < len(events) < 20000 and 'L' in text:
            seqs.append(events)
            want.append(text)
    compare('programs', seqs, want)


def test_cut_programs(rng):
    """One loop over everything, cut at both ends: where its body starts is
    known from marks or from gaps, some of them lost."""
    seqs, want = [], []
    while len(seqs) < COUNT:
        body, text = program(rng, Fresh(), rng.randrange(4), 4)
        if not 4 < len(body) < 2000:
            continue
        head = rng.randrange(len(body))
        tail = rng.randrange(len(body) - head)
        count = rng.randrange(3, 7)
        events = body[len(body) - head:] + body * count + body[:tail]
        starts = range(head, len(events), len(body))
        gap = [rng.randrange(100, 1000) for _ in events]
        mark = [0] * len(events)
        by_mark = rng.random() < 0.5
        for x in starts:
            if by_mark:
                mark[x] = 1
            else:
                gap[x] = rng.randrange(2000, 9000)
        for x in range(0, len(events), 7):
            gap[x] = None if rng.random() < 0.3 else gap[x]
        if not by_mark and any(gap[x] is None for x in starts):
            continue
        seqs.append((events, gap, mark if by_mark else None))
        want.append('%sL%d[%s]%s' % ('(+%d)' % head if head else '', count,
                                     text, '(+%d)' % tail if tail else ''))
    compare('cut programs', seqs, want)


def compare(what, seqs, want):
    bad = 0
    for seq, tree, got in zip(seqs, want, trees(seqs)):
        if tree != got:
            bad += 1
            differ(what, seq, tree, got)
    ok(bad == 0, '%d %s' % (len(seqs), what))


def words(text):
    """Symbols one letter each."""
    return list(text)


def test_by_hand(_):
    a, b, c = (' '.join(k + str(i) for i in range(9)) for k in 'abc')
    v = ' '.join('v%d' % i for i in range(30))
    w = ' '.join('w%d' % i for i in range(30))
    six, seven = 'k1 k2 k3 k4 k5 k6', 'k1 k2 k3 k4 k5 k6 k7'
    d, e, f = 'D0 D1 D2 D3 D4 D5', 'C0 C1 C2 C3 C4 C5', 'C0 C1 C2'
    g = 'A2 A3 A4 A5 A6 A7 A8 A0'
    cases = [
        ([], ''),
        (['k'], 'k'),
        (['k'] * 2, 'L2[k]'),
        (['k'] * 3, 'L3[k]'),
        (['k'] * 5, 'L5[k]'),
        (['k'] * 100000, 'L100000[k]'),
        (words('ab' * 50), 'L50[a b]'),
        (words('ab' * 50 + 'a'), 'L50[a b](+1)'),
        (words('yABy' * 6), 'L6[y A B y]'),
        # tiny: everything that repeats
        (words('abcddefghiijkl'), 'a b c L2[d] e f g h L2[i] j k l'),
        (words('xyxyz'), 'L2[x y] z'),
        # 24 and 36 layers are one loop each
        (words('p' + 'abcdefgh' * 24 + 'e'),
         'p L24[a b c d e f g h] e'),
        (words(('p' + 'abcdefgh' * 36 + 'e') * 5),
         'L5[p L36[a b c d e f g h] e]'),
        # a loop that starts as its layers end
        (words(('ab' + 'cdeb' * 3) * 7), 'L7[a L3[b c d e] b]'),
        # a remainder that the capture's edge has not cut is no iteration
        (words('X' + 'abcdefg' * 8 + 'abcY'),
         'X L8[a b c d e f g] a b c Y'),
        # a body once more elsewhere is a block of the same body
        (words('abcdefgh' * 5 + 'XYZ' + 'abcdefgh' + 'QRSTUVW'),
         'L5[a b c d e f g h] X Y Z B[a b c d e f g h] Q R S T U V W'),
        # twice more, a loop again
        (words('abcdefgh' * 5 + 'XYZ' + 'abcdefgh' * 2 + 'QRSTUVW'),
         'L5[a b c d e f g h] X Y Z L2[a b c d e f g h] Q R S T U V W'),
        # twice more, which alone would be chance
        (('a b c ' * 8 + v + ' a b c' * 2 + ' ' + w).split(),
         'L8[a b c] %s L2[a b c] %s' % (v, w)),
        # so short a body of so common events is chance
        (words('abc' * 9 + 'X' + 'acbbacaabccbacbbcabcaaccbabbcacb'),
         'L9[a b c] X ' + ' '.join('acbbacaabccbacbbcabcaaccbabbcacb')),
        # a block starts and ends between tokens: it cuts no loop
        (('a b c d e f g h ' * 5 + v + ' x y' * 9 + ' ' + w +
          ' p q x y x y x y x y r s').split(),
         'L5[a b c d e f g h] %s L9[x y] %s p q L4[x y] r s' % (v, w)),
        # too short for a block; two that save too little, and enough
        (('x y z %s ' * 6 % tuple('m%d' % i for i in range(6))).split(),
         ' '.join('x y z m%d' % i for i in range(6))),
        (' '.join([v, six, w, six, 'e']).split(),
         ' '.join([v, six, w, six, 'e'])),
        (' '.join([v, seven, w, seven, 'e']).split(),
         '%s B[%s] %s B[%s] e' % (v, seven, w, seven)),
        # nor does a block reach over a mark
        ((' '.join([v, a, b, w, a, b, 'e']).split(), None,
          [int(i in (39, 87)) for i in range(97)]),
         '%s B[%s] B[%s] %s B[%s] B[%s] e' % (v, a, b, w, a, b)),
        # a loop that is cut takes no part in a block
        (' '.join(['f g h', 'a b c d e f g h ' * 5, seven, v,
                   'a b c d e f g h ' * 5, seven, 'e']).split(),
         '(+3)L5[a b c d e f g h] B[%s] %s L5[a b c d e f g h] B[%s] e' %
         (seven, v, seven)),
        # two bodies that begin alike, once more each
        (' '.join(['a b c d x y ' * 5, v, 'a b c d e f g h ' * 5, w,
                   'a b c d x y', 'u', 'a b c d e f g h', 'e']).split(),
         'L5[a b c d x y] %s L5[a b c d e f g h] %s B[a b c d x y] u '
         'B[a b c d e f g h] e' % (v, w)),
        # 3 places of 8 events save 12 tokens, as do 2 of 15; more places win
        (' '.join(['A0', g, 'A1', g, 'A5 A6 A7 A8 A0 A0 A1', g,
                   'A1 A2 A3 A4 A5 A6 A7 u9']).split(),
         ' '.join(['A0 B[%s] A1 B[%s]' % (g, g), 'A5 A6 A7 A8 A0 A0 A1',
                   'B[%s] A1 A2 A3 A4 A5 A6 A7 u9' % g])),
        # a block that would be left in one place is none
        (' '.join(['A0 A1 A2', d, 'A0', e, d, f, 'A2 A0 A1 A2', d, 'B9 A0 A1',
                   'A2', d, e, d, f, 'D1', e, d, f, 'A0 A1 A2', d]).split(),
         ' '.join(['B[A0 A1 A2 %s] A0' % d, 'B[%s %s %s]' % (e, d, f), 'A2',
                   'B[A0 A1 A2 %s] B9 B[A0 A1 A2 %s]' % (d, d),
                   'B[%s %s %s] D1' % (e, d, f), 'B[%s %s %s]' % (e, d, f),
                   'B[A0 A1 A2 %s]' % d])),
        # bodies that never stand next to each other
        (' '.join([a, b, a, c, b, c, a, 'x', c]).split(),
         'B[%s] B[%s] B[%s] B[%s] B[%s] B[%s] B[%s] x B[%s]' %
         (a, b, a, c, b, c, a, c)),
    ]
    compare('by hand', [s for s, _ in cases], [t for _, t in cases])


def parse(text):
    """The tree as lists: [count, items] for loops, 1 for blocks."""
    stack = [[0, []]]
    for t in text.replace(']', ' ] ').replace('[', '[ ').split():
        t = t.split(')')[-1] or t
        if t == ']':
            stack.pop()
        elif t.endswith('['):
            item = [1 if t == 'B[' else int(t[1:-1]), []]
            stack[-1][1].append(item)
            stack.append(item)
        elif not t.startswith('('):
            stack[-1][1].append(t)
    return stack[0][1]


def bodies(items, seen):
    """Counts how often each body stands in the tree's definitions: blocks in
    seen[body][0], loops in seen[body][1]."""
    for item in items:
        if isinstance(item, list):
            known = repr(item[1]) in seen
            uses = seen.setdefault(repr(item[1]), [0, 0, item[1]])
            uses[item[0] > 1] += 1
            if not known:
                bodies(item[1], seen)
    return seen


def length(items):
    return sum(i[0] * length(i[1]) if isinstance(i, list) else 1
               for i in items)


def mixture(rng, fresh):
    """Steps of several kinds in any order, the kinds with loops in them, with
    or without common ends and something between."""
    kinds = [program(rng, fresh, 2, 4)[0] for _ in range(rng.randrange(2, 5))]
    if rng.random() < 0.4:
        ends = fresh.events(rng.randrange(1, 8)), \
            fresh.events(rng.randrange(1, 8))
        kinds = [ends[0] + k + ends[1] for k in kinds]
    between = fresh.events(4) if rng.random() < 0.3 else []
    s = []
    for _ in range(rng.randrange(2, 40)):
        s += rng.choice(kinds)
        if between:
            s.append(rng.choice(between))
    return s


def test_blocks(rng):
    """Whatever comes in, the tree is the sequence (recover_drive sees to it),
    a block's body is there at least twice, and is no trifle."""
    seqs = [some(rng) if i % 2 else mixture(rng, Fresh())
            for i in range(COUNT)]
    bad = total = 0
    for seq, got in zip(seqs, trees(seqs)):
        for block, loop, items in bodies(parse(got), {}).values():
            total += block > 0
            if block and (block + loop < 2 or
                          length(items) < (3 if loop else 4)):
                bad += 1
                differ('blocks', seq, 'twice or more', items)
    ok(bad == 0 and total > COUNT / 4, '%d blocks' % total)


def chance(rng, i):
    n, k = rng.choice([200, 500, 1000, 2000, 5000]), rng.choice(
        [2, 3, 4, 5, 8, 16, 50, 200])
    if i % 3 == 0:
        return noise(rng, n, k)
    if i % 3 == 1:
        power = rng.choice([0.5, 1, 1.5, 2])
        return rng.choices(range(k), [(j + 1) ** -power for j in range(k)],
                           k=n)
    body = noise(rng, rng.randrange(5, 60), k)
    s = (body * n)[:n]
    rng.shuffle(s)
    return s


def test_chance(rng):
    """Random sequences: one false loop in 200 sequences is what the rule
    allows, and most periods are longer than 1."""
    loops = ones = blocks = 0
    for got in trees([chance(rng, i) for i in range(300)]):
        for item in parse(got):
            if isinstance(item, list):
                blocks += item[0] == 1
                ones += item[0] > 1 and length(item[1]) == 1
                loops += item[0] > 1 and length(item[1]) > 1
    ok(loops <= 2 and ones <= 4 and blocks <= 2,
       'chance: %d loops, %d of one event, %d blocks in 300 sequences' %
       (loops, ones, blocks))


def main():
    rng = random.Random(SEED)
    test_by_hand(rng)
    test_runs(rng)
    test_trees(rng)
    test_programs(rng)
    test_cut_programs(rng)
    test_blocks(rng)
    test_chance(rng)
    print('1..%d' % TESTS)
    sys.exit(FAILED > 0)


main()
