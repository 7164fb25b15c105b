"""RMSNorm of rows, and their quantization to fp8 with a scale of each row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ... import isa as nisa, language as nl
from ...kernel import jit
from ...tensor import Tensor
from ..common import TILE, parts, require

_LARGEST = 240.0  # of fp8_e4m3
_LEAST_SCALE = 2.0**-100  # of a row of zeros


class NormType(Enum):
    """What is done to a row before it is quantized."""

    NO_NORM = 0
    RMS_NORM = 1
    LAYER_NORM = 2
    RMS_NORM_SKIP_GAMMA = 3


@dataclass(frozen=True)
class RmsNormQuantKernelArgs:
    """Options of rmsnorm_quant_kernel. A bound of more than 0 clips rows to it and its negative."""

    lower_bound: float
    norm_type: NormType = NormType.RMS_NORM
    eps: float = 1e-6


@jit
def rmsnorm_quant_kernel(hidden: Any, ln_w: Any, kargs: RmsNormQuantKernelArgs) -> Tensor:
    """RMSNorm(hidden) gamma, or hidden, in fp8 with a scale of each row.

    Programs of a grid of one dimension share the rows. hidden is [batch, length, n], ln_w [n] or [1, n].
    Returns fp8 [batch, length, n + 4]: the last four are the bytes of the fp32 number with which the others
    are multiplied to have the row again.
    """
    batch, length, n = hidden.shape
    normal = kargs.norm_type is NormType.RMS_NORM
    require(
        normal or kargs.norm_type is NormType.NO_NORM,
        f"rmsnorm_quant_kernel with {kargs.norm_type}, expected NormType.RMS_NORM or NormType.NO_NORM",
    )
    require(
        kargs.lower_bound >= 0,
        f"lower_bound {kargs.lower_bound} of rmsnorm_quant_kernel, expected 0 (no clipping) or more",
    )
    require(
        nl.program_ndim() <= 1, "rmsnorm_quant_kernel with a grid of two dimensions, expected one or none"
    )
    out = nl.ndarray((batch, length, n + 4), nl.float8_e4m3, buffer=nl.shared_hbm)
    gamma = nl.load(ln_w.reshape((1, n)), dtype=nl.float32).broadcast_to((TILE, n)) if normal else None
    tiles = [(b, *part) for b in range(batch) for part in parts(length, TILE)]
    mine = tiles[nl.program_id(0) :: nl.num_programs(0)] if nl.program_ndim() else tiles
    for b, first, count in mine:
        rows = nl.load(hidden[b, nl.ds(first, count), :], dtype=nl.float32)
        if gamma is not None:
            squares = nl.ndarray((count, 1), nl.float32)
            nisa.activation_reduce(np.square, rows, reduce_op=np.add, reduce_res=squares)
            mean = nisa.tensor_scalar(squares, np.multiply, 1.0 / n, op1=np.add, operand1=kargs.eps)
            rows = nl.multiply(nl.multiply(rows, nl.rsqrt(mean)), gamma[0:count, :])
        if kargs.lower_bound > 0:
            rows = nisa.tensor_scalar(
                rows, np.minimum, kargs.lower_bound, op1=np.maximum, operand1=-kargs.lower_bound
            )
        largest = nisa.tensor_reduce(np.max, nl.abs(rows), axis=(1,))
        scale = nisa.tensor_scalar(
            largest, np.multiply, 1.0 / _LARGEST, op1=np.maximum, operand1=_LEAST_SCALE
        )
        # The reciprocal may round up, and a number beyond the largest would be none.
        narrow = nl.multiply(rows, nisa.reciprocal(scale))
        narrow = nisa.tensor_scalar(
            narrow, np.minimum, _LARGEST, op1=np.maximum, operand1=-_LARGEST, dtype=nl.float8_e4m3
        )
        here = nl.ds(first, count)
        nl.store(out[b, here, nl.ds(0, n)], narrow)
        nl.store(out[b, here, nl.ds(n, 4)], scale.view(nl.float8_e4m3))
    return out
