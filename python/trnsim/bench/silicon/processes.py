"""Runs jobs of simulation in processes, with limits of time and of memory."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

_POLL = 0.1  # seconds
_GIB = 1 << 30


@dataclass(frozen=True)
class Job:
    """A kernel to simulate: one of this package, or with a folder the public one of that name."""

    kernel: str
    folder: str | None = None
    sizes: str = "table"
    check: bool = True


@dataclass(frozen=True)
class Outcome:
    """What a job gave. `error` is one line; the other members count if it is empty."""

    job: Job
    error: str = ""
    ms: float = 0.0
    cycles: int = 0
    array_percent: float = 0.0
    vector_ms: float = 0.0
    scalar_ms: float = 0.0
    read_mb: float = 0.0
    write_mb: float = 0.0
    share: Fraction = Fraction(1)
    result_error: float | None = None  # of the kernel's result, beside NumPy's
    tolerance: float = 0.0
    seconds: float = 0.0  # of recording and simulation, on the host

    @property
    def right(self) -> bool:
        return self.result_error is None or self.result_error <= self.tolerance


@dataclass(frozen=True)
class Limits:
    """Bounds of one process."""

    seconds: float = 1800.0
    gib: float = 8.0


def _resident(pid: int) -> int:
    """Returns the bytes of memory that a process has."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _watched(process: subprocess.Popen[bytes], limits: Limits, stop: threading.Event) -> str:
    """Waits for a process; returns the reason for which it was ended, or nothing."""
    end = time.monotonic() + limits.seconds
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
            return ""
        reason = ""
        if stop.is_set():
            reason = "interrupted"
        elif time.monotonic() > end:
            reason = f"stopped after {limits.seconds:g} s, expected an end before (--timeout)"
        elif _resident(process.pid) > limits.gib * _GIB:
            reason = f"stopped at {limits.gib:g} GiB of the host's memory, expected fewer (--memory)"
        if reason:
            process.kill()
            process.wait()
            return reason


def outcome_of(job: Job, text: str) -> Outcome:
    """Reads the outcome that a process has written."""
    values: dict[str, Any] = json.loads(text)
    if "error" in values:
        return Outcome(job, error=values["error"])
    return Outcome(job, **values | {"share": Fraction(*values["share"])})


def simulate(job: Job, config: str, limits: Limits, stop: threading.Event | None = None) -> Outcome:
    """Runs one job on the fast core of a configuration, until `stop` is set."""
    environment = os.environ | {
        "NKI_TRNSIM_CONFIG": config,
        "NKI_TRNSIM_FIDELITY": "fast",
    }
    if job.folder is None:  # the kernels of this package have the instructions that a profile shows
        environment["NKI_TRNSIM_AS_WRITTEN"] = "1"
    for name in ("NKI_SIMULATOR", "NKI_TRNSIM_SPILL"):  # tiles spill, as with the SDK's compiler
        environment.pop(name, None)
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "trnsim.bench.silicon.worker"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            env=environment,
        )
        assert process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError), process.stdin:
                process.stdin.write(json.dumps(asdict(job)).encode())
            reason = _watched(process, limits, stop or threading.Event())
        finally:  # an interrupt leaves no process behind
            process.kill()
            process.wait()
        if reason:
            return Outcome(job, error=reason)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            said = err.read().decode(errors="replace").strip().splitlines()
            return Outcome(job, error=f"ended with {process.returncode}: {said[-1] if said else 'no text'}")
        return outcome_of(job, out.read().decode())


def run(
    jobs: Sequence[Job],
    config: str,
    limits: Limits,
    at_once: int,
    began: Callable[[int, Job], None] = lambda number, job: None,
) -> list[Outcome]:
    """Runs jobs, some at once, and returns their outcomes in order. `began` is called as each one begins.

    An interrupt ends those under way, and no other one begins.
    """
    count, lock, stop = iter(range(1, len(jobs) + 1)), threading.Lock(), threading.Event()

    def one(job: Job) -> Outcome:
        with lock:
            began(next(count), job)
        return simulate(job, config, limits, stop)

    pool = ThreadPoolExecutor(at_once)
    try:
        return list(pool.map(one, jobs))
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
