#!/usr/bin/env bats
# Ascend captures: own ones with what must come of each row, generated ones in
# both layouts, and others' captures and SQL where these are there, against
# what SQL says of the same databases.
load helper
load msprof

setup() {
	tl_setup
	need sqlite3
}

N=4294967295

# ---- own captures ----

@test "msprof2ev: an operator, its call, its columns" {
	one "INSERT INTO TASK VALUES (200, 260, 0, 3, 0, 7, 0, $N, 2, 40, $N);
	    INSERT INTO COMPUTE_TASK_INFO VALUES (10, 0, 8, 12, 11)"
	stream msprof_1.db
	has '#process 7 pid=7' '#device 7 0' \
	    '#place A=CANN_API C=COMMUNICATION_OP T=TASK' \
	    'api 1 100 50 7 . . 9 3 host launch A:1 level=node' \
	    'kernel 2 200 60 7 0 . 2 3 compute aclnnMul_Mul T:1 core=AI_VECTOR_CORE identity=op op_type=Mul sym=Mul task=40 type=KERNEL_AIVEC'
}

@test "msprof2ev: a collective counts once, its tasks are details (A11)" {
	one "INSERT INTO TASK VALUES
	    (100, 200, 0, 5, 0, 7, 1, $N, 4, 1, $N),
	    (100, 150, 0, 5, 1, 7, 2, 0, 4, 1, $N),
	    (150, 190, 0, 5, 2, 7, 3, 1, 4, 1, $N),
	    (100, 200, 0, 6, 3, 7, 3, $N, 9, 1, $N);
	    INSERT INTO COMMUNICATION_TASK_INFO VALUES (20, 1, 21, 1),
	    (20, 2, 22, 1);
	    INSERT INTO COMMUNICATION_OP VALUES
	    (20, 100, 200, 5, 24, 1, 4, 256, 23)"
	stream msprof_1.db
	has 'task 1 100 100 7 0 . 4 5 comm hcom_allReduce__7_0_1 C:1 count=256 data_type=FP32 group="" op=1 op_type=hcom_allReduce_ sym=AllReduce tasks=3' \
	    'kernel 2 100 100 7 0 . 4 5 compute AI_CORE T:1 detail=1 role=aux task=1 type=AI_CORE' \
	    'sync 5 100 50 7 0 . 4 5 comm hcom_allReduce__7_0_1 T:2 comm=hcom_allReduce__7_0_1 comm_type=Notify_Wait context=0 detail=1 identity=comm role=aux sym=hcom_allReduce/Notify_Wait task=1 type=NOTIFY_WAIT' \
	    'memcpy 3 100 100 7 0 . 9 6 copy SDMA T:4 role=aux task=1 type=SDMA'
	has_note info comm_parts 3
	# the device's communication is the collective's 100 ns
	tl-recover "$TRY/out" | awk -F'\t' '$1 == "pos" && $3 == "N001"' >root
	[[ $(cut -f 16 root) == 100 ]] || { cat root >&2; fail "comm"; }
}

@test "msprof2ev: a collective within the task that does it is the detail" {
	one "INSERT INTO TASK VALUES
	    (100, 300, 0, 5, 0, 7, 1, 0, 2, 1, $N);
	    INSERT INTO COMPUTE_TASK_INFO VALUES (25, 0, 8, 12, 25);
	    INSERT INTO COMMUNICATION_OP VALUES
	    (20, 150, 250, 5, NULL, 1, 4, 256, 23)"
	stream msprof_1.db
	grep -q $'^kernel\t.*MatmulAllReduce\tT:1' lines
	hasnt 'T:1.*detail'
	grep -q 'C:1.*detail=1.*of=T:1' lines
	has_note info reconcile_rule 1
}

@test "msprof2ev: a task that launched others is the detail" {
	one "INSERT INTO TASK VALUES
	    (100, 300, 0, 5, 0, 7, 1, $N, 2, 1, $N),
	    (101, 299, 0, 5, 1, 7, 0, 0, 2, 1, $N),
	    (400, 500, 0, 6, 2, 7, 1, $N, 2, 2, $N);
	    INSERT INTO COMPUTE_TASK_INFO VALUES (10, 1, 8, 12, 11)"
	stream msprof_1.db
	grep -q 'T:1.*detail=1' lines
	hasnt 'T:2.*detail'
	hasnt 'T:3.*detail'
	grep -q 'T:1.*of=T:2' lines
	has_note info reconcile_rule 1
}

@test "msprof2ev: level 0, names of types, said (A03)" {
	one "DROP TABLE COMPUTE_TASK_INFO; DROP TABLE COMMUNICATION_OP;
	    DROP TABLE COMMUNICATION_TASK_INFO; INSERT INTO TASK VALUES
	    (100, 200, 0, 3, 0, 7, 0, $N, 2, 1, $N),
	    (300, 400, 0, 4, 1, 7, 6, $N, 2, 2, $N)"
	stream msprof_1.db
	has 'kernel 1 100 100 7 0 . 2 3 compute KERNEL_AIVEC T:1 task=1 type=KERNEL_AIVEC' \
	    'task 3 300 100 7 0 . 2 4 other Other T:2 task=2 type=OTHER'
	has_note warn no_op_names 2
}

@test "msprof2ev: N/A for a type and in a column of numbers (A06)" {
	one "INSERT INTO TASK VALUES
	    (100, 200, 0, 'N/A', 0, 7, 0, $N, 2, 1, 'N/A');
	    INSERT INTO COMPUTE_TASK_INFO VALUES (10, 0, 8, 12, 26)"
	stream msprof_1.db
	has 'kernel 1 100 100 7 0 . 2 . compute aclnnMul_Mul T:1 core=AI_VECTOR_CORE identity=op task=1 type=KERNEL_AIVEC'
	has_note warn odd_values 2
}

@test "msprof2ev: the profiler's own tasks are no events (A07)" {
	one "INSERT INTO TASK VALUES (1, 1, 0, 8, 0, 7, 5, $N, 0, 1, $N),
	    (100, 200, 0, 3, 1, 7, 0, $N, 2, 1, $N)"
	stream msprof_1.db
	hasnt $'T:1\t'
	has_note info profiler_tasks 1
}

@test "msprof2ev: times as text, exact, with an exponent, real" {
	one "DROP TABLE TASK; CREATE TABLE TASK (start TEXT, end TEXT,
	    deviceId, connectionId, correlationId, globalPid, taskType,
	    contextId, streamId, taskId, modelId);
	    INSERT INTO TASK VALUES
	    ('1736414119641640110', '1736414119641640113', 0, 3, 0, 7, 0, 0, 2, 1, $N),
	    ('1.23282223630523e+17', '1.23282223634937e+17', 0, 4, 1, 7, 0, 0, 2, 1, $N),
	    ('12.9', '14', 0, 4, 1, 7, 0, 0, 2, 1, $N),
	    ('soon', '14', 0, 4, 1, 7, 0, 0, 2, 1, $N),
	    ('20', '19', 0, 4, 1, 7, 0, 0, 2, 1, $N),
	    (NULL, '19', 0, 4, 1, 7, 0, 0, 2, 1, $N)"
	stream msprof_1.db
	has 'kernel 4 1736414119641640110 3 7 0 . 2 3 compute KERNEL_AIVEC T:1 context=0 task=1 type=KERNEL_AIVEC' \
	    'kernel 3 123282223630523000 4414000 7 0 . 2 4 compute KERNEL_AIVEC T:2 context=0 task=1 type=KERNEL_AIVEC' \
	    'kernel 1 12 2 7 0 . 2 4 compute KERNEL_AIVEC T:3 context=0 task=1 type=KERNEL_AIVEC'
	has_note warn rounded_times 2
	has_note warn odd_values 1
	has_note warn dropped_no_time 2
	has_note warn dropped_negative_dur 1
}

@test "msprof2ev: unknown names, none values, two processes" {
	one "INSERT INTO TASK VALUES
	    (100, 200, 0, $N, 0, 7, 77, $N, $N, 1, -1),
	    (100, 200, 1, 0, 1, 8, 0, $N, 2, 1, 5)"
	stream msprof_1.db
	has '#process 7 pid=7' '#process 8 pid=8' '#device 7 0' '#device 8 1' \
	    'task 1 100 100 7 0 . . . other type#77 T:1 task=1 type=TYPE_77' \
	    'kernel 2 100 100 8 1 . 2 0 compute KERNEL_AIVEC T:2 model=5 task=1 type=KERNEL_AIVEC'
	has_note warn unknown_name 1
}

@test "msprof2ev: PyTorch's operators, queues, steps and frames" {
	one "INSERT INTO STRING_IDS VALUES (40, 'aten::mul'),
	    (41, 'ProfilerStep#3'), (42, 'Enqueue'), (43, 'train.py(3): f');
	    CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT,
	    globalTid INTEGER, connectionId INTEGER, name INTEGER,
	    sequenceNumber INTEGER, fwdThreadId INTEGER, type INTEGER);
	    INSERT INTO PYTORCH_API VALUES
	    ('1000', '1900', (7 << 32) | 8, 2, 40, 11, 0, 50001),
	    ('900', '2000', (7 << 32) | 8, NULL, 41, NULL, NULL, 50001),
	    ('1100', '1200', (7 << 32) | 8, 1, 42, NULL, NULL, 50002),
	    ('800', '2100', (7 << 32) | 8, NULL, 43, NULL, NULL, 50003);
	    CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
	    INSERT INTO CONNECTION_IDS VALUES (2, 9), (2, 3), (1, 5), (2, 9)"
	stream msprof_1.db
	has 'range 2 900 1100 7 . . 8 . host ProfilerStep#3 P:2' \
	    'op 3 1000 900 7 . . 8 . host aten::mul P:1 connections=3,9 forward=0 sequence=11' \
	    'op 4 1100 100 7 . . 8 . host Enqueue P:3 connections=5 queue=1'
	hasnt '^python'
	stream -c python msprof_1.db
	has 'python 1 800 1300 7 . . 8 . host train.py(3): f P:4'
}

@test "msprof2ev: marks and ranges of mstx, copies with their size" {
	one "INSERT INTO STRING_IDS VALUES (40, 'mark'), (41, 'range'),
	    (42, 'dom'); CREATE TABLE MSTX_EVENTS (startNs INTEGER,
	    endNs INTEGER, eventType INTEGER, message INTEGER,
	    globalTid INTEGER, domainId INTEGER, connectionId INTEGER);
	    INSERT INTO MSTX_EVENTS VALUES
	    (5, 5, 0, 40, (7 << 32) | 8, 42, $N),
	    (6, 9, 2, 41, (7 << 32) | 8, 42, $N);
	    CREATE TABLE MEMCPY_INFO (globalTaskId, size, memcpyOperation);
	    INSERT INTO MEMCPY_INFO VALUES (4, 4096, 1);
	    INSERT INTO TASK VALUES (10, 20, 0, 3, 4, 7, 3, $N, 2, 1, $N)"
	stream msprof_1.db
	has 'mark 1 5 . 7 . . 8 . host mark M:1 domain=dom' \
	    'range 2 6 3 7 . . 8 . host range M:2 domain=dom style=start_end' \
	    'memcpy 3 10 10 7 0 . 2 3 copy SDMA T:1 bytes=4096 copy=HtoD role=aux task=1 type=SDMA'
}

@test "msprof2ev: a graph's streams, in the header, both spellings" {
	one "INSERT INTO TASK VALUES (10, 20, 0, 3, 0, 7, 4, $N, 3, 1, 7)"
	mkdir -p host/sqlite
	sqlite3 host/sqlite/stream_info.db "CREATE TABLE CaptureStreamInfo (
	    device_id, model_id, original_stream_id, model_stream_id);
	    INSERT INTO CaptureStreamInfo VALUES (0, 7, 3, 37), (0, 7, 3, 36),
	    (0, 7, 3, 37)"
	stream msprof_1.db
	[[ $(grep -c '^#capture' lines) == 2 ]]
	has '#capture 0 7 36 original=3' '#capture 0 7 37 original=3' \
	    'task 1 10 10 7 0 . 3 3 other MODEL_EXECUTE T:1 model=7 role=aux task=1 type=MODEL_EXECUTE'
	grep -q '^#source.*[[:space:]]capture_map=yes' "$TRY/out"
	sqlite3 host/sqlite/stream_info.db "ALTER TABLE CaptureStreamInfo
	    RENAME COLUMN model_stream_id TO stream_id;
	    ALTER TABLE CaptureStreamInfo ADD COLUMN timestamp NUM;
	    UPDATE CaptureStreamInfo SET timestamp = 9"
	stream msprof_1.db
	has '#capture 0 7 36 original=3 time=9'
}

@test "msprof2ev: launches of graphs whose streams are not known" {
	one "INSERT INTO TASK VALUES (10, 20, 0, 3, 0, 7, 4, $N, 3, 1, 7)"
	stream msprof_1.db
	has_note warn capture_map_missing 1
	grep -q 'msprof --export=on' lines
	grep -q '^#source.*[[:space:]]capture_map=no' "$TRY/out"
}

# ---- what is no capture ----

folder() {
	find . -type f -printf '%p %s %T@ %m\n' | sort
	find . -type f -exec cksum {} + | sort
}

# refused REGEX ARGUMENT...: exit 1, one line, and nothing changed.
refused() {
	local before regex=$1

	before=$(folder)
	shift
	try tl-msprof2ev "$@"
	expect 1 "$regex" || return 1
	[[ ! -s $TRY/out ]] || fail "something on stdout" || return 1
	[[ $(folder) == "$before" ]] || fail "the folder changed"
}

@test "msprof2ev: databases that are no captures" {
	sqlite3 none.db 'CREATE TABLE t (a); DROP TABLE t'
	refused 'none.db: SQLite database without a table: no capture' none.db
	sqlite3 other.db 'CREATE TABLE CommunicationGroup (type TEXT)'
	refused 'other.db: SQLite database without a table TASK' other.db
	sqlite3 bad.db 'CREATE TABLE TASK (startNs INTEGER)'
	refused "bad.db: table TASK: column 'endNs' is missing" bad.db
	echo text >text.db
	refused 'text.db: not an SQLite database' text.db
	refused 'none: No such file' none
	refused '<stdin>: SQLite cannot read from a pipe' -
}

@test "msprof2ev: a run that was not parsed (A10), an empty folder" {
	mkdir -p PROF_1/host/data PROF_1/device_0/data empty
	refused "PROF_1: its data was not parsed yet: .*msprof --export=on" PROF_1
	mkdir -p rank/PROF_2/device_0/data
	refused "rank/PROF_2: its data was not parsed yet" rank
	refused 'empty: is a folder without a capture' empty
}

@test "msprof2ev: WAL mode, a folder that may not be written" {
	one "INSERT INTO TASK VALUES (10, 20, 0, 3, 0, 7, 0, $N, 2, 1, $N);
	    PRAGMA journal_mode = WAL"
	rm -f msprof_1.db-wal msprof_1.db-shm
	mkdir closed
	mv msprof_1.db closed
	chmod a-w closed closed/msprof_1.db
	before=$(folder)
	stream closed/msprof_1.db
	rm lines
	[[ $(folder) == "$before" ]] || fail "the folder changed"
	chmod u+w closed
}

@test "msprof2ev: a damaged database, with and without -k" {
	one "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
	    WHERE i < 3000) INSERT INTO TASK SELECT i, i + 1, 0, i, i, 7, 0,
	    $N, 2, i, $N FROM n"
	size=$(stat -c %s msprof_1.db)
	head -c $((size / 2)) msprof_1.db >msprof_2.db
	refused 'msprof_2.db: SQLite database is cut short' msprof_2.db
	try tl-msprof2ev -k msprof_2.db
	expect 1 'msprof_2.db: parts of it could not be read'
	tl-check "$TRY/out"
	n=$(count '^kernel')
	((n > 100 && n < 3000)) || fail "$n tasks"
	grep -q '^note	error	truncated' "$TRY/out"
}

@test "msprof2ev: databases damaged at random" {
	need python3
	"$BUILD/gen_ascend" -n 3 -o g
	try python3 "$TESTS/damage.py" g/msprof_*.db 80 "${SEED:-1}" \
	    tl-msprof2ev -P
	expect 0 || return 1
	grep -Eq '^[1-9][0-9]* read, [1-9][0-9]* refused' "$TRY/out"
}

@test "msprof2ev: kinds" {
	one "INSERT INTO TASK VALUES (10, 20, 0, 3, 0, 7, 0, $N, 2, 1, $N),
	    (30, 40, 0, 3, 1, 7, 2, $N, 2, 1, $N)"
	stream -c kernel msprof_1.db
	[[ $(grep -v -e '^#' -e '^note' lines | cut -f 1) == kernel ]]
	stream -c -kernel,-api msprof_1.db
	[[ $(grep -v -e '^#' -e '^note' lines | cut -f 1) == sync ]]
	try tl-msprof2ev -c kernels msprof_1.db
	((rc == 2)) && grep -q "bad kind 'kernels'" "$TRY/err"
}

@test "msprof2ev: bytes are the same with little memory" {
	"$BUILD/gen_ascend" -n 2000 -o g
	tl-msprof2ev -P g >all
	tl-msprof2ev -P -S 1M g >few
	cmp all few
}

# ---- folders ----

@test "msprof2ev: folders of one and of several captures" {
	mkdir -p top/rank0 top/rank1
	"$BUILD/gen_ascend" -o top/rank0/PROF_1
	"$BUILD/gen_ascend" -s -n 3 -o top/rank1/PROF_1
	mkdir -p top/rank2/ASCEND_PROFILER_OUTPUT
	"$BUILD/gen_ascend" -n 5 -o top/rank2/PROF_9
	mv top/rank2/PROF_9/msprof_20260101000000.db \
	    top/rank2/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_2.db
	refused "top: 3 captures are in it, 'rank0/PROF_1' and 'rank1/PROF_1'" top
	try tl-msprof2ev -P -o out top
	expect 0
	[[ $(echo out/*) == "out/rank0_PROF_1.ev out/rank1_PROF_1.ev out/rank2.ev" ]]
	tl-check out/*.ev
	tl-msprof2ev -P top/rank0/PROF_1 | cmp - out/rank0_PROF_1.ev
	tl-msprof2ev -P top/rank1 | cmp - out/rank1_PROF_1.ev
	# one capture, not two, and with the map of the PROF_* beside it
	tl-msprof2ev -P top/rank2 | cmp - out/rank2.ev
	tl-msprof2ev -P top/rank2/ASCEND_PROFILER_OUTPUT | cmp - out/rank2.ev
	grep -q $'^#source\t.*\tcapture_map=yes\t.*\trank=2' out/rank2.ev
	# what fails does not keep the others from their streams
	rm -r out
	mkdir -p top/rank3/PROF_1/host/data
	try tl-msprof2ev -P -o out top
	expect 1 'top/rank3/PROF_1: its data was not parsed yet'
	[[ $(echo out/*) == "out/rank0_PROF_1.ev out/rank1_PROF_1.ev out/rank2.ev" ]]
	rm -r out top/rank3
	echo junk >top/rank1/PROF_1/device_0/sqlite/ascend_task.db
	try tl-msprof2ev -P -o out top
	expect 1 'ascend_task.db: not an SQLite database'
	[[ $(echo out/*) == "out/rank0_PROF_1.ev out/rank2.ev" ]]
	# two that would be one file
	"$BUILD/gen_ascend" -n 1 -o top/rank0_PROF_1
	rm -r top/rank1
	mkdir top/rank0_PROF_1/PROF_1
	mv top/rank0_PROF_1/host top/rank0_PROF_1/*.db top/rank0_PROF_1/PROF_1
	mkdir -p top/rank0/PROF_1_PROF_1
	mv top/rank0/PROF_1/* top/rank0/PROF_1_PROF_1
	refused 'rank0_PROF_1_PROF_1.ev: output: two captures' -o out2 top
}

@test "msprof2ev: two PROF_* beside a database: neither is taken" {
	mkdir r
	"$BUILD/gen_ascend" -o r/PROF_1
	cp -r r/PROF_1 r/PROF_2
	mkdir r/ASCEND_PROFILER_OUTPUT
	mv r/PROF_1/*.db r/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler.db
	rm r/PROF_2/*.db
	stream r
	has_note error capture_map_ambiguous 30
	grep -q "'PROF_1' and 'PROF_2'" lines
	hasnt '^#capture'
	[[ $(count '^kernel') == 220 ]]
}

@test "msprof2ev: the last of several databases, said" {
	"$BUILD/gen_ascend" -n 4 -o p
	"$BUILD/gen_ascend" -o q
	mv p/msprof_20260101000000.db q/msprof_20250101000000.db
	stream q
	has_note warn several_databases 1
	[[ $(count '^kernel') == 220 ]]
}

@test "msprof2ev: traceloom takes a folder and a database" {
	mkdir r
	"$BUILD/gen_ascend" -s -o r/PROF_1
	"$BUILD/gen_ascend" -o PROF_2
	before=$(cd r && folder)
	try traceloom -P -o out r/PROF_1/ PROF_2 PROF_2/msprof_20260101000000.db
	expect 0 || return 1
	[[ $(echo out/*.tree.txt) == "out/PROF_1.tree.txt out/PROF_2.tree.txt out/msprof_20260101000000.tree.txt" ]]
	grep -q 'N0.*10 x ' out/PROF_1.tree.txt
	cmp <(grep 'N0' out/PROF_1.tree.txt) <(grep 'N0' out/PROF_2.tree.txt)
	[[ $(cd r && folder) == "$before" ]]
	mkdir none
	try traceloom -o out none
	expect 1 'none: .*is a folder without a capture'
}

# ---- both layouts ----

# answer FILE: the counts of the generated capture's answer in the last stream.
answer() {
	local what a b c _ n

	while read -r what a b c _; do
		case $what in
		kind)
			[[ $(count "^$a\\t.*\\tT:") == "$b" ]] ||
			    fail "$a: $(count "^$a\\t.*\\tT:"), not $b"
			[[ $(total "^$a\\t.*\\tT:") == "$c" ]] ||
			    fail "$a: $(total "^$a\\t.*\\tT:") ns, not $c"
			;;
		comm)
			[[ $(count '\tC:') == "$a" ]] || fail "collectives"
			[[ $(total '\tC:') == "$b" ]] || fail "their time"
			[[ $(count 'detail=1') == "$c" ]] || fail "parts"
			;;
		calls) [[ $(count '^api') == "$a" ]] || fail "calls" ;;
		capture) [[ $(count '^#capture') == "$a" ]] || fail "map" ;;
		graph)
			[[ $(count "type=MODEL_EXECUTE" | head -n 1) -gt 0 ]]
			n=$(count "model=$a\\t.*type=MODEL_EXECUTE")
			[[ $n == "$b" ]] || fail "graph $a: $n, not $b"
			n=$(count "identity=op\\t.*model=$a\\t")
			[[ $n == $((b * c)) ]] || fail "graph $a: $n tasks"
			;;
		esac || return 1
	done <"$1"
}

@test "msprof2ev: generated captures have their answer, in both layouts" {
	for o in '' '-n 40 -g 7 -m 3 -b 11 -e 9 -c 8' '-g 1 -m 1 -b 1 -c 0'; do
		# shellcheck disable=SC2086 # words
		"$BUILD/gen_ascend" $o -a answer -o one
		# shellcheck disable=SC2086
		"$BUILD/gen_ascend" $o -s -a answer2 -o split
		cmp answer answer2
		stream one
		answer answer || return 1
		same_tasks one/msprof_20260101000000.db
		cp "$TRY/out" first
		stream split
		answer answer || return 1
		cmp <(no_layout first) <(no_layout "$TRY/out")
		has_note warn split_layout .
		rm -r one split
	done
}

@test "msprof2ev: a split capture of several devices" {
	"$BUILD/gen_ascend" -s -o p
	cp -r p/device_0 p/device_1
	cp -r p/device_0 p/device_10
	sqlite3 p/host/sqlite/ge_info.db "INSERT INTO TaskInfo SELECT model_id,
	    op_name, stream_id, task_id, task_type, op_type, batch_id, d,
	    context_id FROM TaskInfo, (SELECT 1 AS d UNION SELECT 10)"
	sqlite3 p/host/sqlite/hccl.db "INSERT INTO HCCLOP SELECT d, index_id,
	    op_name, op_type, begin, \"end\", connection_id FROM HCCLOP,
	    (SELECT 1 AS d UNION SELECT 10)"
	stream p
	grep -q $'^#place\tA=ApiData\tC=HCCLOP\t.*\tT0=AscendTask\tT1=AscendTask\tT10=AscendTask$' lines
	for d in 0 1 10; do
		[[ $(count "^kernel\t.*\tT$d:") == 220 ]]
		[[ $(grep -P '\tC' "$TRY/out" | cut -f 6 | grep -cx $d) == 10 ]]
	done
}

@test "msprof2ev: split databases that are empty, or broken with -k" {
	"$BUILD/gen_ascend" -s -o p
	tl-msprof2ev -P p | grep -v '^#source' >first
	: >p/host/sqlite/empty.db
	stream p
	grep -v '^#source' "$TRY/out" | cmp - first
	echo junk >p/host/sqlite/hash.db
	refused 'hash.db: not an SQLite database' p
	try tl-msprof2ev -P -k p
	((rc == 1)) || fail "status $rc"
	grep -q 'hash.db: not an SQLite database: passed over' "$TRY/err"
	tl-check "$TRY/out"
	[[ $(count '^kernel') == 220 ]]
}

@test "msprof2ev: ticks of calls without info.json are told by their tasks" {
	"$BUILD/gen_ascend" -s -o p
	tl-msprof2ev -P p >with
	rm p/host/info.json p/host/host_start.log p/host/start_info
	# the count began where the device's clock did, to be comparable
	sqlite3 p/host/sqlite/api_event.db "UPDATE ApiData SET
	    start = start - 123450000 + 500000000000,
	    \"end\" = \"end\" - 123450000 + 500000000000"
	stream p
	grep -q 'call_ticks.*taken for 10 ns' lines
	shift=$((1767225600000000000 - 5000000000000))
	diff <(grep '^api' with | awk -F'\t' '{ print $11, $4, $9 }') \
	    <(grep '^api' lines | awk -F'\t' '{ print $11, $4, $9 }')
	[[ $(grep -m1 '^api' with | cut -f 3) == \
	    $(($(grep -m1 '^api' lines | cut -f 3) + shift)) ]]
}

# ---- others' SQL ----

fixtures() {
	[[ -d $FIXTURES ]] || skip "no fixtures"
}

# check_fixture FOLDER TASKS CALLS MAP COMPUTE COMM: numbers of device tasks
# and calls, and what the header says the stream has.
check_fixture() {
	stream "$1"
	[[ $(count '\tT:') == "$2" ]] || fail "$1: $(count '\tT:') tasks" ||
	    return 1
	[[ $(count '^api') == "$3" ]] || fail "$1: $(count '^api') calls" ||
	    return 1
	[[ $(grep '^#source' "$TRY/out" | tr '\t' '\n' | grep -E \
	    '^(capture_map|compute_names|comm_names)=' | cut -d = -f 2 |
	    tr '\n' ' ') == "$4 $6 $5 " ]] || { head -n 3 "$TRY/out" >&2
		fail "$1: what it has"; }
}

@test "fixtures: one file: every row is the one SQL says" {
	fixtures
	for c in aclgraph_smoke body_mismatch exact_hlt launch_identity \
	    minimal_smoke; do
		build_one $c $c
		stream $c
		same_tasks $c/msprof_20260101000000.db || fail $c
	done
	build launch_identity/msprof.sql mc2/msprof_1.db \
	    launch_identity/mutations/mc2_nested_controls.sql
	stream mc2
	same_tasks mc2/msprof_1.db
	build body_mismatch/msprof.sql seq/msprof_1.db \
	    body_mismatch/mutations/body_sequence_mismatch.sql
	stream seq
	same_tasks seq/msprof_1.db
	[[ $(count '\tSub\t') == 1 ]]
}

@test "fixtures: numbers and capabilities of exact_hlt and its mutations" {
	fixtures
	build_one exact_hlt e
	check_fixture e 70 15 yes yes yes
	[[ $(count '^#capture') == 12 ]]
	[[ $(count 'identity=op') == 28 ]]
	m() {
		rm -rf m
		build_one exact_hlt m "exact_hlt/mutations/$1.sql"
	}
	m device_order_without_host_api
	check_fixture m 70 0 yes yes yes
	m truncated_completion
	check_fixture m 69 15 yes yes yes
	m missing_body
	check_fixture m 70 15 yes yes yes
	[[ $(count 'identity=op') == 26 ]]
	m incomplete_compute_schema
	check_fixture m 70 15 yes no yes
	[[ $(count '\tKERNEL_AIVEC\tT:') == 28 ]]
	has_note warn unusable_table .
	m missing_communication_schema
	check_fixture m 84 15 yes yes no
}

@test "fixtures: one file and split give equal streams" {
	fixtures
	# the SQL of the split layout tells no pid, and levels of calls and
	# columns of the map that the other does not have
	same() {
		tl-msprof2ev -P "$1" | norm >a
		tl-msprof2ev -P "$2" | norm >b
		[[ -s a ]]
		cmp a b
	}
	norm() {
		grep -v -e '^#source' -e '^#pro' -e '^#dev' -e '^#place' \
		    -e '^note' -e '^end' | awk -F'\t' 'BEGIN { OFS = FS }
		    !/^#/ { $5 = "." } { print }' | sed \
		    's/\tlevel=[a-z0-9]*//; s/\tbatch=0//; s/\tstatus=0//'
	}
	for c in exact_hlt launch_identity; do
		build_one $c one-$c
		build_split $c/split split-$c
		same one-$c split-$c
	done
	build_split split_golden gs
	build split_golden/monolithic.sql gm/msprof_1.db
	sqlite3 gs/host/sqlite/api_event.db 'DELETE FROM ApiData'
	same gm gs
}

@test "fixtures: split databases beside one that is of no use" {
	fixtures
	build_split split_golden g
	stream g
	cp "$TRY/out" first
	[[ $(count '^(kernel|sync|memcpy|task)') == 4 ]]
	[[ $(count 'detail=1') == 1 ]]
	has_note warn dropped_no_time 1
	grep -q $'\tcomm\thcom_allReduce_\tC:1\t.*sym=AllReduce' "$TRY/out"
	for n in incompatible unusable; do
		rm -rf b
		build_split split_golden b
		build "split_golden/negatives/${n}_monolithic.sql" \
		    b/msprof_20260101000000.db
		for arg in b b/msprof_20260101000000.db; do
			stream $arg
			has_note warn split_layout .
			cmp <(no_layout first) <(no_layout "$TRY/out")
		done
	done
	build_split exact_hlt/split e
	sqlite3 e/host/sqlite/ge_info.db \
	    <"$FIXTURES/exact_hlt/mutations/incomplete_split_task_info.sql"
	check_fixture e 70 15 yes no yes
	[[ $(count '\tKERNEL_AIVEC\tT:') == 28 ]]
}

@test "fixtures: collectives once, captures of graphs, both spellings" {
	fixtures
	build_one minimal_smoke m
	stream m
	[[ $(count '\tC:') == 1 && $(count 'sym=AllReduce') == 1 ]]
	[[ $(total '\tC:') == 50 && $(count 'detail=1') == 1 ]]
	build_one aclgraph_smoke a
	check_fixture a 8 10 yes yes no
	[[ $(count '\tC:') == 2 && $(count '^#capture') == 2 ]]
	cp "$TRY/out" first
	sqlite3 a/host/sqlite/stream_info.db \
	    <"$FIXTURES/aclgraph_smoke/mutations/current_schema.sql"
	stream a
	cmp <(grep -v '^#source' first) <(grep -v '^#source' "$TRY/out")
	sqlite3 a/host/sqlite/stream_info.db \
	    <"$FIXTURES/aclgraph_smoke/mutations/single_slot.sql"
	stream a
	[[ $(count '^#capture') == 1 ]]
}

@test "fixtures: a rank's folder with one PROF, two, none" {
	fixtures
	db=ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db
	build exact_hlt/msprof.sql r/$db
	mkdir r/PROF_x
	check_fixture r 70 15 no yes yes
	has_note warn capture_map_missing 14
	build exact_hlt/host/sqlite/stream_info.sql \
	    r/PROF_x/host/sqlite/stream_info.db
	check_fixture r 70 15 yes yes yes
	cp -r r/PROF_x r/PROF_y
	check_fixture r 70 15 ambiguous yes yes
	has_note error capture_map_ambiguous 14
}

# ---- real captures ----

@test "captures: 910B: every task, the collectives once" {
	capture ascend/msinsight-2025-910B-level2-rank0.db
	stream "$CAPTURE"
	same_tasks "$CAPTURE"
	[[ $(count '\tC:') == 4 ]]
	[[ $(total '\tC:') == $(sql "$CAPTURE" \
	    'SELECT sum(endNs - startNs) FROM COMMUNICATION_OP') ]]
	[[ $(count '\tT:.*detail=1.*identity=comm') == $(sql "$CAPTURE" \
	    'SELECT count(DISTINCT globalTaskId) FROM COMMUNICATION_TASK_INFO') ]]
	[[ $(count 'identity=op') == $(sql "$CAPTURE" \
	    'SELECT count(*) FROM COMPUTE_TASK_INFO') ]]
	[[ $(count '^api') == $(sql "$CAPTURE" \
	    'SELECT count(*) FROM CANN_API') ]]
	[[ $(count '\tP:') == $(sql "$CAPTURE" \
	    'SELECT count(*) FROM PYTORCH_API WHERE type != 50003') ]]
	# of the device's time 94 ms are communication: the collectives'
	# intervals, which do not overlap
	tl-recover "$TRY/out" | awk -F'\t' '$1 == "pos" && $3 == "N001"' >root
	[[ $(cut -f 16 root) == $(total '\tC:') ]]
	[[ $(cut -f 16 root | cut -c 1-2) == 94 ]]
}

@test "captures: 910A: types of tasks spelled otherwise, parts without a tie" {
	capture ascend/msinsight-2024-910A-level1-rank0.db
	stream "$CAPTURE"
	same_tasks "$CAPTURE"
	[[ $(count '\tC:') == 4 && $(count 'detail=1') == 372 ]]
	[[ $(count '^task\t.*\tOther\tT:') == 984 ]]
	[[ $(count '\tP:') == $(sql "$CAPTURE" \
	    'SELECT count(*) FROM PYTORCH_API WHERE type != 50003') ]]
}

@test "captures: columns of 2024, times as text of 2023" {
	capture ascend/msinsight-msprof_0-2024-old_columns.db
	stream "$CAPTURE"
	same_tasks "$CAPTURE"
	[[ $(count '^api') == 3 ]]
	need python3
	capture ascend/msinsight-report_0-2023-text_sci_timestamps.db
	stream "$CAPTURE"
	grep -q $'^#source\tbase_ns=1577808000000000000' "$TRY/out"
	has_note warn rounded_times 50
	sql "$CAPTURE" 'SELECT rowid, start, "end" FROM TASK' | python3 -c '
import decimal, sys
for l in sys.stdin:
    row, a, b = l.strip().split("|")
    a, b = int(decimal.Decimal(a)), int(decimal.Decimal(b))
    print("T:" + row, a, b - a)' | sort >want
	awk -F'\t' '$12 ~ /^T:/ { print $12, $3, $4 }' "$TRY/out" | sort |
	    diff want -
}

@test "captures: what is no capture is refused, and nothing appears" {
	capture ascend/msinsight-no_tables-wal_header.db
	cp "$CAPTURE" wal.db
	refused 'wal.db: SQLite database without a table' wal.db
	capture ascend/msinsight-cluster_analysis.db
	cp "$CAPTURE" cluster_analysis.db
	refused 'cluster_analysis.db: SQLite database without a table TASK' \
	    cluster_analysis.db
}

@test "captures: WAL mode and a closed folder give the same stream" {
	capture ascend/msinsight-2025-910B-level2-rank0.db
	mkdir closed
	cp "$CAPTURE" closed/a.db
	chmod u+w closed/a.db
	tl-msprof2ev -P closed/a.db | grep -v '^#source' >first
	sqlite3 closed/a.db 'PRAGMA journal_mode = WAL' >/dev/null
	rm -f closed/a.db-*
	chmod a-w closed closed/a.db
	before=$(cd closed && folder)
	tl-msprof2ev -P closed/a.db | grep -v '^#source' | cmp - first
	[[ $(cd closed && folder) == "$before" ]]
	chmod u+w closed
}
