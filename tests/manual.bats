#!/usr/bin/env bats
# The command lines under EXAMPLES in the manual pages, run on files of the
# names they use.
load helper

# The lines of a page's examples, as a shell reads them.
examples() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/s/^\.Dl //p' "$1" |
	    sed 's/\\(dq/"/g; s/\\(ha/^/g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g'
}

# Captures and streams by the names that pages use; "my-filter" and what draws
# pass all on, "ssh" prints a capture.
files() {
	mkdir -p bin out context
	# two seconds; N002 a loop of steps, N003 one of 20 layers in it
	"$BUILD/gen" -n 200 -l 20 -e 0,2 -c 1 -g layer -H 5 \
	    -o rank0.pt.trace.json.gz
	"$BUILD/gen" -n 3 -c 1 -C 1,2 -g layer -f nsys -J context/c \
	    -o report.sqlite
	mv context/c.sched.jsonl context/engine.jsonl
	mv context/c.worker0.jsonl context/worker0.jsonl
	cp rank0.pt.trace.json.gz trace.json.gz
	: >report.nsys-rep
	"$BUILD/gen_ascend" -s -o PROF_000001_20260101_ABC
	"$BUILD/gen_ascend" -o rank0_ascend_pt
	python3 "$TESTS/oracle/import.py" artifact run.jsonl
	gzip -dc rank0.pt.trace.json.gz >r0.json
	"$BUILD/gen" -n 5 -o r1.json
	tl-kineto2ev rank0.pt.trace.json.gz >plain.ev
	tl-replay plain.ev | tl-recover >whole.ev
	"$BUILD/gen" -n 30 -l 4 -g step -b ins=2,miss=1 -o near.json
	tl-kineto2ev near.json >near.ev
	gzip -nc whole.ev >run.ev.gz
	cp run.ev.gz out/rank0.ev.gz
	tl-ev2db -o analysis.db whole.ev
	cp analysis.db out/rank0.db
	printf '#!/bin/sh\ncat r0.json\n' >bin/ssh
	printf '#!/bin/sh\nexec cat\n' | tee bin/my-filter >bin/flamegraph.pl
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
}

@test "manual: examples run" {
	local page line prog n=0

	need gzip sqlite3 python3 jq
	files
	for page in "$ROOT"/man/*.1; do
		# run.ev is what the page's program reads
		case $page in
		*/tl-recover*) cp near.ev run.ev ;;
		*/tl-re*) cp plain.ev run.ev ;;
		*) cp whole.ev run.ev ;;
		esac
		while read -r line; do
			[[ $line == \$* || $line == [a-z]* ]] || continue
			line=${line#\$ }
			for prog in $(grep -o 'tl-[a-z0-9]*' <<<"$line"); do
				# a page may be there before another's program
				[[ -x $BUILD/$prog ]] || continue 2
			done
			try_sh "$line"
			# head ends what feeds it
			((rc == 0 || rc == 141)) ||
			    { show; fail "${page##*/}: $line"; }
			case $line in
			*' -o '* | *' -ACo '* | *'>'* | *tl-check* | mkdir* | *--context* | \
			    tl-import* | *'| tl-import'*) ;;
			*) [[ -s $TRY/out ]] ||
			    fail "${page##*/}: prints nothing: $line" ;;
			esac
			n=$((n + 1))
		done < <(examples "$page")
	done
	((n > 12)) || fail "only $n examples"
}
