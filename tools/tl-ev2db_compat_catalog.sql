-- What there is to ask: relations, and queries with their parameters.

CREATE TABLE traceloom_analysis_surface (
	surface_name TEXT, relation_name TEXT, row_grain TEXT, purpose TEXT,
	example_sql TEXT
);

CREATE TABLE traceloom_projection_recipe (
	projection_name TEXT, display_order INTEGER, scope_kind TEXT,
	population_mode TEXT, resolution TEXT, observation_domain TEXT,
	measure_lens TEXT, selector_parameters TEXT, purpose TEXT, example_sql
	TEXT
);

CREATE TABLE traceloom_projection_parameter (
	projection_name TEXT, parameter_order INTEGER, parameter_name TEXT,
	sqlite_type TEXT, is_nullable INTEGER, coordinate_kind TEXT,
	selection_relation TEXT, selection_column TEXT, purpose TEXT
);

CREATE TABLE traceloom_projection_coordinate (
	projection_name TEXT, coordinate_order INTEGER, result_column TEXT,
	coordinate_kind TEXT, purpose TEXT
);

INSERT INTO traceloom_analysis_surface VALUES
	('composable_projection', 'traceloom_projection_recipe', 'a query',
	'queries to start with, with their parameters',
	'SELECT projection_name, selector_parameters, purpose ' ||
	'FROM traceloom_projection_recipe ORDER BY ' || 'display_order;'),
	('projection_parameter', 'traceloom_projection_parameter',
	'a parameter of a query',
	'which parameters a query has, and where their values ' || 'are found',
	'SELECT * FROM traceloom_projection_parameter ORDER BY ' ||
	'projection_name, parameter_order;'),
	('projection_coordinate', 'traceloom_projection_coordinate',
	'a column of a query',
	'which results of a query can be put into another',
	'SELECT * FROM traceloom_projection_coordinate ORDER ' ||
	'BY projection_name, coordinate_order;'),
	('projection_continuation', 'traceloom_v_projection_continuation',
	'a column and a parameter', 'which query can follow which',
	'SELECT * FROM traceloom_v_projection_continuation ' ||
	'ORDER BY source_projection, target_projection, ' || 'source_column;'),
	('tree_map', 'traceloom_v_tree_node', 'a node',
	'the tree with its costs',
	'SELECT * FROM traceloom_v_tree_node ORDER BY ' ||
	'device_id, display_order;'),
	('tree_occurrence', 'traceloom_tree_node_occurrence',
	'an occurrence of a node', 'what each occurrence cost',
	'SELECT * FROM traceloom_tree_node_occurrence WHERE ' ||
	'node_id = ''node-N001'';'),
	('hierarchical_position', 'traceloom_v_position', 'a position',
	'the places of the tree',
	'SELECT * FROM traceloom_v_position ORDER BY tree_id, ' ||
	'preorder_idx;'),
	('position_refinement', 'traceloom_position_refinement',
	'a position within another', 'what a position consists of',
	'SELECT * FROM traceloom_position_refinement ORDER BY ' ||
	'parent_position_id, slot_ordinal;'),
	('position_occurrence', 'traceloom_v_position_occurrence',
	'an occurrence of a position', 'when and where a position occurred',
	'SELECT * FROM traceloom_v_position_occurrence WHERE ' ||
	'position_id = ''node-N001'';'),
	('position_direct_member', 'traceloom_v_position_member',
	'a member of an occurrence', 'what is directly in an occurrence',
	'SELECT * FROM traceloom_v_position_member WHERE ' ||
	'parent_occurrence_id = ''node-N001-occurrence-1'';'),
	('execution_tree_edge', 'traceloom_v_tree_edge',
	'an occurrence within another', 'the tree as it ran',
	'SELECT * FROM traceloom_v_tree_edge WHERE ' ||
	'parent_occurrence_id = ''node-N001-occurrence-1'' ORDER ' ||
	'BY edge_order;'),
	('execution_tree_edge_role', 'traceloom_v_tree_edge_role',
	'a position within another', 'how often a child occurs in its parent',
	'SELECT * FROM traceloom_v_tree_edge_role ORDER BY ' ||
	'parent_tree_path, first_edge_order;'),
	('execution_tree_edge_cost', 'traceloom_v_tree_edge_cost',
	'an occurrence within another', 'the tree as it ran, with costs',
	'SELECT * FROM traceloom_v_tree_edge_cost WHERE ' ||
	'parent_occurrence_id = ''node-N001-occurrence-1'' ORDER ' ||
	'BY edge_order;'),
	('structural_order', 'traceloom_structural_order',
	'an event of the structure',
	'in which order the structure was looked for',
	'SELECT * FROM traceloom_structural_order ORDER BY ' ||
	'structural_idx LIMIT 200;'),
	('anchor', 'traceloom_anchor', 'an event of the structure',
	'the events that take part in the structure',
	'SELECT * FROM traceloom_anchor ORDER BY anchor_idx ' || 'LIMIT 200;'),
	('normalized_event', 'traceloom_event', 'an event',
	'all events of devices and calls of the runtime',
	'SELECT * FROM traceloom_event ORDER BY step_idx LIMIT 200;'),
	('anchor_symbol_lineage', 'traceloom_v_anchor_symbol_lineage',
	'an event of the structure', 'where its symbol came from',
	'SELECT * FROM traceloom_v_anchor_symbol_lineage ORDER ' ||
	'BY anchor_idx LIMIT 200;'),
	('symbol_normalization_rule', 'traceloom_symbol_normalization_rule',
	'a document of rules', 'which rules made the symbols',
	'SELECT * FROM traceloom_symbol_normalization_rule;'),
	('symbol_normalization_placement',
	'traceloom_v_symbol_normalization_placement',
	'an event within an occurrence',
	'where which name stands in the structure', 'SELECT * FROM ' ||
	'traceloom_v_symbol_normalization_placement WHERE ' ||
	'node_id = ''node-N001'' LIMIT 200;'),
	('symbol_variant_cost', 'traceloom_v_symbol_variant_cost',
	'a name at a place', 'what names cost that share a symbol',
	'SELECT * FROM traceloom_v_symbol_variant_cost ORDER ' ||
	'BY total_us DESC LIMIT 200;'),
	('runtime_device_relation', 'traceloom_v_runtime_device',
	'a call and what it launched', 'which call launched what',
	'SELECT * FROM traceloom_v_runtime_device ORDER BY ' ||
	'device_start_ns LIMIT 200;'),
	('synchronization_action', 'traceloom_v_sync_runtime_call',
	'a synchronisation and its call', 'which call waited for what',
	'SELECT * FROM traceloom_v_sync_runtime_call ORDER BY ' ||
	'device_start_ns LIMIT 200;'),
	('node_runtime_call', 'traceloom_v_node_runtime_call',
	'an event within an occurrence, and its call',
	'which calls launched a part of the tree',
	'SELECT * FROM traceloom_v_node_runtime_call WHERE ' ||
	'node_id = ''node-N001'' LIMIT 200;'),
	('anchor_host_interval', 'traceloom_v_anchor_host_interval',
	'two events that follow each other',
	'what the host had between two launches',
	'SELECT * FROM traceloom_v_anchor_host_interval LIMIT 200;'),
	('node_host_activity', 'traceloom_v_node_host_activity',
	'a call between two launches', 'what the host did meanwhile',
	'SELECT * FROM traceloom_v_node_host_activity WHERE ' ||
	'node_id = ''node-N001'' LIMIT 200;'),
	('structure_bubble', 'traceloom_v_structure_bubble_occurrence',
	'an idle gap', 'when nothing ran on a device, and before what',
	'SELECT * FROM traceloom_v_structure_bubble_occurrence ' ||
	'ORDER BY bubble_us DESC LIMIT 200;'),
	('structure_bubble_position', 'traceloom_v_structure_bubble_position',
	'a position with idle gaps before it', 'where the device waits',
	'SELECT * FROM traceloom_v_structure_bubble_position ' ||
	'ORDER BY total_bubble_us DESC;'),
	('event_source', 'traceloom_v_event_source_locator', 'an event',
	'where it stands in the capture',
	'SELECT * FROM traceloom_v_event_source_locator LIMIT 200;'),
	('runtime_call_source', 'traceloom_v_runtime_call_source_locator',
	'a call', 'where it stands in the capture',
	'SELECT * FROM traceloom_v_runtime_call_source_locator ' ||
	'LIMIT 200;'),
	('raw_table', 'traceloom_raw_table', 'a table of the capture',
	'which tables events came from', 'SELECT * FROM traceloom_raw_table;'),
	('graph_launch', 'traceloom_graph_launch', 'a launch of a graph',
	'launches whose members are known exactly',
	'SELECT * FROM traceloom_graph_launch ORDER BY start_ns;'),
	('reconstruction_status', 'traceloom_aclgraph_reconstruction_region',
	'a launch of a graph', 'all launches, with what is known of each',
	'SELECT * FROM ' ||
	'traceloom_aclgraph_reconstruction_region ORDER BY ' ||
	'region_order;'),
	('exact_graph_member', 'traceloom_v_node_graph_body_member',
	'a member of a launch within an occurrence',
	'which members of graphs a part of the tree has',
	'SELECT * FROM traceloom_v_node_graph_body_member ' ||
	'WHERE node_id = ''node-N001'' LIMIT 200;'),
	('replay_position_realization_member',
	'traceloom_v_replay_position_realization_member',
	'a member of a launch', 'the members of a launch in order of time',
	'SELECT * FROM ' ||
	'traceloom_v_replay_position_realization_member LIMIT ' || '200;'),
	('replay_hotspot', 'traceloom_replay_cost_aggregate',
	'a member of a graph, over its launches',
	'which members of a graph take most time',
	'SELECT * FROM traceloom_replay_cost_aggregate ORDER ' ||
	'BY duration_median_ns DESC;'),
	('operator_audit', 'traceloom_operator_audit', 'a name',
	'what all events of a name took',
	'SELECT * FROM traceloom_operator_audit ORDER BY ' ||
	'total_duration_ns DESC;'),
	('scheduler_steps', 'traceloom_v_scheduler_step_context',
	'a step of the scheduler', 'what was scheduled',
	'SELECT * FROM traceloom_v_scheduler_step_context ' ||
	'ORDER BY ordinal;'),
	('scheduler_requests', 'traceloom_scheduler_request',
	'a request in a step', 'what a step was made of',
	'SELECT * FROM traceloom_scheduler_request LIMIT 200;'),
	('execution_context', 'traceloom_v_context_coverage',
	'an execution of a step', 'how much of it was found in the profile',
	'SELECT * FROM traceloom_v_context_coverage;'),
	('context_device_work', 'traceloom_v_context_device_work',
	'an event and its step', 'what a step ran',
	'SELECT * FROM traceloom_v_context_device_work LIMIT 200;'),
	('context_replay_launch', 'traceloom_v_context_replay_launch',
	'a launch and its step', 'which step launched a graph',
	'SELECT * FROM traceloom_v_context_replay_launch;'),
	('context_replay_member', 'traceloom_v_context_replay_member',
	'a member of a launch and its step', 'which step a member belongs to',
	'SELECT * FROM traceloom_v_context_replay_member LIMIT 200;'),
	('context_sources', 'traceloom_context_source',
	'a file of the scheduler', 'what was read, and whether it is whole',
	'SELECT * FROM traceloom_context_source;'),
	('positions', 'positions', 'a position', 'the tree, in plain words',
	'SELECT * FROM positions;'),
	('loops', 'loops', 'a loop',
	'what repeats, and what an iteration costs', 'SELECT * FROM loops;'),
	('iterations', 'iterations', 'an iteration',
	'which iterations are slow',
	'SELECT * FROM iterations WHERE outlier = 1;'),
	('slowest_events', 'slowest_events', 'an event of a position',
	'which are the slowest events of each position',
	'SELECT * FROM slowest_events WHERE place <= 3;'),
	('exposed_communication', 'exposed_communication', 'a position',
	'where communication is not hidden',
	'SELECT * FROM exposed_communication;'),
	('launch_delay_by_position', 'launch_delay_by_position', 'a position',
	'how long after its launch it starts',
	'SELECT * FROM launch_delay_by_position;'),
	('streams', 'streams', 'a stream', 'how busy each stream is',
	'SELECT * FROM streams;'),
	('not_measured', 'not_measured', 'a note or a gap in knowledge',
	'what was not measured, and why', 'SELECT * FROM not_measured;');

INSERT INTO traceloom_projection_recipe VALUES
	('hpo_positions', 6, 'hierarchical_position', 'candidate_scopes',
	'folded', 'device', 'position_cost', '(none)',
	'the positions of the tree, costliest first',
	'SELECT * FROM traceloom_v_position ORDER BY total_us ' ||
	'DESC, tree_id, preorder_idx;'),
	('hpo_refinements', 7, 'hierarchical_position', 'definition',
	'immediate_child_slots', 'device', 'position_definition',
	':position_id', 'what a position consists of',
	'SELECT r.*, p.node_type, p.symbol, p.label, ' ||
	'p.repeat_count FROM traceloom_position_refinement r ' ||
	'JOIN traceloom_v_position p ON p.position_id = ' ||
	'r.child_position_id WHERE r.parent_position_id = ' ||
	':position_id ORDER BY r.slot_ordinal;'),
	('hpo_occurrences', 8, 'hierarchical_position',
	'one_or_all_occurrences', 'realized', 'device', 'occurrence_cost',
	':position_id, :occurrence_id (NULL selects all)',
	'every time a position occurred, or one of them',
	'SELECT * FROM traceloom_v_position_occurrence WHERE ' ||
	'position_id = :position_id AND (:occurrence_id IS ' ||
	'NULL OR occurrence_id = :occurrence_id) ORDER BY ' ||
	'occurrence_idx;'),
	('hpo_members', 9, 'position_occurrence', 'one_occurrence',
	'direct_members', 'device', 'member_evidence', ':occurrence_id',
	'what is directly in an occurrence: occurrences below ' ||
	'it, or its event', 'SELECT * FROM traceloom_v_position_member WHERE '
	|| 'parent_occurrence_id = :occurrence_id ORDER BY ' ||
	'member_order, slot_ordinal;'),
	('tree_edge_roles', 10, 'hierarchical_position',
	'structural_edge_classes', 'folded_roles', 'device',
	'edge_population_support', ':position_id',
	'the children of a position with how often each occurs',
	'SELECT * FROM traceloom_v_tree_edge_role WHERE ' ||
	'parent_position_id = :position_id ORDER BY ' || 'first_edge_order;'),
	('tree_edges', 11, 'position_occurrence', 'one_occurrence',
	'ordered_child_edges', 'device', 'child_occurrence_identity',
	':occurrence_id', 'the occurrences in an occurrence, in order',
	'SELECT * FROM traceloom_v_tree_edge WHERE ' ||
	'parent_occurrence_id = :occurrence_id ORDER BY ' || 'edge_order;'),
	('equivalent_tree_edges', 12, 'execution_tree_edge_role',
	'one_or_all_parent_occurrences', 'equivalent_edge_population',
	'device', 'child_occurrence_cost',
	':edge_role_id, :occurrence_id (NULL selects all)',
	'what one child cost each time',
	'SELECT * FROM traceloom_v_tree_edge_cost WHERE ' ||
	'edge_role_id = :edge_role_id AND (:occurrence_id IS ' ||
	'NULL OR parent_occurrence_id = :occurrence_id) ORDER ' ||
	'BY parent_occurrence_idx, edge_order;'),
	('edge_role_bubble_summary', 13, 'execution_tree_edge_role',
	'all_child_occurrences', 'bubble_population', 'device_and_host',
	'bubble_cost_and_host_support', ':edge_role_id',
	'how much idle time there was before a child that is an event',
	'SELECT r.edge_role_id, r.parent_position_id, ' ||
	'r.child_position_id, r.edge_label, ' ||
	'r.concrete_edge_count, b.bubble_occurrence_count, ' ||
	'b.supported_host_occurrence_count, b.total_bubble_us, ' ||
	'b.avg_bubble_us, b.min_bubble_us, b.max_bubble_us ' ||
	'FROM traceloom_v_tree_edge_role r LEFT JOIN ' ||
	'traceloom_v_structure_bubble_position b ON ' ||
	'b.structural_position_id = r.child_position_id WHERE ' ||
	'r.edge_role_id = :edge_role_id;'),
	('edge_role_bubbles', 14, 'execution_tree_edge_role',
	'one_or_all_child_occurrences', 'ordered_edge_population',
	'device_and_host', 'bubble_cost_and_host_support',
	':edge_role_id, :occurrence_id (NULL selects all)',
	'the idle time before a child each time; NULL where ' ||
	'there was none', 'SELECT e.edge_id, e.edge_role_id, ' ||
	'e.parent_position_id, e.parent_occurrence_id, ' ||
	'e.child_position_id, e.child_occurrence_id, ' ||
	'e.edge_order, b.bubble_id, b.bubble_us, ' ||
	'b.left_anchor_id, b.right_anchor_id, ' ||
	'b.host_interval_id, b.host_observation_status, ' ||
	'b.host_interval_us FROM traceloom_v_tree_edge e LEFT ' ||
	'JOIN traceloom_v_structure_bubble_occurrence b ON ' ||
	'b.right_node_id = e.child_position_id AND ' ||
	'b.right_occurrence_idx = e.child_occurrence_idx WHERE ' ||
	'e.edge_role_id = :edge_role_id AND (:occurrence_id IS ' ||
	'NULL OR e.child_occurrence_id = :occurrence_id) ORDER ' ||
	'BY b.bubble_us DESC, e.child_occurrence_idx;'),
	('occurrence_host_windows', 16, 'position_occurrence',
	'one_occurrence', 'anchor_pair_windows', 'device_and_host',
	'typed_host_interval_support', ':occurrence_id',
	'what the host had between the launches of the events ' ||
	'of an occurrence', 'SELECT o.occurrence_id, o.position_id, ' ||
	'i.anchor_order, i.interval_id, i.left_anchor_id, ' ||
	'i.right_anchor_id, i.right_anchor_symbol, ' ||
	'i.support_state, i.host_start_ns, i.host_end_ns, ' ||
	'i.host_interval_us FROM ' || 'traceloom_v_position_occurrence o JOIN '
	|| 'traceloom_v_node_host_interval i ON i.node_id = ' ||
	'o.position_id AND i.occurrence_idx = o.occurrence_idx ' ||
	'WHERE o.occurrence_id = :occurrence_id ORDER BY ' ||
	'i.anchor_order;'),
	('occurrence_host_context', 17, 'position_occurrence',
	'one_occurrence', 'anchor_pair_windows', 'host',
	'runtime_api_distribution', ':occurrence_id',
	'which calls the host made between the launches of an ' ||
	'occurrence', 'SELECT o.occurrence_id, o.position_id, ' ||
	'a.anchor_order, a.interval_id, a.api_name, count(*) ' ||
	'AS calls, sum(a.observed_overlap_us) AS overlap_us ' ||
	'FROM traceloom_v_position_occurrence o JOIN ' ||
	'traceloom_v_node_host_activity a ON a.node_id = ' ||
	'o.position_id AND a.occurrence_idx = o.occurrence_idx ' ||
	'WHERE o.occurrence_id = :occurrence_id GROUP BY ' ||
	'a.anchor_order, a.interval_id, a.api_name ORDER BY ' ||
	'a.anchor_order, overlap_us DESC;'),
	('scope_exact_replay_members', 40, 'structural_node',
	'one_or_all_occurrences', 'observed_member_plane', 'device',
	'scheduled_member_cost_and_provenance',
	':node_id, :occurrence_idx (NULL selects all)',
	'the members of the graphs replayed within a node',
	'SELECT * FROM traceloom_v_node_replay_cost_member ' ||
	'WHERE node_id = :node_id AND (:occurrence_idx IS NULL ' ||
	'OR occurrence_idx = :occurrence_idx) ORDER BY ' ||
	'occurrence_idx, start_ns, member_id;'),
	('replay_cost_units', 41, 'exact_replay_unit', 'one_or_all',
	'unit_cost_summary', 'device', 'support_and_launch_inventory',
	'(none)', 'every launch of a graph and whether its members are known',
	'SELECT * FROM traceloom_replay_cost_unit ORDER BY ' ||
	'replay_unit_id;'),
	('replay_cost_launches', 42, 'exact_replay_unit', 'one_or_all_slots',
	'ordered_launch_slots', 'device', 'launch_cost_lenses',
	':cost_unit_id, :slot_order (NULL selects all)',
	'what a launch cost: sum, union and span of its members',
	'SELECT * FROM traceloom_replay_cost_launch WHERE ' ||
	'cost_unit_id = :cost_unit_id AND (:slot_order IS NULL ' ||
	'OR slot_order = :slot_order);'),
	('replay_cost_members', 43, 'graph_launch', 'one_launch',
	'observed_member_plane', 'device',
	'scheduled_member_cost_and_provenance', ':launch_id',
	'the members of a launch in order of time', 'SELECT * FROM ' ||
	'traceloom_v_replay_position_realization_member WHERE ' ||
	'launch_id = :launch_id ORDER BY observed_order;'),
	('replay_structural_placements', 44, 'exact_replay_unit', 'one_unit',
	'structural_occurrences', 'device', 'structural_membership',
	':replay_unit_id', 'the occurrences that a launch lies in',
	'SELECT DISTINCT node_id, occurrence_idx, ' ||
	'coverage_kind, node_replay_unit_id AS replay_unit_id ' ||
	'FROM traceloom_v_node_graph_body_member WHERE ' ||
	'node_replay_unit_id = :replay_unit_id ORDER BY ' ||
	'node_id, occurrence_idx;'),
	('bubble_hotspots', 65, 'structural_position', 'candidate_scopes',
	'position_summary', 'device_and_host', 'bubble_cost_and_host_support',
	'(none)', 'before which positions the device was idle, most first',
	'SELECT * FROM traceloom_v_structure_bubble_position ' ||
	'ORDER BY total_bubble_us DESC, ' || 'structural_position_id;'),
	('bubble_host_context', 70, 'structural_position', 'all_occurrences',
	'bubble_population', 'device_and_host',
	'bubble_and_runtime_api_distribution', ':structural_position_id',
	'which calls the host made while the device was idle ' ||
	'before a position', 'SELECT b.structural_position_id, f.api_family, '
	|| 'count(*) AS calls, sum(f.dur_us) AS call_us FROM ' ||
	'traceloom_v_structure_bubble_occurrence b JOIN ' ||
	'traceloom_v_anchor_host_activity a ON a.interval_id = ' ||
	'b.host_interval_id JOIN ' || 'traceloom_v_runtime_call_family f ON '
	|| 'f.runtime_call_id = a.observed_runtime_call_id WHERE ' ||
	'b.structural_position_id = :structural_position_id ' ||
	'GROUP BY f.api_family ORDER BY call_us DESC;'),
	('host_window_calls', 75, 'host_interval', 'one_interval',
	'literal_runtime_calls', 'host', 'runtime_call_observations',
	':interval_id',
	'the calls the host made between the launches of two events',
	'SELECT interval_id, observed_runtime_call_id AS ' ||
	'runtime_call_id, api_name, api_type, ' ||
	'observed_start_ns, observed_end_ns, observed_dur_us, ' ||
	'observed_overlap_us, interval_relation FROM ' ||
	'traceloom_v_anchor_host_activity WHERE interval_id = ' ||
	':interval_id ORDER BY observed_order;'),
	('runtime_call_audit', 78, 'runtime_call', 'one_call', 'source_rows',
	'profiler_evidence', 'raw_observation', ':runtime_call_id',
	'where a call stands in the capture',
	'SELECT * FROM traceloom_v_runtime_call_source_locator ' ||
	'WHERE runtime_call_id = :runtime_call_id;'),
	('device_window_events', 80, 'bounded_device_window', 'one_window',
	'events', 'device', 'event_duration',
	':db_idx, :device_id, :start_ns, :end_ns',
	'what a device did in a window of time',
	'SELECT event_id, db_idx, device_id, step_idx, symbol, ' ||
	'role, stream_id, start_ns, end_ns, dur_us, ' ||
	'source_table, source_key FROM traceloom_event WHERE ' ||
	'db_idx = :db_idx AND device_id = :device_id AND ' ||
	'start_ns < :end_ns AND end_ns > :start_ns ORDER BY ' ||
	'start_ns, end_ns, event_id;'),
	('event_audit', 90, 'normalized_event', 'one_event', 'source_rows',
	'profiler_evidence', 'raw_observation', ':event_id',
	'where an event stands in the capture',
	'SELECT * FROM traceloom_v_event_source_locator WHERE ' ||
	'event_id = :event_id;'),
	('scope_catalog', 105, 'structural_node', 'candidate_scopes', 'folded',
	'device', 'node_cost', '(none)',
	'the nodes of the tree, costliest first',
	'SELECT node_id, parent_node_id, local_node_id, ' ||
	'db_idx, device_id, view_name, display_order, path, ' ||
	'symbol, label, node_type, repeat_count, ' ||
	'occurrence_count, anchor_count, total_us, ' ||
	'avg_total_us FROM traceloom_v_tree_node ORDER BY ' ||
	'total_us DESC, node_id;'),
	('scope_occurrences', 110, 'structural_node', 'one_or_all_occurrences',
	'folded', 'device', 'occurrence_cost',
	':node_id, :occurrence_idx (NULL selects all)',
	'what a node cost each time',
	'SELECT * FROM traceloom_tree_node_occurrence WHERE ' ||
	'node_id = :node_id AND (:occurrence_idx IS NULL OR ' ||
	'occurrence_idx = :occurrence_idx) ORDER BY ' || 'occurrence_idx;'),
	('scope_hierarchy', 120, 'structural_node', 'definition',
	'immediate_children', 'device', 'node_cost', ':node_id',
	'the children of a node',
	'SELECT parent_node_id, child_node_id, edge_order, ' ||
	'local_node_id, label, node_type, repeat_count, ' ||
	'occurrence_count, total_us, avg_total_us FROM ' ||
	'traceloom_v_node_children WHERE parent_node_id = ' ||
	':node_id ORDER BY edge_order;'),
	('scope_members', 130, 'structural_node', 'one_or_all_occurrences',
	'anchors_and_events', 'device', 'member_cost',
	':node_id, :occurrence_idx (NULL selects all)',
	'all events below a node', 'SELECT na.node_id, na.occurrence_idx, ' ||
	'na.anchor_order, na.coverage_kind, a.anchor_id, ' ||
	'a.anchor_idx, a.symbol, a.event_id, a.start_ns, ' ||
	'a.end_ns, a.dur_us, a.role FROM ' ||
	'traceloom_tree_node_anchor na JOIN traceloom_anchor a ' ||
	'ON a.anchor_id = na.anchor_id WHERE na.node_id = ' ||
	':node_id AND (:occurrence_idx IS NULL OR ' ||
	'na.occurrence_idx = :occurrence_idx) ORDER BY ' ||
	'na.occurrence_idx, na.anchor_order;'),
	('position_population', 150, 'structural_node', 'all_occurrences',
	'aligned_positions', 'device', 'position_cost_distribution',
	':node_id', 'the places within a node, and what each cost over its ' ||
	'occurrences', 'SELECT node_id, anchor_order, count(*) AS ' ||
	'occurrence_count, avg(total_us) AS avg_total_us, ' ||
	'min(total_us) AS min_total_us, max(total_us) AS ' ||
	'max_total_us FROM traceloom_tree_node_anchor WHERE ' ||
	'node_id = :node_id GROUP BY node_id, anchor_order ' ||
	'ORDER BY anchor_order;'),
	('position_occurrences', 155, 'structural_position',
	'one_or_all_occurrences', 'aligned_position_members', 'device',
	'position_occurrence_cost',
	':node_id, :anchor_order, :occurrence_idx (NULL selects all)',
	'what one place within a node was each time',
	'SELECT na.node_id, na.occurrence_idx, ' ||
	'na.anchor_order, na.coverage_kind, a.anchor_id, ' ||
	'a.symbol, a.event_id, a.start_ns, a.end_ns, a.dur_us ' ||
	'FROM traceloom_tree_node_anchor na JOIN ' ||
	'traceloom_anchor a ON a.anchor_id = na.anchor_id ' ||
	'WHERE na.node_id = :node_id AND na.anchor_order = ' ||
	':anchor_order AND (:occurrence_idx IS NULL OR ' ||
	'na.occurrence_idx = :occurrence_idx) ORDER BY ' ||
	'na.occurrence_idx;'),
	('scope_host_windows', 158, 'structural_node',
	'one_or_all_occurrences', 'anchor_pair_windows', 'device_and_host',
	'typed_host_interval_support',
	':node_id, :occurrence_idx (NULL selects all)',
	'what the host had between the launches of the events ' || 'of a node',
	'SELECT * FROM traceloom_v_node_host_interval WHERE ' ||
	'node_id = :node_id AND (:occurrence_idx IS NULL OR ' ||
	'occurrence_idx = :occurrence_idx) ORDER BY ' ||
	'occurrence_idx, anchor_order;'),
	('scope_host_context', 160, 'structural_node',
	'one_or_all_occurrences', 'anchor_pair_windows', 'host',
	'runtime_api_distribution',
	':node_id, :occurrence_idx (NULL selects all)',
	'which calls the host made between the launches of a node',
	'SELECT node_id, occurrence_idx, anchor_order, ' ||
	'interval_id, api_name, count(*) AS calls, ' ||
	'sum(observed_overlap_us) AS overlap_us FROM ' ||
	'traceloom_v_node_host_activity WHERE node_id = ' ||
	':node_id AND (:occurrence_idx IS NULL OR ' ||
	'occurrence_idx = :occurrence_idx) GROUP BY node_id, ' ||
	'occurrence_idx, anchor_order, interval_id, api_name ' ||
	'ORDER BY occurrence_idx, anchor_order, overlap_us ' || 'DESC;'),
	('step_execution_context', 170, 'scheduler_step', 'one_step',
	'executions', 'host', 'scheduler_context', ':run_id, :step_id',
	'the executions of a step of the scheduler',
	'SELECT * FROM traceloom_v_execution_context WHERE ' ||
	'run_id = :run_id AND step_id = :step_id ORDER BY ' || 'execution_id;'),
	('step_device_work', 171, 'scheduler_step', 'one_step', 'device_work',
	'device', 'scheduler_context', ':run_id, :step_id',
	'what a step of the scheduler ran on the device',
	'SELECT * FROM traceloom_v_context_device_work WHERE ' ||
	'run_id = :run_id AND step_id = :step_id ORDER BY ' || 'start_ns;'),
	('event_scheduler_context', 172, 'normalized_event', 'one_event',
	'steps', 'device', 'scheduler_context', ':event_id',
	'the step of the scheduler that an event belongs to',
	'SELECT * FROM traceloom_v_context_device_work WHERE ' ||
	'event_id = :event_id;');

INSERT INTO traceloom_projection_parameter VALUES
	('hpo_refinements', 10, 'position_id', 'TEXT', 0,
	'hierarchical_position_id', 'traceloom_v_position', 'position_id',
	'which position'),
	('hpo_occurrences', 10, 'position_id', 'TEXT', 0,
	'hierarchical_position_id', 'traceloom_v_position', 'position_id',
	'which position'),
	('hpo_occurrences', 20, 'occurrence_id', 'TEXT', 1,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence; NULL: all'),
	('hpo_members', 10, 'occurrence_id', 'TEXT', 0,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence'),
	('tree_edge_roles', 10, 'position_id', 'TEXT', 0,
	'hierarchical_position_id', 'traceloom_v_position', 'position_id',
	'which position'),
	('tree_edges', 10, 'occurrence_id', 'TEXT', 0,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence'),
	('equivalent_tree_edges', 10, 'edge_role_id', 'TEXT', 0,
	'execution_tree_edge_role_id', 'traceloom_v_tree_edge_role',
	'edge_role_id', 'which parent and child'),
	('equivalent_tree_edges', 20, 'occurrence_id', 'TEXT', 1,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence; NULL: all'),
	('edge_role_bubble_summary', 10, 'edge_role_id', 'TEXT', 0,
	'execution_tree_edge_role_id', 'traceloom_v_tree_edge_role',
	'edge_role_id', 'which parent and child'),
	('edge_role_bubbles', 10, 'edge_role_id', 'TEXT', 0,
	'execution_tree_edge_role_id', 'traceloom_v_tree_edge_role',
	'edge_role_id', 'which parent and child'),
	('edge_role_bubbles', 20, 'occurrence_id', 'TEXT', 1,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence; NULL: all'),
	('occurrence_host_windows', 10, 'occurrence_id', 'TEXT', 0,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence'),
	('occurrence_host_context', 10, 'occurrence_id', 'TEXT', 0,
	'position_occurrence_id', 'traceloom_v_position_occurrence',
	'occurrence_id', 'which occurrence'),
	('scope_exact_replay_members', 10, 'node_id', 'TEXT', 0,
	'structural_node_id', 'traceloom_v_tree_node', 'node_id', 'which node'),
	('scope_exact_replay_members', 20, 'occurrence_idx', 'INTEGER', 1,
	'structural_occurrence_index', 'traceloom_tree_node_occurrence',
	'occurrence_idx', 'which occurrence of the node; NULL: all'),
	('replay_cost_launches', 10, 'cost_unit_id', 'TEXT', 0,
	'replay_cost_unit_id', 'traceloom_replay_cost_unit', 'cost_unit_id',
	'which launch'),
	('replay_cost_launches', 20, 'slot_order', 'INTEGER', 1,
	'replay_slot_order', 'traceloom_replay_cost_launch', 'slot_order',
	'which slot of it; NULL: all'),
	('replay_cost_members', 10, 'launch_id', 'TEXT', 0,
	'replay_cost_launch_id', 'traceloom_replay_cost_launch', 'launch_id',
	'which launch'),
	('replay_structural_placements', 10, 'replay_unit_id', 'INTEGER', 0,
	'replay_unit_id', 'traceloom_replay_cost_unit', 'replay_unit_id',
	'which launch'),
	('bubble_host_context', 10, 'structural_position_id', 'TEXT', 0,
	'structural_position_id', 'traceloom_v_structure_bubble_position',
	'structural_position_id', 'which position'),
	('host_window_calls', 10, 'interval_id', 'TEXT', 0, 'host_interval_id',
	'traceloom_v_anchor_host_interval', 'interval_id',
	'which interval on the host'),
	('runtime_call_audit', 10, 'runtime_call_id', 'TEXT', 0,
	'runtime_call_id', 'traceloom_runtime_call', 'runtime_call_id',
	'which call'),
	('device_window_events', 10, 'db_idx', 'INTEGER', 0, 'database_index',
	'traceloom_event', 'db_idx', 'always 0'),
	('device_window_events', 20, 'device_id', 'INTEGER', 0, 'device_id',
	'traceloom_event', 'device_id', 'which device'),
	('device_window_events', 30, 'start_ns', 'INTEGER', 0, 'time_start_ns',
	'traceloom_event', 'start_ns', 'begin of the window'),
	('device_window_events', 40, 'end_ns', 'INTEGER', 0, 'time_end_ns',
	'traceloom_event', 'end_ns', 'end of the window, not in it'),
	('event_audit', 10, 'event_id', 'TEXT', 0, 'normalized_event_id',
	'traceloom_event', 'event_id', 'which event'),
	('scope_occurrences', 10, 'node_id', 'TEXT', 0, 'structural_node_id',
	'traceloom_v_tree_node', 'node_id', 'which node'),
	('scope_occurrences', 20, 'occurrence_idx', 'INTEGER', 1,
	'structural_occurrence_index', 'traceloom_tree_node_occurrence',
	'occurrence_idx', 'which occurrence of the node; NULL: all'),
	('scope_hierarchy', 10, 'node_id', 'TEXT', 0, 'structural_node_id',
	'traceloom_v_tree_node', 'node_id', 'which node'),
	('scope_members', 10, 'node_id', 'TEXT', 0, 'structural_node_id',
	'traceloom_v_tree_node', 'node_id', 'which node'),
	('scope_members', 20, 'occurrence_idx', 'INTEGER', 1,
	'structural_occurrence_index', 'traceloom_tree_node_occurrence',
	'occurrence_idx', 'which occurrence of the node; NULL: all'),
	('position_population', 10, 'node_id', 'TEXT', 0, 'structural_node_id',
	'traceloom_v_tree_node', 'node_id', 'which node'),
	('position_occurrences', 10, 'node_id', 'TEXT', 0,
	'structural_node_id', 'traceloom_v_tree_node', 'node_id', 'which node'),
	('position_occurrences', 20, 'anchor_order', 'INTEGER', 0,
	'structural_anchor_order', 'traceloom_tree_node_anchor',
	'anchor_order', 'which place within the node'),
	('position_occurrences', 30, 'occurrence_idx', 'INTEGER', 1,
	'structural_occurrence_index', 'traceloom_tree_node_occurrence',
	'occurrence_idx', 'which occurrence of the node; NULL: all'),
	('scope_host_windows', 10, 'node_id', 'TEXT', 0, 'structural_node_id',
	'traceloom_v_tree_node', 'node_id', 'which node'),
	('scope_host_windows', 20, 'occurrence_idx', 'INTEGER', 1,
	'structural_occurrence_index', 'traceloom_tree_node_occurrence',
	'occurrence_idx', 'which occurrence of the node; NULL: all'),
	('scope_host_context', 10, 'node_id', 'TEXT', 0, 'structural_node_id',
	'traceloom_v_tree_node', 'node_id', 'which node'),
	('scope_host_context', 20, 'occurrence_idx', 'INTEGER', 1,
	'structural_occurrence_index', 'traceloom_tree_node_occurrence',
	'occurrence_idx', 'which occurrence of the node; NULL: all'),
	('step_execution_context', 10, 'run_id', 'TEXT', 0, 'scheduler_run_id',
	'traceloom_scheduler_step', 'run_id', 'which run'),
	('step_execution_context', 20, 'step_id', 'TEXT', 0,
	'scheduler_step_id', 'traceloom_scheduler_step', 'step_id',
	'which step'),
	('step_device_work', 10, 'run_id', 'TEXT', 0, 'scheduler_run_id',
	'traceloom_scheduler_step', 'run_id', 'which run'),
	('step_device_work', 20, 'step_id', 'TEXT', 0, 'scheduler_step_id',
	'traceloom_scheduler_step', 'step_id', 'which step'),
	('event_scheduler_context', 10, 'event_id', 'TEXT', 0,
	'normalized_event_id', 'traceloom_event', 'event_id', 'which event');

INSERT INTO traceloom_projection_coordinate VALUES
	('hpo_positions', 10, 'position_id', 'hierarchical_position_id',
	'the position'),
	('hpo_refinements', 10, 'parent_position_id',
	'hierarchical_position_id', 'the position above'),
	('hpo_refinements', 20, 'child_position_id',
	'hierarchical_position_id', 'the position below'),
	('hpo_occurrences', 10, 'position_id', 'hierarchical_position_id',
	'the position'),
	('hpo_occurrences', 20, 'occurrence_id', 'position_occurrence_id',
	'the occurrence'),
	('hpo_members', 10, 'parent_position_id', 'hierarchical_position_id',
	'the position above'),
	('hpo_members', 20, 'parent_occurrence_id', 'position_occurrence_id',
	'the occurrence above'),
	('hpo_members', 30, 'child_position_id', 'hierarchical_position_id',
	'the position below'),
	('hpo_members', 40, 'child_occurrence_id', 'position_occurrence_id',
	'the occurrence below'),
	('hpo_members', 50, 'event_id', 'normalized_event_id', 'the event'),
	('tree_edge_roles', 10, 'parent_position_id',
	'hierarchical_position_id', 'the position above'),
	('tree_edge_roles', 20, 'edge_role_id', 'execution_tree_edge_role_id',
	'parent and child'),
	('tree_edge_roles', 30, 'child_position_id',
	'hierarchical_position_id', 'the position below'),
	('tree_edges', 10, 'edge_id', 'execution_tree_edge_id', 'the edge'),
	('tree_edges', 20, 'edge_role_id', 'execution_tree_edge_role_id',
	'parent and child'),
	('tree_edges', 30, 'parent_occurrence_id', 'position_occurrence_id',
	'the occurrence above'),
	('tree_edges', 40, 'child_position_id', 'hierarchical_position_id',
	'the position below'),
	('tree_edges', 50, 'child_occurrence_id', 'position_occurrence_id',
	'the occurrence below'),
	('equivalent_tree_edges', 10, 'edge_id', 'execution_tree_edge_id',
	'the edge'),
	('equivalent_tree_edges', 20, 'edge_role_id',
	'execution_tree_edge_role_id', 'parent and child'),
	('equivalent_tree_edges', 30, 'parent_occurrence_id',
	'position_occurrence_id', 'the occurrence above'),
	('equivalent_tree_edges', 40, 'child_position_id',
	'hierarchical_position_id', 'the position below'),
	('equivalent_tree_edges', 50, 'child_occurrence_id',
	'position_occurrence_id', 'the occurrence below'),
	('edge_role_bubble_summary', 10, 'edge_role_id',
	'execution_tree_edge_role_id', 'parent and child'),
	('edge_role_bubble_summary', 20, 'parent_position_id',
	'hierarchical_position_id', 'the position above'),
	('edge_role_bubble_summary', 30, 'child_position_id',
	'hierarchical_position_id', 'the position below'),
	('edge_role_bubbles', 10, 'edge_id', 'execution_tree_edge_id',
	'the edge'),
	('edge_role_bubbles', 20, 'edge_role_id',
	'execution_tree_edge_role_id', 'parent and child'),
	('edge_role_bubbles', 30, 'parent_position_id',
	'hierarchical_position_id', 'the position above'),
	('edge_role_bubbles', 40, 'parent_occurrence_id',
	'position_occurrence_id', 'the occurrence above'),
	('edge_role_bubbles', 50, 'child_position_id',
	'hierarchical_position_id', 'the position below'),
	('edge_role_bubbles', 60, 'child_occurrence_id',
	'position_occurrence_id', 'the occurrence below'),
	('edge_role_bubbles', 70, 'bubble_id', 'bubble_id', 'the idle gap'),
	('edge_role_bubbles', 80, 'left_anchor_id', 'anchor_id',
	'the event before'),
	('edge_role_bubbles', 90, 'right_anchor_id', 'anchor_id',
	'the event behind'),
	('edge_role_bubbles', 100, 'host_interval_id', 'host_interval_id',
	'the interval on the host'),
	('occurrence_host_windows', 10, 'occurrence_id',
	'position_occurrence_id', 'the occurrence'),
	('occurrence_host_windows', 20, 'position_id',
	'hierarchical_position_id', 'the position'),
	('occurrence_host_windows', 30, 'anchor_order',
	'structural_anchor_order', 'place within the node'),
	('occurrence_host_windows', 40, 'interval_id', 'host_interval_id',
	'the interval on the host'),
	('occurrence_host_windows', 50, 'left_anchor_id', 'anchor_id',
	'the event before'),
	('occurrence_host_windows', 60, 'right_anchor_id', 'anchor_id',
	'the event behind'),
	('occurrence_host_context', 10, 'occurrence_id',
	'position_occurrence_id', 'the occurrence'),
	('occurrence_host_context', 20, 'position_id',
	'hierarchical_position_id', 'the position'),
	('occurrence_host_context', 30, 'anchor_order',
	'structural_anchor_order', 'place within the node'),
	('occurrence_host_context', 40, 'interval_id', 'host_interval_id',
	'the interval on the host'),
	('scope_exact_replay_members', 10, 'node_id', 'structural_node_id',
	'the node'),
	('scope_exact_replay_members', 20, 'occurrence_idx',
	'structural_occurrence_index', 'number of the occurrence'),
	('scope_exact_replay_members', 30, 'cost_unit_id',
	'replay_cost_unit_id', 'the launch'),
	('scope_exact_replay_members', 40, 'launch_id',
	'replay_cost_launch_id', 'the launch'),
	('scope_exact_replay_members', 50, 'slot_order', 'replay_slot_order',
	'its slot'),
	('scope_exact_replay_members', 60, 'event_id', 'normalized_event_id',
	'the event'),
	('replay_cost_units', 10, 'cost_unit_id', 'replay_cost_unit_id',
	'the launch'),
	('replay_cost_units', 20, 'replay_unit_id', 'replay_unit_id',
	'the launch'),
	('replay_cost_units', 30, 'graph_template_id', 'graph_template_id',
	'the graph'),
	('replay_cost_units', 40, 'device_id', 'device_id', 'the device'),
	('replay_cost_launches', 10, 'launch_id', 'replay_cost_launch_id',
	'the launch'),
	('replay_cost_launches', 20, 'cost_unit_id', 'replay_cost_unit_id',
	'the launch'),
	('replay_cost_launches', 30, 'replay_unit_id', 'replay_unit_id',
	'the launch'),
	('replay_cost_launches', 40, 'slot_order', 'replay_slot_order',
	'its slot'),
	('replay_cost_members', 10, 'member_id', 'replay_cost_member_id',
	'the member'),
	('replay_cost_members', 20, 'launch_id', 'replay_cost_launch_id',
	'the launch'),
	('replay_cost_members', 30, 'cost_unit_id', 'replay_cost_unit_id',
	'the launch'),
	('replay_cost_members', 40, 'event_id', 'normalized_event_id',
	'the event'),
	('replay_structural_placements', 10, 'replay_unit_id',
	'replay_unit_id', 'the launch'),
	('replay_structural_placements', 20, 'node_id', 'structural_node_id',
	'the node'),
	('replay_structural_placements', 30, 'occurrence_idx',
	'structural_occurrence_index', 'number of the occurrence'),
	('bubble_hotspots', 10, 'structural_position_id',
	'structural_position_id', 'the position behind the gaps'),
	('bubble_host_context', 10, 'structural_position_id',
	'structural_position_id', 'the position behind the gaps'),
	('host_window_calls', 10, 'interval_id', 'host_interval_id',
	'the interval on the host'),
	('host_window_calls', 20, 'runtime_call_id', 'runtime_call_id',
	'the call'),
	('runtime_call_audit', 10, 'runtime_call_id', 'runtime_call_id',
	'the call'),
	('device_window_events', 10, 'event_id', 'normalized_event_id',
	'the event'),
	('device_window_events', 20, 'db_idx', 'database_index', 'always 0'),
	('device_window_events', 30, 'device_id', 'device_id', 'the device'),
	('device_window_events', 40, 'start_ns', 'time_start_ns', 'begin'),
	('device_window_events', 50, 'end_ns', 'time_end_ns', 'end'),
	('event_audit', 10, 'event_id', 'normalized_event_id', 'the event'),
	('scope_catalog', 10, 'node_id', 'structural_node_id', 'the node'),
	('scope_catalog', 20, 'db_idx', 'database_index', 'always 0'),
	('scope_catalog', 30, 'device_id', 'device_id', 'the device'),
	('scope_catalog', 40, 'parent_node_id', 'structural_node_id',
	'the node above'),
	('scope_occurrences', 10, 'node_id', 'structural_node_id', 'the node'),
	('scope_occurrences', 20, 'occurrence_idx',
	'structural_occurrence_index', 'number of the occurrence'),
	('scope_hierarchy', 10, 'parent_node_id', 'structural_node_id',
	'the node above'),
	('scope_hierarchy', 20, 'child_node_id', 'structural_node_id',
	'the node below'),
	('scope_members', 10, 'node_id', 'structural_node_id', 'the node'),
	('scope_members', 20, 'occurrence_idx', 'structural_occurrence_index',
	'number of the occurrence'),
	('scope_members', 30, 'anchor_order', 'structural_anchor_order',
	'place within the node'),
	('scope_members', 40, 'anchor_id', 'anchor_id',
	'the event in the structure'),
	('scope_members', 50, 'event_id', 'normalized_event_id', 'the event'),
	('position_population', 10, 'node_id', 'structural_node_id',
	'the node'),
	('position_population', 20, 'anchor_order', 'structural_anchor_order',
	'place within the node'),
	('position_occurrences', 10, 'node_id', 'structural_node_id',
	'the node'),
	('position_occurrences', 20, 'occurrence_idx',
	'structural_occurrence_index', 'number of the occurrence'),
	('position_occurrences', 30, 'anchor_order', 'structural_anchor_order',
	'place within the node'),
	('position_occurrences', 40, 'anchor_id', 'anchor_id',
	'the event in the structure'),
	('position_occurrences', 50, 'event_id', 'normalized_event_id',
	'the event'),
	('scope_host_windows', 10, 'node_id', 'structural_node_id', 'the node'),
	('scope_host_windows', 20, 'occurrence_idx',
	'structural_occurrence_index', 'number of the occurrence'),
	('scope_host_windows', 30, 'anchor_order', 'structural_anchor_order',
	'place within the node'),
	('scope_host_windows', 40, 'interval_id', 'host_interval_id',
	'the interval on the host'),
	('scope_host_windows', 50, 'left_anchor_id', 'anchor_id',
	'the event before'),
	('scope_host_windows', 60, 'right_anchor_id', 'anchor_id',
	'the event behind'),
	('scope_host_context', 10, 'node_id', 'structural_node_id', 'the node'),
	('scope_host_context', 20, 'occurrence_idx',
	'structural_occurrence_index', 'number of the occurrence'),
	('scope_host_context', 30, 'anchor_order', 'structural_anchor_order',
	'place within the node'),
	('scope_host_context', 40, 'interval_id', 'host_interval_id',
	'the interval on the host'),
	('step_execution_context', 10, 'run_id', 'scheduler_run_id', 'the run'),
	('step_execution_context', 20, 'step_id', 'scheduler_step_id',
	'the step'),
	('step_device_work', 10, 'run_id', 'scheduler_run_id', 'the run'),
	('step_device_work', 20, 'step_id', 'scheduler_step_id', 'the step'),
	('step_device_work', 30, 'event_id', 'normalized_event_id',
	'the event'),
	('step_device_work', 40, 'runtime_call_id', 'runtime_call_id',
	'the call'),
	('event_scheduler_context', 10, 'event_id', 'normalized_event_id',
	'the event'),
	('event_scheduler_context', 20, 'run_id', 'scheduler_run_id',
	'the run'),
	('event_scheduler_context', 30, 'step_id', 'scheduler_step_id',
	'the step');

CREATE VIEW traceloom_v_projection_continuation AS SELECT
	c.projection_name AS source_projection, p.projection_name AS
	target_projection, c.result_column AS source_column, p.parameter_name
	AS target_parameter, c.coordinate_kind, p.is_nullable AS
	target_parameter_nullable, (SELECT count(*) FROM
	traceloom_projection_parameter q WHERE q.projection_name =
	p.projection_name AND q.is_nullable = 0) AS required_coordinate_count
FROM traceloom_projection_coordinate c JOIN traceloom_projection_parameter p ON
p.coordinate_kind = c.coordinate_kind AND p.projection_name <>
c.projection_name WHERE NOT EXISTS (SELECT 1 FROM
traceloom_projection_parameter q WHERE q.projection_name = p.projection_name
AND q.is_nullable = 0 AND q.coordinate_kind NOT IN (SELECT d.coordinate_kind
FROM traceloom_projection_coordinate d WHERE d.projection_name =
c.projection_name));
