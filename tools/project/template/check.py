"""Runs the kernel on the RTL and compares its output with NumPy's.

usage: check.py TRNSIM KERNEL.neff CONFIG
"""

import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no NumPy (Debian: apt-get install python3-numpy)")
    sys.exit(77)

K, M, N = 16, 16, 1024  # as in {{name}}.cpp


def main():
    trnsim, kernel, config = sys.argv[1:]
    random = np.random.default_rng(1)
    # Values are eighths from -1 to 1, which bf16 holds exactly.
    shapes = {"x": (K, N), "gate": (K, M), "up": (K, M)}
    inputs = {name: (random.integers(-8, 9, shape) / 8).astype(np.float32) for name, shape in shapes.items()}

    with tempfile.TemporaryDirectory() as folder:
        command = [trnsim, "run", kernel, "--config", config]
        for name, array in inputs.items():
            path = Path(folder, f"{name}.npy")
            np.save(path, array)
            command += ["--input", f"{name}={path}"]
        result = Path(folder, "y.npy")
        subprocess.run([*command, "--output", f"y={result}"], check=True)
        y = np.load(result)

    gates = 1 / (1 + np.exp(-(inputs["gate"].T @ inputs["x"])))
    expected = gates * (inputs["up"].T @ inputs["x"])
    error = np.max(np.abs(y - expected) / np.maximum(np.abs(expected), 1e-3))
    print(f"largest relative error: {error:.2e}")
    return 0 if y.shape == expected.shape and error < 2e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
