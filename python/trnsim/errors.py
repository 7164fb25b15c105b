"""Exceptions: the library's errors with their one-line text."""

from __future__ import annotations

from typing import Any

from ._trnsim import Status


class Error(RuntimeError):
    """An error; the text says what does not fit and what was expected. `status` is the code libnrt would
    return.
    """

    def __init__(self, message: str, status: int = Status.INVALID) -> None:
        super().__init__(message)
        self.status = Status(status)


class ConfigError(Error):
    """A configuration does not exist or has a mistake; the text gives file, line and column."""


class KernelError(Error):
    """The hardware would refuse the kernel, or a kernel or an argument is unknown.

    The error of a call of the builder begins with the line of the call; `reason` is the text without it.
    """

    def __init__(self, message: str, status: int = Status.INVALID, reason: str | None = None) -> None:
        super().__init__(message, status)
        self.reason = message if reason is None else reason


class AllocationError(KernelError):
    """Buffers do not fit into SBUF or PSUM. `place` is the file and line of the first without room."""

    def __init__(self, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.place = file, line


class PackageError(Error):
    """A .neff file is damaged."""


class InterpreterError(Error):
    """The interpreter found a race, a deadlock, a read of a byte or a result that nothing has written, an
    instruction that a core refuses, or no end.
    """


class UnwrittenWarning(UserWarning):
    """Engines have read words of SBUF or PSUM that nothing has written; the text names the first reader."""


class ExecutionError(Error):
    """An execution went wrong.

    `statistics` has its figures if it got that far; for a session with a server it is a list by rank.
    """

    def __init__(
        self,
        message: str,
        status: int = Status.FAILURE,
        statistics: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(message, status)
        self.statistics = statistics
