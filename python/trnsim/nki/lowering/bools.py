"""Results that are bools: engines write numbers, and a comparison with 0 makes bytes of 0 and 1 of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import operations as ops
from ..alu import AluOp
from ..tensor import Tensor
from .fusion import ARITHMETIC
from .movement import copy
from .selection import Selection

#: Operations that write numbers in the type of their destination.
_NUMBERS = (*ARITHMETIC, ops.Dropout, ops.TensorScalarReduce, ops.SelectReduce, ops.Max8, ops.MatchReplace8)
_WRITTEN = ("dst", "reduced")


def _bits(op: ops.Operation) -> bool:
    return any(getattr(getattr(op, name, None), "kind", "") == "bits" for name in ("op", "op0"))


def _gives_bools(op: ops.Operation) -> bool:
    """Returns whether an operation writes 0 and 1 by itself."""
    read = [getattr(op, field.name) for field in dataclasses.fields(op) if field.name not in _WRITTEN]
    bools = all(value.dtype == bool for value in read if isinstance(value, Tensor))
    steps = [value for value in read if isinstance(value, AluOp)]
    if isinstance(op, ops.TensorReduce) and (
        op.negate or math.prod(op.src.shape[op.src.ndim - op.axes :]) == 1
    ):
        return bools and not op.negate  # one element is taken as it is
    if isinstance(op, ops.TensorScalar) and _bits(op):
        numbers = [op.operand0] + ([] if op.op1 is None else [op.operand1])
        bools = bools and all(isinstance(number, Tensor) or number in (0, 1) for number in numbers)
    if _bits(op):
        return bools and all(step.name in ("bitwise_and", "bitwise_or", "bitwise_xor") for step in steps)
    if isinstance(op, (ops.TensorScalarReduce, ops.SelectReduce)):
        return False
    return bool(steps) and steps[-1].kind == "test"


def of_numbers(op: ops.Operation) -> list[str]:
    """Returns the names of the results that are bools and would be bytes other than 0 and 1."""
    if not isinstance(op, _NUMBERS):
        return []
    names = [
        name
        for name in _WRITTEN
        if isinstance(getattr(op, name, None), Tensor) and getattr(op, name).dtype == bool
    ]
    return names if names and not _gives_bools(op) else []


def compared(op: ops.Operation, s: Selection, run: Callable[[ops.Operation, Selection], None]) -> None:
    """Runs the operation with numbers as its results, and compares those with 0."""
    numbers: dict[str, Any] = {
        name: s.temporary(getattr(op, name).shape, np.uint8 if _bits(op) else np.float32)
        for name in of_numbers(op)
    }
    run(dataclasses.replace(op, **numbers), s)
    for name, number in numbers.items():
        copy(s, getattr(op, name), number)
