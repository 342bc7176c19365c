-- a fill in each launch of A
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET SELECT start + 33, start + 34, 0, 7, 11,
  correlationId, globalPid, (2 << 32) + 4, 0, 64
  FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId = 2 << 32;
