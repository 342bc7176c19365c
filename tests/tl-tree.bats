#!/usr/bin/env bats
load helper

# A recovered stream of ten steps of 24 layers, in run.ev.
recovered() {
	"$BUILD/gen" -f kineto -p demo -o t.json -a t.tsv
	tl-kineto2ev -P t.json >plain.ev
	tl-recover -P plain.ev >run.ev
}

@test "tl-tree: times, parts, shares and folds of random trees" {
	need python3
	try python3 "$TESTS/oracle/tree.py" {1..40}
	expect 0
	expect_silent
}

@test "tl-tree: tsv is the pos records, by awk" {
	recovered
	awk 'BEGIN { FS = OFS = "\t" } $1 == "pos" {
		print $2, $3, $4, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
		    $16, $17, $18, $20, $21, $22, $23, $24, $19, $5
	}' run.ev >want
	try tl-tree -F tsv run.ev
	expect 0
	expect_silent
	[[ $(head -n 1 "$TRY/out") == '#scope'* ]]
	sed 1d "$TRY/out" | diff want - >&2
	# and the columns are those that the first line names
	awk -F '\t' 'NR == 1 { n = NF } NF != n { exit 1 }' "$TRY/out"
	awk -F '\t' '$5 == "loop" { print $6, $7 }' "$TRY/out" >loops
	# what the generator says of its loops: iterations and period
	awk -F '\t' '$1 == "loop" { print $6 ".00", $7 }' t.tsv >truth
	diff truth loops >&2
}

@test "tl-tree: the root's line has the generator's totals" {
	recovered
	try tl-tree -F tsv run.ev
	awk -F '\t' '$1 == "scope" { OFS = FS
		print $11, $12, $13, $14, $15, $16, $17, $18 }' t.tsv >truth
	awk -F '\t' '$5 == "root" { OFS = FS
		print $11, $12, $13, $14, $15, $16, $22, $17 }' "$TRY/out" >got
	diff truth got >&2
}

@test "tl-tree: same bytes from a file, a pipe and a compressed file" {
	recovered
	for f in text md tsv; do
		tl-tree -F $f run.ev >one
		try_sh "cat run.ev | tl-tree -F $f -"
		expect 0
		expect_out one
		try_sh "gzip -c run.ev | tl-tree -F $f"
		expect 0
		expect_out one
	done
}

@test "tl-tree: a converter's stream has no structure, a cut one no tree" {
	recovered
	try tl-tree plain.ev
	expect 1 '^tl-tree: plain.ev: no recovered structure: run tl-recover$'
	[[ ! -s $TRY/out ]]
	head -n -1 run.ev >cut.ev
	for f in text md tsv; do
		try tl-tree -F $f cut.ev
		expect 1 'without an end record'
		[[ ! -s $TRY/out ]]
	done
	try tl-tree -t cut.ev
	expect 0
	grep -q 'warn: the stream ended without a right end record' "$TRY/out"
}

@test "tl-tree: a capture is told to be one" {
	local says="^tl-tree: [^ ]+:1: first line '.*': not a stream, but a trace in JSON: tl-kineto2ev reads it\$"

	printf '{"traceEvents": []}\n' >one.json
	printf '\n\n  {\n"traceEvents": []}\n' >late.json
	printf '[{}]' >array.json
	printf '\xef\xbb\xbf{\r\n}\r\n' >bom.json
	gzip -c late.json >late.json.gz
	cp one.json lies.ev
	for f in one.json late.json array.json bom.json late.json.gz lies.ev; do
		try tl-tree $f
		expect 1 "$says"
		[[ ! -s $TRY/out ]]
	done
	for f in tl-recover tl-replay tl-perfetto; do
		try $f one.json
		expect 1 "${says/tl-tree/$f}"
	done
	# what a database is, whoever is asked, and who reads it
	"$BUILD/gen" -f nsys -n 3 -o nsight
	sqlite3 ascend <"$TESTS/battery/msprof.sql"
	sqlite3 songs 'CREATE TABLE songs (id, name)'
	tl-ev2db -q -o made "$TESTS/battery/tree.ev"
	for f in tl-tree tl-check tl-perfetto tl-kineto2ev tl-nsys2ev \
	    tl-msprof2ev tl-db2ev; do
		while IFS='|' read -r file reader what; do
			[[ $f != "$reader" ]] || continue
			try $f $file
			expect 1 "but $what\$|: is $what\$"
			[[ ! -s $TRY/out ]]
		done <<-'END'
			nsight|tl-nsys2ev|an export of Nsight Systems: tl-nsys2ev reads it
			ascend|tl-msprof2ev|an Ascend capture: tl-msprof2ev reads it
			made|tl-db2ev|an analysis database: tl-db2ev makes a stream of it, tl-query asks it
		END
	done
	for f in tl-tree tl-kineto2ev; do
		try $f songs
		expect 1 "an SQLite database: tl-nsys2ev reads exports of Nsight Systems, tl-msprof2ev Ascend captures, tl-db2ev databases of tl-ev2db\$"
	done
	for f in tl-nsys2ev tl-msprof2ev tl-db2ev; do
		try $f one.json
		expect 1 'one.json: not an SQLite database, but a trace in JSON: tl-kineto2ev reads it$'
		try $f "$TESTS/battery/tree.ev"
		expect 1 'not an SQLite database, but a stream already$'
	done
	printf 'text\n{\n' >text
	try tl-tree text
	expect 1 "not a stream: '#tl-ev' and a version are expected\$"
	printf '\n\ntext\n' >text
	try tl-tree text
	expect 1 ":1: first line '': not a stream: '#tl-ev'"
}

@test "tl-tree: a converter with -v names rules that were used, counts others" {
	"$BUILD/gen" -f kineto -p demo -o t.json
	try tl-kineto2ev -v -o t.ev t.json
	expect 0
	! grep -q ': 0 events$' "$TRY/err" || fail 'a rule without a hit'
	grep -Eq "rule '[a-z0-9_.-]+': [1-9][0-9]* events$" "$TRY/err"
	grep -Eq '^tl-kineto2ev: [1-9][0-9]* rules without a hit$' "$TRY/err"
}

@test "tl-tree: a tree of 1,000 levels, a body of 100,000 members" {
	awk 'BEGIN { OFS = "\t"
		print "#tl-ev", 1
		for (d = 0; d <= 1000; d++)
			print "pos", "1:0", sprintf("N%03d", d + 1),
			    d ? sprintf("N%03d", d) : ".", 1, d,
			    d ? "seq" : "root", ".", 1, 1, 1, 0,
			    9, 9, 9, 0, 0, 0, 0, 0, ".", ".", ".", "x"
		print "end", 1001 }' >deep.ev
	try tl-tree -a -q deep.ev
	expect 0
	[[ $(grep -c '^N' "$TRY/out") == 1001 ]]
	awk 'BEGIN { OFS = "\t"
		print "#tl-ev", 1
		for (i = 0; i <= 100000; i++)
			print "pos", "1:0", sprintf("N%03d", i + 1),
			    i ? "N001" : ".", i ? i : 1, (i > 0),
			    i ? "event" : "root", ".", 1, 1, 1, 0,
			    i ? 1 : 100000, 1, 1, 0, 0, 0, 0, 0, ".", ".", ".",
			    "k" i
		print "end", 100001 }' >wide.ev
	try tl-tree wide.ev
	expect 0
	grep -q '\.\.\. 99,9[0-9]* events' "$TRY/out"
	try tl-tree -a -q wide.ev
	[[ $(grep -c '^N' "$TRY/out") == 100001 ]]
}

@test "tl-tree: no name makes it stumble, none gets longer" {
	need python3
	python3 -c '
import random
random.seed(7)
parts = ["<", ">", "(", ")", "{", "}", "::", ",", " ", "&", "*", "a", "bc",
         "4", "void ", "const ", "operator", "()", "->", "I", "E", "[", "_ZN",
         "(anonymous namespace)", "_Z", "3foo", "\\x01", "\\\\", "\u00e9",
         "<" * 70, "float"]
for _ in range(5000):
    n = random.randint(1, 12)
    print("".join(random.choice(parts) for _ in range(n)))' >names
	awk 'BEGIN { OFS = "\t"; print "#tl-ev", 1
		print "pos", "1:0", "N001", ".", 1, 0, "root", ".", 1, 1, 1, 0,
		    9, 9, 9, 0, 0, 0, 0, 0, ".", ".", ".", "x" }
	{ print "pos", "1:0", sprintf("N%03d", NR + 1), "N001", NR, 1, "event",
	    ".", 1, 1, 1, 0, 9, 9, 9, 0, 0, 0, 0, 0, ".", ".", ".", $0 }
	END { print "end", NR + 1 }' names >names.ev
	for w in -a -aw; do
		try tl-tree $w -q -F md names.ev
		expect 0
		expect_silent
		[[ $(grep -c '^| N' "$TRY/out") == 5001 ]]
	done
	try tl-tree -a -q names.ev
	expect 0
	# what stands before a name of at most 64 bytes takes 54
	awk '/^N/ && length($0) > 54 + 64 { exit 1 }' "$TRY/out"
}

@test "a cost far past its window is no crash" {
	printf '#tl-ev\t1\nkernel\t1\t1\t9\t1\t0\t1\t7\t1\tcompute\tk\tE:1\n' >f.ev
	printf 'pos\t1:0\tN001\t.\t1\t0\troot\t.\t1\t1\t1\t1\t9\t9\t9223372036854775807\t0\t0\t0\t0\t0\t.\t.\t.\tx\nend\t2\n' >>f.ev
	for form in text md tsv; do
		try tl-tree -F $form f.ev
		expect 0
	done
}

# folded_as_oracle STREAM...: stacks and their times as a brute force has them.
folded_as_oracle() {
	local f

	for f; do
		echo "$f >$f.want"
	done | python3 "$TESTS/batch.py" "$TESTS/oracle/folded.py" ||
	    fail "sums" || return 1
	for f; do
		tl-tree -qwF folded "$f" 2>notes | cmp - "$f.want" >&2 ||
		    fail "$f" || return 1
		# short names take nothing away
		tl-tree -F folded "$f" 2>notes |
		    awk '{ n += $NF } END { print n + 0 }' >sum
		awk '{ n += $NF } END { print n + 0 }' "$f.want" |
		    cmp - sum >&2 || fail "$f: sum" || return 1
	done
}

@test "tl-tree: folded stacks of random streams, each instant by brute force" {
	local seed

	need python3
	streams mkstream 1 25
	for seed in {1..25}; do
		tl-replay "$seed.ev" | tl-recover >"$seed.r"
	done
	folded_as_oracle ./*.r
	# of a part, what is left of it
	tl-cut -w ..0.0006 -o part.ev 25.r
	python3 "$TESTS/oracle/folded.py" -n part.ev >want
	tl-tree -qwF folded part.ev | cmp - want
}

@test "tl-tree: folded stacks of generated streams, graphs, devices" {
	local i=0

	need python3
	for o in "-s 3 -n 5 -c 1,1 -C 0,2 -Z 0,2 -D 2" \
	    "-s 8 -n 4 -l 3 -j 50 -x overlap=20,sync,copylane" \
	    "-g step:trace -n 4 -C 1,2" "-g layer:id -n 4 -H 3 -P 2s" "-z 40 -n 3"; do
		# shellcheck disable=SC2086
		gen -f nsys -o a.sqlite $o
		i=$((i + 1))
		tl-nsys2ev a.sqlite | tl-replay | tl-recover >$i.r
	done
	folded_as_oracle ./*.r
}

@test "tl-tree: folded stacks of captures" {
	local f convert

	need python3
	need_captures
	for f in "$TRACES"/kineto/*.json* "$TRACES"/nsys/*.sqlite; do
		convert=tl-kineto2ev
		[[ $f != *.sqlite ]] || convert=tl-nsys2ev
		$convert "$f" 2>/dev/null | tl-replay |
		    tl-recover >"${f##*/}.r" 2>/dev/null || rm "${f##*/}.r"
	done
	folded_as_oracle ./*.r
}
