"""Transfers between HBM and the chip, and matmuls and transposes of the language."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import context, dtypes, operations
from ..alu import alu_op
from ..errors import NkiError
from ..isa import elementwise, matmul as isa_matmul
from ..isa.engines import engine, oob_mode
from ..isa.movement import copied, end, loaded, oob, permuted, transfer
from ..limits import VECTOR_TRANSPOSE
from ..operands import ON_CHIP, Result, flat, no_extras, rank, same_partitions, tile
from ..tensor import Tensor


def load(src: Any, *, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Returns a tile in SBUF with the contents of a tensor in HBM.

    `mode` says what an index from a tile does outside of its dimension.
    """
    return loaded("load", src, mask, dtype, extras)


def store(dst: Any, value: Any, *, mask: Any = None, **extras: Any) -> None:
    """Writes a tile or a number to HBM."""
    mode = oob(extras, "store")
    no_extras("store", extras)
    target = end(dst, "store", "dst", ("hbm",))
    if isinstance(value, Tensor):
        value = tile(value, "store", "value")
        if value.space == "psum":
            value = copied("store", value, None, None, engine.unknown, {})
    else:
        dtypes.of_scalar(value)
    transfer("store", target, value, mask, skip=mode == oob_mode.skip)


def load_transpose2d(src: Any, *, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Returns a tile in SBUF with the transpose of a tensor in HBM."""
    a = flat(tile(src, "load_transpose2d", "src", ("hbm",)))
    if a.ndim != 2:
        raise NkiError(
            "err_exceed_max_supported_dimension",
            f"src{list(a.shape)} of load_transpose2d, expected 2 dimensions",
        )
    return permuted("load_transpose2d", a, (1, 0), mask, dtype, ("hbm",), extras)


def atomic_rmw(dst: Any, value: Any, op: Any, *, mask: Any = None, **extras: Any) -> None:
    """dst = op(dst, value) in HBM, at an index from a tile."""
    no_extras("atomic_rmw", extras)
    target = end(dst, "atomic_rmw", "dst", ("hbm",))
    if target.dynamic is None:
        raise NkiError("err_index", f"dst {target.describe()} of atomic_rmw, expected an index from a tile")
    if alu_op(op, "atomic_rmw").name != "add":
        raise NkiError("err_argument", f"op of atomic_rmw is {alu_op(op, 'atomic_rmw').name}, expected add")
    if isinstance(value, Tensor):
        value = tile(value, "atomic_rmw", "value", ("sbuf",))
    else:
        value = elementwise.memset(target.shape, value, target.dtype)
    transfer("atomic_rmw", target, value, mask, accumulate=True)


def gather_flattened(
    data: Any, indices: Any, *, mask: Any = None, dtype: Any = None, **extras: Any
) -> Tensor:
    """Gathers in each partition the elements of data at indices into its flattened free dimensions."""
    a, at = tile(data, "gather_flattened", "data"), tile(indices, "gather_flattened", "indices")
    same_partitions("gather_flattened", data=a, indices=at)
    if at.dtype != np.uint32:
        raise NkiError(
            "err_dtype", f"indices of gather_flattened are {dtypes.name_of(at.dtype)}, expected uint32"
        )
    for name, operand in (("data", a), ("indices", at)):
        if rank(operand) > 4:
            raise NkiError(
                "err_exceed_max_supported_dimension",
                f"{name}{list(operand.shape)} of gather_flattened, expected at most 4 dimensions "
                "without those of size 1",
            )
    result = Result(
        at.shape,
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        function="gather_flattened",
        extras=extras,
    )
    if not result.runs:
        return result.tile
    rows = (0, a.partitions) if result.region is None else result.region.box[0]
    part = a.box((rows, *tuple((0, size) for size in a.shape[1:])))
    return result.emit(operations.GatherFlattened, src=part, index=result.cut(at))


def transpose(x: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """Transposes a tile, in SBUF."""
    a = flat(tile(x, "transpose", "x"))
    if a.ndim > 2:
        raise NkiError(
            "err_exceed_max_supported_dimension", f"x{list(a.shape)} of transpose, expected 2 dimensions"
        )
    small = max(a.shape) <= VECTOR_TRANSPOSE
    if not small and not dtypes.is_float(a.dtype):  # neither Vector nor Tensor transposes this
        return permuted("transpose", a, (1, 0), mask, dtype, ON_CHIP, extras)
    if a.space == "psum" and not small:
        a = copied("transpose", a, None, None, engine.unknown, {})
    moved = isa_matmul.transposed("transpose", a, mask, dtype, engine.unknown, extras)
    return isa_matmul.in_sbuf(moved)


def matmul(x: Any, y: Any, *, transpose_x: bool = False, mask: Any = None, **extras: Any) -> Tensor:
    """x @ y in PSUM, or x.T @ y with transpose_x; without it x is transposed first."""
    no_extras("matmul", extras)
    a = tile(x, "matmul", "x", ("sbuf",))
    if not transpose_x:
        if context.current().direct:
            raise NkiError(
                "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel",
                "matmul without transpose_x=True in a kernel that places its tensors, expected x transposed",
            )
        a = transpose(a)
    return isa_matmul.nc_matmul(a, y, mask=mask)
