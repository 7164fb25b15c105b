"""Tiles, grids, transposes and pools."""

import math

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
from neuronxcc import nki
from neuronxcc.nki.language import par_dim
from neuronxcc.nki.typing import tensor


@nki.jit
def add_blocks(a_input, b_input):
    """Each program has a tile of 128 x 256; masks are the bounds."""
    c_output = nl.ndarray(a_input.shape, dtype=a_input.dtype, buffer=nl.shared_hbm)
    offset_x, offset_y = nl.program_id(0) * 128, nl.program_id(1) * 256
    ix = offset_x + nl.arange(128)[:, None]
    iy = offset_y + nl.arange(256)[None, :]
    inside = (ix < a_input.shape[0]) & (iy < a_input.shape[1])
    a_tile = nl.load(a_input[ix, iy], mask=inside)
    b_tile = nl.load(b_input[ix, iy], mask=inside)
    nl.store(c_output[ix, iy], value=a_tile + b_tile, mask=inside)
    return c_output


def add_any(a_input, b_input):
    """The caller of the kernel chooses the grid."""
    grid_x, grid_y = math.ceil(a_input.shape[0] / 128), math.ceil(a_input.shape[1] / 256)
    return nki.simulate_kernel(add_blocks[nl.spmd_dim(grid_x, nl.nc(1)), grid_y], a_input, b_input)


@nki.jit
def transpose_free(in_tensor, shape2D):
    """[P, F1 * F2] to [P, F2 * F1] by a copy for each row."""
    out_tensor = nl.ndarray(in_tensor.shape, dtype=in_tensor.dtype, buffer=nl.shared_hbm)
    sz_p, _ = in_tensor.shape
    sz_f1, sz_f2 = shape2D
    in_tile: tensor[sz_p, sz_f1 * sz_f2] = nl.load(in_tensor)
    out_tile: tensor[sz_p, sz_f2, sz_f1] = nl.ndarray(
        shape=(nl.par_dim(sz_p), sz_f2, sz_f1), dtype=out_tensor.dtype
    )
    for i_f2 in nl.affine_range(sz_f2):
        i_p, i_f1 = nl.mgrid[0:sz_p, 0:sz_f1]
        out_tile[i_p, i_f2, i_f1] = nl.copy(in_tile[i_p, i_f1 * sz_f2 + i_f2])
    nl.store(out_tensor, value=out_tile.reshape((sz_p, sz_f2 * sz_f1)))
    return out_tensor


def _pool(reduce, in_tensor, pool, stride):
    sz_c, sz_h, sz_w = in_tensor.shape
    sz_ho, sz_wo = (sz_h - pool) // stride + 1, (sz_w - pool) // stride + 1
    out_tensor = nl.ndarray((sz_c, sz_ho, sz_wo), dtype=in_tensor.dtype, buffer=nl.shared_hbm)
    i_0 = nl.arange(sz_c)[:, None, None, None, None]
    i_1 = nl.arange(sz_ho)[None, :, None, None, None]
    i_2 = nl.arange(sz_wo)[None, None, :, None, None]
    i_3 = nl.arange(pool)[None, None, None, :, None]
    i_4 = nl.arange(pool)[None, None, None, None, :]
    in_tile: tensor[sz_c, sz_h, sz_w] = nl.load(in_tensor)
    out_tile = reduce(in_tile[i_0, stride * i_1 + i_3, stride * i_2 + i_4], axis=[3, 4])
    nl.store(out_tensor, value=out_tile)
    return out_tensor


@nki.jit
def max_pool(in_tensor, pool, stride=1):
    """Windows overlap where the stride is less than the pool."""
    return _pool(nl.max, in_tensor, pool, stride)


@nki.jit
def average_pool(in_tensor, pool: int):
    sz_c, sz_h, sz_w = in_tensor.shape
    out_tensor = nl.ndarray((sz_c, sz_h // pool, sz_w // pool), dtype=in_tensor.dtype, buffer=nl.shared_hbm)
    i = nl.mgrid[0:sz_c, 0 : sz_h // pool, 0 : sz_w // pool, 0:pool, 0:pool]
    in_tile = nl.load(in_tensor)
    total = nl.sum(in_tile[i.p, pool * i.x + i.z, pool * i.y + i.w], axis=[3, 4]) / (pool * pool)
    nl.store(out_tensor, value=total)
    return out_tensor


@nki.jit
def adaptive_average_pool(x, size):
    """Windows of different sizes: Python computes their bounds."""
    channels, height, width = x.shape
    y = nl.ndarray((channels, size, size), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    result = nl.ndarray((par_dim(channels), size, size), dtype=nl.float32)
    for i in range(size):
        for j in range(size):
            top, bottom = (i * height) // size, -(-((i + 1) * height) // size)
            left, right = (j * width) // size, -(-((j + 1) * width) // size)
            window = nl.mean(tile[:, top:bottom, left:right], axis=[1, 2])
            result[:, i, j] = window
    nl.store(y, result)
    return y


@nki.jit
def rope(x, cos, sin):
    """Rotates the halves of each row by an angle: x is [sequence, heads, d]."""
    sequence, heads, d = x.shape
    half = d // 2
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range((sequence + 127) // 128):
        i_p, i_h, i_f = nl.mgrid[0:128, 0:heads, 0:half]
        rows = t * 128 + i_p
        first = nl.load(x[rows, i_h, i_f], mask=(rows < sequence))
        second = nl.load(x[rows, i_h, i_f + half], mask=(rows < sequence))
        i_q, i_g = nl.mgrid[0:128, 0:half]
        c = nl.load(cos[t * 128 + i_q, i_g], mask=(t * 128 + i_q < sequence))
        s = nl.load(sin[t * 128 + i_q, i_g], mask=(t * 128 + i_q < sequence))
        c3, s3 = c.reshape((128, 1, half)), s.reshape((128, 1, half))
        turned = nl.ndarray((par_dim(128), heads, d), dtype=x.dtype, buffer=nl.sbuf)
        turned[i_p, i_h, i_f] = nl.subtract(nl.multiply(first, c3), nl.multiply(second, s3))
        turned[i_p, i_h, i_f + half] = nl.add(nl.multiply(second, c3), nl.multiply(first, s3))
        i_d = nl.arange(d)[None, None, :]
        all_rows, all_heads = nl.arange(128)[:, None, None], nl.arange(heads)[None, :, None]
        nl.store(out[t * 128 + all_rows, all_heads, i_d], value=turned, mask=(t * 128 + all_rows < sequence))
    return out


@nki.jit
def gelu_bias(x: nt.tensor[nl.float32], bias=None, *, approximate=False):
    """An optional bias along the free dimension, and an activation that a keyword chooses."""
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    b = None
    if bias is not None:
        b = nl.load(bias.reshape((1, bias.shape[0]))).broadcast_to((128, bias.shape[0]))
    function = nl.gelu_apprx_tanh if approximate else nl.gelu
    for t in nl.affine_range(x.shape[0] // 128):
        tile = nl.load(x[nl.ds(t * 128, 128), :])
        if b is not None:
            tile = nl.add(tile, b)
        nl.store(out[nl.ds(t * 128, 128), :], function(tile))
    return out


@nki.jit
def quantize_rows(x):
    """int8 with a scale for each row; both are returned."""
    q = nl.ndarray(x.shape, dtype=nl.int8, buffer=nl.shared_hbm)
    scales = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    largest = nl.max(nl.abs(tile), axis=1, keepdims=True)
    scale = nl.maximum(largest, 1e-8) * (1.0 / 127)
    nl.store(scales, scale)
    nl.store(q, nl.multiply(tile, nl.reciprocal(scale), dtype=nl.int8))
    return q, scales


@nki.jit
def histogram_counts(ids, bins):
    """Counts the occurrences of each value in a row, by comparisons and sums."""
    out = nl.ndarray((ids.shape[0], bins), dtype=nl.int32, buffer=nl.shared_hbm)
    tile = nl.load(ids)
    counts = nl.zeros((nl.par_dim(ids.shape[0]), bins), dtype=nl.float32)
    for b in nl.static_range(bins):
        counts[:, b] = nl.sum(nl.equal(tile, b, dtype=nl.float32), axis=1)
    nl.store(out, nl.copy(counts, dtype=nl.int32))
    return out


@nki.jit
def clamp_where(x, low, high):
    """Clips in three ways: by minimum and maximum, by where, by predicated copies."""
    out = nl.ndarray((3, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    nl.store(out[0], nl.minimum(nl.maximum(t, low), high))
    nl.store(
        out[1], nl.where(t > high, high * nl.ones(t.shape, dtype=t.dtype), nl.where(nl.less(t, low), low, t))
    )
    kept = nl.copy(t)
    nisa.tensor_copy_predicated(
        src=nl.full(t.shape, high, dtype=t.dtype), dst=kept, predicate=nl.greater(t, high, dtype=nl.uint8)
    )
    nisa.tensor_copy_predicated(
        src=low, dst=kept, predicate=nl.greater_equal(t, low, dtype=nl.uint8), reverse_pred=True
    )
    nl.store(out[2], kept)
    return out


def pools(x, pool, stride):
    c, h, w = x.shape
    windows = np.lib.stride_tricks.sliding_window_view(x, (pool, pool), axis=(1, 2))[:, ::stride, ::stride]
    return windows.max(axis=(3, 4)), windows.mean(axis=(3, 4))


def cases(rng):
    a, b = rng.normal(size=(2, 200, 300)).astype(np.float32)
    yield add_any, (a, b), a + b, 0
    x = rng.integers(-100, 100, (7, 30)).astype(np.int8)
    yield transpose_free, (x, (5, 6)), x.reshape(7, 5, 6).transpose(0, 2, 1).reshape(7, 30), 0
    x = rng.normal(size=(48, 9, 11)).astype(np.float32)
    yield max_pool, (x, 3), pools(x, 3, 1)[0], 0
    yield max_pool, (x, 3, 2), pools(x, 3, 2)[0], 0
    x = rng.normal(size=(64, 8, 12)).astype(np.float32)
    yield average_pool, (x, 4), pools(x, 4, 4)[1], 1e-6
    expected = np.empty((64, 5, 5))
    for i in range(5):
        for j in range(5):
            expected[:, i, j] = x[
                :, i * 8 // 5 : -(-(i + 1) * 8 // 5), j * 12 // 5 : -(-(j + 1) * 12 // 5)
            ].mean(axis=(1, 2))
    yield adaptive_average_pool, (x, 5), expected, 1e-6
    x = rng.normal(size=(150, 2, 32)).astype(np.float32)
    angles = np.arange(150)[:, None] / 100.0 ** (np.arange(16) / 16)
    c, s = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    one, two = x[..., :16], x[..., 16:]
    turned = np.concatenate(
        [one * c[:, None] - two * s[:, None], two * c[:, None] + one * s[:, None]], axis=2
    )
    yield rope, (x, c, s), turned, 1e-6
    x, bias = rng.normal(size=(256, 40)).astype(np.float32), rng.normal(size=40).astype(np.float32)
    erf = np.vectorize(math.erf)
    wide = (x + bias).astype(np.float64)
    yield gelu_bias, (x, bias), wide / 2 * (1 + erf(wide / math.sqrt(2))), 1e-5
    wide = x.astype(np.float64)
    yield gelu_bias, (x,), wide / 2 * (1 + erf(wide / math.sqrt(2))), 1e-5
    x = rng.normal(size=(100, 70)).astype(np.float32)
    scale = (np.abs(x).max(axis=1, keepdims=True) / np.float32(127)).astype(np.float32)
    yield quantize_rows, (x,), (np.rint(x / scale), scale), (1 / 127, 1e-6)
    ids = rng.integers(0, 6, (50, 90)).astype(np.int32)
    yield histogram_counts, (ids, 6), (ids[:, :, None] == np.arange(6)).sum(axis=1), 0
    yield clamp_where, (x, -0.5, 0.75), np.stack([np.clip(x, -0.5, 0.75)] * 3), 0
