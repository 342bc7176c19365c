#!/usr/bin/env python3
"""Breaks a timeline in one way for each rule of perfetto_check.py, and sees
that the checker names the rule. Speaks TAP.

usage: perfetto_mutate.py FILE   a good timeline, drawn with -AC, that has an
                                 instant, a nested lane and text with "\\\\"
"""
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perfetto_check  # noqa: E402


class Line(str):
    """A line of the file, with what it says."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.obj = json.loads(text.rstrip(","))
        return self


def read(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    assert lines[0] == "[" and lines[-2:] == ["]", ""]
    return [Line(x) for x in lines[1:-2]]


def text_of(lines):
    return "[\n" + ",\n".join(x.rstrip(",") for x in lines) + "\n]\n"


def first(lines, **want):
    """Index of the first line with these members."""
    for i, line in enumerate(lines):
        if all(line.obj.get(k) == v for k, v in want.items()):
            return i
    raise LookupError(want)


def edit(old, new, **want):
    """Replaces text in the first line that has it and these members."""
    def change(lines):
        for i, line in enumerate(lines):
            if all(line.obj.get(k) == v for k, v in want.items()) and \
                    old in line:
                lines[i] = line.replace(old, new, 1)
                return text_of(lines)
        raise LookupError((old, want))
    return change


def member(key, value, **want):
    """Sets a member of the first such line to JSON text; None drops it."""
    def change(lines):
        i = first(lines, **want)
        obj = dict(lines[i].obj)
        parts = []
        for k, v in obj.items():
            raw = json.dumps(v, ensure_ascii=False)
            if k in ("ts", "dur"):
                raw = "%.3f" % v
            if k == key:
                if value is None:
                    continue
                raw = value
            parts.append(json.dumps(k) + ":" + raw)
        lines[i] = "{" + ",".join(parts) + "}"
        return text_of(lines)
    return change


def drop(**want):
    def change(lines):
        del lines[first(lines, **want)]
        return text_of(lines)
    return change


def twice(**want):
    def change(lines):
        i = first(lines, **want)
        lines.insert(i, lines[i])
        return text_of(lines)
    return change


def whole(f):
    return lambda lines: f(text_of(lines))


def slices_of(lines):
    return [i for i, x in enumerate(lines) if x.obj["ph"] == "X" and
            x.obj["dur"] > 0 and x.obj["cat"] != "note"]


def overlap(lines):
    """A slice of 1 ns before the end of another, and longer."""
    i = slices_of(lines)[0]
    o = lines[i].obj
    lines.append('{"ph":"X","pid":%d,"tid":%d,"ts":%.3f,"dur":9.000,"cat":"%s",'
                 '"name":"x"}' % (o["pid"], o["tid"], o["ts"] + o["dur"] - .001,
                                  o["cat"]))
    return text_of(lines)


def child_first(lines):
    i = slices_of(lines)[0]
    o = lines[i].obj
    lines.insert(i, '{"ph":"X","pid":%d,"tid":%d,"ts":%.3f,"dur":0.001,'
                 '"cat":"%s","name":"x"}' % (o["pid"], o["tid"], o["ts"],
                                             o["cat"]))
    return text_of(lines)


def deep(lines):
    o = lines[slices_of(lines)[-1]].obj
    for _ in range(513):
        lines.append('{"ph":"X","pid":%d,"tid":%d,"ts":%.3f,"dur":0.000,'
                     '"cat":"%s","name":"x"}' % (
                         o["pid"], o["tid"], o["ts"] + o["dur"], o["cat"]))
    return text_of(lines)


def shift(lines):
    out = []
    for x in lines:
        o = x.obj
        if "ts" in o:
            x = x.replace('"ts":%.3f' % o["ts"], '"ts":%.3f' % (o["ts"] + 1))
        out.append(x)
    return text_of(out)


def same_tid(lines):
    """A lane's number given to a lane of another process."""
    names = [x.obj for x in lines if x.obj.get("name") == "thread_name"]
    a = names[0]
    b = next(n for n in names if n["pid"] != a["pid"])
    return text_of([x.replace('"pid":%d,"tid":%d,' % (b["pid"], b["tid"]),
                              '"pid":%d,"tid":%d,' % (b["pid"], a["tid"]))
                    for x in lines])


def mixed(lines):
    i = first(lines, cat="kernel")
    pid = lines[i].obj["pid"]
    assert sum(x.obj.get("cat") == "kernel" and x.obj["pid"] == pid
               for x in lines) > 1
    lines[i] = lines[i].replace('"cat":"kernel"', '"cat":"op"', 1)
    return text_of(lines)


def two_members(lines):
    data = text_of(lines).encode()
    return gzip.compress(data[:100]) + gzip.compress(data[100:])


def cut_member(lines):
    return gzip.compress(text_of(lines).encode())[:-8]


def object_form(lines):
    return ('{"displayTimeUnit":"s","traceEvents":' + text_of(lines) + "}")


MUTANTS = [
    ("P01", "overlap", overlap),
    ("P02", "child before parent", child_first),
    ("P03", "integer ts", edit(".000,", ".0,", ph="X")),
    ("P03", "dur with two digits", member("dur", "1.00", ph="X")),
    ("P03", "exponent", member("ts", "1.000e3", ph="X")),
    ("P04", "no bp", edit(',"bp":"e"', "", ph="f")),
    ("P04", "other cat", edit('"cat":"launch"', '"cat":"other"', ph="f")),
    ("P05", "id twice", twice(ph="s")),
    ("P05", "half an arrow", drop(ph="f")),
    ("P05", "id is text", member("id", '"1"', ph="s")),
    ("P06", "beside the slice", member("ts", "99999999.000", ph="f")),
    ("P07", "tid 0", member("tid", "0", ph="X")),
    ("P07", "no tid", member("tid", None, ph="X")),
    ("P08", "pid -1", member("pid", "-1", ph="X")),
    ("P08", "pid 2^32", member("pid", "4294967296", ph="X")),
    ("P08", "pid apart", member("pid", "1000", ph="M", name="process_name")),
    ("P09", "tid 2^31", member("tid", "2147483648", ph="X")),
    ("P09", "tid apart", member("tid", "100000", ph="M", name="thread_name")),
    ("P10", "tid in two processes", same_tid),
    ("P10", "tid is pid", edit('"pid":1,"tid":', '"pid":1,"tid":1,"x":',
                               ph="M")),
    ("P11", "ts is text", member("ts", '"1.000"', ph="X")),
    ("P11", "no ts", member("ts", None, ph="X")),
    ("P12", "dur is text", member("dur", '"1.000"', ph="X")),
    ("P12", "dur below 0", member("dur", "-1.000", ph="X")),
    ("P13", "no dur", member("dur", None, ph="X")),
    ("P14", "empty object", whole(lambda t: t.replace("[\n", "[\n{},\n", 1))),
    ("P14", "trailing comma", whole(lambda t: t.replace("\n]\n", ",\n]\n"))),
    ("P14", "no closing bracket", whole(lambda t: t[:-3])),
    ("P14", "unknown phase", member("ph", '"Q"', ph="X")),
    ("P15", "surrogate escape", member("name", r'"\ud83d\ude00"', ph="X")),
    ("P15", "no UTF-8", lambda lines: text_of(lines).encode().replace(
        b'"cat":"', b'"cat":"\xff', 1)),
    ("P16", "backslash swallows the quote", whole(
        lambda t: t.rstrip()[:-1].rstrip()[:-1] + ',"x":"a\\"}]')),
    ("P17", "control character", member("name", '"a\tb"', ph="X")),
    ("P17", "escape", member("name", r'"\u0041"', ph="X")),
    ("P17", "inf", member("dur", "Infinity", ph="X")),
    ("P14", "leading zero", member("dur", "01.000", ph="X")),
    ("P18", "no args", member("args", "{}", ph="C")),
    ("P18", "text", member("args", '{"depth":"1"}', ph="C")),
    ("P19", "no scope", edit('"s":"t",', "", ph="i")),
    ("P19", "scope p", edit('"s":"t"', '"s":"p"', ph="i")),
    ("P20", "empty name", member("args", '{"name":""}', name="thread_name")),
    ("P20", "name is a number", member("args", '{"name":7}',
                                       name="process_name")),
    ("P20", "no name", drop(name="process_name")),
    ("P20", "no sort index", drop(name="thread_sort_index")),
    ("P20", "two names", twice(name="thread_name")),
    ("P20", "sort index of 33 bits", member(
        "args", '{"sort_index":4294967296}', name="thread_sort_index")),
    ("P21", "args is text", member("args", '"x"', ph="X")),
    ("P21", "args holds an array", member("args", '{"grid":[1,1,1]}', ph="X")),
    ("P21", "a key twice", member("args", '{"a":1,"a":2}', ph="X")),
    ("P22", "none", drop(name="metadata")),
    ("P22", "an object", edit('"origin_ns":', '"x":{},"origin_ns":',
                              name="metadata")),
    ("P23", "displayTimeUnit", object_form),
    ("P24", "too deep", deep),
    ("P25", "wrong count", edit('"n_slices":', '"n_slices":1,"x":',
                                name="metadata")),
    ("P26", "two members", two_members),
    ("P26", "cut member", cut_member),
    ("P27", "not relative", shift),
    ("P29", "host slice on a device", mixed),
    ("P30", "point without change", twice(ph="C")),
]


def main():
    lines = read(sys.argv[1])
    n = failed = 0
    rules = set(perfetto_check.RULES)
    for rule, what, mutate in MUTANTS:
        data = mutate(list(lines))
        c = perfetto_check.Checker()
        c.run(data if isinstance(data, bytes) else data.encode())
        n += 1
        ok = c.faults and any(x.startswith(rule + ":") for x in c.lines)
        failed += not ok
        print("%sok %d - %s: %s" % ("" if ok else "not ", n, rule, what))
        if not ok:
            print("# " + " ".join(c.lines)[:300])
    n += 1
    left = rules - {m[0] for m in MUTANTS}
    failed += bool(left)
    print("%sok %d - every rule has a mutant %s" % (
        "not " if left else "", n, sorted(left) or ""))
    print("1..%d" % n)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
