#!/usr/bin/env python3
"""Copies packages so that Verilator counts all of their lines: anchor_packages.py FOLDER PACKAGE...

Verilator 5.006 forgets all points except the first of a package without variables or public parameters. The
copies have such a parameter on the line of the package's name, and name the lines of the original.
"""

import pathlib
import re
import sys

ANCHOR = r"\1 localparam bit CoverageAnchor /*verilator public_flat_rd*/ = 1'b0;"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for package in map(pathlib.Path, sys.argv[2:]):
        text, found = re.subn(
            r"^(package \w+;)", ANCHOR, package.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE
        )
        if not found:
            sys.exit(f"{package}:1:1: expected a line 'package NAME;'")
        (folder / package.name).write_text(f'`line 1 "{package}" 0\n{text}', encoding="utf-8")


main()
