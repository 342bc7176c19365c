#!/usr/bin/env python3
"""context_contract.py: runs tl-context on files of context, each with one thing
changed, and compares how it ends with the wire contract as tl-context(1) says
it: status, line of the file, what is said, and that nothing is written."""
import json
import os
import subprocess
import sys

STREAM = "#tl-ev\t1\nkernel\t1\t5\t5\t7\t0\t1\t7\t.\tcompute\tk\tE:1\nend\t1\n"
M = "traceloom.execution."
failed = count = 0


def rec(**more):
    return dict({"schema": "traceloom.scheduler.v1", "run_id": "r1",
                 "producer_id": "p1"}, **more)


def request(name, tokens):
    return {"request_id": name, "scheduled_tokens": tokens}


def base(run="r1", producer="p1", step="s1", execution="e1", ordinal=0):
    return [dict(r, run_id=run, producer_id=producer) for r in (
        rec(type="session", metadata={"x": [{}, "é", None]}),
        rec(type="step", step_id=step, ordinal=ordinal,
            total_scheduled_tokens=3, requests=[request("a", 3)],
            cache={"observation_phase": "after_schedule", "free_blocks": 1,
                   "pool_blocks": None}),
        rec(type="execution", execution_id=execution, step_id=step,
            marker=M + execution, phase="execute_model", status="returned",
            marker_state="emitted", worker_rank=0),
        rec(type="summary", written_records=2, dropped_records=0))]


def text(records):
    if isinstance(records, bytes):
        return records
    return b"".join(json.dumps(r).encode() + b"\n" for r in records)


def check(name, files, want=None, line=None):
    """want: None where it is good, else what the message has."""
    global failed, count
    paths = []
    for i, records in enumerate(files):
        paths.append(f"c{i}.jsonl")
        with open(paths[-1], "wb") as f:
            f.write(text(records))
    with open("out.ev", "w", encoding="utf-8") as f:
        f.write("before\n")
    p = subprocess.run(["tl-context", "-o", "out.ev", *paths], input=STREAM,
                       capture_output=True, encoding="utf-8", check=False)
    with open("out.ev", encoding="utf-8") as f:
        kept = f.read() == "before\n"
    left = [f for f in os.listdir(".") if f.startswith("out.ev.")]
    place = f"tl-context: {paths[-1]}:" + (f"{line}: " if line else "")
    if want is None:
        good = p.returncode == 0 and p.stderr == "" and not kept
    else:
        good = (p.returncode == 1 and kept and p.stdout == "" and
                p.stderr.count("\n") == 1 and p.stderr.startswith(place) and
                want in p.stderr)
    count += 1
    if not good or left:
        failed += 1
        print(f"{name}: status {p.returncode}, kept {kept}: {p.stderr}", end="")


def change(i, want=None, **keys):
    """Changes keys of line i; KeyError: without it."""
    records = base()
    for k, v in keys.items():
        if v is KeyError:
            del records[i][k]
        else:
            records[i][k] = v
    check(f"{i} {keys}", [records], want, i + 1)


NUMBER = "must be a whole number"
TEXT = "must be a text of 1 to 128 bytes"
for i, keys in enumerate((("schema", "run_id", "producer_id", "type",
                           "metadata"),
                          ("step_id", "ordinal", "total_scheduled_tokens",
                           "requests", "cache"),
                          ("execution_id", "step_id", "marker", "status",
                           "marker_state"),
                          ("written_records", "dropped_records"))):
    for k in keys:
        change(i, f"key '{k}': is missing", **{k: KeyError})
check("base", [base()])
change(0, "metadata '[': must be an object", metadata=[])
change(0, "must be an object", metadata="x")
change(1, "must be \"traceloom.scheduler.v1\"", schema="traceloom.scheduler.v2")
change(1, "must be \"traceloom.scheduler.v1\"", schema=1)
change(1, "run_id 'r2': is not that of line 1", run_id="r2")
change(2, "producer_id 'p2': is not that of line 1", producer_id="p2")
change(1, "type 'x': must be session, step, execution or summary", type="x")
change(1, "must be session, step, execution or summary", type=["step"])
change(1, "is the first line's", type="session", metadata={})
for v in ("a b", "ä", "a/b"):
    check(v, [base(run=v)], "must be of letters", 1)
    check(v, [base(producer=v)], "must be of letters", 1)
for v in ("", "a" * 129):
    check(v, [base(run=v)], TEXT, 1)
    change(1, TEXT, step_id=v)
    change(2, TEXT, execution_id=v, marker=M + v)
    change(1, TEXT, requests=[request(v, 3)])
check("128", [base("r" * 128, "p.-_" * 32, "s" * 128, "e" * 128)])
check("any", [base(step="a b/ü\t\\", execution="ü \"x\"")])
change(1, TEXT, step_id=1)
change(1, "has a NUL", step_id="a\0b")
for v in (0.0, -1, "0", True, None, [0], 1 << 63, 1e3):
    change(1, NUMBER, ordinal=v)
    change(1, NUMBER, total_scheduled_tokens=v)
    change(1, NUMBER, requests=[request("a", v)])
    change(3, NUMBER, written_records=v)
    change(3, NUMBER, dropped_records=v)
    if v is not None:
        change(2, NUMBER, worker_rank=v)
        change(2, NUMBER, process_id=v)
        for k in ("free_blocks", "pool_blocks"):
            change(1, NUMBER, cache={"observation_phase": "after_schedule",
                                     k: v})
change(1, None, ordinal=(1 << 63) - 1)
change(1, "is not the sum", total_scheduled_tokens=4)
change(1, "is in the step twice", requests=[request("a", 1), request("b", 1),
                                            request("a", 1)])
change(1, "the sum is too large", requests=[request("a", (1 << 63) - 1),
                                            request("b", 1)])
change(1, "must be a list of objects", requests={"a": request("a", 3)})
change(1, "must be a list of objects", requests=[request("a", 3), 3])
change(1, "must be a list of objects", requests=[[request("a", 3)]])
change(1, None, requests=[], total_scheduled_tokens=0)
many = [request(str(i), 1) for i in range(4097)]
change(1, None, requests=many[:4096], total_scheduled_tokens=4096)
change(1, "has more than 4096", requests=many, total_scheduled_tokens=4097)
change(1, "must be \"after_schedule\"", cache={"observation_phase": "x"})
change(1, "is missing", cache={})
change(1, "must be an object", cache=[])
change(1, None, cache={"observation_phase": "after_schedule"})
change(2, None, phase=KeyError)
change(2, None, phase="sample_tokens", status="raised", worker_rank=None,
       marker_state="unavailable", process_id=4242)
change(2, "must be \"execute_model\"", phase="x")
change(2, "must be \"returned\"", status="x")
change(2, "must be \"emitted\"", marker_state=None)
change(2, "must be traceloom.execution. and", marker=M + "e2")
change(2, "must be traceloom.execution. and", marker=M + "e")
change(2, None, step_id="elsewhere")
change(3, "the file has 2", written_records=3)
change(3, None, dropped_records=5)

# order and ends
b = base()
check("no session", [b[1:]], "the first line must be a session", 1)
check("session last", [[b[1], b[2], b[0], b[3]]],
      "the first line must be a session", 1)
check("summary early", [[b[0], b[3], b[1], b[2]]], "the file has 0", 2)
check("after summary", [b + [b[1]]], "comes after the summary", 5)
check("execution first", [[b[0], b[2], b[1], b[3]]])
check("no summary", [b[:3]])
check("session only", [b[:1]])
check("step twice", [[b[0], b[1], dict(b[1], ordinal=1), b[3]]],
      "step_id 's1': is that of line 2, too", 3)
check("ordinal twice", [[b[0], b[1], dict(b[1], step_id="s2"), b[3]]],
      "ordinal '0': is that of line 2, too", 3)
check("execution twice", [[b[0], b[2], b[2], b[3]]],
      "execution_id 'e1': is that of line 2, too", 3)
check("ordinals fall", [[b[0], dict(b[1], ordinal=5), dict(
    b[1], ordinal=3, step_id="s2"), b[3]]])

# several files
check("file twice", [b, b], "producer_id 'p1': is that of c0.jsonl:1, too", 1)
check("step of another", [b, base(producer="p2", execution="e2")],
      "step_id 's1': is that of c0.jsonl:2, too", 2)
check("execution of another", [b, base(producer="p2", step="s2")],
      "execution_id 'e1': is that of c0.jsonl:3, too", 3)
check("two", [b, base(producer="p2", step="s2", execution="e2")])
check("other run", [b, base("r2", "p2", execution="e2")])
check("second is bad", [b, b"x\n"], "is no JSON", 1)

# bytes
raw = text(b)
for n in range(1, len(raw) - 1):
    if raw[n - 1:n] == b"\n" or n % 7 == 0:
        whole = raw[:n].endswith(b"\n")
        check(f"cut {n}", [raw[:n]], None if whole else "",
              None if whole else raw[:n].count(b"\n") + 1)
check("empty", [b""], "is empty")
check("no last newline", [raw[:-1]], "no newline", 4)
check("blank line", [raw.replace(b"}\n{", b"}\n\n{", 1)], "is no JSON", 2)
check("CR LF", [raw.replace(b"\n", b"\r\n")], "CR LF", 1)
check("BOM", [b"\xef\xbb\xbf" + raw], "is no JSON", 1)
check("not UTF-8", [raw.replace(b'"s1"', b'"s\xff"', 1)], "is no JSON", 2)
check("more behind", [raw.replace(b"}\n", b"} {}\n", 1)], "is no JSON", 1)
check("list", [b"[" + raw.replace(b"}\n", b"}]\n", 1)],
      "is no JSON object", 1)
check("number", [b"7\n"], "is no JSON object", 1)
check("key twice", [raw.replace(b'"ordinal": 0', b'"ordinal": 0, "ordinal": 0')],
      "key 'ordinal': is there twice", 2)
check("key of a request twice", [raw.replace(
    b'"request_id": "a"', b'"request_id": "a", "request_id": "a"')],
      "key 'request_id': is there twice", 2)
check("escaped key", [raw.replace(b'"ordinal"', b'"\\u006frdinal"')])
check("blanks", [raw.replace(b"{", b" { ").replace(b":", b" :\t")])
check("unknown keys", [raw.replace(
    b'"ordinal": 0', b'"ordinal": 0, "requests2": [{"request_id": 1}], '
    b'"a": {"ordinal": -1, "cache": {"free_blocks": "x"}}')])
room = (1 << 20) - len(raw.split(b"\n", maxsplit=1)[0])
pad = raw.replace(b'"x"', b'"x": "%s", "y"' % (b"y" * (room - 9)), 1)
assert len(pad.split(b"\n", maxsplit=1)[0]) == 1 << 20
check("1 MiB", [pad])
check("past 1 MiB", [pad.replace(b"y", b"yy", 1)], "longer than 1 MiB", 1)
print(f"{count} files of context, {failed} not as the contract says")
sys.exit(failed > 0)
