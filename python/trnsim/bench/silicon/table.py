"""Simulated times beside measured ones: rows, errors, checks, and the table as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .measurements import FIT, HELD_OUT, START_MS, Measurement
from .processes import Outcome

#: Largest differences of the bytes of HBM, in per cent.
WRITES, READS = 1.0, 3.0


def per_cent(found: float, expected: float) -> float:
    """Returns how much more is found than expected, in per cent of that."""
    return 100 * (found - expected) / expected


@dataclass(frozen=True)
class Row:
    """A kernel on the chip and in the model. Figures of the model are scaled to the published size."""

    measured: Measurement
    outcome: Outcome
    start_ms: float = START_MS

    @property
    def ran(self) -> bool:
        return not self.outcome.error

    def scaled(self, figure: str) -> float:
        """Returns a figure of the model at the published size: a share of the work, divided by the share."""
        value: float = getattr(self.outcome, figure)
        return value / float(self.outcome.share)

    @property
    def ms(self) -> float:
        """The model's time at the published size, with the start of a kernel."""
        return self.scaled("ms") + self.start_ms

    @property
    def error(self) -> float:
        """The error of the time in per cent."""
        return per_cent(self.ms, self.measured.ms)

    @property
    def profile_error(self) -> float:
        """The error beside the profile's time where there is one, else `error`."""
        return self.error if self.measured.profile_ms is None else per_cent(self.ms, self.measured.profile_ms)

    @property
    def worth(self) -> float:
        """The step in which the measured time comes, in per cent of it."""
        return 100 * self.measured.resolution_ms / self.measured.ms

    def difference(self, figure: str) -> float | None:
        """Returns the difference of read_mb or write_mb in per cent; None: it was not measured."""
        measured = getattr(self.measured, figure)
        return None if measured is None else per_cent(self.scaled(figure), measured)


@dataclass(frozen=True)
class Summary:
    """Errors of a set of rows in per cent."""

    count: int
    mean: float  # of absolute values
    worst: float
    worst_name: str
    profile_mean: float  # beside the times of profiles


def summary(rows: Sequence[Row]) -> Summary | None:
    """Returns the errors of rows; None: there are none."""
    if not rows:
        return None
    worst = max(rows, key=lambda row: abs(row.error))
    return Summary(
        len(rows),
        sum(abs(row.error) for row in rows) / len(rows),
        worst.error,
        worst.measured.name,
        sum(abs(row.profile_error) for row in rows) / len(rows),
    )


#: The sets of rows that a summary is of.
SETS: dict[str, Callable[[Row], bool]] = {
    "comparable": lambda row: row.measured.comparable,
    FIT: lambda row: row.measured.part == FIT,
    HELD_OUT: lambda row: row.measured.part == HELD_OUT,
    "all": lambda row: True,
}


def summaries(rows: Sequence[Row]) -> dict[str, Summary]:
    """Returns the summary of each set that has rows."""
    ran = [row for row in rows if row.ran]
    found = {name: summary([row for row in ran if holds(row)]) for name, holds in SETS.items()}
    return {name: one for name, one in found.items() if one is not None}


def within(rows: Sequence[Row], figure: str, bound: float) -> tuple[int, int]:
    """Returns how many rows have a byte count within a bound, and how many have one that was measured."""
    differences = [
        difference for row in rows if row.ran and (difference := row.difference(figure)) is not None
    ]
    return sum(abs(difference) <= bound for difference in differences), len(differences)


def _pair(measured: float | None, found: float, digits: int) -> str:
    return f"{'-' if measured is None else f'{measured:.{digits}f}'} / {found:.{digits}f}"


def _bytes(row: Row, figure: str, bound: float) -> str:
    text, difference = _pair(getattr(row.measured, figure), row.scaled(figure), 1), row.difference(figure)
    return text if difference is None or abs(difference) <= bound else f"{text} ({difference:+.0f} %)"


_COLUMNS = (
    "kernel",
    "part",
    "silicon ms",
    "step %",
    "model ms",
    "error %",
    "profile ms",
    "error %",
    "array %",
    "Vector ms",
    "Scalar ms",
    "HBM read MB",
    "write MB",
    "result",
)
_HEAD = (f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|")


def _line(row: Row) -> str:
    m, o = row.measured, row.outcome
    name = m.name if m.comparable else f"{m.name} *"
    if not row.ran:
        return f"| {name} | | {m.ms:g} | {row.worth:.1f} | not run: {_escaped(o.error)} | | | | | | | | | |"
    cells = [
        name,
        str(o.share),
        f"{m.ms:g}",
        f"{row.worth:.1f}",
        f"{row.ms:.4g}",
        f"{row.error:+.1f}",
        *_profile(row),
        _pair(m.array_percent, o.array_percent, 0),
        _pair(m.vector_ms, row.scaled("vector_ms"), 3),
        _pair(m.scalar_ms, row.scaled("scalar_ms"), 3),
        _bytes(row, "read_mb", READS),
        _bytes(row, "write_mb", WRITES),
        "right" if o.right else f"wrong by {o.result_error:.1e}",
    ]
    return f"| {' | '.join(cells)} |"


def _profile(row: Row) -> tuple[str, str]:
    measured = row.measured.profile_ms
    return ("", "") if measured is None else (f"{measured:g}", f"{row.profile_error:+.1f}")


def _escaped(text: str) -> str:
    """Returns the first clause of an error for a cell of the table."""
    return text.partition("; ")[0].replace("|", "\\|")


def _said(name: str, one: Summary) -> str:
    kernels = "kernel" if one.count == 1 else "kernels"
    return (
        f"| {name} | {one.count} {kernels} | {one.mean:.1f} | {one.worst:+.1f}, {one.worst_name} | "
        f"{one.profile_mean:.1f} |"
    )


def markdown(rows: Sequence[Row]) -> str:
    """Returns the table of rows, the errors of its sets, and the checks of bytes."""
    lines = [*_HEAD, *map(_line, rows)]
    sets = summaries(rows)
    if sets:
        lines += [
            "",
            "| set | | mean absolute error % | worst % | mean beside profiles % |",
            "|---|---|---|---|---|",
        ]
        lines += [_said(name, one) for name, one in sets.items()]
    checks = []
    for figure, word, bound in (("write_mb", "written", WRITES), ("read_mb", "read", READS)):
        good, count = within(rows, figure, bound)
        if count:
            checks.append(f"bytes {word} within {bound:g} % for {good} of {count}")
    if checks:
        text = "; ".join(checks)
        lines += ["", f"{text[0].upper()}{text[1:]}."]
    return "\n".join(lines) + "\n"


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns what the table has, for programs."""
    return {
        "rows": [_row_json(row) for row in rows],
        "sets": {
            name: {
                "count": one.count,
                "mean_absolute_error_percent": one.mean,
                "worst_percent": one.worst,
                "worst": one.worst_name,
                "mean_beside_profiles_percent": one.profile_mean,
            }
            for name, one in summaries(rows).items()
        },
        "checks": {
            figure: dict(zip(("within", "of"), within(rows, figure, bound)))
            for figure, bound in (("write_mb", WRITES), ("read_mb", READS))
        },
    }


def _row_json(row: Row) -> dict[str, Any]:
    m, o = row.measured, row.outcome
    found: dict[str, Any] = {
        "kernel": m.name,
        "unmodified": o.job.folder is not None,
        "shapes": m.shapes,
        "type": m.dtype,
        "silicon_ms": m.ms,
        "resolution_ms": m.resolution_ms,
        "comparable": m.comparable,
        "why_not": m.why_not,
        "set": m.part,
    }
    if not row.ran:
        return found | {"refused": o.error}
    figures = ("vector_ms", "scalar_ms", "read_mb", "write_mb")
    return found | {
        "share": str(o.share),
        "cycles": o.cycles,
        "error_percent": row.error,
        "profile_ms": m.profile_ms,
        "profile_error_percent": row.profile_error,
        "array_percent": o.array_percent,
        "ms": row.ms,
        **{figure: row.scaled(figure) for figure in figures},
        "silicon": {
            figure: getattr(m, figure)
            for figure in ("array_percent", "vector_ms", "scalar_ms", "read_mb", "write_mb")
        },
        "result_error": o.result_error,
        "right": o.right,
        "seconds": o.seconds,
    }
