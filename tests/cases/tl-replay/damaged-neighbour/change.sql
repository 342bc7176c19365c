-- a kernel of the third launch was lost
DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = 8;
