"""Random small kernels against NumPy: indices and masks, types and broadcasting, loops.

The seed is printed (`rng` of conftest.py).
"""

import numpy as np
from nki_common import BF16, E5M2, evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

FLOATS = [np.dtype(np.float32), np.dtype(np.float16), BF16, E5M2]
INTEGERS = [np.dtype(t) for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32)]


def cast(values, dtype):
    """Converts fp32 values to a type: to nearest even; integers saturate and NaN is 0."""
    if dtype.kind not in "iu":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return np.array(
        [
            0
            if np.isnan(v)
            else min(max(int(np.rint(np.clip(v, -(2.0**40), 2.0**40))), limits.min), limits.max)
            for v in values.reshape(-1).astype(np.float64)
        ],
        dtype,
    ).reshape(values.shape)


def equal(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.array_equal(found.astype(np.float64), expected.astype(np.float64), equal_nan=True)


def affine_index(rng, sizes, limit):
    """Returns an index over a grid of `sizes`, and its values, within 0 to limit - 1 if `limit` allows it."""
    steps = [int(rng.integers(-2, 3)) for _ in sizes]
    low = sum(min(0, s * (n - 1)) for s, n in zip(steps, sizes))
    offset = -low + int(rng.integers(0, max(1, limit // 4)))
    index, values = offset, np.full((1,) * len(sizes), offset)
    for axis, (step, size) in enumerate(zip(steps, sizes)):
        key = tuple(slice(None) if a == axis else None for a in range(len(sizes)))
        index = index + step * nl.arange(size)[key]
        values = values + step * np.arange(size)[key]
    return index, values


def random_mask(rng, grid, sizes):
    """Returns comparisons of positions, as a mask and as booleans."""
    mask, held = None, np.ones(sizes, bool)
    for _ in range(int(rng.integers(1, 4))):
        axis = int(rng.integers(len(sizes)))
        step, bound = int(rng.choice([-2, -1, 1, 2, 3])), int(rng.integers(-3, 2 * sizes[axis]))
        relation = rng.choice(["<", "<=", ">", ">=", "==", "!="], p=[0.22, 0.22, 0.22, 0.22, 0.06, 0.06])
        left, numbers = (
            step * grid[axis],
            step * np.arange(sizes[axis]).reshape([-1 if a == axis else 1 for a in range(len(sizes))]),
        )
        other = int(rng.integers(len(sizes)))
        if rng.random() < 0.3 and other != axis:
            left, numbers = (
                left + grid[other],
                numbers
                + np.arange(sizes[other]).reshape([-1 if a == other else 1 for a in range(len(sizes))]),
            )
        compare = {
            "<": lambda a: a < bound,
            "<=": lambda a: a <= bound,
            ">": lambda a: a > bound,
            ">=": lambda a: a >= bound,
            "==": lambda a: a == bound,
            "!=": lambda a: a != bound,
        }[relation]
        part = compare(left)
        mask, held = part if mask is None else mask & part, held & compare(numbers)
    return mask, held


def test_indices_and_masks(rng, scale):
    for _ in range(int(60 * scale)):
        rank = int(rng.integers(2, 5))
        sizes = tuple(int(n) for n in (rng.integers(1, 40), *rng.integers(1, 7, rank - 1)))
        grid = [
            nl.arange(n)[tuple(slice(None) if a == axis else None for a in range(rank))]
            for axis, n in enumerate(sizes)
        ]
        free, values = affine_index(rng, (1, *sizes[1:]), 30)
        width = int(values.max()) + 1 + int(rng.integers(0, 3))
        row = int(rng.integers(0, 4))
        mask, held = random_mask(rng, grid, sizes)
        x = rng.normal(size=(sizes[0] + row, width)).astype(np.float32)

        def body(a):
            out = nl.full(sizes, 9.0, nl.float32)
            out[tuple(grid)] = nl.add(a[grid[0] + row, free], 1.0, mask=mask)
            return out

        rows = np.arange(sizes[0]).reshape((-1,) + (1,) * (rank - 1)) + row
        equal(evaluate(body, x), np.where(held, x[rows, values] + np.float32(1), np.float32(9)))


def test_masks_at_the_edge_of_tensors(rng, scale):
    """Tiles over a tensor; they do not divide its sizes."""
    for _ in range(int(15 * scale)):
        shape = tuple(int(n) for n in rng.integers(1, 90, 2))
        tile = tuple(int(n) for n in rng.integers(1, 40, 2))
        x = rng.normal(size=shape).astype(np.float32)

        @nki.jit(mode="simulation")
        def kernel(a):
            out = nl.ndarray(a.shape, a.dtype, buffer=nl.shared_hbm)
            least = nl.ndarray((shape[0], 1), a.dtype, buffer=nl.shared_hbm)
            i, j = nl.mgrid[0 : tile[0], 0 : tile[1]]
            for m in nl.affine_range(-(-shape[0] // tile[0])):
                smallest = nl.full((tile[0], 1), np.inf, a.dtype)
                ip = nl.arange(tile[0])[:, None]
                for n in nl.affine_range(-(-shape[1] // tile[1])):
                    p, f = m * tile[0] + i, n * tile[1] + j
                    mask = (p < shape[0]) & (f < shape[1])
                    part = nl.load(a[p, f], mask=mask)
                    smallest[...] = nl.minimum(
                        smallest, nl.min(part, axis=1, mask=mask), mask=m * tile[0] + ip < shape[0]
                    )
                    nl.store(out[p, f], nl.subtract(part, 2.0, mask=mask), mask=mask)
                nl.store(least[m * tile[0] + ip, 0], smallest, mask=m * tile[0] + ip < shape[0])
            return out, least

        out, least = kernel(x)
        equal(out, x - np.float32(2))
        equal(least, x.min(axis=1, keepdims=True))


def promoted(a, b):
    """The table of the public reference, written again."""
    if a == b:
        return a
    floats = [t for t in (a, b) if t.kind not in "iu"]
    if len(floats) == 1:
        return floats[0]
    if len(floats) == 2:
        if {a, b} == {np.dtype(np.float16), BF16}:
            return np.dtype(np.float32)
        return max(a, b, key=[E5M2, np.dtype(np.float16), BF16, np.dtype(np.float32)].index)
    return np.promote_types(a, b)


OPERATIONS = [
    (nl.add, np.add),
    (nl.subtract, np.subtract),
    (nl.multiply, np.multiply),
    (nl.maximum, np.maximum),
    (nl.minimum, np.minimum),
    (nl.divide, np.divide),
    (nl.greater, np.greater),
    (nl.not_equal, np.not_equal),
]


def random_values(rng, shape, dtype):
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -50, 100, shape).astype(dtype)
    return rng.normal(0, 3, shape).astype(dtype)


def test_types_and_broadcasting(rng, scale):
    for _ in range(int(80 * scale)):
        partitions, free = (
            int(rng.integers(1, 60)),
            tuple(int(n) for n in rng.integers(1, 6, int(rng.integers(1, 4)))),
        )
        types = [rng.choice(FLOATS + INTEGERS) for _ in range(2)]
        shapes = []
        for _ in range(2):
            cut = tuple(1 if rng.random() < 0.25 else n for n in free)
            shapes.append((partitions if rng.random() < 0.85 else 1, *cut))
        x, y = (random_values(rng, s, np.dtype(t)) for s, t in zip(shapes, types))
        function, ufunc = OPERATIONS[int(rng.integers(len(OPERATIONS)))]
        out = None if rng.random() < 0.6 else np.dtype(rng.choice(FLOATS + INTEGERS))
        test = function in (nl.greater, nl.not_equal)
        dtype = out or (np.dtype(bool) if test else promoted(np.dtype(types[0]), np.dtype(types[1])))
        if function is nl.divide and out is None and dtype.kind in "iu":
            dtype = np.dtype(np.float32)
        elif function is nl.divide and dtype.kind in "iu":
            # The quotient is that of a reciprocal: another one may round to the other side of .5.
            y = (2.0 ** rng.integers(0, 5, shapes[1])).astype(y.dtype)
        found = evaluate(lambda a, b: function(a, b) if out is None else function(a, b, dtype=out), x, y)
        if (
            x.dtype == y.dtype == dtype == np.int32
            and shapes[0] == shapes[1]
            and function in (nl.add, nl.subtract, nl.multiply)
        ):
            expected = ufunc(x, y)
        else:
            with np.errstate(all="ignore"):
                expected = ufunc(x.astype(np.float32), y.astype(np.float32))
                expected = expected if dtype == np.bool_ else cast(expected.astype(np.float32), dtype)
        equal(found, expected.reshape(found.shape))


def test_chains(rng, scale):
    """Several operations in a row, each rounded to its type."""
    for _ in range(int(20 * scale)):
        shape = tuple(int(n) for n in (rng.integers(1, 129), rng.integers(1, 50)))
        x = rng.uniform(0.5, 2, shape).astype(np.float32)
        column = rng.uniform(0.5, 2, (shape[0], 1)).astype(np.float32)
        steps = [
            (
                int(rng.integers(3)),
                FLOATS[int(rng.integers(4))],
                float(np.float32(rng.uniform(0.5, 2))),
                bool(rng.integers(2)),
            )
            for _ in range(6)
        ]

        def body(a, c):
            for kind, dtype, number, swap in steps:
                function = (nl.add, nl.multiply, nl.maximum)[kind]
                a = function(c, a, dtype=dtype) if swap else function(a, number, dtype=dtype)
            return a

        expected = x
        for kind, dtype, number, swap in steps:
            operand = column if swap else np.float32(number)
            expected = (
                (np.add, np.multiply, np.maximum)[kind](expected.astype(np.float32), operand)
                .astype(np.float32)
                .astype(dtype)
            )
        equal(evaluate(body, x, column), expected)


def test_loops(rng, scale):
    """Sums over random loops; their variables leave some iterations out."""
    for _ in range(int(15 * scale)):
        counts = [int(n) for n in rng.integers(1, 5, 3)]
        bound = int(rng.integers(-2, 6))
        x = rng.integers(-9, 9, (*counts, 20, 7)).astype(np.float32)

        @nki.jit(mode="simulation")
        def kernel(a):
            total, last = (
                nl.ndarray((counts[1], 20, 7), a.dtype, buffer=nl.shared_hbm),
                nl.ndarray((20, 7), a.dtype, buffer=nl.shared_hbm),
            )
            sums = nl.zeros((counts[1], nl.par_dim(20), 7), a.dtype)
            carried = nl.zeros((20, 7), nl.float32, buffer=nl.psum)
            reduced = nl.ndarray((20, 7), a.dtype)
            for k in nl.affine_range(counts[0]):
                for m in nl.sequential_range(counts[1]):
                    for n in nl.static_range(counts[2]):
                        tile = nl.load(a[k, m, n])
                        kept = nl.copy(tile, mask=k + 2 * m - n >= bound)
                        sums[m] += kept if k + 2 * m - n >= bound else nl.multiply(tile, 0.0)
                        carried += tile
                        reduced[...] = nl.loop_reduce(tile, op=nl.minimum, loop_indices=[k, m, n])
            for m in nl.affine_range(counts[1]):
                nl.store(total[m], sums[m])
            nl.store(last, carried + reduced)
            return total, last

        total, last = kernel(x)
        k, m, n = np.ogrid[0 : counts[0], 0 : counts[1], 0 : counts[2]]
        held = (k + 2 * m - n >= bound)[..., None, None]
        equal(total, np.where(held, x, 0).sum(axis=(0, 2)).astype(np.float32))
        equal(last, (x.sum(axis=(0, 1, 2)) + x.min(axis=(0, 1, 2))).astype(np.float32))


def test_matmuls(rng, scale):
    for _ in range(int(15 * scale)):
        k, m, n = int(rng.integers(1, 300)), int(rng.integers(1, 129)), int(rng.integers(1, 513))
        dtype = [np.dtype(np.float32), np.dtype(np.float16), BF16][int(rng.integers(3))]
        a, b = rng.integers(-4, 5, (k, m)).astype(dtype), rng.integers(-4, 5, (k, n)).astype(dtype)

        @nki.jit(mode="simulation")
        def kernel(left, right):
            out = nl.ndarray((m, n), nl.float32, buffer=nl.shared_hbm)
            total = nl.zeros((nl.par_dim(m), n), nl.float32, buffer=nl.psum)
            for at in nl.affine_range(-(-k // 100)):
                rows = nl.arange(100)[:, None]
                mask = at * 100 + rows < k
                s = nl.load(left[at * 100 + rows, nl.arange(m)[None, :]], mask=mask)
                v = nl.load(right[at * 100 + rows, nl.arange(n)[None, :]], mask=mask)
                total[...] += nl.matmul(s, v, transpose_x=True, mask=mask)
            nl.store(out, total)
            return out

        equal(kernel(a, b), a.astype(np.float32).T @ b.astype(np.float32))


def test_indices_from_tiles(rng, scale):
    """Rows are loaded, stored and summed at indices that are loaded or computed; those that do not exist are
    left out.
    """
    for _ in range(int(12 * scale)):
        rows, count, width, more = (int(n) for n in rng.integers(1, (100, 60, 40, 30)))
        first, shift = int(rng.integers(0, 4)), int(rng.integers(-3, 4))
        dtype = [np.dtype(np.float32), np.dtype(np.float16), BF16, np.dtype(np.int32)][rng.integers(4)]
        index_type = [np.int32, np.int16, np.uint32][rng.integers(3)]
        skip, outside = rng.random() < 0.5, np.zeros((2, rows), bool)
        if skip:
            outside = rng.random((2, rows)) < 0.3
        mode = nisa.oob_mode.skip if skip else nisa.oob_mode.error
        x = rng.integers(-2, 3, (count, first + width + 1)).astype(dtype)  # sums of rows are exact
        at = np.where(outside[0], count + rng.integers(0, 9, rows), rng.integers(0, count, rows))
        to = np.where(outside[1], rows + more + rng.integers(0, 9, rows), rng.permutation(rows + more)[:rows])
        same = rng.integers(0, 6, rows)
        columns = nl.arange(width)[None, :]

        @nki.jit(mode="simulation")
        def kernel(a, numbers, places, sums):
            taken = nl.ndarray((rows, width), a.dtype, buffer=nl.shared_hbm)
            put = nl.ndarray((rows + more, width), a.dtype, buffer=nl.shared_hbm)
            total = nl.ndarray((6, width), a.dtype, buffer=nl.shared_hbm)
            index, tile = nl.load(numbers), nl.zeros((rows, width), a.dtype)
            index = nisa.tensor_scalar(index, np.add, shift, dtype=nl.int32)
            nisa.dma_copy(dst=tile, src=a[index, first + columns], oob_mode=mode)
            nl.store(taken, tile)
            nl.store(put, 0)
            nisa.dma_copy(dst=put[nl.load(places), columns], src=tile, oob_mode=mode)
            nl.store(total, 0)
            nl.atomic_rmw(total[nl.load(sums), columns], tile, np.add)
            return taken, put, total

        arrays = [
            (at - shift + (3 if index_type is np.uint32 else 0)).astype(index_type),
            to.astype(np.int32),
            same.astype(np.int32),
        ]
        if index_type is np.uint32:
            shift -= 3
        taken, put, total = kernel(x, *(array.reshape(-1, 1) for array in arrays))
        expected = np.where(
            outside[0][:, None], np.zeros((), dtype), x[np.minimum(at, count - 1), first : first + width]
        ).astype(dtype)
        equal(taken, expected)
        stored, summed = np.zeros((rows + more, width), dtype), np.zeros((6, width), np.float32)
        stored[to[~outside[1]]] = expected[~outside[1]]
        equal(put, stored)
        np.add.at(summed, same, expected.astype(np.float32))
        equal(total, summed.astype(dtype))
