"""The Tensor engine, and transposes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import operations as ops
from . import access


def _matmul(op: ops.Matmul, _: Any) -> None:
    access.write(op, access.by_partition(op.stationary).T @ access.by_partition(op.moving))


def _accumulate(op: ops.Accumulate, _: Any) -> None:
    if op.dst.dtype == np.float32 and op.where is None:
        target = access.elements(op.dst)
        np.add(target, access.fp32(op.src), out=target)
        access.mark(op.dst)
    else:
        access.write(op, access.fp32(op.dst) + access.fp32(op.src))


def _transposed(values: np.ndarray) -> np.ndarray:
    """Returns values.T, contiguous.

    The elements of a column are put an odd distance apart first: those a power of two apart share few cache
    lines, and copying them takes several times as long.
    """
    rows, columns = values.shape
    apart = np.empty((rows, columns | 1), values.dtype)[:, :columns]
    apart[...] = values
    return apart.T.copy()


def _transpose(op: ops.Transpose, _: Any) -> None:
    values = access.elements(op.src)
    access.write(op, _transposed(values.reshape(values.shape[0], -1)))


HANDLERS = {ops.Matmul: _matmul, ops.Accumulate: _accumulate, ops.Transpose: _transpose}
