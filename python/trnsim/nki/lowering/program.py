"""Makes a package of the kernel builder from the operations of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

import trnsim

from .. import operations as ops
from ..errors import NkiError
from . import bools, elementwise, gathers, matmul, movement, reductions
from .dimensions import parts, too_many
from .fusion import Fusion
from .movement import masked, of_two_dimensions
from .partitions import packed, skipping
from .selection import Selection, Shapes
from .spreading import spread
from .tiles import HbmTensor

_HANDLERS: dict[type, Any] = (
    movement.HANDLERS | elementwise.HANDLERS | matmul.HANDLERS | reductions.HANDLERS | gathers.HANDLERS
)


@dataclass
class Lowered:
    """A package and its tensors in HBM, by the identity of their storage."""

    package: Any
    tensors: dict[int, HbmTensor]
    spills: list[str]  # a line for each buffer that goes to HBM for a while

    @property
    def constants(self) -> dict[str, np.ndarray]:
        return {tensor.name: tensor.values for tensor in self.tensors.values() if tensor.values is not None}


def _handled(op: ops.Operation, s: Selection) -> None:
    handler = _HANDLERS.get(type(op))
    if handler is None:
        raise s.refuse(f"{type(op).__name__} has no form on the model's engines, expected mode='simulation'")
    if bools.of_numbers(op):
        bools.compared(op, s, handler)
    else:
        handler(op, s)


def _run(op: ops.Operation, s: Selection) -> None:
    if skipping(op):
        packed(op, s, _run)
    elif too_many(op):
        for part in parts(op):
            _run(part, s)
    elif isinstance(op, ops.Writing) and op.where is not None:
        masked(op, s, _handled)
    else:
        _handled(op, s)


def select(
    name: str,
    operations: Sequence[ops.Operation],
    names: dict[int, str],
    config: Any,
    shapes: Shapes | None = None,
    results: dict[int, str] | None = None,
    as_written: bool = False,
) -> Selection:
    """Makes steps of the kernel builder for the operations.

    `names` are those of parameters, by the identity of their storage; `shapes` are those of parameters and of
    results, `results` the names of results. With `as_written`, Tensor gets no work that the kernel does not
    give it. Raises NkiError with the kernel's line for an operation that the
    model does not have.
    """
    s = Selection(name, config, operations, names, shapes, results)
    try:
        fused = Fusion(operations).run()
        for op in fused if as_written else spread(fused, s.target):
            if isinstance(op, ops.DevicePrint):  # it was printed while the kernel was traced
                continue
            s.at(cast(tuple[str, int], op.place))
            try:
                _run(of_two_dimensions(op), s)
            except NkiError as error:  # the place would be that of the kernel's call
                raise NkiError(error.name, error.text, op.place) from None
    finally:
        s.kernel.place()
    return s


def build(s: Selection, spill: bool = False, as_written: bool = False) -> Lowered:
    """Builds a package of the steps: the back end orders them and places their tiles.

    With `spill`, tiles that do not fit may go to HBM for a while. With `as_written`, loads and instructions
    that make again what a tile has already are executed.
    """
    queues = (s.queues["loads"], s.queues["stores"]) if spill else None
    try:
        package, spills = s.kernel.compile(sbuf=s.sizes["sbuf"], spill=queues, keep_repeats=as_written)
    except trnsim.AllocationError as error:
        text = str(error) if spill else f"{error}; spill=False or NKI_TRNSIM_SPILL=0 keeps tiles from HBM"
        raise NkiError("err_allocation", text, error.place) from None
    return Lowered(package, s.tensors, spills)


def lower(
    name: str,
    operations: Sequence[ops.Operation],
    names: dict[int, str],
    config: Any,
    shapes: Shapes | None = None,
    results: dict[int, str] | None = None,
    spill: bool = False,
    as_written: bool = False,
) -> Lowered:
    """Makes a package for a configuration; see `select` and `build`."""
    return build(select(name, operations, names, config, shapes, results, as_written), spill, as_written)
