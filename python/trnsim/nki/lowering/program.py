"""From the operations of a kernel to a package of the kernel builder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np

import trnsim

from .. import operations as ops
from ..errors import NkiError
from ..limits import SBUF_USABLE_BYTES
from . import bools, elementwise, gathers, matmul, movement, reductions
from .allocation import SPACES, allocate
from .calls import TRANSFERS, Call, HbmTensor, Tile, View
from .fusion import Fusion
from .lives import Lives
from .movement import masked, of_two_dimensions
from .partitions import packed, skipping
from .schedule import schedule
from .selection import Selection, Shapes

_HANDLERS = movement.HANDLERS | elementwise.HANDLERS | matmul.HANDLERS | reductions.HANDLERS | gathers.HANDLERS


@dataclass
class Lowered:
    """A package and its tensors in HBM, by the identity of their storage."""

    package: Any
    tensors: dict[int, HbmTensor]
    calls: Sequence[Call]

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
    elif getattr(op, "where", None) is not None:
        masked(op, s, _handled)
    else:
        _handled(op, s)


def select(operations: Sequence[ops.Operation], names: dict[int, str], shapes: Optional[Shapes] = None) -> Selection:
    """Calls for the operations. `names`: of parameters, by the identity of their storage; `shapes`: theirs and those of results."""
    s = Selection(operations, names, shapes)
    for op in Fusion(operations).run():
        s.place = op.place
        if isinstance(op, ops.DevicePrint):  # printed while the kernel is traced
            continue
        try:
            _run(of_two_dimensions(op), s)
        except NkiError as error:  # its place would be that of the kernel's call
            raise NkiError(error.name, error.text, op.place) from None
    return s


@dataclass
class Arranged:
    """Calls in the order in which they are issued, the lives of their tiles with their places, and the tensors in HBM."""

    calls: Sequence[Call]
    lives: Lives
    tensors: dict[int, HbmTensor]


def arrange(operations: Sequence[ops.Operation], names: dict[int, str], shapes: Optional[Shapes] = None) -> Arranged:
    """Calls, order and places: in the kernel's order where only that leaves room. `names` and `shapes` as of `select`."""
    selection = select(operations, names, shapes)
    lives = Lives(selection.calls)
    order: Sequence[Call] = schedule(selection.calls, lives, SPACES)
    try:
        allocate(order, lives)
    except NkiError:
        order = selection.calls
        allocate(order, lives)
    return Arranged(order, lives, selection.tensors)


def lower(
    name: str, operations: Sequence[ops.Operation], names: dict[int, str], config: Any, shapes: Optional[Shapes] = None
) -> Lowered:
    """A package for a configuration. Raises NkiError with the line of what the model does not have."""
    return build(name, arrange(operations, names, shapes), config)


def build(name: str, arranged: Arranged, config: Any) -> Lowered:
    """A package of the kernel builder."""
    k = trnsim.KernelBuilder(name, config)
    k.sbuf(1, "u8", [SBUF_USABLE_BYTES])  # the kernel's; what is above is the builder's own
    loads, stores = k.queue("loads", owner="sync"), k.queue("stores", owner="gpsimd")
    views = {}
    for tensor in arranged.tensors.values():
        if tensor.name not in views:
            views[tensor.name] = k.tensor(tensor.name, tensor.kind, tensor.dtype, list(tensor.shape))

    def argument(call: Call, name: str, value: Any) -> Any:
        if isinstance(value, Tile):
            byte = value.byte + arranged.lives.of(call, name).byte
            return k.tile(value.area.space, value.partition, value.partitions, byte, value.dtype, list(value.axes))
        if isinstance(value, View):
            return views[value.tensor.name].pattern(value.offset, list(value.axes))
        return value

    try:
        for call in arranged.calls:
            k.place(*call.place)
            arguments = {name: argument(call, name, value) for name, value in call.arguments.items()}
            if call.method in TRANSFERS:
                arguments["queue"] = stores if call.method in ("store", "scatter") else loads
            try:
                getattr(k, call.method)(**arguments)
            except (trnsim.KernelError, IndexError) as error:
                raise NkiError("err_not_available", f"{call.method}: {error}", call.place) from None
        k.place()
        return Lowered(k.finish(), arranged.tensors, arranged.calls)
    finally:
        k.place()
