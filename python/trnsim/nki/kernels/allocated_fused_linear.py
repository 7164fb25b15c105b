"""RMSNorm and the projection that follows it, in one kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import isa as nisa, language as nl
from ..kernel import jit
from ..tensor import Tensor
from .common import TILE, loaded_rows, parts, require, turned

_COLUMNS = 512  # columns of a result that are in PSUM at once


@jit
def allocated_fused_rms_norm_qkv(
    hidden: Any, weights: Any, norm_dtype: Any = nl.float32, eps: float = 1e-6
) -> Tensor:
    """RMSNorm(hidden) @ weights; the weights have been multiplied with those of the norm.

    hidden is [batch, length, n], weights are [n, m]. Returns [batch, length, m].
    """
    batch, length, n = hidden.shape
    require(
        weights.shape[0] == n and n % TILE == 0,
        f"allocated_fused_rms_norm_qkv of {list(hidden.shape)} and {list(weights.shape)}, expected as many "
        f"rows of weights as columns of hidden, a multiple of {TILE}",
    )
    m = weights.shape[1]
    out = nl.ndarray((batch, length, m), hidden.dtype, buffer=nl.shared_hbm)
    matrix = loaded_rows(weights, hidden.dtype)
    for b in range(batch):
        for first, count in parts(length, TILE):
            rows = nl.load(hidden[b, nl.ds(first, count), :])
            squares = nl.ndarray((count, 1), nl.float32)
            nisa.activation_reduce(np.square, rows, reduce_op=np.add, reduce_res=squares, dtype=norm_dtype)
            mean = nisa.tensor_scalar(squares, np.multiply, 1.0 / n, op1=np.add, operand1=eps)
            normal = nl.multiply(rows, nl.rsqrt(mean), dtype=hidden.dtype)
            columns = [turned(normal[:, nl.ds(place, TILE)], hidden.dtype) for place, _ in parts(n, TILE)]
            for to, width in parts(m, _COLUMNS):
                total = nl.zeros((count, width), nl.float32, buffer=nl.psum)
                for at, part in enumerate(columns):
                    total += nisa.nc_matmul(part, matrix[at][:, nl.ds(to, width)])
                nl.store(out[b, nl.ds(first, count), nl.ds(to, width)], nl.copy(total, dtype=hidden.dtype))
    return out
