"""The built-in kernels."""

from __future__ import annotations

from typing import Any

from . import _trnsim
from ._trnsim import Package
from .arrays import dtype_name
from .config import ConfigLike, load_config

_KERNELS: dict[str, dict[str, Any]] = {kernel["name"]: kernel for kernel in _trnsim.kernels()}


def names() -> list[str]:
    """The names of all kernels."""
    return list(_KERNELS)


def describe(name: str) -> dict[str, Any]:
    """Describes a kernel: its arguments with their defaults (None: required), inputs and outputs.

    Raises KernelError for an unknown name.
    """
    if name not in _KERNELS:
        _trnsim.build_kernel(name, {}, load_config("small16"))  # its error lists the names
    return _KERNELS[name]


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if name == "dtype" and not isinstance(value, str):
        return dtype_name(value)
    return str(value)


def build(name: str, *, config: ConfigLike = "trn1", **arguments: Any) -> Package:
    """Compiles a kernel: build("matmul", M=128, K=256, N=64, dtype="bf16", config="small16").

    Raises KernelError for an unknown name, an argument that is missing or unknown, or sizes that do not fit.
    """
    return _trnsim.build_kernel(
        name, {key: _text(key, value) for key, value in arguments.items()}, load_config(config)
    )
