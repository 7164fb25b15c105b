"""The Tensor engine: matmuls and transposes."""

from __future__ import annotations

from typing import Any

from .. import context, dtypes, limits, operations
from ..affine import Mask, region_of
from ..errors import NkiError
from ..operands import ON_CHIP, Result, flat, no_extras, same_partitions, tile
from ..tensor import Tensor
from . import engines
from .engines import engine
from .movement import copied, permuted


def _check_columns(function: str, name: str, operand: Tensor, most: int) -> None:
    if operand.elements > most:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit",
            f"{name}{list(operand.shape)} of {function} has {operand.elements} columns, expected at most "
            f"{most}",
        )


def _check_pe_tile(position: Any, size: Any, stationary: Tensor) -> None:
    """Checks the rows and columns of the array that a matmul occupies."""
    if not position and not size:
        return
    if len(tuple(position)) != 2 or len(tuple(size)) != 2:
        raise NkiError(
            "err_argument",
            f"tile_position {position} and tile_size {size} of nc_matmul, expected (row, column) for both",
        )
    if any(value % limits.QUADRANT for value in (*position, *size)):
        raise NkiError(
            "err_argument",
            f"tile_position {tuple(position)} and tile_size {tuple(size)} of nc_matmul, expected multiples "
            f"of {limits.QUADRANT}",
        )
    if min(size) <= limits.QUADRANT and max(size) <= limits.QUADRANT:
        raise NkiError(
            "err_argument",
            f"tile_size {tuple(size)} of nc_matmul, expected more than {limits.QUADRANT} rows or columns",
        )
    if any(at + part > limits.PARTITIONS for at, part in zip(position, size)):
        raise NkiError(
            "err_argument",
            f"tile_position {tuple(position)} and tile_size {tuple(size)} of nc_matmul, expected a part of "
            "the array",
        )
    if stationary.partitions > size[0] or stationary.elements > size[1]:
        raise NkiError(
            "err_argument",
            f"stationary{list(stationary.shape)} of nc_matmul with tile_size {tuple(size)}, expected one "
            "that fits",
        )


def _operand(value: Any, name: str) -> Tensor:
    """Returns a tile in SBUF; a result in PSUM is copied there. Integers of 8 bits become bf16, which holds
    them all.
    """
    is_made_in_psum = isinstance(value, Tensor) and value.storage.boxes is not None
    operand = tile(value, "nc_matmul", name, ("sbuf",) if is_made_in_psum else ON_CHIP)
    if not dtypes.is_integer(operand.dtype) or operand.itemsize != 1:
        return operand
    return copied("nc_matmul", operand, None, dtypes.bfloat16, engine.unknown, {})


def _same_rows(operand: Tensor, other: Tensor) -> Tensor:
    """Returns the partitions of an operand that a mask of the other one, tile[mask], has left."""
    if (
        other.cut_from is None
        or operand.partitions == other.partitions
        or other.cut_from[0][0] != operand.partitions
    ):
        return operand
    part = operand.box((other.cut_from[1][0], *((0, size) for size in operand.shape[1:])))
    part.cut_from = operand.cut_from
    return part


def _is_cut_by(mask: Any, operand: Tensor) -> bool:
    """Returns whether an operand is tile[mask] with a mask of its free dimensions, or with one that holds
    everywhere.
    """
    if not isinstance(mask, Mask) or operand.cut_from is None or mask.used[1:] != operand.cut_from[0][1:]:
        return False
    region = region_of(mask, operand.cut_from[0])
    return region is None or (region.where is None and region.box[1:] == operand.cut_from[1][1:])


def _masked_operand(mask: Any, a: Tensor, b: Tensor) -> int | None:
    """Returns the operand with the free dimensions that a mask names: 0 the stationary, 1 the moving one.

    None means a mask of partitions.
    """
    free = tuple(size for size in getattr(mask, "used", ())[1:] if size != 1)
    if not free:
        return None
    of = [
        at
        for at, operand in enumerate((a, b))
        if free == tuple(size for size in operand.shape[1:] if size != 1)
    ]
    if of and all(region_of(mask, (a, b)[at].shape) is None for at in of):
        return of[0]  # it holds everywhere
    if len(of) != 1 or (of == [0] and a.ndim > 2):
        raise NkiError(
            "err_mask",
            f"a mask of {list(mask.used)} of nc_matmul of {list(a.shape)} and {list(b.shape)}, expected the "
            "free dimensions of one of them; "
            "or masks of operands: stationary[mask]",
        )
    return of[0]


def _product(a: Tensor, b: Tensor, mask: Any) -> tuple[Result, Tensor, Tensor]:
    """Returns the result of a matmul, and the parts of its operands that a mask leaves."""
    shape = (a.elements, *b.shape[1:])
    if any(_is_cut_by(mask, operand) for operand in (a, b)):
        mask = None
    whose = _masked_operand(mask, a, b)
    region = region_of(
        mask, (a.partitions,) + (1,) * (len(shape) - 1) if whose is None else (a, b)[whose].shape
    )
    if region is not None and region.where is not None:
        raise NkiError(
            "err_mask", "a mask of nc_matmul that is no box, expected comparisons of one dimension each"
        )
    part: Any = None if region is None else not region.empty
    if region is not None and not region.empty:
        columns = [tuple((0, size) for size in operand.shape[1:]) for operand in (a, b)]
        if whose is not None:
            columns[whose] = region.box[1:]
            part = region._replace(box=(region.box[1] if whose == 0 else (0, shape[0]), *columns[1]))
        a, b = (operand.box((region.box[0], *free)) for operand, free in zip((a, b), columns))
    result = Result(shape, dtypes.as_dtype(dtypes.float32), part, function="nc_matmul", space="psum")
    if (a.cut_from or b.cut_from) and a.ndim == 2:
        (rows, held_rows), (columns_of, held) = (
            x.cut_from or (x.shape, tuple((0, size) for size in x.shape)) for x in (a, b)
        )
        result.tile.cut_from = ((rows[1], *columns_of[1:]), (held_rows[1], *held[1:]))
    return result, a, b


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
    a, b = _same_rows(a, b), _same_rows(b, a)
    same_partitions("nc_matmul", stationary=a, moving=b)
    _check_columns("nc_matmul", "stationary", a, limits.STATIONARY_COLUMNS)
    _check_columns("nc_matmul", "moving", b, limits.MOVING_COLUMNS)
    for name, operand in (("stationary", a), ("moving", b)):
        if not dtypes.is_float(operand.dtype):
            raise NkiError(
                "err_dtype", f"{name} of nc_matmul is {dtypes.name_of(operand.dtype)}, expected a float type"
            )
    _check_pe_tile(tile_position, tile_size, a)
    if is_transpose and a.storage.bits and a.ndim == 2 and b.shape == (a.partitions, a.partitions):
        return _transposed_bits("nc_matmul", a, mask, None, {})
    result, a, b = _product(a, b, mask)
    return result.emit(operations.Matmul, stationary=a, moving=b, is_transpose=is_transpose)


def _transposed_bits(function: str, a: Tensor, mask: Any, dtype: Any, extras: dict[str, Any]) -> Tensor:
    """Transposes integers, also those that are seen as floats, by DMA: the array flushes subnormals and makes
    all NaN alike.
    """
    return permuted(function, a.reshaped((a.partitions, a.elements)), (1, 0), mask, dtype, ON_CHIP, extras)


def in_sbuf(result: Tensor) -> Tensor:
    """Returns a result in SBUF; one in PSUM is copied there, with the part that is written."""
    if result.space == "sbuf":
        return result
    out = Result(
        result.shape, result.dtype, None if result.valid is None else not result.valid.empty, function="copy"
    )
    if result.valid is not None and not result.valid.empty:
        out.tile.storage.bytes.fill()
        out.part, out.tile.valid = out.tile.box(result.valid.box), result.valid
        return out.emit(operations.TensorCopy, src=result.box(result.valid.box))
    return out.emit(operations.TensorCopy, src=result)


def nc_transpose(
    data: Any, *, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **extras: Any
) -> Tensor:
    """data.T, on Tensor (128 x 128 from SBUF to PSUM) or Vector (32 x 32).

    More than 32 x 32 that is asked of Vector is in SBUF as Vector's results are; Tensor has done it.
    """
    return transposed("nc_transpose", data, mask, dtype, engine, extras)


def transposed(function: str, data: Any, mask: Any, dtype: Any, which: Any, extras: dict[str, Any]) -> Tensor:
    a = flat(tile(data, function, "data"))
    name = engines.chosen(which, function, (engine.tensor, engine.vector))
    small = max(a.partitions, a.elements) <= limits.VECTOR_TRANSPOSE
    if name == "any":
        name = "vector" if small else "tensor"
    for_vector = name == "vector" and not small
    if for_vector:
        if not dtypes.is_float(a.dtype):
            return _transposed_bits(function, a, mask, dtype, extras)
        a, name = copied(function, a, None, None, engine.unknown, {}) if a.space == "psum" else a, "tensor"
    if name == "tensor" and a.storage.bits and a.ndim == 2:
        return _transposed_bits(function, a, mask, dtype, extras)
    if name == "tensor":
        if context.current().direct and not for_vector:
            raise NkiError(
                "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel",
                f"{function} on tensor in a kernel that places its tensors, expected nc_matmul with an "
                "identity, or vector_engine",
            )
        _check_columns(function, "data", a, limits.STATIONARY_COLUMNS)
        a = tile(a, function, "data", ("sbuf",))
        if not dtypes.is_float(a.dtype):
            raise NkiError(
                "err_dtype",
                f"data of {function} on tensor is {dtypes.name_of(a.dtype)}, expected a float type",
            )
    shape = (a.elements, a.partitions)
    domain, axes = (a.shape, (1, 0)) if a.ndim == 2 else (a.shape, (None, 0))
    if a.ndim > 2 and any(size != 1 for size in getattr(mask, "used", ())[1:]):
        raise NkiError(
            "err_mask", f"a mask of free dimensions of {function} of {a.describe()}, expected two dimensions"
        )
    result = Result(
        shape,
        a.dtype,
        mask,
        domain=domain,
        axes=axes,
        function=function,
        space="psum" if name == "tensor" else "sbuf",
        extras=extras,
    ).of(a)
    moved = result.emit(operations.Transpose, src=result.cut(a), engine=name)
    moved = in_sbuf(moved) if for_vector else moved
    if dtype is None or dtypes.as_dtype(dtype) == a.dtype:
        return moved
    cast = Result(shape, dtypes.as_dtype(dtype), None, function=function)
    valid = moved.valid
    if valid is not None:
        cast.part, cast.tile.valid = cast.tile.box(valid.box), valid
        moved = moved.box(valid.box)
    return cast.emit(operations.TensorCopy, src=moved)
