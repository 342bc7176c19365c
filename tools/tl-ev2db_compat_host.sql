-- Relations of the host beside the device: calls between events of the
-- structure that follow each other, idle time before them.

CREATE VIEW traceloom_anchor_host_interval AS SELECT
	a.interval_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	a.anchor_id AS left_anchor_id, b.anchor_id AS right_anchor_id,
	lc.runtime_call_id AS left_runtime_call_id, rc.runtime_call_id AS
	right_runtime_call_id, (SELECT v FROM (SELECT (lc.event IS NOT NULL) AS
	v UNION ALL SELECT i FROM tl_const WHERE 0)) AS left_endpoint_count,
	(SELECT v FROM (SELECT (rc.event IS NOT NULL) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS right_endpoint_count, (SELECT provider FROM
	tl_const) AS provider, (SELECT clock FROM tl_const) AS clock_domain,
	lc.end_ns AS host_start_ns, rc.start_ns AS host_end_ns, (SELECT v FROM
	(SELECT CASE WHEN lc.lane = rc.lane THEN 'same_thread' WHEN (SELECT
	process FROM tl_lane l WHERE l.lane = lc.lane) IS (SELECT process FROM
	tl_lane l WHERE l.lane = rc.lane) THEN 'same_process' ELSE
	'provider_clock_domain' END AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS scope_policy, (SELECT process_id FROM tl_process p WHERE
	p.process = (SELECT process FROM tl_lane l WHERE l.lane = lc.lane)) AS
	process_id, (SELECT thread_id FROM tl_lane l WHERE l.lane = lc.lane) AS
	thread_id, (SELECT v FROM (SELECT CASE WHEN lc.event IS NULL OR
	rc.event IS NULL THEN 'missing_endpoint' WHEN lc.end_ns > rc.start_ns
	THEN 'nonmonotonic_host_order' ELSE 'supported_ordered' END AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS support_state
FROM tl_span a JOIN tl_span b ON b.span = a.span + 1 AND b.event IS NOT NULL
JOIN tl_node n ON n.node = a.node JOIN tl_node t ON t.node = b.node AND t.scope
= n.scope LEFT JOIN tl_event lc ON lc.event = a.call LEFT JOIN tl_event rc ON
rc.event = b.call WHERE a.event IS NOT NULL;

CREATE VIEW traceloom_v_anchor_host_interval AS SELECT
	interval_id, db_idx, device_id, left_anchor_id, right_anchor_id,
	left_runtime_call_id, right_runtime_call_id, left_endpoint_count,
	right_endpoint_count, provider, clock_domain, host_start_ns,
	host_end_ns, scope_policy, process_id, thread_id, support_state
FROM traceloom_anchor_host_interval;

CREATE VIEW traceloom_v_node_host_interval AS SELECT
	m.node_id, m.local_node_id, (SELECT tree_view FROM tl_const) AS
	view_name, o.idx AS occurrence_idx, (SELECT v FROM (SELECT a.span -
	o.first + 1 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	anchor_order, o.coverage AS coverage_kind, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT o.span, '' UNION ALL SELECT
	u.span, iif(x.iteration IS NULL, '', printf('/N%03d#%d', u.number,
	x.iteration)) || up.text FROM up JOIN tl_span x ON x.span = up.span
	JOIN tl_span u ON u.span = x.parent) SELECT substr(text, 2) FROM up
	ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS repeat_context, a.anchor_idx, b.anchor_idx AS
	right_anchor_idx, t.symbol AS right_anchor_symbol, (SELECT role FROM
	tl_role q JOIN tl_event e ON e.kind = q.kind AND e.class = q.class
	WHERE e.event = b.event) AS right_anchor_role, (rc.start_ns -
	lc.end_ns) / 1000.0 AS host_interval_us, 'after_anchor_interval' AS
	placement_semantics, a.interval_id, (SELECT db_idx FROM tl_const) AS
	db_idx, n.device_id, a.anchor_id AS left_anchor_id, b.anchor_id AS
	right_anchor_id, lc.runtime_call_id AS left_runtime_call_id,
	rc.runtime_call_id AS right_runtime_call_id, (SELECT v FROM (SELECT
	(lc.event IS NOT NULL) AS v UNION ALL SELECT i FROM tl_const WHERE 0))
	AS left_endpoint_count, (SELECT v FROM (SELECT (rc.event IS NOT NULL)
	AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	right_endpoint_count, (SELECT provider FROM tl_const) AS provider,
	(SELECT clock FROM tl_const) AS clock_domain, lc.end_ns AS
	host_start_ns, rc.start_ns AS host_end_ns, (SELECT v FROM (SELECT CASE
	WHEN lc.lane = rc.lane THEN 'same_thread' WHEN (SELECT process FROM
	tl_lane l WHERE l.lane = lc.lane) IS (SELECT process FROM tl_lane l
	WHERE l.lane = rc.lane) THEN 'same_process' ELSE
	'provider_clock_domain' END AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS scope_policy, (SELECT process_id FROM tl_process p WHERE
	p.process = (SELECT process FROM tl_lane l WHERE l.lane = lc.lane)) AS
	process_id, (SELECT thread_id FROM tl_lane l WHERE l.lane = lc.lane) AS
	thread_id, (SELECT v FROM (SELECT CASE WHEN lc.event IS NULL OR
	rc.event IS NULL THEN 'missing_endpoint' WHEN lc.end_ns > rc.start_ns
	THEN 'nonmonotonic_host_order' ELSE 'supported_ordered' END AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS support_state
FROM tl_node m JOIN tl_span o ON o.node = m.node CROSS JOIN tl_span a ON a.span
BETWEEN o.first AND o.last CROSS JOIN tl_span b ON b.span = a.span + 1 AND
b.event IS NOT NULL CROSS JOIN tl_node n ON n.node = a.node CROSS JOIN tl_node
t ON t.node = b.node AND t.scope = n.scope LEFT JOIN tl_event lc ON lc.event =
a.call LEFT JOIN tl_event rc ON rc.event = b.call;

CREATE VIEW traceloom_v_anchor_host_activity AS SELECT
	a.interval_id, (SELECT db_idx FROM tl_const) AS db_idx, n.device_id,
	a.anchor_id AS left_anchor_id, b.anchor_id AS right_anchor_id,
	lc.runtime_call_id AS left_runtime_call_id, rc.runtime_call_id AS
	right_runtime_call_id, (SELECT v FROM (SELECT (lc.event IS NOT NULL) AS
	v UNION ALL SELECT i FROM tl_const WHERE 0)) AS left_endpoint_count,
	(SELECT v FROM (SELECT (rc.event IS NOT NULL) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS right_endpoint_count, (SELECT provider FROM
	tl_const) AS provider, (SELECT clock FROM tl_const) AS clock_domain,
	lc.end_ns AS host_start_ns, rc.start_ns AS host_end_ns, (SELECT v FROM
	(SELECT CASE WHEN lc.lane = rc.lane THEN 'same_thread' WHEN (SELECT
	process FROM tl_lane l WHERE l.lane = lc.lane) IS (SELECT process FROM
	tl_lane l WHERE l.lane = rc.lane) THEN 'same_process' ELSE
	'provider_clock_domain' END AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS scope_policy, (SELECT process_id FROM tl_process p WHERE
	p.process = (SELECT process FROM tl_lane l WHERE l.lane = lc.lane)) AS
	process_id, (SELECT thread_id FROM tl_lane l WHERE l.lane = lc.lane) AS
	thread_id, (SELECT v FROM (SELECT CASE WHEN lc.event IS NULL OR
	rc.event IS NULL THEN 'missing_endpoint' WHEN lc.end_ns > rc.start_ns
	THEN 'nonmonotonic_host_order' ELSE 'supported_ordered' END AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS support_state,
	c.runtime_call_id AS observed_runtime_call_id, (SELECT symbol FROM
	tl_name n WHERE n.name = c.name) AS api_name, (SELECT task_type FROM
	tl_role q WHERE q.kind = c.kind AND q.class = c.class) AS api_type,
	c.start_ns AS observed_start_ns, c.end_ns AS observed_end_ns, c.dur_us
	AS observed_dur_us, (min(c.end_ns, rc.start_ns) - c.start_ns) / 1000.0
	AS observed_overlap_us, iif(c.end_ns <= rc.start_ns, 'contained',
	'boundary_overlap') AS interval_relation, (SELECT process_id FROM
	tl_process p WHERE p.process = (SELECT process FROM tl_lane l WHERE
	l.lane = c.lane)) AS observed_process_id, (SELECT thread_id FROM
	tl_lane l WHERE l.lane = c.lane) AS observed_thread_id, (SELECT
	source_table FROM tl_tag g WHERE g.tag = c.tag) AS
	observed_source_table, c.source_key AS observed_source_key, c.event -
	lc.event AS observed_order
FROM tl_span a CROSS JOIN tl_span b ON b.span = a.span + 1 AND b.event IS NOT
NULL CROSS JOIN tl_node n ON n.node = a.node CROSS JOIN tl_node t ON t.node =
b.node AND t.scope = n.scope CROSS JOIN tl_event lc ON lc.event = a.call CROSS
JOIN tl_event rc ON rc.event = b.call CROSS JOIN tl_event c ON c.event > a.call
AND c.event < b.call AND +c.kind = 6 AND c.start_ns >= lc.end_ns AND (c.lane =
lc.lane OR lc.lane <> rc.lane) AND lc.end_ns <= rc.start_ns;

CREATE VIEW traceloom_v_node_host_activity AS SELECT
	m.node_id, m.local_node_id, (SELECT tree_view FROM tl_const) AS
	view_name, o.idx AS occurrence_idx, (SELECT v FROM (SELECT a.span -
	o.first + 1 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	anchor_order, o.coverage AS coverage_kind, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT o.span, '' UNION ALL SELECT
	u.span, iif(x.iteration IS NULL, '', printf('/N%03d#%d', u.number,
	x.iteration)) || up.text FROM up JOIN tl_span x ON x.span = up.span
	JOIN tl_span u ON u.span = x.parent) SELECT substr(text, 2) FROM up
	ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS repeat_context, a.anchor_idx, b.anchor_idx AS
	right_anchor_idx, t.symbol AS right_anchor_symbol, (SELECT role FROM
	tl_role q JOIN tl_event e ON e.kind = q.kind AND e.class = q.class
	WHERE e.event = b.event) AS right_anchor_role, (rc.start_ns -
	lc.end_ns) / 1000.0 AS host_interval_us, 'after_anchor_interval' AS
	placement_semantics, a.interval_id, (SELECT db_idx FROM tl_const) AS
	db_idx, n.device_id, a.anchor_id AS left_anchor_id, b.anchor_id AS
	right_anchor_id, lc.runtime_call_id AS left_runtime_call_id,
	rc.runtime_call_id AS right_runtime_call_id, (SELECT v FROM (SELECT
	(lc.event IS NOT NULL) AS v UNION ALL SELECT i FROM tl_const WHERE 0))
	AS left_endpoint_count, (SELECT v FROM (SELECT (rc.event IS NOT NULL)
	AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	right_endpoint_count, (SELECT provider FROM tl_const) AS provider,
	(SELECT clock FROM tl_const) AS clock_domain, lc.end_ns AS
	host_start_ns, rc.start_ns AS host_end_ns, (SELECT v FROM (SELECT CASE
	WHEN lc.lane = rc.lane THEN 'same_thread' WHEN (SELECT process FROM
	tl_lane l WHERE l.lane = lc.lane) IS (SELECT process FROM tl_lane l
	WHERE l.lane = rc.lane) THEN 'same_process' ELSE
	'provider_clock_domain' END AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS scope_policy, (SELECT process_id FROM tl_process p WHERE
	p.process = (SELECT process FROM tl_lane l WHERE l.lane = lc.lane)) AS
	process_id, (SELECT thread_id FROM tl_lane l WHERE l.lane = lc.lane) AS
	thread_id, (SELECT v FROM (SELECT CASE WHEN lc.event IS NULL OR
	rc.event IS NULL THEN 'missing_endpoint' WHEN lc.end_ns > rc.start_ns
	THEN 'nonmonotonic_host_order' ELSE 'supported_ordered' END AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS support_state,
	c.runtime_call_id AS observed_runtime_call_id, (SELECT symbol FROM
	tl_name n WHERE n.name = c.name) AS api_name, (SELECT task_type FROM
	tl_role q WHERE q.kind = c.kind AND q.class = c.class) AS api_type,
	c.start_ns AS observed_start_ns, c.end_ns AS observed_end_ns, c.dur_us
	AS observed_dur_us, (min(c.end_ns, rc.start_ns) - c.start_ns) / 1000.0
	AS observed_overlap_us, iif(c.end_ns <= rc.start_ns, 'contained',
	'boundary_overlap') AS interval_relation, (SELECT process_id FROM
	tl_process p WHERE p.process = (SELECT process FROM tl_lane l WHERE
	l.lane = c.lane)) AS observed_process_id, (SELECT thread_id FROM
	tl_lane l WHERE l.lane = c.lane) AS observed_thread_id, (SELECT
	source_table FROM tl_tag g WHERE g.tag = c.tag) AS
	observed_source_table, c.source_key AS observed_source_key, c.event -
	lc.event AS observed_order
FROM tl_node m JOIN tl_span o ON o.node = m.node CROSS JOIN tl_span a ON a.span
BETWEEN o.first AND o.last CROSS JOIN tl_span b ON b.span = a.span + 1 AND
b.event IS NOT NULL CROSS JOIN tl_node n ON n.node = a.node CROSS JOIN tl_node
t ON t.node = b.node AND t.scope = n.scope CROSS JOIN tl_event lc ON lc.event =
a.call CROSS JOIN tl_event rc ON rc.event = b.call CROSS JOIN tl_event c ON
c.event > a.call AND c.event < b.call AND +c.kind = 6 AND c.start_ns >=
lc.end_ns AND (c.lane = lc.lane OR lc.lane <> rc.lane) AND lc.end_ns <=
rc.start_ns;

-- Time in which nothing ran on a device, up to an event of the structure.
CREATE VIEW tl_bubble AS
WITH run AS (
	SELECT l.scope, e.event, s.span, e.start_ns,
		max(e.end_ns) OVER (PARTITION BY l.scope ORDER BY e.event
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
		count(s.span) OVER (PARTITION BY l.scope ORDER BY e.event
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS turn
	FROM tl_event e JOIN tl_lane l ON l.lane = e.lane
		LEFT JOIN tl_span s ON s.event = e.event
	WHERE e.kind IN (0, 1, 2, 4, 5) AND l.scope IS NOT NULL AND
		(e.keys IS NULL OR
		(SELECT detail FROM tl_keys k WHERE k.keys = e.keys) IS NULL))
SELECT max(span) AS span, scope, sum(max(0, start_ns - before)) AS gap_ns
FROM run GROUP BY scope, turn
HAVING max(span) IS NOT NULL AND sum(max(0, start_ns - before)) > 0;

CREATE VIEW traceloom_v_structure_bubble_occurrence AS SELECT
	+b.bubble_id AS bubble_id, (SELECT db_idx FROM tl_const) AS db_idx,
	n.device_id, (SELECT tree_view FROM tl_const) AS view_name, n.node_id
	AS right_node_id, n.local_node_id AS right_local_node_id, n.path AS
	right_node_path, n.kind AS right_node_kind, n.symbol AS
	right_node_symbol, b.idx AS right_occurrence_idx, (SELECT v FROM
	(SELECT (WITH RECURSIVE up (span, text) AS (SELECT b.span, '' UNION ALL
	SELECT u.span, iif(x.iteration IS NULL, '', printf('/N%03d#%d',
	u.number, x.iteration)) || up.text FROM up JOIN tl_span x ON x.span =
	up.span JOIN tl_span u ON u.span = x.parent) SELECT substr(text, 2)
	FROM up ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS repeat_context, n.node_id AS
	structural_position_id, a.anchor_id AS left_anchor_id, a.anchor_idx AS
	left_anchor_idx, (SELECT symbol FROM tl_node x WHERE x.node = a.node)
	AS left_anchor_symbol, (SELECT role FROM tl_role q WHERE q.kind =
	p.kind AND q.class = p.class) AS left_anchor_role, p.start_ns AS
	left_anchor_start_ns, p.end_ns AS left_anchor_end_ns, b.anchor_id AS
	right_anchor_id, b.anchor_idx AS right_anchor_idx, n.symbol AS
	right_anchor_symbol, (SELECT role FROM tl_role q WHERE q.kind = e.kind
	AND q.class = e.class) AS right_anchor_role, e.start_ns AS
	right_anchor_start_ns, e.end_ns AS right_anchor_end_ns, (e.start_ns -
	p.end_ns) / 1000.0 AS adjacent_anchor_gap_us, g.gap_ns / 1000.0 AS
	bubble_us, +e.compute_us AS transition_compute_us, +e.comm_us AS
	transition_comm_us, (g.gap_ns + e.dur_ns) / 1000.0 AS
	transition_total_us, (SELECT r FROM tl_const) AS transition_aux_events,
	NULL AS transition_aux_us, g.gap_ns * 1.0 / (g.gap_ns + e.dur_ns) AS
	bubble_fraction_of_transition, a.interval_id AS host_interval_id,
	(SELECT provider FROM tl_const) AS provider, (SELECT clock FROM
	tl_const) AS host_clock_domain, (SELECT v FROM (SELECT CASE WHEN
	lc.lane = rc.lane THEN 'same_thread' WHEN (SELECT process FROM tl_lane
	l WHERE l.lane = lc.lane) IS (SELECT process FROM tl_lane l WHERE
	l.lane = rc.lane) THEN 'same_process' ELSE 'provider_clock_domain' END
	AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS scope_policy,
	(SELECT process_id FROM tl_process p WHERE p.process = (SELECT process
	FROM tl_lane l WHERE l.lane = lc.lane)) AS process_id, (SELECT
	thread_id FROM tl_lane l WHERE l.lane = lc.lane) AS thread_id, (SELECT
	v FROM (SELECT CASE WHEN lc.event IS NULL OR rc.event IS NULL THEN
	'missing_endpoint' WHEN lc.end_ns > rc.start_ns THEN
	'nonmonotonic_host_order' ELSE 'supported_ordered' END AS v UNION ALL
	SELECT t FROM tl_const WHERE 0)) AS host_observation_status, lc.end_ns
	AS host_start_ns, rc.start_ns AS host_end_ns, (rc.start_ns - lc.end_ns)
	/ 1000.0 AS host_interval_us,
	'upstream_between_correlated_anchor_endpoints' AS
	api_association_semantics
FROM tl_bubble g JOIN tl_span b ON b.span = g.span JOIN tl_node n ON n.node =
b.node JOIN tl_event e ON e.event = b.event LEFT JOIN tl_span a ON a.span =
b.span - 1 AND (SELECT scope FROM tl_node x WHERE x.node = a.node) = g.scope
LEFT JOIN tl_event p ON p.event = a.event LEFT JOIN tl_event lc ON lc.event =
a.call LEFT JOIN tl_event rc ON rc.event = b.call;

CREATE VIEW traceloom_structure_bubble_occurrence AS SELECT
	+bubble_id AS bubble_id, db_idx, device_id, view_name, right_node_id,
	right_local_node_id, right_node_path, right_node_kind,
	right_node_symbol, right_occurrence_idx, repeat_context,
	structural_position_id, left_anchor_id, left_anchor_idx,
	left_anchor_symbol, left_anchor_role, left_anchor_start_ns,
	left_anchor_end_ns, right_anchor_id, right_anchor_idx,
	right_anchor_symbol, right_anchor_role, right_anchor_start_ns,
	right_anchor_end_ns, +adjacent_anchor_gap_us AS adjacent_anchor_gap_us,
	+bubble_us AS bubble_us, +transition_compute_us AS
	transition_compute_us, +transition_comm_us AS transition_comm_us,
	+transition_total_us AS transition_total_us, transition_aux_events,
	+transition_aux_us AS transition_aux_us, +bubble_fraction_of_transition
	AS bubble_fraction_of_transition, host_interval_id, provider,
	host_clock_domain, scope_policy, process_id, thread_id,
	host_observation_status, host_start_ns, host_end_ns, +host_interval_us
	AS host_interval_us, +api_association_semantics AS
	api_association_semantics
FROM traceloom_v_structure_bubble_occurrence;

CREATE VIEW traceloom_v_structure_bubble_position AS SELECT
	(SELECT db_idx FROM tl_const) AS db_idx, n.device_id, (SELECT tree_view
	FROM tl_const) AS view_name, n.node_id AS structural_position_id,
	n.node_id AS right_node_id, n.local_node_id AS right_local_node_id,
	n.path AS right_node_path, n.kind AS right_node_kind, n.symbol AS
	right_node_symbol, +v.n AS bubble_occurrence_count, +v.good AS
	supported_host_occurrence_count, +v.missing AS
	missing_endpoint_occurrence_count, +v.nonmonotonic AS
	nonmonotonic_occurrence_count, v.n - v.good - v.missing -
	v.nonmonotonic AS other_unsupported_occurrence_count, v.total / 1000.0
	AS total_bubble_us, v.total * 1.0 / v.n / 1000.0 AS avg_bubble_us,
	v.least / 1000.0 AS min_bubble_us, v.most / 1000.0 AS max_bubble_us,
	v.good * 1.0 / v.n AS host_observation_coverage
FROM (SELECT b.node, count(*) AS n, sum(CASE WHEN lc.event IS NULL OR rc.event
IS NULL THEN 'missing_endpoint' WHEN lc.end_ns > rc.start_ns THEN
'nonmonotonic_host_order' ELSE 'supported_ordered' END = 'supported_ordered')
AS good, sum(CASE WHEN lc.event IS NULL OR rc.event IS NULL THEN
'missing_endpoint' WHEN lc.end_ns > rc.start_ns THEN 'nonmonotonic_host_order'
ELSE 'supported_ordered' END = 'missing_endpoint') AS missing, sum(CASE WHEN
lc.event IS NULL OR rc.event IS NULL THEN 'missing_endpoint' WHEN lc.end_ns >
rc.start_ns THEN 'nonmonotonic_host_order' ELSE 'supported_ordered' END =
'nonmonotonic_host_order') AS nonmonotonic, sum(g.gap_ns) AS total,
min(g.gap_ns) AS least, max(g.gap_ns) AS most FROM tl_bubble g JOIN tl_span b
ON b.span = g.span LEFT JOIN tl_span a ON a.span = b.span - 1 AND (SELECT scope
FROM tl_node x WHERE x.node = a.node) = g.scope LEFT JOIN tl_event lc ON
lc.event = a.call LEFT JOIN tl_event rc ON rc.event = b.call GROUP BY b.node) v
JOIN tl_node n ON n.node = v.node;

CREATE VIEW traceloom_structure_bubble_position AS SELECT
	db_idx, device_id, view_name, structural_position_id, right_node_id,
	right_local_node_id, right_node_path, right_node_kind,
	right_node_symbol, +bubble_occurrence_count AS bubble_occurrence_count,
	+supported_host_occurrence_count AS supported_host_occurrence_count,
	+missing_endpoint_occurrence_count AS
	missing_endpoint_occurrence_count, +nonmonotonic_occurrence_count AS
	nonmonotonic_occurrence_count, +other_unsupported_occurrence_count AS
	other_unsupported_occurrence_count, +total_bubble_us AS
	total_bubble_us, +avg_bubble_us AS avg_bubble_us, +min_bubble_us AS
	min_bubble_us, +max_bubble_us AS max_bubble_us,
	+host_observation_coverage AS host_observation_coverage
FROM traceloom_v_structure_bubble_position;
