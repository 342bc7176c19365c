-- What the relations traceloom_* need beside our own tables: tl-db(5).
-- Run once all rows and indexes are there, and before ANALYZE.
-- Columns have declared types, so that columns of views have them; ids in text
-- are generated, not stored, and SQLite makes an index on them when it joins.

-- One row: constants, and a NULL of each type.
CREATE TABLE tl_const (
	db_idx INTEGER, zero INTEGER, one INTEGER, i INTEGER,
	t TEXT, r REAL, zero_us REAL,
	tree_view TEXT, position_view TEXT, path TEXT, source_id TEXT,
	provider TEXT, clock TEXT, exact TEXT, direct TEXT, relation TEXT,
	match TEXT, support TEXT, graph TEXT, primary_role TEXT, rowid_name TEXT
);
INSERT INTO tl_const SELECT 0, 0, 1, NULL, NULL, NULL, 0.0,
	'native_report_tree', 'anchor_tree',
	(SELECT value FROM tl_meta WHERE key = 'source.path'), 'raw-source-000',
	CASE (SELECT value FROM tl_meta WHERE key = 'source.kind')
	WHEN 'nsys' THEN 'cuda' WHEN 'msprof' THEN 'ascend'
	ELSE (SELECT value FROM tl_meta WHERE key = 'source.kind') END,
	'profiler', 'exact_direct', 'direct_provider_identifier',
	'provider_correlation', 'correlation_id', 'supported', 'graph',
	'primary', 'rowid';

-- How the kinds and classes of events are called.
CREATE TABLE tl_role (
	kind INTEGER, class INTEGER,
	role TEXT,       -- compute, comm, graph: in the structure; else aux
	category TEXT,   -- the class
	task_type TEXT,
	member TEXT,     -- kind of a graph's member
	PRIMARY KEY (kind, class)
) WITHOUT ROWID;
INSERT INTO tl_role SELECT k.kind, c.class,
	CASE WHEN k.name = 'graph' THEN 'graph'
	WHEN k.name IN ('kernel', 'task') AND c.name IN ('compute', 'comm')
	THEN c.name ELSE 'aux' END,
	c.name,
	CASE k.name WHEN 'kernel' THEN
		iif(c.name = 'comm', 'COLLECTIVE_KERNEL', 'KERNEL')
	WHEN 'api' THEN 'RUNTIME' ELSE upper(k.name) END,
	CASE c.name WHEN 'comm' THEN 'communication' WHEN 'copy' THEN 'data_move'
	ELSE 'compute' END
FROM tl_kind k, tl_class c;

-- One row a scope with a tree. A position's id is "node-", the scope's mark
-- and its number. The mark is empty where there is one such scope; else it is
-- "d1-" for device 1, and "p2-d1-", with the process's key, where several
-- processes have a device of that name.
CREATE TABLE tl_tree (
	scope INTEGER PRIMARY KEY,
	mark TEXT NOT NULL,
	tree_id TEXT, root_node_id TEXT,
	device_id INTEGER            -- NULL if its token is no number
);
INSERT INTO tl_tree (scope, mark, device_id)
SELECT s.scope,
	CASE WHEN (SELECT count(DISTINCT scope) FROM tl_position) = 1 THEN ''
	WHEN (SELECT count(*) FROM tl_scope x WHERE x.device IS s.device
		AND EXISTS (SELECT 1 FROM tl_position p WHERE p.scope = x.scope))
		= 1 THEN 'd' || coalesce(s.device, 'x') || '-'
	ELSE 'p' || coalesce(s.process, 0) || '-d' || coalesce(s.device, 'x')
		|| '-' END,
	CASE typeof(s.device) WHEN 'integer' THEN s.device END
FROM tl_scope s WHERE s.scope IN (SELECT scope FROM tl_position);
UPDATE tl_tree SET
	tree_id = rtrim('native-report-tree-' || mark, '-'),
	root_node_id = 'node-' || mark || 'N001';

-- Every realisation of a position: first those that are events, in the order
-- of the structure, so that their keys are 1, 2, 3 ... and those below an
-- occurrence are a range; then the occurrences that are no iterations.
CREATE TABLE tl_span (
	span INTEGER PRIMARY KEY,
	node INTEGER NOT NULL REFERENCES tl_position,
	idx INTEGER NOT NULL,        -- 1, 2, 3 ... of the node
	parent INTEGER REFERENCES tl_span,
	iteration INTEGER,           -- of the loop that it lies in directly
	first INTEGER, last INTEGER, -- keys of the events below it
	event INTEGER REFERENCES tl_event,
	call INTEGER REFERENCES tl_event, -- that launched the event, if one did
	occurrence INTEGER REFERENCES tl_occurrence,
	number INTEGER NOT NULL,     -- of the position, and its scope's mark
	mark TEXT NOT NULL,
	anchor_id TEXT AS ('anchor-' || (span - 1)),
	anchor_idx INTEGER AS (span),
	occurrence_id TEXT AS ('node-' || mark || printf('N%03d', number) ||
		'-occurrence-' || idx),
	coverage TEXT AS (iif(event IS NULL, 'body', 'self')),
	token_start INTEGER AS (first - 1),
	bubble_id TEXT AS ('bubble-anchor-' || (span - 1))
);
