#!/usr/bin/env bats
# What is no case of cases/tl-kineto2ev: real captures and generated ones
# against an independent reading, cuts at every byte, memory.
load helper

# events FILE: the records of a stream without their places and ids.
events() {
	grep -v '^#' "$1" | cut -f 1,3-11
}

@test "kineto2ev: every real capture is what an independent reading finds" {
	need python3
	local f bad=0 n=0

	need_captures
	for f in "$TRACES"/kineto/*; do
		n=$((n + 1))
		try tl-kineto2ev "$f"
		expect 0 && expect_silent || { bad=1; continue; }
		python3 "$TESTS/kineto.py" "$f" "$TRY/out" \
		    "$TRACES/../facts/totals.tsv" || { bad=1; echo "$f" >&2; }
		tl-check "$TRY/out" || bad=1
	done
	((n > 0)) && ((bad == 0))
}

@test "kineto2ev: a real capture, spilled, from a pipe, in a folder that is read-only" {
	capture kineto/hta-2023-05-a100-rank0of16-cudagraph.json.gz
	tl-kineto2ev -P "$CAPTURE" >whole.ev
	tl-kineto2ev -P -S 1M "$CAPTURE" | cmp - whole.ev
	gzip -dc "$CAPTURE" | tl-kineto2ev -P -s "$CAPTURE" |
	    grep -v '^#source' | cmp - <(grep -v '^#source' whole.ev)
	mkdir ro
	cp "$CAPTURE" ro/t.json.gz
	chmod 555 ro
	tl-kineto2ev -P ro/t.json.gz | grep -v '^#source' |
	    cmp - <(grep -v '^#source' whole.ev)
	[[ $(ls ro) == t.json.gz ]]
	cmp "$CAPTURE" ro/t.json.gz
}

@test "kineto2ev: every form of one generated capture gives the same events" {
	need python3
	local form bad=0

	"$BUILD/gen" -n 3 -l 2 -k 5 -c 1 -s 2 -O 1 -i 7 -C 1,2 -Z 1,2 -w 20 \
	    -o plain.json
	tl-kineto2ev -P plain.json >plain.ev
	python3 "$TESTS/kineto.py" plain.json plain.ev
	for form in style=line style=tight style=keys base=after gzip; do
		"$BUILD/gen" -n 3 -l 2 -k 5 -c 1 -s 2 -O 1 -i 7 -C 1,2 -Z 1,2 \
		    -w 20 -x "$form" -o other
		try tl-kineto2ev -P other
		expect 0 && expect_silent || bad=1
		diff <(events plain.ev) <(events "$TRY/out") >&2 || bad=1
		python3 "$TESTS/kineto.py" other "$TRY/out" || bad=1
	done
	((bad == 0))
}

@test "kineto2ev: every year's form, AMD, arrays, shuffled rows, no correlation" {
	need python3
	local opt bad=0

	for opt in '-y 2020' '-y 2021' '-y 2022' '-y 2023' '-y 2024' \
	    '-y 2025' '-y 2026' '-x amd' '-x array' '-x shuffle=all' \
	    '-x corr=zero' '-x corr=none' '-x ts=epoch3' '-x gpumark,sync' \
	    '-D 2 -P 2' '-g step' '-g layer:id' '-z 30' '-x corr0=5000000000' \
	    '-x noflow,style=tight'; do
		"$BUILD/gen" -n 3 -l 2 -k 5 -c 1 -s 2 -O 1 -i 7 $opt -o t.json
		try tl-kineto2ev t.json
		expect 0 && expect_silent || bad=1
		python3 "$TESTS/kineto.py" t.json "$TRY/out" || { bad=1
			echo "$opt" >&2; }
		tl-check "$TRY/out" || bad=1
	done
	((bad == 0))
}

# Within the events a cut is an error; behind them it costs a note; and -k
# gives the events that are whole, which there are at most as many as before.
@test "kineto2ev: a file cut at every byte" {
	need python3
	python3 - "$TESTS/cases/tl-kineto2ev/base/in.json" <<'EOF'
import os, subprocess, sys
data = open(sys.argv[1], 'rb').read()
end = data.rindex(b']') + 1
ends = [i + 1 for i in range(end) if data[i:i+1] == b'}' and
        data[:i+1].count(b'{') - data[:i+1].count(b'}') == 1 and
        b'traceEvents' in data[:i]]
def run(part, *opt):
    p = subprocess.run(['tl-kineto2ev', '-P', *opt], input=part,
                       capture_output=True)
    lines = [x.split(b'\t') for x in p.stdout.split(b'\n')]
    kinds = [x[0] for x in lines]
    codes = {x[2] for x in lines if x[0] == b'note'}
    return p.returncode, kinds, codes, p.stderr
for n in range(len(data) - 1):
    rc, kinds, codes, err = run(data[:n])
    assert err.count(b'\n') == (rc != 0), (n, err)
    if n < end:
        assert rc == 1 and kinds == [b''], (n, rc, kinds)
    else:
        assert rc == 0 and kinds.count(b'kernel') == 1, (n, rc, kinds)
        assert (b'bad_tail' in codes) == (n < len(data) - 1), (n, codes)
    rc, kinds, codes, err = run(data[:n], '-k')
    whole = sum(e <= n for e in ends)
    have = sum(k in (b'api', b'kernel', b'mark') for k in kinds)
    assert have == (whole if n < end else 3), (n, whole, kinds)
    assert rc == (1 if n < end else 0), (n, rc)
    assert (b'truncated' in codes) == (n < end and have > 0), (n, codes)
    assert (kinds[-2:] == [b'end', b'']) == (have > 0), (n, kinds)
EOF
}

@test "kineto2ev: a gzip file cut at every 50th byte is never whole" {
	local n bad=0

	"$BUILD/gen" -n 2 -l 2 -k 5 -x gzip -o t.json.gz
	for ((n = 1; n < $(stat -c %s t.json.gz); n += 50)); do
		head -c $n t.json.gz >cut
		try tl-kineto2ev cut
		expect 1 && [[ ! -s $TRY/out ]] || { bad=1; echo $n >&2; }
	done
	((bad == 0))
}

# peak COMMAND...: the peak of its resident memory in KiB.
peak() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

@test "kineto2ev: memory does not grow with what is skipped, nor past -S" {
	need python3
	[[ ${TL_VARIANT:-} != asan ]] || skip "not under a sanitizer"
	"$BUILD/gen" -n 10 -l 10 -k 10 -w 90 -o small.json
	"$BUILD/gen" -n 40 -l 10 -k 10 -w 97 -o large.json
	local small large

	tl-kineto2ev -c kernel small.json | grep -c ^kernel
	small=$(peak tl-kineto2ev -c mark small.json)
	large=$(peak tl-kineto2ev -c mark large.json)
	((large < small + 1024)) || fail "$small KiB, then $large KiB"
	"$BUILD/gen" -n 100 -l 24 -k 20 -O 1 -o many.json
	large=$(peak tl-kineto2ev -S 8M many.json)
	((large < 8192 + 8192)) || fail "$large KiB"
	tl-kineto2ev -P -S 8M many.json | cmp - <(tl-kineto2ev -P many.json)
}

# More names and lanes than the tables of the least budget hold, kernels in
# another clock, halves of ranges: nothing depends on what was spilled.
@test "kineto2ev: the stream is the same whatever the budget" {
	need python3
	python3 - >t.json <<'EOF'
print('[')
for i in range(60000):
    kind = ('cpu_op', 'kernel', 'cuda_runtime', 'kernel')[i % 4]
    ts = i * 13 % 50000 + (10**11 if i % 997 == 1 else 10**12)
    ph = '"B"' if i % 40 == 0 else '"X","dur":%d' % (i % 5)
    print('{"ph":%s,"cat":"%s","name":"name %d %s","pid":%d,"tid":%d,"ts":%d,'
          '"args":{"External id":%d,"correlation":%d}},' %
          (ph, kind, i * 7 % 40000, 'x' * (i % 50), 10 + i % 5, i * 79 % 30000,
           ts, i, i // 4))
    if i % 40 == 0:
        print('{"ph":"E","pid":%d,"tid":%d,"ts":%d},' %
              (10 + i % 5, i * 79 % 30000, ts + 7))
print('{"ph":"i","name":"last","pid":1,"tid":1,"ts":1}]')
EOF
	tl-kineto2ev -P t.json >whole.ev
	tl-kineto2ev -P -S 1M t.json | cmp - whole.ev
	# 30000 kernels, each 997th element of the wrong clock is one of them
	[[ $(grep -c '^kernel' whole.ev) == $((30000 - 31)) ]]
	grep -q "$(printf '^note\twarn\tdropped_far_time\t31\t')" whole.ev
	[[ $(grep -c '^[a-mo-z]' whole.ev) == $((60001 - 31 + 1)) ]]
	tl-check whole.ev
}
