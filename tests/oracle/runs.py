"""Brute force for loop recovery: every maximal repetition of a short sequence,
and the rules of tl-recover(1) (what is more than chance, what covers most,
where a body starts) applied to them literally.  Shares nothing with the C
code: no hashes, no sums of logarithms."""

from collections import Counter
from fractions import Fraction
from math import log

TINY = 16
LOOK = 25
EXACT = 64


class Close(Exception):
    """A probability within 1 % of its limit: rounding may decide."""


def runs(s):
    """All (start, period, length): s[x] == s[x + period] over length - period
    events and not beyond, at least two periods, period the least one."""
    found = []
    n = len(s)
    for p in range(1, n // 2 + 1):
        x = 0
        while x + p < n:
            a = x
            while x + p < n and s[x] == s[x + p]:
                x += 1
            if x - a >= p and not any(
                    p % d == 0 and all(s[y] == s[y + d]
                                       for y in range(a, x + p - d))
                    for d in range(1, p)):
                found.append((a, p, x + p - a))
            x += 1
    return sorted(found)


def rare(s, run, n, limit):
    """Expected number of runs like this one among n of these events in random
    order: at most limit?"""
    a, p, length = run
    count = Counter(s)
    expected = Fraction((n - 2 * p + 1) * p) * Fraction(1 + log(n // 2))
    left = len(s)
    for i in range(length):
        sym = s[a + i]
        if i >= p:
            expected *= Fraction(count[sym], left)
        if length <= EXACT:
            count[sym] -= 1
            left -= 1
    if 99 * limit < 100 * expected and 99 * expected < 100 * limit:
        raise Close()
    return expected <= limit


def claimed(s, run, top):
    _, p, length = run
    n = len(s)
    if n <= TINY:
        return True
    if p == 1 and length < 3:
        return False
    if length == n:
        return True
    return rare(s, run, n, Fraction(1, 100) if top else 1)


def inner(s, run, n):
    if n <= TINY:
        return True
    if run[1] == 1 and run[2] < 3:
        return False
    return rare(s, run, n, 1)


def rotation(body):
    """The least rotation."""
    return min(body[i:] + body[:i] for i in range(len(body)))


class Level:
    def __init__(self, s, gap, mark):
        self.s, self.gap, self.mark, self.items = tuple(s), gap, mark, None


class Recovery:
    """tree: the canonical text that recover_drive prints."""

    def __init__(self, s, gap=None, mark=None):
        self.bodies = {}  # content -> Level
        self.turns = {}   # least rotation -> contents, in order of choice
        top = Level(s, gap, mark)
        self.queue = [top]
        for level in self.queue:
            self.fold(level, level is top)
        self.tree = ' '.join(self.text(i) for i in top.items)

    def fold(self, lv, top):
        s, n = lv.s, len(lv.s)
        every = runs(s)
        claims = [r for r in every if claimed(s, r, top)]
        claims.sort(key=lambda r: (-r[2], r[1], r[0]))
        free = [True] * n
        loops = []
        for claim in claims:
            a, p, length = claim
            end = a + length
            least = 3 if p == 1 and n > TINY else 2 * p
            x = a
            while x < end:
                if not free[x]:
                    x += 1
                    continue
                y = x
                while y < end and free[y]:
                    y += 1
                if y - x >= least:
                    loops.append(self.take(lv, top, every, claims, free,
                                           claim, x, y))
                x = y
        lv.items, x = [], 0
        for at, size, item in sorted(loops, key=lambda t: t[0]):
            lv.items += s[x:at] + (item,)
            x = at + size
        lv.items += s[x:]

    def take(self, lv, top, every, claims, free, claim, x, y):
        s, p = lv.s, claim[1]
        k, r = divmod(y - x, p)
        known = self.turns.setdefault(rotation(s[x:x + p]), [])
        for body in known:
            skip = [o for o in range(r + 1) if s[x + o:x + o + p] == body]
            if skip:
                skip = skip[0]
                break
        else:
            skip = self.phase(lv, every, claims, claim, x, y)
            body = s[x + skip:x + skip + p]
            known.append(body)
            first = [x + skip + i * p for i in range(min(k, LOOK))]
            gap = mark = None
            if lv.gap:
                gap = [median([lv.gap[f + i] for f in first])
                       for i in range(p)]
            if lv.mark:
                mark = [2 * sum(lv.mark[f + i] for f in first) >= len(first)
                        for i in range(p)]
            self.bodies[body] = Level(body, gap, mark)
            self.queue.append(self.bodies[body])
        head = skip if top and x == 0 else 0
        tail = r - skip if top and y == len(s) else 0
        at, size = x + skip - head, head + k * p + tail
        free[at:at + size] = [False] * size
        return at, size, (k, body, head, tail)

    def phase(self, lv, every, claims, claim, x, y):
        s, p = lv.s, claim[1]
        r = (y - x) % p
        if r == 0:
            return 0
        offsets = range(r + 1)
        canon = rotation(s[x:x + p])
        peers = [c for c in claims if c[1] == p and
                 rotation(s[c[0]:c[0] + p]) == canon]

        def first_in(a, body):
            return next(i for i in range(a, a + p) if s[i:i + p] == body)

        def starts(o):
            body = s[x + o:x + o + p]
            yield from range(x + o, y - p + 1, p)
            for c in peers:
                if c != claim:
                    yield from range(first_in(c[0], body),
                                     c[0] + c[2] - p + 1, p)

        looks = [[i for i, _ in zip(starts(o), range(LOOK))] for o in offsets]
        if lv.mark:
            votes = [sum(lv.mark[i] for i in look) for look in looks]
            good = [o for o in offsets
                    if votes[o] and 2 * votes[o] >= len(looks[o])]
            if good:
                return max(good, key=lambda o: (votes[o], -o))
        cut = self.cuts(s, every, x, p, r, False)
        offsets = [o for o in offsets if cut[o] == min(cut)]
        allow = {o: sum(1 for c in peers if
                        first_in(c[0], s[x + o:x + o + p]) <=
                        c[0] + c[2] % p) for o in offsets}
        offsets = [o for o in offsets if allow[o] == max(allow.values())]
        if lv.gap and len(offsets) > 1:
            gaps = {o: median([lv.gap[i] for i in looks[o]])
                    for o in offsets}
            most = max((g for g in gaps.values() if g is not None),
                       default=None)
            if most is not None and any(g != most for g in gaps.values()):
                return min(o for o in offsets if gaps[o] == most)
        cut = self.cuts(s, every, x, p, r, True)
        return min(offsets, key=lambda o: (cut[o], o))

    @staticmethod
    def cuts(s, every, x, p, r, small):
        cut = [(0, False)] * (r + 1)
        for a, q, length in every:
            if 2 * q > p or not x - p // 2 <= a < x + p + r or \
                    a + length <= x + p or not small and \
                    (q == 1 or length < p // 8) or \
                    not inner(s, (a, q, length), p):
                continue
            for o in range(r + 1):
                before, after = x + p + o - a, a + length - x - p - o
                if before > 0 and after > 0 and \
                        max(before // q, after // q) < length // q:
                    lost = before // q + after // q < length // q
                    cut[o] = max(cut[o], (length, lost))
        return cut

    def text(self, item):
        if not isinstance(item, tuple):
            return str(item)
        k, body, head, tail = item
        inside = ' '.join(self.text(i) for i in self.bodies[body].items)
        return '%sL%d[%s]%s' % ('(+%d)' % head if head else '', k, inside,
                                '(+%d)' % tail if tail else '')


def median(gaps):
    """The lower median; None if more than half are unknown."""
    known = sorted(g for g in gaps if g is not None)
    if not known or 2 * len(known) < len(gaps):
        return None
    return known[(len(known) - 1) // 2]
