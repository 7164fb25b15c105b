"""Calls of the kernel builder on tiles and tensors that have no place yet: what a lowering makes of operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np

from .. import dtypes

#: Names of element types in the instruction set.
DTYPES = {
    np.dtype(np.float32): "fp32",
    dtypes.bfloat16: "bf16",
    np.dtype(np.float16): "fp16",
    dtypes.float8_e4m3: "fp8_e4m3",
    dtypes.float8_e5m2: "fp8_e5m2",
    dtypes.tfloat32: "tf32",
    np.dtype(np.int8): "i8",
    np.dtype(np.uint8): "u8",
    np.dtype(np.bool_): "u8",
    np.dtype(np.int16): "i16",
    np.dtype(np.uint16): "u16",
    np.dtype(np.int32): "i32",
    np.dtype(np.uint32): "u32",
}
#: Types of the host's arrays; those of bool are bytes.
_ARRAYS = {name: dtype for dtype, name in DTYPES.items() if dtype != bool}
SIZES = {"fp32": 4, "tf32": 4, "i32": 4, "u32": 4, "bf16": 2, "fp16": 2, "i16": 2, "u16": 2, "i8": 1, "u8": 1, "fp8_e4m3": 1, "fp8_e5m2": 1}

#: Types that GpSimd's microcode knows.
GPSIMD_TYPES = frozenset({"fp32", "bf16", "i8", "u8", "i16", "u16", "i32", "u32"})


def same_bytes(source: np.dtype, dtype: np.dtype) -> bool:
    """Whether elements of one type are those of another as they are. Of a bool the bytes are 0 and 1, those of numbers any."""
    return DTYPES[source] == DTYPES[dtype] and (dtype != bool or source == bool)


#: Methods of the DMA engines.
TRANSFERS = frozenset({"load", "load_transposed", "store", "gather", "scatter"})
_GPSIMD = frozenset(
    {"iota", "affine_select", "local_gather", "partition_reduce", "all_partition_reduce", "all_partition_broadcast", "sequence_bounds"}
)

Axes = tuple[tuple[int, int], ...]  # (count, step in elements), the outermost first


@dataclass(eq=False)
class Area:
    """Bytes of partitions 0 to `partitions` - 1 in SBUF or PSUM: what is given a place. `at` is the byte where the kernel placed it."""

    space: str
    partitions: int
    size: int  # bytes in each partition
    name: str = ""
    at: Optional[int] = None


class Tile(NamedTuple):
    """An access pattern on an area."""

    area: Area
    partition: int
    partitions: int
    byte: int
    dtype: str
    axes: Axes

    @property
    def covers(self) -> bool:
        """Whether it is all of its area."""
        elements = 1
        for count, step in reversed(self.axes):
            if count != 1 and step != elements:
                return False
            elements *= count
        whole = elements * SIZES[self.dtype] == self.area.size
        return whole and self.byte == 0 and self.partition == 0 and self.partitions == self.area.partitions


@dataclass(eq=False)
class HbmTensor:
    """A tensor in HBM. `kind` is of the builder: input, output, update, scratch; `values` are a constant's."""

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    values: Optional[np.ndarray] = None

    @property
    def array(self) -> np.dtype:
        """The type of its elements in the host's arrays."""
        return _ARRAYS[self.dtype]


class View(NamedTuple):
    """An access pattern on a tensor in HBM; offset and steps in elements."""

    tensor: HbmTensor
    offset: int
    axes: Axes

    @property
    def dtype(self) -> str:
        return self.tensor.dtype


@dataclass
class Call:
    """A method of the builder. Tiles among the arguments that `writes` names are written, all others are read."""

    method: str
    arguments: dict[str, Any]
    writes: tuple[str, ...] = ("dst",)
    updates: bool = False  # what is written is read as well
    place: tuple[str, int] = field(default=("", 0))

    def tiles(self, written: bool) -> Iterator[tuple[str, Tile]]:
        for name, value in self.arguments.items():
            if isinstance(value, Tile) and (name in self.writes) == written:
                yield name, value


def engine_of(call: Call) -> str:
    if call.method in TRANSFERS:
        return "dma"
    if call.method in ("load_stationary", "multiply_moving"):
        return "tensor"
    if call.method in ("activation", "act_read_accumulator"):
        return "scalar"
    return "gpsimd" if call.method in _GPSIMD else call.arguments.get("engine", "vector")
