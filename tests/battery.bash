# shellcheck shell=bash
# What every tool must do, whatever it is for. A new tool is one line here:
#
#	name  kind  input  operands
#
# kind: converter (writes a stream), filter (stream to stream, adds lines), cut
# (stream to stream, takes lines out), sink (stream to something else on stdout
# or -o), store (stream to a file of its own form, -o only), query (database to
# rows on stdout), check (writes nothing), import (stream into a file that
# grows), script.
# input: stream, tree (a stream with structure), json, sqlite, database (what
# tl-ev2db makes), tables (any database, with a statement behind), capture.
# operands: how many inputs it takes, "one" or "many"; "two": and a statement.
battery_table() {
	cat <<-'END'
		tl-check      check      stream   many
		tl-context    filter     stream   many
		tl-cut        cut        stream   one
		tl-db2ev      converter  database one
		tl-ev2db      store      stream   one
		tl-import     import     stream   many
		tl-kineto2ev  converter  json     one
		tl-msprof2ev  converter  sqlite   one
		tl-nsys2ev    converter  sqlite   one
		tl-perfetto   sink       stream   one
		tl-query      query      tables   two
		tl-recover    filter     stream   one
		tl-replay     filter     stream   one
		tl-tree       sink       tree     one
		traceloom     script     capture  many
	END
}

# Each check and what it applies to: words from the table, or one of
#   all    every tool
#   stdin  those that read standard input
#   text   those whose input is lines of a stream
#   out    those that print what they make
#   -o     those with that option
battery_checks() {
	cat <<-'END'
		help                  all
		version               all
		unknown_option        all
		missing_argument      all
		too_many_operands     one
		missing_file          all
		directory             all
		empty                 all
		other_content         all
		good                  all
		same_twice            out store
		input_untouched       all
		dash_is_stdin         stdin
		terminal              stdin
		closed_stdin          stdin
		cut_lines             text
		cut_bytes             stream tree json
		cut_database          sqlite database tables
		cut_gzip              stream tree json
		gzip_equals_plain     stream tree json
		no_end_record         text
		tolerate              text
		no_last_newline       text
		crlf                  text
		crlf_json             json
		nul                   text
		not_utf8              text
		longest_line          text
		too_long_line         text
		newer_version         text
		corpus                text
		broken_bytes          json
		full_disk             out
		closed_stdout         out
		closed_stderr         all
		reader_gone           out
		reader_gone_ignored   out
		endless               filter cut check
		producer_killed       stdin
		no_such_folder        -o
		output_is_folder      -o
		output_is_fifo        converter filter cut sink
		output_is_stdout      converter filter cut sink
		output_kept           -o
		output_left           -o
		output_on_input       -o
		output_equals_stdout  converter filter cut sink
		passes_lines          filter
		unknown_kinds         filter cut sink store
		twice_refused         filter
		faults_read           all
		faults_write          out
		faults_memory         all
		faults_output         -o
		slow_io               all
	END
}

# battery TOOL CHECK: what mkbats.sh writes tests of.
battery() {
	local row

	TOOL=$1
	row=$(battery_table | grep "^$TOOL ")
	read -r TOOL KIND INPUT OPERANDS <<<"$row"
	MADE=()
	[[ $KIND != store ]] || MADE=(-o made.out)
	[[ -x $BUILD/$TOOL ]] || fail "$TOOL is not built" || return 1
	[[ $TOOL != tl-context ]] || stream_as_operand
	[[ $KIND != import ]] || import_into_new
	"check_$2" || return 1
	no_rest
}

# The tool, always with a new artifact to import into.
import_into_new() {
	mkdir -p bin
	cat >bin/tl-import <<-END
	#!/bin/sh
	echo '{"schema_version": 2, "event_type": "infer.artifact", "context": {"run_id": "r", "session_id": "s", "producer_id": "p", "source": "p", "clock_domain": "d", "clock_kind": "wall", "collection_mode": "active", "provenance": "observed"}, "event_id": "artifact", "artifact_kind": "inference_jsonl", "created_at_ns": 0}' >out.jsonl
	rm -f stormlog_run.json
	exec "$BUILD/tl-import" -a out.jsonl "\$@"
	END
	chmod +x bin/tl-import
	PATH=$PWD/bin:$PATH
}

# The operands of tl-context are files of context, its stream is -i's. The
# checks give every tool its stream as operand, so they get one that does.
stream_as_operand() {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/$TOOL" <<-'END'
		#!/bin/bash
		args=()
		context=("$TESTS/battery/context.jsonl")
		while (($#)); do
			case $1 in
			-o | -i)
				args+=("$1" "${@:2:1}")
				if (($# > 1)); then shift; else context=(); fi
				;;
			- | [!-]*) args+=(-i "$1") ;;
			*) args+=("$1") ;;
			esac
			shift
		done
		exec "$BUILD/tl-context" "${args[@]}" "${context[@]}"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/$TOOL"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# Prints the checks that apply to a tool.
battery_of() {
	local row check words w is

	row=$(battery_table | grep "^$1 ")
	read -r TOOL KIND INPUT OPERANDS <<<"$row"
	is=" all $KIND $INPUT $OPERANDS "
	[[ $INPUT == sqlite || $INPUT == database || $INPUT == tables ||
	    $KIND == script ]] || is+="stdin "
	[[ $INPUT != stream && $INPUT != tree ]] || is+="text "
	case $KIND in
	check | script | import) ;;
	store) is+="-o " ;;
	query) is+="out " ;;
	*) is+="out -o " ;;
	esac
	while read -r check words; do
		for w in $words; do
			[[ $is != *" $w "* ]] || { echo "$check"; break; }
		done
	done < <(battery_checks)
}

# Nothing of a finished program is left.
no_rest() {
	local rest

	rest=$(find "$TMPDIR" -mindepth 1)
	[[ -z $rest ]] || fail "left in TMPDIR: $rest" || return 1
	rest=$(find . -name '*.??????' -newer "$BATS_TEST_TMPDIR/tmp" \
	    ! -name '*.sqlite' -regex '.*out[^/]*\.[A-Za-z0-9]*')
	[[ -z $rest ]] || fail "left beside the output: $rest"
}

# A good input of the tool's, named $GOOD.
good_input() {
	GOOD=$(pwd)/good.$INPUT
	case $INPUT in
	stream) cp "$TESTS/battery/plain.ev" "$GOOD" ;;
	tree) cp "$TESTS/battery/tree.ev" "$GOOD" ;;
	json | capture) cp "$TESTS/battery/kineto.json" "$GOOD" ;;
	database) tl-ev2db -Pfo "$GOOD" "$TESTS/battery/tree.ev" ;;
	sqlite)
		need sqlite3
		rm -f "$GOOD"
		sqlite3 "$GOOD" <"$TESTS/battery/${TOOL:3:-3}.sql"
		;;
	tables)
		need sqlite3
		rm -f "$GOOD"
		sqlite3 "$GOOD" "CREATE TABLE t(i INTEGER, s TEXT, b BLOB);
		    INSERT INTO t VALUES (1, 'one', x'00'), (2, NULL, NULL);
		    CREATE TABLE fill(b); CREATE VIEW v AS SELECT * FROM t;
		    INSERT INTO fill VALUES (zeroblob(9000)), (hex(randomblob(9000)));"
		;;
	esac
}

# One with many lines of output, named $BIG.
big_input() {
	BIG=$(pwd)/big.$INPUT
	case $INPUT in
	json)
		awk 'BEGIN {
			print "{\"traceEvents\": ["
			for (i = 1; i <= 20000; i++)
				printf "%s{\"ph\": \"X\", \"cat\": \"kernel\", " \
				    "\"name\": \"k%d\", \"pid\": 0, \"tid\": 7, " \
				    "\"ts\": %d, \"dur\": 1, \"args\": " \
				    "{\"device\": 0, \"context\": 1, " \
				    "\"stream\": 7, \"correlation\": %d}}\n", \
				    (i > 1 ? "," : ""), i % 10, i * 2, i
			print "]}"
		}' >"$BIG"
		;;
	sqlite)
		need sqlite3
		rm -f "$BIG"
		{
			cat "$TESTS/battery/${TOOL:3:-3}.sql"
			echo "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
			    SELECT i + 1 FROM n WHERE i < 20000)"
			case $TOOL in
			tl-nsys2ev) echo "INSERT INTO
			    CUPTI_ACTIVITY_KIND_KERNEL SELECT
			    2000 + i * 10, 2005 + i * 10, 0, 1, 7, 10 + i,
			    7 << 24, 2, 1, 1, 1, 1, 128, 1, 1 FROM n;" ;;
			tl-msprof2ev) echo "INSERT INTO TASK SELECT
			    2000 + i * 10, 2005 + i * 10, 0, 10 + i, 10 + i,
			    7, 3, 4294967295, 2, i, 4294967295 FROM n;" ;;
			esac
		} | sqlite3 "$BIG"
		;;
	tables)
		need sqlite3
		rm -f "$BIG"
		sqlite3 "$BIG" "CREATE TABLE v AS WITH RECURSIVE n(i) AS
		    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		    SELECT i, 'text ' || i s FROM n;"
		;;
	stream | database)
		awk 'BEGIN {
			OFS = "\t"
			print "#tl-ev", 1
			for (i = 1; i <= 20000; i++)
				print "kernel", i, i * 10, 5, 7, 0, 1, 7, i, \
				    "compute", "k" i % 10, "E:" i
			print "end", i - 1
		}' >"$BIG"
		[[ $INPUT != database ]] || {
			mv "$BIG" big.ev
			tl-ev2db -Pfo "$BIG" big.ev
		}
		;;
	tree)
		awk 'BEGIN {
			OFS = "\t"
			c = "\t1\t1\t1\t0\t0\t0\t0\t0\t.\t.\t."
			print "#tl-ev", 1
			for (i = 1; i <= 5000; i++)
				print "kernel", i, i * 10, 1, 7, 0, 1, 7, i, \
				    "compute", "k" i, "E:" i
			print "pos", "7:0", "N001", ".", 0, 0, "root", ".", \
			    5000, 1, 1, 10 c, "7:0"
			for (i = 1; i <= 5000; i++)
				printf "pos\t7:0\tN%03d\tN001\t%d\t1\tevent\t." \
				    "\t1\t1\t%d\t%d%s\tk%d\n", i + 1, i, i, \
				    i * 10, c, i
			print "end", 2 * 5000 + 1
		}' >"$BIG"
		;;
	esac
}

# What a store makes stands for what others print.
tool() {
	rm -f made.out
	try "$TOOL" "${ARGS[@]}" "$@" ${TL_AFTER:+"$TL_AFTER"} || return 1
	[[ ! -e made.out ]] || cat made.out >>"$TRY/out"
}

# Options that go with every run: no #prog line, which holds the file's name;
# notes of the stream not on stderr; of a sink's formats the longest. What is
# to stand behind the input is in TL_AFTER, for tests/*.py as well.
arguments() {
	ARGS=()
	[[ $INPUT != tables ]] || {
		ARGS=(-l 0)
		export TL_AFTER='SELECT * FROM v'
	}
	! has P || ARGS+=(-P)
	[[ $KIND != sink && $KIND != script && $KIND != store &&
	    $KIND != import ]] || ARGS+=(-q)
	[[ $KIND != store ]] || ARGS+=(-f "${MADE[@]}")
	[[ $TOOL != tl-tree ]] || ARGS+=(-F tsv)
}

# The tool's options, with ':' behind those that take an argument: those it
# does not call unknown. Asked once for a build.
options() {
	local c err list=$BUILD/bats/$TOOL.options

	[[ -x $BUILD/$TOOL ]] || fail "$TOOL is not built" || return 1
	if [[ ! $list -nt $BUILD/$TOOL ]]; then
		mkdir -p "$BUILD/bats"
		for c in {a..z} {A..Z} {0..9}; do
			err=$("$TOOL" "-$c" 2>&1 >/dev/null </dev/null) || :
			case $err in
			*"option '-$c': needs an argument"*) echo "$c:" ;;
			*"option '-$c': unknown"*) ;;
			*) echo "$c" ;;
			esac
		done >"$list.$$"
		mv "$list.$$" "$list"
	fi
	cat "$list"
}

has() {
	grep -q "^$1" <(options)
}

# expect_bad REGEX: an honest failure: status 1, one line on stderr that
# begins with the tool's name, no end record on stdout.
expect_bad() {
	expect 1 "^$TOOL: .*${1:-}" || return 1
	! grep -q "^end	" "$TRY/out" ||
	    { show; fail "an end record in spite of failure"; }
}

# expect_same FILE: what was printed is FILE's content, but for the line that
# tells what was read: path and size differ between a file and a pipe.
expect_same() {
	diff -a <(grep -av '^#source' "$1") \
	    <(grep -av '^#source' "$TRY/out") >&2
}

# What was printed, if it is a stream, must be a right one.
expect_stream() {
	[[ $KIND == converter || $KIND == filter || $KIND == cut ]] ||
	    return 0
	cp "$TRY/out" printed.ev
	tl-check printed.ev >&2 || fail "tl-check does not take what is printed"
}

expect_good() {
	expect 0 || return 1
	expect_silent || return 1
	expect_stream
}

check_help() {
	local o

	try "$TOOL" -h
	expect 0 && expect_silent || return 1
	[[ $(head -n 1 "$TRY/out") == "usage: $TOOL"* ]] ||
	    fail "does not begin with usage:" || return 1
	cp "$TRY/out" help
	for o in $(options); do
		grep -Eq -- "-[A-Za-z]*${o%:}" help ||
		    fail "-h does not name -${o%:}" || return 1
	done
	try "$TOOL" --help
	expect 0 && expect_silent && expect_out help || return 1
	rc=0
	"$TOOL" -h >/dev/full 2>err || rc=$?
	((rc == 1)) || fail "-h on a full disk: status $rc"
}

check_version() {
	try "$TOOL" -V
	expect 0 && expect_silent || return 1
	grep -Eqx "$TOOL [0-9]+\.[0-9]+\.[0-9]+ \(stream 1\)" "$TRY/out" ||
	    { show; fail "not 'NAME VERSION (stream 1)'"; } || return 1
	cp "$TRY/out" version
	try "$TOOL" --version
	expect 0 && expect_silent && expect_out version || return 1
	rc=0
	"$TOOL" -V >/dev/full 2>err || rc=$?
	((rc == 1)) || fail "-V on a full disk: status $rc"
}

# Wrong usage: one line that says what, the usage line, status 2.
expect_usage() {
	expect 2 || return 1
	[[ ! -s $TRY/out ]] || { show; fail "something on stdout"; } ||
	    return 1
	[[ $(sed -n 1p "$TRY/err") == "$TOOL: "*"$1"* ]] ||
	    { show; fail "first line does not say what"; } || return 1
	[[ $(sed -n 2p "$TRY/err") == "usage: $TOOL "* ]] ||
	    { show; fail "second line is not the usage"; } || return 1
	[[ $(wc -l <"$TRY/err") == 2 ]] || { show; fail "not two lines"; }
}

check_unknown_option() {
	good_input
	try "$TOOL" -Z "$GOOD"
	expect_usage "option '-Z': unknown" || return 1
	try "$TOOL" --nonsense "$GOOD"
	expect_usage "option '--" || return 1
	[[ $KIND != script ]] || return 0
	try "$TOOL" $'-\x01' "$GOOD"
	expect_usage "option '-\\x01': unknown"
}

check_missing_argument() {
	local o

	for o in $(options); do
		[[ $o == *: ]] || continue
		try "$TOOL" "-${o%:}"
		expect_usage "option '-${o%:}': needs an argument" || return 1
		[[ $o == o: ]] || continue
		try "$TOOL" -o '' x
		expect_usage "option '-o': is empty" || return 1
	done
}

check_too_many_operands() {
	good_input
	try "$TOOL" "$GOOD" "$GOOD"
	expect_usage ""
}

check_missing_file() {
	try "$TOOL" "${MADE[@]}" nonexistent/file
	expect_bad "nonexistent/file.*[Nn]o such file" || return 1
	# a message is one line, whatever a file is called
	[[ $KIND != script ]] || return 0
	try "$TOOL" "${MADE[@]}" $'non\nexistent'
	expect_bad
}

check_directory() {
	mkdir folder
	try "$TOOL" "${MADE[@]}" folder
	expect_bad "folder: .*is a (directory|folder)"
}

check_empty() {
	: >empty
	try "$TOOL" "${MADE[@]}" empty
	expect_bad "empty"
}

check_other_content() {
	printf 'GIF89a\1\0\1\0\200\1\0\377\377\377\0\0\0,\0\0\0\0\1\0\1\0' >other
	try "$TOOL" "${MADE[@]}" other
	expect_bad "other"
}

check_good() {
	arguments
	good_input
	tool "$GOOD"
	expect_good
}

check_same_twice() {
	arguments
	good_input
	tool "$GOOD"
	expect_good || return 1
	cp "$TRY/out" first
	LC_ALL=C.UTF-8 TZ=Asia/Tokyo tool "$GOOD"
	expect_out first
}

check_input_untouched() {
	local before

	arguments
	mkdir in
	good_input
	mv "$GOOD" in/
	chmod a-w in in/*
	before=$(ls -lA --full-time in && cksum in/*)
	tool "in/${GOOD##*/}"
	[[ $before == "$(ls -lA --full-time in && cksum in/*)" ]] ||
	    fail "input or its folder has changed"
}

check_dash_is_stdin() {
	arguments
	good_input
	tool <"$GOOD"
	expect_good || return 1
	cp "$TRY/out" first
	tool - <"$GOOD"
	expect_good && expect_same first || return 1
	# a pipe that hands out a few bytes at a time
	try_sh 'dd bs=7 status=none if="$0" | "$@"' "$GOOD" "$TOOL" "${ARGS[@]}"
	[[ $KIND != store ]] || cat made.out >"$TRY/out"
	expect_same first
}

# Somebody who types the bare name of a tool should not wait.
check_terminal() {
	on_terminal in "$TOOL"
	[[ -s err ]] && ((rc == 1 || rc == 2)) ||
	    fail "reads from a terminal: status $rc"
}

check_closed_stdin() {
	rc=0
	TRY=$BATS_TEST_TMPDIR
	timeout 20 "$TOOL" "${MADE[@]}" <&- >"$TRY/out" 2>"$TRY/err" || rc=$?
	expect_bad
}

cuts() {
	need python3
	python3 "$TESTS/cuts.py" "$@" >cuts.log 2>&1 ||
	    { head -n 20 cuts.log >&2; fail "cut input was not refused"; }
}

check_cut_lines() {
	arguments
	good_input
	cuts lines "$GOOD" "$TOOL" "${ARGS[@]}"
}

check_cut_bytes() {
	arguments
	good_input
	cuts bytes "$GOOD" "$TOOL" "${ARGS[@]}"
}

check_cut_database() {
	arguments
	good_input
	cuts blocks "$GOOD" "$TOOL" "${ARGS[@]}"
}

check_cut_gzip() {
	need gzip
	arguments
	good_input
	gzip -nc "$GOOD" >good.gz
	cuts bytes good.gz "$TOOL" "${ARGS[@]}"
}

check_gzip_equals_plain() {
	need gzip
	arguments
	good_input
	tool <"$GOOD"
	cp "$TRY/out" first
	gzip -nc "$GOOD" >good.gz
	tool <good.gz
	expect_good && expect_same first || return 1
	# two members, as cat makes them
	head -c 300 "$GOOD" | gzip -nc >two.gz
	tail -c +301 "$GOOD" | gzip -nc >>two.gz
	tool <two.gz
	expect_good && expect_same first
}

check_no_end_record() {
	arguments
	good_input
	sed '$d' "$GOOD" >cut
	tool cut
	expect_bad "cut:[0-9]+: stream ended without an end record" || return 1
	sed '$s/[0-9]*$/1/' "$GOOD" >count
	tool count
	expect_bad "count:[0-9]+: end record '1':"
}

check_tolerate() {
	arguments
	has t || skip "no option -t"
	good_input
	sed '$d' "$GOOD" >cut
	tool -t cut
	expect 0 && expect_stream
}

check_no_last_newline() {
	arguments
	good_input
	head -c -1 "$GOOD" >cut
	tool cut
	expect_bad "cut:[0-9]+: last line has no newline"
}

check_crlf() {
	arguments
	good_input
	sed 's/$/\r/' "$GOOD" >crlf
	tool crlf
	expect_bad "crlf:1: line ends in CR LF"
}

# White space is nothing in JSON.
check_crlf_json() {
	arguments
	good_input
	tool <"$GOOD"
	cp "$TRY/out" first
	sed 's/$/\r/' "$GOOD" >crlf
	tool <crlf
	expect_good && expect_same first
}

check_nul() {
	arguments
	good_input
	sed '3s/e/\x00/' "$GOOD" >nul
	tool nul
	expect_bad "nul:3: NUL byte"
}

# Only tl-check looks into texts; the others pass them on or show them.
check_not_utf8() {
	arguments
	good_input
	sed 's/gemm/g\xffmm/' "$GOOD" >bad
	tool bad
	if [[ $KIND == check ]]; then
		expect_bad "bad:[0-9]+: column 11 '.xFF"
	elif [[ $KIND == filter ]]; then
		expect 0 && grep -aqP 'g\xffmm' "$TRY/out"
	else
		((rc < 2)) || fail "status $rc"
	fi
}

# long_line N: the good input with a note of N bytes before the end.
long_line() {
	local n

	n=$(grep -vc '^#' "$GOOD")
	{
		sed '$d' "$GOOD"
		printf 'note\tinfo\tlong\t.\t'
		head -c $(($1 - 17)) /dev/zero | tr '\0' x
		printf '\nend\t%d\n' "$n"
	} >long
}

check_longest_line() {
	arguments
	good_input
	long_line 1048576
	[[ $(sed -n '/^note\tinfo\tlong/p' long | wc -c) == 1048577 ]] ||
	    fail "the line is not as long as it should be" || return 1
	tool long
	expect_good
}

check_too_long_line() {
	arguments
	good_input
	long_line 1048577
	tool long
	expect_bad "long:[0-9]+: line is longer than 1 MiB"
}

check_newer_version() {
	arguments
	good_input
	sed '1s/1$/2/' "$GOOD" >newer
	tool newer
	expect_bad "newer:1: stream version '2': newer than this tool reads"
}

# No stream makes a tool crash or hang, and a filter that takes one prints a
# right one.
check_corpus() {
	local f

	arguments
	for f in "$TESTS"/corpus/ev/pass/*.ev; do
		tool "$f"
		((rc < 2)) || { show; fail "$f: status $rc"; } || return 1
		((rc == 1)) || expect_stream || fail "$f" || return 1
	done
	for f in "$TESTS"/corpus/ev/fail/*.ev; do
		tool "$f"
		((rc < 2)) || { show; fail "$f: status $rc"; } || return 1
	done
}

# Bytes that JSON may not hold, in a name: no crash, and a right stream.
check_broken_bytes() {
	local b

	arguments
	good_input
	for b in '\x00' '\x01' '\x7f' '\xff' '\xc3' '\xed\xa0\x80' '\\u0000' \
	    '\\ud800' '\\q' '\r' '\t'; do
		sed "s/mm</m${b}m</" "$GOOD" >broken
		tool <broken
		((rc < 2)) || { show; fail "$b: status $rc"; } || return 1
		((rc == 1)) || expect_stream || fail "$b" || return 1
	done
}

check_full_disk() {
	local f

	arguments
	good_input
	[[ $INPUT == sqlite || $INPUT == database ]] || big_input
	for f in "$GOOD" ${BIG:+"$BIG"}; do
		rc=0
		TRY=$BATS_TEST_TMPDIR
		timeout 60 "$TOOL" "${ARGS[@]}" "$f" \
		    ${TL_AFTER:+"$TL_AFTER"} >/dev/full \
		    2>"$TRY/err" || rc=$?
		: >"$TRY/out"
		expect_bad "No space left" || return 1
	done
}

check_closed_stdout() {
	arguments
	good_input
	rc=0
	TRY=$BATS_TEST_TMPDIR
	: >"$TRY/out"
	timeout 60 "$TOOL" "${ARGS[@]}" "$GOOD" ${TL_AFTER:+"$TL_AFTER"} \
	    >&- 2>"$TRY/err" || rc=$?
	expect_bad "Bad file descriptor"
}

# Messages must not land in a file that got the free descriptor.
check_closed_stderr() {
	arguments
	good_input
	rc=0
	TRY=$BATS_TEST_TMPDIR
	timeout 60 "$TOOL" "${ARGS[@]}" nonexistent >"$TRY/out" 2>&- || rc=$?
	((rc == 1)) || fail "status $rc" || return 1
	[[ $KIND != script ]] || return 0
	has o || return 0
	tool "$GOOD"
	cp "$TRY/out" first
	timeout 60 "$TOOL" "${ARGS[@]}" -o out "$GOOD" 2>&-
	cmp first out
}

check_reader_gone() {
	arguments
	big_input
	TRY=$BATS_TEST_TMPDIR
	rc=0
	timeout 60 bash -c '"$@" 2>err | head -n 1 >out
	    exit ${PIPESTATUS[0]}' - "$TOOL" "${ARGS[@]}" "$BIG" \
	    ${TL_AFTER:+"$TL_AFTER"} || rc=$?
	((rc == 141)) || fail "status $rc, not killed by SIGPIPE" || return 1
	[[ ! -s err ]] || { cat err >&2; fail "says something"; } || return 1
	[[ $(wc -l <out) == 1 ]]
}

# A parent may have left SIGPIPE ignored.
check_reader_gone_ignored() {
	arguments
	big_input
	rc=0
	timeout 60 bash -c 'trap "" PIPE; "$@" 2>err | head -n 1 >out
	    exit ${PIPESTATUS[0]}' - "$TOOL" "${ARGS[@]}" "$BIG" \
	    ${TL_AFTER:+"$TL_AFTER"} || rc=$?
	((rc == 141 || rc == 1)) || fail "status $rc" || return 1
	[[ ! -s err ]] || { cat err >&2; fail "says something"; }
}

# An input that never ends: the reader that goes away ends it all.
check_endless() {
	arguments
	rc=0
	timeout 60 bash -c 'trap "" PIPE
	    awk "BEGIN { OFS = \"\t\"; print \"#tl-ev\", 1
		for (i = 1; ; i++) print \"op\", i, i, 1, 1, \".\", \".\", 1, \".\",
		    \"host\", \"o\", \"E:\" i }" 2>/dev/null |
	    if [[ $1 == tl-check ]]; then
		head -n 200000 | "$@" -t
	    else
		"$@" | head -n 5
	    fi >out 2>err' - "$TOOL" "${ARGS[@]}" || rc=$?
	((rc != 124 && rc != 137)) || fail "still running" || return 1
	[[ $KIND == check ]] || [[ $(wc -l <out) == 5 ]]
}

check_producer_killed() {
	arguments
	good_input
	TRY=$BATS_TEST_TMPDIR
	rc=0
	timeout 60 bash -c '{ head -c 400 "$0"; kill -9 $BASHPID; } |
	    "$@"; exit ${PIPESTATUS[1]}' "$GOOD" "$TOOL" "${ARGS[@]}" \
	    >"$TRY/out" 2>"$TRY/err" || rc=$?
	sed -i '/Killed/d' "$TRY/err"
	case $INPUT in
	json) expect_bad "<stdin>" ;;
	*) expect_bad "<stdin>:[0-9]+: (stream ended|last line has no)" ;;
	esac
}

check_no_such_folder() {
	local f lacks=

	arguments
	good_input
	for f in nonexistent/out /proc/out /sys/out "$GOOD/out"; do
		# where these are ordinary folders, files can be made there
		case $f in
		/proc/* | /sys/*)
			[[ $(stat -f -c %T "${f%/*}" 2>&1) =~ ^(proc|sysfs)$ ]] ||
			    { lacks+=" ${f%/*}"; continue; }
			;;
		esac
		tool -o "$f" "$GOOD"
		expect_bad "${f//+/.}: " || return 1
		[[ ! -s $TRY/out ]] || fail "something on stdout" || return 1
	done
	[[ -z $lacks ]] || skip "not mounted:$lacks"
}

check_output_is_folder() {
	arguments
	good_input
	mkdir out
	tool -o out "$GOOD"
	expect_bad "out: .*directory" || return 1
	[[ -d out ]]
}

check_output_is_fifo() {
	arguments
	good_input
	tool "$GOOD"
	cp "$TRY/out" first
	mkfifo fifo
	timeout 20 cat fifo >out &
	tool -o fifo "$GOOD"
	expect 0 || return 1
	wait
	[[ -p fifo ]] || fail "the FIFO was replaced" || return 1
	cmp first out
}

# A plain file behind standard output is gone on with, not replaced.
check_output_is_stdout() {
	local f

	arguments
	good_input
	tool "$GOOD"
	echo first | cat - "$TRY/out" >want
	for f in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
		[[ -e $f ]] || continue
		echo first >out
		"$TOOL" "${ARGS[@]}" -o "$f" "$GOOD" >>out 2>"$TRY/err"
		cmp want out || fail "$f" || return 1
	done
}

# What a run left that was killed outright is removed by the next one, what is
# only named alike is not.
check_output_left() {
	arguments
	good_input
	tool -o out "$GOOD"
	expect 0 || return 1
	cp out whole
	cp out out.AbCdEf
	chmod 1600 out.AbCdEf
	[[ -k out.AbCdEf ]] || skip "no sticky bit for files here"
	echo mine >out.backup
	tool -o out "$GOOD"
	expect 0 || return 1
	cmp out whole || return 1
	[[ ! -k out ]] || fail "the bit stays" || return 1
	[[ $(ls out*) == $'out\nout.backup' ]] || fail "left: $(ls out*)" ||
	    return 1
	rm out.backup
}

check_output_kept() {
	arguments
	mkdir out
	echo before >out/file
	chmod 640 out/file
	echo nonsense >bad
	tool -o out/file bad
	expect 1 || return 1
	[[ $(<out/file) == before ]] || fail "output has changed" || return 1
	[[ $(ls -A out) == file ]] || fail "left: $(ls -A out)" || return 1
	[[ $KIND == converter ]] || {
		good_input
		sed '$d' "$GOOD" >bad
		tool -o out/file bad
		expect 1 && [[ $(<out/file) == before ]] &&
		    [[ $(ls -A out) == file ]] ||
		    fail "output of a cut stream" || return 1
	}
	good_input
	tool -o out/file "$GOOD"
	expect 0 || return 1
	[[ $(<out/file) != before ]] && [[ $(ls -A out) == file ]] ||
	    fail "no output" || return 1
	[[ $(stat -c %a out/file) == 640 ]] || fail "mode has changed"
}

check_output_on_input() {
	local before

	arguments
	good_input
	before=$(cksum <"$GOOD")
	tool -o "$GOOD" "$GOOD"
	expect_bad "input" || return 1
	ln -s "$GOOD" link
	tool -o link "$GOOD"
	expect_bad "input" || return 1
	ln "$GOOD" hard
	tool -o hard "$GOOD"
	expect_bad "input" || return 1
	if [[ $INPUT != sqlite && $INPUT != database ]]; then
		tool -o "$GOOD" <"$GOOD"
		expect_bad "input" || return 1
		tool -o link - <"$GOOD"
		expect_bad "input" || return 1
	fi
	[[ $before == $(cksum <"$GOOD") ]] || fail "input has changed"
}

check_output_equals_stdout() {
	arguments
	good_input
	tool "$GOOD"
	cp "$TRY/out" first
	tool -o out "$GOOD"
	expect 0 && expect_silent || return 1
	[[ ! -s $TRY/out ]] || fail "something on stdout" || return 1
	cmp first out || return 1
	[[ $(stat -c %a out) == $(printf '%o' $((0666 & ~$(umask)))) ]] ||
	    fail "mode $(stat -c %a out)" || return 1
	tool -o - "$GOOD"
	expect_out first
}

# All lines but the end record, in order, byte for byte; then what is added.
check_passes_lines() {
	arguments
	good_input
	tool "$GOOD"
	expect_good || return 1
	sed '$d' "$GOOD" >want
	head -n "$(wc -l <want)" "$TRY/out" | cmp want - ||
	    fail "lines were changed" || return 1
	# without -P, one #prog line after the last header line
	try "$TOOL" "$GOOD"
	expect_good || return 1
	grep -v '^#prog' "$TRY/out" | head -n "$(wc -l <want)" | cmp want - ||
	    fail "lines were changed" || return 1
	[[ $(grep -c '^#prog' "$TRY/out") == 1 ]] &&
	    [[ $(grep '^#' "$TRY/out" | tail -n 1) == "#prog	$TOOL	"* ]] ||
	    fail "not one #prog line, the last of the header"
}

check_unknown_kinds() {
	local n

	arguments
	good_input
	n=$(grep -vc '^#' "$GOOD")
	{
		sed '1a #x-header\t1\t\\x00' "$GOOD" | sed '$d'
		printf 'x-future\tone\\ttwo\t.\tk=\\x2E\nfuture2\n'
		printf 'end\t%d\n' $((n + 1))
	} >unknown
	tool unknown
	expect_good || return 1
	[[ $KIND == filter ]] || return 0
	grep -v '^end' unknown >want
	head -n "$(wc -l <want)" "$TRY/out" | cmp want -
}

check_twice_refused() {
	arguments
	has f || skip "no option -f: it may run twice"
	good_input
	tool "$GOOD"
	cp "$TRY/out" first
	tool first
	expect_bad "already .*-f" || return 1
	tool -f first
	expect_good && expect_out first
}

# faults CALL...: each call of a kind fails once, one after the other.
faults() {
	local call

	need python3
	[[ ${TL_VARIANT:-} != asan ]] || skip "sanitizers are loaded first"
	[[ $KIND != script ]] || skip "a shell script"
	arguments
	good_input
	for call; do
		python3 "$TESTS/faults.py" "$BUILD/preload.so" "$call" \
		    "$OUT" "$TOOL" "${ARGS[@]}" "$GOOD" >faults.log 2>&1 ||
		    { head -n 20 faults.log >&2; fail "$call"; } || return 1
	done
}

# Where a store writes.
made_or() {
	OUT=${MADE[1]:-$1}
}

check_faults_read() {
	made_or -
	faults read
}

check_faults_write() {
	OUT=- faults write close
}

check_faults_memory() {
	made_or -
	faults malloc
}

check_faults_output() {
	OUT=out faults write fsync rename mkstemp close
	[[ -z $(find . -name 'out?*') ]] || fail "left: $(echo out?*)"
}

# Short reads and interrupted calls change nothing.
check_slow_io() {
	made_or -
	faults short eintr
}
