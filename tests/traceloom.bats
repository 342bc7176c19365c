#!/usr/bin/env bats
load helper

setup() {
	tl_setup
	"$BUILD/gen" -f kineto -n 3 -l 4 -o k.pt.trace.json.gz
	"$BUILD/gen" -f nsys -n 3 -l 4 -o n.sqlite
}

# by_hand CAPTURE CONVERTER: what the pipeline gives when written out.
by_hand() {
	"$2" -P "$1" | tl-replay -P | tl-recover -P >want.ev
	tl-tree want.ev >want.txt
}

@test "traceloom: a Kineto trace: the stream and the tree of the pipeline" {
	by_hand k.pt.trace.json.gz tl-kineto2ev
	try traceloom -P -o out k.pt.trace.json.gz
	expect 0
	expect_out want.txt
	cmp want.txt out/k.tree.txt
	gzip -dc out/k.ev.gz | cmp - want.ev
	[[ $(ls -A out) == $'k.db\nk.ev.gz\nk.timeline.json.gz\nk.tree.txt' ]]
	printf 'traceloom: wrote out/k.%s\n' ev.gz db timeline.json.gz tree.txt |
	    cmp - "$TRY/err"
	tl-perfetto -P want.ev | cmp - <(gzip -dc out/k.timeline.json.gz)
	tl-ev2db -P -o want.db want.ev
	cmp want.db out/k.db
	try traceloom -DT -P -o bare k.pt.trace.json.gz
	expect 0
	[[ $(ls -A bare) == $'k.ev.gz\nk.tree.txt' ]]
}

@test "traceloom: an Nsight export, under a name that lies" {
	by_hand n.sqlite tl-nsys2ev
	try traceloom -q -P n.sqlite
	expect 0
	expect_silent
	gzip -dc n.ev.gz | cmp - want.ev
	mv n.sqlite odd.json
	try traceloom -q -P -o out odd.json
	expect 0
	[[ -s out/odd.ev.gz ]]
}

@test "traceloom: the same capture gives the same bytes" {
	try traceloom -q -o a k.pt.trace.json.gz
	sleep 1
	try traceloom -q -o b k.pt.trace.json.gz
	cmp a/k.ev.gz b/k.ev.gz
	cmp a/k.tree.txt b/k.tree.txt
	cmp a/k.timeline.json.gz b/k.timeline.json.gz
	cmp a/k.db b/k.db
}

@test "traceloom: a stream is recovered once, then only shown" {
	tl-kineto2ev k.pt.trace.json.gz >k.ev
	try traceloom -q -o out k.ev
	expect 0
	mv out/k.ev.gz k2.ev.gz
	cksum k2.ev.gz >before
	try traceloom -q k2.ev.gz
	expect 0
	expect_out out/k.tree.txt
	cksum k2.ev.gz | cmp - before
	[[ ! -e k2.tree.ev.gz ]]
	# not written over itself
	gzip -n k.ev
	try traceloom k.ev.gz
	expect 1 "^traceloom: ./k.ev.gz: output: is a folder or the input$"
}

@test "traceloom: -n writes nothing, and what it prints does the same" {
	try traceloom -q -n -P -o 'my out' k.pt.trace.json.gz n.sqlite
	expect 0
	expect_silent
	[[ ! -e 'my out' ]]
	[[ $(head -n 1 "$TRY/out") == "mkdir -p 'my out'" ]]
	[[ $(grep -c mkdir "$TRY/out") == 1 ]]
	sh -e "$TRY/out"
	try traceloom -q -P -o real k.pt.trace.json.gz n.sqlite
	diff -r real 'my out'
}

@test "traceloom: names with spaces, quotes, newlines, dollars and dashes" {
	local odd=$'a b\'c"d$(touch oops)\ne;f\\\\n*'

	mkdir "$odd"
	cp k.pt.trace.json.gz "$odd/$odd.json.gz"
	cp n.sqlite ./-n.sqlite
	try traceloom -q -o "$odd/out" "$odd/$odd.json.gz"
	expect 0
	expect_silent
	[[ -s "$odd/out/$odd.ev.gz" && -s "$odd/out/$odd.tree.txt" ]]
	rm -r "$odd/out"
	try traceloom -n -o "$odd/out" "$odd/$odd.json.gz"
	sh -e "$TRY/out"
	[[ -s "$odd/out/$odd.ev.gz" && -s "$odd/out/$odd.tree.txt" ]]
	try traceloom -q -o -out -- -n.sqlite
	expect 0
	[[ -s ./-out/-n.ev.gz ]]
	[[ ! -e oops ]]
}

@test "traceloom: outputs that begin with a dash, names that end in a newline" {
	mkdir $'at\n'
	cp n.sqlite $'at\n/n\n'
	try traceloom -q $'at\n/n\n' --output ./-a.db --perfetto-out ./-t.json \
	    --loop-tree-out $'at\n/tree\n'
	expect 0
	expect_silent
	[[ -s ./-a.db && -s ./-t.json && -s $'at\n/tree\n' ]]
	try traceloom -q -o $'at\n' -- $'at\n/n\n'
	expect 0
	[[ -s $'at\n/n\n.db' ]]
	[[ $(find . -name at) == '' ]]
}

@test "traceloom: one bad capture does not stop the others" {
	echo no >bad.json
	mkdir folder
	: >empty
	try traceloom -q bad.json folder empty missing k.pt.trace.json.gz
	expect 1
	grep -q '^traceloom: folder: .*is a folder without a capture' "$TRY/err"
	grep -q '^traceloom: empty: is empty$' "$TRY/err"
	grep -q '^traceloom: missing: no such file$' "$TRY/err"
	grep -q '^traceloom: bad.json: tl-kineto2ev: bad.json: ' "$TRY/err"
	(($(wc -l <"$TRY/err") == 4))
	cmp k.tree.txt "$TRY/out"
	[[ ! -e bad.ev.gz && ! -e bad.tree.txt ]]
}

@test "traceloom: the reason is that of the program that failed, -v or not" {
	# launches, and nothing on a device
	gzip -dc k.pt.trace.json.gz | python3 -c '
import json, sys
t = json.load(sys.stdin)
t["traceEvents"] = [e for e in t["traceEvents"]
                    if e.get("cat") in ("cuda_runtime", "cpu_op")]
json.dump(t, open("none.json", "w"))'
	for v in '' -v; do
		try traceloom $v none.json
		expect 1
		tail -n 1 "$TRY/err" | grep -Eq \
		    '^traceloom: none.json: tl-recover: .*: no device events: [0-9]+ calls'
	done
	echo no >bad.json
	try traceloom -v bad.json
	expect 1
	tail -n 1 "$TRY/err" |
	    grep -q '^traceloom: bad.json: tl-kineto2ev: bad.json: '
	# a stream that is refused, without a pipe
	printf '#tl-ev\t1\n#prog\ttl-recover\nend\t0\n' >s.ev
	try traceloom s.ev
	expect 1 '^traceloom: s.ev: tl-tree: s.ev: no recovered structure'
}

@test "traceloom: a broken capture leaves the old files, -k keeps what it can" {
	gzip -dc k.pt.trace.json.gz >whole.json
	try traceloom -q -o out whole.json
	cp -R out old
	head -c $(($(wc -c <whole.json) * 2 / 3)) whole.json >cut
	mv cut whole.json
	try traceloom -q -o out whole.json
	expect 1
	diff -r old out
	try traceloom -q -k -o out whole.json
	expect 1
	grep -q 'error: ' out/whole.tree.txt
	gzip -dc out/whole.ev.gz | tail -n 1 | grep -q '^end'
}

@test "traceloom: two captures of one name" {
	mkdir b
	cp n.sqlite b/n.sqlite
	try traceloom -q -o out n.sqlite b/n.sqlite
	expect 1 "^traceloom: b/n.sqlite: would write out/n.ev.gz again$"
}

@test "traceloom: every stage's failure is seen" {
	mkdir bin
	cp "$BUILD"/tl-* "$BUILD/traceloom" bin
	for tool in tl-kineto2ev tl-replay tl-recover tl-perfetto tl-ev2db \
	    tl-tree; do
		printf '#!/bin/sh\ncat\nexit 1\n' >bin/$tool
		chmod +x bin/$tool
		try bin/traceloom -o out k.pt.trace.json.gz
		expect 1
		[[ ! -e out/k.ev.gz && -z $(ls -A out) ]]
		cp "$BUILD/$tool" bin
	done
	printf '#!/bin/sh\n"%s" "$@"; exit 1\n' "$BUILD/tl-kineto2ev" \
	    >bin/tl-kineto2ev
	try bin/traceloom -o out k.pt.trace.json.gz
	expect 1
	[[ -z $(ls -A out) ]]
	printf '#!/bin/sh\nkill -9 $$\n' >bin/tl-recover
	try bin/traceloom -o out k.pt.trace.json.gz
	expect 1
	[[ -z $(ls -A out) ]]
}

@test "traceloom: outputs that cannot be written" {
	[[ -w /dev/full ]] || skip 'no /dev/full'
	try_sh 'traceloom -q k.pt.trace.json.gz >/dev/full'
	expect 1
	try_sh 'traceloom -q k.pt.trace.json.gz >&-'
	expect 1
	mkdir -p out/k.ev.gz
	try traceloom -q -o out k.pt.trace.json.gz
	expect 1 '^traceloom: out/k.ev.gz: output: is a folder or the input$'
	: >file
	try traceloom -q -o file k.pt.trace.json.gz
	expect 1
}

@test "traceloom: other formats, and wrong usage" {
	tl-kineto2ev -P k.pt.trace.json.gz | tl-replay -P | tl-recover -P >k.ev
	for f in md tsv; do
		tl-tree -F $f -q k.ev >want
		try traceloom -q -F $f -o out k.pt.trace.json.gz
		expect 0
		expect_out want
		cmp want out/k.tree.$f
	done
	for wrong in -Z '-F json' '-o' '' "-o '' x"; do
		try_sh "traceloom $wrong"
		expect 2
		grep -q '^usage: traceloom ' "$TRY/err"
	done
	echo 'a: [' >bad.yaml
	try traceloom -q -r bad.yaml k.pt.trace.json.gz
	expect 2
	for h in -h --help; do
		try traceloom $h
		expect 0
		expect_silent
		grep -q '^usage: traceloom ' "$TRY/out"
	done
	try_sh 'traceloom -V; traceloom --version; tl-tree -V | sed s/tl-tree/traceloom/'
	[[ $(sort -u "$TRY/out" | wc -l) == 1 ]]
}

@test "traceloom: as other shells run it" {
	for sh in dash busybox ksh mksh zsh bash; do
		command -v $sh >/dev/null || continue
		run_it="$sh"
		[[ $sh != busybox ]] || run_it='busybox sh'
		try $run_it "$BUILD/traceloom" -q -o "out $sh" n.sqlite
		expect 0
		expect_silent
		[[ -s "out $sh/n.ev.gz" ]]
		try $run_it "$BUILD/traceloom" n.sqlite --output "x $sh/a.db" \
		    --loop-tree-out=- --perfetto-out "x $sh/t.json.gz"
		expect 0
		tail -n +1 "$TRY/out" | grep -q '^# Loops of '
		try $run_it "$BUILD/traceloom" export-perfetto "x $sh/a.db" \
		    --output "x $sh/t.json"
		expect 0
		gzip -dc "x $sh/t.json.gz" | cmp - "x $sh/t.json"
	done
}

# long RC ARGUMENT...: what it says must be one line, if it fails.
long() {
	try traceloom "${@:2}"
	if (($1 == 0)); then
		expect 0
	else
		expect "$1" "^traceloom: "
	fi
}

@test "traceloom: the long form: a database, a timeline, a tree" {
	tl-nsys2ev n.sqlite | tl-replay | tl-recover >want.ev
	tl-ev2db -P -o want.db want.ev
	tl-perfetto -P -o want.json want.ev
	tl-tree -F md -o want.md want.ev
	long 0 n.sqlite --output a.db
	[[ ! -s $TRY/out && $(<"$TRY/err") == 'traceloom: wrote a.db' ]]
	cmp want.db a.db
	# options before and behind, folders that are not there yet
	long 0 --output new/er/a.db n.sqlite --perfetto-out p/t.json \
	    --loop-tree-out=m/t.md --threads 3
	[[ ! -s $TRY/out ]]
	printf 'traceloom: wrote %s\n' new/er/a.db p/t.json m/t.md |
	    cmp - "$TRY/err"
	cmp want.db new/er/a.db
	cmp want.json p/t.json
	cmp want.md m/t.md
	[[ $(find new p m -type f | wc -l) == 3 ]]
	# compressed by its name, the tree on standard output, the default name
	long 0 n.sqlite --perfetto-out t.json.gz --loop-tree-out -
	expect_out want.md
	gzip -dc t.json.gz | cmp - want.json
	cmp want.db analysis.db
	long 0 analyze -o there n.sqlite --threads=0
	cmp want.db there/analysis.db
	# what an earlier run wrote is replaced
	long 0 n.sqlite --output a.db --perfetto-out t.json.gz \
	    --loop-tree-out m/t.md
	[[ -z $(find . -name '.traceloom*') ]]
}

@test "traceloom: the long form: the order of kernels" {
	for o in 'device start' 'host-launch launch'; do
		tl-nsys2ev n.sqlite | tl-replay | tl-recover -O "${o#* }" |
		    tl-ev2db -P -o want.db
		long 0 n.sqlite --structural-order "${o% *}" --output a.db
		cmp want.db a.db
	done
	# a stream is recovered anew then, and else it is not
	tl-nsys2ev -P n.sqlite | tl-replay -P | tl-recover >s.ev
	tl-ev2db -P -o want.db s.ev
	long 0 s.ev --output a.db
	cmp want.db a.db
	tl-replay -f s.ev | tl-recover -f -O start | tl-ev2db -P -o want.db
	long 0 s.ev --output a.db --structural-order device
	cmp want.db a.db
	try traceloom n.sqlite --structural-order guess
	expect 2
	head -n 1 "$TRY/err" | grep -q "'--structural-order': bad order guess:"
}

@test "traceloom: the long form: rules, context" {
	cp "$TESTS/rules/base.yaml" r.yaml
	long 0 -q n.sqlite --rules-config r.yaml --output a.db
	tl-db2ev a.db | grep -q '^#rules.*r\.yaml$'
	echo 'a: [' >bad.yaml
	long 2 n.sqlite --rules-config bad.yaml --output b.db
	[[ ! -e b.db ]]
	cp r.yaml keep
	long 1 n.sqlite --rules-config r.yaml --output r.yaml
	cmp keep r.yaml
	echo '{}' >c.jsonl
	long 1 n.sqlite --context c.jsonl --output c.jsonl
	[[ $(<c.jsonl) == '{}' ]]
	if [[ -x $BUILD/tl-context ]]; then
		"$BUILD/gen" -f nsys -n 4 -l 3 -J c -o s.sqlite
		tl-nsys2ev s.sqlite | tl-replay |
		    tl-context c.sched.jsonl c.worker0.jsonl | tl-recover |
		    tl-ev2db -P -o want.db
		long 0 s.sqlite --context c.sched.jsonl \
		    --context=c.worker0.jsonl --output b.db
		cmp want.db b.db
		[[ $(tl-query b.db @steps | wc -l) == 5 ]]
	else
		long 1 n.sqlite --context c.jsonl --output b.db
		grep -q "'--context': needs tl-context, which is not" "$TRY/err"
		[[ ! -e b.db ]]
	fi
}

@test "traceloom: only what traceloom wrote is replaced, or with -f" {
	local f

	echo mine >mine
	printf '{"traceEvents":[]}' >other.json
	sqlite3 other.db 'CREATE TABLE t(a)'
	cp n.sqlite keep
	ln -s n.sqlite link
	ln n.sqlite hard
	mkdir folder
	for f in mine other.db n.sqlite link hard folder; do
		long 1 n.sqlite --output $f
	done
	for f in mine other.json n.sqlite link hard folder; do
		long 1 n.sqlite --perfetto-out $f
		long 1 n.sqlite --loop-tree-out $f
	done
	cmp keep n.sqlite
	[[ $(<mine) == mine && -d folder && ! -e analysis.db ]]
	# the own form's database, too
	cp other.db n.db
	long 1 n.sqlite
	grep -q '^traceloom: ./n.db: output: is there, and no file of' "$TRY/err"
	cmp other.db n.db
	[[ ! -e n.ev.gz && ! -e n.tree.txt ]]
	long 0 -q -D n.sqlite
	long 0 -q -f n.sqlite
	tl-query n.db @about
	# nothing in it, nothing lost
	: >empty
	long 0 -q n.sqlite --output empty
	long 0 -qf n.sqlite --output mine --perfetto-out other.json
	tl-query mine @about
	# one file is not two
	try traceloom n.sqlite --output x --perfetto-out x
	expect 2
	try traceloom n.sqlite --loop-tree-out x --perfetto-out x
	expect 2
}

@test "traceloom: a capture that is called as its database would be" {
	cp n.sqlite x.db
	long 0 -q x.db
	cmp n.sqlite x.db
	tl-query x.analysis.db @about
	# and the database itself is none
	long 1 x.analysis.db
	grep -q 'is an analysis database' "$TRY/err"
}

@test "traceloom: export-perfetto" {
	tl-nsys2ev n.sqlite | tl-replay | tl-recover >want.ev
	tl-ev2db -P -o a.db want.ev
	tl-perfetto -P -o want.json want.ev
	mkdir r
	mv a.db r
	chmod a-w r
	long 0 export-perfetto r/a.db --output t.json
	[[ $(<"$TRY/err") == 'traceloom: wrote t.json' ]]
	cmp want.json t.json
	long 0 export-perfetto --output=t.json.gz r/a.db
	gzip -dc t.json.gz | cmp - want.json
	long 0 export-perfetto r/a.db
	gzip -dc a.timeline.json.gz | cmp - want.json
	try traceloom export-perfetto -n r/a.db --output 'n n.json'
	sh -e "$TRY/out"
	cmp want.json 'n n.json'
	cp r/a.db b.db
	long 1 export-perfetto b.db --output b.db
	cmp r/a.db b.db
	long 1 export-perfetto n.sqlite --output x.json
	grep -q 'tl-db2ev: n.sqlite: ' "$TRY/err"
	long 1 export-perfetto none.db --output x.json
	head -c 20000 r/a.db >cut.db
	long 1 export-perfetto cut.db --output x.json
	[[ ! -e x.json ]]
	echo old >x.json
	long 1 export-perfetto r/a.db --output x.json
	[[ $(<x.json) == old ]]
	[[ -z $(find . -name '.traceloom*') ]]
}

@test "traceloom: the long form: -n, and names that need quotes" {
	local odd=$'a b\'c"d$(touch oops)\ne'

	try traceloom -n n.sqlite --output "$odd/a.db" \
	    --perfetto-out "$odd/t.json" --loop-tree-out "$odd/t.md"
	expect 0
	expect_silent
	[[ ! -e $odd ]]
	sh -e "$TRY/out"
	mv "$odd" want
	long 0 n.sqlite --output "$odd/a.db" \
	    --perfetto-out "$odd/t.json" --loop-tree-out "$odd/t.md"
	diff -r want "$odd"
	[[ ! -e oops ]]
}

@test "traceloom: the long form: nothing is half done" {
	local tool

	long 0 -q n.sqlite --output a.db --perfetto-out t.json \
	    --loop-tree-out t.md
	mkdir bin
	cp "$BUILD"/tl-* "$BUILD/traceloom" bin
	for tool in tl-nsys2ev tl-replay tl-recover tl-ev2db tl-db2ev \
	    tl-perfetto tl-tree; do
		cksum a.db t.json t.md >before
		printf '#!/bin/sh\ncat >/dev/null\necho "%s: x: no" >&2\nexit 1\n' \
		    "$tool" >bin/$tool
		try timeout 60 bin/traceloom n.sqlite --output a.db \
		    --perfetto-out t.json --loop-tree-out t.md </dev/null
		expect 1 '^traceloom: n.sqlite: tl-'
		cksum a.db t.json t.md | cmp - before
		[[ -z $(find . -name '.traceloom*') ]]
		cp "$BUILD/$tool" bin
	done
	[[ -w /dev/full ]] || return 0
	try_sh 'traceloom -q n.sqlite --output a.db --loop-tree-out - >/dev/full'
	expect 1
}

@test "traceloom: the long form: wrong usage" {
	local wrong

	for wrong in '--output' '--output= n.sqlite' '--output - n.sqlite' \
	    '--perfetto-out - n.sqlite' 'n.sqlite --threads x' \
	    'n.sqlite --threads -1' 'n.sqlite --nonsense' \
	    'n.sqlite n.sqlite --output a.db' '--output a.db' \
	    '-F md n.sqlite --output a.db' '-T n.sqlite --output a.db' \
	    'export-perfetto' 'export-perfetto a.db b.db' \
	    'export-perfetto a.db --threads 1 --context c' \
	    'export-perfetto a.db --perfetto-out c'; do
		try_sh "traceloom $wrong"
		expect 2
		[[ $(wc -l <"$TRY/err") == 2 ]]
		[[ $(tail -n 1 "$TRY/err") == 'usage: traceloom '* ]]
	done
	[[ $(ls) == $'k.pt.trace.json.gz\nn.sqlite' ]]
}

@test "README: the sample is what make demo prints" {
	"$BUILD/gen" -p demo -o demo.pt.trace.json.gz
	try traceloom -o out demo.pt.trace.json.gz
	sed -n '/^```$/,/^```$/p' "$ROOT/README.md" |
	    grep -v -e '^```' -e '^\.\.\.$' -e '(kineto), rank' >sample
	(($(wc -l <sample) > 20))
	grep -Fxvf "$TRY/out" sample >&2 && fail 'lines that it does not print'
	# and in this order
	grep -Fxf sample "$TRY/out" | grep -v '^$' >printed
	grep -v '^$' sample | cmp - printed
}

@test "an output that is the capture by another name is refused" {
	mkdir o a
	cp "$TESTS/battery/kineto.json" o/k.json
	cp o/k.json keep
	ln -s k.json o/k.tree.txt
	try traceloom -o o o/k.json
	expect 1 "output: is a folder or the input"
	cmp keep o/k.json
	rm o/k.tree.txt
	ln o/k.json o/k.timeline.json.gz
	try traceloom -o o o/k.json
	expect 1 "output: is a folder or the input"
	cmp keep o/k.json
	gzip -c "$TESTS/battery/plain.ev" >o/m.ev.gz
	cp o/m.ev.gz keep
	ln -s ../o/m.ev.gz a/m.ev.gz
	try traceloom -o o a/m.ev.gz
	expect 1 "output: is a folder or the input"
	cmp keep o/m.ev.gz
}

@test "a pipe is refused, not waited for" {
	mkfifo p
	try timeout 10 traceloom -o o p
	expect 1 "is no plain file"
}

@test "a message is one line, whatever the name" {
	try traceloom $'no\nsuch\033file'
	expect 1 "no such file"
}

@test "a reader that goes away leaves nothing half done" {
	for i in 1 2 3; do
		cp "$TESTS/battery/kineto.json" "b$i.json"
	done
	traceloom -q -o o b1.json b2.json b3.json 2>err | true
	[[ -z $(find o -name '.*' -type f) ]]
	[[ ! -s err ]]
}

@test "traceloom: -a imports all captures into an artifact, once" {
	need python3 jq
	"$BUILD/gen" -p demo -o a.json
	"$BUILD/gen" -p demo -n 12 -o b.json
	python3 "$TESTS/oracle/import.py" artifact run.jsonl
	try traceloom -q -T -o out -n -a 'run.jsonl' a.json b.json
	expect 0
	tail -n 1 "$TRY/out" | grep -qx '.*tl-import -k -q -a run.jsonl out/a.ev.gz out/b.ev.gz'
	[[ $(wc -l <run.jsonl) == 1 ]]
	try traceloom -q -T -o out -a run.jsonl a.json nowhere.json b.json
	((rc == 1))
	[[ $(jq -c 'select(.component == "trace_collector") | .metadata.summary.traces |
	    map(.path | split("/") | last)' run.jsonl) == '["a.json","b.json"]' ]]
	cp run.jsonl once
	try traceloom -T -o out -a run.jsonl b.json
	expect 0
	grep -q 'b.json: skipped: is imported already' "$TRY/err"
	cmp once run.jsonl
	try traceloom -q -T -o out -a none.jsonl b.json
	((rc == 1))
	grep -q 'tl-import: none.jsonl: open: No such file' "$TRY/err"
}
