"""Refits keys of a configuration to a user's measurements: their chip, their SDK."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .keys import Key, value_of, write, yaml
from .measurements import FIT, HELD_OUT, MeasurementError, Timed
from .processes import Outcome
from .search import Point, minimise
from .table import per_cent

#: Simulates kernels by name with the configuration of that name or file.
Simulator = Callable[[Sequence[str], str], list[Outcome]]


@dataclass(frozen=True)
class Fit:
    """The keys before and after a refit, and the error of each row in per cent."""

    before: dict[str, int | str]
    after: dict[str, int | str]
    errors_before: list[float]
    errors_after: list[float]
    evaluations: int
    complete: bool


class _Errors:
    """Simulates the rows at points of the search. Points that it has met are known."""

    def __init__(
        self,
        path: Path,
        rows: Sequence[Timed],
        keys: Sequence[Key],
        base: str,
        simulator: Simulator,
        start_ms: float,
        folder: Path,
    ) -> None:
        self._path, self._rows, self._keys, self._base = path, rows, keys, base
        self._simulator, self._start_ms, self._folder = simulator, start_ms, folder
        self._known: dict[Point, list[float]] = {}

    def settings(self, point: Point) -> dict[str, int | str]:
        return {key.name: key.text(value) for key, value in zip(self._keys, point)}

    def at(self, point: Point) -> list[float]:
        """Returns the error of each row in per cent."""
        if point not in self._known:
            config = self._folder / f"refit_{len(self._known)}.yaml"
            write(config, self._base, self.settings(point))
            outcomes = self._simulator([row.kernel for row in self._rows], str(config))
            for row, outcome in zip(self._rows, outcomes):
                if outcome.error:
                    raise MeasurementError(
                        f"{self._path}:{row.line}: {row.kernel} does not run: {outcome.error}"
                    )
            self._known[point] = [
                per_cent(outcome.ms / float(outcome.share) + self._start_ms, row.ms)
                for row, outcome in zip(self._rows, outcomes)
            ]
        return self._known[point]


def of_part(values: Sequence[float], rows: Sequence[Timed], part: str) -> list[float]:
    """Returns the values of the rows of a set."""
    return [value for value, row in zip(values, rows) if row.part == part]


def fit(
    path: Path,
    rows: Sequence[Timed],
    keys: Sequence[Key],
    base: str,
    values: Mapping[str, object],
    simulator: Simulator,
    start_ms: float,
    limit: int,
    told: Callable[[str], None] = lambda text: None,
) -> Fit:
    """Returns the values of `keys` with the least sum of squared errors over the rows of the set FIT.

    `values` is the dictionary of the configuration `base`, `start_ms` the start of a kernel, which the
    measured times have. Raises MeasurementError if a kernel does not run, or if there are fewer rows than
    keys.
    """
    count = sum(row.part == FIT for row in rows)
    if count < len(keys):
        raise MeasurementError(
            f"{path}: {count} measurements of set {FIT} and {len(keys)} keys, expected at least as many"
        )
    with tempfile.TemporaryDirectory() as folder:
        errors = _Errors(path, rows, keys, base, simulator, start_ms, Path(folder))

        def cost(point: Point) -> float:
            squares = [error * error for error in of_part(errors.at(point), rows, FIT)]
            mean: float = (sum(squares) / len(squares)) ** 0.5
            named = ", ".join(f"{name} {value}" for name, value in errors.settings(point).items())
            told(f"{named}: {mean:.2f} %")
            return mean

        start = tuple(key.coordinate(value_of(values, key.name)) for key in keys)
        found = minimise(start, [key.range for key in keys], cost, limit)
        return Fit(
            errors.settings(start),
            errors.settings(found.point),
            errors.at(start),
            errors.at(found.point),
            found.evaluations,
            found.complete,
        )


def _mean(errors: Sequence[float]) -> str:
    return f"{sum(map(abs, errors)) / len(errors):.2f}" if errors else "-"


def markdown(rows: Sequence[Timed], found: Fit, base: str) -> str:
    """Returns the keys, the errors of both sets and of each kernel, and the configuration."""
    lines = ["| key | before | after |", "|---|---|---|"]
    lines += [f"| `{name}` | {found.before[name]} | {found.after[name]} |" for name in found.after]
    lines += ["", "| mean absolute error, % | kernels | before | after |", "|---|---|---|---|"]
    for part in (FIT, HELD_OUT):
        before, after = (of_part(e, rows, part) for e in (found.errors_before, found.errors_after))
        lines.append(f"| {part} | {len(before)} | {_mean(before)} | {_mean(after)} |")
    lines += ["", "| kernel | set | ms | error before % | after % |", "|---|---|---|---|---|"]
    lines += [
        f"| {row.kernel} | {row.part} | {row.ms:g} | {before:+.1f} | {after:+.1f} |"
        for row, before, after in zip(rows, found.errors_before, found.errors_after)
    ]
    ended = "no step is better" if found.complete else "the limit of evaluations ended the search"
    lines += ["", f"{found.evaluations} evaluations; {ended}.", ""]
    lines += [f"    {line}" for line in yaml(base, found.after).splitlines()]
    return "\n".join(lines) + "\n"
