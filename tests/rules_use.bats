#!/usr/bin/env bats
# What tl-recover makes of rules: markers, units of a model, steps. How a rules
# file is read, and what is wrong in one, is in unit/rules_test.
load helper
load msprof

# hasnt_of FILE: no event is evidence of another.
hasnt_of() {
	! grep -q -e '	of=' -e '	detail=1' "$1" || fail "evidence in $1"
}

setup() {
	tl_setup
	CHECK="$TESTS/rules_check.py"
	STEP="$ROOT/rules/scheduler-step.yaml"
	MODEL="$ROOT/rules/deepseekv4.yaml"
}

# context NAME GEN-OPTION...: a capture with context up to tl-context: NAME.ev
context() {
	local name=$1 file=$1.json convert=tl-kineto2ev

	shift
	[[ " $* " != *" nsys "* ]] || { file=$name.sqlite convert=tl-nsys2ev; }
	"$BUILD/gen" -J "$name" "$@" -o "$file" &&
	    "$convert" "$file" | tl-replay |
	    tl-context "$name".*.jsonl >"$name.ev"
}

# refused FILE REGEX: recovery by steps fails so and writes nothing.
refused() {
	try tl-recover -r "$STEP" "$1"
	expect 1 "^tl-recover: $1: .*$2" || return 1
	[[ ! -s $TRY/out ]] || fail "something was written" || return 1
	try tl-recover -r "$STEP" -o refused.ev "$1"
	expect 1 "$2" || return 1
	[[ ! -e refused.ev ]] || fail "a file was written"
}

@test "units, labels and compositions of a model" {
	need python3
	python3 "$CHECK" model 1 20 8 0 >m.ev
	tl-recover -r "$MODEL" m.ev >r.ev
	tl-check r.ev
	python3 "$CHECK" counts r.ev
	python3 "$CHECK" layers r.ev 8
	# 20 steps of 8 layers of an attention and a mixture of experts
	awk -F'\t' '$1 == "pos" && $7 == "loop" { print $8 }' r.ev |
	    diff - <(printf '20.00\n8.00\n')
	awk -F'\t' '$1 == "pos" && $7 == "seq" { print $24, $10 }' r.ev |
	    diff - <(printf '%s 160\n' layer attention moe)
}

@test "units that are none, without a label, with several" {
	need python3
	for seed in 2 3 4; do
		python3 "$CHECK" model $seed 20 8 7 >m.ev
		tl-recover -r "$MODEL" m.ev >r.ev
		tl-check r.ev
		python3 "$CHECK" counts r.ev
	done
}

@test "no body breaks the rule of a marker" {
	need python3
	for seed in 1 2 3 4 5 6; do
		python3 "$CHECK" random $seed >m.ev
		tl-recover -r "$TESTS/rules/markers.yaml" m.ev >r.ev
		tl-check r.ev
		python3 "$CHECK" markers r.ev >n
	done
	# it is the rules that do it
	tl-recover m.ev >r.ev
	try python3 "$CHECK" markers r.ev
	((rc == 1))
}

@test "a loop starts where markers allow it" {
	seq 5 | awk 'BEGIN { OFS = "\t"; print "#tl-ev", 1 }
		function e(s) { print "kernel", ++n, n * 10, 5, 7, 0, 1, 7, n,
		    "compute", s, "E:" n }
		{ e("b"); e("End"); e("a") } END { print "end", n }' >m.ev
	tl-recover m.ev | awk -F'\t' '$1 == "pos" && $6 == 2 { print $24 }' |
	    tr '\n' ' ' >free
	tl-recover -r "$TESTS/rules/markers.yaml" m.ev >r.ev
	# b End, then 4 times a b End (of which the last has no b End), then a
	awk -F'\t' '$1 == "pos" && $7 == "loop" { print $8 }' r.ev |
	    diff - <(echo 4.33)
	awk -F'\t' '$1 == "pos" && $6 == 2 { print $24 }' r.ev |
	    diff - <(printf 'a\nb\nEnd\n')
}

@test "what a rule met, and did not meet, is told" {
	need python3
	python3 "$CHECK" model 1 3 2 0 >m.ev
	try tl-recover -v -r "$MODEL" m.ev
	expect 0
	grep -q "^tl-recover: .*label 'moe': 6 units$" "$TRY/err"
	try tl-recover -v -r "$MODEL" "$TESTS/battery/plain.ev"
	expect 0
	grep -q "^tl-recover: .*unit 'sublayer': 0 units$" "$TRY/err"
	grep -q '^note	warn	recover_rule	0	.*unit .sublayer' "$TRY/out"
	# the document is in the header, before #order
	grep -q "^#rules	structure	$(sha256sum <"$MODEL" | cut -c1-64)	" \
	    "$TRY/out"
	cp "$TRY/out" a.ev
	tl-check a.ev
	# once, also when it is done again, and gone when done without
	tl-recover -f -r "$MODEL" a.ev >b.ev
	[[ $(grep -c '^#rules	structure' b.ev) == 1 ]]
	tl-recover -f a.ev >b.ev
	[[ $(grep -c '^#rules	structure' b.ev) == 0 ]]
	# stages that only a converter could apply
	grep -q '^note	warn	recover_other_rules' a.ev
}

@test "-r several times: the last of a stage counts" {
	need python3
	python3 "$CHECK" model 1 3 2 0 >m.ev
	tl-recover -r "$MODEL" -r "$TESTS/rules/markers.yaml" m.ev >r.ev
	grep -q "recover_rule	0	.*markers.yaml.*'last'" r.ev
	try grep "'slot_mapping'" r.ev
	((rc == 1))
	grep -q "'sublayer'" r.ev
	TL_RULES=$MODEL tl-recover m.ev | grep -q "'sublayer'"
	printf 'schema: x\n' >bad.yaml
	try tl-recover -r bad.yaml m.ev
	expect 2 "bad.yaml:1:9: schema 'x'"
}

@test "steps: eager and graphs, Kineto and Nsight" {
	need python3
	context a -n 30 -C 1,3 -K PDD -m 2,1
	context b -n 30 -f nsys -g step -K PD
	context c -n 30 -f nsys -g layer:noid -P 2 -D 2 -E 4
	for f in a b c; do
		tl-recover -r "$STEP" $f.ev >r.ev
		tl-check r.ev
		python3 "$CHECK" steps r.ev
	done
	# 30 steps, a kernel between every fourth and its end, on each of 4
	grep -q "recover_rule	$((4 * 37))	.*scheduler_step" r.ev
	# without the rule they are folded
	tl-recover b.ev >r.ev
	try python3 "$CHECK" steps r.ev
	((rc == 1))
}

@test "steps: a link that is missing, or two for one replay" {
	context a -n 6 -g layer
	# of the 4th step, a kernel that is no member
	event=$(awk -F'\t' '$1 == "link" && $3 == 4 && $6 == "call" {
	    print $2; exit }' a.ev)
	awk -F'\t' -v e="$event" '$1 == "link" && $2 == e { next }
	    $1 == "end" { print "end\t" $2 - 1; next } { print }' a.ev >b.ev
	refused b.ev "event $event: step 'step-[0-9]': behind it the event has no link"
	# a member of the last launch said to be of step 1
	event=$(awk -F'\t' '$1 == "member" { e = $6 } END { print e }' a.ev)
	awk -F'\t' -v e="$event" 'BEGIN { OFS = FS } $1 == "link" && $2 == e {
	    $3 = 1 } { print }' a.ev >c.ev
	refused c.ev "launch '24': is of step 'step-5' and.* of step 'step-0'"
	# ambiguous
	awk -F'\t' -v e="$event" 'BEGIN { OFS = FS } $1 == "link" && $2 == e {
	    $3 = $4 = "."; $5 = "ambiguous"; $6 = "steps" } { print }' a.ev >d.ev
	refused d.ev "event $event: step 'step-[45]': behind it the event is ambiguous"
	# without a member's step
	awk -F'\t' -v e="$event" 'BEGIN { OFS = FS } $1 == "link" && $2 == e {
	    $3 = $4 = "."; $5 = "unlinked"; $6 = "outside" } { print }' a.ev >e.ev
	refused e.ev "launch '24': is of step 'step-5' and.* of step 'none'"
	try tl-recover -r "$STEP" a.ev
	expect 0
}

@test "steps: what is not enough" {
	context a -n 6 -A 5
	tl-recover -r "$STEP" a.ev >r.ev # the first calls are cut off
	tl-kineto2ev a.json >a.in
	refused a.in "partition_by 'scheduler_step': the stream has no steps"
	tl-context a.sched.jsonl <a.in >b.ev
	refused b.ev "what a scheduler alone says is not enough: none of 6"
	grep -v summary a.worker0.jsonl >w.jsonl
	tl-context a.sched.jsonl w.jsonl <a.in >b.ev
	refused b.ev "event [0-9]*: step 'step-0': its context w.jsonl is not whole .unclosed"
	# an execution in the middle whose marker is not there
	"$BUILD/gen" -J d -n 6 -o d.json
	tl-kineto2ev d.json | sed 's/traceloom.execution.p0s3x0/lost/' >d.in
	tl-context d.sched.jsonl d.worker0.jsonl <d.in >d.ev
	refused d.ev "event [0-9]*: step 'step-2': behind it the event may be of execution 'p0s3x0' .marker_not_found"
	# which of another worker does not matter
	sed -e 's/"producer_id":"worker-0"/"producer_id":"worker-1"/' \
	    -e 's/p0s/p1s/g' d.worker0.jsonl >d.worker1.jsonl
	tl-kineto2ev d.json |
	    tl-context d.sched.jsonl d.worker?.jsonl >e.ev
	[[ $(grep -c '^exec.*marker_not_found' e.ev) == 12 ]]
	tl-recover -r "$STEP" e.ev >r.ev
	# a call in the middle that is not there
	"$BUILD/gen" -J c -n 6 -o c.json
	tl-kineto2ev c.json >c.in
	tl-context c.sched.jsonl c.worker0.jsonl <c.in >c.ev
	call=$(awk -F'\t' '$1 == "link" && $3 == 3 && $6 == "call" {
	    print $7; exit }' c.ev)
	awk -F'\t' -v e="$call" '$2 == e && $1 == "api" { next }
	    $1 == "end" { $2-- ; print "end\t" $2; next } { print }' c.in |
	    tl-context c.sched.jsonl c.worker0.jsonl >d.ev
	refused d.ev "event [0-9]*: step 'step-[12]': of an event between it and step 'step-2' the call is not known"
}

@test "two records of one task, and of a collective in one" {
	need python3 sqlite3
	for seed in 1 2 3 4 5 6; do
		{
			base_sql
			python3 "$CHECK" records $seed
		} | sqlite3 $seed.db
		tl-msprof2ev -r "$TESTS/rules/pairs.yaml" $seed.db >m.ev
		tl-check m.ev
		tl-recover m.ev >r.ev
		python3 "$CHECK" counts m.ev
		python3 "$CHECK" events m.ev r.ev
	done
	grep -q '^#rules	event_reconciliation	.*pairs.yaml' m.ev
	[[ $(grep -c '^#rules	event_reconciliation' m.ev) == 1 ]]
	# without rules both are events
	sed 's/^  rules:/  rules: []/; /^    /d' "$TESTS/rules/pairs.yaml" >no.yaml
	tl-msprof2ev -r no.yaml $seed.db >m.ev
	hasnt_of m.ev
	try python3 "$CHECK" events m.ev r.ev
	((rc == 1))
}

@test "units and steps together: no unit is in two steps" {
	need python3
	python3 "$CHECK" model 1 6 4 5 >m.ev
	# a step ends after every 50 events, wherever that is
	awk 'BEGIN { FS = OFS = "\t" }
	    $1 != "end" { print; n += $1 == "task"; next }
	    {
		print "context", 1, "closed", "r", "p", 2, 0, 9, "x", "c"
		for (s = 1; s * 50 - 49 <= n; s++)
			print "step", s, 1, s, "r", "s" s, "p", s, 0, 0, ".",
			    ".", 1, 1, 50, "."
		for (s = 1; s * 50 - 49 <= n; s++)
			print "exec", s, 1, s, "r", "e" s, s, "s" s,
			    "execute_model", "returned", "emitted", ".", ".",
			    "m" s, "supported_marker", 1, ".", 1, 50
		for (i = 1; i <= n; i++) {
			s = int((i + 49) / 50)
			print "link", i, s, s, "linked", "call", ".", "."
		}
		print "end", n + 1 + 2 * int((n + 49) / 50) + n
	    }' m.ev >c.ev
	tl-check c.ev
	sed 's/^macro_matching:/&\n  partition_by: scheduler_step/' \
	    "$MODEL" >both.yaml
	tl-recover -r both.yaml c.ev >r.ev
	tl-check r.ev
	python3 "$CHECK" steps r.ev
	grep -q 'recover_rule	[1-9].*pairs lie in several steps' r.ev
	grep -q '	attention$' r.ev
}
