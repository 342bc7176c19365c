#!/bin/sh
# How much kernel time is on each stream?
#
#	kernel-time-by-stream.sh STREAM
#
# Sums the kernels of a stream (plain or .ev.gz, recovered or not) by process,
# device and lane, with awk alone: kernels, their time in nanoseconds, and how
# much of that is communication. Kernels that run side by side count each.
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

echo 'process	device	lane	kernels	kernel_ns	comm_ns'
gzip -cdf <"$1" | awk -F '\t' '
	$1 == "kernel" {
		lane = $5 "\t" $6 "\t" $8
		n[lane]++
		all[lane] += $4
		if ($10 == "comm")
			comm[lane] += $4
	}
	$1 == "end" { whole = 1 }
	END {
		for (lane in n)
			printf "%s\t%d\t%.0f\t%.0f\n", lane, n[lane],
			    all[lane], comm[lane]
		if (!whole) {
			print "the stream has no end: it was cut" >"/dev/stderr"
			exit 1
		}
	}' | LC_ALL=C sort
