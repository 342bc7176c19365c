#!/usr/bin/env python3
"""kineto.py CAPTURE STREAM [TOTALS]: an independent reading of a Kineto or
Chrome JSON capture, compared with the stream that tl-kineto2ev made of it,
event by event, and with the row of the capture in a table of totals. Shares
no code and no table with the tool; numbers are decimal, never binary."""
import collections
import decimal
import gc
import gzip
import json
import os
import re
import sys

DEVICE = {'kernel': 'kernel', 'Kernel': 'kernel', 'gpu_memcpy': 'memcpy',
          'Memcpy': 'memcpy', 'gpu_memset': 'memset', 'Memset': 'memset',
          'cuda_sync': 'sync'}
API = ('cuda_runtime', 'cuda_driver', 'Runtime')
decimal.getcontext().prec = 60


def load(path):
    with open(path, 'rb') as f:
        data = f.read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    doc = json.loads(data, parse_float=decimal.Decimal, parse_int=int)
    return doc if isinstance(doc, list) else doc['traceEvents']


def ns(v):
    v = decimal.Decimal(v) * 1000
    assert v == v.to_integral_value(), v
    return int(v)


def tok(v):
    if v is None or v == '' or str(v) == '-1':
        return '.'
    return str(v)


def esc(s):
    if s == '':
        return '.'
    if s == '.':
        return '\\x2E'
    out = ''
    for c in s:
        if c in '\t\n\\':
            out += {'\t': '\\t', '\n': '\\n', '\\': '\\\\'}[c]
        elif ord(c) < 32 or ord(c) == 127:
            out += '\\x%02X' % ord(c)
        else:
            out += c
    return out


def kind_of(e):
    cat, ph = e.get('cat', ''), e['ph']
    if ph in ('i', 'I'):
        return 'mark'
    if ph == 'C':
        return 'counter'
    if cat in DEVICE:
        return DEVICE[cat]
    if cat in API:
        return 'api'
    if cat in ('cpu_op', 'Operator'):
        step = e['name'].startswith('ProfilerStep#')
        return 'range' if step else 'op'
    return 'python' if cat == 'python_function' else 'range'


def lane(e, kind):
    a = e.get('args') or {}
    if kind in DEVICE.values() or e.get('cat') == 'gpu_user_annotation':
        s = a.get('stream', None if kind == 'sync' else e.get('tid'))
        m = re.match(r'stream (.*)', str(s))
        return ('?', tok(a.get('device', e['pid'])), tok(a.get('context')),
                tok(m.group(1) if m else s))
    tid = e.get('tid')
    return (tok(e.get('pid')), '.', '.', '.' if tid in (None, '') else
            str(tid))


def keys(e, kind):
    """The keys whose meaning the page of the stream gives."""
    a = e.get('args') or {}
    k = {}
    if 'bytes' in a:
        k['bytes'] = str(a['bytes'])
    for name in ('grid', 'block'):
        if isinstance(a.get(name), list):
            k[name] = ','.join(str(v) for v in a[name])
    if a.get('graph id', 0) != 0:
        k['graph'] = str(a['graph id'])
    if a.get('graph node id', 0) != 0:
        k['node'] = str(a['graph node id'])
    if kind == 'memcpy':
        m = re.search(r'([HDP]to[HDP])', e['name'])
        if m:
            k['copy'] = m.group(1)
    return k


def expected(events):
    rows, opened = [], collections.defaultdict(list)
    for n, e in enumerate(events):
        ph = e.get('ph')
        if ph not in ('X', 'i', 'I', 'C'):
            continue
        kind = kind_of(e)
        if kind == 'python':
            continue
        dur = ns(e['dur']) if ph == 'X' else -1
        corr = '.'
        if kind in DEVICE.values() or kind == 'api' or \
                e.get('cat') == 'gpu_user_annotation':
            corr = tok((e.get('args') or {}).get('correlation'))
            corr = '.' if corr == '0' else corr
        series = [('', '')]
        if kind == 'counter':
            series = [(s, v) for s, v in e['args'].items()
                      if not isinstance(v, (str, bool))]
        for s, v in series:
            k = keys(e, kind) if kind != 'counter' else \
                {'series': esc(s), 'value': str(v)}
            rows.append((ns(e['ts']), dur, n, kind, lane(e, kind), corr,
                         esc(e.get('name', '')), k))
    # begins and ends, in order of time and then of the file
    halves = sorted((ns(e['ts']), n, e) for n, e in enumerate(events)
                    if e.get('ph') in ('B', 'E'))
    for t, n, e in halves:
        key = (str(e['pid']), str(e['tid']))
        if e['ph'] == 'B':
            opened[key].append((t, n, e))
        elif opened[key]:
            t0, n0, b = opened[key].pop()
            rows.append((t0, t - t0, n0, kind_of(b), lane(b, kind_of(b)), '.',
                         esc(b.get('name', '')), {}))
    for stack in opened.values():
        for t0, n0, b in stack:
            rows.append((t0, -1, n0, kind_of(b), lane(b, kind_of(b)), '.',
                         esc(b.get('name', '')), {}))
    rows.sort(key=lambda r: (r[0], -r[1], r[2]))
    return rows


def processes(events, rows):
    """The process of each device row: its call's, else the only caller's."""
    calls = collections.defaultdict(set)
    for e in events:
        if e.get('ph') == 'X' and e.get('cat') in API:
            corr = str((e.get('args') or {}).get('correlation', 0))
            calls[corr].add(str(e['pid']))
            calls['any'].add(str(e['pid']))
    only = calls['any'].copy().pop() if len(calls['any']) == 1 else '.'
    for r in rows:
        mine = calls.get(r[5], set()) if r[5] != '.' else set()
        yield mine.copy().pop() if len(mine) == 1 else only


def compare(events, lines):
    rows = expected(events)
    stream = [x for x in lines if not x[0].startswith('#') and
              x[0] not in ('note', 'end')]
    assert len(rows) == len(stream), (len(rows), len(stream))
    for r, proc, x in zip(rows, processes(events, rows), stream):
        start, dur, n, kind, at, corr, name, k = r
        want = [kind, str(start), '.' if dur < 0 else str(dur),
                proc if at[0] == '?' else at[0], *at[1:], corr, name,
                'E:%d' % n]
        have = [x[0], *x[2:9], x[10], x[11]]
        assert want == have, '\nwant %s\nhave %s' % (want, have)
        got = dict(f.split('=', 1) for f in x[12:])
        for key, v in k.items():
            assert got.get(key) == v, (want, key, v, got)
    return len(rows)


def union(spans):
    total, end = 0, None
    for a, b in sorted(spans):
        if end is None or a > end:
            total += b - a
            end = b
        elif b > end:
            total += b - end
            end = b
    return total


def totals(lines):
    """As in the table, by device."""
    by = collections.defaultdict(list)
    for x in lines:
        if x[0] in ('kernel', 'memcpy', 'memset'):
            by[x[5]].append(x)
    for dev, xs in by.items():
        def spans(pick):
            return [(int(x[2]), int(x[2]) + int(x[3])) for x in xs if pick(x)]
        every = spans(lambda x: True)
        span = max(b for a, b in every) - min(a for a, b in every)
        busy = union(every)
        yield dev, {
            'kernels': sum(x[0] == 'kernel' for x in xs),
            'copies': sum(x[0] == 'memcpy' for x in xs),
            'fills': sum(x[0] == 'memset' for x in xs),
            'streams': len({x[7] for x in xs}),
            'span': span, 'busy': busy, 'idle': span - busy,
            'compute': union(spans(lambda x: x[9] == 'compute')),
            'comm': union(spans(lambda x: x[9] == 'comm'))}


def main():
    gc.disable()  # many objects, few in circles
    capture, stream = sys.argv[1:3]
    with open(stream, encoding='utf-8', newline='\n') as f:
        lines = [x.rstrip('\n').split('\t') for x in f]
    n = compare(load(capture), lines)
    have = dict(totals(lines))
    rows = 0
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding='utf-8') as f:
            for row in f:
                c = row.rstrip('\n').split('\t')
                if c[0] != os.path.basename(capture):
                    continue
                rows += 1
                for field in c[2:]:
                    key, v = field.split('=')
                    if int(v) >= 0:
                        assert have[c[1]][key] == int(v), \
                            (c[1], key, v, have[c[1]][key])
        assert rows == len(have), (rows, have)
    print('%s: %d events equal, %d scopes' % (os.path.basename(capture), n,
                                              len(have)))


main()
