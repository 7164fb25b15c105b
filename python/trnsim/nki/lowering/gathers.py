"""Gathers with indices from a tile, made of commands that have another form."""

from __future__ import annotations

import numpy as np

from .. import operations as ops
from ..limits import GATHER_INDICES, GATHER_PARTITIONS
from ..tensor import Tensor
from .movement import copy, fill, widened
from .selection import Selection
from .tiles import DTYPES, GPSIMD_TYPES

_REACH = 1 << 16  # elements of a partition that GpSimd's indices reach


def _rows(tensor: Tensor, first: int = 0, end: int = 0) -> tuple[tuple[int, int], ...]:
    """Returns the box of all partitions and of columns `first` to `end` of a tile with two dimensions."""
    return ((0, tensor.partitions), (first, end or tensor.shape[1]))


def _at_partition_0(s: Selection, tensor: Tensor) -> Tensor:
    """Returns a tile in SBUF with two dimensions that begins at the partition of the gathered elements."""
    flat = s.converted(tensor.reshaped((tensor.partitions, tensor.elements)), tensor.dtype, "sbuf")
    if s.tile(flat).partition == 0:
        return flat
    moved = s.temporary(flat.shape, flat.dtype)
    copy(s, moved, flat)
    return moved


def _data(tensor: Tensor) -> Tensor:
    """Returns elements of a type that GpSimd knows, or their bits in one."""
    return (
        tensor
        if DTYPES[tensor.dtype] in GPSIMD_TYPES
        else tensor.reinterpreted(np.dtype(f"u{tensor.itemsize}"))
    )


def _whole_cores(s: Selection, tensor: Tensor) -> Tensor:
    """Returns a copy with the partitions of whole GpSimd cores; those added hold zeros."""
    flat = _at_partition_0(s, tensor)
    return widened(s, flat, -(-tensor.partitions // GATHER_PARTITIONS) * GATHER_PARTITIONS)


def _gather_flattened(op: ops.GatherFlattened, s: Selection) -> None:
    """Gathers in each core at the indices of its 16 partitions together; each partition keeps its own."""
    if op.src.elements > _REACH:
        raise s.refuse(
            f"gather_flattened of {op.src.elements} elements a partition, expected at most {_REACH}, which "
            "GpSimd's indices reach"
        )
    src, index = _data(_whole_cores(s, op.src)), _whole_cores(s, s.converted(op.index, np.uint16, "sbuf"))
    kept = s.temporary((src.partitions, op.index.elements), src.dtype)
    own = np.arange(src.partitions)[:, None] % GATHER_PARTITIONS == np.arange(GATHER_PARTITIONS)
    held = s.constant(own.astype(np.uint8))
    most = GATHER_INDICES // GATHER_PARTITIONS
    for first in range(0, index.shape[1], most):
        columns = _rows(index, first, min(first + most, index.shape[1]))
        at, part = index.box(columns), kept.box(columns)
        gathered = s.temporary((src.partitions, at.elements, GATHER_PARTITIONS), src.dtype)
        to, groups = (tile._replace(axes=(*tile.axes, (1, 1))) for tile in (s.tile(gathered), s.tile(src)))
        s.call("local_gather", together=True, dst=to, a=groups, index=s.tile(at))
        for lane in range(GATHER_PARTITIONS):
            taken = gathered.box((*_rows(at, 0, at.elements), (lane, lane + 1)))
            predicate = held.box(_rows(held, lane, lane + 1)).broadcast(part.shape)
            dst, a, mask = s.tiles(part, taken, predicate)
            s.call(
                "tensor_copy_predicated", dst=dst, source=a, predicate=mask, inverted=False, updates=lane > 0
            )
    taken = kept.box(_rows(op.dst.reshaped((op.dst.partitions, op.dst.elements))))
    copy(s, op.dst, taken.reinterpreted(op.src.dtype))


def _local_gather(op: ops.LocalGather, s: Selection) -> None:
    """Gathers runs by one command for each element of a run.

    The command's groups stand side by side, but an index of the language is that of any element.
    """
    src, index = _data(_at_partition_0(s, op.src)), _at_partition_0(s, op.index)
    count = op.dst.elements // op.run
    dst = op.dst.reshaped((op.dst.partitions, count, op.run))
    for k in range(op.run):
        a = src.box(((0, src.partitions), (k, src.elements)))
        part = dst.box(((0, dst.partitions), (0, count), (k, k + 1)))
        gathered = s.temporary((dst.partitions, GATHER_PARTITIONS * index.elements), src.dtype)
        to, groups = (tile._replace(axes=(*tile.axes, (1, 1))) for tile in (s.tile(gathered), s.tile(a)))
        s.call("local_gather", together=True, dst=to, a=groups, index=s.tile(index))
        copy(s, part, gathered.box(((0, dst.partitions), (0, count))).reinterpreted(dst.dtype))


def _match_replace8(op: ops.MatchReplace8, s: Selection) -> None:
    """Puts values with indices one after the other, so that equal values take different places."""
    replacement = float(np.float32(op.replacement))
    dst, a = s.tiles(op.dst, op.src)
    s.call("match_replace8", dst=dst, a=a, values=s.tile(op.values), replacement=replacement)
    if op.indices is None:
        return
    count, values = op.src.partitions, s.converted(op.values.reshaped((op.values.partitions, 8)), np.float32)
    wide = s.temporary((count, max(8, op.src.elements)), np.float32)  # find_index8 takes at least eight
    if wide.elements > op.src.elements:
        fill(s, wide, float("nan"))
    copy(s, wide.box(((0, count), (0, op.src.elements))), op.src)
    places, found = s.temporary((count, 8), np.uint32), s.temporary((count, 8), np.uint32)
    single = s.temporary((count, 8), np.float32)
    for k in range(8):
        column = ((0, count), (k, k + 1))
        s.call("find_index8", dst=s.tile(found), a=s.tile(wide), values=s.tile(values))
        copy(s, places.box(column), found.box(column))
        if k == 7:
            break
        fill(s, single, float("nan"))  # equals nothing
        copy(s, single.box(((0, count), (0, 1))), values.box(column))
        s.call(
            "match_replace8", dst=s.tile(wide), a=s.tile(wide), values=s.tile(single), replacement=replacement
        )
    copy(s, op.indices, places)


HANDLERS = {
    ops.GatherFlattened: _gather_flattened,
    ops.LocalGather: _local_gather,
    ops.MatchReplace8: _match_replace8,
}
