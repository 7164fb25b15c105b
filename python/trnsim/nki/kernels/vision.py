"""Kernels of images: select and scatter, resizing, pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import isa as nisa, language as nl
from ..kernel import jit
from ..tensor import Tensor
from .common import TILE, parts, positions, programs, require

_LOWEST = -3e38
_BYTES = 32 * 1024  # bytes of a partition for a part of an image


@jit
def select_and_scatter_kernel(operand_tensor: Any, source_tensor: Any) -> Tensor:
    """The gradient of a pool of 3 x 3 maxima in steps of 2 with a border of 1.

    operand_tensor is [n, c, h, w] and source_tensor [n, c, (h + 1) / 2, (w + 1) / 2], rounded down. Each
    element of the source is added at the first largest element of its window.
    """
    n, c, h, w = operand_tensor.shape
    rows, columns = (h - 1) // 2 + 1, (w - 1) // 2 + 1
    require(
        tuple(source_tensor.shape) == (n, c, rows, columns),
        f"select_and_scatter_kernel of {list(operand_tensor.shape)} and {list(source_tensor.shape)}, "
        f"expected a source of {[n, c, rows, columns]}",
    )
    out = nl.ndarray(operand_tensor.shape, operand_tensor.dtype, buffer=nl.shared_hbm)
    band = max(1, min(rows, _BYTES // (4 * (w + 3)) // 2 - 2))  # rows of the source at a time
    for image, first_c, first in (
        (image, first_c, first)
        for image in range(n)
        for first_c in range(0, c, TILE)
        for first in range(0, rows, band)
    ):
        count = min(TILE, c - first_c)
        channel = nl.ds(first_c, count)
        # A row of the result belongs to two of the source at most: the band's, and the one after it.
        height = min(rows, first + band + 1) - first
        padded = nl.full((count, 2 * height + 1, 2 * columns + 1), _LOWEST, nl.float32)
        low, high = max(0, 2 * first - 1), min(h, 2 * (first + height))
        inside = nl.ds(low - (2 * first - 1), high - low)
        padded[:, inside, 1 : w + 1] = nl.load(operand_tensor[image, channel, low:high, :], dtype=nl.float32)
        source = nl.load(source_tensor[image, channel, nl.ds(first, height), :], dtype=nl.float32)
        sums = _scattered(padded, source)
        last = min(h, 2 * (first + band)) if first + band < rows else h
        result = sums[:, nl.ds(1, last - 2 * first), 1 : w + 1]
        nl.store(out[image, channel, 2 * first : last, :], nl.copy(result, dtype=operand_tensor.dtype))
    return out


def _scattered(padded: Tensor, source: Tensor) -> Tensor:
    """Returns the sums of the source at the first largest element of each window of a padded image."""
    _, height, columns = source.shape
    windows = [
        (slice(None), slice(y, y + 2 * height - 1, 2), slice(x, x + 2 * columns - 1, 2))
        for y in range(3)
        for x in range(3)
    ]
    largest = nl.copy(padded[windows[0]])
    for window in windows[1:]:
        largest[...] = nl.maximum(largest, padded[window])
    left, sums = nl.copy(source), nl.zeros(padded.shape, nl.float32)
    for window in windows:
        chosen = nl.multiply(nl.equal(padded[window], largest, dtype=nl.float32), left)
        sums[window] = nl.add(sums[window], chosen)
        # What has gone to an element does not go to a later one that is as large.
        missed = nl.not_equal(padded[window], largest, dtype=nl.float32)
        left[...] = nl.multiply(left, missed)
    return sums


@jit
def resize_nearest_fixed_dma_kernel(data_tensor: Any, out_shape: Any) -> Tensor:
    """Images in another size, of the nearest elements; a program of the grid [batch] each.

    data_tensor is [batch, height, width, channels], out_shape has the same batch and channels.
    """
    batch, h, w, c = data_tensor.shape
    out_batch, out_h, out_w, out_c = out_shape
    require(
        (out_batch, out_c) == (batch, c),
        f"resize_nearest_fixed_dma_kernel of {list(data_tensor.shape)} to {list(out_shape)}, expected the "
        "same batch and channels",
    )
    out = nl.ndarray(tuple(out_shape), data_tensor.dtype, buffer=nl.shared_hbm)
    rows = np.arange(out_h)[:, None] * h // out_h
    places = (rows * w + np.arange(out_w)[None, :] * w // out_w).reshape(-1, 1)
    nearest = nl.shared_constant(places.astype(np.int32))
    for (image,) in programs("resize_nearest_fixed_dma_kernel", batch):
        pixels, results = data_tensor[image].reshape((h * w, c)), out[image].reshape((out_h * out_w, c))
        for first, count in parts(out_h * out_w, TILE):
            at = nl.load(nearest[nl.ds(first, count), :])
            column = nl.arange(c)[None, :]
            nl.store(results[nl.ds(first, count), :], nl.load(pixels[at, column]))
    return out


@jit
def adaptive_avg_pool2d_kernel(in_tensor: Any, output_size: Any) -> Tensor:
    """Means of windows that cover an image, as torch.nn.AdaptiveAvgPool2d has them.

    in_tensor is [n, c, h, w]; output_size is a number or (height, width).
    """
    n, c, h, w = in_tensor.shape
    height, width = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    require(
        0 < height <= h and 0 < width <= w,
        f"adaptive_avg_pool2d_kernel of {list(in_tensor.shape)} to {height} x {width}, expected at most "
        f"{h} x {w}",
    )
    out = nl.ndarray((n, c, height, width), in_tensor.dtype, buffer=nl.shared_hbm)
    most = max(1, _BYTES // (4 * w))
    for image, y in positions(n, height):
        top, bottom = y * h // height, -(-(y + 1) * h // height)
        for first, count in parts(c, TILE):
            sums = nl.zeros((count, w), nl.float32)
            for place, rows in parts(bottom - top, most):
                part = nl.load(in_tensor[image, nl.ds(first, count), nl.ds(top + place, rows), :])
                sums[...] = nl.add(sums, nisa.tensor_reduce(np.add, part, axis=(1,), dtype=nl.float32))
            row = nl.ndarray((count, width), nl.float32)
            for x in range(width):
                left, right = x * w // width, -(-(x + 1) * w // width)
                total = nisa.tensor_reduce(np.add, sums[:, left:right], axis=(1,))
                row[:, x] = nl.multiply(total, 1.0 / ((bottom - top) * (right - left)))
            nl.store(out[image, nl.ds(first, count), y, :], nl.copy(row, dtype=in_tensor.dtype))
    return out
