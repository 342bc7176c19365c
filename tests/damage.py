#!/usr/bin/env python3
"""Damages copies of a database and runs a converter on each.

usage: damage.py database count seed command [option ...]

Bytes flipped, pages swapped, zeroed or cut off, and values of wrong types in
whatever column. Wants: no crash, no hang, status 0 or 1, one line on stderr
with status 1 (two with -k), and a stream that tl-check takes as right with
status 0 and with -k.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys

VALUES = ["'N/A'", "''", "NULL", "-1", "0", "9223372036854775807",
          "-9223372036854775808", "4294967295", "1e300", "-0.5", "'007'",
          "x'ff00fe'", "'1' || char(0) || '2'", "'\t'", "char(10)",
          "replace(hex(zeroblob(40000)), '0', 'a')"]


def flip(data, rng):
    for _ in range(rng.choice((1, 2, 8, 64))):
        data[rng.randrange(len(data))] = rng.randrange(256)


def early(data, rng):
    for _ in range(rng.choice((1, 4))):
        data[rng.randrange(min(len(data), 4096))] = rng.randrange(256)


def cut(data, rng):
    del data[rng.randrange(1, len(data)):]


def page(data, rng):
    size = int.from_bytes(data[16:18], "big") or 4096
    n = max(2, len(data) // size)
    a, b = rng.randrange(1, n) * size, rng.randrange(1, n) * size
    what = bytes(size) if rng.random() < .5 else bytes(data[b:b + size])
    data[a:a + size] = what


def values(path, rng):
    db = sqlite3.connect(path)
    db.execute("pragma ignore_check_constraints = 1")
    tables = [r[0] for r in db.execute(
        "select name from sqlite_master where type = 'table'")]
    for _ in range(rng.choice((1, 3, 10))):
        table = rng.choice(tables)
        cols = [r[1] for r in db.execute(
            'pragma table_info("%s")' % table)]
        try:
            db.execute('update "%s" set "%s" = %s where abs(random()) %% 4 = 0'
                       % (table, rng.choice(cols), rng.choice(VALUES)))
        except (sqlite3.Error, OverflowError):
            pass
    db.commit()
    db.close()


def run(args):
    return subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


def check(path, what, opts):
    r = run(sys.argv[4:] + opts + [path])
    said = r.stderr.count(b"\n")
    bad = None
    if r.returncode not in (0, 1):
        bad = "status %d" % r.returncode
    elif r.returncode == 0 and said or r.returncode == 1 and said == 0:
        bad = "status %d and %d lines on stderr" % (r.returncode, said)
    elif r.returncode == 1 and not opts and said != 1:
        bad = "%d lines on stderr" % said
    elif r.returncode == 0 or (opts and r.stdout.count(b"\nend\t")):
        c = subprocess.run(["tl-check"], input=r.stdout, timeout=60,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if c.returncode != 0:
            bad = "tl-check: " + c.stderr.decode("utf-8", "replace")
    if bad:
        sys.exit("%s %s: %s\n%s" % (
            what, opts, bad, r.stderr[-2000:].decode("utf-8", "replace")))
    return r.returncode


def main():
    src, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    path = "damaged.sqlite"
    codes = {0: 0, 1: 0}
    for i in range(count):
        rng = random.Random(seed * 1000003 + i)
        kind = rng.choice((flip, early, cut, page, page, values, values))
        shutil.copy(src, path)
        os.chmod(path, 0o644)
        if kind is values:
            values(path, rng)
        else:
            with open(path, "r+b") as f:
                data = bytearray(f.read())
                kind(data, rng)
                f.seek(0)
                f.truncate()
                f.write(data)
        what = "seed %d number %d (%s)" % (seed, i, kind.__name__)
        codes[check(path, what, [])] += 1
        check(path, what, ["-k"])
    print("%d read, %d refused" % (codes[0], codes[1]))


main()
