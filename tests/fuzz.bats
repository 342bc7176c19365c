#!/usr/bin/env bats
# The fuzzers' entry points over the corpus and over changed copies of it, the
# same in each run. `make fuzz` looks for more.
load helper

# seeds FILE: each line as a file of its own.
seeds() {
	mkdir seeds
	split -a 4 -l 1 "$1" seeds/
	local f

	for f in seeds/*; do
		truncate -s -1 "$f"
	done
}

# fuzz NAME COUNT FILE...
fuzz() {
	try "$BUILD/fuzz/$1" -n "$2" "${@:3}"
	expect 0
	expect_silent
}

@test "fuzz: lines of events" {
	grep -haE '^(kernel|api|mark|range|op|counter)	' \
	    "$TESTS"/corpus/ev/{pass,fail}/*.ev | tr -d '\0' >lines
	seeds lines
	fuzz line 300 seeds/*
}

@test "fuzz: streams" {
	fuzz ev 50 "$TESTS"/corpus/ev/{pass,fail}/*.ev "$TESTS"/battery/*.ev
}

@test "fuzz: compressed streams" {
	need gzip
	gzip -nc "$TESTS/battery/plain.ev" >plain.gz
	head -c 300 "$TESTS/battery/tree.ev" | gzip -nc >two.gz
	tail -c +301 "$TESTS/battery/tree.ev" | gzip -nc >>two.gz
	fuzz ev 3000 plain.gz two.gz
}

@test "fuzz: numbers" {
	printf '%s\n' 0 -1 1 12 -9223372036854775808 9223372036854775807 \
	    18446744073709551615 1712195495519689.047 1.5e3 -0.001 1e-3 \
	    9223372036854775.807 00012.5000 123456789.9999 >numbers
	seeds numbers
	fuzz num 20000 seeds/*
}

@test "fuzz: escapes" {
	printf '%s\n' 'plain' 'a\tb\nc\\d' '\x00\x1F\x7F\xFF' '\x2E' \
	    $'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80' '\xE2\xC3\xA9' >texts
	seeds texts
	fuzz esc 20000 seeds/*
}

@test "fuzz: rules" {
	fuzz rules 300 "$ROOT"/rules/*.yaml
}

@test "fuzz: Kineto's JSON" {
	local f

	printf '%s\n' '{"ph": "X", "cat": "kernel", "name": "a\q\u12", "ts": 1, "dur": inf, "args": {"device": 0,}}' \
	    '{"name": "C:\path", "ph": "i", "ts": -1.5, "s": "t", "args": {"a": [1, {"b": null}]}}' \
	    '{"ph": "C", "name": "m", "ts": 1e3, "pid": "p", "args": {"x": 1, "y": 2.5}}' \
	    '{"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "a\"}]b"}}' >events
	seeds events
	cp "$TESTS/battery/kineto.json" whole.json
	sed -n '/^{"ph"/p' whole.json >inside.json
	fuzz kineto 2000 seeds/* whole.json inside.json
}

@test "fuzz: scheduler context" {
	cat "$TESTS/battery/context.jsonl" >lines
	printf '%s\n' '{"requests":[{"request_id":"\u00e9","x":{"a":[1]}}]}' \
	    '{"cache":{"free_blocks":1,"x":{"cache":{}}},"requests":[]}' >>lines
	seeds lines
	fuzz context 5000 seeds/*
}
