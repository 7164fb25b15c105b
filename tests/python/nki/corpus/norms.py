"""Normalisations, softmax, scans."""

import math

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki


@nki.jit
def rmsnorm(a_tensor, g_tensor):
    """Rows in tiles of 128, the last one masked; the weights are one row for all partitions."""
    out_tensor = nl.ndarray(a_tensor.shape, dtype=a_tensor.dtype, buffer=nl.shared_hbm)
    assert a_tensor.shape[1] == g_tensor.shape[0]
    ix = nl.arange(128)[:, None]
    iw = nl.arange(1)[:, None]
    iy = nl.arange(a_tensor.shape[1])[None, :]
    num_rows = a_tensor.shape[0]
    g_tile = nl.load(g_tensor.reshape((1, g_tensor.shape[0]))[iw, iy])
    for i in nl.affine_range(math.ceil(a_tensor.shape[0] / 128)):
        a_tile = nl.load(a_tensor[i * 128 + ix, iy], mask=(i * 128 + ix < num_rows))
        in_square = nl.square(a_tile)
        square_sum = nl.sum(in_square, axis=[1])
        mean = square_sum / a_tensor.shape[1]
        rms_reciprocal = nl.rsqrt(mean)
        out_tile = nl.multiply(a_tile, rms_reciprocal)
        g_bcast = g_tile.broadcast_to((128, g_tensor.shape[0]))
        out_tile[...] = nl.multiply(out_tile, g_bcast, mask=(i * 128 + ix < num_rows))
        nl.store(out_tensor[i * 128 + ix, iy], value=out_tile, mask=(i * 128 + ix < num_rows))
    return out_tensor


@nki.jit
def layernorm(x, gamma, beta, epsilon):
    """Statistics of 512 columns at a time; the last block has fewer."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    chunks = math.ceil(columns / nl.tile_size.bn_stats_fmax)
    i_p, i_f, i_one = (
        nl.arange(nl.tile_size.pmax)[:, None],
        nl.arange(columns)[None, :],
        nl.arange(1)[:, None],
    )
    g = nl.load(gamma.reshape((1, columns))[i_one, i_f]).broadcast_to((nl.tile_size.pmax, columns))
    b = nl.load(beta.reshape((1, columns))[i_one, i_f]).broadcast_to((nl.tile_size.pmax, columns))
    for t in nl.affine_range(math.ceil(rows / nl.tile_size.pmax)):
        here = t * nl.tile_size.pmax + i_p < rows
        tile = nl.load(x[t * nl.tile_size.pmax + i_p, i_f], mask=here)
        stats = nl.ndarray((nl.tile_size.pmax, 6 * chunks), dtype=nl.float32)
        for c in nl.affine_range(chunks):
            i_s, i_c = nl.arange(6)[None, :], nl.arange(nl.tile_size.bn_stats_fmax)[None, :]
            stats[i_p, c * 6 + i_s] = nisa.bn_stats(
                tile[i_p, c * nl.tile_size.bn_stats_fmax + i_c],
                mask=here & (c * nl.tile_size.bn_stats_fmax + i_c < columns),
                dtype=nl.float32,
            )
        moments = nisa.bn_aggr(stats, mask=here)
        mean, var = moments[:, 0], moments[:, 1]
        shift = nl.rsqrt(nl.add(var, epsilon))
        normal = nisa.tensor_scalar(
            data=tile,
            op0=np.subtract,
            operand0=mean,
            op1=np.multiply,
            operand1=shift,
            mask=here,
            dtype=nl.float32,
        )
        nl.store(out[t * nl.tile_size.pmax + i_p, i_f], value=nl.add(nl.multiply(normal, g), b), mask=here)
    return out


@nki.jit
def softmax_online(x):
    """The largest element and the sum of a row are found in one pass over blocks of columns."""
    rows, columns = x.shape
    block = 96
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    running_max = nl.full((nl.par_dim(rows), 1), fill_value=-np.inf, dtype=nl.float32, buffer=nl.sbuf)
    running_sum = nl.zeros((nl.par_dim(rows), 1), dtype=nl.float32, buffer=nl.sbuf)
    for c in nl.sequential_range(columns // block):
        tile = nl.load(x[:, nl.ds(c * block, block)])
        new_max = nl.maximum(running_max, nl.max(tile, axis=1, keepdims=True))
        correction = nl.exp(running_max - new_max)
        running_sum[...] = running_sum * correction + nl.sum(nl.exp(tile - new_max), axis=1, keepdims=True)
        running_max[...] = new_max
    scale = nl.reciprocal(running_sum)
    for c in nl.affine_range(columns // block):
        tile = nl.load(x[:, nl.ds(c * block, block)])
        nl.store(y[:, nl.ds(c * block, block)], nl.exp(tile - running_max) * scale)
    return y


@nki.jit
def log_softmax_3d(logits):
    """Normalises over the last dimension of three; batches by an integer index."""
    batch, rows, classes = logits.shape
    out = nl.ndarray(logits.shape, dtype=logits.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(batch):
        tile = nl.load(logits[b, :, :])
        shifted = nl.subtract(tile, nl.max(tile, axis=[1], keepdims=True))
        total = nl.sum(nl.exp(shifted), axis=[1], keepdims=True)
        nl.store(out[b, :, :], shifted - nl.log(total))
    return out


@nki.jit
def group_norm(x, groups):
    """Groups of channels in the free dimension: x is [pixels, groups * size].

    The statistics over pixels are a matmul with ones.
    """
    pixels, channels = x.shape
    size = channels // groups
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    ones = nl.ones((nl.par_dim(pixels), pixels), dtype=x.dtype, buffer=nl.sbuf)
    grouped = tile.reshape((pixels, groups, size))
    sums = nl.ndarray((nl.par_dim(pixels), groups, 2), dtype=nl.float32)
    sums[:, :, 0] = nl.sum(grouped, axis=2)
    sums[:, :, 1] = nl.sum(nl.square(grouped), axis=2)
    moments = nisa.nc_matmul(ones, sums.reshape((pixels, groups * 2)))
    scaled = nl.multiply(moments, 1.0 / (pixels * size)).reshape((pixels, groups, 2))
    mean = scaled[:, :, 0]
    var = scaled[:, :, 1] - mean * mean
    normal = (grouped - mean.reshape((pixels, groups, 1))) * nl.rsqrt(var + 1e-5).reshape((pixels, groups, 1))
    nl.store(out, normal.reshape((pixels, channels)))
    return out


@nki.jit
def selective_scan(delta, u, A, B, C):
    """One state at a time, in segments of the sequence; the state is carried over."""
    batch, channels, length = delta.shape
    states = A.shape[1]
    segment = 64
    out = nl.ndarray((batch, channels, length), dtype=delta.dtype, buffer=nl.shared_hbm)
    P = nl.tile_size.pmax
    for i_batch in nl.affine_range(batch):
        for i_tile in nl.affine_range(channels // P):
            rows = slice(i_tile * P, (i_tile + 1) * P)
            a = nl.load(A[rows, 0:states])
            total = nl.zeros((nl.par_dim(P), length), dtype=delta.dtype)
            d = nl.load(delta[i_batch, rows, 0:length])
            du = nisa.tensor_tensor(d, nl.load(u[i_batch, rows, 0:length]), op=nl.multiply)
            for i_state in nl.affine_range(states):
                carried = nl.zeros((P, 1), dtype=nl.float32)
                for i_segment in nl.static_range(length // segment):
                    at = slice(i_segment * segment, (i_segment + 1) * segment)
                    decay = nisa.activation(op=nl.exp, data=d[:, at], scale=a[:, i_state])
                    b = nl.load(B[i_batch, i_state : i_state + 1, at]).broadcast_to((P, segment))
                    c = nl.load(C[i_batch, i_state : i_state + 1, at]).broadcast_to((P, segment))
                    drive = nisa.tensor_tensor(du[:, at], b, op=nl.multiply)
                    scanned = nisa.tensor_tensor_scan(
                        decay, drive, initial=carried, op0=np.multiply, op1=np.add
                    )
                    carried[...] = nl.copy(scanned[:, segment - 1])
                    total[:, at] += nisa.tensor_tensor(scanned, c, op=nl.multiply)
            nl.store(out[i_batch, rows, 0:length], total)
    return out


@nki.jit
def cumsum_rows(x):
    """Blocks of columns by a scan that starts with the sum so far."""
    rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    ones = nl.ones((rows, 128), dtype=nl.float32)
    start = nl.zeros((rows, 1), dtype=nl.float32)
    for i in nl.sequential_range(columns // 128):
        tile = nl.load(x[0:rows, nl.ds(i * 128, 128)], dtype=nl.float32)
        sums = nisa.tensor_tensor_scan(ones, tile, initial=start, op0=nl.multiply, op1=nl.add)
        nl.store(y[0:rows, nl.ds(i * 128, 128)], sums)
        start[:, 0] = nl.copy(sums[:, 127])
    return y


@nki.jit
def cumsum_partitions(x):
    """Sums down the partitions: a product with a triangle, made by iota and a comparison."""
    rows, columns = x.shape
    y = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(rows)[:, None], nl.arange(rows)[None, :]
    triangle = nisa.affine_select(
        pred=(i_f >= i_p), on_true_tile=nl.ones((rows, rows), dtype=x.dtype), on_false_value=0.0
    )
    nl.store(y, nl.copy(nisa.nc_matmul(triangle, nl.load(x))))
    return y


@nki.jit
def variance_by_hand(x):
    """nl.mean and nl.var beside a sum of products over three free dimensions."""
    n, a, b, c = x.shape
    out = nl.ndarray((n, 3), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    result = nl.ndarray((nl.par_dim(n), 3), dtype=nl.float32)
    result[:, 0:1] = nl.mean(tile, axis=[1, 2, 3])
    result[:, 1:2] = nl.var(tile, axis=[1, 2, 3])
    result[:, 2:3] = nisa.tensor_reduce(np.add, nl.multiply(tile, tile), axis=[1, 2, 3])
    nl.store(out[:, :], result)
    return out


def cases(rng):
    x, g = rng.normal(size=(200, 96)).astype(np.float32), rng.normal(size=96).astype(np.float32)
    wide = x.astype(np.float64)
    yield rmsnorm, (x, g), wide / np.sqrt((wide**2).mean(1, keepdims=True)) * g, 1e-5
    x = rng.normal(1, 2, size=(150, 700)).astype(np.float32)
    g, b = rng.normal(size=(2, 700)).astype(np.float32)
    wide = x.astype(np.float64)
    normal = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    yield layernorm, (x, g, b, 1e-5), normal * g + b, 1e-5
    x = rng.normal(0, 3, size=(77, 288)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    yield softmax_online, (x,), powers / powers.sum(1, keepdims=True), 1e-5
    x = rng.normal(0, 3, size=(3, 60, 50)).astype(np.float32)
    wide = x.astype(np.float64)
    yield log_softmax_3d, (x,), wide - np.log(np.exp(wide).sum(2, keepdims=True)), 1e-5
    x = rng.normal(size=(100, 48)).astype(np.float32)
    grouped = x.astype(np.float64).reshape(100, 6, 8)
    mean, var = grouped.mean((0, 2), keepdims=True), grouped.var((0, 2), keepdims=True)
    yield group_norm, (x, 6), ((grouped - mean) / np.sqrt(var + 1e-5)).reshape(100, 48), 1e-4
    d, u = rng.uniform(0, 1, (2, 1, 128, 128)).astype(np.float32)
    a = -rng.uniform(0.1, 1, (128, 2)).astype(np.float32)
    b, c = rng.normal(size=(2, 1, 2, 128)).astype(np.float32)
    state, expected = np.zeros((1, 128, 2)), np.zeros((1, 128, 128))
    for t in range(128):
        state = (
            np.exp(d[:, :, t, None].astype(np.float64) * a) * state
            + (d * u)[:, :, t, None] * b[:, None, :, t]
        )
        expected[:, :, t] = (state * c[:, None, :, t]).sum(2)
    yield selective_scan, (d, u, a, b, c), expected, 1e-4
    x = rng.normal(size=(60, 384)).astype(nl.bfloat16)
    yield cumsum_rows, (x,), np.cumsum(x.astype(np.float64), axis=1), 1e-5
    x = rng.normal(size=(90, 70)).astype(np.float32)
    yield cumsum_partitions, (x,), np.cumsum(x.astype(np.float64), axis=0), 1e-5
    x = rng.normal(size=(30, 3, 4, 5)).astype(np.float32)
    wide = x.astype(np.float64).reshape(30, -1)
    yield variance_by_hand, (x,), np.stack([wide.mean(1), wide.var(1), (wide**2).sum(1)], axis=1), 1e-5
