"""nki.compiler: placements of tensors, and directives for a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..buffers import psum, sbuf

__all__ = [
    "allocation_scope",
    "enable_stack_allocator",
    "force_auto_alloc",
    "multi_buffer",
    "no_reorder",
    "psum",
    "sbuf",
    "skip_middle_end_transformations",
]


class _Scope:
    """A directive that has no effect: the calls of a kernel take effect one after the other."""

    def __enter__(self) -> _Scope:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


def no_reorder() -> _Scope:
    """Keeps the order of the operations within it."""
    return _Scope()


def allocation_scope() -> _Scope:
    """Places tensors that are made within it together."""
    return _Scope()


def multi_buffer(factor: int = 2) -> _Scope:
    """Places the tiles of a loop's iterations in several places in turn (`directives=`).

    It has no effect on the results of a kernel.
    """
    return _Scope()


def _decorator(func: Callable[..., Any] | None) -> Any:
    return func if func is not None else lambda decorated: decorated


def skip_middle_end_transformations(func: Callable[..., Any] | None = None) -> Any:
    """Has no effect: nothing is transformed."""
    return _decorator(func)


def enable_stack_allocator(func: Callable[..., Any] | None = None, log_level: int = 50) -> Any:
    """Places the tensors that the kernel does not place beside those that it does."""
    if func is None:
        return enable_stack_allocator
    kernel: Any = getattr(func, "function", func)
    kernel.stack_allocator = True  # func is a kernel, or a function that becomes one
    return func


def force_auto_alloc(func: Any = None) -> Any:
    """Ignores the placements of the kernel."""
    if func is None:
        return force_auto_alloc
    func.automatic_allocation = True
    return func
