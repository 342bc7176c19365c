#!/usr/bin/env bash
# lint.sh FOLDER FLAGS BUILD: compiles everything with gcc and clang, warnings
# as errors, and runs the checkers that are there; those that are not are
# named. Ends with status 1 if any has found something.
set -u
out=$1 flags=$2 BUILD=$3
export BUILD
cd "$(dirname "$0")/.." || exit 1
mkdir -p "$out"
failed=0

# step NAME PROGRAM COMMAND...
step() {
	if ! command -v "$2" >/dev/null; then
		echo "lint: $1: skipped: no $2"
	elif "${@:3}" >"$out/log" 2>&1; then
		echo "lint: $1: ok"
	else
		echo "lint: $1: FAIL"
		cat "$out/log"
		failed=1
	fi
}

compile() {
	local cc=$1 f bad=0

	for f in common/*.c tools/*.c tests/*.c tests/unit/*.c \
	    tests/fuzz/*.c; do
		# shellcheck disable=SC2086
		$cc $flags -Werror -O2 -c -o "$out/o.o" "$f" || bad=1
	done
	return $bad
}

# Left out: what this checker cannot know (an array that a call in the same
# expression fills, a function that does not return) and advice for threads.
check_c() {
	local s suppress=()

	for s in missingIncludeSystem internalAstError legacyUninitvar \
	    uninitvar nullPointerRedundantCheck arrayIndexOutOfBoundsCond \
	    arrayIndexThenCheck zerodivcond strtokCalled readdirCalled; do
		suppress+=("--suppress=$s")
	done
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j 2 \
	    --enable=warning,portability,performance \
	    "${suppress[@]}" --library=posix -DTL_BUFSZ=65536 -Icommon -Itools \
	    common tools tests/*.c tests/unit tests/fuzz
}

check_shell() {
	# SC2238: a file may be called cut; SC2154 and SC2034: what
	# the helper sets and reads
	shellcheck -S warning -e SC2034,SC2238,SC2154,SC2155 tests/*.sh tests/helper.bash \
	    tests/battery.bash tests/*.bats .ci/run tools/traceloom
}

check_pages() {
	bats --tap tests/pages.bats
}

pages() {
	mandoc -T lint -W warning man/*.[1-9]
}

step 'gcc -Werror' gcc compile gcc
step 'clang -Werror' clang compile clang
step 'manual pages' mandoc pages
step 'pages and options' bats check_pages
step 'C' cppcheck check_c
step 'shell' shellcheck check_shell
exit $failed
