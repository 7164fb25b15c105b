"""Attention in bfloat16 and float32: the scores of 128 queries with all keys at a time."""

from __future__ import annotations

from typing import Any

from neuronxcc import nki
from neuronxcc.nki import isa as nisa, language as nl

_P = 128
_WIDE = 512  # columns of a matmul


@nki.jit
def attention_once(q: Any, k: Any, v: Any) -> Any:
    """softmax(q.T @ k) @ v.T of [128, length]; powers are taken and summed 128 keys at a time.

    The largest score of the first queries stands for that of all, as in the measured kernel.
    """
    size, length = q.shape
    out = nl.ndarray((length, size), q.dtype, buffer=nl.shared_hbm)
    queries, keys = nl.load(q), nl.load(k)
    values = nl.ndarray((length // _P, nl.par_dim(_P), size), nl.bfloat16, buffer=nl.sbuf)
    for j in range(length // _P):
        values[j] = nl.copy(nisa.nc_transpose(nl.load(v[:, nl.ds(j * _P, _P)])), dtype=nl.bfloat16)
    largest = nl.ndarray((nl.par_dim(_P), length // _WIDE), nl.float32)
    for j in range(length // _WIDE):
        scores = nisa.nc_matmul(queries[:, nl.ds(0, _P)], keys[:, nl.ds(j * _WIDE, _WIDE)])
        largest[:, nl.ds(j, 1)] = nisa.tensor_reduce(nl.maximum, scores, axis=(1,), keepdims=True)
    low = nisa.tensor_reduce(nl.maximum, largest, axis=(1,), negate=True, keepdims=True)
    for i in range(length // _P):
        total = nl.zeros((_P, size), nl.float32, buffer=nl.psum)
        sums = nl.ndarray((nl.par_dim(_P), length // _P), nl.float32)
        for j in range(length // _WIDE):
            scores = nisa.nc_matmul(queries[:, nl.ds(i * _P, _P)], keys[:, nl.ds(j * _WIDE, _WIDE)])
            for part in range(_WIDE // _P):
                at = j * (_WIDE // _P) + part
                powers = nisa.activation(nl.exp, scores[:, nl.ds(part * _P, _P)], bias=low, dtype=nl.bfloat16)
                sums[:, nl.ds(at, 1)] = nisa.tensor_reduce(
                    nl.add, powers, axis=(1,), keepdims=True, dtype=nl.float32
                )
                total += nisa.nc_matmul(nl.copy(nisa.nc_transpose(powers), dtype=nl.bfloat16), values[at])
        share = nisa.reciprocal(nisa.tensor_reduce(nl.add, sums, axis=(1,), keepdims=True))
        nl.store(
            out[nl.ds(i * _P, _P), :],
            nisa.tensor_scalar(total, nl.multiply, share, engine=nisa.vector_engine, dtype=q.dtype),
        )
    return out


@nki.jit
def attention_small_head(q: Any, k: Any, v: Any) -> Any:
    """softmax(q @ k.T / 8) @ v of [length, 64] in float32, with bfloat16 in matmuls and scores."""
    length, size = q.shape
    tiles = length // _P
    out = nl.ndarray((length, size), q.dtype, buffer=nl.shared_hbm)
    values = nl.ndarray((tiles, nl.par_dim(_P), size), nl.bfloat16, buffer=nl.sbuf)
    queries, keys = (nl.ndarray((nl.par_dim(size), length), nl.bfloat16, buffer=nl.sbuf) for _ in range(2))
    for t in range(tiles):
        rows = nl.ds(t * _P, _P)
        values[t] = nl.load(v[rows, :], dtype=nl.bfloat16)
        for source, kept, scale in ((q, queries, 0.125), (k, keys, 1.0)):
            turned = nisa.nc_transpose(nl.load(source[rows, :]))
            kept[:, rows] = nisa.activation(nl.copy, turned, scale=scale, dtype=nl.bfloat16)
    for i in range(tiles):
        scores, lows = (
            nl.ndarray((nl.par_dim(_P), length), nl.bfloat16),
            nl.ndarray((nl.par_dim(_P), tiles), nl.float32),
        )
        for j in range(tiles):
            here = nl.ds(j * _P, _P)
            part = nisa.nc_matmul(queries[:, nl.ds(i * _P, _P)], keys[:, here])
            scores[:, here] = nl.copy(part, dtype=nl.bfloat16)
            lows[:, nl.ds(j, 1)] = nisa.tensor_reduce(
                nl.maximum, scores[:, here], axis=(1,), negate=True, keepdims=True, dtype=nl.float32
            )
        low, sums = (
            nisa.tensor_reduce(nl.minimum, lows, axis=(1,), keepdims=True),
            nl.ndarray((nl.par_dim(_P), 1), nl.float32),
        )
        powers = nisa.activation_reduce(
            nl.exp, scores, bias=low, reduce_op=nl.add, reduce_res=sums, dtype=nl.bfloat16
        )
        total = nl.zeros((_P, size), nl.float32, buffer=nl.psum)
        for j in range(tiles):
            turned = nl.copy(nisa.nc_transpose(powers[:, nl.ds(j * _P, _P)]), dtype=nl.bfloat16)
            total += nisa.nc_matmul(turned, values[j])
        nl.store(
            out[nl.ds(i * _P, _P), :],
            nisa.tensor_scalar(total, nl.multiply, nisa.reciprocal(sums), dtype=q.dtype),
        )
    return out
