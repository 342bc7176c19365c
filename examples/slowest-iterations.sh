#!/bin/sh
# Which iterations of a loop are the slowest, and where did their time go?
#
#	slowest-iterations.sh STREAM [[SCOPE/]POSITION]
#
# Prints the ten slowest iterations of a loop of a recovered stream (plain or
# .ev.gz), longest period first, with awk alone. POSITION is one that tl-tree
# shows, SCOPE a process:device or a device, where several have that position.
# Without it: the loop that covers most time, occurrences x iterations x median
# period; of equal ones the outermost.
#
# period_ns    from the start of the iteration to the start of the next one
# span_ns      from its first start to the last end of its own events
# between_ns   period - span: from its end to the start of the next; negative
#              where the next one starts before it ends
# in_span_...  busy, idle, compute, and exposed communication and copies,
#              within the span alone; what passed in between is in none of them
#
# The last iteration of a loop has no next one, so no period: it is not listed.
set -eu
name=${0##*/}
[ $# = 1 ] || [ $# = 2 ] || { sed -n 's/^#	/usage: /p' "$0" >&2; exit 2; }

die() {
	printf '%s: %s\n' "$name" "$1" >&2
	exit 1
}

[ -f "$1" ] || die "$1: no such file"
[ -r "$1" ] || die "$1: cannot be read"
case $(gzip -cdf <"$1" 2>/dev/null | head -c 7 | tr -d '\000') in
'#tl-ev	') ;;
*) die "$1: not a stream" ;;
esac

# "=SCOPE TAB POSITION", or why there is none.
loop=$(gzip -cdf <"$1" 2>/dev/null | awk -F '\t' -v want="${2-}" '
	BEGIN {
		slash = index(want, "/")
		scope = substr(want, 1, slash - 1)
		pos = substr(want, slash + 1)
	}
	$1 == "end" { whole = 1 }
	$1 != "pos" { next }
	{ any = 1 }
	want == "" && $7 == "loop" {
		all = $10 * $8 * $22
		if (!n || all > most || all == most && $6 < depth) {
			most = all
			depth = $6
			n = 1
			found = $2 "\t" $3
		}
	}
	want != "" && $3 == pos && (!slash || $2 == scope ||
	    substr($2, length($2) - length(scope)) == ":" scope) {
		is = $7
		if (is != "loop")
			next
		found = $2 "\t" $3
		names = names " " $2 "/" $3
		n++
	}
	END {
		if (!whole)
			print "the stream has no end: it was cut"
		else if (!any)
			print "no recovered structure: run tl-recover"
		else if (n == 1)
			print "=" found
		else if (n > 1)
			print want " is in several scopes:" names
		else if (want == "")
			print "no loops"
		else if (is)
			print want " is no loop, but of kind " is
		else
			print "no position " want
	}')
case $loop in
=*) loop=${loop#=} ;;
*) die "$1: $loop" ;;
esac

# An iteration's parent is an occurrence of its own position.
gzip -cdf <"$1" | awk -F '\t' -v loop="$loop" '
	$1 == "occ" && $2 "\t" $3 == loop && index($5, $3 "#") == 1 {
		all++
		n += $7 == "full" && $11 != "."
	}
	END {
		sub("\t", "/", loop)
		printf "# %s: %d iterations, %d of them whole and with a next " \
		    "one\n", loop, all, n
	}'
echo 'iteration	period_ns	span_ns	between_ns	in_span_busy_ns	in_span_idle_ns	in_span_compute_ns	in_span_comm_exposed_ns	in_span_copy_exposed_ns	start_ns	occurrence'
gzip -cdf <"$1" | awk -F '\t' -v loop="$loop" '
	$1 == "occ" && $2 "\t" $3 == loop && index($5, $3 "#") == 1 &&
	    $7 == "full" && $11 != "." {
		printf "%s\t%s\t%s\t%.0f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", $6,
		    $11, $10, $11 - $10, $12, $18, $13, $15, $17, $9, $3 "#" $4
	}' | LC_ALL=C sort -t "$(printf '\t')" -k 2,2nr -k 1,1n | head -n 10
