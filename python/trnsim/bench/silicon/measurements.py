"""Measured times, from CSV files: the public ones of this package, and those that a user brings."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PUBLIC = Path(__file__).with_name("measurements.csv")

FIT, HELD_OUT = "fit", "held-out"
_YES = "yes"

#: What a published time has and a simulated one does not: the start of a kernel before its first useful
#: instruction. A profile in the guide of neuron-profile shows about 14 us.
START_MS = 0.014


class MeasurementError(ValueError):
    """A file of measurements that cannot be read: file, line, what was found, what was expected."""


@dataclass(frozen=True)
class Measurement:
    """The time of a kernel on the chip, and what its profile shows; None: it is not published."""

    name: str  # suite/kernel
    shapes: str
    dtype: str
    ms: float
    resolution_ms: float  # the step in which such times come
    profile_ms: float | None  # the time that the profile's utilisation of the array is of
    array_percent: float | None
    vector_ms: float | None
    scalar_ms: float | None
    read_mb: float | None
    write_mb: float | None
    chip: str
    sdk: str
    why_not: str  # the reason for which the chip's instructions are not those of the kernel; "": they are
    part: str  # FIT or HELD_OUT; "": of neither
    source: str

    @property
    def comparable(self) -> bool:
        return not self.why_not


@dataclass(frozen=True)
class Timed:
    """A row of a user's file."""

    kernel: str
    ms: float
    part: str
    line: int


def _number(text: str, least: float) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= least):
        raise ValueError(text)
    return value


def _positive(text: str) -> float:
    value = _number(text, 0)
    if value == 0:
        raise ValueError(text)
    return value


def _optional(text: str) -> float | None:
    return _number(text, 0) if text else None


def _text(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


def _part(text: str) -> str:
    if text not in ("", FIT, HELD_OUT):
        raise ValueError(text)
    return text


#: How a column is read, and what the message says is expected of it.
_Column = tuple[Callable[[str], Any], str]
_TEXT: _Column = (_text, "a text")
_TIME: _Column = (_positive, "milliseconds above 0")
_FIGURE: _Column = (_optional, "a number of 0 or more, or nothing")
_PART: _Column = (_part, f"{FIT}, {HELD_OUT} or nothing")

_PUBLIC_COLUMNS: dict[str, _Column] = {
    "suite": _TEXT,
    "kernel": _TEXT,
    "shapes": _TEXT,
    "type": _TEXT,
    "ms": _TIME,
    "resolution_ms": _TIME,
    "profile_ms": (lambda text: _positive(text) if text else None, "milliseconds above 0, or nothing"),
    "array_percent": _FIGURE,
    "vector_ms": _FIGURE,
    "scalar_ms": _FIGURE,
    "read_mb": _FIGURE,
    "write_mb": _FIGURE,
    "chip": _TEXT,
    "sdk": _TEXT,
    "comparable": (_text, f"{_YES}, or the reason why not"),
    "set": _PART,
    "source": _TEXT,
}
_USER_COLUMNS: dict[str, _Column] = {"kernel": _TEXT, "ms": _TIME}
_USER_OPTIONAL: dict[str, _Column] = {"set": _PART, "chip": (str, ""), "sdk": (str, "")}


def _rows(
    path: Path, needed: dict[str, _Column], optional: dict[str, _Column]
) -> Iterable[tuple[int, dict[str, Any]]]:
    """Yields the line and the values of each row."""
    try:
        file = path.open(newline="", encoding="utf-8")
    except OSError as error:
        raise MeasurementError(f"{path}: {error.strerror}, expected a CSV file") from None
    known = needed | optional
    with file:
        reader = csv.reader(file)
        try:
            header = [name.strip() for name in next(reader, [])]
            for name in header:
                if name not in known or header.count(name) > 1:
                    raise MeasurementError(
                        f"{path}:1: column {name!r}, expected {', '.join(needed)} and if wanted "
                        f"{', '.join(optional) or 'no other'}, each once"
                    )
            for name in needed:
                if name not in header:
                    raise MeasurementError(f"{path}:1: no column {name!r}, expected {', '.join(needed)}")
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                where = f"{path}:{reader.line_num}"
                if len(cells) != len(header):
                    raise MeasurementError(f"{where}: {len(cells)} values, expected {len(header)}")
                values = {}
                for name, cell in zip(header, cells):
                    read, expected = known[name]
                    try:
                        values[name] = read(cell.strip())
                    except ValueError:
                        raise MeasurementError(
                            f"{where}: {name} is {cell.strip()!r}, expected {expected}"
                        ) from None
                yield reader.line_num, values
        except (csv.Error, UnicodeDecodeError) as error:
            raise MeasurementError(f"{path}:{reader.line_num}: {error}, expected CSV in UTF-8") from None


def public(path: Path = PUBLIC) -> list[Measurement]:
    """Reads the public measurements."""
    found: dict[str, Measurement] = {}
    for line, row in _rows(path, _PUBLIC_COLUMNS, {}):
        name = f"{row.pop('suite')}/{row.pop('kernel')}"
        if name in found:
            raise MeasurementError(f"{path}:{line}: {name} again, expected each kernel once")
        comparable, part = row.pop("comparable"), row.pop("set")
        if (comparable == _YES) != bool(part):
            raise MeasurementError(
                f"{path}:{line}: {name} is of set {part!r} and comparable: {comparable}, expected a set of "
                "comparable kernels and none of others"
            )
        found[name] = Measurement(
            name=name,
            dtype=row.pop("type"),
            why_not="" if comparable == _YES else comparable,
            part=part,
            **row,
        )
    return list(found.values())


def timed(path: Path, known: Iterable[str]) -> list[Timed]:
    """Reads a user's measurements of known kernels. Every third by name is held out if no row has a set."""
    names = set(known)
    found: dict[str, Timed] = {}
    for line, row in _rows(path, _USER_COLUMNS, _USER_OPTIONAL):
        kernel = row["kernel"]
        if kernel not in names:
            raise MeasurementError(
                f"{path}:{line}: kernel {kernel!r}, expected one of {', '.join(sorted(names))}"
            )
        if kernel in found:
            raise MeasurementError(
                f"{path}:{line}: {kernel} again, after line {found[kernel].line}, expected each kernel once"
            )
        found[kernel] = Timed(kernel, row["ms"], row.get("set", ""), line)
    if not found:
        raise MeasurementError(f"{path}: no measurements, expected a row for each kernel")
    if any(row.part for row in found.values()):
        return [Timed(row.kernel, row.ms, row.part or FIT, row.line) for row in found.values()]
    held_out = set(sorted(found)[2::3])
    return [
        Timed(row.kernel, row.ms, HELD_OUT if row.kernel in held_out else FIT, row.line)
        for row in found.values()
    ]
