load helper

# cut_as_oracle STREAM OPTION...: what is left is what must be, and is a right
# stream. cut_later says the same of many, when as_oracle is called.
cut_later() {
	local left=$((++parts)).part

	try tl-cut "${@:2}" "$1"
	if ((rc == 1)); then
		expect 1 'nothing is left|no events|outside the capture'
		return
	fi
	expect 0 && expect_silent || return 1
	cp "$TRY/out" "$left"
	printf '%q ' "$1" "$left" "${@:2}" >>runs
	echo >>runs
}

as_oracle() {
	tl-check ./*.part >&2 &&
	    python3 "$TESTS/batch.py" "$TESTS/oracle/cut.py" <runs >&2
}

cut_as_oracle() {
	rm -f runs ./*.part
	cut_later "$@" || return 1
	[[ ! -e runs ]] || as_oracle || fail "$*" || return 1
	[[ ! -e runs ]] || mv ./*.part left.ev
}

# some PROGRAM SEED STREAM: an awk program's answer that depends on the seed.
some() {
	awk -F'\t' "$1" "$3" | awk -v n="$2" '{ v[NR - 1] = $0 }
	    END { if (NR > 0) print v[n % NR] }'
}

random_streams() {
	local seed loop occ r

	streams "$@"
	for ((seed = $2; seed <= $3; seed++)); do
		r=$seed.r
		tl-recover "$seed.ev" >"$r" 2>/dev/null || cp "$seed.ev" "$r"
		loop=$(some '$1 == "occ" && $6 != "." { split($5, a, "#")
		    if (a[1] == $3) print $2 "/" $3 "/" $6 }' "$seed" "$r")
		occ=$(some '$1 == "occ" { print $2 "/" $3 "#" $4 }' "$seed" "$r")
		cut_later "$r" -w "0.0001..0.00$((seed % 7 + 2))" &&
		    cut_later "$r" -w 0.0005.. -x memcpy,mark &&
		    cut_later "$r" -d 0 -e kernel,api,graph || return 1
		[[ -z $loop ]] || cut_later "$r" -i "$loop" || return 1
		[[ -z $occ ]] || cut_later "$r" -i "$occ" -x op \
		    -w ..0.0009 || return 1
	done
	as_oracle
}

@test "random streams: events, structure, launches" {
	need python3
	random_streams mktimeline 101 112
}

@test "random streams with more structure" {
	need python3
	random_streams mkstream 101 110
}

@test "a part of a part is the part of both" {
	tl-cut -P -w 0.5..3 <"$TESTS/cases/tl-cut/window/in" >a.ev
	tl-cut -P -e kernel a.ev | grep -v '^note	info	cut\|^end' >b
	tl-cut -P -w 0.5..3 -e kernel <"$TESTS/cases/tl-cut/window/in" |
	    grep -v '^note	info	cut\|^end' >c
	cmp b c
}

@test "every program takes what is left" {
	need python3
	gen -f nsys -n 8 -l 4 -k 6 -s 2 -g layer:id -O 1 -C 1,1 -o a.sqlite
	tl-nsys2ev a.sqlite | tl-replay | tl-recover >r.ev
	for o in "-i N002/3" "-w 1..3" "-x host" "-e kernel"; do
		# shellcheck disable=SC2086
		cut_as_oracle r.ev $o
		tl-tree left.ev >/dev/null
		tl-perfetto -AC -o t.json left.ev
		python3 "$TESTS/perfetto_check.py" t.json
		tl-recover -f left.ev >again.ev
		tl-check again.ev
	done
}

@test "captures" {
	need python3
	local f loop

	need_captures
	for f in hta-2023-01-gp100-gpu_user_annotation.json.gz \
	    tracelens-2026-mi300x-sglang-decode-hipgraph.json.gz \
	    leimao-2026-rtx5080-cudagraph-manual.json; do
		tl-kineto2ev "$TRACES/kineto/$f" 2>/dev/null | tl-replay |
		    tl-recover >r.ev
		loop=$(some '$1 == "pos" && $7 == "loop" { print $2 "/" $3 }' 0 \
		    r.ev)
		[[ -z $loop ]] || cut_as_oracle r.ev -i "$loop/1" ||
		    return 1
		cut_as_oracle r.ev -w 1.5..30.25 || return 1
		cut_as_oracle r.ev -e device || return 1
	done
}

# With -i events are held back, too; all else goes out as it comes.
@test "what is held back past 128 MiB comes back from a file" {
	[[ ${TL_VARIANT:-} != tiny ]] || skip "slow with tiny buffers"
	awk 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		n = 400000
		long = sprintf("%300s", "x")
		gsub(" ", "y", long)
		for (i = 1; i <= n; i++)
			print "kernel", i, i * 10, 5, 7, 0, 1, 7, i, \
			    "compute", "k" i % 2 long, "E:" i
		print "end", n
	}' >s.ev
	tl-recover s.ev >r.ev
	try tl-cut -i N002/777 -P -o part.ev r.ev
	expect 0
	[[ $(grep -c '^kernel' part.ev) == 2 ]]
	tl-check part.ev
	TMPDIR=nowhere try tl-cut -i N002/777 -o no.ev r.ev
	expect 1 "^tl-cut: nowhere: create temporary file: "
	[[ ! -e no.ev ]]
}

@test "cut: an occurrence in which nothing takes part, alone in the window" {
	grep -v '^real	[56]	' "$TESTS/battery/tree.ev" |
	    awk -F'\t' -v OFS='\t' '$1 == "end" { $2 -= 2 } 1' >in.ev
	tl-check in.ev
	# event 5 only, the first of iteration 2
	tl-cut -P -w 0.00024..0.00025 -e kernel in.ev >out.ev
	tl-check out.ev
	[[ $(grep -c '^kernel' out.ev) == 1 ]]
	[[ $(grep -c '#0' out.ev) == 0 ]]
	tl-ev2db -o a.db out.ev
	tl-perfetto out.ev >/dev/null
}
