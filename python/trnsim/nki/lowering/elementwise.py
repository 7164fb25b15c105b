"""Elementwise operations on Vector, Scalar and GpSimd."""

from __future__ import annotations

import math
import struct
from typing import Any, cast

import numpy as np

from .. import alu, dtypes, operations as ops
from ..tensor import Tensor
from .movement import EXACT, copy, fill, for_gpsimd
from .selection import Selection
from .tiles import DTYPES, GPSIMD_TYPES, Tile

_TWO_PI = 2 * math.pi
_INTEGERS = 2.0**23  # every fp32 number from here on is an integer
_SCALAR = ("add", "multiply")  # operations of tensor_scalar that Scalar has
_LARGEST = float(np.finfo(np.float32).max)


def _bits(value: int) -> float:
    """Returns the fp32 number that has these bits."""
    number: float = struct.unpack("<f", struct.pack("<I", value & 0xFFFFFFFF))[0]
    return number


def _signals(value: int) -> bool:
    """Returns whether bits are those of a signalling NaN, which a number of the host does not keep."""
    return value & 0x7F800000 == 0x7F800000 and value & 0x7FFFFF != 0 and not value & 0x400000


def step(s: Selection, dst: Tensor, a: Tensor, op: str, operand: Any, reverse: bool = False) -> None:
    """dst = a op operand."""
    to, source = s.tiles(dst, a)
    s.call("tensor_scalar", dst=to, a=source, op0=op, operand0=s.scalar(operand), reverse0=reverse)


def both(s: Selection, dst: Tensor, a: Tensor, op: str, b: Tensor) -> None:
    """dst = a op b."""
    if a.space == b.space == "psum":
        b = s.converted(b, b.dtype, "sbuf")
    to, x, y = s.tiles(dst, a, b)
    s.call("tensor_tensor", dst=to, a=x, op=op, b=y)


def _fp32(s: Selection, like: Tensor) -> Tensor:
    return s.temporary(like.shape, np.float32)


def reciprocal_of(s: Selection, operand: ops.Operand) -> ops.Operand:
    if not isinstance(operand, Tensor):
        with np.errstate(divide="ignore"):
            return np.float32(1) / np.float32(operand)
    result = _fp32(s, operand)
    dst, a = s.tiles(result, operand)
    s.call("reciprocal", dst=dst, a=a)
    return result


def rounded(s: Selection, dst: Tensor, a: Tensor, name: str) -> None:
    """floor, ceil or trunc: the nearest integer, corrected by 1 where it is on the wrong side.

    Larger numbers are integers.
    """
    small, result = s.temporary(a.shape, np.uint8), s.temporary(dst.shape, dst.dtype)
    to, source = s.tiles(small, a)
    s.call("tensor_scalar", dst=to, a=source, op0="abs_max", operand0=0.0, op1="less", operand1=_INTEGERS)
    _rounded_small(s, result, a, name)
    copy(s, dst, a)
    to, predicate, source = s.tiles(dst, small, result)
    s.call("tensor_copy_predicated", dst=to, predicate=predicate, source=source, updates=True)


def _rounded_small(s: Selection, dst: Tensor, a: Tensor, name: str) -> None:
    integer, nearest, wrong = s.temporary(a.shape, np.int32), _fp32(s, a), _fp32(s, a)
    for to, source in ((integer, a), (nearest, integer)):
        dst_tile, source_tile = s.tiles(to, source)
        s.call("tensor_copy", dst=dst_tile, source=source_tile)
    if name == "trunc":
        size, source = _fp32(s, a), _fp32(s, a)
        step(s, source, a, "abs_max", 0.0)
        _rounded_small(s, size, source, "floor")
        sign = _fp32(s, a)
        activation(s, sign, a, "sign")
        both(s, dst, size, "multiply", sign)
        return
    both(s, wrong, nearest, "greater" if name == "floor" else "less", a)
    both(s, dst, nearest, "subtract" if name == "floor" else "add", wrong)


def _composed(s: Selection, dst: Tensor, a: Tensor, op: str, b: ops.Operand, reverse: bool) -> None:
    """divide, mod or fmod of a and b; of b and a if reversed."""
    x, y = (b, a) if reverse else (a, b)
    if op != "divide":
        _remainder(s, dst, x, y, op == "mod")
        return
    of_integers = dtypes.is_float(dst.dtype) and _integral(x) and _integral(y)
    share = _fp32(s, a) if of_integers else dst
    if reverse:
        _second(s, share, cast(Tensor, reciprocal_of(s, a)), "multiply", b)
    else:
        _second(s, share, a, "multiply", reciprocal_of(s, b))
    if of_integers:
        _whole(s, dst, share, x, y)


def _integral(x: ops.Operand) -> bool:
    return dtypes.is_integer(x.dtype) if isinstance(x, Tensor) else float(x).is_integer()


def _whole(s: Selection, dst: Tensor, share: Tensor, x: ops.Operand, y: ops.Operand) -> None:
    """dst = share, or the nearest integer if y times that is x.

    The product with a reciprocal may be a last place below an integer, which nl.floor would show.
    """
    integer, nearest, product = s.temporary(share.shape, np.int32), _fp32(s, share), _fp32(s, share)
    same, held = _fp32(s, share), s.temporary(share.shape, np.uint8)
    copy(s, integer, share)
    copy(s, nearest, integer)
    _second(s, product, nearest, "multiply", y)
    _second(s, same, product, "is_equal", x)
    _second(s, held, same, "logical_and", y)  # 0 / 0 stays NaN
    copy(s, dst, share)
    _copy_predicated(ops.CopyPredicated(dst=dst, where=None, src=nearest, predicate=held, inverted=False), s)


def _sign(s: Selection, x: ops.Operand) -> ops.Operand:
    if not isinstance(x, Tensor):
        return float(np.sign(x))
    sign = _fp32(s, x)
    activation(s, sign, x, "sign")
    return sign


def _size(s: Selection, x: ops.Operand, most: float) -> ops.Operand:
    """The smaller of |x| and `most`."""
    if not isinstance(x, Tensor):
        return min(abs(float(x)), most)
    size = _fp32(s, x)
    dst, a = s.tiles(size, x)
    s.call("tensor_scalar", dst=dst, a=a, op0="abs_max", operand0=0.0, op1="min", operand1=most)
    return size


def _remainder(s: Selection, dst: Tensor, x: ops.Operand, y: ops.Operand, of_divisor: bool) -> None:
    """The remainder of |x| / |y| with the sign of x.

    With `of_divisor` y is added if the signs of x and y differ. The quotient is rounded, so the remainder may
    be one |y| too large or too small before it is corrected.
    """
    like = max((v for v in (x, y) if isinstance(v, Tensor)), key=lambda v: v.elements)
    share, whole, part, rest, wrong, result = (_fp32(s, like) for _ in range(6))
    # with an infinite divisor the dividend remains
    dividend, divisor = (
        _size(s, x, math.inf),
        _size(s, y, _LARGEST),
    )
    if isinstance(dividend, Tensor) and dividend.elements == like.elements:
        _composed(s, share, dividend, "divide", divisor, False)
    else:
        _composed(s, share, cast(Tensor, divisor), "divide", dividend, True)
    rounded(s, whole, share, "floor")
    _second(s, part, whole, "multiply", divisor)
    _second(s, rest, part, "subtract", dividend, True)
    for test, limit, change in (("less", 0.0, "add"), ("greater_equal", divisor, "subtract")):
        _second(s, wrong, rest, test, limit)
        _second(s, part, wrong, "multiply", divisor)
        both(s, rest, rest, change, part)
    _second(s, result, rest, "multiply", _sign(s, x))
    if not of_divisor:
        copy(s, dst, result)
        return
    differs, more = s.temporary(like.shape, np.uint8), _fp32(s, like)
    _second(s, wrong, result, "multiply", _sign(s, y))
    step(s, differs, wrong, "less", 0.0)
    _second(s, more, result, "add", y)
    copy(s, dst, result)  # the destination may be y
    _copy_predicated(ops.CopyPredicated(dst=dst, where=None, src=more, predicate=differs, inverted=False), s)


def _second(s: Selection, dst: Tensor, a: Tensor, op: str, b: ops.Operand, reverse: bool = False) -> None:
    """Combines a tile with a tile of the same shape, a number, or one element a partition."""
    if isinstance(b, Tensor) and b.elements == a.elements and a.elements != 1:
        both(s, dst, b if reverse else a, op, a if reverse else b)
    else:
        step(s, dst, a, op, b, reverse)


def _on_gpsimd(s: Selection, tensor: Tensor) -> Tensor:
    """Returns a tile in SBUF of a type that GpSimd's microcode knows."""
    return s.converted(tensor, tensor.dtype if DTYPES[tensor.dtype] in GPSIMD_TYPES else np.float32, "sbuf")


def _gpsimd(s: Selection, method: str, dst: Tensor, a: Tensor, **arguments: Any) -> None:
    out = for_gpsimd(s, dst)
    operands = {"dst": out, "a": _on_gpsimd(s, a)} | {
        name: _on_gpsimd(s, value) for name, value in arguments.items() if isinstance(value, Tensor)
    }
    arguments.update(zip(operands, s.tiles(*operands.values())))
    s.call(method, **arguments, engine="gpsimd")
    if out is not dst:
        copy(s, dst, out)


def _tensor_tensor(op: ops.TensorTensor, s: Selection) -> None:
    name = op.op.name
    if name == "power" or op.integers:
        a, b = (s.converted(x, np.float32) if name == "power" else x for x in (op.a, op.b))
        _gpsimd(s, "tensor_tensor", op.dst, a, op=name, b=b)
    elif op.op.composed:
        _composed(s, op.dst, op.a, name, op.b, False)
    elif op.engine == "gpsimd" and op.op.kind != "bits":
        # GpSimd computes in the type of its operands; the language computes these in fp32.
        a, b = (s.converted(x, np.float32) if dtypes.is_integer(x.dtype) else x for x in (op.a, op.b))
        result = _fp32(s, op.dst) if dtypes.is_integer(op.dst.dtype) else op.dst
        _gpsimd(s, "tensor_tensor", result, a, op=name, b=b)
        if result is not op.dst:
            copy(s, op.dst, result)
    elif op.engine == "gpsimd":
        _gpsimd(s, "tensor_tensor", op.dst, op.a, op=name, b=op.b)
    else:
        both(s, op.dst, op.a, name, op.b)


def _immediate(
    s: Selection, operand: ops.Operand | None, raw: np.dtype | None, partitions: int
) -> float | Tile:
    """Returns an operand of one element a partition; with `raw` the bits of an integer of that type.

    Bits are extended with zeros, as those of the other operand are: a shift to the right takes them from
    above.
    """
    if operand is None:
        return 0.0
    if raw is None:
        return s.scalar(operand)
    bits = np.dtype(f"u{raw.itemsize}")
    if isinstance(operand, Tensor):
        return s.tile(s.converted(operand.reinterpreted(bits), np.uint32, "sbuf"))._replace(dtype="fp32")
    value = int(operand) & int(np.iinfo(bits).max)
    if not _signals(value):
        return _bits(value)
    return s.tile(s.constant(np.full((partitions, 1), value, np.uint32)))._replace(dtype="fp32")


def _tensor_scalar(op: ops.TensorScalar, s: Selection) -> None:
    steps: list[tuple[alu.AluOp, Any, bool]] = [(op.op0, op.operand0, op.reverse0)]
    if op.op1 is not None:
        steps.append((op.op1, op.operand1, op.reverse1))
    if all(_simple(first) for first, _, _ in steps):
        raw = op.a.dtype if op.op0.kind == "bits" else None
        dst, a = s.tiles(op.dst, op.a)
        either = (
            op.engine == "any"
            and all(first.name in _SCALAR for first, _, _ in steps)
            and all(dtypes.is_float(tensor.dtype) for tensor in (op.dst, op.a))
        )
        arguments: dict[str, Any] = {}
        for number, (first, operand, reverse) in enumerate(steps):
            arguments |= {
                f"op{number}": first.name,
                f"operand{number}": _immediate(s, operand, raw, op.a.partitions),
                f"reverse{number}": bool(reverse) and first.operands == 2,
            }
        engine = "scalar" if op.engine == "scalar" else "vector"
        s.call("tensor_scalar", dst=dst, a=a, **arguments, engine=engine, either=either)
        return
    source = op.a
    for number, (first, operand, reverse) in enumerate(steps):
        last = number == len(steps) - 1
        result = op.dst if last else _fp32(s, op.a)
        _one(s, result, source, first, operand, reverse)
        source = result


def _simple(op: alu.AluOp) -> bool:
    return not op.composed and op.name not in ("power", "rsqrt")


def _one(s: Selection, dst: Tensor, a: Tensor, op: alu.AluOp, operand: ops.Operand, reverse: bool) -> None:
    if op.name == "rsqrt":
        activation(
            s,
            dst,
            s.converted(operand, np.float32).broadcast(a.shape)
            if reverse and isinstance(operand, Tensor)
            else a,
            "rsqrt",
        )
    elif op.name == "power":
        base = s.converted(a, np.float32)
        _gpsimd(s, "tensor_scalar", dst, base, op0="power", operand0=s.scalar(operand), reverse0=reverse)
    elif op.composed:
        _composed(s, dst, a, op.name, operand, reverse)
    else:
        step(s, dst, a, op.name, operand, reverse and op.operands == 2)


def _scalar_tensor_tensor(op: ops.ScalarTensorTensor, s: Selection) -> None:
    if _simple(op.op0) and _simple(op.op1):
        dst, a, b = s.tiles(op.dst, op.a, op.b)
        s.call(
            "scalar_tensor_tensor",
            dst=dst,
            a=a,
            op0=op.op0.name,
            operand0=s.scalar(op.operand0),
            op1=op.op1.name,
            b=b,
            reverse0=op.reverse0 and op.op0.operands == 2,
            reverse1=op.reverse1 and op.op1.operands == 2,
        )
        return
    between = _fp32(s, op.a)
    _one(s, between, op.a, op.op0, op.operand0, op.reverse0)
    first, second = (op.b, between) if op.reverse1 else (between, op.b)
    combined = ops.TensorTensor(dst=op.dst, where=None, a=first, b=second, op=op.op1)
    _tensor_tensor(combined, s)


def _reciprocal(op: ops.Reciprocal, s: Selection) -> None:
    dst, a = s.tiles(op.dst, op.src)
    s.call("reciprocal", dst=dst, a=a)


def activation(s: Selection, dst: Tensor, a: Tensor, function: str, **arguments: Any) -> None:
    to, source = s.tiles(dst, a)
    s.call("activation", dst=to, a=source, function=function, **arguments)


def _wrapped(s: Selection, a: Tensor, shift: float) -> Tensor:
    """a + shift less a multiple of 2 pi, between -pi and pi."""
    moved, turns = _fp32(s, a), _fp32(s, a)
    step(s, moved, a, "add", shift)
    step(s, turns, moved, "multiply", 1 / _TWO_PI)
    # Adding a number between neighbours that are integers gives the nearest integer. It is an infinity for an
    # infinity, which makes the angle NaN.
    dst, source = s.tiles(turns, turns)
    s.call(
        "tensor_scalar",
        dst=dst,
        a=source,
        op0="add",
        operand0=1.5 * _INTEGERS,
        op1="subtract",
        operand1=1.5 * _INTEGERS,
    )
    angle = _fp32(s, a)
    dst, n, x = s.tiles(angle, turns, moved)
    s.call("scalar_tensor_tensor", dst=dst, a=n, op0="multiply", operand0=-_TWO_PI, op1="add", b=x)
    kept = _fp32(s, a)
    dst, source = s.tiles(kept, angle)
    bound = float(np.nextafter(np.float32(math.pi), np.float32(0)))
    s.call("tensor_scalar", dst=dst, a=source, op0="min", operand0=bound, op1="max", operand1=-bound)
    return kept


def _activation(op: ops.Activation, s: Selection) -> None:
    if op.function in ("floor", "ceil", "trunc"):
        rounded(s, op.dst, op.src, op.function)
    elif op.function == "cos":
        activation(s, op.dst, _wrapped(s, op.src, math.pi / 2), "sin")
    elif op.function == "tan":
        sine, cosine = _fp32(s, op.src), _fp32(s, op.src)
        activation(s, sine, _wrapped(s, op.src, 0.0), "sin")
        activation(s, cosine, _wrapped(s, op.src, math.pi / 2), "sin")
        both(s, op.dst, sine, "multiply", cast(Tensor, reciprocal_of(s, cosine)))
    else:
        arguments: dict[str, Any] = {}
        if isinstance(op.scale, Tensor) or op.scale != 1:
            arguments["scale"] = s.scalar(op.scale)
        if op.bias is not None:
            arguments["bias"] = s.tile(s.converted(op.bias, op.bias.dtype, "sbuf"))
        if op.reduce_cmd != "idle":
            arguments["reduce"] = op.reduce_cmd
        activation(s, op.dst, op.src, op.function, **arguments)
        if op.reduced is not None:
            s.call("act_read_accumulator", dst=s.tile(op.reduced))


def _copy_predicated(op: ops.CopyPredicated, s: Selection) -> None:
    dst, predicate = s.tiles(op.dst, op.predicate)
    arguments: dict[str, Any] = {"dst": dst, "predicate": predicate, "inverted": op.inverted, "updates": True}
    src = op.src
    of_integers = dtypes.is_integer(op.dst.dtype)
    if of_integers and isinstance(src, (int, np.integer)) and abs(int(src)) > EXACT:
        number, src = src, s.temporary(op.dst.shape, op.dst.dtype)  # the engine's goes through fp32
        fill(s, src, number)
    if isinstance(src, Tensor):
        dst, predicate, source = s.tiles(op.dst, op.predicate, s.converted(src, op.dst.dtype))
        s.call("tensor_copy_predicated", **(arguments | {"dst": dst, "predicate": predicate}), source=source)
    else:
        value = float(src != 0) if op.dst.dtype == bool else float(np.float32(src))
        s.call("memset_predicated", **arguments, value=value)


def _select(op: ops.Select, s: Selection) -> None:
    held = op.predicate
    if not dtypes.is_integer(held.dtype):
        truth = s.temporary(held.shape, np.uint8)
        step(s, truth, held, "not_equal", 0.0)
        held = truth
    copy(s, op.dst, op.b) if isinstance(op.b, Tensor) else fill(s, op.dst, op.b)
    _copy_predicated(ops.CopyPredicated(dst=op.dst, where=None, src=op.a, predicate=held, inverted=False), s)


HANDLERS = {
    ops.TensorTensor: _tensor_tensor,
    ops.TensorScalar: _tensor_scalar,
    ops.ScalarTensorTensor: _scalar_tensor_tensor,
    ops.Reciprocal: _reciprocal,
    ops.Activation: _activation,
    ops.CopyPredicated: _copy_predicated,
    ops.Select: _select,
}
