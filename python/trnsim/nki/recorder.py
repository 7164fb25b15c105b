"""Records the operations of a kernel as a list, the input of a lowering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .golden import Golden
from .kernel import Kernel, launch_of
from .operations import Operation
from .tensor import Tensor


class Recorder:
    """Keeps every operation and executes it as well, so that prints and checks of the kernel work.

    Tensors on the chip are kept without values.
    """

    keeps = True
    checks_unwritten = True

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._golden = Golden()

    def execute(self, operation: Operation) -> None:
        self.operations.append(_recorded(operation))
        self._golden.execute(operation)


def _recorded(operation: Operation) -> Operation:
    values = {name: getattr(operation, name) for name in operation.field_names if name != "place"}
    kept = type(operation)(
        **{name: value.recorded() if isinstance(value, Tensor) else value for name, value in values.items()}
    )
    kept.place = operation.place
    return kept


def record(kernel: Kernel | Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[list[Operation], Any]:
    """Returns the operations of a launch in their order, and the kernel's result."""
    recorder = Recorder()
    launch = launch_of(kernel, args, kwargs)
    output = launch.finish(launch.trace(recorder))
    return recorder.operations, output
