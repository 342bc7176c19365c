#!/bin/sh
# Which iterations of a serving run took most time on the devices?
#
#	serving-run.sh ARTIFACT CAPTURE...
#
# Appends the captures (Kineto JSON, or .sqlite of Nsight Systems) to the
# inference artifact, each once, and prints the ten iterations of the artifact
# with the most device time, with jq: producer and id, records, events, and
# the sum of the records' busy times in nanoseconds. The last line is for work
# that is of no iteration. What runs side by side under two calls counts twice.
set -eu
name=${0##*/}
[ $# -gt 1 ] || { sed -n 's/^#	/usage: /p' "$0" >&2; exit 2; }

die() {
	printf '%s: %s\n' "$name" "$1" >&2
	exit 1
}

command -v jq >/dev/null || die 'jq is not installed'
PATH=${TL_BIN:+$TL_BIN:}$PATH:$(cd "$(dirname "$0")" && pwd)/../build
artifact=$1
shift

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
for capture; do
	n=$((n + 1))
	case $capture in
	*.sqlite) tl-nsys2ev -q -o "$tmp/$n.ev" "$capture" ;;
	*) tl-kineto2ev -q -o "$tmp/$n.ev" "$capture" ;;
	esac || die "$capture: was not read"
done
tl-import -a "$artifact" "$tmp"/*.ev

printf 'iteration\trecords\tevents\tbusy_ns\n'
jq -rn '
	reduce (inputs | select(.event_type == "infer.activity_ref")) as $r ({};
		($r.iteration_ref // {} | if .id then .producer_id + "/" + .id
		else "" end) as $k |
		.[$k].records += 1 |
		.[$k].events += $r.metadata.event_count |
		.[$k].busy += ($r.metadata.busy_ns // ($r.end_ns - $r.start_ns))) |
	[to_entries | sort_by(-.value.busy)[]] |
	(map(select(.key != ""))[:10] + map(select(.key == "") | .key = "none"))[] |
	[.key, .value.records, .value.events, .value.busy] | @tsv' "$artifact"
