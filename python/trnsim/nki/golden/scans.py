"""Scans, and instructions that give a reduction beside their result."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import operations as ops
from . import access
from .elementwise import apply, in_place
from .reductions import reduced


def _scan(op: ops.TensorTensorScan, _: Any) -> None:
    a, b = (np.ascontiguousarray(access.by_partition(x).T) for x in (op.a, op.b))
    state = np.asarray(access.fp32(op.initial)).reshape(-1)
    result = np.empty_like(a)
    first, second = in_place(op.op0, op.reverse0), in_place(op.op1, op.reverse1)
    for x, y, row in zip(a, b, result):
        first(x, state, row)
        second(row, y, row)
        state = row
    access.write(op, result.T)


def _tensor_scalar_reduce(op: ops.TensorScalarReduce, _: Any) -> None:
    result = apply(op.op0, access.fp32(op.a), access.fp32(op.operand0), op.reverse0)
    access.write(op, result)
    total = reduced(op.reduce_op, result.reshape(result.shape[0], -1), (1,))
    access.store(op.reduced, total.astype(np.float32).reshape(op.reduced.shape))


def _select_reduce(op: ops.SelectReduce, state: Any) -> None:
    held = access.elements(op.predicate) != 0
    result = np.where(held != op.inverted, access.fp32(op.a), access.fp32(op.otherwise))
    access.write(op, result)
    if op.reduce_cmd == "idle":
        return
    maxima = state.vector_maxima[: result.shape[0]]
    largest = result.reshape(result.shape[0], -1).max(axis=1)
    maxima[:] = np.maximum(maxima, largest) if op.reduce_cmd == "reduce" else largest
    if op.reduced is not None:
        access.store(op.reduced, maxima.reshape(op.reduced.shape))


HANDLERS = {
    ops.TensorTensorScan: _scan,
    ops.TensorScalarReduce: _tensor_scalar_reduce,
    ops.SelectReduce: _select_reduce,
}
