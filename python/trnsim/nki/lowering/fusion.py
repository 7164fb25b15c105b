"""Joins operations before calls are chosen: a result that is bound to a tile is written there at once, and
matmuls are added in PSUM.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..tensor import Tensor
from .patterns import merged
from .tiles import Axes


@dataclass
class MatmulAdded(ops.Matmul):
    """dst += stationary.T @ moving in PSUM."""


#: Operations that write a result in fp32 and cast it to the type of their destination.
ARITHMETIC = (
    ops.TensorTensor,
    ops.TensorScalar,
    ops.ScalarTensorTensor,
    ops.Activation,
    ops.Reciprocal,
    ops.TensorReduce,
    ops.TensorTensorScan,
    ops.BnStats,
    ops.BnAggr,
)
#: Operations that may overlap nothing else they read while they write their result.
_ELSEWHERE = (ops.DmaCopy, ops.Memset, ops.Iota)
_BOUND = (*ARITHMETIC, *_ELSEWHERE, ops.TensorCopy, ops.AffineSelect)


#: Operations that read their destination, or leave a part of it.
_UPDATING = (ops.CopyPredicated, ops.StreamShuffle, ops.Accumulate, MatmulAdded)


def updates(op: ops.Operation) -> bool:
    """Returns whether the former contents of the destination count."""
    return (
        isinstance(op, _UPDATING)
        or getattr(op, "accumulate", False)
        or getattr(op, "skip_out_of_bounds", False)
    )


def _same_place(a: Tensor, b: Tensor) -> bool:
    """Returns whether two tensors are the same elements in the same order."""
    return a.itemsize == b.itemsize and a.steps() == b.steps() and a.shape == b.shape


def _may_write(op: ops.Writing, dst: Tensor) -> bool:
    """Returns whether an operation may write its result over what it reads."""
    for tensor in op.tensors():
        if tensor is op.dst or tensor.storage.identity != dst.storage.identity:
            continue
        reads_all_first = tensor.elements == 1
        if not reads_all_first and (isinstance(op, ops.TensorReduce) or not _same_place(tensor, dst)):
            return False
    return True


def _order(tensor: Tensor) -> tuple[int, int, int, Axes]:
    """Returns the start of a tensor, its partitions and their step, and its other dimensions, joined where
    they are contiguous.
    """
    offset, steps = tensor.steps()
    return (
        offset,
        tensor.partitions,
        steps[0] if tensor.partitions > 1 else 0,
        merged(tensor.shape[1:], [steps[1:]])[0],
    )


def whole(tensor: Tensor, other: Tensor) -> bool:
    """Returns whether one operation reads all that another has written, in that order and type."""
    return tensor.storage is other.storage and tensor.dtype == other.dtype and _order(tensor) == _order(other)


def _same_mask(first: ops.Writing, second: ops.Writing) -> bool:
    """Returns whether two operations write the same elements of their destinations."""
    if first.where is None or second.where is None:
        return first.where is second.where
    return first.dst.shape == second.dst.shape and np.array_equal(first.where, second.where)


class Fusion:
    def __init__(self, operations: Sequence[ops.Operation]) -> None:
        self._operations = operations
        self._uses = Counter(tensor.storage.identity for op in operations for tensor in op.tensors())

    def run(self) -> list[ops.Operation]:
        result: list[ops.Operation] = []
        for op in self._operations:
            joined = self._joined(result[-1], op) if result else None
            if joined is None:
                result.append(op)
            else:
                joined.place = result[-1].place
                result[-1] = joined
        return result

    def _joined(self, first: ops.Operation, second: ops.Operation) -> ops.Operation | None:
        if not isinstance(second, (ops.TensorCopy, ops.Accumulate)) or not isinstance(first, ops.Writing):
            return None
        source, temporary = second.src, first.dst
        only_between = (
            self._uses[temporary.storage.identity] == 2
            and not temporary.storage.places
            and temporary.storage.space != "hbm"
        )
        if not only_between or not _same_mask(first, second) or not whole(source, temporary):
            return None
        if source.dynamic is not None or second.dst.dynamic is not None:
            return None
        dst = second.dst if second.dst.shape == temporary.shape else second.dst.fitted(temporary.shape)
        if dst is None:
            return None
        if isinstance(second, ops.Accumulate):
            if first.where is None and isinstance(first, ops.Matmul) and dst.dtype == np.float32:
                return MatmulAdded(dst=dst, where=None, stationary=first.stationary, moving=first.moving)
            return None
        if isinstance(first, ops.Matmul):
            return (
                dataclasses.replace(first, dst=dst)
                if dst.space == "psum" and dst.dtype == np.float32
                else None
            )
        if (
            not isinstance(first, _BOUND)
            or not self._types_allow(first, temporary, dst)
            or not _may_write(first, dst)
        ):
            return None
        if isinstance(first, ops.DmaCopy) and dst.space != "sbuf":
            return None
        if isinstance(first, (ops.Iota, ops.AffineSelect)) and dst.space != "sbuf":
            return None
        if second.engine == "scalar" and dst.itemsize == 4 and not dtypes.is_float(dst.dtype):
            return None  # Scalar rounds to fp32
        own = getattr(first, "engine", None)
        engine: dict[str, Any] = {} if second.engine == "any" or own is None else {"engine": second.engine}
        if engine and own not in ("any", second.engine):
            return None
        return dataclasses.replace(first, dst=dst, **engine)

    def _types_allow(self, first: ops.Writing, temporary: Tensor, dst: Tensor) -> bool:
        if temporary.dtype == dst.dtype:
            return True
        bits = any(getattr(getattr(first, name, None), "kind", "") == "bits" for name in ("op", "op0"))
        native = getattr(first, "integers", False) or isinstance(first, ops.TensorReduce)
        return (
            isinstance(first, ARITHMETIC)
            and not bits
            and not native
            and temporary.dtype == np.float32
            and dtypes.is_float(dst.dtype)
        )
