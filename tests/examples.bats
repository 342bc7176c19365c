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
		print(whole(at, n * p), "%d.00" % n, p,
		      median([b - a for a, b in zip(begin, begin[1:])]))
		m, q, first, _ = loop["layer"]
		all, periods = 0, []
		for i in range(n):
		    a = first + i * p
		    all += whole(a, m * q)
		    begin = [min(start[a + j * q:a + (j + 1) * q])
		             for j in range(m)]
		    periods += [y - x for x, y in zip(begin, begin[1:])]
		print(all, "%d.00" % m, q, median(periods))
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
		period = [(b - a, i + 1) for i, (a, b) in
		          enumerate(zip(begin, begin[1:]))]
		period.sort(key=lambda x: (-x[0], x[1]))
		for d, i in period[:10]:
		    print(i, d)
	END
	python3 want.py >want
	[[ -s want ]]
	[[ $(wc -l <want) == 10 ]]
	awk -F '\t' 'NR > 1 { print $1, $2 }' "$TRY/out" | diff want - >&2
	# another loop, by its name; one that is not there
	loop=$(awk -F '\t' '$1 == "pos" && $7 == "loop" { p = $3 }
	    END { print p }' k.ev)
	try "$E/slowest-iterations.sh" k.ev "$loop"
	expect 0
	[[ $(wc -l <"$TRY/out") == 11 ]]
	try "$E/slowest-iterations.sh" k.ev N999
	expect 1 'no such loop'
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
