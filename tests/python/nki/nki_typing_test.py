"""Annotations of kernels: what they say, and that a checker of types takes them.

`./trnsim lint` checks this file, whose kernels are annotated. A test runs mypy, where it is installed.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trnsim.nki.language as nl
import trnsim.nki.typing as nt
from trnsim import nki


@nki.jit(mode="simulation")
def annotated(x: nt.tensor, y: nt.mutable_tensor, z: nt.tensor[nt.mutable], factor: nt.scalar):
    rows, columns = x.shape
    tile = nl.load(x) * factor
    nl.store(y, tile)
    nl.store(z[:, 0:columns], tile + 1.0)
    out: nt.tensor = nl.ndarray((rows, columns), x.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out, y, z


def test_annotated_parameters():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y, z = np.zeros_like(x), np.zeros_like(x)
    out, *written = annotated(x, y, z, 2.0)
    assert np.array_equal(out, 2 * x) and written[0] is y and written[1] is z
    assert np.array_equal(y, 2 * x) and np.array_equal(z, 2 * x + 1)


def test_annotations_are_classes_that_compare():
    for one in (nt.tensor, nt.mutable_tensor, nt.mutable, nt.tensor[128, 512], nt.tensor[nt.mutable]):
        assert isinstance(one, type)
    assert nt.tensor[128, 512] == nt.tensor[[128, 512]] and nt.tensor[128, 512] != nt.tensor[128, 256]
    assert nt.tensor[nt.mutable] == nt.mutable_tensor and hash(nt.tensor[nt.mutable]) == hash(nt.mutable)
    assert nt.tensor[[4, 2], nl.float32].dtype == nl.float32


def test_an_annotation_is_no_argument():
    with pytest.raises(nki.NkiError, match="argument x is a type"):
        annotated(nt.tensor[3, 4], np.zeros(3), np.zeros(3), 1.0)


_KERNEL = """
import trnsim.nki as nki
import trnsim.nki.language as nl
import trnsim.nki.typing as nt

@nki.jit
def kernel(x: nt.tensor, y: nt.mutable_tensor, n: nt.scalar, m: nt.scalar[nl.int32]) -> nt.tensor:
    width: int = x.shape[1] * n + m
    first: nt.tensor[nt.mutable] = y
    nl.store(y[:, 0:width], nl.load(x))
    return y
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_takes_annotated_kernels(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(_KERNEL)
    tree = Path(__file__).resolve().parents[3] / "python"
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(file)],
        env={**os.environ, "MYPYPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout
