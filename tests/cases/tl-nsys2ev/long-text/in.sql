INSERT INTO StringIds SELECT 50, replace(hex(zeroblob(30000)), '00', 'xy');
INSERT INTO StringIds SELECT 51, replace(hex(zeroblob(24576)), '00', 'xy');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1100, 0, 1, NULL, 7,
  9, (1 << 48) | (500 << 24), 50, 1, NULL, 4, 2, 1, 128, 1, 1, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1200, 1300, 0, 1, NULL, 7,
  10, (1 << 48) | (500 << 24), 51, 1, NULL, 4, 2, 1, 128, 1, 1, NULL, NULL);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) SELECT 10,
  20, 59,
  'a' || replace(hex(zeroblob(40000)), '00', 'é'),
  (1 << 48) | (500 << 24) | 501;
