"""Tensors of torch and arrays of jax in the host's memory, as arguments and as results.

They are read by the protocols that they have, DLPack and `__array__`. Neither framework is imported here: an
argument has brought its own along.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from .errors import NkiError

#: Types of torch that it does not give to NumPy, with one of the same size that it does.
_BY_BITS = {
    "bfloat16": (np.dtype(ml_dtypes.bfloat16), "int16"),
    "float8_e5m2": (np.dtype(ml_dtypes.float8_e5m2), "uint8"),
}
_IN_THE_HOST = 1  # DLPack's number of the host's memory


def _module(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def is_foreign(value: Any) -> bool:
    """Returns whether a value is an array of a framework. Element types are values, too."""
    return not isinstance(value, (np.ndarray, np.generic, type)) and (
        hasattr(value, "__array__") or hasattr(value, "__dlpack__")
    )


def array_of(name: str, value: Any) -> np.ndarray:
    """Returns an argument of a framework as an array of NumPy, which shares its memory if that can be."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    try:
        found = _of_torch(name, value) if _module(value) == "torch" else _of_protocol(value)
    except NkiError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise NkiError(
            "err_argument",
            f"argument {name} is a {kind}: {text}, expected an array in the host's memory that NumPy reads",
        ) from error
    if not isinstance(found, np.ndarray) or found.dtype == object:
        raise NkiError("err_argument", f"argument {name} is a {kind}, expected an array of numbers")
    return found


def _of_protocol(value: Any) -> np.ndarray:
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if value.__dlpack_device__()[0] != _IN_THE_HOST:
        raise BufferError(f"it is on device {value.__dlpack_device__()}")
    return np.from_dlpack(value)


def _of_torch(name: str, value: Any) -> np.ndarray:
    if value.device.type != "cpu":
        raise NkiError(
            "err_argument",
            f"argument {name} is a tensor of torch on {value.device}, expected one in the host's memory, as "
            ".cpu() makes",
        )
    value = value.detach()
    dtype, same_size = _BY_BITS.get(str(value.dtype).rpartition(".")[2], (None, ""))
    if dtype is None:
        plain: np.ndarray = value.numpy()
        return plain
    bits: np.ndarray = value.view(getattr(sys.modules["torch"], same_size)).numpy()
    return bits.view(dtype)


def _to_torch(array: np.ndarray) -> Any:
    torch = sys.modules["torch"]
    for name, (dtype, same_size) in _BY_BITS.items():
        if array.dtype == dtype:
            return torch.from_numpy(array.view(same_size)).view(getattr(torch, name))
    return torch.from_numpy(array)


def _to_jax(array: np.ndarray) -> Any:
    return sys.modules["jax"].numpy.asarray(array)


#: Functions that make arrays of a framework, by the module of their class.
_RESULTS: dict[str, Callable[[np.ndarray], Any]] = {"torch": _to_torch, "jax": _to_jax, "jaxlib": _to_jax}


def results_like(value: Any) -> Callable[[np.ndarray], Any] | None:
    """Returns what makes results of the framework of an argument; None if they stay arrays of NumPy."""
    return _RESULTS.get(_module(value))
