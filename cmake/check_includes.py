#!/usr/bin/env python3
"""Finds includes that run up the order of the folders: check_includes.py [ROOT]

The order is the table under "Folders" of docs/architecture.md: a C++ file may include what lies in its own folder, in the folders that
its row names, and in what those may include. A row names rows before it only. Tests may include everything; nothing includes tests.
"""
import re
import subprocess
import sys
from pathlib import Path

PAGE = "docs/architecture.md"
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]*)"')


def read_order(text):
    """What each folder may include, itself among it, from the rows `| folders | what | may include |`."""
    section = re.search(r"^## Folders\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    order, faults = {}, []
    for row in re.findall(r"^\|(.*)\|$", section[1] if section else "", re.M):
        cells = row.split("|")
        folders, used = (re.findall(r"`([\w/]+)`", cells[i]) for i in (0, -1))
        allowed = set()
        for folder in used:
            if folder in order:
                allowed |= order[folder]
            else:
                faults.append(f"{PAGE}: the row of {folders[0]} names {folder}, expected a folder of a row before it")
        order |= {folder: allowed | {folder} for folder in folders}
    return order, faults if order else [f"{PAGE}: no table of folders"]


def folder_of(path, order):
    """The longest folder of the order that holds the path, or None."""
    return max((folder for folder in order if path.startswith(folder + "/")), key=len, default=None)


def target_of(included, path, files):
    """The included file as a path in the tree; one that is generated has the path it would have there."""
    beside = (Path(path).parent / included).as_posix()
    return next((path for path in (beside, included, f"tests/{included}") if path in files), included)


def check(root, files):
    order, faults = read_order((root / PAGE).read_text())
    for path in files:
        if path.startswith("tests/"):
            continue
        home = folder_of(path, order)
        if home is None:
            faults.append(f"{path}: lies in no folder of the table in {PAGE}")
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            if not (match := INCLUDE.match(line)):
                continue
            target = target_of(match[1], path, files)
            folder = "tests" if target.startswith("tests/") else folder_of(target, order)
            if folder and folder not in order[home]:
                faults.append(f"{path}:{number}: includes {match[1]}, which lies above: {home} may not use {folder}")
    return faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = subprocess.run(["git", "-C", str(root), "-c", f"safe.directory={root.resolve()}", "ls-files", "*.cpp", "*.hpp"],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    faults = check(root, {name: None for name in names})
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
