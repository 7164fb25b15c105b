"""Functions of nki.language against NumPy in double precision."""

import math

import ml_dtypes
import numpy as np
import pytest
from nki_common import BF16, E4M3, E5M2, assert_near, evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

FLOATS = [np.dtype(np.float32), np.dtype(np.float16), BF16]
erf = np.vectorize(math.erf)

BINARY = [
    (nl.add, np.add),
    (nl.subtract, np.subtract),
    (nl.multiply, np.multiply),
    (nl.divide, np.divide),
    (nl.maximum, np.maximum),
    (nl.minimum, np.minimum),
    (nl.power, np.power),
    (nl.mod, np.mod),
    (nl.fmod, np.fmod),
]
TESTS = [
    (nl.equal, np.equal),
    (nl.not_equal, np.not_equal),
    (nl.greater, np.greater),
    (nl.greater_equal, np.greater_equal),
    (nl.less, np.less),
    (nl.less_equal, np.less_equal),
    (nl.logical_and, np.logical_and),
    (nl.logical_or, np.logical_or),
    (nl.logical_xor, np.logical_xor),
]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.log1p(np.exp(x))


UNARY = [
    (nl.abs, np.abs),
    (nl.arctan, np.arctan),
    (nl.ceil, np.ceil),
    (nl.cos, np.cos),
    (nl.exp, np.exp),
    (nl.floor, np.floor),
    (nl.log, lambda x: np.log(np.abs(x) + 0.5)),
    (nl.negative, np.negative),
    (nl.reciprocal, np.reciprocal),
    (nl.relu, lambda x: np.maximum(x, 0)),
    (nl.rsqrt, lambda x: 1 / np.sqrt(np.abs(x) + 0.5)),
    (nl.sigmoid, sigmoid),
    (nl.sign, np.sign),
    (nl.silu, lambda x: x * sigmoid(x)),
    (nl.silu_dx, lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
    (nl.sin, np.sin),
    (nl.softplus, softplus),
    (nl.sqrt, lambda x: np.sqrt(np.abs(x) + 0.5)),
    (nl.square, np.square),
    # The angle is reduced by a multiple of 2 pi in fp32; an error of the angle is multiplied by 1 + tan^2.
    pytest.param(nl.tan, np.tan, marks=pytest.mark.bound(lambda values: 2.0**-21 * (1 + values**2))),
    (nl.tanh, np.tanh),
    (nl.trunc, np.trunc),
    (nl.erf, erf),
    (nl.erf_dx, lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x)),
    (nl.gelu, lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    (nl.gelu_dx, lambda x: (1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)),
    (nl.gelu_apprx_tanh, lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    (nl.gelu_apprx_sigmoid, lambda x: x * sigmoid(1.702 * x)),
    (nl.mish, lambda x: x * np.tanh(softplus(x))),
]
POSITIVE = (nl.log, nl.rsqrt, nl.sqrt)


@pytest.mark.parametrize(("function", "expected"), BINARY, ids=lambda f: getattr(f, "__name__", ""))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_binary(rng, function, expected, dtype):
    x, y = (rng.uniform(0.5, 4, (100, 37)).astype(dtype) for _ in range(2))
    found = evaluate(lambda a, b: function(a, b), x, y)
    assert found.dtype == dtype
    assert_near(found, expected(x.astype(np.float32), y.astype(np.float32)), atol=1e-5)


@pytest.mark.parametrize(("function", "expected"), TESTS, ids=lambda f: getattr(f, "__name__", ""))
def test_comparisons(rng, function, expected):
    x, y = rng.integers(-1, 2, (2, 128, 65)).astype(np.float32)
    assert np.array_equal(evaluate(lambda a, b: function(a, b), x, y), expected(x, y))
    found = evaluate(lambda a: function(a, 1.0, dtype=nl.float32), x)
    assert found.dtype == np.float32 and np.array_equal(found, expected(x, 1.0).astype(np.float32))
    assert np.array_equal(evaluate(lambda a: function(0.0, a), x), expected(0.0, x))


def test_comparisons_with_nan():
    x = np.array([[np.nan, 1, 0]], np.float32)
    found = evaluate(lambda a: (a == a, a != a, a < 2.0, nl.logical_not(a)), x)  # noqa: PLR0124  # NaN
    assert found[1].tolist() == [[True, False, False]]
    assert evaluate(lambda a: nl.logical_not(a), x).tolist() == [[False, False, True]]


@pytest.mark.parametrize(("function", "expected"), UNARY, ids=lambda f: getattr(f, "__name__", ""))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_functions(rng, function, expected, dtype):
    x = rng.uniform(-3, 3, (128, 37)).astype(dtype)
    x[np.abs(x) < 2**-14] = 1  # the reciprocal of a smaller number leaves float16
    wide = x.astype(np.float64)
    if function in POSITIVE:
        x = (np.abs(x.astype(np.float32)) + np.float32(0.5)).astype(dtype)
        found, exact = evaluate(lambda a: function(a), x), x.astype(np.float64)
        expected = {nl.log: np.log, nl.rsqrt: lambda v: 1 / np.sqrt(v), nl.sqrt: np.sqrt}[function](exact)
    else:
        found, expected = evaluate(lambda a: function(a), x), expected(wide)
    assert found.dtype == dtype
    assert_near(found, expected, steps=8, atol=2e-6)


@pytest.mark.parametrize(
    ("function", "expected"), [(nl.mod, np.mod), (nl.fmod, np.fmod)], ids=["mod", "fmod"]
)
@pytest.mark.parametrize("divisor", [3.0, -7.5, 2e7, -2e7, -1e9, np.inf, -np.inf])
def test_remainders_of_large_divisors(function, expected, divisor):
    x = np.array([[1, -3, 7.5, -100, 0, 12345, np.inf, np.nan]], np.float32)
    with np.errstate(invalid="ignore"):
        wanted = expected(x, np.float32(divisor))
    y = np.full_like(x, divisor)
    for body in (function, lambda a, b: function(a, divisor), lambda a, b: function(a, b[:, 0:1])):
        assert np.array_equal(evaluate(body, x, y), wanted, equal_nan=True)


@pytest.mark.parametrize(
    ("function", "expected"), [(nl.mod, np.mod), (nl.fmod, np.fmod)], ids=["mod", "fmod"]
)
def test_remainders_in_place(rng, function, expected):
    def body(a, b):
        over, under = nl.copy(a), nl.copy(b)
        over[...] = function(over, b)
        under[...] = function(a, under)
        return over, under

    x, y = (
        rng.integers(-50, 50, (8, 30)).astype(np.float32),
        rng.choice([-7, -3, 2, 5], (8, 30)).astype(np.float32),
    )
    for found in evaluate(body, x, y):
        assert np.array_equal(found, expected(x, y))


@pytest.mark.parametrize("function", [nl.cos, nl.tan, nl.sin], ids=["cos", "tan", "sin"])
def test_angles_without_an_end(function):
    found = evaluate(lambda a: function(a), np.array([[np.inf, -np.inf, np.nan, 0.0]], np.float32))
    assert np.isnan(found[0, :3]).all() and np.isfinite(found[0, 3])


def test_reciprocal_beyond_float16():
    x = np.array([[2.0**-15, 2.0**-16, -(2.0**-17)]], np.float16)
    assert evaluate(lambda a: nl.reciprocal(a), x).tolist() == [[2.0**15, np.inf, -np.inf]]


@pytest.mark.parametrize(
    ("function", "tail"),
    [
        (nl.gelu, 0.0),
        (nl.silu, 0.0),
        (nl.erf, -1.0),
        (nl.sigmoid, 0.0),
        (nl.softplus, 0.0),
        (nl.mish, 0.0),
        (nl.gelu_dx, 0.0),
        (nl.silu_dx, 0.0),
        (nl.exp, 0.0),
        (nl.tanh, -1.0),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_functions_at_infinity(function, tail):
    found = evaluate(lambda a: function(a), np.array([[-np.inf, np.nan]], np.float32))
    assert found[0, 0] == tail and np.isnan(found[0, 1])


def test_gelu_in_its_tail():
    x = np.linspace(-12, -2, 500, dtype=np.float32)[None]
    share = np.array([math.erfc(-float(v) / math.sqrt(2)) / 2 for v in x[0]])
    np.testing.assert_allclose(
        evaluate(lambda a: nl.gelu(a), x)[0], x[0].astype(np.float64) * share, rtol=3e-7
    )


REDUCTIONS = [
    (nl.sum, np.sum),
    (nl.prod, np.prod),
    (nl.max, np.max),
    (nl.min, np.min),
    (nl.mean, np.mean),
    (nl.var, np.var),
]


@pytest.mark.parametrize(("function", "expected"), REDUCTIONS, ids=lambda f: getattr(f, "__name__", ""))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("axis", [1, [2], (1, 2), [1, 3], -1, [1, 2, 3]], ids=str)
def test_reductions(rng, function, expected, dtype, axis):
    x = rng.uniform(0.5, 1.5, (33, 3, 4, 5)).astype(dtype)
    axes = tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    exact = expected(x.astype(np.float64), axis=axes)
    found = evaluate(lambda a: function(a, axis=axis), x)
    assert found.dtype == dtype and found.shape == (exact.shape if exact.ndim > 1 else (33, 1))
    assert_near(found, exact.reshape(found.shape), steps=16, atol=1e-5)
    if function is not nl.var:
        kept = evaluate(lambda a: function(a, axis=axis, keepdims=True), x)
        assert kept.shape == expected(x.astype(np.float64), axis=axes, keepdims=True).shape


def test_all_and_mean_of_integers(rng):
    x = rng.integers(0, 4, (40, 6)).astype(np.int8)
    held, mean = evaluate(lambda a: (nl.all(a, axis=1), nl.mean(a, axis=1)), x)
    assert held.dtype == bool and np.array_equal(held[:, 0], x.all(axis=1))
    assert mean.dtype == np.float32
    np.testing.assert_allclose(mean[:, 0], x.mean(axis=1), rtol=1e-6)


def test_all_of_one_element():
    """An instruction takes one element as it is."""
    for x in (
        np.array([[-5], [0.25], [0]], np.float32),
        np.array([[7], [255], [0]], np.uint8),
        np.array([[True], [True], [False]]),
    ):
        held, wide, masked, reduced = evaluate(
            lambda a: (
                nl.all(a, axis=1),
                nl.all(a, axis=1, dtype=nl.float32),
                nl.all(nl.copy(a.broadcast_to((3, 4))), axis=1, mask=nl.arange(4)[None, :] < 1),
                nisa.tensor_reduce(nl.logical_and, a, axis=[1], dtype=nl.float32),
            ),
            x,
        )
        for found in (held, wide, masked):
            assert np.array_equal(found[:, 0], [1, 1, 0])
        assert np.array_equal(reduced, x)


def test_all_of_bools_with_a_mask(rng):
    x = rng.random((16, 6)) < 0.9
    i, j = nl.mgrid[0:16, 0:6]
    found = evaluate(lambda a: nl.all(a[i, j], axis=1, mask=j <= i), x)
    assert np.array_equal(found[:, 0], [row[: at + 1].all() for at, row in enumerate(x)])


BOOLS = [
    (lambda a: nl.add(a, 0.0, dtype=bool), lambda x: x),
    (lambda a: nl.add(a, 0.0, dtype=bool, mask=nl.arange(4)[None, :] < 3)[:, 0:3], lambda x: x[:, :3]),
    (lambda a: nl.divide(a, 4.0, dtype=bool), lambda x: x),
    (lambda a: nl.negative(a, dtype=bool), lambda x: x),
    (lambda a: -(a > 0), lambda x: x > 0),
    (lambda a: ~(a > 0), lambda x: x <= 0),
    (lambda a: nl.abs(a, dtype=bool), lambda x: x),
    (lambda a: nl.where(a > 0, a, -0.25, dtype=bool), lambda x: np.ones_like(x)),
    (lambda a: nl.where(a > 0, 256, 0.25, dtype=bool), lambda x: np.ones_like(x)),
    (lambda a: nl.sum(a, axis=1, dtype=bool), lambda x: x.sum(axis=1, keepdims=True)),
    (lambda a: nl.max(a, axis=1, dtype=bool), lambda x: x.max(axis=1, keepdims=True)),
    (lambda a: nisa.tensor_scalar(a, nl.multiply, 0.25, dtype=bool), lambda x: x),
    (lambda a: nisa.tensor_scalar(a > 0, nl.bitwise_or, 2), lambda x: np.ones_like(x)),
    (lambda a: nisa.tensor_tensor(a, a, nl.add, dtype=bool), lambda x: x),
    (
        lambda a: nisa.tensor_tensor_scan(a, a, 0.0, nl.add, nl.multiply, dtype=bool),
        lambda x: np.add.accumulate(x, axis=1) * x,
    ),
    (lambda a: nisa.activation(nl.copy, a, dtype=bool), lambda x: x),
    (lambda a: nl.full((1, 4), 0.25, bool), lambda x: np.ones_like(x)),
]


@pytest.mark.parametrize(("body", "expected"), BOOLS)
@pytest.mark.parametrize(
    "x",
    [np.array([[-3, 256, 0, 0.25]], np.float32), np.array([[-3, 256, 0, 2]], np.int32)],
    ids=["floats", "integers"],
)
def test_bools_are_0_and_1(body, expected, x):
    found = evaluate(body, x)
    assert found.dtype == bool and np.array_equal(found.view(np.uint8), expected(x) != 0)


def test_bools_in_hbm():
    @nki.jit(mode="simulation")
    def kernel(a, b):
        outputs = [nl.ndarray((4, 4), bool, buffer=nl.shared_hbm) for _ in range(5)]
        i, j = nl.mgrid[0:4, 0:4]
        nl.store(outputs[0], nl.load(a))
        nisa.dma_copy(dst=outputs[1], src=b)
        nl.store(outputs[2], nl.load(b, dtype=bool))
        nl.store(outputs[3], 5)
        nl.store(outputs[4], False)
        nl.store(outputs[4][i, j], nl.load(b)[i, j], mask=j <= i)
        return tuple(outputs)

    x = np.tile(np.array([[-3, 0.25, 0, 2]], np.float32), (4, 1))
    y = np.tile(np.array([[7, 255, 0, 1]], np.uint8), (4, 1))
    for found, expected in zip(
        kernel(x, y),
        (x != 0, y != 0, y != 0, x == x, np.tri(4, 4, dtype=bool) & (y != 0)),  # noqa: PLR0124  # false for a NaN
    ):
        assert found.dtype == bool and np.array_equal(found, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_bits_in_a_type_of_the_other_sign(rng, dtype):
    info, bits = np.iinfo(dtype), 8 * np.dtype(dtype).itemsize
    other = np.dtype(f"u{bits // 8}" if info.min else f"i{bits // 8}")
    x = rng.integers(info.min, info.max, (6, 5), dtype=dtype, endpoint=True)
    found = evaluate(
        lambda a: (
            nl.bitwise_and(a, -1, dtype=other),
            nl.invert(a, dtype=other),
            nl.left_shift(a, 1, dtype=other),
            nl.bitwise_or(a, a, dtype=other),
            nisa.tensor_reduce(nl.bitwise_xor, a, axis=[1], dtype=other),
            nisa.tensor_partition_reduce(nl.bitwise_or, a, dtype=other),
        ),
        x,
    )
    rows = np.bitwise_xor.reduce(x, axis=1, keepdims=True), np.bitwise_or.reduce(x, axis=0, keepdims=True)
    for at, (result, expected) in enumerate(zip(found, (x, ~x, x << 1, x, *rows), strict=True)):
        assert result.dtype == other and np.array_equal(result, expected.astype(dtype).view(other)), at


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_bits(rng, dtype):
    info = np.iinfo(dtype)
    x, y = rng.integers(info.min, info.max, (2, 65, 33), dtype=dtype, endpoint=True)
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    amount = rng.integers(-2 if info.min else 0, info.bits + 2, x.shape).astype(dtype)
    # negative amounts are large ones without a sign
    far, near = (
        (amount < 0) | (amount >= info.bits),
        np.clip(amount, 0, info.bits - 1),
    )
    left = (
        np.where(far, 0, x.view(unsigned).astype(np.uint64) << near.astype(np.uint64))
        .astype(unsigned)
        .view(dtype)
    )
    right = np.where(far, 0, x.view(unsigned) >> near.astype(unsigned)).astype(unsigned).view(dtype)
    found = evaluate(
        lambda a, b, n: (
            a & b,
            a | b,
            nl.bitwise_xor(a, b),
            nl.bitwise_and(a, 5, dtype=a.dtype),
            ~a,
            nl.invert(a),
            nl.left_shift(a, n),
            nl.right_shift(a, n),
            nl.bitwise_or(a, b),
        ),
        x,
        y,
        amount,
    )
    for result, expected in zip(found, (x & y, x | y, x ^ y, x & dtype(5), ~x, ~x, left, right, x | y)):
        assert result.dtype == dtype and np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_bits_of_a_tile_and_a_number(rng, dtype):
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, (65, 33), dtype=dtype, endpoint=True)
    bits = x.view(f"u{x.itemsize}")
    found = evaluate(
        lambda a: (
            nl.bitwise_and(a, 1),
            a & 6,
            6 & a,
            a | 3,
            a ^ -1,
            nl.left_shift(a, 1),
            a << 3,
            a >> 2,
            1 << (a & 3),
        ),
        x,
    )
    expected = (x & 1, x & 6, x & 6, x | 3, ~x, bits << 1, bits << 3, bits >> 2, 1 << (bits & 3))
    for result, value in zip(found, expected, strict=True):
        assert result.dtype == dtype and np.array_equal(result, value.astype(bits.dtype).view(dtype))


def test_integers_are_exact_in_32_bits(rng):
    x, y = rng.integers(-(2**31), 2**31, (2, 64, 40)).astype(np.int32)
    found = evaluate(lambda a, b: (a + b, a - b, a * b), x, y)
    with np.errstate(over="ignore"):
        for result, expected in zip(found, (x + y, x - y, x * y)):
            assert result.dtype == np.int32 and np.array_equal(result, expected)


def test_fp32_inside():
    """1e30 * 1e30 is infinite in fp32, and bf16 sums round once."""
    x = np.full((1, 2), 1e30, np.float32)
    assert np.isinf(evaluate(lambda a: a * a, x)).all()
    small = np.array([[1.0, 2.0**-9]], BF16)
    assert evaluate(lambda a: nl.sum(a, axis=1), small)[0, 0] == 1.0
    assert evaluate(lambda a: nl.sum(a, axis=1, dtype=nl.float32), small)[0, 0] == 1 + 2.0**-9


PROMOTIONS = [
    (np.float32, BF16, np.float32),
    (np.float16, BF16, np.float32),
    (E4M3, np.float16, np.float16),
    (E4M3, BF16, BF16),
    (E4M3, E5M2, BF16),
    (np.int32, np.float16, np.float16),
    (np.int16, np.int32, np.int32),
    (np.uint8, np.uint16, np.uint16),
    (np.uint16, np.int32, np.int32),
    (np.int8, np.uint8, np.int16),
    (np.int8, np.uint16, np.int32),
    (np.int32, np.uint32, np.float32),
]


@pytest.mark.parametrize(("a", "b", "expected"), PROMOTIONS, ids=str)
def test_promotion(a, b, expected):
    x, y = np.ones((2, 3), a), np.ones((2, 3), b)
    found = evaluate(lambda p, q: (p + q, q + p), x, y)
    assert found[0].dtype == found[1].dtype == np.dtype(expected)
    assert (found[0].astype(np.float32) == 2).all()


@pytest.mark.parametrize(
    ("tile", "number", "expected"),
    [
        (np.float16, 1.5, np.float32),
        (np.int8, 2, np.int32),
        (np.float16, 2, np.float16),
        (BF16, np.float16(2), np.float32),
        (np.float16, np.float16(2), np.float16),
        (np.uint8, True, np.uint8),
    ],
    ids=str,
)
def test_promotion_of_numbers(tile, number, expected):
    assert evaluate(lambda a: nl.multiply(a, number), np.ones((2, 3), tile)).dtype == np.dtype(expected)


def test_tfloat32_keeps_ten_bits():
    x = np.array([[1 + 2.0**-10, 1 + 2.0**-11, 1 + 3 * 2.0**-11, -3.14159]], np.float32)
    found = evaluate(lambda a: nl.copy(nl.copy(a, dtype=nl.tfloat32), dtype=nl.float32), x)
    assert found[0, :3].tolist() == [1 + 2.0**-10, 1.0, 1 + 2 * 2.0**-10]
    assert abs(found[0, 3] / np.float32(-3.14159) - 1) <= 2.0**-11


def test_conversions():
    x = np.array([[300, -300, 2.5, 3.5, np.nan, np.inf, -np.inf, -0.5, 250.0]], np.float32)
    u8, i8, e4m3, flag = evaluate(
        lambda a: tuple(nl.copy(a, dtype=t) for t in (nl.uint8, nl.int8, nl.float8_e4m3, nl.bool_)), x
    )
    assert u8[0].tolist() == [255, 0, 2, 4, 0, 255, 0, 0, 250]
    assert i8[0].tolist() == [127, -128, 2, 4, 0, 127, -128, 0, 127]
    assert (
        np.isnan(e4m3[0, [0, 1, 4, 8]].astype(np.float32)).all()
        and np.isinf(e4m3[0, 5].astype(np.float32))
        and e4m3[0, 2] == 2.5
    )
    assert flag[0].tolist() == [True] * 9
    wide = np.array([[2**24 + 1, -(2**31), 2**31 - 1]], np.int32)
    assert evaluate(lambda a: nl.copy(a, dtype=nl.float32), wide)[0].tolist() == [
        2.0**24,
        -(2.0**31),
        2.0**31,
    ]
    assert np.array_equal(evaluate(lambda a: nl.copy(a), wide), wide)


def test_indices_that_are_computed(rng):
    """The nearest source row of each row of a larger picture."""
    x = rng.normal(size=(30, 6)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray((100, 6), a.dtype, buffer=nl.shared_hbm)
        row = nisa.iota(nl.arange(100)[:, None], nl.float32)
        source = nl.static_cast(nl.floor(row * 0.3), nl.int32)
        nl.store(out, nl.load(a[source, nl.arange(6)[None, :]]))
        return out

    assert np.array_equal(
        kernel(x), x[np.floor(np.arange(100, dtype=np.float32) * np.float32(0.3)).astype(int)]
    )


def test_broadcasting(rng):
    a, column, row = (
        rng.normal(size=(60, 7)).astype(np.float32),
        rng.normal(size=(60, 1)).astype(np.float32),
        rng.normal(size=(1, 7)).astype(np.float32),
    )
    found = evaluate(
        lambda x, c, r: (
            x - c,
            c - x,
            x - r,
            c * r,
            r.broadcast_to((60, 7)),
            nl.broadcast_to(c, shape=(60, 5)),
        ),
        a,
        column,
        row,
    )
    for result, expected in zip(
        found,
        (
            a - column,
            column - a,
            a - row,
            column * row,
            np.broadcast_to(row, (60, 7)),
            np.broadcast_to(column, (60, 5)),
        ),
    ):
        assert np.array_equal(result, expected)
    deep = rng.normal(size=(60, 3, 7)).astype(np.float32)
    found = evaluate(lambda d, x, c: (d + x, d * c), deep, a, column)
    assert np.array_equal(found[0], deep + a[:, None]) and np.array_equal(found[1], deep * column[:, :, None])


def test_operators(rng):
    a, b = rng.uniform(1, 2, (2, 16, 5)).astype(np.float32)
    found = evaluate(
        lambda x, y: (
            x + y,
            1 - x,
            x * 2.0,
            1 / y,
            x / y,
            -x,
            abs(x - 3.0),
            x**2.0,
            x % y,
            x > y,
            x >= y,
            x < y,
            x <= y,
            x == x,  # noqa: PLR0124  # false for a NaN
            x != y,
        ),
        a,
        b,
    )
    expected = (
        a + b,
        1 - a,
        a * 2,
        1 / b,
        a / b,
        -a,
        abs(a - 3),
        a**2,
        a % b,
        a > b,
        a >= b,
        a < b,
        a <= b,
        a == a,  # noqa: PLR0124  # false for a NaN
        a != b,
    )
    for result, value in zip(found, expected):
        np.testing.assert_allclose(result, value, rtol=3e-7)


def test_in_place(rng):
    a, b = rng.uniform(1, 2, (2, 16, 6)).astype(BF16)

    def body(x, y):
        x += y
        x[:, 0:3] *= y[:, 0:3]
        x[:, 4] -= 1.0
        x /= y
        return x

    wide, other = a.astype(np.float32), b.astype(np.float32)
    total = (wide + other).astype(BF16)
    total[:, :3] = (total.astype(np.float32) * other)[:, :3].astype(BF16)
    total[:, 4] = (total.astype(np.float32)[:, 4] - 1).astype(BF16)
    assert np.array_equal(evaluate(body, a, b), (total.astype(np.float32) / other).astype(BF16))


def test_where(rng):
    a, b = rng.normal(size=(2, 20, 9)).astype(np.float32)
    column = rng.normal(size=(20, 1)).astype(np.float32)
    found = evaluate(
        lambda x, y, c: (
            nl.where(x > y, x, y),
            nl.where(x > 0.0, x, 0.0),
            nl.where(c > 0.0, x, c, dtype=nl.bfloat16),
        ),
        a,
        b,
        column,
    )
    assert np.array_equal(found[0], np.maximum(a, b)) and np.array_equal(found[1], np.maximum(a, 0))
    assert np.array_equal(found[2], np.where(column > 0, a, column).astype(BF16))


def test_softmax_and_rms_norm(rng):
    x, w = rng.normal(size=(50, 70)).astype(np.float32), rng.normal(size=(1, 70)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    soft, norm = evaluate(
        lambda a, b: (nl.softmax(a, axis=1), nl.rms_norm(a, b, axis=1, n=70, epsilon=1e-5)), x, w
    )
    np.testing.assert_allclose(soft, powers / powers.sum(axis=1, keepdims=True), rtol=2e-6, atol=1e-8)
    np.testing.assert_allclose(
        norm,
        x / np.sqrt((x.astype(np.float64) ** 2).mean(axis=1, keepdims=True) + 1e-5) * w,
        rtol=2e-6,
        atol=1e-7,
    )


def test_creation():
    @nki.jit(mode="simulation")
    def kernel(x):
        tile = nl.load(x)
        outs = [
            nl.zeros((4, 3), nl.int16),
            nl.ones((4, 3), nl.bfloat16),
            nl.full((4, 3), 2.5, nl.float16),
            nl.zeros_like(tile),
            nl.expand_dims(tile, 2),
            nl.load(nl.shared_constant(np.arange(12).reshape(4, 3), dtype=nl.float32)),
            nl.load(nl.shared_identity_matrix(4)),
            tile.astype(nl.int8),
            nl.full((4, 3), -7, nl.int32, buffer=nl.psum),
        ]
        blocks = nl.zeros((2, 3, nl.par_dim(4), 5), nl.float32)
        blocks[1, 2] = nl.full((4, 5), 9, nl.float32)
        outs += [blocks[1, 2], blocks[0, 1]]
        like = nl.empty_like(blocks)
        like[0, 0] = blocks[1, 2]
        assert (
            like.shape == blocks.shape
            and tile.expand_dims(2).shape == (4, 3, 1)
            and like.ndim == 4
            and like.itemsize == 4
        )
        outs.append(like[0, 0])
        results = []
        for value in outs:
            out = nl.ndarray(value.shape, value.dtype, buffer=nl.shared_hbm)
            nl.store(out, value)
            results.append(out)
        return results

    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    found = kernel(x)
    expected = [
        np.zeros((4, 3), np.int16),
        np.ones((4, 3), BF16),
        np.full((4, 3), 2.5, np.float16),
        np.zeros((4, 3), np.float32),
        x[:, :, None],
        x,
        np.eye(4, dtype=np.uint8),
        x.astype(np.int8),
        np.full((4, 3), -7, np.int32),
        np.full((4, 5), 9, np.float32),
        np.zeros((4, 5), np.float32),
        np.full((4, 5), 9, np.float32),
    ]
    for result, value in zip(found, expected, strict=True):
        assert result.dtype == value.dtype and result.shape == value.shape and np.array_equal(result, value)


@pytest.mark.golden("what memory holds at first")
@pytest.mark.filterwarnings("ignore::trnsim.nki.NkiWarning")
def test_memory_is_nan_at_first():
    def body(x):
        return (
            nl.ndarray((3, 4), nl.float32),
            nl.ndarray((3, 4), nl.bfloat16, buffer=nl.psum),
            nl.ndarray((3, 4), nl.uint8),
            nl.ndarray((3, 4), nl.float8_e4m3),
        )

    f32, bf16, u8, e4m3 = evaluate(body, np.zeros((1, 1), np.float32))
    assert (
        np.isnan(f32).all()
        and np.isnan(bf16.astype(np.float32)).all()
        and (u8 == 255).all()
        and np.isnan(e4m3.astype(np.float32)).all()
    )


def test_transposes_and_matmul(rng):
    x, y = rng.integers(-8, 8, (20, 50)).astype(np.float32), rng.integers(-8, 8, (50, 70)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a, b):
        outs = []
        t = nl.load_transpose2d(a)
        for value in (
            t,
            nl.transpose(nl.load(a)),
            nl.matmul(nl.load(a), nl.load(b)),
            nl.matmul(t, nl.load(b), transpose_x=True),
        ):
            out = nl.ndarray(value.shape, value.dtype, buffer=nl.shared_hbm)
            nl.store(out, value)
            outs.append(out)
        return outs

    a, b, c, d = kernel(x, y)
    assert (
        np.array_equal(a, x.T)
        and np.array_equal(b, x.T)
        and np.array_equal(c, x @ y)
        and np.array_equal(d, x @ y)
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint32])
def test_transposes_of_integers(rng, dtype):
    """Transposes of more than 32 x 32, by the DMA engines."""
    x = rng.integers(0, np.iinfo(dtype).max, (100, 40), dtype=dtype)
    i, _ = nl.mgrid[0:100, 0:40]
    whole, part = evaluate(
        lambda a: (nl.transpose(a), nl.transpose(a, dtype=nl.float32, mask=i < 50)[:, 0:50]), x
    )
    assert np.array_equal(whole, x.T) and np.array_equal(part, x[:50].T.astype(np.float32))


def test_gather_flattened(rng):
    data, index = (
        rng.normal(size=(30, 4, 5)).astype(np.float32),
        rng.integers(0, 20, (30, 2, 3)).astype(np.uint32),
    )
    expected = np.take_along_axis(data.reshape(30, -1), index.reshape(30, -1).astype(int), axis=1).reshape(
        index.shape
    )
    assert np.array_equal(evaluate(lambda a, i: nl.gather_flattened(a, i), data, index), expected)


def test_random_numbers():
    def body(x):
        nl.random_seed(7)
        first = nl.rand((128, 300))
        nl.random_seed(7)
        again = nl.rand((128, 300))
        half = nl.dropout(x, rate=0.5)
        return first, again, half, nl.dropout(x, 0.0), nl.dropout(x, 1.0), nl.rand((2, 3), nl.bfloat16)

    first, again, half, none, every, _ = evaluate(body, np.ones((128, 300), np.float32))
    assert (
        np.array_equal(first, again)
        and first.min() >= 0
        and first.max() < 1
        and abs(first.mean() - 0.5) < 0.01
    )
    assert set(np.unique(half)) == {0.0, 1.0} and abs(half.mean() - 0.5) < 0.02
    assert (none == 1).all() and (every == 0).all()


def test_random_numbers_are_those_of_the_core():
    """XORWOW of docs/stochastic-rounding.md in other code: the first draws of lane 3 with seed 5."""
    mask = 2**64 - 1
    state, words = ((9 << 48) ^ (3 << 32) ^ 5), []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        words += [z & 0xFFFFFFFF, z >> 32]
    x, y, z, w, v, d = words
    expected = []
    for _ in range(6):
        t = x ^ (x >> 2)
        x, y, z, w = y, z, w, v
        v = (v ^ (v << 4) ^ t ^ (t << 1)) & 0xFFFFFFFF
        d = (d + 362437) & 0xFFFFFFFF
        expected.append(((d + v) & 0xFFFFFFFF) >> 8)

    def body(x):
        nl.random_seed(5)
        return nl.rand((4, 6))

    assert (evaluate(body, np.zeros((1, 1), np.float32))[3] * 2.0**24).tolist() == expected


def test_dtypes_and_limits():
    assert nl.fp32.min == np.finfo(np.float32).min and nl.bfp16.min == -np.inf
    assert (
        nl.finfo(nl.bfloat16).bits == 16
        and nl.static_cast(3.7, nl.int32) == 4
        and nl.static_cast(1, "bfloat16").dtype == ml_dtypes.bfloat16
    )
    assert (
        nl.tile_size.pmax,
        nl.tile_size.psum_fmax,
        nl.tile_size.gemm_stationary_fmax,
        nl.tile_size.gemm_moving_fmax,
    ) == (
        128,
        512,
        128,
        512,
    )
    assert (nl.tile_size.bn_stats_fmax, nl.tile_size.total_available_sbuf_size) == (512, 176 * 1024)
    assert (nl.tile_size.psum_min_align, nl.tile_size.sbuf_min_align) == (4, 1)
    assert nl.gemm_grid()[1].shape == (128, 512) and nl.gemm_stationary_grid().x.shape == (128, 128)
    assert nl.hbm is nl.private_hbm and nisa.get_nc_version() == nisa.nc_version.gen2
    for name, dtype in {
        "uint16": nl.uint16,
        "int16": nl.int16,
        "float16": nl.float16,
        "float8_e5m2": nl.float8_e5m2,
    }.items():
        assert np.dtype(dtype).name == name


def test_subnormals_are_zeros_where_it_shows():
    """The engines take a subnormal fp32 or bf16 operand as 0 (instruction-semantics.md)."""
    x = np.array([[1e-40, -1e-40, 0, -0.0, 2.0**-126, -(2.0**-126), 1, np.nan, np.inf]], np.float32)
    y = np.where(np.abs(x) < 2.0**-126, np.copysign(np.float32(0), x), x)

    def body(t):
        return (
            t > 0,
            t >= 0,
            nl.equal(t, 0.0),
            nl.copy(t, dtype=nl.bool_),
            nl.logical_and(t, 1.0, dtype=nl.float32),
            nl.where(t, 1.0, 2.0),
            nl.where(t >= 0, 1.0, 2.0),
            nl.all(t[:, 0:2], axis=1, dtype=nl.float32),
            nisa.tensor_scalar(t, nl.multiply, 0.5, op1=nl.not_equal, operand1=0.0),
            nl.reciprocal(t),
            nl.sign(t[:, 0:7]),
        )

    with np.errstate(divide="ignore"):
        expected = (
            y > 0,
            y >= 0,
            y == 0,
            y != 0,
            (y != 0).astype(np.float32),
            np.where(y != 0, 1, 2),
            np.where(y >= 0, 1, 2),
            np.zeros((1, 1)),
            (np.where(np.abs(y) * 0.5 < 2.0**-126, 0, y) != 0).astype(np.float32),
            1 / y,
            np.sign(y[:, 0:7]),
        )
    for at, (found, wanted) in enumerate(zip(evaluate(body, x), expected)):
        assert np.array_equal(found, wanted, equal_nan=True), at


def test_subnormals_of_narrow_types():
    """Those of fp16 are numbers, those of bf16 are not."""
    half, narrow = np.array([[1e-7, 0]], np.float16), np.array([[1e-40, 0]], BF16)
    found = evaluate(lambda a, b: (a > 0, b > 0), half, narrow)
    assert [f.tolist() for f in found] == [[[True, False]], [[False, False]]]
