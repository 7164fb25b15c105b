"""The golden executor: runs each operation at once in NumPy, in fp32 with a cast of its result.

It has neither time nor engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import elementwise, functions, gathers, matmul, movement, random, reductions, scans, selections
from .state import State
from .unwritten import Unwritten

_HANDLERS: dict[type, Callable[..., None]] = {}
for _module in (elementwise, functions, gathers, matmul, movement, random, reductions, scans, selections):
    _HANDLERS.update(_module.HANDLERS)


class Golden:
    """Executes operations in the order in which they come."""

    keeps = False
    checks_unwritten = True

    def __init__(self) -> None:
        self._state, self._unwritten = State(), Unwritten()

    def execute(self, operation: Any) -> None:
        held = self._unwritten.before(operation)
        _HANDLERS[type(operation)](operation, self._state)
        self._unwritten.after(operation, held)
