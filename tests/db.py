#!/usr/bin/env python3
"""db.py STREAM DATABASE ...: checks the tables of analysis databases against the
streams they were made from, column by column as tl-db(5) documents them, with a
reader of its own. Prints what differs; ends with status 1 if anything does."""
import re
import sqlite3
import sys

KINDS = 'kernel memcpy memset sync graph task api op range python mark counter'.split()
CLASSES = 'compute comm copy sync host other'.split()
ESCAPE = re.compile(rb'\\(t|n|\\|x[0-9A-F]{2})')
POS = ('scope number parent ordinal depth kind iterations body_events occurrences first_event '
       'start_ns span_ns busy_ns compute_ns comm_ns comm_exposed_ns copy_ns copy_exposed_ns '
       'idle_ns iter_min_ns iter_median_ns iter_max_ns label').split()
OCC = ('parent iteration complete first_event start_ns span_ns period_ns busy_ns compute_ns '
       'comm_ns comm_exposed_ns copy_ns copy_exposed_ns idle_ns sum_ns variant').split()


def text(column):
    """A column as the value that is stored: TEXT, else BLOB, None for '.'."""
    if column == b'.':
        return None
    raw = ESCAPE.sub(lambda m: {b't': b'\t', b'n': b'\n', b'\\': b'\\'}.get(m[1]) or
                     bytes([int(m[1][1:], 16)]), column)
    try:
        return raw.decode() if b'\0' not in raw else raw
    except UnicodeDecodeError:
        return raw


def number(column):
    return None if column == b'.' else int(column)


def token(column):
    if re.fullmatch(rb'0|-?[1-9][0-9]*', column) and -2**63 <= int(column) < 2**63:
        return int(column)
    return text(column)


def hundredths(column):
    return None if column == b'.' else int(column.replace(b'.', b''))


def keys_of(columns):
    return dict(c.split(b'=', 1) for c in columns)


class Check:
    def __init__(self, stream, database):
        lines = open(stream, 'rb').read().split(b'\n')[:-1]
        self.head = [line for line in lines if line[:1] == b'#']
        self.rows = [line.split(b'\t') for line in lines if line[:1] != b'#'][:-1]
        self.db = sqlite3.connect(f'file:{database}?immutable=1', uri=True)
        self.db.text_factory = lambda b: b.decode()
        self.bad = 0
        self.only = set()
        self.kept_only()

    def ask(self, sql, *args):
        return self.db.execute(sql, args).fetchall()

    def same(self, what, want, got):
        if want != got:
            self.bad += 1
            if self.bad <= 10:
                print(f'{what}: stream {want!r:.300}, database {got!r:.300}')

    def table(self, what, want, sql):
        got = self.ask(sql)
        self.same(f'{what}: rows', len(want), len(got))
        for w, g in zip(want, got):
            self.same(what, w, g)

    def of(self, *kinds):
        return [(n, r) for n, r in enumerate(self.rows, 1)
                if r[0].decode() in kinds and n not in self.only]

    def kept_only(self):
        """Records whose ids, or those they refer to, are no keys."""
        ids = {'launch': (1, 8), 'unit': (1,), 'member': (1, 2), 'link': (2, 3, 7)}
        large = {r[1] for r in self.rows if r[0].decode() in KINDS and int(r[1]) >= 2**63}
        refers = {'launch': (2, 12, 14, 15), 'member': (5,), 'pos': (10,), 'occ': (7,),
                  'real': (1,), **{k: (1,) for k in KINDS}}
        for n, r in enumerate(self.rows, 1):
            kind = r[0].decode()
            if (any(r[i:i + 1] and r[i] != b'.' and not isinstance(token(r[i]), int)
                    for i in ids.get(kind, ())) or
                    any(r[i:i + 1] and r[i] in large for i in refers.get(kind, ()))):
                self.only.add(n)

    def header(self):
        self.table('header', [(n, text(line) if b'\\' not in line else line.decode())
                              for n, line in enumerate(self.head, 1)],
                   'SELECT n, text FROM tl_header ORDER BY n')
        source = [line.split(b'\t')[1:] for line in self.head if line.startswith(b'#source')]
        want = {('source.' + k.decode(), token(v)) for k, v in keys_of(sum(source, [])).items()}
        self.same('source', want, set(self.ask("SELECT key, value FROM tl_meta WHERE key LIKE 'source.%'")))
        place = [line.split(b'\t')[1:] for line in self.head if line.startswith(b'#place')]
        for k, v in keys_of(sum(place, [])).items():
            self.same('place', [(text(v),)],
                      self.ask('SELECT meaning FROM tl_tag WHERE token = ?', text(k)))
        for line in self.head:
            f = line.split(b'\t')
            if f[0] == b'#process':
                k = keys_of(f[2:])
                self.same('process', [(text(k.get(b'name', b'.')), number(k.get(b'pid', b'.')))],
                          self.ask('SELECT name, pid FROM tl_process WHERE token = ?', token(f[1])))
            elif f[0] == b'#device':
                k = keys_of(f[3:])
                self.same('device', 1, len(self.ask(
                    'SELECT 1 FROM tl_device d LEFT JOIN tl_process p USING (process) WHERE '
                    'd.token IS ? AND p.token IS ? AND d.name IS ? AND keys IS ?', token(f[2]),
                    token(f[1]), text(k.get(b'name', b'.')), b'\t'.join(f[3:]).decode() or None)))

    def events(self):
        want = []
        for line, f in self.of(*KINDS):
            k = keys_of(f[12:])
            m = re.fullmatch(rb'([^:]+):(0|[1-9][0-9]*)', f[11])
            place = (text(m[1]), int(m[2])) if m and int(m[2]) < 2**63 else (None, text(f[11]))
            scope = text(f[4] + b':' + f[5]) if f[5] != b'.' else None
            want.append((
                int(f[1]), line, f[0].decode(), f[9].decode(), int(f[2]), number(f[3]),
                token(f[4]), token(f[5]), token(f[6]), token(f[7]), scope, token(f[8]),
                text(f[10]), *place, b'\t'.join(f[12:]).decode() or None,
                text(k.get(b'sym', b'.')), 1 if k.get(b'role') == b'aux' else None,
                1 if k.get(b'detail') == b'1' else None, number(k.get(b'bytes', b'.')),
                text(k.get(b'copy', b'.')), token(k.get(b'graph', b'.')),
                token(k.get(b'node', b'.')), text(k.get(b'domain', b'.')),
                text(k.get(b'short', b'.'))))
        self.table('event', want, '''SELECT e.event, e.event + e.shift, k.name, c.name, start_ns,
            dur_ns, p.token, l.device, l.context, l.token, s.name, correlation, n.text, t.token,
            e.place, y.text, m.text, y.aux, y.detail, y.bytes, y.copy, y.graph, y.node, y.domain,
            y.short FROM tl_event e JOIN tl_kind k USING (kind) JOIN tl_class c USING (class)
            JOIN tl_lane l USING (lane) LEFT JOIN tl_process p USING (process)
            LEFT JOIN tl_scope s ON s.scope = l.scope
            LEFT JOIN tl_name n ON n.name = e.name LEFT JOIN tl_tag t USING (tag)
            LEFT JOIN tl_keys y ON y.keys = e.keys LEFT JOIN tl_name m ON m.name = y.sym
            ORDER BY e.event''')

    def graphs(self):
        n = number
        self.table('unit', [(n(f[1]), line, text(f[2]), n(f[3]), n(f[4]), n(f[5]))
                            for line, f in self.of('unit')], 'SELECT unit, line, symbol, streams, members, launches FROM '
                   'tl_unit ORDER BY line')
        want = []
        for line, f in self.of('launch'):
            f = f + [b'.'] * (17 - len(f))
            want.append((n(f[1]), line, n(f[2]), token(f[3]), token(f[4]), token(f[5]), n(f[6]),
                         n(f[7]), n(f[8]), text(f[9]), n(f[10]), n(f[11]), n(f[12]), text(f[13]),
                         n(f[14]), n(f[15]), n(f[16])))
        self.table('launch', want, '''SELECT launch, line, call, token, device, context, start_ns,
            dur_ns, unit, status, members, missing, opaque, reason, first_event, last_event, gap_ns
            FROM tl_launch LEFT JOIN tl_process USING (process) ORDER BY line''')
        self.table('member', [(line, n(f[1]), n(f[2]), token(f[3]), n(f[4]), n(f[5]))
                              for line, f in self.of('member')],
                   'SELECT line, launch, unit, stream, idx, event FROM tl_member ORDER BY line')

    def positions(self):
        """Keys are lines, so references are compared as what they stand for."""
        want = []
        for line, f in self.of('pos'):
            v = [number(c) for c in f[8:23]]
            want.append((line, text(f[1]), f[2].decode(),
                         text(f[3]), number(f[4]), number(f[5]), text(f[6]), hundredths(f[7]),
                         *v, text(f[23])))
        cols = ', '.join(f'p.{c}' for c in POS[3:-1])
        self.table('pos', want, f'''SELECT p.position, s.name, printf('N%03d', p.number),
            CASE WHEN p.parent IS NOT NULL THEN printf('N%03d', q.number) END, {cols}, n.text
            FROM tl_position p JOIN tl_scope s USING (scope)
            LEFT JOIN tl_position q ON q.position = p.parent
            LEFT JOIN tl_name n ON n.name = p.label ORDER BY p.position''')
        want = []
        for line, f in self.of('occ'):
            full = {b'full': 1, b'partial': 0}.get(f[6])
            want.append((line, text(f[1]), f[2].decode(), int(f[3]), text(f[4]), number(f[5]),
                         full, *[number(c) for c in f[7:19]],
                         number(f[19]) if len(f) > 19 else None))
        cols = ', '.join(f'o.{c}' for c in OCC[1:])
        self.table('occ', want, f'''SELECT o.occurrence, s.name, printf('N%03d', p.number), o.n,
            CASE WHEN o.parent IS NOT NULL THEN printf('N%03d#%d', q.number, u.n) END, {cols}
            FROM tl_occurrence o JOIN tl_position p USING (position) JOIN tl_scope s USING (scope)
            LEFT JOIN tl_occurrence u ON u.occurrence = o.parent
            LEFT JOIN tl_position q ON q.position = u.position ORDER BY o.occurrence''')
        self.table('real', [(line, int(f[1]), text(f[2]), f[3].decode(), text(f[4]), number(f[5]))
                            for line, f in self.of('real')],
                   '''SELECT r.line, r.event, s.name, printf('N%03d', p.number),
            CASE WHEN r.occurrence IS NOT NULL THEN printf('N%03d#%d', q.number, u.n) END,
            r.iteration FROM tl_real r JOIN tl_position p ON p.position = r.position
            JOIN tl_scope s USING (scope)
            LEFT JOIN tl_occurrence u ON u.occurrence = r.occurrence
            LEFT JOIN tl_position q ON q.position = u.position ORDER BY r.line''')

        want = [(line, text(f[1]), f[2].decode(), number(f[3]), number(f[4]), text(f[5]),
                 *[number(c) for c in f[6:13]]) for line, f in self.of('variant')]
        self.table('variant', want, """SELECT v.line, s.name, printf('N%03d', p.number), v.number,
            v.count, CASE WHEN first IS NOT NULL THEN printf('N%03d#%d', q.number, o.n) END, extra,
            missing, replaced, v.period_ns, v.span_ns, v.busy_ns, v.idle_ns FROM tl_variant v
            JOIN tl_position p USING (position) JOIN tl_scope s USING (scope)
            LEFT JOIN tl_occurrence o ON o.occurrence = v.first
            LEFT JOIN tl_position q ON q.position = o.position ORDER BY v.line""")
        want = [(line, text(f[1]), text(f[2]), number(f[3]), text(f[4]), text(f[5]), number(f[6]))
                for line, f in self.of('dev')]
        self.table('dev', want, """SELECT d.line, s.name,
            CASE WHEN d.occurrence IS NOT NULL THEN printf('N%03d#%d', q.number, o.n) END,
            d.iteration, d.kind, CASE WHEN d.position IS NOT NULL THEN printf('N%03d', p.number) END,
            d.event FROM tl_deviation d JOIN tl_scope s USING (scope)
            LEFT JOIN tl_position p ON p.position = d.position
            LEFT JOIN tl_occurrence o ON o.occurrence = d.occurrence
            LEFT JOIN tl_position q ON q.position = o.position ORDER BY d.line""")

    def context(self):
        """Columns: i integer, x text, k token; the first is the key where it is an id."""
        for kind, cols, sql in (
                ('context', 'ixxxiiixx', 'context, line, state, run, producer, written, dropped, '
                 'size, sha256, path'),
                ('json', 'iiix', 'line, context, file_line, part, text'),
                ('step', 'iiixxxiiiiiiiix', 'step, line, context, file_line, run, step_id, '
                 'producer, ordinal, tokens, requests, free_blocks, pool_blocks, execs, markers, '
                 'events, cache'),
                ('request', 'iixix', 'line, step, n, request, tokens, json'),
                ('exec', 'iiixxixxxxiixxiiii', 'exec, line, context, file_line, run, execution, '
                 'step, step_id, phase, status, marker_state, rank, pid, marker, state, ranges, '
                 'range, calls, events'),
                ('work', 'ikkiiii', 'line, step, token, device, events, first_event, start_ns, '
                 'span_ns'),
                ('link', 'iiixxii', 'line, event, step, exec, state, basis, call, launch')):
            own = sql.split(', ')[0] != 'line'
            want = []
            for line, f in self.of(kind):
                row = [{'i': number, 'x': text, 'k': token}[c](v) for c, v in zip(cols, f[1:])]
                row.insert(1 if own else 0, line)
                want.append(tuple(row))
            more = ' LEFT JOIN tl_process USING (process)' if kind == 'work' else ''
            self.table(kind, want, f'SELECT {sql} FROM tl_{kind}{more} ORDER BY line')

    def rest(self):
        self.table('note', [(line, text(f[1]), text(f[2]), number(f[3]), text(f[4]))
                            for line, f in self.of('note')], 'SELECT line, severity, code, count, text FROM tl_note '
                   'ORDER BY line')
        known = KINDS + ('launch unit member pos occ real variant dev context json step request '
                         'exec work link note').split()
        for line, f in enumerate(self.rows, 1):
            if f[0].decode() not in known or line in self.only:
                self.same('other', [(f[0].decode(), b'\t'.join(f).decode())],
                          self.ask('SELECT kind, text FROM tl_other WHERE line = ?', line))
        meta = dict(self.ask('SELECT key, value FROM tl_meta'))
        self.same('records', len(self.rows), meta['records'])
        self.same('events', len([r for r in self.rows if r[0].decode() in KINDS]), meta['events'])
        self.same('kept_only', len(self.only), meta['kept_only'])
        self.same('header_lines', len(self.head), meta['header_lines'])
        self.same('schema_version', 1, meta['schema_version'])
        self.same('integrity', [('ok',)], self.ask('PRAGMA integrity_check'))
        self.same('foreign keys', [], self.ask('PRAGMA foreign_key_check'))
        self.same('versions', [(1,), (0x746c4442,)],
                  self.ask('PRAGMA user_version') + self.ask('PRAGMA application_id'))


def main():
    bad = 0
    for stream, database in zip(sys.argv[1::2], sys.argv[2::2]):
        check = Check(stream, database)
        check.header()
        check.events()
        check.graphs()
        check.positions()
        check.context()
        check.rest()
        if check.bad > 0:
            print(f'{stream}: {check.bad} differences')
        bad += check.bad
    return bad > 0


sys.exit(main())
