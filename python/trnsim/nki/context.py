"""State of a kernel that is being traced: its grid, the current program, the executor of its operations."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import watch
from .errors import NkiError, user_place


class Executor(Protocol):
    """Takes the operations of a kernel, one after the other."""

    keeps: bool  # it keeps operations, which then have to know their places
    checks_unwritten: bool  # it finds each unwritten element by itself, if `checks` asks for it

    def execute(self, operation: Any) -> None: ...


class Options(threading.local):
    """Checks that are not always on, of a thread."""

    check_unwritten = False
    watches = True  # warnings of what is likely a mistake


options = Options()

_launches = itertools.count(1)


@contextmanager
def checks(*, unwritten: bool = False) -> Iterator[None]:
    """Makes it an NkiError, at the first read, if an unwritten element reaches HBM or an index."""
    before = options.check_unwritten
    options.check_unwritten = unwritten
    try:
        yield
    finally:
        options.check_unwritten = before


@contextmanager
def unwatched() -> Iterator[None]:
    """Leaves out warnings of what is likely a mistake."""
    before = options.watches
    options.watches = False
    try:
        yield
    finally:
        options.watches = before


@dataclass
class Context:
    """One launch of a kernel. The programs of its grid are traced in turn and share the tensors in shared
    HBM.
    """

    executor: Executor
    grid: tuple[int, ...] = ()
    program: tuple[int, ...] = ()
    loops: list[Any] = field(default_factory=list)  # the current loops, the outermost first
    left: tuple[str, tuple[str, int]] | None = None  # a loop that did not end: its text and place
    # the storage of each shared_hbm tensor, in the order of their creation
    shared: list[Any] = field(default_factory=list)
    shared_count: int = 0  # the number of the current program's next tensor
    direct: bool | None = None  # True if the kernel places its tensors; None before the first one
    automatic_allocation: bool = False  # the kernel's placements are ignored
    stack_allocator: bool = False  # the kernel may place only some of its tensors
    # bytes of the memories in which tensors are placed
    memories: dict[str, Any] = field(default_factory=dict)
    # the values of nl.loop_reduce that are bound to names
    reductions: dict[Any, Any] = field(default_factory=dict)
    # the shares of nl.loop_reduce, by call
    first_numbers: dict[Any, tuple[int, ...]] = field(default_factory=dict)
    # a load that comes before all other operations unless its result is assigned first
    pending: Any | None = None

    # masks that `and` has joined with the mask of the call that comes next
    conjunctions: list[Any] = field(default_factory=list)

    # True once a mask has left nothing of a tile
    voids: bool = False

    # the number of the launch in this process
    number: int = field(default_factory=lambda: next(_launches))

    def begin_program(self, program: tuple[int, ...]) -> None:
        self.program, self.shared_count = program, 0
        self.loops.clear()
        self.direct = None
        self.memories.clear()
        self.reductions.clear()
        self.first_numbers.clear()
        self.pending = None

    def settle(self) -> None:
        """Emits the pending operation, if there is one."""
        operation, self.pending = self.pending, None
        if operation is not None:
            emit(operation)


class _UnderWay(threading.local):
    """Returns the launch that a thread traces. Raises NkiError without one."""

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
    """Notes the user's place in an operation, once, if it may be asked for."""
    if operation.place is None and (current().executor.keeps or options.check_unwritten):
        operation.place = user_place()


def _carry_bits(operation: Any, dst: Any) -> None:
    """Marks copies of elements that hold the bits of another type."""
    for name in ("src", "a", "b"):
        storage = getattr(getattr(operation, name, None), "storage", None)
        if storage is not None and storage.dtype == dst.dtype:
            dst.storage.bits |= storage.bits
            dst.storage.bytes.viewed |= storage.bytes.viewed


def check_launch(tensor: Any, here: Context, place: tuple[str, int] | None = None) -> None:
    """Refuses a tensor of another call, whose memory is another's by now."""
    if tensor.storage.bytes.launch != here.number:
        raise NkiError(
            "err_argument",
            f"{tensor.describe()} in {tensor.space} is a tensor of another call of a kernel, expected one of "
            "this call",
            place,
        )


def emit(operation: Any) -> None:
    """Passes an operation to the executor, with the place of the user's call if it may be asked for later."""
    here = current()
    here.settle()
    for tensor in operation.tensors():
        check_launch(tensor, here)
    if here.voids and operation.is_void:
        return
    golden = here.executor.checks_unwritten
    if options.watches and not (golden and options.check_unwritten):
        watch.before(operation, options.check_unwritten)
    note_place(operation)
    dst = getattr(operation, "dst", None)
    if dst is not None and dst.storage.boxes is not None:
        dst.storage.boxes.add(dst.reach())
    if operation.keeps_bits:
        _carry_bits(operation, dst)
    here.executor.execute(operation)
    watch.after(operation)
