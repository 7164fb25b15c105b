"""What is known while a kernel is traced: its grid, the program under way, what executes its operations."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from .errors import NkiError, user_place


class Executor(Protocol):
    """Takes the operations of a kernel, one after the other."""

    keeps: bool  # them, so that they have to know their places

    def execute(self, operation: Any) -> None: ...


class Options(threading.local):
    """Checks that are not always on, of a thread."""

    check_unwritten = False


options = Options()


@contextmanager
def checks(*, unwritten: bool = False) -> Iterator[None]:
    """Within it, an element that nothing has written, and that reaches HBM or an index, is an error at the place where it is read first."""
    before = options.check_unwritten
    options.check_unwritten = unwritten
    try:
        yield
    finally:
        options.check_unwritten = before


@dataclass
class Context:
    """One launch of a kernel. Programs of its grid are traced one after the other and share the tensors in shared HBM."""

    executor: Executor
    grid: tuple[int, ...] = ()
    program: tuple[int, ...] = ()
    loops: list[Any] = field(default_factory=list)  # those under way, the outermost first
    left: tuple[str, tuple[str, int]] | None = None  # a loop that did not end: what it was and the place
    shared: list[Any] = field(
        default_factory=list
    )  # the storage of each shared_hbm tensor, in the order of their creation
    shared_count: int = 0  # of the program under way
    direct: bool | None = None  # whether tensors are placed by the kernel; None before the first
    automatic_allocation: bool = False  # placements of the kernel are not obeyed
    stack_allocator: bool = False  # the kernel may place some of its tensors only
    memories: dict[str, Any] = field(
        default_factory=dict
    )  # bytes of the memories in which tensors are placed
    reductions: dict[Any, Any] = field(default_factory=dict)  # of nl.loop_reduce, bound to names
    first_numbers: dict[Any, tuple[int, ...]] = field(default_factory=dict)  # of nl.loop_reduce, by call
    pending: Any | None = None  # comes before all others, unless its result is assigned first

    def begin_program(self, program: tuple[int, ...]) -> None:
        self.program, self.shared_count = program, 0
        self.loops.clear()
        self.direct = None
        self.memories.clear()
        self.reductions.clear()
        self.first_numbers.clear()
        self.pending = None

    def settle(self) -> None:
        """Nothing is pending any more."""
        operation, self.pending = self.pending, None
        if operation is not None:
            emit(operation)


class _UnderWay(threading.local):
    """The launch that a thread traces."""

    context: Context | None = None


_under_way = _UnderWay()


def active() -> Context | None:
    return _under_way.context


def current() -> Context:
    context = _under_way.context
    if context is None:
        raise NkiError(
            "err_nki_api_outside_of_nki_kernel",
            "a call of the language outside of a kernel, expected one within a function of nki.jit",
        )
    return context


@contextmanager
def tracing(context: Context) -> Iterator[Context]:
    _under_way.context = context
    try:
        yield context
    finally:
        _under_way.context = None


def note_place(operation: Any) -> None:
    """Once, where somebody may ask for it."""
    if operation.place is None and (current().executor.keeps or options.check_unwritten):
        operation.place = user_place()


def _carry_bits(operation: Any, dst: Any) -> None:
    """Elements that are the bits of another type are so in what they are copied to as well."""
    for name in ("src", "a", "b"):
        storage = getattr(getattr(operation, name, None), "storage", None)
        if storage is not None and storage.dtype == dst.dtype:
            dst.storage.bits |= storage.bits
            dst.storage.bytes.viewed |= storage.bytes.viewed


def emit(operation: Any) -> None:
    """Hands an operation to the executor, with the place of the user's call where somebody may ask for it later."""
    here = current()
    here.settle()
    note_place(operation)
    dst = getattr(operation, "dst", None)
    if dst is not None and dst.storage.boxes is not None:
        dst.storage.boxes.add(dst.reach())
    if operation.keeps_bits:
        _carry_bits(operation, dst)
    here.executor.execute(operation)
