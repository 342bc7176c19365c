#!/usr/bin/env bats
# tl-import: what it appends is judged by oracle/import.py; here is all around
# it: that it happens once, whole or not at all.
load helper

# An artifact with its identity only: run.jsonl.
fresh() {
	python3 "$TESTS/oracle/import.py" artifact run.jsonl
	rm -f stormlog_run.json
}

# A trace $1 with events of device 0 and 1 under a call of process $2 in an
# iteration, and one that nobody launched; names end in $3.
trace() {
	cat >"$1" <<-END
	{"host_name": "node", "baseTimeNanoseconds": 1000000, "traceEvents": [
	{"ph": "X", "cat": "user_annotation", "name": "stormlog.iteration/e/4", "pid": $2, "tid": 5, "ts": 1, "dur": 20},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": $2, "tid": 5, "ts": 2, "dur": 3, "args": {"correlation": 9}},
	{"ph": "X", "cat": "kernel", "name": "a${3-}", "pid": 0, "tid": 7, "ts": 10, "dur": 8, "args": {"device": 0, "stream": 7, "correlation": 9, "graph id": 3}},
	{"ph": "X", "cat": "kernel", "name": "b${3-}", "pid": 0, "tid": 8, "ts": 12, "dur": 8, "args": {"device": 0, "stream": 8, "correlation": 9, "graph id": 3}},
	{"ph": "X", "cat": "gpu_memset", "name": "m${3-}", "pid": 1, "tid": 9, "ts": 30, "dur": 1, "args": {"device": 1, "stream": 9, "correlation": 10}}
	]}
	END
	tl-kineto2ev -q -o "${1%.json}.ev" "$1"
}

# trace $1 with many events.
large() {
	awk 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 1; i <= 20000; i++)
			printf "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": " \
			    "\"k\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 1, " \
			    "\"args\": {\"device\": 0, \"stream\": 7, " \
			    "\"correlation\": %d}}\n", (i > 1 ? "," : ""), i * 2, i
		print "]}"
	}' >"$1"
	tl-kineto2ev -q -o "${1%.json}.ev" "$1"
}

# rows FILTER: what jq prints of the artifact's records.
rows() {
	jq -c "$1" run.jsonl
}

activities() {
	rows 'select(.event_type == "infer.activity_ref")'
}

# unchanged COMMAND...: the command fails and leaves artifact and envelope.
unchanged() {
	local before after

	before=$(cat run.jsonl stormlog_run.json 2>/dev/null | cksum)
	try "$@"
	((rc != 0)) || { show; fail "did not fail"; } || return 1
	after=$(cat run.jsonl stormlog_run.json 2>/dev/null | cksum)
	[[ $before == "$after" ]] || fail "artifact or envelope has changed" ||
	    return 1
	[[ -z $(find . -name 'run.jsonl?*' -o -name 'stormlog_run.json?*') ]] ||
	    fail "something is left beside them"
}

setup() {
	tl_setup
	need python3 jq
}

@test "tl-import: records of random traces, by brute force" {
	try python3 "$TESTS/oracle/import.py" random {1..40}
	expect 0
	expect_silent
}

@test "tl-import: records of real captures, by brute force" {
	local c d

	for c in hta-2024-12-mi250-rocm62-train tracelens-2026-mi300x-sglang-decode-hipgraph \
	    leimao-2026-rtx5080-no_cudagraph; do
		capture "kineto/$c.json.gz"
		gzip -dc "$CAPTURE" >c.json
		for d in launch kernel; do
			fresh
			tl-kineto2ev -q c.json | tl-import -q -d "$d" -a run.jsonl
			try python3 "$TESTS/oracle/import.py" check c.json "$d" run.jsonl 1
			expect 0
			expect_silent
		done
	done
}

@test "tl-import: the reference writes the same of small captures" {
	local c

	stormlog
	for c in kineto/hta-2024-12-mi250-rocm62-train.json.gz \
	    nsys/weatherbench2-2025.5.1-runtime_no_kernels.sqlite; do
		capture "$c"
		try "$TESTS/import_reference.sh" "$CAPTURE"
		expect 0
	done
}

stormlog() {
	[[ -n ${TL_STORMLOG:-} ]] || skip "no TL_STORMLOG, a python with stormlog"
	[[ -e $ROOT/../shared/reference/stormlog_oracle.py ]] ||
	    skip "no stormlog_oracle.py"
}

@test "tl-import: two kernels at once are busy once (I02)" {
	fresh
	trace t.json 4
	try tl-import -q -a run.jsonl t.ev
	expect 0
	expect_silent
	[[ $(activities | head -n 1 | jq -c '[.start_ns, .end_ns, .cuda_correlation_id,
	    .graph_id, .stream_id, .iteration_ref.id, .schema_version]') == \
	    '[1010000,1020000,9,3,null,"4",4]' ]]
	[[ $(activities | head -n 1 | jq -cS .metadata) == \
	    '{"busy_ns":10000,"device_index":0,"event_count":2,"first_name":"a","intervals":[[0,10000]],"launch_api":"cudaGraphLaunch","streams":[7,8],"summed_duration_ns":16000}' ]]
	[[ $(activities | sed -n 2p | jq -c '[.metadata.unresolved_reason, .metadata.event_count,
	    .metadata.intervals]') == '["no_launch_record",1,null]' ]]
	# what is lost is not known (I10)
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0] | [has("event_loss"), .event_loss]') == \
	    '[true,null]' ]]
}

@test "tl-import: twice adds nothing, and the second of two is added (I01)" {
	fresh
	trace a.json 4
	trace b.json 5
	tl-import -q -a run.jsonl a.ev
	cp run.jsonl once
	cp stormlog_run.json envelope
	try tl-import -a run.jsonl a.ev
	expect 0 'a.json: skipped: is imported already'
	cmp once run.jsonl
	cmp envelope stormlog_run.json
	# the same file by another name is the same file
	ln -s a.json link.json
	tl-kineto2ev -q link.json | tl-import -q -a run.jsonl
	cmp once run.jsonl
	try tl-import -a run.jsonl a.ev b.ev b.ev
	expect 0
	head -c "$(wc -c <once)" run.jsonl | cmp once -
	[[ $(activities | wc -l) == 4 ]]
	grep -q 'b.json: added 3 GPU events as 2 records' "$TRY/err"
	grep -q 'b.json: skipped: was named before' "$TRY/err"
	[[ $(jq -c '[.attachments[].title]' stormlog_run.json) == \
	    '["Inference JSONL","Kineto trace a.json","Kineto trace b.json"]' ]]
}

@test "tl-import: what was registered can be imported later (I01)" {
	fresh
	trace a.json 4
	echo 'not a report' >r.nsys-rep
	try tl-import -a run.jsonl -m 10 -R r.nsys-rep a.ev
	expect 0
	[[ $(rows 'select(.component == "trace_collector") | .metadata.summary.traces |
	    map([.file, .skipped, .bytes])') == \
	    "[[\"r.nsys-rep\",\"not_exported\",13],[\"a.json\",\"max_bytes\",$(wc -c <a.json)]]" ]]
	[[ $(jq -c '[.attachments[] | [.title, .metadata.format]]' stormlog_run.json) == \
	    '[["Inference JSONL","jsonl"],["Nsight Systems report r.nsys-rep","nsys-rep"],["Kineto trace a.json","kineto-chrome-trace"]]' ]]
	cp run.jsonl registered
	try tl-import -a run.jsonl -m 10 -R r.nsys-rep a.ev
	expect 0
	cmp run.jsonl registered
	try tl-import -a run.jsonl a.ev
	expect 0
	[[ $(activities | wc -l) == 2 ]]
	# exactly as large as allowed is not too large
	fresh
	try tl-import -q -m "$(wc -c <a.json)" -a run.jsonl a.ev
	[[ $(activities | wc -l) == 2 ]]
}

@test "tl-import: -f replaces one capture's records whole, and no other byte" {
	fresh
	trace a.json 4
	trace b.json 5
	trace c.json 6
	tl-import -q -a run.jsonl a.ev b.ev
	tl-import -q -a run.jsonl c.ev
	trace b.json 5 _new
	cp run.jsonl old
	try tl-import -q -f -d kernel -a run.jsonl b.ev
	expect 0
	# b's records are gone from where they were, the rest is as it was
	grep -v 'activity_ref.*kineto:b.json' old |
	    sed 's/, {"activity_records"[^}]*}.*\(\]}}, "schema_version": 4, "supp\)/\1/' >want
	head -n "$(wc -l <want)" run.jsonl >got
	diff want got >&2
	[[ $(activities | jq -r .metadata.first_name | paste -sd' ') == \
	    'a m a m a_new b_new m_new' ]]
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces | map([.path, .detail] | map(split("/") | last))' |
	    paste -sd' ') == '[["a.json","launch"]] [["c.json","launch"]] [["b.json","kernel"]]' ]]
	# the only one of its line
	tl-import -q -f -a run.jsonl c.ev
	[[ $(rows 'select(.component == "trace_collector") | .metadata.summary.traces[].path |
	    split("/") | last' | paste -sd' ') == '"a.json" "b.json" "c.json"' ]]
	[[ $(activities | wc -l) == 7 ]]
}

@test "tl-import: last lines: without newline, cut, blank (I09)" {
	local f

	trace a.json 4
	fresh
	truncate -s -1 run.jsonl
	tl-import -q -a run.jsonl a.ev
	[[ $(rows .event_type | wc -l) == $(grep -c . run.jsonl) ]]
	[[ $(activities | wc -l) == 2 ]]
	fresh
	printf '{"schema_version": 2, "event_ty' >>run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 'run.jsonl:2: last line: was cut off'
	fresh
	printf '\n  \r\n' >>run.jsonl
	tl-import -q -a run.jsonl a.ev
	[[ $(activities | wc -l) == 2 ]]
	for f in '[1]' 'null' '{"schema_version": 2} x' '{"a": "\xff"}' \
	    '{"schema_version": 5, "event_type": "infer.x"}' \
	    '{"schema_version": true, "event_type": "infer.x"}' \
	    '{"schema_version": 1, "event_type": "other"}' \
	    '{"schema_version": 4, "event_type": "infer.x", "context_id": "none"}' \
	    '{"schema_version": 2, "event_type": "infer.x"}'; do
		fresh
		printf "$f\n" >>run.jsonl
		unchanged tl-import -a run.jsonl a.ev
		expect 1 'run.jsonl:2: '
	done
	fresh
	printf '\xef\xbb\xbf' | cat - run.jsonl >bom
	mv bom run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 'run.jsonl:1: no JSON'
}

@test "tl-import: an artifact of no run, or of two (I08)" {
	trace a.json 4
	fresh
	sed 's/infer.artifact/infer.request/' run.jsonl >none
	mv none run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 'run.jsonl: no infer.artifact record'
	: >run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 'run.jsonl: no infer.artifact record'
	for f in run-1:run-2:run_id ses-1:ses-2:session_id; do
		IFS=: read -r one two key <<<"$f"
		fresh
		sed "s/$one/$two/; s/infer.artifact/infer.request/" run.jsonl >>more
		cat more >>run.jsonl
		rm more
		unchanged tl-import -a run.jsonl a.ev
		expect 1 "run.jsonl:2: $key '$two': the artifact is of '$one'"
	done
	fresh
	echo '{"event_type": "infer.request", "session_id": "ses-2"}' >>run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 "run.jsonl:2: session_id 'ses-2'"
	unchanged tl-import -a nowhere a.ev
	expect 1 'nowhere: open: No such file'
}

@test "tl-import: large numbers, unknown records and NaN stay byte for byte (I11)" {
	fresh
	cat >>run.jsonl <<-'END'
	{"schema_version":1,"event_type":"infer.request","session_id":"ses-1","a":9007199254740993,"b":-18446744073709551617123456789,"c":1e400,"d":[NaN,-Infinity,Infinity]}
	{"event_type": "infer.thing_of_2030", "schema_version": 1, "x": {"y": [{"z": "é\u00e9\ud800"}]}}
	{"schema_version": 2, "event_type": "infer.request", "context": {"run_id": "run-1", "session_id": "ses-1"}, "extra": "NaN"}
	END
	cp run.jsonl old
	trace a.json 4
	tl-import -q -a run.jsonl a.ev
	head -c "$(wc -c <old)" run.jsonl | cmp old -
	tl-import -q -f -a run.jsonl a.ev
	head -c "$(wc -c <old)" run.jsonl | cmp old -
	[[ $(sed 1,4d run.jsonl | jq -c 'select(.event_type == "infer.activity_ref")' |
	    wc -l) == 2 ]]
}

@test "tl-import: contexts: one that is there is used, two of one id refused" {
	fresh
	trace a.json 4
	tl-import -q -a run.jsonl a.ev
	grep '"source": "kineto"' run.jsonl | grep '"pid": 4,' |
	    sed 's/ctx-[0-9a-f]*/mine/' >>context
	fresh
	cat context >>run.jsonl
	tl-import -q -a run.jsonl a.ev
	[[ $(activities | jq -r .context_id | head -n 1) == mine ]]
	[[ $(rows 'select(.event_type == "infer.context")' | wc -l) == 3 ]]
	fresh
	cat context >>run.jsonl
	sed 's/"pid": 4/"pid": 5/' context >>run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 'run.jsonl:3: context_id: is another context'
}

@test "tl-import: records of a capture that is not named as imported" {
	fresh
	trace a.json 4
	tl-import -q -a run.jsonl a.ev
	grep -v trace_collector run.jsonl >less
	mv less run.jsonl
	unchanged tl-import -a run.jsonl a.ev
	expect 1 "has records of 'kineto:a.json:[0-9a-f]{12}' without"
	try tl-import -q -f -a run.jsonl a.ev
	expect 0
	[[ $(activities | wc -l) == 2 ]]
}

@test "tl-import: the envelope is kept, grown, and refused" {
	trace a.json 4
	fresh
	cat >stormlog_run.json <<-'END'
	{"run_id": "run-1", "format": "stormlog.run_envelope", "schema_version": 1,
	 "metadata": {"n": 12345678901234567890, "x": [1.50, {}, []]}, "title": "é",
	 "sessions": [{"session_id": "other"}], "attachments": [{"title": "t", "kind": "k", "storage": "reference", "metadata": {}}]}
	END
	tl-import -q -a run.jsonl a.ev
	jq -e '.title == "é" and (.sessions | length) == 2 and (.attachments | length) == 3' \
	    stormlog_run.json
	grep -q '"n": 12345678901234567890' stormlog_run.json
	grep -q '1.50' stormlog_run.json
	# its members sorted, two blanks a level, as Python writes them
	python3 - <<-'END'
	import json
	text = open("stormlog_run.json").read().replace("1.50", "1.5")
	assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
	END
	for f in 's/run-1/run-2/' 's/"title"/"titel"/' 's/run_envelope/other/' \
	    's/"schema_version": 1/"schema_version": 2/' 's/}$//' \
	    's/"sessions": \[/"sessions": [1, /'; do
		fresh
		printf '%s\n' '{"run_id": "run-1", "format": "stormlog.run_envelope", "schema_version": 1, "metadata": {}, "title": "t", "sessions": [{}' ']}' |
		    paste -sd '' >stormlog_run.json
		sed -i "$f" stormlog_run.json
		unchanged tl-import -a run.jsonl a.ev
		expect 1 'stormlog_run.json: envelope'
	done
}

@test "tl-import: an envelope elsewhere, and a run that was moved" {
	trace a.json 4
	fresh
	tl-import -q -e deep/down/e.json -a run.jsonl a.ev
	[[ ! -e stormlog_run.json ]]
	[[ $(jq -c '[.attachments[].path]' deep/down/e.json) == \
	    '["../../run.jsonl","../../a.json"]' ]]
	mkdir run
	mv run.jsonl run/
	mv deep/down/e.json run/stormlog_run.json
	sed -i 's,"../../run.jsonl","run.jsonl",' run/stormlog_run.json
	sed -i '$d' run/run.jsonl
	try tl-import -q -f -a run/run.jsonl a.ev
	expect 0
	[[ $(jq -c '[.attachments[].path]' run/stormlog_run.json) == \
	    '["run.jsonl","../a.json"]' ]]
	# an attachment that is something else is refused
	sed -i 's/Kineto trace/Other trace/' run/stormlog_run.json
	cp run/run.jsonl old
	try tl-import -f -a run/run.jsonl a.ev
	expect 1 "envelope 'kineto:a.json:[0-9a-f]*': is other evidence already"
	cmp old run/run.jsonl
}

@test "tl-import: UUIDs: forms of -u, and which capture one is of" {
	local u

	trace a.json 4
	for u in t.json=G :1=G t.json:=G =G 0= '' -1=G GPU-a=x '+1=G' ' 1=G'; do
		fresh
		unchanged tl-import -a run.jsonl -u "$u" a.ev
		[[ $rc == 2 ]] || fail "$u: status $rc"
	done
	unchanged tl-import -a run.jsonl -u A -u 0=B a.ev
	((rc == 2))
	grep -q 'another UUID was given' "$TRY/err"
	fresh
	tl-import -q -u GPU-a -u 0=GPU-a -u a.json:01=G=b -a run.jsonl a.ev
	[[ $(rows 'select(.context.source == "kineto") | .context.device_uuid' |
	    paste -sd' ') == '"GPU-a" "G=b"' ]]
	[[ $(rows 'select(.component == "trace_collector") | .metadata.summary.traces[0].devices |
	    map([.device_uuid, .device_uuid_source])') == '[["GPU-a","option"],["G=b","option"]]' ]]
	# unknown stays unknown (I03)
	fresh
	tl-import -q -a run.jsonl a.ev
	[[ $(rows 'select(.context.source == "kineto") | .context.device_uuid' |
	    paste -sd' ') == 'null null' ]]
	mkdir x y
	trace x/t.json 4
	trace y/t.json 5
	fresh
	unchanged tl-import -a run.jsonl -u t.json:0=A x/t.ev y/t.ev
	expect 2 "names several of the captures"
	unchanged tl-import -a run.jsonl -u u.json:0=A x/t.ev y/t.ev
	expect 2 "names none of the captures"
	tl-import -q -u x/t.json:0=A -u y/../y/t.json:0=B -a run.jsonl x/t.ev y/t.ev
	[[ $(rows 'select(.context.source == "kineto") | .context.device_uuid' |
	    paste -sd' ') == '"A" null "B" null' ]]
}

@test "tl-import: one index of several processes is refused (I04)" {
	trace a.json 4
	trace b.json 5
	fresh
	unchanged tl-import -a run.jsonl -u 0=GPU-a a.ev b.ev
	expect 2 'several processes have a device 0'
	try tl-import -q -a run.jsonl -u a.json:0=GPU-a b.ev a.ev
	expect 0
	# not applied: nobody has a device 5
	fresh
	try tl-import -q -a run.jsonl -u 5=GPU-a a.ev b.ev
	expect 0
}

# An export of two processes, 500 with devices that the report names.
export_of_two() {
	need sqlite3
	rm -f two.sqlite
	sqlite3 two.sqlite <<-'END'
	CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
	INSERT INTO StringIds VALUES(1,'short'),(2,'cudaLaunchKernel_v7000'),(3,'stormlog.iteration/e/9'),(4,'long<int>');
	CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
	CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);
	INSERT INTO META_DATA_CAPTURE VALUES('DEVICE_DISPLAY_NAME','node');
	CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);
	INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1000000);
	CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, uuid TEXT);
	INSERT INTO TARGET_INFO_GPU VALUES(0,'G0','aa'),(1,'G1','GPU-bb');
	CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);
	INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(1,0,500),(0,1,500);
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(50,60,0,1,7,11,600<<24,4,1),(20,30,0,1,7,11,500<<24,4,1);
	CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
	INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(2,3,1,1,7,12,500<<24,64,1);
	CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, graphId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER);
	INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(90,95,0,1,4,7,15,500<<24);
	CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
	INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(10,12,0,(500<<24)|501,11,2),(11,12,0,(600<<24)|601,11,2);
	CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);
	INSERT INTO NVTX_EVENTS VALUES(9,15,59,NULL,3,(500<<24)|501),(9,11,59,'stormlog.iteration/e/1',NULL,(600<<24)|601);
	END
	tl-nsys2ev -q -o two.ev two.sqlite
}

@test "tl-import: Nsight Systems: order, names, devices, graphs (I06)" {
	export_of_two
	fresh
	try tl-import -a run.jsonl two.ev
	expect 0
	# kernels by row, then copies; the clock's zero is 1 ms; a call at the
	# very end of a range is outside of it
	[[ $(activities | jq -c '[.start_ns, .activity_kind, .metadata.first_name,
	    .metadata.launch_api, .iteration_ref.id, .metadata.unresolved_reason]' |
	    paste -sd' ') == '[1000050,"gpu_kernel","short","cudaLaunchKernel_v7000",null,"launch_outside_iteration_range"] [1000020,"gpu_kernel","short","cudaLaunchKernel_v7000","9",null] [1000002,"gpu_memcpy","gpu_memcpy",null,null,"no_launch_record"]' ]]
	[[ $(rows 'select(.component == "trace_collector") | .metadata.summary.traces[0] |
	    [.not_imported, .processes, .trace_id, (.devices | map_values(.device_uuid))]') == \
	    '[{"graph_trace_rows":1},[500,600],"two.sqlite",{"500/0":"GPU-bb","500/1":"GPU-aa","600/0":null}]' ]]
	grep -q 'does not name the GPU of process 600 device 0' "$TRY/err"
	grep -q 'cuda-graph-trace=node' "$TRY/err"
	[[ $(rows 'select(.context.source == "nsys") | .context | [.pid, .host, .device_uuid]' |
	    paste -sd' ') == '[600,"node",null] [500,"node","GPU-bb"] [500,"node","GPU-aa"]' ]]
}

@test "tl-import: a UUID that contradicts the report is refused (I05)" {
	export_of_two
	fresh
	unchanged tl-import -a run.jsonl -u GPU-zz two.ev
	expect 2 "'GPU-zz': the capture two.sqlite names its device 500/0 GPU-bb"
	try tl-import -q -a run.jsonl -u 1=GPU-aa two.ev
	expect 0
	# where device 1 has a name, the source stays what it was
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0].devices["500/1"].device_uuid_source') == '"trace"' ]]
	fresh
	unchanged tl-import -a run.jsonl -u two.sqlite:0=GPU-bb two.ev
	expect 2 'several processes have a device 0'
}

@test "tl-import: a GPU that the report names in two ways has no name" {
	export_of_two
	sqlite3 two.sqlite "ALTER TABLE TARGET_INFO_CUDA_DEVICE ADD uuid TEXT;
	    UPDATE TARGET_INFO_CUDA_DEVICE SET uuid = 'GPU-aa'"
	tl-nsys2ev -q -o two.ev two.sqlite
	# device 1 is GPU 0, which is aa; device 0 is GPU 1, which is not
	grep -q '^note	warn	gpu_conflict	1	' two.ev
	fresh
	tl-import -q -a run.jsonl two.ev
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0].devices | map_values(.device_uuid)') == \
	    '{"500/0":null,"500/1":"GPU-aa","600/0":null}' ]]
}

# worker PID START LAST [HOST [UUID]]: a log of a worker process in hooks/.
worker() {
	local d=hooks/node-b/worker-$1-$2 head

	mkdir -p "$d"
	head='"format": "stormlog.vllm_hook/1", "epoch": "worker-'$1-$2'"'
	cat >"$d/000000.jsonl" <<-END
	{$head, "seq": 0, "kind": "hello", "host": "${4:-node}", "cuda_ordinal": 0, "device_uuid": "${5:-GPU-w$2}", "clock": {"wall_ns": $2}}
	{$head, "seq": 1, "kind": "heartbeat", "wall_ns": $3}
	nonsense
	END
}

@test "tl-import: UUIDs from the logs of workers" {
	trace a.json 4
	# the capture's window is 1002000 to 1031000
	worker 4 1 1031000
	worker 4 1002001 9000000
	worker 4 3 1031000 elsewhere
	worker 5 1 1031000
	fresh
	try tl-import -a run.jsonl -x hooks a.ev
	expect 0
	grep -q 'hooks: 4 lines are no records of a worker' "$TRY/err"
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0].execution_log') == \
	    '{"ambiguous":{},"device_uuids":{"4":{"0":"GPU-w1"}},"status":"bound","unmatched":[],"workers":{"4":"worker-4-1"}}' ]]
	[[ $(rows 'select(.context.source == "kineto") | .context.device_uuid' |
	    paste -sd' ') == '"GPU-w1" null' ]]
	# two that fit are none
	worker 4 2 1031000
	fresh
	tl-import -q -x hooks -a run.jsonl a.ev 2>/dev/null
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0].execution_log | [.status, .ambiguous["4"]]') == \
	    '["none",["worker-4-1","worker-4-2"]]' ]]
	# 30 s of silence are no death, unless it said goodbye
	rm -r hooks
	sed -i 's/base_ns=1000000/base_ns=100000000000/' a.ev
	worker 4 1 70000030999
	fresh
	tl-import -q -x hooks -a run.jsonl a.ev
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0].execution_log.status') == '"none"' ]]
	worker 4 1 70000031000
	fresh
	tl-import -q -x hooks -a run.jsonl a.ev
	[[ $(rows 'select(.component == "trace_collector") |
	    .metadata.summary.traces[0].execution_log.status') == '"bound"' ]]
	fresh
	unchanged tl-import -a run.jsonl -x nowhere a.ev
	expect 1 "nowhere: option '-x': No such file"
}

@test "tl-import: -n says what would be, -j in JSON, -q nothing" {
	trace a.json 4
	fresh
	cp run.jsonl old
	chmod a-w run.jsonl
	try tl-import -n -a run.jsonl a.ev
	expect 0
	grep -q 'a.json: would add 3 GPU events as 2 records, 2 linked' "$TRY/err"
	cmp old run.jsonl
	[[ ! -e stormlog_run.json ]]
	try tl-import -nj -a run.jsonl a.ev
	jq -e '.written == false and .added[0].activity_records == 2' "$TRY/err"
	chmod u+w run.jsonl
	try tl-import -j -a run.jsonl a.ev
	[[ ! -s $TRY/out ]]
	jq -c '.added[0]' "$TRY/err" >said
	rows 'select(.component == "trace_collector") | .metadata.summary.traces[0]' |
	    diff said - >&2
	try tl-import -j -a run.jsonl a.ev
	[[ $(jq -c '[.added, .registered, .failed, .skipped[0].reason]' "$TRY/err") == \
	    '[[],[],[],"already_imported"]' ]]
}

@test "tl-import: -k imports the good ones of several" {
	trace a.json 4
	trace b.json 5
	trace c.json 6
	sed -i '$d' b.ev
	fresh
	unchanged tl-import -a run.jsonl a.ev b.ev c.ev
	expect 1 'b.ev:[0-9]*: stream ended without an end record'
	try tl-import -q -k -a run.jsonl a.ev b.ev nowhere c.ev
	((rc == 1))
	[[ $(grep -c . "$TRY/err") == 2 ]]
	[[ $(activities | jq -r .trace_attachment_id | cut -d: -f2 | paste -sd' ') == \
	    'a.json a.json c.json c.json' ]]
	[[ $(jq '.attachments | length' stormlog_run.json) == 3 ]]
	grep -v '^#source' a.ev >no.ev
	try tl-import -q -k -a run.jsonl no.ev
	expect 1 'no.ev: the stream does not name its capture'
	# with -f nothing is kept: the old records would be gone
	cp run.jsonl old
	try tl-import -k -f -a run.jsonl a.ev b.ev
	expect 1
	cmp old run.jsonl
	try tl-import -q -t -a run.jsonl b.ev
	expect 0
	[[ $(activities | wc -l) == 6 ]]
}

@test "tl-import: what is no capture of a GPU" {
	fresh
	trace a.json 4
	printf '{"traceEvents": [{"ph": "X", "cat": "cuda_runtime", "name": "c", "pid": 3, "tid": 4, "ts": 1, "dur": 1, "args": {"correlation": 7}}]}' >none.json
	try_sh 'tl-kineto2ev -q none.json | tl-import -a run.jsonl'
	expect 0
	grep -q 'none.json: added 0 GPU events as 0 records' "$TRY/err"
	grep -q 'none.json: note: no GPU work' "$TRY/err"
	[[ $(rows 'select(.component == "trace_collector") | [.collected,
	    .metadata.summary.traces[0].processes]') == '[[],[3]]' ]]
	sed 's/kind=kineto/kind=other/' a.ev >other.ev
	unchanged tl-import -a run.jsonl other.ev
	expect 1 "other.ev: source 'other'"
	sed 's/	path=[^	]*//' a.ev >other.ev
	unchanged tl-import -a run.jsonl other.ev
	expect 1 "other.ev: the stream does not name its capture"
	grep -v '^#source' a.ev >other.ev
	unchanged tl-import -a run.jsonl other.ev
	expect 1 "other.ev: the stream does not name its capture"
	unchanged tl-import a.ev
	((rc == 2))
	# one that was cut says so
	tl-cut -w 0..1 a.ev >cut.ev
	try tl-import -a run.jsonl cut.ev
	expect 0
	grep -q 'a part of the trace, cut by tl-cut' "$TRY/err"
}

@test "tl-import: arrays, spellings of 2020, and times before 1970" {
	fresh
	printf '[{"ph": "X", "cat": "Runtime", "name": "c", "pid": 3, "tid": "4", "ts": 1, "dur": 1, "args": {"correlation": 7}},
	    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 5, "dur": 1, "args": {"device": 0, "stream": 7, "correlation": 7}}]' >old.json
	tl-kineto2ev -q old.json | tl-import -q -a run.jsonl
	[[ $(activities | jq -c '[.start_ns, .stream_id, .metadata.launch_api]') == '[5000,7,"c"]' ]]
	printf '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": -5, "dur": 1, "args": {"device": 0, "stream": -1}},
	    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 1, "args": {"device": 0, "stream": -1}}]}' >early.json
	fresh
	try_sh 'tl-kineto2ev -q early.json | tl-import -a run.jsonl'
	expect 0
	[[ $(activities | jq -c '[.start_ns, .stream_id]') == '[5000,null]' ]]
	grep -q '1 events at times before 1970' "$TRY/err"
}

@test "tl-import: what the trace says of its maker and place" {
	fresh
	trace a.json 4
	sed -i '1s/{/{"vllm_version": "0.9.1", "cupti_version": 26, "trace_id": "T-1",\
	    "distributedInfo": {"rank": "3", "world_size": 8},\
	    "deviceProperties": [{"id": 0, "name": "H100"}, {"id": 1, "name": ""}], /' a.json
	tl-kineto2ev -q a.json | tee a.ev | tl-import -q -a run.jsonl
	grep -q '^#source.*	vllm=0.9.1' a.ev
	[[ $(rows 'select(.context.source == "kineto") | .context | [.engine,
	    .engine_version, .backend_version, .rank, .world_size, .host]' | head -n 1) == \
	    '["vllm","0.9.1","26",3,8,"node"]' ]]
	[[ $(rows 'select(.component == "trace_collector") | .metadata.summary.traces[0] |
	    [.trace_id, .cupti_version, .engine_version, .rank, .devices["0"].name,
	    .devices["1"].name]') == '["T-1","26","0.9.1",3,"H100",""]' ]]
	# the clock of a trace whose host is not known is nobody else's
	sed -i 's/"host_name": "node", //' a.json
	fresh
	tl-kineto2ev -q a.json | tl-import -q -a run.jsonl
	rows 'select(.context.source == "kineto") | .context.clock_domain' |
	    head -n 1 | grep -Eqx '"kineto:unknown-host:kineto:a.json:[0-9a-f]{12}"'
}

@test "tl-import: links stay links, a file that nobody may write stays" {
	mkdir real
	trace a.json 4
	fresh
	mv run.jsonl real/
	chmod 640 real/run.jsonl
	ln -s real/run.jsonl run.jsonl
	ln -s ../real/stormlog_run.json real/x
	tl-import -q -a run.jsonl a.ev
	[[ -L run.jsonl ]]
	[[ $(activities | wc -l) == 2 ]]
	[[ $(stat -c %a real/run.jsonl) == 640 ]]
	[[ $(jq -r '.attachments[0].path' stormlog_run.json) == run.jsonl ]]
	# one beside the real file is used
	mv stormlog_run.json real/
	trace b.json 5
	tl-import -q -a run.jsonl b.ev
	[[ ! -e stormlog_run.json ]]
	[[ $(jq '.attachments | length' real/stormlog_run.json) == 3 ]]
	chmod a-w real/run.jsonl
	trace c.json 6
	cp real/run.jsonl old
	try tl-import -a run.jsonl c.ev
	expect 1 'run.jsonl: open: (is read-only|Permission denied)'
	cmp old real/run.jsonl
	mkfifo fifo
	try tl-import -a fifo c.ev
	expect 1 'fifo: open: is a device or pipe'
	try tl-import -a real c.ev
	expect 1 'real: open: .*directory'
}

@test "tl-import: many at once lose nothing" {
	local i

	fresh
	for i in {1..8}; do
		trace "t$i.json" "$i"
	done
	for i in {1..8}; do
		tl-import -q -a run.jsonl "t$i.ev" &
	done
	wait
	[[ $(activities | jq -r .trace_attachment_id | sort -u | wc -l) == 8 ]]
	[[ $(activities | wc -l) == 16 ]]
	[[ $(jq '.attachments | length' stormlog_run.json) == 9 ]]
}

@test "tl-import: killed at 20 moments, it is the old one or the new one (I12)" {
	local i new t

	fresh
	large big.json
	cp run.jsonl old
	tl-import -q -a run.jsonl big.ev
	new=$(wc -c <run.jsonl)
	for i in {1..20}; do
		cp old run.jsonl
		rm -f stormlog_run.json
		t=0.$(printf '%03d' $((i * 7)))
		tl-import -q -a run.jsonl big.ev 2>/dev/null &
		sleep "$t"
		rc=0
		kill -9 $! 2>/dev/null || rc=$?
		wait $! || :
		if cmp -s old run.jsonl; then
			((rc == 0)) || fail "ended, and added nothing"
		else
			tail -n 1 run.jsonl | jq -e .metadata.summary >/dev/null
			[[ $(activities | wc -l) == 20000 ]]
			# the pid of the writer may have another length
			(($(wc -c <run.jsonl) - new < 10))
		fi
		rm -f run.jsonl.??????
	done
}

@test "tl-import: whatever call fails, the exit status says which it is" {
	local call n

	[[ ${TL_VARIANT:-} != asan ]] || skip "sanitizers are loaded first"
	trace a.json 4
	fresh
	cp run.jsonl old
	for call in read write fsync close rename mkstemp malloc; do
		for n in {1..12} 15 20 27 35 60 100; do
			cp old run.jsonl
			rm -f stormlog_run.json hit
			rc=0
			LD_PRELOAD=$BUILD/preload.so TL_FAIL_PROG=tl-import \
			    TL_FAIL_CALL=$call TL_FAIL_AT=$n TL_FAIL_LOG=hit \
			    timeout 20 tl-import -q -a run.jsonl a.ev 2>err || rc=$?
			((rc < 2)) || fail "$call $n: status $rc"
			if ((rc == 0)); then
				[[ $(activities | wc -l) == 2 ]] ||
				    fail "$call $n: status 0, nothing added"
				jq -e .run_id stormlog_run.json >/dev/null
			else
				[[ $(wc -l <err) == 1 ]] || fail "$call $n: no message"
				cmp old run.jsonl ||
				    fail "$call $n: status 1, and changed"
			fi
			[[ -z $(find . -name 'run.jsonl.??????') ]] ||
			    fail "$call $n: something is left"
			[[ -e hit ]] || break
		done
		((n > 1)) || [[ $call == rename ]] || fail "$call never failed"
	done
}

@test "tl-import: a full disk" {
	fresh
	large big.json
	rc=0
	(
		trap '' XFSZ
		ulimit -f 100
		tl-import -a run.jsonl big.ev 2>err
	) || rc=$?
	((rc == 1))
	grep -q 'run.jsonl: write: ' err
	[[ $(wc -l <run.jsonl) == 1 ]]
	[[ ! -e stormlog_run.json ]]
	[[ -z $(find . -name 'run.jsonl.??????') ]]
}

@test "tl-import: an artifact that grows meanwhile is not overwritten" {
	fresh
	trace a.json 4
	mkfifo slow
	tl-import -a run.jsonl slow 2>err &
	exec 9>slow
	sed '$d' a.ev >&9
	sleep 0.5
	echo '{"event_type": "infer.request", "session_id": "ses-1"}' >>run.jsonl
	tail -n 1 a.ev >&9
	exec 9>&-
	rc=0
	wait $! || rc=$?
	((rc == 1))
	grep -q 'run.jsonl: it was changed while it was read' err
	[[ $(wc -l <run.jsonl) == 2 ]]
	[[ ! -e stormlog_run.json ]]
}
