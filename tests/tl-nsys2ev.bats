#!/usr/bin/env bats
# What is no case of cases/tl-nsys2ev: files that are no exports, what must not
# appear beside one, big and damaged ones, and real captures.
load helper

setup() {
	tl_setup
	need sqlite3
	# shellcheck source=/dev/null
	. "$TESTS/cases/tl-nsys2ev/lib.sh"
	mkdir in
	cd in || return 1
	make_export "$TESTS/cases/tl-nsys2ev/basic/in.sql"
}

# What the folder holds: names, sizes, times and sums of all files.
folder() {
	find . -type f -printf '%p %s %T@ %m\n' | sort
	find . -type f -exec cksum {} + | sort
}

# untouched RC REGEX ARGUMENT...: the tool's status and message on the
# arguments, and that nothing in the folder changed.
untouched() {
	local before want=$1 regex=$2

	before=$(folder)
	shift 2
	try tl-nsys2ev "$@"
	if ((want == 0)); then
		expect 0 && expect_silent
	else
		expect "$want" "$regex"
	fi || return 1
	[[ $(folder) == "$before" ]] ||
	    fail "the folder changed: $(diff <(echo "$before") <(folder))"
}

@test "nsys2ev: no such file, a folder, standard input, a pipe" {
	untouched 1 'no.sqlite: No such file' no.sqlite
	[[ ! -e no.sqlite ]]
	mkdir folder
	untouched 1 'folder: is a directory' folder
	untouched 1 '<stdin>: SQLite cannot read from a pipe' -
	mkfifo pipe
	untouched 1 'pipe: not a plain file' pipe
}

@test "nsys2ev: a report, an empty file, a text" {
	printf 'not an export\0\1\2' >run.nsys-rep
	untouched 1 "run.nsys-rep: not an SQLite database.*report.*'nsys export --type sqlite'" run.nsys-rep
	: >empty.sqlite
	untouched 1 "empty.sqlite: empty file.*'nsys export --type sqlite'" empty.sqlite
	echo '{"traceEvents":[]}' >text.sqlite
	untouched 1 "text.sqlite: not an SQLite database, but a trace in JSON: tl-kineto2ev reads it" text.sqlite
	head -c 50 in.sqlite >header.sqlite
	untouched 1 'header.sqlite: SQLite database is cut short' header.sqlite
}

@test "nsys2ev: a database of another program, one without tables" {
	sqlite3 other.db 'CREATE TABLE songs (id, name)'
	untouched 1 'other.db: SQLite database of another program' other.db
	sqlite3 none.db 'CREATE TABLE t (a); DROP TABLE t'
	untouched 1 'none.db: SQLite database without a table' none.db
}

@test "nsys2ev: an export of which nothing is left but its strings" {
	sqlite3 few.sqlite 'CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
	    CREATE TABLE ProcessStreams (globalPid, filenameId, contentId)'
	untouched 0 '' few.sqlite
	grep -q 'no_device_events.*KERNEL is missing' "$TRY/out"
}

@test "nsys2ev: a truncated file" {
	size=$(stat -c %s in.sqlite)
	for n in 100 1000 4096 5000 $((size / 2)) $((size - 1)); do
		head -c "$n" in.sqlite >cut.sqlite
		untouched 1 "cut.sqlite: (SQLite database is cut short: $n of $size bytes|.*malformed)" cut.sqlite
	done
}

@test "nsys2ev: a damaged file, and what -k makes of it" {
	need "$BUILD/gen" "$BUILD/tl-check"
	"$BUILD/gen" -f nsys -p demo -o whole.sqlite
	tl-nsys2ev -P whole.sqlite >../whole.ev
	size=$(stat -c %s whole.sqlite)
	for part in 60 70 80 90; do
		head -c $((size * part / 100)) whole.sqlite >cut.sqlite
		untouched 1 'cut short' cut.sqlite
		try tl-nsys2ev -k -P cut.sqlite
		expect 1 'could not be read, and are missing'
		tl-check "$TRY/out"
		grep -q '^note.error.truncated' "$TRY/out"
		# what is there is true: no event that the whole file has not,
		# names apart, which may be in the part that is missing
		for f in "$TRY/out" ../whole.ev; do
			grep -v '^#\|^note\|^end' "$f" | cut -f3-9,12 |
			    sort >"$f.all"
		done
		[[ $(comm -23 "$TRY/out.all" ../whole.ev.all) == '' ]]
		rm cut.sqlite
	done
}

@test "nsys2ev: random damage" {
	need python3 "$BUILD/tl-check"
	sqlite3 in.sqlite <"$TESTS/cases/tl-nsys2ev/n01-nvtx-null-end/in.sql"
	sqlite3 in.sqlite <"$TESTS/cases/tl-nsys2ev/copies/in.sql"
	sqlite3 in.sqlite <"$TESTS/cases/tl-nsys2ev/n06-graph-and-nodes/in.sql"
	try python3 "$TESTS/damage.py" in.sqlite 120 "${SEED:-1}" \
	    tl-nsys2ev -P -c +osrt
	expect 0
	# not all are refused, not all are taken
	grep -Eq '^[1-9][0-9]* read, [1-9][0-9]* refused' "$TRY/out"
}

# ---- WAL mode ----

# Leaves wal.sqlite in WAL mode with one more kernel in wal.sqlite-wal.
make_wal() {
	need python3
	cp in.sqlite base.sqlite
	python3 -c '
import shutil, sqlite3
db = sqlite3.connect("base.sqlite", isolation_level=None)
db.execute("pragma journal_mode = wal")
db.execute("pragma wal_autocheckpoint = 0")
db.execute("update CUPTI_ACTIVITY_KIND_KERNEL set start = start")
db.execute("pragma wal_checkpoint(truncate)")
db.execute("insert into CUPTI_ACTIVITY_KIND_KERNEL select start + 1000, "
    "end + 1000, deviceId, contextId, NULL, streamId, 10, globalPid, "
    "demangledName, shortName, NULL, 1, 1, 1, 1, 1, 1, NULL, NULL "
    "from CUPTI_ACTIVITY_KIND_KERNEL")
shutil.copy("base.sqlite", "wal.sqlite")
shutil.copy("base.sqlite-wal", "wal.sqlite-wal")
db.close()'
	rm -f base.sqlite*
	[[ -s wal.sqlite-wal ]]
	# bytes 18 and 19 of the header are 2 in WAL mode
	[[ $(od -An -tu1 -j18 -N2 wal.sqlite | tr -d ' ') == 22 ]]
}

@test "nsys2ev: WAL mode, changes in the -wal are seen" {
	make_wal
	untouched 0 '' -c kernel wal.sqlite
	[[ $(grep -c ^kernel "$TRY/out") == 2 ]]
}

@test "nsys2ev: WAL mode, the -wal is not there" {
	make_wal
	rm wal.sqlite-wal
	untouched 0 '' -c kernel wal.sqlite
	[[ $(grep -c ^kernel "$TRY/out") == 1 ]]
	: >wal.sqlite-wal
	untouched 0 '' -c kernel wal.sqlite
	[[ $(grep -c ^kernel "$TRY/out") == 1 ]]
}

# Root writes everywhere, so it has to be somebody else, in a folder and with a
# program that others can read.
@test "nsys2ev: a folder that may not be written" {
	make_wal
	cp wal.sqlite alone.sqlite
	as=()
	dir=$PWD
	if [[ $(id -u) == 0 ]]; then
		need setpriv
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		dir=$(mktemp -d /tmp/nsys2ev.XXXXXX)
		cp ./*.sqlite* "$BUILD/tl-nsys2ev" "$dir"
		export PATH=$dir:$PATH
	fi
	cd "$dir"
	chmod a-w,a+rX . ./*
	bad=
	before=$(folder)
	"${as[@]}" touch x 2>/dev/null && bad='the folder can be written'
	for f in in:1 alone:1 wal:2; do
		try "${as[@]}" tl-nsys2ev -c kernel "${f%:*}.sqlite"
		[[ $rc == 0 && ! -s $TRY/err &&
		    $(grep -c ^kernel "$TRY/out") == "${f#*:}" ]] ||
		    bad="$f: $rc: $(<"$TRY/err")"
	done
	[[ $(folder) == "$before" ]] || bad='the folder changed'
	chmod u+w . ./*
	cd "$BATS_TEST_TMPDIR"
	[[ $dir == /tmp/nsys2ev.* ]] && rm -r "$dir"
	[[ -z $bad ]] || fail "$bad"
}

@test "nsys2ev: an unfinished transaction" {
	head -c 600 /dev/urandom >in.sqlite-journal
	printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7' |
	    dd of=in.sqlite-journal conv=notrunc 2>/dev/null
	untouched 1 "in.sqlite: SQLite database in the middle of a transaction \('in.sqlite-journal' is there\)" in.sqlite
	# the journal of a finished one begins with zeros
	head -c 600 /dev/zero >in.sqlite-journal
	untouched 0 '' in.sqlite
}

@test "nsys2ev: a file that changes while it is read" {
	need "$BUILD/gen"
	"$BUILD/gen" -f nsys -p demo -o big.sqlite
	mkfifo pipe
	tl-nsys2ev big.sqlite >pipe 2>err &
	# the pipe holds less than the stream: the tool is not done yet
	exec 7<pipe
	head -c 1000 <&7 >/dev/null
	touch -d '2001-01-01' big.sqlite
	cat <&7 >rest
	exec 7<&-
	rc=0
	wait $! || rc=$?
	[[ $rc == 1 ]]
	grep -q 'big.sqlite: changed while it was read' err
	[[ $(tail -n 1 rest) != end* ]]
}

@test "nsys2ev: names of files that mean something in a URI" {
	want=$(tl-nsys2ev -P in.sqlite | sed 1,2d | cksum)
	mkdir 'a?b=c' ; chmod 755 'a?b=c'
	for f in 'x?mode=rwc' 'x%41.sqlite' 'x#y' 'x y&z' 'a?b=c/d' $'nl\nx' \
	    'file:x' 'ü.sqlite'; do
		cp in.sqlite "$f"
		try tl-nsys2ev -P "$f"
		expect 0
		[[ $(sed 1,2d "$TRY/out" | cksum) == "$want" ]]
		try tl-nsys2ev -P "//$PWD/$f"
		expect 0
	done
	[[ ! -e x ]]
}

@test "nsys2ev: -o onto the input, and a failed run" {
	before=$(cksum <in.sqlite)
	try tl-nsys2ev -o in.sqlite in.sqlite
	expect 1 'in.sqlite: output: is the input'
	ln in.sqlite link.sqlite
	try tl-nsys2ev -o link.sqlite in.sqlite
	expect 1 'link.sqlite: output: is the input'
	[[ $(cksum <in.sqlite) == "$before" ]]
	echo old >out.ev
	head -c 5000 in.sqlite >cut.sqlite
	try tl-nsys2ev -o out.ev cut.sqlite
	expect 1
	[[ $(<out.ev) == old ]]
	[[ $(ls) == $'cut.sqlite\nin.sqlite\nlink.sqlite\nout.ev' ]]
}

# ---- generated exports of each schema, against Python's reading of them ----

# same_as_sql FILE OPTION...: the stream of FILE is what nsys.py expects.
same_as_sql() {
	local f=$1

	shift
	tl-nsys2ev -P "$@" "$f" >../s.ev
	tl-check ../s.ev
	try python3 "$TESTS/nsys.py" "$f" ../s.ev "${@/*osrt/osrt}"
	expect 0
}

@test "nsys2ev: generated exports of all schemas" {
	need python3 "$BUILD/gen" "$BUILD/tl-check"
	for x in 3.25 3.24 3.16 2.9 old; do
		"$BUILD/gen" -f nsys -n 6 -l 3 -c 1 -s 2 -D 2 -P 2 -O 2 -C 1,3 \
		    -Z 0,2 -x "schema=$x,osrt=50,sync" -o g.sqlite
		same_as_sql g.sqlite -c +osrt
		same_as_sql g.sqlite
	done
	"$BUILD/gen" -f nsys -n 6 -O 3 -x nvtx=id -o g.sqlite
	same_as_sql g.sqlite
	for x in noid id trace; do
		"$BUILD/gen" -f nsys -n 6 -g "layer:$x" -o g.sqlite
		same_as_sql g.sqlite
	done
}

@test "nsys2ev: rows in any order give the same events" {
	need python3 "$BUILD/gen" "$BUILD/tl-check"
	# all but id and place, in an order that does not depend on them
	events() {
		grep -v '^#' "$1" | cut -f1,3-11,13- | sort
	}
	"$BUILD/gen" -f nsys -n 40 -o sorted.sqlite
	tl-nsys2ev -P sorted.sqlite >../sorted.ev
	events ../sorted.ev >../want
	for x in all 3 50; do
		"$BUILD/gen" -f nsys -n 40 -x "shuffle=$x" -o g.sqlite
		same_as_sql g.sqlite
		events ../s.ev | cmp - ../want
		# where the memory is not enough
		tl-nsys2ev -P -S 1M g.sqlite | cmp - ../s.ev
		[[ $(ls -A "$TMPDIR") == '' ]]
	done
}

@test "nsys2ev: more rows at one time than are held" {
	need python3
	sqlite3 in.sqlite 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
	    SELECT i + 1 FROM n WHERE i < 6000)
	    INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
	    SELECT 10, 20 + i % 7, 59, i, 1 << 24 | 1 FROM n'
	same_as_sql in.sqlite
	[[ $(grep -c ^range ../s.ev) == 6000 ]]
}

# ---- real captures ----

# real NAME LINE...: the stream is what SQL says, and so are the totals of its
# scopes.
real() {
	need python3 "$BUILD/tl-check"
	capture "nsys/$1"
	same_as_sql "$CAPTURE" -c +osrt
	same_as_sql "$CAPTURE"
	diff <(printf '%s\n' "${@:2}") "$TRY/out"
}

@test "nsys2ev: capture of 2021 without CUDA activity" {
	capture nsys/dynamicvit-2021-no_cuda_activity.sqlite
	try tl-nsys2ev "$CAPTURE"
	expect 0
	expect_silent
	[[ $(grep -vc '^#' "$TRY/out") == 2 ]]
	grep -q '^note.warn.no_device_events.*KERNEL is missing' "$TRY/out"
}

@test "nsys2ev: capture of 2022, all tables" {
	real pipit-2022.2.1-saxpy-mpi-all_tables.sqlite \
	    '1230493:0 kernels=5 copies=15 fills=0 span=1097327843 busy=373273080 compute=88573480'
}

@test "nsys2ev: capture of 2024, HPC" {
	real pipit-2024.5.1-cloverleaf-cuda.sqlite \
	    '1701896:0 kernels=1312 copies=279 fills=0 span=342407810 busy=303795463 compute=294404540'
}

@test "nsys2ev: capture of 2025, calls without kernels" {
	real weatherbench2-2025.5.1-runtime_no_kernels.sqlite \
	    '2568473:0 kernels=0 copies=0 fills=1 span=1472 busy=1472 compute=0'
	grep -q '^note.warn.no_kernels' ../s.ev
}

@test "nsys2ev: capture of 2026, two GPUs" {
	real nsysai-2026.2.1-h100x2-1s.sqlite \
	    '111:0 kernels=1721 copies=452 fills=11 span=969447605 busy=962890247 compute=22385163' \
	    '112:1 kernels=1721 copies=452 fills=11 span=969258578 busy=962810705 compute=22444359'
	# a join by correlation alone gives 1,643 pairs, 11 of them false
	[[ $(awk -F'\t' '$1 == "api" { call[$5 "\t" $9] } $1 == "kernel" &&
	    ($5 "\t" $9) in call { n++ } END { print n }' ../s.ev) == 1632 ]]
}

@test "an output onto what SQLite keeps beside the export is refused" {
	need sqlite3
	sqlite3 x.sqlite <"$TESTS/battery/nsys.sql"
	for end in wal journal shm; do
		try tl-nsys2ev -o "x.sqlite-$end" x.sqlite
		expect 1 "x.sqlite-$end: output: is a part of the input"
		[[ ! -e x.sqlite-$end ]]
	done
}
