#!/bin/sh
# Which iterations of a loop are the slowest?
#
#	slowest-iterations.sh STREAM [POSITION]
#
# Prints the ten slowest iterations of a loop of a recovered stream (plain or
# .ev.gz) and where their time went: from the start of each to the start of the
# next, longest first. POSITION is one that tl-tree shows; without it, the first
# loop of the first scope is taken. Times are nanoseconds.
set -eu
[ $# = 1 ] || [ $# = 2 ] || { sed -n 's/^#	/usage: /p' "$0" >&2; exit 2; }

loop=$(tl-tree -F tsv "$1" | awk -F '\t' -v want="${2-}" '
	!n && (want == "" ? $5 == "loop" : $2 == want) { print $1 "\t" $2; n++ }
	')
[ -n "$loop" ] || { echo "slowest-iterations.sh: no such loop" >&2; exit 1; }

# An iteration's parent is an occurrence of its own position; the last one of a
# loop has no period.
echo 'iteration	period_ns	start_ns	busy_ns	compute_ns	comm_exposed_ns	idle_ns	occurrence'
gzip -cdf <"$1" | awk -F '\t' -v loop="$loop" '
	$1 == "occ" && $2 "\t" $3 == loop && index($5, $3 "#") == 1 &&
	    $7 == "full" && $11 != "." {
		print $6 "\t" $11 "\t" $9 "\t" $12 "\t" $13 "\t" $15 "\t" $18 \
		    "\t" $3 "#" $4
	}' | LC_ALL=C sort -t "$(printf '\t')" -k 2,2nr -k 1,1n | head -n 10
