"""Tiles that skip partitions, which no engine addresses: their rows go through HBM, one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .. import operations as ops
from ..tensor import Tensor
from .fusion import updates
from .movement import load, store
from .patterns import partition_step
from .selection import Selection

_WRITTEN = ("dst", "reduced", "indices")


def _skips(tensor: object) -> bool:
    if not isinstance(tensor, Tensor) or tensor.is_whole or tensor.shape[0] == 1:
        return False
    if tensor.storage.space == "hbm" or tensor.dynamic is not None:
        return False
    return partition_step(tensor) not in (0, tensor.storage.geometry[0])


def skipping(op: ops.Operation) -> list[str]:
    """Returns the names of the operands that skip partitions."""
    return [name for name in op.field_names if _skips(getattr(op, name))]


def _row(tensor: Tensor, at: int) -> Tensor:
    return tensor.box(((at, at + 1), *((0, size) for size in tensor.shape[1:])))


def _pack(s: Selection, packed: Tensor, tensor: Tensor) -> None:
    kept = s.scratch(tensor.shape, tensor.dtype)
    for at in range(tensor.partitions):
        store(s, _row(kept, at), _row(tensor, at))
    load(s, packed, kept)


def _unpack(s: Selection, tensor: Tensor, packed: Tensor) -> None:
    kept = s.scratch(tensor.shape, tensor.dtype)
    store(s, kept, packed)
    for at in range(tensor.partitions):
        load(s, _row(tensor, at), _row(kept, at))


def packed(op: ops.Operation, s: Selection, run: Callable[[ops.Operation, Selection], None]) -> None:
    """Runs the operation on tiles in neighbouring partitions."""
    changed: dict[str, Any] = {}
    for name in skipping(op):
        tensor = getattr(op, name)
        changed[name] = s.temporary(tensor.shape, tensor.dtype, tensor.space)
        if name not in _WRITTEN or updates(op) or getattr(op, "where", None) is not None:
            _pack(s, changed[name], tensor)
    run(dataclasses.replace(op, **changed), s)
    for name, tile in changed.items():
        if name in _WRITTEN:
            _unpack(s, getattr(op, name), tile)
