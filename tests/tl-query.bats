#!/usr/bin/env bats
load helper

setup() {
	tl_setup
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	sqlite3 a.db "CREATE TABLE t(i INTEGER, s TEXT);
	    INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL);
	    CREATE VIEW v AS SELECT s FROM t;"
}

# ask RC REGEX SQL [OPTION...]: one line on stderr, nothing printed, nothing
# changed.
ask() {
	local before

	before=$(ls -A && cksum a.db)
	try tl-query "${@:4}" a.db "$3"
	expect "$1" "^tl-query: $2"
	[[ ! -s $TRY/out ]]
	[[ $before == "$(ls -A && cksum a.db)" ]] || fail "changed: $3"
}

# rows SQL EXPECTED: without the line of names.
rows() {
	try tl-query a.db "$1"
	expect 0
	expect_silent
	[[ $(sed 1d "$TRY/out") == "$2" ]] || { show; fail "$1"; }
}

@test "tl-query: what would write is refused" {
	local sql

	for sql in "INSERT INTO t VALUES (1, 2)" "UPDATE t SET i = 1" \
	    "DELETE FROM t" "REPLACE INTO t VALUES (1, 2)" \
	    "WITH a AS (SELECT 1) INSERT INTO t SELECT 1, 2 FROM a" \
	    "DELETE FROM t RETURNING i" "CREATE TABLE x(a)" \
	    "CREATE TEMP TABLE x(a)" "CREATE TABLE x AS SELECT 1" \
	    "CREATE VIEW x AS SELECT 1" "CREATE INDEX x ON t(i)" \
	    "CREATE VIRTUAL TABLE x USING fts5(a)" "DROP TABLE t" \
	    "DROP VIEW v" "ALTER TABLE t RENAME TO u" \
	    "ALTER TABLE t ADD COLUMN c" "ANALYZE" "REINDEX" "VACUUM" \
	    "VACUUM INTO 'x.db'" "BEGIN" "COMMIT" "ROLLBACK" "SAVEPOINT a" \
	    "ATTACH 'x.db' AS x" "ATTACH ':memory:' AS x" "DETACH main" \
	    "EXPLAIN INSERT INTO t VALUES (1, 2)" \
	    "PRAGMA user_version = 1" "PRAGMA journal_mode = wal" \
	    "PRAGMA writable_schema = 1" "PRAGMA query_only = 0" \
	    "PRAGMA temp_store_directory = '/'" "PRAGMA wal_checkpoint" \
	    "PRAGMA optimize" "PRAGMA incremental_vacuum" \
	    "PRAGMA application_id(7)" "SELECT * FROM pragma_journal_mode"; do
		ask 1 'sql: refused: ' "$sql"
	done
	for sql in "UPDATE sqlite_master SET sql = 1" \
	    "SELECT * FROM pragma_wal_checkpoint" \
	    "DELETE FROM sqlite_master" "INSERT INTO v VALUES (1)"; do
		ask 1 'sql: ' "$sql"
	done
}

@test "tl-query: code and files are out of reach" {
	ask 1 "sql: refused: function 'load_extension'$" \
	    "SELECT load_extension('./x.so')"
	ask 1 'sql:' "SELECT fts3_tokenizer('simple', x'00')"
	ask 1 'sql:' "SELECT fts3_tokenizer('simple')"
	ask 1 'sql:1:8: no such function: readfile$' "SELECT readfile('a.db')"
	ask 1 'sql:1:8: no such function: writefile$' \
	    "SELECT writefile('x', 'y')"
	ask 1 'sql:' "SELECT * FROM fsdir('.')"
	# nor from within a view
	sqlite3 a.db "CREATE VIEW x AS SELECT load_extension('./x.so') y;
	    CREATE VIEW j AS SELECT json_object('a', 1) y"
	ask 1 'sql: .*load_extension' 'SELECT * FROM x'
	rows 'SELECT * FROM j' '{"a":1}'
}

@test "tl-query: what only looks is allowed" {
	rows 'PRAGMA user_version' 0
	rows "SELECT name FROM pragma_table_info('t') ORDER BY cid" $'i\ns'
	rows "PRAGMA integrity_check" ok
	rows "SELECT value FROM json_each('[7,8]')" $'7\n8'
	rows 'SELECT * FROM v' $'one\ntwo\n.'
	rows 'VALUES (1), (2)' $'1\n2'
	rows 'SELECT count(*) FROM sqlite_master' 2
	try tl-query a.db 'EXPLAIN QUERY PLAN SELECT * FROM t'
	expect 0
	grep -q SCAN "$TRY/out"
}

@test "tl-query: one statement" {
	rows $'; -- first\n /* x */ SELECT 1; -- last\n;/* open' 1
	ask 1 'sql:1:11: a second statement' 'SELECT 1; SELECT 2'
	ask 1 'sql:2:2: a second statement' $'SELECT 1; -- x\n DROP TABLE t'
	ask 1 'sql:1:12: a second statement' 'SELECT 1 ; nonsense'
	ask 1 'sql: no statement$' ''
	ask 1 'sql: no statement$' ' -- nothing'
	printf 'SELECT 1;\0DROP TABLE t' >nul
	try_sh 'tl-query a.db <nul'
	expect 1 '^tl-query: <stdin>:1:10: NUL byte$'
	head -c 1100000 /dev/zero | tr '\0' ' ' >long
	try_sh 'tl-query a.db <long'
	expect 1 '^tl-query: <stdin>: statement is longer than 1 MiB$'
}

@test "tl-query: errors have SQLite's words and the place" {
	ask 1 'sql:1:8: no such column: nope$' 'SELECT nope FROM t'
	# characters, not bytes, and lines
	ask 1 'sql:3:5: no such column: nope$' $'SELECT\n  i,\n\'é\',nope FROM t'
	ask 1 'sql:1:1: near "SELEC": syntax error$' 'SELEC 1'
	# in double quotes it is a name, too
	ask 1 'sql:1:8: no such column: "*nope"*$' 'SELECT "nope" FROM t'
	ask 1 'sql:1:10: incomplete input$' 'SELECT (1'
	ask 1 'sql:1:15: no such table: u$|sql: no such table: u$' \
	    'SELECT * FROM u'
	ask 1 'sql: integer overflow$' 'SELECT abs(-9223372036854775808)'
	ask 1 'sql:1:8: no such column: \\xFF\\x01x$' \
	    $'SELECT "\xff\x01x" FROM t'
	ask 1 'sql:1:8: no such column: x{300}' \
	    "SELECT $(printf '%03000d' 0 | tr 0 x) FROM t"
	echo 'SELECT i, nope FROM t' >q.sql
	try_sh 'tl-query a.db <q.sql'
	expect 1 '^tl-query: <stdin>:1:11: no such column: nope$'
}

@test "tl-query: the statement from standard input" {
	echo 'SELECT i FROM t WHERE i > 1' >q.sql
	for dash in '' -; do
		try_sh "tl-query a.db $dash <q.sql"
		expect 0
		[[ $(<"$TRY/out") == $'i\n2\n3' ]]
	done
	gzip q.sql
	try_sh 'tl-query a.db <q.sql.gz'
	expect 0
}

@test "tl-query: more rows than the limit are an error, and none is printed" {
	local n='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n'

	for f in tsv csv jsonl table; do
		ask 1 'sql: more than 1000 rows: narrow .* -l$' \
		    "$n) SELECT i FROM n" -F $f
		ask 1 'sql: more than 2 rows' 'SELECT i FROM t' -F $f -l 2
		try tl-query -F $f -l 3 a.db 'SELECT i FROM t'
		expect 0
	done
	try tl-query a.db "$n WHERE i < 1000) SELECT i FROM n"
	[[ $(wc -l <"$TRY/out") == 1001 ]]
	for f in tsv table; do
		try tl-query -l 0 -F $f a.db "$n WHERE i < 70000) SELECT i FROM n"
		expect 0
		[[ $(wc -l <"$TRY/out") == 70001 ]]
		tail -n 1 "$TRY/out" | grep -qx ' *70000'
	done
	# past what is kept in memory
	try tl-query -l 300000 a.db \
	    "$n WHERE i < 300000) SELECT hex(zeroblob(100)) FROM n"
	expect 0
	[[ $(wc -c <"$TRY/out") == $((19 + 300000 * 201)) ]]
	[[ $(sed 1d "$TRY/out" | sort -u | wc -l) == 1 ]]
	# a failure on the way prints nothing either
	ask 1 'sql: integer overflow' \
	    'SELECT abs(i) FROM (SELECT 1 i UNION ALL SELECT -9223372036854775808)'
}

@test "tl-query: a runaway statement is stopped, and one that takes memory" {
	local n='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'

	ask 1 'sql: time is up' "$n SELECT count(*) FROM n" -T 1
	# one step that lasts
	ask 1 'sql: time is up' "SELECT instr(replace(hex(zeroblob(10000000)),
	    '0', 'a'), replace(hex(zeroblob(5000000)), '0', 'a') || 'b')" -T 1
	try tl-query -T 9 a.db 'SELECT 1'
	expect 0
	ask 1 'sql: string or blob too big: more than 64 MiB$' \
	    'SELECT randomblob(1e9)'
	ask 1 'sql: string or blob too big' \
	    "SELECT group_concat(hex(zeroblob(1000000))) FROM
	    ($n SELECT i FROM n LIMIT 100)"
	ask 1 'sql:.*' "SELECT $(printf '(%.0s' {1..2000})1$(printf ')%.0s' {1..2000})"
}

@test "tl-query: kinds of values of -p" {
	local v want

	while IFS='|' read -r v want; do
		try tl-query -p "$v" a.db 'SELECT ?1, typeof(?1)'
		expect 0
		[[ $(sed 1d "$TRY/out") == "${want/ /$'\t'}" ]] ||
		    { show; fail "$v"; }
	done <<-'END'
		NULL|. null
		null|null text
		42|42 integer
		-42|-42 integer
		9223372036854775807|9223372036854775807 integer
		-9223372036854775808|-9223372036854775808 integer
		9223372036854775808|9223372036854775808 text
		007|007 text
		-0|-0 text
		+1|+1 text
		1.5e3|1500.0 real
		.5|0.5 real
		5.|5.0 real
		-1e2|-100.0 real
		1e|1e text
		1e999|1e999 text
		.|\x2E text
		0x10|0x10 text
		inf|inf text
		'it''s'|it's text
		'42'|42 text
		'NULL'|NULL text
		'it's'|'it's' text
		'|' text
		x'00fF'|\b00FF blob
		x''|\b blob
		x'0'|x'0' text
		x'0g'|x'0g' text
		| text
		N003|N003 text
		1=a=b|a=b text
		1=|	text
	END
}

@test "tl-query: which parameter a value is for" {
	try tl-query -p 5 -p six a.db 'SELECT ?, ?'
	[[ $(sed 1d "$TRY/out") == $'5\tsix' ]]
	try tl-query -p b=1 -p a=2 a.db 'SELECT :a, @b, $a'
	[[ $(sed 1d "$TRY/out") == $'2\t1\t2' ]]
	try tl-query -p 7 -p 1 a.db 'SELECT :x, i FROM t WHERE i = :y'
	[[ $(sed 1d "$TRY/out") == $'7\t1' ]]
	try tl-query -p 2=b -p 1=a a.db 'SELECT ?, ?'
	[[ $(sed 1d "$TRY/out") == $'a\tb' ]]
	while IFS='|' read -r args sql want; do
		# shellcheck disable=SC2086
		try tl-query $args a.db "$sql"
		expect 2
		[[ ! -s $TRY/out ]]
		[[ $(head -n 1 "$TRY/err") == "tl-query: $want"* ]] ||
		    { show; fail "$args $sql"; }
	done <<-'END'
		-q|SELECT 1|option '-q': unknown
		-p b=1|SELECT :a|parameter 'b': the statement has none
		-p 2=1|SELECT ?|parameter '2': the statement has none
		-p 0=1|SELECT ?|parameter '0': the statement has none
		-p 1|SELECT 1|more values of -p than the statement has
		-p 1 -p 2|SELECT ?|more values of -p than the statement has
		-p a=1 -p a=2|SELECT :a|parameter 'a': two values
		-p 1 -p a=2|SELECT :a|parameter 'a': two values
		|SELECT :a|parameter ':a': no value: give -p a=VALUE
		-p 1|SELECT ?, ?|parameter 2: no value: give -p 2=VALUE
	END
}

@test "tl-query: formats" {
	sqlite3 f.db "CREATE TABLE f(n, x, y);
	    INSERT INTO f VALUES (1, 'a,\"b\"', x'00ff'), (-20, '', NULL),
	    (NULL, '.', 1.5), (3, 'tab' || char(9) || 'nl' || char(10), ''),
	    (4, CAST(x'41ff' AS TEXT), 1e100);"
	try tl-query f.db 'SELECT * FROM f'
	printf '%s\n' $'n\tx\ty' $'1\ta,"b"\t\\b00FF' $'-20\t\t.' \
	    $'.\t\\x2E\t1.5' $'3\ttab\\tnl\\n\t' $'4\tA\\xFF\t1e+100' >want
	expect_out want
	try tl-query -F csv f.db 'SELECT * FROM f'
	printf '%s\r\n' '"n","x","y"' "1,\"a,\"\"b\"\"\",x'00FF'" '-20,"",' \
	    ',".",1.5' $'3,"tab\tnl\n",""' $'4,"A\xff",1e+100' >want
	expect_out want
	try tl-query -F jsonl f.db 'SELECT *, n AS x FROM f'
	printf '%s\n' \
	    '{"n":1,"x":"a,\"b\"","y":{"blob":"00FF"},"x:2":1}' \
	    '{"n":-20,"x":"","y":null,"x:2":-20}' \
	    '{"n":null,"x":".","y":1.5,"x:2":null}' \
	    '{"n":3,"x":"tab\tnl\n","y":"","x:2":3}' \
	    '{"n":4,"x":{"text":"41FF"},"y":1e+100,"x:2":4}' >want
	expect_out want
	try tl-query -F table f.db 'SELECT n, x, n AS m FROM f'
	printf '%s\n' '  n  x            m' '  1  a,"b"        1' \
	    '-20             -20' '  .  \x2E         .' \
	    '  3  tab\tnl\n    3' '  4  A\xFF        4' >want
	expect_out want
	# no rows: the names, and no object
	for f in tsv csv table; do
		try tl-query -F $f f.db 'SELECT n FROM f WHERE 0'
		expect 0
		[[ $(wc -l <"$TRY/out") == 1 ]]
	done
	try tl-query -F jsonl f.db 'SELECT n FROM f WHERE 0'
	[[ ! -s $TRY/out ]]
	# infinite
	try tl-query -F jsonl f.db 'SELECT 9e999 a, -9e999 b'
	[[ $(<"$TRY/out") == '{"a":9e999,"b":-9e999}' ]]
	try tl-query f.db 'SELECT 9e999 a, -9e999 b'
	[[ $(sed 1d "$TRY/out") == $'Inf\t-Inf' ]]
}

@test "tl-query: a table is cut where it is too wide, and says so" {
	try tl-query -F table a.db \
	    "SELECT hex(zeroblob(30)) a, hex(zeroblob(31)) b, zeroblob(40) c, 1 d"
	[[ $(sed 1d "$TRY/out") == "$(printf '%060d' 0)  $(printf '%038d' 0)...$(printf '%019d' 0)  \\b$(printf '%036d' 0)...$(printf '%018d' 0)  1" ]]
	# an escape is not cut in two, a character neither
	try tl-query -F table a.db \
	    "SELECT replace(hex(zeroblob(28)), '0', 'é') || char(1) a"
	[[ $(sed 1d "$TRY/out") == "$(printf 'é%.0s' {1..56})\\x01" ]]
	try tl-query -F table a.db \
	    "SELECT replace(hex(zeroblob(28)), '0', 'é') || char(1) || 'xxx' a"
	[[ $(sed 1d "$TRY/out") == "$(printf 'é%.0s' {1..38})...$(printf 'é%.0s' {1..12})\\x01xxx" ]]
	# what differs at its end only is not alike
	try tl-query -F table a.db "SELECT hex(zeroblob(50)) || column1 a
	    FROM (VALUES ('one'), ('two'))"
	[[ $(sed -n '2,$p' "$TRY/out" | sort -u | wc -l) == 2 ]]
}

@test "tl-query: what a recipe's parameter names must be there" {
	tl-ev2db -o r.db "$TESTS/battery/tree.ev"
	for pos in N002 n002 2 002 "'N002'"; do
		try tl-query -p "$pos" r.db @iterations
		expect 0
		[[ $(sed 1d "$TRY/out" | wc -l) == 3 ]]
	done
	# by the order of the list, and one iteration by three names
	tl-query -p N002 -p 2 -p 4 r.db @compare >want
	[[ $(sed 1d want | wc -l) == 2 ]]
	for b in N002#4 '#4' N002/3 /3 n2#4; do
		try tl-query -p 2 -p '#2' -p "$b" r.db @compare
		expect 0
		expect_out want
	done
	while IFS='|' read -r args recipe want; do
		# shellcheck disable=SC2086
		try tl-query $args r.db "$recipe"
		expect 1 "^tl-query: $recipe: parameter $want"
		[[ ! -s $TRY/out ]]
	done <<-'END'
		-p N999|@iterations|'pos': 'N999': is no position of this database: the last is N004$
		-p 0|@iterations|'pos': '0': is no position, such as N002$
		-p loop|@iterations|'pos': 'loop': is no position, such as N002$
		-p N002/1|@iterations|'pos': 'N002/1': is one iteration: give the position alone, N002$
		-p N003|@iterations|'pos': 'N003': is of kind event, and not loop$
		-p N002|@slowest|'pos': 'N002': is of kind loop, and not event$
		-p 2 -p 1 -p 9|@compare|'b': '9': is no occurrence: the last is N002#4$
		-p 2 -p 2 -p N003#1|@compare|'b': 'N003#1': is not of the position asked for, N002$
		-p 2 -p 2 -p /9|@compare|'b': '/9': is no iteration
		-p scope=1:1|@loops|'scope': '1:1': is not in this database, but for example '7:0'$
		-p N002 -p scope=1:1|@iterations|'scope': '1:1': is not
		-p class=gpu|@kernels|'class': 'gpu': is not
		-p kind=API|@host|'kind': 'API': is not
		-p run=r|@steps|'run': 'r': is not in this database$
	END
}

@test "tl-query: a recipe without its @, or before the database" {
	try tl-query a.db loops
	expect 2
	[[ $(head -n 1 "$TRY/err") == "tl-query: statement 'loops': no SQL: the recipe is '@loops'" ]]
	try tl-query @loops a.db
	expect 2
	[[ $(head -n 1 "$TRY/err") == "tl-query: no database '@loops': it comes before the recipe" ]]
}

@test "tl-query: every value comes back from every format" {
	need python3
	python3 "$TESTS/query.py" "$BUILD/tl-query"
}

@test "tl-query: a database in WAL mode, its changes and its folder" {
	mkdir d
	need python3
	python3 - <<-'END'
		import shutil, sqlite3
		c = sqlite3.connect('d/w.db', isolation_level=None)
		c.execute('pragma journal_mode=wal')
		c.execute('create table t(i)')
		c.execute('pragma wal_checkpoint(truncate)')
		c.execute('insert into t values (7)')
		# a copy without its writer, which would move the changes
		shutil.copy('d/w.db', 'w.db')
		shutil.copy('d/w.db-wal', 'w.db-wal')
		c.close()
	END
	rm -r d/*
	mv w.db w.db-wal d
	chmod a-w d d/*
	before=$(ls -lA --full-time d && cksum d/*)
	try tl-query d/w.db 'SELECT i FROM t'
	[[ $(<"$TRY/out") == $'i\n7' ]]
	[[ $before == $(ls -lA --full-time d && cksum d/*) ]]
	chmod u+w d
}

@test "tl-query: what is no database, or a broken one" {
	while IFS='|' read -r file want; do
		try tl-query "$file" 'SELECT 1'
		expect 1 "^tl-query: $file: $want"
	done <<-END
		none|No such file
		.|is a directory
		/dev/null|not a plain file
	END
	echo 'SELECT 1' >text
	try tl-query text 'SELECT 1'
	expect 1 '^tl-query: text: not an SQLite database$'
	: >empty
	try tl-query empty 'SELECT 1'
	expect 1 '^tl-query: empty: empty file'
	# a page is overwritten
	sqlite3 big.db "CREATE TABLE b AS SELECT hex(randomblob(3000)) x
	    FROM (VALUES (1), (2), (3), (4))"
	printf '%4096s' ' ' |
	    dd of=big.db bs=4096 seek=1 conv=notrunc status=none
	try tl-query big.db 'SELECT * FROM b'
	expect 1 '^tl-query: .*malformed'
	[[ ! -s $TRY/out ]]
}

@test "tl-query: recipes are for databases of tl-ev2db that it knows" {
	local r

	try tl-query @
	expect 0
	r=$(sed -n '2s/\t.*//p' "$TRY/out")
	[[ $r == @?* ]]
	cp "$TRY/out" list
	try tl-query none.db @
	expect_out list
	try tl-query -F jsonl @
	[[ $(wc -l <"$TRY/out") == $(($(wc -l <list) - 1)) ]]
	try tl-query a.db "$r"
	expect 1 "^tl-query: a.db: no database of tl-ev2db: recipe '$r' "
	sqlite3 a.db 'PRAGMA application_id = 0x746c4442;
	    PRAGMA user_version = 99'
	try tl-query a.db "$r"
	expect 1 "^tl-query: a.db: database version '99': newer than recipe"
	sqlite3 a.db 'PRAGMA user_version = -1'
	try tl-query a.db @about
	expect 1 "^tl-query: a.db: damaged analysis database: schema version '-1'$"
	# but it is a database
	rows 'SELECT count(*) FROM t' 3
	try tl-query a.db @nonsense
	expect 2
	head -n 1 "$TRY/err" | grep -q "recipe '@nonsense': unknown"
	try tl-query @nonsense
	expect 2
}

# recipes CONVERTER CAPTURE: every recipe on its database against the stream.
recipes() {
	"$1" "$2" | tl-replay -q | tl-recover -q >r.ev
	tl-ev2db -qf -o r.db r.ev
	try python3 "$TESTS/recipes.py" r.ev r.db "$BUILD/tl-query"
	expect 0
}

@test "tl-query: what recipes answer is in the stream" {
	need python3
	"$BUILD/gen" -f nsys -n 6 -l 5 -g layer:id -D 2 -P 2 -C 1,2 -Z 0,2 \
	    -c 1 -O 1 -o a.sqlite
	recipes tl-nsys2ev a.sqlite
	"$BUILD/gen" -n 6 -l 5 -g step -s 3 -b ins=2,miss=1 -H 7 -T 5 -c 1,1 \
	    -o b.json
	recipes tl-kineto2ev b.json
	"$BUILD/gen" -f nsys -n 6 -l 5 -g step:trace -A 3 -o c.sqlite
	recipes tl-nsys2ev c.sqlite
}

@test "tl-query: every table and view of an analysis database can be asked" {
	local t n=0

	tl-ev2db -o e.db "$TESTS/battery/tree.ev"
	for t in $(tl-query e.db "SELECT name FROM sqlite_master
	    WHERE type IN ('table', 'view')" | sed 1d); do
		try tl-query -T 60 e.db "SELECT count(*) FROM $t"
		expect 0
		n=$((n + 1))
	done
	((n > 20))
}

@test "tl-query: what recipes answer on real captures" {
	need python3
	capture nsys/nsysai-2026.2.1-h100x2-1s.sqlite
	recipes tl-nsys2ev "$CAPTURE"
	capture kineto/hta-2023-05-a100-rank0of16-cudagraph.json.gz
	recipes tl-kineto2ev "$CAPTURE"
	capture kineto/hta-2024-12-mi250-rocm62-train.json.gz
	recipes tl-kineto2ev "$CAPTURE"
}

# What the page has between its marks: names, parameters, answers.
page_recipes() {
	sed -n '/^\.\\" recipes: begin/,/^\.\\" recipes: end/p' \
	    "$ROOT/man/tl-query.1" | sed 's/\\&//g; s/\\-/-/g' | awk '
	    /^\.It/ {
		if (name != "") print name "\t" text
		name = $3; sub(/^\.It Cm /, ""); name = $0; text = ""; next
	    }
	    /^\./ { next }
	    { text = text (text == "" ? "" : " ") $0 }
	    END { if (name != "") print name "\t" text }'
}

@test "tl-query: the page lists the recipes that there are" {
	tl-query @ | sed 1d |
	    awk -F '\t' '{ print $1 ($2 == "" ? "" : " " $2) "\t" $3 }' >has
	diff has <(page_recipes) >&2
	(($(wc -l <has) > 0))
}
