#!/usr/bin/env python3
"""query.py TL-QUERY: random values of all types go through each format of
tl-query and are read back, by the rules of the page and the parsers of Python;
they must be what was put in."""
import csv
import io
import json
import math
import random
import re
import sqlite3
import struct
import subprocess
import sys


def values(rnd):
    """One row: name of the SQL expression's type and a value."""
    alphabet = ['a', '.', '\\', '\t', '\n', '\r', '"', "'", ',', ' ', '\x00', '\x01', '\x1b',
                '\x7f', 'é', '日', '\U0001f600', '\x85', 'x', '0']
    kind = rnd.randrange(9)
    if kind == 0:
        return None
    if kind == 1:
        return rnd.choice([0, 1, -1, 2**53 + 1, 2**63 - 1, -2**63, rnd.randrange(-2**63, 2**63)])
    if kind == 2:
        while True:
            v = struct.unpack('<d', rnd.randbytes(8))[0]
            if not math.isnan(v):
                return v
    if kind == 3:
        return rnd.choice([0.1, 1.0, -2.5, 1e300, 5e-324, 1e15, 1e16, 123456789012345680.0,
                           math.inf, -math.inf])
    if kind == 4:
        return rnd.randbytes(rnd.randrange(6))
    if kind == 5:
        return ('text', bytes(rnd.choice(b'a\x80\xff\xc3\x28.\x00\n') for _ in range(4)))
    if kind == 6:
        return rnd.choice(['', '.', '..', 'NULL', '5', '1.5', "x'00'", '\\b00', '\\x2E', 'Inf'])
    return ''.join(rnd.choice(alphabet) for _ in range(rnd.randrange(12)))


def raw(v):
    """What a column of text holds, as bytes."""
    return v[1] if isinstance(v, tuple) else v.encode()


def is_text(v):
    return isinstance(v, (str, tuple))


def unescape(s):
    """A text of tl-ev(5) to the bytes it stands for."""
    def one(m):
        c = m.group(1)
        if c[:1] == b'x':
            return bytes([int(c[1:], 16)])
        return {b't': b'\t', b'n': b'\n', b'\\': b'\\'}[c]
    return re.sub(rb'\\(x[0-9A-F]{2}|[tn\\])', one, s)


def same_number(got, v):
    """Text of a number against its value."""
    if isinstance(v, int):
        return got == str(v)
    return not re.fullmatch('-?[0-9]+', got) and float(got) == v


def check_tsv(out, rows):
    lines = out.split(b'\n')
    assert lines.pop() == b'' and lines.pop(0) == b'a\tb\tc'
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows):
        for cell, v in zip(line.split(b'\t'), row, strict=True):
            if v is None:
                assert cell == b'.'
            elif isinstance(v, bytes):
                assert cell[:2] == b'\\b' and bytes.fromhex(cell[2:].decode()) == v
            elif is_text(v):
                assert cell != b'.' and cell[:2] != b'\\b' and unescape(cell) == raw(v)
                assert not re.search(rb'[\x00-\x1f\x7f]', cell) and cell.decode() is not None
            else:
                assert same_number(cell.decode(), v), (cell, v)


def csv_cells(out):
    """RFC 4180, with what stands in quotation marks told apart."""
    cell = rb'"((?:[^"]|"")*)"|([^",\r\n]*)'
    rows, row, i = [], [], 0
    while i < len(out):
        m = re.compile(cell).match(out, i)
        quoted = m.group(1)
        row.append(('text', quoted.replace(b'""', b'"')) if quoted is not None else m.group(2))
        i = m.end()
        if out[i:i + 1] == b',':
            i += 1
        else:
            assert out[i:i + 2] == b'\r\n', out[i:i + 2]
            i += 2
            rows.append(row)
            row = []
    return rows


def check_csv(out, rows):
    got = csv_cells(out)
    assert got.pop(0) == [('text', b'a'), ('text', b'b'), ('text', b'c')]
    assert len(got) == len(rows)
    for cells, row in zip(got, rows):
        for cell, v in zip(cells, row, strict=True):
            if v is None:
                assert cell == b''
            elif isinstance(v, bytes):
                assert cell[:2] == b"x'" and bytes.fromhex(cell[2:-1].decode()) == v
            elif is_text(v):
                assert cell == ('text', raw(v))
            else:
                assert same_number(cell.decode(), v), (cell, v)
    # and by a reader that others use: NUL and lone CR are not for it
    plain = io.StringIO(out.decode('utf-8', 'surrogateescape').replace('\0', 'N'), newline='')
    assert len(list(csv.reader(plain))) == len(rows) + 1


def check_jsonl(out, rows):
    lines = out.split(b'\n')
    assert lines.pop() == b'' and len(lines) == len(rows)
    for line, row in zip(lines, rows):
        got = json.loads(line.decode())
        assert list(got) == ['a', 'b', 'c']
        for cell, v in zip(got.values(), row):
            if isinstance(v, bytes):
                assert list(cell) == ['blob'] and bytes.fromhex(cell['blob']) == v
            elif isinstance(v, tuple):
                try:
                    assert cell == v[1].decode()
                except UnicodeDecodeError:
                    assert list(cell) == ['text'] and bytes.fromhex(cell['text']) == v[1]
            else:
                assert type(cell) is type(v) and cell == v, (cell, v)


def main():
    rnd = random.Random(20260701)
    rows = [[values(rnd) for _ in range(3)] for _ in range(3000)]
    db = sqlite3.connect('values.db')
    db.execute('create table v(n integer primary key, a, b, c)')
    for row in rows:
        marks = ','.join('cast(? as text)' if isinstance(v, tuple) else '?' for v in row)
        db.execute(f'insert into v(a, b, c) values ({marks})',
                   [v[1] if isinstance(v, tuple) else v for v in row])
    db.commit()
    db.close()
    for name, check in (('tsv', check_tsv), ('csv', check_csv), ('jsonl', check_jsonl)):
        for limit in ('0', '3000'):
            p = subprocess.run([sys.argv[1], '-F', name, '-l', limit, 'values.db',
                                'select a, b, c from v order by n'], stdout=subprocess.PIPE,
                               check=True)
            check(p.stdout, rows)


main()
