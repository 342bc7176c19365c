#!/usr/bin/env bats
# The views of the analysis database. What they must say is computed by
# views.py, from the stream.
load helper

setup() {
	tl_setup
	need sqlite3 python3
}

# views_of STREAM: all that views.py checks of one.
views_of() {
	tl-ev2db -Pfo x.db "$1" || return 1
	tl-tree -q -F tsv -o tree.tsv "$1" || return 1
	python3 "$TESTS/views.py" tree x.db tree.tsv >&2 ||
	    fail "$1: not the tree" || return 1
	python3 "$TESTS/views.py" stream x.db "$1" >&2 ||
	    fail "$1: not what the stream says"
}

@test "views: columns and declared types" {
	local page=$ROOT/../shared/reference/traceloom-db.md

	tl-ev2db -Pfo x.db "$TESTS/battery/tree.ev"
	python3 "$TESTS/views.py" columns x.db "$TESTS/views.columns"
	[[ ! -r $page ]] || python3 "$TESTS/views.py" columns x.db "$page"
}

@test "views: the page has the columns of those for people, and the codes" {
	tl-ev2db -Pfo x.db "$TESTS/battery/tree.ev"
	sed -n '/^\.Sh VIEWS FOR PEOPLE/,/^\.Sh VIEWS FOR Q/p' \
	    "$ROOT/man/tl-db.5" | awk '
		/^\.It / { view = $2; on = 0; next }
		/^Columns:/ { on = 1; next }
		on && /^\.Li / {
			gsub(/^\.Li| [,.]/, "")
			n = split($0, c, " ")
			for (i = 1; i <= n; i++)
				print view, c[i]
			next
		}
		{ on = 0 }' >page
	sqlite3 -separator ' ' x.db "SELECT m.name, c.name FROM sqlite_master m
	    JOIN pragma_table_info(m.name) c WHERE m.type = 'view' AND
	    m.name NOT LIKE 'tl\_%' ESCAPE '\' AND
	    m.name NOT LIKE 'traceloom\_%' ESCAPE '\'" >has
	diff <(sort has) <(sort page) >&2
	(($(wc -l <has) > 100))
	for table in kind class; do
		for code in $(sqlite3 -separator : x.db \
		    "SELECT $table, name FROM tl_$table"); do
			tr '\n' ' ' <"$ROOT/man/tl-db.5" |
			    grep -Eq "[ :]${code/:/ }[,;.]" || fail "$code"
		done
	done
}

@test "views: loops, two devices, copies" {
	"$BUILD/gen" -n 12 -l 4 -e 0,2 -c 1 -C 1,2 -f nsys -o report.sqlite
	tl-nsys2ev -P report.sqlite | tl-replay -P | tl-recover -P >run.ev
	views_of run.ev
	python3 "$TESTS/views.py" queries x.db
}

@test "views: graphs, cut at both ends" {
	"$BUILD/gen" -n 9 -l 3 -g layer -C 1,2 -f nsys -o report.sqlite
	tl-nsys2ev -P report.sqlite | tl-replay -P | tl-recover -P >run.ev
	views_of run.ev
	[[ $(sqlite3 x.db 'SELECT count(*) > 0 FROM traceloom_graph_launch') \
	    == 1 ]]
	python3 "$TESTS/views.py" queries x.db
}

@test "views: several processes with one device number" {
	for p in 7 8; do
		printf 'kernel\t%d\t%d\t10\t%d\t0\t1\t3\t.\tcompute\tk\tA:%d\n' \
		    $((p - 6)) $((p * 100)) $p $((p - 7))
	done >body
	{
		printf '#tl-ev\t1\n#order\tstart\n'
		cat body
		printf 'end\t2\n'
	} | tl-recover -P >run.ev
	views_of run.ev
	sqlite3 x.db 'SELECT position_id FROM traceloom_v_position' >ids
	printf 'node-p%d-d0-N001\nnode-p%d-d0-N002\n' 1 1 2 2 |
	    diff - ids
}

@test "views: a stream without a tree, and one without events" {
	"$BUILD/gen" -n 3 -f nsys -o report.sqlite
	tl-nsys2ev -P report.sqlite >run.ev
	tl-ev2db -Pfo x.db run.ev
	[[ $(sqlite3 x.db 'SELECT count(*) FROM traceloom_v_tree_node') == 0 ]]
	[[ $(sqlite3 x.db "SELECT count FROM not_measured
	    WHERE code = 'no_structure'") == 1 ]]
	printf '#tl-ev\t1\nend\t0\n' >empty.ev
	tl-ev2db -Pfo x.db empty.ev
	[[ $(sqlite3 x.db 'SELECT count(*) FROM traceloom_event') == 0 ]]
	for v in $(sqlite3 x.db "SELECT name FROM sqlite_master
	    WHERE type = 'view'"); do
		sqlite3 x.db "SELECT * FROM \"$v\""
	done >/dev/null
}

@test "views: what is unknown is NULL" {
	tl-ev2db -Pfo x.db "$TESTS/battery/tree.ev"
	# nobody counts what ran beside a position
	[[ $(sqlite3 x.db 'SELECT count(aux_us) FROM traceloom_viz_node') == 0 ]]
	# calls are on no device
	[[ $(sqlite3 x.db "SELECT count(device_id) FROM traceloom_event
	    WHERE event_id IN (SELECT 'event-' || event FROM events
	    WHERE kind = 'api')") == 0 ]]
}

@test "views: captures" {
	local f n=0

	for f in "$TRACES"/nsys/*.sqlite "$TRACES"/kineto/leimao*.gz \
	    "$TRACES"/kineto/leimao*.json "$TRACES"/kineto/tracelens*.gz; do
		[[ -r $f ]] || continue
		case $f in
		*.sqlite) tl-nsys2ev -q "$f" 2>/dev/null ;;
		*) tl-kineto2ev -q "$f" 2>/dev/null ;;
		esac | tl-replay -q 2>/dev/null | tl-recover -q >run.ev \
		    2>/dev/null || continue
		views_of run.ev
		n=$((n + 1))
	done
	((n > 0)) || skip "no captures"
}
