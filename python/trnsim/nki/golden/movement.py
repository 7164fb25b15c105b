"""Copies, constants and prints."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import dtypes
from .. import operations as ops
from ..errors import NkiError
from ..tensor import Tensor
from . import access


class Rows:
    """An operand with an index from a tile: rows of a view that has the whole dimension in front."""

    def __init__(self, tensor: Tensor, skip: bool) -> None:
        dimension, index = tensor.dynamic
        base = tensor.starts[dimension]
        self.size = (tensor.storage.blocks + tensor.storage.shape)[dimension]
        numbers = access.elements(index).reshape(-1).astype(np.int64)
        count = tensor.shape[0]
        numbers = np.broadcast_to(numbers, (count,)) if numbers.size == 1 else numbers
        offsets = {axis: step for axis, step in tensor.terms[dimension]}
        self._reach = [np.arange(size) * offsets.get(axis, 0) for axis, size in enumerate(tensor.shape)]
        rows = base + numbers
        low, high = sum(r.min() for r in self._reach), sum(r.max() for r in self._reach)
        self.valid = (rows + low >= 0) & (rows + high < self.size)
        if not skip and not self.valid.all():
            bad = int(np.argmin(self.valid))
            raise NkiError("err_tensor_access_out_of_bound",
                           f"{tensor.storage.describe()}: access out of bounds, index {int(rows[bad])} of row {bad} in dimension {dimension}, expected 0 to {self.size - 1}")
        self._tensor, self._rows = tensor, rows
        terms = list(tensor.terms)
        starts = list(tensor.starts)
        terms[dimension], starts[dimension] = ((tensor.ndim, 1),), 0
        self._whole = Tensor(tensor.storage, tensor.shape + (self.size,), tuple(starts), tuple(terms))

    def _index(self) -> tuple[np.ndarray, ...]:
        """Positions of the valid rows in the view with the whole dimension at the end."""
        ndim = self._tensor.ndim
        grids = [np.arange(size) for size in self._tensor.shape]
        grids[0] = grids[0][self.valid]
        grids = [g.reshape([-1 if a == axis else 1 for a in range(ndim)]) for axis, g in enumerate(grids)]
        reach = [r[self.valid] if axis == 0 else r for axis, r in enumerate(self._reach)]
        last = self._rows[self.valid].reshape((-1,) + (1,) * (ndim - 1))
        for axis, r in enumerate(reach):
            last = last + r.reshape([-1 if a == axis else 1 for a in range(ndim)])
        return (*grids, last)

    def read(self) -> np.ndarray:
        access.elements(self._whole) if access.options.check_unwritten else None
        return self._whole.array()[self._index()]

    def write(self, values: np.ndarray, accumulate: bool) -> None:
        index = self._index()
        target = self._whole.array()
        values = values[self.valid]
        if accumulate:
            sums = dtypes.to_fp32(target).copy()
            np.add.at(sums, index, dtypes.to_fp32(values))
            target[index] = dtypes.cast(sums[index], target.dtype)
        else:
            target[index] = dtypes.cast(values, target.dtype)
        storage = self._tensor.storage
        storage.writes[0] += 1
        if storage.written is not None:
            for byte in range(storage.dtype.itemsize):
                self._whole.marks(byte)[index] = 1


def _source(op: Any, skip: bool) -> tuple[np.ndarray, Optional[np.ndarray]]:
    """The elements to be copied, and which rows there are."""
    if not isinstance(op.src, Tensor):
        return np.full(op.dst.shape, op.src, np.float32), None
    if op.src.dynamic is None:
        return access.elements(op.src), None
    rows = Rows(op.src, skip)
    return rows.read(), None if rows.valid.all() else rows.valid


def _dma_copy(op: ops.DmaCopy, _: Any) -> None:
    values, valid = _source(op, op.skip_out_of_bounds)
    dst = op.dst
    if dst.dynamic is not None:
        rows = Rows(dst, op.skip_out_of_bounds)
        rows.write(values.reshape(dst.shape), op.accumulate)
    elif valid is not None:
        target = dst.array()
        target[valid] = dtypes.cast(values, dst.dtype)
        access.mark(dst, valid.reshape((-1,) + (1,) * (dst.ndim - 1)))
    elif op.accumulate:
        access.write(op, access.fp32(dst) + dtypes.to_fp32(values))
    else:
        access.write(op, values)


def _tensor_copy(op: ops.TensorCopy, _: Any) -> None:
    values, _rows = _source(op, False)
    if op.dst.dynamic is not None:
        Rows(op.dst, False).write(values.reshape(op.dst.shape), False)
        return
    if op.engine == "scalar" and values.dtype == op.dst.dtype and dtypes.is_integer(values.dtype):
        values = dtypes.to_fp32(values)  # the Scalar engine copies through fp32
    access.write(op, values)


def _dma_transpose(op: ops.DmaTranspose, _: Any) -> None:
    access.write(op, access.elements(op.src).transpose(op.axes))


def _memset(op: ops.Memset, _: Any) -> None:
    value = op.value
    exact = isinstance(value, (int, np.integer)) and dtypes.is_integer(op.dst.dtype) and op.dst.dtype != bool
    access.write(op, np.asarray(value).astype(op.dst.dtype) if exact else np.float32(value))


def _iota(op: ops.Iota, _: Any) -> None:
    values = op.expression.values().astype(np.int32)
    access.write(op, np.broadcast_to(values, op.dst.shape) if values.ndim == op.dst.ndim else values)


def _print(op: ops.DevicePrint, _: Any) -> None:
    print(op.prefix, access.elements(op.src))


HANDLERS = {ops.DmaCopy: _dma_copy, ops.TensorCopy: _tensor_copy, ops.DmaTranspose: _dma_transpose, ops.Memset: _memset, ops.Iota: _iota,
            ops.DevicePrint: _print}
