-- Process 7; rows of kernels are numbered launch by launch.
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 + 100 * i,
  1005 + 100 * i, 0, 7 << 24 | 8, 101 + i, 1, 0 FROM run ORDER BY i;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000 + 100 * i + lo,
  1000 + 100 * i + hi, 0, 7, 11, 101 + i, 7 << 24, id, name
  FROM run JOIN node USING (body) WHERE k < 3 ORDER BY i, k;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 1000 + 100 * i + lo,
  1000 + 100 * i + hi, 0, 7, 11, 101 + i, 7 << 24, id,
  iif(body = 'A', 2097152, 3276800), 8
  FROM run JOIN node USING (body) WHERE k = 3 ORDER BY i;
INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT 500 + k, 501 + k, 7 << 24 | 8, id,
  iif(body = 'A', 5000, 6000) + k FROM node;
