#!/usr/bin/env bats
load helper

# The vLLM observer under examples/vllm, in real processes of Python.

setup() {
	tl_setup
	need python3
}

observe() {
	python3 "$TESTS/observer.py" "$1" "$ROOT/examples" .
}

@test "observer: off without a folder" { observe off; }
@test "observer: steps of a scheduler" { observe scheduler; }
@test "observer: executions of a worker" {
	observe linked
	tl-context context/*.jsonl <"$TESTS/battery/plain.ev" >out.ev
	# four steps, and what the worker ran of them
	[[ $(grep -c '^step' out.ev) == 4 ]]
	[[ $(grep -c '^exec' out.ev) == 7 ]]
}
@test "observer: which ranges" { observe markers; }
@test "observer: a run without a name" { observe no_run_name; }
@test "observer: what fails does not reach serving" { observe failures; }
@test "observer: forked" { observe fork; }
@test "observer: killed" {
	observe killed
	tl-context context/*.jsonl <"$TESTS/battery/plain.ev" >out.ev
	[[ $(grep -c '^step' out.ev) == 50 ]]
	[[ $(grep '^context' out.ev | cut -f 3) == unclosed ]]
}
@test "observer: terminated" { observe terminated; }
@test "observer: disk full" {
	observe disk_full
	for f in full-*/*.jsonl; do
		tl-context "$f" <"$TESTS/battery/plain.ev" >out.ev
	done
}
@test "observer: a slow disk never makes serving wait" { observe slow_disk; }
@test "observer: workers of other classes" { observe other_worker; }

@test "observer: on the classes of vLLM" {
	python3 -c 'import importlib.util as u, sys
	sys.exit(not u.find_spec("vllm"))' || skip "vllm is not installed"
	observe real
}
