#!/usr/bin/env bats
# tl-check against the conformance corpus. What is wrong with a file of fail/,
# and in which line, is written by hand in the corpus' README.
load helper

corpus=$TESTS/corpus/ev

@test "tl-check: streams of pass/ are silent" {
	local f bad=0

	for f in "$corpus"/pass/*.ev; do
		try tl-check "$f"
		((rc == 0)) && [[ ! -s $TRY/err && ! -s $TRY/out ]] ||
		    { bad=1; show; fail "$f: status $rc" || :; }
	done
	((bad == 0))
}

@test "tl-check: streams of fail/ are refused at the line that is at fault" {
	local f line why want bad=0

	while IFS=: read -r f line why; do
		[[ $f == fail/*.ev ]] || continue
		try tl-check "$corpus/$f"
		want="tl-check: $corpus/$f:$line: "
		[[ $line != - ]] || want="tl-check: $corpus/$f: "
		((rc == 1)) && [[ $(wc -l <"$TRY/err") == 1 ]] &&
		    [[ $(<"$TRY/err") == "$want"* ]] || {
			bad=1
			show
			fail "$f: status $rc, at fault is line $line:$why" || :
		}
	done <"$corpus/README"
	((bad == 0))
}

@test "tl-check: every file of the corpus is in its README and the other way round" {
	diff <(cd "$corpus" && ls {pass,fail}/*.ev | sort) \
	    <(sed -n 's/^\([a-z]*\/[^:]*\.ev\):.*/\1/p' "$corpus/README" |
	    sort)
}

# The message says what the corpus' README says: a sample, by hand.
@test "tl-check: messages" {
	local f message

	while IFS='|' read -r f message; do
		try tl-check "$corpus/fail/$f.ev"
		[[ $(<"$TRY/err") == "tl-check: $corpus/fail/$f.ev:$message" ]] ||
		    { show; fail "$f"; } || return 1
	done <<-'END'
		version-newer|1: stream version '2': newer than this tool reads (1)
		event-id-back|3: id '2': ids ascend
		key-order|7: key 'a': out of order, keys ascend
		escape-hex-plain|7: column 11 '\x5Cx41': byte has a shorter form than \xHH
		end-missing|7: stream ended without an end record: did its producer fail?
		end-count-high|8: end record '2': 1 lines came after the header
		end-then-stream|3: line '#tl-ev\x091': comes after the end record: were streams concatenated?
		real-event|17: event '9': no event before has this id
		occ-parent-none|13: parent 'N001#2': there is no such occurrence
		member-launch|11: launch '2': there is no record of it
	END
}

@test "tl-check: the example of tl-ev(5) is a stream" {
	sed -n '/^\.Dl #tl-ev/,/^\.Dl end/p' "$ROOT/man/tl-ev.5" |
	    sed 's/^\.Dl //; s/\\&\././g; s/\\ /~/g; s/ /\t/g; s/~/ /g; s/\\e/\\/g; s/\\-/-/g' \
	    >example.ev
	try tl-check example.ev
	expect 0
	expect_silent
	[[ $(wc -l <example.ev) -gt 10 ]]
	# what the text under it says of the stream
	[[ $(grep -c ^kernel example.ev) == 2 ]]
	[[ $(awk -F'\t' '$1=="kernel"{t[$8]+=$4} END{for(s in t)print s,t[s]}' \
	    example.ev | sort) == $'7 20250\n8 9000' ]]
}

@test "tl-check: the battery's streams are right" {
	try tl-check "$TESTS"/battery/*.ev
	expect 0
	expect_silent
}

@test "tl-check: -q says nothing" {
	try tl-check -q "$corpus/fail/end-missing.ev" nonexistent
	expect 1
	expect_silent
	try tl-check -q "$corpus/pass/tree.ev"
	expect 0
	expect_silent
}

@test "tl-check: -k names one fault a line, and goes on" {
	printf '%s\n' '#tl-ev	1' 'x	' 'kernel	0' '#late	1' \
	    'mark	1	5	.	.	.	.	.	.	host	a	E:0' \
	    'mark	2	4	.	.	.	.	.	.	host	a\q	E' \
	    'note	bad	X	.	a' 'end	5' >many
	try tl-check -k many
	expect 1
	[[ $(sed 's/^tl-check: many:\([0-9]*\): .*/\1/' "$TRY/err" |
	    tr '\n' ' ') == '2 3 4 6 7 ' ]] || { show; return 1; }
	try tl-check many
	expect 1 '^tl-check: many:2: '
}

@test "tl-check: -k gives up after 100 faults" {
	{
		printf '#tl-ev\t1\n'
		yes 'kernel	0' | head -n 1000
		printf 'end\t1000\n'
	} >many
	try tl-check -k many
	expect 1
	[[ $(wc -l <"$TRY/err") == 101 ]]
	[[ $(tail -n 1 "$TRY/err") == 'tl-check: many:101: 100 faults: given up' ]]
}

@test "tl-check: -k stops where a line has no end" {
	{
		printf '#tl-ev\t1\n'
		head -c 3000000 /dev/zero | tr '\0' x
	} >long
	try tl-check -k long
	expect 1 '^tl-check: long:2: line is longer than 1 MiB$'
}

@test "tl-check: -t takes a stream without its end, and says so" {
	try tl-check -t "$corpus/fail/end-missing.ev"
	expect 0 'end-missing.ev:7: warning: no end record, or a wrong count$'
	try tl-check -t "$corpus/fail/end-count-low.ev"
	expect 0 'end-count-low.ev:8: warning: no end record, or a wrong count$'
	try tl-check -tq "$corpus/fail/end-missing.ev"
	expect 0
	expect_silent
	try tl-check -t "$corpus/fail/key-order.ev"
	expect 1
	try tl-check -t "$corpus/fail/empty.ev"
	expect 1
	try tl-check -t "$corpus/fail/end-twice.ev"
	expect 1
}

@test "tl-check: several files, each with its own fault" {
	try tl-check "$corpus/fail/key-order.ev" "$corpus/pass/tree.ev" \
	    nonexistent "$corpus/fail/key-twice.ev"
	expect 1
	[[ $(wc -l <"$TRY/err") == 3 ]]
	[[ $(sed -n 1p "$TRY/err") == *key-order.ev:7:* ]]
	[[ $(sed -n 2p "$TRY/err") == *nonexistent:* ]]
	[[ $(sed -n 3p "$TRY/err") == *key-twice.ev:7:* ]]
}

@test "tl-check: memory does not grow with the number of events" {
	need python3
	[[ ${TL_VARIANT:-} != asan ]] || skip "sanitizers take memory"
	awk 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		for (i = 1; i <= 400000; i++)
			print "kernel", i, i * 10, 5, 7, 0, 1, 7, i, \
			    "compute", "k", "E:" i
		print "end", i - 1
	}' >big.ev
	# 16 MiB of address space hold the program, not the 20 MB of events
	try bash -c 'ulimit -v 16384; exec tl-check big.ev'
	expect 0
	expect_silent
}
