"""Transfers, copies and index tiles."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .. import context, dtypes, operations, watch
from ..affine import Affine, region_of
from ..alu import alu_op
from ..binding import bind, carried
from ..buffers import sizes
from ..errors import NkiError
from ..limits import GATHER_INDICES, GATHER_PARTITIONS, QUADRANT, start_partitions
from ..operands import Result, check_mutable, destination, emit, no_extras, same_partitions, tile
from ..tensor import Tensor
from . import engines
from .engines import dge_mode, engine, oob_mode

_DMA_PERMUTATIONS = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
_KEPT = 255


def end(value: Any, function: str, name: str, spaces: tuple[str, ...]) -> Tensor:
    """Returns an end of a transfer, which may have an index from a tile."""
    if isinstance(value, Tensor) and value.dynamic is not None and value.deferred is None:
        _check_dynamic(value, function, name)
        if value.space not in spaces:
            raise NkiError(
                "err_unsupported_memory",
                f"{name} of {function} is in {value.space}, expected {' or '.join(spaces)}",
            )
        return value
    return tile(value, function, name, spaces)


def _check_dynamic(value: Tensor, function: str, name: str) -> None:
    """Refuses an index from a tile that is not the index of the partitions or of a dimension before them.

    An index with one element for all partitions is allowed anywhere.
    """
    assert value.dynamic is not None
    dimension, index = value.dynamic
    along = [axis for terms in value.terms for axis, _ in terms]
    if index.partitions > 1 and (any(value.terms[:dimension]) or 0 in along):
        raise NkiError(
            "err_indirect_indices_free_dim",
            f"{name} of {function} has a tile as index of a free dimension, expected one of partitions or "
            "blocks",
        )


def _fit(value: Tensor, shape: tuple[int, ...], function: str, dst: bool) -> Tensor:
    fitted = value.spread(shape)
    if fitted is None:
        name = "err_store_dst_shape_smaller_than_other_shape" if dst else "err_shape"
        raise NkiError(
            name,
            f"{function} of {list(value.shape)} to {list(shape)}, expected the same shape or sizes of 1 in "
            "the source",
        )
    return fitted


def _turned(dst: Tensor, src: Tensor) -> Tensor | None:
    """Returns a destination in HBM in the shape of a tile with partitions elsewhere in it.

    None means that the tile fits as it is.
    """
    if dst.space != "hbm" or src.space == "hbm" or src.shape[:1] == dst.shape[:1]:
        return None
    if dst.dynamic is not None and dst.dynamic.index.partitions > 1:
        return None
    return dst.fitted(src.shape)


def _warn_of_nothing(source: Tensor) -> None:
    """Warns of a transfer of a result of which a mask has left nothing, if the executor does not find it."""
    golden = context.current().executor.checks_unwritten
    if context.options.watches and not (golden and context.options.check_unwritten):
        watch.nothing_written(source, context.options.check_unwritten)


def transfer(
    function: str, dst: Tensor, src: Any, mask: Any, *, accumulate: bool = False, skip: bool = False
) -> None:
    """dst = src or dst += src with a mask of dst's positions."""
    check_mutable(dst)
    if not dst.shape:
        dst = cast(Tensor, dst.fitted((1, 1)))  # a mask may leave nothing of this element
    region, source = region_of(mask, dst.shape), src
    if isinstance(src, Tensor):
        turned = _turned(dst, src)
        if turned is not None:
            region, dst = None if region is None else carried(region, dst.shape, turned.shape), turned
        src = _fit(src, dst.shape, function, True)
    where: np.ndarray | None = None
    if region is not None:
        if region.empty:
            return
        dst = dst.box(region.box)
        src = src.box(region.box) if isinstance(src, Tensor) else src
        where = region.where
        if where is not None and dst.dynamic is not None:
            raise NkiError(
                "err_mask",
                f"{function} with a mask that is no box and an index from a tile, expected comparisons of "
                "one dimension each",
            )
    if isinstance(source, Tensor) and source.valid is not None and source.valid.empty:
        _warn_of_nothing(source)
    emit(operations.DmaCopy(dst=dst, where=where, src=src, accumulate=accumulate, skip_out_of_bounds=skip))


def oob(extras: dict[str, Any], function: str) -> oob_mode:
    """Checks `mode` among the arguments of a transfer."""
    mode = extras.pop("mode", None)
    return oob_mode.error if mode is None else engines.member(oob_mode, mode, function)


def loaded(function: str, src: Any, mask: Any, dtype: Any, extras: dict[str, Any]) -> Tensor:
    """Returns a tile in SBUF with the contents of a tensor in HBM."""
    mode = oob(extras, function)
    no_extras(function, extras)
    src = end(src, function, "src", ("hbm",))
    shape = src.shape if src.ndim > 1 else (*src.shape, 1) if src.ndim else (1, 1)
    source = _fit(src, shape, function, False)
    result = Result(shape, src.dtype if dtype is None else dtypes.as_dtype(dtype), mask, function=function)
    if mode != oob_mode.skip or not result.runs or result.where is not None or src.storage.void:
        return result.emit(
            operations.DmaCopy, src=result.cut(source), skip_out_of_bounds=mode == oob_mode.skip
        )
    result.tile.storage.bytes.fill()
    result.tile.storage.bytes.parts = None
    result.tile.deferred = _SkippingLoad(result, source)
    return result.tile


class _SkippingLoad:
    """A load that may leave rows out. If it is assigned at once, those rows of the destination keep their
    contents.
    """

    def __init__(self, result: Result, source: Tensor) -> None:
        self._result, self._source = result, source
        self._left = False  # only the destination has been loaded
        self._operation = operations.DmaCopy(
            dst=result.part, where=None, src=result.cut(source), skip_out_of_bounds=True
        )
        here = context.current()
        here.settle()
        context.note_place(self._operation)
        here.pending = self._operation

    def bind(self, dst: Tensor) -> None:
        here, tile = context.current(), self._result.tile
        at_once = here.pending is self._operation and dst.space == "sbuf" and dst.shape == tile.shape
        if at_once and tile.dtype in (dst.dtype, self._source.dtype):
            here.pending, self._left = None, True
            transfer("load", dst, self._source, self._result.region, skip=True)
        else:
            bind(dst, self.resolved())

    def resolved(self) -> Tensor:
        self._result.tile.deferred = None
        if self._left:
            context.emit(self._operation)
        return self._result.tile


def dma_copy(
    *,
    dst: Any,
    src: Any,
    mask: Any = None,
    dst_rmw_op: Any = None,
    oob_mode: Any = oob_mode.error,
    dge_mode: Any = dge_mode.unknown,
    **extras: Any,
) -> None:
    """dst = src between HBM and SBUF, cast where the types differ; dst_rmw_op=np.add adds."""
    no_extras("dma_copy", extras)
    engines.dge(dge_mode, "dma_copy")
    skip = engines.member(engines.oob_mode, oob_mode, "dma_copy") == engines.oob_mode.skip
    if dst_rmw_op is not None and alu_op(dst_rmw_op, "dma_copy", "dst_rmw_op").name != "add":
        raise NkiError(
            "err_argument", f"dst_rmw_op of dma_copy is {alu_op(dst_rmw_op, 'dma_copy').name}, expected add"
        )
    if dst_rmw_op is not None and skip:
        raise NkiError("err_argument", "dma_copy with dst_rmw_op and oob_mode.skip, expected oob_mode.error")
    target = end(dst, "dma_copy", "dst", ("hbm", "sbuf"))
    transfer(
        "dma_copy",
        target,
        end(src, "dma_copy", "src", ("hbm", "sbuf")),
        mask,
        accumulate=dst_rmw_op is not None,
        skip=skip,
    )


def dma_transpose(
    src: Any,
    *,
    axes: Any = None,
    mask: Any = None,
    dtype: Any = None,
    dge_mode: Any = dge_mode.unknown,
    **extras: Any,
) -> Tensor:
    """Returns src with its dimensions permuted: (1, 0), (2, 1, 0) or (3, 1, 2, 0)."""
    engines.dge(dge_mode, "dma_transpose")
    return permuted("dma_transpose", src, axes, mask, dtype, ("hbm", "sbuf"), extras)


def permuted(
    function: str, src: Any, axes: Any, mask: Any, dtype: Any, spaces: tuple[str, ...], extras: dict[str, Any]
) -> Tensor:
    a = tile(src, function, "src", spaces)
    order = _DMA_PERMUTATIONS.get(a.ndim)
    if order is None or (axes is not None and tuple(axes) != order):
        raise NkiError(
            "err_argument",
            f"{function} of {list(a.shape)} with axes {axes}, expected one of "
            f"{', '.join(map(str, _DMA_PERMUTATIONS.values()))}",
        )
    result = Result(
        tuple(a.shape[axis] for axis in order),
        a.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        domain=a.shape,
        axes=order,
        function=function,
        extras=extras,
    ).of(a)
    return result.emit(operations.DmaTranspose, src=result.cut(a), axes=order)


_COPY_ENGINES = (engine.vector, engine.scalar, engine.gpsimd)


def tensor_copy(
    src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **extras: Any
) -> Tensor:
    """Copies a tile."""
    return copied("tensor_copy", tile(src, "tensor_copy", "src"), mask, dtype, engine, extras)


def copied(function: str, src: Tensor, mask: Any, dtype: Any, which: Any, extras: dict[str, Any]) -> Tensor:
    name = engines.chosen(which, function, _COPY_ENGINES, src)
    result = Result(
        src.shape,
        src.dtype if dtype is None else dtypes.as_dtype(dtype),
        mask,
        function=function,
        extras=extras,
    )
    return result.emit(operations.TensorCopy, src=result.cut(src), engine=name)


def _dynamic(value: Any, function: str, name: str) -> Tensor:
    if not isinstance(value, Tensor) or value.dynamic is None or value.space == "hbm":
        raise NkiError(
            "err_index", f"{name} of {function}, expected a tile in sbuf or psum with an index from a tile"
        )
    if value.dynamic.index.shape != (1,) * value.dynamic.index.ndim:
        raise NkiError(
            "err_index",
            f"index {value.dynamic.index.describe()} of {name} of {function}, expected one element",
        )
    return value


def tensor_copy_dynamic_src(
    src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **extras: Any
) -> Tensor:
    """Copies from an offset that is an element of another tile."""
    return copied(
        "tensor_copy_dynamic_src",
        _dynamic(src, "tensor_copy_dynamic_src", "src"),
        mask,
        dtype,
        engine,
        extras,
    )


def tensor_copy_dynamic_dst(
    *, dst: Any, src: Any, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **extras: Any
) -> None:
    """Copies to an offset that is an element of another tile."""
    no_extras("tensor_copy_dynamic_dst", extras)
    target = _dynamic(dst, "tensor_copy_dynamic_dst", "dst")
    check_mutable(target)
    source = _fit(tile(src, "tensor_copy_dynamic_dst", "src"), target.shape, "tensor_copy_dynamic_dst", True)
    name = engines.chosen(engine, "tensor_copy_dynamic_dst", _COPY_ENGINES, target, source)
    region = region_of(mask, target.shape)
    if region is not None:
        if region.empty:
            return
        if region.where is not None:
            raise NkiError(
                "err_mask",
                "tensor_copy_dynamic_dst with a mask that is no box, expected comparisons of one dimension "
                "each",
            )
        target, source = target.box(region.box), source.box(region.box)
    if dtype is not None and dtypes.as_dtype(dtype) != target.dtype:
        raise NkiError(
            "err_dtype",
            f"dtype {dtypes.name_of(dtypes.as_dtype(dtype))} of tensor_copy_dynamic_dst, expected "
            f"{dtypes.name_of(target.dtype)} as dst",
        )
    context.emit(operations.TensorCopy(dst=target, where=None, src=source, engine=name))


def iota(expr: Any, dtype: Any, *, mask: Any = None, **extras: Any) -> Tensor:
    """Returns a tile of the values of an index expression."""
    if isinstance(expr, (int, np.integer)):
        expr = Affine((1, 1), int(expr), (0, 0))
    if not isinstance(expr, Affine):
        raise NkiError(
            "err_argument", f"expr of iota is {type(expr).__name__}, expected an expression of nl.arange"
        )
    if expr.ndim < 2:
        raise NkiError(
            "err_1d_arange_not_supported",
            "iota of nl.arange of one dimension, expected new axes: nl.arange(n)[None, :]",
        )
    result = Result(expr.shape, dtypes.as_dtype(dtype), mask, function="iota", extras=extras)
    if result.region is not None and result.runs:
        box = result.region.box
        offset = expr.offset + sum(step * low for step, (low, _) in zip(expr.coefficients, box))
        expr = Affine(tuple(high - low for low, high in box), offset, expr.coefficients)
    return result.emit(operations.Iota, expression=expr)


def _check_start(name: str, operand: Tensor, active: int) -> None:
    first = operand.starts[len(operand.storage.blocks)]
    allowed = start_partitions(active)
    if first not in allowed:
        raise NkiError(
            "err_argument",
            f"{name} of nc_stream_shuffle begins at partition {first}, expected "
            f"{' or '.join(map(str, allowed))} for {active} partitions",
        )


def nc_stream_shuffle(
    src: Any, dst: Any, shuffle_mask: Any, *, dtype: Any = None, mask: Any = None, **extras: Any
) -> None:
    """Sets row i of each 32 partitions of dst to row shuffle_mask[i] of src's; 255 leaves a row as it is."""
    no_extras("nc_stream_shuffle", extras)
    source, target = tile(src, "nc_stream_shuffle", "src"), destination(dst, "nc_stream_shuffle", "dst")
    rows = tuple(shuffle_mask)
    known = all(isinstance(row, (int, np.integer)) and (row == _KEPT or 0 <= row < QUADRANT) for row in rows)
    if len(rows) != QUADRANT or not known:
        raise NkiError(
            "err_argument",
            f"shuffle_mask of {len(rows)} entries {rows}, expected 32 integers of 0 to 31 or 255",
        )
    rows = tuple(map(int, rows))
    if source.dtype != target.dtype or (dtype is not None and dtypes.as_dtype(dtype) != target.dtype):
        raise NkiError(
            "err_dtype",
            f"nc_stream_shuffle of {dtypes.name_of(source.dtype)} to {dtypes.name_of(target.dtype)}, "
            "expected the same type",
        )
    if source.elements != target.elements:
        raise NkiError(
            "err_shape",
            f"nc_stream_shuffle of {list(source.shape)} to {list(target.shape)}, expected as many elements a "
            "partition",
        )
    active = -(-max(source.partitions, target.partitions) // QUADRANT) * QUADRANT
    _check_start("src", source, active)
    _check_start("dst", target, active)
    used = [
        row - row % QUADRANT + rows[row % QUADRANT]
        for row in range(target.partitions)
        if rows[row % QUADRANT] != _KEPT
    ]
    if used and max(used) >= source.partitions:
        raise NkiError(
            "err_num_partition_mismatch",
            f"nc_stream_shuffle takes row {max(used)} of src{list(source.shape)}, expected a row of it",
        )
    region = region_of(mask, target.shape)
    if region is not None and region.empty:
        return
    where = None
    if region is not None:
        where = np.zeros(target.shape, bool)
        where[tuple(slice(*bounds) for bounds in region.box)] = True if region.where is None else region.where
        where[[row for row in range(target.partitions) if rows[row % QUADRANT] == _KEPT]] = False
    context.emit(operations.StreamShuffle(dst=target, where=where, src=source, sources=rows))


def local_gather(
    src_buffer: Any,
    index: Any,
    num_elem_per_idx: int = 1,
    num_valid_indices: int | None = None,
    *,
    mask: Any = None,
    **extras: Any,
) -> Tensor:
    """Gathers in each GpSimd core from its 16 partitions at their indices together, partitions first."""
    src, at = (
        tile(src_buffer, "local_gather", "src_buffer", ("sbuf",)),
        tile(index, "local_gather", "index", ("sbuf",)),
    )
    same_partitions("local_gather", src_buffer=src, index=at)
    if src.partitions % GATHER_PARTITIONS:
        raise NkiError(
            "err_num_partition_mismatch",
            f"local_gather of {src.partitions} partitions, expected a multiple of {GATHER_PARTITIONS}",
        )
    if at.dtype != np.uint16:
        raise NkiError("err_dtype", f"index of local_gather is {dtypes.name_of(at.dtype)}, expected uint16")
    if num_elem_per_idx not in (1, 2, 4, 8, 16, 32):
        raise NkiError(
            "err_argument",
            f"num_elem_per_idx {num_elem_per_idx} of local_gather, expected 1, 2, 4, 8, 16 or 32",
        )
    most = GATHER_PARTITIONS * at.elements
    count = most if num_valid_indices is None else sizes((num_valid_indices,), "local_gather")[0]
    if not 1 <= count <= min(most, GATHER_INDICES):
        raise NkiError(
            "err_argument", f"{count} indices of local_gather, expected 1 to {min(most, GATHER_INDICES)}"
        )
    gathered = (at.elements, GATHER_PARTITIONS) if count == most else (count,)
    shape = (src.partitions, *gathered) + ((num_elem_per_idx,) if num_elem_per_idx > 1 else ())
    result = Result(
        shape,
        src.dtype,
        mask if isinstance(mask, (bool, type(None))) else _no_mask("local_gather"),
        function="local_gather",
        extras=extras,
    )
    return result.emit(operations.LocalGather, src=src, index=at, run=num_elem_per_idx)


def _no_mask(function: str) -> Any:
    raise NkiError("err_mask", f"a mask of positions of {function}, expected True, False or None")
