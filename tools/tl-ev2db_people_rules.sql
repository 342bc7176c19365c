-- What rules were applied, and what they met: #rules lines, and records rules,
-- rule and evidence of events, tl-ev(5).

-- Columns of records that are kept as they came, as a JSON array.
CREATE VIEW tl_other_columns AS
SELECT line, kind, '["' || replace(replace(replace(replace(replace(replace(
	text, '\\', char(1)), '\x', '\u00'), '"', '\"'), char(1), '\\'),
	char(9), '","'), char(10), '') || '"]' AS columns
FROM tl_other WHERE kind IN ('rule', 'rules');

-- Which documents was each stage made of? Those that were given by -r are here
-- as they were read; of the compiled-in one, document is NULL.
CREATE VIEW rules AS
SELECT substr(a, 1, instr(a, char(9)) - 1) AS stage,
	substr(b, instr(b, char(9)) + 1) AS origin,
	substr(b, 1, instr(b, char(9)) - 1) AS digest,
	(SELECT group_concat(piece, '') FROM (
		SELECT json_extract(columns, '$[3]') AS piece
		FROM tl_other_columns c WHERE c.kind = 'rules'
			AND json_extract(columns, '$[1]') =
			substr(b, 1, instr(b, char(9)) - 1)
		ORDER BY CAST(json_extract(columns, '$[2]') AS INTEGER))
	) AS document
FROM (SELECT a, substr(a, instr(a, char(9)) + 1) AS b
	FROM (SELECT substr(text, 8) AS a FROM tl_header
		WHERE text LIKE '#rules' || char(9) || '%'));

-- How many events did each rule decide for? keys: what the rule says, key=value
-- with TABs between, in the stream's form.
CREATE VIEW rule_hits AS
SELECT json_extract(columns, '$[1]') AS stage,
	json_extract(columns, '$[2]') AS rule,
	CAST(json_extract(columns, '$[3]') AS INTEGER) AS hits,
	CAST(json_extract(columns, '$[4]') AS INTEGER) AS priority,
	(SELECT origin FROM rules d
		WHERE d.digest = json_extract(columns, '$[5]')) AS origin,
	CAST(json_extract(columns, '$[6]') AS INTEGER) AS source_line,
	json_extract(columns, '$[5]') AS digest, line
FROM tl_other_columns WHERE kind = 'rule';

-- What does each rule say?
CREATE VIEW rule_keys AS
SELECT r.line, substr(k.value, 1, instr(k.value, '=') - 1) AS key,
	substr(k.value, instr(k.value, '=') + 1) AS value
FROM tl_other_columns r, json_each(r.columns) k
WHERE r.kind = 'rule' AND k.key > 6;

-- Which events are only evidence of others, and by which rule? own_start_ns
-- and own_dur_ns are what the other's record itself had, where it took the time
-- of the evidence.
CREATE VIEW evidence AS
SELECT e.event, c.event AS of_event, y.rule, o.own_start AS own_start_ns,
	o.own_dur AS own_dur_ns
FROM (SELECT keys, substr(t, 1, instr(t, ':') - 1) AS tag,
		CAST(substr(t, instr(t, ':') + 1) AS INTEGER) AS place, rule
	FROM (SELECT keys, substr(a, 1, instr(a || char(9), char(9)) - 1) AS t,
			substr(b, 1, instr(b || char(9), char(9)) - 1) AS rule
		FROM (SELECT keys, substr(text, instr(text, char(9) || 'of=')
				+ 4) AS a, substr(text, instr(text, char(9) ||
				'rule=') + 6) AS b
			FROM tl_keys WHERE detail = 1
				AND text LIKE '%' || char(9) || 'of=%'))) y
	CROSS JOIN tl_event e ON e.keys = y.keys
	CROSS JOIN tl_tag g ON g.token = y.tag
	CROSS JOIN tl_event c ON c.tag = g.tag AND c.place = y.place
	LEFT JOIN (SELECT keys, CAST(substr(char(9) || text, instr(char(9) ||
			text, char(9) || 'own_start=') + 11) AS INTEGER) AS
			own_start, CAST(substr(char(9) || text, instr(char(9)
			|| text, char(9) || 'own_dur=') + 9) AS INTEGER) AS
			own_dur
		FROM tl_keys WHERE char(9) || text LIKE '%' || char(9) ||
			'own_start=%') o ON o.keys = c.keys;
