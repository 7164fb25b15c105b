"""Softmax of rows, 128 at a time; the last rows are fewer."""

import common
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def softmax(x):
    """The exponential and the sum of a row are one instruction of the Scalar engine."""
    rows, columns = x.shape
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:columns]
    for tile in nl.affine_range((rows + 127) // 128):
        here = tile * 128 + i < rows
        column = tile * 128 + nl.arange(128)[:, None] < rows
        part = nl.load(x[tile * 128 + i, j], mask=here)
        largest = nisa.tensor_reduce(np.max, part, axis=(1,), negate=True, mask=here)
        total = nl.ndarray((128, 1), nl.float32)
        powers = nisa.activation_reduce(np.exp, part, bias=largest, reduce_op=np.add, reduce_res=total, mask=here)
        share = nisa.reciprocal(total, mask=column)
        nl.store(out[tile * 128 + i, j], nisa.tensor_scalar(powers, np.multiply, share, mask=here), mask=here)
    return out


def main():
    x = np.random.default_rng(1).normal(0, 3, (300, 500)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    common.check(softmax, softmax(x), powers / powers.sum(axis=1, keepdims=True), 1e-5)


if __name__ == "__main__":
    main()
