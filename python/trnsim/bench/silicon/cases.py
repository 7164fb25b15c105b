"""The kernels of this package: their inputs, what NumPy makes of them, and the measurement that each stands
beside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

from .kernels import attention, elementwise, matmuls, norms, scans

Arrays = tuple[Any, ...]
Sizes = dict[str, int]

_BF16 = np.dtype(ml_dtypes.bfloat16)
_EPS = 1e-5


@dataclass(frozen=True)
class Case:
    """A kernel of this package at three sizes: the published one, that of the table, that of the tests."""

    measurement: str  # suite/kernel of measurements.csv
    kernel: Any
    arguments: Callable[..., Arrays]  # of a generator of random numbers and sizes by name
    expected: Callable[..., np.ndarray]
    full: Sizes
    small: Sizes  # of the tests
    table: Sizes | None = None  # only the named sizes differ from the published ones
    tolerance: float = 1e-5  # of |result - expected| / |expected|, Euclidean

    def sizes(self, which: str) -> Sizes:
        """Returns the sizes "full", "table" or "small"."""
        return self.full | {"full": {}, "table": self.table or {}, "small": self.small}[which]

    def share(self, which: str) -> Fraction:
        """Returns the part of the published kernel's work: the product of the sizes that differ."""
        part = Fraction(1)
        for name, size in self.sizes(which).items():
            part *= Fraction(size, self.full[name])
        return part


def _normal(rng: np.random.Generator, *shape: int, dtype: Any = np.float32, scale: float = 1.0) -> np.ndarray:
    return rng.normal(scale=scale, size=shape).astype(dtype)


def _wide(*arrays: Any) -> list[np.ndarray]:
    return [np.asarray(array).astype(np.float32) for array in arrays]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    left, right = _wide(a, b)
    result: np.ndarray = left.T @ right
    return result


def _rms(x: np.ndarray, eps: float = 0.0) -> np.ndarray:
    result: np.ndarray = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + eps)
    return result


def _normed_inputs(rng: np.random.Generator, rows: int, depth: int, columns: int, normed: int) -> Arrays:
    """x, w, eps, z and g; z is added to, and g multiplied with, rows of `normed` elements."""
    return (
        _normal(rng, rows, depth),
        _normal(rng, depth, columns),
        _EPS,
        _normal(rng, rows, normed),
        _normal(rng, normed),
    )


def _adamw(theta: np.ndarray, g: np.ndarray, m: np.ndarray, v: np.ndarray) -> np.ndarray:
    variance = 1000 * (0.999 * v + 0.001 * g * g)
    result: np.ndarray = theta - 1e-5 * theta - 0.01 * (0.9 * m + 0.1 * g) / (np.sqrt(variance) + 1e-8)
    return result


def _rope(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    half = len(x) // 2
    even, odd = x[:half], x[half:]
    return np.concatenate([even * cos - odd * sin, odd * cos + even * sin])


def _rope_inputs(rng: np.random.Generator, size: int, length: int) -> Arrays:
    return tuple(_normal(rng, rows, length) for rows in (size, size // 2, size // 2))


def scanned(delta: np.ndarray, u: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The scan of a Mamba layer, state after state in float64."""
    step, fed, rates, into, read = (array.astype(np.float64) for array in (delta, u, a, b, c))
    state, out = np.zeros(rates.shape), np.empty(step.shape)
    for t in range(step.shape[1]):
        state = state * np.exp(step[:, t, None] * rates) + (step[:, t] * fed[:, t])[:, None] * into[:, t]
        out[:, t] = state @ read[:, t]
    return out


def scan_inputs(rng: np.random.Generator, channels: int, length: int, states: int) -> Arrays:
    """delta, u, a, b and c; states decay."""
    return (
        np.abs(_normal(rng, channels, length, scale=0.5)),
        _normal(rng, channels, length),
        -np.abs(_normal(rng, channels, states)),
        _normal(rng, states, length),
        _normal(rng, states, length),
    )


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return result


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """softmax(q.T @ k) @ v.T."""
    queries, keys, values = _wide(q, k, v)
    result: np.ndarray = _softmax(queries.T @ keys) @ values.T
    return result


def small_head(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """softmax(q @ k.T / 8) @ v."""
    result: np.ndarray = _softmax(q @ k.T * 0.125) @ v
    return result


def attention_inputs(rng: np.random.Generator, size: int, length: int) -> Arrays:
    """q, k and v between -1 and 1."""
    return tuple(rng.uniform(-1, 1, (size, length)).astype(_BF16) for _ in range(3))


def convolved(image: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """Rows with filters of three elements, and a zero at both ends."""
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1)))
    width = image.shape[2]
    result: np.ndarray = sum(
        padded[:, :, tap : tap + width] * filters[None, :, tap, None] for tap in range(3)
    )
    return result


def _scan(measurement: str, kernel: Any, full: Sizes, small: Sizes, table: Sizes | None = None) -> Case:
    return Case(measurement, kernel, scan_inputs, scanned, full, small, table, tolerance=1e-4)


def _rmsnorm_matmul(measurement: str, kernel: Any) -> Case:
    return Case(
        measurement,
        kernel,
        lambda rng, rows, depth, columns: (_normal(rng, rows, depth), _normal(rng, depth, columns)),
        lambda x, w: _rms(x) @ w,
        {"rows": 4096, "depth": 1024, "columns": 2048},
        {"rows": 768, "depth": 512, "columns": 1024},
    )


def _add_rmsnorm_matmul(measurement: str, kernel: Any) -> Case:
    return Case(
        measurement,
        kernel,
        lambda rng, rows, depth, columns: _normed_inputs(rng, rows, depth, columns, depth),
        lambda x, w, eps, z, g: (_rms(x + z, eps) * g) @ w,
        {"rows": 4096, "depth": 1024, "columns": 2048},
        {"rows": 128, "columns": 1024},
    )


def _bf16_product(measurement: str, kernel: Any, small: Sizes) -> Case:
    """4096 x 8192 x 8192; the table has a sixteenth."""
    return Case(
        measurement,
        kernel,
        lambda rng, rows, depth, columns: (
            _normal(rng, depth, rows, dtype=_BF16),
            _normal(rng, depth, columns, dtype=_BF16),
        ),
        _product,
        {"rows": 4096, "depth": 8192, "columns": 8192},
        small,
        {"rows": 2048, "columns": 1024},
        tolerance=5e-3,
    )


CASES = [
    Case(
        "NKIBench/transpose_matmul",
        matmuls.transpose_matmul,
        lambda rng, rows, depth, columns: (_normal(rng, depth, rows), _normal(rng, depth, columns)),
        _product,
        {"rows": 4096, "depth": 2048, "columns": 10944},
        {"rows": 1024, "depth": 256, "columns": 1216},
        {"rows": 1024},
    ),
    Case(
        "NKIBench/matmul",
        matmuls.matmul,
        lambda rng, rows, depth, columns: (_normal(rng, rows, depth), _normal(rng, depth, columns)),
        lambda a, b: a @ b,
        {"rows": 4096, "depth": 5120, "columns": 12288},
        {"rows": 256, "depth": 1024, "columns": 1024},
        {"rows": 512, "columns": 1024},
    ),
    Case(
        "NKIBench/bmm_optimized",
        matmuls.batched_matmul,
        lambda rng, batches, rows, depth, columns: (
            _normal(rng, batches, rows, depth),
            _normal(rng, batches, depth, columns),
        ),
        lambda a, b: a @ b,
        {"batches": 16, "rows": 4096, "depth": 64, "columns": 4096},
        {"batches": 2, "rows": 256, "columns": 1024},
        {"batches": 2},
    ),
    _rmsnorm_matmul("NKIBench/rmsnorm_matmul", norms.rmsnorm_matmul),
    _rmsnorm_matmul("NKIBench/rmsnorm_matmul_optimized", norms.rmsnorm_matmul_once),
    _add_rmsnorm_matmul("NKIBench/add_rmsnorm_matmul", norms.add_rmsnorm_matmul),
    _add_rmsnorm_matmul("NKIBench/add_rmsnorm_matmul_optimized", norms.add_rmsnorm_matmul_once),
    Case(
        "NKIBench/matmul_add_rmsnorm",
        norms.matmul_add_rmsnorm,
        lambda rng, rows, depth, columns: _normed_inputs(rng, rows, depth, columns, columns),
        lambda x, w, eps, z, g: _rms(x @ w + z, eps) * g,
        {"rows": 4096, "depth": 2048, "columns": 2048},
        {"rows": 768, "depth": 256, "columns": 1024},
    ),
    Case(
        "NKIBench/silu",
        elementwise.silu,
        lambda rng, rows, columns: (_normal(rng, rows, columns),),
        lambda x: x / (1 + np.exp(-x)),
        {"rows": 4096, "columns": 7168},
        {"rows": 256, "columns": 2048},
        {"rows": 2048},
    ),
    Case(
        "NKIBench/adamw",
        elementwise.adamw,
        lambda rng, rows, columns: (
            *(_normal(rng, rows, columns) for _ in range(3)),
            np.abs(_normal(rng, rows, columns)),
        ),
        _adamw,
        {"rows": 10944, "columns": 2048},
        {"rows": 192, "columns": 2048},
        {"rows": 1216},
    ),
    Case(
        "NKIBench/rope",
        elementwise.rope,
        _rope_inputs,
        _rope,
        {"size": 128, "length": 262144},
        {"length": 4096},
        {"length": 32768},
    ),
    Case(
        "NKIBench/rope_optimized",
        elementwise.rope_wide,
        _rope_inputs,
        _rope,
        {"size": 128, "length": 262144},
        {"length": 8192},
        {"length": 32768},
    ),
    _scan(
        "NKIBench/mamba_optimized",
        scans.scan_by_states,
        {"channels": 256, "length": 7168, "states": 16},
        {"length": 1024, "states": 2},
    ),
    _bf16_product("Autocomp/gemm_5", matmuls.grouped_matmul, {"rows": 512, "depth": 1024, "columns": 2048}),
    Case(
        "Autocomp/attention_10",
        attention.attention_once,
        attention_inputs,
        attended,
        {"size": 128, "length": 4096},
        {"length": 1024},
        tolerance=2e-2,
    ),
    Case(
        "Autocomp/sd_attention_6",
        attention.attention_small_head,
        lambda rng, length, size: tuple(rng.random((length, size), np.float32) for _ in range(3)),
        small_head,
        {"length": 4096, "size": 64},
        {"length": 1024},
        tolerance=2e-2,
    ),
    _scan(
        "Autocomp/mamba_0",
        scans.scan_reloaded,
        {"channels": 256, "length": 2048, "states": 16},
        {"channels": 128, "length": 512, "states": 4},
    ),
    _scan(
        "Autocomp/mamba_6",
        scans.scan_hoisted,
        {"channels": 256, "length": 2048, "states": 16},
        {"channels": 128, "length": 1024, "states": 4},
    ),
    Case(
        "Autocomp/conv1d_0",
        elementwise.depthwise_convolution,
        lambda rng, images, channels, width: (
            rng.random((images, channels, width), np.float32),
            rng.random((channels, 3), np.float32),
        ),
        convolved,
        {"images": 8, "channels": 512, "width": 2048},
        {"images": 1, "channels": 128, "width": 256},
        {"images": 1, "channels": 128},
    ),
    _scan(
        "AWS/mamba_v1_256",
        scans.scan_reloaded,
        {"channels": 256, "length": 512, "states": 16},
        {"channels": 128, "length": 512, "states": 4},
    ),
    _scan(
        "AWS/mamba_v2_4096",
        scans.scan_hoisted,
        {"channels": 4096, "length": 512, "states": 16},
        {"channels": 128, "length": 512, "states": 4},
        {"channels": 512},
    ),
    _bf16_product("AWS/matmul_4", matmuls.blocked_matmul, {"rows": 2048, "depth": 1024, "columns": 1024}),
]


def find(measurement: str) -> Case | None:
    """Returns the kernel of this package beside a measurement; None: there is none."""
    return next((case for case in CASES if case.measurement == measurement), None)
