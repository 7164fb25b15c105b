"""Tensors: creation, copies and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import buffers, context, dtypes, memory, operations
from ..affine import region_of
from ..errors import NkiError
from ..isa import elementwise
from ..isa.engines import engine
from ..isa.movement import copied
from ..operands import Result, no_extras, tile
from ..tensor import Tensor


def _shape(shape: Any, what: str = "a tensor") -> tuple[int, ...]:
    return buffers.sizes(shape if isinstance(shape, (tuple, list)) else (shape,), what)


def _check_buffer(buffer: Any) -> None:
    if buffer is not None and not isinstance(buffer, buffers.Buffer):
        raise NkiError(
            "err_argument",
            f"buffer {buffer!r}, expected nl.sbuf, nl.psum, nl.hbm, nl.shared_hbm or a placement of "
            "nki.compiler",
        )


def ndarray(
    shape: Any, dtype: Any, *, buffer: buffers.Buffer | None = None, name: str = "", **extras: Any
) -> Tensor:
    """Makes a tensor that is not initialized, in SBUF unless a buffer is given."""
    no_extras("ndarray", extras)
    _check_buffer(buffer)
    buffer = buffers.sbuf if buffer is None else buffer
    return Tensor.whole(memory.create(_shape(shape), dtypes.as_dtype(dtype), buffer, name))


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any,
    *,
    buffer: buffers.Buffer | None = None,
    name: str = "",
    **extras: Any,
) -> Tensor:
    """Makes a tensor of one value."""
    _check_buffer(buffer)
    if buffer is not None and buffer.space == "hbm":
        raise NkiError(
            "err_hbm_tensor_with_init_value_not_supported",
            "a tensor in hbm with a value, expected nl.ndarray and nl.store",
        )
    placed = buffer is not None and buffer.place is not None and not context.current().automatic_allocation
    if placed and not extras.get("lazy_initialization"):
        raise NkiError(
            "err_tensor_creation_on_scratchpad_with_init_value_not_supported",
            "a tensor with a value where the kernel places it, expected nl.ndarray and nisa.memset",
        )
    dtypes.of_scalar(fill_value)
    tensor = ndarray(shape, dtype, buffer=buffer, name=name, **extras)
    for index in np.ndindex(*tensor.storage.blocks):
        context.emit(
            operations.Memset(
                dst=tensor[tuple(map(int, index))] if index else tensor, where=None, value=fill_value
            )
        )
    return tensor


def zeros(
    shape: Any, dtype: Any, *, buffer: buffers.Buffer | None = None, name: str = "", **extras: Any
) -> Tensor:
    """Makes a tensor of zeros."""
    return full(shape, 0, dtype, buffer=buffer, name=name, **extras)


def ones(
    shape: Any, dtype: Any, *, buffer: buffers.Buffer | None = None, name: str = "", **extras: Any
) -> Tensor:
    """Makes a tensor of ones."""
    return full(shape, 1, dtype, buffer=buffer, name=name, **extras)


def _shape_of(tensor: Tensor) -> tuple[Any, ...]:
    blocks = len(tensor.storage.blocks) if tensor.shape == tensor.storage.blocks + tensor.storage.shape else 0
    return tuple(
        buffers.ParDim(size) if blocks and axis == blocks else size for axis, size in enumerate(tensor.shape)
    )


def empty_like(
    a: Tensor, dtype: Any = None, *, buffer: buffers.Buffer | None = None, name: str = "", **extras: Any
) -> Tensor:
    """Makes a tensor of another's shape and type, not initialized."""
    return ndarray(_shape_of(a), a.dtype if dtype is None else dtype, buffer=buffer, name=name, **extras)


def zeros_like(
    a: Tensor, dtype: Any = None, *, buffer: buffers.Buffer | None = None, name: str = "", **extras: Any
) -> Tensor:
    """Makes a tensor of zeros of another's shape and type."""
    return zeros(_shape_of(a), a.dtype if dtype is None else dtype, buffer=buffer, name=name, **extras)


def shared_constant(constant: Any, dtype: Any = None, **extras: Any) -> Tensor:
    """Makes a tensor in HBM with the contents of an array."""
    no_extras("shared_constant", extras)
    context.current()
    array = np.asarray(constant)
    if dtype is None and array.dtype in (np.float64, np.int64):
        dtype = np.float32 if array.dtype == np.float64 else np.int32
    values = np.ascontiguousarray(
        dtypes.cast(array, array.dtype if dtype is None else dtypes.as_dtype(dtype))
    )
    storage = memory.of_array(values, "constant", mutable=False)
    return Tensor.whole(storage)


def shared_identity_matrix(n: int, dtype: Any = np.uint8, **extras: Any) -> Tensor:
    """Makes a square matrix in HBM with ones on its diagonal."""
    return shared_constant(np.identity(n, np.int8), dtype=dtype, **extras)


def copy(src: Any, *, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Copies a tile."""
    return copied("copy", tile(src, "copy", "src"), mask, dtype, engine.unknown, extras)


def static_cast(input_data: Any, dtype: Any) -> Any:
    """Returns a tile, a number or an array of the host in another type."""
    if isinstance(input_data, Tensor):
        return copy(input_data, dtype=dtype)
    return dtypes.cast(np.asarray(input_data), dtypes.as_dtype(dtype))[()]


def broadcast_to(src: Any, *, shape: Any, **extras: Any) -> Tensor:
    """Repeats a tile to a shape; repeated partitions are a copy."""
    no_extras("broadcast_to", extras)
    a, shape = tile(src, "broadcast_to", "src"), buffers.sizes(shape, "broadcast_to")
    spread = a.broadcast(shape)
    return a if a.shape == shape else copied("broadcast_to", spread, None, None, engine.unknown, {})


def expand_dims(data: Any, axis: Any) -> Tensor:
    """Adds free dimensions of size 1."""
    return tile(data, "expand_dims", "data").expand_dims(axis)


def rand(shape: Any, dtype: Any = np.float32, **extras: Any) -> Tensor:
    """Makes a tile of random numbers, uniform in [0, 1): 24 bits of each draw."""
    draws = Result(_shape(shape, "rand"), np.dtype(np.uint32), None, function="rand", extras=extras).emit(
        operations.Rng
    )
    high = elementwise.tensor_scalar(draws, "shift_right", 8)
    return elementwise.tensor_scalar(high, "multiply", 2.0**-24, dtype=dtype)


def device_print(prefix: str, x: Any, *, mask: Any = None, **extras: Any) -> None:
    """Prints a text and a tile when the operation is executed."""
    no_extras("device_print", extras)
    a = tile(x, "device_print", "x", ("hbm", "sbuf", "psum"))
    region = region_of(mask, a.shape)
    if region is None or not region.empty:
        context.emit(
            operations.DevicePrint(prefix=str(prefix), src=a if region is None else a.box(region.box))
        )


def _broadcast_to(self: Tensor, shape: Any) -> Tensor:
    return broadcast_to(self, shape=shape)


def _astype(self: Tensor, dtype: Any) -> Tensor:
    return copy(self, dtype=dtype)


Tensor.broadcast_to = _broadcast_to  # type: ignore[method-assign]
Tensor.astype = _astype  # type: ignore[method-assign]
