"""Records what a vLLM scheduler decided, for tl-context(1).

Off unless TRACELOOM_CONTEXT_DIR names a folder. Then every process that
schedules or executes writes one JSON Lines file there (traceloom.scheduler.v1):
a session line, a line for each step or execution, and a summary.

    vllm serve MODEL --scheduler-cls traceloom_observer.TracingScheduler
    vllm serve MODEL --scheduler-cls traceloom_observer.LinkedTracingScheduler \\
                     --worker-cls    traceloom_observer.TracingWorker

The first records steps only. The second also gives each step's identity to the
worker, which wraps the execution in a profiler range of a known name: that is
what ties device work to steps. Async scheduling takes the classes with Async in
their names.

Nothing that goes wrong here reaches serving, and nothing of a prompt or an
answer is recorded: requests appear under names made for this process alone.
"""

import atexit
import collections
import hashlib
import importlib
import json
import logging
import multiprocessing.util
import os
import re
import secrets
import sys
import threading
import time

SCHEMA = "traceloom.scheduler.v1"
MARKER = "traceloom.execution."

# Limits of the format; a record beyond them is dropped and counted.
FILE_BYTES = 256 << 20
LINE_BYTES = 1 << 20
REQUESTS = 4096
# Records that may wait for the disk. Room kept for the last line.
QUEUE = 4096
RESERVE = 4096
# How long the end of a process may wait for the disk, in seconds.
PATIENCE = 5.0

_IDENTITY = re.compile(r"[A-Za-z0-9_.-]{1,128}\Z")
_log = logging.getLogger("traceloom")


class _Disk:
    """A file of whole lines: what cannot be written whole is taken back."""

    def __init__(self, path):
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o644)
        self._size = 0
        self._starts = collections.deque(maxlen=64)

    def write(self, line, limit=FILE_BYTES - RESERVE):
        """Whether the line is in the file now."""
        if len(line) > LINE_BYTES or self._size + len(line) > limit:
            return False
        start = self._size
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._fd, rest):]
        except OSError:
            os.ftruncate(self._fd, start)
            os.lseek(self._fd, start, os.SEEK_SET)
            return False
        self._starts.append(start)
        self._size += len(line)
        return True

    def take_back(self):
        """Removes the last line; False if it is too long ago, or the first."""
        if len(self._starts) < 1 or self._starts[-1] == 0:
            return False
        self._size = self._starts.pop()
        os.ftruncate(self._fd, self._size)
        os.lseek(self._fd, self._size, os.SEEK_SET)
        return True

    def close(self):
        os.close(self._fd)


class _Producer:
    """One file, and the thread that writes it.

    put() is what serving calls: it never waits for the disk. Lines are made in
    the thread.
    """

    def __init__(self, folder, run_id, role, metadata):
        self.run_id = run_id
        self.id = f"{role}-{os.getpid()}-{secrets.token_hex(6)}"
        self._count = 0
        self._dropped = 0
        self._written = 0
        self._queue = collections.deque()
        self._wake = threading.Condition()
        self._closing = False
        os.makedirs(folder, exist_ok=True)
        self._disk = _Disk(os.path.join(folder, f"{run_id}.{self.id}.jsonl"))
        session = {"type": "session", "metadata": metadata}
        if not self._disk.write(self._line(session)):
            raise OSError("the session cannot be written")
        self._thread = threading.Thread(
            target=self._run, name="traceloom-observer", daemon=True)
        self._thread.start()

    def number(self):
        """The next number of a record, from 0."""
        with self._wake:
            self._count += 1
            return self._count - 1

    def put(self, make):
        """Hands over a function that returns a record."""
        with self._wake:
            if self._closing or len(self._queue) >= QUEUE:
                self._dropped += 1
                return
            self._queue.append(make)
            self._wake.notify()

    def drop(self):
        """Counts a record that could not be made."""
        with self._wake:
            self._dropped += 1

    def close(self):
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join(PATIENCE)

    def _line(self, record):
        head = {"schema": SCHEMA, "run_id": self.run_id, "producer_id": self.id}
        head.update(record)
        text = json.dumps(head, separators=(",", ":"), allow_nan=False)
        return text.encode("ascii") + b"\n"

    def _run(self):
        try:
            while True:
                with self._wake:
                    while not self._queue and not self._closing:
                        self._wake.wait()
                    todo, self._queue = self._queue, collections.deque()
                    if not todo:
                        break
                for make in todo:
                    self._record(make)
            self._summary()
            self._disk.close()
        except Exception:
            # The disk does not even take lines back: the file stays without
            # a summary, as after a kill.
            with self._wake:
                self._closing = True

    def _record(self, make):
        try:
            line = self._line(make())
        except Exception:
            line = None
        if line is not None and self._disk.write(line):
            self._written += 1
        else:
            self.drop()

    def _summary(self):
        # On a full disk, the last records make room for it.
        while True:
            line = self._line({
                "type": "summary",
                "written_records": self._written,
                "dropped_records": self._dropped,
            })
            if self._disk.write(line, FILE_BYTES) or not self._disk.take_back():
                return
            self._written -= 1
            self._dropped += 1


# The producers of this process, by role and run; None where one failed.
_producers = {}
_lock = threading.Lock()
_salt = secrets.token_bytes(16)


def _forget():
    """In a forked child: its parent's files and threads are not its own."""
    global _producers, _lock, _salt
    _producers = {}
    _lock = threading.Lock()
    _salt = secrets.token_bytes(16)


def close():
    """Writes what waits, and the summaries. For the end of a process."""
    with _lock:
        open_producers = [p for p in _producers.values() if p is not None]
        _producers.clear()
    for producer in open_producers:
        try:
            producer.close()
        except Exception:
            _log.debug("traceloom observer: a file was not closed", exc_info=True)


os.register_at_fork(after_in_child=_forget)
atexit.register(close)


def _producer(role, run_id, metadata):
    """The producer of this process, or None: off, or it cannot write."""
    folder = os.environ.get("TRACELOOM_CONTEXT_DIR")
    if not folder:
        return None
    with _lock:
        key = role, run_id
        if key not in _producers:
            _producers[key] = None
            try:
                if not _IDENTITY.match(run_id):
                    raise ValueError("TRACELOOM_RUN_ID is no name of "
                                     "1 to 128 of A-Z a-z 0-9 _ . -")
                _producers[key] = _Producer(folder, run_id, role, metadata())
                # Processes of multiprocessing leave without atexit.
                multiprocessing.util.Finalize(None, close, exitpriority=0)
            except Exception as error:
                _log.warning("traceloom observer: nothing is recorded: %s", error)
        return _producers[key]


def _count(value):
    """An integer of 0 or more, else None: unknown."""
    try:
        value = int(value)
    except Exception:
        return None
    return value if value >= 0 else None


def _alias(request_id):
    """The name of a request: means nothing outside this process."""
    digest = hashlib.blake2b(str(request_id).encode("utf-8", "replace"),
                             key=_salt, digest_size=8)
    return "r" + digest.hexdigest()


def _version(package):
    return str(getattr(sys.modules.get(package), "__version__", "")) or None


def _shutdown(base, args, kwargs):
    """The shutdown of the class behind, where it has one, and the files'."""
    try:
        if hasattr(base, "shutdown"):
            return base.shutdown(*args, **kwargs)
        return None
    finally:
        close()


# Scheduler side.

_run = None


def _run_id():
    """The run's name; one of this process's own where none is set."""
    global _run
    given = os.environ.get("TRACELOOM_RUN_ID")
    if given:
        return given
    if _run is None:
        _run = "run-" + secrets.token_hex(8)
    return _run


def _scheduler_metadata(linked):
    return lambda: {
        "runtime": "vllm",
        "runtime_version": _version("vllm"),
        "role": "scheduler",
        "linked": linked,
    }


def _cache(scheduler):
    pool = getattr(getattr(scheduler, "kv_cache_manager", None),
                   "block_pool", None)
    try:
        free = _count(pool.get_num_free_blocks())
    except Exception:
        free = None
    return {
        "observation_phase": "after_schedule",
        "free_blocks": free,
        "pool_blocks": _count(getattr(pool, "num_gpu_blocks", None)),
    }


def _step(step_id, ordinal, observed_ns, total, scheduled, new, cache):
    """A function that makes the record, later, from what was copied now."""
    def make():
        requests = [{
            "request_id": _alias(request),
            "scheduled_tokens": tokens,
            "payload": "new" if request in new else "cached",
        } for request, tokens in scheduled]
        if len(requests) > REQUESTS:
            raise ValueError("too many requests for one record")
        if total != sum(tokens for _, tokens in scheduled):
            raise ValueError("the total is not the sum of the requests")
        return {
            "type": "step",
            "step_id": step_id,
            "ordinal": ordinal,
            "observed_monotonic_ns": observed_ns,
            "total_scheduled_tokens": total,
            "requests": requests,
            "cache": cache,
        }
    return make


def record_step(scheduler, output, linked):
    """Records a scheduler's output; linked: gives it its identity, too.

    Never raises.
    """
    producer = None
    try:
        producer = _producer("scheduler", _run_id(), _scheduler_metadata(linked))
        if producer is None:
            return
        ordinal = producer.number()
        step_id = f"{producer.id}.{ordinal}"
        scheduled = [(request, int(tokens)) for request, tokens
                     in output.num_scheduled_tokens.items()]
        new = frozenset(r.req_id for r in output.scheduled_new_reqs)
        producer.put(_step(step_id, ordinal, time.monotonic_ns(),
                           int(output.total_num_scheduled_tokens), scheduled,
                           new, _cache(scheduler)))
    except Exception:
        if producer is not None:
            producer.drop()
        return
    if linked:
        # Workers get it with the output, which travels pickled.
        try:
            output.traceloom_step = {"run_id": producer.run_id,
                                     "step_id": step_id}
        except Exception:
            _log.warning("traceloom observer: a step's identity does not fit "
                         "on its output: it is not linked")


class _Recording:
    """Goes before a scheduler class: the same schedule, and a record of it."""

    _traceloom_linked = False

    def schedule(self, *args, **kwargs):
        output = super().schedule(*args, **kwargs)
        record_step(self, output, self._traceloom_linked)
        return output

    def shutdown(self, *args, **kwargs):
        return _shutdown(super(), args, kwargs)


class _Linked(_Recording):
    _traceloom_linked = True


# Worker side.

def _ranges():
    """What can emit a range here: pairs of functions, to begin and to end."""
    wanted = os.environ.get("TRACELOOM_MARKERS", "record_function,nvtx")
    torch = sys.modules.get("torch")
    found = []
    if torch is None:
        return found
    for name in wanted.split(","):
        if name == "record_function":
            found.append((_begin_function, _end_function))
        elif name == "nvtx" and torch.cuda.is_available():
            found.append((_begin_nvtx, _end_nvtx))
    return found


def _begin_function(name):
    scope = sys.modules["torch"].profiler.record_function(name)
    scope.__enter__()
    return scope


def _end_function(scope):
    scope.__exit__(None, None, None)


def _begin_nvtx(name):
    sys.modules["torch"].cuda.nvtx.range_push(name)


def _end_nvtx(_):
    sys.modules["torch"].cuda.nvtx.range_pop()


class _Execution:
    """Around one execution of a step: its range in the profile, its record."""

    def __init__(self, worker, step, phase):
        self._open = []
        self._producer = None
        self._record = None
        try:
            self._begin(worker, step, phase)
        except Exception:
            self._lost()

    def _begin(self, worker, step, phase):
        self._producer = _producer("worker", step["run_id"], lambda: {
            "runtime": "vllm",
            "runtime_version": _version("vllm"),
            "role": "worker",
        })
        if self._producer is None:
            return
        execution_id = f"{self._producer.id}.{self._producer.number()}"
        marker = MARKER + execution_id
        for begin, end in _ranges():
            try:
                self._open.append((end, begin(marker)))
            except Exception:
                _log.debug("traceloom observer: no range", exc_info=True)
        self._record = {
            "type": "execution",
            "phase": phase,
            "step_id": step["step_id"],
            "execution_id": execution_id,
            "marker": marker,
            "marker_state": "emitted" if self._open else "unavailable",
            "worker_rank": _count(getattr(worker, "rank", None)),
            "process_id": os.getpid(),
        }

    def end(self, status):
        while self._open:
            end, scope = self._open.pop()
            try:
                end(scope)
            except Exception:
                _log.debug("traceloom observer: a range stays open",
                           exc_info=True)
        if self._record is None:
            return
        try:
            record = dict(self._record, status=status)
            self._producer.put(lambda: record)
        except Exception:
            self._lost()

    def _lost(self):
        if self._producer is not None:
            self._producer.drop()


def _run_as(worker, step, phase, call):
    """call(), as one execution of a step, where there is one."""
    if step is None or not os.environ.get("TRACELOOM_CONTEXT_DIR"):
        return call()
    execution = _Execution(worker, step, phase)
    status = "raised"
    try:
        result = call()
        status = "returned"
        return result
    finally:
        execution.end(status)


class _Executing:
    """Goes before a worker class: ranges around what it executes."""

    # The step whose tokens are still to be sampled. A worker has one at most:
    # the model runner keeps the state of one execution between the two calls.
    _traceloom_pending = None

    def execute_model(self, scheduler_output, *args, **kwargs):
        step = getattr(scheduler_output, "traceloom_step", None)
        self._traceloom_pending = None
        output = _run_as(
            self, step, "execute_model",
            lambda: super(_Executing, self).execute_model(
                scheduler_output, *args, **kwargs))
        if output is None:
            self._traceloom_pending = step
        return output

    def sample_tokens(self, *args, **kwargs):
        step, self._traceloom_pending = self._traceloom_pending, None
        return _run_as(
            self, step, "sample_tokens",
            lambda: super(_Executing, self).sample_tokens(*args, **kwargs))

    def shutdown(self, *args, **kwargs):
        return _shutdown(super(), args, kwargs)


def tracing_worker(base):
    """A worker class that does what base does, with ranges.

    For workers not named below: in a module of your own,
    MyWorker = tracing_worker(package.module.Worker), and --worker-cls names it.
    """
    return type("Tracing" + base.__name__, (_Executing, base),
                {"__module__": __name__})


# The classes for --scheduler-cls and --worker-cls: what goes before which class,
# and the modules that had it, the newest first. They are made when asked for,
# so that this module can be imported where vLLM is not.
_SCHEDULER = "Scheduler", "vllm.v1.core.sched.scheduler"
_ASYNC = "AsyncScheduler", "vllm.v1.core.sched.async_scheduler"
_CLASSES = {
    "TracingScheduler": (_Recording, *_SCHEDULER),
    "TracingAsyncScheduler": (_Recording, *_ASYNC),
    "LinkedTracingScheduler": (_Linked, *_SCHEDULER),
    "LinkedTracingAsyncScheduler": (_Linked, *_ASYNC),
    "TracingWorker": (_Executing, "Worker", "vllm.v1.worker.gpu_worker"),
    "TracingNPUWorker": (_Executing, "NPUWorker", "vllm_ascend.worker.worker",
                         "vllm_ascend.worker.worker_v1"),
}


def __getattr__(name):
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    before, base, *modules = _CLASSES[name]
    for module in modules:
        try:
            behind = getattr(importlib.import_module(module), base)
        except ImportError:
            if module == modules[-1]:
                raise
        else:
            break
    made = type(name, (before, behind), {"__module__": __name__})
    return globals().setdefault(name, made)
