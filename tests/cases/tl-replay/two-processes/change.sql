-- process 9 has the same correlation ids and node ids, on another device, and
-- lost the copy of its second launch
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start + 3, end + 3, eventClass,
  9 << 24 | 8, correlationId, nameId, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 3, end + 3, 1, 7, 11,
  correlationId, 9 << 24, graphNodeId, shortName
  FROM CUPTI_ACTIVITY_KIND_KERNEL;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT start + 3, end + 3, 1, 7, 11,
  correlationId, 9 << 24, graphNodeId, bytes, copyKind
  FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE correlationId = 101;
