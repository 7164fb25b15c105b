"""Compares simulated times of NKI with the published ones: costs of instructions, latencies of kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import nki
from ..nki import isa as nisa, language as nl
from . import kernels

_P, _N = 128, 512
_LONG = 16384  # engine cycles after which the transfers of the kernel are over

#: Core cycles in a cycle of each engine, with the clocks of trn1.
_CORE_CYCLES = {"Tensor": 1.0, "Vector": 2.5, "Scalar": 2.0, "GpSimd": 2.0}


class Instruction(NamedTuple):
    name: str
    engine: str
    published: int  # engine cycles of NKI's reference for N = 512 elements a partition
    # takes tiles [128, 512] in float32, bfloat16 and float32 in PSUM, and [128, 128] in bfloat16
    body: Callable[..., Any]


def _rows() -> list[Instruction]:
    index, column = nl.arange(_N)[None, :], nl.arange(_P)[:, None]
    return [
        Instruction("nc_matmul, bf16, 512 columns", "Tensor", _N, lambda a, b, p, w: nisa.nc_matmul(w, b)),
        Instruction("nc_matmul, bf16, 128 columns", "Tensor", _P, lambda a, b, p, w: nisa.nc_matmul(w, w)),
        Instruction(
            "nc_matmul, fp32, 512 columns", "Tensor", 4 * _N, lambda a, b, p, w: nisa.nc_matmul(a[:, 0:_P], a)
        ),
        Instruction("nc_transpose, bf16, 128 x 128", "Tensor", _P, lambda a, b, p, w: nisa.nc_transpose(w)),
        Instruction(
            "tensor_copy", "Vector", _N, lambda a, b, p, w: nisa.tensor_copy(a, engine=nisa.vector_engine)
        ),
        Instruction(
            "tensor_scalar",
            "Vector",
            _N,
            lambda a, b, p, w: nisa.tensor_scalar(a, np.add, 1.0, engine=nisa.vector_engine),
        ),
        Instruction(
            "tensor_tensor, fp32", "Vector", 2 * _N, lambda a, b, p, w: nisa.tensor_tensor(a, a, np.add)
        ),
        Instruction(
            "tensor_tensor, one in PSUM", "Vector", _N, lambda a, b, p, w: nisa.tensor_tensor(a, p, np.add)
        ),
        Instruction("tensor_tensor, bf16", "Vector", _N, lambda a, b, p, w: nisa.tensor_tensor(b, b, np.add)),
        Instruction(
            "tensor_reduce, fp32", "Vector", _N, lambda a, b, p, w: nisa.tensor_reduce(np.max, a, axis=(1,))
        ),
        Instruction(
            "tensor_reduce, bf16",
            "Vector",
            _N // 2,
            lambda a, b, p, w: nisa.tensor_reduce(np.max, b, axis=(1,)),
        ),
        Instruction(
            "tensor_tensor_scan",
            "Vector",
            2 * _N,
            lambda a, b, p, w: nisa.tensor_tensor_scan(a, a, 0.0, np.multiply, np.add),
        ),
        Instruction("reciprocal", "Vector", 8 * _N, lambda a, b, p, w: nisa.reciprocal(a)),
        Instruction("bn_stats", "Vector", _N, lambda a, b, p, w: nisa.bn_stats(a)),
        Instruction("max8", "Vector", _N, lambda a, b, p, w: nisa.max8(src=a)),
        Instruction("activation", "Scalar", _N, lambda a, b, p, w: nisa.activation(np.exp, a)),
        Instruction("iota", "GpSimd", 150 + _N, lambda a, b, p, w: nisa.iota(index + 0 * column, nl.int32)),
        Instruction(
            "affine_select",
            "GpSimd",
            150 + _N,
            lambda a, b, p, w: nisa.affine_select(column >= index, a, 0.0),
        ),
    ]


def _cycles(body: Callable[..., Any], count: int) -> int:
    """Returns the core cycles of a kernel with `count` instructions that do not depend on each other."""

    @nki.baremetal
    def kernel(x: Any, out: Any) -> None:
        wide = nl.load(x)
        narrow, banked = nl.copy(wide, dtype=nl.bfloat16), nl.ndarray(wide.shape, nl.float32, buffer=nl.psum)
        banked[...] = nl.copy(wide)
        weights = nl.copy(narrow[:, 0:_P])
        for _ in range(count):
            body(wide, narrow, banked, weights)
        nl.store(out, wide)

    x = np.random.default_rng(1).uniform(1, 2, (_P, _N)).astype(np.float32)
    kernel(x, np.zeros_like(x))
    cycles: int = kernel.result.cycles
    return cycles


def cost(row: Instruction) -> float:
    """Returns the engine cycles that one more instruction of its kind adds to a run."""
    few = max(8, _LONG // row.published)
    return (_cycles(row.body, 2 * few) - _cycles(row.body, few)) / few / _CORE_CYCLES[row.engine]


class Latency(NamedTuple):
    name: str
    kernel: Any
    arguments: tuple[np.ndarray, ...]
    published: str  # microseconds


def _kernels() -> list[Latency]:
    rng = np.random.default_rng(1)

    def normal(dtype: Any, *shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(dtype)

    f32, f16, bf16 = np.float32, np.float16, nl.bfloat16
    head = normal(bf16, _P, 4096)
    step, fed = np.abs(normal(f32, 256, 512)), normal(f32, 256, 512)
    return [
        Latency(
            "Mamba scan, 256 channels, 512 steps, 16 states, fp32",
            kernels.state_space,
            (step, fed, -np.abs(normal(f32, 256, 16)), normal(f32, 16, 512), normal(f32, 16, 512)),
            "173",
        ),
        Latency(
            "layernorm 300 x 1000, fp32",
            kernels.layernorm,
            (normal(f32, 300, 1000), normal(f32, 1000), normal(f32, 1000)),
            "1969 to 2311",
        ),
        Latency(
            "RMSNorm and projection 128 x 512 x 512, fp16",
            kernels.rmsnorm_projection,
            (normal(f16, 128, 512), normal(f16, 512, 512)),
            "25",
        ),
        Latency(
            "RMSNorm and projection 512 x 1024 x 384, bf16",
            kernels.rmsnorm_projection,
            (normal(bf16, 512, 1024), normal(bf16, 1024, 384)),
            "40",
        ),
        Latency(
            "attention 4096 x 128, bf16",
            kernels.attention,
            (head, head, np.ascontiguousarray(head.T)),
            "380 to 536",
        ),
    ]


def report() -> None:
    print(f"{'instruction':32}{'engine':>8}{'published':>11}{'simulated':>11}")
    for row in _rows():
        print(f"{row.name:32}{row.engine:>8}{row.published:11}{cost(row):11.0f}", flush=True)
    print(f"{'kernel':54}{'published us':>14}{'simulated us':>14}")
    for case in _kernels():
        timed = nki.benchmark(case.kernel)
        timed(*case.arguments)
        print(
            f"{case.name:54}{case.published:>14}"
            f"{timed.benchmark_result.nc_latency.get_latency_percentile(50):14.1f}",
            flush=True,
        )
    depth, rows, columns = 1024, 2048, 1024
    a, b = (
        np.random.default_rng(1).normal(size=shape).astype(nl.bfloat16)
        for shape in ((depth, rows), (depth, columns))
    )
    timed = nki.benchmark(kernels.matmul)
    timed(a, b)
    share = timed.result.statistics["array"]["matmul_cycles"] / timed.result.cycles
    print(
        f"matmul {rows} x {depth} x {columns}, bf16: {100 * share:.1f} % of the array's cycles; published, "
        "4096 x 8192 x 8192: 85.2 %"
    )
