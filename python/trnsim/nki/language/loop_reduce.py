"""nl.loop_reduce: a reduction over iterations of loops, computed where its result is bound."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .. import alu, context, dtypes, errors, operations
from ..affine import Region, region_of
from ..binding import fit
from ..errors import NkiError
from ..isa.engines import engine
from ..isa.movement import copied
from ..loops import LoopIndex
from ..operands import Result, no_extras, tile
from ..tensor import Tensor


class Reduction:
    """One iteration's share. An assignment combines it with the destination; its value includes the
    iterations before.
    """

    def __init__(self, value: Tensor, op: alu.AluOp, first: bool, region: Region | None, key: Any) -> None:
        self._value, self._op, self._first, self._region, self._key = value, op, first, region, key
        shares = context.current().reductions
        if first or key not in shares:
            shares[key] = []
        shares[key].append(self)

    def bind(self, dst: Tensor) -> None:
        """Combines the share with the destination. The first iteration writes it instead, with 0 where its
        mask is false.
        """
        shares = context.current().reductions.get(self._key, [])
        if self in shares:
            shares.remove(self)
        value, part, where = fit(self._value, dst.shape), dst, None
        if self._region is not None:
            if self._first:
                context.emit(operations.Memset(dst=dst, where=None, value=0))
            if self._region.empty:
                return
            value, part, where = value.box(self._region.box), dst.box(self._region.box), self._region.where
        if self._first:
            context.emit(operations.TensorCopy(dst=part, where=where, src=value))
        else:
            context.emit(operations.TensorTensor(dst=part, where=where, a=part, b=value, op=self._op))

    def resolved(self) -> Tensor:
        """Returns the reduction of all iterations so far."""
        total: Tensor | None = None
        for share in context.current().reductions[self._key]:
            if total is None:
                total = Result(share._value.shape, share._value.dtype, None, function="loop_reduce").tile
                Reduction._combine(share, total, True)
            else:
                Reduction._combine(share, total, False)
            if share is self:
                break
        return cast(Tensor, total)  # this share is one of them

    def _combine(self, dst: Tensor, first: bool) -> None:
        before, self._first = self._first, first
        shares = context.current().reductions.pop(self._key)
        try:
            self.bind(dst)
        finally:
            context.current().reductions[self._key] = shares
            self._first = before


def _call_site() -> tuple[int, int]:
    """Returns the user's frame and its position in the code."""
    frame = errors.user_frame()
    return id(frame), frame.f_lasti


def _first(site: tuple[int, int], indices: tuple[Any, ...]) -> bool:
    """Returns whether the loops begin. A loop begins where its number is that of the first call."""
    numbers = tuple(int(index) for index in indices)
    begun = context.current().first_numbers.setdefault(site, numbers)
    return all(i.first if isinstance(i, LoopIndex) else n == b for i, n, b in zip(indices, numbers, begun))


def loop_reduce(
    x: Any, op: Any, loop_indices: Any, *, dtype: Any = None, mask: Any = None, **extras: Any
) -> Tensor:
    """Reduces x over the iterations of loops; the destination holds the reduction so far."""
    no_extras("loop_reduce", extras)
    found = alu.reduction(op, "loop_reduce")
    if found.name == "subtract":  # the first iteration is not subtracted from anything
        raise NkiError(
            "err_argument", "op of loop_reduce is subtract, expected one that takes its operands in any order"
        )
    indices = tuple(loop_indices) if isinstance(loop_indices, (tuple, list)) else (loop_indices,)
    if not indices or not all(
        isinstance(index, (int, np.integer)) and not isinstance(index, bool) for index in indices
    ):
        raise NkiError(
            "err_argument",
            f"loop_indices {loop_indices!r} of loop_reduce, expected variables of loops, or numbers",
        )
    value = tile(x, "loop_reduce", "x")
    valid = value.valid
    if value.space == "psum" or (dtype is not None and dtypes.as_dtype(dtype) != value.dtype):
        value = copied("loop_reduce", value, None, dtype, engine.unknown, {})
    others = tuple(
        (id(loop), loop.value)
        for loop in context.current().loops
        if all(loop is not getattr(index, "loop", None) for index in indices)
    )
    region = region_of(mask, value.shape)
    if value.storage.void:
        region = region_of(False, value.shape)
    if valid is not None and (region is None or valid.empty):
        region = valid  # nothing was written, so there is nothing to add
    handle = Tensor(value.storage, value.shape, value.starts, value.terms, value.checks)
    site = _call_site()
    handle.deferred = Reduction(value, found, _first(site, indices), region, (site, others))
    return handle
