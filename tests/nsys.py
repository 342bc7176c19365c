#!/usr/bin/env python3
"""Compares a stream of tl-nsys2ev with the export it was made of.

usage: nsys.py export.sqlite stream.ev [category ...]

Reads the export with Python's sqlite3, makes every event from the schema's
documentation, and wants the same multiset of events, in the stream's order,
and the same unions of time in each scope. Says what differs and exits 1; else
prints a line for each scope: kernels, copies, fills, span, busy, compute.
"""
import gc
import re
import sqlite3
import sys
from collections import Counter, defaultdict

COPY = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD",
        7: "DtoA", 8: "DtoD", 9: "HtoH", 10: "PtoP", 11: "HtoD", 12: "DtoH",
        13: "DtoD"}
SYNC = {1: "event", 2: "stream_wait_event", 3: "stream", 4: "context"}
MEM = ["pageable", "pinned", "device", "array", "managed", "device_static",
       "managed_static"]
TABLES = {"K": "CUPTI_ACTIVITY_KIND_KERNEL", "M": "CUPTI_ACTIVITY_KIND_MEMCPY",
          "F": "CUPTI_ACTIVITY_KIND_MEMSET", "N": "NVTX_EVENTS",
          "G": "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "O": "OSRT_API",
          "R": "CUPTI_ACTIVITY_KIND_RUNTIME",
          "S": "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"}
KINDS = {"K": "kernel", "M": "memcpy", "F": "memset", "S": "sync",
         "G": "graph", "R": "api", "O": "api"}
NOWHERE = (None, -1, 2**31 - 1, 2**32 - 1)


def unescape(s):
    def one(m):
        c = m.group(1)
        return {b"t": b"\t", b"n": b"\n", b"\\": b"\\"}.get(c) or bytes(
            [int(c[1:], 16)])
    return re.sub(rb"\\(t|n|\\|x[0-9A-F]{2})", one, s)


def text(b):
    return None if b is None else b.split(b"\0")[0]


class Export:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path,
                                  uri=True)
        self.db.text_factory = bytes
        self.tables = {r[0].decode() for r in self.db.execute(
            "select name from sqlite_master where type = 'table'")}
        self.strings = {}
        if "StringIds" in self.tables:
            self.strings = {i: text(v) for i, v in self.db.execute(
                "select id, value from StringIds")}

    def rows(self, tag):
        table = TABLES[tag]
        if table not in self.tables:
            return
        cur = self.db.execute('select rowid as "#", * from "%s"' % table)
        names = [d[0] for d in cur.description]
        for row in cur:
            yield defaultdict(lambda: None, zip(names, row))

    def string(self, i, what):
        return self.strings.get(i, b"%s#%d" % (what.encode(), i))


def num(v):
    return b"." if v is None else b"%d" % v


def keys_of(tag, r, x):
    k = {}
    if tag == "K":
        if r["demangledName"] is not None and r["shortName"] is not None:
            short = x.string(r["shortName"], "kernel")
            if short != x.string(r["demangledName"], "kernel"):
                k["short"] = short
        for what in "grid", "block":
            k[what] = b"%d,%d,%d" % tuple(r[what + d] for d in "XYZ")
    if tag in "MF":
        k["bytes"] = num(r["bytes"])
        dst = r["dstKind"] if tag == "M" else r["memKind"]
        if dst is not None and dst < len(MEM):
            k["dst_mem"] = MEM[dst].encode()
        if r["srcKind"] is not None and r["srcKind"] < len(MEM):
            k["src_mem"] = MEM[r["srcKind"]].encode()
    if tag == "M" and r["copyKind"] in COPY:
        k["copy"] = COPY[r["copyKind"]].encode()
        if r["copyKind"] == 10:
            for end in "src", "dst":
                if r[end + "DeviceId"] not in NOWHERE:
                    k[end + "_device"] = num(r[end + "DeviceId"])
    if tag == "F":
        k["value"] = num(r["value"])
    if tag == "S" and r["syncType"] in SYNC:
        k["sync"] = SYNC[r["syncType"]].encode()
        if r["syncType"] in (1, 2) and r["eventId"] not in NOWHERE:
            k["event"] = num(r["eventId"])
    for col, key in (("graphId", "graph"), ("graphNodeId", "node"),
                     ("graphExecId", "graph_exec")):
        if r[col]:
            k[key] = num(r[col])
    if tag in "RO" and r["returnValue"]:
        k["result"] = num(r["returnValue"])
    if tag == "O":
        k["api"] = b"osrt"
    return k


def device_event(tag, r, x, pid):
    if r["start"] == r["end"] == 0:
        return None
    dev = None if r["deviceId"] in NOWHERE else r["deviceId"]
    ctx = None if r["contextId"] in NOWHERE or dev is None else r["contextId"]
    lane = None if r["streamId"] in NOWHERE or dev is None else r["streamId"]
    name = None
    if tag == "K":
        name = x.string(r["demangledName"], "kernel") \
            if r["demangledName"] is not None else x.string(r["shortName"],
                                                            "kernel")
    return (KINDS[tag], r["start"], r["end"] - r["start"], pid, num(dev),
            num(ctx), num(lane), num(r["correlationId"] or None), name,
            b"%s:%d" % (tag.encode(), r["#"]), keys_of(tag, r, x))


def host_event(tag, r, x, pid):
    kind, name, keys = KINDS.get(tag), None, keys_of(tag, r, x)
    end = r["end"] or None
    if tag == "N":
        if r["eventType"] not in (34, 59, 60, 65, 70, 71):
            return None
        kind = "mark" if r["eventType"] in (34, 65) else "range"
        name = text(r["text"])
        if not name:
            name = b"." if r["textId"] is None else x.string(r["textId"],
                                                             "nvtx")
        if r["domainId"]:
            keys["domain"] = x.domains.get((r["globalTid"] >> 24,
                r["domainId"]), num(r["domainId"]))
        if r["category"]:
            keys["category"] = num(r["category"])
        if r["endGlobalTid"] and r["endGlobalTid"] != r["globalTid"]:
            keys["end_thread"] = num(r["endGlobalTid"] & 0xffffff)
        if r["eventType"] in (60, 71):
            keys["style"] = b"start_end"
    elif r["eventClass"] in (67, 68, 69) or (tag == "O" and
                                             r["eventClass"] in (31, 32)):
        return None
    else:
        name = x.string(r["nameId"], "api")
    dur = None if kind == "mark" or end is None else end - r["start"]
    return (kind, r["start"], dur, pid, b".", b".",
            b"%d" % (r["globalTid"] & 0xffffff),
            num(r["correlationId"] or None), name,
            b"%s:%d" % (tag.encode(), r["#"]), keys)


def expected(path, cats):
    x = Export(path)
    x.domains = {}
    for r in x.rows("N"):
        if r["eventType"] == 75:
            x.domains[(r["globalTid"] >> 24, r["domainId"])] = \
                text(r["text"]) or x.strings.get(r["textId"])
    for tag in "FGKMNORS":
        if tag == "O" and "osrt" not in cats:
            continue
        for r in x.rows(tag):
            owner = r["globalPid"] if tag in "FGKMS" else r["globalTid"]
            pid = b"." if not owner else b"%d" % (owner >> 24 & 0xffffff)
            make = device_event if tag in "FGKMS" else host_event
            e = make(tag, r, x, pid)
            if e is not None:
                yield e


def actual(path):
    last, ident = None, 0
    with open(path, "rb") as f:
        for line in f:
            c = line[:-1].split(b"\t")
            kind = c[0].decode()
            if kind.startswith("#") or kind in ("note", "end"):
                continue
            ident += 1
            assert int(c[1]) == ident, "id %s" % c[1]
            dur = None if c[3] == b"." else int(c[3])
            tag, row = c[11].split(b":")
            order = (int(c[2]), -1 if dur is not None else 0,
                     -(dur or 0), tag, int(row))
            assert last is None or last < order, "order at id %d" % ident
            last = order
            keys = [k.split(b"=", 1) for k in c[12:]]
            names = [k for k, _ in keys]
            assert names == sorted(set(names)), "keys at id %d" % ident
            keys = {k.decode(): unescape(v) for k, v in keys
                    if k not in (b"role", b"sym")}
            name = unescape(c[10]) if kind not in (
                "memcpy", "memset", "sync", "graph") else None
            yield (kind, int(c[2]), dur, c[4], c[5], c[6], c[7], c[8],
                   name, c[11], keys), c[9].decode()


def freeze(e):
    return e[:-1] + (tuple(sorted(e[-1].items())),)


def union(spans):
    total, end = 0, None
    for a, b in sorted(spans):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def main():
    gc.disable()  # many objects, few in circles
    cats = sys.argv[3:]
    want = Counter(freeze(e) for e in expected(sys.argv[1], cats))
    got, scopes = Counter(), defaultdict(list)
    for e, cls in actual(sys.argv[2]):
        got[freeze(e)] += 1
        if e[0] in ("kernel", "memcpy", "memset") or (
                e[0] == "graph" and "detail" not in e[-1]):
            scopes[e[3] + b":" + e[4]].append((e, cls))
    if want != got:
        for what, diff in ("missing", want - got), ("too many", got - want):
            for e in sorted(diff, key=repr)[:5]:
                print("%s: %r" % (what, e), file=sys.stderr)
        sys.exit("%d events are missing, %d are too many" % (
            sum((want - got).values()), sum((got - want).values())))
    for scope, events in sorted(scopes.items()):
        n = Counter(e[0] for e, _ in events)
        spans = [(e[1], e[1] + e[2]) for e, _ in events]
        compute = [(e[1], e[1] + e[2]) for e, c in events if c == "compute"]
        print("%s kernels=%d copies=%d fills=%d span=%d busy=%d compute=%d" % (
            scope.decode(), n["kernel"], n["memcpy"], n["memset"],
            max(b for _, b in spans) - min(a for a, _ in spans), union(spans),
            union(compute)))


main()
