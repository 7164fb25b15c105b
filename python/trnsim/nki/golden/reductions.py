"""Reductions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..alu import AluOp
from . import access

_ARITHMETIC = {
    "add": lambda x, axes: x.sum(axis=axes, dtype=np.float32),
    "multiply": lambda x, axes: x.prod(axis=axes, dtype=np.float32),
    "max": lambda x, axes: x.max(axis=axes),
    "min": lambda x, axes: x.min(axis=axes),
    "logical_and": lambda x, axes: (x != 0).all(axis=axes),
    "logical_or": lambda x, axes: (x != 0).any(axis=axes),
    "logical_xor": lambda x, axes: ((x != 0).sum(axis=axes) & 1) != 0,
}
_BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}


def _subtracted(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Returns the first element less all others."""
    flat = x.reshape((*x.shape[: min(axes)], -1))
    rest: np.ndarray = flat[..., 0] - flat[..., 1:].sum(axis=-1, dtype=np.float32)
    return rest


def reduced(op: AluOp, values: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Reduces elements over axes, as fp32 or, for bit operations, integers. One element is left as it is."""
    if op.kind == "bits":
        result: np.ndarray = _BITS[op.name].reduce(
            values.view(np.uint8) if values.dtype == bool else values, axis=axes
        )
        return result
    if op.kind == "test" and math.prod(values.shape[axis] for axis in axes) == 1:
        only: np.ndarray = values.max(axis=axes)
        return only
    if op.name == "subtract":
        return _subtracted(values, axes)
    return np.asarray(_ARITHMETIC[op.name](dtypes.flushed(values) if op.kind == "test" else values, axes))


def _as_number(result: np.ndarray) -> np.ndarray:
    return result.astype(np.float32) if result.dtype == bool else result


def _tensor_reduce(op: ops.TensorReduce, _: Any) -> None:
    axes = tuple(range(op.src.ndim - op.axes, op.src.ndim))
    values = access.elements(op.src) if op.op.kind == "bits" else access.fp32(op.src)
    result = _as_number(reduced(op.op, values, axes))
    if op.op.kind == "bits":
        access.write_bits(op, result)
    else:
        access.write(op, -result if op.negate else result)


def _of_integers(op: AluOp, values: np.ndarray) -> np.ndarray:
    """Reduces integers over partitions, as GpSimd does: sums are of 32 bits and of the type's sign if it has
    those.
    """
    if op.name != "add":
        of_two = np.maximum if op.name == "max" else np.minimum
        return np.asarray(of_two.reduce(values, axis=0))[None]
    return np.asarray(values.sum(axis=0, dtype=values.dtype if values.itemsize == 4 else np.int32))[None]


def _partition_reduce(op: ops.PartitionReduce, _: Any) -> None:
    of_integers = dtypes.is_integer(op.src.dtype) and op.src.dtype != bool
    if of_integers and op.op.name in ("add", "max", "min"):
        access.write(op, _of_integers(op.op, access.elements(op.src)))
        return
    values = access.elements(op.src) if op.op.kind == "bits" else access.fp32(op.src)
    of_numbers = {"max": np.fmax, "min": np.fmin}.get(op.op.name)  # GpSimd's ignore NaN
    result = reduced(op.op, values, (0,)) if of_numbers is None else of_numbers.reduce(values, axis=0)
    if op.op.kind == "bits":
        access.write_bits(op, result[None])
    else:
        access.write(op, _as_number(result)[None])


def _halves(x: np.ndarray) -> np.ndarray:
    """Returns count, mean and variance * count of each partition."""
    count = np.full((x.shape[0], 1), x.shape[1], np.float32)
    if x.shape[1] == 0:
        return np.zeros((x.shape[0], 3), np.float32)
    mean = x.mean(axis=1, keepdims=True, dtype=np.float32)
    return np.concatenate(
        [count, mean, np.square(x - mean).sum(axis=1, keepdims=True, dtype=np.float32)], axis=1
    )


def _bn_stats(op: ops.BnStats, _: Any) -> None:
    x = access.by_partition(op.src)
    access.write(op, np.concatenate([_halves(x[:, 0::2]), _halves(x[:, 1::2])], axis=1))


def _bn_aggr(op: ops.BnAggr, _: Any) -> None:
    triples = access.by_partition(op.src).reshape(op.src.partitions, -1, 3)
    counts, means, squares = (triples[:, :, k] for k in range(3))
    total = counts.sum(axis=1, dtype=np.float32)
    share = np.where(total == 0, np.float32(0), np.float32(1) / total)
    mean = (counts * means).sum(axis=1, dtype=np.float32) * share
    spread = squares.sum(axis=1, dtype=np.float32) + (counts * np.square(means - mean[:, None])).sum(
        axis=1, dtype=np.float32
    )
    access.write(op, np.stack([mean, spread * share], axis=1))


HANDLERS = {
    ops.TensorReduce: _tensor_reduce,
    ops.PartitionReduce: _partition_reduce,
    ops.BnStats: _bn_stats,
    ops.BnAggr: _bn_aggr,
}
