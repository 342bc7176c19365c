#!/usr/bin/env bats
# Loops whose iterations differ: tl-recover(1), DEVIATIONS.
load helper

# kernels NAME...: a stream of them, 10 ns apart, 5 ns long; a name
# NAME:DUR has another length.
kernels() {
	local i=0 k

	printf '#tl-ev\t1\n'
	for k; do
		i=$((i + 1))
		printf 'kernel\t%d\t%d\t%d\t1\t0\t1\t7\t%d\tcompute\t%s\tE:%d\n' \
		    $i $((i * 10)) "$([[ $k == *:* ]] && echo "${k#*:}" || echo 5)" \
		    $i "${k%:*}" $i
	done
	printf 'end\t%d\n' $i
}

# Six steps of p (a b c d) x 3 e; an X before the sixth event of the second,
# the second c of the fourth missing.
six_steps() {
	local step=(p a b c d a b c d a b c d e) s=() i

	for i in 1 2 3 4 5 6; do
		case $i in
		2) s+=("${step[@]:0:5}" X "${step[@]:5}") ;;
		4) s+=("${step[@]:0:7}" "${step[@]:8}") ;;
		*) s+=("${step[@]}") ;;
		esac
	done
	kernels "${s[@]}"
}

@test "six steps, one event more and one missing: by hand" {
	six_steps | tl-recover -P >r.ev
	tl-check r.ev
	awk -F'\t' -v OFS=' ' '$1 == "pos" && $7 == "loop" {
		print $3, $4, $8, $9, $10 }' r.ev >loops
	diff - loops <<-'END' >&2
		N002 N001 6.00 14 1
		N004 N002 3.00 4 6
	END
	# X is event 20 and behind the d of the second step's first layer, which
	# is iteration 4 of all layers and number 6 of N004's occurrences: two
	# loops and four iterations. The c that is missing is in iteration 2 of
	# the fourth step: three steps of 4 before, then the loop and two.
	grep '^dev' r.ev | tr '\t' ' ' | diff - <(cat <<-'END'
		dev 1:0 N004#6 1 extra N008 20
		dev 1:0 N004#15 2 missing N007 .
	END
	) >&2
	# a step has 14 events 10 ns apart, its last 5 ns long
	grep '^variant' r.ev | tr '\t' ' ' | diff - <(cat <<-'END'
		variant 1:0 N002 1 4 N002#2 0 0 0 140 135 70 65
		variant 1:0 N002 2 1 N002#3 1 0 0 150 145 75 70
		variant 1:0 N002 3 1 N002#5 0 1 0 130 125 65 60
		variant 1:0 N004 1 16 N004#2 0 0 0 40 35 20 15
		variant 1:0 N004 2 1 N004#6 1 0 0 50 45 25 20
		variant 1:0 N004 3 1 N004#15 0 1 0 30 25 15 10
	END
	) >&2
	# and each iteration names its own
	[[ $(awk -F'\t' '$1 == "occ" && $3 == "N002" && NF > 19 { printf "%s", $20 }' r.ev) == 121311 ]]
	python3 "$TESTS/oracle/findings.py" <r.ev >&2
	try tl-tree r.ev
	grep -q '6 x 14 events, 3 variants: 4 / 1 / 1, 2 deviations' "$TRY/out" ||
	    { show; fail tl-tree; }
	try tl-perfetto -F array r.ev
	[[ $(grep -o 'events), variant 3' "$TRY/out" | wc -l) -ge 1 ]]
}

@test "with -m 0 only what repeats exactly" {
	six_steps | tl-recover -P -m 0 >r.ev
	[[ $(grep -cE '^(dev|variant)' r.ev) == 0 ]]
	[[ -z $(awk -F'\t' '$1 == "occ" && NF != 19' r.ev) ]]
}

@test "one kernel in another's place: a variant with its own cost" {
	local s=() i

	for i in {1..25}; do
		case $i in
		3 | 9 | 14 | 15 | 22) s+=(p a b C:9 d e f g) ;;
		*) s+=(p a b c d e f g) ;;
		esac
	done
	kernels "${s[@]}" | tl-recover -P >r.ev
	grep '^variant' r.ev | cut -f 3-10,14 | tr '\t' ' ' | diff - <(cat <<-'END'
		N002 1 20 N002#2 0 0 0 80
		N002 2 5 N002#4 0 0 1 80
	END
	) >&2
	[[ $(awk -F'\t' '$1 == "variant" { print $12 }' r.ev | tr '\n' ' ') == "40 44 " ]]
	[[ $(grep -c '^dev.*replaced' r.ev) == 5 ]]
}

@test "what repeats exactly has no deviation, whatever may deviate" {
	local o

	for o in "-n 12 -l 6 -k 9 -H 13 -T 5" "-K DDP -n 30" "-E 10 -n 40" \
	    "-m 4,2 -n 8" "-p demo" "-M equal -N 500" "-M random:5 -N 3000" \
	    "-g layer:id -n 12"; do
		# shellcheck disable=SC2086
		gen -f nsys -o a.sqlite $o
		tl-nsys2ev -P a.sqlite | tl-replay -P >a.ev
		tl-recover -P -m 0 a.ev >none.ev
		tl-recover -P -m 30 a.ev >most.ev
		cmp none.ev most.ev || fail "gen $o" || return 1
	done
}

@test "order, windows, costs and variants with noise are those of the rules" {
	local o

	for o in "-n 12 -l 6 -k 9 -s 2 -b miss=2,same=2 -H 13 -T 5" \
	    "-n 25 -l 4 -k 8 -b miss=1,repl=1,ins=1" "-g step:id -n 30 -b miss=1" \
	    "-g layer:id -n 30 -e 12,12 -l 2 -b ins=3" "-K DP -n 40 -b repl=2" \
	    "-n 9 -l 4 -k 8 -t 2 -D 2 -b miss=2" "-n 30 -l 6 -k 9 -b skip=9"; do
		# shellcheck disable=SC2086
		gen -f nsys -o a.sqlite $o
		tl-nsys2ev -P a.sqlite >a.ev
		for pipe in "tl-recover -P" "tl-replay -P | tl-recover -P"; do
			bash -o pipefail -c "$pipe" <a.ev >r.ev
			tl-check r.ev && python3 "$TESTS/oracle/findings.py" <r.ev >&2 ||
			    fail "gen $o, $pipe" || return 1
		done
		tl-recover -P -f r.ev | cmp - r.ev
	done
}

@test "loops and deviations are those of the generator: a sample" {
	TRY_SECONDS=100
	try python3 "$TESTS/near.py" "$BUILD" 1 3 ins same miss repl
	((rc == 0)) || { cat "$TRY/out" >&2; fail near.py; }
	[[ $(tail -n 1 "$TRY/out") == 1..17 ]]
}

@test "kinds of steps in any order: a block of each kind, as often as it was" {
	TRY_SECONDS=100
	try python3 "$TESTS/near.py" "$BUILD" 2 5 mix
	((rc == 0)) || { cat "$TRY/out" >&2; fail near.py; }
	[[ $(tail -n 1 "$TRY/out") == 1..13 ]]
}

@test "a part of a stream with deviations is a right stream" {
	six_steps | tl-recover -P >r.ev
	tl-cut -P -i N002/4 r.ev >c.ev
	tl-check c.ev
	[[ $(grep -c '^variant' c.ev) == 0 ]]
	[[ $(grep -c '^dev' c.ev) == 1 ]]
	tl-cut -P r.ev | cmp - r.ev
}

@test "tl-check: records that do not fit" {
	six_steps | tl-recover -P >r.ev
	sed 's/extra/more/' r.ev >bad.ev
	try tl-check bad.ev
	expect 1 "kind 'more': must be extra, missing or replaced"
	sed $'s/\t20$/\t./' r.ev >bad.ev
	try tl-check bad.ev
	expect 1 "event '.': one that is missing has none"
	sed $'s/^variant\t1:0\tN002\t2/variant\t1:0\tN002\t7/' r.ev >bad.ev
	try tl-check bad.ev
	expect 1 "variant '7': variants of a position are counted 1, 2, 3"
}

@test "no more deviates than -m says, and what is counted adds up" {
	try python3 "$TESTS/near_bound.py" "$BUILD"
	((rc == 0)) || { cat "$TRY/out" >&2; fail near_bound.py; }
}

@test "-m takes 0 to 30" {
	try tl-recover -m 31 /dev/null
	((rc == 2))
	try tl-recover -m x /dev/null
	((rc == 2))
}
