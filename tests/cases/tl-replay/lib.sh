# shellcheck shell=bash
# make_graphs BODIES [FILE]: in.sqlite, an export of graph launches, one for
# each letter of BODIES (A, B: two graphs), changed by a file of SQL.
make_graphs() {
	rm -f in.sqlite
	{
		cat "$TESTS/cases/tl-replay/graph.sql"
		echo "$1" | fold -w 1 | awk -v q="'" '{ printf "INSERT INTO " \
		    "run VALUES (%d, %s%s%s);\n", NR - 1, q, $1, q }'
		cat "$TESTS/cases/tl-replay/fill.sql" "${@:2}"
	} | sqlite3 in.sqlite
}

# What tl-replay adds to it: launches (id, call's row, device, start, dur,
# unit, status, members, missing, the interval's row, reason, gap), units (id,
# streams, members, launches), notes.
replays() {
	tl-nsys2ev -P in.sqlite | tl-replay -P "$@" >run.ev || return
	tl-check run.ev || return
	python3 "$TESTS/oracle/replay.py" stream run.ev >run.txt ||
	    { cat run.txt; return 1; }
	awk -F'\t' -v OFS='\t' '
	$1 ~ /^(api|kernel|memcpy|memset|graph)$/ { place[$2] = $12 }
	$1 == "unit" { print $1, $2, $4, $5, $6 }
	$1 == "launch" { print $1, $2, $3 == "." ? "." : place[$3], $5, $7,
	    $8, $9, $10, $11, $12, $13 == "." ? "." : place[$13],
	    $14, $17 }
	$1 == "note" && $3 ~ /^replay/ { print $1, $3, $4 }' run.ev
}

# Places of the members of a launch by stream and index: K:4 ...
members() {
	awk -F'\t' -v OFS='\t' -v launch="$1" '
	$1 ~ /^(kernel|memcpy|memset|task)$/ { place[$2] = $12 }
	$1 == "member" && $2 == launch { print $4 ":" $5, place[$6] }' run.ev |
	    sort -n -t: -k1,1 -k2,2
}

# A stream of a list of events, see compact.py.
compact() {
	python3 "$TESTS/cases/tl-replay/compact.py" "$1"
}

# shellcheck disable=SC2120
# added [OPTION...]: what tl-replay adds to the stream on standard input: units,
# launches, notes; run.ev is all of it.
added() {
	tl-replay -P "$@" >run.ev || return
	tl-check run.ev || return
	grep -E '^(unit|launch|note	[a-z]*	replay)' run.ev |
	    sed 's/graph:[0-9a-f]*/graph:/'
}

# The same where the oracle knows the rules, too (it has no options).
judged() {
	added || return
	python3 "$TESTS/oracle/replay.py" stream run.ev >run.txt || cat run.txt
}

# The same of launches of ACL graphs.
acl_judged() {
	added || return
	python3 "$TESTS/oracle/acl.py" check run.ev >run.txt || cat run.txt
}
