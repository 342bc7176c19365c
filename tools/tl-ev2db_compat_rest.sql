-- What is left: relations that are one line over others, and those that no
-- stream has anything for, which are there so that a query that names them
-- finds them empty.

-- Documents of rules, from the #rules lines of the header.
CREATE TABLE tl_rules (
	stage TEXT, digest TEXT, origin TEXT, note TEXT
);
INSERT INTO tl_rules
SELECT substr(a, 1, instr(a, char(9)) - 1),
	substr(b, 1, instr(b, char(9)) - 1), substr(b, instr(b, char(9)) + 1),
	'the stream names the document of rules and not what is in it'
FROM (SELECT a, substr(a, instr(a, char(9)) + 1) AS b
	FROM (SELECT substr(text, 8) AS a FROM tl_header
		WHERE text LIKE '#rules' || char(9) || '%'));

CREATE VIEW traceloom_v_node_anchor_cost AS SELECT
	n.node_id, a.anchor_id, s.idx AS occurrence_idx, (SELECT v FROM (SELECT
	a.span - s.first + 1 AS v UNION ALL SELECT i FROM tl_const WHERE 0)) AS
	anchor_order, e.dur_us AS anchor_dur_us, (SELECT role FROM tl_role q
	WHERE q.kind = e.kind AND q.class = e.class) AS anchor_role, (SELECT
	symbol FROM tl_node x WHERE x.node = a.node) AS anchor_symbol, (SELECT
	symbol FROM tl_node x WHERE x.node = a.node) AS anchor_label
FROM tl_node n JOIN tl_span s ON s.node = n.node CROSS JOIN tl_span a ON a.span
BETWEEN s.first AND s.last CROSS JOIN tl_event e ON e.event = a.event;

CREATE VIEW traceloom_v_semantic_tree_node AS SELECT
	s.node_id, s.tree_id, s.db_idx, s.device_id, s.view_name, s.tree_kind,
	s.local_node_id, s.parent_node_id, s.parent_local_node_id,
	s.preorder_idx, s.sibling_order, s.path, s.depth, s.display_depth,
	s.loop_depth, s.node_type, s.semantic_kind, s.symbol, s.label,
	s.category, s.repeat_count, s.occurrence_count, s.anchor_count,
	s.first_anchor_idx, s.last_anchor_idx, s.start_ns, s.end_ns,
	s.compute_us, s.comm_us, s.idle_us, s.total_us, s.avg_compute_us,
	s.avg_comm_us, s.avg_idle_us, s.avg_total_us, s.self_us,
	s.aux_event_count, s.aux_us, s.hidden_aux_event_count, s.hidden_aux_us,
	s.raw_json, (SELECT t FROM tl_const) AS parent_local_id, (SELECT symbol
	FROM tl_node u WHERE u.node_id = s.parent_node_id) AS parent_label,
	NULL AS comm_pct, NULL AS idle_pct
FROM traceloom_semantic_node s;

CREATE VIEW traceloom_v_node_cost AS SELECT
	v.node_id, v.db_idx, v.device_id, v.view_name, v.local_node_id, v.path,
	v.node_type, v.kind, v.symbol, v.label, v.category, v.depth, v.level,
	v.repeat_label, v.repeat_count, v.occurrence_count, v.anchor_count,
	v.anchors_per_occurrence, v.first_anchor_idx, v.last_anchor_idx,
	v.compute_us, v.comm_us, v.idle_us, v.total_us, v.avg_compute_us,
	v.avg_comm_us, v.avg_idle_us, v.avg_total_us, v.self_us, v.aux_events,
	v.aux_us, v.raw_json, NULL AS sql_anchor_us, NULL AS sql_aux_us
FROM traceloom_viz_node v;

-- Rules that the stream tells of; of a document of which it tells no rule, the
-- document.
CREATE VIEW tl_rule_or_document AS
SELECT stage, rule, priority, origin, digest, source_line, line,
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key = 'note')
	AS note
FROM rule_hits r
UNION ALL SELECT stage, stage, NULL, origin, digest, NULL, NULL, note
FROM tl_rules d WHERE NOT EXISTS (SELECT 1 FROM rule_hits r
	WHERE r.stage = d.stage AND r.digest = d.digest);

CREATE TABLE traceloom_event_reconciliation_rule (
	policy_id TEXT, policy_version TEXT, rule_id TEXT, priority INTEGER,
	provider_scope TEXT, source_domain TEXT, task_type TEXT,
	generic_context_id INTEGER, concrete_context_id INTEGER,
	min_contained_fraction REAL, task_op_type TEXT,
	communication_op_name_prefix TEXT, identity_policy TEXT,
	rule_origin TEXT, rule_origin_sha256 TEXT, source_line INTEGER,
	note TEXT
);
INSERT INTO traceloom_event_reconciliation_rule SELECT
	r.stage, NULL, r.rule, r.priority,
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'provider_scope'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'source_domain'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'task_type'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'generic_context_id'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'concrete_context_id'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'min_contained_fraction'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'task_op_type'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'communication_op_name_prefix'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'identity_policy'),
	r.origin, r.digest, r.source_line, r.note
FROM tl_rule_or_document r WHERE r.stage = 'event_reconciliation';

CREATE TABLE traceloom_symbol_normalization_rule (
	policy_id TEXT, policy_version TEXT, rule_id TEXT, precedence INTEGER,
	provider_scope TEXT, source_domain TEXT, match_mode TEXT,
	match_expression TEXT, structural_symbol TEXT, required_fields TEXT,
	rule_origin TEXT, rule_origin_sha256 TEXT, source_line INTEGER,
	description TEXT
);
INSERT INTO traceloom_symbol_normalization_rule SELECT
	r.stage, NULL, r.rule, r.priority,
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'provider_scope'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'source_domain'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'match'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'pattern'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'structural_symbol'),
	(SELECT value FROM rule_keys k WHERE k.line = r.line AND key =
	'field'),
	r.origin, r.digest, r.source_line, r.note
FROM tl_rule_or_document r WHERE r.stage = 'symbol_normalization';

CREATE TABLE traceloom_anchor_aux_slot (
	anchor_id TEXT, db_idx INTEGER, device_id INTEGER, anchor_idx INTEGER,
	anchor_step_idx INTEGER, aux_start_step_idx INTEGER, aux_end_step_idx
	INTEGER, aux_event_count INTEGER, aux_dur_us REAL, raw_json TEXT
);
CREATE TABLE traceloom_anchor_cost_breakdown (
	anchor_idx INTEGER, symbol TEXT, anchor_kind TEXT, total_us REAL,
	self_us REAL, aux_us REAL, graph_child_us REAL, residual_us REAL,
	raw_child_task_count INTEGER, top_ops TEXT, diagnostic_flags TEXT
);
CREATE TABLE traceloom_anchor_host_activity (
	interval_id TEXT, runtime_call_id TEXT, observed_order INTEGER
);
CREATE TABLE traceloom_anchor_host_api_summary (
	interval_id TEXT, api_family TEXT, call_count INTEGER,
	distinct_api_name_count INTEGER, scheduled_call_us REAL,
	scheduled_overlap_us REAL
);
CREATE TABLE traceloom_aux_link (
	anchor_id TEXT, aux_event_id TEXT, db_idx INTEGER, device_id INTEGER,
	aux_order INTEGER, aux_step_idx INTEGER, link_type TEXT, reason TEXT,
	aux_kind TEXT, aux_dur_us REAL, raw_json TEXT
);
CREATE TABLE traceloom_collective_global_link (
	candidate_collective_key TEXT, db_name TEXT, db_idx INTEGER, device_id
	INTEGER, member_id TEXT, pair_id TEXT, local_node_id TEXT,
	occurrence_idx INTEGER, idx_in_occurrence INTEGER, op_type TEXT,
	anchor_id TEXT, event_id TEXT, source_table TEXT, source_key TEXT,
	connection_id TEXT, op_id TEXT, start_ns INTEGER, end_ns INTEGER,
	dur_us REAL, validation_status TEXT, confidence REAL
);
CREATE TABLE traceloom_cuda_graph_envelope (
	envelope_id TEXT, db_idx INTEGER, device_id INTEGER, graph_provider
	TEXT, graph_kind TEXT, envelope_idx INTEGER, graph_event_id TEXT,
	child_event_id TEXT, graph_step_idx INTEGER, child_step_idx INTEGER,
	relation TEXT, stream_relation TEXT, graph_id TEXT, graph_exec_id TEXT,
	graph_correlation_id TEXT, graph_start_ns INTEGER, graph_end_ns
	INTEGER, child_start_ns INTEGER, child_end_ns INTEGER, start_offset_us
	REAL, end_offset_us REAL, child_dur_us REAL, raw_json TEXT
);
CREATE TABLE traceloom_cuda_graph_replay (
	graph_event_id TEXT, db_idx INTEGER, device_id INTEGER, graph_provider
	TEXT, graph_kind TEXT, graph_event_idx INTEGER, event_id TEXT, step_idx
	INTEGER, stream_id INTEGER, correlation_id TEXT, graph_id TEXT,
	graph_exec_id TEXT, context_id TEXT, start_ns INTEGER, end_ns INTEGER,
	dur_us REAL, enclosed_event_count INTEGER, enclosed_event_us REAL,
	enclosed_kernel_count INTEGER, enclosed_kernel_us REAL, raw_json TEXT
);
CREATE TABLE traceloom_event_reconciliation_decision (
	decision_id TEXT, db_idx INTEGER, policy_id TEXT, policy_version TEXT,
	rule_id TEXT, status TEXT, reason_code TEXT, canonical_event_id TEXT,
	envelope_event_id TEXT, canonical_anchor_id TEXT, canonical_start_ns
	INTEGER, canonical_end_ns INTEGER, contained_fraction REAL,
	member_count INTEGER
);
CREATE TABLE traceloom_event_reconciliation_member (
	decision_id TEXT, member_order INTEGER, db_idx INTEGER, event_id TEXT,
	source_domain TEXT, task_id INTEGER, communication_op_id INTEGER,
	source_path TEXT, source_table TEXT, source_key TEXT, device_id
	INTEGER, stream_id INTEGER, raw_task_id INTEGER, raw_global_task_id
	INTEGER, raw_connection_id INTEGER, raw_context_id INTEGER, member_role
	TEXT, contributes_timing INTEGER, contributes_symbol INTEGER,
	contributes_cost INTEGER, retained_as_normalized_evidence INTEGER
);
CREATE TABLE traceloom_event_reconciliation_policy (
	policy_id TEXT, policy_version TEXT, manifest_schema TEXT,
	source_manifest TEXT, manifest_sha256 TEXT, unmatched_behavior TEXT,
	description TEXT
);
CREATE TABLE traceloom_evidence_role_decision (
	decision_id TEXT, db_idx INTEGER, device_id INTEGER, task_id INTEGER,
	event_id TEXT, source_ref_id INTEGER, source_domain TEXT,
	input_provider_scope TEXT, policy_id TEXT, policy_version TEXT,
	manifest_sha256 TEXT, policy_role TEXT, final_role TEXT, rule_id TEXT,
	rule_class TEXT, matched_rule INTEGER, priority INTEGER,
	declaration_order INTEGER, policy_structural_participation TEXT,
	effective_structural_participation TEXT, support_state TEXT,
	reason_code TEXT, available_fields TEXT, required_fields TEXT,
	missing_required_fields TEXT, missing_capability_rule_ids TEXT,
	cost_treatment TEXT, context_treatment TEXT, provenance_treatment TEXT,
	source_table TEXT, source_key TEXT, start_ns INTEGER, end_ns INTEGER,
	duration_ns INTEGER
);
CREATE TABLE traceloom_evidence_role_issue (
	issue_id TEXT, decision_id TEXT, code TEXT, support_state TEXT,
	related_ids TEXT
);
CREATE TABLE traceloom_evidence_role_placement (
	decision_id TEXT, placement_order INTEGER, placement_kind TEXT,
	placement_id TEXT, owner_id TEXT, relation_name TEXT, support_state
	TEXT, reason_code TEXT
);
CREATE TABLE traceloom_evidence_role_policy (
	policy_id TEXT, policy_version TEXT, manifest_schema TEXT,
	manifest_sha256 TEXT, provider_scopes TEXT, fallback_identity_role
	TEXT, fallback_cost_treatment TEXT, fallback_context_treatment TEXT,
	fallback_provenance_treatment TEXT, missing_evidence_behavior TEXT,
	input_format TEXT, input_sources TEXT, effective_config_sha256 TEXT,
	config_overrides TEXT, config_override_contract TEXT
);
CREATE TABLE traceloom_evidence_role_rule (
	policy_id TEXT, rule_id TEXT, rule_class TEXT, priority INTEGER,
	declaration_order INTEGER, provider_scope TEXT, source_domain TEXT,
	match_field TEXT, match_kind TEXT, pattern TEXT, role TEXT,
	required_fields TEXT, structural_participation TEXT, cost_treatment
	TEXT, context_treatment TEXT, provenance_treatment TEXT,
	missing_evidence_behavior TEXT, concrete_identity_behavior TEXT, note
	TEXT, source_line INTEGER
);
CREATE TABLE traceloom_replay_body_pattern_definition (
	pattern_id TEXT, domain_id TEXT, db_idx INTEGER, device_id INTEGER,
	local_pattern_id TEXT, node_kind TEXT, label TEXT, category TEXT,
	repeat_count INTEGER, display_depth INTEGER, loop_depth INTEGER,
	occurrence_count INTEGER, positions_per_occurrence INTEGER,
	visibility_reason TEXT
);
CREATE TABLE traceloom_replay_body_pattern_domain (
	domain_id TEXT, run_id TEXT, db_idx INTEGER, device_id INTEGER,
	graph_template_id INTEGER, slot_role TEXT, aggregation_scope TEXT,
	replay_body_template_id INTEGER, stream_id INTEGER, support_status
	TEXT, reason_code TEXT, position_count INTEGER, grammar_mode TEXT,
	grammar_stop_reason TEXT, grammar_live_node_count INTEGER,
	grammar_macro_def_count INTEGER, grammar_description_element_count
	INTEGER, grammar_description_ratio REAL, grammar_step_count INTEGER,
	pattern_definition_count INTEGER, pattern_occurrence_count INTEGER
);
CREATE TABLE traceloom_replay_body_pattern_issue (
	issue_id TEXT, run_id TEXT, domain_id TEXT, db_idx INTEGER, device_id
	INTEGER, code TEXT, detail TEXT
);
CREATE TABLE traceloom_replay_body_pattern_occurrence (
	occurrence_id TEXT, pattern_id TEXT, domain_id TEXT,
	parent_occurrence_id TEXT, db_idx INTEGER, device_id INTEGER,
	occurrence_index INTEGER, edge_order INTEGER, repeat_iteration INTEGER,
	position_start INTEGER, position_end_exclusive INTEGER, position_count
	INTEGER, duration_p25_sum_ns INTEGER, duration_median_sum_ns INTEGER,
	duration_p75_sum_ns INTEGER, scheduled_work_share_ppm_sum INTEGER,
	scheduled_work_share_supported INTEGER
);
CREATE TABLE traceloom_replay_body_pattern_run (
	run_id TEXT, db_idx INTEGER, support_status TEXT, reason_codes TEXT,
	grammar_mode TEXT, source_relation TEXT, position_count INTEGER,
	supported_domain_count INTEGER, rejected_domain_count INTEGER
);
CREATE TABLE traceloom_replay_body_position (
	position_id TEXT, domain_id TEXT, db_idx INTEGER, device_id INTEGER,
	position_ordinal INTEGER, aggregate_id TEXT, identity TEXT, kind TEXT,
	member_occurrence_count INTEGER, replay_unit_count INTEGER,
	launch_member_count INTEGER, duration_p25_ns INTEGER,
	duration_median_ns INTEGER, duration_p75_ns INTEGER,
	scheduled_work_share_ppm INTEGER, scheduled_work_share_supported
	INTEGER
);
CREATE TABLE traceloom_replay_body_position_member (
	parent_position_id TEXT, parent_occurrence_id TEXT, slot_ordinal
	INTEGER, member_order INTEGER, member_kind TEXT, child_position_id
	TEXT, child_occurrence_id TEXT, terminal_position_id TEXT,
	terminal_position_ordinal INTEGER, terminal_aggregate_id TEXT,
	domain_id TEXT, db_idx INTEGER, device_id INTEGER
);
CREATE TABLE traceloom_replay_body_position_refinement (
	parent_position_id TEXT, slot_ordinal INTEGER, child_position_id TEXT,
	domain_id TEXT, db_idx INTEGER, device_id INTEGER
);
CREATE TABLE traceloom_replay_cost_issue (
	issue_id TEXT, db_idx INTEGER, device_id INTEGER, code TEXT,
	replay_unit_id INTEGER, launch_id TEXT, detail TEXT
);
CREATE TABLE traceloom_replay_cost_stream (
	launch_id TEXT, db_idx INTEGER, device_id INTEGER, stream_id INTEGER,
	lane_ordinal INTEGER, lane_consistent INTEGER, member_count INTEGER,
	task_sum_ns INTEGER, busy_union_ns INTEGER, compute_ns INTEGER,
	communication_ns INTEGER, data_move_ns INTEGER
);
CREATE TABLE traceloom_symbol_normalization_policy (
	policy_id TEXT, policy_version TEXT, policy_kind TEXT, source_manifest
	TEXT, manifest_sha256 TEXT, description TEXT
);
CREATE TABLE traceloom_v_annotated_anchor_timeline (
	anchor_id TEXT, db_idx INTEGER, device_id INTEGER, anchor_idx INTEGER,
	event_id TEXT, step_idx INTEGER, symbol TEXT, role TEXT, label TEXT,
	family TEXT, source_table TEXT, source_key TEXT, stream_id INTEGER,
	category TEXT, semantic_role TEXT, task_type TEXT, start_ns INTEGER,
	end_ns INTEGER, dur_us REAL, replay_annotation_support_state,
	replay_annotation_reason_code, replay_region_count,
	replay_region_state, protected_interval_id, replay_occurrence_id,
	replay_region_start_ns, replay_region_end_ns,
	replay_region_first_anchor_idx, replay_region_last_anchor_idx,
	replay_region_anchor_offset, position_match_count,
	position_support_state, replay_position_id, graph_provider,
	provider_replay_unit_id, replay_pattern_id, graph_launch_occurrence_id,
	replay_body_template_id, body_id, replay_position_member_order,
	replay_position_order, replay_position_match_policy,
	replay_position_association_policy, replay_position_evidence_level,
	row_grain, replay_annotation_semantics, observation_semantics
);
CREATE TABLE traceloom_v_aux_runtime_call (
	anchor_id TEXT, aux_event_id TEXT, aux_order INTEGER, aux_kind TEXT,
	aux_dur_us REAL, relation_id TEXT, db_idx INTEGER, runtime_call_id
	TEXT, device_work_id TEXT, relation_kind TEXT, match_policy TEXT,
	evidence_level TEXT, support_state TEXT, cardinality TEXT,
	runtime_candidate_count INTEGER, device_candidate_count INTEGER,
	correlation_id TEXT, raw_json TEXT, provider, clock_domain TEXT,
	runtime_source_table TEXT, runtime_source_key TEXT, runtime_start_ns
	INTEGER, runtime_end_ns INTEGER, runtime_dur_us REAL, api_name TEXT,
	api_type TEXT, process_id TEXT, thread_id TEXT, global_tid TEXT,
	runtime_context_id TEXT, device_id INTEGER, work_kind TEXT, event_id
	TEXT, task_id TEXT, graph_launch_occurrence_id INTEGER,
	device_source_table TEXT, device_source_key TEXT, device_start_ns
	INTEGER, device_end_ns INTEGER, device_dur_us REAL, device_symbol TEXT
);
CREATE TABLE traceloom_v_cuda_graph_envelope (
	envelope_id TEXT, db_idx INTEGER, device_id INTEGER, graph_provider
	TEXT, graph_kind TEXT, envelope_idx INTEGER, graph_event_id TEXT,
	child_event_id TEXT, graph_step_idx INTEGER, child_step_idx INTEGER,
	relation TEXT, stream_relation TEXT, graph_id TEXT, graph_exec_id TEXT,
	graph_correlation_id TEXT, graph_start_ns INTEGER, graph_end_ns
	INTEGER, child_start_ns INTEGER, child_end_ns INTEGER, start_offset_us
	REAL, end_offset_us REAL, child_dur_us REAL, raw_json TEXT,
	graph_anchor_idx INTEGER, graph_label TEXT, graph_stream_id INTEGER,
	child_label TEXT, child_task_type TEXT, child_source_table TEXT,
	child_stream_id INTEGER, child_symbol TEXT, child_semantic_role TEXT
);
CREATE TABLE traceloom_v_cuda_graph_replay (
	graph_event_id TEXT, db_idx INTEGER, device_id INTEGER, graph_provider
	TEXT, graph_kind TEXT, graph_event_idx INTEGER, event_id TEXT, step_idx
	INTEGER, stream_id INTEGER, correlation_id TEXT, graph_id TEXT,
	graph_exec_id TEXT, context_id TEXT, start_ns INTEGER, end_ns INTEGER,
	dur_us REAL, enclosed_event_count INTEGER, enclosed_event_us REAL,
	enclosed_kernel_count INTEGER, enclosed_kernel_us REAL, raw_json TEXT,
	symbol TEXT, label TEXT, task_type TEXT, semantic_role TEXT,
	semantic_role_reason TEXT, anchor_idx INTEGER
);
CREATE TABLE traceloom_v_event_reconciliation (
	decision_id TEXT, member_order INTEGER, db_idx INTEGER, event_id TEXT,
	source_domain TEXT, task_id INTEGER, communication_op_id INTEGER,
	source_path TEXT, source_table TEXT, source_key TEXT, device_id
	INTEGER, stream_id INTEGER, raw_task_id INTEGER, raw_global_task_id
	INTEGER, raw_connection_id INTEGER, raw_context_id INTEGER, member_role
	TEXT, contributes_timing INTEGER, contributes_symbol INTEGER,
	contributes_cost INTEGER, retained_as_normalized_evidence INTEGER,
	policy_id TEXT, policy_version TEXT, rule_id TEXT, status TEXT,
	reason_code TEXT, canonical_event_id TEXT, envelope_event_id TEXT,
	canonical_anchor_id TEXT, canonical_start_ns INTEGER, canonical_end_ns
	INTEGER, contained_fraction REAL, observed_symbol TEXT,
	observed_start_ns INTEGER, observed_end_ns INTEGER, observed_dur_us
	REAL, canonical_symbol TEXT, canonical_anchor_start_ns INTEGER,
	canonical_anchor_end_ns INTEGER, canonical_anchor_dur_us REAL
);
CREATE TABLE traceloom_v_evidence_role_cost_coverage (
	db_idx INTEGER, input_provider_scope TEXT, policy_id TEXT,
	policy_version TEXT, final_role TEXT, support_state TEXT, event_count,
	retained_duration_ns, identity_duration_ns, non_identity_duration_ns
);
CREATE TABLE traceloom_v_evidence_role_decision (
	decision_id TEXT, db_idx INTEGER, device_id INTEGER, task_id INTEGER,
	event_id TEXT, source_ref_id INTEGER, source_domain TEXT,
	input_provider_scope TEXT, policy_id TEXT, policy_version TEXT,
	manifest_sha256 TEXT, policy_role TEXT, final_role TEXT, rule_id TEXT,
	rule_class TEXT, matched_rule INTEGER, priority INTEGER,
	declaration_order INTEGER, policy_structural_participation TEXT,
	effective_structural_participation TEXT, support_state TEXT,
	reason_code TEXT, available_fields TEXT, required_fields TEXT,
	missing_required_fields TEXT, missing_capability_rule_ids TEXT,
	cost_treatment TEXT, context_treatment TEXT, provenance_treatment TEXT,
	source_table TEXT, source_key TEXT, start_ns INTEGER, end_ns INTEGER,
	duration_ns INTEGER, dur_us REAL, symbol TEXT, label TEXT, raw_label
	TEXT, op_type TEXT, compute_task_type TEXT, task_type TEXT,
	source_ordinal INTEGER, source_role TEXT, source_path, source_raw_json
	TEXT
);
CREATE TABLE traceloom_v_evidence_role_placement (
	db_idx INTEGER, device_id INTEGER, decision_id TEXT, event_id TEXT,
	input_provider_scope TEXT, policy_id TEXT, rule_id TEXT, rule_class
	TEXT, policy_role TEXT, final_role TEXT, decision_support_state TEXT,
	decision_reason_code TEXT, duration_ns INTEGER, placement_order
	INTEGER, placement_kind TEXT, placement_id TEXT, owner_id TEXT,
	relation_name TEXT, placement_support_state TEXT, placement_reason_code
	TEXT, source_table TEXT, source_key TEXT
);
CREATE TABLE traceloom_v_evidence_role_structure (
	decision_id TEXT, event_id TEXT, final_role TEXT, placement_kind TEXT,
	placement_id TEXT, node_id TEXT, occurrence_idx INTEGER, view_name
	TEXT, coverage_kind TEXT
);
CREATE TABLE traceloom_v_exact_replay_partition (
	partition_id, tree_id TEXT, db_idx INTEGER, device_id INTEGER,
	segment_order, coordinate_kind, coordinate_index, segment_label,
	support_state, left_protected_interval_id TEXT,
	right_protected_interval_id, left_replay_unit_id TEXT,
	right_replay_unit_id, first_anchor_idx, last_anchor_idx, anchor_count,
	compute_us, comm_us, idle_us, total_us, aux_us
);
CREATE TABLE traceloom_v_exact_replay_partition_status (
	tree_id TEXT, db_idx INTEGER, device_id INTEGER, replay_interval_count,
	exact_replay_count, unsupported_interval_count, invalid_bound_count,
	overlap_count, support_state, reason_code
);
CREATE TABLE traceloom_v_flattened_execution_timeline (
	timeline_item_id, db_idx INTEGER, device_id INTEGER,
	mainline_anchor_idx INTEGER, mainline_anchor_id TEXT,
	position_anchor_id TEXT, item_kind, event_id TEXT, symbol TEXT, role
	TEXT, label TEXT, family TEXT, source_table TEXT, source_key TEXT,
	stream_id INTEGER, category TEXT, semantic_role TEXT, task_type TEXT,
	start_ns INTEGER, end_ns INTEGER, dur_us REAL, member_kind TEXT,
	lane_ordinal INTEGER, task_ordinal INTEGER, raw_task_id INTEGER,
	observed_position_member_order, replay_annotation_support_state,
	replay_annotation_reason_code, replay_region_state,
	protected_interval_id, replay_occurrence_id, replay_region_start_ns,
	replay_region_end_ns, replay_region_first_anchor_idx,
	replay_region_last_anchor_idx, replay_region_anchor_offset,
	replay_pattern_id, provider_replay_unit_id, replay_position_id,
	graph_launch_occurrence_id, replay_body_template_id, body_id,
	replay_position_member_order, replay_position_order, graph_provider,
	replay_position_match_policy, replay_position_association_policy,
	replay_position_evidence_level, flattening_action, timeline_order,
	row_grain, flattening_semantics, replay_annotation_semantics,
	observation_semantics, duration_aggregation_semantics
);
CREATE TABLE traceloom_v_node_aux_cost (
	node_id TEXT, anchor_id TEXT, aux_event_id TEXT, aux_order INTEGER,
	aux_dur_us REAL, aux_role TEXT, aux_symbol TEXT, aux_label TEXT
);
CREATE TABLE traceloom_v_replay_body_pattern (
	run_id TEXT, graph_template_id INTEGER, slot_role TEXT,
	aggregation_scope TEXT, replay_body_template_id INTEGER, stream_id
	INTEGER, support_status TEXT, pattern_id TEXT, domain_id TEXT, db_idx
	INTEGER, device_id INTEGER, local_pattern_id TEXT, node_kind TEXT,
	label TEXT, category TEXT, repeat_count INTEGER, display_depth INTEGER,
	loop_depth INTEGER, occurrence_count INTEGER, positions_per_occurrence
	INTEGER, visibility_reason TEXT, min_occurrence_median_sum_ns,
	avg_occurrence_median_sum_ns, max_occurrence_median_sum_ns
);
CREATE TABLE traceloom_v_replay_body_pattern_member (
	occurrence_id TEXT, pattern_id TEXT, parent_occurrence_id TEXT,
	occurrence_index INTEGER, repeat_iteration INTEGER, domain_id TEXT,
	position_ordinal INTEGER, aggregate_id TEXT, member_id TEXT,
	contributor_order INTEGER, launch_id TEXT, cost_unit_id TEXT, event_id
	TEXT, identity TEXT, kind TEXT, duration_ns INTEGER, start_ns INTEGER,
	end_ns INTEGER, raw_task_id INTEGER, composition_slot_id INTEGER,
	slot_order INTEGER, body_id INTEGER, task_ordinal INTEGER, db_idx
	INTEGER, device_id INTEGER
);
CREATE TABLE traceloom_v_replay_body_pattern_position (
	occurrence_id TEXT, pattern_id TEXT, parent_occurrence_id TEXT,
	occurrence_index INTEGER, repeat_iteration INTEGER, position_start
	INTEGER, position_end_exclusive INTEGER, position_id TEXT, domain_id
	TEXT, db_idx INTEGER, device_id INTEGER, position_ordinal INTEGER,
	aggregate_id TEXT, identity TEXT, kind TEXT, member_occurrence_count
	INTEGER, replay_unit_count INTEGER, launch_member_count INTEGER,
	duration_p25_ns INTEGER, duration_median_ns INTEGER, duration_p75_ns
	INTEGER, scheduled_work_share_ppm INTEGER,
	scheduled_work_share_supported INTEGER
);
CREATE TABLE traceloom_v_replay_body_pattern_source_locator (
	occurrence_id TEXT, pattern_id TEXT, domain_id TEXT, position_ordinal
	INTEGER, aggregate_id TEXT, member_id TEXT, event_id TEXT, identity
	TEXT, kind TEXT, duration_ns INTEGER, source_ordinal INTEGER,
	source_table TEXT, source_key TEXT, source_role TEXT, raw_json TEXT,
	db_idx INTEGER, device_id INTEGER
);
CREATE TABLE traceloom_v_replay_body_position_definition (
	position_id TEXT, domain_id TEXT, db_idx INTEGER, device_id INTEGER,
	local_position_id TEXT, position_kind TEXT, label TEXT, category TEXT,
	repeat_count INTEGER, display_depth INTEGER, loop_depth INTEGER,
	occurrence_count INTEGER, terminal_positions_per_occurrence INTEGER,
	visibility_reason TEXT
);
CREATE TABLE traceloom_v_replay_body_position_direct_member (
	parent_position_id TEXT, parent_occurrence_id TEXT, slot_ordinal
	INTEGER, member_order INTEGER, member_kind TEXT, child_position_id
	TEXT, child_occurrence_id TEXT, terminal_position_id TEXT,
	terminal_position_ordinal INTEGER, terminal_aggregate_id TEXT,
	domain_id TEXT, db_idx INTEGER, device_id INTEGER, terminal_identity
	TEXT, terminal_kind TEXT, duration_p25_ns INTEGER, duration_median_ns
	INTEGER, duration_p75_ns INTEGER
);
CREATE TABLE traceloom_v_replay_body_position_occurrence (
	occurrence_id TEXT, position_id TEXT, domain_id TEXT,
	parent_occurrence_id TEXT, db_idx INTEGER, device_id INTEGER,
	occurrence_index INTEGER, repeat_iteration INTEGER, position_start
	INTEGER, position_end_exclusive INTEGER, position_count INTEGER,
	duration_p25_sum_ns INTEGER, duration_median_sum_ns INTEGER,
	duration_p75_sum_ns INTEGER, scheduled_work_share_ppm_sum INTEGER,
	scheduled_work_share_supported INTEGER
);
CREATE TABLE traceloom_v_replay_region_annotation_status (
	db_idx INTEGER, device_id INTEGER, replay_region_count,
	supported_region_count, unsupported_region_count, invalid_bound_count,
	boundary_time_mismatch_count, overlap_count, support_state, reason_code
);
CREATE TABLE traceloom_v_structure_bubble_api_occurrence (
	bubble_id, api_family, call_count, distinct_api_name_count,
	scheduled_call_us, scheduled_overlap_us
);
CREATE TABLE traceloom_v_structure_bubble_api_stats (
	db_idx INTEGER, device_id INTEGER, view_name TEXT,
	structural_position_id TEXT, right_node_id TEXT, right_local_node_id
	TEXT, right_node_symbol TEXT, bubble_occurrence_count,
	host_observable_occurrence_count, total_bubble_us, avg_bubble_us,
	min_bubble_us, max_bubble_us, api_family, presence_count,
	presence_fraction_of_all_bubbles,
	presence_fraction_of_observable_bubbles, host_observation_coverage,
	total_call_count, avg_calls_per_bubble, summed_distinct_api_names,
	avg_calls_per_observable_bubble, total_scheduled_call_us,
	avg_scheduled_call_us_per_bubble, total_scheduled_overlap_us,
	avg_scheduled_overlap_us_per_bubble, interpretation_note
);
CREATE TABLE traceloom_v_structure_bubble_host_context (
	db_idx INTEGER, device_id INTEGER, view_name TEXT,
	structural_position_id TEXT, right_node_id TEXT, right_local_node_id
	TEXT, right_node_path TEXT, right_node_kind TEXT, right_node_symbol
	TEXT, bubble_occurrence_count, supported_host_occurrence_count,
	missing_endpoint_occurrence_count, nonmonotonic_occurrence_count,
	other_unsupported_occurrence_count, total_bubble_us, avg_bubble_us,
	min_bubble_us, max_bubble_us, host_observation_coverage, api_family,
	presence_count, presence_fraction_of_all_bubbles,
	presence_fraction_of_observable_bubbles, total_call_count,
	avg_calls_per_bubble, summed_distinct_api_names,
	avg_calls_per_observable_bubble, total_scheduled_call_us,
	avg_scheduled_call_us_per_bubble, total_scheduled_overlap_us,
	avg_scheduled_overlap_us_per_bubble, interpretation_note
);
CREATE TABLE traceloom_v_structure_bubble_runtime_call (
	bubble_id, db_idx INTEGER, device_id INTEGER, view_name TEXT,
	right_node_id TEXT, right_local_node_id TEXT, right_node_path TEXT,
	right_node_kind TEXT, right_node_symbol TEXT, right_occurrence_idx
	INTEGER, repeat_context TEXT, structural_position_id TEXT,
	left_anchor_id TEXT, left_anchor_idx INTEGER, left_anchor_symbol TEXT,
	left_anchor_role TEXT, left_anchor_start_ns INTEGER, left_anchor_end_ns
	INTEGER, right_anchor_id TEXT, right_anchor_idx INTEGER,
	right_anchor_symbol TEXT, right_anchor_role TEXT, right_anchor_start_ns
	INTEGER, right_anchor_end_ns INTEGER, adjacent_anchor_gap_us,
	bubble_us, transition_compute_us, transition_comm_us,
	transition_total_us, transition_aux_events REAL, transition_aux_us,
	bubble_fraction_of_transition, host_interval_id TEXT, provider TEXT,
	host_clock_domain TEXT, scope_policy TEXT, process_id TEXT, thread_id
	TEXT, host_observation_status TEXT, host_start_ns INTEGER, host_end_ns
	INTEGER, host_interval_us, api_association_semantics, runtime_call_id
	TEXT, api_name TEXT, api_type TEXT, runtime_start_ns INTEGER,
	runtime_end_ns INTEGER, runtime_dur_us REAL, observed_overlap_us,
	interval_relation, "process_id:1" TEXT, "thread_id:1" TEXT,
	runtime_source_table TEXT, runtime_source_key TEXT, observed_order,
	api_layer, api_family
);

-- Facts that are known when the file is made; counts are counted when asked.
CREATE TABLE tl_fact (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
INSERT INTO tl_fact VALUES
	('artifact_kind', 'queryable_database_timeline'),
	('traceloom_schema_version', 'augmented_db_v1'),
	('analytical_projection_contract',
	'scope_population_resolution_domain_lens_coordinates_v2'),
	('structural_coordinate_model', 'hierarchical_position_occurrence_v1'),
	('native_compatibility_materializer', 'tl-ev2db'),
	('anchor_host_activity_materialization_state', 'query_time_only'),
	('anchor_host_activity_count', '0'),
	('anchor_host_api_summary_count', '0'),
	('anchor_host_activity_candidate_upper_bound', '0'),
	('anchor_host_activity_materialization_limit', '0'),
	('source_embedded', 'false'),
	('source_sha256', ''),
	('raw_source_database_count', '1'),
	('operator_audit_status', 'observed_inventory');
INSERT INTO tl_fact SELECT k.key, CAST(m.value AS TEXT) FROM (
	SELECT 'source_kind' AS key, 'source.kind' AS own
	UNION ALL SELECT 'input_format', 'source.schema'
	UNION ALL SELECT 'source_path', 'source.path'
	UNION ALL SELECT 'source_size_bytes', 'source.size') k
	JOIN tl_meta m ON m.key = k.own WHERE m.value IS NOT NULL;
INSERT INTO tl_fact SELECT k.key, r.v FROM (
	SELECT 'event_reconciliation' AS stage,
		'event_reconciliation_manifest_sha256' AS key
	UNION ALL SELECT 'classification', 'evidence_role_manifest_sha256'
	UNION ALL SELECT 'symbol_normalization',
		'symbol_normalization_manifest_sha256') k
	JOIN (SELECT stage, max(digest) AS v FROM tl_rules GROUP BY stage) r
	ON r.stage = k.stage;
-- Records that are evidence of others. A decision for each that has some: its
-- first member is the event, the others are its evidence. Records that were
-- left as they are have none: notes count them.
INSERT INTO traceloom_event_reconciliation_decision SELECT
	'reconciliation-decision-' || (row_number() OVER (ORDER BY v.of_event)
	- 1), 0, 'event_reconciliation', NULL, v.rule, 'reconciled',
	'unique_identity_pair', c.event_id, 'event-' || v.first,
	(SELECT s.anchor_id FROM tl_span s WHERE s.event = c.event),
	c.start_ns, c.start_ns + c.dur_ns, NULL, v.n + 1
FROM (SELECT of_event, min(event) AS first, min(rule) AS rule,
	count(*) AS n FROM evidence GROUP BY of_event) v
	CROSS JOIN tl_event c ON c.event = v.of_event;
INSERT INTO traceloom_event_reconciliation_member SELECT
	d.decision_id, m.member_order, 0, e.event_id,
	CASE WHEN g.token LIKE 'C%' THEN 'communication_op' ELSE 'task' END,
	NULL, NULL, NULL, g.source_table, e.source_key, l.device_id,
	l.stream_id, NULL, NULL, NULL, NULL,
	iif(m.member_order = 0, 'semantic_detail', 'evidence'),
	m.timing, m.member_order = 0, m.timing, 1
FROM (SELECT of_event, of_event AS event, 0 AS member_order,
		max(own_start_ns) IS NULL AS timing
	FROM evidence GROUP BY of_event
	UNION ALL SELECT of_event, event, row_number() OVER (PARTITION BY
		of_event ORDER BY event), own_start_ns IS NOT NULL FROM evidence
	) m
	CROSS JOIN traceloom_event_reconciliation_decision d
		ON d.canonical_event_id = 'event-' || m.of_event
	CROSS JOIN tl_event e ON e.event = m.event
	CROSS JOIN tl_lane l ON l.lane = e.lane
	LEFT JOIN tl_tag g ON g.tag = e.tag
ORDER BY m.of_event, m.member_order;
INSERT INTO traceloom_v_event_reconciliation SELECT
	m.*, d.policy_id, d.policy_version, d.rule_id, d.status, d.reason_code,
	d.canonical_event_id, d.envelope_event_id, d.canonical_anchor_id,
	d.canonical_start_ns, d.canonical_end_ns, d.contained_fraction,
	(SELECT symbol FROM tl_name n WHERE n.name = e.name),
	e.start_ns, e.start_ns + e.dur_ns, e.dur_ns / 1000.0,
	(SELECT symbol FROM tl_name n WHERE n.name = coalesce(
	(SELECT sym FROM tl_keys k WHERE k.keys = c.keys), c.name)),
	c.start_ns, c.start_ns + c.dur_ns, c.dur_ns / 1000.0
FROM traceloom_event_reconciliation_member m
	CROSS JOIN traceloom_event_reconciliation_decision d
		ON d.decision_id = m.decision_id
	CROSS JOIN tl_event e ON e.event = CAST(substr(m.event_id, 7) AS INTEGER)
	CROSS JOIN tl_event c
		ON c.event = CAST(substr(d.canonical_event_id, 7) AS INTEGER);
INSERT INTO tl_fact VALUES ('relations_empty_by_design',
	'traceloom_anchor_aux_slot,' || 'traceloom_anchor_cost_breakdown,' ||
	'traceloom_anchor_host_activity,' ||
	'traceloom_anchor_host_api_summary,' || 'traceloom_aux_link,' ||
	'traceloom_collective_global_link,' || 'traceloom_cuda_graph_envelope,'
	|| 'traceloom_cuda_graph_replay,' ||
	'traceloom_event_reconciliation_policy,' ||
	'traceloom_evidence_role_decision,' || 'traceloom_evidence_role_issue,'
	|| 'traceloom_evidence_role_placement,' ||
	'traceloom_evidence_role_policy,' || 'traceloom_evidence_role_rule,' ||
	'traceloom_replay_body_pattern_definition,' ||
	'traceloom_replay_body_pattern_domain,' ||
	'traceloom_replay_body_pattern_issue,' ||
	'traceloom_replay_body_pattern_occurrence,' ||
	'traceloom_replay_body_pattern_run,' ||
	'traceloom_replay_body_position,' ||
	'traceloom_replay_body_position_member,' ||
	'traceloom_replay_body_position_refinement,' ||
	'traceloom_replay_cost_issue,' || 'traceloom_replay_cost_stream,' ||
	'traceloom_symbol_normalization_policy,' ||
	'traceloom_v_annotated_anchor_timeline,' ||
	'traceloom_v_aux_runtime_call,' || 'traceloom_v_cuda_graph_envelope,'
	|| 'traceloom_v_cuda_graph_replay,' ||
	'traceloom_v_evidence_role_cost_coverage,' ||
	'traceloom_v_evidence_role_decision,' ||
	'traceloom_v_evidence_role_placement,' ||
	'traceloom_v_evidence_role_structure,' ||
	'traceloom_v_exact_replay_partition,' ||
	'traceloom_v_exact_replay_partition_status,' ||
	'traceloom_v_flattened_execution_timeline,' ||
	'traceloom_v_node_aux_cost,' || 'traceloom_v_replay_body_pattern,' ||
	'traceloom_v_replay_body_pattern_member,' ||
	'traceloom_v_replay_body_pattern_position,' ||
	'traceloom_v_replay_body_pattern_source_locator,' ||
	'traceloom_v_replay_body_position_definition,' ||
	'traceloom_v_replay_body_position_direct_member,' ||
	'traceloom_v_replay_body_position_occurrence,' ||
	'traceloom_v_replay_region_annotation_status,' ||
	'traceloom_v_structure_bubble_api_occurrence,' ||
	'traceloom_v_structure_bubble_api_stats,' ||
	'traceloom_v_structure_bubble_host_context,' ||
	'traceloom_v_structure_bubble_runtime_call');
INSERT INTO tl_fact VALUES ('keys_absent_by_design',
	'input_evidence_contract,input_scope,input_evidence_state,' ||
	'input_missing_components,runtime_device_relation_count,' ||
	'event_reconciliation_policy_id,event_reconciliation_policy_version,' ||
	'event_reconciliation_rule_count,evidence_role_policy_id,' ||
	'evidence_role_policy_version,symbol_normalization_policy_id,' ||
	'symbol_normalization_policy_version,' ||
	'symbol_normalization_source_manifest,symbol_normalization_rule_count,' ||
	'match_rules_yaml,match_rules_semantics,suffix_marker_semantics,' ||
	'pair_min_occurrences,analysis_rules_yaml,analysis_rules_semantics,' ||
	'candidate_partition_by,model_structure_semantics,' ||
	'model_structure_rule_id');
CREATE VIEW traceloom_metadata AS
SELECT key, value FROM tl_fact
UNION ALL SELECT 'trace_event_count',
	(SELECT count(*) FROM tl_event WHERE kind <= 6)
UNION ALL SELECT 'runtime_call_count',
	(SELECT count(*) FROM tl_event WHERE kind = 6)
UNION ALL SELECT 'device_work_count',
	(SELECT count(*) FROM tl_event WHERE kind <= 5)
UNION ALL SELECT 'anchor_count', (SELECT count(event) FROM tl_span)
UNION ALL SELECT 'anchor_runtime_relation_count',
	(SELECT count(call) FROM tl_span)
UNION ALL SELECT 'anchor_host_interval_count',
	(SELECT count(*) FROM traceloom_anchor_host_interval)
UNION ALL SELECT 'graph_template_count', (SELECT count(*) FROM tl_unit)
UNION ALL SELECT 'replay_unit_count',
	(SELECT count(*) FROM tl_launch WHERE status = 'exact')
UNION ALL SELECT 'replay_composition_region_count',
	(SELECT count(*) FROM tl_launch)
UNION ALL SELECT 'unrecognized_replay_composition_region_count',
	(SELECT count(*) FROM tl_launch WHERE status <> 'exact')
UNION ALL SELECT 'symbol_normalization_decision_count',
	(SELECT count(event) FROM tl_span)
UNION ALL SELECT 'event_reconciliation_decision_count',
	(SELECT count(*) FROM traceloom_event_reconciliation_decision)
UNION ALL SELECT 'event_reconciliation_member_count',
	(SELECT count(*) FROM traceloom_event_reconciliation_member)
UNION ALL SELECT 'event_reconciliation_reconciled_count',
	(SELECT count(*) FROM traceloom_event_reconciliation_decision)
UNION ALL SELECT 'operator_identity_count',
	(SELECT count(*) FROM traceloom_operator_audit)
UNION ALL SELECT 'operator_occurrence_count',
	(SELECT count(*) FROM tl_event WHERE kind IN (0, 5))
UNION ALL SELECT 'raw_table_count', (SELECT count(*) FROM tl_tag);
