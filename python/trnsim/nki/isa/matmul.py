"""The Tensor engine: matmuls and transposes."""

from __future__ import annotations

from typing import Any

from .. import context, dtypes, limits, operations
from ..affine import region_of
from ..errors import NkiError
from ..operands import ON_CHIP, Result, no_extras, same_partitions, tile
from ..tensor import Tensor
from . import engines
from .engines import engine
from .movement import permuted


def _check_columns(function: str, name: str, operand: Tensor, most: int) -> None:
    if operand.elements > most:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit",
            f"{name}{list(operand.shape)} of {function} has {operand.elements} columns, expected at most {most}",
        )


def _check_pe_tile(position: Any, size: Any, stationary: Tensor) -> None:
    """Rows and columns of the array that a matmul occupies."""
    if not position and not size:
        return
    if len(tuple(position)) != 2 or len(tuple(size)) != 2:
        raise NkiError("err_argument", f"tile_position {position} and tile_size {size} of nc_matmul, expected (row, column) for both")
    if any(value % limits.QUADRANT for value in (*position, *size)):
        raise NkiError(
            "err_argument",
            f"tile_position {tuple(position)} and tile_size {tuple(size)} of nc_matmul, expected multiples of {limits.QUADRANT}",
        )
    if min(size) <= limits.QUADRANT and max(size) <= limits.QUADRANT:
        raise NkiError("err_argument", f"tile_size {tuple(size)} of nc_matmul, expected more than {limits.QUADRANT} rows or columns")
    if any(at + part > limits.PARTITIONS for at, part in zip(position, size)):
        raise NkiError(
            "err_argument",
            f"tile_position {tuple(position)} and tile_size {tuple(size)} of nc_matmul, expected a part of the array",
        )
    if stationary.partitions > size[0] or stationary.elements > size[1]:
        raise NkiError(
            "err_argument", f"stationary{list(stationary.shape)} of nc_matmul with tile_size {tuple(size)}, expected one that fits"
        )


def _operand(value: Any, name: str) -> Tensor:
    """A tile in SBUF, or a result in PSUM, which is copied there."""
    is_made_in_psum = isinstance(value, Tensor) and value.storage.boxes is not None
    return tile(value, "nc_matmul", name, ("sbuf",) if is_made_in_psum else ON_CHIP)


def nc_matmul(
    stationary: Any,
    moving: Any,
    *,
    is_stationary_onezero: bool = False,
    is_moving_onezero: bool = False,
    is_transpose: bool = False,
    tile_position: Any = (),
    tile_size: Any = (),
    mask: Any = None,
    **extras: Any,
) -> Tensor:
    """stationary.T @ moving in PSUM; both have the contraction on the partitions."""
    no_extras("nc_matmul", extras)
    a, b = _operand(stationary, "stationary"), _operand(moving, "moving")
    same_partitions("nc_matmul", stationary=a, moving=b)
    _check_columns("nc_matmul", "stationary", a, limits.STATIONARY_COLUMNS)
    _check_columns("nc_matmul", "moving", b, limits.MOVING_COLUMNS)
    for name, operand in (("stationary", a), ("moving", b)):
        if not dtypes.is_float(operand.dtype):
            raise NkiError("err_dtype", f"{name} of nc_matmul is {dtypes.name_of(operand.dtype)}, expected a float type")
    _check_pe_tile(tile_position, tile_size, a)
    if is_transpose and a.storage.bits and a.ndim == 2 and b.shape == (a.partitions, a.partitions):
        return _transposed_bits("nc_matmul", a, mask, dtypes.as_dtype(dtypes.float32), {})
    shape = (a.elements, *b.shape[1:])
    rows = (a.partitions,) + (1,) * (len(shape) - 1)
    if any(size != 1 for size in getattr(mask, "used", ())[1:]):
        raise NkiError(
            "err_mask",
            "a mask of free dimensions of nc_matmul, whose operands have two of them, expected masks of operands: stationary[mask]",
        )
    region = region_of(mask, rows)
    result = Result(
        shape, dtypes.as_dtype(dtypes.float32), True if region is None or not region.empty else False, function="nc_matmul", space="psum"
    )
    if region is not None and not region.empty:
        low_high = region.box[0]
        a, b = (x.box((low_high,) + tuple((0, size) for size in x.shape[1:])) for x in (a, b))
    return result.emit(operations.Matmul, stationary=a, moving=b, is_transpose=is_transpose)


def _transposed_bits(function: str, a: Tensor, mask: Any, dtype: Any, extras: dict[str, Any]) -> Tensor:
    """The transpose of integers that are seen as floats, by DMA: to the array subnormals are zeros and every NaN is the same."""
    moved = permuted(function, a, (1, 0), mask, dtype, ("sbuf",), extras)
    moved.storage.bits = moved.dtype == a.dtype
    return moved


def nc_transpose(data: Any, *, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **extras: Any) -> Tensor:
    """data.T, on Tensor (128 x 128 from SBUF to PSUM) or Vector (32 x 32)."""
    return transposed("nc_transpose", data, mask, dtype, engine, extras)


def transposed(function: str, data: Any, mask: Any, dtype: Any, which: Any, extras: dict[str, Any]) -> Tensor:
    a = tile(data, function, "data")
    name = engines.chosen(which, function, (engine.tensor, engine.vector))
    small = max(a.partitions, a.elements) <= limits.VECTOR_TRANSPOSE
    if name == "any":
        name = "vector" if small else "tensor"
    if name == "vector" and not small:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit",
            f"data{list(a.shape)} of {function} on vector, expected at most {limits.VECTOR_TRANSPOSE} x {limits.VECTOR_TRANSPOSE}",
        )
    if name == "tensor" and a.storage.bits and a.ndim == 2:
        return _transposed_bits(function, a, mask, dtype, extras)
    if name == "tensor":
        if context.current().direct:
            raise NkiError(
                "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel",
                f"{function} on tensor in a kernel that places its tensors, expected nc_matmul with an identity, or vector_engine",
            )
        _check_columns(function, "data", a, limits.STATIONARY_COLUMNS)
        a = tile(a, function, "data", ("sbuf",))
        if not dtypes.is_float(a.dtype):
            raise NkiError("err_dtype", f"data of {function} on tensor is {dtypes.name_of(a.dtype)}, expected a float type")
    shape = (a.elements, a.partitions)
    domain, axes = (a.shape, (1, 0)) if a.ndim == 2 else (a.shape, (None, 0))
    if a.ndim > 2 and any(size != 1 for size in getattr(mask, "used", ())[1:]):
        raise NkiError("err_mask", f"a mask of free dimensions of {function} of {a.describe()}, expected two dimensions")
    result = Result(
        shape, a.dtype, mask, domain=domain, axes=axes, function=function, space="psum" if name == "tensor" else "sbuf", extras=extras
    )
    moved = result.emit(operations.Transpose, src=result.cut(a), engine=name)
    if dtype is None or dtypes.as_dtype(dtype) == a.dtype:
        return moved
    cast = Result(shape, dtypes.as_dtype(dtype), None, function=function)
    valid = moved.valid
    if valid is not None:
        cast.part, cast.tile.valid = cast.tile.box(valid.box), valid
        moved = moved.box(valid.box)
    return cast.emit(operations.TensorCopy, src=moved)
