"""Selections by predicates, and the eight largest."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..affine import Comparison
from ..tensor import Tensor
from . import access


def _copy_predicated(op: ops.CopyPredicated, _: Any) -> None:
    held = (access.elements(op.predicate) != 0) != op.inverted
    held = held.reshape(op.dst.shape)
    if op.where is not None:
        held = held & op.where
    values = (
        access.elements(op.src).reshape(op.dst.shape)
        if isinstance(op.src, Tensor)
        else dtypes.of_number(op.src, op.dst.dtype)
    )
    access.store(op.dst, values, held)


def _affine_select(op: ops.AffineSelect, _: Any) -> None:
    held = op.predicate.values() if isinstance(op.predicate, Comparison) else np.bool_(op.predicate)
    values = access.elements(op.src)
    otherwise = dtypes.cast(np.asarray(op.otherwise, np.float32), op.dst.dtype)
    access.write(op, np.where(held, dtypes.cast(values, op.dst.dtype), otherwise))


def _select(op: ops.Select, _: Any) -> None:
    dtype, predicate = op.dst.dtype, access.elements(op.predicate)
    a, b = (
        dtypes.cast(access.elements(x), dtype) if isinstance(x, Tensor) else dtypes.of_number(x, dtype)
        for x in (op.a, op.b)
    )
    access.write(op, np.where(dtypes.cast(predicate, np.dtype(bool)), a, b))


def _max8(op: ops.Max8, _: Any) -> None:
    values = access.by_partition(op.src)
    largest = np.partition(values, values.shape[1] - 8, axis=1)[:, -8:]
    access.write(op, np.sort(largest, axis=1)[:, ::-1])


def _first(data: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns for each row whether it has a value, and the place of its first occurrence."""
    equal = data == value[:, None]
    return equal.any(axis=1), equal.argmax(axis=1)


def _find_index8(op: ops.FindIndex8, _: Any) -> None:
    data, values = access.by_partition(op.src), access.by_partition(op.values)
    absent = np.iinfo(op.dst.dtype).max
    columns = [np.where(found, at, absent) for found, at in (_first(data, values[:, k]) for k in range(8))]
    access.write(op, np.stack(columns, axis=1).astype(op.dst.dtype))


def _match_replace8(op: ops.MatchReplace8, _: Any) -> None:
    data, values = access.by_partition(op.src).copy(), access.by_partition(op.values)
    rows = np.arange(data.shape[0])
    indices = np.zeros((data.shape[0], 8), np.uint32)
    for k in range(8):
        found, at = _first(data, values[:, k])
        data[rows[found], at[found]] = np.float32(op.replacement)
        indices[found, k] = at[found]
    access.write(op, data)
    if op.indices is not None:
        access.store(op.indices, indices.reshape(op.indices.shape))


HANDLERS = {
    ops.CopyPredicated: _copy_predicated,
    ops.AffineSelect: _affine_select,
    ops.Select: _select,
    ops.Max8: _max8,
    ops.FindIndex8: _find_index8,
    ops.MatchReplace8: _match_replace8,
}
