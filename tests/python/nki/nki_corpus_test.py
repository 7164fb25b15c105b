"""Kernels in the style of the public tutorials and samples, written from the reference alone, against NumPy.

Each file of corpus/ imports the SDK's names and gives its cases: a kernel, or a function that launches one;
its arguments; the results of NumPy; the error that is allowed, relative to the largest element. A tuple or a
list has one of each output.
"""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from nki_rtl import CANCELLED

from trnsim import nki

FOLDER = Path(__file__).parent / "corpus"
FILES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def corpus(monkeypatch):
    nki.install(mode="simulation", replace=True)
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module
    for name in FILES:
        sys.modules.pop(name, None)
    nki.uninstall()


def wrong(found, expected, tolerance):
    """Describes the difference of an output."""
    if found.shape != np.shape(expected):
        return [f"shape {found.shape}, expected {np.shape(expected)}"]
    values, wide = found.astype(np.float64), np.asarray(expected).astype(np.float64)
    error = np.abs(values - wide).max() / (np.abs(wide).max() or 1)
    return [] if error <= tolerance else [f"error {error:.2g}, expected at most {tolerance:g}"]


def of_bf16(values):
    """Bounds results in bf16 of sums of products that were rounded to bf16."""
    return 2.0**-8 * np.abs(values[np.isfinite(values)]).max(initial=0)


def of_summed_sums(values):
    """Bounds sums whose terms are functions of sums: the error of those is added once more."""
    return CANCELLED * np.abs(values[np.isfinite(values)]).max(initial=0)


MARKS = {
    "attention": [pytest.mark.bound.with_args(of_bf16)],
    "products": [pytest.mark.bound.with_args(of_summed_sums)],
}


@pytest.mark.parametrize("file", [pytest.param(file, marks=MARKS.get(file, [])) for file in FILES])
def test_corpus(corpus, rng, file):
    failures = []
    for kernel, arguments, expected, tolerance in corpus(file).cases(rng):
        found = nki.simulate_kernel(kernel, *arguments) if hasattr(kernel, "grid") else kernel(*arguments)
        several = isinstance(expected, (list, tuple))
        outputs = zip(found, expected, tolerance) if several else [(found, expected, tolerance)]
        name = getattr(kernel, "__name__", type(kernel).__name__)
        failures += [f"{name}: {text}" for output in outputs for text in wrong(*output)]
    assert not failures, "\n".join(failures)


def test_dropout_is_that_of_its_seed(corpus, rng):
    x = rng.normal(size=(70, 90)).astype(np.float32)
    rate, seeds = np.array([[0.25]], np.float32), [np.array([[seed]], np.int32) for seed in (7, 8)]
    first, other = (nki.simulate_kernel(corpus("searches").dropout_twice, x, rate, seed) for seed in seeds)
    assert np.array_equal(first[0], first[1]) and not np.array_equal(first[0], other[0])
    kept = first[0] != 0
    np.testing.assert_allclose(first[0][kept], x[kept] / 0.75, rtol=1e-6)
    assert 0.7 < kept.mean() < 0.8
