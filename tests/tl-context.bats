#!/usr/bin/env bats
# The wire contract, line by line, and the links of generated captures against
# the generator's answer. What evidence means in small is in cases/tl-context.
load helper

# linked NAME GEN-OPTION...: a capture with context, its stream in NAME.ev;
# every link must be the generator's.
linked() {
	local name=$1 file=$1.json convert=tl-kineto2ev

	shift
	[[ " $* " != *" nsys "* ]] || { file=$name.sqlite convert=tl-nsys2ev; }
	"$BUILD/gen" -J "$name" "$@" -o "$file" || return 1
	"$convert" "$file" | tl-replay |
	    tl-context "$name".*.jsonl >"$name.ev" || return 1
	tl-check "$name.ev" || return 1
	python3 "$TESTS/context_check.py" "$name.ev" "$name.tsv"
}

count() {
	grep -c "$1" "$2" || :
}

@test "wire contract" {
	need python3
	python3 "$TESTS/context_contract.py"
}

@test "a file past 256 MiB" {
	need python3
	[[ -z ${TL_VARIANT:-} ]] || skip "slow in this build"
	python3 - <<-'END'
		h = ('{"schema":"traceloom.scheduler.v1","run_id":"r",'
		     '"producer_id":"p","type":"%s",')
		pad = '"pad":"' + 'x' * 1048000 + '",'
		step = ('"step_id":"%d","ordinal":%d,"requests":[],'
		        '"total_scheduled_tokens":0,"cache":'
		        '{"observation_phase":"after_schedule"}}\n')
		with open("big.jsonl", "w") as f:
		    f.write(h % "session" + '"metadata":{}}\n')
		    for i in range(257):
		        f.write(h % "step" + pad + step % (i, i))
	END
	try tl-context -o out.ev big.jsonl </dev/null
	expect 1 "^tl-context: big.jsonl:258: file: is longer than 256 MiB"
	[[ ! -e out.ev ]]
}

@test "kineto, eager" {
	need python3
	linked a -n 30 -C 1,3 -Z 0,4 -x sync -O 2
	[[ $(count '^exec.*supported_marker' a.ev) == 60 ]]
}

@test "kineto, graphs with and without ids" {
	need python3
	linked a -n 30 -g layer:id -C 1,2
	linked b -n 30 -g step:noid -s 2
}

@test "nsys, eager" {
	need python3
	linked a -n 30 -f nsys -C 1,3 -Z 0,4 -x sync -O 2
	[[ $(count '^exec.*supported_marker' a.ev) == 60 ]]
}

@test "nsys, graphs: nodes, layers, intervals only" {
	need python3
	linked a -n 30 -f nsys -g step:id -C 1,2
	linked b -n 30 -f nsys -g layer:noid -P 2 -D 2 -E 4
	linked c -n 30 -f nsys -g step:trace
}

@test "processes, threads, cut ends, missing calls, shadows of marks" {
	need python3
	linked a -n 30 -P 2 -t 2 -H 100 -T 37 -A 9 -i 5 -x gpumark,sync
	[[ $(count '^exec.*marker_not_found' a.ev) == 8 ]]
	linked b -n 30 -x corr=none
	linked c -n 30 -f nsys -x corr=zero
}

@test "order of files, blanks and keys of JSON change nothing" {
	need python3
	linked a -n 5 -P 2 -g layer
	tl-kineto2ev a.json | tl-replay >a.in
	tl-context -P a.*.jsonl <a.in | grep -v '^json\|^context' >one
	python3 - <<-'END'
		import glob, json
		for p in glob.glob("a.*.jsonl"):
		    rows = [json.loads(l) for l in open(p)]
		    with open(p, "w") as f:
		        for r in rows:
		            r = dict(reversed(list(r.items())))
		            f.write(json.dumps(r, indent=None,
		                separators=(" , ", " : ")) + "\n")
	END
	tl-context -P a.w*1.jsonl a.w*0.jsonl a.sched.jsonl <a.in |
	    grep -v '^json\|^context' >two
	# the pieces that are kept as they stand differ in their blanks
	diff <(sed 's/{.*//' one) <(sed 's/{.*//' two)
}

@test "lines of context come back byte for byte" {
	need python3
	linked a -n 3
	python3 - <<-'END'
		import glob
		text = {}
		for line in open("a.ev", encoding="utf-8"):
		    c = line.rstrip("\n").split("\t")
		    if c[0] == "context":
		        path = {**globals().get("path", {}), c[1]: c[9]}
		    if c[0] == "json":
		        assert int(c[3]) == 1
		        text.setdefault(c[1], []).append(
		            c[4].replace("\\\\", "\\") + "\n")
		assert len(path) == 2
		for i, p in path.items():
		    assert open(p).read() == "".join(text[i]), p
	END
	while read -r sum path; do
		[[ $(sha256sum <"$path") == "$sum  -" ]]
	done < <(awk -F'\t' '$1 == "context" { print $9, $10 }' a.ev)
}

@test "long lines are in parts that end between characters" {
	need python3
	python3 - <<-'END'
		import json
		h = {"schema": "traceloom.scheduler.v1", "run_id": "r",
		     "producer_id": "p", "type": "session",
		     "metadata": {"x": "\u00e9\u20ac\U0001F600" * 40000}}
		open("a.jsonl", "w").write(json.dumps(h, ensure_ascii=False)
		    + "\n")
	END
	tl-context a.jsonl <"$TESTS/battery/plain.ev" >a.ev
	tl-check a.ev
	[[ $(count '^json' a.ev) == 4 ]]
	awk -F'\t' '$1 == "json" { printf "%s", $5 } END { print "" }' a.ev |
	    cmp - a.jsonl
}

@test "what is missing is told" {
	linked a -n 4
	grep -v summary a.worker0.jsonl >w.jsonl
	tl-kineto2ev a.json >a.in
	tl-context a.sched.jsonl w.jsonl <a.in >b.ev
	grep -q '^note	warn	context_unclosed	1	w.jsonl: ' b.ev
	sed -i 's/"dropped_records":0/"dropped_records":7/' a.worker0.jsonl
	tl-context a.sched.jsonl a.worker0.jsonl <a.in >b.ev
	grep -q '^note	warn	context_dropped	7	a.worker0' b.ev
	tl-context a.sched.jsonl <a.in >b.ev
	grep -q '^note	warn	context_scheduler_only	4	' b.ev
	[[ $(count '^link.*linked	call' b.ev) == 0 ]]
	# of another run: steps of the one are none of the other
	sed 's/"run_id":"gen"/"run_id":"other"/' w.jsonl >o.jsonl
	tl-context a.sched.jsonl o.jsonl <a.in >b.ev
	[[ $(count '^exec.*missing_step' b.ev) == 8 ]]
	[[ $(count '^link.*linked	call' b.ev) == 0 ]]
}

@test "usage, inputs that are outputs, a second time" {
	linked a -n 2
	try tl-context <a.ev
	expect 2
	grep -q 'no operand: one file of context' "$TRY/err"
	try tl-context - <a.ev
	expect 2
	try tl-context -i a.ev -o a.sched.jsonl a.sched.jsonl
	expect 1 'a.sched.jsonl: output: is the input'
	try tl-context -i a.ev a.sched.jsonl
	expect 1 "record 'context': already with context"
	tl-context -P -f a.sched.jsonl a.worker0.jsonl <a.ev | grep -v '^#' >b
	grep -v '^#' a.ev | diff - b
}

@test "a cut keeps what is about events that are left" {
	linked a -n 4 -g layer
	tl-cut -e kernel a.ev >b.ev
	tl-check b.ev
	[[ $(count '^link' b.ev) == $(count '^kernel' b.ev) ]]
	# calls are gone, steps are known all the same
	[[ $(count '^link.*linked	[a-z]*	\.' b.ev) == \
	    $(count '^link' b.ev) ]]
	[[ $(count '^work' b.ev) == 0 ]]
	tl-cut a.ev | grep -v '^#' | diff - <(grep -v '^#' a.ev)
}

@test "steps in the tree and on the timeline" {
	need python3
	# prefill, decode, decode ...: a kind has layers of its own
	linked a -n 30 -K PDD
	tl-recover a.ev >r.ev
	tl-tree -F tsv r.ev >t.tsv
	head -n 1 t.tsv | grep -q '	steps$'
	python3 - <<-'END'
		import collections
		step, leaf, above = {}, {}, {}
		for line in open("r.ev"):
		    c = line.rstrip("\n").split("\t")
		    if c[0] == "link":
		        step[c[1]] = c[2]
		    elif c[0] == "pos":
		        above[c[2]] = c[3]
		    elif c[0] == "real":
		        leaf[c[1]] = c[3]
		want = collections.defaultdict(set)
		for event, pos in leaf.items():
		    while pos != "." and step[event] != ".":
		        want[pos].add(step[event])
		        pos = above[pos]
		rows = [l.rstrip("\n").split("\t") for l in open("t.tsv")][1:]
		assert {r[1]: int(r[23]) for r in rows} == \
		    {p: len(s) for p, s in want.items()}
		assert {10, 20, 30} <= {int(r[23]) for r in rows}
	END
	# links behind the structure, and in no order
	tl-kineto2ev a.json | tl-replay | tl-recover |
	    tl-context a.*.jsonl >late.ev
	tl-tree -F tsv late.ev | cmp - t.tsv
	{ grep -v -e '^link' -e '^end' late.ev; grep '^link' late.ev | tac
	    grep '^end' late.ev; } >odd.ev
	tl-tree -F tsv odd.ev | cmp - t.tsv
	# as is the database
	for f in r.ev late.ev; do
		tl-ev2db -o "$f.db" "$f"
		# a position is its line there
		tl-query "$f.db" 'SELECT min(event), count(DISTINCT k.step)
		    FROM tl_real r JOIN tl_link k USING (event)
		    GROUP BY r.position' >"$f.steps"
	done
	[[ $(wc -l <r.ev.steps) -gt 3 ]]
	cmp r.ev.steps late.ev.steps
	grep -v -e '^#prog' -e '^note' -e '^end' late.ev |
	    tl-perfetto -P -t >late.json
	grep -v -e '^#prog' -e '^note' -e '^end' r.ev |
	    tl-perfetto -P -t | cmp - late.json
	tl-tree r.ev | grep -q '^pos .* idle   steps  structure$'
	tl-tree -F md r.ev | grep -q '| idle | steps | structure |$'
	tl-tree "$TESTS/battery/tree.ev" >t.txt
	try grep steps t.txt
	((rc == 1))
	tl-perfetto r.ev >p.json
	python3 - <<-'END'
		import json
		d = json.load(open("p.json"))
		lane = {(e["pid"], e["tid"]): e["args"]["name"] for e in d
		        if e["name"] == "thread_name"}
		got = sorted((e["ts"], e["dur"], e["args"]["device_events"])
		             for e in d if lane.get((e["pid"], e.get("tid")))
		             == "scheduler steps" and e["ph"] == "X")
		want, first = [], None
		for line in open("r.ev"):
		    c = line.rstrip("\n").split("\t")
		    if c[0] == "work":
		        want.append((int(c[6]), int(c[7]), int(c[4])))
		    elif first is None and not line.startswith("#"):
		        first = int(c[2])
		assert got == sorted(((s - first) / 1000, d / 1000, n)
		                     for s, d, n in want) and len(got) == 30
	END
}

# The captures' generator knows no steps: each of its steps makes 8 calls, and
# markers are put around 7 of them, so that every eighth is in none. Of a task
# with a call the step is asked of the database, of others the launch.
@test "ascend: markers of PYTORCH_API, eager and graphs" {
	need python3 tl-msprof2ev gen_ascend
	gen_ascend -n 30 -o g
	python3 - <<-'END'
		import glob, json, sqlite3
		db = sqlite3.connect(glob.glob("g/msprof_*.db")[0])
		calls = db.execute("select startNs, endNs, globalTid, connectionId "
		    "from CANN_API order by startNs").fetchall()
		assert len(calls) == 30 * 8
		db.execute("create table PYTORCH_API (startNs INT, endNs INT, "
		    "globalTid INT, connectionId INT, name INT, "
		    "sequenceNumber INT, fwdThreadId INT, type INT)")
		text = db.execute("select max(id) from STRING_IDS").fetchone()[0]
		h = {"schema": "traceloom.scheduler.v1", "run_id": "r",
		     "producer_id": "p"}
		out = [dict(h, type="session", metadata={})]
		step = {}
		for s in range(30):
		    mine = calls[8 * s:8 * s + 7]
		    marker = f"traceloom.execution.e{s}"
		    db.execute("insert into STRING_IDS values (?, ?)",
		        (text + s + 1, marker))
		    db.execute("insert into PYTORCH_API values (?, ?, ?, null, ?, "
		        "null, null, 50001)", (mine[0][0], mine[-1][1],
		        mine[0][2], text + s + 1))
		    step.update({c[3]: str(s + 1) for c in mine})
		    out.append(dict(h, type="step", step_id=f"s{s}", ordinal=s,
		        requests=[], total_scheduled_tokens=0,
		        cache={"observation_phase": "after_schedule"}))
		    out.append(dict(h, type="execution", execution_id=f"e{s}",
		        step_id=f"s{s}", marker=marker, status="returned",
		        marker_state="emitted"))
		out.append(dict(h, type="summary", written_records=60,
		    dropped_records=0))
		db.commit()
		with open("c.jsonl", "w") as f:
		    f.writelines(json.dumps(r) + "\n" for r in out)
		conn = {f"T:{i}": c for i, c in db.execute(
		    "select rowid, connectionId from TASK")}
		conn.update({f"C:{i}": c for i, c in db.execute(
		    "select rowid, connectionId from COMMUNICATION_OP")})
		known = {c[3] for c in calls}
		json.dump([conn, step, sorted(known)], open("want.json", "w"))
	END
	tl-msprof2ev g | tl-replay | tl-context c.jsonl >a.ev
	tl-check a.ev
	python3 - <<-'END'
		import collections, json
		conn, step, known = json.load(open("want.json"))
		step = {int(k): v for k, v in step.items()}
		place, kind, call, launch, got = {}, {}, {}, {}, {}
		for line in open("a.ev"):
		    c = line.rstrip("\n").split("\t")
		    if c[0] in ("kernel", "memcpy", "memset", "sync", "task"):
		        if "detail=1" not in c:
		            place[c[1]] = c[11]
		    elif c[0] == "api":
		        call[c[1]] = int(c[8])
		    elif c[0] == "launch":
		        launch[c[1]] = c[2]
		    elif c[0] == "member":
		        kind[c[6 - 1]] = c[1]
		    elif c[0] == "link":
		        got[c[1]] = c
		n = collections.Counter()
		for e, p in place.items():
		    of = conn[p]
		    if e in kind and launch[kind[e]] != ".":
		        of = call[launch[kind[e]]]
		    want = ("linked", step[of]) if of in step else \
		        ("unlinked", ".")
		    assert (got[e][4], got[e][2]) == want, (e, p, got[e], want)
		    if want[0] == "unlinked":
		        assert (got[e][5] == "outside") == (of in known), got[e]
		    n[want[0]] += 1
		assert n["linked"] >= 300 and n["unlinked"] > 30, n
	END
}
