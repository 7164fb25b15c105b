"""Causal attention of one head.

Scores never leave the chip; rows keep their largest score and their sum while the keys go by.
"""

import common
import ml_dtypes
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

TILE = 128  # queries, and keys, at a time


@nki.jit
def flash_attention(q, k, v):
    """q and k are [d, length], v is [length, d]; q is scaled already."""
    d, length = q.shape
    tiles = length // TILE
    out = nl.ndarray((length, d), q.dtype, buffer=nl.shared_hbm)
    queries, keys = nl.load(q), nl.load(k)
    values = nl.ndarray((tiles, nl.par_dim(TILE), d), v.dtype)
    for j in nl.affine_range(tiles):
        values[j] = nl.load(v[nl.ds(j * TILE, TILE), :])
    row, column = nl.mgrid[0:TILE, 0:TILE]
    for i in nl.affine_range(tiles):
        lowest = nl.full((TILE, 1), 3e38, nl.float32)  # the largest score so far, negated
        total, sums = nl.zeros((TILE, 1), nl.float32), nl.zeros((TILE, d), nl.float32)
        for j in nl.sequential_range(i + 1):
            scores = nisa.nc_matmul(queries[:, nl.ds(i * TILE, TILE)], keys[:, nl.ds(j * TILE, TILE)])
            if j == i:
                scores = nisa.affine_select(row >= column, nisa.tensor_copy(scores), -3e38)
            now = nl.minimum(lowest, nisa.tensor_reduce(np.max, scores, axis=(1,), negate=True))
            kept = nl.exp(nl.subtract(now, lowest))
            here = nl.ndarray((TILE, 1), nl.float32)
            powers = nisa.activation_reduce(
                np.exp, scores, bias=now, reduce_op=np.add, reduce_res=here, dtype=v.dtype
            )
            turned = nisa.tensor_copy(nisa.nc_transpose(powers), dtype=v.dtype)
            part = nisa.nc_matmul(turned, values[j])
            total[...] = nisa.scalar_tensor_tensor(
                data=total, op0=np.multiply, operand0=kept, op1=np.add, operand1=here
            )
            sums[...] = nisa.scalar_tensor_tensor(
                data=sums, op0=np.multiply, operand0=kept, op1=np.add, operand1=part
            )
            lowest[...] = nisa.tensor_copy(now)
        result = nisa.tensor_scalar(sums, np.multiply, nisa.reciprocal(total), dtype=q.dtype)
        nl.store(out[nl.ds(i * TILE, TILE), :], result)
    return out


def attention(q, k, v):
    scores = q.T.astype(np.float64) @ k.astype(np.float64)
    scores[np.triu_indices(len(scores), 1)] = -np.inf
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True) @ v.astype(np.float64)


def main():
    rng = np.random.default_rng(1)
    d, length = 64, 512
    q, k, v = (
        rng.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((d, length), (d, length), (length, d))
    )
    q = (q.astype(np.float32) / np.sqrt(d)).astype(ml_dtypes.bfloat16)
    common.check(flash_attention, flash_attention(q, k, v), attention(q, k, v), 2**-7)


if __name__ == "__main__":
    main()
