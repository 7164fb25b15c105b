"""Reductions, scans, statistics and searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..tensor import Tensor
from .matmul import multiply
from .movement import copy, widened
from .patterns import MAX_AXES, fitted, free_steps, merged
from .selection import Selection
from .tiles import DTYPES, GPSIMD_TYPES, SIZES, Tile


def _kept_and_reduced(s: Selection, dst: Tensor, src: Tensor, axes: int) -> tuple[Tile, Tile, int]:
    """Returns dst, src and the number of src's axes to reduce; kept and reduced dimensions are joined
    separately.
    """
    cut = src.ndim - axes
    kept = src.shape[1:cut]
    src_steps = free_steps(src)
    target = dst.fitted((dst.partitions, *kept)) if kept else dst
    target = dst.reshaped((dst.partitions, *kept)) if target is None else target
    dst_steps = free_steps(target)[1 : 1 + len(kept)] if kept else []
    outer_dst, outer_src = merged(kept, [dst_steps, src_steps[1:cut]]) if kept else (((1, 1),), ())
    (inner,) = merged(src.shape[cut:], [src_steps[cut:]])
    if kept and all(count == 1 for count in kept):
        outer_src = ()
    if len(outer_src) + len(inner) > MAX_AXES:
        raise s.refuse(
            f"a reduction of {len(outer_src) + len(inner)} dimensions that are not contiguous, expected at "
            f"most {MAX_AXES}"
        )
    a = s.with_axes(src, (*outer_src, *inner))
    to = s.with_axes(target, tuple(outer_dst) if outer_src else ((1, 1),))
    return to, a, len(inner)


def _tensor_reduce(op: ops.TensorReduce, s: Selection) -> None:
    dst, a, axes = _kept_and_reduced(s, op.dst, op.src, op.axes)
    s.call("tensor_reduce", dst=dst, a=a, op=op.op.name, axes=axes, negate=op.negate)


def _tensor_scalar_reduce(op: ops.TensorScalarReduce, s: Selection) -> None:
    dst, a = s.tiles(op.dst, op.a)
    operand = s.scalar(op.operand0)
    s.call(
        "tensor_scalar_reduce",
        dst=dst,
        a=a,
        op0=op.op0.name,
        operand0=operand,
        op=op.reduce_op.name,
        reverse0=op.reverse0,
    )
    s.call("read_accumulator", dst=s.tile(op.reduced))


def _select_reduce(op: ops.SelectReduce, s: Selection) -> None:
    dst, a, predicate = s.tiles(op.dst, op.a, op.predicate)
    otherwise = s.scalar(op.otherwise)
    s.call(
        "select_reduce",
        dst=dst,
        a=a,
        predicate=predicate,
        otherwise=otherwise,
        reduce=op.reduce_cmd,
        inverted=op.inverted,
    )
    if op.reduced is not None:
        s.call("read_accumulator", dst=s.tile(op.reduced))


def _scan(op: ops.TensorTensorScan, s: Selection) -> None:
    dst, a, b = s.tiles(op.dst, op.a, op.b)
    s.call(
        "tensor_tensor_scan",
        dst=dst,
        a=a,
        op0=op.op0.name,
        op1=op.op1.name,
        b=b,
        initial=s.scalar(op.initial),
        reverse0=op.reverse0,
        reverse1=op.reverse1,
    )


def _partition_reduce(op: ops.PartitionReduce, s: Selection) -> None:
    src = op.src
    if op.op.name == "add" and dtypes.is_float(src.dtype):
        _column_sums(op, s)
        return
    known: Any = src.dtype if DTYPES[src.dtype] in GPSIMD_TYPES else np.float32
    if op.op.name == "add" and src.itemsize < 4:
        known = np.int32  # GpSimd adds in the type of its operands
    # Bits stay in a type of their size.
    bits = op.op.kind == "bits" and op.dst.itemsize == src.itemsize and op.dst.dtype != bool
    wide, result = s.converted(src, known), s.temporary(op.dst.shape, op.dst.dtype if bits else known)
    a = s.tile(wide)
    s.call(
        "all_partition_reduce", together=True, dst=s.tile(result)._replace(dtype=a.dtype), a=a, op=op.op.name
    )
    copy(s, op.dst, result)


def _column_sums(op: ops.PartitionReduce, s: Selection) -> None:
    """Sums over the partitions by a product with ones."""
    packed = s.temporary((op.src.partitions, op.src.elements), op.src.dtype)
    copy(s, packed, fitted(op.src, packed.shape))
    ones = s.constant(np.ones((op.src.partitions, 1), np.float32).astype(op.src.dtype))
    flat = op.dst.reshaped((1, op.src.elements))
    most = s.target.psum_bank // SIZES["fp32"]  # columns of a product
    for first in range(0, op.src.elements, most):
        part = ((0, op.src.partitions), (first, min(first + most, op.src.elements)))
        total = s.temporary((1, part[1][1] - first), np.float32, "psum")
        dst = s.tile(total)
        s.sums.overwritten(dst)
        multiply(s, dst, s.tile(ones), s.tile(packed.box(part)), False)
        copy(s, flat.box(((0, 1), part[1])), total)


def _one_operand(method: str) -> Callable[[Any, Selection], None]:
    def handler(op: Any, s: Selection) -> None:
        s.call(method, dst=s.tile(op.dst), a=s.tile(op.src))

    return handler


def _find_index8(op: ops.FindIndex8, s: Selection) -> None:
    s.call("find_index8", dst=s.tile(op.dst), a=s.tile(op.src), values=s.tile(op.values))


def _shuffle(op: ops.StreamShuffle, s: Selection) -> None:
    s.call("load_shuffle_mask", mask=list(op.sources), writes=())
    out, src = widened(s, op.dst, op.src.partitions), widened(s, op.src, op.dst.partitions)
    dst, a = s.tiles(out, src)
    s.call("stream_shuffle", dst=dst, a=a, updates=True)
    if out is not op.dst:
        copy(s, op.dst, out.box(tuple((0, size) for size in op.dst.shape)))


def _sequence_bounds(op: ops.SequenceBounds, s: Selection) -> None:
    first, end = (
        op.dst.box(((0, op.dst.partitions), (k, k + 1), *((0, size) for size in op.dst.shape[2:])))
        for k in (0, 1)
    )
    s.call(
        "sequence_bounds",
        together=True,
        first=s.tile(first),
        end=s.tile(end),
        ids=s.tile(op.src),
        writes=("first", "end"),
    )


HANDLERS = {
    ops.TensorReduce: _tensor_reduce,
    ops.TensorScalarReduce: _tensor_scalar_reduce,
    ops.SelectReduce: _select_reduce,
    ops.TensorTensorScan: _scan,
    ops.PartitionReduce: _partition_reduce,
    ops.BnStats: _one_operand("bn_stats"),
    ops.BnAggr: _one_operand("bn_aggr"),
    ops.Max8: _one_operand("max8"),
    ops.FindIndex8: _find_index8,
    ops.StreamShuffle: _shuffle,
    ops.SequenceBounds: _sequence_bounds,
}
