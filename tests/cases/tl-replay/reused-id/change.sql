-- ids began anew: the second launch has the id of the first, and so has a
-- plain kernel later
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 101 WHERE correlationId = 102;
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 101 WHERE correlationId = 102;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET correlationId = 101 WHERE correlationId = 102;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 2005, 0, 7 << 24 | 8, 101, 7, 0);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (2010, 2020, 0, 7, 11, 101, 7 << 24, NULL, 8);
