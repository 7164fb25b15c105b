"""Kernels without matmuls, in float32. As on the chip, Scalar scales, and Vector combines two tiles."""

from __future__ import annotations

from typing import Any

from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

_P = 128
_WIDE = 512  # elements a partition of an instruction
_LOADED = 1024  # elements a partition of a transfer


@nki.jit
def silu(x: Any) -> Any:
    """x / (1 + exp(-x))."""
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), x.dtype, buffer=nl.shared_hbm)
    one = nisa.memset((_P, 1), 1.0, nl.float32)
    for t in range(0, rows, _P):
        for c in range(0, columns, _LOADED):
            tile, done = (
                nl.load(x[nl.ds(t, _P), nl.ds(c, _LOADED)]),
                nl.ndarray((nl.par_dim(_P), _LOADED), x.dtype),
            )
            for h in range(0, _LOADED, _WIDE):
                part = tile[:, nl.ds(h, _WIDE)]
                below = nisa.activation(nl.copy, nisa.activation(nl.exp, part, scale=-1.0), bias=one)
                done[:, nl.ds(h, _WIDE)] = nisa.tensor_tensor(part, nisa.reciprocal(below), nl.multiply)
            nl.store(out[nl.ds(t, _P), nl.ds(c, _LOADED)], done)
    return out


def _step(tiles: list[Any], eps: Any) -> Any:
    """Returns the new parameters of theta, g, m and v: eight instructions of Scalar, five of Vector."""
    theta, g, m, v = tiles
    momentum = nisa.tensor_tensor(
        nisa.activation(nl.copy, m, scale=0.9), nisa.activation(nl.copy, g, scale=0.1), nl.add
    )
    variance = nisa.tensor_tensor(
        nisa.activation(nl.copy, v, scale=0.999), nisa.activation(nl.square, g, scale=0.001**0.5), nl.add
    )
    below = nisa.activation(nl.copy, nisa.activation(nl.sqrt, variance, scale=1000.0), bias=eps)
    change = nisa.tensor_tensor(
        nisa.activation(nl.copy, momentum, scale=0.01), nisa.reciprocal(below), nl.multiply
    )
    return nisa.tensor_tensor(nisa.activation(nl.copy, theta, scale=1 - 1e-5), change, nl.subtract)


@nki.jit
def adamw(theta: Any, g: Any, m: Any, v: Any) -> Any:
    """One step of AdamW: decay 1e-5, rate 0.01, momenta 0.9 and 0.999 at their first step."""
    rows, columns = theta.shape
    out = nl.ndarray((rows, columns), theta.dtype, buffer=nl.shared_hbm)
    eps = nisa.memset((_P, 1), 1e-8, nl.float32)
    for t in range(0, rows, _P):
        some = min(_P, rows - t)
        for c in range(0, columns, _LOADED):
            tiles = [nl.load(tensor[nl.ds(t, some), nl.ds(c, _LOADED)]) for tensor in (theta, g, m, v)]
            done = nl.ndarray((nl.par_dim(some), _LOADED), theta.dtype)
            for h in range(0, _LOADED, _WIDE):
                parts = [tile[:, nl.ds(h, _WIDE)] for tile in tiles]
                done[:, nl.ds(h, _WIDE)] = _step(parts, eps[0:some, :])
            nl.store(out[nl.ds(t, some), nl.ds(c, _LOADED)], done)
    return out


def _rotated(x: Any, cos: Any, sin: Any, out: Any, first: int, width: int, copies: bool) -> None:
    """Rotates `width` columns; with `copies` the lower half of x comes up by an instruction of Scalar."""
    half = x.shape[0] // 2
    columns = nl.ds(first, width)
    cosines, sines = nl.load(cos[:, columns]), nl.load(sin[:, columns])
    if copies:
        both = nl.load(x[:, columns])
        even, odd = both[0:half, :], nisa.tensor_copy(both[half : 2 * half, :], engine=nisa.scalar_engine)
    else:
        even, odd = nl.load(x[0:half, columns]), nl.load(x[half : 2 * half, columns])
    pairs = [
        (
            nisa.tensor_tensor(even, cosines, nl.multiply),
            nisa.tensor_tensor(odd, sines, nl.multiply),
            nl.subtract,
        ),
        (nisa.tensor_tensor(odd, cosines, nl.multiply), nisa.tensor_tensor(even, sines, nl.multiply), nl.add),
    ]
    for i, (a, b, operation) in enumerate(pairs):
        nl.store(out[nl.ds(i * half, half), columns], nisa.tensor_tensor(a, b, operation))


@nki.jit
def rope(x: Any, cos: Any, sin: Any) -> Any:
    """Rotary embedding of columns of x [size, length] by angles [size / 2, length], 512 columns at a time."""
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    for first in range(0, x.shape[1], _WIDE):
        _rotated(x, cos, sin, out, first, _WIDE, copies=True)
    return out


@nki.jit
def rope_wide(x: Any, cos: Any, sin: Any) -> Any:
    """The same, 2048 columns at a time, with the halves of x loaded to the same partitions."""
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    for first in range(0, x.shape[1], 2048):
        _rotated(x, cos, sin, out, first, 2048, copies=False)
    return out


_TOGETHER = 16  # outputs whose instructions take turns, so that none waits for the one before it


@nki.jit
def depthwise_convolution(image: Any, filters: Any) -> Any:
    """Rows of image [images, channels, width] with filters [channels, 3] and a zero at both ends.

    Each output is a product of three elements and a sum of three.
    """
    images, channels, width = image.shape
    taps = filters.shape[1]
    out = nl.ndarray(image.shape, image.dtype, buffer=nl.shared_hbm)
    for c in range(0, channels, _P):
        weights = nl.load(filters[nl.ds(c, _P), :])
        for i in range(images):
            padded = nl.zeros((nl.par_dim(_P), width + 2), image.dtype, buffer=nl.sbuf)
            padded[:, nl.ds(1, width)] = nl.load(image[i, nl.ds(c, _P), :])
            done = nl.ndarray((nl.par_dim(_P), width), image.dtype)
            for first in range(0, width, _TOGETHER):
                products = [
                    nisa.tensor_tensor(padded[:, nl.ds(first + o, taps)], weights, nl.multiply)
                    for o in range(_TOGETHER)
                ]
                for o in range(_TOGETHER):
                    done[:, nl.ds(first + o, 1)] = nisa.tensor_reduce(
                        nl.add, products[o], axis=(1,), keepdims=True
                    )
            nl.store(out[i, nl.ds(c, _P), :], done)
    return out
