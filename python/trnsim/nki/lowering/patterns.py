"""Operands of operations as access patterns of the hardware."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import NkiError
from ..tensor import Tensor
from .tiles import Axes

MAX_AXES = 4


def free_steps(tensor: Tensor) -> list[int]:
    """Returns the steps in elements of all dimensions, the partitions first."""
    return [stride // tensor.itemsize for stride in tensor.steps()[1]]


def partition_step(tensor: Tensor) -> int:
    """Returns the bytes from one index of the first dimension to the next."""
    storage, total = tensor.storage, 0
    for terms, stride in zip(tensor.terms[len(storage.blocks) :], storage.strides):
        for axis, step in terms:
            if axis == 0:
                total += step * stride
    return total


def merged(counts: Sequence[int], steps: Sequence[Sequence[int]]) -> list[Axes]:
    """Returns the axes of several operands of one shape; dimensions that are contiguous in all of them are
    joined.
    """
    joined: list[tuple[int, list[int]]] = []
    for axis, count in enumerate(counts):
        if count == 1:
            continue
        here = [s[axis] for s in steps]
        if joined and all(outer == inner * count for outer, inner in zip(joined[-1][1], here)):
            joined[-1] = (joined[-1][0] * count, here)
        else:
            joined.append((count, here))
    joined = joined or [(1, [1] * len(steps))]
    return [tuple((count, here[k]) for count, here in joined) for k in range(len(steps))]


def fitted(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Returns a tensor in the shape of the one that it is written to or combined with."""
    if tensor.shape == shape:
        return tensor
    found = tensor.fitted(shape)
    if found is None:
        raise NkiError(
            "err_shape",
            f"{tensor.describe()} beside {list(shape)}, expected as many elements in each dimension",
        )
    return found


def contiguous(counts: Sequence[int]) -> Axes:
    """Returns the axes of elements side by side, the last dimension innermost."""
    axes, step = [], 1
    for count in reversed(counts):
        axes.append((count, step))
        step *= count
    return tuple(reversed(axes))
