#!/usr/bin/env bash
# bench.sh BUILD: what the tools take, as ratios to baselines of the same run,
# since machines differ: the best of three runs each, in seconds of processor.
# Prints a table; ends with status 1 if a limit is not kept. Inputs are made
# once and kept in BUILD/bench (3 GB).
set -u
BUILD=$1
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

make_input tree.ev "$BUILD/tl-recover" million.ev
measure "$BUILD/tl-check" tree.ev
base=$cpu
measure "$BUILD/tl-tree" tree.ev
row 'tl-tree: the same with its tree, CPU to that of tl-check' \
    "$(calc "$cpu / $base" %.2f)" '' '<=' 2
row 'tl-tree: memory' $((mem / 1024)) MiB '<=' 300
exit $failed
