"""NumPy arrays and the element types of the device."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ._trnsim import Status
from .errors import Error

#: NumPy's type of every element type of the device; tf32 takes four bytes.
DTYPES: dict[str, np.dtype] = {
    "fp32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp16": np.dtype(np.float16),
    "fp8_e3m4": np.dtype(ml_dtypes.float8_e3m4),
    "fp8_e4m3": np.dtype(ml_dtypes.float8_e4m3),
    "fp8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "i8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "i16": np.dtype(np.int16),
    "u16": np.dtype(np.uint16),
    "i32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
}
_NAMES = {dtype: name for name, dtype in reversed(DTYPES.items())}


def dtype_name(dtype: Any) -> str:
    """Returns the device's name of an element type, given as one of these names or as a type of NumPy or
    ml_dtypes.
    """
    if isinstance(dtype, str) and dtype in DTYPES:
        return dtype
    try:
        found = np.dtype(dtype)
    except TypeError:  # NumPy does not know it either
        found = None
    name = _NAMES.get(found)
    if name is None:
        given = dtype if found is None else found.name
        raise Error(f"element type {given}, expected one of {', '.join(DTYPES)}", Status.INVALID)
    return name


def _descr(dtype: np.dtype) -> str:
    """Returns the type string of .npy files, in which the types of ml_dtypes are raw bytes."""
    return dtype.str if dtype.isbuiltin == 1 else f"{'<' if dtype.itemsize > 1 else '|'}V{dtype.itemsize}"


def to_device(name: str, dtype: str, array: Any) -> tuple[str, tuple[int, ...], bytes]:
    """Converts an array, or numbers in lists, to (type string, shape, bytes) for a tensor of an element type.

    The array has that type or is fp32, which is rounded to nearest even. Raises Error for any other type.
    """
    own = DTYPES[dtype]
    values = (
        np.asarray(array)
        if hasattr(array, "dtype")
        else np.asarray(array, np.float32 if own.kind not in "iu" else own)
    )
    floating = own.kind not in "iu"
    # The type of a pickled array is equal to NumPy's own type but is another object.
    kept = next((dtype for dtype in (own, DTYPES["fp32"])[: 1 + floating] if dtype == values.dtype), None)
    if kept is None:
        hint = "; .astype(np.float32) converts it" if floating else f"; .astype(np.{own.name}) converts it"
        expected = own.name if not floating or own == np.float32 else f"{own.name} or float32"
        raise Error(
            f"array '{name}' is {values.dtype.name}, expected {expected}{hint}", Status.EXEC_BAD_INPUT
        )
    return _descr(kept), values.shape, values.astype(kept.newbyteorder("<"), copy=False).tobytes()


def from_device(dtype: str, array: tuple[str, tuple[int, ...], bytes | bytearray]) -> np.ndarray:
    """Returns an array that the device holds, in NumPy's type of the element type. It shares a bytearray."""
    held = array[2] if isinstance(array[2], bytearray) else bytearray(array[2])
    return np.frombuffer(held, DTYPES[dtype]).reshape(array[1])
