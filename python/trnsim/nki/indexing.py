"""Indexing of tensors: basic (integers, slices, nl.ds, ...), affine (nl.arange, nl.mgrid), and with indices
from a tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from . import dtypes
from .affine import Affine, Grid, Mask, NotAffine, region_of, together
from .errors import NkiError
from .loops import LoopIndex
from .tensor import Check, Dynamic, Tensor, Terms

#: Steps of the dimensions of a storage along the first dimensions of a tensor.
_AXES: tuple[Terms, ...] = tuple(((axis, 1),) for axis in range(32))
_WHOLE = (slice(None),) * 32


class Part(NamedTuple):
    """The index of one dimension: a start, and steps along dimensions of the result."""

    start: int
    terms: Terms


class DynamicIndex(NamedTuple):
    """A tile's elements as indices, plus an affine expression."""

    tile: Tensor
    added: Any

    def __add__(self, other: Any) -> DynamicIndex:
        return DynamicIndex(self.tile, self.added + other)

    def __radd__(self, other: Any) -> DynamicIndex:
        return DynamicIndex(self.tile, self.added + other)


def ds(start: int, size: int) -> slice:
    """Returns the index of `size` positions from `start` on."""
    return slice(start, start + size)


def _is_integer(key: Any) -> bool:
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def _is_advanced(key: Any) -> bool:
    return isinstance(key, (Affine, Tensor, DynamicIndex))


def _expanded(tensor: Tensor, keys: tuple[Any, ...]) -> list[Any]:
    """Returns a key for each dimension."""
    dots = [at for at, key in enumerate(keys) if key is Ellipsis]
    missing = tensor.ndim - (len(keys) - len(dots))
    if len(dots) > 1:
        raise NkiError("err_index", f"{len(dots)} times ... in an index of {tensor.describe()}, expected one")
    if missing < 0:
        raise NkiError(
            "err_index", f"{len(keys)} indices of {tensor.describe()}, expected at most {tensor.ndim}"
        )
    at = dots[0] if dots else len(keys)
    return [*keys[:at], *[slice(None)] * missing, *keys[at + len(dots) :]]


def _range(tensor: Tensor, axis: int, key: slice) -> range:
    bounds = []
    for bound, default in ((key.start, 0), (key.stop, tensor.shape[axis]), (key.step, 1)):
        if bound is not None and not _is_integer(bound):
            raise NkiError(
                "err_index",
                f"slice with {type(bound).__name__} in dimension {axis} of {tensor.describe()}, expected "
                "integers",
            )
        bounds.append(default if bound is None else int(bound))
    if bounds[1] < 0:
        raise NkiError(
            "err_tensor_access_out_of_bound",
            f"{tensor.describe()}: slice {bounds[0]}:{bounds[1]} of dimension {axis}, expected 0 to "
            f"{tensor.shape[axis]}; "
            "negative numbers do not count from the end",
        )
    if bounds[2] < 1 or bounds[0] >= bounds[1]:
        raise NkiError(
            "err_index",
            f"slice {bounds[0]}:{bounds[1]}:{bounds[2]} in dimension {axis} of {tensor.describe()}, expected "
            "one element or more, upwards",
        )
    return range(*bounds)


def _sliced(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor | None:
    """Handles the most frequent indices: slices within their dimensions, and integers of a whole tensor.

    Returns None for any other index.
    """
    sizes, storage, whole = tensor.shape, tensor.storage, tensor.is_whole
    rank, blocks = len(sizes), len(storage.blocks)
    if len(keys) > rank:
        return None
    if (
        len(keys) == blocks
        and whole
        and storage.space != "hbm"
        and all(type(key) in (int, LoopIndex) and 0 <= key < size for key, size in zip(keys, sizes))
    ):
        count = rank - blocks
        return Tensor(
            storage, sizes[blocks:], (*map(int, keys), *[0] * count), ((),) * blocks + _AXES[:count]
        )
    keys += _WHOLE[len(keys) : rank]
    first = rank if storage.space == "hbm" else blocks
    shape: list[int] = []
    bounds, starts, terms = [], [], []
    for axis, (key, size) in enumerate(zip(keys, sizes)):
        if type(key) is slice:
            low, high = key.start, key.stop
            low, high = 0 if low is None else low, size if high is None else high
            if key.step is not None or not (
                isinstance(low, int) and isinstance(high, int) and 0 <= low < high <= size
            ):
                return None
            bounds.append((low, high))
            starts.append(low)
            terms.append(_AXES[len(shape)])
            shape.append(high - low)
        elif whole and type(key) in (int, LoopIndex) and 0 <= key < size:
            starts.append(int(key))
            terms.append(())
            if axis == first:
                shape.append(1)
            elif axis > first and not any(type(k) is slice for k in keys[first + 1 :]):
                return None
        else:
            return None
    if len(bounds) == rank:
        return tensor.box(tuple(bounds))
    return Tensor(storage, tuple(shape), tuple(starts), tuple(terms))


def select(tensor: Tensor, key: Any) -> Tensor:
    """Returns tensor[key]."""
    keys = key if isinstance(key, tuple) else (key,)
    part = _sliced(tensor, keys)
    if part is not None:
        return part
    if any(isinstance(k, Grid) for k in keys):
        keys = tuple(part for k in keys for part in (k if isinstance(k, Grid) else (k,)))
    if any(k is None for k in keys) and not any(map(_is_advanced, keys)):
        return _with_new_axes(tensor, keys)
    for k in keys:
        if isinstance(k, NotAffine):
            k.refuse()
        if not (_is_integer(k) or _is_advanced(k) or isinstance(k, slice) or k is Ellipsis):
            raise NkiError(
                "err_index",
                f"index {k!r} of {tensor.describe()}, expected an integer, a slice, nl.ds, nl.arange or "
                "nl.mgrid",
            )
    if not any(map(_is_advanced, keys)):
        return _basic(tensor, _expanded(tensor, keys))
    if not any(isinstance(k, Affine) for k in keys) and all(
        _tile_of(k).elements == 1 for k in keys if _is_advanced(k)
    ):
        keys = _without_slices(tensor, _expanded(tensor, keys))
    if any(isinstance(k, slice) or k is Ellipsis for k in keys):
        raise NkiError(
            "err_unsupported_mixing_basic_advanced_tensor_indexing",
            f"slices and nl.arange or nl.mgrid in one index of {tensor.describe()}, expected one of the two",
        )
    if len(keys) < tensor.ndim and set(tensor.shape[len(keys) :]) == {1}:
        keys += (0,) * (tensor.ndim - len(keys))
    if len(keys) != tensor.ndim:
        raise NkiError(
            "err_index",
            f"{len(keys)} indices of {tensor.describe()}, expected {tensor.ndim} beside nl.arange or "
            "nl.mgrid",
        )
    return _advanced(tensor, keys)


def _tile_of(key: Tensor | DynamicIndex) -> Tensor:
    return key.tile if isinstance(key, DynamicIndex) else key


def _without_slices(tensor: Tensor, keys: list[Any]) -> tuple[Any, ...]:
    """Turns slices beside an index of one element a partition into affine indices.

    Each becomes what nl.arange makes, along a dimension of its own.
    """
    slices = [axis for axis, key in enumerate(keys) if isinstance(key, slice)]
    # the partitions are those of the tile
    along = any(_is_advanced(key) and _tile_of(key).partitions > 1 for key in keys)
    # Beside an index of a single element, one slice is that of the partitions if the element's dimension
    # comes after it.
    before = along or (len(slices) == 1 and any(map(_is_advanced, keys[: slices[0]])))
    rank = max(2, len(slices) + along)
    for place, axis in enumerate(slices, start=int(before)):
        found = _range(tensor, axis, keys[axis])
        shape, steps = [1] * rank, [0] * rank
        shape[place], steps[place] = len(found), found.step if len(found) > 1 else 0
        keys[axis] = Affine(tuple(shape), found.start, tuple(steps))
    return tuple(keys)


def _item(tensor: Tensor, key: Any) -> Tensor:
    """Returns tensor[key]; a comparison of loop variables alone is a bool."""
    if isinstance(key, (bool, np.bool_)):
        return tensor if key else tensor.emptied()
    if isinstance(key, Mask):
        region = region_of(key, tensor.shape)
        if region is not None and region.where is not None:
            raise NkiError(
                "err_mask", "a mask that is no box as an index, expected comparisons of one dimension each"
            )
        if region is None:
            return tensor
        if region.empty:
            return tensor.emptied()
        part = tensor.box(region.box)
        part.cut_from = (tensor.shape, region.box)
        return part
    return select(tensor, key)


Tensor.__getitem__ = _item  # type: ignore[method-assign]


def _with_new_axes(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor:
    """Indexes with None, a new dimension of size 1.

    On the chip it comes after the partitions; None stands beside slices only.
    """
    given = [key for key in keys if key is not None]
    full = _expanded(tensor, tuple(given))
    part = select(tensor, tuple(given))
    whole = sum(not isinstance(key, slice) for key in full) == tensor.ndim - part.ndim
    places, axis = [], 0
    for key in keys:
        if key is None:
            places.append(axis)
        elif key is Ellipsis:
            axis += tensor.ndim - (len(given) - 1) - 1
        if key is None or not _is_integer(key):
            axis += 1
    if not whole or (tensor.space != "hbm" and 0 in places):
        raise NkiError(
            "err_index",
            f"index None among {keys} of {tensor.describe()}, expected it after the partitions, beside "
            "slices",
        )
    return part.widened(tuple(places))


def _partition_axis(tensor: Tensor) -> int:
    """Returns the first dimension that is not one of blocks."""
    blocks = {axis for terms in tensor.terms[: len(tensor.storage.blocks)] for axis, _ in terms}
    return next((axis for axis in range(tensor.ndim) if axis not in blocks), tensor.ndim)


def _kept(tensor: Tensor, keys: list[Any]) -> Iterator[bool]:
    """Yields whether each dimension stays. In a tile, integers leave the partitions and at least one free
    dimension.
    """
    free = 0
    first = tensor.ndim if tensor.space == "hbm" else _partition_axis(tensor)
    slices = sum(isinstance(key, slice) for key in keys[first + 1 :])
    for axis, key in enumerate(keys):
        if isinstance(key, slice):
            yield True
        elif axis > first and slices == 0 and free == 0:
            free += 1
            yield True
        else:
            yield axis == first


def _basic(tensor: Tensor, keys: list[Any]) -> Tensor:
    parts: list[Part] = []
    shape: list[int] = []
    for axis, (key, kept) in enumerate(zip(keys, _kept(tensor, keys))):
        if isinstance(key, slice):
            found = _range(tensor, axis, key)
            parts.append(Part(found.start, ((len(shape), found.step),)))
            shape.append(len(found))
        else:
            parts.append(Part(int(key), ()))
            if kept:
                shape.append(1)
    return _composed(tensor, tuple(shape), parts, None)


def _index_tile(tile: Tensor) -> Tensor:
    if tile.space != "sbuf" or not dtypes.is_integer(tile.dtype):
        raise NkiError("err_index", f"{tile!r} as an index, expected a tile of integers in SBUF")
    if tile.elements != 1:
        raise NkiError(
            "err_indirect_indices_free_dim",
            f"{tile.describe()} as an index, expected one element a partition (nl.arange, not nl.mgrid)",
        )
    return tile


def _advanced(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor:
    expressions: list[Any] = []
    dynamic: tuple[int, Tensor] | None = None
    for axis, key in enumerate(keys):
        if isinstance(key, (Tensor, DynamicIndex)):
            if dynamic is not None:
                raise NkiError("err_index", f"two indices of {tensor.describe()} are tiles, expected one")
            tile, offset = (key.tile, key.added) if isinstance(key, DynamicIndex) else (key, 0)
            dynamic = (axis, _index_tile(tile))
            expressions.append(offset)
        else:
            expressions.append(key)
    shape: tuple[int, ...] = ()
    for expression in expressions:
        if isinstance(expression, Affine):
            if expression.ndim < 2:
                raise NkiError(
                    "err_1d_arange_not_supported",
                    f"index of {tensor.describe()} with nl.arange of one dimension, expected new axes: "
                    "nl.arange(n)[:, None]",
                )
            if shape != expression.used:
                shape = (
                    together((shape, expression.used))
                    if len(shape) in (0, expression.ndim)
                    else _mismatch(tensor, shape, expression.shape)
                )
    if dynamic is not None:
        rank = max(len(shape), 2)
        column = (dynamic[1].partitions,) + (1,) * (rank - 1)
        shape = np.broadcast_shapes(shape or (1,) * rank, column)
    parts = []
    for expression in expressions:
        if isinstance(expression, Affine):
            parts.append(
                Part(
                    expression.offset,
                    tuple((axis, step) for axis, step in enumerate(expression.coefficients) if step),
                )
            )
        else:
            parts.append(Part(int(expression), ()))
    return _composed(tensor, shape, parts, dynamic)


def _mismatch(tensor: Tensor, a: tuple[int, ...], b: tuple[int, ...]) -> Any:
    raise NkiError(
        "err_shape", f"index shapes {a} and {b} of {tensor.describe()}, expected as many dimensions"
    )


def _through(start: int, terms: Terms, parts: list[Part]) -> tuple[int, Terms]:
    """Returns an index in terms of the new dimensions."""
    steps: dict[int, int] = {}
    for axis, step in terms:
        start += step * parts[axis].start
        for new, inner in parts[axis].terms:
            steps[new] = steps.get(new, 0) + step * inner
    return start, tuple((axis, step) for axis, step in steps.items() if step)


def _composed(
    tensor: Tensor, shape: tuple[int, ...], parts: list[Part], dynamic: tuple[int, Tensor] | None
) -> Tensor:
    checks = [Check(c.size, *_through(c.start, c.terms, parts), c.dimension) for c in tensor.checks]
    for axis, (part, size) in enumerate(zip(parts, tensor.shape)):
        low = high = part.start
        for new, step in part.terms:
            reach = step * (shape[new] - 1)
            low, high = low + min(0, reach), high + max(0, reach)
        if low < 0 or high >= size:
            checks.append(Check(size, part.start, part.terms, axis))
    pairs = (
        parts
        if tensor.is_whole
        else [_through(start, terms, parts) for start, terms in zip(tensor.starts, tensor.terms)]
    )
    moved = tensor.dynamic
    if dynamic is not None:
        axis, tile = dynamic
        at = [d for d, terms in enumerate(tensor.terms) if terms == ((axis, 1),)]
        if moved is not None or len(at) != 1:
            raise NkiError(
                "err_index",
                f"a tile as index {axis} of {tensor.describe()}, expected a dimension of the whole tensor",
            )
        moved = Dynamic(at[0], tile)
    return Tensor(
        tensor.storage, shape, tuple(p[0] for p in pairs), tuple(p[1] for p in pairs), tuple(checks), moved
    )
