-- a kernel of the third launch was lost, and the same of the fourth
DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid IN (8, 11);
