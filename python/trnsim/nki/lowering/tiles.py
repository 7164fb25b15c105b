"""Operands of the kernel builder's calls: tiles on areas without a place yet, and views of tensors in HBM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from trnsim import arrays
from trnsim._trnsim import gpsimd_types

from .. import dtypes

#: The device's names of element types; those of bool are bytes.
DTYPES = {dtype: name for name, dtype in arrays.DTYPES.items() if name != "tf32"} | {
    dtypes.tfloat32: "tf32",
    np.dtype(np.bool_): "u8",
}
#: Bytes of an element of each type.
SIZES = {name: dtype.itemsize for name, dtype in arrays.DTYPES.items()}
#: Types that GpSimd's microcode knows.
GPSIMD_TYPES = frozenset(gpsimd_types())


def same_bytes(source: np.dtype, dtype: np.dtype) -> bool:
    """Returns whether elements of one type have the same bytes in another. Bytes of a bool are 0 and 1, those
    of numbers arbitrary.
    """
    return DTYPES[source] == DTYPES[dtype] and (dtype != np.bool_ or source == np.bool_)


Axes = tuple[tuple[int, int], ...]  # (count, step in elements), the outermost first


@dataclass(eq=False)
class Area:
    """Bytes of partitions 0 to `partitions` - 1 in SBUF or PSUM, which the back end places.

    If the kernel places it (`placed`), it is all of the memory.
    """

    space: str
    partitions: int
    size: int  # bytes in each partition
    name: str = ""
    placed: bool = False
    buffer: Any = None  # the builder's tile of it, once it exists


class Tile(NamedTuple):
    """An access pattern on an area."""

    area: Area
    partition: int
    partitions: int
    byte: int
    dtype: str
    axes: Axes


@dataclass(eq=False)
class HbmTensor:
    """A tensor in HBM. `kind` is the builder's: input, output, update, scratch; a constant has `values`."""

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray | None = None
    view: Any = None  # the builder's view of all of it, once it exists

    @property
    def array(self) -> np.dtype:
        """The type of its elements in the host's arrays."""
        return arrays.DTYPES[self.dtype]


class View(NamedTuple):
    """An access pattern on a tensor in HBM; offset and steps are in elements."""

    tensor: HbmTensor
    offset: int
    axes: Axes

    @property
    def dtype(self) -> str:
        return self.tensor.dtype
