"""Lists, tuples and dictionaries that kernels take and return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tensor import Tensor


def mapped(value: Any, function: Callable[[str, Any], Any], name: str = "") -> Any:
    """Returns a nest with function(name, item) in place of each item.

    A name is followed by the place in a sequence or the key.
    """
    if isinstance(value, dict):
        return {key: mapped(item, function, f"{name}{key}") for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(item, function, f"{name}{at}") for at, item in enumerate(value)))
    if type(value) in (list, tuple):
        return type(value)(mapped(item, function, f"{name}{at}") for at, item in enumerate(value))
    return function(name, value)


def tensors(value: Any) -> list[Tensor]:
    """Returns the tensors of a nest."""
    found: list[Tensor] = []
    mapped(value, lambda _, item: found.append(item) if isinstance(item, Tensor) else None)
    return found
