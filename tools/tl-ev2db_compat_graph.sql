-- Relations of graphs that were replayed. A launch whose members equal those
-- of another one (status exact) is what they call an exact replay unit.

CREATE VIEW traceloom_graph_launch AS SELECT
	l.launch_id, (SELECT db_idx FROM tl_const) AS db_idx, l.device_id,
	(SELECT graph FROM tl_const) AS graph_provider, (SELECT event_id FROM
	tl_event v WHERE v.event = l.opaque) AS graph_event_id, (SELECT
	anchor_id FROM tl_span s WHERE s.span = d.first) AS anchor_id, l.launch
	AS replay_unit_id, l.unit AS graph_template_id, l.launch AS
	graph_launch_occurrence_id, l.unit AS replay_body_template_id, l.launch
	AS body_id, (SELECT zero FROM tl_const) AS member_order, (SELECT zero
	FROM tl_const) AS slot_order, (SELECT correlation_id FROM tl_event v
	WHERE v.event = coalesce(l.call, l.first_event)) AS correlation_id,
	(SELECT match FROM tl_const) AS match_policy, l.reason_text AS
	association_policy, l.start_ns, l.end_ns, l.dur_us, (SELECT exact FROM
	tl_const) AS evidence_level
FROM tl_launch l LEFT JOIN tl_launched d ON d.launch = l.launch WHERE l.status
= 'exact';

CREATE VIEW traceloom_graph_body_member AS SELECT
	m.member_id, l.launch_id, (SELECT db_idx FROM tl_const) AS db_idx,
	(SELECT device_id FROM tl_lane l WHERE l.lane = e.lane) AS device_id,
	(SELECT graph FROM tl_const) AS graph_provider, (SELECT event_id FROM
	tl_event v WHERE v.event = l.opaque) AS graph_event_id, l.launch AS
	replay_unit_id, l.unit AS graph_template_id, l.launch AS
	graph_launch_occurrence_id, l.launch AS body_id, l.unit AS
	replay_body_template_id, (SELECT zero FROM tl_const) AS member_order,
	(SELECT zero FROM tl_const) AS slot_order, m.lane_ordinal, m.idx AS
	task_ordinal, (SELECT member FROM tl_role q WHERE q.kind = e.kind AND
	q.class = e.class) AS kind, e.event_id, (SELECT i FROM tl_const) AS
	task_id, (SELECT source_table FROM tl_tag g WHERE g.tag = e.tag) AS
	source_table, e.source_row AS source_row_id, (SELECT i FROM tl_const)
	AS raw_task_id, e.start_ns, e.end_ns, e.dur_us, e.correlation_id,
	(SELECT graph_node FROM tl_keys k WHERE k.keys = e.keys) AS
	graph_node_id, (SELECT i FROM tl_const) AS original_graph_node_id,
	(SELECT match FROM tl_const) AS match_policy, l.reason_text AS
	association_policy, (SELECT exact FROM tl_const) AS evidence_level
FROM tl_member m JOIN tl_launch l ON l.launch = m.launch JOIN tl_event e ON
e.event = m.event WHERE l.status = 'exact';

CREATE VIEW traceloom_aclgraph_reconstruction_region AS SELECT
	l.region_id, (SELECT db_idx FROM tl_const) AS db_idx, l.device_id,
	(SELECT graph FROM tl_const) AS graph_provider, (SELECT v FROM (SELECT
	'aclgraph-composition-candidate-' || l.unit AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS candidate_id, l.launch AS region_order,
	(SELECT v FROM (SELECT CASE l.status WHEN 'exact' THEN
	'recognized_complete_pattern' WHEN 'single' THEN
	'unrecognized_insufficient_repeat_evidence' WHEN 'variant' THEN
	'unrecognized_body_mismatch' WHEN 'orphan' THEN
	'unrecognized_leading_context' WHEN 'opaque' THEN
	'unrecognized_missing_body_capability' ELSE
	'unrecognized_missing_body_evidence' END AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS status, (SELECT v FROM (SELECT
	'direct_observed_graph_launch' AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS boundary_policy, (SELECT v FROM (SELECT iif(l.call IS
	NULL, 'device_execution_order', 'host_submission_order') AS v UNION ALL
	SELECT t FROM tl_const WHERE 0)) AS order_policy, (SELECT v FROM
	(SELECT iif(l.unit IS NULL, 'unavailable', 'member_symbols') AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS identity_policy, (SELECT v FROM
	(SELECT 'single_graph' AS v UNION ALL SELECT t FROM tl_const WHERE 0))
	AS shape_policy, l.launch AS first_launch_occurrence_id, l.launch AS
	last_launch_occurrence_id, (SELECT one FROM tl_const) AS
	observed_launch_count, (SELECT one FROM tl_const) AS
	expected_launch_count, l.start_ns, l.end_ns, l.dur_us, (SELECT v FROM
	(SELECT json_object('status', l.status, 'reason', l.reason, 'members',
	l.members, 'missing', l.missing) AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS raw_json
FROM tl_launch l;

CREATE VIEW traceloom_replay_cost_unit AS SELECT
	l.cost_unit_id, (SELECT db_idx FROM tl_const) AS db_idx, l.device_id,
	l.launch AS replay_unit_id, l.unit AS graph_template_id, (SELECT one
	FROM tl_const) AS launch_member_count, (SELECT v FROM (SELECT (l.status
	= 'exact') AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	resolved_launch_count, (SELECT v FROM (SELECT CASE WHEN l.status =
	'exact' THEN 'supported' WHEN l.members > 0 THEN 'partial' ELSE
	'unsupported' END AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	support_status, (SELECT v FROM (SELECT iif(l.status = 'exact', '',
	l.status) AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	reason_codes
FROM tl_launch l;

CREATE VIEW traceloom_replay_cost_launch AS SELECT
	l.launch_id, l.cost_unit_id, (SELECT db_idx FROM tl_const) AS db_idx,
	l.device_id, (SELECT zero FROM tl_const) AS member_order, l.launch AS
	graph_launch_occurrence_id, (SELECT zero FROM tl_const) AS
	composition_slot_id, (SELECT word_graph FROM tl_const) AS slot_role,
	(SELECT zero FROM tl_const) AS slot_order, l.unit AS
	replay_body_template_id, l.launch AS body_id, (SELECT support FROM
	tl_const) AS support_status, (SELECT t FROM tl_const) AS reason_code,
	d.members AS member_count, d.task_sum AS task_sum_ns, (SELECT v FROM
	(SELECT (SELECT sum(max(0, f - max(s, coalesce(b, s)))) FROM (SELECT
	e.start_ns AS s, e.end_ns AS f, max(e.end_ns) OVER (ORDER BY
	e.start_ns, e.event ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	AS b FROM tl_member m JOIN tl_event e ON e.event = m.event WHERE
	m.launch = l.launch)) AS v UNION ALL SELECT i FROM tl_const WHERE 0))
	AS busy_union_ns, l.dur_ns AS envelope_ns, d.compute AS compute_ns,
	d.comm AS communication_ns, d.copy AS data_move_ns, l.launch AS
	replay_unit_id, l.unit AS graph_template_id
FROM tl_launch l LEFT JOIN tl_launched d ON d.launch = l.launch WHERE l.status
= 'exact';

CREATE VIEW traceloom_replay_cost_member AS SELECT
	m.member_id, l.launch_id, l.cost_unit_id, (SELECT db_idx FROM tl_const)
	AS db_idx, (SELECT device_id FROM tl_lane l WHERE l.lane = e.lane) AS
	device_id, (SELECT zero FROM tl_const) AS composition_slot_id, (SELECT
	word_graph FROM tl_const) AS slot_role, (SELECT zero FROM tl_const) AS
	slot_order, l.unit AS replay_body_template_id, l.launch AS body_id,
	(SELECT stream_id FROM tl_lane l WHERE l.lane = e.lane) AS stream_id,
	m.lane_ordinal, m.idx AS task_ordinal, (SELECT member FROM tl_role q
	WHERE q.kind = e.kind AND q.class = e.class) AS kind, e.event_id,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS identity, (SELECT i FROM
	tl_const) AS raw_task_id, e.start_ns, e.end_ns, e.dur_ns AS
	duration_ns, (SELECT v FROM (SELECT e.start_ns - l.start_ns AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS relative_start_ns, (SELECT v
	FROM (SELECT e.end_ns - l.start_ns AS v UNION ALL SELECT i FROM
	tl_const WHERE 0)) AS relative_end_ns, (SELECT v FROM (SELECT e.dur_ns
	* 1000000 / nullif(d.task_sum, 0) AS v UNION ALL SELECT i FROM tl_const
	WHERE 0)) AS scheduled_work_share_ppm, (SELECT v FROM (SELECT
	d.task_sum > 0 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	scheduled_work_share_supported, d.task_sum AS
	scheduled_work_denominator_body_task_sum_ns
FROM tl_member m JOIN tl_launch l ON l.launch = m.launch JOIN tl_event e ON
e.event = m.event JOIN tl_launched d ON d.launch = l.launch WHERE l.status =
'exact';

CREATE VIEW traceloom_replay_cost_aggregate AS SELECT
	(SELECT v FROM (SELECT 'replay-cost-aggregate-' || g.line AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS aggregate_id, (SELECT db_idx
	FROM tl_const) AS db_idx, (SELECT v FROM (SELECT g.device AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS device_id, (SELECT v FROM
	(SELECT g.unit AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	graph_template_id, (SELECT word_graph FROM tl_const) AS slot_role,
	(SELECT v FROM (SELECT 'role_collapsed' AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS aggregation_scope, (SELECT v FROM (SELECT g.unit
	AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	replay_body_template_id, (SELECT stream_id FROM tl_lane y WHERE y.lane
	= g.lane AND g.lanes = 1) AS stream_id, (SELECT v FROM (SELECT g.idx AS
	v UNION ALL SELECT i FROM tl_const WHERE 0)) AS task_ordinal, (SELECT
	symbol FROM tl_name y WHERE y.name = g.sym) AS identity, (SELECT member
	FROM tl_role y WHERE y.kind = 0 AND y.class = g.class) AS kind, (SELECT
	v FROM (SELECT g.n AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	member_occurrence_count, (SELECT v FROM (SELECT g.launches AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS replay_unit_count, (SELECT v
	FROM (SELECT g.n AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	launch_member_count, (SELECT v FROM (SELECT g.classes = 1 AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS kind_consistent, (SELECT v FROM
	(SELECT g.lanes = 1 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	lane_consistent, (SELECT one FROM tl_const) AS distribution_supported,
	(SELECT v FROM (SELECT g.p25 AS v UNION ALL SELECT i FROM tl_const
	WHERE 0)) AS duration_p25_ns, (SELECT v FROM (SELECT g.p50 AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS duration_median_ns, (SELECT v
	FROM (SELECT g.p75 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	duration_p75_ns, (SELECT v FROM (SELECT g.dur * 1000000 /
	nullif(g.task_sum, 0) AS v UNION ALL SELECT i FROM tl_const WHERE 0))
	AS scheduled_work_share_ppm, (SELECT v FROM (SELECT g.task_sum > 0 AS v
	UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	scheduled_work_share_supported, (SELECT v FROM (SELECT g.task_sum AS v
	UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	scheduled_work_denominator_body_task_sum_ns
FROM (SELECT unit, device, stream, idx, sym, min(line) AS line, n,
count(DISTINCT launch) AS launches, count(DISTINCT class) AS classes, min(lane)
AS lane, count(DISTINCT lane) AS lanes, min(class) AS class, sum(dur) AS dur,
sum(task_sum) AS task_sum, max(iif(rank = (n + 1) / 4, dur, NULL)) AS p25,
(max(iif(rank = (n - 1) / 2, dur, NULL)) + max(iif(rank = n / 2, dur, NULL))) /
2 AS p50, max(iif(rank = (3 * n - 1) / 4, dur, NULL)) AS p75 FROM (SELECT
l.unit, l.device_id AS device, m.lane_ordinal AS stream, m.idx, coalesce(k.sym,
e.name) AS sym, m.line, m.launch, e.class, e.lane, e.dur_ns AS dur, d.task_sum,
count(*) OVER (PARTITION BY l.unit, l.device_id, m.lane_ordinal, m.idx,
coalesce(k.sym, e.name)) AS n, row_number() OVER (PARTITION BY l.unit,
l.device_id, m.lane_ordinal, m.idx, coalesce(k.sym, e.name) ORDER BY e.dur_ns)
- 1 AS rank FROM tl_member m JOIN tl_launch l ON l.launch = m.launch JOIN
tl_launched d ON d.launch = l.launch JOIN tl_event e ON e.event = m.event LEFT
JOIN tl_keys k ON k.keys = e.keys WHERE l.status = 'exact') GROUP BY unit,
device, stream, idx, sym) g;

CREATE VIEW traceloom_v_replay_position_realization_member AS SELECT
	(SELECT anchor_id FROM tl_span s WHERE s.span = d.first) AS
	position_anchor_id, l.launch_id, l.cost_unit_id, (SELECT db_idx FROM
	tl_const) AS db_idx, (SELECT device_id FROM tl_lane l WHERE l.lane =
	e.lane) AS device_id, l.launch AS replay_unit_id, l.unit AS
	graph_template_id, l.launch AS graph_launch_occurrence_id, (SELECT zero
	FROM tl_const) AS composition_slot_id, (SELECT word_graph FROM
	tl_const) AS slot_role, (SELECT zero FROM tl_const) AS position_order,
	l.unit AS replay_body_template_id, l.launch AS body_id, (SELECT v FROM
	(SELECT 'ReplayUnit T' || l.unit AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS position_symbol, (SELECT word_graph FROM tl_const) AS
	position_role, (SELECT v FROM (SELECT 'ReplayUnit T' || l.unit AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS position_label,
	l.start_ns AS position_start_ns, l.end_ns AS position_end_ns,
	m.member_id, +r.rank AS observed_order, (SELECT v FROM (SELECT
	r.previous AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	previous_member_id, (SELECT v FROM (SELECT r.previous_end AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS previous_member_end_ns, (SELECT
	stream_id FROM tl_lane l WHERE l.lane = e.lane) AS stream_id,
	m.lane_ordinal, m.idx AS task_ordinal, (SELECT member FROM tl_role q
	WHERE q.kind = e.kind AND q.class = e.class) AS kind, (SELECT symbol
	FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE
	k.keys = e.keys), e.name)) AS identity, (SELECT t FROM tl_const) AS
	role_decision_id, (SELECT t FROM tl_const) AS policy_role, (SELECT t
	FROM tl_const) AS final_role, (SELECT t FROM tl_const) AS
	policy_structural_participation, (SELECT t FROM tl_const) AS
	effective_structural_participation, (SELECT t FROM tl_const) AS
	role_support_state, (SELECT t FROM tl_const) AS role_reason_code,
	(SELECT t FROM tl_const) AS role_rule_id, e.start_ns, e.end_ns,
	e.dur_ns AS duration_ns, (SELECT v FROM (SELECT e.start_ns - l.start_ns
	AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS relative_start_ns,
	(SELECT v FROM (SELECT e.end_ns - l.start_ns AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS relative_end_ns, (SELECT v FROM (SELECT
	e.dur_ns * 1000000 / nullif(d.task_sum, 0) AS v UNION ALL SELECT i FROM
	tl_const WHERE 0)) AS scheduled_work_share_ppm, (SELECT v FROM (SELECT
	d.task_sum > 0 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	scheduled_work_share_supported, d.task_sum AS
	scheduled_work_denominator_body_task_sum_ns, (SELECT match FROM
	tl_const) AS match_policy, l.reason_text AS association_policy, (SELECT
	exact FROM tl_const) AS evidence_level, (SELECT source_table FROM
	tl_tag g WHERE g.tag = e.tag) AS source_table, e.source_row AS
	source_row_id, (SELECT t FROM tl_const) AS role_source_table, (SELECT t
	FROM tl_const) AS role_source_key, e.event_id, (SELECT i FROM tl_const)
	AS raw_task_id, 'exact_graph_body_member' AS membership_relation,
	'contained' AS interval_relation, CASE WHEN r.previous IS NULL THEN
	'first' WHEN e.start_ns < r.previous_end THEN 'overlaps_previous' ELSE
	'after_previous' END AS observed_relation_to_previous,
	'timestamp_order_not_dependency' AS observation_semantics
FROM (SELECT m.line, m.launch, m.event, lag(m.member_id) OVER w AS previous,
lag(v.end_ns) OVER w AS previous_end, row_number() OVER w - 1 AS rank FROM
tl_member m JOIN tl_launch x ON x.launch = m.launch JOIN tl_event v ON v.event
= m.event WHERE x.status = 'exact' WINDOW w AS (PARTITION BY m.launch ORDER BY
v.start_ns, m.line)) r JOIN tl_member m ON m.line = r.line JOIN tl_launch l ON
l.launch = r.launch JOIN tl_launched d ON d.launch = r.launch JOIN tl_event e
ON e.event = r.event;

CREATE VIEW traceloom_v_node_replay_cost_member AS SELECT
	n.node_id, o.idx AS occurrence_idx, (SELECT tree_view FROM tl_const) AS
	view_name, (SELECT v FROM (SELECT iif(o.span = d.replay, 'self',
	'body') AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	coverage_kind, (SELECT anchor_id FROM tl_span s WHERE s.span = d.first)
	AS node_anchor_id, (SELECT zero FROM tl_const) AS node_member_order,
	(SELECT zero FROM tl_const) AS node_slot_order, m.member_id,
	l.launch_id, l.cost_unit_id, (SELECT db_idx FROM tl_const) AS db_idx,
	(SELECT device_id FROM tl_lane l WHERE l.lane = e.lane) AS device_id,
	(SELECT zero FROM tl_const) AS composition_slot_id, (SELECT word_graph
	FROM tl_const) AS slot_role, (SELECT zero FROM tl_const) AS slot_order,
	l.unit AS replay_body_template_id, l.launch AS body_id, (SELECT
	stream_id FROM tl_lane l WHERE l.lane = e.lane) AS stream_id,
	m.lane_ordinal, m.idx AS task_ordinal, (SELECT member FROM tl_role q
	WHERE q.kind = e.kind AND q.class = e.class) AS kind, e.event_id,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS identity, (SELECT i FROM
	tl_const) AS raw_task_id, e.start_ns, e.end_ns, e.dur_ns AS
	duration_ns, (SELECT v FROM (SELECT e.start_ns - l.start_ns AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS relative_start_ns, (SELECT v
	FROM (SELECT e.end_ns - l.start_ns AS v UNION ALL SELECT i FROM
	tl_const WHERE 0)) AS relative_end_ns, (SELECT v FROM (SELECT e.dur_ns
	* 1000000 / nullif(d.task_sum, 0) AS v UNION ALL SELECT i FROM tl_const
	WHERE 0)) AS scheduled_work_share_ppm, (SELECT v FROM (SELECT
	d.task_sum > 0 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	scheduled_work_share_supported, d.task_sum AS
	scheduled_work_denominator_body_task_sum_ns, (SELECT source_table FROM
	tl_tag g WHERE g.tag = e.tag) AS source_table, e.source_row AS
	source_row_id, (SELECT graph_node FROM tl_keys k WHERE k.keys = e.keys)
	AS graph_node_id, (SELECT i FROM tl_const) AS original_graph_node_id,
	(SELECT exact FROM tl_const) AS evidence_level
FROM tl_node n JOIN tl_span o ON o.node = n.node CROSS JOIN tl_launched d ON
d.first BETWEEN o.first AND o.last AND d.last <= o.last AND n.depth <= d.depth
CROSS JOIN tl_launch l ON l.launch = d.launch AND l.status = 'exact' CROSS JOIN
tl_member m ON m.launch = d.launch CROSS JOIN tl_event e ON e.event = m.event;

CREATE VIEW traceloom_v_node_graph_body_member AS SELECT
	n.node_id, (SELECT tree_view FROM tl_const) AS view_name, o.idx AS
	occurrence_idx, d.first - o.first AS idx_in_occurrence, (SELECT v FROM
	(SELECT d.first - o.first + 1 AS v UNION ALL SELECT i FROM tl_const
	WHERE 0)) AS anchor_order, (SELECT v FROM (SELECT iif(o.span =
	d.replay, 'self', 'body') AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS coverage_kind, (SELECT v FROM (SELECT (WITH RECURSIVE up (span,
	text) AS (SELECT o.span, '' UNION ALL SELECT u.span, iif(x.iteration IS
	NULL, '', printf('/N%03d#%d', u.number, x.iteration)) || up.text FROM
	up JOIN tl_span x ON x.span = up.span JOIN tl_span u ON u.span =
	x.parent) SELECT substr(text, 2) FROM up ORDER BY length(text) DESC
	LIMIT 1) AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	repeat_context, (SELECT r FROM tl_const) AS anchor_compute_us, (SELECT
	r FROM tl_const) AS anchor_comm_us, (SELECT r FROM tl_const) AS
	anchor_idle_us, l.dur_us AS anchor_total_us, (SELECT r FROM tl_const)
	AS anchor_self_us, (SELECT r FROM tl_const) AS anchor_aux_events,
	(SELECT r FROM tl_const) AS anchor_aux_us, l.launch_id AS
	node_launch_id, (SELECT event_id FROM tl_event v WHERE v.event =
	l.opaque) AS node_event_id, (SELECT anchor_id FROM tl_span s WHERE
	s.span = d.first) AS node_anchor_id, l.launch AS node_replay_unit_id,
	l.unit AS node_graph_template_id, l.launch AS
	node_graph_launch_occurrence_id, (SELECT zero FROM tl_const) AS
	node_member_order, (SELECT zero FROM tl_const) AS node_slot_order,
	(SELECT correlation_id FROM tl_event v WHERE v.event = coalesce(l.call,
	l.first_event)) AS launch_correlation_id, (SELECT match FROM tl_const)
	AS launch_match_policy, l.reason_text AS launch_association_policy,
	l.start_ns AS launch_start_ns, l.end_ns AS launch_end_ns, l.dur_us AS
	launch_dur_us, m.member_id, (SELECT db_idx FROM tl_const) AS db_idx,
	(SELECT device_id FROM tl_lane l WHERE l.lane = e.lane) AS device_id,
	(SELECT graph FROM tl_const) AS graph_provider, l.launch AS
	replay_unit_id, l.unit AS graph_template_id, l.launch AS
	graph_launch_occurrence_id, l.launch AS body_id, l.unit AS
	replay_body_template_id, (SELECT zero FROM tl_const) AS member_order,
	(SELECT zero FROM tl_const) AS slot_order, m.lane_ordinal, m.idx AS
	task_ordinal, (SELECT member FROM tl_role q WHERE q.kind = e.kind AND
	q.class = e.class) AS kind, e.event_id, (SELECT i FROM tl_const) AS
	task_id, (SELECT source_table FROM tl_tag g WHERE g.tag = e.tag) AS
	source_table, e.source_row AS source_row_id, (SELECT i FROM tl_const)
	AS raw_task_id, e.start_ns, e.end_ns, e.dur_us, e.correlation_id,
	(SELECT graph_node FROM tl_keys k WHERE k.keys = e.keys) AS
	graph_node_id, (SELECT i FROM tl_const) AS original_graph_node_id,
	(SELECT match FROM tl_const) AS match_policy, l.reason_text AS
	association_policy, (SELECT exact FROM tl_const) AS evidence_level,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS member_symbol, (SELECT
	symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM tl_keys
	k WHERE k.keys = e.keys), e.name)) AS member_label, (SELECT task_type
	FROM tl_role q WHERE q.kind = e.kind AND q.class = e.class) AS
	member_task_type, (SELECT t FROM tl_const) AS member_semantic_role
FROM tl_node n JOIN tl_span o ON o.node = n.node CROSS JOIN tl_launched d ON
d.first BETWEEN o.first AND o.last AND d.last <= o.last AND n.depth <= d.depth
CROSS JOIN tl_launch l ON l.launch = d.launch AND l.status = 'exact' CROSS JOIN
tl_member m ON m.launch = d.launch CROSS JOIN tl_event e ON e.event = m.event;

CREATE VIEW traceloom_replay_unit_anchor AS SELECT
	(SELECT v FROM (SELECT CAST(l.launch AS TEXT) AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS replay_unit_id, s.anchor_id, (SELECT db_idx
	FROM tl_const) AS db_idx, l.device_id
FROM tl_launched d JOIN tl_launch l ON l.launch = d.launch JOIN tl_span s ON
s.span BETWEEN d.first AND d.last WHERE l.status = 'exact';

CREATE VIEW traceloom_protected_interval AS SELECT
	(SELECT v FROM (SELECT 'protected-interval-' || l.launch AS v UNION ALL
	SELECT t FROM tl_const WHERE 0)) AS protected_interval_id, (SELECT
	db_idx FROM tl_const) AS db_idx, l.device_id, (SELECT v FROM (SELECT
	'graph_replay' AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS kind,
	(SELECT v FROM (SELECT 'no_cross' AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS boundary_policy, (SELECT anchor_id FROM tl_span s WHERE
	s.span = d.first) AS first_anchor_id, (SELECT anchor_id FROM tl_span s
	WHERE s.span = d.last) AS last_anchor_id, (SELECT v FROM (SELECT
	'replay-unit-' || l.launch AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS replay_unit_id, (SELECT i FROM tl_const) AS
	evidence_source_ref_id, l.start_ns, l.end_ns, (SELECT support FROM
	tl_const) AS support_state, (SELECT t FROM tl_const) AS reason_code
FROM tl_launched d JOIN tl_launch l ON l.launch = d.launch WHERE l.status =
'exact';

CREATE VIEW traceloom_replay_cost_aggregate_member AS SELECT
	(SELECT v FROM (SELECT 'replay-cost-aggregate-' || g.least AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS aggregate_id, g.member_id,
	(SELECT db_idx FROM tl_const) AS db_idx, g.device_id, (SELECT v FROM
	(SELECT g.rank AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	contributor_order
FROM (SELECT m.line, m.member_id, l.device_id, min(m.line) OVER w AS least,
row_number() OVER (PARTITION BY l.unit, l.device_id, m.lane_ordinal, m.idx,
coalesce(k.sym, e.name) ORDER BY m.line) - 1 AS rank FROM tl_member m JOIN
tl_launch l ON l.launch = m.launch JOIN tl_event e ON e.event = m.event LEFT
JOIN tl_keys k ON k.keys = e.keys WHERE l.status = 'exact' WINDOW w AS
(PARTITION BY l.unit, l.device_id, m.lane_ordinal, m.idx, coalesce(k.sym,
e.name))) g;
