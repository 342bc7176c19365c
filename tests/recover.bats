#!/usr/bin/env bats
load helper

@test "loop recovery: brute force, known programs, chance" {
	TRY_SECONDS=240
	try python3 "$TESTS/recover.py" "$BUILD/unit/recover_drive"
	((rc == 0)) || {
		cut -c1-500 "$TRY/out"
		fail "recover.py: status $rc: $(<"$TRY/err")"
	}
	[[ $(tail -n 1 "$TRY/out") == 1..7 ]]
}
