load helper

# draw STREAM OPTIONS...: timelines of a stream, one for each set of options;
# against_oracle checks all that were drawn: they hold what they must, and are
# right for Perfetto.
draw() {
	local stream=$1 opts out

	shift
	for opts; do
		out=$stream.$((++drawn)).json
		# shellcheck disable=SC2086
		try tl-perfetto $opts -o "$out" "$stream"
		if ((rc == 1)) && grep -q ': no events' "$TRY/err"; then
			continue
		fi
		expect 0 && expect_silent || return 1
		echo "$stream $out $opts" >>runs
	done
}

against_oracle() {
	python3 "$TESTS/batch.py" "$TESTS/oracle/timeline.py" <runs >&2
}

# Which options: all that change what is drawn, in turn.
options_of() {
	case $(($1 % 6)) in
	0) echo "-A -C" ;;
	1) echo "-H -C -i 1" ;;
	2) echo "-p -A -i all" ;;
	3) echo "-i 0 -p -C" ;;
	4) echo "-A -i 2" ;;
	5) echo "-H -p -i 5" ;;
	esac
}

random_streams() {
	local seed

	streams "$@"
	for ((seed = $2; seed <= $3; seed++)); do
		tl-recover "$seed.ev" >"$seed.r" 2>/dev/null ||
		    cp "$seed.ev" "$seed.r"
		draw "$seed.r" "$(options_of "$seed")" ||
		    fail "$1 seed $seed" || return 1
	done
	tl-check ./*.ev && against_oracle
}

@test "every rule of the checker finds a fault that was made" {
	need python3
	try tl-perfetto -AC -o good.json \
	    "$TESTS/cases/tl-perfetto/arrows-counters/in"
	expect 0
	python3 "$TESTS/perfetto_check.py" good.json
	try python3 "$TESTS/perfetto_mutate.py" good.json
	expect 0 || { grep -A1 '^not ok' "$TRY/out" >&2; false; }
}

@test "random streams: slices, lanes, arguments, arrows, counters" {
	need python3
	random_streams mktimeline 1 36
}

@test "random streams with structure" {
	need python3
	random_streams mkstream 1 18
}

@test "generated captures" {
	need python3
	local i=0 opts

	for opts in "-s 3 -n 5 -c 1,1 -C 0,2 -Z 0,2 -i 1 -O 2 -D 2" \
	    "-s 8 -n 4 -l 3 -j 50 -x overlap=20,sync,copylane -t 2" \
	    "-g step:id -n 4" "-g layer:noid -n 4 -H 3 -A 2" \
	    "-g step:trace -n 4" "-z 40 -n 3" "-P 2s -n 3" "-M equal -N 300" \
	    "-K DDP -n 7 -x api=50"; do
		# shellcheck disable=SC2086
		gen -f nsys -o a.sqlite $opts
		tl-nsys2ev a.sqlite | tl-replay | tl-recover >$i.ev
		draw $i.ev "$(options_of $i)" "-A -C -i all" ||
		    fail "gen $opts" || return 1
		i=$((i + 1))
	done
	against_oracle
}

# Of the big ones only the rules are checked, for the sake of time.
@test "captures: right for Perfetto, and as the oracle says" {
	need python3
	local f r convert

	need_captures
	for f in "$TRACES"/kineto/*.json* "$TRACES"/nsys/*.sqlite; do
		convert=tl-kineto2ev
		[[ $f != *.sqlite ]] || convert=tl-nsys2ev
		$convert "$f" >c.ev 2>/dev/null || continue
		r=${f##*/}.ev
		{ tl-replay c.ev | tl-recover; } >"$r" 2>/dev/null ||
		    cp c.ev "$r"
		if (($(wc -l <"$r") < 10000)); then
			draw "$r" "-A -C" "-p -i all" || return 1
		else
			tl-perfetto -AC -o "$r.json" "$r"
			echo "$r.json" >>big
		fi
	done
	against_oracle
	python3 "$TESTS/batch.py" "$TESTS/perfetto_check.py" <big >&2
}

@test "300 streams of one replay take a handful of lanes with -p" {
	need python3
	awk 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		for (i = 0; i < 3000; i++)
			print "kernel", i + 1, i * 10, 35, 7, 0, 1, \
			    100 + i % 300, 5, i % 10 ? "compute" : "comm", \
			    "k", "E:" i, "graph=4"
		print "end", i
	}' >s.ev
	tl-perfetto -o wide.json s.ev
	(($(grep -c '"thread_name"' wide.json) == 301))
	tl-perfetto -p -o t.json s.ev
	# four at once; of ten in turn one is of class comm
	[[ $(grep -o '"name":"replay [^"]*"' t.json | tr '\n' ,) == \
	'"name":"replay compute","name":"replay compute (2)","name":"replay compute (3)","name":"replay compute (4)","name":"replay comm",' ]]
	grep -q '"stream":399,' t.json
	python3 "$TESTS/oracle/timeline.py" s.ev t.json -p
}

@test "gzip: by name, by -z, one member, the same content" {
	need gzip
	local in=$TESTS/cases/tl-perfetto/structure/in

	tl-perfetto -P -o t.json "$in"
	tl-perfetto -P -o t.json.gz "$in"
	tl-perfetto -Pz "$in" >z.gz
	tl-perfetto -Pz -o plain.name "$in"
	cmp t.json.gz z.gz
	cmp t.json.gz plain.name
	gzip -dc t.json.gz | cmp - t.json
	python3 "$TESTS/perfetto_check.py" t.json.gz
	python3 -c 'import sys, zlib
data = open(sys.argv[1], "rb").read()
z = zlib.decompressobj(31)
z.decompress(data)
assert z.eof and not z.unused_data
assert data[4:8] == bytes(4), "no time of day"' t.json.gz
}

@test "compressed data does not go to a terminal" {
	on_terminal out tl-perfetto -z "$TESTS/cases/tl-perfetto/plain/in"
	((rc == 2))
}

# About 8 MiB of lines.
many_events() {
	awk -v n="$1" 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		for (i = 1; i <= n; i++) {
			s = i % 3
			print "kernel", i, i * 10, 5 + i % 9, 7, 0, 1, 7 + s, \
			    i, "compute", "some_kernel_name_" i % 10, "E:" i, \
			    "block=128,1,1", "grid=1,1,1"
		}
		print "end", n
	}'
}

@test "-S: what goes past the budget comes back from a file" {
	many_events 100000 >s.ev
	tl-perfetto -P -o a.json s.ev
	tl-perfetto -P -S 1M -o b.json s.ev
	cmp a.json b.json
	TMPDIR=nowhere try tl-perfetto -P -S 1M -o c.json s.ev
	expect 1 "^tl-perfetto: nowhere: create temporary file: "
	[[ ! -e c.json ]]
}

@test "a million events in 400 MiB and 10 s" {
	[[ ${TL_VARIANT:-} == "" ]] || skip "for the plain build"
	many_events 1000000 >s.ev
	(ulimit -v 409600 -t 10 && tl-perfetto -o t.json s.ev)
	(($(grep -c '"ph":"X"' t.json) == 1000001))
}

# Many lanes, deep stacks, equal times must not take forever.
@test "hostile streams: all at once, crossing, nested" {
	need python3
	local what

	for what in "i, 100000" "0, 10" "0, 0" "i, 100000 - 2 * i"; do
		awk -v n=20000 "BEGIN {
			OFS = \"\\t\"
			print \"#tl-ev\", 1
			for (i = 1; i <= n; i++)
				print \"op\", i, $what, 7, \".\", \".\", 7, \
				    \".\", \"host\", \"o\", \"E:\" i
			print \"end\", n
		}" >s.ev
		try tl-perfetto -A -o t.json s.ev
		expect 0
		python3 "$TESTS/perfetto_check.py" t.json >&2 || fail "$what"
	done
}

@test "the beginning of an array is what is lost least of" {
	tl-perfetto -o t.json "$TESTS/cases/tl-perfetto/structure/in"
	[[ $(head -c 1 t.json) == "[" ]]
	# names come first, so that a cut file still has them
	[[ $(grep -n '"ph":"M"' t.json | tail -n 1 | cut -d: -f1) -lt \
	    $(grep -n '"ph":"X"' t.json | head -n 1 | cut -d: -f1) ]]
}

@test "-v says how much was drawn" {
	try tl-perfetto -v -AC -o t.json \
	    "$TESTS/cases/tl-perfetto/arrows-counters/in"
	expect 0
	[[ $(<"$TRY/err") == \
	"tl-perfetto: 6 events; 7 slices, 1 instants, 2 arrows, 6 points" ]]
}

@test "what looks like an option in the provenance stays text" {
	cp "$TESTS/cases/tl-perfetto/plain/in" 'a"b\c.ev'
	tl-perfetto -H 'a"b\c.ev' | grep -qF 'tl-perfetto 0.1.0 -H a\"b\\c.ev"'
}
