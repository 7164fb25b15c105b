"""Transfers of rows at an index from a tile, which the DMA engines read."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..tensor import Tensor, span
from .patterns import MAX_AXES, merged
from .selection import Selection
from .tiles import DTYPES, SIZES, Tile, View, same_bytes


def _index(s: Selection, index: Tensor) -> Tile:
    """Returns one 32-bit integer for each partition."""
    if index.itemsize != 4:
        index = s.converted(index, np.int32)
    return s.tile(index)._replace(dtype="i32", axes=((1, 1),))


def _transfer(s: Selection, tile: Tensor, hbm: Tensor, method: str, skip: bool, **options: Any) -> None:
    """Transfers between rows in HBM and a tile of their shape and type, in pieces if the pattern has too many
    dimensions.
    """
    storage = hbm.storage
    dimension, index = hbm.dynamic  # type: ignore[misc]
    hbm.check_bounds()
    low, high = span(hbm.starts[dimension], hbm.terms[dimension], hbm.shape)
    rows = (storage.blocks + storage.shape)[dimension] - (high - low)
    if rows < 1:
        raise s.refuse(f"{hbm.describe()} with an index from a tile: no index is in bounds")
    base = s.hbm(hbm)
    if options and base.dtype != DTYPES[hbm.dtype]:
        raise s.refuse(
            f"{hbm.describe()} in hbm viewed as {dtypes.name_of(hbm.dtype)} is added to, expected "
            f"{base.dtype} as it is"
        )
    size = SIZES[base.dtype]
    (_, *tile_steps), (first, *steps) = (
        [*(stride // size for stride in x.steps()[1]), 1] for x in (tile, hbm)
    )
    inner, outer = merged((*hbm.shape[1:], hbm.itemsize // size), [tile_steps, steps])
    if len(inner) > MAX_AXES - 1:
        axis = next(axis for axis in range(1, tile.ndim) if tile.shape[axis] > 1)
        for at in range(tile.shape[axis]):
            box = tuple((at, at + 1) if a == axis else (0, size) for a, size in enumerate(tile.shape))
            _transfer(s, tile.box(box), hbm.box(box), method, skip, **options)
        return
    step = storage.strides[dimension - len(storage.blocks)] // size
    offset = hbm.steps()[0] // size - low * step  # of the first row
    view = View(base, offset, ((rows, step), (tile.partitions, first), *outer))
    part = s.tile(tile)._replace(axes=inner, dtype=base.dtype)
    ends: dict[str, Any] = (
        {"to": part, "source": view} if method == "gather" else {"to": view, "source": part}
    )
    # Rows that are left out keep their contents.
    s.call(
        method,
        **ends,
        index=_index(s, index),
        first=-low,
        skip=skip,
        **options,
        writes=("to",),
        updates=skip and method == "gather",
    )


def gather(s: Selection, dst: Tensor, src: Tensor, skip: bool) -> None:
    """dst in SBUF = rows of src in HBM."""
    if same_bytes(src.dtype, dst.dtype):
        _transfer(s, dst, src, "gather", skip)
        return
    if skip:
        raise s.refuse(
            f"rows of {dtypes.name_of(src.dtype)} that may be left out in a tile of "
            f"{dtypes.name_of(dst.dtype)}, expected the same type"
        )
    passing = s.temporary(dst.shape, src.dtype)
    _transfer(s, passing, src, "gather", skip)
    s.cast(dst, passing)


def scatter(s: Selection, dst: Tensor, src: Tensor, skip: bool, accumulate: bool = False) -> None:
    """Rows of dst in HBM = src on the chip, or += src, row after row."""
    dtype = src.dtype if same_bytes(src.dtype, dst.dtype) else dst.dtype
    _transfer(
        s, s.converted(src, dtype, "sbuf"), dst, "scatter", skip, **({"combine": "add"} if accumulate else {})
    )


class Copy:
    """A copy in HBM of a tile on the chip that is indexed by another: `whole` and its `part`.

    `whole` is as much of the tile as an index may reach.
    """

    def __init__(self, s: Selection, tensor: Tensor) -> None:
        storage = tensor.storage
        if storage.blocks:
            raise s.refuse(
                f"{storage.describe()} with an index from a tile has blocks, expected a single tile"
            )
        assert tensor.dynamic is not None
        dimension = tensor.dynamic.dimension
        kept = s.scratch(storage.shape, storage.dtype).storage
        box = []
        for axis, size in enumerate(storage.shape):
            low, high = span(tensor.starts[axis], tensor.terms[axis], tensor.shape)
            box.append((0, size) if axis == dimension else (low, high + 1))
        self.whole = Tensor.whole(kept).box(tuple(box))
        self.of = Tensor.whole(storage).box(tuple(box))
        self.part = Tensor(kept, tensor.shape, tensor.starts, tensor.terms, tensor.checks, tensor.dynamic)
