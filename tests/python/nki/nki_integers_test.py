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


def logical_shift(x, amount, left):
    """Returns the bits of x shifted within the width of the type; zeros come in."""
    bits, width = x.view(np.dtype(f"u{x.itemsize}")), 8 * x.itemsize
    amount = np.where((amount < 0) | (amount >= width), 64, amount.astype(np.int64)).astype(np.uint64)
    wide = bits.astype(object)
    moved = [
        [(a << int(b) if left else a >> int(b)) % (1 << width) for a, b in zip(*p)] for p in zip(wide, amount)
    ]
    return np.array(moved, bits.dtype).view(x.dtype)


@pytest.mark.parametrize("dtype", [*SMALL, np.int32, np.uint32])
def test_bits_of_an_operand_of_each_partition(dtype):
    """Its bits go to the engine without a conversion, which would make zeros of negative numbers."""
    limits = np.iinfo(dtype)
    x = np.array([[limits.min, limits.max, 5, -2, 1, 0]] * 3).astype(dtype)
    y = np.array([[-3], [7], [-120]]).astype(dtype)

    def body(x, y):
        column = y[:, 0]
        return (
            nisa.tensor_scalar(x, nl.bitwise_and, column),
            nl.bitwise_or(x, y),
            nisa.tensor_scalar(x, nl.bitwise_xor, column, op1=nl.bitwise_and, operand1=column),
        )

    for found, wanted in zip(evaluate(body, x, y), (x & y, x | y, (x ^ y) & y)):
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [*SMALL, np.int32, np.uint32])
def test_shifts_are_logical_in_the_width_of_the_type(dtype):
    x = np.array([[-3, -128, 127, 5, -1, 0]] * 4).astype(dtype)
    amounts = np.array([[0, 1, 2, 7, 15, 31]] * 4).astype(dtype)
    y, by = np.array([[-3], [7], [-120], [1]]).astype(dtype), np.array([[1], [0], [-1], [9]]).astype(dtype)
    number = int(np.array(-3).astype(dtype))

    def body(x, amounts, y, by):
        return tuple(
            result
            for shift in (nl.left_shift, nl.right_shift)
            for result in (
                shift(x, amounts),
                shift(x, by),
                nisa.tensor_scalar(amounts, shift, y[:, 0], reverse0=True),
                shift(number, amounts),
            )
        )

    wide = np.broadcast_to
    expected = [
        logical_shift(np.ascontiguousarray(wide(a, x.shape)), wide(b, x.shape), left)
        for left in (True, False)
        for a, b in ((x, amounts), (x, by), (y, amounts), (np.array(number, dtype), amounts))
    ]
    for at, (found, wanted) in enumerate(zip(evaluate(body, x, amounts, y, by), expected)):
        assert np.array_equal(found, wanted), at


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@pytest.mark.parametrize("bits", [0x7F800001, 0xFF800001, 0x7FA00000, 0x7FC00001, 0xFFFFFFFF, 0x80000001])
def test_numbers_that_have_the_bits_of_a_nan(dtype, bits):
    """A host makes a quiet NaN of a signalling one when it passes it as a number."""
    x, number = np.array([[-1, 5, 0, 2**31 - 1]]).astype(dtype), np.array(bits, np.uint32).view(dtype)
    found = evaluate(lambda t: (t & int(number), nl.bitwise_xor(t, int(number))), x)
    for f, wanted in zip(found, (x & number, x ^ number)):
        assert np.array_equal(f, wanted)


def test_quotients_of_integers(rng):
    """They are fp32, as NumPy's, and whole where they are: floor of one is Python's //."""
    x = (np.arange(64 * 96, dtype=np.int32).reshape(64, 96) * 37) - 9999
    y = rng.integers(1, 130, (64, 96)).astype(np.int32)
    numbers = [*range(1, 130, 7), 38, 41, 47, 55, 82, 97, 107]

    def body(a, b):
        assert (a / b).dtype == nl.float32 == nisa.tensor_tensor(a, b, op=nl.divide).dtype
        assert nl.divide(a, b, dtype=nl.int32).dtype == nl.int32
        return (
            *(nl.floor(a / n, dtype=nl.int32) for n in numbers),
            nl.floor(a / b, dtype=nl.int32),
            nl.floor(a / b[:, 3:4], dtype=nl.int32),
            nl.floor(a[:, 5:6] / b, dtype=nl.int32),
            nl.floor(5040 / b, dtype=nl.int32),
            nl.divide(a, 7, dtype=nl.int32),
        )

    found = evaluate(body, x, y)
    quotients = [*((x, n) for n in numbers), (x, y), (x, y[:, 3:4]), (x[:, 5:6], y), (np.int32(5040), y)]
    for f, (a, b) in zip(found, quotients):
        assert np.array_equal(f, a // b), b
    assert np.array_equal(found[-1], np.rint(x / 7))  # the conversion of a quotient is to the nearest


def test_quotients_of_integers_by_zero():
    x, y = np.array([[0, 5, -7]], np.int32), np.zeros((1, 3), np.int32)
    found = evaluate(lambda a, b: (a / b, a / b[:, 0:1]), x, y)
    for f in found:
        assert np.array_equal(f, np.array([[np.nan, np.inf, -np.inf]], np.float32), equal_nan=True)


def test_positions_of_an_image():
    """An index of a tile of positions: rows by the floor of a quotient, columns by nl.mod."""

    def body(image):
        place = nisa.iota(nl.arange(120)[:, None], dtype=nl.int32)
        row, column = nl.floor(place / 12, dtype=nl.int32), nl.mod(place, 12, dtype=nl.int32)
        return row, column, row * 12 + column

    row, column, place = evaluate(body, np.zeros((1, 1), np.float32))
    expected = np.arange(120, dtype=np.int32)[:, None]
    assert np.array_equal(row, expected // 12)
    assert np.array_equal(column, expected % 12)
    assert np.array_equal(place, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_selections_of_numbers_are_exact(rng, dtype):
    """Elements of 2^24 and more do not go through fp32."""
    x = np.array([[2**24 + 1, 2**30 + 1, 5, 7, 2**31 - 1, 0]] * 4).astype(dtype)
    number, small = 2**30 + 7, np.int32(5) if dtype is np.int32 else np.uint32(5)
    held = rng.random((4, 6)) < 0.5
    i, j = np.mgrid[0:4, 0:6]

    def body(x, held):
        rows, columns = nl.mgrid[0:4, 0:6]
        replaced = nl.copy(x)
        nisa.tensor_copy_predicated(src=number, dst=replaced, predicate=held)
        return (
            nl.where(held, x, small),
            nl.where(held, small, x),
            nl.where(rows + columns > 2, x, small),
            nl.where(held, x, number, dtype=dtype),
            nl.where(held, number, x, dtype=dtype),
            replaced,
        )

    expected = (
        np.where(held, x, 5),
        np.where(held, 5, x),
        np.where(i + j > 2, x, 5),
        np.where(held, x, number),
        np.where(held, number, x),
        np.where(held, number, x),
    )
    for at, (found, wanted) in enumerate(zip(evaluate(body, x, held.astype(np.uint8)), expected)):
        assert found.dtype == dtype and np.array_equal(found, wanted), at


@pytest.mark.parametrize("dtype", [*SMALL, np.int32, np.uint32])
def test_partition_reductions_are_exact(rng, dtype):
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min // 8, limits.max // 8, (7, 9)).astype(dtype)
    found = evaluate(
        lambda t: (nisa.tensor_partition_reduce(nl.max, t), nisa.tensor_partition_reduce(np.add, t)), x
    )
    for f, wanted in zip(found, (x.max(axis=0, keepdims=True), x.sum(axis=0, keepdims=True, dtype=np.int64))):
        assert f.dtype == dtype and np.array_equal(f, wanted)
