"""Storages: the bytes of tensors, and the layout of their elements."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import context

#: The value of unwritten bytes: NaN in all float types, -1 or the largest number in integers.
UNWRITTEN = 0xFF


#: Rows of a storage's pitch, and bytes in each: first row, end, first byte, end. Those of HBM are one row.
Extent = tuple[int, int, int, int]

#: The most extents that are kept of the bytes of a tensor; further ones are joined with the last.
_MOST_PARTS = 64
#: The most patterns that are known to be written.
_MOST_PATTERNS = 1024


def _neighbours(one: Extent, other: Extent) -> bool:
    """Returns whether two extents together are one."""
    a, b, c, d = one
    first, last, low, high = other
    if (a, b) == (first, last):
        return max(c, low) <= min(d, high)
    return (c, d) == (low, high) and max(a, first) <= min(b, last)


class Bytes:
    """Bytes in a memory, and facts that all storages sharing them have in common.

    The array is made at its first use, so that a kernel that is only recorded takes no memory for values.
    """

    __slots__ = (
        "_array",
        "_filled",
        "_free",
        "_known",
        "_recorded",
        "launch",
        "parts",
        "size",
        "touched",
        "viewed",
        "writes",
        "written",
    )

    def __init__(self, size: int, *, filled: bool, array: np.ndarray | None = None) -> None:
        """`array` is the contents, if there are any. Bytes that no instruction writes as a whole are `filled`
        with UNWRITTEN.
        """
        self.size, self._filled, self._array = size, filled, array
        self._free = not filled and array is None  # True if an array may become the contents
        self._recorded: Bytes | None = None
        here = context.active()
        # the number of the launch that they belong to; parameters get it when their launch begins
        self.launch = 0 if here is None else here.number
        self.writes = 0  # the number of writes
        self.touched = False  # True if the kernel has written to them after the instruction that made them
        self.viewed = False  # True if floats in them may be the bits of another type
        # The extents that have been written, or larger ones; None if anything may have been.
        self.parts: list[Extent] | None = [] if array is None else None
        self._known: set[Any] = set()  # patterns of which a part may have been written
        self.written: np.ndarray | None = None  # a mark for each byte, if these are checked
        if context.options.check_unwritten:
            self.written = np.zeros(size, np.uint8) if array is None else np.ones(size, np.uint8)

    @property
    def array(self) -> np.ndarray:
        if self._array is None:
            self._array = np.empty(self.size, np.uint8)
            if self._filled:
                self._array.fill(UNWRITTEN)
        return self._array

    def fill(self) -> None:
        """Makes all bytes unwritten."""
        self._filled, self._free = True, False
        if self._array is not None:
            self._array.fill(UNWRITTEN)

    def knows(self, pattern: Any) -> bool:
        """Returns whether a part of what a pattern reaches is known to be written."""
        return pattern in self._known

    def know(self, pattern: Any) -> None:
        if len(self._known) < _MOST_PATTERNS:
            self._known.add(pattern)

    def meets(self, extent: Extent) -> bool:
        """Returns whether a part of an extent may have been written."""
        first, last, low, high = extent
        return self.parts is None or any(
            first < part[1] and part[0] < last and low < part[3] and part[2] < high for part in self.parts
        )

    def note(self, extent: Extent) -> None:
        """Notes that an extent has been written."""
        parts = self.parts
        if parts is None or extent in parts:
            return
        if parts and (len(parts) >= _MOST_PARTS or _neighbours(parts[-1], extent)):
            a, b, c, d = parts[-1]
            first, last, low, high = extent
            parts[-1] = min(a, first), max(b, last), min(c, low), max(d, high)
        else:
            parts.append(extent)

    def keep(self) -> None:
        """Notes that another storage shares the bytes; no array becomes their contents any more."""
        self._free = False

    def adopt(self, values: np.ndarray) -> bool:
        """Takes an array that nothing else uses as the contents, if the bytes have not been used yet."""
        fits = (
            self._free
            and self._array is None
            and values.flags.owndata
            and values.flags.c_contiguous
            and values.nbytes == self.size
        )
        if fits:
            self._array = values.reshape(-1).view(np.uint8)
        return fits

    def lend(self, values: np.ndarray) -> None:
        """Makes an array the contents until `take_back`."""
        self._array = np.ascontiguousarray(values).reshape(-1).view(np.uint8)

    def take_back(self) -> None:
        self._array = None

    def recorded(self) -> Bytes:
        """Returns bytes for a list of operations, which outlives the kernel's values: without contents."""
        if self._recorded is None:
            self._recorded = Bytes(self.size, filled=True)
        self._recorded.viewed |= self.viewed
        return self._recorded


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@functools.lru_cache(maxsize=4096)
def _layout(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[tuple[int, ...], tuple[int, int]]:
    """Returns strides, and bytes in a partition and in a block. Without `strides`, elements are contiguous.

    A kernel makes thousands of storages of a few shapes, which share the result.
    """
    strides = strides or contiguous_strides(shape, itemsize)
    pitch = strides[0] if strides else itemsize
    return strides, (pitch, pitch * shape[0] if shape else pitch)


class Storage:
    """The bytes of a tensor.

    Others may share them: views of another shape or type, and tiles that the kernel places on each other.
    """

    __slots__ = (
        "_recorded",
        "bits",
        "blocks",
        "boxes",
        "bytes",
        "dtype",
        "geometry",
        "mutable",
        "name",
        "offsets",
        "placed",
        "places",
        "read_only",
        "shape",
        "shared",
        "space",
        "strides",
        "void",
    )

    def __init__(
        self,
        held: Bytes | None,
        space: str,
        dtype: np.dtype,
        shape: tuple[int, ...],
        *,
        blocks: tuple[int, ...] = (),
        offsets: Sequence[int] = (0,),
        strides: tuple[int, ...] = (),
        name: str = "",
        mutable: bool = True,
        shared: bool = False,
    ):
        """`held` is its bytes; None makes new ones, which an instruction writes as a whole."""
        self.space, self.dtype, self.name = space, dtype, name
        # block dimensions, and those of a tile or of all of a tensor in HBM
        self.blocks, self.shape = blocks, shape
        self.offsets = offsets  # bytes at which the blocks begin, in row-major order
        # Bytes from one element to the next in each dimension of `shape`, in a partition, and in a block.
        self.strides, self.geometry = _layout(shape, strides, dtype.itemsize)
        self.places: Sequence[
            tuple[int, ...]
            # of blocks that the kernel places: (start partition, byte), in PSUM (bank, start partition, byte)
        ] = ()
        self.bits = False  # True if its floats are the bits of integers
        self.placed = (
            False  # True if its bytes are those of a whole memory, in which the kernel places tensors
        )
        self.mutable, self.shared = mutable, shared
        self.read_only = False  # True for a parameter with an array that cannot be written
        self.void = False  # True for a part of which a mask has left nothing; instructions on it do nothing
        self.boxes: set[Any] | None = (
            None  # for a tensor in PSUM: the range of each dimension that has been written
        )
        self.bytes = Bytes(math.prod(shape) * dtype.itemsize, filled=False) if held is None else held
        self._recorded: Storage | None = None

    @property
    def identity(self) -> int:
        """A number that is the same for all storages that share their bytes."""
        return id(self.bytes)

    @property
    def raw(self) -> np.ndarray:
        """Its bytes, in one dimension."""
        return self.bytes.array

    def emptied(self) -> Storage:
        """Returns another storage of its bytes, of which a mask has left nothing."""
        empty = copy.copy(self)
        empty.void, empty._recorded = True, None
        return empty

    def recorded(self) -> Storage:
        """Returns the storage for a list of operations: in HBM itself, on the chip one without values.

        Values on the chip are freed with the kernel's last reference to them.
        """
        if self.space == "hbm":
            return self
        held = self.bytes.recorded()
        if self._recorded is None:
            self._recorded = copy.copy(self)
            self._recorded.bytes = held
        return self._recorded

    def describe(self) -> str:
        sizes = ", ".join(map(str, self.blocks + self.shape))
        return f"{self.name or 'tensor'}[{sizes}]"


def _is_contiguous(shape: tuple[int, ...], strides: Sequence[int], itemsize: int) -> bool:
    step = itemsize
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def reshaped_strides(
    shape: tuple[int, ...], strides: Sequence[int], itemsize: int, new: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Returns the strides of elements in another shape, as NumPy does; None if that needs a copy."""
    if 0 in shape:
        return None
    if _is_contiguous(shape, strides, itemsize):
        return contiguous_strides(new, itemsize)
    old = [(size, stride) for size, stride in zip(shape, strides) if size != 1]
    found: list[int] = []
    at = 0
    while at < len(old):
        # The smallest groups of dimensions of both shapes with equal numbers of elements.
        count, most, end, first, last = old[at][0], new[len(found)], at + 1, len(found), len(found) + 1
        while count != most:
            if most < count:
                most, last = most * new[last], last + 1
            else:
                count, end = count * old[end][0], end + 1
        if any(a[1] != b[0] * b[1] for a, b in zip(old[at : end - 1], old[at + 1 : end])):
            return None
        found += [old[end - 1][1] * math.prod(new[place + 1 : last]) for place in range(first, last)]
        at = end
    return (*found, *[found[-1] if found else itemsize] * (len(new) - len(found)))
