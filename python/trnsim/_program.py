"""The command trnsim of an environment: the program of the package, or that of the build it was made with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from . import _trnsim


def main() -> NoReturn:
    """Runs the program in place of this process."""
    # The first folder is Python's own, whose trnsim may be what has started this.
    for folder in _trnsim.program_folders()[1:]:
        program = Path(folder) / "trnsim"
        if os.access(program, os.X_OK):
            os.environ.setdefault("TRNSIM_PYTHON", sys.executable)
            os.execv(program, ["trnsim", *sys.argv[1:]])
    sys.exit("trnsim: found the Python package alone, expected a program that ./trnsim build makes")
