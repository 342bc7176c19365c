CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL,
  timestampType INTEGER NOT NULL, source INTEGER NOT NULL,
  severity INTEGER NOT NULL, text TEXT NOT NULL, globalPid INTEGER);
INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 1, 1, 'all is well', 0),
  (2, 1, 1, 2, 'not so good', 0), (3, 1, 1, 2, 'not so good', 0),
  (4, 1, 1, 3, 'bad' || char(10) || 'news', 0), (5, 1, 1, 4, 'chat', 0);
