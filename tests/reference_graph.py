#!/usr/bin/env python3
"""usage: reference_graph.py OUT.sqlite

A Nsight Systems export of five launches of two graphs, A B A A B, each of three
kernels and a copy, with graph nodes on record.
"""
import sqlite3
import sys

GRAPHS = {"A": (8589934592, 2, 3, 2097152), "B": (21474836480, 4, 5, 3276800)}
PROCESS = 77 << 24

db = sqlite3.connect(sys.argv[1])
db.executescript("""
create table StringIds (id integer primary key, value text);
insert into StringIds values (1, 'cudaGraphLaunch_v10000'),
    (2, 'graph_a_gemm'), (3, 'graph_a_pointwise'), (4, 'graph_b_gemm'),
    (5, 'graph_b_pointwise');
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer, end integer,
    correlationId integer, nameId integer, globalTid integer);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer,
    deviceId integer, contextId integer, streamId integer,
    correlationId integer, graphNodeId integer, shortName integer,
    demangledName integer, globalPid integer);
create table CUPTI_ACTIVITY_KIND_MEMCPY (start integer, end integer,
    deviceId integer, contextId integer, streamId integer,
    correlationId integer, graphNodeId integer, bytes integer,
    copyKind integer, globalPid integer);
create table CUDA_GRAPH_NODE_EVENTS (start integer, end integer,
    graphNodeId integer, originalGraphNodeId integer);
""")
for i, name in enumerate("ABAAB"):
    at, correlation = 1000 + 100 * i, 101 + i
    node, gemm, pointwise, size = GRAPHS[name]
    db.execute("insert into CUPTI_ACTIVITY_KIND_RUNTIME values (?, ?, ?, 1, ?)",
               (at, at + 5, correlation, PROCESS + 77))
    for n, (a, b, text) in enumerate(
            ((10, 20, gemm), (21, 25, pointwise), (26, 36, gemm))):
        db.execute("insert into CUPTI_ACTIVITY_KIND_KERNEL values "
                   "(?, ?, 0, 7, 11, ?, ?, ?, ?, ?)",
                   (at + a, at + b, correlation, node + n, text, text, PROCESS))
    db.execute("insert into CUPTI_ACTIVITY_KIND_MEMCPY values "
               "(?, ?, 0, 7, 11, ?, ?, ?, 8, ?)",
               (at + 37, at + 42, correlation, node + 3, size, PROCESS))
for name, original in (("A", 5000), ("B", 6000)):
    for n in range(4):
        db.execute("insert into CUDA_GRAPH_NODE_EVENTS values (1, 2, ?, ?)",
                   (GRAPHS[name][0] + n, original + n))
db.commit()
