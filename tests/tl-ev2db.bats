#!/usr/bin/env bats
# Streams into the database and back. What is in the tables is checked by a
# reader of its own, db.py.
load helper

setup() {
	tl_setup
	need sqlite3 python3
}

# back STREAM [OPTION...]: into x.db and back, byte for byte; nothing said.
back() {
	try tl-ev2db -P -f "${@:2}" -o x.db "$1"
	expect 0 || return 1
	try tl-db2ev -P x.db
	expect 0 && expect_silent || return 1
	cmp "$1" "$TRY/out" >&2 || fail "$1: not what went in"
}

# whole STREAM: the same, and every table says what the stream says.
whole() {
	back "$1" || return 1
	python3 "$TESTS/db.py" "$1" x.db >&2 || fail "$1: tables differ"
}

# several STREAM...: the same for many at once.
several() {
	local f made=() n=0

	for f; do
		back "$f" || return 1
		mv x.db $((++n)).db
		made+=("$f" "$n.db")
	done
	python3 "$TESTS/db.py" "${made[@]}" >&2 || fail "tables differ"
}

# The rows of tl-tree's TSV, from the database.
tree_by_sql() {
	python3 - "$1" <<-'END'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		esc = lambda s: s.replace("\\", "\\\\").replace("\t", "\\t")
		for r in db.execute("""
		    SELECT s.name, printf('N%03d', p.number),
			CASE WHEN p.parent IS NULL THEN '.' ELSE (SELECT
			printf('N%03d', number) FROM tl_position q WHERE
			q.position = p.parent) END, p.depth, p.kind,
			CASE WHEN p.iterations IS NULL THEN '.' ELSE
			printf('%d.%02d', p.iterations / 100, p.iterations % 100)
			END, p.body_events, p.occurrences, p.first_event,
			p.start_ns, p.span_ns, p.busy_ns, p.compute_ns, p.comm_ns,
			p.comm_exposed_ns, p.copy_ns, p.idle_ns, p.iter_min_ns,
			p.iter_median_ns, p.iter_max_ns, n.text,
			p.copy_exposed_ns, p.ordinal
		    FROM tl_position p JOIN tl_scope s USING (scope)
		    LEFT JOIN tl_name n ON n.name = p.label
		    ORDER BY p.position"""):
		    print("\t".join("." if v is None else esc(str(v)) for v in r))
	END
}

# Three programs' worth of everything: loops, graphs, copies, ranges.
run_ev() {
	"$BUILD/gen" -n 20 -l 6 -e 0,2 -c 1 -C 1,2 -g layer -f nsys \
	    -o report.sqlite
	tl-nsys2ev -P report.sqlite | tl-replay -P | tl-recover -P >run.ev
}

@test "ev2db: what the stream says is in the tables, and comes back" {
	run_ev
	several run.ev "$TESTS"/battery/*.ev "$TESTS"/corpus/ev/pass/*.ev
}

@test "ev2db: random streams, with spellings that are none" {
	local seed

	for seed in {1..8}; do
		python3 "$TESTS/db_gen.py" "$seed" >"seed$seed.ev"
		python3 "$TESTS/db_gen.py" "$seed" odd >b.ev
		back b.ev || fail "seed $seed odd"
		[[ $(sqlite3 x.db 'PRAGMA integrity_check;
		    PRAGMA foreign_key_check') == ok ]] || fail "seed $seed odd"
	done
	several seed*.ev
}

@test "ev2db: the numbers of tl-tree's TSV by SQL" {
	run_ev
	tl-ev2db -o x.db run.ev
	tl-tree -q -F tsv run.ev | sed 1d >want
	[[ $(wc -l <want) -gt 12 ]]
	tree_by_sql x.db | diff want - >&2
	tl-db2ev x.db | tl-tree -q -F tsv | sed 1d | diff want - >&2
}

# All captures that give a stream.
captures() {
	local f conv

	[[ -d $TRACES ]] || skip "no captures"
	for f in "$TRACES"/*/*; do
		case $f in
		*/kineto/*) conv=tl-kineto2ev ;;
		*/nsys/*) conv=tl-nsys2ev ;;
		*/ascend/*) conv=tl-msprof2ev ;;
		*) continue ;;
		esac
		[[ -x $BUILD/$conv ]] || continue
		"$conv" -q "$f" 2>/dev/null | tl-replay >replay.ev 2>/dev/null ||
		    continue
		tl-recover replay.ev >c.ev 2>/dev/null || mv replay.ev c.ev
		"$@" "$f" || return 1
	done
}

capture_back() {
	N=$((N + 1))
	back c.ev || fail "$1" || return 1
	[[ $(sqlite3 x.db 'PRAGMA integrity_check;
	    PRAGMA foreign_key_check') == ok ]] || fail "$1" || return 1
	! grep -q '^pos' c.ev ||
	    tl-tree -q -F tsv c.ev | sed 1d | diff - <(tree_by_sql x.db) >&2 ||
	    fail "$1: tree"
}

@test "ev2db: real captures there and back, their trees by SQL" {
	N=0
	captures capture_back
	((N > 10)) || fail "only $N captures gave a stream"
}

@test "ev2db: a header only, and a name of 5,000 characters" {
	printf '#tl-ev\t1\nend\t0\n' >none.ev
	whole none.ev
	printf '#tl-ev\t1\nop\t9\t-5\t.\t.\t.\t.\t.\t.\thost\t%s\t.\nend\t1\n' \
	    "$(head -c 5000 /dev/zero | tr '\0' n)" >long.ev
	whole long.ev
	[[ $(sqlite3 x.db 'SELECT length(text) FROM tl_name') == 5000 ]]
}

@test "ev2db: text is decoded: NUL and bytes that are no UTF-8 are blobs" {
	printf '#tl-ev\t1\nop\t1\t0\t1\t7\t.\t.\t7\t.\thost\t%s\tE:1\n' \
	    'a\x00b' >a.ev
	printf 'op\t2\t1\t1\t7\t.\t.\t7\t.\thost\t%s\tE:2\nop\t3\t1\t1\t7\t.\t.\t7\t.\thost\t%s\tE:3\nend\t3\n' \
	    '\xFF' 'a\tb\\' >>a.ev
	whole a.ev
	[[ $(sqlite3 x.db "SELECT group_concat(typeof(text) || hex(text))
	    FROM tl_name") == blob610062,blobFF,text6109625C ]]
}

@test "ev2db: no more text is held than -S says, and all is there" {
	awk 'BEGIN {
		OFS = "\t"
		print "#tl-ev", 1
		for (i = 1; i <= 60000; i++)
			print "op", i, i, 1, 1, ".", ".", 1, ".", "host", \
			    "name_of_an_operator_" i % 20000, "E:" i, "seq=" i
		print "end", 60000
	}' >many.ev
	whole many.ev
	[[ $(sqlite3 x.db 'SELECT count(*) FROM tl_name') == 20000 ]]
	back many.ev -S 1M
	(($(sqlite3 x.db 'SELECT count(*) FROM tl_name') > 20000))
	[[ $(sqlite3 x.db 'SELECT count(DISTINCT text) FROM tl_name') == 20000 ]]
	python3 "$TESTS/db.py" many.ev x.db >&2
}

@test "ev2db: references to what comes later, and to what never comes" {
	local c=$'\t1\t1\t1\t1\t.\t0\t0\t0\t0\t0\t0\t0\t.\t.\t.'

	{
		printf '#tl-ev\t1\n'
		printf 'kernel\t1\t5\t1\t7\t0\t1\t7\t1\tcompute\tk\tE:1\n'
		printf 'member\t4\t9\t0\t0\t1\n'
		printf 'launch\t4\t.\t7\t0\t1\t5\t1\t9\texact\t1\t0\t.\tr\n'
		printf 'unit\t9\tgraph:1\t1\t1\t1\n'
		printf 'pos\t7:0\tN001\t.\t1\t0\troot\t.\t1\t1\t1\t5\t1\t1\t0\t0\t0\t0\t0\t0\t.\t.\t.\tr\n'
		printf 'pos\t7:0\tN002\tN001\t1\t1\tloop\t2.00\t1\t1\t1\t5\t1\t1\t0\t0\t0\t0\t0\t0\t.\t.\t.\tr\n'
		printf 'real\t1\t7:0\tN002\tN002#1\t1\n'
		printf 'occ\t7:0\tN002\t1\tN002#2\t1\tfull\t1\t5%s\n' "${c:12}"
		printf 'occ\t7:0\tN002\t2\t.\t.\tfull\t1\t5%s\n' "${c:12}"
		printf 'end\t9\n'
	} >later.ev
	sed -i 's/\(^occ.*full\t1\t5\).*/\1\t1\t.\t1\t1\t0\t0\t0\t0\t0\t1/' later.ev
	whole later.ev
	[[ $(sqlite3 x.db "SELECT o.n, p.n FROM tl_occurrence o
	    JOIN tl_occurrence p ON p.occurrence = o.parent") == '1|2' ]]
	[[ $(sqlite3 x.db "SELECT o.n FROM tl_real JOIN tl_occurrence o
	    USING (occurrence)") == 1 ]]
	# refused ARGUMENTS: what is changed, which is one clear line; with -t
	# the record is kept
	refused() {
		local regex=$1

		sed "$2" later.ev >bad.ev
		try tl-ev2db -f -o bad.db bad.ev
		expect 1 "^tl-ev2db: bad.ev:[0-9]+: $regex" || return 1
		[[ ! -e bad.db ]] || fail "a database in spite of that" ||
		    return 1
		[[ ${3:-} == hard ]] || back bad.ev -t -q
	}
	refused "launch '5': there is no record of it" 's/^member\t4/member\t5/'
	refused "unit '8': there is no record of it" 's/^\(member\t4\t\)9/\18/'
	refused "unit '8': there is no record of it" 's/\(5\t1\t\)9\texact/\18\texact/'
	refused "event '2': no event before" 's/^real\t1/real\t2/'
	refused "call '3': no event before" 's/^launch\t4\t./launch\t4\t3/'
	refused "parent 'N002#3': there is no such" 's/^occ\(.*\)N002#2/occ\1N002#3/'
	refused "parent 'N002#3': there is no such" 's/^real\(.*\)N002#1/real\1N002#3/'
	refused "position 'N003': no pos record" 's/^real\(.*\)N002\tN/real\1N003\tN/'
	refused "position 'N003': positions of a scope are numbered" \
	    's/^\(pos.*\)N002/\1N003/' hard
	refused "n '3': occurrences of a position are counted" \
	    's/^\(occ.*\)\t2\t\.\t\./\1\t3\t.\t./'
	refused "parent 'x': must be POSITION#NUMBER" 's/N002#2/x/' hard
	refused "iterations '2': must be a number with two" 's/2\.00/2/' hard
	refused "start 'x': must be an integer" 's/\(launch.*\)\t5\t1/\1\tx\t1/' hard
	refused "record 'unit.*: 6 columns are needed" '/^unit/s/\t1$//' hard
	refused "id 'x'|record 'unit" '/^unit/{p;s/:1/:2/}' hard
}

@test "ev2db: an id twice, ids that do not ascend" {
	run_ev
	awk -F '\t' '/^unit/ { print; n++ } /^end/ { $0 = "end\t" $2 + n } { print }' \
	    run.ev >twice.ev
	try tl-ev2db -o x.db twice.ev
	expect 1 "twice.ev:[0-9]+: record 'unit.*': its id is there already"
	[[ ! -e x.db ]]
	printf '#tl-ev\t1\nmark\t2\t5\t.\t.\t.\t.\t.\t.\thost\tm\tE:1\nmark\t2\t5\t.\t.\t.\t.\t.\t.\thost\tm\tE:2\nend\t2\n' >ids.ev
	try tl-ev2db -o x.db ids.ev
	expect 1 "ids.ev:3: id '2': must be more than that of the event above"
}

@test "ev2db: -t notes that the end is missing, and db2ev gives a whole stream" {
	run_ev
	head -n 300 run.ev >cut.ev
	try tl-ev2db -t -o x.db cut.ev
	expect 0
	tl-db2ev -P x.db >back.ev
	tl-check back.ev
	head -n 300 back.ev | cmp - cut.ev
	[[ $(sed -n 301p back.ev) == $'note\twarn\tno_end_record\t.\t'* ]]
	[[ $(wc -l <back.ev) == 302 ]]
}

@test "ev2db: -I adds indexes; statistics are there" {
	run_ev
	tl-ev2db -o a.db run.ev
	tl-ev2db -I -o b.db run.ev
	sqlite3 a.db "SELECT name FROM sqlite_master WHERE type = 'index'" |
	    sort >a
	sqlite3 b.db "SELECT name FROM sqlite_master WHERE type = 'index'" |
	    sort >b
	[[ $(comm -13 a b | xargs) == \
	    "tl_event_lane tl_event_name tl_event_start" ]]
	[[ -z $(comm -23 a b) ]]
	(($(sqlite3 a.db 'SELECT count(*) FROM sqlite_stat1') > 5))
	cmp <(tl-db2ev -P b.db) run.ev
}

@test "ev2db: what is replaced and what is not" {
	run_ev
	sqlite3 other.db 'CREATE TABLE t (a); INSERT INTO t VALUES (1)'
	cp other.db before
	try tl-ev2db -o other.db run.ev
	expect 1 'other.db: output: is there and no analysis database: -f'
	cmp other.db before
	echo text >text
	try tl-ev2db -o text run.ev
	expect 1 'text: output: is there and no analysis database'
	[[ $(<text) == text ]]
	: >empty
	tl-ev2db -o empty run.ev
	tl-ev2db -o empty run.ev
	tl-ev2db -f -o text run.ev
	tl-db2ev -P text | cmp - run.ev
	# a link leads to what it names
	ln -s text link
	tl-ev2db -o link run.ev
	[[ -L link ]]
	# no output at all, or one that takes no database
	try tl-ev2db run.ev
	expect 2 && grep -q "option '-o': needed" "$TRY/err"
	try tl-ev2db -o - run.ev
	expect 2
	mkfifo fifo
	for f in fifo /dev/null; do
		try tl-ev2db -f -o $f run.ev
		expect 1 "$f: output: not a plain file"
	done
	[[ -z $(find . -name '*.??????' ! -name '*.sqlite') ]]
}

@test "ev2db: what SQLite would apply to the new database is not left beside it" {
	run_ev
	tl-ev2db -o a.db run.ev
	# a reader that stays, and a change that is in a.db-wal only
	python3 - <<-'END'
		import os, sqlite3
		db = sqlite3.connect("a.db")
		db.execute("PRAGMA journal_mode = wal")
		db.execute("CREATE TABLE mine (a)")
		db.commit()
		os._exit(0)
	END
	[[ -s a.db-wal ]]
	cksum a.db* >before
	try tl-ev2db -o a.db run.ev
	expect 1 "a.db: output: 'a.db-wal' is there: another program"
	ln -s a.db link
	try tl-ev2db -f -o link run.ev
	expect 1 "link: output: 'link-wal' is there"
	cksum a.db* | diff before - >&2
	sqlite3 a.db 'DROP TABLE mine; PRAGMA journal_mode = delete' >out
	printf '\331\325\005\371' >b.db-journal
	try tl-ev2db -o b.db run.ev
	expect 1 "b.db: output: 'b.db-journal' is there"
	printf '\0\0\0\0' >b.db-journal
	tl-ev2db -o b.db run.ev
	tl-ev2db -o a.db run.ev
	cmp <(tl-db2ev -P a.db) run.ev
}

@test "ev2db: a folder that may not be written, a disk that is full" {
	run_ev
	mkdir ro
	chmod 555 ro
	if ! touch ro/x 2>/dev/null; then
		try tl-ev2db -o ro/a.db run.ev
		expect 1 'ro/a.db: create: Permission denied'
	fi
	tl-ev2db -P -o a.db run.ev
	cp a.db before
	for kib in 8 100; do
		rc=0
		(ulimit -f $kib && tl-ev2db -P -o a.db run.ev) 2>err || rc=$?
		((rc == 1)) || fail "status $rc"
		grep -qx 'tl-ev2db: a.db: write: File too large' err ||
		    fail "$(<err)"
		[[ $(wc -l <err) == 1 ]]
		cmp a.db before
	done
	# a disk of its own, where one may be mounted
	mkdir disk
	if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
		try tl-ev2db -o disk/a.db run.ev
		ls -A disk >left
		umount disk
		expect 1 'disk/a.db: write: No space left on device'
		[[ ! -s left ]]
	fi
}

@test "ev2db: killed at any moment: the old file stays, the next run cleans" {
	local i n=0

	run_ev
	tl-ev2db -P -o a.db run.ev
	cp a.db a.db.backup
	cp a.db before
	echo mine >a.db.abcdef
	for i in {1..15}; do
		(exec tl-ev2db -P -I -o a.db run.ev) &
		sleep 0.0$((RANDOM % 3))$((RANDOM % 10))
		kill -KILL $! 2>/dev/null || n=$((n + 1))
		wait $! 2>/dev/null || :
		tl-db2ev -P a.db | cmp - run.ev || fail "broken"
	done
	# one that is at work is left alone
	(sed '$d' run.ev; sleep 3; tail -n 1 run.ev) | tl-ev2db -P -o a.db &
	sleep 0.5
	tl-ev2db -P -o a.db run.ev
	cmp a.db before
	wait $!
	cmp a.db before
	[[ $(ls a.db*) == $'a.db\na.db.abcdef\na.db.backup' ]] ||
	    fail "left: $(ls a.db*)"
	[[ $(<a.db.abcdef) == mine ]]
}

@test "db2ev: a newer schema, another program's database, an unfinished one" {
	run_ev
	tl-ev2db -o a.db run.ev
	cp a.db newer.db
	sqlite3 newer.db 'PRAGMA user_version = 2'
	try tl-db2ev newer.db
	expect 1 "^tl-db2ev: newer.db: schema version '2': newer than this tool reads \(1\)$"
	sqlite3 other.db 'CREATE TABLE tl_event (a)'
	try tl-db2ev other.db
	expect 1 '^tl-db2ev: other.db: not an analysis database: tl-ev2db makes'
	cp a.db half.db
	sqlite3 half.db "PRAGMA application_id = $((0x746C4462))"
	try tl-db2ev half.db
	expect 1 '^tl-db2ev: half.db: unfinished analysis database'
	try tl-db2ev run.ev
	expect 1 '^tl-db2ev: run.ev: not an SQLite database'
	try tl-db2ev
	expect 2
}

@test "ev2db: a tree that is too deep for its paths" {
	{
		printf '#tl-ev\t1\nkernel\t1\t0\t5\t7\t0\t1\t7\t.\tcompute\tk\tE:0\n'
		seq 1 1002 | awk '{
			printf "pos\t7:0\tN%03d\t%s\t1\t%d\t%s\t1.00\t1\t1\t1\t0\t5",
			    $1, $1 == 1 ? "." : sprintf("N%03d", $1 - 1),
			    $1 - 1, $1 == 1 ? "root" : "seq"
			print "\t5\t5\t0\t0\t0\t0\t0\t.\t.\t.\t."
		}'
	} >deep
	(head -n 1003 deep; printf 'end\t1002\n') >deepest.ev
	tl-ev2db -P -o d.db deepest.ev
	tl-db2ev -P d.db | cmp - deepest.ev
	(cat deep; printf 'end\t1003\n') >deep.ev
	try tl-ev2db -o e.db deep.ev
	expect 1 "^tl-ev2db: deep.ev:1004: depth '1001': more than 1000$"
}

# damaged REGEX SQL: what is wrong after that is one clear line.
damaged() {
	cp a.db d.db
	sqlite3 d.db "$2"
	try tl-db2ev d.db
	expect 1 "^tl-db2ev: d.db: $1" || return 1
	! grep -q '^end' "$TRY/out"
}

@test "db2ev: rows that are missing, too many, or cannot be" {
	run_ev
	tl-ev2db -o a.db run.ev
	damaged 'damaged.*record 7 of [0-9]* is missing' \
	    'DELETE FROM tl_event WHERE event + shift = 7'
	damaged 'damaged.*there twice' "INSERT INTO tl_note SELECT min(position),
	    'info', 'x', 1, 'x' FROM tl_position"
	damaged 'damaged.*more than' \
	    "INSERT INTO tl_note VALUES (999999, 'info', 'x', 1, 'x')"
	damaged 'damaged.*with a fraction' 'UPDATE tl_event SET dur_ns = 0.5
	    WHERE event = 3'
	# never taken for 0
	damaged 'damaged.*something else where an integer' \
	    "UPDATE tl_event SET start_ns = 'x' WHERE event = 3"
	damaged 'damaged.*something else where an integer' \
	    "UPDATE tl_event SET place = x'00' WHERE event = 3"
	damaged 'damaged.*.-5. where no negative' \
	    'UPDATE tl_event SET dur_ns = -5 WHERE event = 3'
	damaged 'damaged.*key 0 of a text is not there' \
	    'UPDATE tl_event SET lane = 0 WHERE event = 3'
	damaged 'damaged.*no columns of a line' \
	    "UPDATE tl_keys SET text = 'a=b' || char(0) WHERE keys = 1"
	damaged 'damaged.*string or blob too big' \
	    'UPDATE tl_name SET text = zeroblob(5000000) WHERE name = 1'
	damaged 'damaged.*a header line that is none' \
	    "UPDATE tl_header SET text = '#else' WHERE n = 1"
	damaged 'damaged.*no such kind' 'UPDATE tl_event SET kind = 77
	    WHERE event = 3'
	damaged 'damaged.*key [0-9]+ of a text is not there' \
	    'DELETE FROM tl_name WHERE name = 1'
	damaged 'damaged.*no such table: tl_real' 'DROP TABLE tl_real'
	damaged 'damaged.*no header' 'DELETE FROM tl_header'
	damaged 'damaged.*a line that is none' \
	    "UPDATE tl_header SET text = text || char(10) || 'end' WHERE n = 1"
	damaged "damaged.*no 'records'" "DELETE FROM tl_meta
	    WHERE key = 'records'"
	# tables, views and indexes of others are nothing to it
	sqlite3 a.db 'CREATE TABLE mine (a); CREATE VIEW tl_v AS SELECT 1;
	    CREATE INDEX mine2 ON tl_event (start_ns)'
	tl-db2ev -P a.db | cmp - run.ev
}

@test "db2ev: a database that is only read, in a folder that is" {
	local before

	run_ev
	mkdir ro
	tl-ev2db -o ro/a.db run.ev
	sqlite3 ro/a.db 'PRAGMA journal_mode = wal' >out
	chmod 555 ro
	chmod 444 ro/a.db
	before=$(ls -lA --full-time ro; cksum ro/*)
	tl-db2ev -P ro/a.db | cmp - run.ev
	[[ $before == "$(ls -lA --full-time ro; cksum ro/*)" ]]
}

@test "db2ev: its line of provenance is the last of the header" {
	run_ev
	tl-ev2db -o a.db run.ev
	tl-db2ev a.db >b.ev
	tl-check b.ev
	[[ $(grep '^#' b.ev | tail -n 1) == $'#prog\ttl-db2ev\t0.1.0\ta.db' ]]
	diff <(grep -v 'tl-db2ev' b.ev) run.ev >&2
	# and the database made from that gives it back, too
	whole b.ev
}

@test "tl-db(5): every column is in the page, every query of the page runs" {
	run_ev
	tl-ev2db -o a.db run.ev
	python3 - "$ROOT/man/tl-db.5" a.db <<-'END'
		import re, sqlite3, sys
		page = open(sys.argv[1]).read()
		db = sqlite3.connect(sys.argv[2])
		bad = []
		section = {}
		for title, text in re.findall(r"^\.Ss (tl_[^:\n]*): .*\n((?:(?!\.S[hs] ).*\n)*)",
		    page, re.M):
		    for table in title.split(", "):
		        items = re.sub(r"\\\n", "", text)
		        section[table] = set(w.rstrip(",") for line in
		            re.findall(r"^\.It (.*)", items, re.M) for w in line.split())
		tables = [t for t, in db.execute("SELECT name FROM sqlite_master "
		    "WHERE type = 'table' AND name LIKE 'tl\\_%' ESCAPE '\\'")]
		for t in tables:
		    if t not in section:
		        bad.append(f"{t} is not in the page")
		        continue
		    for c in db.execute(f"PRAGMA table_info({t})"):
		        if c[1] not in section[t]:
		            bad.append(f"{t}.{c[1]} is not in the page")
		for t in section:
		    if t not in tables:
		        bad.append(f"{t} is in the page only")
		queries = [q for q in re.findall(
		    r"^\.Bd -literal.*\n((?:(?!\.Ed).*\n)*)", page, re.M)
		    if not q.startswith("import ")]
		for q in queries:
		    q = q.replace("\\e", "\\").replace("[K]", "[1]")
		    try:
		        for one in q.split(";"):
		            db.execute(one).fetchall()
		    except sqlite3.Error as e:
		        bad.append(f"{e}: {q}")
		if len(tables) < 20 or len(queries) < 5:
		    bad.append(f"only {len(tables)} tables, {len(queries)} queries")
		print("\n".join(bad))
		sys.exit(bool(bad))
	END
}
