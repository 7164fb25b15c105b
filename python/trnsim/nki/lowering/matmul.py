"""The Tensor engine, and transposes."""

from __future__ import annotations

import numpy as np

from .. import dtypes, operations as ops
from ..tensor import Tensor
from .fusion import MatmulAdded
from .movement import copy, load, store
from .selection import Selection
from .spreading import Spread
from .tiles import Tile

_WIDE = (np.dtype(np.float32), dtypes.tfloat32)


def multiply(s: Selection, dst: Tile, stationary: Tile, moving: Tile, accumulate: bool) -> None:
    """dst (+)= stationary.T @ moving. Nothing comes between the two calls."""
    stationary, moving = s.readable("load_stationary", stationary), s.readable("multiply_moving", moving)
    s.call("load_stationary", stationary=stationary, writes=())
    s.call("multiply_moving", dst=dst, moving=moving, accumulate=accumulate, updates=accumulate)


def _operands(s: Selection, op: ops.Matmul) -> tuple[Tile, Tile, Tile]:
    """dst, stationary and moving; dst has the axes of moving."""
    operands = (op.stationary, op.moving)
    wide = any(x.dtype in _WIDE for x in operands)  # the array takes both or neither of these
    floats = [
        s.converted(x, np.float32 if wide and x.dtype not in _WIDE else x.dtype, "sbuf") for x in operands
    ]
    stationary, moving = s.tile(floats[0]), floats[1]
    dst = op.dst.fitted((op.dst.partitions, *moving.shape[1:]))
    dst = op.dst.reshaped((op.dst.partitions, *moving.shape[1:])) if dst is None else dst
    # The partitions differ; the free axes are those of both operands.
    to, source = s.unmerged(dst), s.unmerged(moving)
    if len(source.axes) > 1:
        flat = s.tile(moving)
        if len(flat.axes) == 1 and len(s.tile(dst).axes) == 1:
            to, source = s.tile(dst), flat
    return to, stationary, source


def _matmul(op: ops.Matmul, s: Selection) -> None:
    dst, stationary, moving = _operands(s, op)
    if dst.partition != 0:
        copy(s, op.dst, _elsewhere(s, op))
        return
    s.sums.overwritten(dst)
    multiply(s, dst, stationary, moving, False)


def _elsewhere(s: Selection, op: ops.Matmul) -> Tensor:
    """Returns the product in a tile of its own, at partition 0, where the array writes it."""
    total = s.temporary(op.dst.shape, np.float32, "psum")
    _matmul(ops.Matmul(dst=total, where=None, stationary=op.stationary, moving=op.moving), s)
    return total


def _matmul_added(op: MatmulAdded, s: Selection) -> None:
    dst, stationary, moving = _operands(s, op)
    accumulate = s.sums.added_to(s, dst) if dst.partition == 0 else None
    if accumulate is None:
        _add(s, op.dst, _elsewhere(s, op))
    else:
        multiply(s, dst, stationary, moving, accumulate)


def _add(s: Selection, dst: Tensor, src: Tensor) -> None:
    value = s.converted(src, src.dtype, "sbuf")
    to, a, b = s.tiles(dst, dst, value)
    s.call("tensor_tensor", dst=to, a=a, op="add", b=b)


def _accumulate(op: ops.Accumulate, s: Selection) -> None:
    _add(s, op.dst, op.src)


def identity(s: Selection, size: int, dtype: np.dtype) -> Tensor:
    return s.constant(np.identity(size, np.float32).astype(dtype))


def _transpose(op: ops.Transpose, s: Selection) -> None:
    src, dst = op.src, op.dst
    rows, columns = src.partitions, src.elements
    small = max(rows, columns) <= s.target.partitions // 4
    by_tensor = op.engine == "tensor" or (op.engine == "any" and dst.space == "psum")
    if not by_tensor and small:
        moved = dst if dst.dtype == src.dtype else s.temporary(dst.shape, src.dtype)
        s.call("transpose_block", dst=s.tile(moved), a=s.tile(src))
        if moved is not dst:
            copy(s, dst, moved)
    elif dtypes.is_float(src.dtype) and src.space == "sbuf" and columns <= s.target.columns:
        direct = dst.space == "psum" and s.tile(dst).partition == 0  # where the array writes it
        out = dst if direct else s.temporary((columns, rows), np.float32, "psum")
        to = s.tile(out)
        s.sums.overwritten(to)
        multiply(s, to, s.tile(src), s.tile(identity(s, rows, src.dtype)), False)
        if out is not dst:
            copy(s, dst, out)
    else:
        kept = s.scratch((rows, columns), src.dtype)
        store(s, kept, src)
        load(s, dst, kept.permuted((1, 0)))


def _spread(op: Spread, s: Selection) -> None:
    ones = s.constant(np.ones((1, op.dst.partitions), op.src.dtype))
    _matmul(ops.Matmul(dst=op.dst, where=None, stationary=ones, moving=op.src), s)


HANDLERS = {
    ops.Matmul: _matmul,
    MatmulAdded: _matmul_added,
    ops.Accumulate: _accumulate,
    ops.Transpose: _transpose,
    Spread: _spread,
}
