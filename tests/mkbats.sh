#!/usr/bin/env bash
# mkbats.sh FOLDER: writes there the bats files that are lists: one test for
# each folder under cases/, for each unit program, for each line of the
# battery's table and each check that applies to it.
set -eu

tests=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
rm -f "$out"/*.bats "$out"/*.options

# Python without the packages of the machine, which take longer to look for than
# a small script runs.
if py=$(command -v python3); then
	mkdir -p "$out/bin"
	printf '#!/bin/sh\nexec %s -S "$@"\n' "$py" >"$out/bin/python3"
	chmod +x "$out/bin/python3"
fi

bats_head() {
	printf '#!/usr/bin/env bats\nload %s/helper\n' "$tests"
}

for dir in "$tests"/cases/*/; do
	[[ -d $dir ]] || continue
	tool=$(basename "$dir")
	{
		bats_head
		for cmd in "$dir"*/cmd; do
			[[ -e $cmd ]] || continue
			name=$tool/$(basename "$(dirname "$cmd")")
			printf '@test "case %s" {\n\tcheck_case %s\n}\n' \
			    "$name" "$name"
		done
	} >"$out/cases-$tool.bats"
	grep -q @test "$out/cases-$tool.bats" || rm "$out/cases-$tool.bats"
done

{
	bats_head
	for c in "$tests"/unit/*_test.c; do
		[[ -e $c ]] || continue
		name=$(basename "$c" .c)
		printf '@test "unit %s" {\n\tcheck_unit %s\n}\n' "$name" \
		    "$name"
	done
} >"$out/unit.bats"
grep -q @test "$out/unit.bats" || rm "$out/unit.bats"

. "$tests/battery.bash"
battery_table | while read -r tool _; do
	{
		bats_head
		printf 'load %s/battery\n' "$tests"
		battery_of "$tool" | while read -r check; do
			printf '@test "%s: %s" {\n\tbattery %s %s\n}\n' \
			    "$tool" "$check" "$tool" "$check"
		done
	} >"$out/battery-$tool.bats"
done
