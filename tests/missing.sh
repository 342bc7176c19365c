#!/usr/bin/env bash
# Says before the tests run which of them will be skipped, and why.
set -u
. "$(dirname "$0")/helper.bash"

missing() {
	command -v "$1" >/dev/null || echo "skipped: $2: no $1"
}

missing mandoc 'form of the manual pages'
missing jq 'tests on inference artifacts'
missing sqlite3 'tests on SQLite exports'
missing gzip 'tests on compressed streams'
[[ -d $TRACES/kineto ]] || echo "skipped: tests on real captures: no $TRACES (TL_TRACES)"
[[ -n ${TL_STORMLOG:-} ]] ||
    echo 'skipped: imports by stormlog: TL_STORMLOG names no python with it'
[[ ${TL_VARIANT:-} != asan ]] ||
    echo 'skipped: fault injection: this build has the sanitizers loaded first'
exit 0
