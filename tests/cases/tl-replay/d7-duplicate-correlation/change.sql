-- the same call again, and the driver's call within it
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (1000, 1005, 0, 7 << 24 | 8, 101, 1, 0), (1001, 1004, 1, 7 << 24 | 8, 101, 6, 0);
