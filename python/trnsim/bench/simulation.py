"""Compares kernels in the NumPy simulation with plain NumPy."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import nki
from . import kernels

_TIMES = 7


def cases() -> list[tuple[str, Any, Callable[..., np.ndarray], tuple[np.ndarray, ...]]]:
    """Returns (name, kernel, the same function in NumPy, arguments) of each case; all are float32."""

    def normal(*shape: int) -> np.ndarray:
        return np.random.default_rng(1).normal(size=shape).astype(np.float32)

    return [
        ("softmax 4096 x 4096", kernels.softmax, kernels.numpy_softmax, (normal(4096, 4096),)),
        (
            "matmul 1024 x 1024 x 1024",
            kernels.matmul,
            kernels.numpy_matmul,
            (normal(1024, 1024), normal(1024, 1024)),
        ),
        (
            "attention 2048 x 128",
            kernels.attention,
            kernels.numpy_attention,
            (normal(128, 2048), normal(128, 2048), normal(2048, 128)),
        ),
    ]


def best(function: Callable[[], Any]) -> float:
    """Returns the seconds of the fastest of several runs."""
    seconds = []
    for _ in range(_TIMES):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return min(seconds)


def report() -> None:
    print(f"{'kernel':28}{'NumPy':>10}{'simulation':>13}{'times':>8}")
    for name, kernel, plain, arguments in cases():
        expected, found = plain(*arguments), nki.simulate_kernel(kernel, *arguments)
        assert np.allclose(found, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max()), name
        reference = best(functools.partial(plain, *arguments))
        simulated = best(functools.partial(nki.simulate_kernel, kernel, *arguments))
        print(
            f"{name:28}{1e3 * reference:7.1f} ms{1e3 * simulated:10.1f} ms{simulated / reference:8.2f}",
            flush=True,
        )
