"""What a kernel asks the engines for, as a list: the input of a lowering."""

from __future__ import annotations

from typing import Any, Callable, Union

from .golden import Golden
from .kernel import Kernel, launch_of
from .operations import Operation


class Recorder:
    """Keeps every operation, and executes it as well, so that what a kernel prints and checks is the same."""

    keeps = True

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._golden = Golden()

    def execute(self, operation: Operation) -> None:
        self.operations.append(operation)
        self._golden.execute(operation)


def record(kernel: Union[Kernel, Callable[..., Any]], *args: Any, **kwargs: Any) -> tuple[list[Operation], Any]:
    """The operations of a launch in their order, and what the kernel returns."""
    recorder = Recorder()
    launch = launch_of(kernel, args, kwargs)
    output = launch.finish(launch.trace(recorder))
    return recorder.operations, output
