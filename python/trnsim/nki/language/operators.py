"""Operators of tiles: the functions of math.py, and sums in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import context, dtypes, operations
from ..affine import Affine, Mask
from ..binding import bind, carried, fit, target_of
from ..errors import NkiError
from ..indexing import DynamicIndex
from ..operands import destination, tile
from ..signatures import checked
from ..tensor import Tensor
from .math import (
    abs_,
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    divide,
    equal,
    greater,
    greater_equal,
    invert,
    left_shift,
    less,
    less_equal,
    mod,
    multiply,
    negative,
    not_equal,
    power,
    right_shift,
    subtract,
)

_COMPARED = (equal, not_equal)


def _operator(function: Callable[..., Tensor], reverse: bool = False) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, (Affine, DynamicIndex)):
            if function is add:
                return DynamicIndex(self, other) if isinstance(other, Affine) else other + self
            raise NkiError("err_index", f"{function.__name__} of a tile and an index, expected a sum")
        if isinstance(other, Mask):
            raise NkiError(
                "err_mask",
                f"{function.__name__} of a tile and comparisons of indices, expected nl.where or mask=",
            )
        if other is None and function in _COMPARED:
            return NotImplemented  # a tile is not None
        if not isinstance(other, (Tensor, int, float, np.generic, np.ndarray)):
            raise NkiError(
                "err_argument",
                f"{function.__name__} of a tile and {dtypes.described(other)}, expected a tile or a number",
            )
        return function(other, self) if reverse else function(self, other)

    return method


_OPERATORS = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "truediv": divide,
    "pow": power,
    "mod": mod,
    "and": bitwise_and,
    "or": bitwise_or,
    "xor": bitwise_xor,
    "lshift": left_shift,
    "rshift": right_shift,
}
_COMPARISONS = {
    "eq": equal,
    "ne": not_equal,
    "gt": greater,
    "ge": greater_equal,
    "lt": less,
    "le": less_equal,
}


def _refusal(sign: str, expected: str) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        raise NkiError("err_argument", f"{sign} of {self.describe()}, expected {expected}")

    return method


#: Operators of Python that the language does not have, and what does their work.
_REFUSED = {
    "floordiv": ("//", "nl.floor(nl.divide(x, y))"),
    "matmul": ("@", "nl.matmul"),
    "divmod": ("divmod", "nl.mod and nl.divide"),
}


def _in_place(function: Callable[..., Tensor]) -> Callable[[Tensor, Any], Tensor]:
    def method(self: Tensor, other: Any) -> Tensor:
        bind(self, function(self, other, dtype=self.dtype))
        return self

    return method


def _untouched(target: Tensor) -> bool:
    """Returns whether nothing has been written to a tensor in PSUM since the kernel made it."""
    boxes, reach = target.storage.boxes, target.reach()
    return boxes is not None and not any(
        all(a <= d and c <= b for (a, b), (c, d) in zip(reach, box)) for box in boxes
    )


def _add_in_place(dst: Tensor, value: Any) -> Tensor:
    """dst += value.

    In PSUM its adder does it; the first value that is added to unwritten elements overwrites them.
    """
    if dst.space != "psum" or not isinstance(value, Tensor) or value.storage.void or dst.storage.void:
        bind(dst, add(dst, value, dtype=dst.dtype))
        return dst
    target, source, where = (
        target_of(destination(dst, "+=", "destination"), value),
        tile(value, "+=", "source"),
        None,
    )
    if value.valid is not None:
        if value.valid.empty:
            return dst
        region = carried(value.valid, source.shape, target.shape)
        source, target, where = source.box(value.valid.box), target.box(region.box), region.where
    if _untouched(target):
        context.emit(operations.TensorCopy(dst=target, where=where, src=fit(source, target.shape)))
        return dst
    context.emit(operations.Accumulate(dst=target, where=where, src=fit(source, target.shape)))
    return dst


def _install() -> None:
    for name, function in _OPERATORS.items():
        setattr(Tensor, f"__{name}__", _operator(function))
        setattr(Tensor, f"__r{name}__", _operator(function, reverse=True))
        setattr(Tensor, f"__i{name}__", _in_place(function))
    for name in ("assert_shape", "astype", "broadcast_to", "expand_dims", "reshape", "view"):
        setattr(Tensor, name, checked(getattr(Tensor, name), f"tensor.{name}"))
    for name, words in _REFUSED.items():
        for prefix in ("", "r", "i"):
            setattr(Tensor, f"__{prefix}{name}__", _refusal(*words))
    for name, function in _COMPARISONS.items():
        setattr(Tensor, f"__{name}__", _operator(function))
    Tensor.__iadd__ = _add_in_place  # type: ignore[method-assign, assignment]
    Tensor.__neg__ = negative  # type: ignore[method-assign]
    Tensor.__invert__ = invert  # type: ignore[method-assign]
    Tensor.__abs__ = abs_  # type: ignore[method-assign]
    Tensor.__hash__ = object.__hash__  # type: ignore[method-assign, assignment]


_install()
