"""Kernels of the benchmarks, in NKI and in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import nki
from ..nki import isa as nisa, language as nl

_P = 128
_WIDE = 512  # columns of a matmul


@nki.jit
def softmax(x: Any) -> Any:
    """Softmax of the rows of x, 128 at a time."""
    y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // _P):
        rows = nl.load(x[nl.ds(i * _P, _P), :])
        low = nisa.tensor_reduce(np.max, rows, axis=(1,), negate=True)
        total = nl.ndarray((_P, 1), nl.float32)
        powers = nisa.activation_reduce(
            np.exp, rows, bias=low, reduce_op=np.add, reduce_res=total, dtype=nl.float32
        )
        nl.store(
            y[nl.ds(i * _P, _P), :],
            nisa.tensor_scalar(powers, np.multiply, nisa.reciprocal(total), dtype=x.dtype),
        )
    return y


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    result: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return result


@nki.jit
def matmul(a: Any, b: Any) -> Any:
    """a.T @ b; b is loaded once, a for each 128 rows of the result."""
    (depth, rows), columns = a.shape, b.shape[1]
    out = nl.ndarray((rows, columns), a.dtype, buffer=nl.shared_hbm)
    right = nl.ndarray((depth // _P, nl.par_dim(_P), columns), b.dtype)
    for k in nl.affine_range(depth // _P):
        right[k] = nl.load(b[nl.ds(k * _P, _P), :])
    for m in nl.affine_range(rows // _P):
        left = nl.ndarray((depth // _P, nl.par_dim(_P), _P), a.dtype)
        for k in nl.affine_range(depth // _P):
            left[k] = nl.load(a[nl.ds(k * _P, _P), nl.ds(m * _P, _P)])
        for n in nl.affine_range(columns // _WIDE):
            total = nl.zeros((_P, _WIDE), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth // _P):
                total += nisa.nc_matmul(left[k], right[k][:, nl.ds(n * _WIDE, _WIDE)])
            nl.store(out[nl.ds(m * _P, _P), nl.ds(n * _WIDE, _WIDE)], nl.copy(total, dtype=a.dtype))
    return out


def numpy_matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    result: np.ndarray = a.T @ b
    return result


@nki.jit
def attention(q: Any, k: Any, v: Any) -> Any:
    """q and k are [d, length], v is [length, d]. All scores are transposed for the second product."""
    d, length = q.shape
    blocks = length // _P
    out = nl.ndarray((length, d), q.dtype, buffer=nl.shared_hbm)
    queries, keys = nl.load(q), nl.load(k)
    values = nl.ndarray((blocks, nl.par_dim(_P), d), v.dtype)
    for j in nl.affine_range(blocks):
        values[j] = nl.load(v[nl.ds(j * _P, _P), :])
    for i in nl.affine_range(blocks):
        scores, largest = nl.ndarray((_P, length), nl.float32), nl.ndarray((_P, length // _WIDE), nl.float32)
        for j in nl.affine_range(length // _WIDE):
            part = nisa.nc_matmul(queries[:, nl.ds(i * _P, _P)], keys[:, nl.ds(j * _WIDE, _WIDE)])
            largest[:, j] = nisa.tensor_reduce(np.max, part, axis=(1,))
            scores[:, nl.ds(j * _WIDE, _WIDE)] = nisa.tensor_copy(part)
        low = nisa.tensor_reduce(np.max, largest, axis=(1,), negate=True)
        sums = nl.ndarray((_P, 1), nl.float32)
        powers = nisa.activation_reduce(
            np.exp, scores, bias=low, reduce_op=np.add, reduce_res=sums, dtype=v.dtype
        )
        total = nl.zeros((_P, d), nl.float32, buffer=nl.psum)
        for j in nl.affine_range(blocks):
            turned = nisa.tensor_copy(nisa.nc_transpose(powers[:, nl.ds(j * _P, _P)]), dtype=v.dtype)
            total += nisa.nc_matmul(turned, values[j])
        nl.store(
            out[nl.ds(i * _P, _P), :],
            nisa.tensor_scalar(total, np.multiply, nisa.reciprocal(sums), dtype=q.dtype),
        )
    return out


def numpy_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    result: np.ndarray = numpy_softmax(q.T @ k) @ v
    return result


@nki.jit
def state_space(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """The scan of a Mamba layer in float32.

    delta and u are [channels, length], a is [channels, states], b and c are [states, length].
    """
    channels, length = delta.shape
    out = nl.ndarray((channels, length), delta.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(channels // _P):
        rows = nl.ds(i * _P, _P)
        step, rate, total = nl.load(delta[rows, :]), nl.load(a[rows, :]), nl.zeros((_P, length), nl.float32)
        fed = nisa.tensor_tensor(step, nl.load(u[rows, :]), np.multiply)
        for s in nl.affine_range(a.shape[1]):
            decay = nisa.activation(np.exp, step, scale=rate[:, s])
            into = nisa.tensor_tensor(fed, nl.load(b[nl.ds(s, 1), :]).broadcast_to((_P, length)), np.multiply)
            state = nisa.tensor_tensor_scan(decay, into, 0.0, np.multiply, np.add)
            total += nisa.tensor_tensor(
                state, nl.load(c[nl.ds(s, 1), :]).broadcast_to((_P, length)), np.multiply
            )
        nl.store(out[rows, :], total)
    return out


@nki.jit
def layernorm(x: Any, gamma: Any, beta: Any) -> Any:
    """Takes rows of x in masked tiles of 128, and statistics of 512 columns at a time."""
    rows, columns = x.shape
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    chunks, all_rows = -(-columns // _WIDE), (_P, columns)
    scale, shift = (nl.load(w.reshape((1, columns))).broadcast_to(all_rows) for w in (gamma, beta))
    p, f, six, wide = (
        nl.arange(_P)[:, None],
        nl.arange(columns)[None, :],
        nl.arange(6)[None, :],
        nl.arange(_WIDE)[None, :],
    )
    for i in nl.affine_range(-(-rows // _P)):
        here = i * _P + p < rows
        tile = nl.load(x[i * _P + p, f], mask=here)
        stats = nl.ndarray((_P, 6 * chunks), nl.float32)
        for k in nl.affine_range(chunks):
            stats[p, 6 * k + six] = nisa.bn_stats(
                tile[p, _WIDE * k + wide], mask=here & (_WIDE * k + wide < columns)
            )
        moments = nisa.bn_aggr(stats, mask=here)
        share = nl.rsqrt(nl.add(moments[:, 1], 1e-5))
        normal = nisa.tensor_scalar(
            tile, np.subtract, moments[:, 0], op1=np.multiply, operand1=share, mask=here
        )
        nl.store(out[i * _P + p, f], nl.add(nl.multiply(normal, scale), shift), mask=here)
    return out


@nki.jit
def rmsnorm_projection(x: Any, weights: Any) -> Any:
    """x / rms(x) times weights of [hidden, columns]; x is [tokens, hidden]."""
    (tokens, hidden), columns = x.shape, weights.shape[1]
    out = nl.ndarray((tokens, columns), x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((hidden // _P, nl.par_dim(_P), columns), x.dtype)
    for h in nl.affine_range(hidden // _P):
        kept[h] = nl.load(weights[nl.ds(h * _P, _P), :])
    for t in nl.affine_range(tokens // _P):
        rows, squares = nl.load(x[nl.ds(t * _P, _P), :]), nl.ndarray((_P, 1), nl.float32)
        nisa.activation_reduce(np.square, rows, reduce_op=np.add, reduce_res=squares, dtype=nl.float32)
        share = nl.rsqrt(nisa.tensor_scalar(squares, np.multiply, 1.0 / hidden, op1=np.add, operand1=1e-6))
        total = nl.zeros((_P, columns), nl.float32, buffer=nl.psum)
        for h in nl.affine_range(hidden // _P):
            total += nisa.nc_matmul(
                nisa.tensor_copy(nisa.nc_transpose(rows[:, nl.ds(h * _P, _P)]), dtype=x.dtype), kept[h]
            )
        nl.store(out[nl.ds(t * _P, _P), :], nisa.tensor_scalar(total, np.multiply, share, dtype=x.dtype))
    return out
