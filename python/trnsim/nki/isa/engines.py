"""Engines and modes of nki.isa."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from ..errors import NkiError
from ..tensor import Tensor


class engine(IntEnum):
    """The engines of a core."""

    unknown = 0
    tensor = 1
    scalar = 2
    gpsimd = 3
    dma = 4
    vector = 5
    sync = 6


tensor_engine, vector_engine, scalar_engine = engine.tensor, engine.vector, engine.scalar
gpsimd_engine, dma_engine, unknown_engine = engine.gpsimd, engine.dma, engine.unknown


class dge_mode(IntEnum):
    """The unit that makes the descriptors of a transfer."""

    none = 0
    swdge = 1
    hwdge = 2
    unknown = 3


class nc_version(IntEnum):
    """Versions of the NeuronCore."""

    gen2 = 2
    gen3 = 3


class oob_mode(IntEnum):
    """The behaviour of an index from a tile that leaves its dimension."""

    error = 0
    skip = 1


class reduce_cmd(IntEnum):
    """The use of the registers in which an instruction reduces."""

    idle = 0
    reset = 1
    reduce = 2
    reset_reduce = 3


def get_nc_version() -> nc_version:
    """Returns the version of the core that is modelled."""
    return nc_version.gen2


def member(kind: type[IntEnum], value: Any, function: str) -> Any:
    """Returns one of the values of an argument. Raises NkiError for another value."""
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(f"nisa.{kind.__name__}.{one.name}" for one in kind)
        raise NkiError(
            "err_argument", f"{kind.__name__} {value!r} of {function}, expected one of {known}"
        ) from None


def chosen(which: Any, function: str, allowed: tuple[engine, ...], *operands: Any) -> str:
    """Returns the name of the engine that a kernel asks for; "any" if it leaves the choice."""
    which = member(engine, which, function)
    if which == engine.unknown:
        return "any"
    if which not in allowed:
        raise NkiError(
            "err_engine", f"engine {which.name} of {function}, expected {', '.join(e.name for e in allowed)}"
        )
    if which == engine.gpsimd:
        for operand in operands:
            if isinstance(operand, Tensor) and operand.space == "psum":
                raise NkiError(
                    "err_unsupported_memory",
                    f"{function} on gpsimd of a tile in psum, expected one in sbuf, which gpsimd reaches",
                )
    return str(which.name)


def dge(mode: Any, function: str) -> None:
    if member(dge_mode, mode, function) == dge_mode.hwdge:
        raise NkiError(
            "err_engine", f"dge_mode hwdge of {function}, expected another: NeuronCore-v2 has none"
        )
