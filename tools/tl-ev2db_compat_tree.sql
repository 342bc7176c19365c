-- Relations of the tree: positions, their occurrences, what they contain.

CREATE VIEW traceloom_viz_node AS SELECT
	n.node_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	(SELECT tree_view FROM tl_const) AS view_name, n.local_node_id, n.path,
	n.node_type, n.kind, n.symbol, n.symbol AS label, n.category, n.depth,
	n.depth AS level, n.repeat_label, n.repeat_count, n.occurrence_count,
	n.anchor_count, n.anchors_per_occurrence, n.first_anchor_idx,
	n.last_anchor_idx, n.compute_us, n.comm_us, n.idle_us, n.total_us,
	n.avg_compute_us, n.avg_comm_us, n.avg_idle_us, n.avg_total_us,
	n.self_us, (SELECT r FROM tl_const) AS aux_events, (SELECT r FROM
	tl_const) AS aux_us, (SELECT t FROM tl_const) AS raw_json
FROM tl_node n;

CREATE VIEW traceloom_v_tree_node AS SELECT
	n.node_id, n.parent_node_id, (SELECT db_idx FROM tl_const) AS db_idx,
	n.device_id, (SELECT tree_view FROM tl_const) AS view_name,
	n.local_node_id, n.preorder + 1 AS display_order, n.path, n.depth AS
	tree_depth, n.depth, +n.loop_depth AS loop_depth, n.node_type, n.kind,
	n.symbol, n.symbol AS label, n.category, n.repeat_label,
	n.repeat_count, n.occurrence_count, n.anchor_count,
	n.anchors_per_occurrence, n.anchors_per_occurrence AS avg_anchor,
	n.first_anchor_idx, n.last_anchor_idx, n.compute_us, n.comm_us,
	n.idle_us, n.total_us, n.avg_compute_us, n.avg_comm_us, n.avg_idle_us,
	n.avg_total_us, n.compute_us + n.comm_us AS active_us, n.avg_compute_us
	+ n.avg_comm_us AS avg_active_us, n.self_us, (SELECT r FROM tl_const)
	AS aux_events, (SELECT r FROM tl_const) AS aux_us, NULL AS avg_aux_us,
	n.comm_us / nullif(n.total_us, 0) AS comm_pct, n.idle_us /
	nullif(n.total_us, 0) AS idle_pct
FROM tl_node n;

CREATE VIEW traceloom_viz_edge AS SELECT
	n.parent_node_id, n.node_id AS child_node_id, (SELECT db_idx FROM
	tl_const) AS db_idx, n.device_id, (SELECT tree_view FROM tl_const) AS
	view_name, n.slot AS edge_order, n.kind AS edge_kind, (SELECT t FROM
	tl_const) AS raw_json
FROM tl_node n WHERE n.parent IS NOT NULL;

CREATE VIEW traceloom_v_node_children AS SELECT
	n.parent_node_id, n.node_id AS child_node_id, n.slot AS edge_order,
	n.node_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	(SELECT tree_view FROM tl_const) AS view_name, n.local_node_id, n.path,
	n.node_type, n.kind, n.symbol, n.symbol AS label, n.category, n.depth,
	n.depth AS level, n.repeat_label, n.repeat_count, n.occurrence_count,
	n.anchor_count, n.anchors_per_occurrence, n.first_anchor_idx,
	n.last_anchor_idx, n.compute_us, n.comm_us, n.idle_us, n.total_us,
	n.avg_compute_us, n.avg_comm_us, n.avg_idle_us, n.avg_total_us,
	n.self_us, (SELECT r FROM tl_const) AS aux_events, (SELECT r FROM
	tl_const) AS aux_us, (SELECT t FROM tl_const) AS raw_json
FROM tl_node n WHERE n.parent IS NOT NULL;

CREATE VIEW traceloom_position_refinement AS SELECT
	n.parent_node_id AS parent_position_id, n.slot AS slot_ordinal,
	n.node_id AS child_position_id, (SELECT db_idx FROM tl_const) AS
	db_idx, n.device_id, n.tree_id, (SELECT position_view FROM tl_const) AS
	view_name
FROM tl_node n WHERE n.parent IS NOT NULL;

CREATE VIEW traceloom_v_position AS SELECT
	n.node_id AS position_id, n.tree_id, (SELECT db_idx FROM tl_const) AS
	db_idx, n.device_id, (SELECT position_view FROM tl_const) AS view_name,
	n.local_node_id, n.parent_node_id AS display_parent_position_id,
	n.preorder AS preorder_idx, n.slot AS sibling_order, n.path AS
	display_path, n.depth, n.depth AS display_depth, n.loop_depth,
	n.node_type, n.kind AS semantic_kind, n.symbol, n.symbol AS label,
	n.category, n.repeat_count, n.occurrence_count, n.anchor_count,
	n.start_ns, n.end_ns, n.compute_us, n.comm_us, n.idle_us, n.total_us,
	n.self_us, (SELECT r FROM tl_const) AS aux_us
FROM tl_node n;

CREATE VIEW traceloom_semantic_tree AS SELECT
	t.tree_id, (SELECT db_idx FROM tl_const) AS db_idx, t.device_id,
	(SELECT position_view FROM tl_const) AS view_name, (SELECT semantic
	FROM tl_const) AS tree_kind, (SELECT tree_view FROM tl_const) AS stem,
	t.root_node_id, (SELECT schema FROM tl_const) AS schema_version,
	(SELECT tree_view FROM tl_const) AS semantic_projection, (SELECT
	discovery FROM tl_const) AS macro_discovery, (SELECT t FROM tl_const)
	AS readable_macro_mode, (SELECT t FROM tl_const) AS
	auxiliary_attribution, (SELECT t FROM tl_const) AS raw_json
FROM tl_tree t;

CREATE VIEW traceloom_semantic_node AS SELECT
	n.node_id, n.tree_id, (SELECT db_idx FROM tl_const) AS db_idx,
	n.device_id, (SELECT position_view FROM tl_const) AS view_name, (SELECT
	semantic FROM tl_const) AS tree_kind, n.local_node_id,
	n.parent_node_id, (SELECT u.local_node_id FROM tl_node u WHERE u.node =
	n.parent) AS parent_local_node_id, n.preorder AS preorder_idx, n.slot
	AS sibling_order, n.path, n.depth, n.depth AS display_depth,
	n.loop_depth, n.node_type, n.kind AS semantic_kind, n.symbol, n.symbol
	AS label, n.category, n.repeat_count, n.occurrence_count,
	n.anchor_count, n.first_anchor_idx, n.last_anchor_idx, n.start_ns,
	n.end_ns, n.compute_us, n.comm_us, n.idle_us, n.total_us, (SELECT r
	FROM tl_const) AS avg_compute_us, (SELECT r FROM tl_const) AS
	avg_comm_us, (SELECT r FROM tl_const) AS avg_idle_us, (SELECT r FROM
	tl_const) AS avg_total_us, n.self_us, (SELECT r FROM tl_const) AS
	aux_event_count, (SELECT r FROM tl_const) AS aux_us, (SELECT r FROM
	tl_const) AS hidden_aux_event_count, (SELECT r FROM tl_const) AS
	hidden_aux_us, (SELECT t FROM tl_const) AS raw_json
FROM tl_node n;

CREATE VIEW traceloom_semantic_edge AS SELECT
	n.parent_node_id, n.node_id AS child_node_id, n.tree_id, (SELECT db_idx
	FROM tl_const) AS db_idx, n.device_id, (SELECT position_view FROM
	tl_const) AS view_name, (SELECT semantic FROM tl_const) AS tree_kind,
	n.slot AS edge_order, n.kind AS edge_kind, (SELECT t FROM tl_const) AS
	raw_json
FROM tl_node n WHERE n.parent IS NOT NULL;

CREATE VIEW traceloom_v_semantic_tree_readable AS SELECT
	n.tree_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	(SELECT position_view FROM tl_const) AS view_name, (SELECT semantic
	FROM tl_const) AS tree_kind, n.preorder AS preorder_idx,
	n.local_node_id, (SELECT u.local_node_id FROM tl_node u WHERE u.node =
	n.parent) AS parent_local_node_id, n.path, n.depth AS display_depth,
	printf('%*s%s %s x%d', 2 * n.depth, '', n.local_node_id, n.symbol,
	n.occurrence_count) AS line
FROM tl_node n;

CREATE VIEW traceloom_loop_node AS SELECT
	n.node_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	(SELECT tree_view FROM tl_const) AS view_name, (SELECT v FROM (SELECT
	(SELECT 1 + count(*) FROM tl_node x WHERE x.kind = 'repeat' AND x.scope
	= n.scope AND x.total_us > n.total_us) AS v UNION ALL SELECT i FROM
	tl_const WHERE 0)) AS loop_rank, n.repeat_label, n.repeat_count,
	n.occurrence_count, n.anchor_count, n.total_us, n.avg_total_us,
	n.compute_us, n.comm_us, n.idle_us, (SELECT v FROM (SELECT 100.0 *
	n.total_us / (SELECT x.total_us FROM tl_node x WHERE x.scope = n.scope
	AND x.parent IS NULL) AS v UNION ALL SELECT r FROM tl_const WHERE 0))
	AS loop_total_pct, (SELECT t FROM tl_const) AS raw_json
FROM tl_node n WHERE n.kind = 'repeat';

CREATE VIEW traceloom_tree_node_occurrence AS SELECT
	n.node_id, n.local_node_id, (SELECT db_idx FROM tl_const) AS db_idx,
	n.device_id, (SELECT tree_view FROM tl_const) AS view_name, s.idx AS
	occurrence_idx, (WITH RECURSIVE up (span, text) AS (SELECT s.span, ''
	UNION ALL SELECT u.span, iif(x.iteration IS NULL, '',
	printf('/N%03d#%d', u.number, x.iteration)) || up.text FROM up JOIN
	tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT substr(text, 2) FROM up ORDER BY length(text) DESC LIMIT 1) AS
	repeat_context, +s.first AS anchor_start_idx, +s.last AS
	anchor_end_idx, s.last - s.first + 1 AS anchor_count,
	coalesce(o.start_ns, e.start_ns) AS start_ns, coalesce(o.start_ns +
	o.span_ns, e.end_ns) AS end_ns, iif(s.event IS NULL, o.compute_ns /
	1000.0, e.compute_us) AS compute_us, iif(s.event IS NULL, o.comm_ns /
	1000.0, e.comm_us) AS comm_us, iif(s.event IS NULL, o.idle_ns / 1000.0,
	0.0) AS idle_us, iif(s.event IS NULL, o.span_ns / 1000.0, e.dur_us) AS
	total_us, iif(s.event IS NULL, 0.0, e.dur_us) AS self_us, NULL AS
	aux_events, NULL AS aux_us
FROM tl_node n JOIN tl_span s ON s.node = n.node LEFT JOIN tl_occurrence o ON
o.occurrence = s.occurrence LEFT JOIN tl_event e ON e.event = s.event;

CREATE VIEW traceloom_v_position_occurrence AS SELECT
	s.occurrence_id, n.node_id AS position_id, (SELECT occurrence_id FROM
	tl_span u WHERE u.span = s.parent) AS parent_occurrence_id, (SELECT
	db_idx FROM tl_const) AS db_idx, n.device_id, n.tree_id, (SELECT
	position_view FROM tl_const) AS view_name, s.idx AS occurrence_idx,
	s.iteration AS repeat_iteration, s.token_start AS token_start_ordinal,
	s.token_end AS token_end_exclusive, n.rooted_path AS
	rooted_position_path, (SELECT v FROM (SELECT (WITH RECURSIVE up (span,
	text) AS (SELECT s.span, '' UNION ALL SELECT u.span, '/s' || (SELECT
	slot FROM tl_node k WHERE k.node = x.node) || '/r' ||
	coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text FROM up
	JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span = up.span) ||
	text FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT
	t FROM tl_const WHERE 0)) AS occurrence_path, n.node_type, n.kind AS
	semantic_kind, n.symbol, n.symbol AS label, n.category
FROM tl_node n JOIN tl_span s ON s.node = n.node;

CREATE VIEW traceloom_position_occurrence AS SELECT
	occurrence_id, position_id, parent_occurrence_id, db_idx, device_id,
	tree_id, view_name, occurrence_idx, repeat_iteration,
	token_start_ordinal, token_end_exclusive, rooted_position_path,
	occurrence_path
FROM traceloom_v_position_occurrence;

CREATE VIEW traceloom_v_position_member AS SELECT
	p.node_id AS parent_position_id, u.occurrence_id AS
	parent_occurrence_id, (SELECT v FROM (SELECT iif(w.terminal, 0, (SELECT
	slot FROM tl_node c WHERE c.node = s.node)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS slot_ordinal, (SELECT v FROM (SELECT
	iif(w.terminal, 1, coalesce(s.iteration, 1)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS member_order, w.member_kind, (SELECT node_id
	FROM tl_node c WHERE c.node = s.node AND w.terminal = 0) AS
	child_position_id, (SELECT occurrence_id FROM tl_span c WHERE c.span =
	s.span AND w.terminal = 0) AS child_occurrence_id, (SELECT token_start
	FROM tl_span c WHERE c.span = s.span AND w.terminal = 1) AS
	terminal_token_ordinal, (SELECT anchor_id FROM tl_span c WHERE c.span =
	s.span AND w.terminal = 1) AS terminal_anchor_id, (SELECT db_idx FROM
	tl_const) AS db_idx, p.device_id, p.tree_id, (SELECT position_view FROM
	tl_const) AS view_name, (SELECT v FROM (SELECT (WITH RECURSIVE up
	(span, text) AS (SELECT s.span, '' UNION ALL SELECT u.span, '/s' ||
	(SELECT slot FROM tl_node k WHERE k.node = x.node) || '/r' ||
	coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text FROM up
	JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span = up.span) ||
	text FROM up ORDER BY length(text) DESC LIMIT 1) || iif(w.terminal,
	'/terminal/r1/token-' || (s.span - 1), '') AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS member_path, (SELECT event_id FROM tl_event e
	WHERE e.event = s.event AND w.terminal = 1) AS event_id, (SELECT
	y.symbol FROM tl_node y WHERE y.node = s.node AND w.terminal = 1) AS
	terminal_symbol, (SELECT (SELECT role FROM tl_role q WHERE q.kind =
	e.kind AND q.class = e.class) FROM tl_event e WHERE e.event = s.event
	AND w.terminal = 1) AS terminal_role, (SELECT t FROM tl_const) AS
	terminal_semantic_role, (SELECT (SELECT stream_id FROM tl_lane l WHERE
	l.lane = e.lane) FROM tl_event e WHERE e.event = s.event AND w.terminal
	= 1) AS stream_id, (SELECT start_ns FROM tl_event e WHERE e.event =
	s.event AND w.terminal = 1) AS start_ns, (SELECT end_ns FROM tl_event e
	WHERE e.event = s.event AND w.terminal = 1) AS end_ns, (SELECT dur_us
	FROM tl_event e WHERE e.event = s.event AND w.terminal = 1) AS dur_us
FROM tl_span u JOIN tl_node p ON p.node = u.node CROSS JOIN tl_member_kind w
JOIN tl_span s ON (s.parent = u.span AND w.terminal = 0) OR (s.span = u.span
AND w.terminal = 1 AND u.event IS NOT NULL);

CREATE VIEW traceloom_position_member AS SELECT
	p.node_id AS parent_position_id, u.occurrence_id AS
	parent_occurrence_id, (SELECT v FROM (SELECT iif(w.terminal, 0, (SELECT
	slot FROM tl_node c WHERE c.node = s.node)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS slot_ordinal, (SELECT v FROM (SELECT
	iif(w.terminal, 1, coalesce(s.iteration, 1)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS member_order, w.member_kind, (SELECT node_id
	FROM tl_node c WHERE c.node = s.node AND w.terminal = 0) AS
	child_position_id, (SELECT occurrence_id FROM tl_span c WHERE c.span =
	s.span AND w.terminal = 0) AS child_occurrence_id, (SELECT token_start
	FROM tl_span c WHERE c.span = s.span AND w.terminal = 1) AS
	terminal_token_ordinal, (SELECT anchor_id FROM tl_span c WHERE c.span =
	s.span AND w.terminal = 1) AS terminal_anchor_id, (SELECT db_idx FROM
	tl_const) AS db_idx, p.device_id, p.tree_id, (SELECT position_view FROM
	tl_const) AS view_name, (SELECT v FROM (SELECT (WITH RECURSIVE up
	(span, text) AS (SELECT s.span, '' UNION ALL SELECT u.span, '/s' ||
	(SELECT slot FROM tl_node k WHERE k.node = x.node) || '/r' ||
	coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text FROM up
	JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span = up.span) ||
	text FROM up ORDER BY length(text) DESC LIMIT 1) || iif(w.terminal,
	'/terminal/r1/token-' || (s.span - 1), '') AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS member_path
FROM tl_span u JOIN tl_node p ON p.node = u.node CROSS JOIN tl_member_kind w
JOIN tl_span s ON (s.parent = u.span AND w.terminal = 0) OR (s.span = u.span
AND w.terminal = 1 AND u.event IS NOT NULL);

CREATE VIEW traceloom_viz_node_anchor AS SELECT
	n.node_id, a.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx,
	n.device_id, (SELECT tree_view FROM tl_const) AS view_name, s.idx AS
	occurrence_idx, (SELECT v FROM (SELECT a.span - s.first + 1 AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS anchor_order, s.coverage AS
	coverage_kind, (SELECT v FROM (SELECT (WITH RECURSIVE up (span, text)
	AS (SELECT s.span, '' UNION ALL SELECT u.span, iif(x.iteration IS NULL,
	'', printf('/N%03d#%d', u.number, x.iteration)) || up.text FROM up JOIN
	tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT substr(text, 2) FROM up ORDER BY length(text) DESC LIMIT 1) AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS repeat_context,
	e.compute_us, e.comm_us, (SELECT zero_us FROM tl_const) AS idle_us,
	e.dur_us AS total_us, e.dur_us AS self_us, (SELECT r FROM tl_const) AS
	aux_events, (SELECT r FROM tl_const) AS aux_us
FROM tl_node n JOIN tl_span s ON s.node = n.node CROSS JOIN tl_span a ON a.span
BETWEEN s.first AND s.last LEFT JOIN tl_event e ON e.event = a.event;

CREATE VIEW traceloom_tree_node_anchor AS SELECT
	n.node_id, n.local_node_id, a.anchor_id, (SELECT db_idx FROM tl_const)
	AS db_idx, n.device_id, (SELECT tree_view FROM tl_const) AS view_name,
	s.idx AS occurrence_idx, (SELECT v FROM (SELECT a.span - s.first + 1 AS
	v UNION ALL SELECT i FROM tl_const WHERE 0)) AS anchor_order,
	s.coverage AS coverage_kind, (SELECT v FROM (SELECT (WITH RECURSIVE up
	(span, text) AS (SELECT s.span, '' UNION ALL SELECT u.span,
	iif(x.iteration IS NULL, '', printf('/N%03d#%d', u.number,
	x.iteration)) || up.text FROM up JOIN tl_span x ON x.span = up.span
	JOIN tl_span u ON u.span = x.parent) SELECT substr(text, 2) FROM up
	ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS repeat_context, e.compute_us, e.comm_us, (SELECT
	zero_us FROM tl_const) AS idle_us, e.dur_us AS total_us, e.dur_us AS
	self_us, (SELECT r FROM tl_const) AS aux_events, (SELECT r FROM
	tl_const) AS aux_us
FROM tl_node n JOIN tl_span s ON s.node = n.node CROSS JOIN tl_span a ON a.span
BETWEEN s.first AND s.last LEFT JOIN tl_event e ON e.event = a.event;

CREATE VIEW traceloom_anchor_primary_node AS SELECT
	a.anchor_id, n.node_id, (SELECT db_idx FROM tl_const) AS db_idx,
	n.device_id, (SELECT tree_view FROM tl_const) AS view_name, (SELECT
	primary_role FROM tl_const) AS reason
FROM tl_span a JOIN tl_node n ON n.node = a.node WHERE a.event IS NOT NULL;

CREATE VIEW traceloom_execution_tree_edge AS SELECT
	(SELECT v FROM (SELECT 'edge:' || u.occurrence_id || ':' || s.span AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS edge_id, n.edge_role_id,
	(SELECT v FROM (SELECT s.first - u.first + 1 AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS edge_order, s.idx AS edge_ordinal_in_role,
	p.node_id AS parent_position_id, p.rooted_path AS parent_tree_path,
	u.occurrence_id AS parent_occurrence_id, u.idx AS
	parent_occurrence_idx, u.iteration AS parent_repeat_iteration, (SELECT
	v FROM (SELECT (WITH RECURSIVE up (span, text) AS (SELECT u.span, ''
	UNION ALL SELECT u.span, '/s' || (SELECT slot FROM tl_node k WHERE
	k.node = x.node) || '/r' || coalesce(x.iteration, 1) || '/' ||
	x.occurrence_id || up.text FROM up JOIN tl_span x ON x.span = up.span
	JOIN tl_span u ON u.span = x.parent) SELECT (SELECT occurrence_id FROM
	tl_span t WHERE t.span = up.span) || text FROM up ORDER BY length(text)
	DESC LIMIT 1) AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	parent_occurrence_path, n.node_id AS child_position_id, s.occurrence_id
	AS child_occurrence_id, s.idx AS child_occurrence_idx, s.iteration AS
	child_repeat_iteration, s.token_start AS child_token_start_ordinal,
	s.token_end AS child_token_end_exclusive, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT s.span, '' UNION ALL SELECT
	u.span, '/s' || (SELECT slot FROM tl_node k WHERE k.node = x.node) ||
	'/r' || coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text
	FROM up JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span =
	x.parent) SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span =
	up.span) || text FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS child_occurrence_path, (SELECT
	db_idx FROM tl_const) AS db_idx, n.device_id, n.tree_id, (SELECT
	position_view FROM tl_const) AS view_name
FROM tl_span s JOIN tl_node n ON n.node = s.node JOIN tl_span u ON u.span =
s.parent JOIN tl_node p ON p.node = u.node;

CREATE VIEW traceloom_execution_tree_edge_role AS SELECT
	n.edge_role_id, p.node_id AS parent_position_id, p.rooted_path AS
	parent_tree_path, n.node_id AS child_position_id, p.occurrence_count AS
	parent_occurrence_count, n.occurrence_count AS concrete_edge_count,
	(SELECT v FROM (SELECT (SELECT min(c) FROM (SELECT count(x.span) AS c
	FROM tl_span y LEFT JOIN tl_span x ON x.parent = y.span AND x.node =
	n.node WHERE y.node = p.node GROUP BY y.span)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS edges_per_parent_min, (SELECT v FROM (SELECT
	(SELECT max(c) FROM (SELECT count(x.span) AS c FROM tl_span y LEFT JOIN
	tl_span x ON x.parent = y.span AND x.node = n.node WHERE y.node =
	p.node GROUP BY y.span)) AS v UNION ALL SELECT i FROM tl_const WHERE
	0)) AS edges_per_parent_max, (SELECT t FROM tl_const) AS
	population_support, n.slot AS first_edge_order, (SELECT db_idx FROM
	tl_const) AS db_idx, n.device_id, n.tree_id, (SELECT position_view FROM
	tl_const) AS view_name
FROM tl_node n JOIN tl_node p ON p.node = n.parent;

CREATE VIEW traceloom_v_tree_edge AS SELECT
	(SELECT v FROM (SELECT 'edge:' || u.occurrence_id || ':' || s.span AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS edge_id, n.edge_role_id,
	(SELECT v FROM (SELECT s.first - u.first + 1 AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS edge_order, s.idx AS edge_ordinal_in_role,
	(SELECT db_idx FROM tl_const) AS db_idx, n.device_id, n.tree_id,
	(SELECT position_view FROM tl_const) AS view_name, (SELECT tree_view
	FROM tl_const) AS cost_view_name, p.node_id AS parent_position_id,
	p.rooted_path AS parent_tree_path, u.occurrence_id AS
	parent_occurrence_id, u.idx AS parent_occurrence_idx, u.iteration AS
	parent_repeat_iteration, (SELECT v FROM (SELECT (WITH RECURSIVE up
	(span, text) AS (SELECT u.span, '' UNION ALL SELECT u.span, '/s' ||
	(SELECT slot FROM tl_node k WHERE k.node = x.node) || '/r' ||
	coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text FROM up
	JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span = up.span) ||
	text FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT
	t FROM tl_const WHERE 0)) AS parent_occurrence_path, p.symbol AS
	parent_label, n.node_id AS child_position_id, s.occurrence_id AS
	child_occurrence_id, s.idx AS child_occurrence_idx, s.iteration AS
	child_repeat_iteration, s.token_start AS child_token_start_ordinal,
	s.token_end AS child_token_end_exclusive, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT s.span, '' UNION ALL SELECT
	u.span, '/s' || (SELECT slot FROM tl_node k WHERE k.node = x.node) ||
	'/r' || coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text
	FROM up JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span =
	x.parent) SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span =
	up.span) || text FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS child_occurrence_path,
	n.node_type AS edge_node_type, n.kind AS edge_semantic_kind, n.symbol
	AS edge_symbol, n.symbol AS edge_label, n.category AS edge_category
FROM tl_span s JOIN tl_node n ON n.node = s.node JOIN tl_span u ON u.span =
s.parent JOIN tl_node p ON p.node = u.node;

CREATE VIEW traceloom_v_tree_edge_cost AS SELECT
	(SELECT v FROM (SELECT 'edge:' || u.occurrence_id || ':' || s.span AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS edge_id, n.edge_role_id,
	(SELECT v FROM (SELECT s.first - u.first + 1 AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS edge_order, s.idx AS edge_ordinal_in_role,
	(SELECT db_idx FROM tl_const) AS db_idx, n.device_id, n.tree_id,
	(SELECT position_view FROM tl_const) AS view_name, (SELECT tree_view
	FROM tl_const) AS cost_view_name, p.node_id AS parent_position_id,
	p.rooted_path AS parent_tree_path, u.occurrence_id AS
	parent_occurrence_id, u.idx AS parent_occurrence_idx, u.iteration AS
	parent_repeat_iteration, (SELECT v FROM (SELECT (WITH RECURSIVE up
	(span, text) AS (SELECT u.span, '' UNION ALL SELECT u.span, '/s' ||
	(SELECT slot FROM tl_node k WHERE k.node = x.node) || '/r' ||
	coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text FROM up
	JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span = x.parent)
	SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span = up.span) ||
	text FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT
	t FROM tl_const WHERE 0)) AS parent_occurrence_path, p.symbol AS
	parent_label, n.node_id AS child_position_id, s.occurrence_id AS
	child_occurrence_id, s.idx AS child_occurrence_idx, s.iteration AS
	child_repeat_iteration, s.token_start AS child_token_start_ordinal,
	s.token_end AS child_token_end_exclusive, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT s.span, '' UNION ALL SELECT
	u.span, '/s' || (SELECT slot FROM tl_node k WHERE k.node = x.node) ||
	'/r' || coalesce(x.iteration, 1) || '/' || x.occurrence_id || up.text
	FROM up JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span =
	x.parent) SELECT (SELECT occurrence_id FROM tl_span t WHERE t.span =
	up.span) || text FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS child_occurrence_path,
	n.node_type AS edge_node_type, n.kind AS edge_semantic_kind, n.symbol
	AS edge_symbol, n.symbol AS edge_label, n.category AS edge_category,
	'supported' AS child_cost_support, iif(s.event IS NULL, o.compute_ns /
	1000.0, e.compute_us) AS child_compute_us, iif(s.event IS NULL,
	o.comm_ns / 1000.0, e.comm_us) AS child_comm_us, iif(s.event IS NULL,
	o.idle_ns / 1000.0, 0.0) AS child_uncovered_us, iif(s.event IS NULL,
	o.span_ns / 1000.0, e.dur_us) AS child_total_us, iif(s.event IS NULL,
	0.0, e.dur_us) AS child_self_us, NULL AS child_aux_us
FROM tl_span s JOIN tl_node n ON n.node = s.node JOIN tl_span u ON u.span =
s.parent JOIN tl_node p ON p.node = u.node LEFT JOIN tl_occurrence o ON
o.occurrence = s.occurrence LEFT JOIN tl_event e ON e.event = s.event;

CREATE VIEW traceloom_v_tree_edge_role AS SELECT
	n.edge_role_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	n.tree_id, (SELECT position_view FROM tl_const) AS view_name, p.node_id
	AS parent_position_id, p.rooted_path AS parent_tree_path, p.symbol AS
	parent_label, n.node_id AS child_position_id, n.node_type AS
	edge_node_type, n.kind AS edge_semantic_kind, n.symbol AS edge_symbol,
	n.symbol AS edge_label, n.category AS edge_category, p.occurrence_count
	AS parent_occurrence_count, n.occurrence_count AS concrete_edge_count,
	(SELECT v FROM (SELECT (SELECT min(c) FROM (SELECT count(x.span) AS c
	FROM tl_span y LEFT JOIN tl_span x ON x.parent = y.span AND x.node =
	n.node WHERE y.node = p.node GROUP BY y.span)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS edges_per_parent_min, (SELECT v FROM (SELECT
	(SELECT max(c) FROM (SELECT count(x.span) AS c FROM tl_span y LEFT JOIN
	tl_span x ON x.parent = y.span AND x.node = n.node WHERE y.node =
	p.node GROUP BY y.span)) AS v UNION ALL SELECT i FROM tl_const WHERE
	0)) AS edges_per_parent_max, (SELECT t FROM tl_const) AS
	population_support, n.slot AS first_edge_order
FROM tl_node n JOIN tl_node p ON p.node = n.parent;
