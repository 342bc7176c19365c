#!/usr/bin/env python3
"""db_gen.py SEED [odd]: a random stream on standard output, small and valid in
the sense of tl-ev(5), with all kinds of records and of text: NUL, bytes that are
no UTF-8, 5,000 bytes, tokens that look like numbers. With "odd", spellings and
columns that the page does not have are mixed in."""
import random
import sys

rnd = random.Random(int(sys.argv[1]))
odd = len(sys.argv) > 2
KINDS = 'kernel memcpy memset sync graph task api op range python mark counter'.split()
CLASSES = 'compute comm copy sync host other'.split()
TEXTS = [b'gemm', b'x\\x00y', b'\\xFF', b'\\xC3(', b'\\x2E', b'a\\tb\\nc\\\\d', 'añ✓𝄞'.encode(),
         b'n' * 5000, b'\\x00' * 900, b'7', b'-1', b'0', b'007', b'9223372036854775807',
         b'9223372036854775808', b'-9223372036854775808', b'18446744073709551615', b"it's",
         b'"', b'=', b'a=b', b':', b'a:1', b'1:2:3', b'\\x7F', b'..', b'. ', b'NULL', b'1e5',
         b'0x10', b'1.0', b'+5', b' 5', b'5 ', b'-0', b'\xf4\x8f\xbf\xbf', b'\\xED\\xA0\\x80']
ODD = [b'\\q', b'\\x41', b'\\xff', b'\xff', b'\\', b'\\xC3\\xA9', b'\\x09', b'\x01', b'a\\']


def text(none=0.1):
    if rnd.random() < none:
        return b'.'
    if odd and rnd.random() < 0.1:
        return rnd.choice(ODD)
    return rnd.choice(TEXTS)


def number(lo, hi, none=0.2):
    return b'.' if rnd.random() < none else b'%d' % rnd.randint(lo, hi)


def keys():
    names = rnd.sample(['aux', 'block', 'bytes', 'copy', 'detail', 'domain', 'graph', 'grid',
                        'node', 'role', 'seq', 'short', 'sym', 'zz'], rnd.randrange(5))
    out = []
    for k in sorted(names):
        v = {'bytes': b'%d' % rnd.randrange(2**40), 'detail': b'1', 'role': b'aux',
             'seq': b'%d' % rnd.randrange(10**6)}.get(k) or text(0)
        out.append(k.encode() + b'=' + (v if v != b'.' else b'\\x2E'))
    return out


def stray():
    """Records of other kinds, which may stand anywhere."""
    r = rnd.random()
    if r < 0.5:
        return [b'note', rnd.choice([b'info', b'warn', b'error']), b'some_code', number(0, 99),
                text()]
    if r < 0.8:
        return [b'x-future', *(text() for _ in range(rnd.randrange(5)))]
    return [rnd.choice([b'x', b'steps', b'end-of-it', b'_']), *(text() for _ in range(3))]


def ref(ids):
    return b'.' if not ids or rnd.random() < 0.2 else b'%d' % rnd.choice(ids)


def main():
    head = [[b'#tl-ev', b'1']]
    if rnd.random() < 0.8:
        head.append([b'#source', b'base_ns=%d' % rnd.randrange(2**60), b'kind=nsys',
                     b'path=/a\\x00b', b'size=12'])
    head += [[b'#process', t, b'name=' + text(0), b'pid=%d' % rnd.randrange(1, 9999)]
             for t in rnd.sample([b'7', b'8', b'q\\tz', b'007'], rnd.randrange(4))]
    head += [[b'#device', rnd.choice([b'.', b'7']), b'%d' % i, *rnd.choice([[], [b'name=GPU']])]
             for i in range(rnd.randrange(3))]
    head += [[b'#place', b'E=traceEvents', b'K=k\\nk'], [b'#x-other', b'', b'\\q'][:2 + odd]]
    head[-1] = [c or b'.' for c in head[-1]]
    rows, ids = [], []
    last, start = 0, rnd.randrange(-10**9, 10**18)
    for _ in range(rnd.choice([0, 1, 5, 60])):
        if rnd.random() < 0.1:
            rows.append(stray())
        kind = rnd.choice(KINDS)
        device = KINDS.index(kind) < 6
        last += 1 if rnd.random() < 0.9 else rnd.randrange(1, 1000)
        start += rnd.randrange(1, 10**6)
        ids.append(last)
        row = [kind.encode(), b'%d' % last, b'%d' % start,
               b'%d' % rnd.randrange(10**6) if device or rnd.random() < 0.8 else b'.',
               rnd.choice([b'7', b'8', b'.', b'q\\tz']),
               rnd.choice([b'0', b'1', b'd:1']) if device else b'.',
               rnd.choice([b'1', b'.']), text(), text(0.3), rnd.choice(CLASSES).encode(), text(),
               rnd.choice([b'E:%d' % rnd.randrange(2**40), b'K:0', text(), b'E:x',
                           b'E:18446744073709551615']), *keys()]
        if odd and rnd.random() < 0.05:
            row.append(b'')
        rows.append(row)
    extra = (lambda: [text()] if odd and rnd.random() < 0.2 else [])
    later = []
    units = list(range(1, rnd.randrange(1, 4)))
    later += [[b'unit', b'%d' % u, text(0), number(0, 9), number(0, 9), number(0, 9), *extra()]
              for u in units]
    for n in range(1, rnd.randrange(1, 6)):
        row = [b'launch', b'%d' % n, ref(ids), text(), text(), text(), number(-5, 10**12),
               number(0, 10**9), ref(units), rnd.choice([b'exact', b'orphan', text()]),
               number(0, 99), number(0, 99), ref(ids), text(), ref(ids), ref(ids),
               number(-99, 99)]
        later.append(row[:14] if rnd.random() < 0.2 else row + extra())
        later += [[b'member', b'%d' % n, ref(units), number(0, 3), number(0, 9), ref(ids),
                   *extra()] for _ in range(rnd.randrange(3))]
    n = (lambda: number(0, 99))
    some = list(range(1, rnd.randrange(1, 4)))
    for i in some:
        later += [
            [b'context', b'%d' % i, text(), text(), text(), n(), n(), n(), text(), text(), *extra()],
            [b'json', ref(some), n(), n(), text(), *extra()],
            [b'step', b'%d' % i, ref(some), n(), text(), text(), text(), *(n() for _ in range(8)),
             text(), *extra()],
            [b'request', ref(some), n(), text(), n(), text(), *extra()],
            [b'exec', b'%d' % i, ref(some), n(), text(), text(), ref(some), text(), text(), text(),
             text(), n(), n(), text(), text(), n(), ref(ids), n(), n(), *extra()],
            [b'work', ref(some), text(), text(), n(), ref(ids), n(), n(), *extra()],
            [b'link', ref(ids), ref(some), ref(some), text(), text(), ref(ids), b'.', *extra()]]
    if rnd.random() < 0.5:
        rnd.shuffle(later)
    rows += later
    for scope in rnd.sample([b'7:0', b'8:d:1', b'.:1', b'q\\tz:0', b'odd'], rnd.randrange(3)):
        n_pos = rnd.randrange(1, 8)
        occ = {p: rnd.randrange(4) for p in range(1, n_pos + 1)}
        some = [(p, n) for p in occ for n in range(1, occ[p] + 1)]
        ns = (lambda: number(0, 10**12))

        def above(most):
            """An occurrence, also one that is still to come."""
            good = [o for o in some if o[0] <= most]
            return b'N%03d#%d' % rnd.choice(good) if good and rnd.random() < 0.8 else b'.'
        for p in range(1, n_pos + 1):
            rows.append([b'pos', scope, b'N%03d' % p,
                         b'.' if p == 1 else b'N%03d' % rnd.randrange(1, p), number(1, 9),
                         number(0, 9), rnd.choice([b'root', b'loop', b'event', b'seq']),
                         rnd.choice([b'.', b'0.05', b'12.00', b'891.50']), number(0, 99),
                         number(0, 99), ref(ids), number(-10**12, 10**12), *(ns() for _ in
                                                                            range(11)),
                         text(), *extra()])
            rows += [[b'occ', scope, b'N%03d' % p, b'%d' % n, above(p), number(1, 9),
                      rnd.choice([b'full', b'partial'] + [b'variant'] * odd), ref(ids),
                      number(-10**12, 10**12), ns(), number(-9, 9), *(ns() for _ in range(8)),
                      *rnd.choice([[], [b'7'], [b'.' if odd else b'8', *extra()]])]
                     for n in range(1, occ[p] + 1)]
            rows += [[b'variant', scope, b'N%03d' % p, number(1, 9), number(1, 9), above(p),
                      *(number(0, 9) for _ in range(3)), number(-9, 9), *(ns() for _ in range(3)),
                      *extra()] for _ in range(rnd.randrange(2))]
        rows += [[b'real', b'%d' % rnd.choice(ids), scope, b'N%03d' % rnd.randrange(1, n_pos + 1),
                  above(n_pos), number(1, 9), *extra()]
                 for _ in range(rnd.randrange(9)) if ids]
        rows += [[b'dev', scope, above(n_pos), number(1, 9), rnd.choice([b'extra', b'missing']),
                  rnd.choice([b'.', b'N001']), ref(ids), *extra()]
                 for _ in range(rnd.randrange(4))]
    rows += [stray() for _ in range(rnd.randrange(4))]
    out = [b'\t'.join(r) for r in head + rows] + [b'end\t%d' % len(rows)]
    sys.stdout.buffer.write(b'\n'.join(out) + b'\n')


main()
