"""A 3 x 3 convolution: nine matmuls over shifted windows of the image, added in PSUM."""

import common
import ml_dtypes
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

PSUM_COLUMNS = 512


@nki.jit
def convolution(image, weights):
    """image [channels, height, width], weights [y, x, channels, filters]; no padding."""
    channels, height, width = image.shape
    y_size, x_size, _, filters = weights.shape
    out_height, out_width = height - y_size + 1, width - x_size + 1
    rows = PSUM_COLUMNS // out_width  # rows of the result at a time
    out = nl.ndarray((filters, out_height, out_width), image.dtype, buffer=nl.shared_hbm)
    pixels = nl.load(image)
    kernels = nl.ndarray((channels, y_size * x_size, filters), weights.dtype)
    for y in nl.affine_range(y_size):
        for x in nl.affine_range(x_size):
            kernels[:, y * x_size + x, :] = nl.load(weights[y, x])
    for first in range(0, out_height, rows):
        count = min(rows, out_height - first)
        total = nl.zeros((filters, count, out_width), nl.float32, buffer=nl.psum)
        for y in nl.affine_range(y_size):
            for x in nl.affine_range(x_size):
                window = pixels[:, nl.ds(first + y, count), nl.ds(x, out_width)]
                total += nisa.nc_matmul(kernels[:, y * x_size + x, :], window)
        nl.store(out[:, nl.ds(first, count), :], nl.copy(total, dtype=image.dtype))
    return out


def main():
    rng = np.random.default_rng(1)
    image = rng.normal(size=(64, 30, 44)).astype(ml_dtypes.bfloat16)
    weights = rng.normal(size=(3, 3, 64, 96)).astype(ml_dtypes.bfloat16)
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.float64), (3, 3), axis=(1, 2))
    expected = np.einsum("chwyx,yxcf->fhw", windows, weights.astype(np.float64), optimize=True)
    common.check(convolution, convolution(image, weights), expected, 2**-8)


if __name__ == "__main__":
    main()
