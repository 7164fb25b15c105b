"""The cycles of this package's kernels at small sizes, on the fast core of trn1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from .processes import Outcome

FILE = Path(__file__).with_name("baseline.json")


def read(path: Path = FILE) -> dict[str, int]:
    """Returns the cycles by kernel."""
    cycles: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    return cycles


def write(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Writes the cycles of outcomes."""
    cycles = {outcome.job.kernel: outcome.cycles for outcome in outcomes}
    path.write_text(json.dumps(cycles, indent=1) + "\n", encoding="utf-8")


def moved(outcomes: Sequence[Outcome], cycles: dict[str, int]) -> list[str]:
    """Returns a line for each kernel with other cycles than in the baseline, or that only one side has."""
    found = {outcome.job.kernel: outcome.cycles for outcome in outcomes}
    return [
        f"{name}: {found.get(name, 'no')} cycles, {cycles.get(name, 'none')} in the baseline"
        for name in sorted(found.keys() | cycles.keys())
        if found.get(name) != cycles.get(name)
    ]
