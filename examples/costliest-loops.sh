#!/bin/sh
# Which loop costs most?
#
#	costliest-loops.sh STREAM
#
# Prints the ten loops in which most time passes, of all devices of a recovered
# stream (plain or .ev.gz): the time of all their occurrences, scope, position,
# iterations, events and median time of an iteration. A loop inside another is
# part of that one's time. Times are nanoseconds.
set -eu
[ $# = 1 ] || { sed -n 's/^#	/usage: /p' "$0" >&2; exit 2; }

die() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit 1
}

[ -f "$1" ] || die "$1: no such file"
case $(gzip -cdf <"$1" 2>/dev/null | head -c 7 | tr -d '\000') in
'#tl-ev	') ;;
*) die "$1: not a stream" ;;
esac

# An occurrence whose parent is one of the same position is an iteration; the
# others are the loop as a whole.
echo 'all_ns	scope	pos	iterations	events	iteration_ns'
gzip -cdf <"$1" | awk -F '\t' '
	$1 == "pos" && $7 == "loop" {
		sub(/\.00$/, "", $8)
		rest[$2 "\t" $3] = $8 "\t" $9 "\t" $22
	}
	$1 == "occ" && ($2 "\t" $3) in rest && index($5, $3 "#") != 1 {
		all[$2 "\t" $3] += $10
	}
	$1 == "end" { whole = 1 }
	END {
		for (loop in rest)
			printf "%.0f\t%s\t%s\n", all[loop], loop, rest[loop]
		if (!whole) {
			print "the stream has no end: it was cut" >"/dev/stderr"
			exit 1
		}
	}' | LC_ALL=C sort -t "$(printf '\t')" -k 1,1nr -k 2,3 | head -n 10
