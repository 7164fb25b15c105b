#!/usr/bin/env python3
"""Runs clang-tidy over source files. usage: tidy.py CLANG_TIDY BUILD_DIR JOBS FILE...

A file without findings is skipped until it, a header that it includes, its compile command, the rules or
clang-tidy change. Clean files are noted in BUILD_DIR/lint. Findings go to stdout; the exit code is 1 if there
are any.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

# folders with headers that are checked as well
FOLDERS = (
    "arch",
    "base",
    "compiler",
    "isa",
    "model",
    "runtime",
    "testbench",
    "tests",
    "tools",
)
# clang cannot read this form; nor should a file rely on it
PRECOMPILED = re.compile(r"-include \S+/cmake_pch\.hxx")
# options that clang refuses
GCC_ONLY = (
    "-fpch-preprocess",
    "-Winvalid-pch",
    "-mmemcpy-strategy=",
    "-fno-tree-",
)
PROGRESS = 3  # file descriptor; lint.sh keeps the output of the others


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


class Inputs:
    """The inputs that the findings of a file depend on."""

    def __init__(self, clang_tidy: str, build: Path, root: Path) -> None:
        self._build, self._root = build, root
        self._contents: dict[Path, bytes] = {}
        version = subprocess.run([clang_tidy, "--version"], capture_output=True, check=True).stdout
        self._rules = digest(version, *(path.read_bytes() for path in self._rule_files()))
        self._groups: dict[str, list[str]] = {}  # the files that are compiled together, by what includes them
        entries = json.loads((build / "compile_commands.json").read_text())
        self.commands = [alone for entry in entries for alone in self._apart(entry)]
        self._commands = {entry["file"]: entry["command"] for entry in self.commands}
        self._headers = self._read_headers(build)

    def _rule_files(self) -> list[Path]:
        return [path for folder in ("", *FOLDERS) if (path := self._root / folder / ".clang-tidy").exists()]

    def _apart(self, entry: dict[str, str]) -> list[dict[str, str]]:
        """The commands that compile each file alone that CMAKE_UNITY_BUILD compiles with others."""
        group = entry["file"]
        if "/Unity/unity_" not in group:
            return [entry]
        files = re.findall(r'^#include "(.*)"$', Path(group).read_text(), re.MULTILINE)
        self._groups[group] = files
        return [{**entry, "file": file, "command": entry["command"].replace(group, file)} for file in files]

    def _read_headers(self, build: Path) -> dict[str, list[str]]:
        """Returns the headers of each source file, as its last compilation found them.

        ccache may have made the names relative to the build folder.
        """
        found: dict[str, list[str]] = {}
        files: list[str] = []
        listing = subprocess.run(
            ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True
        ).stdout
        for line in listing.splitlines():
            if not line.startswith(" "):
                files = []
            elif not line.startswith("    /usr/"):
                files.append(os.path.normpath(build / line.strip()))
                found.setdefault(files[0], files)
        for group, sources in self._groups.items():
            if group in found:
                found.update(dict.fromkeys(sources, found[group]))
        return found

    def _content(self, path: Path) -> bytes:
        if path not in self._contents:
            self._contents[path] = digest(path.read_bytes()).encode() if path.exists() else b"missing"
        return self._contents[path]

    def key(self, source: Path) -> "str | None":
        """Returns the key of a file; None if it has not been compiled."""
        headers = self._headers.get(str(source))
        if headers is None or str(source) not in self._commands:
            return None
        own = sorted(map(Path, headers))
        return digest(self._rules.encode(), self._commands[str(source)].encode(), *map(self._content, own))


def progress(done: int, total: int, start: float) -> None:
    if not os.isatty(PROGRESS):  # False for a descriptor that is not open
        return
    left = (time.monotonic() - start) * (total - done) / done
    text = (
        "\r\033[K"
        if done == total
        else f"\rlint: clang-tidy {done} of {total} files, {left:.0f} s left \033[K"
    )
    os.write(PROGRESS, text.encode())


def without_gcc_options(commands: list[dict[str, str]]) -> list[dict[str, str]]:
    def clean(command: str) -> str:
        command = PRECOMPILED.sub("", command)
        return " ".join(word for word in command.split(" ") if not word.startswith(GCC_ONLY))

    return [{**entry, "command": clean(entry["command"])} for entry in commands]


def main() -> None:
    clang_tidy, build, jobs, root = sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3]), Path.cwd()
    inputs, kept = Inputs(clang_tidy, build, root), build / "lint"
    kept.mkdir(exist_ok=True)
    (kept / "compile_commands.json").write_text(json.dumps(without_gcc_options(inputs.commands)))
    work = []
    for name in sys.argv[4:]:
        source = (root / name).resolve()
        stamp, key = kept / f"{digest(name.encode())[:32]}.clean", inputs.key(source)
        if key is None or not stamp.exists() or stamp.read_text() != key:
            work.append((source, stamp, key))

    def run(source: Path) -> subprocess.CompletedProcess:
        # clang does not know all warning options of GCC. stderr has a count of suppressed warnings for each
        # file.
        options = [
            "--quiet",
            "-p",
            str(kept),
            "--extra-arg=-Wno-unknown-warning-option",
            f"--header-filter=^{root}/({'|'.join(FOLDERS)})/",
        ]
        return subprocess.run(
            [clang_tidy, *options, str(source)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
        )

    failed, start = False, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(run, source): (source, stamp, key) for source, stamp, key in work}
        for done, finished in enumerate(concurrent.futures.as_completed(runs), 1):
            (source, stamp, key), result = runs[finished], finished.result()
            if result.returncode != 0:
                failed = True
                print(
                    result.stdout or f"{source}: clang-tidy ended with {result.returncode} and no finding\n",
                    end="",
                    flush=True,
                )
            elif key is not None:
                stamp.write_text(key)
            progress(done, len(runs), start)
    sys.exit(failed)


main()
