"""Images and sequences: interpolation, resizing, convolutions, embedding."""

import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki


@nki.jit
def bilinear_twice(x):
    """Enlarges [channels, height, width] to twice the size, with weights 3/4 and 1/4 and repeated edges."""
    c, h, w = x.shape
    out = nl.ndarray((c, 2 * h, 2 * w), dtype=x.dtype, buffer=nl.shared_hbm)
    image = nl.load(x)
    wide = nl.ndarray((nl.par_dim(c), h, 2 * w), dtype=x.dtype)
    near, far = nl.multiply(image, 0.75), nl.multiply(image, 0.25)
    i_c, i_h, i_w = nl.mgrid[0:c, 0:h, 0 : w - 1]
    wide[i_c, i_h, 2 * i_w + 1] = nl.add(near[i_c, i_h, i_w], far[i_c, i_h, i_w + 1])
    wide[i_c, i_h, 2 * i_w + 2] = nl.add(near[i_c, i_h, i_w + 1], far[i_c, i_h, i_w])
    wide[:, :, 0] = nl.copy(image[:, :, 0])
    wide[:, :, 2 * w - 1] = nl.copy(image[:, :, w - 1])
    near, far = wide * 0.75, wide * 0.25
    tall = nl.ndarray((nl.par_dim(c), 2 * h, 2 * w), dtype=x.dtype)
    i_c, i_h, i_w = nl.mgrid[0:c, 0 : h - 1, 0 : 2 * w]
    tall[i_c, 2 * i_h + 1, i_w] = nl.add(near[i_c, i_h, i_w], far[i_c, i_h + 1, i_w])
    tall[i_c, 2 * i_h + 2, i_w] = nl.add(near[i_c, i_h + 1, i_w], far[i_c, i_h, i_w])
    tall[:, 0, :] = nl.copy(wide[:, 0, :])
    tall[:, 2 * h - 1, :] = nl.copy(wide[:, h - 1, :])
    nl.store(out, value=tall)
    return out


@nki.jit
def trilinear_step(x):
    """Means of neighbours along three dimensions: eight shifted reads of a tile of four dimensions."""
    c, d, h, w = x.shape
    out = nl.ndarray((c, d - 1, h - 1, w - 1), dtype=x.dtype, buffer=nl.shared_hbm)
    volume = nl.load(x)
    i = nl.mgrid[0:c, 0 : d - 1, 0 : h - 1, 0 : w - 1]
    total = nl.zeros((nl.par_dim(c), d - 1, h - 1, w - 1), dtype=nl.float32)
    for a in range(2):
        for b in range(2):
            for e in range(2):
                total += volume[i.p, i.x + a, i.y + b, i.z + e] * 0.125
    nl.store(out, total)
    return out


@nki.jit
def resize_nearest(data_tensor, out_shape):
    """[batch, height, width, channels]: rows of the output are on the partitions, each pixel of the source is
    a load.
    """
    in_b, in_h, in_w, in_c = data_tensor.shape
    out_b, out_h, out_w, out_c = out_shape
    out_tensor = nl.ndarray(out_shape, dtype=data_tensor.dtype, buffer=nl.shared_hbm)
    h_scale, w_scale = 1.0 * in_h / out_h, 1.0 * in_w / out_w
    row_map, column_map = (
        np.floor(np.arange(out_h) * h_scale).astype(int),
        np.floor(np.arange(out_w) * w_scale).astype(int),
    )
    source = data_tensor.reshape((in_b, in_h * in_w, in_c))
    target = out_tensor.reshape((out_b, out_h * out_w, out_c))
    places = [int(r * in_w + s) for r in row_map for s in column_map]
    for b in nl.affine_range(in_b):
        for first in range(0, len(places), 128):
            here = places[first : first + 128]
            tile = nl.ndarray((nl.par_dim(len(here)), in_c), dtype=data_tensor.dtype)
            for p, place in enumerate(here):
                tile[p : p + 1, :] = nl.load(source[b, place : place + 1, :])
            nl.store(target[b, first : first + len(here), :], tile)
    return out_tensor


@nki.jit
def conv1d_depthwise(x, w, bias):
    """[channels, length] with taps of each channel; masks on loads make zeros at the edges."""
    channels, length = x.shape
    taps = w.shape[1]
    pad = taps // 2
    y = nl.ndarray((channels, length), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f, i_t, i_1 = (
        nl.arange(128)[:, None],
        nl.arange(length)[None, :],
        nl.arange(taps)[None, :],
        nl.arange(1)[None, :],
    )
    for t in nl.affine_range((channels + 127) // 128):
        rows = t * 128 + i_p
        here = rows < channels
        weights = nl.load(w[rows, i_t], mask=here)
        shift = nl.load(bias[rows, i_1], mask=here)
        acc = nl.zeros((nl.par_dim(128), length), dtype=nl.float32)
        for k in nl.static_range(taps):
            moved = nl.zeros((nl.par_dim(128), length), dtype=x.dtype)
            inside = here & (i_f + (k - pad) >= 0) & (i_f + (k - pad) < length)
            moved[i_p, i_f] = nl.load(x[rows, i_f + (k - pad)], mask=inside)
            acc[...] = nisa.scalar_tensor_tensor(
                data=moved, op0=nl.multiply, operand0=weights[:, k], op1=nl.add, operand1=acc, mask=here
            )
        nl.store(y[rows, i_f], value=nl.silu(nl.add(acc, shift, mask=here), mask=here), mask=here)
    return y


@nki.jit
def causal_conv_windows(x, w):
    """The same by overlapping windows of a padded tile."""
    channels, length = x.shape
    taps = w.shape[1]
    y = nl.ndarray((channels, length), dtype=x.dtype, buffer=nl.shared_hbm)
    padded = nl.zeros((nl.par_dim(channels), length + taps - 1), dtype=x.dtype, buffer=nl.sbuf)
    padded[:, nl.ds(taps - 1, length)] = nl.load(x)
    weights = nl.load(w)
    i_p, i_f, i_t = nl.mgrid[0:channels, 0:length, 0:taps]
    products = nl.multiply(padded[i_p, i_f + i_t], weights.reshape((channels, 1, taps)))
    nl.store(y, nl.sum(products, axis=2))
    return y


@nki.jit
def embedding_one_hot(ids, table):
    """Reads rows of a table by a matmul with one-hot columns, without an index from a tile."""
    tokens = ids.shape[1]
    words, d = table.shape
    out = nl.ndarray((tokens, d), dtype=table.dtype, buffer=nl.shared_hbm)
    ids_all = nl.load(ids).broadcast_to((128, tokens))
    acc = nl.zeros((nl.par_dim(tokens), d), dtype=nl.float32, buffer=nl.psum)
    for v in nl.affine_range(words // 128):
        word = nisa.iota(v * 128 + nl.arange(128)[:, None] + 0 * nl.arange(1)[None, :], dtype=nl.int32)
        one_hot = nl.equal(ids_all, word, dtype=table.dtype)
        acc += nisa.nc_matmul(one_hot, nl.load(table[nl.ds(v * 128, 128), :]))
    nl.store(out, acc)
    return out


@nki.jit
def select_and_scatter(operand, source, window, stride):
    """The gradient of a max pool without overlap: the source is added where the maximum was."""
    c, h, w = operand.shape
    out = nl.ndarray(operand.shape, dtype=operand.dtype, buffer=nl.shared_hbm)
    x, g = nl.load(operand), nl.load(source)
    ho, wo = h // stride, w // stride
    result = nl.zeros((nl.par_dim(c), h, w), dtype=operand.dtype)
    i_c, i_h, i_w = nl.mgrid[0:c, 0:ho, 0:wo]
    largest = nl.copy(x[i_c, stride * i_h, stride * i_w])
    for a in range(window):
        for b in range(window):
            largest[...] = nl.maximum(largest, x[i_c, stride * i_h + a, stride * i_w + b])
    taken = nl.zeros((nl.par_dim(c), ho, wo), dtype=nl.float32)
    for a in range(window):
        for b in range(window):
            hit = nl.equal(x[i_c, stride * i_h + a, stride * i_w + b], largest, dtype=nl.float32)
            fresh = nl.multiply(hit, nl.subtract(1.0, taken))
            taken[...] = nl.maximum(taken, hit)
            result[i_c, stride * i_h + a, stride * i_w + b] = nl.multiply(fresh, g)
    nl.store(out, result)
    return out


@nki.jit
def space_to_depth(x, r):
    """Permutes four dimensions by views in HBM alone."""
    h, w = x.shape
    out = nl.ndarray((r, r, h // r, w // r), dtype=x.dtype, buffer=nl.shared_hbm)
    i_h, i_w = nl.mgrid[0 : h // r, 0 : w // r]
    for a in nl.affine_range(r):
        for b in nl.affine_range(r):
            tile = nl.load(x[r * i_h + a, r * i_w + b])
            nl.store(out[a, b, i_h, i_w], tile)
    return out


def doubled(x, axis):
    previous, following = (
        np.take(x, np.clip(np.arange(x.shape[axis]) + s, 0, x.shape[axis] - 1), axis) for s in (-1, 1)
    )
    pair = np.stack([0.75 * x + 0.25 * previous, 0.75 * x + 0.25 * following], axis + 1)
    return pair.reshape([size * (2 if at == axis else 1) for at, size in enumerate(x.shape)])


def cases(rng):
    x = rng.normal(size=(40, 6, 7)).astype(np.float32)
    yield bilinear_twice, (x,), doubled(doubled(x.astype(np.float64), 2), 1), 1e-6
    x = rng.normal(size=(16, 4, 5, 6)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2, 2), axis=(1, 2, 3))
    yield trilinear_step, (x,), windows.mean(axis=(4, 5, 6)), 1e-6
    x = rng.normal(size=(2, 3, 4, 20)).astype(np.float32)
    rows, columns = (np.arange(7) * 3 / 7).astype(int), (np.arange(6) * 4 / 6).astype(int)
    yield resize_nearest, (x, (2, 7, 6, 20)), x[:, rows][:, :, columns], 0
    x, w, b = (
        rng.normal(size=(140, 50)).astype(np.float32),
        rng.normal(size=(140, 5)).astype(np.float32),
        rng.normal(size=(140, 1)).astype(np.float32),
    )
    wide = np.pad(x.astype(np.float64), ((0, 0), (2, 2)))
    total = np.einsum("cft,ct->cf", np.lib.stride_tricks.sliding_window_view(wide, 5, axis=1), w) + b
    yield conv1d_depthwise, (x, w, b), total / (1 + np.exp(-total)), 1e-5
    wide = np.pad(x[:90].astype(np.float64), ((0, 0), (4, 0)))
    yield (
        causal_conv_windows,
        (x[:90], w[:90]),
        np.einsum("cft,ct->cf", np.lib.stride_tricks.sliding_window_view(wide, 5, axis=1), w[:90]),
        1e-5,
    )
    ids, table = (
        rng.integers(0, 256, (1, 40)).astype(np.int32),
        rng.normal(size=(256, 48)).astype(nl.bfloat16),
    )
    yield embedding_one_hot, (ids, table), table[ids[0]], 0
    x, g = (
        rng.permutation(12 * 64).reshape(12, 8, 8).astype(np.float32),
        rng.normal(size=(12, 4, 4)).astype(np.float32),
    )
    blocks = x.reshape(12, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(12, 4, 4, 4)
    spread = np.where(blocks == blocks.max(-1, keepdims=True), g[..., None], 0).reshape(12, 4, 4, 2, 2)
    yield select_and_scatter, (x, g, 2, 2), spread.transpose(0, 1, 3, 2, 4).reshape(12, 8, 8), 0
    x = rng.normal(size=(24, 36)).astype(np.float32)
    yield space_to_depth, (x, 3), x.reshape(8, 3, 12, 3).transpose(1, 3, 0, 2), 0
