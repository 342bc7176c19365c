#!/usr/bin/env python3
"""recipes.py STREAM DATABASE TL-QUERY: what the recipes answer on a database,
against the stream it was made from, read as text and counted by brute force."""
import json
import statistics
import subprocess
import sys

DEVICE = {'kernel', 'memcpy', 'memset', 'graph', 'task'}


def none(s):
    return None if s == '.' else s


def num(s):
    return None if s == '.' else int(s)


def unescape(s):
    return s.replace('\\t', '\t').replace('\\n', '\n').replace('\\\\', '\\') if '\\' in s else s


def read(path):
    records = {}
    for line in open(path, encoding='utf-8'):
        f = line.rstrip('\n').split('\t')
        if f[0].startswith('#'):
            continue
        kind = 'event' if len(f) >= 12 and f[0] in DEVICE | {
            'sync', 'api', 'op', 'range', 'python', 'mark', 'counter'} else f[0]
        records.setdefault(kind, []).append(f)
    return records


class Event:
    def __init__(self, f):
        self.kind, self.id, self.start, self.dur = f[0], int(f[1]), int(f[2]), num(f[3])
        self.process, self.device, self.context, self.lane = f[4:8]
        self.corr, self.cls, self.name = f[8], f[9], none(f[10]) and unescape(f[10])
        self.keys = dict(k.split('=', 1) for k in f[12:])
        self.end = self.start + (self.dur or 0)
        self.scope = f'{self.process}:{self.device}'

    def works(self):
        return self.kind in DEVICE and 'detail' not in self.keys


def union(spans):
    """Pieces of a union of intervals, in order."""
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


class Check:
    def __init__(self, stream, db, tool):
        self.r, self.db, self.tool = read(stream), db, tool
        self.events = [Event(f) for f in self.r['event']]
        self.by_id = {e.id: e for e in self.events}
        self.scopes = sorted({e.scope for e in self.events if e.works()})
        self.pos = {(f[1], f[2]): f for f in self.r.get('pos', [])}
        self.count = 0

    def ask(self, name, **params):
        args = [f'-p{k}={v}' for k, v in params.items()]
        p = subprocess.run([self.tool, '-F', 'jsonl', '-l', '0', *args, self.db, '@' + name],
                           capture_output=True)
        assert p.returncode == 0 and not p.stderr, (name, p.stderr)
        return [json.loads(s) for s in p.stdout.decode().splitlines()]

    def same(self, what, got, want):
        self.count += 1
        assert got == want, f'{what}: {got} is not {want}'

    def kernels(self):
        want = {}
        for e in self.events:
            if e.kind in ('kernel', 'task', 'graph') and e.works():
                want.setdefault((e.name, e.cls), []).append(e.dur)
        got = self.ask('kernels')
        self.same('kernels', {(g['name'], g['class']): (g['events'], g['total_ns'], g['min_ns'],
                                                         g['max_ns'], g['mean_ns']) for g in got},
                  {k: (len(v), sum(v), min(v), max(v), sum(v) // len(v)) for k, v in want.items()})
        times = [g['total_ns'] for g in got]
        self.same('order', times, sorted(times, reverse=True))
        assert not got or abs(sum(g['percent_of_kernel_time'] for g in got) - 100) < 0.1 * len(got)
        for s in self.scopes:
            total = sum(e.dur for e in self.events
                        if e.scope == s and e.kind == 'kernel' and e.cls == 'comm' and e.works())
            got = self.ask('kernels', scope=s, **{'class': 'comm'})
            self.same('comm', sum(g['total_ns'] for g in got), total)

    def copies(self):
        want = {}
        for e in self.events:
            if e.kind in ('memcpy', 'memset') and e.works():
                w = want.setdefault((e.kind, e.keys.get('copy')), [0, 0, 0, 0])
                w[0] += 1
                w[1] += int(e.keys.get('bytes', 0))
                w[2] += 'bytes' not in e.keys
                w[3] += e.dur
        self.same('copies', {(g['kind'], g['direction']): [
            g['events'], g['bytes'] or 0, g['without_bytes'], g['total_ns']]
            for g in self.ask('copies')}, want)

    def gaps(self):
        got = self.ask('gaps', top=10**9)
        for s in self.scopes:
            u = union((e.start, e.end) for e in self.events if e.works() and e.scope == s)
            want = sorted((b[0] - a[1], a[1]) for a, b in zip(u, u[1:]) if b[0] > a[1])
            self.same('gaps', sorted((g['idle_ns'], g['start_ns']) for g in got
                                     if g['scope'] == s), want)
            self.same('idle', sum(w[0] for w in want), int(self.pos[s, 'N001'][19]))
        works = {s: [e for e in self.events if e.works() and e.scope == s] for s in self.scopes}
        real = {int(f[1]): f[3] for f in self.r.get('real', [])}
        for g in got[:50]:
            at = self.by_id[g['next_event']]
            behind = [e for e in works[g['scope']] if e.id >= at.id and e.id in real]
            then = behind[0] if behind else None
            self.same('next', (g['next_kind'], g['next_name'], g['next_pos'], at.start),
                      (at.kind, at.name, real.get(at.id), g['start_ns'] + g['idle_ns']))
            self.same('then', (g['then_event'], g['then_pos'], g['then_name']),
                      (then and then.id, then and real[then.id], then and then.name))
        self.same('top', self.ask('gaps', top=3), got[:3])

    def streams(self):
        lanes = {}
        for e in self.events:
            if e.works():
                lanes.setdefault((e.scope, e.context, e.lane), []).append(e)
        got = {(g['scope'], str(g['context'] if g['context'] is not None else '.'),
                str(g['stream'])): g for g in self.ask('streams')}
        self.same('streams', sorted(got), sorted(lanes))
        for k, es in lanes.items():
            busy = sum(b - a for a, b in union((e.start, e.end) for e in es))
            self.same('busy', (got[k]['busy_ns'], got[k]['events'], got[k]['sum_ns'],
                               got[k]['span_ns']),
                      (busy, len(es), sum(e.dur for e in es),
                       max(e.end for e in es) - min(e.start for e in es)))

    def host(self):
        for kind in ('api', 'op', 'range'):
            want = {}
            for e in self.events:
                if e.kind == kind:
                    want.setdefault(e.name, []).append(e.dur)
            self.same(kind, {g['name']: (g['events'], g['total_ns']) for g in
                             self.ask('host', kind=kind)},
                      {k: (len(v), sum(v)) for k, v in want.items()})

    def positions(self):
        got = self.ask('positions')
        self.same('positions', [(g['scope'], g['pos'], g['parent'], g['depth'], g['kind'],
                                 g['occurrences'], g['span_ns'], g['idle_ns']) for g in got],
                  [(f[1], f[2], none(f[3]), int(f[5]), f[6], int(f[9]), num(f[12]), num(f[19]))
                   for f in self.r['pos']])
        self.same('depth', len(self.ask('positions', depth=1)),
                  sum(int(f[5]) <= 1 for f in self.r['pos']))
        self.same('exposed', sorted((g['scope'], g['pos'], g['comm_exposed_ns'],
                                     g['estimate_ns']) for g in self.ask('exposed')),
                  sorted((f[1], f[2], int(f[16]), int(f[16]) * int(f[9])) for f in self.r['pos']
                         if f[6] == 'event' and f[16] not in ('.', '0')))

    def loops(self):
        occs = {}
        iterations = {}
        for f in self.r.get('occ', []):
            inside = f[4].split('#')[0] == f[2]
            (iterations if inside else occs).setdefault((f[1], f[2]), []).append(f)
        got = self.ask('loops')
        self.same('loops', {(g['scope'], g['pos']): (
            g['total_ns'], g['occurrences'], g['iter_median_ns'], f"{g['iterations']:.2f}")
            for g in got},
            {k: (sum(int(o[9]) for o in occs[k]), int(f[9]), num(f[21]), f[7])
             for k, f in self.pos.items() if f[6] == 'loop'})
        for (scope, loop), rows in iterations.items():
            got = self.ask('iterations', pos=loop, scope=scope)
            self.same(f'{loop}', [(g['name'], g['iteration_name'], g['complete'], g['start_ns'],
                                   g['span_ns'], g['period_ns'], g['idle_ns']) for g in got],
                      [(f'{loop}#{f[3]}', f'{loop}/{f[5]}', int(f[6] == 'full'), int(f[8]),
                        int(f[9]), num(f[10]), num(f[17])) for f in rows])
            full = [int(f[10]) for f in rows if f[6] == 'full' and f[10] != '.']
            if full:
                self.same('median', int(self.pos[scope, loop][21]), statistics.median_low(full))
        want = [(f[1], f'{f[2]}#{f[3]}') for k, rows in iterations.items() for f in rows
                if f[6] == 'full' and f[10] != '.' and int(self.pos[k][21]) > 0
                and int(f[10]) * 100 >= 105 * int(self.pos[k][21])]
        self.same('outliers', sorted((g['scope'], g['name'])
                                     for g in self.ask('outliers', percent=105)), sorted(want))
        if iterations:
            self.compare(*max(iterations.items(), key=lambda i: len(i[1])))

    def below(self, scope, top):
        """Sum of events by leaf position below an occurrence."""
        parent = {f'{f[2]}#{f[3]}': f[4] for f in self.r['occ'] if f[1] == scope}
        sums = {}
        for f in self.r['real']:
            if f[2] != scope:
                continue
            at = f[4]
            while at not in ('.', top):
                at = parent.get(at, '.')
            if at == top:
                sums[f[3]] = sums.get(f[3], 0) + self.by_id[int(f[1])].dur
        return sums

    def compare(self, key, rows):
        scope, loop = key
        a, b = rows[0][3], rows[-1][3]
        x, y = self.below(scope, f'{loop}#{a}'), self.below(scope, f'{loop}#{b}')
        got = self.ask('compare', pos=loop, a=a, b=b, scope=scope)
        self.same('compare', {g['pos']: (g['sum_a_ns'], g['sum_b_ns'], g['longer_ns'])
                              for g in got},
                  {p: (x.get(p, 0), y.get(p, 0), y.get(p, 0) - x.get(p, 0)) for p in {*x, *y}})

    def leaves(self):
        calls, reals = {}, {}
        for e in self.events:
            if e.kind == 'api' and e.corr != '.':
                calls.setdefault((e.process, e.corr), []).append(e)
        for f in self.r.get('real', []):
            reals.setdefault((f[2], f[3]), []).append(self.by_id[int(f[1])])
        want = {}
        for k, es in reals.items():
            found = [calls.get((e.process, e.corr), []) for e in es]
            d = [e.start - c[0].start for e, c in zip(es, found) if len(c) == 1]
            want[k] = (len(es), len(es) - len(d), min(d, default=None), max(d, default=None),
                       statistics.median_low(d) if d else None)
        self.same('delay', {(g['scope'], g['pos']): (
            g['events'], g['without_call'], g['least_ns'], g['greatest_ns'], g['median_ns'])
            for g in self.ask('delay')}, want)
        for k in list(reals)[:5]:
            got = self.ask('slowest', pos=k[1], scope=k[0], top=4)
            self.same('slowest', [(g['event'], g['dur_ns']) for g in got],
                      [(e.id, e.dur) for e in sorted(reals[k], key=lambda e: (-e.dur, e.id))][:4])

    def rest(self):
        want = {}
        for f in self.r.get('launch', []):
            w = want.setdefault((none(f[8]), f[9], none(f[13])), [0, 0])
            w[0] += 1
            w[1] += int(f[10]) if f[10] != '.' else 0
        self.same('replays', {(g['unit'] and str(g['unit']), g['status'], g['reason']): [
            g['launches'], g['members'] or 0] for g in self.ask('replays')}, want)
        got = [(g['severity'], g['code'], g['count'], g['why']) for g in self.ask('notes')]
        for f in self.r.get('note', []):
            got.remove((f[1], f[2], num(f[3]), unescape(f[4])))
        cut = sum(f[6] == 'partial' and f[4].split('#')[0] == f[2]
                  for f in self.r.get('occ', []))
        self.same('partial', [g[2] for g in got if g[1] == 'partial_iterations'],
                  [cut] if cut else [])
        about = {g['key']: g['value'] for g in self.ask('about')}
        self.same('events', about['events'], len(self.events))


c = Check(*sys.argv[1:])
for part in (c.kernels, c.copies, c.gaps, c.streams, c.host, c.positions, c.loops, c.leaves,
             c.rest):
    part()
print(c.count, 'answers compared')
