"""Rows that are spread over the partitions by Tensor: a product with a column of ones, in PSUM.

Through HBM a row takes two transfers, and Vector reads two operands in SBUF at half its rate. What stays the
same from one iteration to the next is spread once, through HBM.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import operations as ops
from ..storage import Storage
from ..tensor import Tensor
from .fusion import MatmulAdded, whole
from .patterns import partition_step

_ON_ARRAY = (ops.Matmul, ops.Transpose, MatmulAdded)
_FP32 = np.dtype(np.float32)


@dataclass
class Spread(ops.Writing):
    """Sets each partition of dst in PSUM to the row src in SBUF."""

    src: Tensor


def _is_free(tensor: Tensor) -> bool:
    """Returns whether the kernel has left the place of a tile to the lowering."""
    return not tensor.storage.placed and not tensor.storage.places


def _row(op: ops.Operation) -> Tensor | None:
    """Returns the row at partition 0 that an operation copies to all partitions of a tile of its own."""
    if not isinstance(op, ops.TensorCopy) or op.where is not None or op.engine != "any":
        return None
    src, dst = op.src, op.dst
    if src.dynamic is not None or dst.dynamic is not None or src.space != "sbuf" or dst.space != "sbuf":
        return None
    if {src.dtype, dst.dtype} != {_FP32} or src.storage.bytes.viewed or dst.storage.bytes.viewed:
        return None
    if src.partitions == 1 or partition_step(src) != 0 or not _is_free(src) or not _is_free(dst):
        return None
    row = src.box(((0, 1), *((0, size) for size in src.shape[1:])))
    at_first = row.steps()[0] % row.storage.geometry[1] < row.storage.geometry[0]
    return row if at_first and dst.is_whole else None


def _reads_at_half_rate(op: ops.Operation, tile: Tensor) -> bool:
    """Returns whether Vector combines the tile with another one in SBUF, both in fp32."""
    if not isinstance(op, ops.TensorTensor) or op.integers or op.engine not in ("any", "vector"):
        return False
    if op.op.kind == "bits" or op.op.composed or op.op.name == "power" or op.dst.storage is tile.storage:
        return False
    return all(
        tensor.space == "sbuf" and tensor.dtype == _FP32 and tensor.dynamic is None for tensor in (op.a, op.b)
    ) and (op.a.storage is tile.storage) != (op.b.storage is tile.storage)


def _bytes(storage: Storage) -> int:
    """Returns the bytes of a partition that all blocks of a tile take."""
    return storage.bytes.size * storage.geometry[0] // storage.geometry[1]


class _Psum:
    """The bytes of a partition of PSUM that the tiles of a kernel take at each operation."""

    def __init__(self, operations: Sequence[ops.Operation]) -> None:
        extents: dict[int, list[int]] = {}
        sizes: dict[int, int] = {}
        for number, op in enumerate(operations):
            for tensor in op.tensors():
                if tensor.space == "psum":
                    extents.setdefault(tensor.storage.identity, [number, number])[1] = number
                    sizes[tensor.storage.identity] = _bytes(tensor.storage)
        self._used = np.zeros(len(operations) + 1, np.int64)
        for identity, (first, last) in extents.items():
            self._used[first] += sizes[identity]
            self._used[last + 1] -= sizes[identity]
        self._used = np.cumsum(self._used)

    def take(self, first: int, last: int, size: int, most: int) -> bool:
        """Returns whether there is room, and takes it."""
        here = self._used[first : last + 1]
        if here.max() + size > most:
            return False
        here += size
        return True


def _contents(operations: Sequence[ops.Operation], rows: dict[int, Tensor]) -> dict[int, Any]:
    """Returns what names the contents of each row: the transfer that has loaded it, or the row itself."""
    loaded: dict[int, Any] = {}
    found = {}
    for number, op in enumerate(operations):
        if number in rows:
            row = rows[number]
            identity = row.storage.identity
            found[number] = (loaded.get(identity, identity), row.steps(), row.shape)
        if isinstance(op, ops.Writing):
            src = op.src if isinstance(op, ops.DmaCopy) else None
            if isinstance(src, Tensor) and src.dynamic is None:
                loaded[op.dst.storage.identity] = (src.storage.identity, src.steps(), src.shape)
            else:
                loaded.pop(op.dst.storage.identity, None)
    return found


def _changing(operations: Sequence[ops.Operation], rows: dict[int, Tensor]) -> set[int]:
    """Returns the rows of calls that have another row in each iteration."""
    contents = _contents(operations, rows)
    calls: dict[Any, list[int]] = defaultdict(list)
    for number in rows:
        calls[operations[number].place].append(number)
    return {
        number
        for numbers in calls.values()
        if len(numbers) > 1
        and all(contents[one] != contents[other] for one, other in itertools.pairwise(numbers))
        for number in numbers
    }


def spread(operations: list[ops.Operation], target: Any) -> list[ops.Operation]:
    """Gives rows that change from one iteration to the next to Tensor, if it has nothing else to do."""
    rows = {number: row for number, op in enumerate(operations) if (row := _row(op)) is not None}
    if not rows or any(isinstance(op, _ON_ARRAY) for op in operations):
        return operations
    changing = _changing(operations, rows)
    uses = Counter(tensor.storage.identity for op in operations for tensor in op.tensors())
    psum, result = _Psum(operations), list(operations)
    waiting: dict[int, int] = {}  # by identity of a tile: the operation that spreads it
    for number, op in enumerate(operations):
        if number in changing and uses[op.dst.storage.identity] == 2:  # type: ignore[attr-defined]
            waiting[op.dst.storage.identity] = number  # type: ignore[attr-defined]
            continue
        if not isinstance(op, ops.TensorTensor):
            continue
        for name in ("a", "b"):
            tile: Tensor = getattr(op, name)
            first = waiting.pop(tile.storage.identity, None)
            if first is None or not _reads_at_half_rate(op, tile):
                continue
            dst: Tensor = operations[first].dst  # type: ignore[attr-defined]
            size = _bytes(tile.storage)
            if tile.shape != dst.shape or not whole(tile, dst) or size > target.psum_bank:
                continue
            if not psum.take(first, number, size, target.psum_partition // 2):
                continue
            made = Tensor.whole(Storage(None, "psum", _FP32, dst.shape, name=dst.storage.name))
            result[first] = Spread(dst=made, where=None, src=rows[first])
            result[first].place = operations[first].place
            changed: Any = {name: made}
            result[number] = dataclasses.replace(op, **changed)
            result[number].place = op.place
            break
    return result
