-- Relations of events: anchors, symbols, calls of the runtime, sources.

CREATE VIEW traceloom_event AS SELECT
	e.event_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, e.step_idx, (SELECT
	source_table FROM tl_tag g WHERE g.tag = e.tag) AS source_table,
	e.source_key, (SELECT stream_id FROM tl_lane l WHERE l.lane = e.lane)
	AS stream_id, e.start_ns, e.end_ns, e.dur_us, (SELECT category FROM
	tl_role q WHERE q.kind = e.kind AND q.class = e.class) AS category,
	(SELECT role FROM tl_role q WHERE q.class = e.class AND q.kind =
	iif((SELECT coalesce(aux, detail) FROM tl_keys k WHERE k.keys =
	e.keys), 1, e.kind)) AS role, (SELECT t FROM tl_const) AS
	semantic_role, (SELECT t FROM tl_const) AS semantic_role_reason,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS symbol, (SELECT symbol
	FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE
	k.keys = e.keys), e.name)) AS label, (SELECT symbol FROM tl_name n
	WHERE n.name = e.name) AS raw_label, (SELECT symbol FROM tl_name n
	WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys =
	e.keys), e.name)) AS op_type, (SELECT task_type FROM tl_role q WHERE
	q.kind = e.kind AND q.class = e.class) AS compute_task_type, (SELECT
	category FROM tl_role q WHERE q.kind = e.kind AND q.class = e.class) AS
	family, (SELECT v FROM (SELECT coalesce((SELECT task_type FROM tl_keys
	k WHERE k.keys = e.keys), (SELECT task_type FROM tl_role q WHERE q.kind
	= e.kind AND q.class = e.class)) AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS task_type, (SELECT t FROM tl_const) AS raw_json
FROM tl_event e WHERE e.kind <= 6;

CREATE VIEW traceloom_anchor AS SELECT
	s.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, s.anchor_idx,
	e.event_id, e.step_idx, (SELECT symbol FROM tl_name n WHERE n.name =
	coalesce((SELECT sym FROM tl_keys k WHERE k.keys = e.keys), e.name)) AS
	symbol, (SELECT role FROM tl_role q WHERE q.kind = e.kind AND q.class =
	e.class) AS role, (SELECT symbol FROM tl_name n WHERE n.name =
	coalesce((SELECT sym FROM tl_keys k WHERE k.keys = e.keys), e.name)) AS
	label, (SELECT category FROM tl_role q WHERE q.kind = e.kind AND
	q.class = e.class) AS family, e.start_ns, e.end_ns, e.dur_us
FROM tl_span s JOIN tl_event e ON e.event = s.event;

CREATE VIEW traceloom_structural_order AS SELECT
	s.structural_idx, s.anchor_id, (SELECT v FROM (SELECT iif(EXISTS
	(SELECT 1 FROM tl_note WHERE code = 'recover_order_launch') AND (SELECT
	correlation FROM tl_event e WHERE e.event = s.event) IS NOT NULL,
	'launch', 'device') AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	order_basis, (SELECT path FROM tl_const WHERE s.call IS NOT NULL) AS
	runtime_source_path, (SELECT (SELECT source_table FROM tl_tag g WHERE
	g.tag = c.tag) FROM tl_event c WHERE c.event = s.call) AS
	runtime_source_table, (SELECT source_row FROM tl_event c WHERE c.event
	= s.call) AS runtime_source_row, (SELECT start_ns FROM tl_event c WHERE
	c.event = s.call) AS host_launch_start_ns
FROM tl_span s WHERE s.event IS NOT NULL;

CREATE VIEW traceloom_v_event_source_locator AS SELECT
	e.event_id, (SELECT zero FROM tl_const) AS source_ordinal, (SELECT
	db_idx FROM tl_const) AS db_idx, (SELECT device_id FROM tl_lane l WHERE
	l.lane = e.lane) AS device_id, +0 AS source_ref_id, +(SELECT path FROM
	tl_const) AS source_path, (SELECT source_table FROM tl_tag g WHERE
	g.tag = e.tag) AS source_table, e.source_key, (SELECT primary_role FROM
	tl_const) AS source_role, (SELECT source_id FROM tl_const) AS
	source_id, (SELECT t FROM tl_const) AS embedded_table_name, (SELECT
	rowid_name FROM tl_const) AS source_rowid_column, iif(e.tag IS NULL,
	'unresolved', 'referenced') AS resolution_status
FROM tl_event e WHERE e.kind <= 6;

CREATE VIEW traceloom_event_source AS SELECT
	e.event_id, (SELECT zero FROM tl_const) AS source_ordinal, (SELECT
	db_idx FROM tl_const) AS db_idx, (SELECT device_id FROM tl_lane l WHERE
	l.lane = e.lane) AS device_id, (SELECT source_table FROM tl_tag g WHERE
	g.tag = e.tag) AS source_table, e.source_key, (SELECT primary_role FROM
	tl_const) AS source_role, (SELECT t FROM tl_const) AS raw_json
FROM tl_event e WHERE e.kind <= 6;

CREATE VIEW traceloom_raw_source_database AS SELECT
	k.source_id, k.zero AS source_ordinal, k.path AS source_path, (SELECT v
	FROM (SELECT 'reference' AS v UNION ALL SELECT t FROM tl_const WHERE
	0)) AS embedded_mode, (SELECT v FROM (SELECT (SELECT value FROM tl_meta
	WHERE key = 'source.size') AS v UNION ALL SELECT i FROM tl_const WHERE
	0)) AS size_bytes, (SELECT t FROM tl_const) AS sha256
FROM tl_const k WHERE k.path IS NOT NULL;

CREATE VIEW traceloom_raw_table AS SELECT
	(SELECT source_id FROM tl_const) AS source_id, (SELECT path FROM
	tl_const) AS source_path, g.source_table, (SELECT t FROM tl_const) AS
	embedded_table_name, (SELECT rowid_name FROM tl_const) AS
	source_rowid_column, (SELECT i FROM tl_const) AS row_count
FROM tl_tag g;

CREATE VIEW traceloom_v_anchor_symbol_lineage AS SELECT
	s.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, s.anchor_idx,
	e.event_id, (SELECT path FROM tl_const) AS source_path, (SELECT
	source_table FROM tl_tag g WHERE g.tag = e.tag) AS source_table,
	e.source_key, (SELECT symbol FROM tl_name n WHERE n.name = e.name) AS
	observed_symbol, (SELECT v FROM (SELECT 'name' AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS observed_symbol_source, (SELECT symbol FROM
	tl_name n WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE
	k.keys = e.keys), e.name)) AS structural_symbol, (SELECT symbols FROM
	tl_const) AS policy_id, (SELECT t FROM tl_const) AS policy_version,
	(SELECT v FROM (SELECT iif(k.sym IS NULL, 'identity',
	'symbol_normalization') AS v UNION ALL SELECT t FROM tl_const WHERE 0))
	AS rule_id, (SELECT t FROM tl_const) AS candidate_rule_ids, (SELECT v
	FROM (SELECT iif(k.sym IS NULL, 'identity', 'normalized') AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS outcome, (SELECT v FROM (SELECT
	iif(k.sym IS NULL, 'no_rule_changed_it', 'a_rule_changed_it') AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS reason_code, (SELECT i
	FROM tl_const) AS precedence, (SELECT provider FROM tl_const) AS
	provider_scope, (SELECT t FROM tl_const) AS source_domain, (SELECT t
	FROM tl_const) AS match_mode, (SELECT t FROM tl_const) AS
	match_expression, (SELECT t FROM tl_const) AS required_fields, (SELECT
	t FROM tl_const) AS rule_description, (SELECT role FROM tl_role q WHERE
	q.kind = e.kind AND q.class = e.class) AS anchor_role, e.start_ns,
	e.end_ns, e.dur_us
FROM tl_span s JOIN tl_event e ON e.event = s.event LEFT JOIN tl_keys k ON
k.keys = e.keys;

CREATE VIEW traceloom_anchor_symbol_normalization AS SELECT
	s.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, s.anchor_idx,
	e.event_id, (SELECT path FROM tl_const) AS source_path, (SELECT
	source_table FROM tl_tag g WHERE g.tag = e.tag) AS source_table,
	e.source_key, (SELECT symbol FROM tl_name n WHERE n.name = e.name) AS
	observed_symbol, (SELECT v FROM (SELECT 'name' AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS observed_symbol_source, (SELECT symbol FROM
	tl_name n WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE
	k.keys = e.keys), e.name)) AS structural_symbol, (SELECT symbols FROM
	tl_const) AS policy_id, (SELECT t FROM tl_const) AS policy_version,
	(SELECT v FROM (SELECT iif(k.sym IS NULL, 'identity',
	'symbol_normalization') AS v UNION ALL SELECT t FROM tl_const WHERE 0))
	AS rule_id, (SELECT t FROM tl_const) AS candidate_rule_ids, (SELECT v
	FROM (SELECT iif(k.sym IS NULL, 'identity', 'normalized') AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS outcome, (SELECT v FROM (SELECT
	iif(k.sym IS NULL, 'no_rule_changed_it', 'a_rule_changed_it') AS v
	UNION ALL SELECT t FROM tl_const WHERE 0)) AS reason_code
FROM tl_span s JOIN tl_event e ON e.event = s.event LEFT JOIN tl_keys k ON
k.keys = e.keys;

CREATE VIEW traceloom_v_symbol_normalization_placement AS SELECT
	s.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, s.anchor_idx,
	e.event_id, (SELECT symbol FROM tl_name n WHERE n.name = e.name) AS
	observed_symbol, (SELECT v FROM (SELECT 'name' AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS observed_symbol_source, (SELECT symbol FROM
	tl_name n WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE
	k.keys = e.keys), e.name)) AS structural_symbol, (SELECT symbols FROM
	tl_const) AS policy_id, (SELECT t FROM tl_const) AS policy_version,
	(SELECT v FROM (SELECT iif(k.sym IS NULL, 'identity',
	'symbol_normalization') AS v UNION ALL SELECT t FROM tl_const WHERE 0))
	AS rule_id, (SELECT v FROM (SELECT iif(k.sym IS NULL, 'identity',
	'normalized') AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	outcome, (SELECT v FROM (SELECT iif(k.sym IS NULL,
	'no_rule_changed_it', 'a_rule_changed_it') AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS reason_code, (SELECT t FROM tl_const) AS
	candidate_rule_ids, (SELECT path FROM tl_const) AS source_path, (SELECT
	source_table FROM tl_tag g WHERE g.tag = e.tag) AS source_table,
	e.source_key, n.node_id, n.local_node_id, (SELECT tree_view FROM
	tl_const) AS view_name, o.idx AS occurrence_idx, (SELECT v FROM (SELECT
	s.span - o.first + 1 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	anchor_order, o.coverage AS coverage_kind, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT o.span, '' UNION ALL SELECT
	u.span, iif(x.iteration IS NULL, '', printf('/N%03d#%d', u.number,
	x.iteration)) || up.text FROM up JOIN tl_span x ON x.span = up.span
	JOIN tl_span u ON u.span = x.parent) SELECT substr(text, 2) FROM up
	ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS repeat_context, e.dur_us AS anchor_dur_us
FROM tl_node n JOIN tl_span o ON o.node = n.node CROSS JOIN tl_span s ON s.span
BETWEEN o.first AND o.last LEFT JOIN tl_event e ON e.event = s.event LEFT JOIN
tl_keys k ON k.keys = e.keys;

CREATE VIEW traceloom_v_symbol_variant_cost AS SELECT
	(SELECT db_idx FROM tl_const) AS db_idx, n.device_id, (SELECT tree_view
	FROM tl_const) AS view_name, n.node_id, n.local_node_id, (SELECT v FROM
	(SELECT v.anchor_order AS v UNION ALL SELECT i FROM tl_const WHERE 0))
	AS anchor_order, (SELECT symbol FROM tl_name x WHERE x.name =
	coalesce(v.sym, v.name)) AS structural_symbol, (SELECT symbol FROM
	tl_name x WHERE x.name = v.name) AS observed_symbol, (SELECT v FROM
	(SELECT 'name' AS v UNION ALL SELECT t FROM tl_const WHERE 0)) AS
	observed_symbol_source, (SELECT v FROM (SELECT iif(v.sym IS NULL,
	'identity', 'symbol_normalization') AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS rule_id, (SELECT v FROM (SELECT iif(v.sym IS
	NULL, 'identity', 'normalized') AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS outcome, +v.n AS occurrence_count, v.sum / 1000.0 AS
	total_us, v.sum / v.n / 1000.0 AS avg_us, v.least / 1000.0 AS min_us,
	v.most / 1000.0 AS max_us
FROM (SELECT o.node, s.span - o.first + 1 AS anchor_order, e.name, k.sym, 1 AS
n, e.dur_ns AS sum, e.dur_ns AS least, e.dur_ns AS most FROM tl_node y JOIN
tl_span o ON o.node = y.node CROSS JOIN tl_span s ON s.span BETWEEN o.first AND
o.last CROSS JOIN tl_event e ON e.event = s.event LEFT JOIN tl_keys k ON k.keys
= e.keys WHERE y.occurrence_count = 1 UNION ALL SELECT o.node, s.span - o.first
+ 1, e.name, k.sym, count(*), total(e.dur_ns), min(e.dur_ns), max(e.dur_ns)
FROM tl_node y JOIN tl_span o ON o.node = y.node CROSS JOIN tl_span s ON s.span
BETWEEN o.first AND o.last CROSS JOIN tl_event e ON e.event = s.event LEFT JOIN
tl_keys k ON k.keys = e.keys WHERE y.occurrence_count > 1 GROUP BY o.node,
s.span - o.first + 1, e.name, k.sym) v JOIN tl_node n ON n.node = v.node;

CREATE VIEW traceloom_runtime_call AS SELECT
	c.runtime_call_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT
	provider FROM tl_const) AS provider, (SELECT clock FROM tl_const) AS
	clock_domain, (SELECT source_table FROM tl_tag g WHERE g.tag = c.tag)
	AS source_table, c.source_key, c.start_ns, c.end_ns, c.dur_us, (SELECT
	symbol FROM tl_name n WHERE n.name = c.name) AS api_name, (SELECT
	task_type FROM tl_role q WHERE q.kind = c.kind AND q.class = c.class)
	AS api_type, (SELECT process_id FROM tl_process p WHERE p.process =
	(SELECT process FROM tl_lane l WHERE l.lane = c.lane)) AS process_id,
	(SELECT thread_id FROM tl_lane l WHERE l.lane = c.lane) AS thread_id,
	(SELECT t FROM tl_const) AS global_tid, (SELECT t FROM tl_const) AS
	context_id, (SELECT t FROM tl_const) AS device_id, c.correlation_id,
	(SELECT match FROM tl_const) AS match_policy, (SELECT t FROM tl_const)
	AS raw_json
FROM tl_event c WHERE c.kind = 6;

CREATE VIEW traceloom_v_runtime_call_family AS SELECT
	c.runtime_call_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT
	provider FROM tl_const) AS provider, (SELECT clock FROM tl_const) AS
	clock_domain, (SELECT source_table FROM tl_tag g WHERE g.tag = c.tag)
	AS source_table, c.source_key, c.start_ns, c.end_ns, c.dur_us, (SELECT
	symbol FROM tl_name n WHERE n.name = c.name) AS api_name, (SELECT
	task_type FROM tl_role q WHERE q.kind = c.kind AND q.class = c.class)
	AS api_type, (SELECT process_id FROM tl_process p WHERE p.process =
	(SELECT process FROM tl_lane l WHERE l.lane = c.lane)) AS process_id,
	(SELECT thread_id FROM tl_lane l WHERE l.lane = c.lane) AS thread_id,
	(SELECT t FROM tl_const) AS global_tid, (SELECT t FROM tl_const) AS
	context_id, (SELECT t FROM tl_const) AS device_id, c.correlation_id,
	(SELECT match FROM tl_const) AS match_policy, (SELECT t FROM tl_const)
	AS raw_json, CASE WHEN m.text GLOB '[aA][cC][lL]*' OR m.text GLOB
	'[cC][uU][dD][aA]*' OR m.text GLOB '[hH][iI][pP]*' THEN 'public' ELSE
	'provider_internal_or_unknown' END AS api_layer, CASE WHEN m.text LIKE
	'%synchronize%' THEN 'synchronize' WHEN m.text LIKE '%wait%' THEN
	'wait' WHEN m.text LIKE '%query%' THEN 'query' WHEN m.text LIKE
	'%eventrecord%' THEN 'event_record' WHEN m.text LIKE '%event%' THEN
	'event_lifecycle' WHEN m.text LIKE '%graph%launch%' THEN 'graph_launch'
	WHEN m.text LIKE '%launch%' THEN 'launch' WHEN m.text LIKE '%memcpy%'
	OR m.text LIKE '%memset%' OR m.text LIKE '%inplacecopy%' THEN 'memory'
	WHEN m.text LIKE '%graph%' THEN 'graph_control' ELSE 'other' END AS
	api_family
FROM tl_event c JOIN tl_name m ON m.name = c.name WHERE c.kind = 6;

CREATE VIEW traceloom_v_runtime_call_source_locator AS SELECT
	c.runtime_call_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT
	provider FROM tl_const) AS provider, (SELECT clock FROM tl_const) AS
	clock_domain, (SELECT source_table FROM tl_tag g WHERE g.tag = c.tag)
	AS source_table, c.source_key, c.start_ns, c.end_ns, c.dur_us, (SELECT
	symbol FROM tl_name n WHERE n.name = c.name) AS api_name, (SELECT
	task_type FROM tl_role q WHERE q.kind = c.kind AND q.class = c.class)
	AS api_type, (SELECT process_id FROM tl_process p WHERE p.process =
	(SELECT process FROM tl_lane l WHERE l.lane = c.lane)) AS process_id,
	(SELECT thread_id FROM tl_lane l WHERE l.lane = c.lane) AS thread_id,
	(SELECT t FROM tl_const) AS global_tid, (SELECT t FROM tl_const) AS
	context_id, (SELECT t FROM tl_const) AS device_id, c.correlation_id,
	(SELECT match FROM tl_const) AS match_policy, (SELECT t FROM tl_const)
	AS raw_json, (SELECT source_id FROM tl_const) AS source_id, (SELECT t
	FROM tl_const) AS embedded_table_name, (SELECT rowid_name FROM
	tl_const) AS source_rowid_column, iif(c.tag IS NULL, 'unresolved',
	'referenced') AS resolution_status
FROM tl_event c WHERE c.kind = 6;

CREATE VIEW traceloom_device_work AS SELECT
	e.device_work_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT
	provider FROM tl_const) AS provider, (SELECT device_id FROM tl_lane l
	WHERE l.lane = e.lane) AS device_id, (SELECT word_event FROM tl_const)
	AS work_kind, e.event_id, (SELECT t FROM tl_const) AS task_id, (SELECT
	launch FROM tl_member m WHERE m.event = e.event) AS
	graph_launch_occurrence_id, (SELECT source_table FROM tl_tag g WHERE
	g.tag = e.tag) AS source_table, e.source_key, e.start_ns, e.end_ns,
	e.dur_us, (SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT
	sym FROM tl_keys k WHERE k.keys = e.keys), e.name)) AS symbol, (SELECT
	t FROM tl_const) AS raw_json
FROM tl_event e WHERE e.kind <= 5;

CREATE VIEW traceloom_v_device_work_source_locator AS SELECT
	e.device_work_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT
	provider FROM tl_const) AS provider, (SELECT device_id FROM tl_lane l
	WHERE l.lane = e.lane) AS device_id, (SELECT word_event FROM tl_const)
	AS work_kind, e.event_id, (SELECT t FROM tl_const) AS task_id, (SELECT
	launch FROM tl_member m WHERE m.event = e.event) AS
	graph_launch_occurrence_id, (SELECT source_table FROM tl_tag g WHERE
	g.tag = e.tag) AS source_table, e.source_key, e.start_ns, e.end_ns,
	e.dur_us, (SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT
	sym FROM tl_keys k WHERE k.keys = e.keys), e.name)) AS symbol, (SELECT
	t FROM tl_const) AS raw_json, (SELECT source_id FROM tl_const) AS
	source_id, (SELECT t FROM tl_const) AS embedded_table_name, (SELECT
	rowid_name FROM tl_const) AS source_rowid_column, iif(e.tag IS NULL,
	'unresolved', 'referenced') AS resolution_status
FROM tl_event e WHERE e.kind <= 5;

CREATE VIEW traceloom_runtime_device_relation AS SELECT
	e.relation_id, (SELECT db_idx FROM tl_const) AS db_idx,
	c.runtime_call_id, e.device_work_id, (SELECT relation FROM tl_const) AS
	relation_kind, (SELECT match FROM tl_const) AS match_policy, (SELECT
	direct FROM tl_const) AS evidence_level, (SELECT v FROM (SELECT
	iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation
	= e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane =
	x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'supported_exact', 'supported_deterministic') AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS support_state, (SELECT v FROM (SELECT
	iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation
	= e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane =
	x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'one_to_one', 'many_to_one') AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS cardinality, (SELECT v FROM (SELECT (SELECT count(*) FROM
	tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation AND
	(SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT
	process FROM tl_lane l WHERE l.lane = e.lane)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS runtime_candidate_count, (SELECT i FROM
	tl_const) AS device_candidate_count, e.correlation_id, (SELECT t FROM
	tl_const) AS raw_json
FROM tl_event e JOIN tl_event c ON c.correlation = e.correlation AND c.kind = 6
AND (SELECT process FROM tl_lane l WHERE l.lane = c.lane) IS (SELECT process
FROM tl_lane l WHERE l.lane = e.lane) WHERE e.kind <= 5 AND c.event = (SELECT
min(x.event) FROM tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation
AND (SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT process
FROM tl_lane l WHERE l.lane = e.lane));

CREATE VIEW traceloom_v_runtime_device AS SELECT
	e.relation_id, (SELECT db_idx FROM tl_const) AS db_idx,
	c.runtime_call_id, e.device_work_id, (SELECT relation FROM tl_const) AS
	relation_kind, (SELECT match FROM tl_const) AS match_policy, (SELECT
	direct FROM tl_const) AS evidence_level, (SELECT v FROM (SELECT
	iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation
	= e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane =
	x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'supported_exact', 'supported_deterministic') AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS support_state, (SELECT v FROM (SELECT
	iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation
	= e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane =
	x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'one_to_one', 'many_to_one') AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS cardinality, (SELECT v FROM (SELECT (SELECT count(*) FROM
	tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation AND
	(SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT
	process FROM tl_lane l WHERE l.lane = e.lane)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS runtime_candidate_count, (SELECT i FROM
	tl_const) AS device_candidate_count, e.correlation_id, (SELECT t FROM
	tl_const) AS raw_json, +(SELECT provider FROM tl_const) AS provider,
	(SELECT clock FROM tl_const) AS clock_domain, (SELECT source_table FROM
	tl_tag g WHERE g.tag = c.tag) AS runtime_source_table, c.source_key AS
	runtime_source_key, c.start_ns AS runtime_start_ns, c.end_ns AS
	runtime_end_ns, c.dur_us AS runtime_dur_us, (SELECT symbol FROM tl_name
	n WHERE n.name = c.name) AS api_name, (SELECT task_type FROM tl_role q
	WHERE q.kind = c.kind AND q.class = c.class) AS api_type, (SELECT
	process_id FROM tl_process p WHERE p.process = (SELECT process FROM
	tl_lane l WHERE l.lane = c.lane)) AS process_id, (SELECT thread_id FROM
	tl_lane l WHERE l.lane = c.lane) AS thread_id, (SELECT t FROM tl_const)
	AS global_tid, (SELECT t FROM tl_const) AS runtime_context_id, (SELECT
	device_id FROM tl_lane l WHERE l.lane = e.lane) AS device_id, (SELECT
	word_event FROM tl_const) AS work_kind, e.event_id, (SELECT t FROM
	tl_const) AS task_id, (SELECT launch FROM tl_member m WHERE m.event =
	e.event) AS graph_launch_occurrence_id, (SELECT source_table FROM
	tl_tag g WHERE g.tag = e.tag) AS device_source_table, e.source_key AS
	device_source_key, e.start_ns AS device_start_ns, e.end_ns AS
	device_end_ns, e.dur_us AS device_dur_us, (SELECT symbol FROM tl_name n
	WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys =
	e.keys), e.name)) AS device_symbol
FROM tl_event e JOIN tl_event c ON c.correlation = e.correlation AND c.kind = 6
AND (SELECT process FROM tl_lane l WHERE l.lane = c.lane) IS (SELECT process
FROM tl_lane l WHERE l.lane = e.lane) WHERE e.kind <= 5 AND c.event = (SELECT
min(x.event) FROM tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation
AND (SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT process
FROM tl_lane l WHERE l.lane = e.lane));

CREATE VIEW traceloom_v_sync_runtime_call AS SELECT
	e.device_work_id AS sync_action_id, (SELECT symbol FROM tl_name n WHERE
	n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys = e.keys),
	e.name)) AS sync_kind, e.relation_id, (SELECT db_idx FROM tl_const) AS
	db_idx, c.runtime_call_id, e.device_work_id, (SELECT relation FROM
	tl_const) AS relation_kind, (SELECT match FROM tl_const) AS
	match_policy, (SELECT direct FROM tl_const) AS evidence_level, (SELECT
	v FROM (SELECT iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6
	AND x.correlation = e.correlation AND (SELECT process FROM tl_lane l
	WHERE l.lane = x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane =
	e.lane)) = 1, 'supported_exact', 'supported_deterministic') AS v UNION
	ALL SELECT t FROM tl_const WHERE 0)) AS support_state, (SELECT v FROM
	(SELECT iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND
	x.correlation = e.correlation AND (SELECT process FROM tl_lane l WHERE
	l.lane = x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane =
	e.lane)) = 1, 'one_to_one', 'many_to_one') AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS cardinality, (SELECT v FROM (SELECT (SELECT
	count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation =
	e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane = x.lane)
	IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) AS v UNION
	ALL SELECT i FROM tl_const WHERE 0)) AS runtime_candidate_count,
	(SELECT i FROM tl_const) AS device_candidate_count, e.correlation_id,
	(SELECT t FROM tl_const) AS raw_json, +(SELECT provider FROM tl_const)
	AS provider, (SELECT clock FROM tl_const) AS clock_domain, (SELECT
	source_table FROM tl_tag g WHERE g.tag = c.tag) AS
	runtime_source_table, c.source_key AS runtime_source_key, c.start_ns AS
	runtime_start_ns, c.end_ns AS runtime_end_ns, c.dur_us AS
	runtime_dur_us, (SELECT symbol FROM tl_name n WHERE n.name = c.name) AS
	api_name, (SELECT task_type FROM tl_role q WHERE q.kind = c.kind AND
	q.class = c.class) AS api_type, (SELECT process_id FROM tl_process p
	WHERE p.process = (SELECT process FROM tl_lane l WHERE l.lane =
	c.lane)) AS process_id, (SELECT thread_id FROM tl_lane l WHERE l.lane =
	c.lane) AS thread_id, (SELECT t FROM tl_const) AS global_tid, (SELECT t
	FROM tl_const) AS runtime_context_id, (SELECT device_id FROM tl_lane l
	WHERE l.lane = e.lane) AS device_id, (SELECT word_event FROM tl_const)
	AS work_kind, e.event_id, (SELECT t FROM tl_const) AS task_id, (SELECT
	launch FROM tl_member m WHERE m.event = e.event) AS
	graph_launch_occurrence_id, (SELECT source_table FROM tl_tag g WHERE
	g.tag = e.tag) AS device_source_table, e.source_key AS
	device_source_key, e.start_ns AS device_start_ns, e.end_ns AS
	device_end_ns, e.dur_us AS device_dur_us, (SELECT symbol FROM tl_name n
	WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys =
	e.keys), e.name)) AS device_symbol
FROM tl_event e JOIN tl_event c ON c.correlation = e.correlation AND c.kind = 6
AND (SELECT process FROM tl_lane l WHERE l.lane = c.lane) IS (SELECT process
FROM tl_lane l WHERE l.lane = e.lane) WHERE e.kind = 3 AND c.event = (SELECT
min(x.event) FROM tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation
AND (SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT process
FROM tl_lane l WHERE l.lane = e.lane));

CREATE VIEW traceloom_v_anchor_runtime_call AS SELECT
	a.anchor_id, (SELECT db_idx FROM tl_const) AS db_idx, (SELECT device_id
	FROM tl_lane l WHERE l.lane = e.lane) AS device_id, a.anchor_idx,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce((SELECT sym FROM
	tl_keys k WHERE k.keys = e.keys), e.name)) AS anchor_symbol, (SELECT
	role FROM tl_role q WHERE q.kind = e.kind AND q.class = e.class) AS
	anchor_role, e.start_ns AS anchor_start_ns, e.end_ns AS anchor_end_ns,
	(SELECT word_event FROM tl_const) AS endpoint_kind, e.relation_id,
	(SELECT db_idx FROM tl_const) AS "db_idx:1", c.runtime_call_id,
	e.device_work_id, (SELECT relation FROM tl_const) AS relation_kind,
	(SELECT match FROM tl_const) AS match_policy, (SELECT direct FROM
	tl_const) AS evidence_level, (SELECT v FROM (SELECT iif((SELECT
	count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation =
	e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane = x.lane)
	IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'supported_exact', 'supported_deterministic') AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS support_state, (SELECT v FROM (SELECT
	iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation
	= e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane =
	x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'one_to_one', 'many_to_one') AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS cardinality, (SELECT v FROM (SELECT (SELECT count(*) FROM
	tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation AND
	(SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT
	process FROM tl_lane l WHERE l.lane = e.lane)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS runtime_candidate_count, (SELECT i FROM
	tl_const) AS device_candidate_count, e.correlation_id, (SELECT t FROM
	tl_const) AS raw_json, +(SELECT provider FROM tl_const) AS provider,
	(SELECT clock FROM tl_const) AS clock_domain, (SELECT source_table FROM
	tl_tag g WHERE g.tag = c.tag) AS runtime_source_table, c.source_key AS
	runtime_source_key, c.start_ns AS runtime_start_ns, c.end_ns AS
	runtime_end_ns, c.dur_us AS runtime_dur_us, (SELECT symbol FROM tl_name
	n WHERE n.name = c.name) AS api_name, (SELECT task_type FROM tl_role q
	WHERE q.kind = c.kind AND q.class = c.class) AS api_type, (SELECT
	process_id FROM tl_process p WHERE p.process = (SELECT process FROM
	tl_lane l WHERE l.lane = c.lane)) AS process_id, (SELECT thread_id FROM
	tl_lane l WHERE l.lane = c.lane) AS thread_id, (SELECT t FROM tl_const)
	AS global_tid, (SELECT t FROM tl_const) AS runtime_context_id, (SELECT
	device_id FROM tl_lane l WHERE l.lane = e.lane) AS "device_id:1",
	(SELECT word_event FROM tl_const) AS work_kind, e.event_id, (SELECT t
	FROM tl_const) AS task_id, (SELECT launch FROM tl_member m WHERE
	m.event = e.event) AS graph_launch_occurrence_id, (SELECT source_table
	FROM tl_tag g WHERE g.tag = e.tag) AS device_source_table, e.source_key
	AS device_source_key, e.start_ns AS device_start_ns, e.end_ns AS
	device_end_ns, e.dur_us AS device_dur_us, (SELECT symbol FROM tl_name n
	WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys =
	e.keys), e.name)) AS device_symbol
FROM tl_span a LEFT JOIN tl_event e ON e.event = a.event LEFT JOIN tl_event c
ON c.event = a.call WHERE a.call IS NOT NULL;

CREATE VIEW traceloom_anchor_runtime_relation AS SELECT
	a.anchor_id, e.relation_id, c.runtime_call_id, e.device_work_id,
	(SELECT word_event FROM tl_const) AS endpoint_kind
FROM tl_span a LEFT JOIN tl_event e ON e.event = a.event LEFT JOIN tl_event c
ON c.event = a.call WHERE a.call IS NOT NULL;

CREATE VIEW traceloom_v_node_runtime_call AS SELECT
	n.node_id, n.local_node_id, (SELECT tree_view FROM tl_const) AS
	view_name, o.idx AS occurrence_idx, (SELECT v FROM (SELECT a.span -
	o.first + 1 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	anchor_order, o.coverage AS coverage_kind, (SELECT v FROM (SELECT (WITH
	RECURSIVE up (span, text) AS (SELECT o.span, '' UNION ALL SELECT
	u.span, iif(x.iteration IS NULL, '', printf('/N%03d#%d', u.number,
	x.iteration)) || up.text FROM up JOIN tl_span x ON x.span = up.span
	JOIN tl_span u ON u.span = x.parent) SELECT substr(text, 2) FROM up
	ORDER BY length(text) DESC LIMIT 1) AS v UNION ALL SELECT t FROM
	tl_const WHERE 0)) AS repeat_context, a.anchor_idx, e.relation_id,
	(SELECT db_idx FROM tl_const) AS db_idx, c.runtime_call_id,
	e.device_work_id, (SELECT relation FROM tl_const) AS relation_kind,
	(SELECT match FROM tl_const) AS match_policy, (SELECT direct FROM
	tl_const) AS evidence_level, (SELECT v FROM (SELECT iif((SELECT
	count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation =
	e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane = x.lane)
	IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'supported_exact', 'supported_deterministic') AS v UNION ALL SELECT t
	FROM tl_const WHERE 0)) AS support_state, (SELECT v FROM (SELECT
	iif((SELECT count(*) FROM tl_event x WHERE x.kind = 6 AND x.correlation
	= e.correlation AND (SELECT process FROM tl_lane l WHERE l.lane =
	x.lane) IS (SELECT process FROM tl_lane l WHERE l.lane = e.lane)) = 1,
	'one_to_one', 'many_to_one') AS v UNION ALL SELECT t FROM tl_const
	WHERE 0)) AS cardinality, (SELECT v FROM (SELECT (SELECT count(*) FROM
	tl_event x WHERE x.kind = 6 AND x.correlation = e.correlation AND
	(SELECT process FROM tl_lane l WHERE l.lane = x.lane) IS (SELECT
	process FROM tl_lane l WHERE l.lane = e.lane)) AS v UNION ALL SELECT i
	FROM tl_const WHERE 0)) AS runtime_candidate_count, (SELECT i FROM
	tl_const) AS device_candidate_count, e.correlation_id, (SELECT t FROM
	tl_const) AS raw_json, +(SELECT provider FROM tl_const) AS provider,
	(SELECT clock FROM tl_const) AS clock_domain, (SELECT source_table FROM
	tl_tag g WHERE g.tag = c.tag) AS runtime_source_table, c.source_key AS
	runtime_source_key, c.start_ns AS runtime_start_ns, c.end_ns AS
	runtime_end_ns, c.dur_us AS runtime_dur_us, (SELECT symbol FROM tl_name
	n WHERE n.name = c.name) AS api_name, (SELECT task_type FROM tl_role q
	WHERE q.kind = c.kind AND q.class = c.class) AS api_type, (SELECT
	process_id FROM tl_process p WHERE p.process = (SELECT process FROM
	tl_lane l WHERE l.lane = c.lane)) AS process_id, (SELECT thread_id FROM
	tl_lane l WHERE l.lane = c.lane) AS thread_id, (SELECT t FROM tl_const)
	AS global_tid, (SELECT t FROM tl_const) AS runtime_context_id, (SELECT
	device_id FROM tl_lane l WHERE l.lane = e.lane) AS device_id, (SELECT
	word_event FROM tl_const) AS work_kind, e.event_id, (SELECT t FROM
	tl_const) AS task_id, (SELECT launch FROM tl_member m WHERE m.event =
	e.event) AS graph_launch_occurrence_id, (SELECT source_table FROM
	tl_tag g WHERE g.tag = e.tag) AS device_source_table, e.source_key AS
	device_source_key, e.start_ns AS device_start_ns, e.end_ns AS
	device_end_ns, e.dur_us AS device_dur_us, (SELECT symbol FROM tl_name n
	WHERE n.name = coalesce((SELECT sym FROM tl_keys k WHERE k.keys =
	e.keys), e.name)) AS device_symbol
FROM tl_node n JOIN tl_span o ON o.node = n.node CROSS JOIN tl_span a ON a.span
BETWEEN o.first AND o.last LEFT JOIN tl_event e ON e.event = a.event LEFT JOIN
tl_event c ON c.event = a.call WHERE a.call IS NOT NULL;

CREATE VIEW traceloom_operator_audit AS SELECT
	(SELECT symbol FROM tl_name n WHERE n.name = e.name) AS operator_name,
	(SELECT task_type FROM tl_role q WHERE q.kind = e.kind AND q.class =
	e.class) AS task_type, (SELECT v FROM (SELECT e.n AS v UNION ALL SELECT
	i FROM tl_const WHERE 0)) AS occurrence_count, (SELECT v FROM (SELECT
	e.total AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	total_duration_ns, (SELECT v FROM (SELECT e.members AS v UNION ALL
	SELECT i FROM tl_const WHERE 0)) AS graph_body_member_count, (SELECT v
	FROM (SELECT e.anchors AS v UNION ALL SELECT i FROM tl_const WHERE 0))
	AS anchor_event_count
FROM (SELECT e.name, e.kind, e.class, count(*) AS n, sum(e.dur_ns) AS total,
count(m.event) AS members, count(s.event) AS anchors FROM tl_event e LEFT JOIN
tl_member m ON m.event = e.event LEFT JOIN tl_span s ON s.event = e.event WHERE
e.kind IN (0, 5) GROUP BY e.name, e.kind, e.class) e;
