"""Loops: Python runs them, so that a kernel is unrolled. A loop variable is an integer that knows its loop."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from . import context
from .errors import NkiError, user_place


class Loop:
    """A loop under way."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class LoopIndex(int):
    """The variable of a loop; what is computed from it is a plain integer."""

    loop: Loop
    first: bool

    def __new__(cls, value: int, loop: Loop, first: bool) -> LoopIndex:
        index = super().__new__(cls, value)
        index.loop, index.first = loop, first
        return index


def _integers(name: str, bounds: tuple[Any, ...]) -> range:
    for bound in bounds:
        if not isinstance(bound, (int, np.integer)):
            what = "a tile" if hasattr(bound, "storage") else repr(bound)
            raise NkiError(
                "err_dynamic_control_flow_not_supported", f"nl.{name} of {what}, expected integers known when the kernel is traced"
            )
    return range(*(int(bound) for bound in bounds))


def _iterate(numbers: range, name: str = "") -> Iterator[LoopIndex]:
    """`name`: of a loop that goes on to its end, as the compiler traces its body once. Launch.trace() refuses one that is left."""
    here = context.current()
    loops = here.loops
    loop = Loop()
    loops.append(loop)
    try:
        for value in numbers:
            loop.value = value
            yield LoopIndex(value, loop, value == numbers.start)
    except GeneratorExit:
        if name and loop.value != numbers[-1]:
            here.left = here.left or (f"nl.{name} is left in iteration {loop.value} of {numbers}", user_place())
        raise
    finally:
        loops.remove(loop)


def affine_range(*bounds: int, **options: Any) -> Iterator[LoopIndex]:
    """A loop whose iterations do not depend on each other, but for sums."""
    return _iterate(_integers("affine_range", bounds), "affine_range")


def sequential_range(*bounds: int, **options: Any) -> Iterator[LoopIndex]:
    """A loop whose iterations depend on those before."""
    return _iterate(_integers("sequential_range", bounds), "sequential_range")


def static_range(*bounds: int) -> Iterator[LoopIndex]:
    """A loop that is always unrolled."""
    return _iterate(_integers("static_range", bounds))
