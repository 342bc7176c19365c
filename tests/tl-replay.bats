#!/usr/bin/env bats
# What is no case of cases/tl-replay: random and generated streams, real
# captures, size.
load helper

setup() {
	tl_setup
	need python3
	need sqlite3
}

oracle() {
	python3 "$TESTS/oracle/replay.py" "$@"
}

# random FIRST LAST: random streams and what the program makes of them.
random() {
	local i

	python3 "$TESTS/oracle/replay_random.py" "$1" "$2"
	for i in $(seq "$1" "$2"); do
		tl-replay -P "$i.ev" >"$i.out" || fail "seed $i" || return 1
		tl-check "$i.out" || fail "seed $i" || return 1
	done
}

@test "replay: random streams are as the page says" {
	random 1 500
	oracle stream ./*.out >statuses || { cat statuses; return 1; }
	# and there was something to say
	for s in exact single partial variant opaque empty orphan; do
		grep -q "$s=[1-9][0-9]" statuses || fail "too few: $s"
	done
}

# What checks the program must not take everything.
@test "replay: the oracle finds what is wrong" {
	local f

	random 1 30
	for change in \
	    's/^\(launch\t.*\)\texact\t/\1\tsingle\t/' \
	    's/^\(launch\t.*\)\tpartial\t/\1\tvariant\t/' \
	    's/^\(launch\t.*\)\tvariant\t/\1\tsingle\t/' \
	    's/^\(launch\t.*\)\tsingle\t/\1\tvariant\t/' \
	    's/^\(launch\t.*\)\tempty\t/\1\topaque\t/' \
	    's/^\(launch\t[0-9]*\)\t[0-9]*\t/\1\t.\t/' \
	    's/^\(launch\t.*missing [0-9]*:\)[0-9]*/\10/' \
	    's/^\(launch\t.*\t\)\(-*[0-9]*\)$/\11\2/' \
	    's/^\(member\t.*\t\)[0-9]*$/\11/' \
	    's/^\(member\t[0-9]*\t[0-9]*\t[0-9]*\)\t0\t/\1\t7\t/' \
	    's/^\(unit\t.*\t\)[0-9]*$/\199/' \
	    '/^member/{x;s/^/x/;/^x\{2\}$/{x;d};x}' \
	    '/^launch\t2\t/d' \
	    's/^\(note\t.*replay_[a-z]*\t\)[0-9]*/\199/'; do
		for f in *.out; do
			sed "$change" "$f" >"${f%.out}.bad"
			! cmp -s "$f" "${f%.out}.bad" || rm "${f%.out}.bad"
		done
		oracle stream ./*.bad >log 2>&1 &&
		    { fail "was not found: $change" || return 1; }
		for f in *.bad; do
			grep -q "^./$f: " log ||
			    fail "$f: was not found: $change" || return 1
		done
		rm ./*.bad
	done
}

# real CAPTURE LAUNCHES MEMBERS: both counted by hand with jq: calls whose name
# has GraphLaunch, and device events with one of their correlations.
real() {
	need_capture "$1"
	tl-kineto2ev "$TRACES/$1" | tl-replay >real.ev
	tl-check real.ev
	oracle capture "$TRACES/$1" real.ev >counted ||
	    { cat counted; fail "$1: launches"; } || return 1
	oracle stream real.ev >statuses ||
	    { cat statuses; fail "$1: rules"; } || return 1
	grep -q "^$2 launches, $3 members" counted ||
	    { cat counted; fail "$1: not $2 launches of $3"; }
}

@test "replay: captures with graphs" {
	real kineto/leimao-2026-rtx5080-cudagraph-manual.json 7 252
	grep -qx 'exact=7 orphan=2' statuses
	# 75 device events have no call: 35 and 36 of two launches that were cut
	# off (the first lacks its first kernel), 2 copies, 2 kernels
	[[ $(awk '$1 == "launch" && $3 == "." { print $11, $12 }' real.ev) == \
	    $'35 1\n36 0' ]]
	[[ $(grep -c '^unit' real.ev) == 1 ]]
	real kineto/hta-2023-05-a100-rank0of16-cudagraph.json.gz 70 345
	grep -qx 'exact=70 orphan=3' statuses
	real kineto/tracelens-2026-mi300x-sglang-decode-hipgraph.json.gz 1 544
	real kineto/tracelens-2026-mi300x-vllm-decode-fullgraph.json.gz 1 421
}

@test "replay: captures without graphs" {
	local f n=0 convert

	for f in "$TRACES"/kineto/*.json* "$TRACES"/nsys/*.sqlite; do
		convert=tl-kineto2ev
		case $f in
		*'*'* | *graph*) continue ;;
		*.sqlite) convert=tl-nsys2ev ;;
		esac
		$convert "$f" | tl-replay >real.ev
		grep -q '^note	info	replay_none	0' real.ev &&
		    ! grep -Eq '^(unit|launch|member)' real.ev ||
		    fail "$f" || return 1
		n=$((n + 1))
	done
	((n > 0)) || need_captures
}

# generated FORMAT OPTION...: a capture made by gen with its answer.
generated() {
	gen -f "$1" -o a.cap -a a.tsv "${@:2}" || return 1
	if [[ $1 == nsys ]]; then
		tl-nsys2ev a.cap >a.ev
	else
		tl-kineto2ev a.cap >a.ev
	fi || return 1
	tl-replay a.ev >a.out || return 1
	printf '%s\n' 'answer a.tsv a.out' 'stream a.out' \
	    'capture a.cap a.out' |
	    python3 "$TESTS/batch.py" "$TESTS/oracle/replay.py" >log ||
	    { cat log; fail "gen -f $*"; }
}

@test "replay: generated, 1 to 87 streams" {
	for s in 1 2 8 24 87; do
		for m in noid id; do
			generated nsys -n 4 -l 1 -k 500 -s $s -g step:$m
			generated kineto -n 3 -l 2 -k 250 -s $s -g layer:$m
		done
	done
	[[ $(awk '$1 == "unit" { print $4 }' a.out) -ge 80 ]]
}

@test "replay: generated, cut ends and calls, lost members" {
	while read -r f m; do
		o=(-n 9 -l 6 -k 12 -e "1,1" -g "step:$m")
		generated "$f" "${o[@]}" -s 2 -H 40
		generated "$f" "${o[@]}" -s 2 -T 40
		generated "$f" "${o[@]}" -H 33 -T 77
		generated "$f" -n 9 -l 6 -k 12 -e 1,1 -g "layer:$m" -H 45 -T 33
		generated "$f" "${o[@]}" -s 2 -A 10
		generated "$f" -n 40 -l 4 -k 10 -e 1,1 -s 2 -g "step:$m" \
		    -b miss=1
	done <<-'END'
		kineto noid
		nsys id
		nsys noid
	END
	generated kineto -p decode
}

@test "replay: generated, two units, processes, threads, devices" {
	while read -r f m; do
		o=(-n 9 -l 6 -k 12 -e "1,1" -s 2 -g "step:$m")
		generated "$f" "${o[@]}" -K DP
		generated "$f" "${o[@]}" -P 2
		generated "$f" "${o[@]}" -P 2s
		generated "$f" "${o[@]}" -D 2 -P 2
		generated "$f" -n 9 -l 6 -k 12 -t 2 -g "layer:$m"
		generated "$f" "${o[@]}" -c 1,1 -C 1,3 -Z 1,3 \
		    -x copylane,sync,api=30
	done <<-'END'
		kineto noid
		nsys id
		nsys trace
	END
	generated kineto -n 9 -l 6 -k 12 -e 1,1 -s 2 -g step:trace
	generated kineto -n 9 -l 6 -k 12 -e 1,1 -s 2 -g step:id -D 3
	generated kineto -n 9 -l 6 -k 12 -e 1,1 -s 2 -g step -x amd
	generated kineto -n 9 -l 6 -k 12 -e 1,1 -s 4 -g step -y 2021 -z 10
	generated nsys -n 9 -l 6 -k 12 -s 4 -g step:id -x schema=old
}

@test "replay: what is found does not depend on the order of rows" {
	for f in kineto nsys; do
		o=(-n 9 -l 6 -k 12 -s 3 -g step:noid -b miss=1 -R 700000)
		generated $f "${o[@]}"
		grep -E '^(unit|launch|member|note.*replay)' a.out >first
		generated $f "${o[@]}" -x shuffle=all
		grep -E '^(unit|launch|member|note.*replay)' a.out |
		    cmp first - || return 1
	done
}

# The same body has the same symbol and the same places in every capture.
@test "replay: units of several captures" {
	for f in kineto nsys; do
		generated $f -n 3 -l 6 -k 12 -s 3 -g step -L 20 || return 1
		cut -f1-5 a.out | grep ^unit >$f.unit
		awk -F'\t' '$1 ~ /^kernel/ { name[$2] = $11 }
		    $1 == "member" { print $4, $5, name[$6] }' a.out |
		    sort -u >$f.places
	done
	cmp kineto.unit nsys.unit
	cmp kineto.places nsys.places
	[[ $(wc -l <nsys.places) == 72 ]]
}

# Launches that are all different, each body of the same kernels in another
# order, must not be compared each with each.
@test "replay: ten thousand different launches" {
	[[ ${TL_VARIANT:-} != tiny ]] || skip "slow with tiny buffers"
	awk 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		srand(1)
		for (l = 1; l <= 10000; l++) {
			print "api", ++n, t += 10, 5, 7, ".", ".", 1, l, \
			    "host", "cudaGraphLaunch", "R:" n
			for (i = 1; i <= 60; i++)
				print "kernel", ++n, t += 3, 2, 7, 0, 1, 7, \
				    l, "compute", "k" int(rand() * 60), "K:" n
		}
		print "end", n
	}' >many.ev
	ulimit -t 20
	tl-replay -P many.ev >many.out
	[[ $(grep -c '^launch' many.out) == 10000 ]]
	[[ $(grep -c '^member' many.out) == 600000 ]]
	grep -q '^note	warn	replay_variant	10000' many.out
}

@test "tl-replay: a stream that is recovered already is refused, or said" {
	"$BUILD/gen" -f kineto -n 3 -g layer:id -o g.json
	tl-kineto2ev -P g.json >g.ev
	tl-recover -P g.ev >r.ev
	try tl-replay -o out.ev r.ev
	expect 1 "r.ev:[0-9]*: record 'pos': recovered already"
	[[ ! -e out.ev ]]
	try tl-replay -f -P -o out.ev r.ev
	expect 0
	grep -q '^note	warn	recover_outdated	' out.ev
	tl-tree out.ev | grep -q 'was found before these graph launches'
	# found anew it is as in the right order, and the note is gone
	tl-replay -P g.ev | tl-recover -P | sort >want
	grep -q '	replay	' want
	tl-recover -f -P out.ev | sort | cmp - want
}
