#!/usr/bin/env bats
# Launches of graphs on Ascend devices: random streams against brute force,
# generated captures with a known answer, and others' SQL, where it is there,
# against what its README says and what the program it comes from (traceloom
# 0.1.4) makes of it.
load helper
load msprof

setup() {
	tl_setup
	need python3
	need sqlite3
}

oracle() {
	python3 "$TESTS/oracle/acl.py" "$@"
}

# random FIRST LAST: random streams and what the program makes of them.
random() {
	local i

	oracle random "$1" "$2"
	for i in $(seq "$1" "$2"); do
		tl-replay -P "$i.ev" >"$i.out" || fail "seed $i" || return 1
	done
	cat ./*.out | grep -q '^member'
}

@test "acl: random streams are as the page says" {
	random 1 400
	for i in 1 100 200 300 400; do
		tl-check $i.out
		tl-recover -q $i.out >$i.rec || [[ $? == 1 ]]
	done
	oracle check ./*.out >seen || { cat seen; return 1; }
	for s in exact single partial variant missing_body_evidence \
	    'missing_completion_evidence: no record' \
	    'missing_completion_evidence: no wait' \
	    'missing_body_capability: graph unknown' \
	    'missing_body_capability: tasks without names' \
	    'ambiguous_launch_evidence: overlaps' \
	    'ambiguous_launch_evidence: tasks' notify_completion_adjacent \
	    notify_ordered_fallback record_model_id record_model_stream \
	    execute_model_id; do
		grep -q "^$s.*=[1-9]" seen || fail "never: $s" || return 1
	done
}

# What checks the program must not take everything.
@test "acl: the oracle finds what is wrong" {
	local f n=0

	random 1 40
	while read -r change; do
		rm -f ./*.bad
		for f in *.out; do
			sed "$change" "$f" >"${f%.out}.bad"
			! cmp -s "$f" "${f%.out}.bad" || rm "${f%.out}.bad"
		done
		ls ./*.bad >/dev/null
		! oracle check ./*.bad >log 2>&1 ||
		    fail "not found: $change" || return 1
		n=$((n + 1))
	done <<-'END'
		s/^\(launch.*\)\texact\t/\1\tsingle\t/
		s/^\(launch.*\)\tvariant\t/\1\tsingle\t/
		s/^\(launch.*\)\tsingle\t/\1\texact\t/
		s/^\(launch.*\)\tempty\t/\1\topaque\t/
		s/^\(launch.*\)no record/\1no wait/
		s/^\(launch.*\)record_model_stream/\1record_model_id/
		s/^\(launch.*\)adjacent/\1ordered/
		s/^\(launch\t[0-9]*\)\t[0-9]*\t/\1\t.\t/
		s/^\(launch\t.*\)\t20\t/\1\t21\t/
		/^member/{x;s/^/x/;/^x\{2\}$/{x;d};x}
		s/^\(member.*\t\)\([0-9]*\)$/\11\2/
		/^launch\t2\t/d
	END
	((n == 12))
}

# launches FOLDER: for each launch its unit, status, reason and the rows of its
# members by stream and index; run.ev is the stream.
launches() {
	tl-msprof2ev -Pq "$1" | tl-replay -P >run.ev || return
	tl-check run.ev || return
	oracle check run.ev >log || { cat log; return 1; }
	awk -F'\t' '
	$12 ~ /^T:/ { row[$2] = substr($12, 3) }
	$1 == "launch" { if (l != "") print l; l = $9 " " $10 " " $14 }
	$1 == "member" { l = l " " $4 ":" $5 "=" row[$6] }
	END { if (l != "") print l }' run.ev
}

# expected FILE: launches as told, with NOTIFY for the usual evidence.
same() {
	sed 's/NOTIFY/notify_completion_adjacent; record_model_id/' >want
	diff want "$1" >&2 || fail "$1"
}

fixtures() {
	[[ -d $FIXTURES ]] || skip "no fixtures"
}

# Launches 1 to 12 are those the reference publishes, with its templates 0 to 5
# as units 1 to 6; the last two it leaves out as an incomplete tail.
exact_hlt() {
	cat <<-'END'
		1 single NOTIFY 0:0=4 1:0=3
		2 single NOTIFY 0:0=9 1:0=8
		3 single NOTIFY 0:0=14 1:0=13
		4 exact NOTIFY 0:0=19 1:0=18
		5 exact NOTIFY 0:0=24 1:0=23
		6 exact NOTIFY 0:0=29 1:0=28
		4 exact NOTIFY 0:0=34 1:0=33
		5 exact NOTIFY 0:0=39 1:0=38
		6 exact NOTIFY 0:0=44 1:0=43
		4 exact NOTIFY 0:0=49 1:0=48
		5 exact NOTIFY 0:0=54 1:0=53
		6 exact NOTIFY 0:0=59 1:0=58
		4 exact NOTIFY 0:0=64 1:0=63
		5 exact NOTIFY 0:0=69 1:0=68
	END
}

@test "acl: exact_hlt, its mutations, its layouts" {
	fixtures
	m() {
		rm -rf m
		build_one exact_hlt m "${1:+exact_hlt/mutations/$1.sql}"
		launches m >got
	}
	m ''
	exact_hlt | same got
	m device_order_without_host_api
	exact_hlt | same got
	m truncated_completion
	exact_hlt | sed '$c\
. opaque missing_completion_evidence: no record' | same got
	m missing_body
	exact_hlt | sed '7c\
. empty missing_body_evidence; NOTIFY' | same got
	for s in incomplete_compute_schema missing_communication_schema; do
		m $s
		exact_hlt | sed 's/.*/. opaque missing_body_capability: tasks without names; NOTIFY/' |
		    same got
	done
	build_split exact_hlt/split s
	launches s >got
	exact_hlt | same got
	sqlite3 s/host/sqlite/ge_info.db \
	    <"$FIXTURES/exact_hlt/mutations/incomplete_split_task_info.sql"
	launches s >got
	exact_hlt | sed 's/.*/. opaque missing_body_capability: tasks without names; NOTIFY/' |
	    same got
}

@test "acl: exact_hlt as torch_npu leaves it" {
	fixtures
	build exact_hlt/msprof.sql \
	    r/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db
	mkdir -p r/PROF_1
	launches r >got
	exact_hlt | sed 's/.*/. opaque missing_body_capability: graph unknown; notify_completion_adjacent/' |
	    same got
	build exact_hlt/host/sqlite/stream_info.sql \
	    r/PROF_1/host/sqlite/stream_info.db
	launches r >got
	exact_hlt | same got
	cp -r r/PROF_1 r/PROF_2
	launches r >got
	exact_hlt | sed 's/.*/. opaque missing_body_capability: graph unknown; notify_completion_adjacent/' |
	    same got
}

@test "acl: head, layer and tail of exact_hlt are a loop" {
	fixtures
	build_one exact_hlt e
	launches e >/dev/null
	tl-recover -P run.ev >rec.ev
	# 3 times 3 launches of 2 and two of the fourth, as the README has it
	awk -F'\t' '$1 == "pos" && $7 == "loop" { print $8, $9 }' rec.ev >loops
	[[ $(<loops) == '3.66 6' ]] || { cat loops >&2; fail "loops"; }
	# the same with the ids that tasks of a replay have from its capture
	awk -F'\t' -v OFS='\t' '$1 == "kernel" { $9 = 400 + $8 } { print }' \
	    run.ev | tl-replay -f -P | tl-recover -P >rec.ev
	awk -F'\t' '$1 == "pos" && $7 == "loop" { print $8, $9 }' rec.ev |
	    diff - loops
	# and where nothing tells the launches of the 28 tasks: those of 11
	# launches and the AuxGraphOp before them, 23 in all
	grep -v '^#capture' run.ev | awk -F'\t' -v OFS='\t' \
	    '$1 == "kernel" { $9 = 400 + $8 } { print }' |
	    tl-replay -f -P | tl-recover -P >rec.ev
	[[ $(grep -c "^member" rec.ev) == 0 ]]
	grep -q $'^note\t.*\trecover_placed\t28\t\|recover_order_start' rec.ev
	awk -F'\t' '$1 == "pos" && $7 == "loop" { print $8, $9 }' rec.ev >loops
	[[ $(<loops) == '3.83 6' ]] || { cat loops >&2; fail "loops of tasks"; }
}

@test "acl: body_mismatch: the launch that differs is told, not lost" {
	fixtures
	build_one body_mismatch b
	launches b >got
	for i in 3 7 11 15 19 23 27; do
		echo "1 exact NOTIFY 0:0=$i"
	done >seven
	same got <seven
	rm -r b
	build_one body_mismatch b \
	    body_mismatch/mutations/body_sequence_mismatch.sql
	launches b >got
	sed '4c\
2 variant NOTIFY; body_mismatch 0:0=15' seven | same got
}

# Models 7 and 8 are different graphs; a record 700 us late stretches nothing.
@test "acl: launch_identity: two graphs are two" {
	fixtures
	cat >four <<-'END'
		1 exact NOTIFY 0:0=11 1:0=14
		2 single NOTIFY 0:0=12
		1 exact notify_ordered_fallback; record_model_stream 0:0=13 1:0=15
		. opaque missing_completion_evidence: no wait
	END
	build_one launch_identity l
	launches l >got
	same got <four
	[[ $(awk -F'\t' '$1 == "launch" && $2 == 3 { print $7, $8 }' run.ev) == \
	    '316 1' ]]
	rm -r l
	build_one launch_identity l \
	    launch_identity/mutations/mc2_nested_controls.sql
	launches l >got
	same got <four
	build_split launch_identity/split s
	launches s >got
	same got <four
}

@test "acl: graphs without waits, captures without graphs" {
	fixtures
	build_one aclgraph_smoke a
	launches a >got
	for _ in 1 2 3 4; do
		echo '. opaque missing_completion_evidence: no wait'
	done | same got
	sqlite3 a/host/sqlite/stream_info.db \
	    <"$FIXTURES/aclgraph_smoke/mutations/current_schema.sql"
	launches a >again
	cmp got again
	sqlite3 a/host/sqlite/stream_info.db \
	    <"$FIXTURES/aclgraph_smoke/mutations/single_slot.sql"
	launches a >again
	cmp got again
	build_one minimal_smoke m
	launches m >got
	[[ ! -s got ]]
	grep -q $'^note\tinfo\treplay_none' run.ev
}

# The generator says how often each graph was launched, with how many tasks on
# how many streams.
@test "acl: generated captures in both layouts" {
	for o in "-n 5" "-n 20 -g 7 -m 3 -b 19" "-n 4 -g 1 -m 1 -b 1 -s" \
	    "-n 9 -g 4 -m 4 -b 30 -s"; do
		rm -rf p
		# shellcheck disable=SC2086
		gen_ascend $o -o p -a answer
		tl-msprof2ev -Pq p | tl-replay -P >run.ev
		oracle check run.ev >log || { cat log; fail "$o"; }
		awk -F'\t' '$1 == "graph" { print $2, $3, $4, $5 }' answer |
		    sort >want
		awk -F'\t' '
		$1 == "kernel" && match($0, /\tmodel=[0-9]+/) {
			model[$2] = substr($0, RSTART + 7, RLENGTH - 7)
		}
		$1 == "unit" { streams[$2] = $4 }
		$1 == "launch" { unit[$2] = $9; n[$2] = $11 }
		$1 == "member" && !($2 in graph) { graph[$2] = model[$6] }
		END {
			for (l in graph)
				count[graph[l] " " n[l] " " streams[unit[l]]]++
			for (k in count) {
				split(k, f, " ")
				print f[1], count[k], f[2], f[3]
			}
		}' run.ev | sort >got
		diff want got >&2 || fail "$o" || return 1
	done
}
