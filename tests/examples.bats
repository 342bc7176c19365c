#!/usr/bin/env bats
load helper

# What the examples say is compared with what Python finds in the raw capture.

setup() {
	tl_setup
	need python3
	E=$ROOT/examples
	"$BUILD/gen" -p demo -n 20 -o k.json -a k.tsv
	tl-kineto2ev k.json | tl-recover >k.ev
	gzip -kn k.ev
	# kernels of a Kineto trace in launch order, times exact
	cat >kernels.py <<-'END'
		import json
		from decimal import Decimal
		def ns(x): return int(x * 1000)
		with open("k.json") as f:
		    t = json.load(f, parse_float=Decimal, parse_int=Decimal)
		base = int(t.get("baseTimeNanoseconds", 0))
		k = [e for e in t["traceEvents"] if e.get("cat") == "kernel"]
		k.sort(key=lambda e: (int(e["args"]["correlation"]), e["ts"]))
		start = [ns(e["ts"]) for e in k]
		end = [ns(e["ts"]) + ns(e["dur"]) for e in k]
		# the step and the layer loop as the generator says
		loop = {}
		for line in open("k.tsv"):
		    c = line.rstrip("\n").split("\t")
		    if c[0] == "loop":
		        loop[c[3]] = [int(x) for x in (c[5], c[6], c[7], c[8])]
	END
}

@test "example: costliest-loops" {
	try "$E/costliest-loops.sh" k.ev.gz
	expect 0
	expect_silent
	cat kernels.py - >want.py <<-'END'
		def median(v): return sorted(v)[(len(v) - 1) // 2]
		def whole(a, n): return max(end[a:a + n]) - min(start[a:a + n])
		n, p, at, _ = loop["step"]
		begin = [min(start[at + i * p:at + (i + 1) * p]) for i in range(n)]
		print(whole(at, n * p), n, p,
		      median([b - a for a, b in zip(begin, begin[1:])]))
		m, q, first, _ = loop["layer"]
		all, periods = 0, []
		for i in range(n):
		    a = first + i * p
		    all += whole(a, m * q)
		    begin = [min(start[a + j * q:a + (j + 1) * q])
		             for j in range(m)]
		    periods += [y - x for x, y in zip(begin, begin[1:])]
		print(all, m, q, median(periods))
	END
	python3 want.py >want
	[[ -s want ]]
	awk -F '\t' 'NR > 1 { print $1, $4, $5, $6 }' "$TRY/out" | diff want - >&2
}

@test "example: slowest-iterations" {
	try "$E/slowest-iterations.sh" k.ev.gz
	expect 0
	expect_silent
	cat kernels.py - >want.py <<-'END'
		n, p, at, _ = loop["step"]
		begin = [min(start[at + i * p:at + (i + 1) * p]) for i in range(n)]
		last = [max(end[at + i * p:at + (i + 1) * p]) for i in range(n)]
		period = [(b - a, e - a, b - e, a, i + 1) for i, (a, b, e) in
		          enumerate(zip(begin, begin[1:], last))]
		period.sort(key=lambda x: (-x[0], x[4]))
		for d, s, r, a, i in period[:10]:
		    print(i, d, s, r, a)
	END
	python3 want.py >want
	[[ $(wc -l <want) == 10 ]]
	grep -q '^# .*/N002: 20 iterations, 19 of them whole' "$TRY/out"
	awk -F '\t' 'NR > 2 { print $1, $2, $3, $4, $10 }' "$TRY/out" |
	    diff want - >&2
	# another loop, by its name
	loop=$(awk -F '\t' '$1 == "pos" && $7 == "loop" { p = $3 }
	    END { print p }' k.ev)
	for name in "$loop" "0/$loop" "4242:0/$loop"; do
		try "$E/slowest-iterations.sh" k.ev "$name"
		expect 0
		[[ $(wc -l <"$TRY/out") == 12 ]]
	done
}

@test "example: slowest-iterations: what passes between two iterations" {
	# two scopes with a loop each; the one of device 1 takes most time: 3 x
	# 100 ns of 2 occurrences; N003 in it takes as much and is inside
	tr ' ' '\t' >two.ev <<-'END'
	#tl-ev 1
	pos 7:0 N001 . 1 0 root . 4 1 1 0 500 9 9 0 0 0 0 9 . . . 7:0
	pos 7:0 N002 N001 1 1 loop 2.00 2 1 1 0 500 9 9 0 0 0 0 9 250 250 250 loop
	pos 7:1 N001 . 1 0 root . 4 1 1 0 700 9 9 0 0 0 0 9 . . . 7:1
	pos 7:1 N002 N001 1 1 seq . 2 1 1 0 700 9 9 0 0 0 0 9 . . . seq
	pos 7:1 N003 N002 1 2 loop 3.00 2 2 1 0 300 9 9 0 0 0 0 9 90 100 130 loop
	occ 7:1 N003 1 N002#1 . full 1 1000 320 . 210 160 60 40 20 10 110 220
	occ 7:1 N003 2 N003#1 1 full 1 1000 70 100 50 30 20 15 10 5 20 50
	occ 7:1 N003 3 N003#1 2 full 1 1100 140 130 140 100 40 40 0 0 0 140
	occ 7:1 N003 4 N003#1 3 full 1 1230 90 . 50 30 20 20 10 0 40 50
	pos 7:1 N004 N003 1 3 loop 3.00 2 2 1 0 300 9 9 0 0 0 0 9 90 100 130 loop
	end 11
	END
	printf '%s\t' 2 130 140 -10 140 0 100 40 0 1100 'N003#3' |
	    sed 's/\t$/\n/' >want
	printf '%s\t' 1 100 70 30 50 20 30 15 5 1000 'N003#2' |
	    sed 's/\t$/\n/' >>want
	for name in '' N003 1/N003 7:1/N003; do
		try "$E/slowest-iterations.sh" two.ev $name
		expect 0
		expect_silent
		head -n 1 "$TRY/out" | grep -qx \
		    '# 7:1/N003: 3 iterations, 2 of them whole and with a next one'
		sed 1,2d "$TRY/out" | diff want - >&2
	done
	E1=$E/slowest-iterations.sh
	try "$E1" two.ev 1/N002
	expect 1 ': two.ev: 1/N002 is no loop, but of kind seq$'
	try "$E1" two.ev 0/N003
	expect 1 ': two.ev: no position 0/N003$'
	sed 's/7:0/8:1/' two.ev >four.ev
	try "$E1" four.ev N999
	expect 1 ': no position N999$'
	sed '/^pos.7:1.N002/s/seq/loop/' two.ev >both.ev
	try "$E1" both.ev N002
	expect 1 ': N002 is in several scopes: 7:0/N002 7:1/N002$'
	try "$E1" missing.ev
	expect 1 ': missing.ev: no such file$'
	for s in slowest-iterations costliest-loops kernel-time-by-stream; do
		try "$E/$s.sh" k.json
		expect 1 ": k.json: not a stream$"
	done
	tl-kineto2ev k.json >plain.ev
	try "$E1" plain.ev
	expect 1 'no recovered structure: run tl-recover$'
	sed '$d' two.ev >cut.ev
	try "$E1" cut.ev
	expect 1 'it was cut$'
}

@test "example: from a build folder that is not in PATH" {
	local path

	path=$(tr : '\n' <<<"$PATH" | grep -Fxv "$BUILD" | paste -sd :)
	mkdir -p tree/examples tree/build elsewhere captures
	cp -R "$E"/* tree/examples
	cp k.json captures
	try env PATH="$path" TL_BIN= tree/examples/stage-by-stage.sh k.json
	expect 1 'stage-by-stage.sh: no tl-kineto2ev: run make, or set TL_BIN$'
	try env PATH="$path" TL_BIN="$BUILD" tree/examples/stage-by-stage.sh k.json
	expect 0
	cp "$BUILD"/tl-* tree/build
	for s in stage-by-stage.sh:k.json slowest-iterations.sh:k.ev; do
		try env PATH="$path" tree/examples/${s%:*} ${s#*:}
		expect 0
		expect_silent
	done
	try env PATH="$path" make -s -f tree/examples/Makefile \
	    CAPTURES=captures OUT=made
	expect 0
	[[ -s made/k.tree.txt ]]
}

@test "example: kernel-time-by-stream" {
	cat kernels.py - >want.py <<-'END'
		by = {}
		for e, a, b in zip(k, start, end):
		    s = by.setdefault(int(e["args"]["stream"]), [0, 0, 0])
		    s[0] += 1
		    s[1] += b - a
		    if "nccl" in e["name"]:
		        s[2] += b - a
		for s in sorted(by, key=str):
		    print(s, *by[s])
	END
	python3 want.py >want
	[[ -s want ]]
	for f in k.ev k.ev.gz; do
		try "$E/kernel-time-by-stream.sh" $f
		expect 0
		awk -F '\t' 'NR > 1 { print $3, $4, $5, $6 }' "$TRY/out" |
		    diff want - >&2
	done
	head -n 500 k.ev >cut.ev
	for s in kernel-time-by-stream costliest-loops; do
		try bash -o pipefail "$E/$s.sh" cut.ev
		expect 1 'it was cut'
	done
}

@test "example: stage-by-stage" {
	try "$E/stage-by-stage.sh" k.json
	expect 0
	expect_silent
	cat kernels.py - >want.py <<-'END'
		n = {}
		kind = {"gpu_memcpy": "memcpy", "gpu_memset": "memset",
		        "cuda_runtime": "api", "cuda_driver": "api",
		        "kernel": "kernel", "cpu_op": "op"}
		for e in t["traceEvents"]:
		    if e.get("cat") in kind and e["ph"] == "X":
		        c = kind[e["cat"]]
		        n[c] = n.get(c, 0) + 1
		for c in sorted(n):
		    print(c, n[c], n[c], n[c])
		print("real", 0, 0, n["kernel"])
	END
	python3 want.py | LC_ALL=C sort >want
	[[ -s want ]]
	awk -F '\t' '$4 ~ /^(api|kernel|memcpy|memset|op|real)$/ {
	    print $4, $1, $2, $3 }' "$TRY/out" | LC_ALL=C sort | diff want - >&2
}

@test "example: a folder of captures by make" {
	mkdir captures
	cp k.json captures/one.json
	gzip -c k.json >captures/two.json.gz
	"$BUILD/gen" -f nsys -n 3 -o captures/three.sqlite
	try make -s -f "$E/Makefile" CAPTURES=captures OUT=made -j 2
	expect 0
	[[ $(ls -A made) == $'one.ev.gz\none.tree.txt\nthree.ev.gz\nthree.tree.txt\ntwo.ev.gz\ntwo.tree.txt' ]]
	for f in one two three; do
		gzip -dc made/$f.ev.gz | tl-tree | cmp - made/$f.tree.txt
	done
	# nothing to do, then only what changed
	try make -f "$E/Makefile" CAPTURES=captures OUT=made
	! grep -q tl- "$TRY/out" || fail 'made again'
	touch -d '+1 minute' captures/three.sqlite
	try make -n -f "$E/Makefile" CAPTURES=captures OUT=made
	grep -q tl-nsys2ev "$TRY/out"
	! grep -q tl-kineto2ev "$TRY/out"
}

@test "example: Ascend captures, files and folders" {
	mkdir captures captures/w_ascend_pt
	sqlite3 captures/four.db <"$TESTS/battery/msprof.sql"
	cp captures/four.db captures/w_ascend_pt/msprof_1.db
	cp captures/four.db captures/four.analysis.db
	try make -s -f "$E/Makefile" CAPTURES=captures OUT=made
	expect 0
	[[ $(ls -A made) == $'four.ev.gz\nfour.tree.txt\nw_ascend_pt.ev.gz\nw_ascend_pt.tree.txt' ]]
	for c in captures/four.db captures/w_ascend_pt; do
		try "$E/stage-by-stage.sh" $c
		expect 0
		n=$(tl-msprof2ev -q $c | grep -c '^task')
		[[ $(awk -F '\t' '$4 == "task" { print $1, $2, $3 }' "$TRY/out") == "$n $n $n" ]]
	done
}

@test "example: a bad capture gives nothing, -k makes the others" {
	mkdir captures
	head -c 100000 k.json >captures/bad.json
	cp k.json captures/good.json
	try make -s -k -f "$E/Makefile" CAPTURES=captures OUT=made
	((rc != 0))
	[[ $(ls -A made) == $'good.ev.gz\ngood.tree.txt' ]]
}

@test "example: usage" {
	for s in "$E"/*.sh; do
		try "$s"
		expect 2 "^usage: ${s##*/} "
	done
}

@test "example: serving-run" {
	need jq
	python3 - <<-'END'
		import json, random
		r, events, want, corr = random.Random(1), [], {}, 0
		for i in range(30):
		    t = 1000 + 1000 * i
		    if i % 3:
		        events.append({"ph": "X", "cat": "user_annotation", "pid": 1, "tid": 2, "ts": t,
		                       "dur": 900, "name": "stormlog.iteration/eng/%d" % i})
		    w = want.setdefault("eng/%d" % i if i % 3 else "none", [0, 0, 0])
		    for k in range(r.randrange(1, 5)):
		        corr += 1
		        events.append({"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 2, "ts": t + 10 + k,
		                       "dur": 1, "name": "cudaLaunchKernel", "args": {"correlation": corr}})
		        n, dur = r.randrange(1, 4), r.randrange(1, 40)
		        for m in range(n):
		            events.append({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "name": "k", "dur": dur,
		                           "ts": t + 200 * k + 50 * m, "args": {"device": 0, "stream": 7,
		                           "correlation": corr}})
		        w[0] += 1
		        w[1] += n
		        w[2] += 1000 * n * dur
		with open("s.json", "w") as f:
		    json.dump({"traceEvents": events}, f)
		rows = sorted((-v[2], k, v) for k, v in want.items() if k != "none")[:10]
		with open("want", "w") as f:
		    print("iteration records events busy_ns", file=f)
		    for _, k, v in rows + [(0, "none", want["none"])]:
		        print(k, *v, file=f)
	END
	python3 "$TESTS/oracle/import.py" artifact run.jsonl
	try "$E/serving-run.sh" run.jsonl s.json
	expect 0
	tr '\t' ' ' <"$TRY/out" | diff want - >&2
	# a second time, the same of what is there
	try "$E/serving-run.sh" run.jsonl s.json
	tr '\t' ' ' <"$TRY/out" | diff want - >&2
	try "$E/serving-run.sh" run.jsonl nowhere.json
	((rc == 1))
}
