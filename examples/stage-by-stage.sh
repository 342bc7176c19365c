#!/bin/sh
# What does a stage get, and what does it add?
#
#	stage-by-stage.sh CAPTURE
#
# Prints, for a Kineto trace, an Nsight export (.sqlite) or an Ascend capture
# (.db or a folder), how many records of each kind there are behind the
# converter, behind tl-replay and behind tl-recover, and the first of each kind,
# cut to 100 characters. The tools are taken from
# $TL_BIN, PATH or ../build beside this script.
set -eu
[ $# = 1 ] || { sed -n 's/^#	/usage: /p' "$0" >&2; exit 2; }
PATH=${TL_BIN:+$TL_BIN:}$PATH:$(dirname -- "$0")/../build
for tool in tl-kineto2ev tl-msprof2ev tl-nsys2ev tl-replay tl-recover; do
	command -v $tool >/dev/null || {
		echo "${0##*/}: no $tool: run make, or set TL_BIN" >&2
		exit 1
	}
done
[ -e "$1" ] || { echo "${0##*/}: $1: no such file" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $1 in
*.sqlite) tl-nsys2ev "$1" >"$work/1" ;;
*.db) tl-msprof2ev "$1" >"$work/1" ;;
*)
	if [ -d "$1" ]; then
		tl-msprof2ev "$1" >"$work/1"
	else
		tl-kineto2ev "$1" >"$work/1"
	fi ;;
esac
tl-replay "$work/1" >"$work/2"
tl-recover "$work/2" >"$work/3"

cd "$work"
awk -F '\t' '
	/^#/ { next }
	{
		n[FILENAME, $1]++
		if (!seen[$1]++) {
			first[$1] = $0
			kind[++kinds] = $1
		}
	}
	END {
		print "convert\treplay\trecover\tkind\tfirst"
		for (i = 1; i <= kinds; i++) {
			k = kind[i]
			printf "%d\t%d\t%d\t%s\t%s\n", n[1, k], n[2, k],
			    n[3, k], k, substr(first[k], length(k) + 2, 100)
		}
	}' 1 2 3
