#!/usr/bin/env python3
"""Runs the vLLM observer in processes of its own, against stand-in classes of
vLLM's interface, and checks its files against the rules of the format, written
down again here. usage: observer.py CASE EXAMPLES WORKFOLDER"""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import textwrap

STAND_IN = {
    "vllm/__init__.py": "__version__ = '0.0.test'\n",
    "vllm/v1/core/sched/scheduler.py": """
        class Pool:
            num_gpu_blocks = 100
            def get_num_free_blocks(self):
                return 60
        class Manager:
            block_pool = Pool()
        class Scheduler:
            def __init__(self):
                self.kv_cache_manager = Manager()
                self.calls = 0
            def schedule(self, throttle_prefills=False):
                from vllm.v1.core.sched.output import make
                self.calls += 1
                return make(self.calls)
            def shutdown(self):
                self.down = True
        """,
    "vllm/v1/core/sched/async_scheduler.py": """
        from vllm.v1.core.sched.scheduler import Scheduler
        class AsyncScheduler(Scheduler):
            pass
        """,
    "vllm/v1/core/sched/output.py": """
        from dataclasses import dataclass
        @dataclass
        class New:
            req_id: str
            prompt_token_ids: list
        @dataclass
        class SchedulerOutput:
            scheduled_new_reqs: list
            num_scheduled_tokens: dict
            total_num_scheduled_tokens: int
        def make(n):
            tokens = {"secret-request": 3 + n, "other-request": 1}
            new = [New("secret-request", [4711])] if n == 1 else []
            return SchedulerOutput(new, tokens, sum(tokens.values()))
        """,
    "vllm/v1/worker/gpu_worker.py": """
        class Worker:
            rank = 3
            def execute_model(self, scheduler_output):
                if scheduler_output.total_num_scheduled_tokens == 7:
                    raise ValueError("of the model")
                self.seen = scheduler_output
                return None
            def sample_tokens(self, grammar_output):
                return "tokens"
        """,
    "vllm_ascend/worker/worker_v1.py": """
        class NPUWorker:
            def execute_model(self, scheduler_output):
                return "output"
        """,
    "torch/__init__.py": """
        log = []
        class profiler:
            class record_function:
                def __init__(self, name):
                    self.name = name
                def __enter__(self):
                    log.append(("begin", self.name))
                def __exit__(self, *rest):
                    log.append(("end", self.name))
        class cuda:
            @staticmethod
            def is_available():
                return True
            class nvtx:
                @staticmethod
                def range_push(name):
                    log.append(("push", name))
                @staticmethod
                def range_pop():
                    log.append(("pop",))
        """,
}


def stand_in(folder):
    for path, text in STAND_IN.items():
        path = os.path.join(folder, "lib", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(textwrap.dedent(text))


def run(program, status=0, context="context", run_id="run-1", **more):
    """Runs a program with the observer; its standard output."""
    env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1",
           "PYTHONPATH": "lib:" + EXAMPLES + "/vllm"}
    if context:
        env["TRACELOOM_CONTEXT_DIR"] = context
    if run_id:
        env["TRACELOOM_RUN_ID"] = run_id
    env.update(more)
    done = subprocess.run([sys.executable, "-W", "error", "-c",
                           textwrap.dedent(program)], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=50, check=False)
    assert done.returncode == status, (done.returncode, done.stderr.decode())
    return done.stdout.decode()


def whole(lines, run_id):
    """The rules of the format that hold for every file, whole or cut."""
    assert lines[0]["type"] == "session"
    assert isinstance(lines[0]["metadata"], dict)
    name = re.compile(r"[A-Za-z0-9_.-]{1,128}\Z")
    seen = {"step": set(), "execution": set(), "ordinal": set()}
    for n, line in enumerate(lines):
        assert line["schema"] == "traceloom.scheduler.v1"
        assert line["producer_id"] == lines[0]["producer_id"]
        assert name.match(line["producer_id"])
        assert name.match(line["run_id"])
        assert run_id is None or line["run_id"] == run_id
        if line["type"] == "step":
            assert name.match(line["step_id"])
            assert line["step_id"] not in seen["step"]
            assert line["ordinal"] not in seen["ordinal"]
            seen["step"].add(line["step_id"])
            seen["ordinal"].add(line["ordinal"])
            assert line["ordinal"] >= 0
            assert line["total_scheduled_tokens"] == sum(
                r["scheduled_tokens"] for r in line["requests"])
            ids = [r["request_id"] for r in line["requests"]]
            assert len(set(ids)) == len(ids) <= 4096
            assert line["cache"]["observation_phase"] == "after_schedule"
            for key in "free_blocks", "pool_blocks":
                value = line["cache"][key]
                assert value is None or type(value) is int and value >= 0
        elif line["type"] == "execution":
            assert line["execution_id"] not in seen["execution"]
            seen["execution"].add(line["execution_id"])
            assert line["marker"] == \
                "traceloom.execution." + line["execution_id"]
            assert line["phase"] in ("execute_model", "sample_tokens")
            assert line["status"] in ("returned", "raised")
            assert line["marker_state"] in ("emitted", "unavailable")
        elif line["type"] == "summary":
            assert n == len(lines) - 1
            assert line["written_records"] == len(lines) - 2
            assert line["dropped_records"] >= 0
        else:
            assert n == 0, line


def files(folder="context", run_id="run-1"):
    """The files of a folder as lists of records, checked; by name."""
    found = []
    for path in sorted(glob.glob(folder + "/*.jsonl")):
        with open(path, "rb") as f:
            text = f.read()
        assert text.endswith(b"\n"), path
        for word in b"secret-request", b"other-request", b"4711":
            assert word not in text, word
        assert all(len(line) < 1 << 20 for line in text.split(b"\n"))
        lines = [json.loads(line) for line in text.splitlines()]
        whole(lines, run_id)
        found.append(lines)
    return found


def of(lines, kind):
    return [line for line in lines if line["type"] == kind]


SCHEDULE = """
    import traceloom_observer as o
    s = o.{}()
    outputs = [s.schedule() for _ in range({})]
    """


def case_off():
    out = run(SCHEDULE.format("LinkedTracingScheduler", 3) + """
    w = o.TracingWorker()
    w.execute_model(outputs[1])
    print(s.calls, hasattr(outputs[0], "traceloom_step"), w.seen is outputs[1])
    """, context=None)
    assert out == "3 False True\n", out
    assert not os.path.exists("context")


def case_scheduler():
    for name in "TracingScheduler", "TracingAsyncScheduler":
        out = run(SCHEDULE.format(name, 5) + """
    print(s.calls, hasattr(outputs[0], "traceloom_step"),
          [c.__name__ for c in type(s).__mro__[:3]])
    """, context=name)
        base = name.replace("Tracing", "")
        assert out == f"5 False ['{name}', '_Recording', '{base}']\n", out
        (lines,) = files(name)
        steps = of(lines, "step")
        # what the stand-in schedules in its call n: 3 + n tokens and 1
        assert [s["total_scheduled_tokens"] for s in steps] == [5, 6, 7, 8, 9]
        assert [s["ordinal"] for s in steps] == [0, 1, 2, 3, 4]
        assert [s["requests"][0]["payload"] for s in steps] == \
            ["new"] + 4 * ["cached"]
        assert len({s["requests"][0]["request_id"] for s in steps}) == 1
        assert all(s["cache"] == {"observation_phase": "after_schedule",
                                  "free_blocks": 60, "pool_blocks": 100}
                   for s in steps)
        (last,) = of(lines, "summary")
        assert (last["written_records"], last["dropped_records"]) == (5, 0)


WORKER = """
    import os, pickle, sys
    import torch
    import traceloom_observer as o
    w = o.TracingWorker()
    for output in pickle.load(open("outputs", "rb")):
        try:
            assert w.execute_model(output) is None
            assert w.sample_tokens(None) == "tokens"
        except ValueError as e:
            assert str(e) == "of the model"
    assert w.sample_tokens(None) == "tokens"
    for line in torch.log:
        print(*line)
    """


def case_linked():
    # the third step is the one whose execution raises
    run(SCHEDULE.format("LinkedTracingAsyncScheduler", 4) + """
    import pickle
    pickle.dump(outputs, open("outputs", "wb"))
    """)
    out = run(WORKER).splitlines()
    scheduler, worker = files()
    steps = [s["step_id"] for s in of(scheduler, "step")]
    done = of(worker, "execution")
    e, s = "execute_model", "sample_tokens"
    assert [(x["step_id"], x["phase"], x["status"]) for x in done] == [
        (steps[0], e, "returned"), (steps[0], s, "returned"),
        (steps[1], e, "returned"), (steps[1], s, "returned"),
        (steps[2], e, "raised"),
        (steps[3], e, "returned"), (steps[3], s, "returned")]
    assert {x["worker_rank"] for x in done} == {3}
    assert {x["marker_state"] for x in done} == {"emitted"}
    want = []
    for x in done:
        want += ["begin " + x["marker"], "push " + x["marker"], "pop",
                 "end " + x["marker"]]
    assert out == want, out


def case_markers():
    run(SCHEDULE.format("LinkedTracingScheduler", 1) + """
    import pickle
    pickle.dump(outputs, open("outputs", "wb"))
    """)
    for wanted, words in (("nvtx", {"push", "pop"}),
                          ("record_function", {"begin", "end"})):
        out = run(WORKER, context=wanted, TRACELOOM_MARKERS=wanted)
        assert {line.split()[0] for line in out.splitlines()} == words
    # without a profiler's package, the record says so
    run(WORKER.replace("import torch", "class torch: log = []"),
        context="none")
    (lines,) = files("none")
    assert {x["marker_state"] for x in of(lines, "execution")} == \
        {"unavailable"}


def case_no_run_name():
    run(SCHEDULE.format("LinkedTracingScheduler", 2) + """
    w = o.TracingWorker()
    w.execute_model(outputs[0])
    """, run_id=None)
    scheduler, worker = files(run_id=None)
    assert scheduler[0]["run_id"] == worker[0]["run_id"]
    assert len(of(worker, "execution")) == 1


def case_failures():
    program = SCHEDULE.format("LinkedTracingScheduler", 2) + """
    print(s.calls, [x.total_num_scheduled_tokens for x in outputs])
    """
    good = "2 [5, 6]\n"
    with open("a-file", "w", encoding="utf-8"):
        pass
    assert run(program, context="a-file/below") == good
    assert run(program, context="/proc/none") == good
    assert run(program, run_id="not a name") == good
    assert run(program, run_id="x" * 129) == good
    assert not files()
    # outputs of other forms, and a scheduler without a cache
    odd = """
    import traceloom_observer as o
    class Slots:
        __slots__ = ("num_scheduled_tokens", "total_num_scheduled_tokens",
                     "scheduled_new_reqs")
    good = Slots()
    good.num_scheduled_tokens = {"secret-request": 2}
    good.total_num_scheduled_tokens = 2
    good.scheduled_new_reqs = []
    wrong = Slots()
    wrong.num_scheduled_tokens = {"secret-request": 2}
    wrong.total_num_scheduled_tokens = 3
    wrong.scheduled_new_reqs = []
    many = Slots()
    many.num_scheduled_tokens = {str(n): 1 for n in range(4097)}
    many.total_num_scheduled_tokens = 4097
    many.scheduled_new_reqs = []
    class Base:
        def schedule(self):
            return self.output
    class S(o._Linked, Base):
        pass
    s = S()
    for output in object(), None, good, wrong, many:
        s.output = output
        assert s.schedule() is output
    s.shutdown()
    """
    run(odd, context="odd")
    (lines,) = files("odd")
    (step,) = of(lines, "step")
    assert step["cache"]["free_blocks"] is None
    (last,) = of(lines, "summary")
    assert (last["written_records"], last["dropped_records"]) == (1, 4)


def case_fork():
    run(SCHEDULE.format("TracingScheduler", 2) + """
    import multiprocessing, os
    def child(n):
        for _ in range(n):
            s.schedule()
    pid = os.fork()
    if pid == 0:
        child(3)
        s.shutdown()
        os._exit(0)
    os.waitpid(pid, 0)
    p = multiprocessing.get_context("fork").Process(target=child, args=(4,))
    p.start()
    p.join()
    s.schedule()
    """)
    found = files()
    assert sorted(len(of(f, "step")) for f in found) == [3, 3, 4]
    assert all(len(of(f, "summary")) == 1 for f in found)
    assert len({f[0]["producer_id"] for f in found}) == 3
    assert len({x["step_id"] for f in found for x in of(f, "step")}) == 10


def case_killed():
    run(SCHEDULE.format("TracingScheduler", 50) + """
    import os, signal, time
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)
    """, status=-signal.SIGKILL)
    (lines,) = files()
    assert len(of(lines, "step")) == 50
    assert not of(lines, "summary")


def case_terminated():
    # an engine's process turns the signal into SystemExit
    run(SCHEDULE.format("TracingScheduler", 3) + """
    import os, signal, sys
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    os.kill(os.getpid(), signal.SIGTERM)
    """)
    (lines,) = files()
    assert of(lines, "summary")[0]["written_records"] == 3


def case_disk_full():
    for limit in 300, 3000, 3500, 4096, 5000:
        name = f"full-{limit}"
        out = run(f"""
    import resource, signal
    import traceloom_observer as o
    o.RESERVE = 0
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
    """ + SCHEDULE.format("TracingScheduler", 40) + """
    s.shutdown()
    print(s.calls, s.down)
    """, context=name)
        assert out == "40 True\n", out
        (lines,) = files(name)
        steps = len(of(lines, "step"))
        assert steps < 40
        if limit > 1000:
            (last,) = of(lines, "summary")
            assert last["written_records"] == steps
            assert last["dropped_records"] == 40 - steps
            assert steps > 0


def case_slow_disk():
    out = run("""
    import threading, time
    import traceloom_observer as o
    gate = threading.Event()
    write = o._Disk.write
    def slow(self, line, *rest):
        if threading.current_thread().name == "traceloom-observer":
            gate.wait()
        return write(self, line, *rest)
    o._Disk.write = slow
    o.QUEUE = 10
    s = o.TracingScheduler()
    s.schedule()
    time.sleep(0.3)
    for _ in range(1000):
        s.schedule()
    gate.set()
    s.shutdown()
    print(s.calls)
    """)
    assert out == "1001\n", out
    (lines,) = files()
    (last,) = of(lines, "summary")
    # the one at the disk, and the ten that may wait
    assert (last["written_records"], last["dropped_records"]) == (11, 990)


def case_other_worker():
    out = run(SCHEDULE.format("LinkedTracingScheduler", 1) + """
    class Mine:
        def execute_model(self, scheduler_output, extra=None):
            return extra
    w = o.tracing_worker(Mine)()
    print(w.execute_model(outputs[0], extra=5), type(w).__name__)
    print(o.TracingNPUWorker().execute_model(outputs[0]), w.shutdown())
    try:
        o.NoSuchWorker
    except AttributeError as e:
        print(e)
    """)
    assert out == "5 TracingMine\noutput None\n" \
        "module 'traceloom_observer' has no attribute 'NoSuchWorker'\n", out
    scheduler, worker = files()
    assert [x["worker_rank"] for x in of(worker, "execution")] == [None, None]


REAL = """
    import pickle
    import traceloom_observer as o
    from vllm.utils.import_utils import resolve_obj_by_qualname
    from vllm.v1.core.sched.output import SchedulerOutput
    for name in o._CLASSES:
        if name == "TracingNPUWorker":
            continue
        made = resolve_obj_by_qualname("traceloom_observer." + name)
        print(made.__name__, [c.__name__ for c in made.__mro__[1:4]])
        for method in "schedule", "execute_model", "sample_tokens":
            if hasattr(made, method):
                print(" ", method)
    output = SchedulerOutput.make_empty()
    output.traceloom_step = "travels"
    print(pickle.loads(pickle.dumps(output)).traceloom_step)
    """


def case_real():
    """The classes on top of the installed vLLM's own."""
    out = run(REAL, PYTHONPATH=EXAMPLES + "/vllm").splitlines()
    assert "TracingScheduler ['_Recording', 'Scheduler', " \
        "'SchedulerInterface']" in out, out
    assert "LinkedTracingAsyncScheduler ['_Linked', '_Recording', " \
        "'AsyncScheduler']" in out, out
    assert "TracingWorker ['_Executing', 'Worker', 'WorkerBase']" in out, out
    assert out.count("  schedule") == 4, out
    assert out.count("  execute_model") == 1, out
    assert out.count("  sample_tokens") == 1, out
    assert "travels" in out, out


EXAMPLES = os.path.abspath(sys.argv[2])
os.chdir(sys.argv[3])
stand_in(".")
globals()["case_" + sys.argv[1]]()
