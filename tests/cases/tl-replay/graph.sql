-- An export of which the run is told by a table: launch i of a graph is called
-- at 1000 + 100 i with correlation 101 + i. Its four nodes run one after the
-- other on stream 11 of device 0: gemm, pointwise, gemm, copy.
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.13.2');
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaGraphLaunch_v10000'),
  (2, 'a_gemm'), (3, 'a_pointwise'), (4, 'b_gemm'), (5, 'b_pointwise'),
  (6, 'cuGraphLaunch'), (7, 'cudaLaunchKernel_v7000'), (8, 'other');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL,
  end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL,
  end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  graphNodeId INTEGER, shortName INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL,
  end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  graphNodeId INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL,
  end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  graphNodeId INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL,
  end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);
CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER NOT NULL,
  end INTEGER NOT NULL, globalTid INTEGER, graphNodeId INTEGER NOT NULL,
  originalGraphNodeId INTEGER);
CREATE TEMP TABLE run (i INTEGER, body TEXT);
CREATE TEMP TABLE node (body TEXT, k INTEGER, lo INTEGER, hi INTEGER,
  id INTEGER, name INTEGER);
INSERT INTO node VALUES
  ('A', 0, 10, 20, (2 << 32) + 0, 2), ('A', 1, 21, 25, (2 << 32) + 1, 3),
  ('A', 2, 26, 36, (2 << 32) + 2, 2), ('A', 3, 37, 42, (2 << 32) + 3, NULL),
  ('B', 0, 10, 20, (5 << 32) + 0, 4), ('B', 1, 21, 25, (5 << 32) + 1, 5),
  ('B', 2, 26, 36, (5 << 32) + 2, 4), ('B', 3, 37, 42, (5 << 32) + 3, NULL);
