-- Views for people: what tl-db(5) says each answers. Times are nanoseconds,
-- positions and occurrences are named as tl-tree(1) and tl-cut(1) name them.

-- What is the tree, and what does each place in it cost?
CREATE VIEW positions AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos,
	(SELECT printf('N%03d', u.number) FROM tl_position u
		WHERE u.position = p.parent) AS parent,
	p.ordinal, p.depth, p.kind, p.iterations / 100.0 AS iterations,
	p.body_events, p.occurrences, p.first_event, p.start_ns, p.span_ns,
	p.busy_ns, p.compute_ns, p.comm_ns, p.comm_exposed_ns, p.copy_ns,
	p.copy_exposed_ns, p.idle_ns, p.iter_min_ns, p.iter_median_ns,
	p.iter_max_ns, (SELECT text FROM tl_name n WHERE n.name = p.label) AS label,
	p.position
FROM tl_position p JOIN tl_scope s ON s.scope = p.scope
ORDER BY p.position;

-- What repeats, how often, and what does an iteration cost?
CREATE VIEW loops AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos, p.depth,
	p.iterations / 100.0 AS iterations, p.occurrences, p.body_events,
	p.iter_median_ns, p.iter_min_ns, p.iter_max_ns,
	(SELECT sum(o.span_ns) FROM tl_span x JOIN tl_occurrence o
		ON o.occurrence = x.occurrence WHERE x.node = p.position) AS total_ns,
	p.span_ns, p.busy_ns, p.compute_ns, p.comm_ns, p.comm_exposed_ns,
	p.copy_ns, p.copy_exposed_ns, p.idle_ns, p.position
FROM tl_position p JOIN tl_scope s ON s.scope = p.scope
WHERE p.kind = 'loop'
ORDER BY total_ns DESC, p.position;

-- When did each occurrence run, and what did it cost? Iterations are among
-- them.
CREATE VIEW occurrences AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos, o.n,
	printf('N%03d#%d', p.number, o.n) AS name, p.kind,
	(SELECT printf('N%03d#%d', q.number, u.n) FROM tl_occurrence u
		JOIN tl_position q ON q.position = u.position
		WHERE u.occurrence = o.parent) AS parent,
	o.iteration, o.complete, o.first_event, o.start_ns, o.span_ns,
	o.period_ns, o.busy_ns, o.compute_ns, o.comm_ns, o.comm_exposed_ns,
	o.copy_ns, o.copy_exposed_ns, o.idle_ns, o.sum_ns, o.position,
	o.occurrence
FROM tl_occurrence o JOIN tl_position p ON p.position = o.position
	JOIN tl_scope s ON s.scope = p.scope;

-- How long was each iteration of a loop, what was left until the next one, and
-- which are out of the ordinary? An outlier is full, and more than 1.5 times
-- the median period of the loop, or less than half of it.
CREATE VIEW iterations AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos,
	printf('N%03d#%d', p.number, o.n) AS name,
	printf('N%03d/%d', p.number, o.iteration) AS iteration_name,
	(SELECT printf('N%03d#%d', p.number, u.n) FROM tl_occurrence u
		WHERE u.occurrence = o.parent) AS loop,
	o.iteration, o.complete, o.start_ns, o.span_ns, o.period_ns,
	o.period_ns - o.span_ns AS gap_ns, p.iter_median_ns,
	o.period_ns * 1.0 / nullif(p.iter_median_ns, 0) AS times_median,
	CASE WHEN o.complete = 1 AND o.period_ns IS NOT NULL THEN
		2 * o.period_ns > 3 * p.iter_median_ns OR
		2 * o.period_ns < p.iter_median_ns END AS outlier,
	o.busy_ns, o.compute_ns, o.comm_ns, o.comm_exposed_ns, o.copy_ns,
	o.copy_exposed_ns, o.idle_ns, o.sum_ns, o.position, o.occurrence
FROM tl_occurrence o JOIN tl_position p ON p.position = o.position
	JOIN tl_scope s ON s.scope = p.scope
	JOIN tl_occurrence u ON u.occurrence = o.parent AND u.position = o.position;

-- Which are the slowest events of a position? Place 1 is the slowest.
CREATE VIEW slowest_events AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos, x.place,
	x.event, x.dur_ns, p.span_ns AS median_ns,
	x.dur_ns * 1.0 / nullif(p.span_ns, 0) AS times_median, x.start_ns,
	x.occurrence, (SELECT text FROM tl_name n WHERE n.name = p.label) AS label,
	p.position
FROM (SELECT r.node, e.event, e.dur_ns, e.start_ns, r.idx AS occurrence,
		row_number() OVER (PARTITION BY r.node
			ORDER BY e.dur_ns DESC, e.event) AS place
	FROM tl_span r JOIN tl_event e ON e.event = r.event) x
	JOIN tl_position p ON p.position = x.node
	JOIN tl_scope s ON s.scope = p.scope;

-- Where is communication not hidden behind computation? Of events only those
-- that communicate; what is exposed of one is the position's median.
CREATE VIEW exposed_communication AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos, p.kind, p.depth,
	p.occurrences, p.comm_ns, p.comm_exposed_ns,
	p.comm_exposed_ns * p.occurrences AS estimate_ns,
	p.comm_exposed_ns * 1.0 / nullif(p.comm_ns, 0) AS fraction,
	(SELECT text FROM tl_name n WHERE n.name = p.label) AS label, p.position
FROM tl_position p JOIN tl_scope s ON s.scope = p.scope
WHERE p.comm_exposed_ns > 0 AND (p.kind <> 'event' OR EXISTS
	(SELECT 1 FROM tl_event e WHERE e.event = p.first_event AND e.class = 1))
ORDER BY estimate_ns DESC, p.position;

-- How long after the call that launched it did each event of the structure
-- start? NULL where its call is not in the capture.
CREATE VIEW launch_delays AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos, r.event, r.call,
	c.start_ns AS call_ns, e.start_ns, e.start_ns - c.start_ns AS delay_ns,
	e.dur_ns, r.node AS position
FROM tl_span r JOIN tl_event e ON e.event = r.event
	JOIN tl_position p ON p.position = r.node
	JOIN tl_scope s ON s.scope = p.scope
	LEFT JOIN tl_event c ON c.event = r.call;

-- The same by position: how long work waits between launch and start.
CREATE VIEW launch_delay_by_position AS
SELECT s.name AS scope, printf('N%03d', p.number) AS pos, d.events, d.known,
	d.least_ns, d.median_ns, d.greatest_ns,
	(SELECT text FROM tl_name n WHERE n.name = p.label) AS label, p.position
FROM (SELECT node, count(*) AS events, count(delay) AS known,
		min(delay) AS least_ns,
		max(iif(rank = (known + 1) / 2, delay, NULL)) AS median_ns,
		max(delay) AS greatest_ns
	FROM (SELECT r.node, e.start_ns - c.start_ns AS delay,
			count(c.start_ns) OVER (PARTITION BY r.node) AS known,
			row_number() OVER (PARTITION BY r.node
				ORDER BY e.start_ns - c.start_ns NULLS LAST) AS rank
		FROM tl_span r JOIN tl_event e ON e.event = r.event
			LEFT JOIN tl_event c ON c.event = r.call)
	GROUP BY node) d
	JOIN tl_position p ON p.position = d.node
	JOIN tl_scope s ON s.scope = p.scope;

-- How busy is each stream of a device? busy is the union of its events, from
-- the first to the last.
CREATE VIEW streams AS
SELECT s.name AS scope, l.context, l.token AS stream, x.events, x.kernels,
	x.copies, x.start_ns, x.end_ns, x.end_ns - x.start_ns AS span_ns,
	x.busy_ns, x.sum_ns, x.busy_ns * 1.0 / nullif(x.end_ns - x.start_ns, 0)
		AS busy_fraction, l.lane
FROM (SELECT lane, count(*) AS events, sum(kind IN (0, 5)) AS kernels,
		sum(kind IN (1, 2)) AS copies, min(start_ns) AS start_ns,
		max(stop) AS end_ns, sum(stop - start_ns) AS sum_ns,
		sum(max(0, stop - max(start_ns, coalesce(before, start_ns))))
			AS busy_ns
	FROM (SELECT e.lane, e.kind, e.start_ns, e.start_ns + e.dur_ns AS stop,
			max(e.start_ns + e.dur_ns) OVER (PARTITION BY e.lane
				ORDER BY e.start_ns, e.event ROWS BETWEEN
				UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
		FROM tl_event e WHERE e.kind IN (0, 1, 2, 4, 5) AND (e.keys IS NULL
			OR (SELECT detail FROM tl_keys k WHERE k.keys = e.keys) IS NULL))
	GROUP BY lane) x
	JOIN tl_lane l ON l.lane = x.lane JOIN tl_scope s ON s.scope = l.scope
ORDER BY l.scope, l.lane;

-- Which launches of graphs were there, and how well is each known?
CREATE VIEW graph_launches AS
SELECT l.launch, l.status, l.unit, u.symbol, l.members, l.missing, l.call,
	(SELECT text FROM tl_name n JOIN tl_event c ON c.name = n.name
		WHERE c.event = l.call) AS call_name,
	p.token AS process, l.device, l.start_ns, l.dur_ns, l.gap_ns, l.reason,
	l.opaque, l.first_event, l.last_event
FROM tl_launch l LEFT JOIN tl_unit u ON u.unit = l.unit
	LEFT JOIN tl_process p ON p.process = l.process;

-- What ran in a launch, and which node of the graph was it?
CREATE VIEW graph_members AS
SELECT m.launch, m.unit, m.stream, m.idx, m.event, k.name AS kind,
	c.name AS class, n.text AS name, e.start_ns, e.dur_ns,
	e.start_ns - l.start_ns AS offset_ns
FROM tl_member m JOIN tl_launch l ON l.launch = m.launch
	JOIN tl_event e ON e.event = m.event
	JOIN tl_kind k ON k.kind = e.kind JOIN tl_class c ON c.class = e.class
	LEFT JOIN tl_name n ON n.name = e.name;

-- The events, with what their keys stand for.
CREATE VIEW events AS
SELECT e.event, k.name AS kind, c.name AS class, e.start_ns, e.dur_ns,
	(SELECT token FROM tl_process p WHERE p.process = l.process) AS process,
	l.device, l.context, l.token AS lane, e.correlation,
	(SELECT text FROM tl_name n WHERE n.name = e.name) AS name,
	(SELECT text FROM tl_name n WHERE n.name = coalesce((SELECT sym
		FROM tl_keys y WHERE y.keys = e.keys), e.name)) AS symbol,
	(SELECT bytes FROM tl_keys y WHERE y.keys = e.keys) AS bytes,
	(SELECT copy FROM tl_keys y WHERE y.keys = e.keys) AS copy,
	(SELECT printf('N%03d', p.number) FROM tl_span s
		JOIN tl_position p ON p.position = s.node
		WHERE s.event = e.event) AS pos,
	(SELECT token FROM tl_tag t WHERE t.tag = e.tag) AS place_tag, e.place
FROM tl_event e JOIN tl_kind k ON k.kind = e.kind
	JOIN tl_class c ON c.class = e.class JOIN tl_lane l ON l.lane = e.lane;

-- What was not measured, dropped or guessed, and why? The notes, and what the
-- rest of the file shows to be missing.
CREATE VIEW not_measured AS
SELECT n.severity, n.code, n.count, n.text AS why FROM tl_note n
UNION ALL
SELECT 'info', 'no_call', count(*),
	'events of the structure whose launching call is not in the capture'
FROM tl_span WHERE event IS NOT NULL AND call IS NULL HAVING count(*) > 0
UNION ALL
SELECT 'info', 'no_structure', count(*),
	'scopes without a tree: tl-recover was not run, or found no device event'
FROM tl_scope WHERE scope NOT IN (SELECT scope FROM tl_position)
HAVING count(*) > 0
UNION ALL
SELECT 'info', 'launch_' || status, count(*),
	'launches of graphs whose members are not known exactly'
FROM tl_launch WHERE status <> 'exact' GROUP BY status
UNION ALL
SELECT 'info', 'partial_iterations', count(*),
	'iterations that the edge of the capture cut, left out of statistics'
FROM iterations WHERE complete = 0 HAVING count(*) > 0;
