"""Idioms of kernels in the field; each was wrong or refused once."""

import ml_dtypes
import numpy as np
import pytest
from nki_common import evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

F32 = np.float32


@pytest.mark.parametrize("how", ["store", "row", "copy"])
def test_a_mask_of_loop_variables_leaves_elements_of_hbm_alone(rng, how):
    """Indices may lie beyond the tensor where the mask does not hold."""

    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray((5, 3) if how == "row" else (5,), x.dtype, buffer=nl.shared_hbm)
        nl.store(y, 0.0)
        for i in nl.affine_range(8):
            if how == "store":
                nl.store(y[i], 1.0, mask=i < 4)
            elif how == "row":
                nl.store(y[i, 2], 1.0, mask=i < 4)
            else:
                nisa.dma_copy(dst=y[i], src=x[0, i], mask=i < 4)
        return y

    x = np.ones((1, 8), F32)
    found = kernel(x)
    assert np.array_equal(found[:, 2] if how == "row" else found, [1, 1, 1, 1, 0])


def test_not_of_comparisons_is_logical(rng):
    def body(x):
        t = nl.load(x)
        y = nl.ndarray((4, *t.shape), nl.uint8, buffer=nl.shared_hbm)
        nl.store(y[0], ~(t > 0))
        nl.store(y[1], nl.invert((t > -1) & (t < 1)))
        nl.store(y[2], ~((t < -1) | (t > 1)))
        nl.store(y[3], ~((t < 0) ^ (t < 1)))
        return y

    @nki.jit(mode="simulation")
    def kernel(x):
        return body(x)

    x = rng.normal(size=(7, 13)).astype(F32)
    expected = np.stack([~(x > 0), ~((x > -1) & (x < 1)), ~((x < -1) | (x > 1)), ~((x < 0) ^ (x < 1))])
    assert np.array_equal(kernel(x), expected.astype(np.uint8))


def test_a_comparison_negated_selects(rng):
    x = rng.normal(size=(5, 9)).astype(F32)
    assert np.array_equal(evaluate(lambda t: nl.where(~(t > 0), t, 9.0), x), np.where(x > 0, 9, x))


@pytest.mark.parametrize(
    ("to", "of"),
    [
        (np.s_[:, 0:6], np.s_[:, 1:7]),  # a shift to the left, to the right
        (np.s_[:, 3:9], np.s_[:, 0:6]),
        (np.s_[:, 0:9], np.s_[:, 4:5]),  # one column everywhere
        (np.s_[:, 0:5], np.s_[:, 0:10:2]),  # compaction in place
    ],
)
@pytest.mark.parametrize("dtype", [F32, ml_dtypes.bfloat16])
def test_an_assignment_of_an_overlapping_part(rng, to, of, dtype):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        t = nl.load(x)
        t[to] = t[of]
        nl.store(y, t)
        return y

    x = rng.normal(size=(7, 11)).astype(dtype)
    expected = x.copy()
    expected[to] = x[of]
    assert np.array_equal(kernel(x), expected)


def test_an_assignment_of_a_tile_with_its_free_dimensions_exchanged(rng):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        t = nl.load(x)
        p, a, b = nl.mgrid[0:7, 0:4, 0:4]
        t[p, a, b] = t[p, b, a]
        nl.store(y, t)
        return y

    x = rng.normal(size=(7, 4, 4)).astype(F32)
    assert np.array_equal(kernel(x), x.transpose(0, 2, 1))


@pytest.mark.parametrize("first", [0, 9, 37])
def test_a_transpose_whose_mask_leaves_out_its_first_partitions(rng, first):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray((50, 60), x.dtype, buffer=nl.shared_hbm)
        t, d = nl.load(x), nl.zeros((50, 60), x.dtype)
        p, f = nl.arange(60)[:, None], nl.arange(50)[None, :]
        q, g = nl.arange(50)[:, None], nl.arange(60)[None, :]
        d[q, g] = nisa.nc_transpose(t[p, f], mask=f >= first)
        nl.store(y, d)
        return y

    x = rng.normal(size=(60, 50)).astype(F32)
    assert np.array_equal(kernel(x), np.where(np.arange(50)[:, None] >= first, x.T, 0))


@pytest.mark.parametrize("loop", [nl.affine_range, nl.sequential_range, nl.static_range])
def test_loops_with_named_bounds(loop):
    found = []

    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(y, nl.load(x))
        found[:] = [
            [int(i) for i in loop(0, 9, step=4)],
            [int(i) for i in loop(9, step=4)],
            [int(i) for i in loop(start=3, stop=5)],
            [int(i) for i in loop(2, stop=4)],
            [int(i) for i in loop(stop=2)],
        ]
        return y

    kernel(np.zeros((2, 2), F32))
    assert found == [[0, 4, 8], [0, 4, 8], [3, 4], [2, 3], [0, 1]]


@pytest.mark.parametrize(
    ("bounds", "named"), [((), {}), ((), {"step": 2}), ((1, 2), {"stop": 3}), ((1, 2, 3), {"step": 3})]
)
def test_loops_with_bounds_that_do_not_go_together(bounds, named):
    @nki.jit(mode="simulation")
    def kernel(x):
        for _ in nl.affine_range(*bounds, **named):
            pass
        return x

    with pytest.raises(
        Exception, match=r"err_argument.*expected each of start, stop and step once at most, and stop"
    ):
        kernel(np.zeros((2, 2), F32))


@pytest.mark.parametrize("narrow", [np.int8, np.int16, np.int32])
def test_signed_integers_with_uint32_become_fp32(rng, narrow):
    a, b = rng.integers(-100, 100, (3, 5)).astype(narrow), rng.integers(0, 1000, (3, 5)).astype(np.uint32)
    found = evaluate(nl.add, a, b)
    assert found.dtype == F32
    assert np.array_equal(found, a.astype(F32) + b.astype(F32))
