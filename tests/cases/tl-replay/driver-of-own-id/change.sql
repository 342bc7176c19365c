-- the driver's call within the runtime's has an id of its own: in the first
-- launch the work has the runtime's, in the second the driver's
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (1001, 1004, 1, 7 << 24 | 8, 901, 6, 0), (1101, 1104, 1, 7 << 24 | 8, 902, 6, 0);
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 902 WHERE correlationId = 102;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET correlationId = 902 WHERE correlationId = 102;
