"""Elementwise operations on Vector and GpSimd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes, operations as ops
from ..alu import AluOp
from ..tensor import Tensor
from . import access

_ONE = np.float32(1)

#: Functions of fp32 operands.
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "power": np.power,
    "mod": np.mod,
    "fmod": np.fmod,
    "abs": np.abs,
    "reciprocal": lambda x: _ONE / x,
    "rsqrt": lambda x: _ONE / np.sqrt(x),
    "is_equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "logical_not": np.logical_not,
}
#: Operations beside tests that tell a subnormal number, which engines take as 0, from 0.
_OF_ZEROS = frozenset(("divide", "reciprocal", "rsqrt"))
_INTEGERS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}


def _shift(function: Any) -> Any:
    """A logical shift; an amount of the width or more gives 0."""

    def shift(x: np.ndarray, amount: Any) -> np.ndarray:
        bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
        amount = np.asarray(amount).astype(np.int64)
        width = 8 * x.dtype.itemsize
        wide = function(bits.astype(np.uint64), np.clip(amount, 0, width).astype(np.uint64))
        return np.where((amount < 0) | (amount >= width), 0, wide).astype(bits.dtype).view(x.dtype)

    return shift


_BITS = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_not": np.invert,
    "shift_left": _shift(np.left_shift),
    "shift_right": _shift(np.right_shift),
}


def apply(op: AluOp, x: Any, y: Any, reverse: bool = False) -> Any:
    """x op y of fp32 values; tests give 1.0 and 0.0."""
    if reverse:
        x, y = y, x
    if op.kind == "test" or op.name in _OF_ZEROS:
        x, y = (None if v is None else dtypes.flushed(v) for v in (x, y))
    result = _ARITHMETIC[op.name](x) if op.operands == 1 else _ARITHMETIC[op.name](x, y)
    return result.astype(np.float32) if op.kind == "test" else result


def in_place(op: AluOp, reverse: bool) -> Callable[[np.ndarray, np.ndarray, np.ndarray], Any]:
    """Returns a function that puts x op y of fp32 values into an array."""
    ufunc = _ARITHMETIC[op.name]
    if op.kind != "arithmetic" or op.name in _OF_ZEROS or not isinstance(ufunc, np.ufunc) or op.operands != 2:
        return lambda x, y, out: np.copyto(out, apply(op, x, y, reverse))
    if reverse:
        return lambda x, y, out: ufunc(y, x, out=out)
    return lambda x, y, out: ufunc(x, y, out=out)


def apply_bits(op: AluOp, x: Any, y: Any, dtype: np.dtype, reverse: bool = False) -> Any:
    """x op y of integers of a type, or of bools as bytes; a number is taken by its low bits."""
    dtype = np.dtype(np.uint8) if dtype == np.bool_ else dtype
    x, y = (_bits(v, dtype) for v in ((y, x) if reverse else (x, y)))
    return _BITS[op.name](np.asarray(x)) if op.operands == 1 else _BITS[op.name](np.asarray(x), y)


def _bits(value: Any, dtype: np.dtype) -> Any:
    if value is None:
        return value
    if isinstance(value, np.ndarray):
        # views of the same size
        return value if value.dtype == dtype else np.ascontiguousarray(value).view(dtype)
    return np.array(int(value) & ((1 << 8 * dtype.itemsize) - 1), np.dtype(f"u{dtype.itemsize}")).view(dtype)


def _raw(operand: Any) -> Any:
    return access.elements(operand) if isinstance(operand, Tensor) else operand


def _tensor_tensor(op: ops.TensorTensor, _: Any) -> None:
    if op.op.kind == "bits":
        access.write_bits(op, apply_bits(op.op, access.elements(op.a), access.elements(op.b), op.a.dtype))
    elif op.integers:
        access.write(
            op, _INTEGERS[op.op.name](access.elements(op.a), access.elements(op.b).astype(op.a.dtype))
        )
    else:
        access.write(op, apply(op.op, access.fp32(op.a), access.fp32(op.b)))


def _tensor_scalar(op: ops.TensorScalar, _: Any) -> None:
    if op.op0.kind == "bits":
        result = apply_bits(op.op0, access.elements(op.a), _raw(op.operand0), op.a.dtype, op.reverse0)
        if op.op1 is not None:
            result = apply_bits(op.op1, result, _raw(op.operand1), op.a.dtype, op.reverse1)
        access.write_bits(op, result)
        return
    result = apply(op.op0, access.fp32(op.a), access.fp32(op.operand0), op.reverse0)
    if op.op1 is not None:
        result = apply(op.op1, result, access.fp32(op.operand1), op.reverse1)
    access.write(op, result)


def _scalar_tensor_tensor(op: ops.ScalarTensorTensor, _: Any) -> None:
    first = apply(op.op0, access.fp32(op.a), access.fp32(op.operand0), op.reverse0)
    access.write(op, apply(op.op1, first, access.fp32(op.b), op.reverse1))


def _reciprocal(op: ops.Reciprocal, _: Any) -> None:
    access.write(op, _ONE / dtypes.flushed(access.fp32(op.src)))


HANDLERS = {
    ops.TensorTensor: _tensor_tensor,
    ops.TensorScalar: _tensor_scalar,
    ops.ScalarTensorTensor: _scalar_tensor_tensor,
    ops.Reciprocal: _reciprocal,
}
