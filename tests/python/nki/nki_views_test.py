"""Results that are written elsewhere in another order, or in part."""

import numpy as np
import pytest
from nki_common import evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

F32 = np.float32


@pytest.mark.parametrize(
    ("made", "factor"),
    [
        (nl.negative, -1),
        (lambda t: nl.add(t, t), 2),
        (nl.copy, 1),
        (lambda t: nisa.nc_transpose(nisa.nc_transpose(t)), 1),
    ],
)
def test_views_of_results_keep_their_order(rng, made, factor):
    def body(a):
        i, x, y = nl.mgrid[0:8, 0:6, 0:5]
        deinterleaved = nl.ndarray((8, 30), a.dtype)
        p, q = nl.mgrid[0:8, 0:15]
        first, second = made(a), made(a)
        for parity in range(2):
            deinterleaved[p, 15 * parity + q] = nl.copy((first, second)[parity][p, 2 * q + parity])
        column = nl.ndarray((8, 30), a.dtype)
        column[...] = made(a)[:, 3:4].broadcast_to((8, 30))
        return (
            nl.copy(made(a)[i, 6 * y + x]),
            nl.copy(made(a)[:, 0:1].broadcast_to((8, 30))),
            nl.copy(made(a)[0:1, :].broadcast_to((8, 30))),
            nisa.tensor_copy(made(a)[i, 5 * x + y]),
            deinterleaved,
            column,
        )

    a = rng.integers(-9, 9, (8, 30)).astype(F32)
    values = factor * a
    expected = (
        values.reshape(8, 5, 6).swapaxes(1, 2),
        np.broadcast_to(values[:, :1], a.shape),
        np.broadcast_to(values[:1], a.shape),
        values.reshape(8, 6, 5),
        np.concatenate([values[:, ::2], values[:, 1::2]], axis=1),
        np.broadcast_to(values[:, 3:4], a.shape),
    )
    for at, (found, wanted) in enumerate(zip(evaluate(body, a), expected)):
        assert np.array_equal(found, wanted), at


def test_what_a_mask_leaves_out_of_an_update_stays(rng):
    sources = [(7 * k + 3) % 32 for k in range(32)]
    sources[4] = 255

    def body(a, b, chosen):
        i, j = nl.mgrid[0:32, 0:12]
        predicated, shuffled, stripes, reduced = (
            nl.copy(b),
            nl.copy(b),
            nl.copy(b),
            nl.ndarray(b.shape, b.dtype, buffer=nl.shared_hbm),
        )
        nisa.tensor_copy_predicated(src=a[i, j], dst=predicated[i, j], predicate=chosen[i, j], mask=j <= i)
        nisa.nc_stream_shuffle(a[i, j], shuffled[i, j], sources, mask=j < 3)
        nisa.nc_stream_shuffle(a[i, j], stripes[i, j], sources, mask=i < 20)
        nl.store(reduced, b)
        nisa.dma_copy(dst=reduced[i, j], src=a[i, j], mask=j <= i, dst_rmw_op=np.add)
        bank = nl.zeros((32, 12), nl.float32, buffer=nl.psum)
        bank[i, j] += nl.copy(a[i, j], mask=j <= i)
        return predicated, shuffled, stripes, nl.load(reduced), bank

    a, b = rng.integers(-9, 9, (2, 32, 12)).astype(F32)
    chosen = (rng.random((32, 12)) < 0.5).astype(np.uint8)
    i, j = np.mgrid[0:32, 0:12]
    moved = np.where(np.arange(32)[:, None] == 4, b, a[[source % 32 for source in sources]])
    expected = (
        np.where((chosen != 0) & (j <= i), a, b),
        np.where(j < 3, moved, b),
        np.where(i < 20, moved, b),
        np.where(j <= i, a + b, b),
        np.where(j <= i, a, 0),
    )
    for at, (found, wanted) in enumerate(zip(evaluate(body, a, b, chosen), expected)):
        assert np.array_equal(found, wanted), at


def test_reductions_assign_the_partitions_of_their_mask(rng):
    def body(a):
        i, j = nl.mgrid[0:16, 0:12]
        largest, total = nl.full((16, 1), 100.0, a.dtype), nl.full((16, 1), 100.0, a.dtype)
        largest[...] = nl.max(a[i, j], axis=1, mask=(j <= i) & (i > 3))
        total[...] = nl.sum(a[i, j], axis=1, mask=(j <= i) & (i < 12))
        return largest, total

    a = rng.integers(-9, 9, (16, 12)).astype(F32)
    held, rows = np.tri(16, 12, dtype=bool), np.arange(16)[:, None]
    largest, total = evaluate(body, a)
    assert np.array_equal(largest, np.where(rows > 3, np.where(held, a, -99).max(axis=1, keepdims=True), 100))
    assert np.array_equal(total, np.where(rows < 12, np.where(held, a, 0).sum(axis=1, keepdims=True), 100))


@pytest.mark.parametrize("dtype", [nl.uint32, nl.int8])
def test_views_of_tensors_with_blocks(rng, dtype):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray((3, 16, 5 * 4 // np.dtype(dtype).itemsize), dtype, buffer=nl.shared_hbm)
        tiles = nl.ndarray((3, nl.par_dim(16), 5), nl.float32, buffer=nl.sbuf)
        for i in range(3):
            tiles[i] = nl.load(x[i])
        seen = tiles.view(dtype)
        for i in range(3):
            nl.store(y[i, 0:16, :], seen[i, :16, :])
        return y

    x = rng.normal(size=(3, 16, 5)).astype(np.float32)
    assert np.array_equal(kernel(x), x.view(dtype))
