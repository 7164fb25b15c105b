"""Calls of the language: arguments by position, and arguments that a function does not take.

A mistake in a kernel is an NkiError with its line, whatever Python would raise of it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from . import conjunctions
from .errors import NkiError
from .surroundings import in_a_library

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: What Python and NumPy raise of values that a function does not expect.
MISTAKES = (TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError)


def _ours(trace: TracebackType | None) -> bool:
    """Returns whether an error comes from this package, not from a function of the kernel that it calls."""
    while trace is not None:
        if not in_a_library(trace.tb_frame.f_globals.get("__name__", "")):
            return False
        trace = trace.tb_next
    return True


def mistake(name: str, signature: str, error: BaseException) -> NkiError:
    """Returns the error of a call with arguments that are not those of a signature."""
    text = " ".join(str(error).split())
    return NkiError("err_argument", f"{name}: {text}, expected {name}{signature}")


def checked(function: _Function, name: str = "") -> _Function:
    """Returns a function whose mistakes are errors of the kernel.

    Arguments that must be there may be given by position, in their order, although the reference wants their
    names.
    """
    parameters = inspect.signature(function).parameters.values()
    by_position = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    name = name or function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if named and len(args) > by_position:
            more = dict(zip(named, args[by_position:]))
            if len(args) <= by_position + len(named) and not more.keys() & kwargs.keys():
                args, kwargs = args[:by_position], {**more, **kwargs}
        conjunctions.join(kwargs)
        try:
            return function(*args, **kwargs)
        except NkiError:
            raise
        except MISTAKES as error:
            if not _ours(error.__traceback__):
                raise
            raise mistake(name, _described(function), error) from error

    return call  # type: ignore[return-value]


def _described(function: Callable[..., Any]) -> str:
    """Returns the names of a function's parameters; optional ones have a `=`."""
    parts, star = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.VAR_KEYWORD or p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            star = True
            parts.append("*")
        prefix = "*" if p.kind is p.VAR_POSITIONAL else ""
        parts.append(f"{prefix}{p.name}" + ("" if p.default is p.empty else "="))
    return f"({', '.join(parts)})"


def check_all(names: list[str], module: dict[str, Any], prefix: str) -> None:
    """Makes the functions of a module that have these names `checked`."""
    for name in names:
        if inspect.isfunction(module[name]):
            module[name] = checked(module[name], f"{prefix}.{name}")
