#!/usr/bin/env python3
"""Writes a small random stream with all that a timeline can hold, the same for
the same seed: nested and overlapping host events, streams that overlap, events
without length, open ranges, counters, details, graph launches with and without
members, odd tokens and names. tl-recover adds the structure.

usage: mktimeline.py SEED
"""
import random
import sys

NAMES = ["gemm", "a\\tb\\nc", "\\x1B[31m", "back\\\\", "quote\"", "\\x2E",
         "größe 😀", "void k<4, (int)2>(float*)", ".", "\\xFF\\xFE", "x" * 80]


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.events, self.launches, self.members = [], [], []
        self.corr = self.r.randint(0, 3)
        self.t0 = self.r.choice([0, -500, 10 ** 15, 1752000000000000000])

    def add(self, kind, start, dur, lane4, corr, cls, name, keys=()):
        e = [kind, start, dur] + list(lane4) + [corr, cls, name, sorted(keys)]
        self.events.append(e)
        return e

    def host(self, process, thread, at):
        """Operators around calls, some of them crossing."""
        r = self.r
        lane = (process, ".", ".", thread)
        for _ in range(r.randint(0, 12)):
            start = at + r.randint(0, 900)
            kind = r.choice(["op", "op", "range", "python", "mark", "counter"])
            dur = "." if kind in ("mark", "counter") or (
                kind == "range" and r.random() < 0.2) else \
                r.choice([0, 1, r.randint(1, 400)])
            keys = ["domain=d"] if kind == "mark" else []
            if kind == "counter":
                keys = ["value=" + r.choice(["1", "2", "2", "0.5", "-1e3",
                                             "nan", "01"])]
                if r.random() < 0.5:
                    keys.append("series=s")
            if r.random() < 0.2:
                keys.append("stream=99")
            self.add(kind, start, dur, lane, ".", "host",
                     "mem" if kind == "counter" else r.choice(NAMES), keys)

    def call(self, process, thread, at, name="cudaLaunchKernel"):
        self.corr += 1
        corr = str(self.corr) if self.r.random() < 0.95 else "c%d" % self.corr
        e = None
        if self.r.random() < 0.85:
            e = self.add("api", at, self.r.randint(0, 9), (
                process, ".", ".", thread), corr, "host", name)
            if self.r.random() < 0.1:
                self.add("api", at, 0, (process, ".", ".", thread), corr,
                         "host", "cuLaunchKernel")
        return corr, e

    def work(self, process, device, context, lane, start, corr, keys=()):
        r = self.r
        kind = r.choice(["kernel"] * 6 + ["memcpy", "memset", "task"])
        cls = "copy" if kind in ("memcpy", "memset") else \
            r.choice(["compute", "compute", "comm"])
        keys = list(keys)
        if not keys and r.random() < 0.1:
            keys.append("detail=1")
        if r.random() < 0.1:
            keys.append("bytes=%d" % r.choice([8, 2 ** 53, 2 ** 60]))
        dur = r.choice([0, 1, r.randint(1, 90), r.randint(1, 300)])
        return self.add(kind, start, dur, (process, device, context, lane),
                        corr, cls, "k%d" % r.randint(0, 4), keys)

    def launch(self, process, device, context, at):
        """A replayed graph: its interval, its members, or both."""
        r = self.r
        corr, call = self.call(process, "t1", at, "cudaGraphLaunch")
        streams = r.randint(1, 5)
        n = r.choice([0, r.randint(1, 12)])
        own = [self.work(process, device, context, str(20 + r.randrange(
            streams)), at + r.randint(0, 300), corr if r.random() < 0.8 else
            ".", ["graph=5"]) for _ in range(n)]
        opaque = None
        if r.random() < 0.6:
            start = min([e[1] for e in own] + [at + 5])
            opaque = self.add("graph", start, r.randint(0, 400), (
                process, device, context, "7"), corr, "compute", "graph")
        lost = r.choice([0, 0, 1])
        told = own[:len(own) - lost] if r.random() < 0.3 else own
        span = [own[0][1], 400] if own else [".", "."]
        unit = r.choice("12") if own else "."
        status = r.choice(["exact", "single", "partial"]) if own else "opaque"
        self.launches.append([call, process, device, context, *span, unit,
                              status, len(own), r.choice([0, 0, lost, "."]),
                              opaque, "."])
        for i, e in enumerate(told):
            self.members.append([len(self.launches), unit, e[6], i, e])

    def run(self):
        r = self.r
        for process in r.sample(["100", "7", "a:b", "99999999999999999999"],
                                r.randint(1, 2)):
            for device in r.sample(["0", "1", "G"], r.randint(0, 2)):
                at = self.t0
                body = r.randint(1, 4)
                for i in range(r.randint(1, 6) * body):
                    at += r.randint(1, 80)
                    lane = r.choice(["7", "7", "8", "."])
                    context = r.choice(["1"] * 9 + ["2"])
                    if r.random() < 0.15:
                        self.launch(process, device, context, at)
                    corr, _ = self.call(process, "t1", at)
                    e = self.work(process, device, context, lane,
                                  at + r.randint(-3, 150), corr)
                    e[9 - 1] = "compute"
                    e[9] = "k%d" % (i % body)
                    if r.random() < 0.15:
                        self.add("sync", at, r.randint(0, 200), (
                            process, device, context, lane), corr, "sync",
                            "Stream sync")
                    if r.random() < 0.1:
                        self.add("range", at, r.choice([".", 300]), (
                            process, device, context, lane), ".", "host",
                            "shadow")
            for thread in r.sample(["t1", "12", "."], r.randint(1, 3)):
                self.host(process, thread, self.t0)
        self.write()

    def write(self):
        ev = self.events
        self.r.shuffle(ev)
        for i, e in enumerate(ev):
            e.append(i)
        ev.sort(key=lambda e: (e[1], -(-1 if e[2] == "." else e[2]), e[-1]))
        gap = self.r.choice([1, 1, 3])
        for i, e in enumerate(ev):
            e.append(1 + i * gap)
        lines = ["#tl-ev\t1"]
        if self.r.random() < 0.7:
            lines += ["#source\tbase_ns=5\tkind=kineto\tpath=/x\\\\y",
                      "#process\t100\tname=py\"thon\tpid=100"]
        n = len(lines)
        for e in ev:
            lines.append("\t".join(map(str, [e[0], e[-1]] + e[1:10] +
                                       ["E:%d" % e[-2]] + e[10])))
        if self.launches:
            for u in "12":
                lines.append("unit\t%s\tgraph\t1\t.\t." % u)
        for i, c in enumerate(self.launches):
            c = [x[-1] if isinstance(x, list) else "." if x is None else x
                 for x in c]
            lines.append("\t".join(map(str, ["launch", i + 1] + c)))
        for m in self.members:
            lines.append("\t".join(map(str, ["member"] + m[:4] + [m[4][-1]])))
        if self.r.random() < 0.5:
            lines.append("note\twarn\todd\t.\tsays \\x07 \"so\"")
        lines.append("end\t%d" % (len(lines) - n))
        sys.stdout.reconfigure(encoding="utf-8")
        print("\n".join(lines))


def main():
    Maker(int(sys.argv[1])).run()


if __name__ == "__main__":
    main()
