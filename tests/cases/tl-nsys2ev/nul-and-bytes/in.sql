-- what is behind a NUL byte is memory of the process
INSERT INTO PROCESSES VALUES ((1 << 48) | (500 << 24), 500,
  'python3' || char(0) || 'SECRET=1');
INSERT INTO StringIds VALUES (40, 'fn' || char(0) || 'SECRET=2'),
  (41, cast(x'61ff62' as text));
INSERT INTO NVTX_EVENTS VALUES (10, 20, 59, NULL, NULL, NULL,
  't' || char(0) || 'SECRET=3',
  (1 << 48) | (500 << 24) | 501, NULL, NULL, NULL, NULL);
INSERT INTO NVTX_EVENTS VALUES (30, 40, 59, NULL, NULL, NULL, NULL,
  (1 << 48) | (500 << 24) | 501, NULL, 40, NULL, NULL);
INSERT INTO NVTX_EVENTS VALUES (50, 60, 59, NULL, NULL, NULL, NULL,
  (1 << 48) | (500 << 24) | 501, NULL, 41, NULL, NULL);
INSERT INTO NVTX_EVENTS VALUES (70, 80, 59, NULL, NULL, NULL,
  cast(x'c3a9c3' as text),
  (1 << 48) | (500 << 24) | 501, NULL, NULL, NULL, NULL);
INSERT INTO NVTX_EVENTS VALUES (90, 95, 59, NULL, NULL, NULL,
  char(0) || 'SECRET=4',
  (1 << 48) | (500 << 24) | 501, NULL, NULL, NULL, NULL);
