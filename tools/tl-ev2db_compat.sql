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
	match TEXT, support TEXT, graph TEXT, primary_role TEXT, rowid_name TEXT,
	semantic TEXT, schema TEXT, discovery TEXT, symbols TEXT, word_event TEXT,
	word_graph TEXT
);
INSERT INTO tl_const SELECT 0, 0, 1, NULL, NULL, NULL, 0.0,
	'native_report_tree', 'anchor_tree',
	(SELECT value FROM tl_meta WHERE key = 'source.path'), 'raw-source-000',
	CASE (SELECT value FROM tl_meta WHERE key = 'source.kind')
	WHEN 'nsys' THEN 'cuda' WHEN 'msprof' THEN 'ascend'
	ELSE (SELECT value FROM tl_meta WHERE key = 'source.kind') END,
	'profiler', 'exact_direct', 'direct_provider_identifier',
	'provider_correlation', 'correlation_id', 'supported',
	CASE (SELECT value FROM tl_meta WHERE key = 'source.kind')
	WHEN 'nsys' THEN 'cuda' WHEN 'msprof' THEN 'aclgraph'
	ELSE (SELECT value FROM tl_meta WHERE key = 'source.kind') END,
	'primary', 'rowid', 'semantic', 'tl-db 1', 'native_report_tree_complete',
	'symbol_normalization', 'event', 'graph';

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

CREATE TABLE tl_member_kind (terminal INTEGER PRIMARY KEY, member_kind TEXT);
INSERT INTO tl_member_kind VALUES (0, 'child_occurrence'), (1, 'terminal_token');

-- Columns with a type for what has none, and ids in text.
ALTER TABLE tl_event ADD COLUMN event_id TEXT AS ('event-' || event);
ALTER TABLE tl_event ADD COLUMN end_ns INTEGER AS (start_ns + dur_ns);
ALTER TABLE tl_event ADD COLUMN dur_us REAL AS (dur_ns / 1000.0);
ALTER TABLE tl_event ADD COLUMN compute_us REAL
	AS (iif(class = 0, dur_ns, 0) / 1000.0);
ALTER TABLE tl_event ADD COLUMN comm_us REAL
	AS (iif(class = 1, dur_ns, 0) / 1000.0);
ALTER TABLE tl_event ADD COLUMN step_idx INTEGER AS (event);
ALTER TABLE tl_event ADD COLUMN source_key TEXT AS (CAST(place AS TEXT));
ALTER TABLE tl_event ADD COLUMN source_row INTEGER
	AS (CASE typeof(place) WHEN 'integer' THEN place END);
ALTER TABLE tl_event ADD COLUMN correlation_id TEXT
	AS (CAST(correlation AS TEXT));
ALTER TABLE tl_event ADD COLUMN runtime_call_id TEXT
	AS ('runtime-call-' || event);
ALTER TABLE tl_event ADD COLUMN device_work_id TEXT
	AS ('device-work-event-' || event);
ALTER TABLE tl_event ADD COLUMN relation_id TEXT
	AS ('runtime-device-relation-' || event);
ALTER TABLE tl_name ADD COLUMN symbol TEXT AS (text);
ALTER TABLE tl_tag ADD COLUMN source_table TEXT AS (coalesce(meaning, token));
ALTER TABLE tl_process ADD COLUMN process_id TEXT AS (CAST(token AS TEXT));
ALTER TABLE tl_lane ADD COLUMN device_id INTEGER
	AS (CASE typeof(device) WHEN 'integer' THEN device END);
ALTER TABLE tl_lane ADD COLUMN stream_id INTEGER AS
	(CASE WHEN scope IS NOT NULL AND typeof(token) = 'integer' THEN token END);
ALTER TABLE tl_lane ADD COLUMN thread_id TEXT AS
	(CASE WHEN scope IS NULL THEN CAST(token AS TEXT) END);
ALTER TABLE tl_lane ADD COLUMN context_id TEXT AS (CAST(context AS TEXT));
ALTER TABLE tl_keys ADD COLUMN task_type TEXT AS
	(CASE WHEN instr(char(9) || text, char(9) || 'type=') THEN
	substr(text, instr(char(9) || text, char(9) || 'type=') + 5,
	instr(substr(text || char(9), instr(char(9) || text, char(9) || 'type=')
	+ 5), char(9)) - 1) END);
ALTER TABLE tl_keys ADD COLUMN graph_node INTEGER
	AS (CASE typeof(node) WHEN 'integer' THEN node END);
ALTER TABLE tl_launch ADD COLUMN launch_id TEXT AS ('graph-launch-' || launch);
ALTER TABLE tl_launch ADD COLUMN cost_unit_id TEXT
	AS ('replay-cost-unit-' || launch);
ALTER TABLE tl_launch ADD COLUMN region_id TEXT
	AS ('aclgraph-reconstruction-region-' || launch);
ALTER TABLE tl_launch ADD COLUMN device_id INTEGER
	AS (CASE typeof(device) WHEN 'integer' THEN device END);
ALTER TABLE tl_launch ADD COLUMN end_ns INTEGER AS (start_ns + dur_ns);
ALTER TABLE tl_launch ADD COLUMN dur_us REAL AS (dur_ns / 1000.0);
ALTER TABLE tl_launch ADD COLUMN reason_text TEXT AS (reason);
ALTER TABLE tl_member ADD COLUMN member_id TEXT
	AS ('graph-body-member-' || line);
ALTER TABLE tl_member ADD COLUMN lane_ordinal INTEGER
	AS (CASE typeof(stream) WHEN 'integer' THEN stream END);

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
-- Function tl_nth, of tl-ev2db, counts how often it was called with a key.
CREATE TABLE tl_span (
	span INTEGER PRIMARY KEY,
	node INTEGER NOT NULL REFERENCES tl_position,
	idx INTEGER NOT NULL,        -- 1, 2, 3 ... of the node
	parent INTEGER,              -- the span it lies in directly
	iteration INTEGER,           -- of the loop that it lies in directly
	least INTEGER,               -- keys of the events below an occurrence
	greatest INTEGER,
	event INTEGER REFERENCES tl_event,
	call INTEGER REFERENCES tl_event, -- that launched the event, if one did
	occurrence INTEGER REFERENCES tl_occurrence,
	number INTEGER NOT NULL,     -- of the position, and its scope's mark
	mark TEXT NOT NULL
);
CREATE TABLE tl_up (             -- of each occurrence, also of iterations:
	occurrence INTEGER PRIMARY KEY,
	span INTEGER                 -- its span, or that of its loop
);
INSERT INTO tl_up
SELECT o.occurrence, (SELECT count(event) FROM tl_real) +
	row_number() OVER (ORDER BY o.occurrence)
FROM tl_occurrence o LEFT JOIN tl_occurrence u ON u.occurrence = o.parent
WHERE u.position IS NOT o.position;
INSERT OR IGNORE INTO tl_up
SELECT o.occurrence, u.span
FROM tl_occurrence o JOIN tl_up u ON u.occurrence = o.parent;
INSERT INTO tl_span (node, idx, parent, iteration, event, call, number, mark)
SELECT r.position, tl_nth(r.position),
	(SELECT span FROM tl_up u WHERE u.occurrence = r.occurrence),
	r.iteration, r.event,
	(SELECT c.event FROM tl_event e
		JOIN tl_event c ON c.correlation = e.correlation AND c.kind = 6
		WHERE e.event = r.event AND
			(SELECT process FROM tl_lane l WHERE l.lane = c.lane) IS
			(SELECT process FROM tl_lane l WHERE l.lane = e.lane)
		ORDER BY c.event LIMIT 1),
	p.number, t.mark
FROM tl_real r CROSS JOIN tl_position p ON p.position = r.position
	CROSS JOIN tl_tree t ON t.scope = p.scope
WHERE r.event IS NOT NULL ORDER BY r.line;
INSERT INTO tl_span (span, node, idx, parent, iteration, occurrence, number,
	mark)
SELECT u.span, o.position, tl_nth(o.position),
	(SELECT span FROM tl_up x WHERE x.occurrence = o.parent AND
		x.span < u.span), -- so that there are no circles
	o.iteration, o.occurrence, p.number, t.mark
FROM tl_occurrence o CROSS JOIN tl_up u ON u.occurrence = o.occurrence
	CROSS JOIN tl_position p ON p.position = o.position
	CROSS JOIN tl_tree t ON t.scope = p.scope
	LEFT JOIN tl_occurrence w ON w.occurrence = o.parent
WHERE w.position IS NOT o.position ORDER BY o.occurrence;
DROP TABLE tl_up;
CREATE UNIQUE INDEX tl_span_node ON tl_span (node, idx);
CREATE INDEX tl_span_parent ON tl_span (parent);
CREATE INDEX tl_span_event ON tl_span (event) WHERE event IS NOT NULL;
CREATE UNIQUE INDEX tl_span_occurrence ON tl_span (occurrence)
	WHERE occurrence IS NOT NULL;
UPDATE tl_span SET (least, greatest) = (least_below, greatest_below)
FROM (WITH RECURSIVE up (at, least_below, greatest_below) AS (
		SELECT parent, min(span), max(span) FROM tl_span
		WHERE event IS NOT NULL GROUP BY parent
	UNION ALL
		SELECT s.parent, least_below, greatest_below
		FROM up JOIN tl_span s ON s.span = up.at)
	SELECT at, min(least_below) AS least_below,
		max(greatest_below) AS greatest_below
	FROM up WHERE at IS NOT NULL GROUP BY at)
WHERE span = at;
-- Columns that are made when read; added now, as they would be made when a row
-- is put in, too.
ALTER TABLE tl_span ADD COLUMN first INTEGER
	AS (iif(event IS NULL, least, span));
ALTER TABLE tl_span ADD COLUMN last INTEGER
	AS (iif(event IS NULL, greatest, span));
ALTER TABLE tl_span ADD COLUMN anchor_id TEXT AS ('anchor-' || (span - 1));
ALTER TABLE tl_span ADD COLUMN anchor_idx INTEGER AS (span);
ALTER TABLE tl_span ADD COLUMN structural_idx INTEGER AS (span);
ALTER TABLE tl_span ADD COLUMN occurrence_id TEXT
	AS ('node-' || mark || printf('N%03d', number) ||
	'-occurrence-' || idx);
ALTER TABLE tl_span ADD COLUMN coverage TEXT
	AS (iif(event IS NULL, 'body', 'self'));
ALTER TABLE tl_span ADD COLUMN token_start INTEGER
	AS (iif(event IS NULL, least, span) - 1);
ALTER TABLE tl_span ADD COLUMN token_end INTEGER
	AS (iif(event IS NULL, greatest, span));
ALTER TABLE tl_span ADD COLUMN bubble_id TEXT
	AS ('bubble-anchor-' || (span - 1));
ALTER TABLE tl_span ADD COLUMN interval_id TEXT
	AS ('anchor-host-interval-anchor-' || (span - 1) || '-anchor-' ||
	span);

-- The positions, with what their realisations add up to.
CREATE TABLE tl_node (
	node INTEGER PRIMARY KEY REFERENCES tl_position,
	node_id TEXT NOT NULL, local_node_id TEXT NOT NULL,
	parent INTEGER, parent_node_id TEXT,
	scope INTEGER NOT NULL, tree_id TEXT, device_id INTEGER,
	preorder INTEGER,            -- number among those of the scope, from 0
	slot INTEGER,                -- among its siblings, from 1
	path TEXT,                   -- N001/N006/N007
	rooted_path TEXT,            -- node-N001/s2/node-N006/s1/node-N007
	depth INTEGER, loop_depth INTEGER,
	node_type TEXT,              -- Seq, Repeat, Atom
	kind TEXT,                   -- seq, repeat, atom
	symbol TEXT,                 -- Seq, Rep x24, ReplayUnit T1, an event's
	category TEXT,               -- graph_unit, exec, comm
	repeat_label TEXT, repeat_count INTEGER,
	occurrence_count INTEGER,
	anchor_count INTEGER,        -- events below all its occurrences
	anchors_per_occurrence REAL,
	first_anchor_idx INTEGER, last_anchor_idx INTEGER,
	start_ns INTEGER, end_ns INTEGER,
	compute_us REAL, comm_us REAL, idle_us REAL, total_us REAL,
	avg_compute_us REAL, avg_comm_us REAL, avg_idle_us REAL,
	avg_total_us REAL,           -- of a loop: mean of the full iterations
	self_us REAL,                -- of events, what they take
	edge_role_id TEXT AS ('edge-role:' || rooted_path)
);
INSERT INTO tl_node
WITH RECURSIVE tree (node, scope, mark, path, rooted, loops) AS (
		SELECT p.position, p.scope, t.mark, printf('N%03d', p.number),
			'node-' || t.mark || printf('N%03d', p.number),
			p.kind = 'loop'
		FROM tl_position p JOIN tl_tree t ON t.scope = p.scope
		WHERE p.parent IS NULL
	UNION ALL
		SELECT p.position, t.scope, t.mark,
			t.path || printf('/N%03d', p.number),
			t.rooted || '/s' || coalesce(p.ordinal, 0) || '/node-' ||
			t.mark || printf('N%03d', p.number),
			t.loops + (p.kind = 'loop')
		FROM tree t JOIN tl_position p ON p.parent = t.node),
total (node, leaf, n, anchors, first, last, start, end, compute, comm, idle, total,
	self) AS (
		SELECT s.node, 1, count(*), count(*), min(s.span), max(s.span),
			min(e.start_ns), max(e.start_ns + e.dur_ns),
			total(iif(e.class = 0, e.dur_ns, 0)),
			total(iif(e.class = 1, e.dur_ns, 0)), 0,
			total(e.dur_ns), total(e.dur_ns)
		FROM tl_span s NOT INDEXED
			CROSS JOIN tl_event e ON e.event = s.event
		GROUP BY s.node
	UNION ALL
		SELECT s.node, 0, count(*), total(s.last - s.first + 1),
			min(s.first), max(s.last), min(o.start_ns),
			max(o.start_ns + o.span_ns), sum(o.compute_ns),
			sum(o.comm_ns), sum(o.idle_ns), sum(o.span_ns), 0
		FROM tl_span s CROSS JOIN tl_occurrence o
			ON o.occurrence = s.occurrence
		WHERE s.occurrence IS NOT NULL GROUP BY s.node),
turn (node, compute, comm, idle, total) AS (
		SELECT o.position, avg(o.compute_ns), avg(o.comm_ns),
			avg(o.idle_ns), avg(o.span_ns)
		FROM tl_occurrence o JOIN tl_occurrence u
			ON u.occurrence = o.parent AND u.position = o.position
		WHERE o.complete = 1 GROUP BY o.position)
SELECT p.position, 'node-' || t.mark || printf('N%03d', p.number),
	printf('N%03d', p.number), p.parent,
	(SELECT 'node-' || t.mark || printf('N%03d', u.number)
		FROM tl_position u WHERE u.position = p.parent),
	p.scope, r.tree_id, r.device_id, p.number - 1, p.ordinal, t.path, t.rooted,
	p.depth, t.loops,
	CASE p.kind WHEN 'loop' THEN 'Repeat' WHEN 'event' THEN 'Atom'
	ELSE 'Seq' END,
	CASE p.kind WHEN 'loop' THEN 'repeat' WHEN 'event' THEN 'atom'
	ELSE 'seq' END,
	CASE p.kind WHEN 'loop' THEN 'Rep x' || (p.iterations / 100)
	WHEN 'event' THEN n.text
	WHEN 'replay' THEN 'ReplayUnit T' || substr(n.text, 2)
	WHEN 'seq' THEN iif(n.text = 'seq', 'Seq', n.text) ELSE 'Seq' END,
	CASE p.kind WHEN 'replay' THEN 'graph_unit' WHEN 'event' THEN
		(SELECT iif(e.kind = 4, 'graph', iif(e.class = 1, 'comm', 'exec'))
		FROM tl_event e WHERE e.event = p.first_event) ELSE '' END,
	iif(p.kind = 'loop', 'Rep x' || (p.iterations / 100), ''),
	iif(p.kind = 'loop', p.iterations / 100, NULL),
	coalesce(total.n, p.occurrences), total.anchors,
	total.anchors * 1.0 / total.n, total.first, total.last,
	total.start, total.end,
	total.compute / 1000.0, total.comm / 1000.0, total.idle / 1000.0,
	total.total / 1000.0,
	iif(p.kind = 'loop', turn.compute, total.compute / total.n) / 1000.0,
	iif(p.kind = 'loop', turn.comm, total.comm / total.n) / 1000.0,
	iif(p.kind = 'loop', turn.idle, total.idle * 1.0 / total.n) / 1000.0,
	iif(p.kind = 'loop', turn.total, total.total / total.n) / 1000.0,
	total.self / 1000.0
FROM tree t JOIN tl_position p ON p.position = t.node
	JOIN tl_tree r ON r.scope = t.scope
	LEFT JOIN tl_name n ON n.name = p.label
	LEFT JOIN total ON total.node = p.position AND
		total.leaf = (p.kind = 'event')
	LEFT JOIN turn ON turn.node = p.position
ORDER BY p.position;
CREATE UNIQUE INDEX tl_node_id ON tl_node (node_id);
CREATE INDEX tl_node_parent ON tl_node (parent, slot);

-- What the members of a launch add up to, and where it is in the structure.
CREATE TABLE tl_launched (
	launch INTEGER PRIMARY KEY REFERENCES tl_launch,
	members INTEGER,
	task_sum INTEGER, compute INTEGER, comm INTEGER, copy INTEGER, -- ns
	first INTEGER, last INTEGER, -- spans of its events
	replay INTEGER,              -- span of the occurrence that it is
	depth INTEGER                -- of its position
);
INSERT INTO tl_launched (launch, members, task_sum, compute, comm, copy, first,
	last)
SELECT m.launch, count(*), sum(e.dur_ns), sum(iif(e.class = 0, e.dur_ns, 0)),
	sum(iif(e.class = 1, e.dur_ns, 0)), sum(iif(e.class = 2, e.dur_ns, 0)),
	min(s.span), max(s.span)
FROM tl_member m JOIN tl_event e ON e.event = m.event
	LEFT JOIN tl_span s ON s.event = m.event
GROUP BY m.launch;
UPDATE tl_launched SET replay = (
	WITH RECURSIVE up (span) AS (
		SELECT first UNION ALL
		SELECT s.parent FROM up JOIN tl_span s ON s.span = up.span
		WHERE s.parent IS NOT NULL)
	SELECT s.span FROM up JOIN tl_span s ON s.span = up.span
		JOIN tl_position p ON p.position = s.node WHERE p.kind = 'replay'
	LIMIT 1);
UPDATE tl_launched SET depth = (SELECT n.depth FROM tl_span s
	JOIN tl_node n ON n.node = s.node WHERE s.span = replay);
CREATE INDEX tl_launched_first ON tl_launched (first);
