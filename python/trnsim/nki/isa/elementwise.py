"""Elementwise instructions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import alu, context, dtypes, operations
from ..buffers import sizes
from ..errors import NkiError
from ..operands import Result, alike, column, not_both_psum, same_partitions, scalar_or_tile, tile
from ..tensor import Tensor
from . import engines
from .engines import engine

_NATIVE = (np.dtype(np.int32), np.dtype(np.uint32))


def _check_bits(function: str, ops: tuple[alu.AluOp, ...], *operands: Any) -> bool:
    """Returns whether an instruction works on bits; then all its tiles are integers of one type."""
    kinds = {op.kind == "bits" for op in ops}
    if len(kinds) > 1:
        raise NkiError(
            "err_argument",
            f"{function} of {' and '.join(op.name for op in ops)}, expected bit operations only or none",
        )
    if not kinds.pop():
        return False
    types = {operand.dtype for operand in operands if isinstance(operand, Tensor)}
    if len({t.itemsize for t in types}) > 1 or not all(map(dtypes.is_integer, types)):
        raise NkiError(
            "err_dtype",
            f"{function} with {ops[0].name} of {', '.join(sorted(map(dtypes.name_of, types)))}, expected "
            "integers of one size",
        )
    for operand in operands:
        if isinstance(operand, (float, np.floating)):
            raise NkiError("err_dtype", f"{function} with {ops[0].name} of {operand!r}, expected an integer")
    return True


def _bits_dtype(function: str, dtype: Any, like: np.dtype) -> np.dtype:
    found = like if dtype is None else dtypes.as_dtype(dtype)
    if found.itemsize != like.itemsize or not dtypes.is_integer(found):
        raise NkiError(
            "err_dtype",
            f"dtype {dtypes.name_of(found)} of {function} with a bit operation on {dtypes.name_of(like)}, "
            "expected an integer of its size",
        )
    return found


def _out(dtype: Any, default: np.dtype) -> np.dtype:
    return default if dtype is None else dtypes.as_dtype(dtype)


def common_dtype(op: alu.AluOp, a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the type of a result: the common one of the operands, fp32 for a quotient of integers."""
    found = dtypes.promote(a, b)
    return np.dtype(np.float32) if op.name == "divide" and dtypes.is_integer(found) else found


def _operand(value: Any, data: Tensor, function: str, name: str) -> Any:
    value = scalar_or_tile(value, function, name)
    return column(value, data, function, name) if isinstance(value, Tensor) else value


def tensor_tensor(
    data1: Any,
    data2: Any,
    op: Any,
    *,
    dtype: Any = None,
    mask: Any = None,
    engine: Any = engine.unknown,
    **extras: Any,
) -> Tensor:
    """data1 op data2. 32-bit integers are added, subtracted and multiplied as integers, on GpSimd."""
    a, b = tile(data1, "tensor_tensor", "data1"), tile(data2, "tensor_tensor", "data2")
    same_partitions("tensor_tensor", data1=a, data2=b)
    not_both_psum("tensor_tensor", data1=a, data2=b)
    a, b = alike("tensor_tensor", data1=a, data2=b)
    return combined("tensor_tensor", a, b, op, dtype, mask, engine, extras)


def combined(
    function: str, a: Tensor, b: Tensor, op: Any, dtype: Any, mask: Any, which: Any, extras: dict[str, Any]
) -> Tensor:
    """a op b of tiles of one shape."""
    op = alu.alu_op(op, function)
    if not op.composed:
        op = alu.isa_op(op, function)
    if _check_bits(function, (op,), a, b):
        out = _bits_dtype(function, dtype, a.dtype)
    else:
        out = _out(dtype, common_dtype(op, a.dtype, b.dtype))
    integers = op.name in ("add", "subtract", "multiply") and a.dtype == b.dtype == out and out in _NATIVE
    name = engines.chosen(which, function, (engine.vector, engine.gpsimd), a, b)
    if name == "vector":
        integers = False
        if op.name == "power":
            raise NkiError("err_engine", f"engine vector of {function} with power, expected gpsimd")
    result = Result(a.shape, out, mask, function=function, extras=extras)
    return result.emit(
        operations.TensorTensor, a=result.cut(a), b=result.cut(b), op=op, integers=integers, engine=name
    )


def tensor_scalar(
    data: Any,
    op0: Any,
    operand0: Any,
    reverse0: bool = False,
    op1: Any = None,
    operand1: Any = None,
    reverse1: bool = False,
    *,
    dtype: Any = None,
    mask: Any = None,
    engine: Any = engine.unknown,
    **extras: Any,
) -> Tensor:
    """(data op0 operand0) op1 operand1; operands have one element a partition or are constants."""
    a = tile(data, "tensor_scalar", "data")
    return scaled(
        "tensor_scalar",
        a,
        alu.isa_op(op0, "tensor_scalar", "op0"),
        operand0,
        reverse0,
        None if op1 is None else alu.isa_op(op1, "tensor_scalar", "op1"),
        operand1,
        reverse1,
        _out(dtype, a.dtype),
        mask,
        engine,
        extras,
    )


_SCALAR_ENGINE_FORMS = (("multiply", "add"), ("multiply", None), ("add", None))


def scaled(
    function: str,
    a: Tensor,
    op0: alu.AluOp,
    operand0: Any,
    reverse0: bool,
    op1: alu.AluOp | None,
    operand1: Any,
    reverse1: bool,
    dtype: np.dtype,
    mask: Any,
    which: Any,
    extras: dict[str, Any],
) -> Tensor:
    if (op1 is None) != (operand1 is None):
        raise NkiError(
            "err_argument",
            f"{function} with {'operand1' if op1 is None else 'op1'} alone, expected op1 and operand1 or "
            "neither",
        )
    operand0 = _operand(0 if operand0 is None else operand0, a, function, "operand0")
    operand1 = None if op1 is None else _operand(operand1, a, function, "operand1")
    steps = (op0,) if op1 is None else (op0, op1)
    name = engines.chosen(
        which, function, (engine.vector, engine.scalar, engine.gpsimd), a, operand0, operand1
    )
    if _check_bits(function, steps, a, operand0, operand1):
        dtype = _bits_dtype(function, dtype, a.dtype)
        if name not in ("any", "vector"):
            raise NkiError("err_engine", f"engine {name} of {function} with a bit operation, expected vector")
    if name == "gpsimd" and any(op.name != "rsqrt" for op in steps):
        raise NkiError("err_engine", f"engine gpsimd of {function} with {op0.name}, expected rsqrt")
    if name == "scalar" and (op0.name, None if op1 is None else op1.name) not in _SCALAR_ENGINE_FORMS:
        raise NkiError(
            "err_engine",
            f"engine scalar of {function} with {op0.name}, expected multiply and add, multiply, or add",
        )
    result = Result(a.shape, dtype, mask, function=function, extras=extras)
    return result.emit(
        operations.TensorScalar,
        a=result.cut(a),
        op0=op0,
        operand0=result.cut(operand0),
        reverse0=reverse0,
        op1=op1,
        operand1=result.cut(operand1),
        reverse1=reverse1,
        engine=name,
    )


def scalar_tensor_tensor(
    *,
    data: Any,
    op0: Any,
    operand0: Any,
    op1: Any,
    operand1: Any,
    reverse0: bool = False,
    reverse1: bool = False,
    dtype: Any = None,
    mask: Any = None,
    **extras: Any,
) -> Tensor:
    """(data op0 operand0) op1 operand1, where operand1 is a tile like data."""
    a = tile(data, "scalar_tensor_tensor", "data")
    b = tile(operand1, "scalar_tensor_tensor", "operand1")
    same_partitions("scalar_tensor_tensor", data=a, operand1=b)
    not_both_psum("scalar_tensor_tensor", data=a, operand1=b)
    a, b = alike("scalar_tensor_tensor", data=a, operand1=b)
    operand0 = _operand(operand0, a, "scalar_tensor_tensor", "operand0")
    steps = (alu.isa_op(op0, "scalar_tensor_tensor", "op0"), alu.isa_op(op1, "scalar_tensor_tensor", "op1"))
    if any(op.kind == "bits" for op in steps):
        raise NkiError(
            "err_argument",
            f"scalar_tensor_tensor of {steps[0].name} and {steps[1].name}, expected arithmetic operations",
        )
    result = Result(a.shape, _out(dtype, a.dtype), mask, function="scalar_tensor_tensor", extras=extras)
    return result.emit(
        operations.ScalarTensorTensor,
        a=result.cut(a),
        op0=steps[0],
        operand0=result.cut(operand0),
        op1=steps[1],
        b=result.cut(b),
        reverse0=reverse0,
        reverse1=reverse1,
    )


def reciprocal(data: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """1 / data, on Vector."""
    a = tile(data, "reciprocal", "data")
    result = Result(a.shape, _out(dtype, a.dtype), mask, function="reciprocal", extras=extras)
    return result.emit(operations.Reciprocal, src=result.cut(a))


def dropout(data: Any, prob: Any, *, mask: Any = None, dtype: Any = None, **extras: Any) -> Tensor:
    """data, or 0 with a probability; the draws come from the generators of Vector's lanes."""
    a = tile(data, "dropout", "data")
    prob = _operand(prob, a, "dropout", "prob")
    out = _out(dtype, a.dtype)
    if dtypes.is_integer(a.dtype):
        if out != a.dtype:
            raise NkiError(
                "err_dtype",
                f"dtype {dtypes.name_of(out)} of dropout of {dtypes.name_of(a.dtype)}, expected the same",
            )
        if isinstance(prob, Tensor) and prob.dtype != np.float32:
            raise NkiError(
                "err_dtype", f"prob of dropout of integers is {dtypes.name_of(prob.dtype)}, expected float32"
            )
    result = Result(a.shape, out, mask, function="dropout", extras=extras)
    return result.emit(operations.Dropout, src=result.cut(a), probability=result.cut(prob))


def memset(
    shape: Any, value: Any, dtype: Any, *, mask: Any = None, engine: Any = engine.unknown, **extras: Any
) -> Tensor:
    """Returns a tile of one value; its first dimension is the partitions."""
    dtypes.of_scalar(value)
    name = engines.chosen(engine, "memset", (engines.engine.vector, engines.engine.gpsimd))
    result = Result(sizes(shape, "memset"), dtypes.as_dtype(dtype), mask, function="memset", extras=extras)
    return result.emit(operations.Memset, value=value, engine=name)


def seed(value: Any) -> None:
    """Seeds the generators of `dropout` and of random tiles."""
    if isinstance(value, Tensor):
        value = tile(value, "random_seed", "seed")
        if value.shape != (1, 1) or value.dtype not in _NATIVE:
            raise NkiError(
                "err_argument", f"seed of random_seed is {value.describe()}, expected one 32-bit integer"
            )
    elif not isinstance(value, (int, np.integer)) or not 0 <= value < 1 << 32:
        raise NkiError(
            "err_argument",
            f"seed of random_seed is {value!r}, expected a 32-bit integer: 0 to {(1 << 32) - 1}",
        )
    context.emit(operations.RngSeed(seed=value))
