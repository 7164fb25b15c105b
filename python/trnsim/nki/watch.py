"""Warnings of what is likely a mistake: reads of memory that nobody wrote, integers that lose digits.

They are Python's warnings, with the line of the kernel, each line once. `-W error` makes them errors.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .errors import NkiError, user_frame, user_place

_WORDS = (np.dtype(np.int32), np.dtype(np.uint32))


class NkiWarning(UserWarning):
    """A line of a kernel that is likely a mistake."""


def warn(text: str) -> None:
    """Warns of the line of the kernel."""
    file, line = user_place()
    registry = user_frame().f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, NkiWarning, file, line, registry=registry)


def before(operation: Any, refuse: bool) -> None:
    """Looks at what an operation reads. With `refuse` a read of memory that nobody wrote is an error.

    It is one if nothing of it is written: instructions often work on more than their kernel needs.
    """
    for name in operation.operand_names:
        value = getattr(operation, name)
        storage = getattr(value, "storage", None)
        if storage is None:
            continue
        if storage.bytes.parts is not None:
            _read(value, refuse)
        if value.dynamic is not None and value.dynamic.index.storage.bytes.parts is not None:
            _read(value.dynamic.index, refuse)
    if operation.keeps_bits and operation.dst.dtype in _WORDS:
        _digits(operation)


def _read(tensor: Any, refuse: bool) -> None:
    held = tensor.storage.bytes
    if held.knows(tensor.pattern) or tensor.leaves_bounds:
        return
    extent = tensor.extent()
    if held.meets(extent):
        held.know(tensor.pattern)
        return
    text = (
        f"{list(tensor.shape)} of {tensor.storage.describe()} in {tensor.space} is read and nothing "
        "has written it, expected a write before"
    )
    if refuse:
        raise NkiError("err_read_of_unwritten_memory", text)
    warn(text)
    held.note(extent)


def nothing_written(tensor: Any, refuse: bool) -> None:
    """Warns of a result that a mask has left empty and that reaches HBM."""
    text = (
        f"{tensor.describe()} in {tensor.space} is stored and its mask holds nowhere, expected a write before"
    )
    if refuse:
        raise NkiError("err_read_of_unwritten_memory", text)
    warn(text)


def _digits(operation: Any) -> None:
    """Warns of copies between integers of 32 bits of both kinds, which are fp32 in between."""
    to = operation.dst.dtype
    for name in ("src", "a", "b"):
        tensor: Any = getattr(operation, name, None)
        dtype = getattr(tensor, "dtype", to)
        if dtype in _WORDS and dtype != to:
            warn(
                f"{tensor.describe()} of {tensor.dtype} is copied to {to} through fp32, which rounds "
                f"numbers above 2^24, expected .view(nl.{to}) to keep the bits"
            )
            return


def after(operation: Any) -> None:
    """Notes what an operation has written."""
    for name in operation.result_names:
        tensor = getattr(operation, name)
        if tensor is None or tensor.storage.bytes.parts is None:
            continue
        held = tensor.storage.bytes
        if tensor.dynamic is not None or (tensor.is_whole and not tensor.storage.placed):
            held.parts = None  # all of it, or an unknown part
        elif not held.knows(tensor.pattern):
            held.note(tensor.extent())
            held.know(tensor.pattern)
