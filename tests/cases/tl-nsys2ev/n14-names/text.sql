DROP TABLE StringIds;
CREATE TABLE StringIds (id TEXT, value TEXT);
INSERT INTO StringIds VALUES ('10', 'ten'), ('9', 'nine'), ('2',
  'void gemm<float>(float *)'), ('1', 'gemm'), ('2', 'not this one');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1100, 0, 1, NULL, 7,
  9, (1 << 48) | (500 << 24), 2, 1, NULL, 4, 2, 1, 128, 1, 1, NULL, NULL);
