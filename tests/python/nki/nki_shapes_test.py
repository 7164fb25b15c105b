"""Shapes of operands: a table of what each instruction takes, walked against NumPy.

The expected values are NumPy's on arrays that the test reshapes by itself, `[:, :, None]` for one.
"""

import itertools

import numpy as np
import pytest
from nki_common import evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

F32 = np.float32

#: Shapes of two operands, and the shapes in which NumPy repeats them; either operand may be the first.
BROADCASTS = [
    ((8, 3, 4), (8, 1), (8, 3, 4), (8, 1, 1)),
    ((8, 3, 4), (8, 1, 1), (8, 3, 4), (8, 1, 1)),
    ((8, 3, 4), (8, 3, 1), (8, 3, 4), (8, 3, 1)),
    ((8, 3, 4), (8, 1, 4), (8, 3, 4), (8, 1, 4)),
    ((8, 3, 4), (8, 3), (8, 3, 4), (8, 3, 1)),
    ((8, 3, 4), (8, 4), (8, 3, 4), (8, 1, 4)),
    ((8, 3, 1), (8, 1, 4), (8, 3, 1), (8, 1, 4)),
    ((8, 2, 3, 4), (8, 1), (8, 2, 3, 4), (8, 1, 1, 1)),
    ((8, 2, 3, 4), (8, 2, 3), (8, 2, 3, 4), (8, 2, 3, 1)),
    ((8, 2, 3, 2, 2), (8, 1), (8, 2, 3, 2, 2), (8, 1, 1, 1, 1)),
    ((8, 2, 1, 3, 1, 2), (8, 1, 1, 3, 1, 1), (8, 2, 1, 3, 1, 2), (8, 1, 1, 3, 1, 1)),
    ((8, 12), (8, 1, 1), (8, 12), (8, 1)),
    ((8, 12), (8, 3, 4), (8, 12), (8, 12)),
    ((8, 12), (8, 1), (8, 12), (8, 1)),
]


def _add(x, y):
    return nisa.tensor_tensor(x, y, nl.add)


def _scaled_add(x, y):
    return nisa.scalar_tensor_tensor(data=x, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=y)


def _scan(x, y):
    return nisa.tensor_tensor_scan(x, y, 1.0, nl.multiply, nl.add)


def _scanned(x, y):
    x, y = np.broadcast_arrays(x, y)
    rows, more = x.reshape(len(x), -1), y.reshape(len(x), -1)
    result, state = np.empty_like(rows), np.ones(len(rows), F32)
    for at in range(rows.shape[1]):
        result[:, at] = state = rows[:, at] * state + more[:, at]
    return result.reshape(x.shape)


#: Instructions of two tiles, with what NumPy computes for them.
OF_TWO_TILES = {
    "tensor_tensor": (_add, np.add),
    "scalar_tensor_tensor": (_scaled_add, lambda x, y: 2 * x + y),
    "tensor_tensor_scan": (_scan, _scanned),
    "add": (nl.add, np.add),
    "where": (lambda x, y: nl.where(x, y, 7.0), lambda x, y: np.where(x, y, F32(7))),
}
#: Shapes of which NumPy's rule has no meaning, so that functions of nl refuse them.
NOT_OF_NUMPY = {((8, 3, 4), (8, 3)), ((8, 2, 3, 4), (8, 2, 3)), ((8, 12), (8, 3, 4))}


@pytest.mark.parametrize("name", OF_TWO_TILES)
def test_broadcasts_of_two_tiles(rng, name):
    function, expected = OF_TWO_TILES[name]
    for (a, b, like_a, like_b), swapped in itertools.product(BROADCASTS, (False, True)):
        if name in ("add", "where") and (a, b) in NOT_OF_NUMPY:
            continue
        x, y = (rng.integers(-2, 3, shape).astype(F32) for shape in (a, b))
        found = evaluate((lambda x, y: function(y, x)) if swapped else function, x, y)
        x, y = x.reshape(like_a), y.reshape(like_b)
        wanted = expected(y, x) if swapped else expected(x, y)
        assert np.array_equal(found.reshape(wanted.shape), wanted), (a, b, swapped)


#: Shapes of a destination and of what is written to it.
WRITTEN = [(a, b, like) for a, b, _, like in BROADCASTS if a == tuple(np.broadcast_shapes(a, like))]


def _predicated(target, value):
    held = nl.copy(nl.greater(value, -9.0), dtype=nl.uint8)
    nisa.tensor_copy_predicated(src=value, dst=target, predicate=held)


def _selected(target, value):
    held = nl.copy(nl.greater(value, -9.0), dtype=nl.uint8)
    nisa.select_reduce(dst=target, predicate=held, on_true=value, on_false=0.0)


def _assigned(target, value):
    target[...] = value


@pytest.mark.parametrize("write", [_assigned, _predicated, _selected])
def test_broadcasts_to_a_destination(rng, write):
    for shape, of, like in WRITTEN:
        value = rng.integers(-3, 4, of).astype(F32)

        def body(value, write=write, shape=shape):
            target = nl.zeros(shape, nl.float32)
            write(target, value)
            return target

        assert np.array_equal(evaluate(body, value), np.broadcast_to(value.reshape(like), shape)), (shape, of)


def test_operands_of_one_element_a_partition(rng):
    """They go beside data of any number of dimensions."""

    def body(a, b):
        total = nl.ndarray((8, 1), nl.float32)
        reduced = nisa.tensor_scalar_reduce(
            data=a, op0=nl.multiply, operand0=b, reduce_op=nl.add, reduce_res=total
        )
        return (
            nisa.tensor_scalar(a, nl.multiply, b, op1=nl.add, operand1=b),
            nisa.activation(nl.copy, a, bias=b, scale=b),
            reduced,
            total,
        )

    for shape in ((8, 6), (8, 3, 4), (8, 2, 3, 2), (8, 2, 1, 3, 1, 2)):
        for column in ((8, 1), (8, 1, 1)):
            a, b = (rng.integers(-3, 4, shape).astype(F32) for shape in (shape, column))
            spread = b.reshape((8,) + (1,) * (len(shape) - 1))
            both, active, product, total = evaluate(body, a, b)
            assert np.array_equal(both, a * spread + spread) and np.array_equal(active, both)
            assert np.array_equal(product, a * spread)
            assert np.array_equal(total[:, 0], (a * spread).reshape(8, -1).sum(axis=1))


def test_two_meanings_are_refused():
    def body(a, b):
        return nisa.tensor_tensor(a, b, nl.add)

    with pytest.raises(
        nki.NkiError, match=r"data1\[8, 3, 3\] and data2\[8, 3\].*a reshape chooses"
    ) as caught:
        evaluate(body, np.zeros((8, 3, 3), F32), np.zeros((8, 3), F32))
    assert caught.value.name == "err_shape" and caught.value.file == __file__
    with pytest.raises(nki.NkiError, match="err_shape"):
        evaluate(body, np.zeros((8, 3, 4), F32), np.zeros((8, 2), F32))


def test_dimensions_of_size_1_do_not_count(rng):
    def body(a):
        tile = a.reshape((8, 2, 1, 3, 5, 2))
        return (
            nisa.tensor_reduce(nl.max, tile, axis=[3, 5]),
            nl.sum(tile, axis=[1, 4], keepdims=True),
            nl.copy(tile),
            nisa.activation(nl.square, tile),
            nisa.tensor_scalar(tile, nl.add, 1.0),
            nisa.tensor_tensor(tile, tile, nl.multiply),
            nl.max(tile, axis=[1, 2, 3, 4, 5]),
            nisa.nc_transpose(a.reshape((8, 1, 60))),
            nl.transpose(a.reshape((8, 60, 1))),
        )

    x = rng.integers(-9, 9, (8, 60)).astype(F32)
    wide = x.reshape(8, 2, 1, 3, 5, 2)
    expected = (
        wide.max(axis=(3, 5)),
        wide.sum(axis=(1, 4), keepdims=True),
        wide,
        wide * wide,
        wide + 1,
        wide * wide,
        x.max(axis=1, keepdims=True),
        x.T,
        x.T,
    )
    for at, (found, wanted) in enumerate(zip(evaluate(body, x), expected)):
        assert np.array_equal(found, wanted), at


def test_more_dimensions_than_an_instruction_has():
    def body(a):
        every_second = a.reshape((8, 4, 4, 4, 4, 4, 1))[:, 0:2, 0:2, 0:2, 0:2, 0:2]
        return nisa.tensor_copy(every_second)

    with pytest.raises(nki.NkiError, match="6 dimensions that an instruction does not join") as caught:
        evaluate(body, np.zeros((8, 1024), F32))
    assert caught.value.name == "err_exceed_max_supported_dimension"


#: Shapes of tensors with blocks, shapes that they get, and an index of each with that of the array.
RECUT = [
    ((2, nl.par_dim(8), 6), (2, 8, 3, 2)),
    ((2, nl.par_dim(8), 6), (2, nl.par_dim(8), 3, 2)),
    ((4, nl.par_dim(8), 6), (2, 2, nl.par_dim(8), 6)),
    ((4, nl.par_dim(8), 6), (2, 2, 8, 2, 3)),
    ((2, 3, nl.par_dim(8), 2, 3), (6, 8, 6)),
    ((2, nl.par_dim(8), 6), (2, 8, 1, 6)),
    ((1, nl.par_dim(8), 6), (8, 6)),
    ((nl.par_dim(8), 6), (1, nl.par_dim(8), 3, 2)),
    ((2, nl.par_dim(8), 6), (2, nl.par_dim(8), 3, -1)),
]


@pytest.mark.parametrize("at", range(len(RECUT)))
@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_reshapes_of_tensors_with_blocks(rng, at, buffer):
    """What is written to one shape is read from the other, and the other way round."""
    old, new = RECUT[at]

    def blocks(tensor, count):
        return [tuple(map(int, index)) for index in np.ndindex(*tensor.shape[:count])]

    @nki.jit(mode="simulation")
    def kernel(x):
        held = nl.ndarray(old, nl.float32, buffer=buffer)
        view = held.reshape(new)
        first = len(old) - len(held.storage.shape)
        last = len(view.storage.blocks)
        assert view.shape[last] == 8
        out = nl.ndarray(view.shape, nl.float32, buffer=nl.shared_hbm)
        back = nl.ndarray(held.shape, nl.float32, buffer=nl.shared_hbm)
        for index in blocks(held, first):
            (held[index] if index else held)[...] = nl.load(x[index] if index else x)
        for index in blocks(view, last):
            part = view[index] if index else view
            nl.store(out[index] if index else out, part)
            part[...] = nl.add(part, 1.0)
        for index in blocks(held, first):
            nl.store(back[index] if index else back, held[index] if index else held)
        return out, back

    shape = tuple(map(int, old))
    x = rng.integers(-9, 9, shape).astype(F32)
    out, back = kernel(x)
    # Blocks keep their tiles, so NumPy's order of elements is the same.
    assert np.array_equal(out, x.reshape(out.shape)) and np.array_equal(back, x + 1)


#: Shapes, types and memories of what is transposed for Vector.
FOR_VECTOR = [
    ((128, 128), np.float32, nl.sbuf),
    ((128, 64), np.float32, nl.sbuf),
    ((64, 128), np.float16, nl.sbuf),
    ((33, 5), np.float32, nl.sbuf),
    ((5, 33), np.int32, nl.sbuf),
    ((128, 64), np.uint8, nl.sbuf),
    ((48, 64), np.float32, nl.psum),
    ((32, 32), np.float32, nl.sbuf),
    ((32, 4, 5), np.float32, nl.sbuf),
    ((64, 4, 5), np.float32, nl.sbuf),
]


@pytest.mark.parametrize("at", range(len(FOR_VECTOR)))
def test_transposes_that_vector_is_asked_for(rng, at):
    shape, dtype, buffer = FOR_VECTOR[at]

    def body(a):
        held = nl.ndarray(shape, a.dtype, buffer=buffer)
        held[...] = a
        turned = nisa.nc_transpose(held, engine=nisa.vector_engine)
        assert turned.buffer == "sbuf"
        i, _ = nl.mgrid[0 : shape[0], 0 : a.elements]
        kept = nl.zeros(turned.shape, a.dtype)
        kept[...] = nisa.nc_transpose(
            held.reshape((shape[0], a.elements)), engine=nisa.vector_engine, mask=i < 4
        )
        return nl.copy(turned), kept

    x = rng.integers(0, 99, shape).astype(dtype)
    found, kept = evaluate(body, x)
    expected = x.reshape(shape[0], -1).T
    assert np.array_equal(found, expected)
    assert np.array_equal(kept, np.where(np.arange(shape[0]) < 4, expected, 0))


def test_elements_in_any_number_of_dimensions(rng):
    """Functions of nl take more dimensions than an instruction has; others if they follow each other."""
    x = rng.normal(size=(8, 32)).astype(np.float32)

    def body(t):
        i, a, b, c, d, e = nl.mgrid[0:8, 0:2, 0:2, 0:2, 0:2, 0:2]
        turned = nl.ndarray((8, 32), nl.float32)
        there = t[i, a * 16 + b * 8 + c * 4 + d * 2 + e]
        turned[i, a + 2 * b + 4 * c + 8 * d + 16 * e] = 2.0 * there
        result = nl.ndarray((8, 32), nl.float32)
        back = turned[i, a + 2 * b + 4 * c + 8 * d + 16 * e]
        result[i, a + 2 * b + 4 * c + 8 * d + 16 * e] = nl.where(
            back > there,
            nl.maximum(nl.abs(back), there) - nl.floor(back),
            t[:, 3:4].reshape((8, 1, 1, 1, 1, 1)),
        )
        held = nl.zeros((8, 32), nl.float32)
        held[i, a + 2 * b + 4 * c + 8 * d + 16 * e] = nl.copy(back, mask=a + c + e < 2)
        joined = nisa.tensor_scalar(t.reshape((8, 2, 2, 2, 2, 2)), nl.multiply, 3.0).reshape((8, 32))
        return turned, result, held, joined

    def reversed_bits(values):
        return values.reshape(8, 2, 2, 2, 2, 2).transpose(0, 5, 4, 3, 2, 1).reshape(8, 32)

    a, c, e = (np.arange(32) >> shift & 1 for shift in (4, 2, 0))
    chosen = np.where(2 * x > x, np.maximum(np.abs(2 * x), x) - np.floor(2 * x), x[:, 3:4])
    left = np.where(a + c + e < 2, 2 * x, 0)
    expected = (reversed_bits(2 * x), reversed_bits(chosen), reversed_bits(left), 3 * x)
    for at, (found, wanted) in enumerate(zip(evaluate(body, x), expected)):
        assert np.array_equal(found, wanted), at
