"""Softmax of rows, as many at a time as there are partitions; the last tile has fewer rows."""

import common
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki


@nki.jit
def softmax(x):
    """One instruction of the Scalar engine computes the exponentials and the sum of a row."""
    rows, columns = x.shape
    most = nl.tile_size.pmax
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:most, 0:columns]
    for tile in nl.affine_range((rows + most - 1) // most):
        here = tile * most + i < rows
        column = tile * most + nl.arange(most)[:, None] < rows
        part = nl.load(x[tile * most + i, j], mask=here)
        largest = nisa.tensor_reduce(np.max, part, axis=(1,), negate=True, mask=here)
        total = nl.ndarray((most, 1), nl.float32)
        powers = nisa.activation_reduce(
            np.exp, part, bias=largest, reduce_op=np.add, reduce_res=total, mask=here
        )
        share = nisa.reciprocal(total, mask=column)
        nl.store(
            out[tile * most + i, j], nisa.tensor_scalar(powers, np.multiply, share, mask=here), mask=here
        )
    return out


def main():
    x = np.random.default_rng(1).normal(0, 3, (300, 500)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    common.check(softmax, softmax(x), powers / powers.sum(axis=1, keepdims=True), 1e-5)


if __name__ == "__main__":
    main()
