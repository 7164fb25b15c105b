"""Masks: comparisons joined by &, | and ~, on tiles and on views of them, and conditions of loops.

A table of masks is walked over the instructions; the expected elements are those of NumPy's comparisons on
np.ogrid.
"""

import numpy as np
import pytest
from nki_common import evaluate

import trnsim.nki.isa as nisa
import trnsim.nki.language as nl
from trnsim import nki

F32 = np.float32

#: Masks of a tile [12, 20] as functions of the indices of its rows and columns.
MASKS = {
    "or": lambda i, j: (i < 3) | (j >= 15),
    "or of three": lambda i, j: (i < 2) | (i >= 10) | (j == 7),
    "and of ors": lambda i, j: ((i < 4) | (j < 4)) & ((i >= 1) | (j != 0)),
    "or of ands": lambda i, j: ((i < 4) & (j < 4)) | ((i >= 6) & (j > 9)),
    "not": lambda i, j: ~((i < 4) & (j < 4)),
    "not of an or": lambda i, j: ~((i < 4) | (j < 4)),
    "not of ==": lambda i, j: ~(i == j),
    "not of <=": lambda i, j: ~(i + 3 <= j),
    "or of both indices": lambda i, j: (i + j < 6) | (i - j > 3),
    "everything": lambda i, j: (i < 6) | (i >= 6),
    "nothing": lambda i, j: (i < 0) | (j < 0),
    "or with a bool": lambda i, j: (i < 6) | False,
}


@pytest.mark.parametrize("name", MASKS)
def test_masks_of_elements(rng, name):
    mask = MASKS[name]

    def body(a, b):
        i, j = nl.mgrid[0:12, 0:20]
        held = mask(i, j)
        results = []
        for result in (
            nl.copy(a, mask=held),
            nisa.tensor_tensor(a, b, nl.add, mask=held),
            nisa.tensor_scalar(a, nl.multiply, 3.0, mask=held),
            nisa.activation(nl.square, a, mask=held),
            nisa.affine_select(i >= j, a, -2.0, mask=held),
        ):
            kept = nl.full((12, 20), -1.0, nl.float32)
            kept[...] = result
            results.append(kept)
        return (*results, nl.where(held, a, b))

    a, b = (rng.integers(-9, 9, (12, 20)).astype(F32) for _ in "ab")
    i, j = np.ogrid[0:12, 0:20]
    held = np.broadcast_to(mask(i, j), (12, 20))
    *found, chosen = evaluate(body, a, b)
    expected = (a, a + b, 3 * a, a * a, np.where(i >= j, a, -2))
    for at, (one, wanted) in enumerate(zip(found, expected)):
        assert np.array_equal(one, np.where(held, wanted, -1)), at
    assert np.array_equal(chosen, np.where(held, a, b))


@pytest.mark.parametrize("name", MASKS)
def test_masks_of_transfers_and_reductions(rng, name):
    mask = MASKS[name]

    @nki.jit(mode="simulation")
    def kernel(x):
        i, j = nl.mgrid[0:12, 0:20]
        held = mask(i, j)
        y, z = (nl.ndarray((12, size), nl.float32, buffer=nl.shared_hbm) for size in (20, 2))
        nl.store(y, nl.full((12, 20), -1.0, nl.float32))
        nl.store(y[i, j], nl.load(x), mask=held)
        tile, reduced = nl.load(x), nl.full((12, 2), -1.0, nl.float32)
        reduced[:, 0] = nl.sum(tile, axis=1, mask=held)
        reduced[:, 1] = nl.max(tile, axis=1, mask=held)
        nl.store(z, reduced)
        return y, z

    x = rng.integers(-9, 9, (12, 20)).astype(F32)
    i, j = np.ogrid[0:12, 0:20]
    held = np.broadcast_to(mask(i, j), (12, 20))
    stored, reduced = kernel(x)
    assert np.array_equal(stored, np.where(held, x, -1))
    rows = held.any(axis=1)  # a reduction of nothing is not assigned, or is neutral
    assert np.array_equal(reduced[rows, 0], np.where(held, x, 0).sum(axis=1)[rows])
    assert np.array_equal(reduced[rows, 1], np.where(held, x, -np.inf).max(axis=1)[rows])


#: Views of a tile [8, 24], and the same of an array.
VIEWS = {
    "slice": (lambda t: t[:, 4:16], lambda a: a[:, 4:16]),
    "steps": (lambda t: t[:, 1:24:2], lambda a: a[:, 1::2]),
    "reshape": (lambda t: t.reshape((8, 2, 12))[:, 1], lambda a: a.reshape(8, 2, 12)[:, 1]),
    "block": (lambda t: t.reshape((8, 2, 12))[:, 1, :], lambda a: a.reshape(8, 2, 12)[:, 1]),
    "cut twice": (lambda t: t[:, 2:20][:, 3:15], lambda a: a[:, 5:17]),
    "affine": (lambda t: t[nl.arange(8)[:, None], 2 * nl.arange(12)[None, :]], lambda a: a[:, ::2]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_comparisons_on_views(rng, name):
    view, of_array = VIEWS[name]

    def body(a):
        q, f = nl.arange(8)[:, None], nl.arange(12)[None, :]
        part = view(a)
        masked, indexed = nl.zeros((8, 12), nl.float32), nl.zeros((8, 12), nl.float32)
        masked[...] = nisa.tensor_scalar(part, nl.add, 1.0, mask=(q < 6) | (f == 3))
        indexed[...] = nisa.tensor_scalar(part[(q < 6) & (f < 7)], nl.add, 1.0)
        return masked, indexed

    x = rng.integers(-9, 9, (8, 24)).astype(F32)
    q, f = np.ogrid[0:8, 0:12]
    wanted = of_array(x) + 1
    masked, indexed = evaluate(body, x)
    assert np.array_equal(masked, np.where((q < 6) | (f == 3), wanted, 0))
    assert np.array_equal(indexed, np.where((q < 6) & (f < 7), wanted, 0))


# Rows and columns of a tile [8, 12].
COLUMNS, COLUMNS_6 = np.arange(12)[None, :] < 8, np.arange(12)[None, :] >= 6
ROWS, COLUMN_0 = np.arange(8)[:, None] < 6, np.arange(12)[None, :] == 0


def _copied(tile, q, w, target, _):
    target[...] = nl.copy(tile[q < 6][w < 2])


def _added(tile, q, w, target, _):
    target[...] = nl.add(nl.multiply(tile[q < 6][w < 2], 2.0), 1.0)


def _to_a_part(tile, q, w, target, _):
    target[q < 6][w < 2] = nl.copy(tile[q < 6])


def _reduced(tile, q, w, target, _):
    target[:, 0] = nl.max(tile[q < 6][w < 2], axis=1)


def _in_place(tile, q, w, target, _):
    target[q < 6] += tile[q < 6][w < 2]


def _predicated(tile, q, w, target, _):
    ones = nl.full((8, 12), 1, nl.uint8)
    nisa.tensor_copy_predicated(src=tile[q < 6][w < 2], dst=target[q < 6], predicate=ones[q < 6])


def _stored(tile, q, w, _, y):
    nl.store(y[q, nl.arange(12)[None, :]][q < 6], tile[q < 6][w < 2])


def _loaded(tile, q, w, target, y):
    target[...] = nl.load(y[w < 2])


def _searched(tile, q, w, target, _):
    target[:, 0:8] = nisa.max8(src=tile[q < 6][w < 2])


def _transposed(tile, q, w, target, _):
    target[:, 0:8] = nisa.nc_transpose(tile[:, 0:8][q < 6][w < 2])


#: Writers of `target` [8, 12] or of y in HBM, and what is written where the condition of the loop holds.
RESTRICTED = {
    "copy": (_copied, lambda x, t, y: (np.where(ROWS, x, t), y)),
    "add": (_added, lambda x, t, y: (np.where(ROWS, 2 * x + 1, t), y)),
    "destination": (_to_a_part, lambda x, t, y: (np.where(ROWS, x, t), y)),
    "reduce": (_reduced, lambda x, t, y: (np.where(ROWS & COLUMN_0, x.max(axis=1, keepdims=True), t), y)),
    "max8": (_searched, lambda x, t, y: (np.where(ROWS & COLUMNS, -np.sort(-x, axis=1), t), y)),
    "transpose": (_transposed, lambda x, t, y: (np.where(COLUMNS & ~COLUMNS_6, _turned(x), t), y)),
    "in place": (_in_place, lambda x, t, y: (np.where(ROWS, t + x, t), y)),
    "predicated": (_predicated, lambda x, t, y: (np.where(ROWS, x, t), y)),
    "store": (_stored, lambda x, t, y: (t, np.where(ROWS, x, y))),
    "load": (_loaded, lambda x, t, y: (y, y)),
}


def _turned(x):
    return np.hstack([x[:8, :8].T, x[:, 8:]])


@pytest.mark.parametrize("name", RESTRICTED)
def test_a_condition_of_a_loop_leaves_out_iterations(rng, name):
    write, expected = RESTRICTED[name]

    @nki.jit(mode="simulation")
    def kernel(x):
        q = nl.arange(8)[:, None]
        outs = nl.ndarray((4, 8, 12), nl.float32, buffer=nl.shared_hbm)
        stored = nl.ndarray((4, 8, 12), nl.float32, buffer=nl.shared_hbm)
        for w in nl.affine_range(4):
            target = nl.full((8, 12), -1.0, nl.float32)
            nl.store(stored[w], nl.full((8, 12), -3.0, nl.float32))
            write(nl.load(x), q, w, target, stored[w])
            nl.store(outs[w], target)
        return outs, stored

    x = rng.integers(-9, 9, (8, 12)).astype(F32)
    out, stored = kernel(x)
    target, y = np.full((8, 12), -1, F32), np.full((8, 12), -3, F32)
    for w in range(4):
        wanted = expected(x, target, y) if w < 2 else (target, y)
        assert np.array_equal(out[w], wanted[0]) and np.array_equal(stored[w], wanted[1]), w


def test_a_condition_of_a_loop_leaves_out_matmuls(rng):
    def body(a):
        q = nl.arange(8)[:, None]
        total = nl.zeros((8, 12), nl.float32, buffer=nl.psum)
        for w in nl.affine_range(4):
            total += nisa.nc_matmul(a[:, 0:8][q < 6][w < 2], a[q < 6])
        return nl.copy(total)

    x = rng.integers(-3, 4, (8, 12)).astype(F32)
    assert np.array_equal(evaluate(body, x), 2 * (x[:6, :8].T @ x[:6]))


def test_a_column_as_a_tile_is_an_index(rng):
    @nki.jit(mode="simulation")
    def kernel(x, rows):
        at = nl.load(rows)
        y = nl.ndarray((3, 8, 10), nl.float32, buffer=nl.shared_hbm)
        for i in nl.affine_range(3):
            nl.store(y[i], nl.load(x[at[:, i].as_tile()]))
        return y

    x, rows = rng.normal(size=(20, 10)).astype(F32), rng.integers(0, 20, (8, 3)).astype(np.int32)
    assert np.array_equal(kernel(x, rows), np.stack([x[rows[:, i]] for i in range(3)]))


def test_masks_that_python_joins(rng):
    """`and` of masks in the argument of a call, as the reference's example of nc_match_replace8 has it."""
    x = rng.normal(size=(8, 32)).astype(np.float32)

    def body(t):
        i, j = nl.mgrid[0:8, 0:32]
        here = i < 4
        results = []
        for w in range(2):
            kept = nl.zeros((8, 32), nl.float32)
            kept[...] = nl.copy(t, mask=(here and j < 16))
            three = nl.zeros((8, 32), nl.float32)
            three[...] = nl.exp(t, mask=i + w < 6 and j >= 3 and i + j < 20, dtype=nl.float32)
            both = nl.zeros((8, 32), nl.float32)
            both[...] = nl.add(t, 1.0, mask=(here and j < 7 and w < 1))
            largest = nl.zeros((8, 8), nl.float32)
            largest[...] = nisa.max8(src=t, mask=(i < 4 and j < 16))
            results += [kept, three, both, largest]
        return tuple(results)

    i, j = np.mgrid[0:8, 0:32]
    found = evaluate(body, x)
    for w in range(2):
        kept, three, both, largest = found[4 * w : 4 * w + 4]
        assert np.array_equal(kept, np.where((i < 4) & (j < 16), x, 0))
        np.testing.assert_allclose(
            three, np.where((i + w < 6) & (j >= 3) & (i + j < 20), np.exp(x), 0), rtol=1e-6
        )
        assert np.array_equal(both, np.where((i < 4) & (j < 7) & (w < 1), x + 1, 0))
        expected = np.zeros((8, 8), np.float32)
        expected[:4] = -np.sort(-x[:4, :16], axis=1)[:, :8]
        assert np.array_equal(largest, expected)


def joined_in_a_name(t, i, j):
    held = i < 4 and j < 16
    return nl.copy(t, mask=held)


def joined_beside_a_call(t, i, j):
    return nl.add(nl.copy(t), 1.0, mask=(i < 4 and j < 16), dtype=nl.copy(t, mask=j < 3).dtype)


def either_of_two(t, i, j):
    return nl.copy(t, mask=(i < 4 or j < 16))


def joined_and_inverted(t, i, j):
    return nl.copy(t, mask=not (i < 4 and j < 16))


def joined_and_dropped(t, i, j):
    bool(t.shape and (i < 4 and j < 16))
    return nl.copy(t)


def condition_of_an_if(t, i, j):
    if i < 4 and j < 16:
        return nl.copy(t)
    return t


@pytest.mark.parametrize(
    "body",
    [
        joined_in_a_name,
        joined_beside_a_call,
        either_of_two,
        joined_and_inverted,
        joined_and_dropped,
        condition_of_an_if,
    ],
)
def test_masks_that_python_loses(body):
    """Whatever else asks a mask for its truth is an error, and no mask is lost."""
    with pytest.raises(nki.NkiError, match=r"a condition depends on nl\.arange or nl\.mgrid") as raised:
        evaluate(lambda t: body(t, *nl.mgrid[0:8, 0:32]), np.zeros((8, 32), np.float32))
    assert raised.value.name == "err_control_flow_condition_depending_on_arange"
    first = body.__code__.co_firstlineno
    assert first < raised.value.line <= first + 3
