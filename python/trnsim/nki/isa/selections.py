"""Selections by predicates and positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import affine, context, dtypes, operations
from ..errors import NkiError
from ..operands import Result, destination, no_extras, not_both_psum, same_partitions, scalar_or_tile, tile
from ..tensor import Tensor

_PREDICATES = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.bool_))


def affine_select(
    pred: Any, on_true_tile: Any, on_false_value: Any, *, mask: Any = None, dtype: Any = None, **extras: Any
) -> Tensor:
    """on_true_tile where a comparison of the position holds, else a constant. It runs on GpSimd.

    A tile in PSUM is copied to SBUF for it.
    """
    a = tile(on_true_tile, "affine_select", "on_true_tile")
    if a.dtype.itemsize == 4 and dtypes.is_integer(a.dtype):
        raise NkiError(
            "err_dtype",
            f"on_true_tile of affine_select is {dtypes.name_of(a.dtype)}, expected a float or an integer of "
            "8 or 16 bits",
        )
    dtypes.of_scalar(on_false_value)
    result = Result(
        a.shape,
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        function="affine_select",
        extras=extras,
    )
    predicate: Any = bool(pred) if isinstance(pred, (bool, np.bool_)) else pred
    if isinstance(pred, affine.Affine):
        predicate = pred > 0
    if isinstance(predicate, affine.Mask):
        predicate = affine.predicate_of(predicate, a.shape)
        if result.runs:
            predicate = affine.cut(predicate, result.region)
    elif not isinstance(predicate, bool):
        raise NkiError(
            "err_mask", f"pred of affine_select is {type(pred).__name__}, expected a comparison of nl.arange"
        )
    return result.emit(
        operations.AffineSelect, src=result.cut(a), predicate=predicate, otherwise=float(on_false_value)
    )


def tensor_copy_predicated(
    *,
    src: Any,
    dst: Any,
    predicate: Any,
    reverse_pred: bool = False,
    mask: Any = None,
    dtype: Any = None,
    **extras: Any,
) -> None:
    """dst = src where the predicate is not 0; other elements keep their values."""
    no_extras("tensor_copy_predicated", extras)
    target, held = (
        destination(dst, "tensor_copy_predicated", "dst"),
        tile(predicate, "tensor_copy_predicated", "predicate"),
    )
    source = scalar_or_tile(src, "tensor_copy_predicated", "src")
    if held.dtype not in _PREDICATES:
        raise NkiError(
            "err_dtype",
            f"predicate of tensor_copy_predicated is {dtypes.name_of(held.dtype)}, expected uint8, uint16 or "
            "uint32",
        )
    tiles = {"dst": target, "predicate": held}
    if isinstance(source, Tensor):
        not_both_psum("tensor_copy_predicated", src=source, predicate=held)
        if source.dtype != target.dtype:
            raise NkiError(
                "err_dtype",
                f"tensor_copy_predicated of {dtypes.name_of(source.dtype)} to "
                f"{dtypes.name_of(target.dtype)}, expected the same type",
            )
        tiles["src"] = source
    same_partitions("tensor_copy_predicated", **tiles)
    fitted: dict[str, Tensor] = {}
    for name, x in tiles.items():
        alike = x if name == "dst" else x.spread(target.shape)
        if alike is None:
            raise NkiError(
                "err_shape",
                f"{name}{list(x.shape)} of tensor_copy_predicated to dst{list(target.shape)}, expected its "
                "shape, or free dimensions of size 1",
            )
        fitted[name] = alike
    region = affine.region_of(mask, target.shape)
    if region is not None:
        if region.empty:
            return
        fitted = {name: x.box(region.box) for name, x in fitted.items()}
    context.emit(
        operations.CopyPredicated(
            dst=fitted["dst"],
            where=None if region is None else region.where,
            src=fitted.get("src", source),
            predicate=fitted["predicate"],
            inverted=reverse_pred,
        )
    )


def sequence_bounds(*, segment_ids: Any, dtype: Any = None, **extras: Any) -> Tensor:
    """For each element, gives the start of its segment and of the next one, on GpSimd; (n, -1) for the
    padding of segment 0.
    """
    a = tile(segment_ids, "sequence_bounds", "segment_ids", ("sbuf",))
    if a.partitions != 1:
        raise NkiError("err_shape", f"segment_ids{list(a.shape)} of sequence_bounds, expected one partition")
    out = a.dtype if dtype is None else dtypes.as_dtype(dtype)
    for name, found in (("segment_ids", a.dtype), ("dtype", out)):
        if found not in (np.float32, np.int32):
            raise NkiError(
                "err_dtype",
                f"{name} of sequence_bounds is {dtypes.name_of(found)}, expected float32 or int32",
            )
    result = Result((1, 2, a.elements), out, None, function="sequence_bounds", extras=extras)
    return result.emit(operations.SequenceBounds, src=a)


def range_select(*args: Any, **options: Any) -> Tensor:
    """Not available: an instruction of NeuronCore-v3."""
    raise NkiError(
        "err_not_available",
        "nki.isa.range_select is of NeuronCore-v3, expected nisa.select_reduce or nisa.affine_select",
    )


def builtin_custom_op(*args: Any, **options: Any) -> Tensor:
    """Not available: operators of a library of the SDK."""
    raise NkiError(
        "err_not_available",
        "nki.isa.builtin_custom_op calls a library of the SDK, which is not part of trnsim",
    )
