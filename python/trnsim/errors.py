"""Exceptions: the library's errors with its one-line text."""

from __future__ import annotations

from typing import Any

from ._trnsim import Status


class Error(RuntimeError):
    """What does not fit and what was expected; `status` is the code libnrt would return."""

    def __init__(self, message: str, status: int = Status.INVALID) -> None:
        super().__init__(message)
        self.status = Status(status)


class ConfigError(Error):
    """A configuration that is not there or has a mistake: file, line and column."""


class KernelError(Error):
    """A kernel that the hardware would refuse, or an unknown kernel or argument."""


class AllocationError(KernelError):
    """Buffers that do not fit into SBUF or PSUM. `place`: file and line of what begins the first that has no room."""

    def __init__(self, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.place = file, line


class PackageError(Error):
    """A .neff file that is not sound."""


class InterpreterError(Error):
    """A race, a deadlock or a byte read that nothing has written."""


class ExecutionError(Error):
    """An execution that went wrong. `statistics` has its figures, where it got that far: of each rank, for a session with a server."""

    def __init__(
        self,
        message: str,
        status: int = Status.FAILURE,
        statistics: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(message, status)
        self.statistics = statistics
