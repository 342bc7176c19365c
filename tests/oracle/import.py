#!/usr/bin/env python3
"""Says what tl-import must append, from the JSON trace itself, by the plainest
way, and compares.

usage: import.py random SEED...
       import.py check TRACE DETAIL ARTIFACT LINES
       import.py artifact FILE

The rules are those of the format: a record for each launch (kind, device,
correlation) in the order of the file, busy time as a union, the launch that is
last in the file, the iterations that the launch began in.
"""
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

KINDS = {"kernel": "gpu_kernel", "gpu_memcpy": "gpu_memcpy", "gpu_memset": "gpu_memset"}
RANGE = "stormlog.iteration/"
CONTEXT = {
    "run_id": "run-1", "session_id": "ses-1", "producer_id": "p", "source": "p",
    "clock_domain": "h/b/unix_epoch_ns", "clock_kind": "wall",
    "collection_mode": "active", "provenance": "observed"}


def artifact(path):
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps({
            "schema_version": 2, "event_type": "infer.artifact", "context": CONTEXT,
            "event_id": "artifact", "artifact_kind": "inference_jsonl",
            "created_at_ns": 0}, sort_keys=True) + "\n")


def ns(text):
    return int(Decimal(text) * 1000)


def whole(value):
    return None if value is None else int(value)


def union(spans):
    out = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def length(spans):
    return sum(end - start for start, end in union(spans))


class Trace:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            doc = json.load(f, parse_float=Decimal)
        self.path = os.path.realpath(path)
        self.doc = doc
        base = int(doc.get("baseTimeNanoseconds", 0))
        self.gpu, self.calls, self.ranges, self.pids = [], {}, [], set()
        for event in doc["traceEvents"]:
            if event["ph"] != "X":
                continue
            start = base + ns(event["ts"])
            end = start + ns(event.get("dur", 0))
            args = event.get("args", {})
            cat = event["cat"]
            if cat in KINDS:
                self.gpu.append({
                    "kind": KINDS[cat], "start": start, "end": end, "name": event["name"],
                    "device": whole(args["device"]), "stream": whole(args["stream"]),
                    "corr": whole(args.get("correlation")) or None,
                    "graph": whole(args.get("graph id")) or None})
            elif cat in ("cuda_runtime", "cuda_driver") and int(args["correlation"]):
                self.calls[int(args["correlation"])] = (
                    event["pid"], event["tid"], start, event["name"])
                self.pids.add(event["pid"])
            elif cat == "user_annotation" and event["name"].startswith(RANGE):
                producer, _, rest = event["name"][len(RANGE):].partition("/")
                if producer and rest:
                    self.ranges.append((event["pid"], event["tid"], start, end,
                                        {"producer_id": producer, "id": rest}))

    def attachment(self):
        digest = hashlib.sha256(self.path.encode()).hexdigest()[:12]
        return f"kineto:{os.path.basename(self.path)}:{digest}"

    def iteration(self, call):
        found = []
        for pid, tid, start, end, ref in self.ranges:
            if (pid, tid) == call[:2] and start <= call[2] < end and ref not in found:
                found.append(ref)
        return found

    def groups(self, detail):
        groups = {}
        for number, event in enumerate(self.gpu):
            key = (event["kind"], event["device"], event["corr"])
            if detail == "kernel" or event["corr"] is None:
                key = number
            groups.setdefault(key, []).append(event)
        return groups.values()

    def record(self, number, members):
        first, corr = members[0], members[0]["corr"]
        call = self.calls.get(corr)
        refs = self.iteration(call) if call else []
        spans = [(m["start"], m["end"]) for m in members]
        streams = {m["stream"] for m in members}
        start = min(s for s, _ in spans)
        meta = {"device_index": first["device"], "event_count": len(members),
                "first_name": first["name"],
                "summed_duration_ns": sum(e - s for s, e in spans)}
        if len(members) > 1:
            meta["busy_ns"] = length(spans)
            meta["intervals"] = [[s - start, e - s] for s, e in union(spans)]
        if call:
            meta["launch_api"] = call[3]
        if len(streams) > 1:
            meta["streams"] = sorted(streams)
        if len(refs) != 1:
            meta["unresolved_reason"] = (
                "no_launch_record" if not call else "ambiguous_iteration_range" if refs
                else "launch_outside_iteration_range")
        name = f"{self.attachment()}/{number}"
        graphs = {m["graph"] for m in members}
        return {
            "activity_domain": "gpu", "activity_kind": first["kind"],
            "activity_ref": {"id": name, "producer_id": "stormlog.trace.kineto"},
            "attribution_status": "linked" if len(refs) == 1 else "unresolved",
            "correlation_scope": None, "cuda_correlation_id": corr,
            "end_ns": max(e for _, e in spans), "event_id": name,
            "event_type": "infer.activity_ref",
            "graph_id": graphs.pop() if len(graphs) == 1 else None,
            "iteration_ref": refs[0] if len(refs) == 1 else None, "metadata": meta,
            "runtime_correlation_id": None, "schema_version": 4, "start_ns": start,
            "stream_id": first["stream"] if len(streams) == 1 else None,
            "trace_attachment_id": self.attachment(),
            "pid": call[0] if call else None}

    def records(self, detail):
        return [self.record(n, m) for n, m in enumerate(self.groups(detail), 1)]

    def devices(self, records):
        out = {}
        for device in {e["device"] for e in self.gpu}:
            spans = [(e["start"], e["end"]) for e in self.gpu if e["device"] == device]
            out[str(device)] = {
                "busy_ns": length(spans), "summed_ns": sum(e - s for s, e in spans),
                "launch_span_ns": length([(r["start_ns"], r["end_ns"]) for r in records
                                          if r["metadata"]["device_index"] == device])}
        return out


def context_id(context):
    text = json.dumps(context, sort_keys=True, separators=(",", ":"))
    return "ctx-" + hashlib.sha256(text.encode()).hexdigest()[:16]


def check(trace, detail, path, skip):
    want, got, contexts, wrong = trace.records(detail), [], {}, []
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    if lines.pop() != "":
        wrong.append("no newline at the end")
    summary = None
    for line in lines[skip:]:
        row = json.loads(line)
        if line != json.dumps(row, sort_keys=True):
            wrong.append(f"spelling: {line[:200]}")
        if row["event_type"] == "infer.context":
            contexts[row["context_id"]] = row["context"]
            if row["context_id"] != context_id(row["context"]) or len(row["context"]) != 19:
                wrong.append(f"context: {line}")
        elif row["event_type"] == "infer.activity_ref":
            row["pid"] = contexts[row.pop("context_id")]["pid"]
            got.append(row)
        elif row["component"] == "trace_collector":
            summary = row["metadata"]["summary"]["traces"][-1]
    for a, b in zip(want, got):
        if a != b:
            wrong.append(f"want {a}\n got {b}")
            break
    if len(want) != len(got):
        wrong.append(f"want {len(want)} records, got {len(got)}")
    devices = {key: {k: v for k, v in value.items() if k.endswith("_ns")}
               for key, value in summary["devices"].items()}
    if devices != trace.devices(want):
        wrong.append(f"want {trace.devices(want)}\n got {devices}")
    if summary["processes"] != sorted(trace.pids) or summary["path"] != trace.path:
        wrong.append(f"summary: {summary}")
    linked = sum(r["metadata"]["event_count"] for r in want if r["iteration_ref"])
    if (summary["linked_gpu_events"], summary["gpu_events"]) != (linked, len(trace.gpu)):
        wrong.append(f"want {linked} linked of {len(trace.gpu)}")
    return wrong


def make(r):
    base = r.choice([1000, 5_000_000, 1751410836000000000])

    def us(start):
        value = start + r.choice([0, r.randrange(50), r.randrange(2000)])
        text = f"{value // 1000}.{value % 1000:03d}"
        return text if r.random() < .7 else str(value // 1000)

    events = []
    ids = range(1, r.choice([3, 8, 30]))
    for _ in range(r.randrange(2, 60)):
        kind, corr = r.random(), r.choice([0, *ids])
        event = {"ph": "X", "pid": 100, "tid": r.choice([1, 2]), "ts": us(base), "dur": us(0)}
        if kind < .55:
            event.update(cat=r.choice(["kernel", *KINDS]), pid=0, tid=7, name=r.choice(
                ["a", 'b \u00e9\u4e2d\U0001f600 "q"\\', "c\n\t\x1b\x7f"]))
            event["args"] = {"device": r.choice([0, 0, 1]), "stream": r.choice([7, 7, 8, 20]),
                             "correlation": corr}
            if r.random() < .3:
                event["args"]["graph id"] = r.choice([0, 5, 6])
        elif kind < .8:
            event.update(cat=r.choice(["cuda_runtime", "cuda_driver"]),
                         name=r.choice(["cudaLaunchKernel", "cudaGraphLaunch"]),
                         args={"correlation": corr})
        else:
            event.update(cat=r.choice(["user_annotation"] * 3 + ["cpu_op"]), name=RANGE + r.choice(
                ["e/0", "e/1", "f/1/2", "/1", "e/", "e"]))
        events.append(event)
    doc = {"traceEvents": events}
    if r.random() < .6 or base == 1000:
        doc["baseTimeNanoseconds"] = r.choice([0, 1751410836000000000])
    text = json.dumps(doc, ensure_ascii=r.random() < .5)
    for key in ("ts", "dur"):
        text = text.replace(f'"{key}": "', f'"{key}": @')
    return "".join(part if i == 0 else part.replace('"', "", 1)
                   for i, part in enumerate(text.split("@")))


def one(seed):
    r = random.Random(seed)
    detail = r.choice(["launch", "kernel"])
    with tempfile.TemporaryDirectory() as folder:
        path, run = folder + "/t.json", folder + "/run.jsonl"
        with open(path, "w", encoding="utf-8") as f:
            f.write(make(r))
        artifact(run)
        convert = subprocess.run(["tl-kineto2ev", "-q", path], stdout=subprocess.PIPE, check=True)
        subprocess.run(["tl-import", "-q", "-a", run, "-d", detail], input=convert.stdout,
                       check=True)
        return check(Trace(path), detail, run, 1)


def main():
    mode, *args = sys.argv[1:]
    if mode == "artifact":
        artifact(args[0])
        return 0
    if mode == "check":
        wrong = check(Trace(args[0]), args[1], args[2], int(args[3]))
    else:
        wrong = [f"seed {seed}: {text}" for seed in args for text in one(seed)]
    for text in wrong[:5]:
        print(text)
    return len(wrong) > 0


sys.exit(main())
