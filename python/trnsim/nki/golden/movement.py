"""Copies, constants and prints."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..context import options
from ..errors import NkiError
from ..tensor import Tensor, span
from . import access


class Rows:
    """The place in its storage of each element of an operand with an index from a tile."""

    def __init__(self, tensor: Tensor, skip: bool) -> None:
        self._storage = tensor.storage
        assert tensor.dynamic is not None
        dimension, index = tensor.dynamic
        size = (tensor.storage.blocks + tensor.storage.shape)[dimension]
        numbers = np.broadcast_to(access.elements(index).reshape(-1).astype(np.int64), tensor.shape[:1])
        low, high = span(tensor.starts[dimension], tensor.terms[dimension], tensor.shape)
        self.valid = (numbers + low >= 0) & (numbers + high < size)
        if not skip and not self.valid.all():
            row = int(np.argmin(self.valid))
            raise NkiError(
                "err_tensor_access_out_of_bound",
                f"{tensor.storage.describe()}: access out of bounds, index {int(numbers[row]) + low} "
                f"of row {row} in dimension {dimension}, expected 0 to {size - 1}",
            )
        tensor.check_bounds()
        offset, strides = tensor.steps()
        places = np.zeros(tensor.shape, np.int64)
        for axis, (count, stride) in enumerate(zip(tensor.shape, strides)):
            places += (np.arange(count) * stride).reshape((-1,) + (1,) * (tensor.ndim - axis - 1))
        places += (numbers * tensor.storage.strides[dimension - len(tensor.storage.blocks)]).reshape(
            (-1,) + (1,) * (tensor.ndim - 1)
        )
        self._first = offset % tensor.itemsize
        self._places = (places[self.valid] + offset - self._first) // tensor.itemsize

    def _flat(self) -> np.ndarray:
        count = (self._storage.raw.size - self._first) // self._storage.dtype.itemsize
        return np.ndarray((count,), self._storage.dtype, self._storage.raw, self._first)

    def read(self) -> np.ndarray:
        written = self._storage.bytes.written
        if options.check_unwritten and written is not None:
            access.check_marks(
                written[self._places * self._storage.dtype.itemsize + self._first], self._storage.describe()
            )
        return self._flat()[self._places]

    def write(self, values: np.ndarray, accumulate: bool) -> None:
        flat, values = self._flat(), values[self.valid]
        if accumulate:
            at, number = np.unique(self._places, return_inverse=True)
            sums = dtypes.to_fp32(flat[at])
            np.add.at(sums, number.reshape(values.shape), dtypes.to_fp32(values))
            flat[at] = dtypes.cast(sums, flat.dtype)
        else:
            flat[self._places] = dtypes.cast(values, flat.dtype)
        self._storage.bytes.writes += 1
        if self._storage.bytes.written is not None:
            for byte in range(flat.itemsize):
                self._storage.bytes.written[self._places * flat.itemsize + self._first + byte] = 1


def _source(op: Any, skip: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Returns the elements to be copied, and a mask of the rows that exist."""
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
    access.write(op, dtypes.of_number(op.value, op.dst.dtype))


def _iota(op: ops.Iota, _: Any) -> None:
    values = op.expression.values().astype(np.int32)
    access.write(op, np.broadcast_to(values, op.dst.shape) if values.ndim == op.dst.ndim else values)


def _print(op: ops.DevicePrint, _: Any) -> None:
    print(op.prefix, access.elements(op.src))


HANDLERS = {
    ops.DmaCopy: _dma_copy,
    ops.TensorCopy: _tensor_copy,
    ops.DmaTranspose: _dma_transpose,
    ops.Memset: _memset,
    ops.Iota: _iota,
    ops.DevicePrint: _print,
}
