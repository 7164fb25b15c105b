"""The kernels of examples/nki run on the RTL; each compares itself with NumPy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples/nki"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "common")


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py")], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    cycles = [int(n) for n in re.findall(r"(\d+) cycles", done.stdout)]
    assert cycles and all(cycles), done.stdout
    if name == "matmul":
        assert cycles[0] > cycles[1] > cycles[2]
        assert len(re.findall(r"array utilisation \d+ %", done.stdout)) == 3
