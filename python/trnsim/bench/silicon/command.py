"""trnsim bench silicon: the command line."""

from __future__ import annotations

import argparse
import fnmatch
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from ... import load_config
from . import baseline, calibrate, cases, keys, page, public
from .measurements import START_MS, Measurement, MeasurementError, public as measurements, timed
from .processes import Job, Limits, Outcome, run
from .scatter import scatter
from .table import Row, as_json, markdown

_EVALUATIONS = 60  # of a refit


class _UsageError(Exception):
    """A mistake of the user's, one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise _UsageError(message)


def _parser() -> _Parser:
    parser = _Parser(
        prog="python -m trnsim.bench silicon",
        description="Simulated times of kernels beside those measured on the chip (docs/silicon.md).",
    )
    add = parser.add_argument
    add("--kernels", metavar="DIR", help="folder with checkouts of the public repositories")
    add("--only", metavar="PATTERNS", help="kernels by name, with * and ?, separated by commas")
    add("--full", action="store_true", help="published sizes, also where a share of the work will do")
    add("--config", default="trn1", help="configuration, a name or a file")
    add("--jobs", type=int, default=1, help="kernels that are simulated at once")
    add("--timeout", type=float, default=1800, metavar="S", help="seconds after which a kernel is stopped")
    add("--memory", type=float, default=8, metavar="GIB", help="host memory at which a kernel is stopped")
    start = 1e3 * START_MS
    add("--start", type=float, default=start, metavar="US", help="start of a kernel, added to its time")
    add("--json", action="store_true", help="print JSON")
    add("--picture", metavar="FILE", help="write the scatter plot, .svg")
    add("--write-docs", metavar="FILE", help="rewrite the table of docs/silicon.md, and its picture")
    add("--update-baseline", metavar="FILE", help="write the cycles of this package's kernels at small sizes")
    add("--calibrate", metavar="CSV", help="refit keys of the configuration to these measurements")
    add("--keys", default=",".join(keys.USUAL), help=f"keys of the refit: {', '.join(keys.KEYS)}")
    add("--quiet", action="store_true", help="no progress, on a terminal either")
    return parser


class _Progress:
    """One line on a terminal that is rewritten; nothing elsewhere."""

    def __init__(self, shown: bool) -> None:
        self._shown, self._width = shown, 0

    def say(self, text: str) -> None:
        if self._shown:
            text = text[:110]
            print(f"\r{text:{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)

    def end(self) -> None:
        if self._shown and self._width:
            print(f"\r{'':{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0


def _chosen(names: Sequence[str], patterns: str | None) -> list[str]:
    """Returns the names that one of the patterns fits, all without patterns."""
    if patterns is None:
        return list(names)
    chosen: set[str] = set()
    for pattern in patterns.split(","):
        fitting = fnmatch.filter(names, pattern)
        if not fitting:
            raise _UsageError(f"--only {pattern}: no kernel of that name; there are: {' '.join(names)}")
        chosen.update(fitting)
    return [name for name in names if name in chosen]


def _folder(text: str | None) -> str | None:
    if text is None:
        return None
    folder = Path(text)
    if not folder.is_dir():
        raise _UsageError(f"--kernels {text}: no folder, expected one with {_repositories()}")
    if not any(public.checkout_of(folder, suite).is_dir() for suite in public.CHECKOUTS):
        raise _UsageError(f"--kernels {text}: none of the repositories is there, expected {_repositories()}")
    return str(folder.resolve())


def _repositories() -> str:
    return ", ".join(f"{name} ({url})" for name, url in public.CHECKOUTS.values())


class _Runs:
    """Runs jobs with the options' limits and progress."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._limits = Limits(options.timeout, options.memory)
        self._at_once: int = options.jobs
        self.progress = _Progress(not options.quiet and sys.stderr.isatty())

    def run(self, jobs: Sequence[Job], config: str, before: str = "") -> list[Outcome]:
        def began(number: int, job: Job) -> None:
            whose = "public " if job.folder else ""
            self.progress.say(f"{before}{number} of {len(jobs)}: {whose}{job.kernel}")

        try:
            return run(jobs, config, self._limits, self._at_once, began)
        finally:
            self.progress.end()


def _rows(
    measured: dict[str, Measurement], jobs: Sequence[Job], outcomes: Sequence[Outcome], start_ms: float
) -> list[Row]:
    return [Row(measured[job.kernel], outcome, start_ms) for job, outcome in zip(jobs, outcomes)]


def _table(options: argparse.Namespace, runs: _Runs) -> int:
    measured = {one.name: one for one in measurements()}
    folder = _folder(options.kernels)
    own = [case.measurement for case in cases.CASES]
    others = [kernel.measurement for kernel in public.KERNELS] if folder is not None else []
    wanted = set(_chosen(list(dict.fromkeys([*own, *others])), options.only))
    sizes = "full" if options.full else "table"
    jobs = [Job(name, sizes=sizes) for name in own if name in wanted]
    jobs += [Job(name, folder, sizes) for name in others if name in wanted]
    rows = _rows(measured, jobs, runs.run(jobs, options.config), options.start / 1e3)
    parts = page.Parts(
        own=[row for row in rows if row.outcome.job.folder is None],
        public=[row for row in rows if row.outcome.job.folder is not None],
    )
    if options.json:
        print(json.dumps({name: as_json(part) for name, part in parts.named() if part}, indent=1))
    else:
        print("\n".join(f"{title}:\n\n{markdown(part)}" for title, part in parts.titled() if part), end="")
    if options.picture:
        scatter(rows).save(options.picture)
    if options.write_docs:
        page.rewrite(Path(options.write_docs), parts)
    return 0 if all(row.outcome.right for row in rows if row.ran) and all(row.ran for row in parts.own) else 1


def _calibrate(options: argparse.Namespace, runs: _Runs) -> int:
    named = []
    for name in options.keys.split(","):
        if name not in keys.KEYS:
            raise _UsageError(f"--keys: {name!r}, expected some of {', '.join(keys.KEYS)}")
        named.append(keys.KEYS[name])
    folder = _folder(options.kernels)
    known = (
        [kernel.measurement for kernel in public.KERNELS] if folder else [c.measurement for c in cases.CASES]
    )
    path = Path(options.calibrate)
    rows = timed(path, known)
    count, said = 0, ""

    def simulator(kernels: Sequence[str], config: str) -> list[Outcome]:
        nonlocal count
        count += 1
        jobs = [Job(kernel, folder, check=False) for kernel in kernels]
        return runs.run(jobs, config, f"evaluation {count}{said}, ")

    def told(text: str) -> None:
        nonlocal said
        said = f" (the last one, {text})"

    values = load_config(options.config).keys()
    start = options.start / 1e3
    found = calibrate.fit(path, rows, named, options.config, values, simulator, start, _EVALUATIONS, told)
    print(calibrate.markdown(rows, found, options.config), end="")
    return 0


def _update_baseline(options: argparse.Namespace, runs: _Runs) -> int:
    jobs = [Job(case.measurement, sizes="small") for case in cases.CASES]
    outcomes = runs.run(jobs, options.config)
    wrong = [o for o in outcomes if o.error or not o.right]
    for outcome in wrong:
        print(f"{outcome.job.kernel}: {outcome.error or 'its result is wrong'}", file=sys.stderr)
    if wrong:
        return 1
    baseline.write(Path(options.update_baseline), outcomes)
    return 0


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit code: 1 if a kernel of this package does not run or a result is
    wrong, 2 after a mistake of the user's.
    """
    try:
        options = _parser().parse_args(arguments)
        if options.jobs < 1 or options.timeout <= 0 or options.memory <= 0:
            raise _UsageError("--jobs, --timeout and --memory, expected numbers above 0")
        if not 0 <= options.start < float("inf"):
            raise _UsageError(f"--start {options.start}, expected microseconds, 0 or more")
        runs = _Runs(options)
        if options.calibrate:
            return _calibrate(options, runs)
        if options.update_baseline:
            return _update_baseline(options, runs)
        return _table(options, runs)
    except (_UsageError, MeasurementError, page.PageError) as error:
        print(f"trnsim bench silicon: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("trnsim bench silicon: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    except OSError as error:
        print(f"trnsim bench silicon: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
