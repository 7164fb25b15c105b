"""Simulates one kernel in a process of its own: a job as JSON comes in, its outcome as JSON goes out.

A process simulates one configuration, and a kernel that takes all memory takes no other one with it.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ... import nki

nki.install(replace=True)  # the kernels are to be trnsim's, whatever else is installed

from . import cases, public  # noqa: E402

_BLOCK = 1 << 20  # elements that are compared at once


def _own(name: str, which: str) -> public.Loaded:
    case = cases.find(name)
    assert case is not None, name
    arguments = case.arguments(np.random.default_rng(1), **case.sizes(which))
    return public.Loaded(
        case.kernel,
        arguments,
        {},
        lambda: case.expected(*arguments),
        lambda result, _: result,
        case.tolerance,
        case.share(which),
    )


def load(job: dict[str, Any]) -> public.Loaded:
    """Returns the kernel that a job names; with a folder it is the public one."""
    if job.get("folder") is None:
        return _own(job["kernel"], job["sizes"])
    kernel = public.find(job["kernel"])
    assert kernel is not None, job["kernel"]
    return public.load(kernel, Path(job["folder"]), job["sizes"])


def distance(found: Any, expected: Any) -> float:
    """Returns |found - expected| / |expected|, Euclidean; infinite if shapes differ or a NaN is found."""
    one, other = np.asarray(found), np.asarray(expected)
    if one.shape != other.shape:
        return float("inf")
    one, other = one.reshape(-1), other.reshape(-1)
    apart = size = 0.0
    for first in range(0, one.size, _BLOCK):
        part = other[first : first + _BLOCK].astype(np.float64)
        apart += float(np.sum(np.square(one[first : first + _BLOCK].astype(np.float64) - part)))
        size += float(np.sum(np.square(part)))
    error = math.sqrt(apart) / max(math.sqrt(size), 1e-30) if math.isfinite(apart + size) else math.inf
    return error if math.isfinite(error) else math.inf


def figures(statistics: dict[str, Any]) -> dict[str, float]:
    """Returns what a run's statistics say of the figures that profiles of the chip show.

    Bytes of HBM are those of tensors: without descriptors, instructions and tables of functions.
    """
    ms, cycles = 1e3 * statistics["simulated_seconds"], statistics["cycles"]
    engines = statistics["engines"]
    others = sum(ring["descriptor_bytes"] for ring in statistics["dma"]) + sum(
        statistics[part]["bytes_read"] for part in ("core_manager", "core_tables")
    )
    return {
        "ms": ms,
        "cycles": cycles,
        "array_percent": 100 * statistics["array"]["matmul_cycles"] / cycles,
        "vector_ms": ms * engines["vector"]["busy_cycles"] / cycles,
        "scalar_ms": ms * engines["scalar"]["busy_cycles"] / cycles,
        "read_mb": (sum(stack["bytes_read"] for stack in statistics["hbm"]) - others) / 1e6,
        "write_mb": sum(stack["bytes_written"] for stack in statistics["hbm"]) / 1e6,
    }


def simulate(job: dict[str, Any]) -> dict[str, Any]:
    """Runs a job and returns its outcome: figures, the share of the published work, the result's error."""
    begun = time.monotonic()
    loaded = load(job)
    result = loaded.kernel(*loaded.arguments, **loaded.keywords)
    seconds = time.monotonic() - begun
    error = None
    if job.get("check", True):
        expected = loaded.expected()
        error = distance(loaded.found(result, expected), expected)
    share: Fraction = loaded.share
    return figures(loaded.kernel.result.statistics) | {
        "share": [share.numerator, share.denominator],
        "result_error": error,
        "tolerance": loaded.tolerance,
        "seconds": seconds,
    }


def one_line(error: BaseException, folder: str | None) -> str:
    """Returns the first line of what an error says, without the user's folder in paths, and its kind if it is
    none of the kernel language.
    """
    text = (str(error).strip().splitlines() or ["no text"])[0]
    if folder is not None:
        text = text.replace(f"{folder}/", "")
    known = isinstance(error, (nki.NkiError, public.MissingError))
    return text if known else f"{type(error).__name__}: {text}"


def main() -> None:
    job = json.load(sys.stdin)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # a kernel may print
            outcome = simulate(job)
    except Exception as error:
        outcome = {"error": one_line(error, job.get("folder"))}
    json.dump(outcome, sys.stdout)


if __name__ == "__main__":
    main()
