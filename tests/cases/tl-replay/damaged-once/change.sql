-- of two launches the second lacks the copy at its end; the graph is the same
DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE rowid = 2;
