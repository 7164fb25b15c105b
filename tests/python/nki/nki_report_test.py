"""nki.check: its findings, and that a sound kernel has none."""

import ml_dtypes
import nki_rtl
import numpy as np
import pytest

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

pytestmark = pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")


@nki.jit
def product(a, b):
    c = nl.ndarray((a.shape[1], b.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(c, nl.copy(nl.matmul(nl.load(a), nl.load(b), transpose_x=True)))
    return c


@nki.jit
def unmasked(x):
    """Loads some rows of a tile and doubles all of them."""
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:128, 0 : x.shape[1]]
    part = nl.load(x[rows, columns], mask=rows < x.shape[0])
    nl.store(y[rows, columns], nl.add(part, part), mask=rows < x.shape[0])
    return y


def test_a_sound_kernel(rng):
    a, b = (rng.normal(size=(100, n)).astype(ml_dtypes.bfloat16) for n in (37, 300))
    report = nki.check(product, a, b)
    assert report and not report.findings
    assert report.cycles > 1000 and report.flops == 2 * 100 * 37 * 300
    assert report.dma_bytes >= a.nbytes + b.nbytes + 37 * 300 * 4
    assert report.difference < 1e-3
    assert "bound by" in str(report) and "!" not in str(report)


@nki.jit
def unused(x):
    """Loads some rows of a tile, doubles all rows, and stores those loaded, or all if x has odd columns."""
    y = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:128, 0 : x.shape[1]]
    part = nl.load(x[rows, columns], mask=rows < x.shape[0])
    nl.store(y, 0.0)
    twice = nl.add(part, part)
    nl.store(y[rows, columns], twice, mask=rows < x.shape[0] + x.shape[1] % 2)
    return y


def test_elements_that_are_not_used(rng):
    assert nki.check(unmasked, rng.normal(size=(70, 50)).astype(np.float32))
    assert nki.check(unused, rng.normal(size=(70, 50)).astype(np.float32))


def test_unwritten_elements(rng):
    report = nki.check(unused, rng.normal(size=(70, 51)).astype(np.float32))
    assert not report and len(report.findings) >= 2  # NumPy's and the interpreter's
    line = unused.function.__code__.co_firstlineno + 7
    assert all(f"nki_report_test.py:{line}" in finding for finding in report.findings[:2])
    assert "err_read_of_unwritten_memory" in str(report)


def test_a_result_that_is_written_in_part(rng):
    @nki.jit
    def kernel(x):
        y, z = (nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) for _ in range(2))
        nl.store(y, nl.load(x))
        nl.store(z[0:5], nl.load(x[0:5]))
        return y, z

    report = nki.check(kernel, rng.normal(size=(8, 6)).astype(np.float32))
    assert (
        "result 1: 18 elements are returned which nothing has written, the first at [5, 0]" in report.findings
    )


def test_a_difference_is_found(rng):
    x = rng.normal(size=(128, 60)).astype(np.float32)

    @nki.jit
    def kernel(x):
        y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(y, nl.exp(nl.load(x)))
        return y

    report = nki.check(kernel, x, tolerance=1e-12)
    assert 1e-12 < report.difference < 1e-5 and not report
    assert "differs from NumPy's" in report.findings[0]
    assert nki.check(kernel, x)


@pytest.mark.parametrize("shape", [(14, 12), (5, 6, 7), (3, 4, 5, 6)])
def test_transposes_of_parameters(rng, shape):
    @nki.jit
    def kernel(x):
        whole, part = nisa.dma_transpose(x), nisa.dma_transpose(x[0:2])
        y, z = (nl.ndarray(tile.shape, dtype=x.dtype, buffer=nl.shared_hbm) for tile in (whole, part))
        nl.store(y, whole)
        nl.store(z, part)
        return y, z

    report = nki.check(kernel, rng.normal(size=shape).astype(np.float32))
    assert report and report.difference == 0
