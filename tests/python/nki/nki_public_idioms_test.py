"""Idioms of public kernels that the reference does not describe."""

import functools

import numpy as np
import pytest
from nki_common import evaluate

import trnsim.nki.compiler as ncc
import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
import trnsim.nki.typing as nt
from trnsim import nki

F32 = np.float32


@pytest.mark.parametrize("buffer", [nl.hbm, nl.private_hbm, nl.shared_hbm])
@pytest.mark.parametrize("shape", [(4, 6), (2, 12)])
def test_what_is_returned_lies_in_any_hbm(rng, buffer, shape):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray(x.shape, x.dtype, buffer=buffer)
        nl.store(y, nl.load(x))
        return y.reshape(shape)

    x = rng.normal(size=(4, 6)).astype(F32)
    assert np.array_equal(kernel(x), x.reshape(shape))


def test_arrays_of_bool(rng):
    @nki.jit(mode="simulation")
    def kernel(held, x):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(y, nl.where(nl.load(held), nl.load(x), 0.0))
        return y

    held, x = rng.random((8, 12)) < 0.5, rng.normal(size=(8, 12)).astype(F32)
    assert np.array_equal(kernel(held, x), np.where(held, x, 0))


def test_affine_select_and_matmul_of_psum(rng):
    def body(a, b):
        i, j = nl.mgrid[0:32, 0:32]
        product = nisa.nc_matmul(nisa.nc_transpose(a), b)
        return nisa.affine_select(i >= j, product, -1.0, dtype=nl.float32)

    a, b = (rng.integers(-3, 4, (32, 32)).astype(F32) for _ in "ab")
    assert np.array_equal(evaluate(body, a, b), np.where(np.tri(32) > 0, a @ b, -1))


def test_parameters_that_are_written(rng):
    @nki.jit(mode="simulation")
    def annotated(x, y: nt.tensor[nt.mutable]):
        assert isinstance(x, nt.tensor) and not isinstance(x.shape, nt.tensor)
        nl.store(y, nl.load(x))
        return y

    @nki.jit(mode="simulation", kernel_return=False)
    def old(x, y):
        nl.store(y, nl.load(x))

    x, y = rng.normal(size=(4, 6)).astype(F32), np.zeros((4, 6), F32)
    assert np.array_equal(annotated(x, np.zeros_like(x)), x)
    old(x, y)
    assert np.array_equal(x, y)


def test_masks_of_several_dimensions(rng):
    """Windows at the edge of an image: indices are out of bounds where the mask does not hold."""

    def body(a):
        c, h, w = a.shape
        i = [
            nl.arange(n)[tuple(slice(None) if k == axis else None for k in range(5))]
            for axis, n in enumerate((c, 4, 4, 3, 3))
        ]
        rows, columns = 2 * i[1] - 1 + i[3], 2 * i[2] - 1 + i[4]
        inside = (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
        everywhere = 2 * i[1] + i[3] >= 0
        copied = nl.zeros((c, 4, 4, 3, 3), nl.float32)
        copied[...] = nl.copy(a[i[0], rows, columns], mask=inside)
        window = a[i[0], rows, columns]
        return (
            nl.max(window, axis=[3, 4], mask=inside),
            nl.sum(window, axis=[3, 4], mask=inside & everywhere),
            copied,
        )

    x = rng.integers(-9, 9, (5, 7, 8)).astype(F32)
    edge = np.pad(x, ((0, 0), (1, 1), (1, 1)), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(edge, (3, 3), axis=(1, 2))[:, ::2, ::2][:, :4, :4]
    largest, total, copied = evaluate(body, x)
    assert np.array_equal(largest, np.nanmax(windows, axis=(3, 4)))
    assert np.array_equal(total, np.nansum(windows, axis=(3, 4)))
    assert np.array_equal(copied, np.nan_to_num(windows))


def test_sums_in_psum_that_nothing_has_zeroed(rng):
    def body(a, b):
        for _ in range(2):  # the second tensor holds nothing of the first
            total = nl.ndarray((2, nl.par_dim(16), 24), nl.float32, buffer=nl.psum)
            for half in nl.affine_range(2):
                for k in nl.affine_range(4):
                    rows = slice(16 * k, 16 * k + 16)
                    total[half] += nisa.nc_matmul(a[:, rows], b[:, 24 * half : 24 * half + 24])
        return nl.copy(total[0]), nl.copy(total[1])

    a, b = rng.integers(-3, 4, (32, 64)).astype(F32), rng.integers(-3, 4, (32, 48)).astype(F32)
    expected = sum(a[:, 16 * k : 16 * k + 16].T for k in range(4)) @ b
    left, right = evaluate(body, a, b)
    assert np.array_equal(left, expected[:, :24]) and np.array_equal(right, expected[:, 24:])


def test_tensor_tensor_repeats_free_dimensions_of_size_1(rng):
    def body(a, b):
        return nisa.tensor_tensor(a, nl.max(a, axis=1), op=nl.equal), nisa.tensor_tensor(
            b, a.reshape((16, 1, 8)), op=nl.subtract
        )

    a, b = rng.normal(size=(16, 8)).astype(F32), rng.normal(size=(16, 3, 1)).astype(F32)
    equal, difference = evaluate(body, a, b)
    assert np.array_equal(equal, a == a.max(axis=1, keepdims=True)) and np.array_equal(
        difference, b - a[:, None]
    )


def test_an_element_of_a_tile_beside_slices(rng):
    @nki.jit(mode="simulation")
    def kernel(w, x, chosen):
        experts = nl.load(chosen.reshape((1, 3)))
        y = nl.ndarray((3, *w.shape[1:]), w.dtype, buffer=nl.shared_hbm)
        z = nl.ndarray((3, 2, x.shape[1]), x.dtype, buffer=nl.shared_hbm)
        for at in nl.static_range(3):
            nl.store(y[at], nl.load(w[experts[0, at], :, :]))
            nl.store(z[at], nl.load(x[experts[0, at] + 1, nl.ds(0, 8)]).broadcast_to((2, 8)))
        return y, z

    w, x, chosen = (
        rng.normal(size=(6, 16, 12)).astype(F32),
        rng.normal(size=(8, 8)).astype(F32),
        np.array([4, 0, 5], np.int32),
    )
    y, z = kernel(w, x, chosen)
    assert np.array_equal(y, w[chosen]) and np.array_equal(z, np.repeat(x[chosen + 1][:, None], 2, axis=1))


def test_kernel_as_method():
    class Scaled:
        factor = 3.0

        @nki.jit(mode="simulation")
        def kernel(self, x):
            y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
            nl.store(y, nl.load(x) * self.factor)
            return y

    assert (Scaled().kernel(np.ones((2, 3), F32)) == 3).all()
    assert (nki.simulate_kernel(Scaled().kernel, x=np.ones((2, 3), F32)) == 3).all()


def test_placement_by_name(rng):
    def at(banks, idx, pdim_size, fdim_size):
        assert (pdim_size, fdim_size) == (16, 96)
        return banks[idx], 0, 0

    def body(a, b):
        def sbuf(byte):
            return ncc.sbuf.mod_alloc(base_addr=byte)

        left = nl.ndarray((nl.par_dim(32), 16), a.dtype, buffer=sbuf(0))
        right = nl.ndarray((nl.par_dim(32), 24), a.dtype, buffer=sbuf(64))
        product = nl.ndarray(
            (1, nl.par_dim(16), 24), nl.float32, buffer=ncc.psum.alloc(functools.partial(at, banks={(0,): 3}))
        )
        left[...] = nl.copy(a)
        right[...] = nl.copy(b)
        product[0] = nisa.nc_matmul(left, right)
        return nl.copy(product[0])

    a, b = rng.integers(-3, 4, (32, 16)).astype(F32), rng.integers(-3, 4, (32, 24)).astype(F32)
    assert np.array_equal(evaluate(body, a, b), a.T @ b)


def test_indices_of_mgrid_take_the_axes_that_they_use(rng):
    def body(a):
        rows, columns = nl.mgrid[0:16, 0:40]
        _, few = nl.mgrid[0:1, 0:8]
        total = nl.ndarray((16, 2), nl.float32)
        scaled = nisa.tensor_scalar_reduce(
            data=a[rows, 4 + few], op0=np.multiply, operand0=2.0, reduce_op=np.add, reduce_res=total[rows, 1]
        )
        assert scaled.shape == (16, 8) and a[rows, 0].shape == (16, 1)
        total[rows, 0] = nl.sum(a[rows, columns], axis=1, mask=(rows < 16) & (columns < 40))
        return total

    a = rng.integers(-9, 9, (16, 40)).astype(F32)
    assert np.array_equal(evaluate(body, a), np.stack((a.sum(axis=1), 2 * a[:, 4:12].sum(axis=1)), axis=1))


def test_sizes_of_types():
    assert [nl.constants.sizeinbytes(dtype) for dtype in (nl.bfloat16, np.int8, "float32")] == [2, 1, 4]
    assert nl.constants.tile_size.pmax == 128


def test_a_tile_of_one_dimension_is_an_element_a_partition(rng):
    @nki.jit(mode="simulation")
    def kernel(x, bias):
        y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        held = nl.ndarray((nl.par_dim(bias.shape[0]),), bias.dtype, buffer=nl.sbuf)
        held[...] = nl.load(bias)
        nl.store(y, nisa.tensor_scalar(nl.load(x), nl.add, held))
        return y

    x, bias = rng.normal(size=(20, 6)).astype(F32), rng.normal(size=20).astype(F32)
    assert np.array_equal(kernel(x, bias), x + bias[:, None])


@pytest.mark.parametrize("written_first", [True, False])
def test_an_array_that_is_two_parameters_is_two_tensors(rng, written_first):
    def write(out, a):
        nl.store(out[0:4], nl.load(a[4:8]))
        nl.store(out[4:8], nl.load(a[0:4]))

    def kernel(x: nt.mutable_tensor, y: nt.mutable_tensor):
        write(x, y) if written_first else write(y, x)
        return x if written_first else y

    x = rng.normal(size=(8, 6)).astype(F32)
    before = x.copy()
    nki.jit(kernel, mode="simulation")(x, x)
    assert np.array_equal(x, np.concatenate([before[4:], before[:4]]))


def test_a_column_is_stored_as_a_row(rng):
    @nki.jit(mode="simulation")
    def kernel(x, at):
        row = nl.ndarray((1, 16), x.dtype, buffer=nl.shared_hbm)
        rows = nl.ndarray((3, 20), x.dtype, buffer=nl.shared_hbm)
        planes = nl.ndarray((5, 16), x.dtype, buffer=nl.shared_hbm)
        for tensor in (rows, planes):
            nl.store(tensor, nl.zeros(tensor.shape, x.dtype))
        column = nl.multiply(nl.load(x), 2.0)
        nl.store(row, column)
        nl.store(rows[1:2, 0:16], column, mask=nl.arange(16)[None, :] < 11)
        index = nl.load(at)
        nl.store(planes[index[0, 0], :], column)
        return row, rows, planes

    x = rng.normal(size=(16, 1)).astype(F32)
    row, rows, planes = kernel(x, np.array([[3]], np.int32))
    assert np.array_equal(row, 2 * x.T)
    assert np.array_equal(rows, np.pad(2 * x.T[:, :11], ((1, 1), (0, 9))))
    assert np.array_equal(planes, np.pad(2 * x.T, ((3, 1), (0, 0))))


def test_tensor_tensor_broadcasts_where_the_counts_are_equal(rng):
    def body(a, b):
        return nisa.tensor_tensor(a.reshape((8, 1, 4)), b.reshape((8, 4, 1)), nl.less, dtype=nl.float32)

    a, b = (rng.normal(size=(8, 4)).astype(F32) for _ in "ab")
    assert np.array_equal(evaluate(body, a, b), a[:, None, :] < b[:, :, None])


@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum])
def test_a_predicate_of_loop_variables_as_a_condition(rng, buffer):
    """The compiler takes such a condition for true."""

    def body(a):
        out = nl.ndarray((3, nl.par_dim(16), 8), nl.float32, buffer=nl.sbuf)
        p, f = nl.arange(16)[:, None], nl.arange(8)[None, :]
        held = p < 12
        for j in nl.affine_range(3):
            for i in nl.affine_range(3):
                below = i * 16 >= j * 16
                part = nl.multiply(a[p, 8 * i + f], 2.0, mask=below, buffer=buffer)
                out[j, p, f] = nl.loop_reduce(
                    part, op=np.add, loop_indices=(i,), mask=(below & held if below else held)
                )
        return tuple(nl.copy(out[j, p, f]) for j in range(3))

    a = rng.integers(-9, 9, (16, 24)).astype(F32)
    parts = 2 * a.reshape(16, 3, 8) * (np.arange(16) < 12)[:, None, None]
    for j, found in enumerate(evaluate(body, a)):
        assert np.array_equal(found, parts[:, j:].sum(axis=1))


def test_names_of_masks_and_indices_begin_each_iteration_as_before_the_loop(rng):
    """The compiler traces a body once."""

    @nki.jit(mode="simulation")
    def kernel(a):
        y = nl.ndarray((2, 16, 40), a.dtype, buffer=nl.shared_hbm)
        mask, columns = None, nl.arange(8)[None, :]
        p = nl.arange(16)[:, None]
        for n in nl.affine_range(2):
            nl.store(y[n], nl.zeros((16, 40), a.dtype))
            for j in nl.affine_range(4):
                mask = (j < 2) if mask is None else mask & (j < 2)
                columns = columns + 8 * j
                nl.store(y[n, p, columns], nl.load(a[p, columns], mask=mask), mask=mask)
                p = nl.arange(3)[:, None]
        assert mask is None and columns.offset == 0 and p.shape == (16, 1)
        return y

    a = rng.normal(size=(16, 40)).astype(F32)
    expected = np.pad(a[:, :16], ((0, 0), (0, 24)))
    assert np.array_equal(kernel(a), np.stack((expected, expected)))


@pytest.mark.parametrize("dtype", [nl.float32, nl.bfloat16])
def test_a_load_that_leaves_rows_out_leaves_them_in_its_destination(rng, dtype):
    @nki.jit(mode="simulation")
    def kernel(table, at):
        y = nl.ndarray((16, 8), table.dtype, buffer=nl.shared_hbm)
        z = nl.ndarray((16, 8), table.dtype, buffer=nl.shared_hbm)
        index, p, f = nl.load(at), nl.arange(16)[:, None], nl.arange(8)[None, :]
        rows = nl.full((nl.par_dim(16), 8), 5.0, dtype=table.dtype, buffer=nl.sbuf)
        rows[p, f] = nl.load(table[index[p, 0], f], mode=nisa.oob_mode.skip)
        nl.store(y, rows)
        part = nl.full((nl.par_dim(16), 8), 5.0, dtype=table.dtype, buffer=nl.sbuf)
        part[p, f] = nl.load(table[index[p, 0], f], mask=p < 9, mode=nisa.oob_mode.skip)
        nl.store(z, part)
        return y, z

    table = rng.integers(-9, 9, (6, 8)).astype(dtype)
    at = rng.integers(0, 12, (16, 1)).astype(np.int32)
    expected = np.where(at < 6, table[np.minimum(at[:, 0], 5)].astype(F32), 5)
    y, z = kernel(table, at)
    assert np.array_equal(y.astype(F32), expected)
    assert np.array_equal(z.astype(F32), np.where(np.arange(16)[:, None] < 9, expected, 5))


@pytest.mark.parametrize(
    ("integers", "floats"),
    [(np.uint32, nl.float32), (np.int32, nl.float32), (np.uint16, nl.bfloat16), (np.int16, nl.float16)],
)
def test_transposes_of_integers_seen_as_floats_keep_their_bits(rng, integers, floats):
    """Kernels of paged attention index in this way."""

    @nki.jit(mode="simulation")
    def kernel(x, one):
        y = nl.ndarray(x.shape[::-1], x.dtype, buffer=nl.shared_hbm)
        z = nl.ndarray(x.shape[::-1], x.dtype, buffer=nl.shared_hbm)
        seen = nl.load(x).view(floats)
        turned = nl.ndarray(x.shape[::-1], floats, buffer=nl.sbuf)
        turned[...] = nl.copy(nisa.nc_transpose(seen))
        nl.store(y, turned.view(x.dtype))
        nl.store(z, nl.transpose(nl.copy(seen)).view(x.dtype))
        product = nisa.nc_matmul(seen, nl.load(one), is_moving_onezero=True, is_transpose=True)
        nl.store(y, nl.copy(product, dtype=floats).view(x.dtype))
        return y, z

    info = np.iinfo(integers)
    x = rng.integers(info.min, info.max, (40, 70), integers, endpoint=True)
    x[:, ::2] = rng.integers(0, 999, (40, 35))
    for found in kernel(x, np.eye(40, dtype=F32)):
        assert np.array_equal(found, x.T)


@pytest.mark.parametrize(
    ("integers", "floats"),
    [(np.uint32, nl.float32), (np.uint16, nl.bfloat16), (np.uint16, nl.float16), (np.uint8, nl.float8_e5m2)],
)
def test_copies_of_integers_seen_as_floats_keep_their_bits(rng, integers, floats):
    """Any engine copies them, whichever has had less to do, and wherever the bits have been."""

    def body(x):
        seen, found = x.view(floats), []
        written = nl.ndarray(x.shape, floats)
        written.view(x.dtype)[...] = x
        private = nl.ndarray(x.shape, floats, buffer=nl.private_hbm)
        nl.store(private, seen)
        chosen = nl.where(x > 5, seen, seen)
        i, j = nl.mgrid[0 : x.shape[0], 0 : x.shape[1]]
        for source in (seen, written, nl.load(private), chosen):
            for _ in range(2):
                copied, again, masked = (nl.ndarray(x.shape, floats) for _ in range(3))
                copied[...] = source
                again[...] = copied
                masked[...] = source
                masked[i, j] = nl.copy(copied[i, j], mask=j <= i)
                found += [
                    copied.view(x.dtype),
                    again.view(x.dtype),
                    masked.view(x.dtype),
                    nl.copy(source).view(x.dtype),
                ]
        return tuple(found)

    x = rng.integers(0, np.iinfo(integers).max, (5, 8), integers, endpoint=True)
    x[:, :2] = [1, 22]
    for at, found in enumerate(evaluate(body, x)):
        assert np.array_equal(found, x), at


def test_masks_of_free_dimensions_of_a_matmul(rng):
    """Its own mask is one of the moving operand's columns; with masks of operands results are as large as
    without.
    """

    def body(a, b):
        p, i, j = nl.arange(24)[:, None], nl.arange(16)[None, :], nl.arange(32)[None, :]
        acc = nl.zeros((nl.par_dim(16), 64), nl.float32, buffer=nl.psum)
        own = nl.zeros((nl.par_dim(16), 32), nl.float32, buffer=nl.psum)
        both = nl.zeros((nl.par_dim(16), 32), nl.float32, buffer=nl.psum)
        for t in nl.affine_range(2):
            acc[:, 32 * t : 32 * t + 32] += nisa.nc_matmul(a[p, i], b[p, j + 32 * t], mask=j + 32 * t < 45)
        own[0:16, 0:32] += nisa.nc_matmul(a[p, i][i < 11], b[p, j], mask=(i < 11))
        both[0:16, 0:32] += nisa.nc_matmul(a[p, i][i < 9], b[p, j][(j < 30) & (p < 20)])
        both[0:16, 0:32] += nisa.nc_matmul(a[p, i][p >= 20], b[p, j][j < 30], mask=j < 32)
        copied = nl.zeros((nl.par_dim(24), 16), nl.float32)
        copied[0:24, 0:16] = nl.copy(a[p, i][p < 5])
        return nl.copy(acc), nl.copy(own), nl.copy(both), copied

    a, b = rng.integers(-4, 5, (24, 16)).astype(F32), rng.integers(-4, 5, (24, 64)).astype(F32)
    acc, own, both, copied = evaluate(body, a, b)
    rows, columns = np.arange(16)[:, None], np.arange(64)
    product = a.T @ b
    assert np.array_equal(acc, product * (columns < 45))
    assert np.array_equal(own, product[:, :32] * (rows < 11))
    first, second = a[:20].T @ b[:20, :32] * (rows < 9), a[20:].T @ b[20:, :32]
    assert np.array_equal(both, (first + second) * (columns[:32] < 30))
    assert np.array_equal(copied, a * (np.arange(24) < 5)[:, None])


def test_where_of_indices(rng):
    def body(a, b):
        p, f = nl.arange(24)[:, None], nl.arange(24)[None, :]
        return (
            nl.where(p < 20, a, b),
            nl.where(p >= f, a, -1.0),
            nl.where((p < 3) & (f >= 5), 2.0, a),
            nl.where(p < 99, a, b),
        )

    a, b = (rng.normal(size=(24, 24)).astype(F32) for _ in "ab")
    p, f = np.mgrid[0:24, 0:24]
    expected = np.where(p < 20, a, b), np.where(p >= f, a, -1), np.where((p < 3) & (f >= 5), 2, a), a
    for found, wanted in zip(evaluate(body, a, b), expected):
        assert np.array_equal(found, wanted.astype(F32))


def test_tensor_reduce_over_any_free_dimension(rng):
    def body(a):
        cube = a.reshape((12, 5, 6))
        return (
            nisa.tensor_reduce(nl.max, cube, axis=(1,)),
            nisa.tensor_reduce(nl.add, cube, axis=[2]),
            nisa.tensor_reduce(nl.min, cube, axis=[1, 2]),
        )

    a = rng.integers(-99, 99, (12, 30)).astype(F32)
    cube = a.reshape(12, 5, 6)
    largest, total, least = evaluate(body, a)
    assert np.array_equal(largest, cube.max(axis=1)) and np.array_equal(total, cube.sum(axis=2))
    assert np.array_equal(least, cube.min(axis=(1, 2))[:, None])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_matmuls_of_integers_of_8_bits(rng, dtype):
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray(x.shape[::-1], x.dtype, buffer=nl.shared_hbm)
        one = nl.load(nl.shared_identity_matrix(x.shape[0]))
        nl.store(y, nl.copy(nisa.nc_matmul(nl.load(x), one, is_transpose=True), dtype=x.dtype))
        return y

    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, (40, 70), dtype, endpoint=True)
    assert np.array_equal(kernel(x), x.T)


def test_a_column_as_index_beside_slices(rng):
    @nki.jit(mode="simulation")
    def kernel(table, cube, at):
        rows = nl.ndarray((20, 8), table.dtype, buffer=nl.shared_hbm)
        planes = nl.ndarray((20, 3, 4), table.dtype, buffer=nl.shared_hbm)
        back = nl.ndarray((64, 8), table.dtype, buffer=nl.shared_hbm)
        index = nl.load(at)
        nl.store(back, nl.zeros((64, 8), table.dtype))
        nl.store(rows, nl.load(table[index]))
        nl.store(planes, nl.load(cube[index, :, 1:5]))
        nl.store(back[index, :], nl.load(table[index, 0:8]))
        return rows, planes, back

    table, cube = rng.normal(size=(64, 8)).astype(F32), rng.normal(size=(64, 3, 6)).astype(F32)
    at = rng.permutation(64)[:20].astype(np.int32)
    rows, planes, back = kernel(table, cube, at[:, None])
    assert np.array_equal(rows, table[at]) and np.array_equal(planes, cube[at][:, :, 1:5])
    assert np.array_equal(back[at], table[at]) and back.any(axis=1).sum() == 20


def test_what_the_stack_allocator_places_lies_beside_what_the_kernel_places(rng):
    @ncc.enable_stack_allocator
    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray((32, 32), x.dtype, buffer=nl.shared_hbm)
        tile = nl.load(x)
        placed = nl.zeros(
            (nl.par_dim(32), 32), nl.float32, lazy_initialization=True, buffer=ncc.psum.mod_alloc(base_bank=2)
        )
        other = nl.zeros((nl.par_dim(32), 32), nl.float32, buffer=nl.psum)
        kept = nl.ndarray((nl.par_dim(32), 32), nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
        placed += nisa.nc_matmul(tile, tile)
        other += nisa.nc_matmul(tile, tile)
        kept[...] = nl.copy(placed)
        nl.store(y, nl.add(kept, nl.copy(other)))
        return y

    x = rng.integers(-4, 5, (40, 32)).astype(F32)
    assert np.array_equal(kernel(x), 2 * x.T @ x)


def test_tiles_that_fit_only_in_an_order_of_sizes(rng):
    """Small tensors that stay lie between large ones that go, as they are placed in turn."""

    @nki.jit(mode="simulation")
    def kernel(x):
        y = nl.ndarray((7, 4, 9000), x.dtype, buffer=nl.shared_hbm)
        kept = []
        for i in range(6):
            large = nl.load(x[i])
            kept.append(nl.copy(large[:, 0:700]))
            nl.store(y[i], nl.add(large, 1.0))
        whole = nl.ndarray((4, 36000), x.dtype, buffer=nl.sbuf)
        for i in range(4):
            whole[:, 9000 * i : 9000 * (i + 1)] = nl.load(x[i])
        nl.store(y[6], nl.add(whole[:, 0:9000], whole[:, 27000:36000]))
        for i, tile in enumerate(kept):
            nl.store(y[i, :, 0:700], tile)
        return y

    x = rng.integers(-99, 99, (6, 4, 9000)).astype(F32)
    expected = np.concatenate((x + 1, (x[0] + x[3])[None]))
    expected[:6, :, :700] = x[:, :, :700]
    assert np.array_equal(kernel(x), expected)


def test_what_is_made_of_a_masked_load_is_assigned_where_the_mask_holds(rng):
    def body(a):
        p, f = nl.arange(16)[:, None], nl.arange(12)[None, :]
        out = nl.zeros((nl.par_dim(16), 12), nl.float32)
        out[p, f] = nl.negative(nl.copy(a[p, f], mask=p < 9) * 2.0)
        return out

    a = rng.normal(size=(16, 12)).astype(F32)
    assert np.array_equal(evaluate(body, a), np.where(np.arange(16)[:, None] < 9, -2 * a, 0))


@pytest.mark.parametrize("how", ["assignment", "in place", "copy", "view"])
def test_a_masked_result_that_is_filled_is_assigned_as_a_whole(rng, how):
    def body(a):
        p = nl.arange(16)[:, None]
        tile = nl.multiply(a, 2.0, mask=p < 9)
        if how == "assignment":
            tile[9:16, :] = 7.0
        elif how == "in place":
            tile[9:16, :] = nl.zeros((7, 12), nl.float32)
            tile[9:16, :] += 7.0
        elif how == "copy":
            nisa.dma_copy(dst=tile[9:16, :], src=nl.full((7, 12), 7.0, nl.float32))
        else:
            tile.reshape((16, 3, 4))[9:16, :, :] = 7.0
        out = nl.zeros((nl.par_dim(16), 12), nl.float32)
        out[...] = tile
        return out

    a = rng.normal(size=(16, 12)).astype(F32)
    assert np.array_equal(evaluate(body, a), np.where(np.arange(16)[:, None] < 9, 2 * a, 7))


def test_a_load_that_leaves_rows_out_may_be_used_after_its_assignment(rng):
    @nki.jit(mode="simulation")
    def kernel(table, at):
        y = nl.ndarray((16, 8), table.dtype, buffer=nl.shared_hbm)
        z = nl.ndarray((16, 8), table.dtype, buffer=nl.shared_hbm)
        rows = nl.zeros((nl.par_dim(16), 8), table.dtype)
        loaded = nl.load(table[nl.load(at), :], mode=nisa.oob_mode.skip)
        rows[...] = loaded
        nl.store(y, rows)
        nl.store(z, nl.add(loaded, 1.0))
        return y, z

    table, at = rng.normal(size=(20, 8)).astype(F32), rng.permutation(20)[:16].astype(np.int32)
    y, z = kernel(table, at[:, None])
    assert np.array_equal(y, table[at]) and np.array_equal(z, table[at] + F32(1))
