"""Integers saturate on every engine, and numbers beyond 2^23 are integers."""

import numpy as np
import pytest
from nki_common import evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl

SMALL = (np.int8, np.uint8, np.int16, np.uint16)


def saturated(values, dtype):
    limits = np.iinfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)


@pytest.mark.parametrize("dtype", SMALL)
def test_gpsimd(rng, dtype):
    def body(a, b):
        return (
            nisa.tensor_partition_reduce(nl.add, a),
            nisa.tensor_partition_reduce(nl.add, a, dtype=nl.float32),
            nisa.tensor_tensor(a, b, op=nl.add, engine=nisa.gpsimd_engine),
            *(nisa.tensor_copy(a, dtype=other, engine=nisa.gpsimd_engine) for other in SMALL),
        )

    limits = np.iinfo(dtype)
    a, b = rng.integers(limits.min, limits.max, (2, 70, 9), endpoint=True).astype(dtype)
    wide = a.astype(np.int64)
    sums = wide.sum(axis=0, keepdims=True)
    expected = (
        saturated(sums, dtype),
        sums.astype(np.float32),
        saturated(wide + b, dtype),
        *(saturated(wide, other) for other in SMALL),
    )
    for at, (found, wanted) in enumerate(zip(evaluate(body, a, b), expected)):
        assert np.array_equal(found, wanted), at


@pytest.mark.parametrize("dtype", [*SMALL, np.int32, np.uint32])
def test_numbers_of_the_kernel(dtype):
    def body(_):
        index = nisa.iota(3 * nl.arange(20)[:, None] - 30 + nl.arange(7)[None, :], dtype=dtype)
        return index, *(nl.full((2, 3), value, dtype) for value in (300, -1, 70000, -40000))

    index, *filled = evaluate(body, np.zeros((1, 1), np.float32))
    assert np.array_equal(index, saturated(3 * np.arange(20)[:, None] - 30 + np.arange(7), dtype))
    for found, value in zip(filled, (300, -1, 70000, -40000)):
        assert np.array_equal(found, np.full((2, 3), saturated(value, dtype)))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_selection_keeps_bits(rng, dtype):
    limits = np.iinfo(dtype)
    a, b = rng.integers(limits.min, limits.max, (2, 9, 30), endpoint=True).astype(dtype)
    chosen = (rng.random((9, 30)) < 0.5).astype(np.uint8)
    assert np.array_equal(evaluate(lambda c, x, y: nl.where(c, x, y), chosen, a, b), np.where(chosen, a, b))


def test_bits_of_types_of_one_size():
    a, b = np.array([[-128, 5, -1]], np.int8), np.array([[255, 3, 200]], np.uint8)
    found = evaluate(lambda x, y: nisa.tensor_tensor(x, y, op=nl.bitwise_and), a, b)
    assert np.array_equal(found.view(np.uint8), a.view(np.uint8) & b)


@pytest.mark.parametrize(
    ("function", "expected"), [(nl.floor, np.floor), (nl.ceil, np.ceil), (nl.trunc, np.trunc)]
)
def test_large_numbers_are_integers(function, expected):
    x = np.array(
        [
            [
                1e10,
                -1e10,
                np.inf,
                -np.inf,
                np.nan,
                0.5,
                -0.5,
                2.5,
                8388607.5,
                -8388607.5,
                16777216,
                3e38,
                -0.25,
                7,
            ]
        ],
        np.float32,
    )
    assert np.array_equal(evaluate(lambda t: function(t), x), expected(x), equal_nan=True)


def test_partition_reduction_leaves_nan_out():
    x = np.array([[1, np.nan, np.nan], [np.nan, 3, np.nan]], np.float32)
    found = evaluate(lambda t: nisa.tensor_partition_reduce(nl.max, t), x)
    assert np.array_equal(found, [[1, 3, np.nan]], equal_nan=True)
