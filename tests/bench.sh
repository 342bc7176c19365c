#!/usr/bin/env bash
# bench.sh BUILD: what the tools take, as ratios to baselines of the same run,
# since machines differ: the best of three runs each, in seconds of processor.
# Prints a table; ends with status 1 if a limit is not kept. Inputs are made
# once and kept in BUILD/bench (3 GB).
set -u
BUILD=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$BUILD/bench
mkdir -p "$dir"
cd "$dir" || exit 1
export LC_ALL=C TZ=UTC TMPDIR=$dir
runs=${BENCH_RUNS:-3}
failed=0

# make FILE COMMAND...: FILE by the command's output, unless it is there.
make_input() {
	local file=$1

	[[ -e $file ]] && return
	"${@:2}" >"$file.tmp" || { rm -f "$file.tmp"; exit 1; }
	[[ -e $file ]] || mv "$file.tmp" "$file"
	rm -f "$file.tmp"
}

# A million kernels of a program of which 2 in 100 are followed by a stray one.
noisy() {
	"$BUILD/gen" -f seq -N 1000000 -l 32 -k 30 -b ins=2 | awk '
	    BEGIN { OFS = "\t"; print "#tl-ev", 1 }
	    { print "kernel", NR, NR * 10, 3, 1, 0, 1, 7, NR, "compute",
	          "k" $1, "E:" NR }
	    END { print "end", NR }'
}

# pairs_of KIND N: KIND-N.db, a capture of N envelopes with an operator each, and
# one around all of them; of kind same, all of 100 us at one time and of one key.
pairs_of() {
	awk -v kind="$1" -v n="$2" 'BEGIN {
		none = "4294967295"
		print "PRAGMA synchronous = off; BEGIN; CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO STRING_IDS VALUES (1, \"KERNEL_MIX_AIV\"), (2, \"Attn\"); CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER); CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, taskType INTEGER, opType INTEGER);"
		task = "INSERT INTO TASK VALUES (%d, %d, 0, %d, %d, 7, 1, %s, %d, %d, %s);\n"
		printf task, 0, n * 100 + 200000, 9999999, 2 * n, none, 9, 9, none
		for (i = 0; i < n; i++) {
			same = kind == "same"
			from = same ? int(i / 1000) * 100000 : i * 100
			to = from + (same ? 100000 : 90)
			c = same ? 5 : i
			printf task, from, to, c, 2 * i, none, 1, c % 65536, none
			printf task, from, to, c, 2 * i + 1, 0, 1, c % 65536, none
			print "INSERT INTO COMPUTE_TASK_INFO VALUES (2, " \
			    2 * i + 1 ", 8, 1, 2);"
		}
		print "COMMIT;"
	}' | sed "s/\"/'/g" | sqlite3 "$1-$2.db" >/dev/null
}

# measure [-i FILE] COMMAND...: the least processor time in $cpu, peak memory
# in $mem (KiB).
measure() {
	local i c m out

	cpu=
	for ((i = 0; i < runs; i++)); do
		out=$("$BUILD/bench_run" "$@") ||
		    { echo "bench: failed: $*" >&2; exit 1; }
		read -r _ c m <<<"$out"
		if [[ -z $cpu ]] || awk "BEGIN { exit !($c < $cpu) }"; then
			cpu=$c
		fi
		mem=$m
	done
}

calc() {
	awk "BEGIN { printf \"$2\", $1 }"
}

# row WHAT VALUE UNIT RELATION LIMIT
row() {
	local verdict=ok

	awk "BEGIN { exit !($2 $4 $5) }" || { verdict=FAIL; failed=1; }
	printf '%-58s %9s %-5s %2s %6s  %s\n' "$1" "$2" "$3" "$4" "$5" \
	    "$verdict"
}

info() {
	printf '%-58s %9s %s\n' "$@"
}

# Two programs, a million kernels each under 40 layers of a step, lines of 150
# bytes, each kernel's call before it.
million() {
	awk 'BEGIN {
		OFS = "\t"
		pad = "_kernel_with_a_long_name_as_templates_have_them<float, " \
		    "4, 128, 64, true>(float const*, float const*, float*, int)"
		print "#tl-ev", 1
		print "#order", "start"
		for (i = 0; i < 1000000; i++) {
			step = i % 484
			# a step is 4 kernels and 40 layers of 12
			s = step < 4 ? "p" step : "l" (step - 4) % 12
			t = i * 1000
			print "api", 2 * i + 1, t, 900, 7, ".", ".", 7, \
			    i + 1, "host", "cudaLaunchKernel", "A:" i
			line = sprintf("kernel\t%d\t%d\t400\t7\t0\t1\t7" \
			    "\t%d\tcompute\t", 2 * i + 2, t + 500, i + 1)
			place = "\tK:" i
			print line substr(s pad, 1, \
			    150 - length(line) - length(place)) place
		}
		print "end", 2000000
	}'
}

# 800 steps of an iteration, 20 kernels and a graph of 252: 217,600 kernels.
serving() {
	awk 'BEGIN {
		call = "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\"," \
		    "\"pid\":100,\"tid\":200,\"ts\":%d.250,\"dur\":4.5," \
		    "\"args\":{\"correlation\":%d,\"External id\":%d}},\n"
		kernel = "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":" \
		    "\"void gemm_kernel<%d>(float*, int)\",\"pid\":0," \
		    "\"tid\":7,\"ts\":%d.%d,\"dur\":5.%03d,\"args\":{\"device\":0," \
		    "\"context\":1,\"stream\":7,\"correlation\":%d," \
		    "\"External id\":%d,%s\"grid\":[1,1,1],\"block\":[128,1,1]}}%s\n"
		print "{\"baseTimeNanoseconds\":1751410836000000000,"
		print "\"host_name\":\"h\",\"traceEvents\":["
		for (s = 0; s < 800; s++) {
			t = 1000 + s * 3000
			printf "{\"ph\":\"X\",\"cat\":\"user_annotation\"," \
			    "\"name\":\"stormlog.iteration/e/%d\",\"pid\":100," \
			    "\"tid\":200,\"ts\":%d,\"dur\":2900},\n", s, t
			for (k = 0; k < 20; k++) {
				c++
				printf call, "cudaLaunchKernel", t + 10 + k * 9, c, c
				printf kernel, k, t + 300 + k * 6, 125, 125, c, c, "", ","
			}
			c++
			printf call, "cudaGraphLaunch", t + 400, c, c
			for (k = 0; k < 252; k++)
				printf kernel, k % 20, t + 500 + k * 9, 500, k, c, c,
				    "\"graph id\":5,\"graph node id\":" k + 1 ",",
				    s == 799 && k == 251 ? "" : ","
		}
		print "]}"
	}'
}

# An artifact, run.jsonl, of which nothing was imported.
new_artifact() {
	python3 "$here/oracle/import.py" artifact run.jsonl
	rm -f stormlog_run.json
}

# The same with a marker around each step, or around all that follows; and the
# context of both.
stepped() {
	awk -v nested="$1" 'BEGIN { FS = OFS = "\t" }
		/^#/ { print; next }
		$1 == "end" { print "end", id; exit }
		$1 == "api" && i++ % 484 == 0 {
			print "range", ++id, $3, nested ? 1e9 - $3 : 483950, \
			    7, ".", ".", 7, ".", "host", \
			    "traceloom.execution.e" s, "M:" s++
		}
		{ $2 = ++id; print }' million.ev
}

scheduled() {
	awk 'BEGIN {
		h = "{\"schema\":\"traceloom.scheduler.v1\",\"run_id\":" \
		    "\"r\",\"producer_id\":\"p\",\"type\":"
		print h "\"session\",\"metadata\":{}}"
		for (s = 0; s < 2067; s++) {
			print h "\"step\",\"step_id\":\"" s "\",\"ordinal\":" \
			    s ",\"total_scheduled_tokens\":0,\"requests\"" \
			    ":[],\"cache\":{\"observation_phase\":" \
			    "\"after_schedule\"}}"
			print h "\"execution\",\"execution_id\":\"e" s \
			    "\",\"step_id\":\"" s "\",\"marker\":" \
			    "\"traceloom.execution.e" s "\",\"status\":" \
			    "\"returned\",\"marker_state\":\"emitted\"}"
		}
		print h "\"summary\",\"written_records\":4134," \
		    "\"dropped_records\":0}"
	}'
}

printf '%-58s %9s %-5s %9s\n' 'what' 'measured' '' 'limit'

gen=$BUILD/gen
make_input typical.json "$gen" -p train -w 0 -O 2 -n 100
make_input python.json "$gen" -p train -w 90 -O 2 -n 20
make_input nsys.sqlite "$gen" -f nsys -p nsys-large -o nsys.sqlite
make_input million.ev million

measure -i typical.json "$BUILD/bench_yajl"
base=$cpu
measure "$BUILD/tl-kineto2ev" typical.json
row 'tl-kineto2ev: typical file, speed to a bare yajl parse' \
    "$(calc "$base / $cpu" %.2f)" '' '>=' 0.5
all=$mem
measure "$BUILD/tl-kineto2ev" -S 64M typical.json
row 'tl-kineto2ev: memory with -S 64M' $((mem / 1024)) MiB '<=' 64
measure -i python.json "$BUILD/bench_yajl"
base=$cpu
measure "$BUILD/tl-kineto2ev" python.json
row 'tl-kineto2ev: nine tenths Python, speed to a bare parse' \
    "$(calc "$base / $cpu" %.2f)" '' '>' 1
some=$mem
make_input nopython.json "$gen" -p train -w 0 -O 2 -n 20
measure "$BUILD/tl-kineto2ev" nopython.json
row 'tl-kineto2ev: memory with skipped events to that without' \
    "$(calc "$some / $mem" %.2f)" '' '<=' 1.1
info 'tl-kineto2ev: memory, typical file' $((all / 1024)) MiB

measure sqlite3 -readonly nsys.sqlite \
    'SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL'
base=$cpu
measure "$BUILD/tl-nsys2ev" nsys.sqlite
row 'tl-nsys2ev: 2.4 million rows, CPU to that of printing kernels' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 1.5
info 'tl-nsys2ev: memory' $((mem / 1024)) MiB
for limit in 0 9000000; do
	measure "$BUILD/tl-query" -l $limit nsys.sqlite \
	    'SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL'
	row "tl-query: all kernels, limit $limit, CPU to that of sqlite3" \
	    "$(calc "$cpu / $base" %.2f)" '' '<=' 1.2
	row "tl-query: memory, limit $limit" $((mem / 1024)) MiB '<=' 64
done

make_input ascend "$BUILD/gen_ascend" -p large -o ascend
make_input ascend-half "$BUILD/gen_ascend" -p large -l 46000 -r 1050000 \
    -o ascend-half
measure "$BUILD/tl-msprof2ev" ascend-half
base=$cpu
measure "$BUILD/tl-msprof2ev" ascend
row 'tl-msprof2ev: 2.1 million tasks, CPU to that of half as many' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 2.3
row 'tl-msprof2ev: memory' $((mem / 1024)) MiB '<=' 512
all=$cpu
# An envelope around all others, and pairs: of 1000 at a time of one key where
# the name is same, so that each could be of any.
for kind in pairs same; do
	for n in 100000 200000; do
		make_input $kind-$n.db pairs_of $kind $n
	done
	measure "$BUILD/tl-msprof2ev" -q $kind-100000.db
	base=$cpu
	measure "$BUILD/tl-msprof2ev" -q $kind-200000.db
	row "tl-msprof2ev: 200,000 pairs ($kind), CPU to that of half as many" \
	    "$(calc "$cpu / $base" %.2f)" '' '<=' 2.3
	row "tl-msprof2ev: memory ($kind)" $((mem / 1024)) MiB '<=' 192
done
measure sqlite3 -readonly ascend/msprof_20260101000000.db \
    'SELECT * FROM TASK'
row 'tl-msprof2ev: CPU to that of printing the tasks' \
    "$(calc "$all / $cpu" %.2f)" '' '<=' 3

measure "$BUILD/tl-check" million.ev
base=$cpu
measure cat million.ev
info 'tl-check: million kernels and calls, CPU' "$base" s
info 'tl-check: the same to cat' "$(calc "$base / ($cpu + 0.001)" %.1f)" ''
measure "$BUILD/tl-recover" million.ev
row 'tl-recover: million kernels and calls, CPU' "$cpu" s '<=' 2
row 'tl-recover: memory' $((mem / 1024)) MiB '<=' 300
info 'tl-recover: to tl-check' "$(calc "$cpu / $base" %.2f)" ''
make_input noise.ev noisy
measure "$BUILD/tl-recover" noise.ev
row 'tl-recover: million kernels, 2 % noise, CPU' "$cpu" s '<=' 2
row 'tl-recover: memory with noise' $((mem / 1024)) MiB '<=' 300
if [[ -x $BUILD/tl-replay ]]; then
	measure "$BUILD/tl-replay" million.ev
	info 'tl-replay: million kernels and calls, CPU' "$cpu" s
	info 'tl-replay: memory' $((mem / 1024)) MiB
	make_input ascend.ev "$BUILD/tl-msprof2ev" -q ascend
	make_input ascend-half.ev "$BUILD/tl-msprof2ev" -q ascend-half
	measure "$BUILD/tl-replay" ascend-half.ev
	base=$cpu
	measure "$BUILD/tl-replay" ascend.ev
	row 'tl-replay: 2.1 million tasks, 92,000 launches, CPU' "$cpu" s '<=' 10
	row 'tl-replay: the same, CPU to that of half as many' \
	    "$(calc "$cpu / $base" %.2f)" '' '<=' 2.4
	row 'tl-replay: the same, memory' $((mem / 1024)) MiB '<=' 600
fi

# A million events as a timeline. gzip's part is held against zlib alone.
few_million() {
	awk 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		for (i = 1; i <= 1000000; i++)
			print "kernel", i, i * 10, 5 + i % 9, 7, 0, 1, \
			    7 + i % 3, i, "compute", "some_kernel_name_" \
			    i % 10, "E:" i, "block=128,1,1", "grid=1,1,1"
		print "end", 1000000
	}'
}

make_input events.ev few_million
make_input events.json "$BUILD/tl-perfetto" events.ev
measure "$BUILD/tl-perfetto" events.ev
row 'tl-perfetto: million events, CPU' "$cpu" s '<=' 3
row 'tl-perfetto: memory' $((mem / 1024)) MiB '<=' 400
plain=$cpu
measure python3 -c 'import sys, zlib
z = zlib.compressobj(1, zlib.DEFLATED, 31)
with open(sys.argv[1], "rb") as f:
    while b := f.read(65536):
        z.compress(b)' events.json
base=$cpu
measure "$BUILD/tl-perfetto" -z events.ev
row 'tl-perfetto: what -z adds, to zlib at level 1' \
    "$(calc "($cpu - $plain) / $base" %.2f)" '' '<=' 1.3
make_input stepped.ev stepped ''
make_input nested.ev stepped 1
make_input scheduled.jsonl scheduled
for f in stepped nested; do
	measure -i $f.ev "$BUILD/tl-context" scheduled.jsonl
	row "tl-context: million kernels, markers $f, CPU to tl-check" \
	    "$(calc "$cpu / $base" %.2f)" '' '<=' 3
done
row 'tl-context: memory' $((mem / 1024)) MiB '<=' 250

make_input tree.ev "$BUILD/tl-recover" million.ev
measure "$BUILD/tl-check" tree.ev
base=$cpu
measure "$BUILD/tl-tree" tree.ev
row 'tl-tree: the same with its tree, CPU to that of tl-check' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 2
row 'tl-tree: memory' $((mem / 1024)) MiB '<=' 300

make_input serving.json serving
import='rm -f stormlog_run.json; cp new.jsonl run.jsonl
    "$0/tl-kineto2ev" -q serving.json | "$0/tl-import" -q -d "$1" -a run.jsonl'
new_artifact
cp run.jsonl new.jsonl
for detail in launch kernel; do
	measure sh -c "$import" "$BUILD" $detail
	row "tl-import: 217,600 kernels by $detail, with converter, CPU" \
	    "$cpu" s '<=' 2
	ours=$cpu mine=$mem
	[[ -n ${TL_STORMLOG:-} ]] || continue
	runs=1 measure sh -c 'rm -f stormlog_run.json; cp new.jsonl run.jsonl
	    "$0" -c "import sys; import stormlog.infer.cli as cli; sys.exit(
	    cli.main(sys.argv[1:]))" import-trace run.jsonl serving.json \
	    --detail "$1" >/dev/null' "$TL_STORMLOG" $detail
	row "tl-import: the reference's CPU to that, by $detail" \
	    "$(calc "$cpu / $ours" %.1f)" '' '>=' 20
	row 'tl-import: memory of the larger program to the reference' \
	    "$(calc "$mine / $mem" %.3f)" '' '<=' 0.1
done
make_input serving.ev "$BUILD/tl-kineto2ev" -q serving.json
measure sh -c 'rm -f stormlog_run.json; cp new.jsonl run.jsonl
    "$0/tl-import" -q -a run.jsonl serving.ev' "$BUILD"
mine=$mem
measure sh -c 'rm -f stormlog_run.json; cp new.jsonl run.jsonl
    "$0/tl-import" -q -d kernel -a run.jsonl serving.ev' "$BUILD"
cp run.jsonl large.jsonl
"$BUILD/gen" -p demo -o demo.json
"$BUILD/tl-kineto2ev" -q -o demo.ev demo.json
cp large.jsonl run.jsonl
measure sh -c 'cp large.jsonl run.jsonl
    "$0/tl-import" -q -a run.jsonl demo.ev' "$BUILD"
info 'tl-import: 3,290 kernels into an artifact of 190 MB, CPU' "$cpu" s
row 'tl-import: memory of that' $((mem / 1024)) MiB '<=' 16
rm -f run.jsonl large.jsonl new.jsonl stormlog_run.json
measure "$BUILD/tl-tree" -F folded tree.ev
row 'tl-tree: folded stacks, CPU to that of tl-check' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 3
row 'tl-tree: memory of folded stacks, a device event' $((mem * 1024 / 1000000)) \
    bytes '<=' 100

# scopes NUMBER: so many processes, each with a device and a loop.
scopes() {
	awk -v n="$1" 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		for (s = 0; s < n; s++)
			print "#process", 1000 + s, "name=p" s
		for (s = 0; s < n; s++)
			print "#device", 1000 + s, 0, "name=GPU"
		for (i = 0; i < 20; i++)
			for (s = 0; s < n; s++)
				print "kernel", ++id, t += 10, 5, 1000 + s, 0, \
				    1, 7, i + 1, "compute", "k" i % 2, "E:" id
		print "end", id
	}' | "$BUILD/tl-recover"
}

make_input scopes2.ev scopes 2000
make_input scopes8.ev scopes 8000
for o in tl-tree 'tl-tree -F folded' 'tl-perfetto -AC'; do
	# shellcheck disable=SC2086
	measure "$BUILD"/$o scopes2.ev
	base=$cpu
	# shellcheck disable=SC2086
	measure "$BUILD"/$o scopes8.ev
	row "$o: 8,000 devices, CPU to that of 2,000" \
	    "$(calc "$cpu / $base" %.2f)" '' '<=' 6
done

# the same records as columns of text, by SQLite's own shell
make_input million.tsv grep -v -e '^#' -e '^end' million.ev
measure sqlite3 shell.db 'DROP TABLE IF EXISTS t' 'PRAGMA journal_mode = off' \
    'PRAGMA synchronous = off' 'CREATE TABLE t (a, b, c, d, e, f, g, h, i, j,
    k, l)' '.mode tabs' '.import million.tsv t'
base=$cpu
measure "$BUILD/tl-ev2db" -f -o million.db million.ev
row 'tl-ev2db: million kernels and calls, CPU to that of .import' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 1
row 'tl-ev2db: memory' $((mem / 1024)) MiB '<=' 64
measure "$BUILD/tl-ev2db" -f -o tree.db tree.ev
row 'tl-ev2db: the same with its tree, CPU to that of .import' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 2
row 'tl-ev2db: memory' $((mem / 1024)) MiB '<=' 64
row 'tl-ev2db: bytes to those of the stream' \
    "$(calc "$(wc -c <tree.db) / $(wc -c <tree.ev)" %.2f)" '' '<=' 0.75
for view in v_node_host_activity v_structure_bubble_position \
    v_symbol_variant_cost viz_node_anchor; do
	measure sqlite3 -readonly tree.db \
	    "SELECT count(*) FROM traceloom_$view"
	row "tl-ev2db: rows of $view, CPU to that of .import" \
	    "$(calc "$cpu / $base" %.2f)" '' '<=' 2
done
measure "$BUILD/tl-check" tree.ev
base=$cpu
measure "$BUILD/tl-db2ev" tree.db
row 'tl-db2ev: CPU to that of tl-check' "$(calc "$cpu / $base" %.2f)" '' \
    '<=' 4
row 'tl-db2ev: memory' $((mem / 1024)) MiB '<=' 32
exit $failed
