"""The example trains, and its first steps agree with interpreter and NumPy."""

import csv
import re
import subprocess
import sys
from pathlib import Path

TRAIN = Path(__file__).resolve().parents[2] / "examples/train_digits/train.py"
STEPS, CHECKED = 40, 3


def test_train(tmp_path):
    command = [
        sys.executable,
        str(TRAIN),
        "--steps",
        str(STEPS),
        "--check",
        str(CHECKED),
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert f"first {CHECKED} steps: equal to the interpreter bit for bit, close to NumPy" in done.stdout
    losses = {
        name: float(loss)
        for name, loss in re.findall(r"^(\w.*?) +\d+ steps: loss ([\d.]+),", done.stdout, re.MULTILINE)
    }
    # Stochastic rounding learns as well as fp32 does, and better than rounding to nearest even.
    assert abs(losses["bf16, stochastic"] - losses["fp32"]) < 0.01
    assert losses["bf16, nearest even"] - losses["fp32"] > 0.04
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * STEPS
    assert float(rows[0]["loss"]) > 2.2
