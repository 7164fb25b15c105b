"""Elementwise functions, in terms of the instructions that compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import alu, context, dtypes, operations
from ..affine import Mask, region_of
from ..errors import NkiError
from ..isa import elementwise as isa
from ..isa.activation import activated
from ..isa.engines import engine, reduce_cmd as commands
from ..isa.movement import copied
from ..operands import Result, dtype_of, no_extras, tile
from ..tensor import Tensor
from . import creation


def _tile(value: Any, function: str, name: str) -> Any:
    return tile(value, function, name) if isinstance(value, Tensor) else value


def _column_of(value: Tensor, other: Tensor) -> bool:
    """Returns whether a tile has one element for each partition of another."""
    return value.elements == 1 and value.partitions == other.partitions and value.ndim <= other.ndim


def _common_shape(function: str, x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape of two tiles together: partitions first, free dimensions by NumPy's rule."""
    try:
        return np.broadcast_shapes(x[:1], y[:1]) + np.broadcast_shapes(x[1:], y[1:])
    except ValueError:
        name = "err_num_partition_mismatch" if x[0] != y[0] and 1 not in (x[0], y[0]) else "err_shape"
        raise NkiError(
            name, f"{function} of {list(x)} and {list(y)}, expected shapes that broadcast"
        ) from None


def spread(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Returns a tile in a larger shape: partitions are copied, free dimensions repeat in the pattern."""
    if value.partitions != shape[0]:
        value = creation.broadcast_to(value, shape=(shape[0], *value.shape[1:]))
    return value.broadcast(shape)


def binary(
    op: alu.AluOp, x: Any, y: Any, function: str, dtype: Any, mask: Any, extras: dict[str, Any]
) -> Tensor:
    x, y = _tile(x, function, "x"), _tile(y, function, "y")
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        raise NkiError(
            "err_argument",
            f"{function} of {dtypes.described(x)} and {dtypes.described(y)}, expected at least one tile",
        )
    if dtype is not None:
        out = dtypes.as_dtype(dtype)
    elif (
        op.kind == "bits"
        and len(kinds := {value.dtype for value in (x, y) if isinstance(value, Tensor)}) == 1
    ):
        (out,) = kinds  # the bits of a number are taken in the tile's type
        if not op.name.startswith("bitwise"):
            out = dtypes.promote(out, out)
    else:
        out = isa.common_dtype(op, dtype_of(x), dtype_of(y))
    if (
        isinstance(x, Tensor)
        and isinstance(y, Tensor)
        and x.shape != y.shape
        and _column_of(x, y)
        and not _column_of(y, x)
    ):
        return isa.scaled(function, y, op, x, True, None, None, False, out, mask, engine.unknown, extras)
    if not isinstance(x, Tensor):
        return isa.scaled(function, y, op, x, True, None, None, False, out, mask, engine.unknown, extras)
    if not isinstance(y, Tensor) or (x.shape != y.shape and _column_of(y, x)):
        return isa.scaled(function, x, op, y, False, None, None, False, out, mask, engine.unknown, extras)
    if x.shape != y.shape:
        shape = _common_shape(function, x.shape, y.shape)
        x, y = spread(x, shape), spread(y, shape)
    if x.space == y.space == "psum":
        y = copied(function, y, None, None, engine.unknown, {})
    return isa.combined(function, x, y, op, out, mask, engine.unknown, extras)


def _binary(name: str, op: str, summary: str, default: Any = None) -> Callable[..., Tensor]:
    row = alu.ALU[op]

    def function(x: Any, y: Any, dtype: Any = default, mask: Any = None, **extras: Any) -> Tensor:
        return binary(row, x, y, name, dtype, mask, extras)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


add = _binary("add", "add", "x + y")
subtract = _binary("subtract", "subtract", "x - y")
multiply = _binary("multiply", "multiply", "x * y")
divide = _binary("divide", "divide", "x / y, fp32 of integers")
power = _binary("power", "power", "x to the power of y")
mod = _binary("mod", "mod", "The remainder of x / y with the sign of y.")
fmod = _binary("fmod", "fmod", "The remainder of x / y with the sign of x.")
maximum = _binary("maximum", "max", "The larger of x and y.")
minimum = _binary("minimum", "min", "The smaller of x and y.")
equal = _binary("equal", "is_equal", "x == y", bool)
not_equal = _binary("not_equal", "not_equal", "x != y", bool)
greater = _binary("greater", "greater", "x > y", bool)
greater_equal = _binary("greater_equal", "greater_equal", "x >= y", bool)
less = _binary("less", "less", "x < y", bool)
less_equal = _binary("less_equal", "less_equal", "x <= y", bool)
logical_and = _binary("logical_and", "logical_and", "Whether x and y are not 0.", bool)
logical_or = _binary("logical_or", "logical_or", "Whether x or y is not 0.", bool)
logical_xor = _binary("logical_xor", "logical_xor", "Whether one of x and y is not 0.", bool)
bitwise_and = _binary("bitwise_and", "bitwise_and", "x & y of integers")
bitwise_or = _binary("bitwise_or", "bitwise_or", "x | y of integers")
bitwise_xor = _binary("bitwise_xor", "bitwise_xor", "x ^ y of integers")
left_shift = _binary("left_shift", "shift_left", "x << y of integers")
right_shift = _binary("right_shift", "shift_right", "x >> y of integers, zeros from above")


def _unary(name: str, summary: str) -> Callable[..., Tensor]:
    composed = name in alu.COMPOSED_FUNCTIONS

    def function(x: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
        if not composed:
            return activated(name, name, x, None, 1.0, None, None, commands.idle, mask, dtype, extras)
        a = tile(x, name, "x")
        result = Result(
            a.shape, a.dtype if dtype is None else dtypes.as_dtype(dtype), mask, function=name, extras=extras
        )
        return result.emit(operations.Activation, function=name, src=result.cut(a), scale=1.0, bias=None)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


abs_ = _unary("abs", "|x|")
arctan = _unary("arctan", "The arc tangent of x.")
ceil = _unary("ceil", "The least integer not below x.")
cos = _unary("cos", "The cosine of x.")
erf = _unary("erf", "The error function of x.")
erf_dx = _unary("erf_dx", "The derivative of erf at x.")
exp = _unary("exp", "e to the power of x")
floor = _unary("floor", "The largest integer not above x.")
gelu = _unary("gelu", "x times the normal distribution at x.")
gelu_apprx_sigmoid = _unary("gelu_apprx_sigmoid", "gelu by a sigmoid: x sigmoid(1.702 x)")
gelu_apprx_tanh = _unary("gelu_apprx_tanh", "gelu by a tanh")
gelu_dx = _unary("gelu_dx", "The derivative of gelu at x.")
log = _unary("log", "The natural logarithm of x.")
mish = _unary("mish", "x tanh(softplus(x))")
relu = _unary("relu", "The larger of x and 0.")
rsqrt = _unary("rsqrt", "1 / sqrt(x)")
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x))")
sign = _unary("sign", "-1, 0 or 1")
silu = _unary("silu", "x sigmoid(x)")
silu_dx = _unary("silu_dx", "The derivative of silu at x.")
sin = _unary("sin", "The sine of x.")
softplus = _unary("softplus", "log(1 + exp(x))")
sqrt = _unary("sqrt", "The square root of x.")
square = _unary("square", "x x")
tan = _unary("tan", "The tangent of x.")
tanh = _unary("tanh", "The hyperbolic tangent of x.")
trunc = _unary("trunc", "x without its fraction.")


def negative(x: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """-x."""
    a = tile(x, "negative", "x")
    return binary(alu.ALU["multiply"], a, -1.0, "negative", a.dtype if dtype is None else dtype, mask, extras)


def reciprocal(x: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """1 / x."""
    return isa.reciprocal(x, dtype=dtype, mask=mask, **extras)


def invert(x: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """~x of integers; for a bool whether it is False."""
    if tile(x, "invert", "x").dtype == bool:
        return logical_not(x, dtype=bool if dtype is None else dtype, mask=mask, **extras)
    return _one_operand(
        "bitwise_not", x, "invert", None if dtype is None else dtypes.as_dtype(dtype), mask, extras
    )


def logical_not(x: Any, *, dtype: Any = bool, mask: Any = None, **extras: Any) -> Tensor:
    """Tests whether x is 0."""
    return _one_operand("logical_not", x, "logical_not", dtypes.as_dtype(dtype), mask, extras)


def _one_operand(
    op: str, x: Any, function: str, dtype: np.dtype | None, mask: Any, extras: dict[str, Any]
) -> Tensor:
    a = tile(x, function, "x")
    return isa.scaled(
        function,
        a,
        alu.ALU[op],
        0,
        False,
        None,
        None,
        False,
        a.dtype if dtype is None else dtype,
        mask,
        engine.unknown,
        extras,
    )


def _held(mask: Mask, shapes: Sequence[tuple[int, ...]]) -> Tensor:
    """Returns a tile of 1 where a mask holds and of 0 elsewhere, in the shape of the tiles beside it."""
    shape = shapes[0] if shapes else mask.shape
    for other in shapes[1:]:
        shape = _common_shape("where", shape, other)
    held = creation.zeros(shape, np.uint8)
    region = region_of(mask, shape)
    if region is None:
        context.emit(operations.Memset(dst=held, where=None, value=1))
    elif not region.empty:
        context.emit(operations.Memset(dst=held.box(region.box), where=region.where, value=1))
    return held


def where(condition: Any, x: Any, y: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """x where the condition, a tile or comparisons of indices, is not 0, else y."""
    no_extras("where", extras)
    x, y = _tile(x, "where", "x"), _tile(y, "where", "y")
    if isinstance(condition, Mask):
        condition = _held(condition, [value.shape for value in (x, y) if isinstance(value, Tensor)])
    held = tile(condition, "where", "condition")
    shape = held.shape
    for value in (x, y):
        if isinstance(value, Tensor):
            shape = _common_shape("where", shape, value.shape)
    held, x, y = (spread(value, shape) if isinstance(value, Tensor) else value for value in (held, x, y))
    out = dtypes.promote(dtype_of(x), dtype_of(y)) if dtype is None else dtypes.as_dtype(dtype)
    result = Result(shape, out, mask, function="where")
    return result.emit(operations.Select, predicate=result.cut(held), a=result.cut(x), b=result.cut(y))
