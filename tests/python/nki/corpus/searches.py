"""Sorting, top-k, gathers within a tile, masks by iota, random numbers."""

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki


@nki.jit
def top_k(x, k):
    """Finds eight at a time: the values, their indices, and the rest without them."""
    rows, columns = x.shape
    rounds = -(-k // 8)
    values = nl.ndarray((rows, k), dtype=x.dtype, buffer=nl.shared_hbm)
    places = nl.ndarray((rows, k), dtype=nl.uint32, buffer=nl.shared_hbm)
    left = nl.load(x)
    found, at = nl.ndarray((rows, rounds * 8), dtype=x.dtype), nl.ndarray((rows, rounds * 8), dtype=nl.uint32)
    for r in nl.static_range(rounds):
        here = slice(r * 8, r * 8 + 8)
        found[:, here] = nisa.max8(src=left)
        at[:, here] = nisa.nc_find_index8(data=left, vals=found[:, here])
        left[:, :] = nisa.nc_match_replace8(data=left, vals=found[:, here], imm=float("-inf"))
    nl.store(values, found[:, 0:k])
    nl.store(places, at[:, 0:k])
    return values, places


@nki.jit
def sort_rows(x):
    """A bitonic sort that compares strided views of a row; the length is a power of two."""
    rows, n = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    size = 2
    while size <= n:
        step = size // 2
        while step:
            i_p, i_g, i_s = nl.mgrid[0:rows, 0 : n // (2 * step), 0:step]
            low, high = tile[i_p, i_g * 2 * step + i_s], tile[i_p, i_g * 2 * step + step + i_s]
            smaller, larger = nl.minimum(low, high), nl.maximum(low, high)
            up = np.array([((g * 2 * step) // size) % 2 == 0 for g in range(n // (2 * step))])
            for g in range(n // (2 * step)):
                at = g * 2 * step
                first, second = (smaller, larger) if up[g] else (larger, smaller)
                tile[:, at : at + step] = first[:, g, :]
                tile[:, at + step : at + 2 * step] = second[:, g, :]
            step //= 2
        size *= 2
    nl.store(out, tile)
    return out


@nki.jit
def band_mask(x, width):
    """Keeps a band around the diagonal by two affine selections."""
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:rows, 0:columns]
    t = nl.load(x)
    t = nisa.affine_select(pred=(i_f - i_p <= width), on_true_tile=t, on_false_value=0.0)
    t = nisa.affine_select(pred=i_f - i_p + width + 1, on_true_tile=t, on_false_value=0.0, dtype=x.dtype)
    nl.store(out, t)
    return out


@nki.jit
def positions(rows, columns, like):
    """iota in several types, and arithmetic of integers."""
    out = nl.ndarray((rows, columns), dtype=nl.int32, buffer=nl.shared_hbm)
    down = nisa.iota(nl.arange(rows)[:, None], dtype=nl.int32)
    across = nisa.iota(nl.arange(columns)[None, :], dtype=nl.int32)
    both = nl.add(nl.multiply(down, columns), across.broadcast_to((rows, columns)))
    odd = nl.bitwise_and(both, 1)
    nl.store(out, nl.where(odd, nl.left_shift(both, 1), nl.negative(both)))
    return out


@nki.jit
def gather_rows(x, index):
    """Gathers elements of each row at the indices of a tile."""
    out = nl.ndarray(index.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.gather_flattened(nl.load(x), nl.load(index)))
    return out


@nki.jit
def replaced_with_places(x):
    """Returns the indices of the eight largest elements, and the row without them."""
    rows, columns = x.shape
    rest = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    where = nl.ndarray((rows, 8), dtype=nl.uint32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    places = nl.ndarray((nl.par_dim(rows), 8), dtype=nl.uint32)
    left = nisa.nc_match_replace8(data=tile, vals=nisa.max8(src=tile), imm=0.0, dst_idx=places)
    nl.store(rest, left)
    nl.store(where, places)
    return rest, where


@nki.jit
def dropout_twice(x, rate, seed):
    """The same seed gives the same elements."""
    out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.static_range(2):
        nl.random_seed(seed=nl.load(seed))
        tile = nl.load(x)
        nl.store(out[i], nl.dropout(tile, rate=nl.load(rate)) * (1 / (1 - 0.25)))
    return out


@nki.jit
def argmax_rows(logits):
    """Finds the first place of the maximum by iota and a minimum over its places."""
    rows, n = logits.shape
    out = nl.ndarray((rows, 1), dtype=nl.int32, buffer=nl.shared_hbm)
    t = nl.load(logits)
    top = nl.max(t, axis=1, keepdims=True)
    at = nisa.iota(nl.arange(n)[None, :] + 0 * nl.arange(rows)[:, None], dtype=nl.float32)
    place = nl.min(nl.where(nl.equal(t, top), at, float(n)), axis=[1], keepdims=True)
    nl.store(out, place)
    return out


@nki.jit
def expert_mask(scores, k):
    """Finds the experts among the best k of a token, with its k-th value as a bound."""
    tokens, experts = scores.shape
    out = nl.ndarray(scores.shape, dtype=nl.bfloat16, buffer=nl.shared_hbm)
    t = nl.load(scores)
    best = nisa.max8(src=t)
    bound = best[:, k - 1 : k]
    chosen = nisa.tensor_scalar(t, op0=nl.greater_equal, operand0=bound, dtype=nl.float32)
    weights = nl.exp(t - best[:, 0:1]) * chosen
    nl.store(out, nl.divide(weights, nl.sum(weights, axis=1, keepdims=True), dtype=nl.bfloat16))
    return out


@nki.jit
def shuffled_quadrants(x):
    """Reverses rows within each 32 by the shuffle of Vector; one row is left as it is."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    src, dst = nl.load(x), nl.zeros(x.shape, dtype=x.dtype)
    nisa.nc_stream_shuffle(src, dst, [31 - i if i != 5 else 255 for i in range(32)])
    nl.store(out, dst)
    return out


@nki.jit
def parts_by_number(w, numbers):
    """An element of a tile is an index of any dimension."""
    t = nl.load(numbers)
    results = []
    for part in (w[3, :, t[0, 0]], w[1, t[0, 1], :], w[t[0, 0], :, nl.ds(4, 10)], w[2, 3:11, t[0, 1] + 1]):
        tile = nl.load(part)
        results.append(nl.ndarray(tile.shape, dtype=w.dtype, buffer=nl.shared_hbm))
        nl.store(results[-1], tile)
    z = nl.ndarray((4, 8), dtype=w.dtype, buffer=nl.shared_hbm)
    nl.store(z, nl.zeros(z.shape, dtype=w.dtype))
    nl.store(z[:, t[0, 0]], nl.load(w[0, 0:4, 0:1]))
    return (*results, z)


def cases(rng):
    x = rng.permutation(60 * 100).reshape(60, 100).astype(np.float32)
    order = np.argsort(-x, axis=1)[:, :12]
    yield top_k, (x, 12), (np.take_along_axis(x, order, 1), order), (0, 0)
    x = rng.normal(size=(33, 16)).astype(np.float32)
    yield sort_rows, (x,), np.sort(x, axis=1), 0
    x = rng.normal(size=(70, 90)).astype(np.float32)
    difference = np.arange(90) - np.arange(70)[:, None]
    yield band_mask, (x, 5), np.where(abs(difference) <= 5, x, 0), 0
    number = np.arange(40 * 30).reshape(40, 30)
    yield positions, (40, 30, x), np.where(number % 2 == 1, 2 * number, -number), 0
    index = rng.integers(0, 90, (70, 25)).astype(np.uint32)
    yield gather_rows, (x, index), np.take_along_axis(x, index.astype(np.int64), 1), 0
    y = rng.permutation(20 * 40).reshape(20, 40).astype(np.float32)
    order = np.argsort(-y, axis=1)[:, :8]
    rest = y.copy()
    np.put_along_axis(rest, order, 0, 1)
    yield replaced_with_places, (y,), (rest, order), (0, 0)
    logits = rng.integers(0, 9, (50, 33)).astype(np.float32)
    yield argmax_rows, (logits,), logits.argmax(axis=1)[:, None], 0
    scores = rng.normal(size=(80, 16)).astype(np.float32)
    kept = np.where(scores >= np.sort(scores, axis=1)[:, -2:-1], np.exp(scores.astype(np.float64)), 0)
    yield expert_mask, (scores, 2), kept / kept.sum(axis=1, keepdims=True), 2**-7
    x = rng.normal(size=(64, 20)).astype(np.float32)
    turned = x.reshape(2, 32, 20)[:, ::-1].copy()
    turned[:, 5] = 0
    yield shuffled_quadrants, (x,), turned.reshape(64, 20), 0
    w = rng.normal(size=(8, 16, 32)).astype(np.float32)
    z = np.zeros((4, 8), np.float32)
    z[:, 5] = w[0, :4, 0]
    yield (
        parts_by_number,
        (w, np.array([[5, 7]], np.int32)),
        (w[3, :, 5:6], w[1, 7:8], w[5, :, 4:14], w[2, 3:11, 8:9], z),
        (0,) * 5,
    )
