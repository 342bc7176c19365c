-- Own tables of the analysis database, schema version 1: tl-db(5).
-- Keys are integers. "line" is a record's line number after the header, the
-- first record being 1; times and costs are nanoseconds; NULL is "." of the
-- stream, unknown or none. Text is decoded, TEXT where it is UTF-8 without NUL,
-- else BLOB. A token (column without a type) is an INTEGER where the stream has
-- a canonical decimal number of 64 bits, else text.

-- One row a fact about the file: schema_version, stream_version, records,
-- events, ..., and the keys of the #source line as source.KEY.
CREATE TABLE tl_meta (
	key TEXT PRIMARY KEY NOT NULL,
	value
) WITHOUT ROWID;

-- Header lines, as they came: n from 1 (the #tl-ev line).
CREATE TABLE tl_header (
	n INTEGER PRIMARY KEY,
	text NOT NULL                -- the line in the stream's form, escaped
);

-- Processes, from #process lines and from every record that has one.
CREATE TABLE tl_process (
	process INTEGER PRIMARY KEY, -- 1, 2, 3 ... in order of first sight
	token NOT NULL,              -- as the stream calls it
	name,                        -- key name= of its #process line
	pid INTEGER                  -- key pid=
);

-- #device lines. An event has none of these keys: match tokens, with process
-- NULL standing for every process.
CREATE TABLE tl_device (
	device INTEGER PRIMARY KEY,  -- 1, 2, 3 ... in order of the lines
	process INTEGER REFERENCES tl_process,
	token NOT NULL,
	name,                        -- key name=
	keys                         -- all keys, in the stream's form, TAB between
);

-- Scopes: a device of a process. Those with positions have a tree.
CREATE TABLE tl_scope (
	scope INTEGER PRIMARY KEY,   -- 1, 2, 3 ... in order of first sight
	process INTEGER REFERENCES tl_process, -- NULL if unknown
	device,                      -- token
	name NOT NULL                -- "process:device" as in pos records
);

-- Lanes: (process, device, context, lane) of events.
CREATE TABLE tl_lane (
	lane INTEGER PRIMARY KEY,    -- 1, 2, 3 ... in order of first sight
	process INTEGER REFERENCES tl_process,
	scope INTEGER REFERENCES tl_scope, -- NULL: on the host
	device,                      -- token, NULL on the host
	context,                     -- token
	token                        -- stream of a device, thread of a host
);

-- Kinds of events by code; device 1: they occupy a device.
CREATE TABLE tl_kind (
	kind INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	device INTEGER NOT NULL
);
INSERT INTO tl_kind VALUES
	(0, 'kernel', 1), (1, 'memcpy', 1), (2, 'memset', 1), (3, 'sync', 1),
	(4, 'graph', 1), (5, 'task', 1), (6, 'api', 0), (7, 'op', 0),
	(8, 'range', 0), (9, 'python', 0), (10, 'mark', 0), (11, 'counter', 0);

CREATE TABLE tl_class (
	class INTEGER PRIMARY KEY,
	name TEXT NOT NULL
);
INSERT INTO tl_class VALUES
	(0, 'compute'), (1, 'comm'), (2, 'copy'), (3, 'sync'), (4, 'host'),
	(5, 'other');

-- Tags of column place: the tables or arrays of the capture.
CREATE TABLE tl_tag (
	tag INTEGER PRIMARY KEY,
	token NOT NULL,
	meaning                      -- from the #place line
);

-- Names of events, symbols, labels; one text may have several rows where there
-- were too many to be held in memory, so compare texts, not keys, in doubt.
CREATE TABLE tl_name (
	name INTEGER PRIMARY KEY,    -- 1, 2, 3 ... in order of first sight
	text NOT NULL
);

-- What events have in columns 13 and up: a row for each different list of keys
-- (several rows with one list, as above).
CREATE TABLE tl_keys (
	keys INTEGER PRIMARY KEY,    -- 1, 2, 3 ... in order of first sight
	text NOT NULL,               -- all of them in the stream's form, TAB
	                             -- between: grid=50,4,1 TAB short=gather
	sym INTEGER REFERENCES tl_name, -- structural symbol, if it is not the name
	aux INTEGER,                 -- 1: role=aux, kept out of the structure
	detail INTEGER,              -- 1: details another event, counted nowhere
	bytes INTEGER,               -- of a copy or fill
	copy,                        -- HtoD, DtoH, DtoD, HtoH, PtoP
	graph,                       -- token: graph of a replayed node
	node,                        -- token: the node
	domain,                      -- of a range or mark
	short                        -- short name
);

-- Events, in order of start (ids ascend with it).
CREATE TABLE tl_event (
	event INTEGER PRIMARY KEY,   -- id of the stream
	shift INTEGER NOT NULL,      -- line - event
	kind INTEGER NOT NULL REFERENCES tl_kind,
	class INTEGER NOT NULL REFERENCES tl_class,
	start_ns INTEGER NOT NULL,   -- on the capture's clock
	dur_ns INTEGER,
	lane INTEGER NOT NULL REFERENCES tl_lane,
	correlation,                 -- token, within the process
	name INTEGER REFERENCES tl_name,
	tag INTEGER REFERENCES tl_tag, -- place: tag and number, or, where it has
	place,                       -- another form, NULL and the whole text
	keys INTEGER REFERENCES tl_keys
);

-- Graph bodies that launches share: unit records.
CREATE TABLE tl_unit (
	unit INTEGER PRIMARY KEY,    -- id of the stream
	line INTEGER NOT NULL,
	symbol,
	streams INTEGER,
	members INTEGER,
	launches INTEGER
);

-- Graph launches: launch records.
CREATE TABLE tl_launch (
	launch INTEGER PRIMARY KEY,  -- id of the stream
	line INTEGER NOT NULL,
	call INTEGER REFERENCES tl_event, -- the call on the host
	process INTEGER REFERENCES tl_process,
	device,                      -- token
	context,                     -- token
	start_ns INTEGER,            -- on the device
	dur_ns INTEGER,
	unit INTEGER REFERENCES tl_unit,
	status,                      -- exact single partial variant opaque empty
	                             -- orphan
	members INTEGER,             -- how many events it has
	missing INTEGER,             -- how many of its unit it has not
	opaque INTEGER REFERENCES tl_event, -- the graph event that stands for it
	reason,
	first_event INTEGER REFERENCES tl_event,
	last_event INTEGER REFERENCES tl_event,
	gap_ns INTEGER               -- start of the call to start on the device
);

-- Which event is which node of a launch: member records.
CREATE TABLE tl_member (
	line INTEGER PRIMARY KEY,
	launch INTEGER REFERENCES tl_launch,
	unit INTEGER REFERENCES tl_unit,
	stream,                      -- token: stream of the unit, from 0
	idx INTEGER,                 -- place on that stream, from 0
	event INTEGER REFERENCES tl_event
);

-- Positions, the places in the tree of a scope: pos records. The key is the
-- record's line, so keys ascend in pre-order, scope by scope.
CREATE TABLE tl_position (
	position INTEGER PRIMARY KEY,
	scope INTEGER NOT NULL REFERENCES tl_scope,
	number INTEGER NOT NULL,     -- 3 of N003: printf('N%03d', number)
	parent INTEGER REFERENCES tl_position, -- NULL: root
	ordinal INTEGER,             -- among its siblings, from 1
	depth INTEGER,               -- root 0
	kind TEXT,                   -- root seq loop replay event
	iterations INTEGER,          -- of a loop, in hundredths: 891 is 8.91
	body_events INTEGER,         -- events of one iteration or occurrence
	occurrences INTEGER,
	first_event INTEGER REFERENCES tl_event,
	start_ns INTEGER,            -- the least
	span_ns INTEGER,             -- medians over full occurrences, each on its
	busy_ns INTEGER,             -- own
	compute_ns INTEGER,
	comm_ns INTEGER,
	comm_exposed_ns INTEGER,
	copy_ns INTEGER,
	copy_exposed_ns INTEGER,
	idle_ns INTEGER,
	iter_min_ns INTEGER,         -- of a loop: periods of its iterations
	iter_median_ns INTEGER,
	iter_max_ns INTEGER,
	label INTEGER REFERENCES tl_name
);

-- Occurrences of positions that are no events, and iterations of loops: occ
-- records. The key is the record's line.
CREATE TABLE tl_occurrence (
	occurrence INTEGER PRIMARY KEY,
	position INTEGER NOT NULL REFERENCES tl_position,
	n INTEGER NOT NULL,          -- 7 of N003#7
	parent INTEGER REFERENCES tl_occurrence, -- the one it lies in
	iteration INTEGER,           -- the iteration it is, or lies directly in
	complete INTEGER,            -- 1 full, 0 partial
	first_event INTEGER REFERENCES tl_event,
	start_ns INTEGER,
	span_ns INTEGER,
	period_ns INTEGER,           -- to the start of the next iteration
	busy_ns INTEGER,
	compute_ns INTEGER,
	comm_ns INTEGER,
	comm_exposed_ns INTEGER,
	copy_ns INTEGER,
	copy_exposed_ns INTEGER,
	idle_ns INTEGER,
	sum_ns INTEGER,
	variant INTEGER              -- of a whole iteration of a loop that has
	                             -- variants: tl_variant.number
);

-- Iterations of a loop with the same deviations: variant records.
CREATE TABLE tl_variant (
	line INTEGER PRIMARY KEY,
	position INTEGER NOT NULL REFERENCES tl_position,
	number INTEGER,              -- 1, 2, 3 ... from the most frequent down
	count INTEGER,               -- how many iterations
	first INTEGER REFERENCES tl_occurrence, -- the first of them
	extra INTEGER,               -- deviations of one of them
	missing INTEGER,
	replaced INTEGER,
	period_ns INTEGER,           -- medians
	span_ns INTEGER,
	busy_ns INTEGER,
	idle_ns INTEGER
);

-- Deviations from a body: dev records.
CREATE TABLE tl_deviation (
	line INTEGER PRIMARY KEY,
	scope INTEGER NOT NULL REFERENCES tl_scope,
	occurrence INTEGER REFERENCES tl_occurrence, -- it lies in directly
	iteration INTEGER,           -- its number, if that is an iteration
	kind,                        -- extra missing replaced
	position INTEGER REFERENCES tl_position,
	event INTEGER REFERENCES tl_event -- NULL: missing
);

-- Which leaf position an event realises, within which occurrence: real records.
CREATE TABLE tl_real (
	line INTEGER PRIMARY KEY,
	event INTEGER REFERENCES tl_event,
	position INTEGER REFERENCES tl_position,
	occurrence INTEGER REFERENCES tl_occurrence, -- it lies in directly
	iteration INTEGER            -- its number, if that is an iteration
);

-- Files of scheduler context: context records.
CREATE TABLE tl_context (
	context INTEGER PRIMARY KEY, -- id of the stream
	line INTEGER NOT NULL,
	state TEXT,                  -- closed dropped_records unclosed
	run TEXT,
	producer TEXT,
	written INTEGER,
	dropped INTEGER,
	size INTEGER,                -- bytes
	sha256 TEXT,
	path TEXT
);

-- Their lines: json records.
CREATE TABLE tl_json (
	line INTEGER PRIMARY KEY,
	context INTEGER REFERENCES tl_context,
	file_line INTEGER,           -- of the file, from 1
	part INTEGER,                -- of that line, from 1
	text
);

-- Steps of a scheduler: step records.
CREATE TABLE tl_step (
	step INTEGER PRIMARY KEY,    -- id of the stream
	line INTEGER NOT NULL,
	context INTEGER REFERENCES tl_context,
	file_line INTEGER,
	run TEXT,
	step_id TEXT,                -- what the scheduler calls it
	producer TEXT,
	ordinal INTEGER,
	tokens INTEGER,
	requests INTEGER,            -- how many
	free_blocks INTEGER,
	pool_blocks INTEGER,
	execs INTEGER,               -- executions that name it
	markers INTEGER,             -- those with a supported marker
	events INTEGER,              -- device events linked to it
	cache
);

-- What a step scheduled: request records.
CREATE TABLE tl_request (
	line INTEGER PRIMARY KEY,
	step INTEGER REFERENCES tl_step,
	n INTEGER,                   -- from 1, in order of the file
	request TEXT,
	tokens INTEGER,
	json
);

-- Executions of steps by workers: exec records.
CREATE TABLE tl_exec (
	exec INTEGER PRIMARY KEY,    -- id of the stream
	line INTEGER NOT NULL,
	context INTEGER REFERENCES tl_context,
	file_line INTEGER,
	run TEXT,
	execution TEXT,
	step INTEGER REFERENCES tl_step,
	step_id TEXT,
	phase TEXT,
	status TEXT,
	marker_state TEXT,
	rank INTEGER,
	pid INTEGER,
	marker TEXT,
	state TEXT,
	ranges INTEGER,              -- ranges with the marker's name
	range INTEGER REFERENCES tl_event, -- that range, if it is one
	calls INTEGER,               -- linked to this execution
	events INTEGER
);

-- What of a step ran on a device: work records.
CREATE TABLE tl_work (
	line INTEGER PRIMARY KEY,
	step INTEGER REFERENCES tl_step,
	process INTEGER REFERENCES tl_process,
	device,                      -- token
	events INTEGER,
	first_event INTEGER REFERENCES tl_event,
	start_ns INTEGER,
	span_ns INTEGER
);

-- Events and calls tied to steps: link records.
CREATE TABLE tl_link (
	line INTEGER PRIMARY KEY,
	event INTEGER REFERENCES tl_event,
	step INTEGER REFERENCES tl_step,
	exec INTEGER REFERENCES tl_exec,
	state TEXT,                  -- linked ambiguous unlinked
	basis TEXT,
	call INTEGER REFERENCES tl_event,
	launch INTEGER REFERENCES tl_launch
);

-- What was dropped, guessed or is missing: note records.
CREATE TABLE tl_note (
	line INTEGER PRIMARY KEY,
	severity TEXT,               -- info warn error
	code TEXT,
	count INTEGER,
	text
);

-- Records as they came, in the stream's form: kinds this version does not
-- know, and those that have more than their table holds (columns beyond the
-- known ones, an unusual spelling), which are in their table as well. Column
-- number K, from 0, of a record of kind X:
--   SELECT json_extract('["' || replace(replace(replace(text, '\', '\\'), '"',
--       '\"'), char(9), '","') || '"]', '$[K]') FROM tl_other WHERE kind = 'X'
CREATE TABLE tl_other (
	line INTEGER PRIMARY KEY,
	kind NOT NULL,
	text NOT NULL
);
