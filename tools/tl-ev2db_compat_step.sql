-- Relations of scheduler context: steps, their executions, what they ran.

CREATE VIEW traceloom_context_source AS SELECT
	c.context AS source_id, c.path AS source_path, c.sha256, c.size AS
	size_bytes, c.state AS capture_state
FROM tl_context c;

CREATE VIEW traceloom_context_record AS SELECT
	j.context AS source_id, j.file_line AS line_no, (SELECT v FROM (SELECT
	iif(json_valid(j.text), json_extract(j.text, '$.type'), NULL) AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS record_type, c.run AS
	run_id, c.producer AS producer_id, (SELECT v FROM (SELECT j.text AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS raw_json
FROM (SELECT j.context, j.file_line, (SELECT group_concat(text, '') FROM
(SELECT x.text FROM tl_json x WHERE x.line BETWEEN j.line AND j.line + 15 AND
x.context = j.context AND x.file_line = j.file_line ORDER BY x.part)) AS text
FROM tl_json j WHERE j.part = 1) j JOIN tl_context c ON c.context = j.context;

CREATE VIEW traceloom_scheduler_request AS SELECT
	s.run AS run_id, +s.step_id AS step_id, +r.request AS request_id,
	+r.tokens AS scheduled_tokens, +r.json AS request_json, s.context AS
	source_id, s.file_line AS line_no
FROM tl_request r JOIN tl_step s ON s.step = r.step;

CREATE VIEW traceloom_scheduler_step AS SELECT
	s.run AS run_id, +s.step_id AS step_id, s.producer AS scheduler_id,
	+s.ordinal AS ordinal, +s.tokens AS total_scheduled_tokens, +s.requests
	AS scheduled_requests, +s.cache AS cache_json, +s.free_blocks AS
	free_blocks_after_schedule, +s.pool_blocks AS
	pool_blocks_after_schedule, s.context AS source_id, s.file_line AS
	line_no
FROM tl_step s;

CREATE VIEW traceloom_v_scheduler_step_context AS SELECT
	s.run AS run_id, +s.step_id AS step_id, s.producer AS scheduler_id,
	+s.ordinal AS ordinal, +s.tokens AS total_scheduled_tokens, +s.requests
	AS scheduled_requests, +s.cache AS cache_json, +s.free_blocks AS
	free_blocks_after_schedule, +s.pool_blocks AS
	pool_blocks_after_schedule, s.context AS source_id, s.file_line AS
	line_no, (SELECT state FROM tl_context c WHERE c.context = s.context)
	AS capture_state, +s.execs AS recorded_executions, +s.markers AS
	supported_markers
FROM tl_step s;

CREATE VIEW traceloom_context_execution AS SELECT
	x.run AS run_id, +x.execution AS execution_id, +x.step_id AS step_id,
	+x.marker AS marker, +x.rank AS worker_rank, +x.phase AS phase,
	+x.status AS execution_status, +x.marker_state AS marker_state,
	x.context AS source_id, x.file_line AS line_no
FROM tl_exec x;

CREATE VIEW traceloom_context_marker AS SELECT
	x.execution AS execution_id, (SELECT source_id FROM tl_const) AS
	source_id, (SELECT path FROM tl_const) AS source_path, (SELECT
	source_table FROM tl_tag g WHERE g.tag = e.tag) AS source_table,
	e.source_key, x.marker AS marker_name, e.start_ns, e.end_ns, (SELECT t
	FROM tl_const) AS global_tid
FROM tl_exec x JOIN tl_event e ON e.event = x.range;

CREATE VIEW traceloom_v_execution_context AS SELECT
	x.run AS run_id, +x.execution AS execution_id, +x.step_id AS step_id,
	+x.marker AS marker, +x.rank AS worker_rank, +x.phase AS phase,
	+x.status AS execution_status, +x.marker_state AS marker_state,
	x.context AS source_id, x.file_line AS line_no, s.producer AS
	scheduler_id, +s.ordinal AS ordinal, +s.tokens AS
	total_scheduled_tokens, +s.requests AS scheduled_requests, +s.cache AS
	cache_json, +x.ranges AS marker_count, +x.state AS support_state
FROM tl_exec x LEFT JOIN tl_step s ON s.step = x.step;

CREATE VIEW traceloom_v_context_coverage AS SELECT
	x.run AS run_id, +x.execution AS execution_id, +x.step_id AS step_id,
	+x.marker AS marker, +x.rank AS worker_rank, +x.phase AS phase,
	+x.status AS execution_status, +x.marker_state AS marker_state,
	x.context AS source_id, x.file_line AS line_no, s.producer AS
	scheduler_id, +s.ordinal AS ordinal, +s.tokens AS
	total_scheduled_tokens, +s.requests AS scheduled_requests, +s.cache AS
	cache_json, +x.ranges AS marker_count, +x.state AS support_state,
	(SELECT state FROM tl_context c WHERE c.context = x.context) AS
	execution_capture_state, +x.calls AS supported_runtime_calls, +x.events
	AS linked_device_work, 'links_of_tl_context' AS membership_contract
FROM tl_exec x LEFT JOIN tl_step s ON s.step = x.step;

CREATE VIEW traceloom_context_runtime_call AS SELECT
	+x.execution AS execution_id, e.runtime_call_id, CASE k.basis WHEN
	'thread' THEN 'same_thread_host_scope' WHEN 'queue' THEN
	'task_queue_connection' ELSE k.basis END AS association_basis,
	iif(k.state = 'linked', 'supported_host_scope',
	'ambiguous_execution_scope') AS support_state
FROM tl_link k JOIN tl_event e ON e.event = k.event AND e.kind = 6 LEFT JOIN
tl_exec x ON x.exec = k.exec;

CREATE VIEW traceloom_v_context_device_work AS SELECT
	s.run AS run_id, +s.step_id AS step_id, +x.execution AS execution_id,
	+x.rank AS worker_rank, +x.phase AS phase, (SELECT runtime_call_id FROM
	tl_event c WHERE c.event = k.call) AS runtime_call_id,
	e.device_work_id, (SELECT device_id FROM tl_lane l WHERE l.lane =
	e.lane) AS device_id, e.event_id, e.start_ns, e.end_ns, e.dur_us,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS symbol, (SELECT v FROM
	(SELECT 'supported_exact' AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS provider_support_state, +k.basis AS association_basis
FROM tl_link k JOIN tl_event e ON e.event = k.event AND e.kind <= 5 JOIN
tl_step s ON s.step = k.step LEFT JOIN tl_exec x ON x.exec = k.exec WHERE
k.state = 'linked';

CREATE VIEW traceloom_v_context_device_coverage AS SELECT
	e.device_work_id, (SELECT device_id FROM tl_lane l WHERE l.lane =
	e.lane) AS device_id, e.event_id, (SELECT symbol FROM tl_name n WHERE
	n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys = e.keys),
	e.name)) AS symbol, e.start_ns, e.end_ns, e.dur_us, CASE WHEN k.state =
	'linked' THEN 1 WHEN k.state = 'unlinked' THEN 0 END AS
	candidate_steps, CASE WHEN k.state = 'linked' THEN 'supported_step'
	WHEN k.state = 'ambiguous' THEN 'ambiguous_step' WHEN k.basis =
	'outside' THEN 'outside_supported_execution_scope' ELSE
	'no_supported_provider_relation' END AS support_state
FROM tl_link k JOIN tl_event e ON e.event = k.event AND e.kind <= 5;

CREATE VIEW traceloom_v_context_replay_launch AS SELECT
	s.run AS run_id, +s.step_id AS step_id, +x.execution AS execution_id,
	+x.rank AS worker_rank, +x.phase AS phase, (SELECT runtime_call_id FROM
	tl_event c WHERE c.event = l.call) AS runtime_call_id, (SELECT v FROM
	(SELECT 'device-work-graph-launch-' || l.launch AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS device_work_id, l.device_id, (SELECT
	event_id FROM tl_event v WHERE v.event = l.opaque) AS event_id,
	l.start_ns, l.end_ns, l.dur_us, (SELECT v FROM (SELECT 'ReplayUnit T'
	|| l.unit AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS symbol,
	(SELECT v FROM (SELECT 'supported_exact' AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS provider_support_state, +k.basis AS
	association_basis, l.launch_id, (SELECT db_idx FROM tl_const) AS
	db_idx, l.launch AS replay_unit_id, (SELECT anchor_id FROM tl_span s
	WHERE s.span = d.first) AS anchor_id, l.launch AS
	graph_launch_occurrence_id
FROM tl_launch l JOIN tl_link k ON k.event = l.call JOIN tl_step s ON s.step =
k.step LEFT JOIN tl_exec x ON x.exec = k.exec LEFT JOIN tl_launched d ON
d.launch = l.launch WHERE k.state = 'linked' AND l.status = 'exact';

CREATE VIEW traceloom_v_context_replay_member AS SELECT
	s.run AS run_id, +s.step_id AS step_id, +x.execution AS execution_id,
	+x.rank AS worker_rank, +x.phase AS phase, (SELECT runtime_call_id FROM
	tl_event c WHERE c.event = k.call) AS runtime_call_id,
	e.device_work_id, (SELECT device_id FROM tl_lane l WHERE l.lane =
	e.lane) AS device_id, e.event_id, e.start_ns, e.end_ns, e.dur_us,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS symbol, (SELECT v FROM
	(SELECT 'supported_exact' AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS provider_support_state, +k.basis AS association_basis,
	l.launch_id, m.member_id, (SELECT db_idx FROM tl_const) AS db_idx,
	m.lane_ordinal, m.idx AS task_ordinal
FROM tl_link k JOIN tl_member m ON m.event = k.event JOIN tl_launch l ON
l.launch = m.launch AND l.status = 'exact' JOIN tl_event e ON e.event = k.event
JOIN tl_step s ON s.step = k.step LEFT JOIN tl_exec x ON x.exec = k.exec WHERE
k.state = 'linked';

CREATE VIEW traceloom_v_context_anchor AS SELECT
	a.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, s.run AS run_id,
	+s.step_id AS step_id, e.device_work_id
FROM tl_link k JOIN tl_event e ON e.event = k.event AND e.kind <= 5 JOIN
tl_span a ON a.event = k.event JOIN tl_step s ON s.step = k.step WHERE k.state
= 'linked';
