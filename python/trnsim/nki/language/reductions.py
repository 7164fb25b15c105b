"""Reductions of the language, and functions that are made of them."""

from __future__ import annotations

import math as host
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..affine import region_of
from ..isa import elementwise
from ..isa.reductions import free_axes, reduce, unmasked
from ..operands import no_extras, tile
from ..tensor import Tensor
from . import creation, math, movement


def _reduction(name: str, op: str, summary: str, default: Any = None) -> Callable[..., Tensor]:
    def function(
        x: Any, axis: Any, *, dtype: Any = default, mask: Any = None, keepdims: bool = False, **extras: Any
    ) -> Tensor:
        a, mask = unmasked(tile(x, name, "x"), op, mask, name)
        return reduce(name, a, op, free_axes(axis, a.ndim, name), mask, dtype, False, keepdims, extras)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


sum_ = _reduction("sum", "add", "The sum over free dimensions.")
prod = _reduction("prod", "multiply", "The product over free dimensions.")
max_ = _reduction("max", "max", "The maximum over free dimensions.")
min_ = _reduction("min", "min", "The minimum over free dimensions.")
_all = _reduction("all", "logical_and", "Whether all elements over free dimensions are not 0.")


def all_(
    x: Any, axis: Any, *, dtype: Any = bool, mask: Any = None, keepdims: bool = False, **extras: Any
) -> Tensor:
    """Tests whether all elements over free dimensions are not 0."""
    a = tile(x, "all", "x")
    region = region_of(mask, a.shape)
    box = [(0, size) for size in a.shape] if region is None else region.box
    if host.prod(box[at][1] - box[at][0] for at in free_axes(axis, a.ndim, "all")) == 1:
        a = math.not_equal(a, 0, mask=mask)  # a reduction takes one element as it is
    return _all(a, axis, dtype=dtype, mask=mask, keepdims=keepdims, **extras)


all_.__name__ = all_.__qualname__ = "all"


def _shares(a: Tensor, axes: tuple[int, ...], mask: Any) -> float | Tensor:
    """1 / n of the n elements that a mask leaves: a number, or a tile if n differs between the means."""
    region = region_of(mask, a.shape)
    if region is not None and region.where is not None:
        held = np.zeros(a.shape, np.float32)
        held[tuple(slice(*bounds) for bounds in region.box)] = region.where
        counts = np.maximum(held.sum(axis=axes), 1).reshape(a.partitions, -1)
        return movement.load(creation.shared_constant(1 / counts))
    sizes = a.shape if region is None else [high - low for low, high in region.box]
    return 1.0 / max(1, host.prod(sizes[at] for at in axes))


def _working(a: Tensor) -> np.dtype:
    return a.dtype if dtypes.is_float(a.dtype) else np.dtype(np.float32)


def mean(
    x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, keepdims: bool = False, **extras: Any
) -> Tensor:
    """The mean over free dimensions; the mean of integers is fp32."""
    a = tile(x, "mean", "x")
    axes = free_axes(axis, a.ndim, "mean")
    shares = _shares(a, axes, mask)
    a, mask = unmasked(a, "add", mask, "mean")
    total = reduce("mean", a, "add", axes, mask, np.float32, False, keepdims, extras)
    shares = shares.reshape(total.shape) if isinstance(shares, Tensor) else shares
    scaled = math.multiply(total, shares, dtype=_working(a) if dtype is None else dtype)
    scaled.valid = total.valid
    return scaled


def var(x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """The variance of all elements over free dimensions."""
    a = tile(x, "var", "x")
    center = mean(a, axis, dtype=np.float32, mask=mask, keepdims=True)
    squares = math.square(math.subtract(a, center, dtype=np.float32, mask=mask), mask=mask)
    return mean(squares, axis, dtype=_working(a) if dtype is None else dtype, mask=mask, **extras)


def softmax(
    x: Any, axis: Any, *, dtype: Any = None, compute_dtype: Any = None, mask: Any = None, **extras: Any
) -> Tensor:
    """exp(x - max(x)) / sum(exp(x - max(x))) over free dimensions."""
    no_extras("softmax", extras)
    a = tile(x, "softmax", "x")
    inner = dtype or compute_dtype or a.dtype
    largest = max_(a, axis, keepdims=True, mask=mask)
    powers = math.exp(math.subtract(a, largest, dtype=np.float32, mask=mask), dtype=np.float32, mask=mask)
    total = sum_(powers, axis, keepdims=True, mask=mask)
    return math.divide(powers, total, dtype=inner, mask=mask)


def rms_norm(
    x: Any,
    w: Any,
    axis: Any,
    n: int,
    epsilon: float = 1e-06,
    *,
    dtype: Any = None,
    compute_dtype: Any = None,
    mask: Any = None,
    **extras: Any,
) -> Tensor:
    """x / sqrt(sum(x x) / n + epsilon) * w over free dimensions."""
    no_extras("rms_norm", extras)
    a = tile(x, "rms_norm", "x")
    inner = dtype or compute_dtype or a.dtype
    total = sum_(math.square(a, dtype=np.float32, mask=mask), axis, keepdims=True, mask=mask)
    scale = math.rsqrt(
        elementwise.tensor_scalar(total, "multiply", 1.0 / n, op1="add", operand1=float(epsilon))
    )
    return math.multiply(math.multiply(a, scale, dtype=np.float32, mask=mask), w, dtype=inner, mask=mask)
