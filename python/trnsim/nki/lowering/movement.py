"""Transfers, copies, constants and index tiles."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np

from .. import dtypes, operations as ops
from ..affine import Affine, Comparison
from ..tensor import Tensor
from . import indexed
from .fusion import updates
from .patterns import MAX_AXES, contiguous, merged
from .selection import Selection, on_either
from .tiles import DTYPES, GPSIMD_TYPES, SIZES, Tile, View, same_bytes

#: Elements that fp32 holds exactly.
EXACT = 1 << 24
_CHUNK = 16 * 1024  # bytes of a partition for transfers through SBUF
_MOST_BOXES = 128  # the most transfers into which a mask is cut


def transfer(s: Selection, tile: Tensor, hbm: Tensor, method: str) -> None:
    """Loads or stores elements of one type, or their parts if HBM has those, in pieces if the pattern has too
    many dimensions.
    """
    base, offset, shape, steps = s.view(hbm, tile.shape)
    tile_steps = [0, *(stride // SIZES[base.dtype] for stride in tile.steps()[1][1:]), 1]
    inner, outer = merged(shape[1:], [tile_steps[1:], steps[1:]])
    if len(inner) > MAX_AXES - 1:
        axis = next(axis for axis in range(1, tile.ndim) if tile.shape[axis] > 1)
        for at in range(tile.shape[axis]):
            box = tuple((at, at + 1) if a == axis else (0, size) for a, size in enumerate(tile.shape))
            transfer(s, tile.box(box), hbm.box(box), method)
        return
    view = View(base, offset, ((shape[0], steps[0]), *outer))
    part = s.tile(tile)._replace(axes=inner, dtype=base.dtype)
    if method == "load":
        s.call("load", to=part, source=view, writes=("to",))
    elif method == "load_transposed":
        first, *middle, last = view.axes
        s.call("load_transposed", to=part, source=view._replace(axes=(last, *middle, first)), writes=("to",))
    else:
        s.call("store", to=view, source=part, writes=("to",))


def load(s: Selection, dst: Tensor, src: Tensor, method: str = "load") -> None:
    """dst in SBUF = src in HBM. For `load_transposed` the DMA engines exchange the first and the last
    dimension.
    """
    if src.dynamic is not None:
        indexed.gather(s, dst, src, False)
        return
    if same_bytes(src.dtype, dst.dtype):
        transfer(s, dst, src, method)
        return
    passing = s.temporary(dst.shape, src.dtype)
    transfer(s, passing, src, method)
    copy(s, dst, passing)


def store(s: Selection, dst: Tensor, src: Tensor) -> None:
    """dst in HBM = src on the chip."""
    transfer(
        s,
        s.converted(src, src.dtype if same_bytes(src.dtype, dst.dtype) else dst.dtype, "sbuf"),
        dst,
        "store",
    )


def copy(s: Selection, dst: Tensor, src: Tensor, engine: str = "any") -> None:
    """dst = src on the chip."""
    if s.repeats_partitions(src):
        repeat(s, dst, src)
        return
    if dst.dtype == bool and src.dtype != bool:
        s.cast(dst, src)
        return
    if (
        engine == "gpsimd"
        and dst.dtype != src.dtype
        and dtypes.is_integer(dst.dtype)
        and dtypes.is_integer(src.dtype)
    ):
        src = s.converted(src, np.float32)  # GpSimd keeps the low bits from integers to integers
    to, source = s.tiles(dst, src)
    either = engine == "any" and on_either(dst, src)
    if engine == "any" or (engine == "gpsimd" and not {to.dtype, source.dtype} <= GPSIMD_TYPES):
        engine = "vector"
    s.call("tensor_copy", dst=to, source=source, engine=engine, either=either)


def repeat(s: Selection, dst: Tensor, src: Tensor) -> None:
    """Sets each partition of dst to one partition of src, through HBM, where a step may be 0."""
    one = src.box(((0, 1), *tuple((0, size) for size in src.shape[1:])))
    kept = s.scratch(one.shape, src.dtype)
    store(s, kept, one)
    load(s, dst, kept.broadcast(dst.shape))


def _rows(s: Selection, tensor: Tensor) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yields the boxes of a tensor that fit into a tile of SBUF."""
    shape = tensor.shape
    width, axis = math.prod(shape[1:]) * tensor.itemsize, 1
    pieces = [(0, size) for size in shape]
    while width > _CHUNK and axis < len(shape):
        width //= shape[axis]
        axis += 1
    for first in range(0, shape[0], s.target.partitions):
        pieces[0] = (first, min(first + s.target.partitions, shape[0]))
        if axis == 1:
            yield tuple(pieces)
            continue
        step = max(1, _CHUNK // max(1, math.prod(shape[axis:]) * tensor.itemsize))
        for index in np.ndindex(*shape[1 : axis - 1]):
            for start in range(0, shape[axis - 1], step):
                inner = [(int(i), int(i) + 1) for i in index] + [(start, min(start + step, shape[axis - 1]))]
                yield (pieces[0], *inner, *pieces[axis:])


def of_two_dimensions(op: ops.Operation) -> ops.Operation:
    """Gives a transfer to a row or an element of HBM two dimensions, as tiles have.

    Its partitions are those of the source.
    """
    if not isinstance(op, ops.DmaCopy) or op.dst.ndim > 1 or op.dst.dynamic is not None:
        return op
    count, src, where = math.prod(op.dst.shape), op.src, op.where
    along = isinstance(src, Tensor) and src.space != "hbm" and bool(src.terms[len(src.storage.blocks)])
    shape = (count, 1) if along else (1, count)
    if isinstance(src, Tensor):
        src = cast(Tensor, src.fitted(shape))
    return dataclasses.replace(
        op,
        dst=cast(Tensor, op.dst.fitted(shape)),
        src=src,
        where=None if where is None else where.reshape(shape),
    )


def _dma_copy(op: ops.DmaCopy, s: Selection) -> None:
    dst, src = op.dst, op.src
    dynamic = isinstance(src, Tensor) and src.dynamic is not None
    if dst.dynamic is not None:
        _to_rows(s, dst, src, op.accumulate, op.skip_out_of_bounds)
    elif dynamic and op.skip_out_of_bounds:
        _rows_that_are_there(s, dst, cast(Tensor, src))
    elif dst.space == "hbm":
        passes_through = (
            not isinstance(src, Tensor) or src.space == "hbm" or op.accumulate or s.repeats_partitions(src)
        )
        for box in _rows(s, dst) if passes_through else [tuple((0, size) for size in dst.shape)]:
            _to_hbm(s, dst.box(box), src.box(box) if isinstance(src, Tensor) else src, op.accumulate)
    elif not isinstance(src, Tensor):
        fill(s, dst, src)
    elif op.accumulate:
        value = _in_sbuf(s, src, dst.shape)
        to, a, b = s.tiles(dst, dst, value)
        s.call("tensor_tensor", dst=to, a=a, op="add", b=b)
    elif src.space == "hbm":
        load(s, dst, src)
    elif s.repeats_partitions(src):
        repeat(s, dst, src)
    else:
        kept = s.scratch(src.shape, src.dtype)
        store(s, kept, src)
        load(s, dst, kept)


def _in_sbuf(s: Selection, src: Tensor, shape: tuple[int, ...]) -> Tensor:
    if src.space != "hbm":
        if src.dynamic is not None:
            raise s.refuse(
                f"a transfer from {src.describe()} in {src.space} with an index from a tile, expected "
                "tensor_copy_dynamic_src"
            )
        if not s.repeats_partitions(src):
            return src
        passing = s.temporary(src.shape, src.dtype)
        repeat(s, passing, src)
        return passing
    passing = s.temporary(shape, src.dtype)
    load(s, passing, src)
    return passing


def _to_rows(s: Selection, dst: Tensor, src: ops.Operand, accumulate: bool, skip: bool) -> None:
    """Sets the rows of dst that an index from a tile names to src."""
    if dst.space != "hbm":
        raise s.refuse(
            f"a transfer to {dst.describe()} in {dst.space} with an index from a tile, expected "
            "tensor_copy_dynamic_dst"
        )
    if isinstance(src, Tensor) and src.dynamic is not None and skip:
        raise s.refuse(
            "rows that may be left out on both sides of a transfer, expected an index from a tile on one"
        )
    if isinstance(src, Tensor):
        value = _in_sbuf(s, src, dst.shape)
    else:
        value = s.temporary(dst.shape, dst.dtype)
        fill(s, value, src)
    indexed.scatter(s, dst, value, skip, accumulate)


def _rows_that_are_there(s: Selection, dst: Tensor, src: Tensor) -> None:
    """Sets dst to rows of src, except those with an index out of bounds."""
    if dst.space != "hbm":
        indexed.gather(s, dst, src, True)
        return
    before = s.temporary(dst.shape, dst.dtype)
    load(s, before, dst)
    indexed.gather(s, before, src, True)
    store(s, dst, before)


def _to_hbm(s: Selection, dst: Tensor, src: ops.Operand, accumulate: bool) -> None:
    if isinstance(src, Tensor):
        value = _in_sbuf(s, src, dst.shape)
    else:
        value = s.temporary(dst.shape, dst.dtype)
        fill(s, value, src)
    if accumulate:
        total = s.temporary(dst.shape, np.float32 if dst.dtype == bool else dst.dtype)
        before = s.temporary(dst.shape, dst.dtype)
        load(s, before, dst)
        to, a, b = s.tiles(total, before, value)
        s.call("tensor_tensor", dst=to, a=a, op="add", b=b)
        value = total
    store(s, dst, value)


def _dma_transpose(op: ops.DmaTranspose, s: Selection) -> None:
    src = op.src
    if src.space != "hbm" or SIZES[s.hbm(src).dtype] != src.itemsize:
        kept = s.scratch(src.shape, src.dtype)
        for box in _rows(s, src):
            _to_hbm(s, kept.box(box), src.box(box), False)
        src = kept
    load(s, op.dst, src.permuted(op.axes), "load_transposed")


def _tensor_copy(op: ops.TensorCopy, s: Selection) -> None:
    if op.src.dynamic is not None:
        kept = indexed.Copy(s, op.src)
        store(s, kept.whole, kept.of)
        indexed.gather(s, op.dst, kept.part, False)
    elif op.dst.dynamic is not None:
        kept = indexed.Copy(s, op.dst)
        store(s, kept.whole, kept.of)
        indexed.scatter(s, kept.part, op.src, False)
        load(s, kept.of, kept.whole)
    else:
        copy(s, op.dst, _apart(s, op.dst, op.src), op.engine)


def _overlap(s: Selection, dst: Tensor, src: Tensor) -> bool:
    """Returns whether a copy within a tile overlaps in a way that the engines do not take.

    They take bytes that do not meet, copies in place, and interleaved ones.
    """
    if dst.storage.identity != src.storage.identity or s.repeats_partitions(src):  # the copy goes through HBM
        return False
    to, of = s.tiles(dst, src)
    if (
        to.area is not of.area
        or to.partition >= of.partition + of.partitions
        or of.partition >= to.partition + to.partitions
    ):
        return False
    (low, high), (first, end) = (_reach(tile) for tile in (to, of))
    if high <= first or end <= low:
        return False
    apart, size = to.byte - of.byte, SIZES[of.dtype]
    if to.partition != of.partition or to.dtype != of.dtype or to.axes != of.axes or apart % size:
        return True
    steps = [(abs(step), count) for count, step in of.axes if count > 1]
    if apart != 0:
        steps.append((abs(apart) // size, 2))  # the two as one operand
    reach = 0  # the reach of the steps so far; a larger next step puts no element where another is
    for step, count in sorted(steps):
        if step <= reach:
            return True
        reach += step * (count - 1)
    return False


def _reach(tile: Tile) -> tuple[int, int]:
    """Returns the bytes of a partition from the first to the end of the last that a tile has."""
    reaches = [step * (count - 1) for count, step in tile.axes]
    size = SIZES[tile.dtype]
    return tile.byte + size * sum(min(0, reach) for reach in reaches), tile.byte + size * (
        1 + sum(max(0, reach) for reach in reaches)
    )


def _apart(s: Selection, dst: Tensor, src: Tensor) -> Tensor:
    """Returns the source of a copy, or a copy of it if the destination overlaps it."""
    if not _overlap(s, dst, src):
        return src
    kept = s.temporary(src.shape, src.dtype)
    copy(s, kept, src)
    return kept


def fill(s: Selection, dst: Tensor, value: ops.Scalar) -> None:
    """dst = a number."""
    if isinstance(value, (int, np.integer)) and abs(int(value)) > EXACT and dtypes.is_integer(dst.dtype):
        number = s.constant(np.array([[dtypes.nearest(int(value), dst.dtype)]], dst.dtype))
        repeat(s, dst, number.broadcast((dst.partitions,) + (1,) * (dst.ndim - 1)).broadcast(dst.shape))
        return
    tile = s.tile(dst)
    if dst.dtype == bool:
        value = float(value != 0)
    if tile.area.space == "psum" and float(value) == 0 and tile.dtype == "fp32":
        s.sums.zero(s, tile)
        return
    s.call("memset", dst=tile, value=float(np.float32(value)))


def widened(s: Selection, tensor: Tensor, partitions: int) -> Tensor:
    """Returns a copy of a tile that has at least so many partitions; those added hold zeros."""
    if partitions <= tensor.partitions:
        return tensor
    wide = s.temporary((partitions, *tensor.shape[1:]), tensor.dtype)
    fill(s, wide, 0)
    copy(s, wide.box(tuple((0, size) for size in tensor.shape)), tensor)
    return wide


def _memset(op: ops.Memset, s: Selection) -> None:
    fill(s, op.dst, op.value)


def _affine(expression: Affine, shape: tuple[int, ...], counts: tuple[int, ...]) -> dict[str, Any]:
    """Returns base, step of the partitions and steps of the axes of a merged tile; none are merged here."""
    padded = (0,) * (len(shape) - expression.ndim) + tuple(
        step if size > 1 else 0 for size, step in zip(expression.shape, expression.coefficients)
    )
    steps = [step for size, step in zip(shape[1:], padded[1:]) if size != 1]
    return {"base": expression.offset, "partition_step": padded[0], "steps": steps or [0]}


def for_gpsimd(s: Selection, dst: Tensor) -> Tensor:
    """Returns a destination for GpSimd: the tile itself or one in SBUF, of fp32 if the microcode does not
    know its type.
    """
    known = DTYPES[dst.dtype] in GPSIMD_TYPES and dst.dtype != bool
    return (
        dst if known and dst.space == "sbuf" else s.temporary(dst.shape, dst.dtype if known else np.float32)
    )


def _iota(op: ops.Iota, s: Selection) -> None:
    dst = op.dst
    out = for_gpsimd(s, dst)
    if dtypes.is_integer(out.dtype):
        values, bounds = op.expression.values(), np.iinfo(out.dtype)
        if values.min() < bounds.min or values.max() > bounds.max:  # the tile would keep their low bits
            out = s.temporary(dst.shape, np.int32)
    s.call("iota", together=True, dst=s.unmerged(out), **_affine(op.expression, dst.shape, dst.shape))
    if out is not dst:
        copy(s, dst, out)


def _affine_select(op: ops.AffineSelect, s: Selection) -> None:
    dst, src = op.dst, op.src
    if not isinstance(op.predicate, Comparison):
        copy(s, dst, src) if op.predicate else fill(s, dst, op.otherwise)
        return
    out = for_gpsimd(s, dst)
    # It converts between floats and keeps the bits of integers.
    keeps = dtypes.is_float(out.dtype) and dtypes.is_float(src.dtype) and DTYPES[src.dtype] in GPSIMD_TYPES
    wide = s.converted(src, src.dtype if keeps else out.dtype, "sbuf")
    value: Any = np.float32(op.otherwise)
    otherwise = float(dtypes.to_fp32(dtypes.cast(value, out.dtype)))
    compare = {">=": "greater_equal", "==": "is_equal", "!=": "not_equal"}[op.predicate.relation]
    expression = _affine(op.predicate.expression, dst.shape, dst.shape)
    s.call(
        "affine_select",
        together=True,
        dst=s.unmerged(out),
        a=s.unmerged(wide),
        compare=compare,
        otherwise=otherwise,
        **expression,
    )
    if out is not dst:
        copy(s, dst, out)


def _seed(op: ops.RngSeed, s: Selection) -> None:
    seed = op.seed
    if not isinstance(seed, Tensor):
        seed = s.constant(np.array([[int(seed) & 0xFFFFFFFF]], np.uint32))
    s.call("set_rng_seed", seed=s.tile(s.converted(seed, seed.dtype, "sbuf")), writes=())


def _rng(op: ops.Rng, s: Selection) -> None:
    s.call("rng", dst=s.tile(op.dst))


def _dropout(op: ops.Dropout, s: Selection) -> None:
    dst, src = s.tiles(op.dst, op.src)
    s.call("dropout", dst=dst, a=src, probability=s.scalar(op.probability))


Box = tuple[tuple[int, int], ...]


def _boxes(mask: np.ndarray) -> list[Box]:
    """Cuts the elements of a mask into boxes, each element in one: runs along the last dimension, joined over
    neighbouring partitions where they are alike.
    """
    boxes: list[Box] = []
    padded = np.zeros((*mask.shape[:-1], mask.shape[-1] + 2), bool)
    padded[..., 1:-1] = mask
    for middle in np.ndindex(*mask.shape[1:-1]):
        rows = [
            np.flatnonzero(np.diff(padded[(row, *middle)])).reshape(-1, 2) for row in range(mask.shape[0])
        ]
        first = 0
        for row in range(1, len(rows) + 1):
            if row < len(rows) and np.array_equal(rows[row], rows[first]):
                continue
            inner = tuple((int(i), int(i) + 1) for i in middle)
            boxes += [((first, row), *inner, (int(begin), int(end))) for begin, end in rows[first]]
            first = row
    return boxes


def masked(op: ops.Writing, s: Selection, run: Callable[[ops.Operation, Selection], None]) -> None:
    """Runs an operation with a mask that is no box: the result goes to a tile of its own, and from there to
    the positions where the mask holds.
    """
    dst, held = op.dst, cast(np.ndarray, op.where)
    if (
        dst.space == "hbm"
        and dst.shape[0] > s.target.partitions
        and isinstance(op, ops.DmaCopy)
        and dst.dynamic is None
    ):
        where = np.broadcast_to(held, dst.shape)
        for first in range(0, dst.shape[0], s.target.partitions):
            box = (
                (first, min(first + s.target.partitions, dst.shape[0])),
                *((0, size) for size in dst.shape[1:]),
            )
            src = op.src.box(box) if isinstance(op.src, Tensor) else op.src
            part = where[box[0][0] : box[0][1]]
            if part.any():
                masked(dataclasses.replace(op, dst=dst.box(box), where=part, src=src), s, run)
        return
    if dst.space == "hbm":
        boxes = _boxes(np.broadcast_to(held, dst.shape))
        if len(boxes) <= _MOST_BOXES and not getattr(op, "accumulate", False):
            source = getattr(op, "src", None)
            if (
                isinstance(op, ops.DmaCopy)
                and isinstance(source, Tensor)
                and source.space != "hbm"
                and source.dynamic is None
            ):
                src = _in_sbuf(s, source, dst.shape)
                result = s.converted(
                    src, src.dtype if same_bytes(src.dtype, dst.dtype) else dst.dtype, "sbuf"
                )
            else:
                result = s.temporary(dst.shape, dst.dtype)
                run(dataclasses.replace(op, dst=result, where=None), s)
            for box in boxes:
                store(s, dst.box(box), result.box(box))
            return
        before = s.temporary(dst.shape, dst.dtype)
        load(s, before, dst)
        masked(dataclasses.replace(op, dst=before), s, run)
        store(s, dst, before)
        return
    if (
        isinstance(op, ops.TensorCopy)
        and op.src.dtype == dst.dtype
        and op.src.dynamic is None
        and not s.repeats_partitions(op.src)
    ):
        result = _apart(s, dst, op.src)  # goes there as it is
    else:
        result = s.temporary(dst.shape, dst.dtype)
        if updates(op):
            copy(s, result, dst)
        run(dataclasses.replace(op, dst=result, where=None), s)
    bytes_of_mask = np.ascontiguousarray(np.broadcast_to(held, dst.shape)).astype(np.uint8)
    mask = s.constant(bytes_of_mask.reshape(dst.shape[0], -1))
    to, source = s.tiles(dst, result)
    predicate = s.tile(mask)
    s.call(
        "tensor_copy_predicated",
        dst=to,
        predicate=predicate._replace(axes=contiguous([count for count, _ in to.axes])),
        source=source,
        updates=True,
    )


HANDLERS = {
    ops.DmaCopy: _dma_copy,
    ops.DmaTranspose: _dma_transpose,
    ops.TensorCopy: _tensor_copy,
    ops.Memset: _memset,
    ops.Iota: _iota,
    ops.AffineSelect: _affine_select,
    ops.RngSeed: _seed,
    ops.Rng: _rng,
    ops.Dropout: _dropout,
}
