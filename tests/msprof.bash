# shellcheck shell=bash
# What tests of Ascend captures share: databases made of SQL, and what SQL says
# that a stream must have.

FIXTURES=${TL_FIXTURES:-$ROOT/../shared/fixtures}/traceloom-ascend

# An own capture of one file: STRING_IDS, TASK and what refers to it. Device 0,
# process 7; connection 3 has a call.
base_sql() {
	cat <<-'END'
	CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
	INSERT INTO STRING_IDS VALUES (0, 'KERNEL_AIVEC'), (1, 'AI_CORE'),
	    (2, 'Notify Wait'), (3, 'SDMA'), (4, 'MODEL_EXECUTE'),
	    (5, 'PROFILING_ENABLE'), (6, 'Other'), (10, 'aclnnMul_Mul'),
	    (11, 'Mul'), (12, 'AI_VECTOR_CORE'), (20, 'hcom_allReduce__7_0_1'),
	    (21, 'Notify_Wait'), (22, 'Memcpy'), (23, 'hcom_allReduce_'),
	    (24, ''), (25, 'MatmulAllReduce'), (26, 'N/A'), (30, 'launch');
	CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER,
	    connectionId INTEGER, globalTaskId INTEGER, globalPid INTEGER,
	    taskType INTEGER, contextId INTEGER, streamId INTEGER,
	    taskId INTEGER, modelId INTEGER);
	CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,
	    globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER,
	    taskType INTEGER, opType INTEGER);
	CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER,
	    globalTaskId INTEGER, taskType INTEGER, opId INTEGER);
	CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER,
	    endNs INTEGER, connectionId INTEGER, groupName INTEGER,
	    opId INTEGER PRIMARY KEY, dataType INTEGER, count NUMERIC,
	    opType INTEGER);
	CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER,
	    globalTid INTEGER, connectionId INTEGER, name INTEGER);
	INSERT INTO CANN_API VALUES (100, 150, 10000, (7 << 32) | 9, 3, 30);
	END
}

# one SQL: the base with this behind it, as msprof_1.db.
one() {
	rm -f msprof_1.db
	{
		base_sql
		printf '%s;\n' "$1"
	} | sqlite3 msprof_1.db
}

# stream ARGUMENT...: the tool's lines but those of the header that depend on
# the machine; fails if it or tl-check does.
stream() {
	try tl-msprof2ev -P "$@"
	expect 0 || return 1
	expect_silent || return 1
	tl-check "$TRY/out" || return 1
	grep -v -e '^#source' -e '^#rules' -e '^#tl-ev' -e '^#order' -e '^end' \
	    "$TRY/out" >lines || :
}

# has LINE...: each is a line of the stream, with blanks for TABs.
has() {
	local l

	for l; do
		tr '\t' ' ' <lines | grep -qxF -- "$l" ||
		    { cat lines >&2; fail "no line: $l"; } || return 1
	done
}

# hasnt REGEX: no line of the stream matches.
hasnt() {
	if grep -e "$1" lines >&2; then
		fail "a line matches: $1"
	fi
}

# has_note SEVERITY CODE COUNT
has_note() {
	grep -q "^note	$1	$2	$3	" lines ||
	    { grep '^note' lines >&2; fail "no note $*"; }
}

# build SQL DB [MUTATION]: a database of a fixture's files.
build() {
	mkdir -p "$(dirname "$2")"
	sqlite3 "$2" <"$FIXTURES/$1"
	[[ -z ${3-} ]] || sqlite3 "$2" <"$FIXTURES/$3"
}

# The one-file and the split layout of a fixture in folders.
build_one() {
	build "$1/msprof.sql" "$2/msprof_20260101000000.db" "${3-}"
	[[ ! -e $FIXTURES/$1/host/sqlite/stream_info.sql ]] ||
	    build "$1/host/sqlite/stream_info.sql" \
		"$2/host/sqlite/stream_info.db"
}

build_split() {
	local f

	while read -r f; do
		build "$1/$f" "$2/${f%.sql}.db"
	done < <(cd "$FIXTURES/$1" && find device_* host -name '*.sql')
}

# Columns of a stream's tasks, by place, as tasks_of_sql prints them.
tasks_of_stream() {
	awk -F'\t' '$12 ~ /^T:/ {
		type = $0
		sub(/.*\ttype=/, "", type)
		sub(/\t.*/, "", type)
		print $12, $3, $4, $6, $8, $9, $11, type
	}' OFS='\t' "$1" | sort
}

# What SQL says of the tasks of a database of one file.
tasks_of_sql() {
	local key=globalTaskId start=startNs end=endNs

	sqlite3 -readonly -separator $'\t' "file:$1?immutable=1" "
	    WITH t AS (SELECT rowid r, *, (SELECT value FROM STRING_IDS
		WHERE id = taskType) type FROM TASK)
	    SELECT 'T:' || r, $start, $end - $start, deviceId, streamId,
		CASE connectionId WHEN 4294967295 THEN '.'
		    ELSE connectionId END,
		coalesce($(has_table "$1" COMPUTE_TASK_INFO opType \
		    "(SELECT value FROM STRING_IDS s JOIN COMPUTE_TASK_INFO c
		    ON s.id = c.name WHERE c.$key = t.$key
		    ORDER BY c.rowid LIMIT 1)"),
		$(has_table "$1" COMMUNICATION_TASK_INFO name \
		    "(SELECT value FROM STRING_IDS s JOIN
		    COMMUNICATION_TASK_INFO c ON s.id = c.name
		    WHERE c.$key = t.$key ORDER BY c.rowid LIMIT 1)"), type),
		replace(replace(upper(type), ' ', '_'), '-', '_')
	    FROM t WHERE type NOT LIKE 'PROFILING%'" | sort
}

# has_table DB TABLE COLUMN EXPRESSION: the expression, NULL without the column.
has_table() {
	if [[ -n $(sqlite3 -readonly "file:$1?immutable=1" "SELECT 1 FROM
	    pragma_table_info('$2') WHERE name = '$3'") ]]; then
		echo "$4"
	else
		echo NULL
	fi
}

# same_tasks DB: the stream in $TRY/out has the tasks of the database, all of
# them and nothing else.
same_tasks() {
	tasks_of_sql "$1" >sql
	tasks_of_stream "$TRY/out" >got
	[[ -s sql ]] || fail "no tasks in $1" || return 1
	diff sql got | head -n 20 >&2
	cmp sql got
}

sql() {
	sqlite3 -readonly "file:$1?immutable=1" "$2"
}

# Number of lines of the last stream that match; sum of their durations.
count() {
	grep -cP "$1" "$TRY/out" || :
}

total() {
	grep -P "$1" "$TRY/out" | awk -F'\t' '{ s += $4 } END { print s + 0 }'
}

# A stream without what depends on the layout.
no_layout() {
	grep -v -e '^#source' -e '^#place' -e '^note' -e '^end' "$1"
}
