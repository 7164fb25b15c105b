#!/usr/bin/env python3
"""Checks the includes against the order of the folders: check_includes.py [ROOT] [--print]

LAYERS is the order of the top level. A C++ file includes only files of its own layer or of a lower one;
different folders of one layer (compiler and model) do not include each other. Within a folder of the top
level the leaves, which are the folders with sources, form no circle. Some leaves may use less than their
layer allows (STANDS_ON), some do not include each other (FORBIDDEN). Tests include everything; nothing
includes tests. --print writes the arrows of the top level and the number of includes of each.
"""

import argparse
import collections
import itertools
import re
import subprocess
import sys
from pathlib import Path

# The layers from the bottom up. Folders of one row do not include each other.
LAYERS = [
    ["isa", "firmware"],
    ["base"],
    ["arch"],
    ["compiler", "model"],
    ["runtime"],
    ["testbench"],
    ["tools", "python"],
]
LAYER_OF = {folder: number for number, row in enumerate(LAYERS) for folder in row}
# Leaves that include only themselves and these folders: their proofs would mean nothing if they shared more.
STANDS_ON = {"testbench/functional": ["isa", "firmware", "base", "arch", "compiler/neff", "model/rv32"]}
# Folders that do not include each other although their layer allows it, with their contents.
FORBIDDEN = [
    ("model/core/fast", "model/core/rtl"),  # models of one core: they share its pins, model/core
    ("model/core/rtl", "model/core/fast"),
    ("runtime/loader", "model"),  # pure functions without SystemC
]
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]*)"')


def top_of(path):
    return path.split("/")[0]


def leaf_of(path):
    return path.rsplit("/", 1)[0]


def target_of(included, path, files):
    """Returns the included file as a path in the tree; a generated file has the path it would have there."""
    beside = (Path(path).parent / included).as_posix()
    return next((found for found in (beside, included, f"tests/{included}") if found in files), included)


def read_includes(root, files):
    """Yields (including file, line, included file) of all files except tests."""
    for path in files:
        if top_of(path) == "tests":
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            if match := INCLUDE.match(line):
                yield path, number, target_of(match[1], path, files)


def points_up(path, target):
    """Returns whether a file must not include another, by the order of the top level."""
    home, there = top_of(path), top_of(target)
    if there == "tests":
        return True
    if there not in LAYER_OF or home == there:
        return False
    return LAYER_OF[there] >= LAYER_OF[home]


def is_beyond(path, target):
    """Returns whether a leaf that may use only a few folders includes another one."""
    grounds = STANDS_ON.get(leaf_of(path))
    if grounds is None or top_of(target) not in LAYER_OF:
        return False
    return not any(is_in(folder, target) for folder in [leaf_of(path), *grounds])


def is_in(folder, path):
    return path.startswith(folder + "/")


def is_forbidden(path, target):
    return any(is_in(home, path) and is_in(there, target) for home, there in FORBIDDEN)


def find_circle(uses):
    """Returns folders that include each other in a circle, as a list that ends with its first entry.

    Without a circle the list is empty.
    """
    state, way = {}, []

    def visit(leaf):
        state[leaf] = "open"
        way.append(leaf)
        for used in sorted(uses.get(leaf, ())):
            if state.get(used) == "open":
                return [*way[way.index(used) :], used]
            if used not in state and (circle := visit(used)):
                return circle
        way.pop()
        state[leaf] = "done"
        return []

    return next((circle for leaf in sorted(uses) if leaf not in state and (circle := visit(leaf))), [])


def check(root, files):
    faults, uses, first, arrows = [], collections.defaultdict(set), {}, collections.Counter()
    faults += [
        f"{path}: lies in no folder of the order, expected one of {', '.join(LAYER_OF)}"
        for path in files
        if top_of(path) != "tests" and top_of(path) not in LAYER_OF
    ]
    for path, number, target in read_includes(root, files):
        if points_up(path, target):
            faults.append(f"{path}:{number}: includes {target}: {top_of(path)} may not use {top_of(target)}")
        elif is_beyond(path, target):
            faults.append(
                f"{path}:{number}: includes {target}: {leaf_of(path)} stands on "
                f"{', '.join(STANDS_ON[leaf_of(path)])} alone"
            )
        elif is_forbidden(path, target):
            faults.append(
                f"{path}:{number}: includes {target}: {leaf_of(path)} may not use {leaf_of(target)}"
            )
        elif top_of(path) != top_of(target):
            arrows[top_of(path), top_of(target)] += target in files
        elif leaf_of(path) != leaf_of(target) and target in files:
            uses[leaf_of(path)].add(leaf_of(target))
            first.setdefault((leaf_of(path), leaf_of(target)), f"{path}:{number}")
    if circle := find_circle(uses):
        steps = ", ".join(f"{first[pair]} includes {pair[1]}" for pair in itertools.pairwise(circle))
        faults.append(f"{circle[0]}: a circle of folders, expected none: {steps}")
    return faults, arrows


def write_arrows(arrows, up):
    print(" < ".join(" | ".join(row) for row in LAYERS))
    for (home, there), count in sorted(
        arrows.items(), key=lambda arrow: [LAYER_OF.get(top, 99) for top in arrow[0]]
    ):
        if count:
            print(f"{home:>10} -> {there:<10} {count:5}")
    print(f"arrows up: {up}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path())
    parser.add_argument(
        "--print", action="store_true", help="write the order of the top level and its arrows"
    )
    options = parser.parse_args()
    names = subprocess.run(
        [
            "git",
            "-C",
            str(options.root),
            "-c",
            f"safe.directory={options.root.resolve()}",
            "ls-files",
            "*.cpp",
            "*.hpp",
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.split()
    faults, arrows = check(options.root, dict.fromkeys(names))
    if options.print:
        write_arrows(arrows, len(faults))
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
