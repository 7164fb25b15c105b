"""Reading and writing operands."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .. import dtypes
from ..errors import NkiError
from ..tensor import Tensor


def elements(tensor: Tensor) -> np.ndarray:
    """Returns a view of an operand's elements in their own type."""
    return tensor.array()


def check_marks(marks: np.ndarray, what: str) -> None:
    """Raises NkiError for elements with marks of 0."""
    if not marks.all():
        first = [int(i) for i in np.argwhere(marks == 0)[0]]
        raise NkiError(
            "err_read_of_unwritten_memory",
            f"{what}: {int((marks == 0).sum())} elements are read that nothing has written, the first at "
            f"{first}",
        )


def fp32(operand: Any) -> Any:
    """Returns a tensor's elements, or a number, as fp32."""
    if isinstance(operand, Tensor):
        return dtypes.to_fp32(elements(operand))
    return np.float32(operand)


def by_partition(tensor: Tensor) -> np.ndarray:
    """Returns fp32 elements as [partitions, elements]."""
    values: np.ndarray = fp32(tensor)
    return values if values.ndim == 2 else values.reshape(values.shape[0], -1)


def mark(dst: Tensor, where: np.ndarray | None = None) -> None:
    """Notes that elements are written."""
    dst.storage.bytes.writes += 1
    if dst.storage.bytes.written is not None:
        for byte in range(dst.itemsize):
            np.copyto(cast(np.ndarray, dst.marks(byte)), 1, where=True if where is None else where)


def write(operation: Any, values: Any) -> None:
    """Writes the result of an operation, cast to the type of its destination."""
    dst = operation.dst
    store(dst, values, operation.where)


def write_bits(operation: Any, values: np.ndarray) -> None:
    """Writes the result of a bit operation, which keeps its bits in another type of its size."""
    dtype = operation.dst.dtype
    write(
        operation, values.view(dtype) if dtype.itemsize == values.itemsize and dtype != np.bool_ else values
    )


def store(dst: Tensor, values: Any, where: np.ndarray | None = None) -> None:
    values = np.asarray(values)
    if values.dtype != dst.dtype:
        values = dtypes.cast(values, dst.dtype)
    if where is None and dst.shape == dst.storage.shape and dst.storage.bytes.adopt(values):
        mark(dst)
        return
    target = dst.array()
    if values.shape != target.shape and values.ndim and values.size == target.size:
        values = values.reshape(target.shape)
    if where is None:
        target[...] = values
    else:
        np.copyto(target, values, where=where)
    mark(dst, where)
