#!/usr/bin/env python3
"""Prints how long the steps of a build took, by folder and by kind, from ninja's log.

    build_times.py BUILD [--depth N] [--steps N]

A step runs on one processor, so where ninja starts as many as there are, the sum is the processor seconds of
the build. A step that a compiler cache answers takes nearly nothing: CCACHE_DISABLE=1 ./trnsim build in a new
clone gives figures to compare.
"""

import argparse
import collections
import pathlib
import sys

HEADER = "# ninja log v"
KINDS = {".o": "compile", ".so": "link", ".a": "archive", "": "link"}


def read_steps(log):
    """Returns the seconds of each step, by its first output; of the last build of that output.

    Raises ValueError for a file that is no log of ninja.
    """
    lines = log.read_text().splitlines()
    begin = lines[0] if lines else ""
    if not begin.startswith(HEADER):
        raise ValueError(f"{log}:1: found '{begin}', expected {HEADER}N")
    last = {}
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if len(fields) != 5:
            raise ValueError(f"{log}:{number}: found {len(fields)} fields, expected 5")
        start, end, _, output, command = fields
        if not (start.isdigit() and end.isdigit()):
            raise ValueError(f"{log}:{number}: found times '{start}' and '{end}', expected milliseconds")
        last[output] = (int(start), int(end), command)
    first = {}  # the first output of each step
    for output, step in last.items():
        first.setdefault(step, output)
    return {output: (end - start) / 1000 for (start, end, _), output in first.items()}


def kind_of(output):
    return KINDS.get(pathlib.PurePath(output).suffix, "generate")


def folder_of(output, depth):
    """Returns the folder of the tree that an output is made from."""
    parts = [
        part
        for part in pathlib.PurePath(output).parts[:-1]
        if part not in ("CMakeFiles", "Unity") and not part.endswith(".dir")
    ]
    return "/".join(parts[:depth]) or "."


def print_table(rows, heads):
    """Prints columns: the first on the left, the others on the right."""
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    for row in [heads, *rows]:
        print(
            "  ".join(
                [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
            )
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--depth", type=int, default=2, help="of the folders (2)")
    parser.add_argument("--steps", type=int, default=0, help="this many of the longest steps as well")
    options = parser.parse_args()
    log = options.build / ".ninja_log"
    try:
        steps = read_steps(log)
    except (OSError, ValueError) as error:
        sys.exit(f"build_times: {error}")
    folders = collections.defaultdict(lambda: [0, 0.0])
    kinds = collections.defaultdict(lambda: [0, 0.0])
    for output, seconds in steps.items():
        for sums in folders[folder_of(output, options.depth)], kinds[kind_of(output)]:
            sums[0] += 1
            sums[1] += seconds
    for heads, sums in ("folder", folders), ("kind", kinds):
        ordered = sorted(sums.items(), key=lambda item: -item[1][1])
        print_table(
            [(name, str(count), f"{seconds:.1f}") for name, (count, seconds) in ordered],
            (heads, "steps", "s"),
        )
        print()
    if options.steps:
        longest = sorted(steps.items(), key=lambda item: -item[1])[: options.steps]
        print_table([(output, f"{seconds:.1f}") for output, seconds in longest], ("step", "s"))
        print()
    print(f"{len(steps)} steps, {sum(steps.values()):.1f} s")


if __name__ == "__main__":
    main()
