"""left.T @ right in three steps: sums in SBUF, then sums in PSUM, then every element loaded once."""

import common
import ml_dtypes
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

ROWS, COLUMNS, DEPTH = 128, 512, 128  # rows and columns of a tile of the result; elements contracted at once


@nki.jit
def basic(left, right):
    """Loads the operands of every product of tiles, and adds the products in SBUF."""
    (k_size, m_size), n_size = left.shape, right.shape[1]
    out = nl.ndarray((m_size, n_size), left.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(m_size // ROWS):
        for n in nl.affine_range(n_size // COLUMNS):
            total = nl.zeros((ROWS, COLUMNS), nl.float32)
            for k in nl.sequential_range(k_size // DEPTH):
                a = nl.load(left[nl.ds(k * DEPTH, DEPTH), nl.ds(m * ROWS, ROWS)])
                b = nl.load(right[nl.ds(k * DEPTH, DEPTH), nl.ds(n * COLUMNS, COLUMNS)])
                total += nl.matmul(a, b, transpose_x=True)
            nl.store(out[nl.ds(m * ROWS, ROWS), nl.ds(n * COLUMNS, COLUMNS)], total)
    return out


@nki.jit
def tiled(left, right):
    """Adds the products in PSUM, by the array itself."""
    (k_size, m_size), n_size = left.shape, right.shape[1]
    out = nl.ndarray((m_size, n_size), left.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(m_size // ROWS):
        for n in nl.affine_range(n_size // COLUMNS):
            total = nl.zeros((ROWS, COLUMNS), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(k_size // DEPTH):
                a = nl.load(left[nl.ds(k * DEPTH, DEPTH), nl.ds(m * ROWS, ROWS)])
                b = nl.load(right[nl.ds(k * DEPTH, DEPTH), nl.ds(n * COLUMNS, COLUMNS)])
                total += nisa.nc_matmul(a, b)
            nl.store(
                out[nl.ds(m * ROWS, ROWS), nl.ds(n * COLUMNS, COLUMNS)], nl.copy(total, dtype=left.dtype)
            )
    return out


@nki.jit
def optimised(left, right):
    """Loads operands once, in long rows, and keeps them in SBUF; results leave in whole rows."""
    (k_size, m_size), n_size = left.shape, right.shape[1]
    depth, rows, columns = k_size // DEPTH, m_size // ROWS, n_size // COLUMNS
    out = nl.ndarray((m_size, n_size), left.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((depth, nl.par_dim(DEPTH), m_size), left.dtype)
    b = nl.ndarray((depth, nl.par_dim(DEPTH), n_size), right.dtype)
    for k in nl.affine_range(depth):
        a[k] = nl.load(left[nl.ds(k * DEPTH, DEPTH), :])
        b[k] = nl.load(right[nl.ds(k * DEPTH, DEPTH), :])
    for m in nl.affine_range(rows):
        row = nl.ndarray((ROWS, n_size), left.dtype)
        for n in nl.affine_range(columns):
            total = nl.zeros((ROWS, COLUMNS), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(depth):
                total += nisa.nc_matmul(a[k, :, nl.ds(m * ROWS, ROWS)], b[k, :, nl.ds(n * COLUMNS, COLUMNS)])
            row[:, nl.ds(n * COLUMNS, COLUMNS)] = nisa.tensor_copy(total, dtype=left.dtype)
        nl.store(out[nl.ds(m * ROWS, ROWS), :], row)
    return out


def main():
    rng = np.random.default_rng(1)
    left, right = (rng.normal(size=(512, n)).astype(ml_dtypes.bfloat16) for n in (256, 1024))
    expected = left.astype(np.float64).T @ right.astype(np.float64)
    for kernel in (basic, tiled, optimised):
        figures = common.check(kernel, kernel(left, right), expected, 2**-8)
        print(
            f"{'':24} array utilisation {100 * figures['matmul']['utilisation']:.0f} % between the first "
            "matmul and the last"
        )


if __name__ == "__main__":
    main()
