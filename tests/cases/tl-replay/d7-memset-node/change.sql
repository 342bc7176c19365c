-- a fill that is a node of launch 3 (one of three of A) only
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES
  (1243, 1244, 0, 7, 11, 103, 7 << 24, (2 << 32) + 4, 0, 64);
