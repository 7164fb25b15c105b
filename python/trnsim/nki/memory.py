"""Memories and what lies in them: buffers that tensors are created in, placements by the kernel, storages."""

from __future__ import annotations

import inspect
import itertools
import math
import unicodedata
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import context, limits
from .errors import NkiError

#: Every byte that nothing has written: NaN in all float types, -1 or the largest number in integers.
UNWRITTEN = 0xFF


#: Bytes of the name of a tensor, as packages have them, less those that number it.
_NAME_BYTES = 200


def sizes(shape: Any, what: str) -> tuple[int, ...]:
    """The sizes of a shape, of numbers that are integers; par_dim stays what it is."""
    for size in shape:
        if not isinstance(size, (int, np.integer, float, np.floating)) or not float(size).is_integer():
            raise NkiError("err_shape", f"size {size!r} of {what}, expected integers")
    return tuple(size if isinstance(size, ParDim) else int(size) for size in shape)


class ParDim(int):
    """nl.par_dim(n): the partition dimension of a tensor; dimensions before it are blocks."""

    def __new__(cls, size: Any) -> ParDim:
        return super().__new__(cls, *sizes((size,), "par_dim"))


@dataclass(frozen=True)
class Buffer:
    """Where a tensor is created. `place` gives the address of each block; without it there is none."""

    space: str  # hbm, sbuf, psum
    shared: bool = False
    place: Optional[Callable[[tuple[int, ...], int, int], tuple[int, ...]]] = None

    def __repr__(self) -> str:
        return self.space


def _modulo(name: str, index: tuple[int, ...], counts: Sequence[int]) -> int:
    """Row-major number of a block among `counts` physical tiles."""
    counts = tuple(counts) or (1,) * len(index)
    if not all(isinstance(count, (int, np.integer)) and count >= 1 for count in counts):
        raise NkiError("err_allocation", f"{name} {counts}, expected integers of 1 or more")
    if len(counts) != len(index):
        raise NkiError("err_allocation", f"{name} {counts} for {len(index)} block dimensions, expected as many")
    number = 0
    for i, count in zip(index, counts):
        number = number * count + i % count
    return number


def _placement(func: Callable[..., Any]) -> Callable[..., Any]:
    """`func` by the names of the reference where it has them, as functools.partial may have taken its first parameters."""
    if not callable(func):
        raise NkiError("err_allocation", f"alloc({func!r}), expected a function of a block's index, partitions and bytes that gives its place")
    try:
        inspect.signature(func).bind(idx=(), pdim_size=0, fdim_size=0)
    except TypeError:
        return func
    return lambda index, partitions, size: func(idx=index, pdim_size=partitions, fdim_size=size)


class SbufBuffer(Buffer):
    """nl.sbuf, ncc.sbuf"""

    def __init__(self) -> None:
        super().__init__("sbuf")

    def auto_alloc(self) -> Buffer:
        return self

    def alloc(self, func: Callable[..., tuple[int, int]]) -> Buffer:
        """`func(block, partitions, bytes)` gives (start partition, byte) of each block."""
        return Buffer("sbuf", place=_placement(func))

    def mod_alloc(
        self, *, base_addr: int, base_partition: int = 0, num_par_tiles: Sequence[int] = (), num_free_tiles: Sequence[int] = ()
    ) -> Buffer:
        """Blocks go round `num_free_tiles` places from byte base_addr on, and round `num_par_tiles` of partitions."""
        if base_partition != 0:
            raise NkiError("err_allocation", f"base_partition {base_partition}, expected 0")

        def place(index: tuple[int, ...], partitions: int, size: int) -> tuple[int, int]:
            return (
                _modulo("num_par_tiles", index, num_par_tiles) * partitions,
                base_addr + _modulo("num_free_tiles", index, num_free_tiles) * size,
            )

        return Buffer("sbuf", place=place)


class PsumBuffer(Buffer):
    """nl.psum, ncc.psum"""

    def __init__(self) -> None:
        super().__init__("psum")

    def auto_alloc(self) -> Buffer:
        return self

    def alloc(self, func: Callable[..., tuple[int, int, int]]) -> Buffer:
        """`func(block, partitions, bytes)` gives (bank, start partition, byte) of each block."""
        return Buffer("psum", place=_placement(func))

    def mod_alloc(
        self,
        *,
        base_bank: int,
        base_addr: int = 0,
        base_partition: int = 0,
        num_bank_tiles: Sequence[int] = (),
        num_par_tiles: Sequence[int] = (),
        num_free_tiles: Sequence[int] = (),
    ) -> Buffer:
        """Blocks go round `num_bank_tiles` banks from base_bank on."""
        for name, found in (("base_addr", base_addr), ("base_partition", base_partition)):
            if found != 0:
                raise NkiError("err_allocation", f"{name} {found}, expected 0")
        for name, counts in (("num_par_tiles", num_par_tiles), ("num_free_tiles", num_free_tiles)):
            if any(count != 1 for count in counts):
                raise NkiError("err_allocation", f"{name} {tuple(counts)}, expected () or ones")

        def place(index: tuple[int, ...], partitions: int, size: int) -> tuple[int, int, int]:
            return base_bank + _modulo("num_bank_tiles", index, num_bank_tiles), 0, 0

        return Buffer("psum", place=place)


sbuf, psum = SbufBuffer(), PsumBuffer()
hbm = private_hbm = Buffer("hbm")
shared_hbm = Buffer("hbm", shared=True)


class Storage:
    """Bytes of a tensor. `raw` may be shared with others: views of another shape or type, tiles that the kernel places on each other."""

    __slots__ = (
        "_raw",
        "bits",
        "blocks",
        "boxes",
        "dtype",
        "geometry",
        "mutable",
        "name",
        "offsets",
        "placed",
        "read_only",
        "places",
        "shape",
        "shared",
        "space",
        "strides",
        "touched",
        "viewed",
        "written",
        "writes",
    )

    def __init__(
        self,
        raw: Optional[np.ndarray],
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
        written: Optional[np.ndarray] = None,
    ):
        self._raw, self.space, self.dtype, self.name = raw, space, dtype, name
        self.blocks, self.shape = blocks, shape  # block dimensions; those of a tile, or all of one in HBM
        self.offsets = offsets  # bytes at which the blocks begin, in row-major order
        self.strides = strides or contiguous_strides(shape, dtype.itemsize)  # bytes, of `shape`
        self.places: Sequence[
            tuple[int, ...]
        ] = ()  # of blocks that the kernel places: (start partition, byte), with the bank before it in PSUM
        self.bits = False  # whether its floats are the bits of integers
        self.viewed = [False]  # whether its floats may be the bits of another type; for all that share the bytes
        self.placed = False  # whether its bytes are those of a whole memory, in which the kernel places tensors
        self.mutable, self.shared = mutable, shared
        self.read_only = False  # of a parameter: whether its array cannot be written
        self.boxes: Optional[set[Any]] = None  # of a tensor in PSUM: where it has been written, a range of each dimension
        self.written = written  # a byte for each of `raw`, where that is checked
        self.writes = [0]  # how many; one count for all that share the bytes
        self.touched = [False]  # the kernel has written to it, beside the instruction that made it; for all that share the bytes
        pitch = self.strides[0] if self.strides else dtype.itemsize
        self.geometry = (pitch, pitch * shape[0] if shape else pitch)  # bytes of `raw` in a partition, and in a block

    @property
    def identity(self) -> int:
        """The same for all storages that share their bytes, once a kernel is traced."""
        return id(self) if self._raw is None else id(self._raw)

    @property
    def raw(self) -> np.ndarray:
        """The bytes. Those of a result that nobody has looked at yet are made here."""
        if self._raw is None:
            self._raw = np.empty(math.prod(self.shape) * self.dtype.itemsize, np.uint8)
        return self._raw

    def own(self) -> None:
        """Takes bytes of its own in place of those that it was made of; what they hold is not kept."""
        self._raw = np.empty_like(self.raw)

    def adopt(self, values: np.ndarray) -> bool:
        """Takes an array that nobody else has as the bytes of a result, where it has none yet."""
        fits = self._raw is None and values.flags.owndata and values.flags.c_contiguous and values.size == math.prod(self.shape)
        if fits:
            self._raw = values.reshape(-1).view(np.uint8)
        return fits

    def describe(self) -> str:
        sizes = ", ".join(map(str, self.blocks + self.shape))
        return f"{self.name or 'tensor'}[{sizes}]"


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _fresh(size: int, *, filled: bool) -> tuple[np.ndarray, Optional[np.ndarray]]:
    raw = np.empty(size, np.uint8)
    if filled:
        raw.fill(UNWRITTEN)
    return raw, np.zeros(size, np.uint8) if context.options.check_unwritten else None


def printable(name: str) -> str:
    """A name as packages and messages have it: one line of limited length."""
    line = "".join("_" if unicodedata.category(letter) == "Cc" else letter for letter in name)
    return line.encode(errors="replace")[:_NAME_BYTES].decode(errors="ignore")


def split(shape: Sequence[int], space: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Block dimensions and those of a tile."""
    marks = [axis for axis, size in enumerate(shape) if isinstance(size, ParDim)]
    if len(marks) > 1:
        raise NkiError("err_shape", f"{len(marks)} par_dim in {tuple(map(int, shape))}, expected one")
    found = tuple(map(int, sizes(shape, "a tensor")))
    if any(size < 1 for size in found):
        raise NkiError("err_shape", f"shape {found}, expected sizes of 1 or more")
    first = marks[0] if marks and space != "hbm" else 0
    return found[:first], found[first:]


def check_tile(shape: tuple[int, ...], space: str, dtype: np.dtype, what: str) -> None:
    """What a tile in SBUF or PSUM may be."""
    if len(shape) < 2:
        raise NkiError("err_shape", f"{what} of shape {shape} in {space}, expected at least 2 dimensions: partitions and elements")
    if shape[0] > limits.PARTITIONS:
        raise NkiError("err_num_partition_exceed_arch_limit", f"{what} has {shape[0]} partitions, expected at most {limits.PARTITIONS}")
    size = math.prod(shape[1:]) * dtype.itemsize
    most = limits.PSUM_BANK_BYTES if space == "psum" else limits.SBUF_PARTITION_BYTES
    if size > most:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit", f"{what} has {size} bytes a partition in {space}, expected at most {most}"
        )


def tile_storage(shape: tuple[int, ...], space: str, dtype: np.dtype, *, filled: bool) -> Storage:
    """A tile that an instruction writes, somewhere in a memory; `filled` if it does not write all of it."""
    if not filled and not context.options.check_unwritten:
        return Storage(None, space, dtype, shape)
    raw, written = _fresh(math.prod(shape) * dtype.itemsize, filled=filled)
    return Storage(raw, space, dtype, shape, written=written)


def create(shape: Sequence[int], dtype: np.dtype, buffer: Buffer, name: str) -> Storage:
    """A tensor as the kernel asks for it, not initialized."""
    here = context.current()
    if name and (not isinstance(name, str) or name != printable(name)):
        raise NkiError("err_argument", f"name {name!r:.40} of a tensor, expected at most {_NAME_BYTES} bytes on one line")
    blocks, tile = split(shape, buffer.space)
    if buffer.space != "hbm":
        tile = tile if len(tile) > 1 else (*tile, 1)  # as what is loaded from one dimension: an element a partition
        check_tile(tile, buffer.space, dtype, f"tensor {name}" if name else "a tensor")
        direct = buffer.place is not None and not here.automatic_allocation
        if here.direct not in (None, direct) and not here.stack_allocator:
            raise NkiError(
                "err_allocation", "tensors that the kernel places and tensors that it does not, expected one of the two in a kernel"
            )
        here.direct = direct and not here.stack_allocator
        if direct:
            return _placed(blocks, tile, dtype, buffer, name)
    count, size = math.prod(blocks), math.prod(tile) * dtype.itemsize
    if buffer.shared:
        return _shared(here, tile, dtype, name)
    raw, written = _fresh(count * size, filled=True)
    storage = Storage(raw, buffer.space, dtype, tile, blocks=blocks, offsets=range(0, count * size, size), name=name, written=written)
    storage.boxes = set() if buffer.space == "psum" else None
    return storage


def _shared(here: context.Context, shape: tuple[int, ...], dtype: np.dtype, name: str) -> Storage:
    """The k-th tensor in shared HBM is the same one in all programs of a launch."""
    if here.loops:
        raise NkiError(
            "err_shared_hbm_must_in_kernel_level", "a shared_hbm tensor is created in a loop, expected at the top level of the kernel"
        )
    number = here.shared_count
    here.shared_count += 1
    if number == len(here.shared):
        raw, written = _fresh(math.prod(shape) * dtype.itemsize, filled=True)
        here.shared.append(Storage(raw, "hbm", dtype, shape, name=name, shared=True, written=written))
    found = here.shared[number]
    if (found.shape, found.dtype) != (shape, dtype):
        raise NkiError(
            "err_shape",
            f"shared_hbm tensor {number} is {shape} of {dtype} in this program, expected {found.shape} of {found.dtype} as in those before",
        )
    return found


def _placed(blocks: tuple[int, ...], tile: tuple[int, ...], dtype: np.dtype, buffer: Buffer, name: str) -> Storage:
    """A tensor whose blocks lie where the kernel says, in the bytes of the whole memory."""
    height, size = tile[0], math.prod(tile[1:]) * dtype.itemsize
    pitch = limits.SBUF_PARTITION_BYTES if buffer.space == "sbuf" else limits.PSUM_BANKS * limits.PSUM_BANK_BYTES
    places, offsets = [], []
    for index in itertools.product(*map(range, blocks)):
        place = buffer.place(index, height, size)
        partition, byte = _checked_place(buffer.space, place, height, size, dtype.itemsize)
        places.append(tuple(map(int, place)))
        offsets.append(partition * pitch + byte)
    memories = context.current().memories
    if buffer.space not in memories:
        memories[buffer.space] = _fresh(limits.PARTITIONS * pitch, filled=True)
    raw, written = memories[buffer.space]
    strides = (pitch,) + contiguous_strides(tile[1:], dtype.itemsize)
    storage = Storage(raw, buffer.space, dtype, tile, blocks=blocks, offsets=offsets, strides=strides, name=name, written=written)
    storage.places, storage.placed = places, True
    storage.boxes = set() if buffer.space == "psum" else None
    storage.geometry = (pitch, raw.size)
    return storage


def _checked_place(space: str, place: Any, height: int, size: int, itemsize: int) -> tuple[int, int]:
    """Partition and byte within a partition of a block; refuses what the memory does not have."""

    def refuse(what: str, found: Any, expected: str) -> None:
        raise NkiError(
            "err_allocation", f"{what} {found} of a tile of {height} partitions and {size} bytes in {space}, expected {expected}"
        )

    known = isinstance(place, (tuple, list)) and all(isinstance(x, (int, np.integer)) for x in place)
    if not known or len(place) != (2 if space == "sbuf" else 3):
        refuse("place", place, "(start partition, byte)" if space == "sbuf" else "(bank, start partition, byte)")
    partition, byte = place[-2:]
    if partition not in limits.start_partitions(height):
        refuse("start partition", partition, " or ".join(map(str, limits.start_partitions(height))))
    if space == "sbuf":
        if not 0 <= byte <= limits.SBUF_USABLE_BYTES - size or byte % itemsize:
            refuse("byte", byte, f"0 to {limits.SBUF_USABLE_BYTES - size}, a multiple of {itemsize}")
        return partition, byte
    bank = place[0]
    if not 0 <= bank < limits.PSUM_BANKS:
        refuse("bank", bank, f"0 to {limits.PSUM_BANKS - 1}")
    if partition != 0 or byte != 0:
        refuse("start partition and byte", (partition, byte), "(0, 0)")
    return partition, bank * limits.PSUM_BANK_BYTES


def of_array(array: np.ndarray, name: str, *, mutable: bool) -> Storage:
    """A tensor in HBM that is an array of the host, in its place; the array is contiguous."""
    raw = array.reshape(-1).view(np.uint8)
    written = np.ones(raw.size, np.uint8) if context.options.check_unwritten else None
    return Storage(raw, "hbm", array.dtype, array.shape, name=name, mutable=mutable, written=written)
