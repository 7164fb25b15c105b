"""Operations element by element of more dimensions than an access pattern has: one for each part."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from .. import operations as ops
from ..tensor import Tensor
from .patterns import MAX_AXES, free_steps, merged

_BY_ELEMENT = (
    ops.TensorTensor,
    ops.TensorScalar,
    ops.ScalarTensorTensor,
    ops.Activation,
    ops.Reciprocal,
    ops.Select,
    ops.CopyPredicated,
    ops.TensorCopy,
    ops.Memset,
)


def _tensors(op: ops.Operation) -> dict[str, Tensor]:
    values = {name: getattr(op, name) for name in op.field_names}
    return {name: value for name, value in values.items() if isinstance(value, Tensor)}


def too_many(op: ops.Operation) -> bool:
    """Returns whether operands that can be cut have too many dimensions that are not contiguous."""
    if not isinstance(op, _BY_ELEMENT) or op.dst.ndim <= MAX_AXES + 1:
        return False
    tensors = list(_tensors(op).values())
    if getattr(op, "reduce_cmd", "idle") != "idle" or any(
        x.ndim != op.dst.ndim or x.dynamic is not None for x in tensors
    ):
        return False
    steps = [free_steps(x.broadcast(op.dst.shape))[1:] for x in tensors if x.space != "hbm"]
    return len(merged(op.dst.shape[1:], steps)[0]) > MAX_AXES


def parts(op: ops.Operation) -> Iterator[Any]:
    """Yields the operation at each position of its first free dimension."""
    writing = cast(ops.Writing, op)
    shape = writing.dst.shape
    axis = next(axis for axis in range(1, len(shape)) if shape[axis] > 1)
    for at in range(shape[axis]):
        box = tuple((at, at + 1) if a == axis else (0, size) for a, size in enumerate(shape))
        where = writing.where
        if where is not None:
            where = np.broadcast_to(where, shape)[tuple(slice(*bounds) for bounds in box)]
            if not where.any():
                continue
        cut: dict[str, Any] = {name: x.box(box) for name, x in _tensors(op).items()}
        part = dataclasses.replace(writing, where=where, **cut)
        part.place = op.place
        yield part
