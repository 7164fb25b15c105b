"""Gradients of causal attention of one head.

Scores are not kept: they are computed again from the logarithms of their sums.
"""

import common
import ml_dtypes
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

TILE = 128  # queries, and keys, at a time


@nki.jit
def flash_attention_backward(q, k, v, out, gradient, lse):
    """Gradients of q, k and v, all [length, d].

    q is scaled already; lse is [length, 1], the logarithm of each row's sum. With p = exp(q k.T - lse) and
    the gradient g of the result: dv = p.T g, ds = p (g v.T - rowsum(g out)), dq = ds k, dk = ds.T q.
    """
    length, d = q.shape
    tiles = length // TILE
    dq, dk, dv = (nl.ndarray((length, d), q.dtype, buffer=nl.shared_hbm) for _ in range(3))
    rows, turned, column = (
        (tiles, nl.par_dim(TILE), d),
        (tiles, nl.par_dim(d), TILE),
        (tiles, nl.par_dim(TILE), 1),
    )
    queries, gradients, sums = (
        nl.ndarray(rows, q.dtype),
        nl.ndarray(rows, q.dtype),
        nl.zeros(rows, nl.float32),
    )
    queries_t, gradients_t = nl.ndarray(turned, q.dtype), nl.ndarray(turned, q.dtype)
    low, share = nl.ndarray(column, nl.float32), nl.ndarray(column, nl.float32)
    for i in nl.affine_range(tiles):
        here = nl.ds(i * TILE, TILE)
        queries[i], gradients[i] = nl.load(q[here, :]), nl.load(gradient[here, :])
        queries_t[i] = nisa.tensor_copy(nisa.nc_transpose(queries[i]), dtype=q.dtype)
        gradients_t[i] = nisa.tensor_copy(nisa.nc_transpose(gradients[i]), dtype=q.dtype)
        low[i] = nl.negative(nl.load(lse[here, :]))
        product = nl.multiply(gradients[i], nl.load(out[here, :]), dtype=nl.float32)
        share[i] = nisa.tensor_reduce(np.add, product, axis=(1,))
    p, f = nl.mgrid[0:TILE, 0:TILE]
    for j in nl.affine_range(tiles):
        here = nl.ds(j * TILE, TILE)
        key = nl.load(k[here, :])
        key_t = nisa.tensor_copy(nisa.nc_transpose(key), dtype=q.dtype)
        value_t = nisa.tensor_copy(nisa.nc_transpose(nl.load(v[here, :])), dtype=q.dtype)
        key_sums, value_sums = (nl.zeros((TILE, d), nl.float32, buffer=nl.psum) for _ in range(2))
        for i in nl.sequential_range(j, tiles):
            scores = nisa.nc_matmul(queries_t[i], key_t)
            powers = nisa.activation(np.exp, scores, bias=low[i], dtype=q.dtype)
            if i == j:
                powers = nisa.affine_select(p >= f, powers, 0.0)
            value_sums += nisa.nc_matmul(powers, gradients[i])
            change = nisa.nc_matmul(gradients_t[i], value_t)
            change = nisa.scalar_tensor_tensor(
                data=change,
                op0=np.subtract,
                operand0=share[i],
                op1=np.multiply,
                operand1=powers,
                dtype=q.dtype,
            )
            key_sums += nisa.nc_matmul(change, queries[i])
            change_t = nisa.tensor_copy(nisa.nc_transpose(change), dtype=q.dtype)
            sums[i] += nisa.nc_matmul(change_t, key)
        nl.store(dv[here, :], value_sums)
        nl.store(dk[here, :], key_sums)
    for i in nl.affine_range(tiles):
        nl.store(dq[nl.ds(i * TILE, TILE), :], sums[i])
    return dq, dk, dv


def forward(q, k, v):
    """Returns the result, the powers and the logarithms of their sums."""
    scores = q @ k.T
    scores[np.triu_indices(len(scores), 1)] = -np.inf
    largest = scores.max(1, keepdims=True)
    lse = largest + np.log(np.exp(scores - largest).sum(1, keepdims=True))
    powers = np.exp(scores - lse)
    return powers @ v, powers, lse


def main():
    rng = np.random.default_rng(1)
    d, length = 64, 512
    q, k, v, gradient = (rng.normal(size=(length, d)).astype(ml_dtypes.bfloat16) for _ in range(4))
    q = (q.astype(np.float32) / np.sqrt(d)).astype(ml_dtypes.bfloat16)
    wide = [x.astype(np.float64) for x in (q, k, v, gradient)]
    out, powers, lse = forward(*wide[:3])
    change = powers * (wide[3] @ wide[2].T - (wide[3] * out).sum(1, keepdims=True))
    found = flash_attention_backward(q, k, v, out.astype(q.dtype), gradient, lse.astype(np.float32))
    expected = change @ wide[1], change.T @ wide[0], powers.T @ wide[3]
    common.check(flash_attention_backward, np.stack(found), np.stack(expected), 2**-6)


if __name__ == "__main__":
    main()
