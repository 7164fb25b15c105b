"""Indices, masks, loops and views."""

import numpy as np
import pytest
from nki_common import BF16, evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki


def test_basic_indices(rng):
    x = rng.normal(size=(100, 12, 10)).astype(np.float32)
    found = evaluate(
        lambda a: (
            a[:, 3],
            a[10:50, 2:9:3, 1],
            a[:, 1, 4],
            a[7],
            a[..., 2:4],
            a[nl.ds(3, 20), nl.ds(2, 2)],
            a[5:6, 0, 0],
            a[:][0:4],
        ),
        x,
    )
    expected = (
        x[:, 3],
        x[10:50, 2:9:3, 1],
        x[:, 1, 4:5],
        x[7:8],
        x[..., 2:4],
        x[3:23, 2:4],
        x[5:6, 0, 0:1],
        x[0:4],
    )
    for result, value in zip(found, expected):
        assert result.shape == value.shape and np.array_equal(result, value)


def test_integer_on_a_free_dimension_keeps_two():
    def body(a):
        column = a[:, 3]
        assert column.shape == (20, 1) and column[:, 0].shape == (20, 1) and a[4, 2].shape == (1, 1)
        return column[:, 0]

    x = np.arange(100, dtype=np.float32).reshape(20, 5)
    assert np.array_equal(evaluate(body, x), x[:, 3:4])


def test_affine_indices(rng):
    x = rng.normal(size=(64, 60)).astype(np.float32)
    i, j, k = nl.arange(20)[:, None, None], nl.arange(5)[None, :, None], nl.arange(4)[None, None, :]
    ip, iq = nl.mgrid[0:20, 3:9:2]
    found = evaluate(
        lambda a: (
            a[3 * i + 2, 12 * j + 3 * k + 1],
            a[i, 59 - 4 * j - k],
            a[ip, 7 * iq - 1],
            a[nl.arange(64)[:, None], 5],
            a[2, nl.arange(9)[None, :] * 6],
        ),
        x,
    )
    p, q, r = np.arange(20)[:, None, None], np.arange(5)[None, :, None], np.arange(4)[None, None, :]
    mp, mq = np.mgrid[0:20, 3:9:2]
    expected = (
        x[3 * p + 2, 12 * q + 3 * r + 1],
        x[p, 59 - 4 * q - r],
        x[mp, 7 * mq - 1],
        x[:, 5:6],
        x[2:3, 0:54:6],
    )
    for result, value in zip(found, expected):
        assert result.shape == value.shape and np.array_equal(result, value)


def test_one_index_for_two_dimensions(rng):
    x = rng.normal(size=(8, 60)).astype(np.float32)
    i, j, k = nl.arange(8)[:, None, None], nl.arange(5)[None, :, None], nl.arange(4)[None, None, :]
    p, d = nl.arange(8)[:, None], nl.arange(4)[None, :]
    assert np.array_equal(evaluate(lambda a: a[i, 10 * j + 3 * k][p, d, d], x), x[:, 0:52:13])


def test_indices_before_the_first_element_under_a_mask(rng):
    x = rng.normal(size=(20, 30)).astype(np.float32)
    i, j = nl.arange(20)[:, None], nl.arange(30)[None, :]

    def body(a):
        out = nl.zeros((20, 30), nl.float32)
        out[i, j] = nl.copy(a[i, j - 4], mask=j >= 4)
        return out

    expected = np.zeros_like(x)
    expected[:, 4:] = x[:, :-4]
    assert np.array_equal(evaluate(body, x), expected)


def test_writing_through_indices(rng):
    x = rng.normal(size=(6, 12)).astype(np.float32)
    i, j, k = nl.arange(6)[:, None, None], nl.arange(3)[None, :, None], nl.arange(4)[None, None, :]

    def body(a):
        out = nl.zeros((6, 12), nl.float32)
        out[i, k * 3 + j] = nl.copy(a[i, j * 4 + k])
        out[0:2, 11] = 5.0
        out[2:4, 0:3] = a[2:4, 1]
        return out

    expected = x.reshape(6, 3, 4).transpose(0, 2, 1).reshape(6, 12).copy()
    expected[0:2, 11] = 5
    expected[2:4, 0:3] = x[2:4, 1:2]
    assert np.array_equal(evaluate(body, x), expected)


def test_index_of_index(rng):
    x = rng.normal(size=(50, 40)).astype(np.float32)
    i, j = nl.arange(10)[:, None], nl.arange(6)[None, :]
    assert np.array_equal(
        evaluate(lambda a: a[10:50:2, 4:40:3][i * 2, j + 5][3:8, 1:5:2], x),
        x[10:50:2, 4:40:3][0:20:2, 5:11][3:8, 1:5:2],
    )


def test_blocks(rng):
    x = rng.normal(size=(2, 3, 20, 8)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        tiles = nl.ndarray((2, 3, nl.par_dim(20), 8), a.dtype)
        out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
        i, j = nl.mgrid[0:20, 0:8]
        for m in nl.affine_range(2):
            for n in nl.affine_range(3):
                if n:
                    tiles[m, n, i, j] = nl.load(a[m, n, i, j])
                else:
                    tiles[m, n] = nl.load(a[m, n])
        for m in nl.sequential_range(2):
            for n in nl.static_range(3):
                nl.store(out[m, n], tiles[m, n, :, :] * float(n))
        return out

    assert np.array_equal(kernel(x), x * np.arange(3, dtype=np.float32)[None, :, None, None])


def of_long_sums(values):
    """Bounds sums of 512 values in another order: twice sqrt(2 * 512) roundings of half a unit each."""
    return 2.0**-18 * np.abs(values).max() if values.shape[1] == 1 else 0


@pytest.mark.bound.with_args(of_long_sums)
@pytest.mark.parametrize(("rows", "columns"), [(128, 512), (100, 512), (128, 77), (1, 1), (37, 511)])
def test_masks(rng, rows, columns):
    x = rng.normal(size=(rows, columns)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out, total = (
            nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm),
            nl.ndarray((rows, 1), a.dtype, buffer=nl.shared_hbm),
        )
        i, j = nl.mgrid[0:128, 0:512]
        mask = (i < rows) & (j < columns)
        tile = nl.load(a[i, j], mask=mask)
        result = nl.multiply(tile, 2.0, mask=mask)
        sums = nl.sum(result, axis=1, mask=mask)
        nl.store(out[i, j], result, mask=mask)
        nl.store(total[nl.arange(128)[:, None], 0], sums, mask=nl.arange(128)[:, None] < rows)
        return out, total

    out, total = kernel(x)
    assert np.array_equal(out, x * 2)
    np.testing.assert_allclose(
        total, (x * 2).sum(axis=1, keepdims=True, dtype=np.float64), rtol=1e-4, atol=1e-4
    )


def test_mask_leaves_the_rest(rng):
    x = rng.normal(size=(16, 20)).astype(np.float32)
    i, j = nl.arange(16)[:, None], nl.arange(20)[None, :]

    def body(a):
        outs = [nl.full((16, 20), 7.0, nl.float32) for _ in range(6)]
        outs[0][i, j] = nl.copy(a, mask=i >= 3)
        outs[1][i, j] = nl.exp(a, mask=(j > 4) & (i <= 8) & (j <= 9))
        outs[2][...] = nl.add(a, 1.0, mask=i + j < 12)  # no box
        outs[3][...] = nl.add(a, 1.0, mask=j == 6)
        outs[4][...] = nl.add(a, 1.0, mask=j != 6)
        outs[5][...] = nl.add(a, 1.0, mask=False)
        return tuple(outs)

    p, q = np.arange(16)[:, None], np.arange(20)[None, :]
    held = [p >= 3, (q > 4) & (p <= 8) & (q <= 9), p + q < 12, q == 6, q != 6, q < 0]
    values = [x, np.exp(x), x + 1, x + 1, x + 1, x]
    for result, where, value in zip(evaluate(body, x), held, values):
        assert np.array_equal(result, np.where(np.broadcast_to(where, x.shape), value, np.float32(7)))


def test_mask_shrinks_instructions(rng):
    """bn_stats counts the elements that the mask leaves."""
    x = rng.normal(size=(8, 1000)).astype(np.float32)
    j = nl.arange(512)[None, :]
    stats = evaluate(lambda a: nisa.bn_stats(a[nl.arange(8)[:, None], 512 + j], mask=512 + j < 1000), x)
    assert (stats[:, 0] == 244).all() and (stats[:, 3] == 244).all()
    assert evaluate(
        lambda a: nisa.nc_matmul(a[0:8, 0:2], a[0:8, 0:3], mask=nl.arange(8)[:, None] < 5), x
    ) == pytest.approx(x[:5, :2].T @ x[:5, :3], rel=1e-5)


def test_masks_of_the_partitions_of_a_matmul(rng):
    """An index of nl.mgrid depends only on its own axis, whatever the sizes of the others."""
    a, b = rng.normal(size=(24, 10)).astype(np.float32), rng.normal(size=(24, 2, 7)).astype(np.float32)

    def body(t, u):
        i, m = nl.mgrid[0:24, 0:10]
        i2, x, y = nl.mgrid[0:24, 0:2, 0:7]
        return nisa.nc_matmul(t[i, m], u[i2, x, y], mask=i < 11), nisa.nc_matmul(
            t[i, m], u[i2, x, y], mask=i2 < 11
        )

    for found in evaluate(body, a, b):
        np.testing.assert_allclose(
            found.reshape(10, 14), a[:11].T @ b[:11].reshape(11, 14), rtol=1e-4, atol=1e-5
        )


def test_means_of_what_a_mask_leaves(rng):
    x = rng.normal(size=(8, 40)).astype(np.float32)
    j = nl.arange(40)[None, :]
    mean, var = evaluate(
        lambda a: (nl.mean(a, axis=1, mask=j < 25), nl.var(a, axis=1, mask=(j >= 5) & (j < 25))), x
    )
    np.testing.assert_allclose(mean[:, 0], x[:, :25].mean(axis=1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(var[:, 0], x[:, 5:25].var(axis=1), rtol=1e-4)


def test_reductions_of_what_a_triangular_mask_leaves(rng):
    """Each mean is over the elements that the mask leaves there."""
    x = rng.integers(-9, 9, (30, 3, 20)).astype(np.float32)
    i, j = nl.arange(30)[:, None], nl.arange(20)[None, :]
    k, _, n = nl.mgrid[0:30, 0:3, 0:20]
    flat, cube = (
        x[:, 0],
        np.where(np.add.outer(np.arange(30), np.zeros((3, 1), int) + np.arange(20)) >= 19, x, np.nan),
    )

    def body(a):
        one = a[:, 0, :]
        return (
            nl.mean(one, axis=1, mask=j <= i),
            nl.var(one, axis=1, mask=j <= i),
            nl.mean(a, axis=2, mask=k + n >= 19),
            nl.mean(a, axis=[1, 2], mask=k + n >= 19, keepdims=True),
            nisa.tensor_partition_reduce(np.add, one, mask=j <= i),
            nisa.tensor_partition_reduce(nl.max, one, mask=j <= i),
        )

    mean, var, means, whole, total, largest = evaluate(body, x)
    held = np.where(np.tri(30, 20, dtype=bool), flat, np.nan)
    np.testing.assert_allclose(mean[:, 0], np.nanmean(held, axis=1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(var[:, 0], np.nanvar(held, axis=1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(means, np.nanmean(cube, axis=2), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(whole, np.nanmean(cube, axis=(1, 2), keepdims=True), rtol=1e-4, atol=1e-6)
    assert np.array_equal(total[0], np.nansum(held, axis=0)) and np.array_equal(
        largest[0], np.nanmax(held, axis=0)
    )


def test_what_a_triangular_mask_leaves_out_of_a_reduction_is_not_assigned(rng):
    x = rng.integers(-9, 9, (30, 20)).astype(np.float32)
    i, j = nl.arange(30)[:, None], nl.arange(20)[None, :]

    def body(a):
        totals, means, sums = (
            nl.full((30, 1), 7.0, nl.float32),
            nl.full((30, 1), 7.0, nl.float32),
            nl.full((1, 20), 7.0, nl.float32),
        )
        totals[...] = nl.sum(a, axis=1, mask=i + j < 20)
        means[...] = nl.mean(a, axis=1, mask=j <= i - 4)
        sums[...] = nisa.tensor_partition_reduce(np.add, a, mask=i + j > 35)
        return totals, means, sums

    totals, means, sums = evaluate(body, x)
    above = np.add.outer(np.arange(30), np.arange(20)) < 20
    expected = np.where(above, x, 0).sum(axis=1)
    expected[20:] = 7
    assert np.array_equal(totals[:, 0], expected)
    below = np.tri(30, 20, -4, dtype=bool)
    shares = np.where(below, x, 0).sum(axis=1) / np.maximum(below.sum(axis=1), 1)
    shares[:4] = 7
    np.testing.assert_allclose(means[:, 0], shares, rtol=1e-5)
    beyond = np.where(np.add.outer(np.arange(30), np.arange(20)) > 35, x, 0).sum(axis=0)
    beyond[:7] = 7
    assert np.array_equal(sums[0], beyond)


def test_masks_as_indices(rng):
    a, b = rng.integers(-5, 5, (30, 40)).astype(np.float32), rng.integers(-5, 5, (30, 50)).astype(np.float32)
    j = nl.arange(40)[None, :]
    assert np.array_equal(evaluate(lambda s, v: nisa.nc_matmul(s[j <= 20], v), a, b), a[:, :21].T @ b)


def test_masks_of_loop_variables(rng):
    x = rng.normal(size=(4, 10)).astype(np.float32)

    def body(a):
        out = nl.zeros((4, 10), nl.float32)
        for k in nl.affine_range(5):
            for m in nl.affine_range(5):
                out[:, 2 * k] = nl.copy(a[:, 2 * m], mask=k >= m)
        return out

    expected = np.zeros_like(x)
    expected[:, 0::2] = x[:, 0::2]
    assert np.array_equal(evaluate(body, x), expected)


def test_loop_reduce(rng):
    x = rng.normal(size=(3, 4, 16, 10)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        outs = [
            nl.ndarray(shape, a.dtype, buffer=nl.shared_hbm)
            for shape in ((4, 16, 10), (4, 16, 10), (16, 10), (16, 10))
        ]
        sums, partial = (nl.ndarray((4, nl.par_dim(16), 10), a.dtype) for _ in range(2))
        largest = nl.ndarray((16, 10), a.dtype)
        for k in nl.affine_range(3):
            for m in nl.affine_range(4):
                tile = nl.load(a[k, m])
                sums[m] = nl.loop_reduce(tile, op=np.add, loop_indices=[k])
                partial[m] = nl.loop_reduce(
                    tile, op=np.add, loop_indices=(k,), mask=(k > 0) & (nl.arange(16)[:, None] < 5)
                )
                largest[...] = nl.loop_reduce(tile, op=nl.max, loop_indices=[k, m])
        for k in nl.affine_range(3):
            named = nl.loop_reduce(nl.load(a[k, 0]), op=np.add, loop_indices=k)
        for m in nl.affine_range(4):
            nl.store(outs[0][m], sums[m])
            nl.store(outs[1][m], partial[m])
        nl.store(outs[2], largest)
        nl.store(outs[3], named)
        return outs

    sums, partial, largest, named = kernel(x)
    np.testing.assert_allclose(sums, x.sum(axis=0), rtol=1e-5, atol=1e-6)
    expected = np.zeros((4, 16, 10), np.float32)
    expected[:, :5] = x[1:, :, :5].sum(axis=0)
    np.testing.assert_allclose(partial, expected, rtol=1e-5, atol=1e-6)
    assert np.array_equal(largest, x.max(axis=(0, 1)))
    np.testing.assert_allclose(named, x[:, 0].sum(axis=0), rtol=1e-5, atol=1e-6)


def test_loop_reduce_over_a_range_of_python(rng):
    """Numbers stand for loops as well; a loop that runs again begins its reduction again."""
    x = rng.normal(size=(2, 3, 4, 16, 10)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        sums = nl.ndarray((2, 4, 16, 10), a.dtype, buffer=nl.shared_hbm)
        largest = nl.ndarray((2, 16, 10), a.dtype, buffer=nl.shared_hbm)
        part, top = nl.ndarray((4, nl.par_dim(16), 10), a.dtype), nl.ndarray((16, 10), a.dtype)
        for n in range(2):
            for k in range(1, 4):
                for m in range(4):
                    tile = nl.load(a[n, k - 1, m])
                    part[m] = nl.loop_reduce(tile, op=np.add, loop_indices=[k])
                    top[...] = nl.loop_reduce(tile, op=nl.max, loop_indices=[k, m])
            for m in nl.affine_range(4):
                nl.store(sums[n, m], part[m])
            nl.store(largest[n], top)
        return sums, largest

    sums, largest = kernel(x)
    np.testing.assert_allclose(sums, x.sum(axis=1), rtol=1e-5, atol=1e-6)
    assert np.array_equal(largest, x.max(axis=(1, 2)))


def test_indirect_load_and_store(rng):
    x, at = rng.normal(size=(90, 12)).astype(np.float32), rng.permutation(90)[:40].astype(np.int32)
    i, j = nl.arange(40)[:, None], nl.arange(12)[None, :]

    @nki.jit(mode="simulation")
    def kernel(a, numbers):
        out, whole = (
            nl.ndarray((40, 12), a.dtype, buffer=nl.shared_hbm),
            nl.ndarray((90, 12), a.dtype, buffer=nl.shared_hbm),
        )
        index = nl.load(numbers[i])
        assert index.shape == (40, 1)
        nl.store(out, nl.load(a[index[i, 0], j]))
        nisa.dma_copy(dst=whole, src=a)
        doubled = nisa.iota(2 * i, dtype=nl.int32)
        nl.store(whole[doubled, j], nl.load(a[index, j]))
        nl.atomic_rmw(whole[index, j], value=nl.load(a[0:40, 0:12]), op=np.add)
        return out, whole

    out, whole = kernel(x, at)
    expected = x.copy()
    expected[0:80:2] = x[at]
    expected[at] += x[:40]
    assert np.array_equal(out, x[at]) and np.array_equal(whole, expected)


def test_indirect_blocks_and_sums_at_equal_indices(rng):
    x, at = rng.normal(size=(7, 20, 6)).astype(np.float32), np.array([[3]], np.int32)

    @nki.jit(mode="simulation")
    def kernel(a, number):
        out, total = (
            nl.ndarray((20, 6), a.dtype, buffer=nl.shared_hbm),
            nl.ndarray((4, 6), a.dtype, buffer=nl.shared_hbm),
        )
        i, j = nl.arange(20)[:, None], nl.arange(6)[None, :]
        nl.store(out, nl.load(a[nl.load(number)[0, 0], i, j]))
        nl.store(total, 0)
        same = nisa.memset((20, 1), 2, nl.int32)
        nl.atomic_rmw(total[same, j], nl.load(a[0]), np.add)
        return out, total

    out, total = kernel(x, at)
    assert np.array_equal(out, x[3])
    np.testing.assert_allclose(total[2], x[0].sum(axis=0), rtol=1e-5, atol=1e-5)
    assert (total[[0, 1, 3]] == 0).all()


def test_out_of_bounds_is_skipped(rng):
    x, at = rng.normal(size=(30, 5)).astype(np.float32), np.array([0, 40, 7, -1, 29, 30], np.int32)
    j = nl.arange(5)[None, :]

    @nki.jit(mode="simulation")
    def kernel(a, numbers):
        out, whole = (
            nl.ndarray((6, 5), a.dtype, buffer=nl.shared_hbm),
            nl.ndarray((30, 5), a.dtype, buffer=nl.shared_hbm),
        )
        index = nl.load(numbers)
        tile = nl.zeros((6, 5), a.dtype)
        nisa.dma_copy(dst=tile, src=a[index, j], oob_mode=nisa.oob_mode.skip)
        nl.store(out, tile)
        nl.store(whole, 0)
        nisa.dma_copy(dst=whole[index, j], src=nl.load(a[0:6]), oob_mode=nisa.oob_mode.skip)
        loaded = nl.load(a[index, j], mode=nisa.oob_mode.skip)
        assert loaded.shape == (6, 5)
        return out, whole

    out, whole = kernel(x, at)
    expected = np.zeros((6, 5), np.float32)
    expected[[0, 2, 4]] = x[[0, 7, 29]]
    scattered = np.zeros_like(x)
    scattered[[0, 7, 29]] = x[[0, 2, 4]]
    assert np.array_equal(out, expected) and np.array_equal(whole, scattered)


def test_views(rng):
    x = rng.normal(size=(12, 40)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out, bits, tail = (
            nl.ndarray((24, 20), a.dtype, buffer=nl.shared_hbm),
            nl.ndarray((12, 40), nl.uint32, buffer=nl.shared_hbm),
            nl.ndarray((12, 2), a.dtype, buffer=nl.shared_hbm),
        )
        nl.store(out, nl.load(a.reshape((24, 20))))
        tile = nl.load(a)
        nl.store(bits, tile.view(nl.uint32))
        assert tile.view(nl.uint16).shape == (12, 80) and tile.assert_shape((12, 40)) is tile
        nl.store(tail, tile.reshape((12, 2, 20))[:, :, 19])
        return out, bits, tail

    out, bits, tail = kernel(x)
    assert (
        np.array_equal(out, x.reshape(24, 20))
        and np.array_equal(bits, x.view(np.uint32))
        and np.array_equal(tail, x[:, 19::20])
    )


def test_view_of_narrower_types(rng):
    x = rng.integers(0, 2**16, (4, 6)).astype(np.uint16)
    assert np.array_equal(evaluate(lambda a: a.view(nl.bfloat16), x).view(np.uint16), x)
    assert BF16.itemsize == 2


def test_views_of_tensors_in_hbm(rng):
    """Views of the same and of other sizes, some beside the tensor itself, with indices from a tile,
    transposes and constants.
    """
    x, y = rng.normal(size=(12, 40)).astype(np.float32), rng.integers(-100, 100, (12, 8)).astype(np.int8)
    rows = rng.permutation(12)[:, None].astype(np.int32)

    @nki.jit(mode="simulation")
    def kernel(a, b, index):
        def stored(tile):
            out = nl.ndarray(tile.shape, tile.dtype, buffer=nl.shared_hbm)
            nl.store(out, tile)
            return out

        bits = stored(nl.load(a.view(nl.int32)))
        words = stored(nl.load(b.view(nl.int32)[2:9]))
        halves = stored(nl.load(a.view(nl.uint16)[:, 3:9]))
        gathered = stored(nl.load(a[nl.load(index), nl.arange(40)[None, :]]))
        turned = stored(nl.load_transpose2d(a[:, 0:8]))
        constant = nl.shared_constant(np.arange(6, dtype=np.float32).reshape(2, 3))
        fixed = stored(nl.load(constant.view(nl.uint8))), stored(nl.load(constant))
        inner = nl.ndarray((12, 8), nl.int8, buffer=nl.hbm)
        nl.store(inner.view(nl.int16), nl.load(b.view(nl.int16)))
        return bits, words, halves, gathered, turned, *fixed, stored(nl.load(inner))

    three = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = (
        x.view(np.int32),
        y.view(np.int32)[2:9],
        x.view(np.uint16)[:, 3:9],
        x[rows[:, 0]],
        x[:, 0:8].T,
        three.view(np.uint8),
        three,
        y,
    )
    for found, value in zip(kernel(x, y, rows), expected, strict=True):
        assert np.array_equal(found, value)


def test_views_of_parts(rng):
    """Views as a wider type: anywhere in HBM, and in a tile at multiples of the size.

    Rows of a partition may have any length.
    """
    x = rng.integers(0, 2**15, (4, 3, 5)).astype(np.int16)

    @nki.jit(mode="simulation")
    def kernel(a, b):
        outputs = [
            nl.ndarray(shape, nl.int32, buffer=nl.shared_hbm) for shape in ((4, 3, 2), (4, 1, 2), (3, 2))
        ]
        nl.store(outputs[0], nl.load(b[:, :, 1:5].view(nl.int32)))
        nl.store(outputs[1], nl.copy(nl.load(a)[:, 2:3, 0:4].view(nl.int32)))
        nl.store(outputs[2], nl.copy(nl.load(a[:, 1])[1:4, 0:4].view(nl.int32)))
        return tuple(outputs)

    parts = x[:, :, 1:5], x[:, 2:3, 0:4], x[1:4, 1, 0:4]
    for found, part in zip(kernel(x, x.copy()), parts):
        assert np.array_equal(found, np.ascontiguousarray(part).view(np.int32))


def test_views_of_parameters_that_are_written():
    @nki.jit(mode="simulation", kernel_return=False)
    def kernel(a):
        nl.store(a.view(nl.uint8)[:, 0:4], nl.load(a.view(nl.uint8)[:, 4:8]))
        nl.store(a.view(nl.int32)[:, 2:3], nl.load(a.view(nl.int32)[:, 1:2]))

    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    found = x.copy()
    kernel(found)
    assert np.array_equal(found, x[:, [1, 1, 1]])


def test_assignment_between_memories(rng):
    x = rng.normal(size=(20, 30)).astype(np.float32)

    def body(a):
        bank = nl.ndarray((20, 30), nl.float32, buffer=nl.psum)
        bank[...] = a
        bank += a
        bank[:, 0:5] += nl.copy(a[:, 0:5], mask=nl.arange(20)[:, None] < 4)
        half = nl.ndarray((20, 30), nl.bfloat16)
        half[...] = bank
        return bank, half

    expected = x + x
    expected[:4, :5] += x[:4, :5]
    bank, half = evaluate(body, x)
    assert np.array_equal(bank, expected) and np.array_equal(half, expected.astype(BF16))


def test_new_axes_beside_slices(rng):
    x = rng.normal(size=(12, 4, 10)).astype(np.float32)

    @nki.jit(mode="simulation")
    def kernel(a):
        out = nl.ndarray((4, 12, 1, 4, 5), nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(a)
        nl.store(out[0], tile[:, None, :, 2:7])
        nl.store(out[1, :, 0, :, :], tile[..., None, 5:][:, :, 0, :])
        nl.store(out[2, :, 0, :, 0], nl.load(a[:, None, 1, 0:4])[:, 0, :])
        nl.store(out[2, :, 0, :, 1:5], tile[:, :, ::3])
        nl.store(out[3, :, 0], nl.multiply(tile[:, 0, 0:4][:, :, None], tile[:, 1, 0:5][:, None, :]))
        return out

    found = kernel(x)
    assert np.array_equal(found[0, :, 0], x[:, :, 2:7]) and np.array_equal(found[1, :, 0], x[:, :, 5:])
    assert np.array_equal(found[2, :, 0, :, 0], x[:, 1, :4]) and np.array_equal(
        found[2, :, 0, :, 1:], x[:, :, ::3]
    )
    assert np.array_equal(found[3, :, 0], x[:, 0, :4, None] * x[:, 1, None, :5])


def test_a_size_that_is_left_to_reshape(rng):
    x = rng.normal(size=(6, 4, 10)).astype(np.float32)
    assert np.array_equal(evaluate(lambda a: nl.copy(a.reshape((6, -1))), x), x.reshape(6, 40))
    assert np.array_equal(evaluate(lambda a: nl.copy(a.reshape((-1, 5, 8))), x), x.reshape(6, 5, 8))


def test_indices_of_last_dimensions_of_size_1_may_be_left_out(rng):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray((4, 6), x.dtype, buffer=nl.shared_hbm)
        p, f = nl.arange(4)[:, None], nl.arange(6)[None, :]
        nl.store(y, nl.load(x[6 * p + f]))
        return y

    x = rng.normal(size=(24, 1)).astype(np.float32)
    assert np.array_equal(kernel(x), x.reshape(4, 6))
