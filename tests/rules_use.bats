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

# Envelopes whose operator starts before or after them, one with two operators,
# and an operator with its collective; nothing else.
pairs_sql() {
	base_sql
	cat <<-'END'
	INSERT INTO STRING_IDS VALUES (40, 'KERNEL_MIX_AIV'),
	    (41, 'KERNEL_MIX_AIC'), (42, 'MatmulAllReduceMc2AicpuKernel_7'),
	    (43, 'FlashAttn');
	INSERT INTO TASK VALUES
	    (1000, 2000, 0, 3, 0, 7, 40, 4294967295, 2, 1, 4294967295),
	    (1010, 1990, 0, 3, 1, 7, 40, 0, 2, 1, 4294967295),
	    (3000, 4000, 0, 4, 2, 7, 41, 4294967295, 2, 2, 4294967295),
	    (2995, 3990, 0, 4, 3, 7, 41, 0, 2, 2, 4294967295),
	    (5000, 6000, 0, 5, 4, 7, 0, 0, 2, 3, 4294967295),
	    (7000, 8000, 0, 6, 5, 7, 40, 4294967295, 2, 4, 4294967295),
	    (7000, 7400, 0, 6, 6, 7, 40, 0, 2, 4, 4294967295),
	    (7500, 7900, 0, 6, 7, 7, 40, 0, 2, 4, 4294967295);
	INSERT INTO COMPUTE_TASK_INFO VALUES (43, 1, 8, 12, 43),
	    (43, 3, 8, 12, 43), (25, 4, 8, 12, 25), (43, 6, 8, 12, 43),
	    (43, 7, 8, 12, 43);
	INSERT INTO COMMUNICATION_OP VALUES
	    (42, 5100, 5900, 99, 24, 1, 4, 256, 23);
	END
}

# rule KEY=VALUE...: r.yaml, one rule alone; keys over those of an envelope.
rule() {
	local k

	{
		printf '%s\n' 'schema: traceloom-analysis-rules-v1' \
		    'event_reconciliation:' '  mode: replace' '  rules:' \
		    '    - rule_id: r' '      priority: 1'
		for k in "$@"; do
			printf '      %s: "%s"\n' "${k%%=*}" "${k#*=}"
		done
	} >r.yaml
}

TASKS='identity_policy=same_source_ref,device,stream,raw_task_id,raw_connection_id'
MIX=(provider_scope=ascend source_domain=task generic_context_id=4294967295
    "$TASKS")
COMM=(provider_scope=ascend source_domain=task+communication_op
    generic_context_id=-1 concrete_context_id=-1)

# evidence ARG...: "place of" of what is evidence under r.yaml.
evidence() {
	tl-msprof2ev -Pqr r.yaml p.db >e.ev && tl-check e.ev || return 1
	awk -F'\t' '$12 ~ /^[TC]:/ { for (i = 13; i <= NF; i++)
	    if ($i ~ /^of=/) printf "%s %s,", $12, substr($i, 4) }' e.ev
}

@test "reconciliation: what the compiled-in rules do, and each key" {
	need sqlite3
	pairs_sql | sqlite3 p.db
	printf 'schema: traceloom-analysis-rules-v1\n' >r.yaml
	[[ $(evidence) == 'T:1 T:2,T:3 T:4,C:1 T:5,T:6 T:7,' ]]
	grep -q '^kernel	[0-9]*	1000	1000	.*	T:2	.*	own_dur=980	own_start=1010	' e.ev
	grep -q '^kernel	[0-9]*	3000	1000	.*	T:4	.*	own_dur=995	own_start=2995	' e.ev
	grep -q '^kernel	[0-9]*	7000	400	.*	T:7	' e.ev
	[[ $(grep -c own_start e.ev) == 2 ]]
	# what counts: 1 + 1 + 1 ms, and 400 + 400 ns
	tl-recover e.ev | awk -F'\t' '$1 == "pos" && $3 == "N001" { exit $14 != 3800 }'
	# one key after another
	rule "${MIX[@]}" task_type=KERNEL_MIX_AIV concrete_context_id=0 \
	    min_contained_fraction=0.99
	[[ $(evidence) == 'T:1 T:2,' ]]
	rule "${MIX[@]}" task_type=kernel-mix-aic concrete_context_id=0 \
	    min_contained_fraction=0.99
	[[ $(evidence) == 'T:3 T:4,' ]]
	rule "${MIX[@]}" task_type=KERNEL_MIX_AIC concrete_context_id=0 \
	    min_contained_fraction=0.995 # 990 of 995 ns lie within
	[[ $(evidence) == '' ]]
	rule "${MIX[@]}" task_type=KERNEL_MIX_AIV concrete_context_id=1 \
	    min_contained_fraction=0
	[[ $(evidence) == '' ]]
	rule "${MIX[@]/4294967295/7}" task_type=KERNEL_MIX_AIV \
	    concrete_context_id=0 min_contained_fraction=0
	[[ $(evidence) == '' ]]
	rule "${MIX[@]}" task_type='*' concrete_context_id='*' \
	    min_contained_fraction=1
	[[ $(evidence) == 'T:1 T:2,T:6 T:7,' ]]
	hasnt_own
	rule "${COMM[@]}" task_op_type=MatmulAllReduce \
	    communication_op_name_prefix=MatmulAllReduceMc2 \
	    min_contained_fraction=1 \
	    identity_policy=same_input,device,unique_containment
	[[ $(evidence) == 'C:1 T:5,' ]]
	sed -i 's/task_op_type.*/task_op_type: Matmul/' r.yaml
	[[ $(evidence) == '' ]]
	sed -i 's/task_op_type.*/task_op_type: "*"/' r.yaml
	[[ $(evidence) == 'C:1 T:5,' ]]
	sed -i 's/name_prefix.*/name_prefix: Mc2/' r.yaml
	[[ $(evidence) == '' ]]
	sed -i 's/name_prefix.*/name_prefix: "*"/' r.yaml
	[[ $(evidence) == 'C:1 T:5,' ]]
	sed -i 's/device,uniq/device,raw_connection_id,uniq/' r.yaml
	[[ $(evidence) == '' ]] # 99 and 5
	sqlite3 p.db 'UPDATE COMMUNICATION_OP SET connectionId = 5'
	[[ $(evidence) == 'C:1 T:5,' ]]
	sqlite3 p.db 'UPDATE COMMUNICATION_OP SET endNs = 6001'
	[[ $(evidence) == '' ]]
	sed -i 's/fraction: "1"/fraction: "0.998"/' r.yaml # 900 of 901 ns
	[[ $(evidence) == 'C:1 T:5,' ]]
	# priority: the first rule decides
	rule "${MIX[@]}" task_type='*' concrete_context_id='*' \
	    min_contained_fraction=1
	sed -i 's/^  mode.*/  mode: extend/; s/priority: 1/priority: 200/' r.yaml
	[[ $(evidence) == 'T:1 T:2,T:3 T:4,T:6 T:7,' ]]
	[[ $(grep -c 'rule=r	' e.ev) == 2 ]]
	# a rule that met nothing is told, and with -v
	rule "${MIX[@]}" task_type=NOTHING concrete_context_id=0 \
	    min_contained_fraction=0
	evidence
	grep -q "^note	warn	reconcile_rule	0	r.yaml:5: rule 'r': " e.ev
	grep -q '^rule	event_reconciliation	r	0	1	' e.ev
	try tl-msprof2ev -vr r.yaml -o /dev/null p.db
	grep -q "r.yaml:5: rule 'r': 0 records" "$TRY/err"
}

hasnt_own() {
	! grep -q own_start e.ev
}

@test "reconciliation: other captures" {
	# Ascend's view in JSON: task and envelope, operator and collective
	cat >a.json <<-'END'
	[{"name":"process_sort_index","pid":4345312,"tid":0,"ph":"M","args":{"sort_index":15}},
	{"name":"process_sort_index","pid":4345472,"tid":0,"ph":"M","args":{"sort_index":20}},
	{"ph":"X","name":"KERNEL_MIX_AIV","pid":4345312,"tid":2,"ts":"1736412474714258.000","dur":20,"args":{"Task Type":"KERNEL_MIX_AIV","Physic Stream Id":2,"Task Id":7,"Subtask Id":4294967295,"connection_id":17}},
	{"ph":"X","name":"Attn","pid":4345312,"tid":2,"ts":"1736412474714258.500","dur":19,"args":{"Task Type":"KERNEL_MIX_AIV","Physic Stream Id":2,"Task Id":7,"Subtask Id":0,"connection_id":17}},
	{"ph":"X","name":"MatmulAllReduce","pid":4345312,"tid":2,"ts":"1736412474714280.000","dur":20,"args":{"Task Type":"KERNEL_AICORE","Physic Stream Id":2,"Task Id":8,"Subtask Id":4294967295,"connection_id":18}},
	{"ph":"X","name":"MatmulAllReduceMc2AicpuKernel_1","pid":4345472,"tid":0,"ts":"1736412474714281.000","dur":10,"args":{"connection_id":19,"data_type":"FP32","alg_type":"MESH","count":256}}]
	END
	tl-kineto2ev -P a.json >a.ev
	tl-check a.ev
	grep -q '^kernel	1	1736412474714258000	20000	.*	E:2	detail=1	of=E:3	rule=ascend.task.mix-aiv.context-detail	' a.ev
	grep -q '^kernel	2	1736412474714258000	20000	.*	Attn	E:3	.*own_dur=19000	own_start=1736412474714258500	' a.ev
	grep -q '	E:5	.*detail=1	.*of=E:4	rule=ascend.task-communication.mc2-fused	' a.ev
	# no rule of the compiled-in ones is for others
	"$BUILD/gen" -n 3 -f nsys -o g.sqlite
	"$BUILD/gen" -n 3 -o g.json
	for f in "tl-nsys2ev g.sqlite" "tl-kineto2ev g.json"; do
		$f -P >one.ev
		printf '%s\n' 'schema: traceloom-analysis-rules-v1' \
		    'event_reconciliation: {mode: replace, rules: []}' >no.yaml
		$f -Pr no.yaml | grep -v -e '^#rules' -e '^rules' -e ^end >two.ev
		grep -v -e '^#rules' -e ^end one.ev | cmp - two.ev
		[[ $(grep -c event_reconciliation one.ev) == 0 ]]
	done
}

@test "reconciliation: the database has rules, counts, evidence" {
	need sqlite3
	pairs_sql | sqlite3 p.db
	cp "$TESTS/rules/pairs.yaml" p.yaml
	tail -c 1 p.yaml | od -c | grep -q '\\n'
	printf '# \\ "x" \\x41 %s' 'é' >>p.yaml # and no LF at the end
	sed -i 's/mode: replace/mode: extend/' p.yaml
	tl-msprof2ev -Pr p.yaml p.db | tl-recover -Pr "$MODEL" >r.ev
	tl-recover -Pfr "$MODEL" r.ev | cmp - r.ev
	tl-ev2db -Pfo r.db r.ev
	tl-db2ev -P r.db | cmp - r.ev
	for f in p.yaml "$MODEL"; do
		sqlite3 r.db "SELECT hex(document) FROM rules WHERE
		    origin = '$f' LIMIT 1" | xxd -r -p | cmp - "$f"
		[[ $(sqlite3 r.db "SELECT DISTINCT digest FROM rules WHERE
		    origin = '$f'") == $(sha256sum <"$f" | cut -d ' ' -f 1) ]]
	done
	[[ $(sqlite3 r.db 'SELECT of_event - event, rule FROM evidence
	    ORDER BY 2, 1' | tr '\n' ' ') == '-1|ascend.task-communication.mc2-fused 1|ascend.task.launcher 1|ascend.task.mix-aic.context-detail 1|ascend.task.mix-aiv.context-detail ' ]]
	[[ $(sqlite3 r.db "SELECT group_concat(rule || ' ' || hits, ',')
	    FROM (SELECT * FROM rule_hits WHERE stage = 'event_reconciliation'
	    ORDER BY source_line, rule)") == *'fused 0'*'mix-aic.context-detail 1'* ]]
	[[ $(sqlite3 r.db "SELECT task_type, min_contained_fraction,
	    rule_origin FROM traceloom_event_reconciliation_rule
	    WHERE rule_id = 'mix'") == 'KERNEL_MIX|0.9|p.yaml' ]]
	[[ $(sqlite3 r.db "SELECT structural_symbol
	    FROM traceloom_symbol_normalization_rule
	    WHERE rule_id = 'collective.all-reduce'") == AllReduce ]]
	[[ $(sqlite3 r.db 'SELECT count(*), count(DISTINCT decision_id),
	    sum(contributes_timing) FROM traceloom_v_event_reconciliation') \
	    == '8|4|4' ]]
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
