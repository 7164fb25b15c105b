"""Element types: the known ones, the common type of two of them, and conversions through fp32."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .errors import NkiError

bfloat16 = np.dtype(ml_dtypes.bfloat16)
float8_e4m3 = np.dtype(ml_dtypes.float8_e4m3)
float8_e5m2 = np.dtype(ml_dtypes.float8_e5m2)
tfloat32 = np.dtype("V4")
# One a line, so that a checker of types takes them in annotations.
float16 = np.float16
float32 = np.float32
int8 = np.int8
int16 = np.int16
int32 = np.int32
uint8 = np.uint8
uint16 = np.uint16
uint32 = np.uint32
bool_ = np.bool_

_F32 = np.dtype(np.float32)
_INTEGERS = tuple(np.dtype(t) for t in (int8, uint8, int16, uint16, int32, uint32))
_FLOATS = (float8_e5m2, float8_e4m3, np.dtype(float16), bfloat16, tfloat32, _F32)
#: All types that tensors may have.
KNOWN = frozenset(_INTEGERS + _FLOATS + (np.dtype(bool_),))
_BY_NAME = {
    "bfloat16": bfloat16,
    "float8_e4m3": float8_e4m3,
    "float8_e5m2": float8_e5m2,
    "tfloat32": tfloat32,
}

#: Pairs with a common type that is neither of the two.
_WIDENED: dict[frozenset[np.dtype], np.dtype] = {
    frozenset((np.dtype(float16), bfloat16)): _F32,
    frozenset((float8_e4m3, float8_e5m2)): bfloat16,
}


def as_dtype(dtype: Any) -> np.dtype:
    """Returns the element type that a NumPy type, a name or a type of this module names."""
    found: np.dtype | None = _BY_NAME.get(dtype) if isinstance(dtype, str) else None
    try:
        found = found or np.dtype(dtype)
    except TypeError:
        raise NkiError(
            "err_dtype", f"{dtype!r} is not an element type, expected one of nl.float32, nl.bfloat16, ..."
        ) from None
    if found not in KNOWN:
        raise NkiError(
            "err_dtype",
            f"element type {found}, expected one of {', '.join(map(name_of, _FLOATS + _INTEGERS))}",
        )
    return found


def name_of(dtype: np.dtype) -> str:
    return "tfloat32" if dtype == tfloat32 else dtype.name


def is_integer(dtype: np.dtype) -> bool:
    return dtype in _INTEGERS or dtype == bool_


def is_float(dtype: np.dtype) -> bool:
    return dtype in _FLOATS


def nearest(value: int, dtype: np.dtype) -> int:
    """Returns the integer of a type that is nearest to an integer of any size."""
    limits = np.iinfo(dtype)
    return min(max(value, int(limits.min)), int(limits.max))


def described(value: Any) -> str:
    """Describes a value of the host in one line."""
    return (
        f"ndarray of shape {list(value.shape)}"
        if isinstance(value, np.ndarray)
        else f"{type(value).__name__} {value!r}"
    )


def of_scalar(value: Any) -> np.dtype:
    """Returns the element type that a scalar of Python or NumPy counts as."""
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(uint8)
    if isinstance(value, np.generic) and value.dtype in KNOWN:
        return value.dtype
    if isinstance(value, (int, np.integer)):
        return np.dtype(int32)
    if isinstance(value, (float, np.floating)):
        return _F32
    raise NkiError("err_argument", f"found {described(value)}, expected a tile or a number")


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """Returns the type of an operation on elements of two types."""
    a, b = (np.dtype(uint8) if t == bool_ else t for t in (a, b))
    if a == b:
        return a
    if frozenset((a, b)) in _WIDENED:
        return _WIDENED[frozenset((a, b))]
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    if is_float(a):
        return max(a, b, key=_FLOATS.index)
    wider = np.promote_types(a, b)
    return wider if wider in KNOWN else _F32  # int64 and others, which 32 bits do not hold, become fp32


def to_fp32(values: np.ndarray) -> np.ndarray:
    """Returns elements of any type as fp32."""
    if values.dtype == np.float32:
        return values
    if values.dtype == tfloat32:
        return np.ascontiguousarray(values).view(np.float32)
    return values.astype(np.float32)


#: The least fp32 number that the engines take as other than 0.
_LEAST = np.float32(2.0**-126)


def flushed(values: np.ndarray) -> np.ndarray:
    """Returns fp32 elements with zeros of their sign in place of subnormals."""
    small = np.abs(values) < _LEAST
    return np.where(small, np.copysign(np.float32(0), values), values) if small.any() else values


def of_number(value: Any, dtype: np.dtype) -> np.ndarray:
    """Returns a number as an element: of an integer the nearest one, of others what `cast` gives."""
    exact = isinstance(value, (int, np.integer)) and is_integer(dtype) and dtype != bool_
    return (
        np.asarray(nearest(int(value), dtype), dtype) if exact else cast(np.asarray(value, np.float32), dtype)
    )


def _to_integer(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rounds to nearest even and saturates; NaN becomes 0."""
    limits = np.iinfo(dtype)
    wide = np.rint(values.astype(np.float64))
    bounded: np.ndarray = np.nan_to_num(np.clip(wide, limits.min, limits.max), nan=0.0).astype(dtype)
    return bounded


def _to_tf32(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values).view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return (
        np.where(np.isnan(values), bits & np.uint32(0xFFFFE000) | np.uint32(0x400000), rounded)
        .astype(np.uint32)
        .view(tfloat32)
    )


def cast(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Converts elements to another type through fp32, to nearest even. The same type is left as it is."""
    if values.dtype == dtype:
        return values
    if dtype == bool_:
        held: np.ndarray = flushed(to_fp32(values)) != 0
        return held
    exact = dtype in _INTEGERS and (
        values.dtype == bool_ or (values.dtype in _INTEGERS and np.can_cast(values.dtype, dtype))
    )
    if exact:
        return values.astype(dtype)
    single = to_fp32(values)
    if dtype in _INTEGERS:
        return _to_integer(single, dtype)
    if dtype == tfloat32:
        return _to_tf32(single)
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = single.astype(dtype)
    if dtype == float8_e4m3:
        overflow = np.isinf(narrow.astype(np.float32)) & np.isfinite(single)
        narrow = np.where(overflow, np.array(np.nan, dtype), narrow)
    return narrow


class _Fp32:
    """nl.fp32 and nisa.fp32."""

    min = float(np.uint32(0xFF7FFFFF).view(np.float32))


class _Bfp16:
    """nl.bfp16: the bit pattern 0xff80, which is minus infinity."""

    min = float("-inf")


fp32, bfp16 = _Fp32(), _Bfp16()


def finfo(dtype: Any) -> Any:
    """Returns the limits of a float type, as NumPy's finfo does."""
    return ml_dtypes.finfo(as_dtype(dtype))  # type: ignore[no-untyped-call]
