"""Instructions of nki.isa against NumPy."""

import numpy as np
import pytest
from nki_common import BF16, E4M3, E5M2, assert_near, evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki


def test_tensor_scalar(rng):
    x, v = rng.uniform(1, 2, (60, 4, 5)).astype(np.float32), rng.uniform(1, 2, (60, 1)).astype(np.float32)
    column = v[:, :, None]
    found = evaluate(
        lambda a, c: (
            nisa.tensor_scalar(a, nl.subtract, c),
            nisa.tensor_scalar(a, np.subtract, c, reverse0=True),
            nisa.tensor_scalar(a, "multiply", 2.0, op1=np.add, operand1=c),
            nisa.tensor_scalar(
                data=a,
                op0=nl.add,
                operand0=c,
                op1=nl.subtract,
                operand1=1.0,
                reverse1=True,
                dtype=nl.bfloat16,
            ),
            nisa.tensor_scalar(a, nl.rsqrt, 0.0, engine=nisa.gpsimd_engine),
            nisa.tensor_scalar(a, nl.multiply, c, engine=nisa.scalar_engine),
        ),
        x,
        v,
    )
    expected = (x - column, column - x, x * 2 + column, 1 - (x + column), 1 / np.sqrt(x), x * column)
    for result, value in zip(found, expected):
        assert_near(result, value)


def test_tensor_scalar_with_bits(rng):
    x, v = rng.integers(0, 2**16, (30, 7)).astype(np.uint16), rng.integers(0, 15, (30, 1)).astype(np.uint16)
    found = evaluate(
        lambda a, c: nisa.tensor_scalar(a, nl.left_shift, c, op1=nl.bitwise_and, operand1=0xF0F0), x, v
    )
    assert np.array_equal(found, (x << v) & np.uint16(0xF0F0))


@pytest.mark.parametrize("engine", ["vector_engine", "gpsimd_engine", "unknown_engine"])
def test_tensor_tensor(rng, engine):
    x, y = rng.normal(size=(2, 64, 33)).astype(BF16)
    found = evaluate(
        lambda a, b: nisa.tensor_tensor(a, b, op=nl.multiply, engine=getattr(nisa, engine), dtype=nl.float32),
        x,
        y,
    )
    assert np.array_equal(found, x.astype(np.float32) * y.astype(np.float32))


def test_tensor_tensor_of_other_free_shape(rng):
    x, y = rng.normal(size=(8, 4, 6)).astype(np.float32), rng.normal(size=(8, 24)).astype(np.float32)
    assert np.array_equal(
        evaluate(lambda a, b: nisa.tensor_tensor(a, b, nl.add), x, y), x + y.reshape(8, 4, 6)
    )


def test_large_integers_on_vector_go_through_fp32():
    x = np.array([[2**24 + 1]], np.int32)
    native, single = evaluate(
        lambda a: (
            nisa.tensor_tensor(a, a, nl.add),
            nisa.tensor_tensor(a, a, nl.add, engine=nisa.vector_engine),
        ),
        x,
    )
    assert native[0, 0] == 2**25 + 2 and single[0, 0] == 2**25


def test_scalar_tensor_tensor(rng):
    x, y = rng.normal(size=(2, 50, 12)).astype(np.float32)
    c = rng.normal(size=(50, 1)).astype(np.float32)
    found = evaluate(
        lambda a, b, v: (
            nisa.scalar_tensor_tensor(data=a, op0=nl.subtract, operand0=v, op1=nl.multiply, operand1=b),
            nisa.scalar_tensor_tensor(
                data=a,
                op0=nl.subtract,
                operand0=2.0,
                op1=nl.subtract,
                operand1=b,
                reverse0=True,
                reverse1=True,
            ),
        ),
        x,
        y,
        c,
    )
    assert np.array_equal(found[0], (x - c) * y) and np.array_equal(found[1], y - (2 - x))


def test_activation(rng):
    x, s, b = (
        rng.normal(size=(70, 9)).astype(np.float32),
        rng.normal(size=(70, 1)).astype(np.float32),
        rng.normal(size=(70, 1)).astype(np.float32),
    )
    found = evaluate(
        lambda a, p, q: (
            nisa.activation(nl.exp, a, bias=q, scale=p),
            nisa.activation(op=np.tanh, data=a, scale=0.5, dtype=nl.bfloat16),
            nisa.activation(nl.relu, a, bias=nl.copy(q, dtype=nl.float16)),
            nisa.activation(nl.copy, a),
            nisa.activation(nl.square, a),
        ),
        x,
        s,
        b,
    )
    half = b.astype(np.float16).astype(np.float32)
    for result, value in zip(found, (np.exp(x * s + b), np.tanh(x * 0.5), np.maximum(x + half, 0), x, x * x)):
        assert_near(result, value, steps=8)


def test_activation_registers(rng):
    x = rng.uniform(0, 1, (40, 16)).astype(np.float32)

    def body(a):
        first, both, three, reset = (nl.ndarray((40, 1), nl.float32) for _ in range(4))
        out = nisa.activation_reduce(nl.exp, a, reduce_op=nl.add, reduce_res=first)
        nisa.activation(nl.copy, a, reduce_op=np.add, reduce_cmd=nisa.reduce_cmd.reset_reduce)
        nisa.activation(nl.square, a, reduce_op=np.add, reduce_res=both, reduce_cmd=nisa.reduce_cmd.reduce)
        nisa.activation(nl.square, a)  # idle
        nisa.activation(nl.copy, a, reduce_op=np.add, reduce_res=three, reduce_cmd=nisa.reduce_cmd.reduce)
        nisa.activation(nl.copy, a, reduce_res=reset, reduce_cmd=nisa.reduce_cmd.reset)
        return out, first, both, three, reset

    out, first, both, three, reset = evaluate(body, x)
    wide = x.astype(np.float64)
    assert_near(out, np.exp(wide))
    for found, expected in ((first, np.exp(wide)), (both, wide + wide**2), (three, 2 * wide + wide**2)):
        np.testing.assert_allclose(found[:, 0], expected.sum(axis=1), rtol=1e-5)
    assert (reset == 0).all()


def test_tensor_reduce(rng):
    x = rng.normal(size=(32, 4, 6)).astype(np.float32)
    found = evaluate(
        lambda a: (
            nisa.tensor_reduce(nl.max, a, axis=[1, 2]),
            nisa.tensor_reduce(np.add, data=a, axis=2, negate=True, keepdims=True),
            nisa.tensor_reduce(np.amin, a, axis=(2,), dtype=nl.bfloat16),
            nisa.tensor_reduce(nl.subtract, a, axis=2),
            nisa.tensor_reduce(nl.logical_xor, a, axis=2),
        ),
        x,
    )
    assert np.array_equal(found[0], x.max(axis=(1, 2))[:, None])
    np.testing.assert_allclose(found[1], -x.sum(axis=2, keepdims=True), rtol=1e-5, atol=1e-6)
    assert np.array_equal(found[2], x.min(axis=2).astype(BF16))
    np.testing.assert_allclose(found[3], x[:, :, 0] - x[:, :, 1:].sum(axis=2), rtol=1e-5, atol=1e-5)
    assert (found[4] == 0).all()
    y = rng.integers(0, 2**8, (16, 5)).astype(np.uint8)
    found = evaluate(
        lambda a: (
            nisa.tensor_reduce(nl.bitwise_or, a, axis=1),
            nisa.tensor_reduce(nl.bitwise_and, a, axis=1),
            nisa.tensor_reduce(nl.bitwise_xor, a, axis=1),
        ),
        y,
    )
    for result, ufunc in zip(found, (np.bitwise_or, np.bitwise_and, np.bitwise_xor)):
        assert np.array_equal(result[:, 0], ufunc.reduce(y, axis=1))


def test_tensor_partition_reduce(rng):
    x, y = rng.integers(-9, 9, (77, 3, 4)).astype(np.float32), rng.integers(0, 256, (50, 6)).astype(np.uint8)
    found = evaluate(
        lambda a, b: (
            nisa.tensor_partition_reduce(nl.add, a),
            nisa.tensor_partition_reduce(np.max, a),
            nisa.tensor_partition_reduce(nl.bitwise_or, b),
        ),
        x,
        y,
    )
    assert np.array_equal(found[0], x.sum(axis=0, keepdims=True)) and np.array_equal(
        found[1], x.max(axis=0, keepdims=True)
    )
    assert np.array_equal(found[2][0], np.bitwise_or.reduce(y, axis=0))


@pytest.mark.parametrize(
    ("op", "ufunc"), [(nl.add, np.sum), (nl.multiply, np.prod), (nl.max, np.max), (np.minimum, np.min)]
)
def test_tensor_scalar_reduce(rng, op, ufunc):
    x, c = (
        rng.uniform(0.5, 1.5, (30, 3, 7)).astype(np.float32),
        rng.uniform(0.9, 1.1, (30, 1)).astype(np.float32),
    )

    def body(a, v):
        total = nl.ndarray((30, 1), nl.float32)
        return nisa.tensor_scalar_reduce(
            data=a, op0=nl.multiply, operand0=v, reduce_op=op, reduce_res=total
        ), total

    result, total = evaluate(body, x, c)
    assert np.array_equal(result, x * c[:, :, None])
    np.testing.assert_allclose(
        total[:, 0], ufunc((x * c[:, :, None]).astype(np.float64), axis=(1, 2)), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("reverse0", "reverse1"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_tensor_tensor_scan(rng, reverse0, reverse1):
    x, y = rng.uniform(-1, 1, (2, 40, 55)).astype(np.float32)
    c = rng.normal(size=(40, 1)).astype(np.float32)

    def body(a, b, v):
        return (
            nisa.tensor_tensor_scan(a, b, v, np.multiply, np.subtract, reverse0=reverse0, reverse1=reverse1),
            nisa.tensor_tensor_scan(
                a,
                b,
                initial=0.5,
                op0=nl.subtract,
                op1=nl.maximum,
                reverse0=reverse0,
                reverse1=reverse1,
                dtype=nl.bfloat16,
            ),
        )

    found = evaluate(body, x, y, c)
    state, other = c[:, 0].copy(), np.full(40, 0.5, np.float32)
    for i in range(55):
        product = x[:, i] * state
        state = y[:, i] - product if reverse1 else product - y[:, i]
        other = np.maximum(other - x[:, i] if reverse0 else x[:, i] - other, y[:, i])
        assert np.array_equal(found[0][:, i], state) and np.array_equal(found[1][:, i], other.astype(BF16))


def test_matmul(rng):
    k, m, n = 90, 100, 300
    a, b = rng.integers(-8, 8, (k, m)).astype(np.float32), rng.integers(-8, 8, (k, n)).astype(np.float32)

    def body(s, v):
        half_s, half_v = nl.copy(s, dtype=nl.bfloat16), nl.copy(v, dtype=nl.float8_e4m3)
        total = nl.zeros((m, n), nl.float32, buffer=nl.psum)
        total += nisa.nc_matmul(s, v)
        total[...] += nisa.nc_matmul(half_s, half_v, is_moving_onezero=False)
        total[:, 0:10] += nisa.nc_matmul(s, v[:, 0:10])
        return (
            nisa.nc_matmul(s, v),
            total,
            nisa.nc_matmul(s[0:64, 0:64], v[0:64], tile_position=(64, 0), tile_size=(64, 64)),
        )

    result, total, part = evaluate(body, a, b)
    expected = a.T @ b
    assert np.array_equal(result, expected)
    tripled = 2 * expected
    tripled[:, :10] += expected[:, :10]
    assert np.array_equal(total, tripled) and np.array_equal(part, a[:64, :64].T @ b[:64])


def test_matmul_of_three_dimensions(rng):
    a, b = (
        rng.integers(-8, 8, (16, 2, 3)).astype(np.float32),
        rng.integers(-8, 8, (16, 4, 5)).astype(np.float32),
    )
    found = evaluate(lambda s, v: nisa.nc_matmul(s, v), a, b)
    assert np.array_equal(found, np.einsum("kab,kcd->abcd", a, b).reshape(6, 4, 5))


@pytest.mark.parametrize(
    ("shape", "engine", "space"),
    [
        ((100, 128), "unknown_engine", "psum"),
        ((32, 5), "vector_engine", "sbuf"),
        ((32, 32), "tensor_engine", "psum"),
        ((20, 30), "unknown_engine", "sbuf"),
        ((16, 3, 7), "tensor_engine", "psum"),
    ],
)
def test_transpose(rng, shape, engine, space):
    x = rng.normal(size=shape).astype(np.float32)

    def body(a):
        moved = nisa.nc_transpose(a, engine=getattr(nisa, engine))
        assert moved.space == space
        return moved, nisa.nc_transpose(a, engine=getattr(nisa, engine), dtype=nl.bfloat16)

    moved, cast = evaluate(body, x)
    assert np.array_equal(moved, x.reshape(shape[0], -1).T) and np.array_equal(
        cast, x.reshape(shape[0], -1).T.astype(BF16)
    )


def test_copies(rng):
    x = rng.normal(size=(50, 6)).astype(np.float32)
    wide = rng.integers(-(2**31), 2**31, (3, 4)).astype(np.int32)
    found = evaluate(
        lambda a, b: (
            nisa.tensor_copy(a, dtype=nl.bfloat16),
            nisa.tensor_copy(b, engine=nisa.vector_engine),
            nisa.tensor_copy(b, engine=nisa.scalar_engine),
            nisa.tensor_copy(a, engine=nisa.gpsimd_engine),
        ),
        x,
        wide,
    )
    assert (
        np.array_equal(found[0], x.astype(BF16))
        and np.array_equal(found[1], wide)
        and np.array_equal(found[3], x)
    )
    assert np.array_equal(
        found[2], np.clip(wide.astype(np.float32).astype(np.float64), -(2**31), 2**31 - 1).astype(np.int32)
    )


def test_memset_and_iota():
    ix, iy = nl.arange(5)[:, None], nl.arange(2, 9)[None, :]
    found = evaluate(
        lambda a: (
            nisa.memset((3, 4), -1.5, nl.bfloat16),
            nisa.memset((2, 2), 2**31 - 1, np.int32, engine=nisa.gpsimd_engine),
            nisa.iota(10 * ix + iy, nl.int32),
            nisa.iota(3 - iy, dtype=nl.float32),
            nisa.iota(ix * 7, nl.int16),
            nisa.iota(4, nl.uint32),
        ),
        np.zeros((1, 1), np.float32),
    )
    i, j = np.arange(5)[:, None], np.arange(2, 9)[None, :]
    expected = (np.full((3, 4), -1.5), np.full((2, 2), 2**31 - 1), 10 * i + j, 3 - j, 7 * i, [[4]])
    for result, value in zip(found, expected):
        assert np.array_equal(result.astype(np.float64), value)


def _cast(values, dtype):
    """Engines round to nearest even and saturate."""
    if np.dtype(dtype).kind not in "iu":
        return values.astype(dtype)
    return np.clip(np.rint(values), np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, E4M3, E5M2, np.int8, np.uint8, np.uint16, np.uint32])
def test_iota_of_other_types(dtype):
    """Element types that GpSimd does not know, and values that a type does not hold."""
    found = evaluate(lambda: nisa.iota(8 * nl.arange(30)[:, None] - 100 + 16 * nl.arange(6)[None, :], dtype))
    assert np.array_equal(found, _cast(np.add.outer(8.0 * np.arange(30) - 100, 16 * np.arange(6)), dtype))


@pytest.mark.parametrize("otherwise", [2, -3.75])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint8, np.int32])
@pytest.mark.parametrize("source", [np.float32, BF16, np.int8, np.uint16])
def test_affine_select_between_types(rng, source, dtype, otherwise):
    x = _cast(np.round(rng.normal(size=(30, 20)) * 200) / 4, source)
    i, j = nl.arange(30)[:, None], nl.arange(20)[None, :]
    found = evaluate(lambda a: nisa.affine_select(i >= j, a, otherwise, dtype=dtype), x)
    value = _cast(np.float32(otherwise), dtype)
    assert np.array_equal(
        found, np.where(np.tri(30, 20, dtype=bool), _cast(x.astype(np.float32), dtype), value)
    )


@pytest.mark.parametrize("dtype", [np.float16, E4M3, np.int16])
def test_copies_on_gpsimd(rng, dtype):
    x = rng.integers(-8, 8, (30, 20)).astype(np.float32)

    def body(a):
        engine = nisa.gpsimd_engine
        narrow = nisa.tensor_copy(a, dtype=dtype, engine=engine)
        return (
            narrow,
            nisa.tensor_copy(narrow, engine=engine),
            nisa.tensor_copy(narrow, dtype=nl.float32, engine=engine),
        )

    for found in evaluate(body, x):
        assert np.array_equal(found.astype(np.float32), x)


@pytest.mark.parametrize("types", [(np.float32, BF16), (E4M3, np.float32), (np.float16, np.float32)])
def test_matmul_of_wide_and_narrow_types(rng, types):
    a, b = (
        rng.integers(-8, 8, (30, 20)).astype(types[0]),
        (rng.integers(-8, 8, (30, 40)) / 8).astype(types[1]),
    )
    assert np.array_equal(evaluate(nisa.nc_matmul, a, b), a.astype(np.float32).T @ b.astype(np.float32))


def test_affine_select(rng):
    x = rng.normal(size=(30, 4, 10)).astype(np.float32)
    ip, iq, ir = nl.mgrid[0:30, 0:4, 0:10]

    def body(a):
        return (
            nisa.affine_select(3 * ip + 1 >= 10 * iq + ir, a, -9984.0),
            nisa.affine_select(ip == ir, on_true_tile=a, on_false_value=nl.fp32.min, dtype=nl.float32),
            nisa.affine_select(True, a, 0.0),
            nisa.affine_select(nl.program_ndim() > 0, a, 7.0),
            nisa.affine_select(iq - 2, a, 0.0),
        )

    found = evaluate(body, x)
    i, j, k = np.mgrid[0:30, 0:4, 0:10]
    expected = (
        np.where(3 * i + 1 >= 10 * j + k, x, -9984),
        np.where(i == k, x, np.finfo(np.float32).min),
        x,
        np.full_like(x, 7),
        np.where(j > 2, x, 0),
    )
    for result, value in zip(found, expected):
        assert np.array_equal(result, value)


def test_predicates(rng):
    x, y = rng.normal(size=(2, 40, 12)).astype(np.float32)
    p, c = rng.integers(0, 2, (40, 12)).astype(np.uint8), rng.normal(size=(40, 1)).astype(np.float32)

    def body(a, b, held, v):
        copied, inverted, number, selected, again = (nl.copy(b) for _ in range(5))
        nisa.tensor_copy_predicated(src=a, dst=copied, predicate=held)
        nisa.tensor_copy_predicated(src=a, dst=inverted, predicate=held, reverse_pred=True)
        nisa.tensor_copy_predicated(src=2.5, dst=number, predicate=held)
        largest, both = nl.ndarray((40, 1), nl.float32), nl.ndarray((40, 1), nl.float32)
        nisa.select_reduce(
            dst=selected,
            predicate=held,
            on_true=a,
            on_false=v,
            reduce_res=largest,
            reduce_cmd=nisa.reduce_cmd.reset_reduce,
        )
        nisa.select_reduce(
            dst=again,
            predicate=held,
            on_true=b,
            on_false=-1.0,
            reverse_pred=True,
            reduce_res=both,
            reduce_cmd=nisa.reduce_cmd.reduce,
            reduce_op=nl.max,
        )
        return copied, inverted, number, selected, again, largest, both

    found = evaluate(body, x, y, p, c)
    held = p != 0
    first, second = np.where(held, x, c), np.where(held, -1, y)
    maxima = first.max(axis=1, keepdims=True)
    expected = (
        np.where(held, x, y),
        np.where(held, y, x),
        np.where(held, 2.5, y),
        first,
        second,
        maxima,
        np.maximum(maxima, second.max(axis=1, keepdims=True)),
    )
    for result, value in zip(found, expected):
        assert np.array_equal(result, value.astype(np.float32))


def test_statistics(rng):
    x = rng.normal(3, 2, (60, 5, 31)).astype(np.float32)
    stats, aggregate, both = evaluate(
        lambda a: (s := nisa.bn_stats(a), nisa.bn_aggr(s), nisa.bn_aggr(nisa.tensor_copy(s)[:, 0:3])), x
    )
    flat = x.reshape(60, -1).astype(np.float64)
    for first, columns in ((0, flat[:, 0::2]), (3, flat[:, 1::2])):
        assert (stats[:, first] == columns.shape[1]).all()
        np.testing.assert_allclose(stats[:, first + 1], columns.mean(axis=1), rtol=1e-5)
        np.testing.assert_allclose(stats[:, first + 2], columns.var(axis=1) * columns.shape[1], rtol=1e-4)
    np.testing.assert_allclose(aggregate, np.stack([flat.mean(axis=1), flat.var(axis=1)], axis=1), rtol=1e-4)
    np.testing.assert_allclose(both[:, 1], flat[:, 0::2].var(axis=1), rtol=1e-4)


def test_eight(rng):
    x = rng.permuted(np.tile(np.arange(90, dtype=np.float32), (33, 1)), axis=1)
    x[:, 5] = x[:, 40]  # a value twice in each row

    def body(a):
        largest = nisa.max8(src=a)
        where = nl.ndarray((33, 8), nl.uint32)
        replaced = nisa.nc_match_replace8(data=a, vals=largest, imm=-1.0, dst_idx=where)
        return (
            largest,
            nisa.nc_find_index8(data=a, vals=largest),
            replaced,
            where,
            nisa.nc_find_index8(data=a, vals=nisa.memset((33, 8), 1000.0, nl.float32), dtype=nl.uint16),
        )

    largest, index, replaced, where, absent = evaluate(body, x)
    expected = np.sort(x, axis=1)[:, ::-1][:, :8]
    assert np.array_equal(largest, expected) and (absent == 65535).all()
    data, rows = x.copy(), np.zeros((33, 8), int)
    for row in range(33):
        for k in range(8):
            rows[row, k] = np.flatnonzero(data[row] == expected[row, k])[0]
            assert index[row, k] == np.flatnonzero(x[row] == expected[row, k])[0]
            data[row, rows[row, k]] = -1
    assert np.array_equal(replaced, data) and np.array_equal(where, rows)


def test_stream_shuffle(rng):
    x = rng.normal(size=(96, 9)).astype(np.float32)
    sources = [int(s) for s in rng.permutation(32)]
    sources[4] = sources[11] = 255

    def body(a):
        out = nl.zeros((96, 9), nl.float32)
        nisa.nc_stream_shuffle(a, out, sources)
        nisa.nc_stream_shuffle(a, a, [31 - i for i in range(32)])
        return out, a

    out, reversed_rows = evaluate(body, x)
    for row in range(96):
        expected = x[row // 32 * 32 + sources[row % 32]] if sources[row % 32] != 255 else 0
        assert np.array_equal(out[row], np.broadcast_to(expected, 9))
        assert np.array_equal(reversed_rows[row], x[row // 32 * 32 + 31 - row % 32])


def test_stream_shuffle_of_other_numbers_of_partitions(rng):
    x = rng.normal(size=(64, 9)).astype(np.float32)
    kept = [7] * 20 + [255] * 12

    def body(a):
        spread, one, masked = (
            nl.zeros((64, 9), nl.float32),
            nl.zeros((32, 9), nl.float32),
            nl.zeros((32, 9), nl.float32),
        )
        nisa.nc_stream_shuffle(a[0:1], spread[32:64], [0] * 31 + [255])
        nisa.nc_stream_shuffle(a[32:64], one[0:1], kept)
        i, j = nl.mgrid[0:32, 0:9]
        nisa.nc_stream_shuffle(a[0:32], masked, kept, mask=i > j + 10)
        return spread, one, masked

    spread, one, masked = evaluate(body, x)
    assert (
        np.array_equal(spread[32:63], np.broadcast_to(x[0], (31, 9)))
        and not spread[:32].any()
        and not spread[63].any()
    )
    assert np.array_equal(one[0], x[39]) and not one[1:].any()
    held = np.subtract.outer(np.arange(32), np.arange(9)) > 10
    held[20:] = False
    assert np.array_equal(masked, np.where(held, x[7], 0))


@pytest.mark.parametrize(("run", "valid"), [(1, None), (4, 64), (2, 50)])
def test_local_gather(rng, run, valid):
    x = rng.normal(size=(48, 128)).astype(np.float32)
    index = (rng.integers(0, 128 // run, (48, 4)) * run).astype(np.uint16)
    found = evaluate(lambda a, i: nisa.local_gather(a, i, run, valid), x, index)
    count = 64 if valid is None else valid
    for core in range(3):
        rows = slice(16 * core, 16 * core + 16)
        flat = index[rows].flatten(order="F")[:count].astype(int)
        columns = (flat[:, None] + np.arange(run)).reshape(-1)
        assert np.array_equal(found[rows].reshape(16, -1), x[rows][:, columns])


def test_sequence_bounds():
    ids = np.array([[0, 0, 1, 1, 1, 2, 3, 3, 0, 4]], np.int32)
    found = evaluate(lambda a: nisa.sequence_bounds(segment_ids=a), ids)
    assert found.dtype == np.int32 and found.shape == (1, 2, 10)
    assert found[0].tolist() == [[10, 10, 2, 2, 2, 5, 6, 6, 10, 9], [-1, -1, 5, 5, 5, 6, 8, 8, -1, 10]]


def test_reciprocal_and_dropout(rng):
    x = rng.uniform(1, 2, (20, 10)).astype(np.float32)
    inverse, none, rows = evaluate(
        lambda a: (
            nisa.reciprocal(a),
            nisa.dropout(a, 0.0),
            nisa.dropout(a, nisa.iota(nl.arange(20)[:, None] * 1, nl.float32)),
        ),
        x,
    )
    assert np.array_equal(inverse, 1 / x) and np.array_equal(none, x)
    assert np.array_equal(rows[0], x[0]) and (rows[1:] == 0).all()


@pytest.mark.parametrize(
    ("shape", "axes"), [((20, 50), (1, 0)), ((6, 5, 40), (2, 1, 0)), ((3, 4, 5, 60), (3, 1, 2, 0))]
)
def test_dma_transpose(rng, shape, axes):
    x = rng.normal(size=shape).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        outs = []
        for tile in (
            nisa.dma_transpose(a),
            nisa.dma_transpose(nl.load(a), axes=axes, dge_mode=nisa.dge_mode.none),
        ):
            out = nl.ndarray(tile.shape, tile.dtype, buffer=nl.shared_hbm)
            nl.store(out, tile)
            outs.append(out)
        return outs

    for found in kernel(x):
        assert np.array_equal(found, x.transpose(axes))


def test_a_copy_of_large_integers_on_scalar_goes_through_fp32(rng):
    """Also copies of a value that has just been loaded or added, which another copy would leave out."""
    x = rng.integers(-(2**30), 2**30, (7, 9)).astype(np.int32)
    rounded = x.astype(np.float32).astype(np.int32)
    assert np.array_equal(evaluate(lambda a: nisa.tensor_copy(a, engine=nisa.scalar_engine), x), rounded)
    assert np.array_equal(
        evaluate(lambda a: nisa.tensor_copy(a + a, engine=nisa.scalar_engine), x), 2 * rounded
    )
    assert np.array_equal(evaluate(lambda a: nisa.tensor_copy(a), x), x)


def test_dma_copy(rng):
    x = rng.normal(size=(200, 30)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out, half, total = (
            nl.ndarray(a.shape, t, buffer=nl.shared_hbm) for t in (a.dtype, nl.bfloat16, a.dtype)
        )
        nisa.dma_copy(dst=out, src=a)
        nisa.dma_copy(dst=half, src=a)
        nisa.dma_copy(dst=total, src=a)
        nisa.dma_copy(dst=total[0:100], src=a[100:200], dst_rmw_op=np.add)
        tile = nl.ndarray((100, 30), nl.float16)
        nisa.dma_copy(dst=tile, src=a[50:150])
        nisa.dma_copy(dst=out[0:100], src=tile)
        return out, half, total

    out, half, total = kernel(x)
    assert np.array_equal(out[:100], x[50:150].astype(np.float16).astype(np.float32)) and np.array_equal(
        out[100:], x[100:]
    )
    assert (
        np.array_equal(half, x.astype(BF16))
        and np.array_equal(total[:100], x[:100] + x[100:])
        and np.array_equal(total[100:], x[100:])
    )


def test_dynamic_offsets(rng):
    x, offsets = rng.normal(size=(50, 64, 3)).astype(np.float32), rng.integers(0, 60, (1, 8)).astype(np.int32)

    def body(a, at):
        ix, iy, iz = nl.mgrid[0:50, 0:4, 0:3]
        taken, put = nl.ndarray((50, 8, 4, 3), nl.float32), nl.zeros((50, 64, 3), nl.float32)
        for k in nl.affine_range(8):
            taken[:, k] = nisa.tensor_copy_dynamic_src(a[ix, at[0, k] + iy, iz])
        jx, _, jz = nl.mgrid[0:50, 0:1, 0:3]
        single = nisa.tensor_copy_dynamic_src(a[jx, at[0, 2], jz])
        nisa.tensor_copy_dynamic_dst(dst=put[ix, at[0, 3] + iy, iz], src=a[ix, iy, iz])
        return taken, single, put

    taken, single, put = evaluate(body, x, offsets)
    for k in range(8):
        assert np.array_equal(taken[:, k], x[:, offsets[0, k] : offsets[0, k] + 4])
    assert np.array_equal(single[:, 0], x[:, offsets[0, 2]])
    expected = np.zeros_like(x)
    expected[:, offsets[0, 3] : offsets[0, 3] + 4] = x[:, :4]
    assert np.array_equal(put, expected)


def test_a_copy_at_a_dynamic_offset_with_a_triangular_mask(rng):
    x = rng.normal(size=(50, 64)).astype(np.float32)

    def body(a):
        i, j = nl.arange(50)[:, None], nl.arange(20)[None, :]
        at, out = nl.full((1, 1), 30, nl.int32), nl.zeros((50, 20), nl.float32)
        out[...] = nisa.tensor_copy_dynamic_src(a[i, at + j], mask=i >= j)
        return out

    assert np.array_equal(evaluate(body, x), np.tril(x[:, 30:50]))
