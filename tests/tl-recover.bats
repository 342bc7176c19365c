load helper

# Streams of many kinds against the rules, restated in brute force.
against_findings() {
	local seed pipe=$1

	streams mkstream "$2" "$3"
	for ((seed = $2; seed <= $3; seed++)); do
		bash -o pipefail -c "$pipe" <"$seed.ev" >"$seed.out" ||
		    fail "seed $seed: status $?" || return 1
		echo "${*:4} <$seed.out" >>runs
	done
	tl-check ./*.out || return 1
	python3 "$TESTS/batch.py" "$TESTS/oracle/findings.py" <runs >&2
}

@test "order, members, windows and costs are those of the rules" {
	against_findings "tl-recover -P" 1 40
}

@test "the same with replays" {
	against_findings "tl-replay -P | tl-recover -P" 41 80
}

@test "the same in order of device start" {
	against_findings "tl-recover -P -O start" 81 100 -s
}

# generated OPTION...: an export made by gen with its answer, recovered.
generated() {
	gen -f nsys -o a.sqlite -a a.tsv "$@" || return 1
	tl-nsys2ev a.sqlite | tl-recover | tl-tree -q -F tsv >tree.tsv
	python3 "$TESTS/answer.py" a.tsv tree.tsv || fail "gen $*"
}

@test "generated: steps, layers, streams, jitter, cut ends" {
	for s in 1 2 4 8; do
		generated -s "$s" -n 12 -l 6 -k 9 -j 30 -H 13 -T 5 -C 0,3 -Z 0,2
		generated -s "$s" -n 7 -l 36 -k 15 -c 1,1 -A 20 -i 1
		generated -s "$s" -n 9 -l 4 -k 8 -t 2 -D 2
	done
}

@test "generated: presets" {
	for p in demo train decode mixed; do
		generated -p $p
	done
}

@test "generated: kinds of steps, extra kernels, micro-batches" {
	generated -K DDP -n 30
	generated -K DP -n 30
	generated -E 10 -n 40
	generated -m 4,2 -n 8
	generated -u 80 -n 10 -k 12
	generated -e 0,0 -n 10
	generated -P 2s -n 10
	generated -P 2 -D 2 -n 6
	generated -z 30 -n 8
	generated -x overlap=20 -n 8
}

@test "generated: all kernels equal are one loop" {
	generated -M equal -N 3
	generated -M equal -N 1000
}

@test "generated: random kernels give no loop" {
	for k in 2 5 20 100; do
		for r in 1 2 3; do
			generated -M "random:$k" -N 3000 -R "$r"
		done
	done
}

@test "generated: graph launches, members in launch order" {
	generated -g step:id -n 12
	generated -g layer:noid -n 12
	generated -g step:trace -n 12
}

@test "captures: times of every device, to the nanosecond" {
	need_captures
	[[ -e $TRACES/../facts/totals.tsv ]] || skip "no facts beside the captures: $TRACES/../facts/totals.tsv"
	python3 "$TESTS/truth.py" totals "$BUILD" "$TRACES" "$TRACES/../facts"
}

@test "captures: the loops that a brute-force search finds" {
	need_captures
	[[ -e $TRACES/../facts/loops.tsv ]] || skip "no facts beside the captures: $TRACES/../facts/loops.tsv"
	python3 "$TESTS/truth.py" loops "$BUILD" "$TRACES" "$TRACES/../facts"
}

@test "captures: the same loops with replays as members" {
	need_captures
	[[ -e $TRACES/../facts/loops.tsv ]] || skip "no facts beside the captures: $TRACES/../facts/loops.tsv"
	python3 "$TESTS/truth.py" replays "$BUILD" "$TRACES" "$TRACES/../facts"
}

@test "already recovered: refused, and done again with -f to the same bytes" {
	python3 "$TESTS/oracle/mkstream.py" 3 | tl-recover -P >one.ev
	try tl-recover one.ev
	expect 1 "record 'pos': already recovered"
	tl-recover -P -f one.ev >two.ev
	cmp one.ev two.ev
}

@test "no device events: a line and status 1, not an empty tree" {
	printf '#tl-ev\t1\nmark\t1\t0\t.\t7\t.\t.\t7\t.\thost\tm\tE:0\nend\t1\n' >m.ev
	try tl-recover m.ev
	expect 1 "m.ev: no device events"
}

@test "events that come after tl-replay's records are refused" {
	python3 "$TESTS/oracle/mkstream.py" 41 | tl-replay -P >r.ev
	grep -q '^member' r.ev
	{ grep -v '^end' r.ev; grep '^kernel' r.ev | tail -n 1; } >s.ev
	printf 'end\t%d\n' "$(grep -vc '^#' s.ev)" >>s.ev
	try tl-recover s.ev
	expect 1 "comes after the records of tl-replay"
}

# kernels ID...: a stream of kernels a b c a b c ..., 10 ns apart, with these
# correlation ids.
kernels() {
	local i=0 id

	printf '#tl-ev\t1\n'
	for id; do
		printf 'kernel\t%d\t%d\t5\t1\t0\t1\t7\t%s\tcompute\t%s\tE:%d\n' \
		    $((i + 1)) $((i * 10)) "$id" "$(cut -c $((i % 3 + 1)) <<<abc)" $i
		i=$((i + 1))
	done
	printf 'end\t%d\n' $i
}

@test "ids of 32 bits that begin anew are counted on" {
	kernels 4294967290 4294967291 4294967292 4294967293 4294967294 \
	    4294967295 1 2 3 4 5 6 | tl-recover -P >w.ev
	[[ $(grep '^real' w.ev | cut -f2 | tr '\n' ' ') == "1 2 3 4 5 6 7 8 9 10 11 12 " ]]
	# out of order on the device, across the end of the ids
	kernels 4294967294 1 4294967295 2 3 4 | tl-recover -P >w.ev
	[[ $(grep '^real' w.ev | cut -f2 | tr '\n' ' ') == "1 3 2 4 5 6 " ]]
}

@test "two scopes of one name are refused" {
	printf '#tl-ev\t1\nkernel\t1\t0\t5\t1:2\t3\t1\t7\t1\tcompute\ta\tE:0\n' >c.ev
	printf 'kernel\t2\t9\t5\t1\t2:3\t1\t7\t2\tcompute\ta\tE:1\nend\t2\n' >>c.ev
	try tl-recover c.ev
	expect 1 "scope '1:2:3': two processes and devices have this name"
}

@test "times of a device that are too far apart for 64 bits are refused" {
	printf '#tl-ev\t1\nkernel\t1\t-9223372036854775808\t0\t1\t0\t1\t7\t1\tcompute\ta\tE:0\n' >c.ev
	printf 'kernel\t2\t9\t5\t1\t0\t1\t7\t2\tcompute\ta\tE:1\nend\t2\n' >>c.ev
	try tl-recover c.ev
	expect 1 "more than 64 bits of nanoseconds apart"
}

@test "40,000 different graphs take no time that grows with their square" {
	[[ ${TL_VARIANT:-} == "" ]] || skip "a plain build only"
	python3 - >u.ev <<-'END'
	n = 40000
	print("#tl-ev\t1")
	for i in range(n):
	    for k in range(3):
	        print("kernel\t%d\t%d\t3\t1\t0\t1\t7\t%d\tcompute\tk%d_%d\tE:%d" %
	              (3 * i + k + 1, 100 * i + 5 * k, i + 1, i, k, 3 * i + k))
	for i in range(n):
	    print("unit\t%d\tg%d\t1\t3\t1" % (i + 1, i))
	for i in range(n):
	    print("launch\t%d\t.\t1\t0\t1\t%d\t13\t%d\torphan\t3\t0\t.\tx\t.\t.\t." %
	          (i + 1, 100 * i, i + 1))
	    for k in range(3):
	        print("member\t%d\t%d\t0\t%d\t%d" % (i + 1, i + 1, k, 3 * i + k + 1))
	print("end\t%d" % (8 * n))
	END
	# with the square of them it was 12 seconds; it is 0.3
	timeout 10 tl-recover -P -o r.ev u.ev
	[[ $(grep -c '^real' r.ev) == 120000 ]]
}
