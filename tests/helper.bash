# shellcheck shell=bash
# Loaded by every bats file (load helper), and by `make golden`. Needs BUILD,
# the folder of the built programs (default: build).

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$TESTS")
BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$ROOT/$BUILD ;;
esac
TRACES=${TL_TRACES:-$ROOT/../shared/traces}
export TESTS ROOT BUILD TRACES
export PATH=$BUILD:$BUILD/bats/bin:$PATH LC_ALL=C TZ=UTC
unset TL_RULES
# A sanitizer's finding must not look like an honest exit 1.
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1

# A private folder to work in, and one for the tools' temporary files. A bats
# file with a setup of its own calls this first.
tl_setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p "$TMPDIR" "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

setup() {
	tl_setup
}

# Prints its arguments and fails the test.
fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# try COMMAND...: runs it with output in the files out and err of $TRY, and its
# status in $rc. A crash, a sanitizer's finding or a run past $TRY_SECONDS
# fails the test at once, whatever the test expects.
TRY_SECONDS=60
try() {
	TRY=${BATS_TEST_TMPDIR:-$TMPDIR}
	rc=0
	timeout -k 5 "$TRY_SECONDS" "$@" >"$TRY/out" 2>"$TRY/err" || rc=$?
	no_crash "$*"
}

# The same for a shell program, with pipefail.
try_sh() {
	try bash -o pipefail -c "$@"
}

no_crash() {
	if ((rc == 124)); then
		fail "${1:0:300}: still running after $TRY_SECONDS s"
	elif ((rc > 128)) && ((rc != 141)); then
		cat "$TRY/err" >&2
		fail "${1:0:300}: killed by a signal: status $rc"
	fi
}

# expect RC [REGEX]: what the last try must have given: its status, and exactly
# one line on stderr, which matches REGEX (extended). Write each expectation on
# a line of its own: bats does not see what fails in the middle of "a && b".
expect() {
	((rc == $1)) || { show; fail "status $rc, not $1"; } || return 1
	if (($# > 1)); then
		[[ $(wc -l <"$TRY/err") == 1 ]] ||
		    { show; fail "not one line on stderr"; } || return 1
		grep -Eq -- "$2" "$TRY/err" ||
		    { show; fail "stderr does not match: $2"; } || return 1
	fi
}

# expect_out FILE: stdout of the last try is FILE's content, byte for byte.
expect_out() {
	cmp -s "$1" "$TRY/out" || diff -u "$1" "$TRY/out" >&2
}

# expect_silent: no byte on stderr.
expect_silent() {
	[[ ! -s $TRY/err ]] || { show; fail "stderr is not empty"; }
}

show() {
	printf -- '-- stdout (head):\n' >&2
	head -c 2000 "$TRY/out" >&2
	printf -- '-- stderr:\n' >&2
	head -c 2000 "$TRY/err" >&2
}

# need PROGRAM...: skips the test where one is not installed.
need() {
	local p

	for p; do
		command -v "$p" >/dev/null || skip "no $p"
	done
}

# Skips the test where there is no folder of real captures, or none of a name.
need_captures() {
	[[ -d $TRACES/kineto ]] || skip "no captures: TL_TRACES=$TRACES"
}

need_capture() {
	[[ -e $TRACES/$1 ]] || skip "no capture: TL_TRACES=$TRACES, $1"
}

# on_terminal in|out COMMAND...: runs it with a terminal as standard input or
# output, status in $rc, stderr in the file err; skips the test where there are
# no terminals.
on_terminal() {
	need python3
	rc=0
	python3 "$TESTS/terminal.py" "$@" 2>err || rc=$?
	((rc != 77)) || skip "no pseudo-terminal: $(tail -n 1 err)"
}

# capture PATH: sets $CAPTURE to a file of the folder of real captures; skips
# the test where it is not there.
capture() {
	CAPTURE=$TRACES/$1
	need_capture "$1"
}

# streams NAME FIRST LAST: random streams SEED.ev of oracle/NAME.py.
streams() {
	local i

	for ((i = $2; i <= $3; i++)); do
		echo "$i >$i.ev"
	done | python3 "$TESTS/batch.py" "$TESTS/oracle/$1.py"
}

# A case is a folder cases/TOOL/NAME with
#   cmd   a shell program, run by bash with pipefail in a private folder that
#         holds copies of all other files of the case but these five
#   in    its standard input, too (else /dev/null)
#   out   what it must print; missing: nothing
#   err   what it must say on stderr; missing: nothing
#   rc    the status it must end with; missing: 0
# ROOT, TESTS, BUILD and TRACES are set; the tools are in PATH. "# needs: WORD"
# lines in cmd name programs, or captures (a path under TRACES), without which
# the case is skipped.
run_case() {
	local dir=$TESTS/cases/$1 work=$2 f

	mkdir -p "$work/files"
	for f in "$dir"/*; do
		case ${f##*/} in
		cmd | out | err | rc | README) ;;
		*) cp -R "$f" "$work/files/" ;;
		esac
	done
	f=/dev/null
	[[ -e $dir/in ]] && f=$dir/in
	rc=0
	(cd "$work/files" && timeout -k 5 "$TRY_SECONDS" \
	    bash -o pipefail "$dir/cmd" <"$f" >"$work/out" 2>"$work/err") ||
	    rc=$?
	TRY=$work
	if ((rc >= 128)); then
		cat "$work/err" >&2
		fail "$1: killed by a signal: status $rc"
	else
		no_crash "$1"
	fi
}

case_needs() {
	local p

	while read -r p; do
		case $p in
		*/*) need_capture "$p" ;;
		*) need "$p" ;;
		esac
	done < <(sed -n 's/^# needs: //p' "$TESTS/cases/$1/cmd" | tr ' ' '\n')
}

check_case() {
	local dir=$TESTS/cases/$1 work=$BATS_TEST_TMPDIR/case want bad=0 f

	case_needs "$1"
	run_case "$1" "$work" || return 1
	for f in err out; do
		want=$dir/$f
		[[ -e $want ]] || want=/dev/null
		cmp -s "$want" "$work/$f" && continue
		diff -a -u --label "$1/$f" --label "got" "$want" "$work/$f" |
		    head -n 60 >&2
		bad=1
	done
	want=0
	[[ -e $dir/rc ]] && want=$(<"$dir/rc")
	((rc == want)) || fail "$1: status $rc, not $want" || bad=1
	return $bad
}

# Rewrites out, err and rc of a case with what the programs do now; the review
# is git diff.
golden_case() {
	local dir=$TESTS/cases/$1 work

	work=$(mktemp -d)
	export TMPDIR=$work
	run_case "$1" "$work" || return 1
	for f in out err; do
		rm -f "$dir/$f"
		[[ -s $work/$f ]] && cp "$work/$f" "$dir/$f"
	done
	rm -f "$dir/rc"
	((rc == 0)) || echo "$rc" >"$dir/rc"
	rm -r "$work"
}

# check_unit NAME: a unit program, which speaks TAP itself.
check_unit() {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 try "$BUILD/unit/$1"
	((rc == 0)) && [[ ! -s $TRY/err ]] &&
	    ! grep -q '^not ok' "$TRY/out" && grep -q '^1\.\.' "$TRY/out" &&
	    return
	grep -v '^ok' "$TRY/out" >&2
	cat "$TRY/err" >&2
	fail "unit $1: status $rc"
}
