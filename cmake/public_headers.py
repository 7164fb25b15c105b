#!/usr/bin/env python3
"""Copies the headers that other projects include.

usage: public_headers.py SOURCE TO [--generated DIR] [--also DIR]... [--stamp FILE] PATH...

Each PATH is a header of the tree SOURCE or a folder of headers; headers that these include are copied as
well. TO/trnsim gets them at their paths in the tree, with `#include "base/a.hpp"` as `#include
"trnsim/base/a.hpp"`: a project with TO on its include path sees no name except trnsim. Generated headers have
the paths that they would have in the tree; --also is a further folder that includes are relative to. An
include in quotes that leads nowhere is an error. Files that are up to date are not written, and other files
are removed. --stamp is written at the end, with FILE.d for make, which names the files that were read.
"""

import argparse
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^(\s*#\s*include\s*)"([^"]*)"', re.MULTILINE)
NAME = "trnsim"


class Fault(Exception):
    """A header is wrong; the text is one line."""


class Headers:
    def __init__(self, roots, also):
        self.roots = roots
        self.search = [*roots, *also]
        self.texts = {}  # path in the tree to text
        self.files = []  # files that were read

    def name_of(self, file):
        root = next(root for root in self.roots if root in file.parents)
        return file.relative_to(root).as_posix()

    def add(self, file):
        """Adds the header and those that it includes. Returns its path in the tree."""
        name = self.name_of(file)
        if name in self.texts:
            return name
        text = self.texts[name] = file.read_text()
        self.files.append(file)

        def rewritten(match):
            found = next(
                (
                    place
                    for place in (folder / match[2] for folder in [file.parent, *self.search])
                    if place.is_file()
                ),
                None,
            )
            if found is None:
                line = text.count("\n", 0, match.start(2)) + 1
                raise Fault(f"{name}:{line}: includes {match[2]}, expected a header of the tree")
            return f'{match[1]}"{NAME}/{self.add(found.resolve())}"'

        self.texts[name] = INCLUDE.sub(rewritten, text)
        return name


def write(folder, texts):
    """Makes the files below the folder those of `texts`, by path."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.is_file() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def in_make(path):
    return str(path).replace(" ", r"\ ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("to", type=Path)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--generated", type=Path)
    parser.add_argument("--also", type=Path, action="append", default=[])
    parser.add_argument("--stamp", type=Path)
    options = parser.parse_args()
    source = options.source.resolve()
    # The build folder may lie in the tree.
    roots = [options.generated.resolve(), source] if options.generated else [source]
    headers = Headers(roots, [path.resolve() for path in options.also])
    paths = [source / path for path in options.paths]
    try:
        for path in paths:
            for file in sorted(path.glob("*.hpp")) if path.is_dir() else [path]:
                headers.add(file)
    except Fault as fault:
        sys.exit(str(fault))
    write(options.to / NAME, headers.texts)
    if options.stamp:
        options.stamp.touch()
        # A folder changes when a header comes or goes.
        inputs = " \\\n  ".join(map(in_make, [*filter(Path.is_dir, paths), *headers.files]))
        options.stamp.with_name(options.stamp.name + ".d").write_text(f"{in_make(options.stamp)}: {inputs}\n")


if __name__ == "__main__":
    main()
