"""The keys of a configuration that measurements can set: as whole numbers for a search, and as its values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .search import Range


@dataclass(frozen=True)
class Key:
    """A key: `text` makes the configuration's value of a coordinate, `coordinate` the nearest of a value."""

    name: str
    range: Range
    text: Callable[[int], int | str]
    coordinate: Callable[[str], int]


def _count(name: str, low: int, high: int, finest: int) -> Key:
    return Key(name, Range(low, high, finest), int, lambda value: min(max(int(value), low), high))


def _rate(name: str) -> Key:
    """A rate of at least 1/8, in eighths of a cycle for an element: 8 is 1/1, 20 is 2/5."""

    def text(eighths: int) -> str:
        rate = Fraction(8, eighths)
        return f"{rate.numerator}/{rate.denominator}"

    return Key(name, Range(8, 64), text, lambda value: round(8 / Fraction(value)))


#: Tenths of a nanosecond, by unit.
_TENTHS = {"fs": 1e-5, "ps": 0.01, "ns": 10.0, "us": 1e4, "ms": 1e7, "s": 1e10}


def _tenths(name: str, high: int) -> Key:
    """A time in tenths of a nanosecond."""

    def coordinate(value: str) -> int:
        number, unit = value.split()
        return round(float(number) * _TENTHS[unit])

    return Key(name, Range(0, high), lambda tenths: f"{tenths / 10:g} ns", coordinate)


KEYS = {
    key.name: key
    for key in (
        _count("core.tensor.utilisation", 500, 1000, 1),
        _rate("core.vector.reciprocal_rate"),
        _count("core.tensor.issue_latency", 2, 600, 4),
        _count("core.vector.issue_latency", 2, 300, 2),
        _count("core.vector.dependent_latency", 0, 400, 2),
        _count("core.scalar.issue_latency", 2, 600, 4),
        _count("core.scalar.dependent_latency", 0, 600, 4),
        _tenths("dma.burst_gap", 300),
    )
}

#: The keys of a refit without others named.
USUAL = ("core.tensor.utilisation", "core.vector.reciprocal_rate")


def value_of(values: Mapping[str, Any], name: str) -> str:
    """Returns the value of a key in a configuration's dictionary."""
    found: Any = values
    for part in name.split("."):
        found = found[part]
    return str(found)


def nested(settings: Mapping[str, int | str]) -> dict[str, Any]:
    """Returns dotted keys as dictionaries in each other."""
    whole: dict[str, Any] = {}
    for name, value in settings.items():
        *folders, last = name.split(".")
        here = whole
        for folder in folders:
            here = here.setdefault(folder, {})
        here[last] = value
    return whole


def write(path: Path, base: str, settings: Mapping[str, int | str]) -> None:
    """Writes a configuration that changes keys of another, which is a name or a file."""
    extended = str(Path(base).resolve()) if base.endswith(".yaml") else base
    contents = {"extends": extended, "name": path.stem, **nested(settings)}
    path.write_text(json.dumps(contents, indent=1), encoding="utf-8")  # YAML reads JSON


def yaml(base: str, settings: Mapping[str, int | str]) -> str:
    """Returns such a configuration for a reader."""

    def lines(part: Mapping[str, Any], indent: int) -> list[str]:
        found = []
        for name, value in part.items():
            if isinstance(value, Mapping):
                found += [f"{' ' * indent}{name}:", *lines(value, indent + 2)]
            else:
                found.append(f"{' ' * indent}{name}: {value}")
        return found

    return "\n".join([f"extends: {base}", "name: measured", *lines(nested(settings), 0)]) + "\n"
