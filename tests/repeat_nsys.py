#!/usr/bin/env python3
"""usage: repeat_nsys.py [-x TABLE]... N IN.sqlite OUT.sqlite

Writes a Nsight Systems export that holds the events of another N times, one
after the other: times are shifted by the length of the capture, correlation
ids by the range they take, everything else is as it was. -x leaves a table
empty (NVTX_EVENTS).
"""

import getopt
import os
import shutil
import sqlite3
import sys

TIMES = ("start", "end", "timestamp")


def columns(db, table):
    return [r[1] for r in db.execute(f'pragma table_info("{table}")')]


def event_tables(db):
    for (name,) in db.execute(
            "select name from sqlite_master where type = 'table'"
            " and name not like 'sqlite_%' and name not like 'ENUM_%'"):
        cols = columns(db, name)
        if "timestamp" in cols or "start" in cols:
            yield name, cols


def limits(db, tables, wanted):
    low, high = [], []
    for name, cols in tables:
        for col in wanted:
            if col in cols:
                a, b = db.execute(f'select min("{col}"), max("{col}")'
                                  f' from "{name}"').fetchone()
                if a is not None:
                    low.append(a)
                    high.append(b)
    return (min(low), max(high)) if low else (0, 0)


def main():
    opts, args = getopt.getopt(sys.argv[1:], "x:")
    if len(args) != 3:
        sys.exit(__doc__)
    n = int(args[0])
    shutil.copyfile(args[1], args[2])
    os.chmod(args[2], 0o644)
    db = sqlite3.connect(args[2])
    db.execute("pragma journal_mode = off")
    db.execute("pragma synchronous = off")
    for _, table in opts:
        db.execute(f'delete from "{table}"')
    tables = list(event_tables(db))
    first, last = limits(db, tables, TIMES)
    least, most = limits(db, tables, ("correlationId",))
    span, ids = last - first + 1, most - least + 1
    for name, cols in tables:
        exprs = []
        for col in cols:
            if col in TIMES:
                exprs.append(f'"{col}" + k * {span}')
            elif col == "correlationId":
                # 0 and -1 are no ids
                exprs.append(f'iif("{col}" > 0, "{col}" + k * {ids}, "{col}")')
            else:
                exprs.append(f'"{col}"')
        db.execute(f'create temp table once as select * from "{name}"')
        db.execute("with recursive c(k) as (select 1 union all"
                   " select k + 1 from c where k + 1 < ?)"
                   f' insert into "{name}" select {", ".join(exprs)}'
                   " from c cross join once where ? > 1", (n, n))
        db.execute("drop table once")
    db.commit()
    db.execute("vacuum")
    db.close()


main()
