"""Loops: Python runs them, so a kernel is unrolled. A loop variable is an integer that knows its loop."""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from . import context
from .affine import Affine, Mask
from .errors import NkiError, user_frame, user_place


class Loop:
    """A loop that is running. Of a traced one the compiler would see the body once."""

    __slots__ = ("_counts", "_path", "_places", "traced", "value")

    def __init__(self, traced: bool, around: Loop | None) -> None:
        """`around` is the traced loop around it, if there is one."""
        self.value, self.traced = 0, traced
        self._counts: Counter[Any] = Counter()
        self._path: tuple[Any, ...] = () if around is None else around._next(_site())
        # what the first iteration of the outermost traced loop has noted
        self._places: dict[Any, Any] = {} if around is None else around._places

    def begin(self, value: int) -> None:
        """Begins an iteration."""
        self.value = value
        self._counts.clear()

    def _next(self, site: Any) -> tuple[Any, ...]:
        """Returns the position of a call in the body, which is the same in each iteration."""
        self._counts[site] += 1
        return (*self._path, site, self._counts[site])

    def first(self, value: Any) -> Any:
        """Returns the value with which the same call of the body was made in the first iteration."""
        return self._places.setdefault(self._next(_site()), value)


def _site() -> tuple[Any, ...]:
    """Returns the place of the user's call: positions in the codes that are being executed."""
    found: list[Any] = []
    frame: FrameType | None = user_frame()
    while frame is not None:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def traced_loop() -> Loop | None:
    """Returns the innermost traced loop that is running."""
    return next((loop for loop in reversed(context.current().loops) if loop.traced), None)


class LoopIndex(int):
    """The variable of a loop; results of arithmetic with it are plain integers."""

    loop: Loop
    first: bool

    def __new__(cls, value: int, loop: Loop, first: bool) -> LoopIndex:
        index = super().__new__(cls, value)
        index.loop, index.first = loop, first
        return index


def _integers(name: str, bounds: tuple[Any, ...], options: dict[str, Any]) -> range:
    """Returns what range() gives; its bounds may be named. Other options are for a compiler's scheduler."""
    named = {option: value for option, value in options.items() if option in ("start", "stop", "step")}
    if named or not bounds:
        alone = len(bounds) == 1 and "stop" not in named
        places = dict(zip(("stop",) if alone else ("start", "stop", "step"), bounds))
        if places.keys() & named.keys() or "stop" not in {**places, **named}:
            raise NkiError(
                "err_argument",
                f"nl.{name} of {bounds} and {named}, expected each of start, stop and step once at most, and "
                "stop",
            )
        every = {"start": 0, "step": 1, **places, **named}
        bounds = (every["start"], every["stop"], every["step"])
    for bound in bounds:
        if not isinstance(bound, (int, np.integer)):
            what = "a tile" if hasattr(bound, "storage") else repr(bound)
            raise NkiError(
                "err_dynamic_control_flow_not_supported",
                f"nl.{name} of {what}, expected integers known when the kernel is traced",
            )
    numbers = tuple(map(int, bounds))
    if len(numbers) > 3 or (len(numbers) == 3 and numbers[2] == 0):
        raise NkiError(
            "err_argument",
            f"nl.{name} of {numbers}, expected stop, start and stop, or these and a step that is not 0",
        )
    return range(*numbers)


class _Names:
    """The masks and indices, by name, that were bound before a loop.

    The compiler traces a body once, and a name that is bound in the body is local to it: in every iteration,
    and after the loop, it is what it was before the loop.
    """

    def __init__(self, frame: FrameType) -> None:
        self._frame = frame
        self._before = {
            name: value
            for name, value in frame.f_locals.items()
            if value is None or isinstance(value, (Affine, Mask))
        }

    def restore(self) -> None:
        names = self._frame.f_locals
        # A comparison of loop variables alone is a bool.
        changed = {
            name: value
            for name, value in self._before.items()
            if names.get(name) is not value and isinstance(names.get(name), (Affine, Mask, bool))
        }
        if not changed:
            return
        names.update(changed)
        if sys.version_info < (3, 13):  # where f_locals is a copy
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(self._frame), ctypes.c_int(0))


def _iterate(numbers: range, name: str = "") -> Iterator[LoopIndex]:
    """Marks the end of a loop. The compiler traces its body once, so it must run to its end.

    Launch.trace() refuses a loop that was left. `name` is the loop's name.
    """
    here = context.current()
    names = _Names(user_frame()) if name else None
    loops = here.loops
    loop = Loop(bool(name), traced_loop())
    loops.append(loop)
    try:
        for value in numbers:
            loop.begin(value)
            yield LoopIndex(value, loop, value == numbers.start)
            if names is not None:
                names.restore()
    except GeneratorExit:
        if name and loop.value != numbers[-1]:
            here.left = here.left or (
                f"nl.{name} is left in iteration {loop.value} of {numbers}",
                user_place(),
            )
        raise
    finally:
        loops.remove(loop)


def affine_range(*bounds: int, **options: Any) -> Iterator[LoopIndex]:
    """A loop of iterations that do not depend on each other, except for sums."""
    return _iterate(_integers("affine_range", bounds, options), "affine_range")


def sequential_range(*bounds: int, **options: Any) -> Iterator[LoopIndex]:
    """A loop of iterations that depend on those before."""
    return _iterate(_integers("sequential_range", bounds, options), "sequential_range")


def static_range(*bounds: int, **options: Any) -> Iterator[LoopIndex]:
    """A loop that is always unrolled."""
    return _iterate(_integers("static_range", bounds, options))
