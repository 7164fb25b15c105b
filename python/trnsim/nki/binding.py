"""Assignment to a part of a tile: tile[...] = the result of an instruction, another tile or a number."""

from __future__ import annotations

from typing import Any

from . import context, operations
from .affine import Region
from .errors import NkiError
from .operands import destination, dtype_of, tile
from .tensor import Tensor


def same(a: Tensor, b: Tensor) -> bool:
    """Returns whether two tensors are the same elements."""
    return a is b or (a.storage is b.storage and (a.shape, a.starts, a.terms) == (b.shape, b.starts, b.terms))


def carried(region: Region, old: tuple[int, ...], new: tuple[int, ...]) -> Region:
    """Returns a region of a tile in the dimensions of another tile, which differs in dimensions of size 1."""
    if old == new:
        return region
    kept = [bounds for bounds, size in zip(region.box, old) if size != 1]
    if region.where is not None or [size for size in old if size != 1] != [size for size in new if size != 1]:
        raise NkiError(
            "err_mask",
            f"a result of shape {list(old)} with a mask assigned to {list(new)}, expected one shape",
        )
    bounds = iter(kept)
    return Region(tuple((0, 1) if size == 1 else next(bounds) for size in new))


def fit(source: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Returns a source in the shape of its destination, repeated where it has size 1."""
    fitted = source.spread(shape)
    if fitted is None:
        raise NkiError(
            "err_store_dst_shape_smaller_than_other_shape",
            f"{list(source.shape)} assigned to {list(shape)}, expected the same shape or sizes of 1 in the "
            "source",
        )
    return fitted


def target_of(dst: Tensor, value: Tensor) -> Tensor:
    """Returns the part of a destination that a value is for; it is smaller if an operand had a mask."""
    if value.cut_from is None or value.shape == dst.shape or value.cut_from[0] != dst.shape:
        return dst
    return dst.box(value.cut_from[1])


def bind(dst: Tensor, value: Any) -> None:
    """dst[...] = value. Of a result with a mask, only what its instruction has written is assigned."""
    if isinstance(value, Tensor) and same(dst, value):
        return  # += has done the work already
    if dst.storage.void or (isinstance(value, Tensor) and value.storage.void and value.deferred is None):
        return
    if dst.space == "hbm":
        raise NkiError(
            "err_unsupported_memory",
            f"assignment to {dst.describe()} in hbm, expected nl.store or nisa.dma_copy",
        )
    if dst.dynamic is not None or (isinstance(value, Tensor) and value.dynamic is not None):
        raise NkiError(
            "err_copy_dynamic_indirect_indices_not_natively_supported",
            f"assignment of {value.describe() if isinstance(value, Tensor) else value} to {dst.describe()} "
            "with an index from a tile, expected nisa.tensor_copy_dynamic_src or "
            "nisa.tensor_copy_dynamic_dst",
        )
    dst = destination(dst, "assignment", "destination")
    if not isinstance(value, Tensor):
        dtype_of(value)
        context.emit(operations.Memset(dst=dst, where=None, value=value))
        return
    if value.space == "hbm":
        raise NkiError(
            "err_unsupported_memory",
            f"assignment of {value.describe()} in hbm, expected nl.load or nisa.dma_copy",
        )
    if value.deferred is not None:
        value.deferred.bind(dst)
        return
    source, valid = tile(value, "assignment", "source"), value.valid
    dst, where = target_of(dst, value), None
    if valid is not None:
        if valid.empty:
            return
        region = carried(valid, source.shape, dst.shape)
        source, dst, where = source.box(valid.box), dst.box(region.box), region.where
    context.emit(operations.TensorCopy(dst=dst, where=where, src=fit(source, dst.shape)))


def _assign(dst: Tensor, key: Any, value: Any) -> None:
    bind(dst if key is Ellipsis else dst[key], value)


Tensor.__setitem__ = _assign  # type: ignore[method-assign]
