"""The cost of a call of an NKI kernel on the host: recording, lowering, building, loading, simulation, and a
further call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..nki import device, language as nl
from ..nki.kernel import launch_of
from ..nki.limits import configuration
from ..nki.lowering import build, select
from . import kernels

_STEPS = ("recording", "lowering", "building", "loading", "simulation")


def _normal(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape).astype(dtype)


def cases() -> list[tuple[str, Any, tuple[np.ndarray, ...]]]:
    """Returns (name, kernel, arguments) of each case."""
    wide, head = _normal((512, 512), nl.bfloat16), _normal((128, 1024), nl.bfloat16)
    return [
        ("softmax 512 x 1024", kernels.softmax, (_normal((512, 1024), np.float32),)),
        ("matmul 512 x 512 x 512", kernels.matmul, (wide, wide)),
        ("attention 1024 x 128", kernels.attention, (head, head, np.ascontiguousarray(head.T))),
    ]


def _timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def recorded(kernel: Any, arguments: tuple[Any, ...]) -> tuple[dict[str, float], Any, Any]:
    """Returns the seconds of recording, lowering and building, then the package and the operations."""
    seconds: dict[str, float] = {}
    seconds["recording"], (operations, _, parameters) = _timed(
        lambda: device.traced(launch_of(kernel, arguments, {}))
    )
    names = {tensor.storage.identity: tensor.storage.name for tensor in parameters}
    seconds["lowering"], selected = _timed(
        lambda: select(kernel.__name__, operations, names, configuration())
    )
    seconds["building"], lowered = _timed(lambda: build(selected))
    return seconds, lowered.package, operations


def measured(kernel: Any, arguments: tuple[Any, ...]) -> tuple[dict[str, float], float, int]:
    """Returns the seconds of each step of a first call, those of a further call, and the number of
    operations.
    """
    seconds, _, operations = recorded(kernel, arguments)
    recording = device.recording(launch_of(kernel, arguments, {}))
    seconds["loading"], _ = _timed(recording.load)
    seconds["simulation"], _ = _timed(lambda: device.run(launch_of(kernel, arguments, {})))
    again, _ = _timed(lambda: device.run(launch_of(kernel, arguments, {})))
    return seconds, again, len(operations)


def report() -> None:
    print(
        f"{'kernel':24}{'operations':>11}"
        + "".join(f"{step:>13}" for step in _STEPS)
        + f"{'first call':>12}{'second':>10}"
    )
    for name, kernel, arguments in cases():
        seconds, again, count = measured(kernel, arguments)
        total = sum(seconds.values())
        shares = "".join(f"{100 * seconds[step] / total:11.1f} %" for step in _STEPS)
        print(f"{name:24}{count:11}{shares}{total:10.2f} s{again:8.2f} s", flush=True)
    head = _normal((128, 4096), nl.bfloat16)
    seconds, _, operations = recorded(kernels.attention, (head, head, np.ascontiguousarray(head.T)))
    parts = ", ".join(f"{step} {value:.2f} s" for step, value in seconds.items())
    print(
        f"attention 4096 x 128, {len(operations)} operations: {parts}, together {sum(seconds.values()):.2f} s"
    )
