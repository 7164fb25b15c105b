"""Reductions, scans and statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import alu, context, dtypes, limits, operations
from ..affine import region_of
from ..errors import NkiError
from ..memory import tile_storage
from ..operands import (
    Result,
    alike,
    column,
    destination,
    emit,
    no_extras,
    not_both_psum,
    rank,
    same_partitions,
    scalar_or_tile,
    tile,
)
from ..tensor import Tensor
from .engines import member, reduce_cmd as commands


def free_axes(axis: Any, ndim: int, function: str) -> tuple[int, ...]:
    """Returns the free axes, sorted."""
    found = axis if isinstance(axis, (tuple, list)) else [axis]
    axes = sorted(int(a) + ndim if a < 0 else int(a) for a in found if isinstance(a, (int, np.integer)))
    if not axes or len(axes) != len(found) or len(set(axes)) != len(axes) or axes[0] < 1 or axes[-1] >= ndim:
        raise NkiError(
            "err_argument",
            f"axis {axis!r} of {function} of {ndim} dimensions, expected free dimensions: 1 to {ndim - 1}",
        )
    return tuple(axes)


def unmasked(a: Tensor, op: Any, mask: Any, function: str) -> tuple[Tensor, Any]:
    """Returns the operand of a reduction and its region.

    For a mask that is no box it is a copy; its other elements have a value that does not change the result.
    """
    region, op = region_of(mask, a.shape), alu.reduction(op, function)
    if region is None or region.where is None or op.name == "subtract" or a.storage.void:
        return a, mask
    if dtypes.is_float(a.dtype):
        least, largest = -np.inf, np.inf
    else:
        least, largest = (0, 1) if a.dtype == bool else (np.iinfo(a.dtype).min, np.iinfo(a.dtype).max)
    ones = -1 if least < 0 else largest
    neutral = {"max": least, "min": largest, "multiply": 1, "logical_and": 1, "bitwise_and": ones}.get(
        op.name, 0
    )
    filled = Tensor.whole(tile_storage(a.shape, "sbuf", a.dtype, filled=False))
    context.emit(operations.Memset(dst=filled, where=None, value=neutral))
    emit(operations.TensorCopy(dst=filled.box(region.box), where=region.where, src=a.box(region.box)))
    return filled, region._replace(where=None)


def tensor_reduce(
    op: Any,
    data: Any,
    axis: Any,
    *,
    mask: Any = None,
    dtype: Any = None,
    negate: bool = False,
    keepdims: bool = False,
    **extras: Any,
) -> Tensor:
    """data reduced over free dimensions."""
    a = tile(data, "tensor_reduce", "data")
    axes = free_axes(axis, a.ndim, "tensor_reduce")
    a, mask = unmasked(a, op, mask, "tensor_reduce")
    return reduce("tensor_reduce", a, op, axes, mask, dtype, negate, keepdims, extras)


def reduce(
    function: str,
    a: Tensor,
    op: Any,
    axes: tuple[int, ...],
    mask: Any,
    dtype: Any,
    negate: bool,
    keepdims: bool,
    extras: dict[str, Any],
) -> Tensor:
    """Reduces over any free dimensions: the access pattern puts them last."""
    op = alu.reduction(op, function)
    out = a.dtype if dtype is None else dtypes.as_dtype(dtype)
    if op.kind == "bits" and (not dtypes.is_integer(a.dtype) or out.itemsize != a.itemsize or negate):
        raise NkiError(
            "err_dtype",
            f"{function} with {op.name} of {dtypes.name_of(a.dtype)} to {dtypes.name_of(out)}, expected "
            "integers of one size",
        )
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(a.shape))
    places: tuple[Any, ...] = tuple(None if axis in axes else axis for axis in range(a.ndim))
    if not keepdims:
        places = tuple(kept) if len(kept) > 1 else (0, None)
        shape = tuple(1 if place is None else a.shape[place] for place in places)
    result = Result(shape, out, mask, domain=a.shape, axes=places, function=function, extras=extras).of(a)
    if not result.runs:
        return result.tile
    return result.emit(
        operations.TensorReduce,
        src=result.cut(a).permuted((*kept, *axes)),
        op=op,
        axes=len(axes),
        negate=negate,
    )


def tensor_partition_reduce(
    op: Any, data: Any, *, mask: Any = None, dtype: Any = None, **extras: Any
) -> Tensor:
    """data reduced over its partitions, on GpSimd."""
    a = tile(data, "tensor_partition_reduce", "data", ("sbuf",))
    op = alu.reduction(op, "tensor_partition_reduce")
    if op.name not in ("add", "max", "bitwise_or", "bitwise_and"):
        raise NkiError(
            "err_argument",
            f"op of tensor_partition_reduce is {op.name}, expected add, max, bitwise_or or bitwise_and",
        )
    if op.kind == "bits" and not dtypes.is_integer(a.dtype):
        raise NkiError(
            "err_dtype",
            f"tensor_partition_reduce with {op.name} of {dtypes.name_of(a.dtype)}, expected integers",
        )
    a, mask = unmasked(a, op, mask, "tensor_partition_reduce")
    result = Result(
        (1, *a.shape[1:]),
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        domain=a.shape,
        axes=(None, *range(1, a.ndim)),
        function="tensor_partition_reduce",
        extras=extras,
    ).of(a)
    return result.emit(operations.PartitionReduce, src=result.cut(a), op=op)


def tensor_scalar_reduce(
    *,
    data: Any,
    op0: Any,
    operand0: Any,
    reduce_op: Any,
    reduce_res: Any,
    reverse0: bool = False,
    dtype: Any = None,
    mask: Any = None,
    **extras: Any,
) -> Tensor:
    """data op0 operand0; its reduction over all free dimensions goes to reduce_res."""
    a = tile(data, "tensor_scalar_reduce", "data")
    first, total = (
        alu.isa_op(op0, "tensor_scalar_reduce", "op0"),
        alu.reduction(reduce_op, "tensor_scalar_reduce", "reduce_op"),
    )
    if first.kind == "bits" or total.kind == "bits":
        raise NkiError(
            "err_argument",
            f"tensor_scalar_reduce of {first.name} and {total.name}, expected arithmetic operations",
        )
    if total.name not in ("add", "subtract", "multiply", "max", "min"):
        raise NkiError(
            "err_argument",
            f"reduce_op of tensor_scalar_reduce is {total.name}, expected add, subtract, multiply, max or "
            "min",
        )
    if reverse0:
        raise NkiError("err_not_available", "reverse0 of tensor_scalar_reduce, expected False")
    operand = scalar_or_tile(operand0, "tensor_scalar_reduce", "operand0")
    operand = (
        column(operand, a, "tensor_scalar_reduce", "operand0") if isinstance(operand, Tensor) else operand
    )
    reduced = column(
        destination(reduce_res, "tensor_scalar_reduce", "reduce_res"), a, "tensor_scalar_reduce", "reduce_res"
    )
    result = Result(
        a.shape,
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        function="tensor_scalar_reduce",
        extras=extras,
    )
    if result.where is not None:
        raise NkiError(
            "err_mask",
            "tensor_scalar_reduce with a mask that is no box, expected comparisons of one dimension each",
        )
    return result.emit(
        operations.TensorScalarReduce,
        a=result.cut(a),
        op0=first,
        operand0=result.cut(operand),
        reverse0=False,
        reduce_op=total,
        reduced=result.cut(reduced),
    )


def tensor_tensor_scan(
    data0: Any,
    data1: Any,
    initial: Any,
    op0: Any,
    op1: Any,
    reverse0: bool = False,
    reverse1: bool = False,
    *,
    dtype: Any = None,
    mask: Any = None,
    **extras: Any,
) -> Tensor:
    """r[i] = (data0[i] op0 r[i-1]) op1 data1[i], r[-1] = initial, in each partition."""
    a, b = tile(data0, "tensor_tensor_scan", "data0"), tile(data1, "tensor_tensor_scan", "data1")
    same_partitions("tensor_tensor_scan", data0=a, data1=b)
    not_both_psum("tensor_tensor_scan", data0=a, data1=b)
    a, b = alike("tensor_tensor_scan", data0=a, data1=b)
    steps = (alu.isa_op(op0, "tensor_tensor_scan", "op0"), alu.isa_op(op1, "tensor_tensor_scan", "op1"))
    if any(op.kind == "bits" for op in steps):
        raise NkiError(
            "err_argument",
            f"tensor_tensor_scan of {steps[0].name} and {steps[1].name}, expected arithmetic operations",
        )
    start = scalar_or_tile(initial, "tensor_tensor_scan", "initial")
    start = column(start, a, "tensor_tensor_scan", "initial") if isinstance(start, Tensor) else start
    result = Result(
        a.shape,
        dtypes.promote(a.dtype, b.dtype) if dtype is None else dtypes.as_dtype(dtype),
        mask,
        function="tensor_tensor_scan",
        extras=extras,
    )
    if result.where is not None:
        raise NkiError(
            "err_mask",
            "tensor_tensor_scan with a mask that is no box, expected comparisons of one dimension each",
        )
    return result.emit(
        operations.TensorTensorScan,
        a=result.cut(a),
        b=result.cut(b),
        initial=result.cut(start),
        op0=steps[0],
        op1=steps[1],
        reverse0=reverse0,
        reverse1=reverse1,
    )


def _wide(a: Tensor, width: int, dtype: Any, mask: Any, function: str, extras: dict[str, Any]) -> Result:
    """Returns a result of [partitions, width]; a mask of data applies to its partitions."""
    return Result(
        (a.partitions, width),
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        domain=a.shape,
        axes=(0, None),
        function=function,
        extras=extras,
    ).of(a)


def bn_stats(data: Any, *, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Returns count, mean and variance * count of each partition's even elements, then of its odd ones."""
    a = tile(data, "bn_stats", "data")
    if a.elements > limits.BN_STATS_ELEMENTS:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit",
            f"data{list(a.shape)} of bn_stats, expected at most {limits.BN_STATS_ELEMENTS} elements a "
            "partition",
        )
    result = _wide(a, 6, dtype, mask, "bn_stats", extras)
    return result.emit(operations.BnStats, src=result.cut(a))


def bn_aggr(data: Any, *, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Returns the mean and variance of the counts of several bn_stats."""
    a = tile(data, "bn_aggr", "data")
    result = _wide(a, 2, dtype, mask, "bn_aggr", extras)
    part = result.cut(a) if result.runs else a
    if part.elements % 3:
        raise NkiError(
            "err_shape", f"data{list(part.shape)} of bn_aggr, expected a multiple of 3 elements a partition"
        )
    return result.emit(operations.BnAggr, src=part)


def _check_eight(function: str, name: str, a: Tensor) -> None:
    low, high = limits.MAX8_ELEMENTS
    if not low <= a.elements <= high:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit",
            f"{name}{list(a.shape)} of {function}, expected {low} to {high} elements a partition",
        )


def max8(*, src: Any, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Returns the eight largest elements of each partition, the largest first."""
    a = tile(src, "max8", "src")
    result = _wide(a, 8, dtype, mask, "max8", extras)
    part = result.cut(a) if result.runs else a
    _check_eight("max8", "src", part)
    return result.emit(operations.Max8, src=part)


def _rows(operand: Tensor, result: Result) -> Tensor:
    """Returns an operand with the partitions that a mask leaves."""
    if result.region is None or not result.runs:
        return operand
    return operand.box((result.region.box[0], *tuple((0, size) for size in operand.shape[1:])))


def _eight_values(function: str, vals: Any, a: Tensor) -> Tensor:
    values = tile(vals, function, "vals")
    same_partitions(function, data=a, vals=values)
    if values.elements != 8 or rank(values) > 3:
        raise NkiError(
            "err_shape", f"vals{list(values.shape)} of {function}, expected 8 elements a partition"
        )
    return values


def nc_find_index8(*, data: Any, vals: Any, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """Returns for each partition the first index of each of eight values."""
    a = tile(data, "nc_find_index8", "data")
    values = _eight_values("nc_find_index8", vals, a)
    out = dtypes.as_dtype(np.uint32 if dtype is None else dtype)
    if out not in (np.uint16, np.uint32):
        raise NkiError(
            "err_dtype", f"dtype {dtypes.name_of(out)} of nc_find_index8, expected uint16 or uint32"
        )
    result = _wide(a, 8, out, mask, "nc_find_index8", extras)
    part = result.cut(a) if result.runs else a
    _check_eight("nc_find_index8", "data", part)
    return result.emit(operations.FindIndex8, src=part, values=_rows(values, result))


def nc_match_replace8(
    *,
    data: Any,
    vals: Any,
    imm: float,
    dst_idx: Any = None,
    mask: Any = None,
    dtype: Any = None,
    **extras: Any,
) -> Tensor:
    """Replaces the first occurrence of each of eight values by a constant; the indices go to dst_idx."""
    a = tile(data, "nc_match_replace8", "data")
    values = _eight_values("nc_match_replace8", vals, a)
    if a.elements > limits.MAX8_ELEMENTS[1]:
        _check_eight("nc_match_replace8", "data", a)
    result = Result(
        a.shape,
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        function="nc_match_replace8",
        extras=extras,
    )
    if result.where is not None:
        raise NkiError(
            "err_mask",
            "nc_match_replace8 with a mask that is no box, expected comparisons of one dimension each",
        )
    indices = (
        None
        if dst_idx is None
        else _eight_values("nc_match_replace8", destination(dst_idx, "nc_match_replace8", "dst_idx"), a)
    )
    return result.emit(
        operations.MatchReplace8,
        src=result.cut(a),
        values=_rows(values, result),
        replacement=float(imm),
        indices=None if indices is None else _rows(indices, result),
    )


def select_reduce(
    *,
    dst: Any,
    predicate: Any,
    on_true: Any,
    on_false: Any,
    reduce_res: Any = None,
    reduce_cmd: Any = commands.idle,
    reduce_op: Any = np.amax,
    reverse_pred: bool = False,
    mask: Any = None,
    dtype: Any = None,
    **extras: Any,
) -> None:
    """dst = on_true where the predicate holds, else on_false; its maximum in each partition goes to
    reduce_res.
    """
    no_extras("select_reduce", extras)
    target = destination(dst, "select_reduce", "dst")
    chosen, source = tile(predicate, "select_reduce", "predicate"), tile(on_true, "select_reduce", "on_true")
    not_both_psum("select_reduce", on_true=source, predicate=chosen)
    same_partitions("select_reduce", dst=target, predicate=chosen, on_true=source)
    held, a = chosen.spread(target.shape), source.spread(target.shape)
    if held is None or a is None:
        raise NkiError(
            "err_shape",
            f"select_reduce of predicate and on_true to dst{list(target.shape)}, expected its shape, "
            "or free dimensions of size 1",
        )
    if held.dtype.itemsize > 2 or not dtypes.is_integer(held.dtype):
        raise NkiError(
            "err_dtype",
            f"predicate of select_reduce is {dtypes.name_of(held.dtype)}, expected an integer of 8 or 16 "
            "bits",
        )
    if a.dtype in (dtypes.tfloat32, np.int32, np.uint32):
        raise NkiError(
            "err_dtype",
            f"on_true of select_reduce is {dtypes.name_of(a.dtype)}, expected a float or an integer of 8 or "
            "16 bits",
        )
    if alu.alu_op(reduce_op, "select_reduce", "reduce_op").name != "max":
        raise NkiError(
            "err_argument",
            f"reduce_op of select_reduce is {alu.alu_op(reduce_op, 'select_reduce').name}, expected max",
        )
    command = member(commands, reduce_cmd, "select_reduce")
    if command == commands.reset:
        raise NkiError(
            "err_argument", "reduce_cmd reset of select_reduce, expected idle, reduce or reset_reduce"
        )
    other = scalar_or_tile(on_false, "select_reduce", "on_false")
    other = column(other, a, "select_reduce", "on_false") if isinstance(other, Tensor) else other
    reduced = (
        None
        if reduce_res is None
        else column(destination(reduce_res, "select_reduce", "reduce_res"), a, "select_reduce", "reduce_res")
    )
    if reduced is not None and not dtypes.is_float(reduced.dtype):
        raise NkiError(
            "err_dtype",
            f"reduce_res of select_reduce is {dtypes.name_of(reduced.dtype)}, expected a float type",
        )
    region = region_of(mask, target.shape)
    if region is not None:
        if region.empty:
            return
        if region.where is not None:
            raise NkiError(
                "err_mask",
                "select_reduce with a mask that is no box, expected comparisons of one dimension each",
            )
        target, held, a = (x.box(region.box) for x in (target, held, a))
        other, reduced = (x.box(region.box) if isinstance(x, Tensor) else x for x in (other, reduced))
    context.emit(
        operations.SelectReduce(
            dst=target,
            where=None,
            a=a,
            predicate=held,
            otherwise=other,
            inverted=reverse_pred,
            reduce_cmd=command.name,
            reduced=reduced,
        )
    )
