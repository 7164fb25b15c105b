"""What the operands of the kernel builder's calls are made of: tiles on areas that have no place yet, views of tensors in HBM."""

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
#: Bytes of an element.
SIZES = {name: dtype.itemsize for name, dtype in arrays.DTYPES.items()}
#: Types that GpSimd's microcode knows.
GPSIMD_TYPES = frozenset(gpsimd_types())


def same_bytes(source: np.dtype, dtype: np.dtype) -> bool:
    """Whether elements of one type are those of another as they are. Of a bool the bytes are 0 and 1, those of numbers any."""
    return DTYPES[source] == DTYPES[dtype] and (dtype != np.bool_ or source == np.bool_)


Axes = tuple[tuple[int, int], ...]  # (count, step in elements), the outermost first


@dataclass(eq=False)
class Area:
    """Bytes of partitions 0 to `partitions` - 1 in SBUF or PSUM, which the back end places, or the kernel (`placed`): then it is all of
    the memory."""

    space: str
    partitions: int
    size: int  # bytes in each partition
    name: str = ""
    placed: bool = False
    buffer: Any = None  # the builder's tile of it, once there is one


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
    """A tensor in HBM. `kind` is of the builder: input, output, update, scratch; `values` are a constant's."""

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray | None = None
    view: Any = None  # the builder's, of all of it, once there is one

    @property
    def array(self) -> np.dtype:
        """The type of its elements in the host's arrays."""
        return arrays.DTYPES[self.dtype]


class View(NamedTuple):
    """An access pattern on a tensor in HBM; offset and steps in elements."""

    tensor: HbmTensor
    offset: int
    axes: Axes

    @property
    def dtype(self) -> str:
        return self.tensor.dtype
