"""Masks that Python's `and` joins in the argument of a call: nl.copy(x, mask=(i < 4 and j < 8)).

Python asks the first mask for its truth and goes on with the second one. The first is kept until the call,
and is joined with the mask there. This is done if the code shows that nothing else can have become of the
value: it is an argument of the next call.
"""

from __future__ import annotations

import dis
import functools
import types
from typing import Any, NamedTuple

from . import context
from .errors import NkiError, user_frame

#: Instructions between the end of an `and` and the call of which it is an argument.
_ARGUMENTS = (
    "LOAD_CONST",
    "LOAD_FAST",
    "LOAD_NAME",
    "LOAD_GLOBAL",
    "LOAD_DEREF",
    "LOAD_ATTR",
    "LOAD_SMALL_INT",
)
_CALLS = ("PRECALL", "CALL", "CALL_KW", "CALL_FUNCTION", "CALL_FUNCTION_KW", "KW_NAMES", "PUSH_NULL")
_NEUTRAL = ("CACHE", "EXTENDED_ARG", "NOP", "RESUME", "TO_BOOL", "NOT_TAKEN")


class Held(NamedTuple):
    """A mask whose truth an `and` has asked for, and where."""

    mask: Any
    frame: types.FrameType
    at: int  # the offset in the code at which the `and` ends
    place: tuple[str, int]


@functools.lru_cache(maxsize=1024)
def _steps(code: types.CodeType) -> list[dis.Instruction]:
    return [step for step in dis.get_instructions(code) if step.opname not in _NEUTRAL]


def _end_of_and(code: types.CodeType, at: int) -> int | None:
    """Returns the offset at which an `and` ends whose first operand is asked for its truth at an offset.

    None is any other condition.
    """
    steps = _steps(code)
    here = next((n for n, step in enumerate(steps) if step.offset >= at), len(steps))
    if here == len(steps):
        return None
    step = steps[here]
    if step.opname == "JUMP_IF_FALSE_OR_POP":
        return int(step.argval)
    kept = here > 0 and steps[here - 1].opname == "COPY" and steps[here - 1].arg == 1
    return int(step.argval) if kept and step.opname == "POP_JUMP_IF_FALSE" else None


def hold(mask: Any) -> bool:
    """Keeps a mask of which an `and` asks for the truth; returns False for any other condition."""
    here, frame = context.active(), user_frame()
    end = None if here is None else _end_of_and(frame.f_code, frame.f_lasti)
    if here is None or end is None:
        return False
    here.conjunctions.append(Held(mask, frame, end, (frame.f_code.co_filename, frame.f_lineno)))
    return True


def join(arguments: dict[str, Any]) -> None:
    """Joins the mask among the named arguments of a call with those that `and` has joined with it."""
    here = context.active()
    if here is None or not here.conjunctions:
        return
    frame, held = user_frame(), here.conjunctions
    if "mask" not in arguments or not all(one.frame is frame and _is_argument(frame, one.at) for one in held):
        refuse_left()
    here.conjunctions = []
    for one in held:
        arguments["mask"] = one.mask & arguments["mask"]


def _is_argument(frame: types.FrameType, end: int) -> bool:
    """Returns whether nothing but arguments comes between the end of an `and` and the call under way."""
    between = [step for step in _steps(frame.f_code) if end <= step.offset <= frame.f_lasti]
    calls = [
        step for step in between if step.opname in ("CALL", "CALL_KW", "CALL_FUNCTION", "CALL_FUNCTION_KW")
    ]
    return len(calls) == 1 and all(step.opname in _ARGUMENTS + _CALLS for step in between)


def refuse_left() -> None:
    """Refuses a mask that is kept and has not become that of a call."""
    here = context.active()
    if here is None or not here.conjunctions:
        return
    place = here.conjunctions[0].place
    here.conjunctions = []
    raise NkiError(
        "err_control_flow_condition_depending_on_arange",
        "a condition depends on nl.arange or nl.mgrid, expected mask= of a call, or & in place of and",
        place,
    )
