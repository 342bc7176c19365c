-- a kernel of the third launch was lost, and the same of the fourth
DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid IN (8, 11);
-- nobody knows whether that was another graph
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = NULL;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET graphNodeId = NULL;
