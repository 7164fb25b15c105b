"""nki.checks(unwritten=True): unwritten elements, and results that are computed from them.

An instruction may work on more than its kernel needs: a tile that is loaded with a mask is often added to
another without one, and stored with the mask again. So a result of unwritten elements counts as unwritten,
element by element. It is an error where it leaves the chip or is used as an index. The error is placed at the
first instruction that has read the elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import operations as ops
from ..affine import Comparison
from ..context import options
from ..errors import NkiError
from ..tensor import Tensor

_Reason = tuple[str, tuple[str, int]]  # text and place


def _held(operand: Any) -> Any:
    """Returns a mask of the elements of an operand that are written."""
    if (
        not isinstance(operand, Tensor)
        or operand.dynamic is not None
        or operand.storage.bytes.written is None
    ):
        return np.array(True)  # elements at indices from a tile are checked where they are read
    marks = operand.marks() != 0
    for byte in range(1, operand.itemsize):
        marks &= operand.marks(byte) != 0
    return marks


def _all(operand: Any) -> Any:
    """Returns whether all elements of each partition are written, as [partitions, 1]."""
    held = _held(operand)
    return held.reshape(held.shape[0], -1).all(axis=1, keepdims=True) if held.ndim else held


def _shaped(held: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Returns a mask in the shape of a result, or one that broadcasts to it."""
    if held.ndim and held.size == int(np.prod(shape)):
        return held.reshape(shape)
    if held.ndim == 2 and held.shape[1] == 1:
        return held.reshape((held.shape[0],) + (1,) * (len(shape) - 1))
    return held


def _elementwise(*names: str) -> Callable[[Any], Any]:
    def rule(op: Any) -> Any:
        held = np.array(True)
        for name in names:
            held = held & _shaped(_held(getattr(op, name)), op.dst.shape)
        return held

    return rule


def _by_row(*names: str) -> Callable[[Any], Any]:
    """Each result depends on all elements of its partition."""

    def rule(op: Any) -> Any:
        held = np.array(True)
        for name in names:
            held = held & _all(getattr(op, name))
        return held

    return rule


def _chosen(op: Any, predicate: Tensor, inverted: bool, a: Any, b: Any) -> Any:
    shape = op.dst.shape
    taken = _shaped((predicate.array() != 0) != inverted, shape)
    return _shaped(_held(predicate), shape) & np.where(
        taken, _shaped(_held(a), shape), _shaped(_held(b), shape)
    )


def _affine_select(op: ops.AffineSelect) -> Any:
    taken = op.predicate.values() if isinstance(op.predicate, Comparison) else np.bool_(op.predicate)
    return np.where(taken, _held(op.src), True)


def _reduced(op: ops.TensorReduce) -> Any:
    return _held(op.src).all(axis=tuple(range(op.src.ndim - op.axes, op.src.ndim)))


def _matmul(op: ops.Matmul) -> Any:
    a, b = (_held(x).reshape(x.partitions, -1).all(axis=0) for x in (op.stationary, op.moving))
    return a[:, None] & b[None, :]


def _transpose(op: ops.Transpose) -> Any:
    return _held(op.src).reshape(op.src.partitions, -1).T


def _scan(op: ops.TensorTensorScan) -> Any:
    rows = (_held(op.a) & _held(op.b)).reshape(op.dst.partitions, -1)
    return np.logical_and.accumulate(rows, axis=1) & _shaped(_held(op.initial), rows.shape)


def _everything(*names: str) -> Callable[[Any], Any]:
    """Each result depends on all elements of all partitions."""
    return lambda op: np.array(all(bool(_held(getattr(op, name)).all()) for name in names))


#: Functions that give the results made of written elements alone. Operations that are not here have no
#: operands.
_RULES: dict[type, Callable[[Any], Any]] = {
    ops.DmaCopy: lambda op: _shaped(_held(op.src), op.dst.shape) & (_held(op.dst) if op.accumulate else True),
    # A parameter has one mark for all its elements.
    ops.DmaTranspose: lambda op: np.broadcast_to(_held(op.src), op.src.shape).transpose(op.axes),
    ops.TensorCopy: _elementwise("src"),
    ops.CopyPredicated: lambda op: _chosen(op, op.predicate, op.inverted, op.src, op.dst),
    ops.AffineSelect: _affine_select,
    ops.StreamShuffle: _everything("src"),
    ops.LocalGather: _everything("src", "index"),
    ops.GatherFlattened: _by_row("src", "index"),
    ops.Matmul: _matmul,
    ops.Accumulate: _elementwise("src", "dst"),
    ops.Transpose: _transpose,
    ops.TensorTensor: _elementwise("a", "b"),
    ops.TensorScalar: _elementwise("a", "operand0", "operand1"),
    ops.ScalarTensorTensor: _elementwise("a", "operand0", "b"),
    ops.Select: lambda op: _chosen(op, op.predicate, False, op.a, op.b),
    ops.Activation: _elementwise("src", "scale", "bias"),
    ops.Reciprocal: _elementwise("src"),
    ops.Dropout: _elementwise("src", "probability"),
    ops.TensorReduce: _reduced,
    ops.TensorScalarReduce: _elementwise("a", "operand0"),
    ops.SelectReduce: lambda op: _chosen(op, op.predicate, op.inverted, op.a, op.otherwise),
    ops.TensorTensorScan: _scan,
    ops.PartitionReduce: lambda op: _held(op.src).all(axis=0),
    ops.BnStats: _by_row("src"),
    ops.BnAggr: _by_row("src"),
    ops.Max8: _by_row("src"),
    ops.FindIndex8: _by_row("src", "values"),
    ops.MatchReplace8: _by_row("src", "values"),
    ops.SequenceBounds: _everything("src"),
}


class Unwritten:
    """Goes through the operations along with the golden executor."""

    def __init__(self) -> None:
        # by the marks of a memory: the place that has put unwritten elements there
        self._reasons: dict[int, _Reason] = {}

    def before(self, op: Any) -> np.ndarray | None:
        """Returns a mask of the results made of written elements; None means all.

        Raises err_read_of_unwritten_memory.
        """
        if not options.check_unwritten:
            return None
        for tensor in _sources(op):
            if tensor.dynamic is not None:
                self._refuse_unwritten(op, tensor.dynamic.index, _held(tensor.dynamic.index))
        rule = _RULES.get(type(op))
        if rule is None:
            for tensor in _sources(op):
                self._refuse_unwritten(op, tensor, _held(tensor))
            return None
        dst = op.dst
        held = np.broadcast_to(_shaped(rule(op), dst.shape), dst.shape)
        where = getattr(op, "where", None)
        if where is not None:
            held = held | ~where
        if held.all():
            return None
        if dst.space == "hbm" or dst.dynamic is not None:
            source = next((tensor for tensor in _sources(op) if not _held(tensor).all()), dst)
            self._refuse_unwritten(op, source, held)
        return held

    def after(self, op: Any, held: np.ndarray | None) -> None:
        """Clears the marks of results that are made of unwritten elements."""
        if held is None:
            return
        reason = next((r for r in map(self._reason, _sources(op)) if r is not None), None) or self._read_here(
            op
        )
        reduced = [op.reduced] if isinstance(getattr(op, "reduced", None), Tensor) else []
        wrong = [(op.dst, ~held), *((t, ~held.reshape(held.shape[0], -1).all(axis=1)) for t in reduced)]
        for tensor, where in wrong:
            for byte in range(tensor.itemsize):
                np.copyto(tensor.marks(byte), 0, where=where.reshape(tensor.shape))
            self._reasons.setdefault(id(tensor.storage.bytes.written), reason)

    def _reason(self, tensor: Tensor) -> _Reason | None:
        return None if _held(tensor).all() else self._reasons.get(id(tensor.storage.bytes.written))

    def _read_here(self, op: Any) -> _Reason:
        tensor = next(t for t in _sources(op) if not _held(t).all())
        return _text(tensor, _held(tensor)), op.place

    def _refuse_unwritten(self, op: Any, tensor: Tensor, held: np.ndarray) -> None:
        if not held.all():
            text, place = self._reason(tensor) or (_text(tensor, held), op.place)
            raise NkiError("err_read_of_unwritten_memory", text, place)


def _sources(op: Any) -> list[Tensor]:
    found = [
        getattr(op, name)
        for name in op.field_names
        if name not in op.result_names and isinstance(getattr(op, name), Tensor)
    ]
    updated = isinstance(op, (ops.Accumulate, ops.CopyPredicated)) or getattr(op, "accumulate", False)
    dynamic = isinstance(getattr(op, "dst", None), Tensor) and op.dst.dynamic is not None
    return found + ([op.dst] if updated or dynamic else [])


def _text(tensor: Tensor, held: np.ndarray) -> str:
    first = [int(i) for i in np.argwhere(~held)[0]]
    return (
        f"{tensor.describe()} in {tensor.space}: {int((~held).sum())} elements are read that nothing has "
        f"written, the first at {first}"
    )
