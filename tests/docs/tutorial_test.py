"""The commands of docs/tutorial.md print what the page shows.

usage: tutorial_test.py TRNSIM [FOLDER]

They run in FOLDER and leave their files there; without it in a temporary folder. In the page's indented
blocks "$ " begins a command, with the lines of its here-document; its output follows, line by line, where
"..." stands for any lines. A command fails exactly where the page shows an error of trnsim. `git clone` and
`cd` are left out.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/tutorial.md"
INDENT = "    "


def commands(text):
    """Returns (line number, command, lines of output) of every command."""
    found, here = [], None
    for number, indented in enumerate(text.splitlines(), 1):
        if not indented.startswith(INDENT):
            continue
        line = indented.removeprefix(INDENT)
        if here is not None:
            found[-1][1] += "\n" + line
            if line == here:
                here = None
        elif line.startswith("$ "):
            found.append([number, line[2:], []])
            mark = re.search(r"<<'(\w+)'", line)
            here = mark.group(1) if mark else None
        elif found:
            found[-1][2].append(line)
    return [command for command in found if not re.match(r"git clone |cd ", command[1])]


def difference(expected, lines):
    """Returns the first expected line that is missing, or the first extra line; None if there is neither."""
    at, skip = 0, False
    for line in expected:
        if line == "...":
            skip = True
            continue
        while skip and at < len(lines) and lines[at] != line:
            at += 1
        if at == len(lines) or lines[at] != line:
            return f"expected: {line}"
        at, skip = at + 1, False
    return None if skip or at == len(lines) else f"expected the end, found: {lines[at]}"


def run(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("configs", "waves"):
        (folder / name).symlink_to(ROOT / name)
    script = folder / "trnsim"
    script.write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
    script.chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    environment["XDG_CACHE_HOME"] = str(folder / "cache")
    listed = commands(PAGE.read_text())
    for number, command, expected in listed:
        result = subprocess.run(
            ["bash", "-euc", command],
            cwd=folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        fails = any(line.startswith("trnsim: ") for line in expected)
        lines = [line.rstrip() for line in result.stdout.splitlines()]
        wrong = difference(expected, lines)
        if (result.returncode != 0) != fails:
            wrong = f"exit status {result.returncode}"
        if wrong:
            print(f"tutorial.md:{number}: {command.splitlines()[0]}\n{wrong}\nit printed:\n{result.stdout}")
            return 1
    print(f"{len(listed)} commands")
    return 0 if listed else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if len(sys.argv) == 3:
        sys.exit(run(Path(sys.argv[1]).resolve(), Path(sys.argv[2])))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(run(Path(sys.argv[1]).resolve(), Path(temporary) / "tutorial"))
